//! Attributes, and data sets small enough to be read as such.
//!
//! Entry: [`add`], [`text_attribute`], [`small`]. It knows no table.

use hdf5_reader::group::Group;
use hdf5_reader::{Attribute, Dataset};

use super::element::{self, Element};
use crate::reader::Kind;
use crate::value::{Attributes, Value};

/// Data sets of at most this many elements that are no columns are read as attributes.
const SMALL: u64 = 4096;

pub(super) fn add_group(group: &Group, prefix: &str, all: &mut Attributes) {
    add(group.attributes().unwrap_or_default(), prefix, all);
}

pub(super) fn add(attributes: Vec<Attribute>, prefix: &str, all: &mut Attributes) {
    for attribute in attributes {
        if let Some(value) = attribute_value(&attribute) {
            all.insert(format!("{prefix}{}", attribute.name), value);
        }
    }
}

pub(super) fn text_attribute(dataset: &Dataset, name: &str) -> Option<String> {
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
pub(super) fn small(dataset: &Dataset) -> Option<Value> {
    if Element::of(dataset).kind() == Kind::Text && dataset.num_elements().ok()? == 1 {
        return dataset.read_string().ok().map(Value::Text);
    }
    match numbers(dataset, SMALL)? {
        Value::Floats(values) if dataset.ndim() == 0 => values.first().copied().map(Value::Float),
        other => Some(other),
    }
}

pub(super) fn numbers(dataset: &Dataset, largest: u64) -> Option<Value> {
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
