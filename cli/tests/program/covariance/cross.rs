//! Two tracers: all blocks against loops over tuples of random points of both.

use std::fmt::Write as _;

use super::{mean_xi, near, numbers, theory, xi_at};
use crate::folder::{Folder, floats, integers, scattered};

/// xi of each pair of tracers, over that of the theory.
const BIASES: [f64; 3] = [1.0, 0.7, 0.5];

/// Both tracers, in r.
fn measured() -> Folder {
    let mut folder = Folder::new();
    for (k, (data, randoms)) in [(80, 68), (60, 66)].into_iter().enumerate() {
        folder = folder
            .with(&format!("d{k}.csv"), &scattered(data, 10.0, 3 + k as u64))
            .with(
                &format!("r{k}.csv"),
                &scattered(randoms, 10.0, 8 + k as u64),
            );
    }
    for (k, bias) in BIASES.into_iter().enumerate() {
        let text = (1..=60).fold(String::new(), |mut text, k| {
            let s = f64::from(k) * 0.5;
            for mu in ["0", "1"] {
                writeln!(text, "{s} {mu} {}", bias * theory(s)).unwrap();
            }
            text
        });
        folder = folder.with(&format!("xi{k}.txt"), &text);
    }
    let bins = "--bins lin:1:9:2 --weight w";
    folder.good(&format!("xi d0.csv --randoms r0.csv {bins} -o x11.csv"));
    folder.good(&format!("xi d1.csv --randoms r1.csv {bins} -o x22.csv"));
    folder.good(&format!(
        "xi d0.csv --randoms r0.csv --cross d1.csv --cross-randoms r1.csv {bins} -o x12.csv"
    ));
    folder
}

const COVARIANCE: &str = "covariance x11.csv --cross x12.csv x22.csv --randoms r0.csv --cross-randoms r1.csv --xi-theory xi0.txt --xi-theory xi1.txt --xi-theory xi2.txt --cloud 4";

/// Random points, and the sums over all tuples of them.
struct Looped {
    points: [Vec<([f64; 3], f64)>; 2],
    f: [f64; 2],
    /// xi of the points of each tracer with those of each.
    xi: [[Vec<Vec<f64>>; 2]; 2],
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

impl Looped {
    fn new(folder: &Folder) -> Self {
        let points = |k: usize| {
            let text = folder.text(&format!("r{k}.csv"));
            let row = |line: &str| {
                let x: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
                ([x[0], x[1], x[2]], x[3])
            };
            text.lines().skip(1).map(row).collect()
        };
        let points: [Vec<([f64; 3], f64)>; 2] = [points(0), points(1)];
        let of = |x: usize, y: usize| {
            let row = |a: &([f64; 3], f64)| {
                let others = points[y].iter();
                others
                    .map(|b| BIASES[x + y] * xi_at(distance(a.0, b.0)))
                    .collect()
            };
            points[x].iter().map(row).collect()
        };
        Self {
            xi: [[of(0, 0), of(0, 1)], [of(1, 0), of(1, 1)]],
            points,
            f: [80.0 / 68.0, 60.0 / 66.0],
        }
    }

    fn xi(&self, (x, i): (usize, usize), (y, j): (usize, usize)) -> f64 {
        self.xi[x][y][i][j]
    }

    /// Pairs of points of two tracers with their bins: all orders of those of one.
    fn pairs(&self, x: usize, y: usize) -> Vec<(usize, usize, usize)> {
        let all =
            (0..self.points[x].len()).flat_map(|i| (0..self.points[y].len()).map(move |j| (i, j)));
        let others = all.filter(|(i, j)| x != y || i != j);
        let binned = others.filter_map(|(i, j)| {
            let bin = (distance(self.points[x][i].0, self.points[y][j].0) - 1.0) / 4.0;
            (0.0..2.0).contains(&bin).then_some((i, j, bin as usize))
        });
        binned.collect()
    }

