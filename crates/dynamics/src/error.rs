//! What can be wrong with molecular dynamics.

use albireo::error::{EngineError, in_short};
use thiserror::Error as ThisError;

/// What runs hand back.
pub type Result<T, E = DynamicsError> = std::result::Result<T, E>;

/// Potentials, starts and steps that no trajectory can be made of.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum DynamicsError {
    /// A quantity out of range.
    #[error("{what} must be {expected}, found {found}", found = in_short(*found))]
    Quantity {
        /// Which quantity.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What was found.
        found: f64,
    },
    /// Numbers of species, masses, particles and velocities that do not belong together.
    #[error("{what}: expected {expected}, found {found}")]
    Number {
        /// Of what.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A species that the potential does not know.
    #[error(
        "particle {particle} (counting from 0) is of species {found}, but the potential has {species}"
    )]
    Species {
        /// The first such particle, from 0.
        particle: usize,
        /// Its species, from 0.
        found: u32,
        /// Number of species.
        species: usize,
    },
    /// A cutoff that more than one image could be in.
    #[error("the cutoff must be at most half the box, {limit}, found {reach}: take more particles, a lower density or a smaller cutoff", reach = in_short(*reach), limit = in_short(*limit))]
    Reach {
        /// The largest cutoff of a pair of species.
        reach: f64,
        /// Half the shortest period.
        limit: f64,
    },
    /// Steps that integers cannot hold.
    #[error("the time step {dt} is out of range: momenta and impulses do not fit into 64 bits", dt = in_short(*dt))]
    Scale {
        /// The time step.
        dt: f64,
    },
    /// A position or velocity that is not a number, or that is too large.
    #[error(
        "particle {particle} (counting from 0): its {what} must be finite and within range, found {found}", found = in_short(*found)
    )]
    Value {
        /// The first such particle, from 0.
        particle: usize,
        /// `position` or `velocity`.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// Particles so close that their impulse is out of range.
    #[error(
        "step {step}: particles {first} and {second} (counting from 0) overlap: r = {separation}, closer than {closest}, where impulses are too large; the start overlaps or the time step is too large", separation = in_short(*separation), closest = in_short(*closest)
    )]
    Overlap {
        /// The step.
        step: u64,
        /// The first particle, from 0.
        first: u32,
        /// The second one.
        second: u32,
        /// Their separation.
        separation: f64,
        /// How close they may be: half of their sigma, in single precision sigma over the root of 2.
        closest: f64,
    },
    /// A particle that moves farther in a step than the skin.
    #[error(
        "step {step}: particle {particle} (counting from 0) moves by {found} along {axis} in one step, more than the skin {skin}: the time step is too large", found = in_short(*found), skin = in_short(*skin)
    )]
    Fast {
        /// The step.
        step: u64,
        /// The particle, from 0.
        particle: u32,
        /// The axis, `x`, `y` or `z`.
        axis: char,
        /// How far it moves.
        found: f64,
        /// The skin.
        skin: f64,
    },
    /// Integers of another run.
    #[error("the state is none of this run: {0}")]
    State(&'static str),
    /// See [`EngineError`].
    #[error(transparent)]
    Engine(#[from] EngineError),
}
