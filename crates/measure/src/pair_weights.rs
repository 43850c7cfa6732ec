//! Weights of pairs that are more than the product of two: inverse probabilities of bits, and angular upweights.
//!
//! Entry: [`PairWeightFlags`], [`Weighting`]. What such a weight is, is the library's; here it is found out which pairs have one.

use std::borrow::Cow;

use albireo::tally::{InverseProbability, PairNormalisation, PairWeight, Realisations};
use albireo::{Pairs, Particles};
use albireo_samples::{Samples, Source};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::angular::{AngularFiles, Asking, Upweights};
use crate::group;
use crate::results::Results;
use crate::usage::{first_given, usage};

/// What counts with weights of bits are normalised by, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TotalName {
    /// Mean weights of pairs with so many bits set: equation 22 of Bianchi & Verde (2020).
    Joint,
    /// The weights of all pairs, every one of which is looked at.
    BruteForce,
    /// Each pair's weight over that of such pairs on average: equation 19 of Bianchi & Verde (2020).
    Counter,
}

/// How bits and angles weigh pairs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::PAIR_WEIGHTS)]
pub(crate) struct PairWeightFlags {
    /// Number of realisations N, the observed one included
    ///
    /// A pair with c common bits has the weight N/(offset + c) [default: bits of the columns + 1; their bits with --pip-zero-truncated].
    #[arg(long, alias = "pip-realisations", value_name = "N")]
    pip_realizations: Option<u32>,
    /// Number added to the common bits: 1 for the observed realisation, which has no bit [default: 1]
    #[arg(long, value_name = "N")]
    pip_offset: Option<u32>,
    /// Bits that are set in every row, less those set in none; totals depend on it [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pip_always: Option<i32>,
    /// Weight where the offset and the common bits are both 0 [default: 0]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pip_default: Option<f64>,
    /// Use the zero-truncated estimator
    ///
    /// The observed realisation is one of the bits, always set: offset 0, --pip-always 1.
    #[arg(long, conflicts_with_all = ["pip_offset", "pip_always"])]
    pip_zero_truncated: bool,
    /// Normalisation of the counts [default: joint]
    #[arg(long, value_name = "KIND")]
    pip_total: Option<TotalName>,
    /// Angular upweights of the counts of data (DD, DR, ..), from two results of w(theta)
    ///
    /// Counts of the PARENT sample in bins of theta over those of the OBSERVED one, linear in cos theta, 1 outside. Both are results of `xi
    /// --statistic theta` (DD and DR at once) or `count`, OBSERVED with the --bits and --pip flags used here; or @FILE with rows `theta factor`,
    /// degrees. COUNT= names the count that they are for; can be given again.
    #[arg(long, value_name = "[COUNT=]PARENT,OBSERVED")]
    angular: Vec<AngularFiles>,
}

impl PairWeightFlags {
    /// Refuses flags about bits where no sample has any.
    fn check(&self, sources: &[Source]) -> Result<()> {
        let given = [
            (self.pip_realizations.is_some(), "--pip-realizations"),
            (self.pip_offset.is_some(), "--pip-offset"),
            (self.pip_always.is_some(), "--pip-always"),
            (self.pip_default.is_some(), "--pip-default"),
            (self.pip_zero_truncated, "--pip-zero-truncated"),
            (self.pip_total.is_some(), "--pip-total"),
        ];
        let any = sources.iter().any(|source| source.selection.bits.is_some());
        match first_given(&given) {
            Some(flag) if !any => Err(usage(format!("{flag} needs bits: --bits COLUMNS"))),
            _ => Ok(()),
        }
    }

    fn realisations(&self, bits: u32) -> Realisations {
        let of = if self.pip_zero_truncated {
            Realisations::zero_truncated(bits)
        } else {
            Realisations {
                number: bits + 1,
                offset: self.pip_offset.unwrap_or(1),
                always: self.pip_always.unwrap_or(0),
                default_value: 0.0,
            }
        };
        Realisations {
            number: self.pip_realizations.unwrap_or(of.number),
            default_value: self.pip_default.unwrap_or(of.default_value),
            ..of
        }
    }

    fn normalisation(&self) -> PairNormalisation {
        match self.pip_total {
            None | Some(TotalName::Joint) => PairNormalisation::JointOccurrence,
            Some(TotalName::BruteForce) => PairNormalisation::BruteForce,
            Some(TotalName::Counter) => PairNormalisation::Counter,
        }
    }

    /// Reads what is read before the samples, and refuses what has no meaning with these sources.
    pub(crate) fn begin(&self, sources: &[Source], results: &Results) -> Result<Upweights> {
        self.check(sources)?;
        Upweights::read(&self.angular, results)
    }

