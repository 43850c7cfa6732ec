//! What H5MD files tell of molecules: bonds, and the names, residues and molecules that GROMACS writes.
//!
//! Entry: [`with_topology`]. Bonds are the pairs in `connectivity` (H5MD 1.1); `h5md/modules/gromacs_topology` has the types of molecules and how many of
//! each follow each other.

use std::collections::HashMap;
use std::path::Path;

use super::{Atoms, Attribute};
use crate::error::{CatalogError, Result};
use crate::hdf5::array::{Elements, Store};
use crate::value::Value;

const MODULE: &str = "h5md/modules/gromacs_topology";

/// Names of GROMACS, ours, and whether values are places in a table of texts.
const COLUMNS: [(&str, &str, bool); 6] = [
    ("particle_name", "name", true),
    ("residue_name", "resname", true),
    ("residue_id", "resid", false),
    ("mass", "mass", false),
    ("charge", "charge", false),
    ("species", "element", false),
];

/// Symbols by atomic number, from 1.
const SYMBOLS: &str = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb \
    Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr";

/// The atoms of a group with what the file tells of them beside the group.
pub(super) fn with_topology(
    path: &Path,
    store: &Store,
    group: &str,
    atoms: Atoms,
) -> Result<Atoms> {
    let mut atoms = atoms;
    let own = columns_of(path, store, group, false)?;
    let of_types = of_molecules(path, store, atoms.len())?;
    for (name, attribute) in own.into_iter().chain(of_types) {
        if attribute.len() == atoms.len() && atoms.get(&name).is_none() {
            atoms = atoms.with(&name, attribute);
        }
    }
    let bonds = bonds(store, &atoms)?;
    Ok(atoms.bonded(bonds))
}

/// The columns of a container of GROMACS: a type of molecule, whose species are atomic numbers, or the group of particles.
fn columns_of(
    path: &Path,
    store: &Store,
    container: &str,
    of_type: bool,
) -> Result<Vec<(String, Attribute)>> {
    let mut columns = Vec::new();
    for (theirs, ours, by_table) in COLUMNS {
        if !(by_table || ours == "resid" || of_type) {
            // The group's own are read as they are.
            continue;
        }
        let place = format!("{container}/{theirs}");
        let Some(array) = store.array(&place).filter(|array| array.shape().len() == 1) else {
            continue;
        };
        let values = store.elements(&array, None)?;
        let attribute = match (values, by_table, ours) {
            (Elements::Integers(codes), true, _) => {
                let table = store.array(&format!("{place}_table"));
                let Some(table) = table else {
                    continue;
                };
                let Elements::Texts(texts) = store.elements(&table, None)? else {
                    return Err(store.refuse(&table, "texts, found numbers"));
                };
                Attribute::of_texts(looked_up(path, &place, &codes, &texts)?)
            }
            (Elements::Integers(numbers), _, "element") => {
                let symbols: Vec<&str> = SYMBOLS.split_whitespace().collect();
                let symbol = |&number: &i64| {
                    let place = usize::try_from(number).ok()?.checked_sub(1)?;
                    symbols.get(place).copied()
                };
                let symbol = |number: &i64| symbol(number).unwrap_or_default();
                Attribute::of_texts(numbers.iter().map(symbol))
            }
            (Elements::Integers(values), ..) => Attribute::Integers(values),
            (Elements::Reals(values), ..) => Attribute::Numbers(values),
            (Elements::Texts(texts), ..) => Attribute::of_texts(texts),
        };
        columns.push((ours.to_owned(), attribute));
    }
    Ok(columns)
}

fn looked_up<'t>(
    path: &Path,
    place: &str,
    codes: &[i64],
    texts: &'t [String],
) -> Result<Vec<&'t str>> {
    let text = |&code: &i64| {
        let found = usize::try_from(code).ok().and_then(|code| texts.get(code));
        found.map(String::as_str).ok_or_else(|| {
            let detail = format!(
                "`{place}`: expected places in a table of {} texts, found {code}",
                texts.len()
            );
            CatalogError::corrupt(path, detail)
        })
    };
    codes.iter().map(text).collect()
}

/// A run of equal molecules.
struct Block {
    columns: Vec<(String, Attribute)>,
    /// Atoms of a molecule.
    atoms: usize,
    /// Molecules.
    count: usize,
}

/// The columns of all atoms by the types of their molecules; nothing where the file tells none, or speaks of other particles.
fn of_molecules(path: &Path, store: &Store, particles: usize) -> Result<Vec<(String, Attribute)>> {
    let attributes = store.attributes(MODULE);
    let names = match attributes.get("molecule_block_names") {
        Some(Value::Texts(names)) => names.clone(),
        Some(Value::Text(name)) => vec![name.clone()],
        _ => return Ok(Vec::new()),
    };
    let counts = match attributes.get("molecule_block_counts") {
        Some(Value::Floats(counts)) => counts.clone(),
        Some(Value::Integer(count)) => vec![*count as f64],
        _ => return Ok(Vec::new()),
    };
    let mut blocks = Vec::new();
    let mut total = 0_usize;
    for (name, count) in names.iter().zip(counts) {
        let columns = columns_of(path, store, &format!("{MODULE}/{name}"), true)?;
        let atoms = columns.first().map_or(0, |(_, column)| column.len());
        let fits = atoms > 0 && columns.iter().all(|(_, column)| column.len() == atoms);
        let count = if count >= 0.0 && fits {
            count as usize
        } else {
            0
        };
        total = total.saturating_add(atoms.saturating_mul(count));
        blocks.push(Block {
            columns,
            atoms,
            count,
        });
    }
    if total != particles || particles == 0 {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (_, ours, _) in COLUMNS {
        all.extend(repeated(&blocks, ours).map(|attribute| (ours.to_owned(), attribute)));
    }
    let molecules = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.atoms, block.count));
    let molecules = molecules.enumerate();
    let molecules = molecules.flat_map(|(k, atoms)| std::iter::repeat_n(k as i64 + 1, atoms));
    all.push((
        "molecule".to_owned(),
        Attribute::Integers(molecules.collect()),
    ));
    Ok(all)
}

