//! What cuts hold: the few pairs that are counted and taken off again.
//!
//! Entry: [`without_held`]. Candidates are found where they are close together in another space: directions for angles, the plane across an axis
//! for rp, groups and lists by themselves. Each is then decided by the exact rule.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::Progress;
use super::owners::Owning;
use crate::binning::{Binning, LineOfSight, PairOrder, Reach};
use crate::domain::{Domain, PeriodicBox};
use crate::error::EngineError;
use crate::pairs::{PairJob, Pairs};
use crate::particles::{Column, Particles, Points};
use crate::pool;
use crate::tally::{CountSpec, Cut, Merge, Tally, Terms};
use crate::traversal::{BlockPair, Layout, Region, Sorted, Walk, roundings};

/// Counts everything by `count`, and takes off what the cuts of `what` hold; none where that cannot be found without looking at every
/// pair. With `owners`, everything is what they take.
///
/// # Errors
/// Those of `count`, and a stop asked for through `progress`.
pub(super) fn without_held(
    job: &PairJob<'_>,
    what: &CountSpec,
    owners: Option<&dyn Owning>,
    progress: &dyn Progress,
    count: impl FnOnce(&CountSpec) -> Result<Tally, EngineError>,
) -> Result<Option<Tally>, EngineError> {
    if what.cuts().is_empty() {
        return count(what).map(Some);
    }
    let terms = Terms::new(what, job.pairs())?;
    let held = || held(job, &terms, owners, progress);
    let Some(held) = pool::run(held, held)? else {
        return Ok(None);
    };
    let mut tally = count(&what.clone().without_cuts())?;
    tally.take_off(&held);
    Ok(Some(tally))
}

/// The pairs in bins that the cuts of `terms` hold.
fn held(
    job: &PairJob<'_>,
    terms: &Terms<'_>,
    owners: Option<&dyn Owning>,
    progress: &dyn Progress,
) -> Result<Option<Tally>, EngineError> {
    let mut tally = terms.empty();
    for (cut, what) in terms.cuts().iter().enumerate() {
        let of_cut = OfCut {
            job,
            terms,
            cut,
            owners,
            progress,
            stopped: AtomicBool::new(false),
        };
        let found = match what {
            Cut::SameGroup => Some(of_cut.groups()),
            Cut::Listed(list) => Some(of_cut.list(list)),
            Cut::Theta(_) | Cut::Rp { .. } => {
                let near = Nearby::of(job, what, terms.reach());
                near.map(|near| of_cut.spaces(&near)).transpose()?
            }
        };
        if of_cut.stopped.into_inner() {
            return Err(EngineError::Interrupted);
        }
        let Some(found) = found else {
            return Ok(None);
        };
        tally.merge(found);
    }
    Ok(Some(tally))
}

/// Other positions of the particles, in which all pairs that a cut may hold are close together.
struct Nearby {
    first: Points,
    second: Option<Points>,
    domain: Domain,
    radius: f64,
}

/// How much wider than a cut the search for its pairs is: far more than rounding.
const WIDER: f64 = 1.0 + 1e-9;

impl Nearby {
    /// Where the pairs of `cut` are close together, among those that bins reach; none where nothing is gained.
    fn of(job: &PairJob<'_>, cut: &Cut, reach: Reach) -> Option<Self> {
        match cut {
            Cut::Theta(bins) => Self::directions(job, bins.reach().radius()),
            Cut::Rp {
                rp,
                los: LineOfSight::Fixed(axis),
            } => {
                let flat = |points: &Points| {
                    let mut columns = points.columns().map(Column::clone);
                    columns[axis.index()] = vec![0.0; points.len()].into();
                    Points::from_checked(columns)
                };
                let domain = match job.domain() {
                    Domain::Open => Domain::Open,
                    Domain::Periodic(cell) => {
                        let mut lengths = cell.lengths();
                        lengths[axis.index()] = None;
                        Domain::Periodic(PeriodicBox::new(lengths).ok()?)
                    }
                    Domain::Triclinic(_) => return None,
                };
                let (first, second) = job.pairs().samples();
                Some(Self {
                    first: flat(first.points()),
                    second: second.map(|sample| flat(sample.points())),
                    domain,
                    radius: rp.last() * WIDER,
                })
            }
            Cut::Rp { rp, .. } => {
                // Of two positions at the distances a <= b, an angle t apart, rp is a sin t at least: |d x (x1 + x2)| is 2 a b sin t
                // and |x1 + x2| at most 2 b, |d x x1| / |x1| is |x2| sin t. The rule's rp2 is off by some roundings of r2.
                let (first, second) = job.pairs().both();
                let nearest = [first, second]
                    .map(nearest)
                    .into_iter()
                    .fold(f64::INFINITY, f64::min);
                let r = reach.radius();
                let across2 = rp.last() * rp.last() + 1e-13 * r * r;
                let sine = (across2.sqrt() / nearest) * WIDER;
                // Beyond a right angle two positions are farther apart than bins reach.
                let acute = r < nearest;
                if !(acute && sine < 0.5) {
                    return None;
                }
                Self::directions(job, 2.0 * libm::sin(0.5 * libm::asin(sine)))
            }
            Cut::SameGroup | Cut::Listed(_) => None,
        }
    }

    fn directions(job: &PairJob<'_>, chord: f64) -> Option<Self> {
        let (first, second) = job.pairs().samples();
        let of = |sample: &Particles| sample.points().directions().ok();
        Some(Self {
            first: of(first)?,
            second: match second {
                Some(sample) => Some(of(sample)?),
                None => None,
            },
            domain: Domain::Open,
            radius: chord * WIDER + 1e-14,
        })
    }
}

