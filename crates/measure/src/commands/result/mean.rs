//! The values of realisations over their bins: which columns they are, and the table of their mean.
//!
//! Entry: [`Estimates`].

use albireo::estimators::Covariance;
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::{Context, Result, bail};

use super::realisations::Realisations;
use super::saved::{NamedTable, bin_columns};
use crate::record::Record;
use crate::saved::floats;

/// The estimates of all realisations: their columns in the tables, one after the other in each row of values.
#[derive(Debug)]
pub(super) struct Estimates<'a> {
    of: &'a Realisations,
    columns: Vec<String>,
    /// What the values are, as covariances name it.
    name: &'static str,
}

/// The orders of the multipoles that a table has, in the order of its columns.
fn orders(table: &Table) -> Vec<u64> {
    let names = table.columns.iter().map(|column| &column.name);
    names
        .filter_map(|name| name.strip_prefix("xi_")?.parse().ok())
        .collect()
}

/// Orders for a message.
fn listed(orders: &[u64]) -> String {
    let orders: Vec<String> = orders.iter().map(u64::to_string).collect();
    orders.join(", ")
}

/// The edges of the wedges that a table has, as its record tells.
fn wedge_edges(table: &Table) -> Vec<f64> {
    let edges = table
        .meta
        .get("wedges")
        .and_then(serde_json::Value::as_array);
    let edges = edges.into_iter().flatten();
    edges.filter_map(serde_json::Value::as_f64).collect()
}

/// The pairs of species that a table of partial g has columns of, in their order; with lags those of each lag.
fn pairs(table: &Table) -> Vec<String> {
    let named = |column: &TableColumn| {
        let pair = column.name.strip_prefix("g_")?;
        // Beside a g stands its number of pairs, beside an error none.
        let npairs = table.column(&format!("npairs_{pair}"));
        npairs.map(|_| pair.to_owned())
    };
    table.columns.iter().filter_map(named).collect()
}

/// The columns of estimates in a table of this kind, and what they are together.
fn columns(table: &Table, kind: ResultKind) -> Result<(Vec<String>, &'static str)> {
    let one = |name: &'static str| (vec![name.to_owned()], name);
    Ok(match kind {
        ResultKind::Correlation => one("xi"),
        ResultKind::Projected => one("wp"),
        ResultKind::Rdf if table.column("g").is_none() => {
            let names = pairs(table).into_iter().map(|pair| format!("g_{pair}"));
            (names.collect(), "partial g")
        }
        ResultKind::Rdf => one("g"),
        ResultKind::Multipoles => {
            let columns = orders(table).iter().map(|l| format!("xi_{l}")).collect();
            (columns, "multipoles")
        }
        ResultKind::Wedges => {
            let number = wedge_edges(table).len().saturating_sub(1);
            (
                (0..number).map(|k| format!("xi_wedge_{k}")).collect(),
                "wedges",
            )
        }
        ResultKind::Counts
        | ResultKind::StructureFactor
        | ResultKind::Distances
        | ResultKind::NeutronFunctions
        | ResultKind::Window
        | ResultKind::Covariance
        | ResultKind::RegionCounts
        | ResultKind::Regions
        | ResultKind::RegionSums
        | ResultKind::ShellCounts
        | ResultKind::Modes
        | ResultKind::Randoms
        | ResultKind::Field
        | ResultKind::Thermodynamics
        | ResultKind::NumberDensity
        | ResultKind::FkpWeights
        | ResultKind::Completeness
        | ResultKind::Formulas => bail!(
            "a covariance is of estimates: xi, wp, multipoles, wedges or g(r), found {}",
            kind.name()
        ),
    })
}

impl<'a> Estimates<'a> {
    /// Finds the columns, which must be the same in all realisations.
    pub(super) fn new(of: &'a Realisations) -> Result<Self> {
        let place = || of.first().name.clone();
        let (columns, name) = if of.are_counts() {
            (of.columns_of_counts(), "pair counts")
        } else {
            columns(&of.first().table, of.kind()).with_context(place)?
        };
        if columns.is_empty() {
            bail!(
                "{}: there are no {name}, such as a column `xi_0`, `xi_wedge_0` or `g_O-H`",
                place()
            );
        }
        if of.kind() == ResultKind::Multipoles {
            let expected = orders(&of.first().table);
            let mut others = of.iter().map(|one| (one, orders(&one.table)));
            if let Some((one, found)) = others.find(|(_, found)| *found != expected) {
                bail!(
                    "{} is no realisation of what {} measures: its multipoles are {}, not {}",
                    one.name,
                    place(),
                    listed(&found),
                    listed(&expected)
                );
            }
        }
        Ok(Self { of, columns, name })
    }

