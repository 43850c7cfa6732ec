//! What a table holds, as the file has it: its columns and their types.
//!
//! Entry: [`Schema`]. It holds no values.

use crate::block::Widening;
use crate::value::Attributes;

/// What a column is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    /// Neither; cannot be read.
    Other,
}

/// The name of a column of conditions that rows must hold to: those of joined tables have one.
pub(crate) const JOINED: &str = "<joined>";

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

impl Field {
    /// A column of one component, without a unit.
    pub(crate) fn of(name: impl Into<String>, dtype: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            dtype: dtype.into(),
            unit: None,
            kind,
            labels: Vec::new(),
            width: 1,
            rows: None,
        }
    }
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Component {
    pub(crate) field: usize,
    pub(crate) element: usize,
    /// Whether an expression reads it, which takes integers and missing values as they are.
    pub(crate) typed: bool,
    /// Whether its values are bits, and must be whole numbers.
    pub(crate) words: bool,
    /// Whether its texts are wanted as codes. A format may hand them out either way.
    pub(crate) coded: bool,
}

impl Component {
    /// How its values are decoded in a scan of others by `widening`.
    pub(crate) fn widening(&self, widening: Widening) -> Widening {
        match self {
            Self { words: true, .. } => Widening::Words,
            Self { typed: true, .. } => Widening::Typed,
            _ => widening,
        }
    }
}
