//! Who acts: charges or masses at positions, from a catalogue, a PQR file, or positions with a topology.

use std::path::Path;

use albireo::{Domain, Lattice, Outside, Particles, PeriodicBox, Points};
use albireo_catalogs::{
    Attribute, Cell, TrajectoryRequest, open_topology, open_trajectory, read_pqr,
};
use albireo_samples::{BoxSpec, Selection, Source, Unit};
use anyhow::{Context, Result};

use super::Field;
use super::kernel::{KernelFlags, KernelName};
use crate::inputs::{Call, Wanted};
use crate::progress::{NothingToKeep, stop_reading};
use crate::record::Record;
use crate::usage::usage;

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

/// Refuses another unit of length than the one that positions are in.
fn check_unit(flags: &Field, stated: Option<&str>) -> Result<()> {
    let (Some(asked), Some(stated)) = (flags.space.unit.as_deref(), stated) else {
        return Ok(());
    };
    let read = |text: &str| text.parse::<Unit>().ok();
    if asked == stated || read(asked).is_some_and(|unit| read(stated) == Some(unit)) {
        return Ok(());
    }
    let file = flags.file.display();
    Err(usage(format!(
        "--unit {asked}: lengths in {file} are in {stated}, and field converts none"
    )))
}

impl Sources {
    /// Reads them as the flags say.
    pub(super) fn read(flags: &Field, call: &mut Call<'_>, record: &mut Record) -> Result<Self> {
        let is_pqr = flags
            .file
            .extension()
            .is_some_and(|extension| extension == "pqr");
        if !is_pqr && flags.topology.is_none() {
            return Self::of_catalogue(flags, call, record);
        }
        if Selection::from(flags.columns.clone()).any() {
            return Err(usage(
                "flags about columns and rows are for catalogues, not for PQR files and topologies",
            ));
        }
        let _reading = NothingToKeep::begin();
        record.set("file", flags.file.display().to_string());
        match &flags.topology {
            Some(topology) if is_pqr => {
                let topology = topology.display();
                Err(usage(format!(
                    "--topology {topology}: a PQR file has its own charges"
                )))
            }
            Some(topology) => Self::of_topology(flags, topology, record),
            None => {
                check_unit(flags, Some("Angstrom"))?;
                let pqr = read_pqr(&flags.file, &stop_reading())?;
                let [x, y, z] = pqr.positions;
                let points = Points::new(x, y, z)?;
                Self::placed(
                    flags,
                    points,
                    pqr.charges,
                    None,
                    Some("Angstrom".to_owned()),
                )
            }
        }
    }

    fn of_catalogue(flags: &Field, call: &mut Call<'_>, record: &mut Record) -> Result<Self> {
        let selection = Selection::from(flags.columns.clone()).resolved();
        let selection = with_parameters(selection, &flags.kernel)?;
        if flags.kernel.needs_charges() && selection.weight.is_none() {
            return Err(usage(
                "--weight: name the column of the charges of a coulomb potential",
            ));
        }
        let sources = [Source {
            role: "data".to_owned(),
            paths: vec![flags.file.clone()],
            selection: Selection {
                signed: true,
                ..selection
            },
        }];
        let wanted = Wanted {
            angular: false,
            outside: if flags.space.wrap {
                Outside::Wrap
            } else {
                Outside::Refuse
            },
            regions: None,
        };
        let samples = call.kept.read(&sources, &flags.space, wanted, record)?;
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

    /// The first frame with the charges of a topology.
    fn of_topology(flags: &Field, topology: &Path, record: &mut Record) -> Result<Self> {
        record.set("topology", topology.display().to_string());
        let mut trajectory =
            open_trajectory(&flags.file, &TrajectoryRequest::default(), stop_reading())?;
        let frame = trajectory.next_frame()?;
        let frame =
            frame.with_context(|| format!("{}: it holds no frame", flags.file.display()))?;
        let atoms = open_topology(topology, stop_reading())?;
        if atoms.len() != frame.len() {
            anyhow::bail!(
                "{} has {} atoms, {} has {}: they must be the same",
                topology.display(),
                atoms.len(),
                flags.file.display(),
                frame.len()
            );
        }
        let charges = match atoms.get("charge") {
            Some(Attribute::Numbers(charges)) => charges.clone(),
            _ => anyhow::bail!("{}: it holds no charges", topology.display()),
        };
        let [x, y, z] = frame.positions;
        let unit = trajectory.unit().map(str::to_owned);
        if trajectory.states_unit() {
            check_unit(flags, unit.as_deref())?;
        }
        Self::placed(
            flags,
            Points::new(x, y, z)?,
            charges,
            frame.cell.as_ref(),
            unit,
        )
    }

    /// Places sources in the box of the flags: open space unless they say otherwise.
    fn placed(
        flags: &Field,
        points: Points,
        strengths: Vec<f64>,
        cell: Option<&Cell>,
        unit: Option<String>,
    ) -> Result<Self> {
        let domain = match flags.space.space {
            None | Some(BoxSpec::Open) => Domain::Open,
            Some(BoxSpec::Lengths(lengths)) => {
                Domain::Periodic(PeriodicBox::new(lengths).context("--box")?)
            }
            Some(BoxSpec::Vectors(vectors)) => {
                Domain::Triclinic(Lattice::new(vectors).context("--box")?)
            }
            Some(BoxSpec::File) => {
                let none = || format!("--box file: {} states no box", flags.file.display());
                let cell = cell.with_context(none)?;
                match cell.lengths() {
                    Some(lengths) => {
                        Domain::Periodic(PeriodicBox::new(lengths.map(Some)).context("--box file")?)
                    }
                    None => Domain::Triclinic(Lattice::new(cell.vectors()).context("--box file")?),
                }
            }
        };
        let n = points.len();
        let [strengths, sigma] = match flags.kernel.kernel {
            KernelName::Lj => {
                let both = [&flags.kernel.epsilon, &flags.kernel.sigma];
                let [epsilon, sigma] = both.map(|given| constant(given.as_ref(), n));
                let both = epsilon.zip(sigma).ok_or_else(|| {
                    usage("--epsilon, --sigma: lj needs both as numbers for PQR files and topologies, which hold none")
                })?;
                both.into()
            }
            _ => [strengths, vec![]],
        };
        // Files of molecules lie about their box in any way: they are wrapped, as trajectories are.
        let placed = domain.place(Particles::new(points), Outside::Wrap)?;
        Ok(Self {
            points: placed.points().clone(),
            strengths,
            sigma,
            domain,
            unit: flags.space.unit.clone().or(unit),
        })
    }
}
