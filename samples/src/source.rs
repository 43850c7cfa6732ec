//! The files of a sample, and what the record of a result says of each.
//!
//! Entry: [`Source`].

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use albireo_catalogs::{Catalog, Expression, Hashing, Join, in_short};
use serde_json::{Value, json};

use crate::columns::Place;
use crate::error::{Result, SampleError};
use crate::hats;
use crate::selection::Selection;

/// The files of one of the samples of a count.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// What the sample is to the count: `data`, `randoms`, `cross`...
    pub role: String,
    /// Its files, of any formats: their rows follow one another in this order.
    pub paths: Vec<PathBuf>,
    /// The columns and rows of each file.
    pub selection: Selection,
}

/// One file of a sample.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) role: String,
    pub(crate) path: PathBuf,
    pub(crate) selection: Selection,
    /// Whether it is the only one, which must not be empty.
    pub(crate) alone: bool,
    /// Of the first file of a folder: how many of them it has, and the rows that it states.
    pub(crate) of_folder: Option<(usize, u64)>,
}

impl Source {
    /// Where its paths lead to by links and folders; what lies in memory has its name alone.
    pub(crate) fn places(&self) -> impl Iterator<Item = PathBuf> {
        let place = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        self.paths.iter().map(place)
    }

    /// Refuses a file that is named twice.
    fn check_names(&self) -> Result<()> {
        let mut seen = HashSet::new();
        let twice = self.places().position(|place| !seen.insert(place));
        twice.map_or(Ok(()), |k| {
            Err(SampleError::Call(format!(
                "{}: {} is named twice, so that each of its rows would be there twice: name it once",
                self.role,
                self.paths[k].display()
            )))
        })
    }

    /// Its files, one by one, those of a folder in their order.
    pub(crate) fn files(&self) -> Result<Vec<File>> {
        if self.paths.is_empty() {
            return Err(SampleError::no_file(&self.role));
        }
        self.check_names()?;
        let mut files = Vec::new();
        for path in &self.paths {
            let mut selection = self.selection.clone();
            let folder = path.is_dir().then(|| hats::partitions(path)).transpose()?;
            let Some(folder) = folder.flatten() else {
                hats::refuse_others(path)?;
                files.push((path.clone(), selection, None));
                continue;
            };
            if selection.positions.is_none() && selection.sky.is_none() {
                selection.sky = folder.sky.map(Vec::from);
            }
            let mut rows = folder.rows;
            let count = folder.files.len();
            for part in folder.files {
                let of_folder = rows.take().map(|rows| (count, rows));
                files.push((part, selection.clone(), of_folder));
            }
        }
        let alone = files.len() == 1;
        let file = |(path, selection, of_folder)| File {
            role: self.role.clone(),
            path,
            selection,
            alone,
            of_folder,
        };
        Ok(files.into_iter().map(file).collect())
    }
}

impl File {
    /// Whether its positions are brought to redshift space, where those of samples are: random points have no velocities.
    pub(crate) fn is_moved(&self) -> bool {
        !self.role.contains("random") && !self.role.contains("shifted")
    }
}

/// A row as messages name it.
pub(crate) fn row_of(source: &File, row: usize) -> String {
    let which = match source.selection.filter {
        Some(_) => "counting from 0 those that --where keeps",
        None => "counting from 0",
    };
    format!("row {row} ({which})")
}

/// Refuses NaN and infinities, naming column and row of the file.
pub(crate) fn check_finite(source: &File, column: &str, values: &[f64]) -> Result<()> {
    let Some(row) = values.iter().position(|v| !v.is_finite()) else {
        return Ok(());
    };
    Err(SampleError::Input(format!(
        "{}: column `{column}` must be finite: found {} in {}",
        source.path.display(),
        in_short(values[row]),
        row_of(source, row)
    )))
}

/// What the record says of columns of other files.
fn joins_record(joins: &[Join]) -> Result<Value> {
    let mut all = Vec::new();
    for join in joins {
        let hashes = join.files.iter().map(|file| albireo_catalogs::sha256(file));
        all.push(json!({
            "files": join.files,
            "sha256": hashes.collect::<Result<Vec<_>, _>>()?,
            "keys": [join.key, join.of_files],
            "columns": join.columns,
        }));
    }
    Ok(Value::Array(all))
}

/// What the record says of the files that functions of these expressions read.
fn functions_record<'a>(expressions: impl IntoIterator<Item = &'a str>) -> Result<Value> {
    let parsed = expressions.into_iter().map(Expression::parse);
    let parsed: Vec<Expression> = parsed.filter_map(Result::ok).collect();
    let files: BTreeSet<&str> = parsed.iter().flat_map(Expression::files).collect();
    let file = |file| {
        let sha256 = albireo_catalogs::sha256(Path::new(file))?;
        Ok(json!({ "file": file, "sha256": sha256 }))
    };
    files.into_iter().map(file).collect()
}

/// What the record says of further sets of weights.
pub(crate) fn further_record(columns: &[Option<String>], sums: &[f64]) -> Value {
    let sets = columns.iter().zip(sums);
    let sets = sets.map(|(weight, sum)| json!({"weight": weight, "weight_sum": sum}));
    Value::Array(sets.collect())
}

/// What the record of a result says of a file of a sample, its weights adding up to these sums set by set; `hashing` is that of the file,
/// none of what lies in memory.
pub(crate) fn record(
    source: &File,
    catalog: &Catalog,
    place: &Place,
    (weight_sum, further_sums): (f64, Vec<f64>),
    hashing: Option<Hashing>,
) -> Result<Value> {
    let File {
        role,
        path,
        selection,
        ..
    } = source;
    let sha256 = hashing.map(Hashing::finish).transpose()?;
    let mut record = json!({
        "role": role,
        "path": path,
        "sha256": sha256,
        "format": catalog.format().to_string(),
        "rows_read": catalog.rows_read(),
        "rows_used": catalog.rows(),
        "positions": place.columns(),
        "coordinates": place.meaning(),
        "weight_sum": weight_sum,
    });
    let table = Some(catalog.table()).filter(|name| !name.is_empty());
    let optional = [
        ("table", table),
        ("where", selection.filter.as_deref()),
        ("weight", selection.weight.as_deref()),
        ("group", selection.group.as_deref()),
    ];
    if let Some(entries) = record.as_object_mut() {
        if !selection.rows.is_all() {
            entries.insert("rows".to_owned(), json!(selection.rows.to_string()));
        }
        if !selection.further_weights.is_empty() {
            let sets = further_record(&selection.further_weights, &further_sums);
            entries.insert("further_weights".to_owned(), sets);
        }
        if !selection.columns.is_empty() {
            entries.insert("columns".to_owned(), json!(selection.columns));
        }
        if !selection.joins.is_empty() {
            entries.insert("joins".to_owned(), joins_record(&selection.joins)?);
        }
        let columns = place.columns();
        let weights = selection.further_weights.iter().chain([&selection.weight]);
        let weights = weights.chain([&selection.filter]).flatten();
        let weights = weights.chain(&selection.columns);
        let classes = selection.classes.iter().map(|column| &column.text);
        let weights = weights.chain(classes);
        let functions = functions_record(columns.iter().chain(weights).map(String::as_str))?;
        if functions != json!([]) {
            entries.insert("functions".to_owned(), functions);
        }
        if let Some(names) = &selection.bits {
            entries.insert("bits".to_owned(), json!(names));
        }
        for (key, value) in optional {
            if let Some(value) = value {
                entries.insert(key.to_owned(), json!(value));
            }
        }
    }
    Ok(record)
}
