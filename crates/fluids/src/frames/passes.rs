//! What is counted of each frame, and in which passes.
//!
//! Entry: [`FrameBins`]. All classes of species are one pass; where few of them are asked for, only the species that these need are met.

use std::sync::Arc;

use albireo::binning::Bins;
use albireo::counts::{Counts, count_prepared, excluded_by_species};
use albireo::engine::{AnyEngine, Engine, Prepared, PreparedJob, Progress};
use albireo::error::{EngineError, JobError};
use albireo::tally::{
    Classes, CountSpec, Cut, Exchange, PairProgram, Tally, unordered_class, unordered_classes,
};

use crate::values::values_of;

use super::{FrameJob, FrameSum, FrameTally};

/// The bins of a run over frames and the pairs of species that are counted into them.
#[derive(Debug, Clone)]
pub struct FrameBins {
    bins: Bins,
    species: u32,
    /// Whether each class is wanted, in the order of [`Classes::Species`].
    wanted: Vec<bool>,
    beyond_half: bool,
    keeps_boxes: bool,
}

/// One pass over all pairs is made unless the pairs asked for are fewer than this part of them.
const WORTH_A_PASS: f64 = 0.6;

/// The class of a pair of species.
pub(super) fn class_of(species: u32, pair: [u32; 2]) -> usize {
    unordered_class(species as usize, pair.map(|k| k as usize))
}

impl FrameBins {
    /// All pairs of particles of so many species.
    pub fn all(bins: impl Into<Bins>, species: u32) -> Self {
        Self {
            bins: bins.into(),
            species,
            wanted: vec![true; unordered_classes(species as usize)],
            beyond_half: false,
            keeps_boxes: false,
        }
    }

    /// Pairs of these species only, in either order. Those that there are not are left out.
    pub fn of_pairs(bins: impl Into<Bins>, species: u32, pairs: &[[u32; 2]]) -> Self {
        let mut wanted = vec![false; unordered_classes(species as usize)];
        for &pair in pairs
            .iter()
            .filter(|pair| pair.iter().all(|&k| k < species))
        {
            wanted[class_of(species, pair)] = true;
        }
        Self {
            bins: bins.into(),
            species,
            wanted,
            beyond_half: false,
            keeps_boxes: false,
        }
    }

    /// The same in bins that may reach beyond half of the boxes: pairs count under their nearest images ([`CountSpec::beyond_half`]), and each frame
    /// keeps its box, by which its bins are cut.
    #[must_use]
    pub fn beyond_half(self) -> Self {
        Self {
            beyond_half: true,
            ..self.keeping_boxes()
        }
    }

    /// The same with the box of each frame in its [`FrameTally`].
    #[must_use]
    pub fn keeping_boxes(self) -> Self {
        Self {
            keeps_boxes: true,
            ..self
        }
    }

    /// What is counted of all pairs together.
    fn what(&self) -> CountSpec {
        let what = CountSpec::new(self.bins.clone());
        if self.beyond_half {
            what.beyond_half()
        } else {
            what
        }
    }

    /// The bins.
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Number of species.
    pub fn species(&self) -> u32 {
        self.species
    }

    /// The place of a pair of species in a [`FrameTally`].
    pub fn class(&self, pair: [u32; 2]) -> usize {
        class_of(self.species, pair)
    }

    /// Counts one frame.
    ///
    /// # Errors
    /// A frame whose labels are of another number of species, or what the engine has.
    pub(super) fn count(
        &self,
        engine: &AnyEngine,
        job: FrameJob,
        progress: &dyn Progress,
    ) -> Result<FrameTally, EngineError> {
        let labels = job.particles.labels().ok_or(JobError::NoLabels)?;
        if labels.number() != self.species {
            return Err(JobError::Species {
                expected: self.species,
                found: labels.number(),
            }
            .into());
        }
        let mut particles = vec![0; self.species as usize];
        for &label in labels.values() {
            particles[label as usize] += 1;
        }
        let excluded = match &job.excluded {
            Some(known) => known.to_vec(),
            None => excluded_by_species(&job.particles, &job.cuts)?,
        };
        let (number, volume, weight) = (job.number, job.volume, job.weight);
        let domain = self.keeps_boxes.then(|| Arc::new(job.domain.clone()));
        let few = job.cuts.is_empty() && self.part_wanted(&particles) < WORTH_A_PASS;
        let (tally, sums) = match job.program.clone() {
            Some(program) => self.summed(engine, job, &program, progress)?,
            None if few => (self.by_species(engine, &job, progress)?, vec![]),
            None => (self.in_one_pass(engine, job, progress)?, vec![]),
        };
        Ok(FrameTally {
            number,
            tally,
            particles,
            excluded,
            volume,
            domain,
            weight,
            sums,
        })
    }

