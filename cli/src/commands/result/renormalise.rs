//! `albireo result renormalise`: pair counts with another total weight.

use std::path::PathBuf;

use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use clap::Args;

use super::amounts::without_rests;
use super::grid::Grid;
use super::rebin::record_of;
use super::saved::counts;
use super::sum::Total;
use crate::args::OutputFlags;
use crate::output::{check, deliver};
use crate::record::{Arguments, Record};
use crate::saved::floats;
use crate::usage::usage;

/// Arguments of `result renormalise`.
#[derive(Debug, Args)]
pub(crate) struct Renormalise {
    /// Pair counts that `albireo count` wrote
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// The weight that all pairs are to have together: weights in bins are multiplied alike
    #[arg(long, value_name = "W")]
    total_weight: f64,
    #[command(flatten)]
    output: OutputFlags,
}

/// Whether a column is one of weights, or of sums that have them as a factor.
fn is_weighted(name: &str) -> bool {
    name == "weight"
        || name.starts_with("weighted_sum_")
        || name
            .strip_prefix('L')
            .is_some_and(|l| l.parse::<u32>().is_ok())
}

impl Renormalise {
    /// Reads, multiplies, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        check(&self.output, &[], &[path])?;
        let wanted = self.total_weight;
        if !(wanted > 0.0 && wanted.is_finite()) {
            return Err(usage(format!(
                "--total-weight: a number above 0 is needed, found {wanted}"
            )));
        }
        let record = Record::begin(arguments);
        let mut table = without_rests(counts(path, "given another total")?);
        let place = || path.display().to_string();
        let total = Total::of(&table).with_context(place)?;
        let weighted = table.column("weight").is_some();
        let before = if weighted {
            total.weight
        } else {
            total.pairs as f64
        };
        if before == 0.0 {
            bail!(
                "{}: all pairs together have no weight to be multiplied",
                place()
            );
        }
        let factor = wanted / before;
        if !weighted {
            let pairs = match table.column("npairs").map(|column| &column.values) {
                Some(Values::Integers(pairs)) => pairs.iter().map(|&n| n as f64).collect(),
                _ => bail!("{}: there is no column `npairs` of integers", place()),
            };
            let after = table
                .columns
                .iter()
                .position(|column| column.name == "npairs");
            let column = TableColumn::floats("weight", "sum of w1*w2", pairs);
            table.columns.insert(after.map_or(0, |k| k + 1), column);
        }
        for k in 0..table.columns.len() {
            let name = table.columns[k].name.clone();
            if is_weighted(&name) {
                let scaled = floats(&table, &name)?.iter().map(|w| w * factor).collect();
                table.columns[k].values = Values::Floats(scaled);
            }
        }
        let mut record = record_of(&table, path, &Grid::of(&table)?, record)?;
        let total = Total {
            weight: wanted,
            ..total
        };
        record.set("counts", total.in_record_of(&table));
        record.set("renormalised_by", factor);
        let meta = record.finish(ResultKind::Counts);
        let columns = table.columns;
        deliver(&Table { columns, meta }, &self.output)
    }
}
