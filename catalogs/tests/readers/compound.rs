//! HDF5 tables whose rows are records.

use albireo_catalogs::{CatalogError, Request, Value, open};

use super::{ROWS, fixture, flag, read, same, x, y, z};

#[test]
fn members_of_every_type() {
    let columns = ["x", "y", "id", "u16", "flag", "half", "pos"];
    let catalog = read("compound.h5", Some("galaxies"), &columns, None);
    assert_eq!((catalog.rows(), catalog.table()), (ROWS, "galaxies"));
    same(&catalog, "x", x);
    same(&catalog, "y", y);
    same(&catalog, "id", |k| k as f64);
    same(&catalog, "u16", |k| 65535.0 - k as f64);
    same(&catalog, "flag", flag);
    same(&catalog, "half", |k| k as f64 * 0.5);
    same(&catalog, "pos[0]", x);
    same(&catalog, "pos[1]", |k| -x(k));
    same(&catalog, "pos[2]", z);
    assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(420.5)));
    let oxygen = read(
        "compound.h5",
        Some("galaxies"),
        &["id"],
        Some("species == \"O\""),
    );
    same(&oxygen, "id", |k| 3.0 * k as f64);
    // In a group, and by full path.
    let inner = read("compound.h5", Some("group/particles"), &["pos[2]"], None);
    assert_eq!(inner.rows(), 20);
    same(&inner, "pos[2]", z);
    same(
        &read("compound.h5", None, &["galaxies/y"], None),
        "galaxies/y",
        y,
    );
}

#[test]
fn tables_of_records_are_listed_and_named() {
    let mut reader = open(&fixture("compound.h5")).unwrap();
    let tables = reader.describe().unwrap().tables;
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["galaxies", "group/particles"]);
    assert_eq!((tables[0].rows, tables[1].rows), (ROWS as u64, 20));
    let dtypes: Vec<&str> = tables[0].columns.iter().map(|c| c.dtype.as_str()).collect();
    assert_eq!(
        dtypes,
        [
            "float64", "float32", "int64", "uint16", "bool", "string", "float64", "float16"
        ]
    );
    assert_eq!(tables[0].columns[5].texts, ["O", "H"]);
    let error = reader.read(&Request::columns(["x"])).unwrap_err();
    assert!(
        matches!(error, CatalogError::AmbiguousTable { .. }),
        "{error}"
    );
    // Beside other data sets, the group is what is meant.
    let mut reader = open(&fixture("columns.h5")).unwrap();
    let tables = reader.describe().unwrap().tables;
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["/", "compound"]);
    assert_eq!(read("columns.h5", Some("compound"), &["a"], None).rows(), 3);
}

#[test]
fn units_stand_in_attributes_of_any_usual_name() {
    let mut reader = open(&fixture("units.h5")).unwrap();
    for (table, expected) in [
        ("listed", &[Some("Mpc/h"), None, Some("km/s")][..]),
        ("of_all", &[Some("kpc"); 3]),
        ("plain", &[Some("nm"); 6]),
        ("vectors", &[Some("kpc"), Some("kpc, kpc, Mpc")]),
    ] {
        let outline = reader.outline(Some(table)).unwrap();
        let units: Vec<Option<&str>> = outline.columns.iter().map(|c| c.unit.as_deref()).collect();
        assert_eq!(units, expected, "{table}");
    }
}

#[test]
fn what_astropy_writes_beside_the_records() {
    let mut reader = open(&fixture("astropy.h5")).unwrap();
    let outline = reader.outline(None).unwrap();
    assert_eq!(outline.name, "data");
    let units: Vec<Option<&str>> = outline.columns.iter().map(|c| c.unit.as_deref()).collect();
    assert_eq!(units, [Some("Mpc"), Some("Mpc"), Some("Mpc"), None]);
    assert_eq!(
        outline.attributes.get("BoxSize"),
        Some(&Value::Float(420.5))
    );
    let catalog = reader.read(&Request::columns(["x", "y", "z"])).unwrap();
    same(&catalog, "x", x);
    same(&catalog, "y", y);
    same(&catalog, "z", z);
}
