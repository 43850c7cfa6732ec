//! The estimator as the command line spells it, and the catalogues that it takes.
//!
//! Entry: [`EstimatorParser`], [`check_formula`].

use std::ffi::OsStr;

use albireo::binning::PairOrder;
use albireo::error::EstimatorError;
use albireo::estimators::{AnyEstimator, Estimator, Formula, Role};
use anyhow::Result;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use super::named_formulas::{AskedEstimator, is_name};
use crate::synonyms::value_instead;
use crate::usage::usage;

/// The catalogues besides the first, by their flags.
const CATALOGS: [(Role, &str, &str); 5] = [
    (Role::Randoms, "--randoms", "DR, RD or RR"),
    (Role::SecondData, "--cross", "D1D2"),
    (Role::SecondRandoms, "--cross-randoms", "D1R2 or R1R2"),
    (Role::Shifted, "--shifted-randoms", "DS, SD or SS"),
    (
        Role::SecondShifted,
        "--cross-shifted-randoms",
        "D1S2 or S1S2",
    ),
];

/// What `--estimator` takes: a name, of those that no other flag asks for, or a formula.
#[derive(Debug, Clone)]
pub(super) struct EstimatorParser;

fn named() -> impl Iterator<Item = Estimator> {
    let shifts = |estimator: Estimator| {
        let terms = estimator.terms(PairOrder::Unordered);
        terms.iter().any(|t| t.roles().contains(&Role::Shifted))
    };
    let all = Estimator::ALL.iter().copied();
    all.filter(move |estimator| !estimator.is_cross() && !shifts(*estimator))
}

fn asked(text: &str) -> Result<AskedEstimator, String> {
    let named = text.split_once('=').map(|(name, of)| (name.trim(), of));
    match named {
        Some((name, of)) if is_name(name) => Ok(AskedEstimator {
            name: Some(name.to_owned()),
            of: estimator(of.trim())?,
        }),
        Some((name, _)) => Err(format!(
            "expected a formula, or NAME=FORMULA with a name of a letter and then letters, digits or `_`, found the name `{name}`"
        )),
        None => Ok(AskedEstimator {
            name: None,
            of: estimator(text)?,
        }),
    }
}

fn estimator(text: &str) -> Result<AnyEstimator, String> {
    if let Some(estimator) = named().find(|estimator| estimator.name() == text) {
        return Ok(estimator.into());
    }
    let formula: Result<Formula, _> = text.parse();
    let like_a_name = |c: char| c.is_ascii_alphabetic() || ['-', '_'].contains(&c);
    formula.map(AnyEstimator::from).map_err(|error| {
        if text.is_empty() || !text.chars().all(like_a_name) {
            return error.to_string();
        }
        let names: Vec<String> = named().map(|one| one.name().to_owned()).collect();
        let known = value_instead("estimator", text, &names).map(|name| format!("use {name}"));
        let listed = || {
            let names = names.join(", ");
            format!("expected one of {names}, or a formula such as (DD-2*DR+RR)/RR")
        };
        format!(
            "there is no estimator `{text}`: {}",
            known.unwrap_or_else(listed)
        )
    })
}

impl TypedValueParser for EstimatorParser {
    type Value = AskedEstimator;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<AskedEstimator, clap::Error> {
        let parser = StringValueParser::new().try_map(|text: String| asked(&text));
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(named().map(|estimator| {
            PossibleValue::new(estimator.name()).help(estimator.formula())
        })))
    }
}

/// Refuses catalogues that a formula misses, or has no use for; `given` tells which there are. Pairs of randoms alone may be known.
pub(super) fn check_formula(formula: &Formula, given: impl Fn(Role) -> bool) -> Result<()> {
    let flags = || CATALOGS.into_iter();
    let known = formula.named().iter().filter(|term| term.is_volume());
    let known = known.flat_map(|term| term.roles()).all(|role| !given(role));
    for term in formula.named() {
        if known && term.is_volume() {
            continue;
        }
        let missing = flags().find(|(role, ..)| term.roles().contains(role) && !given(*role));
        if let Some((_, flag, _)) = missing {
            return Err(usage(format!(
                "--estimator {formula}: {} needs {flag} FILE",
                term.name
            )));
        }
    }
    let takes = |role| {
        let mut terms = formula.named().iter();
        terms.any(|term| term.roles().contains(&role))
    };
    if !takes(Role::Data) {
        return Err(usage(format!(
            "--estimator {formula} names no pairs with the data, such as DD, DR or D1D2"
        )));
    }
    match flags().find(|(role, ..)| given(*role) && !takes(*role)) {
        None => Ok(()),
        Some((_, flag, labels)) => Err(usage(format!(
            "--estimator {formula} has no use for {flag}: leave it out, or name {labels}"
        ))),
    }
}

/// The error with what would help where RR is not known.
pub(super) fn with_advice(error: EstimatorError) -> anyhow::Error {
    let unknown = matches!(error, EstimatorError::AnalyticRr(_));
    let error = anyhow::Error::from(error);
    if unknown {
        return error.context(
            "RR needs --randoms FILE, or a periodic box in which it is known (--box L, or an attribute of the file such as BoxSize)",
        );
    }
    error
}
