//! Mocks that were measured twice, with other randoms.
//!
//! Entry: [`check_paired`].

use anyhow::{Result, bail};
use serde_json::Value;

use super::realisations::Realisations;
use super::saved::NamedTable;
use super::settings::difference;

/// The fingerprint of a count: that of its particles, weights and box.
fn job<'t>(one: &'t NamedTable, names: &[&str]) -> Option<&'t str> {
    let counts = one.table.meta.get("counts")?;
    names
        .iter()
        .find_map(|name| counts.get(*name)?.get("job").and_then(Value::as_str))
}

/// Refuses two results that are not of the same data with other randoms.
fn check_pair(first: &NamedTable, second: &NamedTable) -> Result<()> {
    let (a, b) = (&first.name, &second.name);
    if let Some(difference) = difference(&first.table, &second.table) {
        bail!("--second {b} is not measured as {a} is: {difference}");
    }
    let jobs = |names: &[&str]| [first, second].map(|one| job(one, names));
    match jobs(&["DD", "D1D2"]) {
        [Some(x), Some(y)] if x == y => {}
        [Some(_), Some(_)] => bail!(
            "--second {b} is of other data than {a}: both are measured of one mock, in the same order"
        ),
        _ => bail!(
            "{a} or --second {b} does not say of which data its DD is: take results of xi, multipoles, wedges or wp with their records"
        ),
    }
    match jobs(&["RR", "R1R2"]) {
        [Some(x), Some(y)] if x != y => Ok(()),
        [Some(_), Some(_)] => bail!(
            "--second {b} has the same randoms as {a}: the second estimate of a mock takes others"
        ),
        _ => bail!(
            "{a} or --second {b} has no RR that was counted: a linear construction is over randoms"
        ),
    }
}

/// Refuses realisations that are not the same mocks with other randoms, in the same order.
pub(super) fn check_paired(first: &Realisations, second: &Realisations) -> Result<()> {
    let [number, other] = [first, second].map(Realisations::number);
    if number != other {
        bail!("--second: expected a result for each of the {number} mocks, found {other}");
    }
    first
        .iter()
        .zip(second.iter())
        .try_for_each(|(a, b)| check_pair(a, b))
}
