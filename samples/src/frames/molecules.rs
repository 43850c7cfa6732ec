//! How the numbers of molecules are meant: each of one molecule, or used again by others.
//!
//! Entry: [`Numbering`], decided once for all frames.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "molecules are numbered in 32 bits"
)]

use std::collections::HashMap;

use albireo_catalogs::{Atoms, Attribute};

/// The column of residues, whose numbers begin again in each of these; an insertion code makes another residue of a number.
pub(super) const RESIDUES: &str = "resid";
const WITHIN: [&str; 3] = ["chain", "segment", "icode"];

/// How a column numbers molecules.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Numbering {
    /// All rows of one number are a molecule, wherever they stand.
    #[default]
    Unique,
    /// Numbers begin again: each run of rows with one number is a molecule.
    UsedAgain {
        /// Different numbers.
        numbers: usize,
        /// Runs of rows.
        molecules: usize,
        /// A number whose rows are no one molecule.
        molecule: String,
        /// How far apart two rows of it are.
        distance: f64,
        /// Half the shortest length of the box.
        half: f64,
    },
}

impl Numbering {
    /// The rows of each molecule, in the order in which molecules come first.
    pub(super) fn rows_of(&self, keys: &[u64]) -> Vec<Vec<u32>> {
        match self {
            Self::UsedAgain { .. } => Self::runs_of(keys),
            Self::Unique => {
                let mut place: HashMap<u64, usize> = HashMap::new();
                let mut rows: Vec<Vec<u32>> = Vec::new();
                for (row, key) in keys.iter().enumerate() {
                    let at = *place.entry(*key).or_insert_with(|| {
                        rows.push(Vec::new());
                        rows.len() - 1
                    });
                    rows[at].push(row as u32);
                }
                rows
            }
        }
    }

    /// Runs of consecutive rows with one number.
    pub(super) fn runs_of(keys: &[u64]) -> Vec<Vec<u32>> {
        let mut row = 0;
        let runs = keys.chunk_by(|a, b| a == b).map(|run| {
            let first = row;
            row += run.len() as u32;
            (first..row).collect()
        });
        runs.collect()
    }
}

/// A key of the molecule of each row, as a column numbers them: residues within their chain and segment, where these are stated.
pub(super) fn molecule_keys(atoms: &Atoms, column: &str) -> Option<Vec<u64>> {
    let mut found = keys(atoms.get(column)?);
    if column != RESIDUES {
        return Some(found);
    }
    for within in WITHIN.into_iter().filter_map(|name| atoms.get(name)) {
        let of_row = found.iter().copied().zip(keys(within));
        let mut numbers = HashMap::new();
        let mut number = |pair: (u64, u64)| {
            let next = numbers.len() as u64;
            *numbers.entry(pair).or_insert(next)
        };
        found = of_row.map(&mut number).collect();
    }
    Some(found)
}

/// A key of each value of a column, equal where the values are.
pub(super) fn keys(of: &Attribute) -> Vec<u64> {
    match of {
        Attribute::Integers(values) => values.iter().map(|&value| value as u64).collect(),
        Attribute::Texts { codes, .. } => codes.iter().map(|&code| code.into()).collect(),
        // -0 is 0.
        Attribute::Numbers(values) => values.iter().map(|&v| (v + 0.0).to_bits()).collect(),
        _ => Vec::new(),
    }
}

/// The value of a row as text.
pub(super) fn text_of(of: &Attribute, row: usize) -> String {
    match of {
        Attribute::Integers(values) => values[row].to_string(),
        Attribute::Numbers(values) => values[row].to_string(),
        Attribute::Texts { texts, codes } => texts[codes[row] as usize].clone(),
        _ => String::new(),
    }
}
