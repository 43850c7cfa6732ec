//! Readers against mutated fixtures: an error or values, never a panic, an abort, a hang or a flood of memory.
//!
//! `ALBIREO_FUZZ_SECONDS` (20) and `ALBIREO_FUZZ_SEED` set how long and which mutations. The file at hand is kept in the
//! target folder until it has been read; one that fails belongs into fixtures/crashers, which are read in every run.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

mod damaged;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use albireo_fixtures::{Dice, peak_memory, setting};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use damaged::{exercise, fixtures};

/// A case that takes longer hangs, however busy the machine.
const LONGEST: u64 = 60;
/// Memory that no fixture needs, in KiB.
const MOST_MEMORY: u64 = 2 << 20;

/// Every fixture, files over other files, and a result table in each format.
fn corpus(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut table = albireo_catalogs::Table::default();
    let meta = serde_json::json!({"b": [1, 2.5, "c"], "text": "x".repeat(100)});
    table.meta.insert("a".to_owned(), meta);
    let counts = albireo_catalogs::TableColumn::integers("n", "counts", vec![1, u64::MAX]);
    let values = albireo_catalogs::TableColumn::floats("f", "", vec![0.1, f64::NAN]);
    table.columns = vec![counts, values.with_unit("Mpc")];
    for extension in ["csv", "ecsv", "fits", "json", "parquet"] {
        table
            .write(&folder.join(format!("result.{extension}")))
            .unwrap();
    }
    let mut files: Vec<PathBuf> = [fixtures(), fixtures().join("virtual"), folder.to_owned()]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.extension().is_some_and(|it| it != "py"))
        .collect();
    files.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), std::fs::read(path).unwrap()))
        .collect()
}

/// Some changes to a file's bytes.
fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    const INTERESTING: [u64; 8] = [
        0,
        1,
        0x7f,
        0xff,
        0x7fff_ffff,
        0xffff_ffff,
        u64::MAX,
        1 << 40,
    ];
    for _ in 0..=dice.roll(4) {
        if bytes.is_empty() {
            return;
        }
        // Headers and footers matter most.
        let at = match dice.roll(4) {
            0 => dice.roll(bytes.len().min(2048)),
            1 => bytes.len() - 1 - dice.roll(bytes.len().min(2048)),
            _ => dice.roll(bytes.len()),
        };
        let count = (1 + dice.roll(64)).min(bytes.len() - at);
        match dice.roll(9) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at),
            3 => {
                bytes.drain(at..at + count);
            }
            4 => {
                let copy = bytes[at..at + count].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let from = dice.roll(other.len());
                let piece = &other[from..(from + count).min(other.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            6 => {
                let value = INTERESTING[dice.roll(INTERESTING.len())];
                let width = [1, 2, 4, 8][dice.roll(4)].min(bytes.len() - at);
                let mut value = value.to_le_bytes()[..width].to_vec();
                if dice.roll(2) == 0 {
                    value.reverse();
                }
                bytes[at..at + width].copy_from_slice(&value);
            }
            // Numbers in text, where the next ones are.
            _ => {
                let digits = |byte: &u8| byte.is_ascii_digit();
                if let Some(first) = bytes[at..].iter().position(digits) {
                    let first = at + first;
                    let run = bytes[first..]
                        .iter()
                        .take_while(|byte| digits(byte))
                        .count();
                    for byte in &mut bytes[first..first + run.min(1 + dice.roll(19))] {
                        *byte = b'0' + dice.roll(10) as u8;
                    }
                }
            }
        }
    }
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let gzipped = bytes.starts_with(b"\x1f\x8b");
    (gzipped && MultiGzDecoder::new(bytes).read_to_end(&mut plain).is_ok()).then_some(plain)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Ends the process if a case takes too long, since nothing else can.
fn watch(started: &Arc<AtomicU64>, begin: Instant, kept: &Path) {
    let (started, kept) = (Arc::clone(started), kept.to_owned());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let start = started.load(Ordering::Relaxed);
            if start > 0 && begin.elapsed().as_secs() > start + LONGEST {
                eprintln!("{} hangs", kept.display());
                std::process::abort();
            }
        }
    });
}

#[test]
fn mutated_fixtures() {
    albireo_catalogs::quiet_decoder_panics();
    let seconds = setting("ALBIREO_FUZZ_SECONDS", 20);
    let seed = setting("ALBIREO_FUZZ_SEED", 0x9e37_79b9_7f4a_7c15);
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    std::fs::create_dir_all(&kept).unwrap();
    // The sources of virtual data sets.
    for part in ["part.0.h5", "part.1.h5"] {
        std::fs::copy(fixtures().join("virtual").join(part), kept.join(part)).unwrap();
    }
    let mut dice = Dice(seed.max(1));
    let begin = Instant::now();
    let started = Arc::new(AtomicU64::new(0));
    watch(&started, begin, &kept);
    let mut cases = 0;
    while begin.elapsed().as_secs() < seconds {
        let (name, bytes) = &corpus[cases % corpus.len()];
        let other = &corpus[dice.roll(corpus.len())].1;
        let plain = if dice.roll(4) > 0 {
            unpacked(bytes)
        } else {
            None
        };
        let mut damaged = plain.clone().unwrap_or_else(|| bytes.clone());
        mutate(&mut dice, &mut damaged, other);
        if plain.is_some() {
            damaged = packed(&damaged);
        }
        let path = kept.join(format!("{seed}-{cases}-{name}"));
        std::fs::write(&path, &damaged).unwrap();
        started.store(begin.elapsed().as_secs().max(1), Ordering::Relaxed);
        let outcome = std::panic::catch_unwind(|| exercise(&path));
        assert!(outcome.is_ok(), "{}: panicked", path.display());
        let peak = peak_memory();
        assert!(peak < MOST_MEMORY, "{}: {peak} KiB", path.display());
        std::fs::remove_file(&path).unwrap();
        cases += 1;
    }
    println!(
        "{cases} mutations of {} files in {seconds} s, seed {seed}",
        corpus.len()
    );
}

/// Files that once made a reader fail.
#[test]
fn crashers() {
    albireo_catalogs::quiet_decoder_panics();
    for entry in std::fs::read_dir(fixtures().join("crashers")).unwrap() {
        let path = entry.unwrap().path();
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&path));
        assert!(outcome.is_ok(), "{}: panicked", path.display());
        assert!(start.elapsed().as_secs() < 20, "{}", path.display());
    }
}
