//! How a region is left out of a sample, and which regions a bootstrap draws.
//!
//! Entry: [`Jackknife`], [`bootstrap_draws`]. Both say how often pairs count, and see none.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a uniform number below 1 picks a region"
)]

use super::Result;
use crate::error::EstimatorError;
use crate::random::Stream;

/// What becomes of the pairs with one point in the region that a realisation leaves out.
///
/// ```
/// use albireo::estimators::Jackknife;
/// assert_eq!(Jackknife::Standard.alpha(100), 1.0);
/// assert!((Jackknife::MohammadPercival.alpha(100) - 0.7041).abs() < 1e-4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Jackknife {
    /// They are left out with it: each realisation is a smaller sample. Norberg et al. 2009,
    /// DOI 10.1111/j.1365-2966.2009.14389.x. Large where such pairs are many: at separations near the size of a region, and for pairs
    /// limited by shot noise.
    #[default]
    Standard,
    /// A part of their weight stays, so that pairs across regions scatter as pairs within them do. Mohammad & Percival 2022,
    /// MNRAS 514, 1289, DOI 10.1093/mnras/stac1458.
    ///
    /// Totals keep that weight too, as counts in bins do, and as pycorr has it. The number of particles in a region is then taken off by
    /// `alpha` only: where xi is large, most pairs of a bin lie within regions and go up and down with those particles, and variances come
    /// out small, 0.5 to 0.9 of the scatter of strongly clustered mocks. [`Jackknife::MohammadPercivalPairs`] has no such fault.
    MohammadPercival,
    /// The same part of their weight stays in the bins, and totals are those of the samples without the region: what pairs are
    /// normalised by is measured without it whole. Variances are within 10 % of the scatter of clustered mocks at separations below half a
    /// region, strongly clustered or not.
    MohammadPercivalPairs,
}

impl Jackknife {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::Standard,
        Self::MohammadPercival,
        Self::MohammadPercivalPairs,
    ];

    /// `standard`, `mohammad-percival` or `mohammad-percival-pairs`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::MohammadPercival => "mohammad-percival",
            Self::MohammadPercivalPairs => "mohammad-percival-pairs",
        }
    }

    /// The share of those pairs' weight that is taken off the bins with one of `n` regions: 1, or `n/(2 + sqrt(2) (n - 1))`.
    pub fn alpha(self, n: usize) -> f64 {
        let n = n as f64;
        match self {
            Self::Standard => 1.0,
            Self::MohammadPercival | Self::MohammadPercivalPairs => {
                n / (2.0 + std::f64::consts::SQRT_2 * (n - 1.0))
            }
        }
    }

    /// The share of their weight that is taken off the totals.
    ///
    /// ```
    /// use albireo::estimators::Jackknife;
    /// let kind = Jackknife::MohammadPercivalPairs;
    /// assert_eq!((kind.alpha(10), kind.alpha_of_totals(10)), (Jackknife::MohammadPercival.alpha(10), 1.0));
    /// ```
    pub fn alpha_of_totals(self, n: usize) -> f64 {
        match self {
            Self::MohammadPercivalPairs => 1.0,
            _ => self.alpha(n),
        }
    }
}

/// How often each of `regions` regions is drawn in each of `realisations` samples of as many regions, with replacement.
///
/// Sample i depends on (seed, i) alone.
///
/// ```
/// let draws: Vec<Vec<u32>> = albireo::estimators::bootstrap_draws(5, 3, 7)?.collect();
/// assert!(draws.iter().all(|times| times.iter().sum::<u32>() == 5));
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// [`EstimatorError::Needs`]: fewer than two regions or realisations.
pub fn bootstrap_draws(
    regions: usize,
    realisations: u32,
    seed: u64,
) -> Result<impl Iterator<Item = Vec<u32>>> {
    if regions < 2 || realisations < 2 {
        return Err(EstimatorError::Needs(format!(
            "a bootstrap needs at least 2 regions and 2 realisations, found {regions} and {realisations}"
        )));
    }
    let stream = Stream::new(seed);
    let draw = move |realisation: u32| {
        let stream = stream.child(u64::from(realisation));
        let mut times = vec![0; regions];
        for k in 0..regions as u64 {
            // Below `regions` for any number below 1, as their product rounds to no more than the next float below it.
            times[(stream.uniform(k) * regions as f64) as usize] += 1;
        }
        times
    };
    Ok((0..realisations).map(draw))
}
