//! `albireo randoms`: random catalogues.

use albireo::particles::MAX_PARTICLES;
use albireo::random::{self, Distribution, MAX_SMOOTH_BINS, SkyWindow};
use albireo::regions::{Footprint, MAX_FOOTPRINT_NSIDE};
use albireo::sky::{Column, unit_vectors};
use albireo::{Domain, Lattice, Points};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_samples::{BoxSpec, Selection, Source};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::mask::MaskFlags;
use crate::args::{ColumnUnits, DataFlags, FormatName, OutputFlags, SEED};
use crate::catalogs::Files;
use crate::group;
use crate::inputs::say;
use crate::paths::{ReadFile, WrittenFile};
use crate::record::Record;
use crate::session::Session;
use crate::text::whole_up_to;
use crate::usage::usage;
use crate::watch::Loss;

/// Arguments of `randoms`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Randoms {
    /// Number of points, e.g. 1e6
    #[arg(short, long, value_name = "N", value_parser = number)]
    number: usize,
    /// Seed
    ///
    /// The same seed gives the same points on every machine; a shorter catalogue is the beginning of a longer one.
    #[arg(long, value_name = "SEED", default_value_t = SEED.into())]
    seed: u64,
    #[command(flatten)]
    shape: ShapeFlags,
    #[command(flatten)]
    mask: MaskFlags,
    /// Resolution of the pixels of --like, a power of 2 up to 8192 [default: 64], or of --mask
    ///
    /// Pixels should hold many objects; 64 is 0.84 square degrees. Of --mask [default: as the file states by NSIDE].
    #[arg(long, value_name = "NSIDE", value_parser = nside, help_heading = group::INPUT)]
    nside: Option<u32>,
    /// Draw redshifts from a smooth histogram of the data in so many bins, e.g. 40
    ///
    /// Joined by monotone cubics, instead of the data's own redshifts.
    #[arg(long, value_name = "BINS", value_parser = bins, help_heading = group::INPUT)]
    smooth_nz: Option<usize>,
    #[command(flatten)]
    columns: DataFlags,
    #[command(flatten)]
    units: ColumnUnits,
    /// Write the points: .parquet .fits .h5 .csv .ecsv .json; `-` prints them
    ///
    /// With everything about how they were made; that of .csv is in FILE.json. `-` prints them, and nothing else, on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = group::OUTPUT)]
    output: WrittenFile,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = group::OUTPUT)]
    format: Option<FormatName>,
}

/// What the points fill: one of these, but for a mask, which may go with a catalogue.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
#[command(next_help_heading = group::PLACE)]
struct ShapeFlags {
    /// In a box from 0 to L, or to Lx,Ly,Lz, or three vectors: columns x, y, z, e.g. 420
    ///
    /// Three vectors are ax,ay,az,bx,..,cz.
    #[arg(long = "box", value_name = "BOX", allow_hyphen_values = true, conflicts_with_all = ["shell", "sky_window", "like", "mask"])]
    space: Option<BoxSpec>,
    /// Between two spheres around the origin, evenly in volume: columns x, y, z, e.g. 500:1200
    #[arg(long, value_name = "RMIN:RMAX", value_parser = shell, allow_hyphen_values = true, conflicts_with_all = ["sky_window", "like", "mask"])]
    shell: Option<[f64; 2]>,
    /// In a window of RA and DEC (degrees), evenly on the sphere, e.g. 150:240,-5:60
    ///
    /// Columns RA, DEC; -20:30,0:10 is across RA = 0.
    #[arg(long, value_name = "RA0:RA1,DEC0:DEC1", value_parser = sky_window, allow_hyphen_values = true, conflicts_with_all = ["like", "mask"])]
    sky_window: Option<Window>,
    /// In the footprint of a catalogue, with its redshifts: columns RA, DEC and Z
    ///
    /// The footprint is the `HEALPix` pixels that hold its objects; redshifts are drawn from those of the catalogue, by --weight where given;
    /// `--redshift none` makes none. Several files by a quoted pattern.
    #[arg(long, value_name = "DATA")]
    like: Option<Files>,
    /// In the `HEALPix` pixels of a mask, evenly: columns RA, DEC, and with --like also Z
    ///
    /// A map of the whole sky, as healpy writes them, or a table with a column of pixels.
    #[arg(long, value_name = "FILE")]
    mask: Option<ReadFile>,
}

/// A window on the sky with its limits as given.
#[derive(Debug, Clone, Copy)]
struct Window {
    sky: SkyWindow,
    ra: [f64; 2],
    dec: [f64; 2],
}

/// A number of points that a sample can hold.
fn number(text: &str) -> Result<usize, String> {
    whole_up_to(MAX_PARTICLES, text)
}

