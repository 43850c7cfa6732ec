//! Which rows of a table are looked at, by their numbers.
//!
//! Entry: [`RowRange`].

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use thiserror::Error;

use crate::numbers::whole_of_text;

/// Rows `first..end` of a table, counting from 0, and of these every n-th, before any condition.
///
/// ```
/// use albireo_catalogs::RowRange;
/// let rows: RowRange = "100:200".parse()?;
/// assert!(rows.contains(100) && !rows.contains(200));
/// assert_eq!("100:".parse::<RowRange>()?.end, None);
/// # Ok::<(), albireo_catalogs::ParseRowsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub first: u64,
    /// The row behind the last; without it the table's end.
    pub end: Option<u64>,
    /// 1 for all of them; n for `first`, `first + n`, ...
    pub every: NonZeroU64,
}

/// A text that is no range of rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected rows as A:B (from A to below B, counting from 0; either may be left out), found `{0}`"
)]
pub struct ParseRowsError(String);

impl Default for RowRange {
    fn default() -> Self {
        Self {
            first: 0,
            end: None,
            every: NonZeroU64::MIN,
        }
    }
}

impl RowRange {
    /// Whether these are all rows of any table.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether row `row` is one of them.
    pub fn contains(&self, row: u64) -> bool {
        row >= self.first
            && self.end.is_none_or(|end| row < end)
            && (row - self.first).is_multiple_of(self.every.get())
    }

    /// Which of `count` rows from `first_row` on are among them; nothing if all are.
    pub(crate) fn mask(&self, first_row: u64, count: usize) -> Option<Vec<bool>> {
        let rows = first_row..first_row + count as u64;
        (!self.is_all()).then(|| rows.map(|row| self.contains(row)).collect())
    }
}

/// `A:B`, `A:`, `:B`; all of them by `:`.
impl FromStr for RowRange {
    type Err = ParseRowsError;

    fn from_str(text: &str) -> Result<Self, ParseRowsError> {
        let refused = || ParseRowsError(text.to_owned());
        let (first, end) = text.split_once(':').ok_or_else(refused)?;
        let number = |text: &str| whole_of_text(text).ok_or_else(refused);
        let range = Self {
            first: if first.trim().is_empty() {
                0
            } else {
                number(first)?
            },
            end: if end.trim().is_empty() {
                None
            } else {
                Some(number(end)?)
            },
            ..Self::default()
        };
        match range.end {
            Some(end) if end <= range.first => Err(refused()),
            _ => Ok(range),
        }
    }
}

/// As it is read, with `every n` where some are left out.
impl fmt::Display for RowRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.first)?;
        if let Some(end) = self.end {
            write!(f, "{end}")?;
        }
        match self.every.get() {
            1 => Ok(()),
            n => write!(f, ", every {n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_rows() {
        let read = |text: &str| text.parse::<RowRange>();
        let every = |range: RowRange, n| RowRange {
            every: NonZeroU64::new(n).unwrap(),
            ..range
        };
        let kept = |range: RowRange| {
            (0..12)
                .filter(|&row| range.contains(row))
                .collect::<Vec<_>>()
        };
        assert_eq!(kept(read("3:5").unwrap()), [3, 4]);
        assert_eq!(kept(every(read("1:9").unwrap(), 3)), [1, 4, 7]);
        assert_eq!(kept(every(read(":").unwrap(), 5)), [0, 5, 10]);
        assert_eq!(
            read("10:").unwrap().mask(8, 4),
            Some(vec![false, false, true, true])
        );
        assert_eq!(read(":").unwrap().mask(8, 4), None);
        for wrong in ["", "3", "5:5", "5:3", "-1:3", "a:b", "1:2:3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
