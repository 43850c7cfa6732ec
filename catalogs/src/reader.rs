//! The reader every format shares: resolves names, binds the filter, gathers columns or ranges.
//!
//! Entry: [`CatalogReader`], implemented once, for any [`Backend`]. A format supplies a schema and a scan, no more.

use std::collections::HashSet;
use std::path::Path;

use crate::Format;
use crate::block::{Block, BoundFilter, Collector, Widening};
use crate::catalog::{
    Catalog, ColumnDescription, Description, Request, TableDescription, component,
};
use crate::error::{CatalogError, listed};
#[cfg(any(feature = "fits", feature = "hdf5"))]
use crate::filter::Filter;
use crate::filter::{Comparison, Literal};
use crate::ranges::{Distinct, Range, Ranges};
use crate::value::Attributes;

/// Reads the tables of one file.
pub trait CatalogReader {
    /// The format found.
    fn format(&self) -> Format;

    /// Lists all tables with their columns; ranges and NaN counts come from one pass over the data, in blocks.
    ///
    /// # Errors
    /// [`CatalogError`] if the file cannot be decoded.
    fn describe(&mut self) -> Result<Description, CatalogError>;

    /// The columns and attributes of one table (`None`: as [`Request::table`]) without a pass over its data: no ranges, no counts
    /// of NaN, and 0 rows where the format does not state their number.
    ///
    /// # Errors
    /// [`CatalogError`] if there is no such table.
    fn outline(&mut self, table: Option<&str>) -> Result<TableDescription, CatalogError>;

    /// Reads the requested columns of the requested rows, in file order, widened exactly to float64.
    ///
    /// # Errors
    /// [`CatalogError`], each cause its own variant.
    fn read(&mut self, request: &Request) -> Result<Catalog, CatalogError>;
}

/// What a column is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    /// Neither; cannot be read.
    Other,
}

/// One column of a table, as the file has it.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) unit: Option<String>,
    pub(crate) kind: Kind,
    /// Names of some of its numbers, as an HDF5 enum has; a filter may use them.
    pub(crate) labels: Vec<(f64, String)>,
    /// Components of one row.
    pub(crate) width: usize,
    /// Rows, where the format gives each column its own number.
    pub(crate) rows: Option<u64>,
}

/// One table, as the file has it.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    /// Empty for formats that hold one table.
    pub(crate) table: String,
    pub(crate) rows: Option<u64>,
    pub(crate) fields: Vec<Field>,
    pub(crate) attributes: Attributes,
}

/// One component of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) field: usize,
    pub(crate) element: usize,
}

/// Receives the blocks of a scan in row order.
pub(crate) type Sink<'a> = dyn FnMut(Block) -> Result<(), CatalogError> + 'a;

/// What a format supplies.
pub(crate) trait Backend {
    fn format(&self) -> Format;
    fn path(&self) -> &Path;

    /// The tables, as requests name them; the nameless one of a format that holds one table, unless overridden.
    fn tables(&mut self) -> Result<Vec<String>, CatalogError> {
        Ok(vec![String::new()])
    }

    /// The table of a request.
    fn schema(&mut self, request: &Request) -> Result<Schema, CatalogError>;

    /// Hands all rows of `components` to `sink`, in blocks. No component's field is [`Kind::Other`].
    fn scan(
        &mut self,
        schema: &Schema,
        components: &[Component],
        widening: Widening,
        sink: &mut Sink<'_>,
    ) -> Result<(), CatalogError>;

    /// Gathers all rows of `components`. A format that can read in parallel overrides this.
    fn collect(
        &mut self,
        schema: &Schema,
        components: &[Component],
        collector: &mut Collector,
    ) -> Result<(), CatalogError> {
        let path = self.path().to_owned();
        self.scan(schema, components, Widening::Exact, &mut |block| {
            collector.take(&path, &block)
        })
    }
}

/// Refuses a request that names a table, where the format holds one without a name.
pub(crate) fn refuse_table(path: &Path, request: &Request) -> Result<(), CatalogError> {
    match &request.table {
        None => Ok(()),
        Some(table) => Err(CatalogError::UnknownTable {
            path: path.to_owned(),
            table: table.clone(),
            available: Vec::new(),
        }),
    }
}

