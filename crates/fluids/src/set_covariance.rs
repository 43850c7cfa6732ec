//! Random pairs between walls: which share of them lies in each bin.
//!
//! Entry: [`of_shells`], [`of_cylinders`]. Of two random points of a region the difference has the density `gamma(d)/V^2`, gamma the set covariance:
//! the volume that the region and itself moved by d have in common (Stoyan, Kendall & Mecke, Stochastic Geometry, section 6.2). Across and along an
//! axis it is a product, but for a sphere.

use std::f64::consts::{FRAC_PI_2, PI};

use albireo::binning::{Bins, LineOfSight, RBins, RpPiBins};
use albireo::domain::{Axis, Domain};
use albireo::error::EstimatorError;
use albireo::estimators::rings;
use albireo::quadrature::{DoubleExponential, GaussLegendre};

use super::Space;
use super::space::bin_volumes;
use super::walls::{Shape, Walls, across, period, upright};
use crate::Result;

/// One axis of a region.
#[derive(Debug, Clone, Copy)]
enum Side {
    /// So far from wall to wall.
    Walls(f64),
    /// Periodic, of this length; differences stay below half of it.
    Periodic(f64),
}

/// A region across an axis.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// A periodic plane, of which this area is one cell.
    Plane(f64),
    Sides([Side; 2]),
    /// Of this radius.
    Disc(f64),
}

/// A region whose set covariance is known.
enum Region {
    Prism {
        base: Base,
        height: Side,
    },
    /// Of this radius.
    Sphere(f64),
}

fn needs<T>(what: String) -> Result<T> {
    Err(EstimatorError::Needs(what))
}

impl Side {
    fn length(self) -> f64 {
        match self {
            Self::Walls(length) | Self::Periodic(length) => length,
        }
    }

    /// The density of differences, of both signs.
    fn density(self, d: f64) -> f64 {
        match self {
            Self::Walls(length) => (length - d.abs()).max(0.0) / (length * length),
            Self::Periodic(length) => 1.0 / length,
        }
    }

    /// The share of differences between two, 0 <= from < to.
    fn share(self, from: f64, to: f64) -> f64 {
        match self {
            Self::Walls(length) => {
                let within = |d: f64| {
                    let d = d.min(length);
                    d * (length - d / 2.0)
                };
                (within(to) - within(from)) / (length * length)
            }
            Self::Periodic(length) => (to - from) / length,
        }
    }

    fn wall(self) -> Option<f64> {
        match self {
            Self::Walls(length) => Some(length),
            Self::Periodic(_) => None,
        }
    }
}

impl Base {
    fn area(self) -> f64 {
        match self {
            Self::Plane(area) => area,
            Self::Sides([a, b]) => a.length() * b.length(),
            Self::Disc(radius) => PI * radius * radius,
        }
    }

    /// Distances at which the density is not smooth.
    fn kinks(self) -> Vec<f64> {
        match self {
            Self::Plane(_) => vec![],
            Self::Disc(radius) => vec![2.0 * radius],
            Self::Sides(sides) => match sides.map(Side::wall) {
                [Some(a), Some(b)] => vec![a, b, a.hypot(b)],
                [a, b] => a.into_iter().chain(b).collect(),
            },
        }
    }

