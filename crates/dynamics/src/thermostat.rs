//! What keeps a temperature: random numbers by (seed, step, particle), or velocities rescaled.
//!
//! Entry: [`Thermostat`].

use std::fmt;

use albireo::random::Stream;

use super::error::{DynamicsError, Result};
use super::normal::normal;
use super::rule::Rule;

/// What holds the temperature (in epsilon over Boltzmann's constant).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Thermostat {
    /// Nothing: energy is constant, but for the error of the step.
    None,
    /// Langevin dynamics, split as BAOAB (Leimkuhler & Matthews 2013, DOI 10.1093/amrx/abs010): half a kick, half a move, friction and noise,
    /// half a move, half a kick.
    Langevin {
        /// The temperature.
        temperature: f64,
        /// The friction, an inverse time.
        friction: f64,
        /// The seed of the noise.
        seed: u64,
    },
    /// Momenta multiplied to the temperature after every so many steps.
    Rescale {
        /// The temperature.
        temperature: f64,
        /// Steps from one time to the next.
        every: u64,
    },
}

/// Labels the stream of the noise.
const NOISE: u64 = 3;

impl fmt::Display for Thermostat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Langevin {
                temperature,
                friction,
                seed,
            } => write!(
                f,
                "langevin, temperature {temperature}, friction {friction}, seed {seed}"
            ),
            Self::Rescale { temperature, every } => {
                write!(f, "rescale, temperature {temperature}, every {every} steps")
            }
        }
    }
}

impl Thermostat {
    pub(super) fn check(&self) -> Result<()> {
        let range = |what, found: f64| {
            let fits = (0.0..=1e9).contains(&found);
            fits.then_some(()).ok_or(DynamicsError::Quantity {
                what,
                expected: "from 0 to 1e9",
                found,
            })
        };
        match *self {
            Self::None => Ok(()),
            Self::Langevin {
                temperature,
                friction,
                ..
            } => {
                range("the temperature", temperature)?;
                range("the friction", friction)
            }
            Self::Rescale { temperature, every } => {
                range("the temperature", temperature)?;
                (every > 0).then_some(()).ok_or(DynamicsError::Quantity {
                    what: "the number of steps between rescalings",
                    expected: "at least 1",
                    found: 0.0,
                })
            }
        }
    }

    /// Steps up to the next rescaling.
    #[cfg(feature = "cuda")]
    pub(super) fn steps_left(&self, step: u64) -> u64 {
        match *self {
            Self::Rescale { every, .. } => every - step % every,
            _ => u64::MAX,
        }
    }

    /// Degrees of freedom of so many particles: all three of each where noise changes the momentum in all.
    pub(super) fn freedom(&self, particles: usize) -> f64 {
        match self {
            Self::Langevin { .. } => (3 * particles) as f64,
            _ => (3 * particles).saturating_sub(3) as f64,
        }
    }
}

/// Friction and noise of one step.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    stream: Stream,
    /// What is left of a momentum.
    kept: f64,
    /// The width of the noise by species, in momenta.
    widths: Vec<f64>,
}

impl Noise {
    pub(super) fn of(thermostat: &Thermostat, rule: &Rule, step: u64) -> Option<Self> {
        let Thermostat::Langevin {
            temperature,
            friction,
            seed,
        } = *thermostat
        else {
            return None;
        };
        let kept = libm::exp(-friction * rule.dt);
        let width = |mass: &f64| {
            let width = (mass * temperature * (1.0 - kept * kept)).sqrt();
            libm::scalbn(width, rule.momentum_exponent)
        };
        Some(Self {
            stream: Stream::new(seed).child(NOISE).child(step),
            kept,
            widths: rule.masses.iter().map(width).collect(),
        })
    }

    /// Where the sequence of the random numbers begins.
    #[cfg(feature = "cuda")]
    pub(super) fn start(&self) -> u64 {
        self.stream.start()
    }

    /// What is left of a momentum, and the width of the noise by species.
    #[cfg(feature = "cuda")]
    pub(super) fn widths(&self) -> (f64, &[f64]) {
        (self.kept, &self.widths)
    }

    /// The momentum of a particle after friction and noise.
    pub(super) fn applied(&self, id: u32, species: i64, momentum: [i64; 3]) -> [i64; 3] {
        let random = normal(self.stream, u64::from(id));
        let width = self.widths[species as usize];
        std::array::from_fn(|k| {
            let new = momentum[k] as f64 * self.kept + random[k] * width;
            new.round_ties_even() as i64
        })
    }
}
