//! The filter by tensor cores: which jobs it is for, and how far its squares may be off.
//!
//! Entry: [`Tensor::of`]. `kernels/tensor_cells.cu` says how a square is made of products of halves; the bound of their sum assumes nothing of
//! tensor cores but that each addend is cut or rounded once to 24 bits of the largest: no guard bits, in any order.

use albireo_gpu::{CudaError, Device, LaunchShape};
use albireo_kernels::Kernel;
use albireo_kernels::structs::{DeviceAxis, TensorCheck, TensorTerms, Unit};
use albireo_simd::fixed_point::{exponent, scaled};

use super::filter::{Coordinates, Errors, SIGHT, cosine_floor};
use super::frame::Grid;
use super::slots::{Steps, U, stepped_axis};
use crate::binning::{Edges, Form, Formed, LineOfSight, SignedEdges};
use crate::separation::{SMALLEST_EDGE, norm2};

/// Places that the counters of a block may have: a place and where they begin, in 256 bytes, are seven bits of a float. The same of slots that are
/// no part of an address.
const MOST_PLACES: u32 = 118;
const MOST_SLOTS: u32 = 126;
/// Fraction bits of a place, and places from which on that is what all of these bits leave.
const SHIFT: u32 = 16;
const PLACES: f64 = 72.0;
/// Relative error of a separation: 1 U from the last bit of its square, 2 U from its root.
const RELATIVE: f64 = 3.1 * U;
/// The same where the root is the square times its inverse root: 2.15 U, and a product.
const RELATIVE_BY_INVERSE: f64 = 4.3 * U;
/// Of the largest term of a square, 2 U each: 17 addends, and 3.5 for the roundings of the squares of both distances from the centre.
const TERMS: f64 = 22.0 * 2.0 * U;
/// Half of the last bit of a half below all others, for three of them, and of a sum of such.
const LEAST_HALF: f64 = 1.0 / 16_777_216.0;
const LEAST_SQUARE: f64 = 1.0 / 1_048_576.0;
/// The doubt beside an edge, in bins, up to which fractions tell it.
const MOST_DOUBT: f64 = 0.125;
/// The error of a square beside that of the lowest edge, at most.
const MOST_OF_EDGE: f64 = 0.14;
/// Relative error of a cosine: 1 U from the last bit of the square and one each from the difference and the last product, 2.15 U from the inverse
/// root; of a line of sight from an observer, half of its last bit and of that of the product of both squares.
const COSINE: f64 = 6.3 * U;
/// See [`Along`].
const SECOND_ORDER: f64 = 1.06;
const MOST_OF_COSINE: f64 = 310.0 * U;

/// Blocks and threads of the check of tensor cores, of 2048 sums a warp; a warp has 768 bytes of shared memory.
const CHECK: [u32; 2] = [128, 128];
/// Where shared memory may begin at most, so that all places have seven bits.
const MOST_ADDRESS: u32 = (127 - MOST_PLACES) * 256;

/// Whether a million random sums of the tensor cores of a device are within their bound, and its shared memory begins where it should; looked at
/// once. False where there are none.
pub(super) fn tensors_keep_their_bound<D: Device>(device: &D) -> Result<bool, CudaError> {
    let Some(known) = device.tensor_cores() else {
        return Ok(false);
    };
    if let Some(&kept) = known.get() {
        return Ok(kept);
    }
    device.make_room(256)?;
    let mut wrong = device.allocate(4)?;
    device.clear(&mut wrong)?;
    let check = TensorCheck {
        wrong: device.address(&wrong).into(),
        most_address: MOST_ADDRESS,
        gap: 0,
    };
    let [blocks, threads] = CHECK;
    let shape = LaunchShape {
        grid: [blocks, 1],
        threads,
        shared: 768 * threads as usize / 32,
    };
    device.launch(Kernel::TensorCheck, shape, &check, &Unit::default())?;
    let mut found = [0u32];
    device.download(&wrong, &mut found)?;
    Ok(*known.get_or_init(|| found == [0]))
}

/// How far squares of separations may be off, and what is known of positions; in scaled lengths.
struct Squares {
    unit: f64,
    reach: f64,
    /// A bin across.
    width: f64,
    /// A difference of two positions, and what halves add to that.
    errors: Errors,
    halved: f64,
    /// The largest coordinate across.
    farthest: f64,
    /// How far firsts and seconds lie from the centre of a tile, at most.
    radii: [f64; 2],
    /// What padding has across: a place next to the last bin.
    pad: f64,
    /// What all squares have more.
    more: f64,
}

