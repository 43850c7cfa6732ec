//! Regions that samples are cut into, so that what scatters between them can be measured.
//!
//! Entry: [`Regions`], made of one sample (the randoms) and applied to all: [`Centres`] by k-means, [`Pixels`] of `HEALPix`, [`Cells`] of a
//! box, [`Values`] of a column, [`Shells`] of distance and [`Layers`] of it within regions of the sky. They give labels; callers count by them. [`Footprint`] is the
//! part of the sky that the pixels of a sample cover, for random directions.

mod cells;
mod footprint;
mod healpix;
mod k_means;
mod layers;
mod shells;
mod values;

pub use cells::Cells;
pub use footprint::{Footprint, MAX_FOOTPRINT_NSIDE};
pub use healpix::{MAX_NSIDE, PixelOrder, Pixels};
pub use k_means::Centres;
pub use layers::Layers;
pub use shells::Shells;
pub use values::Values;

use crate::error::RegionsError;
use crate::particles::{Labels, MAX_LABELS, Particles, Points};
use crate::pool;

/// A rule that says for every position which region it lies in.
pub trait Regions: std::fmt::Debug {
    /// Number of regions.
    fn number(&self) -> u32;

    /// The region of each point, in the order of the rows.
    ///
    /// # Errors
    /// A point that lies in none.
    fn labels(&self, points: &Points) -> Result<Labels, RegionsError>;

    /// The particles with their regions as labels.
    ///
    /// # Errors
    /// As [`Regions::labels`].
    fn label(&self, particles: Particles) -> Result<Particles, RegionsError> {
        let labels = self.labels(particles.points())?;
        Ok(particles.labelled(labels)?)
    }
}

/// Refuses numbers of regions that no jackknife can be made of.
fn check_number(found: u64) -> Result<u32, RegionsError> {
    match u32::try_from(found) {
        Ok(number) if (2..=MAX_LABELS).contains(&number) => Ok(number),
        _ => Err(RegionsError::Number {
            found,
            limit: MAX_LABELS,
        }),
    }
}

/// Rows that a thread labels at a time: each may have to be compared with every region.
const STRETCH: usize = 1024;

/// A label for each row by all threads, or the first row without one.
fn label_rows(n: usize, label: impl Fn(usize) -> Option<u32> + Sync) -> Result<Vec<u32>, usize> {
    let stretch = |k: usize| {
        let mut rows = k * STRETCH..n.min((k + 1) * STRETCH);
        rows.try_fold(Vec::with_capacity(STRETCH), |mut labels, row| {
            labels.push(label(row).ok_or(row)?);
            Ok(labels)
        })
    };
    let labels = pool::each(n.div_ceil(STRETCH), stretch).into_iter();
    let labels: Result<Vec<_>, _> = labels.collect();
    labels.map(|labels| labels.concat())
}
