//! Counts of frames as sums over blocks of them, which neither the order of the frames nor a break between them can change.
//!
//! Entry: [`FrameBlocks`]. Blocks become longer as frames become more, so that memory stays bounded.

use std::collections::BTreeMap;
use std::sync::Arc;

use albireo::error::TallyError;
use albireo::exact_sum::ExactSum;
use albireo::tally::{Merge, Tally};
use albireo::{Domain, Lattice, PeriodicBox};

use super::FrameTally;

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
///     let frame = FrameTally { number: place, tally, particles: vec![9], excluded: vec![0], volume: Some(1.0), domain: None, weight: 1.0 };
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
    pub(super) frames: BTreeMap<u64, FrameFacts>,
    /// All pairs of all frames: no sum of some of them is more.
    pub(super) pairs: u128,
}

/// All pairs of a frame.
fn pairs_of(particles: &[u64]) -> u128 {
    let n: u128 = particles.iter().map(|&n| u128::from(n)).sum();
    n * n.saturating_sub(1) / 2
}

const MAGIC: &[u8; 8] = b"albfrms3";
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

    /// Adds the frame at `place`, counted from 0. Numbers of pairs stay integers; weighted sums are exact beside them.
    ///
    /// # Errors
    /// A frame that is there already, one of other bins or classes than those before it, more pairs than 64 bits number, or a weight that is not positive
    /// or whose magnitude is beyond 2^±440.
    pub fn add(&mut self, place: u64, frame: FrameTally) -> Result<(), TallyError> {
        if self.frames.contains_key(&place) {
            return Err(TallyError::FrameTwice(place));
        }
        let other = self.blocks.values().next();
        if other.is_some_and(|other| !alike(other, &frame.tally)) {
            return Err(TallyError::OtherFrame(place));
        }
        if !(LEAST_WEIGHT..=1.0 / LEAST_WEIGHT).contains(&frame.weight) {
            return Err(TallyError::FrameWeight {
                frame: place,
                weight: frame.weight,
            });
        }
        self.pairs += pairs_of(&frame.particles);
        if self.pairs > u128::from(u64::MAX) {
            return Err(TallyError::FramePairs(place));
        }
        while place / self.length >= self.most as u64 {
            self.lengthen();
        }
        self.reweigh(place / self.length, &frame);
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

    /// Puts every two blocks together.
    pub(super) fn lengthen(&mut self) {
        self.length *= 2;
        for (block, sums) in std::mem::take(&mut self.reweighted) {
            let all = self.reweighted.entry(block / 2).or_default();
            all.resize(sums.len(), ExactSum::default());
            let both = all.iter_mut().zip(&sums);
            both.for_each(|(sum, other)| sum.merge(other));
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

    /// Exact bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut put = |value: u64| bytes.extend(value.to_le_bytes());
        put(self.most as u64);
        put(self.length);
        put(self.blocks.len() as u64);
        put(self.frames.len() as u64);
        for (&place, facts) in &self.frames {
            put(place);
            put(u64::from(facts.volume.is_some()));
            put(facts.volume.unwrap_or(0.0).to_bits());
            put(facts.weight.to_bits());
            for list in [&facts.particles, &facts.excluded] {
                put(list.len() as u64);
                for &value in list {
                    put(value);
                }
            }
            put_domain(facts.domain.as_deref(), &mut put);
        }
        for (block, tally) in &self.blocks {
            let tally = tally.to_bytes();
            bytes.extend(block.to_le_bytes());
            bytes.extend((tally.len() as u64).to_le_bytes());
            bytes.extend(tally);
            let sums = self.reweighted.get(block).map_or(&[][..], Vec::as_slice);
            bytes.extend((sums.len() as u64).to_le_bytes());
            for digits in sums.iter().map(ExactSum::digits) {
                bytes.extend((digits.len() as u64).to_le_bytes());
                bytes.extend(digits.iter().flat_map(|digit| digit.to_le_bytes()));
            }
        }
        bytes
    }

    /// The blocks of [`FrameBlocks::to_bytes`].
    ///
    /// # Errors
    /// Other bytes, or not all of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TallyError> {
        let mut bytes = Bytes(bytes.strip_prefix(MAGIC).ok_or(TallyError::NotATally)?);
        let mut all = Self::new(bytes.number()? as usize);
        all.length = bytes.number()?;
        let [blocks, frames] = [bytes.number()?, bytes.number()?];
        if all.length == 0 || (all.most < usize::MAX && !all.length.is_power_of_two()) {
            return Err(TallyError::NotATally);
        }
        for _ in 0..frames {
            let place = bytes.number()?;
            let [known, volume, weight] = [bytes.number()?, bytes.number()?, bytes.number()?];
            let facts = FrameFacts {
                volume: (known == 1).then(|| f64::from_bits(volume)),
                weight: f64::from_bits(weight),
                particles: bytes.list()?,
                excluded: bytes.list()?,
                domain: all.shared(place, bytes.domain()?),
            };
            all.pairs += pairs_of(&facts.particles);
            all.frames.insert(place, facts);
        }
        for _ in 0..blocks {
            let block = bytes.number()?;
            let length = bytes.number()? as usize;
            all.blocks
                .insert(block, Tally::from_bytes(bytes.take(length)?)?);
            let sums: Vec<ExactSum> = bytes.sums()?;
            if !sums.is_empty() {
                all.reweighted.insert(block, sums);
            }
        }
        if bytes.0.is_empty() {
            Ok(all)
        } else {
            Err(TallyError::NotATally)
        }
    }
}

