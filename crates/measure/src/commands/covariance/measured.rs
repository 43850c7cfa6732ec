//! The correlation function whose covariance is modelled: its bins, xi, random pairs and numbers, as a saved result has them.
//!
//! Entry: [`Measured`].

use std::path::Path;

use albireo::binning::Axes;
use albireo::domain::Domain;
use albireo::estimators::{Role, Term, TermCounts};
use albireo::{Bins, Correlation};
use albireo_catalogs::{ResultKind, Table};
use albireo_covariance::model::{Bounds, MeasuredXi, mean_xi, measured_xi};
use albireo_covariance::sampler::XiTable;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::commands::result::Saved;
use crate::results::Results;
use crate::saved::{bins_of, name_axes, records};

/// Bins in mu that xi is taken in for its table: more hold its noise.
const MU_BINS: usize = 10;

/// A correlation function with its counts.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) table: Table,
    pub(super) bins: Bins,
    pub(super) xi: Correlation,
    /// RR of each bin over that of all pairs.
    pub(super) rr: Vec<f64>,
    /// SS likewise, of a reconstructed one, whose xi here is over SS.
    pub(super) shifted: Option<Vec<f64>>,
    /// The subsets of randoms that were split.
    pub(super) subsets: f64,
    /// The weight of all its random pairs and of all its pairs of data, where these were counted, and not split.
    pub(super) totals: Option<[f64; 2]>,
    /// xi in fewer bins of mu.
    smooth: Correlation,
}

/// The bin, as a message names it.
fn place(xi: &Correlation, bin: usize) -> String {
    let mut left = bin;
    let mut parts = Vec::new();
    for axis in xi.axes.iter().rev() {
        let k = left % axis.n_bins();
        left /= axis.n_bins();
        let (lo, hi) = (axis.edges[k], axis.edges[k + 1]);
        parts.push(format!("{} from {lo} to {hi}", axis.name));
    }
    parts.reverse();
    parts.join(", ")
}

/// How many bins of each axis are one in the table of xi.
fn smoothing(axes: &Axes) -> Vec<usize> {
    let mut by = vec![1; axes.number()];
    if axes.names().nth(1) == Some("mu") {
        let bins = axes.edges(1).len() - 1;
        if bins.is_multiple_of(MU_BINS) {
            by[1] = bins / MU_BINS;
        }
    }
    by
}

impl Measured {
    /// Reads a result, and refuses what no covariance is modelled of.
    pub(super) fn read(path: &Path, results: &Results, of_two: bool) -> Result<Self> {
        let table = results.read(path)?;
        Self::of(path, table, of_two).with_context(|| path.display().to_string())
    }

    fn of(path: &Path, table: Table, of_two: bool) -> Result<Self> {
        check(&table, of_two)?;
        let axes = Axes::new(table.edges()?)?;
        check_axes(&axes)?;
        let (bins, saved) = (bins_of(&table)?, Saved::new(path, &table)?);
        let rr = if of_two { Term::R1R2 } else { Term::RR };
        let total = |term: Term, counts: &TermCounts| {
            let counts = counts.get(term).ok()?;
            Some(counts.total().normalisation(counts.is_weighted()))
        };
        let estimate = |by: &[usize]| -> Result<_> {
            let (estimator, terms, known) = saved.estimator_and_known(&bins, by)?;
            check_estimator(&table, known.is_some())?;
            let counts = saved.counts(&terms, &bins)?.into_iter();
            let counts = counts.map(|(term, counts)| Ok((term, counts.rebin(by)?)));
            let counts = TermCounts::new(counts.collect::<Result<Vec<_>>>()?, known);
            let mut xi = estimator.estimate(&counts)?;
            name_axes(&mut xi.axes, &table)?;
            let totals = total(rr, &counts).zip(total(Term::DD, &counts));
            let fractions = |term: Term| counts.pairs(term)?.fractions(term.name);
            let random_pairs = fractions(rr)?;
            let shifted = counts.made(Term::SS).map(|_| fractions(Term::SS));
            let shifted = shifted.transpose()?;
            if let Some(shifted) = &shifted {
                let over = random_pairs.iter().zip(shifted).map(|(rr, ss)| rr / ss);
                xi.xi
                    .iter_mut()
                    .zip(over)
                    .for_each(|(xi, over)| *xi *= over);
            }
            Ok((xi, (random_pairs, shifted), totals))
        };
        let whole = vec![1; axes.number()];
        let ((xi, (rr, shifted), totals), (smooth, ..)) =
            (estimate(&whole)?, estimate(&smoothing(&axes))?);
        if let Some(bin) = rr.iter().position(|rr| *rr <= 0.0) {
            bail!(
                "there are no random pairs in {}: leave this bin out (albireo result slice), or take wider ones (rebin)",
                place(&xi, bin)
            );
        }
        if let Some(bin) = xi.xi.iter().position(|xi| !xi.is_finite()) {
            bail!(
                "xi is {} in {}: leave this bin out (albireo result slice), or take wider ones (rebin)",
                xi.xi[bin],
                place(&xi, bin)
            );
        }
        Ok(Self {
            name: path.display().to_string(),
            subsets: subsets(&table)?,
            table,
            bins,
            xi,
            rr,
            shifted,
            totals: totals.map(|(rr, dd)| [rr, dd]),
            smooth,
        })
    }

