//! Positions and weights of particles, and the columns that expressions over pairs take, in the order of slots.
//!
//! Entry: [`leaves`], `Run::factors` and `Run::columns`.

use std::sync::Arc;

use rayon::prelude::*;

use super::Run;
use super::evaluated::Evaluated;
use super::lanes::Columns;
use crate::particles::Particles;
use crate::tally::{CountSpec, End, Terms};
use crate::traversal::{BLOCK, Held, LEAF, Layout};

/// The columns of the first sample and, where there is one, of the second.
#[derive(Debug)]
pub(super) struct SlotColumns<'a> {
    evaluated: &'a Evaluated,
    first: Vec<Vec<f64>>,
    second: Option<Vec<Vec<f64>>>,
}

/// The positions of each leaf, axis by axis, as `of` has them.
pub(super) fn leaves(
    layout: &Layout,
    of: impl Fn([f64; 3]) -> [f64; 3] + Sync,
) -> Vec<[[f64; LEAF]; 3]> {
    let positions = layout.positions();
    let of_leaf = |leaf: usize| {
        let points: [[f64; 3]; LEAF] = std::array::from_fn(|k| of(positions.at(leaf * LEAF + k)));
        std::array::from_fn(|axis| points.map(|x| x[axis]))
    };
    let leaves = (0..layout.blocks.len() * (BLOCK / LEAF)).into_par_iter();
    leaves.with_min_len(256).map(of_leaf).collect()
}

/// Scaled weights in the order of the slots, of the first sample and of the second where there is one.
pub(super) type Factors = (Arc<Held<f64>>, Option<Arc<Held<f64>>>);

/// Both sides of each set: those of the first sample where there is no second.
pub(super) fn of_both_sides(sets: &[Factors]) -> Vec<[&[f64]; 2]> {
    sets.iter()
        .map(|(first, second)| [&first[..], &second.as_ref().unwrap_or(first)[..]])
        .collect()
}

impl Run<'_> {
    /// The scaled weights of both samples, of a set, in the order of their slots.
    fn factors(&self, what: &CountSpec, terms: &Terms<'_>, set: usize) -> Factors {
        let [one, other] = what.exponents_of_set(set, self.job.pairs());
        let which = (what.weight_set() + set, terms.weight_sets());
        let second = (self.sorted.1.zip(self.second.as_ref())).map(|(sorted, layout)| {
            sorted.factors(which, other, layout, |row| terms.factor_at(set, true, row))
        });
        let of_first = |row| terms.factor_at(set, false, row);
        let first = (self.sorted.0).factors(which, one, &self.first, of_first);
        (first, second)
    }

    /// Those of every set.
    pub(super) fn factors_of_sets(&self, what: &CountSpec, terms: &Terms<'_>) -> Vec<Factors> {
        let sets = 0..terms.weight_sets();
        sets.map(|set| self.factors(what, terms, set)).collect()
    }

    /// Those that sums take of the samples of the job, and where they do, positions behind them.
    pub(super) fn columns<'a>(&self, evaluated: &'a Evaluated) -> SlotColumns<'a> {
        let in_slots = |sample: &Particles, layout: &Layout, number: usize| {
            let columns = sample.columns().iter().take(number);
            let in_order = columns.map(|column| layout.in_slot_order(&|row| column.at(row)));
            let mut all: Vec<Vec<f64>> = in_order.collect();
            if let Some(before) = evaluated.before_positions() {
                all.resize(before, vec![]);
                let positions = layout.positions();
                let slots = 0..layout.blocks.len() * BLOCK;
                all.extend([0, 1, 2].map(|axis| {
                    let of_slot = |slot: usize| positions.at(slot)[axis];
                    slots.clone().into_par_iter().map(of_slot).collect()
                }));
            }
            all
        };
        let (first, second) = self.job.pairs().samples();
        let [i, j] = [End::First, End::Second].map(|end| evaluated.n_columns(end));
        let second = second.zip(self.second.as_deref());
        SlotColumns {
            evaluated,
            first: in_slots(
                first,
                &self.first,
                if second.is_none() { i.max(j) } else { i },
            ),
            second: second.map(|(sample, layout)| in_slots(sample, layout, j)),
        }
    }
}

impl SlotColumns<'_> {
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns {
            evaluated: self.evaluated,
            first: self.first.iter().map(Vec::as_slice).collect(),
            second: self
                .second
                .as_ref()
                .unwrap_or(&self.first)
                .iter()
                .map(Vec::as_slice)
                .collect(),
        }
    }
}
