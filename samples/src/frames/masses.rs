//! Elements and masses that a trajectory does not tell, from the names of its atoms.
//!
//! Entry: [`guessed`], for columns that something is asked of.

use std::collections::HashMap;
use std::sync::Arc;

use albireo_catalogs::{Atoms, Attribute};

use super::{FrameReading, Species};
use crate::elements::{element_of, is_massless, symbol, weight_of};
use crate::error::{Result, SampleError};
use crate::shown::in_short_list;

/// Columns of names, the best first.
const NAMES: [&str; 4] = ["element", "name", "species", "type"];
/// Columns that are made of names where they are missing.
const MADE: [&str; 2] = ["element", "mass"];

/// A column that was made of names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guess {
    pub(super) column: &'static str,
    /// Each name with what it was taken for.
    pub(super) of_names: Vec<String>,
}

impl FrameReading {
    /// Whether a column of the particles is asked for.
    pub(super) fn asks_for(&self, column: &str) -> bool {
        let of_conditions = match &self.species {
            Species::Column(named) => named == column,
            Species::Conditions(all) => all.iter().any(|(_, f)| f.columns().contains(&column)),
            Species::Usual | Species::Alike => false,
        };
        let filter = self.filter.as_ref();
        of_conditions
            || filter.is_some_and(|filter| filter.columns().contains(&column))
            || (self.centres.is_some() && column == "mass")
    }

    /// The atoms with the elements and masses that are asked for and that they lack, of their names, and what these were taken for.
    ///
    /// # Errors
    /// Names of no element known here.
    pub(super) fn guessed(&self, atoms: Arc<Atoms>) -> Result<(Arc<Atoms>, Vec<Guess>)> {
        let mut guesses = Vec::new();
        let mut all = atoms;
        for column in MADE {
            if !self.asks_for(column) || all.get(column).is_some() {
                continue;
            }
            if let Some((attribute, guess)) = made_of_names(&all, column)? {
                all = Arc::new(Atoms::clone(&all).with(column, attribute));
                guesses.push(guess);
            }
        }
        Ok((all, guesses))
    }
}

/// The texts of a column, and which of them each atom has.
type Names<'a> = (&'static str, &'a [String], &'a [u32]);

fn names_in<'a>(atoms: &'a Atoms, column: &'static str) -> Option<Names<'a>> {
    match atoms.get(column) {
        Some(Attribute::Texts { texts, codes }) => Some((column, texts, codes)),
        _ => None,
    }
}

/// Elements or masses by names; nothing where there are none.
fn made_of_names(atoms: &Atoms, column: &'static str) -> Result<Option<(Attribute, Guess)>> {
    let names: Vec<Names<'_>> = NAMES
        .iter()
        .filter_map(|name| names_in(atoms, name))
        .collect();
    if names.is_empty() || atoms.is_empty() {
        return Ok(None);
    }
    let residues = names_in(atoms, "resname");
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut found: Vec<(String, &'static str, f64)> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    let mut places = Vec::with_capacity(atoms.len());
    for row in 0..atoms.len() {
        let code = |(_, _, codes): &Names<'_>| codes[row];
        let key: Vec<u32> = names.iter().chain(&residues).map(code).collect();
        let place = *known.entry(key).or_insert_with(|| {
            let text = |(_, texts, codes): &Names<'_>| texts[codes[row] as usize].clone();
            let residue = residues.as_ref().map(text);
            let taken = names.iter().find_map(|all| {
                let name = text(all);
                let symbol = if all.0 == "element" {
                    symbol(&name)
                } else {
                    let site = || is_massless(&name, residue.as_deref()).then_some("");
                    element_of(&name, residue.as_deref()).or_else(site)
                };
                // Without a weight it is of no use as a mass.
                let weighed = |symbol: &&str| symbol.is_empty() || weight_of(symbol).is_some();
                let symbol = symbol.filter(|symbol| column != "mass" || weighed(symbol));
                Some((name, symbol?))
            });
            let (name, symbol) = taken.unwrap_or_else(|| {
                let name = names.iter().map(text).find(|name| !name.trim().is_empty());
                unknown.push(name.unwrap_or_default());
                (String::new(), "")
            });
            found.push((name, symbol, weight_of(symbol).unwrap_or(0.0)));
            found.len() - 1
        });
        places.push(place);
    }
    if !unknown.is_empty() {
        unknown.sort();
        unknown.dedup();
        return Err(SampleError::Input(format!(
            "no `{column}` of the particles is known, and it is not guessed from these names, which are of no element known here: {}: a file of masses and \
             elements is given by --topology",
            in_short_list(&unknown)
        )));
    }
    let attribute = match column {
        "mass" => Attribute::Numbers(places.iter().map(|&place| found[place].2).collect()),
        _ => Attribute::of_texts(places.iter().map(|&place| found[place].1)),
    };
    let mut of_names: Vec<String> = found
        .iter()
        .map(|(name, symbol, weight)| match column {
            "mass" => format!("{name} {weight}"),
            _ => format!("{name} {symbol}"),
        })
        .collect();
    of_names.sort();
    of_names.dedup();
    Ok(Some((attribute, Guess { column, of_names })))
}
