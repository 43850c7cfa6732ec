//! The units of a job: what one launch does, and who takes the next one.
//!
//! Entry: [`work`] cuts them, [`Queue`] hands them out. They are the same on every device, for any order within a cell.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use albireo_gpu::{CudaError, Device, LaunchShape, put};
use albireo_kernels::structs::{DeviceJob, Unit};
use albireo_kernels::{Arithmetic, Histogram, Kernel};

use super::carried::Labels;
use super::frame::{Arrangement, Grid, Order, Tile, tiles};
use super::lines::Lines;
use super::meetings::{Meeting, meetings};
use super::plan::LaunchPlan;

/// Units handed out, over all devices of a run: a device takes the next one when it has done its last.
#[derive(Debug, Default)]
pub(super) struct Queue(AtomicU64);

impl Queue {
    /// The number of the next unit, if there is one.
    pub(super) fn next<T>(&self, units: &[T]) -> Option<usize> {
        let k = usize::try_from(self.0.fetch_add(1, Ordering::Relaxed)).ok()?;
        (k < units.len()).then_some(k)
    }

    /// Hands out nothing more.
    pub(super) fn close(&self) {
        self.0.store(u64::MAX / 2, Ordering::Relaxed);
    }
}

/// Candidate pairs in one unit: long enough to fill a device, short enough to be stopped.
const UNIT_PAIRS: f64 = 3e11;
/// Tiles in one unit by tensor cores, at least: some ten for each block that a device holds, so that few wait while the last are counted. For these
/// a unit may be so many times as long; slower kernels would be stopped too late.
const UNIT_TILES: f64 = 4096.0;
const LONGEST: f64 = 4.0;
/// Units each device should get at least, so that none waits long for the last.
const UNITS_A_DEVICE: f64 = 16.0;
/// Parts of a device's share that the last units are, of tiles that several share.
const SMALLEST_SHARE: usize = 64;
/// Pairs that could be counted in the time that a block takes to clear and flush one of its sums.
const FLUSH_PAIRS: f64 = 24.0;
/// Turns that a block should have at least with classes, tiles in a turn, and tiles in a unit, at most.
const TURNS_A_BLOCK: f64 = 12.0;
const MOST_IN_A_TURN: f64 = 8.0;
pub(super) const MOST_MEETINGS: usize = 1 << 17;
/// First rows a block, at most.
const LARGEST_CHUNK: u64 = 1 << 16;

