//! n(z): how many objects of a survey there are in a volume, along redshift; FKP weights and the effective redshift that follow.
//!
//! Entry: [`NumberDensity`].

use super::Cosmology;
use crate::error::{Error, SkyError};
use crate::sky::Column;

/// The area of the whole sky in square degrees.
pub const MAX_AREA: f64 = 129_600.0 / std::f64::consts::PI;

/// The comoving number density of a survey in bins of redshift, in (h/Mpc)^3.
///
/// Bins are half-open, [lo, hi). A bin of the survey's area (a solid angle, omega) holds the volume
/// `omega/3 (D(hi)^3 - D(lo)^3)`, D the comoving distance in Mpc/h at which pair counts place objects; in a curved universe, where D is
/// not the transverse distance, that is the volume of the space that they are counted in.
///
/// ```
/// use albireo::cosmology::{Cosmology, NumberDensity};
/// use albireo::sky::Column;
/// let redshifts = [0.11, 0.12, 0.19, 0.25];
/// let weights = [1.0, 2.0, 1.0, 1.0];
/// let n = NumberDensity::new(Column::new("Z", &redshifts), Some(&weights), &[0.1, 0.2, 0.3], 1000.0, &Cosmology::flat(0.3)?)?;
/// assert_eq!((n.objects(), n.weights()), (&[3, 1][..], &[4.0, 1.0][..]));
/// assert_eq!(n.density()[0], 4.0 / n.volumes()[0]);
/// assert!(n.at(0.15) == Some(n.density()[0]) && n.at(0.3).is_none());
/// let w = n.fkp_weights(&redshifts, 1e4)?;
/// assert_eq!(w[3], 1.0 / (1.0 + n.density()[1] * 1e4));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NumberDensity {
    edges: Vec<f64>,
    objects: Vec<u64>,
    weights: Vec<f64>,
    squares: Vec<f64>,
    volumes: Vec<f64>,
    outside: u64,
}

/// Refuses edges that are no bins in redshift.
fn check_edges(edges: &[f64]) -> Result<(), SkyError> {
    let good = |k: usize| {
        let rises = k == 0 || edges[k] > edges[k - 1];
        edges[k].is_finite() && edges[k] >= 0.0 && rises
    };
    match (0..edges.len()).find(|&k| !good(k)) {
        None if edges.len() >= 2 => Ok(()),
        wrong => {
            let index = wrong.unwrap_or(edges.len());
            let found = edges.get(index).copied().unwrap_or(f64::NAN);
            Err(SkyError::Edges { index, found })
        }
    }
}

/// The bin of a value, if it lies in any.
fn bin_of(edges: &[f64], value: f64) -> Option<usize> {
    let above = edges.partition_point(|&edge| edge <= value);
    (above > 0 && above < edges.len()).then(|| above - 1)
}

impl NumberDensity {
    /// The density of objects with these redshifts, each with its weight or 1, on `area` square degrees.
    ///
    /// Objects outside the bins are left out; [`NumberDensity::outside`] tells how many.
    ///
    /// # Errors
    /// [`SkyError`]: edges that are no bins, an area that no part of the sky has, or weights of another number;
    /// as [`Cosmology::distances`].
    pub fn new(
        redshifts: Column<'_>,
        weights: Option<&[f64]>,
        edges: &[f64],
        area: f64,
        cosmology: &Cosmology,
    ) -> Result<Self, Error> {
        check_edges(edges)?;
        if !(area > 0.0 && area <= MAX_AREA * (1.0 + 1e-12)) {
            return Err(SkyError::Area(area).into());
        }
        let expected = redshifts.values.len();
        if let Some(found) = weights.map(<[f64]>::len).filter(|n| *n != expected) {
            return Err(SkyError::DensityWeights { expected, found }.into());
        }
        let distances = cosmology.distances(Column::new("edges", edges))?;
        let steradians = area / MAX_AREA * (4.0 * std::f64::consts::PI);
        let cube = |d: f64| d * d * d;
        let shells = distances.windows(2);
        let volumes = shells.map(|d| steradians / 3.0 * (cube(d[1]) - cube(d[0])));
        let bins = edges.len() - 1;
        let mut density = Self {
            edges: edges.to_vec(),
            objects: vec![0; bins],
            weights: vec![0.0; bins],
            squares: vec![0.0; bins],
            volumes: volumes.collect(),
            outside: 0,
        };
        for (row, &z) in redshifts.values.iter().enumerate() {
            let Some(bin) = bin_of(edges, z) else {
                density.outside += 1;
                continue;
            };
            let weight = weights.map_or(1.0, |weights| weights[row]);
            density.objects[bin] += 1;
            density.weights[bin] += weight;
            density.squares[bin] += weight * weight;
        }
        Ok(density)
    }

