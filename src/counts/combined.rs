//! Counts of separate samples put together, such as the two galactic caps of a survey.
//!
//! Entry: [`Counts::rescaled_sum`].

use super::{Counts, PairTotal};
use crate::error::CountsError;
use crate::exactness::Exactness;

impl Counts {
    /// `sum_c f_c X_c` of the weights in each bin and of the totals, each count times its factor; numbers of pairs add as they are.
    /// With sums whose numbers of pairs are not known ([`Counts::of_weights`]) those of all are not, and the sum is approximate.
    ///
    /// Pairs between the samples are in none of the counts, and classes are not kept apart. Values are float64 sums in the order given; separations are dropped. The
    /// design effect is that of all pairs together ([`PairTotal::of_all`]).
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind};
    /// use albireo::counts::PairTotal;
    /// use albireo::{Edges, Counts, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let of = |npairs: [u64; 2], total, job| {
    ///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
    ///     Counts::from_parts(bins.clone(), npairs.to_vec(), None, total, JobId(job))
    /// };
    /// let (north, south) = (of([6, 10], 45, 1)?, of([1, 2], 10, 2)?);
    /// let both = Counts::rescaled_sum((1.0, &north), &[(2.0, &south)])?;
    /// assert_eq!(both.npairs(), [7, 12]);
    /// assert_eq!(both.normalised(), [8.0 / 65.0, 14.0 / 65.0]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`CountsError`]: other bins, another kind of pairs, exact counts with approximate ones, or more pairs than fit into 64 bits.
    pub fn rescaled_sum(first: (f64, &Self), others: &[(f64, &Self)]) -> Result<Self, CountsError> {
        let mut sum = first.1.whole();
        let mut values = vec![0.0; sum.npairs.len()];
        let mut npairs = vec![0u64; sum.npairs.len()];
        let mut totals = Vec::with_capacity(1 + others.len());
        for &(factor, counts) in std::iter::once(&first).chain(others) {
            sum.check_addable(counts)?;
            sum.numbered &= counts.numbered;
            for (total, &part) in npairs.iter_mut().zip(counts.npairs()) {
                let added = total.checked_add(part);
                *total = added.ok_or(CountsError::Overflow("a pair count"))?;
            }
            for (total, value) in values.iter_mut().zip(counts.values()) {
                *total += factor * value;
            }
            totals.push(counts.in_its_unit(counts.total(), factor));
        }
        let mut pairs = totals.iter().map(|total| total.pairs);
        pairs
            .try_fold(0, u64::checked_add)
            .ok_or(CountsError::Overflow("the total number of pairs"))?;
        let mut total = PairTotal::of_all(sum.kind, &totals);
        if sum.numbered {
            sum.npairs = npairs;
        } else {
            sum.npairs.fill(0);
            sum.exactness = Exactness::Approximate;
            (total.pairs, total.design_effect) = (0, f64::INFINITY);
        }
        sum.sums.keep_weights();
        sum.set_weights(&values);
        sum.set_total(total);
        Ok(sum)
    }

    /// Refuses counts that a sum with these would mean nothing of.
    fn check_addable(&self, other: &Self) -> Result<(), CountsError> {
        let differ = |setting, left: String, right: String| {
            Err(CountsError::Setting {
                setting,
                left,
                right,
            })
        };
        if self.binning != other.binning {
            return Err(CountsError::of_bins(&self.binning, &other.binning));
        }
        if self.kind != other.kind {
            let [left, right] = [self, other].map(|counts| counts.kind.to_string());
            return differ("the kind of pairs", left, right);
        }
        if self.exactness != other.exactness && self.numbered && other.numbered {
            return Err(CountsError::Exactness {
                left: self.exactness,
                right: other.exactness,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::counts::{ExactSums, JobId, PairKind};

    #[test]
    fn pairs_without_numbers_leave_the_sum_without_numbers() {
        let bins = RBins::new(Edges::linear(0.0, 2.0, 2).unwrap());
        let weight = || ExactSums::from_parts(&[vec![3.0, 1.5]]).unwrap();
        let cross = PairTotal::unweighted(PairKind::Cross, 45);
        let npairs = vec![6, 2];
        let weighted =
            Counts::from_parts(bins.clone(), npairs, Some(weight()), cross, JobId(1)).unwrap();
        let of = (PairKind::Cross, 15.0);
        let weights = Counts::of_weights(bins, weight(), of, JobId(2)).unwrap();
        for [one, other] in [[&weighted, &weights], [&weights, &weighted]] {
            let both = Counts::rescaled_sum((1.0, one), &[(1.0, other)]).unwrap();
            assert_eq!(both.normalised(), [0.1, 0.05]);
            assert_eq!((both.npairs(), both.total().pairs), (&[0, 0][..], 0));
            assert!(!both.is_numbered() && both.exactness() == Exactness::Approximate);
        }
        let mut sum = weighted.clone().with_exactness(Exactness::Approximate);
        let refused = sum.merge(&weights).unwrap_err().to_string();
        assert!(refused.contains("the numbers of pairs"), "{refused}");
        assert!(weights.relative_variance().iter().all(|v| v.is_nan()));
        let parts = [
            [weights.clone(), weights.clone()],
            [weights.clone(), weighted],
        ];
        assert!(weights.with_regions(&parts).is_err());
    }
}
