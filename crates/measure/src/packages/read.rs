//! What lsstypes wrote, as tables.
//!
//! Entry: [`table`], of its tree, and [`regions`], of that of a jackknife.

use albireo::binning::BinAxis;
use albireo_catalogs::{ResultKind, Table, TableColumn, Tree};
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::group::{Group, described};
use super::read_counts::Read as Counts;
use crate::scatter::covariance_columns;
use crate::tables::edge_columns;

/// The objects that are read, by their names.
const KNOWN: &str = "count2, count2_jackknife, count2_correlation, count2_jackknife_correlation, count2_correlation_poles, .._pole, .._wedges, .._wedge, .._wp \
or covariance_matrix";

/// A column of a value in every bin.
fn column(name: String, described: &str, values: &[f64]) -> TableColumn {
    TableColumn::floats(name, described, values.to_vec())
}

/// The result that a tree holds.
pub(super) fn table(tree: &Tree) -> Result<Table> {
    let root = Group::of(tree)?;
    let name = root.name()?;
    let form = name.strip_prefix("count2_").unwrap_or_default();
    match (name, form) {
        ("count2" | "count2_jackknife", _) => Counts::count(root)?.table(),
        (_, "correlation" | "jackknife_correlation") => Counts::correlation(root)?.table(),
        ("covariance_matrix", _) => covariance(root),
        (_, "correlation_poles" | "correlation_wedges") => {
            let labels = root.texts("labels_values")?.iter();
            let leaves = labels
                .map(|label| root.group(label))
                .collect::<Result<Vec<_>>>()?;
            curves(&leaves, form.trim_end_matches('s'))
        }
        (_, "correlation_pole" | "correlation_wedge" | "correlation_wp") => curves(&[root], form),
        _ => bail!("it is a {name} of lsstypes: expected {KNOWN}"),
    }
}

/// The counts by region that a tree holds.
pub(super) fn regions(tree: &Tree) -> Result<Table> {
    let root = Group::of(tree)?;
    match root.name()? {
        "count2_jackknife_correlation" => Counts::correlation(root)?.regions(),
        name => bail!("it is a {name} of lsstypes: expected a count2_jackknife_correlation"),
    }
}

/// A covariance, of the values of all curves one after the other.
fn covariance(root: Group<'_>) -> Result<Table> {
    let means = table(root.member("observable")?).context("`observable`")?;
    let (kind, axes) = (means.kind()?, means.edges()?.len());
    let (bins, values) = means.columns.split_at(3 * axes);
    let (of, labels) = match kind {
        ResultKind::Correlation => ("xi", 1),
        ResultKind::Multipoles => ("multipoles", values.len()),
        ResultKind::Wedges => ("wedges", values.len()),
        ResultKind::Projected => ("wp", 1),
        other => bail!(
            "`observable`: expected xi, multipoles, wedges or wp, found {}",
            other.phrase()
        ),
    };
    let matrix = root.floats("value")?.to_vec();
    let n = labels * means.rows();
    ensure!(
        matrix.len() == n * n,
        "`value`: expected the covariance of {n} values, found {}",
        matrix.len()
    );
    let numbered = TableColumn::integers(
        "curve",
        format!("number of the curve of {of}, counting from 0"),
        (0..labels as u64).collect(),
    );
    let numbered = (labels > 1).then(|| numbered.each_repeated(means.rows()));
    let bins = bins.iter().map(|column| column.repeated(labels));
    let bins: Vec<TableColumn> = numbered.into_iter().chain(bins).collect();
    let correlation = (0..n * n).map(|k| {
        let [i, j] = [k / n, k % n];
        (matrix[k] / (matrix[i * n + i] * matrix[j * n + j]).sqrt()).clamp(-1.0, 1.0)
    });
    let correlation = correlation.collect();
    let mut meta = means.meta;
    meta.insert("result".to_owned(), json!(ResultKind::Covariance.name()));
    meta.insert("covariance_of".to_owned(), json!(of));
    Ok(Table {
        columns: covariance_columns(&bins, of, (matrix, correlation)),
        meta,
    })
}

/// Multipoles, wedges or wp, one of each leaf.
fn curves(leaves: &[Group<'_>], form: &str) -> Result<Table> {
    let first = leaves.first().context("it holds nothing")?;
    let axes = first.axes()?;
    let mut columns = Vec::new();
    let mut wedges: Vec<f64> = Vec::new();
    for (k, leaf) in leaves.iter().enumerate() {
        ensure!(leaf.axes()? == axes, "its parts have different bins");
        let own = leaf.group("meta");
        let (name, described) = match form {
            "correlation_pole" => match own?.member("ell")? {
                Tree::Integers(_, ell) if ell.len() == 1 => {
                    (format!("xi_{}", ell[0]), "multipole of xi(s, mu)")
                }
                _ => bail!("`meta/ell`: expected an integer"),
            },
            "correlation_wedge" => {
                let ends = own?.floats("mu_edges")?;
                ensure!(
                    ends.len() == 2 && wedges.last().is_none_or(|last| *last == ends[0]),
                    "its wedges do not adjoin"
                );
                wedges.extend(if k == 0 { ends } else { &ends[1..] });
                (format!("xi_wedge_{k}"), "mean of xi(s, mu) over mu")
            }
            _ => ("wp".to_owned(), "projected correlation function"),
        };
        columns.push(column(name, described, leaf.floats("value")?));
    }
    let kind = match form {
        "correlation_pole" => ResultKind::Multipoles,
        "correlation_wedge" => ResultKind::Wedges,
        _ => ResultKind::Projected,
    };
    let (mut meta, axes) = described(&axes, kind)?;
    meta.insert("separations".to_owned(), json!("x2 - x1"));
    if kind == ResultKind::Wedges {
        meta.insert("wedges".to_owned(), json!(wedges));
    }
    let bins: usize = axes.iter().map(BinAxis::n_bins).product();
    if let Some(column) = columns.iter().find(|column| column.values.len() != bins) {
        let (name, found) = (&column.name, column.values.len());
        bail!("`{name}`: expected {bins} values, found {found}");
    }
    let columns = edge_columns(&axes, None).into_iter().chain(columns);
    Ok(Table {
        columns: columns.collect(),
        meta,
    })
}
