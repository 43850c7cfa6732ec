//! Parts of a job on GPUs: runs of the lines that they sort into, so that nothing is sorted but once.
//!
//! Entry: [`units`], [`tally_units`]. Lines are a function of the samples, the domain and what is counted, on all GPUs of one kind. Samples stay
//! sorted on the devices from one run to the next.

use std::ops::Range;

use albireo_gpu::{CudaError, Devices};

use super::beyond;
use super::lines::Lines;
use super::options::CudaOptions;
use super::spread::{Samples, Share};
use super::timings::CudaTimings;
use crate::engine::held::without_held;
use crate::engine::mirrored::InOneOrder;
use crate::engine::owners::Owning;
use crate::engine::units::LinesOfGpus;
use crate::engine::{Exactness, PairJob, Progress, Units};
use crate::error::EngineError;
use crate::progress::OfPiece;
use crate::tally::{CountSpec, Tally};

/// The lines of a job as its units; groups of particles where its pairs are not shared out by lines.
///
/// # Errors
/// A job for which `what` is not defined, sums without a kernel, a device that fails, or a stop asked for.
pub fn units<D: Devices>(
    (devices, options): (&D, &CudaOptions),
    job: &PairJob<'_>,
    what: &CountSpec,
    exactness: Exactness,
    progress: &dyn Progress,
) -> Result<Units, EngineError> {
    what.admit(job)?;
    let one_order = InOneOrder::of(job, what, exactness)?;
    let once = one_order.as_ref().map_or(what, InOneOrder::what);
    let plans = beyond::plans(
        devices,
        options,
        job,
        &once.clone().without_cuts(),
        progress,
    )?;
    let lines = plans.iter().flatten().map(|plan| Lines::of(plan, job));
    let lines: Vec<Lines<'_>> = lines.collect();
    let prints: Vec<u64> = lines.iter().map(Lines::print).collect();
    if plans.is_none() || prints.windows(2).any(|both| both[0] != both[1]) {
        return Units::sorted(job, what, progress);
    }
    // Without a pair there is no plan.
    let costs = lines.first().map_or_else(Vec::new, Lines::costs);
    let print = prints.first().copied().unwrap_or(0);
    Ok(Units::of_lines(
        job,
        costs,
        LinesOfGpus { print, one_order },
    ))
}

/// What the devices hold of the samples of a job, which is kept for the next run, and the run of units that is counted.
pub(super) type PartOf<'a, D> = (
    &'a PairJob<'a>,
    [&'a Samples<D>; 2],
    (&'a Units, Range<usize>),
);

/// Counts what a run of lines takes; nothing where the units are no lines.
///
/// # Errors
/// Units of another job or of GPUs of another kind, too little memory for what a single line meets, a device that fails, or a stop asked for.
pub fn tally_units<D: Devices>(
    (devices, options): (&D, &CudaOptions),
    (job, kept, (units, run)): PartOf<'_, D>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Option<(Tally, CudaTimings, String)>, EngineError> {
    what.admit(job)?;
    let Some(lines) = units.lines(job, &run)? else {
        return Ok(None);
    };
    let one_order = lines.one_order.as_ref();
    let once = one_order.map_or(what, InOneOrder::what);
    let share = Share {
        lines: run.clone(),
        print: lines.print,
        pairs: units.pairs(run.clone()),
    };
    // Pairs that are counted one by one are shared out as all others.
    let by_pair = !what.cuts().is_empty() || one_order.is_some_and(InOneOrder::looks_at_pairs);
    let plans = if by_pair {
        let all = once.clone().without_cuts();
        beyond::plans(devices, options, job, &all, &OfPiece(progress))?
    } else {
        None
    };
    let plan = plans.as_ref().and_then(|plans| plans.first());
    let owners = plan.map(|plan| Lines::of(plan, job).taken_by(run));
    let owners = owners.as_ref().map(|owners| owners as &dyn Owning);
    let mut told = None;
    let count = |all: &CountSpec| {
        let asked = (job, Some(kept), Some(&share));
        let (tally, timings, plan) = beyond::count(devices, options, asked, all, progress)?;
        told = Some((timings, plan));
        Ok(tally)
    };
    let tally = without_held(job, once, owners, progress, count)?;
    let tally = tally.ok_or(CudaError::Unsupported("these cuts"))?;
    let tally = match one_order {
        Some(one) => one.in_both(job, what, owners, &tally)?,
        None => tally,
    };
    let (timings, plan) = told.unwrap_or_default();
    Ok(Some((tally, timings, plan)))
}
