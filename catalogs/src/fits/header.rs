//! FITS headers: 80-character cards of keyword and value.
//!
//! Entry: [`Header::read`]. FITS Standard 4.0, section 4. Does not know what a table is.

use std::io::Read;
use std::path::Path;

use super::RECORD;
use crate::error::{CatalogError, Result};
use crate::value::{Attributes, Value};

const CARD: usize = 80;
/// A header longer than this is taken for a corrupt one.
const LONGEST_HEADER: u64 = 64 << 20;

/// The cards of one header that have a value, in order.
#[derive(Debug, Default)]
pub(crate) struct Header {
    cards: Vec<(String, Value)>,
}

impl Header {
    /// Reads the header of HDU number `hdu`; `None` at the end of the file.
    pub(crate) fn read(path: &Path, hdu: usize, source: &mut impl Read) -> Result<Option<Self>> {
        let mut header = Self::default();
        let mut record = Vec::with_capacity(RECORD as usize);
        for records in 0_u64.. {
            record.clear();
            source
                .take(RECORD)
                .read_to_end(&mut record)
                .map_err(|error| CatalogError::io(path, error))?;
            let starts_hdu =
                record.starts_with(b"XTENSION") || (hdu == 0 && record.starts_with(b"SIMPLE"));
            if records == 0 && hdu > 0 && !starts_hdu {
                // Special records or padding after the last HDU.
                return Ok(None);
            }
            if record.len() < RECORD as usize
                || !(starts_hdu || records > 0)
                || records * RECORD > LONGEST_HEADER
            {
                return Err(CatalogError::corrupt(
                    path,
                    format!("HDU {hdu}: the header does not end with an END card"),
                ));
            }
            for card in record.chunks_exact(CARD) {
                if card.starts_with(b"END ") && card[3..].iter().all(|&byte| byte == b' ') {
                    return Ok(Some(header));
                }
                header.push(card);
            }
        }
        Ok(None)
    }

    fn push(&mut self, card: &[u8]) {
        let text = String::from_utf8_lossy(card);
        let keyword = text.get(..8).unwrap_or_default().trim_end();
        if keyword == "CONTINUE" {
            self.carry_on(text.get(8..).unwrap_or_default());
            return;
        }
        let (keyword, value) = if keyword == "HIERARCH" {
            let Some((name, value)) = text.get(8..).unwrap_or_default().split_once('=') else {
                return;
            };
            (name.trim().to_owned(), value.to_owned())
        } else {
            let Some(value) = text.get(8..).unwrap_or_default().strip_prefix("= ") else {
                return;
            };
            (keyword.to_owned(), value.to_owned())
        };
        if let Some(value) = parse_value(&value) {
            self.cards.push((keyword, value));
        }
    }

    /// A long string goes on in a CONTINUE card if it ended with `&`.
    fn carry_on(&mut self, rest: &str) {
        if let (Some((_, Value::Text(text))), Some(Value::Text(more))) =
            (self.cards.last_mut(), parse_value(rest))
            && text.ends_with('&')
        {
            text.pop();
            text.push_str(&more);
        }
    }

    pub(crate) fn value(&self, keyword: &str) -> Option<&Value> {
        self.cards
            .iter()
            .find(|(name, _)| name == keyword)
            .map(|(_, value)| value)
    }

    pub(crate) fn text(&self, keyword: &str) -> Option<&str> {
        self.value(keyword)
            .and_then(Value::as_text)
            .map(str::trim_end)
    }

    pub(crate) fn number(&self, keyword: &str) -> Option<f64> {
        self.value(keyword).and_then(Value::as_f64)
    }

    pub(crate) fn flag(&self, keyword: &str) -> bool {
        self.value(keyword) == Some(&Value::Bool(true))
    }

    /// A size: an integer that is not negative.
    pub(crate) fn size(&self, path: &Path, hdu: usize, keyword: &str) -> Result<u64> {
        match self.value(keyword) {
            Some(Value::Integer(size)) if *size >= 0 => Ok(size.unsigned_abs()),
            found => {
                let found = match found {
                    None => "none".to_owned(),
                    Some(Value::Text(text)) => format!("`{text}`"),
                    Some(value) => value
                        .as_f64()
                        .map_or_else(|| "no number".to_owned(), |number| number.to_string()),
                };
                let detail =
                    format!("HDU {hdu}: {keyword} should be an integer not below 0, found {found}");
                Err(CatalogError::corrupt(path, detail))
            }
        }
    }

