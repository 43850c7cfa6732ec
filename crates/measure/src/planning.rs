//! What a job would take, before it is begun.
//!
//! Entry: [`Planning`]. Seconds are measured: a few units are counted, or some of the rows, and say by their cost how long all of them take.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::ops::Range;
use std::time::{Duration, Instant};

use albireo::engine::Units;
use albireo::error::EngineError;
use anyhow::Result;

use crate::text::{columns_of, with_prefix};

/// The most time that is spent on counting.
const PATIENCE: Duration = Duration::from_secs(2);
/// Units that are counted together for each thread: few enough to be spread, enough that no thread waits long for another.
const UNITS_A_THREAD: usize = 16;
/// Of so many rows one is counted first, where each run is a job.
const THINNEST: usize = 64;

/// A count of the plan.
#[derive(Debug)]
struct Row {
    name: &'static str,
    pairs: u64,
    /// Pairs of points in groups within reach.
    near: u128,
    units: usize,
    seconds: f64,
}

/// The plan of a command in the making.
#[derive(Debug)]
pub(crate) struct Planning {
    machines: NonZeroU32,
    begun: Instant,
    read: Cell<f64>,
    sorted: Cell<f64>,
    rows: RefCell<Vec<Row>>,
}

/// Runs of `length` of `n` units, the next ones as far as can be from those before (van der Corput).
fn spread(n: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    let runs = n.div_ceil(length.max(1));
    let bits = runs.next_power_of_two().trailing_zeros();
    let reversed = move |k: usize| k.reverse_bits() >> (usize::BITS - bits.max(1));
    (0..runs.next_power_of_two())
        .map(reversed)
        .filter(move |&run| run < runs)
        .map(move |run| run * length..n.min((run + 1) * length))
}

/// Seconds that all `units` take on `threads` threads, from those of some of them here and there.
pub(crate) fn of_spread_units(
    units: &Units,
    threads: usize,
    count: impl Fn(Range<usize>) -> Result<(), EngineError>,
) -> Result<f64, EngineError> {
    let (mut cost, mut seconds) = (0, 0.0);
    // What is laid out once, for all runs.
    count(0..0)?;
    let begun = Instant::now();
    for (k, run) in spread(units.len(), UNITS_A_THREAD * threads.max(1)).enumerate() {
        if k > 1 && begun.elapsed() > PATIENCE {
            break;
        }
        let start = Instant::now();
        count(run.clone())?;
        seconds += start.elapsed().as_secs_f64();
        cost += units.cost(run);
    }
    let all = units.cost(0..units.len());
    Ok(if cost == 0 {
        seconds
    } else {
        seconds * (all as f64 / cost as f64)
    })
}

/// Seconds that a job takes by an engine to which each run of units is a job of its own, from those of it with every so-many-th row alone,
/// which `count` tells: of ever more rows, until all are counted or patience ends. What rows cost grows with their number, what pairs cost
/// with its square, and twice as many rows tell the two apart.
pub(crate) fn of_thinned_samples(
    count: impl Fn(usize) -> Result<f64, EngineError>,
) -> Result<f64, EngineError> {
    // What is made ready once, such as kernels.
    count(THINNEST)?;
    let begun = Instant::now();
    let mut step = THINNEST;
    let mut half = count(step)?;
    while step > 1 {
        step /= 2;
        let seconds = count(step)?;
        if step == 1 {
            return Ok(seconds);
        }
        if begun.elapsed() > PATIENCE {
            let of_pairs = (2.0 * seconds - 4.0 * half).max(0.0);
            let of_rows = (seconds - of_pairs).max(0.0);
            let step = step as f64;
            return Ok(of_rows * step + of_pairs * step * step);
        }
        half = seconds;
    }
    Ok(half)
}

/// The largest memory that this process has had, in bytes, where the system tells.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

impl Planning {
    /// A plan for so many machines; catalogues are read from now on.
    pub(crate) fn new(machines: NonZeroU32) -> Self {
        Self {
            machines,
            begun: Instant::now(),
            read: Cell::default(),
            sorted: Cell::default(),
            rows: RefCell::default(),
        }
    }