    /// Which of the realisations have a value in some bin.
    pub(super) fn has_values(&self) -> Result<Vec<bool>> {
        let rows = self.values()?.into_iter();
        Ok(rows.map(|row| row.iter().any(|v| v.is_finite())).collect())
    }

    /// What the values are.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Values of a realisation.
    pub(super) fn number(&self) -> usize {
        self.columns.len() * self.of.first().table.rows()
    }

    /// One row a realisation, of these columns one after the other.
    fn rows(&self, columns: &[String]) -> Result<Vec<Vec<f64>>> {
        let row = |one: &NamedTable| -> Result<Vec<f64>> {
            let values = columns.iter().map(|name| floats(&one.table, name));
            let values = values.collect::<Result<Vec<_>>>();
            Ok(values.with_context(|| one.name.clone())?.concat())
        };
        self.of.iter().map(row).collect()
    }

    /// Their covariance.
    pub(super) fn covariance(&self) -> Result<Covariance> {
        Ok(Covariance::of_realisations(&self.values()?)?)
    }

    /// One row a realisation.
    pub(super) fn values(&self) -> Result<Vec<Vec<f64>>> {
        self.rows(&self.columns)
    }

    /// The columns that tell the bins of the covariance; multipoles and wedges lie one after the other.
    pub(super) fn bins(&self) -> Result<Vec<TableColumn>> {
        let table = &self.of.first().table;
        let bins = bin_columns(table)?.into_iter().cloned();
        let labels = match self.of.kind() {
            ResultKind::Multipoles => {
                vec![TableColumn::integers(
                    "ell",
                    "order of the multipole",
                    orders(table),
                )]
            }
            ResultKind::Wedges => {
                let edges = wedge_edges(table);
                let ends = || edges.windows(2);
                let (lo, hi) = (
                    ends().map(|e| e[0]).collect(),
                    ends().map(|e| e[1]).collect(),
                );
                vec![
                    TableColumn::floats("wedge_lo", "mu: lower edge of the wedge", lo),
                    TableColumn::floats("wedge_hi", "mu: upper edge of the wedge", hi),
                ]
            }
            ResultKind::Rdf if self.columns.len() > 1 => {
                let pairs = self
                    .columns
                    .iter()
                    .map(|name| name.trim_start_matches("g_"));
                let pairs: Vec<&str> = pairs.collect();
                vec![TableColumn::integers(
                    "pair",
                    format!("pair of species, counting from 0: {}", pairs.join(", ")),
                    (0..pairs.len() as u64).collect(),
                )]
            }
            _ => return Ok(bins.collect()),
        };
        let labels = labels.iter().map(|label| label.each_repeated(table.rows()));
        let bins = bins.map(|column| column.repeated(self.columns.len()));
        Ok(labels.chain(bins).collect())
    }

    /// The mean over the realisations and the standard deviation of one of them, as a table of their kind.
    pub(super) fn mean(&self, (mean, errors): (&[f64], &[f64]), record: &Record) -> Result<Table> {
        let (table, n) = (&self.of.first().table, self.of.number());
        let mut columns: Vec<TableColumn> = bin_columns(table)?.into_iter().cloned().collect();
        let bins = table.rows();
        let values = mean.chunks(bins).zip(errors.chunks(bins));
        for (name, (mean, error)) in self.columns.iter().zip(values) {
            columns.extend(of_column(table, name, n, mean, error));
        }
        let others = table.columns.iter().map(|column| &column.name);
        let is_n = |name: &&String| *name == "n" || name.starts_with("n_");
        for name in others.filter(|name| self.of.kind() == ResultKind::Rdf && is_n(name)) {
            let n_of_r = Covariance::of_realisations(&self.rows(std::slice::from_ref(name))?)?;
            columns.extend(of_column(table, name, n, n_of_r.mean(), &n_of_r.errors()));
        }
        Ok(record.table(self.of.kind(), columns))
    }
}

/// A column's mean over `n` realisations, with the standard deviation of one.
fn of_column(table: &Table, name: &str, n: usize, mean: &[f64], error: &[f64]) -> [TableColumn; 2] {
    let (unit, what) = match table.column(name) {
        Some(column) => (column.unit.clone(), column.description.as_str()),
        None => (None, name),
    };
    let mean = TableColumn::floats(
        name,
        format!("{what}, mean of {n} realisations"),
        mean.to_vec(),
    );
    let error = TableColumn::floats(
        format!("{name}_error"),
        format!("standard deviation of {name} of one of {n} realisations"),
        error.to_vec(),
    );
    [mean, error].map(|column| TableColumn {
        unit: unit.clone(),
        ..column
    })
}
