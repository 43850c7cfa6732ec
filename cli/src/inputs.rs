//! All samples of a command, read and placed in their domain.
//!
//! Entry: [`Inputs::read`].

use albireo::binning::BinAxis;
use albireo::cosmology::Cosmology;
use albireo::{Domain, Outside, Particles, Points};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::args::{BoxSpec, SpaceFlags};
use crate::progress::{NothingToKeep, check_stop};
use crate::record::Record;
use crate::sample::{Opened, Reading, Sample, Source};
use crate::space::{StatedBox, resolve};
use crate::usage::usage;
use crate::warnings;

/// Samples in a common domain.
#[derive(Debug)]
pub(crate) struct Inputs {
    samples: Vec<Sample>,
    pub(crate) domain: Domain,
    /// Unit of length, where known.
    pub(crate) unit: Option<String>,
    /// Whether any distances come from redshifts.
    redshift_space: bool,
}

/// How a command wants its samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Only directions.
    pub(crate) angular: bool,
    /// Positions outside the box.
    pub(crate) outside: Outside,
}

/// The cosmology asked for.
fn cosmology(flags: &SpaceFlags) -> Result<Option<Cosmology>> {
    let Some(text) = &flags.cosmology else {
        return Ok(None);
    };
    let cosmology = text.parse().context("--cosmology")?;
    warnings::negative_lambda(&cosmology);
    Ok(Some(cosmology))
}

/// Refuses a cosmology that no sample has a use for.
fn check_cosmology(opened: &[Opened], reading: Reading<'_>) -> Result<()> {
    if reading.cosmology.is_none() || opened.iter().any(|o| o.place.is_redshift_space()) {
        return Ok(());
    }
    if reading.angular {
        tracing::info!("angles need positions on the sky only: --cosmology is not used");
        return Ok(());
    }
    let columns: Vec<String> = opened.iter().flat_map(|o| o.place.columns()).collect();
    Err(usage(format!(
        "--cosmology has no use: it turns redshifts into distances, and the positions come from {}; name the redshifts by --redshift, or leave it out",
        columns.join(", ")
    )))
}

/// Whether there are positions on the sky: they lie around the observer, and no periodic box holds them.
fn on_sky(opened: &[Opened], given: Option<BoxSpec>) -> Result<bool> {
    let Some(sky) = opened.iter().find(|opened| opened.place.is_sky()) else {
        return Ok(false);
    };
    if given.is_some_and(|space| space != BoxSpec::Open) {
        return Err(usage(format!(
            "--box has no meaning for positions on the sky ({} of {}): they lie around the observer, not in a periodic box; leave it out",
            sky.place.columns().join(", "),
            sky.path().display()
        )));
    }
    Ok(true)
}

/// The boxes that the files state, where they are of use.
fn boxes(samples: &[Sample], given: Option<BoxSpec>, on_sky: bool) -> Vec<&StatedBox> {
    let stated = samples.iter().filter_map(|s| s.stated_box.as_ref());
    let stated: Vec<_> = stated.collect();
    let (true, Some(first)) = (on_sky, stated.first()) else {
        return stated;
    };
    if given.is_none() {
        tracing::info!(
            "the box is not used ({}): positions on the sky lie around the observer",
            first.source
        );
    }
    Vec::new()
}

/// How many points lie outside the box as it was given.
fn outside(domain: &Domain, points: &Points) -> usize {
    let is_outside: Box<dyn Fn([f64; 3]) -> bool> = match domain {
        Domain::Open => return 0,
        Domain::Periodic(cell) => {
            let lengths = cell.lengths();
            Box::new(move |x| {
                let axes = x.into_iter().zip(lengths);
                axes.into_iter()
                    .any(|(x, length)| length.is_some_and(|l| !(0.0..l).contains(&x)))
            })
        }
        Domain::Triclinic(lattice) => {
            let [a, b, c] = lattice.vectors();
            let across = [cross(b, c), cross(c, a), cross(a, b)];
            let volume = dot(a, across[0]);
            Box::new(move |x| {
                let mut fractions = across.iter().map(|&across| dot(x, across) / volume);
                fractions.any(|fraction| !(0.0..1.0).contains(&fraction))
            })
        }
    };
    (0..points.len())
        .filter(|&row| is_outside(points.at(row)))
        .count()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Puts a sample into its domain; says how many positions lay outside, where they are wrapped.
fn place(domain: &Domain, sample: &mut Sample, unless: Outside) -> Result<()> {
    let particles = std::mem::take(&mut sample.particles);
    let wraps = unless == Outside::Wrap || matches!(domain, Domain::Triclinic(_));
    let wrapped = if wraps {
        outside(domain, particles.points())
    } else {
        0
    };
    let placed = domain.place(particles, unless);
    sample.particles = placed.with_context(|| hint(sample, unless))?;
    if wrapped > 0 {
        tracing::info!(
            "{}: {wrapped} of {} positions were outside the box and are wrapped into it",
            sample.role,
            sample.particles.len()
        );
    }
    if let (true, Some(record)) = (wraps && domain.is_periodic(), sample.record.as_object_mut()) {
        record.insert("wrapped".to_owned(), json!(wrapped));
    }
    Ok(())
}

impl Inputs {
    /// Reads all sources and notes in `record` what they are.
    pub(crate) fn read(
        sources: &[Source],
        flags: &SpaceFlags,
        wanted: Wanted,
        record: &mut Record,
    ) -> Result<Self> {
        let _reading = NothingToKeep::begin();
        let boxed = flags.space.is_some_and(|space| space != BoxSpec::Open);
        if wanted.angular && boxed {
            return Err(usage(
                "--box has no meaning for angles: --statistic theta sees directions only",
            ));
        }
        let cosmology = cosmology(flags)?;
        let reading = Reading {
            angular: wanted.angular,
            cosmology: cosmology.as_ref(),
        };
        let opened = sources.iter().map(|source| Opened::new(source, reading));
        let opened: Vec<Opened> = opened.collect::<Result<_>>()?;
        check_cosmology(&opened, reading)?;
        let redshift_space = opened.iter().any(|o| o.place.is_redshift_space());
        let on_sky = on_sky(&opened, flags.space)?;
        let mut samples = Vec::new();
        for opened in opened {
            samples.push(opened.read(reading)?);
            check_stop()?;
        }
        warnings::same_rows(&samples);
        let (domain, space) = if wanted.angular {
            resolve(None, &[])?
        } else {
            resolve(flags.space, &boxes(&samples, flags.space, on_sky))?
        };
        for sample in &mut samples {
            place(&domain, sample, wanted.outside)?;
        }
        let unit = unit(flags, &samples, wanted.angular)?;
        let records: Vec<Value> = samples.iter().map(|s| s.record.clone()).collect();
        record.set("samples", records);
        record.set("box", space);
        if let (Some(cosmology), true) = (&cosmology, redshift_space) {
            record.set("cosmology", serde_json::to_value(cosmology)?);
        }
        if let Some(unit) = &unit {
            record.set("unit", json!(unit));
        }
        Ok(Self {
            samples,
            domain,
            unit,
            redshift_space,
        })
    }

    /// The separation of redshifts is called s: r is that in real space.
    pub(crate) fn name_axes(&self, axes: &mut [BinAxis]) {
        for axis in axes {
            if self.redshift_space && axis.name == "r" {
                axis.name = "s";
            }
        }
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
        " (--wrap would wrap positions into the box, --box none would leave it out)"
    } else {
        ""
    };
    let of = match sample.record.get("where") {
        Some(_) => ", of the rows that --where keeps",
        None => "",
    };
    format!("{}{advice}{of}", sample.path.display())
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
