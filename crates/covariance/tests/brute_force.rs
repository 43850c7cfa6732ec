//! Rounds against all quads and triples of a few points: the mean of what is sampled is the sum.
//!
//! `ALBIREO_COVARIANCE_CASES` and `ALBIREO_COVARIANCE_ROUNDS` ask for more than the default, 200 and 20000 for a full trial.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test, a trial says what it found"
)]

mod drawn;

use albireo::engine::{Naive, Silent};
use albireo_covariance::sampler::{
    C3Term, C4Term, Input, RoundSums, SampleJob, SamplingEngine, pairs_of,
};
use drawn::{Size, weight, xi_of};

/// What the sums over all tuples are made of: numbers of all pairs of points of two tracers.
struct Exact {
    weights: Vec<Vec<f64>>,
    xi: Vec<Vec<Vec<f64>>>,
    bins: Vec<Vec<Vec<Option<usize>>>>,
    n_bins: usize,
    /// Region of each point of the first tracer, share of each region in each bin.
    regions: Vec<usize>,
    shares: Vec<Vec<f64>>,
}

/// Sums over tuples: all, times the number of equal regions, and times the shares of the first two.
type Sums = [Vec<f64>; 3];

/// Numbers of the second tracer within those of the first.
fn nested<T: Clone>(of_pairs: impl Iterator<Item = Vec<T>>, n: usize) -> Vec<Vec<Vec<T>>> {
    of_pairs
        .collect::<Vec<_>>()
        .chunks(n)
        .map(<[_]>::to_vec)
        .collect()
}

impl Exact {
    fn new(input: &Input) -> Self {
        let n = input.randoms.len();
        let number = |tracer: usize| 0..input.randoms[tracer].len();
        let pair = |i: usize, j: usize, a: usize, b: usize| {
            let [x, y] =
                [(i, a), (j, b)].map(|(tracer, row)| input.randoms[tracer].points().at(row));
            input.domain.separation(x, y)
        };
        let both = |i: usize, j: usize| (i.min(j), i.max(j));
        let table = |i, j| &input.xi[pairs_of(n).iter().position(|p| *p == both(i, j)).unwrap()];
        let of_pairs = || (0..n * n).map(|k| (k / n, k % n));
        let xi = of_pairs().map(|(i, j)| {
            let row = |a| number(j).map(move |b| xi_of(input, table(i, j), &pair(i, j, a, b)));
            number(i).flat_map(row).collect::<Vec<_>>()
        });
        let bins = of_pairs().map(|(i, j)| {
            let row = |a| number(j).map(move |b| input.bins.bin(&pair(i, j, a, b)));
            number(i).flat_map(row).collect::<Vec<_>>()
        });
        Self {
            weights: (0..n)
                .map(|t| {
                    number(t)
                        .map(|row| weight(&input.randoms[t], row))
                        .collect()
                })
                .collect(),
            xi: nested(xi, n),
            bins: nested(bins, n),
            n_bins: input.bins.n_bins(),
            regions: input.randoms[0].labels().map_or(vec![], |labels| {
                labels.values().iter().map(|r| *r as usize).collect()
            }),
            shares: input.region_shares.clone().unwrap_or_default(),
        }
    }

    fn number(&self, tracer: usize) -> usize {
        self.weights[tracer].len()
    }

    fn xi(&self, i: (usize, usize), k: (usize, usize)) -> f64 {
        self.xi[i.0][k.0][i.1 * self.number(k.0) + k.1]
    }

    fn bin(&self, i: (usize, usize), j: (usize, usize)) -> Option<usize> {
        self.bins[i.0][j.0][i.1 * self.number(j.0) + j.1]
    }

    fn weight(&self, i: (usize, usize)) -> f64 {
        self.weights[i.0][i.1]
    }

