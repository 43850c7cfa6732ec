//! Arrays of Python as columns that stay in their buffers.
//!
//! Entry: [`column`]. Kinds of arrays and their conversions are found in `python/albireo/arrays.py`: here all are native float64 or float32.

#![allow(
    clippy::cast_possible_wrap,
    reason = "strides are those of an array in memory"
)]

use std::ptr::NonNull;
use std::sync::Arc;

use albireo::particles::Column;
use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The memory that an array spans, kept alive and in place by the buffer that was asked of it.
struct Span<T: Element> {
    first: NonNull<T>,
    len: usize,
    _buffer: PyBuffer<T>,
}

// SAFETY: what it points to is read only and lives as long as the buffer, which may be released on any thread: PyBuffer sees to the interpreter.
unsafe impl<T: Element + Sync> Send for Span<T> {}
// SAFETY: as above; nothing is written through it.
unsafe impl<T: Element + Sync> Sync for Span<T> {}

impl<T: Element> AsRef<[T]> for Span<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `first` is aligned and `len` numbers from it on belong to the exported buffer, see `span`. As with every library that reads
        // arrays without the interpreter's lock, the program must not write to an array while it is counted; documented for callers.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

/// Where the rows of an array lie in the memory that it spans: the first of them, the step to the next, and their number.
type Rows = (usize, isize, usize);

fn refused(what: String) -> PyErr {
    PyValueError::new_err(what)
}

/// The memory of a one-dimensional array with at least one row, and where its rows lie in it.
fn span<T: Element>(buffer: PyBuffer<T>) -> PyResult<(Span<T>, Rows)> {
    let (len, step) = (buffer.shape()[0], buffer.strides()[0]);
    let size = size_of::<T>() as isize;
    if len > 1 && (step == 0 || step % size != 0) {
        return Err(refused(format!(
            "a column cannot have a stride of {step} bytes"
        )));
    }
    let stride = if len == 1 { 1 } else { step / size };
    let steps = len - 1;
    let span = steps * stride.unsigned_abs() + 1;
    let below = if stride < 0 { span - 1 } else { 0 };
    let start = buffer.buf_ptr().cast::<T>();
    if start.is_null() || !start.is_aligned() {
        return Err(refused(
            "a column must lie at an address of its numbers".to_owned(),
        ));
    }
    // SAFETY: the exporter states `len` elements `step` bytes apart from `start` on; with a negative step the last of them, `below` elements
    // before `start`, is the lowest, and all of the span lies in the exporter's one allocation.
    let first = unsafe { start.sub(below) };
    let first = NonNull::new(first).ok_or_else(|| refused("a column has no memory".to_owned()))?;
    let span = Span {
        first,
        len: span,
        _buffer: buffer,
    };
    Ok((span, (below, stride, len)))
}

/// A one-dimensional array of native float64 or float32 of any stride, as a column in its memory.
pub(crate) fn column(array: &Bound<'_, PyAny>) -> PyResult<Column> {
    let buffer = PyUntypedBuffer::get(array)?;
    if buffer.dimensions() != 1 {
        let found = buffer.dimensions();
        return Err(refused(format!(
            "a column has one dimension, found {found}"
        )));
    }
    if buffer.shape()[0] == 0 {
        return Ok(Column::default());
    }
    let column = if buffer.item_size() == size_of::<f32>() {
        let (span, (first, stride, len)) = span::<f32>(buffer.into_typed()?)?;
        Column::of_singles(Arc::new(span), first, stride, len)
    } else {
        let (span, (first, stride, len)) = span::<f64>(buffer.into_typed()?)?;
        Column::strided(Arc::new(span), first, stride, len)
    };
    column.map_err(|error| refused(error.to_string()))
}
