//! `--variant` and `--sum`: in which way of Rodrigues et al. 2008 sources meet points, and sums in float32, which are approximate.
//!
//! Entry: [`VariantFlags`], of which a [`Way`] is made; [`Made`] is what comes of it.

use std::ops::Range;

use albireo::engine::{AnyEngine, Progress};
use albireo_fields::{
    DistanceTests, FieldEngine, FieldError, FieldJob, FieldSums, FieldVariant, Float32Sum,
    field_in_float32,
};
use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::args::EngineName;
use crate::group;
use crate::record::Record;
use crate::usage::usage;

/// How sources meet points.
#[derive(Debug, Args)]
#[command(next_help_heading = group::TUNING)]
pub(super) struct VariantFlags {
    /// Method of Rodrigues et al. 2008 by which sources meet the points of a grid, on cpu (default) or cuda
    ///
    /// The log says how many tests of distances succeed.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["at", "ions"])]
    variant: Option<VariantName>,
    /// Side of the bins of --variant [default: twice the cutoff of large-bins, a third of it of small-bins]
    #[arg(
        long,
        value_name = "LENGTH",
        requires = "variant",
        allow_hyphen_values = true
    )]
    bin_side: Option<f64>,
    /// Largest number of sources in a small bin, up to 32 [default: 8]
    ///
    /// The cpu adds the others at the same time.
    #[arg(long, value_name = "N", requires = "variant")]
    bin_sources: Option<usize>,
    /// How terms are added: exactly as integers, or approximately in float32
    ///
    /// plain and compensated are approximate, with --precision single on cpu.
    #[arg(long, value_name = "NAME", default_value = "exact", help_heading = group::RUNNING)]
    sum: SumName,
}

/// Variants, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VariantName {
    /// Every source against every point, slices of sources in constant memory.
    Direct,
    /// Cubes of points against the sources within reach of the cube.
    LargeBins,
    /// Blocks of 8^3 points against the bins of sources within reach of the block.
    SmallBins,
    /// Each source against the points of a cylinder round it (cpu).
    Cylinder,
}

/// Sums, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SumName {
    /// As integers.
    Exact,
    /// In float32: approximate.
    Plain,
    /// In float32 with what roundings lost: approximate.
    Compensated,
}

impl SumName {
    fn float32(self) -> Option<Float32Sum> {
        match self {
            Self::Exact => None,
            Self::Plain => Some(Float32Sum::Plain),
            Self::Compensated => Some(Float32Sum::Compensated),
        }
    }
}

impl VariantFlags {
    /// Whether the default's way is not the one.
    pub(super) fn is_given(&self) -> bool {
        self.variant.is_some() || self.sum != SumName::Exact
    }

    /// Refuses what no variant does; `on_grids` where neither points nor ions are asked for.
    pub(super) fn check(&self, engine: EngineName, single: bool, on_grids: bool) -> Result<()> {
        let on_cpu = matches!(engine, EngineName::Auto | EngineName::Cpu);
        if self.sum != SumName::Exact && !(on_cpu && single && on_grids) {
            return Err(usage(
                "--sum plain and compensated are for grids with --precision single on --engine cpu, without --ions",
            ));
        }
        #[cfg(feature = "cuda")]
        let on_cpu = on_cpu || engine == EngineName::Cuda;
        if self.variant.is_some() && !on_cpu {
            return Err(usage("--variant is for --engine cpu and cuda"));
        }
        self.way(1.0).map(|_| ())
    }

    /// The way asked for, of terms of this reach.
    pub(super) fn way(&self, reach: f64) -> Result<Way> {
        let variant = self.variant.map(|name| match name {
            VariantName::Direct => FieldVariant::Direct,
            VariantName::Cylinder => FieldVariant::Cylinder,
            VariantName::LargeBins => FieldVariant::large_bins(reach),
            VariantName::SmallBins => FieldVariant::small_bins(reach),
        });
        let refuse = |flag: &str, needs: &str| Err(usage(format!("{flag} is for {needs}")));
        let variant = match (variant, self.bin_side, self.bin_sources) {
            (Some(FieldVariant::SmallBins { side, sources }), own, most) => {
                let (side, sources) = (own.unwrap_or(side), most.unwrap_or(sources));
                Some(FieldVariant::SmallBins { side, sources })
            }
            (_, _, Some(_)) => return refuse("--bin-sources", "--variant small-bins"),
            (Some(FieldVariant::LargeBins { side }), own, None) => {
                let side = own.unwrap_or(side);
                Some(FieldVariant::LargeBins { side })
            }
            (_, Some(_), None) => {
                return refuse("--bin-side", "--variant large-bins and small-bins");
            }
            (variant, None, None) => variant,
        };
        let sum = self.sum.float32();
        Ok(Way { variant, sum })
    }
}

/// How sources meet points, and how terms are added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    variant: Option<FieldVariant>,
    sum: Option<Float32Sum>,
}

impl Way {
    pub(super) fn is_exact(self) -> bool {
        self.sum.is_none()
    }

    /// What is said of errors.
    pub(super) fn error(self, bound: f64, unit: &str) -> String {
        match self.sum {
            None => format!("error at most {bound:.2e} {unit}"),
            Some(sum) => format!("approximate: {} float32 sums", sum.name()),
        }
    }

    /// Says in the record that values are approximate, where they are.
    pub(super) fn keep(self, record: &mut Record) {
        if let Some(sum) = self.sum {
            let how = format!(
                "{} float32 sums, without a bound on their error",
                sum.name()
            );
            record.set("approximate", how);
        }
    }

    /// The sums of some planes, and the tests of distances that a variant made.
    pub(super) fn sums(
        self,
        engine: &AnyEngine,
        job: &FieldJob,
        planes: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<(Made, DistanceTests), FieldError> {
        if let (Some(sum), AnyEngine::Cpu(cpu)) = (self.sum, engine) {
            let variant = self.variant.unwrap_or(FieldVariant::Cylinder);
            let made = field_in_float32(cpu, sum, variant, job, planes, progress)?;
            return Ok((Made::Float32(made.0), made.1));
        }
        let (sums, tests) = match self.variant {
            Some(variant) => engine.field_by_variant(variant, job, planes, progress)?,
            None => (
                engine.field(job, planes, progress)?,
                DistanceTests::default(),
            ),
        };
        Ok((Made::Exact(sums), tests))
    }

    /// Tells how many tests succeeded.
    pub(super) fn tell(self, tests: DistanceTests) {
        if tests.made > 0 {
            let name = self.variant.unwrap_or(FieldVariant::Cylinder).name();
            let (made, share) = (tests.made, 100.0 * tests.share());
            tracing::info!("{name}: {share:.2} % of {made} tests of distances succeed");
        }
    }
}

/// Sums of some planes.
pub(super) enum Made {
    /// Exactly.
    Exact(FieldSums),
    /// Approximate values.
    Float32(Vec<f64>),
}

impl Made {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Exact(sums) => sums.sums().len(),
            Self::Float32(values) => values.len(),
        }
    }

    /// Some of them as numbers, in the unit of strength and length.
    pub(super) fn values_of(&self, targets: Range<usize>) -> Vec<f64> {
        match self {
            Self::Exact(sums) => sums.values_of(targets),
            Self::Float32(values) => values.get(targets).unwrap_or_default().to_vec(),
        }
    }

    /// How many pairs are closer than `r_min`, which float32 sums do not count.
    pub(super) fn close_pairs(&self) -> u64 {
        match self {
            Self::Exact(sums) => sums.close_pairs(),
            Self::Float32(_) => 0,
        }
    }
}
