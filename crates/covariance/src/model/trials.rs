//! Small models that are known exactly: counts of a Gaussian field at sites, and the sums over them in plain loops.

use albireo::random::Stream;

use super::{Matrix, Terms, TracerSums, two_point};

/// A Poisson number.
pub(super) fn poisson(mean: f64, stream: Stream) -> u64 {
    let (mut k, mut left) = (0, mean);
    loop {
        left += stream.uniform(k).ln();
        if left < 0.0 {
            return k;
        }
        k += 1;
    }
}

/// A normal number.
fn normal(stream: Stream) -> f64 {
    let angle = std::f64::consts::TAU * stream.uniform(1);
    (-2.0 * (1.0 - stream.uniform(0)).ln()).sqrt() * angle.cos()
}

/// Sites that hold counts of a Gaussian field; a random point with a weight at each.
pub(super) struct Sites {
    pub(super) weight: Vec<f64>,
    pub(super) region: Vec<usize>,
    pub(super) xi: Matrix,
    root: Matrix,
    /// Ordered pairs with their bins.
    pub(super) pairs: Vec<(usize, usize, usize)>,
}

/// Bins of the pairs of sites.
pub(super) const BINS: usize = 3;

impl Sites {
    pub(super) fn new(number: usize, seed: u64) -> Self {
        let stream = Stream::new(seed);
        let place = |i: usize| [0, 1, 2].map(|k| stream.uniform(3 * i as u64 + k));
        let distance = |i: usize, j: usize| {
            let (a, b) = (place(i), place(j));
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let field = |i, j| 0.04 * (-distance(i, j).powi(2) / 0.3).exp();
        let xi = Matrix::from_fn(number, number, field);
        let mut pairs = Vec::new();
        for i in 0..number {
            for j in (0..number).filter(|&j| j != i) {
                let bin = (distance(i, j) / 0.35) as usize;
                if bin < BINS {
                    pairs.push((i, j, bin));
                }
            }
        }
        Self {
            weight: (0..number).map(|i| 0.6 + 0.1 * (i % 5) as f64).collect(),
            region: (0..number).map(|i| i % 4).collect(),
            root: xi.clone().cholesky().unwrap().l(),
            xi,
            pairs,
        }
    }

    /// `sum factor` over ordered pairs, bin by bin.
    pub(super) fn over_pairs(&self, factor: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; BINS];
        for &(i, j, bin) in &self.pairs {
            sums[bin] += factor(i, j);
        }
        sums
    }

    /// `sum factor(i, j, k, l)/(RR_a RR_b)` over ordered pairs (i, j) in a and (k, l) in b.
    pub(super) fn over_quads(&self, factor: impl Fn([usize; 4]) -> f64) -> Matrix {
        let (rr, mut sums) = (self.rr(), Matrix::zeros(BINS, BINS));
        for &(i, j, a) in &self.pairs {
            for &(k, l, b) in &self.pairs {
                sums[(a, b)] += factor([i, j, k, l]) / (rr[a] * rr[b]);
            }
        }
        sums
    }

    pub(super) fn rr(&self) -> Vec<f64> {
        self.over_pairs(|i, j| self.weight[i] * self.weight[j])
    }

    /// The four terms, C3 and C4 in loops over all quadruples.
    pub(super) fn terms(&self, f: f64) -> Terms {
        let (w, xi) = (&self.weight, &self.xi);
        let different = |[i, j, k, l]: [usize; 4]| i != k && i != l && j != k && j != l;
        let c4 = self.over_quads(|at| {
            let [i, j, k, l] = at;
            let term = 2.0 * w[i] * w[j] * w[k] * w[l] * xi[(i, k)] * xi[(j, l)];
            if different(at) { term } else { 0.0 }
        });
        // j is the vertex of both pairs.
        let c3 = self.over_quads(|[i, j, v, k]| {
            let term = 4.0 * w[i] * w[j] * w[j] * w[k] * xi[(i, k)] / f;
            if v == j && k != i { term } else { 0.0 }
        });
        let squares = self.over_pairs(|i, j| (w[i] * w[j]).powi(2));
        let with_xi = self.over_pairs(|i, j| (w[i] * w[j]).powi(2) * xi[(i, j)]);
        let mean: Vec<f64> = with_xi.iter().zip(&squares).map(|(x, q)| x / q).collect();
        let [c2, s] = two_point([&squares, &self.rr()], &mean, [f, f]).unwrap();
        let [c2, s] = [c2, s].map(|diagonal| Matrix::from_diagonal(&diagonal.into()));
        Terms { c4, c3, c2, s }
    }

