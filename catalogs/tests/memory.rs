//! Reading takes little more memory than the columns kept.
//!
//! Each case runs in a process of its own, this test binary again, and compares the kernel's record of its largest
//! resident size with the columns it holds in the end.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use albireo_catalogs::{Filter, Request, Table, TableColumn, open};

const ROWS: usize = 8_000_000;
/// Text rows take longer to write and to read.
const TEXT_ROWS: usize = 2_000_000;
/// The bound to keep: peak memory over memory kept.
const LARGEST: f64 = 1.3;

fn value(k: usize) -> f64 {
    k as f64 * 0.37
}

fn write_fits(path: &Path) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    let mut header = |cards: &[String]| {
        let padded = |card: &String| format!("{card:<80}");
        let text =
            cards.iter().map(padded).collect::<Vec<_>>().concat() + &format!("{:<80}", "END");
        write!(
            file,
            "{text:<length$}",
            length = text.len().next_multiple_of(2880)
        )
        .unwrap();
    };
    let card = |key: &str, value: &str| format!("{key:<8}= {value:>20}");
    header(&[card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0")]);
    let mut cards = vec![
        "XTENSION= 'BINTABLE'".to_owned(),
        card("BITPIX", "8"),
        card("NAXIS", "2"),
    ];
    cards.extend([
        card("NAXIS1", "32"),
        card("NAXIS2", &ROWS.to_string()),
        card("PCOUNT", "0"),
        card("GCOUNT", "1"),
    ]);
    cards.push(card("TFIELDS", "4"));
    for (k, name) in ["x", "y", "z", "w"].iter().enumerate() {
        cards.push(format!("TTYPE{}  = '{name:<8}'", k + 1));
        cards.push(format!("TFORM{}  = 'D       '", k + 1));
    }
    header(&cards);
    for k in 0..ROWS {
        for _ in 0..4 {
            file.write_all(&value(k).to_be_bytes()).unwrap();
        }
    }
    file.write_all(&vec![0; (ROWS * 32).next_multiple_of(2880) - ROWS * 32])
        .unwrap();
    file.flush().unwrap();
}

fn write_parquet(path: &Path) {
    let column = |name: &str| TableColumn::floats(name, "", (0..ROWS).map(value).collect());
    Table {
        columns: ["x", "y", "z", "w"].map(column).into(),
        ..Table::default()
    }
    .write(path)
    .unwrap();
}

fn write_hdf5(path: &Path) {
    use hdf5_writer::{DatasetBuilder, Hdf5Builder, Hdf5Writer, WriteOptions};
    let values: Vec<f64> = (0..ROWS).map(value).collect();
    let rows = ROWS as u64;
    let whole = |name: &str| DatasetBuilder::typed_data(name, vec![rows], &values).unwrap();
    let chunked = |name: &str| whole(name).chunked(vec![65_536]);
    let plan = Hdf5Builder::new()
        .dataset(whole("x"))
        .dataset(chunked("y"))
        .dataset(chunked("z"))
        .dataset(whole("w"));
    let sink = std::fs::File::create(path).unwrap();
    Hdf5Writer::new(sink, WriteOptions::default())
        .finish(plan.into_plan().unwrap())
        .unwrap();
}

fn write_csv(path: &Path) {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    writeln!(file, "x,y,z,w").unwrap();
    for k in 0..TEXT_ROWS {
        let value = value(k);
        writeln!(file, "{value},{value},{value},{value}").unwrap();
    }
    file.flush().unwrap();
}

/// File name, what writes it, rows.
type Case = (&'static str, fn(&Path), usize);

/// A line of `/proc/self/status`, in bytes.
fn status(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1024
}

/// Not a test of its own: what the processes run.
#[test]
fn child() {
    let Ok(path) = std::env::var("ALBIREO_MEMORY_FILE") else {
        return;
    };
    let filter = std::env::var("ALBIREO_MEMORY_FILTER").ok();
    // Threads and their arenas are there before the count begins.
    rayon::broadcast(|_| ());
    let before = status("VmRSS");
    let mut request = Request::columns(["x", "y", "z"]);
    request.filter = filter.map(|text| Filter::parse(&text).unwrap());
    let catalog = open(Path::new(&path)).unwrap().read(&request).unwrap();
    let peak = status("VmHWM") - before;
    let kept = catalog.rows() * 3 * 8;
    let last = catalog.column("z").unwrap().last().copied().unwrap();
    assert!(last > 0.0);
    println!("PEAK {peak} KEPT {kept} ROWS {}", catalog.rows());
}

#[test]
fn reading_takes_little_more_than_the_columns_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [Case; 4] = [
        ("a.fits", write_fits, ROWS),
        ("a.parquet", write_parquet, ROWS),
        ("a.h5", write_hdf5, ROWS),
        ("a.csv", write_csv, TEXT_ROWS),
    ];
    for (name, write, rows) in cases {
        let path = folder.path().join(name);
        write(&path);
        let half = format!("w < {}", value(rows / 2));
        for (filter, expected) in [(None, rows), (Some(half), rows / 2)] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--exact", "child", "--nocapture"])
                .env("ALBIREO_MEMORY_FILE", &path);
            if let Some(filter) = &filter {
                command.env("ALBIREO_MEMORY_FILTER", filter);
            }
            let output = command.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let number = |key: &str| -> usize {
                let mut words = text
                    .split_whitespace()
                    .skip_while(|word| *word != key)
                    .skip(1);
                words
                    .next()
                    .and_then(|word| word.parse().ok())
                    .unwrap_or_else(|| panic!("{name}: no {key} in: {text}"))
            };
            assert_eq!(number("ROWS"), expected, "{name}");
            let (peak, kept) = (number("PEAK"), number("KEPT"));
            let ratio = peak as f64 / kept as f64;
            eprintln!(
                "{name}, {filter:?}: kept {} MiB, peak {} MiB, ratio {ratio:.2}",
                kept >> 20,
                peak >> 20
            );
            assert!(
                ratio < LARGEST,
                "{name}, {filter:?}: peak {peak} over kept {kept} is {ratio:.2}"
            );
        }
        std::fs::remove_file(&path).unwrap();
    }
}
