//! HDF5: columns of every type and filter, groups, frames of trajectories.

use albireo_catalogs::{Format, Request, Value, open};

use super::{ROWS, fixture, flag, i64_, read, same, u64_, x, y, z};

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
fn hdf5_filters_of_plugins() {
    let tables = [
        ("bitshuffle_lz4", "bitshuffle"),
        ("blosc2_lz4_2", "blosc2"),
        ("blosc2_zstd_1", "blosc2"),
        ("blosc_blosclz_2", "blosc"),
        ("blosc_lz4_1", "blosc"),
        ("blosc_zstd_1", "blosc"),
        ("bzip2", "bzip2"),
        ("lz4_blocks", "lz4"),
        ("zstd", "zstd"),
    ];
    let description = open(&fixture("filters.h5")).unwrap().describe().unwrap();
    for (table, filter) in tables {
        let catalog = read("filters.h5", Some(table), &["x", "y", "id"], None);
        same(&catalog, "x", x);
        same(&catalog, "y", y);
        same(&catalog, "id", i64_);
        let mut tables = description.tables.iter();
        let described = tables.find(|other| other.name == table).unwrap();
        assert!(
            described.columns.iter().all(|column| {
                column.packing.as_deref() == Some(filter) && column.max.is_some()
            })
        );
    }
}

/// Filters that are not read are refused by name and number, and their columns are listed all the same.
#[test]
fn hdf5_filters_that_are_not_read() {
    let description = open(&fixture("filters.h5")).unwrap().describe().unwrap();
    for (table, what) in [
        (
            "refuse_delta",
            "HDF5 filter blosc2 (32026) with the delta filter",
        ),
        ("refuse_zfp", "HDF5 filter zfp (32013)"),
    ] {
        let mut request = Request::columns(["x"]);
        request.table = Some(table.to_owned());
        let error = open(&fixture("filters.h5")).unwrap().read(&request);
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains(&format!("{what} is not supported")),
            "{error}"
        );
        let mut tables = description.tables.iter();
        let described = tables.find(|other| other.name == table).unwrap();
        let x = described
            .columns
            .iter()
            .find(|column| column.name == "x")
            .unwrap();
        assert_eq!((x.rows, x.dtype.as_str(), x.max), (48, "float64", None));
        assert_eq!(
            x.packing.as_deref(),
            Some(format!("not read: {what}").as_str())
        );
    }
}
