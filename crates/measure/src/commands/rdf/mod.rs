//! `albireo rdf`: g(r) and n(r) of particles.

use std::sync::Arc;

use albireo::counts::excluded_pairs;
use albireo::error::JobError;
use albireo::{Bins, Counts, Domain, Edges, Outside, Pairs, RBins};
use albireo_catalogs::{Filter, ResultKind, TableColumn};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};
use anyhow::{Context, Result, anyhow};
use clap::Args;

mod bins;
mod checkpoint;
mod flags;
mod frames;
mod named;
mod provenance;
mod sample_sums;
mod scattering;
mod structure;
mod sums;
mod tables;
mod times;
mod trajectory;
mod undefined;
mod van_hove;
mod walls;
mod weights;

use std::path::Path;

use albireo_samples::{Given, Held, Notice, Samples, Selection, held, held_given};

use self::bins::RMax;
use self::flags::FrameFlags;
use self::sample_sums::SampleSums;
use self::structure::StructureFlags;
use self::sums::SumFlags;
use self::times::TimeFlags;
use self::trajectory::randoms_space;
use self::walls::{Randoms, WallFlags, check_within, say_other_sizes};
use super::pairs::PairFlags;
use crate::catalogs::Files;
use crate::counting::Counter;
use crate::cuts::ExclusionFlags;
use crate::edges::EdgeSpec;
use crate::engine::Engines;
use crate::group;
use crate::inputs::say;
use crate::kept::Wanted;
use crate::named_count::NamedCount;
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::tables::{count_columns, edge_columns};
use crate::usage::usage;
use crate::watch::Watch;

/// Arguments of `rdf`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Rdf {
    /// Particles or a trajectory (XTC, TRR, DCD, GRO, PDB, XYZ, ..); several, or a quoted pattern
    ///
    /// Trajectories: XTC, TRR, DCD, `NetCDF`, GSD, H5MD, `MDTraj`, CADISHI, LAMMPS, XYZ, GRO, PDB, and tables with a column `frame`; catalogues:
    /// FITS, Parquet, HDF5, ECSV or delimited text.
    data: Files,
    /// Other particles around the first; or a trajectory, the first file being its topology
    ///
    /// [default: the first file, where a --cross flag selects a part] Topologies: GRO, PDB, PSF.
    second: Option<Files>,
    /// Other particles, as by their place: g(r) of these around those of DATA
    #[arg(long, value_name = "FILE", conflicts_with = "second")]
    cross: Option<Files>,
    /// Largest separation, e.g. 10 [default: `half`, half the smallest box]
    ///
    /// Of the boxes of all frames. In the unit of the positions, at most half the box unless --beyond-half is given. For `half` trajectories
    /// whose boxes may change are read twice.
    #[arg(long, value_name = "R", help_heading = group::BINS)]
    r_max: Option<RMax>,
    /// Smallest separation
    #[arg(long, value_name = "R", default_value_t = 0.0, help_heading = group::BINS)]
    r_min: f64,
    /// Number of bins of equal width, e.g. 200 [default: bins of 0.002 nm]
    #[arg(long, value_name = "N", help_heading = group::BINS)]
    n_bins: Option<std::num::NonZeroU32>,
    /// Bins in r instead: lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. or @FILE
    #[arg(long, value_name = "SPEC", help_heading = group::BINS, conflicts_with_all = ["r_max", "r_min", "n_bins"])]
    bins: Option<EdgeSpec>,
    /// Allow bins beyond half the box
    ///
    /// Pairs count under their nearest image, and shells are cut by the Wigner-Seitz cell of the box of each frame.
    #[arg(long, help_heading = group::BINS)]
    beyond_half: bool,
    /// Volume of the particles in open space (unit of length cubed), e.g. 1.2e5
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    volume: Option<f64>,
    #[command(flatten)]
    walls: WallFlags,
    #[command(flatten)]
    frames: FrameFlags,
    #[command(flatten)]
    times: TimeFlags,
    #[command(flatten)]
    structure: StructureFlags,
    #[command(flatten)]
    sums: SumFlags,
    #[command(flatten)]
    excluded: ExclusionFlags,
    #[command(flatten)]
    pairs: PairFlags,
}

