//! What is to be counted: which pairs, and what is summed over them.
//!
//! Entry: [`Planned`].

use albireo::counts::PairKind;
use albireo::tally::{LegendreDegrees, PairWeight};
use albireo::{Bins, CountSpec, PairTotal, Pairs};
use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::pair_weights::WeightedPairs;
use crate::usage::usage;

/// A count to be made.
#[derive(Debug, Clone)]
pub(crate) struct Planned<'a> {
    pub(crate) name: &'static str,
    pub(crate) pairs: Pairs<'a>,
    /// Which mean separation of each bin is asked for.
    pub(crate) mean: Option<MeanSeparation>,
    /// The degrees of which Legendre sums are asked for.
    pub(crate) legendre: LegendreDegrees,
    /// What the products of weights are multiplied by.
    pub(crate) pair_weight: Option<PairWeight>,
    /// Whether weights are summed in two words, where that is decided by more than `pairs`.
    pub(crate) two_words: Option<bool>,
    /// How weights of pairs were made; empty where they are products.
    pub(crate) made_of: Map<String, Value>,
}

/// Which pairs a mean separation is the mean of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanSeparation {
    /// Each pair once.
    Pairs,
    /// Each by its weight.
    Weighted,
}

impl<'a> Planned<'a> {
    /// A count of `pairs` alone.
    pub(crate) fn new(name: &'static str, pairs: Pairs<'a>) -> Self {
        Self {
            name,
            pairs,
            mean: None,
            legendre: LegendreDegrees::default(),
            pair_weight: None,
            two_words: None,
            made_of: Map::new(),
        }
    }

    /// A count of pairs that bits or angles weigh.
    pub(crate) fn weighted(pairs: WeightedPairs<'a>) -> Self {
        Self {
            pair_weight: pairs.weight,
            made_of: pairs.record,
            ..Self::new(pairs.name, pairs.pairs)
        }
    }

    /// What is counted in these bins.
    pub(crate) fn what(&self, bins: &Bins) -> CountSpec {
        let mut what = CountSpec::for_pairs(bins, self.pairs);
        if let Some(weight) = &self.pair_weight {
            what = what.weighted_by(weight.clone());
        }
        what = match self.mean {
            None => what,
            Some(MeanSeparation::Pairs) => what.with_mean_separation(),
            Some(MeanSeparation::Weighted) => what.with_weighted_separation(),
        };
        what = what.with_legendre(self.legendre);
        match self.two_words {
            None => what,
            Some(two_words) => what.in_two_words(two_words),
        }
    }

    /// Whether the pairs have weights.
    fn is_weighted(&self) -> bool {
        self.pair_weight.is_some() || self.pairs.have_weights()
    }

    /// Refuses a total that nothing can be normalised by.
    pub(crate) fn check_total(&self, total: &PairTotal) -> Result<()> {
        if total.pairs > 0 && (total.weight == 0.0 || !total.weight.is_finite()) {
            bail!(
                "{}: the weights of all pairs add up to {}: there is nothing to normalise by",
                self.name,
                total.weight
            );
        }
        Ok(())
    }

    /// Refuses weights of which nothing is left to normalise by.
    pub(crate) fn check_weight(&self, bins: &Bins) -> Result<()> {
        if self.mean == Some(MeanSeparation::Weighted) && !self.is_weighted() {
            return Err(usage(format!(
                "--mean-separation=weighted: the particles of {} have no weights: name a column, --weight COLUMN",
                self.name
            )));
        }
        let of_bits = self.pair_weight.as_ref().and_then(PairWeight::inverse);
        if of_bits.is_some() || !self.is_weighted() {
            return Ok(());
        }
        self.check_total(&PairTotal::of(self.pairs, PairKind::of(self.pairs, bins)))
    }
}
