//! Random numbers one after the other.

use albireo::random::Stream;

/// A stream with a place in it.
pub(crate) struct Draws {
    stream: Stream,
    next: u64,
}

impl Draws {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, next: 0 }
    }

    /// In [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.next += 1;
        self.stream.uniform(self.next - 1)
    }

    /// Of mean 0 and variance 1 (Box & Muller 1958, DOI 10.1214/aoms/1177706645).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Three of them.
    pub(crate) fn normals(&mut self) -> [f64; 3] {
        [self.normal(), self.normal(), self.normal()]
    }

    /// A point in the unit ball.
    pub(crate) fn in_ball(&mut self) -> [f64; 3] {
        loop {
            let point = [0; 3].map(|_| 2.0 * self.uniform() - 1.0);
            if point.iter().map(|c| c * c).sum::<f64>() <= 1.0 {
                return point;
            }
        }
    }
}
