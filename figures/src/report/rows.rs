//! A result table as HTML: its first rows.
//!
//! Entry: [`html`].

use albireo_catalogs::{Table, TableColumn, Values, in_short};

use crate::svg::escaped;

/// Rows that a page has room for.
const ROWS: usize = 40;
/// A table of no more rows is shown at once.
const FEW: usize = 15;
/// Digits of floats.
const DIGITS: i32 = 6;

/// A float with six digits.
pub(super) fn float(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return in_short(value);
    }
    let rounded = format!("{value:.*e}", DIGITS as usize - 1).parse();
    in_short(rounded.unwrap_or(value))
}

/// The value of a column in a row.
fn value(column: &TableColumn, row: usize) -> String {
    match &column.values {
        Values::Integers(values) => values[row].to_string(),
        Values::Floats(values) => float(values[row]),
    }
}

/// The head of a column, with what it is as its title.
fn head(column: &TableColumn) -> String {
    let unit = column.unit.as_deref().map(escaped);
    let unit = unit.map(|unit| format!("<small>{unit}</small>"));
    format!(
        "<th scope=\"col\" title=\"{}\">{}{}</th>",
        escaped(&column.description),
        escaped(&column.name),
        unit.unwrap_or_default()
    )
}

/// The first rows of a table, behind a line that says how many there are.
pub(super) fn html(table: &Table) -> String {
    let (rows, columns) = (table.rows(), table.columns.len());
    let heads: String = table.columns.iter().map(head).collect();
    let row = |row: usize| {
        let cell = |column: &TableColumn| format!("<td>{}</td>", value(column, row));
        let cells: String = table.columns.iter().map(cell).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let shown: String = (0..rows.min(ROWS)).map(row).collect();
    let open = if rows <= FEW { " open" } else { "" };
    let first = if rows > ROWS {
        format!(", the first {ROWS} here")
    } else {
        String::new()
    };
    format!(
        "<details{open}><summary>Table: {rows} rows{first}, {columns} columns</summary>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table><thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{shown}</tbody></table></div>\n<p class=\"small\">Floats to {DIGITS} digits; the file has all of them. What a column is: \
         point at its name.</p></details>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_six_digits_and_integers_all() {
        let cases = [
            (1.0 / 3.0, "0.333333"),
            (1_234_567.8, "1234570"),
            (-2.5e-9, "-2.5e-9"),
            (0.0, "0"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(float(value), text);
        }
        let column = TableColumn::integers("npairs", "", vec![u64::MAX]);
        assert_eq!(super::value(&column, 0), "18446744073709551615");
    }

    #[test]
    fn long_tables_say_how_long_they_are() {
        let values = (0..1000).map(f64::from).collect();
        let table = Table {
            columns: vec![TableColumn::floats("x", "", values)],
            ..Table::default()
        };
        let page = html(&table);
        assert_eq!(page.matches("<tr>").count(), 1 + ROWS);
        assert!(
            page.contains("1000 rows, the first 40 here, 1 columns"),
            "{page}"
        );
        assert!(page.len() < 3000);
    }
}
