//! Bins in the separation s and the cosine mu between pair and line of sight.

use super::{
    AxisUnit, BinAxis, Binning, Edges, Form, LineOfSight, PairOrder, Reach, SignedEdges,
    check_number,
};
use crate::error::BinsError;
use crate::separation::Separation;

/// Bins in (s, mu), mu varying fastest.
///
/// mu is compared squared: `(d.l)*(d.l)` against `(mu_k*mu_k) * (r2*l2)`, for a fixed axis `d_axis*d_axis` against
/// `(mu_k*mu_k) * r2`. A last edge of 1 is closed, and so is a first edge of -1 (rounding puts many exactly radial pairs
/// beyond them); mu = 0 where r2 or l2 is 0. Edges from 0 up bin |mu|, edges below 0 bin signed mu and count both orders.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SMuBins {
    s: Edges,
    mu: SignedEdges,
    los: LineOfSight,
}

impl SMuBins {
    /// Bins between these edges.
    ///
    /// # Errors
    /// A mu edge outside [-1, 1], or more than [`super::MAX_BINS`] bins.
    pub fn new(s: Edges, mu: SignedEdges, los: LineOfSight) -> Result<Self, BinsError> {
        if let Some(index) = mu.values().iter().position(|m| m.abs() > 1.0) {
            return Err(BinsError::OutOfRange {
                coordinate: "mu",
                lo: -1.0,
                hi: 1.0,
                index,
                value: mu.values()[index],
            });
        }
        check_number(&[s.n_bins(), mu.n_bins()])?;
        Ok(Self { s, mu, los })
    }

    /// The separation edges.
    pub fn s_edges(&self) -> &Edges {
        &self.s
    }

    /// The edges of mu.
    pub fn mu_edges(&self) -> &SignedEdges {
        &self.mu
    }

    /// The bin of mu; `edges_below` finds the number of edges below a coordinate, as [`SignedEdges::edges_below`].
    #[inline]
    fn mu_bin(
        &self,
        sep: &Separation,
        edges_below: impl Fn(bool, f64, f64) -> usize,
    ) -> Option<usize> {
        let projection = self.los.project(sep);
        if sep.r2 == 0.0 || projection.l2 == 0.0 {
            return self.mu.bin_above(edges_below(false, 0.0, 1.0));
        }
        let scale = match self.los {
            LineOfSight::Fixed(_) => sep.r2,
            _ => sep.r2 * projection.l2,
        };
        let below = edges_below(projection.negative, projection.dl2, scale);
        self.mu.cosine_bin_above(below)
    }

    #[inline]
    pub(super) fn bin_near(&self, sep: &Separation, guess: usize) -> Option<usize> {
        let n_mu = self.mu.n_bins();
        let s = self.s.locate_near(sep.r2, guess / n_mu)?;
        let below =
            |negative, mu2, scale| (self.mu).edges_below_near(negative, mu2, scale, guess % n_mu);
        Some(s * n_mu + self.mu_bin(sep, below)?)
    }

    pub(super) fn form(&self) -> Form<'_> {
        Form::SMu {
            s: &self.s,
            mu: &self.mu,
            los: self.los,
        }
    }
}

impl Binning for SMuBins {
    fn shape(&self) -> Vec<usize> {
        vec![self.s.n_bins(), self.mu.n_bins()]
    }

    fn axes(&self) -> Vec<BinAxis> {
        vec![
            BinAxis::new("s", self.s.values(), AxisUnit::Length),
            BinAxis::new("mu", self.mu.values(), AxisUnit::Dimensionless),
        ]
    }

    #[inline]
    fn bin(&self, sep: &Separation) -> Option<usize> {
        let s = self.s.locate(sep.r2)?;
        let below = |negative, mu2, scale| self.mu.edges_below(negative, mu2, scale);
        Some(s * self.mu.n_bins() + self.mu_bin(sep, below)?)
    }

    fn order(&self) -> PairOrder {
        if self.mu.signed() || self.los.depends_on_order() {
            PairOrder::Ordered
        } else {
            PairOrder::Unordered
        }
    }