/// The volume that the particles fill: of the box, or as given in open space.
fn volume(domain: &Domain, given: Option<f64>) -> Result<f64> {
    match (domain.volume(), given) {
        (Some(_), Some(_)) => Err(usage("--volume is for open space: here the box has one")),
        (Some(volume), None) | (None, Some(volume)) => Ok(volume),
        (None, None) => Err(anyhow!(
            "g(r) needs a volume: --box L for a periodic box (the file states none), or --volume V for open space"
        )),
    }
}

/// The class of the pairs of one sample, or of two.
fn class_of(pairs: Pairs<'_>) -> (Species, [usize; 2]) {
    match pairs.samples().1 {
        None => (Species::within(1), [0, 0]),
        Some(_) => (Species::between(1, 1), [0, 1]),
    }
}

/// What is known of the pairs of one sample, or of a second around the first.
fn partials_of(
    counts: &Counts,
    pairs: Pairs<'_>,
    excluded: u64,
    space: &Space,
) -> Result<Partials> {
    let (first, second) = pairs.samples();
    let species = class_of(pairs).0;
    let samples = [Some(first), second].into_iter().flatten();
    let particles: Vec<u64> = samples.map(|sample| sample.len() as u64).collect();
    let frame = Frame {
        counts: std::slice::from_ref(counts),
        particles: &particles,
        excluded: &[excluded],
        space,
        weight: 1.0,
    };
    // In a space that cuts bins a bin may have no candidate anyway, and no g.
    if space.kept().is_none() {
        frame.check_candidates()?;
    }
    let mut partials = Partials::new(counts.binning(), species)?;
    partials.add_frame(&frame)?;
    Ok(partials)
}

/// g(r) with its error and n(r).
fn columns_of(partials: &Partials, pair: [usize; 2]) -> Result<[TableColumn; 3]> {
    let around = "coordination number: mean number of partners from the first edge up to hi";
    let g = partials.g(pair, Normalisation::Pairs)?;
    let error = partials.poisson_error(pair)?;
    Ok([
        TableColumn::floats("g", "radial distribution function", g),
        TableColumn::floats("g_error", "Poisson error of g", error),
        TableColumn::floats("n", around, partials.coordination(pair)?),
    ])
}

/// Refuses bins that do not suit a box.
fn check_reach(bins: &Bins, domain: &Domain, beyond_half: bool) -> Result<()> {
    match bins.admit(domain) {
        Err(JobError::Reach { .. } | JobError::ReachSquared { .. }) if beyond_half => Ok(()),
        Err(error @ (JobError::Reach { .. } | JobError::ReachSquared { .. })) => Err(anyhow!(
            "{error}; --beyond-half takes nearest images up to the corners of the box"
        )),
        other => Ok(other?),
    }
}

impl Rdf {
    /// The compute engine.
    fn engines(&self, session: &Session<'_>) -> Result<Engines> {
        let engines = Engines::new(&self.pairs.run, session)?;
        if self.beyond_half {
            engines.beyond_half(&self.pairs.run, !self.frames.is_cylinder())
        } else {
            Ok(engines)
        }
    }

    /// The bins, by either spelling, or those of the default width in the unit of the positions; `half` finds how far the smallest box allows.
    fn bins(&self, unit: Option<&str>, half: impl FnOnce() -> Result<f64>) -> Result<RBins> {
        if let Some(spec) = &self.bins {
            return Ok(RBins::new(spec.edges().context("--bins")?));
        }
        let r_max = match self.r_max {
            Some(RMax::At(r_max)) => r_max,
            asked => bins::half_of_the_box(half()?, asked.is_some())?,
        };
        let (r_max, n_bins) = match self.n_bins {
            Some(n_bins) => (r_max, n_bins.get() as usize),
            None => bins::of_default_width((self.r_min, r_max), self.r_max, unit)?,
        };
        let edges = Edges::linear(self.r_min, r_max, n_bins);
        Ok(RBins::new(edges.context("--r-min, --r-max and --n-bins")?))
    }

    /// Whether the bins are known before a file is read.
    fn knows_its_bins(&self) -> bool {
        let equal = self.n_bins.is_some() && matches!(self.r_max, Some(RMax::At(_)));
        self.bins.is_some() || equal
    }

