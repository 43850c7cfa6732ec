//! Edges of bins from files: arrays of `.npz` archives and a text with one edge a line.

use crate::folder::{Folder, scattered};

#[test]
fn edges_of_an_archive_are_those_written_out() {
    let Some(data) = std::env::var_os("ALBIREO_TEST_DATA") else {
        return;
    };
    let archive = std::path::Path::new(&data).join("entrance/desi/edges.npz");
    let archive = archive.display();
    let folder = Folder::new().with("d.csv", &scattered(200, 300.0, 1));
    let count = "count d.csv --statistic s-mu --los z";
    let bins = format!("--bins @{archive}:s --mu-bins @{archive}:mu");
    folder.good(&format!("{count} {bins} -o npz.json"));
    let table = folder.table("npz.json");
    let edges = &table.meta["edges"];
    let of = |axis: &str| -> Vec<String> {
        let edges = edges[axis].as_array().unwrap().iter();
        edges.map(ToString::to_string).collect()
    };
    let (s, mu) = (of("s"), of("mu"));
    assert_eq!((s.len(), mu.len()), (6, 9));
    std::fs::write(folder.path("s.txt"), s.join("\n")).unwrap();
    folder.good(&format!(
        "{count} --bins @s.txt --mu-bins=edges:{} -o text.json",
        mu.join(",")
    ));
    let other = folder.table("text.json");
    assert_eq!(
        (&other.columns, &other.meta["edges"]),
        (&table.columns, edges)
    );
}
