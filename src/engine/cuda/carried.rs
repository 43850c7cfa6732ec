//! What a job carries besides the bin of each pair.

use albireo_kernels::structs::SumTerms;

use crate::fixed_point::{FLUSH_TERMS, FRACTION_BITS};
use crate::tally::Tables;

/// What is carried besides the bin of each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Carried {
    /// Products of weights.
    pub(super) weighted: bool,
    /// The coordinate across, and its exponent.
    pub(super) coordinate: Option<i32>,
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
    /// What kernels are told about sums over `bins` bins, whose coordinate is an angle with `on_sphere`; the addresses are nowhere.
    pub(super) fn terms(self, bins: u32, on_sphere: bool) -> SumTerms {
        let scale = |exponent| libm::scalbn(1.0, FRACTION_BITS - exponent);
        SumTerms {
            bins,
            coordinate: self.coordinate.map_or(0, |_| 1 + u32::from(on_sphere)),
            coordinate_scale: self.coordinate.map_or(0.0, scale),
            flush_pairs: if !self.weighted && self.coordinate.is_none() {
                u64::from(u32::MAX)
            } else {
                FLUSH_TERMS - 1
            },
            ..SumTerms::default()
        }
    }

    /// Number of tables that are summed.
    pub(super) fn tables(self) -> usize {
        self.labels.map_or(1, |labels| labels.tables.number())
    }

    /// Words of shared memory that one sum takes.
    pub(super) fn words(self) -> usize {
        1 + if self.weighted { 2 } else { 0 } + if self.coordinate.is_some() { 2 } else { 0 }
    }
}
