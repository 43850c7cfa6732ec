//! Elements of atoms by the names that they have in proteins, water, ions and plain lists, and standard atomic weights.
//!
//! Entry: [`element_of`], [`weight_of`]. A name is never taken for an element that only its first letters suggest where another reading is usual: `CA` is a
//! carbon of a protein, and calcium where the residue is called so too.

/// Symbols and standard atomic weights (IUPAC 2021, conventional values; of deuterium its own).
static WEIGHTS: [(&str, f64); 55] = [
    ("H", 1.008),
    ("D", 2.014),
    ("He", 4.0026),
    ("Li", 6.94),
    ("Be", 9.0122),
    ("B", 10.81),
    ("C", 12.011),
    ("N", 14.007),
    ("O", 15.999),
    ("F", 18.998),
    ("Ne", 20.180),
    ("Na", 22.990),
    ("Mg", 24.305),
    ("Al", 26.982),
    ("Si", 28.085),
    ("P", 30.974),
    ("S", 32.06),
    ("Cl", 35.45),
    ("Ar", 39.95),
    ("K", 39.098),
    ("Ca", 40.078),
    ("Sc", 44.956),
    ("Ti", 47.867),
    ("V", 50.942),
    ("Cr", 51.996),
    ("Mn", 54.938),
    ("Fe", 55.845),
    ("Co", 58.933),
    ("Ni", 58.693),
    ("Cu", 63.546),
    ("Zn", 65.38),
    ("Ga", 69.723),
    ("Ge", 72.630),
    ("As", 74.922),
    ("Se", 78.971),
    ("Br", 79.904),
    ("Kr", 83.798),
    ("Rb", 85.468),
    ("Sr", 87.62),
    ("Zr", 91.224),
    ("Mo", 95.95),
    ("Pd", 106.42),
    ("Ag", 107.87),
    ("Cd", 112.41),
    ("In", 114.82),
    ("Sn", 118.71),
    ("I", 126.90),
    ("Xe", 131.29),
    ("Cs", 132.91),
    ("Ba", 137.33),
    ("Pt", 195.08),
    ("Au", 196.97),
    ("Hg", 200.59),
    ("Pb", 207.2),
    ("U", 238.03),
];

/// The other elements, whose symbols are also what atoms of lighter ones are called in molecules.
static RARE: [(&str, f64); 28] = [
    ("Y", 88.906),
    ("Nb", 92.906),
    ("Ru", 101.07),
    ("Rh", 102.91),
    ("Sb", 121.76),
    ("Te", 127.60),
    ("La", 138.91),
    ("Ce", 140.12),
    ("Pr", 140.91),
    ("Nd", 144.24),
    ("Sm", 150.36),
    ("Eu", 151.96),
    ("Gd", 157.25),
    ("Tb", 158.93),
    ("Dy", 162.50),
    ("Ho", 164.93),
    ("Er", 167.26),
    ("Tm", 168.93),
    ("Yb", 173.05),
    ("Lu", 174.97),
    ("Hf", 178.49),
    ("Ta", 180.95),
    ("W", 183.84),
    ("Re", 186.21),
    ("Os", 190.23),
    ("Ir", 192.22),
    ("Tl", 204.38),
    ("Bi", 208.98),
];

/// Elements whose weight is not stated here: they have no standard one, but for thorium and protactinium.
const UNWEIGHED: [&str; 23] = [
    "Tc", "Pm", "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "Np", "Pu", "Am", "Cm", "Bk", "Cf",
    "Es", "Fm", "Md", "No", "Lr", "Rf", "Db",
];

/// Ions under the names that force fields give them.
const IONS: [(&str, &str); 12] = [
    ("SOD", "Na"),
    ("CLA", "Cl"),
    ("POT", "K"),
    ("CES", "Cs"),
    ("CAL", "Ca"),
    ("LIT", "Li"),
    ("RUB", "Rb"),
    ("BAR", "Ba"),
    ("CAD", "Cd"),
    ("ZN2", "Zn"),
    ("IOD", "I"),
    ("BRO", "Br"),
];

