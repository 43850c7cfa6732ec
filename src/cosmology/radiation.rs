//! Photons and neutrinos: how much of the critical density they are, today and earlier.
//!
//! Entry: [`Radiation`], which [`Cosmology::with_radiation`](super::Cosmology::with_radiation) takes. It knows nothing of matter and dark energy.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of species that was checked to be whole and small"
)]

use std::sync::OnceLock;

use super::SPEED_OF_LIGHT;
use crate::error::SkyError;
use crate::quadrature::GaussLegendre;

/// `4 sigma / c^3` in kg m^-3 K^-4: mass density of photons over T^4. Sigma of SI 2019.
const PHOTONS: f64 = {
    let c = SPEED_OF_LIGHT * 1e3;
    4.0 * 5.670_374_419_184_431e-8 / (c * c * c)
};

/// The critical density at 100 km/s/Mpc in kg m^-3, `3 H^2 / (8 pi G)`, with G of CODATA 2018 and the parsec of IAU 2015.
const CRITICAL: f64 = {
    let hubble = 1e5 / 3.085_677_581_491_367e22;
    3.0 * hubble * hubble / (8.0 * std::f64::consts::PI * 6.6743e-11)
};

/// Boltzmann's constant in eV/K.
const BOLTZMANN: f64 = 8.617_333_262_145_179e-5;

/// `7/8 (4/11)^(4/3)`: one kind of massless neutrinos over photons.
const PER_SPECIES: f64 = 0.227_107_317_660_239_37;

/// `(4/11)^(1/3)`: neutrinos that decoupled at once, over photons.
const INSTANT: f64 = 0.713_765_855_503_608_2;

/// Temperature of massive neutrinos over that of photons in [`NeutrinoModel::FermiDirac`], with which `sum m = 93.14 eV omega_nu`.
const MASSIVE: f64 = 0.716_11;

/// `7 pi^4 / 120`: the integral of `x^3 / (e^x + 1)` over all x.
const MASSLESS: f64 = 5.682_196_976_983_475;

/// Kinds of neutrinos that may have a mass of their own.
pub(super) const MOST_SPECIES: usize = 8;

/// How the density of massive neutrinos follows from their masses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeutrinoModel {
    /// As astropy has it: the effective number is shared equally by all species at `(4/11)^(1/3)` of the photons' temperature, and each has
    /// the energy that Komatsu et al. 2011, DOI 10.1088/0067-0049/192/2/18, eq. 26 fit to the integral.
    Komatsu,
    /// As Boltzmann codes have it (Lesgourgues & Tram 2011, DOI 10.1088/1475-7516/2011/09/032): a number of massless neutrinos, and massive
    /// ones at 0.71611 of the photons' temperature with the energy of their Fermi-Dirac distribution, integrated.
    FermiDirac,
}

/// Photons of a temperature, and neutrinos.
///
/// ```
/// use albireo::cosmology::{Cosmology, NeutrinoModel, Radiation};
/// let radiation = Radiation::new(2.7255, NeutrinoModel::Komatsu, 3.046, &[0.0, 0.0, 0.06])?;
/// let planck = Cosmology::flat(0.30966)?.with_h(0.6766)?.with_radiation(radiation)?;
/// assert_eq!(planck.distance(0.5)?, "Planck18".parse::<Cosmology>()?.distance(0.5)?);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Radiation {
    t_cmb: f64,
    model: NeutrinoModel,
    /// The effective number of all species, or that of the massless ones beside the massive.
    number: f64,
    masses: [f64; MOST_SPECIES],
    species: usize,
}

