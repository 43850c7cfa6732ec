//! Results as columns.
//!
//! Entry: [`edge_columns`], [`count_columns`], [`correlation_columns`]. Metadata comes from `record`, writing is done by `output`.

use albireo::binning::{AxisUnit, BinAxis};
use albireo::result::Correlation;
use albireo_catalogs::TableColumn;

use crate::counted::Counted;

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

/// Pairs, weight and Legendre sums of one count, its name as a prefix unless that is empty.
pub(crate) fn count_columns(count: &Counted, prefix: &str) -> Vec<TableColumn> {
    let name = |rest: &str| {
        if prefix.is_empty() {
            rest.to_owned()
        } else {
            format!("{prefix}_{rest}")
        }
    };
    let of = if prefix.is_empty() {
        String::new()
    } else {
        format!(" of {prefix}")
    };
    let npairs = TableColumn::integers(
        name("npairs"),
        format!("number of pairs{of}"),
        count.npairs.clone(),
    );
    let weight = count.weight.clone();
    let weight =
        weight.map(|sums| TableColumn::floats(name("weight"), format!("sum of w1*w2{of}"), sums));
    let term = if count.weight.is_some() { "w1*w2*" } else { "" };
    let legendre = count.legendre.iter().map(|(l, sums)| {
        let described = format!("sum of {term}L{l}(mu){of}, L{l} the Legendre polynomial");
        TableColumn::floats(name(&format!("L{l}")), described, sums.clone())
    });
    std::iter::once(npairs)
        .chain(weight)
        .chain(legendre)
        .collect()
}

/// The errors of an estimate `name`: `name_error`, from the scatter where there is one, described, and then the Poisson error beside it.
pub(crate) fn error_columns(
    name: &str,
    poisson: Vec<f64>,
    scatter: Option<(Vec<f64>, String)>,
) -> Vec<TableColumn> {
    let described = format!("Poisson error of {name}");
    match scatter {
        None => vec![TableColumn::floats(
            format!("{name}_error"),
            described,
            poisson,
        )],
        Some((errors, method)) => vec![
            TableColumn::floats(
                format!("{name}_error"),
                format!("error of {name}: {method}"),
                errors,
            ),
            TableColumn::floats(format!("{name}_poisson_error"), described, poisson),
        ],
    }
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
    columns.extend(error_columns("xi", xi.error.clone(), scatter));
    for count in counts {
        columns.extend(count_columns(count, count.name));
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
