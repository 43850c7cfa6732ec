//! DCD: float32 positions of CHARMM, NAMD, LAMMPS, X-PLOR, in Angstrom, as records of Fortran in either order of bytes.
//!
//! Entry: [`open`]. All frames but the first have one size, which is known from the header, so that the length of the file gives their number;
//! what the header says of it is what its writer planned. Times are in the unit of the header's time step (AKMA: 48.8882 fs).

mod cell;
mod records;

use std::path::Path;
use std::sync::Arc;

use super::bytes::Bytes;
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::{Atoms, Cell, Frame, Trajectory};
use crate::error::{CatalogError, Result};
use records::Records;

/// Bytes of the first record: a name and twenty numbers.
const HEADER: u64 = 84;

pub(super) fn matches(head: &Head<'_>) -> bool {
    Records::of(head.bytes, HEADER, &[b"CORD", b"VELD"]).is_some()
}

pub(super) fn open(head: &Head<'_>, _: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let mut bytes = Bytes::open(head, TrajectoryFormat::Dcd)?;
    let Some(records) = Records::of(head.bytes, HEADER, &[b"CORD"]) else {
        return Err(CatalogError::unsupported(
            head.path,
            "a DCD file of velocities (VELD)",
            "read the one of positions (CORD)",
        ));
    };
    let header = Header::read(&mut bytes, records)?;
    Ok(Box::new(Dcd {
        first: bytes.place(),
        atoms: Arc::new(Atoms::new(header.atoms)),
        bytes,
        records,
        header,
        number: 0,
        resting: None,
    }))
}

/// What the header says.
struct Header {
    atoms: usize,
    /// Indices of those that move, from 0, if others do not.
    moving: Option<Vec<u32>>,
    /// Whether frames state a box.
    boxed: bool,
    /// Whether positions have a fourth dimension.
    fourth: bool,
    version: i32,
    /// The step of the first frame and from one to the next.
    steps: [i64; 2],
    time_step: f64,
}

impl Header {
    fn read(bytes: &mut Bytes, records: Records) -> Result<Self> {
        let order = records.order();
        let record = records.read(bytes, HEADER, "its first record")?;
        let numbers: [i32; 20] = std::array::from_fn(|k| order.i32(record, 4 + 4 * k));
        let (single, double) = (order.f32(record, 40), order.f64(record, 40));
        let version = numbers[19];
        records.pass_title(bytes)?;
        let record = records.read(bytes, 4, "its number of atoms")?;
        let atoms = order.i32(record, 0);
        let fixed = numbers[8];
        if atoms <= 0 {
            return Err(bytes.corrupt(&format!("{atoms} atoms")));
        }
        if fixed < 0 || fixed >= atoms {
            return Err(bytes.corrupt(&format!("{fixed} of {atoms} atoms are fixed")));
        }
        let moving = (fixed > 0).then(|| {
            let count = (atoms - fixed) as u64;
            let record = records.read(bytes, 4 * count, "the atoms that move")?;
            let indices: Vec<i32> = (0..count as usize)
                .map(|k| order.i32(record, 4 * k))
                .collect();
            match indices.iter().find(|&&index| index < 1 || index > atoms) {
                Some(index) => Err(bytes.corrupt(&format!("atom {index} of {atoms} moves"))),
                None => Ok(indices.iter().map(|&index| index as u32 - 1).collect()),
            }
        });
        // X-PLOR, version 0, has a time step of 64 bits and neither boxes nor a fourth dimension.
        let charmm = version != 0;
        Ok(Self {
            atoms: atoms as usize,
            moving: moving.transpose()?,
            boxed: charmm && numbers[10] != 0,
            fourth: charmm && numbers[11] == 1,
            version,
            steps: [numbers[1].into(), numbers[2].into()],
            time_step: if charmm { single.into() } else { double },
        })
    }

    /// Bytes of a frame of so many atoms.
    fn frame_size(&self, atoms: usize, records: Records) -> u64 {
        let axes = if self.fourth { 4 } else { 3 };
        let cell = if self.boxed { records.size(48) } else { 0 };
        cell + axes * records.size(4 * atoms as u64)
    }
}

struct Dcd {
    bytes: Bytes,
    records: Records,
    header: Header,
    /// Where the first frame begins.
    first: u64,
    atoms: Arc<Atoms>,
    number: u64,
    /// The positions of the first frame, if atoms are fixed and it has been read.
    resting: Option<[Vec<f64>; 3]>,
}

