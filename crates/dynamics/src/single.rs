//! The impulse of a pair in float32, to the last bit.
//!
//! Entry: [`Single`]. A position is cut to the upper halves of its fractions; what follows are the operations of `pair_rule.rs` in float32, each
//! rounded once and never fused, and one rounding to an integer of at most 31 bits. Energies and virials are float64's, of the whole positions.

use albireo_simd::fixed_point::power_of_two;
use albireo_simd::{Record, Scalar32, ShortRecord};

use super::error::{DynamicsError, Result};
use super::pair_rule::{PairForce, PairRule};
use super::potential::LennardJones;

/// Pairs closer than sigma over the root of 2, where (sigma/r)^2 is more than this, overlap.
pub(super) const CLOSEST: f32 = 2.0;
/// Half a unit in the last place of 1.
const UNIT: f64 = 1.0 / (1u64 << 24) as f64;
/// The longest box, in units of the least sigma.
const LONGEST: f64 = 1024.0;

/// The coefficients of a run in float32.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Single {
    /// The lengths of the box over 2^32.
    pub(super) units: [f32; 3],
    pub(super) pairs: Vec<PairForce<f32>>,
    /// See [`Single::safe`].
    safe: [f32; MOST_SUMMED + 1],
    /// See [`Single::error`].
    error: f64,
}

/// Impulses that are summed in 32 bits at most.
const MOST_SUMMED: usize = 32;

/// More than the force at the closest, in epsilon/sigma: 24 (2 2^6.5 - 2^3.5) = 4073; and the bits of the largest impulse of a pair.
pub(super) const STEEPEST: f64 = 4200.0;
pub(super) const BITS: i32 = 31;

/// The upper halves of a position, and the species.
#[inline(always)]
pub(super) fn short([x, y, z, species]: &Record) -> ShortRecord {
    let upper = |fraction: i64| (fraction.cast_unsigned() >> 32) as u32;
    [upper(*x), upper(*y), upper(*z), *species as u32]
}

impl Single {
    pub(super) fn new(
        potential: &LennardJones,
        lengths: [f64; 3],
        pairs: &[PairRule],
    ) -> Result<Self> {
        let [least, _] = potential.sigmas();
        let longest = lengths.into_iter().fold(0.0, f64::max);
        if longest > LONGEST * least {
            return Err(DynamicsError::Quantity {
                what: "the longest side of the box over the least sigma, in single precision,",
                expected: "at most 1024",
                found: longest / least,
            });
        }
        // Normal numbers: the box bounds sigma and the cutoff, the largest impulse the strongest pair, and no epsilon is 10^18 of another.
        let of_pair = |PairRule { force: pair, .. }: &PairRule| {
            // The square of the rounded cutoff, which is the root of its square: half a box is in reach in none of both precisions.
            let cutoff = pair.reach2.sqrt() as f32;
            PairForce {
                reach2: cutoff * cutoff,
                sigma2: pair.sigma2 as f32,
                repulsion: pair.repulsion as f32,
                attraction: pair.attraction as f32,
                force_off: pair.force_off as f32,
            }
        };
        let scaled = lengths.map(|length| (length * power_of_two(-32)) as f32);
        let pairs: Vec<_> = pairs.iter().map(of_pair).collect();
        let safe = std::array::from_fn(|n| {
            let of_pairs = pairs.iter().map(|pair| safe(pair, n.max(1)));
            of_pairs.fold(CLOSEST, f32::min)
        });
        Ok(Self {
            units: scaled,
            pairs,
            safe,
            error: error(longest / least),
        })
    }

    /// So many impulses of pairs with an (sigma/r)^2 of this or less can be summed in 32 bits.
    #[inline(always)]
    pub(super) fn safe(&self, impulses: usize) -> f32 {
        self.safe.get(impulses).copied().unwrap_or(0.0)
    }

    /// Each component of an impulse is this times r times the sum of the magnitudes of repulsion, attraction and what is taken off, and one
    /// integer, from that of exact arithmetic at most.
    pub(super) fn error(&self) -> f64 {
        self.error
    }

