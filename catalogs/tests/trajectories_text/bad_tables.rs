//! Bad tables of frames.

use albireo_catalogs::{Table, TableColumn, TrajectoryRequest};

use super::bad::message;
use super::{fixture, request, written};

#[test]
fn rows_and_columns() {
    for (text, expected) in [
        (
            "frame,x,y,z\n3,0,0,0\n4,0,0,0\n3,0,0,0\n",
            "frame 3 begins in row 0 (from 0) and again in row 2: expected the rows of a frame together",
        ),
        (
            "frame,x,y,z\n3,0,0,0\n3.5,0,0,0\n",
            "column `frame`, row 1 (from 0): expected the number of a frame, found 3.5",
        ),
        (
            "frame,x,y,z\n,0,0,0\n",
            "expected the number of a frame, found no value",
        ),
        ("t,x,y,z\n3,0,0,0\n", "no column `frame`"),
        ("frame,x,z\n3,0,0\n", "no column `y`"),
        (
            "frame,x,y,z\n3,0,,0\n",
            "column `y`, row 0 (from 0): the value is null",
        ),
        (
            "frame,x,y,z\n3,0,1,0\n3,0,one,0\n",
            "line 3, column `y`: expected a number, found `one`",
        ),
        ("frame,x,y,z\n3,0,0\n", "expected 4 fields, found 3"),
        (
            "frame,x,y,z,lx,ly,lz\n3,0,0,0,1,1,1\n3,0,0,0,1,2,1\n",
            "frame 3, row 1 (from 0), column `ly`: expected 1 as in the frame's first row, found 2",
        ),
        (
            "frame,x,y,z,lx,ly,lz\n3,0,0,0,1,-1,1\n",
            "frame 3: expected a box, found its lengths are not positive",
        ),
        (
            "frame,x,y,z,ax,ay,az,bx,by,bz,cx,cy,cz\n3,0,0,0,1,0,0,2,0,0,0,0,1\n",
            "found its vectors span no volume",
        ),
        (
            "frame,x,y,z,n\n3,0,0,0,99999999999999999999\n",
            "column `n`, row 0 (from 0): 99999999999999999999 has no exact float64",
        ),
        ("a,b\n1,2\n", "no column `frame`"),
    ] {
        let (_folder, path) = written("table.csv", text.as_bytes());
        let found = message(&path, &request(""));
        assert!(found.contains(expected), "{text:?}: {found}");
    }
}

#[test]
fn whole_numbers_beyond_int64() {
    let column = |name: &str, value| TableColumn::integers(name, "", vec![value]);
    let names = ["frame", "x", "y", "z"];
    let mut columns: Vec<_> = names.map(|name| column(name, 1)).into();
    columns.push(column("n", u64::MAX));
    let table = Table {
        columns,
        ..Table::default()
    };
    let (_folder, path) = written("table.parquet", b"");
    table.write(&path).unwrap();
    let found = message(&path, &request(""));
    let expected = "column `n`, row 0 (from 0): 18446744073709551615 is beyond int64";
    assert!(found.contains(expected), "{found}");
}

#[test]
fn names_that_are_not_there() {
    let path = fixture("table.csv");
    let asked = |frame: &str, x: &str| TrajectoryRequest {
        frame: Some(frame.to_owned()),
        positions: Some([x, "y", "z"].map(str::to_owned)),
        ..TrajectoryRequest::default()
    };
    assert!(
        message(&path, &asked("framo", "x")).contains("no column `framo` (did you mean `frame`?)")
    );
    assert!(message(&path, &asked("frame", "q")).contains("no column `q`"));
    assert!(message(&path, &asked("species", "x")).contains("column `species` is not numeric"));
}

#[test]
fn boxes_beside_the_table() {
    let rows = "frame,x,y,z\n3,0,0,0\n4,0,0,0\n";
    for (boxes, expected) in [
        (
            "frame,lx,ly,lz\n3,1,1,1\n",
            "box.csv: truncated or corrupt: it has no box for frame 4",
        ),
        (
            "frame,lx,ly,lz\n3,1,1,1\n3,1,1,1\n",
            "row 1 (from 0): expected one box a frame, found frame 3 twice",
        ),
        (
            "frame,lx,ly,lz\n3,1,1,0.5\n4,1,1,-1\n",
            "row 1 (from 0): expected a box, found its lengths are not positive",
        ),
        (
            "frame,lx,ly,lz\n3.5,1,1,1\n",
            "row 0 (from 0): expected the number of a frame, found 3.5",
        ),
        ("frame,a,b,c\n3,1,1,1\n", "no column `lx`"),
        ("number,lx,ly,lz\n3,1,1,1\n", "no column `frame`"),
    ] {
        let (folder, path) = written("table.csv", rows.as_bytes());
        std::fs::write(folder.path().join("table.box.csv"), boxes).unwrap();
        let error = super::all(&path, &request("")).unwrap_err().to_string();
        assert!(error.contains(expected), "{boxes:?}: {error}");
        assert!(error.contains("table.box.csv"), "{error}");
    }
    let (_folder, path) = written("table.csv", rows.as_bytes());
    let named = TrajectoryRequest {
        boxes: Some("/nowhere/boxes.csv".into()),
        ..TrajectoryRequest::default()
    };
    let error = super::all(&path, &named).unwrap_err().to_string();
    assert!(
        error.contains("/nowhere/boxes.csv: no such file"),
        "{error}"
    );
}
