//! Results as lsstypes keeps them in HDF5: a tree whose `name` says what it is.
//!
//! Entry: [`tree`], of a table and the counts that it is of.

use albireo_catalogs::{ResultKind, Table, Tree};
use anyhow::{Context, Result, bail};

use super::counts::{Count, Pairs};
use super::curves::{Curve, Which, curves};
use super::measured::Measured;
use crate::saved::floats;

/// The object that a result is: counts, a correlation function of counts, its projections.
pub(super) fn tree(table: &Table, measured: &Measured) -> Result<Tree> {
    match table.kind()? {
        ResultKind::Counts => Ok(leaf(
            measured,
            &measured.counts[0].pairs,
            measured.counts[0].sizes,
        )),
        ResultKind::Correlation => correlation(measured),
        ResultKind::Multipoles => Ok(Tree::Group(labelled(
            "count2_correlation_poles",
            "ells",
            projections(table, measured)?,
        ))),
        ResultKind::Wedges => Ok(Tree::Group(labelled(
            "count2_correlation_wedges",
            "wedges",
            projections(table, measured)?,
        ))),
        ResultKind::Projected => match projections(table, measured)?.pop() {
            Some((_, one)) => Ok(one),
            None => bail!("there is no wp"),
        },
        other => bail!("it has no form of a {}", other.name()),
    }
}

/// The covariance of what `means` is the tree of.
pub(super) fn covariance(table: &Table, means: Tree) -> Result<Tree> {
    let values = floats(table, "covariance")?;
    let side = values.len().isqrt();
    Ok(Tree::group([
        ("name", Tree::text("covariance_matrix")),
        ("value", Tree::Floats(vec![side; 2], values.to_vec())),
        ("observable", means),
    ]))
}

/// A tree of named members, by one label of each.
fn labelled(name: &str, label: &str, members: Vec<(String, Tree)>) -> Vec<(String, Tree)> {
    let mut tree = vec![
        ("name".to_owned(), Tree::text(name)),
        ("labels_names".to_owned(), Tree::text(label)),
        (
            "labels_values".to_owned(),
            Tree::texts(members.iter().map(|(name, _)| name)),
        ),
    ];
    tree.extend(members);
    tree
}

/// Its name of an estimator of ours, or the formula of the counts.
fn estimator(name: &str, measured: &Measured) -> String {
    match name {
        "landy-szalay" | "landy-szalay-cross" | "shifted-randoms" => "landyszalay".to_owned(),
        "natural" => "natural".to_owned(),
        "davis-peebles" => "DD / DR - 1".to_owned(),
        "hamilton" if measured.find(['R', 'D']).is_some() => "DD * RR / (DR * RD) - 1".to_owned(),
        "hamilton" => "DD * RR / (DR * DR) - 1".to_owned(),
        formula => {
            let letters = ["D1D2", "D1R2", "R1D2", "R1R2"].into_iter();
            letters.fold(formula.replace('^', "**"), |formula, name| {
                formula.replace(name, &name.replace(['1', '2'], ""))
            })
        }
    }
}

fn correlation(measured: &Measured) -> Result<Tree> {
    let own = measured
        .estimator
        .as_deref()
        .context("no metadata `estimator`")?;
    let by_region = measured
        .counts
        .iter()
        .all(|count| !count.regions.is_empty());
    let member = |count: &Count| {
        let tree = if by_region {
            jackknife(measured, count)
        } else {
            leaf(measured, &count.pairs, count.sizes)
        };
        (count.kinds.iter().collect(), tree)
    };
    let members = measured.counts.iter().map(member).collect();
    let name = if by_region {
        "count2_jackknife_correlation"
    } else {
        "count2_correlation"
    };
    let mut tree = labelled(name, "count_names", members);
    let estimator = Tree::text(estimator(own, measured));
    tree.push(("meta".to_owned(), Tree::group([("estimator", estimator)])));
    Ok(Tree::Group(tree))
}

