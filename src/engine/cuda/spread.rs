//! A job over all devices: cut into pieces that fit into their memory, units handed out as devices ask, sums merged.
//!
//! Entry: [`count`]. Each pair is visited once, in any division of the work: the sums are those of the whole job.

use std::ops::Range;

use albireo_gpu::{CudaError, Device, Devices};
use albireo_kernels::Arithmetic;

use super::carried::{Carried, Labels};
use super::choices::sorts;
use super::kept::{Kept, ScaledWeights};
use super::labelled::{Spans, spans};
use super::lines::Lines;
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
use crate::error::{EngineError, JobError};
use crate::pairs::Pairs;
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
    /// The lines that are counted; all of them where there is none.
    share: Option<&'a Share>,
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

/// A job, what the devices hold of its samples, where that is to be kept for the next count, and the run of its lines that is counted.
pub(super) type Asked<'a, D> = (
    &'a PairJob<'a>,
    Option<[&'a Samples<D>; 2]>,
    Option<&'a Share>,
);

/// A run of the lines of a job, the whole by its pairs.
#[derive(Debug)]
pub struct Share {
    /// The run.
    pub lines: Range<usize>,
    /// The fingerprint of the lines.
    pub print: u64,
    /// What they are worth together.
    pub pairs: u64,
}

/// Counts `what`, which the job admits, in as many passes as there are sets of weights: kernels sum by one.
///
/// # Errors
/// Sums without a kernel, a device that fails, too little memory for even the smallest piece, lines of another plan, or a stop asked for.
pub(super) fn count<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    asked: Asked<'_, D>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<(Tally, CudaTimings, String), EngineError> {
    let mut told: Option<(CudaTimings, String)> = None;
    let tally = what.pass_by_pass(|one| {
        let in_pass = |spread: &mut Spread<'_, D>| spread.add_all();
        let (tally, mut timings, plan) =
            in_pass_of(devices, options, asked, (one, progress), in_pass)?;
        if let Some((before, _)) = told.take() {
            timings.then(before);
        }
        told = Some((timings, plan));
        Ok::<_, EngineError>(tally)
    })?;
    let (timings, plan) = told.unwrap_or_default();
    Ok((tally, timings, plan))
}

/// The plan of each pass; none of a job without a pair.
///
/// # Errors
/// As [`count`].
pub(super) fn plans<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Vec<LaunchPlan>, EngineError> {
    let mut plans = vec![];
    what.pass_by_pass(|one| {
        let plan = |spread: &mut Spread<'_, D>| {
            plans.push(spread.plan(job, None)?.0);
            Ok(())
        };
        let asked = (job, None, None);
        let planned = in_pass_of(devices, options, asked, (one, progress), plan)?;
        Ok::<_, EngineError>(planned.0)
    })?;
    Ok(plans)
}

