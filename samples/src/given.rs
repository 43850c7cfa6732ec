//! Samples whose columns lie in memory already.
//!
//! Entry: [`Given`], which stands for a file. What becomes of its columns is decided in `memory`.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use albireo::particles::Column;
use albireo_catalogs::{
    Attribute, Attributes, CatalogError, ColumnDescription, MemoryColumn, MemoryComponents,
    MemoryTable, Stop, TableDescription, Trajectory, TrajectoryRequest, Words, frames_of_table,
};

use crate::error::{Result, SampleError};
use crate::given_frames::GivenFrames;
use crate::source::File;

/// Columns of numbers with their names, all of the same length, in buffers that may belong to somebody else; `pos[0]`, `pos[1]`, `pos[2]` are the
/// components of `pos`.
///
/// A [`Reading`](crate::Reading) knows it by the name that a source gives as its path.
///
/// ```
/// use albireo::particles::Column;
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
    frames: Option<Arc<GivenFrames>>,
    /// What a table of particles has beside its columns.
    others: Option<Vec<(String, Arc<Attribute>)>>,
}

/// A column of numbers as one of a table of particles.
struct OfColumn(Column);

impl MemoryColumn for OfColumn {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn rows(&self, rows: Range<usize>) -> Attribute {
        Attribute::Numbers(self.0.rows(rows).iter().collect())
    }
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

/// The values of the rows that are kept.
fn of_kept<T>(values: impl Iterator<Item = T>, kept: &[bool]) -> Vec<T> {
    let values = values.zip(kept).filter(|(_, kept)| **kept);
    values.map(|(value, _)| value).collect()
}

impl Given {
    /// Columns by their names.
    ///
    /// # Errors
    /// [`SampleError::Input`] of none, of different lengths, of one name.
    pub fn new(columns: Vec<(String, Column)>) -> Result<Self> {
        let Some((first, of_first)) = columns.first() else {
            return Err(SampleError::Input(
                "a sample in memory needs columns, found none".to_owned(),
            ));
        };
        let rows = of_first.len();
        let mut names = HashSet::new();
        for (name, column) in &columns {
            if column.len() != rows {
                return Err(SampleError::unequal((first, rows), (name, column.len())));
            }
            if !names.insert(name) {
                return Err(SampleError::same_name(name));
            }
        }
        Ok(Self {
            columns,
            words: Vec::new(),
            rows,
            ..Self::default()
        })
    }

    /// Frames in place of columns, for commands that take trajectories.
    pub fn of_frames(frames: GivenFrames) -> Self {
        Self {
            frames: Some(Arc::new(frames)),
            ..Self::default()
        }
    }

    /// The frames, where it stands for those.
    pub fn frames(&self) -> Option<&GivenFrames> {
        self.frames.as_deref()
    }

    /// The same with a column of words whose bits tell in which realisations of a selection each row was observed.
    ///
    /// # Errors
    /// [`SampleError::Input`] of another length.
    pub fn with_words(mut self, name: String, words: Words) -> Result<Self> {
        if words.values.len() != self.rows {
            let first = self.columns.first().map_or("", |(name, _)| name);
            return Err(SampleError::unequal(
                (first, self.rows),
                (&name, words.values.len()),
            ));
        }
        self.words.push((name, words));
        Ok(self)
    }

    /// The same with the unit of length of its positions.
    #[must_use]
    pub fn in_unit(self, unit: Option<String>) -> Self {
        Self { unit, ..self }
    }

    /// The same as a table of particles, which may be frames as that of a file may, with values beside its columns: their species, or integers and
    /// texts that conditions ask for.
    ///
    /// # Errors
    /// [`SampleError::Input`] of another length, of one name.
    pub fn with_others(mut self, others: Vec<(String, Attribute)>) -> Result<Self> {
        let mut names: HashSet<&String> = self.columns.iter().map(|(name, _)| name).collect();
        for (name, values) in &others {
            if let (Some((first, _)), true) = (self.columns.first(), values.len() != self.rows) {
                return Err(SampleError::unequal(
                    (first, self.rows),
                    (name, values.len()),
                ));
            }
            if !names.insert(name) {
                return Err(SampleError::same_name(name));
            }
        }
        let others = others.into_iter();
        self.others = Some(others.map(|(name, one)| (name, Arc::new(one))).collect());
        Ok(self)
    }

