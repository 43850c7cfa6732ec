//! What a count holds, as the rows of a table have it.
//!
//! Entry: [`RowSums`]. `tables` makes columns of them, `saved` reads them back.

use std::ops::Range;

use albireo::Counts;
use albireo::counts::ExactSums;
use albireo::error::CountsError;
use albireo::tally::Legendre;
use albireo_catalogs::Table;
use anyhow::Result;

use crate::held_columns::{at_column, column_name, integers, is_unnumbered, pair_sums, sums};

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

impl RowSums {
    /// What the columns of a count hold.
    pub(crate) fn read(table: &Table, prefix: &str) -> Result<Self> {
        let of = |rest: &str| sums(table, &column_name(prefix, rest));
        let axis = table.edges()?.into_iter().next().map(|(axis, _)| axis);
        let axis = axis.unwrap_or_default();
        let mut legendre = Vec::new();
        for l in Legendre::ALL.into_iter().filter(|l| *l != Legendre::L0) {
            legendre.extend(of(&format!("L{}", l.degree()))?.map(|sums| (l, sums)));
        }
        let mut named = Vec::new();
        for name in pair_sums(table) {
            named.extend(of(name)?.map(|sums| (name.to_owned(), sums)));
        }
        let npairs = column_name(prefix, "npairs");
        let unnumbered = table.column(&npairs).is_none() && is_unnumbered(table);
        Ok(Self {
            npairs: if unnumbered {
                vec![0; table.rows()]
            } else {
                integers(table, &npairs)?.to_vec()
            },
            unnumbered,
            weight: of("weight")?,
            legendre,
            separation: of(&format!("sum_{axis}"))?,
            weighted_separation: of(&format!("weighted_sum_{axis}"))?,
            named,
        })
    }

    /// Counts over bins of these sums, where `whole` makes counts of the numbers and the weights.
    pub(crate) fn counts(
        self,
        prefix: &str,
        whole: impl FnOnce(Vec<u64>, Option<ExactSums>) -> Result<Counts, CountsError>,
    ) -> Result<Counts> {
        let name = |rest: &str| column_name(prefix, rest);
        let at = |sums: String| move |error| at_column(error, &name("npairs"), &sums);
        let mut counts = whole(self.npairs, self.weight).map_err(at(name("weight")))?;
        for (l, sums) in self.legendre {
            let with = counts.with_legendre_sums(l, sums);
            counts = with.map_err(at(name(&format!("L{}", l.degree()))))?;
        }
        if let Some(sums) = self.separation {
            counts = counts.with_separation_sums(sums)?;
        }
        if let Some(sums) = self.weighted_separation {
            counts = counts.with_weighted_separation_sums(sums)?;
        }
        for (name_of, sums) in self.named {
            let with = counts.with_pair_sum(&name_of, sums);
            counts = with.map_err(at(name(&name_of)))?;
        }
        Ok(counts)
    }
}
