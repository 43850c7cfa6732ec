//! Triclinic cells: lattice reduction, wrap and the minimum over the images that a reduced cell needs.

#![allow(clippy::cast_possible_truncation, reason = "places of a short list")]

use albireo_simd::fixed_point::exponent;

use super::Image;
use crate::error::DomainError;
use crate::particles::Points;
use crate::pool;
use crate::separation::{LARGEST, dot, norm2};

/// A three-dimensional lattice, held by its Minkowski-reduced basis.
///
/// The reduced basis, not the vectors given, defines the cell that positions are wrapped into and the images
/// `t(n) = (n1*a + n2*b) + n3*c`, `n` in {-2..2}^3, over which the squared separation is minimised. Of equal ones the image is the one
/// with the least key, where the key of n is n or -n, whichever has its first component other than zero positive; so the
/// swapped pair, whose difference is -d, has the mirrored image and the same separation.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    given: [[f64; 3]; 3],
    basis: [[f64; 3]; 3],
    /// Rows of the inverse: `s_k = dot(inverse[k], x)`.
    inverse: [[f64; 3]; 3],
    volume: f64,
    /// A quarter of the least `norm2(t(n))`, n in {-1..1}^3 but 0.
    limit2: f64,
}

/// Images searched along each basis vector; 125 in all, checked against a 9x9x9 search in the tests.
const SPAN: i8 = 2;

/// Images in the search.
const IMAGES: usize = 125;

/// The images in the order of preference: by key, and n before -n where n is its own key.
///
/// In order of their components the images are mirrored about number 62, which is 0; twin of `search_images` in `separation.cuh`.
const PREFERENCE: [Image; IMAGES] = {
    let mut images = [[0; 3]; IMAGES];
    let mut place = 1;
    while place < IMAGES {
        let key = (62 + place.div_ceil(2)) as i8;
        let n = [key / 25 - SPAN, key / 5 % 5 - SPAN, key % 5 - SPAN];
        let sign = if place % 2 == 1 { 1 } else { -1 };
        images[place] = [sign * n[0], sign * n[1], sign * n[2]];
        place += 1;
    }
    images
};

/// How far a vector may be shorter than those of coefficients -1, 0 and 1, relative to its square: what rounding leaves of a reduction.
const REDUCED: f64 = 1e-9;

/// A fractional coordinate may leave [0, 1) by this much through rounding of the wrap.
const FRACTION_SLACK: f64 = 1e-9;

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// `(n1*a + n2*b) + n3*c`.
#[inline]
fn combine(basis: &[[f64; 3]; 3], n: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        (n[0] * basis[0][axis] + n[1] * basis[1][axis]) + n[2] * basis[2][axis]
    })
}

/// The least `norm2(t(n))`, n in {-span..span}^3 but 0.
fn shortest2(basis: &[[f64; 3]; 3], span: i8) -> f64 {
    let mut least = f64::INFINITY;
    for n1 in -span..=span {
        for n2 in -span..=span {
            for n3 in -span..=span {
                if [n1, n2, n3] != [0; 3] {
                    let t = combine(basis, [n1, n2, n3].map(f64::from));
                    least = least.min(norm2(t));
                }
            }
        }
    }
    least
}

/// Greedy reduction (Nguyen & Stehlé 2009, DOI 10.1145/1597036.1597050): each vector becomes the shortest of its kind.
///
/// Integer coefficients are tracked, and every vector is made from the given ones in one go, so rounding does not build up.
/// The coefficients are those of the vectors times a power of two that brings them near 1: products of four lengths must neither over- nor underflow.
fn reduce(given: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut coefficients = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let largest = given
        .as_flattened()
        .iter()
        .fold(0.0f64, |far, v| far.max(v.abs()));
    let power = -exponent(largest);
    let scaled = given.map(|v| v.map(|component| libm::scalbn(component, power)));
    let vector = |n: [f64; 3]| combine(&scaled, n);
    // Each accepted step shortens a vector; the bound only guards against cycling through rounding.
    for _ in 0..10_000 {
        coefficients.sort_by(|&a, &b| norm2(vector(a)).total_cmp(&norm2(vector(b))));
        let [a, b, c] = coefficients;
        let multiple = (dot(vector(b), vector(a)) / norm2(vector(a))).round_ties_even();
        let shorter: [f64; 3] = std::array::from_fn(|k| b[k] - multiple * a[k]);
        if norm2(vector(shorter)) < norm2(vector(b)) {
            coefficients[1] = shorter;
            continue;
        }
        let closest = closest_in_plane(vector(a), vector(b), vector(c));
        let mut best = c;
        for da in -1..=1 {
            for db in -1..=1 {
                let m = closest[0] + f64::from(da);
                let n = closest[1] + f64::from(db);
                let trial: [f64; 3] = std::array::from_fn(|k| (c[k] - m * a[k]) - n * b[k]);
                if norm2(vector(trial)) < norm2(vector(best)) {
                    best = trial;
                }
            }
        }
        if best == c {
            break;
        }
        coefficients[2] = best;
    }
    coefficients.map(|n| combine(given, n))
}

