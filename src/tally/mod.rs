//! What is counted of pairs: plain data that every engine executes, and the integers that come out.
//!
//! Entry: [`CountSpec`] (bins, sums, classes, weights of pairs) and [`Tally`] (class x bin). Nothing here visits a pair: which pairs there are is up to the
//! traversal, what one of them adds is defined by [`Terms`] alone.

mod classes;
mod cut;
mod expression;
mod integers;
mod legendre;
mod pair_weight;
mod range;
mod realised;
mod scaled;
mod sum;
mod sums;
mod terms;
mod weight_sets;

pub use classes::{Classes, Tables, unordered_class, unordered_classes};
pub use cut::Cut;
pub(crate) use cut::{described, same_cuts};
pub(crate) use expression::evaluate;
pub use expression::{
    End, Exchange, MAX_COLUMNS, MAX_OPERATIONS, MAX_PAIR_SUMS, Operation, OperationList,
    PairProgram, PairSum, Value,
};
pub use integers::Tally;
pub use legendre::{Legendre, LegendreDegrees};
pub use pair_weight::{
    AngularWeight, InverseProbability, PairNormalisation, PairWeight, Realisations,
};
pub(crate) use pair_weight::{JointWeights, PairFactor};
pub use range::weights_are_wide;
pub use realised::MAX_REALISATIONS;
pub(crate) use realised::Realised;
pub use sum::{PairTerm, Sum, WeightedSum};
pub use terms::Terms;

use std::sync::Arc;

use serde::Serialize;

use albireo_simd::fixed_point::{FRACTION_BITS, REST_BITS, exponent};

use crate::binning::{Bins, LineOfSight, PairOrder};
use crate::domain::Domain;
use crate::error::JobError;
use crate::pairs::{PairJob, Pairs};
use crate::particles::{Particles, Weights, largest_magnitude};

/// What is counted: which bins, which sums beside the numbers of pairs, and which classes of pairs apart from one another.
///
/// It serialises to the same text for equal specifications, by which parts of counts know what they are parts of; rules and terms of other
/// crates are known by their `Debug` texts, which state all of their parameters.
///
/// ```
/// use albireo::tally::{CountSpec, Sum};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, Points, RBins};
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?;
/// let sample = Particles::weighted(points, vec![1.0, 2.0, 0.5])?;
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2)?)).with_sum(Sum::Product);
/// let tally = Naive.run(&job, &what, &Silent)?;
/// assert_eq!(tally.pairs(), [1, 2]);
/// assert_eq!(tally.real_sum(0, what.exponent(&Sum::Product, job.pairs())), [2.0, 1.5]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountSpec {
    bins: Bins,
    sums: Vec<Sum>,
    classes: Classes,
    cuts: Vec<Cut>,
    weight_exponents: Option<[i32; 2]>,
    pair_weight: Option<PairWeight>,
    /// What makes the values of sums of expressions.
    program: Option<Arc<PairProgram>>,
    beyond_half: bool,
    /// The set of weights that sums of no further set take.
    weight_set: usize,
    /// Into how many realisations the bits of the particles put them.
    #[serde(skip_serializing_if = "Option::is_none")]
    realisations: Option<usize>,
    /// Whether weights are summed in two words; none where their range decides.
    #[serde(skip)]
    two_words: Option<bool>,
}

impl From<&CountSpec> for CountSpec {
    fn from(what: &CountSpec) -> Self {
        what.clone()
    }
}

/// The numbers of pairs in bins, all pairs together.
impl<B: Into<Bins>> From<B> for CountSpec {
    fn from(bins: B) -> Self {
        Self::new(bins)
    }
}

impl CountSpec {
    /// The numbers of pairs in these bins, all pairs together.
    pub fn new(bins: impl Into<Bins>) -> Self {
        Self {
            bins: bins.into(),
            sums: vec![],
            classes: Classes::One,
            cuts: vec![],
            weight_exponents: None,
            pair_weight: None,
            program: None,
            beyond_half: false,
            weight_set: 0,
            realisations: None,
            two_words: None,
        }
    }

    /// The same in bins that may reach beyond half of a periodic box: a pair counts once all the same, under its nearest image, so that the
    /// farthest pairs are as far apart as the corners of the Wigner-Seitz cell are from its centre.
    ///
    /// Bins beyond half the shortest lattice vector are cut by that cell: `Space::nearest_images` of `albireo-fluids` has what is left.
    /// `Naive` and `Cpu` count such jobs; other engines hand them to the processor.
    ///
    /// ```
    /// use albireo::engine::Cpu;
    /// use albireo::engine::Silent;
    /// use albireo::{CountSpec, Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, random};
    /// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    /// let gas = Particles::new(random::in_domain(300, 1, &domain)?);
    /// let job = PairJob::new(Pairs::Auto(&gas), &domain)?;
    /// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.9, 9)?));
    /// assert!(Cpu::new().run(&job, &what, &Silent).is_err());
    /// let tally = Cpu::new().run(&job, &what.clone().beyond_half(), &Silent)?;
    /// assert_eq!(tally, Naive.run(&job, &what.beyond_half(), &Silent)?);
    /// // No two points of the box are farther apart than its centre is from its corners.
    /// assert_eq!(tally.pairs().iter().sum::<u64>(), 300 * 299 / 2);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    #[must_use]
    pub fn beyond_half(self) -> Self {
        Self {
            beyond_half: true,
            ..self
        }
    }

