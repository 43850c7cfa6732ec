//! What a pair and a step do to positions and momenta, to the last bit.
//!
//! Entry: [`Rule`]. A position is a fraction of the box in units of 2^-64, a momentum an integer multiple of 2^-exponent; the impulse of a
//! pair over half a step is made of IEEE operations (`pair_rule.rs`), each rounded once, on the difference of two positions, and is rounded once
//! to such an integer. The other particle takes the same integer with the other sign. A step moves a particle by its momentum times a rational
//! number, rounded half away from 0. So the order of pairs changes nothing, and a step with negated momenta undoes the step before.

use albireo_simd::fixed_point::exponent;
use albireo_simd::{Precision, Record, Scalar};

use super::error::{DynamicsError, Result};
use super::pair_rule::{PairEnergy, PairForce, PairRule};
use super::potential::LennardJones;
use super::single::{self, Single};

/// The largest integer of one pair is at most 2^50, what lanes can round.
const MOST_BITS: i32 = 50;
/// Bits of a momentum.
const MOMENTUM_BITS: i32 = 50;
/// Momenta up to this many times `sqrt(m epsilon)` can be held.
const FASTEST: f64 = 512.0;
/// Pairs closer than half of sigma, where (sigma/r)^2 is more than this, overlap.
const CLOSEST: f64 = 4.0;
/// More than the force at half of sigma, in epsilon/sigma: 48 (2 4^6 - 4^3) = 390144.
const STEEPEST: f64 = 400_000.0;

/// Multiplies integers by `factor / 2^shift`, rounding half away from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ratio {
    factor: u64,
    shift: u32,
}

impl Ratio {
    /// A ratio of 53 bits, if integers below 2^[`MOMENTUM_BITS`] can be multiplied by it.
    fn new(value: f64) -> Option<Self> {
        let power = exponent(value);
        let shift = u32::try_from(53 - power).ok()?;
        let factor = libm::scalbn(value, 53 - power) as u64;
        (2..120).contains(&shift).then_some(Self { factor, shift })
    }

    /// The ratio of half.
    fn half(self) -> Self {
        let shift = self.shift + 1;
        Self { shift, ..self }
    }

    #[inline(always)]
    fn of(self, momentum: i64) -> i64 {
        let product = u128::from(momentum.unsigned_abs()) * u128::from(self.factor);
        let rounded = ((product + (1 << (self.shift - 1))) >> self.shift) as i64;
        if momentum < 0 { -rounded } else { rounded }
    }
}

/// What a pair gives to the first particle, in integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PairTerm {
    pub(super) impulse: [i64; 3],
    pub(super) energy: i64,
    pub(super) virial: i64,
}

/// The integers' units and all coefficients of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) lengths: [f64; 3],
    /// The lengths over 2^64.
    pub(super) units: [f64; 3],
    pub(super) dt: f64,
    pub(super) skin: f64,
    pub(super) reach: f64,
    pub(super) species: usize,
    pub(super) pairs: Vec<PairRule>,
    /// What makes impulses in single precision.
    pub(super) single: Option<Single>,
    pub(super) masses: Vec<f64>,
    /// Momenta are multiples of 2^-this, energies and virials of pairs of 2^-these.
    pub(super) momentum_exponent: i32,
    pub(super) energy_exponent: i32,
    pub(super) virial_exponent: i32,
    /// The virial of a pair over its impulse in half a step times its separation.
    pub(super) virial_factor: f64,
    /// By species and axis.
    moves: Vec<[Ratio; 3]>,
    /// The largest momentum by species, and whether it is that of a step as long as the skin.
    most: Vec<(u64, bool)>,
}

/// A length of the difference of two fractions.
#[inline(always)]
fn component(unit: f64, first: i64, second: i64) -> f64 {
    first.wrapping_sub(second) as f64 * unit
}

