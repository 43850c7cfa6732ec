//! `albireo rdf`: g(r) and n(r) of particles.

use std::path::PathBuf;

use albireo::estimators::Rdf as Distribution;
use albireo::{Binning, Edges, LineOfSight, Outside, Pairs, RBins};
use albireo_catalogs::{Table, TableColumn};
use anyhow::{Context, Result, anyhow};
use clap::Args;

use super::pairs::PairFlags;
use crate::bins::Statistic;
use crate::counting::Counter;
use crate::inputs::{Inputs, Wanted};
use crate::output::{check, deliver};
use crate::record::{Record, ResultKind};
use crate::space::Unless;
use crate::tables::{count_columns, edge_columns};
use crate::usage::usage;

/// Arguments of `rdf`.
#[derive(Debug, Args)]
pub(crate) struct Rdf {
    /// The particles: FITS, Parquet, HDF5, ECSV or delimited text
    data: PathBuf,
    /// Other particles: g(r) of these around those of the first file [default: the first file, where a --second flag selects a part]
    second: Option<PathBuf>,
    /// Largest separation (unit of the positions), at most half the box, e.g. 10
    #[arg(long, value_name = "R", help_heading = "Bins")]
    r_max: f64,
    /// Smallest separation
    #[arg(long, value_name = "R", default_value_t = 0.0, help_heading = "Bins")]
    r_min: f64,
    /// Number of bins of equal width, e.g. 200
    #[arg(long, value_name = "N", help_heading = "Bins")]
    n_bins: std::num::NonZeroU32,
    /// Volume that the particles fill where space is open (unit of length cubed), e.g. 1.2e5
    #[arg(long, value_name = "V", help_heading = "Space")]
    volume: Option<f64>,
    #[command(flatten)]
    pairs: PairFlags,
}

impl Rdf {
    /// Counts, normalises, prints and writes.
    pub(crate) fn run(self) -> Result<()> {
        check(&self.pairs.output)?;
        let bins = RBins::new(
            Edges::linear(self.r_min, self.r_max, self.n_bins.get() as usize)
                .context("--r-min, --r-max and --n-bins")?,
        );
        let mut record = Record::begin();
        let sources = self.pairs.sources(self.data, self.second);
        if sources.iter().any(|source| source.flags.weight.is_some()) {
            return Err(usage("--weight has no meaning here: g(r) counts particles"));
        }
        let wanted = Wanted {
            angular: false,
            unless: Unless::Stated,
            outside: Outside::Wrap,
        };
        let inputs = Inputs::read(&sources, &self.pairs.space, wanted, &mut record)?;
        let volume = match (inputs.domain.volume(), self.volume) {
            (Some(_), Some(_)) => {
                return Err(usage("--volume is for open space: here the box has one"));
            }
            (Some(volume), None) | (None, Some(volume)) => volume,
            (None, None) => {
                return Err(anyhow!(
                    "g(r) needs a volume: --box L for a periodic box (the file states none), or --volume V for open space"
                ));
            }
        };
        let first = inputs.get("data")?;
        let (name, pairs) = match inputs.find("second") {
            None => ("AA", Pairs::Auto(first)),
            Some(second) => ("AB", Pairs::Cross(first, second)),
        };
        let mut counter = Counter::new(&self.pairs.run, &inputs.domain)?;
        let counts = counter.count(name, pairs, &bins, false)?;
        let mut distribution = Distribution::new(&bins);
        distribution.add_frame(&counts, volume, first.len())?;
        let axes = bins.axes();
        record.set_bins(Statistic::R, &axes, LineOfSight::default());
        record.set("volume", volume);
        counter.note(&mut record);
        let mut columns = edge_columns(&axes, inputs.unit.as_deref());
        columns.push(TableColumn::floats(
            "g",
            "radial distribution function",
            distribution.g(),
        ));
        columns.push(TableColumn::floats(
            "g_error",
            "Poisson error of g",
            distribution.poisson_error(),
        ));
        let around = "coordination number: mean number of partners from the first edge up to hi";
        columns.push(TableColumn::floats(
            "n",
            around,
            distribution.coordination(),
        ));
        columns.extend(
            counter
                .done
                .iter()
                .flat_map(|count| count_columns(count, "")),
        );
        deliver(
            &Table {
                columns,
                meta: record.finish(ResultKind::Rdf),
            },
            &self.pairs.output,
        )
    }
}
