//! TRR: positions, velocities and forces of GROMACS in full precision, in nm. Frames without positions are passed over and not numbered.
//!
//! Entry: [`open`].

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use super::bytes::{Bytes, Order};
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::{Atoms, Frame, Trajectory, passed_over};
use crate::error::Result;

/// The magic number of every frame.
const MAGIC: u32 = 1993;
/// What stands behind it.
const NAME: &[u8] = b"GMX_trn_file";
/// Bytes of a head up to the time: magic, two lengths of the name, the name and thirteen numbers.
const HEAD: usize = 24 + 52;
/// What a frame may hold, in the order of the file and of the sizes at its head.
const PARTS: [&str; 10] = [
    "input record",
    "energies",
    "box",
    "virial",
    "pressure",
    "topology",
    "symbols",
    "positions",
    "velocities",
    "forces",
];
const BOX: usize = 2;
const POSITIONS: usize = 7;

pub(super) fn matches(head: &Head<'_>) -> bool {
    head.bytes.len() >= 24
        && Order::Big.u32(head.bytes, 0) == MAGIC
        && head.bytes[12..].starts_with(NAME)
}

pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    Ok(Box::new(Trr {
        bytes: Bytes::open(head, TrajectoryFormat::Trr)?,
        number: 0,
        velocities: request.velocities,
        atoms: None,
        frames: OnceCell::new(),
    }))
}

struct Trr {
    bytes: Bytes,
    /// The next frame with positions.
    number: u64,
    /// Whether velocities and forces are kept.
    velocities: bool,
    atoms: Option<Arc<Atoms>>,
    frames: OnceCell<Option<u64>>,
}

/// What stands before the numbers of a frame.
struct FrameHead {
    /// Bytes of each part.
    sizes: [u64; 10],
    /// Bytes of a real.
    width: usize,
    atoms: u64,
    step: i32,
    time: f64,
}

/// The head of the next frame; none at the end of the file.
fn frame_head(bytes: &mut Bytes) -> Result<Option<FrameHead>> {
    if bytes.left() == 0 {
        return Ok(None);
    }
    let head = bytes.take(HEAD as u64, "its head")?;
    let word = |k: usize| Order::Big.i32(head, 24 + 4 * k);
    let words: [i32; 13] = std::array::from_fn(word);
    let magic = Order::Big.u32(head, 0);
    if magic != MAGIC || &head[12..24] != NAME {
        return Err(bytes.corrupt(&format!(
            "expected the number {MAGIC} and the name GMX_trn_file, found {magic}"
        )));
    }
    if let Some(k) = words[..11].iter().position(|&size| size < 0) {
        let what = PARTS.get(k).map_or("atoms", |part| part);
        return Err(bytes.corrupt(&format!("the size of its {what} is {}", words[k])));
    }
    let sizes: [u64; 10] = std::array::from_fn(|k| words[k] as u64);
    let atoms = words[10] as u64;
    let Some(width) = width(&sizes, atoms) else {
        return Err(bytes.corrupt(&format!(
            "its sizes are neither those of float32 nor of float64: box {}, positions {}, velocities {}, forces {} bytes of {atoms} atoms",
            sizes[BOX], sizes[POSITIONS], sizes[8], sizes[9]
        )));
    };
    let time = bytes.take(2 * width as u64, "its time")?;
    Ok(Some(FrameHead {
        sizes,
        width,
        atoms,
        step: words[11],
        time: Order::Big.real(time, 0, width),
    }))
}

/// Bytes of a real, by the sizes of what is made of them.
fn width(sizes: &[u64; 10], atoms: u64) -> Option<usize> {
    let fits = |width: u64| {
        let boxes = sizes[BOX..=4].iter();
        let vectors = sizes[POSITIONS..].iter();
        boxes
            .map(|&size| (size, 9))
            .chain(vectors.map(|&size| (size, 3 * atoms)))
            .all(|(size, reals)| size == 0 || size == width * reals)
    };
    [4, 8]
        .into_iter()
        .find(|&width| fits(width))
        .map(|width| width as usize)
}

