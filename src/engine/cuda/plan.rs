//! How a job is to be run on a device: the kernel, the cells or tiles, the filter, the shared memory.
//!
//! Entry: [`Plan::new`]. It touches no device; all of it is tested without one.

use albireo_kernels::{Arithmetic, Bins, Doubt, Sight, Space, Traversal as Visits, Variant};

use super::filter::{Coordinates, Filter, exact_axis};
use super::frame::{CELL_PARTICLES, Frame, Grid, Order};
use super::layout::{Axis, FIRSTS, Job};
use super::{CudaOptions, KernelChoice, Precision, Tuning};
use crate::binning::{Binning, Form, LineOfSight, PairOrder};
use crate::domain::{Axis as Direction, Domain};
use crate::engine::{PairJob, Pairs, Traversal};

/// Where positions come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Layout {
    /// In the order given.
    AsGiven(Frame),
    /// Sorted into cells.
    Sorted(Grid),
}

/// Everything about a run that does not depend on addresses.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) variant: Variant,
    pub(super) layout: Layout,
    pub(super) order: Order,
    /// The job with every address zero.
    pub(super) job: Job,
    pub(super) across: [Vec<f64>; 2],
    pub(super) along: [Vec<f64>; 2],
    pub(super) table: Vec<[u32; 2]>,
    pub(super) translations: Vec<f64>,
    /// Length to the filter's scaled length.
    pub(super) unit: f64,
    /// Bytes of shared memory a block.
    pub(super) shared: usize,
}

/// Above this share of all pairs a search by cells saves nothing in an open domain.
const WORTH_SEARCHING: f64 = 0.7;
/// Shares of doubtful pairs up to which it pays to decide them at once (of cells, where that takes a search), and from which to take
/// them in fast.
const RARE: f64 = 5e-5;
const COMMON: f64 = 6e-4;
/// First points in a tile: of all pairs; of cells; of cells with fewer second points around them than `FEW_SECONDS`.
const TILE: [u32; 3] = [256, 64, 32];
const FEW_SECONDS: f64 = 2048.0;

fn order_of(pairs: Pairs<'_>, order: PairOrder) -> Order {
    match (pairs, order) {
        (Pairs::Cross(..), _) => Order::Cross,
        (Pairs::Auto(_), PairOrder::Unordered) => Order::Unordered,
        (Pairs::Auto(_), PairOrder::Ordered) => Order::Ordered,
    }
}

/// What was asked for, or else the engine's choice.
fn chosen(asked: u32, own: u32) -> u32 {
    if asked == 0 { own } else { asked }
}

fn sight_of(los: Option<LineOfSight>) -> Sight {
    match los {
        Some(LineOfSight::Fixed(Direction::X)) => Sight::X,
        Some(LineOfSight::Fixed(Direction::Y)) => Sight::Y,
        None | Some(LineOfSight::Fixed(Direction::Z)) => Sight::Z,
        Some(LineOfSight::Midpoint) => Sight::Midpoint,
        Some(LineOfSight::First) => Sight::First,
        Some(LineOfSight::End) => Sight::End,
    }
}

fn layout_of<B: Binning>(
    job: &PairJob<'_>,
    binning: &B,
    order: Order,
    options: &CudaOptions,
) -> Layout {
    let (first, second) = job.pairs().both();
    let rows = first.len().max(second.len());
    let by_cells = || {
        let frame = Frame::new(job.pairs(), job.domain(), false);
        let particles = f64::from(chosen(options.tuning.cell_particles, CELL_PARTICLES));
        let cut = |tile| {
            let tile = chosen(options.tuning.tile, tile);
            Grid::new(frame.clone(), binning.reach(), rows, particles, tile, order)
        };
        let grid = cut(TILE[1]);
        if grid.share * (rows as f64) < FEW_SECONDS {
            cut(TILE[2])
        } else {
            grid
        }
    };
    let as_given = || {
        let periodic = matches!(job.domain(), Domain::Periodic(_));
        Layout::AsGiven(Frame::new(job.pairs(), job.domain(), periodic))
    };
    // A kernel asked for by name visits all pairs.
    let traversal = match options.kernel {
        KernelChoice::Auto => job.traversal(),
        _ => Traversal::AllPairs,
    };
    match (traversal, job.domain()) {
        (Traversal::AllPairs, _) => as_given(),
        (Traversal::Cells, _) | (Traversal::Auto, Domain::Periodic(_) | Domain::Triclinic(_)) => {
            Layout::Sorted(by_cells())
        }
        (Traversal::Auto, Domain::Open) => {
            let grid = by_cells();
            let all = if order == Order::Unordered { 0.5 } else { 1.0 };
            if grid.share < WORTH_SEARCHING * all {
                Layout::Sorted(grid)
            } else {
                as_given()
            }
        }
    }
}

