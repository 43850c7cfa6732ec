//! Counts of frames as sums over blocks of them, which neither the order of the frames nor a break between them can change.
//!
//! Entry: [`FrameBlocks`]. Blocks become longer as frames become more, so that memory stays bounded.

use std::collections::BTreeMap;
use std::sync::Arc;

use albireo::Domain;
use albireo::error::CountsError;
use albireo::exact_sum::ExactSum;
use albireo::tally::{Merge, Tally};

use super::FrameTally;
use crate::values::times;

/// What is known of a frame beside its pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameFacts {
    /// Particles of each label.
    pub particles: Vec<u64>,
    /// For each class, pairs that are left out.
    pub excluded: Vec<u64>,
    /// The volume of the box; `None` where space is open.
    pub volume: Option<f64>,
    /// The box, where it is kept.
    pub domain: Option<Arc<Domain>>,
    /// What the frame counts for among others.
    pub weight: f64,
}

/// Frames by their places in a trajectory, and the sums of their pairs over blocks of equal length.
///
/// ```
/// use albireo_fluids::frames::{FrameBlocks, FrameTally};
/// use albireo::tally::Tally;
/// let mut blocks = FrameBlocks::new(4);
/// for place in [5, 0, 1, 2, 7, 3, 4, 6] {
///     let tally = Tally::of_one_table(vec![place, 1], vec![]);
///     let frame = FrameTally { number: place, tally, particles: vec![9], excluded: vec![0], volume: Some(1.0), domain: None, weight: 1.0, sums: vec![] };
///     blocks.add(place, frame)?;
/// }
/// // Eight frames are two to a block.
/// assert_eq!(blocks.length(), 2);
/// let sums: Vec<u64> = blocks.blocks().map(|(_, tally)| tally.pairs()[0]).collect();
/// assert_eq!(sums, [0 + 1, 2 + 3, 4 + 5, 6 + 7]);
/// assert_eq!(FrameBlocks::from_bytes(&blocks.to_bytes())?, blocks);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FrameBlocks {
    pub(super) most: usize,
    /// Frames of a block: a power of two.
    pub(super) length: u64,
    /// By number of the block: place / length.
    pub(super) blocks: BTreeMap<u64, Tally>,
    /// Of blocks with a frame of another weight w than 1, the exact sums of `w p - p` over the numbers p of pairs, as the tally has them.
    pub(super) reweighted: BTreeMap<u64, Vec<ExactSum>>,
    /// Exact sums of `w S` over the frames of each block, S the sums of values over pairs, each by class and bin.
    pub(super) sums: BTreeMap<u64, Vec<Vec<ExactSum>>>,
    /// Of each of these sums, how far a pair may move it by rounding: the most of any frame.
    pub(super) roundings: Vec<f64>,
    pub(super) frames: BTreeMap<u64, FrameFacts>,
    /// All pairs of all frames: no sum of some of them is more.
    pub(super) pairs: u128,
}

/// All pairs of a frame.
pub(super) fn pairs_of(particles: &[u64]) -> u128 {
    let n: u128 = particles.iter().map(|&n| u128::from(n)).sum();
    n * n.saturating_sub(1) / 2
}

/// The least weight of a frame, and the inverse of the largest: 2^-440.
const LEAST_WEIGHT: f64 = f64::from_bits((1023 - 440) << 52);

