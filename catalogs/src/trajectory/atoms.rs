//! What is known of the particles of a frame beside their positions.
//!
//! Entry: [`Atoms`], columns that filters select by, and bonds. Readers use one of these names where it fits: `name`, `type`, `element`, `species`, `id`,
//! `resname`, `resid`, `molecule`, `segment`, `mass`, `charge`; other columns keep the file's.

use serde::Serialize;

use crate::block::Cells;

/// One value of each particle.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub enum Attribute {
    /// Reals.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts: the different ones, and which of them each particle has.
    Texts {
        /// The different texts, in the order in which they come first.
        texts: Vec<String>,
        /// For each particle its index in `texts`.
        codes: Vec<u32>,
    },
}

impl Attribute {
    /// Texts, one a particle.
    pub fn of_texts<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {
        let mut texts: Vec<String> = Vec::new();
        let mut known = std::collections::HashMap::new();
        let codes = values.into_iter().map(|text| {
            let text = text.as_ref();
            *known.entry(text.to_owned()).or_insert_with(|| {
                texts.push(text.to_owned());
                (texts.len() - 1) as u32
            })
        });
        let codes = codes.collect();
        Self::Texts { texts, codes }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Integers(values) => values.len(),
            Self::Texts { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of some of the particles.
    ///
    /// # Panics
    /// If there are no such rows.
    #[must_use]
    pub fn rows(&self, rows: std::ops::Range<usize>) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(values[rows].to_vec()),
            Self::Integers(values) => Self::Integers(values[rows].to_vec()),
            Self::Texts { texts, codes } => Self::Texts {
                texts: texts.clone(),
                codes: codes[rows].to_vec(),
            },
        }
    }

    pub(super) fn cells(&self) -> Cells {
        match self {
            Self::Numbers(values) => Cells::Numbers(values.clone()),
            Self::Integers(values) => {
                Cells::Integers(values.iter().map(|&value| value.into()).collect())
            }
            Self::Texts { texts, codes } => Cells::Texts(
                codes
                    .iter()
                    .map(|&code| texts[code as usize].clone())
                    .collect(),
            ),
        }
    }
}

/// Columns of equal length and bonds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Atoms {
    len: usize,
    columns: Vec<(String, Attribute)>,
    bonds: Vec<[u32; 2]>,
}

impl Atoms {
    /// So many particles of which nothing is known.
    pub fn new(len: usize) -> Self {
        Self {
            len,
            ..Self::default()
        }
    }

    /// With one more column, which takes the place of one of the same name.
    ///
    /// # Panics
    /// If it has not one value a particle: a mistake of the reader.
    #[must_use]
    pub fn with(mut self, name: &str, attribute: Attribute) -> Self {
        assert_eq!(attribute.len(), self.len, "one value a particle: {name}");
        self.columns.retain(|(other, _)| other != name);
        self.columns.push((name.to_owned(), attribute));
        self
    }

    /// With the components of vectors, such as velocities, as columns of these names.
    ///
    /// # Panics
    /// As [`Atoms::with`].
    #[must_use]
    pub fn with_vectors(self, names: [&str; 3], components: [Vec<f64>; 3]) -> Self {
        let named = names.into_iter().zip(components);
        named.fold(self, |atoms, (name, component)| {
            atoms.with(name, Attribute::Numbers(component))
        })
    }

    /// With these bonds, pairs of indices from 0.
    #[must_use]
    pub fn bonded(mut self, bonds: Vec<[u32; 2]>) -> Self {
        self.bonds = bonds;
        self
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// One column.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        let found = self.columns.iter().find(|(other, _)| other == name);
        found.map(|(_, attribute)| attribute)
    }

    /// Bonds between particles, by index from 0; empty where the file tells none.
    pub fn bonds(&self) -> &[[u32; 2]] {
        &self.bonds
    }
}
