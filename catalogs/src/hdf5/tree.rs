//! Groups and data sets as tables and columns; a compound data set is a table of its own.
//!
//! Entry: [`tables`], [`choose`], [`columns`], [`attributes`]. Reads no column, only what is beside them.

use std::collections::HashSet;
use std::path::Path;

use hdf5_reader::group::Group;
use hdf5_reader::{Attribute, Dataset, Hdf5File};

use super::compound::{self, Header, Member};
use super::element::{self, Element};
use super::failure::{failure, no_table};
use crate::catalog::Request;
use crate::error::CatalogError;
use crate::reader::{Field, Kind, wanted_names};
use crate::value::{Attributes, Value};

/// Groups nest at most this deep.
const DEEPEST: usize = 16;
/// Data sets of at most this many elements that are no columns are read as attributes.
const SMALL: u64 = 4096;

/// One column: a data set.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) dataset: Dataset,
    pub(super) element: Element,
    /// Whether the first axis counts frames.
    pub(super) in_frames: bool,
    pub(super) rows: u64,
    pub(super) width: usize,
    /// Its unit, where the data set does not say it.
    pub(super) unit: Option<String>,
    /// Which part of the records it is, where the data set is compound.
    pub(super) member: Option<Member>,
}

impl Column {
    /// `None` if the data set is a scalar. `in_frames`: the first axis of an H5MD element counts frames; so does that
    /// of any array of three axes.
    fn new(name: String, dataset: Dataset, in_frames: bool) -> Option<Self> {
        let shape = dataset.shape().to_vec();
        let in_frames = in_frames || shape.len() == 3;
        let per_row = shape.get(usize::from(in_frames)..)?;
        let (&rows, width) = (per_row.first()?, per_row.get(1).copied().unwrap_or(1));
        let mut element = Element::of(&dataset);
        let text_rows = element.kind() != Kind::Text || per_row.len() == 1;
        if per_row.len() > 2 || width == 0 || width > u64::from(u32::MAX) || !text_rows {
            element = Element::Other {
                name: format!("{} of shape {shape:?}", element.dtype()),
            };
        }
        let width = if element.kind() == Kind::Number {
            width as usize
        } else {
            1
        };
        Some(Self {
            name,
            dataset,
            element,
            in_frames,
            rows,
            width,
            unit: None,
            member: None,
        })
    }

    pub(super) fn frames(&self) -> Option<u64> {
        self.in_frames
            .then(|| self.dataset.shape().first().copied().unwrap_or(0))
    }

    /// Rows of one chunk, 1 if it is not chunked.
    pub(super) fn chunk_rows(&self) -> u64 {
        let chunks = self.dataset.chunks().unwrap_or_default();
        chunks
            .get(usize::from(self.in_frames))
            .map_or(1, |&rows| u64::from(rows))
    }

    /// As a field of a table of `frames` frames.
    pub(super) fn field(&self, frames: u64) -> Field {
        let unit = ["unit", "units"]
            .iter()
            .find_map(|name| text_attribute(&self.dataset, name));
        let dtype = match &self.member {
            Some(member) => &member.dtype,
            None => self.dataset.dtype(),
        };
        Field {
            name: self.name.clone(),
            dtype: self.element.dtype(),
            unit: self.unit.clone().or(unit),
            kind: self.element.kind(),
            width: self.width,
            labels: element::labels(dtype),
            rows: Some(self.rows.saturating_mul(frames)),
        }
    }
}

/// The paths of all groups with columns, `/` for the root, and of all compound data sets.
pub(super) fn tables(path: &Path, file: &Hdf5File) -> Result<Vec<String>, CatalogError> {
    let root = file.root_group().map_err(|error| failure(path, &error))?;
    let mut found = Vec::new();
    walk(path, &root, "/", &mut HashSet::new(), &mut found)?;
    Ok(found)
}

