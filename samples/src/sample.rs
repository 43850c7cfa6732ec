//! From one file and what is selected of it to particles, with a record of how.
//!
//! Entry: [`Opened::of`], then [`Opened::read`]. It knows no domain and no bins.

use std::path::{Path, PathBuf};

use albireo::cosmology::Cosmology;
use albireo::sky::{self, Column};
use albireo::{Particles, Points};
use albireo_catalogs::{
    Attributes, Catalog, CatalogReader, Filter, Hashing, Request, Stop, TableDescription,
    TrajectoryFormat,
};
use serde_json::Value;

use crate::bits::{self, BitColumns};
use crate::columns::{self, Depth, Need, Place};
use crate::error::SampleError;
use crate::given::Given;
use crate::notice::Notice;
use crate::source::{File, check_finite, record, row_of};
use crate::space::{StatedBox, stated_box};
use crate::stated_units::StatedUnits;
use crate::suspicion::{self, Depths};
use crate::weights::{further_weights, weight_sums, weights_of, with_further};
use crate::whole_numbers::{integers, typed_integers, whole_type};
use crate::within::Within;

/// How the columns of any file become positions, and whether to go on.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    /// Only directions are needed.
    pub(crate) angular: bool,
    pub(crate) cosmology: Option<Cosmology>,
    /// Redshifts are wanted, where there are distances too.
    pub(crate) redshifts: bool,
    /// The column of the region of each row.
    pub(crate) regions: Option<String>,
    /// Columns whose units are not heeded.
    pub(crate) ignore_units: Vec<String>,
    /// Whether redshifts beyond all galaxies are meant.
    pub(crate) plain_redshifts: bool,
    pub(crate) stop: Stop,
}

/// Particles and how they came about.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) role: String,
    pub(crate) path: PathBuf,
    pub(crate) particles: Particles,
    /// The region of each row, where a column has it.
    pub(crate) regions: Option<Vec<f64>>,
    /// The bits, which its particles have.
    pub(crate) bits: Option<BitColumns>,
    /// The group of each row, where a column has it.
    pub(crate) groups: Option<Vec<i128>>,
    pub(crate) record: Value,
    pub(crate) stated_boxes: Vec<StatedBox>,
    /// The frame that its particles were in, where its files count them.
    pub(crate) frame: Option<f64>,
    /// Unit of length of the positions, where known.
    pub(crate) unit: Option<String>,
}

/// Refuses redshifts of what comes towards us: they have no distance.
pub(crate) fn check_receding(
    source: &File,
    column: &str,
    redshifts: &[f64],
) -> Result<(), SampleError> {
    let Some(row) = redshifts.iter().position(|&z| z < 0.0) else {
        return Ok(());
    };
    Err(SampleError::Approaching {
        path: source.path.clone(),
        column: column.to_owned(),
        found: redshifts[row],
        row: row_of(source, row),
    })
}

/// Refuses particles of more than one frame, which would be counted as if they were there at once.
fn check_frame(catalog: &Catalog, source: &File, column: &str) -> Result<(), SampleError> {
    let values = catalog.column(column)?;
    let first = values.first().copied().unwrap_or_default();
    if values.iter().all(|&frame| frame == first) {
        return Ok(());
    }
    let (least, most) = values.iter().fold((first, first), |(least, most), &frame| {
        (least.min(frame), most.max(frame))
    });
    Err(SampleError::SeveralFrames {
        path: source.path.clone(),
        column: column.to_owned(),
        least,
        most,
    })
}

/// One checked column.
pub(crate) fn take(
    catalog: &mut Catalog,
    source: &File,
    name: &str,
) -> Result<Vec<f64>, SampleError> {
    let values = catalog.take(name)?;
    check_finite(source, name, &values)?;
    Ok(values)
}

