//! The float32 filter of a job: what it may decide, derived from the job's own extents.
//!
//! Entry: [`Filter::new`]. With u = 2^-24 every bound below is a sum of roundings; what lies within its bound of an edge is decided
//! again in float64. Lengths are scaled by a power of two (exact) so that the reach is near 1.

use super::frame::{Frame, Grid};
use super::layout::Axis;
use crate::binning::{Edges, Form, LineOfSight, SignedEdges};

/// Rounding unit of float32.
const U: f64 = 1.0 / 16_777_216.0;
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
/// Most entries of a table of edges.
const MOST_ENTRIES: u32 = 2048;

/// What the kernels need besides the edges, and whether they may be trusted with the filter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filter {
    pub(super) across: Axis,
    pub(super) along: Axis,
    /// Slots across and along, those of no bin included.
    pub(super) slots: [u32; 2],
    /// Whether the kernel must bring larger separations back to the slot beyond the bins.
    pub(super) clamp: bool,
    /// The table of edges across, where the widths are not equal.
    pub(super) table: Vec<[u32; 2]>,
    pub(super) matrix: [f32; 9],
    pub(super) unit: f64,
    pub(super) floor2: f32,
    /// Along a fixed axis a cosine's doubt in steps: times the separation, and 2^23 more than at any separation.
    pub(super) cosine_doubt: [f32; 2],
    pub(super) sight_floor2: f32,
    pub(super) reach2: f32,
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
struct Errors {
    /// Length of the error vector of a difference of two positions.
    offset: f64,
    /// Length of the error vector of a line of sight.
    sight: f64,
    /// Relative error of every separation.
    stretch: f64,
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
    fn unit(&self, reach: f64) -> f64 {
        let unit = libm::scalbn(1.0, -crate::fixed_point::exponent(reach));
        match self {
            Self::Local(grid) if grid.frame.rectangular() => {
                let length = grid.frame.basis[0][0] * unit;
                let power = libm::scalbn(1.0, crate::fixed_point::exponent(length) - 1);
                power / grid.frame.basis[0][0]
            }
            _ => unit,
        }
    }

    /// Whether fixed point becomes scaled lengths without rounding.
    fn exact_matrix(&self, unit: f64) -> bool {
        self.frame().rectangular()
            && (0..3).all(|k| {
                let step = self.frame().basis[k][k] * unit / self.steps();
                step == libm::scalbn(1.0, crate::fixed_point::exponent(step) - 1)
            })
    }

    fn errors(&self, unit: f64) -> Errors {
        let frame = self.frame();
        let largest = match self {
            Self::Centred(_) => [0.5; 3],
            Self::Wrapped(_) => [0.0; 3],
            Self::Local(grid) => grid.offset,
        };
        let (fraction, roundings) = match self {
            // One rounding from float64.
            Self::Centred(_) => (0.0, 1.01),
            // Conversion alone where the product is exact, or both; the matrix entry stretches separations, and is counted there.
            _ if self.exact_matrix(unit) => (frame.fraction_error + 1.0 / self.steps(), 1.01),
            _ if frame.rectangular() => (frame.fraction_error + 1.0 / self.steps(), 2.02),
            // Conversion, matrix entry and at most three roundings of the sum.
            _ => (frame.fraction_error + 1.0 / self.steps(), 5.2),
        };
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
            stretch: if matches!(self, Self::Centred(_)) || self.exact_matrix(unit) {
                0.0
            } else {
                1.01 * U
            },
        }
    }

    fn matrix(&self, unit: f64) -> [f32; 9] {
        let frame = self.frame();
        std::array::from_fn(|at| (frame.basis[at % 3][at / 3] * unit / self.steps()) as f32)
    }
}

/// An axis whose edges kernels find by walking from a guess: all that float64 needs.
pub(super) fn exact_axis(values: &[f64]) -> Axis {
    let bins = values.len() - 1;
    let width = (values[bins] - values[0]) / bins as f64;
    Axis {
        bins: bins as u32,
        guess_scale: 1.0 / width,
        guess_offset: -values[0] / width,
        closed_low: u32::from(values[0] == -1.0),
        closed_high: u32::from(values[bins] == 1.0),
        ..Axis::default()
    }
}

/// Bins of equal width by one sum.
struct Steps {
    axis: Axis,
    /// Slots, those of no bin included.
    slots: u32,
    /// How far a computed coordinate may be from the truth, in steps of the fixed point.
    error: f64,
}

