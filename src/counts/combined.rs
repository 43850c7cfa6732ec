//! Counts of separate samples put together, such as the two galactic caps of a survey, and counts by region made elsewhere.
//!
//! Entry: [`Counts::rescaled_sum`], [`RegionCounts::from_parts`].

use super::regions::Region;
use super::{Counts, ExactSums, PairTotal, RegionCounts};
use crate::error::{CountsError, MergeError};
use crate::exactness::Exactness;

impl Counts {
    /// `sum_c f_c X_c` of the weights in each bin and of the totals, each count times its factor; numbers of pairs add as they are.
    ///
    /// Pairs between the samples are in none of the counts. Values are float64 sums in the order given; separations are dropped. The
    /// design effect is that of all pairs together ([`PairTotal::of_all`]).
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind};
    /// use albireo::{Edges, Counts, PairTotal, RBins};
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
    /// [`MergeError`]: other bins, another kind of pairs, exact counts with approximate ones, or more pairs than fit into 64 bits.
    pub fn rescaled_sum(first: (f64, &Self), others: &[(f64, &Self)]) -> Result<Self, MergeError> {
        let mut sum = first.1.clone();
        let mut values = vec![0.0; sum.npairs.len()];
        let mut npairs = vec![0u64; sum.npairs.len()];
        let mut totals = Vec::with_capacity(1 + others.len());
        for &(factor, counts) in std::iter::once(&first).chain(others) {
            sum.check_addable(counts)?;
            for (total, &part) in npairs.iter_mut().zip(&counts.npairs) {
                let added = total.checked_add(part);
                *total = added.ok_or(MergeError::Overflow("a pair count"))?;
            }
            for (total, value) in values.iter_mut().zip(counts.values()) {
                *total += factor * value;
            }
            totals.push(counts.in_its_unit(counts.total(), factor));
        }
        let mut pairs = totals.iter().map(|total| total.pairs);
        pairs
            .try_fold(0, u64::checked_add)
            .ok_or(MergeError::Overflow("the total number of pairs"))?;
        sum.npairs = npairs;
        sum.sums.keep_weights();
        sum.set_weights(&values);
        sum.set_total(PairTotal::of_all(sum.kind, &totals));
        Ok(sum)
    }

    /// Refuses counts that a sum with these would mean nothing of.
    fn check_addable(&self, other: &Self) -> Result<(), MergeError> {
        let differ = |setting, left: String, right: String| {
            Err(MergeError::Setting {
                setting,
                left,
                right,
            })
        };
        if self.binning != other.binning {
            return Err(MergeError::of_bins(&self.binning, &other.binning));
        }
        if self.kind != other.kind {
            let [left, right] = [self, other].map(|counts| counts.kind.to_string());
            return differ("the kind of pairs", left, right);
        }
        if self.exactness != other.exactness {
            return Err(MergeError::Exactness {
                left: self.exactness,
                right: other.exactness,
            });
        }
        Ok(())
    }
}

impl RegionCounts {
    /// Counts by region made elsewhere: all pairs, and of each region those within it and those with one point in it.
    ///
    /// Where sums of weights have been rounded to float64, so is what is left of them without a region.
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind, RegionCounts};
    /// use albireo::{Edges, Counts, PairTotal, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
    /// let of = |npairs, total| {
    ///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
    ///     Counts::from_parts(bins.clone(), vec![npairs], None, total, JobId(1))
    /// };
    /// let regions = vec![[of(1, 1)?, of(1, 4)?], [of(1, 1)?, of(1, 4)?]];
    /// let counts = RegionCounts::from_parts(of(3, 6)?, regions)?;
    /// assert_eq!((counts.without(0, 1.0).npairs(), counts.without(0, 1.0).total().pairs), (&[1][..], 1));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`CountsError::Regions`]: fewer than two regions, other bins, weights in some counts only, or numbers of pairs that
    /// do not add up to those of all: each pair lies within a region or across the borders of two.
    pub fn from_parts(whole: Counts, regions: Vec<[Counts; 2]>) -> Result<Self, CountsError> {
        if regions.len() < 2 {
            let found = format!("2 regions are needed at least, found {}", regions.len());
            return Err(CountsError::Regions(found));
        }
        check_parts(&whole, &regions)?;
        let total = whole.total();
        let outside = |[within, across]: &[Counts; 2]| {
            let (within, across) = (within.total(), across.total());
            let pairs = total.pairs.checked_sub(within.pairs);
            let pairs = pairs.and_then(|pairs| pairs.checked_sub(across.pairs));
            let weight = total.weight - within.weight - across.weight;
            pairs.map(|pairs| PairTotal {
                pairs,
                weight,
                ..total
            })
        };
        let mut all = Vec::with_capacity(regions.len());
        for (k, parts) in regions.into_iter().enumerate() {
            let outside = outside(&parts).ok_or_else(|| {
                CountsError::Regions(format!("region {k} has more pairs in all than there are"))
            })?;
            let [within, across] = parts;
            all.push(Region {
                within,
                across,
                outside,
            });
        }
        let mut counts = Self {
            whole,
            regions: all,
        };
        counts.align();
        Ok(counts)
    }

    /// Brings all sums to one exponent.
    fn align(&mut self) {
        let parts = self.regions.iter_mut();
        let parts = parts.flat_map(|region| [&mut region.within, &mut region.across]);
        let all = std::iter::once(&mut self.whole).chain(parts);
        let mut sums: Vec<&mut ExactSums> = Vec::new();
        for counts in all {
            counts.sums.keep_weights();
            sums.extend(counts.sums.weights_mut());
        }
        ExactSums::align(&mut sums);
    }
}

/// Refuses parts that are not those of the whole.
fn check_parts(whole: &Counts, regions: &[[Counts; 2]]) -> Result<(), CountsError> {
    let refuse = |what: String| Err(CountsError::Regions(what));
    let alike =
        |part: &Counts| part.binning == whole.binning && part.is_weighted() == whole.is_weighted();
    if let Some(k) = regions.iter().position(|parts| !parts.iter().all(alike)) {
        return refuse(format!(
            "those of region {k} are in other bins or weighted otherwise"
        ));
    }
    for (bin, &expected) in whole.npairs.iter().enumerate() {
        let part = |which: usize| -> u128 {
            let parts = regions.iter().map(|parts| parts[which].npairs[bin]);
            parts.map(u128::from).sum()
        };
        // A pair across a border is one of two regions.
        let (twice, expected) = (2 * part(0) + part(1), 2 * u128::from(expected));
        if twice != expected {
            return refuse(format!(
                "in bin {bin} they hold {} pairs, not {}",
                twice as f64 / 2.0,
                expected / 2
            ));
        }
    }
    let exact = |part: &Counts| part.exactness == whole.exactness;
    if whole.exactness == Exactness::Exact && !regions.iter().flatten().all(exact) {
        return refuse("some are approximate".to_owned());
    }
    Ok(())
}
