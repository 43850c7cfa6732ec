//! Random numbers by index: no state, so any part of a sequence can be made anywhere.

/// A sequence of random numbers that are looked up by their index.
///
/// The sequence is that of splitmix64 (Steele, Lea & Flood 2014, DOI 10.1145/2660193.2660195), started at a scrambled seed.
///
/// ```
/// let stream = albireo::random::Stream::new(1);
/// assert_eq!(stream.uniform(5), stream.uniform(5));
/// assert_ne!(stream.uniform(5), stream.uniform(6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    start: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of splitmix64.
#[inline]
fn scramble(state: u64) -> u64 {
    let h = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

impl Stream {
    /// The sequence of a seed.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self {
            start: scramble(seed.wrapping_add(GOLDEN)),
        }
    }

    /// Another sequence, independent of this one and of those with other labels.
    #[inline]
    #[must_use]
    pub fn child(self, label: u64) -> Self {
        Self {
            start: scramble(self.start ^ scramble(label.wrapping_add(GOLDEN))),
        }
    }

    /// The state before the first number, from which other code makes the same sequence.
    #[inline]
    pub fn start(self) -> u64 {
        self.start
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(self, index: u64) -> u64 {
        let step = index.wrapping_add(1).wrapping_mul(GOLDEN);
        scramble(self.start.wrapping_add(step))
    }

    /// A number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn uniform(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_splitmix64() {
        // First outputs of the published reference program for the state 1234567.
        let stream = Stream { start: 1_234_567 };
        assert_eq!(
            [0, 1, 2].map(|i| stream.bits(i)),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn uniform_numbers_stay_below_one() {
        let stream = Stream::new(9);
        let numbers: Vec<f64> = (0..100_000).map(|i| stream.uniform(i)).collect();
        assert!(numbers.iter().all(|u| (0.0..1.0).contains(u)));
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|u| (u - mean) * (u - mean)).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12e5f64).sqrt());
        assert!((variance - 1.0 / 12.0).abs() < 1e-3);
        // Neighbours in the sequence and sequences of neighbouring seeds are uncorrelated.
        for other in [
            (1..100_001).map(|i| stream.uniform(i)).collect::<Vec<_>>(),
            (0..100_000).map(|i| Stream::new(10).uniform(i)).collect(),
            (0..100_000).map(|i| stream.child(1).uniform(i)).collect(),
        ] {
            let pairs = numbers.iter().zip(&other);
            let covariance = pairs.map(|(a, b)| (a - 0.5) * (b - 0.5)).sum::<f64>() / 1e5;
            assert!((covariance * 12.0).abs() < 5.0 / 1e5f64.sqrt());
        }
    }
}
