//! GSD: what HOOMD-blue writes, of any number of particles in each frame. The file names no unit of length.
//!
//! Entry: [`open`]. <https://gsd.readthedocs.io/en/stable/schema-hoomd.html>. What a frame does not hold is as in the first frame, if that has as many
//! particles or bonds, and else what the schema says. The middle of the box is the origin. Velocities are read where they are asked for.

mod chunks;

use std::sync::Arc;

use super::bytes::{Bytes, Order};
use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::Head;
use super::numbered::{ByNumber, Numbered};
use super::{Atoms, Attribute, Cell, Frame, Trajectory};
use crate::error::Result;
use chunks::{Chunk, Chunks, MAGIC, Value};

/// Columns of reals: their names in the file and here, and what they are if the file does not say.
const REALS: [(&str, &str, f64); 3] = [
    ("particles/mass", "mass", 1.0),
    ("particles/charge", "charge", 0.0),
    ("particles/diameter", "diameter", 1.0),
];

const POSITIONS: &str = "particles/position";
const VELOCITIES: &str = "particles/velocity";

pub(super) fn matches(head: &Head<'_>) -> bool {
    let magic = |order: Order| order.u64(head.bytes, 0) == MAGIC;
    head.bytes.len() >= 8 && (magic(Order::Little) || magic(Order::Big))
}

pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let bytes = Bytes::open(head, TrajectoryFormat::Gsd)?;
    let mut chunks = Chunks::open(bytes)?;
    let first = if chunks.frames > 0 {
        chunks.of_frame(0)?
    } else {
        Vec::new()
    };
    let mut gsd = Gsd {
        chunks,
        first,
        first_counts: [0; 2],
        velocities: request.velocities,
        last: None,
    };
    for (count, name) in ["particles/N", "bonds/N"].into_iter().enumerate() {
        let stated = find(&gsd.first, name);
        gsd.first_counts[count] = gsd.whole(name, stated, 0)?;
    }
    Ok(ByNumber::open(head, gsd))
}

struct Gsd {
    chunks: Chunks,
    /// The chunks of the first frame.
    first: Vec<(String, Chunk)>,
    /// Its particles and bonds.
    first_counts: [u64; 2],
    /// Whether velocities are kept.
    velocities: bool,
    /// What is known of the particles of the frame read last, and where it stands in the file.
    last: Option<(Vec<u64>, Arc<Atoms>)>,
}

/// The chunks that define a frame: its own, and those of the first frame where these stand for it.
struct Frames<'a> {
    own: &'a [(String, Chunk)],
    first: &'a [(String, Chunk)],
    /// Particles and bonds.
    counts: [u64; 2],
    /// Whether there are as many as in the first frame.
    same: [bool; 2],
}

fn find(chunks: &[(String, Chunk)], name: &str) -> Option<Chunk> {
    chunks
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, chunk)| *chunk)
}

impl Frames<'_> {
    fn find(&self, name: &str) -> Option<Chunk> {
        let inherits = match name.split('/').next() {
            Some("particles") => self.same[0],
            Some("bonds") => self.same[1],
            _ => true,
        };
        // Names of types are not one a particle.
        let inherits = inherits || name == "particles/types";
        let first = find(self.first, name).filter(|_| inherits);
        find(self.own, name).or(first)
    }
}

impl Gsd {
    /// The whole number that a chunk holds.
    fn whole(&mut self, name: &str, chunk: Option<Chunk>, default: i64) -> Result<u64> {
        let value = match chunk {
            Some(chunk) if chunk.rows == 1 && chunk.width == 1 => {
                let value = self.chunks.read(name, chunk)?;
                value.first().and_then(|value| value.integer())
            }
            Some(_) => None,
            None => Some(default),
        };
        let count = value.and_then(|value| u64::try_from(value).ok());
        count.ok_or_else(|| {
            self.chunks
                .bytes
                .corrupt(&format!("`{name}` is no whole number"))
        })
    }

    /// The values of a chunk of `count` rows of `width`; none if the file has none.
    fn values(
        &mut self,
        name: &str,
        frames: &Frames<'_>,
        [count, width]: [u64; 2],
    ) -> Result<Option<Vec<Value>>> {
        let Some(chunk) = frames.find(name) else {
            return Ok(None);
        };
        if [chunk.rows, chunk.width] != [count, width] {
            let wrong = format!(
                "`{name}` has {} rows of {}, expected {count} of {width}",
                chunk.rows, chunk.width
            );
            return Err(self.chunks.bytes.corrupt(&wrong));
        }
        self.chunks.read(name, chunk).map(Some)
    }

