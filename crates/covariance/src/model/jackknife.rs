//! What a jackknife of regions is expected to find, and what it found.
//!
//! Entry: [`Regions`]. A pair belongs by half to the region of each of its points; the estimate of a region is that of its pairs. Philcox et al. 2020,
//! DOI 10.1093/mnras/stz3218, section 3.

use super::error::needs;
use super::{Matrix, ModelError};

/// The shares of regions in RR, region by region, bins fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions {
    shares: Vec<Vec<f64>>,
    /// `sum_A w_aA w_bA`.
    both: Matrix,
}

impl Regions {
    /// Of RR within each region and across its border, one row a region.
    ///
    /// # Errors
    /// [`ModelError::Needs`]: fewer than two regions, a bin without RR, or one that lies in a single region.
    pub fn new(within: &[Vec<f64>], across: &[Vec<f64>]) -> Result<Self, ModelError> {
        if within.len() < 2 {
            return needs(format!(
                "a jackknife needs two regions or more, found {}",
                within.len()
            ));
        }
        let halves = within.iter().zip(across);
        let halves = halves.map(|(w, a)| w.iter().zip(a).map(|(w, a)| w + a / 2.0).collect());
        let mut shares: Vec<Vec<f64>> = halves.collect();
        let bins = shares[0].len();
        for bin in 0..bins {
            let whole: f64 = shares.iter().map(|shares| shares[bin]).sum();
            for region in &mut shares {
                region[bin] /= whole;
                if region[bin].is_nan() || region[bin] >= 1.0 {
                    return needs(format!(
                        "a jackknife needs RR of two regions or more in every bin, found {} of all in one in bin {bin}",
                        region[bin]
                    ));
                }
            }
        }
        let both = |a: usize, b: usize| shares.iter().map(|w| w[a] * w[b]).sum::<f64>();
        let both = Matrix::from_fn(bins, bins, both);
        Ok(Self { shares, both })
    }

    /// The covariance of estimates by region, one row a region:
    /// `sum_A w_aA w_bA (xi_aA - xi_a)(xi_bA - xi_b)/(1 - sum_A w_aA w_bA)`, xi the mean by the shares.
    pub fn found(&self, estimates: &[Vec<f64>]) -> Matrix {
        let regions = || self.shares.iter().zip(estimates);
        let mean = |bin: usize| regions().map(|(w, xi)| w[bin] * xi[bin]).sum::<f64>();
        let mean: Vec<f64> = (0..self.both.nrows()).map(mean).collect();
        Matrix::from_fn(mean.len(), mean.len(), |a, b| {
            let one = |(w, xi): (&Vec<f64>, &Vec<f64>)| {
                w[a] * w[b] * (xi[a] - mean[a]) * (xi[b] - mean[b])
            };
            regions().map(one).sum::<f64>() / (1.0 - self.both[(a, b)])
        })
    }

    /// The shares, region by region.
    pub fn shares(&self) -> &[Vec<f64>] {
        &self.shares
    }

    /// What it is expected to be in bins a and b of a sum over pairs ij in a and kl in b, of four points or of three with l = j: its terms times
    /// `1/4 (equal regions) - 1/2 (w_b,Ji + w_b,Jj + w_a,Jk + w_a,Jl) + sum_A w_aA w_bA`, over the same `1 - sum_A w_aA w_bA`.
    ///
    /// `all` is the whole sum, `equal` has each term times the number of equal regions among ik, il, jk and jl, `shares` times the shares in the other bin
    /// of the regions of i and of j, for (a, b) and for (b, a).
    pub fn expected(&self, [a, b]: [usize; 2], (all, equal): (f64, f64), shares: [f64; 2]) -> f64 {
        let whole = self.both[(a, b)];
        let tensor = equal / 4.0 - f64::midpoint(shares[0], shares[1]);
        (tensor + whole * all) / (1.0 - whole)
    }

    /// By which factor C2 and S of each bin are those of the jackknife: of the sum over pairs of `w_i^2 w_j^2`, within each region and across its border.
    pub fn of_two_points(&self, within: &[Vec<f64>], across: &[Vec<f64>]) -> Vec<f64> {
        let factor = |bin: usize| {
            let whole = self.both[(bin, bin)];
            let (mut inside, mut halves, mut shared) = (0.0, 0.0, 0.0);
            for ((w, within), across) in self.shares.iter().zip(within).zip(across) {
                inside += within[bin];
                halves += across[bin] / 2.0;
                shared += w[bin] * (2.0 * within[bin] + across[bin]);
            }
            let all = inside + halves;
            let tensor = f64::midpoint(all, inside) - shared;
            (tensor / all + whole) / (1.0 - whole)
        };
        (0..self.both.nrows()).map(factor).collect()
    }
}

#[cfg(test)]
mod tests {
    use albireo::random::Stream;

    use super::super::trials::{BINS, Sites};
    use super::*;

    /// Pair by pair within regions and across their borders.
    fn by_region(sites: &Sites, factor: &dyn Fn(usize, usize) -> f64) -> [Vec<Vec<f64>>; 2] {
        let in_region = |number: usize, wanted: usize| {
            sites.over_pairs(|i, j| {
                let ends = [i, j].into_iter().filter(|&k| sites.region[k] == number);
                if ends.count() == wanted {
                    factor(i, j)
                } else {
                    0.0
                }
            })
        };
        [2, 1].map(|wanted| (0..4).map(|number| in_region(number, wanted)).collect())
    }

    fn regions(sites: &Sites) -> Regions {
        let w = &sites.weight;
        let [within, across] = by_region(sites, &|i, j| w[i] * w[j]);
        Regions::new(&within, &across).unwrap()
    }

