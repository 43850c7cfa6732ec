//! The units of a job: what its work is cut into, whoever counts it.
//!
//! Entry: [`Units`]. They are runs of particles in sorted order, a function of the samples, the domain and the reach of the bins alone: never of
//! engines, threads, devices or processes. A run of units is a part of the job, and the parts of any runs that cover all units make up the whole.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::held::without_held;
use super::owners::Owners;
use super::pieces::{OfPiece, Piece};
use super::{Engine, PairJob, Progress};
use crate::binning::{Binning, PairOrder};
use crate::error::{EngineError, JobError};
use crate::fingerprint::mix;
use crate::pairs::{Pairs, Traversal};
use crate::particles::{Particles, run_start};
use crate::pool;
use crate::progress::Lasting;
use crate::tally::{Classes, Merge, Tallied, Tally};
use crate::traversal::{Layout, Region, Sorted, Taking, Walk, roundings};

/// The units of a job: runs of up to about a thousand particles that lie close together, each with the pairs that it takes.
///
/// A unit of a cross count, or of a count of both orders, takes the pairs whose first particle it holds. Where an auto count holds each pair
/// once, of two units one takes the pairs between them, so that every unit takes half of its neighbours.
///
/// ```
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::tally::Merge;
/// use albireo::{Domain, Edges, Engine, Particles, RBins, Silent, Tallied, random};
/// let gas = Particles::new(random::in_box(5000, 1, [1.0; 3])?);
/// let engine = Cpu::new();
/// let gas = engine.prepare(gas, &Domain::Open, &Silent)?;
/// let job = PreparedJob::auto(&gas);
/// let what = Tallied::new(RBins::new(Edges::linear(0.0, 0.2, 4)?));
/// let units = engine.units(&job, &what, &Silent)?;
/// let third = |index| {
///     let part = (&units, units.part(index, 3));
///     engine.tally_units(&job, &what, part, &Silent).map(|(tally, _)| tally)
/// };
/// let mut tally = third(2)?;
/// tally.merge(third(0)?);
/// tally.merge(third(1)?);
/// assert_eq!(tally, engine.tally(&job, &what, &Silent)?.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug)]
pub struct Units {
    first: Arc<Layout>,
    taking: Taking,
    is_auto: bool,
    /// Pairs taken by the units before each one, and by all: in reach or not.
    pairs_before: Vec<u64>,
    /// What the units before each one cost, and all, in pairs within reach.
    cost_before: Vec<u128>,
}

/// How far bins reach in a job, with what float64 rounds away there.
pub(super) fn region_of<B: Binning>(
    job: &PairJob<'_>,
    bins: &B,
    [first, second]: [&Layout; 2],
) -> (Region, f64) {
    let exact = roundings(job.domain(), &first.bounds, &second.bounds);
    let region = Region::new(bins.reach(), 8.0 * exact);
    let region = match job.traversal() {
        Traversal::AllPairs => region.everything(),
        Traversal::Auto | Traversal::Cells => region,
    };
    (region, exact)
}

impl Units {
    /// The units that a walk goes through, its first sample being `first`.
    pub(super) fn of_walk(first: &Arc<Layout>, walk: &Walk<'_>, is_auto: bool) -> Self {
        let units = walk.units();
        let (mut pairs_before, mut cost_before) = (vec![0], vec![0]);
        let (mut pairs, mut cost) = (0u64, 0u128);
        let near = units.clone().into_par_iter().map(|unit| walk.n_near(unit));
        for (unit, near) in units.zip(near.collect::<Vec<u64>>()) {
            pairs = pairs.saturating_add(walk.n_pairs(unit));
            cost += u128::from(near);
            pairs_before.push(pairs);
            cost_before.push(cost);
        }
        Self {
            first: Arc::clone(first),
            taking: walk.taking(),
            is_auto,
            pairs_before,
            cost_before,
        }
    }

