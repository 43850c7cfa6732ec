//! The mean separation in each bin, on top of another operation.

use super::{BinSums, CoordinateSums, PairOp, Payload, Tally, add_all};
use crate::binning::Binning;
use crate::fixed_point::{exponent, quantise, scaled};
use crate::separation::Separation;

/// Adds to a count the sum of the binning's coordinate (r, s, rp or theta) over the pairs of each bin.
///
/// The sum is made of fixed-point terms, so it does not depend on the order of the pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanSeparation<O> {
    op: O,
    exponent: i32,
}

impl<O: PairOp<Output = Tally>> MeanSeparation<O> {
    /// Extends `op`.
    pub fn new(op: O) -> Self {
        let exponent = exponent(op.binning().coordinate_limit());
        Self { op, exponent }
    }

    /// The exponent of the coordinate: every coordinate in a bin is at most `2^exponent`.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }
}

impl<O: PairOp<Output = Tally>> PairOp for MeanSeparation<O> {
    type Binning = O::Binning;
    type Output = Tally;

    fn binning(&self) -> &O::Binning {
        self.op.binning()
    }

    fn empty(&self) -> Tally {
        let tally = self.op.empty();
        Tally {
            coordinate: Some(vec![0; tally.npairs.len()]),
            ..tally
        }
    }

    fn add(&self, output: &mut Tally, bin: usize, pair: [usize; 2], sep: &Separation) {
        self.op.add(output, bin, pair, sep);
        if let Some(sums) = &mut output.coordinate {
            let coordinate = self.binning().coordinate(sep);
            sums[bin] += i128::from(quantise(scaled(coordinate, self.exponent)));
        }
    }

    fn payload(&self) -> Payload<'_> {
        Payload::Separation
    }

    fn add_sums(&self, output: &mut Tally, sums: BinSums<'_>) {
        self.op.add_sums(output, sums);
    }

    fn coordinate_sums(&self) -> Option<CoordinateSums<'_>> {
        Some(CoordinateSums {
            exponent: self.exponent,
            beside: self.op.payload(),
        })
    }

    fn add_coordinates(&self, output: &mut Tally, sums: &[i128]) {
        if let Some(coordinate) = &mut output.coordinate {
            add_all(coordinate, sums);
        }
    }
}
