//! What a table of xi is on average over bins.
//!
//! Entry: [`mean_xi`].

use albireo::quadrature::GaussLegendre;

use crate::sampler::XiTable;

/// Coordinates of bins, with their edges.
#[derive(Debug, Clone, Copy)]
pub enum Bounds<'a> {
    /// Separations and |mu|: those of one bin from 0 to 1 where bins are of separations alone.
    SMu(&'a [f64], &'a [f64]),
    /// Across and |along| the line of sight.
    RpPi(&'a [f64], &'a [f64]),
}

/// The points of a rule between two edges, of each piece that ends at a multiple of `step`, where the table has its nodes.
fn points(rule: &GaussLegendre, edges: &[f64], step: f64) -> Vec<(f64, f64)> {
    let (lo, hi) = (edges[0], edges[1]);
    let nodes = (lo / step).floor() as i64 + 1..(hi / step).ceil() as i64;
    let mut ends = vec![lo];
    ends.extend(nodes.map(|node| node as f64 * step));
    ends.push(hi);
    let pieces = ends.windows(2);
    pieces.flat_map(|e| rule.points(e[0], e[1])).collect()
}

/// The means over bins by volume, the second coordinate fastest: `s^2 ds dmu`, or `rp drp dpi`.
pub fn mean_xi(table: &XiTable, bounds: Bounds<'_>) -> Vec<f64> {
    let rule = GaussLegendre::default();
    let (first, second, step) = match bounds {
        Bounds::SMu(s, mu) => (s, mu, XiTable::MU_STEP),
        Bounds::RpPi(rp, pi) => (rp, pi, table.step()),
    };
    let weighed = |x: f64, y: f64| match bounds {
        Bounds::SMu(..) => (x * x, table.at(x, y)),
        Bounds::RpPi(..) => {
            let s = x.hypot(y);
            (x, table.at(s, if s > 0.0 { y / s } else { 0.0 }))
        }
    };
    let mean = |x: &[f64], y: &[f64]| {
        let (mut sum, mut volume) = (0.0, 0.0);
        let of_row = points(&rule, y, step);
        for (x, across) in points(&rule, x, table.step()) {
            for &(y, along) in &of_row {
                let (weight, xi) = weighed(x, y);
                volume += across * along * weight;
                sum += across * along * weight * xi;
            }
        }
        sum / volume
    };
    let rows = first.windows(2);
    rows.flat_map(|x| second.windows(2).map(move |y| (x, y)))
        .map(|(x, y)| mean(x, y))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 - s/20 + mu (2 + s/10)`, which the table holds exactly.
    fn table() -> XiTable {
        XiTable::from_fn(0.5, 40.0, |s, mu| 1.0 - s / 20.0 + mu * (2.0 + s / 10.0)).unwrap()
    }

    #[test]
    fn means_are_those_of_the_integrals() {
        let (s, mu) = ([1.0, 3.0, 7.0], [0.0, 0.25, 1.0]);
        let found = mean_xi(&table(), Bounds::SMu(&s, &mu));
        let mut expected = Vec::new();
        for s in s.windows(2) {
            let power = |n: i32| (s[1].powi(n) - s[0].powi(n)) / f64::from(n);
            let mean_s = power(4) / power(3);
            for mu in mu.windows(2) {
                let mean_mu = f64::midpoint(mu[0], mu[1]);
                expected.push(1.0 - mean_s / 20.0 + mean_mu * (2.0 + mean_s / 10.0));
            }
        }
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn bins_across_and_along_are_those_of_a_fine_sum() {
        let (rp, pi) = ([0.0, 4.0], [0.0, 2.0, 10.0]);
        let found = mean_xi(&table(), Bounds::RpPi(&rp, &pi));
        for (pi, found) in pi.windows(2).zip(found) {
            let (mut sum, mut volume) = (0.0, 0.0);
            for i in 0..400 {
                let x = 4.0 * (f64::from(i) + 0.5) / 400.0;
                for j in 0..400 {
                    let y = pi[0] + (pi[1] - pi[0]) * (f64::from(j) + 0.5) / 400.0;
                    let s = x.hypot(y);
                    sum += x * (1.0 - s / 20.0 + y / s * (2.0 + s / 10.0));
                    volume += x;
                }
            }
            assert!((found - sum / volume).abs() < 1e-4, "{found}");
        }
    }
}