    /// The units of a job whose samples nobody has sorted yet.
    pub(super) fn sorted<B: Binning>(
        job: &PairJob<'_>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        what.admit(job)?;
        let progress = &Lasting::new(progress);
        let stop = || progress.stop_requested();
        let layout = |sample: &Particles| {
            let sorted = Sorted::new(sample.points(), sample.labels(), &stop);
            let layout = Layout::new(&Arc::new(sorted?), 1.0, &stop)?;
            Some(Arc::new(layout))
        };
        let units = || {
            let (first, second) = job.pairs().samples();
            let first = layout(first)?;
            let second = match second {
                Some(second) => Some(layout(second)?),
                None => None,
            };
            let other = second.as_deref().unwrap_or(&first);
            let (region, _) = region_of(job, what.bins(), [&first, other]);
            let once = what.bins().order() == PairOrder::Unordered;
            let walk = Walk::new(&first, second.as_deref(), once, job.domain(), region);
            Some(Self::of_walk(&first, &walk, second.is_none()))
        };
        pool::run(units, units).ok_or(EngineError::Interrupted)
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.first.groups.len()
    }

    /// Whether there is none: the first sample has no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The run of units that is part `index`, counting from 0, of `of` parts which cost about the same; it may be empty where there are few
    /// units. The parts of one number cover every unit once.
    ///
    /// # Panics
    /// Parts that there are not: `index` of `of` and more, or 0 parts.
    pub fn part(&self, index: u32, of: u32) -> Range<usize> {
        assert!(index < of, "part {index} of {of}");
        let n = self.len();
        let all = self.cost_before[n];
        let start = |k: u32| {
            if all == 0 {
                return run_start(n, k as usize, of as usize);
            }
            // The boundary next to an even share; costs are far below 2^96, so that the products fit.
            let share = all * u128::from(k);
            let cost = |unit: usize| self.cost_before[unit] * u128::from(of);
            let above = self
                .cost_before
                .partition_point(|&cost| cost * u128::from(of) < share);
            match above {
                0 => 0,
                at if share - cost(at - 1) < cost(at) - share => at - 1,
                at => at,
            }
        };
        let end = if index + 1 == of { n } else { start(index + 1) };
        start(index)..end
    }

    /// What a run of units costs, in pairs within reach: for comparing runs.
    ///
    /// # Panics
    /// Units that there are not.
    pub fn cost(&self, run: Range<usize>) -> u128 {
        self.cost_before[run.end] - self.cost_before[run.start]
    }

    /// Number of pairs that a run of units takes, in reach or not.
    ///
    /// # Panics
    /// Units that there are not.
    pub fn pairs(&self, run: Range<usize>) -> u64 {
        self.pairs_before[run.end] - self.pairs_before[run.start]
    }

    /// A fingerprint of the plan: which rows each unit holds, and which pairs it takes. Runs of units of equal plans can be put together,
    /// whoever counted them.
    pub fn fingerprint(&self) -> u64 {
        let mut state = mix(self.taking as u64, u64::from(self.is_auto));
        for unit in 0..self.len() {
            let rows = self.first.rows_of(unit).map(u64::from);
            state = mix(rows.fold(state, mix), u64::MAX);
        }
        state
    }

    /// Refuses units of another job, and those that there are not.
    pub(super) fn check(&self, job: &PairJob<'_>, run: &Range<usize>) -> Result<(), JobError> {
        let (first, second) = job.pairs().samples();
        let same = self.first.n_points() == first.len() as u64 && self.is_auto == second.is_none();
        let units = self.len();
        if !same || run.start > run.end || run.end > units {
            return Err(JobError::Units {
                run: [run.start, run.end],
                units,
            });
        }
        Ok(())
    }

    /// Which unit takes a pair of rows, and whether it is in `run`.
    pub(super) fn owners(&self, run: Range<usize>) -> Owners {
        let mut unit_of_row = vec![0; self.first.n_points() as usize];
        for unit in 0..self.len() {
            for row in self.first.rows_of(unit) {
                unit_of_row[row as usize] = unit as u32;
            }
        }
        Owners {
            taking: self.taking,
            unit_of_row,
            run,
        }
    }

    /// The rows of some units.
    fn rows(&self, units: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let rows = units.flat_map(|unit| self.first.rows_of(unit));
        rows.map(|row| row as usize)
    }

