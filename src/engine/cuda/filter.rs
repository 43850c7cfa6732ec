//! The float32 filter of a job: what it may decide, derived from the job's own extents.
//!
//! Entry: [`DeviceFilter::new`]. With u = 2^-24 every bound below is a sum of roundings; what lies within its bound of an edge is decided
//! again in float64. Lengths are scaled by a power of two (exact) so that the reach is near 1.

use albireo_kernels::structs::DeviceAxis;

use super::frame::{Frame, Grid};
use super::slots::{U, linear_axis, stepped_axis, table_axis};
use crate::binning::{Edges, Form, LineOfSight, SignedEdges};
use crate::separation::SMALLEST_EDGE;

#[cfg(test)]
#[path = "worst.rs"]
#[allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failed unwrap is a failed test; the worst is printed"
)]
mod worst;

/// Relative error of a computed separation: U from the differences, 1.5 U from the three roundings of the sum of squares, 2 U from its
/// root. (The scale of the bins has its own, known.)
const RELATIVE: f64 = 4.6 * U;
/// The same where the root is the sum times its inverse root (2.15 U, and a product).
const RELATIVE_BY_INVERSE: f64 = 5.8 * U;
/// Relative error of a computed squared separation.
const RELATIVE_SQUARE: f64 = 5.2 * U;
/// Error of a cosine along an axis on top of what the positions carry: 2 U of the component, 3.5 U of the separation, 2.15 U of the
/// inverse root and a product.
const AXIS_COSINE: f64 = 9.0 * U;
/// The same along an observer's line of sight, whose dot product has three more roundings and whose length two.
const COSINE: f64 = 24.0 * U;
/// Share of the line of sight's rounding that lines of sight of ordinary length may have.
const SIGHT: f64 = 64.0 * U;

/// The least error of a difference that a cosine along an axis reckons with: the 1e-30 that kernels add to squares is then no part of it.
const LEAST_OFFSET: f64 = 1e-12;
/// Separations and lines of sight that are trusted, at least: the product of their squares is then far above 1e-30.
const NEAREST: f64 = 1e-6;
const SHORTEST_SIGHT: f64 = 1e-4;

/// What the kernels need besides the edges, and whether they may be trusted with the filter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DeviceFilter {
    pub(super) across: DeviceAxis,
    pub(super) along: DeviceAxis,
    /// Slots across and along, those of no bin included.
    pub(super) slots: [u32; 2],
    /// Whether the kernel must bring larger separations back to the slot beyond the bins.
    pub(super) clamp: bool,
    /// The table of edges across, where the widths are not equal.
    pub(super) table: Vec<[u32; 2]>,
    pub(super) scale: [f32; 3],
    pub(super) unit: f64,
    pub(super) floor2: f32,
    /// Along a fixed axis a cosine's doubt in steps: times the separation, and 2^23 more than at any separation.
    pub(super) cosine_doubt: [f32; 2],
    pub(super) sight_floor2: f32,
    pub(super) reach2: f32,
    /// Whether float64 decides again what is in doubt; without it slots are the likeliest, not the highest that may be.
    decided: bool,
}

