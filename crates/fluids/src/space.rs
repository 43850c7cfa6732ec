//! The space that the pairs of a frame live in: how large it is, and what part of each bin lies in it.
//!
//! Entry: [`Space`].

use albireo::binning::{Bins, RBins};
use albireo::error::EstimatorError;
use albireo::estimators::{self, RandomPairs, rings};

use crate::Result;

/// The volume of a frame (length units cubed; of bins in a plane its area, squared), and of each bin the part that pairs can be in.
///
/// A bin that lies whole in the space around every particle has the part 1. Cut ones: beyond half the box ([`Space::nearest_images`]) or
/// where space ends ([`Space::of_randoms`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    volume: f64,
    kept: Option<Vec<f64>>,
}

impl Space {
    /// A space of this volume, or area, around whose particles every bin lies whole.
    ///
    /// # Errors
    /// A volume that is not positive and finite.
    pub fn of_volume(volume: f64) -> Result<Self> {
        if volume > 0.0 && volume.is_finite() {
            return Ok(Self { volume, kept: None });
        }
        Err(EstimatorError::Needs(format!(
            "g(r) needs a positive, finite volume, found {volume}"
        )))
    }

    /// A space with walls, whose random pairs were counted or are known: g is then DD/RR.
    ///
    /// RR stands for bins and volume alike, so that with a `volume` of 1 g is as it is with any other; densities need the true one. A bin
    /// without a random pair has no g but NaN. Landy & Szalay (1993), DOI 10.1086/172900.
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo::engine::Cpu;
    /// use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};
    /// use albireo::engine::Silent;
    /// use albireo::{Domain, Edges, PairJob, Pairs, Particles, RBins, random};
    /// // A gas in an open cube: bins as wide as the cube are cut by its walls, for randoms as for the gas.
    /// let bins = RBins::new(Edges::linear(0.0, 1.0, 4)?);
    /// let count = |n, seed| -> Result<_, albireo::Error> {
    ///     let points = Particles::new(random::in_box(n, seed, [1.0; 3])?);
    ///     let job = PairJob::new(Pairs::Auto(&points), &Domain::Open)?;
    ///     Ok(count_pairs(&Cpu::new(), &job, &bins, &Silent)?)
    /// };
    /// let space = Space::of_randoms(&bins, &count(3000, 1)?, 1.0)?;
    /// let mut g = Partials::new(&bins, Species::within(1))?;
    /// g.add_frame(&Frame { counts: &[count(1000, 2)?], particles: &[1000], excluded: &[], space: &space, weight: 1.0 })?;
    /// assert!(g.g([0, 0], Normalisation::Pairs)?.iter().all(|g| (g - 1.0).abs() < 0.05));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Randoms in other bins, incomplete or none, or a volume that is not positive and finite.
    pub fn of_randoms(
        bins: impl Into<Bins>,
        randoms: &impl RandomPairs,
        volume: f64,
    ) -> Result<Self> {
        let bins = bins.into();
        Self::of_fractions(&bins, randoms, volume, &bin_volumes(&bins)?)
    }

    /// The same of randoms in a plane, in rings ([`Partials::in_plane`](super::Partials::in_plane)) and an area.
    ///
    /// # Errors
    /// As [`Space::of_randoms`].
    pub fn of_randoms_in_plane(
        bins: &RBins,
        randoms: &impl RandomPairs,
        area: f64,
    ) -> Result<Self> {
        Self::of_fractions(&bins.into(), randoms, area, &rings(bins.edges()))
    }

    fn of_fractions(
        binning: &Bins,
        randoms: &impl RandomPairs,
        volume: f64,
        whole: &[f64],
    ) -> Result<Self> {
        if randoms.binning() != binning {
            return Err(EstimatorError::Bins {
                left: "g(r)",
                right: "RR",
            });
        }
        Self::of_shares(&randoms.fractions("RR")?, volume, whole)
    }

    /// A space whose random pairs lie in the bins with these shares.
    pub(super) fn of_shares(shares: &[f64], volume: f64, whole: &[f64]) -> Result<Self> {
        let kept = shares
            .iter()
            .zip(whole)
            .map(|(share, bin)| share * volume / bin);
        Ok(Self::of_volume(volume)?.keeping(kept.collect()))
    }

    /// The same where these parts of the bins are left.
    pub(super) fn keeping(self, kept: Vec<f64>) -> Self {
        Self {
            kept: Some(kept),
            ..self
        }
    }

    /// The volume, or the area.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The part of each bin that pairs can be in; none where it is 1 for all.
    pub fn kept(&self) -> Option<&[f64]> {
        self.kept.as_deref()
    }
}

/// The volumes of whole bins.
pub(super) fn bin_volumes(binning: &Bins) -> Result<Vec<f64>> {
    estimators::bin_volumes(binning)?.ok_or_else(|| {
        EstimatorError::Needs(
            "g needs the library's own bins in r, (s, mu) or (rp, pi), whose volumes are known"
                .to_owned(),
        )
    })
}
