//! From a result table to curves or a map.
//!
//! Entry: [`Picture::of`]. It relies on the metadata keys `result`, `statistic`, `edges` and `unit`, which every result of this
//! program has.

use albireo_catalogs::{ResultKind, Table};

use crate::bins::{Axis, axes, centres, column, exponent, labelled, map_scale, required};
use crate::curve::Curves;
use crate::error::FigureError;
use crate::fluids::{
    OfBlocks, coordination, error_of, first_partial, g_label, is_of_blocks, is_ratio, lagged,
    of_blocks, of_faber_ziman, partial_label, partial_names,
};
use crate::map::{Map, Meaning};
use crate::matrix::correlation_matrix;
use crate::panels::Panels;
use crate::remarks::remarks;
use crate::series::{Look, Series};
use crate::style::{Named, Style, reservations};

/// What a figure shows.
#[derive(Debug, Clone)]
pub(crate) enum Picture {
    Curves(Curves),
    Map(Map),
    Panels(Panels),
}

impl Picture {
    /// What shows the results, in common axes where there are several.
    pub(crate) fn of(results: &[Named<'_>], style: Style) -> Result<Self, FigureError> {
        let mut picture = match results {
            [one] => Self::of_one(one.table, style)?,
            many => joined(many, style).map(Self::Curves)?,
        };
        if let Self::Curves(curves) = picture {
            let tables: Vec<&Table> = results.iter().map(|result| result.table).collect();
            picture = match Panels::of(&tables, curves) {
                Ok(panels) => Self::Panels(panels),
                Err(curves) => Self::Curves(*curves),
            };
        }
        let said = reservations(results);
        match &mut picture {
            Self::Curves(curves) => curves.y_label.push_str(&said),
            Self::Map(map) => map.value_label.push_str(&said),
            Self::Panels(panels) => panels.remark(&said),
        }
        Ok(picture)
    }

    /// What shows `table`.
    fn of_one(table: &Table, style: Style) -> Result<Self, FigureError> {
        let kind = table.kind().map_err(FigureError::NoResult)?;
        if matches!(
            kind,
            ResultKind::RegionCounts
                | ResultKind::Regions
                | ResultKind::RegionSums
                | ResultKind::ShellCounts
                | ResultKind::Randoms
                | ResultKind::Field
                | ResultKind::Thermodynamics
                | ResultKind::FkpWeights
                | ResultKind::Completeness
        ) {
            return Err(FigureError::NoFigure(kind.name()));
        }
        let axes = axes(table)?;
        if kind == ResultKind::Covariance {
            return correlation_matrix(table, &axes, style).map(Self::Map);
        }
        let rows = axes
            .iter()
            .map(|axis| axis.edges.len() - 1)
            .product::<usize>();
        let found = table.rows();
        if let [x] = &axes[..]
            && is_of_blocks(table)
            && !style.scales()
        {
            return Ok(match of_blocks(table, x, style, MAX_CURVES)? {
                OfBlocks::Curves(curves) => Self::Curves(curves),
                OfBlocks::Map(map) => Self::Map(map),
            });
        }
        if found != rows {
            return Err(FigureError::rows(found, rows));
        }
        if style.scales()
            && (matches!(kind, ResultKind::Counts | ResultKind::Window)
                || matches!(
                    kind,
                    ResultKind::Rdf
                        | ResultKind::StructureFactor
                        | ResultKind::Distances
                        | ResultKind::NeutronFunctions
                )
                || kind == ResultKind::NumberDensity
                || axes.len() == 2
                || axes[0].name == "theta")
        {
            return Err(FigureError::not_scaled());
        }
        match &axes[..] {
            [x, y] => map(table, kind, [x, y], style).map(Self::Map),
            [x] => curves(table, kind, x, style).map(Self::Curves),
            _ => Err(FigureError::axes(axes.len())),
        }
    }
}

/// Most curves that a legend has room for.
const MAX_CURVES: usize = 12;

/// Several results in common axes: a colour for each of them, or a marker too where each is one curve.
fn joined(results: &[Named<'_>], style: Style) -> Result<Curves, FigureError> {
    let mut all: Option<Curves> = None;
    for (k, result) in results.iter().enumerate() {
        let name = result.name;
        let picture = Picture::of_one(result.table, style).map_err(|error| FigureError::OneOf {
            name: name.to_owned(),
            source: Box::new(error),
        })?;
        let Picture::Curves(mut one) = picture else {
            return Err(FigureError::Input(format!(
                "{name}: maps over two axes are drawn one at a time"
            )));
        };
        let single = one.series.len() == 1;
        for series in one.series.iter_mut().chain(&mut one.coordination) {
            name.clone_into(&mut series.source);
            series.look.colour = k;
            if single {
                // Behind the last colour the markers change places.
                series.look.marker = k + k / crate::colour::SERIES.len();
            }
        }
        let Some(all) = &mut all else {
            all = Some(one);
            continue;
        };
        let labels = |curves: &Curves| format!("{} over {}", curves.y_label, curves.x_label);
        if labels(all) != labels(&one) {
            return Err(FigureError::Input(format!(
                "{name} shows {}, {} shows {}: they have no axes in common",
                labels(&one),
                results[0].name,
                labels(all)
            )));
        }
        all.series.extend(one.series);
        all.coordination.extend(one.coordination);
        for remark in one.remarks {
            if !all.remarks.contains(&remark) {
                all.remarks.push(remark);
            }
        }
        all.x_range = [
            all.x_range[0].min(one.x_range[0]),
            all.x_range[1].max(one.x_range[1]),
        ];
        all.log_x &= one.log_x;
        all.log_y &= one.log_y;
    }
    let all = all.ok_or(FigureError::Nothing)?;
    let found = all.series.len().max(all.coordination.len());
    if found > MAX_CURVES {
        return Err(FigureError::Input(format!(
            "{found} curves are too many for one figure: it takes {MAX_CURVES}"
        )));
    }
    Ok(all)
}

fn map(
    table: &Table,
    kind: ResultKind,
    [x, y]: [&Axis; 2],
    style: Style,
) -> Result<Map, FigureError> {
    let arguments = match x.of {
        Some(_) => String::new(),
        None => format!("({}, {})", x.symbol(), y.symbol()),
    };
    let (values, value_label) = match kind {
        ResultKind::Counts => counts_or_weights(table, "pairs per bin")?,
        ResultKind::Rdf => first_partial(table, &arguments)?,
        _ => (required(table, "xi")?, format!("ξ{arguments}")),
    };
    let lengths = matches!((&x.name[..], &y.name[..]), ("rp", "pi") | ("rho", "z"));
    Ok(Map {
        x_edges: x.edges.clone(),
        y_edges: y.edges.clone(),
        x_scale: map_scale(x, style.x, "x")?,
        y_scale: map_scale(y, style.y, "y")?,
        equal: lengths,
        contours: lengths && kind == ResultKind::Correlation,
        meaning: if kind == ResultKind::Rdf {
            Meaning::AboutOne
        } else {
            Meaning::Any
        },
        x_label: x.label(),
        y_label: y.label(),
        value_label,
        values,
        blocks: None,
    })
}

/// Weighted sums where the result has them, else numbers of pairs.
fn counts_or_weights(table: &Table, label: &str) -> Result<(Vec<f64>, String), FigureError> {
    match column(table, "weight") {
        Some(weight) => Ok((weight, format!("weighted {label}"))),
        None => Ok((required(table, "npairs")?, label.to_owned())),
    }
}

/// The multipole orders of a result, from its columns `xi_0`, `xi_2`..
fn orders(table: &Table, prefix: &str) -> Vec<String> {
    let names = table
        .columns
        .iter()
        .filter_map(|column| column.name.strip_prefix(prefix));
    names
        .filter(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// The ranges of mu that the wedges of a result are means over, from its record.
fn wedges(table: &Table) -> Vec<String> {
    let edges = table.meta.get("wedges").and_then(|edges| edges.as_array());
    let mut numbers: Vec<f64> = vec![];
    for edge in edges.into_iter().flatten() {
        numbers.extend(edge.as_f64());
    }
    // As many digits as edges are distinguished by, three at most: thirds need no more.
    let short = |edge: f64| {
        let text = format!("{edge:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.to_owned()
    };
    let label = |e: &[f64]| format!("{} < μ < {}", short(e[0]), short(e[1]));
    numbers.windows(2).map(label).collect()
}

/// What a kind of result shows over one axis.
struct Shown {
    series: Vec<Series>,
    label: String,
    /// The power of the separation that `--r2` multiplies by.
    power: i32,
    reference: Option<f64>,
}

/// Pairs in each bin.
fn shown_counts(table: &Table, places: Vec<f64>) -> Result<Shown, FigureError> {
    let (y, label) = counts_or_weights(table, "pairs per bin")?;
    let line = Series {
        x: places,
        y,
        ..Series::default()
    };
    Ok(Shown {
        series: vec![line],
        label,
        power: 0,
        reference: None,
    })
}

/// The columns of the formulas of a result: a column each, or one for each multipole or wedge.
fn formulas(table: &Table) -> Vec<&str> {
    let all = table.meta.get("formulas").and_then(|all| all.as_array());
    let names = all.into_iter().flatten();
    let names: Vec<&str> = names
        .filter_map(|one| one.get("name").and_then(|name| name.as_str()))
        .collect();
    let has = |name: &&str| table.columns.iter().any(|column| column.name == **name);
    if names.iter().all(has) {
        return names;
    }
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of = |column: &str, name: &str| {
        let rest = column.strip_prefix(name);
        let rest = rest.and_then(|rest| rest.strip_prefix("_wedge_").or(rest.strip_prefix('_')));
        rest.is_some_and(is_number)
    };
    let columns = table.columns.iter().map(|column| &*column.name);
    let of_name = |name: &&str| {
        columns
            .clone()
            .filter(|column| is_of(column, name))
            .collect::<Vec<_>>()
    };
    names.iter().flat_map(of_name).collect()
}

fn shown(table: &Table, kind: ResultKind, x: &Axis) -> Result<Shown, FigureError> {
    let name = x.symbol();
    let means = ["mean", "weighted_mean"];
    let mut means = means.iter().map(|mean| format!("{mean}_{}", x.name));
    let places = means.find_map(|mean| column(table, &mean));
    let places = places.unwrap_or_else(|| centres(&x.edges, x.log));
    let series = |label: &str, value: &str, k: usize| -> Result<Series, FigureError> {
        Ok(Series {
            label: partial_label(label),
            x: places.clone(),
            y: required(table, value)?,
            error: error_of(table, value).unwrap_or_default(),
            look: Look::of(k),
            ..Series::default()
        })
    };
    let of_all = |series: Vec<Series>, label: String, power: i32| {
        Ok(Shown {
            series,
            label,
            power,
            reference: Some(0.0),
        })
    };
    let single = |value: &str, label: String, power: i32| -> Result<Shown, FigureError> {
        of_all(vec![series("", value, 0)?], label, power)
    };
    let by_order = |prefix: &str| -> Result<Vec<Series>, FigureError> {
        let orders = orders(table, prefix);
        let of = |(k, l)| series(&format!("ℓ = {l}"), &format!("{prefix}{l}"), k);
        orders.iter().enumerate().map(of).collect()
    };
    match kind {
        ResultKind::Counts => shown_counts(table, places),
        ResultKind::Correlation if table.meta.get("pair_sums").is_some() => {
            let formula = table.meta.get("estimator").and_then(|text| text.as_str());
            single("xi", formula.unwrap_or_default().to_owned(), 0)
        }
        ResultKind::Correlation if x.name == "theta" => single("xi", "w(θ)".to_owned(), 0),
        ResultKind::Correlation if x.of.is_some() => single("xi", "ξ".to_owned(), 0),
        ResultKind::Correlation => single("xi", format!("ξ({name})"), 2),
        ResultKind::NumberDensity => {
            let unit = table.meta.get("unit").and_then(|unit| unit.as_str());
            single("n", labelled("n(z)", unit, -3.0), 0)
        }
        ResultKind::Projected => single("wp", "w_p(r_p)".to_owned(), 1),
        ResultKind::Multipoles => of_all(by_order("xi_")?, format!("ξ_ℓ({name})"), 2),
        ResultKind::Window => of_all(by_order("Q_")?, format!("Q_ℓ({name})"), 0),
        ResultKind::Wedges => {
            let all = wedges(table).into_iter().enumerate();
            let all = all.map(|(k, label)| series(&label, &format!("xi_wedge_{k}"), k));
            of_all(all.collect::<Result<_, _>>()?, format!("ξ_w({name})"), 2)
        }
        ResultKind::Formulas => {
            let all = formulas(table).into_iter().enumerate();
            let all = all.map(|(k, name)| series(name, name, k));
            of_all(all.collect::<Result<_, _>>()?, String::new(), 0)
        }
        ResultKind::Rdf => Ok(Shown {
            series: match &partial_names(table, "g_")[..] {
                [] => vec![series("g(r)", "g", 0)?],
                pairs => several(table, pairs, &|pair, k| {
                    series(pair, &format!("g_{pair}"), k)
                })?,
            },
            label: g_label(table),
            power: 0,
            reference: is_ratio(table).then_some(1.0),
        }),
        ResultKind::StructureFactor => Ok(Shown {
            series: match &of_faber_ziman(table)[..] {
                [] => vec![series("I(q)", "I", 0)?],
                pairs => several(table, pairs, &|pair, k| {
                    series(pair, &format!("S_{pair}"), k)
                })?,
            },
            label: "S(q)".to_owned(),
            power: 0,
            reference: Some(1.0),
        }),
        // Its integral is 1.
        ResultKind::Distances => single(
            "P",
            labelled(&format!("P({name})"), x.unit.as_deref(), -1.0),
            0,
        ),
        ResultKind::NeutronFunctions => single("G", format!("G({name})"), 0),
        _ => Err(FigureError::NoFigure(kind.name())),
    }
}

/// A curve for each name; of pairs of frames, which share axes, no more than a legend has room for.
fn several(
    table: &Table,
    names: &[String],
    one: &dyn Fn(&str, usize) -> Result<Series, FigureError>,
) -> Result<Vec<Series>, FigureError> {
    let most = if lagged(table) {
        MAX_CURVES
    } else {
        names.len()
    };
    let shown = names.iter().take(most).enumerate();
    shown.map(|(k, name)| one(name, k)).collect()
}

/// The ends of an axis that shows all bins; a logarithmic one begins at the first place above zero.
fn all_bins(x: &Axis, places: &[f64], log: bool) -> Result<[f64; 2], FigureError> {
    let [lo, hi] = [x.edges[0], x.edges[x.edges.len() - 1]];
    if !log {
        return Ok([lo, hi]);
    }
    let first = places.iter().copied().filter(|&place| place > 0.0);
    let lo = if lo > 0.0 {
        lo
    } else {
        first.fold(hi, f64::min)
    };
    if lo <= 0.0 || lo >= hi {
        return Err(FigureError::Call(format!(
            "--x-scale log: no bin in {} lies above 0",
            x.name
        )));
    }
    let room = (hi / lo).powf(0.03);
    Ok([lo / room, hi * room])
}

fn curves(table: &Table, kind: ResultKind, x: &Axis, style: Style) -> Result<Curves, FigureError> {
    let Shown {
        series,
        label,
        power: usual,
        reference,
    } = shown(table, kind, x)?;
    let (name, unit) = (x.symbol(), x.unit.as_deref());
    let by_default = matches!(kind, ResultKind::Multipoles | ResultKind::Wedges);
    let power = style.power(usual, by_default);
    let is_length = kind == ResultKind::Projected;
    let y_label = if power == 0.0 && !is_length {
        label
    } else {
        let scaled = match power {
            0.0 => label,
            _ => format!("{name}{} {label}", exponent(power)),
        };
        labelled(&scaled, unit, power + f64::from(is_length))
    };
    let log_x = style.x.is_log(x.log);
    let log_y = style
        .y
        .is_log(x.log && power == 0.0 && kind != ResultKind::Rdf);
    let places = series.first().map(|one| one.x.clone()).unwrap_or_default();
    let x_range = match style.x.ends(log_x, "x")? {
        Some(range) => range,
        None => all_bins(x, &places, log_x)?,
    };
    let coordination = match kind {
        ResultKind::Rdf => coordination(table, x),
        _ => Vec::new(),
    };
    let scaled = |line| times_separation(line, power);
    Ok(Curves {
        power,
        remarks: remarks(table, &series),
        series: series.into_iter().map(scaled).collect(),
        coordination,
        x_label: x.label(),
        y_label,
        x_range,
        y_range: style.y.ends(log_y, "y")?,
        log_x,
        log_y,
        reference: reference.filter(|_| !log_y || kind == ResultKind::Rdf),
    })
}

/// The curve and its errors times the separation to a power.
pub(crate) fn times_separation(line: Series, power: f64) -> Series {
    if power == 0.0 {
        return line;
    }
    let factor = |k: usize| line.x[k].powf(power);
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
