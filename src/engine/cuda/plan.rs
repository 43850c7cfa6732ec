//! How a job is to be run on a device: the kernel, the cells or tiles, the filter, the shared memory.
//!
//! Entry: [`LaunchPlan::new`]. It touches no device; all of it is tested without one.

use albireo_kernels::structs::{DeviceJob, FilterTerms, GridTerms, PlaceTerms, TensorTerms};
use albireo_kernels::{Arithmetic, Histogram, Summed, Variant};

use super::carried::Carried;
use super::choices::{
    arrangement_of, by_tensors, filter_of, filters, lowest_along, pad_of, single_cells, sorts,
    tensor_grids, variant_of,
};
use super::filter::DeviceFilter;
use super::frame::{Arrangement, Grid, Order, Row};
use super::labelled::{self, LabelCells, Spans, boxes};
use super::measured::Measured;
use super::options::{CudaOptions, KernelChoice, Precision};
use super::placing::Placing;
use super::shape::{BlockMemory, doubtful_share, shaped};
use super::tensor::Tensor;
use super::terms::{
    axis, filter_terms, grid_terms, image_terms, place_terms, sight_terms, translations,
};
use super::windows::{SeparationSlots, Window, windows};
use crate::binning::{Form, Formed, LineOfSight, Reach};
use crate::engine::{PairJob, Traversal};

/// Everything about a run that does not depend on addresses.
#[derive(Debug, Clone)]
pub(super) struct LaunchPlan {
    pub(super) variant: Variant,
    pub(super) arrangement: Arrangement,
    pub(super) order: Order,
    /// The job with every address nowhere.
    pub(super) job: DeviceJob,
    /// Edges across and along, and their squares.
    pub(super) across: [Vec<f64>; 2],
    pub(super) along: [Vec<f64>; 2],
    pub(super) table: Vec<[u32; 2]>,
    pub(super) translations: Vec<f64>,
    /// Neighbour rows, and the windows that they fall into; none where the sums fit as a whole.
    pub(super) rows: Vec<Row>,
    pub(super) windows: Vec<Window>,
    /// The cells of each label of both samples; none where there are no labels.
    pub(super) boxes: [Vec<LabelCells>; 2],
    memory: BlockMemory,
    /// Bytes of shared memory a block.
    pub(super) shared: usize,
}

/// Padding that every kernel with a clamp, or with a table, puts beyond the bins.
const FAR_AWAY: f32 = 1e15;

/// Cells along the reach to try for windows of the bins, and how many more windows than the smallest number are taken rather than more
/// cells.
const FINENESS: [f64; 6] = [8.0, 12.0, 16.0, 24.0, 32.0, 48.0];
const WINDOWS_TOO_MANY: usize = 3;
/// Neighbour rows, in all their parts, that a window may have.
const ROWS_A_WINDOW: u32 = 2048;

/// What a plan is made for.
#[derive(Clone, Copy)]
struct Request<'a> {
    job: &'a PairJob<'a>,
    binning: &'a Formed<'a>,
    order: Order,
    carried: Carried,
    spans: &'a [Spans; 2],
    options: &'a CudaOptions,
    abilities: Abilities,
}

/// What every device of a job can do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abilities {
    /// Most bytes of shared memory a block.
    pub(super) shared: usize,
    /// Whether sums of tensor cores are as exact as their bound takes them for.
    pub(super) tensors: bool,
}

