//! Draws positions of every structure.

use super::case::Space;
use super::random::Random;

/// How positions lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// Anywhere.
    Uniform,
    /// On whole steps: ties and duplicates.
    Lattice,
    /// One float64 number beside whole steps.
    BesideLattice,
    /// Along an axis or a diagonal.
    Line,
    /// Half of them in one small place.
    Clump,
    /// Half of them on fine lattices in many small places.
    Clumps,
    /// In a handful of places.
    Duplicates,
    /// In a handful of places and where two of their coordinates are exchanged: equally far from the origin.
    Exchanged,
    /// On the faces of the box, half way, and beside.
    Faces,
    /// Near the origin by many powers of two.
    Tiny,
    /// Nearly along one line through the origin, on both sides of it.
    Poles,
}

/// Positions of one structure in one space.
pub struct Place {
    structure: Structure,
    /// What fractions are multiplied by.
    basis: [[f64; 3]; 3],
    origin: [f64; 3],
    steps: f64,
    centre: [f64; 3],
    along: [f64; 3],
    clump: f64,
    few: [[f64; 3]; 5],
}

impl Place {
    /// A place in `space`.
    pub fn new(random: &mut Random, space: &Space, structure: Structure) -> Self {
        let diagonal = |l: [f64; 3]| [[l[0], 0.0, 0.0], [0.0, l[1], 0.0], [0.0, 0.0, l[2]]];
        let size = random.pick(&[1.0, 10.0, 16.0, 12.34]);
        let mut origin = [0.0; 3];
        let basis = match space {
            Space::Open => {
                origin = random.pick(&[[0.0; 3], [-0.5 * size; 3], [-0.503 * size; 3]]);
                diagonal([size; 3])
            }
            Space::Box(lengths) => diagonal(lengths.map(|l| l.unwrap_or(size))),
            Space::Cell(vectors) => *vectors,
        };
        let axis = random.below(4);
        let along = if axis == 3 {
            [1.0; 3]
        } else {
            std::array::from_fn(|k| f64::from(u8::from(k == axis)))
        };
        Self {
            structure,
            basis,
            origin,
            steps: random.pick(&[2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 16.0]),
            centre: [0; 3].map(|_| random.unit()),
            along,
            clump: random.decades(1e-7, 0.1),
            few: [0; 5].map(|_| [0; 3].map(|_| random.unit())),
        }
    }

    /// `n` positions.
    pub fn points(&mut self, random: &mut Random, n: usize) -> Vec<[f64; 3]> {
        (0..n).map(|row| self.point(random, row)).collect()
    }

    fn point(&self, random: &mut Random, row: usize) -> [f64; 3] {
        let t = random.unit();
        let whole = (t * self.steps).floor() / self.steps;
        let exchanged = random.below(3);
        let fraction: [f64; 3] = std::array::from_fn(|k| {
            let u = random.unit();
            match self.structure {
                Structure::Lattice | Structure::BesideLattice => {
                    (u * self.steps).floor() / self.steps
                }
                Structure::Line => {
                    let t = if self.steps < 5.0 { whole } else { t };
                    (self.centre[k] * (1.0 - self.along[k])) + t * self.along[k]
                }
                Structure::Clump if row.is_multiple_of(2) => self.centre[k] + u * self.clump,
                Structure::Clumps if row.is_multiple_of(2) => {
                    (row / 2 * 7 % 40) as f64 / 40.0 + (u * 16.0).floor() / 4096.0
                }
                Structure::Duplicates => self.few[(t * 5.0) as usize][k],
                Structure::Exchanged => {
                    let mut place = self.few[(t * 5.0) as usize];
                    place.swap(exchanged, (exchanged + 1) % 3);
                    place[k]
                }
                Structure::Faces => {
                    random.pick(&[0.0, 1.0f64.next_down(), 0.5, 0.5f64.next_up(), 1e-17, u, u])
                }
                Structure::Uniform
                | Structure::Clump
                | Structure::Clumps
                | Structure::Tiny
                | Structure::Poles => u,
            }
        });
        let placed: [f64; 3] = std::array::from_fn(|axis| {
            let sum: f64 = (0..3).map(|k| fraction[k] * self.basis[k][axis]).sum();
            sum + self.origin[axis]
        });
        match self.structure {
            Structure::BesideLattice => placed.map(|x| random.nudged(x)),
            Structure::Tiny if row % 3 != 1 => {
                placed.map(|x| libm::scalbn(x, -random.whole(0, random_power(row))))
            }
            Structure::Poles => {
                let r = random.between(-1.0, 1.0) * self.basis[0][0];
                std::array::from_fn(|k| r * (self.few[0][k] + placed[k] * self.clump * 1e-3))
            }
            _ => placed,
        }
    }
}

/// How many powers of two row `row` may be shrunk by.
fn random_power(row: usize) -> i32 {
    [10, 60, 200, 600, 1074][row % 5]
}

/// Adds `offset` on the axes of `space` that are open.
pub fn offset(rows: &mut [[f64; 3]], offset: [f64; 3], space: &Space) {
    let open = match space {
        Space::Open => [true; 3],
        Space::Box(lengths) => lengths.map(|l| l.is_none()),
        Space::Cell(_) => [false; 3],
    };
    for row in rows {
        for axis in 0..3 {
            if open[axis] {
                row[axis] += offset[axis];
            }
        }
    }
}

/// A direction `degrees` from that of `x`.
pub fn turned(random: &mut Random, x: [f64; 3], degrees: f64) -> [f64; 3] {
    let norm = albireo::separation::norm2(x).sqrt();
    let Some(n) = (norm > 0.0).then(|| x.map(|c| c / norm)) else {
        return random.direction();
    };
    let other = random.direction();
    let along = albireo::separation::dot(n, other);
    let across: [f64; 3] = std::array::from_fn(|k| other[k] - along * n[k]);
    let length = albireo::separation::norm2(across).sqrt();
    if length < 1e-3 {
        return other;
    }
    let (sine, cosine) = (
        libm::sin(degrees.to_radians()),
        libm::cos(degrees.to_radians()),
    );
    std::array::from_fn(|k| n[k] * cosine + across[k] / length * sine)
}
