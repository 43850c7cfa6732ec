//! The part of the sky that a survey covers, as the `HEALPix` pixels that hold its objects, and random directions in it.
//!
//! Entry: [`Footprint`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a uniform number below 1 picks a pixel"
)]

use rayon::prelude::*;

use super::healpix::{PixelOrder, centre_in_ring_order, check_nside, pixel, place_in_pixel};
use crate::error::{Error, RandomError, RegionsError};
use crate::particles::{Points, check_number};
use crate::pool;
use crate::random::Stream;
use crate::sky::unit_vector;

/// The largest resolution of a footprint: pixels of 0.43 arc minutes, far below the distance between the objects of any survey.
pub const MAX_FOOTPRINT_NSIDE: u32 = 8192;

/// Attempts for one direction. Only directions that rounding takes across the border of their pixel are made again.
const ATTEMPTS: u64 = 100;

/// The `HEALPix` pixels that hold points of a sample, as a part of the sky that random directions fill.
///
/// `HEALPix` maps the squares of its pixels to the sphere at equal areas (Górski et al. 2005, DOI 10.1086/427976; Calabretta & Roukema
/// 2007, DOI 10.1111/j.1365-2966.2007.12297.x), so a pixel and two uniform numbers make a direction, and however small the footprint
/// none is turned down.
///
/// ```
/// use albireo::regions::Footprint;
/// use albireo::sky::{Column, unit_vectors};
/// let galaxies = unit_vectors(Column::new("RA", &[10.0, 12.0]), Column::new("DEC", &[-5.0, 40.0]))?;
/// let footprint = Footprint::holding(&galaxies, 64)?;
/// assert_eq!(footprint.n_pixels(), 2);
/// assert!((footprint.area() - 2.0 * 41252.961 / 49152.0).abs() < 1e-6);
/// let (ra, dec) = footprint.draw(1000, 7)?;
/// assert!(ra.iter().zip(&dec).all(|(&ra, &dec)| footprint.contains(ra, dec)));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footprint {
    nside: u32,
    /// Of nested order, rising.
    numbers: Vec<u64>,
}

