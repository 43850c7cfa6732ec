//! Particles against their neighbours in lanes: what `rule.rs` computes, for a register of pairs at a time.
//!
//! Entry: [`Meeting`]. Each pair is met once; what it gives goes to its first particle with one sign and to its second with the other.

use albireo_simd::{Kernel, Lanes, RECORDS, Record, Simd};

use super::pair_rule::{PairEnergy, PairForce};
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
        let forces_off = self
            .rule
            .pairs
            .iter()
            .any(|pair| pair.force.force_off != 0.0);
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
        let alike = self.rule.pairs[0].force.same(Lanes(simd));
        let energies_alike = self.rule.pairs[0].energy.same(Lanes(simd));
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
                let (mut of, mut energies) = (alike, energies_alike);
                if !ALIKE {
                    let species = |&other: &u32| self.records[other as usize][3] as usize;
                    let pairs = index.iter().map(|other| &row[species(other)]);
                    of = PairForce::each(Lanes(simd), pairs.clone().map(|pair| &pair.force));
                    if SUMS {
                        energies = PairEnergy::each(Lanes(simd), pairs.map(|pair| &pair.energy));
                    }
                }
                if left < S::DOUBLES {
                    let filled = simd.load_d(&FILLED[RECORDS - left..]);
                    let filled = simd.less_d(constants.zero, filled);
                    of.reach2 = simd.select_d(filled, of.reach2, constants.zero);
                }
                let from = simd.load_records(self.records, index);
                let of = (&of, &energies);
                let impulse = one.add::<FORCES_OFF, SUMS>(simd, &constants, of, at, from);
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
        (of, energies): (&PairForce<S::D>, &PairEnergy<S::D>),
        at: [S::I; 3],
        from: [S::I; 3],
    ) -> [S::I; 3] {
        let mut apart = constants.units;
        for k in 0..3 {
            apart[k] = simd.to_double(simd.sub_i(at[k], from[k]));
        }
        let pushed = of.push::<_, FORCES_OFF>(Lanes(simd), &constants.units, apart);
        self.nearest = simd.max_d(pushed.s, self.nearest);
        let (real, mut impulse) = (pushed.impulse, [constants.none; 3]);
        for k in 0..3 {
            impulse[k] = simd.add_rounded(constants.none, real[k]);
            self.impulse[k] = simd.add_i(self.impulse[k], impulse[k]);
        }
        if SUMS {
            let sums = energies.of(Lanes(simd), (of, &pushed), constants.virial_factor);
            self.energy = simd.add_rounded(self.energy, sums[0]);
            self.virial = simd.add_rounded(self.virial, sums[1]);
        }
        impulse
    }
}
