//! What a description says of columns: smallest and largest numbers, the first different texts.
//!
//! Entry: [`Ranges`], which uses blocks up.

use crate::block::{Block, Cells};

/// Smallest and largest value of a component, and what is no number.
#[derive(Clone, Copy, Default)]
pub(crate) struct Range {
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) nan_count: u64,
    pub(crate) null_count: u64,
}

impl Range {
    pub(crate) fn see(&mut self, values: &[f64], nulls: u64) {
        let (mut min, mut max, mut nans) = (f64::INFINITY, f64::NEG_INFINITY, 0);
        for &value in values {
            min = min.min(value);
            max = max.max(value);
            nans += u64::from(value.is_nan());
        }
        self.nan_count += nans - nulls.min(nans);
        self.null_count += nulls;
        if nans < values.len() as u64 {
            self.join(Some(min), Some(max));
        }
    }

    fn join(&mut self, min: Option<f64>, max: Option<f64>) {
        self.min = self
            .min
            .map_or(min, |old| Some(min.map_or(old, |new| old.min(new))));
        self.max = self
            .max
            .map_or(max, |old| Some(max.map_or(old, |new| old.max(new))));
    }

    /// The range of both.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.join(other.min, other.max);
        self.nan_count += other.nan_count;
        self.null_count += other.null_count;
    }
}

/// The first few different texts of a column.
#[derive(Clone, Default)]
pub(crate) struct Distinct {
    pub(crate) texts: Vec<String>,
    /// Whether there are others.
    pub(crate) more: bool,
}

impl Distinct {
    /// Texts kept at most.
    const KEPT: usize = 8;

    pub(crate) fn see(&mut self, texts: &[String]) {
        if self.more {
            return;
        }
        for text in texts {
            if self.texts.contains(text) {
                continue;
            }
            if self.texts.len() == Self::KEPT {
                self.more = true;
                return;
            }
            self.texts.push(text.clone());
        }
    }
}

/// The ranges of all components of a scan.
pub(crate) struct Ranges {
    pub(crate) numbers: Vec<Range>,
    pub(crate) texts: Vec<Distinct>,
    pub(crate) rows: u64,
}

impl Ranges {
    pub(crate) fn new(components: usize) -> Self {
        Self {
            numbers: vec![Range::default(); components],
            texts: vec![Distinct::default(); components],
            rows: 0,
        }
    }

    pub(crate) fn see(&mut self, block: &Block) {
        self.rows += block.rows as u64;
        let seen = self.numbers.iter_mut().zip(&mut self.texts);
        for (((range, distinct), cells), &nulls) in seen.zip(&block.cells).zip(&block.nulls) {
            match cells {
                Cells::Numbers(values) => range.see(values, nulls),
                Cells::Texts(texts) => {
                    range.null_count += nulls;
                    distinct.see(texts);
                }
                Cells::Coded(coded) => {
                    range.null_count += nulls;
                    distinct.see(&coded.texts);
                }
                // Ranges are of values as they are nearest to float64.
                Cells::Integers(_) | Cells::Missing(..) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Numbers, Site, Widening};

    #[test]
    fn ranges_tell_nan_from_null() {
        let mut ranges = Ranges::new(2);
        let site = Site::new(std::path::Path::new("c.fits"), "id", 10);
        let mut numbers = Numbers::new(site, Widening::Nearest, 4);
        for value in [2.0, f64::NAN, -1.0] {
            numbers.float(value).unwrap();
        }
        numbers.null().unwrap();
        let (cells, nulls) = numbers.finish();
        let empty = Cells::Numbers(vec![f64::NAN; 4]);
        ranges.see(&Block {
            rows: 4,
            first_row: 0,
            cells: vec![cells, empty],
            nulls: vec![nulls, 0],
        });
        let range = ranges.numbers[0];
        assert_eq!(
            (range.min, range.max, range.nan_count, range.null_count),
            (Some(-1.0), Some(2.0), 1, 1)
        );
        assert_eq!(
            (ranges.numbers[1].min, ranges.numbers[1].nan_count),
            (None, 4)
        );
    }

    #[test]
    fn few_texts_are_kept_and_more_are_told() {
        let mut distinct = Distinct::default();
        let texts = |n: usize| (0..n).map(|k| (k % 9).to_string()).collect::<Vec<_>>();
        distinct.see(&texts(8));
        assert_eq!((distinct.texts.len(), distinct.more), (8, false));
        distinct.see(&texts(30));
        assert_eq!((distinct.texts.len(), distinct.more), (8, true));
    }
}