    /// Its random points in the record: those that reconstruction shifted, where there are such.
    pub(super) fn role(&self) -> Role {
        if self.shifted.is_some() {
            Role::Shifted
        } else {
            Role::Randoms
        }
    }

    /// The pairs of such points in each bin over all of them.
    pub(super) fn own_pairs(&self) -> &[f64] {
        self.shifted.as_ref().unwrap_or(&self.rr)
    }

    /// Rows used of a role, as the record has them.
    pub(super) fn rows(&self, role: &str) -> Option<u64> {
        let samples = self.table.meta.get("samples")?.as_array()?;
        let of_role = samples.iter().filter(|sample| sample["role"] == role);
        let rows = of_role.map(|sample| sample["rows_used"].as_u64());
        rows.sum::<Option<u64>>().filter(|rows| *rows > 0)
    }

    /// The number of points of its data.
    pub(super) fn data(&self) -> Option<u64> {
        let pairs = || {
            self.table
                .meta
                .get("counts")?
                .get("DD")?
                .get("total_pairs")?
                .as_u64()
        };
        // n (n - 1)/2 pairs.
        self.rows("data")
            .or_else(|| Some((2 * pairs()?).isqrt() + 1))
    }

    /// `sum w^2/(sum w)^2` of its data.
    pub(super) fn shot_noise(&self) -> Option<f64> {
        let samples = self.table.meta.get("samples")?.as_array()?;
        let of_data = samples.iter().filter(|sample| sample["role"] == "data");
        let sums = of_data.map(|sample| sample["weight_sum"].as_f64());
        let sum = sums.sum::<Option<f64>>()?;
        let dd = self.table.meta.get("counts")?.get("DD")?;
        let orders = if dd["kind"].as_str()?.contains("once") {
            2.0
        } else {
            1.0
        };
        // All products of two weights, less those of different points.
        Some(1.0 - orders * dd["total_weight"].as_f64()? / (sum * sum)).filter(|share| *share > 0.0)
    }

    /// The bin, as a message names it.
    pub(super) fn place(&self, bin: usize) -> String {
        place(&self.xi, bin)
    }

    /// Says so where randoms are not those that it was measured with.
    pub(super) fn warn_of_others(&self, samples: Option<&Value>, role: &str) {
        let of = |samples: Option<&Value>, role: &str| -> Vec<Value> {
            let all = samples.and_then(Value::as_array).into_iter().flatten();
            let randoms = all.filter(|sample| sample["role"] == role);
            let digests = randoms.map(|sample| json!([sample["sha256"], sample["rows_used"]]));
            digests.collect()
        };
        let own = of(self.table.meta.get("samples"), self.role().name());
        if !own.is_empty() && own != of(samples, role) {
            tracing::warn!(
                "the randoms are not those that {} was measured with: their RR is its RR, scaled to their weights",
                self.name
            );
        }
    }

    /// The table of its xi, up to a cut.
    pub(super) fn xi_table(&self, cut: f64) -> Result<XiTable> {
        let xi = &self.smooth;
        let mu = match &xi.axes[..] {
            [_] => &[0.0, 1.0][..],
            [_, mu] if mu.name == "mu" => &mu.edges,
            _ => bail!(
                "{}: xi over (rp, pi) gives no table of xi: --xi RESULT takes one over (s, mu) or r",
                self.name
            ),
        };
        let measured = MeasuredXi {
            s: &xi.axes[0].edges,
            mu,
            xi: &xi.xi,
        };
        let table = measured_xi(measured, cut);
        table.with_context(|| {
            format!(
                "{}: --xi RESULT or --xi-theory FILE takes xi from elsewhere",
                self.name
            )
        })
    }

