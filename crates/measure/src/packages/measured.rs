//! The counts of a measurement as other packages have them.
//!
//! Entry: [`Measured::of`], of a result with the tables that it was [made of](Origin). Autos are over both orders, bins in mu and pi on both sides of 0,
//! separations are x2 - x1, where ours are x1 - x2. Of pairs of one sample with its randoms that makes our DR their RD; where exchanging the two is not all of
//! it, as in cross-correlations, mu and pi change their sign.

use albireo_catalogs::{ResultKind, Table};
use anyhow::{Result, bail};
use serde_json::Value;

use super::counts::{Count, Pairs, Read};
use super::layout::Layout;
use crate::by_class::is_of_classes;
use crate::held_columns::check_single;
use crate::saved::{floats, is_unnumbered, records};

/// The tables that a result was made of, where it is not all there is.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// xi over two axes with its counts, of what was made of it.
    pub(crate) counts: Option<Table>,
    /// The counts by region.
    pub(crate) regions: Option<Table>,
    /// What a covariance is of.
    pub(crate) means: Option<Table>,
}

/// Counts of a measurement, with the estimate that is made of them.
#[derive(Debug)]
pub(super) struct Measured {
    /// s, smu, rppi or theta.
    pub(super) mode: &'static str,
    /// Names and edges.
    pub(super) axes: Vec<(String, Vec<f64>)>,
    /// midpoint, firstpoint, endpoint, x, y or z.
    pub(super) line_of_sight: String,
    /// The lengths of a periodic box.
    pub(super) box_lengths: Option<Vec<f64>>,
    /// What ours is called; none of counts alone.
    pub(super) estimator: Option<String>,
    pub(super) counts: Vec<Count>,
    /// xi over its bins.
    pub(super) xi: Option<Vec<f64>>,
    /// The errors of xi from regions.
    pub(super) error: Option<Vec<f64>>,
    /// The labels of the regions.
    pub(super) regions: Vec<i64>,
    layout: Layout,
}

/// What these packages call a statistic.
pub(super) fn mode(statistic: &str) -> Result<&'static str> {
    Ok(match statistic {
        "r" => "s",
        "s-mu" => "smu",
        "rp-pi" => "rppi",
        "theta" => "theta",
        other => bail!("it knows pairs in r, s-mu, rp-pi and theta, not in {other}"),
    })
}

impl Measured {
    /// The counts of a table, or of the one that it was made of.
    pub(super) fn of(table: &Table, origin: &Origin) -> Result<Self> {
        let grid = origin.counts.as_ref().unwrap_or(table);
        let kind = table.kind()?;
        if !matches!(grid.kind()?, ResultKind::Counts | ResultKind::Correlation) {
            bail!(
                "expected pair counts or a correlation function with its counts, found {}",
                kind.phrase()
            );
        }
        check_single(grid)?;
        if is_of_classes(grid) {
            bail!(
                "it holds the pairs of two classes, of samples whose sizes no form of another package has: measure these parts alone"
            );
        }
        if grid.meta.contains_key("weight_sets") {
            bail!(
                "it holds one set of weights: write each to a file of its own, such as -o 'xi_{{}}.npy'"
            );
        }
        grid.check_whole()?;
        let text = |key: &str| grid.meta.get(key).and_then(Value::as_str);
        let mode = mode(text("statistic").unwrap_or("others"))?;
        let own = grid.edges()?;
        let line_of_sight = match text("line_of_sight") {
            Some("first") => "firstpoint",
            Some("end") => "endpoint",
            other => other.unwrap_or("midpoint"),
        };
        let cross = records(grid)?.keys().any(|name| name == "D1D2");
        let ends = matches!(line_of_sight, "firstpoint" | "endpoint");
        let layout = Layout::of_axes(&own, cross || ends)?;
        let bins = own.iter().map(|(_, edges)| edges.len() - 1).product();
        let regions = origin.regions.as_ref();
        let read = Read {
            grid,
            regions,
            axes: &own,
            bins,
            layout,
        };
        let counts = read.counts(text("estimator"))?;
        let column = |name: &str| floats(grid, name).ok().map(|values| layout.alike(values));
        // Without numbers of pairs there are no Poisson errors beside them.
        let scattered = grid.column("xi_poisson_error").is_some() || is_unnumbered(grid);
        Ok(Self {
            mode,
            line_of_sight: line_of_sight.to_owned(),
            box_lengths: box_lengths(grid),
            estimator: text("estimator").map(str::to_owned),
            xi: column("xi"),
            error: column("xi_error").filter(|_| scattered),
            regions: match counts.first() {
                Some(first) => labels(grid, first.regions.len()),
                None => bail!("the result holds no counts"),
            },
            counts,
            axes: axes(&own, layout),
            layout,
        })
    }

