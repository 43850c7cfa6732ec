//! Draws bin edges of every kind.

use albireo::{Edges, SignedEdges};

use super::case::Space;
use super::random::Random;

/// How edges follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Equal widths.
    Linear,
    /// Equal ratios.
    Log,
    /// Anything that rises, neighbours among the float64 numbers included.
    Arbitrary,
    /// A single bin.
    One,
    /// As many as are allowed, of any kind.
    Many,
}

/// A part of 1, every decade down to 1e-3 alike, often a round one.
pub fn part(random: &mut Random) -> f64 {
    match random.below(3) {
        0 => random.pick(&[0.1, 0.25, 0.5, 0.75, 1.0]),
        1 => random.between(0.1, 1.0),
        _ => random.decades(1e-3, 1.0),
    }
}

/// The values whose squares rise, all no larger than the last.
fn rising(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let mut kept: Vec<f64> = vec![];
    for v in values {
        if v >= 0.0 && kept.last().is_none_or(|&last| last * last < v * v) {
            kept.push(v + 0.0);
        }
    }
    kept
}

/// Edges from 0 up whose last is `hi`, at most `most` bins.
pub fn across(random: &mut Random, kind: Kind, narrow: bool, hi: f64, most: usize) -> Vec<f64> {
    let n = match kind {
        Kind::One => 1,
        Kind::Many => most.min(random.pick(&[100, 300, 1000, 3000, 10_000])),
        Kind::Linear | Kind::Log | Kind::Arbitrary => most.min(match random.below(4) {
            0 => random.pick(&[2, 4, 5, 8, 10, 20, 31, 32, 33]),
            _ => 1 + random.below(40),
        }),
    };
    let first = |random: &mut Random, log: bool| {
        if narrow {
            // The width of a bin from 1e-6 to 1 of the first edge.
            hi / (1.0 + n as f64 * random.decades(1e-6, 1.0))
        } else if log {
            hi * random.decades(1e-6, 0.9)
        } else {
            hi * random.pick(&[0.0, 0.0, 0.0, 0.1, 0.5, 0.9])
        }
    };
    let kind = if kind == Kind::Many {
        random.pick(&[Kind::Linear, Kind::Log, Kind::Arbitrary])
    } else {
        kind
    };
    let edges = match kind {
        Kind::Log => {
            let lo = first(random, true);
            Edges::logarithmic(lo, hi, n)
        }
        Kind::Arbitrary => {
            let lo = first(random, false);
            let mut values = vec![lo, hi];
            for _ in 1..n {
                let v = match random.below(4) {
                    0 => random.pick(&values).next_up(),
                    1 => lo + (hi - lo) * random.decades(1e-6, 1.0),
                    _ => random.between(lo, hi),
                };
                if v < hi {
                    values.push(v);
                }
            }
            Edges::new(rising(values))
        }
        Kind::Linear | Kind::One | Kind::Many => {
            let lo = first(random, false);
            Edges::linear(lo, hi, n)
        }
    };
    edges.map_or_else(|_| vec![0.0, hi], |edges| edges.values().to_vec())
}

/// Edges of theta in degrees.
pub fn degrees(random: &mut Random, kind: Kind, narrow: bool, most: usize) -> Vec<f64> {
    let hi = match random.below(4) {
        0 => 180.0,
        1 => random.pick(&[1.0, 10.0, 90.0, 179.0]),
        2 => random.decades(1e-5, 1.0),
        _ => random.between(1.0, 180.0),
    };
    across(random, kind, narrow, hi, most)
}

/// Edges of mu, from below 0 where `signed`.
pub fn mu(random: &mut Random, signed: bool, most: usize) -> Vec<f64> {
    along(random, signed, 1.0, most)
}

/// Edges of pi whose largest is `hi`.
pub fn pi(random: &mut Random, signed: bool, hi: f64, most: usize) -> Vec<f64> {
    along(random, signed, hi, most)
}

fn along(random: &mut Random, signed: bool, hi: f64, most: usize) -> Vec<f64> {
    let most_here = random.pick(&[most, 12, 12, 12]);
    let n = 1 + random.below(most_here);
    let part = random.pick(&[1.0, 1.0, 0.5, 0.99, 0.3]);
    let edges = match (random.below(4), signed) {
        (0, false) => {
            let narrow = random.once_in(2);
            let kind = random.pick(&[Kind::Linear, Kind::Log, Kind::Arbitrary, Kind::One]);
            return across(random, kind, narrow, hi * part, most);
        }
        (_, false) => SignedEdges::linear(0.0, hi * part, n),
        (0, true) => {
            let mut values: Vec<f64> = (0..=n).map(|_| random.between(-1.0, 1.0) * hi).collect();
            values.push(-hi * part);
            if random.once_in(2) {
                values.push(0.0);
            }
            values.sort_by(f64::total_cmp);
            SignedEdges::new(values)
        }
        (1, true) => SignedEdges::linear(-hi * part, hi * random.pick(&[0.0, 0.5, 1.0]), n),
        (_, true) => SignedEdges::linear(-hi * part, hi * part, n),
    };
    let fallback = if signed { vec![-hi, hi] } else { vec![0.0, hi] };
    edges.map_or(fallback, |edges| edges.values().to_vec())
}

/// Moves some edges onto separations between points of both samples, or one float64 number beside; the last stays the largest.
pub fn through(
    random: &mut Random,
    edges: &mut Vec<f64>,
    space: &Space,
    samples: [&[[f64; 3]]; 2],
) {
    let Ok(domain) = space.domain() else { return };
    let mut values = edges.clone();
    let last = values[values.len() - 1];
    for _ in 0..30 {
        let [x1, x2] = samples.map(|rows| rows[random.below(rows.len())]);
        let e = random.nudged(domain.separation(x1, x2).r2.sqrt());
        if !(e > last * 1e-9 && e < last) {
            continue;
        }
        let at = random.below(values.len());
        if values.len() < 3 || random.once_in(3) {
            values.push(e);
        } else if at + 1 < values.len() {
            values[at] = e;
        }
        values = rising(values);
    }
    if values.len() > 1 {
        *edges = values;
    }
}
