//! Columns of other files, joined to the rows of a table by exact whole numbers.
//!
//! Entry: [`open_joined`]. Expressions, conditions and words of bits see them as columns of the table itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::Format;
use crate::block::{Block, Cells, Site, Widening};
use crate::catalog::Request;
use crate::error::CatalogError;
use crate::numbers::whole_number;
use crate::open::open_backend;
use crate::reader::{Backend, CatalogReader, Sink, wanted_names};
use crate::schema::{Component, Field, JOINED, Kind, Schema};
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

/// Opens a catalog as [`open_until`](crate::open_until) does, with columns of other files.
///
/// # Errors
/// As there; later those of the files, keys that are no whole numbers, absent or there twice.
pub fn open_joined(
    path: &Path,
    joins: &[Join],
    stop: Stop,
) -> Result<Box<dyn CatalogReader>, CatalogError> {
    let inner = open_backend(path, stop.clone())?;
    if joins.is_empty() {
        return Ok(Box::new(inner));
    }
    Ok(Box::new(Joined {
        inner,
        joins: joins.to_vec(),
        keys: Vec::new(),
        own: 0,
        stop,
    }))
}

/// A table with columns of others behind its own.
struct Joined {
    inner: Box<dyn Backend>,
    joins: Vec<Join>,
    /// The field of the keys of each join.
    keys: Vec<usize>,
    /// Fields of the table itself.
    own: usize,
    stop: Stop,
}

/// Values of all rows of a component, none of them coded or missing.
struct Store {
    values: Cells,
    missing: Vec<bool>,
}

/// What the files of a join hold: rows by key, and the components that were asked for.
struct Loaded {
    rows: HashMap<i128, usize>,
    stores: Vec<Store>,
}

fn field_of(path: &Path, schema: &Schema, name: &str) -> Result<usize, CatalogError> {
    let position = schema.fields.iter().position(|field| field.name == name);
    position.ok_or_else(|| {
        let names = schema.fields.iter().map(|field| field.name.clone());
        CatalogError::unknown_column(path, name, names.collect())
    })
}