    /// The density of differences at this distance, its mean over directions.
    fn density(self, rho: f64) -> f64 {
        let [a, b] = match self {
            Self::Plane(area) => return 1.0 / area,
            Self::Disc(radius) => {
                let twice = 2.0 * radius;
                if rho >= twice {
                    return 0.0;
                }
                let chord = ((twice - rho) * (twice + rho)).sqrt();
                let common = 2.0 * radius * radius * libm::acos(rho / twice) - rho / 2.0 * chord;
                return common / (self.area() * self.area());
            }
            Self::Sides(sides) => sides,
        };
        // Of directions phi from the first side those for which the difference fits in: (a - rho cos phi)(b - rho sin phi) over them.
        let fits = |wall: Option<f64>| wall.map_or(1.0, |length| (length / rho).min(1.0));
        let from = libm::acos(fits(a.wall()));
        let to = libm::asin(fits(b.wall()));
        if from >= to {
            return 0.0;
        }
        let ([s1, c1], [s2, c2]) = ([from, to].map(libm::sin), [from, to].map(libm::cos));
        let (sines, cosines) = (c1 - s1, c2 - s2);
        let (p, q) = (a.length(), b.length());
        let all = p * q * (to - from);
        // Of a periodic side each difference is as frequent.
        let first = if a.wall().is_some() {
            q * rho * sines
        } else {
            0.0
        };
        let second = if b.wall().is_some() {
            p * rho * -cosines
        } else {
            0.0
        };
        let both = match (a.wall(), b.wall()) {
            (Some(_), Some(_)) => rho * rho / 2.0 * (c1 - s1) * (c1 + s1),
            _ => 0.0,
        };
        (all - first - second + both) / (p * q * p * q) / FRAC_PI_2
    }
}

/// Where a walk from `from` to `to` changes its step: the ends and what lies between.
fn pieces(from: f64, to: f64, kinks: &[f64]) -> Vec<[f64; 2]> {
    let mut ends: Vec<f64> = kinks
        .iter()
        .copied()
        .filter(|k| *k > from && *k < to)
        .collect();
    ends.extend([from, to]);
    ends.sort_by(f64::total_cmp);
    ends.windows(2).map(|e| [e[0], e[1]]).collect()
}

/// The rules that integrals are made by.
struct Rules {
    smooth: GaussLegendre,
    rough: DoubleExponential,
}

impl Region {
    /// What `walls` enclose in `domain`, along and across `axis`; `flat`, across it alone.
    fn of(walls: &Walls, domain: &Domain, (axis, flat): (Option<Axis>, bool)) -> Result<Self> {
        let side = |planes: Option<[f64; 2]>, of: Axis| match planes {
            // Along the normal of a plane nothing is asked.
            _ if flat && axis == Some(of) => Ok(Side::Periodic(1.0)),
            Some([lo, hi]) => Ok(Side::Walls(hi - lo)),
            None => match period(domain, of)? {
                Some(length) => Ok(Side::Periodic(length)),
                None => needs(format!(
                    "axis {} is open: walls are needed there too, or a periodic box",
                    of.name()
                )),
            },
        };
        match &walls.shape {
            Shape::Sphere { radius, .. } => Ok(Self::Sphere(*radius)),
            Shape::Cylinder {
                axis: own,
                radius,
                along,
                ..
            } => {
                if axis.is_some_and(|axis| axis != *own) {
                    return needs(format!(
                        "bins across and along an axis need a cylinder about that axis, found one about {}: take random points instead",
                        own.name()
                    ));
                }
                Ok(Self::Prism {
                    base: Base::Disc(*radius),
                    height: side(*along, *own)?,
                })
            }
            Shape::Block(planes) => {
                let free = Axis::ALL.into_iter().find(|k| planes[k.index()].is_some());
                let axis = axis.or(free).unwrap_or(Axis::Z);
                let height = side(planes[axis.index()], axis)?;
                let [a, b] = across(axis);
                let of = [a, b].map(|k| planes[k.index()]);
                let base = match (of, domain) {
                    ([None, None], Domain::Triclinic(lattice)) => {
                        Base::Plane(upright(lattice, axis)?.1)
                    }
                    ([p, q], _) => Base::Sides([side(p, a)?, side(q, b)?]),
                };
                Ok(Self::Prism { base, height })
            }
        }
    }

    fn volume(&self) -> f64 {
        match self {
            Self::Prism { base, height } => base.area() * height.length(),
            Self::Sphere(radius) => 4.0 / 3.0 * PI * (radius * radius * radius),
        }
    }

