//! Clouds of the ends of kept pairs, column by column, as tiles are made of them.
//!
//! Entry: [`Tile`], of a [`Round`].

use albireo_simd::{MOST_LANES, Simd};

use super::points::RoundPoints;
use super::rule::Rule;
use super::visits::{Clouds, Kept, NEGATIVE};

/// Points, clouds and bins of a round.
pub(super) struct Round<'a> {
    pub(super) rule: &'a Rule,
    pub(super) bins: usize,
    pub(super) points: &'a [RoundPoints],
    /// For each owner, for each member.
    pub(super) clouds: &'a [Vec<Clouds>],
    /// The share of each region in each bin, with room for those that lie in none; none without regions.
    pub(super) shares: Option<&'a [Vec<i32>]>,
}

/// What is known of a kept pair: the clouds of both ends, and where they are, with their weights in steps.
#[derive(Default)]
pub(super) struct Tile {
    pub(super) near: [List; 2],
    pub(super) ends: [([f32; 3], u32); 2],
    /// The regions of both ends.
    pub(super) regions: [u32; 2],
}

/// Members of a cloud column by column, in whole registers.
#[derive(Default)]
pub(super) struct List {
    pub(super) len: usize,
    /// Members that count.
    pub(super) counted: u64,
    pub(super) numbers: Vec<u32>,
    pub(super) x: [Vec<f32>; 3],
    /// 1 or -1, and 0 for the one that is left out.
    pub(super) signs: Vec<u32>,
    /// How many ends of the pair have a member's region.
    pub(super) equal: Vec<u32>,
}

impl List {
    /// Takes all members; `without` counts for nothing.
    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        simd: S,
        points: &RoundPoints,
        cloud: (&[u32], usize),
        without: Option<u32>,
    ) {
        let (members, len) = cloud;
        if self.numbers.len() < len + MOST_LANES {
            let room = 2 * len + MOST_LANES;
            self.numbers.resize(room, 0);
            self.signs.resize(room, 0);
            self.equal.resize(room, 0);
            self.x.iter_mut().for_each(|x| x.resize(room, 0.0));
        }
        self.len = len;
        let mut left_out = 0;
        let (number_bits, one) = (simd.splat_u(!NEGATIVE), simd.splat_u(1));
        let [x, y, z] = &mut self.x;
        let mut at = 0;
        while at < len {
            let member = simd.load_u(&members[at..]);
            let number = simd.and(member, number_bits);
            // 1, or 1 - 2.
            let minus = simd.shift_left(simd.shift_right(member, 31), 1);
            let mut sign = simd.sub_u(one, minus);
            if let Some(without) = without {
                let same = simd.equal_u(number, simd.splat_u(without));
                sign = simd.and(sign, simd.xor(same, simd.splat_u(u32::MAX)));
                let inside = u32::MAX >> (32 - (len - at).min(S::LANES));
                left_out += (simd.mask_bits(same) & inside).count_ones();
            }
            simd.store_u(number, &mut self.numbers[at..]);
            simd.store_u(sign, &mut self.signs[at..]);
            let [px, py, pz, _] = simd.load_short_records(&points.short, &self.numbers[at..]);
            simd.store(simd.floats(px), &mut x[at..]);
            simd.store(simd.floats(py), &mut y[at..]);
            simd.store(simd.floats(pz), &mut z[at..]);
            at += S::LANES;
        }
        self.counted = len as u64 - u64::from(left_out);
    }

    /// Writes the first members behind the last ones, where there is a register of them.
    #[inline(always)]
    fn go_round<S: Simd>(&mut self, simd: S) {
        if self.len < S::LANES {
            return;
        }
        for x in &mut self.x {
            simd.store(simd.load(x), &mut x[self.len..]);
        }
        for words in [&mut self.numbers, &mut self.signs] {
            simd.store_u(simd.load_u(words), &mut words[self.len..]);
        }
    }

    /// Compares the region of each member with those of both ends.
    #[inline(always)]
    fn compare<S: Simd>(&mut self, simd: S, regions: &[u32], [i, j]: [u32; 2]) {
        let (i, j) = (simd.splat_u(i), simd.splat_u(j));
        let mut at = 0;
        while at < self.len {
            let region = simd.gather(regions, simd.load_u(&self.numbers[at..]));
            // A mask is -1.
            let both = simd.add_u(simd.equal_u(region, i), simd.equal_u(region, j));
            simd.store_u(simd.sub_u(simd.splat_u(0), both), &mut self.equal[at..]);
            at += S::LANES;
        }
    }
}

impl Tile {
    #[inline(always)]
    pub(super) fn fill<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        (first, second): (usize, usize),
        members: (usize, usize),
        Kept { i, j, .. }: Kept,
    ) {
        let [near_i, near_j] = &mut self.near;
        let clouds = (
            &round.clouds[first][members.0],
            &round.clouds[second][members.1],
        );
        let others = (
            (members.0 == second).then_some(j),
            (members.1 == first).then_some(i),
        );
        near_i.fill(simd, &round.points[members.0], clouds.0.of(i), others.0);
        near_j.fill(simd, &round.points[members.1], clouds.1.of(j), others.1);
        near_i.go_round(simd);
        near_j.go_round(simd);
        self.ends = [round.points[first].end(i), round.points[second].end(j)];
        if round.shares.is_some() {
            let regions = &round.points[0].regions;
            self.regions = [regions[i as usize], regions[j as usize]];
            near_i.compare(simd, regions, self.regions);
            near_j.compare(simd, regions, self.regions);
        }
    }
}
