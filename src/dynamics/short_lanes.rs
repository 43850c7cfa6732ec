//! Particles against all their neighbours in float32 lanes: what `single.rs` computes, operation by operation.
//!
//! Entry: [`ShortMeeting`]. A pair is met from both of its sides, so that nothing is written but the sums of the particles themselves.

use super::lanes::Lists;
use super::single::{Single, SinglePair};
use crate::simd::{Kernel, MOST_LANES, Record, ShortRecord, Simd};

/// Particles of a stretch against their lists, which hold all neighbours.
pub(super) struct ShortMeeting<'a, L> {
    pub(super) single: &'a Single,
    pub(super) species: usize,
    pub(super) particles: std::ops::Range<usize>,
    /// Positions and species; one more than there are particles.
    pub(super) records: &'a [ShortRecord],
    pub(super) lists: &'a L,
    /// Where the impulses of these particles are added.
    pub(super) impulses: &'a mut [Record],
}

/// Coefficients of a register of pairs.
#[derive(Clone, Copy)]
struct Coefficients<S: Simd> {
    reach2: S::F,
    sigma2: S::F,
    repulsion: S::F,
    attraction: S::F,
    force_off: S::F,
}

impl<S: Simd> Coefficients<S> {
    #[inline(always)]
    fn of_one(simd: S, pair: &SinglePair) -> Self {
        Self {
            reach2: simd.splat(pair.reach2),
            sigma2: simd.splat(pair.sigma2),
            repulsion: simd.splat(pair.repulsion),
            attraction: simd.splat(pair.attraction),
            force_off: simd.splat(pair.force_off),
        }
    }

    /// Those of the pairs of one particle with these.
    #[inline(always)]
    fn of_each(simd: S, row: &[SinglePair], species: S::U) -> Self {
        let mut others = [0; MOST_LANES];
        simd.store_u(species, &mut others);
        let mut each = [[0.0; MOST_LANES]; 5];
        for lane in 0..S::LANES {
            let pair = &row[others[lane] as usize];
            each[0][lane] = pair.reach2;
            each[1][lane] = pair.sigma2;
            each[2][lane] = pair.repulsion;
            each[3][lane] = pair.attraction;
            each[4][lane] = pair.force_off;
        }
        Self {
            reach2: simd.load(&each[0]),
            sigma2: simd.load(&each[1]),
            repulsion: simd.load(&each[2]),
            attraction: simd.load(&each[3]),
            force_off: simd.load(&each[4]),
        }
    }
}

/// All ones, then nothing: loads from `MOST_LANES - n` on have the first n lanes set.
const FILLED: [u32; 2 * MOST_LANES] = {
    let mut filled = [0; 2 * MOST_LANES];
    let mut k = 0;
    while k < MOST_LANES {
        filled[k] = u32::MAX;
        k += 1;
    }
    filled
};

/// What makes any integer of 32 bits positive.
const SIGN: u32 = 1 << 31;
/// Values that are summed at most before lanes are.
const SUMMED: usize = 1 << 15;

/// A sum of 32-bit integers a lane: its lower half wraps, and the upper halves, made positive, are summed beside it.
#[derive(Clone, Copy)]
struct LaneSum<S: Simd> {
    low: S::U,
    high: S::U,
}

impl<S: Simd> LaneSum<S> {
    #[inline(always)]
    fn add(self, simd: S, sign: S::U, values: S::U) -> Self {
        let high = simd.shift_right(simd.xor(values, sign), 16);
        Self {
            low: simd.add_u(self.low, values),
            high: simd.add_u(self.high, high),
        }
    }

    /// The sum of all lanes, of so many values in all, at most [`SUMMED`].
    #[inline(always)]
    fn total(self, simd: S, values: usize) -> i64 {
        let [mut low, mut high] = [[0; MOST_LANES]; 2];
        simd.store_u(self.low, &mut low);
        simd.store_u(self.high, &mut high);
        let low = low.into_iter().fold(0, u32::wrapping_add);
        let high: u32 = high.into_iter().sum();
        // Whole multiples of 2^16: less than the sum by below 2^16 for each value, which the lower half tells.
        let floor = (i64::from(high) << 16) - ((values as i64) << 31);
        floor + i64::from(low.wrapping_sub(floor as u32))
    }
}