    /// The share of pairs in each shell.
    fn shells(&self, edges: &[f64], rules: &Rules) -> Vec<f64> {
        let (base, height) = match self {
            Self::Prism { base, height } => (*base, *height),
            Self::Sphere(radius) => {
                // Of x = r/2R the share up to it.
                let within = |r: f64| {
                    let x = (r / (2.0 * radius)).min(1.0);
                    x * x * x * (8.0 - 9.0 * x + 2.0 * x * x * x)
                };
                return edges
                    .windows(2)
                    .map(|e| within(e[1]) - within(e[0]))
                    .collect();
            }
        };
        let across = base.kinks();
        let mut kinks = across.clone();
        if let Some(h) = height.wall() {
            kinks.extend(across.iter().map(|k| k.hypot(h)));
            kinks.push(h);
        }
        let at = |r: f64| 2.0 * 2.0 * PI * r * r * directions(base, height, r, &across, rules);
        let shell = |e: &[f64]| {
            let parts = pieces(e[0], e[1], &kinks).into_iter();
            let part = |[a, b]: [f64; 2]| {
                if kinks.contains(&a) || kinks.contains(&b) {
                    rules.rough.integrate(a, b, at)
                } else {
                    rules.smooth.integrate(a, b, at)
                }
            };
            parts.map(part).sum()
        };
        edges.windows(2).map(shell).collect()
    }

    /// The share of pairs in each ring times height; heights to one side, or of both signs where these begin at 0.
    fn cylinders(&self, rho: &[f64], z: &[f64], rules: &Rules) -> Vec<f64> {
        let both = if z.first().is_some_and(|z| *z >= 0.0) {
            2.0
        } else {
            1.0
        };
        let rings = rho.windows(2);
        let cells = rings.flat_map(|rho| z.windows(2).map(move |z| (rho, z)));
        match self {
            Self::Prism { base, height } => {
                let ring: Vec<f64> = base.rings(rho, rules);
                let along = |z: &[f64]| {
                    let to = |z: f64| height.share(0.0, z.abs()).copysign(z);
                    both * (to(z[1]) - to(z[0]))
                };
                let along: Vec<f64> = z.windows(2).map(along).collect();
                ring.iter()
                    .flat_map(|ring| along.iter().map(move |z| ring * z))
                    .collect()
            }
            Self::Sphere(radius) => {
                let twice = 2.0 * radius;
                let volume = self.volume();
                // The integral of r gamma(r), of which rings at one height are differences.
                let within = |r2: f64| {
                    let x = (r2.sqrt() / twice).min(1.0);
                    twice * twice * x * x * (0.5 - 0.5 * x + 0.1 * x * x * x)
                };
                let cell = |(rho, z): (&[f64], &[f64])| {
                    let kinks: Vec<f64> = rho
                        .iter()
                        .map(|rho| ((twice - rho) * (twice + rho)).max(0.0).sqrt())
                        .flat_map(|z| [z, -z])
                        .chain([0.0])
                        .collect();
                    let ring =
                        |z: f64| within(rho[1] * rho[1] + z * z) - within(rho[0] * rho[0] + z * z);
                    let parts = pieces(z[0], z[1], &kinks).into_iter();
                    let sum: f64 = parts.map(|[a, b]| rules.rough.integrate(a, b, ring)).sum();
                    both * 2.0 * PI * sum / volume
                };
                cells.map(cell).collect()
            }
        }
    }
}

impl Base {
    /// The share of pairs in each ring.
    fn rings(self, edges: &[f64], rules: &Rules) -> Vec<f64> {
        let kinks = self.kinks();
        let at = |rho: f64| 2.0 * PI * rho * self.density(rho);
        let ring = |e: &[f64]| {
            let parts = pieces(e[0], e[1], &kinks).into_iter();
            parts.map(|[a, b]| rules.rough.integrate(a, b, at)).sum()
        };
        edges.windows(2).map(ring).collect()
    }
}

/// The integral of the density over half of the directions, theta from the axis: `int F(r sin) H(r cos) sin dtheta` up to a right angle.
fn directions(base: Base, height: Side, r: f64, kinks: &[f64], rules: &Rules) -> f64 {
    let from = height.wall().map_or(0.0, |h| libm::acos((h / r).min(1.0)));
    let kinks: Vec<f64> = kinks
        .iter()
        .filter(|k| **k < r)
        .map(|k| libm::asin(k / r))
        .collect();
    let at = |theta: f64| {
        let sine = libm::sin(theta);
        base.density(r * sine) * height.density(r * libm::cos(theta)) * sine
    };
    let parts = pieces(from, FRAC_PI_2, &kinks).into_iter();
    parts.map(|[a, b]| rules.rough.integrate(a, b, at)).sum()
}

