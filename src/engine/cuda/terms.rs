//! What kernels know of a job, part by part; every address is nowhere yet.
//!
//! Entry: one function a part of `DeviceJob`. They decide nothing: arrangement, filter and kernel are given.

use albireo_kernels::structs::{
    DeviceAxis, FilterTerms, GridTerms, ImageTerms, PlaceTerms, SightTerms,
};
use albireo_kernels::{Bins, Variant};

use super::filter::DeviceFilter;
use super::frame::Arrangement;
use super::slots::exact_axis;
use crate::binning::LineOfSight;
use crate::domain::{Axis, Domain};

/// The line of sight as kernels number it.
pub(super) fn sight_of(los: Option<LineOfSight>) -> u32 {
    match los {
        Some(LineOfSight::Fixed(Axis::X)) => 0,
        Some(LineOfSight::Fixed(Axis::Y)) => 1,
        None | Some(LineOfSight::Fixed(Axis::Z)) => 2,
        Some(LineOfSight::Midpoint) => 3,
        Some(LineOfSight::First) => 4,
        Some(LineOfSight::End) => 5,
    }
}

/// The line of sight; with `signed` bins tell both directions along it apart.
pub(super) fn sight_terms(los: Option<LineOfSight>, signed: bool) -> SightTerms {
    let kind = sight_of(los);
    SightTerms {
        kind,
        of_first: f32::from(u8::from(matches!(kind, 3 | 4))),
        of_second: f32::from(u8::from(matches!(kind, 3 | 5))),
        sign_kept: if signed { u32::MAX } else { u32::MAX >> 1 },
    }
}

/// The images of a domain.
pub(super) fn image_terms(domain: &Domain) -> ImageTerms {
    let open = ImageTerms {
        half: [f64::INFINITY; 3],
        ..ImageTerms::default()
    };
    match domain {
        Domain::Open => open,
        Domain::Periodic(cell) => ImageTerms {
            length: cell.lengths().map(|length| length.unwrap_or(0.0)),
            half: cell
                .lengths()
                .map(|length| length.map_or(f64::INFINITY, |length| length / 2.0)),
            ..open
        },
        Domain::Triclinic(lattice) => ImageTerms {
            nearest2: lattice.sole_image2(),
            // Squares across and along may both be below their last edges where the sum of all three is above, by its roundings.
            beyond2: lattice.limit2() * (1.0 + 1e-12),
            ..open
        },
    }
}

/// The lattice vectors that images are searched among.
pub(super) fn translations(domain: &Domain) -> Vec<f64> {
    match domain {
        Domain::Open | Domain::Periodic(_) => Vec::new(),
        Domain::Triclinic(lattice) => lattice.preference().flatten().collect(),
    }
}

/// The frame of the positions and the cells in it, also between labels; lengths times `unit` are the filter's.
pub(super) fn grid_terms(arrangement: &Arrangement, unit: f64, labelled: bool) -> GridTerms {
    let frame = arrangement.frame();
    let grid = arrangement.grid();
    let within = grid.map_or(0, |grid| grid.rows.len() as u32);
    let apart = grid.map_or(0, |grid| grid.apart.len() as u32);
    let apart = if labelled { apart } else { 0 };
    GridTerms {
        origin: frame.origin,
        basis: std::array::from_fn(|at| frame.basis[at % 3][at / 3]),
        unit,
        cells: grid.map_or([0; 3], |grid| grid.cells),
        periodic: frame.periodic.map(u32::from),
        n_rows: within.max(apart),
        n_within: within,
        n_apart: apart,
        row_parts: grid.map_or(0, |grid| grid.row_parts),
        ..GridTerms::default()
    }
}

/// An axis of edges, none of them where the bins have no such axis, with what the filter makes of it.
pub(super) fn axis(values: &[f64], filtered: Option<DeviceAxis>) -> DeviceAxis {
    if values.is_empty() {
        return DeviceAxis::default();
    }
    let exact = exact_axis(values);
    filtered.map_or(exact, |filtered| DeviceAxis {
        guess_scale: exact.guess_scale,
        guess_offset: exact.guess_offset,
        closed_low: exact.closed_low,
        closed_high: exact.closed_high,
        ..filtered
    })
}

/// Where slots lie among the sums: so many across, and along where the bins have such an axis.
pub(super) fn place_terms(
    [across, along]: [&DeviceAxis; 2],
    [n_across, n_along]: [u32; 2],
) -> PlaceTerms {
    let stride = if along.bins == 0 { 1 } else { n_along };
    // Numbers that a linear axis takes from the bits of a float start at those of 2^23.
    let first = |axis: &DeviceAxis| -> u32 {
        if axis.scale == 0.0 {
            0
        } else {
            0x4B00_0000u32 >> axis.shift
        }
    };
    PlaceTerms {
        slots: n_across * stride,
        first: 0,
        flushed: n_across * stride,
        stride,
        bias: (first(across).wrapping_mul(stride))
            .wrapping_add(first(along))
            .wrapping_neg(),
        zero: across.skip * stride + along.skip,
    }
}

/// The filter of a kernel whose line of sight is of a `kind`, with padding at `pad`.
pub(super) fn filter_terms(
    filter: &DeviceFilter,
    variant: &Variant,
    kind: u32,
    pad: f32,
) -> FilterTerms {
    let mut scale = filter.scale;
    if variant.wraps() && variant.bins != Bins::R && kind < 2 {
        // These coordinates hold the line of sight last.
        scale.swap(kind as usize, 2);
    }
    FilterTerms {
        scale,
        floor2: filter.floor2,
        doubt_by_inverse: filter.cosine_doubt[0],
        doubt_least: filter.cosine_doubt[1],
        sight_floor2: filter.sight_floor2,
        reach2: filter.reach2,
        pad,
    }
}
