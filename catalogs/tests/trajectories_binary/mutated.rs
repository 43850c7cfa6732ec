//! Readers against mutated trajectories: an error or frames, never a panic, a hang or a flood of memory.
//!
//! `ALBIREO_FUZZ_SECONDS` (4) and `ALBIREO_FUZZ_SEED` set how long and which mutations. A file that fails is kept in the target folder.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::{expected, folder, opened};

/// A file that takes longer hangs, however busy the machine.
const LONGEST: Duration = Duration::from_secs(20);
/// Memory that no fixture needs, in KiB.
const MOST_MEMORY: u64 = 512 << 10;
/// Frames read of a file; damaged counts may claim any number of them.
const FRAMES: usize = 40;

/// Numbers that look random but are the same in every run (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

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

/// The most memory this process has had, in KiB; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
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
