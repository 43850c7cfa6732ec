//! Arrays of Python as columns that stay in their buffers.
//!
//! Entry: [`column`]. Kinds of arrays and their conversions are told in `python/albireo/arrays.py`: here all are float64.

#![allow(
    clippy::cast_possible_wrap,
    reason = "strides are those of an array in memory"
)]

use std::ptr::NonNull;
use std::sync::Arc;

use albireo::Column;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The memory that an array spans, kept alive and in place by the buffer that was asked of it.
struct Span {
    first: NonNull<f64>,
    len: usize,
    _buffer: PyBuffer<f64>,
}

// SAFETY: what it points to is read only and lives as long as the buffer, which may be released on any thread: PyBuffer sees to the interpreter.
unsafe impl Send for Span {}
// SAFETY: as above; nothing is written through it.
unsafe impl Sync for Span {}

impl AsRef<[f64]> for Span {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: `first` is aligned and `len` float64 from it on belong to the exported buffer, see `column`. As with every library that reads
        // arrays without the interpreter's lock, the program must not write to an array while it is counted; documented for callers.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

/// A one-dimensional array of native float64 of any stride, as a column in its memory.
pub(crate) fn column(array: &Bound<'_, PyAny>) -> PyResult<Column> {
    let refused = |what: String| PyValueError::new_err(what);
    let buffer = PyBuffer::<f64>::get(array)?;
    if buffer.dimensions() != 1 {
        let found = buffer.dimensions();
        return Err(refused(format!(
            "a column has one dimension, found {found}"
        )));
    }
    let (len, step) = (buffer.shape()[0], buffer.strides()[0]);
    let size = size_of::<f64>() as isize;
    if len == 0 {
        return Ok(Column::default());
    }
    if len > 1 && (step == 0 || step % size != 0) {
        return Err(refused(format!(
            "a column cannot have a stride of {step} bytes"
        )));
    }
    let stride = if len == 1 { 1 } else { step / size };
    let steps = len - 1;
    let span = steps * stride.unsigned_abs() + 1;
    let below = if stride < 0 { span - 1 } else { 0 };
    let start = buffer.buf_ptr().cast::<f64>();
    if start.is_null() || !start.is_aligned() {
        return Err(refused(
            "a column must lie at an address of float64".to_owned(),
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
    let column = Column::strided(Arc::new(span), below, stride, len);
    column.map_err(|error| refused(error.to_string()))
}
