//! The same particles as the versions and settings of a program spell them.

use albireo_catalogs::{Attribute, Cell, Frame, Stop, open_trajectory};

use super::{all, request, written};

#[track_caller]
fn frames(name: &str, text: &str) -> Vec<Frame> {
    let (_folder, path) = written(name, text.as_bytes());
    all(&path, &request("")).unwrap()
}

/// A frame of two particles: the words behind BOX BOUNDS, three lines of bounds, the words behind ATOMS and two rows.
fn dump(bounds: &str, columns: &str) -> Frame {
    let text = format!(
        "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS {bounds}\nITEM: ATOMS {columns}\n"
    );
    frames("a.dump", &text).remove(0)
}

const CUBE: &str = "pp pp pp\n-1 1\n0 4\n2 10";

#[test]
fn positions_of_a_dump() {
    let expected = [vec![-0.5, 0.5], vec![1.0, 3.0], vec![4.0, 8.0]];
    for columns in [
        "x y z id\n-0.5 1 4 1\n0.5 3 8 2",
        "z y x id\n4 1 -0.5 1\n8 3 0.5 2",
        "id xs ys zs\n2 0.75 0.75 0.75\n1 0.25 0.25 0.25",
        "id xu yu zu\n1 -0.5 1 4\n2 0.5 3 8",
        "id xsu ysu zsu\n1 0.25 0.25 0.25\n2 0.75 0.75 0.75",
        // The more exact of two: as they are before parts of the box.
        "id xs ys zs xu yu zu\n1 0.2 0.2 0.2 -0.5 1 4\n2 0.7 0.7 0.7 0.5 3 8",
        // Without ids in the order of the rows.
        "type x y z\n2 -0.5 1 4\n1 0.5 3 8",
    ] {
        assert_eq!(dump(CUBE, columns).positions, expected, "{columns}");
    }
    // Particles beyond the box are where they are.
    let beyond = dump(CUBE, "id xsu ysu zsu\n1 -1 0 0\n2 2 0 0");
    assert_eq!(beyond.positions[0], [-3.0, 3.0]);
}

#[test]
fn boxes_of_a_dump() {
    let rows = "x y z\n0 0 0\n0 0 0";
    let cell = |bounds: &str| dump(bounds, rows).cell;
    let cube = Cell::orthorhombic([2.0, 4.0, 8.0])
        .unwrap()
        .at([-1.0, 0.0, 2.0]);
    assert_eq!(cell(CUBE), Some(cube));
    // Before boundaries were written.
    assert_eq!(cell("\n-1 1\n0 4\n2 10"), Some(cube));
    let slab = cell("pp fs mm\n-1 1\n0 4\n2 10").unwrap();
    assert_eq!(slab.periodic(), [true, false, false]);
    // Bounds of all corners: a negative tilt moves the lower ones.
    let tilted = cell("xy xz yz pp pp pp\n-2 2.5 -1\n0 4.25 0.5\n2 10 0.25").unwrap();
    let vectors = [[3.0, 0.0, 0.0], [-1.0, 4.0, 0.0], [0.5, 0.25, 8.0]];
    assert_eq!(tilted.vectors(), vectors);
    assert_eq!(tilted.origin(), [-1.0, 0.0, 2.0]);
    // Any three vectors and a corner, of which x is in the last column.
    let general = cell("abc origin pp pp pp\n1 2 0 -5\n-2 1 0 -6\n0 0.5 3 -7").unwrap();
    assert_eq!(
        general.vectors(),
        [[1.0, 2.0, 0.0], [-2.0, 1.0, 0.0], [0.0, 0.5, 3.0]]
    );
    assert_eq!(general.origin(), [-5.0, -6.0, -7.0]);
    assert_eq!(cell("ss ss ss\n1 1\n0 0\n2 2"), None);
}

#[test]
fn types_of_a_dump() {
    let types = |rows: &str| {
        let frame = dump(CUBE, &format!("type x y z c_pe\n{rows}"));
        let energies = Attribute::Numbers(vec![1.0, -2.5]);
        assert_eq!(frame.atoms.get("c_pe"), Some(&energies));
        frame.atoms.get("type").cloned()
    };
    assert_eq!(
        types("3 0 0 0 1\n1 0 0 0 -2.5"),
        Some(Attribute::Integers(vec![3, 1]))
    );
    assert_eq!(
        types("Na 0 0 0 1\nCl 0 0 0 -2.5"),
        Some(Attribute::of_texts(["Na", "Cl"]))
    );
}

