//! The sums that results of the library hold, in the order in which counts hold them.
//!
//! Entry: [`CountSpec::with_weights`] and its neighbours. Any other sum is added by [`CountSpec::with_sum`].

use std::sync::Arc;

use super::{CountSpec, Legendre, LegendreDegrees, PairProgram, PairWeight, Sum, WeightedSum};
use crate::binning::Bins;
use crate::pairs::Pairs;

/// The place of a sum among the others: products, separations, weighted ones, Legendre polynomials by degree, what is left.
fn rank(sum: &Sum) -> usize {
    match sum {
        Sum::Product => 0,
        Sum::Separation => 1,
        Sum::WeightedSeparation => 2,
        Sum::Legendre(_) | Sum::WeightedLegendre(_) => 3,
        Sum::Expression(_) => 4,
        Sum::OfSet(..) | Sum::Rest(..) | Sum::Unbounded(_) | Sum::Term(_) => 5,
    }
}

impl CountSpec {
    /// What results hold of `pairs` in these bins: their numbers, and the products of weights where a sample has weights, in any of its sets.
    ///
    /// ```
    /// use albireo::{CountSpec, Edges, Pairs, Particles, Points, RBins};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0]])?;
    /// let (plain, weighted) = (Particles::new(points.clone()), Particles::weighted(points, vec![1.0, 0.5])?);
    /// let bins = RBins::new(Edges::linear(0.0, 4.0, 2)?);
    /// assert!(!CountSpec::for_pairs(&bins, Pairs::Auto(&plain)).has_weights());
    /// assert!(CountSpec::for_pairs(&bins, Pairs::Cross(&plain, &weighted)).has_weights());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn for_pairs(bins: impl Into<Bins>, pairs: Pairs<'_>) -> Self {
        let what = Self::new(bins);
        if pairs.have_weights() {
            what.with_weights()
        } else {
            what
        }
    }

    /// The same with the products of the two weights; Legendre sums are then those of the weights of pairs.
    #[must_use]
    pub fn with_weights(mut self) -> Self {
        for sum in &mut self.sums {
            if let Sum::Legendre(l) = *sum {
                *sum = Sum::WeightedLegendre(l);
            }
        }
        self.ranked(Sum::Product)
    }

    /// Whether the products of weights, by the first set, are summed.
    pub fn has_weights(&self) -> bool {
        self.sums.contains(&Sum::Product)
    }

    /// The same without a sum over weights: Legendre sums are those of the numbers of pairs.
    #[must_use]
    fn without_weights(mut self) -> Self {
        self.sums
            .retain(|sum| !matches!(sum, Sum::Product | Sum::WeightedSeparation));
        for sum in &mut self.sums {
            if let Sum::WeightedLegendre(l) = *sum {
                *sum = Sum::Legendre(l);
            }
        }
        self
    }

    /// The same of `pairs` with the weights of one set: where these have none, and nothing else weighs them, nothing is summed over weights.
    #[must_use]
    pub fn of_weight_set(self, pairs: Pairs<'_>) -> Self {
        if self.pair_weight.is_some() || pairs.have_weights() {
            self
        } else {
            self.without_weights()
        }
    }

    /// The same with the separation of each pair (the coordinate of the bins), for its mean.
    #[must_use]
    pub fn with_mean_separation(self) -> Self {
        self.ranked(Sum::Separation)
    }

    /// The same with the separation times the weight of the pair, for its weighted mean, where weights are summed already.
    #[must_use]
    pub fn with_weighted_separation(self) -> Self {
        if self.has_weights() {
            self.ranked(Sum::WeightedSeparation)
        } else {
            self
        }
    }

    /// The same with Legendre polynomials of mu, times the weight of the pair where weights are summed: of bins with a line of sight. That
    /// of degree 0 is the number or the weight of the pairs, and is not summed again.
    #[must_use]
    pub fn with_legendre(self, degrees: LegendreDegrees) -> Self {
        let weights = self.has_weights();
        let above = degrees.iter().filter(|l| *l != Legendre::L0);
        above.fold(self, |what, l| {
            what.ranked(if weights {
                Sum::WeightedLegendre(l)
            } else {
                Sum::Legendre(l)
            })
        })
    }

    /// The same with the sums of a program over the columns of the particles: each in two words and, where its bound is not proved, with the
    /// number of pairs whose value is beyond it.
    #[must_use]
    pub fn with_program(mut self, program: Arc<PairProgram>) -> Self {
        for (at, sum) in program.sums().iter().enumerate() {
            self = self.ranked(Sum::Expression(at));
            let rest = Sum::Rest(0, WeightedSum::Expression(at));
            self = self.ranked(rest);
            if !sum.proven {
                self = self.ranked(Sum::Unbounded(at));
            }
        }
        Self {
            program: Some(program),
            ..self
        }
    }

    /// The program that makes values of pairs.
    pub fn program(&self) -> Option<&Arc<PairProgram>> {
        self.program.as_ref()
    }

    /// The same with the weights of pairs multiplied by `weight`; weights are summed then.
    ///
    /// ```
    /// use albireo::tally::AngularWeight;
    /// use albireo::{CountSpec, Edges, RBins};
    /// let upweights = AngularWeight::new(vec![0.0, 0.05], vec![3.0, 1.0])?;
    /// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2)?)).weighted_by(upweights.into());
    /// assert!(what.has_weights() && what.pair_weight().is_some());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    #[must_use]
    pub fn weighted_by(self, weight: PairWeight) -> Self {
        self.with_weights().with_pair_weight(weight)
    }

    /// The same without inverse probabilities, which individual weights stand for.
    #[must_use]
    pub(crate) fn without_inverse(self) -> Self {
        Self {
            pair_weight: self.pair_weight.and_then(|weight| weight.without_inverse()),
            ..self
        }
    }

    /// Whether the separation or the direction of each pair is taken beside its bin.
    pub(crate) fn takes_measures(&self) -> bool {
        self.sums
            .iter()
            .any(|sum| !matches!(sum.weighted(), Some((_, WeightedSum::Product))))
    }

    /// Whether Legendre polynomials are summed.
    pub(crate) fn takes_legendre(&self) -> bool {
        self.sums.iter().any(|sum| sum.legendre().is_some())
    }

    /// One sum more, at its place.
    fn ranked(mut self, sum: Sum) -> Self {
        if !self.sums.contains(&sum) {
            let place = self
                .sums
                .iter()
                .take_while(|other| rank(other) <= rank(&sum));
            let place = place.count();
            self.sums.insert(place, sum);
        }
        self
    }
}