/// Where the coordinates of the inner loop come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coordinates<'a> {
    /// Offsets from the frame's centre.
    Centred(&'a Frame),
    /// Differences of fractions that wrap.
    Wrapped(&'a Frame),
    /// Offsets from each tile's centre.
    Local(&'a Grid),
}

/// How far computed coordinates may be from the truth, in scaled lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Length of the error vector of a difference of two positions.
    pub(super) offset: f64,
    /// Length of the error vector of a line of sight.
    sight: f64,
    /// Relative error of every separation.
    pub(super) stretch: f64,
}

impl Coordinates<'_> {
    fn frame(&self) -> &Frame {
        match self {
            Self::Centred(frame) | Self::Wrapped(frame) => frame,
            Self::Local(grid) => &grid.frame,
        }
    }

    /// Fixed-point steps in a frame length.
    fn steps(&self) -> f64 {
        match self {
            Self::Local(_) => 1_073_741_824.0,
            _ => 4_294_967_296.0,
        }
    }

    /// The scaled length of a length of 1, so that `reach` is between 1/4 and 1: a power of two, or the one that makes the first frame
    /// length one.
    pub(super) fn unit(&self, reach: f64) -> f64 {
        let unit = libm::scalbn(1.0, -albireo_simd::fixed_point::exponent(reach));
        match self {
            Self::Local(grid) if grid.frame.rectangular() => {
                let length = grid.frame.basis[0][0] * unit;
                let power = libm::scalbn(1.0, albireo_simd::fixed_point::exponent(length) - 1);
                power / grid.frame.basis[0][0]
            }
            _ => unit,
        }
    }

    /// Whether fixed point becomes scaled lengths without rounding.
    fn exact_scale(&self, unit: f64) -> bool {
        (0..3).all(|k| {
            let step = self.frame().basis[k][k] * unit / self.steps();
            step == libm::scalbn(1.0, albireo_simd::fixed_point::exponent(step) - 1)
        })
    }

    /// Whether a coordinate is rounded once, from float64 or by its conversion; else also by its product with a scale, whose own rounding
    /// stretches separations.
    fn rounds_once(&self, unit: f64) -> bool {
        match self {
            Self::Centred(_) => true,
            Self::Local(grid) if !grid.frame.rectangular() => true,
            _ => self.exact_scale(unit),
        }
    }

    pub(super) fn errors(&self, unit: f64) -> Errors {
        let frame = self.frame();
        let largest = match self {
            Self::Centred(_) => [0.5; 3],
            Self::Wrapped(_) => [0.0; 3],
            Self::Local(grid) => grid.offset,
        };
        let fraction = match self {
            Self::Centred(_) => 0.0,
            _ => frame.fraction_error + 1.0 / self.steps(),
        };
        let roundings = if self.rounds_once(unit) { 1.01 } else { 2.02 };
        let mut offset2 = 0.0;
        for axis in 0..3 {
            let sum = |s: [f64; 3]| {
                (0..3)
                    .map(|k| frame.basis[k][axis].abs() * s[k])
                    .sum::<f64>()
            };
            let point = sum([fraction; 3]) + roundings * U * sum(largest) + 1e-15 * frame.farthest;
            offset2 += (2.0 * point * unit).powi(2);
        }
        let offset = offset2.sqrt();
        Errors {
            offset,
            sight: 2.0 * offset + 16.0 * U * frame.farthest * unit,
            stretch: if self.rounds_once(unit) {
                0.0
            } else {
                1.01 * U
            },
        }
    }

    /// Fixed point to scaled lengths, along each axis of a rectangular frame.
    pub(super) fn scale(&self, unit: f64) -> [f32; 3] {
        let frame = self.frame();
        std::array::from_fn(|k| (frame.basis[k][k] * unit / self.steps()) as f32)
    }
}

/// The separation below which a cosine is decided in float64: balances the pairs below it against doubt beyond it.
fn cosine_floor(reach: f64, offset: f64, bins: f64) -> f64 {
    (4.0 * bins * offset * reach.powi(3) / 3.0)
        .powf(0.25)
        .max(64.0 * offset)
}

impl DeviceFilter {
    /// The filter of these bins over these coordinates; none where float64 must decide every pair. No separation is larger than
    /// `farthest`; with `decided` float64 decides again what is in doubt.
    pub(super) fn new(
        form: Form<'_>,
        coordinates: Coordinates<'_>,
        farthest: Option<f64>,
        decided: bool,
    ) -> Option<Self> {
        let reach = match form {
            Form::Radial { r: edges } | Form::SMu { s: edges, .. } => edges.last(),
            Form::RpPi { rp, pi, .. } => rp.last().hypot(pi.largest()),
        };
        let unit = coordinates.unit(reach);
        if !(unit.is_normal() && unit > 1e-100 && unit < 1e100) {
            return None;
        }
        let reach = reach * unit;
        let errors = coordinates.errors(unit);
        let mut filter = Self {
            across: DeviceAxis::default(),
            along: DeviceAxis::default(),
            slots: [1; 2],
            clamp: false,
            table: Vec::new(),
            scale: coordinates.scale(unit),
            unit,
            floor2: 0.0,
            cosine_doubt: [0.0; 2],
            sight_floor2: 0.0,
            reach2: f32::MAX,
            decided,
        };
        match form {
            Form::Radial { r } => filter.separations(r, farthest, errors, RELATIVE)?,
            Form::SMu { s, mu, los } => {
                filter.separations(s, None, errors, RELATIVE_BY_INVERSE)?;
                filter.cosines(mu, los, reach, errors)?;
            }
            Form::RpPi { rp, pi, los } => filter.cylinders(rp, pi, los, reach, errors)?,
        }
        Some(filter)
    }

