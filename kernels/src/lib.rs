//! CUDA C++ sources of the pair counting kernels, as data: this crate compiles and launches nothing.
//!
//! Entry: [`Variant`] names one kernel as a source file and its macros; [`HEADERS`] is what the sources include. A case that no
//! variant names is never compiled; a variant is compiled for the device at hand on first use.

/// A file: its name as `#include` spells it, and its text.
pub type File = (&'static str, &'static str);

/// Every header, in the order of their dependence.
pub const HEADERS: &[File] = &[
    ("device.cuh", include_str!("../device.cuh")),
    ("job.cuh", include_str!("../job.cuh")),
    ("separation.cuh", include_str!("../separation.cuh")),
    ("binning/edges.cuh", include_str!("../binning/edges.cuh")),
    (
        "binning/line_of_sight.cuh",
        include_str!("../binning/line_of_sight.cuh"),
    ),
    ("binning/r.cuh", include_str!("../binning/r.cuh")),
    ("binning/s_mu.cuh", include_str!("../binning/s_mu.cuh")),
    ("binning/rp_pi.cuh", include_str!("../binning/rp_pi.cuh")),
    ("ops/histogram.cuh", include_str!("../ops/histogram.cuh")),
    ("ops/count.cuh", include_str!("../ops/count.cuh")),
    ("ops/weighted.cuh", include_str!("../ops/weighted.cuh")),
    ("sweep.cuh", include_str!("../sweep.cuh")),
];

/// Which pairs a kernel visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Traversal {
    /// Every pair, sums in global memory.
    Simple,
    /// Every pair, first points in constant memory.
    Constant,
    /// Every pair, first points in shared memory.
    AllPairs,
    /// Pairs of neighbouring cells.
    Cells,
}

/// The space of the separations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// No boundary.
    Open = 0,
    /// Orthorhombic, any set of periodic axes.
    Periodic = 1,
    /// Triclinic.
    Triclinic = 2,
}

/// How pairs are binned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bins {
    /// Separation, or chord between unit vectors.
    R = 0,
    /// (s, mu).
    SMu = 1,
    /// (rp, pi).
    RpPi = 2,
}

/// The line of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sight {
    /// Fixed along x.
    X = 0,
    /// Fixed along y.
    Y = 1,
    /// Fixed along z.
    Z = 2,
    /// From the observer to the middle of the pair.
    Midpoint = 3,
    /// From the observer to the first point.
    First = 4,
    /// From the observer to the second point.
    End = 5,
}

/// The arithmetic that decides pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Float64 for every pair.
    Float64 = 0,
    /// A float32 filter; doubtful pairs again in float64. The same integers.
    Filtered = 1,
    /// The float32 filter alone: approximate.
    Float32 = 2,
}

/// How doubtful pairs are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// At once: they are rare.
    AtOnce = 0,
    /// By whole warps, a sweep at a time: they are common.
    BySweep = 1,
    /// By whole warps, whenever there are enough.
    ByPair = 2,
}

/// One counting kernel. Every field is a macro of the source.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a macro that is 0 or 1"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Which pairs.
    pub traversal: Traversal,
    /// The space.
    pub space: Space,
    /// The bins.
    pub bins: Bins,
    /// The line of sight; [`Sight::Z`] where the bins have none.
    pub sight: Sight,
    /// Whether weight products are summed.
    pub weighted: bool,
    /// The arithmetic.
    pub arithmetic: Arithmetic,
    /// Whether the filter finds the bin across by a table (any edges) or by one sum (equal widths).
    pub table: bool,
    /// Whether the coordinate along the line of sight is signed.
    pub signed: bool,
    /// Whether sums go straight to global memory: more bins than a block's shared memory holds.
    pub global_sums: bool,
    /// Whether separations beyond the last bin can occur and are brought back to the slot beyond it.
    pub clamp: bool,
    /// How doubtful pairs are decided.
    pub doubt: Doubt,
    /// Whether positions stay fixed-point fractions whose differences wrap (all pairs of a periodic box).
    pub wrap: bool,
    /// Threads a block.
    pub threads: u32,
    /// Second points a thread.
    pub points: u32,
    /// First points a tile.
    pub tile: u32,
}

/// The source that sorts samples into cells.
pub const SORT: File = ("sort.cu", include_str!("../sort.cu"));

