//! `albireo wp`: the projected correlation function.

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::derived::Derived;
use super::estimate::EstimateFlags;
use super::forms::FormFlags;
use super::realised::each_result;
use crate::args::{BinFlags, ScaledOutputFlags};
use crate::bins::{BinSpec, Statistic, check_pi};
use crate::edges::EdgeSpec;
use crate::group;
use crate::paths::WrittenFile;
use crate::session::Session;

/// Arguments of `wp`.
#[derive(Debug, Args)]
pub(crate) struct Wp {
    #[command(flatten)]
    estimate: EstimateFlags,
    /// Bins in rp: lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. or @FILE, e.g. log:0.1:20:14
    ///
    /// In the unit of the positions.
    #[arg(long, value_name = "SPEC", help_heading = group::BINS)]
    bins: EdgeSpec,
    /// Bins in pi that wp is summed over, from 0 for both signs together [default: lin:0:40:40]
    #[arg(
        long,
        value_name = "SPEC",
        allow_hyphen_values = true,
        help_heading = group::BINS
    )]
    pi_bins: Option<EdgeSpec>,
    /// Sum up to this |pi|, an edge of the bins [default: all of them]
    #[arg(long, value_name = "PI", help_heading = group::BINS)]
    pi_max: Option<f64>,
    /// Also write xi(rp, pi) with its counts, by extension as --output
    #[arg(long, value_name = "FILE", help_heading = group::OUTPUT)]
    counts: Option<WrittenFile>,
    #[command(flatten)]
    forms: FormFlags,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

impl Wp {
    /// Counts, estimates, sums over pi, prints and writes.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        let bins = BinFlags::of_statistic(self.bins.clone(), self.pi_bins.clone());
        let output = self.forms.output(&self.output.output());
        let others = self.forms.others(self.counts.as_deref());
        let files = others.iter().map(|(_, path)| *path);
        let files: Vec<&Path> = files.chain(output.file()).collect();
        self.estimate.check_written(&output, others, session)?;
        let spec = BinSpec::new(Statistic::RpPi, &bins)?;
        self.estimate.check_forms(&spec, &files)?;
        self.estimate.check_formulas(&[
            (self.counts.is_some(), "--counts"),
            (self.forms.any(), "--outputs"),
        ])?;
        if let Some(pi) = &spec.second {
            check_pi(pi.values(), self.pi_max)?;
        }
        let wp = vec![Derived::Wp(self.pi_max)];
        let forms = self.forms.choose(wp, self.counts.as_deref())?;
        let sets = self.estimate.weight_sets.names();
        let over = self.estimate.over_realisations()?;
        each_result((&sets, &over), &output, session, |session, set, name| {
            let estimated = (self.estimate).estimate(&spec, None, (set, name), session)?;
            estimated
                .map(|all| forms.write(&all, &output, name))
                .transpose()
        })
    }
}
