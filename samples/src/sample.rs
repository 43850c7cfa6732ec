//! From one file and what is selected of it to particles, with a record of how.
//!
//! Entry: [`Opened::read`]. It knows no domain and no bins.

use std::path::PathBuf;

use albireo::sky::{self, Column};
use albireo::{Axis, Particles, Points};
use albireo_catalogs::{Attribute, Catalog, Hashing, TableDescription, Texts, in_short};
use serde_json::{Value, json};

use crate::bits::{self, BitColumns};
use crate::columns::{Depth, Place};
use crate::error::{Result, SampleError};
use crate::identities::Identity;
use crate::notice::Notice;
use crate::opened::{Conversion, Opened};
use crate::pair_columns::{pair_columns, with_columns};
use crate::rsd::Shift;
use crate::snapshot_header::SnapshotHeader;
use crate::source::{File, check_finite, record, row_of};
use crate::space::{StatedBox, stated_box};
use crate::stated_units::StatedUnits;
use crate::suspicion::{self, Depths};
use crate::weights::{further_weights, weight_sums, weights_of, with_further};
use crate::whole_numbers::{integers, typed_integers, whole_type};
use crate::within::Within;

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
    /// Columns that are compared by whether they are equal.
    pub(crate) identities: Vec<Identity>,
    /// The class of each row as its column has it, where there is one.
    pub(crate) classes: Option<Attribute>,
    pub(crate) record: Value,
    pub(crate) stated_boxes: Vec<StatedBox>,
    /// Whether its code puts the origin into the middle of the box.
    pub(crate) centred: bool,
    /// What redshift space adds to its positions along an axis.
    pub(crate) shift: Option<(Axis, Vec<f64>)>,
    /// The frame that its particles were in, where its files count them.
    pub(crate) frame: Option<f64>,
    /// Unit of length of the positions, where known.
    pub(crate) unit: Option<String>,
}

impl Sample {
    /// The share of its rows in each region, where it is cut into regions.
    pub(crate) fn shares_of_regions(&self) -> Option<Vec<f64>> {
        let labels = self.particles.labels()?;
        let mut rows = vec![0u32; labels.number() as usize];
        for &label in labels.values() {
            rows[label as usize] += 1;
        }
        #[allow(clippy::cast_precision_loss, reason = "a share of rows")]
        let all = labels.values().len() as f64;
        Some(rows.into_iter().map(|rows| f64::from(rows) / all).collect())
    }
}

/// Refuses redshifts of what comes towards us: they have no distance.
pub(crate) fn check_receding(source: &File, column: &str, redshifts: &[f64]) -> Result<()> {
    let Some(row) = redshifts.iter().position(|&z| z < 0.0) else {
        return Ok(());
    };
    Err(SampleError::Input(format!(
        "{}: column `{column}`: expected redshifts of 0 or more, found {} in {}",
        source.path.display(),
        in_short(redshifts[row]),
        row_of(source, row)
    )))
}

/// One checked column.
pub(crate) fn take(catalog: &mut Catalog, source: &File, name: &str) -> Result<Vec<f64>> {
    let values = catalog.take(name)?;
    check_finite(source, name, &values)?;
    Ok(values)
}

/// Positions, from any columns.
fn points(
    catalog: &mut Catalog,
    source: &File,
    (place, units): (&Place, &StatedUnits),
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Points> {
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
            columns.map(|values| units.apply(0, values))
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
) -> Result<Points> {
    let angles = [take(catalog, source, ra)?, take(catalog, source, dec)?];
    if !(units.is_stated(0) && units.is_stated(1)) {
        let suspicion = suspicion::other_angles(&source.path, (ra, &angles[0]), (dec, &angles[1]));
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
            let cosmology = cosmology.ok_or_else(|| SampleError::no_cosmology(name))?;
            let distances = cosmology.distances(Column::new(name, &redshift))?;
            (name, units.apply(2, distances))
        }
    };
    Ok(sky::positions(ra, dec, Column::new(name, &distance))?)
}

/// The class of each row, texts or finite numbers.
fn classes_of(
    catalog: &mut Catalog,
    source: &File,
    name: &str,
    is_text: bool,
) -> Result<Attribute> {
    if is_text {
        let Texts { texts, codes } = catalog.take_texts(name)?;
        return Ok(Attribute::Texts { texts, codes });
    }
    let values = catalog.column(name)?.to_vec();
    check_finite(source, name, &values)?;
    Ok(Attribute::Numbers(values))
}

