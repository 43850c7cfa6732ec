//! Flags of estimates that are made again of saved counts: errors from their regions, forms, files.
//!
//! Entry: [`RegionErrors`] and [`FormsOfSaved`].

use std::path::{Path, PathBuf};

use albireo::SignedEdges;
use albireo::binning::{Axes, BinAxis};
use albireo_catalogs::Table;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::args::{OutputFlags, SEED, ScaledOutputFlags};
use crate::bins::check_pi;
use crate::catalogs::Files;
use crate::commands::derived::Derived;
use crate::commands::forms::{FormFlags, Forms};
use crate::commands::over_mu::OverMuFlags;
use crate::commands::region_flags::JackknifeName;
use crate::group;
use crate::paths::WrittenFile;
use crate::results::Results;
use crate::scatter::Method;
use crate::usage::usage;
use crate::weight_sets::path_of;

/// Errors from the regions of saved counts.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(super) struct RegionErrors {
    /// Results of --region-counts, one for each result in the same order: errors from regions
    ///
    /// A jackknife of lsstypes is named again.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) by_region: Vec<Files>,
    /// Leave out one region at a time [default with --by-region: standard]
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "standard", requires = "by_region")]
    jackknife: Option<JackknifeName>,
    /// Draw as many regions with replacement, N times
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "jackknife",
        requires = "by_region"
    )]
    bootstrap: Option<u32>,
    /// Seed of the bootstrap
    #[arg(long, value_name = "SEED", default_value_t = SEED.into())]
    seed: u64,
}

/// What is made of saved counts, and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
pub(super) struct FormsOfSaved {
    #[command(flatten)]
    over_mu: OverMuFlags,
    /// Compute the projected correlation function of xi(rp, pi)
    #[arg(long)]
    wp: bool,
    /// Sum up to this |pi|, an edge of the bins, with --wp [default: all of them]
    #[arg(long, value_name = "PI", requires = "wp")]
    pi_max: Option<f64>,
    /// Also write xi with its counts, with --multipoles, wedges or --wp
    #[arg(long, value_name = "FILE", help_heading = group::OUTPUT)]
    counts: Option<WrittenFile>,
    /// Write the covariance, a row for each two bins
    #[arg(long, value_name = "FILE", requires = "by_region", help_heading = group::OUTPUT)]
    covariance: Option<WrittenFile>,
    #[command(flatten)]
    forms: FormFlags,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

impl RegionErrors {
    /// How realisations are made of the regions.
    pub(super) fn method(&self) -> Method {
        match (self.bootstrap, self.jackknife) {
            (Some(realisations), _) => Method::Bootstrap {
                realisations,
                seed: self.seed,
            },
            (None, kind) => Method::Jackknife(kind.map(Into::into).unwrap_or_default()),
        }
    }

    /// The counts by region, a table for each of so many results.
    pub(super) fn tables(&self, number: usize, results: &Results) -> Result<Vec<(PathBuf, Table)>> {
        let paths: Vec<&Path> = self.by_region.iter().flat_map(Files::iter).collect();
        if !paths.is_empty() && paths.len() != number {
            return Err(usage(format!(
                "--by-region: one file for each of the {number} results, found {}",
                paths.len()
            )));
        }
        let read = |path: &Path| {
            let table = results.read_regions(path)?;
            table
                .check_whole()
                .with_context(|| path.display().to_string())?;
            Ok((path.to_owned(), table))
        };
        paths.into_iter().map(read).collect()
    }
}

impl FormsOfSaved {
    /// Where the result goes.
    pub(super) fn output(&self) -> OutputFlags {
        self.forms.output(&self.output.output())
    }

    /// The file of the covariance, where there is one, of the result of this name.
    pub(super) fn covariance_of(&self, set: Option<&str>) -> Option<PathBuf> {
        let path = self.covariance.as_deref()?;
        Some(path_of(path, set).into_owned())
    }

    /// The files beside the result, by their flags.
    pub(super) fn others(&self) -> Vec<(&'static str, &Path)> {
        let mut others = self.forms.others(self.counts.as_deref());
        others.extend(
            self.covariance
                .as_deref()
                .map(|path| ("--covariance", path)),
        );
        others
    }

    /// What a covariance over these axes is made of, one form of it.
    pub(super) fn one(&self, axes: &[BinAxis]) -> Result<Derived> {
        if let Some((flag, _)) = self.others().first() {
            return Err(usage(format!("{flag} is for results with counts")));
        }
        Derived::one((&self.over_mu, self.wp, self.pi_max), axes)
    }

    /// The forms that are made of results like this one, in bins of these axes; refuses what they do not have.
    pub(super) fn of(&self, like: &Table, axes: &Axes) -> Result<Forms<'_>> {
        let statistic = like.meta.get("statistic").and_then(Value::as_str);
        let statistic = statistic.unwrap_or("none");
        let last = axes.edges(axes.number() - 1);
        let over_mu = self.over_mu.given().map(|flag| (flag, "s-mu"));
        let wp = self.wp.then_some(("--wp", "rp-pi"));
        for (flag, wanted) in over_mu.into_iter().chain(wp) {
            if wanted != statistic {
                return Err(usage(format!(
                    "{flag} needs results of --statistic {wanted}, found {statistic}"
                )));
            }
        }
        if over_mu.is_none() && !self.wp && self.counts.is_some() {
            return Err(usage(
                "--counts goes with --multipoles or --wp, or with wedges: without them the counts are in the result",
            ));
        }
        let mut asked = Vec::new();
        if over_mu.is_some() {
            self.over_mu.check_orders()?;
            let wanted = self.over_mu.wanted(&SignedEdges::new(last.to_vec())?)?;
            asked.extend(wanted.into_iter().map(Derived::from));
        }
        if self.wp {
            check_pi(last, self.pi_max)?;
            asked.push(Derived::Wp(self.pi_max));
        }
        self.forms.choose(asked, self.counts.as_deref())
    }
}
