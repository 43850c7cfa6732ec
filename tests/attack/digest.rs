//! One number for the integers of many cases in any order.
//!
//! Entry: [`Digest`]. Two builds that draw the same cases and count the same print the same one.

use albireo::tally::Tally;

/// The sum of a hash of each case, the same on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Adds the integers of case `number`, hashed by FNV-1a (Fowler, Noll & Vo).
    pub fn add(&mut self, number: u64, integers: impl Iterator<Item = i128>) {
        let integers = std::iter::once(i128::from(number)).chain(integers);
        let hash = integers
            .flat_map(i128::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        self.0 = self.0.wrapping_add(hash);
    }

    /// Adds the pairs and sums of case `number`.
    pub fn add_tally(&mut self, number: u64, tally: &Tally) {
        let pairs = tally.pairs().iter().map(|&pairs| i128::from(pairs));
        let sums = (0..tally.n_sums()).flat_map(|at| tally.sum(at).iter().copied());
        self.add(number, pairs.chain(sums));
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "digest {:016x}", self.0)
    }
}
