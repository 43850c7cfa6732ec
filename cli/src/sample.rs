//! From a file and its flags to particles, with a record of how.
//!
//! Entry: [`Opened::new`], then [`Opened::read`]. It knows no domain and no bins.

use std::path::{Path, PathBuf};

use albireo::cosmology::Cosmology;
use albireo::sky::{self, Column};
use albireo::{Particles, Points};
use albireo_catalogs::{Catalog, CatalogReader, Filter, Request, TableDescription};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::args::ColumnFlags;
use crate::columns::{self, Depth, Need, Place};
use crate::progress::stop_reading;
use crate::space::{StatedBox, stated_box};
use crate::warnings;

/// A file to be read as one of the samples of a command.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// What the sample is to the command: `data`, `randoms`, `cross`...
    pub(crate) role: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) flags: ColumnFlags,
}

/// What reading depends on besides the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// Only directions are needed.
    pub(crate) angular: bool,
    pub(crate) cosmology: Option<&'a Cosmology>,
}

/// Particles and how they came about.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) role: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) particles: Particles,
    pub(crate) record: Value,
    pub(crate) stated_box: Option<StatedBox>,
    /// Unit of length of the positions, where known.
    pub(crate) unit: Option<String>,
}

/// A row as messages name it.
fn row_of(source: &Source, row: usize) -> String {
    let which = match source.flags.filter {
        Some(_) => "counting from 0 those that --where keeps",
        None => "counting from 0",
    };
    format!("row {row} ({which})")
}

/// Refuses NaN and infinities, naming column and row of the file.
fn check_finite(source: &Source, column: &str, values: &[f64]) -> Result<()> {
    let Some(row) = values.iter().position(|v| !v.is_finite()) else {
        return Ok(());
    };
    bail!(
        "{}: column `{column}` must be finite: found {} in {}",
        source.path.display(),
        values[row],
        row_of(source, row)
    );
}

/// Refuses redshifts of what comes towards us: they have no distance.
fn check_receding(source: &Source, column: &str, redshifts: &[f64]) -> Result<()> {
    let Some(row) = redshifts.iter().position(|&z| z < 0.0) else {
        return Ok(());
    };
    bail!(
        "{}: column `{column}`: expected redshifts of 0 or more, found {} in {}",
        source.path.display(),
        redshifts[row],
        row_of(source, row)
    );
}

/// Refuses particles of more than one frame, which would be counted as if they were there at once.
fn check_frame(catalog: &Catalog, source: &Source, column: &str) -> Result<()> {
    let values = catalog.column(column)?;
    let first = values.first().copied().unwrap_or_default();
    if values.iter().all(|&frame| frame == first) {
        return Ok(());
    }
    let (least, most) = values.iter().fold((first, first), |(least, most), &frame| {
        (least.min(frame), most.max(frame))
    });
    bail!(
        "{}: particles of several frames (column `{column}`, {least} to {most}) would be counted as if they were there at once: choose one, such as --where '{column} == {least}'",
        source.path.display()
    );
}

/// One checked column.
fn take(catalog: &mut Catalog, source: &Source, name: &str) -> Result<Vec<f64>> {
    let values = catalog.take(name)?;
    check_finite(source, name, &values)?;
    Ok(values)
}

fn cartesian(catalog: &mut Catalog, source: &Source, place: &Place) -> Result<Option<Points>> {
    let [x, y, z] = match place {
        Place::Cartesian([x, y, z]) => [
            take(catalog, source, x)?,
            take(catalog, source, y)?,
            take(catalog, source, z)?,
        ],
        Place::Vector(name) => {
            let columns = catalog.vector(name)?;
            for (component, values) in columns.iter().enumerate() {
                let column = format!("{name}[{component}]");
                check_finite(source, &column, values)?;
            }
            columns
        }
        Place::Sky { .. } => return Ok(None),
    };
    Ok(Some(Points::new(x, y, z)?))
}

/// Positions from sky columns: unit vectors where there is no depth.
fn on_sky(
    catalog: &mut Catalog,
    source: &Source,
    place: &Place,
    reading: Reading<'_>,
) -> Result<Points> {
    let Place::Sky { ra, dec, depth } = place else {
        bail!("no sky columns")
    };
    let angles = [take(catalog, source, ra)?, take(catalog, source, dec)?];
    let file = source.path.display().to_string();
    warnings::radians(&file, (ra, &angles[0]), (dec, &angles[1]));
    let (ra, dec) = (Column::new(ra, &angles[0]), Column::new(dec, &angles[1]));
    let (name, distance) = match depth {
        Depth::None => return Ok(sky::unit_vectors(ra, dec)?),
        Depth::Distance(name) => (name, take(catalog, source, name)?),
        Depth::Redshift(name) => {
            let redshift = take(catalog, source, name)?;
            check_receding(source, name, &redshift)?;
            warnings::velocities(&file, name, &redshift);
            let cosmology = reading.cosmology.ok_or_else(|| {
                anyhow!(
                    "redshifts (column `{name}`) need --cosmology, such as --cosmology Planck18"
                )
            })?;
            (name, cosmology.distances(Column::new(name, &redshift))?)
        }
    };
    Ok(sky::positions(ra, dec, Column::new(name, &distance))?)
}

/// A file opened, its columns chosen, none of them read.
pub(crate) struct Opened {
    source: Source,
    reader: Box<dyn CatalogReader>,
    outline: TableDescription,
    pub(crate) place: Place,
    filter: Option<Filter>,
}

