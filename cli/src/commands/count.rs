//! `albireo count`: raw pair counts.

use albireo::tally::Legendre;
use albireo::{Binning, Outside, Pairs};
use albireo_catalogs::{ResultKind, Table};
use anyhow::Result;
use clap::Args;

use super::pairs::PairFlags;
use crate::args::{BinFlags, LosFlags};
use crate::bins::{BinSpec, Statistic, with_bins};
use crate::catalogs::Files;
use crate::counting::{Counter, MeanSeparation, Planned};
use crate::cuts::CutFlags;
use crate::engine::Engines;
use crate::inputs::{Call, Wanted, line_of_sight};
use crate::output::{check, deliver};
use crate::pair_weights::{PairWeightFlags, upweighted};
use crate::record::Record;
use crate::tables::{count_columns, edge_columns, mean_column};
use crate::usage::usage;

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct Count {
    /// The catalog: FITS, Parquet, HDF5, ECSV or delimited text; several files by a quoted pattern, e.g. 'gal_*.fits'
    data: Files,
    /// A second catalog: pairs between the two are counted instead of pairs within the first [default: none, or the first again
    /// where a --second flag selects another part of it]
    second: Option<Files>,
    /// What pairs are binned in
    #[arg(long, default_value = "r")]
    statistic: Statistic,
    #[command(flatten)]
    bins: BinFlags,
    /// Add the mean separation (r, s, rp or theta) of the pairs in each bin, each pair once or by its weight
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "pairs")]
    mean_separation: Option<MeanSeparation>,
    /// Add the sums of the Legendre polynomials of mu of these degrees over the pairs in each bin, e.g. 2,4: times the weights where there
    /// are any
    #[arg(long, value_name = "L,..", value_delimiter = ',', value_parser = legendre)]
    legendre: Vec<Legendre>,
    #[command(flatten)]
    pairs: PairFlags,
    #[command(flatten)]
    los: LosFlags,
    #[command(flatten)]
    pair_weights: PairWeightFlags,
    #[command(flatten)]
    cuts: CutFlags,
}

/// A Legendre polynomial by its degree.
fn legendre(text: &str) -> Result<Legendre, String> {
    let degree = text.trim().parse().ok();
    let found = degree.filter(|&l| l > 0).and_then(Legendre::of_degree);
    found.ok_or_else(|| format!("expected a degree from 1 to 8, found `{text}`"))
}

impl Count {
    /// Counts, prints and writes.
    pub(crate) fn run(self, call: &mut Call<'_>) -> Result<()> {
        let inputs = self
            .data
            .iter()
            .chain(self.second.iter().flat_map(Files::iter));
        let inputs = inputs.chain(self.bins.files());
        let inputs: Vec<_> = inputs.chain(self.pair_weights.files()).collect();
        check(&self.pairs.output, &[], &inputs)?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        let mut record = Record::begin(call.arguments);
        let sources = self
            .pairs
            .sources(self.data, self.second, self.cuts.group.as_deref())?;
        let wanted = Wanted {
            angular: self.statistic == Statistic::Theta,
            outside: if self.pairs.space.wrap {
                Outside::Wrap
            } else {
                Outside::Refuse
            },
            regions: None,
        };
        self.cuts.check(self.statistic)?;
        spec.check_line_of_sight(self.los.los, self.cuts.needs_line_of_sight())?;
        let upweights = self.pair_weights.begin(&sources)?;
        if !self.legendre.is_empty() && !self.statistic.has_line_of_sight() {
            return Err(usage(
                "--legendre needs --statistic s-mu or rp-pi, which have a line of sight",
            ));
        }
        let engines = Engines::new(&self.pairs.run, call.arguments)?;
        let samples = call
            .kept
            .read(&sources, &self.pairs.space, wanted, &mut record)?;
        let los = line_of_sight(self.los.los, &samples);
        let bins = spec.with_line_of_sight(los)?;
        let weighting = self.pair_weights.weighting(&samples, &["data", "second"])?;
        upweights.check_data(samples.record().get("samples"));
        let cuts = self.cuts.cuts(los, samples.domain())?;
        let mut counter = Counter::new(engines, samples.domain())
            .sharing(call.kept.shared())
            .dropping(cuts);
        let first = samples.get("data")?;
        let pairs = match samples.find("second") {
            None => weighting.of("DD", ["data"; 2], Pairs::Auto(first))?,
            Some(second) => {
                weighting.of("D1D2", ["data", "second"], Pairs::Cross(first, second))?
            }
        };
        let mut counts = [(pairs, false)];
        upweighted(&mut counts, &upweights)?;
        let [(pairs, _)] = counts;
        let planned = Planned {
            mean: self.mean_separation,
            legendre: self.legendre.iter().copied().collect(),
            ..Planned::weighted(pairs)
        };
        let mut axes = with_bins!(&bins, bins => {
            counter.decide_and_count(&planned, bins)?;
            bins.axes()
        });
        samples.name_axes(&mut axes);
        record.set_bins(self.statistic, &axes, los);
        counter.note(&mut record);
        let length = samples.unit();
        let mut columns = edge_columns(&axes, length);
        for count in &counter.done {
            columns.extend(count_columns(count, ""));
            columns.extend(mean_column(count, &axes, length));
        }
        deliver(
            &Table {
                columns,
                meta: record.finish(ResultKind::Counts),
            },
            &self.pairs.output,
        )
    }
}
