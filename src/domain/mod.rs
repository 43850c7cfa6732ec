//! The space that separations live in: open, orthorhombic with any set of periodic axes, or triclinic.
//!
//! Entry: [`Domain`]. It owns the minimum-image rule, the wrap and the volume; nothing else does.

mod faces;
mod fractions;
mod lattice;
mod moved;
mod periodic;

pub(crate) use faces::{Faces, Nearness};
pub use fractions::{FARTHEST_IMAGE, TURN, fraction_of};
pub use lattice::Lattice;
pub use periodic::PeriodicBox;

use crate::error::DomainError;
use crate::particles::{Particles, Points};
use crate::separation::{Separation, difference};

/// One of the three Cartesian axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Axis {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// 0, 1 or 2.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// `x`, `y` or `z`.
    pub fn name(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }
}

/// What to do with a position outside a periodic box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// Refuse it, naming the row.
    Refuse,
    /// Wrap it into the box.
    Wrap,
}

/// The lattice translation, in box vectors, that the minimum image adds to `x1 - x2`.
pub type Image = [i8; 3];

/// Where particles live and how separations wrap.
///
/// ```
/// use albireo::{Domain, PeriodicBox};
/// let domain = Domain::Periodic(PeriodicBox::cubic(10.0)?);
/// let pair = domain.separation([0.5, 0.0, 0.0], [9.5, 0.0, 0.0]);
/// assert_eq!(pair.r2, 1.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Domain {
    /// No boundary: surveys, clusters, molecules in vacuum.
    #[default]
    Open,
    /// An orthorhombic box; each axis periodic or open.
    Periodic(PeriodicBox),
    /// A triclinic periodic cell.
    Triclinic(Lattice),
}

impl Domain {
    /// The separation of two positions that lie in the domain.
    #[inline]
    pub fn separation(&self, x1: [f64; 3], x2: [f64; 3]) -> Separation {
        self.separation_and_image(x1, x2).0
    }

    /// The separation and the lattice translation that made it the nearest image.
    #[inline]
    pub fn separation_and_image(&self, x1: [f64; 3], x2: [f64; 3]) -> (Separation, Image) {
        let straight = difference(x1, x2);
        let (d, image) = match self {
            Self::Open => (straight, [0; 3]),
            Self::Periodic(cell) => cell.nearest(straight),
            Self::Triclinic(lattice) => lattice.nearest(straight),
        };
        (Separation::new(d, x1, x2), image)
    }

    /// Volume of the domain, length units cubed; none when an axis is open.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Self::Open => None,
            Self::Periodic(cell) => cell.volume(),
            Self::Triclinic(lattice) => Some(lattice.volume()),
        }
    }

    /// The largest separation with a single nearest image: half the shortest lattice vector; infinite when open.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Open => f64::INFINITY,
            Self::Periodic(cell) => Axis::ALL
                .iter()
                .filter_map(|&axis| cell.length(axis))
                .fold(f64::INFINITY, |least, length| least.min(length / 2.0)),
            Self::Triclinic(lattice) => lattice.reach(),
        }
    }

    /// Whether any axis is periodic.
    pub fn is_periodic(&self) -> bool {
        match self {
            Self::Open => false,
            Self::Periodic(cell) => Axis::ALL.iter().any(|&axis| cell.length(axis).is_some()),
            Self::Triclinic(_) => true,
        }
    }

    /// The particles with every position inside the domain.
    ///
    /// On an orthorhombic periodic axis of length L positions lie in [0, L) and `x = L` is taken as 0; what lies outside is
    /// refused or wrapped. Positions in a triclinic cell are always wrapped, into the reduced cell. Positions that move do so in place
    /// where nobody else holds their columns; where none moves, nothing is copied.
    ///
    /// # Errors
    /// A position outside, with [`Outside::Refuse`], or one too far away to be wrapped.
    pub fn place(&self, particles: Particles, outside: Outside) -> Result<Particles, DomainError> {
        match self {
            Self::Open => Ok(particles),
            Self::Periodic(cell) => particles.try_map_points(|points| cell.place(points, outside)),
            Self::Triclinic(lattice) => particles.try_map_points(|points| lattice.place(points)),
        }
    }

    /// Checks that every position lies inside the domain, as [`Domain::place`] leaves it.
    ///
    /// # Errors
    /// The first row outside.
    pub fn check(&self, points: &Points) -> Result<(), DomainError> {
        match self {
            Self::Open => Ok(()),
            Self::Periodic(cell) => cell.check(points),
            Self::Triclinic(lattice) => lattice.check(points),
        }
    }
}
