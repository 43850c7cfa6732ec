//! Pairs within and between shells of distance: `count --shells SPEC`, of which radial integral constraints are made.
//!
//! Entry: [`ShellFlags`], [`table`].

use std::path::Path;
use std::str::FromStr;

use albireo::binning::{BinAxis, PairOrder};
use albireo::regions::{Regions, Shells};
use albireo::{Counts, Particles};
use albireo_catalogs::{ResultKind, Table, TableColumn, TableFormat};
use albireo_samples::Samples;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::bins::Statistic;
use crate::edges::EdgeSpec;
use crate::group;
use crate::packages::is_foreign;
use crate::record::Record;
use crate::row_sums::RowSums;
use crate::tables::{count_columns, edge_columns};
use crate::usage::usage;

/// Shells as the command line spells them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ShellSpec {
    /// So many, from the nearest object to the farthest.
    Across(u32),
    /// Between these distances.
    Between(EdgeSpec),
}

impl FromStr for ShellSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(number) if number > 0 => Ok(Self::Across(number)),
            Ok(_) => Err("expected at least 1 shell, found 0".to_owned()),
            Err(_) => text.parse().map(Self::Between).map_err(|reason| {
                format!("{reason}; a number stands for as many shells of equal thickness")
            }),
        }
    }
}

impl ShellSpec {
    /// The file that the shells are read from, if any.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Between(edges) => edges.file(),
            Self::Across(_) => None,
        }
    }
}

/// Shells of distance from the observer.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::BINS)]
pub(crate) struct ShellFlags {
    /// Count pairs within and between shells of distance from the observer separately
    ///
    /// N shells of equal thickness from the nearest object to the farthest, or bins of distance, e.g. lin:900:1500:30. Counts of randoms give the
    /// radial integral constraint, `albireo result integral-constraint --radial FILE`.
    #[arg(
        long,
        value_name = "N|SPEC",
        conflicts_with_all = ["second", "cross", "mean_separation", "legendre", "pair_sum", "bits", "angular", "weight_set", "realisations", "classes"]
    )]
    #[cfg_attr(feature = "plot", arg(conflicts_with = "plot"))]
    shells: Option<ShellSpec>,
}

impl ShellFlags {
    /// Refuses shells where there are no distances.
    pub(crate) fn check(&self, statistic: Statistic) -> Result<()> {
        if self.shells.is_some() && statistic == Statistic::Theta {
            return Err(usage(
                "--shells has no meaning for --statistic theta: there are no distances",
            ));
        }
        Ok(())
    }

    /// Refuses a file of another package, which has no form of them.
    pub(crate) fn check_file(&self, path: &Path) -> Result<()> {
        if self.shells.is_some() && is_foreign(path) {
            let read = TableFormat::endings_to_read();
            return Err(usage(format!(
                "--shells: .npy and .txt have no form of pairs by shells: take {read}"
            )));
        }
        Ok(())
    }

    /// Refuses bins that tell the two orders of a pair apart: each pair of shells has one count.
    pub(crate) fn check_order(&self, order: PairOrder) -> Result<()> {
        if self.shells.is_some() && order == PairOrder::Ordered {
            return Err(usage(
                "--shells needs bins that hold each pair once: of |mu| or |pi|, with a line of sight through neither end",
            ));
        }
        Ok(())
    }

    /// The data with their shells as labels, where shells are asked for.
    pub(crate) fn labelled(&self, samples: &Samples) -> Result<Option<(Particles, Shells)>> {
        let Some(spec) = &self.shells else {
            return Ok(None);
        };
        if samples.domain().is_periodic() {
            return Err(usage(
                "--shells needs an observer, and a periodic box has none: leave --shells out, or --box none",
            ));
        }
        let data = samples.get("data")?;
        let shells = match spec {
            ShellSpec::Across(number) => Shells::across(data.points(), *number),
            ShellSpec::Between(edges) => Shells::new(edges.edges().context("--shells")?),
        };
        let shells = shells.context("--shells")?;
        let labelled = shells.label(data.clone()).context("--shells")?;
        Ok(Some((labelled, shells)))
    }
}

/// A row for each pair of shells and each bin, bins varying fastest.
pub(crate) fn table(
    counts: &Counts,
    shells: &Shells,
    (axes, unit): (&[BinAxis], Option<&str>),
    mut record: Record,
) -> Table {
    let number = u64::from(shells.number());
    let each = (0..number).flat_map(|a| (a..number).map(move |b| [a, b]));
    let each: Vec<[u64; 2]> = each.collect();
    let bins: usize = axes.iter().map(BinAxis::n_bins).product();
    let shell = |which: usize, name: &str, described: &str| {
        let described = format!("shell of the {described} point, counting from 0");
        let values = each.iter().map(|pair| pair[which]).collect();
        TableColumn::integers(name, described, values).each_repeated(bins)
    };
    let mut columns = vec![
        shell(0, "shell_1", "nearer"),
        shell(1, "shell_2", "farther"),
    ];
    let edges = edge_columns(axes, unit).into_iter();
    columns.extend(edges.map(|column| column.repeated(each.len())));
    let rows = RowSums::joined(counts.by_class().iter().map(RowSums::of));
    columns.extend(count_columns(&rows, "", (axes, unit)));
    record.set("shells", json!(shells.edges().values()));
    record.table(ResultKind::ShellCounts, columns)
}
