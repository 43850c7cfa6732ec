//! Text dumps of LAMMPS: wrapped, scaled and unwrapped positions, particles in the order of their ids.
//!
//! Entry: [`open`]. Layout: <https://docs.lammps.org/dump.html>, boxes: <https://docs.lammps.org/Howto_triclinic.html>.
//! Image flags are passed over, velocities and forces too unless they are asked for.

use std::sync::Arc;

use super::column::{Column, ordered, share};
use super::head::Head;
use super::lines::{Lines, fields, text, whole};
use super::texts::{FrameText, TextTrajectory, room};
use super::{Atoms, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::Result;

pub(super) fn matches(head: &Head<'_>) -> bool {
    head.bytes.trim_ascii_start().starts_with(b"ITEM:")
}

/// Opens a dump and reads the head of its first frame.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let mut lines = Lines::open(head)?;
    let mut dump = LammpsDump {
        lacking: request.lacking,
        velocities: request.velocities,
        ..LammpsDump::default()
    };
    dump.ahead = dump.snapshot(&mut lines)?;
    Ok(Box::new(TextTrajectory::new(dump, lines)))
}

#[derive(Default)]
struct LammpsDump {
    unit: Option<&'static str>,
    /// The axis whose column may be missing.
    lacking: Option<usize>,
    /// Whether velocities and forces are kept.
    velocities: bool,
    /// The head of the first frame, until it is read.
    ahead: Option<Snapshot>,
    atoms: Arc<Atoms>,
}

/// The box of a frame as the dump has it: a corner and three vectors.
#[derive(Clone, Copy)]
struct Bounds {
    corner: [f64; 3],
    vectors: [[f64; 3]; 3],
    periodic: [bool; 3],
}

/// What stands in front of the particles of a frame.
struct Snapshot {
    step: i64,
    time: Option<f64>,
    count: u64,
    bounds: Bounds,
    /// The names of the columns.
    names: Vec<String>,
}

/// What becomes of a column.
enum Role {
    Position(usize),
    Id,
    Kept(usize),
    Passed,
}

/// How positions are written, the best first: the first two as they are, the others in parts of the box.
const SPELLINGS: [([&str; 3], bool); 4] = [
    (["x", "y", "z"], false),
    (["xu", "yu", "zu"], false),
    (["xs", "ys", "zs"], true),
    (["xsu", "ysu", "zsu"], true),
];
/// Columns that say nothing by which particles are chosen.
const PASSED: [&str; 9] = ["vx", "vy", "vz", "fx", "fy", "fz", "ix", "iy", "iz"];

impl FrameText for LammpsDump {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::LammpsDump;

    fn unit(&self) -> Option<&str> {
        self.unit
    }

