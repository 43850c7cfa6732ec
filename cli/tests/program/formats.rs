//! Files of every format through the program: which table, which columns, what is shown, and stopping while they are read.

use crate::folder::{Folder, Run, integers, scattered};

/// A fixture of the readers.
fn fixture(name: &str) -> String {
    format!(
        "{}/../catalogs/tests/fixtures/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[track_caller]
fn says(run: &Run, code: i32, parts: &[&str]) {
    assert_eq!(run.code, code, "{}", run.stderr);
    for part in parts {
        assert!(
            run.stderr.contains(part),
            "`{part}` is not in: {}",
            run.stderr
        );
    }
}

#[test]
fn results_go_to_fits_and_come_back() {
    let folder = Folder::new()
        .with("d.csv", &scattered(300, 10.0, 1))
        .with("r.csv", &scattered(900, 10.0, 2));
    folder.good("count r.csv --bins lin:0:3:6 -o rr.fits");
    folder.good("count r.csv --bins lin:0:3:6 -o rr.json");
    let (fits, json) = (folder.table("rr.fits"), folder.table("rr.json"));
    assert_eq!(integers(&fits, "npairs"), integers(&json, "npairs"));
    assert_eq!(fits.meta["edges"], json.meta["edges"]);
    assert_eq!(fits.meta["samples"], json.meta["samples"]);
    let xi = "xi d.csv --randoms r.csv --bins lin:0:3:6";
    folder.good(&format!("{xi} -o counted.fits"));
    folder.good(&format!("{xi} --rr rr.fits -o reused.fits"));
    let [counted, reused] = ["counted.fits", "reused.fits"].map(|name| folder.table(name));
    assert_eq!(counted.columns, reused.columns);
    let info = folder.good("info rr.fits").stdout;
    assert!(info.contains("npairs") && info.contains("uint64"), "{info}");
}

#[cfg(feature = "plot")]
#[test]
fn results_in_fits_are_drawn() {
    let folder = Folder::new()
        .with("d.csv", &scattered(300, 10.0, 1))
        .with("r.csv", &scattered(900, 10.0, 2));
    folder.good("xi d.csv --randoms r.csv --bins lin:0:3:6 -o xi.fits");
    folder.good("plot xi.fits -o xi.png");
    assert!(folder.path("xi.png").is_file());
}

#[test]
fn one_of_several_fits_tables_must_be_named() {
    let folder = Folder::new();
    let tables = fixture("tables.fits");
    let count = "--positions POS --box none --bins edges:0,3";
    let several = folder.run(&format!("count {tables} {count}"));
    says(
        &several,
        1,
        &["several tables: name one of `GALAXIES`, `ODD`", "--table"],
    );
    folder.good(&format!("count {tables} --table GALAXIES {count}"));
    folder.good(&format!("count {tables} --table 1 {count}"));
    let literal = folder.run(&format!("count {tables}[1] {count}"));
    says(&literal, 1, &["no such file, but", "--table 1"]);
    let info = folder.good(&format!("info {tables}")).stdout;
    assert!(
        info.contains("table GALAXIES") && info.contains("table ODD"),
        "{info}"
    );
}

#[test]
fn packed_and_compound_tables_are_counted() {
    let folder = Folder::new();
    let count = |file: &str, flags: &str| {
        let arguments = format!(
            "count {} {flags} --box none --bins edges:0,3 -o n.json",
            fixture(file)
        );
        folder.good(&arguments);
        integers(&folder.table("n.json"), "npairs")[0]
    };
    let packed = count("packed.fits", "--positions POS");
    assert_eq!(packed, count("packed_rice.fits", "--positions POS"));
    assert!(packed > 0);
    // Both hold the same 48 positions.
    let members = count("compound.h5", "--table galaxies --positions pos");
    assert_eq!(members, count("columns.h5", "--positions pos"));
    assert_eq!(members, count("tables.fits", "--table 1 --positions POS"));
    let arrays = count("arrays.fits", "--positions POS");
    assert_eq!(arrays, count("arrays.fits.gz", "--positions POS"));
    let info = folder
        .good(&format!("info {}", fixture("astropy.h5")))
        .stdout;
    assert!(info.contains("table data: 48 rows"), "{info}");
    assert!(
        info.contains("Mpc") && info.contains("BoxSize = 420.5"),
        "{info}"
    );
}

#[test]
fn columns_without_names_go_by_number() {
    let folder = Folder::new().with("p.txt", "9 0 0 0 2\n9 1 0 0 3\n");
    folder.good("count p.txt --positions 2,3,4 --weight 5 --bins edges:0.5,1.5 -o n.json");
    assert_eq!(integers(&folder.table("n.json"), "npairs"), [1]);
    let zero = folder.run("count p.txt --positions 0,1,2 --bins edges:0.5,1.5");
    says(
        &zero,
        1,
        &["no column `0`; the columns are: `col1`, `col2`, `col3`, `col4`, `col5`"],
    );
    // Names hide numbers.
    let named = Folder::new().with("p.csv", "a,b,c\n1,2,3\n4,5,6\n");
    says(
        &named.run("count p.csv --positions 1,2,3 --bins edges:0.5,1.5"),
        1,
        &["no column `1`"],
    );
}

/// Wide and long files that once took minutes.
#[test]
fn info_of_many_columns_and_of_many_empty_lines_is_quick() {
    let folder = Folder::new();
    let names: Vec<String> = (0..200_000).map(|k| format!("c{k}")).collect();
    let row = vec!["1"; 200_000].join(",");
    let wide = format!("{}\n{row}\n{row}\n", names.join(","));
    let folder = folder.with("wide.csv", &wide);
    let start = std::time::Instant::now();
    let info = folder.good("info wide.csv").stdout;
    assert!(info.contains("c199999"));
    // Each member unpacks to 60 MB of line ends.
    let member = gzip(&vec![b'\n'; 60_000_000]);
    std::fs::write(folder.path("empty.txt.gz"), member.repeat(10)).unwrap();
    says(&folder.run("info empty.txt.gz"), 1, &["it has no row"]);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_reading_and_unpacking() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    // Gigabytes when unpacked.
    let rows = gzip("1 2 3\n".repeat(2_000_000).as_bytes());
    let blank = gzip(&vec![b'\n'; 60_000_000]);
    let folder = Folder::new();
    std::fs::write(folder.path("rows.txt.gz"), rows.repeat(400)).unwrap();
    std::fs::write(folder.path("blank.txt.gz"), blank.repeat(2000)).unwrap();
    for arguments in [
        vec!["info", "rows.txt.gz"],
        vec!["info", "blank.txt.gz"],
        vec![
            "count",
            "rows.txt.gz",
            "--positions",
            "1,2,3",
            "--bins",
            "edges:1,2",
        ],
    ] {
        let mut command = folder.command(&arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        assert!(
            child.try_wait().unwrap().is_none(),
            "{arguments:?} ended early"
        );
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
        let start = Instant::now();
        let code = child.wait().unwrap().code();
        // Half a second, and room for a busy machine.
        assert!(
            start.elapsed() < Duration::from_millis(1500),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(code, Some(130), "{arguments:?}");
    }
}
