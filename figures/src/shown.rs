//! What a figure shows, as numbers and words, for those who draw it in their own way: programs by [`shown`], pages by `report`.
//!
//! Entry: [`shown`]; [`panel`] and [`cells`] have the curves and the map.

use serde_json::{Value, json};

use crate::curve::Curves;
use crate::error::FigureError;
use crate::map::{Map, Shade};
use crate::reading::Picture;
use crate::series::Series;
use crate::style::{Named, Style};
use crate::ticks::Scale;

/// What [`draw`](crate::draw) shows of these results, as JSON, where what is no number is null: `panels` of curves in so many `columns`, or a `map`.
///
/// In labels `_` and `^` make what follows a subscript and a superscript, but not in names of panels and of the files that curves come from. Values of
/// a map are one a cell, y varying fastest.
///
/// # Errors
/// As [`draw`](crate::draw).
///
/// ```
/// # use albireo_catalogs::{ResultKind, Table, TableColumn};
/// # let mut table = Table::default();
/// # table.columns.push(TableColumn::floats("xi", "", vec![2.0, 0.5]));
/// # table.meta.insert("result".to_owned(), ResultKind::Correlation.name().into());
/// # table.meta.insert("edges".to_owned(), serde_json::json!({"r": [1.0, 2.0, 3.0]}));
/// let named = albireo_figures::Named { name: "", table: &table };
/// let shown = albireo_figures::shown(&[named], albireo_figures::Style::default())?;
/// assert_eq!(shown["panels"][0]["labels"], serde_json::json!(["r", "ξ(r)"]));
/// assert_eq!(shown["panels"][0]["curves"][0]["y"], serde_json::json!([2.0, 0.5]));
/// # Ok::<(), albireo_figures::FigureError>(())
/// ```
pub fn shown(results: &[Named<'_>], style: Style) -> Result<Value, FigureError> {
    Ok(match &Picture::of(results, style)? {
        Picture::Curves(curves) => json!({"panels": [panel("", curves)], "columns": 1}),
        Picture::Panels(panels) => {
            let all = panels.named().map(|(name, curves)| panel(name, curves));
            json!({"panels": all.collect::<Vec<_>>(), "columns": panels.columns()})
        }
        Picture::Map(map) => json!({"map": cells(map)}),
    })
}

fn is_logarithmic(scale: Scale) -> bool {
    matches!(scale, Scale::Log { .. })
}

/// Curves in common axes: labels, scales and ends of x and y, and those ends of y that were asked for.
pub(crate) fn panel(name: &str, curves: &Curves) -> Value {
    let curve = |series: &Series| {
        json!({
            "source": series.source, "label": series.label, "x": series.x, "y": series.y, "error": series.error,
            "colour": series.look.colour, "marker": series.look.marker,
        })
    };
    let scales = curves.scales();
    json!({
        "name": name,
        "labels": [curves.x_label, curves.y_label],
        "logarithmic": scales.map(is_logarithmic),
        "ends": scales.map(Scale::ends),
        "y_range": curves.y_range,
        "reference": curves.reference,
        "remarks": curves.remarks,
        "markers": curves.has_markers(),
        "curves": curves.series.iter().map(curve).collect::<Vec<_>>(),
    })
}

/// A map: edges, values and how they become colours, contours with their levels.
pub(crate) fn cells(map: &Map) -> Value {
    let shade = map.shade();
    let (colours, threshold, [lo, hi]) = match shade {
        Shade::Amount(Scale::Linear { lo, hi }) => ("linear", None, [lo, hi]),
        Shade::Amount(Scale::Log { lo, hi }) => ("logarithmic", None, [lo, hi]),
        Shade::Signed { threshold, lo, hi } => ("signed", Some(threshold), [lo, hi]),
        Shade::Correlation => ("correlation", None, [-1.0, 1.0]),
    };
    let scales = [map.x_scale, map.y_scale];
    let blocks = map
        .blocks
        .as_ref()
        .map(|blocks| json!({"names": blocks.names, "ticks": blocks.ticks.major}));
    json!({
        "edges": [map.x_edges, map.y_edges],
        "ends": scales.map(Scale::ends),
        "values": map.values,
        "labels": [map.x_label, map.y_label, map.value_label],
        "logarithmic": scales.map(is_logarithmic),
        "aspect": map.equal_sides(None).map(|[width, height]| height / width),
        "colours": {"scale": colours, "threshold": threshold, "ends": [lo, hi]},
        "contours": map.contours(&shade),
        "blocks": blocks,
    })
}
