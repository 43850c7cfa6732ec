//! Equal cuboids of a periodic box.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cell within its axis"
)]

use super::{Regions, check_number, label_rows};
use crate::domain::Domain;
use crate::error::RegionsError;
use crate::particles::{Labels, Points};

/// The `n[0] x n[1] x n[2]` equal cuboids of an orthorhombic periodic box; cell (i, j, k) is region `(i*n[1] + j)*n[2] + k`.
///
/// Along each axis cell i is [i L/n, (i+1) L/n). The cells are all alike, so that what randoms without one of them would hold is known
/// ([`crate::estimators::CellRr`]).
///
/// ```
/// use albireo::regions::{Cells, Regions};
/// use albireo::{Domain, PeriodicBox, Points};
/// let cells = Cells::new(&Domain::Periodic(PeriodicBox::cubic(10.0)?), [2, 2, 2])?;
/// let labels = cells.labels(&Points::from_rows(&[[1.0, 6.0, 2.0], [5.0, 0.0, 9.9]])?)?;
/// assert_eq!(labels.values(), [2, 5]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    lengths: [f64; 3],
    n: [u32; 3],
    number: u32,
}

impl Cells {
    /// The cells of `domain`, so many along each axis.
    ///
    /// # Errors
    /// A domain that is no orthorhombic box with all axes periodic, or a number of cells that is not within 2 and
    /// [`crate::particles::MAX_LABELS`].
    pub fn new(domain: &Domain, n: [u32; 3]) -> Result<Self, RegionsError> {
        let Domain::Periodic(cell) = domain else {
            return Err(RegionsError::NoBox);
        };
        let [Some(x), Some(y), Some(z)] = cell.lengths() else {
            return Err(RegionsError::NoBox);
        };
        let number = n.iter().fold(1, |m: u64, &n| m.saturating_mul(n.into()));
        Ok(Self {
            lengths: [x, y, z],
            n,
            number: check_number(number)?,
        })
    }

    /// The lengths of the box.
    pub fn lengths(&self) -> [f64; 3] {
        self.lengths
    }

    /// Number of cells along each axis.
    pub fn shape(&self) -> [u32; 3] {
        self.n
    }

    fn of(&self, position: [f64; 3]) -> Option<u32> {
        let mut label = 0;
        for ((x, length), n) in position.into_iter().zip(self.lengths).zip(self.n) {
            if !(0.0..=length).contains(&x) {
                return None;
            }
            // What the division rounds up to the end of the box is in its last cell.
            let cell = ((x / length * f64::from(n)) as u32).min(n - 1);
            label = label * n + cell;
        }
        Some(label)
    }
}

impl Regions for Cells {
    fn number(&self) -> u32 {
        self.number
    }

    fn labels(&self, points: &Points) -> Result<Labels, RegionsError> {
        let view = points.view();
        let labels = label_rows(points.len(), |row| self.of(view.at(row)));
        let labels = labels.map_err(|row| RegionsError::Outside {
            row,
            position: points.at(row),
        })?;
        Ok(Labels::new(labels, self.number)?)
    }
}
