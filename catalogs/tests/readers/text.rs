//! Text and ECSV: shapes, delimiters and names.

use albireo_catalogs::{Format, Request, Value, open};

use super::{ROWS, fixture, flag, i64_, read, same, x, y, z};

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
