//! The reader every format shares: resolves names, binds the filter, gathers columns or ranges.
//!
//! Entry: [`CatalogReader`], implemented once, for any [`Backend`]. A format supplies a schema and a scan, no more.

#![allow(clippy::cast_possible_truncation, reason = "rows that are in memory")]

use std::path::Path;

use crate::Format;
use crate::block::{Block, Widening};
use crate::catalog::{Catalog, ColumnDescription, Description, Request, TableDescription};
use crate::collector::{Collected, Collector};
use crate::error::{CatalogError, Result};
use crate::expression::Expression;
use crate::masks::Masks;
use crate::plan::Plan;
use crate::ranges::{Distinct, Range, Ranges};
pub(crate) use crate::schema::{Component, Field, JOINED, Kind, Schema};

/// Reads the tables of one file.
pub trait CatalogReader {
    /// The format found.
    fn format(&self) -> Format;

    /// Lists all tables with their columns; ranges and NaN counts come from one pass over the data, in blocks.
    ///
    /// # Errors
    /// [`CatalogError`] if the file cannot be decoded.
    fn describe(&mut self) -> Result<Description>;

    /// The columns and attributes of one table (`None`: as [`Request::table`]) without a pass over its data: no ranges, no counts
    /// of NaN, and 0 rows where the format does not state their number.
    ///
    /// # Errors
    /// [`CatalogError`] if there is no such table.
    fn outline(&mut self, table: Option<&str>) -> Result<TableDescription>;

    /// Reads the requested columns of the requested rows, in file order, widened exactly to float64.
    ///
    /// # Errors
    /// [`CatalogError`], each cause its own variant.
    fn read(&mut self, request: &Request) -> Result<Catalog>;
}

/// Receives the blocks of a scan in row order.
pub(crate) type Sink<'a> = dyn FnMut(Block) -> Result<()> + 'a;

/// What is read of a table.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a> {
    /// The schema that the format gave of it.
    pub(crate) schema: &'a Schema,
    /// Of what rows are made. No component's field is [`Kind::Other`].
    pub(crate) components: &'a [Component],
    pub(crate) widening: Widening,
    /// The first row: formats that seek begin with the block that holds it, others hand out what lies before as well.
    pub(crate) from: u64,
}

impl<'a> Scan<'a> {
    /// Of all rows.
    pub(crate) fn of(schema: &'a Schema, components: &'a [Component], widening: Widening) -> Self {
        Self {
            schema,
            components,
            widening,
            from: 0,
        }
    }
}

/// What a format supplies.
pub(crate) trait Backend: CatalogReader {
    fn format(&self) -> Format;
    fn path(&self) -> &Path;

    /// The tables, as requests name them; the nameless one of a format that holds one table, unless overridden.
    fn tables(&mut self) -> Result<Vec<String>> {
        Ok(vec![String::new()])
    }

    /// The table of a request.
    fn schema(&mut self, request: &Request) -> Result<Schema>;

    /// Hands the rows of a scan to `sink`, in blocks.
    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()>;

    /// How the values of a field of the schema last asked for are packed, by the names of the filters.
    fn packing(&self, _field: usize) -> Option<String> {
        None
    }

    /// Whether [`Backend::scan`] leaves out what lies before its first row without decoding it.
    fn seeks(&self) -> bool {
        false
    }

    /// Gathers all rows of a scan. A format that can read in parallel overrides this.
    fn collect(&mut self, scan: &Scan<'_>, collector: &mut Collector) -> Result<()> {
        let path = self.path().to_owned();
        self.scan(scan, &mut |block| collector.take(&path, block))
    }
}

/// Refuses a request that names a table, where the format holds one without a name.
pub(crate) fn refuse_table(path: &Path, request: &Request) -> Result<()> {
    match &request.table {
        None => Ok(()),
        Some(table) => Err(CatalogError::UnknownTable {
            path: path.to_owned(),
            table: table.clone(),
            available: Vec::new(),
        }),
    }
}

/// The columns that a request needs of a table with the columns that are `known`, component indices taken off.
pub(crate) fn wanted_names(request: &Request, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let known = |name: &str| known(name) || known(stem(name));
    let mut names = Vec::new();
    names.extend_from_slice(&request.words);
    names.extend_from_slice(&request.texts);
    for column in &request.columns {
        match Expression::parse(column) {
            Ok(expression) if !known(column) => names.extend(expression.columns_for(&known)),
            _ => names.push(column.clone()),
        }
    }
    let filter = request.filter.iter();
    names.extend(filter.flat_map(|filter| filter.expression().columns_for(&known)));
    names.iter().map(|name| stem(name).to_owned()).collect()
}

/// A column's name without the index of a component.
fn stem(name: &str) -> &str {
    let indexed = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    indexed.map_or(name, |(stem, _)| stem)
}

impl<B: Backend> CatalogReader for B {
    fn format(&self) -> Format {
        Backend::format(self)
    }

    fn describe(&mut self) -> Result<Description> {
        let names = self.tables()?;
        let tables = names
            .into_iter()
            .map(|name| describe_table(self, name))
            .collect::<Result<_, _>>()?;
        Ok(Description {
            format: Backend::format(self),
            path: self.path().to_owned(),
            tables,
        })
    }

    fn outline(&mut self, table: Option<&str>) -> Result<TableDescription> {
        let schema = self.schema(&Request {
            table: table.map(str::to_owned),
            ..Request::default()
        })?;
        let rows = schema.rows;
        let fields = schema.fields.into_iter();
        let columns = fields.filter(|field| field.name != JOINED).map(|field| {
            let rows = field.rows.or(rows);
            column(field, Range::default(), Distinct::default(), rows)
        });
        Ok(TableDescription {
            name: schema.table,
            rows: rows.unwrap_or(0),
            columns: columns.collect(),
            attributes: schema.attributes,
        })
    }

