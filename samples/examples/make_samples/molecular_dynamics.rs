//! Molecular dynamics of the Kob-Andersen mixture (1995, DOI 10.1103/PhysRevE.51.4626) in reduced units.
//!
//! Velocity Verlet with neighbour lists; velocities are rescaled to the temperature. One thread and one order of all sums, so that
//! every run ends in the same bits.

use albireo::random::Stream;

use crate::draws::Draws;

/// Species of a particle; four of five are A.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Species {
    A,
    B,
}

/// Lennard-Jones potential of a pair of species, cut at 2.5 diameters.
struct Potential {
    /// Well depth.
    depth: f64,
    /// Squared diameter.
    diameter2: f64,
    /// Squared cutoff.
    cutoff2: f64,
}

fn potential(a: Species, b: Species) -> Potential {
    let (depth, diameter): (f64, f64) = match (a, b) {
        (Species::A, Species::A) => (1.0, 1.0),
        (Species::B, Species::B) => (0.5, 0.88),
        _ => (1.5, 0.8),
    };
    Potential {
        depth,
        diameter2: diameter * diameter,
        cutoff2: 6.25 * diameter * diameter,
    }
}

const TIME_STEP: f64 = 0.003;

/// The longest cutoff, of A with A.
const CUTOFF: f64 = 2.5;

/// Neighbour lists reach this much further than the cutoff, and are made anew when a particle has moved half of it.
const SKIN: f64 = 0.4;

pub(crate) struct System {
    length: f64,
    species: Vec<Species>,
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    forces: Vec<[f64; 3]>,
    neighbours: Vec<[u32; 2]>,
    /// Positions when the neighbour list was made.
    listed: Vec<[f64; 3]>,
}

impl System {
    /// A face-centred cubic lattice of `4 * cubes^3` particles, species at random, with random velocities.
    pub(crate) fn lattice(cubes: usize, density: f64, seed: u64) -> Self {
        let n = 4 * cubes * cubes * cubes;
        let length = libm::cbrt(n as f64 / density);
        let side = length / cubes as f64;
        let basis = [[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
        let place = |k: usize| -> [f64; 3] {
            let cube = [k / 4 % cubes, k / 4 / cubes % cubes, k / 4 / cubes / cubes];
            std::array::from_fn(|axis| (cube[axis] as f64 + basis[k % 4][axis] + 0.25) * side)
        };
        let positions: Vec<[f64; 3]> = (0..n).map(place).collect();
        let mut draws = Draws::new(Stream::new(seed));
        let mut species = vec![Species::A; n];
        let mut left = n / 5;
        while left > 0 {
            let k = (draws.uniform() * n as f64) as usize;
            if species[k] == Species::A {
                species[k] = Species::B;
                left -= 1;
            }
        }
        let velocities = (0..n).map(|_| draws.normals()).collect();
        let mut system = Self {
            length,
            species,
            listed: positions.clone(),
            positions,
            velocities,
            forces: vec![[0.0; 3]; n],
            neighbours: vec![],
        };
        system.list_neighbours();
        system.update_forces();
        system
    }

    pub(crate) fn length(&self) -> f64 {
        self.length
    }

    pub(crate) fn species(&self) -> &[Species] {
        &self.species
    }

    pub(crate) fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// One time step at this temperature.
    pub(crate) fn step(&mut self, temperature: f64) {
        self.kick();
        for (x, v) in self.positions.iter_mut().zip(&self.velocities) {
            for axis in 0..3 {
                x[axis] += TIME_STEP * v[axis];
            }
        }
        if self.moved_far() {
            self.list_neighbours();
        }
        self.update_forces();
        self.kick();
        self.rescale(temperature);
    }

    /// Half a step of acceleration.
    fn kick(&mut self) {
        for (v, f) in self.velocities.iter_mut().zip(&self.forces) {
            for axis in 0..3 {
                v[axis] += TIME_STEP / 2.0 * f[axis];
            }
        }
    }

    /// Takes out the drift and brings the velocities to the temperature.
    fn rescale(&mut self, temperature: f64) {
        let n = self.velocities.len() as f64;
        let mut mean = [0.0; 3];
        for v in &self.velocities {
            for axis in 0..3 {
                mean[axis] += v[axis] / n;
            }
        }
        let mut square = 0.0;
        for v in &mut self.velocities {
            for axis in 0..3 {
                v[axis] -= mean[axis];
                square += v[axis] * v[axis];
            }
        }
        let factor = (3.0 * n * temperature / square).sqrt();
        for v in &mut self.velocities {
            *v = v.map(|component| component * factor);
        }
    }

    fn moved_far(&self) -> bool {
        let limit = (SKIN / 2.0) * (SKIN / 2.0);
        let pairs = self.positions.iter().zip(&self.listed);
        pairs.into_iter().any(|(a, b)| {
            let d2: f64 = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
            d2 > limit
        })
    }

    /// Nearest image of the difference of two positions.
    fn difference(&self, i: usize, j: usize) -> [f64; 3] {
        std::array::from_fn(|axis| {
            let d = self.positions[i][axis] - self.positions[j][axis];
            d - self.length * (d / self.length).round_ties_even()
        })
    }

    /// Wraps the positions and lists the pairs in reach, by cells.
    fn list_neighbours(&mut self) {
        let length = self.length;
        for x in &mut self.positions {
            *x = x.map(|c| c.rem_euclid(length));
        }
        self.listed.clone_from(&self.positions);
        let per_axis = (length / (CUTOFF + SKIN)) as usize;
        let mut cells = vec![vec![]; per_axis * per_axis * per_axis];
        let cell_of =
            |x: &[f64; 3]| x.map(|c| ((c / length * per_axis as f64) as usize).min(per_axis - 1));
        let index = |[a, b, c]: [usize; 3]| (a * per_axis + b) * per_axis + c;
        for (k, x) in self.positions.iter().enumerate() {
            cells[index(cell_of(x))].push(k);
        }
        let reach2 = (CUTOFF + SKIN) * (CUTOFF + SKIN);
        let mut neighbours = vec![];
        for (i, x) in self.positions.iter().enumerate() {
            let home = cell_of(x);
            for step in 0..27 {
                let steps = [step / 9, step / 3 % 3, step % 3];
                let cell = std::array::from_fn(|k| (home[k] + steps[k] + per_axis - 1) % per_axis);
                for &j in cells[index(cell)].iter().filter(|&&j| j > i) {
                    let d = self.difference(i, j);
                    if d.iter().map(|c| c * c).sum::<f64>() < reach2 {
                        neighbours.push([i as u32, j as u32]);
                    }
                }
            }
        }
        self.neighbours = neighbours;
    }

    fn update_forces(&mut self) {
        let mut forces = vec![[0.0; 3]; self.forces.len()];
        for &pair in &self.neighbours {
            let [i, j] = pair.map(|k| k as usize);
            let d = self.difference(i, j);
            let r2: f64 = d.iter().map(|c| c * c).sum();
            let potential = potential(self.species[i], self.species[j]);
            if r2 >= potential.cutoff2 {
                continue;
            }
            let ratio = potential.diameter2 / r2;
            let sixth = ratio * ratio * ratio;
            let over_r2 = 24.0 * potential.depth * (2.0 * sixth * sixth - sixth) / r2;
            for axis in 0..3 {
                forces[i][axis] += over_r2 * d[axis];
                forces[j][axis] -= over_r2 * d[axis];
            }
        }
        self.forces = forces;
    }
}
