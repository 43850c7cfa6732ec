//! Bins of the pairs between clouds, in float32: the definition for one pair, and the same bits for a register of them.
//!
//! Entry: [`Rule`]. Positions are rounded to float32 in units in which they lie below 1; what follows are additions, subtractions, multiplications,
//! quotients and roots, each rounded once, in the order written. About one pair in 1e5 of a bin lies on the other side of an edge in float64.

use albireo::{Axis, Bins, Domain, LineOfSight};
use albireo_simd::{Lanes32, Numbers, Scalar32, Simd};

use super::SamplerError;
use super::along::Along;

/// What quotients are divided by at least: they are 0 where there is no direction.
const TINY: f32 = f32::MIN_POSITIVE;

/// Numbers that are made of constants.
pub(super) trait Single: Numbers {
    fn of(self, value: f32) -> Self::D;
    fn abs(self, a: Self::D) -> Self::D;
}

impl Single for Scalar32 {
    #[inline(always)]
    fn of(self, value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn abs(self, a: f32) -> f32 {
        a.abs()
    }
}

impl<S: Simd> Single for Lanes32<S> {
    #[inline(always)]
    fn of(self, value: f32) -> S::F {
        self.0.splat(value)
    }
    #[inline(always)]
    fn abs(self, a: S::F) -> S::F {
        self.0.abs(a)
    }
}

/// Where the observer is: at the origin, the line of sight going through the middle of the pair, or far away along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sight {
    Midpoint,
    Axis(usize),
}

/// The coordinates of the bins.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Coordinates {
    Radial,
    Cosine(Sight),
    Across(Sight),
}

/// The bin of a pair in float32.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    coordinates: Coordinates,
    first: Along,
    second: Along,
    /// A power of two that brings all positions below 1.
    unit: f64,
    /// Lengths of a periodic box; infinite along open axes.
    lengths: Option<[f32; 3]>,
}

fn sight(bins: &Bins) -> Result<Sight, SamplerError> {
    match bins.line_of_sight() {
        Some(LineOfSight::Midpoint) => Ok(Sight::Midpoint),
        Some(LineOfSight::Fixed(axis)) => Ok(Sight::Axis(axis.index())),
        Some(other) => Err(SamplerError::LineOfSight {
            expected: "the middle of the pair or an axis",
            found: other.name(),
        }),
        None => Err(SamplerError::Bins {
            found: "bins without a line of sight",
        }),
    }
}

impl Rule {
    /// Of bins, for positions of magnitude up to `largest`.
    pub(super) fn new(bins: &Bins, domain: &Domain, largest: f64) -> Result<Self, SamplerError> {
        let signed = SamplerError::Bins {
            found: "a coordinate with a sign",
        };
        let unit = (-largest.log2().ceil()).exp2();
        let scaled = |edges: &[f64]| edges.iter().map(|e| e * unit).collect::<Vec<_>>();
        let (coordinates, first, second) = match bins {
            Bins::R(r) => {
                let r = Along::new("r", &scaled(r.edges().values()), false)?;
                (Coordinates::Radial, r, Along::one())
            }
            Bins::SMu(bins_) => {
                let (s, mu) = (bins_.s_edges().values(), bins_.mu_edges());
                if mu.signed() {
                    return Err(signed);
                }
                let closed = mu.largest() == 1.0;
                let s = Along::new("s", &scaled(s), false)?;
                let mu = Along::new("mu", mu.values(), closed)?;
                (Coordinates::Cosine(sight(bins)?), s, mu)
            }
            Bins::RpPi(bins_) => {
                let (rp, pi) = (bins_.rp_edges().values(), bins_.pi_edges());
                if pi.signed() {
                    return Err(signed);
                }
                let rp = Along::new("rp", &scaled(rp), false)?;
                let pi = Along::new("pi", &scaled(pi.values()), false)?;
                (Coordinates::Across(sight(bins)?), rp, pi)
            }
            Bins::Theta(_) => return Err(SamplerError::Bins { found: "angles" }),
            Bins::Custom(_) => {
                return Err(SamplerError::Bins {
                    found: "a rule of another crate",
                });
            }
        };
        let lengths = match domain {
            Domain::Open => None,
            Domain::Periodic(cell) => {
                let along = |axis| cell.length(axis).unwrap_or(f64::INFINITY);
                Some(Axis::ALL.map(|axis| (along(axis) * unit) as f32))
            }
            Domain::Triclinic(_) => return Err(SamplerError::Triclinic),
        };
        Ok(Self {
            coordinates,
            first,
            second,
            unit,
            lengths,
        })
    }

    /// A position as this rule takes it.
    pub(super) fn position(&self, x: [f64; 3]) -> [f32; 3] {
        x.map(|coordinate| (coordinate * self.unit) as f32)
    }

    /// Both axes, and what devices know of the coordinates.
    #[cfg(feature = "cuda")]
    pub(super) fn on_device(&self) -> ([&Along; 2], albireo_kernels::structs::DeviceTiles) {
        let (coordinates, sight) = match self.coordinates {
            Coordinates::Radial => (0, Sight::Midpoint),
            Coordinates::Cosine(sight) => (1, sight),
            Coordinates::Across(sight) => (2, sight),
        };
        let job = albireo_kernels::structs::DeviceTiles {
            lengths: self.lengths.unwrap_or([f32::INFINITY; 3]),
            coordinates,
            axis: match sight {
                Sight::Midpoint => 3,
                Sight::Axis(axis) => axis as u32,
            },
            ..Default::default()
        };
        ([&self.first, &self.second], job)
    }

    /// What the ratio of float32 positions to those of the points is.
    pub(super) fn unit(&self) -> f64 {
        self.unit
    }