#[test]
fn xyz_of_other_programs() {
    let text =
        "2\nAtoms. Timestep: 700\n1 0 0.5 1\n2 1e-3 -2 3 0.1 0.2 0.3\n\n2\n\nO 0 0 0\nH 1 1 1\n\n";
    let frames = frames("plain.xyz", text);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0].step, Some(700));
    assert_eq!(
        frames[0].positions,
        [vec![0.0, 1e-3], vec![0.5, -2.0], vec![1.0, 3.0]]
    );
    assert_eq!(
        frames[0].atoms.get("name"),
        Some(&Attribute::of_texts(["1", "2"]))
    );
    assert!(frames[1].step.is_none() && frames[1].cell.is_none());
    let text = "1\nLattice=\"2 0 0 0 2 0 0 0 2\" time=0.25\nNe 1 1 1\n";
    let frame = self::frames("lattice.xyz", text).remove(0);
    assert_eq!(frame.cell.unwrap().lengths(), Some([2.0; 3]));
    assert_eq!(
        frame.atoms.get("species"),
        Some(&Attribute::of_texts(["Ne"]))
    );
    assert_eq!(frame.time, Some(0.25));
    // Arrays of arrays: each row is a vector of the box.
    let text =
        "1\nLattice=[[12.0, 1.5,1.0],[1.0,12.5,-1.0],[-1.5,1.0,13.0]] pbc=[T,T,T]\nNe 1 1 1\n";
    let frame = self::frames("nested.xyz", text).remove(0);
    assert_eq!(
        frame.cell.unwrap().vectors(),
        [[12.0, 1.5, 1.0], [1.0, 12.5, -1.0], [-1.5, 1.0, 13.0]]
    );
}

#[test]
fn pdb_of_other_programs() {
    // Hybrid-36 numbers, asterisks, no element, an alternate place, and short lines.
    let text = "CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1
ATOM  99999  OW AHOH B9999      -1.000   2.500 100.125
HETATMA0000  HW  HOH BA000       0.000   0.000   0.000  1.00  0.00
ATOM  *****  HW  HOH BA001       0.500   0.500   0.500  1.00  0.00           H
CONECTA000099999
TER
END
";
    let frame = frames("a.pdb", text).remove(0);
    assert!(frame.cell.is_none(), "a unit cube stands for no crystal");
    assert_eq!(frame.positions[2], [100.125, 0.0, 0.5]);
    let atoms = &frame.atoms;
    assert_eq!(
        atoms.get("resid"),
        Some(&Attribute::Integers(vec![9999, 10_000, 10_001]))
    );
    assert_eq!(
        atoms.get("altloc"),
        Some(&Attribute::of_texts(["A", "", ""]))
    );
    assert_eq!(
        atoms.get("element"),
        Some(&Attribute::of_texts(["", "", "H"]))
    );
    assert_eq!(atoms.get("chain"), Some(&Attribute::of_texts(["B"; 3])));
    assert_eq!(atoms.bonds(), [[0, 1]]);
}

#[test]
fn gro_to_any_number_of_digits() {
    let rows = |text: &str| frames("a.gro", text).remove(0);
    let few = rows("t\n1\n    1SOL     OW    1  0.12 -3.45 10.00\n 0 0 0\n");
    assert_eq!(few.positions, [[0.12], [-3.45], [10.0]]);
    assert!(few.cell.is_none(), "zeros stand for no box");
    let many = rows(
        "t= 2.5\n1\n99999SOL     OW99999   0.1234567  -3.4567890  10.0000001\n 1 2 3 0 0 0.5 0 -0.25 0.125\n",
    );
    assert_eq!(
        many.positions,
        [[0.123_456_7], [-3.456_789], [10.000_000_1]]
    );
    let vectors = [[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-0.25, 0.125, 3.0]];
    assert_eq!(many.cell.unwrap().vectors(), vectors);
    assert_eq!(many.time, Some(2.5));
}

