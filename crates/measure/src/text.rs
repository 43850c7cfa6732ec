//! Numbers and columns as text for people.
//!
//! Entry: [`whole_up_to`] reads a number; [`short`] and [`full`] for floats, [`columns_of`] for rows of cells. Nothing here prints.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "decimal exponents are small"
)]

use std::fmt::Write as _;

use albireo_catalogs::TableColumn;

/// A whole number from 1 to `most`.
pub(crate) fn whole_up_to(most: usize, text: &str) -> Result<usize, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected an integer from 1 to {most}, found `{text}`"))
}

/// The words of a line, between blanks and commas.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| c.is_whitespace() || c == ',');
    words.filter(|word| !word.is_empty()).collect()
}

/// A float in at most seven significant digits.
pub(crate) fn short(value: f64) -> String {
    const DIGITS: i32 = 7;
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() {
            "nan".to_owned()
        } else {
            value.to_string()
        };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..12).contains(&magnitude) {
        let text = format!("{value:.6e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (DIGITS - 1 - magnitude).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

/// A float in the fewest digits that read back to the same bits.
pub(crate) fn full(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number with a decimal prefix: `1.25 G`.
pub(crate) fn with_prefix(value: f64) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    PREFIXES
        .iter()
        .find(|(unit, _)| value >= *unit)
        .map_or_else(
            || format!("{value:.0} "),
            |(unit, prefix)| format!("{:.2} {prefix}", value / unit),
        )
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Rows of cells in right-aligned columns, the first row being the heads.
pub(crate) fn columns_of(rows: &[Vec<String>], left: &[usize]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(k, (cell, &width))| {
                if left.contains(&k) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The name of a column with its unit.
pub(crate) fn head(column: &TableColumn) -> String {
    match &column.unit {
        Some(unit) => format!("{} [{unit}]", column.name),
        None => column.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{columns_of, full, short};

    #[test]
    fn floats_are_short_and_right() {
        let cases = [
            (0.0, "0"),
            (0.1, "0.1"),
            (-12.5, "-12.5"),
            (1.0 / 3.0, "0.3333333"),
            (123_456_789.0, "123456789"),
            (1.5e-9, "1.5e-9"),
            (2.0e15, "2e15"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(f64::NAN), "nan");
    }

    #[test]
    fn full_floats_read_back() {
        let cases = [
            (0.0, "0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e22, "1e22"),
            (-1.5e-9, "-1.5e-9"),
            (f64::INFINITY, "inf"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(full(value), text);
            assert_eq!(text.parse(), Ok(value));
        }
        assert_eq!(full(f64::NAN), "nan");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [
            vec!["a".to_owned(), "bb".to_owned()],
            vec!["long".to_owned(), "1".to_owned()],
        ];
        assert_eq!(columns_of(&rows, &[0]), "a     bb\nlong   1\n");
    }
}
