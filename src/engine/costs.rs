//! What pairs cost by what is counted of them.
//!
//! Entry: [`Costs`].

use crate::binning::Binning;
use crate::tally::Sums;

/// What a pair costs, in the time of one that is counted in a few bins in r.
pub(super) struct Costs {
    /// More bins than registers hold, or sums of weights.
    scattered: f64,
    two_coordinates: f64,
    weighted: f64,
    /// Sums of separations or of polynomials of mu, of which every pair takes float64.
    separations: f64,
}

pub(super) const CPU_COSTS: Costs = Costs {
    scattered: 1.9,
    two_coordinates: 1.3,
    weighted: 1.6,
    separations: 100.0,
};
#[cfg(feature = "cuda")]
pub(super) const GPU_COSTS: Costs = Costs {
    scattered: 1.5,
    two_coordinates: 1.4,
    weighted: 1.3,
    separations: 9.0,
};
/// The most bins that the CPU counts in registers.
const FEW_BINS: usize = 32;

impl Costs {
    /// The cost of a pair in the bins of `binning`.
    pub(super) fn of<B: Binning>(&self, binning: &B, sums: Sums) -> f64 {
        let factors = [
            (binning.n_bins() > FEW_BINS || sums.weights, self.scattered),
            (binning.axes().len() > 1, self.two_coordinates),
            (sums.weights, self.weighted),
            (sums.separations || !sums.have_kernels(), self.separations),
        ];
        let factor = |(applies, factor)| if applies { factor } else { 1.0 };
        factors.into_iter().map(factor).product::<f64>()
    }
}
