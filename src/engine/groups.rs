//! Groups of sorted particles as the units of a job, and counts of some of them by engines that know nothing of groups.
//!
//! Entry: [`Groups`], [`tally_arranged`]. Which groups there are is a function of the samples, the domain and the reach of the bins alone.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::held::without_held;
use super::owners::{Owners, Owning};
use super::pieces::Piece;
use super::{Engine, PairJob, Progress};
use crate::binning::{Bins, PairOrder};
use crate::domain::Domain;
use crate::error::{EngineError, JobError};
use crate::fingerprint::mix;
use crate::pairs::{Pairs, Traversal};
use crate::particles::Particles;
use crate::pool;
use crate::progress::{Lasting, OfPiece};
use crate::tally::{Classes, CountSpec, Merge, Tally};
use crate::traversal::{Layout, Region, Sorted, Taking, Walk, roundings};

/// Runs of up to about a thousand particles that lie close together, each with the pairs that it takes.
///
/// A group of a cross count, or of a count of both orders, takes the pairs whose first particle it holds. Where an auto count holds each pair
/// once, of two groups one takes the pairs between them, so that every group takes half of its neighbours.
#[derive(Debug)]
pub(super) struct Groups {
    first: Arc<Layout>,
    /// Nothing where pairs are of one sample.
    second: Option<Arc<Layout>>,
    /// Whether each pair of one sample is taken once.
    once: bool,
    domain: Domain,
    region: Region,
    taking: Taking,
}

