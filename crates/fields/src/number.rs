//! Float64 and float32 as what the terms of a job are made of, one at a time and in lanes.
//!
//! Entry: [`Number`].

use albireo_simd::{Lanes, Lanes32, Simd};

use super::arithmetic::Element;
use super::lanes::Summing;

/// An element with its lanes.
pub(crate) trait Number: Element {
    /// Registers of it.
    type Lanes<S: Simd>: Summing<Number = Self>;
    /// Those of an instruction set.
    fn lanes<S: Simd>(simd: S) -> Self::Lanes<S>;
}

impl Number for f64 {
    type Lanes<S: Simd> = Lanes<S>;

    #[inline(always)]
    fn lanes<S: Simd>(simd: S) -> Lanes<S> {
        Lanes(simd)
    }
}

impl Number for f32 {
    type Lanes<S: Simd> = Lanes32<S>;

    #[inline(always)]
    fn lanes<S: Simd>(simd: S) -> Lanes32<S> {
        Lanes32(simd)
    }
}
