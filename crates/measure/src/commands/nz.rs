//! `albireo nz`: the number density of a survey along redshift, FKP weights and effective redshifts.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bins of redshift"
)]

use std::path::{Path, PathBuf};

use albireo::binning::{AxisUnit, BinAxis};
use albireo::cosmology::{Cosmology, NumberDensity};
use albireo::regions::Footprint;
use albireo::sky::{Column, positions, unit_vectors};
use albireo::{Bins, Domain, Edges, Pairs, Particles, RBins};
use albireo_catalogs::{ResultKind, TableColumn};
use albireo_samples::{Selection, Source, Survey};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::args::{ColumnUnits, DataFlags, OutputFlags, RandomsFlags, RunFlags, cosmology};
use crate::catalogs::Files;
use crate::counting::Counter;
use crate::edges::{EdgeSpec, ends};
use crate::engine::Engines;
use crate::group;
use crate::inputs::say;
use crate::named_count::NamedCount;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::tables::edge_columns;
use crate::usage::usage;
use crate::watch::Loss;

/// Width of the bins where none are given, as in the catalogues of BOSS, eBOSS and DESI.
const WIDTH: f64 = 0.01;

/// Objects whose pixels are compared with the area that is given, the finest of these pixels, and how many times their area is doubtful.
const LOOKED_AT: usize = 1 << 18;
const FINE: u32 = 4096;
const MANY: f64 = 3.0;
/// Objects in a pixel, on average, that leave few pixels of a survey empty, and pixels that say how large it is.
const EACH: usize = 5;
const PIXELS: usize = 20;

/// Arguments of `nz`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Nz {
    /// Survey with sky positions and redshifts; several files, or a quoted pattern
    #[arg(required = true)]
    data: Vec<Files>,
    /// Randoms of the survey: the area is that of their pixels, and --fkp-randoms is for them
    #[arg(long, value_name = "FILE")]
    randoms: Vec<Files>,
    /// Bins in redshift: lin:LO:HI:N, edges:A,B,.. or @FILE [default: 0.01 wide, around all of DATA]
    #[arg(long, value_name = "SPEC", help_heading = group::BINS)]
    bins: Option<EdgeSpec>,
    /// Cosmology of the volumes: a name such as Planck18 or DESI, or parameters, e.g. om=0.31
    #[arg(long, value_name = "NAME|KEY=VALUE,..", value_parser = cosmology)]
    cosmology: String,
    /// Area of the survey in square degrees, without masked and incomplete parts
    #[arg(long, value_name = "AREA", allow_negative_numbers = true)]
    area: Option<f64>,
    #[allow(clippy::doc_markdown, reason = "the help of a flag")]
    /// Use the area of the HEALPix pixels of this resolution that hold randoms (DATA without any)
    ///
    /// Pixels at the border count in full.
    #[arg(long, value_name = "NSIDE", conflicts_with = "area")]
    nside: Option<u32>,
    /// FKP weights 1/(1 + n(z) P0) for this P0 in (Mpc/h)^3, e.g. 10000
    ///
    /// A column of the result, and of the files below.
    #[arg(
        long,
        value_name = "P0",
        allow_negative_numbers = true,
        help_heading = group::WEIGHTS
    )]
    fkp: Option<f64>,
    #[allow(clippy::doc_markdown, reason = "the help of a flag")]
    /// Write the rows of DATA as a catalogue with NZ and WEIGHT_FKP
    ///
    /// RA, DEC, Z, their WEIGHT where named, NZ and WEIGHT_FKP, by extension as --output.
    #[arg(long, value_name = "FILE", requires = "fkp", help_heading = group::WEIGHTS)]
    fkp_data: Option<WrittenFile>,
    /// Write the randoms as such a catalogue, by the n(z) of DATA
    #[arg(long, value_name = "FILE", requires_all = ["fkp", "randoms"], help_heading = group::WEIGHTS)]
    fkp_randoms: Option<WrittenFile>,
    /// Also the effective redshift of pairs between these separations in Mpc/h, e.g. 25:120
    ///
    /// Of DATA, with FKP weights where asked for.
    #[arg(long, value_name = "LO:HI", value_parser = ends, help_heading = group::OUTPUT)]
    effective_redshift: Option<[f64; 2]>,
    #[command(flatten)]
    columns: DataFlags,
    #[command(flatten)]
    randoms_columns: RandomsFlags,
    #[command(flatten)]
    units: ColumnUnits,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A survey, and what messages and records call it.
struct Sample {
    role: &'static str,
    survey: Survey,
    redshift: Vec<f64>,
}

