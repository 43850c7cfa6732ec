//! The samples of a command, read as its flags say.
//!
//! Entry: [`Kept::read`]. What the files hold becomes particles in `albireo_samples`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::SystemTime;

use albireo::cosmology::Cosmology;
use albireo::{Axis, LineOfSight, Outside};
use albireo_samples::{Given, Notice, Reading, RegionSpec, Samples, Source, SurveyReading};
use anyhow::{Context, Result};

use crate::args::{ColumnUnits, LosName, SpaceFlags};
use crate::node::Node;
use crate::progress::{NothingToKeep, stop_reading};
use crate::record::Record;
use crate::shared::Shared;
use crate::world::World;

/// How a command wants its samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// Only directions.
    pub(crate) angular: bool,
    /// Positions outside the box.
    pub(crate) outside: Outside,
    /// What the samples are cut into.
    pub(crate) regions: Option<RegionSpec>,
    /// The axis of redshift space.
    pub(crate) rsd: Option<Axis>,
}

/// Says on standard error what was chosen and what looks wrong.
pub(crate) fn say(notice: &Notice) {
    if notice.is_warning() {
        tracing::warn!("{notice}");
    } else {
        tracing::info!("{notice}");
    }
}

/// The samples that were read last, for later measurements of the same job: as long as their files stay what they were. With them what
/// was made of samples, and counted.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    most: usize,
    samples: Vec<(Asked, Rc<Samples>)>,
    shared: Shared,
    /// Samples that lie in the memory of the caller.
    given: HashMap<PathBuf, Given>,
}

/// What samples are the same by.
#[derive(Debug, PartialEq)]
struct Asked {
    sources: Vec<Source>,
    space: SpaceFlags,
    wanted: Wanted,
    /// When each file was written last.
    files: Vec<(PathBuf, Option<SystemTime>)>,
}

impl Asked {
    fn new(sources: &[Source], space: &SpaceFlags, wanted: Wanted) -> Self {
        let paths = sources.iter().flat_map(|source| &source.paths);
        let written = |path: &PathBuf| path.metadata().and_then(|file| file.modified()).ok();
        Self {
            files: paths.map(|path| (path.clone(), written(path))).collect(),
            sources: sources.to_vec(),
            space: space.clone(),
            wanted,
        }
    }

    /// The files, in their order.
    fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.files.iter().map(|(path, _)| path.clone())
    }

    /// Reads all sources.
    fn read(&self, given: HashMap<PathBuf, Given>) -> Result<Samples> {
        let space = &self.space;
        let cosmology = space.cosmology.as_deref().map(str::parse::<Cosmology>);
        let reading = Reading {
            angular: self.wanted.angular,
            cosmology: cosmology.transpose().context("--cosmology")?,
            space: space.space,
            outside: self.wanted.outside,
            unit: space.unit.clone(),
            regions: self.wanted.regions.clone(),
            partial_sets: space.partial_set,
            given,
            ignore_units: space.columns.ignore_units.clone(),
            rsd: self.wanted.rsd,
            plain_redshifts: space.columns.redshift_unit.is_some(),
            stop: stop_reading(),
        };
        Ok(reading.read(&self.sources, &mut |notice| say(&notice))?)
    }
}

impl Kept {
    /// Room for the samples of so many calls.
    pub(crate) fn of(most: usize) -> Self {
        Self {
            most,
            samples: Vec::new(),
            shared: Shared::default(),
            given: HashMap::new(),
        }
    }

    /// Of one session, whose samples may lie in memory.
    pub(crate) fn giving(given: HashMap<PathBuf, Given>) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// What lies in memory.
    pub(crate) fn given(&self) -> &HashMap<PathBuf, Given> {
        &self.given
    }

    /// Reads all sources, with the other processes, unless that has been done, and notes in `record` what they are.
    pub(crate) fn read(
        &mut self,
        world: &Rc<dyn World>,
        sources: &[Source],
        space: &SpaceFlags,
        wanted: Wanted,
        record: &mut Record,
    ) -> Result<Rc<Samples>> {
        let _reading = NothingToKeep::begin();
        let asked = Asked::new(sources, space, wanted);
        let known = self.samples.iter().position(|(known, _)| *known == asked);
        let (asked, samples) = if let Some(at) = known {
            tracing::debug!("the samples have been read already");
            self.samples.remove(at)
        } else {
            let read = || asked.read(self.given.clone());
            let samples = match Node::of(world) {
                Some(node) => node.read(asked.paths(), read)?,
                None => read()?,
            };
            (asked, Rc::new(samples))
        };
        for (key, value) in samples.record() {
            record.set(key, value.clone());
        }
        self.samples.push((asked, Rc::clone(&samples)));
        let spare = self.samples.len().saturating_sub(self.most);
        self.samples.drain(..spare);
        Ok(samples)
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty_handed(&self) -> bool {
        self.most == 0
    }

    /// Lets go of counts by sets of weights.
    pub(crate) fn forget_sets(&mut self) {
        self.shared.of_sets.clear();
    }

    /// What the measurements of a job share; none outside of jobs.
    pub(crate) fn shared(&self) -> Option<Shared> {
        (self.most > 0).then(|| self.shared.clone())
    }
}

/// How a survey is read, some of whose files may be names of samples in memory.
pub(crate) fn of_survey(
    units: &ColumnUnits,
    redshifts: bool,
    given: HashMap<PathBuf, Given>,
) -> SurveyReading {
    SurveyReading {
        redshifts,
        given,
        ignore_units: units.ignore_units.clone(),
        plain_redshifts: units.redshift_unit.is_some(),
        stop: stop_reading(),
    }
}

/// The line of sight: as given, else the one that goes with the domain.
pub(crate) fn line_of_sight(given: Option<LosName>, samples: &Samples) -> LineOfSight {
    given.map_or_else(|| samples.line_of_sight(), LineOfSight::from)
}
