//! A table with the columns of joins behind its own.
//!
//! Entry: [`open_joined`].

use std::path::Path;

use super::columns::{AbsentKeys, Join, Loaded, field_of, keys, place_of_key};
use crate::Format;
use crate::block::{Block, Cells, Site};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::open::open_backend;
use crate::reader::{Backend, CatalogReader, Scan, Sink, wanted_names};
use crate::schema::{Component, Field, JOINED, Kind, Schema};
use crate::stop::Stop;

/// Opens a catalogue as [`open_until`](crate::open_until) does, with columns of other files.
///
/// # Errors
/// As there; later those of the files, keys that are no whole numbers, absent or there twice.
pub fn open_joined(path: &Path, joins: &[Join], stop: Stop) -> Result<Box<dyn CatalogReader>> {
    let inner = open_backend(path, stop.clone())?;
    if joins.is_empty() {
        return Ok(inner);
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

/// Where a component of the table with all columns comes from.
enum From {
    Own(usize),
    /// A join, and which of what it loads.
    Join(usize, usize),
    /// Whether the keys of all joins that leave rows out are there.
    Kept,
}

/// What a scan reads: of the table, of each join, and where each of its components comes from.
struct Sources {
    own: Vec<Component>,
    of_joins: Vec<Vec<(usize, Component)>>,
    from: Vec<From>,
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

    fn sources(&self, components: &[Component]) -> Sources {
        let mut sources = Sources {
            own: Vec::new(),
            of_joins: vec![Vec::new(); self.joins.len()],
            from: Vec::new(),
        };
        for part in components {
            sources.from.push(if part.field < self.own {
                sources.own.push(*part);
                From::Own(sources.own.len() - 1)
            } else if let Some((join, column)) = self.column_of(part.field) {
                sources.of_joins[join].push((column, *part));
                From::Join(join, sources.of_joins[join].len() - 1)
            } else {
                From::Kept
            });
        }
        sources
    }

    /// Refuses rows whose key is absent, where they are neither left out nor get zeros; `absent` has their number for each join.
    fn check_absent(&self, absent: &[u64], of: u64) -> Result<()> {
        for (join, &rows) in self.joins.iter().zip(absent) {
            if rows > 0 && join.absent == AbsentKeys::Refuse {
                let detail = format!(
                    "{rows} of {of} rows have a `{}` that {} does not have: such rows may be left out or get zeros (--join-missing drop or zero)",
                    join.key,
                    join.files[0].display()
                );
                return Err(CatalogError::refused(self.inner.path(), detail));
            }
        }
        Ok(())
    }
}

impl Sources {
    /// Puts the values that were asked for, in their order, in the place of those of the table; `rows` are those of each join.
    fn gather(&self, block: &mut Block, joins: &[Join], loaded: &[Loaded], rows: &Rows) {
        let own = std::mem::take(&mut block.cells);
        let mut own: Vec<Option<Cells>> = own.into_iter().map(Some).collect();
        let nulls = std::mem::take(&mut block.nulls);
        for from in &self.from {
            let (cells, nulls) = match from {
                From::Own(k) => (own[*k].take(), nulls[*k]),
                From::Join(join, k) => (Some(loaded[*join].stores[*k].picked(&rows[*join])), 0),
                From::Kept => (Some(Cells::Numbers(kept(joins, rows, block.rows))), 0),
            };
            block
                .cells
                .push(cells.unwrap_or_else(|| Cells::Numbers(Vec::new())));
            block.nulls.push(nulls);
        }
    }
}

/// For each join the rows of its files that the rows of a block have the keys of.
type Rows = Vec<Vec<Option<usize>>>;

/// 1 for rows whose keys all joins have that leave rows out, 0 for others.
fn kept(joins: &[Join], rows: &Rows, number: usize) -> Vec<f64> {
    let drops = joins
        .iter()
        .zip(rows)
        .filter(|(join, _)| join.absent == AbsentKeys::Drop);
    let drops: Vec<_> = drops.map(|(_, rows)| rows).collect();
    let is_kept = |row: usize| drops.iter().all(|rows| rows[row].is_some());
    (0..number).map(|row| f64::from(is_kept(row))).collect()
}

impl Backend for Joined {
    fn format(&self) -> Format {
        Backend::format(&*self.inner)
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn tables(&mut self) -> Result<Vec<String>> {
        self.inner.tables()
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
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
                    let detail = format!(
                        "there is a column `{}` already: columns that are joined need other names",
                        field.name
                    );
                    return Err(CatalogError::refused(path, detail));
                }
                schema.fields.push(field);
            }
        }
        if self
            .joins
            .iter()
            .any(|join| join.absent == AbsentKeys::Drop)
        {
            schema.fields.push(Field::of(JOINED, "bool", Kind::Number));
        }
        Ok(schema)
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let mut sources = self.sources(scan.components);
        let loaded = self.joins.iter().zip(&sources.of_joins);
        let loaded = loaded.map(|(join, wanted)| join.load(wanted, scan.widening, &self.stop));
        let loaded = loaded.collect::<Result<Vec<Loaded>, _>>()?;
        let keys_at = self.keys.iter();
        let at: Vec<usize> = keys_at
            .map(|&key| place_of_key(&mut sources.own, key))
            .collect();
        let path = self.inner.path().to_owned();
        let joins = &self.joins;
        let mut absent = vec![0; joins.len()];
        let mut seen = 0;
        let mut joined = |mut block: Block| {
            seen += block.rows as u64;
            let mut rows = Rows::new();
            for (k, join) in joins.iter().enumerate() {
                let site = Site::new(&path, &join.key, block.first_row);
                let keys = keys(&block.cells[at[k]], site)?.into_iter();
                let found = keys.map(|key| loaded[k].rows.get(&key?).copied());
                let found: Vec<Option<usize>> = found.collect();
                absent[k] += found.iter().filter(|row| row.is_none()).count() as u64;
                rows.push(found);
            }
            sources.gather(&mut block, joins, &loaded, &rows);
            sink(block)
        };
        let components = &sources.own[..];
        let scan = Scan {
            components,
            ..*scan
        };
        self.inner.scan(&scan, &mut joined)?;
        self.check_absent(&absent, seen)
    }
}
