//! Where the float32 filter puts a coordinate among the edges of an axis, and when it is in doubt.
//!
//! Entry: [`linear_axis`], [`table_axis`]. They take bounds of the coordinate's error, which come from the filter.

use albireo_kernels::structs::DeviceAxis;

use crate::binning::Edges;

/// Rounding unit of float32.
pub(super) const U: f64 = 1.0 / 16_777_216.0;
/// Most entries of a table of edges.
const MOST_ENTRIES: u32 = 2048;

/// An axis whose edges kernels find by walking from a guess: all that float64 needs.
pub(super) fn exact_axis(values: &[f64]) -> DeviceAxis {
    let bins = values.len() - 1;
    let width = (values[bins] - values[0]) / bins as f64;
    DeviceAxis {
        bins: bins as u32,
        guess_scale: 1.0 / width,
        guess_offset: -values[0] / width,
        closed_low: u32::from(values[0] == -1.0),
        closed_high: u32::from(values[bins] == 1.0),
        ..DeviceAxis::default()
    }
}

/// Bins of equal width by one sum.
pub(super) struct Steps {
    pub(super) axis: DeviceAxis,
    /// Slots, those of no bin included.
    pub(super) slots: u32,
    /// How far a computed coordinate may be from the truth, in steps of the fixed point.
    pub(super) error: f64,
}

/// Bins of equal width by one sum, for a coordinate in `within` (all in scaled lengths); `absolute` and `relative` bound its error. None
/// where the edges are not equally wide, the error is no small part of a bin, or most slots would lie outside the bins.
pub(super) fn stepped_axis(
    values: &[f64],
    unit: f64,
    within: [f64; 2],
    [absolute, relative]: [f64; 2],
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
/// fraction bits f >= E + M, T lies in the same slot; with less it may lie in the one below, never above. Where nothing is decided again M
/// is 0, so that errors move as many pairs up as down.
pub(super) fn linear_axis(
    values: &[f64],
    unit: f64,
    within: [f64; 2],
    errors: [f64; 2],
    decided: bool,
) -> Option<(DeviceAxis, u32)> {
    let Steps {
        mut axis,
        slots,
        error,
    } = stepped_axis(values, unit, within, errors)?;
    if !decided {
        return Some((axis, slots));
    }
    let margin = error.ceil();
    axis.magic += margin as f32;
    axis.doubt = (error + margin).ceil() as u32;
    Some((axis, slots))
}

/// The first float32 not below `edge`: of the floats that values are rounded to, those from there on are most likely not below it.
fn rounded_up(edge: f64) -> f64 {
    let nearest = edge as f32;
    f64::from(if f64::from(nearest) < edge {
        nearest.next_up()
    } else {
        nearest
    })
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
pub(super) fn table_axis(
    edges: &Edges,
    unit: f64,
    error: impl Fn(f64) -> f64,
    decided: bool,
) -> Option<(DeviceAxis, Vec<[u32; 2]>)> {
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
            if decided {
                [e, margin]
            } else {
                [rounded_up(e), 0.0]
            }
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
