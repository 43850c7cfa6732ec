//! The flags of trajectories, and what they ask of a reader of frames.
//!
//! Entry: [`FrameFlags`]. Nothing here opens a trajectory.

use std::num::{NonZeroU16, NonZeroU64};
use std::path::PathBuf;
use std::sync::Arc;

use albireo::{Axis, Edges, LineOfSight, RpPiBins};
use albireo_catalogs::Stop;
use albireo_catalogs::{Filter, TrajectoryRequest, open_topology};
use albireo_fluids::BoxCorrection;
use albireo_samples::{Exclusion, FrameRange, FrameReading, Given, Selection, Species};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use crate::args::{AxisName, SpaceFlags, mirrors};
use crate::cuts::ExclusionFlags;
use crate::edges::EdgeSpec;
use crate::every::SavedAt;
use crate::group;
use crate::paths::{ReadFile, WrittenFile};
use crate::usage::{first_given, refuse_given, usage};

/// The axes of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Plane {
    /// Normal to z.
    Xy,
    /// Normal to y.
    Xz,
    /// Normal to x.
    Yz,
}

impl Plane {
    /// The axis that is left out.
    pub(super) fn normal(self) -> Axis {
        match self {
            Self::Xy => Axis::Z,
            Self::Xz => Axis::Y,
            Self::Yz => Axis::X,
        }
    }
}

/// What g(r) is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum NormName {
    /// Pairs that could be counted: an ideal gas gives 1, also with excluded pairs.
    #[value(alias = "pairs")]
    Ideal,
    /// N*N/2 or Na*Nb, as in GROMACS, freud and `MDAnalysis`.
    N2,
    /// Mean densities, for numbers that change.
    #[value(alias = "gc")]
    MeanDensity,
    /// The density of the second species around the first.
    #[value(alias = "density")]
    Neighbours,
    /// Pairs as they were counted.
    #[value(alias = "none")]
    Counts,
}

/// How Kirkwood-Buff integrals are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KirkwoodBuffName {
    /// g as it is.
    Plain,
    /// For the finite number of particles of the box.
    Box,
}

mirrors!(KirkwoodBuffName => BoxCorrection { Plain = None, Box = GangulyVanDerVegt });

/// How errors are found from blocks of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BlockErrorName {
    /// The scatter of a few blocks.
    Blocks,
    /// Blocks of doubling length, up to where their errors no longer grow (Flyvbjerg & Petersen 1989).
    Plateau,
}

/// A condition with a name.
#[derive(Debug, Clone)]
pub(super) struct NamedCondition {
    name: String,
    text: String,
    filter: Filter,
}

/// Reads `NAME=CONDITION`.
fn named_condition(text: &str) -> Result<NamedCondition, String> {
    let (name, condition) = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty() && !name.contains(['<', '>', '!', ',', '(']))
        .ok_or_else(|| {
            format!("expected NAME=CONDITION, such as 'solute=resname == \"LIG\"', found `{text}`")
        })?;
    let filter = Filter::parse(condition.trim()).map_err(|error| error.to_string())?;
    Ok(NamedCondition {
        name: name.trim().to_owned(),
        text: condition.trim().to_owned(),
        filter,
    })
}

