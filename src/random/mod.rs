//! Random points: uniform in a box, a domain, a spherical shell or a part of the sky.
//!
//! Entry: [`in_box`], [`in_domain`], [`in_shell`], [`on_sky`]. Point i depends on (seed, i) only, so the first points of a longer catalogue are a shorter one
//! and threads change nothing; [`Stream`] holds the numbers themselves. [`Distribution`] draws redshifts as a survey has them.
//! [`permutation`] orders rows. [`Rand48`] is the generator of the C library's `drand48`.

mod drawn;
mod permuted;
mod rand48;
mod sky_window;
mod stream;

pub use drawn::{Distribution, MAX_SMOOTH_BINS};
pub use permuted::permutation;
pub use rand48::{Leap, Leapfrog, Rand48};
pub use sky_window::{SkyWindow, on_sky};
pub use stream::Stream;

use crate::domain::{Axis, Domain};
use crate::error::{DomainError, Error, ParticlesError, RandomError};
use crate::particles::Points;

/// Makes n points, each from its own index.
fn points(n: usize, place: impl Fn(u64) -> [f64; 3] + Sync) -> Result<Points, ParticlesError> {
    Points::from_fn(n, |row| place(row as u64))
}

/// `n` points in [0, lengths), uniformly.
///
/// ```
/// let randoms = albireo::random::in_box(1000, 42, [100.0, 100.0, 50.0])?;
/// assert_eq!(randoms.len(), 1000);
/// assert_eq!(randoms.at(7), albireo::random::in_box(8, 42, [100.0, 100.0, 50.0])?.at(7));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A length that is not positive and finite, or more points than a sample can hold.
pub fn in_box(n: usize, seed: u64, lengths: [f64; 3]) -> Result<Points, Error> {
    for (axis, length) in Axis::ALL.iter().zip(lengths) {
        if !(length > 0.0 && length.is_finite()) {
            let axis = ['x', 'y', 'z'][axis.index()];
            return Err(DomainError::Length { axis, length }.into());
        }
    }
    let stream = Stream::new(seed);
    let place = |i: u64| std::array::from_fn(|k| stream.uniform(3 * i + k as u64) * lengths[k]);
    Ok(points(n, place)?)
}

/// `n` points in the cell of a periodic domain, uniformly.
///
/// # Errors
/// A domain with an open axis, or more points than a sample can hold.
pub fn in_domain(n: usize, seed: u64, domain: &Domain) -> Result<Points, Error> {
    match domain {
        Domain::Periodic(cell) => match cell.lengths() {
            [Some(x), Some(y), Some(z)] => in_box(n, seed, [x, y, z]),
            _ => Err(RandomError::OpenAxis.into()),
        },
        Domain::Open => Err(RandomError::OpenAxis.into()),
        Domain::Triclinic(lattice) => {
            let stream = Stream::new(seed);
            let [a, b, c] = lattice.basis();
            let place = |i: u64| {
                let [s, t, u] = [0, 1, 2].map(|k| stream.uniform(3 * i + k));
                std::array::from_fn(|k| (s * a[k] + t * b[k]) + u * c[k])
            };
            Ok(points(n, place)?)
        }
    }
}

