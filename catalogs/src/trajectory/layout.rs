//! Which columns of a table are frame, positions, box, step and time, and what the others are.
//!
//! Entry: [`Layout::find`]. It reads no rows.

use std::path::Path;

use super::TrajectoryRequest;
use super::boxes::BoxColumns;
use super::column::{Column, Texts};
use crate::Filter;
use crate::block::Cells;
use crate::catalog::{Request, component};
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Field, Kind, Schema};

/// Vector columns with more components are not taken for what is known of particles.
const WIDEST: usize = 16;
/// The column of frame numbers, unless another is named.
const FRAME: &str = "frame";
/// What columns are called that tell frames apart, in any case of letters: a table with one of them is not one frame unless it is named.
pub const FRAME_NAMES: [&str; 7] = [
    "frame",
    "frames",
    "frame_number",
    "timestep",
    "time_step",
    "step",
    "snapshot",
];

/// What columns are called that may tell frames apart, in any case of letters: they do where [`are_times_of_frames`].
pub const TIME_NAMES: [&str; 2] = ["time", "t"];

/// Whether values are the times of several frames, each of them of two particles or more: in rising order frame after frame, or all times of each
/// particle in turn.
///
/// ```
/// use albireo_catalogs::are_times_of_frames;
/// assert!(are_times_of_frames(&[0.0, 0.0, 0.5, 0.5, 0.5]));
/// assert!(are_times_of_frames(&[0.0, 0.5, 0.0, 0.5]));
/// assert!(!are_times_of_frames(&[0.0, 0.0, 0.0]));
/// assert!(!are_times_of_frames(&[0.0, 0.5, 0.7]));
/// assert!(!are_times_of_frames(&[0.0, 0.0, 0.5, 0.0]));
/// ```
pub fn are_times_of_frames(values: &[f64]) -> bool {
    let Some(first) = values.first() else {
        return false;
    };
    let rise = |values: &[f64]| values.is_sorted_by(|a, b| a < b);
    let mut runs = values.chunk_by(|a, b| a == b);
    let of_first = runs.clone().next().map_or(0, <[f64]>::len);
    if of_first == values.len() {
        return false;
    }
    if of_first > 1 {
        return values.is_sorted() && runs.all(|run| run.len() > 1);
    }
    let again = values.iter().skip(1).position(|value| value == first);
    again.is_some_and(|place| {
        let turn = &values[..=place];
        rise(turn) && values.chunks(turn.len()).all(|other| other == turn)
    })
}

/// The components of a table that are decoded, and what each is for, as places among them.
pub(super) struct Layout {
    pub(super) frame_name: String,
    pub(super) components: Vec<Component>,
    /// The frame numbers; `None` where all rows are one frame.
    pub(super) frame: Option<usize>,
    /// Without z the table lies in a plane.
    pub(super) positions: [Option<usize>; 3],
    pub(super) boxes: Option<(BoxColumns, Vec<usize>)>,
    pub(super) step: Option<usize>,
    pub(super) time: Option<usize>,
    pub(super) others: Vec<Other>,
    pub(super) unit: Option<String>,
}

/// A column of what is known of the particles.
pub(super) struct Other {
    pub(super) name: String,
    pub(super) component: usize,
    kind: OtherKind,
}

enum OtherKind {
    Numbers,
    Integers,
    Texts,
    /// Numbers that have names.
    Labelled(Vec<(f64, String)>),
}

