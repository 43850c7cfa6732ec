//! Walls: the region that particles of a slab, a pore, a drop or a field of view are in.
//!
//! Entry: [`Walls`]. What they leave of bins is found by `set_covariance.rs`.

use albireo::domain::{Axis, Domain, Lattice};
use albireo::error::EstimatorError;
use albireo::{Points, pool};

use crate::Result;

/// A region with walls, of which the share of random pairs in each bin is known.
///
/// Along an axis without walls particles go on without end, in the periodic box of their frame.
///
/// ```
/// use albireo_fluids::{Space, Walls};
/// use albireo::{Axis, Domain, Edges, PeriodicBox, RBins};
/// // A film, 10 thick, on a plane that is periodic.
/// let film = Walls::block([None, None, Some([0.0, 10.0])])?;
/// let domain = Domain::Periodic(PeriodicBox::new([Some(30.0), Some(30.0), None])?);
/// let bins = RBins::new(Edges::new(vec![0.0, 4.0, 8.0])?);
/// let space = Space::between_walls(&bins, &film, &domain)?;
/// assert_eq!(space.volume(), 9000.0);
/// // Of the ball of radius r around a particle 3 r / 8 h lies outside on average, r up to h.
/// let kept = space.kept().unwrap_or_default();
/// assert!((kept[0] - (1.0 - 3.0 * 4.0 / 80.0)).abs() < 1e-13);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Walls {
    pub(super) shape: Shape,
}

/// What the walls enclose.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Between two planes across each axis, or none.
    Block([Option<[f64; 2]>; 3]),
    /// Within a radius of a line along an axis, between two planes across it or none.
    Cylinder {
        axis: Axis,
        centre: [f64; 2],
        radius: f64,
        along: Option<[f64; 2]>,
    },
    /// Within a radius of a point.
    Sphere { centre: [f64; 3], radius: f64 },
}

fn needs<T>(what: String) -> Result<T> {
    Err(EstimatorError::Needs(what))
}

/// Refuses planes that do not rise.
fn check_planes(planes: Option<[f64; 2]>) -> Result<()> {
    match planes {
        Some([lo, hi]) if !(lo < hi && lo.is_finite() && hi.is_finite()) => needs(format!(
            "walls must stand at two places, the lower first, found {lo} and {hi}"
        )),
        _ => Ok(()),
    }
}

fn check_round(centre: &[f64], radius: f64) -> Result<()> {
    if radius > 0.0 && radius.is_finite() && centre.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    needs(format!(
        "round walls need a finite centre and a positive, finite radius, found {centre:?} and {radius}"
    ))
}

/// The two other axes, in order.
pub(super) fn across(axis: Axis) -> [Axis; 2] {
    match axis {
        Axis::X => [Axis::Y, Axis::Z],
        Axis::Y => [Axis::X, Axis::Z],
        Axis::Z => [Axis::X, Axis::Y],
    }
}

/// How far outside a particle may seem to be for the roundings of its wrap.
const SLACK: f64 = 1e-12;

impl Walls {
    /// Two planes across each axis that has walls: a block, a beam or a slab. Length units.
    ///
    /// # Errors
    /// No walls at all, or planes whose places are not finite and rising.
    pub fn block(planes: [Option<[f64; 2]>; 3]) -> Result<Self> {
        planes.into_iter().try_for_each(check_planes)?;
        if planes == [None; 3] {
            return needs("walls across one axis at least are needed, found none".to_owned());
        }
        Ok(Self {
            shape: Shape::Block(planes),
        })
    }

    /// A round wall about a line along `axis`, at `centre` on the two other axes in their order, between two planes across it or without end.
    ///
    /// # Errors
    /// A radius that is not positive and finite, or planes whose places are not finite and rising.
    pub fn cylinder(
        axis: Axis,
        centre: [f64; 2],
        radius: f64,
        along: Option<[f64; 2]>,
    ) -> Result<Self> {
        check_round(&centre, radius)?;
        check_planes(along)?;
        Ok(Self {
            shape: Shape::Cylinder {
                axis,
                centre,
                radius,
                along,
            },
        })
    }

