//! Where particles start: a face-centred cubic lattice or given positions, and velocities of a temperature.
//!
//! Entry: [`Start`].

use albireo::random::Stream;

use super::error::{DynamicsError, Result};
use super::normal::normal;
use super::potential::LennardJones;

/// Positions, species and velocities of particles in a periodic box.
///
/// ```
/// use albireo_dynamics::{LennardJones, Start, Truncation};
/// let argon = LennardJones::new(Truncation::Cut(2.5))?;
/// let start = Start::fcc(500, 0.8442)?.with_temperature(1.44, 7, &argon)?;
/// assert_eq!(start.len(), 500);
/// assert!((start.lengths()[0] - (500.0f64 / 0.8442).cbrt()).abs() < 1e-12);
/// # Ok::<(), albireo_dynamics::DynamicsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    lengths: [f64; 3],
    positions: Vec<[f64; 3]>,
    species: Vec<u32>,
    velocities: Vec<[f64; 3]>,
}

/// Sites of the cubic cell, in halves of it.
const SITES: [[u8; 3]; 4] = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]];

/// The most particles: squares of their momenta can be summed in 128 bits.
const MOST_PARTICLES: usize = 1 << 26;

impl Start {
    /// Particles at rest, of species 0, at these positions in a box of these lengths; positions outside are wrapped.
    ///
    /// # Errors
    /// None or more than 2^26 of them.
    pub fn new(lengths: [f64; 3], positions: Vec<[f64; 3]>) -> Result<Self> {
        let n = positions.len();
        if !(1..=MOST_PARTICLES).contains(&n) {
            return Err(DynamicsError::Quantity {
                what: "the number of particles",
                expected: "from 1 to 2^26",
                found: n as f64,
            });
        }
        Ok(Self {
            lengths,
            positions,
            species: vec![0; n],
            velocities: vec![[0.0; 3]; n],
        })
    }

    /// `n` particles of species 0 at rest on a face-centred cubic lattice of this number density, in a cubic box; where `n` is no 4 k^3,
    /// the empty sites of the next larger one are spread evenly.
    ///
    /// # Errors
    /// No particles or more than 2^26, a density that is not from 1e-9 to 1e9.
    pub fn fcc(n: usize, density: f64) -> Result<Self> {
        if !(1e-9..=1e9).contains(&density) {
            return Err(DynamicsError::Quantity {
                what: "the density",
                expected: "positive, from 1e-9 to 1e9",
                found: density,
            });
        }
        let length = libm::cbrt(n as f64 / density);
        let mut cells = 1;
        while 4 * cells * cells * cells < n.min(MOST_PARTICLES) {
            cells += 1;
        }
        let sites = 4 * cells * cells * cells;
        let half = length / (2 * cells) as f64;
        let position = |k: usize| {
            let site = (k as u128 * sites as u128 / n as u128) as usize;
            let cell = site / 4;
            let cell = [cell / (cells * cells), cell / cells % cells, cell % cells];
            let at = |axis: usize| (2 * cell[axis] + usize::from(SITES[site % 4][axis])) as f64;
            [at(0) * half, at(1) * half, at(2) * half]
        };
        let n = if n <= MOST_PARTICLES { n } else { 0 };
        Self::new([length; 3], (0..n).map(position).collect())
    }

    /// The same particles of these species.
    ///
    /// # Errors
    /// Another number of them.
    pub fn with_species(self, species: Vec<u32>) -> Result<Self> {
        self.check("species of particles", species.len())?;
        Ok(Self { species, ..self })
    }

    /// The same particles with species in these numbers, shuffled by a seed.
    ///
    /// # Errors
    /// Numbers that do not add up to that of the particles.
    pub fn with_shuffled_species(self, numbers: &[usize], seed: u64) -> Result<Self> {
        let of = numbers.iter().enumerate();
        let mut species: Vec<u32> = of
            .flat_map(|(kind, &number)| {
                std::iter::repeat_n(kind as u32, number.min(self.len() + 1))
            })
            .collect();
        self.check("particles of all species", numbers.iter().sum())?;
        let stream = Stream::new(seed).child(SPECIES);
        for k in (1..species.len()).rev() {
            let other = (u128::from(stream.bits(k as u64)) * (k as u128 + 1)) >> 64;
            species.swap(k, other as usize);
        }
        Ok(Self { species, ..self })
    }

    /// The same particles with these velocities.
    ///
    /// # Errors
    /// Another number of them.
    pub fn with_velocities(self, velocities: Vec<[f64; 3]>) -> Result<Self> {
        self.check("velocities", velocities.len())?;
        Ok(Self { velocities, ..self })
    }

    /// The same particles with random velocities of a temperature (in epsilon over Boltzmann's constant), which has `3 N - 3` degrees of
    /// freedom: no momentum in all, but for roundings.
    ///
    /// # Errors
    /// A temperature that is not from 0 to 1e9, a species without mass.
    pub fn with_temperature(
        mut self,
        temperature: f64,
        seed: u64,
        potential: &LennardJones,
    ) -> Result<Self> {
        if !(0.0..=1e9).contains(&temperature) {
            return Err(DynamicsError::Quantity {
                what: "the temperature",
                expected: "from 0 to 1e9",
                found: temperature,
            });
        }
        let masses = self.masses(potential)?;
        let stream = Stream::new(seed).child(VELOCITIES);
        let velocity = |(k, mass): (usize, &f64)| {
            let width = (1.0 / mass).sqrt();
            normal(stream, k as u64).map(|v| v * width)
        };
        let mut velocities: Vec<[f64; 3]> = masses.iter().enumerate().map(velocity).collect();
        let all: f64 = masses.iter().sum();
        for k in 0..3 {
            let momentum: f64 = velocities.iter().zip(&masses).map(|(v, m)| m * v[k]).sum();
            for v in &mut velocities {
                v[k] -= momentum / all;
            }
        }
        let twice_kinetic = |(v, m): (&[f64; 3], &f64)| m * albireo::separation::norm2(*v);
        let twice: f64 = velocities.iter().zip(&masses).map(twice_kinetic).sum();
        let freedom = (3 * self.len() - 3) as f64;
        let factor = if twice > 0.0 && freedom > 0.0 {
            (temperature * freedom / twice).sqrt()
        } else {
            0.0
        };
        velocities
            .as_flattened_mut()
            .iter_mut()
            .for_each(|v| *v *= factor);
        self.velocities = velocities;
        Ok(self)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The lengths of the box.
    pub fn lengths(&self) -> [f64; 3] {
        self.lengths
    }

    /// Where the particles are.
    pub fn positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Of which species.
    pub fn species(&self) -> &[u32] {
        &self.species
    }

    /// How fast.
    pub fn velocities(&self) -> &[[f64; 3]] {
        &self.velocities
    }

    /// The mass of each particle.
    pub(super) fn masses(&self, potential: &LennardJones) -> Result<Vec<f64>> {
        let n = potential.species();
        let unknown = self.species.iter().position(|&kind| kind as usize >= n);
        if let Some(particle) = unknown {
            return Err(DynamicsError::Species {
                particle,
                found: self.species[particle],
                species: n,
            });
        }
        let mass = |&kind: &u32| potential.masses()[kind as usize];
        Ok(self.species.iter().map(mass).collect())
    }

    fn check(&self, what: &'static str, found: usize) -> Result<()> {
        let expected = self.len();
        (found == expected)
            .then_some(())
            .ok_or(DynamicsError::Number {
                what,
                expected,
                found,
            })
    }
}

/// Labels of the streams of a seed.
const SPECIES: u64 = 1;
const VELOCITIES: u64 = 2;