    /// Everything has been read.
    pub(crate) fn is_read(&self) {
        self.read.set(self.begun.elapsed().as_secs_f64());
    }

    /// The samples of the first count have been sorted, and its units made.
    pub(crate) fn is_sorted(&self) {
        if self.rows.borrow().is_empty() {
            let all = self.begun.elapsed().as_secs_f64();
            self.sorted.set(all - self.read.get());
        }
    }

    /// Adds a count.
    pub(crate) fn add(&self, name: &'static str, units: &Units, seconds: f64) {
        let all = 0..units.len();
        let pairs = units.pairs(all.clone());
        self.rows.borrow_mut().push(Row {
            name,
            pairs,
            // In a small box a pair is met under several images.
            near: units.cost(all).min(pairs.into()),
            units: units.len(),
            seconds,
        });
    }

    /// Seconds that all counts take on each machine.
    pub(crate) fn seconds(&self) -> f64 {
        let rows = self.rows.borrow();
        let all: f64 = rows.iter().map(|row| row.seconds).sum();
        all / f64::from(self.machines.get())
    }

    /// The plan as it is printed.
    pub(crate) fn described(&self, engine: &str) -> String {
        let machines = f64::from(self.machines.get());
        let rows = self.rows.borrow();
        let words = ["count", "pairs", "in reach or near it", "units", "seconds"];
        let mut table = vec![words.map(str::to_owned).to_vec()];
        for row in rows.iter() {
            table.push(vec![
                row.name.to_owned(),
                row.pairs.to_string(),
                row.near.to_string(),
                row.units.to_string(),
                in_seconds(row.seconds / machines),
            ]);
        }
        let (read, sorted) = (self.read.get(), self.sorted.get());
        let mut text = columns_of(&table, &[]);
        let _ = writeln!(
            text,
            "reading {} s, sorting {} s, counting {} s by {engine}{}",
            in_seconds(read),
            in_seconds(sorted),
            in_seconds(self.seconds()),
            match self.machines.get() {
                1 => String::new(),
                n => format!(" on each of {n} machines"),
            }
        );
        if let Some(bytes) = memory() {
            let _ = writeln!(text, "memory {}B a process", with_prefix(bytes));
        }
        let fewest = rows.iter().map(|row| row.units).min().unwrap_or(0);
        let most = fewest / 20;
        if machines > 1.0 && (most as f64) < machines {
            let _ = writeln!(
                text,
                "few units for so many machines: {} or fewer leave 20 units to each",
                most.max(1)
            );
        }
        text
    }
}

/// Seconds to the millisecond, or to the microsecond where that is not enough for two digits.
fn in_seconds(seconds: f64) -> String {
    let places = if seconds >= 0.01 || seconds == 0.0 {
        3
    } else {
        6
    };
    format!("{seconds:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_samples_tell_rows_and_pairs_apart() {
        let all = 3e5;
        let model = |step: usize| {
            let rows = all / step as f64;
            1e-5 * rows + 2e-9 * rows * rows
        };
        // Patience ends at once where a count waits that long.
        let slow = |step| {
            std::thread::sleep(if step < THINNEST {
                PATIENCE
            } else {
                Duration::ZERO
            });
            Ok(model(step))
        };
        let told = of_thinned_samples(slow).unwrap();
        assert!((told / model(1) - 1.0).abs() < 1e-9, "{told}");
        assert_eq!(
            of_thinned_samples(|step| Ok(model(step))).unwrap(),
            model(1)
        );
    }

    #[test]
    fn runs_are_spread_over_all_units() {
        for (n, length) in [(0, 4), (1, 4), (7, 1), (64, 8), (65, 8), (1000, 3)] {
            let runs: Vec<_> = spread(n, length).collect();
            let mut sorted = runs.clone();
            sorted.sort_by_key(|run| run.start);
            let mut next = 0;
            for run in sorted {
                assert_eq!(run.start, next);
                assert!(!run.is_empty() && run.len() <= length);
                next = run.end;
            }
            assert_eq!(next, n);
        }
        let starts: Vec<usize> = spread(80, 10).map(|run| run.start).collect();
        assert_eq!(starts, [0, 40, 20, 60, 10, 50, 30, 70]);
    }
}
