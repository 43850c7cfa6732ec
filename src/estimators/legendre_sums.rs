//! Multipoles of xi from Legendre sums over the pairs, without bins in mu.
//!
//! Entry: [`Estimator::multipoles`]; [`legendre_degrees`] says which sums it takes. With `X_p` the sum of `L_p(mu)` over the pairs of a
//! count X in a shell, over all its pairs, and xi = N/D, N a sum of counts and D one of them, `N(mu) = D(mu) xi(mu)` is in multipoles
//!
//! `N_l = sum_l' M_ll' xi_l'`, `M_ll' = sum_p (2p + 1) (l l' p; 0 0 0)^2 D_p`,
//!
//! as `L_l L_l' = sum_p (2p + 1) (l l' p; 0 0 0)^2 L_p` with Wigner's 3j symbols: Slepian & Eisenstein 2015, DOI
//! 10.1093/mnras/stv2119, for surveys, whose randoms are not isotropic. Where D is, `xi_l = (2l + 1) N_l/D_0`.

#![allow(
    clippy::cast_possible_truncation,
    reason = "orders of polynomials are small"
)]

use super::Result;
use super::estimator::{AnyEstimator, Estimator};
use super::multipoles::{Multipole, Multipoles};
use super::terms::{Term, TermCounts};
use super::{RandomPairs, ratio};
use crate::binning::{BinAxis, Bins};
use crate::counts::PairKind;
use crate::error::EstimatorError;
use crate::legendre::legendre;
use crate::quadrature::GaussLegendre;
use crate::tally::{Legendre, LegendreDegrees};

/// Largest degree of a multipole from Legendre sums: it takes sums of up to twice its degree, of which 8 is the last.
pub const MAX_SUMMED_ELL: u32 = 4;

/// Number of Legendre sums, from degree 0.
const SUMS: usize = Legendre::ALL.len();

/// The degrees l that are solved for, to have those of `ells`: all up to the largest, odd ones where any is odd.
fn solved(ells: &[u32]) -> Result<Vec<u32>> {
    let Some(&largest) = ells.iter().max() else {
        return Err(EstimatorError::Needs("multipoles need a degree".to_owned()));
    };
    if largest > MAX_SUMMED_ELL {
        return Err(EstimatorError::Needs(format!(
            "multipoles from Legendre sums go up to degree {MAX_SUMMED_ELL}, found {largest}: take bins in mu"
        )));
    }
    let odd = ells.iter().any(|ell| ell % 2 == 1);
    Ok((0..=largest).filter(|l| odd || l % 2 == 0).collect())
}

/// The Legendre sums that the multipoles `ells` take of every count: of all degrees up to twice the largest, odd ones where any is odd.
///
/// ```
/// use albireo::estimators::legendre_degrees;
/// let degrees = legendre_degrees(&[0, 2])?;
/// assert_eq!(degrees.iter().map(|l| l.degree()).collect::<Vec<_>>(), [0, 2, 4]);
/// assert!(legendre_degrees(&[6]).is_err());
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// No degree, or one above [`MAX_SUMMED_ELL`].
pub fn legendre_degrees(ells: &[u32]) -> Result<LegendreDegrees> {
    let solved = solved(ells)?;
    let odd = solved.contains(&1);
    let twice = 2 * solved.last().copied().unwrap_or_default();
    let degrees = (0..=twice).filter(|p| odd || p % 2 == 0);
    Ok(degrees.filter_map(Legendre::of_degree).collect())
}

/// `(2p + 1) (a b p; 0 0 0)^2`: what `L_a L_b` has of `L_p`.
pub(super) fn product_share(a: usize, b: usize, p: usize) -> f64 {
    let sum = a + b + p;
    if !sum.is_multiple_of(2) || p > a + b || p < a.abs_diff(b) {
        return 0.0;
    }
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let g = sum / 2;
    let root = factorial(g) / (factorial(g - a) * factorial(g - b) * factorial(g - p));
    let ends = factorial(sum - 2 * a) * factorial(sum - 2 * b) * factorial(sum - 2 * p);
    (2 * p + 1) as f64 * ends / factorial(sum + 1) * (root * root)
}

/// Sums over the pairs of one count, over all of its pairs.
struct Moments {
    /// What the numerator has of it.
    share: f64,
    is_denominator: bool,
    /// By degree, of the s bins; zeros where none are needed.
    sums: [Vec<f64>; SUMS],
    /// The Poisson variance of degree 0 over its square.
    variance: Vec<f64>,
}

