//! The bins of `rdf` where they are not given, and what it asks of those that it counts frames in: shells, or rings times heights.

use albireo::binning::BinAxis;
use albireo::{Axis, Bins, Counts, Domain};
use albireo_fluids::{BoxCorrection, Partials, Space, Species, Walls};
use albireo_samples::Unit;
use anyhow::{Result, bail};

use super::flags::Plane;
use crate::text::short;
use crate::usage::usage;

/// The width of bins where neither they nor their number are given, in Angstrom: 0.002 nm, as in `gmx rdf`.
const WIDTH: f64 = 0.02;
/// The most bins of that width: more are a sign of positions that are not those of atoms.
const MOST: f64 = 1e6;

/// The largest separation.
#[derive(Debug, Clone, Copy)]
pub(super) enum RMax {
    At(f64),
    /// As far as the smallest box allows.
    Half,
}

impl std::str::FromStr for RMax {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "half" {
            return Ok(Self::Half);
        }
        let number = text.parse().map(Self::At);
        number.map_err(|_| format!("expected a number or `half`, found `{text}`"))
    }
}

/// Half the smallest box, as bins reach where that is asked for, and otherwise too.
pub(super) fn half_of_the_box(half: f64, is_asked: bool) -> Result<f64> {
    if half.is_finite() {
        if is_asked {
            tracing::info!("--r-max half: {half}");
        }
        return Ok(half);
    }
    Err(usage(if is_asked {
        "--r-max half needs a box: space is open"
    } else {
        "rdf needs --r-max R, such as --r-max 10: space is open, without a box to take half of"
    }))
}

/// The end and the number of bins of the default width between two separations: the end is a multiple of it where none is asked for.
pub(super) fn of_default_width(
    (r_min, r_max): (f64, f64),
    asked: Option<RMax>,
    unit: Option<&str>,
) -> Result<(f64, usize)> {
    let length = unit.and_then(|unit| unit.parse::<Unit>().ok());
    let width = length.and_then(|length| Unit::ANGSTROM.factor_to(&length, None).ok());
    let Some(width) = width.map(|factor| WIDTH * factor) else {
        let positions = match unit {
            None => "the positions have no unit: --unit nm or --unit Angstrom states it".to_owned(),
            Some(unit) => format!("the unit of the positions is `{unit}`"),
        };
        return Err(usage(format!(
            "rdf needs --n-bins N, such as --n-bins 200: bins are 0.002 nm wide by default, and {positions}"
        )));
    };
    let (number, unit) = ((r_max - r_min) / width, unit.unwrap_or_default());
    if number > MOST {
        return Err(usage(format!(
            "rdf needs --n-bins N, such as --n-bins 200: bins of 0.002 nm, the default, would be {} up to {r_max} {unit}",
            short(number)
        )));
    }
    // Half a box of 3.7 nm holds 925 bins, also where rounding leaves a little less.
    let (n_bins, up_to) = match asked {
        None => ((number + 1e-6).floor().max(1.0), "half the smallest box"),
        Some(_) => (number.round().max(1.0), "--r-max"),
    };
    let r_max = match asked {
        None if number >= 1.0 => (r_min + n_bins / width.recip()).min(r_max),
        _ => r_max,
    };
    tracing::info!(
        "bins: lin:{r_min}:{r_max}:{n_bins} (default: {} {unit} up to {up_to})",
        short(width)
    );
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to a million"
    )]
    Ok((r_max, n_bins as usize))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_bins_end_at_a_multiple_of_their_width() {
        let half =
            |r_max: f64, unit: &str| of_default_width((0.0, r_max), None, Some(unit)).unwrap();
        assert_eq!(half(1.85, "nm"), (1.85, 925));
        assert_eq!(half(1.8519, "nm"), (1.85, 925));
        assert_eq!(half(18.5, "Angstrom"), (18.5, 925));
        assert_eq!(half(1850.0, "pm"), (1850.0, 925));
        assert_eq!(half(0.001, "nm"), (0.001, 1));
        let asked = |r_max| of_default_width((0.0, r_max), Some(RMax::At(r_max)), Some("nm"));
        assert_eq!(asked(1.0).unwrap(), (1.0, 500));
        assert_eq!(asked(0.9999).unwrap(), (0.9999, 500));
        for unit in [None, Some("Mpc/h"), Some("Mpc"), Some("sigma")] {
            assert!(
                of_default_width((0.0, 1.0), None, unit).is_err(),
                "{unit:?}"
            );
        }
    }
}
