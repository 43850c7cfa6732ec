//! The Wigner-Seitz cell of a lattice, the points nearer to the origin than to any of its images, and balls about the origin.
//!
//! Entry: [`WignerSeitz`].
//!
//! A ball less the cell falls into what lies behind each face. Seen from the origin, the part of a face within the ball covers the solid
//! angle Omega; behind it lies `R^3 Omega/3 - h A/3`, the cone up to the sphere less the cone up to the face, h its height and A the area of
//! that part. Both are sums over the sides of the face, each over the triangle between the foot of the height and the side: within the ball
//! up to where the sphere crosses the side, and a sector of the disc in which the sphere cuts the plane of the face beyond.

use std::f64::consts::PI;

use albireo::binning::Edges;
use albireo::domain::{Axis, Domain};
use albireo::quadrature::GaussLegendre;
use albireo::separation::{dot, norm2};

use super::polygon::{HalfPlane, Polygon, Side};

/// A cell, bounded along the periodic axes of a domain.
///
/// ```
/// use albireo_fluids::WignerSeitz;
/// use albireo::{Domain, PeriodicBox};
/// let cube = WignerSeitz::new(&Domain::Periodic(PeriodicBox::cubic(2.0)?));
/// let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
/// assert_eq!(cube.ball(0.9), ball(0.9));
/// // A little beyond half the box six caps are lost; beyond the corners there is the cell and nothing else.
/// let cap = std::f64::consts::PI / 3.0 * 0.1 * 0.1 * 3.2;
/// assert!((cube.ball(1.1) - (ball(1.1) - 6.0 * cap)).abs() < 1e-14);
/// assert_eq!(cube.ball(1.8), 8.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WignerSeitz {
    /// One of each two opposite faces.
    faces: Vec<Face>,
    /// Of a lattice that is periodic along three axes.
    volume: Option<f64>,
    inner: f64,
    outer: f64,
    /// The largest radius up to which a cell without end is known.
    known_to: f64,
    /// Radii at which a sphere meets faces, sides and corners, rising.
    kinks: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Face {
    height: f64,
    outline: Polygon,
}

/// What of a face lies within a sphere: its solid angle and what the ball has behind it.
#[derive(Debug, Clone, Copy, Default)]
struct Behind {
    solid_angle: f64,
    volume: f64,
}

/// A shell thinner than this, relative to its radius, is integrated over its spheres: the difference of two balls would lose digits.
const THIN: f64 = 1.0 / 500.0;

/// Lattice vectors that span the images of a domain, reduced.
pub(super) fn generators(domain: &Domain) -> Vec<[f64; 3]> {
    match domain {
        Domain::Open => vec![],
        Domain::Periodic(cell) => {
            let along = |axis: Axis| {
                let length = cell.length(axis)?;
                let mut vector = [0.0; 3];
                vector[axis.index()] = length;
                Some(vector)
            };
            Axis::ALL.into_iter().filter_map(along).collect()
        }
        Domain::Triclinic(lattice) => lattice.basis().to_vec(),
    }
}

/// All sums of some vectors, each up to twice, but 0. A face of the cell of a reduced basis belongs to one of them.
pub(super) fn lattice_vectors<const N: usize>(generators: &[[f64; N]]) -> Vec<[f64; N]> {
    let mut sums = vec![[0.0; N]];
    for vector in generators {
        let multiples = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let add = |sum: &[f64; N], n: f64| std::array::from_fn(|k| sum[k] + n * vector[k]);
        sums = (sums.iter())
            .flat_map(|sum| multiples.map(|n| add(sum, n)))
            .collect();
    }
    sums.retain(|sum| sum.iter().any(|x| *x != 0.0));
    sums
}

/// Two vectors of length 1 at right angles to `t` and to each other.
fn across(t: [f64; 3]) -> [[f64; 3]; 2] {
    let scaled = |v: [f64; 3]| v.map(|x| x / norm2(v).sqrt());
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let unit = scaled(t);
    let least = (0..3).min_by(|&a, &b| unit[a].abs().total_cmp(&unit[b].abs()));
    let mut axis = [0.0; 3];
    axis[least.unwrap_or(0)] = 1.0;
    let first = scaled(cross(unit, axis));
    [first, cross(unit, first)]
}

impl Face {
    /// The face half way to `t`, as far as `far`; none if other images are nearer all over it.
    fn of(t: [f64; 3], vectors: &[[f64; 3]], far: f64) -> Option<Self> {
        let plane = across(t);
        let length2 = norm2(t);
        let mut borders = vec![];
        for &s in vectors {
            let inside = plane.map(|axis| dot(s, axis));
            let length = inside[0].hypot(inside[1]);
            if length * length <= 1e-24 * norm2(s) {
                // Along t itself: shorter ones stand in its way.
                if dot(s, t) > 0.0 && norm2(s) < 0.9 * length2 {
                    return None;
                }
                continue;
            }
            let distance = (norm2(s) - dot(s, t)) / (2.0 * length);
            if distance <= 1e-13 * length2.sqrt() {
                return None;
            }
            borders.push(HalfPlane {
                normal: inside.map(|x| x / length),
                distance,
            });
        }
        Some(Self {
            height: length2.sqrt() / 2.0,
            outline: Polygon::of(&borders, far)?,
        })
    }

    fn behind(&self, r: f64) -> Behind {
        if r <= self.height {
            return Behind::default();
        }
        let sides = self.outline.sides.iter();
        sides.fold(Behind::default(), |sum, side| {
            let [from, to] = [side.from, side.to].map(|x| up_to(self.height, side, r, x));
            Behind {
                solid_angle: sum.solid_angle + (to.solid_angle - from.solid_angle),
                volume: sum.volume + (to.volume - from.volume),
            }
        })
    }

