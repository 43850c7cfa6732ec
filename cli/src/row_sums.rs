//! What a count holds, as the rows of a table have it.
//!
//! Entry: [`RowSums`]. `tables` makes columns of them, `saved` reads them back.

use albireo::Counts;
use albireo::counts::ExactSums;
use albireo::tally::Legendre;

/// What is summed in each row of a result, as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RowSums {
    pub(crate) npairs: Vec<u64>,
    pub(crate) weight: Option<ExactSums>,
    /// By degree, rising from 1 or more.
    pub(crate) legendre: Vec<(Legendre, ExactSums)>,
    pub(crate) separation: Option<ExactSums>,
    pub(crate) weighted_separation: Option<ExactSums>,
}

impl RowSums {
    /// A row for each bin of counts.
    pub(crate) fn of(counts: &Counts) -> Self {
        let degrees = counts.legendre_degrees();
        let legendre = degrees
            .iter()
            .filter_map(|l| Some((l, counts.exact_legendre_sums(l)?.clone())));
        Self {
            npairs: counts.npairs().to_vec(),
            weight: counts.weight_sums().cloned(),
            legendre: legendre.collect(),
            separation: counts.separation_sums().cloned(),
            weighted_separation: counts.weighted_separation_sums().cloned(),
        }
    }

    /// Puts these in the place of the first rows.
    pub(crate) fn put_first(&mut self, first: Self) {
        let (n, rows) = (first.npairs.len(), self.npairs.len());
        self.npairs[..n].copy_from_slice(&first.npairs);
        let put = |all: &mut ExactSums, first: ExactSums| {
            *all = ExactSums::joined(vec![first, all.rows(n..rows)]);
        };
        if let (Some(all), Some(first)) = (&mut self.weight, first.weight) {
            put(all, first);
        }
        for ((_, all), (_, first)) in self.legendre.iter_mut().zip(first.legendre) {
            put(all, first);
        }
    }
}
