//! Errors from the scatter between regions: how they are asked for, the realisations, and the tables that they fill.
//!
//! Entry: [`Method`], [`Scatter`]. Realisations and covariances are made by the library; here they get names and columns.

use albireo::Counts;
use albireo::binning::BinAxis;
use albireo::counts::{PairKind, PairTotal};
use albireo::error::EstimatorError;
use albireo::estimators::{
    CombinedRegions, Covariance, Jackknife, RegionTerms, TermCount, TermCounts, correlation_of,
    hartlap_factor,
};
use albireo::ndarray::Array2;
use albireo::result::Correlation;
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::record::Record;
use crate::row_sums::RowSums;
use crate::tables::{edge_columns, sum_columns};
use crate::text::short;

/// Most bins of a covariance that is written, one row for two of them.
const MAX_BINS: usize = 1500;

/// How realisations are made of regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Each leaves one region out.
    Jackknife(Jackknife),
    /// Each draws as many regions, with replacement.
    Bootstrap { realisations: u32, seed: u64 },
}

/// What one count has in each region, as results write it.
#[derive(Debug)]
struct CountedByRegion {
    name: &'static str,
    parts: [Part; 2],
}

/// The pairs within regions, or across their borders: one value a region and bin, bins varying fastest.
#[derive(Debug)]
struct Part {
    name: &'static str,
    what: &'static str,
    rows: RowSums,
    totals: Vec<PairTotal>,
    /// Those of the first bins, where these are of all pairs and the others of randoms that were split.
    below: Vec<PairTotal>,
}

/// Estimates of the same bins from realisations of the samples.
#[derive(Debug)]
pub(crate) struct Scatter {
    method: Method,
    regions: usize,
    realisations: Vec<Vec<f64>>,
    counts: Vec<CountedByRegion>,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Jackknife(Jackknife::Standard) => "jackknife",
            Self::Jackknife(Jackknife::MohammadPercival) => "Mohammad-Percival jackknife",
            Self::Jackknife(Jackknife::MohammadPercivalPairs) => {
                "Mohammad-Percival jackknife of the pairs in bins"
            }
            Self::Bootstrap { .. } => "bootstrap",
        }
    }

    /// The covariance of estimates, one a realisation.
    fn covariance(self, rows: &[Vec<f64>]) -> Result<Covariance, EstimatorError> {
        match self {
            Self::Jackknife(_) => Covariance::jackknife(rows),
            Self::Bootstrap { .. } => Covariance::of_realisations(rows),
        }
    }
}

impl Part {
    fn of([name, what]: [&'static str; 2], regions: &[Counts]) -> Self {
        Self {
            name,
            what,
            rows: RowSums::joined(regions.iter().map(RowSums::of)),
            totals: regions.iter().map(Counts::total).collect(),
            below: Vec::new(),
        }
    }

    /// The same with those of all pairs in the first bins of each region.
    fn with_near(self, near: &Self) -> Self {
        let regions = self.totals.len().max(1);
        let [all, first] = [&self, near].map(|part| part.rows.npairs.len() / regions);
        let rows = (0..self.totals.len()).map(|k| {
            let mut rows = self.rows.rows(k * all..(k + 1) * all);
            rows.put_first(near.rows.rows(k * first..(k + 1) * first));
            rows
        });
        Self {
            rows: RowSums::joined(rows),
            below: near.totals.clone(),
            ..self
        }
    }
}

impl CountedByRegion {
    fn of(name: &'static str, counts: &Counts) -> Self {
        let regions = 0..counts.regions();
        let within: Vec<Counts> = regions.clone().map(|k| counts.within(k)).collect();
        let across: Vec<Counts> = regions.map(|k| counts.across(k)).collect();
        Self {
            name,
            parts: [
                Part::of(["within", "both points"], &within),
                Part::of(["across", "exactly one point"], &across),
            ],
        }
    }

