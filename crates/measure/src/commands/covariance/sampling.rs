//! Rounds of sampling, until the covariance is known well enough.
//!
//! Entry: [`Sampling`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use albireo::engine::AnyEngine;
use albireo_covariance::model::{Group, Groups, LinearMap, ModelError, ShotNoise};
use albireo_covariance::sampler::{Constants, RoundSums, SampleJob, SamplingEngine};
use anyhow::Result;

use super::cross::Cross;
use super::jackknife::Jackknife;
use crate::watch::Watch;

/// Sums of rounds, and of those that a jackknife is expected to find.
pub(super) struct Sampled {
    pub(super) groups: Groups,
    pub(super) of_regions: Option<Groups>,
    /// The integers of units of which some rounds are missing, by their first round.
    pub(super) open: BTreeMap<u64, RoundSums>,
    pub(super) here: Here,
}

/// What this process sampled itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Here {
    pub(super) rounds: u64,
    pub(super) quads: u64,
    pub(super) seconds: f64,
}

impl Sampled {
    /// The rounds that are there.
    pub(super) fn held(&self) -> Vec<Range<u64>> {
        let groups = self.groups.held().iter();
        let groups = groups.map(|group| group.begin..group.end());
        let open = self.open.iter();
        let open = open.map(|(begin, sums)| *begin..begin + sums.rounds);
        let mut held: Vec<_> = groups.chain(open).collect();
        held.sort_by_key(|rounds| rounds.start);
        held
    }

    /// The first rounds below `last` that are not there.
    pub(super) fn missing(&self, Range { start, end }: Range<u64>) -> Option<Range<u64>> {
        let mut begin = start;
        for rounds in self.held() {
            if begin < rounds.start {
                return Some(begin..rounds.start.min(end)).filter(|rounds| !rounds.is_empty());
            }
            begin = begin.max(rounds.end);
        }
        (begin < end).then_some(begin..end)
    }

    fn rounds(&self) -> u64 {
        self.held()
            .iter()
            .map(|rounds| rounds.end - rounds.start)
            .sum()
    }
}

/// When rounds end.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// After these.
    Rounds(u64),
    /// At once: rounds that were made before are all.
    Held,
    /// When the noise is this at most, or after this time.
    Noise(f64, Option<Duration>),
}

impl End {
    /// The rounds that are made at least.
    pub(super) fn least(self) -> u64 {
        match self {
            Self::Rounds(rounds) => rounds,
            Self::Held => 0,
            Self::Noise(..) => FEWEST,
        }
    }
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
    pub(super) cross: Option<&'a Cross>,
    pub(super) jackknife: Option<&'a Jackknife>,
    pub(super) engine: &'a AnyEngine,
    pub(super) watch: &'a Arc<dyn Watch>,
}

/// Groups of fewer rounds than there are, whose scatter says how well a covariance was known.
const FEWEST_GROUPS: usize = 4;

/// Rounds whose scatter says how well a covariance is known.
const FEWEST: u64 = 16;

/// The rounds at which the noise is looked at: 16, 32, 64, ..
fn is_looked_at(rounds: u64) -> bool {
    rounds >= FEWEST && rounds.is_power_of_two()
}