    /// What pairs that share a site have besides, the field at one place being what it is: nothing in a volume.
    pub(super) fn coincident(&self, f: f64, beta: f64) -> Matrix {
        let (w, xi) = (&self.weight, &self.xi);
        let shot = (1.0 + beta) / f;
        self.over_quads(|[i, j, k, l]| {
            let weight = w[i] * w[j] * w[k] * w[l];
            // The shared site first.
            let (a, b, c) = match (i == k, i == l, j == k, j == l) {
                (true, _, _, true) | (_, true, true, _) => {
                    let both = xi[(i, i)] * xi[(j, j)] + xi[(i, j)].powi(2);
                    return weight * (both + (xi[(i, i)] + xi[(j, j)]) * shot);
                }
                (true, ..) => (i, j, l),
                (_, true, ..) => (i, j, k),
                (_, _, true, _) => (j, i, l),
                (_, _, _, true) => (j, i, k),
                _ => return 0.0,
            };
            weight * (xi[(a, a)] * xi[(b, c)] + xi[(a, b)] * xi[(a, c)])
        })
    }

    /// The estimate in each bin of one draw: f points of data at a site on average, and f/beta random ones.
    pub(super) fn drawn(&self, f: f64, beta: f64, stream: Stream) -> Vec<f64> {
        let number = self.weight.len();
        let white = (0..number).map(|i| normal(stream.child(3 * i as u64)));
        let field = &self.root * nalgebra::DVector::from_iterator(number, white);
        let excess: Vec<f64> = (0..number)
            .map(|i| {
                let [data, random] = [1, 2].map(|k| stream.child(3 * i as u64 + k));
                let random = match f / beta {
                    all if all.is_finite() => poisson(all, random) as f64 / all,
                    _ => 1.0,
                };
                poisson(f * (1.0 + field[i]), data) as f64 / f - random
            })
            .collect();
        let w = &self.weight;
        let sums = self.over_pairs(|i, j| w[i] * w[j] * excess[i] * excess[j]);
        sums.iter().zip(self.rr()).map(|(x, rr)| x / rr).collect()
    }
}

/// The scatter of realisations.
#[derive(Default)]
pub(super) struct Scatter {
    rows: Vec<Vec<f64>>,
}

impl Scatter {
    pub(super) fn add(&mut self, row: &[f64]) {
        self.rows.push(row.to_vec());
    }

    /// How far each element of a covariance is from that of the realisations, in its errors as of normal numbers, and the ratios of variances.
    fn off(&self, expected: &Matrix) -> (Vec<f64>, Vec<f64>) {
        let (n, bins) = (self.rows.len() as f64, expected.nrows());
        let mean = |a: usize| self.rows.iter().map(|row| row[a]).sum::<f64>() / n;
        let mean: Vec<f64> = (0..bins).map(mean).collect();
        let (mut off, mut ratios) = (Vec::new(), Vec::new());
        for a in 0..bins {
            for b in 0..=a {
                let products = self
                    .rows
                    .iter()
                    .map(|row| (row[a] - mean[a]) * (row[b] - mean[b]));
                let products: Vec<f64> = products.collect();
                let found = products.iter().sum::<f64>() / (n - 1.0);
                let spread = products.iter().map(|p| (p - found).powi(2)).sum::<f64>() / n;
                off.push((found - expected[(a, b)]) / (spread / n).sqrt());
                if a == b {
                    ratios.push(found / expected[(a, b)]);
                }
            }
        }
        (off, ratios)
    }

    pub(super) fn fits(&self, expected: &Matrix) -> bool {
        let (off, _) = self.off(expected);
        let mean = off.iter().map(|z| z * z).sum::<f64>() / off.len() as f64;
        off.iter().all(|z| z.abs() < 4.0) && mean < 3.0
    }

    #[track_caller]
    pub(super) fn is_of(&self, expected: &Matrix) {
        let (off, ratios) = self.off(expected);
        assert!(self.fits(expected), "{off:?}, variances {ratios:?}");
    }
}

/// Two tracers at the same sites, a random point of each at every one; a pair of tracers never pairs a site with itself.
pub(super) struct TwoTracers {
    sites: Sites,
    weights: [Vec<f64>; 2],
    /// The field of each is that of the sites times this.
    bias: [f64; 2],
    pub(super) f: [f64; 2],
}

/// Pairs of tracers in the order of a covariance.
const PAIRS: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];

impl TwoTracers {
    pub(super) fn new(number: usize) -> Self {
        let sites = Sites::new(number, 2);
        let other = (0..number).map(|i| 1.3 - 0.1 * (i % 4) as f64);
        Self {
            weights: [sites.weight.clone(), other.collect()],
            sites,
            bias: [1.0, 0.7],
            f: [20.0, 12.0],
        }
    }

    /// Both as the first one.
    pub(super) fn alike(mut self) -> Self {
        self.weights[1] = self.weights[0].clone();
        self.bias = [1.0; 2];
        self.f[1] = self.f[0];
        self
    }

    pub(super) fn one(&self) -> &Sites {
        &self.sites
    }

    fn xi(&self, [x, y]: [usize; 2], i: usize, j: usize) -> f64 {
        self.bias[x] * self.bias[y] * self.sites.xi[(i, j)]
    }

    fn rr(&self, [x, y]: [usize; 2]) -> Vec<f64> {
        let w = &self.weights;
        self.sites.over_pairs(|i, j| w[x][i] * w[y][j])
    }

