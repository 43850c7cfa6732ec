//! Kernels by name: what each is compiled from.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::structs::{FIELD_SMALL_BLOCK, FIELD_TILE};
use crate::{
    COVARIANCE_TILES, DYNAMICS_FORCES, DYNAMICS_LISTS, DYNAMICS_STEPS, FIELD_LATTICE, FIELD_POINTS,
    FIELD_SLICED, FIELD_SMALL_BINS, File, RAND48, SORT, TENSOR_ARCH, TENSOR_CHECK, Variant,
};

/// A text that kernels are compiled with, kept for as long as the process runs: there are as many as kinds of terms and of expressions.
pub fn kept(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = texts.get(text.as_str()) {
        return kept;
    }
    let kept: &'static str = text.leak();
    texts.insert(kept);
    kept
}

/// A kernel by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// A step of the cell sort.
    Sort(&'static str),
    /// A counting kernel.
    Count(Variant),
    /// Sums per target.
    Field(FieldKernel),
    /// Random numbers.
    Rand48(Rand48Function),
    /// Particles that move.
    Dynamics(DynamicsKernel),
    /// Quads and triples of random points.
    Covariance(CovarianceTuples),
    /// Whether sums of tensor cores keep their bound.
    TensorCheck,
}

/// Which tuples of random points are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CovarianceTuples {
    /// Two members of the clouds of both ends of a kept pair.
    Quads,
    /// One end and a member of the cloud of the other.
    Triples,
}

/// A kernel for particles that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DynamicsKernel {
    /// Which part of a step.
    pub entry: DynamicsEntry,
    /// Whether impulses are float32.
    pub single: bool,
    /// Whether there is one species.
    pub alike: bool,
    /// Whether the force at the cutoff is taken off.
    pub forces_off: bool,
}

/// The parts of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DynamicsEntry {
    /// Half of the impulse, and the move.
    Move,
    /// Words kept, or brought back.
    Keep,
    /// Particles of each cell.
    Count,
    /// First particles of cells.
    Total,
    /// Particles into their cells.
    Sort,
    /// And to where they are looked for.
    Settle,
    /// Lists of neighbours.
    List,
    /// Impulses, and half of them.
    Push,
    /// Sums over pairs.
    Sums,
}

impl DynamicsKernel {
    /// The parts of a step in the order that they are made in.
    pub const ENTRIES: [DynamicsEntry; 9] = [
        DynamicsEntry::Move,
        DynamicsEntry::Keep,
        DynamicsEntry::Count,
        DynamicsEntry::Total,
        DynamicsEntry::Sort,
        DynamicsEntry::Settle,
        DynamicsEntry::List,
        DynamicsEntry::Push,
        DynamicsEntry::Sums,
    ];

    fn source(self) -> (File, &'static str) {
        use DynamicsEntry as Entry;
        match self.entry {
            Entry::Move => (DYNAMICS_STEPS, "albireo_dynamics_move"),
            Entry::Keep => (DYNAMICS_STEPS, "albireo_dynamics_keep"),
            Entry::Count => (DYNAMICS_LISTS, "albireo_dynamics_count"),
            Entry::Total => (DYNAMICS_LISTS, "albireo_dynamics_total"),
            Entry::Sort => (DYNAMICS_LISTS, "albireo_dynamics_sort"),
            Entry::Settle => (DYNAMICS_LISTS, "albireo_dynamics_settle"),
            Entry::List => (DYNAMICS_LISTS, "albireo_dynamics_list"),
            Entry::Push => (DYNAMICS_FORCES, "albireo_dynamics_push"),
            Entry::Sums => (DYNAMICS_FORCES, "albireo_dynamics_sums"),
        }
    }

    fn macros(self) -> Vec<String> {
        if self.source().0 != DYNAMICS_FORCES {
            return Vec::new();
        }
        let macros = [
            ("SINGLE", self.single),
            ("ALIKE", self.alike),
            ("FORCES_OFF", self.forces_off),
        ];
        let written = |(name, value)| format!("ALBIREO_{name}={}", u32::from(value));
        macros.map(written).to_vec()
    }
}

/// A kernel for sums per target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldKernel {
    /// Where the targets are.
    pub targets: FieldTargets,
    /// The statements of the term.
    pub term: &'static str,
    /// Whether terms are float32.
    pub single: bool,
    /// What components are to the term: 0 squares that are added, 1 and 2 factors of clouds and of triangular clouds.
    pub product: u32,
}

/// Where the targets of a kernel are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldTargets {
    /// On a grid along the axes of the frame.
    Lattice,
    /// Anywhere.
    Points,
    /// Anywhere in a skewed frame.
    Skewed,
    /// On a grid, every one tested against slices of sources.
    Direct,
    /// The same with other points a thread: cubes of them against large bins.
    LargeBins,
    /// On a grid, blocks of them against small bins of sources.
    SmallBins,
}