/// Positions from whatever columns they are in.
fn points(
    catalog: &mut Catalog,
    source: &File,
    (place, units): (&Place, &StatedUnits),
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Points, SampleError> {
    let [x, y, z] = match place {
        Place::Cartesian([x, y, z]) => [
            units.apply(0, take(catalog, source, x)?),
            units.apply(1, take(catalog, source, y)?),
            units.apply(2, take(catalog, source, z)?),
        ],
        Place::Vector(name) => {
            let columns = catalog.vector(name)?;
            for (component, values) in columns.iter().enumerate() {
                let column = format!("{name}[{component}]");
                check_finite(source, &column, values)?;
            }
            columns
        }
        Place::Sky { ra, dec, depth } => {
            let on_sky = on_sky(catalog, source, ([ra, dec], depth, units), conversion, tell);
            return on_sky.or_else(|error| match error {
                SampleError::Library(_) => Err(error).within(|| kept_of(source)),
                // It names the file itself.
                other => Err(other),
            });
        }
    };
    Ok(Points::new(x, y, z)?)
}

/// Positions from sky columns: unit vectors where there is no depth.
fn on_sky(
    catalog: &mut Catalog,
    source: &File,
    ([ra, dec], depth, units): ([&str; 2], &Depth, &StatedUnits),
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Points, SampleError> {
    let angles = [take(catalog, source, ra)?, take(catalog, source, dec)?];
    if !(units.is_stated(0) && units.is_stated(1)) {
        let suspicion = suspicion::radians(&source.path, (ra, &angles[0]), (dec, &angles[1]));
        suspicion.into_iter().for_each(&mut *tell);
    }
    let [of_ra, of_dec] = angles;
    let angles = [units.apply(0, of_ra), units.apply(1, of_dec)];
    let (ra, dec) = (Column::new(ra, &angles[0]), Column::new(dec, &angles[1]));
    let depths = |column, values, is_meant| Depths {
        path: &source.path,
        column,
        values,
        is_meant,
    };
    let (name, distance) = match depth {
        Depth::None => return Ok(sky::unit_vectors(ra, dec)?),
        Depth::Distance(name) => {
            let distance = units.apply(2, take(catalog, source, name)?);
            let is_meant = units.is_stated(2) || conversion.ignore_units.contains(name);
            depths(name, &distance, is_meant).check_distances(tell)?;
            (name, distance)
        }
        Depth::Redshift(name) => {
            let redshift = take(catalog, source, name)?;
            check_receding(source, name, &redshift)?;
            let is_meant = units.is_stated(2) || conversion.plain_redshifts;
            depths(name, &redshift, is_meant).check_redshifts(tell)?;
            let cosmology = conversion.cosmology;
            let cosmology = cosmology.ok_or_else(|| SampleError::NoCosmology(name.clone()))?;
            (name, cosmology.distances(Column::new(name, &redshift))?)
        }
    };
    Ok(sky::positions(ra, dec, Column::new(name, &distance))?)
}

/// The refusal of a file that is a trajectory; those of HDF5 and of tables are catalogues too.
fn of_trajectory(path: &Path, stop: &Stop) -> Option<SampleError> {
    use TrajectoryFormat::{Cadishi, H5md, Table};
    let format = albireo_catalogs::trajectory_format(path, stop.clone());
    let format = format.ok()??;
    let path = path.to_owned();
    let is_catalogue = matches!(format, Cadishi | H5md | Table);
    (!is_catalogue).then_some(SampleError::Trajectory { path, format })
}

/// Where the rows of a sample are.
enum Rows {
    File(Box<dyn CatalogReader>),
    Memory(Given),
}

/// A file opened, its columns chosen, none of them read.
pub(crate) struct Opened {
    pub(crate) source: File,
    rows: Rows,
    outline: TableDescription,
    pub(crate) place: Place,
    pub(crate) units: StatedUnits,
    filter: Option<Filter>,
}

impl Opened {
    /// Opens a file, or what is given in its place, and chooses its columns.
    pub(crate) fn of(
        source: &File,
        given: Option<&Given>,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self, SampleError> {
        Self::with_columns(source, given, conversion, tell).map_err(|error| match given {
            Some(_) => error,
            None => of_trajectory(&source.path, &conversion.stop).unwrap_or(error),
        })
    }

    fn with_columns(
        source: &File,
        given: Option<&Given>,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self, SampleError> {
        let File {
            path, selection, ..
        } = source;
        let filter = selection.filter.as_deref().map(Filter::parse).transpose();
        let filter = filter.within(|| "--where".to_owned())?;
        let (rows, outline) = if let Some(given) = given {
            (Rows::Memory(given.clone()), given.outline())
        } else {
            let mut reader = albireo_catalogs::open_until(path, conversion.stop.clone())?;
            let outline = reader.outline(selection.table.as_deref())?;
            (Rows::File(reader), outline)
        };
        let need = Need {
            angular: conversion.angular,
            cosmology: conversion.redshifts,
        };
        if let Some(names) = &selection.bits {
            columns::different("--bits", names)?;
        }
        let (place, guessed) =
            columns::choose(&outline, selection, need).within(|| path.display().to_string())?;
        if guessed {
            tell(Notice::Guessed {
                path: path.clone(),
                columns: place.columns(),
                meaning: place.meaning(),
            });
        }
        let units = StatedUnits::of(&outline, &place, path, &conversion.ignore_units)?;
        units.say(path, tell);
        let depth = selection.distance.as_ref().or(selection.redshift.as_ref());
        if let (true, Some(depth)) = (conversion.angular, depth) {
            tell(Notice::UnusedDepth {
                path: path.clone(),
                column: depth.clone(),
            });
        }
        if selection.weight.is_none() {
            let offered =
                columns::weight_of_survey(&outline).map(|(survey, weight)| Notice::OfferedWeight {
                    path: path.clone(),
                    survey,
                    weight,
                });
            let like = || {
                let column = columns::weight_like(&outline)?;
                let path = path.clone();
                Some(Notice::UnusedWeight { path, column })
            };
            offered.or_else(like).into_iter().for_each(&mut *tell);
        }
        Ok(Self {
            source: source.clone(),
            rows,
            outline,
            place,
            units,
            filter,
        })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.source.path
    }

    /// What its table holds.
    pub(crate) fn outline(&self) -> &TableDescription {
        &self.outline
    }

    /// What it is where it lies in memory.
    pub(crate) fn memory(&self) -> Option<&Given> {
        match &self.rows {
            Rows::File(_) => None,
            Rows::Memory(given) => Some(given),
        }
    }

    /// Reads the particles.
    pub(crate) fn read(
        mut self,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Sample, SampleError> {
        let hashing = Hashing::begin(self.path(), &conversion.stop);
        let (mut catalog, frame) = self.catalog(conversion.regions.as_ref())?;
        let Self {
            source,
            place,
            units,
            outline,
            ..
        } = &self;
        let File { role, path, .. } = source;
        // Before the positions, one of which it may be.
        let weight = source.selection.weight.as_deref();
        let weights = weight.map(|name| weights_of(&catalog, source, name));
        let weights = weights.transpose()?;
        let further = further_weights(&catalog, source)?;
        let regions = conversion.regions.as_deref();
        let regions = regions.map(|name| catalog.column(name).map(<[f64]>::to_vec));
        let regions = regions.transpose()?;
        let groups = source.selection.group.as_deref();
        let whole = whole_type(outline, &source.selection);
        let groups = groups.map(|name| match whole {
            Some(signed) => typed_integers(&mut catalog, name, signed),
            None => integers(&catalog, source, name),
        });
        let groups = groups.transpose()?;
        let points = points(&mut catalog, source, (place, units), conversion, tell)?;
        let particles = match (weights, weight) {
            (Some(weights), Some(name)) => {
                let in_column = || format!("{}: column `{name}`", path.display());
                let particles = Particles::weighted(points, weights).within(in_column)?;
                if source.alone && !source.selection.signed {
                    particles.check_weight_sums().within(in_column)?;
                }
                particles
            }
            _ => Particles::new(points),
        };
        let particles = with_further(particles, source, further)?;
        let particles = match (conversion.angular, place.is_sky()) {
            (true, false) => particles.directions().within(|| kept_of(source))?,
            _ => particles,
        };
        let names = source.selection.bits.as_deref();
        let bits = names.map(|names| bits::of_columns(&mut catalog, path, names));
        let bits = bits.transpose()?;
        let particles = match &bits {
            None => particles,
            Some(columns) => particles.with_bits(columns.bits.clone())?,
        };
        tell(Notice::Rows {
            role: role.clone(),
            kept: particles.len(),
            read: catalog.rows_read(),
            path: path.clone(),
        });
        let sums = weight_sums(&particles);
        let mut record = record(source, &catalog, place, sums, Some(hashing))?;
        units.note(&mut record);
        Ok(Sample {
            role: role.clone(),
            path: path.clone(),
            record,
            stated_boxes: stated_box(path, catalog.attributes()).into_iter().collect(),
            frame,
            unit: unit(outline, place),
            regions,
            bits,
            groups,
            particles,
        })
    }

    /// Reads the columns that are needed: positions, weights, regions, and the frame where there is one, which must be one only.
    pub(crate) fn catalog(
        &mut self,
        regions: Option<&String>,
    ) -> Result<(Catalog, Option<f64>), SampleError> {
        let selection = &self.source.selection;
        let frame = if self.place.is_sky() {
            None
        } else {
            columns::frame_like(&self.outline)
        };
        let mut wanted: Vec<String> = Vec::new();
        // Integers of 64 bits are read bit by bit: float64 would make one group of two.
        let whole = whole_type(&self.outline, selection);
        let columns = self.place.columns();
        for name in columns
            .iter()
            .chain(&selection.weight)
            .chain(selection.further_weights.iter().flatten())
            .chain(selection.group.iter().filter(|_| whole.is_none()))
            .chain(&frame)
            .chain(regions)
        {
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
        let mut request = Request::columns(wanted);
        request.words = selection.bits.clone().unwrap_or_default();
        let groups = selection.group.iter().filter(|_| whole.is_some());
        request.words.extend(groups.cloned());
        request.table.clone_from(&selection.table);
        request.filter = self.filter.take();
        request.rows = selection.rows;
        let catalog = match &mut self.rows {
            Rows::File(reader) => reader.read(&request)?,
            Rows::Memory(given) => given.catalog(&self.source, &request.columns)?,
        };
        if catalog.rows() == 0 && self.source.alone {
            return Err(SampleError::Empty {
                path: self.source.path.clone(),
                rows_read: catalog.rows_read(),
            });
        }
        if let Some(frame) = &frame {
            check_frame(&catalog, &self.source, frame)?;
        }
        let of = frame.and_then(|frame| catalog.column(&frame).ok()?.first().copied());
        Ok((catalog, of))
    }
}

/// The file, and that rows are counted among those kept, where some are not.
fn kept_of(source: &File) -> String {
    let shown = source.path.display();
    match source.selection.filter {
        Some(_) => format!("{shown}, of the rows that --where keeps"),
        None => shown.to_string(),
    }
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
    of_column.or_else(|| stated_unit(&outline.attributes))
}

/// The unit of length among the attributes of a table.
pub(crate) fn stated_unit(attributes: &Attributes) -> Option<String> {
    let keys = ["length_unit", "units", "unit"].iter();
    let mut texts = keys.filter_map(|key| attributes.get(*key)?.as_text());
    texts.next().map(str::to_owned)
}