    /// The edges of the bins.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// Objects in each bin.
    pub fn objects(&self) -> &[u64] {
        &self.objects
    }

    /// Their weights, added up.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The volume of each bin, (Mpc/h)^3.
    pub fn volumes(&self) -> &[f64] {
        &self.volumes
    }

    /// Objects outside all bins.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// The density in each bin, weight over volume, (h/Mpc)^3.
    pub fn density(&self) -> Vec<f64> {
        let bins = self.weights.iter().zip(&self.volumes);
        bins.map(|(weight, volume)| weight / volume).collect()
    }

    /// Its Poisson error, `sqrt(sum w^2)` over the volume.
    pub fn errors(&self) -> Vec<f64> {
        let bins = self.squares.iter().zip(&self.volumes);
        bins.map(|(squares, volume)| squares.sqrt() / volume)
            .collect()
    }

    /// The density at a redshift: that of its bin; none outside the bins.
    pub fn at(&self, redshift: f64) -> Option<f64> {
        let bin = bin_of(&self.edges, redshift)?;
        Some(self.weights[bin] / self.volumes[bin])
    }

    /// `w = 1/(1 + n(z) P0)` of objects with these redshifts, P0 in (Mpc/h)^3: of the sample itself, or of its randoms.
    ///
    /// Feldman, Kaiser & Peacock 1994, DOI 10.1086/174036.
    ///
    /// # Errors
    /// [`SkyError`]: a redshift outside the bins, whose density is not known, or a P0 that is negative or not finite.
    pub fn fkp_weights(&self, redshifts: &[f64], p0: f64) -> Result<Vec<f64>, SkyError> {
        check_power(p0)?;
        let weight = |(row, &redshift): (usize, &f64)| {
            let density = self.at(redshift).ok_or(SkyError::Outside {
                row,
                redshift,
                lo: self.edges[0],
                hi: self.edges[self.edges.len() - 1],
            })?;
            Ok(1.0 / (1.0 + density * p0))
        };
        redshifts.iter().enumerate().map(weight).collect()
    }

    /// `sum n^2 w^2 V z / sum n^2 w^2 V` over the bins, w their FKP weights for P0 in (Mpc/h)^3 (1 for P0 = 0), z their middles: the mean
    /// redshift of pairs much closer than n changes.
    ///
    /// The mean over the pairs that are counted, `sum w_i w_j (z_i + z_j)/2 / sum w_i w_j` (Bautista et al. 2021, DOI
    /// 10.1093/mnras/staa2800), goes over to it where separations are small.
    ///
    /// ```
    /// use albireo::cosmology::{Cosmology, NumberDensity};
    /// use albireo::sky::Column;
    /// let z: Vec<f64> = (0..1000).map(|k| 0.4 + 0.0002 * k as f64).collect();
    /// let n = NumberDensity::new(Column::new("Z", &z), None, &[0.4, 0.5, 0.6], 5000.0, &Cosmology::flat(0.3)?)?;
    /// // As many objects in a smaller volume: the first bin counts for more.
    /// assert!((0.45..0.5).contains(&n.effective_redshift(0.0)?));
    /// assert!(n.effective_redshift(1e8)? > n.effective_redshift(0.0)?);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkyError`]: no objects at all, or a P0 that is negative or not finite.
    pub fn effective_redshift(&self, p0: f64) -> Result<f64, SkyError> {
        check_power(p0)?;
        let density = self.density();
        let [mut sum, mut all] = [0.0; 2];
        for (bin, n) in density.iter().enumerate() {
            let nw = n / (1.0 + n * p0);
            let weight = nw * nw * self.volumes[bin];
            sum += weight * f64::midpoint(self.edges[bin], self.edges[bin + 1]);
            all += weight;
        }
        if all > 0.0 {
            Ok(sum / all)
        } else {
            Err(SkyError::NoDensity)
        }
    }
}

