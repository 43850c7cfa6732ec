//! CUDA C++ sources of the pair counting kernels, as data: this crate compiles and launches nothing.
//!
//! Entry: [`Kernel`], any kernel by name; [`Variant`] names one that counts, as a source file and its macros; [`headers`] is what the sources include, [`structs`] what kernels
//! know. A case that no variant names is never compiled; a variant is compiled for the device at hand on first use.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

mod every;
mod kernel;
mod sources;
pub mod structs;

pub use every::every_variant;
pub use kernel::{
    CovarianceTuples, DynamicsEntry, DynamicsKernel, FieldKernel, FieldTargets, Kernel,
    Rand48Function, kept,
};
pub use sources::{
    COVARIANCE_TILES, DYNAMICS_FORCES, DYNAMICS_LISTS, DYNAMICS_STEPS, FIELD_LATTICE, FIELD_POINTS,
    FIELD_SLICED, FIELD_SMALL_BINS, File, RAND48, SORT, TENSOR_CHECK, headers,
};

/// Which pairs a kernel visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// No boundary.
    Open = 0,
    /// Orthorhombic, any set of periodic axes; none of them, where a kernel makes no difference.
    Periodic = 1,
    /// Triclinic.
    Triclinic = 2,
}

/// How pairs are binned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bins {
    /// Separation, or chord between unit vectors.
    R = 0,
    /// (s, mu).
    SMu = 1,
    /// (rp, pi).
    RpPi = 2,
}

/// The line of sight, as far as kernels differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sight {
    /// Along any axis, or any at all for float64; also where the bins have none.
    Fixed = 0,
    /// From the observer.
    Observer = 1,
}

/// The arithmetic that decides pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// Float64 for every pair.
    Float64 = 0,
    /// A float32 filter; doubtful pairs again in float64. The same integers.
    Filtered = 1,
    /// The float32 filter alone: approximate.
    Float32 = 2,
    /// A filter whose squares are sums of tensor cores; doubtful pairs again in float64. The same integers.
    Tensor = 3,
}

/// How the filter finds the slot across; [`Across::Reaching`] where there is no filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Across {
    /// Equal widths by one sum; there is a slot for every separation that occurs.
    Reaching,
    /// Equal widths by one sum; larger separations are brought back to the slot beyond the bins.
    Clamped,
    /// Any edges by a table.
    Table,
}

/// How doubtful pairs are decided; [`Doubt::AtOnce`] where there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// At once: they are rare.
    AtOnce = 0,
    /// By whole warps, a sweep at a time: they are common.
    BySweep = 1,
    /// By whole warps, whenever there are enough.
    ByPair = 2,
}

/// What is summed beside the numbers of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Summed {
    /// Nothing.
    Pairs = 0,
    /// Products of two weights.
    Products = 1,
    /// Any terms, one sum each: every pair in a bin is taken in one by one, in float64.
    Terms = 2,
    /// Separations alone: every pair is measured in float64, and taken in at once where that is sure.
    Separations = 3,
    /// As terms, of each realisation that a pair takes part in.
    Realisations = 4,
}

impl Summed {
    /// Whether the rule, where it decides, adds terms.
    pub fn in_terms(self) -> bool {
        self.one_by_one() || self == Self::Separations
    }

    /// Whether pairs in bins are taken in one by one.
    pub fn one_by_one(self) -> bool {
        matches!(self, Self::Terms | Self::Realisations)
    }
}

/// Where a block has its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Histogram {
    /// In shared memory.
    Shared = 0,
    /// In global memory: no window of the bins fits into a block's shared memory.
    Global = 1,
    /// In shared memory, and each lane or two of them their own, so that lanes of a warp seldom wait for one place: for few bins.
    Lanes = 2,
}

/// One counting kernel. Fields become macros of the source.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a macro of the sources"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant {
    /// Which pairs.
    pub traversal: Traversal,
    /// The space.
    pub space: Space,
    /// The bins.
    pub bins: Bins,
    /// The line of sight.
    pub sight: Sight,
    /// Whether the filter keeps the sign along a fixed line of sight.
    pub signed: bool,
    /// What is summed.
    pub summed: Summed,
    /// The arithmetic.
    pub arithmetic: Arithmetic,
    /// How the filter finds the slot across.
    pub across: Across,
    /// How doubtful pairs are decided.
    pub doubt: Doubt,
    /// Whether each first point of a tile has sums of its own, which then go to the realisations that it takes part in.
    pub realised_rows: bool,
    /// Whether tiles belong to classes with tables of their own.
    pub classes: bool,
    /// Where the sums are.
    pub histogram: Histogram,
    /// Threads, second points a thread and first points a tile: sizes alone.
    pub shape: Shape,
    /// The statements that sum terms.
    pub sums: &'static str,
    /// The columns that they take of the first and of the second row.
    pub columns: [usize; 2],
}

/// The sizes of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Threads a block.
    pub threads: u32,
    /// Second points a thread.
    pub points: u32,
    /// First points a tile.
    pub tile: u32,
}

