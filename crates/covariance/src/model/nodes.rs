//! A measured correlation function as a surface: the nodes of a table that is linear between them.
//!
//! Entry: [`measured_xi`] and [`theory_xi`].

use albireo::quadrature::GaussLegendre;

use super::ModelError;
use super::error::needs;
use super::spline::Spline;
use crate::sampler::XiTable;

/// xi in bins of s and |mu|.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredXi<'a> {
    /// The edges in s.
    pub s: &'a [f64],
    /// The edges in mu, from 0 to 1: those of one bin where xi is of s alone.
    pub mu: &'a [f64],
    /// xi, the bins in mu fastest.
    pub xi: &'a [f64],
}

/// `s^2 xi` through points of a grid, and 0 at s = 0.
struct Surface {
    s: Vec<f64>,
    mu: Vec<f64>,
    /// s slow, without the row at 0.
    nodes: Vec<f64>,
}

/// The surface along s, at one mu.
struct Along<'a> {
    spline: Spline<'a>,
    first: f64,
    last: f64,
}

impl Surface {
    fn new(s: &[f64], mu: Vec<f64>, xi: &[f64]) -> Self {
        let rows = xi.chunks(mu.len()).zip(s);
        let nodes = rows.flat_map(|(row, s)| row.iter().map(move |xi| s * s * xi));
        Self {
            s: std::iter::once(0.0).chain(s.iter().copied()).collect(),
            nodes: nodes.collect(),
            mu,
        }
    }

    fn at_mu(&self, mu: f64) -> Along<'_> {
        let rows = self.nodes.chunks(self.mu.len());
        let rows = rows.map(|row| Spline::new(&self.mu, row.to_vec()).at(mu));
        let values = std::iter::once(0.0).chain(rows).collect();
        Along {
            spline: Spline::new(&self.s, values),
            first: self.s[1],
            last: self.s[self.s.len() - 1],
        }
    }
}

impl Along<'_> {
    /// xi: constant below half the first point, `s^-4` above the last one.
    fn at(&self, s: f64) -> f64 {
        let core = self.spline.at(self.first) / (self.first * self.first);
        let half = self.first / 2.0;
        if s <= half {
            return core;
        }
        let xi = self.spline.at(s) / (s * s);
        if s >= self.last {
            return xi * (self.last / s).powi(2);
        }
        if s >= self.first {
            return xi;
        }
        let t = (s - half) / half;
        core + (xi - core) * t * t * (3.0 - 2.0 * t)
    }
}

fn centres(edges: &[f64]) -> Vec<f64> {
    edges
        .windows(2)
        .map(|e| f64::midpoint(e[0], e[1]))
        .collect()
}

impl MeasuredXi<'_> {
    /// Refuses what makes no surface.
    fn check(&self, cut: f64) -> Result<(), ModelError> {
        let Self { s, mu, xi } = *self;
        if !(mu.len() > 1 && mu[0] == 0.0 && mu[mu.len() - 1] == 1.0) {
            return needs(format!(
                "a table of xi needs |mu| from 0 to 1, found {mu:?}"
            ));
        }
        if !s.first().is_some_and(|s| *s < 5.0) || s.len() < 3 {
            let found = s.first().copied().unwrap_or(f64::NAN);
            return needs(format!(
                "a table of xi needs two bins or more in s that begin below 5, found {} from {found}",
                s.len().saturating_sub(1)
            ));
        }
        let bins = mu.len() - 1;
        let inside = xi.iter().enumerate().filter(|(bin, _)| s[bin / bins] < cut);
        for (bin, xi) in inside {
            if !xi.is_finite() {
                let (s, mu) = (&s[bin / bins..], &mu[bin % bins..]);
                return needs(format!(
                    "a table of xi needs a number in every bin up to its end, found {xi} in s from {} to {}, mu from {} to {}: begin at larger s, or take wider bins",
                    s[0], s[1], mu[0], mu[1]
                ));
            }
        }
        Ok(())
    }
}

/// Of the surface whose means over the bins are those measured, by `s^2 ds dmu`; 0 from the cut on.
///
/// # Errors
/// [`ModelError::Needs`]: mu that is not from 0 to 1, no bin below 5, a bin without a number below the cut; bins that no surface was found for.
pub fn measured_xi(measured: MeasuredXi<'_>, cut: f64) -> Result<XiTable, ModelError> {
    measured.check(cut)?;
    let reached = measured.s.windows(2).take_while(|e| e[0] < cut).count();
    let (s, bins) = (&measured.s[..=reached], measured.mu.len() - 1);
    let xi = &measured.xi[..reached * bins];
    let at = centres(s);
    let mut surface = Surface::new(&at, centres(measured.mu), xi);
    for _ in 0..1000 {
        let means = surface.means(s, measured.mu);
        let off = |bin: usize| (xi[bin] - means[bin]) * at[bin / bins].powi(2);
        let off: Vec<f64> = (0..xi.len()).map(off).collect();
        if off.iter().all(|off| off.abs() < 1e-9) {
            return surface.table(cut);
        }
        for (node, off) in surface.nodes.iter_mut().zip(off) {
            *node += off;
        }
    }
    needs("no smooth xi was found whose means over the bins are those measured: take bins of 2 in s and 0.1 in mu".to_owned())
}