/// The columns a request needs, component indices taken off.
#[cfg(any(feature = "fits", feature = "hdf5"))]
pub(crate) fn wanted_names(request: &Request) -> Vec<String> {
    let of_filter = request.filter.iter().flat_map(Filter::columns);
    let names = request.columns.iter().map(String::as_str).chain(of_filter);
    let plain = |name: &str| match name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
    {
        Some((stem, _)) => stem.to_owned(),
        None => name.to_owned(),
    };
    names.map(plain).collect()
}

impl<B: Backend> CatalogReader for B {
    fn format(&self) -> Format {
        Backend::format(self)
    }

    fn describe(&mut self) -> Result<Description, CatalogError> {
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

    fn outline(&mut self, table: Option<&str>) -> Result<TableDescription, CatalogError> {
        let schema = self.schema(&Request {
            table: table.map(str::to_owned),
            ..Request::default()
        })?;
        let rows = schema.rows;
        let columns = schema.fields.into_iter().map(|field| {
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

    fn read(&mut self, request: &Request) -> Result<Catalog, CatalogError> {
        let schema = readable_schema(self, request)?;
        let path = self.path().to_owned();
        let plan = Plan::new(&path, &schema, request)?;
        let mut collector = Collector::new(&path, plan.names.len(), plan.filter, plan.rows)?;
        self.collect(&schema, &plan.components, &mut collector)?;
        let (columns, rows_read, rows_kept) = collector.finish();
        tracing::debug!(path = %path.display(), table = schema.table, rows_read, "catalog read");
        Ok(Catalog {
            format: Backend::format(self),
            table: schema.table,
            rows: rows_kept as usize,
            rows_read,
            columns: plan
                .names
                .into_iter()
                .zip(columns.into_iter().map(Some))
                .collect(),
            attributes: schema.attributes,
            path,
        })
    }
}

/// A request, resolved against a schema.
struct Plan {
    /// Names of the columns to keep; the first components of `components`, in this order.
    names: Vec<String>,
    components: Vec<Component>,
    filter: Option<BoundFilter>,
    rows: Option<u64>,
}

impl Plan {
    fn new(path: &Path, schema: &Schema, request: &Request) -> Result<Self, CatalogError> {
        let mut names = Vec::new();
        let mut components = Vec::new();
        let mut seen = HashSet::new();
        for column in &request.columns {
            let (field, elements) = resolve(path, schema, column)?;
            require_number(path, &schema.fields[field])?;
            for (name, element) in elements {
                if seen.insert(name.clone()) {
                    names.push(name);
                    components.push(Component { field, element });
                }
            }
        }
        let mut locate =
            |comparison: &Comparison| locate(path, schema, comparison, &mut components);
        let filter = request
            .filter
            .as_ref()
            .map(|filter| BoundFilter::bind(filter, &mut locate))
            .transpose()?;
        let rows = common_rows(path, schema, &components)?;
        Ok(Self {
            names,
            components,
            filter,
            rows,
        })
    }
}

/// The field a requested column means, with the name and index of each component.
fn resolve(
    path: &Path,
    schema: &Schema,
    column: &str,
) -> Result<(usize, Vec<(String, usize)>), CatalogError> {
    let find = |name: &str| schema.fields.iter().position(|field| field.name == name);
    if let Some(index) = find(column) {
        let elements = match schema.fields[index].width {
            1 => vec![(column.to_owned(), 0)],
            width => (0..width).map(|k| (component(column, k), k)).collect(),
        };
        return Ok((index, elements));
    }
    let indexed = column
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    if let Some((index, element)) =
        indexed.and_then(|(name, k)| Some((find(name)?, k.parse::<usize>().ok()?)))
    {
        let width = schema.fields[index].width;
        if element < width {
            return Ok((index, vec![(column.to_owned(), element)]));
        }
        return Err(CatalogError::Shape {
            path: path.to_owned(),
            column: schema.fields[index].name.clone(),
            width,
            expected: format!("`{column}` is none of them (they count from 0)"),
        });
    }
    let available = schema
        .fields
        .iter()
        .map(|field| field.name.clone())
        .collect();
    Err(CatalogError::unknown_column(path, column, available))
}

fn require_number(path: &Path, field: &Field) -> Result<(), CatalogError> {
    if field.kind == Kind::Number {
        return Ok(());
    }
    Err(CatalogError::NotNumeric {
        path: path.to_owned(),
        column: field.name.clone(),
        dtype: field.dtype.clone(),
    })
}

/// The position of a filter's column among the components, added if it is not there, and what to compare it with.
fn locate(
    path: &Path,
    schema: &Schema,
    comparison: &Comparison,
    components: &mut Vec<Component>,
) -> Result<(usize, Literal), CatalogError> {
    let (index, elements) = resolve(path, schema, &comparison.column)?;
    let field = &schema.fields[index];
    let [(_, element)] = elements.as_slice() else {
        return Err(CatalogError::Shape {
            path: path.to_owned(),
            column: field.name.clone(),
            width: field.width,
            expected: format!("the filter must name one, such as `{}[0]`", field.name),
        });
    };
    let literal = match (&field.kind, &comparison.literal) {
        (Kind::Number, Literal::Number(_)) | (Kind::Text, Literal::Text(_)) => {
            Some(comparison.literal.clone())
        }
        (Kind::Number, Literal::Text(text)) => {
            let label = field.labels.iter().find(|(_, label)| label == text);
            label.map(|(value, _)| Literal::Number(*value))
        }
        _ => None,
    };
    let Some(literal) = literal else {
        let labels: Vec<String> = field
            .labels
            .iter()
            .map(|(_, label)| label.clone())
            .collect();
        let of = if labels.is_empty() {
            String::new()
        } else {
            format!(" of {}", listed(&labels))
        };
        return Err(CatalogError::FilterKind {
            path: path.to_owned(),
            column: field.name.clone(),
            dtype: format!("{}{of}", field.dtype),
            literal: comparison.literal.to_string(),
        });
    };
    let wanted = Component {
        field: index,
        element: *element,
    };
    let position = components
        .iter()
        .position(|&have| have == wanted)
        .unwrap_or_else(|| {
            components.push(wanted);
            components.len() - 1
        });
    Ok((position, literal))
}

/// The number of rows that all components share.
fn common_rows(
    path: &Path,
    schema: &Schema,
    components: &[Component],
) -> Result<Option<u64>, CatalogError> {
    let mut counted = components
        .iter()
        .filter_map(|part| Some((part.field, schema.fields[part.field].rows?)));
    let Some((first, first_rows)) = counted.next() else {
        return Ok(schema.rows);
    };
    match counted.find(|&(_, rows)| rows != first_rows) {
        None => Ok(Some(first_rows)),
        Some((second, second_rows)) => Err(CatalogError::UnequalLengths {
            path: path.to_owned(),
            first: schema.fields[first].name.clone(),
            first_rows,
            second: schema.fields[second].name.clone(),
            second_rows,
        }),
    }
}

/// The schema, with columns so wide that they are no coordinates (images, spectra) marked as not readable: a vector column
/// takes a column of memory per component.
fn readable_schema<B: Backend>(backend: &mut B, request: &Request) -> Result<Schema, CatalogError> {
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

fn describe_table<B: Backend>(
    backend: &mut B,
    name: String,
) -> Result<TableDescription, CatalogError> {
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
    let mut left: Vec<usize> = (0..schema.fields.len())
        .filter(|&k| schema.fields[k].kind != Kind::Other)
        .collect();
    // Columns of one length share a scan.
    while let Some(&first) = left.first() {
        let (now, later) = left
            .into_iter()
            .partition(|&k| schema.fields[k].rows == schema.fields[first].rows);
        left = later;
        let now: Vec<usize> = now;
        let components: Vec<Component> = now
            .iter()
            .flat_map(|&field| {
                (0..schema.fields[field].width).map(move |element| Component { field, element })
            })
            .collect();
        let mut seen = Ranges::new(components.len());
        backend.scan(&schema, &components, Widening::Nearest, &mut |block| {
            seen.see(&block);
            Ok(())
        })?;
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
        .zip(&rows)
        .map(|(((field, range), distinct), rows)| column(field, range, distinct, *rows));
    let columns: Vec<ColumnDescription> = columns.collect();
    let rows = columns.first().map_or(0, |column| column.rows);
    Ok(TableDescription {
        name,
        rows,
        columns,
        attributes: schema.attributes,
    })
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
    }
}