impl Squares {
    /// Of bins whose coordinate across is at most `farthest`. Where squares are to be `positive`, they all have so much more that no error brings
    /// one below 0.
    fn of(edges: &Edges, grid: &Grid, farthest: f64, positive: bool) -> Option<Self> {
        let coordinates = Coordinates::Local(grid);
        let reach = edges.last();
        let radii = halves_of(grid).map(|half| norm2(half).sqrt() * (1.0 + 1e-6));
        // Halves take lengths up to 128 and their squares.
        let unit = coordinates.unit(reach);
        let unit = unit * scaled(1.0, exponent(radii[1].max(2.0 * reach) * unit) - 7);
        if !(unit.is_normal() && unit > 1e-100 && unit < 1e100) {
            return None;
        }
        let radii = radii.map(|radius| radius * unit);
        let width = (reach - edges.values()[0]) / edges.n_bins() as f64 * unit;
        let pad = reach * unit + 0.5 * width;
        let farthest = (farthest * unit)
            .max(pad.hypot(radii[1]))
            .max(pad * std::f64::consts::SQRT_2);
        Some(Self {
            unit,
            reach: reach * unit,
            width,
            errors: coordinates.errors(unit),
            // A position as two halves is off by 2^-23 of each coordinate.
            halved: 4.0 * U * radii[1] + 4.0 * LEAST_HALF,
            farthest: farthest * (1.0 + 1e-4) + width,
            radii,
            pad,
            more: if positive {
                6.1e-6 * radii[0].powi(2) + 2.0 * LEAST_SQUARE
            } else {
                0.0
            },
        })
    }

    fn of_difference(&self) -> f64 {
        self.errors.offset + self.halved
    }

    /// What is off at least.
    fn least(&self) -> f64 {
        self.more + LEAST_SQUARE
    }

    /// Slots across.
    fn across(&self, edges: &Edges, relative: f64) -> Option<(Steps, TensorTerms)> {
        let unit = self.unit;
        let absolute = self.of_difference();
        let errors = [absolute, relative + self.errors.stretch];
        let steps = slots_of(edges.values(), unit, [0.0, self.farthest], errors)?;
        let step = f64::from(1u32 << SHIFT);
        let lowest = edges.values().iter().find(|&&edge| edge > 0.0)? * unit;
        // |r - r'| is the error of a square over r + r', which is at least 2 - error / edge^2 times the edge between them.
        let over = step / self.width / (2.0 - MOST_OF_EDGE);
        let [first, second] = self.radii;
        let largest = second.max(first).powi(2).max(2.0 * second * first);
        // Of a square, and beside the lowest edge.
        let square = TERMS * largest + self.least();
        let worst = steps.error + square * over / lowest;
        let sure =
            worst * 1.01 + 2.0 < MOST_DOUBT * step && square < MOST_OF_EDGE * lowest * lowest;
        let terms = TensorTerms {
            more: self.more as f32,
            pad2: (self.pad * self.pad) as f32,
            reach2: ((self.reach + 4.0 * absolute).powi(2) * (1.0 + 1e-4)) as f32,
            fixed: steps.error as f32,
            by_term: (1.001 * TERMS) as f32,
            least: (1.001 * self.least()) as f32,
            over: over as f32,
            lowest2: (lowest * lowest * (1.0 - 1e-6)) as f32,
            ..TensorTerms::default()
        };
        sure.then_some((steps, terms))
    }
}

/// Slots of one byte by one sum, for a coordinate in `within`.
fn slots_of(values: &[f64], unit: f64, within: [f64; 2], errors: [f64; 2]) -> Option<Steps> {
    let slots = stepped_axis(values, unit, within, errors)?.slots;
    let width = unit * (values[values.len() - 1] - values[0]) / (values.len() - 1) as f64;
    // As many as make all fraction bits.
    let lowest = within[0].min(values[0] * unit);
    let top = within[1].max(lowest + PLACES * width);
    let mut found = stepped_axis(values, unit, [within[0], top], errors)?;
    if found.axis.shift != SHIFT {
        return None;
    }
    let step = f64::from(1u32 << SHIFT);
    found.axis.scale /= step as f32;
    found.axis.magic /= step as f32;
    Some(Steps { slots, ..found })
}

