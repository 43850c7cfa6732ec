//! What the columns of a plain text table are: delimiter, names, which of them hold numbers.
//!
//! Entry: [`infer`]. Looks at the comments in front and the first rows, never at the whole file.

use std::collections::HashSet;
use std::path::Path;

use super::lines::{Delimiter, Lines};
use super::{is_null_word, is_number, split_owned};
use crate::error::{CatalogError, Result};
use crate::value::{Attributes, Value};

/// Rows looked at to tell numbers from text, unless they are long.
const ROWS_SEEN: usize = 100;
/// Bytes of rows after which no more are looked at; and of comments kept.
const BYTES_SEEN: usize = 4 << 20;

/// The shape of a text table.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) delimiter: Delimiter,
    pub(super) columns: Vec<TextColumn>,
    /// Rows in front of the values that are neither blank nor comments: the line of names, or none.
    pub(super) header_lines: usize,
    /// Whether the names come from a comment, or are numbers.
    pub(super) guessed_names: bool,
    /// Whether lines may end with a delimiter behind their last field, as the line of names does.
    pub(super) trailing: bool,
    /// Whether `#` starts a comment behind the header too.
    pub(super) comments_anywhere: bool,
    pub(super) attributes: Attributes,
}

/// One column.
#[derive(Debug, Clone)]
pub(super) struct TextColumn {
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) unit: Option<String>,
    pub(super) numeric: bool,
    /// Values of a row, where it holds a list of them.
    pub(super) list: Option<usize>,
}

/// The name of column `k`, from 0, where the file has none: `col1` is the first.
pub(super) fn numbered(k: usize) -> String {
    format!("col{}", k + 1)
}

/// The index from 0 of the column that `col3` or `3` means: the third.
pub(super) fn number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix("col").unwrap_or(name);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: usize = digits.parse().ok().filter(|_| plain)?;
    number.checked_sub(1)
}

/// Infers the layout. The first row is a line of names if none of its fields is a number. Otherwise names come from the
/// last comment in front with as many fields, all of them words; otherwise they are `col1`, `col2`, ... In both of these
/// cases the numbers 1, 2, ... stand for the columns too.
pub(super) fn infer(path: &Path, lines: &mut Lines) -> Result<Layout> {
    let mut comments: Vec<String> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let (mut of_comments, mut of_rows) = (0, 0);
    while rows.len() < 2 || (rows.len() < ROWS_SEEN && of_rows < BYTES_SEEN) {
        let Some((_, line)) = lines.next_line()? else {
            break;
        };
        match line.trim_start().strip_prefix('#') {
            // Each takes memory of its own beside its bytes.
            Some(comment) if rows.is_empty() && of_comments < BYTES_SEEN => {
                of_comments += comment.len() + size_of::<String>();
                comments.push(comment.to_owned());
            }
            Some(_) => {}
            None if line.trim().is_empty() => {}
            None => {
                of_rows += line.len();
                rows.push(line.to_owned());
            }
        }
    }
    let Some(first) = rows.first() else {
        return Err(CatalogError::NoTable {
            path: path.to_owned(),
            detail: "it has no row".to_owned(),
        });
    };
    let delimiter = delimiter_of(path, first);
    let mut fields = split_owned(delimiter, first);
    let named = are_names(&fields) && rows.len() > 1 || path_says_header(path, &fields, rows.len());
    let values = rows.iter().skip(usize::from(named));
    let values: Vec<Vec<String>> = values.map(|row| split_owned(delimiter, row)).collect();
    let trailing = named && ends_with_delimiter(&fields, &values);
    if trailing {
        fields.pop();
    }
    let names = if named {
        Some(filled(&fields))
    } else {
        commented_names(delimiter, &comments, fields.len())
    };
    let guessed_names = !named;
    let names = names.unwrap_or_else(|| (0..fields.len()).map(numbered).collect());
    if let Some(twice) = twice(&names) {
        return Err(CatalogError::corrupt(
            path,
            format!("two columns are called `{twice}`"),
        ));
    }
    let columns = names.into_iter().enumerate().map(|(k, name)| {
        let seen = values
            .iter()
            .filter_map(|row| row.get(k))
            .filter(|field| !field.is_empty());
        // A column is text if its first value is; a later word among numbers is an error worth a line number.
        let mut values = seen.clone().filter(|field| !is_null_word(field));
        let words_alone = || seen.clone().next().is_none();
        let numeric = values
            .next()
            .map_or_else(words_alone, |field| is_number(field));
        let dtype = if numeric { "float64" } else { "string" }.to_owned();
        TextColumn {
            name,
            dtype,
            unit: None,
            numeric,
            list: None,
        }
    });
    Ok(Layout {
        delimiter,
        columns: columns.collect(),
        header_lines: usize::from(named),
        guessed_names,
        trailing,
        comments_anywhere: true,
        attributes: commented_values(&comments),
    })
}

