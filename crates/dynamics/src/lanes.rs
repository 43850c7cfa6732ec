//! Particles against their neighbours in lanes: what `rule.rs` computes, operation by operation, for a register of pairs at a time.
//!
//! Entry: [`Meeting`]. Each pair is met once; what it gives goes to its first particle with one sign and to its second with the other.

use albireo_simd::{Kernel, RECORDS, Record, Simd};

use super::pair_rule::PairRule;
use super::rule::Rule;

/// Energies and virials of pairs, in the rule's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PairSums {
    pub(super) energy: i128,
    pub(super) virial: i128,
}

/// The neighbours of some particles in a row, filled up to whole registers with the number of an empty record.
pub(super) trait Lists {
    /// The neighbours of the particle of this number: registers of indices, and how many of them are particles.
    fn of(&self, particle: usize) -> (&[u32], usize);
}

/// Particles of a stretch against their lists, which hold each pair once.
pub(super) struct Meeting<'a, L> {
    pub(super) rule: &'a Rule,
    pub(super) particles: std::ops::Range<usize>,
    /// Positions and species; one more than there are particles.
    pub(super) records: &'a [Record],
    pub(super) lists: &'a L,
    /// Where impulses are added; as many as records.
    pub(super) impulses: &'a mut [Record],
    /// Whether energies and virials are asked for.
    pub(super) sums: Option<&'a mut PairSums>,
}

/// Coefficients of a register of pairs.
#[derive(Clone, Copy)]
struct Coefficients<S: Simd> {
    reach2: S::D,
    sigma2: S::D,
    repulsion: S::D,
    attraction: S::D,
    force_off: S::D,
    well: S::D,
    slope: S::D,
    energy_off: S::D,
}

impl<S: Simd> Coefficients<S> {
    #[inline(always)]
    fn of_one(simd: S, pair: &PairRule) -> Self {
        Self {
            reach2: simd.splat_d(pair.reach2),
            sigma2: simd.splat_d(pair.sigma2),
            repulsion: simd.splat_d(pair.repulsion),
            attraction: simd.splat_d(pair.attraction),
            force_off: simd.splat_d(pair.force_off),
            well: simd.splat_d(pair.well),
            slope: simd.splat_d(pair.slope),
            energy_off: simd.splat_d(pair.energy_off),
        }
    }

    /// Those of the pairs of one particle with these.
    #[inline(always)]
    fn of_each(simd: S, row: &[PairRule], records: &[Record], index: &[u32]) -> Self {
        let mut each = [[0.0; RECORDS]; 8];
        for lane in 0..S::DOUBLES {
            let pair = &row[records[index[lane] as usize][3] as usize];
            each[0][lane] = pair.reach2;
            each[1][lane] = pair.sigma2;
            each[2][lane] = pair.repulsion;
            each[3][lane] = pair.attraction;
            each[4][lane] = pair.force_off;
            each[5][lane] = pair.well;
            each[6][lane] = pair.slope;
            each[7][lane] = pair.energy_off;
        }
        Self {
            reach2: simd.load_d(&each[0]),
            sigma2: simd.load_d(&each[1]),
            repulsion: simd.load_d(&each[2]),
            attraction: simd.load_d(&each[3]),
            force_off: simd.load_d(&each[4]),
            well: simd.load_d(&each[5]),
            slope: simd.load_d(&each[6]),
            energy_off: simd.load_d(&each[7]),
        }
    }
}

/// What stays the same for all pairs of a run.
#[derive(Clone, Copy)]
struct Constants<S: Simd> {
    units: [S::D; 3],
    zero: S::D,
    none: S::I,
    virial_factor: S::D,
}

/// The sums of one particle.
#[derive(Clone, Copy)]
struct OfOne<S: Simd> {
    impulse: [S::I; 3],
    nearest: S::D,
    energy: S::I,
    virial: S::I,
}

/// Below 0 in lanes that hold no particle: loads from `RECORDS - n` on say which of the first n do.
const FILLED: [f64; 2 * RECORDS] = {
    let mut filled = [-1.0; 2 * RECORDS];
    let mut k = 0;
    while k < RECORDS {
        filled[k] = 1.0;
        k += 1;
    }
    filled
};

impl<L: Lists> Kernel for Meeting<'_, L> {
    /// The largest (sigma/r)^2.
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        let forces_off = self.rule.pairs.iter().any(|pair| pair.force_off != 0.0);
        match (self.rule.species == 1, forces_off, self.sums.is_some()) {
            (true, false, false) => self.meet::<S, true, false, false>(simd),
            (true, true, false) => self.meet::<S, true, true, false>(simd),
            (true, _, true) => self.meet::<S, true, true, true>(simd),
            (false, _, false) => self.meet::<S, false, true, false>(simd),
            (false, _, true) => self.meet::<S, false, true, true>(simd),
        }
    }
}

