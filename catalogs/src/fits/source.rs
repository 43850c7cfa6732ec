//! The bytes of a FITS file from front to back, decompressed.
//!
//! Entry: [`Source::open`], [`Spans`] for bytes out of order. Knows no headers and no tables.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// Memory is reserved in steps of this size where only the file says how much is needed.
const STEP: u64 = 16 << 20;

/// Where a file is, and how its bytes are to be read.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) gzipped: bool,
    pub(super) stop: Stop,
}

/// The bytes of the file, decompressed, with the position in them.
pub(super) struct Source {
    stream: Stream,
    pub(super) position: u64,
    /// Bytes in all; unknown if compressed.
    pub(super) length: Option<u64>,
}

enum Stream {
    Plain(Watched<BufReader<File>>),
    Gzip(Box<Watched<MultiGzDecoder<BufReader<Watched<File>>>>>),
}

impl Source {
    pub(super) fn open(place: &Place) -> Result<Self> {
        const BUFFER: usize = 1 << 16;
        let io = |error| CatalogError::io(&place.path, error);
        let file = File::open(&place.path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        Ok(if place.gzipped {
            let file = BufReader::with_capacity(BUFFER, Watched::new(file, &place.stop));
            let stream = Watched::new(MultiGzDecoder::new(file), &place.stop);
            Self {
                stream: Stream::Gzip(Box::new(stream)),
                position: 0,
                length: None,
            }
        } else {
            let file = BufReader::with_capacity(BUFFER, file);
            Self {
                stream: Stream::Plain(Watched::new(file, &place.stop)),
                position: 0,
                length: Some(length),
            }
        })
    }

    /// Moves on; false if the file ends before.
    pub(super) fn skip(&mut self, bytes: u64) -> std::io::Result<bool> {
        if let (Stream::Plain(file), Some(length)) = (&mut self.stream, self.length) {
            let inside = self.position.saturating_add(bytes) <= length;
            if let (true, Ok(offset)) = (inside, i64::try_from(bytes)) {
                file.seek(SeekFrom::Current(offset))?;
                self.position += bytes;
            }
            return Ok(inside);
        }
        Ok(std::io::copy(&mut self.take(bytes), &mut std::io::sink())? == bytes)
    }

    /// Appends up to `wanted` bytes to `bytes`; fewer if the file ends. Takes no more memory than the file fills.
    pub(super) fn append(&mut self, wanted: u64, bytes: &mut Vec<u8>) -> std::io::Result<()> {
        let mut left = wanted;
        while left > 0 {
            let step = left.min(STEP);
            bytes
                .try_reserve(step as usize)
                .map_err(|_| std::io::ErrorKind::OutOfMemory)?;
            let read = (&mut *self).take(step).read_to_end(bytes)? as u64;
            if read < step {
                return Ok(());
            }
            left -= step;
        }
        Ok(())
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = match &mut self.stream {
            Stream::Plain(file) => file.read(buffer)?,
            Stream::Gzip(decoder) => decoder.read(buffer)?,
        };
        self.position += count as u64;
        Ok(count)
    }
}

/// Spans of a file in any order; those in file order cost one pass.
pub(super) struct Spans<'a> {
    place: &'a Place,
    source: Option<Source>,
}

impl<'a> Spans<'a> {
    pub(super) fn new(place: &'a Place) -> Self {
        Self {
            place,
            source: None,
        }
    }

    pub(super) fn path(&self) -> &'a Path {
        &self.place.path
    }

    /// The bytes `start..start + count`.
    pub(super) fn read(&mut self, start: u64, count: u64) -> Result<Vec<u8>> {
        let io = |error| CatalogError::io(&self.place.path, error);
        let behind = |source: &Source| source.position > start;
        if self.source.as_ref().is_none_or(behind) {
            self.source = Some(Source::open(self.place)?);
        }
        let mut bytes = Vec::new();
        if let Some(source) = &mut self.source {
            source.skip(start - source.position).map_err(io)?;
            source.append(count, &mut bytes).map_err(io)?;
        }
        if bytes.len() as u64 != count {
            let detail = format!("{count} bytes expected at {start}, found {}", bytes.len());
            return Err(CatalogError::corrupt(&self.place.path, detail));
        }
        Ok(bytes)
    }
}
