//! Positions over shared buffers, and what one look at them tells.
//!
//! Entry: [`Points`]. It knows no domain and no weight.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2};

use super::check_number;
use super::column::{Column, View};
use super::extremes::{Extremes, greater, lesser, look};
use crate::error::ParticlesError;
use crate::pool;
use crate::separation::{LARGEST, direction, norm2};

/// N positions, shape (N, 3), as three columns; every coordinate is finite and at most 2^440 by magnitude.
///
/// Clones and runs of rows share the columns. What is once known of them, such as their extremes, is kept.
///
/// ```
/// let points = albireo::Points::new(vec![0.0, 1.0], vec![0.0, 2.0], vec![0.5, 3.0])?;
/// assert_eq!(points.len(), 2);
/// assert_eq!(points.at(1), [1.0, 2.0, 3.0]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Points {
    pub(super) columns: [Column; 3],
    /// No coordinate lies outside; those of a run of rows may lie far inside.
    within: Extremes,
    known: Arc<Known>,
}

/// What follows from the positions, once somebody has asked.
#[derive(Debug, Default)]
struct Known {
    extremes: OnceLock<Extremes>,
    /// No squared norm lies outside.
    norms2: OnceLock<[f64; 2]>,
    /// The reduced basis of a cell that all positions lie in.
    cell: OnceLock<[[f64; 3]; 3]>,
    prints: OnceLock<[u64; 3]>,
}

/// Names the first coordinate that is not finite, or beyond [`LARGEST`].
fn check_coordinates(column: &'static str, values: &Column) -> Result<(), ParticlesError> {
    let view = values.view();
    let refused = |x: f64| x.abs().partial_cmp(&LARGEST).is_none_or(Ordering::is_gt);
    let Some(row) = view.iter().position(refused) else {
        return Ok(());
    };
    let value = view.at(row);
    if !value.is_finite() {
        return Err(ParticlesError::NotFinite { column, row, value });
    }
    let limit = LARGEST;
    Err(ParticlesError::TooLarge {
        column,
        row,
        value,
        limit,
    })
}

impl Default for Points {
    fn default() -> Self {
        Self::from_checked([Column::default(), Column::default(), Column::default()])
    }
}

/// Points are equal when their positions are, wherever they lie.
impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

/// An array of shape (N, 3) with any strides is taken as it is.
///
/// ```
/// use albireo::Points;
/// let points = Points::try_from(ndarray::array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])?;
/// assert_eq!(points.at(1), [3.0, 4.0, 5.0]);
/// # Ok::<(), albireo::Error>(())
/// ```
impl TryFrom<Array2<f64>> for Points {
    type Error = ParticlesError;

    fn try_from(positions: Array2<f64>) -> Result<Self, ParticlesError> {
        let (len, width) = positions.dim();
        if width != 3 {
            return Err(ParticlesError::Columns(width));
        }
        let [down, across] = [positions.strides()[0], positions.strides()[1]];
        let (values, origin) = positions.into_raw_vec_and_offset();
        let origin = origin.unwrap_or(0);
        let first = [0, 1, 2].map(|axis| origin.wrapping_add_signed(axis * across));
        Self::from_columns(Column::of_table(values, first, [down; 3], len)?)
    }
}

impl Points {
    /// Takes three columns of equal length.
    ///
    /// # Errors
    /// Columns of unequal length, a coordinate that is NaN, infinite or beyond 2^440, or more than [`MAX_PARTICLES`] rows.
    ///
    /// [`MAX_PARTICLES`]: crate::particles::MAX_PARTICLES
    pub fn new(x: Vec<f64>, y: Vec<f64>, z: Vec<f64>) -> Result<Self, ParticlesError> {
        Self::from_columns([x, y, z].map(Column::from))
    }

