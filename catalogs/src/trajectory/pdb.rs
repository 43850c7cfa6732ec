//! Protein Data Bank files: models are frames, `CONECT` records bonds, serial numbers may be in hybrid-36.
//!
//! Entry: [`open`], [`topology`]. Layout: <https://www.wwpdb.org/documentation/file-format-content/format33/v3.3.html>.

use std::collections::HashMap;
use std::sync::Arc;

use super::column::{Column, share};
use super::head::Head;
use super::lines::{Lines, fields, whole};
use super::texts::{FrameText, TextTrajectory};
use super::{Atoms, Attribute, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::Result;

/// Records with which files begin.
const FIRST: [&[u8]; 20] = [
    b"HEADER", b"TITLE", b"REMARK", b"CRYST1", b"ATOM", b"HETATM", b"MODEL", b"COMPND", b"SOURCE",
    b"AUTHOR", b"KEYWDS", b"EXPDTA", b"OBSLTE", b"SPLIT", b"CAVEAT", b"NUMMDL", b"REVDAT",
    b"SEQRES", b"ORIGX1", b"HELIX",
];

/// A record of at most six letters at the start of the first line that is not blank, blanks up to column 6.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let mut lines = head.bytes.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    let record = record(first.unwrap_or_default());
    FIRST.contains(&record) || matches!(head.extension, "pdb" | "ent")
}

/// The name of a record.
fn record(line: &[u8]) -> &[u8] {
    line[..line.len().min(6)].trim_ascii()
}

/// Opens a structure or its models.
pub(super) fn open(head: &Head<'_>, _request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let lines = Lines::open(head)?;
    Ok(Box::new(TextTrajectory::new(Pdb::default(), lines)))
}

/// The atoms of the first frame with the bonds of all `CONECT` records of the file.
pub(super) fn topology(head: &Head<'_>) -> Result<Atoms> {
    let mut lines = Lines::open(head)?;
    let mut pdb = Pdb::default();
    let mut model = pdb.gather(&mut lines, true)?.unwrap_or_else(Model::new);
    while lines.advance()? {
        model.connect(&lines)?;
    }
    Ok(model.finish().1)
}

#[derive(Default)]
struct Pdb {
    /// The box that `CRYST1` gave last, which holds until there is another.
    cell: Option<Cell>,
    /// Whether boxes follow their models, as the first one of the file tells.
    boxes_behind: Option<bool>,
    atoms: Arc<Atoms>,
}

/// What is known of a model so far.
struct Model {
    step: Option<i64>,
    positions: [Vec<f64>; 3],
    /// Serial numbers where they can be read, and which atom has them last.
    serials: HashMap<i64, u32>,
    columns: Vec<(&'static str, Column)>,
    resids: Vec<i64>,
    resids_are_known: bool,
    bonds: Vec<[u32; 2]>,
}

/// The columns of texts: name, first column from 0 and the one behind the last.
const TEXTS: [(&str, usize, usize); 7] = [
    ("name", 12, 16),
    ("altloc", 16, 17),
    ("resname", 17, 21),
    ("chain", 21, 22),
    ("icode", 26, 27),
    ("segment", 72, 76),
    ("element", 76, 78),
];

impl FrameText for Pdb {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::Pdb;

    fn unit(&self) -> Option<&str> {
        Some("Angstrom")
    }

    fn frame(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Frame>> {
        let Some(model) = self.gather(lines, keep)? else {
            return Ok(None);
        };
        let step = model.step;
        let (positions, atoms) = model.finish();
        Ok(Some(Frame {
            number: lines.frame,
            step,
            time: None,
            cell: self.cell,
            positions,
            atoms: share(&mut self.atoms, keep.then_some(atoms)),
        }))
    }
}

impl Pdb {
    /// The next model; `None` if the file holds no other.
    fn gather(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Model>> {
        let mut model = Model::new();
        // Whether a model has begun, by its record or by an atom, and whether it is over but for its bonds.
        let (mut begun, mut over) = (false, false);
        while lines.advance()? {
            match record(lines.line()) {
                b"MODEL" if begun => {
                    lines.hold();
                    return Ok(Some(model));
                }
                b"MODEL" => {
                    begun = true;
                    model.step = fields(lines.line()).nth(1).and_then(whole);
                }
                b"ATOM" | b"HETATM" if over => {
                    lines.hold();
                    return Ok(Some(model));
                }
                b"ATOM" | b"HETATM" => {
                    begun = true;
                    if keep {
                        model.atom(lines)?;
                    }
                }
                b"CRYST1" => {
                    if over && !*self.boxes_behind.get_or_insert(true) {
                        lines.hold();
                        return Ok(Some(model));
                    }
                    self.boxes_behind.get_or_insert(false);
                    self.cell = cell_of(lines)?;
                }
                b"CONECT" => model.connect(lines)?,
                b"ENDMDL" | b"END" => over = begun,
                _ => {}
            }
        }
        if lines.frame == 0 && !begun {
            return Err(lines.cut("an ATOM or HETATM record"));
        }
        Ok(begun.then_some(model))
    }
}

impl Model {
    fn new() -> Self {
        Self {
            step: None,
            positions: Default::default(),
            serials: HashMap::new(),
            columns: TEXTS.map(|(name, ..)| (name, Column::texts())).into(),
            resids: Vec::new(),
            resids_are_known: true,
            bonds: Vec::new(),
        }
    }

