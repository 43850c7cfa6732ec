//! Which kernel, which arrangement of the samples and which filter a job gets.
//!
//! Entry: [`arrangement_of`], [`filter_of`], [`variant_of`]. The rules are measured; none of them changes an integer.

use albireo_kernels::{
    Across, Arithmetic, Bins, Doubt, Histogram, Shape, Sight, Space, Traversal as Visits, Variant,
};

use super::carried::Carried;
use super::filter::{Coordinates, DeviceFilter};
use super::frame::{Arrangement, CELL_PARTICLES, Frame, Grid, Order};
use super::labelled::{Spans, fitting};
use super::options::{CudaOptions, KernelChoice, Precision, chosen};
use super::terms::sight_of;
use super::windows;
use crate::binning::{Form, Formed};
use crate::domain::Domain;
use crate::engine::{PairJob, Traversal};

/// Above this share of all pairs a search by cells saves nothing in an open domain.
const WORTH_SEARCHING: f64 = 0.7;
/// First points in a tile: of all pairs; of cells, with more than the share `MANY_SECONDS` of all second points around them, with fewer, and
/// with fewer than `FEW_SECONDS` of them.
const TILE: [u32; 4] = [256, 128, 64, 32];
const MANY_SECONDS: f64 = 0.3;
const FEW_SECONDS: f64 = 2048.0;

/// The same of tensor cores, each with the seconds that are to be around it; the last is for bins whose places would not suffice for larger ones.
const TENSOR_TILES: [(u32, f64); 3] = [(256, 32_768.0), (128, 4096.0), (64, 4096.0)];
/// First points that tensor cores take at a time, and tiles that there should be, so that no block waits long for the last of them.
const TENSOR_STEP: u32 = 8;
const LEAST_TILES: usize = 1024;

/// Error of a fraction from which points may be sorted into cells that are out of reach.
const CELLS_FROM_FRACTIONS: f64 = 1e-8;

/// Whether points of `domain` can be sorted into cells at all.
pub(super) fn sorts(domain: &Domain) -> bool {
    match domain {
        Domain::Triclinic(lattice) => lattice.fraction_error() < CELLS_FROM_FRACTIONS,
        _ => true,
    }
}

pub(super) fn arrangement_of(
    job: &PairJob<'_>,
    binning: &Formed<'_>,
    order: Order,
    (carried, spans): (Carried, &[Spans; 2]),
    options: &CudaOptions,
) -> Arrangement {
    let (first, second) = job.pairs().both();
    let rows = first.len().max(second.len());
    let all = if order == Order::Unordered { 0.5 } else { 1.0 };
    let by_cells = || {
        let frame = Frame::new(job.pairs(), job.domain(), false);
        let cut = |frame: &Frame, tile, particles| {
            let tile = chosen(options.tuning.tile, tile);
            let particles = chosen(options.tuning.cell_particles, particles);
            fitting(spans, frame, |copies| {
                let (frame, held) = (frame.clone(), f64::from(particles));
                Grid::new(frame, binning.reach, rows, held, tile, order, copies)
            })
        };
        let grid = cut(&frame, TILE[2], CELL_PARTICLES);
        let open = carried.labels.is_some() && matches!(job.domain(), Domain::Open);
        if grid.share * (rows as f64) < FEW_SECONDS {
            cut(&frame, TILE[3], CELL_PARTICLES)
        } else if open && grid.share >= WORTH_SEARCHING * all {
            // Where nothing is left out, cells only cut what is met into short pieces.
            cut(&frame.cubic(), TILE[0], u32::MAX)
        } else if grid.share > MANY_SECONDS * all {
            cut(&frame, TILE[1], CELL_PARTICLES)
        } else {
            grid
        }
    };
    let as_given = || {
        let periodic = matches!(job.domain(), Domain::Periodic(_));
        Arrangement::AsGiven(Frame::new(job.pairs(), job.domain(), periodic))
    };
    if carried.labels.is_some() {
        return Arrangement::Sorted(by_cells());
    }
    // A kernel asked for by name visits all pairs.
    let traversal = match options.kernel {
        KernelChoice::Auto => job.traversal(),
        _ => Traversal::AllPairs,
    };
    match (traversal, job.domain()) {
        (Traversal::AllPairs, _) => as_given(),
        (_, domain) if !sorts(domain) => as_given(),
        (Traversal::Cells, _) | (Traversal::Auto, Domain::Periodic(_) | Domain::Triclinic(_)) => {
            Arrangement::Sorted(by_cells())
        }
        (Traversal::Auto, Domain::Open) => {
            let grid = by_cells();
            if grid.share < WORTH_SEARCHING * all {
                Arrangement::Sorted(grid)
            } else {
                as_given()
            }
        }
    }
}

