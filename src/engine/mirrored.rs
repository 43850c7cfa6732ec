//! Auto counts in bins that mirror at 0 along the line of sight: each pair is looked at in one order.
//!
//! Entry: [`in_one_order`]. The two orders of a pair differ in the sign of mu or pi alone and lie in bins that mirror one another: what
//! bins of |mu| or |pi| hold lies in both. Pairs without a sign lie in the bin above 0 in both orders; they are found by themselves.

use albireo_simd::fixed_point::power_of_two;
use rayon::prelude::*;

use super::owners::Owning;
use crate::binning::{Bins, LineOfSight, PairOrder};
use crate::domain::Domain;
use crate::error::{EngineError, JobError};
use crate::exactness::Exactness;
use crate::pairs::{PairJob, Pairs};
use crate::particles::Points;
use crate::pool;
use crate::separation::norm2;
use crate::tally::{Classes, CountSpec, Legendre, Merge, Sum, Tally, Terms};

/// Pairs a particle that may lack a sign; where there are more, both orders are counted.
const MOST_CANDIDATES: usize = 16;
/// As many as this are soon looked at, be there ever so few particles.
const FEW_PARTICLES: usize = 4096;

/// Counts `what` of a job by `count`: where its bins mirror, what `count` makes of them folded.
///
/// # Errors
/// A job for which `what` is not defined; those of `count`.
pub(super) fn in_one_order<R>(
    job: &PairJob<'_>,
    what: &CountSpec,
    exactness: Exactness,
    count: impl FnOnce(&CountSpec) -> Result<(Tally, R), EngineError>,
) -> Result<(Tally, R), EngineError> {
    let Some(one) = InOneOrder::of(job, what, exactness)? else {
        return count(what);
    };
    let (once, report) = count(one.what())?;
    Ok((one.in_both(job, what, None, &once)?, report))
}

/// A count in both orders that is made of one.
#[derive(Debug)]
pub(super) struct InOneOrder {
    folded: CountSpec,
    mirror: Mirror,
    /// Pairs of rows that may have no sign.
    rows: Vec<[usize; 2]>,
}

impl InOneOrder {
    /// How `what` is made; none where both orders are counted.
    ///
    /// # Errors
    /// A job for which `what` is not defined.
    pub(super) fn of(
        job: &PairJob<'_>,
        what: &CountSpec,
        exactness: Exactness,
    ) -> Result<Option<Self>, JobError> {
        // What is approximate may have put pairs without a sign elsewhere, where they cannot be taken off.
        let exact = exactness == Exactness::Exact;
        let Some((bins, mirror)) = exact.then(|| mirrored(job, what)).flatten() else {
            return Ok(None);
        };
        what.admit(job)?;
        let rows = if mirror.splits_zero() {
            let find = || candidates(job, what.bins());
            pool::run(find, find)
        } else {
            Some(vec![])
        };
        let of_rows = |rows| Self {
            folded: what.clone().in_bins(bins),
            mirror,
            rows,
        };
        Ok(rows.map(of_rows))
    }

    /// Whether some pairs are looked at by themselves.
    #[cfg(feature = "cuda")]
    pub(super) fn looks_at_pairs(&self) -> bool {
        !self.rows.is_empty()
    }

    /// What is counted in one order.
    pub(super) fn what(&self) -> &CountSpec {
        &self.folded
    }

    /// `what` in both orders, from one; with `owners` of the pairs that they take.
    ///
    /// # Errors
    /// A job for which `what` is not defined.
    pub(super) fn in_both(
        &self,
        job: &PairJob<'_>,
        what: &CountSpec,
        owners: Option<&dyn Owning>,
        once: &Tally,
    ) -> Result<Tally, JobError> {
        let mut tally = self.mirror.unfolded(once);
        let taken = |pair: &&[usize; 2]| owners.is_none_or(|owners| owners.holds(**pair));
        let rows: Vec<[usize; 2]> = self.rows.iter().filter(taken).copied().collect();
        if !rows.is_empty() {
            let twice = without_sign(job, what, &rows)?;
            tally.take_off(&self.mirror.other_side(&twice));
            tally.merge(twice);
        }
        Ok(tally)
    }
}

/// The bins of |mu| or |pi| that say it all, and how.
fn mirrored(job: &PairJob<'_>, what: &CountSpec) -> Option<(Bins, Mirror)> {
    let both_orders = what.order() == PairOrder::Ordered;
    let auto = matches!(job.pairs(), Pairs::Auto(_));
    let of_one_class = what.classes() == Classes::One && what.realisations().is_none();
    // A skewed box and bins beyond half a box have rules of their own for the image of a pair.
    let plain = !matches!(job.domain(), Domain::Triclinic(_)) && !what.reaches_beyond(job.domain());
    if !(both_orders && auto && of_one_class && plain && are_even(what)) {
        return None;
    }
    let bins = what.bins().folded()?;
    let along = |bins: &Bins| bins.shape().last().copied();
    let mirror = Mirror {
        along: along(what.bins())?,
        folded: along(&bins)?,
    };
    Some((bins, mirror))
}

