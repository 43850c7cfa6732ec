//! Multipoles of the survey window from random pairs.

use serde::Serialize;

use super::Result;
use super::analytic::shells;
use super::legendre_sums::product_share;
use super::multipoles::{MAX_ELL, scaled_antiderivative};
use super::{RandomPairs, ratio};
use crate::binning::{BinAxis, Edges};
use crate::error::EstimatorError;
use crate::tally::Legendre;

/// One multipole of the window over the s bins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowMultipole {
    /// The degree l.
    pub ell: u32,
    /// `Q_l(s)`.
    pub q: Vec<f64>,
    /// Its Poisson error, at a fixed normalisation; NaN where it is not known.
    pub error: Vec<f64>,
}

/// Multipoles of the window over bins in s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowMultipoles {
    /// The s bins.
    pub axis: BinAxis,
    /// What the random pairs over all pairs and over the volume of a shell are multiplied by, length units cubed.
    pub volume: f64,
    /// In the order asked for.
    pub poles: Vec<WindowMultipole>,
}

/// Sums of one degree: those over the pairs of each shell, times `2l + 1`, and their variances.
type Projected = (Vec<f64>, Vec<f64>);

/// From bins in mu, by the mean of the polynomial over each.
fn of_bins(rr: &[f64], variance: &[f64], mu: &BinAxis, ell: u32) -> Projected {
    let edges: Vec<f64> = mu
        .edges
        .iter()
        .map(|&edge| scaled_antiderivative(ell, edge))
        .collect();
    let factors: Vec<f64> = edges
        .windows(2)
        .zip(mu.widths())
        .map(|(e, d)| (e[1] - e[0]) / d)
        .collect();
    let sum = |values: &[f64], squares: Option<&[f64]>| -> f64 {
        let terms = values.iter().zip(&factors).enumerate();
        terms
            .map(|(k, (x, f))| squares.map_or(x * f, |v| x * x * f * f * v[k]))
            .sum()
    };
    let rows = rr.chunks(factors.len()).zip(variance.chunks(factors.len()));
    rows.map(|(rr, v)| (sum(rr, None), sum(rr, Some(v))))
        .unzip()
}

/// From Legendre sums, which hold no blur of bins; none where a sum was not made.
fn of_sums(rr: &(impl RandomPairs + ?Sized), ell: u32) -> Option<Projected> {
    let sums = |degree: u32| -> Option<Vec<f64>> {
        rr.legendre_fractions(Legendre::of_degree(degree)?, "RR")
            .ok()
    };
    let (own, all, factor) = (sums(ell)?, sums(0)?, f64::from(2 * ell + 1));
    let mut squares = Some(vec![0.0; all.len()]);
    for p in (0..=2 * ell).step_by(2) {
        let share = product_share(ell as usize, ell as usize, p as usize);
        let both = squares.take().zip(sums(p));
        squares = both.map(|(sum, of)| sum.iter().zip(of).map(|(s, x)| s + share * x).collect());
    }
    let squares = squares.unwrap_or_else(|| vec![f64::NAN; all.len()]);
    let variance = rr.relative_variance().into_iter().zip(all).zip(squares);
    Some((
        own.iter().map(|x| factor * x).collect(),
        variance
            .map(|((v, x), square)| factor * factor * v * x * square)
            .collect(),
    ))
}

