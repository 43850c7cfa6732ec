//! Which species of particles there are, and which of their pairs are counted apart.
//!
//! Entry: [`Species`].

use albireo::error::EstimatorError;

use crate::Result;

/// The pairs of species that partial functions are made of, in the order of the tables of [`albireo::tally::Classes::Species`].
///
/// ```
/// use albireo_fluids::Species;
/// let water = Species::within(2);
/// assert_eq!(water.pairs(), [[0, 0], [0, 1], [1, 1]]);
/// // Ions 0 and 1 around sites 2, 3 and 4 of other molecules.
/// assert_eq!(Species::between(2, 3).pairs()[5], [1, 4]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Species {
    number: usize,
    pairs: Vec<[usize; 2]>,
}

impl Species {
    /// All pairs of `number` species of one sample, each once: (0, 0), (0, 1), .., (1, 1), ..
    pub fn within(number: usize) -> Self {
        let rows = (0..number).flat_map(|a| (a..number).map(move |b| [a, b]));
        Self {
            number,
            pairs: rows.collect(),
        }
    }

    /// All pairs of a species of one sample with one of another: the second sample's are numbered on from `first`.
    pub fn between(first: usize, second: usize) -> Self {
        let rows = (0..first).flat_map(|a| (first..first + second).map(move |b| [a, b]));
        Self {
            number: first + second,
            pairs: rows.collect(),
        }
    }

    /// These pairs of `number` species; of the same two in either order one is enough.
    ///
    /// # Errors
    /// A species beyond their number, or a pair that is there twice.
    pub fn of_pairs(number: usize, pairs: &[[usize; 2]]) -> Result<Self> {
        let mut seen = Self {
            number,
            pairs: Vec::new(),
        };
        for &[a, b] in pairs {
            if a.max(b) >= number || seen.class([a, b]).is_ok() {
                return Err(EstimatorError::Needs(format!(
                    "pairs of {number} species, each once, are needed, found {a} and {b} (counting from 0)"
                )));
            }
            seen.pairs.push([a, b]);
        }
        Ok(seen)
    }

    /// Number of species, those of a second sample with them.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The pairs of species, class by class.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// Whether all pairs of all species are there.
    pub(super) fn complete(&self) -> bool {
        self.pairs.len() == self.number * (self.number + 1) / 2
    }

    /// The class of two species, in either order.
    pub(super) fn class(&self, [a, b]: [usize; 2]) -> Result<usize> {
        let found = self.pairs.iter().position(|&p| p == [a, b] || p == [b, a]);
        found.ok_or_else(|| {
            EstimatorError::Needs(format!(
                "pairs of the species {a} and {b} (counting from 0) are not among the {} that were counted",
                self.pairs.len()
            ))
        })
    }

    /// Refuses a list that does not hold one entry for each species.
    pub(super) fn check_list(&self, what: &str, found: usize) -> Result<()> {
        if found == self.number {
            return Ok(());
        }
        Err(EstimatorError::Needs(format!(
            "{what}: one for each of {} species is needed, found {found}",
            self.number
        )))
    }
}
