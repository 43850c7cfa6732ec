//! Exact float64 lanes: the middle tier, between the float32 filters and the scalar rule.
//!
//! Entry: [`Lanes`]. Lanes compute what the rule computes, in its order and without fused operations, and so have its bits; they
//! decide bins of the library's own and make its sums. What they cannot decide, and the bins of other crates, they hand to the rule,
//! leaving out what is beyond reach.

mod batch;
mod cells;
mod even;
mod locate;
mod measure;
mod pair_weights;
mod plan;
mod reached;
mod steps;
mod sums;
mod values;

use albireo_simd::{Kernel, SetFactors, Simd};

use super::Run;
use super::lists::{RowList, list_rows};
use super::reach::{Facing, Reach};
use super::units::share_units;
use crate::binning::{Form, LineOfSight};
use crate::domain::{Domain, Image};
use crate::error::EngineError;
use crate::progress::Lasting;
use crate::tally::{Merge, Sum, Tables, Tally};
use crate::traversal::{BLOCK, Block, BlockPair, LEAF, Offsets, Positions, Slots};
use batch::{Batch, PAIRS, ROWS};
use measure::Points;
pub(super) use pair_weights::{PairWeights, RowWords};
use plan::Plan;
use reached::Reached;
pub(super) use steps::Brought;
pub(super) use sums::Shape;
pub(super) use sums::Words;
use sums::{Factors, LaneTerm};
pub(super) use values::{Columns, Values};

/// The scalar rule: takes a pair of slots into the tally, if this is its nearest image.
pub(super) type Rule<'a> = dyn Fn(&mut Tally, [usize; 2], Image) + Sync + 'a;

/// The term of a pair of slots in a sum, by the rule.
pub(super) type TermRule<'a> = dyn Fn(usize, [usize; 2]) -> i64 + Sync + 'a;

/// What lanes know of a job.
pub(super) struct Asked<'a> {
    pub(super) run: &'a Run<'a>,
    /// The library's own bins; none of another crate's.
    pub(super) form: Option<Form<'a>>,
    pub(super) n_bins: usize,
    /// The radius out of which no pair is in a bin.
    pub(super) radius: f64,
    pub(super) sums: &'a [Sum],
    /// What weights are more than the product of two.
    pub(super) pair_weights: Option<&'a PairWeights<'a>>,
    /// What values of pairs take.
    pub(super) columns: &'a Columns<'a>,
    /// Whether the coordinate is the root of r2 or rp2.
    pub(super) root: bool,
    /// The tables of the classes.
    pub(super) tables: Tables,
    /// Scaled weights in the order of slots, a set after the other, or nothing.
    pub(super) sets: &'a SetFactors<'a>,
    /// What coordinates are multiplied by.
    pub(super) coordinate: f64,
    pub(super) empty: Tally,
    pub(super) rule: &'a Rule<'a>,
    pub(super) of_sum: &'a TermRule<'a>,
}

/// A job in float64 lanes.
pub(super) struct Lanes<'a> {
    asked: Asked<'a>,
    positions: [Positions<'a>; 2],
    /// The offsets of the first sample.
    offsets: &'a [Offsets],
    plan: Option<Plan<'a>>,
    /// The edges, where pairs are counted by those that they have reached.
    reached: Option<Reached<'a>>,
    /// How sums are made, by which set of weights, and whether they are second words.
    terms: Vec<(LaneTerm, usize, bool)>,
    shape: Shape,
    reach: Reach,
    axes: [usize; 3],
    /// Squares that the rule decides.
    ruled: [f64; 2],
    /// Whether a sum needs the root of the square across.
    roots: bool,
}

/// What one thread carries from block to block.
pub(super) struct Worker {
    batch: Box<Batch>,
    /// The bits of the rows of a block, where weights are made of them.
    rows: Option<RowWords>,
    /// The values of expressions.
    values: Option<Values<PAIRS>>,
    words: Words<PAIRS>,
    tally: Tally,
}

impl Worker {
    /// The integers of all that was counted.
    pub(super) fn finish(mut self) -> Tally {
        self.words.flush(&mut self.tally);
        self.tally
    }
}

/// Two blocks that are counted.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    pair: BlockPair,
    second: &'a Block,
    image: measure::Image,
    facing: Facing,
}

/// Relative slack of the reach: far above the roundings of squares.
const BEYOND: f64 = 1e-9;