    /// Of all pairs, the part that is asked for.
    fn part_wanted(&self, particles: &[u64]) -> f64 {
        let (mut wanted, mut all) = (0.0, 0.0);
        let mut class = 0;
        for a in 0..particles.len() {
            for b in a..particles.len() {
                let pairs = particles[a] as f64 * particles[b] as f64;
                let pairs = if a == b { pairs / 2.0 } else { pairs };
                all += pairs;
                wanted += if self.wanted[class] { pairs } else { 0.0 };
                class += 1;
            }
        }
        if all > 0.0 { wanted / all } else { 1.0 }
    }

    /// All pairs of a frame without these.
    fn without(&self, cuts: Vec<Cut>) -> CountSpec {
        let mut what = self.what();
        if self.species > 1 {
            what = what.with_classes(Classes::Species);
        }
        cuts.into_iter().fold(what, CountSpec::with_cut)
    }

    /// All pairs and what is summed over them.
    fn summed(
        &self,
        engine: &AnyEngine,
        job: FrameJob,
        program: &Arc<PairProgram>,
        progress: &dyn Progress,
    ) -> Result<(Tally, Vec<FrameSum>), EngineError> {
        let mut sums = program.sums().iter();
        if let Some(sum) = sums.find(|sum| sum.exchange != Exchange::Even) {
            return Err(JobError::UnevenSum(sum.name.clone()).into());
        }
        let what = self.without(job.cuts).with_program(Arc::clone(program));
        let sample = engine.prepare(job.particles, &job.domain, progress)?;
        let (counts, _) = count_prepared(&**engine, &PreparedJob::auto(&sample), what, progress)?;
        let by_class = match self.species {
            1 => vec![counts],
            _ => counts.by_class(),
        };
        let mut tally = Tally::zero(self.bins.n_bins(), self.wanted.len(), 0);
        for (class, counts) in by_class.iter().enumerate() {
            tally.add_table(class, counts.npairs(), &[]);
        }
        let names = program.sums().iter().map(|sum| sum.name.as_str());
        let sums = names.map(|name| FrameSum::of(&by_class, name)).collect();
        Ok((tally, sums))
    }

    fn in_one_pass(
        &self,
        engine: &AnyEngine,
        job: FrameJob,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let what = self.without(job.cuts);
        let sample = engine.prepare(job.particles, &job.domain, progress)?;
        let job = PreparedJob::auto(&sample);
        Ok(engine.tally(&job, &what, progress)?.0)
    }

    /// For each species in turn the pairs within it, and those with the later species that are asked for.
    fn by_species(
        &self,
        engine: &AnyEngine,
        job: &FrameJob,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let mut all = Tally::zero(self.bins.n_bins(), self.wanted.len(), 0);
        let one = |k: u32| vec![k];
        for a in 0..self.species {
            let own = self.wanted[self.class([a, a])];
            let others: Vec<u32> = (a + 1..self.species)
                .filter(|&b| self.wanted[self.class([a, b])])
                .collect();
            if !own && others.is_empty() {
                continue;
            }
            let first = prepared(&**engine, job, &one(a), progress)?;
            if own {
                let what = self.what();
                let (tally, _) = engine.tally(&PreparedJob::auto(&first), &what, progress)?;
                add(&mut all, &[self.class([a, a])], &tally);
            }
            if !others.is_empty() {
                let second = prepared(&**engine, job, &others, progress)?;
                let what = self.what().with_classes(Classes::Species);
                let pairs = PreparedJob::cross(&first, &second)?;
                let (tally, _) = engine.tally(&pairs, &what, progress)?;
                let classes: Vec<usize> = others.iter().map(|&b| self.class([a, b])).collect();
                add(&mut all, &classes, &tally);
            }
        }
        Ok(all)
    }
}

impl FrameSum {
    /// The sum of this name of counts of all classes.
    fn of(by_class: &[Counts], name: &str) -> Self {
        let (mut values, mut rounding) = (Vec::new(), 0.0f64);
        for counts in by_class {
            values.extend(values_of(counts, name));
            rounding = rounding.max(counts.pair_sum_bound_of_pair(name).unwrap_or_default());
        }
        Self { values, rounding }
    }
}

/// Adds the tables of `tally` to these classes of `all`.
fn add(all: &mut Tally, classes: &[usize], tally: &Tally) {
    for (&class, table) in classes
        .iter()
        .zip(tally.pairs().chunks_exact(tally.n_bins()))
    {
        all.add_table(class, table, &[]);
    }
}

/// The particles of these species, labelled by their place in the list.
fn prepared(
    engine: &dyn Engine,
    job: &FrameJob,
    species: &[u32],
    progress: &dyn Progress,
) -> Result<Prepared, EngineError> {
    let particles = job.particles.of_labels(species).map_err(JobError::from)?;
    engine.prepare(particles, &job.domain, progress)
}
