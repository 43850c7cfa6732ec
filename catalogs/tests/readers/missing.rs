//! Values that are missing: masks beside columns, nulls in rows that are left out, names that are missing or there twice.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use albireo_catalogs::{Catalog, CatalogError, Filter, Request, open};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch};
use parquet::arrow::ArrowWriter;

/// Columns of a file of four rows.
enum Made {
    Floats([f64; 4]),
    Bools([bool; 4]),
    /// The second is missing.
    Gap([i32; 4]),
}

fn masked() -> Vec<(&'static str, Made)> {
    vec![
        ("x", Made::Floats([0.5, 1.5, 2.5, 3.5])),
        ("x.mask", Made::Bools([false, false, true, false])),
        ("ok", Made::Floats([1.0, 1.0, 0.0, 1.0])),
    ]
}

fn text(columns: &[(&str, Made)], ecsv: bool) -> String {
    let dtype = |made: &Made| match made {
        Made::Floats(_) => "float64",
        Made::Bools(_) => "bool",
        Made::Gap(_) => "int32",
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut all = String::new();
    if ecsv {
        all += "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n";
        for (name, made) in columns {
            let _ = writeln!(all, "# - {{name: {name}, datatype: {}}}", dtype(made));
        }
    }
    all += &names.join(",");
    all.push('\n');
    for row in 0..4 {
        let cell = |(_, made): &(&str, Made)| match made {
            Made::Floats(values) => values[row].to_string(),
            Made::Bools(values) => if values[row] { "True" } else { "False" }.to_owned(),
            Made::Gap(_) if row == 1 => String::new(),
            Made::Gap(values) => values[row].to_string(),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        all += &cells.join(",");
        all.push('\n');
    }
    all
}

/// A FITS file of one binary table, by the standard's own words.
fn fits(columns: &[(&str, Made)]) -> Vec<u8> {
    let card = |key: &str, value: String| format!("{:<80}", format!("{key:<8}= {value:>20}"));
    let quoted = |key: &str, text: &str| format!("{:<80}", format!("{key:<8}= '{text:<8}'"));
    let padded = |mut bytes: Vec<u8>, with: u8| {
        bytes.resize(bytes.len().next_multiple_of(2880), with);
        bytes
    };
    let end = format!("{:<80}", "END");
    let primary = [
        card("SIMPLE", "T".to_owned()),
        card("BITPIX", "8".to_owned()),
        card("NAXIS", "0".to_owned()),
        end.clone(),
    ];
    let (mut width, mut cards, mut rows) = (0, String::new(), vec![Vec::new(); 4]);
    for (k, (name, made)) in columns.iter().enumerate() {
        cards += &quoted(&format!("TTYPE{}", k + 1), name);
        let form = match made {
            Made::Floats(_) => ("D", 8),
            Made::Bools(_) => ("L", 1),
            Made::Gap(_) => ("J", 4),
        };
        cards += &quoted(&format!("TFORM{}", k + 1), form.0);
        width += form.1;
        for (row, bytes) in rows.iter_mut().enumerate() {
            match made {
                Made::Floats(values) => bytes.extend(values[row].to_be_bytes()),
                Made::Bools(values) => bytes.push(if values[row] { b'T' } else { b'F' }),
                Made::Gap(values) => {
                    let stored = if row == 1 { -99 } else { values[row] };
                    bytes.extend(stored.to_be_bytes());
                }
            }
        }
        if let Made::Gap(_) = made {
            cards += &card(&format!("TNULL{}", k + 1), "-99".to_owned());
        }
    }
    let table = [
        quoted("XTENSION", "BINTABLE"),
        card("BITPIX", "8".to_owned()),
        card("NAXIS", "2".to_owned()),
        card("NAXIS1", width.to_string()),
        card("NAXIS2", "4".to_owned()),
        card("PCOUNT", "0".to_owned()),
        card("GCOUNT", "1".to_owned()),
        card("TFIELDS", columns.len().to_string()),
        cards,
        end,
    ];
    let mut bytes = padded(primary.concat().into_bytes(), b' ');
    bytes.extend(padded(table.concat().into_bytes(), b' '));
    bytes.extend(padded(rows.concat(), 0));
    bytes
}

fn parquet(path: &Path, columns: &[(&str, Made)]) {
    let array = |made: &Made| -> ArrayRef {
        match made {
            Made::Floats(values) => Arc::new(Float64Array::from(values.to_vec())),
            Made::Bools(values) => Arc::new(BooleanArray::from(values.to_vec())),
            Made::Gap(values) => {
                let there = values.iter().enumerate();
                let there = there.map(|(row, &value)| (row != 1).then_some(value));
                Arc::new(Int32Array::from(there.collect::<Vec<_>>()))
            }
        }
    };
    let fields = columns.iter().map(|(name, made)| {
        let array = array(made);
        arrow_schema::Field::new(*name, array.data_type().clone(), true)
    });
    let schema = arrow_schema::Schema::new(fields.collect::<Vec<_>>());
    let arrays = columns.iter().map(|(_, made)| array(made)).collect();
    let batch = RecordBatch::try_new(Arc::new(schema), arrays).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn hdf5(path: &Path, columns: &[(&str, Made)]) {
    use hdf5_writer::{DatasetBuilder, Hdf5Builder, WriteOptions};
    let mut file = Hdf5Builder::new();
    for (name, made) in columns {
        let column = match made {
            Made::Floats(values) => DatasetBuilder::typed_data(*name, [4], values),
            Made::Bools(values) => DatasetBuilder::typed_data(*name, [4], &values.map(u8::from)),
            Made::Gap(_) => unreachable!("HDF5 has no missing values"),
        };
        file = file.dataset(column.unwrap());
    }
    let plan = file.into_plan().unwrap();
    std::fs::write(path, plan.encode(WriteOptions::default()).unwrap()).unwrap();
}

/// The same table in every format that can hold it.
fn files(folder: &Path, columns: &[(&str, Made)]) -> Vec<PathBuf> {
    let at = |name: &str| folder.join(name);
    std::fs::write(at("t.csv"), text(columns, false)).unwrap();
    std::fs::write(at("t.ecsv"), text(columns, true)).unwrap();
    std::fs::write(at("t.fits"), fits(columns)).unwrap();
    parquet(&at("t.parquet"), columns);
    let mut all: Vec<PathBuf> = ["t.csv", "t.ecsv", "t.fits", "t.parquet"].map(at).into();
    if columns
        .iter()
        .all(|(_, made)| !matches!(made, Made::Gap(_)))
    {
        hdf5(&at("t.h5"), columns);
        all.push(at("t.h5"));
    }
    all
}

fn read(path: &Path, columns: &[&str], filter: Option<&str>) -> Result<Catalog, CatalogError> {
    let mut request = Request::columns(columns.iter().copied());
    request.filter = filter.map(|text| Filter::parse(text).unwrap());
    open(path)?.read(&request)
}

#[test]
fn masked_values_are_missing_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for path in files(folder.path(), &masked()) {
        let shown = path.display();
        let refused = read(&path, &["x"], None).unwrap_err();
        let text = refused.to_string();
        assert!(
            matches!(refused, CatalogError::Null { row: 2, .. }) && text.contains("column `x`"),
            "{text}"
        );
        for filter in ["ok == 1", "x > 0"] {
            let kept = read(&path, &["x"], Some(filter)).unwrap();
            assert_eq!(
                kept.column("x").unwrap(),
                [0.5, 1.5, 3.5],
                "{shown}, {filter}"
            );
        }
        let mask = read(&path, &["ok"], Some("x.mask == 1"));
        // Plain text has no booleans.
        assert!(mask.is_err() || mask.unwrap().rows() == 1, "{shown}");
        let refused = read(&path, &["2*x"], None).unwrap_err();
        assert!(refused.to_string().contains("row 2"), "{refused}");
        let described = open(&path).unwrap().describe().unwrap();
        let columns = &described.tables[0].columns;
        let x = columns.iter().find(|column| column.name == "x").unwrap();
        assert_eq!(
            (x.null_count, x.nan_count, x.max),
            (1, 0, Some(3.5)),
            "{shown}"
        );
    }
}

#[test]
fn masks_that_are_neither_true_nor_false_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "x,x.mask\n1,False\n2,maybe\n").unwrap();
    let refused = read(&path, &["x"], None).unwrap_err().to_string();
    assert!(
        refused.contains("column `x.mask`, row 1 (from 0): expected True or False, found `maybe`"),
        "{refused}"
    );
}

