//! A FITS file with one binary table (FITS standard 4.0, section 7.3).

use std::io::Write;

/// Rows of a column.
pub(crate) enum Values<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

pub(crate) struct FitsColumn<'a> {
    pub(crate) name: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) values: Values<'a>,
}

/// FITS files are made of blocks of this many bytes.
const BLOCK: usize = 2880;

/// Header lines of 80 characters, ended and padded with spaces to whole blocks.
#[derive(Default)]
struct Header(Vec<u8>);

impl Header {
    fn line(&mut self, text: &str) {
        self.0.extend(format!("{text:<80}").bytes());
    }

    /// Logical and integer values stand right-justified in column 30.
    fn fixed(&mut self, key: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        self.line(&format!("{key:<8}= {value:>20}"));
    }

    fn text(&mut self, key: &str, value: &str) {
        self.line(&format!("{key:<8}= '{value:<8}'"));
    }

    fn finish(mut self) -> Vec<u8> {
        self.line("END");
        self.0.resize(self.0.len().next_multiple_of(BLOCK), b' ');
        self.0
    }
}

impl FitsColumn<'_> {
    /// Letter of the format and bytes a row.
    fn format(&self) -> (&'static str, usize) {
        match self.values {
            Values::F32(_) => ("E", 4),
            Values::F64(_) => ("D", 8),
        }
    }

    fn push(&self, row: usize, bytes: &mut Vec<u8>) {
        match self.values {
            Values::F32(values) => bytes.extend(values[row].to_be_bytes()),
            Values::F64(values) => bytes.extend(values[row].to_be_bytes()),
        }
    }
}

/// Writes the table called `name` with comments in its header.
pub(crate) fn write(
    sink: &mut impl Write,
    name: &str,
    comments: &[&str],
    rows: usize,
    columns: &[FitsColumn<'_>],
) -> std::io::Result<()> {
    let mut primary = Header::default();
    primary.fixed("SIMPLE", 'T');
    primary.fixed("BITPIX", 8);
    primary.fixed("NAXIS", 0);
    primary.fixed("EXTEND", 'T');
    sink.write_all(&primary.finish())?;

    let width: usize = columns.iter().map(|column| column.format().1).sum();
    let mut table = Header::default();
    table.text("XTENSION", "BINTABLE");
    for (key, value) in [
        ("BITPIX", 8),
        ("NAXIS", 2),
        ("NAXIS1", width),
        ("NAXIS2", rows),
        ("PCOUNT", 0),
        ("GCOUNT", 1),
        ("TFIELDS", columns.len()),
    ] {
        table.fixed(key, value);
    }
    table.text("EXTNAME", name);
    for (k, column) in columns.iter().enumerate() {
        table.text(&format!("TTYPE{}", k + 1), column.name);
        table.text(&format!("TFORM{}", k + 1), column.format().0);
        if !column.unit.is_empty() {
            table.text(&format!("TUNIT{}", k + 1), column.unit);
        }
    }
    for comment in comments {
        table.line(&format!("COMMENT {comment}"));
    }
    sink.write_all(&table.finish())?;

    let mut bytes = Vec::with_capacity((rows * width).next_multiple_of(BLOCK));
    for row in 0..rows {
        for column in columns {
            column.push(row, &mut bytes);
        }
    }
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    sink.write_all(&bytes)
}
