//! Arrays of a sorted sample, in memory of its own or in some that several processes read.
//!
//! Entry: [`Held`].

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Numbers in a vector, or in a buffer that belongs to somebody else and does not change.
pub(crate) enum Held<T> {
    Own(Vec<T>),
    Shared(Arc<dyn AsRef<[T]> + Send + Sync>),
}

impl<T> Deref for Held<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Own(values) => values,
            Self::Shared(buffer) => (**buffer).as_ref(),
        }
    }
}

impl<T> From<Vec<T>> for Held<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Own(values)
    }
}

impl<T: Clone> Held<T> {
    /// A vector of the numbers: the one that holds them, if they have their own.
    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            Self::Own(values) => values,
            Self::Shared(buffer) => (*buffer).as_ref().to_vec(),
        }
    }
}

impl<T> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries", self.len())
    }
}
