//! What `rdf` asks of the bins that it counts frames in: shells, or rings times heights.

use albireo::binning::BinAxis;
use albireo::{Axis, Bins, Counts, Domain};
use albireo_fluids::{BoxCorrection, Partials, Space, Species, Walls};
use anyhow::{Result, bail};

use super::flags::Plane;

/// Partial functions without a frame.
pub(super) fn empty(bins: &Bins, species: Species, plane: Option<Plane>) -> Result<Partials> {
    Ok(match (bins.as_r(), plane) {
        (Some(rings), Some(_)) => Partials::in_plane(rings, species),
        _ => Partials::new(bins, species)?,
    })
}

/// The space whose random pairs were counted.
pub(super) fn space_of_randoms(
    bins: &Bins,
    randoms: &Counts,
    volume: f64,
    plane: Option<Plane>,
) -> Result<Space> {
    Ok(match (bins.as_r(), plane) {
        (Some(rings), Some(_)) => Space::of_randoms_in_plane(rings, randoms, volume)?,
        _ => Space::of_randoms(bins, randoms, volume)?,
    })
}

/// The space between walls; of rings in the plane across an axis, walls as they are seen along it.
pub(super) fn space_between_walls(
    bins: &Bins,
    walls: &Walls,
    domain: &Domain,
    plane: Option<Axis>,
) -> Result<Space> {
    Ok(match plane {
        None => Space::between_walls(bins, walls, domain)?,
        Some(normal) => Space::between_walls_in_plane(bins, walls, domain, normal)?,
    })
}

/// Integrals up to the upper edges.
pub(super) fn kirkwood_buff(
    partials: &Partials,
    pair: [usize; 2],
    correction: BoxCorrection,
) -> Result<Vec<f64>> {
    if partials.binning().as_r().is_none() {
        bail!("Kirkwood-Buff integrals are over bins in r");
    }
    Ok(partials.kirkwood_buff(pair, correction)?)
}

/// The axes by the names that liquids have.
pub(super) fn named_axes(bins: &Bins) -> Vec<BinAxis> {
    let axes = bins.axes();
    if bins.as_rp_pi().is_none() {
        return axes;
    }
    let named = axes.into_iter().zip(["rho", "z"]);
    named
        .map(|(axis, name)| BinAxis::new(name, &axis.edges, axis.unit))
        .collect()
}

/// What the bins are called.
pub(super) fn statistic(bins: &Bins) -> &'static str {
    match bins {
        Bins::RpPi(_) => "rho-z",
        other => other.name(),
    }
}