    /// Bytes of the data that follow this header, without padding: FITS Standard 4.0, equation 2.
    pub(crate) fn data_bytes(&self, path: &Path, hdu: usize) -> Result<u64> {
        let axes = self.size(path, hdu, "NAXIS")?;
        if axes == 0 {
            return Ok(0);
        }
        let random_groups = self.flag("GROUPS") && self.size(path, hdu, "NAXIS1")? == 0;
        let mut elements: u64 = 1;
        for axis in 1..=axes.min(999) {
            let length = self.size(path, hdu, &format!("NAXIS{axis}"))?;
            if !(random_groups && axis == 1) {
                elements = elements.saturating_mul(length);
            }
        }
        let optional = |keyword, default| match self.value(keyword) {
            Some(_) => self.size(path, hdu, keyword),
            None => Ok(default),
        };
        let elements = elements
            .saturating_add(optional("PCOUNT", 0)?)
            .saturating_mul(optional("GCOUNT", 1)?);
        let bits = self
            .value("BITPIX")
            .and_then(Value::as_f64)
            .unwrap_or(0.0)
            .abs();
        if ![8.0, 16.0, 32.0, 64.0].contains(&bits) {
            return Err(CatalogError::corrupt(
                path,
                format!("HDU {hdu}: BITPIX should be 8, 16, 32, 64, -32 or -64"),
            ));
        }
        Ok(elements.saturating_mul(bits as u64 / 8))
    }

    /// All cards but those that describe the layout.
    pub(crate) fn attributes(&self) -> Attributes {
        self.cards
            .iter()
            .filter(|(keyword, _)| !structural(keyword))
            .cloned()
            .collect()
    }
}

fn structural(keyword: &str) -> bool {
    const NAMES: [&str; 19] = [
        "SIMPLE", "XTENSION", "BITPIX", "NAXIS", "EXTEND", "PCOUNT", "GCOUNT", "GROUPS", "TFIELDS",
        "CHECKSUM", "DATASUM", "THEAP", "LONGSTRN", "ZTABLE", "ZTILELEN", "ZPCOUNT", "ZHEAPPTR",
        "ZHECKSUM", "ZDATASUM",
    ];
    const NUMBERED: [&str; 14] = [
        "NAXIS", "TTYPE", "TFORM", "TUNIT", "TSCAL", "TZERO", "TNULL", "TDISP", "TDIM", "TBCOL",
        "TCOMM", "ZNAXIS", "ZFORM", "ZCTYP",
    ];
    let stem = keyword.trim_end_matches(|c: char| c.is_ascii_digit());
    NAMES.contains(&keyword) || (stem.len() < keyword.len() && NUMBERED.contains(&stem))
}

/// The value of a card, behind `= `; `None` if it is undefined or does not follow the standard.
fn parse_value(text: &str) -> Option<Value> {
    let text = text.trim_start();
    if let Some(quoted) = text.strip_prefix('\'') {
        return Some(Value::Text(unquote(quoted)));
    }
    let word = text.split('/').next().unwrap_or_default().trim();
    match word {
        "" => None,
        "T" => Some(Value::Bool(true)),
        "F" => Some(Value::Bool(false)),
        _ => match word.parse::<i64>() {
            Ok(integer) => Some(Value::Integer(integer)),
            Err(_) => word.replace(['D', 'd'], "E").parse().ok().map(Value::Float),
        },
    }
}

/// Text up to the closing quote; two quotes stand for one. Trailing blanks do not count.
fn unquote(quoted: &str) -> String {
    let mut text = String::new();
    let mut chars = quoted.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' && chars.next_if_eq(&'\'').is_none() {
            break;
        }
        text.push(c);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_cards() {
        assert_eq!(
            parse_value("'O''Neil  '  / who"),
            Some(Value::Text("O'Neil".to_owned()))
        );
        assert_eq!(
            parse_value("                   T / logical"),
            Some(Value::Bool(true))
        );
        assert_eq!(parse_value("  -12 / integer"), Some(Value::Integer(-12)));
        assert_eq!(parse_value(" 1.5D+02"), Some(Value::Float(150.0)));
        assert_eq!(
            parse_value(" 9223372036854775808"),
            Some(Value::Float(9_223_372_036_854_775_808.0))
        );
        assert_eq!(parse_value(" / undefined"), None);
        assert_eq!(parse_value(" (1, 2)"), None);
    }

    #[test]
    fn layout_keywords_are_no_attributes() {
        for keyword in ["NAXIS", "NAXIS2", "TTYPE17", "TDIM3", "TFIELDS"] {
            assert!(structural(keyword), "{keyword}");
        }
        for keyword in ["OMEGA_M", "TTYPE", "H0", "EXTNAME", "TDIMX"] {
            assert!(!structural(keyword), "{keyword}");
        }
    }
}
