//! Units as this test knows them: the size of each in its family, and how files spell it.

use crate::random::Random;

/// A unit: its family, its usual name, how many of the family's measure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    pub(crate) family: &'static str,
    pub(crate) name: &'static str,
    pub(crate) size: f64,
    spellings: &'static [&'static str],
}

const fn unit(
    family: &'static str,
    name: &'static str,
    size: f64,
    spellings: &'static [&'static str],
) -> Unit {
    Unit {
        family,
        name,
        size,
        spellings,
    }
}

pub(crate) const MPC_H: Unit = unit(
    "1/h",
    "Mpc/h",
    1.0,
    &["Mpc/h", "h-1 Mpc", "Mpc / littleh", "Mpc h^-1"],
);
pub(crate) const KPC_H: Unit = unit("1/h", "kpc/h", 1e-3, &["kpc/h", "h^-1 kpc", "ckpc/h"]);
pub(crate) const MPC: Unit = unit("cosmic", "Mpc", 1.0, &["Mpc", "megaparsec", "cMpc"]);
pub(crate) const NONE: Unit = unit("none", "", 1.0, &[""]);

pub(crate) const LENGTHS: [&[Unit]; 5] = [
    &[
        MPC,
        unit("cosmic", "kpc", 1e-3, &["kpc", "ckpc"]),
        unit("cosmic", "pc", 1e-6, &["pc", "parsec"]),
        unit("cosmic", "Gpc", 1e3, &["Gpc"]),
    ],
    &[MPC_H, KPC_H],
    &[
        unit("molecular", "nm", 10.0, &["nm", "nanometer"]),
        unit(
            "molecular",
            "Angstrom",
            1.0,
            &["Angstrom", "angstroms", "0.1 nm"],
        ),
        unit("molecular", "Bohr", 0.529_177_210_903, &["Bohr", "bohr"]),
        unit("molecular", "pm", 0.01, &["pm"]),
    ],
    &[
        unit("everyday", "m", 1.0, &["m", "meter"]),
        unit("everyday", "cm", 0.01, &["cm"]),
        unit("everyday", "AU", 149_597_870_700.0, &["AU", "au"]),
    ],
    &[NONE],
];

pub(crate) const ANGLES: [Unit; 6] = [
    unit("angle", "deg", 1.0, &["deg", "degree", ""]),
    unit(
        "angle",
        "rad",
        180.0 / std::f64::consts::PI,
        &["rad", "radians"],
    ),
    unit("angle", "arcmin", 1.0 / 60.0, &["arcmin"]),
    unit("angle", "arcsec", 1.0 / 3600.0, &["arcsec"]),
    unit("angle", "mas", 1.0 / 3.6e6, &["mas"]),
    unit("angle", "hourangle", 15.0, &["hourangle"]),
];

/// What is no length.
pub(crate) const NO_LENGTHS: [&str; 4] = ["km/s", "K", "deg", "furlong"];

impl Unit {
    pub(crate) fn spelt(&self, drawn: &mut Random) -> &'static str {
        drawn.pick(self.spellings)
    }

    /// What numbers in this unit are multiplied by to be in the other one.
    pub(crate) fn to(&self, other: &Self) -> f64 {
        self.size / other.size
    }
}

/// A unit of another family, neither of none.
pub(crate) fn foreign(drawn: &mut Random, family: &str) -> Unit {
    loop {
        let other = LENGTHS[drawn.below(4)][0];
        if other.family != family {
            return other;
        }
    }
}
