//! Cosmologies by name: published best fits, each with its source.

use super::Cosmology;

/// A published set of parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Named {
    /// How to ask for it, in any case of letters.
    pub name: &'static str,
    /// Density of matter.
    pub omega_m: f64,
    /// H0 over 100 km/s/Mpc.
    pub h: f64,
    /// Paper and table.
    pub source: &'static str,
}

/// The cosmologies known by name; all are flat with a cosmological constant, `ol = 1 - om`.
pub const NAMED: [Named; 6] = [
    Named {
        name: "Planck18",
        omega_m: 0.30966,
        h: 0.6766,
        source: "Planck Collaboration 2020, A&A 641, A6, table 2 (TT,TE,EE+lowE+lensing+BAO), DOI 10.1051/0004-6361/201833910",
    },
    Named {
        name: "Planck15",
        omega_m: 0.3075,
        h: 0.6774,
        source: "Planck Collaboration 2016, A&A 594, A13, table 4 (TT,TE,EE+lowP+lensing+ext), DOI 10.1051/0004-6361/201525830",
    },
    Named {
        name: "Planck13",
        omega_m: 0.30712,
        h: 0.6777,
        source: "Planck Collaboration 2014, A&A 571, A16, table 5 (Planck+WP+highL+BAO), DOI 10.1051/0004-6361/201321591",
    },
    Named {
        name: "WMAP9",
        omega_m: 0.2865,
        h: 0.6932,
        source: "Hinshaw et al. 2013, ApJS 208, 19, table 4 (WMAP9+eCMB+BAO+H0), DOI 10.1088/0067-0049/208/2/19",
    },
    Named {
        name: "WMAP7",
        omega_m: 0.272,
        h: 0.704,
        source: "Komatsu et al. 2011, ApJS 192, 18, table 1 (WMAP+BAO+H0 ML), DOI 10.1088/0067-0049/192/2/18",
    },
    Named {
        name: "WMAP5",
        omega_m: 0.277,
        h: 0.702,
        source: "Komatsu et al. 2009, ApJS 180, 330, table 1 (WMAP+BAO+SN ML), DOI 10.1088/0067-0049/180/2/330",
    },
];

impl Named {
    /// Its parameters.
    pub fn cosmology(&self) -> Cosmology {
        Cosmology {
            omega_m: self.omega_m,
            omega_lambda: 1.0 - self.omega_m,
            w0: -1.0,
            wa: 0.0,
            h: Some(self.h),
        }
    }
}
