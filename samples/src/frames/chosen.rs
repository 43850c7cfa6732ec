//! Which particles of a frame are counted, in which groups, and which of their pairs are left out.
//!
//! Entry: [`Chosen::of`], made once for all frames whose particles are the same.

#![allow(
    clippy::cast_possible_truncation,
    reason = "particles and groups are numbered in 32 bits"
)]

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use albireo::counts::excluded_by_species;
use albireo::particles::Groups;
use albireo::tally::Cut;
use albireo::{Labels, Particles};
use albireo_catalogs::{Atoms, Attribute, Frame};
use albireo_fluids::frames::FrameGroups;

use super::centres::of_rows;
use super::molecules::molecule_keys;
use super::{Exclusion, FrameReading, Species};
use crate::error::{Result, SampleError};
use crate::within::Within;

/// What is chosen of a frame.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Rows of the particles that are in any group; `None` for all of them.
    pub(super) rows: Option<Vec<u32>>,
    pub(super) labels: Labels,
    pub(super) molecules: Option<Groups>,
    pub(super) cuts: Vec<Cut>,
    /// Pairs that the cuts leave out, once they were looked for.
    left_out: OnceLock<Arc<[u64]>>,
}

/// A column of species that is looked for where none is named.
pub(super) const USUAL: [&str; 4] = ["species", "element", "type", "name"];

