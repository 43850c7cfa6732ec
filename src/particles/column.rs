//! Numbers in shared buffers: clones and runs of rows share them; the buffer may belong to anything.
//!
//! Entry: [`Column`], and [`View`] to read one in a loop. It checks no value.

#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "strides and rows were checked to stay within the buffer"
)]

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::ParticlesError;

/// One number a row, in a buffer that is shared and not copied: clones and runs of rows cost nothing.
///
/// The buffer is a vector, or any owner that lends it out as a slice, such as an Arrow buffer or a memory map, of the same numbers or of ones in
/// single precision. Row `r` is element
/// `first + r * stride` of it, so that a table of three columns side by side is three columns of stride 3. What the buffer holds must
/// not change as long as it is shared.
///
/// ```
/// use std::sync::Arc;
/// use albireo::particles::Column;
/// use albireo::Points;
/// let rows = Arc::new(vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
/// let column = |axis| Column::strided(rows.clone(), axis, 3, 2);
/// let points = Points::from_columns([column(0)?, column(1)?, column(2)?])?;
/// assert_eq!(points.at(1), [10.0, 11.0, 12.0]);
/// # Ok::<(), albireo::Error>(())
/// ```
pub struct Column<T = f64> {
    buffer: Buffer<T>,
    first: usize,
    stride: isize,
    len: usize,
}

enum Buffer<T> {
    Own(Arc<Vec<T>>),
    Shared(Arc<dyn AsRef<[T]> + Send + Sync>),
    /// Numbers in single precision, each of which is one of `T`.
    Singles(Arc<dyn AsRef<[f32]> + Send + Sync>),
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Own(buffer) => Self::Own(buffer.clone()),
            Self::Shared(buffer) => Self::Shared(buffer.clone()),
            Self::Singles(buffer) => Self::Singles(buffer.clone()),
        }
    }
}

impl<T> Buffer<T> {
    fn values(&self) -> Values<'_, T> {
        match self {
            Self::Own(buffer) => Values::Same(buffer),
            Self::Shared(buffer) => Values::Same((**buffer).as_ref()),
            Self::Singles(buffer) => Values::Singles((**buffer).as_ref()),
        }
    }
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        Self {
            buffer: self.buffer.clone(),
            ..*self
        }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        let len = values.len();
        Self {
            buffer: Buffer::Own(Arc::new(values)),
            first: 0,
            stride: 1,
            len,
        }
    }
}

impl<T: Copy + From<f32> + fmt::Debug> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Columns are equal when their values are, wherever they lie.
impl<T: Copy + From<f32> + PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

/// Whether rows `first + r * stride`, r below `len`, are elements of a buffer of `holds`.
fn fits(first: usize, stride: isize, len: usize, holds: usize) -> bool {
    let Some(steps) = len.checked_sub(1) else {
        return true;
    };
    let last = (steps as i128) * (stride as i128) + first as i128;
    first < holds && (0..holds as i128).contains(&last) && (stride != 0 || steps == 0)
}

impl Column {
    /// As [`Column::strided`], of a buffer in single precision: numbers are widened where they are read.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use albireo::particles::Column;
    /// let column = Column::of_singles(Arc::new(vec![0.1f32, 0.2, 0.3]), 2, -1, 3)?;
    /// assert_eq!(column.at(2), f64::from(0.1f32));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Column::strided`].
    pub fn of_singles(
        buffer: Arc<dyn AsRef<[f32]> + Send + Sync>,
        first: usize,
        stride: isize,
        len: usize,
    ) -> Result<Self, ParticlesError> {
        Self::new(Buffer::Singles(buffer), first, stride, len)
    }
}

impl<T: Copy + From<f32>> Column<T> {
    /// All of a buffer.
    pub fn shared(buffer: Arc<dyn AsRef<[T]> + Send + Sync>) -> Self {
        let len = (*buffer).as_ref().len();
        Self {
            buffer: Buffer::Shared(buffer),
            first: 0,
            stride: 1,
            len,
        }
    }

