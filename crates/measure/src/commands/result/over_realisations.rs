//! What the results of many realisations of one command scatter by: their mean, and their covariance.
//!
//! Entry: [`OverRealisations`].

use albireo_catalogs::{Table, Values};
use anyhow::{Result, bail};
use serde_json::json;

use super::mean::Estimates;
use super::realisations::Realisations;
use super::saved::NamedTable;
use crate::record::{Arguments, Record};
use crate::scatter::{covariance_table, say_inverse};

/// The results of realisations that have a value in some bin.
pub(in crate::commands) struct OverRealisations {
    used: Realisations,
    record: Record,
}

/// The same table with whole numbers as floats, which means are made of.
fn in_floats(mut table: Table) -> Table {
    for column in &mut table.columns {
        if let Values::Integers(values) = &column.values {
            column.values = Values::Floats(values.iter().map(|&n| n as f64).collect());
        }
    }
    table
}

impl OverRealisations {
    /// Of the results of one command, in the order of the realisations; those without a value in any bin are left out.
    pub(in crate::commands) fn of(tables: Vec<Table>, arguments: &Arguments) -> Result<Self> {
        let number = tables.len();
        let named = tables.into_iter().enumerate();
        let named = named
            .map(|(k, table)| NamedTable::in_memory(format!("realisation {k}"), in_floats(table)));
        let mut used = Realisations::of_one_command(named.collect())?;
        let values = Estimates::new(&used)?.has_values()?;
        used.retain(&values);
        let left = used.number();
        if left < 2 {
            bail!(
                "a scatter needs at least 2 realisations with a value in some bin, found {left} of {number}"
            );
        }
        if left < number {
            let empty = number - left;
            tracing::warn!(
                "{empty} of {number} realisations have no value in any bin: the mean and the covariance are of the others"
            );
        }
        let mut record = Record::begin(arguments);
        for (key, value) in used.common() {
            record.set(&key, value);
        }
        record.set(
            "errors",
            json!({ "method": "realisations", "realisations": left, "of": number }),
        );
        Ok(Self { used, record })
    }

    /// The mean, with the standard deviation of one realisation.
    pub(in crate::commands) fn mean(&self) -> Result<Table> {
        let estimates = Estimates::new(&self.used)?;
        let covariance = estimates.covariance()?;
        let values = (covariance.mean(), &covariance.errors()[..]);
        estimates.mean(values, &self.record)
    }

    /// The covariance of one realisation.
    pub(in crate::commands) fn covariance(&self) -> Result<Table> {
        let estimates = Estimates::new(&self.used)?;
        let covariance = estimates.covariance()?;
        say_inverse(self.used.number(), "realisations", estimates.number());
        let (bins, name) = (estimates.bins()?, estimates.name());
        covariance_table(&covariance.matrix(), &bins, name, &self.record)
    }
}
