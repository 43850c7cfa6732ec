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

#[test]
fn dumps_of_particles_in_a_plane_may_lack_an_axis() {
    // Across the faces: 1-2 at 1, 1-3 at 3, 2-3 at the root of 10.
    let head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 12\n0 12\n-0.5 0.5\n";
    let rows = "1 0.5 1\n2 11.5 1\n3 0.5 10\n";
    let folder = Folder::new().with("n.dump", &format!("{head}ITEM: ATOMS id x y\n{rows}"));
    let call = "rdf n.dump --bins edges:0,2,3.1,4";
    let run = folder.run(&format!("{call} --plane xy -o n.csv"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(folder.path("n.csv")).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = names
        .iter()
        .position(|name| name.starts_with("npairs"))
        .unwrap();
    let pairs: Vec<&str> = lines
        .map(|line| line.split(',').nth(place).unwrap())
        .collect();
    assert_eq!(pairs, ["1", "1", "1"]);
    refused(&folder, call, 1, &["columns x y z", "--plane xy"]);
    refused(
        &folder,
        &format!("{call} --plane xz"),
        1,
        &["columns x y z"],
    );
}

#[test]
fn trajectories_are_no_catalogues() {
    let dump = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z\n1 1 2 3\n";
    let xyz = "2\nwater\nO 0 0 0\nH 1 0 0\n";
    let fixtures = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../catalogs/tests/fixtures/trajectories"
    );
    let folder = Folder::new()
        .with("t.dump", dump)
        .with("t.xyz", xyz)
        .with("model.txt", "MODEL x y z\n1 0 0 0\n2 0 0 1\n");
    let named = [
        ("t.dump".to_owned(), "LAMMPS dump"),
        ("t.xyz".to_owned(), "XYZ"),
        (format!("{fixtures}/water.xtc"), "XTC"),
    ];
    for (file, format) in named {
        let expected = format!("expected a catalogue, found a trajectory ({format})");
        for call in [
            "count FILE --bins edges:0,1,2",
            "xi FILE --box 9 --bins edges:0,1,2",
            "wp FILE --box 9 --bins edges:0,1,2 --pi-bins edges:0,1",
            "nz FILE --cosmology Planck18 --area 1",
        ] {
            let parts = [
                expected.as_str(),
                "`albireo rdf`",
                "`albireo field` takes one of them",
            ];
            refused(&folder, &call.replace("FILE", &file), 1, &parts);
        }
    }
    // A table that begins as a trajectory does is read.
    folder.good("count model.txt --bins edges:0,2");
}