/// The integer multiples of `a` and `b` nearest to the projection of `c` on their plane, by rounding.
fn closest_in_plane(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 2] {
    let (aa, ab, bb) = (norm2(a), dot(a, b), norm2(b));
    let (ca, cb) = (dot(c, a), dot(c, b));
    let determinant = aa * bb - ab * ab;
    [
        ((ca * bb - cb * ab) / determinant).round_ties_even(),
        ((cb * aa - ca * ab) / determinant).round_ties_even(),
    ]
}

impl Lattice {
    /// The lattice spanned by three box vectors (rows a, b, c), length units of the input.
    ///
    /// # Errors
    /// Vectors that are not finite or span no volume.
    pub fn new(vectors: [[f64; 3]; 3]) -> Result<Self, DomainError> {
        let degenerate = || DomainError::Degenerate(vectors);
        let [a, b, c] = vectors;
        let edges = norm2(a).sqrt() * norm2(b).sqrt() * norm2(c).sqrt();
        let spanned = dot(a, cross(b, c)).abs();
        let largest = vectors
            .as_flattened()
            .iter()
            .fold(0.0f64, |far, v| far.max(v.abs()));
        if !(edges.is_finite() && largest <= LARGEST)
            || spanned.partial_cmp(&(edges * 1e-12)) != Some(std::cmp::Ordering::Greater)
        {
            return Err(degenerate());
        }
        let basis = reduce(&vectors);
        let [a, b, c] = basis;
        let determinant = dot(a, cross(b, c));
        let inverse = [cross(b, c), cross(c, a), cross(a, b)]
            .map(|row| row.map(|component| component / determinant));
        let least2 = shortest2(&basis, 1);
        let reduced = shortest2(&basis, 4) >= least2 * (1.0 - REDUCED);
        if !(inverse.iter().flatten().all(|v| v.is_finite()) && reduced) {
            return Err(degenerate());
        }
        Ok(Self {
            given: vectors,
            basis,
            inverse,
            volume: determinant.abs(),
            limit2: least2 * 0.25,
        })
    }

    /// The box vectors as given.
    pub fn vectors(&self) -> [[f64; 3]; 3] {
        self.given
    }

    /// The reduced basis, shortest vector first.
    pub fn basis(&self) -> [[f64; 3]; 3] {
        self.basis
    }

    /// Volume of the cell.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The largest r with `r*r <= norm2(t)/4` for the shortest lattice vector t: below it a separation has a single nearest image.
    pub fn reach(&self) -> f64 {
        let mut reach = self.limit2.sqrt();
        while reach * reach > self.limit2 {
            reach = reach.next_down();
        }
        while reach.next_up() * reach.next_up() <= self.limit2 {
            reach = reach.next_up();
        }
        reach
    }

    /// A quarter of the squared length of the shortest lattice vector: squared separations in bins are below it, but for the
    /// roundings of a sum of squares across and along.
    pub(crate) fn limit2(&self) -> f64 {
        self.limit2
    }

    /// The translation by `n` basis vectors.
    #[inline]
    pub fn translation(&self, n: Image) -> [f64; 3] {
        combine(&self.basis, n.map(f64::from))
    }

    /// Fractional coordinates in the reduced cell.
    pub fn fractional(&self, x: [f64; 3]) -> [f64; 3] {
        self.inverse.map(|row| dot(row, x))
    }

