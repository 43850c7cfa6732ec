//! Lennard-Jones potentials between species, and how they end.
//!
//! Entry: [`LennardJones`]. What they become in integers is decided in `rule.rs`.

use std::fmt;

use super::error::{DynamicsError, Result};

/// How a potential ends; lengths in units of the sigma of each pair of species.
///
/// With V the Lennard-Jones potential and F its force, below the cutoff: `Cut` V, as LAMMPS `lj/cut`; `Shifted` V - V(rc); `ForceShifted`
/// V - V(rc) + (r - rc) F(rc), whose force F - F(rc) has no jump (Toxvaerd & Dyre 2011, DOI 10.1063/1.3558787); `Wca` V - V(rc) with rc
/// where the force is 0 (Weeks, Chandler & Andersen 1971, DOI 10.1063/1.1674820).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truncation {
    /// V below the cutoff.
    Cut(f64),
    /// V - V(rc) below the cutoff.
    Shifted(f64),
    /// V - V(rc) + (r - rc) F(rc) below the cutoff.
    ForceShifted(f64),
    /// The repulsive part: V + epsilon below 2^(1/6) sigma.
    Wca,
}

impl fmt::Display for Truncation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(cutoff) => write!(f, "cut at {cutoff}"),
            Self::Shifted(cutoff) => write!(f, "shifted, cut at {cutoff}"),
            Self::ForceShifted(cutoff) => write!(f, "force-shifted, cut at {cutoff}"),
            Self::Wca => f.write_str("wca"),
        }
    }
}

/// Epsilon and sigma of a pair of species.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairParameters {
    /// The depth of the potential.
    pub epsilon: f64,
    /// Where the potential is 0.
    pub sigma: f64,
}

/// The Lennard-Jones potential `4 epsilon ((sigma/r)^12 - (sigma/r)^6)` of one species or several, with their masses.
///
/// ```
/// use albireo_dynamics::{LennardJones, PairParameters, Truncation};
/// let argon = LennardJones::new(Truncation::ForceShifted(2.5))?;
/// assert_eq!(argon.reach(), 2.5);
/// // The mixture of Kob & Andersen 1995, DOI 10.1103/PhysRevE.51.4626.
/// let pair = |epsilon, sigma| PairParameters { epsilon, sigma };
/// let rows = [vec![pair(1.0, 1.0), pair(1.5, 0.8)], vec![pair(1.5, 0.8), pair(0.5, 0.88)]];
/// let mixture = LennardJones::mixture(Truncation::Shifted(2.5), &[1.0, 1.0], &rows)?;
/// assert_eq!(mixture.species(), 2);
/// # Ok::<(), albireo_dynamics::DynamicsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LennardJones {
    truncation: Truncation,
    masses: Vec<f64>,
    /// A row a species.
    pairs: Vec<PairParameters>,
}

/// The least and the largest cutoff, in sigma: beyond the separations that count as an overlap.
const CUTOFFS: std::ops::RangeInclusive<f64> = 0.75..=100.0;
/// The largest ratio of any parameter to 1.
const RANGE: f64 = 1e9;

/// The most species.
const MOST_SPECIES: usize = 64;

fn positive(what: &'static str, found: f64) -> Result<()> {
    let expected = "positive, from 1e-9 to 1e9";
    if (1.0 / RANGE..=RANGE).contains(&found) {
        return Ok(());
    }
    Err(DynamicsError::Quantity {
        what,
        expected,
        found,
    })
}

impl LennardJones {
    /// One species with epsilon, sigma and mass 1.
    ///
    /// # Errors
    /// A cutoff that is not from 0.75 to 100 sigma.
    pub fn new(truncation: Truncation) -> Result<Self> {
        let unit = PairParameters {
            epsilon: 1.0,
            sigma: 1.0,
        };
        Self::mixture(truncation, &[1.0], &[vec![unit]])
    }

