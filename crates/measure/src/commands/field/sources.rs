//! The sources of a field: charges or masses at positions, from a catalogue, a frame of a trajectory or structure, or a PQR file.

use albireo_catalogs::Stop;
use std::path::Path;
use std::sync::Arc;

use albireo::{Domain, Points};
use albireo_catalogs::{Attribute, Filter, open_topology, read_pqr, trajectory_format};
use albireo_samples::{BoxSpec, FrameReading, Given, GivenFrames, OneFrame, Selection, Source};
use anyhow::{Context, Result};

use super::Field;
use super::kernel::{KernelFlags, KernelName};
use crate::inputs::say;
use crate::kept::Wanted;
use crate::record::Record;
use crate::session::Session;
use crate::usage::usage;
use crate::watch::Loss;

/// The sources in their domain.
pub(super) struct Sources {
    pub(super) points: Points,
    pub(super) strengths: Vec<f64>,
    /// Sigma of each, of Lennard-Jones sources alone; their strengths are then epsilon.
    pub(super) sigma: Vec<f64>,
    pub(super) domain: Domain,
    /// The unit of length, where it is known.
    pub(super) unit: Option<String>,
}

/// The number that a flag gives to all sources, if it is one.
fn constant(given: Option<&String>, n: usize) -> Option<Vec<f64>> {
    let value: f64 = given?.parse().ok()?;
    Some(vec![value; n])
}

/// The columns of epsilon and sigma, where they are none of one number, as two sets of weights.
fn with_parameters(selection: Selection, kernel: &KernelFlags) -> Result<Selection> {
    if kernel.kernel != KernelName::Lj {
        return Ok(selection);
    }
    let (Some(epsilon), Some(sigma)) = (&kernel.epsilon, &kernel.sigma) else {
        return Err(usage(
            "--epsilon, --sigma: lj needs both, numbers or columns of the sources",
        ));
    };
    if selection.weight.is_some() {
        return Err(usage("--weight: lj takes --epsilon and --sigma instead"));
    }
    let column = |given: &String| given.parse::<f64>().is_err().then(|| given.clone());
    let sigma = column(sigma);
    Ok(Selection {
        weight: column(epsilon),
        further_weights: if sigma.is_some() { vec![sigma] } else { vec![] },
        ..selection
    })
}

/// Whether a file holds frames of molecules, not the table of a catalogue.
fn holds_frames(path: &Path, stop: Stop) -> bool {
    let format = trajectory_format(path, stop).ok().flatten();
    format.is_some_and(|format| !format.is_catalogue())
}

/// The atoms of a PQR file as one frame.
fn frame_of_pqr(path: &Path, stop: &Stop) -> Result<Given> {
    let pqr = read_pqr(path, stop)?;
    let n = pqr.charges.len();
    let frames = GivenFrames::new(pqr.positions.map(Into::into), vec![n])?
        .with_column("charge", Attribute::Numbers(pqr.charges))?
        .with_column("radius", Attribute::Numbers(pqr.radii))?;
    Ok(Given::of_frames(
        frames.in_unit(Some("Angstrom".to_owned())),
    ))
}

impl Sources {
    /// Reads them as the flags say.
    pub(super) fn read(
        flags: &Field,
        session: &mut Session<'_>,
        record: &mut Record,
    ) -> Result<Self> {
        let is_pqr = flags
            .file
            .extension()
            .is_some_and(|extension| extension == "pqr");
        let of_frames = flags.topology.is_some() || flags.frame.is_some();
        if !is_pqr && !of_frames && !holds_frames(&flags.file, session.watch.stop()) {
            return Self::of_catalogue(flags, session, record);
        }
        let _reading = session.watch.during(Loss::Nothing);
        record.set("file", flags.file.display().to_string());
        if let (Some(topology), true) = (&flags.topology, is_pqr) {
            let topology = topology.display();
            return Err(usage(format!(
                "--topology {topology}: a PQR file has its own charges"
            )));
        }
        Self::of_frame(flags, is_pqr, (record, session.watch.stop()))
    }

    fn of_catalogue(flags: &Field, session: &mut Session<'_>, record: &mut Record) -> Result<Self> {
        let selection = Selection::from(flags.columns.clone()).resolved();
        let selection = with_parameters(selection, &flags.kernel)?;
        if flags.kernel.needs_charges() && selection.weight.is_none() {
            return Err(usage(
                "--weight: name the column of the charges of a coulomb potential",
            ));
        }
        let sources = [Source {
            role: "data".to_owned(),
            paths: vec![flags.file.to_path_buf()],
            selection: Selection {
                signed: true,
                ..selection
            },
        }];
        let wanted = Wanted {
            angular: false,
            outside: flags.space.outside(),
            regions: None,
            classes: None,
            rsd: None,
        };
        let samples = session.read(&sources, &flags.space, wanted, record)?;
        let data = samples.get("data")?;
        let set = |set: usize| match data.weights_of_set(set) {
            albireo::Weights::Unit => vec![1.0; data.len()],
            albireo::Weights::PerParticle(weights) => weights.iter().collect(),
        };
        let [strengths, sigma] = match flags.kernel.kernel {
            KernelName::Lj => [
                constant(flags.kernel.epsilon.as_ref(), data.len()).unwrap_or_else(|| set(0)),
                constant(flags.kernel.sigma.as_ref(), data.len()).unwrap_or_else(|| set(1)),
            ],
            _ => [set(0), vec![]],
        };
        Ok(Self {
            points: data.points().clone(),
            strengths,
            sigma,
            domain: samples.domain().clone(),
            unit: samples.unit().map(str::to_owned),
        })
    }

