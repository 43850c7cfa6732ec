//! Clouds and kept pairs of a round: leaves in reach of each other, hash first.
//!
//! Entry: [`visit`]. A pair is passed over when its mixed words do not reach what the bound of its expectation at the distance of the leaf asks for, before anything is
//! known of its separation; what is left is decided as [`super::SampleJob`] defines it.

use std::ops::Range;

use albireo::engine::Progress;
use albireo_simd::{Isa, Kernel, MOST_LANES, Simd};
use rayon::prelude::*;

use super::SampleJob;
use super::bound::Bound;
use super::leaves::{Bounds, Leaf, Leaves, Space};
use super::points::RoundPoints;
use super::words::{FIRST, MEMBER, MULTIPLIERS, OWNER, SECOND, TURN, mix32};

/// The bit of a member of a cloud at which xi is below 0.
pub(super) const NEGATIVE: u32 = 1 << 31;

/// Clouds of the points of a tracer, one after the other: numbers of points of another, with the sign of xi.
#[derive(Debug, Clone, Default)]
pub(super) struct Clouds {
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Clouds {
    pub(super) fn of(&self, owner: u32) -> &[u32] {
        let owner = owner as usize;
        &self.members[self.starts[owner]..self.starts[owner + 1]]
    }
}

/// A kept pair: its points and its bin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) i: u32,
    pub(super) j: u32,
    pub(super) bin: u32,
}

/// What a leaf of owners found.
#[derive(Default)]
struct Found {
    sizes: Vec<usize>,
    members: Vec<u32>,
    pairs: Vec<Kept>,
}

/// Points of all tracers in the order of their leaves, with words that registers may be read from up to the end.
pub(super) struct Sorted {
    pub(super) points: Vec<RoundPoints>,
    leaves: Vec<Leaves>,
    space: Space,
}

impl Sorted {
    pub(super) fn new(job: &SampleJob, points: &[RoundPoints]) -> Self {
        let sorted: Vec<_> = points.par_iter().map(Leaves::new).collect();
        let (mut points, leaves): (Vec<RoundPoints>, Vec<_>) = sorted.into_iter().unzip();
        for words in points.iter_mut().flat_map(|points| &mut points.words) {
            words.resize(words.len() + MOST_LANES, 0);
        }
        Self {
            points,
            leaves,
            space: Space::new(&job.domain),
        }
    }
}

/// The clouds of one tracer's points in another, and the kept pairs between them where `first <= second`; nothing once a stop is asked for.
pub(super) fn visit(
    (job, isa): (&SampleJob, Isa),
    sorted: &Sorted,
    (owner, member): (usize, usize),
    progress: &dyn Progress,
) -> (Clouds, Vec<Kept>) {
    let (constants, table) = (job.constants(), job.xi(owner, member));
    let kappa = constants.kappa[owner][member];
    let of_cloud = Bound::new(table.cut(), |s| kappa * table.largest_from(s));
    let of_pairs =
        (owner <= member).then(|| Bound::of_pairs(&job.bins, &constants.rho[owner + member]));
    let leaves = sorted.leaves[owner].leaves.par_iter();
    let found: Vec<Found> = leaves
        .map(|leaf| {
            if progress.stop_requested() {
                return Found::default();
            }
            isa.dispatch(Visiting {
                job,
                sorted,
                tracers: (owner, member),
                owners: leaf,
                of_cloud: &of_cloud,
                of_pairs: of_pairs.as_ref(),
            })
        })
        .collect();
    let mut clouds = Clouds {
        starts: vec![0],
        members: vec![],
    };
    let mut pairs = vec![];
    for found in found {
        let mut start = clouds.members.len();
        clouds.starts.extend(found.sizes.into_iter().map(|size| {
            start += size;
            start
        }));
        clouds.members.extend(found.members);
        pairs.extend(found.pairs);
    }
    (clouds, pairs)
}

/// A leaf of owners and all leaves in reach.
struct Visiting<'a> {
    job: &'a SampleJob,
    sorted: &'a Sorted,
    tracers: (usize, usize),
    owners: &'a Leaf,
    of_cloud: &'a Bound,
    of_pairs: Option<&'a Bound>,
}