    /// What the second particle does to the first, and `(sigma/r)^2`, which is 0 out of reach.
    pub(super) fn impulse(
        &self,
        species: usize,
        a: &ShortRecord,
        b: &ShortRecord,
    ) -> ([i32; 3], f32) {
        let pair = &self.pairs[a[3] as usize * species + b[3] as usize];
        let apart = [0, 1, 2].map(|k| a[k].wrapping_sub(b[k]).cast_signed() as f32);
        let pushed = pair.push::<_, true>(Scalar32, &self.units, apart);
        if pushed.s > CLOSEST {
            return ([0; 3], pushed.s);
        }
        let rounded = |value: f32| value.round_ties_even() as i32;
        (pushed.impulse.map(rounded), pushed.s)
    }
}

/// The largest (sigma/r)^2 = s, up to [`CLOSEST`], at which so many impulses of a pair have a sum below 2^31.
///
/// A component is at most `(s^4 (repulsion s^3 + attraction) + force_off sqrt(s)) r`, and r is sigma/sqrt(s): this grows with s, a dozen
/// roundings by 2^-24 add less than 10^-5 of it, and that to an integer less than 1.
fn safe(pair: &PairForce<f32>, impulses: usize) -> f32 {
    let [sigma2, repulsion, attraction, force_off] =
        [pair.sigma2, pair.repulsion, pair.attraction, pair.force_off].map(|c| f64::from(c.abs()));
    let largest = |s: f64| {
        let force = s.powi(4) * (repulsion * s.powi(3) + attraction) + force_off * s.sqrt();
        force * (sigma2 / s).sqrt() * (1.0 + 1e-5) + 1.0
    };
    let most = f64::from(i32::MAX) / impulses as f64;
    let [mut least, mut beyond] = [0.0, f64::from(CLOSEST)];
    if largest(beyond) <= most {
        return CLOSEST;
    }
    for _ in 0..30 {
        let middle = 0.5 * (least + beyond);
        if largest(middle) <= most {
            least = middle;
        } else {
            beyond = middle;
        }
    }
    (least as f32).next_down().max(0.0)
}

/// The relative part of [`Single::error`] in a box of this length over the least sigma.
///
/// The difference of two upper halves is off by less than h = 2^-32 of the box. With u = 2^-24, conversion, unit and product add 3 u to a
/// component; squares and sums 3 u more to r^2, which so is off by 2 sqrt(3) h/r + 9 u; the quotient and its rounded sigma^2 make that of s 11 u
/// and 2 sqrt(3) h/r. The seventh power of s, its six roundings, coefficients and differences, 8 more, take in the lower powers too, and the
/// component once more 4 u and h/r. No pair is closer than sigma over the root of 2; a hundredth more stands for all products of errors.
fn error(length: f64) -> f64 {
    let h = length * power_of_two(-32) * std::f64::consts::SQRT_2;
    let s = 2.0 * 3f64.sqrt() * h + 11.0 * UNIT;
    (7.0 * s + 18.0 * UNIT + h) * 1.01
}

#[cfg(test)]
mod tests {
    use super::super::potential::{PairParameters, Truncation};
    use super::super::rule::Rule;
    use super::*;
    use albireo::random::Stream;
    use albireo_simd::Precision;