impl Rule {
    pub(super) fn new(
        potential: &LennardJones,
        lengths: [f64; 3],
        dt: f64,
        skin: f64,
        precision: Precision,
    ) -> Result<Self> {
        let range = |what, found: f64, most: f64, expected| {
            let fits = found >= 1e-9 && found <= most;
            fits.then_some(()).ok_or(DynamicsError::Quantity {
                what,
                expected,
                found,
            })
        };
        for length in lengths {
            range("the box length", length, 1e9, "positive, from 1e-9 to 1e9")?;
        }
        range("the time step", dt, 1e9, "positive, from 1e-9 to 1e9")?;
        let shortest = lengths.into_iter().fold(f64::INFINITY, f64::min);
        let reach = potential.reach();
        let limit = shortest / 2.0;
        if reach > limit {
            return Err(DynamicsError::Reach { reach, limit });
        }
        let quarter = "positive and at most a quarter of the box";
        range("the skin", skin, shortest / 4.0, quarter)?;
        let (at_closest, impulse_bits) = match precision {
            Precision::Double => (STEEPEST, term_bits(potential)),
            Precision::Single => (single::STEEPEST, single::BITS),
        };
        let steepest = |[a, b]: [usize; 2]| {
            let pair = potential.pair(a, b);
            at_closest * pair.epsilon / pair.sigma + potential.taken_off(a, b)[1].abs()
        };
        let n = potential.species();
        let both = || (0..n * n).map(|k| [k / n, k % n]);
        let largest = |of: &dyn Fn([usize; 2]) -> f64| both().map(of).fold(0.0, f64::max);
        let bits = term_bits(potential);
        let deepest = largest(&|[a, b]| potential.pair(a, b).epsilon);
        let heaviest = potential.masses().iter().copied().fold(0.0, f64::max);
        let by_impulse = impulse_bits - exponent(largest(&steepest) * (dt / 2.0));
        let by_momentum = MOMENTUM_BITS - exponent(FASTEST * (heaviest * deepest).sqrt());
        let momentum_exponent = by_impulse.min(by_momentum);
        // At half of sigma a pair has 16128 epsilon, less than 2^15; what is taken off is smaller, and its virial less than 2^18 epsilon.
        let energy_exponent = bits - exponent(deepest * 65_536.0);
        let virial_exponent = bits - exponent(deepest * 524_288.0);
        let mut rule = Self {
            lengths,
            units: lengths.map(|length| libm::scalbn(length, -64)),
            dt,
            skin,
            reach,
            species: n,
            pairs: vec![],
            single: None,
            masses: potential.masses().to_vec(),
            momentum_exponent,
            energy_exponent,
            virial_exponent,
            virial_factor: libm::scalbn(1.0, virial_exponent - momentum_exponent) / (dt / 2.0),
            moves: vec![],
            most: vec![],
        };
        rule.pairs = both().map(|[a, b]| rule.pair_of(potential, a, b)).collect();
        if precision == Precision::Single {
            rule.single = Some(Single::new(potential, lengths, &rule.pairs)?);
        }
        rule.set_moves()?;
        Ok(rule)
    }

    fn pair_of(&self, potential: &LennardJones, a: usize, b: usize) -> PairRule {
        let pair = potential.pair(a, b);
        let cutoff = potential.cutoff() * pair.sigma;
        let sigma2 = pair.sigma * pair.sigma;
        let half = libm::scalbn(self.dt / 2.0, self.momentum_exponent);
        let [potential_off, force_off] = potential.taken_off(a, b);
        let in_energies = |value: f64| libm::scalbn(value, self.energy_exponent);
        let force = PairForce {
            reach2: cutoff * cutoff,
            sigma2,
            repulsion: 48.0 * pair.epsilon / sigma2 * half,
            attraction: 24.0 * pair.epsilon / sigma2 * half,
            force_off: force_off / pair.sigma * half,
        };
        let energy = PairEnergy {
            well: in_energies(4.0 * pair.epsilon),
            slope: in_energies(force_off),
            energy_off: in_energies(potential_off + cutoff * force_off),
        };
        PairRule { force, energy }
    }

    fn set_moves(&mut self) -> Result<()> {
        let out_of_range = DynamicsError::Scale { dt: self.dt };
        for &mass in &self.masses {
            let per_step = self.dt / mass;
            let ratio = |length: f64| {
                let value = libm::scalbn(per_step / length, 64 - self.momentum_exponent);
                Ratio::new(value).ok_or(out_of_range.clone())
            };
            let [x, y, z] = self.lengths;
            self.moves.push([ratio(x)?, ratio(y)?, ratio(z)?]);
            let skin = libm::scalbn(self.skin / per_step, self.momentum_exponent);
            let most = libm::scalbn(1.0, MOMENTUM_BITS);
            self.most.push((skin.min(most) as u64, skin <= most));
        }
        Ok(())
    }

    /// The factor and the shift that a species moves by along an axis.
    #[cfg(feature = "cuda")]
    pub(super) fn ratio(&self, species: i64, axis: usize) -> (u64, u32) {
        let Ratio { factor, shift } = self.moves[species as usize][axis];
        (factor, shift)
    }