fn walk(
    path: &Path,
    group: &Group,
    name: &str,
    seen: &mut HashSet<u64>,
    found: &mut Vec<String>,
) -> Result<(), CatalogError> {
    let fail = |error| failure(path, &error);
    if !seen.insert(group.address()) || name.matches('/').count() > DEEPEST {
        return Ok(());
    }
    let columns = group_columns(path, group)?;
    let (compound, plain): (Vec<&Column>, Vec<&Column>) = columns
        .iter()
        .partition(|column| compound::is_table(&column.dataset));
    if !plain.is_empty() {
        found.push(name.to_owned());
    }
    found.extend(compound.iter().map(|column| below(name, &column.name)));
    let (groups, _) = group.member_names().map_err(fail)?;
    for child in groups {
        let inner = group.group(&child).map_err(fail)?;
        let bounds =
            child == "box" && (inner.dataset("edges").is_ok() || inner.group("edges").is_ok());
        if h5md_value(&inner).is_none() && !bounds {
            walk(path, &inner, &below(name, &child), seen, found)?;
        }
    }
    Ok(())
}

/// The path of what `group` calls `name`.
fn below(group: &str, name: &str) -> String {
    match group {
        "/" => name.to_owned(),
        group => format!("{group}/{name}"),
    }
}

/// The time series of an H5MD element: the data set `value` beside `step` or `time`.
fn h5md_value(group: &Group) -> Option<Dataset> {
    let (_, datasets) = group.member_names().ok()?;
    let has = |name: &str| datasets.iter().any(|other| other == name);
    if has("value") && (has("step") || has("time")) {
        group.dataset("value").ok()
    } else {
        None
    }
}

fn group_columns(path: &Path, group: &Group) -> Result<Vec<Column>, CatalogError> {
    let fail = |error| failure(path, &error);
    // All at once: looking members up one by one takes the square of their number.
    let (groups, datasets) = group.members().map_err(fail)?;
    let mut columns = Vec::new();
    for below in groups {
        let name = below.name().to_owned();
        columns.extend(h5md_value(&below).and_then(|value| Column::new(name, value, true)));
    }
    let plain = |dataset: &Dataset| !compound::is_header(dataset.name());
    for dataset in datasets.into_iter().filter(plain) {
        columns.extend(Column::new(dataset.name().to_owned(), dataset, false));
    }
    Ok(columns)
}

/// The columns of a table: of a group or of a compound data set.
fn table_columns(path: &Path, file: &Hdf5File, table: &str) -> Result<Vec<Column>, CatalogError> {
    if let Some(dataset) = compound_table(file, table) {
        return Ok(compound::columns(&dataset, &Header::of(file, table)));
    }
    let group = file.group(table).map_err(|error| failure(path, &error))?;
    group_columns(path, &group)
}

/// The compound data set of that path.
fn compound_table(file: &Hdf5File, table: &str) -> Option<Dataset> {
    file.dataset(table).ok().filter(compound::is_table)
}

/// The table a request means: the one it names, the only one, or the root if all its columns are full paths.
pub(super) fn choose(
    path: &Path,
    file: &Hdf5File,
    request: &Request,
) -> Result<String, CatalogError> {
    let trimmed = |name: &str| match name.trim_matches('/') {
        "" => "/".to_owned(),
        name => name.to_owned(),
    };
    if let Some(table) = &request.table {
        if file.group(table).is_ok() || compound_table(file, table).is_some() {
            return Ok(trimmed(table));
        }
        let available = tables(path, file)?;
        return Err(CatalogError::UnknownTable {
            path: path.to_owned(),
            table: table.clone(),
            available,
        });
    }
    let wanted = wanted(request);
    if !wanted.is_empty() && wanted.iter().all(|name| name.contains('/')) {
        return Ok("/".to_owned());
    }
    let mut available = tables(path, file)?;
    if available.len() < 2 {
        return available.pop().ok_or_else(|| no_table(path));
    }
    let fitting: Vec<&String> = available
        .iter()
        .filter(|table| has_all(path, file, table, &wanted))
        .collect();
    match fitting.as_slice() {
        [only] if !wanted.is_empty() => Ok((*only).clone()),
        _ if available.first().is_some_and(|first| first == "/") => Ok("/".to_owned()),
        _ => Err(CatalogError::AmbiguousTable {
            path: path.to_owned(),
            available,
        }),
    }
}