/// A box as what it was made of: nothing, lengths along the axes (0 of open ones) or three vectors.
fn put_domain(domain: Option<&Domain>, put: &mut impl FnMut(u64)) {
    let mut all = |kind: u64, numbers: &[f64]| {
        put(kind);
        for x in numbers {
            put(x.to_bits());
        }
    };
    match domain {
        None => all(0, &[]),
        Some(Domain::Open) => all(1, &[]),
        Some(Domain::Periodic(cell)) => all(2, &cell.lengths().map(|length| length.unwrap_or(0.0))),
        Some(Domain::Triclinic(lattice)) => all(3, lattice.vectors().as_flattened()),
    }
}

pub(super) fn alike(one: &Tally, other: &Tally) -> bool {
    let shape = |tally: &Tally| (tally.n_bins(), tally.n_tables(), tally.n_sums());
    shape(one) == shape(other)
}

/// Bytes that are taken from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], TallyError> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(TallyError::NotATally)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, TallyError> {
        let bytes = self.take(8)?.try_into();
        Ok(u64::from_le_bytes(
            bytes.map_err(|_| TallyError::NotATally)?,
        ))
    }

    fn real(&mut self) -> Result<f64, TallyError> {
        self.number().map(f64::from_bits)
    }

    /// What [`put_domain`] has put.
    fn domain(&mut self) -> Result<Option<Arc<Domain>>, TallyError> {
        let damaged = |_| TallyError::NotATally;
        let domain = match self.number()? {
            0 => return Ok(None),
            1 => Domain::Open,
            2 => {
                let lengths = [self.real()?, self.real()?, self.real()?];
                let lengths = lengths.map(|length| (length != 0.0).then_some(length));
                Domain::Periodic(PeriodicBox::new(lengths).map_err(damaged)?)
            }
            3 => {
                let mut vectors = [[0.0; 3]; 3];
                for component in vectors.as_flattened_mut() {
                    *component = self.real()?;
                }
                Domain::Triclinic(Lattice::new(vectors).map_err(damaged)?)
            }
            _ => return Err(TallyError::NotATally),
        };
        Ok(Some(Arc::new(domain)))
    }

    fn list(&mut self) -> Result<Vec<u64>, TallyError> {
        let n = self.number()? as usize;
        if n > self.0.len() / 8 {
            return Err(TallyError::NotATally);
        }
        (0..n).map(|_| self.number()).collect()
    }

    fn sums(&mut self) -> Result<Vec<ExactSum>, TallyError> {
        let n = self.number()? as usize;
        if n > self.0.len() / 8 {
            return Err(TallyError::NotATally);
        }
        let sum = |_| Ok(self.list()?.into_iter().map(f64::from_bits).collect());
        (0..n).map(sum).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
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
        }
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
        assert_eq!(blocks.add(3, frame(3)), Err(TallyError::FrameTwice(3)));
        let other = FrameTally {
            tally: Tally::of_one_table(vec![1], vec![]),
            ..frame(9)
        };
        assert_eq!(blocks.add(9, other), Err(TallyError::OtherFrame(9)));
        let huge = FrameTally {
            particles: vec![1 << 33],
            ..frame(9)
        };
        assert_eq!(blocks.add(9, huge), Err(TallyError::FramePairs(9)));
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
            let light = FrameTally { weight, ..frame(9) };
            let refused = blocks.add(9, light);
            let named = matches!(refused, Err(TallyError::FrameWeight { frame: 9, .. }));
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