/// The least compute capability whose tensor cores add products of halves sixteen by eight.
pub const TENSOR_ARCH: u32 = 80;

/// Every source file.
pub fn every_source() -> Vec<File> {
    let mut files: Vec<File> = every_variant().iter().map(Variant::source).collect();
    files.sort_unstable();
    files.dedup();
    files.extend([
        SORT,
        FIELD_LATTICE,
        FIELD_POINTS,
        FIELD_SLICED,
        FIELD_SMALL_BINS,
        RAND48,
    ]);
    files.extend([DYNAMICS_STEPS, DYNAMICS_LISTS, DYNAMICS_FORCES]);
    files.extend([COVARIANCE_TILES, TENSOR_CHECK]);
    files
}

impl Variant {
    /// The source file.
    pub fn source(&self) -> File {
        match self.traversal {
            _ if self.arithmetic == Arithmetic::Tensor => {
                ("tensor_cells.cu", include_str!("../tensor_cells.cu"))
            }
            Traversal::Simple => ("simple.cu", include_str!("../simple.cu")),
            Traversal::Constant => ("constant.cu", include_str!("../constant.cu")),
            Traversal::AllPairs => ("all_pairs.cu", include_str!("../all_pairs.cu")),
            Traversal::Cells => ("cells.cu", include_str!("../cells.cu")),
        }
    }