fn has_all(path: &Path, file: &Hdf5File, table: &str, wanted: &[String]) -> bool {
    let columns = table_columns(path, file, table).unwrap_or_default();
    wanted
        .iter()
        .all(|name| columns.iter().any(|column| column.name == *name))
}

/// The names a request needs, component indices taken off, that of the frames left out.
fn wanted(request: &Request) -> Vec<String> {
    let names = wanted_names(request).into_iter();
    names.filter(|name| name != super::FRAME).collect()
}

/// The columns of a group, and those of a request that are paths to data sets elsewhere.
pub(super) fn columns(
    path: &Path,
    file: &Hdf5File,
    table: &str,
    request: &Request,
) -> Result<Vec<Column>, CatalogError> {
    let mut columns = table_columns(path, file, table)?;
    for name in wanted(request) {
        if name.contains('/') && columns.iter().all(|column| column.name != name) {
            let below = format!("{table}/{name}");
            columns.extend(at(file, &below, &name).or_else(|| at(file, &name, &name)));
        }
    }
    Ok(columns)
}

fn at(file: &Hdf5File, place: &str, name: &str) -> Option<Column> {
    let in_element = place
        .rsplit_once('/')
        .filter(|(_, last)| *last == "value")
        .and_then(|(group, _)| file.group(group).ok());
    if in_element.as_ref().and_then(h5md_value).is_some() {
        return Column::new(name.to_owned(), file.dataset(place).ok()?, true);
    }
    if let Some((table, member)) = place.rsplit_once('/')
        && let Some(dataset) = compound_table(file, table)
    {
        let columns = compound::columns(&dataset, &Header::of(file, table));
        let found = columns.into_iter().find(|column| column.name == member);
        return found.map(|column| Column {
            name: name.to_owned(),
            ..column
        });
    }
    match file.dataset(place) {
        Ok(dataset) => Column::new(name.to_owned(), dataset, false),
        Err(_) => Column::new(name.to_owned(), h5md_value(&file.group(place).ok()?)?, true),
    }
}

/// Attributes of the file, of Gadget's `Header`, of the groups down to the table, its scalars and its H5MD box.
pub(super) fn attributes(
    path: &Path,
    file: &Hdf5File,
    table: &str,
    frames: (u64, u64),
) -> Result<Attributes, CatalogError> {
    let mut all = Attributes::new();
    let root = file.root_group().map_err(|error| failure(path, &error))?;
    add_group(&root, "", &mut all);
    if let Ok(header) = root.group("Header") {
        add_group(&header, "", &mut all);
    }
    let mut group = root;
    let (groups, dataset) = match compound_table(file, table) {
        None => (table, None),
        Some(dataset) => (
            table.rsplit_once('/').map_or("", |(groups, _)| groups),
            Some(dataset),
        ),
    };
    for name in groups.split('/').filter(|name| !name.is_empty()) {
        group = group.group(name).map_err(|error| failure(path, &error))?;
        add_group(&group, "", &mut all);
    }
    if let Some(dataset) = dataset {
        add(dataset.attributes(), "", &mut all);
        all.extend(Header::of(file, table).meta());
        return Ok(all);
    }
    let (_, members) = group.members().map_err(|error| failure(path, &error))?;
    for member in members.iter().filter(|member| member.ndim() == 0) {
        if let Some(value) = small(member) {
            all.insert(member.name().to_owned(), value);
        }
    }
    if let Ok(bounds) = group.group("box") {
        add_group(&bounds, "box/", &mut all);
        let fixed = bounds.dataset("edges").ok().and_then(|edges| small(&edges));
        if let Some(edges) =
            fixed.or_else(|| edges_of(&h5md_value(&bounds.group("edges").ok()?)?, frames))
        {
            all.insert("box/edges".to_owned(), edges);
        }
    }
    Ok(all)
}