impl FrameBlocks {
    /// No frame yet; there will be at most `most` blocks, two at least.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(2),
            length: 1,
            blocks: BTreeMap::new(),
            reweighted: BTreeMap::new(),
            sums: BTreeMap::new(),
            roundings: vec![],
            frames: BTreeMap::new(),
            pairs: 0,
        }
    }

    /// No frame yet; blocks are of this length, 1 at least, however many they become.
    pub fn of_length(frames: u64) -> Self {
        Self {
            length: frames.max(1),
            ..Self::new(usize::MAX)
        }
    }

    /// The sum of the block that begins at `begin`.
    pub fn block(&self, begin: u64) -> Option<&Tally> {
        self.blocks.get(&(begin / self.length))
    }

    /// Of the block that begins at `begin`, what weights change of its numbers of pairs.
    pub(crate) fn reweighted(&self, begin: u64) -> Option<&[ExactSum]> {
        let sums = self.reweighted.get(&(begin / self.length));
        sums.map(Vec::as_slice)
    }

    /// Of the block that begins at `begin`, the sums of values over pairs by the weights of its frames: each by class and bin.
    pub(crate) fn sums(&self, begin: u64) -> &[Vec<ExactSum>] {
        let sums = self.sums.get(&(begin / self.length));
        sums.map_or(&[], Vec::as_slice)
    }

    /// How far a pair may move each sum of values by the rounding of its own: the most of any frame.
    pub fn roundings(&self) -> &[f64] {
        &self.roundings
    }

    /// Adds the frame at `place`, counted from 0. Numbers of pairs stay integers; weighted sums are exact beside them.
    ///
    /// # Errors
    /// A frame that is there already, one of other bins or classes than those before it, more pairs than 64 bits number, or a weight that is not positive
    /// or whose magnitude is beyond 2^±440.
    pub fn add(&mut self, place: u64, frame: FrameTally) -> Result<(), CountsError> {
        if self.frames.contains_key(&place) {
            return Err(CountsError::FrameTwice(place));
        }
        let other = self.blocks.values().next();
        if other.is_some_and(|other| !alike(other, &frame.tally)) {
            return Err(CountsError::OtherFrame(place));
        }
        if !(LEAST_WEIGHT..=1.0 / LEAST_WEIGHT).contains(&frame.weight) {
            return Err(CountsError::FrameWeight {
                frame: place,
                weight: frame.weight,
            });
        }
        self.pairs += pairs_of(&frame.particles);
        if self.pairs > u128::from(u64::MAX) {
            return Err(CountsError::FramePairs(place));
        }
        while place / self.length >= self.most as u64 {
            self.lengthen();
        }
        if !self.is_empty() && frame.sums.len() != self.roundings.len() {
            return Err(CountsError::OtherFrame(place));
        }
        self.reweigh(place / self.length, &frame);
        self.add_sums(place / self.length, &frame);
        self.add_to_block(place / self.length, frame.tally);
        let facts = FrameFacts {
            particles: frame.particles,
            excluded: frame.excluded,
            volume: frame.volume,
            domain: self.shared(place, frame.domain),
            weight: frame.weight,
        };
        self.frames.insert(place, facts);
        Ok(())
    }

    /// The box, held once where that of the frame before or after it is the same.
    pub(super) fn shared(&self, place: u64, domain: Option<Arc<Domain>>) -> Option<Arc<Domain>> {
        let before = self.frames.range(..place).next_back();
        let after = self.frames.range(place..).next();
        let mut beside = [before, after].into_iter().flatten();
        let same = beside.find(|(_, facts)| facts.domain == domain);
        same.map_or(domain, |(_, facts)| facts.domain.clone())
    }

    pub(super) fn add_to_block(&mut self, block: u64, tally: Tally) {
        match self.blocks.get_mut(&block) {
            Some(sum) => sum.merge(tally),
            None => {
                self.blocks.insert(block, tally);
            }
        }
    }

    fn reweigh(&mut self, block: u64, frame: &FrameTally) {
        if frame.weight == 1.0 {
            return;
        }
        let pairs = frame.tally.pairs();
        let sums = self.reweighted.entry(block).or_default();
        sums.resize(pairs.len(), ExactSum::default());
        for (sum, &p) in sums.iter_mut().zip(pairs).filter(|(_, p)| **p > 0) {
            sum.add_times(frame.weight, p);
            sum.add_times(-1.0, p);
        }
    }

    fn add_sums(&mut self, block: u64, frame: &FrameTally) {
        if frame.sums.is_empty() {
            return;
        }
        let weighted = |sum: &ExactSum| times(frame.weight, sum);
        let sums = frame.sums.iter();
        let sums = sums.map(|sum| sum.values.iter().map(weighted).collect());
        self.sums_to_block(block, sums.collect());
        self.widen(frame.sums.iter().map(|sum| sum.rounding));
    }

    /// Takes the larger of each rounding and another.
    pub(super) fn widen(&mut self, others: impl Iterator<Item = f64>) {
        for (at, other) in others.enumerate() {
            match self.roundings.get_mut(at) {
                Some(rounding) => *rounding = rounding.max(other),
                None => self.roundings.push(other),
            }
        }
    }

    /// Adds sums of other frames to those of a block.
    pub(super) fn sums_to_block(&mut self, block: u64, sums: Vec<Vec<ExactSum>>) {
        match self.sums.get_mut(&block) {
            None => {
                self.sums.insert(block, sums);
            }
            Some(all) => {
                let both = all.iter_mut().zip(&sums);
                for (sum, other) in both.flat_map(|(all, sums)| all.iter_mut().zip(sums)) {
                    sum.merge(other);
                }
            }
        }
    }

    /// Puts every two blocks together.
    pub(super) fn lengthen(&mut self) {
        self.length *= 2;
        for (block, sums) in std::mem::take(&mut self.reweighted) {
            let all = self.reweighted.entry(block / 2).or_default();
            all.resize(sums.len(), ExactSum::default());
            let both = all.iter_mut().zip(&sums);
            both.for_each(|(sum, other)| sum.merge(other));
        }
        for (block, sums) in std::mem::take(&mut self.sums) {
            self.sums_to_block(block / 2, sums);
        }
        for (block, tally) in std::mem::take(&mut self.blocks) {
            self.add_to_block(block / 2, tally);
        }
    }

    /// Whether the frame at `place` is there.
    pub fn contains(&self, place: u64) -> bool {
        self.frames.contains_key(&place)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Frames of a whole block.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The blocks in order: the place of the first frame that each may hold, and the sum of its frames' pairs.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, &Tally)> {
        let blocks = self.blocks.iter();
        blocks.map(|(&block, tally)| (block * self.length, tally))
    }

    /// The frames in order, by their places.
    pub fn frames(&self) -> impl Iterator<Item = (u64, &FrameFacts)> {
        self.frames.iter().map(|(&place, facts)| (place, facts))
    }

    /// The frames of the block that begins at `begin`.
    pub fn frames_of(&self, begin: u64) -> impl Iterator<Item = (u64, &FrameFacts)> {
        let frames = self.frames.range(begin..begin.saturating_add(self.length));
        frames.map(|(&place, facts)| (place, facts))
    }

    /// The pairs of all frames; `None` if there are none.
    pub fn total(&self) -> Option<Tally> {
        let mut blocks = self.blocks.values().cloned();
        let mut total = blocks.next()?;
        blocks.for_each(|block| total.merge(block));
        Some(total)
    }
}