impl FrameHead {
    /// Bytes of the parts in this range.
    fn between(&self, first: usize, end: usize) -> u64 {
        self.sizes[first..end].iter().sum()
    }
}

/// The head of the next frame with positions, where its first part begins.
fn positions_ahead(bytes: &mut Bytes) -> Result<Option<FrameHead>> {
    while let Some(head) = frame_head(bytes)? {
        if head.sizes[POSITIONS] > 0 {
            return Ok(Some(head));
        }
        bytes.pass(head.between(0, PARTS.len()), "its parts")?;
    }
    Ok(None)
}

/// Passes over one frame with positions and says whether there was one.
fn hop(bytes: &mut Bytes) -> Result<bool> {
    let Some(head) = positions_ahead(bytes)? else {
        return Ok(false);
    };
    bytes.pass(head.between(0, PARTS.len()), "its parts")?;
    Ok(true)
}

impl Trr {
    fn count(&self) -> Result<u64> {
        let mut bytes = self.bytes.hopping()?;
        passed_over(u64::MAX, || hop(&mut bytes))
    }
}

impl Trajectory for Trr {
    fn format(&self) -> TrajectoryFormat {
        TrajectoryFormat::Trr
    }

    fn path(&self) -> &Path {
        self.bytes.path()
    }

    fn unit(&self) -> Option<&str> {
        Some("nm")
    }

    /// Frames differ in size: their heads are read, once.
    fn frames(&self) -> Option<u64> {
        *self.frames.get_or_init(|| self.count().ok())
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let bytes = &mut self.bytes;
        bytes.frame = Some(self.number);
        let Some(head) = positions_ahead(bytes)? else {
            return Ok(None);
        };
        let width = head.width;
        bytes.same_atoms(head.atoms, self.atoms.as_ref().map(|atoms| atoms.len()))?;
        bytes.pass(head.between(0, BOX), "its first parts")?;
        let stated = Order::Big.reals(bytes.take(head.sizes[BOX], "its box")?, width);
        let cell = match stated.as_slice() {
            &[ax, ay, az, bx, by, bz, cx, cy, cz] => {
                bytes.cell([[ax, ay, az], [bx, by, bz], [cx, cy, cz]])?
            }
            _ => None,
        };
        bytes.pass(head.between(BOX + 1, POSITIONS), "its virial and pressure")?;
        let positions = bytes.take(head.sizes[POSITIONS], "positions")?;
        let positions = Order::Big.points(positions, width);
        let len = positions[0].len();
        let atoms = self.atoms.get_or_insert_with(|| Arc::new(Atoms::new(len)));
        if self.velocities {
            let mut moving = Atoms::new(len);
            for (part, columns) in [(8, ["vx", "vy", "vz"]), (9, ["fx", "fy", "fz"])] {
                let vectors = bytes.take(head.sizes[part], PARTS[part])?;
                let vectors = Order::Big.points(vectors, width);
                if vectors[0].len() == len {
                    moving = moving.with_vectors(columns, vectors);
                }
            }
            *atoms = Arc::new(moving);
        } else {
            let rest = head.between(POSITIONS + 1, PARTS.len());
            bytes.pass(rest, "velocities and forces")?;
        }
        let frame = Frame {
            number: self.number,
            step: Some(head.step.into()),
            time: Some(head.time),
            cell,
            positions,
            atoms: Arc::clone(atoms),
        };
        self.number += 1;
        Ok(Some(frame))
    }

    fn skip(&mut self, frames: u64) -> Result<u64> {
        passed_over(frames, || {
            self.bytes.frame = Some(self.number);
            let hopped = hop(&mut self.bytes)?;
            self.number += u64::from(hopped);
            Ok(hopped)
        })
    }
}