/// Cuts units from so many tiles, never between those of the `same` run of cells: on every device a unit holds the same pairs. They are as long as
/// `wanted` of them would be, or where several `devices` take them half of an even share of what is left, so that all are done at about the same
/// time and few launches end with idle multiprocessors.
fn tile_units(
    number: usize,
    (wanted, devices): (u64, usize),
    same: impl Fn(usize, usize) -> bool,
) -> Vec<Unit> {
    let most = number.div_ceil(wanted.max(1) as usize).max(1);
    let least = number.div_ceil(SMALLEST_SHARE * devices).min(most);
    let mut units = Vec::new();
    let mut begin = 0;
    while begin < number {
        let each = match devices {
            1 => most,
            _ => ((number - begin) / (2 * devices)).clamp(least, most),
        };
        let mut end = (begin + each).min(number);
        while end < number && same(end - 1, end) {
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

/// Cuts first rows into units of whole tiles, independent of the chunks of a device: the same units on every device.
fn row_units(rows: Range<u64>, tile: u64, chunk: u64, wanted: u64) -> Vec<Unit> {
    let each = (rows.end - rows.start)
        .div_ceil(wanted.max(1))
        .next_multiple_of(tile)
        .min(tile * 65_535);
    rows.clone()
        .step_by(each as usize)
        .map(|begin| Unit {
            begin,
            end: rows.end.min(begin + each),
            chunk,
        })
        .collect()
}

/// The whole tiles a block should take of `rows` first rows, with `columns` blocks side by side and `resident` at a time: the last round of
/// blocks nearly full, and few flushes, each worth `flush` rows. With `half` blocks on one side of the diagonal do nothing and those on it
/// less: then blocks end at all times, and about half of one is waited for.
fn best_chunk(
    rows: u64,
    (columns, half): (u64, bool),
    resident: u64,
    tile: u64,
    flush: f64,
) -> u64 {
    let cost = |chunk: u64| {
        let (blocks, work) = (rows.div_ceil(chunk) * columns, chunk as f64 + flush);
        if half {
            (blocks as f64 / 2.0 / resident as f64 + 0.5).max(1.0) * work
        } else {
            blocks.div_ceil(resident) as f64 * work
        }
    };
    (1..=LARGEST_CHUNK / tile)
        .map(|tiles| tiles * tile)
        .take_while(|chunk| *chunk < rows + tile)
        .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
        .unwrap_or(tile)
}

/// How many units some tiles are cut into for each of so many windows, and for how many devices that share them.
fn tiles_wanted(pairs: f64, devices: usize, windows: usize) -> (u64, usize) {
    if windows == 1 {
        return (units_wanted(pairs, 1), devices);
    }
    (units_wanted(pairs, devices).div_ceil(windows as u64), 1)
}

/// How many units so many tiles of tensor cores are cut into.
fn tensor_tiles_wanted(pairs: f64, tiles: usize) -> u64 {
    let long = pairs / UNIT_PAIRS;
    let full = (tiles as f64 / UNIT_TILES).max(long / LONGEST);
    long.min(full).round().max(1.0) as u64
}

/// Which part of a grid's lines these are.
fn part_of(grid: &Grid, lines: &Range<usize>) -> f64 {
    let all = f64::from(grid.cells[1]) * f64::from(grid.cells[2]);
    lines.len() as f64 / all
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
    /// Each with the window that it is done for.
    pub(super) units: Vec<(Unit, usize)>,
    pub(super) resident: u32,
    pub(super) tiles: Vec<Tile>,
    /// With classes, what each of the tiles meets.
    pub(super) meetings: Vec<Meeting>,
}

impl Work {
    /// Some of the tiles, uploaded with what they meet.
    pub(super) fn uploaded<D: Device>(
        &self,
        device: &D,
        tiles: Range<usize>,
    ) -> Result<[D::Memory; 2], CudaError> {
        let meetings = if self.meetings.is_empty() {
            &[]
        } else {
            &self.meetings[tiles.clone()]
        };
        Ok([put(device, &self.tiles[tiles])?, put(device, meetings)?])
    }
}

/// Cuts some lines of a job for `devices` devices; `start` holds the first row of each cell of the first sample, with labels of each sample.
pub(super) fn work<D: Device>(
    device: &D,
    plan: &LaunchPlan,
    job: &DeviceJob,
    start: &[Vec<u32>],
    (labels, devices, lines): (Option<Labels>, usize, &Range<usize>),
) -> Result<Work, CudaError> {
    let shape = LaunchShape {
        grid: [1, 1],
        threads: plan.variant.shape.threads,
        shared: plan.shared,
    };
    let resident = device.resident(Kernel::Count(plan.variant), shape)?;
    let (n1, n2) = (job.first.rows, job.second.rows);
    let pairs = n1 as f64 * n2 as f64;
    match (&plan.arrangement, labels) {
        (Arrangement::Sorted(grid), Some(labels)) => {
            let windows = plan.windows.len().max(1);
            let pairs = pairs * grid.share * part_of(grid, lines);
            let (wanted, sharing) = tiles_wanted(pairs, devices, windows);
            let of_tile = (plan.order, (plan.variant.shape.tile, lines));
            let starts = (start, &plan.boxes);
            let (tiles, meetings) = meetings(grid, starts, labels, of_tile).ok_or(
                CudaError::Unsupported("labels as many and as mixed as these"),
            )?;
            // A few turns for each block, so that none waits long for the last.
            let turns = f64::from(resident) * TURNS_A_BLOCK;
            let chunk = (tiles.len() as f64 / turns)
                .ceil()
                .clamp(1.0, MOST_IN_A_TURN) as u64;
            let wanted = wanted.max((tiles.len() / MOST_MEETINGS) as u64 + 1);
            let same =
                |a: usize, b: usize| tiles[a][0] == tiles[b][0] && meetings[a] == meetings[b];
            let units = tile_units(tiles.len(), (wanted, sharing), same);
            let units = units.into_iter().map(|unit| Unit { chunk, ..unit });
            let in_windows = |unit| (0..windows).map(move |window| (unit, window));
            Ok(Work {
                units: units.flat_map(in_windows).collect(),
                resident,
                tiles,
                meetings,
            })
        }
        (Arrangement::Sorted(grid), None) => {
            let tiles = tiles(
                grid,
                [[0; 3], grid.cells],
                &start[0],
                (plan.variant.shape.tile, lines),
            );
            let windows = plan.windows.len().max(1);
            let pairs = pairs * grid.share * part_of(grid, lines);
            let wanted = match plan.variant.arithmetic {
                Arithmetic::Tensor => (tensor_tiles_wanted(pairs, tiles.len()), devices),
                _ => tiles_wanted(pairs, devices, windows),
            };
            let units = tile_units(tiles.len(), wanted, |a, b| tiles[a][0] == tiles[b][0]);
            let in_window = |window| units.iter().map(move |&unit| (unit, window));
            Ok(Work {
                units: (0..windows).flat_map(in_window).collect(),
                resident,
                tiles,
                meetings: Vec::new(),
            })
        }
        (Arrangement::AsGiven(_), _) => {
            let share = if plan.order == Order::Unordered {
                0.5
            } else {
                1.0
            };
            let rows = Lines::rows(lines, n1);
            let number = rows.end - rows.start;
            let wanted = units_wanted(number as f64 * n2 as f64 * share, devices);
            let columns = n2.div_ceil(u64::from(
                plan.variant.shape.threads * plan.variant.shape.points,
            ));
            let chunk = best_chunk(
                number.div_ceil(wanted),
                (columns, plan.order == Order::Unordered),
                u64::from(resident),
                u64::from(plan.variant.shape.tile),
                if plan.variant.histogram == Histogram::Global {
                    0.0
                } else {
                    f64::from(job.places.slots)
                } * FLUSH_PAIRS
                    / f64::from(plan.variant.shape.threads * plan.variant.shape.points),
            );
            Ok(Work {
                units: row_units(rows, u64::from(plan.variant.shape.tile), chunk, wanted)
                    .into_iter()
                    .map(|unit| (unit, 0))
                    .collect(),
                resident,
                tiles: Vec::new(),
                meetings: Vec::new(),
            })
        }
    }
}

/// The launch of a unit.
pub(super) fn launch_shape(
    plan: &LaunchPlan,
    job: &DeviceJob,
    unit: &Unit,
    resident: u32,
) -> LaunchShape {
    let grid = match &plan.arrangement {
        Arrangement::Sorted(_) => [
            u64::from(resident).min(unit.end - unit.begin).max(1) as u32,
            1,
        ],
        Arrangement::AsGiven(_) => {
            let columns = job.second.rows.div_ceil(u64::from(
                plan.variant.shape.threads * plan.variant.shape.points,
            ));
            [
                columns as u32,
                (unit.end - unit.begin).div_ceil(unit.chunk) as u32,
            ]
        }
    };
    LaunchShape {
        grid,
        threads: plan.variant.shape.threads,
        shared: plan.shared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_every_row_once_in_whole_tiles() {
        for (rows, chunk, wanted) in [
            (1, 256, 1),
            (1000, 256, 3),
            (100_000, 256, 7),
            (1 << 26, 256, 1),
        ] {
            let units = row_units(0..rows, 256, chunk, wanted);
            assert_eq!(units[0].begin, 0);
            assert_eq!(units[units.len() - 1].end, rows);
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert_eq!(pair[1].begin % 256, 0);
            }
            assert!(
                units
                    .iter()
                    .all(|u| (u.end - u.begin).div_ceil(chunk) <= 65_535)
            );
        }
    }

    #[test]
    fn chunks_fill_the_last_round_of_blocks() {
        // 512 columns on 528 slots: a chunk a column would leave the last rounds nearly empty.
        let chunk = best_chunk(1 << 20, (512, false), 528, 256, 100.0);
        let blocks = (1u64 << 20).div_ceil(chunk) * 512;
        let rounds = blocks.div_ceil(528);
        assert!(blocks as f64 / (rounds * 528) as f64 > 0.95, "{chunk}");
        assert_eq!(best_chunk(5, (1, false), 528, 256, 100.0), 256);
        assert!(best_chunk(1 << 20, (1, false), 528, 256, 1e6) > 256);
        // Of half a square no block may be long against all that a slot does.
        let chunk = best_chunk(280_000, (137, true), 396, 256, 100.0);
        assert!((1024..8192).contains(&chunk), "{chunk}");
    }

    #[test]
    fn units_of_tensor_cores_have_tiles_enough_for_all_blocks_or_are_short() {
        let cut = tensor_tiles_wanted;
        // Short ones are one, long ones of many tiles as long as any.
        assert_eq!((cut(1e9, 8), cut(1e12, 1 << 20)), (1, 3));
        // Of fewer tiles they are longer, up to a limit.
        assert_eq!((cut(1.1e12, 4160), cut(7.8e14, 3_900_000)), (1, 952));
        assert_eq!((cut(1.1e12, 4096), cut(1.2e14, 4160)), (1, 100));
    }

    #[test]
    fn units_that_devices_share_grow_shorter() {
        let units = tile_units(100_000, (1, 2), |_, _| false);
        let lengths: Vec<u64> = units.iter().map(|unit| unit.end - unit.begin).collect();
        assert_eq!(lengths.iter().sum::<u64>(), 100_000);
        assert_eq!((lengths[0], lengths[1]), (25_000, 18_750));
        assert!(
            lengths.is_sorted_by(|a, b| a >= b) && lengths.len() < 30,
            "{lengths:?}"
        );
        assert!(lengths[lengths.len() - 2] <= 100_000 / 100);
    }

    #[test]
    fn units_do_not_cut_a_run_of_cells() {
        // Runs of 1, 3, 1 and 2 tiles.
        let tiles: Vec<Tile> = [0, 4, 4, 4, 8, 9, 9].map(|cell| [cell, 1, 0, 0]).to_vec();
        for (wanted, devices) in
            (1..9).flat_map(|wanted| [1, 2, 8].map(|devices| (wanted, devices)))
        {
            let same = |a: usize, b: usize| tiles[a][0] == tiles[b][0];
            let units = tile_units(tiles.len(), (wanted, devices), same);
            assert_eq!((units[0].begin, units[units.len() - 1].end), (0, 7));
            for pair in units.windows(2) {
                assert_eq!(pair[0].end, pair[1].begin);
                assert!([1, 4, 5].contains(&pair[0].end));
            }
        }
    }
}
