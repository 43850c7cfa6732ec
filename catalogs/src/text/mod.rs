//! Delimited text, plain or gzipped: CSV, TSV, columns between blanks, and ECSV.
//!
//! Entry: [`TextReader`]. Reads line by line. Knows nothing of quoting across lines or of fixed-width columns.

mod ecsv;
mod layout;
mod lines;
pub(crate) mod yaml;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use self::layout::{Layout, TextColumn};
use self::lines::{Delimiter, Lines};
use crate::Format;
use crate::block::{Block, Cells, Coder, Numbers, Site, Widening, block_rows};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::reader::{
    Backend, Component, Field, Kind, Scan, Schema, Sink, refuse_table, wanted_names,
};
use crate::stop::Stop;

/// Reads delimited text.
pub(crate) struct TextReader {
    path: PathBuf,
    format: Format,
    gzipped: bool,
    layout: Layout,
    stop: Stop,
}

impl TextReader {
    /// Reads up to the first row: delimiter, names, metadata.
    pub(crate) fn open(path: &Path, format: Format, gzipped: bool, stop: Stop) -> Result<Self> {
        let mut lines = Lines::open(path, gzipped, &stop)?;
        let layout = match format {
            Format::Ecsv => ecsv::layout(path, &mut lines)?,
            _ => layout::infer(path, &mut lines)?,
        };
        Ok(Self {
            path: path.to_owned(),
            format,
            gzipped,
            layout,
            stop,
        })
    }

    /// The row's fields, checked for their number.
    fn fields<'l>(
        &self,
        line: &'l str,
        number: u64,
        buffer: &mut Vec<std::borrow::Cow<'l, str>>,
    ) -> Result<()> {
        self.layout.delimiter.split(line, buffer);
        let behind = buffer.len() == self.layout.columns.len() + 1;
        if self.layout.trailing && behind && buffer.last().is_some_and(|last| last.is_empty()) {
            buffer.pop();
        }
        if buffer.len() == self.layout.columns.len() {
            return Ok(());
        }
        let (expected, found) = (self.layout.columns.len(), buffer.len());
        Err(CatalogError::FieldCount {
            path: self.path.clone(),
            line: number,
            expected,
            found,
        })
    }
}

impl Backend for TextReader {
    fn format(&self) -> Format {
        self.format
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        refuse_table(&self.path, request)?;
        let field = |column: &TextColumn| Field {
            unit: column.unit.clone(),
            width: column.list.unwrap_or(1),
            ..Field::of(
                column.name.clone(),
                column.dtype.clone(),
                if column.numeric {
                    Kind::Number
                } else {
                    Kind::Text
                },
            )
        };
        let mut fields: Vec<Field> = self.layout.columns.iter().map(field).collect();
        if self.layout.guessed_names {
            // A comment that happened to have as many words must not hide col1, col2, ... or 1, 2, ...
            let named: HashSet<String> = fields.iter().map(|field| field.name.clone()).collect();
            let count = fields.len();
            let known = |name: &str| {
                named.contains(name) || layout::number(name).is_some_and(|k| k < count)
            };
            // Where a number is of no column, the names that are listed beside it stay.
            let is_none = |name: &String| name.parse::<u64>().is_ok() && !known(name);
            let asked = if request.columns.iter().any(is_none) {
                Vec::new()
            } else {
                wanted_names(request, &known)
            };
            for name in asked.into_iter().filter(|name| !named.contains(name)) {
                if let Some(field) = layout::number(&name).and_then(|k| fields.get_mut(k)) {
                    field.name = name;
                }
            }
        }
        Ok(Schema {
            table: String::new(),
            rows: None,
            fields,
            attributes: self.layout.attributes.clone(),
        })
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (components, widening) = (scan.components, scan.widening);
        let mut lines = Lines::open(&self.path, self.gzipped, &self.stop)?;
        let mut first_row = 0;
        let mut skip = self.layout.header_lines;
        loop {
            self.stop.check(&self.path)?;
            let mut gatherers: Vec<Gatherer<'_>> = components
                .iter()
                .map(|part| {
                    let widening = part.widening(widening);
                    let layout = (&self.layout, part);
                    Gatherer::new(&self.path, layout, widening, first_row)
                })
                .collect();
            let mut rows = 0;
            while rows < block_rows(components.len())
                && let Some((number, line)) = lines.next_row(self.layout.comments_anywhere)?
            {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                let mut fields = Vec::with_capacity(self.layout.columns.len());
                self.fields(line, number, &mut fields)?;
                for (gatherer, part) in gatherers.iter_mut().zip(components) {
                    gatherer.take(&fields[part.field], number)?;
                }
                rows += 1;
            }
            if rows == 0 {
                return Ok(());
            }
            let (cells, nulls) = gatherers.into_iter().map(Gatherer::finish).unzip();
            sink(Block {
                rows,
                first_row,
                cells,
                nulls,
            })?;
            first_row += rows as u64;
        }
    }
}

