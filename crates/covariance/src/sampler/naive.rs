//! The contract: clouds, pairs, quads and triples of a round in double loops.

use super::points::RoundPoints;
use super::{RoundSums, SampleJob};

/// Members of a cloud and how many times they are in it.
type Cloud = Vec<(usize, i64)>;

/// Adds the sums of one round.
pub(super) fn add_round(job: &SampleJob, points: &[RoundPoints], sums: &mut RoundSums) {
    let n = points.len();
    let cloud = |owner: usize, i: usize, member: usize| -> Cloud {
        let others = (0..points[member].len()).filter(|&k| owner != member || i != k);
        let times = others.map(|k| (k, job.member(points, (owner, i), (member, k))));
        times.filter(|(_, times)| *times != 0).collect()
    };
    let clouds_of = |owner: usize, i: usize| -> Vec<Cloud> {
        (0..n).map(|member| cloud(owner, i, member)).collect()
    };
    let clouds: Vec<Vec<Vec<Cloud>>> = (0..n)
        .map(|owner| {
            (0..points[owner].len())
                .map(|i| clouds_of(owner, i))
                .collect()
        })
        .collect();
    let round = Round {
        job,
        points,
        clouds: &clouds,
    };
    for first in 0..n {
        for second in first..n {
            for i in 0..points[first].len() {
                for j in 0..points[second].len() {
                    let pair = [(first, i), (second, j)];
                    if let Some((a, times)) = job.kept(points, pair[0], pair[1]) {
                        sums.pairs[first + second] += times as u64;
                        (0..times).for_each(|_| round.add_pair(pair, a, sums));
                    }
                }
            }
        }
    }
    sums.rounds += 1;
}

struct Round<'a> {
    job: &'a SampleJob,
    points: &'a [RoundPoints],
    clouds: &'a [Vec<Vec<Cloud>>],
}

/// A point by its tracer and its number.
type Point = (usize, usize);

impl Round<'_> {
    fn end(&self, tracer: usize, k: usize) -> ([f32; 3], u32) {
        self.points[tracer].end(k as u32)
    }

    fn bin(&self, (one, k): Point, (other, l): Point) -> Option<usize> {
        let [(x1, _), (x2, _)] = [(one, k), (other, l)].map(|(tracer, k)| self.end(tracer, k));
        self.job.rule.bin(x1, x2)
    }

    fn add_pair(&self, [i, j]: [Point; 2], a: usize, sums: &mut RoundSums) {
        let (n, bins) = (self.points.len(), self.job.constants().bins.0);
        for k_tracer in 0..n {
            for l_tracer in 0..n {
                let term = ((i.0 + j.0) * n + k_tracer) * n + l_tracer;
                for &(k, k_times) in &self.clouds[i.0][i.1][k_tracer] {
                    for &(l, l_times) in &self.clouds[j.0][j.1][l_tracer] {
                        let (k, l) = ((k_tracer, k), (l_tracer, l));
                        if k == j || l == i {
                            continue;
                        }
                        sums.quads += (k_times * l_times).unsigned_abs();
                        if let Some(b) = self.bin(k, l).filter(|_| k != l) {
                            let times = k_times * l_times;
                            sums.c4[term][a * bins + b] += times;
                            self.add_regions([i, j, k, l], (a, b), times, sums);
                        }
                    }
                }
            }
        }
        self.add_triples(i, j, a, sums);
        self.add_triples(j, i, a, sums);
    }

    /// Triples of an arm, the vertex and a member of the arm's clouds. Of pairs 12 both ends are arms.
    fn add_triples(&self, arm: Point, vertex: Point, a: usize, sums: &mut RoundSums) {
        let (n, bins) = (self.points.len(), self.job.constants().bins.0);
        for tracer in 0..n {
            let term = (arm.0 * n + vertex.0) * n + tracer;
            for &(y, times) in &self.clouds[arm.0][arm.1][tracer] {
                let y = (tracer, y);
                if y == vertex {
                    continue;
                }
                if let Some(b) = self.bin(vertex, y) {
                    let step = i64::from(self.end(vertex.0, vertex.1).1);
                    sums.c3[term][a * bins + b] += times * step;
                    self.add_regions([arm, vertex, y, vertex], (a, b), times * step, sums);
                }
            }
        }
    }

    /// Adds a tuple by the regions of its points; l is j in triples.
    fn add_regions(
        &self,
        [i, j, k, l]: [Point; 4],
        (a, b): (usize, usize),
        times: i64,
        sums: &mut RoundSums,
    ) {
        let (of_triples, Some(sums)) = (usize::from(j == l), &mut sums.regions) else {
            return;
        };
        let constants = self.job.constants();
        let region = |(tracer, number): Point| self.points[tracer].regions[number];
        let pairs = [(i, k), (i, l), (j, k), (j, l)];
        let equal = pairs
            .into_iter()
            .filter(|&(x, y)| region(x) == region(y))
            .count();
        let share = |x: Point| i64::from(constants.shares[region(x) as usize][b]);
        let at = a * constants.bins.0 + b;
        sums[of_triples].equal[at] += times * equal as i64;
        sums[of_triples].shares[at] += times * (share(i) + share(j));
    }
}