    /// One frame, with what its file or a topology says of the particles.
    fn of_frame(flags: &Field, is_pqr: bool, (record, stop): (&mut Record, Stop)) -> Result<Self> {
        let selection = Selection::from(flags.columns.clone()).resolved();
        let of_frames = Selection {
            weight: selection.weight.clone(),
            filter: selection.filter.clone(),
            ..Selection::default()
        };
        if selection != of_frames {
            return Err(usage(format!(
                "{} is no catalogue: of the flags about columns and rows it takes --weight and --where alone",
                flags.file.display()
            )));
        }
        let selection = with_parameters(selection, &flags.kernel)?;
        let further = selection.further_weights.iter().flatten();
        let topology = flags.topology.as_deref();
        if let Some(path) = topology {
            record.set("topology", path.display().to_string());
        }
        let topology = topology.map(|path| open_topology(path, stop.clone()));
        let filter = selection.filter.as_deref().map(Filter::parse);
        let number = flags.frame.unwrap_or_default();
        let reading = FrameReading {
            range: number.to_string().parse()?,
            topology: topology.transpose().context("--topology")?.map(Arc::new),
            filter: filter.transpose().context("--where")?,
            columns: selection.weight.iter().chain(further).cloned().collect(),
            // Molecules lie in open space unless their box is asked for.
            space: Some(flags.space.space.unwrap_or(BoxSpec::Open.into())),
            unit: flags.space.unit.clone(),
            stop: stop.clone(),
            ..FrameReading::default()
        };
        let frame = if is_pqr {
            reading.one_given(&frame_of_pqr(&flags.file, &stop)?, &flags.file)?
        } else {
            record.set("frame", number);
            reading.one(&flags.file)?
        };
        frame.notices().iter().for_each(say);
        if let (None, Some(stated)) = (flags.space.space, frame.unused_box()) {
            tracing::warn!(
                "{}: the box that it states, {stated}, is not used: --box file sums over nearest images in it, --box none says that space is open",
                flags.file.display()
            );
        }
        let columns = strengths(selection, flags, &frame)?;
        let asked: Vec<String> = columns.iter().flatten().cloned().collect();
        let mut found = frame.columns(&asked)?;
        let n = found.points.len();
        let mut values = std::mem::take(&mut found.columns).into_iter();
        let [strengths, sigma] = columns.map(|column| column.and_then(|_| values.next()));
        let given = |flag: &Option<String>| constant(flag.as_ref(), n);
        let ones = || vec![1.0; n];
        let is_lj = flags.kernel.kernel == KernelName::Lj;
        Ok(Self {
            points: found.points,
            strengths: strengths
                .or_else(|| given(&flags.kernel.epsilon))
                .unwrap_or_else(ones),
            sigma: sigma
                .or_else(|| given(&flags.kernel.sigma))
                .filter(|_| is_lj)
                .unwrap_or_default(),
            domain: found.domain,
            unit: frame.unit().map(str::to_owned),
        })
    }
}

/// The columns of a frame that strengths and sigma come from: those named, else the charges of a potential of charges and the masses of
/// gravity.
fn strengths(selection: Selection, flags: &Field, frame: &OneFrame) -> Result<[Option<String>; 2]> {
    let usual = match flags.kernel.kernel {
        KernelName::Lj => {
            let sigma = selection.further_weights.into_iter().next().flatten();
            return Ok([selection.weight, sigma]);
        }
        KernelName::Gravity => Some("mass"),
        _ if flags.kernel.needs_charges() => Some("charge"),
        _ => None,
    };
    let found = usual.filter(|column| frame.has(column)).map(str::to_owned);
    if selection.weight.is_none() && found.is_none() && flags.kernel.needs_charges() {
        let file = match &flags.topology {
            Some(topology) => topology.display(),
            None => flags.file.display(),
        };
        anyhow::bail!(
            "{file}: it holds no charges: give a file that does by --topology (PSF), or charges of kinds by --weight, e.g. --weight '0.4*(name != \"OW\") - 0.8*(name == \"OW\")'"
        );
    }
    let strengths = selection.weight.or(found);
    let named = strengths
        .as_deref()
        .unwrap_or("1 each (--weight for others)");
    tracing::info!("strengths of the sources: {named}");
    Ok([strengths, None])
}
