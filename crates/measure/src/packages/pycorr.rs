//! Counts and estimates as pycorr saves them: `.npy` of a dictionary.
//!
//! Entry: [`tree`]. The names are those of its objects' members.

use albireo_catalogs::Tree;
use anyhow::{Result, bail};

use super::counts::{Count, Pairs};
use super::measured::Measured;

/// What is said of regions of a box whose random pairs are known.
pub(super) const NO_REGIONS: &str =
    "it has no random pairs by region of a box: measure with randoms, or without regions";

/// Its name of an estimator of ours.
pub(super) fn estimator(name: &str) -> Result<&'static str> {
    Ok(match name {
        "natural" => "natural",
        "landy-szalay" | "landy-szalay-cross" | "shifted-randoms" => "landyszalay",
        "davis-peebles" => "davispeebles",
        other => bail!(
            "it has no estimator {other}: expected natural, landy-szalay, shifted-randoms or davis-peebles"
        ),
    })
}

/// Its object: a counter, or an estimator with its counters.
pub(super) fn tree(measured: &Measured) -> Result<Tree> {
    let by_region = !measured.regions.is_empty();
    let Some(own) = &measured.estimator else {
        return counter(measured, &measured.counts[0]);
    };
    let name = estimator(own)?;
    let name = if by_region {
        format!("jackknife-{name}")
    } else {
        name.to_owned()
    };
    let mut members = vec![("name".to_owned(), Tree::Text(name))];
    for count in &measured.counts {
        let [one, two] = count.kinds;
        members.push((format!("{one}1{two}2"), counter(measured, count)?));
    }
    Ok(Tree::Group(members))
}

/// How the edges of the first axis are called.
pub(super) fn bin_type(edges: &[f64]) -> &'static str {
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    let step = (last - first) / (edges.len() - 1) as f64;
    let is_linear = |(k, edge): (usize, &f64)| {
        let linear = first + k as f64 * step;
        (edge - linear).abs() <= 1e-8 + 1e-5 * linear.abs()
    };
    if edges.iter().enumerate().all(is_linear) {
        "lin"
    } else {
        "auto"
    }
}

fn counter(measured: &Measured, count: &Count) -> Result<Tree> {
    if count.known && !measured.regions.is_empty() {
        bail!("{NO_REGIONS}");
    }
    let known = count.known && measured.box_lengths.is_some();
    let name = match (known, count.regions.is_empty()) {
        (true, _) => "analytic",
        (false, true) => "base",
        (false, false) => "jackknife",
    };
    let mut members = state(measured, count, name, &count.pairs, count.sizes);
    if !count.regions.is_empty() {
        for (k, part) in ["auto", "cross12", "cross21"].into_iter().enumerate() {
            // Only the pairs within a region are of one sample.
            let of = Count {
                auto: count.auto && k == 0,
                regions: Vec::new(),
                pairs: count.pairs.clone(),
                ..*count
            };
            let regions = measured.regions.iter().zip(&count.regions);
            let regions = regions.map(|(label, pairs)| {
                (
                    *label,
                    Tree::Group(state(measured, &of, "base", &pairs[k], [0; 2])),
                )
            });
            members.push((part.to_owned(), Tree::Numbered(regions.collect())));
        }
    }
    Ok(Tree::Group(members))
}

/// The separations of a counter on each axis, and whether they are means of its pairs.
fn separations(measured: &Measured, pairs: &Pairs) -> (Vec<Tree>, Vec<Tree>) {
    let (shape, middles) = (measured.shape(), measured.middles());
    // Means by region were not summed, so that those of a jackknife's samples are not known either.
    let means = pairs.mean.as_ref().filter(|_| measured.regions.is_empty());
    let bins = pairs.weight.len();
    let axis = |k: usize| {
        let inner: usize = shape[k + 1..].iter().product();
        let middle = |bin: usize| middles[k][bin / inner % shape[k]];
        let middles = || (0..bins).map(middle).collect();
        let values = means.filter(|_| k == 0).cloned().unwrap_or_else(middles);
        let means = k == 0 && means.is_some();
        (Tree::Floats(shape.clone(), values), Tree::Flag(means))
    };
    (0..shape.len()).map(axis).unzip()
}

/// The members of a counter of these pairs.
fn state(
    measured: &Measured,
    count: &Count,
    name: &str,
    pairs: &Pairs,
    sizes: [i64; 2],
) -> Vec<(String, Tree)> {
    let shape = measured.shape();
    let floats = |values: &[f64]| Tree::Floats(shape.clone(), values.to_vec());
    let (separations, are_means) = separations(measured, pairs);
    let norm = match &pairs.norm[..] {
        [first, rest @ ..] if rest.iter().all(|norm| norm == first) => Tree::Float(*first),
        norm => floats(norm),
    };
    let ends = matches!(measured.line_of_sight.as_str(), "firstpoint" | "endpoint");
    let two_axes = shape.len() > 1;
    let lengths = measured.box_lengths.clone();
    let edges = measured
        .axes
        .iter()
        .map(|(_, edges)| Tree::floats(edges.clone()));
    let mut members = Vec::new();
    let mut put = |name: &str, tree: Tree| members.push((name.to_owned(), tree));
    put("name", Tree::text(name));
    put("autocorr", Tree::Flag(count.auto));
    put(
        "is_reversible",
        Tree::Flag(!two_axes || count.auto || !ends),
    );
    put("seps", Tree::List(separations));
    if count.numbered {
        put(
            "ncounts",
            Tree::Integers(shape.clone(), pairs.number.clone()),
        );
    }
    put("wcounts", floats(&pairs.weight));
    put("wnorm", norm);
    put("size1", Tree::Integer(sizes[0]));
    put("size2", Tree::Integer(sizes[1]));
    put("mode", Tree::text(measured.mode));
    put("edges", Tree::List(edges.collect()));
    put("bin_type", Tree::text(bin_type(&measured.axes[0].1)));
    put("boxsize", lengths.map_or(Tree::Absent, Tree::floats));
    put("los_type", Tree::text(&measured.line_of_sight));
    put("compute_sepsavg", Tree::List(are_means));
    put("weight_attrs", Tree::group([]));
    put("cos_twopoint_weights", Tree::Absent);
    put("selection_attrs", Tree::group([]));
    put("dtype", Tree::text("f8"));
    put("attrs", Tree::group([]));
    members
}
