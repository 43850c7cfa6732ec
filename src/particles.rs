//! Samples of particles: positions and weights, checked once.
//!
//! Entry: [`Particles`]. It knows no domain: [`crate::Domain::place`] tells whether positions lie inside one.

mod bits;
mod column;
mod extremes;
mod groups;
mod labels;
mod moved;
mod points;
mod shared;
mod strided;
mod sums;
mod weight_sets;

pub(crate) use bits::WORD_BITS;
pub use bits::{Bits, MAX_BIT_WORDS};
pub use column::{Column, View};
pub(crate) use extremes::{Extremes, greater, largest_magnitude, lesser};
pub use groups::Groups;
pub use labels::{Labels, MAX_LABELS};
pub use points::{Points, PointsView};

use albireo_simd::fixed_point::{FRACTION_BITS, REST_BITS};

use crate::error::ParticlesError;
use sums::RememberedSums;

/// Largest number of particles in one sample: indices are 32-bit, with room for padding.
pub const MAX_PARTICLES: usize = i32::MAX as usize;

// A total can hold every pair of two samples of any size.
const _: () = {
    let pairs = (MAX_PARTICLES as u128).pow(2);
    assert!(pairs << (FRACTION_BITS + REST_BITS) < 1 << 127);
};

/// Refuses more rows than indices can number.
pub(crate) fn check_number(rows: usize) -> Result<(), ParticlesError> {
    if rows > MAX_PARTICLES {
        return Err(ParticlesError::TooMany {
            rows,
            limit: MAX_PARTICLES,
        });
    }
    Ok(())
}

/// Number of unordered pairs within `n` particles.
pub(crate) fn pairs_within(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Where run number `k` begins when `n` rows are cut into `of` runs of nearly equal length.
pub(crate) fn run_start(n: usize, k: usize, of: usize) -> usize {
    (n as u128 * k as u128 / of as u128) as usize
}

fn magnitude_sum(weights: &Column) -> f64 {
    weights.iter().map(f64::abs).sum()
}

/// Refuses weights that are not one finite number a position, or add up beyond float64.
fn check_weights(points: &Points, weights: &Column) -> Result<(), ParticlesError> {
    if weights.len() != points.len() {
        return Err(ParticlesError::UnequalLengths {
            first: "position",
            first_rows: points.len(),
            second: "weight",
            second_rows: weights.len(),
        });
    }
    let magnitudes = magnitude_sum(weights);
    if magnitudes.is_finite() {
        return Ok(());
    }
    Err(match weights.iter().position(|w| !w.is_finite()) {
        Some(row) => ParticlesError::NotFinite {
            column: "weight",
            row,
            value: weights.at(row),
        },
        None => ParticlesError::WeightRange {
            what: "the sum of the weights' magnitudes",
            found: magnitudes,
        },
    })
}

/// What each particle counts for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Weights {
    /// Every particle counts 1.
    #[default]
    Unit,
    /// One finite weight a particle, in the order of the positions; negative weights are allowed.
    PerParticle(Column),
}

/// Positions with their weights.
///
/// ```
/// use albireo::{Particles, Points};
/// let points = Points::from_rows(&[[0.0; 3], [1.0; 3]])?;
/// let galaxies = Particles::weighted(points, vec![0.5, 2.0])?;
/// assert_eq!(galaxies.weight_sum(), 2.5);
/// assert_eq!(galaxies.weight_square_sum(), 4.25);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Particles {
    points: Points,
    weights: Weights,
    sums: RememberedSums,
    /// The weights of sets 1 and up.
    further: Vec<Weights>,
    labels: Option<Labels>,
    groups: Option<Groups>,
    bits: Option<Bits>,
    /// What expressions over pairs take of each particle.
    columns: Vec<Column>,
}

impl Particles {
    /// Particles of unit weight.
    pub fn new(points: Points) -> Self {
        Self {
            points,
            weights: Weights::Unit,
            sums: RememberedSums::default(),
            further: vec![],
            labels: None,
            groups: None,
            bits: None,
            columns: vec![],
        }
    }

    /// Particles with one weight each.
    ///
    /// # Errors
    /// A number of weights other than the number of positions, a weight that is NaN or infinite, or weights whose magnitudes add up
    /// beyond float64.
    pub fn weighted(points: Points, weights: Vec<f64>) -> Result<Self, ParticlesError> {
        Self::with_weights(points, Column::from(weights))
    }

    /// Particles with one weight each, in whose buffer the weights stay.
    ///
    /// # Errors
    /// As [`Particles::weighted`].
    pub fn with_weights(points: Points, weights: Column) -> Result<Self, ParticlesError> {
        check_weights(&points, &weights)?;
        Ok(Self {
            weights: Weights::PerParticle(weights),
            ..Self::new(points)
        })
    }

