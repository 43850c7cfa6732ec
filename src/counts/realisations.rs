//! Counts of many realisations of a sample, from one traversal of the pairs.
//!
//! Entry: [`count_realisations`].

use super::label_sums::check_regions;
use super::{Counts, Part};
use crate::engine::{Engine, PreparedJob, Report};
use crate::error::{EngineError, JobError};
use crate::pairs::{PairJob, Pairs};
use crate::progress::Progress;
use crate::tally::{Classes, CountSpec};

/// Counts the pairs of each realisation of prepared samples in one traversal ([`CountSpec::by_realisation`]).
///
/// Counts number k equal those that [`super::count_prepared`] makes of the particles of realisation k alone
/// ([`crate::Particles::of_realisation`]) with the weight exponents of all particles ([`CountSpec::with_weight_exponents`]): each has totals and a
/// job of its own.
///
/// ```
/// use albireo::counts::count_realisations;
/// use albireo::engine::{Cpu, PreparedJob, Silent};
/// use albireo::particles::Bits;
/// use albireo::{CountSpec, Domain, Edges, Engine, Particles, Points, RBins};
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?;
/// let draws = Particles::new(points).with_bits(Bits::new(vec![0b11, 0b01, 0b11], 1)?)?;
/// let engine = Cpu::new();
/// let draws = engine.prepare(draws, &Domain::Open, &Silent)?;
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2)?)).by_realisation(2);
/// let (counts, _) = count_realisations(&engine, &PreparedJob::auto(&draws), what, &Silent)?;
/// assert_eq!((counts[0].npairs(), counts[1].npairs()), (&[1, 2][..], &[0, 1][..]));
/// assert_eq!((counts[0].total().pairs, counts[1].total().pairs), (3, 1));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Bits that tell of no realisations, or of others than asked for; where classes are regions those of [`super::count_regions`], of any
/// realisation; otherwise as [`Engine::tally`].
pub fn count_realisations(
    engine: &dyn Engine,
    job: &PreparedJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
) -> Result<(Vec<Counts>, Report), EngineError> {
    let mut all = vec![];
    let report = take_realisations(engine, job, what, progress, |_, counts| all.push(counts))?;
    Ok((all, report))
}

/// The same, which hands `take` the counts of one realisation after the other, with the job of its particles alone.
///
/// # Errors
/// As [`count_realisations`].
pub fn take_realisations(
    engine: &dyn Engine,
    job: &PreparedJob<'_>,
    what: impl Into<CountSpec>,
    progress: &dyn Progress,
    mut take: impl FnMut(&PairJob<'_>, Counts),
) -> Result<Report, EngineError> {
    let pairs = job.job().pairs();
    let what = what.into().of_job(pairs);
    let number = what.realisations().ok_or(JobError::NoRealisations)?;
    let (tally, report) = engine.tally(job, &what, progress)?;
    let alone = what.of_one_realisation();
    let (first, second) = pairs.samples();
    for k in 0..number {
        let own = first.of_realisation(k).map_err(JobError::from)?;
        let other = second.map(|sample| sample.of_realisation(k));
        let other = other.transpose().map_err(JobError::from)?;
        let pairs = match &other {
            None => Pairs::Auto(&own),
            Some(other) => Pairs::Cross(&own, other),
        };
        if alone.classes() == Classes::Regions {
            check_regions(pairs)?;
        }
        let job = job.job();
        let job = PairJob::of_placed(pairs, job.domain()).with_traversal(job.traversal());
        let tally = tally.of_realisation(k, number);
        let counts = Counts::of_tally(&job, &alone, (&tally, Part::WHOLE), progress)?;
        take(&job, counts.with_exactness(engine.exactness()));
    }
    Ok(report)
}