    fn points(&self, tracer: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..self.number(tracer)).map(move |row| (tracer, row))
    }

    /// Adds a tuple.
    fn add(
        &self,
        sums: &mut Sums,
        [i, j, k, l]: [(usize, usize); 4],
        (a, b): (usize, usize),
        value: f64,
    ) {
        let at = a * self.n_bins + b;
        sums[0][at] += value;
        if !self.shares.is_empty() {
            let region = |x: (usize, usize)| self.regions[x.1];
            let pairs = [(i, k), (i, l), (j, k), (j, l)];
            let equal = pairs
                .iter()
                .filter(|(x, y)| region(*x) == region(*y))
                .count();
            sums[1][at] += value * equal as f64;
            sums[2][at] += value * (self.shares[region(i)][b] + self.shares[region(j)][b]);
        }
    }

    fn none(&self) -> Sums {
        [(); 3].map(|()| vec![0.0; self.n_bins * self.n_bins])
    }

    /// `2 sum w w w w xi xi` over ordered quads of different points.
    fn c4(&self, term: C4Term) -> Sums {
        let mut sums = self.none();
        for i in self.points(term.pair.0) {
            for j in self.points(term.pair.1).filter(|j| *j != i) {
                let Some(a) = self.bin(i, j) else { continue };
                for k in self.points(term.members.0).filter(|k| *k != i && *k != j) {
                    let of_three =
                        2.0 * self.weight(i) * self.weight(j) * self.weight(k) * self.xi(i, k);
                    for l in self
                        .points(term.members.1)
                        .filter(|l| ![i, j, k].contains(l))
                    {
                        if let Some(b) = self.bin(k, l) {
                            let value = of_three * self.weight(l) * self.xi(j, l);
                            self.add(&mut sums, [i, j, k, l], (a, b), value);
                        }
                    }
                }
            }
        }
        sums
    }

    /// `4 sum w w^2 w xi` over ordered triples of different points.
    fn c3(&self, term: C3Term) -> Sums {
        let mut sums = self.none();
        for v in self.points(term.vertex) {
            let square = self.weight(v) * self.weight(v);
            for u in self.points(term.arms.0).filter(|u| *u != v) {
                let Some(a) = self.bin(u, v) else { continue };
                for w in self.points(term.arms.1).filter(|w| *w != u && *w != v) {
                    if let Some(b) = self.bin(v, w) {
                        let value = 4.0 * self.weight(u) * square * self.weight(w) * self.xi(u, w);
                        self.add(&mut sums, [u, v, w, v], (a, b), value);
                    }
                }
            }
        }
        sums
    }
}

/// What is compared.
const KINDS: [&str; 6] = ["C4", "C3", "C4 equal", "C4 shares", "C3 equal", "C3 shares"];

/// Sums over quads, over triples, and with regions their parts.
fn sampled(sums: &RoundSums) -> Vec<Vec<f64>> {
    let terms = sums.constants.c4_terms();
    let quads = averaged(&terms, |term| sums.c4_over_all(term));
    let triples = (0..sums.c3.len()).flat_map(|term| sums.c3_over_all(term));
    let of_regions = (0..2).filter_map(|kind| sums.regions_over_all(kind));
    [quads, triples.collect()]
        .into_iter()
        .chain(of_regions.flatten())
        .collect()
}

/// The same over all tuples.
fn expected(exact: &Exact, job: &SampleJob) -> Vec<Vec<f64>> {
    let (c4, c3) = (job.constants().c4_terms(), job.constants().c3_terms());
    let c4_sums: Vec<Sums> = c4.iter().map(|term| exact.c4(*term)).collect();
    let c3_sums: Vec<Sums> = c3.iter().map(|term| exact.c3(*term)).collect();
    let quads = averaged(&c4, |term| c4_sums[term][0].clone());
    let triples = c3_sums.iter().flat_map(|sums| sums[0].clone()).collect();
    let mut all = vec![quads, triples];
    if !exact.shares.is_empty() {
        all.extend(
            [&c4_sums[0], &c3_sums[0]]
                .into_iter()
                .flat_map(|sums| sums[1..].to_vec()),
        );
    }
    all
}

