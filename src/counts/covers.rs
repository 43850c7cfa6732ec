//! Which jobs, and which parts of them, a count covers: what keeps a merge from counting anything twice.

#![allow(clippy::cast_possible_truncation, reason = "parts of a job are few")]

use std::collections::{BTreeMap, BTreeSet};

use super::{PairKind, PairTotal};
use crate::domain::Domain;
use crate::error::CountsError;
use crate::fingerprint::mix;
use crate::pairs::{PairJob, Pairs};
use crate::particles::{Bits, Column, Particles, View, Weights};

/// One of `of` parts of a job: a run of its [`Units`](crate::engine::Units).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Which part, from 0.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Part {
    /// All of a job.
    pub const WHOLE: Self = Self { index: 0, of: 1 };
}

/// A fingerprint of the particles and the domain of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// Fingerprint of a column: eight independent lanes, so that it keeps up with memory.
fn column_print(values: View<'_>) -> u64 {
    const LANES: usize = 8;
    let n = values.len();
    let whole = n - n % LANES;
    let mut lanes = [0u64; LANES];
    for row in (0..whole).step_by(LANES) {
        for (k, lane) in lanes.iter_mut().enumerate() {
            let value = values.at(row + k).to_bits();
            *lane = (lane.rotate_left(29) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    let rest = (whole..n).map(|row| values.at(row).to_bits());
    lanes.into_iter().chain(rest).fold(n as u64, mix)
}

fn sample_print(state: u64, sample: &Particles) -> u64 {
    let prints = sample.points().prints(|column| column_print(column.view()));
    let state = prints.into_iter().fold(state, mix);
    let state = match sample.weights() {
        Weights::Unit => mix(state, 1),
        Weights::PerParticle(w) => mix(state, column_print(w.view())),
    };
    let words = |bits: &Bits| {
        bits.words()
            .iter()
            .fold(state, |state, &word| mix(state, word))
    };
    sample.bits().map_or(state, words)
}

/// The fingerprint so far, with that of the columns of a sample.
fn columns_print(state: u64, sample: &Particles) -> u64 {
    let prints = sample.columns().iter();
    let prints = prints.map(|column| column_print(column.view()));
    prints.fold(state, |state, print| mix(mix(state, 6), print))
}

/// The fingerprint so far, with that of one number a particle.
fn numbers_print(state: u64, numbers: &[u32]) -> u64 {
    let print = |state, &number: &u32| mix(state, u64::from(number));
    numbers.iter().fold(state, print)
}

/// The fingerprint so far, with that of the labels of a sample.
fn labels_print(state: u64, sample: &Particles) -> u64 {
    let labels = sample.labels().map_or(&[][..], |labels| labels.values());
    numbers_print(mix(state, 4), labels)
}

/// The fingerprint so far, with that of the groups of a sample.
fn groups_print(state: u64, sample: &Particles) -> u64 {
    let groups = sample.groups().map_or(&[][..], |groups| groups.values());
    numbers_print(mix(state, 5), groups)
}

impl JobId {
    /// The fingerprint of class number `table` of this job.
    pub(super) fn class(self, table: usize) -> Self {
        Self(mix(mix(self.0, 3), table as u64))
    }

    /// The fingerprint of `job` with the labels of its particles: equal for equal jobs in the same regions.
    pub fn with_labels(job: &PairJob<'_>) -> Self {
        Self::of(job).labelled(job)
    }

    /// This fingerprint with the labels of the particles of `job`.
    pub(super) fn labelled(self, job: &PairJob<'_>) -> Self {
        self.with_each(job, labels_print)
    }

    /// This fingerprint with the groups of the particles of `job`.
    pub(super) fn grouped(self, job: &PairJob<'_>) -> Self {
        self.with_each(job, groups_print)
    }

    /// This fingerprint with what `print` makes of it and each sample of `job`.
    fn with_each(self, job: &PairJob<'_>, print: impl Fn(u64, &Particles) -> u64) -> Self {
        let (first, second) = job.pairs().samples();
        let samples = [Some(first), second].into_iter().flatten();
        Self(samples.fold(self.0, print))
    }

    /// The fingerprint of `job` with the columns of its particles, which sums of expressions take: that of [`JobId::of`] where there are none.
    pub fn with_columns(job: &PairJob<'_>) -> Self {
        Self::of(job).with_each(job, columns_print)
    }

    /// The fingerprint of everything that a count of `job` can depend on: also labels, groups, columns and further sets of weights.
    pub fn in_full(job: &PairJob<'_>) -> Self {
        let of_sample = |state: u64, sample: &Particles| {
            let state = groups_print(columns_print(state, sample), sample);
            (1..sample.weight_sets()).fold(state, |state, set| match sample.weights_of_set(set) {
                Weights::Unit => mix(state, 1),
                Weights::PerParticle(w) => mix(state, column_print(w.view())),
            })
        };
        Self::with_labels(job).with_each(job, of_sample)
    }

    /// The fingerprint of `job`: equal for equal particles, weights, bits and domain.
    pub fn of(job: &PairJob<'_>) -> Self {
        let domain: Vec<f64> = match job.domain() {
            Domain::Open => vec![],
            Domain::Periodic(cell) => cell.lengths().iter().map(|l| l.unwrap_or(0.0)).collect(),
            Domain::Triclinic(lattice) => lattice.basis().as_flattened().to_vec(),
        };
        let state = column_print(Column::from(domain).view());
        Self(match job.pairs() {
            Pairs::Auto(sample) => sample_print(mix(state, 1), sample),
            Pairs::Cross(first, second) => sample_print(sample_print(mix(state, 2), first), second),
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Covered {
    of: u32,
    /// The fingerprint of what makes parts of one number differ: the units that they are runs of, labels and groups; 0 of a whole.
    plan: u64,
    parts: BTreeSet<u32>,
    total: PairTotal,
}

/// The jobs and parts held, each with its total.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Covers {
    jobs: BTreeMap<JobId, Covered>,
}

impl Covers {
    pub(super) fn part(job: JobId, part: Part, total: PairTotal) -> Self {
        let covered = Covered {
            of: part.of,
            plan: 0,
            parts: BTreeSet::from([part.index]),
            total,
        };
        Self {
            jobs: BTreeMap::from([(job, covered)]),
        }
    }

    /// The same parts, made by this plan.
    pub(super) fn of_plan(mut self, plan: u64) -> Self {
        for covered in self.jobs.values_mut().filter(|covered| covered.of > 1) {
            covered.plan = plan;
        }
        self
    }

    /// The same parts in these bins and in those of `next`: where their plans differ, they go with parts that are put together alike.
    pub(super) fn adjoined(mut self, next: &Self) -> Self {
        for (ours, theirs) in self.jobs.values_mut().zip(next.jobs.values()) {
            if ours.plan != theirs.plan {
                ours.plan = mix(ours.plan, theirs.plan);
            }
        }
        self
    }

    /// All of each of these jobs.
    pub(super) fn jobs(jobs: &[(JobId, PairTotal)]) -> Result<Self, CountsError> {
        let mut whole = Self {
            jobs: BTreeMap::new(),
        };
        for &(job, total) in jobs {
            whole.add(&Self::part(job, Part::WHOLE, total))?;
        }
        whole.check_number()?;
        Ok(whole)
    }

    /// The jobs with their totals, in the order of their fingerprints.
    pub(super) fn totals(&self) -> impl Iterator<Item = (JobId, PairTotal)> + '_ {
        self.jobs.iter().map(|(job, covered)| (*job, covered.total))
    }

    pub(super) fn union(&self, other: &Self) -> Result<Self, CountsError> {
        let mut union = self.clone();
        union.add(other)?;
        union.check_number()?;
        Ok(union)
    }

    /// Refuses more pairs in all than an integer holds.
    fn check_number(&self) -> Result<(), CountsError> {
        let mut totals = self.jobs.values().map(|job| job.total.pairs);
        totals
            .try_fold(0, u64::checked_add)
            .map(|_| ())
            .ok_or(CountsError::Overflow("the total number of pairs"))
    }

    fn add(&mut self, other: &Self) -> Result<(), CountsError> {
        for (job, theirs) in &other.jobs {
            let Some(ours) = self.jobs.get_mut(job) else {
                self.jobs.insert(*job, theirs.clone());
                continue;
            };
            if ours.of != theirs.of {
                return Err(CountsError::Setting {
                    setting: "the number of parts of the job",
                    left: ours.of.to_string(),
                    right: theirs.of.to_string(),
                });
            }
            if ours.plan != theirs.plan {
                let plan = |covered: &Covered| format!("plan {:016x}", covered.plan);
                return Err(CountsError::Setting {
                    setting: "how the job was cut into parts: all parts need the same reach of bins, labels and groups, on processors alone or on GPUs of one kind",
                    left: plan(ours),
                    right: plan(theirs),
                });
            }
            if !ours.total.is_same(&theirs.total) {
                return Err(CountsError::Setting {
                    setting: "the total of the job",
                    left: ours.total.to_string(),
                    right: theirs.total.to_string(),
                });
            }
            if let Some(&part) = ours.parts.intersection(&theirs.parts).next() {
                return Err(CountsError::Overlap { part, of: ours.of });
            }
            ours.parts.extend(&theirs.parts);
        }
        Ok(())
    }

    /// Sum over the jobs, in the order of their fingerprints, so that it does not depend on the order of merging.
    pub(super) fn total(&self, kind: PairKind) -> PairTotal {
        let totals: Vec<PairTotal> = self.jobs.values().map(|job| job.total).collect();
        PairTotal::of_all(kind, &totals)
    }

    /// The same jobs with other totals.
    pub(super) fn with_totals(&self, of: impl Fn(PairTotal) -> PairTotal) -> Self {
        let mut covers = self.clone();
        for job in covers.jobs.values_mut() {
            job.total = of(job.total);
        }
        covers
    }

    /// Whether both are the same parts of the same jobs, with the same totals.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut both = self.jobs.iter().zip(&other.jobs);
        let same = |((job, ours), (other, theirs)): ((&JobId, &Covered), (&JobId, &Covered))| {
            let parts = (job, ours.of, &ours.parts) == (other, theirs.of, &theirs.parts);
            parts && ours.total.is_same(&theirs.total)
        };
        self.jobs.len() == other.jobs.len() && both.all(same)
    }

    pub(super) fn coverage(&self) -> (u32, u32) {
        self.jobs.values().fold((0, 0), |(have, of), job| {
            (have + job.parts.len() as u32, of + job.of)
        })
    }

    /// A fingerprint of all that is covered.
    pub(super) fn print(&self) -> JobId {
        JobId(self.jobs.keys().fold(0, |state, job| mix(state, job.0)))
    }

    pub(super) fn single(&self) -> Option<JobId> {
        let mut jobs = self.jobs.keys();
        jobs.next().copied().filter(|_| jobs.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::MAX_PARTICLES;

    #[test]
    fn totals_that_pass_their_integer_are_refused() {
        let realisation = |k: u64| {
            let total = PairTotal::unweighted(PairKind::Cross, (MAX_PARTICLES as u64).pow(2));
            Covers::part(JobId(k), Part::WHOLE, total)
        };
        let mut all = realisation(0);
        for k in 1..4 {
            let union = all.union(&realisation(k));
            assert!(union.is_ok(), "{k}");
            all = union.unwrap_or(all);
        }
        let pairs = 4 * (MAX_PARTICLES as u64).pow(2);
        assert_eq!(all.total(PairKind::Cross).pairs, pairs);
        let all = all.union(&realisation(4));
        assert_eq!(all, Err(CountsError::Overflow("the total number of pairs")));
    }
}
