//! Coherent scattering lengths of common elements for neutrons.
//!
//! Entry: [`neutron_scattering_length`].

/// Bound coherent scattering lengths in fm, of the natural mixtures of isotopes but for D, which is deuterium.
const LENGTHS: [(&str, f64); 36] = [
    ("H", -3.7390),
    ("D", 6.671),
    ("Be", 7.79),
    ("B", 5.30),
    ("C", 6.6460),
    ("N", 9.36),
    ("O", 5.803),
    ("F", 5.654),
    ("Ne", 4.566),
    ("Na", 3.63),
    ("Mg", 5.375),
    ("Al", 3.449),
    ("Si", 4.1491),
    ("P", 5.13),
    ("S", 2.847),
    ("Cl", 9.5770),
    ("Ar", 1.909),
    ("K", 3.67),
    ("Ca", 4.70),
    ("Cr", 3.635),
    ("Fe", 9.45),
    ("Co", 2.49),
    ("Ni", 10.3),
    ("Cu", 7.718),
    ("Zn", 5.680),
    ("Ga", 7.288),
    ("Ge", 8.185),
    ("Kr", 7.81),
    ("Sr", 7.02),
    ("Zr", 7.16),
    ("Nb", 7.054),
    ("Ag", 5.922),
    ("I", 5.28),
    ("Cs", 5.42),
    ("Ba", 5.07),
    ("Pt", 9.60),
];

/// The bound coherent neutron scattering length of an element in fm, by its symbol; D is deuterium. None of an element that is not in the
/// list, whose length the caller gives. Sears (1992), DOI 10.1080/10448639208218770.
///
/// ```
/// use albireo_fluids::neutron_scattering_length;
/// assert_eq!(neutron_scattering_length("O"), Some(5.803));
/// assert_eq!(neutron_scattering_length("H"), Some(-3.739));
/// assert_eq!(neutron_scattering_length("OW"), None);
/// ```
pub fn neutron_scattering_length(symbol: &str) -> Option<f64> {
    let found = LENGTHS.iter().find(|(element, _)| *element == symbol);
    found.map(|(_, length)| *length)
}

#[cfg(test)]
mod tests {
    use super::LENGTHS;

    #[test]
    fn elements_stand_there_once() {
        for (k, (element, length)) in LENGTHS.iter().enumerate() {
            assert!(LENGTHS[..k].iter().all(|(other, _)| other != element));
            assert!(
                length.abs() > 1.0 && length.abs() < 11.0,
                "{element}: in fm"
            );
        }
    }
}
