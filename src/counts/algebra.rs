//! Counts in other bins and with other weights: put together, left out, folded, continued, multiplied.
//!
//! Entry: [`Counts::rebin`], [`Counts::slice`], [`Counts::wrap`], [`Counts::concatenate`], [`Counts::scale`] and [`Counts::renormalise`]; counts
//! of other particles are added by [`Counts::merge`]. Numbers of pairs and sums are integers, and stay what they are to the last digit.

use super::{ClassAxis, Counts, ExactSums, Held, PairKind, PairTotal};
use crate::binning::{Axes, Bins, PairOrder, RowMap};
use crate::error::CountsError;
use crate::tally::Classes;

impl Counts {
    /// The counts in coarser bins: `by[k]` neighbouring bins of axis k together.
    ///
    /// They are those that would be counted in these bins, sums and all.
    ///
    /// ```
    /// use albireo::counts::JobId;
    /// use albireo::{Counts, Edges, RBins, counts::{PairKind, PairTotal}};
    /// let bins = RBins::new(Edges::linear(0.0, 4.0, 4)?);
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
    /// let fine = Counts::from_parts(bins, vec![1, 2, 3, 4], None, total, JobId(1))?;
    /// let coarse = fine.rebin(&[2])?;
    /// assert_eq!(coarse.npairs(), [3, 7]);
    /// assert_eq!(coarse.binning().axes()[0].edges, [0.0, 2.0, 4.0]);
    /// assert_eq!(coarse.total(), fine.total());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bins::rebin`]; a sum too large for its integer.
    pub fn rebin(&self, by: &[usize]) -> Result<Self, CountsError> {
        let map = Axes::of(&self.binning)?.rebin(by)?;
        self.gathered(self.binning.rebin(by)?, &map)
    }

    /// The counts in the whole bins within `ranges[k]` of axis k, in all of them where it is none; the total stays that of all pairs.
    ///
    /// ```
    /// use albireo::counts::JobId;
    /// use albireo::{Counts, Edges, RBins, counts::{PairKind, PairTotal}};
    /// let bins = RBins::new(Edges::linear(0.0, 4.0, 4)?);
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
    /// let all = Counts::from_parts(bins, vec![1, 2, 3, 4], None, total, JobId(1))?;
    /// assert_eq!(all.slice(&[Some([1.0, 3.5])])?.npairs(), [2, 3]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bins::slice`].
    pub fn slice(&self, ranges: &[Option<[f64; 2]>]) -> Result<Self, CountsError> {
        let map = Axes::of(&self.binning)?.slice(ranges)?;
        self.gathered(self.binning.slice(ranges)?, &map)
    }

    /// The counts in bins of |mu| or |pi|, of those in bins of mu or pi.
    ///
    /// Auto counts of both orders then hold each pair twice in one bin, unless the line of sight is through one end, where the two differ. They
    /// are halved, their total too, and hold each pair once, as counts in such bins do; Legendre sums of odd degree are then 0.
    ///
    /// ```
    /// use albireo::counts::{PairKind, count_pairs};
    /// use albireo::engine::Silent;
    /// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, Points, RpPiBins, SignedEdges};
    /// let sample = Particles::new(Points::from_rows(&[[0.0; 3], [0.5, 0.0, 1.5], [0.0, 0.5, 0.2]])?);
    /// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    /// let bins = |lo, n| {
    ///     let (rp, pi) = (Edges::linear(0.0, 2.0, 2)?, SignedEdges::linear(lo, 2.0, n)?);
    ///     RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))
    /// };
    /// let signed = count_pairs(&Naive, &job, bins(-2.0, 4)?, &Silent)?;
    /// assert_eq!(signed.kind(), PairKind::AutoOrdered);
    /// assert_eq!(signed.wrap()?, count_pairs(&Naive, &job, bins(0.0, 2)?, &Silent)?);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bins::wrap`]; counts that should hold each pair twice, but have an odd number of pairs in a bin, or classes.
    pub fn wrap(&self) -> Result<Self, CountsError> {
        let map = Axes::of(&self.binning)?.wrap()?;
        let wrapped = self.gathered(self.binning.wrap()?, &map)?;
        let once = wrapped.binning.order() == PairOrder::Unordered;
        if once && wrapped.kind == PairKind::AutoOrdered {
            return wrapped.each_pair_once();
        }
        Ok(wrapped)
    }

