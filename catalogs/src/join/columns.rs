//! What the files of a join hold for the keys of a table.
//!
//! Entry: [`Join`], which loads its [`Loaded`] rows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::block::{Block, Cells, Site, Widening};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::numbers::whole_number;
use crate::open::open_backend;
use crate::reader::{Backend, Scan};
use crate::schema::{Component, Field, Kind, Schema};
use crate::stop::Stop;

/// Columns that other files have for the keys of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// The files, which have each key once.
    pub files: Vec<PathBuf>,
    /// The column of keys of the table: whole numbers.
    pub key: String,
    /// That of the files.
    pub of_files: String,
    /// The columns of the files that the table gets, which it must not have itself.
    pub columns: Vec<String>,
    /// What becomes of rows whose key the files do not have.
    pub absent: AbsentKeys,
}

/// What becomes of rows whose key is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AbsentKeys {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
    /// They get 0, or an empty text.
    Zero,
}

/// Values of all rows of a component, none of them coded or missing.
pub(super) struct Store {
    values: Cells,
    missing: Vec<bool>,
}

/// What the files of a join hold: rows by key, and the components that were asked for.
pub(super) struct Loaded {
    pub(super) rows: HashMap<i128, usize>,
    pub(super) stores: Vec<Store>,
}

pub(super) fn field_of(path: &Path, schema: &Schema, name: &str) -> Result<usize> {
    let position = schema.fields.iter().position(|field| field.name == name);
    position.ok_or_else(|| {
        let names = schema.fields.iter().map(|field| field.name.clone());
        CatalogError::unknown_column(path, name, names.collect())
    })
}

/// What the values of a field are, in words.
fn form(field: &Field) -> String {
    let kind = match field.kind {
        Kind::Number => "numbers",
        Kind::Text => "texts",
        Kind::Other => "other values",
    };
    let width = match field.width {
        1 => String::new(),
        width => format!("{width} components of "),
    };
    let unit = field.unit.iter().map(|unit| format!(" in {unit}"));
    let names = (field.labels.iter()).map(|(value, name)| format!(", {value} named `{name}`"));
    let described: String = unit.chain(names).collect();
    format!("{width}{kind}{described}")
}

/// Whole numbers, none where they are missing.
pub(super) fn keys(cells: &Cells, site: Site<'_>) -> Result<Vec<Option<i128>>> {
    match cells {
        Cells::Integers(values) => Ok(values.iter().copied().map(Some).collect()),
        Cells::Numbers(values) => {
            let key = |(row, &value): (usize, &f64)| match whole_number(value) {
                Some(key) => Ok(Some(key)),
                None => Err(site.no_key(row, value)),
            };
            values.iter().enumerate().map(key).collect()
        }
        Cells::Missing(cells, missing) => {
            let Cells::Integers(values) = cells.as_ref() else {
                return Err(site.no_key(0, "a missing value"));
            };
            let pairs = values.iter().zip(missing);
            Ok(pairs
                .map(|(key, missing)| (!missing).then_some(*key))
                .collect())
        }
        Cells::Texts(texts) => Err(site.no_key(0, format!("`{}`", texts.join("`, `")))),
        Cells::Coded(coded) => Err(site.no_key(0, format!("`{}`", coded.texts.join("`, `")))),
    }
}

impl Store {
    fn new() -> Self {
        Self {
            values: Cells::Integers(Vec::new()),
            missing: Vec::new(),
        }
    }

    /// Adds the values of a block, unless they are texts where numbers were, or numbers where texts were.
    fn extend(&mut self, cells: Cells) -> Result<(), &'static str> {
        let (cells, missing) = match cells {
            Cells::Missing(cells, missing) => (*cells, missing),
            Cells::Coded(coded) => (Cells::Texts(coded.each().cloned().collect()), Vec::new()),
            other => (other, Vec::new()),
        };
        let before = self.missing.len();
        let floats = |values: &[i128]| values.iter().map(|&value| value as f64).collect();
        self.values = match (
            std::mem::replace(&mut self.values, Cells::Numbers(Vec::new())),
            cells,
        ) {
            (Cells::Integers(mut all), Cells::Integers(more)) => {
                all.extend(more);
                Cells::Integers(all)
            }
            (Cells::Numbers(mut all), Cells::Numbers(more)) => {
                all.extend(more);
                Cells::Numbers(all)
            }
            (Cells::Texts(mut all), Cells::Texts(more)) => {
                all.extend(more);
                Cells::Texts(all)
            }
            // Text of numbers may begin with whole ones.
            (Cells::Integers(all), Cells::Numbers(more)) => {
                let mut all: Vec<f64> = floats(&all);
                all.extend(more);
                Cells::Numbers(all)
            }
            (Cells::Numbers(mut all), Cells::Integers(more)) => {
                all.extend::<Vec<f64>>(floats(&more));
                Cells::Numbers(all)
            }
            (_, more) if before == 0 => more,
            (Cells::Texts(_), _) => return Err("a number below texts"),
            _ => return Err("a text below numbers"),
        };
        let rows = match &self.values {
            Cells::Integers(values) => values.len(),
            Cells::Numbers(values) => values.len(),
            Cells::Texts(values) => values.len(),
            _ => before,
        };
        self.missing.extend(missing);
        self.missing.resize(rows, false);
        Ok(())
    }

    /// The values of these rows, nothing for those that are not there.
    pub(super) fn picked(&self, rows: &[Option<usize>]) -> Cells {
        fn of<T: Clone + Default>(values: &[T], rows: &[Option<usize>]) -> Vec<T> {
            let value =
                |row: &Option<usize>| row.map_or_else(T::default, |row| values[row].clone());
            rows.iter().map(value).collect()
        }
        let cells = match &self.values {
            Cells::Integers(values) => Cells::Integers(of(values, rows)),
            Cells::Numbers(values) => Cells::Numbers(of(values, rows)),
            Cells::Texts(values) => Cells::Texts(of(values, rows)),
            _ => Cells::Numbers(vec![0.0; rows.len()]),
        };
        let missing = of(&self.missing, rows);
        if missing.contains(&true) {
            return Cells::Missing(Box::new(cells), missing);
        }
        cells
    }
}

