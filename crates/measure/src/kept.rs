//! What earlier commands of a process leave for later ones: samples, and what was made and counted of them.
//!
//! Entry: [`Kept`], which a session has; [`Asked`], by which samples are known again. Files are read in `inputs`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::SystemTime;

use albireo::{Axis, Outside};
use albireo_samples::{ClassCut, Given, RegionSpec, Samples, Source};

use crate::args::SpaceFlags;
use crate::compute::Opened;
use crate::results::Results;
use crate::shared::Shared;

/// How a command wants its samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// Only directions.
    pub(crate) angular: bool,
    /// Positions outside the box.
    pub(crate) outside: Outside,
    /// What the samples are cut into.
    pub(crate) regions: Option<RegionSpec>,
    /// The classes of their objects.
    pub(crate) classes: Option<ClassCut>,
    /// The axis of redshift space.
    pub(crate) rsd: Option<Axis>,
}

/// The samples that were read last, for later measurements of the same job: as long as their files stay what they were. With them what
/// was made of samples, and counted.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    most: usize,
    samples: Vec<(Asked, Rc<Samples>)>,
    shared: Shared,
    /// Engines, which later commands have again.
    pub(crate) opened: Opened,
    /// Samples that lie in the memory of the caller.
    given: HashMap<PathBuf, Given>,
    /// Results that may lie there too.
    pub(crate) results: Results,
}

/// What samples are the same by.
#[derive(Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) sources: Vec<Source>,
    pub(crate) space: SpaceFlags,
    pub(crate) wanted: Wanted,
    /// When each file was written last.
    files: Vec<(PathBuf, Option<SystemTime>)>,
}

impl Asked {
    pub(crate) fn new(sources: &[Source], space: &SpaceFlags, wanted: Wanted) -> Self {
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
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.files.iter().map(|(path, _)| path.clone())
    }
}

impl Kept {
    /// Room for the samples of so many calls.
    pub(crate) fn of(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Of one session, whose samples and results may lie in memory.
    pub(crate) fn giving(given: HashMap<PathBuf, Given>, results: Results) -> Self {
        Self {
            given,
            results,
            ..Self::default()
        }
    }

    /// Of the several results of one command, with what lies in memory.
    pub(crate) fn for_several(&self) -> Self {
        Self {
            given: self.given.clone(),
            results: self.results.clone(),
            opened: self.opened.clone(),
            ..Self::of(1)
        }
    }

    /// What lies in memory.
    pub(crate) fn given(&self) -> &HashMap<PathBuf, Given> {
        &self.given
    }

    /// The samples that were read so before, taken out.
    pub(crate) fn taken(&mut self, asked: &Asked) -> Option<Rc<Samples>> {
        let at = self.samples.iter().position(|(known, _)| known == asked)?;
        Some(self.samples.remove(at).1)
    }

    /// Keeps samples, and drops the oldest where there are too many.
    pub(crate) fn keep(&mut self, asked: Asked, samples: &Rc<Samples>) {
        self.samples.push((asked, Rc::clone(samples)));
        let spare = self.samples.len().saturating_sub(self.most);
        self.samples.drain(..spare);
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty_handed(&self) -> bool {
        self.most == 0
    }

    /// Drops the counts by sets of weights.
    pub(crate) fn forget_sets(&mut self) {
        self.shared.of_sets.clear();
    }

    /// What the measurements of a job share; none outside of jobs.
    pub(crate) fn shared(&self) -> Option<Shared> {
        (self.most > 0).then(|| self.shared.clone())
    }
}
