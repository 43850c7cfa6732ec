//! Shells of distance from the observer.

#![allow(
    clippy::cast_possible_truncation,
    reason = "shells are numbered in 32 bits"
)]

use super::{Regions, label_rows};
use crate::binning::Edges;
use crate::error::RegionsError;
use crate::particles::{Labels, MAX_LABELS, Points};
use crate::separation::norm2;

/// Shells around the origin, where the observer is: shell k holds the distances `[e_k, e_k+1)`, compared squared.
///
/// Unlike regions that are left out one at a time there may be one of them, and some may be empty; every point must lie in one.
///
/// ```
/// use albireo::regions::{Regions, Shells};
/// use albireo::{Edges, Points};
/// let points = Points::from_rows(&[[3.0, 4.0, 0.0], [0.0, 0.0, 2.0], [0.0, 6.0, 8.0]])?;
/// let shells = Shells::new(Edges::new(vec![0.0, 5.0, 20.0])?)?;
/// assert_eq!(shells.labels(&points)?.values(), [1, 0, 1]);
/// // Of equal thickness, from the nearest point to the farthest.
/// assert_eq!(Shells::across(&points, 4)?.labels(&points)?.values(), [1, 0, 3]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shells {
    edges: Edges,
}

fn check_number(found: usize) -> Result<(), RegionsError> {
    if (1..=MAX_LABELS as usize).contains(&found) {
        return Ok(());
    }
    let (found, limit) = (found as u64, MAX_LABELS);
    Err(RegionsError::Shells { found, limit })
}

impl Shells {
    /// Shells between these distances, in the unit of the positions.
    ///
    /// # Errors
    /// [`RegionsError::Shells`]: more than [`MAX_LABELS`] of them.
    pub fn new(edges: Edges) -> Result<Self, RegionsError> {
        check_number(edges.values().len() - 1)?;
        Ok(Self { edges })
    }

    /// So many shells of equal thickness, the first of which holds the nearest of the points and the last the farthest.
    ///
    /// # Errors
    /// [`RegionsError::Shells`]: none, or more than [`MAX_LABELS`] of them; [`RegionsError::FewPoints`] without a point.
    pub fn across(points: &Points, number: u32) -> Result<Self, RegionsError> {
        check_number(number as usize)?;
        let view = points.view();
        let squares = (0..points.len()).map(|row| norm2(view.at(row)));
        let ends = squares.fold([f64::INFINITY, 0.0], |[lo, hi]: [f64; 2], r2| {
            [lo.min(r2), hi.max(r2)]
        });
        // A root is within half a unit in the last place: one more holds the point for any rounding of its square.
        let [lo, hi] = [
            ends[0].sqrt().next_down().max(0.0),
            ends[1].sqrt().next_up(),
        ];
        let edges = Edges::linear(lo, hi, number as usize);
        let few = RegionsError::FewPoints {
            regions: number,
            points: points.len(),
        };
        Ok(Self {
            edges: edges.map_err(|_| few)?,
        })
    }

    /// The distances between which they lie.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }
}

impl Regions for Shells {
    fn number(&self) -> u32 {
        (self.edges.values().len() - 1) as u32
    }

    fn labels(&self, points: &Points) -> Result<Labels, RegionsError> {
        let view = points.view();
        let label = |row: usize| self.edges.locate(norm2(view.at(row))).map(|k| k as u32);
        let labels =
            label_rows(points.len(), label).map_err(|row| RegionsError::OutsideShells {
                row,
                distance: norm2(view.at(row)).sqrt(),
                lo: self.edges.first(),
                hi: self.edges.last(),
            })?;
        Ok(Labels::new(labels, self.number())?)
    }
}