    /// The means of another xi over its bins.
    pub(super) fn means(&self, xi: &XiTable) -> Vec<f64> {
        let edges = |axis: usize| &self.xi.axes[axis].edges[..];
        let bounds = match &self.xi.axes[..] {
            [_] => Bounds::SMu(edges(0), &[0.0, 1.0]),
            [_, second] if second.name == "mu" => Bounds::SMu(edges(0), edges(1)),
            _ => Bounds::RpPi(edges(0), edges(1)),
        };
        mean_xi(xi, bounds)
    }

    /// Where xi ends by default: the corners of a box, 250 in open space.
    pub(super) fn cut(domain: &Domain) -> f64 {
        let Domain::Periodic(cell) = domain else {
            return 250.0;
        };
        let squares = cell
            .lengths()
            .map(|length| length.map(|length| length * length / 4.0));
        let half = squares.into_iter().sum::<Option<f64>>().map(f64::sqrt);
        half.map_or(250.0, |half| half * (1.0 + 1e-9))
    }
}

/// Refuses other results, and counts that the model is not for.
fn check(table: &Table, of_two: bool) -> Result<()> {
    let kind = table.kind()?;
    if kind != ResultKind::Correlation {
        bail!(
            "a covariance is modelled of a correlation function with its counts, found {}: take the file that --counts wrote",
            kind.phrase()
        );
    }
    table.check_whole()?;
    let los = table.meta.get("line_of_sight").and_then(Value::as_str);
    if let Some(los) = los.filter(|los| ["first", "end"].contains(los)) {
        bail!(
            "its line of sight goes through one end of a pair (--los {los}): the model takes one through the middle, or an axis"
        );
    }
    for (name, record) in records(table)? {
        let cuts = record["cuts"]
            .as_array()
            .is_some_and(|cuts| !cuts.is_empty());
        if cuts {
            bail!("{name} was counted with cuts, which the model does not know");
        }
        let expected = if of_two {
            ["D1D2", "D1R2", "R1D2", "R1R2"]
        } else {
            ["DD", "DR", "RD", "RR"]
        };
        let reconstructed = !of_two && ["DS", "SD", "SS"].contains(&name.as_str());
        if !reconstructed && !expected.contains(&name.as_str()) {
            let samples = if of_two {
                "two samples with randoms of both, without reconstruction"
            } else {
                "one sample with its randoms"
            };
            bail!("it is of {name}: the model takes {samples}");
        }
    }
    Ok(())
}

/// Refuses bins of both signs.
fn check_axes(axes: &Axes) -> Result<()> {
    for (k, name) in axes.names().enumerate() {
        if axes.edges(k)[0] < 0.0 {
            bail!("{name} has both signs: `albireo result wrap` puts them together");
        }
    }
    Ok(())
}

/// Refuses estimators of other covariances.
fn check_estimator(table: &Table, known: bool) -> Result<()> {
    let name = table.meta.get("estimator").and_then(Value::as_str);
    match name.map(|name| name.trim_end_matches("-cross")) {
        Some("landy-szalay" | "shifted-randoms") => Ok(()),
        Some("natural") if known => Ok(()),
        _ => bail!(
            "the model is of landy-szalay, with shifted randoms or without, or natural in a periodic box with known random pairs, found {}",
            name.unwrap_or("none")
        ),
    }
}

/// The subsets of its randoms, 1 where they were not split.
fn subsets(table: &Table) -> Result<f64> {
    let counts = records(table)?;
    let rr = counts.get("RR").or(counts.get("R1R2"));
    let split = rr.and_then(|rr| rr.get("split"));
    let Some(split) = split else {
        return Ok(1.0);
    };
    if let Some(above) = split.get("above") {
        bail!(
            "its randoms are split above {above} only: the model takes randoms that are split in all bins, or in none"
        );
    }
    split["subsets"]
        .as_f64()
        .context("it does not say into how many subsets its randoms were split")
}
