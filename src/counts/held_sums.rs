//! What counts hold beside the numbers of pairs: sums of real numbers, by what they are sums of.
//!
//! Entry: [`HeldSums`].

use std::ops::Range;

use super::weight_terms::WeightTerms;
use super::{Counts, ExactSums};
use crate::error::{CountsError, JobError};
use crate::tally::{CountSpec, Legendre, Sum, Tally};

/// What is summed over the pairs of each bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Weight,
    Separation,
    WeightedSeparation,
    /// Times the weight where weights are summed.
    Legendre(Legendre),
    /// Of an expression, by its number: see [`HeldSums::named`].
    Named(usize),
}

impl Held {
    /// What a sum of a tally is; those of other crates are not held.
    pub(super) fn of(sum: &Sum) -> Option<Self> {
        match sum {
            Sum::Product => Some(Self::Weight),
            Sum::Separation => Some(Self::Separation),
            Sum::WeightedSeparation => Some(Self::WeightedSeparation),
            Sum::Legendre(l) | Sum::WeightedLegendre(l) => Some(Self::Legendre(*l)),
            Sum::Expression(at) => Some(Self::Named(*at)),
            Sum::OfSet(..) | Sum::Rest(..) | Sum::Unbounded(_) | Sum::Term(_) => None,
        }
    }

    /// The place of its sums among those that are held.
    fn place(self) -> usize {
        match self {
            Self::Weight => 0,
            Self::Separation => 1,
            Self::WeightedSeparation => 2,
            Self::Legendre(l) => 3 + l.degree() as usize,
            Self::Named(at) => 3 + Legendre::ALL.len() + at,
        }
    }

    /// Whether a pair that weighs a share of what it would adds that share to it.
    pub(super) fn is_shared(self) -> bool {
        self != Self::Separation
    }
}

/// Sums by what they are, each once, in the order of [`Held`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct HeldSums {
    sums: Vec<(Held, ExactSums)>,
    /// How the terms of the weights were rounded; none where their sums were made elsewhere.
    pub(super) weight_terms: Option<WeightTerms>,
    /// The sums of expressions.
    pub(super) named: Vec<NamedSum>,
}

/// A sum of an expression over the pairs of each bin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NamedSum {
    pub(super) name: String,
    /// How its terms were rounded; none where it was made elsewhere.
    pub(super) terms: Option<WeightTerms>,
}

impl HeldSums {
    /// Weights alone, or nothing.
    pub(super) fn of_weights(weight: Option<ExactSums>) -> Self {
        let mut held = Self::default();
        if let Some(weight) = weight {
            held.set(Held::Weight, weight);
        }
        held
    }

    /// A sum, if it is held.
    pub(super) fn get(&self, what: Held) -> Option<&ExactSums> {
        let found = self.sums.iter().find(|(held, _)| *held == what);
        found.map(|(_, sums)| sums)
    }

    /// Puts a sum in the place of the one held before, or beside the others; how weights were rounded is not known then.
    pub(super) fn set(&mut self, what: Held, sums: ExactSums) {
        if what == Held::Weight {
            self.weight_terms = None;
        }
        let place = |(held, _): &(Held, ExactSums)| held.place();
        match self.sums.binary_search_by_key(&what.place(), place) {
            Ok(k) => self.sums[k].1 = sums,
            Err(k) => self.sums.insert(k, (what, sums)),
        }
    }

    /// Drops a sum.
    pub(super) fn remove(&mut self, what: Held) {
        self.sums.retain(|(held, _)| *held != what);
    }

    /// Drops all sums but those of weights.
    pub(super) fn keep_weights(&mut self) {
        self.sums.retain(|(held, _)| *held == Held::Weight);
        self.named.clear();
    }

    /// Makes the sums of bins without pairs 0.
    pub(super) fn clear_empty(&mut self, npairs: &[u64]) {
        for (_, held) in &mut self.sums {
            let sums = held.sums.iter_mut().zip(npairs);
            sums.filter(|(_, n)| **n == 0).for_each(|(sum, _)| *sum = 0);
        }
    }

    /// The same sums over some of the bins.
    pub(super) fn in_bins(&self, bins: Range<usize>) -> Self {
        let part = |(held, sums): &(Held, ExactSums)| (*held, sums.rows(bins.clone()));
        Self {
            sums: self.sums.iter().map(part).collect(),
            weight_terms: self.weight_terms,
            named: self.named.clone(),
        }
    }

