//! Values under names, as other packages keep results: groups of HDF5, dictionaries of Python.
//!
//! Entry: [`Tree`], which [`Table::write_with`](super::Table::write_with) puts beside the columns, or in their place.

/// A value, or values under names.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Nothing.
    Absent,
    /// Yes or no.
    Flag(bool),
    /// An integer.
    Integer(i64),
    /// A real number.
    Float(f64),
    /// A text.
    Text(String),
    /// An array of texts.
    Texts(Vec<String>),
    /// An array of integers of this shape, the last axis varying fastest.
    Integers(Vec<usize>, Vec<i64>),
    /// An array of real numbers of this shape, the last axis varying fastest.
    Floats(Vec<usize>, Vec<f64>),
    /// One value after the other.
    List(Vec<Tree>),
    /// Values under texts; in HDF5 those of a group `attrs` are the attributes of the group that it stands in.
    Group(Vec<(String, Tree)>),
    /// Values under integers.
    Numbered(Vec<(i64, Tree)>),
}

impl Tree {
    /// Values under these names.
    pub fn group<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Group(members.map(|(name, node)| (name.to_owned(), node)).into())
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An array of texts.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }

    /// An array of one axis.
    pub fn floats(values: impl Into<Vec<f64>>) -> Self {
        let values = values.into();
        Self::Floats(vec![values.len()], values)
    }
}
