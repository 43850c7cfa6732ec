//! Steps that cannot be made: what is wrong with them.

use albireo_simd::Record;

use super::error::{DynamicsError, Result};
use super::forces::Met;
use super::simulation::Simulation;
use super::sweep::Swept;

impl Simulation {
    /// Refuses a particle that moves too far.
    pub(super) fn check_fast(&self, swept: &Swept) -> Result<()> {
        let Some((particle, axis, momentum)) = swept.fast else {
            return Ok(());
        };
        let place = self.words.ids.iter().position(|&id| id == particle);
        let species = place.map_or(0, |place| self.words.records[place][3]);
        let mass = self.rule.masses[species as usize];
        let velocity = self.rule.real_momentum(momentum) / mass;
        if !self.rule.is_of_skin(species) {
            return Err(DynamicsError::Value {
                particle: particle as usize,
                what: "velocity",
                found: velocity,
            });
        }
        Err(DynamicsError::Fast {
            step: self.step,
            particle,
            axis: ['x', 'y', 'z'][axis],
            found: velocity.abs() * self.rule.dt,
            skin: self.rule.skin,
        })
    }

    /// Refuses particles that are too close; names the first of them.
    pub(super) fn check_overlap(&self, met: Met) -> Result<()> {
        if met.nearest <= self.rule.closest() {
            return Ok(());
        }
        let mut places: Vec<(u32, &Record)> = self
            .words
            .ids
            .iter()
            .copied()
            .zip(&self.words.records)
            .collect();
        places.sort_unstable_by_key(|(id, _)| *id);
        for (k, &(first, a)) in places.iter().enumerate() {
            for &(second, b) in &places[k + 1..] {
                if self.rule.nearness(a, b) > self.rule.closest() {
                    let sigma2 = self.rule.pair(a[3], b[3]).force.sigma2;
                    return Err(DynamicsError::Overlap {
                        step: self.step,
                        first,
                        second,
                        separation: self.rule.r2(a, b).sqrt(),
                        closest: (sigma2 / self.rule.closest()).sqrt(),
                    });
                }
            }
        }
        Ok(())
    }
}
