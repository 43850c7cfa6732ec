//! Rounds of sampling, until the covariance is known well enough.
//!
//! Entry: [`Sampling`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use albireo::engine::Cpu;
use albireo_covariance::model::{Groups, LinearMap, ModelError, ShotNoise};
use albireo_covariance::sampler::{Constants, SampleJob, SamplingEngine};
use anyhow::Result;

use super::jackknife::Jackknife;
use crate::watch::Watch;

/// Sums of rounds, and of those that a jackknife is expected to find.
pub(super) struct Sampled {
    pub(super) groups: Groups,
    pub(super) of_regions: Option<Groups>,
}

/// When rounds end.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// After so many.
    Rounds(u64),
    /// When the noise is this at most, or after this time.
    Noise(f64, Option<Duration>),
}

/// What rounds become.
pub(super) struct Sampling<'a> {
    pub(super) job: &'a SampleJob,
    pub(super) map: &'a LinearMap,
    /// RR of each bin, both orders.
    pub(super) rr: &'a [f64],
    /// Data over randoms.
    pub(super) f: f64,
    pub(super) noise: ShotNoise,
    pub(super) jackknife: Option<&'a Jackknife>,
    pub(super) engine: &'a Cpu,
    pub(super) watch: &'a Arc<dyn Watch>,
}

/// The rounds at which the noise is looked at: 16, 32, 64, ..
fn is_looked_at(rounds: u64) -> bool {
    rounds >= 16 && rounds.is_power_of_two()
}

impl Sampling<'_> {
    /// What an integer of each row stands for.
    fn units(&self, constants: &Constants) -> [Vec<f64>; 2] {
        let rows = || 0..constants.bins.0;
        let (c4, c3) = (constants.c4_terms()[0], constants.c3_terms()[0]);
        [
            rows().map(|a| constants.c4_unit(c4, a)).collect(),
            rows().map(|a| constants.c3_unit(c3, a) / self.f).collect(),
        ]
    }

    /// Adds the next rounds, to the end of a group and never beyond `last`.
    fn add(&self, sampled: &mut Sampled, last: u64) -> Result<()> {
        let Sampled { groups, of_regions } = sampled;
        let begin = groups.rounds();
        let end = (begin + groups.missing()).min(last);
        let sums = {
            let bar = self.watch.bar("rounds");
            self.engine.rounds(self.job, begin..end, &bar)?
        };
        let units = self.units(&sums.constants);
        let of = |integers: &[i64], units: &[f64]| self.map.of_sampled(integers, units, self.rr);
        groups.add(
            end - begin,
            &of(&sums.c4[0], &units[0]),
            &of(&sums.c3[0], &units[1]),
        );
        if let (Some(jackknife), Some(groups)) = (self.jackknife, of_regions) {
            let of = |k: usize| jackknife.expected(self.map, (&sums, k), (&units[k], self.rr));
            groups.add(end - begin, &of(0)?, &of(1)?);
        }
        Ok(())
    }

    /// Samples, and says how well the covariance is known in the end; none where it is not positive definite.
    pub(super) fn run(&self, sampled: &mut Sampled, end: End) -> Result<Option<f64>> {
        let begun = Instant::now();
        let noise = |groups: &Groups| match groups.noise(self.noise) {
            Ok(noise) => Ok(Some(noise)),
            Err(ModelError::NotPositiveDefinite { .. }) => Ok(None),
            Err(other) => Err(other),
        };
        loop {
            let last = match end {
                End::Rounds(rounds) => rounds,
                End::Noise(..) => u64::MAX,
            };
            self.add(sampled, last)?;
            let groups = &sampled.groups;
            let rounds = groups.rounds();
            match end {
                End::Rounds(wanted) if rounds == wanted => return Ok(noise(groups)?),
                End::Rounds(_) => {}
                End::Noise(wanted, time) => {
                    let found = if is_looked_at(rounds) {
                        noise(groups)?
                    } else {
                        None
                    };
                    if let Some(found) = found {
                        tracing::info!("{rounds} rounds: noise {found:.4}");
                        if found <= wanted {
                            return Ok(Some(found));
                        }
                    }
                    if rounds > 1 && time.is_some_and(|time| begun.elapsed() >= time) {
                        let found = noise(groups)?;
                        warn_of_time(begun.elapsed(), (rounds, found, wanted));
                        return Ok(found);
                    }
                }
            }
        }
    }
}

/// Says that there was not enough time, and how long it would take.
fn warn_of_time(spent: Duration, (rounds, found, wanted): (u64, Option<f64>, f64)) {
    let seconds = spent.as_secs_f64();
    match found {
        Some(found) if found > wanted => {
            let more = (found / wanted).powi(2);
            tracing::warn!(
                "--time: the noise is {found:.4} after {rounds} rounds, {wanted} would take about {:.0} rounds, {:.0} s",
                rounds as f64 * more,
                seconds * more
            );
        }
        _ => tracing::warn!("--time: {rounds} rounds were made in {seconds:.0} s"),
    }
}
