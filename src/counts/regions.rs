//! Counts kept apart by region, from which those without a region, or of regions drawn at random, follow without another pair.
//!
//! Entry: [`count_regions`], [`RegionCounts`]. What errors are made of them is up to the estimators.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "twice a share is 0, 1 or 2"
)]

use super::classes::{PairSums, check_regions, tables_of};
use super::weighted::{totals_of, with_weights_of_all};
use super::{Counts, Covers, ExactSums, Held, PairKind, PairTotal, Part};
use crate::engine::{Engine, PreparedJob, Report};
use crate::error::{EngineError, MergeError};
use crate::exactness::Exactness;
use crate::pairs::PairJob;
use crate::progress::Progress;
use crate::tally::{Classes, CountSpec, PairNormalisation, PairWeight, Tally};

/// The counts of a job, and of each region of its samples those of the pairs with both points in it (A) and with one point in it (C).
///
/// A pair of two regions is in the C of both.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionCounts {
    pub(super) whole: Counts,
    pub(super) regions: Vec<Region>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    pub(super) within: Counts,
    pub(super) across: Counts,
    /// All pairs with no point in the region.
    pub(super) outside: PairTotal,
}

/// Counts the pairs of labelled samples, whose labels are the regions that both share, in one pass.
///
/// ```
/// use albireo::counts::count_regions;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::{Domain, Edges, Engine, Labels, Particles, Points, RBins, Silent};
/// let rows = [[0.0; 3], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]];
/// let sample = Particles::new(Points::from_rows(&rows)?).labelled(Labels::new(vec![0, 0, 1, 1], 2)?)?;
/// let engine = Cpu::new();
/// let sample = engine.prepare(sample, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::new(vec![0.0, 1.25])?);
/// let (counts, _) = count_regions(&engine, &PreparedJob::auto(&sample), &bins, &Silent)?;
/// assert_eq!(counts.whole().npairs(), [3]);
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
) -> Result<(RegionCounts, Report), EngineError> {
    check_regions(job.job().pairs())?;
    let what = what.into().of_job(job.job().pairs());
    let by_region = what.clone().with_classes(Classes::Regions);
    let (tally, report) = engine.tally(job, &by_region, progress)?;
    let counts = RegionCounts::of_job_tally(job.job(), &what, &tally, progress)?;
    Ok((counts.with_exactness(engine.exactness()), report))
}

impl RegionCounts {
    /// The counts of `job` that a tally of the tables of [`Classes::Regions`] holds.
    pub(super) fn of_job_tally(
        job: &PairJob<'_>,
        what: &CountSpec,
        tally: &Tally,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let inverse = what.pair_weight().and_then(PairWeight::inverse);
        let kind = PairKind::of(job.pairs(), what.bins());
        let by_label = PairSums::of(job.pairs(), inverse)?;
        let by_region = what.clone().with_classes(Classes::Regions);
        let totals = by_label.totals(Classes::Regions, kind);
        let totals = with_weights_of_all(job, &by_region, totals, progress)?;
        let tables = tables_of(job, &by_region, tally, totals);
        let outside = by_label.outside(kind);
        let whole = totals_of(job, what, progress)?;
        let mut counts = Self::of_tables(job, tables, (whole[0], outside));
        if inverse.is_some_and(|inverse| inverse.normalisation() == PairNormalisation::BruteForce) {
            // All pairs have been looked at: what is left of them is what neither table of the region holds.
            for region in &mut counts.regions {
                let held = [&region.within, &region.across].map(|counts| counts.total().weight);
                region.outside.weight = whole[0].weight - held[0] - held[1];
            }
        }
        Ok(counts)
    }

    /// The same counts, known to be exact or approximate.
    #[must_use]
    pub(super) fn with_exactness(mut self, exactness: Exactness) -> Self {
        self.whole.exactness = exactness;
        for region in &mut self.regions {
            region.within.exactness = exactness;
            region.across.exactness = exactness;
        }
        self
    }

    /// The counts of `job` that the tables of [`Classes::Regions`] make up.
    fn of_tables(
        job: &PairJob<'_>,
        tables: Vec<Counts>,
        (total, outside): (PairTotal, Vec<PairTotal>),
    ) -> Self {
        let (n, mut tables) = (outside.len(), tables.into_iter());
        let within: Vec<_> = tables.by_ref().take(n).collect();
        let first: Vec<_> = tables.by_ref().take(n).collect();
        let second: Vec<_> = tables.collect();
        let mut whole = within[0].clone();
        within[1..]
            .iter()
            .for_each(|table| whole.add_sums_of(table));
        // Each pair across regions is in one table by its first point; in two where there is no first.
        let mut across = first[0].clone();
        first[1..]
            .iter()
            .for_each(|table| across.add_sums_of(table));
        whole.add_sums_of(&if second.is_empty() {
            across.halved()
        } else {
            across
        });
        whole.covers = Covers::part(super::JobId::of(job), Part::WHOLE, total);
        let mut second = second.into_iter();
        let both = |mut first: Counts, second: Option<Counts>| {
            if let Some(second) = second {
                let totals = [first.total(), second.total()];
                first.add_sums_of(&second);
                first.set_total(PairTotal::of_all(first.kind, &totals));
            }
            first
        };
        let regions = within.into_iter().zip(first).zip(outside);
        let regions = regions.map(|((within, first), outside)| Region {
            within,
            across: both(first, second.next()),
            outside,
        });
        Self {
            regions: regions.collect(),
            whole,
        }
    }