/// What places pairs along the line of sight, in as many slots as bins have such an axis.
///
/// # (rp, pi)
/// pi is the difference of two floats, whose error is that of positions and a rounding.
///
/// # (s, mu)
/// Let d and l be a pair's separation and line of sight; d' and l' those of the points as floats; and R^2, L^2 and D what kernels find for
/// d'^2, l'^2 and d'.l' = |x1|^2 - |x2|^2 (along an axis D is a component of d' and L is 1). With every one of |d|, |d'|, R at least p, and
/// those of l at least q, the cosine D / (R L) is off by no more than, to first order,
/// - |d - d'| / p + |l - l'| / q, for unit vectors along x and x + e differ by at most 2 |e| / (|x| + |x + e|);
/// - (R^2 - d'^2) / 2 p^2: H / p for positions as halves, H off, and half of the error E of the sum of products;
/// - (L^2 - l'^2) / 2 q^2: L^2 = (C + 2 a) + 2 b - R^2, where a and b are 2 c.x + |x|^2 of both points as seen from the centre c, C = 4 c^2, and
///   a, b, C and both sums are rounded: U (3 C + 6 |a| + 4 |b|) <= 3 U S, S = C + 2 (|a| + |b|), and R^2 has its own error, E + 2 d' H + H^2;
/// - U (|a| + |b|) / p q for D = a - b;
/// - roundings relative to itself, `COSINE`.
///
/// What is left out are products of two of these, each below 1/50, and what p may be more than the smallest of its three, whose squares differ by
/// a thirtieth of theirs at most: `SECOND_ORDER` makes up for both.
///
/// A pass knows p by the boxes of its points, and q by their distances from the centre. Where that leaves p^2 below `near` E (or `near2`, as in the
/// float32 filter), or q^2 below (S + 4 M + `sight_least`) / 32, with M the largest term of squares, it asks each pair; those below are in doubt.
/// So M is at most 8 q^2, |a| + |b| at most 17 q sqrt(M), and what lines of sight add is bounded for every pass: by `MOST_OF_COSINE`, and 22 U / sqrt(near).
struct Along {
    steps: Steps,
    terms: TensorTerms,
}

impl Along {
    fn pi(pi: &SignedEdges, squares: &Squares) -> Option<Self> {
        let Squares { unit, errors, .. } = squares;
        let values = pi.values();
        let last = values[pi.n_bins()] * unit;
        // What lies beyond is brought back.
        let within = [values[0].min(0.0) * unit, last];
        let relative = 3.0 * U + errors.stretch;
        let steps = slots_of(values, *unit, within, [errors.offset, relative])?;
        let terms = TensorTerms {
            along_reach: ((pi.largest() * unit + 4.0 * errors.offset) * (1.0 + 1e-4)) as f32,
            along_fixed: steps.error as f32,
            ..TensorTerms::default()
        };
        Some(Self { steps, terms })
    }

    fn mu(mu: &SignedEdges, squares: &Squares, observed: bool) -> Option<Self> {
        let values = mu.values();
        let width = (values[mu.n_bins()] - values[0]) / mu.n_bins() as f64;
        let lowest = if values[0] < 0.0 { -1.0 } else { 0.0 };
        let fixed = COSINE + 2.0 * squares.errors.stretch;
        let steps = slots_of(values, 1.0, [lowest, 1.0], [fixed, U])?;
        // Balances pairs below it against doubt beyond it, as `cosine_floor` does, where M is about the square of the size of a pass.
        let near = (7.0 * U / width).powf(0.4);
        let offset = squares.of_difference();
        let floor = cosine_floor(squares.reach, offset, 1.0 / width);
        let of_sight = 2.0 * squares.farthest * squares.halved + squares.halved.powi(2);
        let sight_least = ((of_sight + squares.least()) / (3.0 * U))
            .max(32.0 * (2.2 * squares.errors.sight / SIGHT).powi(2));
        let shortest = (sight_least / 32.0).sqrt() / squares.unit;
        if observed && shortest * (floor / squares.unit) < SMALLEST_EDGE {
            return None;
        }
        let along_steps = SECOND_ORDER * f64::from(1u32 << SHIFT) / width;
        let most = offset / floor + 0.5 * TERMS / near + MOST_OF_COSINE + 22.0 * U / near.sqrt();
        if (steps.error + along_steps * most) * 1.01 + 2.0 >= MOST_DOUBT * f64::from(1u32 << SHIFT)
        {
            return None;
        }
        let terms = TensorTerms {
            along_fixed: steps.error as f32,
            along_steps: along_steps as f32,
            offset: offset as f32,
            near: (near / TERMS) as f32,
            near2: (floor * floor * (1.0 + 1e-5)) as f32,
            sight: squares.errors.sight as f32,
            sight_least: sight_least as f32,
            rounding: (1.001 * U) as f32,
            ..TensorTerms::default()
        };
        Some(Self { steps, terms })
    }
}