/// Residues of water; W holds beads that are no atoms.
const WATER: [&str; 14] = [
    "W", "SOL", "WAT", "HOH", "H2O", "TIP", "TIP3", "TIP3P", "TIP4", "TIP4P", "TIP5", "TIP5P",
    "SPC", "SPCE",
];

/// Two letters that stand for an element in any residue, since no name of a carbon, hydrogen, nitrogen or oxygen begins so.
const ANYWHERE: [&str; 14] = [
    "CL", "BR", "MG", "ZN", "FE", "LI", "SI", "SE", "AL", "MN", "RB", "AU", "AG", "TI",
];

/// Elements of one letter that names begin with.
const LETTERS: [char; 11] = ['H', 'C', 'N', 'O', 'S', 'P', 'F', 'K', 'I', 'B', 'D'];

/// An element and its weight, of a symbol in any case of letters.
fn known(text: &str) -> Option<&'static (&'static str, f64)> {
    let mut all = WEIGHTS.iter().chain(&RARE);
    all.find(|(symbol, _)| symbol.eq_ignore_ascii_case(text.trim()))
}

/// The symbol of an element as tables spell it, of one in any case of letters.
pub(crate) fn symbol(text: &str) -> Option<&'static str> {
    let unweighed = || {
        let mut all = UNWEIGHED.iter();
        all.find(|symbol| symbol.eq_ignore_ascii_case(text.trim()))
    };
    let known = known(text).map(|(symbol, _)| symbol);
    known.or_else(unweighed).copied()
}

/// A name without digits before it and without digits, signs and primes behind its letters.
fn letters(name: &str) -> &str {
    let name = name.trim().trim_start_matches(|c: char| c.is_ascii_digit());
    let end = name.find(|c: char| !c.is_ascii_alphabetic());
    &name[..end.unwrap_or(name.len())]
}

/// The element of an atom with this name, in a residue of this name where it is known; nothing where no rule names one.
///
/// ```
/// use albireo_samples::element_of;
/// assert_eq!(element_of("CA", Some("ALA")), Some("C"));
/// assert_eq!(element_of("CA", Some("CA")), Some("Ca"));
/// assert_eq!(element_of("Cl-", None), Some("Cl"));
/// ```
pub fn element_of(name: &str, residue: Option<&str>) -> Option<&'static str> {
    let residue = residue.map(str::trim).filter(|residue| !residue.is_empty());
    let name = letters(name);
    let upper = name.to_ascii_uppercase();
    let first = || {
        let first = upper.chars().next().filter(|c| LETTERS.contains(c))?;
        symbol(&first.to_string())
    };
    if residue.is_some_and(|residue| WATER.contains(&residue)) {
        return first().filter(|symbol| ["O", "H", "D"].contains(symbol));
    }
    // An ion is a residue of its own name.
    let is_ion = residue.is_none_or(|residue| {
        let residue = letters(residue).to_ascii_uppercase();
        residue == upper || residue == "ION" || residue == "IONS"
    });
    if let (Some((_, ion)), true) = (IONS.iter().find(|(ion, _)| *ion == upper), is_ion) {
        return Some(ion);
    }
    // Where molecules are known, names such as `Ho` may be those of a hydrogen.
    let is_usual = |symbol: &&'static str| WEIGHTS.iter().any(|(usual, _)| usual == symbol);
    let is_exact = residue.is_none() && symbol(name) == Some(name);
    let is_symbol = name.len() == 2 && name.ends_with(|c: char| c.is_ascii_lowercase());
    let is_named = residue.is_some() && is_ion || ANYWHERE.contains(&upper.as_str());
    let is_sodium = residue.is_none() && upper == "NA";
    if name.len() == 1 || is_symbol || is_named || is_sodium {
        let is_meant = |symbol: &&'static str| is_exact || is_named || is_usual(symbol);
        return symbol(&upper).filter(is_meant).or_else(first);
    }
    // Letters behind the element tell the place, as in CG1 and HB2; those of halogens stand behind both of theirs, as in CLAA.
    let halogen = upper.get(..2).filter(|two| ["CL", "BR"].contains(two));
    halogen.and_then(symbol).or_else(first)
}

