//! Equal bins of one coordinate, read off a fixed-point number.

use albireo_simd::{HALF_ULP, Simd};

use super::axes::{AcrossAxis, AlongAxis, FAR_SQUARE};
use super::{Edges, PairBounds, Rounding};

/// Bins read off a fixed-point number.
///
/// The position t of a pair, in bins from bin t0, is added to `M + eps` with `M = 2^(23-f)`, so that the low f bits of the float
/// hold the fraction of `t + eps` and the bits above its integer part. With |error of t| <= eps, a value whose fraction is at
/// least 2 eps lies at least `eps - |error|` from every edge, so its bin is the integer part. The fraction is compared as a
/// number of 32 bits.
///
/// Values below t0 wrap to huge bins. From 2 M on the bits above the fraction count in larger and larger steps, and fall behind:
/// values up to the last edge must not lie there, and larger ones stay beyond it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedPoint {
    whole_bits: u32,
    /// Bits of M, less t0 in the unit of a bin.
    base: u32,
    doubtful: u32,
}

/// eps is at most this: beyond it most pairs would be doubtful.
const COARSEST_EPS: f64 = 0.125;

/// Bits that a window may be narrower than all bins: slots without a point, 2^50 away, stay beyond the last bin.
const NARROWER: u32 = 4;

/// Bits that a window may be wider than all bins, for the margins around it.
const WIDER: u32 = 1;

impl FixedPoint {
    /// The finest representation of `n` bins, with eps; `error` bounds the error of t but for the last rounding.
    pub(super) fn new(n: usize, error: f64) -> Option<(Self, f64)> {
        let whole_bits = ((n + 2) as u32).next_power_of_two().ilog2().max(1);
        if whole_bits >= 20 {
            return None;
        }
        let fixed = Self {
            whole_bits,
            base: ((1u32 << whole_bits) as f32).to_bits(),
            doubtful: 0,
        };
        let (fixed, eps) = fixed.within(error);
        (eps <= COARSEST_EPS).then_some((fixed, eps))
    }

    /// The representation of `n` bins from bin `first` on, as fine as may be: `first` from -2 up to the number of all bins, and no more
    /// than two bins below the first or beyond the last among the `n`.
    fn window(self, first: i32, n: u32) -> Self {
        let needed = (n + 2).next_power_of_two().ilog2();
        let least = self.whole_bits.saturating_sub(NARROWER);
        let whole_bits = needed.clamp(least, self.whole_bits + WIDER);
        let whole = ((1u32 << whole_bits) as f32).to_bits();
        let first = first.cast_unsigned() << (23 - whole_bits);
        Self {
            whole_bits,
            base: whole.wrapping_sub(first),
            ..self
        }
    }

    /// M.
    pub(super) fn whole(&self) -> f64 {
        f64::from(1u32 << self.whole_bits)
    }

    /// The same bins where `error` bounds the error of t but for the last rounding, and eps, a multiple of the unit M / 2^23.
    #[inline]
    pub(super) fn within(self, error: f64) -> (Self, f64) {
        let unit = self.whole() * f64::from(f32::EPSILON);
        let eps = ((error + 0.5 * unit) * 1.01 / unit).ceil() * unit;
        let fixed = Self {
            doubtful: (2.0 * eps * 4_294_967_296.0) as u32,
            ..self
        };
        (fixed, eps)
    }

    /// The bin of `t + M + eps`, doubtful where its fraction is at most [`FixedPoint::doubtful`].
    #[inline(always)]
    pub(super) fn bin<S: Simd>(self, simd: S, t: S::F) -> (S::U, S::U) {
        let bits = simd.bits(t);
        let from_base = simd.sub_u(bits, simd.splat_u(self.base));
        let bin = simd.shift_right(from_base, 23 - self.whole_bits);
        (bin, simd.shift_left(bits, 9 + self.whole_bits))
    }

    /// The limit of doubt.
    pub(super) fn doubtful(self) -> u32 {
        self.doubtful
    }