impl Dcd {
    /// Bytes of the first frame and of those that follow.
    fn sizes(&self) -> [u64; 2] {
        let moving = self
            .header
            .moving
            .as_ref()
            .map_or(self.header.atoms, Vec::len);
        [self.header.atoms, moving].map(|atoms| self.header.frame_size(atoms, self.records))
    }

    /// Frames that the file holds whole.
    fn whole(&self) -> u64 {
        let [first, other] = self.sizes();
        let bytes = self.bytes.length() - self.first;
        bytes.checked_sub(first).map_or(0, |rest| 1 + rest / other)
    }

    fn cell(&mut self) -> Result<Option<Cell>> {
        if !self.header.boxed {
            return Ok(None);
        }
        let order = self.records.order();
        let record = self.records.read(&mut self.bytes, 48, "its box")?;
        let stated = std::array::from_fn(|k| order.f64(record, 8 * k));
        let cell = cell::read(stated, self.header.version);
        cell.map_err(|wrong| self.bytes.corrupt(&format!("no box: {wrong}")))
    }

    /// x, y and z of those that are in the frame.
    fn stored(&mut self, atoms: usize) -> Result<[Vec<f64>; 3]> {
        let mut positions = [(); 3].map(|()| Vec::new());
        let size = 4 * atoms as u64;
        for (axis, what) in positions.iter_mut().zip(["x", "y", "z"]) {
            let record = self.records.read(&mut self.bytes, size, what)?;
            *axis = self.records.order().reals(record, 4);
        }
        if self.header.fourth {
            self.records
                .read(&mut self.bytes, size, "the fourth dimension")?;
        }
        Ok(positions)
    }

    fn positions(&mut self) -> Result<[Vec<f64>; 3]> {
        let count = match (&self.header.moving, &self.resting) {
            (Some(moving), Some(_)) => moving.len(),
            _ => self.header.atoms,
        };
        let stored = self.stored(count)?;
        let Some(moving) = &self.header.moving else {
            return Ok(stored);
        };
        let Some(resting) = &self.resting else {
            self.resting = Some(stored.clone());
            return Ok(stored);
        };
        let mut positions = resting.clone();
        for (axis, stored) in positions.iter_mut().zip(&stored) {
            for (&index, &value) in moving.iter().zip(stored) {
                axis[index as usize] = value;
            }
        }
        Ok(positions)
    }
}

impl Trajectory for Dcd {
    fn format(&self) -> TrajectoryFormat {
        TrajectoryFormat::Dcd
    }

    fn path(&self) -> &Path {
        self.bytes.path()
    }

    fn unit(&self) -> Option<&str> {
        Some("Angstrom")
    }

    fn states_unit(&self) -> bool {
        // LAMMPS writes the units of its run.
        false
    }

    fn frames(&self) -> Option<u64> {
        Some(self.whole())
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        self.bytes.frame = Some(self.number);
        if self.bytes.left() == 0 {
            return Ok(None);
        }
        let [first, other] = self.sizes();
        self.bytes
            .holds(if self.number == 0 { first } else { other }, "the frame")?;
        let cell = self.cell()?;
        let positions = self.positions()?;
        let [start, each] = self.header.steps;
        let step = (self.number as i64).checked_mul(each);
        let step = step.and_then(|steps| steps.checked_add(start));
        let frame = Frame {
            number: self.number,
            step,
            time: step.map(|step| step as f64 * self.header.time_step),
            cell,
            positions,
            atoms: Arc::clone(&self.atoms),
        };
        self.number += 1;
        Ok(Some(frame))
    }

    fn skip(&mut self, frames: u64) -> Result<u64> {
        let mut passed = 0;
        // The first frame is needed where atoms are fixed.
        if frames > 0 && self.header.moving.is_some() && self.resting.is_none() {
            if self.next_frame()?.is_none() {
                return Ok(0);
            }
            passed = 1;
        }
        let hop = (frames - passed).min(self.whole().saturating_sub(self.number));
        if hop > 0 {
            let [first, other] = self.sizes();
            let place = self.first + first + (self.number + hop - 1) * other;
            self.bytes.go_to(place, "the frame")?;
            self.number += hop;
            passed += hop;
        }
        while passed < frames && self.next_frame()?.is_some() {
            passed += 1;
        }
        Ok(passed)
    }
}
