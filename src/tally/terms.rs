//! What one pair adds to a tally: the one definition, by the exact rule, that every engine's integers are equal to.

use albireo_simd::fixed_point::{exponent, quantise, rest, scaled};

use super::scaled::ScaledWeights;
use super::{CountSpec, Cut, End, Legendre, PairFactor, Realised, Sum, Tables, Tally, WeightedSum};
use crate::binning::{PairOrder, Reach};
use crate::error::JobError;
use crate::pairs::Pairs;
use crate::separation::Separation;

/// What pairs add, for the particles of a job.
///
/// Per sample `u = w * 2^-e` with e the frexp exponent of the largest |w|; a pair adds `round_ties_even((u1*u2) * 2^36)` to the
/// sum of products, with a pair weight `round_ties_even((((u1*u2)*p)*g) * 2^36)`, p and g scaled likewise, `round_ties_even(v * 2^36)` to that of separations, v the coordinate over a power of two above its limit, and
/// `round_ties_even(L * 2^36)` to that of a Legendre polynomial. Weights of wide range have a second word: see [`Sum::Rest`].
#[derive(Debug)]
pub struct Terms<'a> {
    what: &'a CountSpec,
    pairs: Pairs<'a>,
    tables: Tables,
    labels: Option<[&'a [u32]; 2]>,
    /// The scaled weights of each set that is summed, up to the last.
    sets: Vec<ScaledSet<'a>>,
    /// What makes a pair's weight of the product of two.
    factor: Option<PairFactor<'a>>,
    /// In which realisations particles take part.
    realised: Option<Realised<'a>>,
    coordinate_exponent: i32,
}

/// The weights of a set, scaled below 1.
#[derive(Debug)]
struct ScaledSet<'a> {
    first: ScaledWeights<'a>,
    /// None for an auto count: the first sample's.
    second: Option<ScaledWeights<'a>>,
}

impl ScaledSet<'_> {
    fn second(&self) -> &ScaledWeights<'_> {
        self.second.as_ref().unwrap_or(&self.first)
    }

    fn both(&self) -> [&[f64]; 2] {
        [self.first.all(), self.second().all()]
    }
}

impl<'a> Terms<'a> {
    /// What the pairs of `pairs` add to `what`.
    ///
    /// # Errors
    /// As [`CountSpec::tables`].
    pub fn new(what: &'a CountSpec, pairs: Pairs<'a>) -> Result<Self, JobError> {
        let tables = what.tables(pairs)?;
        let labels = tables.labels(pairs);
        let number = what.weight_sets();
        let scaled_set = |set: usize| {
            let exponents = what.exponents_of_set(set, pairs);
            let (one, other) = pairs.samples();
            // The sums' set 0 is the set of the particles that is counted by itself.
            let set = if set == 0 { what.weight_set() } else { set };
            ScaledSet {
                first: ScaledWeights::new(one, set, exponents[0]),
                second: other.map(|other| ScaledWeights::new(other, set, exponents[1])),
            }
        };
        let weight = what.pair_weight.as_ref().filter(|_| number > 0);
        Ok(Self {
            what,
            pairs,
            tables,
            labels,
            sets: (0..number).map(scaled_set).collect(),
            factor: weight.map(|weight| PairFactor::new(weight, pairs)),
            realised: Realised::of(what, pairs),
            coordinate_exponent: exponent(what.bins.coordinate_limit()),
        })
    }

    /// The tables of the classes.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The scaled weights of the first and of the second sample, in the order of the rows; empty unless they are summed.
    pub fn factors(&self) -> [&[f64]; 2] {
        self.sets.first().map_or([&[]; 2], ScaledSet::both)
    }

    /// The scaled weight of set number `set` in a row of the first sample, or of the second.
    pub(crate) fn factor_at(&self, set: usize, of_second: bool, row: usize) -> f64 {
        let set = &self.sets[set];
        let weights = if of_second { set.second() } else { &set.first };
        weights.at(row)
    }

    /// Number of sets of weights, up to the last that is summed.
    pub(crate) fn weight_sets(&self) -> usize {
        self.sets.len()
    }

