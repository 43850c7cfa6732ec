//! The noise of sampled sums: rounds in groups, whose scatter says how well the covariance is known.
//!
//! Entry: [`Groups`].

use super::matrix::{cholesky, whitened};
use super::{Matrix, ModelError, ShotNoise, Terms};

/// Some rounds: their sums, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The rounds.
    pub rounds: u64,
    /// C4 summed over them.
    pub c4: Matrix,
    /// C3 summed over them.
    pub c3: Matrix,
}

/// Rounds in groups of as many each, in order: 16 to 31 once there are 16 rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    each: Vec<Group>,
    /// Rounds of a full group.
    size: u64,
    c2: Matrix,
    s: Matrix,
}

impl Groups {
    /// When there are so many, neighbours become one.
    const MOST: usize = 32;

    /// No rounds yet, beside the sums over pairs, which are known.
    pub fn new(c2: Matrix, s: Matrix) -> Self {
        Self {
            each: Vec::new(),
            size: 1,
            c2,
            s,
        }
    }

    /// How many rounds the last group, or the next one, has not got yet.
    pub fn missing(&self) -> u64 {
        let last = self.each.last().map_or(0, |last| last.rounds);
        self.size - last % self.size
    }

    /// Adds the sums of the next rounds, at most as many as are [missing](Self::missing).
    pub fn add(&mut self, rounds: u64, c4: &Matrix, c3: &Matrix) {
        match self.each.last_mut() {
            Some(last) if last.rounds < self.size => {
                last.rounds += rounds;
                last.c4 += c4;
                last.c3 += c3;
            }
            _ => self.each.push(Group {
                rounds,
                c4: c4.clone(),
                c3: c3.clone(),
            }),
        }
        let is_full = self
            .each
            .last()
            .is_some_and(|last| last.rounds == self.size);
        if self.each.len() == Self::MOST && is_full {
            let pairs = self.each.chunks(2).map(|pair| Group {
                rounds: pair[0].rounds + pair[1].rounds,
                c4: &pair[0].c4 + &pair[1].c4,
                c3: &pair[0].c3 + &pair[1].c3,
            });
            self.each = pairs.collect();
            self.size *= 2;
        }
    }

    /// The groups.
    pub fn each(&self) -> &[Group] {
        &self.each
    }

    /// All rounds.
    pub fn rounds(&self) -> u64 {
        self.each.iter().map(|group| group.rounds).sum()
    }

    /// The terms of all rounds.
    pub fn terms(&self) -> Terms {
        let zero = || Matrix::zeros(self.c2.nrows(), self.c2.ncols());
        let sum = |of: fn(&Group) -> &Matrix| self.each.iter().fold(zero(), |sum, g| sum + of(g));
        self.mean([sum(|g| &g.c4), sum(|g| &g.c3)], self.rounds())
    }

    fn mean(&self, [c4, c3]: [Matrix; 2], rounds: u64) -> Terms {
        let n = rounds.max(1) as f64;
        Terms {
            c4: c4 / n,
            c3: c3 / n,
            c2: self.c2.clone(),
            s: self.s.clone(),
        }
    }

    /// The covariance by each group alone, with the rounds that it is of.
    pub fn covariances(&self, noise: ShotNoise) -> Vec<(u64, Matrix)> {
        let of = |group: &Group| {
            let terms = self.mean([group.c4.clone(), group.c3.clone()], group.rounds);
            (group.rounds, terms.at(noise))
        };
        self.each.iter().map(of).collect()
    }

