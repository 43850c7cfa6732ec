//! The integers of a tally: class x bin, with an exact union and an exact form in bytes.

use super::Merge;
use crate::error::CountsError;

/// Integers for each class of pairs and each bin: pairs and, where asked for, fixed-point sums.
///
/// Bins vary fastest. It merges in any order and goes through bytes without loss.
///
/// ```
/// use albireo::tally::{Merge, Tally};
/// let mut tally = Tally::zero(2, 1, 0);
/// tally.merge(Tally::of_one_table(vec![3, 4], vec![]));
/// assert_eq!(Tally::from_bytes(&tally.to_bytes())?, tally);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    pub(super) n_bins: usize,
    /// Pairs, table by table.
    pub(super) pairs: Vec<u64>,
    /// For each sum, the totals, table by table.
    pub(super) sums: Vec<Vec<i128>>,
}

/// What the bytes of a tally begin with; the last digit counts the layouts that there have been.
const MAGIC: &[u8; 8] = b"albtally";
const LAYOUT: u64 = 1;
/// 32-bit limbs of a sum.
const LIMBS: usize = 4;

impl Tally {
    /// No pair, in `n_bins` bins of `n_tables` classes with `n_sums` sums.
    pub fn zero(n_bins: usize, n_tables: usize, n_sums: usize) -> Self {
        Self {
            n_bins,
            pairs: vec![0; n_bins * n_tables],
            sums: vec![vec![0; n_bins * n_tables]; n_sums],
        }
    }

    /// The tally of one class of pairs.
    pub fn of_one_table(pairs: Vec<u64>, sums: Vec<Vec<i128>>) -> Self {
        debug_assert!(sums.iter().all(|sum| sum.len() == pairs.len()));
        Self {
            n_bins: pairs.len(),
            pairs,
            sums,
        }
    }

    /// Number of bins of a class.
    pub fn n_bins(&self) -> usize {
        self.n_bins
    }

    /// Number of classes.
    pub fn n_tables(&self) -> usize {
        self.pairs.len().checked_div(self.n_bins).unwrap_or(0)
    }

    /// Pairs in each bin of each class.
    pub fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// The totals of sum number `at` in each bin of each class, in units of 2^-36 of its scale.
    ///
    /// # Panics
    /// When there are not so many sums.
    pub fn sum(&self, at: usize) -> &[i128] {
        &self.sums[at]
    }

    /// Number of sums.
    pub fn n_sums(&self) -> usize {
        self.sums.len()
    }

    /// The real numbers that a sum's totals stand for, `exponent` that of its scale.
    ///
    /// # Panics
    /// When there are not so many sums.
    pub fn real_sum(&self, at: usize, exponent: i32) -> Vec<f64> {
        let real = |&total: &i128| albireo_simd::fixed_point::real(total, exponent);
        self.sums[at].iter().map(real).collect()
    }

    /// Class number `table` alone.
    ///
    /// # Panics
    /// When there are not so many classes.
    #[must_use]
    pub fn table(&self, table: usize) -> Self {
        let bins = table * self.n_bins..(table + 1) * self.n_bins;
        Self {
            n_bins: self.n_bins,
            pairs: self.pairs[bins.clone()].to_vec(),
            sums: (self.sums.iter().map(|sum| sum[bins.clone()].to_vec())).collect(),
        }
    }

    /// Adds the tally of one class to class number `table` of this one.
    ///
    /// # Panics
    /// When there are not so many classes.
    pub fn add_table(&mut self, table: usize, pairs: &[u64], sums: &[&[i128]]) {
        let bins = table * self.n_bins..(table + 1) * self.n_bins;
        add_all(&mut self.pairs[bins.clone()], pairs);
        for (total, part) in self.sums.iter_mut().zip(sums) {
            add_all(&mut total[bins.clone()], part);
        }
    }

    /// One class in `n_bins` other bins, of which each holds what one of these does, so many times.
    pub(crate) fn in_other_bins(
        &self,
        n_bins: usize,
        from: impl Fn(usize) -> (usize, u64),
    ) -> Self {
        let pairs = |bin: usize| {
            let (bin, times) = from(bin);
            self.pairs[bin] * times
        };
        let total = |sum: &[i128], bin: usize| {
            let (bin, times) = from(bin);
            sum[bin] * i128::from(times)
        };
        let sums = self.sums.iter();
        let sums = sums.map(|sum| (0..n_bins).map(|bin| total(sum, bin)).collect());
        Self::of_one_table((0..n_bins).map(pairs).collect(), sums.collect())
    }

