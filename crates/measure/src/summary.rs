//! A result in one line, or one over two axes of bins in a few, for the terminal.
//!
//! Entry: [`in_a_line`], [`of_two_axes`]. Counts are summed over the second axis; of estimates the extremes are shown.

use std::fmt::Write as _;
use std::path::Path;

use albireo_catalogs::{Table, TableColumn, Values};
use anyhow::Result;

use crate::text::{columns_of, head, short};

/// Most rows of sums that are shown.
const MAX_ROWS: usize = 40;

/// An axis of bins: its name and edges.
type Axis = (String, Vec<f64>);

/// What `table` says, if it has two axes of bins.
pub(crate) fn of_two_axes(table: &Table) -> Result<Option<String>> {
    let axes = table.edges()?;
    let [first, second] = &axes[..] else {
        return Ok(None);
    };
    let n_second = second.1.len() - 1;
    if table.rows() != (first.1.len() - 1) * n_second {
        return Ok(None);
    }
    let mut text = format!(
        "{} x {}, summed over {}:\n",
        described(first),
        described(second),
        second.0
    );
    text.push_str(&sums(table, first, n_second));
    for column in &table.columns {
        if let (true, Values::Floats(values)) = (is_estimate(column), &column.values) {
            text.push_str(&extremes(&column.name, values, [first, second]));
        }
    }
    Ok(Some(text))
}

/// `40 bins in rp from 0 to 20`.
fn described((name, edges): &Axis) -> String {
    let n = edges.len() - 1;
    let bins = if n == 1 { "bin" } else { "bins" };
    format!(
        "{n} {bins} in {name} from {} to {}",
        short(edges[0]),
        short(edges[n])
    )
}

/// Whether the column is what the table is about, rather than a count, an error or a place.
fn is_estimate(column: &TableColumn) -> bool {
    column.name == "xi"
}

/// A result written to `path` in one line: what it is, its bins, and what its values lie between.
pub(crate) fn in_a_line(table: &Table, path: &Path) -> Result<String> {
    let mut parts = vec![format!("{}: {}", path.display(), table.kind()?.name())];
    let axes = table.edges().unwrap_or_default();
    let axes: Vec<String> = axes.iter().map(described).collect();
    if axes.is_empty() {
        parts.push(format!("{} rows", table.rows()));
    } else {
        parts.push(axes.join(" x "));
    }
    for column in &table.columns {
        let name = column.name.as_str();
        let of_pole = name.strip_prefix("xi_");
        let of_pole = of_pole.is_some_and(|l| l.chars().all(|c| c.is_ascii_digit()));
        match &column.values {
            Values::Floats(values) if of_pole || ["xi", "wp", "g"].contains(&name) => {
                parts.push(between(name, values));
            }
            Values::Integers(values) if name == "npairs" => {
                let pairs: u128 = values.iter().map(|&n| u128::from(n)).sum();
                parts.push(format!("{pairs} pairs"));
            }
            _ => {}
        }
    }
    Ok(parts.join(", ") + "\n")
}

/// `xi from -0.2 to 3.5`.
fn between(name: &str, values: &[f64]) -> String {
    let defined = || values.iter().copied().filter(|value| !value.is_nan());
    let undefined = values.len() - defined().count();
    let least = defined().fold(f64::INFINITY, f64::min);
    let largest = defined().fold(f64::NEG_INFINITY, f64::max);
    match undefined {
        0 => format!("{name} from {} to {}", short(least), short(largest)),
        n if n == values.len() => format!("{name} is nan"),
        n => format!(
            "{name} from {} to {} (nan in {n})",
            short(least),
            short(largest)
        ),
    }
}