/// What tensor cores need to know of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) across: DeviceAxis,
    pub(super) along: DeviceAxis,
    pub(super) slots: [u32; 2],
    pub(super) matrix: [f32; 9],
    /// A kernel's scaled length of a length of 1.
    pub(super) unit: f64,
    pub(super) terms: TensorTerms,
}

/// How far from a tile's centre its firsts and the seconds around it lie along each axis, at most.
fn halves_of(grid: &Grid) -> [[f64; 3]; 2] {
    let around = std::array::from_fn(|axis| {
        let along = |k: usize| grid.frame.basis[k][axis].abs() * grid.offset[k];
        (0..3).map(along).sum()
    });
    [grid.tile_half, around]
}

/// Edges across, the relative error of a coordinate among them, and the largest between a tile and what is around it; none in other bins than those
/// that tensor cores count in.
fn across_of<'a>(form: Form<'a>, grid: &Grid) -> Option<(&'a Edges, f64, f64)> {
    match form {
        Form::Radial { r: edges }
        | Form::SMu {
            s: edges,
            los: LineOfSight::Midpoint,
            ..
        } => Some((edges, RELATIVE, grid.farthest)),
        Form::SMu {
            s,
            los: LineOfSight::Fixed(_),
            ..
        } => Some((s, RELATIVE_BY_INVERSE, grid.farthest)),
        Form::RpPi {
            rp,
            los: LineOfSight::Fixed(axis),
            ..
        } => {
            let [first, second] = halves_of(grid);
            let mut beside: [f64; 3] = std::array::from_fn(|k| first[k] + second[k]);
            beside[axis.index()] = 0.0;
            Some((rp, RELATIVE, norm2(beside).sqrt()))
        }
        _ => None,
    }
}

impl Tensor {
    /// The filter of bins over cells; none where it is not for them.
    pub(super) fn of(binning: &Formed<'_>, grid: &Grid) -> Option<Self> {
        let (edges, relative, farthest) = across_of(binning.form, grid)?;
        // With a cosine, squares next to 0 are in doubt, below it or not.
        let positive = !matches!(binning.form, Form::SMu { .. });
        let squares = Squares::of(edges, grid, farthest, positive)?;
        let (across, of_across) = squares.across(edges, relative)?;
        let along = match binning.form {
            Form::SMu { mu, los, .. } => {
                Some(Along::mu(mu, &squares, los == LineOfSight::Midpoint)?)
            }
            Form::RpPi { pi, .. } => Some(Along::pi(pi, &squares)?),
            Form::Radial { .. } => None,
        };
        let most = if along.is_some() {
            MOST_SLOTS
        } else {
            MOST_PLACES
        };
        let (along, slots, of_along) = along.map_or_else(
            || (DeviceAxis::default(), 1, TensorTerms::default()),
            |along| (along.steps.axis, along.steps.slots, along.terms),
        );
        (across.slots <= most && slots <= MOST_SLOTS).then(|| Self {
            across: across.axis,
            along,
            slots: [across.slots, slots],
            matrix: Coordinates::Local(grid).matrix(squares.unit),
            unit: squares.unit,
            terms: TensorTerms {
                more: of_across.more,
                pad2: of_across.pad2,
                reach2: of_across.reach2,
                fixed: of_across.fixed,
                by_term: of_across.by_term,
                least: of_across.least,
                over: of_across.over,
                lowest2: of_across.lowest2,
                ..of_along
            },
        })
    }
}
