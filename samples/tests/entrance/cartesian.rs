//! Cartesian positions: units of each axis, boxes with units, the unit of all samples.

use albireo::Outside;
use albireo_samples::Reading;

use crate::case::{Case, Drafted, Outcome};
use crate::columns::{Column, Type, others};
use crate::files::Format;
use crate::random::Random;
use crate::units::{LENGTHS, NO_LENGTHS, NONE, Unit, foreign};

/// What a case is made by.
struct Plan {
    family: &'static [Unit],
    /// The unit of the bins.
    common: Unit,
    /// The side of the box, in this unit.
    length: Option<f64>,
    wraps: bool,
}

/// The number that a file holds for a position, as it is stored.
fn stored(x: f64, kind: Type) -> f64 {
    if kind == Type::Single {
        f64::from(x as f32)
    } else {
        x
    }
}

impl Plan {
    /// A file of some positions, whose axes are in these units.
    fn file(&self, drawn: &mut Random, format: Format, units: [Unit; 3]) -> Drafted {
        let rows = 12 + drawn.below(30);
        let side = self.length.unwrap_or(50.0);
        let (lo, hi) = if self.wraps {
            (-0.9, 1.9)
        } else {
            (0.01, 0.99)
        };
        let kind = if format == Format::Csv || format == Format::Ecsv || !drawn.once_in(3) {
            Type::Double
        } else {
            Type::Single
        };
        let factors = units.map(|unit| unit.to(&self.common));
        let cells: Vec<[f64; 3]> = (0..rows)
            .map(|_| factors.map(|factor| stored(side * drawn.between(lo, hi) / factor, kind)))
            .collect();
        let points = cells
            .iter()
            .map(|x| [0, 1, 2].map(|k| x[k] * factors[k]))
            .collect();
        let spelt = units.map(|unit| if unit == NONE { "" } else { unit.spelt(drawn) });
        let mut columns = others(drawn, rows);
        let has_vectors = matches!(format, Format::Fits | Format::Hdf5);
        let place: &[&str] = if units[1..] == [units[0]; 2] && has_vectors && drawn.once_in(3) {
            columns.push(Column::new("pos", spelt[0], 3, cells.concat()).stored(kind));
            &["pos"]
        } else {
            let names: &[&str] = drawn.pick(&[&["x", "y", "z"][..], &["a", "b", "c"][..]]);
            for (k, name) in names.iter().enumerate() {
                let values = cells.iter().map(|x| x[k]).collect();
                columns.push(Column::new(name, spelt[k], 1, values).stored(kind));
            }
            names
        };
        let mut file = Drafted::new(format, columns, points);
        if place[0] != "x" || drawn.once_in(2) {
            file.selection.positions = Some(place.iter().map(|&name| name.to_owned()).collect());
        }
        file
    }

    /// The units of the axes of a file.
    fn units(&self, drawn: &mut Random, format: Format) -> [Unit; 3] {
        if format == Format::Csv {
            return [NONE; 3];
        }
        let first = drawn.pick(self.family);
        if drawn.once_in(3) && self.family.len() > 1 {
            return [first, drawn.pick(self.family), drawn.pick(self.family)];
        }
        [first; 3]
    }
}