impl<L: Lists> Kernel for ShortMeeting<'_, L> {
    /// The largest (sigma/r)^2.
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f32 {
        let forces_off = self.single.pairs.iter().any(|pair| pair.force_off != 0.0);
        match (self.species == 1, forces_off) {
            (true, false) => self.meet::<S, true, false>(simd),
            (true, true) => self.meet::<S, true, true>(simd),
            (false, _) => self.meet::<S, false, true>(simd),
        }
    }
}

impl<L: Lists> ShortMeeting<'_, L> {
    #[inline(always)]
    fn meet<S: Simd, const ALIKE: bool, const FORCES_OFF: bool>(self, simd: S) -> f32 {
        let [x, y, z] = self.single.units;
        let units = [simd.splat(x), simd.splat(y), simd.splat(z)];
        let alike = Coefficients::of_one(simd, &self.single.pairs[0]);
        let (none, sign) = (simd.splat_u(0), simd.splat_u(SIGN));
        let mut nearest = simd.splat(0.0);
        for (particle, to) in self.particles.zip(self.impulses) {
            let own = self.records[particle];
            let at = [
                simd.splat_u(own[0]),
                simd.splat_u(own[1]),
                simd.splat_u(own[2]),
            ];
            let row = &self.single.pairs[own[3] as usize * self.species..][..self.species];
            let (index, count) = self.lists.of(particle);
            let zero = LaneSum::<S> {
                low: none,
                high: none,
            };
            let mut sums = [zero; 3];
            let (mut left, mut values) = (count, 0);
            for index in index.chunks_exact(S::LANES) {
                if left == 0 {
                    break;
                }
                let [from_x, from_y, from_z, species] =
                    simd.load_short_records(self.records, index);
                let mut of = alike;
                if !ALIKE {
                    of = Coefficients::of_each(simd, row, species);
                }
                if left < S::LANES {
                    let filled = simd.load_u(&FILLED[MOST_LANES - left..]);
                    of.reach2 = simd.floats(simd.and(simd.bits(of.reach2), filled));
                }
                let from = [from_x, from_y, from_z];
                let (impulse, s) = impulses::<S, FORCES_OFF>(simd, &units, &of, at, from);
                nearest = simd.max(s, nearest);
                for k in 0..3 {
                    sums[k] = sums[k].add(simd, sign, impulse[k]);
                }
                left = left.saturating_sub(S::LANES);
                values += S::LANES;
                if values == SUMMED {
                    for k in 0..3 {
                        to[k] += sums[k].total(simd, values);
                    }
                    (sums, values) = ([zero; 3], 0);
                }
            }
            for k in 0..3 {
                to[k] += sums[k].total(simd, values);
            }
        }
        let mut each = [0.0; MOST_LANES];
        simd.store(nearest, &mut each);
        each.into_iter().fold(0.0, f32::max)
    }
}

/// What the particles `from` do to the one `at`, and `(sigma/r)^2`.
#[inline(always)]
fn impulses<S: Simd, const FORCES_OFF: bool>(
    simd: S,
    units: &[S::F; 3],
    of: &Coefficients<S>,
    at: [S::U; 3],
    from: [S::U; 3],
) -> ([S::U; 3], S::F) {
    // No closures among the lanes: one that is not inlined lacks the instructions.
    let mut d = *units;
    for k in 0..3 {
        d[k] = simd.mul(simd.signed_to_float(simd.sub_u(at[k], from[k])), d[k]);
    }
    let r2 = simd.add(simd.mul(d[0], d[0]), simd.mul(d[1], d[1]));
    let r2 = simd.add(r2, simd.mul(d[2], d[2]));
    let within = simd.less(r2, of.reach2);
    let s = simd.bits(simd.div(of.sigma2, r2));
    let s = simd.floats(simd.and(s, within));
    let s3 = simd.mul(simd.mul(s, s), s);
    let slope = simd.sub(simd.mul(of.repulsion, s3), of.attraction);
    let mut force = simd.mul(simd.mul(s, s3), slope);
    if FORCES_OFF {
        force = simd.sub(force, simd.mul(of.force_off, simd.sqrt(s)));
    }
    let mut impulse = [within; 3];
    for k in 0..3 {
        impulse[k] = simd.round(simd.mul(force, d[k]));
    }
    (impulse, s)
}