    fn atom(&mut self, lines: &Lines) -> Result<()> {
        let line = lines.line();
        let column = |start: usize, end: usize| {
            let field = line.get(start..line.len().min(end));
            field.unwrap_or_default().trim_ascii()
        };
        for (k, axis) in self.positions.iter_mut().enumerate() {
            let field = column(30 + 8 * k, 38 + 8 * k);
            axis.push(lines.real(field, "a coordinate in columns 31-54")?);
        }
        let row = (self.positions[0].len() - 1) as u32;
        if let Some(serial) = hybrid36(column(6, 11), 5) {
            self.serials.insert(serial, row);
        }
        for ((_, texts), (_, start, end)) in self.columns.iter_mut().zip(TEXTS) {
            let _ = texts.push(column(start, end));
        }
        let resid = hybrid36(column(22, 26), 4);
        self.resids_are_known &= resid.is_some();
        self.resids.push(resid.unwrap_or_default());
        Ok(())
    }

    /// Adds the bonds of a `CONECT` record, and does nothing with any other. Serial numbers that no atom has are passed over, as readers of the format do.
    fn connect(&mut self, lines: &Lines) -> Result<()> {
        let line = lines.line();
        if record(line) != b"CONECT" || self.serials.is_empty() {
            return Ok(());
        }
        let end = line.trim_ascii_end().len().max(6);
        let mut rows = Vec::new();
        for field in line[6..end].chunks(5).take(5) {
            let field = field.trim_ascii();
            if field.is_empty() {
                continue;
            }
            let serial = hybrid36(field, 5);
            let serial = serial.ok_or_else(|| lines.refuse_bytes("a serial number", field))?;
            rows.push(self.serials.get(&serial).copied());
        }
        let Some((Some(first), others)) = rows.split_first() else {
            return Ok(());
        };
        let bonds = others.iter().flatten();
        let ordered = bonds.map(|other| [*first.min(other), *first.max(other)]);
        self.bonds.extend(ordered.filter(|[a, b]| a != b));
        Ok(())
    }

    fn finish(mut self) -> ([Vec<f64>; 3], Atoms) {
        let mut atoms = Atoms::new(self.positions[0].len());
        for (name, column) in self.columns {
            let texts = column.finish();
            // Fields that no atom uses are no columns.
            let used = matches!(&texts, Attribute::Texts { texts, .. } if texts.iter().any(|text| !text.is_empty()));
            if used {
                atoms = atoms.with(name, texts);
            }
        }
        if self.resids_are_known && !self.resids.is_empty() {
            atoms = atoms.with("resid", Attribute::Integers(self.resids));
        }
        // Files name a bond from both of its ends.
        self.bonds.sort_unstable();
        self.bonds.dedup();
        (self.positions, atoms.bonded(self.bonds))
    }
}

/// A number of `width` columns, decimal or in hybrid-36 (<https://cci.lbl.gov/hybrid_36>), where A0000 follows 99999 and a0000 ZZZZZ.
fn hybrid36(field: &[u8], width: u32) -> Option<i64> {
    if let Some(number) = whole(field) {
        return Some(number);
    }
    let first = *field.first()?;
    if field.len() != width as usize || !first.is_ascii_alphabetic() {
        return None;
    }
    let upper = first.is_ascii_uppercase();
    let digit = |&byte: &u8| match byte {
        b'0'..=b'9' => Some(i64::from(byte - b'0')),
        b'A'..=b'Z' if upper => Some(i64::from(byte - b'A') + 10),
        b'a'..=b'z' if !upper => Some(i64::from(byte - b'a') + 10),
        _ => None,
    };
    let value = field
        .iter()
        .try_fold(0, |value, byte| Some(36 * value + digit(byte)?))?;
    let (places, block) = (36_i64.pow(width - 1), 10_i64.pow(width));
    let before = if upper { 0 } else { 26 * places };
    Some(value - 10 * places + block + before)
}

/// The box of `CRYST1`; lengths of 1 with right angles, as files without a crystal have, and zeros stand for none.
fn cell_of(lines: &Lines) -> Result<Option<Cell>> {
    let line = lines.line();
    let mut values = [0.0; 6];
    for (value, (start, end)) in
        values
            .iter_mut()
            .zip([(6, 15), (15, 24), (24, 33), (33, 40), (40, 47), (47, 54)])
    {
        let field = line.get(start..line.len().min(end)).unwrap_or_default();
        *value = lines.real(field.trim_ascii(), "CRYST1: a length or an angle")?;
    }
    let [a, b, c, alpha, beta, gamma] = values;
    if [a, b, c] == [0.0; 3] || values == [1.0, 1.0, 1.0, 90.0, 90.0, 90.0] {
        return Ok(None);
    }
    let cell = Cell::from_lengths_and_angles([a, b, c], [alpha, beta, gamma]);
    cell.map(Some)
        .map_err(|reason| lines.refuse("a box", &reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_beyond_five_digits() {
        let five = |field: &str| hybrid36(field.as_bytes(), 5);
        assert_eq!(five("99999"), Some(99_999));
        assert_eq!(five("-12"), Some(-12));
        assert_eq!(five("A0000"), Some(100_000));
        assert_eq!(five("A0001"), Some(100_001));
        assert_eq!(five("ZZZZZ"), Some(43_770_015));
        assert_eq!(five("a0000"), Some(43_770_016));
        assert_eq!(five("zzzzz"), Some(87_440_031));
        assert_eq!(hybrid36(b"A000", 4), Some(10_000));
        assert_eq!(five("*****"), None);
        assert_eq!(five("Aa000"), None);
    }
}
