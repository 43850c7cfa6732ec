//! Files that are parts of one snapshot or group catalogue: what their headers say of all of them.
//!
//! Entry: [`check`], which refuses a part that is taken for the whole, and [`has_rows`]. The headers are those of GADGET, AREPO and SWIFT.

use std::path::{Path, PathBuf};

use albireo_catalogs::{Attributes, TableDescription, in_short};

use crate::error::{Result, SampleError};
use crate::opened::Opened;

/// SWIFT's names of the types of particles, by their numbers.
const SWIFT_TYPES: [&str; 7] = [
    "GasParticles",
    "DMParticles",
    "DMBackgroundParticles",
    "SinkParticles",
    "StarsParticles",
    "BHParticles",
    "NeutrinoDMParticles",
];

/// What a header says of the rows of a table.
#[derive(Debug, Clone, PartialEq)]
struct Stated {
    /// Files of the set.
    files: f64,
    /// Rows in all of them.
    total: f64,
    /// What tells snapshots apart: time and redshift.
    moment: [Option<f64>; 2],
}

/// The number of a type of particles, from the name of its group.
fn type_of(table: &str) -> Option<usize> {
    let number = |digits: &str| digits.parse().ok();
    let numbered = table.strip_prefix("PartType").and_then(number);
    let short = [("gas", 0), ("dm", 1), ("stars", 4), ("bh", 5)];
    let short = short.iter().find(|(name, _)| *name == table);
    numbered
        .or(short.map(|(_, number)| *number))
        .or_else(|| SWIFT_TYPES.iter().position(|name| *name == table))
}

/// The number that an attribute has for a table: an element for a type of particles, all of it for groups of halos.
fn of_table(attributes: &Attributes, table: &str, ending: &str) -> Option<f64> {
    let number = |name: String| attributes.get(&name)?.as_f64();
    match (table, type_of(table)) {
        ("Group", _) => number(format!("Ngroups_{ending}")),
        ("Subhalo", _) => {
            number(format!("Nsubgroups_{ending}")).or_else(|| number(format!("Nsubhalos_{ending}")))
        }
        (_, Some(kind)) => {
            let of_kind = |name: String| attributes.get(&name)?.as_floats()?.get(kind).copied();
            let low = of_kind(format!("NumPart_{ending}"))?;
            let high = of_kind(format!("NumPart_{ending}_HighWord")).unwrap_or(0.0);
            Some(low + high * (1u64 << 32) as f64)
        }
        _ => None,
    }
}

/// What a header says of a table, where it says anything.
fn stated(attributes: &Attributes, table: &str) -> Option<Stated> {
    let number = |name: &str| {
        attributes
            .get(name)
            .and_then(albireo_catalogs::Value::as_f64)
    };
    let total = of_table(attributes, table, "Total").filter(|&total| total > 0.0)?;
    let files = ["NumFilesPerSnapshot", "NumFiles"]
        .iter()
        .find_map(|name| number(name));
    Some(Stated {
        files: files.unwrap_or(1.0),
        total,
        moment: [number("Time"), number("Redshift")],
    })
}

/// The last part of a table's path, which names its kind; of positions named by a path, that of their group.
fn kind_of(opened: &Opened) -> String {
    let outline = opened.outline();
    let columns = opened.place.columns();
    let group = columns.first().and_then(|column| column.rsplit_once('/'));
    let path = group.map_or(outline.name.as_str(), |(group, _)| group);
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Whether a file of several has rows in a table: it may lack the table where its header says that it has none.
pub(crate) fn has_rows(header: &Attributes, table: &str) -> bool {
    let table = table
        .trim_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    of_table(header, table, "ThisFile") != Some(0.0)
}

/// Refuses files whose rows are not all that their headers speak of.
pub(crate) fn check(files: &[&Opened]) -> Result<()> {
    let mut left: Vec<(&Opened, Stated)> = Vec::new();
    for opened in files.iter().filter(|opened| opened.memory().is_none()) {
        let of_file = stated(&opened.outline().attributes, &kind_of(opened));
        left.extend(of_file.map(|stated| (*opened, stated)));
    }
    while let Some((first, set)) = left.first().cloned() {
        let (same, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, one)| *one == set);
        left = others;
        let rows: u64 = same
            .iter()
            .map(|(opened, _)| rows_of(opened.outline()))
            .sum();
        if rows as f64 != set.total {
            let found = same.iter().map(|(opened, _)| shown(opened.path()));
            return Err(SampleError::Input(format!(
                "{}: {}: {rows} of {} rows: the set has {} files, found {}; give all of them, '{}', or --partial-set to go on with these",
                first.path().display(),
                kind_of(first),
                in_short(set.total),
                in_short(set.files),
                found.collect::<Vec<_>>().join(", "),
                pattern(first.path())
            )));
        }
    }
    Ok(())
}

/// Rows of a table of a file.
fn rows_of(outline: &TableDescription) -> u64 {
    let columns = outline.columns.iter().map(|column| column.rows);
    columns.max().unwrap_or(outline.rows)
}

/// A file by its name alone.
fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The pattern that finds all files of the set that one belongs to: the last number in its name is that of the file.
fn pattern(path: &Path) -> String {
    let name = shown(path);
    let end = name.rfind(|c: char| c.is_ascii_digit());
    // The 5 of `.hdf5` numbers nothing.
    let stem = name.rfind('.').filter(|_| end.is_some());
    let numbered = stem.map_or("", |stem| &name[..stem]);
    let digits = numbered.len()
        - numbered
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .len();
    let with_star = match (stem, digits) {
        (Some(stem), 1..) => format!("{}*{}", &name[..stem - digits], &name[stem..]),
        _ => return path.display().to_string(),
    };
    let place: PathBuf = path.with_file_name(with_star);
    place.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_the_place_of_the_number_of_a_file() {
        for (name, expected) in [
            ("a/snap.0.hdf5", "a/snap.*.hdf5"),
            ("snapshot_099.12.hdf5", "snapshot_099.*.hdf5"),
            ("fof_subhalo_tab_050.hdf5", "fof_subhalo_tab_*.hdf5"),
            ("box.hdf5", "box.hdf5"),
        ] {
            assert_eq!(pattern(Path::new(name)), expected);
        }
    }

    #[test]
    fn groups_are_types_of_particles() {
        assert_eq!(type_of("PartType4"), Some(4));
        assert_eq!(type_of("DMParticles"), Some(1));
        assert_eq!(type_of("PartTypes"), None);
    }
}