/// The columns that are compared by whether they are equal; those that are groups or classes too have been taken.
fn identities_of(
    catalog: &mut Catalog,
    (source, outline): (&File, &TableDescription),
    (groups, classes): (&Option<Vec<i128>>, &Option<Attribute>),
) -> Result<Vec<Identity>> {
    let selection = &source.selection;
    let class = selection.classes.as_ref().map(|class| &class.text);
    let identity = |name: &String| match (groups, classes) {
        (Some(groups), _) if selection.group.as_ref() == Some(name) => {
            Ok(Identity::of_integers(groups.iter().copied()))
        }
        (_, Some(Attribute::Texts { texts, codes })) if class == Some(name) => {
            Ok(Identity::of_texts(texts.clone(), codes.iter().copied()))
        }
        _ => Identity::of_file(catalog, (source, outline), name),
    };
    selection.identities.iter().map(identity).collect()
}

impl Opened {
    /// Reads the particles.
    pub(crate) fn read(
        mut self,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Sample> {
        let hashing = Hashing::begin(self.path(), &conversion.stop);
        let (mut catalog, frame) = self.catalog(conversion.regions.as_ref())?;
        self.times(&catalog).into_iter().for_each(&mut *tell);
        let classes = self
            .class()
            .map(|(name, is_text)| (name.to_owned(), is_text));
        let Self {
            source,
            place,
            units,
            outline,
            shift,
            ..
        } = &self;
        let File { role, path, .. } = source;
        // Before the positions, one of which it may be.
        let weight = source.selection.weight.as_deref();
        let weights = weight.map(|name| weights_of(&catalog, source, name));
        let weights = weights.transpose()?;
        let further = further_weights(&catalog, source)?;
        let columns = pair_columns(&catalog, source)?;
        let regions = conversion.regions.as_deref();
        let regions = regions.map(|name| catalog.column(name).map(<[f64]>::to_vec));
        let regions = regions.transpose()?;
        let classes =
            classes.map(|(name, is_text)| classes_of(&mut catalog, source, &name, is_text));
        let classes = classes.transpose()?;
        let groups = source.selection.group.as_deref();
        let whole = whole_type(outline, &source.selection);
        let groups = groups.map(|name| match whole {
            Some(signed) => typed_integers(&mut catalog, name, signed),
            None => integers(&catalog, source, name),
        });
        let groups = groups.transpose()?;
        let taken = (&groups, &classes);
        let identities = identities_of(&mut catalog, (source, outline), taken)?;
        let velocities = |shift: &Shift| -> Result<_> {
            let velocities = take(&mut catalog, source, &shift.column)?;
            Ok((shift.axis, shift.times(velocities)))
        };
        let moved = shift.as_ref().map(velocities).transpose()?;
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
        let columns = columns.into_iter().map(Into::into).collect();
        let particles = with_columns(particles, source, columns)?;
        let particles = match (conversion.angular, place.is_sky()) {
            (true, false) => particles.directions().within(|| kept_of(source))?,
            _ => particles,
        };
        let names = source.selection.bits.as_deref();
        let flag = source.selection.flag_of_bits();
        let bits = names.map(|names| bits::of_columns(&mut catalog, path, (names, flag)));
        let bits = bits.transpose()?;
        let particles = match &bits {
            None => particles,
            Some(columns) => particles.with_bits(columns.bits.clone())?,
        };
        let (kept, read) = (particles.len(), catalog.rows_read());
        tell(Notice::rows(role, kept, read, path));
        let sums = weight_sums(&particles);
        let mut record = record(source, &catalog, place, sums, Some(hashing))?;
        if let (Some(_), Some(column)) = (&classes, &source.selection.classes) {
            record["classes"] = json!(column.text);
        }
        units.note(&mut record);
        if let Some(shift) = shift {
            shift.note(&mut record);
        }
        Ok(Sample {
            role: role.clone(),
            path: path.clone(),
            record,
            stated_boxes: stated_box(path, catalog.attributes())
                .map(|stated| stated.times(units.length()))
                .into_iter()
                .collect(),
            centred: SnapshotHeader(catalog.attributes()).is_abacus(),
            shift: moved,
            frame,
            unit: units.unit().map(str::to_owned),
            regions,
            bits,
            groups,
            identities,
            classes,
            particles,
        })
    }
}

/// The file, and that rows are counted among those kept, where some are not.
pub(crate) fn kept_of(source: &File) -> String {
    let shown = source.path.display();
    match source.selection.filter {
        Some(_) => format!("{shown}, of the rows that --where keeps"),
        None => shown.to_string(),
    }
}
