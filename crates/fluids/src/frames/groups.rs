//! Groups of particles that may share some, as labels that none of them share.
//!
//! Entry: [`FrameGroups`]: what a pair of groups is in terms of classes of labels, counted in one pass.

use albireo::error::JobError;
use albireo::exact_sum::ExactSum;
use albireo::tally::Tally;

use super::FrameTally;

/// Named groups of particles, such as species, and the labels that tell which of them a particle is in.
///
/// ```
/// use albireo_fluids::frames::FrameGroups;
/// let species = FrameGroups::apart(["O", "H"]);
/// assert_eq!((species.labels(), species.label_of(0b10)), (2, Some(1)));
/// // A solute and everything: what is in both has a label of its own.
/// let groups = FrameGroups::overlapping(["solute", "all"])?;
/// assert_eq!((groups.labels(), groups.label_of(0b11)), (3, Some(2)));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameGroups {
    names: Vec<String>,
    overlap: bool,
}

/// The most groups that may overlap: each set of them is a label.
const MOST: usize = 6;

/// The pairs of one frame between two groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPairs {
    /// Pairs in each bin: of a group with itself each once, of two groups each particle of the first with each other one of the second.
    pub npairs: Vec<u64>,
    /// Those that there are, however far apart.
    pub candidates: GroupCandidates,
}

/// What pairs there are between two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupCandidates {
    /// N(N-1)/2, or Na Nb.
    pub pairs: u64,
    /// Of these, pairs that are no candidates: left out, or a particle that is in both groups with itself.
    pub excluded: u64,
    /// Particles of each group.
    pub particles: [u64; 2],
}

impl FrameGroups {
    /// Groups none of whose particles is in another one: group k is label k.
    pub fn apart<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self {
            names: names.into_iter().map(Into::into).collect(),
            overlap: false,
        }
    }

    /// Groups that may share particles.
    ///
    /// # Errors
    /// More than six.
    pub fn overlapping<S: Into<String>>(
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self, JobError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() > MOST {
            return Err(JobError::OverlappingGroups {
                found: names.len(),
                most: MOST,
            });
        }
        Ok(Self {
            overlap: names.len() > 1,
            names,
        })
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of labels.
    pub fn labels(&self) -> u32 {
        if self.overlap {
            (1 << self.names.len()) - 1
        } else {
            self.names.len() as u32
        }
    }

    /// The label of a particle that is in the groups whose bits are set; `None` if it is in none.
    pub fn label_of(&self, groups: u64) -> Option<u32> {
        if groups == 0 {
            None
        } else if self.overlap {
            Some(groups as u32 - 1)
        } else {
            Some(groups.trailing_zeros())
        }
    }

    /// Whether particles with this label are in more than one group.
    pub fn is_shared(&self, label: u32) -> bool {
        self.overlap && (label + 1).count_ones() > 1
    }

    /// Whether particles with this label are in this group.
    fn holds(&self, group: usize, label: u32) -> bool {
        if self.overlap {
            (label + 1) >> group & 1 == 1
        } else {
            label as usize == group
        }
    }

    /// The class of an unordered pair of labels.
    pub(crate) fn class(&self, pair: [u32; 2]) -> usize {
        super::passes::class_of(self.labels(), pair)
    }

    /// The labels of a group's particles.
    pub(crate) fn labels_of(&self, group: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        (0..self.labels()).filter(move |&label| self.holds(group, label))
    }

    /// How often the pairs of each two labels, the first not above the second, are pairs of these groups.
    fn times(&self, [a, b]: [usize; 2]) -> Vec<([u32; 2], u64)> {
        let mut times = Vec::new();
        for first in self.labels_of(a) {
            for second in self.labels_of(b) {
                let label = [first.min(second), first.max(second)];
                // An unordered pair of two labels is met in one order, or in both.
                if a == b {
                    if first <= second {
                        times.push((label, 1));
                    }
                } else {
                    times.push((label, if first == second { 2 } else { 1 }));
                }
            }
        }
        times
    }

    /// The pairs of labels that pairs of these groups are made of, for [`FrameBins::of_pairs`](super::FrameBins::of_pairs).
    pub fn label_pairs(&self, pair: [usize; 2]) -> Vec<[u32; 2]> {
        self.times(pair).into_iter().map(|(pair, _)| pair).collect()
    }

    /// The pairs between two groups in a frame whose particles have these labels.
    ///
    /// # Errors
    /// A frame of another number of labels, or more pairs than 64 bits hold.
    pub fn pairs_of(&self, frame: &FrameTally, pair: [usize; 2]) -> Result<GroupPairs, JobError> {
        let candidates = self.candidates((&frame.particles, &frame.excluded), pair)?;
        Ok(GroupPairs {
            npairs: self.npairs_of(&frame.tally, pair),
            candidates,
        })
    }

    /// Pairs between two groups in each bin, of a tally by labels.
    pub fn npairs_of(&self, tally: &Tally, pair: [usize; 2]) -> Vec<u64> {
        let bins = tally.n_bins();
        let mut npairs = vec![0u64; bins];
        for (labels, times) in self.times(pair) {
            let class = super::passes::class_of(self.labels(), labels);
            let of_class = &tally.pairs()[class * bins..][..bins];
            for (sum, &found) in npairs.iter_mut().zip(of_class) {
                *sum += times * found;
            }
        }
        npairs
    }

    /// Sums over the pairs between two groups in each bin, of sums by labels.
    pub(crate) fn sums_of(
        &self,
        sums: &[ExactSum],
        bins: usize,
        pair: [usize; 2],
    ) -> Vec<ExactSum> {
        let mut all = vec![ExactSum::default(); bins];
        for (labels, times) in self.times(pair) {
            let class = super::passes::class_of(self.labels(), labels);
            let of_class = &sums[class * bins..][..bins];
            for (sum, found) in all.iter_mut().zip(of_class) {
                (0..times).for_each(|_| sum.merge(found));
            }
        }
        all
    }

    /// What pairs there are between two groups, of the particles with each label and of the pairs of each two labels that are left out.
    ///
    /// # Errors
    /// As [`FrameGroups::pairs_of`].
    pub fn candidates(
        &self,
        (particles, left_out): (&[u64], &[u64]),
        pair: [usize; 2],
    ) -> Result<GroupCandidates, JobError> {
        let n = self.labels();
        if particles.len() != n as usize {
            return Err(JobError::Species {
                expected: n,
                found: particles.len() as u32,
            });
        }
        let of = |label: u32| particles[label as usize];
        let (mut pairs, mut excluded) = (0u128, 0);
        for ([a, b], times) in self.times(pair) {
            let class = super::passes::class_of(n, [a, b]);
            let [na, nb] = [of(a), of(b)].map(u128::from);
            let all = if a == b {
                na * na.saturating_sub(1) / 2
            } else {
                na * nb
            };
            pairs += u128::from(times) * all;
            excluded += times * left_out[class];
            if pair[0] != pair[1] && a == b {
                pairs += na;
                excluded += of(a);
            }
        }
        Ok(GroupCandidates {
            pairs: u64::try_from(pairs).map_err(|_| JobError::TooManyPairs)?,
            excluded,
            particles: pair.map(|group| self.labels_of(group).map(of).sum()),
        })
    }
}
