//! Clouds and kept pairs of a round: leaves in reach of each other, hash first.
//!
//! Entry: [`visit`]. A pair is passed over when its mixed words do not reach what the bound of its expectation at the distance of the leaf asks for, before anything is
//! known of its separation; what is left is decided as [`super::SampleJob`] defines it.

use std::ops::Range;

use albireo::engine::Progress;
use albireo_simd::{Isa, Kernel, MOST_LANES, Simd};
use rayon::prelude::*;

use super::SampleJob;
use super::bound::{Bound, ShortBound};
use super::leaves::{LEAF, Leaf, Leaves, Space};
use super::points::RoundPoints;
use super::words::{FIRST, MEMBER, MULTIPLIERS, OWNER, SECOND, TURN};

/// The bit of a member of a cloud at which xi is below 0.
pub(super) const NEGATIVE: u32 = 1 << 31;

/// Clouds of the points of a tracer, one after the other: numbers of points of another, with the sign of xi.
#[derive(Debug, Clone, Default)]
pub(super) struct Clouds {
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Clouds {
    /// Where the cloud of an owner begins.
    #[inline(always)]
    pub(super) fn start(&self, owner: u32) -> usize {
        self.starts[owner as usize]
    }

    /// Reads the first register of a cloud, so that the caches have it when it is asked for.
    #[inline(always)]
    pub(super) fn touch(&self, start: usize) -> u32 {
        self.members[start] ^ self.members[start + MOST_LANES - 1]
    }

    /// The members of an owner's cloud and what follows them, more than a register; how many they are.
    #[inline(always)]
    pub(super) fn of(&self, owner: u32) -> (&[u32], usize) {
        let owner = owner as usize;
        let start = self.starts[owner];
        (&self.members[start..], self.starts[owner + 1] - start)
    }
}

#[cfg(feature = "cuda")]
impl Clouds {
    /// Where the cloud of each owner begins, and all members with room behind them.
    pub(super) fn on_device(&self) -> (Vec<u32>, &[u32]) {
        let starts = self.starts.iter().map(|&start| start as u32);
        (starts.collect(), &self.members)
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
    let of_cloud = Bound::new(table.cut(), |near, _| kappa * table.largest_from(near));
    let of_pairs =
        (owner <= member).then(|| Bound::of_pairs(&job.bins, &constants.rho[owner + member]));
    let bounds = |bound: Bound| Bounds {
        near: ShortBound::new(&bound, job.rule.unit()),
        far: bound,
        step: constants.weight_units[member],
    };
    let (of_cloud, of_pairs) = (bounds(of_cloud), of_pairs.map(bounds));
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
    clouds.members.resize(clouds.members.len() + MOST_LANES, 0);
    (clouds, pairs)
}

/// A leaf of owners and all leaves in reach.
struct Visiting<'a> {
    job: &'a SampleJob,
    sorted: &'a Sorted,
    tracers: (usize, usize),
    owners: &'a Leaf,
    of_cloud: &'a Bounds,
    of_pairs: Option<&'a Bounds>,
}

/// Bounds of expectations, of which weights of members are multiples of a step.
struct Bounds {
    /// From the distance of a leaf on.
    far: Bound,
    /// By the distance of a pair.
    near: ShortBound,
    step: f64,
}

/// Points of a leaf, with room for a register behind them.
const ROOM: usize = LEAF + MOST_LANES;

/// Numbers of points with their mixed words.
struct Candidates {
    points: [u32; ROOM],
    mixed: [u32; ROOM],
    len: usize,
}

/// The least word that brings an expectation up to this bound to 1; none where it is 0.
#[inline(always)]
fn least_word(bound: f64) -> Option<u32> {
    // Two units are more than what is rounded.
    (bound > 0.0).then(|| (((1.0 - bound) * TURN) as u32).saturating_sub(2))
}

impl Candidates {
    /// The points of a leaf whose words, mixed with that of an owner, are not below the least.
    #[inline(always)]
    fn passing<S: Simd>(
        simd: S,
        word: u32,
        words: &[u32],
        points: &Range<usize>,
        least: u32,
    ) -> Self {
        let (own, least) = (simd.splat_u(word), simd.splat_u(least));
        let (first, second) = (simd.splat_u(MULTIPLIERS[0]), simd.splat_u(MULTIPLIERS[1]));
        let mut found = Self {
            points: [0; ROOM],
            mixed: [0; ROOM],
            len: 0,
        };
        let mut some = [0; MOST_LANES];
        let mut at = points.start;
        while at < points.end {
            let mixed = simd.add_u(own, simd.load_u(&words[at..]));
            let mixed = simd.mul_u(simd.xor(mixed, simd.shift_right(mixed, 16)), first);
            let mixed = simd.mul_u(simd.xor(mixed, simd.shift_right(mixed, 15)), second);
            let mixed = simd.xor(mixed, simd.shift_right(mixed, 16));
            let left = (points.end - at).min(S::LANES) as u32;
            let bits = simd.mask_bits(simd.at_most_u(least, mixed)) & (u32::MAX >> (32 - left));
            if bits != 0 {
                let more = simd.store_lanes(bits, at as u32, &mut some);
                found.points[found.len..][..MOST_LANES].copy_from_slice(&some);
                simd.store_some_u(mixed, bits, &mut found.mixed[found.len..]);
                found.len += more;
            }
            at += S::LANES;
        }
        found
    }

