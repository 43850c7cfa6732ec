//! Separation -> bin: one exact rule in float64 for each way of binning pairs.
//!
//! Entry: [`Bins`]: [`RBins`], [`SMuBins`], [`RpPiBins`], [`ThetaBins`] or a rule of another crate, all of them a [`Binning`]. Bins never
//! loop over pairs.
//!
//! The exact rule is [`Binning::bin`], the contract. The library's own binnings also have a form that fast engines build their filter
//! from; a filter may decide a pair only where it cannot be wrong. A binning of another crate has its rule alone.

mod algebra;
mod axes;
mod axis;
mod bins;
mod difference;
mod edges;
#[allow(clippy::inline_always, reason = "filters run inside vector kernels")]
pub(crate) mod filter;
mod form;
mod formed;
mod r;
mod rp_pi;
mod s_mu;
mod theta;

pub use axes::{Axes, RowMap};
pub use axis::{AxisUnit, BinAxis};
pub use bins::{Bins, CustomBins};
pub use edges::{Edges, SignedEdges};
pub(crate) use form::Form;
pub(crate) use formed::Formed;
pub use r::RBins;
pub use rp_pi::RpPiBins;
pub use s_mu::SMuBins;
pub use theta::ThetaBins;
pub(crate) use theta::chord;

use std::any::Any;
use std::sync::Arc;

use crate::domain::{Axis, Domain, Lattice};
use crate::error::{BinsError, JobError};
use crate::separation::{SIGHT_RANGE, Separation, dot, norm2, sum};

/// The direction along which `mu` and `pi` are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize)]
pub enum LineOfSight {
    /// `x1 + x2`, from the observer at the origin to the middle of the pair.
    #[default]
    Midpoint,
    /// `x1`, the first point of the pair.
    First,
    /// `x2`, the second point of the pair.
    End,
    /// A fixed axis: the plane-parallel limit and the only choice in a periodic box.
    Fixed(Axis),
}

impl LineOfSight {
    /// `midpoint`, `first`, `end`, `x`, `y` or `z`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Midpoint => "midpoint",
            Self::First => "first",
            Self::End => "end",
            Self::Fixed(axis) => axis.name(),
        }
    }

    /// The line of sight of this [`name`](LineOfSight::name).
    pub fn named(name: &str) -> Option<Self> {
        let fixed = [Axis::X, Axis::Y, Axis::Z].map(Self::Fixed);
        let mut all = [Self::Midpoint, Self::First, Self::End]
            .into_iter()
            .chain(fixed);
        all.find(|los| los.name() == name)
    }

    /// Whether exchanging the two points changes the direction.
    pub fn depends_on_order(self) -> bool {
        matches!(self, Self::First | Self::End)
    }

    /// The squared projection of the pair on the line of sight as `(d.l)^2` and `l^2`, with the sign of `d.l`.
    #[inline]
    fn project(self, sep: &Separation) -> Projection {
        let l = match self {
            Self::Fixed(axis) => {
                let d = sep.d[axis.index()];
                return Projection {
                    dl2: d * d,
                    l2: 1.0,
                    negative: d < 0.0,
                };
            }
            Self::Midpoint => sum(sep.x1, sep.x2),
            Self::First => sep.x1,
            Self::End => sep.x2,
        };
        let dl = dot(sep.d, l);
        Projection {
            dl2: dl * dl,
            l2: norm2(l),
            negative: dl < 0.0,
        }
    }

    /// The squared cosine between the pair and the line of sight, at most 1 and 0 where there is no direction, and whether `d.l` is
    /// below zero.
    #[inline]
    pub(crate) fn cosine2(self, sep: &Separation) -> (f64, bool) {
        let projection = self.project(sep);
        if sep.r2 == 0.0 || projection.l2 == 0.0 {
            return (0.0, false);
        }
        let scale = match self {
            Self::Fixed(_) => sep.r2,
            _ => sep.r2 * projection.l2,
        };
        ((projection.dl2 / scale).min(1.0), projection.negative)
    }
}

/// A pair projected on its line of sight.
struct Projection {
    /// `(d.l) * (d.l)`.
    dl2: f64,
    /// `l.l`; exactly 1 for a fixed axis.
    l2: f64,
    /// Whether `d.l` is below zero.
    negative: bool,
}

/// How many times an auto count holds a pair of particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairOrder {
    /// Once: the bin does not depend on which point comes first. Total N(N-1)/2.
    Unordered,
    /// As (i, j) and as (j, i): signed coordinates or a line of sight through one end. Total N(N-1).
    Ordered,
}