/// The box of the frames `first..last`, if it is the same in all of them.
fn edges_of(series: &Dataset, (first, last): (u64, u64)) -> Option<Value> {
    let frames = *series.shape().first()?;
    let Value::Floats(values) = numbers(series, u64::MAX)? else {
        return None;
    };
    let each = values.len() / usize::try_from(frames).ok().filter(|&frames| frames > 0)?;
    let mut boxes = values
        .chunks_exact(each.max(1))
        .skip(first as usize)
        .take((last - first) as usize);
    let edges = boxes.next()?;
    boxes
        .all(|other| other == edges)
        .then(|| Value::Floats(edges.to_vec()))
}

fn add_group(group: &Group, prefix: &str, all: &mut Attributes) {
    add(group.attributes().unwrap_or_default(), prefix, all);
}

fn add(attributes: Vec<Attribute>, prefix: &str, all: &mut Attributes) {
    for attribute in attributes {
        if let Some(value) = attribute_value(&attribute) {
            all.insert(format!("{prefix}{}", attribute.name), value);
        }
    }
}

fn text_attribute(dataset: &Dataset, name: &str) -> Option<String> {
    let value = attribute_value(&dataset.attribute(name).ok()?)?;
    value
        .as_text()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// An attribute's value; `None` for types that are neither numbers nor text.
fn attribute_value(attribute: &Attribute) -> Option<Value> {
    let single = attribute.shape.is_empty();
    if let Ok(values) = attribute.read_1d::<element::Integer>()
        && matches!(
            attribute.datatype,
            hdf5_reader::Datatype::FixedPoint { .. } | hdf5_reader::Datatype::Enum { .. }
        )
    {
        return Some(match (single, values.as_slice()) {
            (true, [value]) => {
                i64::try_from(value.0).map_or(Value::Float(value.0 as f64), Value::Integer)
            }
            _ => Value::Floats(values.iter().map(|value| value.0 as f64).collect()),
        });
    }
    if let Ok(values) = attribute.read_1d::<element::Float>()
        && matches!(
            attribute.datatype,
            hdf5_reader::Datatype::FloatingPoint { .. }
        )
    {
        return Some(match (single, values.as_slice()) {
            (true, [value]) => Value::Float(value.0),
            _ => Value::Floats(values.iter().map(|value| value.0).collect()),
        });
    }
    if single && let Ok(text) = attribute.read_string() {
        return Some(Value::Text(element::text_of(text.as_bytes())));
    }
    let texts = attribute.read_strings().ok()?;
    Some(Value::Texts(
        texts
            .iter()
            .map(|text| element::text_of(text.as_bytes()))
            .collect(),
    ))
}

/// A small data set as a value.
fn small(dataset: &Dataset) -> Option<Value> {
    if Element::of(dataset).kind() == Kind::Text && dataset.num_elements().ok()? == 1 {
        return dataset.read_string().ok().map(Value::Text);
    }
    match numbers(dataset, SMALL)? {
        Value::Floats(values) if dataset.ndim() == 0 => values.first().copied().map(Value::Float),
        other => Some(other),
    }
}

fn numbers(dataset: &Dataset, largest: u64) -> Option<Value> {
    if dataset.num_elements().ok()? > largest {
        return None;
    }
    match Element::of(dataset) {
        Element::Float { .. } => {
            let values = dataset.read_array::<element::Float>().ok()?;
            Some(Value::Floats(values.iter().map(|value| value.0).collect()))
        }
        Element::Integer { .. } => {
            let values = dataset.read_array::<element::Integer>().ok()?;
            Some(Value::Floats(
                values.iter().map(|value| value.0 as f64).collect(),
            ))
        }
        _ => None,
    }
}
