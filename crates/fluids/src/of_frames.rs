//! Partial functions of the blocks of frames that a run over a trajectory leaves.
//!
//! Entry: [`BlockPartials`].

use albireo::binning::{Bins, RBins, RpPiBins};
use albireo::domain::{Axis, Domain};
use albireo::engine::Exactness;
use albireo::error::{CountsError, EstimatorError};
use albireo::pool;
use rayon::prelude::*;

use super::set_covariance::{of_cylinders, of_shells};
use super::{Frame, Partials, Space, Species, Walls};
use crate::Result;
use crate::frames::{FrameBlocks, FrameFacts, FrameGroups};

/// Bins that a space cuts.
enum CutBins<'a> {
    Shells(&'a RBins),
    Cylinders(&'a RpPiBins),
}

impl<'a> CutBins<'a> {
    /// Bins in r or in (rp, pi).
    fn of(bins: &'a Bins) -> Result<Self> {
        match bins {
            Bins::R(bins) => Ok(Self::Shells(bins)),
            Bins::RpPi(bins) => Ok(Self::Cylinders(bins)),
            other => Err(EstimatorError::Needs(format!(
                "what part of a bin a space holds is known of bins in r and in (rp, pi), not of {} bins",
                other.name()
            ))),
        }
    }

    /// `space` with the bins cut by the cell of nearest images of `domain`; of rings in the plane across an axis, by the cell in that plane.
    fn cut_by_images(&self, space: Space, domain: &Domain, plane: Option<Axis>) -> Result<Space> {
        match (self, plane) {
            (Self::Shells(bins), None) => space.nearest_images(bins, domain),
            (Self::Shells(bins), Some(normal)) => {
                space.nearest_images_in_plane(bins, domain, normal)
            }
            (Self::Cylinders(bins), _) => space.nearest_images_in_cylinders(bins, domain),
        }
    }

    /// The space between `walls` in `domain`; of rings in the plane across an axis, walls as they are seen along it.
    fn between_walls(&self, walls: &Walls, domain: &Domain, plane: Option<Axis>) -> Result<Space> {
        match self {
            Self::Shells(bins) => of_shells(bins, walls, domain, plane),
            Self::Cylinders(bins) => of_cylinders(bins, walls, domain),
        }
    }
}

impl Space {
    /// The space between walls: of each bin the share of random pairs of the region, found by its set covariance to 1e-11, so that g of a
    /// gas between walls is 1.
    ///
    /// Periodic axes may go together with walls; where a box is periodic across walls, as in slabs with vacuum between their images, bins must not reach from
    /// image to image.
    ///
    /// # Errors
    /// Walls that leave an open axis without end, bins across an axis that walls are not symmetric about, bins that reach the images of the region or
    /// beyond half of a periodic axis.
    pub fn between_walls(bins: impl Into<Bins>, walls: &Walls, domain: &Domain) -> Result<Self> {
        CutBins::of(&bins.into())?.between_walls(walls, domain, None)
    }

    /// The same in the plane across an axis, of rings and an area: a rectangle or a disc.
    ///
    /// # Errors
    /// As [`Space::between_walls`], and walls that are not the same all along the axis.
    pub fn between_walls_in_plane(
        bins: impl Into<Bins>,
        walls: &Walls,
        domain: &Domain,
        normal: Axis,
    ) -> Result<Self> {
        CutBins::of(&bins.into())?.between_walls(walls, domain, Some(normal))
    }
}

/// What part of each bin the space of a frame holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum FrameSpaces {
    /// All of it, in the volume of the frame's box.
    #[default]
    Whole,
    /// What lies in the cell of nearest images of the frame's box; of rings, in the plane across this axis. Frames are counted with
    /// [`FrameBins::beyond_half`](crate::frames::FrameBins::beyond_half).
    NearestImages {
        /// The axis across which particles lie in a plane.
        plane: Option<Axis>,
    },
    /// What lies between walls, in the frame's box. Frames are counted with
    /// [`FrameBins::keeping_boxes`](crate::frames::FrameBins::keeping_boxes).
    Walls {
        /// Where they stand.
        walls: Walls,
        /// The axis across which particles lie in a plane.
        plane: Option<Axis>,
    },
    /// The same of all frames, such as what random points leave ([`Space::of_randoms`]).
    Same(Space),
}

/// What the blocks of a trajectory are read with.
#[derive(Debug, Clone)]
pub struct BlockPartials<'a> {
    /// No frame yet: bins, and the pairs of groups that are wanted.
    pub empty: Partials,
    /// The groups that the labels of particles stand for.
    pub groups: &'a FrameGroups,
    /// The volume of frames that state none.
    pub volume: Option<f64>,
    /// What part of the bins lies in the space of each frame.
    pub spaces: FrameSpaces,
    /// Whether the counts are exact.
    pub exactness: Exactness,
}