    /// Whether `stride` times any bin, of values below the first edge too, stays below 2^32.
    pub(super) fn strides(self, stride: u32) -> bool {
        u64::from(stride) <= 1 << (23 - WIDER - self.whole_bits)
    }
}

/// Bound on the error of a coordinate for pairs at separation s: `constant + slope s + over / s`, all scaled.
///
/// What a difference of 0 contributes is part of `over` or, where that is 0, of `constant`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CoordinateError {
    pub(super) constant: f64,
    pub(super) slope: f64,
    pub(super) over: f64,
    /// No pair in a bin has a larger separation.
    pub(super) most: f64,
    /// Pairs with a smaller one are doubtful anyway.
    pub(super) least: f64,
}

impl CoordinateError {
    /// The bound for every separation.
    pub(super) fn worst(&self) -> f64 {
        self.within(&PairBounds::ALL)
    }

    /// The bound for the pairs of two blocks.
    #[inline]
    fn within(&self, pairs: &PairBounds) -> f64 {
        let far = self.slope * pairs.most.min(self.most);
        if self.over > 0.0 {
            let nearest = pairs.least.max(self.least * pairs.shrunk);
            return self.constant + far + (self.over - pairs.saved) / nearest;
        }
        self.constant - pairs.saved + far
    }
}

/// Equal bins: `t = value/width - lo/width`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linear {
    scale: f32,
    bias: f32,
    /// Bins from coordinate 0 to the first edge: lo / width.
    first: f64,
    n_bins: f64,
    /// Bins a unit of the coordinate.
    per_unit: f64,
    error: CoordinateError,
    /// How far the edges are from equal bins, in bins.
    uneven: f64,
    /// Errors of t in proportion to the coordinate, in bins a unit.
    relative: f64,
    /// The largest |coordinate| of a pair in a bin.
    largest: f64,
    fixed: FixedPoint,
}

impl Linear {
    /// Bins between (scaled) edges whose values are known within `error`; none if they are not equal or too fine.
    pub(super) fn new(edges: &[f64], error: CoordinateError) -> Option<Self> {
        let n = edges.len() - 1;
        let (lo, hi) = (edges[0], edges[n]);
        let width = (hi - lo) / n as f64;
        let uneven = (0..=n)
            .map(|k| (edges[k] - (lo + k as f64 * width)).abs() / width)
            .fold(0.0, f64::max);
        let scale = (1.0 / width) as f32;
        if !scale.is_finite() || scale == 0.0 {
            return None;
        }
        let worst = error.worst();
        let (fixed, _) = FixedPoint::new(n, 0.0)?;
        let linear = Self {
            scale,
            bias: 0.0,
            first: lo / width,
            n_bins: n as f64,
            per_unit: 1.0 / width,
            error,
            uneven,
            // The product may be rounded before the sum.
            relative: (f64::from(scale) - 1.0 / width).abs() + HALF_ULP / width,
            largest: lo.abs().max(hi.abs()) + worst,
            fixed,
        };
        let (linear, eps) = linear.rounded(worst, linear.largest, 0.0);
        (eps <= COARSEST_EPS).then_some(linear)
    }

    /// The same bins where a coordinate, at most `largest`, is off by at most `error`; the fixed point begins at bin `t0`.
    #[inline]
    fn rounded(self, error: f64, largest: f64, t0: f64) -> (Self, f64) {
        let exact = self.fixed.whole() - self.first - t0;
        // The bias is about as large as M, and so is its rounding.
        let rounding = 0.5 * exact.abs().max(self.fixed.whole()) * f64::from(f32::EPSILON);
        let error = self.uneven + error * self.per_unit + self.relative * largest + rounding;
        let (fixed, eps) = self.fixed.within(error);
        let linear = Self {
            bias: (exact + eps) as f32,
            fixed,
            ..self
        };
        (linear, eps)
    }

