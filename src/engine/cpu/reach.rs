//! Which rows of a block come within reach of a leaf.

use albireo_simd::Simd;

use crate::binning::filter::{Measured, Rounding};
use crate::traversal::{BLOCK, LeafBox, Region};

/// The region of a job in scaled float32, for leaving out rows: too large by its roundings, never too small.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    across2: f32,
    along: f32,
    /// Added to gaps: the largest error of a difference within reach.
    slack: f32,
    is_cylinder: bool,
    is_everything: bool,
    /// What a pair within reach measures less than: the square across, and the distance along.
    measured: [f32; 2],
}

impl Reach {
    /// The reach of a job whose lengths are multiplied by `scale`, which `rounding` bounds the errors of.
    pub(super) fn new(region: &Region, scale: f64, rounding: &Rounding) -> Self {
        let radius = region.per_axis().into_iter().fold(0.0, f64::max) * scale;
        let error = rounding.of_difference(radius);
        let farthest = (region.across2 * scale * scale).sqrt().max(radius);
        let across2 = region.across2 * scale * scale + rounding.of_square(farthest);
        let along = region.along * scale + rounding.of_difference(farthest);
        Self {
            across2: (region.across2 * scale * scale * (1.0 + 1e-6)) as f32,
            along: (region.along * scale * (1.0 + 1e-6)) as f32,
            slack: (error * 1.01) as f32,
            is_cylinder: region.axis().is_some(),
            is_everything: region.is_everything(),
            measured: [across2, along].map(|most| (most * (1.0 + 1e-6)) as f32),
        }
    }

    /// Whether any pair that measures this, the square first, may be within reach.
    #[inline(always)]
    pub(super) fn holds_some<S: Simd>(&self, simd: S, measured: Measured<S>) -> bool {
        simd.mask_bits(self.holds_each(simd, measured)) != 0
    }

    /// Which of the pairs that measure this may be within reach.
    #[inline(always)]
    pub(super) fn holds_each<S: Simd>(&self, simd: S, [square, along, _]: Measured<S>) -> S::U {
        let [across2, most] = self.measured;
        let mut near = simd.less(square, simd.splat(across2));
        if self.is_cylinder {
            let along = simd.less(simd.abs(along), simd.splat(most));
            near = simd.and(near, along);
        }
        near
    }

    /// Whether a point at these distances from a box is within reach.
    fn holds(&self, [x, y, z]: [f32; 3]) -> bool {
        let xy = x * x + y * y;
        if self.is_cylinder {
            return self.is_everything || xy < self.across2 && z < self.along;
        }
        self.is_everything || xy + z * z < self.across2
    }

    /// As [`Reach::holds`], lane by lane, where something may be left out.
    #[inline(always)]
    fn holds_lanes<S: Simd>(&self, simd: S, [x, y, z]: [S::F; 3]) -> S::U {
        let xy = simd.mul_add(y, y, simd.mul(x, x));
        let across2 = simd.splat(self.across2);
        if self.is_cylinder {
            let along = simd.less(z, simd.splat(self.along));
            return simd.and(simd.less(xy, across2), along);
        }
        simd.less(simd.mul_add(z, z, xy), across2)
    }
}

/// A leaf as a block sees it, with the axes in the order of the job.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facing {
    /// `(centre1 - centre2) + translation` of the two blocks, scaled.
    pub(super) apart: [f32; 3],
    /// Half extents of the first block, scaled and rounded up.
    pub(super) half: [f32; 3],
    /// Which of the axes x, y, z each one is.
    pub(super) axes: [usize; 3],
    /// Points of the first block.
    pub(super) n: u32,
}

impl Reach {
    /// The rows of a block, `offsets` from its centre, that come within reach of a leaf, one bit each.
    #[inline(always)]
    pub(super) fn rows<S: Simd, const N: usize>(
        &self,
        simd: S,
        offsets: [&[f32; N]; 3],
        facing: &Facing,
        leaf: &LeafBox,
    ) -> u64 {
        let used = u64::MAX >> (BLOCK as u32 - facing.n);
        let (mut centre, mut half, mut farthest) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for k in 0..3 {
            centre[k] = leaf.centre[facing.axes[k]] - facing.apart[k];
            half[k] = leaf.half[facing.axes[k]] + self.slack;
            farthest[k] = (centre[k].abs() + facing.half[k] - half[k]).max(0.0);
        }
        if self.holds(farthest) {
            return used;
        }
        let mut near = 0u64;
        for at in (0..BLOCK).step_by(S::LANES) {
            let x = gap(simd, &offsets[0][at..], centre[0], half[0]);
            let y = gap(simd, &offsets[1][at..], centre[1], half[1]);
            let z = gap(simd, &offsets[2][at..], centre[2], half[2]);
            let inside = self.holds_lanes(simd, [x, y, z]);
            near |= u64::from(simd.mask_bits(inside)) << at;
        }
        near & used
    }
}

impl Reach {
    /// Whether every row of a block may well be within reach of every point of a leaf. Roundings do not matter: it tells where to look for
    /// what is beyond reach, and not what is.
    #[inline(always)]
    pub(super) fn holds_all(&self, facing: &Facing, leaf: &LeafBox) -> bool {
        let mut farthest = [0.0; 3];
        for (k, farthest) in farthest.iter_mut().enumerate() {
            let axis = facing.axes[k];
            let centre = leaf.centre[axis] - facing.apart[k];
            *farthest = centre.abs() + facing.half[k] + leaf.half[axis];
        }
        self.holds(farthest)
    }
}

/// Distances of rows from an interval, along one axis; 0 inside.
#[inline(always)]
fn gap<S: Simd>(simd: S, offsets: &[f32], centre: f32, half: f32) -> S::F {
    let apart = simd.abs(simd.sub(simd.load(offsets), simd.splat(centre)));
    simd.max(simd.sub(apart, simd.splat(half)), simd.splat(0.0))
}
