//! How a job is to be run on a device: the kernel, the cells or tiles, the filter, the shared memory.
//!
//! Entry: [`Plan::new`]. It touches no device; all of it is tested without one.

use albireo_kernels::{Arithmetic, Bins, Variant};

use super::choices::{
    filter_of, filters, layout_of, lowest_along, pad_of, sight_of, single_cells, sorts, variant_of,
};
use super::filter::Filter;
use super::frame::{Frame, Grid, Order, Row};
use super::layout::{Axis, Job};
use super::slots::exact_axis;
use super::windows::{self, Window, windows};
use super::{CudaOptions, KernelChoice, Precision};
use crate::binning::{Form, Formed, LineOfSight, PairOrder, Reach};
use crate::domain::Domain;
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
    /// Neighbour rows, and the windows that they fall into; none where the sums fit as a whole.
    pub(super) rows: Vec<Row>,
    pub(super) windows: Vec<Window>,
    /// Length to the filter's scaled length.
    pub(super) unit: f64,
    /// Bytes of shared memory a block.
    pub(super) shared: usize,
}

fn order_of(pairs: Pairs<'_>, order: PairOrder) -> Order {
    match (pairs, order) {
        (Pairs::Cross(..), _) => Order::Cross,
        (Pairs::Auto(_), PairOrder::Unordered) => Order::Unordered,
        (Pairs::Auto(_), PairOrder::Ordered) => Order::Ordered,
    }
}

/// What is carried besides the bin of each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Carried {
    /// Products of weights.
    pub(super) weighted: bool,
    /// The coordinate across, and its exponent.
    pub(super) coordinate: Option<i32>,
}

/// Padding that every kernel with a clamp, or with a table, puts beyond the bins.
const FAR_AWAY: f32 = 1e15;

/// Cells along the reach to try for windows of the bins, and how many more windows than the smallest number are taken rather than more
/// cells.
const FINENESS: [f64; 6] = [8.0, 12.0, 16.0, 24.0, 32.0, 48.0];
const WINDOWS_TOO_MANY: usize = 3;
/// Neighbour rows, in all their parts, that a window may have.
const ROWS_A_WINDOW: u32 = 2048;

impl Plan {
    /// The plan for binning the pairs of `job` on a device with `shared_limit` bytes of shared memory a block.
    pub(super) fn new(
        job: &PairJob<'_>,
        binning: &Formed<'_>,
        carried: Carried,
        options: &CudaOptions,
        shared_limit: usize,
    ) -> Self {
        let order = order_of(job.pairs(), binning.order);
        let make = |layout: Layout, filtered: bool| {
            let decided = options.precision == Precision::Exact;
            let filter = (filtered && filters(options, carried))
                .then(|| filter_of(binning, &layout, job.domain(), decided))
                .flatten();
            Self::of_layout(job, binning, carried, options, layout, filter)
                .shape_for(options, shared_limit)
        };
        let plan = make(layout_of(job, binning, order, options), true);
        if !plan.variant.global_sums {
            return plan;
        }
        let seen = |los: &LineOfSight| !matches!(los, LineOfSight::Fixed(_));
        let by_name =
            options.kernel != KernelChoice::Auto || job.traversal() == Traversal::AllPairs;
        let without = by_name
            || !sorts(job.domain())
            || matches!(binning.form, Form::RpPi { los, .. } if seen(&los));
        let windowed = || {
            let plans = FINENESS.iter().filter_map(|&fineness| {
                let layout = single_cells(job, binning, order, options, fineness);
                make(layout, true).in_windows(binning, shared_limit)
            });
            let mut best: Option<(usize, Self)> = None;
            for (fewest, plan) in plans {
                let number = plan.windows.len();
                if best
                    .as_ref()
                    .is_none_or(|(_, best)| number < best.windows.len())
                {
                    best = Some((fewest, plan));
                }
                if number <= fewest + WINDOWS_TOO_MANY {
                    break;
                }
            }
            best.map(|(_, plan)| plan)
        };
        (!without)
            .then(windowed)
            .flatten()
            .unwrap_or_else(|| make(plan.layout, false))
    }

    /// What follows from the job, the layout and the filter, but for the shape.
    fn of_layout(
        job: &PairJob<'_>,
        binning: &Formed<'_>,
        carried: Carried,
        options: &CudaOptions,
        layout: Layout,
        filter: Option<Filter>,
    ) -> Self {
        let order = order_of(job.pairs(), binning.order);
        let (across, along) = match binning.form {
            Form::Radial { r } => (r.values(), &[][..]),
            Form::SMu { s, mu, .. } => (s.values(), mu.values()),
            Form::RpPi { rp, pi, .. } => (rp.values(), pi.values()),
        };
        let squares = |values: &[f64]| [values.to_vec(), values.iter().map(|v| v * v).collect()];
        let mut plan = Self {
            variant: variant_of(job, binning, carried, options, &layout, filter.as_ref()),
            order,
            job: Job::default(),
            across: squares(across),
            along: squares(along),
            table: Vec::new(),
            translations: Vec::new(),
            rows: Vec::new(),
            windows: Vec::new(),
            unit: 1.0,
            shared: 0,
            layout,
        };
        plan.job.bins = binning.n_bins as u32;
        plan.set_edges(across, along);
        plan.set_sight(binning.line_of_sight, lowest_along(binning) < 0.0);
        plan.set_domain(job.domain());
        plan.set_layout();
        plan.set_sums(carried, binning.on_sphere);
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
        plan
    }

