//! `albireo xi`: correlation functions, their multipoles and their wedges.

use std::path::Path;

use albireo::estimators::MAX_SUMMED_ELL;
use anyhow::Result;
use clap::{Args, ValueEnum};

use super::derived::Derived;
use super::estimate::EstimateFlags;
use super::forms::FormFlags;
use super::over_mu::OverMuFlags;
use super::realised::each_result;
use crate::args::{BinFlags, ScaledOutputFlags};
use crate::bins::{BinSpec, Statistic, signed_mu_bins};
use crate::edges::EdgeSpec;
use crate::group;
use crate::paths::WrittenFile;
use crate::session::Session;
use crate::usage::usage;

/// Arguments of `xi`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
pub(crate) struct Xi {
    #[command(flatten)]
    estimate: EstimateFlags,
    /// Coordinates of the bins [default: r, or s-mu with --multipoles or wedges]
    #[arg(long, help_heading = group::BINS)]
    statistic: Option<Statistic>,
    #[command(flatten)]
    bins: BinFlags,
    #[command(flatten)]
    over_mu: OverMuFlags,
    /// How multipoles are computed: from bins in mu, or from Legendre sums over the pairs (no --mu-bins)
    #[arg(long, default_value = "mu", requires = "multipoles")]
    poles_from: PolesFrom,
    /// Also write xi(s, mu) with its counts, with --multipoles or wedges
    #[arg(long, value_name = "FILE", help_heading = group::OUTPUT)]
    counts: Option<WrittenFile>,
    #[command(flatten)]
    forms: FormFlags,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

/// What multipoles are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PolesFrom {
    /// Bins in mu, times the integrals of the Legendre polynomials over them.
    Mu,
    /// Sums of the Legendre polynomials over the pairs, and for surveys the mixing matrix of RR (Slepian & Eisenstein 2015).
    Legendre,
}

impl Xi {
    /// The coordinates asked for, or those that go with the other flags.
    fn statistic(&self) -> Statistic {
        let implied = match self.over_mu.given() {
            _ if self.bins.bins_of.is_some() => Statistic::Expressions,
            Some(_) => Statistic::SMu,
            None => Statistic::R,
        };
        self.statistic.unwrap_or(implied)
    }

    /// Refuses flags that go with one statistic only.
    fn check(&self) -> Result<()> {
        match self.over_mu.given() {
            Some(flag) if self.statistic() != Statistic::SMu => {
                Err(usage(format!("{flag} needs --statistic s-mu")))
            }
            None if self.counts.is_some() => Err(usage(
                "--counts needs --multipoles, --wedges or --wedge-edges: without them the counts stand in the result",
            )),
            _ => self.over_mu.check_orders(),
        }
    }

    /// The orders of multipoles from Legendre sums, if that is what is asked for; the one bin in mu that these need is then set.
    fn orders_of_sums(&mut self) -> Result<Option<Vec<u32>>> {
        let orders = self.over_mu.multipoles.clone();
        let Some(orders) = orders.filter(|_| self.poles_from == PolesFrom::Legendre) else {
            return Ok(None);
        };
        if self.bins.mu_bins.is_some() {
            return Err(usage(
                "--poles-from legendre needs no --mu-bins: leave them out",
            ));
        }
        if self.over_mu.has_wedges() {
            return Err(usage(
                "--poles-from legendre leaves one bin in mu: wedges take --poles-from mu and --mu-bins",
            ));
        }
        if let Some(high) = orders.iter().find(|&&order| order > MAX_SUMMED_ELL) {
            return Err(usage(format!(
                "--poles-from legendre: the highest order is {MAX_SUMMED_ELL}, found {high}: take --poles-from mu"
            )));
        }
        // Odd ones of a single sample need both orders of each pair.
        let first = if self.over_mu.is_signed() && !self.estimate.is_cross() {
            -1.0
        } else {
            0.0
        };
        self.bins.mu_bins = Some(EdgeSpec::Linear(first, 1.0, 1));
        Ok(Some(orders))
    }

    /// Counts, estimates, prints and writes.
    pub(crate) fn run(mut self, session: &mut Session<'_>) -> Result<()> {
        let output = self.forms.output(&self.output.output());
        let others = self.forms.others(self.counts.as_deref());
        self.estimate.check_written(&output, others, session)?;
        self.check()?;
        let orders = self.orders_of_sums()?;
        if self.bins.mu_bins.is_none() && self.over_mu.is_signed() {
            self.bins.mu_bins = Some(signed_mu_bins()?);
        }
        let spec = BinSpec::new(self.statistic(), &self.bins)?;
        let others = self.forms.others(self.counts.as_deref());
        let files = others.into_iter().map(|(_, path)| path);
        let files: Vec<&Path> = files.chain(output.file()).collect();
        self.estimate.check_forms(&spec, &files)?;
        let over_mu = self.over_mu.given();
        self.estimate.check_formulas(&[
            (orders.is_some(), "--poles-from legendre"),
            (
                over_mu.is_none() && spec.second.is_some(),
                "the second coordinate",
            ),
            (self.counts.is_some(), "--counts"),
            (self.forms.any(), "--outputs"),
        ])?;
        // Edges of wedges are checked before a file is read.
        let wanted = match &spec.second {
            Some(mu) => self.over_mu.wanted(mu)?,
            None => Vec::new(),
        };
        let wanted = wanted.into_iter().map(Derived::from).collect();
        let forms = self.forms.choose(wanted, self.counts.as_deref())?;
        let orders = orders.as_deref();
        let sets = self.estimate.weight_sets.names();
        let over = self.estimate.over_realisations()?;
        each_result((&sets, &over), &output, session, |session, set, name| {
            let estimated = (self.estimate).estimate(&spec, orders, (set, name), session)?;
            estimated
                .map(|all| forms.write(&all, &output, name))
                .transpose()
        })
    }
}
