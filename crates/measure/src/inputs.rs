//! The samples of a command, read as its flags say.
//!
//! Entry: [`Session::read`]. What the files hold becomes particles in `albireo_samples`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use albireo::LineOfSight;
use albireo::cosmology::Cosmology;
use albireo_catalogs::{CatalogError, Stop};
use albireo_samples::{
    Given, Notice, Reading, SampleError, Samples, Selection, Source, SurveyReading,
};
use anyhow::{Context, Result};

use crate::args::{ColumnUnits, LosName, SpaceFlags};
use crate::kept::{Asked, Wanted};
use crate::node::Node;
use crate::record::Record;
use crate::session::Session;
use crate::watch::Loss;

/// Says on standard error what was chosen and what looks wrong.
pub(crate) fn say(notice: &Notice) {
    if notice.is_warning() {
        tracing::warn!("{notice}");
    } else {
        tracing::info!("{notice}");
    }
}

/// Reads all sources of a command.
fn samples(asked: &Asked, given: HashMap<PathBuf, Given>, stop: Stop) -> Result<Samples> {
    let (space, wanted) = (&asked.space, &asked.wanted);
    let cosmology = space.cosmology.as_deref().map(str::parse::<Cosmology>);
    let reading = Reading {
        angular: wanted.angular,
        cosmology: cosmology.transpose().context("--cosmology")?,
        space: space.space,
        outside: wanted.outside,
        unit: space.unit.clone(),
        regions: wanted.regions.clone(),
        classes: wanted.classes.clone(),
        partial_sets: space.partial_set,
        given,
        ignore_units: space.columns.ignore_units.clone(),
        rsd: wanted.rsd,
        plain_redshifts: space.columns.redshift_unit.is_some(),
        stop,
    };
    let samples = reading.read(&asked.sources, &mut |notice| say(&notice));
    samples.map_err(|error| match passed_on(&error, &asked.sources) {
        Some(flags) => anyhow::Error::new(error).context(flags),
        None => error.into(),
    })
}

/// Which flag of the first sample names a column that another one lacks, where that has no such flag of its own.
fn passed_on(error: &SampleError, sources: &[Source]) -> Option<String> {
    let SampleError::Catalog(CatalogError::UnknownColumn { path, column, .. }) = error else {
        return None;
    };
    let (first, others) = sources.split_first()?;
    let other = others.iter().find(|source| source.paths.contains(path))?;
    let of = |selection: &Selection| {
        [("where", &selection.filter), ("weight", &selection.weight)]
            .map(|(flag, text)| (flag, text.clone()))
    };
    let mut both = of(&first.selection).into_iter().zip(of(&other.selection));
    let ((flag, _), _) = both.find(|((_, text), (_, own))| {
        let names = text
            .as_ref()
            .is_some_and(|text| text.contains(column.as_str()));
        names && text == own
    })?;
    let (role, prefix) = match other.role.as_str() {
        "second" | "cross" => ("second sample", "cross".to_owned()),
        role => (role, role.replace("shifted ", "").replace(' ', "-")),
    };
    Some(format!(
        "--{flag} holds for the {role} too, unless --{prefix}-{flag} names another, or none"
    ))
}

impl Session<'_> {
    /// Reads all sources, with the other processes, unless that has been done, and notes in `record` what they are.
    pub(crate) fn read(
        &mut self,
        sources: &[Source],
        space: &SpaceFlags,
        wanted: Wanted,
        record: &mut Record,
    ) -> Result<Rc<Samples>> {
        let _reading = self.watch.during(Loss::Nothing);
        let asked = Asked::new(sources, space, wanted);
        let samples = if let Some(samples) = self.kept.taken(&asked) {
            tracing::debug!("the samples have been read already");
            samples
        } else {
            let read = || samples(&asked, self.kept.given().clone(), self.watch.stop());
            Rc::new(match Node::of(&self.world) {
                Some(node) => node.read(asked.paths(), read)?,
                None => read()?,
            })
        };
        for (key, value) in samples.record() {
            record.set(key, value.clone());
        }
        self.kept.keep(asked, &samples);
        Ok(samples)
    }

    /// How many components a column of these samples has, as the first that has it says; 1 of a column that none has.
    pub(crate) fn widths(&self, sources: &[Source]) -> Result<impl Fn(&str) -> usize + use<>> {
        let mut widths = HashMap::new();
        for source in sources {
            for (name, width) in source.widths(self.kept.given(), &self.watch.stop())? {
                widths.entry(name).or_insert(width);
            }
        }
        Ok(move |column: &str| widths.get(column).copied().unwrap_or(1))
    }

    /// How a survey is read, some of whose files may be names of samples in memory.
    pub(crate) fn survey_reading(&self, units: &ColumnUnits, redshifts: bool) -> SurveyReading {
        SurveyReading {
            redshifts,
            given: self.kept.given().clone(),
            ignore_units: units.ignore_units.clone(),
            plain_redshifts: units.redshift_unit.is_some(),
            stop: self.watch.stop(),
        }
    }
}

/// The line of sight: as given, else the one that goes with the domain; where `is_said`, with what looks wrong about it.
pub(crate) fn line_of_sight(
    given: Option<LosName>,
    samples: &Samples,
    is_said: bool,
) -> LineOfSight {
    let given = given.map(LineOfSight::from);
    if is_said {
        samples.doubts_of_sight(given).iter().for_each(say);
    }
    given.unwrap_or_else(|| samples.line_of_sight())
}
