//! Pair counts with their bins and totals: what engines produce and estimators consume.
//!
//! Entry: [`count_pairs`], which runs an engine, and [`Counts`], which has an algebra (`algebra.rs`) and normalises. Nothing here visits a pair.

mod algebra;
mod brute_force;
mod class_axis;
mod combined;
mod covers;
mod exact_sums;
mod excluded;
mod held_sums;
mod label_sums;
mod loose_weights;
mod merging;
mod realisations;
mod regions;
mod restored;
mod restored_regions;
mod split;
mod sum_algebra;
mod total;
mod weight_sets;
mod weight_sums;
mod weight_terms;
mod weighted;

pub use covers::{JobId, Part};
pub use exact_sums::ExactSums;
pub use excluded::{excluded_by_species, excluded_pairs};
pub use loose_weights::{LARGEST_RELATIVE_BOUND, LooseWeights};
pub use realisations::{count_realisations, take_realisations};
pub use regions::count_regions;
pub use split::Split;
pub use total::{PairKind, PairTotal};
pub use weight_sets::count_weight_sets;

use class_axis::{ClassAxis, Layout};
use covers::Covers;
use held_sums::{Held, HeldSums, check_values, named};
use weight_terms::WeightTerms;
use weighted::{JobTotals, with_individual};

use ndarray::{ArrayD, ArrayViewD};

use crate::binning::Bins;
use crate::engine::{Engine, PreparedJob, Report};
use crate::error::{EngineError, JobError};
use crate::exactness::Exactness;
use crate::pairs::PairJob;
use crate::progress::Progress;
use crate::shape::shaped;
use crate::tally::{Classes, CountSpec, Cut, Legendre, LegendreDegrees, PairWeight, Tally};

/// Integers per bin, the bins, and how many pairs there are in all; of all pairs and, where they were counted by
/// [`Classes`], of each class.
///
/// What is asked of counts is of all pairs ([`Counts::npairs`], [`Counts::total`], ..) unless a class is named ([`Counts::class`],
/// [`Counts::within`]). Auto counts hold each unordered pair once unless [`Counts::kind`] says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    binning: Bins,
    kind: PairKind,
    /// Rows of bins: of all pairs, then of each class.
    npairs: Vec<u64>,
    /// Whether these are known; else they are 0.
    numbered: bool,
    /// The same rows.
    sums: HeldSums,
    classes: ClassAxis,
    exactness: Exactness,
    /// Of all pairs; classes have their own.
    covers: Covers,
    pair_weight: Option<PairWeight>,
    cuts: Vec<Cut>,
}

