//! g of runs of consecutive frames: how it drifts, and how far its mean is off.
//!
//! Entry: [`Blocks`]; [`even_blocks`], [`error_of_blocks`] and [`error_of_frames`] of parts of a trajectory that are there already.

use albireo::error::{CountsError, EstimatorError};
use albireo::exact_sum::ExactSum;

use super::{Frame, Normalisation, Partials};
use crate::Result;

/// Partial functions of blocks of so many consecutive frames each, one after the other.
///
/// Each block is held with its counts, so that all that [`Partials`] tell of a trajectory they tell of a block too.
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo_fluids::{Blocks, Frame, Normalisation, Partials, Space, Species};
/// use albireo::counts::PairTotal;
/// use albireo::{Edges, Counts, RBins};
/// let bins = RBins::new(Edges::linear(0.0, 1.0, 1)?);
/// let mut blocks = Blocks::new(&Partials::new(&bins, Species::within(1))?, 2)?;
/// let space = Space::of_volume(10.0)?;
/// for pairs in [3, 5, 4, 6, 9] {
///     let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
///     let counts = [Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(pairs))?];
///     blocks.add_frame(&Frame { counts: &counts, particles: &[10], excluded: &[], space: &space, weight: 1.0 })?;
/// }
/// let pairs = |of: Vec<Vec<f64>>| of.into_iter().flatten().collect::<Vec<_>>();
/// assert_eq!(pairs(blocks.g([0, 0], Normalisation::None)?), [8.0, 10.0]);
/// assert_eq!(pairs(blocks.running([0, 0], Normalisation::None)?), [8.0, 18.0]);
/// assert_eq!(blocks.error([0, 0], Normalisation::None)?, Some(vec![1.0]));
/// assert_eq!(blocks.all()?.npairs([0, 0])?, [27]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Blocks {
    length: u64,
    whole: Vec<Partials>,
    last: Partials,
}

impl Blocks {
    /// No frame yet; bins and species as those of `like`, blocks of `length` frames.
    ///
    /// # Errors
    /// A length of 0.
    pub fn new(like: &Partials, length: u64) -> Result<Self> {
        if length == 0 {
            return Err(EstimatorError::Needs(
                "a block needs at least 1 frame, found 0".to_owned(),
            ));
        }
        Ok(Self {
            length,
            whole: vec![],
            last: like.emptied(),
        })
    }

    /// Adds the next frame.
    ///
    /// # Errors
    /// As [`Partials::add_frame`].
    pub fn add_frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.last.add_frame(frame)?;
        if self.last.frames() == self.length {
            let empty = self.last.emptied();
            self.whole.push(std::mem::replace(&mut self.last, empty));
        }
        Ok(())
    }

    /// Adds the frames that follow on these.
    ///
    /// # Errors
    /// Blocks of another length, other bins or species, or a last block here that is not whole. `self` is then unchanged.
    pub fn append(&mut self, next: Self) -> Result<()> {
        if self.length != next.length {
            return Err(EstimatorError::Needs(format!(
                "blocks to append must have {} frames each, found {}",
                self.length, next.length
            )));
        }
        if self.last.frames() != 0 {
            return Err(EstimatorError::Needs(format!(
                "parts of a trajectory join between whole blocks: the first ends with {} of {} frames",
                self.last.frames(),
                self.length
            )));
        }
        let mut last = self.last.clone();
        last.merge(&next.last)
            .map_err(|error| EstimatorError::Needs(error.to_string()))?;
        self.last = last;
        self.whole.extend(next.whole);
        Ok(())
    }

    /// Frames of a block.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The whole blocks, in their order.
    pub fn whole(&self) -> &[Partials] {
        &self.whole
    }

    /// All frames together, those of a last block that is not whole with them.
    ///
    /// # Errors
    /// As [`Partials::merge`].
    pub fn all(&self) -> Result<Partials> {
        let mut all = self.last.clone();
        self.whole
            .iter()
            .try_for_each(|block| merged(&mut all, block))?;
        Ok(all)
    }

    /// g of each whole block.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn g(&self, species: [usize; 2], normalisation: Normalisation) -> Result<Vec<Vec<f64>>> {
        let blocks = self.whole.iter();
        blocks.map(|b| b.g(species, normalisation)).collect()
    }

    /// The running mean: g of the first block, of the first two, and so on.
    ///
    /// # Errors
    /// As [`Blocks::g`].
    pub fn running(
        &self,
        species: [usize; 2],
        normalisation: Normalisation,
    ) -> Result<Vec<Vec<f64>>> {
        let mut so_far = self.last.emptied();
        let blocks = self.whole.iter();
        let means = blocks.map(|block| {
            merged(&mut so_far, block)?;
            so_far.g(species, normalisation)
        });
        means.collect()
    }

    /// The standard error of the mean of the blocks' g, `sqrt(sum (g_b - mean)^2 / (n (n - 1)))`; none below two whole blocks.
    ///
    /// Blocks are taken as independent: they must be much longer than the memory of the fluid.
    ///
    /// # Errors
    /// As [`Blocks::g`].
    pub fn error(
        &self,
        species: [usize; 2],
        normalisation: Normalisation,
    ) -> Result<Option<Vec<f64>>> {
        let blocks = self.g(species, normalisation)?;
        if blocks.len() < 2 {
            return Ok(None);
        }
        let n = blocks.len() as f64;
        let error = |bin: usize| {
            let mean = blocks.iter().map(|g| g[bin]).sum::<f64>() / n;
            let spread = blocks.iter().map(|g| (g[bin] - mean) * (g[bin] - mean));
            (spread.sum::<f64>() / (n * (n - 1.0))).sqrt()
        };
        Ok(Some((0..blocks[0].len()).map(error).collect()))
    }
}