/// The least distance of a sample's positions from the origin.
fn nearest(sample: &Particles) -> f64 {
    if sample.is_empty() {
        return f64::INFINITY;
    }
    sample.points().norms2()[0].sqrt()
}

/// The search for the pairs that one cut holds, and those before it do not.
struct OfCut<'a> {
    job: &'a PairJob<'a>,
    terms: &'a Terms<'a>,
    cut: usize,
    owners: Option<&'a dyn Owning>,
    progress: &'a dyn Progress,
    stopped: AtomicBool,
}

impl OfCut<'_> {
    fn stop(&self) -> bool {
        if self.progress.stop_requested() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Takes in the pair of rows `pair`, if it is in a bin and this cut is the first that holds it.
    fn add(&self, tally: &mut Tally, pair: [usize; 2]) {
        if self.owners.is_some_and(|owners| !owners.holds(pair)) {
            return;
        }
        let (first, second) = self.job.pairs().both();
        let (x1, x2) = (first.points().at(pair[0]), second.points().at(pair[1]));
        let sep = self.job.domain().separation(x1, x2);
        self.terms.add_held(tally, self.cut, pair, &sep);
    }

    /// Takes in two rows of an auto count, in as many orders as it holds, or the pair of a cross count.
    fn add_orders(&self, tally: &mut Tally, [i, j]: [usize; 2]) {
        self.add(tally, [i, j]);
        if self.is_auto() && self.terms.order() == PairOrder::Ordered {
            self.add(tally, [j, i]);
        }
    }

    fn is_auto(&self) -> bool {
        matches!(self.job.pairs(), Pairs::Auto(_))
    }

    fn merged(&self, tallies: impl ParallelIterator<Item = Tally>) -> Tally {
        tallies.reduce(
            || self.terms.empty(),
            |mut a, b| {
                a.merge(b);
                a
            },
        )
    }

    fn list(&self, list: &[[u32; 2]]) -> Tally {
        let auto = self.is_auto();
        let mut tally = self.terms.empty();
        for (at, &pair) in list.iter().enumerate() {
            if at.is_multiple_of(1 << 14) && self.stop() {
                break;
            }
            let [i, j] = pair;
            // A pair listed in both orders is one pair of an auto count.
            let again = auto && j < i && list.binary_search(&[j, i]).is_ok();
            if !(auto && i == j || again) {
                self.add_orders(&mut tally, pair.map(|row| row as usize));
            }
        }
        tally
    }

    fn groups(&self) -> Tally {
        let (first, second) = self.job.pairs().both();
        let rows_of = |sample: &Particles| {
            let mut groups: HashMap<u32, Vec<usize>> = HashMap::new();
            for (row, &group) in sample
                .groups()
                .map_or(&[][..], |g| g.values())
                .iter()
                .enumerate()
            {
                groups.entry(group).or_default().push(row);
            }
            groups
        };
        let groups = rows_of(first);
        let others = if self.is_auto() {
            None
        } else {
            Some(rows_of(second))
        };
        let tallies = groups.par_iter().fold(
            || self.terms.empty(),
            |mut tally, (group, rows)| {
                let partners = match &others {
                    None => Some(rows),
                    Some(others) => others.get(group),
                };
                for (at, &i) in rows.iter().enumerate() {
                    if self.stop() {
                        break;
                    }
                    let from = if others.is_none() { at + 1 } else { 0 };
                    for &j in partners.map_or(&[][..], |rows| &rows[from..]) {
                        self.add_orders(&mut tally, [i, j]);
                    }
                }
                tally
            },
        );
        self.merged(tallies)
    }

    fn spaces(&self, near: &Nearby) -> Result<Tally, EngineError> {
        let stop = || self.stop();
        let layout = |points: &Points| {
            let sorted = Sorted::new(points, None, &stop).ok_or(EngineError::Interrupted)?;
            let layout = Layout::new(&Arc::new(sorted), 1.0, &stop);
            layout.ok_or(EngineError::Interrupted)
        };
        let first = layout(&near.first)?;
        let second = near.second.as_ref().map(layout).transpose()?;
        let once = self.terms.order() == PairOrder::Unordered;
        let other = second.as_ref().unwrap_or(&first);
        let slack = 8.0 * roundings(&near.domain, &first.bounds, &other.bounds);
        let region = Region::new(Reach::Sphere(near.radius), slack);
        let walk = Walk::new(&first, second.as_ref(), once, &near.domain, region);
        let positions = [first.positions(), other.positions()];
        let meet = |tally: &mut Tally, blocks: BlockPair| {
            blocks.for_each_pair(&first, other, |i, j| {
                let (x1, x2) = (positions[0].at(i), positions[1].at(j));
                let (sep, image) = near.domain.separation_and_image(x1, x2);
                if sep.r2 <= near.radius * near.radius && image == blocks.translation.image {
                    self.add(tally, [first.row(i), other.row(j)].map(|row| row as usize));
                }
            });
        };
        let tallies = walk.units().into_par_iter().fold(
            || self.terms.empty(),
            |mut tally, unit| {
                walk.visit(unit, &mut |blocks| {
                    if !self.stop() {
                        meet(&mut tally, blocks);
                    }
                });
                tally
            },
        );
        Ok(self.merged(tallies))
    }
}
