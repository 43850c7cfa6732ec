//! Units that files state for their columns.

use crate::folder::{Folder, floats, integers, refused};

/// Refused for what the file holds.
fn rejected(folder: &Folder, arguments: &str, part: &str) {
    refused(folder, arguments, 1, &[part]);
}

/// An ECSV file of columns, each with a unit or none.
fn ecsv(columns: &[(&str, &str)], rows: &str) -> String {
    let mut text = String::from("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n");
    for (name, unit) in columns {
        text = format!("{text}# - name: {name}\n#   datatype: float64\n");
        if !unit.is_empty() {
            text = format!("{text}#   unit: {unit}\n");
        }
    }
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    text + &names.join(",") + "\n" + rows
}

/// Pairs by angle of three directions on the equator: 15, 30 and 45 degrees apart.
fn pairs_by_angle(ra: &str, dec: &str, rows: &str) -> (Vec<i64>, String) {
    let folder = Folder::new().with("t.ecsv", &ecsv(&[("ra", ra), ("dec", dec)], rows));
    let run = folder.good("count t.ecsv --statistic theta --bins edges:10,20,40,50 -o c.csv");
    let counts = integers(&folder.table("c.csv"), "npairs");
    (counts.into_iter().map(|n| n as i64).collect(), run.stderr)
}

#[test]
fn angles_become_degrees() {
    let right = vec![1, 1, 1];
    let degrees = "0,0\n15,0\n45,0\n";
    assert_eq!(pairs_by_angle("deg", "deg", degrees).0, right);
    let (counts, said) = pairs_by_angle("hourangle", "deg", "0,0\n1,0\n3,0\n");
    assert_eq!(counts, right);
    assert!(
        said.contains("column `ra` is in hourangle: multiplied by 15 to deg"),
        "{said}"
    );
    let radians = "0,0\n0.2617993877991494,0\n0.7853981633974483,0\n";
    assert_eq!(pairs_by_angle("rad", "rad", radians).0, right);
    assert_eq!(
        pairs_by_angle("arcmin", "deg", "0,0\n900,0\n2700,0\n").0,
        right
    );
    assert_eq!(
        pairs_by_angle("arcsec", "deg", "0,0\n54000,0\n162000,0\n").0,
        right
    );
}

#[test]
fn positions_are_in_the_unit_of_the_first_axis() {
    let rows = "0,0,0\n0.3,4,0\n";
    let of = |y: &str, z: &str| ecsv(&[("x", "nm"), ("y", y), ("z", z)], rows);
    let folder = Folder::new()
        .with("t.ecsv", &of("Angstrom", "nm"))
        .with("far.ecsv", &of("Angstrom", "Mpc"))
        .with(
            "h.ecsv",
            &ecsv(&[("x", "Mpc"), ("y", "Mpc/h"), ("z", "Mpc")], rows),
        );
    // 0.3 nm and 4 Angstrom: 0.5 nm apart.
    let run = folder.good("count t.ecsv --bins edges:0.1,0.49,0.51,9 -o c.csv");
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [0, 1, 0]);
    assert!(
        run.stderr
            .contains("column `y` is in Angstrom: multiplied by 0.1 to nm")
    );
    folder.good("count t.ecsv --ignore-units y --bins edges:0.1,1,5 -o c.csv");
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [0, 1]);
    rejected(
        &folder,
        "count far.ecsv --bins edges:0.1,1",
        "positions in nm, Angstrom and Mpc",
    );
    rejected(
        &folder,
        "count h.ecsv --bins edges:0.1,1",
        "positions in Mpc and Mpc/h",
    );
}

