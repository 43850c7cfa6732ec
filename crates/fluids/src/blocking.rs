//! Errors of means of correlated frames, by blocks of doubling length (Flyvbjerg & Petersen 1989, DOI 10.1063/1.457480).
//!
//! Entry: [`Blocking`] for any series of ratios, [`BlockErrors`] for g of frames.

use albireo::error::EstimatorError;
use albireo::estimators::ratio;

use super::{Frame, Normalisation, Partials};
use crate::Result;

/// Which length of the blocks is long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Plateau {
    /// The shortest length B with `B^3 > 2 n (s_B/s_1)^4`, n the number of frames and `s_B` the error from blocks of B frames, where what
    /// remains of the correlations and the noise of the error weigh the same; at least 8 blocks must be left. Lee, Conduit, Nemec, López
    /// Ríos & Drummond (2011), DOI 10.1103/PhysRevE.83.066706.
    #[default]
    Cubic,
}

/// The least number of blocks that an error is taken from: it is then known to a quarter.
const FEWEST: u64 = 8;

/// The error that blocks of one length tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockLevel {
    /// Frames of a block.
    pub length: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// The standard error of the ratio, as if the blocks were independent.
    pub error: f64,
    /// The standard error of that error, `error / sqrt(2 (blocks - 1))`.
    pub uncertainty: f64,
}

/// Ratios of sums over a series of correlated frames, such as g = (pairs)/(ideal pairs), bin by bin, with their errors.
///
/// Blocks of 1, 2, 4, .. frames are kept as their number, means and moments: what is held grows with the logarithm of the number of
/// frames. The error of a ratio R = mean x / mean d is that of the mean of x - R d, over mean d; with d = 1 it is that of a mean.
///
/// ```
/// use albireo_fluids::{Blocking, Plateau};
/// use albireo::random::Stream;
/// // A series that forgets a tenth at each step: its mean is off by sqrt(19) times what its scatter says.
/// let (noise, mut x, mut series) = (Stream::new(1), 0.0, Blocking::new(1));
/// for step in 0..20_000 {
///     x = 0.9 * x + noise.uniform(step) - 0.5;
///     series.add(&[x], &[1.0])?;
/// }
/// let naive = series.levels(0)[0].error;
/// let error = series.errors(Plateau::Cubic)[0];
/// assert!((error / naive / 19f64.sqrt() - 1.0).abs() < 0.2);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Blocking {
    bins: usize,
    levels: Vec<Level>,
}

/// Blocks of one length, bin by bin.
#[derive(Debug, Clone, PartialEq)]
struct Level {
    blocks: u64,
    /// Means of x and d.
    means: Vec<[f64; 2]>,
    /// Sums of products of the distances from the means: xx, xd, dd.
    moments: Vec<[f64; 3]>,
    /// A block that waits for the next one to make up one of the next length.
    waiting: Option<Vec<[f64; 2]>>,
}

impl Level {
    fn new(bins: usize) -> Self {
        Self {
            blocks: 0,
            means: vec![[0.0; 2]; bins],
            moments: vec![[0.0; 3]; bins],
            waiting: None,
        }
    }

    /// Joins the moments of further blocks (Chan, Golub & `LeVeque` 1983, DOI 10.1080/00031305.1983.10483115).
    fn join(&mut self, blocks: u64, means: &[[f64; 2]], moments: Option<&[[f64; 3]]>) {
        let (ours, theirs) = (self.blocks as f64, blocks as f64);
        let all = ours + theirs;
        if blocks == 0 {
            return;
        }
        let bins = self.means.iter_mut().zip(&mut self.moments).zip(means);
        for (bin, ((mean, sums), theirs_mean)) in bins.enumerate() {
            let off = [theirs_mean[0] - mean[0], theirs_mean[1] - mean[1]];
            let share = ours * theirs / all;
            let products = [off[0] * off[0], off[0] * off[1], off[1] * off[1]];
            let more = moments.map_or([0.0; 3], |moments| moments[bin]);
            for ((sum, product), more) in sums.iter_mut().zip(products).zip(more) {
                *sum += more + share * product;
            }
            mean[0] += off[0] * (theirs / all);
            mean[1] += off[1] * (theirs / all);
        }
        self.blocks += blocks;
    }
}

