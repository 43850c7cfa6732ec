//! What the program prints: to a pipe, to a terminal, and with `-o -`.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, program, scattered};

fn folder() -> Folder {
    Folder::new().with("d.csv", &scattered(60, 10.0, 1))
}

#[test]
fn a_dash_prints_the_result_and_nothing_else() {
    let folder = folder();
    let command = "xi d.csv --box 10 --bins log:0.3:5:6";
    folder.good(&format!("{command} -o xi.csv"));
    let expected = folder.text("xi.csv");
    let before = folder.names();
    assert_eq!(folder.good(&format!("{command} -o -")).stdout, expected);
    assert_eq!(
        folder.good(&format!("{command} -o - --format csv")).stdout,
        expected
    );
    assert_eq!(folder.names(), before);
    let written = folder.table("xi.csv");
    for format in ["ecsv", "json"] {
        let run = folder.good(&format!("{command} -o - --format {format}"));
        let name = format!("back.{format}");
        std::fs::write(folder.path(&name), run.stdout).unwrap();
        let back = folder.table(&name);
        assert_eq!(back.columns, written.columns, "{format}");
        assert_eq!(back.meta["edges"], written.meta["edges"], "{format}");
    }
    let arguments: Vec<&str> = "count d.csv --bins lin:0:5:5 -o - --format parquet"
        .split(' ')
        .collect();
    let output = folder.command(&arguments).output().unwrap();
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
}

#[test]
fn a_format_needs_the_dash() {
    let folder = folder();
    for output in ["-o dd.csv --format json", "--format json"] {
        let run = folder.run(&format!("count d.csv --bins lin:0:5:5 {output}"));
        assert_eq!(run.code, 2, "{}", run.stderr);
    }
    assert_eq!(folder.names(), ["d.csv"]);
}

#[test]
fn a_pipe_gets_every_digit() {
    let folder = folder();
    let run = folder.good("xi d.csv --box 10 --bins log:0.3:5:6 -o xi.json");
    let table = folder.table("xi.json");
    let printed = |column: usize| {
        let rows = run.stdout.lines().skip(1);
        rows.map(|row| row.split_whitespace().nth(column).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (k, column) in table.columns.iter().enumerate() {
        if column.name.ends_with("npairs") {
            let found: Vec<u64> = printed(k)
                .iter()
                .map(|cell| cell.parse().unwrap())
                .collect();
            assert_eq!(found, integers(&table, &column.name));
            continue;
        }
        let found: Vec<u64> = printed(k)
            .iter()
            .map(|cell| cell.parse::<f64>().unwrap().to_bits())
            .collect();
        let values = floats(&table, &column.name);
        assert_eq!(
            found,
            values.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
            "{}",
            column.name
        );
    }
    assert!(
        run.stdout.lines().any(|row| row.contains("0.4794")),
        "{}",
        run.stdout
    );
}

/// What the program prints on a terminal of its own.
#[cfg(target_os = "linux")]
fn on_a_terminal(folder: &Folder, arguments: &str) -> String {
    let program = format!("{} {arguments} 2> /dev/null", program().display());
    let output = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &program, "/dev/null"])
        .current_dir(folder.path("."))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("script, of util-linux");
    let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    assert!(output.status.success(), "{text}");
    text
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_few_digits_and_sums_over_two_axes() {
    let folder = folder();
    let line = on_a_terminal(&folder, "count d.csv --bins log:0.3:5:6");
    let second: Vec<&str> = line.lines().nth(2).unwrap().split_whitespace().collect();
    assert_eq!(second[0], "0.4794714", "seven digits: {line}");
    let command = "xi d.csv --box 10 --statistic rp-pi --bins lin:0:4:20 --pi-bins lin:0:3:30";
    let text = on_a_terminal(&folder, &format!("{command} -o map.json"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "20 bins in rp from 0 to 4 x 30 bins in pi from 0 to 3, summed over pi:"
    );
    assert_eq!(lines.len(), 1 + 1 + 20 + 1 + 1, "{text}");
    assert!(lines[22].starts_with("xi from -1 (rp "), "{text}");
    assert_eq!(lines[23], "All 600 rows are in map.json.");
    // The sums are those of the rows.
    let table: Table = folder.table("map.json");
    let counts = integers(&table, "DD_npairs");
    for (row, line) in counts.chunks(30).zip(&lines[2..22]) {
        let sum: u64 = row.iter().sum();
        assert_eq!(line.split_whitespace().last().unwrap(), sum.to_string());
    }
    let whole = folder.good(command).stdout;
    assert_eq!(whole.lines().count(), 601, "a pipe gets all rows");
}