    /// The bound holds on pairs at all separations of both species, and equals its worst by less than a thousand times.
    #[test]
    fn impulses_are_within_their_bound_of_float64() {
        let pair = |epsilon, sigma| PairParameters { epsilon, sigma };
        let rows = [
            vec![pair(1.0, 1.0), pair(1.5, 0.8)],
            vec![pair(1.5, 0.8), pair(0.5, 0.88)],
        ];
        let ends = Truncation::ForceShifted(2.5);
        let potential =
            LennardJones::mixture(ends, &[1.0, 2.0], &rows).unwrap_or_else(|e| panic!("{e}"));
        let rule = Rule::new(
            &potential,
            [33.6, 20.0, 100.0],
            0.005,
            0.3,
            Precision::Single,
        );
        let rule = rule.unwrap_or_else(|e| panic!("{e}"));
        let Some(single) = &rule.single else {
            panic!("a rule in single precision");
        };
        let stream = Stream::new(3);
        let (mut worst, mut met) = (0f64, 0);
        for k in 0..20_000 {
            let bits = |j: u64| stream.bits(8 * k + j).cast_signed();
            let first = [bits(0), bits(1), bits(2), bits(3) & 1];
            let r = 0.57 + 2.1 * stream.uniform(8 * k + 4);
            let axis = [5, 6, 7].map(|j| stream.uniform(8 * k + j) - 0.5);
            let norm = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
            let away = |j: usize| (axis[j] / norm * r / rule.units[j]) as i64;
            let mut second = first;
            for (j, x) in second[..3].iter_mut().enumerate() {
                *x = x.wrapping_add(away(j));
            }
            second[3] = bits(4) & 1;
            let (short, s) = single.impulse(2, &super::short(&first), &super::short(&second));
            let (whole, _) = rule.term(&first, &second);
            if s == 0.0 || s > CLOSEST || whole.impulse == [0; 3] {
                continue;
            }
            met += 1;
            let pair = rule.pair(first[3], second[3]).force;
            let s = pair.sigma2 / (r * r);
            let sum = pair.repulsion * s.powi(7)
                + pair.attraction * s.powi(4)
                + pair.force_off * s.sqrt();
            for (short, whole) in short.into_iter().zip(whole.impulse) {
                let off = (i64::from(short) - whole).abs() as f64;
                worst = worst.max((off - 1.0) / (r * sum) / single.error());
            }
            // The other way round it is the same with the other sign.
            let (back, _) = single.impulse(2, &super::short(&second), &super::short(&first));
            assert_eq!(back, short.map(|p| -p));
        }
        assert!(met > 10_000, "{met}");
        assert!(worst <= 1.0 && worst > 1e-3, "{worst}");
    }

    /// No sum of as many impulses as are safe leaves 32 bits, and few more would.
    #[test]
    fn sums_that_are_safe_fit() {
        for (epsilon, cutoff) in [(1.0, 2.5), (1e-3, 1.2), (40.0, 4.0)] {
            for truncation in [Truncation::Cut(cutoff), Truncation::ForceShifted(cutoff)] {
                let pair = |sigma| PairParameters { epsilon, sigma };
                let rows = [vec![pair(1.0), pair(1.3)], vec![pair(1.3), pair(2.0)]];
                let potential = LennardJones::mixture(truncation, &[1.0, 1.0], &rows)
                    .unwrap_or_else(|e| panic!("{e}"));
                let rule = Rule::new(&potential, [30.0; 3], 0.005, 0.3, Precision::Single);
                let rule = rule.unwrap_or_else(|e| panic!("{e}"));
                let Some(single) = &rule.single else {
                    panic!("a rule in single precision");
                };
                let mut fullest = [0i64; MOST_SUMMED + 1];
                let origin: ShortRecord = [0; 4];
                for k in 0..200_000u32 {
                    let other = [k * 2000 + 1, k % 7 * 40_000_000, k % 3 * 90_000_000, 0];
                    for species in 0..2 {
                        let other = [other[0], other[1], other[2], species];
                        let (impulse, s) = single.impulse(2, &origin, &other);
                        let largest = impulse.into_iter().map(|p| i64::from(p).abs()).max();
                        for (n, fullest) in fullest.iter_mut().enumerate().skip(1) {
                            if s > 0.0 && s <= single.safe(n) {
                                *fullest = largest.unwrap_or(0).max(*fullest);
                            }
                        }
                    }
                }
                for (n, fullest) in fullest.into_iter().enumerate().skip(1) {
                    let sum = fullest * n as i64;
                    assert!(sum <= i64::from(i32::MAX), "{n}: {sum}");
                    let unsafe_soon = sum > i64::from(i32::MAX) / 4 || single.safe(n) == CLOSEST;
                    assert!(unsafe_soon, "{n}: {sum}");
                }
                assert_eq!(single.safe(MOST_SUMMED + 1), 0.0);
            }
        }
    }
}