    /// `len` rows of a buffer, the first at element `first`, each `stride` elements behind the one before; strides may be negative.
    ///
    /// # Errors
    /// Rows that lie outside the buffer, or a stride of 0.
    pub fn strided(
        buffer: Arc<dyn AsRef<[T]> + Send + Sync>,
        first: usize,
        stride: isize,
        len: usize,
    ) -> Result<Self, ParticlesError> {
        Self::new(Buffer::Shared(buffer), first, stride, len)
    }

    fn new(
        buffer: Buffer<T>,
        first: usize,
        stride: isize,
        len: usize,
    ) -> Result<Self, ParticlesError> {
        let holds = buffer.values().len();
        if !fits(first, stride, len, holds) {
            return Err(ParticlesError::Strides {
                rows: len,
                first,
                stride,
                holds,
            });
        }
        Ok(Self {
            buffer,
            first,
            stride: if len <= 1 { 1 } else { stride },
            len,
        })
    }

    /// Three columns of a vector that they share: rows of each axis from `first[axis]` in steps of `strides[axis]`.
    pub(super) fn of_table(
        values: Vec<T>,
        first: [usize; 3],
        strides: [isize; 3],
        len: usize,
    ) -> Result<[Self; 3], ParticlesError> {
        let values = Arc::new(values);
        let column = |axis: usize| {
            let buffer = Buffer::Own(values.clone());
            Self::new(buffer, first[axis], strides[axis], len)
        };
        Ok([column(0)?, column(1)?, column(2)?])
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values, for a loop over rows.
    pub fn view(&self) -> View<'_, T> {
        let values = self.buffer.values();
        let Some(steps) = self.len.checked_sub(1) else {
            return View::default();
        };
        let span = steps * self.stride.unsigned_abs();
        let (values, first) = if self.stride < 0 {
            (values.run(self.first - span..self.first + 1), span)
        } else {
            (values.run(self.first..self.first + span + 1), 0)
        };
        View {
            values,
            first,
            stride: self.stride,
            len: self.len,
        }
    }

    /// The value in row `row`.
    ///
    /// # Panics
    /// When `row` is not below [`Column::len`].
    pub fn at(&self, row: usize) -> T {
        self.view().at(row)
    }

    /// The values in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + Clone + '_ {
        self.view().iter()
    }

    /// The values as a slice, where they lie side by side in a buffer of their own kind.
    pub fn as_slice(&self) -> Option<&[T]> {
        self.view().as_slice()
    }

    /// The values side by side: a copy of the whole column where they are not so already.
    pub fn contiguous(&self) -> Cow<'_, [T]> {
        match self.as_slice() {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(self.iter().collect()),
        }
    }

    /// A run of rows, in the same buffer.
    ///
    /// # Panics
    /// When the run ends beyond [`Column::len`].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.len);
        if rows.is_empty() {
            return Self::default();
        }
        let first = self.first as isize + rows.start as isize * self.stride;
        Self {
            buffer: self.buffer.clone(),
            first: first as usize,
            stride: self.stride,
            len: rows.len(),
        }
    }

    /// The vector behind the column, if it is all of one that nobody shares; else the column again.
    pub(super) fn into_sole(self) -> Result<Vec<T>, Self> {
        match self.buffer {
            Buffer::Own(buffer) if self.len == buffer.len() && self.stride == 1 => {
                Arc::try_unwrap(buffer).map_err(|buffer| Self {
                    buffer: Buffer::Own(buffer),
                    ..self
                })
            }
            buffer => Err(Self { buffer, ..self }),
        }
    }

    /// The vector that three columns share with nobody else, if each row of theirs is a row of that table; else the columns again.
    #[allow(
        clippy::result_large_err,
        reason = "what is not taken goes back, once a sample"
    )]
    pub(super) fn into_sole_table(columns: [Self; 3]) -> Result<Table<T>, [Self; 3]> {
        let [x, y, z] = &columns;
        let first = [x.first, y.first, z.first];
        let (width, len) = (x.stride, x.len);
        let sole = match (&x.buffer, &y.buffer, &z.buffer) {
            (Buffer::Own(x), Buffer::Own(y), Buffer::Own(z)) => {
                Arc::ptr_eq(x, y) && Arc::ptr_eq(x, z) && Arc::strong_count(x) == 3
            }
            _ => false,
        };
        let in_rows = first.iter().all(|&first| (first as isize) < width)
            && y.stride == width
            && z.stride == width;
        if !(sole && in_rows) {
            return Err(columns);
        }
        match columns {
            [
                Self {
                    buffer: Buffer::Own(values),
                    ..
                },
                y,
                z,
            ] => {
                drop((y, z));
                Ok(Table {
                    values: Arc::unwrap_or_clone(values),
                    width: width as usize,
                    first,
                    len,
                })
            }
            columns => Err(columns),
        }
    }
}