impl Blocking {
    /// No frame yet, of so many bins.
    pub fn new(bins: usize) -> Self {
        Self {
            bins,
            levels: vec![Level::new(bins)],
        }
    }

    /// Adds the next frame: what is divided and what by, bin by bin.
    ///
    /// # Errors
    /// Another number of bins, or a number that is not finite. `self` is then unchanged.
    pub fn add(&mut self, numerators: &[f64], denominators: &[f64]) -> Result<()> {
        for found in [numerators.len(), denominators.len()] {
            if found != self.bins {
                return Err(EstimatorError::Needs(format!(
                    "a frame needs one number for each of {} bins, found {found}",
                    self.bins
                )));
            }
        }
        let mut all = numerators.iter().chain(denominators);
        if let Some(found) = all.find(|x| !x.is_finite()) {
            return Err(EstimatorError::Needs(format!(
                "a series needs finite numbers, found {found}"
            )));
        }
        let bins = numerators.iter().zip(denominators);
        let mut block: Vec<[f64; 2]> = bins.map(|(&x, &d)| [x, d]).collect();
        let mut level = 0;
        loop {
            if level == self.levels.len() {
                self.levels.push(Level::new(self.bins));
            }
            let here = &mut self.levels[level];
            here.join(1, &block, None);
            let Some(before) = here.waiting.take() else {
                here.waiting = Some(block);
                return Ok(());
            };
            for (ours, earlier) in block.iter_mut().zip(before) {
                *ours = [0, 1].map(|k| f64::midpoint(ours[k], earlier[k]));
            }
            level += 1;
        }
    }

    /// Adds the frames that follow on these; no block holds frames of both parts.
    ///
    /// # Errors
    /// Another number of bins.
    pub fn append(&mut self, next: &Self) -> Result<()> {
        if self.bins != next.bins {
            return Err(EstimatorError::Needs(format!(
                "a series to append needs {} bins, found {}",
                self.bins, next.bins
            )));
        }
        while self.levels.len() < next.levels.len() {
            self.levels.push(Level::new(self.bins));
        }
        for (level, ours) in self.levels.iter_mut().enumerate() {
            ours.waiting = None;
            if let Some(theirs) = next.levels.get(level) {
                ours.join(theirs.blocks, &theirs.means, Some(&theirs.moments));
                ours.waiting.clone_from(&theirs.waiting);
            }
        }
        Ok(())
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.levels[0].blocks
    }

    /// The ratio of the sums over all frames in each bin; NaN where that by which it is divided is 0.
    pub fn ratios(&self) -> Vec<f64> {
        let means = self.levels[0].means.iter();
        means.map(|&[x, d]| ratio(x, d)).collect()
    }

    /// The errors of the ratio in a bin that blocks of 1, 2, 4, .. frames tell, down to two blocks; empty of a bin that there is not.
    pub fn levels(&self, bin: usize) -> Vec<BlockLevel> {
        let Some(&[x, d]) = self.levels[0].means.get(bin) else {
            return vec![];
        };
        let r = ratio(x, d);
        let several = self.levels.iter().enumerate().filter(|(_, l)| l.blocks > 1);
        let level = |(doublings, level): (usize, &Level)| {
            let [xx, xd, dd] = level.moments[bin];
            let others = level.blocks as f64 - 1.0;
            let spread = r.mul_add(r.mul_add(dd, -2.0 * xd), xx);
            let spread = if spread < 0.0 { 0.0 } else { spread };
            let error = (spread / level.blocks as f64 / others).sqrt() / d.abs();
            BlockLevel {
                length: 1 << doublings,
                blocks: level.blocks,
                error,
                uncertainty: error / (2.0 * others).sqrt(),
            }
        };
        several.map(level).collect()
    }

    /// The error of the ratio in each bin, from the blocks that `plateau` takes; NaN where none are long enough, or nothing varies.
    pub fn errors(&self, plateau: Plateau) -> Vec<f64> {
        let error = |bin: usize| {
            let levels = self.levels(bin);
            let found = levels.first().and_then(|first| {
                let long = |level: &&BlockLevel| match plateau {
                    Plateau::Cubic => {
                        let rise = level.error / first.error;
                        let length = level.length as f64;
                        length * length * length
                            > 2.0 * first.blocks as f64 * rise * rise * rise * rise
                    }
                };
                let mut enough = levels.iter().filter(|level| level.blocks >= FEWEST);
                enough.find(long)
            });
            found.map_or(f64::NAN, |level| level.error)
        };
        (0..self.bins).map(error).collect()
    }
}

