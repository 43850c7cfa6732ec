//! Pixels of equal area on the sphere: `HEALPix`, of a direction the number of the pixel that holds it.
//!
//! Entry: [`Pixels`]. Górski et al. 2005, DOI 10.1086/427976, section 5 and the appendix.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels of at most 2^29 a side, lines within them"
)]

use std::f64::consts::FRAC_2_PI;

use super::{Regions, check_number, label_rows};
use crate::error::RegionsError;
use crate::particles::{Labels, Points};

/// The largest resolution whose pixels the directions distinguish of float64 positions.
pub const MAX_NSIDE: u32 = 1 << 24;

/// How pixels are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PixelOrder {
    /// Along rings of equal latitude, from the north pole.
    #[default]
    Ring,
    /// Along the squares of each of the twelve base pixels.
    Nested,
}

impl PixelOrder {
    /// `ring` or `nested`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Nested => "nested",
        }
    }
}

/// The `HEALPix` pixels that hold points of a sample, in rising order of their numbers: pixel number k of them is region k.
///
/// ```
/// use albireo::regions::{PixelOrder, Pixels, Regions};
/// let poles = albireo::Points::from_rows(&[[0.0, 0.0, 1.0], [0.1, 0.1, -2.0]])?;
/// let pixels = Pixels::holding(&poles, 1, PixelOrder::Ring)?;
/// assert_eq!(pixels.numbers(), [0, 8]);
/// assert_eq!(pixels.labels(&poles)?.values(), [0, 1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    nside: u32,
    order: PixelOrder,
    numbers: Vec<u64>,
}

/// A place on the sphere as the pixelisation sees it.
struct Direction {
    /// Sine of the latitude.
    z: f64,
    /// Its cosine.
    across: f64,
    /// Longitude over a right angle, in [0, 4).
    quarter: f64,
}

impl Direction {
    /// The direction of a position; none for the origin.
    fn of([x, y, z]: [f64; 3]) -> Option<Self> {
        // Scaled first, so that squares neither overflow nor vanish.
        let most = x.abs().max(y.abs()).max(z.abs());
        if most == 0.0 {
            return None;
        }
        let [x, y, z] = [x / most, y / most, z / most];
        let across2 = x * x + y * y;
        let norm = (across2 + z * z).sqrt();
        // At a pole longitude means nothing, and the signs of zeros must not choose the pixel.
        let turn = if across2 == 0.0 {
            0.0
        } else {
            libm::atan2(y, x) * FRAC_2_PI
        };
        let quarter = if turn < 0.0 { turn + 4.0 } else { turn };
        Some(Self {
            z: z / norm,
            across: across2.sqrt() / norm,
            quarter: if quarter >= 4.0 { 0.0 } else { quarter },
        })
    }

    /// `nside sqrt(3 (1 - |z|))`, from the cosine of the latitude near the poles, where `1 - |z|` has lost its digits.
    fn ring_from_pole(&self, nside: f64) -> f64 {
        let z = self.z.abs();
        if z < 0.99 {
            nside * (3.0 * (1.0 - z)).sqrt()
        } else {
            nside * self.across / ((1.0 + z) / 3.0).sqrt()
        }
    }
}

/// The number of the pixel of `nside` that holds a position; none for the origin. `nside` is a power of 2.
pub(super) fn pixel(position: [f64; 3], nside: u32, order: PixelOrder) -> Option<u64> {
    let direction = Direction::of(position)?;
    let equatorial = direction.z.abs() <= 2.0 / 3.0;
    let n = i64::from(nside);
    Some(match (equatorial, order) {
        (true, PixelOrder::Ring) => equatorial_ring(&direction, n),
        (false, PixelOrder::Ring) => polar_ring(&direction, n),
        (true, PixelOrder::Nested) => equatorial_nested(&direction, n),
        (false, PixelOrder::Nested) => polar_nested(&direction, n),
    } as u64)
}

/// The lines across the equatorial belt that a direction lies between: those that rise and those that fall with longitude, counted along it.
fn belt_lines(direction: &Direction, n: i64) -> [i64; 2] {
    let along = n as f64 * (0.5 + direction.quarter);
    let up = n as f64 * direction.z * 0.75;
    [(along - up).floor() as i64, (along + up).floor() as i64]
}

