//! Readers against mutated trajectories: an error or frames, never a panic, a hang or a flood of memory.
//!
//! `ALBIREO_FUZZ_SECONDS` (4) and `ALBIREO_FUZZ_SEED` set how long and which mutations. A file that fails is kept in the target folder.

use std::path::Path;
use std::time::{Duration, Instant};

use albireo_fixtures::{Dice, peak_memory, setting};

use crate::{expected, folder, opened};

/// A file that takes longer hangs, however busy the machine.
const LONGEST: Duration = Duration::from_secs(20);
/// Memory that no fixture needs, in KiB.
const MOST_MEMORY: u64 = 512 << 10;
/// Frames read of a file; damaged counts may claim any number of them.
const FRAMES: usize = 40;

/// Some changes to bytes, most of them where numbers of a header may be.
fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>) {
    const VALUES: [u64; 9] = [
        0,
        1,
        9,
        0xff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 40,
        u64::MAX,
    ];
    for _ in 0..=dice.roll(3) {
        if bytes.is_empty() {
            return;
        }
        let near = if dice.roll(2) == 0 { 300 } else { bytes.len() };
        let at = dice.roll(bytes.len().min(near));
        let count = (1 + dice.roll(64)).min(bytes.len() - at);
        match dice.roll(7) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + count)),
            4 => {
                let copy = bytes[at..at + count].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let at = at / 4 * 4;
                let width = [2, 4, 8][dice.roll(3)].min(bytes.len() - at);
                let mut value = VALUES[dice.roll(VALUES.len())].to_le_bytes()[..width].to_vec();
                if dice.roll(2) == 0 {
                    value.reverse();
                }
                bytes[at..at + width].copy_from_slice(&value);
            }
        }
    }
}

/// What can be asked of a trajectory; damaged answers are errors.
fn exercise(path: &Path) {
    let Ok(mut trajectory) = opened(path) else {
        return;
    };
    let _ = trajectory.frames();
    for _ in 0..FRAMES {
        let Ok(Some(frame)) = trajectory.next_frame() else {
            break;
        };
        assert_eq!(
            frame.positions.each_ref().map(Vec::len),
            [frame.atoms.len(); 3]
        );
    }
    let Ok(mut trajectory) = opened(path) else {
        return;
    };
    let _ = trajectory.skip(2);
    let _ = trajectory.next_frame();
    let _ = trajectory.skip(FRAMES as u64);
}

#[test]
fn mutated_trajectories() {
    let seconds = Duration::from_secs(setting("ALBIREO_FUZZ_SECONDS", 4));
    let seed = setting("ALBIREO_FUZZ_SEED", 0x9e37_79b9_7f4a_7c15).max(1);
    let names: Vec<String> = expected().keys().cloned().collect();
    let corpus: Vec<Vec<u8>> = names
        .iter()
        .map(|name| std::fs::read(folder().join(name)).unwrap())
        .collect();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trajectories");
    std::fs::create_dir_all(&kept).unwrap();
    let mut dice = Dice(seed);
    let begin = Instant::now();
    let mut case = 0;
    while begin.elapsed() < seconds {
        let which = case % corpus.len();
        let mut bytes = corpus[which].clone();
        mutate(&mut dice, &mut bytes);
        let path = kept.join(format!("{seed}-{case}-{}", names[which]));
        std::fs::write(&path, &bytes).unwrap();
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&path));
        let file = path.display();
        assert!(outcome.is_ok(), "{file}: panicked");
        assert!(start.elapsed() < LONGEST, "{file}: {:?}", start.elapsed());
        let peak = peak_memory();
        assert!(peak < MOST_MEMORY, "{file}: {peak} KiB");
        std::fs::remove_file(&path).unwrap();
        case += 1;
    }
    assert!(case > names.len(), "every file is mutated");
}