    /// What is held.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Held> + '_ {
        self.sums.iter().map(|(held, _)| *held)
    }

    /// The degrees of the Legendre sums, rising.
    pub(super) fn degrees(&self) -> Vec<Legendre> {
        let degree = |held| match held {
            Held::Legendre(l) => Some(l),
            _ => None,
        };
        self.kinds().filter_map(degree).collect()
    }

    /// Puts each integer together with that of `other`, made with the same exponents.
    pub(super) fn with_each(&mut self, other: &Self, put: fn(&mut i128, i128)) {
        for (what, held) in &mut self.sums {
            if let Some(part) = other.get(*what) {
                let both = held.sums.iter_mut().zip(&part.sums);
                both.for_each(|(held, &part)| put(held, part));
            }
        }
    }

    /// The sums that `make` makes of each; how weights were rounded stays.
    pub(super) fn each<E>(
        &self,
        make: impl Fn(Held, &ExactSums) -> Result<ExactSums, E>,
    ) -> Result<Self, E> {
        let made = |(held, sums): &(Held, ExactSums)| Ok((*held, make(*held, sums)?));
        Ok(Self {
            sums: self.sums.iter().map(made).collect::<Result<_, E>>()?,
            weight_terms: self.weight_terms,
            named: self.named.clone(),
        })
    }

    /// Adds sums of other pairs, with exponents of their own.
    pub(super) fn add(&mut self, other: &Self) -> Result<(), CountsError> {
        for (what, total) in &mut self.sums {
            if let Some(part) = other.get(*what) {
                total.add(part)?;
            }
        }
        let terms = self.weight_terms.zip(other.weight_terms);
        self.weight_terms = terms.map(|(ours, theirs)| ours.with(theirs));
        for (ours, theirs) in self.named.iter_mut().zip(&other.named) {
            let terms = ours.terms.zip(theirs.terms);
            ours.terms = terms.map(|(ours, theirs)| ours.with(theirs));
        }
        Ok(())
    }
}

/// What counts call a sum of an expression.
pub(super) fn named(what: &CountSpec, at: usize, terms: Option<WeightTerms>) -> NamedSum {
    let sum = what.program().and_then(|program| program.sums().get(at));
    let name = sum.map(|sum| sum.name.clone()).unwrap_or_default();
    NamedSum { name, terms }
}

/// Refuses pairs whose value of an expression is no number within its bound.
pub(super) fn check_values(what: &CountSpec, tally: &Tally) -> Result<(), JobError> {
    let sums = what.program().map_or(&[][..], |program| program.sums());
    for (at, sum) in what.sums().iter().enumerate() {
        let &Sum::Unbounded(k) = sum else { continue };
        let pairs = tally.sum(at);
        if let (Some(first), Some(sum)) = (pairs.iter().position(|&n| n != 0), sums.get(k)) {
            return Err(JobError::NoValue {
                name: sum.name.clone(),
                bound: sum.bound,
                pairs: pairs.iter().sum(),
                bin: first % what.bins().n_bins(),
            });
        }
    }
    Ok(())
}

impl Counts {
    /// A sum over all pairs of each bin.
    pub(super) fn sums_of(&self, held: Held) -> Option<ExactSums> {
        Some(self.sums.get(held)?.rows(0..self.binning.n_bins()))
    }

    /// The exact sums behind [`Counts::weight`].
    pub fn weight_sums(&self) -> Option<ExactSums> {
        self.sums_of(Held::Weight)
    }

    /// The names of the sums of expressions.
    pub fn pair_sums(&self) -> impl Iterator<Item = &str> {
        self.sums.named.iter().map(|sum| sum.name.as_str())
    }

    /// The exact sums of an expression over the pairs of each bin, times their weights.
    pub fn pair_sum(&self, name: &str) -> Option<ExactSums> {
        self.sums_of(Held::Named(self.named(name)?))
    }

    /// How far each of [`Counts::pair_sum`] may be from the sum of its float64 terms, before it is rounded to float64; none of those made
    /// elsewhere.
    pub fn pair_sum_bound(&self, name: &str) -> Option<Vec<f64>> {
        let terms = self.sums.named[self.named(name)?].terms?;
        Some(self.npairs().iter().map(|&n| terms.bound_of(n)).collect())
    }

    /// What a pair adds to [`Counts::pair_sum_bound`].
    pub fn pair_sum_bound_of_pair(&self, name: &str) -> Option<f64> {
        let terms = self.sums.named[self.named(name)?].terms?;
        Some(terms.bound_of(1))
    }

    fn named(&self, name: &str) -> Option<usize> {
        self.sums.named.iter().position(|sum| sum.name == name)
    }

    /// The exact sums behind [`Counts::mean_separation`]: of the binning's coordinate over the pairs of each bin.
    pub fn separation_sums(&self) -> Option<ExactSums> {
        self.sums_of(Held::Separation)
    }

    /// The exact sums behind [`Counts::weighted_mean_separation`]: of the coordinate times the weight.
    pub fn weighted_separation_sums(&self) -> Option<ExactSums> {
        self.sums_of(Held::WeightedSeparation)
    }

    /// The exact sums behind [`Counts::legendre_sums`], of degrees above 0.
    pub fn exact_legendre_sums(&self, l: Legendre) -> Option<ExactSums> {
        self.sums_of(Held::Legendre(l))
    }
}