/// Whole numbers, none where they are missing.
fn keys(cells: &Cells, site: Site<'_>) -> Result<Vec<Option<i128>>, CatalogError> {
    match cells {
        Cells::Integers(values) => Ok(values.iter().copied().map(Some).collect()),
        Cells::Numbers(values) => {
            let key = |(row, &value): (usize, &f64)| match whole_number(value) {
                Some(key) => Ok(Some(key)),
                None => Err(site.no_key(row, value.to_string())),
            };
            values.iter().enumerate().map(key).collect()
        }
        Cells::Missing(cells, missing) => {
            let Cells::Integers(values) = cells.as_ref() else {
                return Err(site.no_key(0, "a missing value".to_owned()));
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

    /// Adds the values of a block.
    fn extend(&mut self, cells: Cells) {
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
            (_, more) => more,
        };
        let rows = match &self.values {
            Cells::Integers(values) => values.len(),
            Cells::Numbers(values) => values.len(),
            Cells::Texts(values) => values.len(),
            _ => before,
        };
        self.missing.extend(missing);
        self.missing.resize(rows, false);
    }

    /// The values of these rows, nothing for those that are not there.
    fn picked(&self, rows: &[Option<usize>]) -> Cells {
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
    fn fields(&self, stop: &Stop) -> Result<Vec<Field>, CatalogError> {
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

    fn opened(&self, path: &Path, stop: &Stop) -> Result<(Box<dyn Backend>, Schema), CatalogError> {
        let mut backend = open_backend(path, stop.clone())?;
        let names = std::iter::once(&self.of_files).chain(&self.columns);
        let schema = backend.schema(&Request::columns(names))?;
        Ok((backend, schema))
    }

    /// Reads the keys of all files and components of its columns.
    fn load(
        &self,
        wanted: &[(usize, Component)],
        widening: Widening,
        stop: &Stop,
    ) -> Result<Loaded, CatalogError> {
        let mut loaded = Loaded {
            rows: HashMap::new(),
            stores: wanted.iter().map(|_| Store::new()).collect(),
        };
        let mut before = 0;
        for path in &self.files {
            let (mut backend, schema) = self.opened(path, stop)?;
            let mut components = Vec::new();
            for (column, part) in wanted {
                let field = field_of(path, &schema, &self.columns[*column])?;
                components.push(Component { field, ..*part });
            }
            let key = field_of(path, &schema, &self.of_files)?;
            let at = place_of_key(&mut components, key);
            backend.scan(&schema, &components, (widening, 0), &mut |block: Block| {
                let site = Site {
                    path,
                    column: &self.of_files,
                    first_row: block.first_row,
                };
                for (row, key) in keys(&block.cells[at], site)?.into_iter().enumerate() {
                    let key = key.ok_or_else(|| site.no_key(row, "a missing value".to_owned()))?;
                    if loaded.rows.insert(key, before + row).is_some() {
                        return Err(CatalogError::KeyTwice {
                            path: path.clone(),
                            column: self.of_files.clone(),
                            key,
                            row: block.first_row + row as u64,
                        });
                    }
                }
                before += block.rows;
                let stores = loaded.stores.iter_mut();
                stores
                    .zip(block.cells)
                    .for_each(|(store, cells)| store.extend(cells));
                Ok(())
            })?;
        }
        Ok(loaded)
    }
}

/// The place of a column of keys among components, where it is added if nothing else asks for it.
fn place_of_key(components: &mut Vec<Component>, field: usize) -> usize {
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

/// Where a component of the table with all columns comes from.
enum From {
    Own(usize),
    /// A join, and which of what it loads.
    Join(usize, usize),
    /// Whether the keys of all joins that leave rows out are there.
    Kept,
}

impl Joined {
    /// Which join a field is of, and which of its columns.
    fn column_of(&self, field: usize) -> Option<(usize, usize)> {
        let mut behind = field.checked_sub(self.own)?;
        for (k, join) in self.joins.iter().enumerate() {
            if behind < join.columns.len() {
                return Some((k, behind));
            }
            behind -= join.columns.len();
        }
        None
    }
}

impl Backend for Joined {
    fn format(&self) -> Format {
        Backend::format(&self.inner)
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn tables(&mut self) -> Result<Vec<String>, CatalogError> {
        self.inner.tables()
    }

    fn schema(&mut self, request: &Request) -> Result<Schema, CatalogError> {
        let added: Vec<&String> = self.joins.iter().flat_map(|join| &join.columns).collect();
        let names = wanted_names(request, &|_| false).into_iter();
        let names = names.filter(|name| !added.contains(&name));
        let mut of_own =
            Request::columns(names.chain(self.joins.iter().map(|join| join.key.clone())));
        of_own.table.clone_from(&request.table);
        let mut schema = self.inner.schema(&of_own)?;
        self.own = schema.fields.len();
        let path = self.inner.path();
        let key = |join: &Join| field_of(path, &schema, &join.key);
        self.keys = self.joins.iter().map(key).collect::<Result<_, _>>()?;
        for join in &self.joins {
            for field in join.fields(&self.stop)? {
                if schema.fields.iter().any(|other| other.name == field.name) {
                    return Err(CatalogError::JoinedTwice {
                        path: path.to_owned(),
                        column: field.name,
                    });
                }
                schema.fields.push(field);
            }
        }
        if self
            .joins
            .iter()
            .any(|join| join.absent == AbsentKeys::Drop)
        {
            schema.fields.push(Field {
                name: JOINED.to_owned(),
                dtype: "bool".to_owned(),
                unit: None,
                kind: Kind::Number,
                labels: Vec::new(),
                width: 1,
                rows: None,
            });
        }
        Ok(schema)
    }

    fn scan(
        &mut self,
        schema: &Schema,
        components: &[Component],
        (widening, first): (Widening, u64),
        sink: &mut Sink<'_>,
    ) -> Result<(), CatalogError> {
        let mut asked = Vec::new();
        let mut wanted: Vec<Vec<(usize, Component)>> = vec![Vec::new(); self.joins.len()];
        let mut sources = Vec::new();
        for part in components {
            sources.push(if part.field < self.own {
                asked.push(*part);
                From::Own(asked.len() - 1)
            } else if let Some((join, column)) = self.column_of(part.field) {
                wanted[join].push((column, *part));
                From::Join(join, wanted[join].len() - 1)
            } else {
                From::Kept
            });
        }
        let loaded = self.joins.iter().zip(&wanted);
        let loaded = loaded.map(|(join, wanted)| join.load(wanted, widening, &self.stop));
        let loaded = loaded.collect::<Result<Vec<Loaded>, _>>()?;
        let at: Vec<usize> = self
            .keys
            .iter()
            .map(|&key| place_of_key(&mut asked, key))
            .collect();
        let path = self.inner.path().to_owned();
        let joins = &self.joins;
        let mut absent = vec![0; joins.len()];
        let mut seen = 0;
        self.inner.scan(
            schema,
            &asked,
            (widening, first),
            &mut |mut block: Block| {
                seen += block.rows as u64;
                let mut kept = vec![1.0; block.rows];
                let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
                for (k, join) in joins.iter().enumerate() {
                    let site = Site {
                        path: &path,
                        column: &join.key,
                        first_row: block.first_row,
                    };
                    let keys = keys(&block.cells[at[k]], site)?;
                    let row =
                        |key: Option<i128>| key.and_then(|key| loaded[k].rows.get(&key).copied());
                    let found: Vec<Option<usize>> = keys.into_iter().map(row).collect();
                    absent[k] += found.iter().filter(|row| row.is_none()).count() as u64;
                    if join.absent == AbsentKeys::Drop {
                        let lost = kept.iter_mut().zip(&found).filter(|(_, row)| row.is_none());
                        lost.for_each(|(kept, _)| *kept = 0.0);
                    }
                    rows.push(found);
                }
                let nulls = std::mem::take(&mut block.nulls);
                let mut of_sources = Vec::new();
                for source in &sources {
                    let (cells, nulls) = match source {
                        From::Own(k) => {
                            let cells = &mut block.cells[*k];
                            (
                                std::mem::replace(cells, Cells::Numbers(Vec::new())),
                                nulls[*k],
                            )
                        }
                        From::Join(join, k) => (loaded[*join].stores[*k].picked(&rows[*join]), 0),
                        From::Kept => (Cells::Numbers(kept.clone()), 0),
                    };
                    of_sources.push(cells);
                    block.nulls.push(nulls);
                }
                block.cells = of_sources;
                sink(block)
            },
        )?;
        for (join, absent) in self.joins.iter().zip(absent) {
            if absent > 0 && join.absent == AbsentKeys::Refuse {
                return Err(CatalogError::KeysAbsent {
                    path,
                    key: join.key.clone(),
                    file: join.files[0].clone(),
                    rows: absent,
                    of: seen,
                });
            }
        }
        Ok(())
    }
}
