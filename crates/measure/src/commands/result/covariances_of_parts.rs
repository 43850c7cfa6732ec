//! Modelled covariances of parts of the sky as that of all parts together.
//!
//! Entry: [`combined_covariances`].

use albireo::binning::BinAxis;
use albireo::estimators::PartWeight;
use albireo_catalogs::{ResultKind, Table};
use albireo_covariance::model::{Matrix, combined, least_eigenvalue};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::realisations::Realisations;
use crate::commands::covariance_values::Values;
use crate::commands::derived::Derived;
use crate::record::Record;
use crate::saved::{bins_of, floats, name_axes};
use crate::scatter::check_bins;

/// The weight of each bin of a part, and its covariance.
fn part(table: &Table, by: PartWeight) -> Result<(Vec<f64>, Matrix)> {
    let of = table.meta.get("covariance_of").and_then(Value::as_str);
    if of != Some("xi") {
        bail!(
            "it is a covariance of {}: parts of the sky are put together in the bins of their counts, so leave --multipoles, wedges and --wp to `result combine`",
            of.unwrap_or("other values")
        );
    }
    let term = match by {
        PartWeight::Randoms => "RR",
        PartWeight::Data => "DD",
    };
    let total = table
        .meta
        .get("totals")
        .and_then(|totals| totals[term].as_f64());
    let total = total.context(
        "it does not say what its pairs weigh: take what `albireo covariance` makes of one tracer with counted random pairs that are not split",
    )?;
    let covariance = floats(table, "covariance")?;
    let (n, rr) = (bins_of(table)?.n_bins(), floats(table, "rr")?);
    if covariance.len() != n * n {
        bail!(
            "it has {} rows, expected one for each two of its {n} bins",
            covariance.len()
        );
    }
    let weights = rr.iter().step_by(n).map(|rr| rr * total).collect();
    Ok((weights, Matrix::from_row_slice(n, n, covariance)))
}

/// Their covariances put together bin by bin, and then what `form` makes of the bins.
pub(super) fn combined_covariances(
    all: &Realisations,
    by: PartWeight,
    form: impl Fn(&[BinAxis]) -> Result<Derived>,
    mut record: Record,
) -> Result<Table> {
    let parts = all
        .iter()
        .map(|one| part(&one.table, by).with_context(|| one.name.clone()));
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let parts: Vec<_> = parts
        .iter()
        .map(|(weights, matrix)| (&weights[..], matrix))
        .collect();
    let fine = combined(&parts)?;
    let first = &all.first().table;
    let mut axes = bins_of(first)?.axes();
    name_axes(&mut axes, first)?;
    let unit = first.meta.get("unit").and_then(Value::as_str);
    let values = Values::new(&form(&axes)?, axes, unit)?;
    check_bins(values.map.values())?;
    let covariance = values.map.of(|a, b| fine[(a, b)]);
    let least = least_eigenvalue(&covariance);
    if least <= 0.0 {
        bail!(
            "the covariance of all parts is not positive definite: its least eigenvalue is {least:.3e}"
        );
    }
    for (key, value) in all.common() {
        record.set(&key, value);
    }
    record.set("parts", all.described()?);
    if by == PartWeight::Data {
        record.set("parts_weigh_by", "data pairs");
    }
    record.set(
        "errors",
        json!({"method": "model", "bins": values.map.values(), "least_eigenvalue": least}),
    );
    values.note(&mut record);
    let mut meta = record.finish(ResultKind::Covariance);
    meta.insert("covariance_of".to_owned(), json!(values.name));
    Ok(Table {
        columns: values.columns(&covariance),
        meta,
    })
}
