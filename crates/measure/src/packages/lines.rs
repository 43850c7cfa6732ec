//! Counts and estimates as pycorr writes them: a text of columns below `# ` lines.
//!
//! Entry: [`text`], of a table and the counts that it is of.

use std::fmt::Write as _;

use albireo_catalogs::{ResultKind, Table, Tree};
use anyhow::{Result, bail};

use super::counts::Count;
use super::curves::curves;
use super::measured::Measured;
use super::pycorr::bin_type;
use crate::saved::floats;

/// A column with its label.
struct Column(String, Vec<f64>);

/// The lines of a file.
pub(super) fn text(table: &Table, measured: &Measured) -> Result<Tree> {
    let (columns, sizes) = match table.kind()? {
        ResultKind::Counts => (of_counts(measured), sizes(&measured.counts[..1], "")),
        ResultKind::Correlation => (of_xi(measured), sizes(&measured.counts, ".")),
        ResultKind::Multipoles | ResultKind::Wedges | ResultKind::Projected => {
            (of_curves(table, measured)?, sizes(&measured.counts, "."))
        }
        other => bail!("it has no form of a {}", other.name()),
    };
    let mut text = String::new();
    let auto = if measured.is_auto() { "True" } else { "False" };
    let _ = writeln!(
        text,
        "# mode = {}\n# autocorr = {auto}\n{sizes}# los_type = {}\n# bin_type = {}",
        measured.mode,
        measured.line_of_sight,
        bin_type(&measured.axes[0].1)
    );
    write_columns(&mut text, &columns);
    Ok(Tree::Text(text))
}

/// A line for the size of each sample of each count, by the names of the counts unless there is but one.
fn sizes(counts: &[Count], between: &str) -> String {
    let mut text = String::new();
    for Count {
        kinds: [one, two],
        sizes,
        ..
    } in counts
    {
        let of = if between.is_empty() {
            String::new()
        } else {
            format!("{one}1{two}2{between}")
        };
        let _ = writeln!(
            text,
            "# {of}size1 = {}\n# {of}size2 = {}",
            sizes[0], sizes[1]
        );
    }
    text
}

/// Middles and means of each axis, in every bin.
fn places(measured: &Measured, count: &Count) -> Vec<Column> {
    let (shape, middles) = (measured.shape(), measured.middles());
    let bins: usize = shape.iter().product();
    let mut columns = Vec::new();
    for (k, (name, _)) in measured.axes.iter().enumerate() {
        let inner: usize = shape[k + 1..].iter().product();
        let middle: Vec<f64> = (0..bins)
            .map(|bin| middles[k][bin / inner % shape[k]])
            .collect();
        let means = count.pairs.mean.as_ref().filter(|_| k == 0);
        let means = means.unwrap_or(&middle).clone();
        columns.push(Column(format!("{name}mid"), middle));
        columns.push(Column(format!("{name}avg"), means));
    }
    columns
}

fn of_counts(measured: &Measured) -> Vec<Column> {
    let count = &measured.counts[0];
    let mut columns = places(measured, count);
    columns.push(Column("wcounts".to_owned(), count.pairs.weight.clone()));
    columns.push(Column("wnorm".to_owned(), count.pairs.norm.clone()));
    columns
}

fn of_xi(measured: &Measured) -> Vec<Column> {
    let names: Vec<&str> = measured
        .axes
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let names = names.join(",");
    let mut columns = places(measured, measured.of_separations());
    let values = [("corr", &measured.xi), ("std", &measured.error)];
    columns.extend(
        values
            .into_iter()
            .filter_map(|(of, values)| Some(Column(format!("{of}({names})"), values.clone()?))),
    );
    columns
}

/// Multipoles, wedges or wp over the axis that is left.
fn of_curves(table: &Table, measured: &Measured) -> Result<Vec<Column>> {
    let name = &measured.axes[0].0;
    let count = measured.of_separations();
    let mut columns = vec![
        Column(format!("{name}mid"), measured.middles().swap_remove(0)),
        Column(format!("{name}avg"), measured.means_of_rows(&count.pairs)),
    ];
    let curves = curves(table, measured)?;
    let scattered = |own: &str| table.column(&format!("{own}_poisson_error")).is_some();
    for of in ["corr", "std"] {
        for curve in &curves {
            let label = curve.label(of, name);
            match of {
                "corr" => columns.push(Column(label, curve.values.clone())),
                _ if scattered(&curve.column) => {
                    let errors = floats(table, &format!("{}_error", curve.column))?;
                    columns.push(Column(label, errors.to_vec()));
                }
                _ => {}
            }
        }
    }
    Ok(columns)
}

/// A number as C's `%.12e` has it.
fn spelled(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "nan".to_owned()
        } else {
            value.to_string()
        };
    }
    let text = format!("{value:.12e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Columns below their labels, each as wide as its widest field; the mark of the labels' line counts for the first.
fn write_columns(text: &mut String, columns: &[Column]) {
    let spelt: Vec<Vec<String>> = columns
        .iter()
        .map(|column| column.1.iter().map(|&value| spelled(value)).collect())
        .collect();
    let last = columns.len() - 1;
    let widths = columns
        .iter()
        .zip(&spelt)
        .enumerate()
        .map(|(k, (column, fields))| {
            let widest = fields.iter().map(String::len).max().unwrap_or_default();
            let marked = if k == 0 { 2 } else { 0 };
            if k == last {
                0
            } else {
                widest.saturating_sub(marked).max(column.0.len())
            }
        });
    let mut widths: Vec<usize> = widths.collect();
    let mut line = |mark: &str, widths: &[usize], fields: &mut dyn Iterator<Item = &str>| {
        let fields = fields
            .zip(widths)
            .map(|(field, &width)| format!("{field:width$}"));
        let _ = writeln!(text, "{mark}{}", fields.collect::<Vec<_>>().join(" "));
    };
    line(
        "# ",
        &widths,
        &mut columns.iter().map(|column| column.0.as_str()),
    );
    widths[0] += 2;
    for row in 0..columns[0].1.len() {
        line(
            "",
            &widths,
            &mut spelt.iter().map(|fields| fields[row].as_str()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn numbers_are_spelt_as_c_spells_them() {
        for (value, expected) in [
            (31.5, "3.150000000000e+01"),
            (-1e-7, "-1.000000000000e-07"),
            (0.0, "0.000000000000e+00"),
            (1e300, "1.000000000000e+300"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(spelled(value), expected);
        }
    }
}