/// The largest region around a particle that bins can reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach {
    /// A sphere of this radius.
    Sphere(f64),
    /// A cylinder around the axis: radius across, half height along.
    Cylinder {
        /// The axis of the cylinder.
        axis: Axis,
        /// Its radius.
        across: f64,
        /// Its half height.
        along: f64,
    },
}

impl Reach {
    /// How far the region extends along each axis.
    pub fn along_axes(self) -> [f64; 3] {
        match self {
            Self::Sphere(radius) => [radius; 3],
            Self::Cylinder {
                axis,
                across,
                along,
            } => {
                let mut reach = [across; 3];
                reach[axis.index()] = along;
                reach
            }
        }
    }

    /// Radius of the sphere that holds the region.
    pub fn radius(self) -> f64 {
        match self {
            Self::Sphere(radius) => radius,
            Self::Cylinder { across, along, .. } => across.hypot(along),
        }
    }
}

/// Largest number of bins, over all axes together.
pub const MAX_BINS: usize = 1 << 24;

/// Refuses more bins than [`MAX_BINS`], the product of these numbers along the axes.
fn check_number(along: &[usize]) -> Result<(), BinsError> {
    let bins = along.iter().try_fold(1, |n: usize, &m| n.checked_mul(m));
    match bins {
        Some(bins) if bins <= MAX_BINS => Ok(()),
        _ => Err(BinsError::TooManyBins {
            along: along.to_vec(),
            limit: MAX_BINS,
        }),
    }
}

/// Separation -> bin.
///
/// Besides the library's own binnings any other may implement it: [`Naive`](crate::Naive) and [`Cpu`](crate::engine::Cpu) then
/// decide every pair in reach by [`Binning::bin`]; GPUs have no kernel for it and refuse it.
///
/// ```
/// use albireo::binning::{BinAxis, Binning, PairOrder, Reach};
/// use albireo::{RBins, Separation};
///
/// /// Bins in r of the pairs that lie along z rather than across it.
/// #[derive(Debug, Clone, PartialEq)]
/// struct Polar(RBins);
///
/// impl Binning for Polar {
///     fn shape(&self) -> Vec<usize> {
///         self.0.shape()
///     }
///     fn axes(&self) -> Vec<BinAxis> {
///         self.0.axes()
///     }
///     fn bin(&self, sep: &Separation) -> Option<usize> {
///         let along = sep.d[2] * sep.d[2];
///         if along > 0.5 * sep.r2 { self.0.bin(sep) } else { None }
///     }
///     fn order(&self) -> PairOrder {
///         PairOrder::Unordered
///     }
///     fn reach(&self) -> Reach {
///         self.0.reach()
///     }
///     fn coordinate(&self, sep: &Separation) -> f64 {
///         self.0.coordinate(sep)
///     }
///     fn coordinate_limit(&self) -> f64 {
///         self.0.coordinate_limit()
///     }
/// }
/// ```
pub trait Binning: Any + std::fmt::Debug + Send + Sync {
    /// Number of bins along each axis; the last axis varies fastest in a count.
    fn shape(&self) -> Vec<usize>;

    /// The same axes as results show them: name, edges and unit.
    fn axes(&self) -> Vec<BinAxis>;

    /// Number of bins in all.
    fn n_bins(&self) -> usize {
        self.shape().iter().product()
    }

    /// The bin of a pair, or none: the contract, in float64.
    fn bin(&self, sep: &Separation) -> Option<usize>;

    /// How often an auto count holds each pair.
    fn order(&self) -> PairOrder;

    /// The region outside which no pair can land in a bin.
    fn reach(&self) -> Reach;

    /// The line of sight, where the bins have one.
    fn line_of_sight(&self) -> Option<LineOfSight> {
        None
    }

    /// The coordinate averaged on request: r, s, `rp` in length units or theta in degrees.
    fn coordinate(&self, sep: &Separation) -> f64;

    /// No pair in a bin has a coordinate above this.
    fn coordinate_limit(&self) -> f64;

    /// The same rule over other edges, those of each axis in turn; of the same type.
    ///
    /// # Errors
    /// [`BinsError::Custom`] for a rule that has no others, as where this is left out; edges that the rule refuses.
    fn over(&self, edges: &[Vec<f64>]) -> Result<Arc<dyn Binning>, BinsError> {
        let _ = edges;
        Err(BinsError::Custom(self.name()))
    }

    /// What messages call it: its type, unless it says otherwise.
    fn name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// Whether positions must be unit vectors.
    fn on_sphere(&self) -> bool {
        false
    }

