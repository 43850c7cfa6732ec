//! The sums that counts take by default: what results of the library hold.

use super::{Cut, Legendre, LegendreDegrees, PairWeight, Sum, Tallied};
use crate::binning::Bins;
use crate::pairs::Pairs;
use crate::particles::{Particles, Weights};

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
    /// Weights where a sample has them, in any of its sets, no separations.
    pub fn for_pairs(pairs: Pairs<'_>) -> Self {
        let (first, second) = pairs.both();
        let has = |sample: &Particles| {
            let mut sets = (0..sample.weight_sets()).map(|set| sample.weights_of_set(set));
            sets.any(|weights| matches!(weights, Weights::PerParticle(_)))
        };
        let weights = has(first) || has(second);
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
            ..WeightedSums::default()
        }
    }

    /// The same of fewer pairs: those that `cut` holds are not counted.
    ///
    /// ```
    /// use albireo::counts::{Sums, count_pairs};
    /// use albireo::tally::Cut;
    /// use albireo::{Domain, Edges, Groups, Naive, PairJob, Pairs, Particles, Points, RBins, Silent};
    /// // Two members of one halo and one of another.
    /// let rows = [[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    /// let sample = Particles::new(Points::from_rows(&rows)?).grouped(Groups::new(vec![7, 7, 9]))?;
    /// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    /// let bins = RBins::new(Edges::linear(0.0, 4.0, 4)?);
    /// let two_halo = count_pairs(&Naive, &job, &bins, Sums::default().dropping(Cut::SameGroup), &Silent)?;
    /// assert_eq!((two_halo.npairs(), two_halo.total().pairs), (&[0, 0, 1, 1][..], 3));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn dropping(self, cut: Cut) -> WeightedSums {
        WeightedSums::from(self).dropping(cut)
    }

    /// These sums over these bins.
    pub fn over(self, bins: impl Into<Bins>) -> Tallied {
        let mut what = Tallied::new(bins);
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

    /// Whether they take the separation or the direction of each pair beside its bin.
    pub(crate) fn take_measures(self) -> bool {
        self.separations || self.weighted_separations || !self.legendre.is_empty()
    }
}

/// Sums, what the weights of pairs are made of besides the product of two, and which pairs are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightedSums {
    sums: Sums,
    pair_weight: Option<PairWeight>,
    cuts: Vec<Cut>,
    beyond_half: bool,
    two_words: Option<bool>,
}

impl From<Sums> for WeightedSums {
    /// Weights that are the product of two.
    fn from(sums: Sums) -> Self {
        Self {
            sums,
            ..Self::default()
        }
    }
}

impl WeightedSums {
    /// Which sums.
    pub fn sums(&self) -> Sums {
        self.sums
    }

    /// Other sums of the same pairs, with the same weights of pairs.
    #[must_use]
    pub(crate) fn with_sums(self, sums: Sums) -> Self {
        Self { sums, ..self }
    }

    /// What the product of two weights is multiplied by.
    pub fn pair_weight(&self) -> Option<&PairWeight> {
        self.pair_weight.as_ref()
    }

    /// The same of fewer pairs: those that `cut` holds are not counted.
    #[must_use]
    pub fn dropping(mut self, cut: Cut) -> Self {
        self.cuts.push(cut);
        self
    }

    /// Which pairs are not counted.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The same sums without inverse probabilities, which individual weights stand for.
    #[must_use]
    pub fn without_inverse(self) -> Self {
        Self {
            pair_weight: self.pair_weight.and_then(|weight| weight.without_inverse()),
            ..self
        }
    }

    /// The same in bins that may reach beyond half of a periodic box ([`Tallied::beyond_half`]).
    #[must_use]
    pub fn beyond_half(self) -> Self {
        Self {
            beyond_half: true,
            ..self
        }
    }

    /// The same with weights summed in two words, or in one, whatever their range ([`Tallied::in_range_of`]): for jobs whose counts are
    /// added, such as subsets of one sample, by the range of all of them.
    #[must_use]
    pub fn in_two_words(self, two_words: bool) -> Self {
        Self {
            two_words: Some(two_words),
            ..self
        }
    }

    /// Whether weights are summed in two words; none where their range decides.
    pub(crate) fn two_words(&self) -> Option<bool> {
        self.two_words
    }

    /// These sums over these bins.
    pub fn over(self, bins: impl Into<Bins>) -> Tallied {
        let cuts = self.cuts.into_iter();
        let mut what = cuts.fold(self.sums.over(bins), Tallied::with_cut);
        if self.beyond_half {
            what = what.beyond_half();
        }
        match self.pair_weight {
            None => what,
            Some(weight) => what.with_pair_weight(weight),
        }
    }
}
