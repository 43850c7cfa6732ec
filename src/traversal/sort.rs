//! Sorting points: a parallel counting sort into coarse cells, then medians down to leaves.
//!
//! Cells are the leaves of a tree that halves the longest side of the sample's box again and again; their order is the order of
//! that tree, so that neighbours in memory are neighbours in space.

use rayon::prelude::*;

use super::bounds::{Bounds, greater, lesser};
use super::layout::{BLOCK, LEAF};
use crate::particles::{Points, run_start};

/// A point on its way to its slot: coordinates rounded for choosing medians, and its row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Key {
    x: [f32; 3],
    pub(super) row: u32,
}

/// Points that a coarse cell should hold on average.
const CELL_TARGET: usize = 512;

/// Largest number of times that the box is halved.
pub(super) const MAX_HALVINGS: u32 = 20;

/// Points above which the two halves of a median split are sorted by two threads.
const SPLIT_IN_PARALLEL: usize = 1 << 15;

/// The map from a position to the number of its coarse cell.
struct Cells {
    lo: [f64; 3],
    /// Steps per unit length on each axis.
    steps: [f64; 3],
    /// For each axis, the bits of the cell number that each step sets.
    deposits: [Vec<u32>; 3],
    number: usize,
}

impl Cells {
    fn new(bounds: &Bounds, n: usize) -> Self {
        let halvings = (n / CELL_TARGET).max(1).ilog2().min(MAX_HALVINGS);
        let mut side = bounds.half.map(|half| 2.0 * half);
        let mut axes = vec![];
        for _ in 0..halvings {
            let longest = (0..3).fold(0, |best, k| if side[k] > side[best] { k } else { best });
            side[longest] /= 2.0;
            axes.push(longest);
        }
        let lo = std::array::from_fn(|k| bounds.centre[k] - bounds.half[k]);
        let deposits = std::array::from_fn(|axis| Self::deposits(&axes, axis));
        let steps = std::array::from_fn(|k| {
            let n_steps = 1u64 << axes.iter().filter(|&&axis| axis == k).count();
            let scale = n_steps as f64 / (2.0 * bounds.half[k]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        Self {
            lo,
            steps,
            deposits,
            number: 1 << halvings,
        }
    }

    /// Spreads the bits of a step number along `axis` to where the halvings of that axis stand.
    fn deposits(axes: &[usize], axis: usize) -> Vec<u32> {
        let places: Vec<usize> = (0..axes.len())
            .filter(|&k| axes[k] == axis)
            .map(|k| axes.len() - 1 - k)
            .collect();
        (0..1usize << places.len())
            .map(|step| {
                let bit = |(k, &place): (usize, &usize)| {
                    (((step >> (places.len() - 1 - k)) & 1) as u32) << place
                };
                places.iter().enumerate().map(bit).sum()
            })
            .collect()
    }

    #[inline]
    fn of(&self, x: [f64; 3]) -> u32 {
        let mut cell = 0;
        for (axis, x) in x.into_iter().enumerate() {
            let step = ((x - self.lo[axis]) * self.steps[axis]) as usize;
            let deposits = &self.deposits[axis];
            cell |= deposits[step.min(deposits.len() - 1)];
        }
        cell
    }
}

/// Runs of a sample, each sorted by cell; together they hold every point once.
struct SortedRun {
    keys: Vec<Key>,
    /// Where each cell begins; one entry more than there are cells.
    starts: Vec<u32>,
}

/// Turns numbers into running sums; a run has fewer points than a row number has values.
fn accumulate(numbers: &mut [u32]) {
    let mut sum = 0;
    for number in numbers {
        sum += *number;
        *number = sum;
    }
}

fn sort_run(
    points: &Points,
    rows: std::ops::Range<usize>,
    cells: &Cells,
    bounds: &Bounds,
) -> SortedRun {
    let [x, y, z] = points.columns();
    let of_row = |row: usize| cells.of([x[row], y[row], z[row]]);
    let numbers: Vec<u32> = rows.clone().map(of_row).collect();
    let mut starts = vec![0u32; cells.number + 1];
    for &cell in &numbers {
        starts[cell as usize + 1] += 1;
    }
    accumulate(&mut starts);
    let mut next = starts.clone();
    let mut keys = vec![Key::default(); rows.len()];
    for (&cell, row) in numbers.iter().zip(rows) {
        let slot = &mut next[cell as usize];
        keys[*slot as usize] = Key {
            x: [
                (x[row] - bounds.centre[0]) as f32,
                (y[row] - bounds.centre[1]) as f32,
                (z[row] - bounds.centre[2]) as f32,
            ],
            row: row as u32,
        };
        *slot += 1;
    }
    SortedRun { keys, starts }
}

/// The points of each non-empty coarse cell, in order of the cells, sorted so that every [`BLOCK`] and in it every [`LEAF`]
/// consecutive points are compact.
pub(super) fn sorted_cells(points: &Points, bounds: &Bounds) -> Vec<Vec<Key>> {
    let n = points.len();
    let cells = Cells::new(bounds, n);
    let n_runs = (n / 50_000).clamp(1, 4 * rayon::current_num_threads());
    let cut = |k: usize| run_start(n, k, n_runs);
    let runs: Vec<SortedRun> = (0..n_runs)
        .into_par_iter()
        .map(|k| sort_run(points, cut(k)..cut(k + 1), &cells, bounds))
        .collect();
    (0..cells.number)
        .into_par_iter()
        .with_min_len(16)
        .filter_map(|cell| {
            let parts = runs.iter().map(|run| {
                let (from, to) = (run.starts[cell], run.starts[cell + 1]);
                &run.keys[from as usize..to as usize]
            });
            let mut keys: Vec<Key> = parts.flatten().copied().collect();
            split(&mut keys);
            (!keys.is_empty()).then_some(keys)
        })
        .collect()
}

/// Splits at medians of the longest side until every leaf is together.
fn split(keys: &mut [Key]) {
    let unit = if keys.len() > BLOCK { BLOCK } else { LEAF };
    if keys.len() <= LEAF {
        return;
    }
    // The left side is a whole number of units, so that only the last one is not full.
    let left = keys.len().div_ceil(unit).div_ceil(2) * unit;
    let (mut lo, mut hi) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for key in keys.iter() {
        for k in 0..3 {
            lo[k] = lesser(key.x[k], lo[k]);
            hi[k] = greater(key.x[k], hi[k]);
        }
    }
    let axis = (1..3).fold(0, |best, k| {
        if hi[k] - lo[k] > hi[best] - lo[best] {
            k
        } else {
            best
        }
    });
    if left < keys.len() {
        keys.select_nth_unstable_by(left, |a, b| a.x[axis].total_cmp(&b.x[axis]));
    }
    let parallel = keys.len() > SPLIT_IN_PARALLEL;
    let (left, right) = keys.split_at_mut(left.min(keys.len()));
    if parallel {
        rayon::join(|| split(left), || split(right));
    } else {
        split(left);
        split(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::MAX_PARTICLES;

    #[test]
    fn a_run_as_long_as_the_largest_sample_has_32_bit_starts() {
        let most = MAX_PARTICLES as u32;
        let mut starts = [0, most - 3, 0, 2, 1];
        accumulate(&mut starts);
        assert_eq!(starts, [0, most - 3, most - 3, most - 1, most]);
    }

    #[test]
    fn the_largest_sample_has_cells_that_can_be_numbered() {
        for half in [[1.0; 3], [1.0, 0.0, 0.0], [1e6, 1.0, 1e-6]] {
            let bounds = Bounds {
                centre: [0.0; 3],
                half,
            };
            let cells = Cells::new(&bounds, MAX_PARTICLES);
            assert_eq!(cells.number, 1 << MAX_HALVINGS);
            assert_eq!(cells.of(half.map(|h| -h)), 0);
            assert_eq!(cells.of(half) as usize, cells.number - 1, "{half:?}");
        }
    }
}
