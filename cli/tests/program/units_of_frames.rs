//! Units of length that trajectories state, those asked for, and boxes of other units.

use std::fmt::Write as _;

use crate::folder::{Folder, floats};

/// Two particles 1.5 apart in a box of 10, in every unit: an XYZ whose comment goes on with `more`.
fn pair_xyz(more: &str) -> String {
    format!(
        "2\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3 {more}\nA 1 1 1\nA 1 1 2.5\n"
    )
}

/// The same as a dump of LAMMPS, in a style of units or in none.
fn pair_dump(style: Option<&str>) -> String {
    let units = style.map_or(String::new(), |style| format!("ITEM: UNITS\n{style}\n"));
    format!(
        "{units}ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\nITEM: ATOMS id type x y z\n1 1 1 1 1\n2 1 1 1 2.5\n"
    )
}

/// Runs `rdf FILE FLAGS`, which must succeed; the unit of r, the pairs of each bin and what was said.
fn rdf(folder: &Folder, call: &str) -> (Option<String>, Vec<f64>, String) {
    let run = folder.good(&format!("rdf {call} -o g.ecsv"));
    let table = folder.table("g.ecsv");
    let unit = table.columns[0].unit.clone();
    (unit, floats(&table, "g"), run.stderr)
}

#[test]
fn trajectories_of_md_are_in_sigma() {
    let folder = Folder::new();
    folder.good("md --atoms 108 --density 0.6 --temperature 1 --steps 4 --every 2 --trajectory-every 2 -o m.csv --trajectory m.xyz");
    let text = folder.text("m.xyz");
    let comments = text.lines().filter(|line| line.contains(" Unit=sigma "));
    assert_eq!(comments.count(), 3);
    let (unit, _, said) = rdf(&folder, "m.xyz --r-max 2 --n-bins 4");
    assert_eq!(unit.as_deref(), Some("sigma"));
    assert!(!said.contains("WARN"), "{said}");
    let refused = folder.run("rdf m.xyz --r-max 2 --n-bins 4 --unit Angstrom");
    assert!(refused.code != 0);
    let says = "m.xyz: lengths are in `sigma`, which --unit does not convert into `Angstrom`: a reduced length is not a length";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
}

#[test]
fn dumps_are_in_the_unit_of_their_style() {
    for (style, expected) in [
        (Some("real"), Some("Angstrom")),
        (Some("metal"), Some("Angstrom")),
        (Some("electron"), Some("Bohr")),
        (Some("si"), Some("m")),
        (Some("cgs"), Some("cm")),
        (Some("micro"), Some("um")),
        (Some("nano"), Some("nm")),
        (Some("lj"), Some("sigma")),
        (None, None),
    ] {
        let folder = Folder::new().with("d.lammpstrj", &pair_dump(style));
        let (unit, ..) = rdf(&folder, "d.lammpstrj --r-max 4 --n-bins 4");
        assert_eq!(unit.as_deref(), expected, "{style:?}");
    }
}

