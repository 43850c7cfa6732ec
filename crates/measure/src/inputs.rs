//! The samples of a command, read as its flags say.
//!
//! Entry: [`Session::read`]. What the files hold becomes particles in `albireo_samples`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use albireo::LineOfSight;
use albireo::cosmology::Cosmology;
use albireo_catalogs::Stop;
use albireo_samples::{Given, Notice, Reading, Samples, Source, SurveyReading};
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
    Ok(reading.read(&asked.sources, &mut |notice| say(&notice))?)
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
    let doubts = is_said.then(|| samples.doubts_of_sight(given));
    for doubt in doubts.into_iter().flatten() {
        say(&doubt.into());
    }
    given.unwrap_or_else(|| samples.line_of_sight())
}