/// A column of all atoms, of those of each type; nothing where a type lacks it.
fn repeated(blocks: &[Block], column: &str) -> Option<Attribute> {
    let of_block = |block: &Block| {
        let found = block.columns.iter().find(|(name, _)| name == column);
        found.map(|(_, attribute)| attribute.clone())
    };
    let parts: Option<Vec<Attribute>> = blocks.iter().map(of_block).collect();
    let parts = parts?;
    let each = || blocks.iter().zip(&parts);
    match parts.first()? {
        Attribute::Integers(_) => {
            let next = renumbered_from(blocks, &parts);
            let mut residues = 0;
            let mut all = Vec::new();
            for (block, part) in each() {
                let Attribute::Integers(values) = part else {
                    return None;
                };
                for _ in 0..block.count {
                    // As GROMACS, which counts molecules of one residue on.
                    let is_one = values.windows(2).all(|two| two[0] == two[1]);
                    if column == "resid" && is_one {
                        all.extend(values.iter().map(|_| next + residues));
                        residues += 1;
                    } else {
                        all.extend_from_slice(values);
                    }
                }
            }
            Some(Attribute::Integers(all))
        }
        Attribute::Numbers(_) => {
            let mut all = Vec::new();
            for (block, part) in each() {
                let Attribute::Numbers(values) = part else {
                    return None;
                };
                (0..block.count).for_each(|_| all.extend_from_slice(values));
            }
            Some(Attribute::Numbers(all))
        }
        Attribute::Texts { .. } => {
            let mut all: Vec<&str> = Vec::new();
            for (block, part) in each() {
                let Attribute::Texts { texts, codes } = part else {
                    return None;
                };
                let of_one = codes.iter().map(|&code| texts[code as usize].as_str());
                let of_one: Vec<&str> = of_one.collect();
                (0..block.count).for_each(|_| all.extend_from_slice(&of_one));
            }
            Some(Attribute::of_texts(all))
        }
    }
}

/// The number of the first residue of molecules that have one each: behind those of the others.
fn renumbered_from(blocks: &[Block], parts: &[Attribute]) -> i64 {
    let of_many = blocks
        .iter()
        .zip(parts)
        .filter_map(|(block, part)| match part {
            Attribute::Integers(values) if block.count > 0 => {
                let many = values.windows(2).any(|two| two[0] != two[1]);
                values.iter().copied().max().filter(|_| many)
            }
            _ => None,
        });
    of_many.max().unwrap_or(0).saturating_add(1)
}

/// The bonds of a file with one group of particles: pairs of its rows, or of its ids where other programs than GROMACS wrote them.
fn bonds(store: &Store, atoms: &Atoms) -> Result<Vec<[u32; 2]>> {
    let (groups, _) = store.members("particles").unwrap_or_default();
    let (_, arrays) = store.members("connectivity").unwrap_or_default();
    if groups.len() != 1 {
        return Ok(Vec::new());
    }
    let creator = store.attributes("h5md/creator").get("name").cloned();
    let is_gromacs = matches!(&creator, Some(Value::Text(name)) if name.contains("GROMACS"));
    let by_id: Option<HashMap<i64, u32>> = match atoms.get("id") {
        Some(Attribute::Integers(ids)) if !is_gromacs => Some(
            ids.iter()
                .enumerate()
                .map(|(row, &id)| (id, row as u32))
                .collect(),
        ),
        _ => None,
    };
    let row_of = |value: i64| match &by_id {
        Some(rows) => rows.get(&value).copied(),
        None => u32::try_from(value)
            .ok()
            .filter(|&row| (row as usize) < atoms.len()),
    };
    let mut bonds = Vec::new();
    for name in arrays {
        let array = store.array(&format!("connectivity/{name}"));
        let Some(array) = array.filter(|array| matches!(array.shape(), [_, 2])) else {
            continue;
        };
        let Elements::Integers(values) = store.elements(&array, None)? else {
            continue;
        };
        for pair in values.as_chunks::<2>().0 {
            // -1 fills rows that hold none.
            if pair.contains(&-1) {
                continue;
            }
            let [Some(a), Some(b)] = pair.map(row_of) else {
                let found = format!("pairs of {} particles, found {pair:?}", atoms.len());
                return Err(store.refuse(&array, &found));
            };
            bonds.push([a.min(b), a.max(b)]);
        }
    }
    bonds.sort_unstable();
    bonds.dedup();
    Ok(bonds)
}
