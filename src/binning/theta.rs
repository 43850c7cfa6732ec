//! Bins in the angle theta between two directions.

use super::{AxisUnit, BinAxis, Binning, Edges, Form, PairOrder, Reach};
use crate::error::BinsError;
use crate::separation::Separation;

/// Bins in the angle between unit vectors, edges in degrees up to 180.
///
/// `chord2 = r2(n1, n2)` is compared with the square of `2*sin((theta_k/2)*(PI/180))`, which is right down to arcseconds; a last edge
/// of 180 is closed.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ThetaBins {
    degrees: Edges,
    chords: Edges,
}

/// A chord longer than any between two computed unit vectors: it closes the last bin at 180 degrees.
const BEYOND_ANY_CHORD: f64 = 2.5;

/// The chord between two directions `degrees` apart: `2*sin((theta/2)*(PI/180))`.
pub(crate) fn chord(degrees: f64) -> f64 {
    2.0 * libm::sin((degrees / 2.0) * (std::f64::consts::PI / 180.0))
}

impl ThetaBins {
    /// Bins between these angles, degrees.
    ///
    /// # Errors
    /// An edge above 180, or edges so close that their chords are equal.
    pub fn new(degrees: Edges) -> Result<Self, BinsError> {
        if let Some(index) = degrees.values().iter().position(|&t| t > 180.0) {
            return Err(BinsError::OutOfRange {
                coordinate: "theta",
                lo: 0.0,
                hi: 180.0,
                index,
                value: degrees.values()[index],
            });
        }
        let mut chords: Vec<f64> = degrees.values().iter().map(|&t| chord(t)).collect();
        if degrees.last() == 180.0 {
            chords[degrees.n_bins()] = BEYOND_ANY_CHORD;
        }
        let chords = Edges::new(chords)?;
        Ok(Self { degrees, chords })
    }

    /// The edges in degrees.
    pub fn edges(&self) -> &Edges {
        &self.degrees
    }

    /// The edges as chords, which are compared with separations of unit vectors.
    pub fn chords(&self) -> &Edges {
        &self.chords
    }

    #[inline]
    pub(super) fn bin_near(&self, sep: &Separation, guess: usize) -> Option<usize> {
        self.chords.locate_near(sep.r2, guess)
    }

    pub(super) fn form(&self) -> Form<'_> {
        Form::Radial { r: &self.chords }
    }
}

impl Binning for ThetaBins {
    fn shape(&self) -> Vec<usize> {
        vec![self.degrees.n_bins()]
    }

    fn axes(&self) -> Vec<BinAxis> {
        vec![BinAxis::new(
            "theta",
            self.degrees.values(),
            AxisUnit::Degrees,
        )]
    }

    #[inline]
    fn bin(&self, sep: &Separation) -> Option<usize> {
        self.chords.locate(sep.r2)
    }

    fn order(&self) -> PairOrder {
        PairOrder::Unordered
    }

    fn reach(&self) -> Reach {
        Reach::Sphere(self.chords.last())
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        let half_chord = (sep.r2.sqrt() / 2.0).min(1.0);
        2.0 * libm::asin(half_chord) * (180.0 / std::f64::consts::PI)
    }

    fn coordinate_limit(&self) -> f64 {
        self.degrees.last()
    }

    fn on_sphere(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;

    fn bins(degrees: Vec<f64>) -> ThetaBins {
        ThetaBins::new(Edges::new(degrees).unwrap()).unwrap()
    }

    #[test]
    fn opposite_directions_are_in_a_last_bin_that_ends_at_180() {
        let n = [0.6, 0.64, 0.48].map(|c: f64| c.next_up());
        let sep = Domain::Open.separation(n, n.map(|c| -c));
        assert!(
            sep.r2 > 4.0,
            "rounding makes this chord longer than the diameter"
        );
        assert_eq!(bins(vec![0.0, 90.0, 180.0]).bin(&sep), Some(1));
        assert_eq!(bins(vec![0.0, 90.0, 179.0]).bin(&sep), None);
    }

    #[test]
    fn arcseconds_are_told_apart() {
        let arcsecond = 1.0 / 3600.0;
        let bins = bins(vec![0.0, 0.5 * arcsecond, arcsecond, 2.0 * arcsecond]);
        for (angle, bin) in [(0.2, 0), (0.7, 1), (1.5, 2)] {
            let t = (angle * arcsecond).to_radians();
            let sep = Domain::Open.separation([1.0, 0.0, 0.0], [t.cos(), t.sin(), 0.0]);
            assert_eq!(bins.bin(&sep), Some(bin));
        }
    }

    #[test]
    fn angles_above_180_are_refused() {
        assert!(ThetaBins::new(Edges::new(vec![0.0, 181.0]).unwrap()).is_err());
    }
}