/// Cells for tensor cores, those of the largest tiles first; none where all pairs are asked for, points cannot be sorted into cells, or tiles are
/// few or have too few seconds around them to make up for setting them up. A tile that is asked for is taken.
pub(super) fn tensor_grids<'a>(
    job: &'a PairJob<'_>,
    binning: &'a Formed<'_>,
    order: Order,
    options: &'a CudaOptions,
) -> impl Iterator<Item = Grid> + 'a {
    let (first, second) = job.pairs().both();
    let rows = first.len().max(second.len());
    let asked = options.tuning.tile;
    let particles = f64::from(chosen(options.tuning.cell_particles, CELL_PARTICLES));
    let possible = job.traversal() != Traversal::AllPairs && sorts(job.domain());
    let tiles = if asked == 0 {
        TENSOR_TILES
    } else {
        let tile = asked.next_multiple_of(TENSOR_STEP).min(TENSOR_TILES[0].0);
        [(tile, 0.0), (0, 0.0), (0, 0.0)]
    };
    let enough = move |tile: u32| tile > 0 && (asked > 0 || rows >= LEAST_TILES * tile as usize);
    let cut = move |(tile, around)| {
        let frame = Frame::new(job.pairs(), job.domain(), false);
        let grid = Grid::new(frame, binning.reach, rows, particles, tile, order, 1.0);
        (grid.share * rows as f64 >= around).then_some(grid)
    };
    tiles
        .into_iter()
        .filter(move |&(tile, _)| possible && enough(tile))
        .filter_map(cut)
}

/// Makes a kernel of cells one of tensor cores.
pub(super) fn by_tensors(kernel: &mut Variant) {
    kernel.arithmetic = Arithmetic::Tensor;
    if kernel.space == Space::Open {
        kernel.space = Space::Periodic;
    }
}

/// The filter over an arrangement; with `decided` float64 decides again what is in doubt, with `terms` pairs that are in no bin are left out
/// and need no slots.
pub(super) fn filter_of(
    binning: &Formed<'_>,
    arrangement: &Arrangement,
    domain: &Domain,
    (terms, decided): (bool, bool),
) -> Option<DeviceFilter> {
    let coordinates = match (arrangement, domain) {
        (Arrangement::Sorted(grid), _) => Coordinates::Local(grid),
        (Arrangement::AsGiven(frame), Domain::Open) => Coordinates::Centred(frame),
        (Arrangement::AsGiven(frame), Domain::Periodic(_)) => Coordinates::Wrapped(frame),
        (Arrangement::AsGiven(_), Domain::Triclinic(_)) => return None,
    };
    // A little more than there is: padding is put where it is surely in no bin.
    let farthest = match arrangement {
        _ if terms => None,
        Arrangement::Sorted(grid) if grid.tile_cells > 1 => {
            Some(pad_of(grid, binning).1.max(grid.farthest))
        }
        Arrangement::Sorted(grid) => match binning.form {
            Form::Radial { r } => Some(
                pad_of(grid, binning)
                    .1
                    .max(windows::farthest(grid, r.values())),
            ),
            _ => None,
        },
        Arrangement::AsGiven(frame) if matches!(domain, Domain::Open) => Some(frame.diagonal()),
        Arrangement::AsGiven(_) => None,
    };
    DeviceFilter::new(binning.form, coordinates, farthest, decided)
}

/// How far along x from a tile's centre padding lies that is in no bin, and its largest separation from a point of the tile.
pub(super) fn pad_of(grid: &Grid, binning: &Formed<'_>) -> (f64, f64) {
    let half = grid.tile_half;
    let pad = binning.reach.radius() * 1.001 + half[0];
    (
        pad,
        crate::separation::norm2([pad + half[0], half[1], half[2]]).sqrt(),
    )
}