impl Moments {
    fn new(
        counts: &dyn RandomPairs,
        name: &'static str,
        degrees: LegendreDegrees,
        n_mu: usize,
    ) -> Result<Self> {
        let over_mu = |values: Vec<f64>| -> Vec<f64> {
            values.chunks(n_mu).map(|row| row.iter().sum()).collect()
        };
        let fractions = counts.fractions(name)?;
        let squares = fractions.iter().zip(counts.relative_variance());
        let variances = over_mu(squares.map(|(x, v)| x * x * v).collect());
        let all = over_mu(fractions);
        let mut sums = std::array::from_fn(|_| vec![0.0; all.len()]);
        for l in degrees.iter() {
            sums[l.degree() as usize] = over_mu(counts.legendre_fractions(l, name)?);
        }
        let relative = variances.iter().zip(&all);
        Ok(Self {
            share: 0.0,
            is_denominator: false,
            variance: relative
                .map(|(v, x)| if *v == 0.0 { 0.0 } else { v / (x * x) })
                .collect(),
            sums,
        })
    }

    /// How the pairs of an s bin spread over mu, as far as their sums tell.
    fn density(&self, bin: usize, polynomials: &[f64; SUMS]) -> f64 {
        let terms = self.sums.iter().zip(polynomials).enumerate();
        terms
            .map(|(p, (sums, l))| (p as f64 + 0.5) * sums[bin] * l)
            .sum()
    }
}

/// The inverse of a small matrix, by Gauss and Jordan with pivots; NaN where there is none. By hand: five rows at most are no
/// reason for all who build this crate to compile one of linear algebra.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    for k in 0..n {
        let size = |row: &usize| matrix[*row][k].abs();
        let pivot = (k..n)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .unwrap_or(k);
        matrix.swap(k, pivot);
        let head = matrix[k][k];
        matrix[k].iter_mut().for_each(|x| *x = ratio(*x, head));
        let pivot_row = matrix[k].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k];
            let both = row.iter_mut().zip(&pivot_row);
            both.for_each(|(x, p)| *x -= factor * p);
        }
    }
    matrix.iter().map(|row| row[n..].to_vec()).collect()
}

/// Solves for the multipoles of one shell.
struct Shell<'a> {
    degrees: &'a [u32],
    moments: &'a [Moments],
    rule: &'a GaussLegendre,
}

impl Shell<'_> {
    /// `xi_l` with their Poisson variances, in the order of the degrees.
    fn solve(&self, bin: usize) -> Vec<[f64; 2]> {
        let degrees: Vec<usize> = self.degrees.iter().map(|&l| l as usize).collect();
        let denominator = self.moments.iter().find(|moments| moments.is_denominator);
        let of = |p: usize| denominator.map_or(0.0, |moments| moments.sums[p][bin]);
        let entry = |a: usize, b: usize| -> f64 {
            (a.abs_diff(b)..=a + b)
                .map(|p| product_share(a, b, p) * of(p))
                .sum()
        };
        let row = |&a: &usize| degrees.iter().map(|&b| entry(a, b)).collect();
        let inverse = inverse(degrees.iter().map(row).collect());
        let numerator: Vec<f64> = (degrees.iter())
            .map(|&l| self.moments.iter().map(|m| m.share * m.sums[l][bin]).sum())
            .collect();
        let product = |row: &Vec<f64>| row.iter().zip(&numerator).map(|(m, n)| m * n).sum();
        let xi: Vec<f64> = inverse.iter().map(product).collect();
        let variances = self.variances(bin, &inverse, &xi);
        xi.into_iter()
            .zip(variances)
            .map(|(xi, v)| [xi, v])
            .collect()
    }

    /// A pair at mu adds `share L_l(mu)` to `N_l`, and if it is one of D `L_l(mu) L_l'(mu)` to `M_ll'`: it moves the multipoles by
    /// `M^-1 L(mu)` times `share` less, for D, xi(mu). Squares add over the pairs, as of independent events.
    fn variances(&self, bin: usize, inverse: &[Vec<f64>], xi: &[f64]) -> Vec<f64> {
        let mut variances = vec![0.0; xi.len()];
        for (mu, weight) in self.rule.points(-1.0, 1.0) {
            let polynomials: [f64; SUMS] = std::array::from_fn(|p| legendre(p as u32, mu));
            let own: Vec<f64> = self
                .degrees
                .iter()
                .map(|&l| polynomials[l as usize])
                .collect();
            let at_mu: f64 = xi.iter().zip(&own).map(|(xi, l)| xi * l).sum();
            for moments in self.moments.iter().filter(|m| m.variance[bin] > 0.0) {
                let share = moments.share - if moments.is_denominator { at_mu } else { 0.0 };
                let pairs = weight * moments.density(bin, &polynomials);
                let noise = moments.variance[bin] * moments.sums[0][bin] * pairs * share * share;
                for (variance, row) in variances.iter_mut().zip(inverse) {
                    let moved: f64 = row.iter().zip(&own).map(|(m, l)| m * l).sum();
                    *variance += noise * moved * moved;
                }
            }
        }
        // Sums that stop at a degree may dip below zero.
        variances.iter().map(|v| v.max(0.0)).collect()
    }
}

