//! The faces of a lattice's Wigner-Seitz cell: whether an image is the nearest, without a look at all the others.
//!
//! Entry: [`Faces`]. A filter in front of [`Lattice::nearest`]: it decides where the roundings of that search cannot matter.

use super::{Domain, Image, Lattice};
use crate::separation::{dot, norm2};

/// What is known of the image at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nearness {
    /// It is the one that the search would choose.
    Nearest,
    /// Another is nearer.
    Farther,
    /// So close to a face that the search must tell.
    Unsure,
}

/// Half way to one neighbour in the lattice, and to the one opposite.
#[derive(Debug, Clone, Copy)]
struct Face {
    image: Image,
    vector: [f64; 3],
    /// Half the squared length of the vector, less and with what roundings may change.
    sure: [f64; 2],
}

/// The faces of a triclinic cell.
#[derive(Debug, Clone)]
pub(crate) struct Faces<'a> {
    lattice: &'a Lattice,
    faces: Vec<Face>,
}

/// Multiples of the basis among which faces are sought; those of a reduced basis need no more than one of each.
const SPAN: i8 = 3;
/// How much longer than the shortest vector of its kind one may be that is taken for a face: none that is one may be missed.
const ALIKE: f64 = 1e-6;
/// Part of squared lengths of the cell that is left in doubt. With u = 2^-53 and S the extent of the cell along an axis, `d + t(n)` is off
/// by at most 20 u S (`Lattice::sole_image2`) and no longer than 4 S, so that squares of any two images compare wrongly only where they
/// differ by less than 400 u S^2 < 1e-13 S^2, and the product with a face's vector v is off by less than 1e-13 S |v|.
const DOUBT: f64 = 1e-12;

impl<'a> Faces<'a> {
    /// The faces of `domain`, if it is triclinic.
    ///
    /// Of the vectors that differ by twice vectors of the lattice only the shortest, if it has none beside it as short but its opposite, has
    /// a face (Voronoi; Conway & Sloane 1992, DOI 10.1098/rspa.1992.0073). Those that are nearly as short are taken too: what is no face
    /// changes nothing.
    pub(crate) fn of(domain: &'a Domain) -> Option<Self> {
        let Domain::Triclinic(lattice) = domain else {
            return None;
        };
        let mut shortest = [f64::INFINITY; 8];
        let all: Vec<(Image, [f64; 3])> = halves().map(|n| (n, lattice.translation(n))).collect();
        let kind = |n: Image| {
            n.iter()
                .fold(0, |kind, k| 2 * kind + usize::from(k % 2 != 0))
        };
        for (n, vector) in &all {
            let least = &mut shortest[kind(*n)];
            *least = least.min(norm2(*vector));
        }
        let extent = lattice.extent();
        let face = |(image, vector): (Image, [f64; 3])| {
            let length2 = norm2(vector);
            let doubt = DOUBT * extent * (extent + length2.sqrt());
            Face {
                image,
                vector,
                sure: [length2 / 2.0 - doubt, length2 / 2.0 + doubt],
            }
        };
        let faces = all.into_iter();
        let faces = faces.filter(|(n, vector)| {
            kind(*n) != 0 && norm2(*vector) <= shortest[kind(*n)] * (1.0 + ALIKE)
        });
        Some(Self {
            lattice,
            faces: faces.map(face).collect(),
        })
    }

    /// Whether image `n` of a difference of two positions in the cell is the nearest; `moved` is the difference under it.
    ///
    /// All that is nearer than `moved` to the origin lies beyond a face. Within all faces by a margin m it is nearer by 2m than any other
    /// image: the vector w of one is a sum of faces' vectors with factors that add up to 1 at least.
    #[inline]
    pub(crate) fn nearness(&self, moved: [f64; 3], n: Image) -> Nearness {
        let mut nearness = Nearness::Nearest;
        for face in &self.faces {
            let along = dot(moved, face.vector);
            if along.abs() < face.sure[0] {
                continue;
            }
            if along.abs() > face.sure[1] && Self::is_searched(n, face.image, along > 0.0) {
                return Nearness::Farther;
            }
            nearness = Nearness::Unsure;
        }
        nearness
    }

