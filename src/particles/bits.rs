//! Bits for each particle: in which realisations of a selection, such as fibre assignment, it was observed.
//!
//! Entry: [`Bits`].

#![allow(
    clippy::cast_possible_truncation,
    reason = "rows are numbered in 32 bits"
)]

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::ArrayView2;

use crate::error::ParticlesError;

/// The most 64-bit words of a particle.
pub const MAX_BIT_WORDS: usize = 32;

/// Bits of a word.
pub(crate) const WORD_BITS: usize = u64::BITS as usize;

/// Words of 64 bits, equally many for every particle: bit b of a row says whether realisation b of a selection holds the particle.
///
/// In which order the bits stand does not matter, as long as it is that of every row. Slices share the buffer.
///
/// ```
/// use albireo::particles::Bits;
/// let bits = Bits::new(vec![0b1011, 0, u64::MAX, 1], 2)?;
/// assert_eq!((bits.len(), bits.row(1)), (2, &[u64::MAX, 1][..]));
/// assert_eq!([bits.set_in(0), bits.set_in(1)], [3, 65]);
/// assert!(Bits::new(vec![1, 2, 3], 2).is_err());
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bits {
    words: Arc<Vec<u64>>,
    per_row: usize,
    rows: Range<usize>,
    by_bit: Arc<OnceLock<ByBit>>,
}

/// The same bits, those of one bit of all rows together: found in one pass over the rows, however many bits are asked for.
#[derive(Debug)]
struct ByBit {
    words: Vec<u64>,
    /// Words of a bit: 64 rows each.
    per_bit: usize,
}

impl ByBit {
    fn of(rows: &[u64], per_row: usize) -> Self {
        let per_bit = (rows.len() / per_row).div_ceil(WORD_BITS);
        let mut words = vec![0; per_row * WORD_BITS * per_bit];
        for (block, rows) in rows.chunks(WORD_BITS * per_row).enumerate() {
            for at in 0..per_row {
                let mut square = [0; WORD_BITS];
                let of_rows = rows.iter().skip(at).step_by(per_row);
                of_rows.zip(&mut square).for_each(|(row, to)| *to = *row);
                transpose(&mut square);
                let bits = words[at * WORD_BITS * per_bit..].iter_mut();
                let bits = bits.skip(block).step_by(per_bit);
                bits.zip(square).for_each(|(to, bit)| *to = bit);
            }
        }
        Self { words, per_bit }
    }

    /// Row r is bit r % 64 of word r / 64.
    fn bit(&self, k: usize) -> &[u64] {
        &self.words[k * self.per_bit..(k + 1) * self.per_bit]
    }
}

/// Exchanges bit k of word l with bit l of word k.
fn transpose(square: &mut [u64; WORD_BITS]) {
    let (mut step, mut low) = (WORD_BITS / 2, u64::MAX >> (WORD_BITS / 2));
    while step > 0 {
        for k in (0..WORD_BITS).filter(|k| k & step == 0) {
            let differ = (square[k] >> step ^ square[k + step]) & low;
            square[k] ^= differ << step;
            square[k + step] ^= differ;
        }
        step /= 2;
        low ^= low << step;
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.per_row == other.per_row && self.words() == other.words()
    }
}

fn check_per_row(per_row: usize) -> Result<(), ParticlesError> {
    if per_row == 0 || per_row > MAX_BIT_WORDS {
        return Err(ParticlesError::BitWords {
            found: per_row,
            limit: MAX_BIT_WORDS,
        });
    }
    Ok(())
}

impl Bits {
    /// Rows of `per_row` words each, one row after the other.
    ///
    /// # Errors
    /// No word a row, more than [`MAX_BIT_WORDS`], or a last row that is not complete.
    pub fn new(words: Vec<u64>, per_row: usize) -> Result<Self, ParticlesError> {
        check_per_row(per_row)?;
        if !words.len().is_multiple_of(per_row) {
            return Err(ParticlesError::BitRow {
                row: words.len() / per_row,
                expected: per_row,
                found: words.len() % per_row,
            });
        }
        Ok(Self {
            rows: 0..words.len() / per_row,
            words: Arc::new(words),
            per_row,
            by_bit: Arc::default(),
        })
    }

    /// The rows of a list; the first one tells how many words a row has.
    ///
    /// ```
    /// use albireo::particles::Bits;
    /// use albireo::error::ParticlesError;
    /// let ragged = Bits::from_rows(&[vec![1, 2], vec![3]]);
    /// assert_eq!(ragged, Err(ParticlesError::BitRow { row: 1, expected: 2, found: 1 }));
    /// ```
    ///
    /// # Errors
    /// Rows of different length; otherwise as [`Bits::new`].
    pub fn from_rows<R: AsRef<[u64]>>(rows: &[R]) -> Result<Self, ParticlesError> {
        let per_row = rows.first().map_or(1, |row| row.as_ref().len());
        check_per_row(per_row)?;
        let lengths = rows.iter().map(|row| row.as_ref().len());
        for (row, found) in lengths.enumerate() {
            if found != per_row {
                return Err(ParticlesError::BitRow {
                    row,
                    expected: per_row,
                    found,
                });
            }
        }
        let words = rows.iter().flat_map(AsRef::as_ref).copied().collect();
        Self::new(words, per_row)
    }