/// Edges of the first axis with the sums of all columns that are amounts.
fn sums(table: &Table, first: &Axis, n_second: usize) -> String {
    let is_weight =
        |column: &TableColumn| column.name == "weight" || column.name.ends_with("_weight");
    let amounts: Vec<&TableColumn> = table
        .columns
        .iter()
        .filter(|column| matches!(column.values, Values::Integers(_)) || is_weight(column))
        .collect();
    let n_first = first.1.len() - 1;
    let shown = if n_first > MAX_ROWS {
        MAX_ROWS / 2
    } else {
        n_first
    };
    let edge_heads = ["lo", "hi"].map(|end| {
        let name = format!("{}_{end}", first.0);
        table.column(&name).map_or(name.clone(), head)
    });
    let heads = edge_heads
        .into_iter()
        .chain(amounts.iter().map(|column| head(column)));
    let mut rows = vec![heads.collect::<Vec<_>>()];
    rows.extend((0..shown).map(|k| {
        let bins = k * n_second..(k + 1) * n_second;
        let sum = |column: &&TableColumn| match &column.values {
            Values::Integers(values) => {
                let sum: u128 = values[bins.clone()].iter().map(|&v| u128::from(v)).sum();
                sum.to_string()
            }
            Values::Floats(values) => short(values[bins.clone()].iter().sum()),
        };
        let edges = [short(first.1[k]), short(first.1[k + 1])];
        edges.into_iter().chain(amounts.iter().map(sum)).collect()
    }));
    let mut text = columns_of(&rows, &[]);
    if shown < n_first {
        let _ = writeln!(text, "... and {} more bins in {}", n_first - shown, first.0);
    }
    text
}

/// Least and largest of `values` with their bins, and how many are not defined.
fn extremes(name: &str, values: &[f64], axes: [&Axis; 2]) -> String {
    let n_second = axes[1].1.len() - 1;
    let place = |row: usize| {
        let bins = [row / n_second, row % n_second];
        let range = |k: usize| {
            let (name, edges) = axes[k];
            format!(
                "{name} {} to {}",
                short(edges[bins[k]]),
                short(edges[bins[k] + 1])
            )
        };
        format!("{}, {}", range(0), range(1))
    };
    let defined = || {
        values
            .iter()
            .enumerate()
            .filter(|(_, value)| !value.is_nan())
    };
    let least = defined().min_by(|a, b| a.1.total_cmp(b.1));
    let largest = defined().max_by(|a, b| a.1.total_cmp(b.1));
    let mut text = match (least, largest) {
        (Some((low, least)), Some((high, largest))) => format!(
            "{name} from {} ({}) to {} ({})",
            short(*least),
            place(low),
            short(*largest),
            place(high)
        ),
        _ => format!("{name} is defined nowhere"),
    };
    let undefined = values.len() - defined().count();
    if undefined > 0 && undefined < values.len() {
        let _ = write!(text, "; nan in {undefined} of {} bins", values.len());
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table {
            columns: vec![
                TableColumn::floats("rp_lo", "", vec![0.0, 0.0, 1.0, 1.0]).with_unit("Mpc"),
                TableColumn::floats("xi", "", vec![f64::NAN, -0.25, 3.5, 0.5]),
                TableColumn::integers("DD_npairs", "", vec![1, 2, 30, 40]),
                TableColumn::floats("DD_weight", "", vec![0.5, 0.25, 1.0, 1.0]),
            ],
            ..Table::default()
        };
        let edges = serde_json::json!({"rp": [0, 1, 2], "pi": [-4, 0, 4]});
        table.meta.insert("edges".to_owned(), edges);
        table
    }

    #[test]
    fn counts_are_summed_and_estimates_bounded() {
        assert_eq!(
            of_two_axes(&table()).unwrap().unwrap(),
            "2 bins in rp from 0 to 2 x 2 bins in pi from -4 to 4, summed over pi:\n\
             rp_lo [Mpc]  rp_hi  DD_npairs  DD_weight\n          \
             0      1          3       0.75\n          \
             1      2         70          2\n\
             xi from -0.25 (rp 0 to 1, pi 0 to 4) to 3.5 (rp 1 to 2, pi -4 to 0); nan in 1 of 4 bins\n"
        );
    }

    #[test]
    fn one_axis_has_no_summary() {
        let mut table = table();
        let edges = serde_json::json!({"r": [0, 1, 2, 3, 4]});
        table.meta.insert("edges".to_owned(), edges);
        assert_eq!(of_two_axes(&table).unwrap(), None);
    }
}
