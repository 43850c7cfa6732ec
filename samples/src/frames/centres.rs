//! Molecules as their centres of mass.
//!
//! Entry: [`Molecules`], [`centres`].

use std::borrow::Cow;

use albireo::{Domain, Outside, Particles, Points};
use albireo_catalogs::{Atoms, Attribute, in_short};

use super::molecules::{Numbering, molecule_keys, text_of};
use crate::error::{Result, SampleError};

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

/// The atoms of a frame, as molecules that a column numbers.
pub(super) struct Molecules<'a> {
    column: &'a str,
    numbers: &'a Attribute,
    /// A key of the molecule of each atom.
    keys: Vec<u64>,
    domain: &'a Domain,
    /// Positions in the box.
    points: Points,
}

impl<'a> Molecules<'a> {
    /// Those of the column of this name.
    ///
    /// # Errors
    /// No such column, positions that are not finite.
    pub(super) fn of(
        positions: &[Vec<f64>; 3],
        atoms: &'a Atoms,
        column: &'a str,
        domain: &'a Domain,
    ) -> Result<Self> {
        let numbers = atoms
            .get(column)
            .ok_or_else(|| SampleError::no_attribute(column, atoms))?;
        let keys = molecule_keys(atoms, column).unwrap_or_default();
        let [x, y, z] = positions.each_ref().map(Clone::clone);
        let placed = domain.place(Particles::new(Points::new(x, y, z)?), Outside::Wrap)?;
        Ok(Self {
            column,
            numbers,
            keys,
            domain,
            points: placed.points().clone(),
        })
    }

    /// The step to a row from the row before it in the same molecule, as the nearest image.
    fn step(&self, to: u32, from: u32) -> [f64; 3] {
        let at = |row: u32| self.points.at(row as usize);
        self.domain.separation(at(to), at(from)).d
    }

    /// The first step of a molecule that is longer than half the box, if there is one: the image that it leads to is then not known.
    fn first_far_step(&self, rows: &[u32]) -> Option<f64> {
        let half = self.domain.reach();
        let mut steps = rows.windows(2).map(|two| {
            let [x, y, z] = self.step(two[1], two[0]);
            (x * x + y * y + z * z).sqrt()
        });
        steps.find(|length| *length > half)
    }

    /// What a molecule of these rows is called in the column.
    fn name_of(&self, rows: &[u32]) -> String {
        let row = rows[0] as usize;
        text_of(self.numbers, row)
    }

    /// How the numbers are meant: where one is used again, behind others, by atoms further than half the box from those before, numbers begin
    /// again, and each run of rows with one number is a molecule.
    pub(super) fn numbering(&self) -> Numbering {
        let by_number = Numbering::Unique.rows_of(&self.keys);
        let is_split = |rows: &&Vec<u32>| rows.windows(2).any(|two| two[1] != two[0] + 1);
        let far = by_number.iter().filter(is_split).find_map(|rows| {
            let distance = self.first_far_step(rows)?;
            Some((self.name_of(rows), distance))
        });
        match far {
            None => Numbering::Unique,
            Some((molecule, distance)) => Numbering::UsedAgain {
                numbers: by_number.len(),
                molecules: Numbering::runs_of(&self.keys).len(),
                molecule,
                distance,
                half: self.domain.reach(),
            },
        }
    }

    /// Refuses a molecule whose atoms are further apart than half the box.
    fn check(&self, rows: &[u32]) -> Result<()> {
        match self.first_far_step(rows) {
            None => Ok(()),
            Some(distance) => Err(SampleError::Input(format!(
                "--centres {column}: two atoms of molecule {} that follow each other are {} apart, more than half the box, {}: expected atoms of one molecule \
                 next to each other, as along a chain (is the box in the unit of the positions? does `{column}` number molecules?)",
                self.name_of(rows),
                in_short(distance),
                in_short(self.domain.reach()),
                column = self.column
            ))),
        }
    }
}

/// Each molecule as one particle at its centre of mass, with the attributes of its first atom and the mass of all.
///
/// Molecules are made whole first: every atom is taken at its image nearest to the one before it in the file, which is right as long as bonds, or steps along the
/// chain, are shorter than half the box.
///
/// # Errors
/// No masses, a molecule without mass, or one whose atoms are further apart than half the box.
pub(super) fn centres(
    molecules: &Molecules<'_>,
    atoms: &Atoms,
    numbering: &Numbering,
) -> Result<([Vec<f64>; 3], Atoms)> {
    let masses: Cow<'_, [f64]> = match atoms.get("mass") {
        Some(Attribute::Numbers(masses)) => masses.into(),
        Some(Attribute::Integers(masses)) => masses.iter().map(|&mass| mass as f64).collect(),
        _ => return Err(SampleError::no_attribute("mass", atoms)),
    };
    let rows_of = numbering.rows_of(&molecules.keys);
    let mut centres = [const { Vec::new() }; 3];
    let mut mass_of = Vec::with_capacity(rows_of.len());
    for rows in &rows_of {
        molecules.check(rows)?;
        let mut at = molecules.points.at(rows[0] as usize);
        let (mut sum, mut mass) = ([0.0; 3], 0.0);
        let mut before = rows[0];
        for &row in rows {
            let step = molecules.step(row, before);
            at = [0, 1, 2].map(|k| at[k] + step[k]);
            before = row;
            let weight = masses[row as usize];
            sum = [0, 1, 2].map(|k| sum[k] + weight * at[k]);
            mass += weight;
        }
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(SampleError::Input(format!(
                "the molecule of row {} (from 0) has the mass {}: a centre of mass needs a positive one",
                rows[0],
                in_short(mass)
            )));
        }
        for k in 0..3 {
            centres[k].push(sum[k] / mass);
        }
        mass_of.push(mass);
    }
    let first: Vec<u32> = rows_of.iter().map(|rows| rows[0]).collect();
    let mut of = Atoms::new(first.len());
    for name in atoms.names() {
        if let Some(attribute) = atoms.get(name) {
            of = of.with(name, of_rows(attribute, &first));
        }
    }
    Ok((centres, of.with("mass", Attribute::Numbers(mass_of))))
}