    fn frame(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Frame>> {
        let snapshot = match self.ahead.take() {
            Some(snapshot) => Some(snapshot),
            None => self.snapshot(lines)?,
        };
        let Some(snapshot) = snapshot else {
            return Ok(None);
        };
        let cell = cell_of(lines, &snapshot.bounds)?;
        let (positions, atoms) = if keep {
            let (positions, atoms) = particles(lines, &snapshot, self.lacking, self.velocities)?;
            (positions, Some(atoms))
        } else {
            lines.pass(snapshot.count, "a particle")?;
            (Default::default(), None)
        };
        Ok(Some(Frame {
            number: lines.frame,
            step: Some(snapshot.step),
            time: snapshot.time,
            cell,
            positions,
            atoms: share(&mut self.atoms, atoms),
        }))
    }
}

impl LammpsDump {
    /// The head of the next frame, up to the names of its columns; `None` at the end of the file.
    fn snapshot(&mut self, lines: &mut Lines) -> Result<Option<Snapshot>> {
        let (mut step, mut time, mut count, mut bounds) = (None, None, None, None);
        if !lines.advance_over_blanks()? {
            return Ok(None);
        }
        loop {
            let line = lines.line().to_vec();
            let item = line.trim_ascii_start().strip_prefix(b"ITEM:");
            let item = item.ok_or_else(|| lines.refuse_line("`ITEM: ...`"))?;
            let words: Vec<&[u8]> = fields(item).collect();
            match words.as_slice() {
                [b"TIMESTEP"] => {
                    lines.need("the number of a step")?;
                    let value = whole(lines.line().trim_ascii());
                    step = Some(value.ok_or_else(|| lines.refuse_line("the number of a step"))?);
                }
                [b"TIME"] => {
                    lines.need("a time")?;
                    time = Some(lines.reals::<1>("a time")?[0]);
                }
                [b"UNITS"] => {
                    lines.need("a style of units")?;
                    self.unit = unit_of(lines.line().trim_ascii());
                }
                [b"NUMBER", b"OF", b"ATOMS"] => {
                    lines.need("a number of atoms")?;
                    count = Some(lines.count()?);
                }
                [b"BOX", b"BOUNDS", words @ ..] => bounds = Some(Bounds::read(lines, words)?),
                [b"ATOMS", names @ ..] => {
                    let names = names.iter().map(|name| text(name).into_owned()).collect();
                    let missing = |what: &str| lines.refuse(what, "`ITEM: ATOMS` before it");
                    return Ok(Some(Snapshot {
                        step: step.ok_or_else(|| missing("`ITEM: TIMESTEP`"))?,
                        time,
                        count: count.ok_or_else(|| missing("`ITEM: NUMBER OF ATOMS`"))?,
                        bounds: bounds.ok_or_else(|| missing("`ITEM: BOX BOUNDS`"))?,
                        names,
                    }));
                }
                _ => {
                    let expected = "an item of a dump of atoms (TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS, ATOMS, UNITS or TIME)";
                    return Err(lines.refuse_line(expected));
                }
            }
            lines.need("`ITEM: ATOMS`")?;
        }
    }
}

/// The unit of length of a style: <https://docs.lammps.org/units.html>.
fn unit_of(style: &[u8]) -> Option<&'static str> {
    match style {
        b"real" | b"metal" => Some("Angstrom"),
        b"nano" => Some("nm"),
        b"electron" => Some("Bohr"),
        b"si" => Some("m"),
        b"cgs" => Some("cm"),
        b"micro" => Some("um"),
        b"lj" => Some("sigma"),
        _ => None,
    }
}

impl Bounds {
    /// The three lines behind `ITEM: BOX BOUNDS`, whose other words say what they hold.
    fn read(lines: &mut Lines, words: &[&[u8]]) -> Result<Self> {
        let (tilted, general, flags) = match words {
            [b"xy", b"xz", b"yz", flags @ ..] => (true, false, flags),
            [b"abc", b"origin", flags @ ..] => (false, true, flags),
            flags => (false, false, flags),
        };
        let mut periodic = [true; 3];
        match flags {
            [] => {}
            [x, y, z] => {
                for (periodic, flag) in periodic.iter_mut().zip([x, y, z]) {
                    let known = flag.len() == 2 && flag.iter().all(|c| b"pfsm".contains(c));
                    if !known {
                        return Err(lines.refuse_bytes("boundaries such as `pp` or `ff`", flag));
                    }
                    *periodic = flag.starts_with(b"p");
                }
            }
            _ => {
                return Err(
                    lines.refuse_line("`ITEM: BOX BOUNDS` and a boundary of each of 3 axes")
                );
            }
        }
        let what = "bounds of the box";
        let mut rows = [[0.0; 4]; 3];
        for row in &mut rows {
            lines.need(what)?;
            *row = if general {
                lines.reals::<4>(what)?
            } else if tilted {
                let [low, high, tilt] = lines.reals::<3>(what)?;
                [low, high, tilt, 0.0]
            } else {
                let [low, high] = lines.reals::<2>(what)?;
                [low, high, 0.0, 0.0]
            };
        }
        let (corner, vectors) = if general {
            (rows.map(|row| row[3]), rows.map(|[x, y, z, _]| [x, y, z]))
        } else {
            restricted(rows)
        };
        Ok(Self {
            corner,
            vectors,
            periodic,
        })
    }
}