#[test]
fn nulls_in_rows_that_are_left_out_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let columns = [
        ("n", Made::Gap([7, 0, 9, 11])),
        ("ok", Made::Floats([1.0, 0.0, 1.0, 1.0])),
    ];
    for path in files(folder.path(), &columns) {
        let kept = read(&path, &["n"], Some("ok == 1")).unwrap();
        assert_eq!(
            kept.column("n").unwrap(),
            [7.0, 9.0, 11.0],
            "{}",
            path.display()
        );
        let refused = read(&path, &["n"], Some("ok < 2")).unwrap_err();
        assert!(
            matches!(refused, CatalogError::Null { row: 1, .. }),
            "{refused}"
        );
        let mut request = Request::columns(["n"]);
        request.rows = "2:".parse().unwrap();
        let kept = open(&path).unwrap().read(&request).unwrap();
        assert_eq!(kept.column("n").unwrap(), [9.0, 11.0]);
    }
}

#[test]
fn words_for_missing_numbers_are_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let gaia = "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - {name: x, datatype: float64}\n# - {name: plx, datatype: float64}\nx,plx\n";
    for (name, header) in [("t.ecsv", gaia), ("t.csv", "x,plx\n")] {
        for word in ["null", "NA", "N/A", "--", "None", "<NA>"] {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("{header}1,{word}\n2,0.5\n3,9\n")).unwrap();
            let kept = read(&path, &["x", "plx"], Some("plx > 5")).unwrap();
            assert_eq!(kept.column("x").unwrap(), [3.0], "{name}, {word}");
            let refused = read(&path, &["plx"], None).unwrap_err();
            assert!(
                matches!(refused, CatalogError::Null { row: 0, .. }),
                "{refused}"
            );
        }
    }
}

