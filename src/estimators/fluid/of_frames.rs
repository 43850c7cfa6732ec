//! Partial functions of the blocks of frames that a run over a trajectory leaves.
//!
//! Entry: [`BlockPartials`].

use super::{Frame, Partials, Space, Species};
use crate::binning::Binning;
use crate::engine::Exactness;
use crate::error::{EstimatorError, MergeError};
use crate::frames::{FrameBlocks, FrameFacts, FrameGroups};

/// What the blocks of a trajectory are read with.
#[derive(Debug, Clone)]
pub struct BlockPartials<'a, B> {
    /// No frame yet: bins, and the pairs of groups that are wanted.
    pub empty: Partials<B>,
    /// The groups that the labels of particles stand for.
    pub groups: &'a FrameGroups,
    /// The volume of frames that state none.
    pub volume: Option<f64>,
    /// Whether the counts are exact.
    pub exactness: Exactness,
}

impl<B: Binning> BlockPartials<'_, B> {
    /// All frames together, of what each block is by itself.
    ///
    /// # Errors
    /// Blocks of other bins or species, or 2^64 pairs in a bin.
    pub fn merged(&self, each: &[Partials<B>]) -> Result<Partials<B>, MergeError> {
        let mut all = self.empty.clone();
        each.iter().try_for_each(|block| all.merge(block))?;
        Ok(all)
    }

    /// Each block by itself, in order; the last may hold fewer frames.
    ///
    /// # Errors
    /// Frames without a volume, or what [`Partials::add_frame`] refuses.
    pub fn of_each(&self, blocks: &FrameBlocks) -> Result<Vec<Partials<B>>, EstimatorError> {
        let of_block = |(begin, _)| {
            let mut one = self.empty.clone();
            self.add(&mut one, blocks, begin).map(|()| one)
        };
        blocks.blocks().map(of_block).collect()
    }

    fn add(
        &self,
        sum: &mut Partials<B>,
        blocks: &FrameBlocks,
        begin: u64,
    ) -> Result<(), EstimatorError> {
        let Some(tally) = blocks.block(begin) else {
            return Ok(());
        };
        let species: &Species = self.empty.species();
        let pairs = species.pairs().iter();
        let npairs: Vec<u64> = pairs
            .flat_map(|&pair| self.groups.npairs_of(tally, pair))
            .collect();
        let reweighted = blocks.reweighted(begin).map(|sums| {
            let pairs = species.pairs().iter();
            let of = |&pair| self.groups.reweighted_of(sums, tally.n_bins(), pair);
            pairs.flat_map(of).collect::<Vec<_>>()
        });
        let frames: Result<Vec<_>, _> = blocks
            .frames_of(begin)
            .map(|(place, facts)| self.numbers(species, place, facts))
            .collect();
        let frames = frames?;
        let weights = blocks.frames_of(begin).map(|(_, facts)| facts.weight);
        let views: Vec<Frame<'_, B>> = frames
            .iter()
            .zip(weights)
            .map(|((particles, space, _), weight)| Frame {
                counts: &[],
                particles,
                excluded: &[],
                space,
                weight,
            })
            .collect();
        let candidates: Vec<Vec<u64>> = frames.iter().map(|frame| frame.2.clone()).collect();
        let pairs = (&npairs[..], reweighted.as_deref());
        sum.add_block(pairs, &views, &candidates, self.exactness)
    }

    /// Particles of each group, the space, and the candidates of each pair of groups.
    fn numbers(
        &self,
        species: &Species,
        place: u64,
        facts: &FrameFacts,
    ) -> Result<(Vec<u64>, Space, Vec<u64>), EstimatorError> {
        let lists = (&facts.particles[..], &facts.excluded[..]);
        let of = |pair| {
            let found = self.groups.candidates(lists, pair);
            found.map_err(|error| EstimatorError::Needs(format!("frame {place}: {error}")))
        };
        let volume = facts.volume.or(self.volume).ok_or_else(|| {
            EstimatorError::Needs(format!(
                "g(r) needs a volume: frame {place} is in open space, and none is given"
            ))
        })?;
        let mut particles = vec![0; species.number()];
        for (group, number) in particles.iter_mut().enumerate() {
            *number = of([group; 2])?.particles[0];
        }
        let mut candidates = Vec::with_capacity(species.pairs().len());
        for &pair in species.pairs() {
            let found = of(pair)?;
            let left = found.pairs.checked_sub(found.excluded);
            candidates.push(left.ok_or_else(|| {
                EstimatorError::Needs(format!(
                    "frame {place}: of {} pairs {} cannot be excluded",
                    found.pairs, found.excluded
                ))
            })?);
        }
        Ok((particles, Space::of_volume(volume)?, candidates))
    }
}