    /// Adds the counts of another part of the same job, or of other samples in the same regions, table by table.
    ///
    /// # Errors
    /// Another number of regions, and as [`Counts::merge`]. `self` is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.number() != other.number() {
            return Err(MergeError::Setting {
                setting: "the number of regions",
                left: self.number().to_string(),
                right: other.number().to_string(),
            });
        }
        let mut merged = self.clone();
        merged.whole.merge(&other.whole)?;
        for (ours, theirs) in merged.regions.iter_mut().zip(&other.regions) {
            ours.within.merge(&theirs.within)?;
            ours.across.merge(&theirs.across)?;
            ours.outside = PairTotal::of_all(ours.outside.kind, &[ours.outside, theirs.outside]);
        }
        *self = merged;
        Ok(())
    }

    /// Number of regions.
    pub fn number(&self) -> usize {
        self.regions.len()
    }

    /// All pairs, as a count without regions has them.
    pub fn whole(&self) -> &Counts {
        &self.whole
    }

    /// The pairs with both points in region `k`.
    ///
    /// # Panics
    /// There is no region `k`.
    pub fn within(&self, k: usize) -> &Counts {
        &self.regions[k].within
    }

    /// The pairs with exactly one point in region `k`.
    ///
    /// # Panics
    /// There is no region `k`.
    pub fn across(&self, k: usize) -> &Counts {
        &self.regions[k].across
    }

    /// `T - A_k - alpha C_k` of the pairs in each bin and of all pairs: the counts without region `k`.
    ///
    /// With `alpha` 1 they are the integers and the totals of the samples without the particles of the region. With any other, a pair
    /// with one point in the region weighs `1 - alpha` of what it would: the counts are weighted then.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn without(&self, k: usize, alpha: f64) -> Counts {
        self.without_shares(k, alpha, alpha)
    }

    /// As [`RegionCounts::without`], with one `alpha` for the pairs in each bin and another for all pairs.
    ///
    /// # Panics
    /// There is no region `k`.
    #[must_use]
    pub fn without_shares(&self, k: usize, alpha: f64, alpha_of_totals: f64) -> Counts {
        let Region {
            within,
            across,
            outside,
        } = &self.regions[k];
        let mut left = self.whole.clone();
        left.take_sums_of(within);
        if [alpha, alpha_of_totals] == [1.0; 2] {
            left.take_sums_of(across);
            left.set_total(*outside);
            return left;
        }
        let mut rest = left.clone();
        rest.take_sums_of(across);
        let share = 1.0 - alpha;
        let together = |rest: Vec<f64>, cut: Vec<f64>| -> Vec<f64> {
            let both = rest.into_iter().zip(cut);
            both.map(|(rest, cut)| rest + share * cut).collect()
        };
        let weights = together(rest.values(), across.values());
        for held in self.whole.shared_sums() {
            let of = |counts: &Counts| counts.sums.get(held).map(ExactSums::values);
            if let (Some(rest), Some(cut)) = (of(&rest), of(across)) {
                let sums = ExactSums::nearest(&together(rest, cut));
                left.sums.set(held, sums);
            }
        }
        let rest_total = rest.in_its_unit(*outside, 1.0);
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
    pub fn resampled(&self, times: &[u32]) -> Counts {
        assert_eq!(times.len(), self.number(), "one number for each region");
        let mut drawn = self.whole.clone();
        let bins = drawn.npairs.len();
        let mut weights = vec![0.0; bins];
        let mut shared: Vec<_> = (self.whole.shared_sums())
            .map(|held| (held, vec![0.0; bins]))
            .collect();
        // Twice the pairs, so that a half is an integer.
        let mut doubled = vec![0u128; bins];
        let mut totals = Vec::with_capacity(2 * times.len());
        for (region, &times) in self
            .regions
            .iter()
            .zip(times)
            .filter(|(_, times)| **times > 0)
        {
            let m = f64::from(times);
            for (counts, share) in [(&region.within, m), (&region.across, 0.5 * m)] {
                let twice = u128::from((2.0 * share) as u64);
                let values = counts.values().into_iter().zip(&counts.npairs);
                for ((weight, pairs), (value, &n)) in
                    weights.iter_mut().zip(&mut doubled).zip(values)
                {
                    *weight += share * value;
                    *pairs += twice * u128::from(n);
                }
                for (held, sums) in &mut shared {
                    let values = counts.sums.get(*held).map(ExactSums::values);
                    let both = sums.iter_mut().zip(values.into_iter().flatten());
                    both.for_each(|(sum, value)| *sum += share * value);
                }
                totals.push(self.whole.in_its_unit(counts.total(), share));
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
}

impl Counts {
    /// The sums of every pair counted twice, counted once.
    fn halved(mut self) -> Self {
        self.npairs.iter_mut().for_each(|n| *n /= 2);
        self.sums.integers_mut().for_each(|sum| *sum /= 2);
        self
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
        self.sums.clear_empty(&self.npairs);
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
