//! The axes of bins of a result: what they are called and how they are best laid out.
//!
//! Entry: [`axes`]. It relies on the metadata keys `edges`, `unit` and `bins_of`.

use albireo_catalogs::{Table, Values, in_short};

use crate::error::FigureError;
use crate::style::Limits;
use crate::ticks::{Scale, raised};

/// Whether edges are better shown on a logarithmic axis: equal ratios, or a wide range of unequal widths.
pub(crate) fn logarithmic(edges: &[f64]) -> bool {
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
pub(crate) fn centres(edges: &[f64], log: bool) -> Vec<f64> {
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
pub(crate) fn symbol(name: &str) -> &str {
    match name {
        "mu" => "μ",
        "rp" => "r_p",
        "pi" => "π",
        "theta" => "θ",
        "rho" => "ρ",
        other => other,
    }
}

/// How a power is written: nothing for the first, raised digits, or `^` and decimals.
pub(crate) fn exponent(power: f64) -> String {
    match power {
        1.0 => String::new(),
        _ if power.fract() == 0.0 => raised(power as i32),
        _ => format!("^{power}").replace('-', "−"),
    }
}

/// A unit to a power as it is printed.
fn unit_symbol(unit: &str, power: f64) -> String {
    if let Some(unit) = unit.strip_prefix("1/") {
        return unit_symbol(unit, -power);
    }
    let raised = exponent(power);
    match unit {
        "Mpc/h" | "kpc/h" => format!("h{} {}{raised}", exponent(-power), &unit[..3]),
        "Angstrom" | "angstrom" | "A" => format!("Å{raised}"),
        _ if power != 1.0 && unit.contains([' ', '/']) => format!("({unit}){raised}"),
        _ => format!("{unit}{raised}"),
    }
}

/// `symbol  [unit]`, the unit to a power.
pub(crate) fn labelled(text: &str, unit: Option<&str>, power: f64) -> String {
    match unit {
        Some(unit) if power != 0.0 => format!("{text}  [{}]", unit_symbol(unit, power)),
        _ => text.to_owned(),
    }
}

/// What the figures need to know of an axis.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) edges: Vec<f64>,
    pub(crate) log: bool,
    pub(crate) unit: Option<String>,
    /// The expression whose values are binned, where it is one.
    pub(crate) of: Option<String>,
}

impl Axis {
    pub(crate) fn label(&self) -> String {
        labelled(self.symbol(), self.unit.as_deref(), 1.0)
    }

    /// What it is called where it is printed.
    pub(crate) fn symbol(&self) -> &str {
        self.of.as_deref().unwrap_or_else(|| symbol(&self.name))
    }
}

pub(crate) fn axes(table: &Table) -> Result<Vec<Axis>, FigureError> {
    let length_unit = table.meta.get("unit").and_then(|u| u.as_str());
    let edges = table.edges()?;
    let about_an_axis = edges.iter().any(|(name, _)| name == "rho");
    let expressions = table.meta.get("bins_of").and_then(|of| of.as_array());
    let axes: Vec<Axis> = edges
        .into_iter()
        .enumerate()
        .map(|(k, (name, edges))| {
            let of = expressions.and_then(|of| of.get(k)?.as_str());
            let unit = match name.as_str() {
                _ if of.is_some() => None,
                "mu" => None,
                // A redshift; that of g(rho, z) is a length.
                "z" if !about_an_axis => None,
                "theta" => Some("degrees".to_owned()),
                "q" => length_unit.map(|unit| format!("1/{unit}")),
                _ => length_unit.map(str::to_owned),
            };
            Axis {
                log: logarithmic(&edges),
                name,
                edges,
                unit,
                of: of.map(str::to_owned),
            }
        })
        .collect();
    if !(1..=2).contains(&axes.len()) {
        return Err(FigureError::axes(axes.len()));
    }
    Ok(axes)
}

/// The values of a column as floats, or none without such a column.
pub(crate) fn column(table: &Table, name: &str) -> Option<Vec<f64>> {
    let column = table.columns.iter().find(|column| column.name == name)?;
    Some(match &column.values {
        Values::Integers(values) => values.iter().map(|&v| v as f64).collect(),
        Values::Floats(values) => values.clone(),
    })
}

/// As [`column`], which is refused where it is missing.
pub(crate) fn required(table: &Table, name: &str) -> Result<Vec<f64>, FigureError> {
    column(table, name)
        .ok_or_else(|| FigureError::Input(format!("the result has no column `{name}`")))
}

/// The scale of an axis of a map.
pub(crate) fn map_scale(axis: &Axis, limits: Limits, letter: &str) -> Result<Scale, FigureError> {
    let log = limits.is_log(axis.log);
    let edges = [axis.edges[0], axis.edges[axis.edges.len() - 1]];
    let [lo, hi] = limits.ends(log, letter)?.unwrap_or(edges);
    if log && lo <= 0.0 {
        return Err(FigureError::Call(format!(
            "--{letter}-scale log: the bins in {} begin at {}; --{letter}-range LO:HI with LO above 0 would show the others",
            axis.name,
            in_short(lo)
        )));
    }
    Ok(if log {
        Scale::Log { lo, hi }
    } else {
        Scale::Linear { lo, hi }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_raised_powers() {
        let label = |unit, power| labelled("y", Some(unit), power);
        assert_eq!(label("Mpc/h", 1.0), "y  [h⁻¹ Mpc]");
        assert_eq!(label("Mpc/h", -3.0), "y  [h³ Mpc⁻³]");
        assert_eq!(label("Mpc/h", 1.5), "y  [h^−1.5 Mpc^1.5]");
        assert_eq!(label("1/Angstrom", 1.0), "y  [Å⁻¹]");
        assert_eq!(label("bead size", 2.0), "y  [(bead size)²]");
        assert_eq!(label("nm", 0.0), "y");
    }

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
