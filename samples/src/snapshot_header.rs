//! What the header of a snapshot or group catalogue states of its units and its universe.
//!
//! Entry: [`SnapshotHeader`]. GADGET and AREPO, SWIFT, Abacus; which files make a set is found in `snapshots`.

use albireo::cosmology::Cosmology;
use albireo::error::SkyError;
use albireo_catalogs::{Attributes, TableDescription, Value};

use crate::units::Unit;

/// Comoving positions without h, as `albireo_catalogs` writes SWIFT's exponents.
const COMOVING: &str = "a U_L";
/// Positions of GADGET and AREPO.
const POSITIONS: [&str; 3] = ["Coordinates", "SubhaloPos", "GroupPos"];

/// The attributes of a table of a snapshot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotHeader<'a>(pub(crate) &'a Attributes);

/// The last part of a column's path.
pub(crate) fn last_part(column: &str) -> &str {
    column.rsplit('/').next().unwrap_or_default()
}

/// The unit of length among the attributes of a table, under any of its names.
pub(crate) fn stated_unit(attributes: &Attributes) -> Option<String> {
    let keys = ["length_unit", "units", "unit"].iter();
    let mut texts = keys.filter_map(|key| attributes.get(*key)?.as_text());
    texts.next().map(str::to_owned)
}

impl SnapshotHeader<'_> {
    /// The number that the first of these attributes has.
    pub(crate) fn number(self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.0.get(*name)?.as_f64())
    }

    /// Whether the file is one of Abacus, which states velocities by their factor.
    pub(crate) fn is_abacus(self) -> bool {
        self.0.contains_key("VelZSpace_to_kms")
    }

    /// Whether the file is one of SWIFT.
    pub(crate) fn is_swift(self) -> bool {
        let code = self.0.get("Code").and_then(Value::as_text);
        code == Some("SWIFT") || self.0.contains_key("Units/Unit length in cgs (U_L)")
    }

    /// Whether the file is one of GADGET or AREPO.
    pub(crate) fn is_gadget(self) -> bool {
        let counts = ["NumPart_Total", "Ngroups_Total", "Nsubgroups_Total"];
        !self.is_swift() && counts.iter().any(|name| self.0.contains_key(*name))
    }

    /// The Hubble constant over 100 km/s/Mpc.
    pub(crate) fn h(self) -> Option<f64> {
        let stated = self.number(&["Parameters/HubbleParam", "HubbleParam", "Cosmology/h"]);
        let of_abacus = || Some(self.number(&["H0"]).filter(|_| self.is_abacus())? / 100.0);
        stated.or_else(of_abacus).filter(|&h| h > 0.0)
    }

    /// Whether lengths are comoving ones in an expanding universe.
    pub(crate) fn is_cosmological(self) -> bool {
        let names = [
            "Parameters/ComovingIntegrationOn",
            "ComovingIntegrationOn",
            "Cosmology/Cosmological run",
        ];
        self.number(&names) != Some(0.0)
    }

    /// The universe that the header states.
    pub(crate) fn universe(self) -> Option<Result<Cosmology, SkyError>> {
        let matter = [
            "Parameters/Omega0",
            "Omega0",
            "Cosmology/Omega_m",
            "Omega_M",
        ];
        let lambda = [
            "Parameters/OmegaLambda",
            "OmegaLambda",
            "Cosmology/Omega_lambda",
            "Omega_DE",
        ];
        let matter = self.number(&matter)?;
        let w0 = self.number(&["Cosmology/w_0", "w0"]).unwrap_or(-1.0);
        let wa = self.number(&["Cosmology/w_a", "wa"]).unwrap_or(0.0);
        let with_lambda = match self.number(&lambda) {
            Some(lambda) => Cosmology::new(matter, lambda),
            None => Cosmology::flat(matter),
        };
        let cosmology = with_lambda.and_then(|of| of.with_dark_energy(w0, wa));
        Some(match self.h() {
            Some(h) => cosmology.and_then(|of| of.with_h(h)),
            None => cosmology,
        })
    }

    /// The Hubble rate over today's, where the header states both: SWIFT counts radiation and neutrinos in.
    pub(crate) fn expansion(self) -> Option<f64> {
        let [now, today] = [
            "Cosmology/H [internal units]",
            "Cosmology/H0 [internal units]",
        ];
        let expansion = self.number(&[now])? / self.number(&[today])?;
        (expansion > 0.0 && expansion.is_finite()).then_some(expansion)
    }

    /// The unit of length of GADGET and AREPO: what they state is over h.
    fn gadget_length(self) -> Option<Unit> {
        let names = ["Parameters/UnitLength_in_cm", "UnitLength_in_cm"];
        let centimetres = self.number(&names).filter(|&length| length > 0.0)?;
        Some(Unit::of_centimetres(centimetres, self.is_cosmological()))
    }

    /// The unit of length of SWIFT, without h.
    fn swift_length(self) -> Option<Unit> {
        let centimetres = self.number(&["Units/Unit length in cgs (U_L)"])?;
        Some(Unit::of_centimetres(centimetres, false))
    }

    /// Writes the units of positions that the header states into the columns of its table.
    pub(crate) fn name_units(self, outline: &mut TableDescription) {
        for column in &mut outline.columns {
            let unit = match column.unit.as_deref() {
                Some(COMOVING) => self.swift_length(),
                None if POSITIONS.contains(&last_part(&column.name)) => self.gadget_length(),
                _ => None,
            };
            if let Some(unit) = unit {
                column.unit = Some(unit.to_string());
            }
        }
    }

    /// Whether positions of that name should have a unit, but the header states none.
    pub(crate) fn lacks_unit(self, column: &str) -> bool {
        self.is_gadget() && self.gadget_length().is_none() && POSITIONS.contains(&last_part(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(numbers: &[(&str, f64)]) -> Attributes {
        let number = |&(name, value): &(&str, f64)| (name.to_owned(), Value::Float(value));
        numbers.iter().map(number).collect()
    }

    #[test]
    fn lengths_are_over_h_in_an_expanding_universe_alone() {
        let of = |numbers: &[(&str, f64)]| {
            let attributes = attributes(numbers);
            let unit = SnapshotHeader(&attributes).gadget_length();
            unit.map(|unit| unit.to_string())
        };
        let kpc = ("Parameters/UnitLength_in_cm", 3.085_678e21);
        assert_eq!(of(&[kpc]).as_deref(), Some("kpc/h"));
        assert_eq!(
            of(&[("UnitLength_in_cm", 3.085_678e24)]).as_deref(),
            Some("Mpc/h")
        );
        let alone = ("Parameters/ComovingIntegrationOn", 0.0);
        assert_eq!(of(&[kpc, alone]).as_deref(), Some("kpc"));
        assert_eq!(of(&[("BoxSize", 1.0)]), None);
    }

    #[test]
    fn h_stands_where_each_code_writes_it() {
        for (name, value) in [
            ("Parameters/HubbleParam", 0.7),
            ("HubbleParam", 0.7),
            ("Cosmology/h", 0.7),
        ] {
            let header = attributes(&[(name, value)]);
            assert_eq!(SnapshotHeader(&header).h(), Some(0.7), "{name}");
        }
        let abacus = attributes(&[("H0", 70.0), ("VelZSpace_to_kms", 1.0)]);
        assert_eq!(SnapshotHeader(&abacus).h(), Some(0.7));
        let other = attributes(&[("H0", 70.0)]);
        assert_eq!(SnapshotHeader(&other).h(), None);
    }
}
