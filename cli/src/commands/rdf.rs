//! `albireo rdf`: g(r) and n(r) of particles.

use albireo::counts::excluded_pairs;
use albireo::estimators::Rdf as Distribution;
use albireo::{Binning, Domain, Edges, LineOfSight, Outside, Pairs, RBins};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::{Context, Result, anyhow};
use clap::Args;

use super::pairs::PairFlags;
use crate::bins::Statistic;
use crate::catalogs::Files;
use crate::counting::{Counter, Planned};
use crate::cuts::ExclusionFlags;
use crate::edges::EdgeSpec;
use crate::engine::Engines;
use crate::inputs::{Call, Wanted};
use crate::output::{check, deliver};
use crate::record::Record;
use crate::tables::{count_columns, edge_columns};
use crate::usage::usage;

/// Arguments of `rdf`.
#[derive(Debug, Args)]
pub(crate) struct Rdf {
    /// The particles: FITS, Parquet, HDF5, ECSV or delimited text; several files by a quoted pattern, e.g. 'part_*.h5'
    data: Files,
    /// Other particles: g(r) of these around those of the first file [default: the first file, where a --second flag selects a part]
    second: Option<Files>,
    /// Largest separation (unit of the positions), at most half the box, e.g. 10
    #[arg(
        long,
        value_name = "R",
        help_heading = "Bins",
        required_unless_present = "bins"
    )]
    r_max: Option<f64>,
    /// Smallest separation
    #[arg(long, value_name = "R", default_value_t = 0.0, help_heading = "Bins")]
    r_min: f64,
    /// Number of bins of equal width, e.g. 200
    #[arg(
        long,
        value_name = "N",
        help_heading = "Bins",
        required_unless_present = "bins"
    )]
    n_bins: Option<std::num::NonZeroU32>,
    /// Bins in r instead: lin:LO:HI:N, log:LO:HI:N, edges:A,B,.. or @FILE, e.g. lin:0:10:200
    #[arg(long, value_name = "SPEC", help_heading = "Bins", conflicts_with_all = ["r_max", "r_min", "n_bins"])]
    bins: Option<EdgeSpec>,
    /// Volume that the particles fill where space is open (unit of length cubed), e.g. 1.2e5
    #[arg(
        long,
        value_name = "V",
        help_heading = "Space",
        allow_negative_numbers = true
    )]
    volume: Option<f64>,
    #[command(flatten)]
    excluded: ExclusionFlags,
    #[command(flatten)]
    pairs: PairFlags,
}

/// The volume that the particles fill: of the box, or as given in open space.
fn volume(domain: &Domain, given: Option<f64>) -> Result<f64> {
    match (domain.volume(), given) {
        (Some(_), Some(_)) => Err(usage("--volume is for open space: here the box has one")),
        (Some(volume), None) | (None, Some(volume)) => Ok(volume),
        (None, None) => Err(anyhow!(
            "g(r) needs a volume: --box L for a periodic box (the file states none), or --volume V for open space"
        )),
    }
}

/// g(r) with its error and n(r).
fn columns_of(distribution: &Distribution) -> [TableColumn; 3] {
    let around = "coordination number: mean number of partners from the first edge up to hi";
    [
        TableColumn::floats("g", "radial distribution function", distribution.g()),
        TableColumn::floats(
            "g_error",
            "Poisson error of g",
            distribution.poisson_error(),
        ),
        TableColumn::floats("n", around, distribution.coordination()),
    ]
}

impl Rdf {
    /// The bins, by either spelling.
    fn bins(&self) -> Result<RBins> {
        let edges = match (&self.bins, self.r_max, self.n_bins) {
            (Some(spec), ..) => spec.edges().context("--bins")?,
            (None, Some(r_max), Some(n_bins)) => {
                Edges::linear(self.r_min, r_max, n_bins.get() as usize)
                    .context("--r-min, --r-max and --n-bins")?
            }
            _ => return Err(usage("bins are needed: --r-max and --n-bins, or --bins")),
        };
        Ok(RBins::new(edges))
    }

    /// Counts, normalises, prints and writes.
    pub(crate) fn run(self, call: &mut Call<'_>) -> Result<()> {
        let inputs = self
            .data
            .iter()
            .chain(self.second.iter().flat_map(Files::iter))
            .chain(self.bins.as_ref().and_then(EdgeSpec::file))
            .chain(self.excluded.bonds.as_deref());
        check(&self.pairs.output, &[], &inputs.collect::<Vec<_>>())?;
        let bins = self.bins()?;
        if let Some(volume) = self.volume.filter(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(usage(format!(
                "--volume must be positive and finite, found {volume}"
            )));
        }
        let mut record = Record::begin(call.arguments);
        let group = self.excluded.group.as_deref();
        let sources = self.pairs.sources(self.data, self.second, group)?;
        let cuts = self.excluded.cuts()?;
        if sources
            .iter()
            .any(|source| source.selection.weight.is_some())
        {
            return Err(usage("--weight has no meaning here: g(r) counts particles"));
        }
        if sources.iter().any(|s| s.selection.bits.is_some()) {
            return Err(usage("--bits has no meaning here: g(r) counts particles"));
        }
        let wanted = Wanted {
            angular: false,
            outside: Outside::Wrap,
            regions: None,
        };
        let engines = Engines::new(&self.pairs.run)?;
        let samples = call
            .kept
            .read(&sources, &self.pairs.space, wanted, &mut record)?;
        let volume = volume(samples.domain(), self.volume)?;
        let first = samples.get("data")?;
        let (name, pairs) = match samples.find("second") {
            None => ("AA", Pairs::Auto(first)),
            Some(second) => ("AB", Pairs::Cross(first, second)),
        };
        let mut counter = Counter::new(engines, samples.domain())
            .sharing(call.kept.shared())
            .dropping(cuts);
        let counts = counter.decide_and_count(&Planned::new(name, pairs), &bins)?;
        let mut distribution = Distribution::new(&bins);
        let excluded = excluded_pairs(pairs, counts.cuts());
        distribution.add_frame_excluding(&counts, volume, first.len(), excluded)?;
        if !counts.cuts().is_empty() {
            record.set("excluded_pairs", excluded);
        }
        let axes = bins.axes();
        record.set_bins(Statistic::R, &axes, LineOfSight::default());
        record.set("volume", volume);
        counter.note(&mut record);
        let mut columns = edge_columns(&axes, samples.unit());
        columns.extend(columns_of(&distribution));
        let counts = counter.done.iter();
        columns.extend(counts.flat_map(|count| count_columns(count, "")));
        deliver(
            &Table {
                columns,
                meta: record.finish(ResultKind::Rdf),
            },
            &self.pairs.output,
        )
    }
}
