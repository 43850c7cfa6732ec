//! Arrow arrays to float64 numbers and texts.
//!
//! Entry: [`kind`] says what a column is, [`cells`] decodes a batch of it. Opens no file.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef};
use arrow_schema::{DataType, FieldRef, Schema};

use crate::block::{Cells, Coded, Numbers, Site, Widening};
use crate::error::Result;
use crate::reader::{Component, Kind};

/// What a column is: its kind, its components and its type's name.
pub(super) fn kind(data_type: &DataType) -> (Kind, usize, String) {
    match data_type {
        DataType::Boolean => (Kind::Number, 1, "bool".to_owned()),
        number if number.is_integer() || number.is_floating() => {
            (Kind::Number, 1, format!("{number:?}").to_lowercase())
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            (Kind::Text, 1, "string".to_owned())
        }
        DataType::Dictionary(_, values) => kind(values),
        DataType::FixedSizeList(item, width) if *width > 0 => match kind(item.data_type()) {
            (Kind::Number, 1, dtype) => (Kind::Number, *width as usize, dtype),
            (_, _, dtype) => (Kind::Other, 1, format!("{dtype}[{width}]")),
        },
        other => (Kind::Other, 1, format!("{other}")),
    }
}

/// The schema by which texts that are wanted as codes keep the dictionary that the file has of them; `None` if there are none.
pub(super) fn coded_schema(schema: &Schema, components: &[Component]) -> Option<Schema> {
    if !components.iter().any(|part| part.coded) {
        return None;
    }
    let is_coded = |field: usize| {
        let mut parts = components.iter();
        parts.any(|part| part.coded && part.field == field)
    };
    let texts = |(k, field): (usize, &FieldRef)| match field.data_type() {
        DataType::Utf8 if is_coded(k) => {
            let codes = Box::new(DataType::Int32);
            let codes = DataType::Dictionary(codes, Box::new(DataType::Utf8));
            Some((k, field.as_ref().clone().with_data_type(codes)))
        }
        _ => None,
    };
    let mut fields: Vec<FieldRef> = schema.fields().iter().cloned().collect();
    let changed: Vec<_> = fields.iter().enumerate().filter_map(texts).collect();
    if changed.is_empty() {
        return None;
    }
    for (k, field) in changed {
        fields[k] = Arc::new(field);
    }
    Some(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Decodes a component of a batch whose first row stands at `site`; also counts the nulls.
pub(super) fn cells(
    site: Site<'_>,
    array: &ArrayRef,
    part: &Component,
    widening: Widening,
) -> Result<(Cells, u64)> {
    let widening = part.widening(widening);
    if kind(array.data_type()).0 == Kind::Text {
        return match array.as_any_dictionary_opt() {
            Some(dictionary) if part.coded => coded(site, array, dictionary, widening),
            _ => texts(site, array, widening),
        };
    }
    let mut numbers = Numbers::new(site, widening, array.len());
    match array.as_fixed_size_list_opt() {
        None => push(&mut numbers, array, None)?,
        Some(list) => {
            let width = list.value_length() as usize;
            // Rows that are null as a whole make all their components null.
            let rows = Rows {
                width,
                element: part.element,
                nulls: list.is_nullable().then_some(list as &dyn Array),
            };
            push(&mut numbers, list.values(), Some(rows))?;
        }
    }
    Ok(numbers.finish())
}

/// Where the rows of a list column stand in its flat values.
#[derive(Clone, Copy)]
struct Rows<'a> {
    width: usize,
    element: usize,
    nulls: Option<&'a dyn Array>,
}

type Pushed = Result<()>;

/// Pushes an array's values.
fn push(numbers: &mut Numbers<'_>, array: &ArrayRef, rows: Option<Rows<'_>>) -> Pushed {
    use DataType as T;
    match array.data_type() {
        T::Boolean => {
            let values = array.as_boolean();
            each(numbers, array, rows, |numbers, k| {
                numbers.integer(i128::from(values.value(k)))
            })
        }
        T::Int8 => integers::<Int8Type>(numbers, array, rows),
        T::Int16 => integers::<Int16Type>(numbers, array, rows),
        T::Int32 => integers::<Int32Type>(numbers, array, rows),
        T::Int64 => integers::<Int64Type>(numbers, array, rows),
        T::UInt8 => integers::<UInt8Type>(numbers, array, rows),
        T::UInt16 => integers::<UInt16Type>(numbers, array, rows),
        T::UInt32 => integers::<UInt32Type>(numbers, array, rows),
        T::UInt64 => integers::<UInt64Type>(numbers, array, rows),
        T::Float16 => floats::<Float16Type>(numbers, array, rows),
        T::Float32 => floats::<Float32Type>(numbers, array, rows),
        T::Float64 => floats::<Float64Type>(numbers, array, rows),
        T::Dictionary(key, _) => match key.as_ref() {
            T::Int8 => looked_up::<Int8Type>(numbers, array, rows),
            T::Int16 => looked_up::<Int16Type>(numbers, array, rows),
            T::Int32 => looked_up::<Int32Type>(numbers, array, rows),
            T::Int64 => looked_up::<Int64Type>(numbers, array, rows),
            T::UInt8 => looked_up::<UInt8Type>(numbers, array, rows),
            T::UInt16 => looked_up::<UInt16Type>(numbers, array, rows),
            T::UInt32 => looked_up::<UInt32Type>(numbers, array, rows),
            T::UInt64 => looked_up::<UInt64Type>(numbers, array, rows),
            _ => Err(numbers.mismatch()),
        },
        _ => Err(numbers.mismatch()),
    }
}

/// Calls `value` with the flat index of each row that is not null.
fn each(
    numbers: &mut Numbers<'_>,
    array: &dyn Array,
    rows: Option<Rows<'_>>,
    mut value: impl FnMut(&mut Numbers<'_>, usize) -> Result<()>,
) -> Result<()> {
    let (width, element) = rows.map_or((1, 0), |rows| (rows.width, rows.element));
    for row in 0..array.len() / width {
        let flat = row * width + element;
        let null = array.is_null(flat)
            || rows
                .and_then(|rows| rows.nulls)
                .is_some_and(|list| list.is_null(row));
        if null {
            numbers.null()?;
        } else {
            value(numbers, flat)?;
        }
    }
    Ok(())
}

fn integers<T: ArrowPrimitiveType>(
    numbers: &mut Numbers<'_>,
    array: &ArrayRef,
    rows: Option<Rows<'_>>,
) -> Pushed
where
    i128: From<T::Native>,
{
    let values = array.as_primitive::<T>().values();
    each(numbers, array, rows, |numbers, k| {
        numbers.integer(values[k].into())
    })
}

fn floats<T: ArrowPrimitiveType>(
    numbers: &mut Numbers<'_>,
    array: &ArrayRef,
    rows: Option<Rows<'_>>,
) -> Pushed
where
    f64: From<T::Native>,
{
    let values = array.as_primitive::<T>().values();
    if rows.is_none() && array.null_count() == 0 {
        numbers.floats(values.iter().map(|&value| value.into()));
        return Ok(());
    }
    each(numbers, array, rows, |numbers, k| {
        numbers.float(values[k].into())
    })
}

/// Numbers behind dictionary keys: decodes the dictionary once, then follows the keys.
fn looked_up<K: ArrowDictionaryKeyType>(
    numbers: &mut Numbers<'_>,
    array: &ArrayRef,
    rows: Option<Rows<'_>>,
) -> Pushed {
    let dictionary = array.as_dictionary::<K>();
    let mut decoded = numbers.like(dictionary.values().len());
    push(&mut decoded, dictionary.values(), None)?;
    let decoded = match decoded.finish() {
        (Cells::Numbers(values), 0) => Ok(values),
        (Cells::Integers(values), 0) => Err(values),
        _ => return Err(numbers.mismatch()),
    };
    let keys: Vec<Option<usize>> = dictionary.keys_iter().collect();
    each(numbers, array, rows, |numbers, k| {
        match (keys[k], &decoded) {
            (Some(key), Ok(floats)) if key < floats.len() => numbers.float(floats[key]),
            (Some(key), Err(integers)) if key < integers.len() => numbers.integer(integers[key]),
            _ => numbers.null(),
        }
    })
}

fn texts(site: Site<'_>, array: &ArrayRef, widening: Widening) -> Result<(Cells, u64)> {
    let values = strings(array);
    let mut texts = Vec::with_capacity(values.len());
    let mut missing = Vec::new();
    let mut nulls = 0;
    for value in values {
        match value {
            Some(text) => texts.push(text),
            None if widening == Widening::Exact => {
                return Err(site.null(site.first_row + texts.len() as u64));
            }
            None => {
                nulls += 1;
                missing.resize(texts.len(), false);
                missing.push(true);
                texts.push(String::new());
            }
        }
    }
    if missing.is_empty() || widening == Widening::Nearest {
        return Ok((Cells::Texts(texts), nulls));
    }
    missing.resize(texts.len(), false);
    let texts = Box::new(Cells::Texts(texts));
    Ok((Cells::Missing(texts, missing), nulls))
}

/// Texts of which the file itself has a dictionary.
fn coded(
    site: Site<'_>,
    array: &ArrayRef,
    dictionary: &dyn AnyDictionaryArray,
    widening: Widening,
) -> Result<(Cells, u64)> {
    let values = dictionary.values();
    let Some(values) = values.as_string_opt::<i32>() else {
        return texts(site, array, widening);
    };
    let is_missing =
        |row: usize, key: usize| array.is_null(row) || key >= values.len() || values.is_null(key);
    let keys = if values.is_empty() {
        vec![0; array.len()]
    } else {
        dictionary.normalized_keys()
    };
    let missing: Vec<bool> = if array.null_count() + values.null_count() == 0 {
        Vec::new()
    } else {
        let keys = keys.iter().enumerate();
        keys.map(|(row, &key)| is_missing(row, key)).collect()
    };
    let nulls = missing.iter().filter(|missing| **missing).count() as u64;
    if widening == Widening::Exact
        && let Some(row) = missing.iter().position(|missing| *missing)
    {
        return Err(site.null(site.first_row + row as u64));
    }
    let there = keys.iter().enumerate().map(|(row, &key)| {
        let missing = missing.get(row).copied().unwrap_or(false);
        (!missing).then_some(key)
    });
    let cells = Cells::Coded(Coded::of_keys(there, values.len(), |key| values.value(key)));
    if nulls == 0 || widening == Widening::Nearest {
        return Ok((cells, nulls));
    }
    Ok((Cells::Missing(Box::new(cells), missing), nulls))
}

fn strings(array: &ArrayRef) -> Vec<Option<String>> {
    fn owned<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
        values.map(|value| value.map(str::to_owned)).collect()
    }
    match array.data_type() {
        DataType::Utf8 => owned(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(array.as_string::<i64>().iter()),
        DataType::Utf8View => owned(array.as_string_view().iter()),
        DataType::Dictionary(..) => match array.as_any_dictionary_opt() {
            Some(dictionary) if !dictionary.values().is_empty() => {
                let values = strings(dictionary.values());
                let keys = dictionary.normalized_keys();
                let text = |(row, key): (usize, usize)| {
                    (!array.is_null(row))
                        .then(|| values.get(key).cloned().flatten())
                        .flatten()
                };
                keys.into_iter().enumerate().map(text).collect()
            }
            _ => vec![None; array.len()],
        },
        _ => vec![None; array.len()],
    }
}
