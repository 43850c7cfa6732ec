//! Pairs of a particle in one frame with another particle in a later one.
//!
//! Entry: [`count_lagged`], given pairs of frames ([`FramePair`]) and what is counted of them ([`LaggedBins`]).

use std::sync::Arc;

use albireo::binning::Bins;
use albireo::counts::excluded_by_species;
use albireo::domain::Outside;
use albireo::engine::{AnyEngine, PreparedJob, Progress};
use albireo::error::{EngineError, JobError};
use albireo::tally::{Classes, CountSpec, Cut, Tally};
use albireo::{Labels, Particles};

use super::{FrameJob, FrameWorkers, FramesDone, each_counted};

/// Two frames of the same particles, row by row: an origin, and one some time later.
#[derive(Debug, Clone)]
pub struct FramePair {
    /// Which lag it is, as a place in a list of them.
    pub lag: usize,
    /// The origin.
    pub first: Arc<FrameJob>,
    /// The later frame. Separations are those of the nearest image in the box of the first.
    pub second: Arc<FrameJob>,
}

/// The pairs between two frames.
#[derive(Debug, Clone, PartialEq)]
pub struct LaggedTally {
    /// Which lag it is.
    pub lag: usize,
    /// The number of the origin.
    pub number: u64,
    /// Pairs of different particles by the label a of the first, at the origin, and b of the second, at the later time, in table `a * labels + b`;
    /// of labels that are not wanted nothing is kept.
    pub distinct: Tally,
    /// For each label, particles by the distance from where they were, bins varying fastest.
    pub own: Vec<u64>,
    /// Particles of each label.
    pub particles: Vec<u64>,
    /// Unordered pairs of particles that are left out, by classes of labels.
    pub excluded: Vec<u64>,
    /// The volume of the origin's box, or its area; `None` where space is open.
    pub volume: Option<f64>,
}

/// The bins of a run over pairs of frames, and the ordered pairs of labels that are counted into them.
#[derive(Debug, Clone)]
pub struct LaggedBins {
    bins: Bins,
    labels: u32,
    wanted: Vec<bool>,
}

impl LaggedBins {
    /// Pairs of these labels, in both orders. Labels that there are not are left out.
    pub fn of_pairs(bins: impl Into<Bins>, labels: u32, pairs: &[[u32; 2]]) -> Self {
        let mut wanted = vec![false; (labels * labels) as usize];
        for &[a, b] in pairs.iter().filter(|pair| pair.iter().all(|&k| k < labels)) {
            wanted[(a * labels + b) as usize] = true;
            wanted[(b * labels + a) as usize] = true;
        }
        Self {
            bins: bins.into(),
            labels,
            wanted,
        }
    }

    /// The bins.
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    fn count(
        &self,
        engine: &AnyEngine,
        pair: &FramePair,
        progress: &dyn Progress,
    ) -> Result<LaggedTally, EngineError> {
        let (first, second) = (&pair.first, self.later(pair)?);
        let own = self.own(first, &second);
        let cuts = both_orders(&first.cuts);
        let labels = of_particles(&first.particles)?;
        let mut particles = vec![0; self.labels as usize];
        for &label in labels.values() {
            particles[label as usize] += 1;
        }
        let mut distinct = if cuts.is_empty() {
            self.by_label(engine, (first, &second), progress)?
        } else {
            self.at_once(engine, (first, second), cuts, progress)?
        };
        // A particle is in its own group: a cut of groups has dropped it already.
        if !first.cuts.contains(&Cut::SameGroup) {
            self.without(&mut distinct, &own);
        }
        let excluded = match &first.excluded {
            Some(known) => known.to_vec(),
            None => excluded_by_species(&first.particles, &first.cuts)?,
        };
        Ok(LaggedTally {
            lag: pair.lag,
            number: first.number,
            distinct,
            own,
            particles,
            excluded,
            volume: first.volume,
        })
    }

    /// The later frame in the box of the first, if it has the same particles.
    fn later(&self, pair: &FramePair) -> Result<Particles, EngineError> {
        let (first, second) = (&pair.first, &pair.second);
        let [a, b] = [first, second].map(|job| of_particles(&job.particles));
        let (a, b) = (a?, b?);
        if a.number() != self.labels {
            return Err(JobError::Species {
                expected: self.labels,
                found: a.number(),
            }
            .into());
        }
        if a != b {
            return Err(JobError::OtherParticles {
                first: first.number,
                second: second.number,
                particles: [a.values().len(), b.values().len()],
            }
            .into());
        }
        let particles = second.particles.clone();
        if first.domain == second.domain {
            return Ok(particles);
        }
        let placed = first.domain.place(particles, Outside::Wrap);
        Ok(placed.map_err(JobError::from)?)
    }

    /// For each label, particles by the distance between the two frames.
    fn own(&self, first: &FrameJob, second: &Particles) -> Vec<u64> {
        let bins = self.bins.n_bins();
        let mut own = vec![0; self.labels as usize * bins];
        let labels = first.particles.labels().map_or(&[][..], Labels::values);
        let (before, after) = (first.particles.points(), second.points());
        for (row, &label) in labels.iter().enumerate() {
            let moved = first.domain.separation(before.at(row), after.at(row));
            if let Some(bin) = self.bins.bin(&moved) {
                own[label as usize * bins + bin] += 1;
            }
        }
        own
    }

