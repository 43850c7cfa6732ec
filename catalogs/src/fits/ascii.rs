//! Columns of FITS ASCII tables: fields of characters at fixed places in each row.
//!
//! Entry: [`columns`], [`AsciiColumn::decode`]. FITS Standard 4.0, section 7.2. Numbers are rounded correctly to float64,
//! which cfitsio's own conversion, digit by digit, is not.

use std::path::Path;

use super::header::Header;
use crate::block::{Cells, Numbers, Site, Widening};
use crate::error::{CatalogError, Result};
use crate::reader::{Field, Kind};
use crate::scaling::Scaling;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Integer,
    /// Digits behind the point where none is written.
    Float {
        decimals: usize,
    },
}

/// One column.
#[derive(Debug)]
pub(super) struct AsciiColumn {
    name: String,
    unit: Option<String>,
    kind: Type,
    offset: usize,
    width: usize,
    scaling: Scaling,
    /// The text that stands for a missing value, blanks around it taken off.
    null: Option<String>,
}

/// The columns of a table, in order, all inside its rows.
pub(super) fn columns(
    path: &Path,
    hdu: usize,
    header: &Header,
    row_bytes: u64,
) -> Result<Vec<AsciiColumn>> {
    let count = header.size(path, hdu, "TFIELDS")?.min(999);
    (1..=count)
        .map(|number| AsciiColumn::new(path, hdu, header, number, row_bytes))
        .collect()
}

impl AsciiColumn {
    fn new(path: &Path, hdu: usize, header: &Header, number: u64, row_bytes: u64) -> Result<Self> {
        let key = |stem: &str| format!("{stem}{number}");
        let text = |stem: &str| header.text(&key(stem)).filter(|text| !text.is_empty());
        let tform = text("TFORM").unwrap_or_default();
        let Some((kind, width)) = parse_tform(tform) else {
            let detail = format!("HDU {hdu}: TFORM{number} = `{tform}` is no format of characters");
            return Err(CatalogError::corrupt(path, detail));
        };
        let first = header.size(path, hdu, &key("TBCOL"))?;
        let end = first.saturating_sub(1).saturating_add(width as u64);
        if first == 0 || end > row_bytes {
            let detail = format!(
                "HDU {hdu}: TBCOL{number} = {first} and TFORM{number} = `{tform}` do not fit into rows of {row_bytes} characters"
            );
            return Err(CatalogError::corrupt(path, detail));
        }
        Ok(Self {
            name: text("TTYPE").map_or(format!("col{number}"), str::to_owned),
            unit: text("TUNIT").map(str::to_owned),
            kind,
            offset: first as usize - 1,
            width,
            scaling: Scaling::of(header.number(&key("TSCAL")), header.number(&key("TZERO"))),
            null: header
                .text(&key("TNULL"))
                .map(|text| text.trim().to_owned()),
        })
    }

    pub(super) fn field(&self) -> Field {
        let (kind, dtype) = match self.kind {
            Type::Text => (Kind::Text, "string"),
            Type::Integer => (Kind::Number, "int64"),
            Type::Float { .. } => (Kind::Number, "float64"),
        };
        Field {
            unit: self.unit.clone(),
            ..Field::of(self.name.clone(), dtype, kind)
        }
    }

    /// Decodes the fields of all rows in `bytes`; returns the cells and the number of nulls.
    pub(super) fn decode(
        &self,
        path: &Path,
        widening: Widening,
        bytes: &[u8],
        row_bytes: usize,
        first_row: u64,
    ) -> Result<(Cells, u64)> {
        let fields = bytes
            .chunks_exact(row_bytes)
            .map(|row| String::from_utf8_lossy(&row[self.offset..self.offset + self.width]));
        if self.kind == Type::Text {
            let texts = fields.map(|field| field.trim_end().to_owned());
            return Ok((Cells::Texts(texts.collect()), 0));
        }
        let site = Site::new(path, &self.name, first_row);
        let mut numbers = Numbers::new(site, widening, bytes.len() / row_bytes);
        for (row, field) in fields.enumerate() {
            let field = field.trim();
            // A blank field holds no number, though some readers make one of it.
            if field.is_empty() || self.null.as_deref() == Some(field) {
                numbers.null()?;
                continue;
            }
            if self.push(&mut numbers, field)? {
                continue;
            }
            let detail = format!(
                "column `{}`, row {} (from 0): expected a number, found `{field}`",
                self.name,
                first_row + row as u64
            );
            return Err(CatalogError::corrupt(path, detail));
        }
        Ok(numbers.finish())
    }

