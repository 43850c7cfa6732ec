//! The units of a job: what one launch does, and who takes the next one.
//!
//! Entry: [`work`] cuts them, [`Queue`] hands them out. They are the same on every device, whatever the order within a cell.

use std::sync::atomic::{AtomicU64, Ordering};

use super::device::{Device, Kernel, Shape};
use super::error::CudaError;
use super::frame::{Order, Tile, tiles};
use super::layout::{Job, Unit};
use super::plan::{Layout, Plan};

/// Units handed out, over all devices of a run: a device takes the next one when it has done its last.
#[derive(Debug, Default)]
pub(super) struct Queue(AtomicU64);

impl Queue {
    /// The number of the next unit, if there is one.
    pub(super) fn next(&self, units: &[Unit]) -> Option<usize> {
        let k = usize::try_from(self.0.fetch_add(1, Ordering::Relaxed)).ok()?;
        (k < units.len()).then_some(k)
    }

    /// Hands out nothing more.
    pub(super) fn close(&self) {
        self.0.store(u64::MAX / 2, Ordering::Relaxed);
    }
}

/// Candidate pairs in one unit: long enough to fill a device, short enough to be stopped.
const UNIT_PAIRS: f64 = 1e11;
/// Units each device should get at least, so that none waits long for the last.
const UNITS_A_DEVICE: f64 = 16.0;
/// Blocks in a launch for each block that runs at a time.
const ROUNDS: u64 = 16;

/// Cuts at most `wanted` units from the tiles, never within a run of cells: on every device a unit holds the same pairs.
fn tile_units(tiles: &[Tile], wanted: u64) -> Vec<Unit> {
    let each = (tiles.len() as u64).div_ceil(wanted.max(1)).max(1);
    let mut units = Vec::new();
    let mut begin = 0;
    while begin < tiles.len() {
        let mut end = (begin + each as usize).min(tiles.len());
        while end < tiles.len() && tiles[end][0] == tiles[end - 1][0] {
            end += 1;
        }
        units.push(Unit {
            begin: begin as u64,
            end: end as u64,
            chunk: 0,
        });
        begin = end;
    }
    units
}

/// Cuts first rows into units of whole chunks.
fn row_units(rows: u64, chunk: u64, wanted: u64) -> Vec<Unit> {
    let each = rows
        .div_ceil(wanted.max(1))
        .next_multiple_of(chunk)
        .min(chunk * 65_535);
    (0..rows)
        .step_by(each as usize)
        .map(|begin| Unit {
            begin,
            end: rows.min(begin + each),
            chunk,
        })
        .collect()
}

/// How many units a job of this many candidate pairs is worth.
fn units_wanted(pairs: f64, devices: usize) -> u64 {
    let shared = if devices > 1 {
        UNITS_A_DEVICE * devices as f64
    } else {
        1.0
    };
    (pairs / UNIT_PAIRS).max(shared).ceil() as u64
}

/// The units of a job, the shape of their launches and, where there are cells, the tiles.
pub(super) struct Work {
    pub(super) units: Vec<Unit>,
    pub(super) resident: u32,
    pub(super) tiles: Vec<Tile>,
}

/// Cuts a job for `devices` devices; `start` holds the first row of each cell of the first sample.
pub(super) fn work<D: Device>(
    device: &D,
    plan: &Plan,
    job: &Job,
    start: &[u32],
    devices: usize,
) -> Result<Work, CudaError> {
    let shape = Shape {
        grid: [1, 1],
        threads: plan.variant.threads,
        shared: plan.shared,
    };
    let resident = device.resident(Kernel::Count(plan.variant), shape)?;
    let (n1, n2) = (job.first.rows, job.second.rows);
    let pairs = n1 as f64 * n2 as f64;
    match &plan.layout {
        Layout::Sorted(grid) => {
            let tiles = tiles(grid, start, plan.variant.tile);
            let units = tile_units(&tiles, units_wanted(pairs * grid.share, devices));
            Ok(Work {
                units,
                resident,
                tiles,
            })
        }
        Layout::AsGiven(_) => {
            let share = if plan.order == Order::Unordered {
                0.5
            } else {
                1.0
            };
            let wanted = units_wanted(pairs * share, devices);
            let columns = n2.div_ceil(u64::from(plan.variant.threads * plan.variant.points));
            let blocks = u64::from(resident) * ROUNDS * wanted;
            let tile = u64::from(plan.variant.tile);
            let chunk = (n1 * columns)
                .div_ceil(blocks)
                .next_multiple_of(tile)
                .clamp(tile, 1 << 16);
            Ok(Work {
                units: row_units(n1, chunk, wanted),
                resident,
                tiles: Vec::new(),
            })
        }
    }
}

/// The launch of a unit.
pub(super) fn launch_shape(plan: &Plan, job: &Job, unit: &Unit, resident: u32) -> Shape {
    let grid = match &plan.layout {
        Layout::Sorted(_) => [
            u64::from(resident).min(unit.end - unit.begin).max(1) as u32,
            1,
        ],
        Layout::AsGiven(_) => {
            let columns = job
                .second
                .rows
                .div_ceil(u64::from(plan.variant.threads * plan.variant.points));
            [
                columns as u32,
                (unit.end - unit.begin).div_ceil(unit.chunk) as u32,
            ]
        }
    };
    Shape {
        grid,
        threads: plan.variant.threads,
        shared: plan.shared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_every_row_once_in_whole_chunks() {
        for (rows, chunk, wanted) in [
            (1, 256, 1),
            (1000, 256, 3),
            (100_000, 256, 7),
            (1 << 26, 256, 1),
        ] {
            let units = row_units(rows, chunk, wanted);
            assert_eq!(units[0].begin, 0);
            assert_eq!(units[units.len() - 1].end, rows);
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert_eq!(pair[1].begin % chunk, 0);
            }
            assert!(
                units
                    .iter()
                    .all(|u| (u.end - u.begin).div_ceil(chunk) <= 65_535)
            );
        }
    }

    #[test]
    fn units_do_not_cut_a_run_of_cells() {
        // Runs of 1, 3, 1 and 2 tiles.
        let tiles: Vec<Tile> = [0, 4, 4, 4, 8, 9, 9].map(|cell| [cell, 1, 0, 0]).to_vec();
        for wanted in 1..9 {
            let units = tile_units(&tiles, wanted);
            assert_eq!((units[0].begin, units[units.len() - 1].end), (0, 7));
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert!([1, 4, 5].contains(&pair[0].end));
            }
        }
    }
}
