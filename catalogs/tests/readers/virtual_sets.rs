//! HDF5: values that stand in other files, by virtual data sets and by links.

use albireo_catalogs::{Request, open};

use super::{fixture, read, same, x};

#[test]
fn virtual_data_sets_are_followed() {
    for name in ["virtual/whole.h5", "virtual/newest.h5"] {
        let mut catalog = read(name, None, &["x", "pos", "id"], None);
        assert_eq!(catalog.rows(), 48);
        same(&catalog, "x", x);
        same(&catalog, "id", |k| k as f64);
        let [a, b, c] = catalog.vector("pos").unwrap();
        for k in 0..48 {
            assert_eq!((a[k], b[k], c[k]), (x(k), -x(k), k as f64 / 3.0));
        }
        let some = read(name, None, &["pos[1]"], Some("x > 20"));
        assert_eq!(
            some.column("pos[1]").unwrap(),
            (40..48).map(|k| -x(k)).collect::<Vec<f64>>()
        );
        let description = open(&fixture(name)).unwrap().describe().unwrap();
        let column = &description.tables[0].columns[1];
        assert_eq!(
            (column.name.as_str(), column.rows, column.width),
            ("pos", 48, 3)
        );
        assert_eq!(
            (column.unit.as_deref(), column.max),
            (Some("Mpc/h"), Some(x(47)))
        );
    }
}

#[test]
fn virtual_data_sets_that_are_not_followed_name_their_files() {
    let refused = |name: &str, column: &str| {
        let request = Request::columns([column]);
        let error = open(&fixture(name)).unwrap().read(&request);
        error.unwrap_err().to_string()
    };
    let error = refused("virtual/flat.h5", "pair[0]");
    let expected = "virtual data set over part.0.h5, part.1.h5 is not supported; name the files that it stands for instead";
    assert!(error.contains(expected), "{error}");
    let error = refused("virtual/late.h5", "x");
    assert!(
        error.contains("virtual data set: its source part.2.h5 is not there"),
        "{error}"
    );
    let description = open(&fixture("virtual/flat.h5"))
        .unwrap()
        .describe()
        .unwrap();
    let pair = &description.tables[0].columns[1];
    assert_eq!(
        (pair.name.as_str(), pair.rows, pair.max),
        ("pair", 24, None)
    );
    let packing = pair.packing.as_deref();
    assert_eq!(
        packing,
        Some("not read: virtual data set over part.0.h5, part.1.h5")
    );
}

#[test]
fn links_to_other_files_are_followed() {
    let catalog = read("virtual/linked.h5", None, &["x", "pos[0]"], None);
    assert_eq!(catalog.rows(), 24);
    same(&catalog, "x", x);
    same(&catalog, "pos[0]", x);
    let description = open(&fixture("virtual/linked.h5"))
        .unwrap()
        .describe()
        .unwrap();
    let names: Vec<&str> = description.tables[0]
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(names, ["x", "pos"], "in the order of the file");
    // Groups of two files stand at the same place of each.
    let description = open(&fixture("virtual/groups.h5"))
        .unwrap()
        .describe()
        .unwrap();
    let names: Vec<&str> = description
        .tables
        .iter()
        .map(|table| table.name.as_str())
        .collect();
    assert_eq!(names, ["part0", "part1"]);
    let catalog = read("virtual/groups.h5", Some("part1"), &["x"], None);
    same(&catalog, "x", |k| x(k + 24));
}
