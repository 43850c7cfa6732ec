//! Classes of pairs: made of the integer labels of the two particles, counted apart from one another in one pass.
//!
//! Entry: [`Classes`], and [`Tables`], which says for two labels where their pairs are counted.

use crate::binning::PairOrder;
use crate::error::JobError;
use crate::pairs::Pairs;
use crate::particles::Labels;

/// Which classes of pairs are held apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub enum Classes {
    /// All pairs are of one class.
    #[default]
    One,
    /// A class for each combination of two labels, such as the species of two atoms: table `a*n2 + b`; where an auto count holds each
    /// pair once, of a <= b only, in the order (0,0), (0,1), .., (1,1), ..
    Species,
    /// For each label k, such as a region of the sky: pairs with both points in k (table k), and those with exactly one, which add
    /// to the tables of both regions. They are one table (n + k) where an auto count holds each pair once, else two: first point in k
    /// (n + k), second point in k (2n + k).
    Regions,
}

impl Classes {
    /// What tells the classes apart.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::One => "nothing",
            Self::Species => "species",
            Self::Regions => "regions",
        }
    }
}

/// The most integers in a tally for each sum.
const MAX_ENTRIES: usize = 1 << 28;

/// Where the pairs of two labels are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tables {
    classes: Classes,
    /// Labels of the first and of the second sample.
    n: [usize; 2],
    /// Each pair is counted once, whichever of its points comes first.
    unordered: bool,
}

/// Number of classes of unordered pairs of `n` species.
pub fn unordered_classes(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The class of an unordered pair of two of `n` species: (0,0), (0,1), .., (1,1), ..
#[inline]
pub fn unordered_class(n: usize, [a, b]: [usize; 2]) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    // Rows 0..a of the triangle have n, n - 1, .. entries.
    a * (2 * n + 1 - a) / 2 + (b - a)
}

impl Tables {
    /// The tables of a count of `pairs` with `n_bins` bins each.
    ///
    /// # Errors
    /// A sample without labels, regions of two samples that differ in number, or more tables than can be held.
    pub(super) fn new(
        classes: Classes,
        pairs: Pairs<'_>,
        order: PairOrder,
        n_bins: usize,
    ) -> Result<Self, JobError> {
        let auto = matches!(pairs, Pairs::Auto(_));
        let unordered = auto && order == PairOrder::Unordered;
        if classes == Classes::One {
            return Ok(Self {
                classes,
                n: [1; 2],
                unordered,
            });
        }
        let (first, second) = pairs.both();
        let labels = [first, second].map(|sample| sample.labels().map(Labels::number));
        let [Some(n1), Some(n2)] = labels else {
            return Err(JobError::NoLabels);
        };
        if classes == Classes::Regions && n1 != n2 {
            return Err(JobError::Regions {
                first: n1,
                second: n2,
            });
        }
        let tables = Self {
            classes,
            n: [n1, n2].map(|n| n as usize),
            unordered,
        };
        let entries = tables.number().checked_mul(n_bins);
        if entries.is_none_or(|entries| entries > MAX_ENTRIES) {
            return Err(JobError::TooManyTables {
                tables: tables.number(),
                bins: n_bins,
                limit: MAX_ENTRIES,
            });
        }
        Ok(tables)
    }

    /// Number of tables.
    pub fn number(&self) -> usize {
        let [n1, n2] = self.n;
        match self.classes {
            Classes::One => 1,
            Classes::Species if self.unordered => unordered_classes(n1),
            Classes::Species => n1 * n2,
            Classes::Regions if self.unordered => 2 * n1,
            Classes::Regions => 3 * n1,
        }
    }

    /// The tables to which a pair of points with these labels adds: one, or the two of a pair across regions.
    #[inline]
    pub fn of(&self, first: u32, second: u32) -> [Option<usize>; 2] {
        let [n1, n2] = self.n;
        let [a, b] = [first as usize, second as usize];
        match self.classes {
            Classes::One => [Some(0), None],
            Classes::Species if self.unordered => [Some(unordered_class(n1, [a, b])), None],
            Classes::Species => [Some(a * n2 + b), None],
            Classes::Regions if a == b => [Some(a), None],
            Classes::Regions if self.unordered => [Some(n1 + a), Some(n1 + b)],
            Classes::Regions => [Some(n1 + a), Some(2 * n1 + b)],
        }
    }

    /// The labels of both samples, where there are classes.
    pub(crate) fn labels<'a>(&self, pairs: Pairs<'a>) -> Option<[&'a [u32]; 2]> {
        if self.classes == Classes::One {
            return None;
        }
        let (first, second) = pairs.both();
        Some([first.labels()?.values(), second.labels()?.values()])
    }

    /// The number of labels of the first and of the second sample.
    pub(crate) fn labels_of_each(&self) -> [usize; 2] {
        self.n
    }

    /// Whether the labels of a pair may come in either order.
    pub(crate) fn is_unordered(&self) -> bool {
        self.unordered
    }

    /// Whether there is but one class.
    pub(crate) fn is_one(&self) -> bool {
        self.classes == Classes::One
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(classes: Classes, n: [usize; 2], unordered: bool) -> Tables {
        Tables {
            classes,
            n,
            unordered,
        }
    }

    #[test]
    fn every_table_of_species_is_of_one_combination() {
        for n in 1..7 {
            let unordered = tables(Classes::Species, [n; 2], true);
            let mut seen = vec![0; unordered.number()];
            for a in 0..n as u32 {
                for b in a..n as u32 {
                    let [table, other] = unordered.of(a, b);
                    assert_eq!((unordered.of(b, a), other), ([table, None], None));
                    seen[table.unwrap_or(usize::MAX)] += 1;
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{n}: {seen:?}");
            let ordered = tables(Classes::Species, [n, 3], false);
            let all = (0..n as u32).flat_map(|a| (0..3).map(move |b| ordered.of(a, b)[0]));
            assert!(all.eq((0..3 * n).map(Some)));
        }
    }

    #[test]
    fn pairs_across_regions_add_to_both() {
        let once = tables(Classes::Regions, [5; 2], true);
        assert_eq!((once.number(), once.of(3, 3)), (10, [Some(3), None]));
        assert_eq!(once.of(1, 4), [Some(6), Some(9)]);
        let both = tables(Classes::Regions, [5; 2], false);
        assert_eq!((both.number(), both.of(3, 3)), (15, [Some(3), None]));
        assert_eq!(both.of(1, 4), [Some(6), Some(14)]);
        assert_eq!(both.of(4, 1), [Some(9), Some(11)]);
    }
}
