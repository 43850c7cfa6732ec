//! Where sums are made: the points of a grid, or points anywhere.

use std::ops::Range;

use albireo::Points;

use crate::error::{FieldError, Result};

/// The most points of a grid.
const MOST: usize = 1 << 40;

/// A regular grid: the point (i, j, k) lies at origin + i a + j b + k c, and k changes fastest.
///
/// ```
/// use albireo_fields::Grid;
/// let grid = Grid::orthogonal([-1.0, 0.0, 0.0], [0.5, 1.0, 1.0], [5, 2, 3])?;
/// assert_eq!((grid.len(), grid.at([4, 1, 2])), (30, [1.0, 1.0, 2.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    shape: [usize; 3],
}

impl Grid {
    /// A grid along the axes.
    ///
    /// # Errors
    /// As [`Grid::new`].
    pub fn orthogonal(origin: [f64; 3], spacing: [f64; 3], shape: [usize; 3]) -> Result<Self> {
        let [a, b, c] = spacing;
        let steps = [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        Self::new(origin, steps, shape)
    }

    /// A grid with any three steps a, b and c (rows), in the unit of the positions.
    ///
    /// # Errors
    /// Steps or an origin that are not finite, steps that span no volume, no points or more than 2^40.
    pub fn new(origin: [f64; 3], steps: [[f64; 3]; 3], shape: [usize; 3]) -> Result<Self> {
        let [a, b, c] = steps;
        let across = [
            b[1] * c[2] - b[2] * c[1],
            b[2] * c[0] - b[0] * c[2],
            b[0] * c[1] - b[1] * c[0],
        ];
        let volume = albireo::separation::dot(a, across);
        let finite = origin
            .iter()
            .chain(steps.as_flattened())
            .all(|v| v.is_finite());
        if !(finite && volume.is_finite() && volume != 0.0) {
            let steps = Box::new(steps);
            return Err(FieldError::Grid { origin, steps });
        }
        let points = shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
        if !points.is_some_and(|n| (1..=MOST).contains(&n)) {
            return Err(FieldError::Shape { shape, limit: MOST });
        }
        Ok(Self {
            origin,
            steps,
            shape,
        })
    }

    /// The first point.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The steps a, b and c.
    pub fn steps(&self) -> [[f64; 3]; 3] {
        self.steps
    }

    /// The steps' lengths where each lies along its axis.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        let [a, b, c] = self.steps;
        let apart = [a[1], a[2], b[0], b[2], c[0], c[1]];
        apart
            .iter()
            .all(|&v| v == 0.0)
            .then_some([a[0], b[1], c[2]])
    }

    /// Points along a, b and c.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where the point (i, j, k) lies.
    pub fn at(&self, [i, j, k]: [usize; 3]) -> [f64; 3] {
        let [a, b, c] = self.steps;
        let (i, j, k) = (i as f64, j as f64, k as f64);
        std::array::from_fn(|x| ((self.origin[x] + i * a[x]) + j * b[x]) + k * c[x])
    }
}

/// Where sums are made.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// At the points of a grid.
    Grid(Grid),
    /// At points anywhere.
    Points(Points),
}

impl Targets {
    /// Number of targets.
    pub fn len(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.len(),
            Self::Points(points) => points.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All planes of a grid, i of them; points are planes of one target each.
    pub fn planes(&self) -> Range<usize> {
        match self {
            Self::Grid(grid) => 0..grid.shape[0],
            Self::Points(points) => 0..points.len(),
        }
    }

    /// Targets of a plane.
    pub fn plane_len(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.shape[1] * grid.shape[2],
            Self::Points(_) => 1,
        }
    }

    /// Where a target lies, by its number.
    pub(crate) fn at(&self, number: usize) -> [f64; 3] {
        match self {
            Self::Grid(grid) => {
                let [_, m, n] = grid.shape;
                grid.at([number / (m * n), number / n % m, number % n])
            }
            Self::Points(points) => points.at(number),
        }
    }

    /// Targets between which all others lie.
    pub(crate) fn corners(&self) -> Vec<usize> {
        match self {
            Self::Grid(grid) => {
                let [l, m, n] = grid.shape;
                let ends = |n: usize| [0, n - 1];
                let mut corners = vec![];
                for i in ends(l) {
                    for j in ends(m) {
                        corners.extend(ends(n).map(|k| (i * m + j) * n + k));
                    }
                }
                corners
            }
            Self::Points(points) => (0..points.len()).collect(),
        }
    }
}
