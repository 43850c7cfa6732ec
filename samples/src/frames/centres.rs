//! Molecules as their centres of mass.
//!
//! Entry: [`centres`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "molecules are numbered in 32 bits"
)]

use std::borrow::Cow;
use std::collections::HashMap;

use albireo::{Domain, Outside, Particles, Points};
use albireo_catalogs::{Atoms, Attribute};

use crate::error::SampleError;

/// The rows of each molecule, in the order in which molecules come first.
fn molecules(of: &Attribute) -> Vec<Vec<u32>> {
    let mut place: HashMap<u64, usize> = HashMap::new();
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for (row, key) in keys(of).into_iter().enumerate() {
        let at = *place.entry(key).or_insert_with(|| {
            rows.push(Vec::new());
            rows.len() - 1
        });
        rows[at].push(row as u32);
    }
    rows
}

/// What tells the values of a column apart.
pub(super) fn keys(of: &Attribute) -> Vec<u64> {
    match of {
        Attribute::Integers(values) => values.iter().map(|&value| value as u64).collect(),
        Attribute::Texts { codes, .. } => codes.iter().map(|&code| code.into()).collect(),
        // -0 is 0.
        Attribute::Numbers(values) => values.iter().map(|&v| (v + 0.0).to_bits()).collect(),
        _ => Vec::new(),
    }
}

/// Values of some rows.
pub(super) fn of_rows(attribute: &Attribute, rows: &[u32]) -> Attribute {
    fn pick<T: Clone>(values: &[T], rows: &[u32]) -> Vec<T> {
        rows.iter()
            .map(|&row| values[row as usize].clone())
            .collect()
    }
    match attribute {
        Attribute::Integers(values) => Attribute::Integers(pick(values, rows)),
        Attribute::Texts { texts, codes } => Attribute::Texts {
            texts: texts.clone(),
            codes: pick(codes, rows),
        },
        Attribute::Numbers(values) => Attribute::Numbers(pick(values, rows)),
        other => other.clone(),
    }
}

/// Each molecule as one particle at its centre of mass, with the attributes of its first atom and the mass of all.
///
/// Molecules are made whole first: every atom is taken at its image nearest to the one before it in the file, which is right as long as bonds, or steps along the
/// chain, are shorter than half the box.
///
/// # Errors
/// No such column, no masses, or a molecule without mass.
pub(super) fn centres(
    positions: &[Vec<f64>; 3],
    atoms: &Atoms,
    column: &str,
    domain: &Domain,
) -> Result<([Vec<f64>; 3], Atoms), SampleError> {
    let missing = |column: &str| SampleError::NoAttribute {
        column: column.to_owned(),
        available: atoms.names().map(str::to_owned).collect(),
    };
    let molecules = molecules(atoms.get(column).ok_or_else(|| missing(column))?);
    let masses: Cow<'_, [f64]> = match atoms.get("mass") {
        Some(Attribute::Numbers(masses)) => masses.into(),
        Some(Attribute::Integers(masses)) => masses.iter().map(|&mass| mass as f64).collect(),
        _ => return Err(missing("mass")),
    };
    let [x, y, z] = positions.each_ref().map(Clone::clone);
    let placed = domain.place(Particles::new(Points::new(x, y, z)?), Outside::Wrap)?;
    let points = placed.points();
    let mut centres = [const { Vec::new() }; 3];
    let mut mass_of = Vec::with_capacity(molecules.len());
    for rows in &molecules {
        let mut at = points.at(rows[0] as usize);
        let (mut sum, mut mass) = ([0.0; 3], 0.0);
        let mut before = at;
        for &row in rows {
            let placed = points.at(row as usize);
            // The nearest image of the step from the atom before.
            let step = domain.separation(placed, before).d;
            at = [0, 1, 2].map(|k| at[k] + step[k]);
            before = placed;
            let weight = masses[row as usize];
            sum = [0, 1, 2].map(|k| sum[k] + weight * at[k]);
            mass += weight;
        }
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(SampleError::MasslessMolecule {
                row: rows[0] as usize,
                mass,
            });
        }
        for k in 0..3 {
            centres[k].push(sum[k] / mass);
        }
        mass_of.push(mass);
    }
    let first: Vec<u32> = molecules.iter().map(|rows| rows[0]).collect();
    let mut of = Atoms::new(first.len());
    for name in atoms.names() {
        if let Some(attribute) = atoms.get(name) {
            of = of.with(name, of_rows(attribute, &first));
        }
    }
    Ok((centres, of.with("mass", Attribute::Numbers(mass_of))))
}
