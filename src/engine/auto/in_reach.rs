//! How many pairs of a job are there to look at?
//!
//! Entries: [`tested`], of a share in reach that [`even_share`] reckons and [`tried_share`] tries.

use crate::binning::{Bins, PairOrder, Reach};
use crate::domain::Domain;
use crate::pairs::{PairJob, Pairs};
use crate::particles::Particles;
use crate::tally::CountSpec;

/// Particles in the blocks or cells that are in reach or not as a whole.
const LEAF: f64 = 16.0;
/// Rows of the two samples that are tried to find the share of pairs within reach: milliseconds of work, in triclinic boxes too.
const TRIED: [usize; 2] = [256, 1024];
const TRIED_TRICLINIC: [usize; 2] = [64, 256];
/// Pairs in reach that are worth them all: where there are likely to be fewer, fewer are tried, down to a quarter of the rows.
const WORTH: f64 = 1e9;
/// The finds below which they say too little.
const ENOUGH: usize = 30;

/// The volume that particles are in: of the domain, or of their bounding box where it is open.
fn volume(job: &PairJob<'_>) -> f64 {
    let lengths = match job.domain() {
        Domain::Triclinic(lattice) => return lattice.volume(),
        Domain::Periodic(cell) => cell.lengths(),
        Domain::Open => [None; 3],
    };
    let (first, second) = job.pairs().samples();
    let samples = [Some(first), second];
    let extent = |axis: usize| {
        let extremes = samples.into_iter().flatten();
        let extremes = extremes.map(|sample: &Particles| sample.points().extremes());
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = extremes.fold(none, |(low, high), extremes| {
            (low.min(extremes.lo[axis]), high.max(extremes.hi[axis]))
        });
        (high - low).max(0.0)
    };
    (0..3)
        .map(|axis| lengths[axis].unwrap_or_else(|| extent(axis)))
        .product()
}

/// The share of pairs within reach, if the particles fill their volume or the sphere evenly.
pub(super) fn even_share(job: &PairJob<'_>, binning: &Bins) -> f64 {
    if binning.on_sphere() {
        return (binning.reach().radius() / 2.0).powi(2);
    }
    let pi = std::f64::consts::PI;
    let reach = match binning.reach() {
        Reach::Sphere(radius) => 4.0 / 3.0 * pi * radius.powi(3),
        Reach::Cylinder { across, along, .. } => pi * across * across * 2.0 * along,
    };
    let share = reach / volume(job);
    // Nothing in an empty volume: every pair.
    if share.is_nan() { 1.0 } else { share.min(1.0) }
}

/// Rows spread over `n`, the same ones every time.
fn tried_rows(n: usize, most: usize) -> impl Iterator<Item = usize> {
    let spread = move |k: usize| (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % n as u64;
    (0..most.min(n)).map(move |k| if n <= most { k } else { spread(k) as usize })
}

/// The share of pairs within reach, by trying some: surveys and clumps fill their volume unevenly.
pub(super) fn tried_share(job: &PairJob<'_>, binning: &Bins) -> f64 {
    let (first, second) = job.pairs().both();
    let auto = matches!(job.pairs(), Pairs::Auto(_));
    let (points, others) = (first.points().view(), second.points().view());
    let inside = |i: usize, j: usize| {
        let (x1, x2) = (points.at(i), others.at(j));
        let sep = job.domain().separation(x1, x2);
        match binning.reach() {
            Reach::Sphere(radius) => sep.r2 < radius * radius,
            Reach::Cylinder {
                axis,
                across,
                along,
            } => {
                let along2 = sep.d[axis.index()].powi(2);
                along2 < along * along && sep.r2 - along2 < across * across
            }
        }
    };
    let most = match job.domain() {
        Domain::Triclinic(_) => TRIED_TRICLINIC,
        Domain::Open | Domain::Periodic(_) => TRIED,
    };
    let likely = job.n_pairs() as f64 * even_share(job, binning);
    let part = (likely / WORTH).sqrt().clamp(0.25, 1.0);
    let most = most.map(|rows| (rows as f64 * part) as usize);
    let (mut tried, mut found) = (0_u32, 0_usize);
    for i in tried_rows(first.len(), most[0]) {
        for j in tried_rows(second.len(), most[1]) {
            if !(auto && i == j) {
                tried += 1;
                found += usize::from(inside(i, j));
            }
        }
    }
    let share = found as f64 / f64::max(f64::from(tried), 1.0);
    let least = if found < ENOUGH {
        even_share(job, binning)
    } else {
        0.0
    };
    share.max(least)
}

/// Pairs that an engine has to look at, of which a `share` is within reach.
pub(super) fn tested(job: &PairJob<'_>, what: &CountSpec, share: f64) -> f64 {
    let binning = what.bins();
    let (first, second) = job.pairs().both();
    let densest = first.len().max(second.len()) as f64;
    // How many leaves the reach is long: what is in reach of a leaf is a leaf longer than what is in reach of a particle.
    let leaves = if binning.on_sphere() {
        (4.0 * densest * share / LEAF).sqrt()
    } else {
        (densest * share / (4.0 / 3.0 * std::f64::consts::PI) / LEAF).cbrt()
    };
    let share = (share * (1.0 + 1.0 / leaves).powi(3)).min(1.0);
    let share = if share.is_nan() { 1.0 } else { share };
    job.n_pairs() as f64 * share * orders(job, what)
}

/// How often each pair is looked at.
pub(super) fn orders(job: &PairJob<'_>, what: &CountSpec) -> f64 {
    let auto = matches!(job.pairs(), Pairs::Auto(_));
    let folds = what.program().is_none() && what.bins().folded().is_some();
    let both = auto && what.order() == PairOrder::Ordered && !folds;
    if both { 2.0 } else { 1.0 }
}
