//! Formulas with names: a column each, of the same counts.
//!
//! Entry: [`AskedEstimator`], what `--estimator` is given as, and [`NamedFormulas::of`].

use albireo::Correlation;
use albireo::error::EstimatorError;
use albireo::estimators::{AnyEstimator, Formula};
use anyhow::Result;
use serde_json::{Value, json};

use crate::usage::{refuse_given, usage};

/// An estimator, under a name of the user's or none.
#[derive(Debug, Clone)]
pub(super) struct AskedEstimator {
    pub(super) name: Option<String>,
    pub(super) of: AnyEstimator,
}

/// Formulas that are made of one set of counts.
#[derive(Debug, Clone)]
pub(super) struct NamedFormulas {
    names: Vec<String>,
    formulas: Vec<Formula>,
}

/// Names and endings of columns that results have anyway.
const TAKEN: [&str; 4] = ["lo", "hi", "centre", "bin"];
const ENDINGS: [&str; 8] = [
    "_lo",
    "_hi",
    "_centre",
    "_error",
    "_npairs",
    "_weight",
    "_normalised",
    "_mean",
];

/// Whether a word may name a column: a letter, then letters, digits and `_`.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn check_name(name: &str, others: &[String]) -> Result<()> {
    let is_of_results = TAKEN.contains(&name)
        || name.starts_with("mean_")
        || name.starts_with("weighted_mean_")
        || ENDINGS.iter().any(|ending| name.ends_with(ending));
    if is_of_results {
        return Err(usage(format!(
            "--estimator {name}=..: results have columns called {name} anyway: choose another name"
        )));
    }
    if others.iter().any(|other| other == name) {
        return Err(usage(format!(
            "--estimator {name}=..: the name is given twice: choose another one"
        )));
    }
    Ok(())
}

impl NamedFormulas {
    /// Those that were asked for, if they have names; refuses several without, and names of estimators that are no formulas.
    pub(super) fn of(asked: &[AskedEstimator]) -> Result<Option<Self>> {
        if let [AskedEstimator { name: None, .. }] | [] = asked {
            return Ok(None);
        }
        let (mut names, mut formulas) = (Vec::new(), Vec::new());
        for one in asked {
            let shown = one.of.name();
            let Some(name) = &one.name else {
                return Err(usage(format!(
                    "--estimator {shown}: {} are given, and each needs the name of its column: --estimator NAME=FORMULA",
                    asked.len()
                )));
            };
            check_name(name, &names)?;
            let AnyEstimator::Formula(formula) = &one.of else {
                return Err(usage(format!(
                    "--estimator {name}={shown}: expected a formula behind a name, such as {name}=(DD-2*DR+RR)/RR"
                )));
            };
            names.push(name.clone());
            formulas.push(formula.clone());
        }
        let each = formulas.iter().map(|one| one.beside(&formulas));
        Ok(Some(Self {
            names,
            formulas: each.collect(),
        }))
    }

    /// The first of them, which names the counts of all.
    pub(super) fn first(&self) -> &Formula {
        &self.formulas[0]
    }

    /// The others.
    pub(super) fn further(&self) -> &[Formula] {
        &self.formulas[1..]
    }

    /// Their names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// What a record says of them.
    pub(super) fn record(&self) -> Value {
        let all = self.names.iter().zip(&self.formulas);
        all.map(|(name, formula)| json!({"name": name, "formula": formula.text()}))
            .collect()
    }

    /// Refuses what they have no columns for, by its flag.
    pub(super) fn check(&self, apart: &[(bool, &str)]) -> Result<()> {
        let unnamed = match self.names.len() {
            1 => "leave out the name, or",
            _ => "give one formula without a name, or leave out",
        };
        refuse_given(apart, |flag| {
            format!(
                "--estimator {}=..: formulas with names are columns of bins in r or theta, or of multipoles, wedges or wp: {unnamed} {flag}",
                self.names[0]
            )
        })
    }
}

/// An estimate with what further formulas make of the same counts.
#[derive(Debug, Clone)]
pub(crate) struct Formulas {
    pub(super) named: NamedFormulas,
    pub(super) further: Vec<Correlation>,
}

impl Formulas {
    /// What `derived` makes of each of them, in a row, of `values` that are those of all in a row; `first` is the first of them.
    pub(super) fn in_a_row(
        &self,
        first: &Correlation,
        values: &[f64],
        derived: impl Fn(&Correlation) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Vec<f64>, EstimatorError> {
        let mut row = Vec::new();
        let all = std::iter::once(first).chain(&self.further);
        for (xi, values) in all.zip(values.chunks(first.xi.len())) {
            let mut xi = xi.clone();
            xi.xi.copy_from_slice(values);
            row.extend(derived(&xi)?);
        }
        Ok(row)
    }
}