impl Layout {
    /// The layout of the table that is asked for, its schema, and the request by which readers find it again.
    pub(super) fn find(
        backend: &mut dyn Backend,
        request: &TrajectoryRequest,
    ) -> Result<(Self, Schema, Request)> {
        let path = backend.path().to_owned();
        let frame = request.frame.as_deref().unwrap_or(FRAME);
        let spellings: Vec<Vec<String>> = match &request.positions {
            Some(names) => vec![names.to_vec()],
            None => [&["x", "y", "z"][..], &["position"], &["x", "y"]]
                .map(|names| names.iter().map(|&name| name.to_owned()).collect())
                .into(),
        };
        let mut divided = vec![true];
        // A column that was named must be there.
        divided.extend((request.undivided && request.frame.is_none()).then_some(false));
        let mut refused = None;
        for divided in divided {
            let mut first = None;
            for names in &spellings {
                let asked = asked(request, divided.then_some(frame), names);
                let found = backend.schema(&asked).and_then(|schema| {
                    if !divided && schema.fields.iter().any(counts_frames) {
                        return Ok(None);
                    }
                    let layout = Self::new(&path, &schema, (frame, divided), names)?;
                    Ok(Some((layout, schema)))
                });
                match found {
                    Ok(Some((layout, schema))) => return Ok((layout, schema, asked)),
                    Ok(None) => {}
                    // The first says best what is missing.
                    Err(error) => first = first.or(Some(error)),
                }
            }
            refused = first.or(refused);
        }
        Err(refused.unwrap_or_else(|| CatalogError::unknown_column(&path, frame, Vec::new())))
    }

    fn new(
        path: &Path,
        schema: &Schema,
        (frame, divided): (&str, bool),
        names: &[String],
    ) -> Result<Self> {
        let mut places = Places {
            path,
            schema,
            components: Vec::new(),
        };
        let frame_place = divided.then(|| places.number(frame, true)).transpose()?;
        let positions = places.positions(names)?;
        let rows = |field: &Field| field.rows;
        let first = positions[0].unwrap_or_default();
        let own = places.components[frame_place.unwrap_or(first)].field;
        let own_rows = rows(&schema.fields[own]);
        let has = |name: &str| {
            let found = schema.fields.iter().find(|field| field.name == name);
            found.is_some_and(|field| field.kind == Kind::Number && rows(field) == own_rows)
        };
        let boxes = BoxColumns::among(has);
        let boxes = boxes.map(|columns| {
            let of_box = columns
                .names()
                .iter()
                .map(|name| places.number(name, false));
            Ok::<_, CatalogError>((columns, of_box.collect::<Result<_, _>>()?))
        });
        let boxes = boxes.transpose()?;
        let mut at_most = |name: &str| has(name).then(|| places.number(name, false)).transpose();
        // Of one frame alone they are columns of particles, which may tell otherwise.
        let (step, time) = if divided {
            (at_most("step")?, at_most("time")?)
        } else {
            (None, None)
        };
        let unit = schema.fields[places.components[first].field].unit.clone();
        let others = places.others(own_rows);
        Ok(Self {
            frame_name: frame.to_owned(),
            frame: frame_place,
            positions,
            boxes,
            step,
            time,
            others,
            unit: unit.map(|unit| unit_of(&unit)),
            components: places.components,
        })
    }
}

/// Whether a column seems to tell frames apart.
fn counts_frames(field: &Field) -> bool {
    let named = |name: &&str| field.name.eq_ignore_ascii_case(name);
    field.kind == Kind::Number && FRAME_NAMES.iter().any(named)
}

/// A unit of length by the name that trajectories use.
pub(super) fn unit_of(name: &str) -> String {
    match name.trim() {
        "A" | "Å" | "Ang" | "angstrom" | "Angstrom" | "angstroms" | "Angstroms" | "0.1 nm" => {
            "Angstrom"
        }
        "nm" | "nanometer" | "nanometers" | "nanometre" => "nm",
        other => other,
    }
    .to_owned()
}

/// The request that finds the table: it names the columns, since HDF5 files are chosen from by them, and the frames of arrays with an axis of frames.
fn asked(request: &TrajectoryRequest, frame: Option<&str>, names: &[String]) -> Request {
    let columns = frame.into_iter().chain(names.iter().map(String::as_str));
    Request {
        table: request.table.clone(),
        filter: (frame == Some(FRAME))
            .then(|| Filter::parse("frame > -1 || frame < 1").ok())
            .flatten(),
        ..Request::columns(columns)
    }
}