/// Terms of a pair of one tracer with exchanged members stand for the mean of both.
fn averaged(terms: &[C4Term], of_term: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
    let exchanged = |term: &C4Term| C4Term {
        members: (term.members.1, term.members.0),
        ..*term
    };
    let of = |term: &C4Term| of_term(terms.iter().position(|other| other == term).unwrap());
    let mean = |term: &C4Term| {
        if term.pair.0 != term.pair.1 {
            return of(term);
        }
        let both = of(term).into_iter().zip(of(&exchanged(term)));
        both.map(|(x, y)| 0.5 * (x + y)).collect()
    };
    terms.iter().flat_map(mean).collect()
}

/// z of each element from the scatter of groups of rounds; none where an element is 0 in all.
fn deviations(groups: &[Vec<f64>], exact: &[f64]) -> Vec<f64> {
    let n = groups.len() as f64;
    let z = exact.iter().enumerate().filter_map(|(at, exact)| {
        let values = groups.iter().map(|group| group[at]);
        let mean = values.clone().sum::<f64>() / n;
        let variance = values.clone().map(|x| (x - mean).powi(2)).sum::<f64>() / (n * (n - 1.0));
        // Where hardly any group has a count the scatter is not known.
        let filled = values.filter(|x| *x != 0.0).count();
        (filled > groups.len() / 2).then(|| (mean - exact) / variance.sqrt())
    });
    z.collect()
}

fn asked_for(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn the_mean_of_rounds_is_the_sum_over_all_tuples() {
    let cases = asked_for("ALBIREO_COVARIANCE_CASES", 12);
    let rounds = asked_for("ALBIREO_COVARIANCE_ROUNDS", 2000);
    let first = asked_for("ALBIREO_COVARIANCE_FIRST", 0);
    let size = Size {
        points: 28,
        bins: 3,
    };
    let groups = 100.min(rounds / 20);
    // Squares of z, how many, the largest.
    let mut pooled = [(0.0, 0.0, 0.0f64); 6];
    for seed in first..first + cases {
        let input = drawn::input(1000 + seed, &size);
        let exact = Exact::new(&input);
        let job = SampleJob::new(input).unwrap();
        let part = |group: u64| rounds * group / groups;
        let sums: Vec<_> = (0..groups)
            .map(|g| Naive.rounds(&job, part(g)..part(g + 1), &Silent).unwrap())
            .collect();
        let of_groups: Vec<_> = sums.iter().map(sampled).collect();
        for (kind, expected) in expected(&exact, &job).iter().enumerate() {
            let groups: Vec<_> = of_groups.iter().map(|all| all[kind].clone()).collect();
            let z = deviations(&groups, expected);
            let (chi2, n) = (z.iter().map(|z| z * z).sum::<f64>(), z.len() as f64);
            let largest = z.iter().fold(0.0, |a: f64, z| a.max(z.abs()));
            let name = KINDS[kind];
            eprintln!(
                "case {seed} {name}: chi2/n {:.2} of {n}, largest {largest:.1}",
                chi2 / n
            );
            assert!(largest < 5.0, "case {seed}, {name}: {largest}");
            let pooled = &mut pooled[kind];
            *pooled = (pooled.0 + chi2, pooled.1 + n, pooled.2.max(largest));
        }
    }
    for (name, (chi2, n, largest)) in KINDS.into_iter().zip(pooled) {
        eprintln!(
            "{name}: chi2/n {:.3} of {n}, largest {largest:.2}",
            chi2 / n
        );
        assert!(n > 3.0 * cases as f64);
        // Elements of one case hang together: few of them scatter more.
        let range = if n < 1000.0 { 0.4..2.2 } else { 0.6..1.6 };
        assert!(range.contains(&(chi2 / n)), "{name}: {}", chi2 / n);
    }
}