fn merged(all: &mut Partials, block: &Partials) -> Result<()> {
    let merged = all.merge(block);
    merged.map_err(|error| EstimatorError::Needs(error.to_string()))
}

/// Parts of a trajectory in their order as so many blocks of consecutive frames, as even as whole parts make them; fewer where there are fewer parts.
///
/// # Errors
/// As [`Partials::merge`].
pub fn even_blocks(parts: &[Partials], number: usize) -> Result<Vec<Partials>, CountsError> {
    let number = number.min(parts.len());
    let frames: u64 = parts.iter().map(Partials::frames).sum();
    let (mut blocks, mut last): (Vec<Partials>, _) = (Vec::new(), None);
    let mut before = 0;
    for part in parts.iter().filter(|part| part.frames() > 0) {
        // The middle of a part tells where it belongs.
        let middle = 2 * u128::from(before) + u128::from(part.frames());
        let block = middle * number as u128 / (2 * u128::from(frames));
        before += part.frames();
        match blocks.last_mut().filter(|_| last == Some(block)) {
            Some(sum) => sum.merge(part)?,
            None => blocks.push(part.clone()),
        }
        last = Some(block);
    }
    Ok(blocks)
}

/// The standard error of g from the scatter of n blocks of frames, `sqrt(n/(n - 1) sum w_b^2 (g_b - g)^2)`, in the unit of g; none below two blocks.
///
/// `w_b` is the block's share of all ideal pairs, or of the frames for `none`: for blocks alike this is the scatter of the blocks over the root of their
/// number. It is finite wherever a pair was counted; NaN where none was. Blocks are taken as independent: they should be longer than the memory of the fluid.
///
/// # Errors
/// Species whose pairs were not counted.
pub fn error_of_blocks(
    blocks: &[Partials],
    species: [usize; 2],
    normalisation: Normalisation,
) -> Result<Option<Vec<f64>>> {
    let weight: f64 = blocks.iter().map(Partials::weight).sum();
    let of_block = |block: &Partials| {
        let mut g = block.g(species, normalisation)?;
        let mut shares = block.ideal_pairs(species, normalisation)?;
        if normalisation == Normalisation::None {
            shares.fill(block.weight());
            let scale = weight / block.weight();
            for g in &mut g {
                *g *= scale;
            }
        }
        Ok((g, shares))
    };
    let Some(mut errors) = scatter_of_blocks(blocks, of_block)? else {
        return Ok(None);
    };
    let npairs: Vec<&[u64]> =
        (blocks.iter().map(|block| block.npairs(species))).collect::<Result<_, _>>()?;
    for (bin, error) in errors.iter_mut().enumerate() {
        if npairs.iter().all(|npairs| npairs[bin] == 0) {
            *error = f64::NAN;
        }
    }
    Ok(Some(errors))
}

/// The standard error of the mean of what blocks of frames have in each bin, `sqrt(n/(n - 1) sum w_b^2 (x_b - x)^2)` with x the mean by their shares w; NaN
/// where less than two have a share, none below two blocks. `of` gives x and the shares of a block.
///
/// # Errors
/// What `of` has.
pub fn scatter_of_blocks(
    blocks: &[Partials],
    of: impl Fn(&Partials) -> Result<(Vec<f64>, Vec<f64>)>,
) -> Result<Option<Vec<f64>>> {
    if blocks.len() < 2 {
        return Ok(None);
    }
    let each: Vec<_> = blocks.iter().map(of).collect::<Result<_, _>>()?;
    let error = |bin: usize| {
        let there = || each.iter().map(|(x, shares)| (x[bin], shares[bin]));
        let there = || there().filter(|(_, share)| *share > 0.0);
        let all: f64 = there().map(|(_, share)| share).sum();
        let mean: f64 = there().map(|(x, share)| share / all * x).sum();
        let n = there().count() as f64;
        if n < 2.0 {
            return f64::NAN;
        }
        let squares = there().map(|(x, share)| (share / all * (x - mean)).powi(2));
        (n / (n - 1.0) * squares.sum::<f64>()).sqrt()
    };
    let bins = each.first().map_or(0, |(x, _)| x.len());
    Ok(Some((0..bins).map(error).collect()))
}

/// The standard error of the mean of the frames' own g, `sqrt(sum (g_f - mean)^2 / (F (F - 1)))`, with the same bits in any order of the frames; none below
/// two.
///
/// Each of `frames` holds one frame. Frames are taken as independent: frames closer in time than the liquid forgets make it too small.
///
/// # Errors
/// Species whose pairs were not counted.
pub fn error_of_frames(
    frames: &[Partials],
    species: [usize; 2],
    normalisation: Normalisation,
) -> Result<Option<Vec<f64>>> {
    let g: Result<Vec<_>, _> = frames.iter().map(|f| f.g(species, normalisation)).collect();
    let g = g?;
    if g.len() < 2 {
        return Ok(None);
    }
    let n = g.len() as f64;
    let error = |bin: usize| {
        let (mut sum, mut squares) = (ExactSum::default(), ExactSum::default());
        for g in &g {
            sum.add(g[bin]);
            squares.add_square(g[bin]);
        }
        let (sum, squares) = (sum.value(), squares.value());
        let spread = squares - sum * sum / n;
        // Rounding may leave less than nothing; NaN stays NaN.
        let spread = if spread < 0.0 { 0.0 } else { spread };
        (spread / (n * (n - 1.0))).sqrt()
    };
    Ok(Some((0..g[0].len()).map(error).collect()))
}