    /// Refuses what has not one entry a particle.
    pub(crate) fn check_rows(
        &self,
        second: &'static str,
        second_rows: usize,
    ) -> Result<(), ParticlesError> {
        if second_rows == self.len() {
            return Ok(());
        }
        Err(ParticlesError::UnequalLengths {
            first: "position",
            first_rows: self.len(),
            second,
            second_rows,
        })
    }

    /// The same particles with a label each.
    ///
    /// # Errors
    /// A number of labels other than the number of positions.
    pub fn labelled(self, labels: Labels) -> Result<Self, ParticlesError> {
        self.check_rows("label", labels.values().len())?;
        Ok(Self {
            labels: Some(labels),
            ..self
        })
    }

    /// The same particles in groups.
    ///
    /// # Errors
    /// A number of group members other than the number of positions.
    pub fn grouped(self, groups: Groups) -> Result<Self, ParticlesError> {
        self.check_rows("group", groups.values().len())?;
        Ok(Self {
            groups: Some(groups),
            ..self
        })
    }

    /// The same particles with bits each.
    ///
    /// # Errors
    /// A number of rows other than the number of positions.
    pub fn with_bits(self, bits: Bits) -> Result<Self, ParticlesError> {
        self.check_rows("bits", bits.len())?;
        Ok(Self {
            bits: Some(bits),
            ..self
        })
    }

    /// The same particles with columns of numbers, which expressions over pairs take ([`crate::tally::PairProgram`]).
    ///
    /// # Errors
    /// A number of rows other than the number of positions, or a number that is NaN or infinite.
    pub fn with_columns(self, columns: Vec<Column>) -> Result<Self, ParticlesError> {
        for column in &columns {
            self.check_rows("column of an expression", column.len())?;
            if let Some(row) = column.iter().position(|value| !value.is_finite()) {
                return Err(ParticlesError::NotFinite {
                    column: "column of an expression",
                    row,
                    value: column.at(row),
                });
            }
        }
        Ok(Self { columns, ..self })
    }

    /// The columns that expressions over pairs take.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The bits, where there are any.
    pub fn bits(&self) -> Option<&Bits> {
        self.bits.as_ref()
    }

    /// The groups, where there are any.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// The labels, where there are any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The positions.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The same positions, labels and groups with other weights, one each, and without bits.
    pub(crate) fn reweighted(&self, weights: Vec<f64>) -> Result<Self, ParticlesError> {
        let weighted = Self::weighted(self.points.clone(), weights)?;
        Ok(Self {
            labels: self.labels.clone(),
            groups: self.groups.clone(),
            columns: self.columns.clone(),
            ..weighted
        })
    }

    /// The same weights on the positions that `to` makes of these, one for one; they are nobody else's then, if they were not before.
    pub(crate) fn try_map_points<E>(
        self,
        to: impl FnOnce(Points) -> Result<Points, E>,
    ) -> Result<Self, E> {
        let number = self.points.len();
        let points = to(self.points)?;
        debug_assert_eq!(points.len(), number);
        Ok(Self { points, ..self })
    }

    /// The particles in a run of rows, in the same buffers.
    pub(crate) fn rows(&self, rows: std::ops::Range<usize>) -> Self {
        let of_rows = |weights: &Weights| match weights {
            Weights::Unit => Weights::Unit,
            Weights::PerParticle(w) => Weights::PerParticle(w.rows(rows.clone())),
        };
        let weights = of_rows(&self.weights);
        let further = self.further.iter().map(of_rows).collect();
        Self {
            further,
            labels: self.labels.as_ref().map(|labels| labels.rows(rows.clone())),
            groups: self.groups.as_ref().map(|groups| groups.rows(rows.clone())),
            bits: self.bits.as_ref().map(|bits| bits.rows(rows.clone())),
            columns: self
                .columns
                .iter()
                .map(|column| column.rows(rows.clone()))
                .collect(),
            points: self.points.rows(rows),
            weights,
            sums: RememberedSums::default(),
        }
    }