impl Sample {
    fn read(
        role: &'static str,
        files: &[Files],
        selection: Selection,
        units: &ColumnUnits,
        session: &Session<'_>,
    ) -> Result<Self> {
        let source = Source {
            role: role.to_owned(),
            paths: files
                .iter()
                .flat_map(Files::iter)
                .map(PathBuf::from)
                .collect(),
            selection: selection.resolved(),
        };
        if source.selection.positions.is_some() || source.selection.distance.is_some() {
            return Err(usage(
                "n(z) is of positions on the sky and redshifts: --sky and --redshift name them",
            ));
        }
        let reading = session.survey_reading(units, true);
        let mut survey = reading.read(&source, &mut |notice| say(&notice))?;
        let redshift = survey.redshift.take().unwrap_or_default();
        Ok(Self {
            role,
            survey,
            redshift,
        })
    }

    /// The area of its pixels, in square degrees, and a record of them.
    fn footprint(&self, nside: u32) -> Result<(f64, Value)> {
        let (ra, dec) = (&self.survey.ra, &self.survey.dec);
        let places = unit_vectors(Column::new("RA", ra), Column::new("DEC", dec))?;
        let footprint = Footprint::holding(&places, nside).context("--nside")?;
        let (area, pixels) = (footprint.area(), footprint.n_pixels());
        tracing::info!(
            "area of {pixels} pixels of nside {nside} that hold {}: {area:.2} square degrees",
            self.role
        );
        let each = ra.len() as f64 / pixels as f64;
        if each < 5.0 {
            tracing::warn!(
                "the pixels hold {each:.1} points on average: empty ones inside the survey are missing from its area; a smaller --nside or randoms would help"
            );
        }
        Ok((
            area,
            json!({"nside": nside, "pixels": pixels, "of": self.role}),
        ))
    }

    /// Says where objects lie in pixels of many times the area that is given, or of a small part of it.
    fn check_area(&self, given: f64) -> Result<()> {
        let step = self.survey.ra.len().div_ceil(LOOKED_AT).max(1);
        let some = |angles: &[f64]| angles.iter().copied().step_by(step).collect::<Vec<_>>();
        let [ra, dec] = [&self.survey.ra, &self.survey.dec].map(|angles| some(angles));
        let places = unit_vectors(Column::new("RA", &ra), Column::new("DEC", &dec))?;
        let mut nside = FINE;
        let mut pixels = Footprint::holding(&places, nside)?;
        let is_sparse = |pixels: &Footprint| ra.len() < EACH * pixels.n_pixels();
        while is_sparse(&pixels) && pixels.n_pixels() > PIXELS && nside > 1 {
            nside /= 2;
            pixels = Footprint::holding(&places, nside)?;
        }
        let found = pixels.area();
        let is_large = given > MANY * found && !is_sparse(&pixels);
        if given > 0.0 && (found > MANY * given || is_large) {
            tracing::warn!(
                "--area {given}: {} lie in pixels of {found:.3} square degrees in all: is it the area of the survey, in square degrees?",
                self.role
            );
        }
        Ok(())
    }

    /// Its rows with their density and FKP weights.
    fn weighted(&self, n: &NumberDensity, p0: f64) -> Result<Vec<TableColumn>> {
        let weights = n.fkp_weights(&self.redshift, p0);
        let weights = weights.with_context(|| format!("FKP weights of {}", self.role))?;
        let density = self.redshift.iter().map(|&z| n.at(z).unwrap_or(f64::NAN));
        let survey = &self.survey;
        let own = survey.weight.clone();
        let own = own.map(|weight| TableColumn::floats("WEIGHT", "weight as it was", weight));
        let mut columns = vec![
            TableColumn::floats("RA", "right ascension", survey.ra.clone()).with_unit("deg"),
            TableColumn::floats("DEC", "declination", survey.dec.clone()).with_unit("deg"),
            TableColumn::floats("Z", "redshift", self.redshift.clone()),
        ];
        columns.extend(own);
        columns.push(
            TableColumn::floats("NZ", "n(z) of the data at the redshift", density.collect())
                .with_unit("(h/Mpc)^3"),
        );
        let described = format!("1/(1 + n(z) P0), P0 = {p0} (Mpc/h)^3");
        columns.push(TableColumn::floats("WEIGHT_FKP", described, weights));
        Ok(columns)
    }
}

/// Edges 0.01 apart around all values.
fn around(values: &[f64]) -> Vec<f64> {
    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = values.iter().copied().fold(0.0, f64::max);
    let [first, last] = [lo, hi].map(|z| (z / WIDTH).floor() as u64);
    (first..=last + 1)
        .map(|k| k as f64 / (1.0 / WIDTH))
        .collect()
}