impl Footprint {
    /// The pixels that hold any of `points`, seen from the origin; `nside` is a power of 2 up to [`MAX_FOOTPRINT_NSIDE`].
    ///
    /// # Errors
    /// Another `nside`, no points at all, or a point at the origin.
    pub fn holding(points: &Points, nside: u32) -> Result<Self, RegionsError> {
        check_nside(nside, MAX_FOOTPRINT_NSIDE)?;
        if points.is_empty() {
            return Err(RegionsError::EmptyFootprint);
        }
        let view = points.view();
        let mut numbers = (0..points.len())
            .map(|row| {
                let number = pixel(view.at(row), nside, PixelOrder::Nested);
                number.ok_or(RegionsError::NoDirection { row })
            })
            .collect::<Result<Vec<u64>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self { nside, numbers })
    }

    /// The pixels of these numbers, such as those of a mask: in any order, each as often as it likes.
    ///
    /// ```
    /// use albireo::regions::{Footprint, PixelOrder};
    /// let nested = Footprint::of_pixels(&[0, 5], 1, PixelOrder::Nested)?;
    /// // The base pixels have the same numbers in both orders.
    /// assert_eq!(Footprint::of_pixels(&[5, 0, 5], 1, PixelOrder::Ring)?, nested);
    /// assert!(Footprint::of_pixels(&[12], 1, PixelOrder::Ring).is_err());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// An `nside` as for [`Footprint::holding`], no pixels at all, or a number that none has.
    pub fn of_pixels(pixels: &[u64], nside: u32, order: PixelOrder) -> Result<Self, RegionsError> {
        check_nside(nside, MAX_FOOTPRINT_NSIDE)?;
        if pixels.is_empty() {
            return Err(RegionsError::EmptyFootprint);
        }
        let number = 12 * u64::from(nside) * u64::from(nside);
        if let Some(row) = pixels.iter().position(|&pixel| pixel >= number) {
            let pixel = pixels[row];
            return Err(RegionsError::NoPixel { row, pixel, number });
        }
        let nested = |&number: &u64| match order {
            PixelOrder::Nested => Some(number),
            PixelOrder::Ring => {
                let centre = centre_in_ring_order(number, nside);
                pixel(centre, nside, PixelOrder::Nested)
            }
        };
        let mut numbers: Vec<u64> = pixels.iter().filter_map(nested).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self { nside, numbers })
    }

    /// Number of pixels.
    pub fn n_pixels(&self) -> usize {
        self.numbers.len()
    }

    /// The numbers of the pixels in nested order, rising.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The resolution: each of the twelve base pixels has nside x nside pixels.
    pub fn nside(&self) -> u32 {
        self.nside
    }

    /// The part of the sphere that it covers, in (0, 1].
    pub fn sky_fraction(&self) -> f64 {
        let side = f64::from(self.nside);
        self.numbers.len() as f64 / (12.0 * side * side)
    }

    /// Its area in square degrees.
    pub fn area(&self) -> f64 {
        const SPHERE: f64 = 129_600.0 / std::f64::consts::PI;
        self.sky_fraction() * SPHERE
    }

    /// Whether the direction (RA, Dec), in degrees, lies in it.
    pub fn contains(&self, ra: f64, dec: f64) -> bool {
        pixel_of(ra, dec, self.nside)
            .is_some_and(|found| self.numbers.binary_search(&found).is_ok())
    }

    /// `n` directions (RA in [0, 360), Dec), in degrees, uniform on the footprint; direction i depends on the seed, i and the footprint.
    ///
    /// # Errors
    /// More points than a sample can hold.
    pub fn draw(&self, n: usize, seed: u64) -> Result<(Vec<f64>, Vec<f64>), Error> {
        check_number(n)?;
        let stream = Stream::new(seed);
        let place = |i: u64| self.direction(stream.child(i));
        let parallel = || (0..n as u64).into_par_iter().map(place).collect();
        let directions: Result<Vec<_>, RandomError> =
            pool::run(parallel, || (0..n as u64).map(place).collect());
        Ok(directions?.into_iter().unzip())
    }

    /// The direction that a sequence of random numbers stands for.
    fn direction(&self, own: Stream) -> Result<(f64, f64), RandomError> {
        let n_pixels = self.numbers.len();
        let chosen = ((own.uniform(0) * n_pixels as f64) as usize).min(n_pixels - 1);
        let number = self.numbers[chosen];
        (0..ATTEMPTS)
            .map(|k| [2 * k + 1, 2 * k + 2].map(|index| own.uniform(index)))
            .map(|within| place_in_pixel(number, self.nside, within))
            .find(|&(ra, dec)| pixel_of(ra, dec, self.nside) == Some(number))
            .ok_or(RandomError::EmptyFootprint { attempts: ATTEMPTS })
    }
}

