//! Two tracers: the correlation functions of both and of one with the other, in one covariance.
//!
//! Entry: [`Cross`]. The shot noise of both is given, so that each term is one matrix.

use albireo_covariance::model::{LinearMap, Matrix, ShotNoise, TracerSums, block};
use albireo_covariance::sampler::{C3Term, C4Term, RoundSums, pairs_of};

/// What sums over points of two tracers become: pairs 11, 12 and 22.
pub(super) struct Cross {
    pub(super) noise: [ShotNoise; 2],
    /// Data over randoms.
    pub(super) f: [f64; 2],
    /// RR of each bin.
    pub(super) rr: Vec<Vec<f64>>,
    /// The sums over two points of each bin, with and without xi.
    pub(super) two: Vec<[Vec<f64>; 2]>,
}

/// The sums over so many points, and no others.
enum Part<'a> {
    Four(&'a RoundSums),
    Three(&'a RoundSums),
    Two,
}

struct Sums<'a> {
    cross: &'a Cross,
    part: Part<'a>,
}

/// The place of a pair of tracers.
fn place([x, y]: [usize; 2]) -> usize {
    x + y
}

impl Sums<'_> {
    fn none(&self) -> Matrix {
        let bins = self.cross.rr[0].len();
        Matrix::zeros(bins, bins)
    }

    /// Integers in their units, over RR of both pairs.
    fn over_rr(
        &self,
        integers: &[i64],
        unit: impl Fn(usize) -> f64,
        [rows, columns]: [[usize; 2]; 2],
    ) -> Matrix {
        let [of_row, of_column] = [rows, columns].map(|pair| &self.cross.rr[place(pair)]);
        let bins = of_row.len();
        let factors: Vec<f64> = (0..bins).map(|a| unit(a) / of_row[a]).collect();
        Matrix::from_fn(bins, bins, |a, b| {
            factors[a] * integers[a * bins + b] as f64 / of_column[b]
        })
    }
}

impl TracerSums for Sums<'_> {
    fn four(&self, rows @ [i, j]: [usize; 2], columns @ [k, l]: [usize; 2]) -> Matrix {
        let Part::Four(sums) = self.part else {
            return self.none();
        };
        // The tracers of pairs rise; the members of clouds stay with their owners.
        let term = if i <= j {
            C4Term {
                pair: (i, j),
                members: (k, l),
            }
        } else {
            C4Term {
                pair: (j, i),
                members: (l, k),
            }
        };
        let terms = sums.constants.c4_terms();
        let Some(at) = terms.iter().position(|other| *other == term) else {
            return self.none();
        };
        let unit = |a| sums.constants.c4_unit(term, a);
        self.over_rr(&sums.c4[at], unit, [rows, columns])
    }

    fn three(&self, vertex: usize, [u, x]: [usize; 2]) -> Matrix {
        let Part::Three(sums) = self.part else {
            return self.none();
        };
        let term = C3Term {
            vertex,
            arms: (u, x),
        };
        let terms = sums.constants.c3_terms();
        let Some(at) = terms.iter().position(|other| *other == term) else {
            return self.none();
        };
        let unit = |a| sums.constants.c3_unit(term, a) / self.cross.f[vertex];
        self.over_rr(&sums.c3[at], unit, [[u, vertex], [vertex, x]])
    }

    fn two(&self, pair: [usize; 2]) -> [Matrix; 2] {
        let Part::Two = self.part else {
            return [self.none(), self.none()];
        };
        let both = self.cross.two[place(pair)].each_ref();
        both.map(|diagonal| Matrix::from_diagonal(&diagonal.clone().into()))
    }
}

impl Cross {
    /// A term at the noise that is given, of all pairs, mapped.
    fn mapped(&self, part: Part<'_>, map: &LinearMap) -> Matrix {
        let sums = Sums { cross: self, part };
        let pairs = pairs_of(2);
        let of = |(x, y): (usize, usize)| {
            let of = |(z, w)| block(&sums, self.noise, [x, y], [z, w]);
            pairs.iter().copied().map(of).collect::<Vec<_>>()
        };
        let blocks: Vec<_> = pairs.iter().copied().map(of).collect();
        let bins = self.rr[0].len();
        map.of(|a, b| blocks[a / bins][b / bins][(a % bins, b % bins)])
    }

    /// C4 and C3 of rounds.
    pub(super) fn of_rounds(&self, sums: &RoundSums, map: &LinearMap) -> [Matrix; 2] {
        [Part::Four(sums), Part::Three(sums)].map(|part| self.mapped(part, map))
    }

    /// The term of two points.
    pub(super) fn of_pairs(&self, map: &LinearMap) -> Matrix {
        self.mapped(Part::Two, map)
    }
}