impl BlockPartials<'_> {
    /// All frames together, of what each block is by itself.
    ///
    /// # Errors
    /// Blocks of other bins or species, or 2^64 pairs in a bin.
    pub fn merged(&self, each: &[Partials]) -> Result<Partials, CountsError> {
        let mut all = self.empty.clone();
        each.iter().try_for_each(|block| all.merge(block))?;
        Ok(all)
    }

    /// Each block by itself, in order; the last may hold fewer frames.
    ///
    /// # Errors
    /// Frames without a volume, or what [`Partials::add_frame`] refuses.
    pub fn of_each(&self, blocks: &FrameBlocks) -> Result<Vec<Partials>> {
        let of_block = |(begin, _)| {
            let mut one = self.empty.clone();
            self.add(&mut one, blocks, begin).map(|()| one)
        };
        blocks.blocks().map(of_block).collect()
    }

    fn add(&self, sum: &mut Partials, blocks: &FrameBlocks, begin: u64) -> Result<()> {
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
            let of = |&pair| self.groups.sums_of(sums, tally.n_bins(), pair);
            pairs.flat_map(of).collect::<Vec<_>>()
        });
        let values = blocks.sums(begin).iter().map(|sums| {
            let pairs = species.pairs().iter();
            let of = |&pair| self.groups.sums_of(sums, tally.n_bins(), pair);
            pairs.flat_map(of).collect::<Vec<_>>()
        });
        let values: Vec<_> = values.collect();
        let facts: Vec<(u64, &FrameFacts)> = blocks.frames_of(begin).collect();
        let spaces = self.spaces_of(&facts)?;
        let numbers = facts.iter();
        let frames: Result<Vec<_>, _> = numbers
            .map(|&(place, facts)| self.numbers(species, place, facts))
            .collect();
        let frames = frames?;
        let views: Vec<Frame<'_>> = frames
            .iter()
            .zip(&spaces)
            .zip(facts.iter().map(|(_, facts)| facts.weight))
            .map(|(((particles, _), space), weight)| Frame {
                counts: &[],
                particles,
                excluded: &[],
                space,
                weight,
            })
            .collect();
        let candidates: Vec<Vec<u64>> = frames.iter().map(|frame| frame.1.clone()).collect();
        let pairs = (&npairs[..], reweighted.as_deref(), &values[..]);
        sum.add_block(pairs, &views, &candidates, self.exactness)
    }

    /// The space of each frame; that of frames in a row with the same box is found once.
    fn spaces_of(&self, frames: &[(u64, &FrameFacts)]) -> Result<Vec<Space>> {
        let same = |k: usize| {
            k > 0
                && frames[k].1.domain == frames[k - 1].1.domain
                && frames[k].1.volume == frames[k - 1].1.volume
        };
        let other: Vec<usize> = (0..frames.len()).filter(|&k| !same(k)).collect();
        let space = |&k: &usize| self.space_of(frames[k].0, frames[k].1);
        let found: Result<Vec<Space>, _> = pool::run(
            || other.par_iter().map(space).collect(),
            || other.iter().map(space).collect(),
        );
        let found = found?;
        let mut spaces = Vec::with_capacity(frames.len());
        let mut found = found.into_iter();
        for k in 0..frames.len() {
            let space = if same(k) {
                spaces.last().cloned()
            } else {
                found.next()
            };
            spaces.extend(space);
        }
        Ok(spaces)
    }

    fn space_of(&self, place: u64, facts: &FrameFacts) -> Result<Space> {
        let bins = self.empty.binning();
        let kept = || {
            facts.domain.as_deref().ok_or_else(|| {
                EstimatorError::Needs(format!(
                    "the box of frame {place} is needed, and was not kept"
                ))
            })
        };
        match &self.spaces {
            FrameSpaces::Same(space) => return Ok(space.clone()),
            FrameSpaces::Walls { walls, plane } => {
                return CutBins::of(bins)?.between_walls(walls, kept()?, *plane);
            }
            FrameSpaces::Whole | FrameSpaces::NearestImages { .. } => {}
        }
        let volume = facts.volume.or(self.volume).ok_or_else(|| {
            EstimatorError::Needs(format!(
                "g(r) needs a volume: frame {place} is in open space, and none is given"
            ))
        })?;
        let space = Space::of_volume(volume)?;
        match &self.spaces {
            FrameSpaces::NearestImages { plane } => {
                CutBins::of(bins)?.cut_by_images(space, kept()?, *plane)
            }
            _ => Ok(space),
        }
    }

    /// Particles of each group, and the candidates of each pair of groups.
    fn numbers(
        &self,
        species: &Species,
        place: u64,
        facts: &FrameFacts,
    ) -> Result<(Vec<u64>, Vec<u64>)> {
        let lists = (&facts.particles[..], &facts.excluded[..]);
        let of = |pair| {
            let found = self.groups.candidates(lists, pair);
            found.map_err(|error| EstimatorError::Needs(format!("frame {place}: {error}")))
        };
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
        Ok((particles, candidates))
    }
}
