//! Counts without a region, or of regions drawn at random, of counts kept apart by region: without another pair.
//!
//! Entry: [`count_regions`], [`Counts::without`], [`Counts::resampled`]. What errors are made of them is up to the estimators.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "twice a share is 0, 1 or 2"
)]

use super::label_sums::check_regions;
use super::{Counts, Covers, ExactSums, Held, PairTotal, Part, count_prepared};
use crate::engine::{Engine, PreparedJob, Report};
use crate::error::EngineError;
use crate::progress::Progress;
use crate::tally::{Classes, CountSpec};

/// Counts the pairs of labelled samples, whose labels are the regions that both share, in one pass: of all pairs, and of each region those with
/// both points in it (A) and with one point in it (C). A pair of two regions is in the C of both.
///
/// ```
/// use albireo::counts::count_regions;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Engine, Labels, Particles, Points, RBins};
/// let rows = [[0.0; 3], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]];
/// let sample = Particles::new(Points::from_rows(&rows)?).labelled(Labels::new(vec![0, 0, 1, 1], 2)?)?;
/// let engine = Cpu::new();
/// let sample = engine.prepare(sample, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::new(vec![0.0, 1.25])?);
/// let (counts, _) = count_regions(&engine, &PreparedJob::auto(&sample), &bins, &Silent)?;
/// assert_eq!((counts.npairs(), counts.regions()), (&[3][..], 2));
/// assert_eq!((counts.within(0).npairs(), counts.across(0).npairs()), (&[1][..], &[1][..]));
/// // Without region 0 there is but the pair in region 1.
/// let rest = counts.without(0, 1.0);
/// assert_eq!((rest.npairs(), rest.total().pairs), (&[1][..], 1));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Samples without labels, fewer than two regions, a region without a particle of either sample, or more tables than can be held;
/// otherwise as [`Engine::tally`].
pub fn count_regions(
    engine: &dyn Engine,
    job: &PreparedJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<(Counts, Report), EngineError> {
    check_regions(job.job().pairs())?;
    let what = what.into().with_classes(Classes::Regions);
    count_prepared(engine, job, what, progress)
}

impl Counts {
    /// The number of regions that the pairs are kept apart by; 0 where they are not.
    pub fn regions(&self) -> usize {
        self.classes.outside.len()
    }

    /// The pairs with both points in region `k`.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn within(&self, k: usize) -> Self {
        assert!(k < self.regions(), "there is no region {k}");
        self.class(k).unwrap_or_else(|| self.whole())
    }

    /// The pairs with exactly one point in region `k`.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn across(&self, k: usize) -> Self {
        let n = self.regions();
        assert!(k < n, "there is no region {k}");
        let mut first = self.class(n + k).unwrap_or_else(|| self.whole());
        if let Some(second) = self.class(2 * n + k) {
            let totals = [first.total(), second.total()];
            first.add_sums_of(&second);
            first.set_total(PairTotal::of_all(first.kind, &totals));
        }
        first
    }

    /// `T - A_k - alpha C_k` of the pairs in each bin and of all pairs: the counts without region `k`.
    ///
    /// With `alpha` 1 they are the integers and the totals of the samples without the particles of the region. With any other, a pair
    /// with one point in the region weighs `1 - alpha` of what it would: the counts are weighted then.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn without(&self, k: usize, alpha: f64) -> Self {
        self.without_shares(k, alpha, alpha)
    }

    /// As [`Counts::without`], with one `alpha` for the pairs in each bin and another for all pairs.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn without_shares(&self, k: usize, alpha: f64, alpha_of_totals: f64) -> Self {
        let (across, outside) = (self.across(k), self.classes.outside[k].total());
        let mut left = self.whole();
        left.take_sums_of(&self.within(k));
        if [alpha, alpha_of_totals] == [1.0; 2] {
            left.take_sums_of(&across);
            left.set_total(outside);
            return left;
        }
        let mut rest = left.clone();
        rest.take_sums_of(&across);
        let share = 1.0 - alpha;
        let together = |rest: Vec<f64>, cut: Vec<f64>| -> Vec<f64> {
            let both = rest.into_iter().zip(cut);
            both.map(|(rest, cut)| rest + share * cut).collect()
        };
        let weights = together(rest.values(), across.values());
        for held in self.shared_sums() {
            let of = |counts: &Self| counts.summed(held);
            if let (Some(rest), Some(cut)) = (of(&rest), of(&across)) {
                let sums = ExactSums::nearest(&together(rest, cut));
                left.sums.set(held, sums);
            }
        }
        let rest_total = rest.in_its_unit(outside, 1.0);
        let cut_total = rest.in_its_unit(across.total(), 1.0 - alpha_of_totals);
        left.set_total(if alpha_of_totals == 1.0 {
            rest_total
        } else {
            PairTotal::of_all(left.kind, &[rest_total, cut_total])
        });
        left.set_weights(&weights);
        left
    }

    /// `sum_k m_k (A_k + C_k / 2)` of the pairs in each bin and of all pairs: the counts of a sample in which region k occurs `times[k]`
    /// times. Each pair stands half for the region of either point, so that once each region gives all pairs.
    ///
    /// # Panics
    /// `times` has another length than there are regions.
    #[must_use]
    pub fn resampled(&self, times: &[u32]) -> Self {
        assert_eq!(times.len(), self.regions(), "one number for each region");
        let mut drawn = self.whole();
        let bins = drawn.npairs.len();
        let mut weights = vec![0.0; bins];
        let mut shared: Vec<_> = (self.shared_sums())
            .map(|held| (held, vec![0.0; bins]))
            .collect();
        // Twice the pairs, so that a half is an integer.
        let mut doubled = vec![0u128; bins];
        let mut totals = Vec::with_capacity(2 * times.len());
        for (k, &times) in times.iter().enumerate().filter(|(_, times)| **times > 0) {
            let m = f64::from(times);
            for (counts, share) in [(self.within(k), m), (self.across(k), 0.5 * m)] {
                let twice = u128::from((2.0 * share) as u64);
                let values = counts.values().into_iter().zip(&counts.npairs);
                for ((weight, pairs), (value, &n)) in
                    weights.iter_mut().zip(&mut doubled).zip(values)
                {
                    *weight += share * value;
                    *pairs += twice * u128::from(n);
                }
                for (held, sums) in &mut shared {
                    let values = counts.summed(*held);
                    let both = sums.iter_mut().zip(values.into_iter().flatten());
                    both.for_each(|(sum, value)| *sum += share * value);
                }
                totals.push(self.in_its_unit(counts.total(), share));
            }
        }
        let whole = |pairs: &u128| u64::try_from(pairs.div_ceil(2)).unwrap_or(u64::MAX);
        drawn.npairs = doubled.iter().map(whole).collect();
        drawn.sums.remove(Held::Separation);
        for (held, sums) in &shared {
            drawn.sums.set(*held, ExactSums::nearest(sums));
        }
        drawn.set_total(PairTotal::of_all(drawn.kind, &totals));
        drawn.set_weights(&weights);
        drawn
    }

    /// Puts each number and each sum together with that of `other`, over the same bins and made with the same exponents.
    fn each_sum(&mut self, other: &Self, pairs: fn(&mut u64, u64), sums: fn(&mut i128, i128)) {
        let numbers = self.npairs.iter_mut().zip(&other.npairs);
        numbers.for_each(|(held, &part)| pairs(held, part));
        self.sums.with_each(&other.sums, sums);
    }

    /// The sums besides the weights to which a pair adds its share.
    fn shared_sums(&self) -> impl Iterator<Item = Held> + '_ {
        let kinds = self.sums.kinds();
        kinds.filter(|held| held.is_shared() && *held != Held::Weight)
    }

    /// Adds sums of other pairs.
    fn add_sums_of(&mut self, other: &Self) {
        self.each_sum(
            other,
            |held, part| *held += part,
            |held, part| *held += part,
        );
    }

    /// Takes off sums of pairs that are among these. Nothing is left where no pair is, though sums read back from a file are rounded.
    fn take_sums_of(&mut self, other: &Self) {
        self.each_sum(
            other,
            |held, part| *held -= part,
            |held, part| *held -= part,
        );
        if self.numbered {
            self.sums.clear_empty(&self.npairs);
        }
    }

    /// A total as these counts are normalised by it: weights, or each pair as 1; times `factor`.
    pub(super) fn in_its_unit(&self, total: PairTotal, factor: f64) -> PairTotal {
        let unit = if self.is_weighted() {
            total
        } else {
            PairTotal::unweighted(total.kind, total.pairs)
        };
        PairTotal {
            weight: factor * unit.weight,
            ..unit
        }
    }

    /// Gives each bin a weight in the place of what was summed.
    pub(super) fn set_weights(&mut self, weights: &[f64]) {
        self.sums.set(Held::Weight, ExactSums::nearest(weights));
    }

    /// Makes these the whole of a job of their own, with this total.
    pub(super) fn set_total(&mut self, total: PairTotal) {
        self.covers = Covers::part(self.covers.print().class(usize::MAX), Part::WHOLE, total);
    }
}
