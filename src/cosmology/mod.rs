//! Redshift -> comoving distance in a universe of matter, curvature, dark energy, photons and neutrinos.
//!
//! Entry: [`Cosmology`], named or from its parameters, and [`Cosmology::distances`] for a column of redshifts. No growth, no power spectrum.

mod distance;
mod named;
mod number_density;
mod parse;
mod radiation;
mod record;

pub use named::{NAMED, Named};
pub use number_density::{MAX_AREA, NumberDensity};
pub use radiation::{NeutrinoModel, Radiation};

use crate::error::SkyError;

/// Speed of light, km/s.
pub const SPEED_OF_LIGHT: f64 = 299_792.458;

/// The Hubble distance c/H0 in Mpc/h.
const HUBBLE_DISTANCE: f64 = SPEED_OF_LIGHT / 100.0;

/// A Friedmann universe with matter, curvature, dark energy `w(a) = w0 + wa (1 - a)`, and photons and neutrinos where given.
///
/// `E(z)^2 = or(z) (1+z)^4 + om (1+z)^3 + ok (1+z)^2 + ol (1+z)^(3(1+w0+wa)) exp(-3 wa z/(1+z))`. Named universes have the photons and
/// neutrinos of their source; `om=...` alone has none: its distances are longer than those of the named one with this om by up to 1e-3
/// at z = 1 and 2.5e-3 at z = 10. om is the density of all matter but neutrinos, as astropy has it. Dark energy:
/// Chevallier & Polarski 2001, DOI 10.1142/S0218271801000822; Linder 2003, DOI 10.1103/PhysRevLett.90.091301.
///
/// ```
/// use albireo::cosmology::Cosmology;
/// let planck: Cosmology = "Planck18".parse()?;
/// let wcdm: Cosmology = "om=0.3,ol=0.7,w0=-0.9".parse()?;
/// assert!(wcdm.distance(0.5)? < planck.distance(0.5)?);
/// assert_eq!(Cosmology::flat(0.3)?, "om=0.3".parse()?);
/// // What astropy calls w0waCDM(67.66, 0.31, 0.68, w0=-0.9, Tcmb0=2.7255, Neff=3.046, m_nu=[0, 0, 0.06]).
/// let full: Cosmology = "om=0.31,ol=0.68,w0=-0.9,h=0.6766,tcmb=2.7255,neff=3.046,mnu=0:0:0.06".parse()?;
/// assert!(full.omega_k() > 0.008);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cosmology {
    name: Option<&'static str>,
    omega_m: f64,
    omega_lambda: f64,
    omega_k: f64,
    w0: f64,
    wa: f64,
    h: Option<f64>,
    radiation: Option<Radiation>,
}

/// What a peculiar velocity of 1 km/s along the line of sight adds to a distance in redshift space, comoving Mpc/h: `(1+z)/H(z)`, where
/// `e` is the Hubble rate over today's, [`Cosmology::e`]. Kaiser 1987, MNRAS 227, 1.
///
/// ```
/// use albireo::cosmology::{Cosmology, shift_per_velocity};
/// let universe = Cosmology::flat(1.0)?;
/// // E(3) = 4^1.5 = 8: 400 km/s are 2 Mpc/h.
/// assert_eq!(400.0 * shift_per_velocity(3.0, universe.e(3.0)?), 2.0);
/// # Ok::<(), albireo::Error>(())
/// ```
pub fn shift_per_velocity(z: f64, e: f64) -> f64 {
    (1.0 + z) / (100.0 * e)
}

impl Cosmology {
    /// A flat universe of matter and a cosmological constant.
    ///
    /// # Errors
    /// A density outside 0 to 10.
    pub fn flat(omega_m: f64) -> Result<Self, SkyError> {
        Self::new(omega_m, 1.0 - omega_m)
    }

