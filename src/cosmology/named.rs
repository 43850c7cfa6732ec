//! Cosmologies by name: published sets of parameters, each with its source.

use super::{Cosmology, NeutrinoModel, Radiation};

/// A published set of parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Named {
    /// How to ask for it, in any case of letters.
    pub name: &'static str,
    /// Density of matter, without neutrinos.
    pub omega_m: f64,
    /// H0 over 100 km/s/Mpc.
    pub h: f64,
    /// Temperature of the photons today, K.
    pub t_cmb: f64,
    /// How massive neutrinos are treated.
    pub model: NeutrinoModel,
    /// Effective number of neutrinos, or of massless ones, as [`Radiation::new`] takes it.
    pub neutrinos: f64,
    /// Masses of neutrinos, eV.
    pub masses: &'static [f64],
    /// Paper and table.
    pub source: &'static str,
}

/// One massive neutrino of three, as the fits of Planck have it.
const ONE_MASSIVE: &[f64] = &[0.0, 0.0, 0.06];

/// The parameters that a published fit with the neutrinos of astropy has.
const fn fit(
    name: &'static str,
    [omega_m, h, t_cmb, neutrinos]: [f64; 4],
    masses: &'static [f64],
    source: &'static str,
) -> Named {
    Named {
        name,
        omega_m,
        h,
        t_cmb,
        model: NeutrinoModel::Komatsu,
        neutrinos,
        masses,
        source,
    }
}

/// The cosmologies known by name; all are flat with a cosmological constant, photons and neutrinos.
///
/// `Planck` and `WMAP` are astropy's cosmologies of these names, to 1e-9 in distances. `DESI` is the base cosmology of `AbacusSummit`,
/// the fiducial one of DESI (`cosmoprimo.fiducial.DESI`): `omega_b` = 0.02237, `omega_cdm` = 0.12, 2.0328 massless neutrinos and one
/// with `omega_ncdm` = 0.0006442.
pub const NAMED: [Named; 7] = [
    fit(
        "Planck18",
        [0.30966, 0.6766, 2.7255, 3.046],
        ONE_MASSIVE,
        "Planck Collaboration 2020, A&A 641, A6, table 2 (TT,TE,EE+lowE+lensing+BAO), DOI 10.1051/0004-6361/201833910",
    ),
    fit(
        "Planck15",
        [0.3075, 0.6774, 2.7255, 3.046],
        ONE_MASSIVE,
        "Planck Collaboration 2016, A&A 594, A13, table 4 (TT,TE,EE+lowP+lensing+ext), DOI 10.1051/0004-6361/201525830",
    ),
    fit(
        "Planck13",
        [0.30712, 0.6777, 2.7255, 3.046],
        ONE_MASSIVE,
        "Planck Collaboration 2014, A&A 571, A16, table 5 (Planck+WP+highL+BAO), DOI 10.1051/0004-6361/201321591",
    ),
    fit(
        "WMAP9",
        [0.2865, 0.6932, 2.725, 3.04],
        &[],
        "Hinshaw et al. 2013, ApJS 208, 19, table 4 (WMAP9+eCMB+BAO+H0), DOI 10.1088/0067-0049/208/2/19",
    ),
    fit(
        "WMAP7",
        [0.272, 0.704, 2.725, 3.04],
        &[],
        "Komatsu et al. 2011, ApJS 192, 18, table 1 (WMAP+BAO+H0 ML), DOI 10.1088/0067-0049/192/2/18",
    ),
    fit(
        "WMAP5",
        [0.277, 0.702, 2.725, 3.04],
        &[],
        "Komatsu et al. 2009, ApJS 180, 330, table 1 (WMAP+BAO+SN ML), DOI 10.1088/0067-0049/180/2/330",
    ),
    Named {
        name: "DESI",
        omega_m: (0.02237 + 0.12) / (0.6736 * 0.6736),
        h: 0.6736,
        t_cmb: 2.7255,
        model: NeutrinoModel::FermiDirac,
        neutrinos: 2.0328,
        // What omega_ncdm = 0.0006442 comes to.
        masses: &[0.059_999_92],
        source: "Maksimova et al. 2021, MNRAS 508, 4017 (AbacusSummit, c000), DOI 10.1093/mnras/stab2484",
    },
];

impl Named {
    /// Its parameters.
    pub fn cosmology(&self) -> Cosmology {
        let radiation = Radiation::of(self.t_cmb, self.model, self.neutrinos, self.masses);
        let cosmology = Cosmology {
            name: Some(self.name),
            omega_m: self.omega_m,
            omega_lambda: 1.0 - self.omega_m,
            omega_k: 0.0,
            w0: -1.0,
            wa: 0.0,
            h: Some(self.h),
            radiation: Some(radiation),
        };
        cosmology.closed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_universes_hold_to_the_rules_and_are_flat() {
        for named in NAMED {
            let Named {
                t_cmb,
                model,
                neutrinos,
                masses,
                ..
            } = named;
            let radiation = Radiation::new(t_cmb, model, neutrinos, masses).unwrap();
            let made = Cosmology::flat(named.omega_m)
                .unwrap()
                .with_h(named.h)
                .unwrap();
            let made = made.with_radiation(radiation).unwrap();
            let known = named.cosmology();
            assert_eq!(
                (made.omega_lambda(), known.omega_k()),
                (known.omega_lambda(), 0.0)
            );
            assert_eq!(made.e(1.0), known.e(1.0));
            assert!((known.e(0.0).unwrap() - 1.0).abs() < 1e-15);
            assert!(named.source.contains("DOI 10."));
        }
    }

    #[test]
    fn the_massive_neutrinos_of_desi_have_the_density_of_its_simulations() {
        let desi = NAMED
            .into_iter()
            .find(|named| named.name == "DESI")
            .unwrap();
        let radiation = desi.cosmology().radiation().unwrap();
        let massless = Radiation::of(desi.t_cmb, desi.model, desi.neutrinos, &[]);
        let massive = radiation.neutrinos(1.0) - massless.neutrinos(1.0);
        assert!((radiation.photons() * massive / 0.000_644_2 - 1.0).abs() < 1e-7);
    }
}