    /// Whether the files are read as frames with their species, or as a sample.
    fn is_trajectory(
        &self,
        selection: &Selection,
        flag: Option<&str>,
        (given, watch): (Option<&Given>, &Arc<dyn Watch>),
    ) -> bool {
        if flag.is_some() {
            return true;
        }
        let paths = &self.data.paths;
        // Positions in one column are those of a sample.
        let Ok(request) = self.frames.request(selection) else {
            return false;
        };
        let filter = selection.filter.as_deref().map(Filter::parse);
        let filter = filter.and_then(Result::ok);
        let is_of_sample = flags::of_samples(selection, &self.pairs.space).is_some()
            || self.pairs.run.pieces.refuse("trajectories").is_err();
        let (filter, stop) = (filter.as_ref(), watch.stop());
        let held = match given {
            Some(given) => held_given(given, &request, filter, &stop),
            None => held(paths, &request, filter, &stop),
        };
        let unused = match held {
            Held::Frames => return true,
            Held::Species(_) if !is_of_sample => return true,
            Held::Species(column) => Some(column),
            Held::Particles { unused } => unused,
        };
        if let (Some(column), Some(path)) = (unused, paths.first()) {
            say(&Notice::note(format!(
                "{}: g(r) is of all particles alike: column `{column}` tells species apart in one table with columns x, y, z or position, without \
                 --rows, --every, --shard and conditions on frames",
                path.display()
            )));
        }
        false
    }

    /// Refuses files that are read and written, and volumes that are none.
    fn check(&self, inputs: &[&Path], sink: &Sink) -> Result<()> {
        let others = [
            ("--block-counts", &self.frames.block_counts),
            ("--structure", &self.structure.structure),
            ("--p-of-r", &self.structure.p_of_r),
            ("--total-g", &self.structure.total_g),
        ];
        let others: Vec<_> = others
            .into_iter()
            .filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
            .collect();
        sink.check(&self.pairs.output, &others, inputs)?;
        if let Some(volume) = self.volume.filter(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(usage(format!(
                "--volume must be positive and finite, found {volume}"
            )));
        }
        Ok(())
    }

    /// Counts, normalises, prints and writes.
    pub(crate) fn run(mut self, session: &mut Session<'_>) -> Result<()> {
        self.second = self.second.take().or_else(|| self.cross.take());
        if session.kept.given().is_empty() {
            self.take_structure(&session.watch.stop())?;
        }
        self.check(&session.arguments.inputs(), &session.sink)?;
        let selection = self.pairs.selection();
        let given = |path| session.kept.given().get(path).cloned();
        let given = self.data.paths.first().and_then(given);
        let given = given.as_ref();
        let is_one = self.second.is_none() && !self.pairs.has_second();
        if !is_one && given.is_some_and(|given| given.frames().is_some()) {
            return Err(usage(
                "a trajectory has no second sample: its parts are named by --species or --select",
            ));
        }
        let flag = self.frames.given().or(self.times.given());
        let flag = flag.or(self.structure.given());
        if is_one && self.is_trajectory(&selection, flag, (given, &session.watch)) {
            return self.run_over_frames(session, &selection, given);
        }
        if let Some(flag) = flag {
            let second = self.second.iter().flat_map(Files::iter);
            let absent = self.data.iter().chain(second).find(|path| !path.exists());
            if let (Some(path), None) = (absent, given) {
                albireo_catalogs::open(path)?;
            }
            return Err(usage(format!(
                "{flag} is for a trajectory, whose parts are named by --species or --select: leave out the second file and the --cross flags"
            )));
        }
        self.run_of_samples(session, &selection)
    }

