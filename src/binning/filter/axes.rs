//! One coordinate in float32 -> bin or doubt: what the ways to do so have in common, and bins in one coordinate alone.

use albireo_simd::Simd;

use super::FAR_AWAY;
use super::{Filter, Measured, PairBounds, Placed};

/// The square of a slot that holds no point: beyond any bins.
pub(super) const FAR_SQUARE: f32 = FAR_AWAY * FAR_AWAY;

/// The coordinate across, given squared.
pub(crate) trait AcrossAxis: Copy + Sync {
    /// Whether small squares, those up to [`AcrossAxis::least`], are doubtful at any place.
    const HAS_LEAST: bool;

    /// Whether there may be bins by the thousand, so that some pair of many a quad of rows is doubtful.
    const FINE: bool = false;

    /// First slot of the row that holds `square`, a number from `n_slots` up when none does; doubtful where the second number is
    /// at most [`AcrossAxis::doubtful`]. `row` is the number of the row.
    fn place<S: Simd>(&self, simd: S, square: S::F, row: usize) -> (S::U, S::U);

    /// As [`AcrossAxis::place`], where [`Simd::rsqrt`] of the square is at hand.
    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(&self, simd: S, square: S::F, _: S::F) -> (S::U, S::U) {
        self.place(simd, square, 0)
    }

    /// The limit of doubt.
    fn doubtful(&self) -> u32;

    /// The largest square that is doubtful at any place.
    fn least(&self) -> f32 {
        0.0
    }

    /// The same bins for the pairs of two blocks.
    fn within(self, _: &PairBounds) -> Self {
        self
    }

    /// Whether `stride` times any bin stays below 2^32.
    fn strides(&self, stride: u32) -> bool;

    /// A square beyond the last edge, without doubt.
    fn far(&self) -> f32;
}

/// The coordinate along the line of sight.
pub(crate) trait AlongAxis: Copy + Sync {
    /// The bin that holds the coordinate, the number of bins or more when none does; doubtful where the second number is at most
    /// [`AlongAxis::doubtful`]. `value` is the coordinate times the power of two `factor`.
    fn place<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U);

    /// The limit of doubt.
    fn doubtful(&self) -> u32;

    /// The same bins for the pairs of two blocks.
    fn within(self, _: &PairBounds) -> Self {
        self
    }

    /// A coordinate inside a bin, without doubt.
    fn inside(&self) -> f32;
}

/// Bins of another axis, each a row of slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AsRows<A> {
    pub(super) axis: A,
    pub(super) stride: u32,
}

impl<A> AsRows<A> {
    /// The first slots of rows: no product wraps, by the choice of axes.
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, (bin, certainty): (S::U, S::U)) -> (S::U, S::U) {
        (simd.mul_u(bin, simd.splat_u(self.stride)), certainty)
    }
}

impl<A: AcrossAxis> AcrossAxis for AsRows<A> {
    const HAS_LEAST: bool = A::HAS_LEAST;

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F, row: usize) -> (S::U, S::U) {
        self.row(simd, self.axis.place(simd, square, row))
    }

    fn doubtful(&self) -> u32 {
        self.axis.doubtful()
    }

    fn least(&self) -> f32 {
        self.axis.least()
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self {
            axis: self.axis.within(pairs),
            ..self
        }
    }

    fn strides(&self, stride: u32) -> bool {
        self.axis.strides(stride)
    }

    fn far(&self) -> f32 {
        self.axis.far()
    }

    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(
        &self,
        simd: S,
        square: S::F,
        inverse_root: S::F,
    ) -> (S::U, S::U) {
        let placed = self
            .axis
            .place_with_inverse_root(simd, square, inverse_root);
        self.row(simd, placed)
    }
}

/// Bins in the separation alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Radial<A>(pub(super) A);

impl<A: AcrossAxis> Filter for Radial<A> {
    const LINE: bool = false;
    const MEASURES: usize = 1;
    const DOUBTS: usize = if A::HAS_LEAST { 2 } else { 1 };
    const FINE: bool = A::FINE;

    #[inline(always)]
    fn measure<S: Simd>(&self, simd: S, d: [S::F; 3], _: [S::F; 3]) -> Measured<S> {
        [super::square(simd, d); 3]
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, [square, ..]: Measured<S>, row: usize) -> Placed<S> {
        let (slot, certainty) = self.0.place(simd, square, row);
        let square = simd.bits(square);
        (slot, [certainty, square, square])
    }

    fn doubtful(&self) -> [u32; 3] {
        [self.0.doubtful(), self.0.least().to_bits(), 0]
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self(self.0.within(pairs))
    }

    fn far(&self) -> [f32; 3] {
        [self.0.far(); 3]
    }
}
