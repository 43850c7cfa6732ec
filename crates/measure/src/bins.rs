//! Bins as the command line asks for them.
//!
//! Entry: [`Statistic`], and [`BinSpec`], which becomes [`Bins`] once the line of sight is known. Edges are read by `edges`.

use albireo::binning::Binning;
use albireo::{Axis, Bins, Edges, LineOfSight, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins};
use albireo_pair_sums::{ExpressionBins, PairSumError};
use albireo_samples::Unit;
use anyhow::{Context, Result};

use crate::args::{BinFlags, LosName};
use crate::edges::EdgeSpec;
use crate::usage::usage;

/// What pairs are binned in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Statistic {
    /// Separation r.
    R,
    /// Separation s and cosine mu to the line of sight.
    SMu,
    /// Separations across (rp) and along (pi) the line of sight.
    RpPi,
    /// Angle on the sky, degrees.
    Theta,
    /// Values of expressions, which `--bins-of` asks for.
    #[value(skip)]
    Expressions,
}

impl Statistic {
    /// As the command line and the results name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::R => "r",
            Self::SMu => "s-mu",
            Self::RpPi => "rp-pi",
            Self::Theta => "theta",
            Self::Expressions => "expressions",
        }
    }

    /// What asks for it.
    fn flag(self) -> String {
        match self {
            Self::Expressions => "--bins-of without los, dlos, rp or mu".to_owned(),
            own => format!("--statistic {}", own.name()),
        }
    }
}

/// Bins in mu where none are given, for both signs together.
const MU_BINS: &str = "lin:0:1:100";
/// As wide, where the sign of mu matters.
const SIGNED_MU_BINS: &str = "lin:-1:1:200";
/// Bins in pi where none are given, in Mpc/h or Mpc.
const PI_BINS: &str = "lin:0:40:40";

/// Bins along an axis that are not given, which the log shows.
fn default_bins(axis: &str, text: &str) -> Result<EdgeSpec> {
    tracing::info!("{axis} bins: {text} (default)");
    text.parse().map_err(usage)
}

/// Bins in mu where none are given and its sign matters.
pub(crate) fn signed_mu_bins() -> Result<EdgeSpec> {
    default_bins("mu", SIGNED_MU_BINS)
}

/// The edges along mu or pi: those given, or the default.
fn along(axis: &str, given: Option<&EdgeSpec>, default: &str) -> Result<SignedEdges> {
    let edges = match given {
        Some(given) => given.signed(),
        None => default_bins(axis, default)?.signed(),
    };
    edges.with_context(|| format!("--{axis}-bins"))
}

/// The axes of a statistic, checked to belong to it.
#[derive(Debug, Clone)]
pub(crate) struct BinSpec {
    pub(crate) statistic: Statistic,
    first: First,
    pub(crate) second: Option<SignedEdges>,
    /// Whether they are those in pi that are taken where none are given.
    default_pi: bool,
}

/// What the first axis is of.
#[derive(Debug, Clone)]
enum First {
    Edges(Edges),
    /// All axes of bins in the values of expressions.
    Of(ExpressionBins),
}

/// Bins in the values of expressions, along any line of sight.
fn expressions(flags: &BinFlags, of: &str) -> Result<ExpressionBins> {
    let first = (of, flags.bins.signed().context("--bins")?);
    let second = flags
        .second_bins_of
        .as_deref()
        .zip(flags.second_bins.as_ref());
    let second = second
        .map(|(of, bins)| Ok((of, bins.signed()?)))
        .transpose()
        .map_err(|error: anyhow::Error| error.context("--second-bins"))?;
    let reach = flags.reach.unwrap_or_default();
    ExpressionBins::new(first, second, reach, LineOfSight::Fixed(Axis::Z)).map_err(|error| {
        let flag = match error {
            PairSumError::Reach(_) => "--reach",
            _ => "--bins-of",
        };
        usage(format!("{flag}: {error}"))
    })
}

impl BinSpec {
    /// Takes the edges that `statistic`, or `--bins-of` in its place, needs and refuses others.
    pub(crate) fn new(statistic: Statistic, flags: &BinFlags) -> Result<Self> {
        if let Some(of) = &flags.bins_of {
            let bins = expressions(flags, of)?;
            return Ok(Self {
                statistic: Statistic::Expressions,
                first: First::Of(bins),
                second: flags
                    .second_bins
                    .as_ref()
                    .map(EdgeSpec::signed)
                    .transpose()?,
                default_pi: false,
            });
        }
        let name = statistic.name();
        if flags.mu_bins.is_some() && statistic != Statistic::SMu {
            return Err(usage(format!(
                "--mu-bins belongs to --statistic s-mu, not to {name}"
            )));
        }
        if flags.pi_bins.is_some() && statistic != Statistic::RpPi {
            return Err(usage(format!(
                "--pi-bins belongs to --statistic rp-pi, not to {name}"
            )));
        }
        let second = match statistic {
            Statistic::SMu => Some(along("mu", flags.mu_bins.as_ref(), MU_BINS)?),
            Statistic::RpPi => Some(along("pi", flags.pi_bins.as_ref(), PI_BINS)?),
            _ => None,
        };
        let first = flags.bins.edges().context("--bins")?;
        let default_pi = statistic == Statistic::RpPi && flags.pi_bins.is_none();
        let spec = Self {
            default_pi,
            ..Self::of_edges(statistic, first, second)
        };
        // What no line of sight could mend is refused before a file is read.
        spec.with_line_of_sight(LineOfSight::default())?;
        Ok(spec)
    }