fn filter_of<B: Binning>(binning: &B, layout: &Layout, domain: &Domain) -> Option<Filter> {
    let coordinates = match (layout, domain) {
        (Layout::Sorted(grid), _) => Coordinates::Local(grid),
        (Layout::AsGiven(frame), Domain::Open) => Coordinates::Centred(frame),
        (Layout::AsGiven(frame), Domain::Periodic(_)) => Coordinates::Wrapped(frame),
        (Layout::AsGiven(_), Domain::Triclinic(_)) => return None,
    };
    // A little more than there is: padding is put where it is surely in no bin.
    let farthest = match layout {
        Layout::Sorted(grid) => Some(pad_of(grid, binning).1.max(grid.farthest)),
        Layout::AsGiven(frame) if matches!(domain, Domain::Open) => Some(frame.diagonal()),
        Layout::AsGiven(_) => None,
    };
    Filter::new(binning.form(), coordinates, farthest)
}

/// How far along x from a tile's centre padding lies that is in no bin, and its largest separation from a point of the tile.
fn pad_of<B: Binning>(grid: &Grid, binning: &B) -> (f64, f64) {
    let half = grid.tile_half;
    let pad = binning.reach().radius() * 1.001 + half[0];
    (
        pad,
        crate::separation::norm2([pad + half[0], half[1], half[2]]).sqrt(),
    )
}

/// Padding that every kernel with a clamp, or with a table, puts beyond the bins.
const FAR_AWAY: f32 = 1e15;

impl Plan {
    /// The plan for binning the pairs of `job` on a device with `shared_limit` bytes of shared memory a block.
    pub(super) fn new<B: Binning>(
        job: &PairJob<'_>,
        binning: &B,
        weighted: bool,
        options: &CudaOptions,
        shared_limit: usize,
    ) -> Self {
        let order = order_of(job.pairs(), binning.order());
        let layout = layout_of(job, binning, order, options);
        let filter = match options.precision {
            Precision::Float64 => None,
            // These decide every pair in float64, to be checked against.
            _ if matches!(
                options.kernel,
                KernelChoice::Simple | KernelChoice::Constant
            ) =>
            {
                None
            }
            Precision::Exact | Precision::Float32 => filter_of(binning, &layout, job.domain()),
        };
        let (across, along, bins) = match binning.form() {
            Form::Radial { r } => (r.values(), &[][..], Bins::R),
            Form::SMu { s, mu, .. } => (s.values(), mu.values(), Bins::SMu),
            Form::RpPi { rp, pi, .. } => (rp.values(), pi.values(), Bins::RpPi),
        };
        let arithmetic = match (&filter, options.precision) {
            (None, _) => Arithmetic::Float64,
            (Some(_), Precision::Float32) => Arithmetic::Float32,
            (Some(_), _) => Arithmetic::Filtered,
        };
        let sorted = matches!(layout, Layout::Sorted(_));
        let variant = Variant {
            traversal: match options.kernel {
                KernelChoice::Simple => Visits::Simple,
                KernelChoice::Constant => Visits::Constant,
                _ if sorted => Visits::Cells,
                _ => Visits::AllPairs,
            },
            space: match job.domain() {
                Domain::Open => Space::Open,
                Domain::Periodic(_) => Space::Periodic,
                Domain::Triclinic(_) => Space::Triclinic,
            },
            bins,
            sight: sight_of(binning.line_of_sight()),
            weighted,
            arithmetic,
            table: filter.as_ref().is_some_and(|f| !f.table.is_empty()),
            signed: along.first().is_some_and(|&edge| edge < 0.0),
            global_sums: false,
            clamp: filter.as_ref().is_some_and(|f| f.clamp),
            doubt: Doubt::AtOnce,
            wrap: filter.is_some() && !sorted && matches!(job.domain(), Domain::Periodic(_)),
            threads: 128,
            points: 4,
            tile: match &layout {
                Layout::Sorted(grid) => grid.tile,
                Layout::AsGiven(_) => chosen(options.tuning.tile, TILE[0]),
            },
        };
        let squares = |values: &[f64]| [values.to_vec(), values.iter().map(|v| v * v).collect()];
        let mut plan = Self {
            variant,
            order,
            job: Job::default(),
            across: squares(across),
            along: squares(along),
            table: Vec::new(),
            translations: Vec::new(),
            unit: 1.0,
            shared: 0,
            layout,
        };
        plan.job.bins = binning.n_bins() as u32;
        plan.set_edges(across, along);
        plan.set_domain(job.domain());
        plan.set_layout(order);
        plan.set_places([plan.job.across.bins + 2, plan.job.along.bins + 2]);
        if let Some(filter) = filter {
            let pad = match &plan.layout {
                Layout::Sorted(grid) if !filter.clamp && filter.table.is_empty() => {
                    (pad_of(grid, binning).0 * filter.unit) as f32
                }
                Layout::AsGiven(_) if !filter.clamp && filter.table.is_empty() => 0.0,
                _ => FAR_AWAY,
            };
            plan.job.pad = pad;
            plan.set_filter(filter);
        }
        plan.job.flush_pairs = if weighted {
            crate::fixed_point::FLUSH_TERMS - 1
        } else {
            u64::from(u32::MAX)
        };
        plan.variant = plan.shaped(options.tuning, shared_limit);
        plan.shared = plan.shared_bytes(&plan.variant);
        plan
    }

