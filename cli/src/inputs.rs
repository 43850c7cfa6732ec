//! The samples of a command, read as its flags say.
//!
//! Entry: [`read`]. What the files hold becomes particles in `albireo_samples`.

use albireo::cosmology::Cosmology;
use albireo::{LineOfSight, Outside};
use albireo_samples::{Notice, Reading, RegionSpec, Samples, Source};
use anyhow::{Context, Result};

use crate::args::{LosName, SpaceFlags};
use crate::progress::{NothingToKeep, stop_reading};
use crate::record::Record;

/// How a command wants its samples.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Only directions.
    pub(crate) angular: bool,
    /// Positions outside the box.
    pub(crate) outside: Outside,
    /// What the samples are cut into.
    pub(crate) regions: Option<RegionSpec>,
}

/// Says on standard error what was chosen and what looks wrong.
pub(crate) fn say(notice: &Notice) {
    if notice.is_warning() {
        tracing::warn!("{notice}");
    } else {
        tracing::info!("{notice}");
    }
}

/// Reads all sources and notes in `record` what they are.
pub(crate) fn read(
    sources: &[Source],
    flags: &SpaceFlags,
    wanted: Wanted,
    record: &mut Record,
) -> Result<Samples> {
    let _reading = NothingToKeep::begin();
    let cosmology = flags.cosmology.as_deref().map(str::parse::<Cosmology>);
    let reading = Reading {
        angular: wanted.angular,
        cosmology: cosmology.transpose().context("--cosmology")?,
        space: flags.space,
        outside: wanted.outside,
        unit: flags.unit.clone(),
        regions: wanted.regions,
        stop: stop_reading(),
    };
    let samples = reading.read(sources, &mut |notice| say(&notice))?;
    for (key, value) in samples.record() {
        record.set(key, value.clone());
    }
    Ok(samples)
}

/// The line of sight: as given, else the one that goes with the domain.
pub(crate) fn line_of_sight(given: Option<LosName>, samples: &Samples) -> LineOfSight {
    given.map_or_else(|| samples.line_of_sight(), LineOfSight::from)
}