impl Radiation {
    /// Photons of `t_cmb` kelvin and neutrinos of `masses` in eV.
    ///
    /// `number` is Neff, and there is one mass for each of its floor(Neff) species, or none where all are massless
    /// ([`NeutrinoModel::Komatsu`]); or it is the number of massless ones beside those with `masses` ([`NeutrinoModel::FermiDirac`]).
    ///
    /// # Errors
    /// A temperature outside 0 to 100 K, a number outside 0 to 9, masses that are negative, above 100 eV, or not as many as there should be.
    pub fn new(
        t_cmb: f64,
        model: NeutrinoModel,
        number: f64,
        masses: &[f64],
    ) -> Result<Self, SkyError> {
        let (number_key, mass_key) = model.keys();
        let refuse = |parameter, value, expected| {
            Err(SkyError::Parameter {
                parameter,
                value,
                expected,
            })
        };
        if !(0.0..=100.0).contains(&t_cmb) {
            return refuse("tcmb", t_cmb, "a temperature of 0 to 100 K");
        }
        if !(0.0..9.0).contains(&number) {
            return refuse(number_key, number, "a number from 0 to below 9");
        }
        if let Some(&mass) = masses.iter().find(|m| !(0.0..=100.0).contains(*m)) {
            return refuse(mass_key, mass, "masses of 0 to 100 eV");
        }
        let most = match model {
            NeutrinoModel::Komatsu => number as usize,
            NeutrinoModel::FermiDirac => MOST_SPECIES,
        };
        let right = match model {
            NeutrinoModel::Komatsu => masses.is_empty() || masses.len() == most,
            NeutrinoModel::FermiDirac => masses.len() <= most,
        };
        if !right {
            return Err(SkyError::Masses {
                key: mass_key,
                found: masses.len(),
                expected: most,
            });
        }
        // Without any mass the number alone says it all.
        let massless = masses.iter().all(|&m| m == 0.0);
        let counted = if massless && model == NeutrinoModel::Komatsu {
            &[]
        } else {
            masses
        };
        Ok(Self::of(t_cmb, model, number, counted))
    }

    /// The same, of parameters that hold to the rules.
    pub(super) fn of(t_cmb: f64, model: NeutrinoModel, number: f64, given: &[f64]) -> Self {
        let mut masses = [0.0; MOST_SPECIES];
        for (slot, mass) in masses.iter_mut().zip(given) {
            *slot = *mass;
        }
        Self {
            t_cmb,
            model,
            number,
            masses,
            species: given.len(),
        }
    }

    /// Temperature of the photons today, K.
    pub fn t_cmb(&self) -> f64 {
        self.t_cmb
    }

    /// How massive neutrinos are treated.
    pub fn model(&self) -> NeutrinoModel {
        self.model
    }

    /// The effective number of neutrinos ([`NeutrinoModel::Komatsu`]), or of the massless ones ([`NeutrinoModel::FermiDirac`]).
    pub fn number(&self) -> f64 {
        self.number
    }

    /// Masses, eV; none where all are massless.
    pub fn masses(&self) -> &[f64] {
        &self.masses[..self.species]
    }

    /// Photons over the critical density today, times h^2.
    pub(super) fn photons(&self) -> f64 {
        let square = self.t_cmb * self.t_cmb;
        PHOTONS * (square * square) / CRITICAL
    }

    /// Neutrinos over photons, by energy, at `1 + z`.
    pub(super) fn neutrinos(&self, one_plus_z: f64) -> f64 {
        match self.model {
            NeutrinoModel::Komatsu => {
                if self.species == 0 {
                    return PER_SPECIES * self.number;
                }
                let each = self.number / self.species as f64;
                let sum: f64 = self.relative(INSTANT, one_plus_z, fit).sum();
                PER_SPECIES * each * sum
            }
            NeutrinoModel::FermiDirac => {
                let ratio = MASSIVE * MASSIVE;
                let sum: f64 = self.relative(MASSIVE, one_plus_z, integral).sum();
                PER_SPECIES * self.number + 0.875 * (ratio * ratio) * sum
            }
        }
    }

    /// Energy of each species over that of a massless one.
    fn relative(
        &self,
        temperature: f64,
        one_plus_z: f64,
        energy: fn(f64) -> f64,
    ) -> impl Iterator<Item = f64> {
        let thermal = BOLTZMANN * (temperature * self.t_cmb) * one_plus_z;
        let each = self.masses().iter();
        each.map(move |&mass| {
            if mass > 0.0 {
                energy(mass / thermal)
            } else {
                1.0
            }
        })
    }
}

