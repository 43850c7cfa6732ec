//! Which of the units of a job take a pair of rows.

use std::ops::Range;

use crate::traversal::Taking;

/// Which units take which pairs of rows.
#[derive(Debug)]
pub(super) struct Owners {
    pub(super) taking: Taking,
    pub(super) unit_of_row: Vec<u32>,
    pub(super) run: Range<usize>,
}

impl Owners {
    /// Whether a unit of the run takes this pair of rows.
    pub(super) fn hold(&self, [i, j]: [usize; 2]) -> bool {
        let unit = |row: usize| self.unit_of_row[row] as usize;
        let own = unit(i);
        let owner = match self.taking {
            Taking::All => own,
            Taking::Later | Taking::Parity => {
                let other = unit(j);
                let takes = own == other || self.taking.takes(own, other);
                if takes { own } else { other }
            }
        };
        self.run.contains(&owner)
    }
}
