//! Sizes of kernels as examples take them.

use albireo::engine::cuda::Tuning;

/// `THREADS,POINTS,TILE`, from the left as many as there are; the engine chooses the others.
pub(crate) fn tuning(shape: &str) -> Result<Tuning, std::num::ParseIntError> {
    let mut tuning = Tuning::default();
    let sizes = [&mut tuning.threads, &mut tuning.points, &mut tuning.tile];
    let texts = shape.split(',').filter(|text| !text.is_empty());
    for (size, text) in sizes.into_iter().zip(texts) {
        *size = text.parse()?;
    }
    Ok(tuning)
}
