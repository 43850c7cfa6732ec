//! The bytes of a binary trajectory: nothing is reserved for what the file does not hold, and every failure names its frame.
//!
//! Entry: [`Bytes`], [`Order`].

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::cell::Cell;
use super::format::TrajectoryFormat;
use super::head::Head;
use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// Bytes read at once where a file is read through.
const AHEAD: usize = 1 << 18;
/// Bytes read at once where it is hopped over.
const HOP: usize = 1 << 7;

/// In which order the bytes of a number stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let bytes = std::array::from_fn(|k| bytes[at + k]);
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(super) fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let bytes = std::array::from_fn(|k| bytes[at + k]);
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }

    pub(super) fn i32(self, bytes: &[u8], at: usize) -> i32 {
        self.u32(bytes, at) as i32
    }

    pub(super) fn f32(self, bytes: &[u8], at: usize) -> f32 {
        f32::from_bits(self.u32(bytes, at))
    }

    pub(super) fn f64(self, bytes: &[u8], at: usize) -> f64 {
        f64::from_bits(self.u64(bytes, at))
    }

    /// A float32 or a float64, widened.
    pub(super) fn real(self, bytes: &[u8], at: usize, width: usize) -> f64 {
        if width == 8 {
            self.f64(bytes, at)
        } else {
            self.f32(bytes, at).into()
        }
    }

    /// Float32 or float64, widened.
    pub(super) fn reals(self, bytes: &[u8], width: usize) -> Vec<f64> {
        let starts = (0..bytes.len() / width).map(|k| k * width);
        starts.map(|at| self.real(bytes, at, width)).collect()
    }

    /// Records of x, y and z of float32 or float64, widened and parted.
    pub(super) fn points(self, bytes: &[u8], width: usize) -> [Vec<f64>; 3] {
        [0, 1, 2].map(|axis| {
            let starts = (0..bytes.len() / (3 * width)).map(|k| (3 * k + axis) * width);
            starts.map(|at| self.real(bytes, at, width)).collect()
        })
    }
}

/// A file read forward, with a place for the bytes at hand.
pub(super) struct Bytes {
    path: PathBuf,
    source: BufReader<Watched<File>>,
    stop: Stop,
    length: u64,
    at: u64,
    buffer: Vec<u8>,
    /// The frame that is being read, for messages.
    pub(super) frame: Option<u64>,
}

impl Bytes {
    /// The bytes of a file of this format from its start.
    ///
    /// # Errors
    /// The system's; a packed file.
    pub(super) fn open(head: &Head<'_>, format: TrajectoryFormat) -> Result<Self> {
        if head.gzipped {
            return Err(CatalogError::unsupported(
                head.path,
                format!("a gzipped {format} file"),
                "unpack it with gunzip",
            ));
        }
        Self::of(head.path, AHEAD, head.stop.clone())
    }

    /// The bytes of the same file from its start, to be hopped over.
    pub(super) fn hopping(&self) -> Result<Self> {
        Self::of(&self.path, HOP, self.stop.clone())
    }

    fn of(path: &Path, ahead: usize, stop: Stop) -> Result<Self> {
        let io = |error| CatalogError::io(path, error);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        // A pipe has no length and cannot be gone back in.
        if !metadata.is_file() {
            return Err(CatalogError::unsupported(
                path,
                "a binary trajectory that is no regular file",
                "save it to a file first",
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            length: metadata.len(),
            source: BufReader::with_capacity(ahead, Watched::new(file, &stop)),
            stop,
            at: 0,
            buffer: Vec::new(),
            frame: None,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the whole file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The place at hand, in bytes from the start.
    pub(super) fn place(&self) -> u64 {
        self.at
    }

    /// Bytes behind the place at hand.
    pub(super) fn left(&self) -> u64 {
        self.length - self.at
    }

    /// The next `count` bytes, which hold `what`.
    ///
    /// # Errors
    /// The file ends before them.
    pub(super) fn take(&mut self, count: u64, what: &str) -> Result<&[u8]> {
        self.holds(count, what)?;
        self.buffer.resize(count as usize, 0);
        let read = self.source.read_exact(&mut self.buffer);
        read.map_err(|error| CatalogError::io(&self.path, error))?;
        self.at += count;
        Ok(&self.buffer)
    }

    /// The bytes last taken.
    pub(super) fn taken(&self) -> &[u8] {
        &self.buffer
    }

    /// Passes over the next `count` bytes, which hold `what`.
    ///
    /// # Errors
    /// The file ends before them.
    pub(super) fn pass(&mut self, count: u64, what: &str) -> Result<()> {
        self.holds(count, what)?;
        let passed = self.source.seek_relative(count as i64);
        passed.map_err(|error| CatalogError::io(&self.path, error))?;
        self.at += count;
        Ok(())
    }

    /// Goes to a place in the file.
    ///
    /// # Errors
    /// It is behind the end.
    pub(super) fn go_to(&mut self, place: u64, what: &str) -> Result<()> {
        if place > self.length {
            let length = self.length;
            let beyond = format!("{what} would be at byte {place}, the file has {length}");
            return Err(self.corrupt(&beyond));
        }
        if place == self.at {
            return Ok(());
        }
        let gone = self.source.seek(SeekFrom::Start(place));
        gone.map_err(|error| CatalogError::io(&self.path, error))?;
        self.at = place;
        Ok(())
    }

    /// That the file has `count` more bytes, which hold `what`.
    pub(super) fn holds(&self, count: u64, what: &str) -> Result<()> {
        let left = self.left();
        if count > left {
            return Err(self.corrupt(&format!(
                "expected {count} bytes of {what}, but the file ends after {left}"
            )));
        }
        Ok(())
    }

    /// What is wrong with the frame at hand.
    pub(super) fn corrupt(&self, detail: &str) -> CatalogError {
        let place = self
            .frame
            .map_or("header".to_owned(), |frame| format!("frame {frame}"));
        CatalogError::corrupt(&self.path, format!("{place}: {detail}"))
    }

    /// The box of these vectors; none if all are zero.
    ///
    /// # Errors
    /// They span no volume.
    pub(super) fn cell(&self, vectors: [[f64; 3]; 3]) -> Result<Option<Cell>> {
        if vectors.iter().flatten().all(|&length| length == 0.0) {
            return Ok(None);
        }
        self.checked(Cell::new(vectors)).map(Some)
    }

    /// A box, or what is wrong with it and in which frame.
    pub(super) fn checked(&self, cell: Result<Cell, String>) -> Result<Cell> {
        cell.map_err(|wrong| self.corrupt(&format!("no box: {wrong}")))
    }

    /// The number of atoms, which must be the same in all frames.
    pub(super) fn same_atoms(&self, atoms: u64, before: Option<usize>) -> Result<()> {
        match before {
            Some(before) if before as u64 != atoms => Err(self.corrupt(&format!(
                "{atoms} atoms, but {before} in the frames before: this format has one number of them"
            ))),
            _ => Ok(()),
        }
    }
}