/// Whether float32 is to be a filter at all.
pub(super) fn filters(options: &CudaOptions) -> bool {
    // Kernels to be checked against decide every pair in float64.
    options.precision != Precision::Float64
        && !matches!(
            options.kernel,
            KernelChoice::Simple | KernelChoice::Constant
        )
}

/// Cells of their own tiles, for windows of the bins.
pub(super) fn single_cells(
    job: &PairJob<'_>,
    binning: &Formed<'_>,
    (order, spans): (Order, &[Spans; 2]),
    options: &CudaOptions,
    fineness: f64,
) -> Arrangement {
    let (first, second) = job.pairs().both();
    let rows = first.len().max(second.len());
    let grid = |tile: u32| {
        let frame = Frame::new(job.pairs(), job.domain(), false);
        let tile = chosen(options.tuning.tile, tile);
        fitting(spans, &frame, |copies| {
            let frame = frame.clone();
            Grid::of_single_cells(frame, binning.reach, rows, fineness, tile, order, copies)
        })
    };
    let held = rows as f64 / f64::from(grid(1).number());
    let fitting = TILE[1..].iter().find(|&&tile| held > 0.6 * f64::from(tile));
    Arrangement::Sorted(grid(fitting.copied().unwrap_or(TILE[3])))
}

/// The lowest edge along the line of sight, 0 where the bins have none.
pub(super) fn lowest_along(binning: &Formed<'_>) -> f64 {
    match binning.form {
        Form::Radial { .. } => 0.0,
        Form::SMu { mu: edges, .. } | Form::RpPi { pi: edges, .. } => edges.values()[0],
    }
}

/// The kernel of a job, but for what the device's shared memory decides.
pub(super) fn variant_of(
    job: &PairJob<'_>,
    binning: &Formed<'_>,
    carried: Carried,
    options: &CudaOptions,
    arrangement: &Arrangement,
    filter: Option<&DeviceFilter>,
) -> Variant {
    let traversal = match (options.kernel, arrangement) {
        (KernelChoice::Simple, _) => Visits::Simple,
        (KernelChoice::Constant, _) => Visits::Constant,
        (_, Arrangement::Sorted(_)) => Visits::Cells,
        (_, Arrangement::AsGiven(_)) => Visits::AllPairs,
    };
    let observed = sight_of(binning.line_of_sight) > 2;
    let terms = carried.summed.in_terms();
    Variant {
        traversal,
        space: match job.domain() {
            // The filter in cells knows no box.
            Domain::Open if filter.is_some() && traversal == Visits::Cells => Space::Periodic,
            Domain::Open if filter.is_none() && terms => Space::Periodic,
            Domain::Open => Space::Open,
            Domain::Periodic(_) => Space::Periodic,
            Domain::Triclinic(_) => Space::Triclinic,
        },
        bins: match binning.form {
            Form::Radial { .. } => Bins::R,
            Form::SMu { .. } => Bins::SMu,
            Form::RpPi { .. } => Bins::RpPi,
        },
        sight: if observed && filter.is_some() {
            Sight::Observer
        } else {
            Sight::Fixed
        },
        signed: !terms && !observed && filter.is_some() && lowest_along(binning) < 0.0,
        summed: carried.summed,
        arithmetic: match (filter, options.precision) {
            (None, _) => Arithmetic::Float64,
            (Some(_), Precision::Float32) if !terms => Arithmetic::Float32,
            (Some(_), _) => Arithmetic::Filtered,
        },
        across: match filter {
            Some(filter) if !filter.table.is_empty() => Across::Table,
            Some(filter) if filter.clamp => Across::Clamped,
            _ => Across::Reaching,
        },
        doubt: Doubt::AtOnce,
        realised_rows: carried.realised_rows,
        classes: carried.labels.is_some(),
        histogram: Histogram::Shared,
        shape: Shape {
            threads: 128,
            points: 4,
            tile: match arrangement {
                Arrangement::Sorted(grid) => grid.tile,
                Arrangement::AsGiven(_) => chosen(options.tuning.tile, TILE[0]),
            },
        },
        sums: if carried.summed.in_terms() {
            carried.sums
        } else {
            ""
        },
        columns: carried.columns,
    }
}