/// Of a theory at a grid of s and mu, mu fastest, as it is; 0 from the cut on.
///
/// # Errors
/// [`ModelError::Needs`]: no grid in increasing order, mu outside 0 to 1, or a value that is not finite.
pub fn theory_xi(s: &[f64], mu: &[f64], xi: &[f64], cut: f64) -> Result<XiTable, ModelError> {
    let increasing = |x: &[f64]| x.windows(2).all(|x| x[0] < x[1]);
    let is_grid = increasing(s) && increasing(mu) && xi.len() == s.len() * mu.len();
    let in_range = mu.iter().all(|mu| (0.0..=1.0).contains(mu));
    let skipped = s.iter().take_while(|s| **s <= 0.0).count();
    let (s, xi) = (&s[skipped..], &xi[(skipped * mu.len()).min(xi.len())..]);
    if !(is_grid && in_range && !s.is_empty() && xi.iter().all(|xi| xi.is_finite())) {
        return needs(
            "a theory xi needs finite values at each pair of increasing s and increasing mu from 0 to 1".to_owned(),
        );
    }
    Surface::new(s, mu.to_vec(), xi).table(cut)
}

impl Surface {
    fn table(&self, cut: f64) -> Result<XiTable, ModelError> {
        let along: Vec<(f64, Along<'_>)> =
            XiTable::mu_nodes().map(|mu| (mu, self.at_mu(mu))).collect();
        let at = |s: f64, mu: f64| {
            let found = along.iter().find(|(node, _)| *node == mu);
            found.map_or(f64::NAN, |(_, along)| along.at(s))
        };
        XiTable::from_fn(XiTable::STEP, cut, at)
            .map_err(|error| ModelError::Needs(error.to_string()))
    }

    /// The means over bins by `s^2 ds dmu`, mu fastest.
    fn means(&self, s: &[f64], mu: &[f64]) -> Vec<f64> {
        let rule = GaussLegendre::default();
        let (rows, columns) = (s.len() - 1, mu.len() - 1);
        let mut sums = vec![0.0; rows * columns];
        for (m, mu) in mu.windows(2).enumerate() {
            for (mu, share) in rule.points(mu[0], mu[1]) {
                let along = self.at_mu(mu);
                for (k, s) in s.windows(2).enumerate() {
                    // Pieces of the surface end at centres, and where its core does.
                    let ends = [s[0], self.s[1] / 2.0, self.s[k + 1], s[1]];
                    let mut ends: Vec<f64> = ends.iter().map(|x| x.clamp(s[0], s[1])).collect();
                    ends.sort_by(f64::total_cmp);
                    for piece in ends.windows(2).filter(|e| e[0] < e[1]) {
                        let sum = rule.integrate(piece[0], piece[1], |s| s * s * along.at(s));
                        sums[k * columns + m] += share * sum;
                    }
                }
            }
        }
        let volume = |bin: usize| {
            let (s, mu) = (&s[bin / columns..], &mu[bin % columns..]);
            (s[1].powi(3) - s[0].powi(3)) / 3.0 * (mu[1] - mu[0])
        };
        let means = sums.iter().enumerate().map(|(bin, sum)| sum / volume(bin));
        means.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theory(s: f64, mu: f64) -> f64 {
        (1.0 + 0.6 * mu * mu) * 30.0 / (s * s + 40.0) * (1.0 + 0.1 * (s / 15.0).sin())
    }

    /// Means over bins in plain sums of the middle points of 40 x 20 parts.
    fn in_bins(s: &[f64], mu: &[f64], f: &dyn Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut means = Vec::new();
        for s in s.windows(2) {
            for mu in mu.windows(2) {
                let (mut sum, mut all) = (0.0, 0.0);
                for i in 0..40 {
                    let x = s[0] + (s[1] - s[0]) * (f64::from(i) + 0.5) / 40.0;
                    for j in 0..20 {
                        let y = mu[0] + (mu[1] - mu[0]) * (f64::from(j) + 0.5) / 20.0;
                        sum += x * x * f(x, y);
                        all += x * x;
                    }
                }
                means.push(sum / all);
            }
        }
        means
    }

    #[test]
    fn the_surface_has_the_means_and_the_form_of_what_was_measured() {
        let s: Vec<f64> = (0..=20).map(|k| 2.0 * f64::from(k)).collect();
        let mu: Vec<f64> = (0..=5).map(|k| f64::from(k) / 5.0).collect();
        let xi = in_bins(&s, &mu, &theory);
        let measured = MeasuredXi {
            s: &s,
            mu: &mu,
            xi: &xi,
        };
        let nodes = measured_xi(measured, 60.0).unwrap();
        // Near the theory between, and falling as s^-4 beyond the last centre.
        for (k, m) in [(8, 8), (20, 16), (41, 24), (58, 4)] {
            let (s, mu) = (f64::from(k) / 2.0, f64::from(m) / 32.0);
            let found = nodes.at(s.min(59.99), mu);
            assert!(
                (found / theory(s, mu) - 1.0).abs() < 5e-3,
                "{s} {mu} {found}"
            );
        }
        let at = |s: f64| nodes.at(s, 7.0 / 32.0);
        assert!((at(59.0) / at(45.0) - (45.0_f64 / 59.0).powi(4)).abs() < 1e-12);
        assert_eq!(at(0.0), at(0.5));
        assert_eq!((nodes.cut(), at(60.0)), (60.0, 0.0));
        // The means are those measured: a plain sum over the table's own surface.
        let again = in_bins(&s, &mu, &|s, mu| nodes.at(s, mu));
        for (bin, (found, xi)) in again
            .iter()
            .zip(&xi)
            .enumerate()
            .filter(|(bin, _)| *bin > 10)
        {
            assert!((found / xi - 1.0).abs() < 4e-3, "{bin}: {found} {xi}");
        }
    }

    #[test]
    fn refinement_gives_the_bins_back() {
        let (s, mu) = ([0.0, 2.0, 4.0, 6.0, 9.0, 12.0], [0.0, 0.5, 1.0]);
        let xi = [3.0, 4.0, 1.2, 2.0, 0.9, 1.1, 0.2, 0.5, -0.1, 0.1];
        let measured = MeasuredXi {
            s: &s,
            mu: &mu,
            xi: &xi,
        };
        assert!(measured_xi(measured, 20.0).is_ok());
        let mut surface = Surface::new(&centres(&s), centres(&mu), &xi);
        let first = surface.means(&s, &mu);
        assert!((first[0] - xi[0]).abs() > 1e-3);
        for _ in 0..100 {
            let means = surface.means(&s, &mu);
            for (bin, node) in surface.nodes.iter_mut().enumerate() {
                *node += (xi[bin] - means[bin]) * centres(&s)[bin / 2].powi(2);
            }
        }
        for (mean, xi) in surface.means(&s, &mu).iter().zip(xi) {
            assert!((mean - xi).abs() < 1e-12);
        }
    }

    #[test]
    fn theories_are_taken_as_they_are() {
        let s: Vec<f64> = (0..80).map(|k| 0.5 * f64::from(k)).collect();
        let mu = [0.0, 0.25, 0.5, 0.75, 1.0];
        let xi: Vec<f64> = s.iter().flat_map(|&s| mu.map(|mu| theory(s, mu))).collect();
        let nodes = theory_xi(&s, &mu, &xi, 39.5).unwrap();
        assert!((nodes.at(25.0, 0.5) - theory(25.0, 0.5)).abs() < 1e-14);
        assert!((nodes.at(25.0, 0.375) / theory(25.0, 0.375) - 1.0).abs() < 1e-2);
        assert!(theory_xi(&s, &[0.0, 2.0], &xi[..160], 40.0).is_err());
    }

    #[test]
    fn what_makes_no_surface_is_refused_with_its_place() {
        let refused = |s: &[f64], mu: &[f64], xi: &[f64]| {
            let refused = measured_xi(MeasuredXi { s, mu, xi }, 20.0).unwrap_err();
            refused.to_string()
        };
        let (s, mu) = ([0.0, 2.0, 4.0], [0.0, 1.0]);
        assert!(refused(&s, &[0.0, 0.9], &[1.0; 2]).contains("|mu| from 0 to 1, found [0.0, 0.9]"));
        assert!(
            refused(&[5.0, 7.0, 9.0], &mu, &[1.0; 2]).contains("begin below 5, found 2 from 5")
        );
        let text = refused(&s, &mu, &[1.0, f64::NAN]);
        assert!(
            text.contains("found NaN in s from 2 to 4, mu from 0 to 1"),
            "{text}"
        );
    }
}