/// Whether the fields of a line are names: words, of which some may be missing, as pandas writes none for its index.
fn are_names(fields: &[String]) -> bool {
    let mut there = fields.iter().filter(|field| !field.is_empty()).peekable();
    there.peek().is_some() && there.all(|field| !is_number(field))
}

/// Whether a line of names ends with a delimiter behind which no row has a value.
fn ends_with_delimiter(names: &[String], rows: &[Vec<String>]) -> bool {
    let nothing = |row: &Vec<String>| match row.get(names.len() - 1) {
        Some(last) => last.is_empty(),
        None => row.len() + 1 == names.len(),
    };
    names.len() > 1 && names.last().is_some_and(String::is_empty) && rows.iter().all(nothing)
}

/// Names, those that are missing filled in by the column's number.
fn filled(names: &[String]) -> Vec<String> {
    let name = |(k, name): (usize, &String)| match name.as_str() {
        "" => numbered(k),
        name => name.to_owned(),
    };
    names.iter().enumerate().map(name).collect()
}

/// A name that occurs twice.
fn twice(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    names.iter().find(|name| !seen.insert(*name))
}

/// A lone line of words is a header without rows in a `.csv` or `.tsv` file, and a row elsewhere.
fn path_says_header(path: &Path, fields: &[String], rows: usize) -> bool {
    let extension = extension(path);
    rows == 1
        && matches!(extension.as_str(), "csv" | "tsv")
        && fields
            .iter()
            .all(|field| !field.is_empty() && !is_number(field))
}

/// The file name's extension in lower case, `.gz` taken off.
fn extension(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .map_or(String::new(), |(_, extension)| extension.to_owned())
}

/// Semicolon before comma, since a comma beside semicolons is a decimal mark; a tab only if it separates single words
/// or the name says so.
fn delimiter_of(path: &Path, line: &str) -> Delimiter {
    let words = |field: &str| field.trim().contains(char::is_whitespace) && !field.contains('"');
    let tabbed =
        line.contains('\t') && (extension(path) == "tsv" || !line.trim().split('\t').any(words));
    match line {
        line if line.contains(';') => Delimiter::Character(';'),
        line if line.contains(',') => Delimiter::Character(','),
        _ if tabbed => Delimiter::Character('\t'),
        _ => Delimiter::Blanks,
    }
}

/// Names from the last comment that has `count` distinct words.
fn commented_names(delimiter: Delimiter, comments: &[String], count: usize) -> Option<Vec<String>> {
    comments.iter().rev().find_map(|comment| {
        let fits = |names: &Vec<String>| {
            names.len() == count
                && twice(names).is_none()
                && names
                    .iter()
                    .all(|name| !name.is_empty() && !name.ends_with(':') && !is_number(name))
        };
        [delimiter, Delimiter::Blanks]
            .into_iter()
            .map(|by| split_owned(by, comment.trim()))
            .find(fits)
    })
}

/// Attributes from comments of the form `name: JSON`, as result tables have them.
fn commented_values(comments: &[String]) -> Attributes {
    let value = |comment: &String| {
        let (name, value) = comment.trim().split_once(": ")?;
        let plain = !name.is_empty() && !name.contains(char::is_whitespace);
        let json = serde_json::from_str(value).ok()?;
        plain.then(|| (name.to_owned(), Value::from_json(json)))
    };
    comments.iter().filter_map(value).collect()
}
