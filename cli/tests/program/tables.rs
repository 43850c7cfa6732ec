//! The columns of results, and other programs that read them.

#![allow(clippy::print_stderr, reason = "tests report")]

use crate::folder::{Folder, floats, integers, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(60, 10.0, 1))
        .with("r.csv", &scattered(200, 10.0, 2))
}

#[test]
fn every_table_has_bin_centres() {
    let folder = folder();
    let two = "--pi-bins lin:0:4:4";
    for (command, axes) in [
        ("count d.csv --bins log:0.5:5:4".to_owned(), &[""][..]),
        ("count d.csv --statistic theta --bins lin:1:9:4".to_owned(), &[""]),
        (format!("count d.csv --statistic rp-pi --bins lin:0:4:2 {two}"), &["rp_", "pi_"]),
        ("xi d.csv --box 10 --bins lin:1:5:4".to_owned(), &[""]),
        (
            "xi d.csv --box 10 --statistic s-mu --bins lin:1:5:4 --mu-bins lin:0:1:4".to_owned(),
            &["s_", "mu_"],
        ),
        (
            "xi d.csv --box 10 --statistic s-mu --bins lin:1:5:4 --mu-bins lin:0:1:4 --multipoles 0,2".to_owned(),
            &[""],
        ),
        (format!("wp d.csv --box 10 --bins log:0.5:5:4 {two}"), &[""]),
        ("rdf d.csv --box 10 --r-max 5 --n-bins 5".to_owned(), &[""]),
    ] {
        folder.good(&format!("{command} -o t.json"));
        let table = folder.table("t.json");
        for axis in axes {
            let [lo, hi, centre] = ["lo", "hi", "centre"].map(|part| floats(&table, &format!("{axis}{part}")));
            let middle: Vec<f64> = lo.iter().zip(&hi).map(|(lo, hi)| f64::midpoint(*lo, *hi)).collect();
            assert_eq!(centre, middle, "{command}");
        }
    }
}

#[test]
fn normalised_counts_are_called_so_and_come_last() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --weight w --bins edges:1,2,4 -o xi.json");
    let table = folder.table("xi.json");
    let pairs = ["DD", "DR", "RR"];
    let raw = pairs
        .iter()
        .flat_map(|name| [format!("{name}_npairs"), format!("{name}_weight")]);
    let normalised = pairs.iter().map(|name| format!("{name}_normalised"));
    let expected: Vec<String> = raw.chain(normalised).collect();
    assert_eq!(names(&table)[5..], expected);
    for name in pairs {
        let total = table.meta["counts"][name]["total_weight"].as_f64().unwrap();
        let [sum, normalised] =
            ["weight", "normalised"].map(|part| floats(&table, &format!("{name}_{part}")));
        for (sum, normalised) in sum.iter().zip(normalised) {
            assert!(
                (sum / total - normalised).abs() <= 1e-15 * normalised,
                "{name}"
            );
        }
    }
}

#[test]
fn csv_is_plain_and_its_record_is_read_back() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --bins edges:1,2,4 -o xi.csv");
    let text = folder.text("xi.csv");
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "lo,hi,centre,xi,xi_error,DD_npairs,DR_npairs,RR_npairs,DD_normalised,DR_normalised,RR_normalised"
    );
    assert_eq!(text.lines().count(), 3);
    assert!(!text.contains('#'));
    let record = folder.bytes("xi.csv.json");
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    assert_eq!(record["meta"]["estimator"], "landy-szalay");
    // `--rr` finds totals and fingerprint there.
    folder.good("xi d.csv --randoms r.csv --rr xi.csv --bins edges:1,2,4 -o again.csv");
    assert_eq!(
        folder.table("again.csv").meta["counts"]["RR"]["read_from"],
        "xi.csv"
    );
    // Rows that were changed are not taken over.
    let rr = integers(&folder.table("xi.csv"), "RR_npairs")[0];
    std::fs::write(
        folder.path("xi.csv"),
        text.replace(&format!(",{rr},"), &format!(",{},", rr + 1)),
    )
    .unwrap();
    let run = folder.run("xi d.csv --randoms r.csv --rr xi.csv --bins edges:1,2,4");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("belongs to other contents"),
        "{}",
        run.stderr
    );
    std::fs::remove_file(folder.path("xi.csv.json")).unwrap();
    let run = folder.run("xi d.csv --randoms r.csv --rr xi.csv --bins edges:1,2,4");
    assert!(
        run.stderr.contains("xi.csv.json should lie beside it"),
        "{}",
        run.stderr
    );
}

/// `ALBIREO_PYTHON` names the interpreter, `python3` by default.
#[test]
fn numpy_pandas_and_astropy_read_results() {
    const CHECK: &str = "
import json, sys
expected = json.load(open('xi.json'))['data']
def same(name, columns, found):
    assert list(columns) == list(expected), (name, columns)
    for column, values in expected.items():
        values = [float('nan') if v is None else v for v in values]
        got = [float(v) for v in found[column]]
        assert all(a == b or (a != a and b != b) for a, b in zip(got, values)), (name, column, got, values)
    print(name, 'read it')
try:
    import numpy
    table = numpy.genfromtxt('xi.csv', delimiter=',', names=True)
    same('numpy', table.dtype.names, table)
except ModuleNotFoundError as error:
    print('skipped:', error)
try:
    import pandas
    table = pandas.read_csv('xi.csv', float_precision='round_trip')
    same('pandas', table.columns, table)
    assert str(table['DD_npairs'].dtype) == 'int64'
except ModuleNotFoundError as error:
    print('skipped:', error)
try:
    from astropy.table import Table
    for name in ['xi.csv', 'xi.ecsv']:
        table = Table.read(name)
        same('astropy ' + name, table.colnames, table)
    assert str(table['lo'].unit) == 'Mpc / h' and table.meta['estimator'] == 'landy-szalay'
except ModuleNotFoundError as error:
    print('skipped:', error)
";
    let folder = folder();
    for format in ["json", "csv", "ecsv"] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --bins edges:0,0.01,2,4 --unit Mpc/h -o xi.{format}"
        ));
    }
    let python = std::env::var("ALBIREO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Ok(output) = std::process::Command::new(&python)
        .args(["-c", CHECK])
        .current_dir(folder.path("."))
        .output()
    else {
        eprintln!("skipped: no {python}");
        return;
    };
    eprintln!("{python}: {}", String::from_utf8_lossy(&output.stdout));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
