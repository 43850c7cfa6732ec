//! Filters of (s, mu) and (rp, pi): a coordinate across, one along the line of sight, and their errors.

use super::axes::{AcrossAxis, AlongAxis};
use super::{DOT_ROUNDINGS, Filter, HIGHER_ORDERS, LineOfSight, Rounding, square};
use crate::simd::{HALF_ULP, RSQRT_ERROR, Simd};

/// A line of sight must be longer than this many block extents for the filter to be used.
pub(crate) const SHORTEST_LINE: f64 = 2.0;

/// Relative error of a line of sight no shorter than [`SHORTEST_LINE`] extents: as for a difference,
/// u (3l + 7H) per axis, H <= l/2.
const LINE_ERROR: f64 = HIGHER_ORDERS * 1.7321 * 6.5 * HALF_ULP;

/// Roundings of `d.l / (|d| |l|)` relative to 1: the product, two reciprocal roots of sums of squares, two multiplications.
const COSINE_ROUNDINGS: f64 =
    DOT_ROUNDINGS + 2.0 * (RSQRT_ERROR + 0.5 * DOT_ROUNDINGS) + 4.0 * HALF_ULP;

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
    let halves = (0..20).map(|k| reach * 0.5f64.powi(k));
    halves.fold(reach, |best, s| if cost(s) < cost(best) { s } else { best })
}

/// Squares below this are doubtful in (s, mu).
pub(super) fn least_square(nearest: f64) -> f32 {
    let least = nearest * 1.01;
    (least * least) as f32
}

/// Bound on the error of mu for pairs no nearer than `s`: turning d by its error and l by its own, plus roundings.
pub(super) fn mu_error(rounding: &Rounding, s: f64) -> f64 {
    rounding.of_difference(s) / s + LINE_ERROR + COSINE_ROUNDINGS
}

/// Bound on the error of pi for pairs within `s`.
pub(super) fn pi_error(rounding: &Rounding, s: f64) -> f64 {
    rounding.of_difference(s) + (LINE_ERROR + COSINE_ROUNDINGS) * s
}

/// Bound on the error of rp squared, for pairs within `rp` across the line of sight and `s` in all.
pub(super) fn rp_square_error(rounding: &Rounding, los: LineOfSight, rp: f64, s: f64) -> f64 {
    if let LineOfSight::Fixed(_) = los {
        let difference = rounding.of_difference(s);
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
    signed: bool,
    n_bins: u32,
}

impl<M: AlongAxis> Along<M> {
    pub(super) fn new(axis: M, signed: bool, n_bins: u32) -> Self {
        Self {
            axis,
            signed,
            n_bins,
        }
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F) -> (S::U, S::U) {
        let value = if self.signed { value } else { simd.abs(value) };
        let (bin, sure) = self.axis.place(simd, value);
        (simd.min_u(bin, simd.splat_u(self.n_bins)), sure)
    }
}

/// How the line of sight enters.
pub(crate) trait Sight: Copy + Sync {
    /// Whether it changes from pair to pair.
    const LINE: bool;

    /// `d.l / |l|`.
    fn project<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> S::F;

    /// The square across, given the square of the separation and the projection.
    fn across<S: Simd>(&self, simd: S, d: [S::F; 3], along: S::F) -> S::F;
}

/// A fixed axis: the last component of `d`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedAxis;

/// A line of sight of each pair's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line;

impl Sight for FixedAxis {
    const LINE: bool = false;

    #[inline(always)]
    fn project<S: Simd>(&self, _: S, d: [S::F; 3], _: [S::F; 3]) -> S::F {
        d[2]
    }

    #[inline(always)]
    fn across<S: Simd>(&self, simd: S, d: [S::F; 3], _: S::F) -> S::F {
        simd.mul_add(d[1], d[1], simd.mul(d[0], d[0]))
    }
}

impl Sight for Line {
    const LINE: bool = true;

    #[inline(always)]
    fn project<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> S::F {
        let product = simd.mul_add(d[2], l[2], simd.mul_add(d[1], l[1], simd.mul(d[0], l[0])));
        simd.mul(product, simd.rsqrt(square(simd, l)))
    }

    #[inline(always)]
    fn across<S: Simd>(&self, simd: S, d: [S::F; 3], along: S::F) -> S::F {
        let difference = simd.sub(square(simd, d), simd.mul(along, along));
        simd.max(difference, simd.splat(0.0))
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

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> (S::U, S::U) {
        let s2 = square(simd, d);
        let inverse_root = simd.rsqrt(s2);
        let (row, sure) = self.s.place_with_inverse_root(simd, s2, inverse_root);
        let mu = simd.mul(self.sight.project(simd, d, l), inverse_root);
        let (column, sure_mu) = self.mu.place(simd, mu);
        let far = simd.less(simd.splat(self.least), s2);
        let sure = simd.and(simd.min_u(sure, sure_mu), far);
        (simd.add_u(row, column), sure)
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

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> (S::U, S::U) {
        let pi = self.sight.project(simd, d, l);
        let (column, sure_pi) = self.pi.place(simd, pi);
        let (row, sure) = self.rp.place(simd, self.sight.across(simd, d, pi));
        (simd.add_u(row, column), simd.min_u(sure, sure_pi))
    }
}
