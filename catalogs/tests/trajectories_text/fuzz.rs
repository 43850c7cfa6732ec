//! Mutated fixtures: frames or one error, never a panic, a hang or a flood of memory.
//!
//! `ALBIREO_FUZZ_SECONDS` (5) and `ALBIREO_FUZZ_SEED` set how long and which mutations.

use std::path::Path;
use std::time::{Duration, Instant};

use albireo_catalogs::{Stop, open_topology, open_trajectory};
use albireo_fixtures::{Dice, peak_memory, setting};

use super::{FIXTURES, fixture, request};

/// Memory that no fixture needs, in KiB.
const MOST_MEMORY: u64 = 2 << 20;
/// No mutation of so small a file takes longer, however busy the machine.
const LONGEST: Duration = Duration::from_secs(60);

const NUMBERS: [&[u8]; 12] = [
    b"0",
    b"-1",
    b"1",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"1e308",
    b"1e999",
    b"nan",
    b"inf",
    b"",
    b"ITEM:",
];

/// One change of bytes, of a line or of a number.
fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let at = dice.roll(bytes.len());
    let count = (1 + dice.roll(64)).min(bytes.len() - at);
    match dice.roll(8) {
        0 => bytes[at] ^= 1 << dice.roll(8),
        1 => bytes[at] = dice.roll(256) as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + count)),
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
            let value = [0, 1, 0x7fff_ffff, u64::MAX, 1 << 40][dice.roll(5)];
            let width = [1, 2, 4, 8][dice.roll(4)].min(bytes.len() - at);
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        _ => {
            let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
            let start = bytes[..at].iter().rposition(blank).map_or(0, |k| k + 1);
            let end = bytes[at..]
                .iter()
                .position(blank)
                .map_or(bytes.len(), |k| at + k);
            let number = NUMBERS[dice.roll(NUMBERS.len())];
            bytes.splice(start..end.max(start), number.iter().copied());
        }
    }
}

fn exercise(path: &Path, name: &str) {
    let _ = open_topology(path, Stop::never());
    for skipped in [0, 1] {
        let Ok(mut trajectory) = open_trajectory(path, &request(name), Stop::never()) else {
            return;
        };
        let _ = trajectory.skip(skipped);
        // A count of frames may lie.
        for _ in 0..100 {
            match trajectory.next_frame() {
                Ok(Some(frame)) => assert_eq!(frame.atoms.len(), frame.len(), "{name}"),
                Ok(None) | Err(_) => break,
            }
        }
    }
}

#[test]
fn mutated_trajectories() {
    albireo_catalogs::quiet_decoder_panics();
    let seconds = setting("ALBIREO_FUZZ_SECONDS", 5);
    let mut dice = Dice(setting("ALBIREO_FUZZ_SEED", 0x9e37_79b9_7f4a_7c15).max(1));
    let corpus: Vec<(&str, Vec<u8>)> = FIXTURES
        .iter()
        .map(|(name, ..)| (*name, std::fs::read(fixture(name)).unwrap()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let mut cases = 0;
    while begin.elapsed() < Duration::from_secs(seconds) {
        let (name, bytes) = &corpus[cases % corpus.len()];
        let other = &corpus[dice.roll(corpus.len())].1;
        let mut damaged = bytes.clone();
        for _ in 0..=dice.roll(4) {
            mutate(&mut dice, &mut damaged, other);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, &damaged).unwrap();
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&path, name));
        if outcome.is_err() {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{cases}-{name}"));
            std::fs::write(&kept, &damaged).unwrap();
            panic!("{}: panicked", kept.display());
        }
        assert!(start.elapsed() < LONGEST, "{name}, case {cases}");
        let peak = peak_memory();
        assert!(peak < MOST_MEMORY, "{name}, case {cases}: {peak} KiB");
        cases += 1;
    }
    println!("{cases} mutations of {} files in {seconds} s", corpus.len());
}