    /// The kernel's name in the source.
    pub fn entry(&self) -> &'static str {
        match self.traversal {
            _ if self.arithmetic == Arithmetic::Tensor => "albireo_tensor_cells",
            Traversal::Simple => "albireo_simple",
            Traversal::Constant => "albireo_constant",
            Traversal::AllPairs => "albireo_all_pairs",
            Traversal::Cells => "albireo_cells",
        }
    }

    pub(crate) fn least_arch(&self) -> u32 {
        if self.arithmetic == Arithmetic::Tensor {
            TENSOR_ARCH
        } else {
            0
        }
    }

    /// Whether positions stay fixed-point fractions whose differences wrap.
    pub fn wraps(&self) -> bool {
        self.arithmetic != Arithmetic::Float64
            && self.traversal == Traversal::AllPairs
            && self.space == Space::Periodic
    }

    /// The macros that make this variant, `NAME=value`.
    pub fn macros(&self) -> Vec<String> {
        let realised = match self.summed {
            Summed::Realisations => 1,
            _ => 2 * u32::from(self.realised_rows),
        };
        let numbers = [
            ("DOMAIN", self.space as u32),
            ("BINNING", self.bins as u32),
            ("SIGHT", self.sight as u32),
            ("SIGNED", u32::from(self.signed)),
            ("WEIGHTED", u32::from(self.summed == Summed::Products)),
            ("TERMS", u32::from(self.summed.in_terms())),
            ("MEASURED", u32::from(self.summed == Summed::Separations)),
            ("REALISED", realised),
            ("PRECISION", self.arithmetic as u32),
            ("EDGES", u32::from(self.across == Across::Table)),
            ("CLAMP", u32::from(self.across == Across::Clamped)),
            ("HISTOGRAM", self.histogram as u32),
            ("COPIES", self.copies()),
            ("QUEUE", self.doubt as u32),
            ("WRAP", u32::from(self.wraps())),
            ("CLASSES", u32::from(self.classes)),
            ("THREADS", self.shape.threads),
            ("POINTS", self.shape.points),
            ("TILE", self.shape.tile),
        ];
        let numbers = numbers.map(|(name, value)| format!("ALBIREO_{name}={value}"));
        let [first, second] = self.columns;
        let sums = [
            format!("ALBIREO_SUMS={}", self.sums),
            format!("ALBIREO_COLUMNS_FIRST={first}"),
            format!("ALBIREO_COLUMNS_SECOND={second}"),
        ];
        let sums = sums.into_iter().filter(|_| self.summed.in_terms());
        numbers.into_iter().chain(sums).collect()
    }

    /// Whether this kernel is one of [`every_variant`], in any shape and with any statements: the one place where the rules stand.
    pub fn exists(&self) -> bool {
        let filtered = self.arithmetic != Arithmetic::Float64;
        let named = matches!(self.traversal, Traversal::Simple | Traversal::Constant);
        let in_cells = self.traversal == Traversal::Cells;
        if self.classes && !in_cells {
            return false;
        }
        if !self.sums.is_empty() && !self.summed.in_terms() {
            return false;
        }
        if self.arithmetic == Arithmetic::Tensor {
            return self.by_tensors();
        }
        if self.summed.one_by_one() && !self.takes_terms() {
            return false;
        }
        let counted_by_rows = in_cells && self.arithmetic == Arithmetic::Filtered;
        if self.realised_rows && (self.summed.in_terms() || !counted_by_rows) {
            return false;
        }
        // In cells slots are few wherever doubt by equal widths is rare.
        let few =
            in_cells && (self.arithmetic, self.across) == (Arithmetic::Filtered, Across::Reaching);
        let histogram_exists = match self.histogram {
            Histogram::Lanes => self.has_lanes(),
            Histogram::Shared => !(few && self.has_lanes()),
            Histogram::Global => true,
        };
        if !histogram_exists {
            return false;
        }
        if self.summed == Summed::Separations {
            return self.measures();
        }
        // Kernels to check by decide in float64 alone, and the float64 rule takes all lines of sight.
        if !filtered {
            return self.sight == Sight::Fixed
                && !self.signed
                && self.across == Across::Reaching
                && self.doubt == Doubt::AtOnce
                && (self.traversal != Traversal::Simple || self.histogram == Histogram::Global);
        }
        // Sums in global memory are so slow that float64 costs no more; in cells an open space is a box without periodic axes.
        let global = self.histogram == Histogram::Global;
        if named || global || (in_cells && self.space == Space::Open) {
            return false;
        }
        if self.traversal == Traversal::AllPairs && self.space == Space::Triclinic {
            return false;
        }
        let observed = self.sight == Sight::Observer;
        let seen = if in_cells {
            Space::Periodic
        } else {
            Space::Open
        };
        if observed && (self.bins == Bins::R || self.space != seen) {
            return false;
        }
        if self.signed && (observed || self.bins == Bins::R) {
            return false;
        }
        let across = match self.across {
            Across::Reaching => self.bins == Bins::R && !self.wraps(),
            Across::Clamped => !(observed && self.bins == Bins::RpPi),
            Across::Table => true,
        };
        // A table across says which pairs are in doubt, not how many there will be.
        let counted = self.bins != Bins::R || self.across != Across::Table;
        let exact = self.arithmetic == Arithmetic::Filtered;
        // In cells a cosine is never sure enough for its doubt to be rare, and bins are many where slots do not reach all separations.
        let many = in_cells && self.bins == Bins::R && self.across == Across::Clamped;
        let never_rare = many || (in_cells && self.bins == Bins::SMu);
        let doubt = match self.doubt {
            _ if self.summed.one_by_one() => true,
            Doubt::AtOnce => !(exact && never_rare),
            Doubt::BySweep => exact && counted && (many || !self.realised_rows),
            Doubt::ByPair => exact && counted && in_cells && !many,
        };
        across && doubt
    }

    /// What holds for kernels of tensor cores. An open space is a box without periodic axes.
    fn by_tensors(&self) -> bool {
        self.traversal == Traversal::Cells
            && self.space != Space::Open
            && (self.bins, self.sight) == (Bins::R, Sight::Fixed)
            && self.summed == Summed::Pairs
            && (self.across, self.doubt) == (Across::Reaching, Doubt::AtOnce)
            && self.histogram == Histogram::Shared
            && !(self.signed || self.classes || self.realised_rows)
    }

    /// Copies of its sums that a block has.
    pub fn copies(&self) -> u32 {
        match self.histogram {
            Histogram::Lanes if self.summed.in_terms() => 8,
            Histogram::Lanes => 32,
            Histogram::Shared | Histogram::Global => 1,
        }
    }

    /// What holds for kernels whose lanes have sums of their own. Three words a pair and more wait for one another where bins are few; one does
    /// not. Few bins that are narrow, with slots for none but them or with common doubt, are left as they are.
    pub fn has_lanes(&self) -> bool {
        let filtered = matches!(self.arithmetic, Arithmetic::Filtered | Arithmetic::Float32);
        let summed = match self.summed {
            Summed::Products => self.across != Across::Clamped && self.doubt == Doubt::AtOnce,
            Summed::Terms => true,
            _ => false,
        };
        summed && self.bins == Bins::R && filtered && !self.realised_rows
    }

    /// What holds for kernels that sum separations alone. An open space is a box without periodic axes; all pairs of a box with some would
    /// have to find their images.
    fn measures(&self) -> bool {
        self.bins == Bins::R
            && self.sight == Sight::Fixed
            && !self.signed
            && self.histogram == Histogram::Shared
            && self.arithmetic == Arithmetic::Float64
            && self.across != Across::Reaching
            && self.doubt == Doubt::ByPair
            && match self.traversal {
                Traversal::Simple | Traversal::Constant => false,
                Traversal::AllPairs => self.space == Space::Periodic,
                Traversal::Cells => self.space != Space::Open,
            }
    }

    /// What holds for kernels that sum terms beside the rules for all. They are slower than what would make a difference for others: a
    /// box without periodic axes stands for an open space, the sign along the line of sight is kept or not as they are asked to.
    fn takes_terms(&self) -> bool {
        if self.signed || self.arithmetic == Arithmetic::Float32 {
            return false;
        }
        match self.arithmetic {
            Arithmetic::Float64 => self.space != Space::Open,
            // Pairs in bins wait until a warp is full of them, and doubtful ones among them.
            _ => self.doubt == Doubt::ByPair && self.across != Across::Reaching,
        }
    }
}