fn check_power(p0: f64) -> Result<(), SkyError> {
    if p0 >= 0.0 && p0.is_finite() {
        Ok(())
    } else {
        Err(SkyError::Power(p0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(z: &[f64], edges: &[f64], area: f64) -> Result<NumberDensity, Error> {
        let cosmology = Cosmology::flat(0.3).unwrap();
        NumberDensity::new(Column::new("Z", z), None, edges, area, &cosmology)
    }

    #[test]
    fn volumes_are_those_of_shells() {
        let cosmology = Cosmology::flat(0.3).unwrap();
        let whole = of(&[0.5], &[0.0, 0.5, 1.0], MAX_AREA).unwrap();
        let radius = |z| cosmology.distance(z).unwrap();
        let sphere = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let expected = [
            sphere(radius(0.5)),
            sphere(radius(1.0)) - sphere(radius(0.5)),
        ];
        for (found, expected) in whole.volumes().iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-12);
        }
        let half = of(&[0.5], &[0.0, 0.5, 1.0], MAX_AREA / 2.0).unwrap();
        assert!((half.volumes()[1] * 2.0 / whole.volumes()[1] - 1.0).abs() < 1e-14);
        // The distance by Simpson's rule in 20,000 steps.
        let all: f64 = whole.volumes().iter().sum();
        assert!((all / sphere(2312.680) - 1.0).abs() < 1e-6, "{all}");
    }

    #[test]
    fn bins_are_half_open() {
        let n = of(&[0.0999, 0.1, 0.2, 0.3, 0.31], &[0.1, 0.2, 0.3], 100.0).unwrap();
        assert_eq!((n.objects(), n.outside()), (&[1, 1][..], 3));
        assert_eq!(n.errors()[0], 1.0 / n.volumes()[0]);
        let error = n.fkp_weights(&[0.15, 0.3], 1e4).unwrap_err();
        assert!(error.to_string().contains("row 1"), "{error}");
    }

    #[test]
    fn the_effective_redshift_is_a_mean_by_squares() {
        let z = [vec![0.15; 30], vec![0.25; 10]].concat();
        let n = of(&z, &[0.1, 0.2, 0.3], 2000.0).unwrap();
        for p0 in [0.0, 1e4] {
            let weight = |bin: usize| {
                let density = n.objects()[bin] as f64 / n.volumes()[bin];
                let w = 1.0 / (1.0 + density * p0);
                (density * w).powi(2) * n.volumes()[bin]
            };
            let expected = (0.15 * weight(0) + 0.25 * weight(1)) / (weight(0) + weight(1));
            assert!((n.effective_redshift(p0).unwrap() - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn what_has_no_density_is_refused() {
        for (edges, words) in [
            (&[0.1][..], "edge 1 is NaN"),
            (&[0.2, 0.2], "edge 1 is 0.2"),
            (&[-0.1, 0.2], "edge 0 is -0.1"),
            (&[0.1, f64::INFINITY], "edge 1 is inf"),
        ] {
            let error = of(&[0.1], edges, 10.0).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        for area in [0.0, -1.0, f64::NAN, 50_000.0] {
            let error = of(&[0.1], &[0.0, 1.0], area).unwrap_err().to_string();
            assert!(error.contains("square degrees"), "{error}");
        }
        let n = of(&[2.0], &[0.0, 1.0], 10.0).unwrap();
        assert_eq!(n.effective_redshift(0.0), Err(SkyError::NoDensity));
        assert!(n.effective_redshift(-1.0).is_err() && n.fkp_weights(&[], f64::NAN).is_err());
    }
}
