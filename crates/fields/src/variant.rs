//! The ways of Rodrigues et al. 2008 in which sources meet the points of a grid, and what they cost in tests of distances.
//!
//! Entry: [`FieldVariant`]; [`VariantPlan`] says which sources each of them brings to a block of points. None of them changes a sum.

use super::aligned::AlignedGrid;
use super::cells::{Bins, Cells, Sources};
use super::frame::{Stretch, component};
use super::job::{CELLS_IN_REACH, FieldJob};
use super::targets::Targets;
use crate::error::{FieldError, Result};

/// Points of a block of small bins along each axis.
pub(crate) const SMALL_BLOCK: usize = 8;

/// The most sources of a small bin.
const MOST_SOURCES: usize = 32;

/// More than the roundings of a distance along an axis, relative.
const SLACK: f64 = 1e-6;

/// How sources meet the points of a grid: the methods of Rodrigues, Hardy, Stone, Schulten & Hwu 2008 (DOI 10.1145/1366230.1366277).
///
/// All of them give the sums of the default, bit for bit; they differ in how many distances they test in vain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldVariant {
    /// Every source meets every point.
    Direct,
    /// Cubes of points, this long, meet the sources of cubes that are wider by the reach on all sides.
    LargeBins {
        /// The length of a cube; the paper's is twice the reach.
        side: f64,
    },
    /// Blocks of 8^3 points meet the bins of sources that are near enough; sources that find no room in theirs are met one by one, by the
    /// processor, at the same time.
    SmallBins {
        /// The length of a bin; the paper's is a third of the reach.
        side: f64,
        /// The most sources of a bin; the paper's are 8.
        sources: usize,
    },
    /// Each source meets the points of a cylinder round it: rows that pass it within reach, as far as terms reach along them.
    Cylinder,
}

impl FieldVariant {
    /// The bins of the paper for terms of this reach: large ones.
    pub fn large_bins(reach: f64) -> Self {
        Self::LargeBins { side: 2.0 * reach }
    }

    /// The bins of the paper for terms of this reach: small ones.
    pub fn small_bins(reach: f64) -> Self {
        let side = reach / 3.0;
        Self::SmallBins { side, sources: 8 }
    }

    /// `direct`, `large-bins`, `small-bins` or `cylinder`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::LargeBins { .. } => "large-bins",
            Self::SmallBins { .. } => "small-bins",
            Self::Cylinder => "cylinder",
        }
    }

    fn side(self) -> Option<f64> {
        match self {
            Self::LargeBins { side } | Self::SmallBins { side, .. } => Some(side),
            Self::Direct | Self::Cylinder => None,
        }
    }

    /// Refuses what has no meaning for a job.
    fn check(self, job: &FieldJob) -> Result<()> {
        let needs = |needs| Err(FieldError::Variant { needs });
        if job.term().is_product() {
            return needs("a term of the distance, not a product over the axes");
        }
        if let Some(side) = self.side() {
            if !job.term().reach().is_finite() {
                return needs("a cutoff where there are bins");
            }
            if !(1e-100..=1e100).contains(&side) {
                let what = "the side of a bin";
                return Err(FieldError::Length { what, found: side });
            }
        }
        match self {
            Self::SmallBins { sources, .. } if !(1..=MOST_SOURCES).contains(&sources) => {
                needs("1 to 32 sources a bin")
            }
            _ => Ok(()),
        }
    }
}

/// How many distances were compared with the reach, and how many of them were less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DistanceTests {
    /// Those made.
    pub made: u64,
    /// Those of a source and a point in reach of each other.
    pub succeeded: u64,
}

impl DistanceTests {
    /// The share of tests that succeed, from 0 to 1; NaN where there are none.
    ///
    /// ```
    /// use albireo_fields::DistanceTests;
    /// assert_eq!(DistanceTests { made: 8, succeeded: 2 }.share(), 0.25);
    /// ```
    pub fn share(self) -> f64 {
        self.succeeded as f64 / self.made as f64
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self {
            made: self.made + others.made,
            succeeded: self.succeeded + others.succeeded,
        }
    }
}

