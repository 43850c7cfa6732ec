//! Which tiles meet which labels, class by class.
//!
//! Entry: [`meetings`]. Cells of one label come before those of the next, each label in the same cells; a tile is of one label and meets
//! the cells of another, so that all its pairs are of one class.

use super::carried::Labels;
use super::frame::{Grid, Order, Tile, tiles};

/// What a tile meets: first cell of the second label, a table, another or none, whether both labels are one.
pub(super) type Meeting = [u32; 4];

/// The most tiles, each as often as it meets a label, that are held in memory.
const MOST: usize = 1 << 26;

/// No second table.
const NONE: u32 = u32::MAX;

/// The lowest and highest cell along each axis that hold points of a label.
type Extent = [[i32; 2]; 3];

/// Where a label's points are; none where there are none.
fn extent(grid: &Grid, start: &[u32]) -> Option<Extent> {
    let mut extent: Option<Extent> = None;
    for cell in (0..grid.number()).filter(|&cell| start[cell as usize + 1] > start[cell as usize]) {
        let at = place(grid, cell);
        extent = Some(match extent {
            None => at.map(|x| [x, x]),
            Some(extent) => {
                std::array::from_fn(|k| [extent[k][0].min(at[k]), extent[k][1].max(at[k])])
            }
        });
    }
    extent
}

/// A cell along each axis.
fn place(grid: &Grid, cell: u32) -> [i32; 3] {
    let [nx, ny, _] = grid.cells;
    [cell % nx, cell / nx % ny, cell / nx / ny].map(|x| x as i32)
}

/// Whether a tile may have neighbours within the cells of `extent`.
fn near(grid: &Grid, tile: &Tile, extent: &Extent) -> bool {
    let at = place(grid, tile[0]);
    (0..3).all(|k| {
        let more = if k == 0 { tile[1] as i32 - 1 } else { 0 };
        let (low, high) = (at[k] - grid.span[k], at[k] + more + grid.span[k]);
        let period = grid.cells[k] as i32;
        let [from, to] = extent[k];
        if !grid.frame.periodic[k] {
            return low <= to && from <= high;
        }
        // The first cell at or beyond `from` that is an image of one in reach.
        let first = from + (low - from).rem_euclid(period);
        high - low + 1 >= period || first <= to || first - period + (high - low) >= from
    })
}

/// The tiles of each label with each label near, those of a class together; `start` holds the first row of each cell, label by label, of the
/// first sample and of the second where there is one. None where they are too many to be held.
pub(super) fn meetings(
    grid: &Grid,
    start: &[Vec<u32>],
    labels: Labels,
    (order, tile): (Order, u32),
) -> Option<(Vec<Tile>, Vec<Meeting>)> {
    let cells = grid.number() as usize;
    let of = |sample: usize, label: u32| {
        let start = &start[sample.min(start.len() - 1)];
        &start[label as usize * cells..=(label as usize + 1) * cells]
    };
    let seconds: Vec<(u32, Extent)> = (0..labels.numbers[1])
        .filter_map(|label| Some((label, extent(grid, of(1, label))?)))
        .collect();
    let mut all = (Vec::new(), Vec::new());
    for first in 0..labels.numbers[0] {
        let own = tiles(grid, of(0, first), tile);
        let own: Vec<&Tile> = own.iter().filter(|tile| tile[3] > tile[2]).collect();
        for (second, extent) in &seconds {
            // An auto count that holds each pair once holds those of two labels with the lower one first.
            if order == Order::Unordered && *second < first {
                continue;
            }
            let within = order != Order::Cross && *second == first;
            let tables = labels.tables.of(first, *second);
            let [one, other] = tables.map(|table| table.map_or(NONE, |table| table as u32));
            let meeting = [second * cells as u32, one, other, u32::from(within)];
            for tile in own.iter().filter(|tile| near(grid, tile, extent)) {
                all.0.push(**tile);
                all.1.push(meeting);
            }
            if all.0.len() > MOST {
                return None;
            }
        }
    }
    Some(all)
}
