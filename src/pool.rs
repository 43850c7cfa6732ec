//! Threads to check, sort and count on, owned by this process; a forked child gets its own.
//!
//! Entry: `of` for an engine's number of threads, [`run`] and [`each`] for work outside of one. Nothing here knows what it runs, and
//! nothing in this crate runs on rayon's global pool, whose threads a child lacks and would wait for without end.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 14;

/// Rows that are worth more than one thread.
const MANY: usize = 1 << 16;

/// Pools kept for the next who asks; whoever uses one keeps it for as long.
const KEPT: usize = 4;

/// Looks at the table of pools, and the pause between two of them, before a caller does without it.
const LOOKS: u32 = 200;
const PAUSE: Duration = Duration::from_micros(50);

struct Entry {
    process: u32,
    /// The number asked for; 0 for as many as there are cores.
    threads: usize,
    pool: Arc<ThreadPool>,
}

/// Pools by process and number of threads.
struct Pools(Mutex<Vec<Entry>>);

static POOLS: Pools = Pools(Mutex::new(Vec::new()));

impl Pools {
    /// The table, held for no longer than a look at it takes. A fork may come just then: in the child nobody gives it back.
    fn table(&self) -> Option<MutexGuard<'_, Vec<Entry>>> {
        for _ in 0..LOOKS {
            match self.0.try_lock() {
                Ok(table) => return Some(table),
                Err(TryLockError::Poisoned(table)) => return Some(table.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
        None
    }

    fn find(&self, process: u32, threads: usize) -> Option<Arc<ThreadPool>> {
        let table = self.table()?;
        let asked = |entry: &&Entry| (entry.process, entry.threads) == (process, threads);
        table.iter().find(asked).map(|entry| entry.pool.clone())
    }

    /// Keeps `pool` unless another thread was faster; what is kept is handed back.
    fn keep(&self, process: u32, threads: usize, pool: Arc<ThreadPool>) -> Arc<ThreadPool> {
        let Some(mut table) = self.table() else {
            return pool;
        };
        let entries = std::mem::take(&mut *table).into_iter();
        let (own, others): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.process == process);
        *table = own;
        // Threads of another process are not here to hear that their pool is gone, and nobody may wait for them.
        others.into_iter().for_each(std::mem::forget);
        if let Some(kept) = table.iter().find(|entry| entry.threads == threads) {
            return kept.pool.clone();
        }
        let spare = (table.len() >= KEPT).then(|| table.remove(0));
        table.push(Entry {
            process,
            threads,
            pool: pool.clone(),
        });
        drop(table);
        drop(spare);
        pool
    }

    fn of(&self, threads: usize) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let process = std::process::id();
        if let Some(pool) = self.find(process, threads) {
            return Ok(pool);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(self.keep(process, threads, Arc::new(pool)))
    }
}

/// This process's pool of `threads` threads; 0 for as many as there are cores.
///
/// # Errors
/// Threads that cannot be started.
pub(crate) fn of(threads: usize) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    POOLS.of(threads)
}

/// Runs `parallel` on the threads at hand, or else on those of this process; `alone` where none can be started.
pub fn run<R: Send>(parallel: impl FnOnce() -> R + Send, alone: impl FnOnce() -> R) -> R {
    if rayon::current_thread_index().is_some() {
        return parallel();
    }
    match of(0) {
        Ok(pool) => install(&pool, parallel),
        Err(_) => alone(),
    }
}

/// Runs `work` on the threads of `pool`: what rayon does for that is compiled once, and not for each kind of work.
pub(crate) fn install<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut made) = (Some(work), None);
    let mut run = || made = work.take().map(|work| work());
    let run: &mut (dyn FnMut() + Send) = &mut run;
    pool.install(run);
    made.unwrap_or_else(|| unreachable!("work that is run"))
}

/// What `cell` holds, made if it is not there. Unlike `get_or_init` it does not keep others from making it meanwhile: a thread that waits for
/// others here may take up other work, which may ask for the same.
pub(crate) fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(made) = cell.get() {
        return made;
    }
    let made = make();
    cell.get_or_init(|| made)
}

/// The stretches that `n` rows are looked through in.
fn stretches(n: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let stretch = move |k: usize| k * STRETCH..n.min((k + 1) * STRETCH);
    (0..n.div_ceil(STRETCH)).into_par_iter().map(stretch)
}

/// What `part` finds in runs of `n` rows, joined in their order; in one run where there are few rows.
pub(crate) fn fold<T: Send>(
    n: usize,
    part: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> T {
    if n < MANY {
        return part(0..n);
    }
    fold_stretches(n, &part, &join).unwrap_or_else(|| part(0..n))
}

/// Compiled for each kind of result, not for each way to find it.
fn fold_stretches<T: Send>(
    n: usize,
    part: &(dyn Fn(Range<usize>) -> T + Sync),
    join: &(dyn Fn(T, T) -> T + Sync),
) -> Option<T> {
    run(|| stretches(n).map(part).reduce_with(join), || None)
}

/// What `work` makes of each of `n` numbers, in their order.
pub fn each<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    each_of(n, &work)
}

