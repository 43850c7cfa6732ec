//! What a count holds, as the rows of a table have it.
//!
//! Entry: [`RowSums`]. `tables` makes columns of them, `saved` reads them back.

use std::ops::Range;

use albireo::Counts;
use albireo::counts::ExactSums;
use albireo::error::CountsError;
use albireo::tally::Legendre;

/// What is summed in each row of a result, as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RowSums {
    pub(crate) npairs: Vec<u64>,
    /// Whether these are not known, and 0.
    pub(crate) unnumbered: bool,
    pub(crate) weight: Option<ExactSums>,
    /// By degree, rising from 1 or more.
    pub(crate) legendre: Vec<(Legendre, ExactSums)>,
    pub(crate) separation: Option<ExactSums>,
    pub(crate) weighted_separation: Option<ExactSums>,
    /// Of expressions over pairs, by name.
    pub(crate) named: Vec<(String, ExactSums)>,
}

/// The sums of expressions that counts hold.
fn named_of(counts: &Counts) -> Vec<(String, ExactSums)> {
    let names = counts.pair_sums();
    names
        .filter_map(|name| Some((name.to_owned(), counts.pair_sum(name)?)))
        .collect()
}

impl RowSums {
    /// A row for each bin of counts.
    pub(crate) fn of(counts: &Counts) -> Self {
        let degrees = counts.legendre_degrees();
        let legendre = degrees
            .iter()
            .filter_map(|l| Some((l, counts.exact_legendre_sums(l)?)));
        Self {
            npairs: counts.npairs().to_vec(),
            unnumbered: !counts.is_numbered(),
            weight: counts.weight_sums(),
            legendre: legendre.collect(),
            separation: counts.separation_sums(),
            weighted_separation: counts.weighted_separation_sums(),
            named: named_of(counts),
        }
    }

    /// The rows of several, one after another: numbers of pairs, weights and sums of expressions.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let (mut npairs, mut weights) = (Vec::new(), Some(Vec::new()));
        let mut unnumbered = false;
        let mut named: Vec<(String, Vec<ExactSums>)> = Vec::new();
        for rows in all {
            unnumbered |= rows.unnumbered;
            for (name, sums) in rows.named {
                match named.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, all)) => all.push(sums),
                    None => named.push((name, vec![sums])),
                }
            }
            npairs.extend(rows.npairs);
            weights = weights.zip(rows.weight).map(|(mut all, weight)| {
                all.push(weight);
                all
            });
        }
        Self {
            npairs,
            unnumbered,
            weight: weights.as_deref().map(ExactSums::joined),
            named: (named.into_iter())
                .map(|(name, all)| (name, ExactSums::joined(&all)))
                .collect(),
            ..Self::default()
        }
    }

    /// The numbers of pairs, the weights and the sums of expressions of some of the rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Self {
        Self {
            npairs: self.npairs[rows.clone()].to_vec(),
            unnumbered: self.unnumbered,
            weight: self.weight.as_ref().map(|weight| weight.rows(rows.clone())),
            named: (self.named.iter())
                .map(|(name, sums)| (name.clone(), sums.rows(rows.clone())))
                .collect(),
            ..Self::default()
        }
    }

    /// The numbers of pairs and the weights of the rows, with nothing in the first of them.
    pub(crate) fn without_first(&self, n: usize) -> Result<Self, CountsError> {
        let mut rest = self.rows(0..self.npairs.len());
        rest.put_first(Self {
            npairs: vec![0; n],
            weight: Some(ExactSums::from_parts(&[vec![0.0; n]])?),
            ..Self::default()
        });
        Ok(rest)
    }

    /// Puts these in the place of the first rows.
    pub(crate) fn put_first(&mut self, first: Self) {
        let (n, rows) = (first.npairs.len(), self.npairs.len());
        self.npairs[..n].copy_from_slice(&first.npairs);
        let put = |all: &mut ExactSums, first: ExactSums| {
            *all = ExactSums::joined(&[first, all.rows(n..rows)]);
        };
        if let (Some(all), Some(first)) = (&mut self.weight, first.weight) {
            put(all, first);
        }
        for ((_, all), (_, first)) in self.legendre.iter_mut().zip(first.legendre) {
            put(all, first);
        }
        for ((_, all), (_, first)) in self.named.iter_mut().zip(first.named) {
            put(all, first);
        }
    }
}
