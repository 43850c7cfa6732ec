//! Pairs per bin.

use super::{BinSums, PairOp, Payload, Tally, add_all};
use crate::binning::Binning;
use crate::separation::Separation;

/// Counts the pairs in each bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Count<B> {
    binning: B,
}

impl<B: Binning> Count<B> {
    /// Counts in these bins.
    pub fn new(binning: B) -> Self {
        Self { binning }
    }
}

impl<B: Binning> PairOp for Count<B> {
    type Binning = B;
    type Output = Tally;

    fn binning(&self) -> &B {
        &self.binning
    }

    fn empty(&self) -> Tally {
        Tally {
            npairs: vec![0; self.binning.n_bins()],
            ..Tally::default()
        }
    }

    #[inline]
    fn add(&self, output: &mut Tally, bin: usize, _: [usize; 2], _: &Separation) {
        output.npairs[bin] += 1;
    }

    fn payload(&self) -> Payload<'_> {
        Payload::Count
    }

    fn add_sums(&self, output: &mut Tally, sums: BinSums<'_>) {
        add_all(&mut output.npairs, sums.npairs);
    }
}
