//! Float32 filters: the bin of a pair where it cannot be wrong, and the word *doubtful* where it could be.
//!
//! Entry: [`Filter`], built for one job from its bins and from [`Rounding`], the real extents of its blocks. Each constructor derives
//! its error bound; a pair that is not marked doubtful lies in the bin given, by proof. Doubtful pairs are decided by
//! [`super::Binning::bin`].
//!
//! # What can go wrong in a difference
//! Lengths are scaled by a power of two, which is exact. With u = 2^-24, a difference d and blocks of half extent at most H, each
//! component `d_k` is computed as `a - (b - o)`: offsets a and b from the block centres (each rounded once, |a|, |b| <= H), the
//! distance o of the centres (rounded once, |o| <= `|d_k| + 2H`), `b - o` (at most `|d_k| + H`) and the result, each rounded once:
//!
//! |error of `d_k`| <= `u (H + H + (|d_k| + 2H) + (|d_k| + H) + |d_k|) = u (3|d_k| + 5H)` to first order, plus the float64 roundings of
//! the centre distance and of the contract's own difference, `Rounding::exact`. By Minkowski's inequality the length of the error
//! is at most u (3|d| + 5 sqrt(3) H) + sqrt(3) `exact`. The factor 1.01 covers all higher orders.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what rounding to float32 and fixed point does is what filters are proven about"
)]

mod axes;
mod linear;
mod logarithmic;
mod tables;
mod two_dimensional;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failed unwrap is a failed test; the worst is printed"
)]
mod worst;

use axes::{AcrossAxis, AlongAxis, AsRows, Radial};
use linear::{CoordinateError, Linear, LinearRoot};
use logarithmic::Logarithmic;
use tables::{GridTable, SquareTable};
use two_dimensional::{Along, FixedAxis, Line, RpPi, SMu};

pub(crate) use two_dimensional::line_is_long;

use super::{Edges, Form, LineOfSight, SignedEdges};
use albireo_simd::{BitSliced, FINE_ROOT_ERROR, HALF_ULP, ROOT_ERROR, Simd};

/// What bounds the rounding errors of a job, in scaled units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    /// Power of two that lengths are multiplied by.
    pub(crate) scale: f64,
    /// Largest half extent of a block.
    pub(crate) half: f64,
    /// Float64 roundings of one component of a difference.
    pub(crate) exact: f64,
}

/// Covers products of rounding errors.
const HIGHER_ORDERS: f64 = 1.01;

/// Roundings of a sum of three squares or products, fused or not, relative to its terms.
const DOT_ROUNDINGS: f64 = 5.0 * HALF_ULP;

/// Offset of a slot that holds no point, in scaled units: out of everyone's reach, and its square is finite.
pub(crate) const FAR_AWAY: f32 = 1e15;

/// Added to squared separations so that none is zero; far below every bound used.
pub(crate) const TINY: f32 = 1e-26;

/// [`TINY`] with the roundings of the sums that it stands in.
const TINY_ROUNDED: f64 = TINY as f64 * (1.0 + 1e-6);

/// Where relative errors matter, squares below this are doubtful in any blocks: [`TINY`] is no part of larger ones.
const SMALLEST: f32 = 1e-17;

impl Rounding {
    /// Bound on the length of the error of a difference vector, for pairs within `s`.
    pub(crate) fn of_difference(&self, s: f64) -> f64 {
        let root3 = 3f64.sqrt();
        HIGHER_ORDERS * (HALF_ULP * (3.0 * s + 5.0 * root3 * self.half) + root3 * self.exact)
    }

    /// Bound on the error of the separation, for pairs within `s`: a root halves relative errors and has its own, `root_error`.
    fn of_root(&self, s: f64, root_error: f64) -> f64 {
        let difference = self.of_difference(s);
        difference + (0.51 * DOT_ROUNDINGS + root_error) * (s + difference) + TINY_ROUNDED.sqrt()
    }

    /// The same for pairs within `reach`, as a function of the separation.
    fn of_roots(&self, reach: f64, root_error: f64) -> CoordinateError {
        let constant = self.of_root(0.0, root_error);
        CoordinateError {
            constant,
            slope: (self.of_root(reach, root_error) - constant) / reach,
            most: reach,
            ..CoordinateError::default()
        }
    }

    /// Bound on the error of the squared separation, for pairs within `s`.
    pub(crate) fn of_square(&self, s: f64) -> f64 {
        let difference = self.of_difference(s);
        let roundings = (DOT_ROUNDINGS + HALF_ULP) * (s + difference) * (s + difference);
        2.0 * s * difference + difference * difference + roundings + TINY_ROUNDED
    }
}

