//! Sums per target: the potential or the density that sources make at the points of a grid or anywhere else.
//!
//! Entry: [`FieldJob`] (which sources, which [`Term`], which [`Targets`]); an engine ([`FieldEngine`]) makes
//! [`FieldSums`] of it. A term is made of additions, subtractions, multiplications, both fused, comparisons and integer operations alone, in float64 or float32, on separations of 64-bit fractions of a frame; it is
//! rounded once, to a multiple of 2^e that is fixed for the whole job, and added as an integer, so that every engine, order and number of
//! threads gives the same bits. Nothing here knows of units.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "fractions of a frame are 64-bit words, sums of terms are bounded by their job"
)]
#![allow(clippy::inline_always, reason = "terms become part of vector kernels")]

mod aligned;
mod arithmetic;
mod cells;
mod engine;
mod error;
mod frame;
mod job;
mod lanes;
mod mixing;
mod number;
mod profile;
mod scale;
mod sums;
mod tabulated;
mod targets;
mod term;
mod variant;
#[cfg(feature = "cuda")]
mod written;

pub(crate) use aligned::AlignedGrid;
pub(crate) use arithmetic::{Arithmetic, Element};
#[cfg(feature = "cuda")]
pub(crate) use cells::candidate2;
pub(crate) use cells::{Cells, Sources};
#[cfg(feature = "cuda")]
pub use engine::devices;
pub use engine::{
    FieldEngine, Float32Sum, IonDistances, PlacedIon, choose_engine, field_by_variant,
    field_in_float32, place_ions,
};
pub use error::{FieldError, Result};
pub(crate) use frame::{
    Fractions, SkewedImages, component, each_axis, each_parameter, square_along,
};
pub use job::FieldJob;
pub(crate) use lanes::Summing;
pub use mixing::Mixing;
pub(crate) use number::Number;
pub(crate) use profile::{ForProfile, Profile};
pub use scale::{FixedScale, Precision};
pub use sums::FieldSums;
pub use tabulated::Table;
pub use targets::{Grid, Targets};
pub use term::{Cutoff, Term};
pub(crate) use variant::VariantPlan;
pub use variant::{DistanceTests, FieldVariant};
#[cfg(feature = "cuda")]
pub(crate) use written::WrittenTerm;
