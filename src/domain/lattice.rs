//! Triclinic cells: lattice reduction, wrap and the minimum over the images that a reduced cell needs.

use super::Image;
use crate::error::DomainError;
use crate::particles::Points;
use crate::separation::{dot, norm2};

/// A three-dimensional lattice, held by its Minkowski-reduced basis.
///
/// The reduced basis, not the vectors given, defines the cell that positions are wrapped into and the images
/// `t(n) = (n1*a + n2*b) + n3*c`, `n` in {-2..2}^3, over which the squared separation is minimised.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    given: [[f64; 3]; 3],
    basis: [[f64; 3]; 3],
    /// Rows of the inverse: `s_k = dot(inverse[k], x)`.
    inverse: [[f64; 3]; 3],
    volume: f64,
}

/// Images searched along each basis vector; 125 in all, checked against a 9x9x9 search in the tests.
const SPAN: i8 = 2;

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

/// Greedy reduction (Nguyen & Stehlé 2009, DOI 10.1145/1597036.1597050): each vector becomes the shortest of its kind.
///
/// Integer coefficients are tracked, and every vector is made from the given ones in one go, so rounding does not build up.
fn reduce(given: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut coefficients = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let vector = |n: [f64; 3]| combine(given, n);
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
    coefficients.map(vector)
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
        if !edges.is_finite()
            || spanned.partial_cmp(&(edges * 1e-12)) != Some(std::cmp::Ordering::Greater)
        {
            return Err(degenerate());
        }
        let basis = reduce(&vectors);
        let [a, b, c] = basis;
        let determinant = dot(a, cross(b, c));
        let inverse = [cross(b, c), cross(c, a), cross(a, b)]
            .map(|row| row.map(|component| component / determinant));
        if !inverse.iter().flatten().all(|v| v.is_finite()) {
            return Err(degenerate());
        }
        Ok(Self {
            given: vectors,
            basis,
            inverse,
            volume: determinant.abs(),
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

    /// Half the shortest lattice vector: up to here a separation has a single nearest image.
    pub fn reach(&self) -> f64 {
        norm2(self.basis[0]).sqrt() / 2.0
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

    /// The shortest of the images of `d`; of equal ones the first in the order of `n`.
    pub(super) fn nearest(&self, d: [f64; 3]) -> ([f64; 3], Image) {
        let (mut best, mut best_r2, mut image) = (d, f64::INFINITY, [0; 3]);
        for n1 in -SPAN..=SPAN {
            for n2 in -SPAN..=SPAN {
                for n3 in -SPAN..=SPAN {
                    let t = self.translation([n1, n2, n3]);
                    let moved = [d[0] + t[0], d[1] + t[1], d[2] + t[2]];
                    let r2 = norm2(moved);
                    if r2 < best_r2 {
                        (best, best_r2, image) = (moved, r2, [n1, n2, n3]);
                    }
                }
            }
        }
        (best, image)
    }

    pub(super) fn place(&self, points: &Points) -> Result<Points, DomainError> {
        let mut columns = [0, 1, 2].map(|_| Vec::with_capacity(points.len()));
        for row in 0..points.len() {
            let x = points.at(row);
            let t = combine(&self.basis, self.fractional(x).map(f64::floor));
            for axis in 0..3 {
                columns[axis].push(x[axis] - t[axis]);
            }
        }
        let placed = Points::from_checked(columns);
        self.check(&placed)?;
        Ok(placed)
    }

    pub(super) fn check(&self, points: &Points) -> Result<(), DomainError> {
        for row in 0..points.len() {
            for (axis, value) in ['a', 'b', 'c']
                .into_iter()
                .zip(self.fractional(points.at(row)))
            {
                if !(-FRACTION_SLACK..=1.0 + FRACTION_SLACK).contains(&value) {
                    return Err(DomainError::Outside {
                        row,
                        axis,
                        value,
                        length: 1.0,
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
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
        let placed = lattice.place(&points).unwrap();
        assert!(lattice.check(&placed).is_ok());
        assert_eq!(lattice.place(&placed).unwrap(), placed);
    }

    #[test]
    fn flat_cells_are_refused() {
        assert!(Lattice::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).is_err());
        assert!(Lattice::new([[f64::NAN; 3]; 3]).is_err());
    }
}