#[test]
fn columns_of_one_name_are_refused_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let columns = [
        ("x", Made::Floats([1.0, 2.0, 3.0, 4.0])),
        ("w", Made::Floats([1.0; 4])),
        ("w", Made::Floats([2.0; 4])),
    ];
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("t.ecsv"), text(&columns, true)).unwrap();
    std::fs::write(at("t.fits"), fits(&columns)).unwrap();
    parquet(&at("t.parquet"), &columns);
    for name in ["t.ecsv", "t.fits", "t.parquet"] {
        for (columns, filter) in [(["w"], None), (["w*x"], None), (["x"], Some("w > 1"))] {
            let refused = read(&at(name), &columns, filter).unwrap_err();
            assert!(
                refused.to_string().contains("2 columns are called `w`"),
                "{name}: {refused}"
            );
        }
        assert_eq!(read(&at(name), &["x"], None).unwrap().rows(), 4, "{name}");
    }
}

#[test]
fn names_that_are_missing_are_numbers_and_a_comma_at_the_end_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for (content, names) in [
        (",x,y\n0,1.5,2\n1,3.5,4\n", &["col1", "x", "y"][..]),
        ("x,y,\n1.5,2,\n3.5,4,\n", &["x", "y"]),
        ("x,y,\n1.5,2\n3.5,4\n", &["x", "y"]),
        ("x;;y\n1.5;0;2\n3.5;0;4\n", &["x", "col2", "y"]),
        ("x,y,\n1.5,2,7\n3.5,4,8\n", &["x", "y", "col3"]),
    ] {
        std::fs::write(&path, content).unwrap();
        let described = open(&path).unwrap().describe().unwrap();
        let columns = &described.tables[0].columns;
        let found: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(found, names, "{content}");
        let catalog = read(&path, &["x", "y"], None).unwrap();
        assert_eq!(catalog.column("x").unwrap(), [1.5, 3.5], "{content}");
        assert_eq!(catalog.column("y").unwrap(), [2.0, 4.0], "{content}");
    }
    std::fs::write(&path, "x,y,\n1,2,\n3,4,5,\n").unwrap();
    let refused = read(&path, &["x"], None).unwrap_err();
    assert!(
        matches!(refused, CatalogError::FieldCount { line: 3, .. }),
        "{refused}"
    );
}

#[test]
fn lists_of_ecsv_are_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.ecsv");
    let header = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: pos, datatype: string, subtype: 'float64[3]'}\n# - {name: n, datatype: int64}\npos n\n";
    let rows = "[1.5,2.5,3.5] 1\n\"[4.0, 5.0, NaN]\" 2\n[7,8,null] 3\n\"\" 4\n";
    std::fs::write(&path, format!("{header}{rows}")).unwrap();
    let mut catalog = read(&path, &["pos"], Some("n < 3")).unwrap();
    let [x, y, z] = catalog.vector("pos").unwrap();
    assert_eq!((x, y), (vec![1.5, 4.0], vec![2.5, 5.0]));
    assert!(z[0] == 3.5 && z[1].is_nan());
    assert_eq!(read(&path, &["pos[1]"], Some("n < 4")).unwrap().rows(), 3);
    let refused = read(&path, &["pos"], Some("n < 4")).unwrap_err();
    assert!(
        matches!(refused, CatalogError::Null { row: 2, .. }),
        "{refused}"
    );
    std::fs::write(&path, format!("{header}[1,2] 1\n")).unwrap();
    let refused = read(&path, &["pos"], None).unwrap_err().to_string();
    assert!(
        refused.contains("line 7, column `pos`: expected a list of 3 numbers, found `[1,2]`"),
        "{refused}"
    );
}