    /// Matter and a cosmological constant; what is missing from 1 is curvature.
    ///
    /// # Errors
    /// A density of matter outside 0 to 10, or of dark energy outside -10 to 10.
    pub fn new(omega_m: f64, omega_lambda: f64) -> Result<Self, SkyError> {
        Self {
            name: None,
            omega_m,
            omega_lambda,
            // Written so that ol = 1 - om gives 0 without a rest.
            omega_k: (1.0 - omega_m) - omega_lambda,
            w0: -1.0,
            wa: 0.0,
            h: None,
            radiation: None,
        }
        .checked()
    }

    /// The same densities with another equation of state of dark energy, `w(a) = w0 + wa (1 - a)`.
    ///
    /// # Errors
    /// A parameter outside -100 to 100.
    pub fn with_dark_energy(self, w0: f64, wa: f64) -> Result<Self, SkyError> {
        let name = None;
        Self {
            name,
            w0,
            wa,
            ..self
        }
        .checked()
    }

    /// The same universe with `h = H0 / (100 km/s/Mpc)` on record; without radiation, distances in Mpc/h do not depend on it.
    ///
    /// # Errors
    /// An h that is not above 0 and at most 10.
    pub fn with_h(self, h: f64) -> Result<Self, SkyError> {
        let h = Some(h);
        let name = None;
        Self { name, h, ..self }.checked()
    }

    /// The same universe with photons and neutrinos, for which dark energy gives way: curvature stays as it is.
    ///
    /// # Errors
    /// A universe without h ([`Cosmology::with_h`]), on which the share of photons depends.
    pub fn with_radiation(self, radiation: Radiation) -> Result<Self, SkyError> {
        if self.h.is_none() {
            return Err(SkyError::Missing(
                "h where it has radiation, such as h=0.68",
            ));
        }
        let radiation = Some(radiation);
        let name = None;
        Self {
            name,
            radiation,
            ..self
        }
        .checked()
    }

    /// Holds the parameters to their ranges, and closes the sum of the densities.
    fn checked(self) -> Result<Self, SkyError> {
        let ranges = [
            ("om", self.omega_m, 0.0..=10.0, "a number from 0 to 10"),
            (
                "ol",
                self.omega_lambda,
                -10.0..=10.0,
                "a number from -10 to 10",
            ),
            ("ok", self.omega_k, -20.0..=20.0, "a number from -20 to 20"),
            ("w0", self.w0, -100.0..=100.0, "a number from -100 to 100"),
            ("wa", self.wa, -100.0..=100.0, "a number from -100 to 100"),
            // Zero is no expansion; beyond 10 somebody gives H0 itself.
            (
                "h",
                self.h.unwrap_or(1.0),
                f64::MIN_POSITIVE..=10.0,
                "H0 / (100 km/s/Mpc), above 0 and at most 10",
            ),
        ];
        match ranges
            .into_iter()
            .find(|(_, value, range, _)| !range.contains(value))
        {
            Some((parameter, value, _, expected)) => Err(SkyError::Parameter {
                parameter,
                value,
                expected,
            }),
            None => Ok(self.closed()),
        }
    }

    /// The same with dark energy making up for photons and neutrinos, where there are any.
    fn closed(self) -> Self {
        let Some(radiation) = self.radiation else {
            return self;
        };
        let radiation = self.omega_photons() * (1.0 + radiation.neutrinos(1.0));
        let omega_lambda = ((1.0 - self.omega_m) - self.omega_k) - radiation;
        Self {
            omega_lambda,
            ..self
        }
    }

    /// The name that it is known by, where it was asked for by one.
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Density of matter today over the critical one, without neutrinos.
    pub fn omega_m(&self) -> f64 {
        self.omega_m
    }

    /// Density of dark energy today over the critical one.
    pub fn omega_lambda(&self) -> f64 {
        self.omega_lambda
    }

    /// What curvature adds to the other densities to make 1, exactly 0 for [`Cosmology::flat`].
    pub fn omega_k(&self) -> f64 {
        self.omega_k
    }

    /// Density of photons today over the critical one; 0 without radiation.
    pub fn omega_photons(&self) -> f64 {
        match (self.radiation, self.h) {
            (Some(radiation), Some(h)) => radiation.photons() / (h * h),
            _ => 0.0,
        }
    }

