//! Every format gives back the values its fixture was made from, bit by bit.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

use std::path::{Path, PathBuf};

use albireo_catalogs::{Catalog, Filter, Format, Request, Value, open};

const ROWS: usize = 48;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn read(name: &str, table: Option<&str>, columns: &[&str], filter: Option<&str>) -> Catalog {
    let mut request = Request::columns(columns.iter().copied());
    request.table = table.map(str::to_owned);
    request.filter = filter.map(|text| Filter::parse(text).unwrap());
    open(&fixture(name)).unwrap().read(&request).unwrap()
}

// The formulas of fixtures/make.py.
fn x(k: usize) -> f64 {
    k as f64 * 0.5 + 0.125
}
fn y(k: usize) -> f64 {
    f64::from((k as f64 * 0.1) as f32)
}
fn z(k: usize) -> f64 {
    // numpy negates the integer: row 0 is +0.
    0.0 - k as f64 / 3.0
}
fn i64_(k: usize) -> f64 {
    k as f64 * 2_f64.powi(44)
}
fn u64_(k: usize) -> f64 {
    2_f64.powi(63) + k as f64 * 2048.0
}
fn flag(k: usize) -> f64 {
    f64::from(u8::from(k.is_multiple_of(3)))
}

#[track_caller]
fn same(catalog: &Catalog, column: &str, value: impl Fn(usize) -> f64) {
    let found = catalog.column(column).unwrap();
    assert_eq!(found.len(), catalog.rows());
    for (k, &found) in found.iter().enumerate() {
        assert_eq!(
            found.to_bits(),
            value(k).to_bits(),
            "{column}, row {k}: {found} is not {}",
            value(k)
        );
    }
}

#[test]
fn fits_columns_of_every_type() {
    for name in ["tables.fits", "tables.fits.gz"] {
        let columns = [
            "X", "Y", "I16", "I32", "I64", "U16", "U32", "U64", "FLAG", "SCALED", "POS",
        ];
        let mut catalog = read(name, None, &columns, None);
        assert_eq!(
            (catalog.format(), catalog.table(), catalog.rows()),
            (Format::Fits, "GALAXIES", ROWS)
        );
        same(&catalog, "X", x);
        same(&catalog, "Y", y);
        same(&catalog, "I16", |k| k as f64 - 150.0);
        same(&catalog, "I32", |k| k as f64 * 1_000_003.0 - 7.0);
        same(&catalog, "I64", i64_);
        same(&catalog, "U16", |k| 65535.0 - k as f64);
        same(&catalog, "U32", |k| 4_294_967_295.0 - k as f64);
        same(&catalog, "U64", u64_);
        same(&catalog, "FLAG", flag);
        same(&catalog, "SCALED", |k| k as f64 * 0.25 + 10.0);
        same(&catalog, "POS[1]", |k| -x(k));
        assert_eq!(catalog.width("POS"), 3);
        let [a, b, c] = catalog.vector("POS").unwrap();
        assert_eq!((a[7], b[7], c[7]), (x(7), -x(7), z(7)));
        assert!(catalog.column("POS[0]").is_err());
        assert_eq!(catalog.attribute("BOXSIZE"), Some(&Value::Float(420.5)));
        assert_eq!(catalog.attribute("NGAL"), Some(&Value::Integer(48)));
        assert_eq!(catalog.attribute("PERIODIC"), Some(&Value::Bool(true)));
        assert_eq!(
            catalog.attribute("ORIGIN"),
            Some(&Value::Text("O'Neil".to_owned()))
        );
        assert_eq!(catalog.attribute("omega matter"), Some(&Value::Float(0.25)));
        let long = "a text longer than a card ".repeat(5);
        assert_eq!(
            catalog.attribute("LONGTEXT").unwrap().as_text(),
            Some(long.trim_end())
        );
    }
}

#[test]
fn fits_tables_by_name_and_number() {
    for table in [Some("ODD"), Some("odd"), Some("3")] {
        let catalog = read("tables.fits", table, &["NAN"], None);
        let values = catalog.column("NAN").unwrap();
        assert!(values[0] == 1.0 && values[1].is_nan() && values[2] == -2.0);
    }
    assert_eq!(read("tables.fits", Some("1"), &["X"], None).rows(), ROWS);
}

