//! XYZ, plain or extended as ASE writes it.
//!
//! Entry: [`open`]. Extended XYZ: <https://github.com/libAtoms/extxyz>. Positions are in the unit that the
//! comment states as `Unit=..` or as i-PI does; where it states none they are taken for Angstrom, as the format's readers do.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::column::{Column, share};
use super::head::Head;
use super::ipi;
use super::lines::{Lines, fields, real, text, whole};
use super::texts::{FrameText, TextTrajectory, room};
use super::{Atoms, Attribute, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::Result;

/// A number of atoms alone on the first line and on the third a text and three numbers, or text whose name says so.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let mut lines = head.bytes.split(|&byte| byte == b'\n');
    let count = lines.next().unwrap_or_default().trim_ascii();
    let known = whole(count).is_some_and(|count| count >= 0);
    let particle = lines.nth(1).unwrap_or_default();
    let numbers = fields(particle).filter(|field| real(field).is_some());
    let fits = known && numbers.count() >= 3 && fields(particle).count() >= 4;
    fits || head.is_named(&["xyz", "extxyz"])
}

/// Opens a file of frames.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let mut lines = Lines::open(head)?;
    let first = Opening::read(&mut lines);
    let opening = first.as_ref().ok().and_then(Option::as_ref);
    let xyz = Xyz {
        unit: opening.and_then(Opening::unit).map(str::to_owned),
        ahead: Some(first),
        velocities: request.velocities,
        atoms: Arc::default(),
    };
    Ok(Box::new(TextTrajectory::new(xyz, lines)))
}

struct Xyz {
    /// The unit of length that the first comment states.
    unit: Option<String>,
    /// What the first frame begins with, until it is read.
    ahead: Option<Result<Option<Opening>>>,
    /// Whether velocities and forces are kept.
    velocities: bool,
    atoms: Arc<Atoms>,
}

/// The first two lines of a frame.
struct Opening {
    count: u64,
    comment: String,
    keys: BTreeMap<String, String>,
    /// What the comment states if it is one of i-PI.
    ipi: Option<ipi::Stated>,
}

impl Opening {
    /// Those of the next frame; `None` at the end of the file.
    fn read(lines: &mut Lines) -> Result<Option<Self>> {
        if !lines.advance_over_blanks()? {
            return Ok(None);
        }
        let count = lines.count()?;
        lines.need("a comment")?;
        let comment = text(lines.line()).into_owned();
        let keys = keys(&comment);
        let has_unit = keys.get("unit").is_some_and(|unit| !unit.is_empty());
        Ok(Some(Self {
            count,
            ipi: ipi::read(lines, &comment, has_unit)?,
            keys,
            comment,
        }))
    }

    fn unit(&self) -> Option<&str> {
        let unit = self.keys.get("unit").map(String::as_str);
        let of_ipi = || self.ipi.as_ref()?.unit;
        unit.filter(|unit| !unit.is_empty()).or_else(of_ipi)
    }
}

/// A property of the particles: its name, the letter of its type and its number of columns.
struct Property {
    name: String,
    letter: u8,
    width: usize,
    /// The columns of a vector that is kept.
    vector: Option<[&'static str; 3]>,
}

impl FrameText for Xyz {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::Xyz;

    fn unit(&self) -> Option<&str> {
        self.unit.as_deref().or(Some("Angstrom"))
    }

    fn states_unit(&self) -> bool {
        self.unit.is_some()
    }