    fn set_edges(&mut self, across: &[f64], along: &[f64]) {
        self.job.across = exact_axis(across);
        if !along.is_empty() {
            self.job.along = exact_axis(along);
        }
    }

    fn set_domain(&mut self, domain: &Domain) {
        self.job.half = [f64::INFINITY; 3];
        match domain {
            Domain::Open => {}
            Domain::Periodic(cell) => {
                for (axis, length) in cell.lengths().into_iter().enumerate() {
                    if let Some(length) = length {
                        self.job.length[axis] = length;
                        self.job.half[axis] = length / 2.0;
                    }
                }
            }
            Domain::Triclinic(lattice) => {
                let span = -2..=2i8;
                for n1 in span.clone() {
                    for n2 in span.clone() {
                        for n3 in span.clone() {
                            self.translations.extend(lattice.translation([n1, n2, n3]));
                        }
                    }
                }
                let reach2 = lattice.reach() * lattice.reach();
                self.job.nearest2 = reach2 * (1.0 - 1e-9);
                self.job.beyond2 = reach2 * (1.0 + 1e-9);
            }
        }
    }

    fn set_layout(&mut self, order: Order) {
        self.job.order = order as u32;
        let frame = match &self.layout {
            Layout::AsGiven(frame) => frame,
            Layout::Sorted(grid) => {
                self.job.cells = grid.cells;
                self.job.n_rows = grid.rows.len() as u32;
                self.job.row_parts = grid.row_parts;
                &grid.frame
            }
        };
        self.job.periodic = frame.periodic.map(u32::from);
        self.job.origin = frame.origin;
        self.job.basis = std::array::from_fn(|at| frame.basis[at % 3][at / 3]);
    }

    /// Where slots across and along lie among the sums.
    fn set_places(&mut self, [across, along]: [u32; 2]) {
        let stride = if self.along[0].is_empty() { 1 } else { along };
        self.job.stride = stride;
        self.job.slots = across * stride;
        self.job.zero = self.job.across.skip * stride + self.job.along.skip;
        // Numbers that a linear axis takes from the bits of a float start at those of 2^23.
        let first = |axis: &Axis| -> u32 {
            if axis.scale == 0.0 {
                0
            } else {
                0x4B00_0000u32 >> axis.shift
            }
        };
        self.job.bias = (first(&self.job.across).wrapping_mul(stride))
            .wrapping_add(first(&self.job.along))
            .wrapping_neg();
    }

    fn set_filter(&mut self, filter: Filter) {
        let merge = |exact: Axis, filter: Axis| Axis {
            guess_scale: exact.guess_scale,
            guess_offset: exact.guess_offset,
            closed_low: exact.closed_low,
            closed_high: exact.closed_high,
            ..filter
        };
        self.job.across = merge(self.job.across, filter.across);
        if !self.along[0].is_empty() {
            self.job.along = merge(self.job.along, filter.along);
        }
        self.set_places(filter.slots);
        self.unit = filter.unit;
        self.job.matrix = filter.matrix;
        self.job.unit = filter.unit as f32;
        self.job.floor2 = filter.floor2;
        self.job.doubt_by_inverse = filter.cosine_doubt[0];
        self.job.doubt_least = filter.cosine_doubt[1];
        self.job.sight_floor2 = filter.sight_floor2;
        self.job.reach2 = filter.reach2;
        self.table = filter.table;
    }

