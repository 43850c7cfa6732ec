//! Filters of (s, mu) and (rp, pi): a coordinate across, one along the line of sight, and their errors.

use albireo_simd::fixed_point::power_of_two;
use albireo_simd::{HALF_ULP, ROOT_ERROR, Simd};

use super::axes::{AcrossAxis, AlongAxis};
use super::linear::CoordinateError;
use super::{
    DOT_ROUNDINGS, Filter, HIGHER_ORDERS, LineOfSight, Measured, PairBounds, Placed, Rounding,
    SMALLEST, square,
};
use crate::separation::{SMALLEST_EDGE, norm2};

/// A line of sight must be longer than this many block extents for the filter to be used.
const SHORTEST_LINE: f64 = 2.0;

/// Relative error of a line of sight no shorter than [`SHORTEST_LINE`] extents: as for a difference,
/// `u (3|l_k| + 7H)` per axis, so u (3l + 7 sqrt(3) H) in all, and H <= l/2.
const LINE_ERROR: f64 = HIGHER_ORDERS * (3.0 + 1.7321 * 3.5) * HALF_ULP;

/// Whether the bound on the error of the line of sight, `weights` of one point and the other, holds for every pair of two blocks, given
/// by their centres and half extents; `half` is the largest half extent of all blocks, lengths are not yet multiplied by `scale`.
#[inline(always)]
pub(crate) fn line_is_long(
    weights: [f64; 2],
    blocks: [([f64; 3], [f64; 3]); 2],
    half: f64,
    scale: f64,
) -> bool {
    let ([a, b], [(c1, _), (c2, _)]) = (weights, blocks);
    let centre = std::array::from_fn(|k| a * c1[k] + b * c2[k]);
    let [first, second] = [0, 1].map(|side| weights[side] * norm2(blocks[side].1).sqrt());
    let length = norm2(centre).sqrt();
    let least = length - first - second;
    // The square that filters add TINY to is far above it, and those that the exact rule multiplies are normal numbers: the reach
    // is at least half of 1 / scale, and what is sure is longer than 2^-30 of it.
    let is_normal = least * scale >= 1e-7 && least >= scale * SMALLEST_EDGE;
    is_normal && least >= SHORTEST_LINE * half && length * scale < 1e15
}

/// Roundings of `d.l / (|d| |l|)` relative to 1: the product, two reciprocal roots of sums of squares, two multiplications.
const COSINE_ROUNDINGS: f64 =
    DOT_ROUNDINGS + 2.0 * (ROOT_ERROR + 0.5 * DOT_ROUNDINGS) + 4.0 * HALF_ULP;

/// The separation below which every pair is doubtful in (s, mu).
///
/// The error of mu grows as 1/s: a larger separation dooms more pairs within `reach`, a smaller one widens the band of doubt
/// around every edge of mu, `width` apart.
pub(super) fn nearest(rounding: &Rounding, reach: f64, width: f64) -> f64 {
    let cost = |s: f64| {
        let band = 2.0 * mu_error(rounding, s) / width;
        // Four times as many pairs as without clustering.
        band + 4.0 * (s / reach).powi(3)
    };
    let halves = (0..20).map(|k| reach * power_of_two(-k));
    halves.fold(reach, |best, s| if cost(s) < cost(best) { s } else { best })
}

/// Squares below this are doubtful in (s, mu).
pub(super) fn least_square(nearest: f64) -> f32 {
    let least = nearest * 1.01;
    (least * least) as f32
}

/// Bound on the error of mu for pairs no nearer than `s`: turning d by its error and l by its own, plus roundings.
fn mu_error(rounding: &Rounding, s: f64) -> f64 {
    rounding.of_difference(s) / s + LINE_ERROR + COSINE_ROUNDINGS
}

/// The same for pairs no nearer than `nearest`, as a function of the separation.
pub(super) fn mu_errors(rounding: &Rounding, nearest: f64) -> CoordinateError {
    let over = rounding.of_difference(0.0);
    CoordinateError {
        constant: mu_error(rounding, 1.0) - over,
        over,
        least: nearest,
        ..CoordinateError::default()
    }
}

/// Bound on the error of pi for pairs within `s`.
fn pi_error(rounding: &Rounding, s: f64) -> f64 {
    rounding.of_difference(s) + (LINE_ERROR + COSINE_ROUNDINGS) * s
}

