//! How a region is left out of a sample, and which regions a bootstrap draws.
//!
//! Entry: [`Jackknife`], [`bootstrap_draws`]. Both say how often pairs count, and see none.

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
    /// A part of their weight stays, so that pairs across regions scatter as pairs within them do. Mohammad & Percival 2021,
    /// DOI 10.1093/mnras/stac1458.
    ///
    /// Totals keep that weight too, as counts in bins do. Where most pairs of a bin lie within regions and xi is large, the density of a
    /// region is then taken off by `alpha` only, and variances come out small: 0.4 to 0.9 of the scatter of strongly clustered mocks in
    /// periodic boxes, where [`Jackknife::Standard`] gives 0.8 to 1.1.
    MohammadPercival,
}

impl Jackknife {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Standard, Self::MohammadPercival];

    /// `standard` or `mohammad-percival`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::MohammadPercival => "mohammad-percival",
        }
    }

    /// The share of those pairs' weight that is taken off with one of `n` regions: 1, or `n/(2 + sqrt(2) (n - 1))`.
    pub fn alpha(self, n: usize) -> f64 {
        let n = n as f64;
        match self {
            Self::Standard => 1.0,
            Self::MohammadPercival => n / (2.0 + std::f64::consts::SQRT_2 * (n - 1.0)),
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
/// # Ok::<(), albireo::EstimatorError>(())
/// ```
///
/// # Errors
/// [`EstimatorError::Needs`]: fewer than two regions or realisations.
pub fn bootstrap_draws(
    regions: usize,
    realisations: u32,
    seed: u64,
) -> Result<impl Iterator<Item = Vec<u32>>, EstimatorError> {
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