/// The text of each value of a column, each once: in order of texts, or of numbers.
fn values_of(attribute: &Attribute) -> Vec<String> {
    match attribute {
        Attribute::Texts { texts, codes } => {
            let used: HashSet<u32> = codes.iter().copied().collect();
            let texts = texts.iter().enumerate();
            let texts = texts.filter(|(code, _)| used.contains(&(*code as u32)));
            let mut texts: Vec<String> = texts.map(|(_, text)| text.clone()).collect();
            texts.sort();
            texts
        }
        Attribute::Integers(values) => {
            let mut values = values.clone();
            values.sort_unstable();
            values.dedup();
            values.iter().map(i64::to_string).collect()
        }
        Attribute::Numbers(values) => {
            let mut values = values.clone();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.iter().map(f64::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// The most values of a column of species.
const MOST_SPECIES: usize = 64;

/// The column of species and its values among the particles that are kept: the one named, else the first of the usual ones that tells particles
/// apart by few values.
fn species_column(
    species: &Species,
    atoms: &Atoms,
    kept: Option<&[u32]>,
) -> Result<Option<(String, Vec<String>)>> {
    let of_kept = |attribute: &Attribute| match kept {
        None => values_of(attribute),
        Some(rows) => values_of(&of_rows(attribute, rows)),
    };
    match species {
        Species::Column(column) => {
            let attribute = atoms
                .get(column)
                .ok_or_else(|| SampleError::no_attribute(column, atoms))?;
            let values = of_kept(attribute);
            if values.len() > MOST_SPECIES {
                return Err(SampleError::Input(format!(
                    "the column `{column}` has {} values, and at most {MOST_SPECIES} are species: name another one by --species, or parts by --select",
                    values.len()
                )));
            }
            Ok(Some((column.clone(), values)))
        }
        Species::Usual => {
            let values = |name: &&str| Some(((*name).to_owned(), of_kept(atoms.get(name)?)));
            let few = |found: &(String, Vec<String>)| found.1.len() <= MOST_SPECIES;
            Ok(USUAL.iter().filter_map(values).find(few))
        }
        Species::Alike | Species::Conditions(_) => Ok(None),
    }
}

/// The groups that particles are counted in, as the first frame has them.
pub(super) fn groups(
    reading: &FrameReading,
    (frame, path): (&Frame, &Path),
) -> Result<(FrameGroups, Option<String>)> {
    let atoms = &frame.atoms;
    if let Species::Conditions(conditions) = &reading.species {
        let names = conditions.iter().map(|(name, _)| name.clone());
        return Ok((FrameGroups::overlapping(names)?, None));
    }
    // Species of which no particle is kept are none.
    let kept = kept_rows(reading, (frame, path))?.filter(|rows| !rows.is_empty());
    let found = species_column(&reading.species, atoms, kept.as_deref())?;
    let Some((column, mut names)) = found else {
        return Ok((FrameGroups::apart(["all"]), None));
    };
    for name in &reading.more_species {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Ok((FrameGroups::apart(names), Some(column)))
}

/// The rows that the filter keeps, where there is one.
fn kept_rows(reading: &FrameReading, (frame, path): (&Frame, &Path)) -> Result<Option<Vec<u32>>> {
    let Some(filter) = &reading.filter else {
        return Ok(None);
    };
    let kept = frame.selected(filter, path);
    kept.within(|| "--where".to_owned()).map(Some)
}

/// The set of groups, as bits, that each particle of a column of species is in, of those that are kept.
fn masks_by_column(
    atoms: &Atoms,
    (column, groups): (&str, &FrameGroups),
    kept: Option<&[u32]>,
) -> Result<Vec<u64>> {
    let attribute = atoms
        .get(column)
        .ok_or_else(|| SampleError::no_attribute(column, atoms))?;
    let place: HashMap<&str, usize> = (groups.names().iter().enumerate())
        .map(|(place, name)| (name.as_str(), place))
        .collect();
    let bit = |text: &str| match place.get(text) {
        Some(place) => Ok(1 << place),
        None => Err(SampleError::Input(format!(
            "`{text}` in column `{column}` is no species of the first frame: name it in --pairs"
        ))),
    };
    // Each text is looked up once.
    let of_texts: Vec<Option<u64>> = match attribute {
        Attribute::Texts { texts, .. } => texts.iter().map(|text| bit(text).ok()).collect(),
        _ => Vec::new(),
    };
    let mut masks = vec![0; atoms.len()];
    let of_row = |row: usize| match attribute {
        Attribute::Texts { texts, codes } => {
            let code = codes[row] as usize;
            of_texts[code].map_or_else(|| bit(&texts[code]), Ok)
        }
        Attribute::Integers(values) => bit(&values[row].to_string()),
        Attribute::Numbers(values) => bit(&values[row].to_string()),
        _ => Ok(0),
    };
    match kept {
        None => {
            for (row, mask) in masks.iter_mut().enumerate() {
                *mask = of_row(row)?;
            }
        }
        Some(rows) => {
            for &row in rows {
                masks[row as usize] = of_row(row as usize)?;
            }
        }
    }
    Ok(masks)
}

impl Chosen {
    /// What `reading` chooses of `frame`, whose groups are `groups`, by `column` where they are species of one.
    pub(super) fn of(
        reading: &FrameReading,
        (frame, path): (&Frame, &Path),
        (groups, column): (&FrameGroups, Option<&str>),
    ) -> Result<Self> {
        let atoms = &frame.atoms;
        let kept = kept_rows(reading, (frame, path))?;
        let mut masks = match (&reading.species, column) {
            (Species::Conditions(conditions), _) => {
                let mut masks = vec![0u64; frame.len()];
                for (place, (name, filter)) in conditions.iter().enumerate() {
                    let rows = frame.selected(filter, path);
                    for row in rows.within(|| format!("--select {name}"))? {
                        masks[row as usize] |= 1 << place;
                    }
                }
                masks
            }
            (_, Some(column)) => masks_by_column(atoms, (column, groups), kept.as_deref())?,
            (_, None) => vec![1; frame.len()],
        };
        if let Some(kept) = kept {
            let mut kept = kept.into_iter().peekable();
            for (row, mask) in masks.iter_mut().enumerate() {
                if kept.next_if(|&next| next as usize == row).is_none() {
                    *mask = 0;
                }
            }
        }
        let labels = masks.iter().filter_map(|&mask| groups.label_of(mask));
        let labels = Labels::new(labels.collect(), groups.labels())?;
        let rows = (labels.values().len() < frame.len()).then(|| {
            let chosen = |(row, &mask): (usize, &u64)| (mask != 0).then_some(row as u32);
            masks.iter().enumerate().filter_map(chosen).collect()
        });
        let (molecules, cuts) = exclusions(&reading.excluded, atoms, rows.as_deref())?;
        Ok(Self {
            rows,
            labels,
            molecules,
            cuts,
            left_out: OnceLock::new(),
        })
    }

    /// How many pairs of each class the cuts leave out, of these particles.
    pub(super) fn left_out(&self, particles: &Particles) -> Result<Arc<[u64]>> {
        if let Some(known) = self.left_out.get() {
            return Ok(Arc::clone(known));
        }
        let found: Arc<[u64]> = excluded_by_species(particles, &self.cuts)?.into();
        Ok(Arc::clone(self.left_out.get_or_init(|| found)))
    }
}

/// The groups and the cuts that leave out pairs of the rows that are chosen.
fn exclusions(
    excluded: &[Exclusion],
    atoms: &Atoms,
    rows: Option<&[u32]>,
) -> Result<(Option<Groups>, Vec<Cut>)> {
    let (mut molecules, mut cuts) = (None, Vec::new());
    for exclusion in excluded {
        match exclusion {
            Exclusion::Within(column) => {
                let keys = molecule_keys(atoms, column)
                    .ok_or_else(|| SampleError::no_attribute(column, atoms))?;
                let mut numbers = HashMap::new();
                let mut number = |key: u64| {
                    let next = numbers.len() as u32;
                    *numbers.entry(key).or_insert(next)
                };
                let of = match rows {
                    None => keys.into_iter().map(&mut number).collect(),
                    Some(rows) => rows.iter().map(|&row| number(keys[row as usize])).collect(),
                };
                molecules = Some(Groups::new(of));
                cuts.push(Cut::SameGroup);
            }
            Exclusion::Bonded(steps) => {
                if atoms.bonds().is_empty() {
                    return Err(SampleError::Call(
                        "no bonds are known: give them by --exclude-pairs FILE, or by a --topology that has them (PSF, PDB with CONECT, GSD)".to_owned()
                    ));
                }
                cuts.push(listed(&along_bonds(atoms, *steps), rows));
            }
            Exclusion::Listed(pairs) => {
                let n = atoms.len() as u32;
                if let Some(pair) = pairs.iter().find(|pair| pair.iter().any(|&row| row >= n)) {
                    return Err(SampleError::pair_beyond(*pair, atoms.len()));
                }
                cuts.push(listed(pairs, rows));
            }
        }
    }
    Ok((molecules, cuts))
}

/// Pairs of all particles as pairs of those that are chosen.
fn listed(pairs: &[[u32; 2]], rows: Option<&[u32]>) -> Cut {
    let Some(rows) = rows else {
        return Cut::listed(pairs.iter().copied());
    };
    let place = |row: u32| rows.binary_search(&row).ok().map(|place| place as u32);
    Cut::listed(
        pairs
            .iter()
            .filter_map(|&[i, j]| Some([place(i)?, place(j)?])),
    )
}

/// Pairs of particles with up to `steps` bonds from one to the other.
fn along_bonds(atoms: &Atoms, steps: u32) -> Vec<[u32; 2]> {
    let mut neighbours = vec![Vec::new(); atoms.len()];
    for &[i, j] in atoms.bonds() {
        neighbours[i as usize].push(j);
        neighbours[j as usize].push(i);
    }
    let mut pairs = HashSet::new();
    for start in 0..atoms.len() as u32 {
        let mut seen = HashSet::from([start]);
        let mut border = vec![start];
        for _ in 0..steps {
            let next = border.iter().flat_map(|&row| &neighbours[row as usize]);
            border = next.copied().filter(|&row| seen.insert(row)).collect();
        }
        let others = seen.into_iter().filter(|&row| row > start);
        pairs.extend(others.map(|row| [start, row]));
    }
    let mut pairs: Vec<[u32; 2]> = pairs.into_iter().collect();
    pairs.sort_unstable();
    pairs
}