/// Which frames, which particles of them and which pairs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::FRAMES)]
pub(super) struct FrameFlags {
    /// Topology: names, masses, bonds (PSF, PDB, GRO, ..)
    ///
    /// Of particles whose trajectory has none; any trajectory can be one.
    #[arg(long, short = 's', visible_alias = "top", value_name = "FILE")]
    pub(super) topology: Option<ReadFile>,
    /// Frames START:STOP:STEP, counted from 0, e.g. `100:1000:10` or `::10`
    ///
    /// Over all files; `100:` is from frame 100 on.
    #[arg(long, value_name = "RANGE")]
    frames: Option<FrameRange>,
    /// Column whose values are species, all pairs of which are counted; `none`: all particles are alike
    ///
    /// [default: the first of species, element, type and name that has at most 64 values, in any format]
    #[arg(long, value_name = "COLUMN")]
    species: Option<String>,
    /// Named group by a condition, e.g. 'ion=element in ("Na", "Cl")'
    ///
    /// Instead of --species; groups may share particles.
    #[arg(long, value_name = "NAME=CONDITION", value_parser = named_condition, conflicts_with = "species")]
    select: Vec<NamedCondition>,
    /// Evaluate the conditions of --select and --where again in every frame [default: once, in the first]
    #[arg(long)]
    pub(super) update: bool,
    /// Pairs of species to count, e.g. O-O,O-H [default: all]
    #[arg(long, value_name = "A-B,..", value_delimiter = ',')]
    pub(super) pairs: Vec<String>,
    /// Count centres of mass of particles with the same value in this column, e.g. molecule; needs masses
    #[arg(long, value_name = "COLUMN")]
    centres: Option<String>,
    /// Exclude pairs with up to N bonds between them, 2 for 1-3 pairs
    ///
    /// 1 for bonded pairs. Needs bonds, of the file or of --topology.
    #[arg(long = "exclude-bonded", alias = "bonded", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4), help_heading = group::EXCLUDED)]
    bonded: Option<u32>,
    /// Count in a plane: g(r) of the positions projected on it
    #[arg(long, help_heading = group::BINS)]
    pub(super) plane: Option<Plane>,
    /// Count g(rho, z) across and along this axis instead, for pores and membranes
    ///
    /// --r-max and --n-bins, or --bins, are then of rho.
    #[arg(long, value_name = "AXIS", requires = "heights", conflicts_with_all = ["plane", "kirkwood_buff", "structure", "p_of_r", "total_g"], help_heading = group::BINS)]
    cylinder: Option<AxisName>,
    /// Bins in |z|, the distance along the axis of --cylinder, e.g. lin:0:15:60
    #[arg(long, value_name = "SPEC", requires = "cylinder", help_heading = group::BINS)]
    heights: Option<EdgeSpec>,
    /// Normalisation of g(r) [default: ideal]
    #[arg(long, value_name = "NORM", help_heading = group::ERRORS)]
    pub(super) norm: Option<NormName>,
    /// Add the potential of mean force, -ln g in units of kT
    #[arg(long, help_heading = group::OUTPUT)]
    pub(super) pmf: bool,
    /// Add Kirkwood-Buff integrals up to each edge, finite-volume form, of g normalised by n2
    ///
    /// That of Krueger & Vlugt 2018, which tends to the integral of an endless fluid. `box`: corrected for the box (Ganguly & van der Vegt 2013).
    #[arg(long, value_name = "CORRECTION", num_args = 0..=1, require_equals = true, default_missing_value = "plain", help_heading = group::OUTPUT)]
    pub(super) kirkwood_buff: Option<KirkwoodBuffName>,
    /// Also write the counts and g(r) of blocks of frames: CSV, ECSV, FITS, HDF5, JSON or Parquet
    #[arg(long, value_name = "FILE", help_heading = group::OUTPUT)]
    pub(super) block_counts: Option<WrittenFile>,
    /// Frames of a block in --block-counts, e.g. 10 [default: 1]
    #[arg(long, value_name = "N", requires = "block_counts", help_heading = group::OUTPUT)]
    pub(super) block: Option<NonZeroU64>,
    /// Blocks of consecutive frames whose scatter is `g_block_error` [default: 5]
    ///
    /// As even as possible; single frames where there are fewer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1024), help_heading = group::ERRORS)]
    blocks: Option<u16>,
    /// How `g_block_error` is computed: scatter of --blocks, or the plateau of errors [default: blocks]
    ///
    /// The plateau is of blocks of doubling length, for hundreds of frames.
    #[arg(long, value_name = "METHOD", help_heading = group::ERRORS)]
    block_error: Option<BlockErrorName>,
    #[command(flatten)]
    pub(super) saved: SavedAt,
    /// Frames that each GPU counts side by side [default: 2 large ones to 8 small ones]
    #[arg(long, value_name = "N", help_heading = group::TUNING)]
    pub(super) frames_per_device: Option<NonZeroU16>,
    /// Column of frame numbers, of tables [default: frame]
    #[arg(long, value_name = "COLUMN")]
    frame_column: Option<String>,
    /// Second table with the box of each frame, of tables [default: NAME.box.parquet beside NAME.parquet]
    #[arg(long, value_name = "FILE")]
    pub(super) box_table: Option<ReadFile>,
}