    /// Whether bins reach beyond half of `domain`, and may: then fast engines have no nearest image but the one that they look for.
    pub(crate) fn reaches_beyond(&self, domain: &Domain) -> bool {
        self.beyond_half && is_beyond(&self.bins.admit(domain))
    }

    /// One sum more, made in the same pass.
    #[must_use]
    pub fn with_sum(mut self, sum: Sum) -> Self {
        self.sums.push(sum);
        self
    }

    /// The same for each of these classes of pairs.
    #[must_use]
    pub fn with_classes(self, classes: Classes) -> Self {
        Self { classes, ..self }
    }

    /// The same without the pairs that `cut` holds.
    #[must_use]
    pub fn with_cut(mut self, cut: Cut) -> Self {
        self.cuts.push(cut);
        self
    }

    /// The same with weights summed in two words or in one, for any range ([`CountSpec::in_range_of`]): for jobs whose counts are
    /// added, such as subsets of one sample, by the range of all of them.
    #[must_use]
    pub fn in_two_words(self, two_words: bool) -> Self {
        Self {
            two_words: Some(two_words),
            ..self
        }
    }

    /// What a whole job is counted with: its weights looked through once, unless it is part of a larger one.
    #[must_use]
    pub(crate) fn of_job(self, pairs: Pairs<'_>) -> Self {
        if !self.has_weights() {
            return self;
        }
        let two_words = self.two_words;
        let exponents = self.weight_exponents(pairs);
        let what = self.with_weight_exponents(exponents);
        match two_words {
            None => what.in_range_of(pairs),
            Some(wide) => what.with_second_words(&[wide]),
        }
    }

    /// The same for a part of a larger job, whose weights have these exponents in all.
    #[must_use]
    pub fn with_weight_exponents(self, exponents: [i32; 2]) -> Self {
        Self {
            weight_exponents: Some(exponents),
            ..self
        }
    }

    /// The same with this weight of pairs in every weighted sum.
    #[must_use]
    pub fn with_pair_weight(self, weight: PairWeight) -> Self {
        Self {
            pair_weight: Some(weight),
            ..self
        }
    }

    /// What the product of two weights is multiplied by, in every weighted sum.
    pub fn pair_weight(&self) -> Option<&PairWeight> {
        self.pair_weight.as_ref()
    }

    /// The bins.
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// The same in other bins.
    pub(crate) fn in_bins(self, bins: Bins) -> Self {
        Self { bins, ..self }
    }

    /// The numbers of the same pairs alone.
    #[must_use]
    pub(crate) fn without_sums(self) -> Self {
        Self {
            sums: vec![],
            ..self
        }
    }

    /// What is summed beside the numbers of pairs.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Which classes of pairs are held apart.
    pub fn classes(&self) -> Classes {
        self.classes
    }

    /// The same with no pair dropped.
    #[must_use]
    pub fn without_cuts(self) -> Self {
        Self {
            cuts: vec![],
            ..self
        }
    }

    /// Which pairs are dropped.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The exponents that scale the weights of both samples below 1: those given, else those of `pairs`.
    pub fn weight_exponents(&self, pairs: Pairs<'_>) -> [i32; 2] {
        self.weight_exponents
            .unwrap_or_else(|| exponents_of_set(pairs, self.weight_set))
    }

    /// The exponent e of a sum: an integer total n stands for `n * 2^(e - 36)`. That of a second word is 28 below its sum's.
    pub fn exponent(&self, sum: &Sum, pairs: Pairs<'_>) -> i32 {
        let of_pairs = self.pair_weight.as_ref().map_or(0, PairWeight::exponent);
        let below = if sum.is_rest() { REST_BITS } else { 0 };
        let weights =
            |set| self.exponents_of_set(set, pairs).iter().sum::<i32>() + of_pairs - below;
        let coordinate = albireo_simd::fixed_point::exponent(self.bins.coordinate_limit());
        match (sum, sum.weighted()) {
            (_, Some((set, WeightedSum::Separation))) => weights(set) + coordinate,
            (_, Some((set, WeightedSum::Expression(at)))) => {
                let sums = self.program.as_ref().map(|program| program.sums());
                let sum = sums.and_then(|sums| sums.get(at));
                weights(set) + sum.map_or(0, PairSum::exponent)
            }
            // Whole numbers.
            (Sum::Unbounded(_), None) => FRACTION_BITS,
            (_, Some((set, _))) => weights(set),
            (Sum::Separation, None) => coordinate,
            (_, None) => 0,
        }
    }