impl Opened {
    /// Opens a file and chooses its columns.
    pub(crate) fn new(source: &Source, reading: Reading<'_>) -> Result<Self> {
        let Source { path, flags, .. } = source;
        let shown = path.display();
        let filter = flags.filter.as_deref().map(Filter::parse).transpose();
        let filter = filter.context("--where")?;
        let mut reader = albireo_catalogs::open_until(path, stop_reading())?;
        let outline = reader.outline(flags.table.as_deref())?;
        let need = Need {
            angular: reading.angular,
            cosmology: reading.cosmology.is_some(),
        };
        let (place, guessed) =
            columns::choose(&outline, flags, need).with_context(|| shown.to_string())?;
        if guessed {
            tracing::info!(
                "{shown}: positions from the columns {} ({})",
                place.columns().join(", "),
                place.meaning()
            );
        }
        let depth = flags.distance.as_ref().or(flags.redshift.as_ref());
        if let (true, Some(depth)) = (reading.angular, depth) {
            tracing::info!(
                "{shown}: angles need positions on the sky only: column `{depth}` is not used"
            );
        }
        if let (None, Some(name)) = (&flags.weight, columns::weight_like(&outline)) {
            tracing::info!(
                "{shown}: column `{name}` looks like a weight and is not used; --weight {name} would"
            );
        }
        Ok(Self {
            source: source.clone(),
            reader,
            outline,
            place,
            filter,
        })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.source.path
    }

    /// Reads the particles.
    pub(crate) fn read(mut self, reading: Reading<'_>) -> Result<Sample> {
        let (source, place) = (&self.source, &self.place);
        let Source { role, path, flags } = source;
        let shown = path.display();
        let frame = if place.is_sky() {
            None
        } else {
            columns::frame_like(&self.outline)
        };
        let mut wanted: Vec<String> = Vec::new();
        for name in place.columns().iter().chain(&flags.weight).chain(&frame) {
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
        let mut request = Request::columns(wanted);
        request.table.clone_from(&flags.table);
        request.filter = self.filter.take();
        let mut catalog = self.reader.read(&request)?;
        if catalog.rows() == 0 {
            bail!(
                "{shown}: the sample is empty: {} rows were read and none kept",
                catalog.rows_read()
            );
        }
        if let Some(frame) = &frame {
            check_frame(&catalog, source, frame)?;
        }
        // Before the positions, one of which it may be.
        let weights = flags.weight.as_deref();
        let weights = weights.map(|name| weights_of(&catalog, source, name));
        let weights = weights.transpose()?;
        let in_file = || match flags.filter {
            Some(_) => format!("{shown}, of the rows that --where keeps"),
            None => shown.to_string(),
        };
        let points = match cartesian(&mut catalog, source, place)? {
            Some(points) => points,
            None => on_sky(&mut catalog, source, place, reading).with_context(in_file)?,
        };
        let particles = match weights {
            None => Particles::new(points),
            Some(weights) => {
                let name = flags.weight.as_deref().unwrap_or_default();
                let in_column = || format!("{shown}: column `{name}`");
                let particles = Particles::weighted(points, weights).with_context(in_column)?;
                particles.check_weight_sums().with_context(in_column)?;
                particles
            }
        };
        let particles = match (reading.angular, place.is_sky()) {
            (true, false) => particles.directions().with_context(in_file)?,
            _ => particles,
        };
        tracing::info!(
            "{role}: {} of {} rows of {shown}",
            particles.len(),
            catalog.rows_read()
        );
        Ok(Sample {
            role,
            path: path.clone(),
            record: record(source, &catalog, place, &particles)?,
            stated_box: stated_box(path, catalog.attributes()),
            unit: unit(&self.outline, place),
            particles,
        })
    }
}

/// The weights in column `name`.
fn weights_of(catalog: &Catalog, source: &Source, name: &str) -> Result<Vec<f64>> {
    let weights = catalog.column(name)?.to_vec();
    check_finite(source, name, &weights)?;
    Ok(weights)
}

/// The unit of length that the columns or the attributes of their table state, Mpc/h for redshifts.
fn unit(outline: &TableDescription, place: &Place) -> Option<String> {
    let name = match place {
        Place::Cartesian([name, ..])
        | Place::Vector(name)
        | Place::Sky {
            depth: Depth::Distance(name),
            ..
        } => name,
        Place::Sky {
            depth: Depth::Redshift(_),
            ..
        } => return Some("Mpc/h".to_owned()),
        Place::Sky {
            depth: Depth::None, ..
        } => return None,
    };
    let of_column = outline
        .columns
        .iter()
        .find(|column| column.name == *name)?
        .unit
        .clone();
    let of_table = || {
        ["length_unit", "units", "unit"]
            .iter()
            .find_map(|key| outline.attributes.get(*key)?.as_text())
    };
    of_column.or_else(|| of_table().map(str::to_owned))
}

fn record(
    source: &Source,
    catalog: &Catalog,
    place: &Place,
    particles: &Particles,
) -> Result<Value> {
    let Source { role, path, flags } = source;
    let mut record = json!({
        "role": role,
        "path": path,
        "sha256": albireo_catalogs::sha256_until(path, &stop_reading())?,
        "format": catalog.format().to_string(),
        "rows_read": catalog.rows_read(),
        "rows_used": particles.len(),
        "positions": place.columns(),
        "coordinates": place.meaning(),
        "weight_sum": particles.weight_sum(),
    });
    let table = Some(catalog.table()).filter(|name| !name.is_empty());
    let optional = [
        ("table", table),
        ("where", flags.filter.as_deref()),
        ("weight", flags.weight.as_deref()),
    ];
    if let Some(entries) = record.as_object_mut() {
        for (key, value) in optional {
            if let Some(value) = value {
                entries.insert(key.to_owned(), json!(value));
            }
        }
    }
    Ok(record)
}