    /// The shortest of the images of `d`; of equal ones the first in the order of preference.
    pub(super) fn nearest(&self, d: [f64; 3]) -> ([f64; 3], Image) {
        let (mut best, mut best_r2, mut image) = (d, f64::INFINITY, [0; 3]);
        for n in PREFERENCE {
            let t = self.translation(n);
            let moved = [d[0] + t[0], d[1] + t[1], d[2] + t[2]];
            let r2 = norm2(moved);
            if r2 < best_r2 {
                (best, best_r2, image) = (moved, r2, n);
            }
        }
        (best, image)
    }

    pub(super) fn place(&self, points: Points) -> Result<Points, DomainError> {
        let view = points.view();
        let leaves = |row: usize| self.fractional(view.at(row)).map(f64::floor) != [0.0; 3];
        let placed = if pool::first_row(points.len(), leaves).is_none() {
            points.note_cell(self.basis);
            points
        } else {
            points.moved([true; 3], |x| {
                let t = combine(&self.basis, self.fractional(x).map(f64::floor));
                std::array::from_fn(|axis| x[axis] - t[axis])
            })
        };
        self.check(&placed)?;
        Ok(placed)
    }

    pub(super) fn check(&self, points: &Points) -> Result<(), DomainError> {
        if points.cell() == Some(self.basis) {
            return Ok(());
        }
        let outside = |x: [f64; 3]| {
            let fractions = ['a', 'b', 'c'].into_iter().zip(self.fractional(x));
            let slack = -FRACTION_SLACK..=1.0 + FRACTION_SLACK;
            fractions
                .into_iter()
                .find(|(_, value)| !slack.contains(value))
        };
        let view = points.view();
        let row = pool::first_row(points.len(), |row| outside(view.at(row)).is_some());
        match row.and_then(|row| Some((row, outside(view.at(row))?))) {
            None => {
                points.note_cell(self.basis);
                Ok(())
            }
            Some((row, (axis, value))) => Err(DomainError::Outside {
                row,
                axis,
                value,
                length: 1.0,
            }),
        }
    }
}

/// Where an engine need not choose among the images.
impl Lattice {
    /// An image whose squared separation, as computed, is below this is the nearest by the computed ones of all others too.
    ///
    /// With u = 2^-53 and S the sum of the basis' |components| along an axis, a component of t(n) is at most 2 S and off by at most
    /// 3 u 2 S, that of d at most S and a little, so that `d + t(n)` is off by at most 10 u S. Let E be the length of these errors, at
    /// most 10 sqrt(3) u max S, and T the shortest lattice vector. If |d + t(n)| <= T/2 - 3E as computed, the true length is at most
    /// T/2 - 2E, that under any other image at least T/2 + 2E, and T/2 + E as computed. Twice that covers the roundings of
    /// squares, sums and roots, and what the reduction leaves of T.
    pub(crate) fn sole_image2(&self) -> f64 {
        let error = 10.0 * 3f64.sqrt() * (f64::EPSILON / 2.0) * self.extent();
        let half = self.limit2.sqrt() * (1.0 - 2.0 * REDUCED) - 6.0 * error;
        half.max(0.0) * half.max(0.0)
    }

    /// Multiples of each basis vector, at most, of the images that are searched.
    pub(super) const SPAN: i8 = SPAN;

    /// The largest distance that two positions in the cell may be apart along an axis.
    pub(super) fn extent(&self) -> f64 {
        let along = |axis: usize| self.basis.iter().map(|v| v[axis].abs()).sum::<f64>();
        (0..3).map(along).fold(0.0, f64::max)
    }
}

/// What kernels that search the images themselves know.
#[cfg(feature = "cuda")]
impl Lattice {
    /// The 125 translations in the order of preference, for engines that search them themselves.
    pub(crate) fn preference(&self) -> impl Iterator<Item = [f64; 3]> {
        PREFERENCE.iter().map(|&n| self.translation(n))
    }

