//! Frames that several processes have counted, put together.
//!
//! Entry: [`FrameBlocks::merge`].

use albireo::error::CountsError;

use super::FrameBlocks;
use super::blocks::alike;

impl FrameBlocks {
    /// Adds the frames of other blocks, such as another process has counted: the same as if all had been added one by one, in any order.
    ///
    /// ```
    /// use albireo_fluids::frames::{FrameBlocks, FrameTally};
    /// use albireo::tally::Tally;
    /// let [mut whole, mut even, mut odd] = [(); 3].map(|()| FrameBlocks::new(4));
    /// for place in 0..9 {
    ///     let tally = Tally::of_one_table(vec![place, 1], vec![]);
    ///     let frame = FrameTally { number: place, tally, particles: vec![9], excluded: vec![0], volume: Some(1.0), domain: None, weight: 1.0, sums: vec![] };
    ///     whole.add(place, frame.clone())?;
    ///     (if place % 2 == 0 { &mut even } else { &mut odd }).add(place, frame)?;
    /// }
    /// odd.merge(even)?;
    /// assert_eq!(odd.to_bytes(), whole.to_bytes());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A frame that is on both sides, frames of other bins or classes, blocks of another kind, or more pairs than 64 bits number. Then some of the
    /// frames may have been added.
    pub fn merge(&mut self, mut other: Self) -> Result<(), CountsError> {
        let Some(&first) = other.frames.keys().next() else {
            return Ok(());
        };
        if let Some(&place) = other.frames.keys().find(|&&place| self.contains(place)) {
            return Err(CountsError::FrameTwice(place));
        }
        while self.length < other.length && self.most < usize::MAX {
            self.lengthen();
        }
        while other.length < self.length && other.most < usize::MAX {
            other.lengthen();
        }
        let both = self
            .blocks
            .values()
            .next()
            .zip(other.blocks.values().next());
        let differ = both.is_some_and(|(one, of)| {
            !alike(one, of) || self.roundings.len() != other.roundings.len()
        });
        if differ || (self.length, self.most) != (other.length, other.most) {
            return Err(CountsError::OtherFrame(first));
        }
        self.pairs += other.pairs;
        if self.pairs > u128::from(u64::MAX) {
            return Err(CountsError::FramePairs(first));
        }
        for (block, tally) in other.blocks {
            self.add_to_block(block, tally);
        }
        for (block, sums) in other.sums {
            self.sums_to_block(block, sums);
        }
        self.widen(other.roundings.into_iter());
        for (block, sums) in other.reweighted {
            let all = self.reweighted.entry(block).or_default();
            all.resize(
                sums.len().max(all.len()),
                albireo::exact_sum::ExactSum::default(),
            );
            for (sum, other) in all.iter_mut().zip(&sums) {
                sum.merge(other);
            }
        }
        for (place, mut facts) in other.frames {
            facts.domain = self.shared(place, facts.domain);
            self.frames.insert(place, facts);
        }
        Ok(())
    }
}
