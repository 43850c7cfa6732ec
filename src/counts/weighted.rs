//! Counts whose weights are more than the product of two: which particles they take, and what they are normalised by.

use super::brute_force::weights_of_all;
use super::label_sums::{PairSums, totals};
use super::{PairKind, PairTotal};
use crate::error::{EngineError, JobError};
use crate::pairs::{PairJob, Pairs};
use crate::progress::Progress;
use crate::tally::{Classes, CountSpec, InverseProbability, PairNormalisation, PairWeight};

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

/// The totals of a job.
pub(super) struct JobTotals {
    /// Of all pairs.
    pub(super) whole: PairTotal,
    /// Of each class, in the order of the tables; none of pairs of one class.
    pub(super) classes: Vec<PairTotal>,
    /// Where classes are regions, of the pairs with no point in each.
    pub(super) outside: Vec<PairTotal>,
}

impl JobTotals {
    /// Those of the pairs of `job` and of the classes that are counted.
    ///
    /// # Errors
    /// As [`totals_of`].
    pub(super) fn of(
        job: &PairJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let kind = PairKind::of(job.pairs(), what.order());
        let inverse = what.pair_weight().and_then(PairWeight::inverse);
        let all = totals_of(job, &what.clone().with_classes(Classes::One), progress)?;
        let whole = all.first().copied().unwrap_or(PairTotal::zero(kind));
        let (classes, outside) = match what.classes() {
            Classes::One => (vec![], vec![]),
            Classes::Species => (totals_of(job, what, progress)?, vec![]),
            Classes::Regions => {
                let by_label = PairSums::of(job.pairs(), inverse)?;
                let totals = by_label.totals(Classes::Regions, kind);
                let totals = with_weights_of_all(job, what, totals, progress)?;
                (totals, by_label.outside(kind))
            }
        };
        let mut totals = Self {
            whole,
            classes,
            outside,
        };
        if inverse.is_some_and(|inverse| inverse.normalisation() == PairNormalisation::BruteForce) {
            // All pairs have been looked at: what is left of them is what neither table of the region holds.
            for k in 0..totals.outside.len() {
                let held = [
                    totals.classes[k],
                    across(&totals.classes, totals.outside.len(), k),
                ];
                totals.outside[k].weight = whole.weight - held[0].weight - held[1].weight;
            }
        }
        Ok(totals)
    }
}

/// The total of the pairs with one point in region k of n: of one table, or of two by which point it is.
pub(super) fn across(classes: &[PairTotal], n: usize, k: usize) -> PairTotal {
    let first = classes[n + k];
    match classes.get(2 * n + k) {
        None => first,
        Some(second) => PairTotal::of_all(first.kind, &[first, *second]),
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
    let kind = PairKind::of(pairs, what.order());
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
