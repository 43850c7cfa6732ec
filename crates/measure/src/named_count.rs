//! A count that a command makes: what it is called, of which pairs, and what is counted of them.
//!
//! Entry: [`NamedCount`].

use albireo::counts::{PairKind, PairTotal};
use albireo::tally::{Classes, PairWeight};
use albireo::{Bins, CountSpec, Pairs};
use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::pair_weights::WeightedPairs;
use crate::usage::usage;

/// A count to be made.
#[derive(Debug, Clone)]
pub(crate) struct NamedCount<'a> {
    pub(crate) name: &'static str,
    pub(crate) pairs: Pairs<'a>,
    pub(crate) what: CountSpec,
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

impl<'a> NamedCount<'a> {
    /// The numbers of `pairs`, and the products of weights where there are weights.
    pub(crate) fn new(name: &'static str, pairs: Pairs<'a>, bins: &Bins) -> Self {
        Self {
            name,
            pairs,
            what: CountSpec::for_pairs(bins, pairs),
            made_of: Map::new(),
        }
    }

    /// The same of pairs that bits or angles weigh.
    pub(crate) fn weighted(pairs: WeightedPairs<'a>, bins: &Bins) -> Self {
        let count = Self::new(pairs.name, pairs.pairs, bins);
        let what = match pairs.weight {
            None => count.what,
            Some(weight) => count.what.weighted_by(weight),
        };
        Self {
            what,
            made_of: pairs.record,
            ..count
        }
    }

    /// The same with mean separations, if these are asked for; by weights that there are not they are refused.
    pub(crate) fn with_mean(self, mean: Option<MeanSeparation>) -> Result<Self> {
        let what = match mean {
            None => self.what,
            Some(MeanSeparation::Pairs) => self.what.with_mean_separation(),
            Some(MeanSeparation::Weighted) if self.what.has_weights() => {
                self.what.with_weighted_separation()
            }
            Some(MeanSeparation::Weighted) => {
                return Err(usage(format!(
                    "--mean-separation=weighted: the particles of {} have no weights: name a column, --weight COLUMN",
                    self.name
                )));
            }
        };
        Ok(Self { what, ..self })
    }

    /// The same kept apart by classes.
    pub(crate) fn by(mut self, classes: Classes) -> Self {
        self.what = self.what.with_classes(classes);
        self
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
    pub(crate) fn check_weight(&self) -> Result<()> {
        let of_bits = self.what.pair_weight().and_then(PairWeight::inverse);
        if of_bits.is_some() || !self.what.has_weights() {
            return Ok(());
        }
        let kind = PairKind::of(self.pairs, self.what.order());
        self.check_total(&PairTotal::of(self.pairs, kind))
    }
}
