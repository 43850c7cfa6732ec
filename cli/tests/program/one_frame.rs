//! `albireo rdf` of tables without frame numbers, which are one frame where flags of trajectories are given.

use std::fmt::Write as _;

use crate::folder::Folder;
use crate::walls::{frames, in_ball, points, table};

/// A table that states its box in its header.
fn in_a_box(length: f64, rows: &[[f64; 3]]) -> String {
    let mut text = "# %ECSV 1.0\n# ---\n# datatype:\n".to_owned();
    for axis in ["x", "y", "z"] {
        writeln!(text, "# - {{name: {axis}, datatype: float64}}").unwrap();
    }
    write!(
        text,
        "# meta: {{BoxSize: {length}}}\n# schema: astropy-2.0\n"
    )
    .unwrap();
    text + &table(rows).replace(',', " ")
}

#[test]
fn a_table_without_frame_numbers_is_one_frame() {
    let rows = points(80, 90, in_ball);
    let folder = Folder::new()
        .with("one.csv", &table(&rows))
        .with("boxed.ecsv", &in_a_box(2.0, &rows))
        .with("frames.csv", &frames(&[rows]));
    let bins = "--r-max 0.9 --n-bins 6";
    for (flags, file) in [
        ("--plane xz --box 2", "g.csv"),
        ("--cylinder z --heights lin:0:0.9:2 --box 2", "g.csv"),
        ("--p-of-r p.csv --r-max 2", "p.csv"),
        ("--norm neighbours --volume 8", "g.csv"),
        ("--structure s.csv --q lin:1:9:4 --box 2", "s.csv"),
    ] {
        let bins = if flags.contains("--r-max") {
            "--n-bins 6"
        } else {
            bins
        };
        let of = |name: &str| {
            folder.good(&format!("rdf {name} {flags} {bins} -o g.csv"));
            let table = folder.table(file);
            table.columns
        };
        let (one, all) = (of("one.csv"), of("frames.csv"));
        assert!(!one.is_empty());
        assert_eq!(one, all, "{flags}");
    }
    // The box of the header is that of --box.
    folder.good(&format!("rdf boxed.ecsv --plane xy {bins} -o boxed.csv"));
    folder.good(&format!(
        "rdf one.csv --box 2 --plane xy {bins} -o one_g.csv"
    ));
    let (boxed, one) = (folder.table("boxed.csv"), folder.table("one_g.csv"));
    assert_eq!(boxed.columns, one.columns);
    assert_eq!(boxed.meta["box_from"], "attribute `BoxSize` of boxed.ecsv");
    folder.good(&format!(
        "rdf boxed.ecsv --plane xy --box none --volume 4 {bins} -o open.csv"
    ));
    assert!(!folder.table("open.csv").meta.contains_key("box_from"));
}
