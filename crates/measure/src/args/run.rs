//! Flags of whoever counts or computes.
//!
//! Entry: [`RunFlags`] of counts, [`ComputeFlags`] of other work.

use clap::{Args, ValueEnum};

use crate::group;
use crate::shard::PieceFlags;

/// The compute engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Cpu or cuda, whichever should be done first; the log says which, and why.
    Auto,
    /// The plain double loop: slow, the reference.
    Naive,
    /// All cores, vector instructions, sorted cells.
    Cpu,
    /// NVIDIA GPUs (`albireo devices` lists them).
    #[cfg(feature = "cuda")]
    Cuda,
    /// Both at the same time: for GPUs not much faster than the processor.
    #[cfg(feature = "cuda")]
    #[value(name = "cuda+cpu")]
    Together,
}

impl EngineName {
    /// Whether GPUs are asked for.
    pub(crate) fn is_on_gpus(self) -> bool {
        match self {
            Self::Auto | Self::Naive | Self::Cpu => false,
            #[cfg(feature = "cuda")]
            Self::Cuda | Self::Together => true,
        }
    }
}

/// Who computes where no pairs are counted, or not alone; never changes an exact result.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::RUNNING)]
pub(crate) struct ComputeFlags {
    /// Compute engine
    #[arg(long, default_value = "auto")]
    pub(crate) engine: EngineName,
    /// GPUs to use, by their numbers in `albireo devices`, e.g. 0,1 [default: all]
    #[cfg(feature = "cuda")]
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    pub(crate) devices: Option<Vec<usize>>,
    /// Number of threads of the cpu engine [default: all cores]
    ///
    /// At most four for each core.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(long, value_name = "NAME", help_heading = group::TUNING)]
    pub(crate) isa: Option<String>,
}

impl ComputeFlags {
    /// The same as flags of counts.
    pub(crate) fn run_flags(&self) -> RunFlags {
        RunFlags {
            engine: self.engine,
            threads: self.threads,
            isa: self.isa.clone(),
            #[cfg(feature = "cuda")]
            cuda: CudaFlags {
                devices: self.devices.clone(),
                precision: None,
                kernel: None,
            },
            pieces: PieceFlags::default(),
        }
    }
}

/// How to count; never changes an exact count.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = group::RUNNING)]
pub(crate) struct RunFlags {
    /// Compute engine
    #[arg(long, default_value = "auto")]
    pub(crate) engine: EngineName,
    /// Number of threads of the cpu engine [default: all cores]
    ///
    /// At most four for each core.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    /// Instruction set of the cpu engine, e.g. portable, avx2, avx512, neon [default: the widest here]
    #[arg(long, value_name = "NAME", help_heading = group::TUNING)]
    pub(crate) isa: Option<String>,
    #[cfg(feature = "cuda")]
    #[command(flatten)]
    pub(crate) cuda: CudaFlags,
    #[command(flatten)]
    pub(crate) pieces: PieceFlags,
}

/// How GPUs count.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = group::RUNNING)]
pub(crate) struct CudaFlags {
    /// GPUs to use, by their numbers in `albireo devices`, e.g. 0,1 [default: all]
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    pub(crate) devices: Option<Vec<usize>>,
    /// Arithmetic of the cuda engine [default: exact]
    #[arg(long)]
    pub(crate) precision: Option<PrecisionName>,
    /// Kernel of the cuda engine; all give the same counts [default: auto]
    #[arg(long, help_heading = group::TUNING)]
    pub(crate) kernel: Option<KernelName>,
}

/// The arithmetic of GPUs, by name.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionName {
    /// Float32 where it is proven to be right, float64 elsewhere.
    Exact,
    /// Float64 for every pair: exact too, slower.
    #[value(alias = "f64")]
    Double,
    /// Float32 alone: faster and approximate; results are marked so.
    #[value(alias = "f32")]
    Single,
}

/// Kernels, by name.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelName {
    /// The fastest for the job, by a measured rule.
    Auto,
    /// All pairs, sums in global memory: the shortest to read.
    Simple,
    /// All pairs, first points in constant memory, sums in shared memory.
    Constant,
    /// All pairs, first points in shared memory, second points in registers.
    Shared,
}
