//! A run on a device, as the host sees it.
//!
//! Entry: [`StepDevice`], [`DeviceRun`].

use std::fmt;
use std::sync::Arc;

use albireo::error::EngineError;
use albireo_gpu::Devices;

use super::lanes::PairSums;
use super::on_device::{Begins, OnFirst, Stepping};
use super::rule::Rule;
use super::thermostat::Noise;

/// A device that makes steps.
#[derive(Clone)]
pub struct StepDevice(Arc<dyn Begins>);

impl fmt::Debug for StepDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepDevice").finish_non_exhaustive()
    }
}

impl StepDevice {
    /// The first of some devices.
    pub(super) fn first_of<N: Devices + Send + Sync + 'static>(devices: Arc<N>) -> Self {
        Self(Arc::new(OnFirst(devices)))
    }
}

/// A run and what the host knows of it.
#[derive(Debug)]
pub(super) struct DeviceRun {
    pub(super) stepping: Box<dyn Stepping>,
    /// Whether the host's words are not yet the device's.
    pub(super) ahead: bool,
    pub(super) sums: PairSums,
}

impl DeviceRun {
    /// A run that a device is to make.
    pub(super) fn begin(
        device: &StepDevice,
        rule: &Rule,
        particles: usize,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            stepping: device.0.begin(rule, particles)?,
            ahead: true,
            sums: PairSums::default(),
        })
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
