//! Particles whose numbers go to buffers that somebody else owns, such as memory that several processes read.
//!
//! Entry: [`Particles::in_buffers`].

use super::{Column, Particles, Weights};

/// Another column, if it holds the same numbers to the last bit; else this one.
fn same_in(column: &Column, buffer: impl FnOnce(&Column) -> Option<Column>) -> Column {
    let same = |other: &Column| {
        let bits = other.iter().map(f64::to_bits);
        other.len() == column.len() && bits.eq(column.iter().map(f64::to_bits))
    };
    buffer(column)
        .filter(same)
        .unwrap_or_else(|| column.clone())
}

impl Particles {
    /// The same particles, their coordinates and weights in the buffers that `buffer` gives for each column, where these hold the same
    /// numbers to the last bit. Buffers of other numbers are left.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use albireo::particles::Column;
    /// use albireo::{Particles, Points};
    /// let own = Particles::new(Points::new(vec![0.5], vec![1.0], vec![2.0])?);
    /// let mapped = Arc::new(vec![2.0]);
    /// let shared = own.clone().in_buffers(&mut |_| Some(Column::shared(mapped.clone())));
    /// assert_eq!(shared, own);
    /// assert_eq!(shared.points().columns()[2].as_slice().map(<[f64]>::as_ptr), Some(mapped.as_ptr()));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    #[must_use]
    pub fn in_buffers(mut self, buffer: &mut dyn FnMut(&Column) -> Option<Column>) -> Self {
        for column in &mut self.points.columns {
            *column = same_in(column, &mut *buffer);
        }
        for weights in std::iter::once(&mut self.weights).chain(&mut self.further) {
            if let Weights::PerParticle(column) = weights {
                *column = same_in(column, &mut *buffer);
            }
        }
        self
    }
}