    /// Leaves those whose distance from an owner gives them a chance; expectations are bounds times weights in steps and this factor.
    #[inline(always)]
    fn keep_likely<S: Simd>(
        &mut self,
        simd: S,
        job: &SampleJob,
        (owner, members): (&RoundPoints, &RoundPoints),
        i: usize,
        (bound, factor): (&ShortBound, f64),
    ) {
        // Words are halved, as integers of 31 bits become numbers.
        let factor = simd.splat((factor * 0.5 * TURN * (1.0 + 1e-5)) as f32);
        let [x, y, z, _] = owner.short[i].map(f32::from_bits);
        let own = [simd.splat(x), simd.splat(y), simd.splat(z)];
        let (mut at, mut len) = (0, 0);
        while at < self.len {
            let [x, y, z, steps] = simd.load_short_records(&members.short, &self.points[at..]);
            let other = [simd.floats(x), simd.floats(y), simd.floats(z)];
            let bound = bound.from(simd, job.rule.squares(simd, own, other));
            // A weight is at most half a step above its number of them.
            let steps = simd.to_float(simd.add_u(steps, simd.splat_u(1)));
            let expected = simd.mul(simd.mul(bound, factor), steps);
            let (points, mixed) = (
                simd.load_u(&self.points[at..]),
                simd.load_u(&self.mixed[at..]),
            );
            let lacking = simd.shift_right(simd.xor(mixed, simd.splat_u(u32::MAX)), 1);
            let out = simd.less(simd.add(expected, simd.splat(4.0)), simd.to_float(lacking));
            let left = (self.len - at).min(S::LANES) as u32;
            let bits = !simd.mask_bits(out) & (u32::MAX >> (32 - left));
            // What is kept stands before what is still to be looked at.
            let some = simd.store_some_u(points, bits, &mut self.points[len..]);
            simd.store_some_u(mixed, bits, &mut self.mixed[len..]);
            (at, len) = (at + S::LANES, len + some);
        }
        self.len = len;
    }
}

impl Kernel for Visiting<'_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Found {
        let (owners, space) = (&self.sorted.points[self.tracers.0], &self.sorted.space);
        let leaves = &self.sorted.leaves[self.tracers.1];
        let of_pairs = self.of_pairs.map_or(0.0, |bounds| bounds.far.reach2);
        let reach2 = of_pairs.max(self.of_cloud.far.reach2);
        let (mut found, mut near, mut gaps) = (Found::default(), vec![], vec![]);
        leaves.near(space, &self.owners.bounds, reach2, &mut near);
        let boxes = leaves.boxes(&near);
        for i in self.owners.points.clone() {
            let (start, weight) = (found.members.len(), owners.weights[i]);
            boxes.gaps2(space, owners.x[i], &mut gaps);
            for (&leaf, &gap2) in near.iter().zip(&gaps) {
                let leaf = &leaves.leaves[leaf];
                if let Some(least) = least_word(self.of_cloud.far.from(gap2) * leaf.heaviest) {
                    self.find_members(simd, i, leaf, least, &mut found);
                }
                if let Some(bounds) = self.of_pairs
                    && let Some(least) = least_word(bounds.far.from(gap2) * leaf.heaviest * weight)
                {
                    self.find_pairs(simd, (i, bounds), leaf, least, &mut found);
                }
            }
            found.sizes.push(found.members.len() - start);
        }
        found
    }
}

impl Visiting<'_> {
    /// The members of a leaf that are in the cloud of an owner.
    #[inline(always)]
    fn find_members<S: Simd>(&self, simd: S, i: usize, leaf: &Leaf, least: u32, found: &mut Found) {
        let (points, (owner, member)) = (&self.sorted.points, self.tracers);
        let (owners, members) = (&points[owner], &points[member]);
        let (own, words) = (owners.words[OWNER][i], &members.words[MEMBER]);
        let mut likely = Candidates::passing(simd, own, words, &leaf.points, least);
        let bound = (&self.of_cloud.near, self.of_cloud.step);
        likely.keep_likely(simd, self.job, (owners, members), i, bound);
        for &k in &likely.points[..likely.len] {
            let at = k as usize;
            if owner != member || at != i {
                let times = self.job.member(points, (owner, i), (member, at));
                let sign = if times < 0 { NEGATIVE } else { 0 };
                (0..times.abs()).for_each(|_| found.members.push(k | sign));
            }
        }
    }

    /// The pairs of a point and those of a leaf that are kept.
    #[inline(always)]
    fn find_pairs<S: Simd>(
        &self,
        simd: S,
        (i, bounds): (usize, &Bounds),
        leaf: &Leaf,
        least: u32,
        found: &mut Found,
    ) {
        let (points, (owner, member)) = (&self.sorted.points, self.tracers);
        let (firsts, seconds) = (&points[owner], &points[member]);
        let (own, words) = (firsts.words[FIRST][i], &seconds.words[SECOND]);
        let mut likely = Candidates::passing(simd, own, words, &leaf.points, least);
        let bound = (&bounds.near, bounds.step * firsts.weights[i]);
        likely.keep_likely(simd, self.job, (firsts, seconds), i, bound);
        for &j in &likely.points[..likely.len] {
            let at = j as usize;
            if owner != member || firsts.rows[i] < seconds.rows[at] {
                let kept = self.job.kept(points, (owner, i), (member, at));
                let (bin, times) = kept.unwrap_or_default();
                let (i, bin) = (i as u32, bin as u32);
                (0..times).for_each(|_| found.pairs.push(Kept { i, j, bin }));
            }
        }
    }
}