/// Corner and vectors of a box whose a is along x and b in the plane of x and y: the bounds of x and y are those of all its corners.
fn restricted(rows: [[f64; 4]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let [
        [x_low, x_high, xy, _],
        [y_low, y_high, xz, _],
        [z_low, z_high, yz, _],
    ] = rows;
    let least = |values: &[f64]| values.iter().fold(0.0, |a: f64, &b| a.min(b));
    let most = |values: &[f64]| values.iter().fold(0.0, |a: f64, &b| a.max(b));
    let x_low = x_low - least(&[xy, xz, xy + xz]);
    let x_high = x_high - most(&[xy, xz, xy + xz]);
    let y_low = y_low - least(&[yz]);
    let y_high = y_high - most(&[yz]);
    let vectors = [
        [x_high - x_low, 0.0, 0.0],
        [xy, y_high - y_low, 0.0],
        [xz, yz, z_high - z_low],
    ];
    ([x_low, y_low, z_low], vectors)
}

/// The box; a flat one that repeats nowhere, as of a single particle, is none.
fn cell_of(lines: &Lines, bounds: &Bounds) -> Result<Option<Cell>> {
    match Cell::new(bounds.vectors) {
        Ok(cell) => Ok(Some(cell.periodic_along(bounds.periodic).at(bounds.corner))),
        Err(_) if bounds.periodic == [false; 3] => Ok(None),
        Err(reason) => Err(lines.refuse("a box", &reason)),
    }
}

/// What each column is for, the columns to keep, and whether positions are in parts of the box.
struct Plan {
    roles: Vec<Role>,
    kept: Vec<(String, Option<Column>)>,
    scaled: bool,
}

impl Plan {
    fn new(
        lines: &Lines,
        names: &[String],
        lacking: Option<usize>,
        velocities: bool,
    ) -> Result<Self> {
        let has = |name: &str| names.iter().any(|other| other == name);
        let spelling = SPELLINGS
            .iter()
            .find(|(axes, _)| (0..3).all(|axis| has(axes[axis]) || lacking == Some(axis)));
        let (axes, scaled) = *spelling.ok_or_else(|| {
            lines.refuse_line(
                "columns x y z, xu yu zu, xs ys zs or xsu ysu zsu (of particles in a plane two of them, on the command line with --plane xy)",
            )
        })?;
        let mut kept = Vec::new();
        let mut role = |name: &String| {
            if let Some(axis) = axes.iter().position(|axis| axis == name) {
                return Role::Position(axis);
            }
            let other = SPELLINGS
                .iter()
                .any(|(axes, _)| axes.contains(&name.as_str()));
            if name == "id" {
                return Role::Id;
            }
            let passed = PASSED.contains(&name.as_str());
            let asked = velocities && !name.starts_with('i');
            if other || (passed && !asked) {
                return Role::Passed;
            }
            let ours = match name.as_str() {
                "mol" => "molecule",
                "q" => "charge",
                same => same,
            };
            if kept.iter().any(|(other, _)| other == ours) {
                return Role::Passed;
            }
            kept.push((ours.to_owned(), None));
            Role::Kept(kept.len() - 1)
        };
        Ok(Self {
            roles: names.iter().map(&mut role).collect(),
            kept,
            scaled,
        })
    }
}

/// Columns of whole numbers; others are read as reals, or as texts.
fn first_column(name: &str, field: &[u8]) -> Column {
    match name {
        "element" | "typelabel" => Column::texts(),
        "type" | "molecule" | "proc" | "procp1" => Column::like(field),
        _ => Column::real_like(field),
    }
}

/// The particles of a frame, in the order of their ids.
fn particles(
    lines: &mut Lines,
    snapshot: &Snapshot,
    lacking: Option<usize>,
    velocities: bool,
) -> Result<([Vec<f64>; 3], Atoms)> {
    let mut plan = Plan::new(lines, &snapshot.names, lacking, velocities)?;
    let mut positions = [(); 3].map(|()| room(snapshot.count));
    let mut ids: Vec<i64> = Vec::new();
    for _ in 0..snapshot.count {
        lines.need("a particle")?;
        particle(lines, snapshot, &mut plan, &mut positions, &mut ids)?;
    }
    if let Some(axis) = lacking {
        // Where it has no column.
        positions[axis].resize(snapshot.count as usize, 0.0);
    }
    if plan.scaled {
        unscale(&mut positions, &snapshot.bounds);
    }
    let with_ids = snapshot.names.iter().any(|name| name == "id");
    if with_ids && !ids.is_sorted_by(|a, b| a < b) {
        let mut order: Vec<u32> = (0..ids.len() as u32).collect();
        order.sort_unstable_by_key(|&row| ids[row as usize]);
        ids = ordered(&ids, &order);
        let mut neighbours = ids.iter().zip(ids.iter().skip(1));
        if let Some((id, _)) = neighbours.find(|(a, b)| a == b) {
            let found = format!("id {id} twice");
            return Err(lines.refuse("ids that are all different", &found));
        }
        positions = positions.map(|axis| ordered(&axis, &order));
        let columns = plan
            .kept
            .iter_mut()
            .filter_map(|(_, column)| column.as_mut());
        columns.for_each(|column| column.ordered(&order));
    }
    let mut atoms = Atoms::new(positions[0].len());
    if with_ids {
        atoms = atoms.with("id", super::Attribute::Integers(ids));
    }
    for (name, column) in plan.kept {
        // A frame without particles has its columns, too.
        let column = column.unwrap_or_else(|| first_column(&name, b"0"));
        atoms = atoms.with(&name, column.finish());
    }
    Ok((positions, atoms))
}

/// One line.
fn particle(
    lines: &Lines,
    snapshot: &Snapshot,
    plan: &mut Plan,
    positions: &mut [Vec<f64>; 3],
    ids: &mut Vec<i64>,
) -> Result<()> {
    let mut found = fields(lines.line());
    let wrong = |place: usize, what: &str, field: &[u8]| {
        lines.refuse_bytes(
            &format!("{what} in column `{}`", snapshot.names[place]),
            field,
        )
    };
    for (place, role) in plan.roles.iter().enumerate() {
        let Some(field) = found.next() else {
            let expected = format!("{} fields of a particle", plan.roles.len());
            return Err(lines.refuse(&expected, &place.to_string()));
        };
        match role {
            Role::Position(axis) => match super::lines::real(field) {
                Some(value) => positions[*axis].push(value),
                None => return Err(wrong(place, "a number", field)),
            },
            Role::Id => match whole(field) {
                Some(id) => ids.push(id),
                None => return Err(wrong(place, "a whole number", field)),
            },
            Role::Kept(index) => {
                let (name, column) = &mut plan.kept[*index];
                let column = column.get_or_insert_with(|| first_column(name, field));
                if !column.push(field) {
                    return Err(wrong(place, column.kind(), field));
                }
            }
            Role::Passed => {}
        }
    }
    match found.next() {
        None => Ok(()),
        Some(field) => {
            let expected = format!("{} fields of a particle and no more", plan.roles.len());
            Err(lines.refuse_bytes(&expected, field))
        }
    }
}

/// Parts of the box as positions.
fn unscale(positions: &mut [Vec<f64>; 3], bounds: &Bounds) {
    let [a, b, c] = bounds.vectors;
    let [xs, ys, zs] = positions;
    for ((x, y), z) in xs.iter_mut().zip(ys).zip(zs) {
        let parts = [*x, *y, *z];
        let along = |axis: usize| {
            bounds.corner[axis] + parts[0] * a[axis] + parts[1] * b[axis] + parts[2] * c[axis]
        };
        (*x, *y, *z) = (along(0), along(1), along(2));
    }
}