    /// Whether it is of one sample with itself.
    pub(super) fn is_auto(&self) -> bool {
        self.counts.first().is_some_and(|count| count.auto)
    }

    /// Whether odd functions of mu have another sign than ours.
    pub(super) fn is_turned(&self) -> bool {
        self.layout.turned
    }

    /// Whether bins are on both sides of 0 where ours are of |mu| or |pi|.
    pub(super) fn is_folded(&self) -> bool {
        self.layout.folded
    }

    /// The count of these kinds.
    pub(super) fn find(&self, kinds: [char; 2]) -> Option<&Count> {
        self.counts.iter().find(|count| count.kinds == kinds)
    }

    /// The count whose mean separations are written: RR where these were summed, else the first.
    pub(super) fn of_separations(&self) -> &Count {
        let random = self
            .find(['R', 'R'])
            .filter(|count| count.pairs.mean.is_some());
        random.unwrap_or(&self.counts[0])
    }

    /// Middles of the bins of each axis.
    pub(super) fn middles(&self) -> Vec<Vec<f64>> {
        let middle = |ends: &[f64]| f64::midpoint(ends[0], ends[1]);
        let axes = self.axes.iter();
        axes.map(|(_, edges)| edges.windows(2).map(middle).collect())
            .collect()
    }

    /// Bins of each axis.
    pub(super) fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|(_, edges)| edges.len() - 1).collect()
    }

    /// Mean separations of each bin of the first axis, its middle where none are known.
    pub(super) fn means_of_rows(&self, pairs: &Pairs) -> Vec<f64> {
        let middles = &self.middles()[0];
        let Some(means) = &pairs.mean else {
            return middles.clone();
        };
        let row = pairs.weight.len() / middles.len();
        let rows = means.chunks(row).zip(pairs.weight.chunks(row)).zip(middles);
        rows.map(|((means, weights), &middle)| {
            let both = means
                .iter()
                .zip(weights)
                .filter(|(_, weight)| **weight != 0.0);
            let (sum, all) = both.fold((0.0, 0.0), |(sum, all), (mean, weight)| {
                (sum + mean * weight, all + weight)
            });
            if all == 0.0 { middle } else { sum / all }
        })
        .collect()
    }
}

/// Axes by their names; distances are s, under any name of ours.
fn axes(own: &[(String, Vec<f64>)], layout: Layout) -> Vec<(String, Vec<f64>)> {
    let named = |(k, (name, edges)): (usize, &(String, Vec<f64>))| {
        let edges = if k == 1 {
            layout.edges(edges)
        } else {
            edges.clone()
        };
        let name = if name == "r" { "s" } else { name };
        (name.to_owned(), edges)
    };
    own.iter().enumerate().map(named).collect()
}

/// The lengths of the box of a result, if it is periodic along all axes.
fn box_lengths(grid: &Table) -> Option<Vec<f64>> {
    let of = grid
        .meta
        .get("box")
        .filter(|of| of["kind"].as_str() == Some("periodic"))?;
    of["lengths"]
        .as_array()?
        .iter()
        .map(Value::as_f64)
        .collect()
}

/// The labels of the regions of a result.
fn labels(grid: &Table, regions: usize) -> Vec<i64> {
    let values = grid
        .meta
        .get("regions")
        .and_then(|of| of["values"].as_array());
    let values = values.map(|values| values.iter().filter_map(Value::as_i64).collect::<Vec<_>>());
    let values = values.filter(|values| values.len() == regions);
    values.unwrap_or_else(|| (0..).take(regions).collect())
}