    pub(super) fn pair(&self, a: i64, b: i64) -> &PairRule {
        &self.pairs[a as usize * self.species + b as usize]
    }

    /// Pairs overlap where (sigma/r)^2 is more than this.
    pub(super) fn closest(&self) -> f64 {
        match self.single {
            Some(_) => f64::from(single::CLOSEST),
            None => CLOSEST,
        }
    }

    /// `(sigma/r)^2` of two particles, as the impulse has it; 0 out of reach.
    pub(super) fn nearness(&self, first: &Record, second: &Record) -> f64 {
        match &self.single {
            Some(single) => {
                let (a, b) = (single::short(first), single::short(second));
                f64::from(single.impulse(self.species, &a, &b).1)
            }
            None => self.term(first, second).1,
        }
    }

    /// The squared separation of two particles.
    pub(super) fn r2(&self, first: &Record, second: &Record) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| component(self.units[k], first[k], second[k]));
        (x * x + y * y) + z * z
    }

    /// What the second particle does to the first, and `(sigma/r)^2`, which is 0 out of reach.
    pub(super) fn term(&self, first: &Record, second: &Record) -> (PairTerm, f64) {
        let PairRule { force, energy } = self.pair(first[3], second[3]);
        let apart = [0, 1, 2].map(|k| first[k].wrapping_sub(second[k]) as f64);
        let pushed = force.push::<_, true>(Scalar, &self.units, apart);
        if pushed.s > CLOSEST {
            return (PairTerm::default(), pushed.s);
        }
        let [energy, virial] = energy.of(Scalar, (force, &pushed), self.virial_factor);
        let rounded = |value: f64| value.round_ties_even() as i64;
        let term = PairTerm {
            impulse: pushed.impulse.map(rounded),
            energy: rounded(energy),
            virial: rounded(virial),
        };
        (term, pushed.s)
    }

    /// How far a particle of this momentum moves in a step, or in half of one, in fractions: less than 2^62, as the skin is at most a quarter
    /// of the box and momenta beyond [`Rule::most`] are refused before.
    #[inline(always)]
    pub(super) fn moved(&self, species: i64, axis: usize, momentum: i64, half: bool) -> i64 {
        let ratio = self.moves[species as usize][axis];
        if half { ratio.half() } else { ratio }.of(momentum)
    }

    /// The largest momentum that a step may begin with.
    #[inline(always)]
    pub(super) fn most(&self, species: i64) -> u64 {
        self.most[species as usize].0
    }

    /// Whether that of a step as long as the skin is the largest momentum.
    pub(super) fn is_of_skin(&self, species: i64) -> bool {
        self.most[species as usize].1
    }

    /// A momentum as a real number.
    pub(super) fn real_momentum(&self, momentum: i64) -> f64 {
        libm::scalbn(momentum as f64, -self.momentum_exponent)
    }

    /// The nearest momentum, if it is within range.
    pub(super) fn momentum(&self, real: f64) -> Option<i64> {
        let scaled = libm::scalbn(real, self.momentum_exponent).round_ties_even();
        (scaled.abs() < libm::scalbn(1.0, MOMENTUM_BITS)).then_some(scaled as i64)
    }
}

/// How many bits an integer of one pair may have, so that twice the sum of all pairs of a particle, and its momentum, fit into 64.
///
/// No two particles are closer than half of the least sigma, or the step is refused: spheres of a quarter of it around all within the
/// longest cutoff fit into one that is as much larger.
fn term_bits(potential: &LennardJones) -> i32 {
    let across = 4.0 * potential.reach() / potential.sigmas()[0] + 1.0;
    MOST_BITS.min(61 - exponent(across * across * across))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_odd_and_round_half_away() {
        let ratio = Ratio {
            factor: 3,
            shift: 1,
        };
        assert_eq!(
            [1, -1, 2, -2, 5, 0].map(|p| ratio.of(p)),
            [2, -2, 3, -3, 8, 0]
        );
        for value in [0.1, 1e-9, 4096.789] {
            let ratio = Ratio::new(value).unwrap_or(Ratio {
                factor: 0,
                shift: 2,
            });
            for p in [1i64, 7, 123_456_789_012, (1 << 50) - 1] {
                let exact = value * p as f64;
                assert!((ratio.of(p) as f64 - exact).abs() <= 0.5 + 1e-15 * exact);
                assert_eq!(ratio.of(-p), -ratio.of(p));
            }
        }
        assert_eq!(Ratio::new(1e300), None);
    }
}