impl Nz {
    /// Refuses what could not be written in the end, and flags that have no meaning.
    fn check(&self, inputs: &[&Path], sink: &Sink) -> Result<()> {
        let others = [
            ("--fkp-data", &self.fkp_data),
            ("--fkp-randoms", &self.fkp_randoms),
        ];
        let others: Vec<_> = others
            .into_iter()
            .filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
            .collect();
        sink.check(&self.output, &others, inputs)?;
        if self.area.is_none() && self.nside.is_none() {
            return Err(usage(
                "a density needs the area of the survey: --area in square degrees, or --nside N for the area of the HEALPix pixels that hold objects",
            ));
        }
        if let Some(p0) = self.fkp.filter(|p0| !(*p0 > 0.0 && p0.is_finite())) {
            return Err(usage(format!(
                "--fkp: P0 is a power spectrum in (Mpc/h)^3, above 0, such as 10000, found {p0}"
            )));
        }
        if let Some([lo, hi]) = self.effective_redshift.filter(|[lo, _]| *lo <= 0.0) {
            return Err(usage(format!(
                "--effective-redshift: separations begin above 0, so that no object is paired with itself, found {lo}:{hi}"
            )));
        }
        Ok(())
    }

    /// The area with a record of where it comes from.
    fn area(&self, data: &Sample, randoms: Option<&Sample>) -> Result<(f64, Value)> {
        match (self.area, self.nside) {
            (Some(area), _) => {
                data.check_area(area)?;
                Ok((area, json!("given")))
            }
            (None, Some(nside)) => randoms.unwrap_or(data).footprint(nside),
            (None, None) => bail!("no area"),
        }
    }

    /// The effective redshift of the pairs in a range of separations: `sum w_i w_j (z_i + z_j)/2 / sum w_i w_j`;
    /// none where a part of the counts is written.
    fn of_pairs(
        &self,
        [lo, hi]: [f64; 2],
        (data, weight): (&Sample, &[f64]),
        cosmology: &Cosmology,
        session: &mut Session<'_>,
        record: &mut Record,
    ) -> Result<Option<Value>> {
        let engines = Engines::new(&self.run, session)?;
        let distance = cosmology.distances(Column::new("Z", &data.redshift))?;
        let (ra, dec) = (&data.survey.ra, &data.survey.dec);
        let points = positions(
            Column::new("RA", ra),
            Column::new("DEC", dec),
            Column::new("distance", &distance),
        )?;
        let weighted = weight.iter().zip(&data.redshift).map(|(w, z)| w * z);
        let weighted = Particles::weighted(points.clone(), weighted.collect())?;
        let plain = Particles::weighted(points, weight.to_vec())?;
        let edges = Edges::new(vec![lo, hi]).context("--effective-redshift")?;
        let bins = Bins::from(RBins::new(edges));
        let mut counter = Counter::new(engines, &Domain::Open).sharing(session.kept.shared());
        let counts = [
            NamedCount::new("pairs with z", Pairs::Cross(&weighted, &plain), &bins),
            NamedCount::new("pairs", Pairs::Auto(&plain), &bins),
        ];
        counter.decide(&counts)?;
        let [sum, all] = [
            counter.count(&counts[0])?.values()[0],
            counter.count(&counts[1])?.values()[0],
        ];
        if counter.is_over() {
            return Ok(None);
        }
        counter.note(record);
        // The first sum holds each pair in both orders: z_i and z_j of it.
        let redshift = 0.5 * sum / all;
        if !redshift.is_finite() {
            bail!("--effective-redshift: there is no pair between {lo} and {hi} Mpc/h");
        }
        tracing::info!(
            "effective redshift of the pairs between {lo} and {hi} Mpc/h: {redshift:.6}"
        );
        let formula = "sum w_i w_j (z_i + z_j)/2 / sum w_i w_j (Bautista et al. 2021)";
        Ok(Some(
            json!({"redshift": redshift, "separations": [lo, hi], "formula": formula}),
        ))
    }

    /// Effective redshifts by both definitions; none where a part of the counts is written.
    fn effective(
        &self,
        n: &NumberDensity,
        data: &Sample,
        cosmology: &Cosmology,
        session: &mut Session<'_>,
        record: &mut Record,
    ) -> Result<Option<Map<String, Value>>> {
        let p0 = self.fkp.unwrap_or(0.0);
        let by_density = n.effective_redshift(p0)?;
        tracing::info!("effective redshift by n^2 w^2: {by_density:.6}");
        let mut weight = match &data.survey.weight {
            Some(weight) => weight.clone(),
            None => vec![1.0; data.redshift.len()],
        };
        if self.fkp.is_some() && self.effective_redshift.is_some() {
            let fkp = n
                .fkp_weights(&data.redshift, p0)
                .context("FKP weights of data")?;
            weight.iter_mut().zip(fkp).for_each(|(w, fkp)| *w *= fkp);
        }
        let mut effective = Map::new();
        let formula = "sum n^2 w^2 V z / sum n^2 w^2 V over the bins, w their FKP weights";
        let density = json!({"redshift": by_density, "formula": formula});
        effective.insert("density".to_owned(), density);
        if let Some(range) = self.effective_redshift {
            let sample = (data, &weight[..]);
            let Some(pairs) = self.of_pairs(range, sample, cosmology, session, record)? else {
                return Ok(None);
            };
            effective.insert("pairs".to_owned(), pairs);
        }
        Ok(Some(effective))
    }