    /// Takes off a tally whose pairs are all among those of this one.
    pub(crate) fn take_off(&mut self, part: &Self) {
        for (total, &part) in self.pairs.iter_mut().zip(&part.pairs) {
            *total -= part;
        }
        for (total, part) in self.sums.iter_mut().zip(&part.sums) {
            for (total, &part) in total.iter_mut().zip(part) {
                *total -= part;
            }
        }
    }

    /// Adds to the number of pairs in a bin of class number `table`.
    #[inline]
    pub(crate) fn add_pairs(&mut self, table: usize, bin: usize, pairs: u64) {
        self.pairs[table * self.n_bins + bin] += pairs;
    }

    /// Adds to the total of sum number `at` in a bin of class number `table`.
    #[inline]
    pub(crate) fn add_to_sum(&mut self, at: usize, table: usize, bin: usize, sum: i64) {
        self.sums[at][table * self.n_bins + bin] += i128::from(sum);
    }

    /// Exact bytes, the same on every machine: a head, then little-endian integers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = [LAYOUT, self.n_bins as u64, self.n_tables() as u64];
        let head = head.into_iter().chain([self.sums.len() as u64]);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(head.flat_map(u64::to_le_bytes));
        bytes.extend(self.pairs.iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend(self.sums.iter().flatten().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    /// Words that add up as the tallies do: pairs, then the 32-bit limbs of each sum, low ones first. Where integers of 128 bits cannot be
    /// added, as between the processes of a job, those of up to 2^32 tallies add up word by word.
    ///
    /// ```
    /// use albireo::tally::{Merge, Tally};
    /// let parts = [-5i128, 3 << 100].map(|sum| Tally::of_one_table(vec![7], vec![vec![sum]]));
    /// let [a, b] = parts.each_ref().map(Tally::to_addends);
    /// let words: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    /// let [mut whole, other] = parts;
    /// whole.merge(other);
    /// assert_eq!(whole.of_addends(&words), Some(whole.clone()));
    /// ```
    pub fn to_addends(&self) -> Vec<u64> {
        let limbs = self.sums.iter().flatten().flat_map(|sum| {
            let bytes = sum.to_le_bytes();
            let limbs = bytes.as_chunks::<4>().0;
            std::array::from_fn::<u64, LIMBS, _>(|k| u64::from(u32::from_le_bytes(limbs[k])))
        });
        self.pairs.iter().copied().chain(limbs).collect()
    }

    /// The tally of the shape of this one whose [`Tally::to_addends`], or sums of such words, are `words`; none where they are not as many.
    pub fn of_addends(&self, words: &[u64]) -> Option<Self> {
        let (pairs, limbs) = words.split_at_checked(self.pairs.len())?;
        if limbs.len() != LIMBS * self.sums.len() * self.pairs.len() {
            return None;
        }
        let sum = |limbs: &[u64]| {
            let add = |bits: u128, (limb, &word): (usize, &u64)| {
                bits.wrapping_add(u128::from(word) << (32 * limb))
            };
            limbs.iter().enumerate().fold(0, add).cast_signed()
        };
        let mut sums = limbs.chunks_exact(LIMBS).map(sum);
        Some(Self {
            n_bins: self.n_bins,
            pairs: pairs.to_vec(),
            sums: (self.sums.iter())
                .map(|of| sums.by_ref().take(of.len()).collect())
                .collect(),
        })
    }

    /// The tally of [`Tally::to_bytes`].
    ///
    /// # Errors
    /// Bytes that are not those of a tally, or not all of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CountsError> {
        let (magic, rest) = bytes.split_at_checked(8).ok_or(CountsError::NotATally)?;
        let (head, rest) = rest.split_at_checked(32).ok_or(CountsError::NotATally)?;
        if magic != MAGIC {
            return Err(CountsError::NotATally);
        }
        let mut head = head
            .as_chunks::<8>()
            .0
            .iter()
            .map(|n| u64::from_le_bytes(*n));
        let mut next = || head.next().unwrap_or_default();
        let layout = next();
        if layout != LAYOUT {
            return Err(CountsError::Layout {
                expected: LAYOUT,
                found: layout,
            });
        }
        let [n_bins, n_tables, n_sums] = [next(), next(), next()].map(u128::from);
        let entries = n_bins * n_tables;
        let expected = entries.checked_mul(8 + 16 * n_sums);
        if expected != Some(rest.len() as u128) || (n_bins == 0 && n_tables != 0) {
            return Err(CountsError::Length {
                expected,
                found: rest.len(),
            });
        }
        // The product is the length of a slice: each factor but zero is no longer.
        let entries = entries as usize;
        let (pairs, sums) = rest.split_at(8 * entries);
        let mut sums = sums
            .as_chunks::<16>()
            .0
            .iter()
            .map(|n| i128::from_le_bytes(*n));
        let pairs = pairs.as_chunks::<8>().0.iter();
        Ok(Self {
            n_bins: n_bins as usize,
            pairs: pairs.map(|n| u64::from_le_bytes(*n)).collect(),
            sums: (0..if entries == 0 { 0 } else { n_sums })
                .map(|_| sums.by_ref().take(entries).collect())
                .collect(),
        })
    }
}

fn add_all<T: Copy + std::ops::AddAssign>(total: &mut [T], part: &[T]) {
    for (total, &part) in total.iter_mut().zip(part) {
        *total += part;
    }
}

impl Merge for Tally {
    /// Adds the integers of a tally of the same bins, classes and sums; one without bins is the identity.
    fn merge(&mut self, other: Self) {
        if self.pairs.is_empty() {
            *self = other;
            return;
        }
        add_all(&mut self.pairs, &other.pairs);
        for (total, part) in self.sums.iter_mut().zip(&other.sums) {
            add_all(total, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(n_bins: usize, n_tables: usize, n_sums: usize) -> Tally {
        let mut tally = Tally::zero(n_bins, n_tables, n_sums);
        for (k, n) in tally.pairs.iter_mut().enumerate() {
            *n = u64::MAX - k as u64;
        }
        for (at, sum) in tally.sums.iter_mut().enumerate() {
            for (k, n) in sum.iter_mut().enumerate() {
                *n = i128::MIN + (at * 1000 + k) as i128;
            }
        }
        tally
    }

    #[test]
    fn bytes_lose_nothing() {
        for shape in [(0, 0, 0), (1, 1, 0), (3, 1, 1), (5, 7, 3)] {
            let tally = tally(shape.0, shape.1, shape.2);
            assert_eq!(Tally::from_bytes(&tally.to_bytes()).unwrap(), tally);
        }
    }

    #[test]
    fn addends_add_up() {
        // Words of many tallies at once, with carries through all limbs and both signs.
        let sums = [i128::MAX, i128::MIN, -1, 1, 0, 1 << 64, -(1 << 95)];
        let parts: Vec<Tally> = (0..sums.len())
            .map(|k| {
                let sum = |at: usize| vec![sums[k] >> 3, sums[(k + at) % sums.len()] >> 4];
                Tally::of_one_table(vec![k as u64, 1 << 50], vec![sum(1), sum(2)])
            })
            .collect();
        let mut whole = Tally::zero(2, 1, 2);
        let mut words = vec![0u64; whole.to_addends().len()];
        for part in parts {
            for (word, addend) in words.iter_mut().zip(part.to_addends()) {
                *word += addend;
            }
            whole.merge(part);
        }
        assert_eq!(whole.of_addends(&words), Some(whole.clone()));
        assert_eq!(whole.of_addends(&words[1..]), None);
        let none = Tally::zero(0, 0, 0);
        assert_eq!(none.of_addends(&none.to_addends()), Some(none.clone()));
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = tally(3, 2, 1).to_bytes();
        for n in 0..bytes.len() {
            assert!(Tally::from_bytes(&bytes[..n]).is_err(), "{n}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(
            Tally::from_bytes(&longer),
            Err(CountsError::Length { .. })
        ));
        for at in 0..40 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x81;
            assert!(Tally::from_bytes(&damaged).is_err(), "{at}");
        }
    }

    #[test]
    fn tables_add_up_to_the_whole() {
        let whole = tally(4, 3, 2);
        let mut again = Tally::zero(4, 3, 2);
        for k in 0..3 {
            let table = whole.table(k);
            let sums: Vec<&[i128]> = (0..2).map(|at| table.sum(at)).collect();
            again.add_table(k, table.pairs(), &sums);
        }
        assert_eq!(again, whole);
    }
}