/// The errors of the partial functions of a trajectory whose frames remember those before them, without keeping the frames.
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo_fluids::{BlockErrors, Frame, Normalisation, Partials, Plateau, Space, Species};
/// use albireo::random::Stream;
/// use albireo::counts::PairTotal;
/// use albireo::{Edges, Counts, RBins};
/// let bins = RBins::new(Edges::linear(0.0, 1.0, 1)?);
/// let mut errors = BlockErrors::new(&Partials::new(&bins, Species::within(1))?, Normalisation::Pairs)?;
/// let space = Space::of_volume(10.0)?;
/// for frame in 0..400 {
///     // The same number of pairs four times over: the error is twice that of independent frames.
///     let pairs = 10 + (Stream::new(1).uniform(frame / 4) * 10.0) as u64;
///     let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
///     let counts = [Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(frame))?];
///     errors.add_frame(&Frame { counts: &counts, particles: &[10], excluded: &[], space: &space, weight: 1.0 })?;
/// }
/// let levels = errors.levels([0, 0], 0)?;
/// assert!((levels[2].error / levels[0].error - 2.0).abs() < 0.02);
/// assert!((errors.errors([0, 0], Plateau::Cubic)?[0] / levels[2].error - 1.0).abs() < 0.3);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlockErrors {
    empty: Partials,
    normalisation: Normalisation,
    blocking: Blocking,
}

impl BlockErrors {
    /// No frame yet; bins and species as those of `like`.
    ///
    /// # Errors
    /// Normalisations other than `pairs` and `n2`, which no single frame tells.
    pub fn new(like: &Partials, normalisation: Normalisation) -> Result<Self> {
        if !matches!(normalisation, Normalisation::Pairs | Normalisation::Squares) {
            return Err(EstimatorError::Needs(format!(
                "errors by blocks are those of g normalised by pairs or n2, found {}",
                normalisation.name()
            )));
        }
        let bins = like.species().pairs().len() * like.volumes.len();
        Ok(Self {
            empty: like.emptied(),
            normalisation,
            blocking: Blocking::new(bins),
        })
    }

    /// Adds the next frame.
    ///
    /// # Errors
    /// As [`Partials::add_frame`].
    pub fn add_frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let mut alone = self.empty.clone();
        alone.add_frame(frame)?;
        let classes = 0..self.empty.species().pairs().len();
        let pairs = classes
            .clone()
            .flat_map(|class| alone.weighted_pairs(class));
        let ideal = classes.flat_map(|class| alone.ideal_of_class(class, self.normalisation));
        let (pairs, ideal): (Vec<f64>, Vec<f64>) = (pairs.collect(), ideal.collect());
        self.blocking.add(&pairs, &ideal)
    }

    /// Adds the frames that follow on these; no block holds frames of both parts.
    ///
    /// # Errors
    /// Other bins, species or normalisation.
    pub fn append(&mut self, next: &Self) -> Result<()> {
        if self.normalisation != next.normalisation {
            return Err(EstimatorError::Needs(format!(
                "errors by blocks to append must be those of g by {}, found {}",
                self.normalisation.name(),
                next.normalisation.name()
            )));
        }
        let merged = self.empty.clone().merge(&next.empty);
        merged.map_err(|error| EstimatorError::Needs(error.to_string()))?;
        self.blocking.append(&next.blocking)
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.blocking.frames()
    }

    /// The error of `g_ab` in each bin; NaN where no block is long enough, or no pair was counted.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn errors(&self, species: [usize; 2], plateau: Plateau) -> Result<Vec<f64>> {
        let class = self.empty.species().class(species)?;
        let bins = self.empty.volumes.len();
        Ok(self.blocking.errors(plateau)[class * bins..][..bins].to_vec())
    }

    /// The errors of `g_ab` in a bin that blocks of 1, 2, 4, .. frames tell.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn levels(&self, species: [usize; 2], bin: usize) -> Result<Vec<BlockLevel>> {
        let class = self.empty.species().class(species)?;
        let bins = self.empty.volumes.len();
        if bin >= bins {
            return Ok(vec![]);
        }
        Ok(self.blocking.levels(class * bins + bin))
    }
}