impl<'a> Lanes<'a> {
    /// The lanes of a job; none for more sums in more bins than slots can number.
    pub(super) fn new(asked: Asked<'a>) -> Option<Self> {
        let run = asked.run;
        let shape = Shape::new(asked.n_bins, asked.sums.len())?;
        let plan = asked.form.map(|form| Plan::new(form, shape));
        let reach2 = asked.radius * asked.radius * (1.0 + BEYOND);
        let ruled = match (&plan, run.job.domain()) {
            (None, _) if run.region.is_everything() => [0.0, f64::INFINITY],
            (None, _) => [0.0, reach2],
            (Some(_), Domain::Triclinic(lattice)) => [lattice.sole_image2(), reach2],
            (Some(_), _) => [f64::INFINITY; 2],
        };
        let fixed = plan.as_ref().and_then(|plan| match plan.los {
            Some(LineOfSight::Fixed(axis)) => Some(axis.index()),
            _ => None,
        });
        let axes = match run.region.axis().or(fixed) {
            Some(0) => [1, 2, 0],
            Some(1) => [0, 2, 1],
            _ => [0, 1, 2],
        };
        let terms: Vec<_> = (asked.sums.iter())
            .map(|sum| {
                let of_pairs = asked.pair_weights.is_some();
                let (term, set) = LaneTerm::of(sum, asked.columns.evaluated, asked.root, of_pairs);
                (term, set, sum.is_rest())
            })
            .collect();
        let reached = (asked.form.as_ref()).filter(|_| terms.is_empty());
        Some(Self {
            positions: run.positions(),
            offsets: &run.first.offsets,
            reached: reached.and_then(Reached::new),
            roots: terms.iter().any(|(term, ..)| term.needs_root()),
            terms,
            reach: Reach::new(&run.region, run.rounding.scale, &run.rounding),
            plan,
            shape,
            axes,
            ruled,
            asked,
        })
    }

    pub(super) fn worker(&self) -> Worker {
        Worker {
            batch: Batch::new(),
            rows: self.asked.pair_weights.map(PairWeights::row_words),
            values: (!self.asked.columns.evaluated.is_empty())
                .then(|| Values::new(self.asked.columns.evaluated)),
            words: Words::new(&self.shape),
            tally: self.asked.empty.clone(),
        }
    }

    /// Counts the whole job.
    pub(super) fn run(&self, progress: &Lasting<'_>) -> Result<Tally, EngineError> {
        let walk = self.asked.run.walk();
        let tallies = share_units(&walk, progress, |units, stop| {
            let mut worker = self.worker();
            let mut blocks = Vec::with_capacity(BLOCKS);
            let mut stopped = false;
            for unit in units {
                walk.visit(unit, &mut |pair| {
                    if stopped {
                        return;
                    }
                    blocks.push(pair);
                    if blocks.len() == BLOCKS {
                        self.count_blocks(&mut worker, &blocks);
                        blocks.clear();
                        stopped = stop();
                    }
                });
            }
            self.count_blocks(&mut worker, &blocks);
            worker.finish()
        })?;
        let mut total = self.asked.empty.clone();
        for tally in tallies {
            total.merge(tally);
        }
        Ok(total)
    }

    /// Counts the pairs of some pairs of blocks.
    pub(super) fn count_blocks(&self, worker: &mut Worker, blocks: &[BlockPair]) {
        let run = self.asked.run;
        run.dispatch(CountBlocks(self, worker, blocks));
    }

    /// Counts the pairs of two blocks.
    #[inline(always)]
    fn count<S: Simd>(&self, simd: S, worker: &mut Worker, pair: BlockPair) {
        let run = self.asked.run;
        let (layout, other) = (&run.first, run.second());
        let first = &layout.blocks[pair.first];
        let second = &other.blocks[pair.second];
        if !self.asked.tables.is_one() {
            let tables = self.asked.tables.of(first.label, second.label);
            worker.words.turn_to(&mut worker.tally, tables);
        }
        let mut facing = Facing {
            apart: [0.0; 3],
            half: [0.0; 3],
            axes: self.axes,
            n: first.n,
        };
        for (k, &axis) in self.axes.iter().enumerate() {
            let centres = first.bounds.centre[axis] - second.bounds.centre[axis];
            let apart = (centres + pair.translation.vector[axis]) * layout.scale;
            facing.apart[k] = apart as f32;
            facing.half[k] = ((first.bounds.half[axis] * layout.scale) as f32).next_up();
        }
        let domain = run.job.domain();
        let blocks = Blocks {
            pair,
            second,
            image: measure::Image::new(domain, &pair.translation, [first, second]),
            facing,
        };
        for leaf in 0..blocks.second.n_leaves() {
            self.count_leaf(simd, worker, &blocks, leaf);
        }
    }

    #[inline(always)]
    fn count_leaf<S: Simd>(&self, simd: S, worker: &mut Worker, blocks: &Blocks<'_>, leaf: usize) {
        let offsets = &self.offsets[blocks.pair.first];
        let offsets = [
            &offsets[self.axes[0]],
            &offsets[self.axes[1]],
            &offsets[self.axes[2]],
        ];
        let bounds = &blocks.second.leaves[leaf];
        let mask = self.reach.rows(simd, offsets, &blocks.facing, bounds);
        let mask = match blocks.pair.slots {
            // Rows of later leaves come after every point of this one.
            Slots::Later => mask & (u64::MAX >> (BLOCK - LEAF - leaf * LEAF)),
            Slots::All | Slots::Others => mask,
        };
        if mask == 0 {
            return;
        }
        let second = blocks.pair.second * BLOCK + leaf * LEAF;
        let n = (blocks.second.n as usize - leaf * LEAF).min(LEAF);
        let columns = columns(self.positions[1], second, n);
        let mut list: RowList = [0; _];
        for rows in list_rows(mask, &mut list).chunks(ROWS) {
            worker.batch.n_rows = rows.len();
            worker.batch.rows[..rows.len()].copy_from_slice(rows);
            let mut points = Points {
                rows: [[0.0; 3]; ROWS],
                lanes: [&columns[0], &columns[1], &columns[2]],
            };
            for (k, &row) in rows.iter().enumerate() {
                let slot = blocks.pair.first * BLOCK + row as usize;
                points.rows[k] = self.positions[0].at(slot);
            }
            let of_pairs = self.factors(0, rows, [blocks.pair.first * BLOCK, second]);
            self.count_batch(simd, worker, blocks, leaf, &points, &of_pairs);
        }
    }

