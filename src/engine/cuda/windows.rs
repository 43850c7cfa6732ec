//! Windows of the bins: where the sums do not fit into a block's shared memory, pairs of cells are visited by their separation, a window of
//! the bins at a time.
//!
//! Entry: [`windows`]. Cells and their neighbours have a distance between their centres, and all their pairs are within a cell's diagonal
//! of it; so neighbours in order of that distance fall into windows that each hold all their pairs. Every neighbour is in one window.

use std::collections::HashSet;
use std::ops::Range;

use super::frame::{Grid, Order, Row};
use crate::separation::norm2;

/// Neighbour rows whose pairs fall into one window.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Window {
    /// Among the rows of all windows: first those between cells of one label, or of none, then those between cells of different labels.
    pub(super) rows: Range<u32>,
    pub(super) within: u32,
    /// Slots across that the window begins with, holds, and counts pairs in; padding falls into the rest.
    pub(super) first: u32,
    pub(super) slots: u32,
    pub(super) flushed: u32,
    /// How far along x from a tile's centre padding lies.
    pub(super) pad: f64,
    /// Whether the pairs within a cell are visited.
    pub(super) own: bool,
}

impl Window {
    /// Rows between cells of different labels.
    pub(super) fn apart(&self) -> u32 {
        self.rows.end - self.rows.start - self.within
    }

    /// The most rows that a tile meets.
    pub(super) fn most_rows(&self) -> u32 {
        self.within.max(self.apart())
    }
}

/// Where separations lie among the slots across.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeparationSlots<'a> {
    pub(super) edges: &'a [f64],
    /// Slots below the one that is below the first edge, and all there are.
    pub(super) skip: u32,
    pub(super) number: u32,
}

/// Slots by which rounding may move a pair, and more.
const SLACK: u32 = 3;
/// More than a cell's diagonal by all that rounding may add.
const DIAGONAL: f64 = 1.0 + 1e-5;

impl SeparationSlots<'_> {
    fn width(&self) -> f64 {
        let bins = self.edges.len() - 1;
        (self.edges[bins] - self.edges[0]) / bins as f64
    }

    /// The slot of a separation.
    fn at(&self, separation: f64) -> u32 {
        let bins = self.edges.len() - 1;
        let slot = if separation < self.edges[0] {
            -((self.edges[0] - separation) / self.width()).floor()
        } else if separation < self.edges[bins] {
            self.edges.partition_point(|e| *e <= separation) as f64
        } else {
            (bins + 1) as f64 + ((separation - self.edges[bins]) / self.width()).floor()
        };
        (slot + f64::from(self.skip)).clamp(0.0, f64::from(self.number - 1)) as u32
    }

    /// A separation that is not below the slot.
    fn begin(&self, slot: u32) -> f64 {
        let bins = self.edges.len() - 1;
        let edge = f64::from(slot) - f64::from(self.skip) - 1.0;
        if edge < 0.0 {
            0.0
        } else if edge <= bins as f64 {
            self.edges[edge as usize]
        } else {
            self.edges[bins] + (edge - bins as f64) * self.width()
        }
    }
}

/// A cell's diagonal; without the component along `axis`, where there is one.
fn diagonal(grid: &Grid, axis: Option<usize>) -> f64 {
    let signs = [
        [1.0, 1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, -1.0, 1.0],
        [1.0, 1.0, -1.0],
    ];
    let longest = signs.map(|sign| distance(grid, sign, axis));
    longest.into_iter().fold(0.0, f64::max) * DIAGONAL
}

/// The length of a vector in cells, likewise.
fn distance(grid: &Grid, s: [f64; 3], axis: Option<usize>) -> f64 {
    let mut v = grid
        .frame
        .combine(std::array::from_fn(|k| s[k] / f64::from(grid.cells[k])));
    if let Some(axis) = axis {
        v[axis] = 0.0;
    }
    norm2(v).sqrt()
}

/// One neighbour of every cell.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Neighbour {
    distance: f64,
    across: i32,
    x: i32,
    /// Whether it is one for a cell of the same label.
    within: bool,
}

fn neighbours(grid: &Grid, rows: &[Row], axis: Option<usize>) -> Vec<Neighbour> {
    let mut all = Vec::new();
    for &[across, low, high, part] in rows {
        // Part 1 is what lies right of the cell itself, 2 what lies left of it.
        let run = match part {
            1 => 1..=high,
            2 => low..=-1,
            _ => low..=high,
        };
        let [y, z] = [f64::from(across as i16), f64::from(across >> 16)];
        all.extend(run.map(|x| Neighbour {
            distance: distance(grid, [f64::from(x), y, z], axis),
            across,
            x,
            within: true,
        }));
    }
    all
}

/// The neighbours of a cell of any label; which of them those of the same label have, an auto count may visit from the other side.
fn neighbours_of_labels(grid: &Grid, axis: Option<usize>) -> Vec<Neighbour> {
    let place = |n: &Neighbour| (n.across, n.x);
    let within = neighbours(grid, &grid.rows, axis);
    let within: HashSet<_> = within.iter().map(place).collect();
    let mut all = neighbours(grid, &grid.apart, axis);
    for neighbour in &mut all {
        neighbour.within = within.contains(&place(neighbour));
    }
    all
}

