//! FITS: columns of every type, tables by name and number.

use albireo_catalogs::{Format, Request, Value, open};

use super::{ROWS, fixture, flag, i64_, read, same, u64_, x, y, z};

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
fn fits_tables_of_one_name_are_named_by_their_numbers() {
    let named = |table: &str| {
        let mut request = Request::columns(["x"]);
        request.table = Some(table.to_owned());
        open(&fixture("twice.fits")).unwrap().read(&request)
    };
    for (table, numbers) in [("CAT", "1 or 2 (EXTVER 2)"), ("near", "3 or 4")] {
        let said = named(table).unwrap_err().to_string();
        let part = format!(
            "several tables have the name `{table}`: name one by the number of its HDU, {numbers} (on the command line by --table)"
        );
        assert!(said.contains(&part), "{said}");
    }
    for (table, x) in [("1", 0.0), ("2", 1.0), ("4", 3.0)] {
        assert_eq!(named(table).unwrap().column("x").unwrap(), [x]);
    }
    let described = open(&fixture("twice.fits")).unwrap().describe().unwrap();
    let names: Vec<&str> = described.tables.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names, ["1", "2", "3", "4"]);
}