/// Bins of equal width by one sum, for a coordinate in `within` (all in scaled lengths); `absolute` and `relative` bound its error. None
/// where the edges are not equally wide, the error is no small part of a bin, or most slots would lie outside the bins.
fn stepped_axis(
    values: &[f64],
    unit: f64,
    within: [f64; 2],
    absolute: f64,
    relative: f64,
) -> Option<Steps> {
    let mut axis = exact_axis(values);
    let bins = values.len() - 1;
    let (low, high) = (values[0] * unit, values[bins] * unit);
    let width = (high - low) / bins as f64;
    let skip = ((low - within[0]) / width - 1e-9).ceil().max(0.0);
    let above = ((within[1] - high) / width - 1e-9).ceil().max(0.0);
    let slots = skip + bins as f64 + 2.0 + above;
    if slots > 8.0 * bins as f64 + 256.0 {
        return None;
    }
    let shift = 23u32.checked_sub((slots as u32 + 1).next_power_of_two().trailing_zeros())?;
    let steps = f64::from(1u32 << shift);
    let uneven = values
        .iter()
        .enumerate()
        .map(|(k, e)| ((e * unit - low) / width - k as f64).abs())
        .fold(0.0, f64::max);
    let largest = low.abs().max(high.abs()) + width;
    let offset = 8_388_608.0 + steps * (1.0 + skip - low / width);
    // The offset is rounded to a whole number of steps.
    let scale = (steps / width) as f32;
    let stretched = (f64::from(scale) * width / steps - 1.0).abs();
    let error = ((absolute + (relative + stretched) * largest) / width + uneven) * steps
        + (offset - offset.round()).abs();
    if error > steps / 8.0 || uneven * steps > 1.0 {
        return None;
    }
    axis.shift = shift;
    axis.mask = (1 << shift) - 1;
    axis.scale = scale;
    axis.magic = offset.round() as f32;
    axis.low = (low - 0.5 * width) as f32;
    axis.high = (high + 0.5 * width) as f32;
    axis.skip = skip as u32;
    Some(Steps {
        axis,
        slots: slots as u32,
        error: error * (1.0 + 1e-6),
    })
}

/// The same with its doubt, which never takes a slot for one above it. Returned with the number of slots.
///
/// A computed coordinate is T + e steps, |e| <= E; the kernel takes the whole slots of floor(T + e + M) for an integer M >= E. With
/// fraction bits f >= E + M, T lies in the same slot; with less it may lie in the one below, never above.
fn linear_axis(
    values: &[f64],
    unit: f64,
    within: [f64; 2],
    absolute: f64,
    relative: f64,
) -> Option<(Axis, u32)> {
    let Steps {
        mut axis,
        slots,
        error,
    } = stepped_axis(values, unit, within, absolute, relative)?;
    let margin = error.ceil();
    axis.magic += margin as f32;
    axis.doubt = (error + margin).ceil() as u32;
    Some((axis, slots))
}

/// The upper half of a float not below `margin`.
fn margin_bits(margin: f64) -> u32 {
    let mut bits = (margin as f32).to_bits();
    if bits & 0xffff != 0 || f64::from(f32::from_bits(bits)) < margin {
        bits = (bits | 0xffff) + 1;
    }
    bits & 0xffff_0000
}

/// Any edges by a table over the leading bits of the squared coordinate, whose error is `error(square)`.
fn table_axis(
    edges: &Edges,
    unit: f64,
    error: impl Fn(f64) -> f64,
) -> Option<(Axis, Vec<[u32; 2]>)> {
    if edges.n_bins() >= 0xfffe {
        return None;
    }
    let squares: Vec<f64> = edges.squares().iter().map(|e| e * unit * unit).collect();
    // An edge at zero is below everything.
    let zeros = usize::from(squares[0] == 0.0);
    let spans: Vec<[f64; 2]> = squares[zeros..]
        .iter()
        .map(|&e| {
            let margin = error(e) * (1.0 + 1e-3) + 2.0 * U * e;
            [e, margin]
        })
        .collect();
    let lowest = ((spans[0][0] - spans[0][1]).max(spans[0][0] * 0.25) as f32).to_bits();
    let highest = ((spans[spans.len() - 1][0] + spans[spans.len() - 1][1]) as f32).to_bits();
    let entries = |shift: u32| (highest >> shift) - (lowest >> shift) + 2;
    let fits: Vec<u32> = (8..=22).filter(|&s| entries(s) <= MOST_ENTRIES).collect();
    let made = fits
        .iter()
        .rev()
        .map(|&shift| fill_table(&spans, zeros, lowest, highest, shift));
    // The coarsest table without a crowded cell, or else the finest there is.
    let mut last = None;
    for (shift, table, crowded) in made {
        let done = crowded == 0;
        last = Some((shift, table));
        if done {
            break;
        }
    }
    let (shift, table) = last?;
    let mut axis = exact_axis(edges.values());
    axis.key_shift = shift;
    axis.key_low = lowest >> shift;
    axis.key_high = axis.key_low + table.len() as u32 - 1;
    Some((axis, table))
}