/// Bounds on the pairs of two blocks, scaled.
///
/// Small blocks have small offsets: of the error of a difference, `u (3|d| + 5 sqrt(3) H) + sqrt(3) exact`, all but the first term is
/// then smaller than for the job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairBounds {
    least: f64,
    most: f64,
    /// By how much the error of a difference is smaller than in the job.
    saved: f64,
    /// The error of a difference of 0, as a part of that in the job.
    shrunk: f64,
}

impl PairBounds {
    /// Bounds on any pair of the job.
    const ALL: Self = Self {
        least: 0.0,
        most: f64::INFINITY,
        saved: 0.0,
        shrunk: 1.0,
    };

    /// Pairs at separations from `least` to `most`, of blocks whose half extents are at most `half`.
    #[inline]
    pub(crate) fn new(job: &Rounding, [least, most]: [f64; 2], half: f64) -> Self {
        let half = half.min(job.half);
        let (all, own) = (
            job.of_difference(0.0),
            Rounding { half, ..*job }.of_difference(0.0),
        );
        Self {
            least,
            most,
            saved: all - own,
            shrunk: if all > 0.0 { own / all } else { 1.0 },
        }
    }

    /// The square up to which pairs are doubtful, where it grows with the separation at which an error is a certain part of it, and
    /// the error is `a s` plus that of a difference of 0.
    #[inline]
    fn shrink(&self, least_square: f32) -> f32 {
        ((f64::from(least_square) * (self.shrunk * self.shrunk)) as f32).next_up()
    }
}

/// What a filter takes from the vectors of a pair: a square, and up to two products with the line of sight.
pub(crate) type Measured<S> = [<S as Simd>::F; 3];

/// Float32 lanes -> bins, or doubt, in two steps that the kernels take for many rows each: one chain of dependent instructions
/// would be too long for a processor to overlap with the next.
pub(crate) trait Filter: Copy + Sync {
    /// Whether the line of sight is needed.
    const LINE: bool;
    /// How many of the numbers measured are used.
    const MEASURES: usize;
    /// Whether its bins are those of the separation: a constant by itself, so that what only they need is not compiled for others.
    const OF_SEPARATIONS: bool = Self::MEASURES == 1;
    /// How many numbers tell whether a slot is sure.
    const DOUBTS: usize;
    /// Whether there may be bins by the thousand, so that some pair of many a quad of rows is doubtful.
    const FINE: bool = false;

    /// Takes from the vectors what the bin depends on.
    ///
    /// `d` is the difference vector with the fixed line of sight, if any, as its last component; `l` the line of sight.
    fn measure<S: Simd>(&self, simd: S, d: [S::F; 3], l: [S::F; 3]) -> Measured<S>;

    /// The slot of each lane (a number from [`Slots::n_slots`] up when in no bin), doubtful where one of the first
    /// [`Filter::DOUBTS`] numbers beside it is at most its limit of [`Filter::doubtful`]. `row` is the number of the row.
    fn place<S: Simd>(&self, simd: S, measured: Measured<S>, row: usize) -> Placed<S>;

    /// Limits of doubt.
    fn doubtful(&self) -> [u32; 3];

    /// The same bins for pairs of two blocks: the closer their bounds, the fewer doubts.
    fn within(self, pairs: &PairBounds) -> Self;

    /// What to take as measured where there is no point: it is in no bin, without doubt.
    fn far(&self) -> [f32; 3];
}

/// Slots, and what tells whether they are sure.
pub(crate) type Placed<S> = (<S as Simd>::U, [<S as Simd>::U; 3]);

/// Where a pair placed by `filter`, or the least certain of several, is doubtful.
#[inline(always)]
pub(crate) fn doubts<S: Simd, F: Filter>(simd: S, filter: &F, certainty: [S::U; 3]) -> S::U {
    let limits = filter.doubtful();
    let mut doubts = simd.at_most_u(certainty[0], simd.splat_u(limits[0]));
    for k in 1..F::DOUBTS {
        let more = simd.at_most_u(certainty[k], simd.splat_u(limits[k]));
        doubts = simd.or(doubts, more);
    }
    doubts
}

/// The lesser certainty of both.
#[inline(always)]
pub(crate) fn less_certain<S: Simd, F: Filter>(
    simd: S,
    _: &F,
    a: [S::U; 3],
    b: [S::U; 3],
) -> [S::U; 3] {
    let mut least = a;
    for k in 0..F::DOUBTS {
        least[k] = simd.min_u(a[k], b[k]);
    }
    least
}

/// How bins lie in a histogram: those of two-dimensional binnings have one unused slot after each row, for pairs outside the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slots {
    rows: usize,
    columns: usize,
    stride: usize,
}