    /// The columns of a table, one word each.
    ///
    /// # Errors
    /// Columns of different length; otherwise as [`Bits::new`].
    pub fn from_columns<C: AsRef<[u64]>>(columns: &[C]) -> Result<Self, ParticlesError> {
        check_per_row(columns.len())?;
        let n = columns[0].as_ref().len();
        if let Some(other) = columns.iter().find(|column| column.as_ref().len() != n) {
            return Err(ParticlesError::UnequalLengths {
                first: "the first column of bits",
                first_rows: n,
                second: "another one",
                second_rows: other.as_ref().len(),
            });
        }
        let row = |row: usize| columns.iter().map(move |column| column.as_ref()[row]);
        Self::new((0..n).flat_map(row).collect(), columns.len())
    }

    /// An (N, k) array of any strides.
    ///
    /// ```
    /// use albireo::particles::Bits;
    /// let array = albireo::ndarray::array![[1_u64, 2], [4, 8], [16, 32]];
    /// assert_eq!(Bits::from_array(array.view())?.row(2), [16, 32]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bits::new`].
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a view is a reference already, and positions are given so too"
    )]
    pub fn from_array(words: ArrayView2<'_, u64>) -> Result<Self, ParticlesError> {
        let per_row = words.ncols();
        Self::new(words.into_iter().copied().collect(), per_row)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Words of a row.
    pub fn per_row(&self) -> usize {
        self.per_row
    }

    /// All words, row after row.
    pub fn words(&self) -> &[u64] {
        &self.words[self.rows.start * self.per_row..self.rows.end * self.per_row]
    }

    /// The words of a row.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words()[row * self.per_row..][..self.per_row]
    }

    /// How many bits of a row are set.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn set_in(&self, row: usize) -> u32 {
        self.row(row).iter().map(|word| word.count_ones()).sum()
    }

    /// How many rows have each bit set: those of the first word, then those of the next.
    ///
    /// ```
    /// use albireo::particles::Bits;
    /// let members = Bits::new(vec![0b101, 0b100, 0b110], 1)?.members();
    /// assert_eq!((members.len(), &members[..4]), (64, &[1, 1, 3, 0][..]));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn members(&self) -> Vec<u64> {
        let by_bit = self.by_bit();
        let ones = |bit: usize| by_bit.bit(bit).iter().map(|rows| rows.count_ones());
        let bits = 0..self.per_row * WORD_BITS;
        bits.map(|bit| ones(bit).map(u64::from).sum()).collect()
    }

    fn by_bit(&self) -> &ByBit {
        let make = || ByBit::of(self.words(), self.per_row);
        self.by_bit.get_or_init(make)
    }

    /// The rows that have bit number `k` set.
    pub(super) fn rows_with(&self, k: usize) -> Vec<u32> {
        if k >= self.per_row * WORD_BITS {
            return vec![];
        }
        let words = self.by_bit().bit(k);
        let number = words.iter().map(|rows| rows.count_ones()).sum::<u32>();
        let mut rows = Vec::with_capacity(number as usize);
        for (at, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                rows.push((at * WORD_BITS) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        rows
    }

    /// The bits of a run of rows.
    pub(super) fn rows(&self, rows: Range<usize>) -> Self {
        let start = self.rows.start;
        Self {
            rows: start + rows.start..start + rows.end,
            words: Arc::clone(&self.words),
            per_row: self.per_row,
            by_bit: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against each row's words, around multiples of 64 rows and in slices that begin anywhere.
    #[test]
    fn the_rows_of_a_bit_are_those_whose_words_have_it() {
        let mut state = 20_261_129_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state ^ state >> 31) & (state >> 17 | 0xff)
        };
        for n in [0, 1, 63, 64, 65, 127, 200] {
            for per_row in [1, 2, 3] {
                let words = (0..n * per_row).map(|_| next()).collect();
                let all = Bits::new(words, per_row).unwrap();
                for bits in [all.rows(n / 3..n), all] {
                    let members = bits.members();
                    assert_eq!(members.len(), per_row * WORD_BITS);
                    for (k, member) in members.into_iter().enumerate() {
                        let has = |row: &usize| bits.row(*row)[k / 64] >> (k % 64) & 1 == 1;
                        let expected = (0..bits.len()).filter(has).map(|row| row as u32);
                        let found = bits.rows_with(k);
                        assert_eq!(found.len() as u64, member);
                        assert!(found.into_iter().eq(expected), "{n} {per_row} {k}");
                    }
                    assert!(bits.rows_with(per_row * WORD_BITS).is_empty());
                }
            }
        }
    }
}
