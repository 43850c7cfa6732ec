//! Bins that reach beyond half of a box: each pair once, under its nearest image, wherever that is.
//!
//! Entry: [`serves`], [`count`]. Cells meet pairs under one image after the other, and rely on a reach that leaves but one of them in the bins. Here
//! all pairs meet, and each finds its image; species, which cells alone keep apart, are counted one with the other.

use albireo_gpu::{CudaError, Device, Devices};

use super::kept::Kept;
use super::options::{CudaOptions, KernelChoice, Precision};
use super::plan::LaunchPlan;
use super::spread::{self, Asked};
use super::timings::CudaTimings;
use crate::binning::{Bins, Form, Formed, PairOrder};
use crate::domain::Domain;
use crate::engine::{PairJob, Progress};
use crate::error::{EngineError, JobError};
use crate::pairs::Pairs;
use crate::particles::{Labels, Particles};
use crate::progress::OfPiece;
use crate::tally::{Classes, CountSpec, Tally, Terms};

/// Whether devices count `what` in bins beyond half of `domain`.
pub(super) fn serves(what: &CountSpec, domain: &Domain) -> bool {
    let Some(formed) = Formed::of(what.bins()) else {
        return false;
    };
    // Two species are met in one order of their points. Images n and -n may tie beyond half of a lattice, and which of them is taken depends on
    // that order, as do coordinates other than their length.
    let mirrored =
        matches!(formed.form, Form::Radial { .. }) || matches!(domain, Domain::Periodic(_));
    match what.classes() {
        Classes::One => true,
        Classes::Species => {
            let counts_alone = what.sums().is_empty()
                && what.pair_weight().is_none()
                && what.realisations().is_none();
            counts_alone && mirrored && formed.order == PairOrder::Unordered
        }
        Classes::Regions => false,
    }
}

/// All pairs, by float32 where its error is known at any separation: of wrapped fractions, whose sign near half of the box is not.
fn of_all_pairs(options: &CudaOptions, bins: &Bins) -> CudaOptions {
    let radial = Formed::of(bins).is_some_and(|formed| matches!(formed.form, Form::Radial { .. }));
    CudaOptions {
        precision: if radial {
            options.precision
        } else {
            Precision::Float64
        },
        kernel: match options.kernel {
            KernelChoice::Auto => KernelChoice::Shared,
            named => named,
        },
        ..options.clone()
    }
}

/// The particles of each label; nothing where there are no labels.
fn by_label(sample: &Particles) -> Result<Vec<Particles>, EngineError> {
    let number = sample.labels().map_or(0, Labels::number);
    let of = |label: u32| Ok(sample.of_labels(&[label]).map_err(JobError::from)?);
    (0..number).map(of).collect()
}

/// Counts `what` over every pair of a job, or those of a run of its lines, and says where the time went and how it was planned. What the devices
/// hold of the samples, where that is to be kept, serves the next count.
///
/// # Errors
/// A job for which `what` is not defined, sums without a kernel, classes, sums or bins that are not served beyond half of the box, a device that
/// fails, too little memory for even the smallest piece, or a stop asked for.
pub fn count<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    asked: Asked<'_, D>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<(Tally, CudaTimings, String), EngineError> {
    let job = asked.0;
    what.admit(job)?;
    if !what.reaches_beyond(job.domain()) {
        return spread::count(devices, options, asked, what, progress);
    }
    if !serves(what, job.domain()) {
        let what = "these classes, sums or bins beyond half of the box";
        return Err(CudaError::Unsupported(what).into());
    }
    let options = of_all_pairs(options, what.bins());
    if what.classes() == Classes::One {
        return spread::count(devices, &options, asked, what, progress);
    }
    by_species(devices, &options, job, what, progress)
}

/// The plan of each pass over a job, none of one without a pair; nothing where its pairs are not those of one plan.
///
/// # Errors
/// As [`count`].
pub(super) fn plans<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Option<Vec<LaunchPlan>>, EngineError> {
    if !what.reaches_beyond(job.domain()) {
        return spread::plans(devices, options, job, what, progress).map(Some);
    }
    if what.classes() != Classes::One || !serves(what, job.domain()) {
        return Ok(None);
    }
    let options = of_all_pairs(options, what.bins());
    spread::plans(devices, &options, job, what, progress).map(Some)
}

/// Counts the species of `job` one with the other.
fn by_species<D: Devices>(
    devices: &D,
    options: &CudaOptions,
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<(Tally, CudaTimings, String), EngineError> {
    let terms = Terms::new(what, job.pairs())?;
    let one = what.clone().with_classes(Classes::One);
    let (first, second) = job.pairs().samples();
    let firsts = by_label(first)?;
    let seconds = second.map(by_label).transpose()?;
    progress.begin(job.n_pairs());
    let (mut tally, mut told) = (terms.empty(), (CudaTimings::default(), String::new()));
    // A species is uploaded once for all its partners.
    let upload = |sample: &[Particles]| -> Vec<Kept<<D::Device as Device>::Memory>> {
        sample.iter().map(|_| Kept::default()).collect()
    };
    let held = [
        upload(&firsts),
        seconds.as_deref().map_or_else(Vec::new, upload),
    ];
    for (a, of_first) in firsts.iter().enumerate() {
        let others = seconds
            .as_ref()
            .map_or(&firsts[a..], |seconds| &seconds[..]);
        for (k, other) in others.iter().enumerate() {
            let (pairs, b, kept) = match &seconds {
                Some(_) => (Pairs::Cross(of_first, other), k, &held[1]),
                None if k == 0 => (Pairs::Auto(of_first), a, &held[0]),
                None => (Pairs::Cross(of_first, other), a + k, &held[0]),
            };
            let pair = PairJob::new(pairs, job.domain())?;
            let asked = (&pair, Some([&held[0][a], &kept[b]]), None);
            let progress = OfPiece(progress);
            let found = spread::count(devices, options, asked, &one, &progress)?;
            let [Some(table), _] = terms.tables().of(a as u32, b as u32) else {
                continue;
            };
            tally.add_table(table, found.0.pairs(), &[]);
            told.0.then(found.1);
            told.1 = found.2;
        }
    }
    Ok((tally, told.0, told.1))
}
