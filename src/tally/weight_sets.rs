//! Several sets of weights in one tally, and the passes of an engine that sums but one at a time.
//!
//! Entry: `CountSpec::set_by_set`.

use super::{CountSpec, Sum, Tally, exponents_of_set};
use crate::error::JobError;
use crate::pairs::Pairs;

impl CountSpec {
    /// The exponents of the weights of a set that a sum names: the weights at hand are its set 0.
    pub(crate) fn exponents_of_set(&self, set: usize, pairs: Pairs<'_>) -> [i32; 2] {
        match set {
            0 => self.weight_exponents(pairs),
            set => exponents_of_set(pairs, set),
        }
    }

    /// Number of sets of weights, up to the last that is summed.
    pub(crate) fn weight_sets(&self) -> usize {
        let sets = self.sums.iter().filter_map(Sum::weighted);
        sets.map(|(set, _)| set + 1).max().unwrap_or(0)
    }

    /// The set of the particles that sums of set 0 take.
    pub(crate) fn weight_set(&self) -> usize {
        self.weight_set
    }

    /// Refuses sums of sets of weights that there are not, and samples with different numbers of sets.
    pub(super) fn check_weight_sets(&self, pairs: Pairs<'_>) -> Result<(), JobError> {
        let sets = self.sums.iter().filter_map(Sum::weighted);
        let Some(set) = sets.map(|(set, _)| set).max().filter(|set| *set > 0) else {
            return Ok(());
        };
        let sets = pairs.weight_sets()?;
        if set >= sets {
            return Err(JobError::NoWeightSet { set, sets });
        }
        Ok(())
    }

    /// What each set of weights asks for by itself, and which of these sums it makes; none where the sums take but one set.
    ///
    /// The first makes the sums without weights too.
    pub(crate) fn set_by_set(&self) -> Option<Vec<(Self, Vec<usize>)>> {
        let set_of = |sum: &Sum| sum.weighted().map_or(0, |(set, _)| set);
        let mut sets: Vec<usize> = self.sums.iter().map(set_of).collect();
        sets.sort_unstable();
        sets.dedup();
        if sets.last().is_none_or(|&set| set == 0) {
            return None;
        }
        let of_set = |set: usize| {
            let own = self.sums.iter().enumerate();
            let own = own.filter(|(_, sum)| set_of(sum) == set);
            let (places, sums) = own.map(|(at, sum)| (at, sum.clone().of_set(0))).unzip();
            let mut what = Self {
                sums,
                ..self.clone()
            };
            if set > 0 {
                what.weight_set = set;
                what.weight_exponents = None;
            }
            (what, places)
        };
        Some(sets.into_iter().map(of_set).collect())
    }

    /// Has `count` make the sums of each set of weights in a pass of its own, where there are several; `count` is handed this itself where
    /// there is but one.
    ///
    /// # Errors
    /// Those of `count`.
    pub(crate) fn pass_by_pass<E>(
        &self,
        mut count: impl FnMut(&Self) -> Result<Tally, E>,
    ) -> Result<Tally, E> {
        let Some(sets) = self.set_by_set() else {
            return count(self);
        };
        let mut tally = Tally::default();
        for (what, places) in sets {
            let part = count(&what)?;
            if tally.pairs.is_empty() {
                tally = Tally::zero(part.n_bins, part.n_tables(), self.sums.len());
                tally.pairs.clone_from(&part.pairs);
            }
            for (at, sum) in places.into_iter().zip(part.sums) {
                tally.sums[at] = sum;
            }
        }
        Ok(tally)
    }
}

impl Tally {
    /// The pairs with these of the sums.
    pub(crate) fn with_sums(&self, places: &[usize]) -> Self {
        Self {
            n_bins: self.n_bins,
            pairs: self.pairs.clone(),
            sums: places.iter().map(|&at| self.sums[at].clone()).collect(),
        }
    }
}
