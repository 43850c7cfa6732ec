//! The estimator that the flags choose, and whether it goes with the catalogues.

use albireo::binning::PairOrder;
use albireo::estimators::{AnyEstimator, Estimator, Role, Term};
use anyhow::Result;

use super::EstimateFlags;
use crate::commands::estimator::check_formula;
use crate::commands::named_formulas::NamedFormulas;
use crate::usage::usage;

/// The randoms that an estimator may need, by their flags.
const RANDOMS: [(Role, &str); 2] = [
    (Role::Randoms, "--randoms"),
    (Role::SecondRandoms, "--cross-randoms"),
];

impl EstimateFlags {
    /// The estimator asked for, or the one that goes with the catalogues; refuses catalogues that it has no use for.
    pub(super) fn estimator(&self) -> Result<AnyEstimator> {
        let formulas = self.formulas()?;
        let first = formulas
            .as_ref()
            .map(|all| AnyEstimator::from(all.first().clone()));
        let one = self.estimator.first().map(|one| &one.of);
        let estimator: AnyEstimator = match first.as_ref().or(one) {
            Some(AnyEstimator::Formula(formula)) => {
                check_formula(formula, |role| self.given(role))?;
                formula.clone().into()
            }
            Some(AnyEstimator::Named(named)) => self.named_estimator(Some(*named))?.into(),
            _ => self.named_estimator(None)?.into(),
        };
        let terms = estimator.terms(PairOrder::Unordered);
        if self.rr.is_some() && !terms.iter().any(|term| term.is_volume()) {
            return Err(usage(format!(
                "--rr has no use: --estimator {} counts no RR",
                estimator.name()
            )));
        }
        Ok(estimator)
    }

    /// The formulas with names that were asked for.
    pub(super) fn formulas(&self) -> Result<Option<NamedFormulas>> {
        NamedFormulas::of(&self.estimator)
    }

    /// Refuses formulas with names beside what they have no columns for.
    pub(in crate::commands) fn check_formulas(&self, apart: &[(bool, &str)]) -> Result<()> {
        let Some(formulas) = self.formulas()? else {
            return Ok(());
        };
        formulas.check(apart)?;
        formulas.check(&[
            (self.classes.any(), "--classes"),
            (self.realised.all.given(), "--realisations"),
        ])
    }

    fn named_estimator(&self, wanted: Option<Estimator>) -> Result<Estimator> {
        let random = self.given(Role::Randoms) || self.given(Role::SecondRandoms);
        let shifted = [Role::Shifted, Role::SecondShifted].map(|role| self.given(role));
        if !self.cross.is_empty() && shifted[0] != shifted[1] {
            return Err(usage(
                "a cross-correlation needs shifted randoms for both catalogues: --shifted-randoms and --cross-shifted-randoms",
            ));
        }
        let of_one = match wanted {
            Some(_) if shifted[0] => {
                return Err(usage(
                    "--shifted-randoms has an estimator of its own: leave out --estimator, or write a formula with DS, SD and SS",
                ));
            }
            Some(wanted) => wanted,
            None if shifted[0] => Estimator::ShiftedRandoms,
            None if random => Estimator::LandySzalay,
            None => Estimator::Natural,
        };
        let name = of_one.name();
        let estimator = if self.cross.is_empty() {
            Some(of_one)
        } else {
            of_one.of_two_samples()
        };
        let estimator = estimator
            .ok_or_else(|| usage(format!("--estimator {name} is not defined with --cross")))?;
        let terms = estimator.terms(PairOrder::Unordered);
        self.check_randoms(estimator, &terms)?;
        Ok(estimator)
    }

    /// Refuses randoms that the estimator misses, or has no use for.
    fn check_randoms(&self, estimator: Estimator, terms: &[Term]) -> Result<()> {
        let name = estimator.name();
        let given = |role| self.given(role);
        let takes = |role| terms.iter().any(|term| term.roles().contains(&role));
        let (taken, others): (Vec<_>, Vec<_>) =
            RANDOMS.into_iter().partition(|(role, _)| takes(*role));
        let asked_for = !self.estimator.is_empty() && !estimator.takes_known_randoms();
        match taken[..] {
            [(first, flag), ..] if asked_for && !given(first) => {
                return Err(usage(format!("--estimator {name} needs {flag}")));
            }
            [(first, _), (second, _)] if given(first) != given(second) => {
                return Err(usage(
                    "a cross-correlation needs randoms for both catalogues: --randoms and --cross-randoms",
                ));
            }
            _ => {}
        }
        match others.into_iter().find(|(role, _)| given(*role)) {
            None => Ok(()),
            Some((_, extra)) => {
                let taken: Vec<_> = taken.into_iter().map(|(_, flag)| flag).collect();
                Err(usage(format!(
                    "--estimator {name} with --cross uses {} only: leave out {extra}",
                    taken.join(" and ")
                )))
            }
        }
    }
}