/// Rows of `width` numbers, three of which are columns.
pub(super) struct Table<T> {
    values: Vec<T>,
    width: usize,
    /// Where in a row each column stands.
    pub(super) first: [usize; 3],
    len: usize,
}

impl<T> Table<T> {
    /// The width of a row, and the rows; the last may end with its last column.
    pub(super) fn rows_mut(&mut self) -> (usize, &mut [T]) {
        let end = self.values.len().min(self.len * self.width);
        (self.width, &mut self.values[..end])
    }

    pub(super) fn into_columns(self) -> [Column<T>; 3] {
        let values = Arc::new(self.values);
        self.first.map(|first| Column {
            buffer: Buffer::Own(values.clone()),
            first,
            stride: self.width as isize,
            len: self.len,
        })
    }
}

/// The numbers of a buffer, in its own precision.
#[derive(Debug, Clone, Copy)]
enum Values<'a, T> {
    Same(&'a [T]),
    Singles(&'a [f32]),
}

impl<T> Values<'_, T> {
    fn len(&self) -> usize {
        match self {
            Self::Same(values) => values.len(),
            Self::Singles(values) => values.len(),
        }
    }

    fn run(self, places: Range<usize>) -> Self {
        match self {
            Self::Same(values) => Self::Same(&values[places]),
            Self::Singles(values) => Self::Singles(&values[places]),
        }
    }
}

/// A column seen by a loop: row `r` is element `first + r * stride` of `values`.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T = f64> {
    values: Values<'a, T>,
    first: usize,
    stride: isize,
    len: usize,
}

impl<T> Default for View<'_, T> {
    fn default() -> Self {
        Self {
            values: Values::Same(&[]),
            first: 0,
            stride: 1,
            len: 0,
        }
    }
}

impl<T> View<'_, T> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a, T: Copy + From<f32>> View<'a, T> {
    /// The value in row `row`.
    ///
    /// # Panics
    /// When `row` is not below the number of rows.
    #[inline]
    pub fn at(&self, row: usize) -> T {
        // Beyond the rows lies beyond the values: they end with the last row, and strides are not 0.
        let step = (row as isize).wrapping_mul(self.stride);
        let place = self.first.wrapping_add_signed(step);
        match self.values {
            Values::Same(values) => values[place],
            Values::Singles(values) => values[place].into(),
        }
    }

    /// The values in the order of the rows.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + Clone + 'a {
        (0..self.len).map(move |row| self.at(row))
    }

    /// The values as a slice, where they lie side by side in a buffer of their own kind.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        match self.values {
            Values::Same(values) if self.stride == 1 => Some(values),
            _ => None,
        }
    }

    /// A run of rows, which must not end beyond the last.
    pub(crate) fn rows(self, rows: Range<usize>) -> Self {
        debug_assert!(rows.start <= rows.end && rows.end <= self.len);
        if self.stride == 1 {
            return Self {
                len: rows.len(),
                values: self.values.run(rows),
                ..self
            };
        }
        // The values still end where the column does: only the first row moves.
        let step = (rows.start as isize).wrapping_mul(self.stride);
        Self {
            first: self.first.wrapping_add_signed(step),
            len: rows.len(),
            ..self
        }
    }
}

#[cfg(test)]
#[path = "column_tests.rs"]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests;
