//! Velocities and forces of the atoms, in the units of the AMBER convention, into which other stated units are converted.
//!
//! Entry: [`find`]. LAMMPS states the units of its styles, of which `lj` has none.

use super::variable::{Store, Variable};
use crate::error::{CatalogError, Result};

/// Lengths in Angstrom.
const LENGTHS: [(&str, f64); 12] = [
    ("angstrom", 1.0),
    ("ang", 1.0),
    ("a", 1.0),
    ("å", 1.0),
    ("nanometer", 10.0),
    ("nm", 10.0),
    ("micrometer", 1e4),
    ("um", 1e4),
    ("centimeter", 1e8),
    ("cm", 1e8),
    ("meter", 1e10),
    ("m", 1e10),
];

/// Times in ps.
const TIMES: [(&str, f64); 9] = [
    ("femtosecond", 1e-3),
    ("fs", 1e-3),
    ("picosecond", 1.0),
    ("ps", 1.0),
    ("nanosecond", 1e3),
    ("ns", 1e3),
    ("microsecond", 1e6),
    ("second", 1e12),
    ("s", 1e12),
];

/// Energies in kcal/mol: the calorie is that of thermochemistry, 4.184 J, and eV follows from the constants of SI.
const ENERGIES: [(&str, f64); 5] = [
    ("kilocalorie/mole", 1.0),
    ("kcal/mol", 1.0),
    ("kilojoule/mole", 1.0 / 4.184),
    ("kj/mol", 1.0 / 4.184),
    ("ev", 96.485_332_123_310_02 / 4.184),
];

/// Numbers without a unit of their own: those of the style `lj`.
const REDUCED: &str = "lj";

/// Vectors of each atom that the convention names.
struct Quantity {
    name: &'static str,
    columns: [&'static str; 3],
    /// Their unit in the convention: an amount for a length, or a length for an amount.
    unit: &'static str,
    /// What numbers in a stated unit are multiplied by; none where the unit is not known.
    factor: fn(&str) -> Option<f64>,
}

const QUANTITIES: [Quantity; 2] = [
    Quantity {
        name: "velocities",
        columns: ["vx", "vy", "vz"],
        unit: "angstrom/picosecond",
        factor: of_velocities,
    },
    Quantity {
        name: "forces",
        columns: ["fx", "fy", "fz"],
        unit: "kilocalorie/mole/angstrom",
        factor: of_forces,
    },
];

/// Vectors of each atom, and the columns of their components.
pub(super) struct Vectors {
    pub(super) columns: [&'static str; 3],
    /// Its scale brings numbers to the unit of the convention.
    pub(super) variable: Variable,
}

/// The velocities and forces that a file has.
///
/// # Errors
/// Another shape than that of the coordinates, whole numbers, a unit that is not known.
pub(super) fn find(store: &mut dyn Store, coordinates: &Variable) -> Result<Vec<Vectors>> {
    let mut found = Vec::new();
    for quantity in &QUANTITIES {
        let Some(mut variable) = store.variable(quantity.name)? else {
            continue;
        };
        let same = variable.same_vectors_as(coordinates);
        same.map_err(|wrong| CatalogError::corrupt(store.path(), format!("header: {wrong}")))?;
        let stated = variable.unit.as_deref().map(plain).unwrap_or_default();
        let factor = match stated.as_str() {
            "" | REDUCED => Some(1.0),
            unit => (quantity.factor)(unit),
        };
        let factor = factor.ok_or_else(|| {
            CatalogError::unsupported(
                store.path(),
                format!(
                    "`{}` in `{}`",
                    quantity.name,
                    variable.unit.as_deref().unwrap_or_default()
                ),
                &format!("write them in {}, as AMBER does", quantity.unit),
            )
        })?;
        variable.scale = Some(variable.scale.unwrap_or(1.0) * factor);
        found.push(Vectors {
            columns: quantity.columns,
            variable,
        });
    }
    Ok(found)
}

/// A unit in lower case, without blanks and brackets.
fn plain(unit: &str) -> String {
    let passed = |letter: &char| !letter.is_whitespace() && !['(', ')', '\0'].contains(letter);
    unit.to_lowercase().chars().filter(passed).collect()
}

/// A unit by its name, of one or of several.
fn known(units: &[(&str, f64)], name: &str) -> Option<f64> {
    let one = name.strip_suffix('s').unwrap_or_default();
    let found = |name: &str| units.iter().find(|(known, _)| *known == name);
    // Symbols such as `ms` have no plural.
    let found = found(name).or_else(|| found(one).filter(|_| one.len() > 3));
    found.map(|(_, value)| *value)
}

fn of_velocities(unit: &str) -> Option<f64> {
    let (length, time) = unit.split_once('/')?;
    Some(known(&LENGTHS, length)? / known(&TIMES, time)?)
}

fn of_forces(unit: &str) -> Option<f64> {
    let (energy, length) = unit.rsplit_once('/')?;
    Some(known(&ENERGIES, energy)? / known(&LENGTHS, length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_velocities_and_forces() {
        for (unit, expected) in [
            ("angstrom/picosecond", Some(1.0)),
            ("Angstroms / ps", Some(1.0)),
            ("angstrom/femtosecond", Some(1000.0)),
            ("nm/ps", Some(10.0)),
            ("nanometers/nanosecond", Some(0.01)),
            ("micrometers/microsecond", Some(0.01)),
            ("meter/second\0", Some(0.01)),
            ("centimeter/second", Some(1e-4)),
            ("Bohr/atomic time units", None),
            ("angstrom", None),
            ("kilometer/ps", None),
            ("angstrom/ms", None),
        ] {
            assert_eq!(of_velocities(&plain(unit)), expected, "{unit}");
        }
        let close = |unit: &str, expected: f64| {
            let found = of_forces(&plain(unit)).unwrap_or(f64::NAN);
            assert!((found / expected - 1.0).abs() < 1e-15, "{unit}: {found}");
        };
        close("kilocalorie/mole/angstrom", 1.0);
        close("(Kcal/mol)/angstrom)", 1.0);
        close("kJ/mol/nm", 1.0 / 41.84);
        close("eV/angstrom", 23.060_547_830_619_03);
        for unit in ["dynes", "Newton", "kcal/angstrom", "kcal/mol"] {
            assert_eq!(of_forces(&plain(unit)), None, "{unit}");
        }
    }
}