    /// The counts in these bins and in those of `next`, which adjoin along one axis: of the same particles, with the same settings and totals.
    ///
    /// ```
    /// use albireo::counts::JobId;
    /// use albireo::{Counts, Edges, RBins, counts::{PairKind, PairTotal}};
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
    /// let count = |edges: &[f64], npairs: &[u64]| -> Result<Counts, albireo::Error> {
    ///     let bins = RBins::new(Edges::new(edges.to_vec())?);
    ///     Ok(Counts::from_parts(bins, npairs.to_vec(), None, total, JobId(1))?)
    /// };
    /// let (near, far) = (count(&[0.0, 1.0], &[1])?, count(&[1.0, 2.0, 4.0], &[2, 7])?);
    /// assert_eq!(near.concatenate(&far)?, count(&[0.0, 1.0, 2.0, 4.0], &[1, 2, 7])?);
    /// assert!(far.concatenate(&near).is_err());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bins::concatenate`]; counts of other particles or of other parts of them, with other settings, sums or totals.
    pub fn concatenate(&self, next: &Self) -> Result<Self, CountsError> {
        let bins = self.binning.concatenate(&next.binning)?;
        let [of_self, of_next] = Axes::of(&self.binning)?.concatenate(&Axes::of(&next.binning)?)?;
        self.check_settings(next)?;
        if !self.covers.is_same(&next.covers) || !self.classes.is_same(&next.classes) {
            return Err(CountsError::OtherPairs);
        }
        let mut all = self.gathered(bins.clone(), &of_self)?;
        all.add_counts_of(&next.gathered(bins, &of_next)?)?;
        all.covers = all.covers.adjoined(&next.covers);
        Ok(all)
    }

    /// The same pairs with `factor` times their weights, in the bins and in the total; numbers of pairs and plain mean separations stay.
    ///
    /// Pairs without weights weigh 1 before. Sums are exact where the integers have room for the product, else rounded in their last place.
    ///
    /// ```
    /// use albireo::counts::JobId;
    /// use albireo::{Counts, Edges, RBins, counts::{PairKind, PairTotal}};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
    /// let counts = Counts::from_parts(bins, vec![6, 10], None, total, JobId(1))?;
    /// let halves = counts.scale(0.5)?;
    /// assert_eq!((halves.weight(), halves.total().weight), (Some(vec![3.0, 5.0]), 22.5));
    /// assert_eq!(halves.npairs(), [6, 10]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A factor of 0 or one that is not finite, and one that takes a weight out of float64's range.
    pub fn scale(&self, factor: f64) -> Result<Self, CountsError> {
        if factor == 0.0 || !factor.is_finite() {
            return Err(CountsError::Factor { found: factor });
        }
        let leaves = |what| CountsError::OutOfRange { what, factor };
        let mut scaled = self.weighted();
        let terms = scaled.sums.weight_terms.take();
        scaled.sums = scaled.sums.each(|held, sums| {
            if held.is_shared() {
                sums.times(factor).ok_or(leaves("a weight"))
            } else {
                Ok(sums.clone())
            }
        })?;
        scaled.sums.weight_terms = terms.and_then(|terms| terms.times(factor));
        for sum in &mut scaled.sums.named {
            sum.terms = sum.terms.and_then(|terms| terms.times(factor));
        }
        let before = scaled.total().weight;
        let scaled = scaled.with_totals(|total| PairTotal {
            weight: total.weight * factor,
            ..total
        });
        let after = scaled.total().weight;
        if !after.is_finite() || (after == 0.0 && before != 0.0) {
            return Err(leaves("the total weight"));
        }
        Ok(scaled)
    }

