//! P(r): how often distances occur in particles of any shape, without a volume (small-angle scattering).
//!
//! Entry: [`Partials::distance_distribution`].

use albireo::error::EstimatorError;

use super::Partials;
use crate::Result;

/// The distribution of distances within a body, each pair weighed by what its particles scatter.
///
/// `I(q) = I_own + I_pairs int P(r) sin(qr)/(qr) dr`; Glatter (1979), DOI 10.1107/S0021889879013303, writes p(r) for it.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceDistribution {
    /// P in each bin, over the unit of length: its integral over r is 1.
    pub p: Vec<f64>,
    /// The sum of the weights of all pairs in the bins, both orders, per frame: `2 sum_(a<=b) f_a f_b p_ab`.
    pub weight: f64,
    /// The upper edge of the last bin with a pair: the largest distance, to a bin.
    pub largest: f64,
    /// The radius of gyration of particles that all scatter, self-pairs being the rest of all pairs:
    /// `Rg^2 = 1/2 sum_ij f_i f_j r_ij^2 / (sum_i f_i)^2`, the squared distance of a bin being its mean over r.
    pub radius_of_gyration: f64,
}

impl Partials {
    /// P(r) of bodies whose pairs are all in the bins, with what a particle of each species scatters at q = 0, such as its electrons.
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo_fluids::{Frame, Partials, Space, Species};
    /// use albireo::engine::Silent;
    /// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, Points, RBins};
    /// // Three particles in a row, 1 apart.
    /// let row = Particles::new(Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])?);
    /// let bins = RBins::new(Edges::new(vec![0.0, 0.9, 1.1, 1.9, 2.1])?);
    /// let job = PairJob::new(Pairs::Auto(&row), &Domain::Open)?;
    /// let counts = [count_pairs(&Naive, &job, &bins, &Silent)?];
    /// let mut partials = Partials::new(&bins, Species::within(1))?;
    /// let space = Space::of_volume(1.0)?;
    /// partials.add_frame(&Frame { counts: &counts, particles: &[3], excluded: &[], space: &space, weight: 1.0 })?;
    /// let distances = partials.distance_distribution(&[1.0])?;
    /// assert!((distances.p[1] - 2.0 / 3.0 / 0.2).abs() < 1e-12);
    /// assert_eq!(distances.largest, 2.1);
    /// assert!((distances.radius_of_gyration - (2f64 / 3.0).sqrt()).abs() < 0.01);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number of lengths other than the number of species, species of two samples, no frame, or pairs whose weights add up to 0.
    pub fn distance_distribution(&self, lengths: &[f64]) -> Result<DistanceDistribution> {
        self.species
            .check_list("scattering lengths", lengths.len())?;
        self.fractions()?;
        let frames = self.weight();
        let mut weights = vec![0.0; self.volumes.len()];
        let mut counted = vec![0.0; self.volumes.len()];
        for (class, &[a, b]) in self.species.pairs().iter().enumerate() {
            let each = 2.0 * lengths[a] * lengths[b];
            for (bin, pairs) in self.weighted_pairs(class).into_iter().enumerate() {
                weights[bin] += each * pairs / frames;
                counted[bin] += pairs;
            }
        }
        let weight: f64 = weights.iter().sum();
        let particles = self.mean_particles();
        let all: f64 = particles.iter().zip(lengths).map(|(n, f)| n * f).sum();
        if counted.iter().all(|&pairs| pairs == 0.0) {
            return Err(EstimatorError::Needs(
                "P(r) needs bins that reach as far as particles are apart: no pair is in any"
                    .to_owned(),
            ));
        }
        if weight == 0.0 || all == 0.0 || !(weight * all).is_finite() {
            return Err(EstimatorError::Needs(
                "P(r) needs scattering lengths that do not cancel".to_owned(),
            ));
        }
        let edges = self.r_edges("P(r)")?.values();
        let square = |e: &[f64]| (e[0] * e[0] + e[0] * e[1] + e[1] * e[1]) / 3.0;
        let squares = edges.windows(2).map(square).zip(&weights);
        let squares: f64 = squares.map(|(square, weight)| square * weight).sum();
        let last = counted.iter().rposition(|pairs| *pairs > 0.0);
        let widths = edges.windows(2).map(|e| e[1] - e[0]);
        let p = weights.iter().zip(widths);
        Ok(DistanceDistribution {
            p: p.map(|(w, width)| w / weight / width).collect(),
            weight,
            largest: last.map_or(f64::NAN, |bin| edges[bin + 1]),
            radius_of_gyration: (squares / 2.0).sqrt() / all.abs(),
        })
    }
}