    /// Takes three columns of equal length, in whose buffers the positions stay.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use albireo::particles::Column;
    /// use albireo::Points;
    /// let z = Arc::new(vec![0.5; 4]);
    /// let plane = Points::from_columns([
    ///     Column::from(vec![0.0, 1.0, 2.0, 3.0]),
    ///     Column::from(vec![0.0; 4]),
    ///     Column::shared(z.clone()),
    /// ])?;
    /// assert_eq!(plane.columns()[2].as_slice().map(<[f64]>::as_ptr), Some(z.as_ptr()));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Points::new`].
    pub fn from_columns(columns: [Column; 3]) -> Result<Self, ParticlesError> {
        let [x, y, z] = &columns;
        check_number(x.len())?;
        for (name, column) in [("y", y), ("z", z)] {
            if column.len() != x.len() {
                return Err(ParticlesError::UnequalLengths {
                    first: "x",
                    first_rows: x.len(),
                    second: name,
                    second_rows: column.len(),
                });
            }
        }
        let looks = look(&columns);
        for ((name, column), look) in ["x", "y", "z"].into_iter().zip(&columns).zip(&looks) {
            if !look.fine {
                check_coordinates(name, column)?;
            }
        }
        Ok(Self::seen(columns, Extremes::of(looks)))
    }

    /// Takes rows of three coordinates.
    ///
    /// # Errors
    /// As [`Points::new`].
    pub fn from_rows(rows: &[[f64; 3]]) -> Result<Self, ParticlesError> {
        check_number(rows.len())?;
        let column = |axis: usize| rows.iter().map(|row| row[axis]).collect();
        Self::new(column(0), column(1), column(2))
    }