    /// R, the noise of the covariance in units of itself: `R^2 = sum_g ||L^-1 (C_g - C) L^-T||^2/(G (G - 1) N_b)` for G groups and `N_b` values, about by
    /// how much it adds to the variance of what is fitted.
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`]; [`ModelError::Needs`]: fewer than two groups.
    pub fn noise(&self, noise: ShotNoise) -> Result<f64, ModelError> {
        let whole = self.terms().at(noise);
        let root = cholesky(&whole, "the covariance")?;
        let groups = self.covariances(noise);
        let [number, rounds] = [groups.len() as f64, self.rounds() as f64];
        if number < 2.0 {
            return super::error::needs("the noise needs two rounds or more".to_owned());
        }
        let square = |(n, group): &(u64, Matrix)| {
            *n as f64 * whitened(&root, &(group - &whole)).norm_squared()
        };
        let sum: f64 = groups.iter().map(square).sum();
        Ok((sum / (rounds * (number - 1.0) * whole.nrows() as f64)).sqrt())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    fn round(k: u64) -> [Matrix; 2] {
        let x = albireo::random::Stream::new(5).child(k);
        let c4 = Matrix::from_fn(3, 3, |a, b| 0.1 * (x.uniform((3 * a + b) as u64) - 0.5));
        let c3 = Matrix::from_diagonal_element(3, 3, 1.0 + 0.1 * x.uniform(9));
        [(&c4 + c4.transpose()) * 0.5, c3]
    }

    fn groups(rounds: u64) -> Groups {
        let mut groups = Groups::new(Matrix::identity(3, 3), Matrix::zeros(3, 3));
        for k in 0..rounds {
            let [c4, c3] = round(k);
            groups.add(1, &c4, &c3);
        }
        groups
    }

    #[test]
    fn rounds_stay_in_order_in_16_to_31_groups() {
        for rounds in 1..200 {
            let groups = groups(rounds);
            assert_eq!(groups.rounds(), rounds);
            let number = groups.each().len() as u64;
            assert!(number == rounds.min(number) && (rounds < 16 || (16..=32).contains(&number)));
            let sizes: Vec<u64> = groups.each().iter().map(|g| g.rounds).collect();
            let (last, full) = sizes.split_last().unwrap();
            assert!(full.iter().all(|size| *size == groups.size) && *last <= groups.size);
        }
        assert_eq!(
            [0, 1, 16, 31, 32, 33, 95].map(|n| groups(n).missing()),
            [1, 1, 1, 1, 2, 1, 4 - 95 % 4]
        );
        // The second group of 64 rounds has rounds 4 to 7.
        let expected = (4..8).fold(Matrix::zeros(3, 3), |sum, k| sum + &round(k)[1]);
        assert!((&groups(64).each()[1].c3 - expected).abs().max() < 1e-15);
        let whole = (0..64).fold(Matrix::zeros(3, 3), |sum, k| sum + &round(k)[0]) / 64.0;
        assert!((groups(64).terms().c4 - whole).abs().max() < 1e-15);
    }

    #[test]
    fn the_noise_is_that_of_a_plain_sum() {
        let noise = ShotNoise {
            alpha: 1.2,
            beta: 0.3,
            subsets: 2.0,
        };
        let groups = groups(16);
        let whole = groups.terms().at(noise);
        let eigen = whole.clone().symmetric_eigen();
        let inverse = &eigen.eigenvectors
            * Matrix::from_diagonal(&eigen.eigenvalues.map(|v| 1.0 / v))
            * eigen.eigenvectors.transpose();
        // ||L^-1 D L^-T||^2 = Tr(C^-1 D C^-1 D), without a root.
        let mut sum = 0.0;
        for (_, group) in groups.covariances(noise) {
            let off = &inverse * (group - &whole);
            sum += (&off * &off).trace();
        }
        let expected = (sum / (16.0 * 15.0 * 3.0)).sqrt();
        assert!((groups.noise(noise).unwrap() / expected - 1.0).abs() < 1e-10);
        assert!(
            Groups::new(Matrix::identity(3, 3), Matrix::zeros(3, 3))
                .noise(noise)
                .is_err()
        );
    }

    #[test]
    fn four_times_the_rounds_have_half_the_noise() {
        let of = |rounds: u64| groups(rounds).noise(ShotNoise::poisson()).unwrap();
        let ratio = of(64) / of(256);
        assert!((ratio - 2.0).abs() < 0.5, "{ratio}");
    }
}