    /// An order of rows of the first sample in which the pairs of a run of units are a few pieces.
    fn arranged(&self, run: &Range<usize>, second: usize) -> (Vec<usize>, Vec<Piece>) {
        let even = |unit: &usize| unit.is_multiple_of(2);
        let mut rows: Vec<usize> = self.rows(run.clone().filter(even)).collect();
        let evens = rows.len();
        rows.extend(self.rows(run.clone().filter(|unit| !even(unit))));
        let own = rows.len();
        if !self.is_auto {
            return (rows, vec![Piece::Cross(0..own, 0..second)]);
        }
        let others = || (0..self.len()).filter(|unit| !run.contains(unit));
        let mut pieces = vec![Piece::Auto(0..own)];
        // All units of one parity in a run take the same units outside of it.
        let takers = match self.taking {
            Taking::Parity => vec![(0..evens, 0), (evens..own, 1)],
            Taking::All | Taking::Later => vec![(0..own, 0)],
        };
        for (takers, parity) in takers {
            let one = (run.clone()).find(|unit| takers.len() == own || unit % 2 == parity);
            let Some(one) = one.filter(|_| !takers.is_empty()) else {
                continue;
            };
            // Next to the run, so that it lies on the same side of the others as all of the run.
            let taken = others().filter(|&other| self.taking.takes(one, other));
            let from = rows.len();
            rows.extend(self.rows(taken));
            pieces.push(Piece::Cross(takers, from..rows.len()));
        }
        (rows, pieces)
    }
}

/// Counts a run of units by an engine that knows nothing of units: as jobs of their own, between rows brought together.
pub(super) fn tally_arranged<E: Engine + ?Sized, B: Binning>(
    engine: &E,
    job: &PairJob<'_>,
    what: &Tallied<B>,
    (units, run): (&Units, Range<usize>),
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    what.admit(job)?;
    units.check(job, &run)?;
    if what.classes() != Classes::One {
        return Err(JobError::ClassesOfUnits(engine.description()).into());
    }
    progress.begin(units.pairs(run.clone()));
    let (first, second) = job.pairs().samples();
    let (rows, pieces) = units.arranged(&run, second.map_or(0, Particles::len));
    let own = first
        .picked(&|| rows.iter().copied())
        .map_err(JobError::from)?;
    let pairs = match second {
        None => Pairs::Auto(&own),
        Some(second) => Pairs::Cross(&own, second),
    };
    let arranged = PairJob::of_placed(pairs, job.domain()).with_traversal(job.traversal());
    let count = |all: &Tallied<B>| {
        all.pass_by_pass(|one| {
            let exponents = one.weight_exponents(job.pairs());
            let one = one.clone().with_weight_exponents(exponents);
            let mut tally = one.zero(job.pairs())?;
            for piece in pieces.iter().filter(|piece| piece.pairs() > 0) {
                let part = piece.with_job(&arranged, |job| {
                    let cuts = one.cuts().iter();
                    let [a, b] = piece.runs();
                    let cuts = cuts.map(|cut| cut.in_runs([&a, &b], units.is_auto));
                    let one = cuts.fold(one.clone().without_cuts(), Tallied::with_cut);
                    engine.run(job, &one, &OfPiece(progress))
                });
                tally.merge(part?);
            }
            Ok::<_, EngineError>(tally)
        })
    };
    let owners = (!what.cuts().is_empty()).then(|| units.owners(run.clone()));
    if let Some(tally) = without_held(job, what, owners.as_ref(), progress, count)? {
        return Ok(tally);
    }
    // Cuts that each pair is asked for: listed rows are then those of the arranged sample.
    let mut places = vec![None; first.len()];
    for (place, &row) in rows.iter().enumerate() {
        places[row] = Some(place as u32);
    }
    let cuts = what.cuts().iter();
    let cuts = cuts.map(|cut| cut.renumbered(&places, units.is_auto));
    count(&cuts.fold(what.clone().without_cuts(), Tallied::with_cut))
}