pub(crate) fn draw(drawn: &mut Random) -> Case {
    let family = drawn.pick(&LENGTHS);
    let has_unit = family[0] != NONE;
    let formats: Vec<Format> = (0..=drawn.below(2))
        .map(|_| {
            drawn.pick(if has_unit {
                &Format::WITH_UNITS[..]
            } else {
                &Format::ALL[..]
            })
        })
        .collect();
    let mut plan = Plan {
        family,
        common: family[0],
        length: drawn.once_in(2).then(|| drawn.between(20.0, 90.0)),
        wraps: drawn.once_in(2),
    };
    plan.wraps &= plan.length.is_some();
    let units: Vec<[Unit; 3]> = formats.iter().map(|&f| plan.units(drawn, f)).collect();
    let mut reading = Reading::default();
    plan.common = units[0][0];
    if has_unit && drawn.once_in(3) {
        plan.common = drawn.pick(family);
        reading.unit = Some(plan.common.spelt(drawn).to_owned());
    }
    let drafted = formats.iter().zip(&units);
    let mut files: Vec<Drafted> = drafted.map(|(&f, &u)| plan.file(drawn, f, u)).collect();
    close(&plan, &units[0], &mut reading, &mut files[0], drawn);
    let mut refused: Vec<String> = Vec::new();
    for file in &mut files {
        let place: Vec<String> = file.columns[4..].iter().map(|c| c.name.clone()).collect();
        let place: Vec<&str> = place.iter().map(String::as_str).collect();
        refused.extend(file.choose(drawn, &place));
    }
    // Of two mistakes, the refusal may name either.
    if drawn.once_in(6) {
        refused.extend(spoil(&plan, &mut reading, &mut files, drawn));
    }
    let outcome = if refused.is_empty() {
        Outcome::Counted {
            unit: has_unit.then_some(plan.common.name),
            lengths: plan.length,
            precision: 1e-13,
        }
    } else {
        Outcome::Refused(refused)
    };
    if files.iter().any(|file| file.kept.is_empty()) {
        return draw(drawn);
    }
    Case {
        reading,
        files,
        outcome,
    }
}

/// States the box: in a unit of its own, as a number, or in the file.
fn close(
    plan: &Plan,
    units: &[Unit; 3],
    reading: &mut Reading,
    first: &mut Drafted,
    drawn: &mut Random,
) {
    let Some(length) = plan.length else {
        return;
    };
    reading.outside = if plan.wraps {
        Outside::Wrap
    } else {
        Outside::Refuse
    };
    let states = matches!(first.format, Format::Ecsv | Format::Hdf5);
    if states && drawn.once_in(3) {
        let own = length * plan.common.to(&units[0]);
        first.attributes.push(("", "BoxSize", vec![own]));
        return;
    }
    let text = if plan.common != NONE && drawn.once_in(2) {
        let unit = drawn.pick(plan.family);
        format!("{:?} {}", length * plan.common.to(&unit), unit.name)
    } else {
        format!("{length:?}")
    };
    reading.space = Some(text.parse().unwrap());
}

/// Makes a mistake with units, and returns words of its refusal.
fn spoil(
    plan: &Plan,
    reading: &mut Reading,
    files: &mut [Drafted],
    drawn: &mut Random,
) -> Vec<String> {
    let family = plan.common.family;
    let other = foreign(drawn, family);
    let words = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    match drawn.below(4) {
        // An axis in another unit, or in none.
        0 if files[0].columns.last().unwrap().width == 1 && files[0].format != Format::Csv => {
            let none = ["", other.name, drawn.pick(&NO_LENGTHS)];
            let axis = 4 + drawn.below(3);
            let unit = drawn.pick(if plan.common == NONE {
                &none[1..]
            } else {
                &none
            });
            unit.clone_into(&mut files[0].columns[axis].unit);
            words(&["positions in"])
        }
        // All of them in what is no length.
        1 if files[0].format != Format::Csv => {
            let unit = drawn.pick(&NO_LENGTHS[..3]);
            files[0].columns[4..]
                .iter_mut()
                .for_each(|c| unit.clone_into(&mut c.unit));
            words(&["positions in"])
        }
        // Metres are converted into anything, if they are asked to.
        2 if plan.common != NONE && ![family, other.family].contains(&"everyday") => {
            reading.unit = Some(other.name.to_owned());
            words(&["--unit", "one is a length between", "converted"])
        }
        _ => {
            let unit = drawn.pick(&["nm", "Mpc", "Mpc/h"]);
            let akin = unit == "nm" && family == "molecular";
            let akin =
                akin || unit == "Mpc" && family == "cosmic" || unit == "Mpc/h" && family == "1/h";
            if akin || family == "everyday" {
                return Vec::new();
            }
            reading.space = Some(format!("1e9 {unit}").parse().unwrap());
            words(&[
                "--box",
                "the box",
                "positions are in",
                "unit of the positions",
            ])
        }
    }
}