    /// What makes a pair's weight of the product of two, where weights are summed.
    pub(crate) fn pair_factor(&self) -> Option<PairFactor<'a>> {
        self.factor
    }

    /// A tally without a pair.
    pub fn empty(&self) -> Tally {
        Tally::zero(
            self.what.bins.n_bins(),
            self.tables.number() * self.what.tables_a_class(),
            self.what.sums.len(),
        )
    }

    /// Takes in the pair of rows `pair`, if it lies in a bin and no cut holds it.
    #[inline]
    pub fn add(&self, tally: &mut Tally, pair: [usize; 2], sep: &Separation) {
        if let Some(bin) = self.what.bins.bin(sep)
            && !self.is_cut(self.what.cuts.len(), pair, sep)
        {
            self.add_in_bin(tally, bin, pair, sep);
        }
    }

    /// Takes in the pair of rows `pair`, if it lies in a bin and cut number `cut` is the first that holds it.
    pub(crate) fn add_held(
        &self,
        tally: &mut Tally,
        cut: usize,
        pair: [usize; 2],
        sep: &Separation,
    ) {
        if let Some(bin) = self.what.bins.bin(sep)
            && self.what.cuts[cut].holds(self.pairs, pair, sep)
            && !self.is_cut(cut, pair, sep)
        {
            self.add_in_bin(tally, bin, pair, sep);
        }
    }

    /// Whether one of the first `n` cuts holds a pair.
    #[inline]
    fn is_cut(&self, n: usize, pair: [usize; 2], sep: &Separation) -> bool {
        let mut cuts = self.what.cuts[..n].iter();
        cuts.any(|cut| cut.holds(self.pairs, pair, sep))
    }

    /// In which realisations particles take part, where these are counted apart.
    pub(crate) fn realised(&self) -> Option<Realised<'a>> {
        self.realised
    }

    /// Which pairs are dropped.
    pub(crate) fn cuts(&self) -> &[Cut] {
        &self.what.cuts
    }

    /// How often an auto count holds each pair.
    pub(crate) fn order(&self) -> PairOrder {
        self.what.order()
    }

    /// How far the bins reach.
    pub(crate) fn reach(&self) -> Reach {
        self.what.bins.reach()
    }

    #[inline]
    fn add_in_bin(&self, tally: &mut Tally, bin: usize, pair: [usize; 2], sep: &Separation) {
        let tables = match self.labels {
            None => [Some(0), None],
            Some([first, second]) => self.tables.of(first[pair[0]], second[pair[1]]),
        };
        let Some(realised) = self.realised else {
            return self.add_to(tally, tables, bin, (pair, sep));
        };
        for k in realised.of_pair(pair) {
            let own = tables.map(|table| Some(table? * realised.number + k));
            self.add_to(tally, own, bin, (pair, sep));
        }
    }

    /// Takes in a pair in a bin of these tables.
    #[inline]
    fn add_to(
        &self,
        tally: &mut Tally,
        tables: [Option<usize>; 2],
        bin: usize,
        (pair, sep): ([usize; 2], &Separation),
    ) {
        let n_bins = tally.n_bins();
        for table in tables.into_iter().flatten() {
            tally.pairs[table * n_bins + bin] += 1;
        }
        for (at, sum) in self.what.sums.iter().enumerate() {
            let term = i128::from(self.term(sum, pair, sep));
            for table in tables.into_iter().flatten() {
                tally.sums[at][table * n_bins + bin] += term;
            }
        }
    }

    /// The polynomial of a pair; 0 without a line of sight, which is refused before.
    #[inline]
    fn legendre(&self, l: Legendre, sep: &Separation) -> f64 {
        let los = self.what.bins.line_of_sight();
        let cosine = los.map(|los| los.cosine2(sep));
        cosine.map_or(0.0, |(m, negative)| l.value(m, negative))
    }

    /// The value of an expression over the power of two above its bound; none where it is no number within it.
    fn expression(&self, at: usize, [i, j]: [usize; 2], sep: &Separation) -> Option<f64> {
        let (first, second) = self.pairs.both();
        let column = |end: End, column: usize| match end {
            End::First => first.columns()[column].at(i),
            End::Second => second.columns()[column].at(j),
        };
        self.what.program()?.term(at, sep, column)
    }

    /// What a pair in a bin adds to sum number `at`.
    #[inline]
    pub(crate) fn of_sum(&self, at: usize, pair: [usize; 2], sep: &Separation) -> i64 {
        self.term(&self.what.sums[at], pair, sep)
    }

    /// What coordinates are multiplied by: a power of two.
    pub(crate) fn coordinate_scale(&self) -> f64 {
        scaled(1.0, self.coordinate_exponent)
    }

    /// What a pair in a bin adds to a sum.
    #[inline]
    fn term(&self, sum: &Sum, [i, j]: [usize; 2], sep: &Separation) -> i64 {
        let product = |set: usize| {
            let [first, second] = self.sets[set].both();
            let product = first[i] * second[j];
            let weight = self.factor.map(|factor| factor.weigh(product, [i, j], sep));
            weight.unwrap_or(product)
        };
        let coordinate = || scaled(self.what.bins.coordinate(sep), self.coordinate_exponent);
        if let Some((set, weighted)) = sum.weighted() {
            let term = match weighted {
                WeightedSum::Product => product(set),
                WeightedSum::Separation => product(set) * coordinate(),
                WeightedSum::Legendre(l) => product(set) * self.legendre(l, sep),
                WeightedSum::Expression(at) => {
                    product(set) * self.expression(at, [i, j], sep).unwrap_or(0.0)
                }
            };
            return if sum.is_rest() {
                rest(term)
            } else {
                quantise(term)
            };
        }
        match sum {
            Sum::Legendre(l) => quantise(self.legendre(*l, sep)),
            Sum::Unbounded(at) => i64::from(self.expression(*at, [i, j], sep).is_none()),
            Sum::Term(term) => {
                let term = term.term([i, j], sep);
                quantise(if term.is_nan() {
                    0.0
                } else {
                    term.clamp(-1.0, 1.0)
                })
            }
            _ => quantise(coordinate()),
        }
    }
}
