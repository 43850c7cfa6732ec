//! Formats that are known by how they begin and not read, each with a way out.
//!
//! Entry: [`by_name`]. A format is one line of it.

use std::path::Path;

use crate::error::{CatalogError, Result};

/// Bytes that are searched for words.
const SEARCHED: usize = 1024;

/// Refuses a file by the name of its format.
pub(crate) fn by_name(path: &Path, head: &[u8]) -> Result<()> {
    let start = &head[..head.len().min(SEARCHED)];
    let by_astropy = "write it as FITS or ECSV, such as by astropy: \
                      Table.read('IN').write('OUT.fits')";
    let by_numpy = "write its columns as FITS, HDF5 or CSV, such as by astropy: \
                    Table(numpy.load('IN')).write('OUT.fits')";
    let found = if has(start, b"<VOTABLE") {
        ("a VOTable", by_astropy)
    } else if head.starts_with(b"\x93NUMPY") {
        ("an array of NumPy", by_numpy)
    } else if head.starts_with(b"PK\x03\x04") {
        ("a zip archive (.npz, .xlsx)", by_numpy)
    } else if head.starts_with(b"ARROW1") || head.starts_with(b"FEA1") {
        ("a Feather file", "write it as Parquet: pandas' to_parquet")
    } else if head.starts_with(b"SQLite format 3") {
        ("a database of SQLite", "write a table of it as CSV")
    } else if is_run_input(head) {
        let advice = "give a trajectory (.xtc, .trr), and the names of its atoms by --topology: \
                      gmx editconf -f IN.tpr -o OUT.gro writes them, and the positions that the run begins with";
        ("a run input file of GROMACS (.tpr)", advice)
    } else if let Some(found) = of_structures(start) {
        found
    } else {
        return Ok(());
    };
    let (what, advice) = found;
    Err(CatalogError::unsupported(path, what, advice))
}

fn has(start: &[u8], word: &[u8]) -> bool {
    start.windows(word.len()).any(|bytes| bytes == word)
}

/// GROMACS begins with its version, a text behind its length in XDR.
fn is_run_input(head: &[u8]) -> bool {
    head.starts_with(&[0, 0, 0]) && has(&head[..head.len().min(20)], b"VERSION ")
}

/// Texts of positions that have no header of a table.
fn of_structures(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = String::from_utf8_lossy(start);
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_ascii_whitespace().collect())
        .collect();
    let whole = |word: &str| word.parse::<u64>().is_ok();
    let counts = |line: &Vec<&str>| matches!(line[..], [count, "atoms"] if whole(count));
    let bounds = |line: &Vec<&str>| matches!(line[..], [.., "xlo", "xhi"] | [_, "atom", "types"]);
    if lines.iter().any(counts) && lines.iter().any(bounds) {
        let advice = "write it as extended XYZ, such as by ase: \
                      python -c \"from ase.io import read, write; write('OUT.xyz', read('IN', format='lammps-data'), format='extxyz')\", \
                      or in LAMMPS by read_data and write_dump";
        return Some(("a data file of LAMMPS", advice));
    }
    // Of VASP: a comment, a scale, three vectors, names, numbers.
    let reals = |line: &Vec<&str>, number| {
        line.len() == number && line.iter().all(|word| word.parse::<f64>().is_ok())
    };
    let scaled = lines.get(1).is_some_and(|line| reals(line, 1));
    let vectors = lines.get(2..5);
    let boxed = vectors.is_some_and(|all| all.iter().all(|line| reals(line, 3)));
    if !(scaled && boxed) {
        return None;
    }
    let mut rest = lines[5..].iter().take(5);
    if rest.any(|line| line.join(" ").contains("configuration=")) {
        let advice = "write it as extended XYZ, such as by ase: \
                      python -c \"from ase.io import read, write; write('OUT.xyz', read('IN', ':', format='vasp-xdatcar'), format='extxyz')\"";
        return Some(("a trajectory of VASP (XDATCAR)", advice));
    }
    let words = ["direct", "cartesian", "selective"];
    let mut rest = lines[5..].iter().take(5).filter_map(|line| line.first());
    let structure = rest.any(|word| words.contains(&word.to_lowercase().as_str()));
    let advice = "write it as extended XYZ, such as by ase: \
                  python -c \"from ase.io import read, write; write('OUT.xyz', read('IN', format='vasp'), format='extxyz')\"";
    structure.then_some(("a structure of VASP (POSCAR, CONTCAR)", advice))
}
