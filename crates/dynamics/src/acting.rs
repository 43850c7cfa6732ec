//! The forces that act on particles, as trajectories have them.
//!
//! Entry: [`Simulation::forces`].

#[cfg(feature = "cuda")]
use albireo::engine::Cpu;

use super::error::Result;
#[cfg(feature = "cuda")]
use super::forces::{ForceEngine, Forces};
use super::simulation::Simulation;

impl Simulation {
    /// The forces on the particles at their positions: sums of integers, those of the impulses in half a step.
    ///
    /// # Errors
    /// Threads that cannot be had, where a device makes the steps.
    pub fn forces(&self) -> Result<Vec<[f64; 3]>> {
        #[cfg(feature = "cuda")]
        if self.device.is_some() {
            return self.on_host()?.forces();
        }
        let half = self.rule.dt / 2.0;
        let mut forces = vec![[0.0; 3]; self.len()];
        for (impulse, &id) in self.forces.impulses.iter().zip(&self.words.ids) {
            let [x, y, z, _] = *impulse;
            forces[id as usize] = [x, y, z].map(|p| self.rule.real_momentum(p) / half);
        }
        Ok(forces)
    }

    /// The same moment without the device, whose impulses are the same integers.
    #[cfg(feature = "cuda")]
    fn on_host(&self) -> Result<Self> {
        let engine = ForceEngine::Cells(Cpu::new());
        let mut host = Self {
            rule: self.rule.clone(),
            thermostat: self.thermostat,
            forces: Forces::new(&engine, self.len(), &self.rule)?,
            device: None,
            words: self.words.clone(),
            built: vec![],
            step: self.step,
            lists_made: 0,
        };
        host.begin()?;
        Ok(host)
    }
}