    /// Bound on the error of the fractional coordinates of a position in the cell: what the inverse is off, and four roundings.
    pub(crate) fn fraction_error(&self) -> f64 {
        let mut error: f64 = 0.0;
        for (k, row) in self.inverse.iter().enumerate() {
            let unit = |j: usize| f64::from(u8::from(j == k));
            let off: f64 = (0..3)
                .map(|j| (dot(*row, self.basis[j]) - unit(j)).abs())
                .sum();
            let terms: f64 = row.iter().map(|v| v.abs()).sum();
            error = error.max(2.0 * off + 8.0 * f64::EPSILON * terms * self.extent());
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every image of `d` in a 9x9x9 search of the given lattice.
    fn nearest_by_search(lattice: &Lattice, d: [f64; 3]) -> f64 {
        let mut best = f64::INFINITY;
        for n1 in -4..=4 {
            for n2 in -4..=4 {
                for n3 in -4..=4 {
                    let t = combine(&lattice.basis, [n1, n2, n3].map(f64::from));
                    best = best.min(norm2([d[0] + t[0], d[1] + t[1], d[2] + t[2]]));
                }
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn images_suffice_for_skewed_cells(
            vectors in prop::array::uniform3(prop::array::uniform3(-10.0f64..10.0)),
            s1 in prop::array::uniform3(0.0f64..1.0),
            s2 in prop::array::uniform3(0.0f64..1.0),
        ) {
            let Ok(lattice) = Lattice::new(vectors) else { return Ok(()); };
            let (x1, x2) = (combine(&lattice.basis, s1), combine(&lattice.basis, s2));
            let d = crate::separation::difference(x1, x2);
            let (nearest, n) = lattice.nearest(d);
            prop_assert_eq!(norm2(nearest), nearest_by_search(&lattice, d));
            prop_assert!(n.iter().all(|k| k.abs() <= SPAN));
        }

        #[test]
        fn reduction_keeps_the_lattice(
            vectors in prop::array::uniform3(prop::array::uniform3(-10.0f64..10.0)),
        ) {
            let Ok(lattice) = Lattice::new(vectors) else { return Ok(()); };
            let given = dot(vectors[0], cross(vectors[1], vectors[2])).abs();
            prop_assert!((lattice.volume - given).abs() <= 1e-9 * given);
            let [a, b, c] = lattice.basis;
            prop_assert!(norm2(a) <= norm2(b) && norm2(b) <= norm2(c));
            // No combination with coefficients in {-1, 0, 1} shortens the longest vector.
            for m in -1..=1 { for n in -1..=1 {
                let t = combine(&[a, b, c], [f64::from(m), f64::from(n), 1.0]);
                prop_assert!(norm2(t) >= norm2(c) * (1.0 - 1e-12));
            } }
        }
    }

    #[test]
    fn a_cube_given_skewed_is_a_cube() {
        let lattice = Lattice::new([[1.0, 0.0, 0.0], [7.0, 1.0, 0.0], [-3.0, 12.0, 1.0]]).unwrap();
        assert_eq!(lattice.reach(), 0.5);
        assert!((lattice.volume() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn positions_are_wrapped_into_the_reduced_cell() {
        let lattice = Lattice::new([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 2.0]]).unwrap();
        let points = Points::from_rows(&[[-5.3, 17.1, 0.4], [0.1, 0.1, 0.1]]).unwrap();
        assert!(lattice.check(&points).is_err());
        let placed = lattice.place(points).unwrap();
        assert!(lattice.check(&placed).is_ok());
        assert_eq!(lattice.place(placed.clone()).unwrap(), placed);
    }

    #[test]
    fn flat_cells_are_refused() {
        assert!(Lattice::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).is_err());
        assert!(Lattice::new([[f64::NAN; 3]; 3]).is_err());
    }

    #[test]
    fn the_reduction_is_the_same_at_every_scale() {
        let skewed = [
            [
                0x2bfe_a5f5_31ae_3fdf,
                0x2bc3_cc64_8b77_cf80,
                0x2c26_96e1_a676_0560,
            ],
            [
                0x2bad_89f4_10a8_70de,
                0x2bc7_b678_c5fc_f34e,
                0xab9e_0b64_f348_c3db,
            ],
            [
                0x2ba4_4c9e_eac4_39b8,
                0x2b6c_e56c_eb4a_5df8,
                0x2bd1_9d21_cfb2_b13c,
            ],
        ]
        .map(|v: [u64; 3]| v.map(f64::from_bits));
        let at = |power: i32| skewed.map(|v| v.map(|x| libm::scalbn(x, power)));
        let expected = Lattice::new(at(320)).unwrap().basis();
        for power in [-20, 0, 7, 100, 319, 500, 600] {
            let basis = Lattice::new(at(power)).unwrap().basis();
            let back = basis.map(|v| v.map(|x| libm::scalbn(x, 320 - power)));
            assert_eq!(back, expected, "2^{power}");
        }
    }
}