    /// Appends the number that a field holds; false if it holds none.
    fn push(&self, numbers: &mut Numbers<'_>, field: &str) -> Result<bool> {
        let decimals = match self.kind {
            Type::Float { decimals } => decimals,
            _ => 0,
        };
        if self.kind == Type::Integer {
            let Ok(value) = field.parse::<i128>() else {
                return Ok(false);
            };
            self.scaling.integer(numbers, value)?;
            return Ok(true);
        }
        match decimal(field, decimals) {
            Some(value) => {
                numbers.float(self.scaling.float(value))?;
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// The float64 nearest to a Fortran number: exponents by E or D, a point `decimals` before the end of digits without one.
fn decimal(field: &str, decimals: usize) -> Option<f64> {
    let text = field.replace(['D', 'd', 'e'], "E");
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let digits = mantissa.trim_start_matches(['+', '-']);
    if digits.is_empty() || digits.chars().any(|c| !c.is_ascii_digit() && c != '.') {
        return None;
    }
    let shift = if mantissa.contains('.') { 0 } else { decimals };
    let exponent = exponent.parse::<i64>().ok()? - shift as i64;
    let value: f64 = format!("{mantissa}E{exponent}").parse().ok()?;
    value.is_finite().then_some(value)
}

/// Type and width of `Aw`, `Iw`, `Fw.d`, `Ew.d`, `Dw.d`.
fn parse_tform(tform: &str) -> Option<(Type, usize)> {
    let mut chars = tform.chars();
    let letter = chars.next()?;
    let (width, decimals) = match chars.as_str().split_once('.') {
        Some((width, decimals)) => (width, decimals.parse().ok()?),
        None => (chars.as_str(), 0),
    };
    let kind = match letter {
        'A' => Type::Text,
        'I' => Type::Integer,
        'F' | 'E' | 'D' => Type::Float { decimals },
        _ => return None,
    };
    let width = if width.is_empty() {
        1
    } else {
        width.parse().ok()?
    };
    Some((kind, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        assert_eq!(parse_tform("A12"), Some((Type::Text, 12)));
        assert_eq!(parse_tform("I6"), Some((Type::Integer, 6)));
        let float = |decimals| Type::Float { decimals };
        assert_eq!(parse_tform("F8.3"), Some((float(3), 8)));
        assert_eq!(parse_tform("D25.17"), Some((float(17), 25)));
        assert_eq!(parse_tform("E"), Some((float(0), 1)));
        for wrong in ["", "12A", "F8.", "Fx", "I-1"] {
            assert_eq!(parse_tform(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_rounded_correctly() {
        for (field, decimals, value) in [
            ("1.5", 3, 1.5),
            ("-15", 1, -1.5),
            ("15D2", 1, 150.0),
            ("1.0E-3", 9, 1e-3),
            ("+.5d+01", 0, 5.0),
            ("0.1000000000000000055511151231257827", 0, 0.1),
            ("9007199254740993.0E22", 0, 9.007_199_254_740_993e37),
        ] {
            assert_eq!(decimal(field, decimals), Some(value), "{field}");
        }
        for wrong in ["inf", "nan", "1E", "--1", "1 2", "1E400", ".", "1.2.3"] {
            assert_eq!(decimal(wrong, 0), None, "{wrong}");
        }
    }
}