    /// Counts one sample, or two.
    fn run_of_samples(&self, session: &mut Session<'_>, selection: &Selection) -> Result<()> {
        if self.knows_its_bins() {
            // What is wrong with bins is said before a file is read.
            self.bins(None, || Ok(f64::INFINITY))?;
        }
        let engines = self.engines(session)?;
        let mut record = Record::begin(session.arguments);
        let group = self.excluded.group.as_deref();
        let sources = self
            .pairs
            .sources(self.data.clone(), self.second.clone(), group)?;
        let cuts = self.excluded.cuts()?;
        if sources
            .iter()
            .any(|source| source.selection.weight.is_some())
        {
            return Err(usage("--weight has no meaning here: g(r) counts particles"));
        }
        if sources.iter().any(|s| s.selection.bits.is_some()) {
            return Err(usage("--bits has no meaning here: g(r) counts particles"));
        }
        let wanted = Wanted {
            angular: false,
            outside: Outside::Wrap,
            regions: None,
            classes: None,
            rsd: None,
        };
        let sums = self.sums_of_samples(&sources, session)?;
        let sources = SampleSums::selected(sums.as_ref(), sources);
        let samples = session.read(&sources, &self.pairs.space, wanted, &mut record)?;
        let shells = self.bins(samples.unit(), || Ok(samples.domain().reach()))?;
        let bins = Bins::from(&shells);
        check_reach(&bins, samples.domain(), self.beyond_half)?;
        self.check_sums(sums.as_ref(), shells.edges())?;
        let valued = sums.map(|sums| SampleSums::of(sums, &samples));
        let valued = valued.transpose()?;
        let first = samples.get("data")?;
        let space = self.space_of_sample(&shells, &samples, (selection, &mut record), session)?;
        let (name, pairs) = match samples.find("second") {
            None => ("AA", Pairs::Auto(first)),
            Some(second) => ("AB", Pairs::Cross(first, second)),
        };
        let mut counter = Counter::new(engines, samples.domain())
            .sharing(session.kept.shared())
            .dropping(cuts)
            .beyond_half(self.beyond_half);
        let pairs = valued.as_ref().map_or(pairs, SampleSums::pairs);
        let mut asked = NamedCount::new(name, pairs, &bins);
        if let Some(valued) = &valued {
            asked.what = asked
                .what
                .with_program(valued.program(&bins, samples.domain())?);
            record.set("pair_sums", valued.summed().record(&asked.what));
        }
        let counts = counter.decide_and_count(&asked)?;
        if counter.is_over() {
            return Ok(());
        }
        counter.check_shares(Some("pairs of an ideal gas"))?;
        let excluded = excluded_pairs(pairs, counts.cuts());
        let partials = partials_of(&counts, pairs, excluded, &space)?;
        let of_bins = columns_of(&partials, class_of(pairs).1)?;
        if !counts.cuts().is_empty() {
            record.set("excluded_pairs", excluded);
        }
        let axes = bins.axes();
        record.set_axes("r", &axes);
        record.set("volume", space.volume());
        counter.note(&mut record);
        let mut columns = edge_columns(&axes, samples.unit());
        columns.extend(of_bins);
        let counts = counter.done.iter();
        let of_bins = (&axes[..], samples.unit());
        columns.extend(counts.flat_map(|count| count_columns(&count.sums, "", of_bins)));
        if let Some(valued) = &valued {
            columns.extend(valued.following(&partials, class_of(pairs).1)?);
        }
        session
            .sink
            .deliver(&record.table(ResultKind::Rdf, columns), &self.pairs.output)
    }

    /// The space that the particles of a sample fill.
    fn space_of_sample(
        &self,
        bins: &RBins,
        samples: &Samples,
        (selection, record): (&Selection, &mut Record),
        session: &Session<'_>,
    ) -> Result<Space> {
        let domain = samples.domain();
        let in_open_space = self.volume.filter(|_| domain.volume().is_none());
        let sizes = (self.walls.walls.as_ref(), in_open_space);
        say_other_sizes("the particles", samples.get("data")?.points(), sizes);
        if let Some(spec) = &self.walls.walls {
            record.set("walls", spec.text.as_str());
            for role in ["data", "second"] {
                if let Some(particles) = samples.find(role) {
                    check_within(&spec.walls, particles, domain)?;
                }
            }
            return Space::between_walls(bins, &spec.walls, domain).context("--walls");
        }
        if let Some(path) = &self.walls.randoms {
            let randoms = self.randoms_in(path, selection, domain, samples.unit());
            return randoms_space(&randoms, &bins.into(), &self.engines(session)?, record);
        }
        let space = Space::of_volume(volume(domain, self.volume)?)?;
        if self.beyond_half {
            record.set("beyond_half", true);
            return Ok(space.nearest_images(bins, domain)?);
        }
        Ok(space)
    }

    /// Random points in a box.
    fn randoms_in<'a>(
        &self,
        path: &'a Path,
        selection: &'a Selection,
        domain: &'a Domain,
        unit: Option<&'a str>,
    ) -> Randoms<'a> {
        Randoms {
            path,
            selection,
            domain,
            unit,
            plane: self.frames.plane,
            beyond_half: self.beyond_half,
            volume: self.volume.unwrap_or(1.0),
        }
    }
}