/// The largest separation that windows must have a slot for, padding included.
pub(super) fn farthest(grid: &Grid, edges: &[f64]) -> f64 {
    let far = neighbours(grid, &grid.rows, None)
        .iter()
        .fold(0.0, |far: f64, n| far.max(n.distance));
    let slots = SeparationSlots {
        edges,
        skip: 0,
        number: u32::MAX,
    };
    far + 2.2 * diagonal(grid, None) + 3.0 * f64::from(SLACK) * slots.width()
}

/// Runs of sorted neighbours as rows.
fn rows_of(neighbours: &[Neighbour]) -> Vec<Row> {
    let runs = neighbours.chunk_by(|a, b| a.across == b.across && a.x + 1 == b.x);
    let row = |run: &[Neighbour]| [run[0].across, run[0].x, run[run.len() - 1].x, 0];
    runs.map(row).collect()
}

/// The rows within labels and between them, at most `batch` of either together.
fn batches(mut window: Vec<Neighbour>, batch: usize, labelled: bool) -> Vec<[Vec<Row>; 2]> {
    window.sort_by_key(|n| (n.across, n.x));
    if !labelled {
        let rows = rows_of(&window);
        return rows
            .chunks(batch)
            .map(|rows| [rows.to_vec(), vec![]])
            .collect();
    }
    let runs: Vec<&[Neighbour]> = window
        .chunk_by(|a, b| a.across == b.across && a.x + 1 == b.x)
        .collect();
    // Without the cell itself a run may be two.
    let batches = runs.chunks(batch.max(2) - 1).map(|runs| {
        let apart = runs.concat();
        let within: Vec<Neighbour> = apart.iter().copied().filter(|n| n.within).collect();
        [rows_of(&within), rows_of(&apart)]
    });
    batches.collect()
}