/// The same for pairs within `reach`, as a function of the separation.
pub(super) fn pi_errors(rounding: &Rounding, reach: f64) -> CoordinateError {
    let constant = pi_error(rounding, 0.0);
    CoordinateError {
        constant,
        slope: (pi_error(rounding, reach) - constant) / reach,
        most: reach,
        ..CoordinateError::default()
    }
}

/// Bound on the error of rp squared, for pairs within `rp` across the line of sight and `s` in all.
///
/// Across a fixed axis, the errors of the two components are those of a difference of length rp.
pub(super) fn rp_square_error(rounding: &Rounding, los: LineOfSight, rp: f64, s: f64) -> f64 {
    if let LineOfSight::Fixed(_) = los {
        let difference = rounding.of_difference(rp);
        return 2.0 * rp * difference
            + difference * difference
            + DOT_ROUNDINGS * (rp + difference).powi(2)
            + 1e-25;
    }
    let pi = pi_error(rounding, s);
    rounding.of_square(s) + 2.0 * s * pi + pi * pi + 4.0 * HALF_ULP * s * s
}

/// The coordinate along the line of sight, with or without its sign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Along<M> {
    axis: M,
    /// The bits of a value to keep: all, or all but the sign.
    kept: u32,
    n_bins: u32,
}

impl<M: AlongAxis> Along<M> {
    pub(super) fn new(axis: M, signed: bool, n_bins: u32) -> Self {
        Self {
            axis,
            kept: if signed { u32::MAX } else { u32::MAX >> 1 },
            n_bins,
        }
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self {
            axis: self.axis.within(pairs),
            ..self
        }
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U) {
        let value = simd.floats(simd.and(simd.bits(value), simd.splat_u(self.kept)));
        let (bin, certainty) = self.axis.place(simd, value, factor);
        (simd.min_u(bin, simd.splat_u(self.n_bins)), certainty)
    }
}

/// How the line of sight enters.
pub(crate) trait Sight: Copy + Sync {
    /// Whether it changes from pair to pair.
    const LINE: bool;
    /// Numbers measured, the square included.
    const MEASURES: usize;

    /// `square` with what the projection needs.
    fn measure<S: Simd>(&self, simd: S, square: S::F, d: [S::F; 3], l: [S::F; 3]) -> Measured<S>;

    /// What a projection is multiplied by, a power of two.
    fn factor<S: Simd>() -> f32;

    /// `factor * d.l / |l|`.
    fn project<S: Simd>(&self, simd: S, measured: Measured<S>) -> S::F;

    /// The square to measure for the coordinate across the line of sight.
    fn square<S: Simd>(&self, simd: S, d: [S::F; 3]) -> S::F;

    /// The square across, given the square measured and the projection.
    fn across<S: Simd>(&self, simd: S, square: S::F, along: S::F) -> S::F;

    /// What is measured where the square across and the projection are these.
    fn measured(&self, across: f32, along: f32) -> [f32; 3];
}

/// A fixed axis: the last component of `d`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedAxis;

/// A line of sight of each pair's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line;

impl Sight for FixedAxis {
    const LINE: bool = false;
    const MEASURES: usize = 2;

    #[inline(always)]
    fn factor<S: Simd>() -> f32 {
        1.0
    }

    #[inline(always)]
    fn measure<S: Simd>(&self, _: S, square: S::F, d: [S::F; 3], _: [S::F; 3]) -> Measured<S> {
        [square, d[2], d[2]]
    }

    #[inline(always)]
    fn project<S: Simd>(&self, _: S, measured: Measured<S>) -> S::F {
        measured[1]
    }

    #[inline(always)]
    fn square<S: Simd>(&self, simd: S, d: [S::F; 3]) -> S::F {
        simd.mul_add(d[1], d[1], simd.mul(d[0], d[0]))
    }

    #[inline(always)]
    fn across<S: Simd>(&self, _: S, square: S::F, _: S::F) -> S::F {
        square
    }

    fn measured(&self, across: f32, along: f32) -> [f32; 3] {
        [across, along, along]
    }
}

impl Sight for Line {
    const LINE: bool = true;
    const MEASURES: usize = 3;

    #[inline(always)]
    fn factor<S: Simd>() -> f32 {
        S::RSQRT_FACTOR
    }

    #[inline(always)]
    fn measure<S: Simd>(&self, simd: S, square: S::F, d: [S::F; 3], l: [S::F; 3]) -> Measured<S> {
        let product = simd.mul_add(d[2], l[2], simd.mul_add(d[1], l[1], simd.mul(d[0], l[0])));
        [square, product, super::square(simd, l)]
    }

