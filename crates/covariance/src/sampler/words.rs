//! Random words: which rows take part in a round, and whether a pair of them does.
//!
//! Entry: [`mix32`], [`Rows`] and [`words`]. A pair is decided by the sum of a word of each of its rows, so that vector units see many pairs at a time.

use albireo::random::Stream;

/// What mixes the words of a pair, for the record.
pub const HASH: &str = "lowbias32(A + B)";

/// The multipliers of [`mix32`].
pub(super) const MULTIPLIERS: [u32; 2] = [0x7feb_352d, 0x846c_a68b];

/// Words of a row: as owner and as member of a cloud, as first and as second of a pair.
pub(super) const OWNER: usize = 0;
pub(super) const MEMBER: usize = 1;
pub(super) const FIRST: usize = 2;
pub(super) const SECOND: usize = 3;

/// Labels of the streams of a tracer: the order of its rows, and their words.
const ORDER: u64 = 0;
const WORDS: u64 = 1;

/// A word of which every bit depends on every bit of `word`, one to one: a finaliser of two multiplications, `lowbias32` (Wellons 2018).
#[inline(always)]
pub const fn mix32(word: u32) -> u32 {
    let word = (word ^ (word >> 16)).wrapping_mul(MULTIPLIERS[0]);
    let word = (word ^ (word >> 15)).wrapping_mul(MULTIPLIERS[1]);
    word ^ (word >> 16)
}

/// The integer part of `p + u / 2^32`: how many times an object of expectation `p` is taken.
#[inline]
pub(super) fn times(p: f64, u: u32) -> i64 {
    ((p * TURN + f64::from(u)) / TURN) as i64
}

/// 2^32.
pub(super) const TURN: f64 = 4_294_967_296.0;

fn stream(seed: u64, tracer: usize, label: u64) -> Stream {
    Stream::new(seed).child(tracer as u64).child(label)
}

/// The rows of a tracer in a random order that changes once all of them had their turn.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    seed: u64,
    tracer: usize,
    /// Rows of a round.
    points: usize,
    /// Rounds until the order changes.
    blocks: u64,
    /// Which order it is.
    pass: Option<u64>,
    order: Vec<u32>,
}

impl Rows {
    pub(super) fn new(seed: u64, tracer: usize, rows: usize, points: usize) -> Self {
        Self {
            seed,
            tracer,
            points,
            blocks: (rows / points) as u64,
            pass: None,
            order: (0..rows as u32).collect(),
        }
    }

    /// The rows of a round.
    pub(super) fn of_round(&mut self, round: u64) -> &[u32] {
        let (pass, block) = (round / self.blocks, (round % self.blocks) as usize);
        if self.pass != Some(pass) {
            let order = stream(self.seed, self.tracer, ORDER).child(pass);
            let rows = 0..self.order.len() as u32;
            let mut keys: Vec<_> = rows.map(|row| (order.bits(u64::from(row)), row)).collect();
            keys.sort_unstable();
            self.order = keys.into_iter().map(|(_, row)| row).collect();
            self.pass = Some(pass);
        }
        &self.order[block * self.points..][..self.points]
    }
}

/// The four words of rows in a round.
pub(super) fn words(seed: u64, tracer: usize, round: u64, rows: &[u32]) -> [Vec<u32>; 4] {
    let of_round = stream(seed, tracer, WORDS).child(round);
    [0, 1, 2, 3].map(|kind| {
        let words = of_round.child(kind);
        let upper_half = |&row: &u32| (words.bits(u64::from(row)) >> 32) as u32;
        rows.iter().map(upper_half).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_turn_once_in_a_pass() {
        let mut rows = Rows::new(3, 1, 10, 5);
        for pass in 0..4 {
            let mut seen: Vec<u32> = (0..2)
                .flat_map(|block| rows.of_round(2 * pass + block).to_vec())
                .collect();
            assert_ne!(seen, (0..10).collect::<Vec<_>>());
            seen.sort_unstable();
            assert_eq!(seen, (0..10).collect::<Vec<_>>());
        }
        let later = rows.of_round(1).to_vec();
        assert_eq!(Rows::new(3, 1, 10, 5).of_round(1), later);
        assert_ne!(Rows::new(4, 1, 10, 5).of_round(1), later);
    }

    #[test]
    fn words_are_mixed_one_to_one_and_evenly() {
        // A step back through each line gives the word again.
        let inverse = |m: u32| {
            (0..5).fold(m, |x, _| {
                x.wrapping_mul(2u32.wrapping_sub(m.wrapping_mul(x)))
            })
        };
        let undo = |word: u32, shift: u32| {
            word ^ (word >> shift)
                ^ (word >> (2 * shift).min(31) & if 2 * shift < 32 { u32::MAX } else { 0 })
        };
        for word in [0, 1, 2, 77, 0x8000_0000, u32::MAX] {
            let last = undo(mix32(word), 16).wrapping_mul(inverse(MULTIPLIERS[1]));
            let first = undo(last, 15).wrapping_mul(inverse(MULTIPLIERS[0]));
            assert_eq!(undo(first, 16), word);
        }
        // Each bit of the outcome changes with half of the words when one bit of them does.
        for bit in 0..32 {
            let mut changed = [0u32; 32];
            for word in 0..4096u32 {
                let word = word.wrapping_mul(0x9e37_79b9);
                let difference = mix32(word) ^ mix32(word ^ (1 << bit));
                for (k, changed) in changed.iter_mut().enumerate() {
                    *changed += difference >> k & 1;
                }
            }
            assert!(
                changed.iter().all(|&n| n.abs_diff(2048) < 5 * 32),
                "{changed:?}"
            );
        }
    }

    #[test]
    fn expectations_are_kept_by_rounding_up_and_down() {
        assert_eq!(
            [times(0.0, u32::MAX), times(1.0, 0), times(1.0, u32::MAX)],
            [0, 1, 1]
        );
        let taken: i64 = (0..1 << 16).map(|k| times(2.3, mix32(k))).sum();
        assert!((taken as f64 / 65536.0 - 2.3).abs() < 5.0 * 0.46 / 256.0);
    }
}
