//! Where cfitsio and this crate's own decoder both read a table, they give the same values.

use fitsio::FitsFile;

use super::{fixture, read};

/// The numeric columns of `table`, compared with what cfitsio makes of them.
fn compare(name: &str, table: &str, columns: &[&str]) {
    let mut file = FitsFile::open(fixture(name)).unwrap();
    let hdu = file.hdu(table).unwrap();
    for column in columns {
        let theirs: Vec<f64> = hdu.read_col(&mut file, column).unwrap();
        let ours = read(name, Some(table), &[column], None);
        let ours: Vec<&[f64]> = ours
            .names()
            .iter()
            .map(|name| ours.column(name).unwrap())
            .collect();
        let width = ours.len();
        assert_eq!(theirs.len(), width * ours[0].len(), "{name}, {column}");
        for (k, theirs) in theirs.iter().enumerate() {
            let ours = ours[k % width][k / width];
            assert_eq!(
                theirs.to_bits(),
                ours.to_bits(),
                "{name}, {column}, value {k}"
            );
        }
    }
}

#[test]
fn binary_tables() {
    let columns = [
        "X", "Y", "I16", "I32", "I64", "U16", "U32", "U64", "POS", "SCALED",
    ];
    compare("tables.fits", "GALAXIES", &columns);
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/survey_galaxies.fits");
    let mut file = FitsFile::open(sample).unwrap();
    let hdu = file.hdu(1).unwrap();
    let mut reader = albireo_catalogs::open(sample.as_ref()).unwrap();
    for column in reader.outline(None).unwrap().columns {
        let theirs: Vec<f64> = hdu.read_col(&mut file, &column.name).unwrap();
        let request = albireo_catalogs::Request::columns([&column.name]);
        let ours = reader.read(&request).unwrap();
        assert_eq!(
            ours.column(&column.name).unwrap(),
            theirs,
            "{}",
            column.name
        );
    }
}

#[test]
fn texts_and_integers_of_ascii_tables() {
    compare("ascii.fits", "ASCII", &["ID"]);
    let mut file = FitsFile::open(fixture("ascii.fits")).unwrap();
    let hdu = file.hdu("ASCII").unwrap();
    let theirs: Vec<String> = hdu.read_col(&mut file, "SPECIES").unwrap();
    let oxygen = theirs.iter().filter(|species| *species == "O").count();
    let ours = read(
        "ascii.fits",
        Some("ASCII"),
        &["ID"],
        Some("SPECIES == \"O\""),
    );
    assert_eq!(ours.rows(), oxygen);
    // cfitsio sums decimal digits in float64, so its last bit is its own; ours is the nearest float64.
    let theirs: Vec<f64> = hdu.read_col(&mut file, "X").unwrap();
    let ours = read("ascii.fits", Some("ASCII"), &["X"], None);
    let ours = ours.column("X").unwrap();
    let differ = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
    println!(
        "{differ} of {} decimals differ in the last bits",
        ours.len()
    );
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(
            (ours - theirs).abs() <= 4.0 * f64::EPSILON * ours.abs(),
            "{ours} {theirs}"
        );
    }
}
