//! A cosmology as an entry of records: name, parameters and what follows from them.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Cosmology;

/// A map of `omega_m`, `omega_lambda`, `omega_k`, `w0`, `wa`, `h`, with `name` where it has one; with radiation also `t_cmb` (K), number
/// (`n_eff`, or `n_ur` of massless ones) and masses (`m_nu`, eV) of neutrinos, `omega_photons` and `omega_neutrinos`.
impl Serialize for Cosmology {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(name) = self.name {
            map.serialize_entry("name", name)?;
        }
        map.serialize_entry("omega_m", &self.omega_m)?;
        map.serialize_entry("omega_lambda", &self.omega_lambda)?;
        map.serialize_entry("omega_k", &self.omega_k)?;
        map.serialize_entry("w0", &self.w0)?;
        map.serialize_entry("wa", &self.wa)?;
        map.serialize_entry("h", &self.h)?;
        if let Some(radiation) = &self.radiation {
            let number = match radiation.model() {
                super::NeutrinoModel::Komatsu => "n_eff",
                super::NeutrinoModel::FermiDirac => "n_ur",
            };
            map.serialize_entry("t_cmb", &radiation.t_cmb())?;
            map.serialize_entry(number, &radiation.number())?;
            map.serialize_entry("m_nu", radiation.masses())?;
            map.serialize_entry("omega_photons", &self.omega_photons())?;
            map.serialize_entry("omega_neutrinos", &self.omega_neutrinos())?;
        }
        map.end()
    }
}