fn rules() -> Rules {
    Rules {
        smooth: GaussLegendre::default(),
        rough: DoubleExponential::default(),
    }
}

/// The space of shells between walls; of rings in the plane across an axis, walls as they are seen along it.
pub(super) fn of_shells(
    bins: &RBins,
    walls: &Walls,
    domain: &Domain,
    plane: Option<Axis>,
) -> Result<Space> {
    let all = Bins::from(bins);
    check_gaps(&all, walls, domain, plane)?;
    let edges = bins.edges();
    let region = Region::of(walls, domain, (plane, plane.is_some()))?;
    let Some(normal) = plane else {
        let shares = region.shells(edges.values(), &rules());
        return Space::of_shares(&shares, region.volume(), &bin_volumes(&all)?);
    };
    match region {
        Region::Prism { base, .. } => {
            let shares = base.rings(edges.values(), &rules());
            Space::of_shares(&shares, base.area(), &rings(edges))
        }
        Region::Sphere(_) => needs(format!(
            "a plane across {} needs walls that are the same all along it, found a sphere",
            normal.name()
        )),
    }
}

/// The space of rings times heights between walls.
pub(super) fn of_cylinders(bins: &RpPiBins, walls: &Walls, domain: &Domain) -> Result<Space> {
    let all = Bins::from(bins);
    check_gaps(&all, walls, domain, None)?;
    let Some(LineOfSight::Fixed(axis)) = all.line_of_sight() else {
        return needs("(rho, z) needs a fixed axis (x, y or z)".to_owned());
    };
    let region = Region::of(walls, domain, (Some(axis), false))?;
    let (rho, z) = (bins.rp_edges().values(), bins.pi_edges().values());
    let shares = region.cylinders(rho, z, &rules());
    Space::of_shares(&shares, region.volume(), &bin_volumes(&all)?)
}

/// Refuses bins that reach from the region to its images, or beyond half of a periodic axis.
fn check_gaps(bins: &Bins, walls: &Walls, domain: &Domain, plane: Option<Axis>) -> Result<()> {
    if let Err(refusal) = bins.admit(domain) {
        return needs(format!("between walls {refusal}"));
    }
    let reach = bins.reach().along_axes();
    let free = |axis: Axis, extent: f64| match domain {
        Domain::Open => f64::INFINITY,
        // Vectors that are not upright have images beside, as near as the shortest of them.
        Domain::Triclinic(lattice) => {
            upright(lattice, axis).map_or(2.0 * lattice.reach(), |(length, _)| length) - extent
        }
        Domain::Periodic(cell) => cell.length(axis).unwrap_or(f64::INFINITY) - extent,
    };
    let check = |axis: Axis, extent: f64| {
        if plane == Some(axis) {
            return Ok(());
        }
        let (gap, reach) = (free(axis, extent), reach[axis.index()]);
        if gap < 0.0 || gap < reach * (1.0 - 1e-12) {
            return needs(format!(
                "between walls bins must not reach the region's own images: along {} they reach {reach}, and the gap is {gap}",
                axis.name()
            ));
        }
        Ok(())
    };
    match &walls.shape {
        Shape::Block(planes) => Axis::ALL.into_iter().try_for_each(|axis| {
            planes[axis.index()].map_or(Ok(()), |[lo, hi]| check(axis, hi - lo))
        }),
        Shape::Cylinder {
            axis,
            radius,
            along,
            ..
        } => {
            across(*axis)
                .into_iter()
                .try_for_each(|k| check(k, 2.0 * radius))?;
            along.map_or(Ok(()), |[lo, hi]| check(*axis, hi - lo))
        }
        Shape::Sphere { radius, .. } => Axis::ALL
            .into_iter()
            .try_for_each(|axis| check(axis, 2.0 * radius)),
    }
}
