//! What a job carries besides the bin of each pair.

use albireo_kernels::Summed;
use albireo_kernels::structs::SumTerms;
use albireo_simd::fixed_point::FLUSH_TERMS;

use crate::tally::Tables;

/// What is carried besides the bin of each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carried {
    /// By which kernels.
    pub(super) summed: Summed,
    /// How many sums.
    pub(super) number: usize,
    /// Whether weights go into them.
    pub(super) weighted: bool,
    /// Words of bits a row; 0 where these neither weigh pairs nor tell of realisations.
    pub(super) words: usize,
    /// Realisations that are counted apart, or none.
    pub(super) realisations: usize,
    /// Whether rows are counted first, and then their realisations.
    pub(super) realised_rows: bool,
    /// Whether angles weigh pairs.
    pub(super) directions: bool,
    /// Columns of the first and of the second sample that expressions take.
    pub(super) columns: [usize; 2],
    /// The statements that kernels sum terms by.
    pub(super) sums: &'static str,
    /// Classes of pairs: which there are.
    pub(super) labels: Option<Labels>,
}

/// The labels of both samples, by number, and the tables of their classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Labels {
    pub(super) numbers: [u32; 2],
    pub(super) tables: Tables,
}

impl Carried {
    /// The same by kernels that take the pairs in bins one by one.
    pub(super) fn one_by_one(self) -> Self {
        let summed = match self.summed {
            Summed::Separations => Summed::Terms,
            _ if self.realised_rows => Summed::Realisations,
            other => other,
        };
        Self {
            summed,
            realised_rows: false,
            ..self
        }
    }

    /// What kernels know about sums of any kind over `bins` bins; the addresses are nowhere.
    pub(super) fn terms(self, bins: u32) -> SumTerms {
        SumTerms {
            bins,
            all: u64::from(bins) * self.tables() as u64,
            number: self.number as u32,
            flush_pairs: if self.number == 0 {
                u64::from(u32::MAX)
            } else {
                FLUSH_TERMS - 1
            },
            ..SumTerms::default()
        }
    }

    /// Number of tables that are summed.
    pub(super) fn tables(self) -> usize {
        let classes = self.labels.map_or(1, |labels| labels.tables.number());
        classes * self.realisations.max(1)
    }

    /// Words of shared memory that the sums of one place take, where rows are not counted first.
    pub(super) fn words_a_place(self) -> usize {
        self.words_a_sum() * self.realisations.max(1)
    }

    /// Words of a number of pairs and its sums.
    pub(super) fn words_a_sum(self) -> usize {
        1 + 2 * self.number
    }

    /// Bytes of a row's weight as it was given.
    pub(super) fn weight_bytes(self) -> u64 {
        if self.weighted { 8 } else { 0 }
    }

    /// Bytes of a row's bits and columns as they were given.
    pub(super) fn words_bytes(self) -> u64 {
        let columns = self.columns[0].max(self.columns[1]);
        8 * (self.words + columns) as u64
    }

    /// Bytes of a row's bits, columns and direction as kernels read them.
    pub(super) fn laid_bytes(self) -> u64 {
        let set = if self.words > 0 { 4 } else { 0 };
        self.words_bytes() + set + if self.directions { 24 } else { 0 }
    }
}
