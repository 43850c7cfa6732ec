//! Runs whose steps a device makes: the host's words follow after each call.
//!
//! Entry: [`ForceEngine::cuda`]. What a device refuses is done once more by the processor, whose error says what is wrong.

use std::fmt;
use std::sync::Arc;

use super::forces::ForceEngine;
use super::lanes::PairSums;
use super::on_device::{Begins, OnFirst, Stepped, Stepping};
use super::rule::Rule;
use super::simulation::Simulation;
use super::thermostat::Noise;
use crate::Cuda;
use crate::engine::cuda::device::Devices;
use crate::error::{DynamicsError, EngineError};
use crate::progress::Progress;

/// A device that makes steps.
#[derive(Clone)]
pub struct StepDevice(Arc<dyn Begins>);

impl fmt::Debug for StepDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepDevice").finish_non_exhaustive()
    }
}

impl ForceEngine {
    /// Lists, forces and steps on the first device of an engine.
    ///
    /// ```no_run
    /// use albireo::dynamics::{ForceEngine, LennardJones, Simulation, Start, Truncation};
    /// use albireo::{Cuda, CudaOptions, Silent};
    /// let argon = LennardJones::new(Truncation::Cut(2.5))?;
    /// let start = Start::fcc(32_000, 0.8442)?.with_temperature(1.44, 1, &argon)?;
    /// let engine = ForceEngine::cuda(&Cuda::new(CudaOptions::default())?);
    /// let mut fluid = Simulation::new(&argon, &start, 0.005, 0.3, &engine)?;
    /// fluid.advance(1000, &Silent)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cuda(cuda: &Cuda) -> Self {
        Self::on_first(cuda.shared_devices())
    }

    /// On the first of any devices.
    #[doc(hidden)]
    pub fn on_first<N: Devices + Send + Sync + 'static>(devices: Arc<N>) -> Self {
        Self::Device(StepDevice(Arc::new(OnFirst(devices))))
    }
}

/// A run on a device, as the host sees it.
#[derive(Debug)]
pub(super) struct DeviceRun {
    stepping: Box<dyn Stepping>,
    /// Whether the host's words are not yet the device's.
    ahead: bool,
    pub(super) sums: PairSums,
}

impl DeviceRun {
    /// A run that `engine` makes on a device, if it does.
    pub(super) fn of(
        engine: &ForceEngine,
        rule: &Rule,
        particles: usize,
    ) -> Result<Option<Self>, EngineError> {
        let ForceEngine::Device(device) = engine else {
            return Ok(None);
        };
        let stepping = device.0.begin(rule, particles)?;
        Ok(Some(Self {
            stepping,
            ahead: true,
            sums: PairSums::default(),
        }))
    }

    /// Tells that the host has changed words.
    pub(super) fn set_ahead(&mut self) {
        self.ahead = true;
    }

    /// Takes what all steps with noise have in common.
    pub(super) fn take_noise(&mut self, noise: &Noise) -> Result<(), EngineError> {
        Ok(self.stepping.take_noise(noise)?)
    }

    pub(super) fn lists_made(&self) -> u64 {
        self.stepping.lists_made()
    }
}

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
    pub(super) fn advance_on_device(
        &mut self,
        steps: u64,
        progress: &dyn Progress,
    ) -> Result<(), DynamicsError> {
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
    fn batch(&mut self, steps: u64) -> Result<(), DynamicsError> {
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
            return self.advance(1, &crate::progress::Silent);
        }
        self.step += steps;
        if self.thermostat.steps_left(self.step - 1) == 1 {
            self.follow()?;
            self.rescale();
        }
        Ok(())
    }

    /// Brings the words of the device to the host.
    fn follow(&mut self) -> Result<(), DynamicsError> {
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
