//! Random pairs by shells of distance, as `albireo count --shells` writes them.
//!
//! Entry: [`ShellRr`].

use std::path::Path;

use albireo::estimators::ShellPairs;
use albireo_catalogs::{ResultKind, Table, Values};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::saved::floats;

/// The random pairs of a result within and between shells.
pub(super) struct ShellRr {
    pub(super) pairs: ShellPairs,
    /// The edges of the shells.
    pub(super) record: Value,
}

/// The record of the only count of pairs by shells.
fn entry(table: &Table) -> Result<&Value> {
    let counts = table.meta.get("counts").and_then(Value::as_object);
    let count = counts.and_then(|counts| counts.values().next());
    count.context("its metadata `counts` is empty")
}

/// Refuses pairs that are not those of the RR of a result, in its bins.
fn check(table: &Table, result: &Table) -> Result<()> {
    let kind = table.kind()?;
    if kind != ResultKind::ShellCounts {
        bail!(
            "pairs by shells are needed, such as `albireo count RANDOMS --shells N` writes, found a {}",
            kind.name()
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
    let own = entry(table)?;
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
    /// Reads those of the RR of a result.
    pub(super) fn read(path: &Path, result: &Table) -> Result<Self> {
        let table = Table::read(path)?;
        table.check_whole()?;
        check(&table, result)?;
        let weighted = table.column("weight").is_some();
        let values: Vec<f64> = match table.column("npairs").map(|column| &column.values) {
            _ if weighted => floats(&table, "weight")?.to_vec(),
            Some(Values::Integers(pairs)) => pairs.iter().map(|&n| n as f64).collect(),
            _ => bail!("there is no column `npairs` of integers"),
        };
        let bins = table.edges()?;
        let bins: usize = bins.iter().map(|(_, edges)| edges.len() - 1).product();
        let key = if weighted {
            "total_weight"
        } else {
            "total_pairs"
        };
        let total = entry(&table)?.get(key).and_then(Value::as_f64);
        let total = total.with_context(|| format!("its record has no `{key}`"))?;
        let pairs = values.chunks(bins.max(1)).map(<[f64]>::to_vec).collect();
        let record = table.meta.get("shells").cloned();
        Ok(Self {
            pairs: ShellPairs::new(pairs, total)?,
            record: record.context("it has no metadata `shells`")?,
        })
    }
}