impl Request<'_> {
    /// How float64 is to measure every pair, where it is to.
    fn measured(&self, arrangement: &Arrangement) -> Option<Measured> {
        (self.carried.summed == Summed::Separations && filters(self.options))
            .then(|| Measured::of(self.binning, arrangement, self.job.domain()))
            .flatten()
    }

    /// The same with pairs in bins taken one by one.
    fn one_by_one(self) -> Self {
        Self {
            carried: self.carried.one_by_one(),
            ..self
        }
    }

    /// What places pairs over an arrangement.
    fn placing(&self, arrangement: &Arrangement) -> Placing {
        match self.filter(arrangement) {
            Some(filter) => Placing::Filter(filter),
            None => Placing::Rule,
        }
    }

    /// The plan by tensor cores, where these are for the job.
    fn by_tensors(&self) -> Option<LaunchPlan> {
        let plain = self.carried.summed == Summed::Pairs
            && !self.carried.realised_rows
            && self.carried.labels.is_none();
        let chosen = self.options.kernel == KernelChoice::Auto
            && self.options.precision == Precision::Exact
            && self.abilities.tensors;
        if !(plain && chosen) {
            return None;
        }
        let mut grids = tensor_grids(self.job, self.binning, self.order, self.options);
        let (grid, tensor) =
            grids.find_map(|grid| Tensor::of(self.binning, &grid).map(|tensor| (grid, tensor)))?;
        let plan = LaunchPlan::of(self, Arrangement::Sorted(grid), Placing::Tensors(tensor));
        // A block that is alone waits too often.
        (2 * plan.shared <= self.abilities.shared).then_some(plan)
    }

    /// The filter over an arrangement, where there is to be one.
    fn filter(&self, arrangement: &Arrangement) -> Option<DeviceFilter> {
        let terms = self.carried.summed.one_by_one();
        let decided = terms || self.options.precision == Precision::Exact;
        let kinds = (terms, decided);
        filters(self.options)
            .then(|| filter_of(self.binning, arrangement, self.job.domain(), kinds))
            .flatten()
    }

    /// Whether the bins may be done in windows.
    fn takes_windows(&self) -> bool {
        let seen = |los: &LineOfSight| !matches!(los, LineOfSight::Fixed(_));
        let by_name = self.options.kernel != KernelChoice::Auto
            || self.job.traversal() == Traversal::AllPairs;
        !by_name
            && sorts(self.job.domain())
            && !matches!(self.binning.form, Form::RpPi { los, .. } if seen(&los))
    }

    /// The plan in windows of the bins, over the coarsest cells that need few of them.
    fn windowed(&self) -> Option<LaunchPlan> {
        let mut best: Option<LaunchPlan> = None;
        for fineness in FINENESS {
            let kinds = (self.order, self.spans);
            let cells = single_cells(self.job, self.binning, kinds, self.options, fineness);
            let placing = self.placing(&cells);
            let plan = LaunchPlan::of(self, cells, placing);
            let Some((fewest, plan)) = plan.in_windows(self.binning.reach, self.abilities.shared)
            else {
                continue;
            };
            let number = plan.windows.len();
            if best.as_ref().is_none_or(|best| number < best.windows.len()) {
                best = Some(plan);
            }
            if number <= fewest + WINDOWS_TOO_MANY {
                break;
            }
        }
        best
    }

    /// Where padding lies, in scaled lengths.
    fn pad(&self, arrangement: &Arrangement, filter: &DeviceFilter) -> f32 {
        let reaches = !filter.clamp && filter.table.is_empty();
        match arrangement {
            _ if !reaches => FAR_AWAY,
            Arrangement::Sorted(grid) => (pad_of(grid, self.binning).0 * filter.unit) as f32,
            Arrangement::AsGiven(_) => 0.0,
        }
    }
}

impl LaunchPlan {
    /// The plan for binning the pairs of `job` on devices with these abilities.
    pub(super) fn new(
        job: &PairJob<'_>,
        binning: &Formed<'_>,
        (carried, spans): (Carried, &[Spans; 2]),
        options: &CudaOptions,
        abilities: Abilities,
    ) -> Self {
        let request = Request {
            job,
            binning,
            order: Order::of(job.pairs(), binning.order),
            carried,
            spans,
            options,
            abilities,
        };
        if let Some(plan) = request.by_tensors() {
            return plan;
        }
        let kinds = (carried, spans);
        let arrangement = arrangement_of(job, binning, request.order, kinds, options);
        if let Some(measured) = request.measured(&arrangement) {
            let placing = Placing::Measures(measured);
            let plan = Self::of(&request, arrangement.clone(), placing);
            if plan.variant.histogram != Histogram::Global {
                return plan;
            }
        }
        if carried.realised_rows {
            let placing = request.placing(&arrangement);
            let plan = Self::of(&request, arrangement.clone(), placing);
            if plan.variant.exists() && plan.variant.histogram != Histogram::Global {
                return plan;
            }
        }
        let request = request.one_by_one();
        let placing = request.placing(&arrangement);
        let plan = Self::of(&request, arrangement, placing);
        if plan.variant.histogram != Histogram::Global {
            return plan;
        }
        request
            .takes_windows()
            .then(|| request.windowed())
            .flatten()
            .unwrap_or_else(|| Self::of(&request, plan.arrangement, Placing::Rule))
    }

