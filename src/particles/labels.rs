//! An integer for each particle: its species, or the region of the sky that it lies in.
//!
//! Entry: [`Labels`].

use std::ops::Range;
use std::sync::Arc;

use crate::error::ParticlesError;

/// The most labels of a sample: blocks of points are pure in label, so that each label costs a block at least.
pub const MAX_LABELS: u32 = 4096;

/// One integer a particle, each below the number of labels; slices share the buffer.
///
/// ```
/// use albireo::Labels;
/// let labels = Labels::new(vec![0, 2, 1, 0], 3)?;
/// assert_eq!((labels.number(), labels.values()), (3, &[0, 2, 1, 0][..]));
/// assert!(Labels::new(vec![0, 3], 3).is_err());
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Labels {
    values: Arc<Vec<u32>>,
    rows: Range<usize>,
    number: u32,
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && self.values() == other.values()
    }
}

impl Labels {
    /// Labels below `number`, in the order of the rows.
    ///
    /// # Errors
    /// A label from `number` up, or more than [`MAX_LABELS`] of them.
    pub fn new(values: Vec<u32>, number: u32) -> Result<Self, ParticlesError> {
        if number > MAX_LABELS {
            return Err(ParticlesError::TooManyLabels {
                number,
                limit: MAX_LABELS,
            });
        }
        if let Some(row) = values.iter().position(|&label| label >= number) {
            return Err(ParticlesError::Label {
                row,
                label: values[row],
                number,
            });
        }
        Ok(Self {
            rows: 0..values.len(),
            values: Arc::new(values),
            number,
        })
    }

    /// Number of labels that there are, used or not.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// One label a row.
    pub fn values(&self) -> &[u32] {
        &self.values[self.rows.clone()]
    }

    /// The labels of a run of rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> Self {
        let start = self.rows.start;
        Self {
            rows: start + rows.start..start + rows.end,
            ..self.clone()
        }
    }
}