/// The parts of a count, region by region.
fn jackknife(measured: &Measured, count: &Count) -> Tree {
    let mut members = Vec::new();
    for (k, part) in ["ii", "ij", "ji"].into_iter().enumerate() {
        for (label, pairs) in measured.regions.iter().zip(&count.regions) {
            members.push((format!("{part}-{label}"), leaf(measured, &pairs[k], [0; 2])));
        }
    }
    Tree::Group(labelled("count2_jackknife", "cross-realization", members))
}

/// The edges of an axis, a row for each bin.
fn edges(edges: &[f64]) -> Tree {
    let rows = edges.windows(2).flatten().copied().collect();
    Tree::Floats(vec![edges.len() - 1, 2], rows)
}

/// The coordinates of the axes, with their edges.
fn coordinates(measured: &Measured, pairs: &Pairs, axes: usize) -> Vec<(String, Tree)> {
    let mut members = Vec::new();
    for (k, ((name, ends), middles)) in measured
        .axes
        .iter()
        .zip(measured.middles())
        .enumerate()
        .take(axes)
    {
        let values = if k == 0 {
            measured.means_of_rows(pairs)
        } else {
            middles
        };
        members.push((name.clone(), Tree::floats(values)));
        members.push((format!("{name}_edges"), edges(ends)));
    }
    let names = measured.axes.iter().take(axes).map(|(name, _)| name);
    members.push(("coords_names".to_owned(), Tree::texts(names)));
    members
}

/// Pairs in bins, over their norm, and the norm.
fn leaf(measured: &Measured, pairs: &Pairs, sizes: [i64; 2]) -> Tree {
    let shape = measured.shape();
    let mut members = vec![
        ("name".to_owned(), Tree::text("count2")),
        (
            "values_names".to_owned(),
            Tree::texts(["normalized_counts", "norm"]),
        ),
        (
            "normalized_counts".to_owned(),
            Tree::Floats(shape.clone(), pairs.normalised()),
        ),
        (
            "norm".to_owned(),
            Tree::Floats(shape.clone(), pairs.norm.clone()),
        ),
    ];
    members.extend(coordinates(measured, pairs, shape.len()));
    if sizes.iter().all(|&size| size > 0) {
        let sizes = [
            ("size1", Tree::Integer(sizes[0])),
            ("size2", Tree::Integer(sizes[1])),
        ];
        members.push(("attrs".to_owned(), Tree::group(sizes)));
    }
    Tree::Group(members)
}

/// Curves over the first axis by their labels.
fn projections(table: &Table, measured: &Measured) -> Result<Vec<(String, Tree)>> {
    let random = measured
        .find(['R', 'R'])
        .context("it has no estimate without RR")?;
    let row = measured.shape()[1..].iter().product();
    let summed = |values: &[f64]| {
        values
            .chunks(row)
            .map(|row| row.iter().sum())
            .collect::<Vec<f64>>()
    };
    let (random_pairs, norm) = (
        summed(&random.pairs.normalised()),
        summed(&measured.counts[0].pairs.norm),
    );
    let one = |(k, curve): (usize, Curve)| {
        let (label, name, meta) = match curve.which {
            Which::Multipole(ell) => (ell.to_string(), "pole", ("ell", Tree::Integer(ell))),
            Which::Wedge(mu) => (
                format!("w{}", k + 1),
                "wedge",
                ("mu_edges", Tree::floats(mu)),
            ),
            Which::Projected(pi) => ("wp".to_owned(), "wp", ("pi_edges", Tree::floats(pi))),
        };
        let mut members = vec![
            (
                "name".to_owned(),
                Tree::Text(format!("count2_correlation_{name}")),
            ),
            (
                "values_names".to_owned(),
                Tree::texts(["value", "RR0", "norm"]),
            ),
            ("value".to_owned(), Tree::floats(curve.values)),
            ("RR0".to_owned(), Tree::floats(random_pairs.clone())),
            ("norm".to_owned(), Tree::floats(norm.clone())),
            ("meta".to_owned(), Tree::group([meta])),
        ];
        let means = &measured.of_separations().pairs;
        members.extend(coordinates(measured, means, 1));
        (label, Tree::Group(members))
    };
    Ok(curves(table, measured)?
        .into_iter()
        .enumerate()
        .map(one)
        .collect())
}
