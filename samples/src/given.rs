//! Samples whose columns lie in memory already.
//!
//! Entry: [`Given`], which stands for a file: its columns are chosen, checked and converted as those of files are, and those that need no
//! conversion stay in their buffers.

use std::collections::HashSet;

use albireo::sky::{self, Column as Angles};
use albireo::{Bits, Column, Particles, Points};
use albireo_catalogs::{
    Attributes, Catalog, CatalogError, ColumnDescription, Format, TableDescription, Words,
};
use serde_json::{Value, json};

use crate::bits::BitColumns;
use crate::columns::{Depth, Place};
use crate::error::{SampleError, Within};
use crate::notice::{self, Notice};
use crate::sample::{Conversion, Sample, check_receding};
use crate::source::File;

/// Columns of numbers with their names, all of the same length, in buffers that may belong to somebody else; `pos[0]`, `pos[1]`, `pos[2]` are the
/// components of `pos`.
///
/// A [`Reading`](crate::Reading) knows it by the name that a source gives as its path.
///
/// ```
/// use albireo::Column;
/// use albireo_samples::{Given, Reading, Selection, Source};
/// let column = |values: [f64; 3]| Column::from(values.to_vec());
/// let galaxies = Given::new(vec![
///     ("x".to_owned(), column([1.0, 4.0, 7.0])),
///     ("y".to_owned(), column([2.0, 5.0, 8.0])),
///     ("z".to_owned(), column([3.0, 6.0, 9.0])),
/// ])?;
/// let reading = Reading { space: Some("10".parse()?), ..Reading::default() };
/// let reading = Reading { given: [("galaxies".into(), galaxies)].into(), ..reading };
/// let source = Source { role: "data".to_owned(), paths: vec!["galaxies".into()], selection: Selection::default() };
/// let samples = reading.read(&[source], &mut |_| ())?;
/// assert_eq!(samples.get("data")?.points().at(1), [4.0, 5.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Given {
    columns: Vec<(String, Column)>,
    words: Vec<(String, Words)>,
    rows: usize,
    unit: Option<String>,
}

/// The name of a column and which of its components it is: `pos[2]` is the third of `pos`.
fn stem(name: &str) -> (&str, Option<usize>) {
    let parts = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    match parts.map(|(stem, k)| (stem, k.parse().ok())) {
        Some((stem, Some(k))) => (stem, Some(k)),
        _ => (name, None),
    }
}

impl Given {
    /// Columns by their names.
    ///
    /// # Errors
    /// [`SampleError::UnequalColumns`] of different lengths, [`SampleError::SameName`] of one name, [`SampleError::NoColumns`].
    pub fn new(columns: Vec<(String, Column)>) -> Result<Self, SampleError> {
        let Some((first, of_first)) = columns.first() else {
            return Err(SampleError::NoColumns);
        };
        let rows = of_first.len();
        let mut names = HashSet::new();
        for (name, column) in &columns {
            if column.len() != rows {
                return Err(SampleError::UnequalColumns {
                    first: (first.clone(), rows),
                    second: (name.clone(), column.len()),
                });
            }
            if !names.insert(name) {
                return Err(SampleError::SameName(name.clone()));
            }
        }
        Ok(Self {
            columns,
            words: Vec::new(),
            rows,
            unit: None,
        })
    }

    /// The same with a column of words whose bits tell in which realisations of a selection each row was observed.
    ///
    /// # Errors
    /// [`SampleError::UnequalColumns`] of another length.
    pub fn with_words(mut self, name: String, words: Words) -> Result<Self, SampleError> {
        if words.values.len() != self.rows {
            let first = self.columns.first().map_or("", |(name, _)| name).to_owned();
            return Err(SampleError::UnequalColumns {
                first: (first, self.rows),
                second: (name, words.values.len()),
            });
        }
        self.words.push((name, words));
        Ok(self)
    }

    /// The same with the unit of length of its positions.
    #[must_use]
    pub fn in_unit(self, unit: Option<String>) -> Self {
        Self { unit, ..self }
    }

