//! Grids whose axes are those of their frame: points by their fractions along each axis.
//!
//! Entry: [`AlignedGrid`].

use std::ops::Range;

use super::frame::{Stretch, square_along};
use super::job::FieldJob;
use super::targets::Targets;

/// More than the roundings of a distance to a stretch of points, relative.
const SLACK: f64 = 1e-9;

/// How far points of even grids may be off, in distances of neighbours.
const UNEVEN: f64 = 1e-4;

/// A grid along the axes of its frame.
#[derive(Debug, Clone)]
pub(crate) struct AlignedGrid {
    along: [Vec<u64>; 3],
    units: [f64; 3],
}

impl AlignedGrid {
    /// The grid of a job, if it is one along the axes of the frame.
    pub(crate) fn of(job: &FieldJob) -> Option<Self> {
        let Targets::Grid(grid) = job.targets() else {
            return None;
        };
        let units = job.frame().aligned()?;
        grid.spacing()?;
        let mut along: [Vec<u64>; 3] = Default::default();
        for (axis, along) in along.iter_mut().enumerate() {
            for k in 0..grid.shape()[axis] {
                let mut at = [0; 3];
                at[axis] = k;
                along.push(job.frame().fraction_along(axis, grid.at(at)[axis])?);
            }
        }
        Some(Self { along, units })
    }

    /// The vectors of the frame over 2^64, each along its axis.
    pub(crate) fn units(&self) -> [f64; 3] {
        self.units
    }

    /// The fractions of the points along an axis.
    pub(crate) fn along(&self, axis: usize) -> &[u64] {
        &self.along[axis]
    }

    /// The distance of neighbours along an axis, if no point is off from equal distances by more than 1e-4 of it.
    pub(crate) fn even(&self, axis: usize) -> Option<f64> {
        let (along, unit) = (&self.along[axis], self.units[axis]);
        let (&first, &last) = (along.first()?, along.last()?);
        if along.len() == 1 {
            return Some(1.0);
        }
        // Points come in the order of the axis, and from a period on they come again.
        let step = last.wrapping_sub(first) as f64 / (along.len() - 1) as f64;
        let is_off = |(k, &point): (usize, &u64)| {
            let at = point.wrapping_sub(first) as f64;
            (at - k as f64 * step).abs() > UNEVEN * step
        };
        let even = step > 0.0 && !along.iter().enumerate().any(is_off);
        even.then_some(step * unit)
    }

    /// Points by their numbers along an axis, of which there are some.
    pub(crate) fn stretch(&self, axis: usize, points: Range<usize>) -> Stretch {
        let centre = self.along[axis][points.start + points.len() / 2];
        self.round(axis, points, centre)
    }

    /// The same with the place in the middle between the first and the last, where no point need be.
    pub(crate) fn middle(&self, axis: usize, points: Range<usize>) -> Stretch {
        let along = &self.along[axis];
        let (first, last) = (along[points.start], along[points.end - 1]);
        let half = last.wrapping_sub(first).cast_signed() / 2;
        self.round(axis, points, first.wrapping_add_signed(half))
    }

    fn round(&self, axis: usize, points: Range<usize>, centre: u64) -> Stretch {
        let away = |&point: &u64| square_along(self.units[axis], point, centre).sqrt();
        let farthest = self.along[axis][points].iter().map(away);
        // Where points are far from each other, what is left of a difference of distances has their roundings.
        let half = farthest.fold(0.0, f64::max) * (1.0 + SLACK);
        Stretch { centre, half }
    }
}