/// Gathers one column of a block.
enum Gatherer<'a> {
    Numbers {
        path: &'a Path,
        column: &'a TextColumn,
        /// Which value of a list.
        element: usize,
        numbers: Numbers<'a>,
    },
    Texts(Vec<String>),
    Coded(Coder),
}

impl<'a> Gatherer<'a> {
    fn new(
        path: &'a Path,
        (layout, part): (&'a Layout, &Component),
        widening: Widening,
        first_row: u64,
    ) -> Self {
        let column = &layout.columns[part.field];
        if !column.numeric {
            return if part.coded {
                Self::Coded(Coder::default())
            } else {
                Self::Texts(Vec::new())
            };
        }
        let numbers = Numbers::new(Site::new(path, &column.name, first_row), widening, 0);
        Self::Numbers {
            path,
            column,
            element: part.element,
            numbers,
        }
    }

    fn take(&mut self, field: &str, line: u64) -> Result<()> {
        let (path, column, element, numbers) = match self {
            Self::Texts(texts) => {
                texts.push(field.to_owned());
                return Ok(());
            }
            Self::Coded(coder) => {
                coder.push(field);
                return Ok(());
            }
            Self::Numbers {
                path,
                column,
                element,
                numbers,
            } => (path, column, *element, numbers),
        };
        let field = match column.list {
            None => field,
            Some(width) => value_of_list(field, (width, element)).ok_or_else(|| {
                let (name, found) = (&column.name, shortened(field));
                let detail = format!(
                    "line {line}, column `{name}`: expected a list of {width} numbers, found `{found}`"
                );
                CatalogError::corrupt(path, detail)
            })?,
        };
        if field.is_empty() {
            return numbers.null();
        }
        if column.dtype == "bool" {
            match field {
                "True" | "true" | "1" => return numbers.integer(1),
                "False" | "false" | "0" => return numbers.integer(0),
                _ => {}
            }
        }
        // Up to 15 digits are exact in float64; longer integers must be checked.
        if (field.len() > 15 || numbers.is_typed())
            && let Ok(integer) = field.parse::<i128>()
        {
            return numbers.integer(integer);
        }
        let (path, column) = (path.to_path_buf(), column.name.clone());
        let whole = || field.bytes().all(|byte| b"+-0123456789".contains(&byte));
        match field.parse::<f64>() {
            // The words inf and infinity are what they say, digits are not.
            Ok(value) if value.is_infinite() && field.contains(|c: char| c.is_ascii_digit()) => {
                let found = shortened(field);
                let detail = format!(
                    "line {line}, column `{column}`: `{found}` is beyond the largest float64, 1.8e308"
                );
                Err(CatalogError::refused(&path, detail))
            }
            Ok(_) if field.len() > 15 && whole() => Err(CatalogError::Inexact {
                path,
                column,
                row: numbers.next_row(),
                value: shortened(field),
            }),
            Ok(value) => numbers.float(value),
            Err(_) if is_null_word(field) => numbers.null(),
            Err(_) => Err(CatalogError::Field {
                path,
                line,
                column,
                found: shortened(field),
            }),
        }
    }

    fn finish(self) -> (Cells, u64) {
        match self {
            Self::Numbers { numbers, .. } => numbers.finish(),
            Self::Texts(texts) => (Cells::Texts(texts), 0),
            Self::Coded(coder) => (Cells::Coded(coder.finish()), 0),
        }
    }
}

/// A field for a message: at most 40 characters of it.
fn shortened(field: &str) -> String {
    const SHOWN: usize = 40;
    let count = field.chars().count();
    if count <= SHOWN {
        return field.to_owned();
    }
    let start: String = field.chars().take(SHOWN).collect();
    format!("{start}... ({count} characters)")
}

/// Whether a field reads as a number.
fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// One value of a list such as `[1.5,2.5,null]`; nothing of a list that is not there.
fn value_of_list(field: &str, (width, element): (usize, usize)) -> Option<&str> {
    if field.is_empty() || is_null_word(field) {
        return Some("");
    }
    let values = field.strip_prefix('[')?.strip_suffix(']')?.split(',');
    let mut of_row = values.clone();
    (values.count() == width).then(|| of_row.nth(element).unwrap_or_default().trim())
}

/// Whether a field is one of the words by which programs write a missing number: Gaia's archive and databases, pandas and R, astropy.
fn is_null_word(field: &str) -> bool {
    const WORDS: [&str; 7] = ["null", "none", "na", "n/a", "<na>", "--", "masked"];
    WORDS.iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// Splits one line, for headers.
fn split_owned(delimiter: Delimiter, line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    delimiter.split(line, &mut fields);
    fields
        .into_iter()
        .map(std::borrow::Cow::into_owned)
        .collect()
}

/// The fields of a comma-separated line.
pub(crate) fn split_commas(line: &str) -> Vec<String> {
    split_owned(Delimiter::Character(','), line)
}
