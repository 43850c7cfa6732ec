//! Normal random numbers of IEEE operations alone, so that every engine makes the same bits.
//!
//! Entry: [`normal`]. Its twin is in `kernels/dynamics/normal.cuh`.

use std::f64::consts::{LN_2, SQRT_2, TAU};

use albireo::random::Stream;

/// Three numbers of the normal distribution by their index (Box & Muller 1958, DOI 10.1214/aoms/1177706645).
pub(super) fn normal(stream: Stream, index: u64) -> [f64; 3] {
    let pair = |k: u64| {
        // In (0, 1], so that the logarithm is finite.
        let radius = (-2.0 * logarithm(1.0 - stream.uniform(4 * index + k))).sqrt();
        circle(stream.uniform(4 * index + k + 1)).map(|along| radius * along)
    };
    let [[x, y], [z, _]] = [pair(0), pair(2)];
    [x, y, z]
}

/// The natural logarithm of a normal number: with `z = (m - 1) / (m + 1)`, that of its mantissa m is `2 (z + z^3/3 + z^5/5 ..)`, here up to
/// z^21, for m within the root of 2 of 1. Relative error a few 2^-53.
fn logarithm(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut power = ((bits >> 52) as i64 - 1023) as f64;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > SQRT_2 {
        m *= 0.5;
        power += 1.0;
    }
    let z = (m - 1.0) / (m + 1.0);
    let z2 = z * z;
    let mut sum = 1.0 / 21.0;
    let mut odd = 19.0;
    while odd > 0.0 {
        sum = sum * z2 + 1.0 / odd;
        odd -= 2.0;
    }
    power * LN_2 + (2.0 * z) * sum
}

/// 1 / (2 k)! and 1 / (2 k + 1)! for k = 1 .. 8, with the signs of Taylor's series.
const COSINE: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];

/// Cosine and sine of a part of a turn in [0, 1): Taylor's series from the nearest quarter. Absolute error a few 2^-53.
fn circle(turn: f64) -> [f64; 2] {
    let quarter = (4.0 * turn + 0.5) as i64;
    let a = (turn - quarter as f64 * 0.25) * TAU;
    let a2 = a * a;
    let series = |terms: [f64; 8]| {
        let sum = terms.into_iter().rev();
        1.0 + a2 * sum.fold(0.0, |sum, term| sum * a2 + term)
    };
    let (cos, sin) = (series(COSINE), a * series(SINE));
    match quarter & 3 {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_circles_are_those_of_the_library() {
        let stream = Stream::new(4);
        let small = [
            1.0,
            0.5,
            0.25,
            f64::EPSILON,
            1.0 - f64::EPSILON / 2.0,
            0.707,
            0.708,
        ];
        let drawn = (0..5000).map(|k| 1.0 - stream.uniform(k));
        for x in drawn.chain(small) {
            let exact = libm::log(x);
            assert!((logarithm(x) - exact).abs() <= 1e-15 * exact.abs(), "{x}");
        }
        let eighths = (0..16).map(|k| f64::from(k) / 16.0);
        let below = (1..17).map(|k| (f64::from(k) / 16.0).next_down());
        for turn in (0..5000)
            .map(|k| stream.uniform(k))
            .chain(eighths)
            .chain(below)
        {
            let [cos, sin] = circle(turn);
            assert!((cos - libm::cos(TAU * turn)).abs() < 2e-15, "{turn}");
            assert!((sin - libm::sin(TAU * turn)).abs() < 2e-15, "{turn}");
        }
    }

    #[test]
    fn numbers_are_normal() {
        let stream = Stream::new(5);
        let n = 50_000;
        let numbers: Vec<f64> = (0..n).flat_map(|k| normal(stream, k)).collect();
        let count = numbers.len() as f64;
        let moment = |p: i32| numbers.iter().map(|x| x.powi(p)).sum::<f64>() / count;
        // Five deviations of each.
        for (p, expected, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let off = (moment(p) - expected).abs();
            assert!(off < 5.0 * f64::sqrt(variance / count), "{p}: {off}");
        }
    }
}
