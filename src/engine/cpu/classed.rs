//! Classes whose points lie among one another: one order of all points, and the class of a pair in its slot.
//!
//! Entry: [`Run::in_slots`]. Blocks that are pure in label are larger the more labels share their space, and so are the pairs that are tested for one in a bin. The
//! integers are the same.

use std::sync::Arc;

use albireo_simd::SlotClasses;

use super::Run;
use super::columns::of_both_sides;
use super::filtered::{Made, products};
use super::sorted::CpuSorted;
use crate::binning::Formed;
use crate::binning::filter::Slots;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::progress::{Lasting, Progress};
use crate::tally::{Classes, CountSpec, Sum, Tally, Terms};
use crate::traversal::{BLOCK, Bounds, Layout, NO_ROW};

/// Slots of all classes, at most: they stay near the processor.
const MOST_SLOTS: usize = 1 << 17;

/// Slots that are counted in registers, where there are no more.
const FEW_SLOTS: usize = 34;

/// Blocks of any label around a point, from which on one order of all points pays: of pairs that registers would count, and of others.
const DEEP: [f64; 2] = [4.5, 2.0];

/// Points that are asked how many blocks hold them.
const ASKED: usize = 64;

/// How many blocks there are around a point.
fn depth(layout: &Layout) -> f64 {
    let (blocks, positions) = (&layout.blocks, layout.positions());
    let step = blocks.len().div_ceil(ASKED).max(1);
    let (mut points, mut around) = (0, 0);
    for block in (0..blocks.len()).step_by(step) {
        let x = positions.at(block * BLOCK);
        points += 1;
        let holds =
            |at: &Bounds| (0..3).all(|axis| (x[axis] - at.centre[axis]).abs() <= at.half[axis]);
        around += blocks.iter().filter(|block| holds(&block.bounds)).count();
    }
    around as f64 / f64::from(points.max(1))
}

/// Where the class of each pair of slots begins.
fn classes(run: &Run<'_>, terms: &Terms<'_>, n_slots: usize) -> Option<SlotClasses> {
    let tables = terms.tables();
    let labels = tables.labels(run.job.pairs())?;
    let [n1, n2] = tables.labels_of_each();
    let slots = |layout: &Layout, labels: &[u32], begin: &(dyn Fn(usize) -> usize + Sync)| {
        let slots = 0..layout.blocks.len() * BLOCK;
        let begin = |slot| match layout.row(slot) {
            NO_ROW => 0,
            row => (begin(labels[row as usize] as usize) * n_slots) as u32,
        };
        slots.map(begin).collect::<Vec<u32>>()
    };
    let rows = |begin: &(dyn Fn(usize) -> usize + Sync)| slots(&run.first, labels[0], begin);
    let lanes = |begin: &(dyn Fn(usize) -> usize + Sync)| slots(run.second(), labels[1], begin);
    let (rows, lanes) = if tables.is_unordered() {
        // The class of a <= b is the lesser of base(a) + b and base(b) + a: base(x) - x grows with x.
        let base = |label: usize| label * (2 * n1 - 1 - label) / 2;
        let own = |label: usize| label;
        ([rows(&base), rows(&own)], [lanes(&own), lanes(&base)])
    } else {
        let (of_row, of_lane) = (rows(&|label| label * n2), lanes(&|label| label));
        ([of_row.clone(), of_row], [of_lane.clone(), of_lane])
    };
    Some(SlotClasses {
        rows,
        lanes,
        n_slots,
        number: tables.number(),
    })
}

impl<'a> Run<'a> {
    /// The bins, where classes in the slots of one order of all points pay: species of numbers of pairs, and of one sum of their weights.
    fn formed_in_slots<'w>(&self, what: &'w CountSpec, terms: &Terms<'_>) -> Option<Formed<'w>> {
        let plain = matches!(what.sums(), [] | [Sum::Product])
            && what.pair_weight().is_none()
            && terms.realised().is_none();
        if what.classes() != Classes::Species || !plain || self.span.is_some() || self.beyond_half {
            return None;
        }
        let formed = Formed::of(what.bins())?;
        let n_slots = Slots::of(&formed.form).n_slots();
        let few = n_slots <= FEW_SLOTS && what.sums().is_empty();
        let depth = || (depth(&self.first) * depth(self.second())).sqrt();
        let fit = n_slots * terms.tables().number() <= MOST_SLOTS;
        (fit && depth() >= DEEP[usize::from(!few)]).then_some(formed)
    }