    /// The same pairs with weights multiplied so that all pairs together weigh `total_weight`, as where samples of other weights are to be
    /// added up; see [`Counts::scale`].
    ///
    /// ```
    /// use albireo::counts::JobId;
    /// use albireo::{Counts, Edges, RBins, counts::{PairKind, PairTotal}};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 40);
    /// let counts = Counts::from_parts(bins, vec![6, 10], None, total, JobId(1))?;
    /// let of_ten = counts.renormalise(10.0)?;
    /// assert_eq!((of_ten.weight(), of_ten.total().weight), (Some(vec![1.5, 2.5]), 10.0));
    /// assert_eq!(of_ten.normalised(), counts.normalised());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A total that is not above 0 and finite, pairs that weigh nothing together; otherwise as [`Counts::scale`].
    pub fn renormalise(&self, total_weight: f64) -> Result<Self, CountsError> {
        if !(total_weight > 0.0 && total_weight.is_finite()) {
            let found = total_weight;
            return Err(CountsError::TotalWeight { found });
        }
        let before = self.total().normalisation(self.is_weighted());
        if before == 0.0 {
            return Err(CountsError::NoWeight);
        }
        let mut scaled = self.scale(total_weight / before)?;
        if scaled.job_id().is_some() {
            // The quotient and the product may have rounded.
            scaled.covers = scaled.covers.with_totals(|total| PairTotal {
                weight: total_weight,
                ..total
            });
        }
        Ok(scaled)
    }

    /// The counts with each row added to the row of `bins` that it goes to; rows that go nowhere are left out.
    fn gathered(&self, bins: Bins, map: &RowMap) -> Result<Self, CountsError> {
        let too_large = CountsError::Overflow("a pair count");
        let npairs = map.gathered(&self.npairs, u64::checked_add);
        let npairs = npairs.ok_or(too_large)?;
        let sums = self.sums.each(|_, sums| sums.gathered(map))?;
        Ok(Self {
            binning: bins,
            npairs,
            sums,
            ..self.clone()
        })
    }

    /// Counts of both orders in bins that hold them together, as counts of one.
    fn each_pair_once(mut self) -> Result<Self, CountsError> {
        if self.classes() != Classes::One {
            return Err(CountsError::Orders(self.classes().name()));
        }
        if let Some(bin) = self.npairs.iter().position(|n| n % 2 == 1) {
            return Err(CountsError::Odd { bin });
        }
        self.npairs.iter_mut().for_each(|n| *n /= 2);
        self.sums = self
            .sums
            .each(|_, sums| Ok::<_, CountsError>(sums.half()))?;
        self.kind = PairKind::AutoUnordered;
        let kind = self.kind;
        Ok(self.with_totals(|total| PairTotal {
            kind,
            pairs: total.pairs / 2,
            weight: total.weight / 2.0,
            ..total
        }))
    }

    /// The same with a weight of 1 for each pair, where there are no weights.
    fn weighted(&self) -> Self {
        let mut weighted = self.clone();
        if !self.is_weighted() {
            let pairs = ExactSums::of_pairs(&self.npairs);
            weighted.sums.set(Held::Weight, pairs);
            return weighted.with_totals(|total| PairTotal::unweighted(total.kind, total.pairs));
        }
        weighted
    }

    /// The same counts with other totals, of all pairs and of each class.
    fn with_totals(mut self, of: impl Fn(PairTotal) -> PairTotal) -> Self {
        self.covers = self.covers.with_totals(&of);
        let ClassAxis {
            classes, outside, ..
        } = &mut self.classes;
        for class in classes.iter_mut().chain(outside) {
            *class = class.with_totals(&of);
        }
        self
    }
}