/// `n` points between two spheres around the origin, `r_min <= r <= r_max`, uniformly in volume.
///
/// # Errors
/// Radii other than `0 <= r_min < r_max`, finite, or more points than a sample can hold.
pub fn in_shell(n: usize, seed: u64, r_min: f64, r_max: f64) -> Result<Points, Error> {
    if !(r_min >= 0.0 && r_min < r_max && (r_max * r_max * r_max).is_finite()) {
        return Err(RandomError::Shell { r_min, r_max }.into());
    }
    let stream = Stream::new(seed);
    let (inner, outer) = (r_min * r_min * r_min, r_max * r_max * r_max);
    let place = |i: u64| {
        let r = libm::cbrt(inner + stream.uniform(3 * i) * (outer - inner)).clamp(r_min, r_max);
        let z = 2.0 * stream.uniform(3 * i + 1) - 1.0;
        let phi = std::f64::consts::TAU * stream.uniform(3 * i + 2);
        let across = (1.0 - z * z).sqrt();
        [across * libm::cos(phi), across * libm::sin(phi), z].map(|c| r * c)
    };
    Ok(points(n, place)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Lattice, PeriodicBox};
    use crate::particles::MAX_PARTICLES;

    /// Counts in equal cells are compared with their mean: chi-squared over its degrees of freedom.
    fn chi2_per_cell(coordinates: impl Iterator<Item = f64>, cells: usize) -> f64 {
        let mut counts = vec![0.0; cells];
        coordinates.for_each(|u| counts[((u * cells as f64) as usize).min(cells - 1)] += 1.0);
        let mean = counts.iter().sum::<f64>() / cells as f64;
        let chi2: f64 = counts.iter().map(|c| (c - mean) * (c - mean) / mean).sum();
        chi2 / (cells - 1) as f64
    }

    fn assert_uniform(coordinates: impl Iterator<Item = f64>) {
        // 199 degrees of freedom: five standard deviations are 0.5.
        let chi2 = chi2_per_cell(coordinates, 200);
        assert!((chi2 - 1.0).abs() < 0.5, "chi2 = {chi2}");
    }

    #[test]
    fn a_shorter_catalog_begins_a_longer_one() {
        let long = in_box(100, 5, [1.0, 2.0, 3.0]).unwrap();
        let short = in_box(10, 5, [1.0, 2.0, 3.0]).unwrap();
        assert_eq!(long.rows(0..10), short);
        assert_ne!(in_box(10, 6, [1.0, 2.0, 3.0]).unwrap(), short);
    }

    #[test]
    fn threads_change_nothing() {
        let pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| in_shell(5000, 1, 2.0, 3.0).unwrap())
        };
        assert_eq!(pool(1), pool(3));
    }

    #[test]
    fn boxes_are_filled_evenly_and_never_left() {
        let lengths = [3.0, 0.1, 1e-3];
        let points = in_box(100_000, 11, lengths).unwrap();
        let domain = Domain::Periodic(PeriodicBox::new(lengths.map(Some)).unwrap());
        assert!(domain.check(&points).is_ok());
        for (column, length) in points.columns().into_iter().zip(lengths) {
            assert_uniform(column.iter().map(|x| x / length));
        }
        // The lag between coordinates of one point.
        let [x, y, _] = points.columns();
        assert_uniform(
            x.iter()
                .zip(y.iter())
                .map(|(x, y)| (x / 3.0 + y / 0.1).fract()),
        );
    }

    #[test]
    fn triclinic_cells_are_filled_evenly() {
        let lattice = Lattice::new([[2.0, 0.0, 0.0], [0.7, 2.0, 0.0], [0.3, 0.5, 2.0]]).unwrap();
        let domain = Domain::Triclinic(lattice.clone());
        let points = in_domain(100_000, 11, &domain).unwrap();
        assert!(domain.check(&points).is_ok());
        for k in 0..3 {
            assert_uniform((0..points.len()).map(|row| lattice.fractional(points.at(row))[k]));
        }
        assert!(in_domain(1, 1, &Domain::Open).is_err());
        let slab = PeriodicBox::new([Some(1.0), None, Some(1.0)]).unwrap();
        assert!(in_domain(1, 1, &Domain::Periodic(slab)).is_err());
    }

    #[test]
    fn shells_are_filled_evenly() {
        let points = in_shell(100_000, 3, 1.0, 2.0).unwrap();
        let r: Vec<f64> = (0..points.len())
            .map(|row| crate::separation::norm2(points.at(row)).sqrt())
            .collect();
        assert!(r.iter().all(|r| (1.0 - 1e-12..=2.0 + 1e-12).contains(r)));
        assert_uniform(r.iter().map(|r| (r * r * r - 1.0) / 7.0));
        let [x, y, z] = points.columns();
        assert_uniform(z.iter().zip(&r).map(|(z, &r)| f64::midpoint(z / r, 1.0)));
        assert_uniform(
            x.iter()
                .zip(y.iter())
                .map(|(x, y)| y.atan2(x) / std::f64::consts::TAU + 0.5),
        );
    }

    #[test]
    fn impossible_volumes_are_refused() {
        assert!(in_box(1, 1, [1.0, 0.0, 1.0]).is_err());
        assert!(in_shell(1, 1, 2.0, 1.0).is_err());
        assert!(in_shell(1, 1, -1.0, 1.0).is_err());
        assert!(in_shell(1, 1, 0.0, f64::NAN).is_err());
        assert!(in_box(MAX_PARTICLES + 1, 1, [1.0; 3]).is_err());
        assert!(in_box(0, 1, [1.0; 3]).unwrap().is_empty());
    }
}
