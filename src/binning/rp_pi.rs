//! Bins across (rp) and along (pi) the line of sight.

use super::{
    AxisUnit, BinAxis, Binning, Edges, Form, LineOfSight, PairOrder, Reach, SignedEdges,
    check_number,
};
use crate::error::BinsError;
use crate::separation::Separation;

/// Bins in (rp, pi), pi varying fastest.
///
/// Survey: `pi2 = ((d.l)*(d.l)) / l2`, `rp2 = r2 - pi2`, below 0 taken as 0. Fixed axis: `pi2 = d_axis*d_axis` and `rp2` the sum of
/// the squares of the other two components in x, y, z order. Both are compared with squared edges; pi = 0 where r2 or l2 is 0.
/// Edges from 0 up bin |pi|, edges below 0 bin signed pi and count both orders.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RpPiBins {
    rp: Edges,
    pi: SignedEdges,
    los: LineOfSight,
}

impl RpPiBins {
    /// Bins between these edges.
    ///
    /// # Errors
    /// More than [`super::MAX_BINS`] bins.
    pub fn new(rp: Edges, pi: SignedEdges, los: LineOfSight) -> Result<Self, BinsError> {
        check_number(&[rp.n_bins(), pi.n_bins()])?;
        Ok(Self { rp, pi, los })
    }

    /// The edges across the line of sight.
    pub fn rp_edges(&self) -> &Edges {
        &self.rp
    }

    /// The edges along the line of sight.
    pub fn pi_edges(&self) -> &SignedEdges {
        &self.pi
    }

    #[inline]
    pub(super) fn bin_near(&self, sep: &Separation, guess: usize) -> Option<usize> {
        let n_pi = self.pi.n_bins();
        let (rp2, pi2, negative) = self.los.rp_pi(sep);
        let rp = self.rp.locate_near(rp2, guess / n_pi)?;
        let pi = (self.pi).edges_below_near(negative, pi2, 1.0, guess % n_pi);
        Some(rp * n_pi + self.pi.bin_above(pi)?)
    }

    pub(super) fn form(&self) -> Form<'_> {
        Form::RpPi {
            rp: &self.rp,
            pi: &self.pi,
            los: self.los,
        }
    }
}

impl LineOfSight {
    /// `rp2`, `pi2` and whether pi is below zero.
    #[inline]
    pub(crate) fn rp_pi(self, sep: &Separation) -> (f64, f64, bool) {
        let projection = self.project(sep);
        if let LineOfSight::Fixed(axis) = self {
            let across = match axis.index() {
                0 => [1, 2],
                1 => [0, 2],
                _ => [0, 1],
            };
            let [a, b] = across.map(|axis| sep.d[axis] * sep.d[axis]);
            return (a + b, projection.dl2, projection.negative);
        }
        if sep.r2 == 0.0 || projection.l2 == 0.0 {
            return (sep.r2, 0.0, false);
        }
        let pi2 = projection.dl2 / projection.l2;
        let rp2 = sep.r2 - pi2;
        (rp2.max(0.0), pi2, projection.negative)
    }
}

impl Binning for RpPiBins {
    fn shape(&self) -> Vec<usize> {
        vec![self.rp.n_bins(), self.pi.n_bins()]
    }

    fn axes(&self) -> Vec<BinAxis> {
        vec![
            BinAxis::new("rp", self.rp.values(), AxisUnit::Length),
            BinAxis::new("pi", self.pi.values(), AxisUnit::Length),
        ]
    }

    #[inline]
    fn bin(&self, sep: &Separation) -> Option<usize> {
        let (rp2, pi2, negative) = self.los.rp_pi(sep);
        let rp = self.rp.locate(rp2)?;
        let pi = self.pi.edges_below(negative, pi2, 1.0);
        Some(rp * self.pi.n_bins() + self.pi.bin_above(pi)?)
    }

    fn order(&self) -> PairOrder {
        if self.pi.signed() || self.los.depends_on_order() {
            PairOrder::Ordered
        } else {
            PairOrder::Unordered
        }
    }

    fn reach(&self) -> Reach {
        let (across, along) = (self.rp.last(), self.pi.largest());
        match self.los {
            LineOfSight::Fixed(axis) => Reach::Cylinder {
                axis,
                across,
                along,
            },
            // The computed rp2 and pi2 of a pair add up to its r2 within a few roundings.
            _ => Reach::Sphere(across.hypot(along) * (1.0 + 1e-12)),
        }
    }

    fn line_of_sight(&self) -> Option<LineOfSight> {
        Some(self.los)
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        self.los.rp_pi(sep).0.sqrt()
    }

    fn coordinate_limit(&self) -> f64 {
        self.rp.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Axis, Domain};

    fn bins(pi: Vec<f64>, los: LineOfSight) -> RpPiBins {
        let rp = Edges::linear(0.0, 2.0, 2).unwrap();
        RpPiBins::new(rp, SignedEdges::new(pi).unwrap(), los).unwrap()
    }

    #[test]
    fn a_fixed_axis_sums_the_other_two_squares() {
        let los = LineOfSight::Fixed(Axis::Y);
        let sep = Domain::Open.separation([0.3, 0.7, 0.1], [0.0; 3]);
        assert_eq!(los.rp_pi(&sep), (0.3 * 0.3 + 0.1 * 0.1, 0.7 * 0.7, false));
        // r2 - pi2 is the neighbouring rule and rounds differently here.
        assert_ne!(sep.r2 - 0.7 * 0.7, 0.3 * 0.3 + 0.1 * 0.1);
    }

    #[test]
    fn a_survey_subtracts_and_stays_above_zero() {
        let bins = bins(vec![0.0, 10.0], LineOfSight::Midpoint);
        let mut clipped = 0;
        for k in 1..200 {
            let (f, g) = (f64::from(k) * 0.1, f64::from(k) * 0.1 + 0.7);
            let sep = Domain::Open.separation([f, 2.0 * f, 3.0 * f], [g, 2.0 * g, 3.0 * g]);
            let p = LineOfSight::Midpoint.project(&sep);
            clipped += usize::from(sep.r2 < p.dl2 / p.l2);
            assert_eq!(bins.bin(&sep), Some(0), "a radial pair has rp = 0 or tiny");
        }
        assert!(clipped > 20, "rounding must make many of these negative");
    }

    #[test]
    fn no_line_of_sight_means_pi_zero() {
        let bins = bins(vec![0.0, 1.0, 2.0], LineOfSight::Midpoint);
        let sep = Domain::Open.separation([0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]);
        assert_eq!(bins.bin(&sep), Some(2), "rp = r = 1, pi = 0");
    }

    #[test]
    fn signed_pi_counts_both_orders() {
        let bins = bins(vec![-2.0, 0.0, 2.0], LineOfSight::Fixed(Axis::Z));
        assert_eq!(bins.order(), PairOrder::Ordered);
        let (low, high) = ([0.0; 3], [0.0, 0.0, 1.0]);
        assert_eq!(bins.bin(&Domain::Open.separation(low, high)), Some(0));
        assert_eq!(bins.bin(&Domain::Open.separation(high, low)), Some(1));
    }
}