/// The windows of at most `most` slots, each with at most `batch` rows, and the rows of all; bins across the line of sight along `axis` where
/// one is given. None where not even one neighbour fits.
pub(super) fn windows(
    grid: &Grid,
    (order, labelled): (Order, bool),
    slots: SeparationSlots<'_>,
    axis: Option<usize>,
    [most, batch]: [u32; 2],
) -> Option<(Vec<Row>, Vec<Window>)> {
    let spread = diagonal(grid, axis);
    let mut all = if labelled {
        neighbours_of_labels(grid, axis)
    } else {
        neighbours(grid, &grid.rows, axis)
    };
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let first = |distance: f64| slots.at((distance - spread).max(0.0)).saturating_sub(SLACK);
    let past = |distance: f64| (slots.at(distance + spread) + SLACK + 1).min(slots.number);
    // Half a diagonal of the tile on either side.
    let pad =
        |distance: f64| slots.begin(past(distance) + 1).max(distance + spread) + 0.51 * spread;
    let end = |distance: f64| (slots.at(pad(distance) + 0.51 * spread) + SLACK).min(slots.number);
    let own = order != Order::Cross;
    let mut rows = Vec::new();
    let mut windows: Vec<Window> = Vec::new();
    let mut begin = 0;
    while begin < all.len() || (own && windows.is_empty()) {
        let with_own = own && windows.is_empty();
        let nearest = if with_own { 0.0 } else { all[begin].distance };
        let low = first(nearest);
        let fits = |distance: f64| end(distance).max(past(distance)) - low <= most;
        if !fits(nearest) {
            return None;
        }
        let number = all[begin..].partition_point(|n| fits(n.distance));
        let window = &all[begin..begin + number];
        let farthest = window.last().map_or(nearest, |n| n.distance);
        let mut parts = batches(window.to_vec(), batch as usize, labelled);
        if parts.is_empty() {
            parts.push([vec![], vec![]]);
        }
        for (k, [within, apart]) in parts.into_iter().enumerate() {
            let from = rows.len() as u32;
            let n_within = within.len() as u32;
            rows.extend(within);
            rows.extend(apart);
            windows.push(Window {
                rows: from..rows.len() as u32,
                within: n_within,
                first: low,
                slots: end(farthest).max(past(farthest)) - low,
                flushed: past(farthest) - low,
                pad: pad(farthest),
                own: with_own && k == 0,
            });
        }
        begin += number;
    }
    Some((rows, windows))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::Reach;
    use crate::engine::Pairs;
    use crate::engine::cuda::frame::Frame;
    use crate::engine::cuda::suite::{Scatter, domains, particles};

    #[test]
    fn every_neighbour_is_in_one_window_that_holds_its_pairs() {
        for (name, domain) in domains() {
            let sample = particles(&domain, 500, Scatter::Uniform, 1);
            let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
            let reach = domain.reach().min(1.0);
            let edges: Vec<f64> = (0..=20_000)
                .map(|k| reach * f64::from(k) / 20_000.0)
                .collect();
            for order in [Order::Cross, Order::Unordered, Order::Ordered] {
                let radius = Reach::Sphere(reach);
                let grid =
                    Grid::of_single_cells(frame.clone(), radius, 100_000, 24.0, 64, order, 1.0);
                let slots = SeparationSlots {
                    edges: &edges,
                    skip: 0,
                    number: 20_002,
                };
                for labelled in [false, true] {
                    every_neighbour_is_in_one_window(&grid, (order, labelled), slots, name);
                }
            }
        }
    }

    fn every_neighbour_is_in_one_window(
        grid: &Grid,
        kinds: (Order, bool),
        slots: SeparationSlots<'_>,
        name: &str,
    ) {
        let (order, labelled) = kinds;
        let (rows, windows) = windows(grid, kinds, slots, None, [9000, 300]).unwrap();
        let mut met: [Vec<[i32; 2]>; 2] = Default::default();
        let cell = diagonal(grid, None);
        for window in &windows {
            assert!(window.slots <= 9000 && window.flushed <= window.slots);
            assert!(window.most_rows() <= 300);
            assert!(labelled || window.apart() == 0);
            let own = &rows[window.rows.start as usize..window.rows.end as usize];
            let (within, apart) = own.split_at(window.within as usize);
            for (met, rows) in met.iter_mut().zip([within, apart]) {
                for &[across, low, high, part] in rows {
                    assert_eq!(part, 0);
                    for x in low..=high {
                        met.push([across, x]);
                        let s = [x, i32::from(across as i16), across >> 16].map(f64::from);
                        let apart = distance(grid, s, None);
                        let [near, far] =
                            [apart - cell, apart + cell].map(|d| slots.at(d.max(0.0)));
                        let counted = window.first..window.first + window.flushed;
                        assert!(counted.contains(&near) && counted.contains(&far), "{name}");
                    }
                }
            }
            // Padding is in none of the slots that count.
            let nearest = slots.at(window.pad - 0.5 * cell);
            assert!(nearest >= window.first + window.flushed || nearest == slots.number - 1);
        }
        let own = windows.iter().filter(|w| w.own).count();
        assert_eq!(own, usize::from(order != Order::Cross));
        let apart: &[Row] = if labelled { &grid.apart } else { &[] };
        for (mut met, rows) in met.into_iter().zip([&grid.rows[..], apart]) {
            let all = neighbours(grid, rows, None);
            let mut all: Vec<[i32; 2]> = all.iter().map(|n| [n.across, n.x]).collect();
            met.sort_unstable();
            all.sort_unstable();
            assert_eq!(met, all, "{name} {order:?} {labelled}");
        }
    }

    /// A filter may take a pair for one slot higher than it is, and takes padding for what it is.
    #[test]
    fn pairs_and_padding_have_slots_in_their_windows() {
        for (name, domain) in domains() {
            let sample = particles(&domain, 500, Scatter::Uniform, 1);
            let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
            let reach = domain.reach().min(1.0);
            for (n, most) in [(40, 300), (400, 300), (20_000, 9000)] {
                let edges: Vec<f64> = (0..=n)
                    .map(|k| reach * f64::from(k) / f64::from(n))
                    .collect();
                let (sphere, order) = (Reach::Sphere(reach), Order::Cross);
                let grid =
                    Grid::of_single_cells(frame.clone(), sphere, 100_000, 24.0, 64, order, 1.0);
                let slots = SeparationSlots {
                    edges: &edges,
                    skip: 0,
                    number: u32::MAX,
                };
                let (rows, windows) =
                    windows(&grid, (order, false), slots, None, [most, 300]).unwrap();
                let (cell, largest) = (diagonal(&grid, None), farthest(&grid, &edges));
                for window in &windows {
                    let past = window.first + window.flushed;
                    for &[across, low, high, _] in
                        &rows[window.rows.start as usize..window.rows.end as usize]
                    {
                        for x in low..=high {
                            let s = [x, i32::from(across as i16), across >> 16].map(f64::from);
                            let far = slots.at(distance(&grid, s, None) + cell);
                            assert!(far + 1 < past, "{name}: {far}");
                        }
                    }
                    let [near, far] = [-0.5, 0.5].map(|half| window.pad + half * cell);
                    assert!(slots.at(near) >= past, "{name}: {near}");
                    assert!(
                        slots.at(far) + 1 < window.first + window.slots,
                        "{name}: {far}"
                    );
                    assert!(far <= largest, "{name}: {far} {largest}");
                }
            }
        }
    }

    #[test]
    fn too_little_room_for_one_neighbour_is_told() {
        let (_, domain) = domains().swap_remove(0);
        let sample = particles(&domain, 50, Scatter::Uniform, 1);
        let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
        let reach = Reach::Sphere(1.0);
        let grid = Grid::of_single_cells(frame, reach, 50, 8.0, 64, Order::Cross, 1.0);
        let edges: Vec<f64> = (0..=1000).map(|k| f64::from(k) / 1000.0).collect();
        let slots = SeparationSlots {
            edges: &edges,
            skip: 0,
            number: 1002,
        };
        let kinds = (Order::Cross, false);
        assert_eq!(windows(&grid, kinds, slots, None, [100, 300]), None);
    }
}