pub(super) fn alike(one: &Tally, other: &Tally) -> bool {
    let shape = |tally: &Tally| (tally.n_bins(), tally.n_tables(), tally.n_sums());
    shape(one) == shape(other)
}

#[cfg(test)]
mod tests {
    use super::super::FrameSum;
    use albireo::{Lattice, PeriodicBox};

    use super::*;

    fn frame(place: u64) -> FrameTally {
        FrameTally {
            number: 10 * place,
            tally: Tally::of_one_table(vec![place, place * place, 7], vec![]),
            particles: vec![place + 2],
            excluded: vec![place % 3],
            volume: place.is_multiple_of(2).then_some(1.0 + place as f64),
            domain: domain(place).map(Arc::new),
            // Some frames of weight 1 among others.
            weight: [1.0, 0.1, 3.7, 1.0][place as usize % 4],
            sums: vec![FrameSum {
                values: (0..3).map(|bin| value(place, bin)).collect(),
                rounding: 1.0 / (1 + place % 5) as f64,
            }],
        }
    }

    /// Numbers of very different sizes, of two digits.
    fn value(place: u64, bin: u64) -> ExactSum {
        let x = 0.1 * (place as f64 - 3.0) * 1e30f64.powi(bin as i32);
        [x, 1e-20 * x].into_iter().collect()
    }

