//! Steps that a device makes: the host's words follow after each call. What a device refuses is done once more by the processor, whose error
//! says what is wrong.

use albireo::engine::Progress;
use albireo::error::EngineError;

use super::error::{DynamicsError, Result};
use super::on_device::Stepped;
use super::simulation::Simulation;
use super::thermostat::Noise;

/// Steps from one look at `progress` to the next.
const STEPS: u64 = 64;

impl Simulation {
    /// Has the device, if there is one, take the words of the host; whether there is one and none of its particles overlap.
    pub(super) fn begin_on_device(&mut self) -> Result<bool, EngineError> {
        let Some(run) = &mut self.device else {
            return Ok(false);
        };
        let done = run.stepping.take(&self.words)?;
        if done == Stepped::Whole {
            run.ahead = false;
            run.sums = run.stepping.sums()?;
            return Ok(true);
        }
        self.device = None;
        Ok(false)
    }

    /// Makes steps on the device, as [`Simulation::advance`] does on the processor.
    pub(super) fn advance_on_device(&mut self, steps: u64, progress: &dyn Progress) -> Result<()> {
        let mut left = steps;
        let mut stopped = false;
        while left > 0 && !stopped {
            stopped = progress.stop_requested();
            if stopped {
                break;
            }
            let some = left.min(STEPS).min(self.thermostat.steps_left(self.step));
            self.batch(some)?;
            progress.advance(some);
            left -= some;
        }
        self.follow()?;
        if stopped {
            return Err(EngineError::Interrupted.into());
        }
        Ok(())
    }

    /// Makes steps up to a rescaling, and that.
    fn batch(&mut self, steps: u64) -> Result<()> {
        let run = self.device.as_mut().ok_or(GONE)?;
        let cuda = EngineError::from;
        if run.ahead {
            run.stepping.take(&self.words).map_err(cuda)?;
            run.ahead = false;
        }
        let of_step = |step: u64| Noise::of(&self.thermostat, &self.rule, step);
        let noise = (self.step..self.step + steps).filter_map(of_step);
        let noise: Vec<u64> = noise.map(|noise| noise.start()).collect();
        let done = run.stepping.step(steps, &noise).map_err(cuda)?;
        if let Stepped::Refused(whole) = done {
            self.step += whole;
            self.follow()?;
            // The processor makes the step that the device refuses, to say what is wrong with it.
            self.device = None;
            self.begin()?;
            return self.advance(1, &albireo::engine::Silent);
        }
        self.step += steps;
        if self.thermostat.steps_left(self.step - 1) == 1 {
            self.follow()?;
            self.rescale();
        }
        Ok(())
    }

    /// Brings the words of the device to the host.
    fn follow(&mut self) -> Result<()> {
        let Some(run) = &mut self.device else {
            return Ok(());
        };
        if !run.ahead {
            let cuda = EngineError::from;
            run.stepping.give(&mut self.words).map_err(cuda)?;
            run.sums = run.stepping.sums().map_err(cuda)?;
        }
        Ok(())
    }
}

/// A run goes on by the processor once a device has refused a step.
const GONE: DynamicsError = DynamicsError::State("its device has given it back");