/// Counts the pairs of `job` in the bins of `binning`.
///
/// ```
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, Points, RBins, counts};
/// let sample = Particles::new(Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?);
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// let bins = RBins::new(Edges::linear(0.0, 4.0, 4)?);
/// let dd = counts::count_pairs(&Naive, &job, &bins, &Silent)?;
/// assert_eq!(dd.npairs(), [0, 1, 1, 1]);
/// assert_eq!(dd.total().pairs, 3);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// With inverse probabilities ([`CountSpec::weighted_by`]) and bits in one of two samples, its particles take individual weights. Pairs that a
/// cut holds ([`CountSpec::with_cut`]) are in no bin, but in the total.
///
/// # Errors
/// As [`Engine::run`].
pub fn count_pairs(
    engine: &dyn Engine,
    job: &PairJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<Counts, EngineError> {
    with_individual(job, what.into(), |job, what| {
        let what = what.of_job(job.pairs());
        let tally = engine.run(job, &what, progress)?;
        let counts = Counts::of_tally(job, &what, (&tally, Part::WHOLE), progress)?;
        Ok(counts.with_exactness(engine.exactness()))
    })
}

/// Counts part `part` of `job`: the pairs of that one of `part.of` runs of its units ([`Units::part`](crate::engine::Units::part)), which cost
/// about the same.
///
/// Parts of the same job, counted anywhere, merge to the whole, those of processors with one another and those of GPUs of one kind. Of a small sample some have no pair.
///
/// # Errors
/// A part that the job does not have; otherwise as [`Engine::tally_units`].
pub fn count_part(
    engine: &dyn Engine,
    job: &PairJob<'_>,
    part: Part,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<Counts, EngineError> {
    if part.index >= part.of {
        let Part { index, of } = part;
        return Err(JobError::Part { index, of }.into());
    }
    with_individual(job, what.into(), |job, what| {
        let what = what.of_job(job.pairs());
        what.admit(job)?;
        count_part_of(engine, job, part, &what, progress)
    })
}

fn count_part_of(
    engine: &dyn Engine,
    job: &PairJob<'_>,
    part: Part,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Counts, EngineError> {
    let (first, second) = job.pairs().samples();
    let sort = |sample| engine.sort(sample, job.domain(), progress);
    let (first, second) = (sort(first)?, second.map(sort).transpose()?);
    let prepared = PreparedJob::of(*job, &first, second.as_ref());
    let units = engine.units(&prepared, what, progress)?;
    let run = units.part(part.index, part.of);
    let (tally, _) = engine.tally_units(&prepared, what, (&units, run), progress)?;
    let mut counts = Counts::of_tally(job, what, (&tally, part), progress)?;
    let mut plan = JobId(units.fingerprint_of_parts());
    if what.classes() != Classes::One {
        plan = plan.labelled(job);
    }
    if what.cuts().contains(&Cut::SameGroup) {
        plan = plan.grouped(job);
    }
    counts.covers = counts.covers.of_plan(plan.0);
    Ok(counts.with_exactness(engine.exactness()))
}

/// As [`count_pairs`] between prepared samples, which may serve other counts too; how it went is returned beside the counts.
///
/// Classes of labelled samples ([`CountSpec::with_classes`]) are counted in one pass; all of them use the weight exponents of the whole job,
/// so that they add up exactly.
///
/// ```
/// use albireo::counts::count_prepared;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::tally::Classes;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Labels, Particles, Points, RBins};
/// // Oxygen (0) with two hydrogens (1).
/// let water = Points::from_rows(&[[0.0; 3], [0.96, 0.0, 0.0], [-0.24, 0.93, 0.0]])?;
/// let water = Particles::new(water).labelled(Labels::new(vec![0, 1, 1], 2)?)?;
/// let engine = Cpu::new();
/// let water = engine.prepare(water, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
/// let what = CountSpec::new(bins).with_classes(Classes::Species);
/// let (counts, _) = count_prepared(&engine, &PreparedJob::auto(&water), what, &Silent)?;
/// assert_eq!((counts.npairs(), counts.total().pairs), (&[2, 1][..], 3));
/// let species = counts.by_class();
/// let [oo, oh, hh] = [0, 1, 2].map(|pair| species[pair].npairs());
/// assert_eq!((species.len(), oo, oh, hh), (3, &[0, 0][..], &[2, 0][..], &[0, 1][..]));
/// assert_eq!(species[0].total().pairs, 0);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Classes of samples without labels, or more of them than can be held; otherwise as [`Engine::tally`].
pub fn count_prepared(
    engine: &dyn Engine,
    job: &PreparedJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<(Counts, Report), EngineError> {
    let what = what.into().of_job(job.job().pairs());
    let (tally, report) = engine.tally(job, &what, progress)?;
    let counts = Counts::of_tally(job.job(), &what, (&tally, Part::WHOLE), progress)?;
    Ok((counts.with_exactness(engine.exactness()), report))
}

impl Counts {
    /// The counts of `job`, or of a part of its pairs, that a tally holds.
    fn of_tally(
        job: &PairJob<'_>,
        what: &CountSpec,
        (tally, part): (&Tally, Part),
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let totals = JobTotals::of(job, what, progress)?;
        let layout = Layout::of(what.classes(), &totals);
        let bins = what.bins().n_bins();
        let mut sums = HeldSums::default();
        for (at, sum) in what.sums().iter().enumerate() {
            if let Some(held) = Held::of(sum) {
                let exponent = what.exponent(sum, job.pairs());
                let rests = what.rest_of(at).map(|at| tally.sum(at));
                let tables = ExactSums::of_words(exponent, tally.sum(at), rests);
                sums.set(held, tables.with_whole(&layout, bins));
                let terms = Some(WeightTerms::of(exponent, rests.is_some()));
                match held {
                    Held::Weight => sums.weight_terms = terms,
                    Held::Named(at) => sums.named.push(named(what, at, terms)),
                    _ => {}
                }
            }
        }
        check_values(what, tally)?;
        let id = match what.program() {
            None => JobId::of(job),
            Some(_) => JobId::with_columns(job),
        };
        Ok(Self {
            binning: what.bins().clone(),
            kind: totals.whole.kind,
            npairs: layout.with_whole(tally.pairs(), bins, |twice| twice / 2),
            numbered: true,
            sums,
            covers: Covers::part(id, part, totals.whole),
            classes: ClassAxis::of_job((id, part), what.classes(), totals),
            exactness: Exactness::Exact,
            pair_weight: what.pair_weight().cloned(),
            cuts: what.cuts().to_vec(),
        })
    }

    /// The same counts, known to be exact or approximate.
    #[must_use]
    pub fn with_exactness(self, exactness: Exactness) -> Self {
        Self { exactness, ..self }
    }

    /// The same counts, made elsewhere, known to lack the pairs that these cuts hold.
    #[must_use]
    pub fn with_cuts(self, cuts: Vec<Cut>) -> Self {
        Self { cuts, ..self }
    }

    /// Which pairs are in no bin, though they are in the total.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The bins.
    pub fn binning(&self) -> &Bins {
        &self.binning
    }

    /// Which pairs are counted, and how often.
    pub fn kind(&self) -> PairKind {
        self.kind
    }

    /// Whether these are the integers of the contract, or approximate.
    pub fn exactness(&self) -> Exactness {
        self.exactness
    }

    /// Pairs in each bin, the last axis of the bins varying fastest; 0 where they are not known ([`Counts::is_numbered`]).
    pub fn npairs(&self) -> &[u64] {
        &self.npairs[..self.binning.n_bins()]
    }

    /// Whether the numbers of pairs are known: those of [`Counts::of_weights`] are not.
    pub fn is_numbered(&self) -> bool {
        self.numbered
    }

    /// [`Counts::npairs`] along the axes of the bins, such as (s, mu).
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo::engine::Silent;
    /// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, Points, RpPiBins, SignedEdges};
    /// let sample = Particles::new(Points::from_rows(&[[0.0; 3], [1.5, 0.0, 0.5]])?);
    /// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    /// let (rp, pi) = (Edges::linear(0.0, 2.0, 2)?, SignedEdges::linear(0.0, 3.0, 3)?);
    /// let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))?;
    /// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
    /// assert_eq!(dd.npairs_array().shape(), [2, 3]);
    /// assert_eq!(dd.npairs_array()[[1, 0]], 1);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn npairs_array(&self) -> ArrayViewD<'_, u64> {
        shaped(self.npairs(), &self.binning.shape())
    }

    /// What the weight of a pair is besides the product of two weights.
    pub fn pair_weight(&self) -> Option<&PairWeight> {
        self.pair_weight.as_ref()
    }

    /// A sum over all pairs of each bin.
    fn summed(&self, held: Held) -> Option<Vec<f64>> {
        Some(self.sums_of(held)?.values())
    }

    /// Sum of `w1*w2`, or of `((w1*w2)*p)*g` with [`Counts::pair_weight`], in each bin, float64 of the exact total; none for
    /// unweighted counts.
    pub fn weight(&self) -> Option<Vec<f64>> {
        self.summed(Held::Weight)
    }

    /// [`Counts::weight`] along the axes of the bins.
    pub fn weight_array(&self) -> Option<ArrayD<f64>> {
        Some(shaped(&self.weight()?, &self.binning.shape()).to_owned())
    }

    /// How far [`Counts::weight`] may be from the sum of the products themselves in each bin, before it is rounded to float64:
    /// `2^-37` of the largest product for each pair or, where weights are of wide range, `2^-65`, that product taken as the power of two
    /// above each of its factors.
    ///
    /// None for unweighted counts, and for sums that were made elsewhere.
    pub fn weight_bound(&self) -> Option<Vec<f64>> {
        let terms = self.sums.weight_terms?;
        Some(self.npairs().iter().map(|&n| terms.bound_of(n)).collect())
    }

    /// The same for one pair.
    pub fn weight_bound_of_pair(&self) -> Option<f64> {
        Some(self.sums.weight_terms?.bound_of(1))
    }

    /// The bins whose weights may be off by more than [`LARGEST_RELATIVE_BOUND`] of themselves: their products are tiny beside the
    /// largest of all, or cancel.
    pub fn bins_of_little_weight(&self) -> Vec<usize> {
        let sums = self.weight().zip(self.weight_bound());
        let bins = sums.into_iter().flat_map(|(weight, bound)| {
            let both = weight.into_iter().zip(bound).enumerate();
            both.filter(|(_, (sum, bound))| *bound > LARGEST_RELATIVE_BOUND * sum.abs())
        });
        bins.map(|(bin, _)| bin).collect()
    }

    /// What is to be said of these bins; none where there is no such bin.
    pub fn loose_weights(&self) -> Option<LooseWeights> {
        LooseWeights::of(self)
    }

    /// Whether weights are summed in two words, as those of wide range are ([`CountSpec::in_range_of`]).
    pub fn is_in_two_words(&self) -> bool {
        let terms = self.sums.weight_terms;
        terms.is_some_and(|terms| terms.two_words)
    }

    /// Mean of the binning's coordinate in each bin, NaN where there is no pair; none unless asked for.
    pub fn mean_separation(&self) -> Option<Vec<f64>> {
        let sums = self.summed(Held::Separation)?.into_iter();
        let means = sums.zip(self.npairs()).map(|(sum, &n)| sum / n as f64);
        Some(means.collect())
    }

    /// Mean of the binning's coordinate by the weights of the pairs, `sum W v / sum W`, in each bin; NaN where the weights add up to 0;
    /// none unless asked for ([`CountSpec::with_weighted_separation`]).
    pub fn weighted_mean_separation(&self) -> Option<Vec<f64>> {
        let sums = self.summed(Held::WeightedSeparation)?;
        let means = sums.into_iter().zip(self.weight()?);
        let mean = |(sum, weight): (f64, f64)| {
            if weight == 0.0 {
                f64::NAN
            } else {
                sum / weight
            }
        };
        Some(means.map(mean).collect())
    }

    /// Sum of a Legendre polynomial of mu, times the weight of the pair where there are weights, in each bin: in the unit of
    /// [`Counts::values`], which are the sums of degree 0; none unless asked for ([`CountSpec::with_legendre`]).
    pub fn legendre_sums(&self, l: Legendre) -> Option<Vec<f64>> {
        if l == Legendre::L0 {
            return Some(self.values());
        }
        self.summed(Held::Legendre(l))
    }

    /// The degrees of which there are Legendre sums besides 0.
    pub fn legendre_degrees(&self) -> LegendreDegrees {
        self.sums.degrees().into_iter().collect()
    }

    /// Whether weights are summed.
    pub fn is_weighted(&self) -> bool {
        self.sums.get(Held::Weight).is_some()
    }

    /// Weighted sums where there are weights, else numbers of pairs.
    pub fn values(&self) -> Vec<f64> {
        self.weight()
            .unwrap_or_else(|| self.npairs().iter().map(|&n| n as f64).collect())
    }

    /// All pairs there are, in the bins or not: what [`Counts::values`] are normalised by.
    pub fn total(&self) -> PairTotal {
        self.covers.total(self.kind)
    }

    /// Parts held and parts there are, over all jobs merged so far.
    pub fn coverage(&self) -> (u32, u32) {
        self.covers.coverage()
    }

    /// The single job that these counts belong to, if they are of one.
    pub fn job_id(&self) -> Option<JobId> {
        self.covers.single()
    }

    /// The jobs that these counts belong to, each with its total, in the order of their fingerprints.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, PairTotal)> + '_ {
        self.covers.totals()
    }

    /// Each bin's values over the total.
    pub fn normalised(&self) -> Vec<f64> {
        let total = self.total().normalisation(self.is_weighted());
        self.values().iter().map(|v| v / total).collect()
    }

    /// The Poisson variance of each bin's value over its square: `f1*f2/n`, n the pairs of different particles in the bin; 0 without one, NaN where
    /// their numbers are not known.
    ///
    /// An auto count of both orders holds every pair twice, in one bin or in two that mirror each other; half of each bin then
    /// stands for the pairs that are its own, and bins may be combined as independent ones. f is 1 for unweighted counts, else see
    /// [`PairTotal::design_effect`].
    pub fn relative_variance(&self) -> Vec<f64> {
        let factor = self.kind.times() * self.total().variance_factor(self.is_weighted());
        let variance = |&n: &u64| match n {
            _ if !self.numbered => f64::NAN,
            0 => 0.0,
            n => factor / n as f64,
        };
        self.npairs().iter().map(variance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::domain::Domain;
    use crate::engine::Naive;
    use crate::error::CountsError;
    use crate::pairs::Pairs;
    use crate::particles::{Particles, Points};
    use crate::progress::Silent;

    #[test]
    fn exact_counts_do_not_merge_with_approximate_ones() {
        let bins = RBins::new(Edges::linear(0.0, 4.0, 4).unwrap());
        let count = |x: f64| {
            let points = Points::from_rows(&[[0.0; 3], [x, 0.0, 0.0]]).unwrap();
            let sample = Particles::new(points);
            let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
            count_pairs(&Naive, &job, &bins, &Silent).unwrap()
        };
        let approximate = |x| count(x).with_exactness(Exactness::Approximate);
        let mut sum = count(1.0);
        let refusal = sum.merge(&approximate(2.0)).unwrap_err();
        assert_eq!(
            refusal,
            CountsError::Exactness {
                left: Exactness::Exact,
                right: Exactness::Approximate
            }
        );
        assert_eq!(sum, count(1.0), "a refused merge changes nothing");
        let mut sum = approximate(1.0);
        assert!(sum.merge(&count(2.0)).is_err());
        sum.merge(&approximate(2.0)).unwrap();
        assert_eq!(sum.exactness(), Exactness::Approximate);
        assert_eq!(sum.npairs(), [0, 1, 1, 0]);
    }
}
