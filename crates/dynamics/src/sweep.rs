//! Passes over all particles on threads: kicks, moves, and how far particles have gone.
//!
//! Entry: [`Stretch::on_threads`] with [`kick`] and [`shift`].

use albireo::separation::norm2;
use albireo_simd::Record;
use rayon::prelude::*;

use super::rule::Rule;

/// What a sweep over particles found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    /// The largest squared distance from where lists were made.
    pub(super) moved2: f64,
    /// The first particle that is too fast, and its axis.
    pub(super) fast: Option<(u32, usize, i64)>,
}

impl Swept {
    pub(super) fn and(self, other: Self) -> Self {
        let fast = match (self.fast, other.fast) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            moved2: self.moved2.max(other.moved2),
            fast,
        }
    }
}

/// One particle of a sweep.
pub(super) struct Particle<'a> {
    pub(super) record: &'a mut Record,
    pub(super) momentum: &'a mut [i64; 3],
    pub(super) impulse: &'a Record,
    pub(super) built: &'a Record,
    pub(super) id: u32,
}

/// Particles in a row.
pub(super) struct Stretch<'a> {
    pub(super) records: &'a mut [Record],
    pub(super) momenta: &'a mut [[i64; 3]],
    pub(super) impulses: &'a [Record],
    pub(super) built: &'a [Record],
    pub(super) ids: &'a [u32],
}

impl Stretch<'_> {
    /// Does `work` to every particle, on the threads at hand.
    pub(super) fn on_threads(self, work: impl Fn(&mut Particle<'_>) -> Swept + Sync) -> Swept {
        let moving = self.records.par_chunks_mut(SWEPT);
        let moving = moving.zip(self.momenta.par_chunks_mut(SWEPT));
        let fixed = self.impulses.par_chunks(SWEPT);
        let fixed = fixed.zip(self.built.par_chunks(SWEPT));
        let all = moving.zip(fixed).zip(self.ids.par_chunks(SWEPT));
        let all = all.map(|(((records, momenta), (impulses, built)), ids)| {
            let stretch = Stretch {
                records,
                momenta,
                impulses,
                built,
                ids,
            };
            stretch.sweep(&work)
        });
        all.reduce(Swept::default, Swept::and)
    }

    #[inline(always)]
    fn sweep(self, work: impl Fn(&mut Particle<'_>) -> Swept) -> Swept {
        let moving = self.records.iter_mut().zip(self.momenta);
        let fixed = self.impulses.iter().zip(self.built).zip(self.ids);
        let mut swept = Swept::default();
        for ((record, momentum), ((impulse, built), &id)) in moving.zip(fixed) {
            let mut particle = Particle {
                record,
                momentum,
                impulse,
                built,
                id,
            };
            let found = work(&mut particle);
            swept.moved2 = swept.moved2.max(found.moved2);
            if found.fast.is_some() {
                swept = swept.and(found);
            }
        }
        swept
    }
}

/// Particles that a thread sweeps over at a time.
const SWEPT: usize = 1 << 11;

/// Adds the impulse of half a step.
#[inline(always)]
pub(super) fn kick(particle: &mut Particle<'_>) {
    for (p, impulse) in particle.momentum.iter_mut().zip(particle.impulse) {
        *p = p.wrapping_add(*impulse);
    }
}

/// Moves a particle for a step, or half of one.
#[inline(always)]
pub(super) fn shift(rule: &Rule, particle: &mut Particle<'_>, half: bool) -> Swept {
    let species = particle.record[3];
    let most = rule.most(species);
    let mut d = [0.0; 3];
    for (axis, d) in d.iter_mut().enumerate() {
        let p = particle.momentum[axis];
        if p.unsigned_abs() > most {
            return Swept {
                moved2: 0.0,
                fast: Some((particle.id, axis, p)),
            };
        }
        let x = &mut particle.record[axis];
        *x = x.wrapping_add(rule.moved(species, axis, p, half));
        *d = x.wrapping_sub(particle.built[axis]) as f64 * rule.units[axis];
    }
    Swept {
        moved2: norm2(d),
        fast: None,
    }
}
