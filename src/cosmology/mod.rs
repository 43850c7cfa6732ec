//! Redshift -> comoving distance in a universe of matter, curvature and dark energy.
//!
//! Entry: [`Cosmology`], named or from its parameters, and [`Cosmology::distances`] for a column of redshifts. No growth, no power spectrum.

mod distance;
mod named;
mod parse;

pub use named::{NAMED, Named};

use serde::Serialize;

use crate::error::CosmologyError;

/// Speed of light, km/s.
pub const SPEED_OF_LIGHT: f64 = 299_792.458;

/// The Hubble distance c/H0 in Mpc/h.
const HUBBLE_DISTANCE: f64 = SPEED_OF_LIGHT / 100.0;

/// A Friedmann universe with matter, curvature and dark energy `w(a) = w0 + wa (1 - a)`.
///
/// `E(z)^2 = om (1+z)^3 + ok (1+z)^2 + ol (1+z)^(3(1+w0+wa)) exp(-3 wa z/(1+z))`, `ok = 1 - om - ol`. Photons and neutrinos are
/// left out: with them the named universes have distances shorter by up to 1e-3 at z = 1 and 2.5e-3 at z = 10. Dark energy:
/// Chevallier & Polarski 2001, DOI 10.1142/S0218271801000822; Linder 2003,
/// DOI 10.1103/PhysRevLett.90.091301.
///
/// ```
/// use albireo::cosmology::Cosmology;
/// let planck: Cosmology = "Planck18".parse()?;
/// let wcdm: Cosmology = "om=0.3,ol=0.7,w0=-0.9".parse()?;
/// assert!(wcdm.distance(0.5)? < planck.distance(0.5)?);
/// assert_eq!(Cosmology::flat(0.3)?, "om=0.3".parse()?);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cosmology {
    omega_m: f64,
    omega_lambda: f64,
    w0: f64,
    wa: f64,
    h: Option<f64>,
}

impl Cosmology {
    /// A flat universe with a cosmological constant.
    ///
    /// # Errors
    /// A negative or not finite density.
    pub fn flat(omega_m: f64) -> Result<Self, CosmologyError> {
        Self::new(omega_m, 1.0 - omega_m)
    }

    /// Matter, a cosmological constant, and the curvature that the two leave.
    ///
    /// # Errors
    /// A matter density that is negative, or a density that is not finite.
    pub fn new(omega_m: f64, omega_lambda: f64) -> Result<Self, CosmologyError> {
        Self {
            omega_m,
            omega_lambda,
            w0: -1.0,
            wa: 0.0,
            h: None,
        }
        .checked()
    }

    /// The same densities with another equation of state of dark energy, `w(a) = w0 + wa (1 - a)`.
    ///
    /// # Errors
    /// A parameter that is not finite.
    pub fn with_dark_energy(self, w0: f64, wa: f64) -> Result<Self, CosmologyError> {
        Self { w0, wa, ..self }.checked()
    }

    /// The same universe with `h = H0 / (100 km/s/Mpc)` on record; distances in Mpc/h do not depend on it.
    ///
    /// # Errors
    /// An h that is not positive and finite.
    pub fn with_h(self, h: f64) -> Result<Self, CosmologyError> {
        Self { h: Some(h), ..self }.checked()
    }

    fn checked(self) -> Result<Self, CosmologyError> {
        let refuse = |parameter, value, expected| {
            Err(CosmologyError::Parameter {
                parameter,
                value,
                expected,
            })
        };
        if !(self.omega_m >= 0.0 && self.omega_m.is_finite()) {
            return refuse("om", self.omega_m, "a finite number >= 0");
        }
        for (name, value) in [("ol", self.omega_lambda), ("w0", self.w0), ("wa", self.wa)] {
            if !value.is_finite() {
                return refuse(name, value, "a finite number");
            }
        }
        match self.h {
            Some(h) if !(h > 0.0 && h.is_finite()) => refuse("h", h, "a finite number > 0"),
            _ => Ok(self),
        }
    }