/// The table at one key width, and how many of its cells hold more than one edge within reach of doubt.
fn fill_table(
    spans: &[[f64; 2]],
    zeros: usize,
    lowest: u32,
    highest: u32,
    shift: u32,
) -> (u32, Vec<[u32; 2]>, usize) {
    let (key_low, key_high) = (lowest >> shift, (highest >> shift) + 1);
    let mut crowded = 0;
    let table = (key_low..=key_high)
        .map(|key| {
            let from = if key == key_low {
                0.0
            } else {
                f64::from(f32::from_bits(key << shift))
            };
            let to = if key == key_high {
                f64::INFINITY
            } else {
                f64::from(f32::from_bits((key + 1) << shift))
            };
            // Margins grow with the edges, so the edges that touch a cell are neighbours.
            let touching: Vec<usize> = (0..spans.len())
                .filter(|&k| spans[k][0] + spans[k][1] >= from && spans[k][0] - spans[k][1] <= to)
                .collect();
            let below = zeros
                + spans
                    .iter()
                    .take_while(|[e, margin]| e + margin < from)
                    .count();
            match touching.as_slice() {
                [] => [f32::MAX.to_bits(), below as u32],
                [k] if zeros + k == below => [
                    (spans[*k][0] as f32).to_bits(),
                    margin_bits(spans[*k][1]) | below as u32,
                ],
                _ => {
                    crowded += 1;
                    [0, f32::INFINITY.to_bits() | below as u32]
                }
            }
        })
        .collect();
    (shift, table, crowded)
}

/// The separation below which a cosine is decided in float64: balances the pairs below it against doubt beyond it.
fn cosine_floor(reach: f64, offset: f64, bins: f64) -> f64 {
    (4.0 * bins * offset * reach.powi(3) / 3.0)
        .powf(0.25)
        .max(64.0 * offset)
}

impl Filter {
    /// The filter of these bins over these coordinates; none where float64 must decide every pair. No
    /// separation is larger than `farthest`.
    pub(super) fn new(
        form: Form<'_>,
        coordinates: Coordinates<'_>,
        farthest: Option<f64>,
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
            across: Axis::default(),
            along: Axis::default(),
            slots: [1; 2],
            clamp: false,
            table: Vec::new(),
            matrix: coordinates.matrix(unit),
            unit,
            floor2: 0.0,
            cosine_doubt: [0.0; 2],
            sight_floor2: 0.0,
            reach2: f32::MAX,
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
                errors.offset,
                relative + errors.stretch,
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
        (self.across, self.table) = table_axis(edges, self.unit, error)?;
        self.slots[0] = self.across.bins + 2;
        Some(())
    }

    fn sights(&mut self, errors: Errors) {
        let floor = 2.2 * errors.sight / SIGHT;
        self.sight_floor2 = (floor * floor * (1.0 + 1e-5)) as f32;
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
            let found = stepped_axis(mu.values(), 1.0, [lowest, 1.0], AXIS_COSINE, U)?;
            (self.along, self.slots[1]) = (found.axis, found.slots);
            // Unit vectors along d and d + e differ by at most 2 |e| / (|d| + |d + e|).
            let steps = f64::from(1u32 << self.along.shift);
            let near = 2.1 * errors.offset / width * steps;
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
        let floor = cosine_floor(reach, errors.offset, 1.0 / width);
        self.floor2 = (floor * floor * (1.0 + 1e-5)) as f32;
        self.sights(errors);
        let error = 2.2 * errors.offset / floor + COSINE + SIGHT;
        (self.along, self.slots[1]) = linear_axis(mu.values(), 1.0, [lowest, 1.0], error, U)?;
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
                errors.offset,
                3.0 * U + errors.stretch,
            )?;
            return Some(());
        }
        self.sights(errors);
        let far = reach * 1.001;
        self.reach2 = (far * far * (1.0 - 1e-4)) as f32;
        let along = errors.offset + far * (SIGHT + COSINE);
        (self.along, self.slots[1]) = linear_axis(pi.values(), self.unit, clamped, along, U)?;
        let square = 2.0 * far * (errors.offset + along)
            + errors.offset.powi(2)
            + along * along
            + 2.0 * (RELATIVE_SQUARE + 2.0 * errors.stretch) * far * far;
        (self.across, self.table) = table_axis(rp, self.unit, |_| square)?;
        self.slots[0] = self.across.bins + 2;
        Some(())
    }
}