#[test]
fn frames_in_a_stated_unit_are_converted_with_their_box() {
    let folder = Folder::new()
        .with("nm.xyz", &pair_xyz("Unit=nm"))
        .with("nano.lammpstrj", &pair_dump(Some("nano")))
        .with("om.xyz", &pair_xyz("Unit=Angstrom"))
        .with("sigma.xyz", &pair_xyz("Unit=sigma"));
    let (unit, of_nm, _) = rdf(&folder, "nm.xyz --bins lin:0:4:4");
    assert_eq!(unit.as_deref(), Some("nm"));
    // One pair in the second bin: 1 over 4/3 pi (8 - 1) / 1000, as many times as it can be found among 1 pair.
    let expected = 1000.0 / (4.0 / 3.0 * std::f64::consts::PI * 7.0);
    assert!((of_nm[1] / expected - 1.0).abs() < 1e-12 && of_nm[2] == 0.0);
    for file in ["nm.xyz", "nano.lammpstrj"] {
        let (unit, g, said) = rdf(
            &folder,
            &format!("{file} --bins lin:0:40:4 --unit Angstrom"),
        );
        assert_eq!(unit.as_deref(), Some("Angstrom"));
        assert!((g[1] / expected - 1.0).abs() < 1e-12, "{g:?}");
        let says = format!("{file}: lengths in nm: multiplied by 10 to Angstrom");
        assert!(said.contains(&says), "{said}");
        let record = folder.table("g.ecsv").meta["unit_of_frames"].clone();
        assert!(record.to_string().contains("10"), "{record}");
    }
    // A box that is given is in the unit asked for.
    let (_, g, said) = rdf(
        &folder,
        "nm.xyz --bins lin:0:40:4 --unit Angstrom --box 100",
    );
    assert!(
        (g[1] / expected - 1.0).abs() < 1e-12 && !said.contains("WARN"),
        "{said}"
    );
    // Files in different units are one trajectory in the unit asked for, and none without.
    let both = "?m.xyz --bins lin:0:4:4";
    let (_, g, _) = rdf(&folder, &format!("{both} --unit Angstrom"));
    // 1.5 of the second file; the other pair is 15 apart. Boxes of 100 and of 10: half a pair over the mean of 1e-6 and 1e-3 of the shell.
    let shell = 4.0 / 3.0 * std::f64::consts::PI * 7.0;
    let mean = 0.5 / (shell * (1e-6 + 1e-3) / 2.0);
    assert!((g[1] / mean - 1.0).abs() < 1e-12, "{g:?} {mean}");
}

#[test]
fn what_states_no_unit_is_taken_for_the_one_asked_for() {
    let folder = Folder::new()
        .with("plain.xyz", &pair_xyz("step=1"))
        .with("energy.xyz", &pair_xyz("energy=-1 unit=eV"));
    let (unit, plain, said) = rdf(&folder, "plain.xyz --bins lin:0:4:4");
    assert_eq!(unit.as_deref(), Some("Angstrom"));
    assert!(!said.contains("WARN"), "{said}");
    let (unit, same, said) = rdf(&folder, "plain.xyz --bins lin:0:4:4 --unit sigma");
    assert_eq!((unit.as_deref(), same), (Some("sigma"), plain));
    let says = "plain.xyz states no unit of length, and such files are usually in Angstrom: its numbers are taken for sigma";
    assert!(said.contains(says), "{said}");
    assert_eq!(rdf(&folder, "energy.xyz --bins lin:0:4:4").0, None);
}

#[test]
fn boxes_in_another_unit_are_warned_of() {
    let mut spread = "60\nProperties=species:S:1:pos:R:3\n".to_owned();
    for k in 0..60 {
        let [x, y, z] = [k % 4, k / 4 % 4, k / 16].map(|v| f64::from(v) * 0.9);
        writeln!(spread, "A {x} {y} {z}").unwrap();
    }
    let folder = Folder::new()
        .with("nm.xyz", &pair_xyz("Unit=nm"))
        .with("spread.xyz", &spread);
    let said = |call: &str| rdf(&folder, &format!("{call} --bins lin:0:1:2")).2;
    let other = said("nm.xyz --box 100");
    let says = "--box 100,100,100 is used, but the first frame of nm.xyz states 10,10,10 nm";
    assert!(other.contains(says), "{other}");
    assert!(said("nm.xyz --box 10.02").contains("--box 10.02,10.02,10.02 is used"));
    for same in ["10.005", "file", "none --norm counts"] {
        let said = said(&format!("nm.xyz --box {same}"));
        assert!(!said.contains("is used"), "{same}: {said}");
    }
    // 2.7 of 27 along all axes, or of 300 along one.
    let small = said("spread.xyz --box 27");
    let says = "the particles of the first frame of spread.xyz fill 2.7 of 27 along x, 2.7 of 27 along y, 2.7 of 27 along z of the box";
    assert!(small.contains(says), "{small}");
    assert!(said("spread.xyz --box 4,4,300").contains("2.7 of 300 along z"));
    for right in ["4", "4,4,100"] {
        let said = said(&format!("spread.xyz --box {right}"));
        assert!(!said.contains("WARN"), "{right}: {said}");
    }
}