    /// Threads, points and place of the sums: as many threads as the histogram leaves room for.
    fn shaped(&self, tuning: Tuning, shared_limit: usize) -> Variant {
        let mut variant = self.variant;
        if matches!(variant.traversal, Visits::Simple | Visits::Constant) {
            variant.points = 1;
            variant.threads = chosen(tuning.threads, 256)
                .next_power_of_two()
                .clamp(32, 1024);
            variant.tile = FIRSTS as u32;
            variant.global_sums =
                variant.traversal == Visits::Simple || self.shared_bytes(&variant) > shared_limit;
            return variant;
        }
        // What the sums would take in shared memory, wherever they end up.
        let held = |variant: Variant| Variant {
            global_sums: false,
            ..variant
        };
        let sorted = matches!(self.layout, Layout::Sorted(_));
        variant.doubt = match self.doubtful_share() {
            _ if variant.arithmetic != Arithmetic::Filtered => Doubt::AtOnce,
            share if share > COMMON => Doubt::BySweep,
            share if sorted && share > RARE => Doubt::ByPair,
            _ => Doubt::AtOnce,
        };
        variant.global_sums = self.shared_bytes(&held(variant)) > shared_limit;
        let shared = self.shared_bytes(&variant) >> 10;
        let plain = variant.bins == Bins::R && !variant.weighted;
        let (threads, points) = match (variant.arithmetic, sorted, plain) {
            (Arithmetic::Float64, ..) => (128, 2),
            (Arithmetic::Float32, false, true) if shared <= 48 => (128, 16),
            (_, false, true) if shared <= 48 => (256, 8),
            (_, _, true) if shared > 112 && variant.doubt != Doubt::AtOnce => (1024, 4),
            (_, _, true) if shared > 112 => (1024, 8),
            (_, _, true) if shared > 48 => (512, 8),
            (_, true, true) if shared <= 24 => (64, 8),
            (_, true, true) => (256, 8),
            (_, true, false) if shared <= 64 => (128, 5),
            _ if shared <= 112 => (256, 4),
            _ => (512, 4),
        };
        variant.points = chosen(tuning.points, points).min(32);
        variant.threads = chosen(tuning.threads, threads)
            .next_power_of_two()
            .clamp(32, 1024);
        variant.global_sums = self.shared_bytes(&held(variant)) > shared_limit;
        variant
    }

    /// The share of pairs that the filter is expected to leave to float64, by equally wide bins.
    fn doubtful_share(&self) -> f64 {
        [self.job.across, self.job.along]
            .iter()
            .map(|axis| f64::from(axis.doubt) / f64::from(1u32 << axis.shift))
            .filter(|&share| share < 1.0)
            .sum()
    }

    /// What `Arena` and the cells kernel lay out, in bytes.
    fn shared_bytes(&self, variant: &Variant) -> usize {
        let held = if variant.arithmetic == Arithmetic::Float64 {
            32
        } else {
            16
        };
        let tile = variant.tile as usize * (held + if variant.weighted { 8 } else { 0 });
        // With weights every lane has a place for pairs of no bin.
        let slots = self.job.slots as usize;
        let words = if variant.weighted {
            3 * (slots + 32)
        } else {
            slots
        };
        let sums = if variant.global_sums { 0 } else { 4 * words };
        let stretches = match &self.layout {
            Layout::AsGiven(_) => 0,
            // Threads may grow after this is asked: the most there are.
            Layout::Sorted(grid) => 4 * (3 * grid.rows.len() * grid.row_parts as usize + 1024 + 1),
        };
        let queues = 16 * variant.doubt as usize * variant.threads as usize;
        tile + 8 * self.table.len() + queues + sums + stretches
    }

    /// The plan's work in one line, for the record.
    pub(super) fn describe(&self) -> String {
        let how = match self.variant.arithmetic {
            Arithmetic::Float64 => "float64",
            Arithmetic::Filtered => "float32 filter, float64 recheck",
            Arithmetic::Float32 => "float32, approximate",
        };
        match &self.layout {
            Layout::AsGiven(_) => format!("all pairs, {how}"),
            Layout::Sorted(grid) => format!(
                "{}x{}x{} cells, {how}",
                grid.cells[0], grid.cells[1], grid.cells[2]
            ),
        }
    }
}
