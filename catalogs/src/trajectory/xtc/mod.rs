//! XTC: the compressed positions of GROMACS, in nm.
//!
//! Entry: [`open`]; [`coder`] unpacks one frame. Positions are computed as GROMACS does it, a whole number times an inverse precision in float32.

mod coder;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use super::bytes::{Bytes, Order};
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::{Atoms, Frame, Trajectory, passed_over};
use crate::error::Result;
use coder::Coded;

/// The magic number of every frame.
const MAGIC: u32 = 1995;
/// That of frames whose count of bytes has 64 bits.
const LARGE_MAGIC: u32 = 2023;
/// Frames of at most so many atoms are not compressed.
const PLAIN: u64 = 9;
/// Bytes up to the positions: magic, atoms, step, time, box and atoms once more.
const HEAD: u64 = 56;

pub(super) fn matches(head: &Head<'_>) -> bool {
    head.bytes.len() >= 4 && [MAGIC, LARGE_MAGIC].contains(&Order::Big.u32(head.bytes, 0))
}

pub(super) fn open(head: &Head<'_>, _: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let bytes = Bytes::open(head, TrajectoryFormat::Xtc)?;
    Ok(Box::new(Xtc {
        bytes,
        number: 0,
        atoms: None,
        frames: OnceCell::new(),
    }))
}

struct Xtc {
    bytes: Bytes,
    number: u64,
    atoms: Option<Arc<Atoms>>,
    frames: OnceCell<Option<u64>>,
}

/// What stands before the positions of a frame.
struct FrameHead {
    atoms: u64,
    step: i32,
    time: f32,
    vectors: [[f64; 3]; 3],
    large: bool,
}

/// How the positions of a frame are stored.
enum Positions {
    Plain,
    Coded(Coded),
}

/// The head of the next frame; none at the end of the file.
fn frame_head(bytes: &mut Bytes) -> Result<Option<FrameHead>> {
    if bytes.left() == 0 {
        return Ok(None);
    }
    let head = bytes.take(HEAD, "its head")?;
    let word = |k: usize| Order::Big.u32(head, 4 * k);
    let real = |k: usize| f64::from(Order::Big.f32(head, 4 * k));
    let [magic, atoms, again] = [word(0), word(1), word(13)];
    let found = FrameHead {
        atoms: atoms.into(),
        step: word(2) as i32,
        time: Order::Big.f32(head, 12),
        vectors: [4, 7, 10].map(|k| [real(k), real(k + 1), real(k + 2)]),
        large: magic == LARGE_MAGIC,
    };
    if ![MAGIC, LARGE_MAGIC].contains(&magic) {
        return Err(bytes.corrupt(&format!("expected the number 1995 or 2023, found {magic}")));
    }
    if atoms != again {
        return Err(bytes.corrupt(&format!("{atoms} atoms in its head, positions of {again}")));
    }
    Ok(Some(found))
}

impl FrameHead {
    /// What stands right before the bytes of the positions.
    fn positions(&self, bytes: &mut Bytes) -> Result<(Positions, u64)> {
        if self.atoms <= PLAIN {
            return Ok((Positions::Plain, 12 * self.atoms));
        }
        let width = if self.large { 8 } else { 4 };
        let head = bytes.take(32 + width, "the head of its positions")?;
        let three = |at: usize| [0, 4, 8].map(|k| Order::Big.i32(head, at + k));
        let count = if self.large {
            Order::Big.u64(head, 32)
        } else {
            Order::Big.u32(head, 32).into()
        };
        let coded = Coded {
            atoms: self.atoms,
            precision: Order::Big.f32(head, 0),
            least: three(4),
            most: three(16),
            small: Order::Big.u32(head, 28),
            bytes: count,
        };
        Ok((Positions::Coded(coded), count))
    }
}

/// Bytes are stored in words of four.
fn padded(count: u64) -> u64 {
    count.saturating_add(3) / 4 * 4
}

impl Xtc {
    /// Passes over one frame and says whether there was one.
    fn hop(bytes: &mut Bytes) -> Result<bool> {
        let Some(head) = frame_head(bytes)? else {
            return Ok(false);
        };
        let (_, count) = head.positions(bytes)?;
        bytes.pass(padded(count), "positions")?;
        Ok(true)
    }

    fn count(&self) -> Result<u64> {
        let mut bytes = self.bytes.hopping()?;
        passed_over(u64::MAX, || Self::hop(&mut bytes))
    }
}

impl Trajectory for Xtc {
    fn format(&self) -> TrajectoryFormat {
        TrajectoryFormat::Xtc
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
        let Some(head) = frame_head(bytes)? else {
            return Ok(None);
        };
        bytes.same_atoms(head.atoms, self.atoms.as_ref().map(|atoms| atoms.len()))?;
        let cell = bytes.cell(head.vectors)?;
        let (how, count) = head.positions(bytes)?;
        let positions = match how {
            Positions::Plain => Order::Big.points(bytes.take(count, "positions")?, 4),
            Positions::Coded(coded) => {
                bytes.holds(count, "positions")?;
                coded.check().map_err(|wrong| bytes.corrupt(&wrong))?;
                let packed = bytes.take(padded(count), "positions")?;
                let unpacked = coded.unpack(&packed[..count as usize]);
                unpacked.map_err(|wrong| bytes.corrupt(&wrong))?
            }
        };
        let len = positions[0].len();
        let atoms = self.atoms.get_or_insert_with(|| Arc::new(Atoms::new(len)));
        let frame = Frame {
            number: self.number,
            step: Some(head.step.into()),
            time: Some(head.time.into()),
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
            let hopped = Self::hop(&mut self.bytes)?;
            self.number += u64::from(hopped);
            Ok(hopped)
        })
    }
}
