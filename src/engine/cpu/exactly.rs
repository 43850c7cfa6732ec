//! Counts by the exact rule alone, pair by pair.
//!
//! Entry: [`Run::run_exactly`].

use super::Run;
use super::units::share_units;
use crate::error::EngineError;
use crate::progress::Lasting;
use crate::tally::{Merge, Tally, Terms};
use crate::traversal::BlockPair;

impl Run<'_> {
    /// Takes every pair in reach through the exact rule: for cuts that are not taken off, and more sums than lanes can number.
    pub(super) fn run_exactly(
        &self,
        terms: &Terms<'_>,
        progress: &Lasting<'_>,
    ) -> Result<Tally, EngineError> {
        let walk = self.walk();
        let tallies = share_units(&walk, progress, |units, stop| {
            let mut tally = terms.empty();
            for unit in units {
                walk.visit(unit, &mut |blocks| {
                    if !stop() {
                        self.add_blocks(terms, &mut tally, blocks);
                    }
                });
            }
            tally
        })?;
        let mut total = terms.empty();
        for tally in tallies {
            total.merge(tally);
        }
        Ok(total)
    }

    fn add_blocks(&self, terms: &Terms<'_>, tally: &mut Tally, blocks: BlockPair) {
        let (first, second) = (&self.first, self.second());
        blocks.for_each_pair(first, second, |i, j| {
            if let Some(sep) = self.separation_under([i, j], blocks.translation.image) {
                let pair = [first.row(i) as usize, second.row(j) as usize];
                terms.add(tally, pair, &sep);
            }
        });
    }
}