/// What `work` adds of one pass.
fn in_pass_of<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    (job, kept, share): Asked<'_, D>,
    (what, progress): (&CountSpec, &dyn Progress),
    work: impl FnOnce(&mut Spread<'_, D>) -> Result<(), EngineError>,
) -> Result<(Tally, CudaTimings, String), EngineError> {
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
    let of_share = |share: &Share| share.pairs;
    progress.begin(share.map_or_else(|| job.n_pairs(), of_share));
    let no_line = share.is_some_and(|share| share.lines.is_empty());
    if first.is_empty() || second.is_empty() || binning.n_bins == 0 || no_line {
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
        share,
        sought,
        progress,
        sums: Sums::default(),
        timings: CudaTimings::default(),
        description: String::new(),
        pieces: 0,
    };
    work(&mut spread)?;
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
    /// Counts the whole job, or a run of its lines, from what the devices hold; in pieces where that does not fit.
    fn add_all(&mut self) -> Result<(), EngineError> {
        let whole = Piece::whole(self.job.pairs());
        let pairs = self.share.map_or(whole.pairs(), |share| share.pairs);
        if self.kept.is_some() || self.share.is_some() {
            let lines = self.share.map(|share| &share.lines);
            match self.count(self.job, (self.weights, self.kept), (lines, pairs)) {
                Err(EngineError::Cuda(CudaError::Memory { .. })) => {
                    for kept in self.kept.take().into_iter().flatten() {
                        kept.forget();
                    }
                }
                other => return other,
            }
        }
        match self.share {
            None => self.add(&whole),
            Some(share) => self.add_lines(&share.lines),
        }
    }

    /// Counts some lines, with the rows alone that these meet; fewer at a time if those do not fit.
    fn add_lines(&mut self, lines: &Range<usize>) -> Result<(), EngineError> {
        let (plan, _) = self.plan(self.job, None)?;
        let of_plan = Lines::of(&plan, self.job);
        let Some(grid) = plan.arrangement.grid() else {
            let share = self.share.take();
            let pieces = of_plan.pieces(lines);
            pieces.iter().try_for_each(|piece| self.add(piece))?;
            self.share = share;
            return Ok(());
        };
        let rows = of_plan.rows_met(grid, lines);
        let picked = |sample: &Particles, rows: &[usize]| {
            let rows = sample.picked(rows.len(), &|k| rows[k]);
            rows.map_err(JobError::from)
        };
        let (first, second) = self.job.pairs().samples();
        let first = picked(first, &rows[0])?;
        let second = second.map(|second| picked(second, &rows[1])).transpose()?;
        let pairs = match &second {
            None => Pairs::Auto(&first),
            Some(second) => Pairs::Cross(&first, second),
        };
        let job = PairJob::of_placed(pairs, self.job.domain()).with_traversal(self.job.traversal());
        let of_second = if second.is_some() { &rows[1] } else { &rows[0] };
        let factors = self.weights.map(|weights| {
            let of = |k: usize, rows: &[usize]| -> Vec<f64> {
                rows.iter().map(|&row| weights[k][row]).collect()
            };
            [of(0, &rows[0]), of(1, of_second)]
        });
        let weights = factors
            .as_ref()
            .map(|both| both.each_ref().map(|one| &one[..]));
        match self.count(&job, (weights, None), (Some(lines), 0)) {
            Err(EngineError::Cuda(CudaError::Memory { .. })) if lines.len() > 1 => {
                let middle = lines.start + lines.len() / 2;
                self.add_lines(&(lines.start..middle))?;
                self.add_lines(&(middle..lines.end))
            }
            other => other,
        }
    }

    /// Counts a piece, in smaller pieces if it does not fit.
    fn add(&mut self, piece: &Piece) -> Result<(), EngineError> {
        let runs = piece.runs();
        let weights = self
            .weights
            .map(|w| [&w[0][runs[0].clone()], &w[1][runs[1].clone()]]);
        match piece.with_job(self.job, |job| {
            self.count(job, (weights, None), (None, piece.pairs()))
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

    /// What is carried besides the bin of each pair, by the kernels for these devices.
    fn carried(&self) -> Carried {
        // Measuring every pair takes somewhat more float64 than measuring those in bins alone.
        let mut devices = self.devices.all().iter();
        if devices.all(|d| d.float64_lanes() >= MANY_LANES) {
            self.sought.carried
        } else {
            self.sought.carried.one_by_one()
        }
    }

    /// The plan of `job`, and a notice where tensor cores had to be left out of it.
    fn plan(
        &self,
        job: &PairJob<'_>,
        kept: Option<[&Samples<D>; 2]>,
    ) -> Result<(LaunchPlan, &'static str), CudaError> {
        let devices = self.devices.all();
        let spans = self.spans(job, kept);
        let kinds = (self.carried(), &spans);
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

    /// Runs `job`, or the pairs in it that some lines of the whole job take, on every device at once.
    fn count(
        &mut self,
        job: &PairJob<'_>,
        (weights, kept): (Factors<'_>, Option<[&Samples<D>; 2]>),
        (lines, pairs): (Option<&Range<usize>>, u64),
    ) -> Result<(), EngineError> {
        let devices = self.devices.all();
        let carried = self.carried();
        let (plan, notice) = match (lines, self.share) {
            (Some(_), Some(share)) => {
                let (plan, notice) = self.plan(self.job, self.kept)?;
                if Lines::of(&plan, self.job).print() != share.print {
                    return Err(JobError::UnitsOfGpus.into());
                }
                (plan, notice)
            }
            _ => self.plan(job, kept)?,
        };
        let all = 0..Lines::of(&plan, job).number();
        let lines = lines.unwrap_or(&all);
        let (first, second) = job.pairs().samples();
        let rows = [first.len(), second.map_or(0, Particles::len)].map(|n| n as u64);
        let needed = bytes_needed(&plan, rows, &self.sought, kept.is_some());
        // Looked at before any device begins: what one of them counted would be lost with the piece.
        for device in devices {
            device.make_room(needed)?;
        }
        let queue = Queue::default();
        let work = (&queue, devices.len(), lines);
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
