//! Sums over pairs, triples and quadruples of random points, and the covariance of them.
//!
//! Entry: [`two_point`] and [`Terms`].

use super::error::needs;
use super::{LinearMap, Matrix, ModelError};

/// How much shot noise there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShotNoise {
    /// That of the data, in units of Poisson noise.
    pub alpha: f64,
    /// Data over randoms of the estimate: 0 for randoms without end.
    pub beta: f64,
    /// The subsets that these randoms were split into; 1 of randoms that were not.
    pub subsets: f64,
}

impl ShotNoise {
    /// Of data alone.
    pub fn poisson() -> Self {
        Self {
            alpha: 1.0,
            beta: 0.0,
            subsets: 1.0,
        }
    }
}

/// The terms of a covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// Over four points.
    pub c4: Matrix,
    /// Over three points, at Poisson noise.
    pub c3: Matrix,
    /// Over two points, at Poisson noise.
    pub c2: Matrix,
    /// The same without correlation.
    pub s: Matrix,
}

impl Terms {
    /// The covariance at this noise.
    pub fn at(&self, noise: ShotNoise) -> Matrix {
        let ShotNoise {
            alpha,
            beta,
            subsets,
        } = noise;
        let of_s = 2.0 * alpha * beta + subsets * beta * beta;
        &self.c4 + &self.c3 * (alpha + beta) + &self.c2 * (alpha * alpha) + &self.s * of_s
    }
}

/// The diagonals of C2 and of S: `2 Q_a (1 + xi_a)/(f^2 RR_a^2)`, with and without xi. Q is the sum over ordered pairs of `w_i^2 w_j^2`, RR that of `w_i w_j`;
/// f are data over randoms of both samples.
///
/// ```
/// use albireo_covariance::model::two_point;
/// let [c2, s] = two_point([&[6.0], &[6.0]], &[0.5], [1.0, 1.0])?;
/// assert_eq!((c2[0], s[0]), (0.5, 2.0 / 6.0));
/// # Ok::<(), albireo_covariance::model::ModelError>(())
/// ```
///
/// # Errors
/// [`ModelError::Needs`]: bins without RR, or a number that is not finite.
pub fn two_point(
    [squares, rr]: [&[f64]; 2],
    xi: &[f64],
    [f, other]: [f64; 2],
) -> Result<[Vec<f64>; 2], ModelError> {
    let of = |(bin, ((q, rr), xi)): (usize, ((&f64, &f64), &f64))| {
        let s = 2.0 * q / (f * other * rr * rr);
        if *rr > 0.0 && s.is_finite() && xi.is_finite() {
            return Ok((s * (1.0 + xi), s));
        }
        needs(format!(
            "a covariance needs random pairs and a finite xi in every bin, found RR {rr} and xi {xi} in bin {bin}"
        ))
    };
    let bins = squares.iter().zip(rr).zip(xi).enumerate();
    let both = bins.map(of).collect::<Result<Vec<_>, _>>()?;
    let (c2, s) = both.into_iter().unzip();
    Ok([c2, s])
}

impl LinearMap {
    /// A sampled sum over tuples of points, mapped: `factor_a n_ab/(RR_a RR_b)` of the integers n, rows of a, made symmetric.
    pub fn of_sampled(&self, integers: &[i64], factors: &[f64], rr: &[f64]) -> Matrix {
        let bins = rr.len();
        let rows: Vec<f64> = factors.iter().zip(rr).map(|(f, rr)| f / rr).collect();
        self.of(|a, b| rows[a] * integers[a * bins + b] as f64 / rr[b])
    }
}

#[cfg(test)]
mod tests {
    use albireo::random::Stream;

    use super::super::trials::{Scatter, Sites, poisson};
    use super::*;

    /// In a box of known density the variance of Landy-Szalay is C2.
    #[test]
    fn a_poisson_box_scatters_by_c2() {
        let (number, mocks) = (40.0, 4000);
        let edges = [0.1_f64, 0.2, 0.3, 0.45];
        let share = |k: usize| {
            let cubes = edges[k + 1].powi(3) - edges[k].powi(3);
            cubes * 4.0 / 3.0 * std::f64::consts::PI
        };
        let mut scatter = Scatter::default();
        for mock in 0..mocks {
            let stream = Stream::new(mock);
            let places = stream.child(1);
            let n = poisson(number, stream.child(2));
            let point = |p: u64| [0, 1, 2].map(|k| places.uniform(3 * p + k));
            let points: Vec<[f64; 3]> = (0..n).map(point).collect();
            let mut pairs = [0.0; 3];
            for (i, a) in points.iter().enumerate() {
                for b in &points[..i] {
                    let d2 = (0..3).map(|k| ((a[k] - b[k] + 1.5).rem_euclid(1.0) - 0.5).powi(2));
                    let d = d2.sum::<f64>().sqrt();
                    if let Some(bin) = (0..3).find(|&k| edges[k] <= d && d < edges[k + 1]) {
                        pairs[bin] += 2.0;
                    }
                }
            }
            // DD - 2 DR + RR over RR, of randoms without end.
            let xi = (0..3).map(|bin| {
                let rr = number * number * share(bin);
                (pairs[bin] - 2.0 * n as f64 * number * share(bin) + rr) / rr
            });
            scatter.add(&xi.collect::<Vec<_>>());
        }
        let rr: Vec<f64> = (0..3).map(|k| number * number * share(k)).collect();
        let [c2, _] = two_point([&rr, &rr], &[0.0; 3], [1.0, 1.0]).unwrap();
        scatter.is_of(&Matrix::from_diagonal(&c2.into()));
    }

    /// Counts of a Gaussian field at fixed sites, with randoms without end and with twice as many as data.
    #[test]
    fn counts_of_a_gaussian_field_scatter_by_the_terms() {
        let (sites, f) = (Sites::new(14, 1), 20.0);
        for beta in [0.0, 0.5] {
            let noise = ShotNoise {
                beta,
                ..ShotNoise::poisson()
            };
            let expected = sites.terms(f).at(noise) + sites.coincident(f, beta);
            let mut scatter = Scatter::default();
            for draw in 0..30_000 {
                scatter.add(&sites.drawn(f, beta, Stream::new(7).child(draw)));
            }
            scatter.is_of(&expected);
            // The test would see a term of twice its size.
            let terms = sites.terms(f);
            for (name, term) in [("C4", terms.c4), ("C3", terms.c3), ("C2", terms.c2)] {
                assert!(!scatter.fits(&(&expected + term)), "{name}");
            }
        }
    }

    #[test]
    fn bins_without_random_pairs_are_refused() {
        let refused = two_point([&[1.0, 1.0], &[1.0, 0.0]], &[0.0; 2], [1.0; 2]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a covariance needs random pairs and a finite xi in every bin, found RR 0 and xi 0 in bin 1"
        );
    }
}
