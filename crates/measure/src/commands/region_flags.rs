//! Which regions catalogues are cut into, and which errors are made of them.
//!
//! Entry: [`RegionFlags`].

use std::path::Path;

use albireo::binning::BinAxis;
use albireo::estimators::Jackknife;
use albireo_catalogs::Table;
#[cfg(feature = "plot")]
use albireo_figures::{Places, RegionMap, draw_regions};
use albireo_samples::{RegionSpec, Samples};
use clap::{Args, ValueEnum};

use super::region_tables;
#[cfg(feature = "plot")]
use crate::args::{SEED, mirrors};
use crate::files::Written;
use crate::group;
use crate::inputs::say;
use crate::pair_weights::Weighting;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::scatter::{Method, Scatter};
#[cfg(feature = "plot")]
use crate::session::Sink;
use crate::usage::{refuse_given, usage};

/// What becomes of pairs with one point in the region that is left out, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum JackknifeName {
    /// They are left out too.
    Standard,
    /// They keep the weight of Mohammad & Percival (2022), in the bins and in the totals, as in pycorr: better where they are many, too small
    /// where xi is large.
    MohammadPercival,
    /// They keep that weight in the bins alone: the best at separations below half a region.
    MohammadPercivalPairs,
}

mirrors!(JackknifeName => Jackknife { Standard, MohammadPercival, MohammadPercivalPairs });

/// Regions, and the errors from their scatter.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(super) struct RegionFlags {
    /// Jackknife errors from N compact regions [default: Poisson errors]
    ///
    /// By k-means, with nearly equal numbers of randoms (of DATA without any): on the sky for sky positions, else in space.
    #[arg(long, value_name = "N", group = "cut")]
    regions: Option<u32>,
    #[allow(clippy::doc_markdown, reason = "the help of a flag")]
    /// Regions are the HEALPix pixels of this resolution that hold randoms
    ///
    /// All samples must be in all of them.
    #[arg(long, value_name = "NSIDE", group = "cut")]
    regions_nside: Option<u32>,
    /// Regions are N x N x N equal sub-cubes of the periodic box; RR is known for them
    #[arg(long, value_name = "N", group = "cut")]
    regions_cubes: Option<u32>,
    /// Regions are the integers in a column that all samples have
    #[arg(long, value_name = "COLUMN", group = "cut")]
    regions_column: Option<String>,
    /// Cut each of --regions or --regions-nside into M layers of distance from the observer
    ///
    /// Between the k/M quantiles of DATA's distances, the last without an end; layer r of region k is region k*M + r.
    #[arg(long, value_name = "M")]
    regions_radial: Option<u32>,
    /// Seed of k-means and of the bootstrap
    #[arg(long, value_name = "SEED", default_value_t = SEED.into())]
    regions_seed: u64,
    /// Leave out one region at a time [default with regions: standard]
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "standard")]
    jackknife: Option<JackknifeName>,
    /// Draw as many regions with replacement, N times
    #[arg(long, value_name = "N", conflicts_with = "jackknife")]
    bootstrap: Option<u32>,
    /// Write the covariance, a row for each two bins; `albireo plot` draws its correlation matrix
    ///
    /// Over regions or, without them, over --realisations.
    #[arg(long, value_name = "FILE")]
    pub(super) covariance: Option<WrittenFile>,
    /// Write the pairs of every count within each region and across its border
    #[arg(long, value_name = "FILE")]
    pub(super) region_counts: Option<WrittenFile>,
    /// Write the rows of every sample with their region
    ///
    /// Columns sample (0 for DATA, then the others as they are named in the record), x, y, z, weight and region. It is a catalogue that
    /// --regions-column region reads, and --where 'sample == 0' selects a part.
    #[arg(long, value_name = "FILE")]
    pub(super) regions_output: Option<WrittenFile>,
    /// Write the weight of each sample outside each region, a column for each
    ///
    /// With the weights of --bits of its rows (IIP).
    #[arg(long, value_name = "FILE")]
    pub(super) region_sums: Option<WrittenFile>,
    /// Plot the randoms (DATA without any) in the colours of their regions: .png .svg .pdf
    ///
    /// On the sky with RA increasing to the left, else along x and y.
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FIGURE")]
    pub(super) region_map: Option<WrittenFile>,
}

impl RegionFlags {
    /// What the catalogues are cut into and how errors are made of it, where it is asked for; a covariance may be that of realisations.
    pub(super) fn asked(&self, realised: bool) -> anyhow::Result<Option<(RegionSpec, Method)>> {
        let seed = self.regions_seed;
        let k_means = self
            .regions
            .map(|number| RegionSpec::KMeans { number, seed });
        let pixels = self.regions_nside.map(|nside| RegionSpec::Pixels { nside });
        let column = self.regions_column.clone().map(RegionSpec::Column);
        let cut = k_means
            .or(pixels)
            .or(self.regions_cubes.map(RegionSpec::Cells))
            .or(column);
        let Some(cut) = self.layered(cut)? else {
            let needing = [
                (self.jackknife.is_some(), "--jackknife"),
                (self.bootstrap.is_some(), "--bootstrap"),
                (self.covariance.is_some() && !realised, "--covariance"),
                (self.region_counts.is_some(), "--region-counts"),
                (self.regions_output.is_some(), "--regions-output"),
                (self.region_sums.is_some(), "--region-sums"),
                #[cfg(feature = "plot")]
                (self.region_map.is_some(), "--region-map"),
            ];
            let refused = refuse_given(&needing, |flag| {
                format!(
                    "{flag} needs regions: --regions N, --regions-nside NSIDE, --regions-cubes N or --regions-column COLUMN"
                )
            });
            return refused.map(|()| None);
        };
        let method = match (self.bootstrap, self.jackknife) {
            (Some(realisations), _) => Method::Bootstrap { realisations, seed },
            (None, kind) => Method::Jackknife(kind.map(Into::into).unwrap_or_default()),
        };
        Ok(Some((cut, method)))
    }