impl Join {
    /// The fields of its columns, as the first of its files has them.
    pub(super) fn fields(&self, stop: &Stop) -> Result<Vec<Field>> {
        let Some(path) = self.files.first() else {
            return Ok(Vec::new());
        };
        let (_, schema) = self.opened(path, stop)?;
        let field = |name: &String| {
            let field = &schema.fields[field_of(path, &schema, name)?];
            Ok(Field {
                rows: None,
                ..field.clone()
            })
        };
        self.columns.iter().map(field).collect()
    }

    fn opened(&self, path: &Path, stop: &Stop) -> Result<(Box<dyn Backend>, Schema)> {
        let mut backend = open_backend(path, stop.clone())?;
        let names = std::iter::once(&self.of_files).chain(&self.columns);
        let schema = backend.schema(&Request::columns(names))?;
        Ok((backend, schema))
    }

    /// The forms of its columns in a file.
    fn forms(&self, path: &Path, schema: &Schema) -> Result<Vec<String>> {
        let of = |name: &String| Ok(form(&schema.fields[field_of(path, schema, name)?]));
        self.columns.iter().map(of).collect()
    }

    /// Refuses columns of another form than those of the first file.
    fn check_alike(&self, path: &Path, forms: &[String], of_first: &[String]) -> Result<()> {
        let mut both = forms.iter().zip(of_first);
        let Some(k) = both.position(|(found, expected)| found != expected) else {
            return Ok(());
        };
        Err(self.unlike(path, k, &forms[k], &of_first[k]))
    }

    /// The refusal of a column that two files have in different forms.
    fn unlike(&self, path: &Path, column: usize, found: &str, expected: &str) -> CatalogError {
        CatalogError::refused(
            path,
            format!(
                "column `{}` has {found}, expected {expected} as in {}: columns that are joined are alike in all files",
                self.columns[column],
                self.files[0].display()
            ),
        )
    }

    /// Reads the keys of all files and components of its columns.
    pub(super) fn load(
        &self,
        wanted: &[(usize, Component)],
        widening: Widening,
        stop: &Stop,
    ) -> Result<Loaded> {
        let mut loaded = Loaded {
            rows: HashMap::new(),
            stores: wanted.iter().map(|_| Store::new()).collect(),
        };
        let mut before = 0;
        let mut of_first: Option<Vec<String>> = None;
        for path in &self.files {
            let (mut backend, schema) = self.opened(path, stop)?;
            let forms = self.forms(path, &schema)?;
            self.check_alike(path, &forms, of_first.as_ref().unwrap_or(&forms))?;
            of_first.get_or_insert(forms);
            let mut components = Vec::new();
            for (column, part) in wanted {
                let field = field_of(path, &schema, &self.columns[*column])?;
                components.push(Component { field, ..*part });
            }
            let key = field_of(path, &schema, &self.of_files)?;
            let at = place_of_key(&mut components, key);
            let scan = Scan::of(&schema, &components, widening);
            backend.scan(&scan, &mut |block: Block| {
                let site = Site::new(path, &self.of_files, block.first_row);
                for (row, key) in keys(&block.cells[at], site)?.into_iter().enumerate() {
                    let key = key.ok_or_else(|| site.no_key(row, "a missing value"))?;
                    if loaded.rows.insert(key, before + row).is_some() {
                        let detail = format!(
                            "{key} stands in column `{}` a second time in row {} (from 0): rows are joined by it, so that it must be there once",
                            self.of_files,
                            block.first_row + row as u64
                        );
                        return Err(CatalogError::refused(path, detail));
                    }
                }
                before += block.rows;
                let stores = loaded.stores.iter_mut().zip(wanted);
                for ((store, (column, _)), cells) in stores.zip(block.cells) {
                    let added = store.extend(cells);
                    added.map_err(|found| self.unlike(path, *column, found, "values of one kind"))?;
                }
                Ok(())
            })?;
        }
        Ok(loaded)
    }
}

/// The place of a column of keys among components, where it is added if nothing else asks for it.
pub(super) fn place_of_key(components: &mut Vec<Component>, field: usize) -> usize {
    let same = |part: &Component| part.field == field;
    components.iter().position(same).unwrap_or_else(|| {
        components.push(Component {
            field,
            element: 0,
            typed: true,
            words: false,
            coded: false,
        });
        components.len() - 1
    })
}