    /// Density of neutrinos today over the critical one, massive ones included; 0 without radiation.
    pub fn omega_neutrinos(&self) -> f64 {
        let over_photons = self.radiation.map_or(0.0, |r| r.neutrinos(1.0));
        self.omega_photons() * over_photons
    }

    /// `w0` and `wa` of dark energy.
    pub fn dark_energy(&self) -> (f64, f64) {
        (self.w0, self.wa)
    }

    /// H0 over 100 km/s/Mpc, where given.
    pub fn h(&self) -> Option<f64> {
        self.h
    }

    /// Photons and neutrinos, where there are any.
    pub fn radiation(&self) -> Option<Radiation> {
        self.radiation
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
        let matter = self.omega_m * (square * one_plus_z);
        let slow = (matter + self.omega_k * square) + self.omega_lambda * dark;
        match self.radiation {
            None => slow,
            Some(radiation) => {
                let relative = 1.0 + radiation.neutrinos(one_plus_z);
                slow + self.omega_photons() * relative * (square * square)
            }
        }
    }

    /// `H(z)/H0`.
    ///
    /// # Errors
    /// A redshift that is not finite and above -1, or one before which this universe has no beginning.
    pub fn e(&self, z: f64) -> Result<f64, SkyError> {
        if !(z > -1.0 && z.is_finite()) {
            return Err(SkyError::Redshift(z));
        }
        let e2 = self.e2(1.0 + z);
        if e2 > 0.0 && e2.is_finite() {
            Ok(e2.sqrt())
        } else {
            Err(SkyError::NoExpansion { z })
        }
    }
}

#[cfg(test)]
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
    fn densities_with_radiation_make_one() {
        let radiation = Radiation::new(2.7255, NeutrinoModel::Komatsu, 3.046, &[0.1; 3]).unwrap();
        let bare = Cosmology::new(0.3, 0.6).unwrap();
        let missing = bare.with_radiation(radiation).unwrap_err().to_string();
        assert!(missing.contains("needs h"), "{missing}");
        let full = bare.with_h(0.7).unwrap().with_radiation(radiation).unwrap();
        assert_eq!(full.omega_k(), bare.omega_k());
        assert!(full.omega_neutrinos() > 0.006 && full.omega_lambda() < 0.594);
        let sum = full.omega_m() + full.omega_lambda() + full.omega_k();
        let sum = sum + full.omega_photons() + full.omega_neutrinos();
        assert!((sum - 1.0).abs() < 1e-15 && (full.e(0.0).unwrap() - 1.0).abs() < 1e-15);
        // Another h is another share of photons.
        let other = full.with_h(0.5).unwrap();
        assert!((other.omega_photons() / full.omega_photons() - 1.96).abs() < 1e-12);
        assert!((other.e(0.0).unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn impossible_universes_are_refused() {
        assert!(Cosmology::flat(-0.1).is_err());
        assert!(Cosmology::flat(f64::NAN).is_err());
        assert!(Cosmology::new(0.3, f64::INFINITY).is_err());
        let flat = Cosmology::flat(0.3).unwrap();
        assert!(flat.with_h(0.0).is_err());
        let message = flat.with_h(67.66).unwrap_err().to_string();
        assert_eq!(
            message,
            "cosmology parameter h: expected H0 / (100 km/s/Mpc), above 0 and at most 10, found 67.66"
        );
        assert!(Cosmology::flat(31.0).is_err() && Cosmology::new(0.3, 70.0).is_err());
        assert!(flat.with_dark_energy(f64::NAN, 0.0).is_err());
        assert_eq!(flat.e(-1.0), Err(SkyError::Redshift(-1.0)));
        // So much dark energy that the universe bounced.
        let bounced = Cosmology::new(0.1, 3.0).unwrap();
        assert!(matches!(bounced.e(2.0), Err(SkyError::NoExpansion { .. })));
    }
}
