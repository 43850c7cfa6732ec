//! A job over all devices: cut into pieces that fit into their memory, units handed out as devices ask, sums merged.
//!
//! Entry: [`count`]. Each pair is visited once, in any division of the work: the sums are those of the whole job.

use albireo_gpu::{CudaError, Device, Devices};
use albireo_kernels::Arithmetic;

use super::carried::{Carried, Labels};
use super::choices::sorts;
use super::kept::{Kept, ScaledWeights};
use super::labelled::{Spans, spans};
use super::options::{CudaOptions, KernelChoice};
use super::plan::{Abilities, LaunchPlan};
use super::run::{bytes_needed, run};
use super::samples::Given;
use super::summed::Sought;
use super::sums::Sums;
use super::tensor::tensors_keep_their_bound;
use super::timings::CudaTimings;
use super::units::Queue;
use crate::binning::Formed;
use crate::engine::pieces::Piece;
use crate::engine::{PairJob, Progress};
use crate::error::EngineError;
use crate::particles::Particles;
use crate::tally::{CountSpec, Tables, Tally, Terms};

/// Float64 operations a cycle, of a multiprocessor, from which on every pair is measured where that will do: of two, those that are not in
/// bins would cost more than their queue.
const MANY_LANES: u32 = 16;

/// A job on its way through the devices.
struct Spread<'a, D: Devices> {
    devices: &'a D,
    options: &'a CudaOptions,
    job: &'a PairJob<'a>,
    binning: Formed<'a>,
    weights: Factors<'a>,
    scaled: [ScaledWeights; 2],
    kept: Option<[&'a Samples<D>; 2]>,
    sought: Sought<'a>,
    progress: &'a dyn Progress,
    sums: Sums,
    timings: CudaTimings,
    description: String,
    pieces: usize,
}

/// Factors of the products to sum, if any, of both samples.
type Factors<'a> = Option<[&'a [f64]; 2]>;

/// What the devices hold of a sample.
pub(super) type Samples<D> = Kept<<<D as Devices>::Device as Device>::Memory>;

/// The labels of the pairs of a job, where its classes are more than one.
fn labels(
    tables: Tables,
    job: &PairJob<'_>,
    options: &CudaOptions,
) -> Result<Option<Labels>, CudaError> {
    if tables.is_one() {
        return Ok(None);
    }
    if options.kernel != KernelChoice::Auto {
        return Err(CudaError::Unsupported(
            "classes of pairs among those that have a name",
        ));
    }
    if !sorts(job.domain()) {
        return Err(CudaError::Unsupported(
            "classes of pairs in so skewed a lattice",
        ));
    }
    let (first, second) = job.pairs().both();
    let number = |sample: &Particles| sample.labels().map_or(0, crate::particles::Labels::number);
    Ok(Some(Labels {
        numbers: [first, second].map(number),
        tables,
    }))
}