    /// Density of matter today over the critical one.
    pub fn omega_m(&self) -> f64 {
        self.omega_m
    }

    /// Density of dark energy today over the critical one.
    pub fn omega_lambda(&self) -> f64 {
        self.omega_lambda
    }

    /// What curvature adds: `1 - om - ol`, exactly 0 for [`Cosmology::flat`].
    pub fn omega_k(&self) -> f64 {
        // Written so that ol = 1 - om gives 0 without a rest.
        (1.0 - self.omega_m) - self.omega_lambda
    }

    /// `w0` and `wa` of dark energy.
    pub fn dark_energy(&self) -> (f64, f64) {
        (self.w0, self.wa)
    }

    /// H0 over 100 km/s/Mpc, where given.
    pub fn h(&self) -> Option<f64> {
        self.h
    }

    /// `E(z)^2 = (H(z)/H0)^2` at `1 + z`.
    fn e2(&self, one_plus_z: f64) -> f64 {
        let square = one_plus_z * one_plus_z;
        let dark = if self.w0 == -1.0 && self.wa == 0.0 {
            1.0
        } else {
            let power = libm::pow(one_plus_z, 3.0 * (1.0 + self.w0 + self.wa));
            power * libm::exp(-3.0 * self.wa * (1.0 - 1.0 / one_plus_z))
        };
        (self.omega_m * (square * one_plus_z) + self.omega_k() * square) + self.omega_lambda * dark
    }

    /// `H(z)/H0`.
    ///
    /// # Errors
    /// A redshift that is not finite and above -1, or one before which this universe has no beginning.
    pub fn e(&self, z: f64) -> Result<f64, CosmologyError> {
        if !(z > -1.0 && z.is_finite()) {
            return Err(CosmologyError::Redshift(z));
        }
        let e2 = self.e2(1.0 + z);
        if e2 > 0.0 && e2.is_finite() {
            Ok(e2.sqrt())
        } else {
            Err(CosmologyError::NoExpansion { z })
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn flat_universes_are_exactly_flat() {
        for k in 0..100 {
            assert_eq!(Cosmology::flat(f64::from(k) / 99.0).unwrap().omega_k(), 0.0);
        }
    }

    #[test]
    fn the_expansion_of_a_matter_universe() {
        let cosmology = Cosmology::flat(1.0).unwrap();
        assert_eq!(cosmology.e(3.0).unwrap(), 8.0);
        // Dark energy with w = 0 is matter, w = -1/3 curvature.
        let dust = Cosmology::new(0.3, 0.7).unwrap().with_dark_energy(0.0, 0.0);
        assert!((dust.unwrap().e(3.0).unwrap() - 8.0).abs() < 1e-14);
        let strings = Cosmology::new(0.3, 0.7).unwrap();
        let strings = strings.with_dark_energy(-1.0 / 3.0, 0.0).unwrap();
        let open = Cosmology::new(0.3, 0.0).unwrap();
        assert!((strings.e(2.0).unwrap() - open.e(2.0).unwrap()).abs() < 1e-14);
    }

    #[test]
    fn impossible_universes_are_refused() {
        assert!(Cosmology::flat(-0.1).is_err());
        assert!(Cosmology::flat(f64::NAN).is_err());
        assert!(Cosmology::new(0.3, f64::INFINITY).is_err());
        let flat = Cosmology::flat(0.3).unwrap();
        assert!(flat.with_h(0.0).is_err());
        assert!(flat.with_dark_energy(f64::NAN, 0.0).is_err());
        assert_eq!(flat.e(-1.0), Err(CosmologyError::Redshift(-1.0)));
        // So much dark energy that the universe bounced.
        let bounced = Cosmology::new(0.1, 3.0).unwrap();
        assert!(matches!(
            bounced.e(2.0),
            Err(CosmologyError::NoExpansion { .. })
        ));
    }
}