impl NeutrinoModel {
    /// The keys of number and masses in text.
    pub(super) fn keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Komatsu => ("neff", "mnu"),
            Self::FermiDirac => ("nur", "mncdm"),
        }
    }
}

/// Energy of neutrinos of `y = m/(kT)` over massless ones, as Komatsu et al. fit it.
fn fit(y: f64) -> f64 {
    libm::pow(1.0 + libm::pow(0.3173 * y, 1.83), 0.546_448_087_43)
}

/// Energy of neutrinos of `y = m/(kT)` over massless ones: the integral of `x^2 sqrt(x^2 + y^2) / (e^x + 1)`.
fn integral(y: f64) -> f64 {
    let terms = distribution().iter();
    let terms = terms.map(|&(x, weight)| weight * (x * x + y * y).sqrt());
    terms.sum::<f64>() / MASSLESS
}

/// Momenta with their share of a thermal distribution.
fn distribution() -> &'static [(f64, f64)] {
    static DISTRIBUTION: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    DISTRIBUTION.get_or_init(|| {
        let rule = GaussLegendre::default();
        let panels = [0.0, 0.5, 2.0, 5.0, 10.0, 18.0, 30.0, 50.0];
        let ends = panels.windows(2);
        let points = ends.flat_map(|ends| rule.points(ends[0], ends[1]));
        let share = |(x, weight): (f64, f64)| (x, weight * (x * x / (libm::exp(x) + 1.0)));
        points.map(share).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::NeutrinoModel::{FermiDirac, Komatsu};
    use super::*;

    #[test]
    fn constants_are_what_they_say() {
        let ratio: f64 = 4.0 / 11.0;
        assert!((INSTANT - ratio.cbrt()).abs() < 1e-15);
        assert!((PER_SPECIES - 0.875 * INSTANT.powi(4)).abs() < 1e-15);
        assert!((MASSLESS - 7.0 * std::f64::consts::PI.powi(4) / 120.0).abs() < 1e-14);
    }

    #[test]
    fn the_integral_has_its_limits() {
        assert!((integral(0.0) - 1.0).abs() < 1e-14);
        // Light: 1 + y^2 * int x/(2(e^x+1)) / (7 pi^4/120), that integral being pi^2/24.
        let y: f64 = 1e-3;
        let light = y * y * std::f64::consts::PI.powi(2) / 24.0 / MASSLESS;
        assert!(((integral(y) - 1.0) / light - 1.0).abs() < 1e-2);
        // Heavy: y times the number, 3/2 zeta(3), and the first correction 15/2 zeta(5) / y.
        let y = 1e4;
        let heavy = y * (1.5 * 1.202_056_903_159_594_3 + 11.25 * 1.036_927_755_143_37 / (y * y));
        assert!((integral(y) / (heavy / MASSLESS) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn the_fit_is_near_the_integral() {
        for k in 0..60 {
            let y = libm::pow(10.0, f64::from(k) * 0.1 - 2.0);
            let off = (fit(y) / integral(y) - 1.0).abs();
            assert!(off < 3.4e-3, "y = {y}: {off}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let refusal = |t, model, number, masses: &[f64]| {
            Radiation::new(t, model, number, masses)
                .unwrap_err()
                .to_string()
        };
        assert!(refusal(-1.0, Komatsu, 3.0, &[]).contains("tcmb: expected a temperature"));
        assert!(refusal(f64::NAN, Komatsu, 3.0, &[]).contains("tcmb"));
        assert!(refusal(2.7, Komatsu, 30.0, &[]).contains("neff"));
        assert!(refusal(2.7, FermiDirac, -1.0, &[]).contains("nur"));
        assert!(refusal(2.7, Komatsu, 3.0, &[0.0, -0.1, 0.0]).contains("mnu"));
        assert_eq!(
            refusal(2.7, Komatsu, 3.046, &[0.06]),
            "cosmology key mnu: expected 3 masses in eV, one for each species, such as mnu=0:0:0.06; found 1"
        );
        assert!(refusal(2.7, FermiDirac, 1.0, &[0.1; 9]).contains("found 9"));
    }
}