/// How far bins reach in a job, with what float64 rounds away there.
pub(super) fn region_of(
    job: &PairJob<'_>,
    bins: &Bins,
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

impl Groups {
    /// The groups of two samples, or of one, each pair of which is taken `once` or in both orders.
    pub(super) fn new(
        (first, second): (&Arc<Layout>, Option<&Arc<Layout>>),
        once: bool,
        domain: &Domain,
        region: Region,
    ) -> Self {
        let walk = Walk::new(first, second.map(|x| &**x), once, domain, region);
        Self {
            taking: walk.taking(),
            first: Arc::clone(first),
            second: second.map(Arc::clone),
            once,
            domain: domain.clone(),
            region,
        }
    }

    /// The groups of a job whose samples nobody has sorted yet.
    pub(super) fn sorted(
        job: &PairJob<'_>,
        what: &CountSpec,
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
        let groups = || {
            let (first, second) = job.pairs().samples();
            let first = layout(first)?;
            let second = match second {
                Some(second) => Some(layout(second)?),
                None => None,
            };
            let other = second.as_deref().unwrap_or(&first);
            let (region, _) = region_of(job, what.bins(), [&first, other]);
            let once = what.order() == PairOrder::Unordered;
            let samples = (&first, second.as_ref());
            Some(Self::new(samples, once, job.domain(), region))
        };
        pool::run(groups, groups).ok_or(EngineError::Interrupted)
    }

    fn walk(&self) -> Walk<'_> {
        let second = self.second.as_deref();
        Walk::new(&self.first, second, self.once, &self.domain, self.region)
    }

    /// What each group takes: pairs, in reach or not, and pairs within reach.
    pub(super) fn pairs_and_costs(&self) -> Vec<[u64; 2]> {
        let walk = self.walk();
        let units = walk.units().into_par_iter();
        let both = |unit| [walk.n_pairs(unit), walk.n_near(unit)];
        units.map(both).collect()
    }

    pub(super) fn is_auto(&self) -> bool {
        self.second.is_none()
    }

    /// Number of particles of the first sample.
    pub(super) fn n_points(&self) -> u64 {
        self.first.n_points()
    }

    /// A fingerprint of the rows that each group holds, and of which pairs it takes.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut state = mix(self.taking as u64, u64::from(self.is_auto()));
        for unit in 0..self.first.groups.len() {
            let rows = self.first.rows_of(unit).map(u64::from);
            state = mix(rows.fold(state, mix), u64::MAX);
        }
        state
    }

    /// Which unit takes a pair of rows, and whether it is in `run`.
    pub(super) fn owners(&self, run: Range<usize>) -> Owners {
        let mut unit_of_row = vec![0; self.first.n_points() as usize];
        for unit in 0..self.first.groups.len() {
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

    /// Which groups of the second sample, or units of the only one, some units take pairs with.
    fn taken_by(&self, units: impl Iterator<Item = usize>) -> Vec<bool> {
        let walk = self.walk();
        let second = self.second.as_deref().unwrap_or(&self.first);
        let none = || vec![false; second.groups.len()];
        let mark = |mut taken: Vec<bool>, &unit: &usize| {
            walk.near_groups(unit, &mut |other, _| taken[other] = true);
            taken
        };
        let either = |mut one: Vec<bool>, other: Vec<bool>| {
            one.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
            one
        };
        let units: Vec<usize> = units.collect();
        let parallel = || units.par_iter().fold(none, mark).reduce(none, either);
        pool::run(parallel, || units.iter().fold(none(), mark))
    }

    /// An order of rows of each sample in which the pairs of a run of units are a few pieces; no rows of a second sample, where there is
    /// none or `whole` leaves it as it is.
    fn arranged(&self, run: &Range<usize>, whole: Option<usize>) -> Arranged {
        let of_parity = |parity: usize| run.clone().filter(move |unit| unit % 2 == parity);
        let mut first = rows_of(&self.first, of_parity(0));
        let evens = first.len();
        first.extend(rows_of(&self.first, of_parity(1)));
        let own = first.len();
        if let Some(layout) = &self.second {
            let second = whole.is_none().then(|| {
                let taken = self.taken_by(run.clone());
                rows_of(layout, numbers(&taken))
            });
            let n = second.as_ref().map_or(whole.unwrap_or(0), Vec::len);
            let pieces = vec![Piece::Cross(0..own, 0..n)];
            return Arranged {
                first,
                second,
                pieces,
            };
        }
        let mut pieces = vec![Piece::Auto(0..own)];
        // All units of one parity in a run take the same units outside of it, of those that are in reach.
        let takers = match self.taking {
            Taking::Parity => vec![(0..evens, Some(0)), (evens..own, Some(1))],
            Taking::All | Taking::Later => vec![(0..own, None)],
        };
        for (takers, parity) in takers {
            let ones = run.clone();
            let mut taken = self.taken_by(ones.filter(|unit| parity.is_none_or(|p| unit % 2 == p)));
            taken[run.clone()].fill(false);
            let from = first.len();
            first.extend(rows_of(&self.first, numbers(&taken)));
            pieces.push(Piece::Cross(takers, from..first.len()));
        }
        Arranged {
            first,
            second: None,
            pieces,
        }
    }
}

/// Rows of a job in the order of a run of units.
struct Arranged {
    first: Vec<usize>,
    second: Option<Vec<usize>>,
    pieces: Vec<Piece>,
}

/// The rows of some groups.
fn rows_of(layout: &Layout, groups: impl Iterator<Item = usize>) -> Vec<usize> {
    let groups: Vec<usize> = groups.collect();
    let rows = |&group: &usize| layout.rows_of(group).map(|row| row as usize);
    let parallel = || groups.par_iter().flat_map_iter(rows).collect();
    pool::run(parallel, || groups.iter().flat_map(rows).collect())
}

/// The numbers of what is marked.
fn numbers(marked: &[bool]) -> impl Iterator<Item = usize> {
    let all = marked.iter().enumerate();
    all.filter_map(|(number, &is)| is.then_some(number))
}

/// Counts a run of units as jobs of their own, between rows brought together.
pub(super) fn tally_arranged<E: Engine + ?Sized>(
    engine: &E,
    job: &PairJob<'_>,
    what: &CountSpec,
    (groups, run): (&Groups, Range<usize>),
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    what.admit(job)?;
    if what.classes() != Classes::One {
        return Err(JobError::ClassesOfUnits(engine.description()).into());
    }
    let (first, second) = job.pairs().samples();
    // Cuts may name rows of the second sample by their numbers.
    let whole = second.filter(|_| !what.cuts().is_empty());
    let arranged = groups.arranged(&run, whole.map(Particles::len));
    let (rows, pieces) = (&arranged.first, &arranged.pieces);
    progress.begin(pieces.iter().map(Piece::pairs).sum());
    let picked = |sample: &Particles, rows: &[usize]| {
        let rows = sample.picked(rows.len(), &|k| rows[k]);
        rows.map_err(JobError::from)
    };
    let own = picked(first, rows)?;
    let near = match (second, &arranged.second) {
        (Some(second), Some(rows)) => Some(picked(second, rows)?),
        _ => None,
    };
    let pairs = match near.as_ref().or(second) {
        None => Pairs::Auto(&own),
        Some(second) => Pairs::Cross(&own, second),
    };
    let arranged = PairJob::of_placed(pairs, job.domain()).with_traversal(job.traversal());
    let count = |all: &CountSpec| {
        all.pass_by_pass(|one| {
            let exponents = one.weight_exponents(job.pairs());
            let one = one.clone().with_weight_exponents(exponents);
            let mut tally = one.zero(job.pairs())?;
            for piece in pieces.iter().filter(|piece| piece.pairs() > 0) {
                let part = piece.with_job(&arranged, |job| {
                    let cuts = one.cuts().iter();
                    let [a, b] = piece.runs();
                    let cuts = cuts.map(|cut| cut.in_runs([&a, &b], groups.is_auto()));
                    let one = cuts.fold(one.clone().without_cuts(), CountSpec::with_cut);
                    engine.run(job, &one, &OfPiece(progress))
                });
                tally.merge(part?);
            }
            Ok::<_, EngineError>(tally)
        })
    };
    let owners = (!what.cuts().is_empty()).then(|| groups.owners(run.clone()));
    let owners = owners.as_ref().map(|owners| owners as &dyn Owning);
    if let Some(tally) = without_held(job, what, owners, progress, count)? {
        return Ok(tally);
    }
    // Cuts that each pair is asked for: listed rows are then those of the arranged sample.
    let mut places = vec![None; first.len()];
    for (place, &row) in rows.iter().enumerate() {
        places[row] = Some(place as u32);
    }
    let cuts = what.cuts().iter();
    let cuts = cuts.map(|cut| cut.renumbered(&places, groups.is_auto()));
    count(&cuts.fold(what.clone().without_cuts(), CountSpec::with_cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::engine::Units;
    use crate::progress::Silent;
    use crate::random;

    #[test]
    fn runs_bring_the_rows_in_reach_alone() {
        let n = 40_000;
        let sample = |seed| Particles::new(random::in_box(n, seed, [8.0, 0.5, 0.5]).unwrap());
        let (a, b) = (sample(1), sample(2));
        let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.1, 2).unwrap()));
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let units = Units::sorted(&job, &what, &Silent).unwrap();
            let groups = units.groups(&job, &(0..0)).unwrap();
            let mut own = 0;
            for part in 0..8 {
                let arranged = groups.arranged(&units.part(part, 8), None);
                let brought = arranged.first.len() + arranged.second.map_or(0, |rows| rows.len());
                assert!(
                    (n / 8..n / 2).contains(&brought),
                    "{brought} of part {part}"
                );
                own += arranged.pieces[0].runs()[0].len();
            }
            assert_eq!(own, n);
        }
    }
}
