//! Counts by several sets of weights, from one traversal of the pairs.
//!
//! Entry: [`count_weight_sets`].

use super::label_sums::check_regions;
use super::{Counts, Part};
use crate::engine::{Engine, PreparedJob, Report};
use crate::error::EngineError;
use crate::pairs::{PairJob, Pairs};
use crate::particles::Particles;
use crate::progress::Progress;
use crate::tally::{Classes, CountSpec, Sum, WeightedSum, weight_exponents};

/// Counts the pairs of prepared samples by each of their sets of weights ([`Particles::with_weight_sets`]) in one traversal.
///
/// The counts of a set, in the order of the sets, equal those that [`super::count_prepared`] makes of particles with these weights alone:
/// each set has exponents, totals and a job of its own. A sample with but one set has it in all; a set in which neither sample has weights is
/// counted without them, unless bits or angles weigh its pairs. Engine `cuda` makes a pass for each set over the prepared samples.
///
/// ```
/// use albireo::counts::count_weight_sets;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Particles, Points, RBins, Weights};
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?;
/// let fkp = Weights::PerParticle(vec![0.5, 0.25, 1.0].into());
/// let galaxies = Particles::weighted(points, vec![1.0, 2.0, 0.5])?.with_weight_sets(vec![fkp])?;
/// let engine = Cpu::new();
/// let galaxies = engine.prepare(galaxies, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::linear(0.0, 4.0, 2)?);
/// let what = CountSpec::new(bins).with_weights();
/// let (sets, _) = count_weight_sets(&engine, &PreparedJob::auto(&galaxies), what, &Silent)?;
/// assert_eq!(sets[0].weight(), Some(vec![2.0, 1.5]));
/// assert_eq!(sets[1].weight(), Some(vec![0.125, 0.75]));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Samples with different numbers of sets, both more than one; where classes are regions those of [`super::count_regions`]; otherwise as
/// [`Engine::tally`].
pub fn count_weight_sets(
    engine: &dyn Engine,
    job: &PreparedJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<(Vec<Counts>, Report), EngineError> {
    let what = what.into();
    if what.classes() == Classes::Regions {
        check_regions(job.job().pairs())?;
    }
    let all = AllSets::of(job.job(), &what)?;
    let (tally, report) = engine.tally(job, &all.what, progress)?;
    let counts = all.sets.iter().map(|set| {
        let (job, tally) = (set.job(job.job()), tally.with_sums(&set.places));
        let counts = Counts::of_tally(&job, &set.what, (&tally, Part::WHOLE), progress)?;
        Ok(counts.with_exactness(engine.exactness()))
    });
    Ok((counts.collect::<Result<_, EngineError>>()?, report))
}

/// A set of weights by itself.
struct OneSet {
    first: Particles,
    second: Option<Particles>,
    /// What is counted of it, and where its sums are among those of all sets.
    what: CountSpec,
    places: Vec<usize>,
}

impl OneSet {
    fn pairs(&self) -> Pairs<'_> {
        match &self.second {
            None => Pairs::Auto(&self.first),
            Some(second) => Pairs::Cross(&self.first, second),
        }
    }

    /// The job of all sets with the weights of this one.
    fn job<'a>(&'a self, all: &PairJob<'a>) -> PairJob<'a> {
        PairJob::of_placed(self.pairs(), all.domain()).with_traversal(all.traversal())
    }
}

/// What is counted of all sets of weights in one traversal.
struct AllSets {
    what: CountSpec,
    sets: Vec<OneSet>,
}

impl AllSets {
    fn of(job: &PairJob<'_>, asked: &CountSpec) -> Result<Self, EngineError> {
        let number = job.pairs().weight_sets()?;
        let (one, other) = job.pairs().samples();
        let of_set = |set| {
            let (first, second) = (
                one.of_weight_set(set),
                other.map(|sample| sample.of_weight_set(set)),
            );
            let what = CountSpec::new(asked.bins());
            let places = vec![];
            OneSet {
                first,
                second,
                what,
                places,
            }
        };
        let mut sets: Vec<OneSet> = (0..number).map(of_set).collect();
        for set in &mut sets {
            let pairs = set.pairs();
            let what = asked.clone().of_weight_set(pairs);
            set.what = if what.has_weights() {
                let exponents = weight_exponents(pairs);
                what.with_weight_exponents(exponents).in_range_of(pairs)
            } else {
                what
            };
        }
        let weighted = sets.iter().any(|set| has_products(&set.what));
        // The products of all sets come first, in their order: engines sum these together fastest.
        let products = (0..if weighted { number } else { 0 }).map(|set| Sum::Product.of_set(set));
        let mut all: Vec<Sum> = products.collect();
        for (k, set) in sets.iter_mut().enumerate() {
            for sum in set.what.sums() {
                let sum = sum.clone().of_set(k);
                let place = all.iter().position(|other| *other == sum);
                set.places.push(place.unwrap_or(all.len()));
                if place.is_none() {
                    all.push(sum);
                }
            }
        }
        let mut what = asked.clone().without_sums();
        if weighted {
            what = what.with_weight_exponents(weight_exponents(job.pairs()));
        }
        let what = all.into_iter().fold(what, CountSpec::with_sum);
        Ok(Self { what, sets })
    }
}

fn has_products(what: &CountSpec) -> bool {
    let mut sums = what.sums().iter().filter_map(Sum::weighted);
    sums.any(|(_, sum)| sum == WeightedSum::Product)
}
