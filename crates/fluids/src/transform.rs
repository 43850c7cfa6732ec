//! Integrals of r^2 sin(qr)/(qr) over bins: what turns g(r) and pairs in bins into functions of q.
//!
//! Entry: [`Window`], [`bin_integrals`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "panels of a sum are few"
)]

use std::f64::consts::PI;

use albireo::binning::Edges;
use albireo::error::EstimatorError;
use albireo::quadrature::GaussLegendre;

use crate::Result;

/// What g - 1 is multiplied by so that its end does not ring in S(q).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Window {
    /// Nothing: S(q) as the bins have it.
    #[default]
    None,
    /// `sin(pi r/R) / (pi r/R)`, R the last edge. Lorch (1969), DOI 10.1088/0022-3719/2/2/305.
    Lorch,
    /// `cos^2(pi r / 2R)`, the window of Hann.
    Hann,
}

impl Window {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Lorch, Self::Hann];

    /// `none`, `lorch` or `hann`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lorch => "lorch",
            Self::Hann => "hann",
        }
    }

    /// The one of this name.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| {
            EstimatorError::Needs(format!("a window is none, lorch or hann, found {name}"))
        })
    }

    /// Its value at a share x = r/R.
    fn at(self, x: f64) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Lorch => sinc(PI * x),
            Self::Hann => {
                let c = libm::cos(PI * x / 2.0);
                c * c
            }
        }
    }
}

/// `sin(x)/x`, 1 at 0.
pub(super) fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { libm::sin(x) / x }
}

/// Refuses values of q that are not finite and above 0.
pub(super) fn check_q(q: &[f64]) -> Result<()> {
    match q.iter().find(|q| !(q.is_finite() && **q > 0.0)) {
        None => Ok(()),
        Some(found) => Err(EstimatorError::Needs(format!(
            "q must be finite and above 0, found {found}"
        ))),
    }
}

/// The most that the phase of the integrand turns in a panel: 16 points then leave only rounding.
const TURN: f64 = 6.0;

/// `4 pi int r^2 w(r) sin(qr)/(qr) dr` over each bin for each q: rows of q, columns of bins.
///
/// Gauss-Legendre panels short against the wavelength: exact but for rounding, at small q too, where closed forms cancel.
pub(super) fn bin_integrals(edges: &Edges, q: &[f64], window: Window) -> Vec<Vec<f64>> {
    let rule = GaussLegendre::default();
    let reach = edges.last();
    let row = |&q: &f64| {
        let turning = q + PI / reach;
        let bin = |e: &[f64]| {
            let panels = (turning * (e[1] - e[0]) / TURN).ceil().max(1.0);
            let width = (e[1] - e[0]) / panels;
            let integrand = |r: f64| r * r * sinc(q * r) * window.at(r / reach);
            let panel = |k: u64| {
                let start = e[0] + k as f64 * width;
                rule.integrate(start, start + width, integrand)
            };
            4.0 * PI * (0..panels as u64).map(panel).sum::<f64>()
        };
        edges.values().windows(2).map(bin).collect()
    };
    q.iter().map(row).collect()
}

/// The mean of sin(qr)/(qr) over each shell for each q, the pairs of a bin being spread evenly over its volume.
pub(super) fn shell_means(edges: &Edges, volumes: &[f64], q: &[f64]) -> Vec<Vec<f64>> {
    let mut rows = bin_integrals(edges, q, Window::None);
    for row in &mut rows {
        row.iter_mut().zip(volumes).for_each(|(sum, v)| *sum /= v);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `4 pi int_0^r r^2 sin(qr)/(qr) dr` in closed form, by its series where that cancels.
    fn ball(q: f64, r: f64) -> f64 {
        let x = q * r;
        let shape = if x < 0.5 {
            let terms = [
                1.0 / 3.0,
                -1.0 / 30.0,
                1.0 / 840.0,
                -1.0 / 45_360.0,
                1.0 / 3_991_680.0,
                -1.0 / 518_918_400.0,
            ];
            terms.iter().rev().fold(0.0, |sum, t| sum * x * x + t)
        } else {
            (x.sin() - x * x.cos()) / (x * x * x)
        };
        4.0 * PI * r * r * r * shape
    }

    #[test]
    fn bins_are_integrated_exactly() {
        let edges = Edges::new(vec![0.0, 0.02, 0.5, 0.51, 4.0, 20.0]).unwrap();
        let q = [1e-6, 0.03, 0.7, 2.0, 30.0];
        for (q, row) in q.iter().zip(bin_integrals(&edges, &q, Window::None)) {
            for (e, found) in edges.values().windows(2).zip(row) {
                let expected = ball(*q, e[1]) - ball(*q, e[0]);
                let scale = ball(1e-9, e[1]).min(4.0 * PI * e[1] * e[1] / q);
                assert!(
                    (found - expected).abs() < 1e-13 * scale,
                    "q {q} {e:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn windows_are_their_formulas() {
        let edges = Edges::linear(0.0, 10.0, 7).unwrap();
        let (q, a) = (1.7, PI / 10.0);
        let lorch = &bin_integrals(&edges, &[q], Window::Lorch)[0];
        let hann = &bin_integrals(&edges, &[q], Window::Hann)[0];
        // sin(qr) sin(ar) and r sin(qr) (1 + cos(ar))/2 in closed form.
        let sines = |r: f64| (((q - a) * r).sin() / (q - a) - ((q + a) * r).sin() / (q + a)) / 2.0;
        let moment = |q: f64, r: f64| (q * r).sin() / (q * q) - r * (q * r).cos() / q;
        let raised = |r: f64| moment(q, r) / 2.0 + (moment(q + a, r) + moment(q - a, r)) / 4.0;
        for (k, e) in edges.values().windows(2).enumerate() {
            let expected = 4.0 * PI / (q * a) * (sines(e[1]) - sines(e[0]));
            assert!(
                (lorch[k] - expected).abs() < 1e-11,
                "{} {expected}",
                lorch[k]
            );
            let expected = 4.0 * PI / q * (raised(e[1]) - raised(e[0]));
            assert!((hann[k] - expected).abs() < 1e-11, "{} {expected}", hann[k]);
        }
        for window in Window::ALL {
            assert_eq!(Window::named(window.name()).unwrap(), window);
        }
        assert!(Window::named("welch").is_err());
        assert_eq!(Window::Lorch.at(0.0), 1.0);
    }
}