    /// The plan over an arrangement.
    fn of(request: &Request<'_>, arrangement: Arrangement, placing: Placing) -> Self {
        let Request {
            job,
            binning,
            order,
            carried,
            options,
            ..
        } = *request;
        let (values, values_along) = match binning.form {
            Form::Radial { r } => (r.values(), &[][..]),
            Form::SMu { s, mu, .. } => (s.values(), mu.values()),
            Form::RpPi { rp, pi, .. } => (rp.values(), pi.values()),
        };
        let filter = placing.filter();
        let mut kernel = variant_of(job, binning, carried, options, &arrangement, filter);
        match &placing {
            Placing::Measures(measured) => kernel.across = measured.across(),
            Placing::Tensors(_) => by_tensors(&mut kernel),
            _ => {}
        }
        let across = placing.across(values);
        let along = axis(values_along, filter.map(|filter| filter.along));
        let axes = [&across, &along];
        let slots = match &placing {
            Placing::Filter(filter) => filter.slots,
            Placing::Tensors(tensor) => [tensor.slots, 1],
            _ => axes.map(|axis| axis.bins + 2),
        };
        let sight = sight_terms(binning.line_of_sight, lowest_along(binning) < 0.0);
        let filtered = |filter: &DeviceFilter| {
            let pad = request.pad(&arrangement, filter);
            filter_terms(filter, &kernel, sight.kind, pad)
        };
        let job = DeviceJob {
            across,
            along,
            images: image_terms(job.domain()),
            grid: grid_terms(&arrangement, placing.unit(), carried.labels.is_some()),
            sums: carried.terms(binning.n_bins as u32),
            filter: match &placing {
                Placing::Filter(filter) => filtered(filter),
                Placing::Tensors(tensor) => FilterTerms {
                    scale: tensor.scale,
                    ..FilterTerms::default()
                },
                _ => FilterTerms::default(),
            },
            tensor: match &placing {
                Placing::Tensors(tensor) => tensor.terms,
                _ => TensorTerms::default(),
            },
            sight,
            places: place_terms(axes, slots),
            order: order as u32,
            own: u32::from(order != Order::Cross),
            realisations: carried.realisations as u32,
            ..DeviceJob::default()
        };
        let table = placing.into_table();
        let grid = arrangement.grid();
        let memory = BlockMemory {
            slots: job.places.slots,
            carried,
            stretches: grid.map(|grid| [job.grid.n_rows, grid.row_parts]),
            entries: table.len(),
        };
        let doubtful = doubtful_share(axes);
        let variant = shaped(
            kernel,
            &memory,
            doubtful,
            options.tuning,
            request.abilities.shared,
        );
        let squares = |values: &[f64]| [values.to_vec(), values.iter().map(|v| v * v).collect()];
        Self {
            variant,
            order,
            job,
            across: squares(values),
            along: squares(values_along),
            table,
            translations: translations(request.job.domain()),
            rows: grid.map_or_else(Vec::new, |grid| match carried.labels {
                Some(_) => [&grid.rows[..], &grid.apart].concat(),
                None => grid.rows.clone(),
            }),
            windows: Vec::new(),
            boxes: grid.map_or_else(Default::default, |grid| {
                request.spans.each_ref().map(|spans| boxes(grid, spans))
            }),
            memory,
            shared: if variant.histogram == Histogram::Global {
                memory.beside_sums(&variant)
            } else {
                memory.bytes(&variant)
            },
            arrangement,
        }
    }

