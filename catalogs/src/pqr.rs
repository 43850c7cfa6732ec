//! PQR, Protein Data Bank records with charges and radii, as PDB2PQR writes them: fields separated by blanks.
//!
//! Entry: [`read_pqr`], [`write_pqr`].

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};
use crate::whole_file::WholeFile;

/// The atoms of a PQR file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pqr {
    /// x, y and z, Angstrom.
    pub positions: [Vec<f64>; 3],
    /// Charges in units of the elementary charge.
    pub charges: Vec<f64>,
    /// Radii, Angstrom.
    pub radii: Vec<f64>,
}

/// Reads the `ATOM` and `HETATM` records of a file, whose last five fields are x, y, z, charge and radius.
///
/// ```
/// use albireo_catalogs::{Stop, read_pqr};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("ion.pqr");
/// # std::fs::write(&path, "REMARK  an ion\nATOM 1 NA NA+ 1 0.0 1.5 -2.0 1.000 1.868\nEND\n")?;
/// let ion = read_pqr(&path, &Stop::never())?;
/// assert_eq!((ion.charges[0], ion.positions[1][0]), (1.0, 1.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A record with other fields, named by its line; a file without atoms, and what the system says.
pub fn read_pqr(path: &Path, stop: &Stop) -> Result<Pqr> {
    let io = |error| CatalogError::io(path, error);
    let file = std::fs::File::open(path).map_err(io)?;
    let mut lines = BufReader::new(Watched::new(file, stop));
    let (mut pqr, mut line, mut number) = (Pqr::default(), Vec::new(), 0u64);
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(io)? == 0 {
            break;
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let fields: Vec<&str> = text.split_whitespace().collect();
        if !matches!(fields.first(), Some(&("ATOM" | "HETATM"))) {
            continue;
        }
        let values = atom(&fields).ok_or_else(|| {
            let expected = "ATOM, number, name, residue, its number, x, y, z, charge, radius";
            let found = text.trim_end();
            let detail = format!("line {number}: expected {expected}, found `{found}`");
            CatalogError::corrupt(path, detail)
        })?;
        let [x, y, z, charge, radius] = values;
        for (column, value) in pqr.positions.iter_mut().zip([x, y, z]) {
            column.push(value);
        }
        pqr.charges.push(charge);
        pqr.radii.push(radius);
    }
    if pqr.charges.is_empty() {
        return Err(CatalogError::corrupt(
            path,
            "it holds no ATOM or HETATM record",
        ));
    }
    Ok(pqr)
}

/// Writes atoms, each a residue of its own with the atom's name, whole or not at all; positions and charges come back as they are.
///
/// # Errors
/// Fewer or more names than atoms, and what the system says.
pub fn write_pqr(path: &Path, names: &[String], atoms: &Pqr) -> io::Result<()> {
    if names.len() != atoms.charges.len() {
        let (atoms, names) = (atoms.charges.len(), names.len());
        return Err(io::Error::other(format!("{atoms} atoms, {names} names")));
    }
    let mut file = WholeFile::create(path)?;
    let [x, y, z] = &atoms.positions;
    for (k, name) in names.iter().enumerate() {
        let (number, charge, radius) = (k + 1, atoms.charges[k], atoms.radii[k]);
        let [x, y, z] = [x[k], y[k], z[k]];
        writeln!(
            file,
            "ATOM {number} {name} {name} {number} {x} {y} {z} {charge} {radius}"
        )?;
    }
    writeln!(file, "REMARK \"albireo {}\"", env!("CARGO_PKG_VERSION"))?;
    writeln!(file, "END")?;
    file.finish()
}

/// The last five fields of a record with ten or eleven.
fn atom(fields: &[&str]) -> Option<[f64; 5]> {
    if !(10..=11).contains(&fields.len()) {
        return None;
    }
    let mut values = [0.0; 5];
    for (value, field) in values.iter_mut().zip(&fields[fields.len() - 5..]) {
        *value = field.parse().ok().filter(|value: &f64| value.is_finite())?;
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_that_are_written_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ions.pqr");
        let ions = Pqr {
            positions: [vec![0.1, -3e-5], vec![1.0 / 3.0, 12345.678], vec![0.0, 7.5]],
            charges: vec![1.0, -2.0],
            radii: vec![0.0; 2],
        };
        let names = ["Na+", "Cl-"].map(str::to_owned);
        write_pqr(&path, &names, &ions).unwrap();
        assert_eq!(read_pqr(&path, &Stop::never()).unwrap(), ions);
        assert!(write_pqr(&path, &names[..1], &ions).is_err());
    }

    #[test]
    fn records_with_and_without_chains_are_read_and_others_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pqr");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_pqr(&path, &Stop::never())
        };
        let good =
            "REMARK 1\nATOM 1 N ALA A 1 1 2 3 -0.5 1.8\nHETATM 2 O HOH 2 -4 5e0 6 0.25 1.6\nTER\n";
        let found = read(good).unwrap();
        assert_eq!(found.positions, [[1.0, -4.0], [2.0, 5.0], [3.0, 6.0]]);
        assert_eq!(
            (found.charges, found.radii),
            (vec![-0.5, 0.25], vec![1.8, 1.6])
        );
        for bad in [
            "ATOM 1 N ALA 1 1 2 3 0.5\n",
            "\nATOM 1 N ALA 1 1 2 nan 0.5 1\n",
            "\nATOM 1 N ALA 1 1 2 x 0.5 1\n",
        ] {
            let error = read(bad).unwrap_err().to_string();
            assert!(error.contains("line "), "{error}");
        }
        assert!(
            read("REMARK\n")
                .unwrap_err()
                .to_string()
                .contains("no ATOM")
        );
        assert!(read_pqr(&folder.path().join("none.pqr"), &Stop::never()).is_err());
    }
}