    fn reach(&self) -> Reach {
        Reach::Sphere(self.s.last())
    }

    fn line_of_sight(&self) -> Option<LineOfSight> {
        Some(self.los)
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        sep.r2.sqrt()
    }

    fn coordinate_limit(&self) -> f64 {
        self.s.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Axis, Domain};

    fn bins(mu: Vec<f64>, los: LineOfSight) -> SMuBins {
        let s = Edges::linear(0.0, 10.0, 1).unwrap();
        SMuBins::new(s, SignedEdges::new(mu).unwrap(), los).unwrap()
    }

    fn bin_of(bins: &SMuBins, x1: [f64; 3], x2: [f64; 3]) -> Option<usize> {
        bins.bin(&Domain::Open.separation(x1, x2))
    }

    #[test]
    fn radial_pairs_are_in_the_last_bin() {
        let bins = bins(vec![0.0, 0.5, 1.0], LineOfSight::Midpoint);
        let mut beyond_one = 0;
        for k in 1..200 {
            let (f, g) = (f64::from(k) * 0.1, f64::from(k) * 0.1 + 0.7);
            let (x1, x2) = ([f, 2.0 * f, 3.0 * f], [g, 2.0 * g, 3.0 * g]);
            let sep = Domain::Open.separation(x1, x2);
            let p = LineOfSight::Midpoint.project(&sep);
            beyond_one += usize::from(p.dl2 >= sep.r2 * p.l2);
            assert_eq!(bin_of(&bins, x1, x2), Some(1));
        }
        assert!(
            beyond_one > 20,
            "rounding must put many of these at or above mu = 1"
        );
    }

    #[test]
    fn a_last_edge_below_one_is_open() {
        let bins = bins(vec![0.0, 0.5], LineOfSight::Fixed(Axis::Z));
        assert_eq!(bin_of(&bins, [0.0; 3], [0.0, 0.0, 1.0]), None);
        assert_eq!(bin_of(&bins, [0.0; 3], [0.0, 1.0, 0.0]), Some(0));
    }

    #[test]
    fn zero_separation_and_zero_line_of_sight_have_mu_zero() {
        let bins = bins(vec![0.0, 0.5, 1.0], LineOfSight::Midpoint);
        assert_eq!(bin_of(&bins, [1.0; 3], [1.0; 3]), Some(0));
        assert_eq!(bin_of(&bins, [1.0; 3], [-1.0; 3]), Some(0));
    }

    #[test]
    fn signed_mu_takes_the_sign_of_the_projection() {
        let bins = bins(vec![-1.0, -0.5, 0.0, 0.5, 1.0], LineOfSight::Fixed(Axis::Z));
        assert_eq!(bins.order(), PairOrder::Ordered);
        assert_eq!(bin_of(&bins, [0.0; 3], [0.0, 0.0, 1.0]), Some(0));
        assert_eq!(bin_of(&bins, [0.0, 0.0, 1.0], [0.0; 3]), Some(3));
        // d_z = -0.0 is not negative.
        assert_eq!(bin_of(&bins, [1.0, 0.0, -0.0], [0.0; 3]), Some(2));
    }

    #[test]
    fn edges_of_mu_are_compared_squared() {
        // mu = 0.6 exactly: d = (4, 0, 3), r2 = 25, d_z^2 = 9 and 0.6*0.6*25 = 9 or its neighbour.
        let bins = bins(vec![0.0, 0.6, 1.0], LineOfSight::Fixed(Axis::Z));
        let expected = usize::from(9.0 >= (0.6 * 0.6) * 25.0);
        assert_eq!(bin_of(&bins, [4.0, 0.0, 3.0], [0.0; 3]), Some(expected));
    }

    #[test]
    fn mu_edges_stay_within_one() {
        let s = Edges::linear(0.0, 1.0, 1).unwrap();
        let mu = SignedEdges::linear(0.0, 1.5, 3).unwrap();
        assert!(SMuBins::new(s, mu, LineOfSight::Midpoint).is_err());
    }
}
