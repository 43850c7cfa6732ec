//! `albireo random`: the numbers of drand48 and its relatives.

#[cfg(feature = "cuda")]
use albireo::engine::Engine;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::Cuda;
use albireo::random::{Leap, Leapfrog, Rand48};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::args::{FormatName, OutputFlags, SEED};
#[cfg(feature = "cuda")]
use crate::compute::{cuda_of, told};
use crate::group;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::session::Session;
use crate::text::whole_up_to;
use crate::usage::usage;
use crate::watch::Loss;

/// Arguments of `random`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Random {
    /// How many numbers, e.g. 1e6
    #[arg(short, long, value_name = "N", value_parser = number)]
    number: usize,
    /// Seed, as srand48 takes it: 32 bits
    #[arg(long, value_name = "SEED", default_value_t = SEED)]
    seed: u32,
    /// Generator
    #[arg(long, value_name = "NAME", default_value = "drand48")]
    function: Function,
    /// Numbers to skip first, at no cost
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Streams that take turns in each thread, e.g. 6144 [default: 32]
    #[arg(
        long,
        value_name = "N", help_heading = group::TUNING)]
    streams: Option<usize>,
    /// Number of threads [default: all cores]
    ///
    /// At most four for each core.
    #[arg(
        long,
        value_name = "N",
        help_heading = group::RUNNING
    )]
    threads: Option<usize>,
    /// Compute engine
    #[cfg(feature = "cuda")]
    #[arg(
        long,
        default_value = "cpu",
        help_heading = group::RUNNING
    )]
    engine: MakerName,
    /// GPUs to use, by their numbers in `albireo devices`, e.g. 0,1 [default: all]
    #[cfg(feature = "cuda")]
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        help_heading = group::RUNNING
    )]
    devices: Option<Vec<usize>>,
    /// Write the numbers: .parquet .fits .h5 .csv .ecsv .json; `-` prints them
    ///
    /// With everything about how they were made; that of .csv is in FILE.json. `-` prints them, and nothing else, on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = group::OUTPUT)]
    output: WrittenFile,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = group::OUTPUT)]
    format: Option<FormatName>,
}

/// The functions of the C library, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Function {
    /// Multiples of 2^-48 in [0, 1).
    Drand48,
    /// Integers of 31 bits.
    Lrand48,
    /// Integers of 32 bits with a sign.
    Mrand48,
}

/// Who makes numbers, by name.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MakerName {
    /// All cores.
    Cpu,
    /// NVIDIA GPUs (`albireo devices` lists them).
    Cuda,
}

/// Who makes numbers.
enum Maker {
    Cpu,
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

/// Fills a slice by whoever makes numbers.
macro_rules! fill {
    ($maker:expr, $function:ident, $leapfrog:expr, $generator:expr, $numbers:expr) => {
        match $maker {
            Maker::Cpu => $leapfrog.$function($generator, $numbers)?,
            #[cfg(feature = "cuda")]
            Maker::Cuda(cuda) => cuda.$function($leapfrog, $generator, $numbers)?,
        }
    };
}

/// Numbers that a table of rows can hold.
const MOST: usize = albireo::particles::MAX_PARTICLES;

/// A number of numbers.
fn number(text: &str) -> Result<usize, String> {
    whole_up_to(MOST, text)
}

impl Random {
    /// Makes the numbers and writes them.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let output = self.output_flags();
        session.sink.check(&output, &[], &[])?;
        let mut leapfrog = Leapfrog::default();
        if let Some(streams) = self.streams {
            let with = leapfrog.with_streams(streams);
            leapfrog = with.map_err(|error| usage(format!("--streams: {error}")))?;
        }
        if let Some(threads) = self.threads {
            let with = leapfrog.with_threads(threads);
            leapfrog = with.map_err(|error| usage(format!("--threads: {error}")))?;
        }
        let maker = self.maker()?;
        let mut record = Record::begin(session.arguments);
        record.set("generator", "rand48");
        record.set("number", self.number);
        record.set("seed", self.seed);
        record.set("skip", self.skip);
        let columns = {
            let _making = session.watch.during(Loss::Nothing);
            vec![self.column(&maker, leapfrog)?]
        };
        #[cfg(feature = "cuda")]
        if let Maker::Cuda(cuda) = &maker {
            let (timings, plan) = cuda.last_run();
            tracing::info!("{}: {plan}, {}", cuda.description(), told(&[timings]));
        }
        let meta = record.timeless(ResultKind::Randoms);
        session.sink.deliver(&Table { columns, meta }, &output)
    }

    /// Who makes the numbers.
    #[cfg(feature = "cuda")]
    fn maker(&self) -> Result<Maker> {
        if self.engine == MakerName::Cpu {
            if self.devices.is_some() {
                return Err(usage("--devices needs --engine cuda"));
            }
            return Ok(Maker::Cpu);
        }
        if self.threads.is_some() {
            return Err(usage(
                "--threads is for the cpu engine: leave it out with --engine cuda",
            ));
        }
        Ok(Maker::Cuda(cuda_of(self.devices.as_deref())?))
    }

    /// Who makes the numbers.
    #[cfg(not(feature = "cuda"))]
    fn maker(&self) -> Result<Maker> {
        Ok(Maker::Cpu)
    }

    /// The numbers under the name of their function.
    fn column(&self, maker: &Maker, leapfrog: Leapfrog) -> Result<TableColumn> {
        let mut generator = Rand48::new(self.seed);
        generator.jump(Leap::of(self.skip));
        Ok(match self.function {
            Function::Drand48 => {
                let mut numbers = vec![0.0; self.number];
                fill!(maker, drand48, leapfrog, &mut generator, &mut numbers);
                TableColumn::floats("drand48", "random numbers in [0, 1)", numbers)
            }
            Function::Lrand48 => {
                let mut numbers = vec![0; self.number];
                fill!(maker, lrand48, leapfrog, &mut generator, &mut numbers);
                let numbers = numbers.into_iter().map(u64::from).collect();
                TableColumn::integers("lrand48", "random integers in [0, 2^31)", numbers)
            }
            Function::Mrand48 => {
                let mut numbers = vec![0; self.number];
                fill!(maker, mrand48, leapfrog, &mut generator, &mut numbers);
                // Tables have no column of integers with a sign; these fit into floats.
                let numbers = numbers.into_iter().map(f64::from).collect();
                TableColumn::floats("mrand48", "random integers in [-2^31, 2^31)", numbers)
            }
        })
    }

    /// The flags of results that these have a use for.
    fn output_flags(&self) -> OutputFlags {
        OutputFlags::table(&self.output, self.format)
    }
}
