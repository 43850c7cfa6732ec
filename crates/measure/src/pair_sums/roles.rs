//! The sums that estimators take, of samples in their roles.
//!
//! Entry: [`SummedRoles::of`].

use albireo::Particles;
use albireo::estimators::{AnyEstimator, Role, Term};
use albireo::tally::{CountSpec, End};
use albireo_pair_sums::Geometry;
use albireo_samples::{Samples, Source};
use anyhow::Result;
use serde_json::{Value, json};

use super::{PairSumFlags, Summed, Valued};
use crate::session::Session;
use crate::usage::usage;

/// The sums that the formula of an estimator names, and the samples that have their columns.
#[derive(Debug)]
pub(crate) struct SummedRoles {
    summed: Summed,
    /// Which sums are made of which pairs.
    named: Vec<(Term, String)>,
    geometry: Option<Geometry>,
    samples: Vec<(Role, Valued)>,
}

impl SummedRoles {
    /// The sums of `flags`, over columns of these samples, in the counts that `estimator` takes them of; none where nothing is summed.
    pub(crate) fn of(
        flags: &PairSumFlags,
        estimator: &AnyEstimator,
        (sources, session): (&[Source], &Session<'_>),
    ) -> Result<Option<Self>> {
        let named = match estimator {
            AnyEstimator::Formula(formula) => formula.sums().to_vec(),
            _ => vec![],
        };
        let summed = flags.read(sources, session)?;
        let names: Vec<&str> = summed.iter().flat_map(|summed| summed.0.names()).collect();
        if let Some((term, name)) = named
            .iter()
            .find(|(_, name)| !names.contains(&name.as_str()))
        {
            let known = if names.is_empty() {
                "there is none: state it by --pair-sum".to_owned()
            } else {
                format!("expected one of {}", names.join(", "))
            };
            return Err(usage(format!(
                "--estimator {}: {}.{name} is no sum of --pair-sum; {known}",
                estimator.name(),
                term.name
            )));
        }
        match summed {
            Some(_) if named.is_empty() => Err(usage(format!(
                "--estimator {} takes none of the sums {}: write a formula with them, such as --estimator 'DD.{}/DD'",
                estimator.name(),
                names.join(", "),
                names[0]
            ))),
            Some(summed) => Ok(Some(Self {
                summed,
                named,
                geometry: None,
                samples: vec![],
            })),
            None => Ok(None),
        }
    }

    /// The ends of pairs at which sums take something of a role.
    fn ends(&self, role: Role) -> Vec<End> {
        let at = |end: &End| {
            let mut terms = self.named.iter().map(|(term, _)| term);
            terms.any(|term| match end {
                End::First => term.first == role,
                End::Second => term.second == role,
            })
        };
        [End::First, End::Second].into_iter().filter(at).collect()
    }

    /// The sources with the columns that sums take of them.
    pub(crate) fn selected(&self, sources: Vec<Source>) -> Vec<Source> {
        let of = |source: Source| {
            let role = Role::ALL
                .into_iter()
                .find(|role| role.name() == source.role);
            let ends = role.map_or(vec![], |role| self.ends(role));
            self.summed.selected(source, &ends)
        };
        sources.into_iter().map(of).collect()
    }

    /// The same with the samples that were read, and where their pairs are counted.
    pub(crate) fn with_samples(mut self, inputs: &Samples, geometry: Geometry) -> Result<Self> {
        self.geometry = Some(geometry);
        for role in Role::ALL {
            let ends = self.ends(role);
            if let (Some(sample), false) = (inputs.find(role.name()), ends.is_empty()) {
                self.samples
                    .push((role, self.summed.valued(sample, &ends)?));
            }
        }
        Ok(self)
    }

    fn valued(&self, role: Role) -> Option<&Valued> {
        let mut samples = self.samples.iter();
        samples.find_map(|(of, valued)| (*of == role).then_some(valued))
    }

    /// The sample of a role with its columns.
    pub(crate) fn sample(&self, role: Role) -> Option<&Particles> {
        self.valued(role).map(|valued| &valued.particles)
    }

    /// Whether a sum is made of the pairs of a term.
    pub(crate) fn sums_of(&self, term: Term) -> bool {
        self.named.iter().any(|(of, _)| *of == term)
    }

    /// What is counted of a term with its sums.
    pub(crate) fn added(&self, what: CountSpec, term: Term) -> Result<CountSpec> {
        let (Some(geometry), true) = (&self.geometry, self.sums_of(term)) else {
            return Ok(what);
        };
        let (Some(first), Some(second)) = (self.valued(term.first), self.valued(term.second))
        else {
            return Ok(what);
        };
        let is_named = |sum: &str| (self.named.iter()).any(|(of, name)| *of == term && name == sum);
        let Summed(sums, flag) = &self.summed;
        let only = Summed(sums.clone().only(is_named), flag);
        let what = what.with_program(only.program(first, second, geometry)?);
        Summed::check_order(&what, term.first == term.second)?;
        Ok(what)
    }

    /// What a record says of the sums.
    pub(crate) fn record(&self) -> Value {
        let texts = self.summed.0.names().zip(self.summed.0.texts());
        let sum = |(name, text): (&str, &str)| {
            let counts = self.named.iter().filter(|(_, other)| other == name);
            let counts: Vec<&str> = counts.map(|(term, _)| term.name).collect();
            json!({ "name": name, "expression": text, "counts": counts })
        };
        texts.map(sum).collect()
    }
}
