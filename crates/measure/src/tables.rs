//! Results as columns.
//!
//! Entry: [`edge_columns`], [`count_columns`] of [`RowSums`], [`sum_columns`], [`correlation_columns`]. Metadata comes from `record`, writing is done by `output`.

use albireo::binning::{AxisUnit, BinAxis};
use albireo::counts::ExactSums;
use albireo::result::Correlation;
use albireo_catalogs::{Table, TableColumn};

use crate::counted::Counted;
pub(crate) use crate::held_columns::{column_name, of_rest, rest_name};
use crate::row_sums::RowSums;

/// The unit of an axis, as results write it.
pub(crate) fn axis_unit(axis: &BinAxis, length: Option<&str>) -> Option<String> {
    match axis.unit {
        AxisUnit::Length => length.map(str::to_owned),
        AxisUnit::Degrees => Some("deg".to_owned()),
        AxisUnit::Dimensionless => None,
    }
}

pub(crate) fn with_unit(column: TableColumn, unit: Option<String>) -> TableColumn {
    TableColumn { unit, ..column }
}

/// A place in a bin, from its edges.
type OfEdges = fn([f64; 2]) -> f64;

/// The edges and the centre of each bin, the last axis varying fastest: `lo`, `hi`, `centre` for one axis, else under the axes' names.
pub(crate) fn edge_columns(axes: &[BinAxis], length: Option<&str>) -> Vec<TableColumn> {
    let rows: usize = axes.iter().map(BinAxis::n_bins).product();
    let mut columns = Vec::new();
    let mut repeat = rows;
    for axis in axes {
        repeat /= axis.n_bins();
        let bin = |row: usize| (row / repeat) % axis.n_bins();
        let edges = |row: usize| [axis.edges[bin(row)], axis.edges[bin(row) + 1]];
        let parts: [(&str, &str, OfEdges); 3] = [
            ("lo", "lower edge, included", |[lo, _]| lo),
            ("hi", "upper edge, not included", |[_, hi]| hi),
            ("centre", "middle of the bin", |[lo, hi]| {
                f64::midpoint(lo, hi)
            }),
        ];
        for (part, which, value) in parts {
            let name = if axes.len() == 1 {
                part.to_owned()
            } else {
                format!("{}_{part}", axis.name)
            };
            let values = (0..rows).map(|row| value(edges(row))).collect();
            let column = TableColumn::floats(name, format!("{}: {which}", axis.name), values);
            columns.push(with_unit(column, axis_unit(axis, length)));
        }
    }
    columns
}

/// The mean coordinate of the pairs in each bin, by their weights or not, if it was asked for.
pub(crate) fn mean_column(
    count: &Counted,
    axes: &[BinAxis],
    length: Option<&str>,
) -> Option<TableColumn> {
    let axis = axes.first()?;
    let name = axis.name;
    let plain = || {
        let described = format!("mean {name} of the pairs");
        Some((format!("mean_{name}"), described, count.mean.clone()?))
    };
    let weighted = || {
        let described = format!("mean {name} of the pairs by their weights");
        let values = count.weighted_mean.clone()?;
        Some((format!("weighted_mean_{name}"), described, values))
    };
    let (name, described, values) = plain().or_else(weighted)?;
    let column = TableColumn::floats(name, described, values);
    Some(with_unit(column, axis_unit(axis, length)))
}

/// Whether a column is there for what reads the counts back alone: a rest, or the sums that means are made of.
pub(crate) fn is_for_counts(name: &str) -> bool {
    of_rest(name).is_some() || name.starts_with("sum_") || name.contains("_sum_")
}

/// The names of the columns of a table, but for those that are there for what reads the counts back alone.
pub(crate) fn shown_names(table: &Table) -> Vec<&str> {
    let names = table.columns.iter().map(|column| column.name.as_str());
    names.filter(|name| !is_for_counts(name)).collect()
}

/// The columns of one sum: `name` holds the float64 nearest to it and, where some row has more, `name_rest` what that leaves, and so on.
pub(crate) fn sum_columns(name: &str, described: &str, sums: &ExactSums) -> Vec<TableColumn> {
    let mut columns: Vec<TableColumn> = Vec::new();
    for (number, part) in sums.parts().into_iter().enumerate() {
        columns.push(match &columns[..] {
            [] => TableColumn::floats(name, described, part),
            before => {
                let names: Vec<String> = before.iter().map(|c| format!("`{}`", c.name)).collect();
                let (verb, all) = match number {
                    1 => ("leaves", "both"),
                    _ => ("leave", "all"),
                };
                let described = format!(
                    "what {} {verb} of the exact sum: {all} together, unrounded, are the sum",
                    names.join(" and ")
                );
                TableColumn::floats(rest_name(name, number), described, part)
            }
        });
    }
    columns
}

