//! Which tiles meet which labels, class by class.
//!
//! Entry: [`meetings`]. Cells of one label come before those of the next; a tile is of one label and meets the cells of another, so that all
//! its pairs are of one class.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::carried::Labels;
use super::frame::{Grid, Order, Tile, tiles};
use super::labelled::LabelCells;
use crate::pool;

/// What a tile meets: the second label, a table, another or none, whether both labels are one.
pub(super) type Meeting = [u32; 4];

/// The most tiles, each as often as it meets a label, that are held in memory.
const MOST: usize = 1 << 26;

/// No second table.
const NONE: u32 = u32::MAX;

/// A cell along each axis.
fn place(grid: &Grid, cell: u32) -> [i32; 3] {
    let [nx, ny, _] = grid.cells;
    [cell % nx, cell / nx % ny, cell / nx / ny].map(|x| x as i32)
}

/// Whether a tile may have neighbours among the cells of a label.
fn near(grid: &Grid, tile: &Tile, label: &LabelCells) -> bool {
    let at = place(grid, tile[0]);
    (0..3).all(|k| {
        let more = if k == 0 { tile[1] as i32 - 1 } else { 0 };
        let (low, high) = (at[k] - grid.span[k], at[k] + more + grid.span[k]);
        let period = grid.cells[k] as i32;
        let from = label.low[k] as i32;
        let to = from + label.cells[k] as i32 - 1;
        if !grid.frame.periodic[k] {
            return low <= to && from <= high;
        }
        // The first cell at or beyond `from` that is an image of one in reach.
        let first = from + (low - from).rem_euclid(period);
        high - low + 1 >= period || first <= to || first - period + (high - low) >= from
    })
}

/// The tiles of each label with each label near, those of a class together, the larger classes first; `start` holds the first row of each
/// cell of `boxes`, label by label, of the first sample and of the second where there is one; tiles hold so many rows at most and are in some
/// lines of the grid. None where they are too many to be held.
pub(super) fn meetings(
    grid: &Grid,
    (start, boxes): (&[Vec<u32>], &[Vec<LabelCells>; 2]),
    labels: Labels,
    (order, tile): (Order, (u32, &Range<usize>)),
) -> Option<(Vec<Tile>, Vec<Meeting>)> {
    let last = start.len() - 1;
    let seconds = boxes[last].iter().enumerate();
    let seconds = seconds.filter(|(_, label)| label.number() > 0);
    let seconds: Vec<(u32, &LabelCells)> = seconds.map(|(k, label)| (k as u32, label)).collect();
    let held = AtomicUsize::new(0);
    let of_label = |first: u32| {
        let label = &boxes[0][first as usize];
        let starts = &start[0][label.begin as usize..=(label.begin + label.number()) as usize];
        let own = tiles(grid, [label.low, label.cells], starts, tile);
        // An auto count that holds each pair once holds those of two labels with the lower one first.
        let once = |second: u32| order != Order::Unordered || second >= first;
        let class = |&(second, label): &(u32, &LabelCells)| {
            if held.load(Ordering::Relaxed) > MOST {
                return (vec![], [0; 4]);
            }
            let within = order != Order::Cross && second == first;
            let tables = labels.tables.of(first, second);
            let [one, other] = tables.map(|table| table.map_or(NONE, |table| table as u32));
            let meeting = [second, one, other, u32::from(within)];
            let near = own.iter().filter(|tile| near(grid, tile, label));
            let met: Vec<Tile> = near.copied().collect();
            held.fetch_add(met.len(), Ordering::Relaxed);
            (met, meeting)
        };
        let seconds = seconds.iter().filter(|(second, _)| once(*second));
        seconds.map(class).collect::<Vec<_>>()
    };
    let first_labels = labels.numbers[0] as usize;
    let mut classes = pool::each(first_labels, |first| of_label(first as u32)).concat();
    if held.into_inner() > MOST {
        return None;
    }
    // The largest first: what comes last is soon done, and no block waits long for another.
    classes.sort_by_key(|(tiles, _)| std::cmp::Reverse(tiles.len()));
    let meetings = classes.iter();
    let meetings = meetings.flat_map(|(tiles, meeting)| std::iter::repeat_n(*meeting, tiles.len()));
    let meetings = meetings.collect();
    Some((
        classes.into_iter().flat_map(|(tiles, _)| tiles).collect(),
        meetings,
    ))
}
