//! PSF, the topology of CHARMM, X-PLOR and NAMD: atoms and bonds, no positions.
//!
//! Entry: [`read`]. Fields are separated by blanks as NAMD writes them; where a segment is blank, by their number.

use super::column::Column;
use super::head::Head;
use super::lines::{Lines, fields, real, whole};
use super::{Atoms, Attribute};
use crate::error::Result;

pub(super) fn matches(head: &Head<'_>) -> bool {
    let mut words = fields(head.bytes);
    words.next() == Some(b"PSF") && (head.extension == "psf" || head.bytes.contains(&b'!'))
}

/// The atoms of a file, with its bonds.
pub(super) fn read(head: &Head<'_>) -> Result<Atoms> {
    let mut lines = Lines::open(head)?;
    let mut atoms = None;
    while lines.advance()? {
        let Some((count, section)) = section(lines.line()) else {
            continue;
        };
        if section.starts_with(b"!NATOM") {
            let count = count.filter(|&count| u32::try_from(count).is_ok());
            let count = count.ok_or_else(|| lines.refuse_line("a number of atoms and `!NATOM`"))?;
            atoms = Some(read_atoms(&mut lines, count)?);
        } else if section.starts_with(b"!NBOND") {
            let count = count.ok_or_else(|| lines.refuse_line("a number of bonds and `!NBOND`"))?;
            let atoms = atoms.ok_or_else(|| lines.refuse("`!NATOM`", "`!NBOND` before it"))?;
            return bonded(&mut lines, atoms, count);
        }
    }
    atoms.ok_or_else(|| lines.cut("`!NATOM`"))
}

/// The number and the name of a section, of the line that begins one.
fn section(line: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let at = line.iter().position(|&byte| byte == b'!')?;
    let count = whole(line[..at].trim_ascii());
    Some((
        count.and_then(|count| u64::try_from(count).ok()),
        &line[at..],
    ))
}

fn read_atoms(lines: &mut Lines, count: u64) -> Result<Atoms> {
    let mut texts: [Column; 4] = [(); 4].map(|()| Column::texts());
    let mut kinds: Option<Column> = None;
    let (mut resids, mut charges, mut masses) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        lines.need("an atom")?;
        let found: Vec<&[u8]> = fields(lines.line()).collect();
        let wrong = || {
            lines.refuse_line(
                "an atom: number, segment, residue, its name, name, type, charge, mass",
            )
        };
        let [_, segment, residue, resname, name, kind, charge, mass] =
            eight(&found).ok_or_else(wrong)?;
        let letters = residue.iter().rev().take_while(|c| c.is_ascii_alphabetic());
        let (resid, code) = residue.split_at(residue.len() - letters.count());
        let resid = whole(resid);
        resids.push(resid.ok_or_else(|| lines.refuse_bytes("a residue's number", residue))?);
        for (column, field) in texts.iter_mut().zip([segment, resname, name, code]) {
            let _ = column.push(field);
        }
        let kinds = kinds.get_or_insert_with(|| Column::like(kind));
        if !kinds.push(kind) {
            return Err(lines.refuse_bytes(&format!("{}, the type of an atom", kinds.kind()), kind));
        }
        charges.push(lines.real(charge, "a charge")?);
        masses.push(lines.real(mass, "a mass")?);
    }
    let [segments, resnames, names, codes] = texts.map(Column::finish);
    let kinds = kinds.map_or(Attribute::Integers(Vec::new()), Column::finish);
    let atoms = Atoms::new(charges.len())
        .with("segment", segments)
        .with("resid", Attribute::Integers(resids))
        .with("resname", resnames)
        .with("name", names)
        .with("type", kinds)
        .with("charge", Attribute::Numbers(charges))
        .with("mass", Attribute::Numbers(masses));
    let with_codes = matches!(&codes, Attribute::Texts { texts, .. } if texts.iter().any(|code| !code.is_empty()));
    Ok(if with_codes {
        atoms.with("icode", codes)
    } else {
        atoms
    })
}

/// The fields of an atom; an empty segment where there is none.
fn eight<'l>(found: &[&'l [u8]]) -> Option<[&'l [u8]; 8]> {
    let is_residue = |field: &[u8]| {
        field
            .first()
            .is_some_and(|c| c.is_ascii_digit() || *c == b'-')
    };
    let full = found.len() >= 8
        && is_residue(found[2])
        && real(found[6]).is_some()
        && real(found[7]).is_some();
    if full {
        return found[..8].try_into().ok();
    }
    let without = found.get(..7)?;
    let fits = is_residue(without[1]) && real(without[5]).is_some() && real(without[6]).is_some();
    let [number, resid, resname, name, kind, charge, mass] = *without else {
        return None;
    };
    fits.then_some([number, b"", resid, resname, name, kind, charge, mass])
}

/// Pairs of numbers of atoms, from 1.
fn bonded(lines: &mut Lines, atoms: Atoms, count: u64) -> Result<Atoms> {
    let ends = count.saturating_mul(2);
    let mut flat: Vec<u32> = Vec::new();
    while (flat.len() as u64) < ends {
        lines.need("bonds")?;
        if lines.line().trim_ascii().is_empty() {
            return Err(lines.refuse(&format!("{count} bonds"), &format!("{}", flat.len() / 2)));
        }
        for field in fields(lines.line()) {
            let number = whole(field).filter(|&number| number >= 1 && number <= atoms.len() as i64);
            let expected = format!("the number of an atom, 1 to {}", atoms.len());
            let number = number.ok_or_else(|| lines.refuse_bytes(&expected, field))?;
            flat.push((number - 1) as u32);
        }
    }
    if flat.len() as u64 != ends {
        return Err(lines.refuse(&format!("{count} bonds"), "more numbers"));
    }
    let bonds = flat.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    Ok(atoms.bonded(bonds.collect()))
}