    fn cell(&mut self, frames: &Frames<'_>) -> Result<Option<Cell>> {
        let stated = self.values("configuration/box", frames, [6, 1])?;
        let stated = stated.map(|values| values.iter().map(|value| value.real()).collect());
        let stated: Vec<f64> = stated.unwrap_or_else(|| vec![1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let &[lx, ly, mut lz, xy, xz, yz] = stated.as_slice() else {
            return Err(self.chunks.bytes.corrupt("its box has not six numbers"));
        };
        if [lx, ly, lz] == [0.0; 3] {
            return Ok(None);
        }
        let dimensions = frames.find("configuration/dimensions");
        let flat = self.whole("configuration/dimensions", dimensions, 3)? == 2 || lz == 0.0;
        // Two dimensions have a box without height.
        if lz == 0.0 {
            lz = 1.0;
        }
        let vectors = [[lx, 0.0, 0.0], [xy * ly, ly, 0.0], [xz * lz, yz * lz, lz]];
        let Some(cell) = self.chunks.bytes.cell(vectors)? else {
            return Ok(None);
        };
        let half = |axis: usize| -0.5 * (vectors[0][axis] + vectors[1][axis] + vectors[2][axis]);
        let cell = cell.at([half(0), half(1), half(2)]);
        Ok(Some(cell.periodic_along([true, true, !flat])))
    }

    fn positions(&mut self, frames: &Frames<'_>) -> Result<[Vec<f64>; 3]> {
        let count = frames.counts[0];
        if let Some(positions) = self.vectors(POSITIONS, frames)? {
            return Ok(positions);
        }
        if count > self.chunks.bytes.length() {
            let wrong = format!("{count} particles without positions");
            return Err(self.chunks.bytes.corrupt(&wrong));
        }
        Ok([0, 1, 2].map(|_| vec![0.0; count as usize]))
    }

    /// The velocities of a frame; none where the file does not tell them.
    fn velocities(&mut self, frames: &Frames<'_>) -> Result<Option<[Vec<f64>; 3]>> {
        if !self.velocities || !self.chunks.has_name(VELOCITIES) {
            return Ok(None);
        }
        let first = find(frames.first, VELOCITIES).is_some();
        if first && find(frames.own, VELOCITIES).is_none() && find(frames.own, POSITIONS).is_some()
        {
            // HOOMD-blue writes velocities of the first frame alone unless momenta are asked for: they are not those of particles that have moved since.
            return Ok(None);
        }
        let count = frames.counts[0] as usize;
        let stated = self.vectors(VELOCITIES, frames)?;
        Ok(Some(
            stated.unwrap_or_else(|| [(); 3].map(|()| vec![0.0; count])),
        ))
    }

    /// The components of vectors of each particle.
    fn vectors(&mut self, name: &str, frames: &Frames<'_>) -> Result<Option<[Vec<f64>; 3]>> {
        let values = self.values(name, frames, [frames.counts[0], 3])?;
        Ok(values.map(|values| {
            let axis = |k: usize| {
                let axis = values.iter().skip(k).step_by(3);
                axis.map(|value| value.real()).collect()
            };
            [axis(0), axis(1), axis(2)]
        }))
    }

    /// What is known of the particles, shared with the frame before if nothing has changed.
    fn atoms(&mut self, frames: &Frames<'_>) -> Result<Arc<Atoms>> {
        let more = [
            "particles/types",
            "particles/typeid",
            "particles/body",
            "bonds/group",
        ];
        let names = REALS.iter().map(|(name, ..)| *name).chain(more);
        let place = |name: &str| frames.find(name).map_or(0, |chunk| chunk.place);
        let places = names.map(place).chain(frames.counts).collect();
        match &self.last {
            Some((known, atoms)) if *known == places => return Ok(Arc::clone(atoms)),
            _ => {}
        }
        let count = frames.counts[0];
        let mut atoms = Atoms::new(count as usize).with("type", self.types(frames)?);
        for (name, column, default) in REALS {
            let values = self.values(name, frames, [count, 1])?;
            // Where the first frame tells it, every frame does.
            let values = match values {
                Some(values) => values.iter().map(|value| value.real()).collect(),
                None if find(frames.first, name).is_some() => vec![default; count as usize],
                None => continue,
            };
            atoms = atoms.with(column, Attribute::Numbers(values));
        }
        let bodies = self.values("particles/body", frames, [count, 1])?;
        let bodies = bodies.map(|values| values.into_iter().filter_map(Value::integer).collect());
        let first = find(frames.first, "particles/body");
        let bodies: Option<Vec<i64>> = bodies.or(first.map(|_| vec![-1; count as usize]));
        if let Some(bodies) = bodies.filter(|bodies| bodies.len() as u64 == count) {
            atoms = atoms.with("body", Attribute::Integers(bodies));
        }
        let atoms = atoms.bonded(self.bonds(frames)?);
        let atoms = match &self.last {
            Some((_, before)) if **before == atoms => Arc::clone(before),
            _ => Arc::new(atoms),
        };
        self.last = Some((places, Arc::clone(&atoms)));
        Ok(atoms)
    }

    fn types(&mut self, frames: &Frames<'_>) -> Result<Attribute> {
        let texts = match frames.find("particles/types") {
            Some(chunk) if chunk.width > 0 => {
                let values = self.chunks.read("particles/types", chunk)?;
                let letters = |value: &Value| value.integer().map_or(b'?', |letter| letter as u8);
                let letters: Vec<u8> = values.iter().map(letters).collect();
                letters
                    .chunks(chunk.width as usize)
                    .map(chunks::text)
                    .collect()
            }
            _ => vec!["A".to_owned()],
        };
        let count = frames.counts[0];
        let ids = self.values("particles/typeid", frames, [count, 1])?;
        let ids = ids.unwrap_or_else(|| vec![Value::Integer(0); count as usize]);
        let code = |id: &Value| {
            let id = id.integer().and_then(|id| usize::try_from(id).ok());
            id.filter(|&id| id < texts.len()).map(|id| id as u32)
        };
        let codes: Option<Vec<u32>> = ids.iter().map(code).collect();
        if let Some(codes) = codes {
            return Ok(Attribute::Texts { texts, codes });
        }
        let wrong = format!("a type of a particle is none of the {} named", texts.len());
        Err(self.chunks.bytes.corrupt(&wrong))
    }

    fn bonds(&mut self, frames: &Frames<'_>) -> Result<Vec<[u32; 2]>> {
        let [particles, bonds] = frames.counts;
        let Some(values) = self.values("bonds/group", frames, [bonds, 2])? else {
            return Ok(Vec::new());
        };
        let index = |value: Value| {
            let index = value.integer().and_then(|index| u64::try_from(index).ok());
            index
                .filter(|&index| index < particles)
                .map(|index| index as u32)
        };
        let pair = |pair: &[Value]| Some([index(pair[0])?, index(pair[1])?]);
        let pairs: Option<Vec<[u32; 2]>> = values.chunks_exact(2).map(pair).collect();
        pairs.ok_or_else(|| {
            let wrong = format!("a bond is of a particle beyond the {particles}");
            self.chunks.bytes.corrupt(&wrong)
        })
    }

    fn frame_of(
        &mut self,
        number: u64,
        own: &[(String, Chunk)],
        first: &[(String, Chunk)],
    ) -> Result<Frame> {
        let stated = |name: &str| find(own, name).or_else(|| find(first, name));
        let counts = [
            self.whole("particles/N", stated("particles/N"), 0)?,
            self.whole("bonds/N", stated("bonds/N"), 0)?,
        ];
        let same = [0, 1].map(|k| counts[k] == self.first_counts[k]);
        let frames = Frames {
            own,
            first,
            counts,
            same,
        };
        let step = self.whole("configuration/step", stated("configuration/step"), 0)?;
        let cell = self.cell(&frames)?;
        let positions = self.positions(&frames)?;
        let mut atoms = self.atoms(&frames)?;
        if let Some(velocities) = self.velocities(&frames)? {
            let moving = Atoms::clone(&atoms).with_vectors(["vx", "vy", "vz"], velocities);
            atoms = Arc::new(moving);
        }
        Ok(Frame {
            number,
            step: i64::try_from(step).ok(),
            time: None,
            cell,
            positions,
            atoms,
        })
    }
}

impl Numbered for Gsd {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::Gsd;

    fn unit(&self) -> Option<&str> {
        None
    }

    fn frames(&self) -> u64 {
        self.chunks.frames
    }

    fn frame(&mut self, number: u64) -> Result<Frame> {
        let own = self.chunks.of_frame(number)?;
        // Lent for as long as the frame is read.
        let first = std::mem::take(&mut self.first);
        let frame = self.frame_of(number, &own, &first);
        self.first = first;
        frame
    }
}
