//! What files of their own say of the particles.

use albireo_catalogs::{Attribute, Stop, open_topology};

use super::{fixture, written};

const STANDARD: &str =
    "PSF CMAP\n\n       2 !NTITLE\n REMARKS water\n REMARKS two of three\n\n       3 !NATOM
       1 WAT  7    TIP3 OH2  OT    -0.834000       15.9994           0
       2 WAT  7    TIP3 H1   HT     0.417000        1.0080           0
       3 WAT  8A   TIP3 H2   HT     0.417000        1.0080           0

       2 !NBOND: bonds
       1       2       1       3

       0 !NTHETA: angles
";
const EXTENDED: &str = "PSF EXT XPLOR\n\n         1 !NTITLE\n* a title\n\n         2 !NATOM
         1                    12       ALA      N        54    -0.470000       14.0070           0   0.00000     -0.301140E-02
         2                    13       ALA      HN       55     0.310000       1.00800           0   0.00000     -0.301140E-02

         1 !NBOND: bonds
         2         1
";

#[test]
fn psf() {
    let (_folder, path) = written("water.psf", STANDARD.as_bytes());
    let atoms = open_topology(&path, Stop::never()).unwrap();
    assert_eq!(atoms.bonds(), [[0, 1], [0, 2]]);
    let texts = |values: [&str; 3]| Some(Attribute::of_texts(values));
    assert_eq!(atoms.get("segment").cloned(), texts(["WAT"; 3]));
    assert_eq!(
        atoms.get("resid"),
        Some(&Attribute::Integers(vec![7, 7, 8]))
    );
    assert_eq!(atoms.get("icode").cloned(), texts(["", "", "A"]));
    assert_eq!(atoms.get("resname").cloned(), texts(["TIP3"; 3]));
    assert_eq!(atoms.get("name").cloned(), texts(["OH2", "H1", "H2"]));
    assert_eq!(atoms.get("type").cloned(), texts(["OT", "HT", "HT"]));
    let charges = vec![-0.834, 0.417, 0.417];
    assert_eq!(atoms.get("charge"), Some(&Attribute::Numbers(charges)));
    let masses = vec![15.9994, 1.008, 1.008];
    assert_eq!(atoms.get("mass"), Some(&Attribute::Numbers(masses)));
}

#[test]
fn psf_without_segments() {
    let (_folder, path) = written("peptide.psf", EXTENDED.as_bytes());
    let atoms = open_topology(&path, Stop::never()).unwrap();
    assert_eq!(atoms.bonds(), [[1, 0]]);
    assert_eq!(atoms.get("segment"), Some(&Attribute::of_texts(["", ""])));
    assert_eq!(atoms.get("resid"), Some(&Attribute::Integers(vec![12, 13])));
    assert_eq!(atoms.get("type"), Some(&Attribute::Integers(vec![54, 55])));
    assert!(atoms.get("icode").is_none(), "no residue has one");
}

#[test]
fn any_trajectory_is_a_topology() {
    for name in [
        "bonds.pdb",
        "one.gro",
        "ase.extxyz",
        "scaled.lammpstrj",
        "mdanalysis.h5md",
    ] {
        let atoms = open_topology(&fixture(name), Stop::never()).unwrap();
        assert_eq!(atoms.len(), 12, "{name}");
    }
    // CONECT behind several models belongs to each of them.
    let mut text = std::fs::read_to_string(fixture("models.pdb")).unwrap();
    text = text.replace("END\n", "CONECT    1    2    3\nEND\n");
    let (_folder, path) = written("models.pdb", text.as_bytes());
    let atoms = open_topology(&path, Stop::never()).unwrap();
    assert_eq!(atoms.bonds(), [[0, 1], [0, 2]]);
}

#[test]
fn bad_topologies_are_refused() {
    let cases = [
        ("!NATOM", "!NATOMS", None),
        (
            "3 !NATOM",
            "4 !NATOM",
            Some("expected an atom: number, segment"),
        ),
        (
            "3 !NATOM",
            "x !NATOM",
            Some("expected a number of atoms and `!NATOM`"),
        ),
        ("-0.834000", "minus", Some("line 8: expected an atom")),
        (
            "15.9994",
            "heavy",
            Some("expected an atom: number, segment"),
        ),
        (
            "       1       3\n",
            "       1       4\n",
            Some("expected the number of an atom, 1 to 3, found `4`"),
        ),
        ("2 !NBOND", "3 !NBOND", Some("expected 3 bonds, found 2")),
        (
            "2 !NBOND",
            "1 !NBOND",
            Some("expected 1 bonds, found more numbers"),
        ),
        (
            "2 !NBOND",
            "many !NBOND",
            Some("expected a number of bonds"),
        ),
        (
            "3 !NATOM",
            "3 !NBOND",
            Some("expected `!NATOM`, found `!NBOND` before it"),
        ),
    ];
    for (from, to, message) in cases {
        let (_folder, path) = written("bad.psf", STANDARD.replace(from, to).as_bytes());
        let outcome = open_topology(&path, Stop::never());
        match message {
            None => assert!(outcome.is_ok(), "{to}"),
            Some(message) => {
                let error = outcome.unwrap_err().to_string();
                assert!(error.contains(message), "{to}: {error}");
            }
        }
    }
    let (_folder, path) = written("cut.psf", &STANDARD.as_bytes()[..200]);
    let error = open_topology(&path, Stop::never()).unwrap_err().to_string();
    assert!(error.contains("expected an atom"), "{error}");
}
