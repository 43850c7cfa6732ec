//! Files of simulations as other programs write them: dumps of LAMMPS, and formats that are not read.

use crate::bad_input::refused;
use crate::folder::Folder;

/// A file of these bytes in the folder.
fn with(folder: Folder, name: &str, bytes: impl AsRef<[u8]>) -> Folder {
    std::fs::write(folder.path(name), bytes).unwrap();
    folder
}

/// A classic file of `NetCDF` without dimensions and variables, and the convention that it names.
fn netcdf(convention: &str) -> Vec<u8> {
    let word = |value: usize| u32::try_from(value).unwrap().to_be_bytes();
    let text = |text: &str| {
        let mut bytes = word(text.len()).to_vec();
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let mut bytes = b"CDF\x01".to_vec();
    // No records and no dimensions; one attribute, of letters; no variables.
    for value in [0, 0, 0, 12, 1] {
        bytes.extend(word(value));
    }
    bytes.extend(text("Conventions"));
    bytes.extend(word(2));
    bytes.extend(text(convention));
    bytes.extend([0; 8]);
    bytes
}

#[test]
fn readers_of_trajectories_say_what_is_wrong() {
    let mut velocities = 84_u32.to_le_bytes().to_vec();
    velocities.extend(b"VELD");
    velocities.resize(88, 0);
    velocities.extend(84_u32.to_le_bytes());
    let folder = Folder::new().with("t.dump", "ITEM: TIMESTEP\n0\nITEM: ENTRIES\n1 2 3\n");
    let folder = with(folder, "t.nc", netcdf("CF-1.6"));
    let folder = with(folder, "v.dcd", velocities);
    let rdf = |file: &str, parts: &[&str]| {
        refused(
            &folder,
            &format!("rdf {file} --r-max 3 --n-bins 3"),
            1,
            parts,
        );
    };
    rdf("t.nc", &["NetCDF of the convention `CF-1.6`", "AMBER"]);
    rdf("v.dcd", &["a DCD file of velocities (VELD)", "CORD"]);
    rdf("t.dump", &["an item of a dump of atoms", "ENTRIES"]);
}

#[test]
fn formats_that_are_not_read_are_named() {
    let vasp = "some system\n 1\n 12.0 0 0\n 0 12.0 0\n 0 0 12.0\n O\n 2\n";
    let atoms = " 0.1 0.1 0.1\n 0.2 0.1 0.1\n";
    let bounds = "0 12 xlo xhi\n0 12 ylo yhi\n0 12 zlo zhi\n";
    let rows = "Atoms # atomic\n\n1 1 1.0 1.0 1.0\n2 1 2.0 1.0 1.0\n";
    let xdatcar = format!("{vasp}Direct configuration=     1\n{atoms}");
    let poscar = format!("{vasp}Direct\n{atoms}");
    let data = format!("LAMMPS data file\n\n2 atoms\n1 atom types\n\n{bounds}\n{rows}");
    let votable = "<?xml version=\"1.0\"?>\n<VOTABLE version=\"1.4\">\n</VOTABLE>\n";
    let folder = Folder::new()
        .with("XDATCAR", &xdatcar)
        .with("POSCAR", &poscar)
        .with("lj.data", &data)
        .with("t.vot", votable);
    let run_input = b"\x00\x00\x00\x0d\x00\x00\x00\x0cVERSION 2024\x00\x00\x00\x04";
    let folder = with(folder, "t.tpr", run_input);
    let named = [
        ("XDATCAR", "XDATCAR", "format='vasp-xdatcar'"),
        ("POSCAR", "POSCAR", "format='vasp'"),
        ("lj.data", "a data file of LAMMPS", "format='lammps-data'"),
        ("t.vot", "a VOTable", "astropy"),
        ("t.tpr", "GROMACS (.tpr)", "gmx editconf"),
    ];
    for (file, name, advice) in named {
        for call in [
            "rdf FILE --r-max 3 --n-bins 3",
            "count FILE --bins edges:0,1,2",
            "info FILE",
        ] {
            refused(
                &folder,
                &call.replace("FILE", file),
                1,
                &[file, name, advice],
            );
        }
    }
    // Tables whose rows look alike are read.
    let folder = Folder::new().with("t.csv", "atoms,x,y,z\n1,0,0,0\n2,0,0,1\n");
    let run = folder.run("count t.csv --bins edges:0,2");
    assert_eq!(run.code, 0, "{}", run.stderr);
}
