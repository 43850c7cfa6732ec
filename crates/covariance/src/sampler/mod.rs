//! Sums over quads and triples of random points, sampled in rounds: integers that depend on a seed and the number of rounds alone.
//!
//! Entry: [`SampleJob`], made of an [`Input`], and [`SamplingEngine::rounds`]. A round takes some of the random points. Each of them has a *cloud*: other points, taken with a
//! probability that is |xi| times their weight, with the sign of xi. Pairs in bins are kept with the product of their weights. A quad is a kept pair and
//! a member of the cloud of each of its ends, a triple a kept pair and a member of the cloud of one. What is taken is decided by words of both points, never by the order of visits.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "points of a round are at most 2^24, bins 2^13, weights 2^20 steps; expectations become integers of 64 bits"
)]
#![allow(
    clippy::inline_always,
    reason = "the inner loops run inside vector kernels"
)]

mod along;
mod bound;
mod choice;
mod constants;
#[cfg(feature = "cuda")]
pub mod devices;
mod error;
mod input;
mod job;
mod leaves;
mod lists;
mod naive;
mod points;
mod rounds;
mod rule;
mod sums;
mod tiles;
mod visits;
mod words;
mod xi_table;

pub use choice::choose_engine;
pub use constants::{C3Term, C4Term, Constants, SHARE_STEP, pairs_of};
pub use error::SamplerError;
pub use input::{Input, MOST_BINS, Settings};
pub use job::SampleJob;
pub use sums::{RegionRoundSums, RoundSums};
pub use words::{HASH, mix32};
pub use xi_table::XiTable;

use std::ops::Range;

use albireo::engine::{Cpu, Naive, Progress};
use albireo::error::EngineError;
use albireo::progress::Lasting;

use self::points::RoundPoints;

/// Samples rounds.
pub trait SamplingEngine {
    /// The sums of some rounds of a job; `progress` hears of points. Sums of parts add up to those of the whole.
    ///
    /// # Errors
    /// A stop asked for through `progress`, sums beyond 64 bits, threads that cannot be had.
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError>;
}

/// What a progress hears of: each point as an owner of clouds and as an end of pairs.
fn steps(job: &SampleJob, rounds: &Range<u64>) -> u64 {
    let points: u64 = job.constants().points.iter().sum();
    2 * points * (rounds.end.saturating_sub(rounds.start))
}

/// Makes rounds one after the other, each by `add` of its points; none once a stop is asked for.
fn each_round(
    job: &SampleJob,
    rounds: Range<u64>,
    progress: &dyn Progress,
    mut add: impl FnMut(&[RoundPoints], &mut RoundSums) -> Result<(), SamplerError>,
) -> Result<RoundSums, SamplerError> {
    progress.begin(steps(job, &rounds));
    let (mut rows, mut sums) = (job.rows(), RoundSums::none(job.constants()));
    for round in rounds {
        add(&job.round(&mut rows, round), &mut sums)?;
        // Of the round in which it was asked for some is left out.
        if progress.stop_requested() {
            return Err(EngineError::Interrupted.into());
        }
    }
    job.keep(rows);
    Ok(sums)
}

impl SamplingEngine for Naive {
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError> {
        each_round(job, rounds, progress, |points, sums| {
            naive::add_round(job, points, sums);
            progress.advance(steps(job, &(0..1)));
            Ok(())
        })
    }
}

impl SamplingEngine for Cpu {
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError> {
        let progress = Lasting::new(progress);
        self.pool()?.install(|| {
            each_round(job, rounds, &progress, |points, sums| {
                rounds::add_round(job, self.isa(), points, sums, &progress)
            })
        })
    }
}
