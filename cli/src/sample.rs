//! From a file and its flags to particles, with a record of how.
//!
//! Entry: [`Sample::read`]. It knows no domain and no bins.

use std::path::{Path, PathBuf};

use albireo::cosmology::Cosmology;
use albireo::sky::{self, Column};
use albireo::{Particles, Points};
use albireo_catalogs::{Catalog, Filter, Request, TableDescription};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::args::ColumnFlags;
use crate::columns::{self, Depth, Need, Place};
use crate::space::{StatedBox, stated_box};

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

/// Refuses NaN and infinities, naming column and row of the file.
fn check_finite(path: &Path, column: &str, values: &[f64], filtered: bool) -> Result<()> {
    let Some(row) = values.iter().position(|v| !v.is_finite()) else {
        return Ok(());
    };
    let which = if filtered {
        "counting from 0 those that --where keeps"
    } else {
        "counting from 0"
    };
    bail!(
        "{}: column `{column}` must be finite: found {} in row {row} ({which})",
        path.display(),
        values[row]
    );
}

/// One checked column.
fn take(catalog: &mut Catalog, source: &Source, name: &str) -> Result<Vec<f64>> {
    let values = catalog.take(name)?;
    check_finite(&source.path, name, &values, source.flags.filter.is_some())?;
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
                check_finite(&source.path, &column, values, source.flags.filter.is_some())?;
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
    let (ra, dec) = (Column::new(ra, &angles[0]), Column::new(dec, &angles[1]));
    let (name, distance) = match depth {
        Depth::None => return Ok(sky::unit_vectors(ra, dec)?),
        Depth::Distance(name) => (name, take(catalog, source, name)?),
        Depth::Redshift(name) => {
            let redshift = take(catalog, source, name)?;
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

impl Sample {
    /// Reads the particles of `source`.
    pub(crate) fn read(source: &Source, reading: Reading<'_>) -> Result<Self> {
        let Source { role, path, flags } = source;
        let shown = path.display();
        let filter = flags
            .filter
            .as_deref()
            .map(Filter::parse)
            .transpose()
            .context("--where")?;
        let mut reader = albireo_catalogs::open(path)?;
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
        if let (None, Some(name)) = (&flags.weight, columns::weight_like(&outline)) {
            tracing::info!(
                "{shown}: column `{name}` looks like a weight and is not used; --weight {name} would"
            );
        }
        let wanted = place.columns().into_iter().chain(flags.weight.clone());
        let mut request = Request::columns(wanted);
        request.table.clone_from(&flags.table);
        request.filter = filter;
        let mut catalog = reader.read(&request)?;
        if catalog.rows() == 0 {
            bail!(
                "{shown}: the sample is empty: {} rows were read and none kept",
                catalog.rows_read()
            );
        }
        let points = match cartesian(&mut catalog, source, &place)? {
            Some(points) => points,
            None => {
                on_sky(&mut catalog, source, &place, reading).with_context(|| shown.to_string())?
            }
        };
        let particles = match &flags.weight {
            None => Particles::new(points),
            Some(name) => weighted(points, take(&mut catalog, source, name)?, path, name)?,
        };
        let particles = match (reading.angular, &place) {
            (true, Place::Cartesian(_) | Place::Vector(_)) => {
                particles.directions().with_context(|| shown.to_string())?
            }
            _ => particles,
        };
        tracing::info!(
            "{role}: {} of {} rows of {shown}",
            particles.len(),
            catalog.rows_read()
        );
        Ok(Self {
            role,
            path: path.clone(),
            record: record(source, &catalog, &place, &particles)?,
            stated_box: stated_box(path, catalog.attributes()),
            unit: unit(&outline, &place),
            particles,
        })
    }
}

fn weighted(points: Points, weights: Vec<f64>, path: &Path, name: &str) -> Result<Particles> {
    let place = || format!("{}: column `{name}`", path.display());
    let particles = Particles::weighted(points, weights).with_context(place)?;
    particles.check_weight_sums().with_context(place)?;
    Ok(particles)
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
        "sha256": albireo_catalogs::sha256(path)?,
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
