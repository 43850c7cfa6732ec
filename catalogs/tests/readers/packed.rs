//! FITS tables that are packed by fpack, written in characters, or hold arrays of variable length.

use albireo_catalogs::{CatalogError, Request, Value, open};

use super::{ROWS, fixture, read, same};

const LONG: usize = 700;

#[test]
fn tables_packed_by_fpack() {
    let columns = [
        "X", "Y", "B", "I16", "I32", "I64", "U32", "FLAG", "POS", "EQUAL",
    ];
    for name in ["packed.fits", "packed_rice.fits", "packed_gzip1.fits"] {
        let catalog = read(name, None, &columns, None);
        assert_eq!((catalog.rows(), catalog.table()), (LONG, "PACKED"));
        same(&catalog, "X", |k| k as f64 / 3.0);
        same(&catalog, "Y", |k| f64::from((k as f64 * 0.1) as f32));
        same(&catalog, "B", |k| (k % 251) as f64);
        same(&catalog, "I16", |k| ((k * 37) % 4001) as f64 - 2000.0);
        same(&catalog, "I32", |k| k as f64 * 1_000_003.0 - 7.0);
        same(&catalog, "I64", |k| k as f64 * 2_f64.powi(40));
        same(&catalog, "U32", |k| 4_294_967_295.0 - k as f64);
        same(&catalog, "FLAG", super::flag);
        same(&catalog, "POS[0]", |k| k as f64 / 3.0);
        same(&catalog, "POS[1]", |k| 0.0 - k as f64 / 7.0);
        same(&catalog, "POS[2]", |k| k as f64 * 0.5);
        same(&catalog, "EQUAL", |_| 7.0);
        assert_eq!(catalog.attribute("BOXSIZE"), Some(&Value::Float(420.5)));
        assert_eq!(catalog.attribute("ZTILELEN"), None);
        let oxygen = read(name, None, &["X"], Some("SPECIES == \"O\" && FLAG == 1"));
        same(&oxygen, "X", |k| (3 * k) as f64 / 3.0);
        let description = open(&fixture(name)).unwrap().describe().unwrap();
        let table = &description.tables[0];
        let find = |name: &str| table.columns.iter().find(|c| c.name == name).unwrap();
        assert_eq!((table.rows, find("X").rows), (LONG as u64, LONG as u64));
        assert_eq!(find("X").unit.as_deref(), Some("Mpc/h"));
        assert_eq!(find("I32").max, Some(699.0 * 1_000_003.0 - 7.0));
        assert_eq!(
            (&find("SPECIES").texts, find("SPECIES").all_texts),
            (&vec!["O".to_owned(), "H".to_owned()], true)
        );
    }
    let error = open(&fixture("packed.fits"))
        .unwrap()
        .read(&Request::columns(["VARIABLE"]))
        .unwrap_err();
    assert!(matches!(error, CatalogError::NotNumeric { .. }), "{error}");
}

#[test]
fn tables_of_characters() {
    let catalog = read("ascii.fits", None, &["X", "Y", "ID"], None);
    assert_eq!(catalog.rows(), ROWS);
    // 18 digits give back every float64; 8 digits every decimal of eight.
    same(&catalog, "X", |k| k as f64 / 3.0);
    same(&catalog, "Y", |k| {
        format!("{:.7e}", k as f64 * 0.1).parse().unwrap()
    });
    same(&catalog, "ID", |k| k as f64 * 1_000_003.0);
    assert_eq!(catalog.attribute("BOXSIZE"), Some(&Value::Float(420.5)));
    let hydrogen = read("ascii.fits", None, &["ID"], Some("SPECIES == \"H\""));
    assert_eq!(hydrogen.rows(), ROWS - ROWS / 3);
    let mut reader = open(&fixture("ascii.fits")).unwrap();
    let columns = reader.describe().unwrap().tables.remove(0).columns;
    assert_eq!(columns[0].unit.as_deref(), Some("Mpc/h"));
    assert_eq!(columns[2].dtype, "int64");
}

#[test]
fn fields_of_characters_that_hold_no_number_are_refused() {
    let bytes = std::fs::read(fixture("ascii.fits")).unwrap();
    let at = bytes.windows(9).position(|w| w == b"  1000003").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.fits");
    for (field, message) in [
        (
            b"  10x0003",
            "column `ID`, row 1 (from 0): expected a number, found `10x0003`",
        ),
        (
            b"         ",
            "column `ID`, row 1 (from 0): the value is null",
        ),
        (
            b"       -9",
            "column `ID`, row 1 (from 0): the value is null",
        ),
    ] {
        let mut damaged = bytes.clone();
        damaged[at..at + 9].copy_from_slice(field);
        std::fs::write(&path, damaged).unwrap();
        let mut reader = open(&path).unwrap();
        let error = reader.read(&Request::columns(["ID"])).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(reader.read(&Request::columns(["X"])).is_ok());
    }
}

#[test]
fn arrays_of_variable_length() {
    for name in ["arrays.fits", "arrays.fits.gz"] {
        let mut catalog = read(name, None, &["K", "POS", "SHORT", "FLAGS"], None);
        assert_eq!(catalog.rows(), ROWS);
        same(&catalog, "K", |k| k as f64);
        same(&catalog, "SHORT[1]", |k| {
            f64::from((0.0 - k as f64 / 3.0) as f32)
        });
        same(&catalog, "FLAGS[0]", |k| f64::from(u8::from(k % 2 == 0)));
        same(&catalog, "FLAGS[1]", |k| f64::from(u8::from(k % 2 == 1)));
        let [a, b, c] = catalog.vector("POS").unwrap();
        for k in 0..ROWS {
            assert_eq!(
                (a[k], b[k], c[k]),
                (k as f64 * 0.5, -(k as f64) / 3.0, k as f64)
            );
        }
        let mut reader = open(&fixture(name)).unwrap();
        // Rows end before the longest: what is behind them is missing.
        let error = reader.read(&Request::columns(["UNEVEN"])).unwrap_err();
        let message = "column `UNEVEN`, row 0 (from 0): the value is null";
        assert!(error.to_string().contains(message), "{error}");
        let table = reader.describe().unwrap().tables.remove(0);
        let uneven = &table.columns[3];
        assert_eq!(
            (uneven.width, uneven.min, uneven.max),
            (4, Some(-47.0), Some(17.0))
        );
        // Rows of 0, 1, 2, 3, 4 elements in turn.
        let held: u64 = (0..ROWS as u64).map(|k| k % 5).sum();
        assert_eq!(uneven.null_count, 4 * ROWS as u64 - held);
    }
}
