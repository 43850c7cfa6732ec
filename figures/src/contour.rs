//! Lines of equal value on a grid.
//!
//! Entry: [`Grid`]. Points are in units of the grid: (0, 0) is the centre of the first cell.

use std::collections::BTreeMap;

use crate::canvas::Point;

/// Values on a grid, the second index varying fastest; NaN where there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

/// An edge between neighbours of the grid: its first end, and whether it leads along the first index.
type Edge = (usize, usize, bool);

impl Grid {
    /// `columns` values for each of the rows; those left over are dropped.
    pub(crate) fn new(values: &[f64], columns: usize) -> Self {
        let rows = values.len() / columns.max(1);
        Self {
            values: values[..rows * columns].to_vec(),
            rows,
            columns,
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.columns + j]
    }

    /// Averages over 3 x 3 cells with weights 1, 2, 1 along each axis; cells without a value stay without.
    pub(crate) fn smoothed(&self) -> Self {
        let mean = |i: usize, j: usize| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for (di, dj) in (0..9).map(|k| (k / 3, k % 3)) {
                let (a, b) = ((i + di).wrapping_sub(1), (j + dj).wrapping_sub(1));
                if a < self.rows && b < self.columns && self.at(a, b).is_finite() {
                    let weight = f64::from([1, 2, 1][di] * [1, 2, 1][dj]);
                    sum += weight * self.at(a, b);
                    weights += weight;
                }
            }
            if self.at(i, j).is_finite() {
                sum / weights
            } else {
                f64::NAN
            }
        };
        let cells = (0..self.rows).flat_map(|i| (0..self.columns).map(move |j| (i, j)));
        Self {
            values: cells.map(|(i, j)| mean(i, j)).collect(),
            ..*self
        }
    }

    /// The grid with its outermost cells once more around it, so that lines reach the ends of the axes.
    pub(crate) fn extended(&self) -> Self {
        if self.values.is_empty() {
            return self.clone();
        }
        let inner = |k: usize, n: usize| k.saturating_sub(1).min(n - 1);
        let (rows, columns) = (self.rows + 2, self.columns + 2);
        let cells = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let value = |(i, j)| self.at(inner(i, self.rows), inner(j, self.columns));
        Self {
            values: cells.map(value).collect(),
            rows,
            columns,
        }
    }

    /// How deep values lie below zero, but for the deepest twentieth: the size of the noise of an amount that is positive.
    pub(crate) fn depth(&self) -> f64 {
        let negative = self.values.iter().filter(|v| **v < 0.0).map(|v| -v);
        let mut depths: Vec<f64> = negative.collect();
        depths.sort_by(f64::total_cmp);
        let kept = (depths.len() * 19).div_ceil(20);
        depths[..kept].last().copied().unwrap_or(0.0)
    }

    /// Where the value crosses `level` on an edge.
    fn crossing(&self, (i, j, first): Edge, level: f64) -> Point {
        let (a, b) = if first {
            (self.at(i, j), self.at(i + 1, j))
        } else {
            (self.at(i, j), self.at(i, j + 1))
        };
        let part = (level - a) / (b - a);
        let (i, j) = (i as f64, j as f64);
        if first { [i + part, j] } else { [i, j + part] }
    }

    /// The pairs of edges that the line of `level` connects within one square of neighbours.
    fn connections(&self, i: usize, j: usize, level: f64) -> Vec<[Edge; 2]> {
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| self.at(i, j));
        if corners.iter().any(|v| !v.is_finite()) {
            return Vec::new();
        }
        let above = corners.map(|v| v >= level);
        // Edge k leads from corner k to the next.
        let edges: [Edge; 4] = [
            (i, j, true),
            (i + 1, j, false),
            (i, j + 1, true),
            (i, j, false),
        ];
        let crossed: Vec<usize> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).collect();
        match crossed[..] {
            [a, b] => vec![[edges[a], edges[b]]],
            [_, _, _, _] => {
                // A saddle: the mean of the corners says which two belong together.
                let high = corners.iter().sum::<f64>() / 4.0 >= level;
                if above[0] == high {
                    vec![[edges[0], edges[1]], [edges[2], edges[3]]]
                } else {
                    vec![[edges[3], edges[0]], [edges[1], edges[2]]]
                }
            }
            _ => Vec::new(),
        }
    }

    /// The lines where the value is `level`; the last point of a closed one is its first.
    pub(crate) fn lines(&self, level: f64) -> Vec<Vec<Point>> {
        let mut next: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
        for i in 0..self.rows.saturating_sub(1) {
            for j in 0..self.columns.saturating_sub(1) {
                for [a, b] in self.connections(i, j, level) {
                    next.entry(a).or_default().push(b);
                    next.entry(b).or_default().push(a);
                }
            }
        }
        let ends: Vec<Edge> = next
            .iter()
            .filter(|(_, to)| to.len() == 1)
            .map(|(e, _)| *e)
            .collect();
        let others: Vec<Edge> = next.keys().copied().collect();
        let mut lines = Vec::new();
        for start in ends.into_iter().chain(others) {
            let mut line = vec![self.crossing(start, level)];
            let mut here = start;
            while let Some(to) = next.get_mut(&here).and_then(Vec::pop) {
                if let Some(back) = next.get_mut(&to) {
                    back.retain(|edge| *edge != here);
                }
                line.push(self.crossing(to, level));
                here = to;
            }
            if line.len() > 1 {
                lines.push(line);
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_has_a_closed_line_around_it() {
        let grid = Grid::new(&[0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0], 3);
        let lines = grid.lines(1.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        let mut points = lines[0][1..].to_vec();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        assert_eq!(points, [[0.25, 1.0], [1.0, 0.25], [1.0, 1.75], [1.75, 1.0]]);
        assert!(grid.lines(5.0).is_empty());
    }

    #[test]
    fn a_slope_has_an_open_line_and_nan_breaks_it() {
        let mut values = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let line = vec![[0.5, 0.0], [0.5, 1.0], [0.5, 2.0]];
        assert_eq!(Grid::new(&values, 3).lines(0.5), [line]);
        values[0] = f64::NAN;
        assert_eq!(
            Grid::new(&values, 3).lines(0.5),
            [vec![[0.5, 1.0], [0.5, 2.0]]]
        );
    }

    #[test]
    fn an_extended_grid_repeats_its_border() {
        let grid = Grid::new(&[1.0, 2.0], 2).extended();
        let row = [1.0, 1.0, 2.0, 2.0];
        assert_eq!((grid.rows, grid.columns), (3, 4));
        assert_eq!(grid.values, [row, row, row].concat());
        assert_eq!(grid.lines(1.5), [vec![[0.0, 1.5], [1.0, 1.5], [2.0, 1.5]]]);
    }

    #[test]
    fn depth_leaves_out_the_deepest_twentieth() {
        let mut values: Vec<f64> = (1..=20).map(|k| -f64::from(k)).collect();
        values.extend([f64::NAN, 500.0]);
        assert_eq!(Grid::new(&values, 2).depth(), 19.0);
        values.push(-1e3);
        values.push(1.0);
        assert_eq!(Grid::new(&values, 2).depth(), 20.0);
        assert_eq!(Grid::new(&[1.0], 1).depth(), 0.0);
    }

    #[test]
    fn smoothing_keeps_a_plane_inside_and_gaps_as_they_are() {
        let values: Vec<f64> = (0..25)
            .map(|k| f64::from(k / 5) + 2.0 * f64::from(k % 5))
            .collect();
        let smooth = Grid::new(&values, 5).smoothed();
        assert!((smooth.at(2, 2) - 6.0).abs() < 1e-12);
        let mut gap = values;
        gap[12] = f64::NAN;
        assert!(Grid::new(&gap, 5).smoothed().at(2, 2).is_nan());
    }
}
