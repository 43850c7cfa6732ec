//! Some rows of a sample, as a sample of their own: every so many, or those of some labels.

#![allow(
    clippy::cast_possible_truncation,
    reason = "labels are numbered in 32 bits"
)]

use rayon::prelude::*;

use super::{Bits, Column, Groups, Labels, Particles, Points, Weights};
use crate::error::ParticlesError;
use crate::pool;

/// Rows that are worth a thread's while.
const STRETCH: usize = 1 << 12;

impl Particles {
    /// The rows `first`, `first + step`, `first + 2 step` and so on, with all that belongs to them; they are copied.
    ///
    /// ```
    /// use albireo::{Particles, Points};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3], [4.0; 3]])?;
    /// let third = Particles::weighted(points, vec![1.0, 2.0, 3.0, 4.0, 5.0])?.strided(1, 3)?;
    /// assert_eq!((third.points().at(1), third.weight_sum()), ([4.0; 3], 7.0));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Weights whose magnitudes add up beyond float64, which those of all rows do then as well.
    ///
    /// # Panics
    /// A step of 0.
    pub fn strided(&self, first: usize, step: usize) -> Result<Self, ParticlesError> {
        let behind = self.len().saturating_sub(first);
        self.picked(behind.div_ceil(step), &|k| first + k * step)
    }

    /// The rows whose label is one of these, labelled by its place among them; without labels there are none.
    ///
    /// ```
    /// use albireo::{Labels, Particles, Points};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0; 3], [2.0; 3], [3.0; 3]])?;
    /// let atoms = Particles::new(points).labelled(Labels::new(vec![0, 2, 1, 2], 3)?)?;
    /// let some = atoms.of_labels(&[2, 0])?;
    /// assert_eq!(some.labels().map(Labels::values), Some(&[1, 0, 0][..]));
    /// assert_eq!(some.points().at(2), [3.0; 3]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Particles::strided`].
    pub fn of_labels(&self, wanted: &[u32]) -> Result<Self, ParticlesError> {
        let values = self.labels.as_ref().map_or(&[][..], Labels::values);
        let place = |label: u32| wanted.iter().position(|&other| other == label);
        let rows: Vec<usize> = (0..values.len())
            .filter(|&row| place(values[row]).is_some())
            .collect();
        let labels = rows.iter().filter_map(|&row| place(values[row]));
        let labels = labels.map(|place| place as u32).collect();
        let picked = self.picked(rows.len(), &|k| rows[k])?;
        picked.labelled(Labels::new(labels, wanted.len() as u32)?)
    }

    /// The rows that take part in realisation `k`, without their bits; all of them where there are no bits.
    ///
    /// ```
    /// use albireo::particles::Bits;
    /// use albireo::{Particles, Points};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0; 3], [2.0; 3]])?;
    /// let draws = Particles::new(points).with_bits(Bits::new(vec![0b01, 0b10, 0b11], 1)?)?;
    /// assert_eq!((draws.of_realisation(1)?.len(), draws.of_realisation(2)?.len()), (2, 0));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Particles::strided`].
    pub fn of_realisation(&self, k: usize) -> Result<Self, ParticlesError> {
        let Some(bits) = &self.bits else {
            return Ok(self.clone());
        };
        let rows = bits.rows_with(k);
        let all = Self {
            bits: None,
            ..self.clone()
        };
        all.picked(rows.len(), &|at| rows[at] as usize)
    }

    /// `n` rows, of which `row` tells each, with all that belongs to them; they are copied.
    pub(crate) fn picked(
        &self,
        n: usize,
        row: &(dyn Fn(usize) -> usize + Sync),
    ) -> Result<Self, ParticlesError> {
        let rows = || (0..n).map(row);
        let of = |column: &Column| {
            let column = column.view();
            let value = |k: usize| column.at(row(k));
            let parallel = || {
                let rows = (0..n).into_par_iter().with_min_len(STRETCH);
                rows.map(value).collect::<Vec<_>>()
            };
            Column::from(pool::run(parallel, || (0..n).map(value).collect()))
        };
        let points = Points::from_checked(self.points.columns().map(of));
        let mut strided = match &self.weights {
            Weights::Unit => Self::new(points),
            Weights::PerParticle(weights) => Self::with_weights(points, of(weights))?,
        };
        let of_rows = |weights: &Weights| match weights {
            Weights::Unit => Weights::Unit,
            Weights::PerParticle(weights) => Weights::PerParticle(of(weights)),
        };
        strided = strided.with_weight_sets(self.further.iter().map(of_rows).collect())?;
        if let Some(labels) = &self.labels {
            let values = rows().map(|row| labels.values()[row]).collect();
            strided = strided.labelled(Labels::new(values, labels.number())?)?;
        }
        if let Some(groups) = &self.groups {
            let values = rows().map(|row| groups.values()[row]).collect();
            strided = strided.grouped(Groups::new(values))?;
        }
        if let Some(bits) = &self.bits {
            let words = rows().flat_map(|row| bits.row(row).iter().copied());
            strided = strided.with_bits(Bits::new(words.collect(), bits.per_row())?)?;
        }
        strided.with_columns(self.columns.iter().map(of).collect())
    }
}