    /// From one position to another, in a box to its nearest image.
    #[inline(always)]
    fn difference<N: Single>(&self, n: N, x1: [N::D; 3], x2: [N::D; 3]) -> [N::D; 3] {
        let d = sub(n, x1, x2);
        let Some([x, y, z]) = self.lengths else {
            return d;
        };
        [
            nearest(n, d[0], x),
            nearest(n, d[1], y),
            nearest(n, d[2], z),
        ]
    }

    /// The squares of the separations of a register of pairs.
    #[inline(always)]
    pub(super) fn squares<S: Simd>(&self, simd: S, x1: [S::F; 3], x2: [S::F; 3]) -> S::F {
        let n = Lanes32(simd);
        let d = self.difference(n, x1, x2);
        dot(n, d, d)
    }

    /// The coordinates of a pair.
    #[inline(always)]
    fn coordinates<N: Single>(&self, n: N, x1: [N::D; 3], x2: [N::D; 3]) -> [N::D; 2] {
        let d = self.difference(n, x1, x2);
        match self.coordinates {
            Coordinates::Radial => [n.sqrt(dot(n, d, d)), n.of(0.0)],
            Coordinates::Cosine(Sight::Midpoint) => {
                let (d2, l) = (dot(n, d, d), add(n, x1, x2));
                let norm = n.sqrt(above(n, n.mul(d2, dot(n, l, l))));
                [n.sqrt(d2), n.div(n.abs(dot(n, d, l)), norm)]
            }
            Coordinates::Cosine(Sight::Axis(axis)) => {
                let s = n.sqrt(dot(n, d, d));
                [s, n.div(n.abs(along(d, axis)), above(n, s))]
            }
            Coordinates::Across(Sight::Midpoint) => {
                let l = add(n, x1, x2);
                let (dl, l2) = (dot(n, d, l), above(n, dot(n, l, l)));
                let part = n.div(dl, l2);
                let parts = [n.mul(part, l[0]), n.mul(part, l[1]), n.mul(part, l[2])];
                let across = sub(n, d, parts);
                let rp = n.sqrt(dot(n, across, across));
                [rp, n.div(n.abs(dl), n.sqrt(l2))]
            }
            Coordinates::Across(Sight::Axis(axis)) => {
                let (a, b) = (along(d, (axis + 1) % 3), along(d, (axis + 2) % 3));
                let rp = n.sqrt(n.add(n.mul(a, a), n.mul(b, b)));
                [rp, n.abs(along(d, axis))]
            }
        }
    }

    /// The bin of a pair, if it lies in one.
    #[inline]
    pub(super) fn bin(&self, x1: [f32; 3], x2: [f32; 3]) -> Option<usize> {
        let [first, second] = self.coordinates(Scalar32, x1, x2);
        Some(self.first.bin(first)? * self.second.n() + self.second.bin(second)?)
    }

    /// Whether two points in one place lie in a bin.
    pub(super) fn holds_zero(&self) -> bool {
        self.bin([0.0; 3], [0.0; 3]).is_some()
    }

    /// The bins of a register of pairs; `none` for those that lie in no bin.
    #[inline(always)]
    pub(super) fn bins<S: Simd>(&self, simd: S, x1: [S::F; 3], x2: [S::F; 3], none: S::U) -> S::U {
        let [first, second] = self.coordinates(Lanes32(simd), x1, x2);
        let (mut bin, mut inside) = self.first.bins(simd, first);
        if self.second.n() > 1 || self.coordinates != Coordinates::Radial {
            let (column, along) = self.second.bins(simd, second);
            let row = simd.mul_u(bin, simd.splat_u(self.second.n() as u32));
            bin = simd.add_u(row, column);
            inside = simd.and(inside, along);
        }
        let other = simd.xor(inside, simd.splat_u(u32::MAX));
        simd.or(simd.and(bin, inside), simd.and(none, other))
    }
}

// No closures below: they would be compiled without the instructions of the registers that they take.

#[inline(always)]
fn add<N: Numbers>(n: N, a: [N::D; 3], b: [N::D; 3]) -> [N::D; 3] {
    [n.add(a[0], b[0]), n.add(a[1], b[1]), n.add(a[2], b[2])]
}

#[inline(always)]
fn sub<N: Numbers>(n: N, a: [N::D; 3], b: [N::D; 3]) -> [N::D; 3] {
    [n.sub(a[0], b[0]), n.sub(a[1], b[1]), n.sub(a[2], b[2])]
}

/// A number, or the least that quotients are divided by.
#[inline(always)]
fn above<N: Single>(n: N, a: N::D) -> N::D {
    n.max(a, n.of(TINY))
}

#[inline(always)]
fn dot<N: Numbers>(n: N, a: [N::D; 3], b: [N::D; 3]) -> N::D {
    n.add(
        n.add(n.mul(a[0], b[0]), n.mul(a[1], b[1])),
        n.mul(a[2], b[2]),
    )
}

/// One of three components; chosen without a table, which lanes would be written to.
#[inline(always)]
fn along<D: Copy>([x, y, z]: [D; 3], axis: usize) -> D {
    match axis {
        0 => x,
        1 => y,
        _ => z,
    }
}

/// The minimum image of a difference of positions in a box.
#[inline(always)]
fn nearest<N: Single>(n: N, d: N::D, length: f32) -> N::D {
    if length == f32::INFINITY {
        return d;
    }
    let (half, whole) = (n.of(0.5 * length), n.of(length));
    let below = n.sub(d, n.where_less(half, d, whole));
    n.add(below, n.where_less(below, n.of(-0.5 * length), whole))
}