impl FrameFlags {
    /// The first of the flags that has a meaning for trajectories alone.
    pub(super) fn given(&self) -> Option<&'static str> {
        first_given(&[
            (self.topology.is_some(), "--topology"),
            (self.frames.is_some(), "--frames"),
            (self.species.is_some(), "--species"),
            (!self.select.is_empty(), "--select"),
            (self.update, "--update"),
            (!self.pairs.is_empty(), "--pairs"),
            (self.centres.is_some(), "--centres"),
            (self.bonded.is_some(), "--exclude-bonded"),
            (self.plane.is_some(), "--plane"),
            (self.cylinder.is_some(), "--cylinder"),
            (self.norm.is_some(), "--norm"),
            (self.pmf, "--pmf"),
            (self.kirkwood_buff.is_some(), "--kirkwood-buff"),
            (self.block_counts.is_some(), "--block-counts"),
            (self.blocks.is_some(), "--blocks"),
            (self.block_error.is_some(), "--block-error"),
            (self.saved.path().is_some(), "--checkpoint"),
            (self.frames_per_device.is_some(), "--frames-per-device"),
            (self.frame_column.is_some(), "--frame-column"),
            (self.box_table.is_some(), "--box-table"),
        ])
    }

    /// Refuses flags of files alone, and those of tables for frames that are no table.
    pub(super) fn check_in_memory(&self, given: &Given) -> Result<()> {
        let is_table = given.frames().is_none();
        let of_files = [
            (self.saved.path().is_some(), "--checkpoint"),
            (self.frame_column.is_some() && !is_table, "--frame-column"),
            (self.box_table.is_some() && !is_table, "--box-table"),
        ];
        refuse_given(&of_files, |flag| {
            format!("{flag} is for files, and the frames lie in memory")
        })
    }

    /// How many blocks errors are the scatter of.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.map_or(5, usize::from)
    }

    /// Warns of blocks that so many frames cannot fill.
    pub(super) fn warn_of_few_frames(&self, frames: u64) {
        let asked = [
            ("--blocks", self.blocks.map(u64::from), "blocks"),
            (
                "--block",
                self.block.map(NonZeroU64::get),
                "frames in a block",
            ),
        ];
        for (flag, asked, of_what) in asked {
            if let Some(asked) = asked.filter(|asked| *asked > frames) {
                let plural = if frames == 1 { "" } else { "s" };
                tracing::warn!(
                    "{flag} {asked}: {frames} frame{plural} cannot make {asked} {of_what}"
                );
            }
        }
    }

    /// Whether anything is asked about errors of blocks.
    pub(super) fn errors_asked(&self) -> bool {
        self.blocks.is_some() || self.block_error.is_some()
    }

    /// Whether errors of blocks are those of a plateau.
    pub(super) fn is_plateau(&self) -> bool {
        self.block_error == Some(BlockErrorName::Plateau)
    }

    /// The flag that excludes pairs by bonds, where it is given.
    pub(super) fn bonded(&self) -> Option<&'static str> {
        self.bonded.map(|_| "--exclude-bonded")
    }

    /// The column of molecules that are counted as their centres.
    pub(super) fn centres(&self) -> Option<&str> {
        self.centres.as_deref()
    }

    /// How many bonds the pairs that are left out have between them at most.
    pub(super) fn bonds_between(&self) -> Option<u32> {
        self.bonded
    }

    /// Which particles are counted as what, for the record.
    pub(super) fn selections(&self) -> Map<String, Value> {
        let mut entries = Map::new();
        if !self.select.is_empty() {
            let named = self.select.iter();
            let named = named.map(|one| (one.name.clone(), one.text.as_str().into()));
            entries.insert("select".to_owned(), Value::Object(named.collect()));
        }
        if self.update {
            entries.insert("update".to_owned(), true.into());
        }
        if let Some(column) = &self.centres {
            entries.insert("centres".to_owned(), column.as_str().into());
        }
        entries
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self) -> Result<()> {
        if self.is_plateau() && self.blocks.is_some() {
            return Err(usage(
                "--blocks is for --block-error blocks: a plateau is found from blocks of all lengths",
            ));
        }
        let norm = match self.norm {
            Some(NormName::Neighbours) => "neighbours",
            Some(NormName::Counts) => "counts",
            _ => return Ok(()),
        };
        if self.pmf {
            return Err(usage(format!(
                "--pmf is -ln g, and --norm {norm} gives no g: leave it out, or use ideal, n2 or mean-density"
            )));
        }
        Ok(())
    }

    /// Whether bins are of (rho, |z|).
    pub(super) fn is_cylinder(&self) -> bool {
        self.cylinder.is_some()
    }

    /// Bins in (rho, |z|) with these edges of rho, if they are asked for.
    pub(super) fn cylinders(&self, rho: &Edges) -> Result<Option<RpPiBins>> {
        let (Some(axis), Some(heights)) = (self.cylinder, &self.heights) else {
            return Ok(None);
        };
        let z = heights.signed().context("--heights")?;
        if z.values().first().is_some_and(|lowest| *lowest < 0.0) {
            return Err(usage(
                "--heights are distances along the axis, of both signs together: they begin at 0 or above",
            ));
        }
        let los = LineOfSight::Fixed(axis.into());
        let bins = RpPiBins::new(rho.clone(), z, los).context("--heights")?;
        Ok(Some(bins))
    }

    /// The first flag whose result is a density or made of one.
    pub(super) fn needs_density(&self) -> Option<&'static str> {
        match self.norm {
            Some(NormName::MeanDensity) => Some("--norm mean-density"),
            Some(NormName::Neighbours) => Some("--norm neighbours"),
            _ => self.kirkwood_buff.map(|_| "--kirkwood-buff"),
        }
    }

    /// What trajectories are asked for.
    pub(super) fn request(&self, selection: &Selection) -> Result<TrajectoryRequest> {
        let positions = match selection.positions.as_deref() {
            None => None,
            Some([x, y, z]) => Some([x.clone(), y.clone(), z.clone()]),
            Some(other) => {
                return Err(usage(format!(
                    "--positions takes three columns of a trajectory, found {}",
                    other.len()
                )));
            }
        };
        Ok(TrajectoryRequest {
            lacking: None,
            table: selection.table.clone(),
            frame: self.frame_column.clone(),
            positions,
            boxes: self.box_table.clone().map(PathBuf::from),
            velocities: false,
            undivided: false,
        })
    }

    /// Which frames.
    pub(super) fn range(&self) -> FrameRange {
        self.frames.unwrap_or_default()
    }

    /// The names in --pairs, two for each pair.
    pub(super) fn pair_names(&self) -> Result<Vec<[String; 2]>> {
        let names = |pair: &String| {
            let parts: Vec<&str> = pair.split('-').map(str::trim).collect();
            // Species such as Cl- end with the sign that stands between two of them.
            let split = match parts[..] {
                [a, b] if !a.is_empty() && !b.is_empty() => Some((a, b)),
                _ => pair
                    .trim()
                    .split_once("--")
                    .or_else(|| pair.trim().split_once(':'))
                    .filter(|(a, b)| !a.is_empty() && !b.is_empty()),
            };
            let (a, b) = split.ok_or_else(|| {
                usage(format!(
                    "--pairs: expected two species, such as O-H (or Na+:Cl- where names have signs), found `{pair}`"
                ))
            })?;
            Ok([a.to_owned(), b.to_owned()])
        };
        self.pairs.iter().map(names).collect()
    }

    /// How frames become particles.
    pub(super) fn reading(
        &self,
        selection: &Selection,
        space: &SpaceFlags,
        excluded: &ExclusionFlags,
        stop: Stop,
    ) -> Result<FrameReading> {
        if let Some(flag) = of_samples(selection, space) {
            return Err(usage(format!("{flag} has no meaning for a trajectory")));
        }
        let filter = selection.filter.as_deref().map(Filter::parse);
        let topology = self.topology.as_deref();
        let topology = topology.map(|path| open_topology(path, stop.clone()));
        let mut left_out = Vec::new();
        left_out.extend(excluded.group.clone().map(Exclusion::Within));
        left_out.extend(excluded.listed()?.map(Exclusion::Listed));
        left_out.extend(self.bonded.map(Exclusion::Bonded));
        let species = match (&self.species, &self.select[..]) {
            (Some(column), _) if column == "none" => Species::Alike,
            (Some(column), _) => Species::Column(column.clone()),
            (None, []) => Species::Usual,
            (None, conditions) => {
                let pairs = conditions
                    .iter()
                    .map(|c| (c.name.clone(), c.filter.clone()));
                Species::Conditions(pairs.collect())
            }
        };
        Ok(FrameReading {
            request: self.request(selection)?,
            range: self.range(),
            topology: topology.transpose().context("--topology")?.map(Arc::new),
            species,
            more_species: self.pair_names()?.into_iter().flatten().collect(),
            filter: filter.transpose().context("--where")?,
            columns: Vec::new(),
            identities: Vec::new(),
            update: self.update,
            centres: self.centres.clone(),
            excluded: left_out,
            space: space.space,
            unit: space.unit.clone(),
            flat: self.plane.map(Plane::normal),
            stop,
        })
    }
}

/// The first flag that samples have and frames of particles in boxes have not.
pub(super) fn of_samples(selection: &Selection, space: &SpaceFlags) -> Option<&'static str> {
    first_given(&[
        (selection.sky.is_some(), "--sky"),
        (selection.distance.is_some(), "--distance"),
        (selection.redshift.is_some(), "--redshift"),
        (selection.weight.is_some(), "--weight"),
        (selection.bits.is_some(), "--bits"),
        (
            selection.rows != albireo_samples::RowRange::default(),
            "--rows and --every",
        ),
        (space.cosmology.is_some(), "--cosmology"),
        (space.partial_set, "--partial-set"),
        (!space.columns.ignore_units.is_empty(), "--ignore-units"),
        (space.columns.redshift_unit.is_some(), "--redshift-unit"),
    ])
}
