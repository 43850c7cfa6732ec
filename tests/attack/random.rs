//! A stream of random choices that is the same everywhere.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

#[path = "../random/mod.rs"]
mod splitmix;

pub use splitmix::Random;

impl Random {
    /// The stream of case `number` under `seed`.
    pub fn of_case(seed: u64, number: u64) -> Self {
        let mut mixed = Self(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let start = mixed.next();
        Self(start)
    }

    /// In [lo, hi).
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// In [lo, hi), every decade alike.
    pub fn decades(&mut self, lo: f64, hi: f64) -> f64 {
        lo * libm::pow(hi / lo, self.unit())
    }

    /// One of the whole numbers lo..=hi.
    pub fn whole(&mut self, lo: i32, hi: i32) -> i32 {
        lo + self.below((hi - lo + 1) as usize) as i32
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A direction, uniform enough.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [0; 3].map(|_| self.between(-1.0, 1.0));
            let norm2 = v.iter().map(|c| c * c).sum::<f64>();
            if norm2 > 0.01 && norm2 <= 1.0 {
                return v.map(|c| c / norm2.sqrt());
            }
        }
    }

    /// `v`, or a neighbour among the float64 numbers.
    pub fn nudged(&mut self, v: f64) -> f64 {
        match self.below(3) {
            0 => v.next_down(),
            1 => v,
            _ => v.next_up(),
        }
    }
}
