//! The columns of all samples that are compared for equality, numbered alike.
//!
//! Entry: [`number`].

use albireo::particles::Column;

use crate::error::Result;
use crate::identities::coded;
use crate::sample::Sample;

/// Gives the particles of each sample the codes of its columns, behind its other columns.
pub(crate) fn number(samples: &mut [Sample]) -> Result<()> {
    let all = samples.iter().flat_map(|sample| &sample.identities);
    let mut codes = coded(all).into_iter();
    for sample in samples.iter_mut().filter(|s| !s.identities.is_empty()) {
        let particles = std::mem::take(&mut sample.particles);
        let mut columns = particles.columns().to_vec();
        let number = std::mem::take(&mut sample.identities).len();
        columns.extend(codes.by_ref().take(number).map(Column::from));
        sample.particles = particles.with_columns(columns)?;
    }
    Ok(())
}
