//! Samples put into their domain.
//!
//! Entry: [`place`]. The library wraps and refuses; here it is counted how many positions that concerned, and errors get their advice.

use albireo::{Domain, Outside, Points};
use serde_json::json;

use crate::error::Result;
use crate::notice::Notice;
use crate::sample::Sample;
use crate::space;
use crate::suspicion::Boxed;
use crate::within::Within;

/// How many points lie outside the box as it was given.
fn outside(domain: &Domain, points: &Points) -> usize {
    let is_outside: Box<dyn Fn([f64; 3]) -> bool> = match domain {
        Domain::Open => return 0,
        Domain::Periodic(cell) => {
            let lengths = cell.lengths();
            let is_within = |[lo, hi]: [f64; 2], length: f64| lo >= 0.0 && hi < length;
            let mut axes = points.ranges().into_iter().zip(lengths);
            if axes.all(|(range, length)| length.is_none_or(|l| is_within(range, l))) {
                return 0;
            }
            Box::new(move |x| {
                let axes = x.into_iter().zip(lengths);
                axes.into_iter()
                    .any(|(x, length)| length.is_some_and(|l| !(0.0..l).contains(&x)))
            })
        }
        Domain::Triclinic(lattice) => {
            let [a, b, c] = lattice.vectors();
            let across = [cross(b, c), cross(c, a), cross(a, b)];
            let volume = dot(a, across[0]);
            Box::new(move |x| {
                let mut fractions = across.iter().map(|&across| dot(x, across) / volume);
                fractions.any(|fraction| !(0.0..1.0).contains(&fraction))
            })
        }
    };
    let view = points.view();
    (0..points.len())
        .filter(|&row| is_outside(view.at(row)))
        .count()
}

/// Whether positions lie around the origin, half a box to either side along every axis that is periodic.
fn lie_around_origin(domain: &Domain, points: &Points) -> bool {
    let halves = space::rows(domain).into_iter().enumerate();
    let halves = halves.map(|(axis, row)| row.map_or(f64::INFINITY, |row| row[axis] / 2.0));
    let mut axes = points.ranges().into_iter().zip(halves);
    axes.all(|([lo, hi], half)| lo >= -half && hi <= half)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Puts a sample into its domain; says how many positions lay outside, where they are wrapped: asked for, or from the box around the origin that
/// Abacus has.
pub(crate) fn place(
    domain: &Domain,
    sample: &mut Sample,
    unless: Outside,
    tell: &mut dyn FnMut(Notice),
) -> Result<()> {
    let boxed = Boxed {
        particles: format!("the rows of {}", sample.path.display()),
        points: sample.particles.points(),
        rows: &space::rows(domain),
        flat: None,
        only_given: unless == Outside::Wrap && sample.stated_boxes.is_empty(),
    };
    boxed.suspicion().into_iter().for_each(&mut *tell);
    let around_origin = sample.centred && lie_around_origin(domain, sample.particles.points());
    let unless = if around_origin { Outside::Wrap } else { unless };
    let particles = std::mem::take(&mut sample.particles);
    let wraps = unless == Outside::Wrap || matches!(domain, Domain::Triclinic(_));
    let wrapped = if wraps {
        outside(domain, particles.points())
    } else {
        0
    };
    let placed = domain.place(particles, unless);
    sample.particles = placed.within(|| hint(sample, unless))?;
    if wrapped > 0 {
        tell(Notice::note(format!(
            "{}: {wrapped} of {} positions were outside the box and are wrapped into it",
            sample.role,
            sample.particles.len()
        )));
    }
    if let Some((axis, shift)) = sample.shift.take() {
        let particles = std::mem::take(&mut sample.particles);
        let moved = particles.moved_along(axis, &shift)?;
        sample.particles = domain.place(moved, Outside::Wrap)?;
    }
    if let (true, Some(record)) = (wraps && domain.is_periodic(), sample.record.as_object_mut()) {
        record.insert("wrapped".to_owned(), json!(wrapped));
    }
    Ok(())
}

/// The file, with what would help.
fn hint(sample: &Sample, outside: Outside) -> String {
    let advice = if outside == Outside::Refuse {
        " (--wrap wraps positions into the box, --box none leaves it out)"
    } else {
        ""
    };
    let of = match sample.record.get("where") {
        Some(_) => ", of the rows that --where keeps",
        None => "",
    };
    format!("{}{advice}{of}", sample.path.display())
}