/// The axes of counts in bins that span mu, whose Legendre sums are those of all pairs of a shell.
fn spanning(bins: &Bins, ells: &[u32], kind: PairKind) -> Result<BinAxis> {
    let axes = bins.axes();
    let [s, mu] = match &axes[..] {
        [s, mu] if [s.name, mu.name] == ["s", "mu"] => [s, mu],
        _ => {
            let found: Vec<_> = axes.iter().map(|axis| axis.name).collect();
            return Err(EstimatorError::Needs(format!(
                "multipoles from Legendre sums need counts over (s, mu), found ({})",
                found.join(", ")
            )));
        }
    };
    let (first, last) = (mu.edges[0], mu.edges[mu.n_bins()]);
    if last != 1.0 || !(first == 0.0 || first == -1.0) {
        return Err(EstimatorError::Span(format!(
            "multipoles from Legendre sums need mu bins that span [0, 1] or [-1, 1], found [{first}, {last}]"
        )));
    }
    match ells.iter().find(|ell| *ell % 2 == 1) {
        Some(odd) if kind == PairKind::AutoUnordered => Err(EstimatorError::Span(format!(
            "the multipole of odd degree {odd} needs pairs whose points have an order: signed mu bins that span [-1, 1], or two samples"
        ))),
        _ => Ok(s.clone()),
    }
}

impl AnyEstimator {
    /// As [`Estimator::takes_legendre_sums`]; formulas do not.
    pub fn takes_legendre_sums(&self) -> bool {
        match self {
            Self::Named(estimator) => estimator.takes_legendre_sums(),
            Self::Formula(_) => false,
        }
    }

    /// As [`Estimator::multipoles`].
    ///
    /// # Errors
    /// As these, and of every formula.
    pub fn multipoles(&self, counts: &TermCounts, ells: &[u32]) -> Result<Multipoles> {
        match self {
            Self::Named(estimator) => estimator.multipoles(counts, ells),
            Self::Formula(formula) => Err(no_linear_sum(formula.text())),
        }
    }
}

/// What is said of an estimator without multipoles from Legendre sums.
fn no_linear_sum(name: &str) -> EstimatorError {
    EstimatorError::Needs(format!(
        "the estimator {name} is no sum of counts over one of them: take its multipoles from bins in mu"
    ))
}