    /// Its frames, or those of the table of particles that it is.
    pub(crate) fn opened(
        &self,
        request: &TrajectoryRequest,
        stop: Stop,
    ) -> Result<Box<dyn Trajectory>> {
        match (&self.frames, self.table()) {
            (Some(frames), _) => Ok(Arc::clone(frames).opened()),
            (None, Some(table)) => Ok(frames_of_table(&table?, request, stop)?),
            (None, None) => Err(SampleError::missing("trajectory")),
        }
    }

    /// The table of particles, where it is one.
    pub(crate) fn table(&self) -> Option<Result<MemoryTable, CatalogError>> {
        self.others.as_ref()?;
        Some(self.memory_table(Path::new("table in memory"), None))
    }

    /// All of its columns as a table that is read as files are, with a further one.
    pub(crate) fn memory_table(
        &self,
        path: &Path,
        further: Option<(&str, Arc<dyn MemoryColumn>)>,
    ) -> Result<MemoryTable, CatalogError> {
        let own = self.columns.iter().map(|(name, column)| {
            let column: Arc<dyn MemoryColumn> = Arc::new(OfColumn(column.clone()));
            (name.as_str(), column)
        });
        let others = self.others.iter().flatten().map(|(name, values)| {
            let values: Arc<dyn MemoryColumn> = Arc::<Attribute>::clone(values);
            (name.as_str(), values)
        });
        let mut columns: Vec<(String, MemoryComponents)> = Vec::new();
        for (name, column) in own.chain(others).chain(further) {
            let (stem, component) = stem(name);
            match columns.last_mut() {
                Some((last, all)) if component == Some(all.len()) && *last == stem => {
                    all.push(column);
                }
                _ if component == Some(0) => columns.push((stem.to_owned(), vec![column])),
                _ => columns.push((name.to_owned(), vec![column])),
            }
        }
        MemoryTable::new(path.to_owned(), columns, self.unit.clone())
    }

    /// Whether it has a column of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == name)
    }

    /// The type of the texts or other values of this name that it has besides its columns.
    pub(crate) fn dtype(&self, name: &str) -> Option<&'static str> {
        let mut others = self.others.iter().flatten();
        let (_, found) = others.find(|(other, _)| other == name)?;
        Some(match **found {
            Attribute::Texts { .. } => "string",
            _ => "float64",
        })
    }

    /// Adds a column of as many rows as there are.
    pub(crate) fn push(&mut self, name: String, column: Column) {
        self.columns.push((name, column));
    }

    /// The same with the rows that are kept, as numbers alone.
    pub(crate) fn of_rows(&self, kept: &[bool]) -> Self {
        let columns = self.columns.iter().map(|(name, column)| {
            let column = Column::from(of_kept(column.iter(), kept));
            (name.clone(), column)
        });
        let words = self.words.iter().map(|(name, words)| {
            let values = of_kept(words.values.iter().copied(), kept);
            let bits = words.bits;
            (name.clone(), Words { values, bits })
        });
        Self {
            columns: columns.collect(),
            words: words.collect(),
            rows: kept.iter().filter(|kept| **kept).count(),
            unit: self.unit.clone(),
            frames: None,
            others: None,
        }
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
            packing: None,
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

    /// A column by its name.
    pub(crate) fn column(&self, source: &File, name: &str) -> Result<&Column> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        let known = || self.columns.iter().map(|(name, _)| name.clone()).collect();
        found
            .map(|(_, column)| column)
            .ok_or_else(|| CatalogError::unknown_column(&source.path, name, known()).into())
    }

    /// The columns of bits of these names and the bits that they hold: those with an index behind the name are its components.
    pub(crate) fn words(&self, source: &File, names: &[String]) -> Result<Vec<&Words>> {
        let mut found = Vec::new();
        for name in names {
            let is_of_it = |known: &str| {
                let rest = known.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
            };
            let before = found.len();
            let of_it = self.words.iter().filter(|(known, _)| is_of_it(known));
            found.extend(of_it.map(|(_, words)| words));
            if found.len() == before {
                let known = self.words.iter().map(|(name, _)| name.clone());
                return Err(
                    CatalogError::unknown_column(&source.path, name, known.collect()).into(),
                );
            }
        }
        Ok(found)
    }

    /// Its number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The unit of length of its positions, where known.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }
}