#[test]
fn what_is_no_length_is_no_position() {
    for unit in ["s", "mag", "dex", "pixel", "mag(AB)"] {
        let axes = [("x", unit), ("y", unit), ("z", unit)];
        let folder = Folder::new().with("t.ecsv", &ecsv(&axes, "0,0,0\n0.3,4,0\n"));
        let said = format!("positions in {unit} (x, y, z): expected lengths in one unit");
        rejected(&folder, "count t.ecsv --bins edges:0.1,5", &said);
        let ignored = "count t.ecsv --ignore-units x,y,z --bins edges:0.1,5 -o c.csv";
        folder.good(ignored);
        assert_eq!(integers(&folder.table("c.csv"), "npairs"), [1]);
    }
}

#[test]
fn directions_of_surveys_become_degrees() {
    // Around the north pole, 0.1 rad or 5.7 degrees from it; in degrees they would lie on the equator.
    let row = |k: i32| format!("{},1.47,0.{}", f64::from(k) * 0.1, 1 + k % 4);
    let rows = (0..60).map(row).collect::<Vec<_>>().join("\n") + "\n";
    let header = [("RA", "rad"), ("DEC", "rad"), ("Z", "")];
    let folder = Folder::new().with("t.ecsv", &ecsv(&header, &rows));
    let run = folder.good("randoms -n 50 --seed 1 --like t.ecsv --nside 16 -o r.csv");
    assert!(run.stderr.contains("multiplied by 57.29"), "{}", run.stderr);
    assert!(!run.stderr.contains("look like radians"), "{}", run.stderr);
    let lowest = floats(&folder.table("r.csv"), "DEC")
        .into_iter()
        .fold(90.0, f64::min);
    assert!((70.0..90.0).contains(&lowest), "{lowest}");
}

#[test]
fn a_box_beside_that_of_the_file_is_warned_of() {
    let mut header = String::from(
        "# %ECSV 1.0\n# ---\n# delimiter: ','\n# meta: !!omap\n# - BoxSize: 10.0\n# datatype:\n",
    );
    for axis in ["x", "y", "z"] {
        header = format!("{header}# - name: {axis}\n#   datatype: float64\n");
    }
    let folder = Folder::new().with("b.ecsv", &format!("{header}x,y,z\n1,1,1\n2,2,2\n9,9,9\n"));
    let bins = "--bins lin:0:4:2";
    let own = folder.good(&format!("count b.ecsv {bins} -o own.csv"));
    assert!(
        own.stderr.contains("from attribute `BoxSize`") || own.stderr.contains("periodic, 10"),
        "{}",
        own.stderr
    );
    let same = folder.good(&format!("count b.ecsv {bins} --box 10.001 -o same.csv"));
    assert!(!same.stderr.contains("states"), "{}", same.stderr);
    let other = folder.good(&format!("count b.ecsv {bins} --box 100 -o other.csv"));
    let text = "--box is periodic, 100 x 100 x 100, but the file states periodic, 10 x 10 x 10";
    assert!(other.stderr.contains(text), "{}", other.stderr);
}

#[test]
fn boxes_written_as_text_are_boxes() {
    let of = |stated: &str| {
        let header = format!(
            "# %ECSV 1.0\n# ---\n# delimiter: ','\n# meta: !!omap\n# - BoxSize: '{stated}'\n# datatype:\n"
        );
        let axes = ["x", "y", "z"].map(|axis| format!("# - name: {axis}\n#   datatype: float64\n"));
        format!("{header}{}x,y,z\n0.5,1,1\n9.5,1,1\n", axes.concat())
    };
    let folder = Folder::new()
        .with("number.ecsv", &of("10"))
        .with("words.ecsv", &of("10 Mpc"));
    // Across the face of the box: 1 apart.
    folder.good("count number.ecsv --bins edges:0.5,1.5,5 -o c.csv");
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [1, 0]);
    rejected(
        &folder,
        "count words.ecsv --bins edges:0.5,1.5,5",
        "attribute `BoxSize` of words.ecsv: expected a length, three lengths or three vectors, found the text `10 Mpc`",
    );
    folder.good("count words.ecsv --box none --bins edges:0.5,1.5,9.5 -o c.csv");
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [0, 1]);
}