/// As [`fold_stretches`].
fn each_of<T: Send>(n: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let parallel = || (0..n).into_par_iter().map(work).collect();
    run(parallel, || (0..n).map(work).collect())
}

/// The first of `n` rows for which `holds` is true.
pub fn first_row(n: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    fold(n, |mut rows| rows.find(|&row| holds(row)), Option::or)
}

/// Hands runs of rows of three columns, with the first row of each, to `work`; a column may be empty.
pub(crate) fn for_each_stretch(
    columns: [&mut [f64]; 3],
    work: impl Fn(usize, [&mut [f64]; 3]) + Sync,
) {
    let n = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    if n < MANY {
        return work(0, columns);
    }
    let mut rest = columns;
    let parts = (0..n).step_by(STRETCH).map(|begin| {
        let part = rest.each_mut().map(|column| {
            let most = STRETCH.min(column.len());
            column.split_off_mut(..most).unwrap_or_default()
        });
        (begin, Mutex::new(part))
    });
    let parts: Vec<_> = parts.collect();
    each(parts.len(), |k| {
        let (begin, part) = &parts[k];
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        work(*begin, std::mem::take(&mut *part));
    });
}

/// Hands rows of `width` numbers to `work`.
pub(crate) fn for_each_row((width, values): (usize, &mut [f64]), work: impl Fn(&mut [f64]) + Sync) {
    if values.len() < width * MANY {
        return values.chunks_mut(width).for_each(work);
    }
    let stretches: Vec<_> = values.chunks_mut(width * STRETCH).map(Mutex::new).collect();
    each(stretches.len(), |k| {
        let mut rows = stretches[k].lock().unwrap_or_else(PoisonError::into_inner);
        rows.chunks_mut(width).for_each(&work);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_started_once_and_a_few_are_kept() {
        let pools = Pools(Mutex::new(vec![]));
        let two = pools.of(2).unwrap();
        assert_eq!(two.current_num_threads(), 2);
        assert!(Arc::ptr_eq(&two, &pools.of(2).unwrap()));
        for threads in 3..3 + 2 * KEPT {
            assert_eq!(pools.of(threads).unwrap().current_num_threads(), threads);
        }
        assert_eq!(pools.table().unwrap().len(), KEPT);
    }

    #[test]
    fn pools_of_another_process_are_left_alone() {
        let pools = Pools(Mutex::new(vec![]));
        let own = pools.of(1).unwrap();
        let other = pools.find(std::process::id(), 1).unwrap();
        let process = std::process::id() + 1;
        let kept = pools.keep(process, 1, other);
        assert!(Arc::ptr_eq(&kept, &own), "handed in, and so kept");
        assert!(pools.find(std::process::id(), 1).is_none());
        assert_eq!(pools.table().unwrap().len(), 1);
        // Forgotten, not dropped: two here, one in the table, one of the entry that is gone.
        assert_eq!(Arc::strong_count(&own), 4);
    }

    #[test]
    fn a_table_that_nobody_gives_back_is_done_without() {
        let pools = Pools(Mutex::new(vec![]));
        let _held = pools.table().unwrap();
        assert_eq!(pools.of(1).unwrap().current_num_threads(), 1);
    }

    #[test]
    fn rows_are_joined_in_order() {
        for n in [0, 1, MANY - 1, MANY, MANY + 1, 3 * MANY + 7] {
            let rows: Vec<usize> = fold(n, Iterator::collect, |mut a: Vec<usize>, b| {
                a.extend(b);
                a
            });
            assert!(rows.into_iter().eq(0..n), "{n}");
            assert_eq!(
                first_row(n, |row| row % 70_001 == 70_000),
                (n > 70_000).then_some(70_000)
            );
        }
    }

    #[test]
    fn every_row_is_in_one_stretch() {
        for n in [0, 1, MANY, 2 * MANY + 3] {
            let (mut x, mut z) = (vec![0.0; n], vec![0.0; n]);
            for_each_stretch([&mut x, &mut [], &mut z], |begin, [x, y, z]| {
                assert!(y.is_empty());
                for (k, (x, z)) in x.iter_mut().zip(z).enumerate() {
                    *x += (begin + k) as f64;
                    *z -= (begin + k) as f64;
                }
            });
            let right = |sign: f64| move |(row, &v): (usize, &f64)| v == sign * row as f64;
            assert!(x.iter().enumerate().all(right(1.0)));
            assert!(z.iter().enumerate().all(right(-1.0)));
        }
    }
}
