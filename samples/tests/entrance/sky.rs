//! Positions on the sky: units of angles, distances and redshifts.

use albireo_samples::Reading;

use crate::case::{Case, Drafted, Outcome};
use crate::columns::{Column, others};
use crate::files::Format;
use crate::random::Random;
use crate::units::{ANGLES, LENGTHS, MPC, MPC_H, NONE, Unit};

/// How far positions are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Depth {
    /// Directions alone.
    None,
    Distance,
    Redshift,
}

/// The universe of the cases.
const MATTER: f64 = 0.3;
const H: f64 = 0.7;

/// The comoving distance in Mpc/h, by Simpson's rule.
fn distance(z: f64) -> f64 {
    const PANELS: usize = 2000;
    let step = z / PANELS as f64;
    let slowness = |k: usize| {
        let a = 1.0 + k as f64 * step;
        2_997.924_58 / (MATTER * a.powi(3) + 1.0 - MATTER).sqrt()
    };
    let weight = |k: usize| match k {
        0 | PANELS => 1.0,
        _ if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PANELS).map(|k| weight(k) * slowness(k)).sum::<f64>() * step / 3.0
}

/// A direction times a distance; angles in degrees.
fn place(ra: f64, dec: f64, distance: f64) -> [f64; 3] {
    let (ra, dec) = (ra.to_radians(), dec.to_radians());
    [dec.cos() * ra.cos(), dec.cos() * ra.sin(), dec.sin()].map(|x| x * distance)
}

/// A file of positions in a cap, with distances in a unit that become those in another one.
fn file(drawn: &mut Random, format: Format, depth: Depth, units: [Unit; 2], h: f64) -> Drafted {
    let rows = 12 + drawn.below(30);
    let plain = format == Format::Csv;
    let angle = |drawn: &mut Random, among: &[Unit]| {
        if plain { ANGLES[0] } else { drawn.pick(among) }
    };
    let of_ra = angle(drawn, &ANGLES);
    let of_dec = angle(drawn, &ANGLES[..5]);
    let (own, common) = (units[0], units[1]);
    let mut cells = [const { Vec::new() }; 3];
    let mut points = Vec::new();
    for _ in 0..rows {
        let ra = drawn.between(110.0, 140.0) / of_ra.size;
        let dec = drawn.between(-10.0, 30.0) / of_dec.size;
        let (cell, far) = match depth {
            Depth::None => (0.0, 1.0),
            Depth::Distance => {
                let cell = drawn.between(400.0, 900.0) * common.to(&own);
                (cell, cell * own.to(&common) * h)
            }
            Depth::Redshift => {
                let z = drawn.between(0.1, 2.0);
                (z, distance(z) * MPC_H.to(&common) / h)
            }
        };
        points.push(place(ra * of_ra.size, dec * of_dec.size, far));
        for (cells, cell) in cells.iter_mut().zip([ra, dec, cell]) {
            cells.push(cell);
        }
    }
    let mut spelt = |unit: &Unit| if plain { "" } else { unit.spelt(drawn) };
    let spelt = [spelt(&of_ra), spelt(&of_dec), spelt(&own)];
    let [ra, dec, far] = cells;
    let mut columns = others(drawn, rows);
    columns.push(Column::new("RA", spelt[0], 1, ra));
    columns.push(Column::new("DEC", spelt[1], 1, dec));
    match depth {
        Depth::None => {}
        Depth::Distance => columns.push(Column::new("far", spelt[2], 1, far)),
        Depth::Redshift => columns.push(Column::new("Z", drawn.pick(&["", ""]), 1, far)),
    }
    let mut file = Drafted::new(format, columns, points);
    if depth == Depth::Distance {
        file.selection.sky = Some(["RA", "DEC"].map(str::to_owned).to_vec());
        file.selection.distance = Some("far".to_owned());
    }
    file
}

pub(crate) fn draw(drawn: &mut Random) -> Case {
    let depth = drawn.pick(&[Depth::None, Depth::Distance, Depth::Redshift]);
    let of_family = drawn.below(2);
    let (family, other) = (LENGTHS[of_family], LENGTHS[1 - of_family]);
    let mut reading = Reading {
        angular: depth == Depth::None,
        ..Reading::default()
    };
    // Redshifts are in Mpc/h of themselves, in Mpc where h is known.
    let (mut own, mut common, mut h) = (drawn.pick(family), NONE, 1.0);
    match depth {
        Depth::None => {}
        Depth::Distance => {
            common = own;
            if drawn.once_in(3) {
                // The other family takes an h.
                let crosses = drawn.once_in(2);
                common = drawn.pick(if crosses { other } else { family });
                reading.unit = Some(common.spelt(drawn).to_owned());
            }
            if common.family != own.family {
                reading.cosmology = Some(format!("om={MATTER},h={H}").parse().unwrap());
                h = if common.family == "1/h" { H } else { 1.0 / H };
            }
        }
        Depth::Redshift => {
            (own, common) = (MPC_H, MPC_H);
            let mut h_known = "";
            if drawn.once_in(2) {
                h_known = ",h=0.7";
                common = drawn.pick(&[MPC, MPC_H, family[1]]);
                reading.unit = Some(common.spelt(drawn).to_owned());
                h = if common.family == "1/h" { 1.0 } else { H };
            }
            reading.cosmology = Some(format!("om={MATTER}{h_known}").parse().unwrap());
        }
    }
    let mut files = Vec::new();
    for k in 0..=drawn.below(2) {
        let formats = if depth == Depth::Distance {
            &Format::WITH_UNITS[..]
        } else {
            &Format::ALL
        };
        let of_file = if k == 0 || depth != Depth::Distance {
            own
        } else {
            drawn.pick(family)
        };
        let format = drawn.pick(formats);
        files.push(file(drawn, format, depth, [of_file, common], h));
    }
    let mut refused: Vec<String> = Vec::new();
    for file in &mut files {
        let names: Vec<String> = file.columns[4..].iter().map(|c| c.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        refused.extend(file.choose(drawn, &names));
    }
    if drawn.once_in(6) {
        refused.extend(spoil(depth, &mut files[0], drawn));
    }
    if files.iter().any(|file| file.kept.is_empty()) {
        return draw(drawn);
    }
    let outcome = if refused.is_empty() {
        Outcome::Counted {
            unit: (depth != Depth::None).then_some(common.name),
            lengths: None,
            // Simpson's rule and sines round more than one product.
            precision: if depth == Depth::Redshift {
                1e-10
            } else {
                1e-12
            },
        }
    } else {
        Outcome::Refused(refused)
    };
    Case {
        reading,
        files,
        outcome,
    }
}

/// Makes a mistake with units, and returns words of its refusal.
fn spoil(depth: Depth, file: &mut Drafted, drawn: &mut Random) -> Vec<String> {
    if file.format == Format::Csv {
        return Vec::new();
    }
    let (column, unit) = match (drawn.below(3), depth) {
        (0, _) => ("RA", drawn.pick(&["Mpc", "km/s", "h:m:s"])),
        (1, Depth::Distance) => ("far", drawn.pick(&["km/s", "deg", "K"])),
        (1, Depth::Redshift) => ("Z", drawn.pick(&["km/s", "m/s", "Mpc"])),
        _ => ("DEC", drawn.pick(&["hourangle", "Mpc", "s"])),
    };
    let column = file
        .columns
        .iter_mut()
        .find(|one| one.name == column)
        .unwrap();
    unit.clone_into(&mut column.unit);
    vec![
        format!("a column in {unit}"),
        format!("column in {unit}"),
        format!("in {unit}"),
    ]
}