/// A resolution of footprints.
fn nside(text: &str) -> Result<u32, String> {
    let nside = text.parse::<u32>().ok();
    let holds = nside.filter(|n| n.is_power_of_two() && *n <= MAX_FOOTPRINT_NSIDE);
    let expected = "expected a power of 2 from 1 to";
    holds.ok_or_else(|| format!("{expected} {MAX_FOOTPRINT_NSIDE}, found `{text}`"))
}

/// A number of bins.
fn bins(text: &str) -> Result<usize, String> {
    whole_up_to(MAX_SMOOTH_BINS, text)
}

/// Two finite numbers, the first below the second.
fn rising(text: &str) -> Option<[f64; 2]> {
    let (low, high) = text.split_once(':')?;
    let ends = [low.trim().parse().ok()?, high.trim().parse().ok()?];
    (ends[0] < ends[1] && ends.iter().all(|end: &f64| end.is_finite())).then_some(ends)
}

/// The radii of a shell.
fn shell(text: &str) -> Result<[f64; 2], String> {
    let radii = rising(text).filter(|[r_min, _]| *r_min >= 0.0);
    radii.ok_or_else(|| format!("expected RMIN:RMAX with 0 <= RMIN < RMAX, found `{text}`"))
}

/// The limits of a window.
fn sky_window(text: &str) -> Result<Window, String> {
    let form = || {
        format!(
            "expected RA0:RA1,DEC0:DEC1 in degrees, each rising, such as 150:240,-5:60, found `{text}`"
        )
    };
    let (ra, dec) = text.split_once(',').ok_or_else(form)?;
    let (ra, dec) = rising(ra).zip(rising(dec)).ok_or_else(form)?;
    let sky = SkyWindow::new(ra, dec).map_err(|error| error.to_string())?;
    Ok(Window { sky, ra, dec })
}

/// Columns of Cartesian positions.
fn cartesian(points: &Points) -> Vec<TableColumn> {
    let columns = ["x", "y", "z"].into_iter().zip(points.columns());
    let column = |(name, values): (&str, _)| {
        let values: &albireo::particles::Column = values;
        TableColumn::floats(
            name,
            format!("position along {name}"),
            values.iter().collect(),
        )
    };
    columns.map(column).collect()
}

/// Columns of directions.
fn directions((ra, dec): (Vec<f64>, Vec<f64>)) -> Vec<TableColumn> {
    vec![
        TableColumn::floats("RA", "right ascension", ra).with_unit("deg"),
        TableColumn::floats("DEC", "declination", dec).with_unit("deg"),
    ]
}

