//! Where the pairs of a batch are counted: the slots of their squares, by cells of the axes or by the rule.

use albireo_simd::Simd;

use super::Lanes;
use super::batch::Batch;
use super::cells::ASK;
use super::measure::{self, Points};
use super::plan::{Along, Plan};

impl Lanes<'_> {
    /// Finds the slots of a batch.
    #[inline(always)]
    pub(super) fn locate<S: Simd>(
        &self,
        simd: S,
        plan: &Plan<'_>,
        batch: &mut Batch,
        points: &Points<'_>,
    ) {
        let n = batch.n_pairs();
        let (Some(along), Some(los)) = (&plan.along, plan.los) else {
            if self.roots
                && let Some(even) = &plan.even
                && even.slots(simd, batch)
            {
                return;
            }
            self.find_roots(simd, batch);
            (plan.across).keys(simd, &batch.across[..n], &mut batch.keys[0][..n]);
            if across(plan, batch) {
                ask(plan, batch);
            }
            return;
        };
        if along.is_cosine {
            measure::cosines(simd, batch, points, los, &along.sought);
            let (squares, keys) = (&batch.sought[..n], &mut batch.keys[1][..n]);
            along.axis.keys_within(simd, squares, keys);
        } else {
            measure::distances(simd, batch, points, los);
            let (squares, keys) = (&batch.along[..n], &mut batch.keys[1][..n]);
            along.axis.keys(simd, squares, keys);
            batch.scale[..n].fill(1.0);
        }
        self.find_roots(simd, batch);
        (plan.across).keys(simd, &batch.across[..n], &mut batch.keys[0][..n]);
        let asked = across(plan, batch);
        if across_and_along(plan, along, batch) || asked {
            ask(plan, batch);
        }
    }

    /// Takes the roots of the squares across, where a sum is made of them.
    #[inline(always)]
    fn find_roots<S: Simd>(&self, simd: S, batch: &mut Batch) {
        if !self.roots {
            return;
        }
        for at in (0..batch.n_pairs()).step_by(S::DOUBLES) {
            let root = simd.sqrt_d(simd.load_d(&batch.across[at..]));
            simd.store_d(root, &mut batch.root[at..]);
        }
    }
}

/// Finds the slots across, and says whether the rule must be asked about any of them.
#[inline(always)]
fn across(plan: &Plan<'_>, batch: &mut Batch) -> bool {
    let n = batch.n_pairs();
    let (first, cells) = plan.across.cells();
    // No slot is above what asks.
    let mut most = [0; 4];
    let keys = batch.keys[0][..n].as_chunks::<4>().0;
    let squares = batch.across[..n].as_chunks::<4>().0;
    let slots = batch.slots[..n].as_chunks_mut::<4>().0;
    for ((slots, keys), squares) in slots.iter_mut().zip(keys).zip(squares) {
        for k in 0..4 {
            let cell = &cells[(keys[k] - first) as usize];
            slots[k] = cell.slot(squares[k] >= cell.edge);
            most[k] = slots[k].max(most[k]);
        }
    }
    most.contains(&ASK)
}

/// Adds the slots along the line of sight to those across, and says whether the rule must be asked about any of them.
#[inline(always)]
fn across_and_along(plan: &Plan<'_>, along: &Along, batch: &mut Batch) -> bool {
    let n = batch.n_pairs();
    let nowhere = plan.shape.slot(None);
    let (first, cells) = along.axis.cells();
    let side = along.axis.side();
    let mut asked = false;
    let squares = batch.along[..n].iter().zip(&batch.scale[..n]);
    let pairs = (batch.keys[1][..n].iter().zip(&batch.dl[..n])).zip(squares);
    for (slot, ((&key, &dl), (&square, &scale))) in batch.slots[..n].iter_mut().zip(pairs) {
        let negative = usize::from(dl < 0.0) * side;
        let cell = &cells[(key - first) as usize + negative];
        let found = cell.slot(square >= cell.edge * scale);
        asked |= found == ASK;
        *slot = (*slot + found).min(nowhere);
    }
    asked
}

/// Finds the slots of a batch by the rule of its axes.
#[cold]
#[inline(never)]
fn ask(plan: &Plan<'_>, batch: &mut Batch) {
    let nowhere = plan.shape.slot(None);
    for k in 0..batch.n_pairs() {
        let mut slot = plan
            .across
            .find(batch.keys[0][k], batch.across[k], 1.0, false);
        if slot == ASK {
            slot = plan.ask_across(batch.across[k]);
        }
        if let Some(along) = &plan.along {
            let negative = along.signed && batch.dl[k] < 0.0;
            let (square, scale) = (batch.along[k], batch.scale[k]);
            let mut found = along.axis.find(batch.keys[1][k], square, scale, negative);
            if found == ASK {
                found = plan.ask_along(negative, square, scale);
            }
            slot += found;
        }
        batch.slots[k] = slot.min(nowhere);
    }
}