/// `Q_l(s) = V (2l + 1) sum RR L_l(mu) / v(s)`, RR over all pairs and v the volume of the shell: the window in configuration space is
/// `sum_l Q_l(s) L_l(mu)`, by which multipoles of power spectra are convolved. Wilson et al. 2017, DOI 10.1093/mnras/stw2576; Beutler
/// & `McDonald` 2021, DOI 10.1088/1475-7516/2021/11/031.
///
/// `volume` is V, `(int n w)^2 / int (n w)^2`, with which `Q_0` goes to 1 at s = 0; without it `Q_0` is set to 1 in the innermost bin that
/// has pairs, as Wilson et al. do. The sums are those of the counts ([`crate::CountSpec::with_legendre`]) where these hold them in a single bin of
/// mu, else `L_l` is averaged over each bin in mu, which has to span [0, 1] or [-1, 1].
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::window_multipoles;
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, SMuBins, SignedEdges};
/// let randoms = Particles::new(albireo::random::in_box(400, 1, [1.0, 1.0, 0.4])?);
/// let (s, mu) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 1.0, 20)?);
/// let bins = SMuBins::new(s, mu, LineOfSight::Fixed(albireo::Axis::Z))?;
/// let job = PairJob::new(Pairs::Auto(&randoms), &Domain::Open)?;
/// let rr = count_pairs(&Naive, &job, &bins, &Silent)?;
/// let window = window_multipoles(&rr, None, &[0, 2])?;
/// assert!((window.poles[0].q[0] - 1.0).abs() < 1e-15);
/// assert!(window.poles[1].q[1] < 0.0, "a slab has fewer pairs along z");
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Counts that are not over (s, mu) or do not span mu, one bin of mu without sums for a degree above 0, odd degrees over |mu| bins, a volume that
/// is not positive, no pair at all; otherwise as [`RandomPairs::fractions`].
pub fn window_multipoles(
    rr: &(impl RandomPairs + ?Sized),
    volume: Option<f64>,
    ells: &[u32],
) -> Result<WindowMultipoles> {
    let axes = rr.binning().axes();
    let [s, mu] = match &axes[..] {
        [s, mu] if [s.name, mu.name] == ["s", "mu"] => [s, mu],
        _ => {
            return Err(EstimatorError::Needs(
                "window multipoles need random pairs over (s, mu)".to_owned(),
            ));
        }
    };
    let (first, last) = (mu.edges[0], mu.edges[mu.n_bins()]);
    let span = |what: String| Err(EstimatorError::Span(what));
    if last != 1.0 || !(first == 0.0 || first == -1.0) {
        return span(format!(
            "window multipoles need mu bins that span [0, 1] or [-1, 1], found [{first}, {last}]"
        ));
    }
    if let Some(ell) = ells.iter().find(|&&ell| ell > MAX_ELL) {
        return Err(EstimatorError::Needs(format!(
            "window multipoles need a degree of at most {MAX_ELL}, found {ell}"
        )));
    }
    let (fractions, variance) = (rr.fractions("RR")?, rr.relative_variance());
    let project = |&ell: &u32| -> Result<(u32, Projected)> {
        let one_bin = mu.n_bins() == 1;
        if let Some(sums) = one_bin.then(|| of_sums(rr, ell)).flatten() {
            return Ok((ell, sums));
        }
        if one_bin && ell > 0 {
            return Err(EstimatorError::Needs(format!(
                "the window multipole of degree {ell} needs bins in mu, or the Legendre sums of that degree"
            )));
        }
        if ell % 2 == 1 && !mu.signed() {
            return Err(EstimatorError::Span(format!(
                "the window multipole of odd degree {ell} needs signed mu bins that span [-1, 1], found [{first}, {last}]"
            )));
        }
        Ok((ell, of_bins(&fractions, &variance, mu, ell)))
    };
    let projected: Vec<_> = ells.iter().map(project).collect::<Result<_, _>>()?;
    let edges =
        Edges::new(s.edges.clone()).map_err(|error| EstimatorError::Needs(error.to_string()))?;
    let shells = shells(&edges);
    let totals = fractions
        .chunks(mu.n_bins())
        .map(|row| row.iter().sum::<f64>());
    let mut density = totals.zip(&shells).map(|(rr, shell)| rr / shell);
    let innermost = density.find(|&density| density != 0.0);
    let volume = match (volume, innermost) {
        (Some(volume), _) if volume > 0.0 && volume.is_finite() => volume,
        (Some(volume), _) => {
            return Err(EstimatorError::Needs(format!(
                "the volume of a window is above 0, found {volume}"
            )));
        }
        (None, Some(density)) => 1.0 / density,
        (None, None) => return Err(EstimatorError::EmptyTotal("RR in these bins")),
    };
    let pole = |(ell, (sums, variances)): (u32, Projected)| {
        let scale = |k: usize| ratio(volume, shells[k]);
        WindowMultipole {
            ell,
            q: sums.iter().enumerate().map(|(k, x)| x * scale(k)).collect(),
            error: variances
                .iter()
                .enumerate()
                .map(|(k, v)| if *v < 0.0 { 0.0 } else { v.sqrt() * scale(k) })
                .collect(),
        }
    };
    Ok(WindowMultipoles {
        axis: s.clone(),
        volume,
        poles: projected.into_iter().map(pole).collect(),
    })
}
