//! The groups of all samples, numbered alike.
//!
//! Entry: [`number`]. Columns hold any integers; the library compares 32-bit numbers.

#![allow(
    clippy::cast_possible_truncation,
    reason = "groups are numbered in 32 bits"
)]

use albireo::particles::Groups;

use crate::error::Result;
use crate::sample::Sample;

/// Gives the particles of each sample that has them their groups: equal integers are one group, in whichever sample they stand.
pub(crate) fn number(samples: &mut [Sample]) -> Result<()> {
    let columns = samples.iter().filter_map(|sample| sample.groups.as_ref());
    let mut known: Vec<i128> = columns.flatten().copied().collect();
    known.sort_unstable();
    known.dedup();
    for sample in samples {
        let Some(column) = sample.groups.take() else {
            continue;
        };
        // All of them are known, and there are no more than particles, which 32 bits number.
        let place = |value: &i128| known.partition_point(|known| known < value) as u32;
        let groups = Groups::new(column.iter().map(place).collect());
        let particles = std::mem::take(&mut sample.particles);
        sample.particles = particles.grouped(groups)?;
    }
    Ok(())
}
