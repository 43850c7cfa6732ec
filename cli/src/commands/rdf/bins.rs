//! The bins that `rdf` counts frames in: shells, or rings times heights.
//!
//! Entry: [`RdfBins`].

use albireo::binning::BinAxis;
use albireo::estimators::fluid::{BinsInSpace, BoxCorrection, Partials, Space, Species};
use albireo::{Binning, PairCounts, RBins, RpPiBins};
use anyhow::{Result, bail};

use super::flags::Plane;

/// Bins of which `rdf` makes tables.
pub(super) trait RdfBins: BinsInSpace {
    /// Partial functions without a frame.
    fn empty(&self, species: Species, plane: Option<Plane>) -> Result<Partials<Self>>;

    /// The space whose random pairs were counted.
    fn of_randoms(
        &self,
        randoms: &PairCounts<Self>,
        volume: f64,
        plane: Option<Plane>,
    ) -> Result<Space>;

    /// Integrals up to the upper edges.
    fn kirkwood_buff(
        partials: &Partials<Self>,
        pair: [usize; 2],
        correction: BoxCorrection,
    ) -> Result<Vec<f64>>;

    /// As functions of r, where bins are in r.
    fn of_r(partials: &Partials<Self>) -> Option<&Partials<RBins>>;

    /// The axes by the names that liquids have.
    fn named_axes(&self) -> Vec<BinAxis>;

    /// What the bins are called.
    fn statistic(&self) -> &'static str;
}

impl RdfBins for RBins {
    fn empty(&self, species: Species, plane: Option<Plane>) -> Result<Partials<Self>> {
        Ok(match plane {
            None => Partials::new(self, species)?,
            Some(_) => Partials::in_plane(self, species),
        })
    }

    fn of_randoms(
        &self,
        randoms: &PairCounts<Self>,
        volume: f64,
        plane: Option<Plane>,
    ) -> Result<Space> {
        Ok(match plane {
            None => Space::of_randoms(self, randoms, volume)?,
            Some(_) => Space::of_randoms_in_plane(self, randoms, volume)?,
        })
    }

    fn kirkwood_buff(
        partials: &Partials<Self>,
        pair: [usize; 2],
        correction: BoxCorrection,
    ) -> Result<Vec<f64>> {
        Ok(partials.kirkwood_buff(pair, correction)?)
    }

    fn of_r(partials: &Partials<Self>) -> Option<&Partials<RBins>> {
        Some(partials)
    }

    fn named_axes(&self) -> Vec<BinAxis> {
        self.axes()
    }

    fn statistic(&self) -> &'static str {
        "r"
    }
}

impl RdfBins for RpPiBins {
    fn empty(&self, species: Species, _: Option<Plane>) -> Result<Partials<Self>> {
        Ok(Partials::new(self, species)?)
    }

    fn of_randoms(
        &self,
        randoms: &PairCounts<Self>,
        volume: f64,
        _: Option<Plane>,
    ) -> Result<Space> {
        Ok(Space::of_randoms(self, randoms, volume)?)
    }

    fn kirkwood_buff(_: &Partials<Self>, _: [usize; 2], _: BoxCorrection) -> Result<Vec<f64>> {
        bail!("Kirkwood-Buff integrals are over bins in r")
    }

    fn of_r(_: &Partials<Self>) -> Option<&Partials<RBins>> {
        None
    }

    fn named_axes(&self) -> Vec<BinAxis> {
        let named = self.axes().into_iter().zip(["rho", "z"]);
        named
            .map(|(axis, name)| BinAxis::new(name, &axis.edges, axis.unit))
            .collect()
    }

    fn statistic(&self) -> &'static str {
        "rho-z"
    }
}