    /// Bins across whose coordinate is a length of a difference.
    fn separations(
        &mut self,
        edges: &Edges,
        farthest: Option<f64>,
        errors: Errors,
        relative: f64,
    ) -> Option<()> {
        let linear = |top: f64| {
            linear_axis(
                edges.values(),
                self.unit,
                [0.0, top],
                [errors.offset, relative + errors.stretch],
                self.decided,
            )
        };
        // All the separations there are, if that is little more than the bins.
        let most = edges.n_bins() as u32 / 4 + 1024;
        let reaching = farthest
            .and_then(|far| linear(far * (1.0 + 1e-5) * self.unit))
            .filter(|(axis, slots)| slots - axis.bins - axis.skip <= most);
        self.clamp = reaching.is_none();
        if let Some(found) = reaching.or_else(|| linear(edges.last() * self.unit)) {
            (self.across, self.slots[0]) = found;
            // Doubt up to a power of two is one test of bits.
            self.across.doubt = self.across.doubt.next_power_of_two();
            self.across.mask &= !(self.across.doubt - 1);
            return Some(());
        }
        self.clamp = false;
        let error = |square: f64| {
            let offset = errors.offset;
            2.0 * square.sqrt() * offset
                + offset * offset
                + (RELATIVE_SQUARE + 2.0 * errors.stretch) * square
        };
        (self.across, self.table) = table_axis(edges, self.unit, error, self.decided)?;
        self.slots[0] = self.across.bins + 2;
        Some(())
    }

    /// The shortest line of sight that is trusted, where separations down to `nearest` are; none where float64 itself, which
    /// multiplies the squares of both, could lose digits.
    fn sights(&mut self, errors: Errors, nearest: f64) -> Option<()> {
        let floor = (2.2 * errors.sight / SIGHT).max(SHORTEST_SIGHT);
        self.sight_floor2 = (floor * floor * (1.0 + 1e-5)) as f32;
        ((floor / self.unit) * (nearest / self.unit) >= SMALLEST_EDGE).then_some(())
    }

    fn cosines(
        &mut self,
        mu: &SignedEdges,
        los: LineOfSight,
        reach: f64,
        errors: Errors,
    ) -> Option<()> {
        let width = (mu.values()[mu.n_bins()] - mu.values()[0]) / mu.n_bins() as f64;
        // Rounding may bring a cosine a little beyond 1, into the slot next to the last.
        let lowest = if mu.values()[0] < 0.0 { -1.0 } else { 0.0 };
        if let LineOfSight::Fixed(_) = los {
            let found = stepped_axis(mu.values(), 1.0, [lowest, 1.0], [AXIS_COSINE, U])?;
            (self.along, self.slots[1]) = (found.axis, found.slots);
            // Unit vectors along d and d + e differ by at most 2 |e| / (|d| + |d + e|).
            let steps = f64::from(1u32 << self.along.shift);
            let near = 2.1 * errors.offset.max(LEAST_OFFSET) / width * steps;
            // The kernel tests both sides of an edge, with a step for its own rounding.
            let least = found.error.ceil() + 1.0;
            self.cosine_doubt = [
                (near * (1.0 + 2.0 * U)) as f32,
                (8_388_608.0 + least) as f32,
            ];
            // On average over a sphere.
            self.along.doubt = (2.0 * (least + 1.5 * near / reach)).ceil() as u32;
            return Some(());
        }
        let floor = cosine_floor(reach, errors.offset, 1.0 / width).max(NEAREST);
        self.floor2 = (floor * floor * (1.0 + 1e-5)) as f32;
        self.sights(errors, floor)?;
        let error = 2.2 * errors.offset / floor + COSINE + SIGHT;
        (self.along, self.slots[1]) =
            linear_axis(mu.values(), 1.0, [lowest, 1.0], [error, U], self.decided)?;
        Some(())
    }

    fn cylinders(
        &mut self,
        rp: &Edges,
        pi: &SignedEdges,
        los: LineOfSight,
        reach: f64,
        errors: Errors,
    ) -> Option<()> {
        let clamped = [pi.values()[0], pi.values()[pi.n_bins()]].map(|v| v * self.unit);
        if let LineOfSight::Fixed(_) = los {
            self.separations(rp, None, errors, RELATIVE)?;
            (self.along, self.slots[1]) = linear_axis(
                pi.values(),
                self.unit,
                clamped,
                [errors.offset, 3.0 * U + errors.stretch],
                self.decided,
            )?;
            return Some(());
        }
        self.sights(errors, reach)?;
        // A pair within reach may be computed an offset farther apart, and one computed there be another offset farther.
        let reached = (reach + errors.offset) * 1.001;
        self.reach2 = (reached * reached * (1.0 - 1e-4)) as f32;
        let far = reached + errors.offset;
        let along = errors.offset + far * (SIGHT + COSINE);
        (self.along, self.slots[1]) =
            linear_axis(pi.values(), self.unit, clamped, [along, U], self.decided)?;
        let square = 2.0 * far * (errors.offset + along)
            + errors.offset.powi(2)
            + along * along
            + 2.0 * (RELATIVE_SQUARE + 2.0 * errors.stretch) * far * far;
        (self.across, self.table) = table_axis(rp, self.unit, |_| square, self.decided)?;
        self.slots[0] = self.across.bins + 2;
        Some(())
    }
}