/// A function of the C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rand48Function {
    /// Multiples of 2^-48.
    Drand48 = 0,
    /// Integers of 31 bits.
    Lrand48 = 1,
    /// Integers of 32 bits with a sign.
    Mrand48 = 2,
}

/// Sources that a block meets at a time where they are in small bins: twice the most of a bin.
const LIST: usize = 64;

/// Bytes of the tests of distances of a thread.
const TESTS: usize = 24;

impl FieldKernel {
    /// Points of a thread, and lanes of a warp along a row and beside it, where sources come in slices.
    pub fn lanes(self) -> [u32; 3] {
        match self.targets {
            FieldTargets::LargeBins => [3, 4, 4],
            _ => [8, 16, 2],
        }
    }

    /// Threads a block.
    pub fn threads(self) -> u32 {
        match self.targets {
            FieldTargets::Lattice => 32,
            _ => 128,
        }
    }

    /// Bytes of shared memory a block: what is known of a source for a tile, and rows, for each lane; or the sums of each thread.
    pub fn shared(self) -> usize {
        let [depth, height, width] = FIELD_TILE.map(|points| points as usize);
        match self.targets {
            FieldTargets::Lattice => {
                let numbers = depth + height + width + 2;
                let source = if self.single {
                    (4 * numbers).next_multiple_of(16)
                } else {
                    8 * numbers
                };
                32 * source + 2 * 32 * 4
            }
            FieldTargets::Points | FieldTargets::Skewed => 16 * self.threads() as usize,
            FieldTargets::Direct | FieldTargets::LargeBins => TESTS * self.threads() as usize,
            FieldTargets::SmallBins => {
                let numbers = 3 * FIELD_SMALL_BLOCK as usize + 2;
                let number = if self.single { 4 } else { 8 };
                LIST * (numbers * number + 4) + TESTS * self.threads() as usize
            }
        }
    }

    fn macros(self) -> Vec<String> {
        let [depth, height, width] = FIELD_TILE;
        let [points, along, beside] = self.lanes();
        let skewed = u32::from(self.targets == FieldTargets::Skewed);
        vec![
            format!("ALBIREO_TERM={}", self.term),
            format!("ALBIREO_DEPTH={depth}"),
            format!("ALBIREO_HEIGHT={height}"),
            format!("ALBIREO_WIDTH={width}"),
            format!("ALBIREO_SHARED_BYTES={}", self.shared()),
            format!("ALBIREO_SKEWED={skewed}"),
            format!("ALBIREO_SINGLE={}", u32::from(self.single)),
            format!("ALBIREO_PRODUCT={}", self.product),
            format!("ALBIREO_POINTS={points}"),
            format!("ALBIREO_ALONG={along}"),
            format!("ALBIREO_BESIDE={beside}"),
            format!("ALBIREO_SIDE={FIELD_SMALL_BLOCK}"),
            format!("ALBIREO_LIST={LIST}"),
        ]
    }
}

impl Kernel {
    /// The source file and the kernel's name in it.
    pub fn source(self) -> (File, &'static str) {
        match self {
            Self::Sort(entry) => (SORT, entry),
            Self::Count(variant) => (variant.source(), variant.entry()),
            Self::Field(kernel) => match kernel.targets {
                FieldTargets::Lattice => (FIELD_LATTICE, "albireo_field_lattice"),
                FieldTargets::Points | FieldTargets::Skewed => {
                    (FIELD_POINTS, "albireo_field_points")
                }
                FieldTargets::Direct | FieldTargets::LargeBins => {
                    (FIELD_SLICED, "albireo_field_sliced")
                }
                FieldTargets::SmallBins => (FIELD_SMALL_BINS, "albireo_field_small_bins"),
            },
            Self::Rand48(_) => (RAND48, "albireo_rand48"),
            Self::TensorCheck => (TENSOR_CHECK, "albireo_tensor_check"),
            Self::Dynamics(kernel) => kernel.source(),
            Self::Covariance(CovarianceTuples::Quads) => {
                (COVARIANCE_TILES, "albireo_covariance_quads")
            }
            Self::Covariance(CovarianceTuples::Triples) => {
                (COVARIANCE_TILES, "albireo_covariance_triples")
            }
        }
    }

    /// The least compute capability that it is compiled for.
    pub fn least_arch(self) -> u32 {
        match self {
            Self::Count(variant) => variant.least_arch(),
            Self::TensorCheck => TENSOR_ARCH,
            _ => 0,
        }
    }

    /// The macros it is compiled with, `NAME=value`.
    pub fn macros(self) -> Vec<String> {
        match self {
            Self::Sort(_) | Self::TensorCheck => Vec::new(),
            Self::Count(variant) => variant.macros(),
            Self::Field(kernel) => kernel.macros(),
            Self::Dynamics(kernel) => kernel.macros(),
            Self::Covariance(tuples) => vec![format!("ALBIREO_TRIPLES={}", tuples as u32)],
            Self::Rand48(function) => vec![format!("ALBIREO_FUNCTION={}", function as u32)],
        }
    }
}
