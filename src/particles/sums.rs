//! Exact sums over the weights of a sample, made when they are first asked for.
//!
//! Entry: [`Particles::weight_sum`], [`Particles::weight_square_sum`] and [`Particles::check_weight_sums`].

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Column, Particles, Weights, magnitude_sum};
use crate::error::ParticlesError;
use crate::exact_sum::ExactSum;
use crate::pool;

/// The sums of a sample's weights and of their squares, once they are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    sum: f64,
    squares: f64,
}

/// Sums that are kept: every count of a sample is normalised by them. Copies of a sample share them, whichever asks first.
#[derive(Debug, Clone, Default)]
pub(super) struct RememberedSums(Arc<OnceLock<Sums>>);

/// They follow from the weights, and whether they are known already makes no difference.
impl PartialEq for RememberedSums {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl RememberedSums {
    fn of(&self, weights: &Column) -> Sums {
        let view = weights.view();
        let part = |rows: Range<usize>| {
            let (mut sum, mut squares) = (ExactSum::default(), ExactSum::default());
            for w in view.rows(rows).iter() {
                sum.add(w);
                squares.add_square(w);
            }
            (sum, squares)
        };
        let join = |mut a: (ExactSum, ExactSum), b: (ExactSum, ExactSum)| {
            a.0.merge(&b.0);
            a.1.merge(&b.1);
            a
        };
        *pool::once(&self.0, || {
            let (sum, squares) = pool::fold(weights.len(), part, join);
            Sums {
                sum: sum.value(),
                squares: squares.value(),
            }
        })
    }
}

impl Particles {
    /// Sum of the weights, exact and rounded once.
    pub fn weight_sum(&self) -> f64 {
        match &self.weights {
            Weights::Unit => self.len() as f64,
            Weights::PerParticle(w) => self.sums.of(w).sum,
        }
    }

    /// Checks that weighted counts of these particles can be normalised; unit weights always can.
    ///
    /// ```
    /// use albireo::error::ParticlesError;
    /// use albireo::{Particles, Points};
    /// let weighted = |w| Particles::weighted(Points::from_rows(&[[0.0; 3], [1.0; 3]])?, w);
    /// assert!(weighted(vec![1.0, 3.0])?.check_weight_sums().is_ok());
    /// let cancel = weighted(vec![1.0, -1.0])?.check_weight_sums();
    /// assert_eq!(cancel, Err(ParticlesError::ZeroWeight { rows: 2 }));
    /// let huge = weighted(vec![1e200, 1e200])?.check_weight_sums();
    /// assert!(matches!(huge, Err(ParticlesError::WeightRange { .. })));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Weights that add up to zero, or the sum of whose magnitudes has a square beyond float64's range of normal numbers.
    pub fn check_weight_sums(&self) -> Result<(), ParticlesError> {
        let Weights::PerParticle(weights) = &self.weights else {
            return Ok(());
        };
        if self.weight_sum() == 0.0 {
            return Err(ParticlesError::ZeroWeight { rows: self.len() });
        }
        let sum = magnitude_sum(weights);
        if (sum * sum).is_normal() {
            return Ok(());
        }
        Err(ParticlesError::WeightRange {
            what: "the square of the sum of the weights' magnitudes",
            found: sum * sum,
        })
    }

    /// Sum of the squared weights, exact and rounded once.
    pub fn weight_square_sum(&self) -> f64 {
        match &self.weights {
            Weights::Unit => self.len() as f64,
            Weights::PerParticle(w) => self.sums.of(w).squares,
        }
    }
}