    fn frame(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Frame>> {
        let opening = match self.ahead.take() {
            Some(first) => first?,
            None => Opening::read(lines)?,
        };
        let Some(opening) = opening else {
            return Ok(None);
        };
        if let Some(unit) = opening.unit().filter(|unit| self.unit() != Some(unit)) {
            let expected = format!(
                "Unit={}, as in the first frame",
                self.unit().unwrap_or_default()
            );
            return Err(lines.refuse_bytes(&expected, unit.as_bytes()));
        }
        let Opening {
            count,
            comment,
            keys,
            ipi,
        } = opening;
        let cell = cell_of(lines, &keys)?.or(ipi.map(|stated| stated.cell));
        let extended = keys.contains_key("properties") || keys.contains_key("lattice");
        let mut properties = match keys.get("properties") {
            Some(listed) => properties(lines, listed)?,
            None => vec![
                Property::new(if extended { "species" } else { "name" }, b'S', 1),
                Property::new("pos", b'R', 3),
            ],
        };
        let exact = keys.contains_key("properties");
        for property in &mut properties {
            let is_vector = property.letter == b'R' && property.width == 3;
            let asked = Some(&property.name).filter(|_| is_vector && self.velocities);
            property.vector = asked.and_then(|name| components(name));
        }
        let (positions, atoms) = if keep {
            let (positions, atoms) = particles(lines, count, &properties, exact)?;
            (positions, Some(atoms))
        } else {
            lines.pass(count, "a particle")?;
            (Default::default(), None)
        };
        let value = |names: [&str; 2]| names.iter().find_map(|name| keys.get(*name));
        Ok(Some(Frame {
            number: lines.frame,
            step: value(["step", "timestep"])
                .and_then(|step| whole(step.as_bytes()))
                .or_else(|| step_in(&comment)),
            time: value(["time", "t"]).and_then(|time| real(time.as_bytes())),
            cell,
            positions,
            atoms: share(&mut self.atoms, atoms),
        }))
    }
}

impl Property {
    fn new(name: &str, letter: u8, width: usize) -> Self {
        Self {
            name: name.to_owned(),
            letter,
            width,
            vector: None,
        }
    }
}

/// The step in a comment of LAMMPS, `Atoms. Timestep: 100`, or of i-PI, `Step: 100`.
fn step_in(comment: &str) -> Option<i64> {
    let behind = |name: &str| comment.split_once(name).map(|(_, rest)| rest);
    let rest = behind("Timestep:").or_else(|| behind(" Step:"))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The `key=value` pairs of a comment, keys in lower case; values may stand in quotes, braces or brackets.
fn keys(comment: &str) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    let mut rest = comment.trim();
    while let Some((before, after)) = rest.split_once('=') {
        let key = before.split_whitespace().last().unwrap_or_default();
        let after = after.trim_start();
        let (value, behind) = value(after);
        keys.entry(key.trim_matches('"').to_lowercase())
            .or_insert_with(|| value.trim().to_owned());
        rest = behind;
    }
    keys
}

/// The value that a text begins with, without what it stands in, and the rest; brackets may stand in brackets.
fn value(text: &str) -> (&str, &str) {
    let (opening, closing) = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => (quote, quote),
        Some('{') => ('{', '}'),
        Some('[') => ('[', ']'),
        _ => return text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    let inner = &text[1..];
    let mut depth = 1;
    for (at, found) in inner.char_indices() {
        if found == closing {
            depth -= 1;
        } else if found == opening {
            depth += 1;
        }
        if depth == 0 {
            return (&inner[..at], &inner[at + 1..]);
        }
    }
    (inner, "")
}

/// The box: nine numbers of `Lattice`, row vectors; all zero stand for none.
fn cell_of(lines: &Lines, keys: &BTreeMap<String, String>) -> Result<Option<Cell>> {
    let Some(lattice) = keys.get("lattice") else {
        return Ok(None);
    };
    let separated = |c: char| c.is_whitespace() || c == ',' || c == '[' || c == ']';
    let values = lattice.split(separated).filter(|field| !field.is_empty());
    let values: Option<Vec<f64>> = values.map(|field| real(field.as_bytes())).collect();
    let vectors = match values.as_deref() {
        Some(&[ax, ay, az, bx, by, bz, cx, cy, cz]) => [[ax, ay, az], [bx, by, bz], [cx, cy, cz]],
        Some(&[a, b, c]) => [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]],
        _ => return Err(lines.refuse_bytes("Lattice=\"9 numbers\"", lattice.as_bytes())),
    };
    let mut periodic = [true; 3];
    if let Some(flags) = keys.get("pbc") {
        let flags: Vec<&str> = flags
            .split(separated)
            .filter(|flag| !flag.is_empty())
            .collect();
        let [x, y, z] = flags.as_slice() else {
            return Err(lines.refuse_bytes("pbc=\"3 of T or F\"", flags.join(" ").as_bytes()));
        };
        for (periodic, flag) in periodic.iter_mut().zip([x, y, z]) {
            *periodic = match *flag {
                "T" | "True" | "true" | "TRUE" | "1" => true,
                "F" | "False" | "false" | "FALSE" | "0" => false,
                other => return Err(lines.refuse_bytes("pbc=\"3 of T or F\"", other.as_bytes())),
            };
        }
    }
    if vectors == [[0.0; 3]; 3] {
        return Ok(None);
    }
    match Cell::new(vectors) {
        Ok(cell) => Ok(Some(cell.periodic_along(periodic))),
        Err(_) if periodic == [false; 3] => Ok(None),
        Err(reason) => Err(lines.refuse("a box", &reason)),
    }
}

/// `species:S:1:pos:R:3:...`.
fn properties(lines: &Lines, listed: &str) -> Result<Vec<Property>> {
    let wrong = || lines.refuse_bytes("Properties=name:type:columns:...", listed.as_bytes());
    let parts: Vec<&str> = listed.split(':').collect();
    let mut found = Vec::new();
    for part in parts.chunks(3) {
        let [name, letter @ ("S" | "R" | "I" | "L"), width] = part else {
            return Err(wrong());
        };
        let width = width
            .parse()
            .ok()
            .filter(|width| (1..=4096).contains(width));
        found.push(Property::new(
            name,
            letter.as_bytes()[0],
            width.ok_or_else(wrong)?,
        ));
    }
    let is_position = |property: &&Property| matches!(property.name.as_str(), "pos" | "positions");
    match found.iter().find(is_position) {
        Some(Property {
            letter: b'R' | b'I',
            width: 3,
            ..
        }) => Ok(found),
        _ => Err(lines.refuse_bytes("Properties with pos:R:3", listed.as_bytes())),
    }
}

/// The components of a vector of each particle by their names here; nothing of other properties.
fn components(name: &str) -> Option<[&'static str; 3]> {
    match name {
        "vel" | "velo" | "velocity" | "velocities" => Some(["vx", "vy", "vz"]),
        "force" | "forces" => Some(["fx", "fy", "fz"]),
        _ => None,
    }
}

/// The name of a column of particles.
fn column_name(name: &str) -> &str {
    match name {
        "masses" => "mass",
        "charges" | "initial_charges" => "charge",
        "elements" => "element",
        other => other,
    }
}

fn first_column(letter: u8) -> Column {
    match letter {
        b'R' => Column::Numbers(Vec::new()),
        b'I' => Column::Integers(Vec::new()),
        _ => Column::texts(),
    }
}

/// The particles of a frame. `exact`: that no field may follow those of the properties.
fn particles(
    lines: &mut Lines,
    count: u64,
    properties: &[Property],
    exact: bool,
) -> Result<([Vec<f64>; 3], Atoms)> {
    let mut positions = [(); 3].map(|()| room(count));
    let mut columns: Vec<Column> = properties
        .iter()
        .map(|of| first_column(of.letter))
        .collect();
    let width: usize = properties.iter().map(|of| of.width).sum();
    for _ in 0..count {
        lines.need("a particle")?;
        let mut found = fields(lines.line());
        let few = || lines.refuse_line(&format!("{width} fields of a particle"));
        for (property, column) in properties.iter().zip(&mut columns) {
            if matches!(property.name.as_str(), "pos" | "positions") {
                for axis in &mut positions {
                    axis.push(lines.real(found.next().ok_or_else(few)?, "a coordinate")?);
                }
                continue;
            }
            for _ in 0..property.width {
                let field = found.next().ok_or_else(few)?;
                if (property.width == 1 || property.vector.is_some()) && !column.push(field) {
                    let expected = format!("{} of property `{}`", column.kind(), property.name);
                    return Err(lines.refuse_bytes(&expected, field));
                }
            }
        }
        if exact && let Some(field) = found.next() {
            let expected = format!("{width} fields of a particle and no more");
            return Err(lines.refuse_bytes(&expected, field));
        }
    }
    let mut atoms = Atoms::new(positions[0].len());
    for (property, column) in properties.iter().zip(columns) {
        let plain = property.width == 1 && !matches!(property.name.as_str(), "pos" | "positions");
        if plain {
            atoms = atoms.with(column_name(&property.name), column.finish());
        } else if let (Some(names), Column::Numbers(values)) = (property.vector, column) {
            for (k, name) in names.into_iter().enumerate() {
                let axis = values.iter().skip(k).step_by(3).copied();
                atoms = atoms.with(name, Attribute::Numbers(axis.collect()));
            }
        }
    }
    Ok((positions, atoms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_state_the_unit_of_length() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |first: &str, second: &str| {
            let path = folder.path().join("two.xyz");
            let text = format!("1\nstep=0 {first}\nA 0 0 0\n1\nstep=1 {second}\nA 0 0 0\n");
            std::fs::write(&path, text).expect("a file");
            crate::open_trajectory(&path, &TrajectoryRequest::default(), crate::Stop::never())
                .expect("a trajectory")
        };
        for (first, unit, stated) in [
            ("Unit=sigma", "sigma", true),
            ("unit=\"0.1 nm\"", "0.1 nm", true),
            ("", "Angstrom", false),
        ] {
            let mut two = open(first, first);
            assert_eq!((two.unit(), two.states_unit()), (Some(unit), stated));
            assert_eq!(two.skip(9).ok(), Some(2));
        }
        let error = open("Unit=nm", "Unit=Bohr").skip(2).expect_err("two units");
        let said = error.to_string();
        assert!(
            said.contains("frame 1, line 5: expected Unit=nm, as in the first frame, found `Bohr`"),
            "{said}"
        );
    }

    #[test]
    fn keys_of_a_comment() {
        let keys = keys(
            "Lattice=\"1 0 0  0 2 0 0 0 3\" Properties=species:S:1:pos:R:3 free energy=-1.5 pbc=\"T T F\"",
        );
        assert_eq!(keys["lattice"], "1 0 0  0 2 0 0 0 3");
        assert_eq!(keys["properties"], "species:S:1:pos:R:3");
        assert_eq!(keys["energy"], "-1.5");
        assert_eq!(keys["pbc"], "T T F");
        assert_eq!(step_in("Atoms. Timestep: 100"), Some(100));
    }

    #[test]
    fn arrays_of_arrays_are_one_value() {
        let keys = keys(
            "Lattice=[[12.0,1.5,1.0], [1.0,12.5,-1.0],[-1.5,1.0,13.0]] pbc=[T, T, F] name={a {b} c} end=1",
        );
        assert_eq!(
            keys["lattice"],
            "[12.0,1.5,1.0], [1.0,12.5,-1.0],[-1.5,1.0,13.0]"
        );
        assert_eq!(keys["pbc"], "T, T, F");
        assert_eq!(keys["name"], "a {b} c");
        assert_eq!(keys["end"], "1");
        assert_eq!(value("[[1,2"), ("[1,2", ""));
    }
}
