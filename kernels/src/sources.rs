//! The texts of the kernels that are no variants of counting ones, and of what all include.
//!
//! Entry: [`headers`].

use std::sync::OnceLock;

use crate::structs;

/// A file: its name as `#include` spells it, and its text.
pub type File = (&'static str, &'static str);

/// Every header, in the order of their dependence. That of the structs is made from the host's.
pub fn headers() -> &'static [File] {
    static HEADERS: OnceLock<Vec<File>> = OnceLock::new();
    HEADERS.get_or_init(|| {
        static STRUCTS: OnceLock<String> = OnceLock::new();
        let structs = STRUCTS.get_or_init(structs::header);
        let (device, rest) = (WRITTEN[0], &WRITTEN[1..]);
        [&[device, ("structs.cuh", structs)], rest].concat()
    })
}

/// The headers that are files.
const WRITTEN: &[File] = &[
    ("device.cuh", include_str!("../device.cuh")),
    ("separation.cuh", include_str!("../separation.cuh")),
    ("binning/edges.cuh", include_str!("../binning/edges.cuh")),
    (
        "binning/line_of_sight.cuh",
        include_str!("../binning/line_of_sight.cuh"),
    ),
    ("binning/r.cuh", include_str!("../binning/r.cuh")),
    ("binning/s_mu.cuh", include_str!("../binning/s_mu.cuh")),
    ("binning/rp_pi.cuh", include_str!("../binning/rp_pi.cuh")),
    ("operations.cuh", include_str!("../operations.cuh")),
    (
        "ops/mean_separation.cuh",
        include_str!("../ops/mean_separation.cuh"),
    ),
    ("ops/legendre.cuh", include_str!("../ops/legendre.cuh")),
    (
        "ops/pair_weight.cuh",
        include_str!("../ops/pair_weight.cuh"),
    ),
    (
        "ops/realisations.cuh",
        include_str!("../ops/realisations.cuh"),
    ),
    (
        "ops/histogram_rows.cuh",
        include_str!("../ops/histogram_rows.cuh"),
    ),
    ("ops/histogram.cuh", include_str!("../ops/histogram.cuh")),
    ("ops/count.cuh", include_str!("../ops/count.cuh")),
    ("ops/weighted.cuh", include_str!("../ops/weighted.cuh")),
    ("ops/terms.cuh", include_str!("../ops/terms.cuh")),
    ("measured.cuh", include_str!("../measured.cuh")),
    ("queue.cuh", include_str!("../queue.cuh")),
    ("sweep.cuh", include_str!("../sweep.cuh")),
    ("neighbours.cuh", include_str!("../neighbours.cuh")),
    ("tensor.cuh", include_str!("../tensor.cuh")),
    ("field/term.cuh", include_str!("../field/term.cuh")),
    (
        "dynamics/normal.cuh",
        include_str!("../dynamics/normal.cuh"),
    ),
    (
        "dynamics/particles.cuh",
        include_str!("../dynamics/particles.cuh"),
    ),
];

/// The source that sorts samples into cells.
pub const SORT: File = ("sort.cu", include_str!("../sort.cu"));

/// The source of sums per target on grids along the axes of their frame.
pub const FIELD_LATTICE: File = ("lattice.cu", include_str!("../field/lattice.cu"));

/// The source of sums per target anywhere.
pub const FIELD_POINTS: File = ("points.cu", include_str!("../field/points.cu"));

/// The source of sums per target by slices of sources in constant memory.
pub const FIELD_SLICED: File = ("sliced.cu", include_str!("../field/sliced.cu"));

/// The source of sums per target by small bins of sources.
pub const FIELD_SMALL_BINS: File = ("small_bins.cu", include_str!("../field/small_bins.cu"));

/// The source of random numbers.
pub const RAND48: File = ("rand48.cu", include_str!("../rand48.cu"));

/// The source that checks tensor cores.
pub const TENSOR_CHECK: File = ("tensor_check.cu", include_str!("../tensor_check.cu"));

/// The source of steps of particles that move.
pub const DYNAMICS_STEPS: File = ("steps.cu", include_str!("../dynamics/steps.cu"));

/// The source of their lists of neighbours.
pub const DYNAMICS_LISTS: File = ("lists.cu", include_str!("../dynamics/lists.cu"));

/// The source of their forces.
pub const DYNAMICS_FORCES: File = ("forces.cu", include_str!("../dynamics/forces.cu"));

/// The source of quads and triples of random points.
pub const COVARIANCE_TILES: File = ("tiles.cu", include_str!("../covariance/tiles.cu"));
