//! Cosmologies as text: a name, or `key=value` pairs.

use std::fmt;
use std::str::FromStr;

use super::{Cosmology, NAMED, NeutrinoModel, Radiation};
use crate::error::SkyError;

/// Keys with a number each; masses of neutrinos come in lists.
const KEYS: [&str; 9] = ["om", "ol", "ok", "w0", "wa", "h", "tcmb", "neff", "nur"];
const MASSES: [&str; 2] = ["mnu", "mncdm"];

fn syntax(found: &str) -> SkyError {
    let names: Vec<_> = NAMED.iter().map(|named| named.name).collect();
    SkyError::Syntax {
        found: found.to_owned(),
        names: names.join(", "),
    }
}

/// What stands in the text.
#[derive(Default)]
struct Pairs {
    /// The values of the keys, in the order of [`KEYS`].
    values: [Option<f64>; 9],
    /// Those of [`MASSES`].
    masses: [Option<Vec<f64>>; 2],
}

fn number(key: &'static str, text: &str) -> Result<f64, SkyError> {
    text.parse().map_err(|_| SkyError::NotANumber {
        key,
        found: text.to_owned(),
    })
}

impl Pairs {
    fn read(text: &str) -> Result<Self, SkyError> {
        let mut pairs = Self::default();
        for pair in text.split(',') {
            let (key, value) = pair.split_once('=').ok_or_else(|| syntax(pair.trim()))?;
            pairs.take(key.trim(), value.trim())?;
        }
        Ok(pairs)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), SkyError> {
        let named = |known: &&str| *known == key.to_lowercase();
        let (known, twice) = match (KEYS.iter().position(named), MASSES.iter().position(named)) {
            (Some(index), _) => {
                let given = number(KEYS[index], value)?;
                (KEYS[index], self.values[index].replace(given).is_some())
            }
            (None, Some(index)) => {
                let each = value
                    .split(':')
                    .map(|one| number(MASSES[index], one.trim()));
                let given = each.collect::<Result<_, _>>()?;
                (MASSES[index], self.masses[index].replace(given).is_some())
            }
            (None, None) => return Err(SkyError::UnknownKey(key.to_owned())),
        };
        if twice {
            return Err(SkyError::Conflict(format!("{known} is given twice")));
        }
        Ok(())
    }

    /// Photons and neutrinos, where any key of theirs is given.
    fn radiation(&mut self) -> Result<Option<Radiation>, SkyError> {
        let [.., tcmb, neff, nur] = self.values;
        let [mnu, mncdm] = std::mem::take(&mut self.masses);
        let conflict = |text: &str| Err(SkyError::Conflict(text.to_owned()));
        let of_neutrinos = [
            neff.is_some(),
            nur.is_some(),
            mnu.is_some(),
            mncdm.is_some(),
        ];
        let Some(tcmb) = tcmb else {
            return if of_neutrinos.contains(&true) {
                conflict("neutrinos need the temperature of the photons: tcmb=2.7255")
            } else {
                Ok(None)
            };
        };
        let (model, number, masses) = match (neff, nur, mnu, mncdm) {
            (None, Some(number), None, masses) => (NeutrinoModel::FermiDirac, number, masses),
            (Some(number), None, masses, None) => (NeutrinoModel::Komatsu, number, masses),
            (None, None, ..) => {
                return conflict(
                    "tcmb needs the number of neutrinos: neff=3.046 (of all) or nur=2.0328 (of the massless ones)",
                );
            }
            _ => {
                return conflict(
                    "give neff with mnu (one mass for each species), or nur with mncdm (massless ones, and masses of the others)",
                );
            }
        };
        Radiation::new(tcmb, model, number, &masses.unwrap_or_default()).map(Some)
    }
}

impl FromStr for Cosmology {
    type Err = SkyError;

    /// Reads a name of [`NAMED`] in any case of letters, or `om=0.3,ol=0.7,w0=-1,wa=0,h=0.7`.
    ///
    /// `om` is needed. `ol` or `ok` gives the curvature; without both the universe is flat. `w0` is -1 and `wa` is 0 unless given.
    /// Photons and neutrinos: `tcmb` (K) with `neff` and `mnu` (eV, one mass for each of the floor(neff) species, as in `mnu=0:0:0.06`;
    /// massless without it), or with `nur` and `mncdm` as Boltzmann codes call them; they need `h`.
    fn from_str(text: &str) -> Result<Self, SkyError> {
        let text = text.trim();
        if !text.contains('=') {
            let named = NAMED
                .iter()
                .find(|named| named.name.eq_ignore_ascii_case(text));
            return named
                .map(super::Named::cosmology)
                .ok_or_else(|| syntax(text));
        }
        let mut pairs = Pairs::read(text)?;
        let radiation = pairs.radiation()?;
        let [om, ol, ok, w0, wa, h, ..] = pairs.values;
        let om = om.ok_or(SkyError::Missing("om"))?;
        if ol.is_some() && ok.is_some() {
            let conflict = "give ol or ok, not both: om + ol + ok = 1";
            return Err(SkyError::Conflict(conflict.to_owned()));
        }
        let bare = match (ol, ok) {
            (Some(ol), _) => Self::new(om, ol)?,
            (None, Some(ok)) => Self::new(om, (1.0 - om) - ok)?,
            (None, None) => Self::flat(om)?,
        };
        let cosmology = bare.with_dark_energy(w0.unwrap_or(-1.0), wa.unwrap_or(0.0))?;
        let cosmology = match h {
            Some(h) => cosmology.with_h(h)?,
            None => cosmology,
        };
        let Some(radiation) = radiation else {
            return Ok(cosmology);
        };
        let full = cosmology.with_radiation(radiation)?;
        // Curvature as it is given, or what the densities that are given leave of 1.
        let omega_k = match (ol, ok) {
            (Some(ol), _) => ((1.0 - om) - ol) - (full.omega_photons() + full.omega_neutrinos()),
            (None, ok) => ok.unwrap_or(0.0),
        };
        Self { omega_k, ..full }.checked()
    }
}