    /// Refuses layers of distance where there are none, as `reason` says.
    pub(super) fn check_distances(&self, reason: &str) -> anyhow::Result<()> {
        match self.regions_radial {
            None => Ok(()),
            Some(_) => Err(usage(format!("--regions-radial needs distances: {reason}"))),
        }
    }

    /// The tables of the regions, and of what was counted in them, that are asked for, with where they go.
    pub(super) fn tables(
        &self,
        (inputs, weighting): (&Samples, &Weighting),
        (scatter, axes): (&Scatter, &[BinAxis]),
        record: &Record,
    ) -> anyhow::Result<Vec<(&Path, Table)>> {
        let counts = self.region_counts.as_deref();
        let counted = |path| Ok((path, scatter.region_counts(axes, inputs.unit(), record)));
        let rows = self.regions_output.as_deref();
        let rows = rows.map(|path| Ok((path, region_tables::rows(inputs, record)?)));
        let sums = self.region_sums.as_deref();
        let sums = sums.map(|path| Ok((path, region_tables::sums(inputs, weighting, record)?)));
        let counts = counts.map(counted).into_iter();
        counts.chain(rows).chain(sums).collect()
    }

    /// The regions in layers of distance, where these are asked for.
    fn layered(&self, cut: Option<RegionSpec>) -> anyhow::Result<Option<RegionSpec>> {
        let Some(layers) = self.regions_radial else {
            return Ok(cut);
        };
        match cut {
            Some(cut @ (RegionSpec::KMeans { .. } | RegionSpec::Pixels { .. })) => {
                let across = Box::new(cut);
                Ok(Some(RegionSpec::Layered { across, layers }))
            }
            _ => Err(usage(
                "--regions-radial cuts regions of the sky: it goes with --regions N or --regions-nside NSIDE",
            )),
        }
    }

    /// Refuses a map that could not be drawn in the end, or would replace a file that is read or written.
    #[cfg(feature = "plot")]
    pub(super) fn check_map(&self, inputs: &[&Path], sink: &Sink) -> anyhow::Result<()> {
        let Some(path) = &self.region_map else {
            return Ok(());
        };
        albireo_figures::check_path(path)?;
        let mut written = vec![Written::probe("--region-map", path)?];
        let files = self.written();
        for (flag, path) in files.filter(|(_, path)| !sink.keeps(path)) {
            written.push(Written::probe(flag, path)?);
        }
        sink.keep_apart(&written, inputs)
    }

    /// Refuses layers of distance in a box without an observer; where `first` says so, draws the regions of samples and says what looks wrong about them.
    pub(super) fn look_at(&self, samples: &Samples, first: bool) -> anyhow::Result<()> {
        if samples.domain().is_periodic() {
            self.check_distances("a periodic box has no observer to measure them from")?;
        }
        if first {
            samples
                .doubts_of_regions(self.bootstrap)
                .iter()
                .for_each(say);
        }
        #[cfg(feature = "plot")]
        if first {
            self.draw_map(samples)?;
        }
        Ok(())
    }

    /// Draws the regions of the sample that they are made of, where that is asked for.
    #[cfg(feature = "plot")]
    fn draw_map(&self, samples: &Samples) -> anyhow::Result<()> {
        let Some(path) = &self.region_map else {
            return Ok(());
        };
        let of = samples.find("randoms").or_else(|| samples.find("data"));
        let labels = of.and_then(|sample| Some((sample.points(), sample.labels()?)));
        let Some((points, labels)) = labels else {
            return Ok(());
        };
        let view = points.view();
        let places: Vec<[f64; 3]> = (0..points.len()).map(|row| view.at(row)).collect();
        let column = |value: fn([f64; 3]) -> f64| places.iter().map(|&p| value(p)).collect();
        let region = labels.values();
        let (first, second): (Vec<f64>, Vec<f64>) = if samples.on_sky() {
            (
                column(|[x, y, _]| y.atan2(x).to_degrees().rem_euclid(360.0)),
                column(|[x, y, z]| z.atan2(x.hypot(y)).to_degrees()),
            )
        } else {
            (column(|[x, _, _]| x), column(|[_, y, _]| y))
        };
        let label = |axis: &str| match samples.unit() {
            Some(unit) => format!("{axis}  [{unit}]"),
            None => axis.to_owned(),
        };
        let (x, y) = (label("x"), label("y"));
        let places = if samples.on_sky() {
            Places::Sky {
                ra: &first,
                dec: &second,
            }
        } else {
            Places::Plane {
                x: &first,
                y: &second,
                labels: [&x, &y],
            }
        };
        draw_regions(&RegionMap { places, region }, path)?;
        tracing::info!(
            "map of {} regions drawn to {}",
            labels.number(),
            path.display()
        );
        Ok(())
    }

    /// The files that are written, by their flags.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let files = [
            ("--covariance", &self.covariance),
            ("--region-counts", &self.region_counts),
            ("--regions-output", &self.regions_output),
            ("--region-sums", &self.region_sums),
        ];
        files
            .into_iter()
            .filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
    }
}
