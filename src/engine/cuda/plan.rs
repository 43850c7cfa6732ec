//! How a job is to be run on a device: the kernel, the cells or tiles, the filter, the shared memory.
//!
//! Entry: [`Plan::new`]. It touches no device; all of it is tested without one.

use albireo_kernels::{Arithmetic, Bins, Sight, Space, Traversal as Visits, Variant};

use super::filter::{Coordinates, Filter, exact_axis};
use super::frame::{CELL_PARTICLES, Frame, Grid, Order};
use super::layout::{Axis, Job};
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
    /// Bytes of shared memory a block.
    pub(super) shared: usize,
}

/// Above this share of all pairs a search by cells saves nothing in an open domain.
const WORTH_SEARCHING: f64 = 0.7;
/// Above this share of doubtful pairs they are queued: a warp of 32 x 8 pairs then nearly always holds one.
const WORTH_QUEUEING: f64 = 1e-3;
/// First points in a tile of each traversal.
const TILE: [u32; 2] = [256, 64];

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
    let particles = options.tuning.cell_particles;
    let (first, second) = job.pairs().both();
    let rows = first.len().max(second.len());
    let by_cells = || {
        let frame = Frame::new(job.pairs(), job.domain(), false);
        let particles = f64::from(chosen(particles, CELL_PARTICLES));
        Grid::new(frame, binning.reach(), rows, particles, order)
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
    Filter::new(binning.form(), coordinates)
}

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
            traversal: if sorted {
                Visits::Cells
            } else {
                Visits::AllPairs
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
            low: filter.as_ref().is_some_and(|f| f.low),
            signed: along.first().is_some_and(|&edge| edge < 0.0),
            global_sums: false,
            clamp: true,
            queue: false,
            wrap: filter.is_some() && !sorted && matches!(job.domain(), Domain::Periodic(_)),
            threads: 128,
            points: 4,
            tile: chosen(options.tuning.tile, TILE[usize::from(sorted)]),
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
            shared: 0,
            layout,
        };
        plan.job.bins = binning.n_bins() as u32;
        plan.set_edges(across, along);
        plan.set_domain(job.domain());
        plan.set_layout(order);
        if let Some(filter) = filter {
            plan.set_filter(filter);
        }
        plan.job.flush_pairs = if weighted {
            crate::fixed_point::FLUSH_TERMS - 1
        } else {
            u64::from(u32::MAX)
        };
        plan.variant = plan.shaped(job, options.tuning, shared_limit);
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
        self.job.matrix = filter.matrix;
        self.job.unit = filter.unit as f32;
        self.job.floor2 = filter.floor2;
        self.job.sight_floor2 = filter.sight_floor2;
        self.job.reach2 = filter.reach2;
        self.table = filter.table;
    }

    /// Threads, points and place of the sums: as many threads as the histogram leaves room for.
    fn shaped(&self, job: &PairJob<'_>, tuning: Tuning, shared_limit: usize) -> Variant {
        let mut variant = self.variant;
        // What the sums would take in shared memory, wherever they end up.
        let held = |variant: Variant| Variant {
            global_sums: false,
            ..variant
        };
        let (_, second) = job.pairs().both();
        variant.clamp = !self.ends_in_last_bin();
        variant.queue =
            variant.arithmetic == Arithmetic::Filtered && self.doubtful_share() > WORTH_QUEUEING;
        variant.global_sums = self.shared_bytes(&held(variant)) > shared_limit;
        let shared = self.shared_bytes(&variant);
        let plain = variant.bins == Bins::R && !variant.weighted;
        let points = match (variant.arithmetic, &self.layout) {
            (Arithmetic::Float64, _) => 2,
            (_, Layout::AsGiven(_)) if plain => 8,
            (_, Layout::Sorted(grid)) if plain && grid.share * second.len() as f64 > 4096.0 => 8,
            _ => 4,
        };
        let threads = match (shared >> 10, &self.layout) {
            (0..=24, Layout::Sorted(_)) => 128,
            (0..=48, _) => 256,
            _ => 512,
        };
        variant.points = chosen(tuning.points, points).min(32);
        variant.threads = chosen(tuning.threads, threads)
            .next_power_of_two()
            .clamp(32, 1024);
        variant.global_sums = self.shared_bytes(&held(variant)) > shared_limit;
        variant
    }

    /// Whether no pair can lie beyond the bins: all pairs of an open domain, equal widths up to its diagonal.
    fn ends_in_last_bin(&self) -> bool {
        let edges = &self.across[0];
        let width = edges[1] - edges[0];
        let open = self.variant.space == Space::Open && self.variant.bins == Bins::R;
        match &self.layout {
            Layout::AsGiven(frame) => {
                open && !self.variant.table
                    && frame.diagonal() <= edges[edges.len() - 1] + 0.25 * width
            }
            Layout::Sorted(_) => false,
        }
    }

    /// The share of pairs that the filter is expected to leave to float64, by equally wide bins.
    fn doubtful_share(&self) -> f64 {
        [self.job.across, self.job.along]
            .iter()
            .map(|axis| f64::from(axis.doubt) / f64::from(axis.mask + 1))
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
        let words = (self.job.bins as usize + 2) * if variant.weighted { 3 } else { 1 };
        let sums = if variant.global_sums { 0 } else { 4 * words };
        let stretches = match &self.layout {
            Layout::AsGiven(_) => 0,
            // Threads may grow after this is asked: the most there are.
            Layout::Sorted(grid) => 4 * (3 * grid.rows.len() * grid.row_parts as usize + 1024 + 1),
        };
        let queues = if variant.queue {
            16 * variant.threads as usize
        } else {
            0
        };
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