impl Randoms {
    /// Makes the points and writes them.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let output = self.output_flags();
        let inputs = session.arguments.inputs();
        session.sink.check(&output, &[], &inputs)?;
        let selection = Selection::from(self.columns.clone());
        self.mask.check(self.shape.mask.as_deref())?;
        let of_pixels = self.nside.is_some() && self.shape.mask.is_none();
        let of_columns = selection.any() || self.units.any();
        let of_data = of_columns || of_pixels || self.smooth_nz.is_some();
        if self.shape.like.is_none() && of_data {
            return Err(usage(
                "--nside, --smooth-nz, columns and rows are about a catalogue: they go with --like DATA",
            ));
        }
        let mut record = Record::begin(session.arguments);
        record.set("number", self.number);
        record.set("seed", self.seed);
        let columns = {
            let _making = session.watch.during(Loss::Nothing);
            self.columns_of_points(selection, session, &mut record)?
        };
        let meta = record.timeless(ResultKind::Randoms);
        session.sink.deliver(&Table { columns, meta }, &output)
    }

    /// The flags of results that these have a use for.
    fn output_flags(&self) -> OutputFlags {
        OutputFlags::table(&self.output, self.format)
    }

    /// The points, in any shape.
    fn columns_of_points(
        &self,
        selection: Selection,
        session: &Session<'_>,
        record: &mut Record,
    ) -> Result<Vec<TableColumn>> {
        let (n, seed) = (self.number, self.seed);
        if let Some(files) = &self.shape.like {
            return self.like(files, selection, session, record);
        }
        if let Some(footprint) = self.masked(session, record)? {
            return Ok(directions(footprint.draw(n, seed)?));
        }
        if let Some([r_min, r_max]) = self.shape.shell {
            record.set("shell", json!([r_min, r_max]));
            let points = random::in_shell(n, seed, r_min, r_max).context("--shell")?;
            return Ok(cartesian(&points));
        }
        if let Some(Window { sky, ra, dec }) = self.shape.sky_window {
            record.set("sky_window", json!({ "RA": ra, "DEC": dec }));
            return Ok(directions(random::on_sky(n, seed, &sky, |_, _| true)?));
        }
        // As samples read it, so that the file states its box.
        let points = match self.shape.space {
            Some(BoxSpec::Lengths([Some(x), Some(y), Some(z)])) => {
                record.set("BoxSize", json!([x, y, z]));
                random::in_box(n, seed, [x, y, z]).context("--box")?
            }
            Some(BoxSpec::Vectors(vectors)) => {
                record.set("BoxSize", json!(vectors.as_flattened()));
                let cell = Domain::Triclinic(Lattice::new(vectors).context("--box")?);
                random::in_domain(n, seed, &cell)?
            }
            _ => {
                return Err(usage(
                    "--box: random points need a length for every axis, found an open one",
                ));
            }
        };
        Ok(cartesian(&points))
    }

    /// The footprint of the mask, where there is one.
    fn masked(&self, session: &Session<'_>, record: &mut Record) -> Result<Option<Footprint>> {
        let Some(path) = &self.shape.mask else {
            return Ok(None);
        };
        let (footprint, made_of) = self
            .mask
            .footprint(path, self.nside, &session.watch.stop())?;
        record.set("mask", made_of);
        note(&footprint, record);
        Ok(Some(footprint))
    }

    /// Points in the footprint of a catalogue, with redshifts like its own.
    fn like(
        &self,
        files: &Files,
        selection: Selection,
        session: &Session<'_>,
        record: &mut Record,
    ) -> Result<Vec<TableColumn>> {
        let without = selection.redshift.as_deref() == Some("none");
        if selection.positions.is_some() || selection.distance.is_some() {
            return Err(usage(
                "--like takes positions on the sky and redshifts: --sky and --redshift name them",
            ));
        }
        if selection.bits.is_some() {
            return Err(usage("--bits has no meaning for randoms"));
        }
        let mut selection = selection.resolved();
        if without {
            if self.smooth_nz.is_some() || selection.weight.is_some() {
                return Err(usage(
                    "--smooth-nz and --weight say how redshifts are drawn: they do not go with `--redshift none`",
                ));
            }
            selection.redshift = None;
        }
        let source = Source {
            role: "data".to_owned(),
            paths: files.paths.clone(),
            selection,
        };
        let reading = session.survey_reading(&self.units, !without);
        let survey = reading.read(&source, &mut |notice| say(&notice))?;
        let (ra, dec) = (
            Column::new("RA", &survey.ra),
            Column::new("DEC", &survey.dec),
        );
        let footprint = if let Some(footprint) = self.masked(session, record)? {
            footprint
        } else {
            let points = unit_vectors(ra, dec)?;
            let footprint = Footprint::holding(&points, self.nside.unwrap_or(64))?;
            warn_of_sparse(&footprint, survey.ra.len());
            note(&footprint, record);
            footprint
        };
        record.set("samples", survey.record);
        let mut columns = directions(footprint.draw(self.number, self.seed)?);
        if let Some(redshifts) = &survey.redshift {
            let weights = survey.weight.as_deref();
            let distribution = match self.smooth_nz {
                Some(bins) => Distribution::smooth(redshifts, weights, bins),
                None => Distribution::of_values(redshifts, weights),
            };
            let distribution = distribution.context("redshifts of --like")?;
            let how = self.smooth_nz.map_or_else(
                || "drawn from those of the data, with replacement".to_owned(),
                |bins| format!("monotone cubics through the histogram of the data in {bins} bins"),
            );
            record.set("redshifts", how);
            let drawn = distribution.draw(self.number, self.seed)?;
            columns.push(TableColumn::floats("Z", "redshift", drawn));
        }
        Ok(columns)
    }
}

/// Fewer objects a pixel than this leave holes where the survey has none.
const SPARSE: f64 = 5.0;

/// Notes the footprint.
fn note(footprint: &Footprint, record: &mut Record) {
    let (nside, n_pixels) = (footprint.nside(), footprint.n_pixels());
    let area = footprint.area();
    tracing::info!("footprint: {n_pixels} pixels of nside {nside}, {area:.2} square degrees");
    record.set(
        "footprint",
        json!({ "nside": nside, "pixels": n_pixels, "area_square_degrees": area }),
    );
}

/// Warns where pixels are too small for the data that they are to hold.
fn warn_of_sparse(footprint: &Footprint, objects: usize) {
    let each = objects as f64 / footprint.n_pixels() as f64;
    if each < SPARSE {
        tracing::warn!(
            "the pixels of the footprint hold {each:.1} objects on average: empty ones inside the survey are left out; a smaller --nside fills them"
        );
    }
}
