//! Which curves partial functions of fluids are.
//!
//! Entry: [`partial_names`], [`partial_label`], [`g_label`], [`coordination`], [`factors`]; [`of_blocks`] of blocks of frames.

use albireo_catalogs::Table;

use crate::bins::{Axis, centres, column, map_scale, required};
use crate::curve::Curves;
use crate::error::FigureError;
use crate::map::{Map, Meaning};
use crate::series::{Look, Series};
use crate::style::Style;

/// The pairs of species of which a table has a column `prefix`A-B, in its order; errors are none.
pub(crate) fn partial_names(table: &Table, prefix: &str) -> Vec<String> {
    let of = |name: &str| {
        let rest = name.strip_prefix(prefix)?;
        let is_error = rest.starts_with("error")
            || rest.starts_with("block_error")
            || rest.ends_with("_error");
        (!is_error).then(|| rest.to_owned())
    };
    table
        .columns
        .iter()
        .filter_map(|column| of(&column.name))
        .collect()
}

/// The error of a column: of g that from blocks of frames, which are correlated, before the Poisson one.
pub(crate) fn error_of(table: &Table, value: &str) -> Option<Vec<f64>> {
    let of_g = match value.strip_prefix('g') {
        Some(pair) if pair.is_empty() || pair.starts_with('_') => {
            let of = |kind: &str| column(table, &format!("g_{kind}{pair}"));
            of("block_error").or_else(|| of("error"))
        }
        _ => None,
    };
    of_g.or_else(|| column(table, &format!("{value}_error")))
}

/// What a curve is called: pairs of frames a lag apart have it behind those of species, `O-O_t10`.
pub(crate) fn partial_label(pair: &str) -> String {
    let is_lag = |lag: &&str| !lag.is_empty() && lag.bytes().all(|byte| byte.is_ascii_digit());
    let lagged = pair
        .rsplit_once("_t")
        .and_then(|(species, lag)| Some(lag).filter(is_lag).map(|lag| (species, lag)));
    lagged.map_or_else(
        || pair.to_owned(),
        |(species, lag)| format!("{species}, lag {lag}"),
    )
}

/// Whether the columns g are pairs over those of a gas, so that 1 is what to compare with.
pub(crate) fn is_ratio(table: &Table) -> bool {
    let norm = table.meta.get("normalisation");
    !matches!(
        norm.and_then(|norm| norm.as_str()),
        Some("none" | "density")
    )
}

/// What the columns g of a table are called: a function, pairs or a density, by their normalisation.
fn g_symbol(table: &Table) -> &'static str {
    let norm = table.meta.get("normalisation");
    match norm.and_then(|norm| norm.as_str()) {
        Some("none") => "pairs",
        Some("density") => "ρ",
        _ => "g",
    }
}

/// Whether the functions of a table are of pairs of frames.
pub(crate) fn lagged(table: &Table) -> bool {
    table.meta.contains_key("lags")
}

/// What the axis of g is called.
pub(crate) fn g_label(table: &Table) -> String {
    match (g_symbol(table), lagged(table)) {
        ("pairs", _) => "pairs per bin".to_owned(),
        (symbol, true) => format!("{symbol}(r, t)"),
        (symbol, false) => format!("{symbol}(r)"),
    }
}

/// g of the first pair of species, as maps have room for one, and what it is called with these arguments.
pub(crate) fn first_partial(
    table: &Table,
    arguments: &str,
) -> Result<(Vec<f64>, String), FigureError> {
    let label = match g_symbol(table) {
        "pairs" => "pairs per bin".to_owned(),
        symbol => format!("{symbol}{arguments}"),
    };
    let pairs = partial_names(table, "g_");
    let first = pairs.iter().find(|pair| !pair.starts_with("running"));
    Ok(match first {
        None => (required(table, "g")?, label),
        Some(first) => (
            required(table, &format!("g_{first}"))?,
            format!("{label}, {first}"),
        ),
    })
}

/// Whether a table holds g of block after block of frames.
pub(crate) fn is_of_blocks(table: &Table) -> bool {
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    names.starts_with(&["frame", "frames"])
}

/// What shows blocks of frames.
pub(crate) enum OfBlocks {
    Curves(Curves),
    Map(Map),
}

