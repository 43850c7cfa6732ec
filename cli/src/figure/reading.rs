//! From a result table to curves or a map.
//!
//! Entry: [`Picture::of`]. It relies on the metadata keys `result`, `statistic`, `edges` and `unit`, which every result of this
//! program has.

use albireo_catalogs::{Table, Values};
use anyhow::{Context, Result, anyhow, bail};

use super::Style;
use super::curve::{Curves, Series};
use super::map::Map;
use crate::record::{ResultKind, edges_of, is_approximate, kind_of};
use crate::usage::usage;

/// What a figure shows.
#[derive(Debug, Clone)]
pub(super) enum Picture {
    Curves(Curves),
    Map(Map),
}

/// The values of a column as floats, or none without such a column.
fn column(table: &Table, name: &str) -> Option<Vec<f64>> {
    let column = table.columns.iter().find(|column| column.name == name)?;
    Some(match &column.values {
        Values::Integers(values) => values.iter().map(|&v| v as f64).collect(),
        Values::Floats(values) => values.clone(),
    })
}

fn required(table: &Table, name: &str) -> Result<Vec<f64>> {
    column(table, name).ok_or_else(|| anyhow!("the result has no column `{name}`"))
}

/// Whether edges are better shown on a logarithmic axis: equal ratios, or a wide range of unequal widths.
fn logarithmic(edges: &[f64]) -> bool {
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    if first <= 0.0 || edges.len() < 3 || last / first < 1.5 {
        return false;
    }
    let ratios = || edges.windows(2).map(|pair| pair[1] / pair[0]);
    let widths = || edges.windows(2).map(|pair| pair[1] - pair[0]);
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let (lo, hi) = values.fold((f64::INFINITY, 0.0f64), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
        hi / lo
    };
    let equal_ratios = spread(&mut ratios().map(|r| r - 1.0)) < 1.02;
    let equal_widths = spread(&mut widths()) < 1.02;
    equal_ratios || (!equal_widths && last / first > 30.0)
}

/// The middle of each bin, by ratio on a logarithmic axis.
fn centres(edges: &[f64], log: bool) -> Vec<f64> {
    let middle = |pair: &[f64]| {
        if log {
            (pair[0] * pair[1]).sqrt()
        } else {
            f64::midpoint(pair[0], pair[1])
        }
    };
    edges.windows(2).map(middle).collect()
}

/// An axis name as it is printed.
fn symbol(name: &str) -> &str {
    match name {
        "mu" => "μ",
        "rp" => "r_p",
        "pi" => "π",
        "theta" => "θ",
        other => other,
    }
}

/// A unit as it is printed.
fn unit_symbol(unit: &str) -> &str {
    match unit {
        "Mpc/h" => "h⁻¹ Mpc",
        "kpc/h" => "h⁻¹ kpc",
        "Angstrom" | "angstrom" | "A" => "Å",
        other => other,
    }
}

/// `symbol  [unit]`.
fn labelled(text: &str, unit: Option<&str>, power: &str) -> String {
    match unit.map(unit_symbol) {
        None => text.to_owned(),
        Some(unit) if power.is_empty() => format!("{text}  [{unit}]"),
        Some(unit) => format!("{text}  [({unit}){power}]"),
    }
}

/// What the figures need to know of an axis.
struct Axis {
    name: String,
    edges: Vec<f64>,
    log: bool,
    unit: Option<String>,
}

impl Axis {
    fn label(&self) -> String {
        labelled(symbol(&self.name), self.unit.as_deref(), "")
    }
}

fn axes(table: &Table) -> Result<Vec<Axis>> {
    let length_unit = table.meta.get("unit").and_then(|u| u.as_str());
    let axes: Vec<Axis> = edges_of(table)?
        .into_iter()
        .map(|(name, edges)| {
            let unit = match name.as_str() {
                "mu" => None,
                "theta" => Some("degrees".to_owned()),
                _ => length_unit.map(str::to_owned),
            };
            Axis {
                log: logarithmic(&edges),
                name,
                edges,
                unit,
            }
        })
        .collect();
    if !(1..=2).contains(&axes.len()) {
        bail!(
            "a figure shows one or two axes of bins; this result has {}",
            axes.len()
        );
    }
    Ok(axes)
}

impl Picture {
    /// What the values are called.
    fn value_label(&mut self) -> &mut String {
        match self {
            Self::Curves(curves) => &mut curves.y_label,
            Self::Map(map) => &mut map.value_label,
        }
    }

    /// What shows `table`.
    pub(super) fn of(table: &Table, style: Style) -> Result<Self> {
        let kind = kind_of(table).context("cannot draw this table")?;
        let axes = axes(table)?;
        let rows = axes
            .iter()
            .map(|axis| axis.edges.len() - 1)
            .product::<usize>();
        let found = required(
            table,
            &table
                .columns
                .first()
                .map(|c| c.name.clone())
                .unwrap_or_default(),
        )?
        .len();
        if found != rows {
            bail!("the result has {found} rows, but its edges make {rows} bins");
        }
        if style.r2
            && (kind == ResultKind::Counts
                || kind == ResultKind::Rdf
                || axes.len() == 2
                || axes[0].name == "theta")
        {
            return Err(usage("--r2 scales xi(r), wp(rp) and multipoles only"));
        }
        let mut picture = match &axes[..] {
            [x, y] => map(table, kind, x, y).map(Self::Map)?,
            [x] => curves(table, kind, x, style).map(Self::Curves)?,
            _ => bail!("no axes"),
        };
        if is_approximate(table) {
            picture.value_label().push_str("  (approximate counts)");
        }
        Ok(picture)
    }
}