/// Those of the first unit.
fn first_unit(rounds: &Range<u64>) -> Range<u64> {
    rounds.start..Groups::unit(rounds.start).end.min(rounds.end)
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

    /// Makes rounds of one unit.
    fn sample(&self, sampled: &mut Sampled, rounds: Range<u64>) -> Result<()> {
        let begun = Instant::now();
        let sums = {
            let bar = self.watch.bar("rounds");
            self.engine.rounds(self.job, rounds.clone(), &bar)?
        };
        sampled.here.seconds += begun.elapsed().as_secs_f64();
        sampled.here.rounds += sums.rounds;
        sampled.here.quads += sums.quads;
        self.put(sampled, rounds.start, sums)
    }

    /// Adds integers of rounds of one unit: once all of it is there it becomes one sum.
    pub(super) fn put(&self, sampled: &mut Sampled, begin: u64, sums: RoundSums) -> Result<()> {
        sampled.open.insert(begin, sums);
        let unit = Groups::unit(begin);
        let of_unit = sampled.open.range(unit.clone());
        if of_unit.map(|(_, sums)| sums.rounds).sum::<u64>() < unit.end - unit.start {
            return Ok(());
        }
        self.close(sampled, unit)
    }

    /// Makes one sum of what there is of a unit.
    fn close(&self, sampled: &mut Sampled, unit: Range<u64>) -> Result<()> {
        let mut of_unit = sampled.open.split_off(&unit.start);
        let mut later = of_unit.split_off(&unit.end);
        sampled.open.append(&mut later);
        let mut all = RoundSums::none(self.job.constants());
        for sums in of_unit.values() {
            all.add(sums)?;
        }
        let group = |[c4, c3]: [_; 2]| Group {
            begin: unit.start,
            rounds: all.rounds,
            c4,
            c3,
        };
        let units = self.units(&all.constants);
        let of = |integers: &[i64], units: &[f64]| self.map.of_sampled(integers, units, self.rr);
        sampled.groups.add(group(match self.cross {
            Some(cross) => cross.of_rounds(&all, self.map),
            None => [of(&all.c4[0], &units[0]), of(&all.c3[0], &units[1])],
        }));
        if let (Some(jackknife), Some(groups)) = (self.jackknife, &mut sampled.of_regions) {
            let of = |k: usize| jackknife.expected(self.map, (&all, k), (&units[k], self.rr));
            groups.add(group([of(0)?, of(1)?]));
        }
        Ok(())
    }

    /// Makes some of the rounds that are not there yet.
    pub(super) fn fill(&self, sampled: &mut Sampled, rounds: Range<u64>) -> Result<()> {
        while let Some(missing) = sampled.missing(rounds.clone()) {
            self.sample(sampled, first_unit(&missing))?;
        }
        Ok(())
    }

    /// Samples up to the end.
    pub(super) fn run(&self, sampled: &mut Sampled, end: End) -> Result<()> {
        let (begun, before) = (Instant::now(), sampled.rounds());
        let (wanted, time) = match end {
            End::Rounds(rounds) => return self.fill(sampled, 0..rounds),
            End::Held => return Ok(()),
            End::Noise(wanted, time) => (wanted, time),
        };
        while let Some(next) = sampled.missing(0..u64::MAX) {
            let rounds = sampled.rounds();
            if is_looked_at(rounds)
                && next.start == rounds
                && let Some(found) = self.noise(&sampled.groups)?
            {
                tracing::info!("{rounds} rounds: noise {found:.4}");
                if found <= wanted {
                    return Ok(());
                }
            }
            if rounds > before.max(1) && time.is_some_and(|time| begun.elapsed() >= time) {
                let made = (rounds - before, begun.elapsed());
                warn_of_time(made, (rounds, self.noise(&sampled.groups)?, wanted));
                return Ok(());
            }
            self.sample(sampled, first_unit(&next))?;
        }
        Ok(())
    }

    /// Takes units that are not whole as they are, and says how well the covariance was known after more and more rounds, all of them last; nothing
    /// where it is not positive definite.
    pub(super) fn end(&self, sampled: &mut Sampled) -> Result<Vec<(u64, f64)>> {
        while let Some((begin, _)) = sampled.open.first_key_value() {
            self.close(sampled, Groups::unit(*begin))?;
        }
        let all = sampled.groups.each().len();
        let mut known = Vec::new();
        let fewer = [all / 4, all / 2].into_iter();
        for groups in fewer.filter(|few| *few >= FEWEST_GROUPS).chain([all]) {
            let first = sampled.groups.first(groups);
            if let Some(noise) = self.noise(&first)? {
                known.push((first.rounds(), noise));
            }
        }
        Ok(known)
    }

    fn noise(&self, groups: &Groups) -> Result<Option<f64>> {
        match groups.noise(self.noise) {
            Ok(noise) => Ok(Some(noise)),
            Err(ModelError::NotPositiveDefinite { .. }) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }
}

/// Says that there was not enough time, and how long it would take.
fn warn_of_time((made, spent): (u64, Duration), (rounds, found, wanted): (u64, Option<f64>, f64)) {
    let seconds = spent.as_secs_f64();
    match found {
        Some(found) if found > wanted => {
            let all = rounds as f64 * (found / wanted).powi(2);
            tracing::warn!(
                "--time: the noise is {found:.4} after {rounds} rounds, {wanted} would take about {all:.0} rounds, {:.0} s",
                seconds * all / made as f64
            );
        }
        _ => tracing::warn!("--time: {rounds} rounds were made in {seconds:.0} s"),
    }
}