impl Variant {
    /// The source file.
    pub fn source(&self) -> File {
        match self.traversal {
            Traversal::Simple => ("simple.cu", include_str!("../simple.cu")),
            Traversal::Constant => ("constant.cu", include_str!("../constant.cu")),
            Traversal::AllPairs => ("all_pairs.cu", include_str!("../all_pairs.cu")),
            Traversal::Cells => ("cells.cu", include_str!("../cells.cu")),
        }
    }

    /// The kernel's name in the source.
    pub fn entry(&self) -> &'static str {
        match self.traversal {
            Traversal::Simple => "albireo_simple",
            Traversal::Constant => "albireo_constant",
            Traversal::AllPairs => "albireo_all_pairs",
            Traversal::Cells => "albireo_cells",
        }
    }

    /// The macros that make this variant, `NAME=value`.
    pub fn macros(&self) -> Vec<String> {
        [
            ("DOMAIN", self.space as u32),
            ("BINNING", self.bins as u32),
            ("SIGHT", self.sight as u32),
            ("WEIGHTED", u32::from(self.weighted)),
            ("PRECISION", self.arithmetic as u32),
            ("EDGES", u32::from(self.table)),
            ("SIGNED", u32::from(self.signed)),
            ("HISTOGRAM", u32::from(self.global_sums)),
            ("CLAMP", u32::from(self.clamp)),
            ("QUEUE", self.doubt as u32),
            ("WRAP", u32::from(self.wrap)),
            ("THREADS", self.threads),
            ("POINTS", self.points),
            ("TILE", self.tile),
        ]
        .map(|(name, value)| format!("ALBIREO_{name}={value}"))
        .to_vec()
    }
}

/// Every kernel that the engine can ask for, in one shape each (threads, points and tile change nothing but sizes).
pub fn every_variant() -> Vec<Variant> {
    let mut variants = Vec::new();
    for traversal in [
        Traversal::Simple,
        Traversal::Constant,
        Traversal::AllPairs,
        Traversal::Cells,
    ] {
        let named = matches!(traversal, Traversal::Simple | Traversal::Constant);
        for space in [Space::Open, Space::Periodic, Space::Triclinic] {
            for (bins, sight) in bins_and_sights(space) {
                for arithmetic in [
                    Arithmetic::Float64,
                    Arithmetic::Filtered,
                    Arithmetic::Float32,
                ] {
                    // The kernels to check by decide in float64 alone.
                    if named && arithmetic != Arithmetic::Float64 {
                        continue;
                    }
                    variants.extend(flags(traversal, space, bins, sight, arithmetic));
                }
            }
        }
    }
    variants
}

/// Bins with the lines of sight that they have in a space.
fn bins_and_sights(space: Space) -> Vec<(Bins, Sight)> {
    let fixed = [Sight::X, Sight::Y, Sight::Z];
    let observed = [Sight::Midpoint, Sight::First, Sight::End];
    let observed = observed.into_iter().filter(|_| space == Space::Open);
    let sights: Vec<Sight> = fixed.into_iter().chain(observed).collect();
    let mut pairs = vec![(Bins::R, Sight::Z)];
    for bins in [Bins::SMu, Bins::RpPi] {
        pairs.extend(sights.iter().map(|&sight| (bins, sight)));
    }
    pairs
}

/// The remaining choices of one case.
fn flags(
    traversal: Traversal,
    space: Space,
    bins: Bins,
    sight: Sight,
    arithmetic: Arithmetic,
) -> Vec<Variant> {
    let filtered = arithmetic != Arithmetic::Float64;
    let wrap = filtered && traversal == Traversal::AllPairs && space == Space::Periodic;
    let none = filtered && traversal == Traversal::AllPairs && space == Space::Triclinic;
    let edges: &[bool] = if filtered { &[false, true] } else { &[false] };
    let mut variants = Vec::new();
    for &table in edges.iter().filter(|_| !none) {
        for signed in [false, true] {
            if signed && bins == Bins::R {
                continue;
            }
            for weighted in [false, true] {
                for global_sums in [false, true] {
                    if traversal == Traversal::Simple && !global_sums {
                        continue;
                    }
                    variants.push(Variant {
                        traversal,
                        space,
                        bins,
                        sight,
                        weighted,
                        arithmetic,
                        table,
                        signed,
                        global_sums,
                        clamp: !(space == Space::Open && bins == Bins::R && table),
                        doubt: if arithmetic == Arithmetic::Filtered && global_sums {
                            Doubt::BySweep
                        } else {
                            Doubt::AtOnce
                        },
                        wrap,
                        threads: 128,
                        points: 4,
                        tile: 64,
                    });
                }
            }
        }
    }
    variants
}