/// The lines from a pole that a direction lies between within its quarter of longitude, counted from the near corner.
fn cap_lines(direction: &Direction, n: i64) -> [i64; 2] {
    let within = direction.quarter.fract();
    let ring = direction.ring_from_pole(n as f64);
    [within * ring, (1.0 - within) * ring].map(|line| (line.floor() as i64).min(n - 1))
}

fn equatorial_ring(direction: &Direction, n: i64) -> i64 {
    let [rising, falling] = belt_lines(direction, n);
    // Rings of the belt count from 1 at z = 2/3; every other one is shifted by half a pixel.
    let ring = n + 1 + rising - falling;
    let shifted = 1 - ring % 2;
    let in_ring = (rising + falling - n + shifted + 1).div_euclid(2);
    2 * n * (n - 1) + (ring - 1) * 4 * n + in_ring.rem_euclid(4 * n)
}

fn polar_ring(direction: &Direction, n: i64) -> i64 {
    let [rising, falling] = cap_lines(direction, n);
    // Counted from the nearer pole.
    let ring = rising + falling + 1;
    let in_ring = ((direction.quarter * ring as f64) as i64).min(4 * ring - 1);
    if direction.z > 0.0 {
        2 * ring * (ring - 1) + in_ring
    } else {
        12 * n * n - 2 * ring * (ring + 1) + in_ring
    }
}

/// The direction at the centre of pixel `number` of ring order (Górski et al. 2005, section 5.1).
pub(super) fn centre_in_ring_order(number: u64, nside: u32) -> [f64; 3] {
    let n = u64::from(nside);
    let (cap, all) = (2 * n * (n - 1), 12 * n * n);
    if (cap..all - cap).contains(&number) {
        let (ring, in_ring) = ((number - cap) / (4 * n) + n, (number - cap) % (4 * n));
        let shifted = if (ring + n).is_multiple_of(2) {
            0.5
        } else {
            0.0
        };
        let turn = (in_ring as f64 + shifted) / (4 * n) as f64;
        let z = (2.0 * n as f64 - ring as f64) * 2.0 / (3.0 * n as f64);
        return at(turn, z, (1.0 - z * z).sqrt());
    }
    // Counted from the nearer pole; ring r begins at 2 r (r - 1).
    let from_pole = number.min(all - 1 - number);
    let ring = (1 + 2 * from_pole).isqrt().div_ceil(2);
    let in_ring = from_pole - 2 * ring * (ring - 1);
    let turn = (in_ring as f64 + 0.5) / (4 * ring) as f64;
    let share = ring as f64 / n as f64;
    // 1 - |z|, without the loss of its digits.
    let rest = share * share / 3.0;
    let across = (rest * (2.0 - rest)).sqrt();
    if number < cap {
        at(turn, 1.0 - rest, across)
    } else {
        at(1.0 - turn, rest - 1.0, across)
    }
}

/// The direction at a part of a turn, a height and a distance from the axis.
fn at(turn: f64, z: f64, across: f64) -> [f64; 3] {
    let angle = turn * std::f64::consts::TAU;
    [across * libm::cos(angle), across * libm::sin(angle), z]
}

/// The number within nested order: the base pixel, then the bits of both coordinates in turn.
fn nested(face: i64, x: i64, y: i64, n: i64) -> i64 {
    let spread = |v: i64| {
        let bits = (0..32).map(|bit| ((v >> bit) & 1) << (2 * bit));
        bits.sum::<i64>()
    };
    face * n * n + spread(x) + 2 * spread(y)
}

fn equatorial_nested(direction: &Direction, n: i64) -> i64 {
    let [rising, falling] = belt_lines(direction, n);
    let [by_rising, by_falling] = [rising, falling].map(|line| line.div_euclid(n));
    let face = match by_rising.cmp(&by_falling) {
        std::cmp::Ordering::Equal => by_rising.rem_euclid(4) + 4,
        std::cmp::Ordering::Less => by_rising,
        std::cmp::Ordering::Greater => by_falling + 8,
    };
    nested(face, falling.rem_euclid(n), n - 1 - rising.rem_euclid(n), n)
}

