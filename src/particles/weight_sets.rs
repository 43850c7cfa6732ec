//! Further weights of the same particles: what one traversal of pairs sums beside the first.
//!
//! Entry: [`Particles::with_weight_sets`] and [`Particles::of_weight_set`].

use super::{Particles, RememberedSums, Weights, check_weights};
use crate::error::ParticlesError;

impl Particles {
    /// The same particles with further sets of weights, numbered from 1; the weights there are stay set 0.
    ///
    /// ```
    /// use albireo::{Particles, Points, Weights};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0; 3]])?;
    /// let galaxies = Particles::weighted(points, vec![0.5, 2.0])?;
    /// let fkp = Weights::PerParticle(vec![0.25, 0.5].into());
    /// let galaxies = galaxies.with_weight_sets(vec![fkp, Weights::Unit])?;
    /// assert_eq!(galaxies.weight_sets(), 3);
    /// assert_eq!(galaxies.of_weight_set(1).weight_sum(), 0.75);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Particles::weighted`], of any set.
    pub fn with_weight_sets(self, further: Vec<Weights>) -> Result<Self, ParticlesError> {
        for weights in &further {
            if let Weights::PerParticle(column) = weights {
                check_weights(&self.points, column)?;
            }
        }
        Ok(Self { further, ..self })
    }

    /// Number of sets of weights, at least one.
    pub fn weight_sets(&self) -> usize {
        1 + self.further.len()
    }

    /// The weights of a set; those of a sample that has but one are its weights in every set.
    pub fn weights_of_set(&self, set: usize) -> &Weights {
        match set.checked_sub(1) {
            Some(at) if !self.further.is_empty() => self.further.get(at).unwrap_or(&self.weights),
            _ => &self.weights,
        }
    }

    /// The same particles, in the same buffers, with the weights of a set ([`Particles::weights_of_set`]) and no further ones.
    #[must_use]
    pub fn of_weight_set(&self, set: usize) -> Self {
        let sums = if set == 0 || self.further.is_empty() {
            self.sums.clone()
        } else {
            RememberedSums::default()
        };
        Self {
            weights: self.weights_of_set(set).clone(),
            sums,
            further: vec![],
            ..self.clone()
        }
    }
}