    /// Its columns as those of a file are described.
    pub(crate) fn outline(&self) -> TableDescription {
        let described = |name: &String, dtype: &str| ColumnDescription {
            name: name.clone(),
            dtype: dtype.to_owned(),
            unit: None,
            width: 1,
            rows: self.rows as u64,
            min: None,
            max: None,
            nan_count: 0,
            null_count: 0,
            texts: Vec::new(),
            all_texts: false,
        };
        let mut columns: Vec<ColumnDescription> = Vec::new();
        for (name, _) in &self.columns {
            // Components follow one another.
            let (stem, component) = stem(name);
            match columns.last_mut() {
                Some(last) if component == Some(last.width) && last.name == stem => last.width += 1,
                _ if component == Some(0) => columns.push(described(&stem.to_owned(), "float64")),
                _ => columns.push(described(name, "float64")),
            }
        }
        let words = self.words.iter().map(|(name, _)| described(name, "uint64"));
        TableDescription {
            name: String::new(),
            rows: self.rows as u64,
            columns: columns.into_iter().chain(words).collect(),
            attributes: Attributes::default(),
        }
    }

    fn column(&self, source: &File, name: &str) -> Result<&Column, SampleError> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        let known = || self.columns.iter().map(|(name, _)| name.clone()).collect();
        found
            .map(|(_, column)| column)
            .ok_or_else(|| CatalogError::unknown_column(&source.path, name, known()).into())
    }

    /// The columns of these names in a catalog of its own.
    pub(crate) fn catalog(&self, source: &File, names: &[String]) -> Result<Catalog, SampleError> {
        let mut columns = Vec::new();
        for name in names {
            let values = self.column(source, name)?.iter().collect();
            columns.push((name.clone(), values));
        }
        Ok(Catalog::of_columns(source.path.clone(), columns))
    }

    /// Refuses what is asked of files alone.
    fn check(&self, source: &File) -> Result<(), SampleError> {
        let selection = &source.selection;
        let asked = [
            ("--where", selection.filter.is_some()),
            ("--table", selection.table.is_some()),
            ("--rows", !selection.rows.is_all()),
        ];
        if let Some((option, _)) = asked.into_iter().find(|(_, asked)| *asked) {
            return Err(SampleError::ForFiles {
                option,
                path: source.path.clone(),
            });
        }
        if self.rows == 0 && source.alone {
            return Err(SampleError::Empty {
                path: source.path.clone(),
                rows_read: 0,
            });
        }
        Ok(())
    }

    fn points(
        &self,
        source: &File,
        place: &Place,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Points, SampleError> {
        let column = |name: &String| self.column(source, name);
        let (ra, dec, depth) = match place {
            Place::Cartesian([x, y, z]) => {
                let columns = [x, y, z].map(|name| column(name).cloned());
                let [x, y, z] = columns;
                return Ok(Points::from_columns([x?, y?, z?])?);
            }
            Place::Vector(name) => {
                let columns = [0, 1, 2].map(|k| column(&format!("{name}[{k}]")).cloned());
                let [x, y, z] = columns;
                return Ok(Points::from_columns([x?, y?, z?])?);
            }
            Place::Sky { ra, dec, depth } => (ra, dec, depth),
        };
        let (right, declination) = (column(ra)?.contiguous(), column(dec)?.contiguous());
        let suspicion = notice::radians(&source.path, (ra, &right), (dec, &declination));
        suspicion.into_iter().for_each(&mut *tell);
        let (ra, dec) = (Angles::new(ra, &right), Angles::new(dec, &declination));
        match depth {
            Depth::None => Ok(sky::unit_vectors(ra, dec)?),
            Depth::Distance(name) => {
                let distance = column(name)?.contiguous();
                Ok(sky::positions(ra, dec, Angles::new(name, &distance))?)
            }
            Depth::Redshift(name) => {
                let redshift = column(name)?.contiguous();
                check_receding(source, name, &redshift)?;
                let suspicion = notice::velocities(&source.path, name, &redshift);
                suspicion.into_iter().for_each(&mut *tell);
                let cosmology = conversion.cosmology;
                let cosmology = cosmology.ok_or_else(|| SampleError::NoCosmology(name.clone()))?;
                let distance = cosmology.distances(Angles::new(name, &redshift))?;
                Ok(sky::positions(ra, dec, Angles::new(name, &distance))?)
            }
        }
    }

    fn bits(&self, source: &File, names: &[String]) -> Result<BitColumns, SampleError> {
        let mut columns: Vec<&[u64]> = Vec::new();
        let mut number = 0;
        for name in names {
            let found = self.words.iter().find(|(known, _)| known == name);
            let (_, words) = found.ok_or_else(|| {
                let known = self.words.iter().map(|(name, _)| name.clone());
                SampleError::from(CatalogError::unknown_column(
                    &source.path,
                    name,
                    known.collect(),
                ))
            })?;
            number += words.bits;
            columns.push(&words.values);
        }
        let place = || format!("{}: --bits {}", source.path.display(), names.join(","));
        let bits = Bits::from_columns(&columns).within(place)?;
        Ok(BitColumns { bits, number })
    }

    /// What a result says of it.
    fn record(&self, source: &File, place: &Place, weight_sum: f64) -> Value {
        let mut record = json!({
            "role": source.role,
            "path": source.path,
            "format": Format::Memory.to_string(),
            "rows_read": self.rows,
            "rows_used": self.rows,
            "positions": place.columns(),
            "coordinates": place.meaning(),
            "weight_sum": weight_sum,
        });
        let selection = &source.selection;
        for (key, value) in [("weight", &selection.weight), ("group", &selection.group)] {
            if let Some(value) = value {
                record[key] = json!(value);
            }
        }
        if let Some(names) = &selection.bits {
            record["bits"] = json!(names);
        }
        record
    }

    /// The particles.
    pub(crate) fn read(
        &self,
        source: &File,
        place: &Place,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Sample, SampleError> {
        self.check(source)?;
        let here = || source.path.display().to_string();
        let points = self
            .points(source, place, conversion, tell)
            .map_err(|error| match error {
                // It names the place by itself.
                SampleError::Catalog(_) => error,
                other => SampleError::At {
                    place: here(),
                    source: Box::new(other),
                },
            })?;
        let particles = match source.selection.weight.as_deref() {
            None => Particles::new(points),
            Some(name) => {
                let weights = self.column(source, name)?.clone();
                let in_column = || format!("{}: column `{name}`", here());
                let particles = Particles::with_weights(points, weights).within(in_column)?;
                if source.alone {
                    particles.check_weight_sums().within(in_column)?;
                }
                particles
            }
        };
        let particles = match (conversion.angular, place.is_sky()) {
            (true, false) => particles.directions().within(here)?,
            _ => particles,
        };
        let numbers =
            |name: &str| Ok::<Vec<f64>, SampleError>(self.column(source, name)?.iter().collect());
        let regions = conversion.regions.as_deref().map(numbers).transpose()?;
        let group = source.selection.group.as_deref();
        let groups = group.map(|name| {
            let values = numbers(name)?;
            crate::sample::check_integers(source, name, &values)?;
            Ok::<_, SampleError>(values)
        });
        let groups = groups.transpose()?;
        let bits = source.selection.bits.as_deref();
        let bits = bits.map(|names| self.bits(source, names)).transpose()?;
        let particles = match &bits {
            None => particles,
            Some(columns) => particles.with_bits(columns.bits.clone())?,
        };
        Ok(Sample {
            role: source.role.clone(),
            path: source.path.clone(),
            record: self.record(source, place, particles.weight_sum()),
            regions,
            bits,
            groups,
            stated_boxes: Vec::new(),
            frame: None,
            unit: match place {
                Place::Sky {
                    depth: Depth::Redshift(_),
                    ..
                } => Some("Mpc/h".to_owned()),
                _ => self.unit.clone(),
            },
            particles,
        })
    }
}