/// Whether both orders of a pair add the same, and are cut alike.
fn are_even(what: &CountSpec) -> bool {
    let even = |sum: &Sum| {
        !matches!(sum, Sum::Term(_))
            && sum.expression().is_none()
            && !sum.legendre().is_some_and(Legendre::is_odd)
    };
    let mut cuts = what.cuts().iter();
    what.sums().iter().all(even) && cuts.all(|cut| cut.sight_of_order().is_none())
}

/// Bins along the line of sight that mirror at 0, and what is left of them without a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mirror {
    along: usize,
    folded: usize,
}

impl Mirror {
    /// Whether 0 is an edge, so that a pair without a sign lies on one side of it.
    fn splits_zero(self) -> bool {
        self.along.is_multiple_of(2)
    }

    /// The folded bin of a bin, and how often that holds what it holds.
    fn fold(self, bin: usize) -> (usize, u64) {
        let (row, k) = (bin / self.along, bin % self.along);
        let other = self.along - 1 - k;
        let from_middle = k.max(other) - self.along / 2;
        let times = if k == other { 2 } else { 1 };
        (row * self.folded + from_middle, times)
    }

    /// The tally of both orders, from one of each pair in folded bins.
    fn unfolded(self, once: &Tally) -> Tally {
        let n_bins = once.n_bins() / self.folded * self.along;
        once.in_other_bins(n_bins, |bin| self.fold(bin))
    }

    /// The same tally with its bins mirrored.
    fn other_side(self, tally: &Tally) -> Tally {
        let mirrored =
            |bin: usize| (bin / self.along * self.along) + self.along - 1 - bin % self.along;
        tally.in_other_bins(tally.n_bins(), |bin| (mirrored(bin), 1))
    }
}

/// Pairs of rows that may lie in the same bin in both orders; none where there are too many to look at.
///
/// Along a fixed axis they have the same coordinate. Seen from an observer, `d.l` is the difference of squared distances within
/// 5 roundings of |d||l|, so that where it is 0 the distances differ by as many of |d|; where a square underflows to 0, by less than
/// 2^-500. The distances found here are off by three roundings.
fn candidates(job: &PairJob<'_>, bins: &Bins) -> Option<Vec<[usize; 2]>> {
    const TINY: f64 = power_of_two(-499);
    let points = job.pairs().both().0.points();
    let los = bins.line_of_sight()?;
    let along = places(points, los);
    let most = along
        .par_iter()
        .fold(|| 0.0, |most: f64, at| most.max(at.abs()));
    let most = most.reduce(|| 0.0, f64::max);
    let width = match los {
        LineOfSight::Fixed(_) => TINY,
        _ => (bins.reach().radius() + most) * f64::EPSILON * 16.0 + TINY,
    };
    let mut sorted = along.clone();
    sorted.par_sort_unstable_by(f64::total_cmp);
    if sorted.par_windows(2).all(|pair| pair[1] - pair[0] > width) {
        return Some(vec![]);
    }
    let mut rows: Vec<u32> = (0..along.len() as u32).collect();
    rows.par_sort_unstable_by(|&a, &b| along[a as usize].total_cmp(&along[b as usize]));
    let mut found = vec![];
    for (at, &row) in rows.iter().enumerate() {
        let near = |other: &&u32| along[**other as usize] - along[row as usize] <= width;
        found.extend(
            rows[at + 1..]
                .iter()
                .take_while(near)
                .map(|&other| [row as usize, other as usize]),
        );
        if found.len() > MOST_CANDIDATES * rows.len().max(FEW_PARTICLES) {
            return None;
        }
    }
    Some(found)
}

/// How far along the line of sight each row lies.
fn places(points: &Points, los: LineOfSight) -> Vec<f64> {
    let view = points.view();
    match los {
        LineOfSight::Fixed(axis) => pool::each(points.len(), |row| view.at(row)[axis.index()]),
        _ => pool::each(points.len(), |row| norm2(view.at(row)).sqrt()),
    }
}

/// One order of each of these pairs that lies in one bin in both.
fn without_sign(
    job: &PairJob<'_>,
    what: &CountSpec,
    rows: &[[usize; 2]],
) -> Result<Tally, JobError> {
    let terms = Terms::new(what, job.pairs())?;
    let points = job.pairs().both().0.points().view();
    let mut tally = terms.empty();
    for &[i, j] in rows {
        let [there, back] =
            [[i, j], [j, i]].map(|[i, j]| job.domain().separation(points.at(i), points.at(j)));
        if what.bins().bin(&there) == what.bins().bin(&back) {
            terms.add(&mut tally, [i, j], &there);
        }
    }
    Ok(tally)
}
