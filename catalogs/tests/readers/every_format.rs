//! What holds for every format: filters, missing values, descriptions; and reference catalogues.

use std::path::PathBuf;

use albireo_catalogs::{Filter, Request, Value, open};

use super::{ROWS, fixture, read, x};

#[test]
fn filters_select_the_same_rows_in_every_format() {
    let cases = [
        ("tables.fits", "SPECIES", "X"),
        ("tables.fits.gz", "SPECIES", "X"),
        ("snappy.parquet", "species", "x"),
        ("snappy.parquet", "label", "x"),
        ("zstd.parquet", "species", "x"),
        // So many row groups that several are filtered at once.
        ("lz4.parquet", "species", "x"),
        ("columns.h5", "species", "x"),
        ("columns.h5", "label", "x"),
        ("blanks.txt", "species", "x"),
        ("comma.csv.gz", "species", "x"),
        ("astropy.ecsv", "species", "x"),
    ];
    for (name, species, column) in cases {
        let filter = format!("{species} == \"O\" && ({column} < 10 || {column} >= 25.125)");
        let catalog = read(name, None, &[column], Some(&filter));
        let expected: Vec<f64> = (0..ROWS)
            .filter(|k| k % 3 == 0)
            .map(x)
            .filter(|&x| !(10.0..25.125).contains(&x))
            .collect();
        assert_eq!(
            catalog.column(column).unwrap(),
            expected,
            "{name}, {species}"
        );
        assert_eq!(
            (catalog.rows(), catalog.rows_read()),
            (expected.len(), 48),
            "{name}"
        );
        let none = read(name, None, &[column], Some(&format!("{column} < -1e9")));
        assert_eq!(
            (none.rows(), none.column(column).unwrap().len()),
            (0, 0),
            "{name}"
        );
        let other = read(name, None, &[column], Some(&format!("{species} != \"O\"")));
        assert_eq!(other.rows(), 32, "{name}");
    }
}

#[test]
fn nan_stays_and_nulls_of_columns_not_asked_for_do_not_matter() {
    let catalog = read("columns.h5", None, &["nan"], None);
    assert_eq!(
        catalog
            .column("nan")
            .unwrap()
            .iter()
            .filter(|value| value.is_nan())
            .count(),
        1
    );
    assert_eq!(read("snappy.parquet", None, &["x"], None).rows(), ROWS);
    assert_eq!(read("tables.fits", None, &["X"], None).rows(), ROWS);
}

#[test]
fn columns_are_taken_once_and_without_a_copy() {
    let mut catalog = read("comma.csv", None, &["x", "y", "x"], None);
    assert_eq!(catalog.names(), ["x", "y"]);
    let address = catalog.column("x").unwrap().as_ptr();
    let taken = catalog.take("x").unwrap();
    assert_eq!(taken.as_ptr(), address);
    assert!(catalog.take("x").is_err());
    assert_eq!((catalog.names(), catalog.rows()), (vec!["y"], ROWS));
}

#[test]
fn outlines_are_descriptions_without_ranges() {
    for (name, table) in [("tables.fits", "GALAXIES"), ("tables.fits.gz", "ODD")] {
        let mut reader = open(&fixture(name)).unwrap();
        let described = reader.describe().unwrap();
        let whole = described.tables.iter().find(|found| found.name == table);
        let (whole, outline) = (whole.unwrap(), reader.outline(Some(table)).unwrap());
        assert_eq!(outline.rows, whole.rows);
        assert_eq!(outline.attributes, whole.attributes);
        assert_eq!(outline.columns.len(), whole.columns.len());
        for (column, whole) in outline.columns.iter().zip(&whole.columns) {
            assert_eq!(column.name, whole.name);
            assert_eq!(
                (&column.dtype, &column.unit, column.width, column.rows),
                (&whole.dtype, &whole.unit, whole.width, whole.rows)
            );
            assert_eq!((column.min, column.max, column.nan_count), (None, None, 0));
        }
        assert!(reader.outline(Some("none")).is_err());
    }
}

#[test]
fn descriptions_say_what_is_there() {
    let description = open(&fixture("tables.fits")).unwrap().describe().unwrap();
    let names: Vec<&str> = description
        .tables
        .iter()
        .map(|table| table.name.as_str())
        .collect();
    assert_eq!(names, ["GALAXIES", "ODD"]);
    let column = |table: usize, name: &str| {
        description.tables[table]
            .columns
            .iter()
            .find(|column| column.name == name)
            .unwrap()
            .clone()
    };
    let first = column(0, "X");
    assert_eq!((first.unit.as_deref(), first.rows), (Some("Mpc/h"), 48));
    assert_eq!((first.min, first.max), (Some(x(0)), Some(x(47))));
    let position = column(0, "POS");
    assert_eq!(
        (position.width, position.min, position.max),
        (3, Some(-x(47)), Some(x(47)))
    );
    assert_eq!(column(0, "U16").dtype, "uint16");
    assert_eq!(column(0, "SPECIES").dtype, "string");
    assert_eq!(
        (column(0, "NULLS").null_count, column(0, "NULLS").nan_count),
        (1, 0)
    );
    assert_eq!(
        (column(1, "NAN").nan_count, column(1, "NAN").min),
        (1, Some(-2.0))
    );
    // Ranges round where reading would refuse.
    assert_eq!(column(1, "ID").max, Some(2_f64.powi(53)));
    let description = open(&fixture("columns.h5")).unwrap().describe().unwrap();
    let rows = |name: &str| {
        description.tables[0]
            .columns
            .iter()
            .find(|column| column.name == name)
            .unwrap()
            .rows
    };
    assert_eq!((rows("x"), rows("short")), (48, 10));
}

/// Reference catalogues that are too large to keep here: `ALBIREO_TEST_DATA` names their folder.
#[test]
fn reference_catalogs() {
    let Some(folder) = std::env::var_os("ALBIREO_TEST_DATA").map(PathBuf::from) else {
        eprintln!("skipped: ALBIREO_TEST_DATA is not set");
        return;
    };
    let read = |name: &str, columns: &[&str], filter: Option<&str>| {
        let mut request = Request::columns(columns.iter().copied());
        request.filter = filter.map(|text| Filter::parse(text).unwrap());
        open(&folder.join(name)).unwrap().read(&request).unwrap()
    };
    let galaxies = read("corrfunc/gals_Mr19.h5", &["x", "y", "z", "w"], None);
    assert_eq!(galaxies.rows(), 1_235_904);
    assert_eq!(galaxies.attribute("BoxSize"), Some(&Value::Float(420.0)));
    let mock = read(
        "corrfunc/Mr19_mock_northonly.fits",
        &["RA", "DEC", "CZ", "WEIGHT"],
        None,
    );
    assert_eq!(mock.rows(), 84_383);
    let oxygen = read(
        "md/spce_ortho.parquet",
        &["x", "y", "z"],
        Some("species == \"O\" && frame == 3"),
    );
    let same = read(
        "md/spce_ortho.h5",
        &["position"],
        Some("species == \"O\" && frame == 3"),
    );
    assert_eq!((oxygen.rows(), same.rows()), (1500, 1500));
    assert_eq!(
        same.attribute("box/edges")
            .and_then(Value::as_floats)
            .map_or(0, |edges| edges.len()),
        9
    );
    let ions = read("md/cadishi_sphere.h5", &["0/coordinates/Na+1"], None);
    assert_eq!((ions.rows(), ions.width("0/coordinates/Na+1")), (6, 3));
}