    /// A round wall about a point.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn sphere(centre: [f64; 3], radius: f64) -> Result<Self> {
        check_round(&centre, radius)?;
        Ok(Self {
            shape: Shape::Sphere { centre, radius },
        })
    }

    /// How far apart the walls are along each axis that has some.
    ///
    /// ```
    /// use albireo_fluids::Walls;
    /// use albireo::Axis;
    /// let pore = Walls::cylinder(Axis::Z, [0.0, 5.0], 2.0, None)?;
    /// assert_eq!(pore.lengths(), [Some(4.0), Some(4.0), None]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn lengths(&self) -> [Option<f64>; 3] {
        let between = |planes: Option<[f64; 2]>| planes.map(|[lo, hi]| hi - lo);
        match &self.shape {
            Shape::Block(planes) => planes.map(between),
            Shape::Cylinder {
                axis,
                radius,
                along,
                ..
            } => {
                let mut lengths = [Some(2.0 * radius); 3];
                lengths[axis.index()] = between(*along);
                lengths
            }
            Shape::Sphere { radius, .. } => [Some(2.0 * radius); 3],
        }
    }

    /// The first row of `points`, which lie in `domain`, that is outside of the walls.
    ///
    /// ```
    /// use albireo_fluids::Walls;
    /// use albireo::{Domain, Points};
    /// let drop = Walls::sphere([0.0; 3], 2.0)?;
    /// let points = Points::from_rows(&[[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]])?;
    /// assert_eq!(drop.first_outside(&points, &Domain::Open), Some(1));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn first_outside(&self, points: &Points, domain: &Domain) -> Option<usize> {
        let view = points.view();
        pool::first_row(points.len(), |row| !self.holds(view.at(row), domain))
    }

    fn holds(&self, x: [f64; 3], domain: &Domain) -> bool {
        // The nearest image of the place from the middle of the walls.
        let from = |centre: [f64; 3]| domain.separation(x, centre).d;
        let beside =
            |d: f64, [lo, hi]: [f64; 2]| d.abs() <= (hi - lo) / 2.0 + SLACK * (hi.abs() + lo.abs());
        let middle =
            |planes: Option<[f64; 2]>, x: f64| planes.map_or(x, |[lo, hi]| f64::midpoint(lo, hi));
        match &self.shape {
            Shape::Block(planes) => {
                let d = from([0, 1, 2].map(|k| middle(planes[k], x[k])));
                (0..3).all(|k| planes[k].is_none_or(|planes| beside(d[k], planes)))
            }
            Shape::Cylinder {
                axis,
                centre,
                radius,
                along,
            } => {
                let [a, b] = across(*axis).map(Axis::index);
                let k = axis.index();
                let mut at = [middle(*along, x[k]); 3];
                (at[a], at[b]) = (centre[0], centre[1]);
                let d = from(at);
                d[a].hypot(d[b]) <= radius * (1.0 + SLACK)
                    && along.is_none_or(|planes| beside(d[k], planes))
            }
            Shape::Sphere { centre, radius } => {
                let [x, y, z] = from(*centre);
                x.hypot(y).hypot(z) <= radius * (1.0 + SLACK)
            }
        }
    }
}

/// The period of a domain along an axis, on its own; none where the axis is open.
pub(super) fn period(domain: &Domain, axis: Axis) -> Result<Option<f64>> {
    match domain {
        Domain::Open => Ok(None),
        Domain::Periodic(cell) => Ok(cell.length(axis)),
        Domain::Triclinic(lattice) => upright(lattice, axis).map(|(length, _)| Some(length)),
    }
}

/// The vector of a lattice that stands on the two others along an axis: its length, and the area that these span.
pub(super) fn upright(lattice: &Lattice, axis: Axis) -> Result<(f64, f64)> {
    let (vectors, k) = (lattice.vectors(), axis.index());
    let along = |v: &&[f64; 3]| (0..3).all(|other| other == k || v[other] == 0.0);
    let flat = vectors.iter().filter(|v| v[k] == 0.0).count() == 2;
    match vectors.iter().find(along).filter(|_| flat) {
        Some(v) => Ok((v[k].abs(), lattice.volume() / v[k].abs())),
        None => needs(format!(
            "walls need a box vector along {} and two across it",
            axis.name()
        )),
    }
}
