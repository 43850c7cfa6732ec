//! Natural cubic splines.

/// A curve through points, with second derivatives of 0 at both ends; the ends' values beyond them.
#[derive(Debug, Clone)]
pub(super) struct Spline<'a> {
    x: &'a [f64],
    y: Vec<f64>,
    curvature: Vec<f64>,
}

impl<'a> Spline<'a> {
    /// Through points of increasing x, one at least.
    pub(super) fn new(x: &'a [f64], y: Vec<f64>) -> Self {
        let n = x.len();
        let mut curvature = vec![0.0; n];
        // Forward and back through the tridiagonal equations.
        let mut right = vec![0.0; n];
        for k in 1..n.saturating_sub(1) {
            let [below, above] = [x[k] - x[k - 1], x[k + 1] - x[k]];
            let part = below / (below + above);
            let pivot = part * curvature[k - 1] + 2.0;
            let bend = (y[k + 1] - y[k]) / above - (y[k] - y[k - 1]) / below;
            curvature[k] = (part - 1.0) / pivot;
            right[k] = (6.0 * bend / (below + above) - part * right[k - 1]) / pivot;
        }
        for k in (0..n.saturating_sub(1)).rev() {
            let next = curvature.get(k + 1).copied().unwrap_or(0.0);
            curvature[k] = if k == 0 {
                0.0
            } else {
                curvature[k] * next + right[k]
            };
        }
        if let Some(last) = curvature.last_mut() {
            *last = 0.0;
        }
        Self { x, y, curvature }
    }

    /// The value at x.
    pub(super) fn at(&self, x: f64) -> f64 {
        let last = self.x.len() - 1;
        if last == 0 || x <= self.x[0] {
            return self.y[0];
        }
        if x >= self.x[last] {
            return self.y[last];
        }
        let hi = self.x.partition_point(|knot| *knot <= x);
        let (lo, h) = (hi - 1, self.x[hi] - self.x[hi - 1]);
        let [a, b] = [(self.x[hi] - x) / h, (x - self.x[lo]) / h];
        let bend = |t: f64, k: usize| (t * t * t - t) * self.curvature[k];
        a * self.y[lo] + b * self.y[hi] + (bend(a, lo) + bend(b, hi)) * h * h / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_cubics_between_points() {
        // scipy 1.17, CubicSpline([0, 1, 2.5, 4, 4.5], [0, 1, 0, 2, 1], bc_type='natural') at 0.5, 1.7, 3, 4.2.
        let x = [0.0, 1.0, 2.5, 4.0, 4.5];
        let spline = Spline::new(&x, vec![0.0, 1.0, 0.0, 2.0, 1.0]);
        let expected = [
            0.709_586_466_165_413_4,
            0.395_695_906_432_748_5,
            0.783_625_730_994_152,
            1.707_067_669_172_932,
        ];
        for (x, expected) in [0.5, 1.7, 3.0, 4.2].into_iter().zip(expected) {
            assert!(
                (spline.at(x) - expected).abs() < 1e-13,
                "{x}: {}",
                spline.at(x)
            );
        }
        assert_eq!(
            [spline.at(-1.0), spline.at(2.5), spline.at(9.0)],
            [0.0, 0.0, 1.0]
        );
        assert_eq!(Spline::new(&[2.0], vec![3.0]).at(1.0), 3.0);
        // A line stays one.
        let line = Spline::new(&x, x.iter().map(|x| 2.0 * x).collect());
        assert!((line.at(3.3) - 6.6).abs() < 1e-14);
    }
}