    /// The same with all pairs in the first bins, as `near` has them.
    fn with_near(self, near: &Counts) -> Self {
        let [within, across] = self.parts;
        let near = Self::of(self.name, near).parts;
        Self {
            name: self.name,
            parts: [within.with_near(&near[0]), across.with_near(&near[1])],
        }
    }

    fn columns(&self) -> impl Iterator<Item = TableColumn> + '_ {
        self.parts.iter().flat_map(|part| {
            let (count, Part { name, what, .. }) = (self.name, part);
            let numbered = !part.rows.unnumbered;
            let pairs = numbered.then(|| {
                TableColumn::integers(
                    format!("{count}_{name}_npairs"),
                    format!("number of pairs of {count} with {what} in the region"),
                    part.rows.npairs.clone(),
                )
            });
            let described = format!("sum of w1*w2 of {count} with {what} in the region");
            let weight = part.rows.weight.iter();
            let weight = weight.flat_map(move |weight| {
                sum_columns(&format!("{count}_{name}_weight"), &described, weight)
            });
            pairs.into_iter().chain(weight)
        })
    }

    /// The totals that each region's counts are normalised by.
    fn totals(&self) -> Value {
        let numbered = !self.parts[0].rows.unnumbered;
        let listed = |totals: &[PairTotal]| {
            let pairs: Vec<u64> = totals.iter().map(|total| total.pairs).collect();
            let pairs = numbered.then_some(pairs);
            let weights: Vec<f64> = totals.iter().map(|total| total.weight).collect();
            json!({"pairs": pairs, "weight": weights})
        };
        let of = |part: &Part| {
            let mut totals = listed(&part.totals);
            if !part.below.is_empty() {
                totals["below"] = listed(&part.below);
            }
            totals
        };
        let kind = self.parts[0]
            .totals
            .first()
            .map_or(PairKind::Cross, |total| total.kind);
        json!({"kind": kind.to_string(), "within": of(&self.parts[0]), "across": of(&self.parts[1])})
    }
}

