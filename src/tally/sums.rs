//! The sums that counts take by default: what results of the library hold.

use super::{Legendre, LegendreDegrees, PairWeight, Sum, Tallied};
use crate::binning::Binning;
use crate::pairs::Pairs;
use crate::particles::Weights;

/// What is summed over the pairs of each bin besides their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The products of the two weights.
    pub weights: bool,
    /// The separation (the binning's coordinate), for its mean.
    pub separations: bool,
    /// The separation times the weight of the pair, for its weighted mean; needs [`Sums::weights`].
    pub weighted_separations: bool,
    /// Legendre polynomials of mu, times the weight of the pair where weights are summed: of bins with a line of sight. That of degree 0
    /// is the number or the weight of the pairs, and is not summed again.
    pub legendre: LegendreDegrees,
}

impl Sums {
    /// Weights where a sample has them, no separations.
    pub fn for_pairs(pairs: Pairs<'_>) -> Self {
        let (first, second) = pairs.both();
        let weights = [first, second]
            .iter()
            .any(|sample| matches!(sample.weights(), Weights::PerParticle(_)));
        Self {
            weights,
            ..Self::default()
        }
    }

    /// The same with the weights of pairs multiplied by `weight`; weights are summed then.
    ///
    /// ```
    /// use albireo::counts::Sums;
    /// use albireo::tally::{AngularWeight, PairWeight};
    /// let upweights = AngularWeight::new(vec![0.0, 0.05], vec![3.0, 1.0])?;
    /// let sums = Sums::default().weighted_by(upweights.into());
    /// assert!(sums.sums().weights && sums.pair_weight().is_some());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn weighted_by(self, weight: PairWeight) -> WeightedSums {
        WeightedSums {
            sums: Self {
                weights: true,
                ..self
            },
            pair_weight: Some(weight),
        }
    }

    /// These sums over the bins of `binning`.
    pub fn over<B: Binning>(self, binning: &B) -> Tallied<B> {
        let mut what = Tallied::new(binning.clone());
        for (wanted, sum) in [
            (self.weights, Sum::Product),
            (self.separations, Sum::Separation),
            (
                self.weighted_separations && self.weights,
                Sum::WeightedSeparation,
            ),
        ] {
            if wanted {
                what = what.with_sum(sum);
            }
        }
        for l in self.legendre.iter().filter(|l| *l != Legendre::L0) {
            what = what.with_sum(if self.weights {
                Sum::WeightedLegendre(l)
            } else {
                Sum::Legendre(l)
            });
        }
        what
    }

    /// Whether GPUs have kernels for them.
    pub(crate) fn have_kernels(self) -> bool {
        !self.weighted_separations && self.legendre.is_empty()
    }
}

/// Sums, and what the weights of pairs are made of besides the product of two.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightedSums {
    sums: Sums,
    pair_weight: Option<PairWeight>,
}

impl From<Sums> for WeightedSums {
    /// Weights that are the product of two.
    fn from(sums: Sums) -> Self {
        Self {
            sums,
            pair_weight: None,
        }
    }
}

impl WeightedSums {
    /// Which sums.
    pub fn sums(&self) -> Sums {
        self.sums
    }

    /// What the product of two weights is multiplied by.
    pub fn pair_weight(&self) -> Option<&PairWeight> {
        self.pair_weight.as_ref()
    }

    /// The same sums without inverse probabilities, which individual weights stand for.
    #[must_use]
    pub fn without_inverse(self) -> Self {
        Self {
            sums: self.sums,
            pair_weight: self.pair_weight.and_then(|weight| weight.without_inverse()),
        }
    }

    /// These sums over the bins of `binning`.
    pub fn over<B: Binning>(self, binning: &B) -> Tallied<B> {
        let what = self.sums.over(binning);
        match self.pair_weight {
            None => what,
            Some(weight) => what.with_pair_weight(weight),
        }
    }
}
