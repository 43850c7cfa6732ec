//! Random directions in a window of right ascension and declination.

use rayon::prelude::*;

use super::Stream;
use crate::error::{Error, RandomError};
use crate::particles::check_number;
use crate::pool;

/// A window on the sky between two right ascensions and two declinations, degrees.
///
/// The window runs from `ra_min` up to `ra_max`; one across RA = 0 begins below zero, as in -20 to 30. Directions come out with
/// RA in [0, 360).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkyWindow {
    ra: [f64; 2],
    /// Sines of the declination limits.
    sine: [f64; 2],
    dec: [f64; 2],
}

/// Attempts for one direction before a footprint counts as empty.
const ATTEMPTS: u64 = 100_000;

impl SkyWindow {
    /// All directions.
    pub const ALL: Self = Self {
        ra: [0.0, 360.0],
        sine: [-1.0, 1.0],
        dec: [-90.0, 90.0],
    };

    /// The directions with RA in `ra` and Dec in `dec`, degrees.
    ///
    /// # Errors
    /// RA limits outside [-360, 360], not rising or more than a circle apart; Dec limits outside [-90, 90] or not rising.
    pub fn new(ra: [f64; 2], dec: [f64; 2]) -> Result<Self, RandomError> {
        let ra_holds =
            ra.iter().all(|v| v.abs() <= 360.0) && ra[0] < ra[1] && ra[1] - ra[0] <= 360.0;
        let dec_holds = dec.iter().all(|v| v.abs() <= 90.0) && dec[0] < dec[1];
        if !(ra_holds && dec_holds) {
            return Err(RandomError::Window { ra, dec });
        }
        let sine = dec.map(|d| libm::sin(d * (std::f64::consts::PI / 180.0)));
        Ok(Self { ra, sine, dec })
    }

    /// The direction that two numbers in [0, 1) stand for: uniform in RA and in sin(Dec).
    fn direction(&self, u: f64, v: f64) -> (f64, f64) {
        let ra = (self.ra[0] + u * (self.ra[1] - self.ra[0])).rem_euclid(360.0);
        let sine = self.sine[0] + v * (self.sine[1] - self.sine[0]);
        let dec = libm::asin(sine.clamp(-1.0, 1.0)) * (180.0 / std::f64::consts::PI);
        let ra = if ra == 360.0 { 0.0 } else { ra };
        (ra, dec.clamp(self.dec[0], self.dec[1]))
    }
}

/// `n` directions (RA, Dec) in degrees, uniform on the part of `window` for which `footprint(ra, dec)` holds.
///
/// ```
/// use albireo::random::{SkyWindow, on_sky};
/// let window = SkyWindow::new([-10.0, 40.0], [0.0, 30.0])?;
/// // Leave out a disc around a bright star.
/// let (ra, dec) = on_sky(1000, 7, &window, |ra, dec| (ra - 20.0).hypot(dec - 15.0) > 1.0)?;
/// assert_eq!((ra.len(), dec.len()), (1000, 1000));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A footprint that turns down 100,000 directions in a row, or more points than a sample can hold.
pub fn on_sky(
    n: usize,
    seed: u64,
    window: &SkyWindow,
    footprint: impl Fn(f64, f64) -> bool + Sync + Send,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    check_number(n)?;
    let stream = Stream::new(seed);
    let place = |i: u64| {
        // Each point has a sequence of its own, as the number of attempts is not known beforehand.
        let own = stream.child(i);
        (0..ATTEMPTS)
            .map(|k| window.direction(own.uniform(2 * k), own.uniform(2 * k + 1)))
            .find(|&(ra, dec)| footprint(ra, dec))
            .ok_or(RandomError::EmptyFootprint { attempts: ATTEMPTS })
    };
    let parallel = || (0..n as u64).into_par_iter().map(place).collect();
    let directions: Result<Vec<_>, _> = pool::run(parallel, || (0..n as u64).map(place).collect());
    Ok(directions?.into_iter().unzip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_filled_evenly() {
        let window = SkyWindow::new([-20.0, 30.0], [-30.0, 60.0]).unwrap();
        let (ra, dec) = on_sky(100_000, 2, &window, |_, _| true).unwrap();
        let inside = |ra: f64| (0.0..=30.0).contains(&ra) || (340.0..360.0).contains(&ra);
        assert!(ra.iter().all(|&ra| inside(ra)));
        assert!(dec.iter().all(|dec| (-30.0..=60.0).contains(dec)));
        // Area below the equator over all: (sin 0 + sin 30) / (sin 60 + sin 30).
        let share = 0.5 / (0.75f64.sqrt() + 0.5);
        let below = dec.iter().filter(|&&dec| dec < 0.0).count() as f64 / 1e5;
        assert!((below - share).abs() < 5.0 * (share * (1.0 - share) / 1e5).sqrt());
        let west = ra.iter().filter(|&&ra| ra > 180.0).count() as f64 / 1e5;
        assert!((west - 0.4).abs() < 5.0 * (0.24 / 1e5f64).sqrt());
    }

    #[test]
    fn footprints_are_kept() {
        let (ra, dec) =
            on_sky(1000, 2, &SkyWindow::ALL, |ra, dec| ra < 90.0 && dec > 45.0).unwrap();
        assert!(ra.iter().all(|&ra| ra < 90.0) && dec.iter().all(|&dec| dec > 45.0));
        let shorter = on_sky(10, 2, &SkyWindow::ALL, |ra, dec| ra < 90.0 && dec > 45.0).unwrap();
        assert_eq!(shorter, (ra[..10].to_vec(), dec[..10].to_vec()));
        assert!(on_sky(1, 2, &SkyWindow::ALL, |_, _| false).is_err());
    }

    #[test]
    fn impossible_windows_are_refused() {
        for (ra, dec) in [
            ([10.0, 10.0], [0.0, 1.0]),
            ([0.0, 361.0], [0.0, 1.0]),
            ([-200.0, 200.0], [0.0, 1.0]),
            ([0.0, 1.0], [-91.0, 0.0]),
            ([0.0, 1.0], [1.0, 0.0]),
            ([f64::NAN, 1.0], [0.0, 1.0]),
        ] {
            assert!(SkyWindow::new(ra, dec).is_err(), "{ra:?} {dec:?}");
        }
    }
}