/// A file of one particle behind this comment: its unit and its only frame, or what is said.
fn ipi(comment: &str) -> Result<(String, Frame), String> {
    let text = format!("1\n{comment}\nO 1 2 3\n");
    let (_folder, path) = written("a.xyz", text.as_bytes());
    let open = open_trajectory(&path, &request(""), Stop::never());
    let mut open = open.map_err(|error| error.to_string())?;
    let frame = open.next_frame().map_err(|error| error.to_string())?;
    let unit = open.unit().unwrap_or_default().to_owned();
    assert!(open.states_unit());
    Ok((unit, frame.unwrap()))
}

#[test]
fn comments_of_ipi_state_units_and_boxes() {
    let lengths = "CELL(abcABC):   12.00000   16.00000   20.00000   90.00000   90.00000   90.00000";
    let right = Cell::orthorhombic([12.0, 16.0, 20.0]).unwrap();
    for (comment, unit, cell) in [
        (
            format!(
                "# {lengths}  Step:           7  Bead:       0 positions{{atomic_unit}}  cell{{atomic_unit}}"
            ),
            "Bohr",
            right,
        ),
        (
            format!("# {lengths}  Step: 7  Bead: 0 x_centroid{{angstrom}}  cell{{angstrom}}"),
            "Angstrom",
            right,
        ),
        (
            format!("# {lengths} Step: 7 positions{{angstrom}}"),
            "Angstrom",
            right,
        ),
        (format!("# {lengths} Step: 7 Unit=nm"), "nm", right),
        (
            format!("# {lengths} Step: 7 positions{{angstrom}} cell{{nanometer}}"),
            "Angstrom",
            Cell::orthorhombic([120.0, 160.0, 200.0]).unwrap(),
        ),
        (
            "# CELL[abcABC]: 2 2 5 90 90 120 Step: 7 positions{angstrom}".to_owned(),
            "Angstrom",
            Cell::from_lengths_and_angles([2.0, 2.0, 5.0], [90.0, 90.0, 120.0]).unwrap(),
        ),
        (
            "# CELL{H}: 4 1 -1 0 5 2 0 0 6 Step: 7 positions{angstrom} cell{angstrom}".to_owned(),
            "Angstrom",
            Cell::new([[4.0, 0.0, 0.0], [1.0, 5.0, 0.0], [-1.0, 2.0, 6.0]]).unwrap(),
        ),
    ] {
        let (found, frame) = ipi(&comment).unwrap();
        assert_eq!(
            (found.as_str(), frame.cell),
            (unit, Some(cell)),
            "{comment}"
        );
        assert_eq!(frame.step, Some(7), "{comment}");
    }
    let bohr = ipi(&format!(
        "# {lengths} positions{{angstrom}} cell{{atomic_unit}}"
    ))
    .unwrap();
    assert_eq!(
        bohr.1.cell.unwrap().lengths().unwrap()[0],
        12.0 * 0.529_177_210_903
    );
}

#[test]
fn comments_of_ipi_that_leave_units_open_are_refused() {
    let lengths = "# CELL(abcABC): 12 16 20 90 90 90";
    for (comment, part) in [
        (
            lengths.to_owned(),
            "expected the unit of i-PI's positions as positions{unit}, or as Unit=Bohr",
        ),
        (
            format!("{lengths} velocities{{atomic_unit}} cell{{angstrom}}"),
            "found `velocities`",
        ),
        (
            format!("{lengths} positions{{automatic}}"),
            "expected a length of i-PI in atomic_unit, angstrom",
        ),
        (
            format!("{lengths} positions{{angstrom}} cell{{furlong}}"),
            "found `furlong`",
        ),
        (
            "# CELL(GENH): 1 0 0 0 1 0 0 0 1 positions{angstrom}".to_owned(),
            "expected i-PI's CELL(abcABC)",
        ),
        (
            "# CELL(H): 4 0 0 1 5 0 0 0 6 positions{angstrom}".to_owned(),
            "an upper triangular matrix",
        ),
        (
            "# CELL(abcABC): 4 4 positions{angstrom}".to_owned(),
            "expected i-PI's CELL(abcABC)",
        ),
    ] {
        let said = ipi(&comment).unwrap_err();
        assert!(
            said.contains("frame 0, line 2: ") && said.contains(part),
            "{said}"
        );
    }
}
