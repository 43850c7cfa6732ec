//! Sums per target: the potential or the density that sources make at the points of a grid or anywhere else.
//!
//! Entry: [`FieldJob`] (which sources, which [`Term`], which [`Targets`]); an engine ([`FieldEngine`](crate::engine::FieldEngine)) makes
//! [`FieldSums`] of it. A term is made of additions, subtractions, multiplications and integer operations alone, on separations of 64-bit fractions of a frame; it is
//! rounded once, to a multiple of 2^e that is fixed for the whole job, and added as an integer, so that every engine, order and number of
//! threads gives the same bits. Nothing here visits pairs or knows of units.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "fractions of a frame are 64-bit words, sums of terms are bounded by their job"
)]

mod arithmetic;
mod cells;
mod frame;
mod job;
mod sums;
mod targets;
mod term;

pub(crate) use arithmetic::{Lanes, Scalar};
pub(crate) use cells::Cells;
pub(crate) use frame::{Fractions, Frame, SkewedImages, aligned_r2, square_along};
pub use job::{FieldJob, FixedScale};
pub use sums::FieldSums;
pub use targets::{Grid, Targets};
pub use term::{Cutoff, Term};
pub(crate) use term::{ForProfile, Profile};