impl Slots {
    pub(crate) fn of(form: &Form<'_>) -> Self {
        match form {
            Form::Radial { r } => Self {
                rows: 1,
                columns: r.n_bins(),
                stride: r.n_bins(),
            },
            Form::SMu { s, mu, .. } => Self::two(s, mu),
            Form::RpPi { rp, pi, .. } => Self::two(rp, pi),
        }
    }

    fn two(across: &Edges, along: &SignedEdges) -> Self {
        Self {
            rows: across.n_bins(),
            columns: along.n_bins(),
            stride: along.n_bins() + 1,
        }
    }

    /// Slots in use; slot number `n_slots` itself collects what lies in no bin.
    pub(crate) fn n_slots(&self) -> usize {
        self.rows * self.stride
    }

    /// The slot of a bin.
    #[inline]
    pub(crate) fn of_bin(&self, bin: usize) -> usize {
        if self.rows == 1 && self.stride == self.columns {
            return bin;
        }
        bin / self.columns * self.stride + bin % self.columns
    }

    /// The bin of a slot, or one next to it where the slot is none.
    #[inline]
    pub(crate) fn nearest_bin(&self, slot: usize) -> usize {
        if self.rows == 1 && self.stride == self.columns {
            return slot;
        }
        let column = (slot % self.stride).min(self.columns - 1);
        slot / self.stride * self.columns + column
    }

    /// The slots of all bins, in order.
    pub(crate) fn bins(&self) -> impl Iterator<Item = usize> + use<> {
        let Self {
            columns, stride, ..
        } = *self;
        (0..self.rows).flat_map(move |row| row * stride..row * stride + columns)
    }
}

/// The squared length of `d`, a little above zero.
#[inline(always)]
fn square<S: Simd>(simd: S, d: [S::F; 3]) -> S::F {
    let x2 = simd.mul_add(d[0], d[0], simd.splat(TINY));
    simd.mul_add(d[2], d[2], simd.mul_add(d[1], d[1], x2))
}

/// Bins that are few: see [`WithFilter::with_few`].
pub(crate) const FEW_BINS: usize = BitSliced::MOST_SLOTS;

/// Code that runs with the filter of a binning of any type.
pub(crate) trait WithFilter: Sized {
    /// What comes out.
    type Output;
    /// The code for at most [`FEW_BINS`] bins.
    fn with_few<F: Filter>(self, filter: F) -> Self::Output;
    /// The code for any number of bins.
    fn with_many<F: Filter>(self, filter: F) -> Self::Output;
    /// One or the other.
    fn with_any<F: Filter>(self, few: bool, filter: F) -> Self::Output {
        if few {
            self.with_few(filter)
        } else {
            self.with_many(filter)
        }
    }
}

/// Builds the filter of `form` and hands it to `code`, which comes back where the bins are too fine for float32.
pub(crate) fn with_filter<W: WithFilter>(
    form: &Form<'_>,
    rounding: &Rounding,
    code: W,
) -> Result<W::Output, W> {
    match *form {
        Form::Radial { r } => {
            let reach = r.last() * rounding.scale;
            let few = r.n_bins() <= FEW_BINS;
            let error = rounding.of_roots(reach, if few { ROOT_ERROR } else { FINE_ROOT_ERROR });
            if few && let Some(axis) = LinearRoot::<false>::new(r, rounding, error) {
                return Ok(code.with_few(Radial(axis)));
            }
            if !few && let Some(axis) = LinearRoot::<true>::new(r, rounding, error) {
                return Ok(code.with_many(Radial(axis)));
            }
            let square_error = |s: f64| rounding.of_square(s);
            if let Some(axis) = Logarithmic::new(r, rounding, &square_error) {
                return Ok(code.with_any(few, Radial(axis)));
            }
            match SquareTable::new(r, rounding, &square_error, 1) {
                Some(table) => Ok(code.with_any(few, Radial(table.view()))),
                None => Err(code),
            }
        }
        Form::SMu { s, mu, los } => {
            let axes = TwoAxes {
                across: s,
                along: mu,
                along_scale: 1.0,
                rounding,
            };
            axes.with_s_mu(los, code)
        }
        Form::RpPi { rp, pi, los } => {
            let reach = rp.last().hypot(pi.largest()) * rounding.scale;
            let axes = TwoAxes {
                across: rp,
                along: pi,
                along_scale: rounding.scale,
                rounding,
            };
            axes.with_rp_pi(los, reach, code)
        }
    }
}

/// The axes of a two-dimensional binning with the error of the second one's coordinate.
struct TwoAxes<'a> {
    across: &'a Edges,
    along: &'a SignedEdges,
    along_scale: f64,
    rounding: &'a Rounding,
}