    /// `1/4 (equal regions) - 1/2 (shares) + sum of shares` of a term.
    fn tensor(sites: &Sites, regions: &Regions, at: [usize; 4], [a, b]: [usize; 2]) -> f64 {
        let [i, j, k, l] = at.map(|point| sites.region[point]);
        let equal = [i == k, i == l, j == k, j == l];
        let equal = equal.into_iter().filter(|equal| *equal).count() as f64;
        let share = |region: usize, bin: usize| regions.shares[region][bin];
        let shares = share(i, b) + share(j, b) + share(k, a) + share(l, a);
        let whole: f64 = (0..4)
            .map(|region| share(region, a) * share(region, b))
            .sum();
        (equal / 4.0 - shares / 2.0 + whole) / (1.0 - whole)
    }

    /// For any products of pairs, what is found by region is the sum of them by the tensor.
    #[test]
    fn what_regions_find_is_a_sum_over_pairs_of_pairs() {
        let sites = Sites::new(12, 3);
        let (w, regions) = (&sites.weight, regions(&sites));
        let value =
            |i: usize, j: usize| Stream::new(5).uniform((i.min(j) * 20 + i.max(j)) as u64) - 0.4;
        let [within, across] = by_region(&sites, &|i, j| w[i] * w[j] * value(i, j));
        let rr = sites.rr();
        let estimates: Vec<Vec<f64>> = (0..4)
            .map(|region| {
                let of = |bin: usize| {
                    let sum = within[region][bin] + across[region][bin] / 2.0;
                    sum / (regions.shares[region][bin] * rr[bin])
                };
                (0..BINS).map(of).collect()
            })
            .collect();
        let found = regions.found(&estimates);
        let mut expected = Matrix::zeros(BINS, BINS);
        for &(i, j, a) in &sites.pairs {
            for &(k, l, b) in &sites.pairs {
                let product = w[i] * w[j] * value(i, j) * w[k] * w[l] * value(k, l);
                let tensor = tensor(&sites, &regions, [i, j, k, l], [a, b]);
                expected[(a, b)] += tensor * product / (rr[a] * rr[b]);
            }
        }
        assert!((found - &expected).abs().max() < 1e-14 * expected.abs().max().max(1.0));
    }

    #[test]
    fn sums_by_region_are_those_of_the_tensor() {
        let sites = Sites::new(12, 4);
        let (w, xi, regions) = (&sites.weight, &sites.xi, regions(&sites));
        let bin = |i: usize, j: usize| {
            sites
                .pairs
                .iter()
                .find(|p| (p.0, p.1) == (i, j))
                .map(|p| p.2)
        };
        // C4, of different points; C3, which has one point twice, as j and as l; their terms do not have the symmetry of pairs one by one.
        let four = |[i, j, k, l]: [usize; 4]| {
            let different = i != k && i != l && j != k && j != l;
            if different {
                2.0 * w[i] * w[j] * w[k] * w[l] * xi[(i, k)] * xi[(j, l)]
            } else {
                0.0
            }
        };
        let three = |[i, j, k, l]: [usize; 4]| {
            if j == l && i != k {
                4.0 * w[i] * w[j] * w[j] * w[k] * xi[(i, k)]
            } else {
                0.0
            }
        };
        for term in [&four as &dyn Fn([usize; 4]) -> f64, &three] {
            let with =
                |factor: &dyn Fn([usize; 4]) -> f64| sites.over_quads(|at| term(at) * factor(at));
            let region = |k: usize| sites.region[k];
            let equal = |[i, j, k, l]: [usize; 4]| {
                let equal = [(i, k), (i, l), (j, k), (j, l)];
                equal
                    .iter()
                    .filter(|(a, b)| region(*a) == region(*b))
                    .count() as f64
            };
            let shares = |[i, j, k, l]: [usize; 4]| {
                let b = bin(k, l).unwrap();
                regions.shares[region(i)][b] + regions.shares[region(j)][b]
            };
            let (all, equal, shares) = (with(&|_| 1.0), with(&equal), with(&shares));
            let found = Matrix::from_fn(BINS, BINS, |a, b| {
                let at = (a, b);
                regions.expected([a, b], (all[at], equal[at]), [shares[at], shares[(b, a)]])
            });
            let expected = with(&|at @ [i, j, k, l]| {
                tensor(
                    &sites,
                    &regions,
                    at,
                    [bin(i, j).unwrap(), bin(k, l).unwrap()],
                )
            });
            assert!((found - &expected).abs().max() < 1e-13 * expected.abs().max());
        }
        // Two points: each pair with itself, in both orders.
        let square = |i: usize, j: usize| (w[i] * w[j]).powi(2);
        let [within, across] = by_region(&sites, &square);
        let expected = sites.over_quads(|at @ [i, j, k, l]| {
            let same = (i, j) == (k, l);
            let tensor = || tensor(&sites, &regions, at, [bin(i, j).unwrap(); 2]);
            if same { square(i, j) * tensor() } else { 0.0 }
        });
        let (factors, rr) = (regions.of_two_points(&within, &across), sites.rr());
        for (bin, whole) in sites.over_pairs(square).into_iter().enumerate() {
            let found = factors[bin] * whole / rr[bin].powi(2);
            assert!((found / expected[(bin, bin)] - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn regions_that_say_nothing_are_refused() {
        let refused = |within: &[Vec<f64>], across: &[Vec<f64>]| {
            Regions::new(within, across).unwrap_err().to_string()
        };
        assert!(refused(&[vec![1.0]], &[vec![0.0]]).contains("two regions or more, found 1"));
        let one = refused(
            &[vec![1.0, 2.0], vec![1.0, 0.0]],
            &[vec![0.0; 2], vec![0.0; 2]],
        );
        assert!(one.contains("found 1 of all in one in bin 1"), "{one}");
    }
}
