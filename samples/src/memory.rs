//! From columns in memory to particles, as `sample` makes them of files; columns that need no conversion stay in their buffers.
//!
//! Entry: [`read`].

use albireo::sky::{self, Column as Angles};
use albireo::{Particles, Points, Weights};
use albireo_catalogs::{Attribute, Format};
use serde_json::{Value, json};

use crate::bits::BitColumns;
use crate::columns::{Depth, Place};
use crate::error::{Result, SampleError};
use crate::given::Given;
use crate::identities::Identity;
use crate::notice::Notice;
use crate::opened::{Conversion, Opened, one_frame};
use crate::pair_columns::with_columns;
use crate::sample::{Sample, check_receding, kept_of};
use crate::selection::Selection;
use crate::source::{File, check_finite, further_record};
use crate::stated_units::StatedUnits;
use crate::suspicion::{self, Depths};
use crate::weights::{weight_sums, with_further};
use crate::whole_numbers::check_integers;
use crate::within::Within;

/// The particles of what was opened, where that lies in memory.
pub(crate) fn read(
    opened: &Opened,
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Option<Result<Sample>> {
    Some(read_of(opened.memory()?, opened, conversion, tell))
}

/// The particles of these columns.
fn read_of(
    given: &Given,
    opened: &Opened,
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Sample> {
    let frame = opened.frame_column();
    let (source, place) = (&opened.source, &opened.place);
    let positions = match place {
        // Its components are columns.
        Place::Vector(_) => vec![],
        place => place.columns(),
    };
    let Selection {
        weight,
        further_weights,
        group,
        columns,
        ..
    } = &source.selection;
    let needed = positions.iter().chain(weight).chain(group).chain(&frame);
    let needed = needed.chain(further_weights.iter().flatten());
    let needed = needed.chain(columns);
    let is_text = |name: &&String| opened.memory().and_then(|of| of.dtype(name)) == Some("string");
    let identities = source.selection.identities.iter();
    let needed = needed.chain(identities.filter(|name| !is_text(name)));
    let class = opened.class();
    let class_of_numbers = class.filter(|(_, is_text)| !is_text);
    let class_of_numbers = class_of_numbers.map(|(name, _)| name.to_owned());
    let needed = needed.chain(&class_of_numbers);
    let needed = needed.chain(&conversion.regions);
    let selected = given.selected(source, needed, &conversion.functions)?;
    let columns = Columns {
        given: selected.as_ref().unwrap_or(given),
        rows_read: given.rows(),
        frame: frame.as_deref(),
        source,
        place,
        units: &opened.units,
    };
    let classes = match class {
        None => None,
        Some((name, true)) => Some(given.texts(source, name, &conversion.functions)?),
        Some((name, false)) => {
            let values: Vec<f64> = columns.given.column(source, name)?.iter().collect();
            check_finite(source, name, &values)?;
            Some(Attribute::Numbers(values))
        }
    };
    let identity = |name: &String| {
        if is_text(&name) {
            return match given.texts(source, name, &conversion.functions)? {
                Attribute::Texts { texts, codes } => Ok(Identity::of_texts(texts, codes)),
                _ => Ok(Identity::default()),
            };
        }
        let values: Vec<f64> = columns.given.column(source, name)?.iter().collect();
        Identity::of_float64(source, name, &values)
    };
    let identities = source.selection.identities.iter().map(identity);
    let identities = identities.collect::<Result<_>>()?;
    let mut sample = columns.read(conversion, tell)?;
    sample.identities = identities;
    if let (Some(_), Some(column)) = (&classes, &source.selection.classes) {
        sample.record["classes"] = json!(column.text);
    }
    sample.classes = classes;
    let (kept, read) = (sample.particles.len(), given.rows() as u64);
    tell(Notice::rows(&sample.role, kept, read, &sample.path));
    Ok(sample)
}

/// Columns in memory, what is asked of them, and which of them are positions.
#[derive(Clone, Copy)]
struct Columns<'a> {
    given: &'a Given,
    /// Of which it has those that are selected.
    rows_read: usize,
    source: &'a File,
    place: &'a Place,
    units: &'a StatedUnits,
    /// The column that counts frames.
    frame: Option<&'a str>,
}

impl Columns<'_> {
    /// Refuses what is asked of files alone.
    fn check(&self) -> Result<()> {
        let source = self.source;
        let selection = &source.selection;
        let for_files = [
            ("--table", selection.table.is_some()),
            ("--join", !selection.joins.is_empty()),
        ];
        if let Some((option, _)) = for_files.into_iter().find(|(_, asked)| *asked) {
            return Err(SampleError::Call(format!(
                "{option} is for files, and {} lies in memory: choose rows and columns before",
                source.path.display()
            )));
        }
        if self.given.rows() == 0 && source.alone {
            return Err(SampleError::empty(&source.path, self.rows_read as u64));
        }
        Ok(())
    }

    /// The frame of its rows, which must be one only.
    fn frame(&self) -> Result<Option<f64>> {
        let Some(name) = self.frame else {
            return Ok(None);
        };
        let values = self.given.column(self.source, name)?.iter();
        one_frame(values, self.source, name, |_| {
            "by handing over its rows alone".to_owned()
        })
    }

    fn points(&self, conversion: &Conversion, tell: &mut dyn FnMut(Notice)) -> Result<Points> {
        let (given, source, units) = (self.given, self.source, self.units);
        let column = |name: &String| given.column(source, name);
        let (ra, dec, depth) = match self.place {
            Place::Cartesian([x, y, z]) => {
                let [x, y, z] = [(0, x), (1, y), (2, z)]
                    .map(|(at, name)| Ok::<_, SampleError>(units.column(at, column(name)?)));
                return Ok(Points::from_columns([x?, y?, z?])?);
            }
            Place::Vector(name) => {
                let component = |k: usize| column(&format!("{name}[{k}]"));
                let [x, y, z] =
                    [0, 1, 2].map(|k| Ok::<_, SampleError>(units.column(0, component(k)?)));
                return Ok(Points::from_columns([x?, y?, z?])?);
            }
            Place::Sky { ra, dec, depth } => (ra, dec, depth),
        };
        let (right, declination) = (column(ra)?.contiguous(), column(dec)?.contiguous());
        let suspicion = suspicion::other_angles(&source.path, (ra, &right), (dec, &declination));
        suspicion.into_iter().for_each(&mut *tell);
        let (ra, dec) = (Angles::new(ra, &right), Angles::new(dec, &declination));
        let depths = |column, values, is_meant| Depths {
            path: &source.path,
            column,
            values,
            is_meant,
        };
        match depth {
            Depth::None => Ok(sky::unit_vectors(ra, dec)?),
            Depth::Distance(name) => {
                let distance = units.column(2, column(name)?);
                let distance = distance.contiguous();
                let is_meant = given.unit().is_some() || conversion.ignore_units.contains(name);
                depths(name, &distance, is_meant).check_distances(tell)?;
                Ok(sky::positions(ra, dec, Angles::new(name, &distance))?)
            }
            Depth::Redshift(name) => {
                let redshift = column(name)?.contiguous();
                check_receding(source, name, &redshift).within(|| kept_of(source))?;
                depths(name, &redshift, conversion.plain_redshifts).check_redshifts(tell)?;
                let cosmology = conversion.cosmology;
                let cosmology = cosmology
                    .ok_or_else(|| SampleError::no_cosmology(name))
                    .within(|| kept_of(source))?;
                let distance = cosmology.distances(Angles::new(name, &redshift))?;
                let distance = units.apply(2, distance);
                Ok(sky::positions(ra, dec, Angles::new(name, &distance))?)
            }
        }
    }

    fn bits(&self, names: &[String]) -> Result<BitColumns> {
        let words = self.given.words(self.source, names)?;
        BitColumns::of(&words, || {
            let flag = self.source.selection.flag_of_bits();
            format!("{}: {flag} {}", self.source.path.display(), names.join(","))
        })
    }

    /// What a result says of it.
    fn record(&self, (weight_sum, further): (f64, Vec<f64>)) -> Value {
        let (source, place) = (self.source, self.place);
        let mut record = json!({
            "role": source.role,
            "path": source.path,
            "format": Format::Memory.to_string(),
            "rows_read": self.rows_read,
            "rows_used": self.given.rows(),
            "positions": place.columns(),
            "coordinates": place.meaning(),
            "weight_sum": weight_sum,
        });
        self.units.note(&mut record);
        let selection = &source.selection;
        if !selection.rows.is_all() {
            record["rows"] = json!(selection.rows.to_string());
        }
        for (key, value) in [
            ("where", &selection.filter),
            ("weight", &selection.weight),
            ("group", &selection.group),
        ] {
            if let Some(value) = value {
                record[key] = json!(value);
            }
        }
        if let Some(names) = &selection.bits {
            record["bits"] = json!(names);
        }
        if !selection.further_weights.is_empty() {
            record["further_weights"] = further_record(&selection.further_weights, &further);
        }
        if !selection.columns.is_empty() {
            record["columns"] = json!(selection.columns);
        }
        record
    }

    /// The particles.
    fn read(&self, conversion: &Conversion, tell: &mut dyn FnMut(Notice)) -> Result<Sample> {
        self.check()?;
        let frame = self.frame()?;
        let (source, place) = (self.source, self.place);
        let here = || kept_of(source);
        let points = self.points(conversion, tell).map_err(|error| match error {
            // It names the place by itself.
            SampleError::Catalog(_) | SampleError::Input(_) => error,
            other => SampleError::At {
                place: here(),
                source: Box::new(other),
            },
        })?;
        let particles = match source.selection.weight.as_deref() {
            None => Particles::new(points),
            Some(name) => {
                let weights = self.given.column(source, name)?.clone();
                let in_column = || format!("{}: column `{name}`", here());
                let particles = Particles::with_weights(points, weights).within(in_column)?;
                if source.alone && !source.selection.signed {
                    particles.check_weight_sums().within(in_column)?;
                }
                particles
            }
        };
        let further = source
            .selection
            .further_weights
            .iter()
            .map(|name| match name {
                None => Ok(Weights::Unit),
                Some(name) => Ok(Weights::PerParticle(
                    self.given.column(source, name)?.clone(),
                )),
            });
        let further = further.collect::<Result<_>>()?;
        let particles = with_further(particles, source, further)?;
        let columns = source.selection.columns.iter();
        let columns = columns.map(|name| self.given.column(source, name).cloned());
        let columns = columns.collect::<Result<_, _>>()?;
        let particles = with_columns(particles, source, columns)?;
        let particles = match (conversion.angular, place.is_sky()) {
            (true, false) => particles.directions().within(here)?,
            _ => particles,
        };
        let numbers = |name: &str| {
            Ok::<Vec<f64>, SampleError>(self.given.column(source, name)?.iter().collect())
        };
        let regions = conversion.regions.as_deref().map(numbers).transpose()?;
        let group = source.selection.group.as_deref();
        let groups = group.map(|name| check_integers(source, name, &numbers(name)?));
        let groups = groups.transpose()?;
        let bits = source.selection.bits.as_deref();
        let bits = bits.map(|names| self.bits(names)).transpose()?;
        let particles = match &bits {
            None => particles,
            Some(columns) => particles.with_bits(columns.bits.clone())?,
        };
        Ok(Sample {
            role: source.role.clone(),
            path: source.path.clone(),
            record: self.record(weight_sums(&particles)),
            regions,
            bits,
            groups,
            identities: vec![],
            classes: None,
            stated_boxes: Vec::new(),
            centred: false,
            shift: None,
            frame,
            unit: self.units.unit().map(str::to_owned),
            particles,
        })
    }
}