    /// The factors of a set of weights, of the rows from slot `first` on with the lanes of a leaf from slot `second` on.
    #[inline(always)]
    fn factors(&self, set: usize, rows: &[u8], [first, second]: [usize; 2]) -> Factors<'_> {
        let [of_rows, of_lanes] = self.asked.sets.get(set).copied().unwrap_or_default();
        let lanes = of_lanes.get(second..second + LEAF);
        let mut factors = Factors {
            rows: [0.0; ROWS],
            lanes: lanes.unwrap_or(&[0.0; LEAF]),
            of_pairs: self.asked.pair_weights.is_some(),
            coordinate: self.asked.coordinate,
            values: None,
        };
        for (factor, &row) in factors.rows.iter_mut().zip(rows) {
            *factor = of_rows.get(first + row as usize).copied().unwrap_or(0.0);
        }
        factors
    }

    #[inline(always)]
    fn count_batch<S: Simd>(
        &self,
        simd: S,
        worker: &mut Worker,
        blocks: &Blocks<'_>,
        leaf: usize,
        points: &Points<'_>,
        factors: &Factors<'_>,
    ) {
        let Worker {
            batch,
            rows,
            values,
            words,
            tally,
        } = worker;
        let los = self.plan.as_ref().and_then(|plan| plan.los);
        let kept = los.is_some() || values.is_some();
        measure::separations(simd, batch, points, &blocks.image, kept);
        batch.leave_out(blocks.pair.slots, leaf);
        let slots = [
            blocks.pair.first * BLOCK,
            blocks.pair.second * BLOCK + leaf * LEAF,
        ];
        let pair = |[row, lane]: [usize; 2]| [slots[0] + row, slots[1] + lane];
        if self.ruled[0] < self.ruled[1] {
            let image = blocks.pair.translation.image;
            measure::take_out(batch, self.ruled, |rows| {
                (self.asked.rule)(tally, pair(rows), image);
            });
        }
        let Some(plan) = &self.plan else {
            return;
        };
        if let Some(reached) = &self.reached
            && reached.count(simd, batch, words)
        {
            return;
        }
        self.locate(simd, plan, batch, points);
        if let (Some(weights), Some(rows)) = (self.asked.pair_weights, rows) {
            weights.read_rows(rows, slots[0]);
            let met = (&*rows, slots[1] / LEAF);
            weights.weigh(simd, batch, factors, words.nowhere(), met);
        }
        if let Some(values) = &mut *values {
            let n = batch.n_pairs();
            for (of, to) in values.brought() {
                self.asked.columns.bring(of, batch, slots, &mut to[..n]);
            }
            values.make(simd, n);
        }
        for (at, &(term, set, is_rest)) in self.terms.iter().enumerate() {
            if let (LaneTerm::Beyond(k), Some(values)) = (term, &*values) {
                words.take_beyond(simd, (at, batch.n_pairs()), values.summed(k));
            } else if term == LaneTerm::Rule {
                words.ask(batch, at, |rows| (self.asked.of_sum)(at, pair(rows)));
            } else if set == 0 {
                let factors = &factors.with(values.as_ref());
                words.make(simd, batch, factors, (at, term, is_rest));
            } else {
                let factors = self.factors(set, &batch.rows[..batch.n_rows], slots);
                let factors = &factors.with(values.as_ref());
                words.make(simd, batch, factors, (at, term, is_rest));
            }
        }
        words.add(&batch.slots[..batch.n_pairs()], tally);
    }
}

/// The positions in `n` slots of a leaf, axis by axis; infinity where there is no point.
#[inline(always)]
fn columns(positions: Positions<'_>, first: usize, n: usize) -> [[f64; LEAF]; 3] {
    let [mut x, mut y, mut z] = [[f64::INFINITY; LEAF]; 3];
    for lane in 0..n.min(LEAF) {
        [x[lane], y[lane], z[lane]] = positions.at(first + lane);
    }
    [x, y, z]
}

/// Pairs of blocks that are counted with one dispatch on the instruction set.
const BLOCKS: usize = 64;

struct CountBlocks<'a, 'b>(&'a Lanes<'b>, &'a mut Worker, &'a [BlockPair]);

impl Kernel for CountBlocks<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self(lanes, worker, blocks) = self;
        for &pair in blocks {
            lanes.count(simd, worker, pair);
        }
    }
}
