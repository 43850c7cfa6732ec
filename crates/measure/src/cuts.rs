//! Pairs that are left out of the bins: the flags that name them, and the cuts that they are.
//!
//! Entry: [`CutFlags`] for statistics on the sky and in boxes, [`ExclusionFlags`] for particles of molecules. Which pairs a cut holds is the
//! library's rule.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values were checked to be whole and in range"
)]

use std::path::Path;

use albireo::particles::MAX_PARTICLES;
use albireo::tally::Cut;
use albireo::{Domain, LineOfSight};
use albireo_catalogs::{Request, open};
use anyhow::{Context, Result, bail};
use clap::Args;

use crate::bins::Statistic;
use crate::edges::ends;
use crate::group;
use crate::paths::ReadFile;
use crate::usage::usage;

/// Pairs left out by where they are seen, or by who they are.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::CUTS)]
pub(crate) struct CutFlags {
    /// Do not count pairs whose directions from the observer are LO up to HI degrees apart, e.g. 0:0.05
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    theta_cut: Option<[f64; 2]>,
    /// Do not count pairs that are LO up to HI apart across the line of sight of --los, e.g. 0:1
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    rp_cut: Option<[f64; 2]>,
    /// Do not count pairs of data with the same integer in this column, such as members of one halo
    ///
    /// Randoms belong to no group.
    #[arg(long = "exclude-same", alias = "group", value_name = "COLUMN")]
    pub(crate) group: Option<String>,
}

impl CutFlags {
    /// Refuses cuts that mean nothing for the statistic.
    pub(crate) fn check(&self, statistic: Statistic) -> Result<()> {
        if self.rp_cut.is_some() && statistic == Statistic::Theta {
            return Err(usage(
                "--rp-cut has no meaning for --statistic theta: there are no distances",
            ));
        }
        Ok(())
    }

    /// Whether a line of sight is needed in any bins.
    pub(crate) fn needs_line_of_sight(&self) -> bool {
        self.rp_cut.is_some()
    }

    /// The cuts, along this line of sight.
    pub(crate) fn cuts(&self, los: LineOfSight, domain: &Domain) -> Result<Vec<Cut>> {
        let mut cuts = Vec::new();
        if let Some([lo, hi]) = self.theta_cut {
            if domain.is_periodic() {
                return Err(usage(
                    "--theta-cut needs an observer, and a periodic box has none: take --rp-cut, or --box none",
                ));
            }
            cuts.push(Cut::theta(lo, hi).context("--theta-cut")?);
        }
        if let Some([lo, hi]) = self.rp_cut {
            cuts.push(Cut::rp(lo, hi, los).context("--rp-cut")?);
        }
        cuts.extend(self.group.is_some().then_some(Cut::SameGroup));
        Ok(cuts)
    }
}

/// Pairs of particles that are no candidates for neighbours, being bound to each other.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::EXCLUDED)]
pub(crate) struct ExclusionFlags {
    /// Exclude pairs with the same integer, such as those of a molecule
    #[arg(long = "exclude-same", alias = "group", value_name = "COLUMN")]
    pub(crate) group: Option<String>,
    /// Exclude the pairs listed in a file, such as bonds
    ///
    /// Two columns of row numbers, counted from 0 among the rows that are kept (of the first file and of the second, where there are two).
    #[arg(long = "exclude-pairs", alias = "bonds", value_name = "FILE")]
    pub(crate) bonds: Option<ReadFile>,
}

impl ExclusionFlags {
    /// The cuts.
    pub(crate) fn cuts(&self) -> Result<Vec<Cut>> {
        let groups = self.group.is_some().then_some(Cut::SameGroup);
        let bonds = self.listed()?.map(Cut::listed);
        Ok(groups.into_iter().chain(bonds).collect())
    }

    /// The first flag that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let group = self.group.as_ref().map(|_| "--exclude-same");
        group.or(self.bonds.as_ref().map(|_| "--exclude-pairs"))
    }

    /// The pairs listed in the file, if there is one.
    pub(crate) fn listed(&self) -> Result<Option<Vec<[u32; 2]>>> {
        self.bonds.as_deref().map(listed).transpose()
    }
}

/// The pairs of rows in a file.
fn listed(path: &Path) -> Result<Vec<[u32; 2]>> {
    let shown = path.display();
    let mut reader = open(path)?;
    let outline = reader.outline(None)?;
    let names: Vec<String> = outline.columns.iter().map(|c| c.name.clone()).collect();
    let [first, second] = &names[..] else {
        bail!(
            "--exclude-pairs {shown}: expected two columns of rows, found {}",
            names.len()
        );
    };
    let catalog = reader.read(&Request::columns([first.as_str(), second.as_str()]))?;
    let rows = |name: &str| -> Result<Vec<u32>> {
        let values = catalog.column(name)?;
        let row = |(line, &value): (usize, &f64)| {
            if value.trunc() == value && (0.0..MAX_PARTICLES as f64).contains(&value) {
                return Ok(value as u32);
            }
            bail!(
                "--exclude-pairs {shown}: column `{name}`, row {line} (counting from 0): expected the row of a particle, counting from 0, found {value}"
            )
        };
        values.iter().enumerate().map(row).collect()
    };
    let (first, second) = (rows(first)?, rows(second)?);
    let pairs = first.into_iter().zip(second);
    if let Some(row) = pairs.clone().position(|(a, b)| a == b) {
        let (own, _) = pairs.clone().nth(row).unwrap_or_default();
        tracing::warn!(
            "--exclude-pairs {shown}: row {row} pairs row {own} with itself: if both files are one, that is no pair"
        );
    }
    Ok(pairs.map(|(a, b)| [a, b]).collect())
}
