//! Flat values seen along the axes of their bins.

use ndarray::{ArrayView1, ArrayViewD};

/// A view of `values` in this shape, the last axis varying fastest; flat where their number is not the shape's.
pub(crate) fn shaped<'a, T>(values: &'a [T], shape: &[usize]) -> ArrayViewD<'a, T> {
    let flat = || ArrayView1::from(values).into_dyn();
    let number = shape.iter().try_fold(1, |n: usize, &m| n.checked_mul(m));
    if number != Some(values.len()) {
        return flat();
    }
    ArrayViewD::from_shape(shape, values).unwrap_or_else(|_| flat())
}