    /// The same bins for the pairs of two blocks, where the coordinate is the separation.
    #[inline]
    fn window(self, pairs: &PairBounds) -> Self {
        let PairBounds { least, most, .. } = *pairs;
        // A bin and the error of a coordinate on both sides, but no further from the bins than that: what lies below wraps, what
        // lies beyond stays there, and a window that held either could be wider than its bits.
        let t0 = (least * self.per_unit - self.first).floor() - 2.0;
        let t0 = t0.clamp(-2.0, self.n_bins);
        let end = (most * self.per_unit - self.first).min(self.n_bins) + 2.0;
        let fixed = self.fixed.window(t0 as i32, (end - t0).max(0.0) as u32 + 1);
        let error = self.error.within(pairs);
        let largest = most.min(self.largest);
        Self { fixed, ..self }.rounded(error, largest, t0).0
    }

    /// The coordinate at position `t`, about.
    fn at(&self, t: f64) -> f32 {
        ((t + self.first) / self.per_unit) as f32
    }

    /// `value` is the coordinate times the power of two `factor`.
    #[inline(always)]
    fn bin<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U) {
        let scale = simd.splat(self.scale / factor);
        let t = simd.mul_add(value, scale, simd.splat(self.bias));
        self.fixed.bin(simd, t)
    }
}

impl AlongAxis for Linear {
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U) {
        self.bin(simd, value, factor)
    }

    fn doubtful(&self) -> u32 {
        self.fixed.doubtful()
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        let error = self.error.within(pairs);
        self.rounded(error, self.largest, 0.0).0
    }

    fn inside(&self) -> f32 {
        self.at(0.5)
    }
}

/// Equal bins of a coordinate that is given squared; `FINE` ones take the most exact root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearRoot<const FINE: bool> {
    linear: Linear,
    far: f32,
}

impl<const FINE: bool> LinearRoot<FINE> {
    /// Bins between `edges`, if they are equal; `root_error` bounds the error of the root.
    pub(super) fn new(
        edges: &Edges,
        rounding: &Rounding,
        root_error: CoordinateError,
    ) -> Option<Self> {
        let scaled: Vec<f64> = edges.values().iter().map(|e| e * rounding.scale).collect();
        let linear = Linear::new(&scaled, root_error)?;
        let far = linear.at(edges.n_bins() as f64 + 1.5);
        Some(Self {
            linear,
            far: far * far,
        })
    }
}

impl<const FINE: bool> AcrossAxis for LinearRoot<FINE> {
    const HAS_LEAST: bool = false;
    const FINE: bool = FINE;

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F, row: usize) -> (S::U, S::U) {
        if FINE {
            let root = simd.fine_root(square);
            return self.linear.bin(simd, root, S::FINE_ROOT_FACTOR);
        }
        let root = simd.root(square, row);
        self.linear.bin(simd, root, S::ROOT_FACTORS[row % 2])
    }

    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(
        &self,
        simd: S,
        square: S::F,
        inverse_root: S::F,
    ) -> (S::U, S::U) {
        let root = simd.mul(square, inverse_root);
        self.linear.bin(simd, root, S::RSQRT_FACTOR)
    }

    fn doubtful(&self) -> u32 {
        self.linear.fixed.doubtful()
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self {
            linear: self.linear.window(pairs),
            // So far that the window does not matter.
            far: FAR_SQUARE,
        }
    }

    fn strides(&self, stride: u32) -> bool {
        self.linear.fixed.strides(stride)
    }

    fn far(&self) -> f32 {
        self.far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies below the first edge wraps to the highest bins there are.
    #[test]
    fn rows_of_the_highest_bins_do_not_wrap() {
        for n in 1..3000 {
            let (fixed, _) = FixedPoint::new(n as usize, 0.0).unwrap();
            let strides = (0..32).map(|k| 1u32 << k);
            let stride = strides.filter(|&k| fixed.strides(k)).max().unwrap();
            let many_bins = [1, 2, n / 2 + 1, n, n + 5];
            for window in many_bins.map(|many| fixed.window(-2, many)) {
                let highest = u32::MAX >> (23 - window.whole_bits);
                assert!(highest.checked_mul(stride).is_some(), "{n} {window:?}");
            }
        }
    }
}