/// All sums of one count, its name as a prefix unless that is empty; separations are sums along the first axis.
pub(crate) fn count_columns(
    sums: &RowSums,
    prefix: &str,
    (axes, length): (&[BinAxis], Option<&str>),
) -> Vec<TableColumn> {
    let name = |rest: &str| column_name(prefix, rest);
    let of = if prefix.is_empty() {
        String::new()
    } else {
        format!(" of {prefix}")
    };
    let described = format!("number of pairs{of}");
    let npairs = TableColumn::integers(name("npairs"), described, sums.npairs.clone());
    let mut columns = vec![];
    if !sums.unnumbered {
        columns.push(npairs);
    }
    if let Some(weight) = &sums.weight {
        columns.extend(sum_columns(
            &name("weight"),
            &format!("sum of w1*w2{of}"),
            weight,
        ));
    }
    let term = if sums.weight.is_some() { "w1*w2*" } else { "" };
    for (l, sums) in &sums.legendre {
        let l = l.degree();
        let described = format!("sum of {term}L{l}(mu){of}, L{l} the Legendre polynomial");
        columns.extend(sum_columns(&name(&format!("L{l}")), &described, sums));
    }
    for (of_pair, exact) in &sums.named {
        let described = format!("sum of {term}{of_pair}{of}");
        columns.extend(sum_columns(&name(of_pair), &described, exact));
        let weighted = sums.weight.as_ref().map(ExactSums::values);
        let over = weighted.unwrap_or_else(|| sums.npairs.iter().map(|&n| n as f64).collect());
        let means = exact.values().into_iter().zip(over);
        let means = means.map(|(sum, over)| if over == 0.0 { f64::NAN } else { sum / over });
        let described = format!("mean of {of_pair} over the pairs{of}");
        let mean = name(&format!("{of_pair}_mean"));
        columns.push(TableColumn::floats(mean, described, means.collect()));
    }
    let Some(axis) = axes.first() else {
        return columns;
    };
    for (kind, term, sums) in [
        ("", "", &sums.separation),
        ("weighted_", "w1*w2*", &sums.weighted_separation),
    ] {
        let along = axis.name;
        let described = format!("sum of {term}{along}{of}");
        let of_sum = |sums| sum_columns(&name(&format!("{kind}sum_{along}")), &described, sums);
        let all = sums.iter().flat_map(of_sum);
        columns.extend(all.map(|column| with_unit(column, axis_unit(axis, length))));
    }
    columns
}

/// The errors of an estimate `name`: `name_error`, from the scatter where there is one, described, and then the Poisson error beside it, which
/// there is where pairs have numbers.
pub(crate) fn error_columns(
    name: &str,
    poisson: Option<Vec<f64>>,
    scatter: Option<(Vec<f64>, String)>,
) -> Vec<TableColumn> {
    let described = format!("Poisson error of {name}");
    let beside = if scatter.is_some() { "_poisson" } else { "" };
    let of_scatter = scatter.map(|(errors, method)| {
        let described = format!("error of {name}: {method}");
        TableColumn::floats(format!("{name}_error"), described, errors)
    });
    let poisson = poisson
        .map(|errors| TableColumn::floats(format!("{name}{beside}_error"), described, errors));
    of_scatter.into_iter().chain(poisson).collect()
}

/// The estimate with its error, the counts, and the normalised counts that stand in the formula.
pub(crate) fn correlation_columns(
    xi: &Correlation,
    scatter: Option<(Vec<f64>, String)>,
    counts: &[Counted],
    length: Option<&str>,
) -> Vec<TableColumn> {
    let mut columns = edge_columns(&xi.axes, length);
    columns.extend(
        counts
            .iter()
            .find_map(|count| mean_column(count, &xi.axes, length)),
    );
    columns.push(TableColumn::floats(
        "xi",
        format!("correlation function, {}", xi.estimator),
        xi.xi.clone(),
    ));
    let numbered = counts.iter().all(|count| !count.sums.unnumbered);
    let poisson = numbered.then(|| xi.error.clone());
    columns.extend(error_columns("xi", poisson, scatter));
    columns.extend(counted_columns(xi, counts, length));
    columns
}

/// The columns of the counts that an estimate was made of.
pub(crate) fn counted_columns(
    xi: &Correlation,
    counts: &[Counted],
    length: Option<&str>,
) -> Vec<TableColumn> {
    let mut columns = vec![];
    for count in counts {
        columns.extend(count_columns(&count.sums, count.name, (&xi.axes, length)));
    }
    for count in &xi.counts {
        columns.push(TableColumn::floats(
            format!("{}_normalised", count.name),
            format!("{} over its total", count.name),
            count.values.clone(),
        ));
    }
    columns
}