#[test]
fn potentials_are_in_the_unit_of_their_lengths() {
    let topology = "PSF\n\n       1 !NTITLE\n REMARKS\n\n       2 !NATOM\n       1 A    1    MOL  A    A      1.000000        1.0000           0\n       2 A    1    MOL  B    B     -1.000000        1.0000           0\n\n       0 !NBOND: bonds\n";
    let folder = Folder::new()
        .with("t.psf", topology)
        .with("nm.xyz", &pair_xyz("Unit=nm"))
        .with("sigma.xyz", &pair_xyz("Unit=sigma"))
        .with("real.lammpstrj", &pair_dump(Some("real")))
        .with("none.lammpstrj", &pair_dump(None));
    let grid = "--topology t.psf --cutoff 8 --origin 0,0,0 --spacing 1 --size 2,2,2 -o m.npy";
    let noted = |call: &str| {
        folder.good(&format!("field {call} {grid}"));
        let record = folder.bytes("m.npy.json");
        let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        let unit = record["unit"].as_str().unwrap().to_owned();
        (unit, record["unit_factor"].as_f64().unwrap())
    };
    let of = |unit: &str, factor: f64| (unit.to_owned(), factor);
    assert_eq!(noted("sigma.xyz"), of("e/sigma", 1.0));
    assert_eq!(noted("nm.xyz"), of("e/nm", 1.0));
    assert_eq!(noted("none.lammpstrj"), of("e/length", 1.0));
    assert_eq!(noted("real.lammpstrj"), of("e/A", 1.0));
    assert_eq!(noted("real.lammpstrj --units V"), of("V", 14.399_645_48));
    assert_eq!(noted("nm.xyz --units e/A"), of("e/A", 0.1));
    let (unit, factor) = noted("nm.xyz --units V");
    assert!(unit == "V" && (factor / 1.439_964_548 - 1.0).abs() < 1e-15);
    assert_eq!(noted("nm.xyz --unit Angstrom"), of("e/A", 1.0));
    for (code, call, says) in [
        (
            2,
            "sigma.xyz --units V",
            "--units needs lengths that can be converted to Angstrom, found `sigma`",
        ),
        (
            1,
            "nm.xyz --unit Mpc",
            "nm.xyz: lengths are in `nm`, which --unit does not convert into `Mpc`",
        ),
    ] {
        let run = folder.run(&format!("field {call} {grid}"));
        assert!(
            run.code == code && run.stderr.contains(says),
            "{}",
            run.stderr
        );
    }
}

#[cfg(feature = "plot")]
#[test]
fn figures_of_trajectories_show_the_unit() {
    let folder = Folder::new()
        .with("none.lammpstrj", &pair_dump(None))
        .with("lj.lammpstrj", &pair_dump(Some("lj")))
        .with("nano.lammpstrj", &pair_dump(Some("nano")));
    // Texts are drawn as outlines: of the same numbers, figures differ by the unit on the axis.
    let figure = |file: &str| {
        folder.good(&format!(
            "rdf {file} --r-max 4 --n-bins 8 --plot g.svg -o g.csv"
        ));
        folder.bytes("g.svg")
    };
    let none = figure("none.lammpstrj");
    let (lj, nano) = (figure("lj.lammpstrj"), figure("nano.lammpstrj"));
    assert!(none != lj && none != nano && lj != nano);
    assert!(
        figure("none.lammpstrj --unit nm") == nano && figure("none.lammpstrj --unit sigma") == lj
    );
}
