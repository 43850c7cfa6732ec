//! Lines of a text file one at a time, and the fields and numbers of a line, without an allocation per field.
//!
//! Entry: [`Lines`], [`fields`], [`real`], [`whole`]. Every error names the frame and the line.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::head::{Head, unpacked};
use crate::error::{CatalogError, Result};
use crate::stop::Stop;

/// No line of a trajectory is longer.
const LONGEST: u64 = 16 << 20;
/// Bytes of a line that a message shows.
const SHOWN: usize = 40;

/// The lines of a file, plain or gzipped.
pub(super) struct Lines {
    path: PathBuf,
    stream: Box<dyn BufRead + Send>,
    stop: Stop,
    line: Vec<u8>,
    /// The number of the line at hand, from 1.
    number: u64,
    /// Whether the line at hand is to be handed out again.
    held: bool,
    /// The frame that is read, from 0, for messages.
    pub(super) frame: u64,
}

impl Lines {
    pub(super) fn open(head: &Head<'_>) -> Result<Self> {
        Ok(Self {
            path: head.path.to_owned(),
            stream: unpacked(head.path, head.gzipped, &head.stop)?,
            stop: head.stop.clone(),
            line: Vec::new(),
            number: 0,
            held: false,
            frame: 0,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if reading is to end.
    pub(super) fn check(&self) -> Result<()> {
        self.stop.check(&self.path)
    }

    /// Moves on to the next line; `false` at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.line.clear();
        let mut bounded = (&mut self.stream).take(LONGEST);
        let read = bounded.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| CatalogError::io(&self.path, error))?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        if read as u64 == LONGEST {
            return Err(self.refuse("a line of less than 16 MiB", "a longer one"));
        }
        while matches!(self.line.last(), Some(b'\n' | b'\r')) {
            self.line.pop();
        }
        Ok(true)
    }

    /// Moves on to the next line, which has to be there: `expected` says what it holds.
    pub(super) fn need(&mut self, expected: &str) -> Result<()> {
        if self.advance()? {
            return Ok(());
        }
        Err(self.cut(expected))
    }

    /// Moves on to the next line that is not blank; `false` at the end of the file.
    pub(super) fn advance_over_blanks(&mut self) -> Result<bool> {
        while self.advance()? {
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Passes over lines without a look.
    pub(super) fn pass(&mut self, lines: u64, expected: &str) -> Result<()> {
        (0..lines).try_for_each(|_| self.need(expected))
    }

    /// Has [`Lines::advance`] hand out the line at hand again.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The line at hand, without its end.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The error of a file that ends where `expected` should be.
    pub(super) fn cut(&self, expected: &str) -> CatalogError {
        let (frame, line) = (self.frame, self.number);
        let detail =
            format!("the file ends in frame {frame}, behind line {line}: expected {expected}");
        CatalogError::corrupt(&self.path, detail)
    }

    /// The error of a line that holds something else than `expected`.
    pub(super) fn refuse(&self, expected: &str, found: &str) -> CatalogError {
        let (frame, line) = (self.frame, self.number);
        let detail = format!("frame {frame}, line {line}: expected {expected}, found {found}");
        CatalogError::corrupt(&self.path, detail)
    }

    /// The error of these bytes in place of what is `expected`.
    pub(super) fn refuse_bytes(&self, expected: &str, found: &[u8]) -> CatalogError {
        self.refuse(expected, &shown(found))
    }

    /// The error of the whole line at hand.
    pub(super) fn refuse_line(&self, expected: &str) -> CatalogError {
        self.refuse_bytes(expected, &self.line)
    }

    /// A real number.
    pub(super) fn real(&self, field: &[u8], what: &str) -> Result<f64> {
        real(field).ok_or_else(|| self.refuse_bytes(&format!("{what}, a number"), field))
    }

    /// The line at hand as one whole number, a count of atoms.
    pub(super) fn count(&self) -> Result<u64> {
        let count = whole(self.line.trim_ascii()).and_then(|count| u64::try_from(count).ok());
        // Indices of atoms are u32.
        let count = count.filter(|&count| u32::try_from(count).is_ok());
        count.ok_or_else(|| self.refuse_line("a number of atoms"))
    }

    /// The line at hand as `N` numbers.
    pub(super) fn reals<const N: usize>(&self, what: &str) -> Result<[f64; N]> {
        let mut values = [0.0; N];
        let mut found = fields(&self.line);
        let refuse = || self.refuse_line(&format!("{what}: {N} numbers"));
        for value in &mut values {
            *value = self.real(found.next().ok_or_else(refuse)?, what)?;
        }
        match found.next() {
            None => Ok(values),
            Some(_) => Err(refuse()),
        }
    }
}

/// The fields of a line between blanks.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty())
}

/// A decimal as the nearest float64; `None` for what is none, and for digits beyond the largest.
pub(super) fn real(field: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    let overflown = value.is_infinite() && field.iter().any(u8::is_ascii_digit);
    (!overflown).then_some(value)
}

/// A whole number.
pub(super) fn whole(field: &[u8]) -> Option<i64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Bytes as text.
pub(super) fn text(field: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(field)
}

/// Bytes for a message.
pub(super) fn shown(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let start = bytes[..bytes.len().min(SHOWN)].escape_ascii();
    let more = if bytes.len() > SHOWN { "..." } else { "" };
    format!("`{start}{more}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_nearest() {
        assert_eq!(real(b"-1.5e-3"), Some(-1.5e-3));
        assert_eq!(real(b"+.5"), Some(0.5));
        assert_eq!(real(b"1e999"), None);
        assert_eq!(real(b"inf"), Some(f64::INFINITY));
        assert_eq!(real(b"1.0x"), None);
        assert_eq!(whole(b"12"), Some(12));
        assert_eq!(whole(b"12.0"), None);
    }

    #[test]
    fn messages_are_short_and_printable() {
        assert_eq!(shown(b"  \t"), "nothing");
        assert_eq!(shown(b"a\xffb"), "`a\\xffb`");
        assert!(shown(&[b'x'; 100]).len() < 50);
    }
}