impl Scatter {
    /// The realisations of what `values` makes of counts by region; what each region holds is kept.
    pub(crate) fn of(
        terms: &RegionTerms,
        method: Method,
        values: impl Fn(&TermCounts) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Self> {
        let realisations: Result<Vec<_>, _> = match method {
            Method::Jackknife(kind) => {
                let counts = terms.jackknife_counts(kind);
                counts.map(|counts| values(&counts)).collect()
            }
            Method::Bootstrap { realisations, seed } => {
                let counts = terms.bootstrap_counts(realisations, seed)?;
                counts.map(|counts| values(&counts)).collect()
            }
        };
        let counts = terms.counted().iter();
        let counts = counts.map(|(term, counts)| match counts {
            TermCount::Whole(counts) => CountedByRegion::of(term.name, counts),
            TermCount::Split(split) => {
                CountedByRegion::of(term.name, split.far()).with_near(split.near())
            }
        });
        Ok(Self {
            method,
            regions: terms.number(),
            realisations: realisations?,
            counts: counts.collect(),
        })
    }

    /// The realisations of parts of the sky put together, over the regions of all of them.
    pub(crate) fn of_parts(parts: &CombinedRegions, method: Method) -> Result<Self> {
        let values = |xi: Result<Correlation, EstimatorError>| xi.map(|xi| xi.xi);
        let realisations: Result<Vec<_>, _> = match method {
            Method::Jackknife(kind) => parts.jackknife(kind).map(values).collect(),
            Method::Bootstrap { realisations, seed } => {
                parts.bootstrap(realisations, seed)?.map(values).collect()
            }
        };
        Ok(Self {
            method,
            regions: parts.number(),
            realisations: realisations?,
            counts: Vec::new(),
        })
    }

    /// The covariance of what `derived` makes of xi, such as wp.
    pub(crate) fn covariance(
        &self,
        xi: &Correlation,
        derived: impl Fn(&Correlation) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Covariance> {
        let of_row = |realisation: &[f64]| {
            let mut other = xi.clone();
            other.xi.copy_from_slice(realisation);
            derived(&other)
        };
        self.covariance_by(of_row)
    }

    /// The covariance of what `of_row` makes of each realisation.
    pub(crate) fn covariance_by(
        &self,
        of_row: impl Fn(&[f64]) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Covariance> {
        let rows = self.realisations.iter().map(|row| of_row(row));
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        Ok(self.method.covariance(&rows)?)
    }

    /// The covariance of the realisations as they are.
    pub(crate) fn covariance_of_values(&self) -> Result<Covariance> {
        Ok(self.method.covariance(&self.realisations)?)
    }

    /// What the errors are, in a few words.
    pub(crate) fn described(&self) -> String {
        let (name, regions) = (self.method.name(), self.regions);
        match self.method {
            Method::Jackknife(_) => format!("{name} of {regions} regions"),
            Method::Bootstrap { realisations, .. } => {
                format!("{name} of {regions} regions, {realisations} realisations")
            }
        }
    }

    /// How the errors were made, for a record.
    fn errors(&self) -> Map<String, Value> {
        let mut errors = Map::new();
        errors.insert("method".to_owned(), json!(self.method.name()));
        errors.insert("regions".to_owned(), json!(self.regions));
        errors.insert("realisations".to_owned(), json!(self.realisations.len()));
        match self.method {
            Method::Jackknife(kind) => {
                errors.insert("alpha".to_owned(), json!(kind.alpha(self.regions)));
                let of_totals = kind.alpha_of_totals(self.regions);
                errors.insert("alpha_of_totals".to_owned(), json!(of_totals));
            }
            Method::Bootstrap { seed, .. } => {
                errors.insert("seed".to_owned(), json!(seed));
            }
        }
        errors
    }

    /// Writes down how the errors were made.
    pub(crate) fn note(&self, record: &mut Record) {
        record.set("errors", self.errors());
    }

    /// Says whether the covariance of so many values can be inverted, and writes it down with how the errors were made.
    pub(crate) fn note_inverse(&self, bins: usize, record: &mut Record) {
        let (number, what) = match self.method {
            // Draws of so few regions know no more than these.
            Method::Bootstrap { realisations, .. } if (realisations as usize) < self.regions => {
                (realisations as usize, "realisations")
            }
            _ => (self.regions, "regions"),
        };
        let mut errors = self.errors();
        errors.insert("bins".to_owned(), json!(bins));
        errors.insert(
            "hartlap_factor".to_owned(),
            json!(say_inverse(number, what, bins)),
        );
        record.set("errors", errors);
    }

    /// Whether what each region holds is kept: regions of parts of the sky are in the files of these.
    pub(crate) fn has_counts(&self) -> bool {
        !self.counts.is_empty()
    }

    /// What each region holds of each count: a row for each region and bin, bins varying fastest.
    pub(crate) fn region_counts(
        &self,
        axes: &[BinAxis],
        unit: Option<&str>,
        record: &Record,
    ) -> Table {
        let edges = edge_columns(axes, unit);
        let bins: usize = axes.iter().map(BinAxis::n_bins).product();
        let region = (0..self.regions as u64).flat_map(|k| std::iter::repeat_n(k, bins));
        let mut columns = vec![TableColumn::integers(
            "region",
            "region, counting from 0",
            region.collect(),
        )];
        columns.extend(edges.iter().map(|column| column.repeated(self.regions)));
        columns.extend(self.counts.iter().flat_map(CountedByRegion::columns));
        let mut meta = record.finish(ResultKind::RegionCounts);
        let totals = self
            .counts
            .iter()
            .map(|count| (count.name.to_owned(), count.totals()));
        meta.insert("region_totals".to_owned(), Value::Object(totals.collect()));
        Table { columns, meta }
    }
}

/// A column of the bins over rows of a matrix: of the bin that its rows stand for, or its columns.
fn over_matrix(column: &TableColumn, side: &str, bins: usize) -> TableColumn {
    let of = |row: usize| {
        if side == "row" {
            row / bins
        } else {
            row % bins
        }
    };
    TableColumn {
        name: format!("{side}_{}", column.name),
        unit: column.unit.clone(),
        description: format!("{} of the {side}'s bin", column.description),
        ..column.of_rows((0..bins * bins).map(of))
    }
}

/// Says whether a covariance of `bins` from so many `what` can be inverted; the Hartlap factor of its inverse where it can without bias.
pub(crate) fn say_inverse(number: usize, what: &str, bins: usize) -> Option<f64> {
    let factor = hartlap_factor(number, bins).ok();
    match factor {
        Some(factor) => tracing::info!(
            "{number} {what} of {bins} bins: the Hartlap factor of the inverse is {}",
            short(factor)
        ),
        None if number <= bins => tracing::warn!(
            "{number} {what} of {bins} bins: the covariance has rank {} at most and no inverse, which takes more {what} than bins; a Hartlap factor takes {} at least",
            number.saturating_sub(1),
            bins + 3
        ),
        None => tracing::warn!(
            "{number} {what} of {bins} bins: the covariance has no unbiased inverse, which needs {} {what} at least",
            bins + 3
        ),
    }
    factor
}

/// Refuses a covariance of more bins than a table of pairs of them is written for.
pub(crate) fn check_bins(bins: usize) -> Result<()> {
    if bins > MAX_BINS {
        bail!(
            "the covariance of {bins} bins would have {} rows; take at most {MAX_BINS} bins, or multipoles or wp of them",
            bins * bins
        );
    }
    Ok(())
}

/// The covariance of the values in bins, with the correlation matrix: a row for each two of them, that of the second bin varying fastest.
///
/// `bins` are the columns that tell the bins; `of` is what the values are.
pub(crate) fn covariance_table(
    covariance: &Array2<f64>,
    bins: &[TableColumn],
    of: &str,
    record: &Record,
) -> Result<Table> {
    check_bins(covariance.nrows())?;
    let matrix = covariance.iter().copied().collect();
    let correlation = correlation_of(covariance).into_iter().collect();
    let mut meta = record.finish(ResultKind::Covariance);
    meta.insert("covariance_of".to_owned(), json!(of));
    Ok(Table {
        columns: covariance_columns(bins, of, (matrix, correlation)),
        meta,
    })
}

/// The columns of covariances that are matrices; all but the first two are of modelled ones.
pub(crate) const MATRICES: [&str; 7] = [
    "covariance",
    "correlation",
    "precision",
    "c4",
    "c3",
    "c2",
    "s",
];

/// The columns of a covariance and of its correlation matrix, row by row, of values `of` in the bins that `bins` tell.
pub(crate) fn covariance_columns(
    bins: &[TableColumn],
    of: &str,
    (matrix, correlation): (Vec<f64>, Vec<f64>),
) -> Vec<TableColumn> {
    let n = matrix.len().isqrt();
    let number = TableColumn::integers("bin", "number, counting from 0,", (0..n as u64).collect());
    let bins = std::iter::once(&number)
        .chain(bins)
        .filter(|column| !column.name.ends_with("centre"));
    let bins: Vec<&TableColumn> = bins.collect();
    let mut columns = Vec::new();
    for side in ["row", "column"] {
        columns.extend(bins.iter().map(|column| over_matrix(column, side, n)));
    }
    let [covariance, over_errors, ..] = MATRICES;
    let about = format!("covariance of {of}");
    columns.push(TableColumn::floats(covariance, about, matrix));
    let about = "covariance over both errors";
    columns.push(TableColumn::floats(over_errors, about, correlation));
    columns
}