    /// The axes of a statistic that has none of expressions.
    pub(crate) fn of_edges(
        statistic: Statistic,
        first: Edges,
        second: Option<SignedEdges>,
    ) -> Self {
        Self {
            statistic,
            first: First::Edges(first),
            second,
            default_pi: false,
        }
    }

    /// Whether the bins have a line of sight.
    pub(crate) fn has_line_of_sight(&self) -> bool {
        match &self.first {
            First::Edges(_) => matches!(self.statistic, Statistic::SMu | Statistic::RpPi),
            First::Of(bins) => bins.line_of_sight().is_some(),
        }
    }

    /// Refuses a line of sight where neither the statistic has one nor a cut is `across` it.
    pub(crate) fn check_line_of_sight(&self, given: Option<LosName>, across: bool) -> Result<()> {
        if given.is_some() && !across && !self.has_line_of_sight() {
            return Err(usage(format!(
                "--los has no meaning for {}",
                self.statistic.flag()
            )));
        }
        Ok(())
    }

    /// Refuses bins in pi that are not given where positions are in a unit that the default is not meant in.
    fn check_unit(&self, unit: Option<&str>) -> Result<()> {
        let stated = unit.and_then(|unit| unit.parse::<Unit>().ok());
        let stated = stated.map(|unit| unit.to_string());
        match stated.filter(|unit| self.default_pi && unit != "Mpc/h" && unit != "Mpc") {
            None => Ok(()),
            Some(unit) => Err(usage(format!(
                "--pi-bins SPEC is needed: {PI_BINS}, the default, is in Mpc/h, and the positions are in {unit}; --unit Mpc/h converts them"
            ))),
        }
    }

    /// The bins for positions in this unit, with the line of sight where they have one.
    pub(crate) fn bins(&self, los: LineOfSight, unit: Option<&str>) -> Result<Bins> {
        self.check_unit(unit)?;
        self.with_line_of_sight(los)
    }

    /// The bins, with the line of sight where they have one.
    pub(crate) fn with_line_of_sight(&self, los: LineOfSight) -> Result<Bins> {
        let first = match &self.first {
            First::Edges(first) => first.clone(),
            First::Of(bins) => {
                let bins = bins.along(los);
                return Ok(bins
                    .map_err(|error| usage(format!("--bins-of: {error}")))?
                    .into());
            }
        };
        Ok(match (self.statistic, self.second.clone()) {
            (Statistic::SMu, Some(mu)) => {
                Bins::SMu(SMuBins::new(first, mu, los).context("--mu-bins")?)
            }
            (Statistic::RpPi, Some(pi)) => {
                Bins::RpPi(RpPiBins::new(first, pi, los).context("--pi-bins")?)
            }
            (Statistic::Theta, _) => Bins::Theta(ThetaBins::new(first).context("--bins")?),
            _ => Bins::R(RBins::new(first)),
        })
    }
}

/// Refuses a `--pi-max` that is no edge; warns of bins along the line of sight that leave a part of it out of the projection.
pub(crate) fn check_pi(edges: &[f64], pi_max: Option<f64>) -> Result<()> {
    let is_end = |pi: f64| edges.contains(&pi) && (edges[0] >= 0.0 || edges.contains(&-pi));
    if let Some(pi) = pi_max.filter(|&pi| pi.is_nan() || pi <= edges[0].max(0.0) || !is_end(pi)) {
        let upper = edges[1..].iter().copied();
        let mut upper: Vec<f64> = upper.filter(|&edge| edge > 0.0 && is_end(edge)).collect();
        // Those next to it are enough to choose from.
        upper.sort_by(|a, b| (a - pi).abs().total_cmp(&(b - pi).abs()));
        upper.truncate(4);
        upper.sort_by(f64::total_cmp);
        let upper: Vec<String> = upper.iter().map(f64::to_string).collect();
        return Err(usage(format!(
            "--pi-max {pi} is no upper edge of the bins in pi, the nearest of which: {}; take one of these, or other --pi-bins",
            upper.join(", ")
        )));
    }
    if let Some(&first) = edges.first().filter(|first| **first > 0.0) {
        tracing::warn!(
            "--pi-bins begin at {first}, not at 0: wp leaves out pairs nearer along the line of sight"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_takes_its_own_axes_only() {
        let spec = |text: &str| text.parse::<EdgeSpec>().unwrap();
        let flags = |mu: Option<&str>, pi: Option<&str>| BinFlags {
            mu_bins: mu.map(spec),
            ..BinFlags::of_statistic(spec("lin:0:10:5"), pi.map(spec))
        };
        let mu = flags(Some("lin:0:1:2"), None);
        assert!(BinSpec::new(Statistic::R, &mu).is_err());
        let default = BinSpec::new(Statistic::SMu, &flags(None, None)).unwrap();
        assert_eq!(default.second.unwrap().n_bins(), 100);
        let default = BinSpec::new(Statistic::RpPi, &flags(None, None)).unwrap();
        assert!(default.check_unit(Some("kpc/h")).is_err());
        assert!(default.check_unit(Some("Mpc/h")).is_ok() && default.check_unit(None).is_ok());
        assert_eq!(default.second.unwrap().values()[40], 40.0);
        assert!(BinSpec::new(Statistic::RpPi, &mu).is_err());
        assert!(BinSpec::new(Statistic::SMu, &mu).is_ok());
        assert!(
            BinSpec::new(Statistic::R, &flags(None, None))
                .unwrap()
                .check_line_of_sight(Some(LosName::Z), false)
                .is_err()
        );
    }
}