    /// The tables that the classes of `pairs` fall into.
    ///
    /// # Errors
    /// Particles without the labels that the classes are made of, or more tables than can be held.
    pub fn tables(&self, pairs: Pairs<'_>) -> Result<Tables, JobError> {
        Tables::new(self.classes, pairs, self.order(), self.bins.n_bins())
    }

    /// A tally of `pairs` without any of them.
    ///
    /// # Errors
    /// As [`CountSpec::tables`].
    pub fn zero(&self, pairs: Pairs<'_>) -> Result<Tally, JobError> {
        let tables = self.tables(pairs)?.number() * self.tables_a_class();
        Ok(Tally::zero(self.bins.n_bins(), tables, self.sums.len()))
    }

    /// Checks that this is defined for `job`.
    ///
    /// # Errors
    /// Bins, cuts or pair weights that the domain or the positions do not allow, classes of particles without labels, pair weights of
    /// particles without bits, or Legendre sums without a line of sight or an order of the pair that they are defined with.
    pub fn admit(&self, job: &PairJob<'_>) -> Result<(), JobError> {
        let admitted = self.bins.admit(job.domain());
        // Of two nearest images of a pair, both orders may find the same.
        if !(self.beyond_half && is_beyond(&admitted) && self.program.is_none()) {
            admitted?;
        }
        match self.bins.line_of_sight() {
            None | Some(LineOfSight::Fixed(_)) => {}
            Some(_) => job.pairs().check_sight_range()?,
        }
        if self.bins.on_sphere() {
            job.pairs().check_unit_vectors()?;
        }
        let order = self.order();
        self.cuts.iter().try_for_each(|cut| cut.admit(job, order))?;
        self.check_legendre(job.pairs())?;
        self.check_program(job.pairs())?;
        self.check_weight_sets(job.pairs())?;
        self.check_realisations(job.pairs())?;
        if let Some(weight) = &self.pair_weight {
            weight.admit(job)?;
        }
        self.tables(job.pairs()).map(drop)
    }

    fn check_legendre(&self, pairs: Pairs<'_>) -> Result<(), JobError> {
        let once = matches!(pairs, Pairs::Auto(_)) && self.order() == PairOrder::Unordered;
        let mut wanted = self.sums.iter().filter_map(Sum::legendre).peekable();
        if wanted.peek().is_some() && self.bins.line_of_sight().is_none() {
            return Err(JobError::NoLineOfSight);
        }
        if once && wanted.any(Legendre::is_odd) {
            return Err(JobError::OddLegendre);
        }
        Ok(())
    }
}

impl CountSpec {
    /// How often an auto count holds each pair: in both orders where the bins or the value of an expression depend on it.
    pub fn order(&self) -> PairOrder {
        let neither = |sum: &PairSum| sum.exchange == Exchange::Neither;
        match &self.program {
            Some(program) if program.sums().iter().any(neither) => PairOrder::Ordered,
            _ => self.bins.order(),
        }
    }

    fn check_program(&self, pairs: Pairs<'_>) -> Result<(), JobError> {
        let Some(program) = &self.program else {
            return Ok(());
        };
        let (first, second) = pairs.both();
        for (sample, end) in [(first, End::First), (second, End::Second)] {
            let (needed, found) = (program.n_columns(end), sample.columns().len());
            if found < needed {
                return Err(JobError::NoColumns { needed, found });
            }
        }
        let once = matches!(pairs, Pairs::Auto(_)) && self.order() == PairOrder::Unordered;
        let odd = |sum: &&PairSum| sum.exchange == Exchange::Odd;
        match program.sums().iter().find(odd).filter(|_| once) {
            Some(sum) => Err(JobError::OddSum(sum.name.clone())),
            None => Ok(()),
        }
    }
}

/// Whether bins were refused for their reach alone, which is looked at last.
fn is_beyond(admitted: &Result<(), JobError>) -> bool {
    matches!(
        admitted,
        Err(JobError::Reach { .. } | JobError::ReachSquared { .. })
    )
}

/// The exponents that scale the weights of both samples below 1.
pub fn weight_exponents(pairs: Pairs<'_>) -> [i32; 2] {
    exponents_of_set(pairs, 0)
}

/// Those of a set of weights.
fn exponents_of_set(pairs: Pairs<'_>, set: usize) -> [i32; 2] {
    let of = |sample: &Particles| match sample.weights_of_set(set) {
        Weights::Unit => exponent(1.0),
        Weights::PerParticle(weights) => exponent(largest_magnitude(weights)),
    };
    let (first, second) = pairs.samples();
    let first = of(first);
    [first, second.map_or(first, of)]
}

/// Commutative and associative union of outputs: the only reduction, over threads, devices and ranks alike.
pub trait Merge: Send {
    /// Adds `other` to `self`.
    fn merge(&mut self, other: Self);
}