    fn read(&mut self, request: &Request) -> Result<Catalog> {
        let schema = readable_schema(self, request)?;
        let path = self.path().to_owned();
        let untyped = Backend::format(self) == Format::Text;
        let plan = Plan::new(&path, &schema, request, untyped)?;
        let mut collector = Collector::new(&path, plan.pick, plan.rows)?;
        let scan = Scan::of(&schema, &plan.components, collector.widening());
        self.collect(&scan, &mut collector)?;
        let Collected {
            columns,
            words,
            texts,
            rows_read,
            rows_kept,
        } = collector.finish();
        let columns = columns
            .into_iter()
            .map(|(name, values)| (name, Some(values)));
        let words = words.into_iter().map(|(name, words)| (name, Some(words)));
        let texts = texts.into_iter().map(|(name, texts)| (name, Some(texts)));
        tracing::debug!(path = %path.display(), table = schema.table, rows_read, "catalog read");
        Ok(Catalog {
            format: Backend::format(self),
            table: schema.table,
            rows: rows_kept as usize,
            rows_read,
            columns: columns.collect(),
            words: words.collect(),
            texts: texts.collect(),
            attributes: schema.attributes,
            path,
        })
    }
}

/// The schema, with columns so wide that they are no coordinates (images, spectra) marked as not readable: a vector column
/// takes a column of memory per component.
fn readable_schema<B: Backend>(backend: &mut B, request: &Request) -> Result<Schema> {
    const WIDEST: usize = 4096;
    let mut schema = backend.schema(request)?;
    for field in schema
        .fields
        .iter_mut()
        .filter(|field| field.width > WIDEST)
    {
        field.dtype = format!("{} of {} components", field.dtype, field.width);
        field.kind = Kind::Other;
        field.width = 1;
    }
    Ok(schema)
}

fn describe_table<B: Backend>(backend: &mut B, name: String) -> Result<TableDescription> {
    let table = (!name.is_empty()).then(|| name.clone());
    let schema = readable_schema(
        backend,
        &Request {
            table,
            ..Request::default()
        },
    )?;
    let mut ranges = vec![Range::default(); schema.fields.len()];
    let mut texts: Vec<Distinct> = schema.fields.iter().map(|_| Distinct::default()).collect();
    let mut rows: Vec<Option<u64>> = schema
        .fields
        .iter()
        .map(|field| field.rows.or(schema.rows))
        .collect();
    let mut packing: Vec<Option<String>> = (0..schema.fields.len())
        .map(|field| backend.packing(field))
        .collect();
    let mut scans = scans(&schema);
    while let Some(now) = scans.pop() {
        let mut components: Vec<Component> = now
            .iter()
            .flat_map(|&field| {
                (0..schema.fields[field].width).map(move |element| Component {
                    field,
                    element,
                    typed: false,
                    words: false,
                    coded: false,
                })
            })
            .collect();
        let mut seen = Ranges::new(components.len());
        let path = backend.path().to_owned();
        let masks = Masks::beside(&path, &schema, &mut components)?;
        let scan = Scan::of(&schema, &components, Widening::Nearest);
        let scanned = backend.scan(&scan, &mut |mut block| {
            masks.apply(&path, Widening::Nearest, &mut block)?;
            seen.see(&block);
            Ok(())
        });
        match (scanned, now.as_slice()) {
            (Ok(()), _) => {}
            // What cannot be read is listed, without a range.
            (Err(CatalogError::Unsupported { what, .. }), &[field]) => {
                packing[field] = Some(format!("not read: {what}"));
                continue;
            }
            (Err(CatalogError::Unsupported { .. }), _) => {
                scans.extend(now.into_iter().map(|field| vec![field]));
                continue;
            }
            (Err(error), _) => return Err(error),
        }
        for (part, range) in components.iter().zip(&seen.numbers) {
            ranges[part.field].merge(range);
        }
        for (part, distinct) in components.iter().zip(seen.texts) {
            if schema.fields[part.field].kind == Kind::Text {
                texts[part.field] = distinct;
            }
        }
        for &field in &now {
            rows[field] = Some(seen.rows);
        }
    }
    let columns = schema
        .fields
        .into_iter()
        .zip(ranges)
        .zip(texts)
        .zip(packing)
        .zip(&rows)
        .map(
            |((((field, range), distinct), packing), rows)| ColumnDescription {
                packing,
                ..column(field, range, distinct, *rows)
            },
        );
    let columns: Vec<ColumnDescription> = columns.collect();
    let rows = columns.first().map_or(0, |column| column.rows);
    Ok(TableDescription {
        name,
        rows,
        columns,
        attributes: schema.attributes,
    })
}

/// The fields that share a scan: those of one length.
fn scans(schema: &Schema) -> Vec<Vec<usize>> {
    let mut scans: Vec<Vec<usize>> = Vec::new();
    let fields = &schema.fields;
    for field in (0..fields.len()).filter(|&k| fields[k].kind != Kind::Other) {
        let of_length = |scan: &&mut Vec<usize>| fields[scan[0]].rows == fields[field].rows;
        match scans.iter_mut().find(of_length) {
            Some(scan) => scan.push(field),
            None => scans.push(vec![field]),
        }
    }
    scans
}

fn column(field: Field, range: Range, distinct: Distinct, rows: Option<u64>) -> ColumnDescription {
    ColumnDescription {
        name: field.name,
        dtype: field.dtype,
        unit: field.unit,
        width: field.width,
        rows: rows.unwrap_or(0),
        min: range.min,
        max: range.max,
        nan_count: range.nan_count,
        null_count: range.null_count,
        all_texts: !distinct.more,
        texts: distinct.texts,
        packing: None,
    }
}
