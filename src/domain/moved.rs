//! Particles moved along an axis, as peculiar velocities do in redshift space.
//!
//! Entry: [`Particles::moved_along`]. Where the box closes again is decided by [`Domain::place`](super::Domain::place).

use super::Axis;
use crate::error::ParticlesError;
use crate::particles::{Particles, Points};

impl Particles {
    /// The same particles, each moved along an axis by its own length, as peculiar velocities do in redshift space.
    ///
    /// ```
    /// use albireo::{Axis, Particles, Points};
    /// let particles = Particles::new(Points::from_rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?);
    /// let moved = particles.moved_along(Axis::Z, &[0.5, -1.0])?;
    /// assert_eq!(moved.points().at(1), [4.0, 5.0, 5.0]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of lengths than of particles; positions that are not finite then.
    pub fn moved_along(self, axis: Axis, lengths: &[f64]) -> Result<Self, ParticlesError> {
        self.check_rows("length", lengths.len())?;
        self.try_map_points(|points| {
            let mut columns = points.columns().map(Clone::clone);
            let along = &mut columns[axis.index()];
            let moved = along.iter().zip(lengths).map(|(x, length)| x + length);
            *along = moved.collect::<Vec<f64>>().into();
            Points::from_columns(columns)
        })
    }
}
