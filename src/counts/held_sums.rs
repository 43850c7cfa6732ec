//! What counts hold beside the numbers of pairs: sums of real numbers, by what they are sums of.
//!
//! Entry: [`HeldSums`].

use super::FixedSums;
use crate::error::MergeError;
use crate::tally::{Legendre, Sum};

/// What is summed over the pairs of each bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Weight,
    Separation,
    WeightedSeparation,
    /// Times the weight where weights are summed.
    Legendre(Legendre),
}

impl Held {
    /// What a sum of a tally is; those of other crates are not held.
    pub(super) fn of(sum: &Sum) -> Option<Self> {
        match sum {
            Sum::Product => Some(Self::Weight),
            Sum::Separation => Some(Self::Separation),
            Sum::WeightedSeparation => Some(Self::WeightedSeparation),
            Sum::Legendre(l) | Sum::WeightedLegendre(l) => Some(Self::Legendre(*l)),
            Sum::OfSet(..) | Sum::Rest(..) | Sum::Term(_) => None,
        }
    }

    /// Whether a pair that weighs a share of what it would adds that share to it.
    pub(super) fn is_shared(self) -> bool {
        self != Self::Separation
    }
}

/// Sums by what they are, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct HeldSums(Vec<(Held, FixedSums)>);

impl HeldSums {
    /// Weights alone, or nothing.
    pub(super) fn of_weights(weight: Option<FixedSums>) -> Self {
        let mut held = Self::default();
        if let Some(weight) = weight {
            held.set(Held::Weight, weight);
        }
        held
    }

    /// A sum, if it is held.
    pub(super) fn get(&self, what: Held) -> Option<&FixedSums> {
        let found = self.0.iter().find(|(held, _)| *held == what);
        found.map(|(_, sums)| sums)
    }

    /// Puts a sum in the place of the one held before, or beside the others.
    pub(super) fn set(&mut self, what: Held, sums: FixedSums) {
        match self.0.iter_mut().find(|(held, _)| *held == what) {
            Some((_, held)) => *held = sums,
            None => self.0.push((what, sums)),
        }
    }

    /// Drops a sum.
    pub(super) fn remove(&mut self, what: Held) {
        self.0.retain(|(held, _)| *held != what);
    }

    /// Drops all sums but those of weights.
    pub(super) fn keep_weights(&mut self) {
        self.0.retain(|(held, _)| *held == Held::Weight);
    }

    /// The sums of weights, if they are held.
    pub(super) fn weights_mut(&mut self) -> Option<&mut FixedSums> {
        let found = self.0.iter_mut().find(|(held, _)| *held == Held::Weight);
        found.map(|(_, sums)| sums)
    }

    /// Makes the sums of bins without pairs 0.
    pub(super) fn clear_empty(&mut self, npairs: &[u64]) {
        for (_, held) in &mut self.0 {
            let sums = held.sums.iter_mut().zip(npairs);
            sums.filter(|(_, n)| **n == 0).for_each(|(sum, _)| *sum = 0);
        }
    }

    /// What is held.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Held> + '_ {
        self.0.iter().map(|(held, _)| *held)
    }

    /// The degrees of the Legendre sums, rising.
    pub(super) fn degrees(&self) -> Vec<Legendre> {
        let mut degrees: Vec<Legendre> = (self.kinds())
            .filter_map(|held| match held {
                Held::Legendre(l) => Some(l),
                _ => None,
            })
            .collect();
        degrees.sort_by_key(|l| l.degree());
        degrees
    }

    /// All integers.
    pub(super) fn integers_mut(&mut self) -> impl Iterator<Item = &mut i128> {
        self.0.iter_mut().flat_map(|(_, sums)| sums.sums.iter_mut())
    }

    /// Puts each integer together with that of `other`, made with the same exponents.
    pub(super) fn with_each(&mut self, other: &Self, put: fn(&mut i128, i128)) {
        for (what, held) in &mut self.0 {
            if let Some(part) = other.get(*what) {
                let both = held.sums.iter_mut().zip(&part.sums);
                both.for_each(|(held, &part)| put(held, part));
            }
        }
    }

    /// The sums that `make` makes of each.
    pub(super) fn each<E>(
        &self,
        make: impl Fn(Held, &FixedSums) -> Result<FixedSums, E>,
    ) -> Result<Self, E> {
        let made = |(held, sums): &(Held, FixedSums)| Ok((*held, make(*held, sums)?));
        self.0.iter().map(made).collect::<Result<_, E>>().map(Self)
    }

    /// Adds sums of other pairs, with exponents of their own.
    pub(super) fn add(&mut self, other: &Self) -> Result<(), MergeError> {
        for (what, total) in &mut self.0 {
            if let Some(part) = other.get(*what) {
                total.add(part)?;
            }
        }
        Ok(())
    }
}