    /// `sum w w w w factor/(RR RR)`: pairs ij of XY, kl of ZW.
    fn quads(&self, [xy, zw]: [[usize; 2]; 2], factor: impl Fn([usize; 4]) -> f64) -> Matrix {
        let (w, [of_xy, of_zw]) = (&self.weights, [self.rr(xy), self.rr(zw)]);
        let mut sums = Matrix::zeros(BINS, BINS);
        for &(i, j, a) in &self.sites.pairs {
            for &(k, l, b) in &self.sites.pairs {
                let weight = w[xy[0]][i] * w[xy[1]][j] * w[zw[0]][k] * w[zw[1]][l];
                sums[(a, b)] += weight * factor([i, j, k, l]) / (of_xy[a] * of_zw[b]);
            }
        }
        sums
    }

    /// What quadruples that share a site have besides the three sums.
    pub(super) fn coincident(&self, beta: f64) -> Matrix {
        let mut whole = Matrix::zeros(3 * BINS, 3 * BINS);
        for (r, xy) in PAIRS.into_iter().enumerate() {
            for (c, zw) in PAIRS.into_iter().enumerate() {
                let part = self.quads([xy, zw], |at| self.excess(xy, zw, at, beta));
                whole
                    .view_mut((r * BINS, c * BINS), (BINS, BINS))
                    .copy_from(&part);
            }
        }
        whole
    }

    /// The fourth moment of a quadruple that shares sites, less what the sums have of it.
    fn excess(
        &self,
        [x, y]: [usize; 2],
        [z, w]: [usize; 2],
        [i, j, k, l]: [usize; 4],
        beta: f64,
    ) -> f64 {
        if i != k && i != l && j != k && j != l {
            return 0.0;
        }
        // Both orders of Wick, the field being what it is at one site.
        let field = self.xi([x, z], i, k) * self.xi([y, w], j, l)
            + self.xi([x, w], i, l) * self.xi([y, z], j, k);
        // Shot noise of one shared site beside the field at another that is shared too.
        let shot = |same: bool, tracer: usize| {
            if same {
                (1.0 + beta) / self.f[tracer]
            } else {
                0.0
            }
        };
        match (i == k && j == l, i == l && j == k) {
            (true, _) => {
                field
                    + shot(x == z, x) * self.xi([y, w], j, l)
                    + shot(y == w, y) * self.xi([x, z], i, k)
            }
            (_, true) => {
                field
                    + shot(x == w, x) * self.xi([y, z], j, k)
                    + shot(y == z, y) * self.xi([x, w], i, l)
            }
            _ => field,
        }
    }

    /// The estimates of all pairs of tracers of one draw.
    pub(super) fn drawn(&self, beta: f64, stream: Stream) -> Vec<f64> {
        let number = self.sites.weight.len();
        let white = (0..number).map(|i| normal(stream.child(5 * i as u64)));
        let field = &self.sites.root * nalgebra::DVector::from_iterator(number, white);
        let excess = |tracer: usize, i: usize| {
            let (f, own) = (
                self.f[tracer],
                stream.child((5 * i + 1 + 2 * tracer) as u64),
            );
            let randoms = f / beta;
            let random = if randoms.is_finite() {
                poisson(randoms, own.child(1)) as f64 / randoms
            } else {
                1.0
            };
            poisson(f * (1.0 + self.bias[tracer] * field[i]), own) as f64 / f - random
        };
        let excess =
            [0, 1].map(|tracer| (0..number).map(|i| excess(tracer, i)).collect::<Vec<_>>());
        let w = &self.weights;
        let of = |[x, y]: [usize; 2]| {
            let sums = self
                .sites
                .over_pairs(|i, j| w[x][i] * excess[x][i] * w[y][j] * excess[y][j]);
            let rr = self.rr([x, y]);
            sums.into_iter()
                .zip(rr)
                .map(|(sum, rr)| sum / rr)
                .collect::<Vec<_>>()
        };
        PAIRS.into_iter().flat_map(of).collect()
    }
}

impl TracerSums for TwoTracers {
    fn four(&self, [i_of, j_of]: [usize; 2], [k_of, l_of]: [usize; 2]) -> Matrix {
        let pairs = [[i_of, j_of], [k_of, l_of]];
        self.quads(pairs, |[i, j, k, l]| {
            let different = i != k && i != l && j != k && j != l;
            let xi = 2.0 * self.xi([i_of, k_of], i, k) * self.xi([j_of, l_of], j, l);
            if different { xi } else { 0.0 }
        })
    }

    fn three(&self, v: usize, [u, x]: [usize; 2]) -> Matrix {
        self.quads([[u, v], [v, x]], |[i, j, k, l]| {
            let xi = 4.0 * self.xi([u, x], i, l) / self.f[v];
            if j == k && i != l { xi } else { 0.0 }
        })
    }

    fn two(&self, [x, y]: [usize; 2]) -> [Matrix; 2] {
        [1.0, 0.0].map(|share| {
            self.quads([[x, y], [x, y]], |[i, j, k, l]| {
                let with_xi = 1.0 + share * self.xi([x, y], i, j);
                if (i, j) == (k, l) {
                    2.0 * with_xi / (self.f[x] * self.f[y])
                } else {
                    0.0
                }
            })
        })
    }
}
