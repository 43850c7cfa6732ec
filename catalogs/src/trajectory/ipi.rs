//! The comments that i-PI writes into XYZ: `# CELL(abcABC): 9 9 9 90 90 90  Step: 5  Bead: 0 positions{atomic_unit}  cell{angstrom}`.
//!
//! Entry: [`read`]. Kapil et al. 2019, CPC 236, 214; <https://docs.ipi-code.org>.

use super::Cell;
use super::lines::{Lines, fields, real};
use crate::error::Result;

/// What such a comment states.
pub(super) struct Stated {
    /// The unit of positions, by its name here; `None` where it is left to `Unit=`.
    pub(super) unit: Option<&'static str>,
    /// The box, in the unit of positions.
    pub(super) cell: Cell,
}

/// Units of length: i-PI's name, the one here, and how many Angstrom it has.
const UNITS: [(&str, &str, f64); 4] = [
    ("atomic_unit", "Bohr", 0.529_177_210_903),
    ("angstrom", "Angstrom", 1.0),
    ("nanometer", "nm", 10.0),
    ("picometer", "pm", 0.01),
];
/// Quantities that are positions.
const POSITIONS: [&str; 2] = ["positions", "x_centroid"];

/// What a comment of i-PI states; `None` of any other one. `has_unit`: whether `Unit=` stands there, for positions and box.
pub(super) fn read(lines: &Lines, comment: &str, has_unit: bool) -> Result<Option<Stated>> {
    let Some((form, values)) = form(comment) else {
        return Ok(None);
    };
    let mut unit = None;
    let mut factor = 1.0;
    if !has_unit {
        let (name, angstroms) = positions_unit(lines, comment)?;
        unit = Some(name);
        let of_cell = quantities(comment).find(|(quantity, _)| *quantity == "cell");
        let of_cell = of_cell.map(|(_, unit)| length(lines, unit)).transpose()?;
        factor = of_cell.map_or(1.0, |(_, own)| own / angstroms);
    }
    let cell = cell(lines, form, values, factor)?;
    Ok(Some(Stated { unit, cell }))
}

/// `abcABC` and what follows the colon of `CELL(abcABC): ..`, whose brackets may be any.
fn form(comment: &str) -> Option<(&str, &str)> {
    let (_, rest) = comment.split_once("CELL")?;
    let (form, values) = rest.strip_prefix(['(', '[', '{'])?.split_once(':')?;
    Some((form.trim_end().strip_suffix([')', ']', '}'])?, values))
}

/// Each quantity with its unit, as in `positions{atomic_unit}`.
fn quantities(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = comment.split_whitespace();
    let named = words.filter_map(|word| word.strip_suffix('}')?.split_once('{'));
    named.filter(|(name, _)| *name != "CELL")
}

/// The unit of positions: its name here, and how many Angstrom it has.
fn positions_unit(lines: &Lines, comment: &str) -> Result<(&'static str, f64)> {
    let expected =
        "the unit of i-PI's positions as positions{unit}, or as Unit=Bohr or Unit=Angstrom";
    let mut others = quantities(comment).filter(|(name, _)| *name != "cell");
    match others.next() {
        Some((name, unit)) if POSITIONS.contains(&name) => length(lines, unit),
        Some((name, _)) => Err(lines.refuse_bytes(expected, name.as_bytes())),
        None => Err(lines.refuse_bytes(expected, comment.as_bytes())),
    }
}

fn length(lines: &Lines, unit: &str) -> Result<(&'static str, f64)> {
    let known = UNITS.iter().find(|(name, ..)| *name == unit);
    let found = known.map(|(_, name, angstroms)| (*name, *angstroms));
    let expected = "a length of i-PI in atomic_unit, angstrom, nanometer or picometer, or Unit=.. for positions and box";
    found.ok_or_else(|| lines.refuse_bytes(expected, unit.as_bytes()))
}

/// The box, its lengths multiplied: lengths and angles, or a matrix whose columns are the vectors.
fn cell(lines: &Lines, form: &str, values: &str, factor: f64) -> Result<Cell> {
    let numbers: Vec<f64> = fields(values.as_bytes()).map_while(real).collect();
    let times = |lengths: [f64; 3]| lengths.map(|length| length * factor);
    let cell = match (form, numbers.as_slice()) {
        ("abcABC", &[a, b, c, alpha, beta, gamma, ..]) => {
            Cell::from_lengths_and_angles(times([a, b, c]), [alpha, beta, gamma])
        }
        ("H", &[ax, bx, cx, 0.0, by, cy, 0.0, 0.0, cz, ..]) => Cell::new([
            times([ax, 0.0, 0.0]),
            times([bx, by, 0.0]),
            times([cx, cy, cz]),
        ]),
        _ => {
            let expected = "i-PI's CELL(abcABC): 3 lengths and 3 angles, or CELL(H): an upper triangular matrix";
            let found = format!("CELL({form}):{values}");
            return Err(lines.refuse_bytes(expected, found.as_bytes()));
        }
    };
    cell.map_err(|reason| lines.refuse("a box", &reason))
}
