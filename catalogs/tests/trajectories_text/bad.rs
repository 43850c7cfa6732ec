//! Bad text and HDF5: every kind one line that names the file, the place, what was expected and what was found.

use std::path::Path;

use albireo_catalogs::{CatalogError, TrajectoryRequest};

use super::{all, fixture, request, written};

/// The message of a bad file, which is one line and names it.
pub(crate) fn message(path: &Path, request: &TrajectoryRequest) -> String {
    let error = all(path, request).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    assert!(!text.contains('\n') && text.len() < 600, "{text}");
    text
}

/// A change of the first place of a fixture where `from` stands, and a part of the message it should give.
type Case = (&'static str, &'static str, &'static str);

#[track_caller]
fn refused(name: &str, cases: &[Case]) {
    let good = std::fs::read_to_string(fixture(name)).unwrap();
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{name}: {from}");
        let (_folder, path) = written(name, good.replacen(from, to, 1).as_bytes());
        let found = message(&path, &request(name));
        assert!(found.contains(expected), "{from} -> {to}: {found}");
    }
}

#[test]
fn dumps_of_lammps() {
    refused(
        "scaled.lammpstrj",
        &[
            (
                "ITEM: TIMESTEP\n0\n",
                "ITEM: TIMESTEP\nzero\n",
                "frame 0, line 4: expected the number of a step, found `zero`",
            ),
            (
                "ITEM: TIMESTEP\n100\n",
                "100\n",
                "expected `ITEM: ...`, found `100`",
            ),
            (
                "ITEM: TIMESTEP\n0\n",
                "",
                "expected `ITEM: TIMESTEP`, found `ITEM: ATOMS` before it",
            ),
            (
                "ITEM: NUMBER OF ATOMS\n12\n",
                "",
                "expected `ITEM: NUMBER OF ATOMS`",
            ),
            (
                "ATOMS\n12\n",
                "ATOMS\n-12\n",
                "expected a number of atoms, found `-12`",
            ),
            (
                "ATOMS\n12\n",
                "ATOMS\n9999999999\n",
                "expected a number of atoms, found `9999999999`",
            ),
            (
                "ATOMS\n12\n",
                "ATOMS\n4000000000\n",
                "expected a whole number in column `id`, found `ITEM:`",
            ),
            ("ATOMS\n12\n", "ATOMS\n11\n", "expected `ITEM: ...`"),
            (
                "ITEM: NUMBER OF ATOMS",
                "ITEM: ENTRIES",
                "expected an item of a dump of atoms",
            ),
            (
                "ITEM: TIME\n0.0",
                "ITEM: TIME\nnoon",
                "expected a time, a number, found `noon`",
            ),
            ("pp pp ff", "pp pp", "a boundary of each of 3 axes"),
            (
                "pp pp ff",
                "pp pp xx",
                "expected boundaries such as `pp` or `ff`, found `xx`",
            ),
            (
                "2.0000000000000000e+00 9.5000000000000000e+00",
                "2.0 2.0",
                "expected a box, found its vectors span no volume",
            ),
            ("xy xz yz pp", "pp", "expected bounds of the box: 2 numbers"),
            (
                "1.5000000000000000e+00",
                "",
                "expected bounds of the box: 3 numbers",
            ),
            (
                "xs ys zs",
                "xs ys zz",
                "expected columns x y z, xu yu zu, xs ys zs or xsu ysu zsu",
            ),
            (
                "0.1 0.2 0.3 0 -1 2 \n",
                "0.1 0.2 0.3 0 -1 \n",
                "expected 14 fields of a particle, found 13",
            ),
            (
                "0.1 0.2 0.3 0 -1 2 \n",
                "0.1 0.2 0.3 0 -1 2 9\n",
                "expected 14 fields of a particle and no more, found `9`",
            ),
            (" O -0.8 ", " O heavy -0.8 ", "in column `q`, found `heavy`"),
            (
                " O -0.8 0.",
                " O -0.8 O.",
                "expected a number in column `xs`",
            ),
        ],
    );
}