    /// Takes particles with themselves off the pairs of equal labels.
    fn without(&self, all: &mut Tally, own: &[u64]) {
        let bins = self.bins.n_bins();
        let mut pairs = all.pairs().to_vec();
        for label in 0..self.labels as usize {
            let table = label * self.labels as usize + label;
            // What is not wanted may not have been counted.
            if self.wanted[table] {
                let own = &own[label * bins..][..bins];
                let sums = pairs[table * bins..][..bins].iter_mut();
                sums.zip(own).for_each(|(sum, own)| *sum -= own);
            } else {
                pairs[table * bins..][..bins].fill(0);
            }
        }
        let mut distinct = Tally::zero(bins, self.wanted.len(), 0);
        for (table, pairs) in pairs.chunks_exact(bins).enumerate() {
            distinct.add_table(table, pairs, &[]);
        }
        *all = distinct;
    }

    fn at_once(
        &self,
        engine: &AnyEngine,
        (first, second): (&FrameJob, Particles),
        cuts: Vec<Cut>,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let mut what = CountSpec::new(self.bins.clone());
        if self.labels > 1 {
            what = what.with_classes(Classes::Species);
        }
        for cut in cuts {
            what = what.with_cut(cut);
        }
        let before = engine.prepare(first.particles.clone(), &first.domain, progress)?;
        let after = engine.prepare(second, &first.domain, progress)?;
        let job = PreparedJob::cross(&before, &after)?;
        Ok(engine.tally(&job, &what, progress)?.0)
    }

    /// For each label at the origin the pairs with those at the later time that are wanted.
    fn by_label(
        &self,
        engine: &AnyEngine,
        (first, second): (&FrameJob, &Particles),
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let bins = self.bins.n_bins();
        let mut all = Tally::zero(bins, self.wanted.len(), 0);
        let of = |particles: &Particles, labels: &[u32]| {
            let chosen = particles.of_labels(labels).map_err(JobError::from)?;
            engine.prepare(chosen, &first.domain, progress)
        };
        for a in 0..self.labels {
            let row = &self.wanted[(a * self.labels) as usize..][..self.labels as usize];
            let others = (0..self.labels).filter(|&b| row[b as usize]);
            let others: Vec<u32> = others.collect();
            if others.is_empty() {
                continue;
            }
            let (before, after) = (of(&first.particles, &[a])?, of(second, &others)?);
            let what = CountSpec::new(self.bins.clone()).with_classes(Classes::Species);
            let job = PreparedJob::cross(&before, &after)?;
            let (tally, _) = engine.tally(&job, &what, progress)?;
            for (&b, pairs) in others.iter().zip(tally.pairs().chunks_exact(bins)) {
                all.add_table((a * self.labels + b) as usize, pairs, &[]);
            }
        }
        Ok(all)
    }
}

fn of_particles(particles: &Particles) -> Result<&Labels, EngineError> {
    Ok(particles.labels().ok_or(JobError::NoLabels)?)
}

/// Cuts of unordered pairs for pairs whose first particle is of one frame and whose second is of the other.
fn both_orders(cuts: &[Cut]) -> Vec<Cut> {
    let both = |cut: &Cut| match cut {
        Cut::Listed(list) => Cut::listed(list.iter().flat_map(|&[i, j]| [[i, j], [j, i]])),
        other => other.clone(),
    };
    cuts.iter().map(both).collect()
}

/// Counts pairs between two frames each: `next` hands the pairs of frames out, `done` takes the counts as they come, in any order.
///
/// ```
/// use std::sync::Arc;
/// use albireo::engine::{AnyEngine, Naive};
/// use albireo_fluids::frames::{FrameJob, FramePair, FrameWorkers, LaggedBins, count_lagged};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Labels, Particles, PeriodicBox, Points, RBins};
/// // Two particles 3 apart, one of which moves to where the other was.
/// let domain = Domain::Periodic(PeriodicBox::cubic(10.0)?);
/// let frame = |number, x: [f64; 2]| -> Result<_, albireo::Error> {
///     let points = Points::from_rows(&[[x[0], 0.0, 0.0], [x[1], 0.0, 0.0]])?;
///     let particles = Particles::new(points).labelled(Labels::new(vec![0, 0], 1)?)?;
///     let (domain, volume) = (domain.clone(), domain.volume());
///     Ok(Arc::new(FrameJob { number, particles, domain, volume, cuts: vec![], excluded: None, weight: 1.0, program: None }))
/// };
/// let mut pairs = vec![FramePair { lag: 0, first: frame(0, [1.0, 4.0])?, second: frame(1, [4.0, 6.0])? }];
/// let bins = LaggedBins::of_pairs(RBins::new(Edges::new(vec![0.0, 1.0, 2.5, 5.0])?), 1, &[[0, 0]]);
/// let workers = FrameWorkers::each_alone(&AnyEngine::Naive(Naive))?;
/// count_lagged::<albireo::Error>(&workers, &bins, || Ok(pairs.pop()), |tally| {
///     // The first moved by 3, the second by 2; the first came to where the second was, the second is 5 from where the first was.
///     assert_eq!((tally.own, tally.distinct.pairs()), (vec![0, 1, 1], &[1, 0, 0][..]));
///     Ok(())
/// }, &Silent)?;
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// The first that `next`, `done` or an engine has; frames whose particles are not the same.
pub fn count_lagged<F>(
    workers: &FrameWorkers,
    what: &LaggedBins,
    next: impl FnMut() -> Result<Option<FramePair>, F> + Send,
    done: impl FnMut(LaggedTally) -> Result<(), F>,
    progress: &dyn Progress,
) -> Result<FramesDone, F>
where
    F: From<EngineError> + Send,
{
    let count = |engine: &AnyEngine, pair: FramePair, progress: &dyn Progress| -> Result<_, F> {
        Ok(what.count(engine, &pair, progress)?)
    };
    each_counted(workers, next, count, done, progress)
}