    /// The weights that the bits of `samples` in these roles make.
    pub(crate) fn weighting(&self, samples: &Samples, roles: &[&'static str]) -> Result<Weighting> {
        let all = roles
            .iter()
            .filter_map(|role| Some((*role, samples.find(role)?)));
        let all: Vec<(&'static str, &Particles)> = all.collect();
        let some_without = all.iter().any(|(_, sample)| sample.bits().is_none());
        let mut of = Vec::new();
        for (role, sample) in all {
            let (Some(words), Some(number)) = (sample.bits(), samples.bits(role)) else {
                continue;
            };
            let place = || format!("weights of the bits of {role}");
            let realisations = self.realisations(number);
            let inverse =
                InverseProbability::new(words.per_row(), realisations, self.normalisation());
            let inverse = inverse.with_context(place)?;
            let individual = some_without.then(|| inverse.individual(sample));
            of.push(OfSample {
                role,
                bits: number,
                individual: individual.transpose().with_context(place)?,
                weight: inverse.into(),
            });
        }
        Ok(Weighting(of))
    }
}

/// The weights that bits of a sample make.
struct OfSample {
    role: &'static str,
    bits: u32,
    weight: PairWeight,
    /// The sample with a weight each instead, for pairs with samples without bits.
    individual: Option<Particles>,
}

impl OfSample {
    /// What the weights are, in words that tell them from all others, and the numbers that they are made of.
    fn record(&self, common: bool) -> Value {
        let Some(inverse) = self.weight.inverse() else {
            return Value::Null;
        };
        let Realisations {
            number,
            offset,
            always,
            default_value,
        } = inverse.realisations();
        let counter = common && inverse.normalisation() == PairNormalisation::Counter;
        let kind = if common { "common bits" } else { "bits set" };
        let counter = if counter {
            ", over the mean of such pairs"
        } else {
            ""
        };
        let bits = self.bits;
        let mut record = json!({
            "weight": format!("{number}/({offset} + {kind}) of {bits} bits ({default_value} where that is 0, {always} always set){counter}"),
            "kind": if common { "PIP" } else { "IIP" },
            "of": self.role,
            "bits": bits,
            "realizations": number,
            "offset": offset,
            "always": always,
            "default": default_value,
        });
        if common {
            record["total"] = json!(inverse.normalisation().name());
        }
        record
    }
}

/// The weights that bits make of pairs.
pub(crate) struct Weighting(Vec<OfSample>);

/// Pairs with the weight that their bits and their angle give them.
#[derive(Debug, Clone)]
pub(crate) struct WeightedPairs<'a> {
    pub(crate) name: &'static str,
    /// Of particles with individual weights, where one sample alone has bits.
    pub(crate) pairs: Pairs<'a>,
    pub(crate) weight: Option<PairWeight>,
    /// How the weights were made; empty where they are products.
    pub(crate) record: Map<String, Value>,
}

impl Weighting {
    fn find(&self, role: &str) -> Option<&OfSample> {
        self.0.iter().find(|of| of.role == role)
    }

    /// A sample of a role with the weights that its bits give its particles alone; itself where it has none.
    pub(crate) fn individually<'a>(
        &'a self,
        role: &str,
        sample: &'a Particles,
    ) -> Result<Cow<'a, Particles>> {
        let inverse = self.find(role).and_then(|of| of.weight.inverse());
        Ok(match inverse {
            None => Cow::Borrowed(sample),
            Some(inverse) => Cow::Owned(inverse.individual(sample)?),
        })
    }

    /// The pairs of a count between samples of these roles, with the weights of their bits.
    pub(crate) fn of<'a>(
        &'a self,
        name: &'static str,
        roles: [&str; 2],
        pairs: Pairs<'a>,
    ) -> Result<WeightedPairs<'a>> {
        let plain = WeightedPairs {
            name,
            pairs,
            weight: None,
            record: Map::new(),
        };
        let with = |pairs, weight, record| WeightedPairs {
            pairs,
            weight,
            record: std::iter::once(("bits".to_owned(), record)).collect(),
            ..plain.clone()
        };
        let individual = |of: &'a OfSample| {
            let missing = || format!("{name}: no individual weights of {}", of.role);
            of.individual.as_ref().with_context(missing)
        };
        Ok(match (roles.map(|role| self.find(role)), pairs) {
            ([Some(a), Some(b)], _) => {
                if a.bits != b.bits {
                    return Err(usage(format!(
                        "{name}: the bits of {} are {}, those of {} {}: expected as many",
                        a.role, a.bits, b.role, b.bits
                    )));
                }
                with(pairs, Some(a.weight.clone()), a.record(true))
            }
            ([Some(a), None], Pairs::Cross(_, second)) => {
                with(Pairs::Cross(individual(a)?, second), None, a.record(false))
            }
            ([None, Some(b)], Pairs::Cross(first, _)) => {
                with(Pairs::Cross(first, individual(b)?), None, b.record(false))
            }
            ([None, None], _) | (_, Pairs::Auto(_)) => plain,
        })
    }
}

/// Gives the pairs of data their angular upweights, and says what all weights are.
pub(crate) fn upweighted(
    counts: &mut [(WeightedPairs<'_>, bool)],
    upweights: &Upweights,
) -> Result<()> {
    let asking = counts.iter().filter(|(_, random)| !random);
    let asking: Vec<Asking<'_>> = asking
        .map(|(count, _)| Asking {
            name: count.name,
            auto: matches!(count.pairs, Pairs::Auto(_)),
            bits: count
                .record
                .get("bits")
                .and_then(|bits| bits["weight"].as_str()),
        })
        .collect();
    let made = upweights.of(&asking)?;
    let open = counts.iter_mut().filter(|(_, random)| !*random);
    for ((count, _), made) in open.zip(made) {
        if let Some((factors, record)) = made {
            count.record.insert("angular".to_owned(), record);
            count.weight = Some(match count.weight.take() {
                Some(weight) => weight.with_angular(factors),
                None => factors.into(),
            });
        }
    }
    for (count, _) in counts.iter() {
        count.say();
    }
    Ok(())
}

impl WeightedPairs<'_> {
    /// Says what the weights are.
    fn say(&self) {
        let name = self.name;
        if let Some(bits) = self.record.get("bits") {
            let text = |key: &str| bits[key].as_str().unwrap_or_default().to_owned();
            let (kind, weight) = (text("kind"), text("weight"));
            tracing::info!("{name}: {kind} weights {weight}");
        }
        if let Some(angular) = self.weight.as_ref().and_then(PairWeight::angular) {
            tracing::info!("{name}: times {angular}");
        }
    }
}
