//! Bins as the command line asks for them.
//!
//! Entry: [`Statistic`], and [`BinSpec`], which becomes [`Bins`] once the line of sight is known. Edges are read by `edges`.

use albireo::{Bins, Edges, LineOfSight, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins};
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
}

impl Statistic {
    /// As the command line and the results name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::R => "r",
            Self::SMu => "s-mu",
            Self::RpPi => "rp-pi",
            Self::Theta => "theta",
        }
    }

    /// Whether the bins have a line of sight.
    pub(crate) fn has_line_of_sight(self) -> bool {
        matches!(self, Self::SMu | Self::RpPi)
    }
}

/// The axes of a statistic, checked to belong to it.
#[derive(Debug, Clone)]
pub(crate) struct BinSpec {
    pub(crate) statistic: Statistic,
    pub(crate) first: Edges,
    pub(crate) second: Option<SignedEdges>,
}

impl BinSpec {
    /// Takes the edges that `statistic` needs and refuses others.
    pub(crate) fn new(statistic: Statistic, flags: &BinFlags) -> Result<Self> {
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
        let signed = |flag: &'static str, spec: &EdgeSpec| spec.signed().context(flag);
        let second = match (statistic, &flags.mu_bins, &flags.pi_bins) {
            (Statistic::R | Statistic::Theta, ..) => None,
            (Statistic::SMu, Some(mu), _) => Some(signed("--mu-bins", mu)?),
            (Statistic::RpPi, _, Some(pi)) => Some(signed("--pi-bins", pi)?),
            (Statistic::SMu, ..) => {
                return Err(usage(
                    "--statistic s-mu needs --mu-bins, such as --mu-bins lin:0:1:20",
                ));
            }
            (Statistic::RpPi, ..) => {
                return Err(usage(
                    "--statistic rp-pi needs --pi-bins, such as --pi-bins lin:0:40:40",
                ));
            }
        };
        let first = flags.bins.edges().context("--bins")?;
        let spec = Self {
            statistic,
            first,
            second,
        };
        // What no line of sight could mend is refused before a file is read.
        spec.with_line_of_sight(LineOfSight::default())?;
        Ok(spec)
    }

    /// Refuses a line of sight where neither the statistic has one nor a cut is `across` it.
    pub(crate) fn check_line_of_sight(&self, given: Option<LosName>, across: bool) -> Result<()> {
        if given.is_some() && !across && !self.statistic.has_line_of_sight() {
            return Err(usage(format!(
                "--los has no meaning for --statistic {}",
                self.statistic.name()
            )));
        }
        Ok(())
    }

    /// The bins, with the line of sight where they have one.
    pub(crate) fn with_line_of_sight(&self, los: LineOfSight) -> Result<Bins> {
        let first = self.first.clone();
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_takes_its_own_axes_only() {
        let spec = |text: &str| text.parse::<EdgeSpec>().unwrap();
        let flags = |mu: Option<&str>, pi: Option<&str>| BinFlags {
            bins: spec("lin:0:10:5"),
            mu_bins: mu.map(spec),
            pi_bins: pi.map(spec),
        };
        let mu = flags(Some("lin:0:1:2"), None);
        assert!(BinSpec::new(Statistic::R, &mu).is_err());
        assert!(BinSpec::new(Statistic::SMu, &flags(None, None)).is_err());
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
