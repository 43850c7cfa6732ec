//! All samples of a command, read and placed in their domain.
//!
//! Entry: [`Inputs::read`].

use albireo::binning::BinAxis;
use albireo::cosmology::Cosmology;
use albireo::{Domain, Outside, Particles};
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

/// The boxes that the files state, where a box can hold the positions: those on the sky lie around the observer.
fn boxes<'a>(
    given: Option<BoxSpec>,
    samples: &'a [Sample],
    on_sky: Option<&str>,
) -> Result<Vec<&'a StatedBox>> {
    let stated: Vec<_> = samples
        .iter()
        .filter_map(|s| s.stated_box.as_ref())
        .collect();
    let Some(columns) = on_sky else {
        return Ok(stated);
    };
    if given.is_some_and(|space| space != BoxSpec::Open) {
        return Err(usage(format!(
            "--box has no meaning for positions on the sky ({columns}): they lie around the observer, not in a periodic box; leave it out"
        )));
    }
    if let (None, Some(stated)) = (given, stated.first()) {
        tracing::info!(
            "the box is not used ({}): positions on the sky lie around the observer",
            stated.source
        );
    }
    Ok(Vec::new())
}

/// Puts a sample into its domain; says how many positions that moved, where it may move any.
fn place(domain: &Domain, sample: &mut Sample, outside: Outside) -> Result<()> {
    let particles = std::mem::take(&mut sample.particles);
    let triclinic = matches!(domain, Domain::Triclinic(_));
    let wraps = domain.is_periodic() && (triclinic || outside == Outside::Wrap);
    let before = wraps.then(|| particles.points().clone());
    let placed = domain.place(particles, outside);
    sample.particles = placed.with_context(|| hint(sample, outside))?;
    let Some(before) = before else {
        return Ok(());
    };
    let after = sample.particles.points();
    let wrapped = (0..after.len())
        .filter(|&row| after.at(row) != before.at(row))
        .count();
    if wrapped > 0 {
        let cell = if triclinic { "reduced cell" } else { "box" };
        tracing::info!(
            "{}: {wrapped} of {} positions were outside the {cell} and are wrapped into it",
            sample.role,
            after.len()
        );
    }
    if let Some(record) = sample.record.as_object_mut() {
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
        let on_sky = opened.iter().find(|o| o.place.is_sky());
        let on_sky =
            on_sky.map(|o| format!("{} of {}", o.place.columns().join(", "), o.path().display()));
        let mut samples = Vec::new();
        for opened in opened {
            samples.push(opened.read(reading)?);
            check_stop()?;
        }
        warnings::same_rows(&samples);
        let (domain, space) = if wanted.angular {
            resolve(None, &[])?
        } else {
            let stated = boxes(flags.space, &samples, on_sky.as_deref())?;
            resolve(flags.space, &stated)?
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