fn map(table: &Table, kind: ResultKind, x: &Axis, y: &Axis) -> Result<Map> {
    let arguments = format!("({}, {})", symbol(&x.name), symbol(&y.name));
    let (values, value_label) = match kind {
        ResultKind::Counts => counts_or_weights(table, "pairs per bin")?,
        _ => (required(table, "xi")?, format!("ξ{arguments}")),
    };
    Ok(Map {
        x_edges: x.edges.clone(),
        y_edges: y.edges.clone(),
        log_x: x.log,
        log_y: y.log,
        x_label: x.label(),
        y_label: y.label(),
        value_label,
        values,
    })
}

/// Weighted sums where the result has them, else numbers of pairs.
fn counts_or_weights(table: &Table, label: &str) -> Result<(Vec<f64>, String)> {
    match column(table, "weight") {
        Some(weight) => Ok((weight, format!("weighted {label}"))),
        None => Ok((required(table, "npairs")?, label.to_owned())),
    }
}

/// The multipole orders of a result, from its columns `xi_0`, `xi_2`...
fn orders(table: &Table) -> Vec<String> {
    let names = table
        .columns
        .iter()
        .filter_map(|column| column.name.strip_prefix("xi_"));
    names
        .filter(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

fn curves(table: &Table, kind: ResultKind, x: &Axis, style: Style) -> Result<Curves> {
    let name = symbol(&x.name);
    let places =
        column(table, &format!("mean_{}", x.name)).unwrap_or_else(|| centres(&x.edges, x.log));
    let series = |label: &str, value: &str| -> Result<Series> {
        Ok(Series {
            label: label.to_owned(),
            x: places.clone(),
            y: required(table, value)?,
            error: column(table, &format!("{value}_error")).unwrap_or_default(),
        })
    };
    let single = |value: &str| series("", value).map(|s| vec![s]);
    let (lines, label, power, reference) = match kind {
        ResultKind::Counts => {
            let (y, label) = counts_or_weights(table, "pairs per bin")?;
            let line = Series {
                label: String::new(),
                x: places.clone(),
                y,
                error: Vec::new(),
            };
            (vec![line], label, 0, None)
        }
        ResultKind::Correlation if x.name == "theta" => {
            (single("xi")?, "w(θ)".to_owned(), 0, Some(0.0))
        }
        ResultKind::Correlation => (single("xi")?, format!("ξ({name})"), 2, Some(0.0)),
        ResultKind::Projected => (single("wp")?, "w_p(r_p)".to_owned(), 1, Some(0.0)),
        ResultKind::Multipoles => {
            let lines = orders(table)
                .iter()
                .map(|l| series(&format!("ℓ = {l}"), &format!("xi_{l}")))
                .collect::<Result<_>>()?;
            (lines, format!("ξ_ℓ({name})"), 2, Some(0.0))
        }
        ResultKind::Rdf => (single("g")?, "g(r)".to_owned(), 0, Some(1.0)),
    };
    let scaled = style.r2;
    let lines = if scaled {
        lines
            .into_iter()
            .map(|line| times_separation(line, power))
            .collect()
    } else {
        lines
    };
    let unit = x.unit.as_deref();
    let y_label = match (scaled, power, kind) {
        (true, 1, _) => labelled(&format!("{name} {label}"), unit, "²"),
        (true, _, _) => labelled(&format!("{name}² {label}"), unit, "²"),
        (false, _, ResultKind::Projected) => labelled(&label, unit, ""),
        _ => label,
    };
    Ok(Curves {
        series: lines,
        x_label: x.label(),
        y_label,
        x_range: [x.edges[0], x.edges[x.edges.len() - 1]],
        log_x: x.log,
        log_y: x.log && !scaled && kind != ResultKind::Rdf,
        reference,
    })
}

/// The curve and its errors times the separation to a power.
fn times_separation(line: Series, power: i32) -> Series {
    let factor = |k: usize| line.x[k].powi(power);
    Series {
        y: line
            .y
            .iter()
            .enumerate()
            .map(|(k, y)| y * factor(k))
            .collect(),
        error: line
            .error
            .iter()
            .enumerate()
            .map(|(k, e)| e * factor(k))
            .collect(),
        ..line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_logarithmic() {
        assert!(logarithmic(&[0.1, 1.0, 10.0]));
        assert!(logarithmic(&[0.1675, 0.2367, 0.3345]));
        assert!(!logarithmic(&[0.0, 1.0, 10.0]));
        assert!(!logarithmic(&[1.0, 2.0, 3.0, 4.0]));
        assert!(
            !logarithmic(&[1.0, 101.0, 201.0]),
            "equal widths stay linear"
        );
        assert!(logarithmic(&[1.0, 3.0, 5.0, 100.0]));
    }
}