/// The least word that brings an expectation up to this bound to 1; none where it is 0.
#[inline(always)]
fn least_word(bound: f64) -> Option<u32> {
    // Two units are more than what is rounded.
    (bound > 0.0).then(|| (((1.0 - bound) * TURN) as u32).saturating_sub(2))
}

/// The members whose words, mixed with that of an owner, are not below the least.
#[inline(always)]
fn passing<S: Simd>(
    simd: S,
    word: u32,
    words: &[u32],
    points: &Range<usize>,
    least: u32,
    to: &mut Vec<u32>,
) {
    to.clear();
    let (own, least) = (simd.splat_u(word), simd.splat_u(least));
    let multipliers = MULTIPLIERS.map(|m| simd.splat_u(m));
    for at in points.clone().step_by(S::LANES) {
        let mixed = simd.add_u(own, simd.load_u(&words[at..]));
        let mixed = simd.mul_u(simd.xor(mixed, simd.shift_right(mixed, 16)), multipliers[0]);
        let mixed = simd.mul_u(simd.xor(mixed, simd.shift_right(mixed, 15)), multipliers[1]);
        let mixed = simd.xor(mixed, simd.shift_right(mixed, 16));
        let left = (points.end - at).min(S::LANES) as u32;
        let mut bits = simd.mask_bits(simd.at_most_u(least, mixed)) & (u32::MAX >> (32 - left));
        while bits != 0 {
            to.push(at as u32 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

impl Kernel for Visiting<'_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Found {
        let (job, points, space) = (self.job, &self.sorted.points, &self.sorted.space);
        let (owner, member) = self.tracers;
        let (owners, members) = (&points[owner], &points[member]);
        let leaves = &self.sorted.leaves[member];
        let reach2 = self
            .of_pairs
            .map_or(0.0, |bound| bound.reach2)
            .max(self.of_cloud.reach2);
        let (mut found, mut near, mut candidates) = (Found::default(), vec![], vec![]);
        leaves.near(space, &self.owners.bounds, reach2, &mut near);
        // What is left of candidates by the distance of the pair.
        let may = |i: usize, k: usize, bound: &Bound, weight: f64, u: u32| {
            let r2 = job.domain.separation(owners.x[i], members.x[k]).r2;
            least_word(bound.at(r2) * weight).is_some_and(|least| u >= least)
        };
        for i in self.owners.points.clone() {
            let (start, x) = (found.members.len(), Bounds::of(owners.x[i]));
            for &leaf in &near {
                let leaf = &leaves.leaves[leaf];
                let gap2 = space.gap2(&x, &leaf.bounds);
                if let Some(least) = least_word(self.of_cloud.at(gap2) * leaf.heaviest) {
                    let (own, words) = (owners.words[OWNER][i], &members.words[MEMBER]);
                    passing(simd, own, words, &leaf.points, least, &mut candidates);
                    for &k in &candidates {
                        let at = k as usize;
                        let u = mix32(own.wrapping_add(words[at]));
                        if owner == member && at == i
                            || !may(i, at, self.of_cloud, members.weights[at], u)
                        {
                            continue;
                        }
                        let times = job.member(points, (owner, i), (member, at));
                        let sign = if times < 0 { NEGATIVE } else { 0 };
                        (0..times.abs()).for_each(|_| found.members.push(k | sign));
                    }
                }
                let Some(bound) = self.of_pairs else { continue };
                let weight = owners.weights[i];
                if let Some(least) = least_word(bound.at(gap2) * leaf.heaviest * weight) {
                    let (own, words) = (owners.words[FIRST][i], &members.words[SECOND]);
                    passing(simd, own, words, &leaf.points, least, &mut candidates);
                    for &j in &candidates {
                        let kept = job.kept(points, (owner, i), (member, j as usize));
                        let (i, (bin, times)) = (i as u32, kept.unwrap_or_default());
                        let bin = bin as u32;
                        (0..times).for_each(|_| found.pairs.push(Kept { i, j, bin }));
                    }
                }
            }
            found.sizes.push(found.members.len() - start);
        }
        found
    }
}