/// A variant of a job: the blocks of its grid, and bins.
pub(crate) struct VariantPlan<'a> {
    pub(crate) variant: FieldVariant,
    pub(crate) job: &'a FieldJob,
    pub(crate) grid: AlignedGrid,
    /// Points of a block along each axis: blocks begin at the first point.
    pub(crate) block: [usize; 3],
    /// Of small bins.
    pub(crate) bins: Option<Bins>,
    /// The sources that find no room in theirs, if there are any.
    pub(crate) overfull: Option<Cells>,
}

impl<'a> VariantPlan<'a> {
    /// # Errors
    /// A grid that does not lie along the axes of its space, points that are none; terms that are products over the axes; bins without a
    /// cutoff, of no length, or of no sources or more than 32.
    pub(crate) fn new(variant: FieldVariant, job: &'a FieldJob) -> Result<Self> {
        variant.check(job)?;
        let needs = "a grid along the axes of the space";
        let grid = AlignedGrid::of(job).ok_or(FieldError::Variant { needs })?;
        let Targets::Grid(points) = job.targets() else {
            return Err(FieldError::Variant { needs });
        };
        let spacing = points.spacing().unwrap_or([1.0; 3]);
        let shape = points.shape();
        let mut plan = Self {
            variant,
            job,
            grid,
            block: shape,
            bins: None,
            overfull: None,
        };
        match variant {
            FieldVariant::Direct | FieldVariant::Cylinder => {}
            FieldVariant::LargeBins { side } => {
                let along = |k: usize| (side / spacing[k].abs()).ceil() as usize;
                plan.block = [0, 1, 2].map(|k| along(k).clamp(1, shape[k]));
            }
            FieldVariant::SmallBins { side, sources } => {
                plan.block = shape.map(|n| SMALL_BLOCK.min(n));
                plan.fill_bins(side, sources, spacing);
            }
        }
        Ok(plan)
    }

    /// Puts sources into bins that begin half a step before the first point.
    fn fill_bins(&mut self, side: f64, sources: usize, spacing: [f64; 3]) {
        let (job, frame) = (self.job, self.job.frame());
        let origin = [0, 1, 2].map(|k| {
            let half = 0.5 * spacing[k].abs() / self.grid.units()[k];
            self.grid.along(k)[0].wrapping_sub((half as u64).min(1 << 61))
        });
        let bins = Bins::new(frame, job.cells().sources(), origin, (side, sources));
        let left = bins.overfull();
        if !left.fractions.is_empty() {
            let side = job.term().reach() / CELLS_IN_REACH;
            self.overfull = Some(Cells::new(frame, &left, side));
        }
        self.bins = Some(bins);
    }

    /// The first plane of the block that holds a plane.
    pub(crate) fn block_of(&self, plane: usize) -> usize {
        plane - plane % self.block[0]
    }

    /// The sources that a block meets.
    pub(crate) fn sources(&self) -> &Sources {
        match &self.bins {
            Some(bins) => bins.cells().sources(),
            None => self.job.cells().sources(),
        }
    }

    /// The points of a block along an axis, from its first on.
    pub(crate) fn block_along(&self, axis: usize, first: usize) -> Stretch {
        let end = (first + self.block[axis]).min(self.grid.along(axis).len());
        self.grid.middle(axis, first..end)
    }

    /// Collects the rows of the sources that the block at these points meets.
    pub(crate) fn gather(&self, first: [usize; 3], rows: &mut Vec<u32>) {
        rows.clear();
        let reach = self.job.term().reach();
        let all = 0..self.sources().fractions.len() as u32;
        if matches!(self.variant, FieldVariant::Direct | FieldVariant::Cylinder) {
            rows.extend(all);
            return;
        }
        let stretches = [0, 1, 2].map(|axis| self.block_along(axis, first[axis]));
        if let Some(bins) = &self.bins {
            bins.near(&stretches, reach, |found| rows.extend(found));
            return;
        }
        let (cells, units) = (self.job.cells(), self.grid.units());
        let wide = stretches.map(|along| (reach + along.half) * (1.0 + SLACK));
        let fractions = &cells.sources().fractions;
        let within = |row: usize| {
            (0..3).all(|k| {
                let d = component(units[k], fractions[row][k], stretches[k].centre);
                d.abs() <= wide[k]
            })
        };
        cells.near(stretches.map(|along| along.centre), wide, |found| {
            rows.extend(found.filter(|&row| within(row)).map(|row| row as u32));
        });
    }
}