    /// The same plan with its shape.
    fn shape_for(mut self, options: &CudaOptions, shared_limit: usize) -> Self {
        self.variant = self.shaped(options.tuning, shared_limit);
        self.shared = if self.variant.global_sums {
            self.bytes_beside_sums(&self.variant, self.job.n_rows as usize)
        } else {
            self.shared_bytes(&self.variant)
        };
        self
    }

    /// The same plan with the bins in windows, and the fewest that there could be; none where that is not possible.
    fn in_windows(mut self, binning: &Formed<'_>, shared_limit: usize) -> Option<(usize, Self)> {
        let Layout::Sorted(grid) = &self.layout else {
            return None;
        };
        let axis = match binning.reach {
            Reach::Sphere(_) => None,
            Reach::Cylinder { axis, .. } => Some(axis.index()),
        };
        let batch = (ROWS_A_WINDOW / grid.row_parts).clamp(1, 2 * grid.rows.len().max(1) as u32);
        let words = self.words(self.variant.weighted);
        let beside = self.bytes_beside_sums(&self.variant, batch as usize);
        let room = shared_limit.checked_sub(beside + 4 * words * 32)?;
        let slots = windows::Slots {
            edges: &self.across[0],
            skip: self.job.across.skip,
            number: self.job.slots / self.job.stride,
        };
        let most = (room / (4 * words * self.job.stride as usize)) as u32;
        let (rows, windows) = windows(grid, self.order, slots, axis, [most, batch])?;
        let fewest = slots.number.div_ceil(most.max(1)) as usize;
        let largest = |of: fn(&Window) -> u32| windows.iter().map(of).max().unwrap_or(0);
        self.job.slots = largest(|w| w.slots) * self.job.stride;
        self.job.n_rows = largest(|w| w.rows.end - w.rows.start);
        self.variant.global_sums = false;
        self.shared = self.shared_bytes(&self.variant);
        self.rows = rows;
        self.windows = windows;
        Some((fewest, self))
    }

    /// The job of one window, the addresses in `job` given.
    pub(super) fn in_window(&self, job: &Job, window: usize) -> Job {
        let mut job = *job;
        if let Some(window) = self.windows.get(window) {
            job.rows += u64::from(window.rows.start) * size_of::<Row>() as u64;
            job.n_rows = window.rows.end - window.rows.start;
            job.first_place = window.first * job.stride;
            job.slots = window.slots * job.stride;
            job.flushed = window.flushed * job.stride;
            job.pad = (window.pad * self.unit) as f32;
            job.own = u32::from(window.own);
        }
        job
    }

    fn set_sight(&mut self, los: Option<LineOfSight>, signed: bool) {
        self.job.sight = sight_of(los);
        self.job.sight_of_first = f32::from(u8::from(matches!(self.job.sight, 3 | 4)));
        self.job.sight_of_second = f32::from(u8::from(matches!(self.job.sight, 3 | 5)));
        self.job.sign_kept = if signed { u32::MAX } else { u32::MAX >> 1 };
    }

    fn set_sums(&mut self, carried: Carried, on_sphere: bool) {
        if let Some(exponent) = carried.coordinate {
            self.job.coordinate = 1 + u32::from(on_sphere);
            self.job.coordinate_scale =
                libm::scalbn(1.0, crate::fixed_point::FRACTION_BITS - exponent);
        }
        self.job.flush_pairs = if carried == Carried::default() {
            u64::from(u32::MAX)
        } else {
            crate::fixed_point::FLUSH_TERMS - 1
        };
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
                self.translations = lattice.preference().flatten().collect();
                self.job.nearest2 = lattice.sole_image2();
                self.job.beyond2 = lattice.limit2();
            }
        }
    }

    fn set_layout(&mut self) {
        self.job.order = self.order as u32;
        self.job.own = u32::from(self.order != Order::Cross);
        let frame = match &self.layout {
            Layout::AsGiven(frame) => frame,
            Layout::Sorted(grid) => {
                self.job.cells = grid.cells;
                self.job.n_rows = grid.rows.len() as u32;
                self.job.row_parts = grid.row_parts;
                self.rows.clone_from(&grid.rows);
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
        self.job.flushed = self.job.slots;
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
        if self.variant.wraps() && self.variant.bins != Bins::R && self.job.sight < 2 {
            // These coordinates hold the line of sight last.
            self.job.matrix.swap(4 * self.job.sight as usize, 8);
        }
        self.job.unit = filter.unit;
        self.job.floor2 = filter.floor2;
        self.job.doubt_by_inverse = filter.cosine_doubt[0];
        self.job.doubt_least = filter.cosine_doubt[1];
        self.job.sight_floor2 = filter.sight_floor2;
        self.job.reach2 = filter.reach2;
        self.table = filter.table;
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
            Layout::Sorted(grid) => {
                let [x, y, z] = grid.cells;
                let windows = match self.windows.len() {
                    0 => String::new(),
                    number => format!(" in {number} windows of the bins"),
                };
                format!("{x}x{y}x{z} cells{windows}, {how}")
            }
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
