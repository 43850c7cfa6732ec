//! GROMACS structures: one frame or several, in nm, to any number of digits.
//!
//! Entry: [`open`]. Layout: <https://manual.gromacs.org/current/reference-manual/file-formats.html#gro>.

use std::sync::Arc;

use super::column::{Column, share};
use super::head::Head;
use super::lines::{Lines, fields, real, text, whole};
use super::texts::{FrameText, TextTrajectory, room};
use super::{Atoms, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::Result;

/// Columns in front of the positions: residue's number and name, atom's name and number, five each.
const FRONT: usize = 20;

/// A number of atoms alone on the second line and a particle on the third, or text whose name says so.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let mut lines = head.bytes.split(|&byte| byte == b'\n').skip(1);
    let count = lines.next().unwrap_or_default().trim_ascii();
    let known = whole(count).is_some_and(|count| count >= 0);
    let particle = lines.next().unwrap_or_default();
    head.is_named(&["gro"]) || (known && width_of(particle).is_some())
}

/// Opens a structure.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let lines = Lines::open(head)?;
    let gro = Gro {
        velocities: request.velocities,
        ..Gro::default()
    };
    Ok(Box::new(TextTrajectory::new(gro, lines)))
}

#[derive(Default)]
struct Gro {
    /// Whether velocities are kept.
    velocities: bool,
    atoms: Arc<Atoms>,
}

/// Columns of a coordinate: as many as from one decimal point to the next.
fn width_of(line: &[u8]) -> Option<usize> {
    let mut points = line.iter().enumerate().skip(FRONT);
    let mut next = || points.find(|(_, byte)| **byte == b'.').map(|(at, _)| at);
    let (first, second) = (next()?, next()?);
    (second - first >= 4 && first < FRONT + second - first).then_some(second - first)
}

impl FrameText for Gro {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::Gro;

    fn unit(&self) -> Option<&str> {
        Some("nm")
    }

    fn frame(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Frame>> {
        // A title may be blank; blank lines at the end of the file are none.
        if !lines.advance()? {
            return Ok(None);
        }
        let title = text(lines.line()).into_owned();
        if title.trim().is_empty() {
            if !lines.advance_over_blanks()? {
                return Ok(None);
            }
            lines.hold();
        }
        lines.need("a number of atoms")?;
        let count = lines.count()?;
        let (positions, atoms) = if keep {
            let (positions, atoms) = particles(lines, count, self.velocities)?;
            (positions, Some(atoms))
        } else {
            lines.pass(count, "an atom")?;
            (Default::default(), None)
        };
        lines.need("the box")?;
        let cell = cell_of(lines)?;
        Ok(Some(Frame {
            number: lines.frame,
            step: after(&title, "step=").and_then(|step| step.parse().ok()),
            time: after(&title, "t=").and_then(|time| time.parse().ok()),
            cell,
            positions,
            atoms: share(&mut self.atoms, atoms),
        }))
    }
}

/// The word behind `key`, which begins a word.
fn after<'t>(title: &'t str, key: &str) -> Option<&'t str> {
    let at = title.rfind(key)?;
    let begins = title[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    begins.then(|| title[at + key.len()..].split_whitespace().next())?
}

fn particles(lines: &mut Lines, count: u64, velocities: bool) -> Result<([Vec<f64>; 3], Atoms)> {
    let mut positions = [(); 3].map(|()| room(count));
    let (mut names, mut resnames) = (Column::texts(), Column::texts());
    let mut resids = Vec::new();
    let mut moving = velocities.then(|| [(); 3].map(|()| room(count)));
    let mut width = None;
    for _ in 0..count {
        lines.need("an atom")?;
        let line = lines.line();
        let digits = match width {
            Some(width) => width,
            None => *width.insert(width_of(line).ok_or_else(|| {
                lines.refuse_line("an atom: 20 columns, then 3 numbers of equal width")
            })?),
        };
        let column = |start: usize, width: usize| {
            let field = line.get(start..line.len().min(start + width));
            field.unwrap_or_default().trim_ascii()
        };
        let resid = column(0, 5);
        let resid = whole(resid).ok_or_else(|| lines.refuse_bytes("a residue's number", resid));
        resids.push(resid?);
        let _ = resnames.push(column(5, 5));
        let _ = names.push(column(10, 5));
        for (k, axis) in positions.iter_mut().enumerate() {
            axis.push(lines.real(column(FRONT + k * digits, digits), "a coordinate")?);
        }
        // Velocities stand in columns as wide as those of positions, or nowhere.
        let begin = FRONT + 3 * digits;
        if column(begin, 3 * digits).is_empty() {
            moving = None;
        }
        for (k, axis) in moving.iter_mut().flatten().enumerate() {
            axis.push(lines.real(column(begin + k * digits, digits), "a velocity")?);
        }
    }
    let mut atoms = Atoms::new(positions[0].len())
        .with("resid", super::Attribute::Integers(resids))
        .with("resname", resnames.finish())
        .with("name", names.finish());
    if let Some(moving) = moving {
        atoms = atoms.with_vectors(["vx", "vy", "vz"], moving);
    }
    Ok((positions, atoms))
}

/// The box, three lengths or v1x v2y v3z v1y v1z v2x v2z v3x v3y; zeros stand for none.
fn cell_of(lines: &Lines) -> Result<Option<Cell>> {
    let line = lines.line().trim_ascii();
    let mut values: Option<Vec<f64>> = fields(line).map(real).collect();
    if values.is_none() {
        values = run_together(line);
    }
    let vectors = match values.as_deref() {
        Some(&[x, y, z]) => [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
        Some(&[xx, yy, zz, xy, xz, yx, yz, zx, zy]) => [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]],
        _ => return Err(lines.refuse_line("the box: 3 or 9 numbers")),
    };
    if vectors == [[0.0; 3]; 3] {
        return Ok(None);
    }
    let cell = Cell::new(vectors);
    cell.map(Some)
        .map_err(|reason| lines.refuse("a box", &reason))
}

/// Numbers too long for their columns, so that no blank parts them, but all with as many decimals as the last.
fn run_together(line: &[u8]) -> Option<Vec<f64>> {
    let decimals = line.iter().rev().position(|&byte| byte == b'.')?;
    let mut numbers = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let point = rest.iter().position(|&byte| byte == b'.')?;
        let number = rest.get(..=point + decimals)?;
        numbers.push(real(number.trim_ascii())?);
        rest = &rest[number.len()..];
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_titles() {
        let line = b"    1SOL     OW    1   0.230   0.628   0.113";
        assert_eq!(width_of(line), Some(8));
        assert_eq!(width_of(b"    1SOL     OW    1  "), None);
        assert_eq!(after("Water t=   1.50000 step= 750", "t="), Some("1.50000"));
        assert_eq!(after("Water t=   1.50000 step= 750", "step="), Some("750"));
        assert_eq!(after("point=3", "t="), None);
        let together = run_together(b"40000.00000   9.50000-1234.00000");
        assert_eq!(together, Some(vec![40000.0, 9.5, -1234.0]));
        assert_eq!(run_together(b"1.5 nm"), None);
    }
}