/// Components in the order in which they are needed.
struct Places<'a> {
    path: &'a Path,
    schema: &'a Schema,
    components: Vec<Component>,
}

impl Places<'_> {
    fn add(&mut self, field: usize, element: usize, typed: bool) -> usize {
        self.components.push(Component {
            field,
            element,
            typed,
            words: false,
            coded: self.schema.fields[field].kind == Kind::Text,
        });
        self.components.len() - 1
    }

    /// The place of a column of numbers, `name` or `name[k]`.
    fn number(&mut self, name: &str, typed: bool) -> Result<usize> {
        let fields = &self.schema.fields;
        let find = |name: &str| fields.iter().position(|field| field.name == name);
        let indexed = || {
            let (stem, index) = name.strip_suffix(']')?.rsplit_once('[')?;
            let (field, element) = (find(stem)?, index.parse().ok()?);
            (element < fields[field].width).then_some((field, element))
        };
        let found = find(name).map(|field| (field, 0)).or_else(indexed);
        let (field, element) = found.ok_or_else(|| {
            let available = fields.iter().map(|field| field.name.clone());
            CatalogError::unknown_column(self.path, name, available.collect())
        })?;
        let known = &fields[field];
        if known.kind != Kind::Number {
            return Err(CatalogError::NotNumeric {
                path: self.path.to_owned(),
                column: name.to_owned(),
                dtype: known.dtype.clone(),
            });
        }
        if known.width != 1 && known.name == name {
            return Err(CatalogError::Shape {
                path: self.path.to_owned(),
                column: name.to_owned(),
                width: known.width,
                expected: format!("name one, such as `{name}[0]`"),
            });
        }
        Ok(self.add(field, element, typed))
    }

    fn positions(&mut self, names: &[String]) -> Result<[Option<usize>; 3]> {
        if let [vector] = names
            && let Some(field) = self
                .schema
                .fields
                .iter()
                .find(|field| field.name == *vector)
        {
            if !matches!(field.width, 2 | 3) {
                return Err(CatalogError::Shape {
                    path: self.path.to_owned(),
                    column: vector.clone(),
                    width: field.width,
                    expected: "a position has 2 or 3".to_owned(),
                });
            }
            let mut places = [None; 3];
            for (k, place) in places.iter_mut().enumerate().take(field.width) {
                *place = Some(self.number(&component(vector, k), false)?);
            }
            return Ok(places);
        }
        let mut places = [None; 3];
        for (place, name) in places.iter_mut().zip(names) {
            *place = Some(self.number(name, false)?);
        }
        Ok(places)
    }

    /// All other columns of numbers or texts with a value a row.
    fn others(&mut self, rows: Option<u64>) -> Vec<Other> {
        let mut others = Vec::new();
        let fields = self.schema.fields.iter().enumerate();
        for (index, field) in fields.filter(|(_, field)| field.rows == rows) {
            let used = |element: usize| {
                let mut used = self.components.iter();
                used.any(|part| (part.field, part.element) == (index, element))
            };
            if field.kind == Kind::Other || field.width > WIDEST {
                continue;
            }
            let whole = ["int", "bool", "enum"]
                .iter()
                .any(|kind| field.dtype.contains(kind));
            let free: Vec<usize> = (0..field.width).filter(|&element| !used(element)).collect();
            for element in free {
                let kind = match field.kind {
                    Kind::Text => OtherKind::Texts,
                    _ if !field.labels.is_empty() && field.dtype != "bool" => {
                        OtherKind::Labelled(field.labels.clone())
                    }
                    _ if whole => OtherKind::Integers,
                    _ => OtherKind::Numbers,
                };
                let name = if field.width == 1 {
                    field.name.clone()
                } else {
                    component(&field.name, element)
                };
                others.push(Other {
                    name,
                    component: self.add(index, element, true),
                    kind,
                });
            }
        }
        others
    }
}

