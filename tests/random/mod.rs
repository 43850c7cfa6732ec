//! A small generator (splitmix64), so that inputs are the same everywhere.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

/// The stream of a seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// `n` points in a cube at the origin.
    pub fn points(&mut self, n: usize, size: f64) -> Vec<[f64; 3]> {
        (0..n)
            .map(|_| [(); 3].map(|()| self.unit() * size))
            .collect()
    }
}
