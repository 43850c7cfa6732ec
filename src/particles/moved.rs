//! Points that move, such as into a box: in place where nobody shares their columns.
//!
//! Entry: `Points::moved`. Where to is up to the caller.

use super::column::{Column, Table};
use super::points::Points;
use crate::pool;

impl Points {
    /// The points at `to(position)`, of which the coordinates along the axes named are taken: in place where nobody shares them.
    pub(crate) fn moved(self, axes: [bool; 3], to: impl Fn([f64; 3]) -> [f64; 3] + Sync) -> Self {
        Self::from_checked(match Column::into_sole_table(self.columns) {
            Ok(mut table) => {
                move_rows(&mut table, &to);
                table.into_columns()
            }
            Err(columns) => moved_columns(columns, axes, &to),
        })
    }
}

fn move_rows(table: &mut Table<f64>, to: &(impl Fn([f64; 3]) -> [f64; 3] + Sync)) {
    let first = table.first;
    pool::for_each_row(table.rows_mut(), |row| {
        let moved = to(first.map(|k| row[k]));
        for (k, x) in first.into_iter().zip(moved) {
            row[k] = x;
        }
    });
}

fn moved_columns(
    columns: [Column; 3],
    axes: [bool; 3],
    to: &(impl Fn([f64; 3]) -> [f64; 3] + Sync),
) -> [Column; 3] {
    let n = columns[0].len();
    let mut targets = [vec![], vec![], vec![]];
    let mut given = [None, None, None];
    for (axis, column) in columns.into_iter().enumerate() {
        match (axes[axis], column) {
            (false, column) => given[axis] = Some(column),
            (true, column) => match column.into_sole() {
                Ok(values) => targets[axis] = values,
                Err(column) => {
                    targets[axis] = vec![0.0; n];
                    given[axis] = Some(column);
                }
            },
        }
    }
    let views = given
        .each_ref()
        .map(|column| column.as_ref().map(Column::view));
    let slices = targets.each_mut().map(Vec::as_mut_slice);
    pool::for_each_stretch(slices, |begin, mut parts| {
        let rows = parts.iter().map(|part| part.len()).max().unwrap_or(0);
        for k in 0..rows {
            let at = |axis: usize| views[axis].map_or_else(|| parts[axis][k], |v| v.at(begin + k));
            let moved = to([at(0), at(1), at(2)]);
            for (part, x) in parts.iter_mut().zip(moved) {
                if let Some(coordinate) = part.get_mut(k) {
                    *coordinate = x;
                }
            }
        }
    });
    let mut given = given.into_iter();
    targets.map(|values| match given.next().flatten() {
        Some(column) if values.len() < n => column,
        _ => Column::from(values),
    })
}

#[cfg(test)]
mod tests {
    use super::super::extremes::{Extremes, look};
    use super::*;
    use ndarray::Array2;

    #[test]
    fn points_move_in_place_where_nobody_shares_them() {
        let column = |m: usize| -> Vec<f64> { (0..100_000).map(|k| (k * m) as f64).collect() };
        let columns = [column(1), column(2), column(3)];
        let to = |[x, y, z]: [f64; 3]| [z, x + 0.5, y];
        let expected = |axes: [bool; 3], row: usize| -> [f64; 3] {
            let x = columns.each_ref().map(|column| column[row]);
            let moved = to(x);
            std::array::from_fn(|k| if axes[k] { moved[k] } else { x[k] })
        };
        let address = |points: &Points| {
            points
                .columns()
                .map(|column| column.as_slice().map(<[f64]>::as_ptr))
        };
        for axes in [[true; 3], [false, true, false], [false; 3]] {
            let [x, y, z] = columns.clone();
            let own = Points::new(x, y, z).unwrap();
            let cells = Array2::from_shape_fn((own.len(), 3), |(row, axis)| columns[axis][row]);
            let table = Points::try_from(cells).unwrap();
            let shared = own.clone().moved(axes, to);
            let before = address(&own);
            let alone = own.moved(axes, to);
            assert_eq!(address(&alone), before, "in place");
            for points in [&shared, &alone] {
                for row in [0, 1, 50_000, 99_999] {
                    assert_eq!(points.at(row), expected(axes, row));
                }
                let again = Extremes::of(look(&points.columns));
                assert_eq!(*points.extremes(), again);
            }
            assert_eq!(
                address(&shared).map(|a| before.contains(&a)),
                axes.map(|axis| !axis)
            );
            // Rows of a table move as a whole.
            let kept = table.clone();
            let [copied, moved] = [kept, table].map(|points| points.moved([true; 3], to));
            assert_eq!(copied, moved);
            assert!(copied.columns()[0].as_slice().is_some(), "copied apart");
            assert!(moved.columns()[0].as_slice().is_none(), "still a table");
            assert_eq!(moved.at(99_999), expected([true; 3], 99_999));
        }
    }
}
