//! Attribute values: what a file says about its table beside the columns.
//!
//! Entry: [`Value`], [`Attributes`]. Nothing here interprets a name such as `BoxSize`.

use std::collections::BTreeMap;

/// Attributes by name.
pub type Attributes = BTreeMap<String, Value>;

/// The value of an attribute: a FITS header key, an HDF5 attribute, Parquet or ECSV metadata.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float64.
    Float(f64),
    /// Text.
    Text(String),
    /// Numbers, row-major if the file gives them more than one dimension.
    Floats(Vec<f64>),
    /// Several texts.
    Texts(Vec<String>),
    /// Anything nested, as JSON.
    Json(serde_json::Value),
}

impl Value {
    /// The number, if this is a single one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Floats(values) if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }

    /// The numbers, if this is one or several.
    pub fn as_floats(&self) -> Option<Vec<f64>> {
        match self {
            Self::Floats(values) => Some(values.clone()),
            other => other.as_f64().map(|value| vec![value]),
        }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Texts(texts) if texts.len() == 1 => texts.first().map(String::as_str),
            _ => None,
        }
    }

    /// From JSON: scalars and flat arrays become their own variants, all else stays JSON.
    pub(crate) fn from_json(json: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Bool(value) => Self::Bool(value),
            Json::String(text) => Self::Text(text),
            Json::Number(number) => match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                None => number
                    .as_f64()
                    .map_or(Self::Json(Json::Number(number)), Self::Float),
            },
            Json::Array(items) => Self::from_array(items),
            other => Self::Json(other),
        }
    }

    fn from_array(items: Vec<serde_json::Value>) -> Self {
        if items.is_empty() {
            return Self::Json(serde_json::Value::Array(items));
        }
        if let Some(numbers) = items
            .iter()
            .map(serde_json::Value::as_f64)
            .collect::<Option<Vec<f64>>>()
        {
            return Self::Floats(numbers);
        }
        match items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
        {
            Some(texts) => Self::Texts(texts),
            None => Self::Json(serde_json::Value::Array(items)),
        }
    }

    /// From text that may be JSON: a number, a boolean, an array or an object; plain text otherwise.
    #[cfg_attr(
        not(feature = "parquet"),
        allow(dead_code, reason = "only Parquet keeps its metadata as text")
    )]
    pub(crate) fn from_text(text: &str) -> Self {
        match serde_json::from_str(text) {
            Ok(serde_json::Value::Null) | Err(_) => Self::Text(text.to_owned()),
            Ok(json) => Self::from_json(json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_json_becomes_its_value() {
        assert_eq!(Value::from_text("420"), Value::Integer(420));
        assert_eq!(Value::from_text("420.5"), Value::Float(420.5));
        assert_eq!(
            Value::from_text("[1, 2.5, 3]"),
            Value::Floats(vec![1.0, 2.5, 3.0])
        );
        assert_eq!(
            Value::from_text("[\"a\"]"),
            Value::Texts(vec!["a".to_owned()])
        );
        assert_eq!(Value::from_text("Mpc/h"), Value::Text("Mpc/h".to_owned()));
        assert_eq!(Value::from_text("true"), Value::Bool(true));
        assert!(matches!(Value::from_text("{\"a\": 1}"), Value::Json(_)));
        assert_eq!(Value::from_text("null"), Value::Text("null".to_owned()));
    }

    #[test]
    fn numbers_are_seen_through_their_shapes() {
        assert_eq!(Value::Integer(3).as_f64(), Some(3.0));
        assert_eq!(Value::Floats(vec![2.0]).as_f64(), Some(2.0));
        assert_eq!(Value::Floats(vec![2.0, 3.0]).as_f64(), None);
        assert_eq!(Value::Float(2.0).as_floats(), Some(vec![2.0]));
        assert_eq!(Value::Text("x".to_owned()).as_floats(), None);
    }
}
