//! The units of a job: what its work is cut into, whoever counts it.
//!
//! Entry: [`Units`]. They are groups of particles in sorted order, or what GPUs sort into: a function of the samples, the domain and what is counted,
//! never of threads, processes or the number of devices. A run of units is a part of the job, and the parts of any runs that cover all units make
//! up the whole.

use std::ops::Range;

use super::groups::{Groups, tally_arranged};
#[cfg(feature = "cuda")]
use super::mirrored::InOneOrder;
use super::{Engine, PairJob, PreparedJob, Progress, Report};
use crate::error::{EngineError, JobError};
use crate::fingerprint::mix;
use crate::particles::run_start;
use crate::tally::{CountSpec, Tally};

/// The units of a job: particles that lie close together, each unit with the pairs that it takes, so that every pair is taken once.
///
/// Processors take groups of up to about a thousand particles; any engine counts them. GPUs take lines of the cells that they sort into, or runs of
/// rows, which GPUs alone count: parts of one job are all of one kind.
///
/// ```
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::tally::Merge;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Particles, RBins, random};
/// let gas = Particles::new(random::in_box(5000, 1, [1.0; 3])?);
/// let engine = Cpu::new();
/// let gas = engine.prepare(gas, &Domain::Open, &Silent)?;
/// let job = PreparedJob::auto(&gas);
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.2, 4)?));
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
    cut: Cut,
    /// Number of particles of the first sample, and whether there is no other.
    of: (u64, bool),
    /// Pairs taken by the units before each one, and by all: in reach or not.
    pairs_before: Vec<u64>,
    /// What the units before each one cost, and all, in pairs within reach.
    cost_before: Vec<u128>,
}

/// What the units of a job are.
#[derive(Debug)]
enum Cut {
    Groups(Groups),
    #[cfg(feature = "cuda")]
    Lines(LinesOfGpus),
}

/// What GPUs sort a job into, and how they count it.
#[cfg(feature = "cuda")]
#[derive(Debug)]
pub(super) struct LinesOfGpus {
    /// A fingerprint of the cells and of which pairs each line of them takes.
    pub(super) print: u64,
    /// How a count in both orders is made of one, where it is.
    pub(super) one_order: Option<InOneOrder>,
}

/// The sums before each one, and of all.
fn before(each: impl Iterator<Item = u64>) -> Vec<u128> {
    let sums = each.scan(0u128, |sum, value| {
        *sum += u128::from(value);
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

impl Units {
    /// Groups of particles.
    pub(super) fn of_groups(groups: Groups) -> Self {
        let taken = groups.pairs_and_costs();
        let pairs = before(taken.iter().map(|[pairs, _]| *pairs)).into_iter();
        Self {
            of: (groups.n_points(), groups.is_auto()),
            pairs_before: pairs.map(|n| n.min(u64::MAX.into()) as u64).collect(),
            cost_before: before(taken.iter().map(|[_, cost]| *cost)),
            cut: Cut::Groups(groups),
        }
    }

    /// Lines of a job that cost so much each. Which of them takes a pair out of reach is nowhere asked: those are shared out by the cost.
    #[cfg(feature = "cuda")]
    pub(super) fn of_lines(job: &PairJob<'_>, costs: Vec<u64>, lines: LinesOfGpus) -> Self {
        let (first, second) = job.pairs().samples();
        let cost_before = before(costs.into_iter());
        let (units, all) = (cost_before.len() - 1, cost_before[cost_before.len() - 1]);
        let pairs = u128::from(job.n_pairs());
        let share = |(unit, &cost): (usize, &u128)| match all {
            0 => run_start(pairs as usize, unit, units.max(1)) as u64,
            // Both are below 2^64.
            all => (pairs * cost / all) as u64,
        };
        Self {
            of: (first.len() as u64, second.is_none()),
            pairs_before: cost_before.iter().enumerate().map(share).collect(),
            cost_before,
            cut: Cut::Lines(lines),
        }
    }

    /// The groups of a job whose samples nobody has sorted yet.
    pub(super) fn sorted(
        job: &PairJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        Groups::sorted(job, what, progress).map(Self::of_groups)
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.cost_before.len() - 1
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

    /// A fingerprint of the plan: what the units are, and which pairs each one takes. Runs of units of equal plans can be put together, whoever
    /// counted them.
    pub fn fingerprint(&self) -> u64 {
        match &self.cut {
            Cut::Groups(groups) => groups.fingerprint(),
            #[cfg(feature = "cuda")]
            Cut::Lines(lines) => lines.print,
        }
    }

    /// The same of parts ([`Units::part`]): two of equal plans and of one number hold no pair twice.
    pub(crate) fn fingerprint_of_parts(&self) -> u64 {
        let costs = self.cost_before.iter();
        // They begin where the cost says.
        costs.fold(self.fingerprint(), |print, &cost| {
            mix(mix(print, cost as u64), (cost >> 64) as u64)
        })
    }

    /// What the units are, in a word for the record: `groups` of particles, or `cells` of GPUs.
    pub fn kind(&self) -> &'static str {
        match &self.cut {
            Cut::Groups(_) => "groups",
            #[cfg(feature = "cuda")]
            Cut::Lines(_) => "cells",
        }
    }

    /// Refuses units of another job, and those that there are not.
    fn check(&self, job: &PairJob<'_>, run: &Range<usize>) -> Result<(), JobError> {
        let (first, second) = job.pairs().samples();
        let same = self.of == (first.len() as u64, second.is_none());
        let units = self.len();
        if !same || run.start > run.end || run.end > units {
            return Err(JobError::Units {
                run: [run.start, run.end],
                units,
            });
        }
        Ok(())
    }

    /// The groups of a job, of which this run is counted.
    ///
    /// # Errors
    /// Units of another job, those that there are not, and those of GPUs.
    pub(super) fn groups(
        &self,
        job: &PairJob<'_>,
        run: &Range<usize>,
    ) -> Result<&Groups, JobError> {
        self.check(job, run)?;
        match &self.cut {
            Cut::Groups(groups) => Ok(groups),
            #[cfg(feature = "cuda")]
            Cut::Lines(_) => Err(JobError::UnitsOfGpus),
        }
    }

    /// The lines of a job, of which this run is counted; none where the units are groups.
    ///
    /// # Errors
    /// Units of another job, and those that there are not.
    #[cfg(feature = "cuda")]
    pub(super) fn lines(
        &self,
        job: &PairJob<'_>,
        run: &Range<usize>,
    ) -> Result<Option<&LinesOfGpus>, JobError> {
        self.check(job, run)?;
        Ok(match &self.cut {
            Cut::Groups(_) => None,
            Cut::Lines(lines) => Some(lines),
        })
    }
}

/// Counts a run of units by an engine that knows nothing of units: all of them as the job, fewer as jobs of their own.
pub(super) fn tally_as_jobs<E: Engine + ?Sized>(
    engine: &E,
    job: &PreparedJob<'_>,
    what: &CountSpec,
    (units, run): (&Units, Range<usize>),
    progress: &dyn Progress,
) -> Result<(Tally, Report), EngineError> {
    let groups = units.groups(job.job(), &run)?;
    if run == (0..units.len()) {
        return engine.tally(job, what, progress);
    }
    let tally = tally_arranged(engine, job.job(), what, (groups, run), progress)?;
    Ok((tally, Report::default()))
}
