//! Layers of distance from the observer within regions of the sky.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places among points, which are numbered in 32 bits"
)]

use super::{Regions, check_number, label_rows};
use crate::error::RegionsError;
use crate::particles::{Labels, Points};
use crate::separation::norm2;

/// Layers around the origin, where the observer is, that hold nearly equal numbers of the points they are made of: between the k/M quantiles of
/// their distances (linear between neighbours in rank, as numpy's), half-open. The first begins at the observer, the last has no end.
///
/// ```
/// use albireo::regions::{Layers, Regions};
/// use albireo::{Labels, Points};
/// let points = Points::from_rows(&[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 6.0], [0.0, 9.0, 0.0]])?;
/// let layers = Layers::of(&points, 2)?;
/// assert_eq!(layers.between(), [4.0]);
/// assert_eq!(layers.labels(&points)?.values(), [0, 0, 1, 1]);
/// // Within each of other regions: region 1, layer 0 is number 2.
/// let halves = Labels::new(vec![0, 1, 0, 1], 2)?;
/// assert_eq!(layers.within(&halves, &points)?.values(), [0, 2, 1, 3]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    between: Vec<f64>,
}

/// The quantile `share` of rising values, of which there is one at least.
fn quantile(rising: &[f64], share: f64) -> f64 {
    let place = (rising.len() - 1) as f64 * share;
    let lower = place.floor();
    let k = lower as usize;
    let (a, b) = (rising[k], rising[(k + 1).min(rising.len() - 1)]);
    let (step, part) = (b - a, place - lower);
    if part < 0.5 {
        a + step * part
    } else {
        b - step * (1.0 - part)
    }
}

impl Layers {
    /// So many layers of the distances of points.
    ///
    /// # Errors
    /// [`RegionsError::Number`]: fewer than two, or more than [`crate::particles::MAX_LABELS`]; [`RegionsError::FewPoints`] for that.
    pub fn of(points: &Points, number: u32) -> Result<Self, RegionsError> {
        check_number(u64::from(number))?;
        if points.len() < number as usize {
            return Err(RegionsError::FewPoints {
                regions: number,
                points: points.len(),
            });
        }
        let view = points.view();
        let distances = (0..points.len()).map(|row| norm2(view.at(row)).sqrt());
        let mut rising: Vec<f64> = distances.collect();
        rising.sort_unstable_by(f64::total_cmp);
        let share = 1.0 / f64::from(number);
        let between = (1..number).map(|k| quantile(&rising, f64::from(k) * share));
        Ok(Self {
            between: between.collect(),
        })
    }

    /// The distances between neighbouring layers, rising.
    pub fn between(&self) -> &[f64] {
        &self.between
    }

    /// The layers within each of other regions of the same points: layer r of region k is number `k * M + r`, M the number of layers.
    ///
    /// # Errors
    /// As [`Regions::labels`]; [`RegionsError::Number`]: more than [`crate::particles::MAX_LABELS`] of them.
    pub fn within(&self, regions: &Labels, points: &Points) -> Result<Labels, RegionsError> {
        let all = u64::from(regions.number()) * u64::from(self.number());
        let all = check_number(all)?;
        let layers = self.labels(points)?;
        let both = regions.values().iter().zip(layers.values());
        let labels = both.map(|(region, layer)| region * self.number() + layer);
        Ok(Labels::new(labels.collect(), all)?)
    }
}

impl Regions for Layers {
    fn number(&self) -> u32 {
        self.between.len() as u32 + 1
    }

    fn labels(&self, points: &Points) -> Result<Labels, RegionsError> {
        let view = points.view();
        let label = |row: usize| {
            let distance = norm2(view.at(row)).sqrt();
            Some(self.between.partition_point(|&edge| edge <= distance) as u32)
        };
        let labels = label_rows(points.len(), label).unwrap_or_default();
        Ok(Labels::new(labels, self.number())?)
    }
}
