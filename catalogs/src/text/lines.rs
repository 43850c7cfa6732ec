//! Lines of a text file and the fields of a line.
//!
//! Entry: [`Lines`], [`Delimiter::split`]. Quoted fields end on the line they begin on.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// A line longer than this is taken for a file that is no text table.
const LONGEST_LINE: u64 = 64 << 20;

/// What stands between the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// Any run of blanks and tabs.
    Blanks,
    /// One character; blanks around fields do not count.
    Character(char),
}

impl Delimiter {
    /// Appends the fields of `line`; quotes are taken off, and two quotes inside stand for one.
    pub(super) fn split<'l>(self, line: &'l str, fields: &mut Vec<Cow<'l, str>>) {
        match self {
            Self::Blanks if !line.contains('"') => {
                fields.extend(line.split_ascii_whitespace().map(Cow::Borrowed));
            }
            Self::Blanks => split_quoted(line.trim(), ' ', true, fields),
            Self::Character(mark) if !line.contains('"') => {
                fields.extend(line.split(mark).map(|field| Cow::Borrowed(field.trim())));
            }
            Self::Character(mark) => split_quoted(line, mark, false, fields),
        }
    }
}

fn split_quoted<'l>(line: &'l str, mark: char, blanks: bool, fields: &mut Vec<Cow<'l, str>>) {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() && c != mark);
        if blanks {
            rest = rest.trim_start();
        }
        let after = if let Some(quoted) = rest.strip_prefix('"') {
            let (field, after) = unquote(quoted);
            fields.push(field);
            after.trim_start_matches(|c: char| c.is_ascii_whitespace() && c != mark)
        } else {
            let end = rest
                .find(|c: char| c == mark || (blanks && c.is_ascii_whitespace()))
                .unwrap_or(rest.len());
            fields.push(Cow::Borrowed(rest[..end].trim()));
            &rest[end..]
        };
        let mut chars = after.chars();
        match chars.next() {
            None => return,
            Some(c) if c == mark || blanks => {
                rest = if c == mark || c.is_ascii_whitespace() {
                    chars.as_str()
                } else {
                    after
                }
            }
            // Text behind a closing quote starts a field of its own, so the count of fields will not match.
            Some(_) => rest = after,
        }
        if blanks && rest.trim_start().is_empty() {
            return;
        }
    }
}

/// A field up to its closing quote, and what follows.
fn unquote(quoted: &str) -> (Cow<'_, str>, &str) {
    let Some(end) = quoted.find('"') else {
        return (Cow::Borrowed(quoted), "");
    };
    if !quoted[end + 1..].starts_with('"') {
        return (Cow::Borrowed(&quoted[..end]), &quoted[end + 1..]);
    }
    let mut field = String::new();
    let mut rest = quoted;
    while let Some(end) = rest.find('"') {
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return (Cow::Owned(field), rest),
        }
    }
    field.push_str(rest);
    (Cow::Owned(field), "")
}

/// The lines of a file.
pub(super) struct Lines {
    path: PathBuf,
    stream: Box<dyn BufRead>,
    text: String,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path, gzipped: bool, stop: &Stop) -> Result<Self> {
        let file = File::open(path).map_err(|error| CatalogError::io(path, error))?;
        let file = BufReader::with_capacity(1 << 18, Watched::new(file, stop));
        let stream: Box<dyn BufRead> = if gzipped {
            let unpacked = Watched::new(MultiGzDecoder::new(file), stop);
            Box::new(BufReader::with_capacity(1 << 18, unpacked))
        } else {
            Box::new(file)
        };
        Ok(Self {
            path: path.to_owned(),
            stream,
            text: String::new(),
            number: 0,
        })
    }

    /// The next line with its number, without its end; `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, &str)>> {
        Ok(self.advance()?.then(|| (self.number, self.line())))
    }

    /// The next line that is neither blank nor, with `comments`, a `#` comment.
    pub(super) fn next_row(&mut self, comments: bool) -> Result<Option<(u64, &str)>> {
        while self.advance()? {
            let start = self.line().trim_start();
            let skipped = start.is_empty() || (comments && start.starts_with('#'));
            if !skipped {
                return Ok(Some((self.number, self.line())));
            }
        }
        Ok(None)
    }

    fn advance(&mut self) -> Result<bool> {
        self.text.clear();
        self.skip_blank_lines()?;
        self.number += 1;
        let corrupt = |detail: &str| {
            CatalogError::corrupt(&self.path, format!("line {}: {detail}", self.number))
        };
        let count = match (&mut self.stream)
            .take(LONGEST_LINE)
            .read_line(&mut self.text)
        {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(corrupt(&error.to_string()));
            }
            Err(error) => return Err(CatalogError::io(&self.path, error)),
        };
        if count as u64 == LONGEST_LINE {
            return Err(corrupt("longer than 64 MiB"));
        }
        Ok(count > 0)
    }

    /// Passes over line ends and blanks at the start of a line, many at a time: none of them matters to any reader here.
    fn skip_blank_lines(&mut self) -> Result<()> {
        loop {
            let io = |error| CatalogError::io(&self.path, error);
            let bytes = self.stream.fill_buf().map_err(io)?;
            let blank = bytes
                .iter()
                .position(|byte| !b" \r\n".contains(byte))
                .unwrap_or(bytes.len());
            let ends: u64 = bytes[..blank]
                .iter()
                .map(|&byte| u64::from(byte == b'\n'))
                .sum();
            let all = blank == bytes.len();
            self.stream.consume(blank);
            self.number += ends;
            if blank == 0 || !all {
                return Ok(());
            }
        }
    }

    /// The line at hand without its end and, if it is the first, without a byte order mark.
    fn line(&self) -> &str {
        let line = self.text.trim_end_matches(['\n', '\r']);
        if self.number == 1 {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        } else {
            line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(delimiter: Delimiter, line: &str) -> Vec<String> {
        super::super::split_owned(delimiter, line)
    }

    #[test]
    fn blanks_and_characters() {
        assert_eq!(split(Delimiter::Blanks, "  1 \t 2  "), ["1", "2"]);
        assert_eq!(
            split(Delimiter::Character(','), "1, 2 ,,3"),
            ["1", "2", "", "3"]
        );
        assert_eq!(
            split(Delimiter::Character('\t'), "a b\t\tc"),
            ["a b", "", "c"]
        );
    }

    #[test]
    fn quotes() {
        let comma = Delimiter::Character(',');
        assert_eq!(
            split(comma, "\"a,b\",\"\",\"say \"\"hi\"\"\""),
            ["a,b", "", "say \"hi\""]
        );
        assert_eq!(split(comma, "1,\"x\","), ["1", "x", ""]);
        assert_eq!(
            split(Delimiter::Blanks, "\"a b\" 1   \"\" c "),
            ["a b", "1", "", "c"]
        );
        assert_eq!(split(comma, "\"open, 1"), ["open, 1"]);
        assert_eq!(split(comma, "\"a\"b,1"), ["a", "b", "1"]);
        assert_eq!(
            split(Delimiter::Character('\t'), "\"a\"\t\"b\tc\""),
            ["a", "b\tc"]
        );
    }
}