/// Counts `what`, which the job admits, in as many passes as there are sets of weights: kernels sum by one. What the devices hold of the samples,
/// where that is to be kept, serves the next count.
///
/// # Errors
/// Sums without a kernel, a device that fails, too little memory for even the smallest piece, or a stop asked for.
pub(super) fn count<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    job: (&PairJob<'_>, Option<[&Samples<D>; 2]>),
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<(Tally, CudaTimings, String), EngineError> {
    let mut told: Option<(CudaTimings, String)> = None;
    let tally = what.pass_by_pass(|one| {
        let (tally, mut timings, plan) = count_pass(devices, options, job, one, progress)?;
        if let Some((before, _)) = told.take() {
            timings.then(before);
        }
        told = Some((timings, plan));
        Ok::<_, EngineError>(tally)
    })?;
    let (timings, plan) = told.unwrap_or_default();
    Ok((tally, timings, plan))
}

/// Counts in one pass.
fn count_pass<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    job: (&PairJob<'_>, Option<[&Samples<D>; 2]>),
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<(Tally, CudaTimings, String), EngineError> {
    let (job, kept) = job;
    let binning = Formed::of(what.bins()).ok_or_else(|| CudaError::Binning(what.bins().name()))?;
    // The value of an expression may depend on the order where bins do not.
    let binning = Formed {
        order: what.order(),
        ..binning
    };
    let terms = Terms::new(what, job.pairs())?;
    let labels = labels(*terms.tables(), job, options)?;
    let sought = Sought::of((what, job.pairs()), &terms, labels)?;
    let weights = sought.carried.weighted.then(|| terms.factors());
    let (first, second) = job.pairs().both();
    progress.begin(job.n_pairs());
    if first.is_empty() || second.is_empty() || binning.n_bins == 0 {
        return Ok((
            terms.empty(),
            CudaTimings::default(),
            "nothing to count".to_owned(),
        ));
    }
    let mut spread = Spread {
        devices,
        options,
        job,
        binning,
        weights,
        scaled: what
            .weight_exponents(job.pairs())
            .map(|exponent| (what.weight_set(), exponent)),
        kept,
        sought,
        progress,
        sums: Sums::default(),
        timings: CudaTimings::default(),
        description: String::new(),
        pieces: 0,
    };
    spread.add_all()?;
    let Sums { npairs, sums } = spread.sums;
    let mut tally = terms.empty();
    let (n_bins, all) = (tally.n_bins(), npairs.len());
    for (table, pairs) in npairs.chunks(n_bins).enumerate() {
        let of_table = table * n_bins..(table + 1) * n_bins;
        let sums = sums.chunks(all).map(|sum| &sum[of_table.clone()]);
        tally.add_table(table, pairs, &sums.collect::<Vec<_>>());
    }
    let mut description = spread.description;
    if spread.pieces > 1 {
        description = format!("{description}, in {} pieces", spread.pieces);
    }
    Ok((tally, spread.timings, description))
}

impl<D: Devices> Spread<'_, D> {
    /// Counts the whole job from what the devices hold; piece by piece where that does not fit.
    fn add_all(&mut self) -> Result<(), EngineError> {
        let whole = Piece::whole(self.job.pairs());
        if let Some(kept) = self.kept {
            match self.count(self.job, (self.weights, Some(kept)), whole.pairs()) {
                Err(EngineError::Cuda(CudaError::Memory { .. })) => {
                    for kept in kept {
                        kept.forget();
                    }
                }
                other => return other,
            }
        }
        self.add(&whole)
    }

    /// Counts a piece, in smaller pieces if it does not fit.
    fn add(&mut self, piece: &Piece) -> Result<(), EngineError> {
        let runs = piece.runs();
        let weights = self
            .weights
            .map(|w| [&w[0][runs[0].clone()], &w[1][runs[1].clone()]]);
        match piece.with_job(self.job, |job| {
            self.count(job, (weights, None), piece.pairs())
        }) {
            Err(EngineError::Cuda(error @ CudaError::Memory { .. })) => {
                let smaller = piece.cut(self.binning.order).ok_or(error)?;
                smaller.iter().try_for_each(|piece| self.add(piece))
            }
            other => other,
        }
    }

    /// Where the labels of both samples lie; nothing without labels, or for the second sample where there is none.
    fn spans(&self, job: &PairJob<'_>, kept: Option<[&Samples<D>; 2]>) -> [Spans; 2] {
        if self.sought.carried.labels.is_none() {
            return Default::default();
        }
        let (first, second) = job.pairs().samples();
        let of = |k: usize, sample: &Particles| match kept {
            Some(kept) => kept[k].spans(|| spans(sample)),
            None => spans(sample),
        };
        [
            of(0, first),
            second.map_or_else(Spans::new, |second| of(1, second)),
        ]
    }

    /// The plan of `job`, and a notice where tensor cores had to be left out of it.
    fn plan(
        &self,
        job: &PairJob<'_>,
        kinds: (Carried, &[Spans; 2]),
    ) -> Result<(LaunchPlan, &'static str), CudaError> {
        let devices = self.devices.all();
        let abilities = Abilities {
            shared: devices
                .iter()
                .map(Device::shared_limit)
                .min()
                .unwrap_or_default(),
            tensors: devices.iter().all(|d| d.tensor_cores().is_some()),
        };
        let plan = |abilities| LaunchPlan::new(job, &self.binning, kinds, self.options, abilities);
        let found = plan(abilities);
        if found.variant.arithmetic != Arithmetic::Tensor {
            return Ok((found, ""));
        }
        let kept = self.devices.on_each(tensors_keep_their_bound);
        if kept.into_iter().collect::<Result<Vec<_>, _>>()? == vec![true; devices.len()] {
            return Ok((found, ""));
        }
        let without = Abilities {
            tensors: false,
            ..abilities
        };
        let notice =
            "; not by tensor cores, whose sums are less exact on these devices than counts rely on";
        Ok((plan(without), notice))
    }

    /// Runs `job` on every device at once.
    fn count(
        &mut self,
        job: &PairJob<'_>,
        (weights, kept): (Factors<'_>, Option<[&Samples<D>; 2]>),
        pairs: u64,
    ) -> Result<(), EngineError> {
        let devices = self.devices.all();
        let spans = self.spans(job, kept);
        // Measuring every pair takes somewhat more float64 than measuring those in bins alone.
        let carried = if devices.iter().all(|d| d.float64_lanes() >= MANY_LANES) {
            self.sought.carried
        } else {
            self.sought.carried.one_by_one()
        };
        let (plan, notice) = self.plan(job, (carried, &spans))?;
        let (first, second) = job.pairs().samples();
        let rows = [first.len(), second.map_or(0, Particles::len)].map(|n| n as u64);
        let needed = bytes_needed(&plan, rows, &self.sought, kept.is_some());
        // Looked at before any device begins: what one of them counted would be lost with the piece.
        for device in devices {
            device.make_room(needed)?;
        }
        let queue = Queue::default();
        let work = (&queue, devices.len());
        let samples = [Some(first), second].into_iter().flatten().enumerate();
        let given = samples.map(|(k, particles)| Given {
            particles,
            weight: weights.map(|weights| (weights[k], self.scaled[k])),
            labels: carried
                .labels
                .and_then(|_| Some(particles.labels()?.values())),
            bits: particles.bits().filter(|_| carried.words > 0),
            columns: &particles.columns()[..carried.columns[k]],
            directions: carried.directions,
            kept: kept.map(|kept| kept[k]),
        });
        let given: Vec<_> = given.collect();
        let sought = (&given[..], &self.sought);
        let results = self.devices.on_each(|device| {
            let result = run(device, &plan, (job, pairs), sought, work, self.progress);
            if result.is_err() {
                queue.close();
            }
            result
        });
        let mut sums = Sums::default();
        let mut timings = CudaTimings::default();
        for result in results {
            let (part, times) = result?;
            sums.add(&part);
            timings.beside(times);
        }
        self.sums.add(&sums);
        self.timings.then(timings);
        self.description = plan.describe() + notice;
        self.pieces += 1;
        Ok(())
    }
}
