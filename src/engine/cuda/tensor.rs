//! The filter by tensor cores: which jobs it is for, and how far its squares may be off.
//!
//! Entry: [`Tensor::of`]. `kernels/tensor_cells.cu` says how a square is made of products of halves; the bound of their sum assumes nothing of
//! tensor cores but that each addend is cut or rounded once to 24 bits of the largest: no guard bits, in any order.

use albireo_gpu::{CudaError, Device, LaunchShape};
use albireo_kernels::Kernel;
use albireo_kernels::structs::{DeviceAxis, TensorCheck, TensorTerms, Unit};
use albireo_simd::fixed_point::{exponent, scaled};

use super::choices::pad_of;
use super::filter::Coordinates;
use super::frame::Grid;
use super::slots::{U, stepped_axis};
use crate::binning::{Form, Formed};
use crate::separation::norm2;

/// Places that the counters of a block may have: a place and where they begin, in 256 bytes, are seven bits of a float.
const MOST_PLACES: u32 = 118;
/// Fraction bits of a place, and places from which on that is what all of these bits leave.
const SHIFT: u32 = 16;
const PLACES: f64 = 72.0;
/// Relative error of a separation: 1 U from the last bit of its square, 2 U from its root.
const RELATIVE: f64 = 3.1 * U;
/// Of the largest term of a square, 2 U each: 17 addends, and 3.5 for the roundings of the squares of both distances from the centre.
const TERMS: f64 = 22.0 * 2.0 * U;
/// Half of the last bit of a half below all others, for three of them, and of a sum of such.
const LEAST_HALF: f64 = 1.0 / 16_777_216.0;
const LEAST_SQUARE: f64 = 1.0 / 1_048_576.0;
/// The doubt beside an edge, in bins, up to which the nearest edge is the one that is in doubt.
const MOST_DOUBT: f64 = 0.125;

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

/// The error of a square beside that of the lowest edge, at most.
const MOST_OF_EDGE: f64 = 0.14;

/// What tensor cores need to know of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    pub(super) axis: DeviceAxis,
    pub(super) slots: u32,
    pub(super) scale: [f32; 3],
    /// A kernel's scaled length of a length of 1.
    pub(super) unit: f64,
    pub(super) terms: TensorTerms,
}

/// How far from a tile's centre its firsts and the seconds around it lie, at most.
fn distances(grid: &Grid) -> [f64; 2] {
    let across: [f64; 3] = std::array::from_fn(|axis| {
        let along = |k: usize| grid.frame.basis[k][axis].abs() * grid.offset[k];
        (0..3).map(along).sum()
    });
    [grid.tile_half, across].map(|half| norm2(half).sqrt() * (1.0 + 1e-6))
}

impl Tensor {
    /// The filter of bins over cells; none where it is not for them.
    pub(super) fn of(binning: &Formed<'_>, grid: &Grid) -> Option<Self> {
        let Form::Radial { r } = binning.form else {
            return None;
        };
        let coordinates = Coordinates::Local(grid);
        let reach = r.last();
        let [of_tile, of_second] = distances(grid);
        // Halves take lengths up to 128 and their squares.
        let unit = coordinates.unit(reach);
        let unit = unit * scaled(1.0, exponent(of_second.max(2.0 * reach) * unit) - 7);
        if !(unit.is_normal() && unit > 1e-100 && unit < 1e100) {
            return None;
        }
        let errors = coordinates.errors(unit);
        // A position as two halves is off by 2^-23 of each coordinate.
        let halved = 4.0 * U * of_second * unit + 4.0 * LEAST_HALF;
        let (pad, _) = pad_of(grid, binning);
        let pad = pad.max(of_tile) * unit;
        let farthest = [
            grid.farthest * unit,
            pad.hypot(of_second * unit),
            pad * std::f64::consts::SQRT_2,
        ];
        let width = (reach - r.values()[0]) / r.n_bins() as f64 * unit;
        let farthest = farthest.into_iter().fold(0.0, f64::max) * (1.0 + 1e-4) + width;
        let absolute = errors.offset + halved;
        let relative = RELATIVE + errors.stretch;
        let steps = |top: f64| stepped_axis(r.values(), unit, [0.0, top], [absolute, relative]);
        let slots = steps(farthest).map(|steps| steps.slots)?;
        if slots > MOST_PLACES {
            return None;
        }
        let found = steps(farthest.max(PLACES * width))?;
        let mut axis = found.axis;
        if axis.shift != SHIFT {
            return None;
        }
        let step = f64::from(1u32 << SHIFT);
        axis.scale /= step as f32;
        axis.magic /= step as f32;
        let more = 6.1e-6 * (of_tile * unit).powi(2) + 2.0 * LEAST_SQUARE;
        let lowest = r.values().iter().find(|&&edge| edge > 0.0)? * unit;
        // |r - r'| is the error of a square over r + r', which is at least 2 - error / edge^2 times the edge between them.
        let over = step / width / (2.0 - MOST_OF_EDGE);
        let terms = TensorTerms {
            more: more as f32,
            pad2: (pad * pad) as f32,
            reach2: ((reach * unit + 4.0 * absolute).powi(2) * (1.0 + 1e-4)) as f32,
            fixed: found.error as f32,
            by_term: (1.001 * TERMS * over) as f32,
            least: (1.001 * (more + LEAST_SQUARE) * over) as f32,
            lowest2: (lowest * lowest * (1.0 - 1e-6)) as f32,
        };
        let largest = (of_second.max(of_tile) * unit)
            .powi(2)
            .max(2.0 * of_second * of_tile * unit * unit);
        // Of a square, and beside the lowest edge.
        let square = TERMS * largest + more + LEAST_SQUARE;
        let worst = found.error + square * over / lowest;
        let sure =
            worst * 1.01 + 2.0 < MOST_DOUBT * step && square < MOST_OF_EDGE * lowest * lowest;
        let scale = coordinates.scale(unit);
        sure.then_some(Self {
            axis,
            slots,
            scale,
            unit,
            terms,
        })
    }
}