/// Its name, or `om=...,ol=...,w0=...,wa=...[,h=...]`, with radiation `om=...,ok=...,w0=...,wa=...,h=...,tcmb=...` and its neutrinos: text
/// that reads back as the same bits.
impl fmt::Display for Cosmology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name {
            return f.write_str(name);
        }
        let (w0, wa) = self.dark_energy();
        write!(f, "om={}", self.omega_m)?;
        match self.radiation {
            None => write!(f, ",ol={}", self.omega_lambda)?,
            Some(_) => write!(f, ",ok={}", self.omega_k)?,
        }
        write!(f, ",w0={w0},wa={wa}")?;
        if let Some(h) = self.h {
            write!(f, ",h={h}")?;
        }
        let Some(radiation) = self.radiation else {
            return Ok(());
        };
        let (number, masses) = radiation.model().keys();
        write!(
            f,
            ",tcmb={},{number}={}",
            radiation.t_cmb(),
            radiation.number()
        )?;
        let each: Vec<String> = radiation.masses().iter().map(f64::to_string).collect();
        if each.is_empty() {
            return Ok(());
        }
        write!(f, ",{masses}={}", each.join(":"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Cosmology, SkyError> {
        text.parse()
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn names_and_pairs() {
        assert_eq!(read("planck18").unwrap().omega_m(), 0.30966);
        assert_eq!(read(" Planck15 ").unwrap().h(), Some(0.6774));
        assert_eq!(read("om=0.3").unwrap(), Cosmology::flat(0.3).unwrap());
        let full = read("OM=0.3, ol=0.6, w0=-0.9, wa=0.1, h=0.7").unwrap();
        let made = Cosmology::new(0.3, 0.6).unwrap();
        let made = made.with_dark_energy(-0.9, 0.1).unwrap().with_h(0.7);
        assert_eq!(full, made.unwrap());
        assert!((read("om=0.3,ok=0.1").unwrap().omega_k() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in [
            "Planck18",
            "om=0.1,ok=0.7",
            "om=0.3,ol=0.65,w0=-0.123456789,wa=0.3,h=0.7",
            "DESI",
            "om=0.3,h=0.7,tcmb=2.7255,neff=3.04",
            "om=0.31,ol=0.65,w0=-0.9,h=0.67,tcmb=2.7255,neff=3.046,mnu=0:0.01:0.05",
            "om=0.31,ok=-0.0123,h=0.67,tcmb=2.7,nur=2.0328,mncdm=0.06",
            "om=0.31,h=0.67,tcmb=2.7,nur=1.0196,mncdm=0.06:0.01",
        ] {
            let cosmology = read(text).unwrap();
            assert_eq!(read(&cosmology.to_string()).unwrap(), cosmology);
        }
    }

    #[test]
    fn names_are_kept_until_a_parameter_changes() {
        let planck = read("planck18").unwrap();
        assert_eq!(
            (planck.name(), planck.to_string()),
            (Some("Planck18"), "Planck18".to_owned())
        );
        let other = planck.with_dark_energy(-0.9, 0.0).unwrap();
        assert_eq!(
            (other.name(), other.to_string().as_str()),
            (
                None,
                "om=0.30966,ok=0,w0=-0.9,wa=0,h=0.6766,tcmb=2.7255,neff=3.046,mnu=0:0:0.06"
            )
        );
    }

    #[test]
    fn refusals_of_radiation_say_what_is_missing() {
        assert!(refusal("om=0.3,tcmb=2.7,neff=3").contains("needs h"));
        assert!(refusal("om=0.3,h=0.7,neff=3").contains("tcmb=2.7255"));
        assert!(refusal("om=0.3,h=0.7,mnu=0.1").contains("tcmb=2.7255"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7").contains("neff=3.046"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7,neff=3,mncdm=0.1").contains("nur with mncdm"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7,neff=3,nur=1").contains("nur with mncdm"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7,neff=3,mnu=0.1").contains("expected 3 masses"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7,neff=3,mnu=0:x:0").contains("found 'x'"));
        assert!(refusal("om=0.3,h=0.7,tcmb=2.7,neff=3,mnu=0:0:1,mnu=0:0:1").contains("twice"));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        assert_eq!(
            refusal("planck"),
            "a cosmology is a name (Planck18, Planck15, Planck13, WMAP9, WMAP7, WMAP5, DESI) or key=value,... with the keys om, ol, ok, w0, wa, h, tcmb, neff, mnu, nur, mncdm: found 'planck'"
        );
        assert_eq!(
            refusal("om=0.3,H0=70"),
            "unknown cosmology key 'H0': expected om, ol, ok, w0, wa, h, tcmb, neff, mnu, nur or mncdm"
        );
        assert_eq!(
            refusal("om=x"),
            "cosmology key om needs a number, found 'x'"
        );
        assert_eq!(refusal("ol=0.7"), "a cosmology needs om");
        assert!(refusal("om=0.3,om=0.3").contains("twice"));
        assert!(refusal("om=0.3,ol=0.7,ok=0").contains("not both"));
        assert!(refusal("om=0.3,flat").contains("flat"));
        assert!(read("om=nan").is_err());
        assert!(read("").is_err());
    }
}