impl Other {
    /// An empty column.
    pub(super) fn column(&self) -> Column {
        match self.kind {
            OtherKind::Numbers => Column::Numbers(Vec::new()),
            OtherKind::Integers => Column::Integers(Vec::new()),
            OtherKind::Texts | OtherKind::Labelled(_) => Column::texts(),
        }
    }

    /// Appends the cells `from..to`, the first of which stands in `row`. Missing numbers are NaN, missing texts empty.
    pub(super) fn take(
        &self,
        path: &Path,
        column: &mut Column,
        cells: &Cells,
        (from, to): (usize, usize),
        row: u64,
    ) -> Result<()> {
        if let OtherKind::Labelled(labels) = &self.kind
            && let Column::Texts(texts) = column
        {
            push_labels(texts, labels, cells, (from, to));
            return Ok(());
        }
        match (column, cells) {
            (Column::Texts(column), Cells::Texts(texts)) => {
                texts[from..to]
                    .iter()
                    .for_each(|text| column.push(text.as_bytes()));
            }
            (Column::Texts(column), Cells::Coded(coded)) => {
                column.push_coded(&coded.texts, &coded.codes[from..to]);
            }
            // Missing texts are empty already.
            (column @ Column::Texts(_), Cells::Missing(texts, _)) => {
                return self.take(path, column, texts, (from, to), row);
            }
            (Column::Integers(column), Cells::Integers(values)) => {
                for (k, &value) in values[from..to].iter().enumerate() {
                    column.push(i64::try_from(value).map_err(|_| {
                        let detail = format!(
                            "column `{}`, row {} (from 0): {value} is beyond int64",
                            self.name,
                            row + k as u64
                        );
                        CatalogError::corrupt(path, detail)
                    })?);
                }
            }
            (column @ (Column::Integers(_) | Column::Numbers(_)), cells) => {
                if let Column::Integers(values) = column {
                    *column = Column::Numbers(values.iter().map(|&value| value as f64).collect());
                }
                if let Column::Numbers(column) = column {
                    let inexact = push_reals(column, cells, (from, to));
                    inexact.map_err(|(k, value)| CatalogError::Inexact {
                        path: path.to_owned(),
                        column: self.name.clone(),
                        row: row + k as u64,
                        value: value.to_string(),
                    })?;
                }
            }
            (Column::Texts(_), _) => {
                let detail = format!("column `{}` of texts turned out to be numbers", self.name);
                return Err(CatalogError::corrupt(path, detail));
            }
        }
        Ok(())
    }
}

/// Appends cells as float64; the first integer that has none, with its place, is an error.
fn push_reals(
    column: &mut Vec<f64>,
    cells: &Cells,
    (from, to): (usize, usize),
) -> Result<(), (usize, i128)> {
    match cells {
        Cells::Numbers(values) => column.extend_from_slice(&values[from..to]),
        Cells::Integers(values) => {
            for (k, &value) in values[from..to].iter().enumerate() {
                let nearest = value as f64;
                if nearest as i128 != value {
                    return Err((k, value));
                }
                column.push(nearest);
            }
        }
        Cells::Missing(cells, missing) => {
            let start = column.len();
            push_reals(column, cells, (from, to))?;
            for (value, missing) in column[start..].iter_mut().zip(&missing[from..to]) {
                if *missing {
                    *value = f64::NAN;
                }
            }
        }
        Cells::Texts(_) | Cells::Coded(_) => {}
    }
    Ok(())
}

/// Numbers by their names; those without one as they are.
fn push_labels(texts: &mut Texts, labels: &[(f64, String)], cells: &Cells, rows: (usize, usize)) {
    let mut values = Vec::new();
    // Labels are of numbers that float64 has; what comes behind any other has none.
    if push_reals(&mut values, cells, rows).is_err() {
        values.resize(rows.1 - rows.0, f64::NAN);
    }
    for value in values {
        match labels.iter().find(|(labelled, _)| *labelled == value) {
            Some((_, label)) => texts.push(label.as_bytes()),
            None => texts.push(value.to_string().as_bytes()),
        }
    }
}