#[test]
fn ids_of_a_dump_are_different() {
    let text = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id x y z\n";
    for (rows, expected) in [
        (
            "7 0 0 0\n7 0 0 0\n",
            "expected ids that are all different, found id 7 twice",
        ),
        (
            "7 0 0 0\nx 0 0 0\n",
            "expected a whole number in column `id`, found `x`",
        ),
        (
            "7 0 0 0\n",
            "the file ends in frame 0, behind line 10: expected a particle",
        ),
        ("7 0 0 1e999\n8 0 0 0\n", "in column `z`, found `1e999`"),
    ] {
        let (_folder, path) = written("a.dump", format!("{text}{rows}").as_bytes());
        let found = message(&path, &request(""));
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn extended_xyz() {
    refused(
        "ase.extxyz",
        &[
            ("pos:R:3:", "pos:R:2:", "expected Properties with pos:R:3"),
            (
                "id:I:1:",
                "id:Q:1:",
                "expected Properties=name:type:columns:...",
            ),
            (
                "forces:R:3",
                "forces:R:x",
                "expected Properties=name:type:columns:...",
            ),
            (
                "id:I:1:forces:R:3",
                "id:I:1:forces:R:4",
                "expected 10 fields of a particle, found",
            ),
            (
                "id:I:1:forces:R:3",
                "id:I:1:forces:R:2",
                "expected 8 fields of a particle and no more",
            ),
            (
                "initial_charges:R:1:id:I:1",
                "id:I:1:initial_charges:R:1",
                "expected a whole number of property `id`",
            ),
            (
                "Lattice=\"9.0 ",
                "Lattice=\"",
                "expected Lattice=\"9 numbers\"",
            ),
            (
                "Lattice=\"9.0 ",
                "Lattice=\"0.0 ",
                "expected a box, found its vectors span no volume",
            ),
            (
                "pbc=\"T T T\"",
                "pbc=\"T T\"",
                "expected pbc=\"3 of T or F\", found `T T`",
            ),
            (
                "pbc=\"T T T\"",
                "pbc=\"T T yes\"",
                "expected pbc=\"3 of T or F\", found `yes`",
            ),
            ("\n11\n", "\n12\n", "expected 9 fields of a particle"),
            (
                "\n11\n",
                "\n11 atoms\n",
                "frame 1, line 15: expected a number of atoms, found `11 atoms`",
            ),
        ],
    );
    refused(
        "plain.xyz",
        &[
            ("12\n", "13\n", "expected 4 fields of a particle"),
            (
                "3.95653",
                "3,95653",
                "expected a coordinate, a number, found `3,95653`",
            ),
        ],
    );
}

#[test]
fn gro() {
    refused(
        "frames.gro",
        &[
            (
                " 12\n",
                " twelve\n",
                "frame 0, line 2: expected a number of atoms, found `twelve`",
            ),
            (" 12\n", " 13\n", "expected a residue's number"),
            (
                "    1SOL",
                "    aSOL",
                "expected a residue's number, found `a`",
            ),
            (
                "0.39565",
                "0.395x5",
                "expected a coordinate, a number, found `0.395x5`",
            ),
        ],
    );
    refused(
        "one.gro",
        &[
            (
                "0.90000   0.80000   0.70000",
                "0.90000   0.80000",
                "expected the box: 3 or 9 numbers",
            ),
            (
                "0.90000   0.80000   0.70000",
                "0.90000   0.80000   0.00000",
                "expected a box, found its vectors span no volume",
            ),
            ("   0.90000   0.80000   0.70000\n", "", "expected the box"),
        ],
    );
}

#[test]
fn pdb() {
    refused(
        "models.pdb",
        &[
            (
                "    9.000    8.000",
                "    9.000    x.000",
                "expected CRYST1: a length or an angle, a number, found `x.000`",
            ),
            (
                "    9.000    8.000",
                "   -9.000    8.000",
                "its lengths are not positive",
            ),
            (
                "  90.00  90.00  90.00",
                "  30.00  30.00 150.00",
                "its angles close no cell",
            ),
            (
                "3.957",
                "3.9.7",
                "expected a coordinate in columns 31-54, a number, found `3.9.7`",
            ),
            (
                "  -0.431  1.00  0.00      WAT  O  ",
                "",
                "expected a coordinate in columns 31-54, a number, found nothing",
            ),
        ],
    );
    refused(
        "bonds.pdb",
        &[(
            "CONECT    1    2",
            "CONECT    1    ?",
            "expected a serial number, found `?`",
        )],
    );
}

#[test]
fn what_is_no_trajectory() {
    let (_folder, path) = written("noise.bin", b"\x00\x01\x02\xff noise");
    assert!(message(&path, &request("")).contains("starts with `\\x00"));
    let (_folder, path) = written("noise.pdb", b"\x00\x01\x02\xff noise");
    assert!(message(&path, &request("")).contains("expected an ATOM or HETATM record"));
    let (_folder, path) = written("empty.xyz", b"");
    assert!(message(&path, &request("")).contains("it is empty"));
    let missing = Path::new("/nowhere/water.gro");
    assert!(message(missing, &request("")).contains("no such file"));
}

#[test]
fn groups_of_h5md_are_named() {
    let path = fixture("groups.h5");
    let found = message(&path, &TrajectoryRequest::default());
    assert!(found.contains("name one of `flat`, `solvent`"), "{found}");
    let wrong = TrajectoryRequest {
        table: Some("solute".to_owned()),
        ..TrajectoryRequest::default()
    };
    let error = all(&path, &wrong).unwrap_err();
    assert!(
        matches!(error, CatalogError::UnknownTable { .. }),
        "{error}"
    );
}

#[test]
fn hdf5() {
    for (group, expected) in [
        (
            "no_position",
            "expected the array `particles/no_position/position/value`, found none",
        ),
        (
            "four",
            "`particles/four/position/value`: expected an array of particles times 1 to 3 dimensions, found shape [5, 4]",
        ),
        (
            "texts",
            "`particles/texts/position/value`: expected numbers, found texts",
        ),
        (
            "clock",
            "`particles/clock/position/step`: expected one of 3 frames each, found 2",
        ),
        (
            "boundary",
            "`particles/boundary/box`: expected boundary `periodic` or `none`, found `open`",
        ),
        (
            "edges",
            "expected the box of 3 frames, found 2 without steps",
        ),
        (
            "flat",
            "expected the box of frame 0, found its vectors span no volume",
        ),
        (
            "shape",
            "expected edges as 3 lengths or 3 vectors, found shape [4]",
        ),
        (
            "late",
            "expected the box of frame 1, found none of its step",
        ),
    ] {
        let asked = TrajectoryRequest {
            table: Some(group.to_owned()),
            ..TrajectoryRequest::default()
        };
        let found = message(&fixture("bad.h5"), &asked);
        assert!(found.contains(expected), "{found}");
    }
    for (name, expected) in [
        (
            "wide.cadishi.h5",
            "`0/coordinates/O`: expected an array of particles times 3, found shape [2, 2]",
        ),
        (
            "box.cadishi.h5",
            "`0/dimensions`: expected 3 lengths and 3 angles of a box, found 5 numbers",
        ),
    ] {
        let found = message(&fixture(name), &request(name));
        assert!(found.contains(expected), "{found}");
    }
}

/// Cut at any length, a file is an error or ends with whole frames, but never panics.
#[test]
fn files_that_are_cut_short() {
    for (name, ..) in super::FIXTURES {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let step = (bytes.len() / 40).max(1);
        for end in (0..bytes.len()).step_by(step) {
            let (_folder, path) = written(name, &bytes[..end]);
            let _ = all(&path, &request(name));
        }
    }
}