impl<L: Lists> Meeting<'_, L> {
    #[inline(always)]
    fn meet<S: Simd, const ALIKE: bool, const FORCES_OFF: bool, const SUMS: bool>(
        self,
        simd: S,
    ) -> f64 {
        let constants = Constants::<S> {
            units: [
                simd.splat_d(self.rule.units[0]),
                simd.splat_d(self.rule.units[1]),
                simd.splat_d(self.rule.units[2]),
            ],
            zero: simd.splat_d(0.0),
            none: simd.splat_i(0),
            virial_factor: simd.splat_d(self.rule.virial_factor),
        };
        let alike = Coefficients::of_one(simd, &self.rule.pairs[0]);
        let mut nearest = constants.zero;
        let mut sums = PairSums::default();
        for particle in self.particles {
            let own = self.records[particle];
            let at = [
                simd.splat_i(own[0]),
                simd.splat_i(own[1]),
                simd.splat_i(own[2]),
            ];
            let n = self.rule.species;
            let row = &self.rule.pairs[own[3] as usize * n..][..n];
            let (index, count) = self.lists.of(particle);
            let mut one = OfOne::<S> {
                impulse: [constants.none; 3],
                nearest,
                energy: constants.none,
                virial: constants.none,
            };
            let mut left = count;
            for index in index.chunks_exact(S::DOUBLES) {
                let mut of = alike;
                if !ALIKE {
                    of = Coefficients::of_each(simd, row, self.records, index);
                }
                if left < S::DOUBLES {
                    let filled = simd.load_d(&FILLED[RECORDS - left..]);
                    let filled = simd.less_d(constants.zero, filled);
                    of.reach2 = simd.select_d(filled, of.reach2, constants.zero);
                }
                let from = simd.load_records(self.records, index);
                let impulse = one.add::<FORCES_OFF, SUMS>(simd, &constants, &of, at, from);
                simd.take_off_records(impulse, self.impulses, index);
                left = left.saturating_sub(S::DOUBLES);
            }
            let to = &mut self.impulses[particle];
            for (to, lanes) in to.iter_mut().zip(one.impulse) {
                *to = to.wrapping_add(total(simd, lanes));
            }
            nearest = one.nearest;
            if SUMS {
                sums.energy += i128::from(total(simd, one.energy));
                sums.virial += i128::from(total(simd, one.virial));
            }
        }
        if let Some(to) = self.sums {
            to.energy += sums.energy;
            to.virial += sums.virial;
        }
        let mut each = [0.0; RECORDS];
        simd.store_d(nearest, &mut each);
        each.into_iter().fold(0.0, f64::max)
    }
}

/// The sum of all lanes.
#[inline(always)]
fn total<S: Simd>(simd: S, lanes: S::I) -> i64 {
    let mut each = [0; RECORDS];
    simd.store_i(lanes, &mut each);
    each.into_iter().fold(0, i64::wrapping_add)
}

impl<S: Simd> OfOne<S> {
    /// Adds what the particles `from` do to the one `at`; their impulses on it.
    #[inline(always)]
    fn add<const FORCES_OFF: bool, const SUMS: bool>(
        &mut self,
        simd: S,
        constants: &Constants<S>,
        of: &Coefficients<S>,
        at: [S::I; 3],
        from: [S::I; 3],
    ) -> [S::I; 3] {
        // No closures among the lanes: one that is not inlined lacks the instructions.
        let mut d = constants.units;
        for k in 0..3 {
            d[k] = simd.mul_d(simd.to_double(simd.sub_i(at[k], from[k])), d[k]);
        }
        let r2 = simd.add_d(simd.mul_d(d[0], d[0]), simd.mul_d(d[1], d[1]));
        let r2 = simd.add_d(r2, simd.mul_d(d[2], d[2]));
        let within = simd.less_d(r2, of.reach2);
        let s = simd.select_d(within, simd.div_d(of.sigma2, r2), constants.zero);
        self.nearest = simd.max_d(s, self.nearest);
        let s3 = simd.mul_d(simd.mul_d(s, s), s);
        let slope = simd.sub_d(simd.mul_d(of.repulsion, s3), of.attraction);
        let mut force = simd.mul_d(simd.mul_d(s, s3), slope);
        if FORCES_OFF {
            force = simd.sub_d(force, simd.mul_d(of.force_off, simd.sqrt_d(s)));
        }
        let mut impulse = [constants.none; 3];
        for k in 0..3 {
            impulse[k] = simd.add_rounded(constants.none, simd.mul_d(force, d[k]));
            self.impulse[k] = simd.add_i(self.impulse[k], impulse[k]);
        }
        if SUMS {
            let well = simd.sub_d(simd.mul_d(of.well, s3), of.well);
            let off = simd.sub_d(simd.mul_d(simd.sqrt_d(r2), of.slope), of.energy_off);
            let energy = simd.add_d(simd.mul_d(s3, well), off);
            let energy = simd.select_d(within, energy, constants.zero);
            let virial = simd.mul_d(simd.mul_d(force, r2), constants.virial_factor);
            self.energy = simd.add_rounded(self.energy, energy);
            self.virial = simd.add_rounded(self.virial, virial);
        }
        impulse
    }
}