    /// `sum w w w w term/(RR RR)` over pairs of XY and pairs of ZW.
    fn sums(
        &self,
        [x, y, z, w]: [usize; 4],
        term: impl Fn([usize; 4]) -> [f64; 3],
    ) -> [[f64; 4]; 3] {
        let weight = |tracer: usize, i: usize| self.points[tracer][i].1;
        let [rows, columns] = [self.pairs(x, y), self.pairs(z, w)];
        let rr = |pairs: &[(usize, usize, usize)], x, y| {
            let mut rr = [0.0; 2];
            for &(i, j, bin) in pairs {
                rr[bin] += weight(x, i) * weight(y, j);
            }
            rr
        };
        let [of_row, of_column] = [rr(&rows, x, y), rr(&columns, z, w)];
        let mut sums = [[0.0; 4]; 3];
        for &(i, j, a) in &rows {
            for &(k, l, b) in &columns {
                let all = weight(x, i) * weight(y, j) * weight(z, k) * weight(w, l);
                for (sum, term) in sums.iter_mut().zip(term([i, j, k, l])) {
                    sum[2 * a + b] += all * term / (of_row[a] * of_column[b]);
                }
            }
        }
        sums
    }

    /// The covariance of XY and ZW without shot noise, and what alpha + beta of each tracer stands at.
    fn block(&self, of @ [x, y, z, w]: [usize; 4]) -> [[f64; 4]; 3] {
        self.sums(of, |[i, j, k, l]| {
            let (points, others) = ([(x, i), (y, j)], [(z, k), (w, l)]);
            if points.iter().all(|point| !others.contains(point)) {
                // Both orders of Wick.
                let xi = |a: usize, b: usize| self.xi(points[a], others[b]);
                return [xi(0, 0) * xi(1, 1) + xi(0, 1) * xi(1, 0), 0.0, 0.0];
            }
            // A point that both pairs share, and one arm of each.
            let mut sums = [0.0; 3];
            for (own, arm) in [(0, 1), (1, 0)] {
                for (other, far) in [(0, 1), (1, 0)] {
                    if points[own] == others[other] && points[arm] != others[far] {
                        let vertex = points[own].0;
                        sums[1 + vertex] += self.xi(points[arm], others[far]) / self.f[vertex];
                    }
                }
            }
            sums
        })
    }
}

#[test]
fn all_blocks_are_those_of_all_tuples() {
    let folder = measured();
    folder.good(&format!(
        "{COVARIANCE} --rounds 200 --alpha 1.1,0.9 -o cov.json"
    ));
    let (table, looped) = (folder.table("cov.json"), Looped::new(&folder));
    let (tracers, c4, c3, c2) = (
        integers(&table, "row_tracers"),
        floats(&table, "c4"),
        floats(&table, "c3"),
        floats(&table, "c2"),
    );
    assert_eq!([tracers[0], tracers[12], tracers[35]], [11, 12, 22]);
    let noise = [1.1 + 80.0 / 68.0, 0.9 + 60.0 / 66.0];
    let pairs = [[0, 0], [0, 1], [1, 1]];
    for (r, [x, y]) in pairs.into_iter().enumerate() {
        for (c, [z, w]) in pairs.into_iter().enumerate().skip(r) {
            let of = |values: &[f64]| -> Vec<f64> {
                let place = |k: usize| 6 * (2 * r + k / 2) + 2 * c + k % 2;
                (0..4).map(|k| values[place(k)]).collect()
            };
            let [four, three @ ..] = looped.block([x, y, z, w]);
            let three: Vec<f64> = (0..4)
                .map(|k| noise[0] * three[0][k] + noise[1] * three[1][k])
                .collect();
            near(&of(&c4), &four, 0.05, &format!("C4 of {r} {c}"));
            if [r, c] == [0, 2] {
                // They share no point.
                assert_eq!([&of(&c3), &three], [&[0.0; 4], &[0.0; 4]]);
                continue;
            }
            near(&of(&c3), &three, 0.05, &format!("C3 of {r} {c}"));
            let two = of(&c2);
            assert!(r == c || two.iter().all(|value| *value == 0.0));
        }
    }
    // Of one pair of tracers 12 each pair stands once, (a a' + a b' + b a' + b b') of noise without xi.
    let xi = [mean_xi(1.0, 5.0), mean_xi(5.0, 9.0)].map(|mean| BIASES[1] * mean);
    let squares = looped.pairs(0, 1).into_iter().fold(
        ([0.0; 2], [0.0; 2]),
        |(mut rr, mut squares), (i, j, bin)| {
            let weight = looped.points[0][i].1 * looped.points[1][j].1;
            rr[bin] += weight;
            squares[bin] += weight * weight;
            (rr, squares)
        },
    );
    let [alpha, beta] = [[1.1, 0.9], [80.0 / 68.0, 60.0 / 66.0]];
    for bin in 0..2 {
        let q = squares.1[bin] / (looped.f[0] * looped.f[1] * squares.0[bin].powi(2));
        let expected = q
            * (alpha[0] * alpha[1] * (1.0 + xi[bin])
                + alpha[0] * beta[1]
                + alpha[1] * beta[0]
                + beta[0] * beta[1]);
        let found = c2[6 * (2 + bin) + 2 + bin];
        assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
    }
    let whole = floats(&table, "covariance");
    assert!((0..36).all(|k| whole[k] == whole[6 * (k % 6) + k / 6]));
    assert!((0..36).all(|k| (whole[k] - (c4[k] + c3[k] + c2[k])).abs() < 1e-15));
}

#[test]
fn blocks_of_one_tracer_are_its_covariance() {
    let folder = measured();
    folder.good(&format!("{COVARIANCE} --rounds 40 --threads 1 -o cov.json"));
    folder.good(&format!("{COVARIANCE} --rounds 24 --sums kept -o few.json"));
    folder.good(&format!(
        "{COVARIANCE} --rounds 40 --continue kept -o more.json"
    ));
    let (both, more) = (folder.table("cov.json"), folder.table("more.json"));
    assert_eq!(numbers(&both), numbers(&more));
    folder.good(
        "covariance x11.csv --randoms r0.csv --xi-theory xi0.txt --cloud 4 --rounds 40 -o one.json",
    );
    // The first tracer has the draws that it has alone.
    let (one, both) = (
        floats(&folder.table("one.json"), "covariance"),
        floats(&both, "covariance"),
    );
    near(&[both[0], both[1], both[6], both[7]], &one, 1e-12, "11");
}

#[test]
fn tracers_that_do_not_fit_are_refused() {
    let folder = measured();
    let refused = |command: &str, expected: &str| {
        let run = folder.run(command);
        assert!(
            run.code != 0 && run.stderr.contains(expected),
            "{}",
            run.stderr
        );
    };
    refused(
        &COVARIANCE.replace(" x22.csv", ""),
        "--cross: expected two results, of both tracers and of the second, found 1",
    );
    refused(
        &COVARIANCE.replace("x12.csv x22.csv", "x22.csv x12.csv"),
        "x22.csv: it is of DD: the model takes two samples with randoms of both, without reconstruction",
    );
    refused(
        &format!("{COVARIANCE} --alpha 1.1"),
        "--alpha: expected 2 of them, for as many as --cross makes, found 1",
    );
    folder.good("xi d1.csv --randoms r1.csv --bins lin:1:9:4 -o wide.csv");
    refused(
        &COVARIANCE.replace("x22.csv", "wide.csv"),
        "--cross wide.csv: it has other edges than x11.csv",
    );
    refused(
        &format!("{COVARIANCE} --tune x11.csv"),
        "--cross and --tune cannot be combined",
    );
    refused(
        &COVARIANCE.replace("r1.csv", "r0.csv"),
        "--cross-randoms: the point in row 0 (counting from 0 those that are kept) is one of --randoms too",
    );
    refused(
        &COVARIANCE.replace(" --cross-randoms r1.csv", ""),
        "--cross-randoms",
    );
}