impl Estimator {
    /// Multipoles of xi from the Legendre sums of [`legendre_degrees`] of all counts, over bins (s, mu) that span mu, one such as
    /// [0, 1] being enough: no bins in mu blur them.
    ///
    /// In a periodic box `xi_l = (2l+1) DD_l/RR_0`, less 1 for l = 0. Of a survey, whose random pairs are not isotropic, they are the
    /// solution of `N_l = sum_l' M_ll' xi_l'`, `M_ll' = sum_p (2p+1) (l l' p; 0 0 0)^2 RR_p`, for all l up to the largest of `ells` (even ones
    /// alone, where all of these are): higher multipoles of xi are taken as 0, so ask for one more than is used where randoms are far from
    /// isotropic. Slepian & Eisenstein 2015, DOI 10.1093/mnras/stv2119.
    ///
    /// Poisson errors take every pair as an independent event with its own mu; that of the count divided by is known from its sums up to the
    /// largest degree there is.
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo::engine::Cpu;
    /// use albireo::estimators::{Estimation, Estimator, Role, legendre_degrees};
    /// use albireo::engine::Silent;
    /// use albireo::{Axis, CountSpec, Domain, Edges, LineOfSight, PairJob, Particles, PeriodicBox, SMuBins, SignedEdges, random};
    /// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    /// let data = Particles::new(random::in_box(200, 1, [1.0; 3])?);
    /// let (s, mu) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 1.0, 1)?);
    /// let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z))?;
    /// let degrees = legendre_degrees(&[0, 2])?;
    /// let sample = |role| (role == Role::Data).then_some(&data);
    /// let estimation = Estimation::new(Estimator::Natural, &bins, &domain, sample)?.with_legendre(degrees)?;
    /// let counts = estimation.counts(|_, pairs| {
    ///     let what = CountSpec::for_pairs(&bins, pairs).with_legendre(degrees);
    ///     Ok::<_, albireo::Error>(count_pairs(&Cpu::new(), &PairJob::new(pairs, &domain)?, what, &Silent)?)
    /// })?;
    /// let poles = Estimator::Natural.multipoles(&counts, &[0, 2])?;
    /// assert!(poles.poles[1].xi[1].abs() < 5.0 * poles.poles[1].error[1]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// An estimator that is no sum of counts over one of them (Hamilton's), a degree above [`MAX_SUMMED_ELL`], odd degrees of pairs without an
    /// order, bins that do not span mu, sums that were not made; otherwise as [`Estimator::estimate`].
    pub fn multipoles(self, counts: &TermCounts, ells: &[u32]) -> Result<Multipoles> {
        let Some(terms) = self.numerator(counts) else {
            return Err(no_linear_sum(self.name()));
        };
        let (degrees, wanted) = (solved(ells)?, legendre_degrees(ells)?);
        let data = counts.get(terms[0].0)?;
        let axis = spanning(data.binning(), ells, data.kind())?;
        let n_mu = data.npairs().len() / axis.n_bins();
        let moments = moments_of(counts, &terms, wanted)?;
        let shell = Shell {
            degrees: &degrees,
            moments: &moments,
            rule: &GaussLegendre::default(),
        };
        let shells: Vec<_> = (0..axis.n_bins()).map(|bin| shell.solve(bin)).collect();
        let counted = data.npairs().chunks(n_mu);
        let counted: Vec<bool> = counted.map(|row| row.iter().any(|&n| n > 0)).collect();
        let pole = |&ell: &u32| {
            let at = degrees.iter().position(|&l| l == ell).unwrap_or_default();
            let error = |(shell, counted): (&Vec<[f64; 2]>, &bool)| match counted {
                true if !shell[at][0].is_nan() => shell[at][1].sqrt(),
                _ => f64::NAN,
            };
            Multipole {
                ell,
                xi: shells.iter().map(|shell| shell[at][0]).collect(),
                error: shells.iter().zip(&counted).map(error).collect(),
            }
        };
        let poles = ells.iter().map(pole).collect();
        Ok(Multipoles { axis, poles })
    }
}

/// The sums of all terms, in the same bins.
fn moments_of(
    counts: &TermCounts,
    terms: &[(Term, f64)],
    degrees: LegendreDegrees,
) -> Result<Vec<Moments>> {
    let first = counts.get(terms[0].0)?.binning();
    let n_mu = first.axes().last().map_or(1, BinAxis::n_bins);
    let moments = |&(term, share): &(Term, f64)| {
        let is_denominator = terms.last().is_some_and(|&(over, _)| term == over);
        let counts = counts.pairs(term)?;
        if counts.binning() != first {
            return Err(EstimatorError::Bins {
                left: terms[0].0.name,
                right: term.name,
            });
        }
        let moments = Moments::new(counts, term.name, degrees, n_mu)?;
        Ok(Moments {
            share,
            is_denominator,
            ..moments
        })
    };
    terms.iter().map(moments).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_polynomials_are_sums_of_them() {
        for (a, b) in [(0, 0), (1, 1), (2, 2), (4, 2), (4, 4), (3, 2), (3, 4)] {
            for mu in [-1.0, -0.63, 0.0, 0.2, 0.97] {
                let shares = (0..SUMS).map(|p| product_share(a, b, p) * legendre(p as u32, mu));
                let product = legendre(a as u32, mu) * legendre(b as u32, mu);
                assert!(
                    (shares.sum::<f64>() - product).abs() < 1e-14,
                    "{a} {b} {mu}"
                );
            }
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![
            vec![0.0, 2.0, 1.0],
            vec![1.0, -1.0, 3.0],
            vec![4.0, 0.5, 0.25],
        ];
        let inverse = inverse(matrix.clone());
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let column = inverse.iter().map(|row| row[j]);
                let found: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                let expected = f64::from(u8::from(i == j));
                assert!((found - expected).abs() < 1e-14);
            }
        }
        let none = super::inverse(vec![vec![1.0, 1.0], vec![1.0, 1.0]]);
        assert!(none.concat().iter().any(|x| x.is_nan()));
    }
}