/// g of blocks of frames, of the first pair of species: curves where they are few, else a map over r and the frames.
pub(crate) fn of_blocks(
    table: &Table,
    x: &Axis,
    style: Style,
    most: usize,
) -> Result<OfBlocks, FigureError> {
    let (g, label) = first_partial(table, "(r)")?;
    let bins = x.edges.len() - 1;
    let each = |name: &str| -> Result<Vec<f64>, FigureError> {
        Ok(required(table, name)?.into_iter().step_by(bins).collect())
    };
    let (begins, lengths) = (each("frame")?, each("frames")?);
    let blocks = begins.len();
    if blocks == 0 || blocks * bins != g.len() {
        return Err(FigureError::rows(g.len(), blocks.max(1) * bins));
    }
    if blocks <= most {
        let log_y = style.y.is_log(false);
        let log_x = style.x.is_log(x.log);
        let ends = [x.edges[0], x.edges[bins]];
        let line = |k: usize| Series {
            label: format!("from frame {}", begins[k]),
            x: centres(&x.edges, x.log),
            y: g[k * bins..(k + 1) * bins].to_vec(),
            look: Look::of(k),
            ..Series::default()
        };
        return Ok(OfBlocks::Curves(Curves {
            series: (0..blocks).map(line).collect(),
            coordination: Vec::new(),
            x_label: x.label(),
            y_label: label,
            x_range: style.x.ends(log_x, "x")?.unwrap_or(ends),
            y_range: style.y.ends(log_y, "y")?,
            log_x: log_x && ends[0] > 0.0,
            log_y,
            reference: (is_ratio(table) && !log_y).then_some(1.0),
            power: 0.0,
            remarks: Vec::new(),
        }));
    }
    // The last block ends as far behind its first frame as the one before it.
    let last = begins[blocks - 1];
    let step = (last - begins[blocks - 2]).max(lengths[blocks - 1]);
    let frames = Axis {
        name: "frame".to_owned(),
        edges: begins.iter().copied().chain([last + step]).collect(),
        log: false,
        unit: None,
        of: None,
    };
    let values = (0..bins * blocks).map(|at| g[(at % blocks) * bins + at / blocks]);
    Ok(OfBlocks::Map(Map {
        x_edges: x.edges.clone(),
        y_edges: frames.edges.clone(),
        x_scale: map_scale(x, style.x, "x")?,
        y_scale: map_scale(&frames, style.y, "y")?,
        equal: false,
        contours: false,
        meaning: Meaning::AboutOne,
        x_label: x.label(),
        y_label: frames.label(),
        value_label: label,
        values: values.collect(),
        blocks: None,
    }))
}

/// n(r), which is known at the upper edges: of one pair of species, or of each, both ways round.
pub(crate) fn coordination(table: &Table, x: &Axis) -> Vec<Series> {
    let names = table.columns.iter().map(|column| column.name.as_str());
    let pairs = names.filter(|name| *name == "n" || name.starts_with("n_"));
    let pairs = pairs.filter(|name| !name.ends_with("error"));
    let line = |(k, name): (usize, &str)| {
        Some(Series {
            label: partial_label(name.get(2..).unwrap_or_default()),
            x: x.edges[1..].to_vec(),
            y: column(table, name)?,
            look: Look::of(k),
            ..Series::default()
        })
    };
    pairs.enumerate().filter_map(line).collect()
}

/// The partial structure factors of one definition, by their names in the table.
pub(crate) fn of_faber_ziman(table: &Table) -> Vec<String> {
    let all = partial_names(table, "S_");
    let of_species = |pair: &String| !FLUCTUATIONS.contains(&pair.as_str());
    all.into_iter().filter(of_species).collect()
}

/// Correlations of number density and composition.
const FLUCTUATIONS: [&str; 3] = ["NN", "NC", "CC"];

/// S(q) by each of its definitions that a table has: of Faber & Ziman, which `curves` are, Ashcroft & Langreth, Bhatia & Thornton, and in all.
pub(crate) fn factors(table: &Table, curves: &Curves) -> Vec<Curves> {
    let named = |prefix: &str, names: &[String]| -> Vec<(String, String)> {
        let column = |name: &String| (name.clone(), format!("{prefix}{name}"));
        names.iter().map(column).collect()
    };
    let definitions = [
        (
            "Faber-Ziman S(q)",
            Some(1.0),
            named("S_", &of_faber_ziman(table)),
        ),
        (
            "Ashcroft-Langreth S(q)",
            None,
            named("SAL_", &partial_names(table, "SAL_")),
        ),
        (
            "Bhatia-Thornton S(q)",
            None,
            named("S_", &FLUCTUATIONS.map(str::to_owned)),
        ),
        (
            "total S(q)",
            Some(1.0),
            vec![(String::new(), "S".to_owned())],
        ),
    ];
    let Some(first) = curves.series.first() else {
        return Vec::new();
    };
    let shown = |(label, reference, names): (&str, Option<f64>, Vec<(String, String)>)| {
        let line = |(k, (label, name)): (usize, (String, String))| {
            Some(Series {
                label,
                x: first.x.clone(),
                y: column(table, &name)?,
                error: column(table, &format!("{name}_error")).unwrap_or_default(),
                look: Look::of(k),
                ..Series::default()
            })
        };
        let series: Vec<Series> = names.into_iter().enumerate().filter_map(line).collect();
        (!series.is_empty()).then(|| Curves {
            series,
            y_label: label.to_owned(),
            reference,
            ..curves.clone()
        })
    };
    definitions.into_iter().filter_map(shown).collect()
}