    /// The same plan with the bins in windows, and the fewest that there could be; none where that is not possible.
    fn in_windows(self, reach: Reach, shared_limit: usize) -> Option<(usize, Self)> {
        let grid = self.arrangement.grid()?;
        let axis = match reach {
            Reach::Sphere(_) => None,
            Reach::Cylinder { axis, .. } => Some(axis.index()),
        };
        let PlaceTerms { slots, stride, .. } = self.job.places;
        let labelled = self.memory.carried.labels.is_some();
        // Between labels the rows of both halves are met.
        let all = if labelled {
            grid.rows.len().max(grid.apart.len())
        } else {
            grid.rows.len()
        };
        let most = 2 * all.max(1) as u32;
        let batch = (ROWS_A_WINDOW / grid.row_parts).clamp(2, most);
        let batched = BlockMemory {
            stretches: Some([batch, grid.row_parts]),
            ..self.memory
        };
        let bytes = 4 * self.memory.carried.words_a_place();
        let room = shared_limit.checked_sub(batched.beside_sums(&self.variant) + bytes * 32)?;
        let separations = SeparationSlots {
            edges: &self.across[0],
            skip: self.job.across.skip,
            number: slots / stride,
        };
        let most = (room / (bytes * stride as usize)) as u32;
        let kinds = (self.order, labelled);
        let (rows, windows) = windows(grid, kinds, separations, axis, [most, batch])?;
        let fewest = separations.number.div_ceil(most.max(1)) as usize;
        let largest = |of: fn(&Window) -> u32| windows.iter().map(of).max().unwrap_or(0);
        let slots = largest(|w| w.slots) * stride;
        let n_rows = largest(Window::most_rows);
        let memory = BlockMemory {
            slots,
            stretches: Some([n_rows, grid.row_parts]),
            ..self.memory
        };
        let variant = Variant {
            histogram: Histogram::Shared,
            ..self.variant
        };
        let job = DeviceJob {
            grid: GridTerms {
                n_rows,
                ..self.job.grid
            },
            places: PlaceTerms {
                slots,
                ..self.job.places
            },
            ..self.job
        };
        let plan = Self {
            variant,
            job,
            rows,
            windows,
            memory,
            shared: memory.bytes(&variant),
            ..self
        };
        Some((fewest, plan))
    }

    /// Whether cells are of one label each.
    pub(super) fn is_labelled(&self) -> bool {
        self.memory.carried.labels.is_some()
    }

    /// The number of cells of the first or the second sample, those of all labels.
    pub(super) fn n_cells(&self, which: usize) -> u32 {
        match self.memory.carried.labels {
            Some(_) => labelled::number(&self.boxes[which]),
            None => self.arrangement.grid().map_or(1, Grid::number),
        }
    }

    /// The job of one window, the addresses in `job` given.
    pub(super) fn in_window(&self, job: &DeviceJob, window: usize) -> DeviceJob {
        let Some(window) = self.windows.get(window) else {
            return *job;
        };
        let stride = job.places.stride;
        DeviceJob {
            grid: GridTerms {
                rows: job.grid.rows.after(u64::from(window.rows.start)),
                n_rows: window.most_rows(),
                n_within: window.within,
                n_apart: window.apart(),
                ..job.grid
            },
            places: PlaceTerms {
                first: window.first * stride,
                slots: window.slots * stride,
                flushed: window.flushed * stride,
                ..job.places
            },
            filter: FilterTerms {
                pad: (window.pad * job.grid.unit) as f32,
                ..job.filter
            },
            own: u32::from(window.own),
            ..*job
        }
    }

    /// The plan's work in one line, for the record.
    pub(super) fn describe(&self) -> String {
        let how = match self.variant.arithmetic {
            Arithmetic::Float64 if self.variant.summed == Summed::Separations => {
                "float64, doubtful pairs by the rule"
            }
            Arithmetic::Float64 => "float64",
            Arithmetic::Filtered => "float32 filter, float64 recheck",
            Arithmetic::Float32 => "float32, approximate",
            Arithmetic::Tensor => "tensor cores, float64 recheck",
        };
        let Some(grid) = self.arrangement.grid() else {
            return format!("all pairs, {how}");
        };
        let [x, y, z] = grid.cells;
        let windows = match self.windows.len() {
            0 => String::new(),
            number => format!(" in {number} windows of the bins"),
        };
        format!("{x}x{y}x{z} cells{windows}, {how}")
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