    /// Copies an array of shape (N, 3) with any strides; float32 is widened exactly.
    ///
    /// An array of float64 that can be given away is not copied by `Points::try_from`.
    ///
    /// ```
    /// use albireo::Points;
    /// let rows = ndarray::array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
    /// assert_eq!(Points::from_array(rows.view())?.at(1), [3.0, 4.0, 5.0]);
    /// // Three columns in memory are a transposed view.
    /// let columns = ndarray::array![[0.0f32, 3.0], [1.0, 4.0], [2.0, 5.0]];
    /// assert_eq!(Points::from_array(columns.t())?, Points::from_array(rows.view())?);
    /// assert!(Points::from_array(columns.view()).is_err());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number of columns other than three; otherwise as [`Points::new`].
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a view is a reference, handed over as the crate's functions do"
    )]
    pub fn from_array<T: Copy + Into<f64>>(
        positions: ArrayView2<'_, T>,
    ) -> Result<Self, ParticlesError> {
        if positions.ncols() != 3 {
            return Err(ParticlesError::Columns(positions.ncols()));
        }
        check_number(positions.nrows())?;
        let column = |axis| positions.column(axis).iter().map(|&x| x.into()).collect();
        Self::new(column(0), column(1), column(2))
    }

    /// `n` points, each made from its row, by all threads; `n` is at most [`MAX_PARTICLES`].
    ///
    /// [`MAX_PARTICLES`]: crate::particles::MAX_PARTICLES
    pub(crate) fn from_fn(
        n: usize,
        place: impl Fn(usize) -> [f64; 3] + Sync,
    ) -> Result<Self, ParticlesError> {
        check_number(n)?;
        let mut columns = [0, 1, 2].map(|_| vec![0.0; n]);
        pool::for_each_stretch(columns.each_mut().map(Vec::as_mut_slice), |begin, parts| {
            let [x, y, z] = parts;
            for (k, ((x, y), z)) in x.iter_mut().zip(y).zip(z).enumerate() {
                [*x, *y, *z] = place(begin + k);
            }
        });
        let [x, y, z] = columns;
        Self::new(x, y, z)
    }

    /// The first row at the origin, which has no direction.
    pub(crate) fn first_at_origin(&self) -> Option<usize> {
        let [least, _] = self.norms2();
        let points = self.view();
        let at_origin = || pool::first_row(self.len(), |row| norm2(points.at(row)) == 0.0);
        (least == 0.0).then(at_origin).flatten()
    }

    /// Columns whose values the caller has derived from checked ones.
    pub(crate) fn from_checked(columns: [Column; 3]) -> Self {
        let extremes = Extremes::of(look(&columns));
        Self::seen(columns, extremes)
    }

    fn seen(columns: [Column; 3], extremes: Extremes) -> Self {
        let known = Known::default();
        let _ = known.extremes.set(extremes);
        Self {
            columns,
            within: extremes,
            known: Arc::new(known),
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The three columns.
    pub fn columns(&self) -> [&Column; 3] {
        self.columns.each_ref()
    }

    /// The positions, for a loop over rows.
    pub fn view(&self) -> PointsView<'_> {
        PointsView(self.columns.each_ref().map(Column::view))
    }

    /// The position in row `row`; in a loop, take it from [`Points::view`].
    ///
    /// # Panics
    /// When `row` is not below [`Points::len`].
    #[inline]
    pub fn at(&self, row: usize) -> [f64; 3] {
        self.view().at(row)
    }

    /// Least and greatest coordinate along each axis, found once; `[INFINITY, -INFINITY]` where there is no position.
    ///
    /// ```
    /// use albireo::Points;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let points = Points::from_rows(&[[1.0, 5.0, 0.0], [3.0, -2.0, 0.0]])?;
    /// assert_eq!(points.ranges(), [[1.0, 3.0], [-2.0, 5.0], [0.0, 0.0]]);
    /// # Ok(()) }
    /// ```
    pub fn ranges(&self) -> [[f64; 2]; 3] {
        let Extremes { lo, hi } = *self.extremes();
        [0, 1, 2].map(|axis| [lo[axis], hi[axis]])
    }

    /// The positions in a run of rows, in the same buffers.
    ///
    /// # Panics
    /// When the run ends beyond [`Points::len`].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        if rows == (0..self.len()) {
            return self.clone();
        }
        let known = Known {
            extremes: OnceLock::new(),
            norms2: self.known.norms2.clone(),
            cell: self.known.cell.clone(),
            prints: OnceLock::new(),
        };
        Self {
            columns: self
                .columns
                .each_ref()
                .map(|column| column.rows(rows.clone())),
            within: self.within,
            known: Arc::new(known),
        }
    }

    /// The unit vectors from the origin to the positions, each coordinate divided by the norm.
    ///
    /// # Errors
    /// A position at the origin.
    pub fn directions(&self) -> Result<Self, ParticlesError> {
        self.clone().into_directions()
    }

    /// As [`Points::directions`], in place where nobody shares the columns.
    pub(super) fn into_directions(self) -> Result<Self, ParticlesError> {
        match self.first_at_origin() {
            Some(row) => Err(ParticlesError::NoDirection { row }),
            None => Ok(self.moved([true; 3], direction)),
        }
    }

    /// Extremes that no coordinate lies outside of, and that some reach unless these are rows of more points.
    pub(crate) fn within(&self) -> &Extremes {
        &self.within
    }

    /// The extremes of the coordinates.
    pub(crate) fn extremes(&self) -> &Extremes {
        pool::once(&self.known.extremes, || Extremes::of(look(&self.columns)))
    }

    /// Limits that no squared norm lies outside of; infinite, the wrong way round, where there is no position.
    pub(crate) fn norms2(&self) -> [f64; 2] {
        let view = self.view();
        let wider = |[lo, hi]: [f64; 2], r2: f64| [lesser(r2, lo), greater(r2, hi)];
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let part = |rows: Range<usize>| rows.map(|row| norm2(view.at(row))).fold(none, wider);
        let join = |a: [f64; 2], b: [f64; 2]| [lesser(b[0], a[0]), greater(b[1], a[1])];
        let limits = || pool::fold(self.len(), part, join);
        *pool::once(&self.known.norms2, limits)
    }

    /// The reduced basis of a cell in which all positions are known to lie.
    pub(crate) fn cell(&self) -> Option<[[f64; 3]; 3]> {
        self.known.cell.get().copied()
    }

    /// Notes that all positions lie in the cell of a reduced basis; the first that is noted is kept.
    pub(crate) fn note_cell(&self, basis: [[f64; 3]; 3]) {
        let _ = self.known.cell.set(basis);
    }

    /// What `print` makes of each column, made once.
    pub(crate) fn prints(&self, print: impl Fn(&Column) -> u64) -> [u64; 3] {
        let prints = || self.columns.each_ref().map(print);
        *pool::once(&self.known.prints, prints)
    }
}