    /// Checks that these bins are defined in `domain`.
    ///
    /// # Errors
    /// Bins reaching past half the box, or a line of sight without a meaning there.
    fn admit(&self, domain: &Domain) -> Result<(), JobError> {
        if let Some(LineOfSight::Midpoint | LineOfSight::First | LineOfSight::End) =
            self.line_of_sight()
        {
            let axes = self.axes();
            check_sight_edges(axes.iter().flat_map(|axis| &axis.edges))?;
        }
        if !domain.is_periodic() {
            return Ok(());
        }
        if self.on_sphere() {
            return Err(JobError::AngleInBox);
        }
        match self.line_of_sight() {
            None | Some(LineOfSight::Fixed(_)) => {}
            Some(los) => return Err(JobError::LineOfSight(los.name())),
        }
        match domain {
            Domain::Open => Ok(()),
            Domain::Periodic(cell) => Axis::ALL.iter().try_for_each(|&axis| {
                let reach = self.reach().along_axes()[axis.index()];
                match cell.length(axis) {
                    Some(length) if reach > length / 2.0 => Err(JobError::Reach {
                        axis: axis.name(),
                        reach,
                        limit: length / 2.0,
                    }),
                    _ => Ok(()),
                }
            }),
            Domain::Triclinic(lattice) => check_reach2(self.reach(), lattice),
        }
    }
}

/// Refuses edges too large or too small for a line of sight from an observer.
pub(crate) fn check_sight_edges<'a>(
    edges: impl IntoIterator<Item = &'a f64>,
) -> Result<(), JobError> {
    let [lo, hi] = SIGHT_RANGE;
    let mut edges = edges.into_iter();
    match edges.find(|edge| **edge != 0.0 && !(lo..=hi).contains(&edge.abs())) {
        None => Ok(()),
        Some(&value) => Err(JobError::SightRange {
            what: "edges other than 0",
            value,
            place: String::new(),
            lo,
            hi,
        }),
    }
}

/// Refuses bins that reach past half the shortest vector of `lattice`: compared squared, as separations are.
fn check_reach2(reach: Reach, lattice: &Lattice) -> Result<(), JobError> {
    let limit2 = lattice.limit2();
    match reach {
        Reach::Sphere(reach) if reach * reach > limit2 => Err(JobError::Reach {
            axis: "any",
            reach,
            limit: lattice.reach(),
        }),
        Reach::Cylinder { across, along, .. } if across * across + along * along > limit2 => {
            Err(JobError::ReachSquared {
                reach2: across * across + along * along,
                limit2,
            })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_many<T: std::fmt::Debug>(made: Result<T, BinsError>, along: &[usize]) {
        let expected = BinsError::TooManyBins {
            along: along.to_vec(),
            limit: MAX_BINS,
        };
        assert_eq!(made.unwrap_err(), expected);
    }

    #[test]
    fn more_bins_than_a_count_can_hold_are_refused_before_they_are_made() {
        let above = MAX_BINS + 1;
        for n in [above, 1 << 40, usize::MAX] {
            too_many(Edges::linear(0.0, 1.0, n), &[n]);
            too_many(Edges::logarithmic(1.0, 2.0, n), &[n]);
            too_many(SignedEdges::linear(-1.0, 1.0, n), &[n]);
        }
        let values: Vec<f64> = (0..=above).map(|k| k as f64).collect();
        too_many(Edges::new(values.clone()), &[above]);
        too_many(SignedEdges::new(values), &[above]);
        let edges = |n: usize| Edges::linear(0.0, 1.0, n).unwrap();
        let signed = |n: usize| SignedEdges::linear(0.0, 1.0, n).unwrap();
        for (n, m) in [(4097, 4096), (1_000_000, 1_000_000)] {
            let los = LineOfSight::Midpoint;
            too_many(SMuBins::new(edges(n), signed(m), los), &[n, m]);
            too_many(RpPiBins::new(edges(n), signed(m), los), &[n, m]);
        }
        // 2^64 bins are 0 in a product that wraps.
        too_many(check_number(&[1 << 32, 1 << 32]), &[1 << 32, 1 << 32]);
        assert_eq!(edges(MAX_BINS).n_bins(), MAX_BINS);
        let most = SMuBins::new(edges(4096), signed(4096), LineOfSight::Midpoint).unwrap();
        assert_eq!(most.n_bins(), MAX_BINS);
        let error = SMuBins::new(edges(4097), signed(4096), LineOfSight::Midpoint).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there can be at most 16777216 bins in all, found 4097 x 4096"
        );
    }
}
