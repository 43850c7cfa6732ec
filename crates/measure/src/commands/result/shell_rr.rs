//! Random pairs by shells of distance, as `albireo count --shells` writes them.
//!
//! Entry: [`ShellRr`].

use albireo::estimators::ShellPairs;
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::row_sums::RowSums;
use crate::saved::{records, total_of};

/// The random pairs of a result within and between shells.
pub(super) struct ShellRr {
    pub(super) pairs: ShellPairs,
    /// The edges of the shells.
    pub(super) record: Value,
}

/// The name and the record of the only count of pairs by shells.
fn entry(table: &Table) -> Result<(&String, &Value)> {
    let count = records(table)?.iter().next();
    count.context("its metadata `counts` is empty")
}

/// Refuses pairs that are not those of the RR of a result, in its bins.
fn check(table: &Table, result: &Table) -> Result<()> {
    let kind = table.kind()?;
    if kind != ResultKind::ShellCounts {
        bail!(
            "pairs by shells are needed, such as `albireo count RANDOMS --shells N` writes, found {}",
            kind.phrase()
        );
    }
    if table.edges()? != result.edges()? {
        bail!("its bins are not those of the result: count the randoms in the same bins");
    }
    let key = |table: &Table, key: &str| table.meta.get(key).cloned().unwrap_or(Value::Null);
    let [own, theirs] = [table, result].map(|table| key(table, "line_of_sight"));
    if own != theirs {
        bail!("its line of sight is {own}, that of the result {theirs}");
    }
    let rr = result
        .meta
        .get("counts")
        .and_then(|counts| counts.get("RR"));
    let Some(rr) = rr else {
        bail!("the result has no counted RR of one sample, which the shells are of");
    };
    let (_, own) = entry(table)?;
    for (key, what) in [
        ("job", "the particles and weights"),
        ("cuts", "the cuts"),
        ("arithmetic", "the arithmetic"),
    ] {
        if own.get(key) != rr.get(key) {
            let text = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
            bail!(
                "{what} are not those of RR of the result: {key} {} against {}",
                text(own.get(key)),
                text(rr.get(key))
            );
        }
    }
    Ok(())
}

impl ShellRr {
    /// Those of the RR of a result.
    pub(super) fn of(table: &Table, result: &Table) -> Result<Self> {
        table.check_whole()?;
        check(table, result)?;
        let rows = RowSums::read(table, "")?;
        let weighted = rows.weight.is_some();
        let values = match &rows.weight {
            Some(weight) => weight.values(),
            None => rows.npairs.iter().map(|&n| n as f64).collect(),
        };
        let bins = table.edges()?;
        let bins: usize = bins.iter().map(|(_, edges)| edges.len() - 1).product();
        let (name, record) = entry(table)?;
        let total = total_of(name, record)?.normalisation(weighted);
        let pairs = values.chunks(bins.max(1)).map(<[f64]>::to_vec).collect();
        let record = table.meta.get("shells").cloned();
        Ok(Self {
            pairs: ShellPairs::new(pairs, total)?,
            record: record.context("it has no metadata `shells`")?,
        })
    }
}