    /// n(z) as columns.
    fn density_columns(&self, n: &NumberDensity) -> Vec<TableColumn> {
        let axis = BinAxis::new("z", n.edges(), AxisUnit::Dimensionless);
        let mut columns = edge_columns(&[axis], None);
        let density = n.density();
        columns.extend([
            TableColumn::floats(
                "n",
                "comoving number density: weight over volume",
                density.clone(),
            )
            .with_unit("(h/Mpc)^3"),
            TableColumn::floats("n_error", "Poisson error of n", n.errors()).with_unit("(h/Mpc)^3"),
            TableColumn::integers("objects", "number of objects", n.objects().to_vec()),
            TableColumn::floats("weight", "sum of their weights", n.weights().to_vec()),
            TableColumn::floats("volume", "comoving volume", n.volumes().to_vec())
                .with_unit("(Mpc/h)^3"),
        ]);
        if let Some(p0) = self.fkp {
            let weights = density.iter().map(|n| 1.0 / (1.0 + n * p0)).collect();
            columns.push(TableColumn::floats(
                "fkp",
                format!("FKP weight 1/(1 + n P0), P0 = {p0} (Mpc/h)^3"),
                weights,
            ));
        }
        columns
    }

    /// Reads, bins, prints and writes.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        self.check(&session.arguments.inputs(), &session.sink)?;
        let cosmology: Cosmology = self.cosmology.parse().context("--cosmology")?;
        let mut record = Record::begin(session.arguments);
        let selection = Selection::from(self.columns.clone());
        let others = Selection::from(self.randoms_columns.clone()).or(&selection);
        let (data, randoms) = {
            let _reading = session.watch.during(Loss::Nothing);
            let data = Sample::read("data", &self.data, selection, &self.units, session)?;
            let randoms = !self.randoms.is_empty();
            let randoms = randoms
                .then(|| Sample::read("randoms", &self.randoms, others, &self.units, session));
            (data, randoms.transpose()?)
        };
        let (area, pixels) = self.area(&data, randoms.as_ref())?;
        let edges = match &self.bins {
            Some(spec) => spec.edges().context("--bins")?.values().to_vec(),
            None => around(&data.redshift),
        };
        let redshifts = Column::new("Z", &data.redshift);
        let weights = data.survey.weight.as_deref();
        let n = NumberDensity::new(redshifts, weights, &edges, area, &cosmology)?;
        if n.outside() > 0 {
            let all = data.redshift.len();
            tracing::warn!("{} of {all} objects lie outside the bins", n.outside());
        }
        let rows =
            |sample: Option<&Sample>, path: &Option<WrittenFile>| match (sample, path, self.fkp) {
                (Some(sample), Some(path), Some(p0)) => {
                    Ok(Some((path.clone(), sample.weighted(&n, p0)?)))
                }
                _ => Ok::<_, anyhow::Error>(None),
            };
        let catalogues = [
            rows(Some(&data), &self.fkp_data)?,
            rows(randoms.as_ref(), &self.fkp_randoms)?,
        ];
        let effective = self.effective(&n, &data, &cosmology, session, &mut record)?;
        let Some(effective) = effective else {
            return Ok(());
        };
        record.set("edges", json!({"z": edges}));
        record.set("cosmology", json!(cosmology));
        record.set("unit", "Mpc/h");
        record.set("area_square_degrees", area);
        record.set("area_from", pixels);
        record.set("effective_redshift", effective);
        if let Some(p0) = self.fkp {
            record.set("fkp_p0", p0);
        }
        let samples = std::iter::once(&data).chain(&randoms);
        let samples: Vec<Value> = samples.flat_map(|one| one.survey.record.clone()).collect();
        record.set("samples", samples);
        for (path, columns) in catalogues.into_iter().flatten() {
            let table = record.table(ResultKind::FkpWeights, columns);
            session.sink.write(&table, &path)?;
        }
        let columns = self.density_columns(&n);
        let table = record.table(ResultKind::NumberDensity, columns);
        session.sink.deliver(&table, &self.output)
    }
}