/// The pixel of a direction in degrees.
fn pixel_of(ra: f64, dec: f64, nside: u32) -> Option<u64> {
    pixel(unit_vector(ra, dec), nside, PixelOrder::Nested)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{SkyWindow, on_sky};
    use crate::sky::{Column, unit_vectors};

    fn holding(ra: &[f64], dec: &[f64], nside: u32) -> Footprint {
        let points = unit_vectors(Column::new("RA", ra), Column::new("DEC", dec)).unwrap();
        Footprint::holding(&points, nside).unwrap()
    }

    #[test]
    fn places_lie_in_their_pixel() {
        for nside in [1, 2, 8, 8192] {
            let n = u64::from(nside);
            let last = 12 * n * n;
            for number in (0..last).step_by(1 + last as usize / 3000) {
                for within in [[0.5, 0.5], [0.01, 0.02], [0.99, 0.03], [0.04, 0.98]] {
                    let (ra, dec) = place_in_pixel(number, nside, within);
                    assert_eq!(pixel_of(ra, dec, nside), Some(number), "{nside} {within:?}");
                }
            }
        }
        // Centres of the pixels of the first ring: z = 1 - 1/3 nside^-2 (Górski et al. 2005, eq. 4), at 45 degrees.
        let (ra, dec) = place_in_pixel(4 * 4 - 1, 4, [0.5, 0.5]);
        assert!((ra - 45.0).abs() < 1e-12);
        assert!(((dec.to_radians()).sin() - (1.0 - 1.0 / 48.0)).abs() < 1e-14);
    }

    #[test]
    fn centres_of_ring_order_lie_in_their_pixels_of_either_order() {
        for nside in [1u32, 2, 8, 64, 8192] {
            let all = 12 * u64::from(nside) * u64::from(nside);
            let ends = (0..200).chain(all.saturating_sub(200)..all);
            let some = (0..all).step_by(1 + all as usize / 5000).chain(ends);
            for number in some.filter(|number| *number < all) {
                let centre = centre_in_ring_order(number, nside);
                assert_eq!(
                    pixel(centre, nside, PixelOrder::Ring),
                    Some(number),
                    "{nside}"
                );
                let nested = pixel(centre, nside, PixelOrder::Nested).unwrap();
                let (ra, dec) = place_in_pixel(nested, nside, [0.5, 0.5]);
                let off = crate::separation::sum(unit_vector(ra, dec), centre.map(|x| -x));
                assert!(crate::separation::norm2(off) < 1e-24, "{nside} {number}");
            }
        }
    }

    #[test]
    fn the_whole_sky_is_filled_evenly() {
        let (ra, dec) = on_sky(20_000, 3, &SkyWindow::ALL, |_, _| true).unwrap();
        let footprint = holding(&ra, &dec, 8);
        assert_eq!((footprint.n_pixels(), footprint.sky_fraction()), (768, 1.0));
        let n = 200_000;
        let (ra, dec) = footprint.draw(n, 5).unwrap();
        // Equal cells in RA and sin(Dec), which know nothing of pixels: 400, so five standard deviations of chi2 are 142.
        let mut counts = [0.0; 400];
        for (ra, dec) in ra.iter().zip(&dec) {
            let column = (ra / 18.0) as usize;
            let row = ((dec.to_radians().sin() + 1.0) * 10.0) as usize;
            counts[20 * row.min(19) + column] += 1.0;
        }
        let mean = n as f64 / 400.0;
        let chi2: f64 = counts.iter().map(|c| (c - mean) * (c - mean) / mean).sum();
        assert!((chi2 - 399.0).abs() < 142.0, "{chi2}");
    }

    #[test]
    fn a_single_pixel_is_filled_evenly_and_never_left() {
        for (ra, dec) in [(33.0, -12.0), (100.0, 89.9), (200.0, -60.0)] {
            let footprint = holding(&[ra], &[dec], 16);
            let (ra, dec) = footprint.draw(20_000, 9).unwrap();
            // The four pixels of the next resolution in it.
            let mut counts = std::collections::BTreeMap::new();
            for (&ra, &dec) in ra.iter().zip(&dec) {
                assert!(footprint.contains(ra, dec) && (0.0..360.0).contains(&ra));
                *counts.entry(pixel_of(ra, dec, 32).unwrap()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len(), 4);
            // Five standard deviations of a quarter of 20,000.
            assert!(
                counts.values().all(|n| n.abs_diff(5000) < 306),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn a_shorter_catalog_begins_a_longer_one() {
        let footprint = holding(&[1.0, 50.0], &[2.0, 70.0], 4);
        let (ra, dec) = footprint.draw(100, 1).unwrap();
        let (first, _) = footprint.draw(10, 1).unwrap();
        assert_eq!(first, ra[..10]);
        assert_ne!(footprint.draw(100, 2).unwrap().1, dec);
    }

    #[test]
    fn threads_change_nothing() {
        let footprint = holding(&[1.0, 50.0], &[2.0, 70.0], 4);
        let drawn = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| footprint.draw(5000, 1).unwrap())
        };
        assert_eq!(drawn(1), drawn(3));
    }

    #[test]
    fn impossible_footprints_are_refused() {
        let one = Points::from_rows(&[[1.0, 0.0, 0.0]]).unwrap();
        for nside in [0, 3, 100, 16384] {
            let refused = Footprint::holding(&one, nside).unwrap_err();
            assert!(matches!(refused, RegionsError::Nside { limit: 8192, .. }));
        }
        let none = Points::from_rows(&[]).unwrap();
        assert!(Footprint::holding(&none, 4).is_err());
        let origin = Points::from_rows(&[[0.0; 3]]).unwrap();
        assert!(Footprint::holding(&origin, 4).is_err());
    }
}
