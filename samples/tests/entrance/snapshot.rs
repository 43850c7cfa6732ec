//! Snapshots and group catalogues in HDF5: what their headers state, and redshift space along an axis.

use albireo::{Axis, Outside};
use albireo_samples::Reading;

use crate::case::{Case, Drafted, Outcome};
use crate::columns::{Column, others};
use crate::files::Format;
use crate::random::Random;
use crate::units::{KPC_H, MPC_H, Unit};

/// A kind of file: positions, velocities, the power of the scale factor that makes peculiar ones of these, how many there are.
type Kind = (&'static str, &'static str, f64, &'static str);
const KINDS: [Kind; 3] = [
    ("Coordinates", "Velocities", 0.5, "NumPart_Total"),
    ("SubhaloPos", "SubhaloVel", 0.0, "Nsubgroups_Total"),
    ("GroupPos", "GroupVel", -1.0, "Ngroups_Total"),
];

/// Redshift and universe of a header.
struct Header {
    z: f64,
    matter: f64,
    lambda: f64,
    h: f64,
    unit: Unit,
    length: f64,
}

impl Header {
    fn drawn(drawn: &mut Random) -> Self {
        let matter = drawn.between(0.2, 0.4);
        Self {
            z: drawn.pick(&[0.0, 0.5, 1.0, 3.0]),
            matter,
            lambda: if drawn.once_in(2) { 1.0 - matter } else { 0.7 },
            h: drawn.between(0.6, 0.8),
            unit: drawn.pick(&[MPC_H, KPC_H]),
            length: drawn.between(40.0, 90.0),
        }
    }

    /// What a peculiar velocity in km/s moves a position by, in Mpc/h.
    fn shift(&self) -> f64 {
        let a = 1.0 + self.z;
        let curvature = 1.0 - self.matter - self.lambda;
        let e2 = self.matter * a.powi(3) + curvature * a.powi(2) + self.lambda;
        a / (100.0 * e2.sqrt())
    }

    fn attributes(
        &self,
        count: &'static str,
        rows: usize,
    ) -> Vec<(&'static str, &'static str, Vec<f64>)> {
        let of_header = |name, value: f64| ("Header", name, vec![value]);
        let counts = if count == "NumPart_Total" {
            vec![0.0, rows as f64, 0.0, 0.0, 0.0, 0.0]
        } else {
            vec![rows as f64]
        };
        vec![
            ("Header", count, counts),
            of_header("BoxSize", self.length * MPC_H.to(&self.unit)),
            of_header("Redshift", self.z),
            of_header("Omega0", self.matter),
            of_header("OmegaLambda", self.lambda),
            of_header("HubbleParam", self.h),
            of_header("UnitLength_in_cm", 3.085_678e24 * self.unit.to(&MPC_H)),
        ]
    }
}

pub(crate) fn draw(drawn: &mut Random) -> Case {
    let header = Header::drawn(drawn);
    let (positions, velocities, power, count) = drawn.pick(&KINDS);
    let group = if count == "NumPart_Total" {
        "PartType1"
    } else {
        "Table"
    };
    let rows = 12 + drawn.below(30);
    let axis = drawn.pick(&[None, Some(Axis::X), Some(Axis::Y), Some(Axis::Z)]);
    let asked = drawn.pick(&[None, Some(MPC_H), Some(KPC_H)]);
    let common = asked.unwrap_or(header.unit);
    let peculiar = (1.0 + header.z).powf(-power);
    let (mut x, mut v, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let at = [(); 3].map(|()| header.length * drawn.between(0.01, 0.99));
        let speed = [(); 3].map(|()| drawn.between(-900.0, 900.0));
        let mut moved = at;
        if let Some(axis) = axis {
            moved[axis.index()] += speed[axis.index()] * peculiar * header.shift();
        }
        points.push(moved.map(|x| x * MPC_H.to(&common)));
        x.extend(at.map(|x| x * MPC_H.to(&header.unit)));
        v.extend(speed);
    }
    let named = |name: &str| format!("{group}/{name}");
    let mut columns = others(drawn, rows);
    columns.push(Column::new(positions, "", 3, x));
    let mut file = Drafted::new(Format::Hdf5, columns, points);
    let mut refused: Vec<String> = Vec::new();
    refused.extend(file.choose(drawn, &[positions]));
    file.columns.push(Column::new(velocities, "", 3, v));
    for column in &mut file.columns {
        column.name = named(&column.name);
    }
    file.selection.table = Some(group.to_owned());
    file.attributes = header.attributes(count, rows);
    if drawn.once_in(8) && axis.is_some() {
        refused.extend(spoil(&mut file, drawn));
    }
    if file.kept.is_empty() {
        return draw(drawn);
    }
    let outcome = if refused.is_empty() {
        Outcome::Counted {
            unit: Some(common.name),
            lengths: Some(header.length * MPC_H.to(&common)),
            precision: 1e-12,
        }
    } else {
        Outcome::Refused(refused)
    };
    Case {
        reading: Reading {
            rsd: axis,
            unit: asked.map(|unit| unit.spelt(drawn).to_owned()),
            outside: Outside::Refuse,
            ..Reading::default()
        },
        files: vec![file],
        outcome,
    }
}

/// Takes away what redshift space needs, and returns words of the refusal.
fn spoil(file: &mut Drafted, drawn: &mut Random) -> Vec<String> {
    let (name, word) = drawn.pick(&[
        ("Redshift", "Redshift"),
        ("Omega0", "--cosmology"),
        ("", "velocities"),
    ]);
    if name.is_empty() {
        file.columns.pop();
    }
    file.attributes.retain(|attribute| attribute.1 != name);
    vec![word.to_owned()]
}