/// Whether a name is that of a site of a water model that is no atom, as in TIP4P.
pub(crate) fn is_massless(name: &str, residue: Option<&str>) -> bool {
    let is_water = residue.is_some_and(|residue| WATER.contains(&residue.trim()));
    is_water && ["M", "MW", "EP", "EPW", "LP", "LPA", "LPB", "OM"].contains(&letters(name))
}

/// The standard atomic weight of an element, in any case of letters.
///
/// ```
/// assert_eq!(albireo_samples::weight_of("CL"), Some(35.45));
/// ```
pub fn weight_of(element: &str) -> Option<f64> {
    known(element).map(|(_, weight)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_liquids_and_proteins_are_elements() {
        for (name, residue, element) in [
            ("CL", None, Some("Cl")),
            ("Cl-", None, Some("Cl")),
            ("CL-", Some("CL-"), Some("Cl")),
            ("CLA", Some("CLA"), Some("Cl")),
            ("CLA", None, Some("Cl")),
            ("CL1", Some("LIG"), Some("Cl")),
            ("NA+", None, Some("Na")),
            ("NA", Some("NA"), Some("Na")),
            ("NA", Some("NA+"), Some("Na")),
            ("SOD", Some("SOD"), Some("Na")),
            ("CLAB", Some("LIG"), Some("Cl")),
            ("NA", Some("HEM"), Some("N")),
            ("POT", Some("ION"), Some("K")),
            ("CA", Some("GLY"), Some("C")),
            ("CA", None, Some("C")),
            ("CA", Some("CA"), Some("Ca")),
            ("Ca2+", None, Some("Ca")),
            ("CAL", Some("CAL"), Some("Ca")),
            ("MG2+", None, Some("Mg")),
            ("HG", Some("SER"), Some("H")),
            ("1HB2", Some("ALA"), Some("H")),
            ("NE2", Some("HIS"), Some("N")),
            ("OD1", Some("ASP"), Some("O")),
            ("SG", Some("CYS"), Some("S")),
            ("O5'", Some("DA"), Some("O")),
            ("OW", Some("SOL"), Some("O")),
            ("HW2", Some("SOL"), Some("H")),
            ("MW", Some("SOL"), None),
            ("OH2", Some("TIP3"), Some("O")),
            ("O", None, Some("O")),
            ("Si", None, Some("Si")),
            ("ZN", Some("ZN"), Some("Zn")),
            ("Ce", None, Some("Ce")),
            ("Hf1", None, Some("Hf")),
            ("Ho", None, Some("Ho")),
            ("Nb", None, Some("Nb")),
            ("Np", None, Some("Np")),
            ("Pu", None, Some("Pu")),
            ("W", None, Some("W")),
            ("CE", None, Some("C")),
            ("CE", Some("MET"), Some("C")),
            ("CE", Some("CE"), Some("Ce")),
            ("HO", Some("HO3"), Some("Ho")),
            ("Ho", Some("LIG"), Some("H")),
            ("Cd", Some("LIG"), Some("Cd")),
            ("W", Some("W"), None),
            ("X1", None, None),
            ("", None, None),
        ] {
            assert_eq!(element_of(name, residue), element, "{name} {residue:?}");
        }
        assert!(is_massless("MW", Some("SOL")) && !is_massless("MW", None));
        assert_eq!(weight_of("o"), Some(15.999));
        assert_eq!(weight_of("Q"), None);
        assert_eq!((symbol("CE"), weight_of("Ce")), (Some("Ce"), Some(140.12)));
        assert_eq!((symbol("Pu"), weight_of("Pu")), (Some("Pu"), None));
    }
}
