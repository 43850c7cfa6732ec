//! `albireo result`: operations on saved results.
//!
//! Entry: [`SavedResults`]. Nothing is counted here: tables in, tables out, and the record says what they were made of.

mod amounts;
mod combine;
mod covariance;
mod grid;
mod mean;
mod parts;
mod realisations;
mod rebin;
mod saved;
mod settings;
mod sum;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::record::Arguments;

/// Arguments of `result`.
#[derive(Debug, Args)]
pub(crate) struct SavedResults {
    #[command(subcommand)]
    operation: Operation,
}

/// What to do with them.
#[derive(Debug, Subcommand)]
enum Operation {
    /// The covariance of estimates over mocks: results of one measurement, one a realisation
    #[command(after_help = "The covariance of N realisations is \
1/(N-1) sum (x - mean)(x - mean)^T. Its inverse is biased: the record and standard error name the Hartlap factor (N-P-2)/(N-1) of P bins, \
which it is to be multiplied by (Hartlap et al. 2007).")]
    Covariance(covariance::OverMocks),
    /// Put parts of the sky together, such as the galactic caps: xi, multipoles or wp of all, with a jackknife over all regions
    #[command(
        after_help = "Each count of a part is brought to the total of its random pairs and added to those of the others, \
xi is estimated of the sums, and the regions of all parts are left out one at a time. Pairs between the parts are not counted."
    )]
    Combine(combine::Combine),
    /// Put neighbouring bins of pair counts together: the counts of the coarser bins, exactly
    #[command(
        after_help = "Pairs are added as integers. Weights, which tables hold as float64, are added in float64, and means of \
separations are weighted by the numbers of pairs."
    )]
    Rebin(rebin::Rebin),
    /// Keep the bins within a range
    #[command(
        after_help = "Only whole bins are kept, as they are. Totals and normalisations stay those of all pairs."
    )]
    Slice(rebin::Slice),
    /// Add the pair counts of several realisations
    #[command(
        after_help = "Pairs and their totals are added as integers. Weights, which tables hold as float64, are added in float64, \
and means of separations are weighted by the numbers of pairs."
    )]
    Sum(sum::Sum),
}

impl SavedResults {
    /// Does it.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        match self.operation {
            Operation::Covariance(covariance) => covariance.run(arguments),
            Operation::Combine(combine) => combine.run(arguments),
            Operation::Rebin(rebin) => rebin.run(arguments),
            Operation::Slice(slice) => slice.run(arguments),
            Operation::Sum(sum) => sum.run(arguments),
        }
    }
}