fn polar_nested(direction: &Direction, n: i64) -> i64 {
    let [rising, falling] = cap_lines(direction, n);
    let quarter = (direction.quarter as i64).min(3);
    if direction.z > 0.0 {
        nested(quarter, n - 1 - falling, n - 1 - rising, n)
    } else {
        nested(quarter + 8, rising, falling, n)
    }
}

/// Every other bit of a number within nested order, from the lowest on.
fn gather(number: u64) -> u64 {
    (0..32).map(|bit| ((number >> (2 * bit)) & 1) << bit).sum()
}

/// The direction (RA in [0, 360), Dec), in degrees, at a place in [0, 1)^2 of the square that is pixel `number` of nested order.
pub(super) fn place_in_pixel(number: u64, nside: u32, [u, v]: [f64; 2]) -> (f64, f64) {
    let n = u64::from(nside);
    let (face, within) = (number / (n * n), number % (n * n));
    let x = (gather(within) as f64 + u) / n as f64;
    let y = (gather(within >> 1) as f64 + v) / n as f64;
    let row = face / 4;
    // From 0 at the north pole to 4 at the south pole; the belt reaches from 1 to 3.
    let down = (row + 2) as f64 - x - y;
    let from_pole = down.min(4.0 - down).clamp(0.0, 1.0);
    let degrees = 180.0 / std::f64::consts::PI;
    let dec = if from_pole < 1.0 {
        // Of 1 - |z|, which is small near a pole; its arcsine would lose the digits.
        let cap = from_pole * from_pole / 3.0;
        let dec = libm::atan2(1.0 - cap, (cap * (2.0 - cap)).sqrt()) * degrees;
        if down < 1.0 { dec } else { -dec }
    } else {
        libm::asin((2.0 - down) * (2.0 / 3.0)) * degrees
    };
    // The middle of the face in units of half a right angle.
    let middle = (2 * (face % 4) + u64::from(row != 1)) as f64;
    let across = if from_pole > 0.0 {
        (x - y) / from_pole
    } else {
        0.0
    };
    let ra = (45.0 * (middle + across)).rem_euclid(360.0);
    (if ra == 360.0 { 0.0 } else { ra }, dec.clamp(-90.0, 90.0))
}

/// Refuses resolutions that are no power of 2 up to `limit`.
pub(super) fn check_nside(found: u32, limit: u32) -> Result<(), RegionsError> {
    if found.is_power_of_two() && found <= limit {
        return Ok(());
    }
    Err(RegionsError::Nside { found, limit })
}

impl Pixels {
    /// The pixels that hold any of `points`, seen from the origin.
    ///
    /// # Errors
    /// A resolution that is no power of 2 up to [`MAX_NSIDE`], a point at the origin, or a number of pixels that is not within 2 and
    /// [`crate::particles::MAX_LABELS`].
    pub fn holding(points: &Points, nside: u32, order: PixelOrder) -> Result<Self, RegionsError> {
        check_nside(nside, MAX_NSIDE)?;
        let view = points.view();
        let mut numbers = Vec::with_capacity(points.len());
        for row in 0..points.len() {
            let number = pixel(view.at(row), nside, order);
            numbers.push(number.ok_or(RegionsError::NoDirection { row })?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        check_number(numbers.len() as u64)?;
        Ok(Self {
            nside,
            order,
            numbers,
        })
    }

    /// The number of the pixel of each region.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The resolution: each of the twelve base pixels has nside x nside pixels.
    pub fn nside(&self) -> u32 {
        self.nside
    }

    /// How the pixels are numbered.
    pub fn order(&self) -> PixelOrder {
        self.order
    }
}

impl Regions for Pixels {
    fn number(&self) -> u32 {
        self.numbers.len() as u32
    }

    fn labels(&self, points: &Points) -> Result<Labels, RegionsError> {
        let view = points.view();
        let label = |row: usize| {
            let number = pixel(view.at(row), self.nside, self.order)?;
            let place = self.numbers.binary_search(&number);
            place.ok().map(|place| place as u32)
        };
        let labels = label_rows(points.len(), label).map_err(|row| {
            let found = pixel(view.at(row), self.nside, self.order);
            found.map_or(RegionsError::NoDirection { row }, |pixel| {
                RegionsError::Pixel {
                    pixel,
                    order: self.order.name(),
                    nside: self.nside,
                    row,
                }
            })
        })?;
        Ok(Labels::new(labels, self.number())?)
    }
}
