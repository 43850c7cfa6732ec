//! The group that each particle belongs to, such as its molecule.
//!
//! Entry: [`Groups`].

use std::ops::Range;
use std::sync::Arc;

/// One number a particle: particles with the same number are in one group. Any numbers, any number of groups; slices share the buffer.
#[derive(Debug, Clone)]
pub struct Groups {
    values: Arc<Vec<u32>>,
    rows: Range<usize>,
}

impl PartialEq for Groups {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl Groups {
    /// The group of each row.
    pub fn new(values: Vec<u32>) -> Self {
        Self {
            rows: 0..values.len(),
            values: Arc::new(values),
        }
    }

    /// One group a row.
    pub fn values(&self) -> &[u32] {
        &self.values[self.rows.clone()]
    }

    /// The groups of a run of rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> Self {
        let start = self.rows.start;
        Self {
            values: Arc::clone(&self.values),
            rows: start + rows.start..start + rows.end,
        }
    }
}
