//! The noise of sampled sums: rounds in groups, whose scatter says how well the covariance is known.
//!
//! Entry: [`Groups`].

use std::ops::Range;

use super::matrix::{cholesky, whitened};
use super::{Matrix, ModelError, ShotNoise, Terms};

/// Rounds one after the other: where they begin, how many there are, and their sums.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The first of them.
    pub begin: u64,
    /// The rounds.
    pub rounds: u64,
    /// C4 summed over them.
    pub c4: Matrix,
    /// C3 summed over them.
    pub c3: Matrix,
}

impl Group {
    /// The round after the last.
    pub fn end(&self) -> u64 {
        self.begin + self.rounds
    }

    fn add(&mut self, next: &Self) {
        self.rounds += next.rounds;
        self.c4 += &next.c4;
        self.c3 += &next.c3;
    }
}

/// Rounds of a group, where there are so many: a power of two that makes 16 to 32 groups, 1 of fewer rounds.
fn size_of_group(rounds: u64) -> u64 {
    1 << (rounds.max(16).ilog2() - 4)
}

/// Rounds in groups of as many each, in order: 16 to 32 once there are 16 rounds.
///
/// Sums of two neighbours are added where they are the halves of a group, and nowhere else: which rounds were sampled together, and where, changes no bit.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// In order.
    each: Vec<Group>,
    c2: Matrix,
    s: Matrix,
}

impl Groups {
    /// No rounds yet, beside the sums over pairs, which are known.
    pub fn new(c2: Matrix, s: Matrix) -> Self {
        Self {
            each: Vec::new(),
            c2,
            s,
        }
    }

    /// The rounds whose integers become one sum, of which `round` is one.
    ///
    /// ```
    /// use albireo_covariance::model::Groups;
    /// assert_eq!([31, 32, 67].map(Groups::unit), [31..32, 32..34, 64..68]);
    /// ```
    pub fn unit(round: u64) -> Range<u64> {
        let size = size_of_group(round);
        let begin = round - round % size;
        begin..begin + size
    }

    /// Adds the sums of rounds that are not there yet: of [units](Self::unit), of what earlier groups hold of them, or of the last rounds of all.
    pub fn add(&mut self, group: Group) {
        let at = self.each.partition_point(|other| other.begin < group.begin);
        self.each.insert(at, group);
        let most = size_of_group(self.rounds());
        let mut settled: Vec<Group> = Vec::new();
        for group in std::mem::take(&mut self.each) {
            settled.push(group);
            while let [.., first, second] = &mut settled[..]
                && first.rounds == second.rounds
                && first.end() == second.begin
                && first.begin.is_multiple_of(2 * first.rounds)
                && 2 * first.rounds <= most
            {
                first.add(second);
                settled.pop();
            }
        }
        self.each = settled;
    }

    /// The sums as they are held.
    pub fn held(&self) -> &[Group] {
        &self.each
    }

    /// The groups.
    pub fn each(&self) -> Vec<Group> {
        let size = size_of_group(self.rounds());
        let of_group = self.each.chunk_by(|a, b| a.begin / size == b.begin / size);
        let whole = of_group.filter_map(|parts| {
            let (first, others) = parts.split_first()?;
            let mut whole = first.clone();
            for part in others {
                whole.add(part);
            }
            Some(whole)
        });
        whole.collect()
    }

    /// The first of the groups alone.
    #[must_use]
    pub fn first(&self, groups: usize) -> Self {
        Self {
            each: self.each().into_iter().take(groups).collect(),
            c2: self.c2.clone(),
            s: self.s.clone(),
        }
    }

    /// All rounds.
    pub fn rounds(&self) -> u64 {
        self.each.iter().map(|group| group.rounds).sum()
    }

    /// The terms of all rounds.
    pub fn terms(&self) -> Terms {
        let zero = || Matrix::zeros(self.c2.nrows(), self.c2.ncols());
        let each = self.each();
        let sum = |of: fn(&Group) -> &Matrix| each.iter().fold(zero(), |sum, g| sum + of(g));
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
        self.each().iter().map(of).collect()
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
mod tests {
    use super::*;

    fn round(k: u64) -> [Matrix; 2] {
        let x = albireo::random::Stream::new(5).child(k);
        let c4 = Matrix::from_fn(3, 3, |a, b| 0.1 * (x.uniform((3 * a + b) as u64) - 0.5));
        let c3 = Matrix::from_diagonal_element(3, 3, 1.0 + 0.1 * x.uniform(9));
        [(&c4 + c4.transpose()) * 0.5, c3]
    }

    fn one(begin: u64, c4: Matrix, c3: Matrix) -> Group {
        Group {
            begin,
            rounds: 1,
            c4,
            c3,
        }
    }

    fn groups(rounds: u64) -> Groups {
        let mut groups = Groups::new(Matrix::identity(3, 3), Matrix::zeros(3, 3));
        for k in 0..rounds {
            let [c4, c3] = round(k);
            groups.add(one(k, c4, c3));
        }
        groups
    }

    #[test]
    fn the_first_groups_are_those_of_fewer_rounds() {
        let (all, few) = (groups(64).first(8), groups(32));
        assert_eq!((all.rounds(), all.each().len()), (32, 8));
        assert!((all.terms().c4 - few.terms().c4).abs().max() < 1e-15);
        let noise = ShotNoise::poisson();
        // Groups of four rounds instead of two.
        let [all, few] = [all, few].map(|groups| groups.noise(noise).unwrap());
        assert!((all / few - 1.0).abs() < 0.3, "{all} {few}");
        assert_eq!(groups(5).first(9), groups(5));
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
            assert!(full.iter().all(|size| *size == sizes[0]) && *last <= sizes[0]);
        }
        // The second group of 64 rounds has rounds 4 to 7.
        let expected = (4..8).fold(Matrix::zeros(3, 3), |sum, k| sum + &round(k)[1]);
        assert!((&groups(64).each()[1].c3 - expected).abs().max() < 1e-15);
        let whole = (0..64).fold(Matrix::zeros(3, 3), |sum, k| sum + &round(k)[0]) / 64.0;
        assert!((groups(64).terms().c4 - whole).abs().max() < 1e-15);
    }

    #[test]
    fn rounds_of_several_runs_have_the_bits_of_one() {
        for cuts in [vec![16], vec![3, 40, 41], vec![64, 96]] {
            let whole = groups(100);
            let mut parts = groups(0);
            let begins = cuts.iter().copied().chain([0]);
            for begin in begins {
                let ends = cuts.iter().copied().filter(|cut| *cut > begin);
                let mut part = groups(0);
                for k in begin..ends.min().unwrap_or(100) {
                    let [c4, c3] = round(k);
                    part.add(one(k, c4, c3));
                }
                part.held()
                    .iter()
                    .cloned()
                    .for_each(|group| parts.add(group));
            }
            assert_eq!(parts, whole, "{cuts:?}");
        }
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
