//! Counts whose weights are more than the product of two: which particles they take, and what they are normalised by.

use super::brute_force::weights_of_all;
use super::classes::totals;
use super::{PairKind, PairTotal};
use crate::error::{EngineError, JobError};
use crate::pairs::{PairJob, Pairs};
use crate::progress::Progress;
use crate::tally::{CountSpec, InverseProbability, PairNormalisation, PairWeight};

/// Hands `count` the job, or where one of two samples alone has the bits that inverse probabilities are made of, the same job with
/// individual weights in their place.
pub(super) fn with_individual<T>(
    job: &PairJob<'_>,
    what: CountSpec,
    count: impl FnOnce(&PairJob<'_>, CountSpec) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let inverse = what.pair_weight().and_then(PairWeight::inverse).cloned();
    let (Some(inverse), Pairs::Cross(first, second)) = (inverse, job.pairs()) else {
        return count(job, what);
    };
    let individual = |sample| inverse.individual(sample).map_err(JobError::from);
    let of = |pairs| PairJob::of_placed(pairs, job.domain()).with_traversal(job.traversal());
    match [first, second].map(|sample| sample.bits().is_some()) {
        [true, false] => {
            let first = individual(first)?;
            count(&of(Pairs::Cross(&first, second)), what.without_inverse())
        }
        [false, true] => {
            let second = individual(second)?;
            count(&of(Pairs::Cross(first, &second)), what.without_inverse())
        }
        _ => count(job, what),
    }
}

/// The total of each class of the pairs of `job`.
///
/// # Errors
/// Samples without labels, or a stop asked for through `progress` while all pairs are looked at.
pub(super) fn totals_of(
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Vec<PairTotal>, EngineError> {
    let pairs = job.pairs();
    let kind = PairKind::of(pairs, what.bins());
    let inverse = what.pair_weight().and_then(PairWeight::inverse);
    let totals = totals(pairs, what.classes(), kind, inverse)?;
    with_weights_of_all(job, what, totals, progress)
}

/// The totals with the weights of all pairs, looked at one by one, where that is how they are normalised.
///
/// # Errors
/// A stop asked for through `progress`.
pub(super) fn with_weights_of_all(
    job: &PairJob<'_>,
    what: &CountSpec,
    mut totals: Vec<PairTotal>,
    progress: &dyn Progress,
) -> Result<Vec<PairTotal>, EngineError> {
    let (pairs, inverse) = (
        job.pairs(),
        what.pair_weight().and_then(PairWeight::inverse),
    );
    let by_force =
        |inverse: &&InverseProbability| inverse.normalisation() == PairNormalisation::BruteForce;
    if let Some(inverse) = inverse.filter(by_force) {
        let weights = weights_of_all(pairs, what, inverse, progress)?;
        for (total, weight) in totals.iter_mut().zip(weights) {
            total.weight = weight;
        }
    }
    Ok(totals)
}
