//! Attributes, and data sets small enough to be read as such.
//!
//! Entry: [`add`], [`unit`], [`small`]. It knows no table.

use hdf5_reader::group::Group;
use hdf5_reader::{Attribute, Dataset, Datatype};

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

/// Attributes that hold the unit of a data set, or of each of its components or members, in any case of letters.
const UNITS: [&str; 2] = ["unit", "units"];

/// The exponents of SWIFT's attributes and what they are the powers of.
const EXPONENTS: [(&str, &str); 7] = [
    ("a-scale exponent", "a"),
    ("h-scale exponent", "h"),
    ("U_M exponent", "U_M"),
    ("U_L exponent", "U_L"),
    ("U_t exponent", "U_t"),
    ("U_I exponent", "U_I"),
    ("U_T exponent", "U_T"),
];

/// The unit that a data set states, `kpc, kpc, Mpc` where those of its components differ; of SWIFT as powers of the scale factor and of its units,
/// such as `a U_L`.
pub(super) fn unit(dataset: &Dataset) -> Option<String> {
    let Some(units) = stated_units(dataset) else {
        return unit_by_exponents(dataset);
    };
    let (first, others) = units.split_first()?;
    let alike = others.iter().all(|other| other == first);
    Some(if alike {
        first.clone()
    } else {
        units.join(", ")
    })
}

/// The unit that a compound data set states for one of its members, or for all of them.
pub(super) fn unit_of_member(dataset: &Dataset, member: usize) -> Option<String> {
    let units = stated_units(dataset)?;
    let own = match units.as_slice() {
        [of_all] => of_all,
        each => each.get(member)?,
    };
    (!own.is_empty()).then(|| own.clone())
}

/// The units in the first of the attributes that states any: one, or one each.
fn stated_units(dataset: &Dataset) -> Option<Vec<String>> {
    let all = dataset.attributes();
    let texts = |attribute: &Attribute| {
        let texts = match attribute_value(attribute)? {
            Value::Text(text) => vec![text],
            Value::Texts(texts) => texts,
            _ => return None,
        };
        let states = texts.iter().any(|text| !text.is_empty());
        states.then_some(texts)
    };
    UNITS.iter().find_map(|name| {
        let mut named = all.iter().filter(|one| one.name.eq_ignore_ascii_case(name));
        named.find_map(texts)
    })
}

fn unit_by_exponents(dataset: &Dataset) -> Option<String> {
    let number = |name: &str| attribute_value(&dataset.attribute(name).ok()?)?.as_f64();
    number("U_L exponent")?;
    let physical = number("Value stored as physical") == Some(1.0);
    let power = |(name, of): &(&str, &str)| {
        let exponent = number(name).filter(|_| !(physical && *of == "a"));
        let exponent = exponent.filter(|&power| power != 0.0)?;
        Some(if exponent == 1.0 {
            (*of).to_owned()
        } else {
            format!("{of}^{exponent}")
        })
    };
    let powers: Vec<String> = EXPONENTS.iter().filter_map(power).collect();
    (!powers.is_empty()).then(|| powers.join(" "))
}

/// Numbers of an attribute as it stores them.
pub(super) enum Stored {
    Integers(Vec<i128>),
    Floats(Vec<f64>),
}

impl Stored {
    /// The nearest float64 of each.
    pub(super) fn floats(&self) -> Vec<f64> {
        match self {
            Self::Integers(values) => values.iter().map(|&value| value as f64).collect(),
            Self::Floats(values) => values.clone(),
        }
    }

    /// Those that are whole.
    pub(super) fn integers(self) -> Vec<i128> {
        match self {
            Self::Integers(values) => values,
            Self::Floats(values) => {
                let whole = values.into_iter().filter(|value| value.fract() == 0.0);
                whole.map(|value| value as i128).collect()
            }
        }
    }
}

/// The numbers of an attribute; `None` for other types.
pub(super) fn stored(attribute: &Attribute) -> Option<Stored> {
    match attribute.datatype {
        Datatype::FixedPoint { .. } | Datatype::Enum { .. } => {
            let values = attribute.read_1d::<element::Integer>().ok()?;
            Some(Stored::Integers(values.iter().map(|one| one.0).collect()))
        }
        Datatype::FloatingPoint { .. } => {
            let values = attribute.read_1d::<element::Float>().ok()?;
            Some(Stored::Floats(values.iter().map(|one| one.0).collect()))
        }
        _ => None,
    }
}

/// An attribute's value; `None` for types that are neither numbers nor text.
fn attribute_value(attribute: &Attribute) -> Option<Value> {
    let single = attribute.shape.is_empty();
    if let Some(stored) = stored(attribute) {
        return Some(match stored {
            Stored::Integers(values) if single && values.len() == 1 => {
                i64::try_from(values[0]).map_or(Value::Float(values[0] as f64), Value::Integer)
            }
            Stored::Floats(values) if single && values.len() == 1 => Value::Float(values[0]),
            several => Value::Floats(several.floats()),
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
