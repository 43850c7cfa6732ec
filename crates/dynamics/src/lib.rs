//! Molecular dynamics of Lennard-Jones fluids: velocity Verlet on integer positions and momenta.
//!
//! Entry: [`LennardJones`] (which potential), [`Start`] (which particles), [`Simulation`] (their steps, by a [`ForceEngine`]). Every pair's impulse is
//! made of IEEE operations, rounded once to an integer and added with both signs: momentum never changes, a run with negated momenta comes back to every
//! word of its start, and threads, instructions and the way pairs are found change no bit. Nothing here reads or writes files.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "particles are at most 2^26, species 64, momenta below 2^50 and terms of pairs rounded to 2^50 at most; differences of fractions wrap"
)]
#![allow(
    clippy::inline_always,
    reason = "pair rules become part of vector kernels"
)]

mod acting;
#[cfg(feature = "cuda")]
mod advance_on_device;
mod cells;
mod clusters;
#[cfg(feature = "cuda")]
mod device_run;
mod error;
mod forces;
mod lanes;
mod normal;
#[cfg(feature = "cuda")]
mod on_device;
mod pair_rule;
mod potential;
mod refused;
mod rule;
mod short_lanes;
mod simulation;
mod single;
mod start;
mod sweep;
mod thermostat;
mod words;

pub use albireo_simd::Precision;
#[cfg(feature = "cuda")]
pub use device_run::StepDevice;
pub use error::{DynamicsError, Result};
pub use forces::ForceEngine;
pub use potential::{LennardJones, PairParameters, Truncation};
pub use simulation::{Observables, Simulation, State};
pub use start::Start;
pub use thermostat::Thermostat;