    #[inline(always)]
    fn project<S: Simd>(&self, simd: S, [_, product, length2]: Measured<S>) -> S::F {
        simd.mul(product, simd.rsqrt(length2))
    }

    #[inline(always)]
    fn square<S: Simd>(&self, simd: S, d: [S::F; 3]) -> S::F {
        square(simd, d)
    }

    #[inline(always)]
    fn across<S: Simd>(&self, simd: S, square: S::F, along: S::F) -> S::F {
        let of_square = simd.splat(-1.0 / (Self::factor::<S>() * Self::factor::<S>()));
        let difference = simd.mul_add(simd.mul(along, along), of_square, square);
        simd.max(difference, simd.splat(0.0))
    }

    fn measured(&self, across: f32, along: f32) -> [f32; 3] {
        [across + along * along, along, 1.0]
    }
}

/// Bins in (s, mu).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SMu<A, M, L> {
    s: A,
    mu: Along<M>,
    sight: L,
    least: f32,
}

impl<A, M, L> SMu<A, M, L> {
    pub(super) fn new((s, mu): (A, Along<M>), sight: L, least: f32) -> Self {
        Self {
            s,
            mu,
            sight,
            least,
        }
    }
}

impl<A: AcrossAxis, M: AlongAxis, L: Sight> Filter for SMu<A, M, L> {
    const LINE: bool = L::LINE;
    const MEASURES: usize = L::MEASURES;
    const DOUBTS: usize = 3;

    #[inline(always)]
    fn measure<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> Measured<S> {
        self.sight.measure(simd, square(simd, d), d, l)
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, measured: Measured<S>, _: usize) -> Placed<S> {
        let s2 = measured[0];
        let inverse_root = simd.rsqrt(s2);
        let (row, of_s) = self.s.place_with_inverse_root(simd, s2, inverse_root);
        let mu = simd.mul(self.sight.project(simd, measured), inverse_root);
        let factor = L::factor::<S>() * S::RSQRT_FACTOR;
        let (column, of_mu) = self.mu.place(simd, mu, factor);
        (simd.add_u(row, column), [of_s, of_mu, simd.bits(s2)])
    }

    fn doubtful(&self) -> [u32; 3] {
        let least = self.least.max(self.s.least());
        [self.s.doubtful(), self.mu.axis.doubtful(), least.to_bits()]
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self {
            s: self.s.within(pairs),
            mu: self.mu.within(pairs),
            least: pairs.shrink(self.least).max(SMALLEST.min(self.least)),
            ..self
        }
    }

    fn far(&self) -> [f32; 3] {
        let s2 = self.s.far();
        let [_, along, length2] = self.sight.measured(0.0, self.mu.axis.inside() * s2.sqrt());
        [s2, along, length2]
    }
}

/// Bins in (rp, pi).
#[derive(Debug, Clone, Copy)]
pub(crate) struct RpPi<A, M, L> {
    rp: A,
    pi: Along<M>,
    sight: L,
}

impl<A, M, L> RpPi<A, M, L> {
    pub(super) fn new((rp, pi): (A, Along<M>), sight: L) -> Self {
        Self { rp, pi, sight }
    }
}

impl<A: AcrossAxis, M: AlongAxis, L: Sight> Filter for RpPi<A, M, L> {
    const LINE: bool = L::LINE;
    const MEASURES: usize = L::MEASURES;
    const DOUBTS: usize = if A::HAS_LEAST { 3 } else { 2 };

    #[inline(always)]
    fn measure<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> Measured<S> {
        self.sight.measure(simd, self.sight.square(simd, d), d, l)
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, measured: Measured<S>, row: usize) -> Placed<S> {
        let pi = self.sight.project(simd, measured);
        let (column, of_pi) = self.pi.place(simd, pi, L::factor::<S>());
        let across = self.sight.across(simd, measured[0], pi);
        let (first, of_rp) = self.rp.place(simd, across, row);
        (simd.add_u(first, column), [of_rp, of_pi, simd.bits(across)])
    }

    fn doubtful(&self) -> [u32; 3] {
        [
            self.rp.doubtful(),
            self.pi.axis.doubtful(),
            self.rp.least().to_bits(),
        ]
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        Self {
            rp: self.rp.within(pairs),
            pi: self.pi.within(pairs),
            ..self
        }
    }

    fn far(&self) -> [f32; 3] {
        self.sight.measured(self.rp.far(), self.pi.axis.inside())
    }
}
