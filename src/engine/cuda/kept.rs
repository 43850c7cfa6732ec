//! What devices hold of a sample from one count to the next.
//!
//! Entry: [`Kept`]. Columns are uploaded once. How they are arranged depends on the cells, which depend on the reach of the bins and on
//! the other sample: the last arrangements are kept, so that counts over the same cells share them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use albireo_kernels::structs::{DeviceSample, SortJob};

use super::labelled::Spans;

/// A column that is uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Coordinates along an axis.
    Coordinate(usize),
    /// Labels.
    Label,
    /// Weights of a set, scaled by a power of two.
    Weight(ScaledWeights),
    /// Bits, row after row.
    Bits,
    /// So many columns of expressions, row after row.
    Values(usize),
}

/// Which weights of a sample: their set, and the exponent that scales them.
pub(super) type ScaledWeights = (usize, i32);

/// How a sample is arranged: what is done to it, the sort without its addresses, which weights it carries, its words of
/// bits, its columns of expressions, and whether directions go with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arranged {
    pub(super) entry: &'static str,
    pub(super) sort: SortJob,
    pub(super) weight: Option<ScaledWeights>,
    pub(super) words: usize,
    pub(super) columns: usize,
    pub(super) directions: bool,
}

/// The columns of a sample in device memory, as a traversal wants them.
pub(super) struct Columns<M> {
    pub(super) memory: Vec<Arc<M>>,
    /// The first row of each cell, where there are cells.
    pub(super) start: Option<Arc<M>>,
    pub(super) sample: DeviceSample,
}

/// Entries with the number of their device and what they are.
type Entries<K, V> = Mutex<Vec<(usize, K, Arc<V>)>>;

/// Columns and arrangements of a device, at most: the coordinates, the labels, the bits, the columns of expressions and weights of two
/// exponents.
const MOST_COLUMNS: usize = 8;
const MOST_ARRANGED: usize = 2;

/// What devices hold of a sample.
pub struct Kept<M> {
    columns: Entries<Column, M>,
    arranged: Entries<Arranged, Columns<M>>,
    spans: OnceLock<Spans>,
}

impl<M> Default for Kept<M> {
    fn default() -> Self {
        Self {
            columns: Mutex::default(),
            arranged: Mutex::default(),
            spans: OnceLock::new(),
        }
    }
}

/// A lock that a panic elsewhere does not close: what it guards is valid after every statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entry of a device, made if it is not there; the oldest of more than `most` is freed.
fn remembered<K: PartialEq, V, E>(
    entries: &Entries<K, V>,
    (device, key): (usize, K),
    most: usize,
    make: impl FnOnce() -> Result<Arc<V>, E>,
) -> Result<Arc<V>, E> {
    let found = |entry: &&(usize, K, Arc<V>)| (entry.0, &entry.1) == (device, &key);
    if let Some((.., value)) = lock(entries).iter().find(found) {
        return Ok(Arc::clone(value));
    }
    // Only the thread of this device makes its entries: the lock need not be held, and other devices upload at the same time.
    let value = make()?;
    let mut entries = lock(entries);
    let of_device = |entry: &(usize, K, Arc<V>)| entry.0 == device;
    if entries.iter().filter(|entry| of_device(entry)).count() >= most
        && let Some(oldest) = entries.iter().position(of_device)
    {
        entries.remove(oldest);
    }
    entries.push((device, key, Arc::clone(&value)));
    Ok(value)
}

impl<M> Kept<M> {
    /// A column on a device, uploaded if it is not there.
    pub(super) fn column<E>(
        &self,
        device: usize,
        column: Column,
        upload: impl FnOnce() -> Result<M, E>,
    ) -> Result<Arc<M>, E> {
        let make = || upload().map(Arc::new);
        remembered(&self.columns, (device, column), MOST_COLUMNS, make)
    }

    /// An arrangement on a device, made if it is not there.
    pub(super) fn arranged<E>(
        &self,
        device: usize,
        how: &Arranged,
        arrange: impl FnOnce() -> Result<Columns<M>, E>,
    ) -> Result<Arc<Columns<M>>, E> {
        let make = || arrange().map(Arc::new);
        remembered(&self.arranged, (device, *how), MOST_ARRANGED, make)
    }

    /// Where the points of each label lie, found if that is not known.
    pub(super) fn spans(&self, find: impl FnOnce() -> Spans) -> Spans {
        self.spans.get_or_init(find).clone()
    }

    /// Frees everything on a device.
    pub(super) fn forget(&self) {
        lock(&self.arranged).clear();
        lock(&self.columns).clear();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_uploaded_once_a_device_and_the_oldest_goes_first() {
        let kept = Kept::default();
        let put = |device, exponent| {
            let mut uploaded = false;
            let upload = || {
                uploaded = true;
                Ok::<_, ()>(exponent)
            };
            let column = Column::Weight((0, exponent));
            assert_eq!(*kept.column(device, column, upload).unwrap(), exponent);
            uploaded
        };
        let most = MOST_COLUMNS as i32;
        assert!((0..most).all(|exponent| put(0, exponent)));
        assert!(put(1, 0));
        assert!((0..most).all(|exponent| !put(0, exponent)));
        assert!(put(0, most) && !put(0, 1) && !put(1, 0) && put(0, 0));
        kept.forget();
        assert!(put(0, most));
    }
}
