//! The columns that expressions over pairs take, in the order of slots.
//!
//! Entry: [`SlotColumns`].

use super::Run;
use super::lanes::Columns;
use crate::particles::Particles;
use crate::tally::{End, PairProgram};
use crate::traversal::Layout;

/// The columns of the first sample and, where there is one, of the second.
#[derive(Debug)]
pub(super) struct SlotColumns<'a> {
    program: &'a PairProgram,
    first: Vec<Vec<f64>>,
    second: Option<Vec<Vec<f64>>>,
}

impl Run<'_> {
    /// Those that `program` takes of the samples of the job.
    pub(super) fn columns<'a>(&self, program: &'a PairProgram) -> SlotColumns<'a> {
        let in_slots = |sample: &Particles, layout: &Layout, number: usize| {
            let columns = sample.columns().iter().take(number);
            let in_order = columns.map(|column| layout.in_slot_order(|row| column.at(row)));
            in_order.collect()
        };
        let (first, second) = self.job.pairs().samples();
        let [i, j] = [End::First, End::Second].map(|end| program.n_columns(end));
        let second = second.zip(self.second.as_deref());
        SlotColumns {
            program,
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
            program: self.program,
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
