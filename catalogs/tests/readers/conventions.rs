//! HDF5 as `NetCDF` and the CF conventions have it: numbers that are scaled, and numbers that stand for none.

use albireo_catalogs::{
    CatalogError, ColumnDescription, Frame, Request, Result, Stop, TrajectoryRequest, open,
    open_trajectory,
};

use super::{fixture, read, same, x};

const FILE: &str = "conventions.h5";

#[test]
fn scales_and_offsets_make_the_values() {
    let columns = ["packed", "shifted", "float", "own"];
    let catalog = read(FILE, None, &columns, None);
    same(&catalog, "packed", |k| k as f64 + 10.0);
    same(&catalog, "shifted", |k| k as f64 + 28.0);
    same(&catalog, "float", x);
    same(&catalog, "own", |k| k as f64);
    let some = read(FILE, None, &["packed"], Some("packed >= 50 && float < 22"));
    assert_eq!(some.column("packed").unwrap(), [50.0, 51.0, 52.0, 53.0]);
    let sum = read(FILE, None, &["packed + 2 * float"], Some("packed < 11"));
    assert_eq!(sum.column("packed + 2 * float").unwrap(), [10.25]);
}

#[test]
fn numbers_that_stand_for_none_are_missing() {
    for (column, row, rows) in [("gap", 5, 42), ("wide", 5, 47), ("single", 5, 47)] {
        let read_all = open(&fixture(FILE))
            .unwrap()
            .read(&Request::columns([column]));
        let error = read_all.unwrap_err();
        assert!(
            matches!(&error, CatalogError::Null { column: name, row: at, .. } if name == column && *at == row),
            "{error}"
        );
        let there = format!("{column} is not null");
        let catalog = read(FILE, None, &[column], Some(&there));
        assert_eq!(catalog.rows(), rows, "{column}");
    }
    let halves = read(FILE, None, &["gap"], Some("gap is not null && gap >= 23"));
    assert_eq!(halves.column("gap").unwrap(), [23.0, 23.5]);
    let error = open(&fixture(FILE))
        .unwrap()
        .read(&Request::columns(["pos"]));
    let said = error.unwrap_err().to_string();
    assert!(
        said.contains("column `pos`, row 5 (from 0): the value is null"),
        "{said}"
    );
    assert_eq!(
        read(FILE, None, &["pos"], Some("gap is not null")).rows(),
        42
    );
}

#[test]
fn descriptions_are_of_the_values() {
    let described = open(&fixture(FILE)).unwrap().describe().unwrap();
    let columns = &described.tables[0].columns;
    let of = |name: &str| -> &ColumnDescription {
        columns.iter().find(|column| column.name == name).unwrap()
    };
    let packed = of("packed");
    assert_eq!(packed.dtype, "int16, scaled");
    assert_eq!((packed.min, packed.max), (Some(10.0), Some(57.0)));
    assert_eq!((packed.null_count, of("own").null_count), (0, 0));
    let gap = of("gap");
    assert_eq!(
        (gap.min, gap.max, gap.null_count),
        (Some(0.0), Some(23.5), 6)
    );
    assert_eq!((of("pos").max, of("pos").null_count), (Some(23.625), 1));
    assert_eq!(of("pos").unit.as_deref(), Some("Mpc"));
}

#[test]
fn attributes_that_are_no_numbers_are_refused() {
    let error = open(&fixture(FILE))
        .unwrap()
        .read(&Request::columns(["text"]));
    let said = error.unwrap_err().to_string();
    assert!(
        said.contains(
            "column `text` is not numeric: its type is float64 whose `scale_factor` is no number"
        ),
        "{said}"
    );
}

#[test]
fn frames_are_of_the_values_too() {
    let first = |group: &str| -> Result<Option<Frame>> {
        let request = TrajectoryRequest {
            table: Some(group.to_owned()),
            ..TrajectoryRequest::default()
        };
        open_trajectory(&fixture("packed_frames.h5"), &request, Stop::never())?.next_frame()
    };
    let frame = first("whole").unwrap().unwrap();
    let expected = [vec![26.0, 101.0], vec![51.0, 126.0], vec![76.0, 151.0]];
    assert_eq!(frame.positions, expected);
    let said = first("lacking").unwrap_err().to_string();
    let mixed = first("mixed").unwrap_err().to_string();
    let part = "expected one unit for all of its components, found nm, nm, pm";
    assert!(mixed.contains(part), "{mixed}");
    let part =
        "`particles/lacking/position/value`: expected a value each, found one that is missing";
    assert!(said.contains(part), "{said}");
}