    /// Whether the nearer image beyond a face is among those that the search looks at.
    fn is_searched(n: Image, face: Image, ahead: bool) -> bool {
        let sign = if ahead { -1 } else { 1 };
        (0..3).all(|k| (n[k] + sign * face[k]).abs() <= Lattice::SPAN)
    }

    /// The difference `d` under image `n`.
    #[inline]
    pub(crate) fn moved(&self, d: [f64; 3], n: Image) -> [f64; 3] {
        let t = self.lattice.translation(n);
        [d[0] + t[0], d[1] + t[1], d[2] + t[2]]
    }
}

/// One of each two opposite images, but 0.
fn halves() -> impl Iterator<Item = Image> {
    let along = || -SPAN..=SPAN;
    let all =
        along().flat_map(move |n1| along().flat_map(move |n2| along().map(move |n3| [n1, n2, n3])));
    all.filter(|n| *n > [0; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separation::difference;
    use proptest::prelude::*;

    fn check(vectors: [[f64; 3]; 3], s: [[f64; 3]; 2]) -> [usize; 3] {
        let Ok(lattice) = Lattice::new(vectors) else {
            return [0; 3];
        };
        let basis = lattice.basis();
        let place = |s: [f64; 3]| {
            [0, 1, 2].map(|k| s[0] * basis[0][k] + s[1] * basis[1][k] + s[2] * basis[2][k])
        };
        let d = difference(place(s[0]), place(s[1]));
        let domain = Domain::Triclinic(lattice);
        let Domain::Triclinic(lattice) = &domain else {
            return [0; 3];
        };
        let (nearest, chosen) = lattice.nearest(d);
        let faces = Faces::of(&domain).unwrap();
        let mut told = [0; 3];
        for n in (-62..=62i32).map(|k| {
            let place = k + 62;
            [place / 25 - 2, place / 5 % 5 - 2, place % 5 - 2].map(|n| n as i8)
        }) {
            let moved = faces.moved(d, n);
            let nearness = faces.nearness(moved, n);
            told[nearness as usize] += 1;
            match nearness {
                Nearness::Nearest => assert_eq!((n, moved), (chosen, nearest), "{vectors:?} {d:?}"),
                Nearness::Farther => assert_ne!(n, chosen, "{vectors:?} {d:?}"),
                Nearness::Unsure => {}
            }
        }
        told
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_faces_tell_is_what_the_search_finds(
            vectors in prop::array::uniform3(prop::array::uniform3(-10.0f64..10.0)),
            s in prop::array::uniform2(prop::array::uniform3(0.0f64..1.0)),
        ) {
            let told = check(vectors, s);
            // The image itself is hardly ever left open.
            prop_assert!(told == [0; 3] || told[0] == 1 || told[2] > 0);
        }

        #[test]
        fn ties_are_left_to_the_search(
            cell in 0usize..4,
            s in prop::array::uniform2(prop::array::uniform3(0u32..24)),
        ) {
            // Lattices with many equal images, and positions half and third ways in them.
            let cells = [
                [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
                [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
                [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]],
                [[2.0, 0.0, 0.0], [1.0, 3f64.sqrt(), 0.0], [0.0, 0.0, 3.0]],
            ];
            check(cells[cell], s.map(|s| s.map(|k| f64::from(k) / 24.0)));
        }
    }

    #[test]
    fn most_images_are_told_by_their_faces() {
        let told = check(
            [[1.0, 0.0, 0.0], [0.6, 0.9, 0.0], [-0.3, 0.4, 1.1]],
            [[0.9, 0.1, 0.8], [0.1, 0.7, 0.2]],
        );
        assert_eq!(told[0], 1);
        assert!(told[1] > 80, "{told:?}");
    }
}