impl TwoAxes<'_> {
    fn stride(&self) -> u32 {
        self.along.n_bins() as u32 + 1
    }

    fn scaled_along(&self) -> Vec<f64> {
        self.along
            .values()
            .iter()
            .map(|e| e * self.along_scale)
            .collect()
    }

    fn along<M: AlongAxis>(&self, axis: M) -> Along<M> {
        Along::new(axis, self.along.signed(), self.along.n_bins() as u32)
    }

    fn linear_along(&self, error: CoordinateError) -> Option<Linear> {
        Linear::new(&self.scaled_along(), error)
    }

    fn grid_along(&self, error: f64) -> GridTable {
        GridTable::new(&self.scaled_along(), error)
    }

    fn rows<A: AcrossAxis>(&self, axis: A) -> AsRows<A> {
        AsRows {
            axis,
            stride: self.stride(),
        }
    }

    /// `axis`, if its bins may be multiplied by the stride.
    fn strides<A: AcrossAxis>(&self, axis: Option<A>) -> Option<A> {
        axis.filter(|axis| axis.strides(self.stride()))
    }

    /// Axes of equal (or equally logarithmic) bins by arithmetic, any others by tables: fewer kernels to compile.
    fn with_s_mu<W: WithFilter>(&self, los: LineOfSight, code: W) -> Result<W::Output, W> {
        let reach = self.across.last() * self.rounding.scale;
        let width = self.along.values()[1] - self.along.values()[0];
        let nearest = two_dimensional::nearest(self.rounding, reach, width);
        let error = two_dimensional::mu_errors(self.rounding, nearest);
        let least = two_dimensional::least_square(nearest);
        // s is the square times its inverse root, which mu needs anyway.
        let of_root = self.rounding.of_roots(reach, ROOT_ERROR + HALF_ULP);
        let square_error = |s: f64| self.rounding.of_square(s);
        if let Some(mu) = self.linear_along(error) {
            let mu = self.along(mu);
            let s = LinearRoot::<false>::new(self.across, self.rounding, of_root);
            if let Some(s) = self.strides(s) {
                return Ok(Self::finish_s_mu((self.rows(s), mu), least, los, code));
            }
            let s = Logarithmic::new(self.across, self.rounding, &square_error);
            if let Some(s) = self.strides(s) {
                return Ok(Self::finish_s_mu((self.rows(s), mu), least, los, code));
            }
        }
        let Some(table) =
            SquareTable::new(self.across, self.rounding, &square_error, self.stride())
        else {
            return Err(code);
        };
        let grid = self.grid_along(error.worst());
        let axes = (table.view(), self.along(grid.view()));
        Ok(Self::finish_s_mu(axes, least, los, code))
    }

    fn with_rp_pi<W: WithFilter>(
        &self,
        los: LineOfSight,
        reach: f64,
        code: W,
    ) -> Result<W::Output, W> {
        let along_error = two_dimensional::pi_errors(self.rounding, reach);
        let error = |rp: f64| two_dimensional::rp_square_error(self.rounding, los, rp, reach);
        let linear = self.linear_along(along_error);
        if let Some(pi) = linear
            && let Some(rp) = self.strides(Logarithmic::new(self.across, self.rounding, &error))
        {
            let rp = match los {
                LineOfSight::Fixed(_) => rp,
                _ => rp.of_any_error(),
            };
            let axes = (self.rows(rp), self.along(pi));
            return Ok(Self::finish_rp_pi(axes, los, code));
        }
        let Some(table) = SquareTable::new(self.across, self.rounding, &error, self.stride())
        else {
            return Err(code);
        };
        if let Some(pi) = linear {
            let axes = (table.view(), self.along(pi));
            return Ok(Self::finish_rp_pi(axes, los, code));
        }
        let grid = self.grid_along(along_error.worst());
        let axes = (table.view(), self.along(grid.view()));
        Ok(Self::finish_rp_pi(axes, los, code))
    }

    fn finish_s_mu<W: WithFilter, A: AcrossAxis, M: AlongAxis>(
        axes: (A, Along<M>),
        least: f32,
        los: LineOfSight,
        code: W,
    ) -> W::Output {
        match los {
            LineOfSight::Fixed(_) => code.with_many(SMu::new(axes, FixedAxis, least)),
            _ => code.with_many(SMu::new(axes, Line, least)),
        }
    }

    fn finish_rp_pi<W: WithFilter, A: AcrossAxis, M: AlongAxis>(
        axes: (A, Along<M>),
        los: LineOfSight,
        code: W,
    ) -> W::Output {
        match los {
            LineOfSight::Fixed(_) => code.with_many(RpPi::new(axes, FixedAxis)),
            _ => code.with_many(RpPi::new(axes, Line)),
        }
    }
}