#[test]
fn parquet_columns_of_every_type() {
    let columns = ["x", "y", "half", "i8", "i64", "u64", "flag", "pos"];
    let mut catalog = read("snappy.parquet", None, &columns, None);
    assert_eq!((catalog.format(), catalog.rows()), (Format::Parquet, ROWS));
    same(&catalog, "x", x);
    same(&catalog, "y", y);
    same(&catalog, "half", |k| k as f64 * 0.5);
    same(&catalog, "i8", |k| (k % 100) as f64 - 50.0);
    same(&catalog, "i64", i64_);
    same(&catalog, "u64", u64_);
    same(&catalog, "flag", flag);
    let [a, b, c] = catalog.vector("pos").unwrap();
    assert_eq!((a[47], b[47], c[47]), (x(47), -x(47), z(47)));
    assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(420.5)));
    assert_eq!(
        catalog.attribute("edges"),
        Some(&Value::Floats(vec![1.0, 2.0, 3.5]))
    );
    assert_eq!(
        catalog.attribute("note").unwrap().as_text(),
        Some("two words")
    );
}

#[test]
fn parquet_of_every_codec() {
    for codec in ["snappy", "zstd", "lz4", "gzip"] {
        let catalog = read(
            &format!("{codec}.parquet"),
            None,
            &["y", "pos[2]", "x"],
            None,
        );
        assert_eq!(catalog.names(), ["y", "pos[2]", "x"]);
        same(&catalog, "x", x);
        same(&catalog, "y", y);
        same(&catalog, "pos[2]", z);
    }
}

#[test]
fn hdf5_columns_of_every_type_and_filter() {
    let columns = [
        "x", "y", "z", "big", "i16", "half", "u64", "flag", "pos", "split",
    ];
    let mut catalog = read("columns.h5", None, &columns, None);
    assert_eq!(
        (catalog.format(), catalog.table(), catalog.rows()),
        (Format::Hdf5, "/", ROWS)
    );
    same(&catalog, "x", x);
    same(&catalog, "y", y);
    same(&catalog, "z", z);
    same(&catalog, "big", x);
    same(&catalog, "i16", |k| k as f64 - 150.0);
    same(&catalog, "half", |k| k as f64 * 0.5);
    same(&catalog, "u64", u64_);
    same(&catalog, "flag", flag);
    for name in ["pos", "split"] {
        let [a, b, c] = catalog.vector(name).unwrap();
        assert_eq!((a[31], b[31], c[31]), (x(31), -x(31), z(31)));
    }
    assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(420.5)));
    assert_eq!(
        catalog.attribute("edges"),
        Some(&Value::Floats(vec![1.0, 2.0, 3.5]))
    );
    assert_eq!(catalog.attribute("count"), Some(&Value::Integer(48)));
    assert_eq!(catalog.attribute("units").unwrap().as_text(), Some("Mpc/h"));
    assert_eq!(catalog.attribute("scalar"), Some(&Value::Float(7.5)));
}

#[test]
fn hdf5_groups_and_paths() {
    let catalog = read(
        "gadget.hdf5",
        Some("PartType1"),
        &["Coordinates[2]", "ParticleIDs"],
        None,
    );
    assert_eq!(catalog.rows(), 41);
    same(&catalog, "Coordinates[2]", z);
    same(&catalog, "ParticleIDs", |k| k as f64);
    assert_eq!(
        catalog.attribute("BoxSize"),
        Some(&Value::Floats(vec![100.0, 100.0, 50.0]))
    );
    assert_eq!(catalog.attribute("Time"), Some(&Value::Float(0.5)));
    // Full paths need no table; so does a column that only one group has.
    let mut catalog = read(
        "gadget.hdf5",
        None,
        &["PartType0/Coordinates", "/PartType0/Density"],
        None,
    );
    same(&catalog, "/PartType0/Density", x);
    assert_eq!(
        catalog.vector("PartType0/Coordinates").unwrap()[0].len(),
        40
    );
    same(&read("gadget.hdf5", None, &["Density"], None), "Density", x);
}

#[test]
fn h5md_frames() {
    let filter = Some("frame == 2 && species == 1");
    let catalog = read(
        "trajectory.h5",
        None,
        &["position[0]", "species", "frame"],
        filter,
    );
    assert_eq!((catalog.rows(), catalog.rows_read()), (10, 20));
    same(&catalog, "position[0]", |k| {
        f64::from((x(2 * k + 1) + 200.0) as f32)
    });
    same(&catalog, "frame", |_| 2.0);
    assert_eq!(
        catalog.attribute("box/edges"),
        Some(&Value::Floats(vec![10.0, 11.0, 14.0]))
    );
    assert_eq!(catalog.attribute("box/dimension"), Some(&Value::Integer(3)));
    let several = read(
        "trajectory.h5",
        Some("particles/all"),
        &["position"],
        Some("frame >= 1"),
    );
    assert_eq!((several.rows(), several.attribute("box/edges")), (40, None));
    let full_path = read(
        "trajectory.h5",
        None,
        &["particles/all/position"],
        Some("frame == 0"),
    );
    assert_eq!(full_path.width("particles/all/position"), 3);
    let single = read("single.h5", None, &["position[2]"], None);
    same(&single, "position[2]", z);
    let edges = vec![10.0, 0.0, 0.0, 0.0, 11.0, 0.0, 0.0, 0.0, 12.0];
    assert_eq!(single.attribute("box/edges"), Some(&Value::Floats(edges)));
}