    /// Boxes of all kinds, two frames with the same in a row.
    fn domain(place: u64) -> Option<Domain> {
        let length = 1.0 + (place / 2) as f64;
        let skewed = [[length, 0.0, 0.0], [0.3, 1.0, 0.0], [0.1, -0.2, 2.0]];
        match place / 2 % 4 {
            0 => None,
            1 => Some(Domain::Open),
            2 => PeriodicBox::new([Some(length), None, Some(2.0)])
                .ok()
                .map(Domain::Periodic),
            _ => Lattice::new(skewed).ok().map(Domain::Triclinic),
        }
    }

    fn of(places: impl IntoIterator<Item = u64>, most: usize) -> FrameBlocks {
        let mut blocks = FrameBlocks::new(most);
        for place in places {
            blocks.add(place, frame(place)).unwrap();
        }
        blocks
    }

    #[test]
    fn order_does_not_matter() {
        for n in [1u64, 2, 3, 7, 8, 9, 64, 65, 1000] {
            for most in [2, 5, 16] {
                let forwards = of(0..n, most);
                assert_eq!(forwards, of((0..n).rev(), most));
                // 7 has no factor in common with these numbers but its own.
                let step = if n.is_multiple_of(7) { 3 } else { 7 };
                let mixed = of((0..n).map(|k| k * step % n), most);
                assert_eq!(forwards, mixed);
                assert!(forwards.blocks().count() <= most);
                let sum: u64 = (0..n).sum();
                assert_eq!(forwards.total().unwrap().pairs()[0], sum);
                let again = FrameBlocks::from_bytes(&forwards.to_bytes()).unwrap();
                assert_eq!(again, forwards);
                assert_eq!(forwards.to_bytes(), mixed.to_bytes());
                let weighted: ExactSum = forwards
                    .blocks()
                    .filter_map(|(begin, _)| forwards.reweighted(begin))
                    .flat_map(|sums| sums[1].digits())
                    .collect();
                let mut expected = ExactSum::default();
                for place in 0..n {
                    expected.add_times(frame(place).weight, place * place);
                    expected.add_times(-1.0, place * place);
                }
                assert_eq!(weighted, expected);
                let sums = forwards.blocks().map(|(begin, _)| forwards.sums(begin));
                let summed: ExactSum = sums.flat_map(|sums| sums[0][2].digits()).collect();
                let mut expected = ExactSum::default();
                for place in 0..n {
                    for digit in value(place, 2).digits() {
                        expected.add_product(frame(place).weight, digit);
                    }
                }
                assert_eq!(summed, expected);
                let most = (0..n).map(|k| 1.0 / (1 + k % 5) as f64).fold(0.0, f64::max);
                assert_eq!(forwards.roundings(), [most]);
                let held: usize = forwards
                    .blocks()
                    .map(|(b, _)| forwards.frames_of(b).count())
                    .sum();
                assert_eq!(held as u64, n);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut blocks = of(0..5, 8);
        assert_eq!(blocks.add(3, frame(3)), Err(CountsError::FrameTwice(3)));
        let other = FrameTally {
            tally: Tally::of_one_table(vec![1], vec![]),
            ..frame(9)
        };
        assert_eq!(blocks.add(9, other), Err(CountsError::OtherFrame(9)));
        let huge = FrameTally {
            particles: vec![1 << 33],
            ..frame(9)
        };
        assert_eq!(blocks.add(9, huge), Err(CountsError::FramePairs(9)));
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
            let light = FrameTally { weight, ..frame(9) };
            let refused = blocks.add(9, light);
            let named = matches!(refused, Err(CountsError::FrameWeight { frame: 9, .. }));
            assert!(named, "{weight}: {refused:?}");
        }
        let bytes = of(0..5, 8).to_bytes();
        for cut in 0..bytes.len() {
            assert!(FrameBlocks::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        let mut more = bytes.clone();
        more.push(0);
        assert!(FrameBlocks::from_bytes(&more).is_err());
    }
}
