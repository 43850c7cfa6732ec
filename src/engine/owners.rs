//! Which of the units of a job take a pair of rows.

use std::ops::Range;

use crate::traversal::Taking;

/// Which pairs of rows some units take.
pub(super) trait Owning: Sync {
    /// Whether one of them takes this pair of rows, in this order.
    fn holds(&self, pair: [usize; 2]) -> bool;
}

/// The pairs that a run of groups of particles takes.
#[derive(Debug)]
pub(super) struct Owners {
    pub(super) taking: Taking,
    pub(super) unit_of_row: Vec<u32>,
    pub(super) run: Range<usize>,
}

impl Owning for Owners {
    fn holds(&self, [i, j]: [usize; 2]) -> bool {
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