#[test]
fn text_of_every_shape() {
    for name in ["blanks.txt", "comma.csv", "comma.csv.gz"] {
        let catalog = read(name, None, &["z", "x", "y"], None);
        assert_eq!((catalog.format(), catalog.rows()), (Format::Text, ROWS));
        same(&catalog, "x", x);
        same(&catalog, "y", y);
        same(&catalog, "z", z);
    }
    assert_eq!(
        read("blanks.txt", None, &["x"], None).attribute("BoxSize"),
        Some(&Value::Float(420.5))
    );
    // Names from a comment do not hide the numbers.
    same(&read("blanks.txt", None, &["col3"], None), "col3", z);
}

/// Names and values of column 2 of a text made for the occasion.
#[track_caller]
fn inferred(name: &str, content: &str, names: &[&str], second: &[f64]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut reader = open(&path).unwrap();
    let description = reader.describe().unwrap();
    let columns = &description.tables[0].columns;
    assert_eq!(
        columns
            .iter()
            .map(|column| column.name.as_str())
            .collect::<Vec<_>>(),
        names,
        "{content:?}"
    );
    let catalog = reader.read(&Request::columns([names[1]])).unwrap();
    assert_eq!(catalog.column(names[1]).unwrap(), second, "{content:?}");
}

#[test]
fn delimiters_and_names_are_inferred() {
    let (numbered, named) = (["col1", "col2"], ["a", "b"]);
    inferred("t", "1 2\n3 4\n", &numbered, &[2.0, 4.0]);
    inferred("t", "  1   2\n\n\t3\t4", &numbered, &[2.0, 4.0]);
    inferred("t", "1,2\n3, 4 \n", &numbered, &[2.0, 4.0]);
    inferred("t", "1;2\r\n3;4\r\n", &numbered, &[2.0, 4.0]);
    inferred("t", "a b\n1 2\n", &named, &[2.0]);
    inferred("t", "\u{feff}a,b\n1,2\n", &named, &[2.0]);
    inferred("t", "\"a\",\"b\"\n1,2\n", &named, &[2.0]);
    inferred("t.tsv", "a\tb\n1\t2\n", &named, &[2.0]);
    inferred("t.tsv", "a a\tb\nO\t2\n", &["a a", "b"], &[2.0]);
    inferred(
        "t",
        "# made by a program, at night\n#a b\n1 2\n",
        &named,
        &[2.0],
    );
    inferred(
        "t.csv",
        "# a, b\n1,2\n# not a row\n3,4\n",
        &named,
        &[2.0, 4.0],
    );
    inferred("t.csv", "# a b\n1,2\n", &named, &[2.0]);
    inferred("t", "# 10 20\n1 2\n", &numbered, &[2.0]);
    inferred("t", "# BoxSize: 420\n1 2\n", &numbered, &[2.0]);
    // A word among the first row's numbers is a value, not a name.
    inferred("t", "O 0.5\nH 1e3\n", &numbered, &[0.5, 1000.0]);
    inferred("t.csv", "a,b\n", &named, &[]);
    inferred(
        "t",
        "1 +2\n3 -.5e-3\n5 inf\n",
        &numbered,
        &[2.0, -0.5e-3, f64::INFINITY],
    );
}

#[test]
fn ecsv_as_astropy_writes_it() {
    for name in ["astropy.ecsv", "astropy_comma.ecsv"] {
        let catalog = read(name, None, &["x", "i64", "flag"], None);
        assert_eq!((catalog.format(), catalog.rows()), (Format::Ecsv, ROWS));
        same(&catalog, "x", x);
        same(&catalog, "i64", i64_);
        same(&catalog, "flag", flag);
        assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(420.5)));
        assert_eq!(
            catalog.attribute("edges"),
            Some(&Value::Floats(vec![1.0, 2.0, 3.5]))
        );
        let Some(Value::Json(cosmology)) = catalog.attribute("cosmology") else {
            panic!("no cosmology")
        };
        assert_eq!(
            (&cosmology["Om0"], &cosmology["name"]),
            (&0.25.into(), &"flat: 'yes'".into())
        );
        let description = open(&fixture(name)).unwrap().describe().unwrap();
        assert_eq!(
            description.tables[0].columns[0].unit.as_deref(),
            Some("Mpc")
        );
    }
}

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

/// Reference catalogs that are too large to keep here: `ALBIREO_TEST_DATA` names their folder.
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