/// The positions of some points, for a loop over rows.
#[derive(Debug, Clone, Copy)]
pub struct PointsView<'a>([View<'a>; 3]);

impl PointsView<'_> {
    /// The position in row `row`.
    ///
    /// # Panics
    /// When `row` is not below the number of points.
    #[inline]
    pub fn at(&self, row: usize) -> [f64; 3] {
        let [x, y, z] = &self.0;
        [x.at(row), y.at(row), z.at(row)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths at which lanes, stretches and threads begin and end.
    const LENGTHS: [usize; 8] = [1, 7, 8, 9, 100, 1 << 16, (1 << 16) + 3, 100_000];

    fn along_y(y: Vec<f64>) -> [Vec<f64>; 3] {
        let n = y.len();
        [vec![1.0; n], y, vec![-1.0; n]]
    }

    /// Columns of their own, and columns of one table.
    fn both(columns: &[Vec<f64>; 3]) -> [Result<Points, ParticlesError>; 2] {
        let [x, y, z] = columns.clone();
        let shape = (x.len(), 3);
        let table = Array2::from_shape_fn(shape, |(row, axis)| columns[axis][row]);
        [Points::new(x, y, z), Points::try_from(table)]
    }

    #[test]
    fn extremes_are_found_wherever_they_stand() {
        for n in LENGTHS {
            for place in [0, n / 2, n - 1] {
                let mut y = vec![0.5; n];
                y[place] = -2.0;
                for points in both(&along_y(y.clone())) {
                    assert_eq!(points.unwrap().extremes().lo, [1.0, -2.0, -1.0]);
                }
                y[place] = 3.0;
                for points in both(&along_y(y)) {
                    let points = points.unwrap();
                    assert_eq!(points.extremes().hi, [1.0, 3.0, -1.0]);
                    assert_eq!(points.within().farthest(), 3.0);
                }
            }
        }
        let none = Points::default();
        assert_eq!(none.extremes().lo, [f64::INFINITY; 3]);
        assert_eq!(none.extremes().farthest(), 0.0);
    }

    #[test]
    fn the_first_row_that_is_refused_is_named_wherever_it_stands() {
        for n in LENGTHS {
            for row in [0, n / 2, n - 1] {
                let mut y = vec![0.5; n];
                y[row..].fill(f64::NAN);
                for points in both(&along_y(y.clone())) {
                    let error = points.unwrap_err().to_string();
                    let place = format!("found NaN in row {row} ");
                    assert!(error.contains(&place), "{error}");
                }
                y[row..].fill(-LARGEST * 2.0);
                for points in both(&along_y(y)) {
                    let error = points.unwrap_err();
                    let at = matches!(error, ParticlesError::TooLarge { column: "y", row: r, .. } if r == row);
                    assert!(at, "{error}");
                }
            }
        }
    }

    #[test]
    fn rows_share_the_columns_and_find_their_own_extremes() {
        let n = 100_000;
        let y = (0..n).map(f64::from).collect();
        for points in both(&along_y(y)) {
            let points = points.unwrap();
            let part = points.rows(70_000..80_000);
            assert_eq!(part.at(3), [1.0, 70_003.0, -1.0]);
            assert_eq!(part.extremes().lo[1], 70_000.0);
            assert_eq!(part.extremes().hi[1], 79_999.0);
            assert_eq!(part.within().hi[1], 99_999.0);
            assert_eq!(
                part.rows(1..2),
                Points::from_rows(&[[1.0, 70_001.0, -1.0]]).unwrap()
            );
            assert!(points.rows(5..5).is_empty());
        }
    }
}