    /// Species of these masses; `pairs[a][b]` holds for the species a and b, as `pairs[b][a]` does.
    ///
    /// # Errors
    /// Parameters that are not from 1e-9 to 1e9, pairs that differ by their order, other numbers of masses and pairs, a cutoff that is not
    /// from 0.75 to 100 sigma.
    pub fn mixture(
        truncation: Truncation,
        masses: &[f64],
        pairs: &[Vec<PairParameters>],
    ) -> Result<Self> {
        let n = masses.len();
        let number = |what, found| DynamicsError::Number {
            what,
            expected: n,
            found,
        };
        if !(1..=MOST_SPECIES).contains(&n) {
            return Err(DynamicsError::Quantity {
                what: "the number of species",
                expected: "from 1 to 64",
                found: n as f64,
            });
        }
        if pairs.len() != n {
            return Err(number("rows of pairs, one a species", pairs.len()));
        }
        if let Some(row) = pairs.iter().find(|row| row.len() != n) {
            return Err(number("pairs in a row, one a species", row.len()));
        }
        masses.iter().try_for_each(|&m| positive("a mass", m))?;
        for (a, row) in pairs.iter().enumerate() {
            for (b, pair) in row.iter().enumerate() {
                positive("epsilon", pair.epsilon)?;
                positive("sigma", pair.sigma)?;
                if *pair != pairs[b][a] {
                    return Err(DynamicsError::Quantity {
                        what: "epsilon and sigma of a pair of species",
                        expected: "the same in both orders",
                        found: pair.sigma,
                    });
                }
            }
        }
        let potential = Self {
            truncation,
            masses: masses.to_vec(),
            pairs: pairs.concat(),
        };
        let cutoff = potential.cutoff();
        if !CUTOFFS.contains(&cutoff) {
            return Err(DynamicsError::Quantity {
                what: "the cutoff",
                expected: "from 0.75 to 100 sigma",
                found: cutoff,
            });
        }
        Ok(potential)
    }

    /// Number of species.
    pub fn species(&self) -> usize {
        self.masses.len()
    }

    /// The masses of the species.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// How the potential ends.
    pub fn truncation(&self) -> Truncation {
        self.truncation
    }

    /// The parameters of two species.
    pub fn pair(&self, a: usize, b: usize) -> PairParameters {
        self.pairs[a * self.species() + b]
    }

    /// The cutoff in units of sigma.
    pub fn cutoff(&self) -> f64 {
        match self.truncation {
            Truncation::Cut(cutoff)
            | Truncation::Shifted(cutoff)
            | Truncation::ForceShifted(cutoff) => cutoff,
            Truncation::Wca => libm::cbrt(std::f64::consts::SQRT_2),
        }
    }

    /// The longest cutoff of all pairs.
    pub fn reach(&self) -> f64 {
        let longest = |reach: f64, pair: &PairParameters| reach.max(self.cutoff() * pair.sigma);
        self.pairs.iter().fold(0.0, longest)
    }

    /// The least and the largest sigma.
    pub(super) fn sigmas(&self) -> [f64; 2] {
        let sigmas = || self.pairs.iter().map(|pair| pair.sigma);
        [
            sigmas().fold(f64::INFINITY, f64::min),
            sigmas().fold(0.0, f64::max),
        ]
    }

    /// The potential and the force at the cutoff of two species, as they are taken off.
    pub(super) fn taken_off(&self, a: usize, b: usize) -> [f64; 2] {
        let PairParameters { epsilon, sigma } = self.pair(a, b);
        let cutoff = self.cutoff();
        let s = 1.0 / (cutoff * cutoff);
        let s3 = s * s * s;
        let potential = 4.0 * epsilon * (s3 * s3 - s3);
        let force = 24.0 * epsilon * (2.0 * s3 * s3 - s3) / (cutoff * sigma);
        match self.truncation {
            Truncation::Cut(_) => [0.0, 0.0],
            Truncation::Shifted(_) | Truncation::Wca => [potential, 0.0],
            Truncation::ForceShifted(_) => [potential, force],
        }
    }
}