    /// Counts classes in the slots of one order of all points, where that pays.
    pub(super) fn in_slots(
        &self,
        what: &CountSpec,
        terms: &Terms<'_>,
        progress: &Lasting<'_>,
    ) -> Result<Option<Tally>, EngineError> {
        let Some(formed) = self.formed_in_slots(what, terms) else {
            return Ok(None);
        };
        let n_slots = Slots::of(&formed.form).n_slots();
        let run = self.mixed(what, progress)?;
        let Some(classes) = classes(&run, terms, n_slots) else {
            return Ok(None);
        };
        let sets = run.factors_of_sets(what, terms);
        let sets = of_both_sides(&sets);
        let Some(words) = products(what.sums(), &sets) else {
            return Ok(None);
        };
        let made = Made {
            factors: sets.first().copied().unwrap_or_default(),
            words: &words,
            classes: Some(&Arc::new(classes)),
            ..Made::default()
        };
        run.run_filtered(&formed.form, what, terms, (made, &|| None), progress)
            .transpose()
    }

    /// The same samples in one order of all points.
    fn mixed(&self, what: &CountSpec, progress: &Lasting<'_>) -> Result<Self, EngineError> {
        let (first, second) = self.job.pairs().samples();
        let stop = || progress.stop_requested();
        let mixed = |sorted: &'a CpuSorted, sample: &Particles| sorted.mixed(sample, &stop);
        let first = mixed(self.sorted.0, first)?;
        let second = self.sorted.1.zip(second);
        let second = second.map(|(sorted, sample)| mixed(sorted, sample));
        Self::of_sorted(
            self.isa,
            (self.job, (first, second.transpose()?)),
            what,
            None,
            progress,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::domain::Domain;
    use crate::engine::{Cpu, Engine, Isa, PreparedJob, Silent};
    use crate::particles::{Labels, Points};

    /// Points in a cube, each of six labels: any of them anywhere, or each in a slice of its own.
    fn sample(n: usize, slices: bool) -> Particles {
        let x = |row: usize, k: usize| ((row * k) % 9973) as f64 / 9973.0;
        let rows: Vec<[f64; 3]> = (0..n)
            .map(|row| [x(row, 17), x(row, 391), x(row, 4801)])
            .collect();
        let label = |(row, at): (usize, &[f64; 3])| {
            if slices {
                (6.0 * at[0]) as u32
            } else {
                row as u32 * 7 % 6
            }
        };
        let labels = rows.iter().enumerate().map(label).collect();
        let points = Points::from_rows(&rows).unwrap();
        let weights = (0..n).map(|row| x(row, 77) - 0.25).collect();
        let sample = Particles::weighted(points, weights).unwrap();
        sample.labelled(Labels::new(labels, 6).unwrap()).unwrap()
    }

    /// What they count then is compared with the double loop in `tests/classes.rs`.
    #[test]
    fn classes_are_in_the_slots_where_labels_share_their_space() {
        let engine = Cpu::new().with_threads(1).unwrap();
        let prepare = |slices| {
            let sample = sample(1500, slices);
            engine.prepare(sample, &Domain::Open, &Silent).unwrap()
        };
        let ready = [false, true].map(prepare);
        let bins = RBins::new(Edges::linear(0.0, 0.3, 6).unwrap());
        let plain = CountSpec::new(bins).with_classes(Classes::Species);
        let progress = &Lasting::new(&Silent);
        let pay = |job: &PreparedJob<'_>, what: &CountSpec| {
            engine.pool().unwrap().install(|| {
                let run = Run::new(Isa::best(), job, what, None, progress).unwrap();
                let terms = Terms::new(what, job.job().pairs()).unwrap();
                run.formed_in_slots(what, &terms).is_some()
            })
        };
        for what in [plain.clone(), plain.clone().with_weights()] {
            assert!(pay(&PreparedJob::auto(&ready[0]), &what));
            let cross = PreparedJob::cross(&ready[0], &ready[0]).unwrap();
            assert!(pay(&cross, &what));
            let apart = PreparedJob::auto(&ready[1]);
            assert!(!pay(&apart, &what), "slices share no space");
        }
        let regions = plain.with_classes(Classes::Regions);
        assert!(!pay(&PreparedJob::auto(&ready[0]), &regions));
    }
}