    fn kinks(&self) -> impl Iterator<Item = f64> {
        let h = self.height;
        let sides = self.outline.sides.iter();
        let of_side = move |side: &Side| {
            let edge = h.hypot(side.distance);
            [edge, edge.hypot(side.from)]
        };
        sides.flat_map(of_side).chain([h])
    }
}

/// Of the triangle between the foot of the height and a side, from the point of the side nearest to it to `x`.
fn up_to(h: f64, side: &Side, r: f64, x: f64) -> Behind {
    let p = side.distance;
    let cut2 = (r - h) * (r + h) - p * p;
    let crossing = if cut2 > 0.0 { cut2.sqrt() } else { 0.0 };
    // Within the ball: the triangle up to the crossing.
    let inner = x.clamp(-crossing, crossing);
    let distance = (h * h + p * p + inner * inner).sqrt();
    let turned = libm::atan2(inner, p);
    let covered = turned - libm::atan2(h * inner, p * distance);
    // Beyond it: the sector of the disc.
    let sector = if inner == x {
        0.0
    } else {
        libm::atan2(x, p) - turned
    };
    let cap = (r - h) * (r - h) * (2.0 * r + h) / 6.0;
    Behind {
        solid_angle: covered + (r - h) / r * sector,
        volume: r * r * r / 3.0 * covered - h * p * inner / 6.0 + cap * sector,
    }
}

fn whole_ball(r: f64) -> f64 {
    4.0 / 3.0 * PI * (r * r * r)
}

impl WignerSeitz {
    /// The cell of a domain, which ends half way to its images; along open axes it does not end.
    pub fn new(domain: &Domain) -> Self {
        let generators = generators(domain);
        let vectors = lattice_vectors(&generators);
        let far: f64 = 4.0 * generators.iter().map(|g| norm2(*g).sqrt()).sum::<f64>();
        let half = vectors.iter().filter(|t| **t > [0.0; 3]);
        let faces: Vec<Face> = half.filter_map(|&t| Face::of(t, &vectors, far)).collect();
        let inner = faces.iter().map(|face| face.height);
        let bounded = generators.len() == 3;
        let outer = faces
            .iter()
            .map(|face| face.height.hypot(face.outline.farthest));
        let mut kinks: Vec<f64> = faces.iter().flat_map(Face::kinks).collect();
        kinks.sort_by(f64::total_cmp);
        Self {
            volume: domain.volume(),
            inner: inner.fold(f64::INFINITY, f64::min),
            outer: if bounded {
                outer.fold(0.0, f64::max)
            } else {
                f64::INFINITY
            },
            known_to: if generators.is_empty() {
                f64::INFINITY
            } else {
                far
            },
            faces,
            kinks,
        }
    }

    /// The largest radius for which a cell that does not end answers: four times the lengths of the box; infinite of other cells.
    pub fn known_to(&self) -> f64 {
        if self.outer.is_finite() {
            f64::INFINITY
        } else {
            self.known_to
        }
    }

    /// The radius of the largest ball in the cell: half the shortest lattice vector.
    pub fn inner_radius(&self) -> f64 {
        self.inner
    }

    /// The distance of the farthest corner; infinite where an axis is open.
    pub fn outer_radius(&self) -> f64 {
        self.outer
    }

    /// The volume of the part of a ball of radius `r` about the origin that lies in the cell, to 1e-12 of the ball.
    ///
    /// NaN beyond [`WignerSeitz::known_to`].
    pub fn ball(&self, r: f64) -> f64 {
        match self.volume {
            Some(volume) if r >= self.outer => volume,
            _ if r > self.known_to() => f64::NAN,
            _ => whole_ball(r) - self.behind(r).volume,
        }
    }

    /// The share of a sphere of radius `r` about the origin that lies in the cell; NaN beyond [`WignerSeitz::known_to`].
    pub fn sphere(&self, r: f64) -> f64 {
        if r >= self.outer {
            return 0.0;
        }
        if r > self.known_to() {
            return f64::NAN;
        }
        (1.0 - self.behind(r).solid_angle / (4.0 * PI)).max(0.0)
    }

    /// The share of the shell between two edges that lies in the cell: 1 of those within half the shortest lattice vector.
    pub fn shells(&self, edges: &Edges) -> Vec<f64> {
        let rule = GaussLegendre::default();
        let shells = edges.values().windows(2);
        shells.map(|e| self.shell(&rule, e[0], e[1])).collect()
    }

    fn shell(&self, rule: &GaussLegendre, from: f64, to: f64) -> f64 {
        if to <= self.inner {
            return 1.0;
        }
        if from >= self.outer {
            return 0.0;
        }
        let width = to - from;
        let smooth = |kink: &f64| *kink < from - width / 2.0 || *kink > to + width / 2.0;
        if width < THIN * to && self.kinks.iter().all(smooth) {
            let kept = rule.integrate(from, to, |r| r * r * self.sphere(r));
            return kept / rule.integrate(from, to, |r| r * r);
        }
        let whole = whole_ball(to) - whole_ball(from);
        ((self.ball(to) - self.ball(from)) / whole).clamp(0.0, 1.0)
    }

    fn behind(&self, r: f64) -> Behind {
        let faces = self.faces.iter().map(|face| face.behind(r));
        faces.fold(Behind::default(), |sum, face| Behind {
            solid_angle: sum.solid_angle + 2.0 * face.solid_angle,
            volume: sum.volume + 2.0 * face.volume,
        })
    }
}
