//! All samples of a command, read and placed in their domain.
//!
//! Entry: [`Inputs::read`].

use albireo::cosmology::Cosmology;
use albireo::{Domain, Outside, Particles};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::args::{BoxSpec, SpaceFlags};
use crate::progress::check_stop;
use crate::record::Record;
use crate::sample::{Reading, Sample, Source};
use crate::space::{Unless, resolve};
use crate::usage::usage;

/// Samples in a common domain.
#[derive(Debug)]
pub(crate) struct Inputs {
    samples: Vec<Sample>,
    pub(crate) domain: Domain,
    /// Unit of length, where known.
    pub(crate) unit: Option<String>,
}

/// How a command wants its samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Only directions.
    pub(crate) angular: bool,
    /// What holds without `--box`.
    pub(crate) unless: Unless,
    /// Positions outside the box.
    pub(crate) outside: Outside,
}

impl Inputs {
    /// Reads all sources and notes in `record` what they are.
    pub(crate) fn read(
        sources: &[Source],
        flags: &SpaceFlags,
        wanted: Wanted,
        record: &mut Record,
    ) -> Result<Self> {
        let boxed = flags.space.is_some_and(|space| space != BoxSpec::Open);
        if wanted.angular && boxed {
            return Err(usage(
                "--box has no meaning for angles: --statistic theta sees directions only",
            ));
        }
        let cosmology = flags
            .cosmology
            .as_deref()
            .map(str::parse::<Cosmology>)
            .transpose()
            .context("--cosmology")?;
        let reading = Reading {
            angular: wanted.angular,
            cosmology: cosmology.as_ref(),
        };
        let mut samples = Vec::new();
        for source in sources {
            samples.push(Sample::read(source, reading)?);
            check_stop()?;
        }
        let stated: Vec<_> = samples
            .iter()
            .filter_map(|sample| sample.stated_box.as_ref())
            .collect();
        let stated = if wanted.angular { Vec::new() } else { stated };
        let (domain, space) = resolve(flags.space, wanted.unless, &stated)?;
        for sample in &mut samples {
            let particles = std::mem::take(&mut sample.particles);
            let placed = domain.place(particles, wanted.outside);
            sample.particles = placed.with_context(|| hint(sample, wanted.outside))?;
        }
        let unit = unit(flags, &samples, wanted.angular)?;
        record.set(
            "samples",
            samples
                .iter()
                .map(|sample| sample.record.clone())
                .collect::<Vec<Value>>(),
        );
        record.set("box", space);
        if let Some(cosmology) = &cosmology {
            record.set("cosmology", serde_json::to_value(cosmology)?);
        }
        if let Some(unit) = &unit {
            record.set("unit", json!(unit));
        }
        Ok(Self {
            samples,
            domain,
            unit,
        })
    }

    /// The sample of a role, if the command has it.
    pub(crate) fn find(&self, role: &str) -> Option<&Particles> {
        self.samples
            .iter()
            .find(|sample| sample.role == role)
            .map(|sample| &sample.particles)
    }

    /// The sample of a role that the command must have.
    pub(crate) fn get(&self, role: &str) -> Result<&Particles> {
        self.find(role)
            .ok_or_else(|| anyhow!("this needs the sample `{role}`"))
    }
}

fn hint(sample: &Sample, outside: Outside) -> String {
    let advice = if outside == Outside::Refuse {
        " (--wrap would wrap positions into the box)"
    } else {
        ""
    };
    format!("{}{advice}", sample.path.display())
}

/// The unit asked for, or the one that all samples state.
fn unit(flags: &SpaceFlags, samples: &[Sample], angular: bool) -> Result<Option<String>> {
    if flags.unit.is_some() || angular {
        return Ok(flags.unit.clone());
    }
    let mut stated = samples
        .iter()
        .filter_map(|sample| sample.unit.as_ref().map(|unit| (sample, unit)));
    let Some((first, unit)) = stated.next() else {
        return Ok(None);
    };
    if let Some((other, different)) = stated.find(|(_, other)| *other != unit) {
        bail!(
            "positions are in different units: {unit} in {}, {different} in {}; convert them, or name the common unit by --unit",
            first.path.display(),
            other.path.display()
        );
    }
    Ok(Some(unit.clone()))
}