    /// The particles seen as unit vectors, for angular counts.
    ///
    /// # Errors
    /// A position at the origin.
    pub fn directions(self) -> Result<Self, ParticlesError> {
        self.try_map_points(Points::into_directions)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_with_their_rows() -> Result<(), crate::Error> {
        let of_groups = |groups: &[u32]| {
            let points = Points::from_rows(&[[0.5; 3]; 5])?;
            Ok::<_, crate::Error>(Particles::new(points).grouped(Groups::new(groups.to_vec()))?)
        };
        let sample = of_groups(&[3, 1, 1, 2, 4])?;
        assert_eq!(sample, of_groups(&[3, 1, 1, 2, 4])?);
        assert_ne!(sample, of_groups(&[3, 1, 1, 2, 2])?);
        let part = sample.rows(1..5).rows(1..3);
        let groups = part.groups().map(Groups::values);
        assert_eq!(groups, Some(&[1, 2][..]));
        Ok(())
    }

    #[test]
    fn samples_are_as_large_as_their_indices_and_no_larger() {
        assert_eq!(check_number(MAX_PARTICLES), Ok(()));
        let error = check_number(MAX_PARTICLES + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a sample holds at most 2147483647 particles, found 2147483648"
        );
        let n = MAX_PARTICLES as u128;
        assert_eq!(
            u128::from(pairs_within(MAX_PARTICLES as u64)),
            n * (n - 1) / 2
        );
        assert_eq!([0, 1, 2, 3].map(pairs_within), [0, 0, 1, 3]);
    }

    #[test]
    fn runs_are_nearly_equal_at_any_size() {
        for of in [1, 2, 7, 1000, u32::MAX as usize] {
            for k in [0, of / 3, of / 2, of - 1] {
                let (from, to) = (
                    run_start(MAX_PARTICLES, k, of),
                    run_start(MAX_PARTICLES, k + 1, of),
                );
                let even = MAX_PARTICLES / of;
                assert!((even..=even + 1).contains(&(to - from)), "{k} of {of}");
            }
            assert_eq!(run_start(MAX_PARTICLES, of, of), MAX_PARTICLES);
        }
    }

    #[test]
    fn sums_of_weights_are_held_to_their_range() {
        let check = |weights: Vec<f64>| {
            let points = Points::from_rows(&vec![[0.0; 3]; weights.len()]).unwrap();
            let sample = Particles::weighted(points, weights).unwrap();
            sample
                .check_weight_sums()
                .map_err(|error| error.to_string())
        };
        for fine in [vec![1.0, -3.0], vec![1e-150, 0.0], vec![1e150; 3]] {
            assert_eq!(check(fine), Ok(()));
        }
        assert_eq!(
            check(vec![0.5, 0.25, -0.75]).unwrap_err(),
            "the weights of the 3 particles add up to zero: nothing to normalise by"
        );
        let range =
            "the square of the sum of the weights' magnitudes must lie within the range of float64";
        assert_eq!(
            check(vec![1e160, -9e159]).unwrap_err(),
            format!("{range}, found inf")
        );
        assert_eq!(
            check(vec![3e-170, 0.0]).unwrap_err(),
            format!("{range}, found 0e0")
        );
        assert!(
            check(vec![1e-160; 4]).is_err(),
            "subnormal squares have lost digits"
        );
        let points = Points::from_rows(&[[0.0; 3]]).unwrap();
        assert_eq!(Particles::new(points).check_weight_sums(), Ok(()));
    }

    #[test]
    fn arrays_of_any_strides_have_three_columns() {
        let grid = ndarray::Array2::from_shape_fn((4, 6), |(i, j)| (10 * i + j) as f64);
        let strided = grid.slice(ndarray::s![1..4;2, ..;-2]);
        let points = Points::from_array(strided).unwrap();
        assert_eq!(
            [points.at(0), points.at(1)],
            [[15.0, 13.0, 11.0], [35.0, 33.0, 31.0]]
        );
        for columns in [0, 1, 2, 4] {
            let wide = ndarray::Array2::<f64>::zeros((5, columns));
            let error = Points::from_array(wide.view()).unwrap_err();
            assert_eq!(error, ParticlesError::Columns(columns));
        }
        assert!(
            Points::from_array(ndarray::Array2::<f32>::zeros((0, 3)).view())
                .unwrap()
                .is_empty()
        );
        let mut bad = ndarray::Array2::<f32>::zeros((3, 3));
        bad[[2, 1]] = f32::NAN;
        let error = Points::from_array(bad.view()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "y must be finite: found NaN in row 2 (counting from 0)"
        );
    }

    #[test]
    fn refusals_name_the_column_and_the_row() {
        let error = Points::new(vec![0.0; 3], vec![0.0, f64::NAN, 0.0], vec![0.0; 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "y must be finite: found NaN in row 1 (counting from 0)"
        );
        let error = Points::new(vec![0.0; 3], vec![0.0; 3], vec![0.0; 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "columns of one sample must be equally long: x has 3 rows, z has 2"
        );
        let points = Points::from_rows(&[[0.0; 3]]).unwrap();
        let error = Particles::weighted(points.clone(), vec![f64::INFINITY]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weight must be finite: found inf in row 0 (counting from 0)"
        );
        assert!(Particles::weighted(points.clone(), vec![]).is_err());
        let two = Points::from_rows(&[[0.0; 3]; 2]).unwrap();
        let error = Particles::weighted(two, vec![1e308, -1e308]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the sum of the weights' magnitudes must lie within the range of float64, found inf"
        );
        assert_eq!(
            points.directions().unwrap_err(),
            ParticlesError::NoDirection { row: 0 }
        );
    }
}
