//! What the figures of a result show, as data for the page: that of `shown` with fewer digits and colours.
//!
//! Entry: [`figures`].

use albireo_catalogs::{ResultKind, Table};
use serde_json::{Value, json};

use super::rows::float;
use crate::bins::{column, labelled, required};
use crate::canvas::{Colour, Typeface};
use crate::curve::Curves;
use crate::error::FigureError;
use crate::map::Map;
use crate::reading::Picture;
use crate::region_map::{Chart, Places, RegionMap};
use crate::shown::{cells, panel};
use crate::style::{Named, Style};
use crate::svg::{Svg, hex};

/// Most cells of a map, or points of curves.
const MOST: usize = 60_000;
/// Most points in regions.
const POINTS: usize = 5_000;

/// A figure of the page.
pub(super) struct Figure {
    /// What the script draws.
    pub(super) data: Value,
    /// What is drawn already.
    pub(super) drawing: String,
}

impl From<Value> for Figure {
    fn from(data: Value) -> Self {
        let drawing = String::new();
        Self { data, drawing }
    }
}

/// The figures of a result; none of kinds that no figure shows.
pub(super) fn figures(parts: &[Named<'_>]) -> Result<Vec<Figure>, FigureError> {
    let kind = match parts {
        [one] => Some(one.table.kind().map_err(FigureError::NoResult)?),
        _ => None,
    };
    if let ([one], Some(ResultKind::Regions)) = (parts, kind) {
        return Ok(vec![regions(one.table)?]);
    }
    let picture = match Picture::of(parts, Style::default()) {
        Err(FigureError::NoFigure(_)) => return Ok(Vec::new()),
        picture => picture?,
    };
    Ok(match &picture {
        Picture::Curves(one) => vec![curves(&[("", one)], 1)],
        Picture::Map(one) => vec![map(one)],
        Picture::Panels(panels) => {
            let columns = panels.columns();
            let named = panels.named().map(|(name, curves)| (&name[..], curves));
            let named: Vec<_> = named.collect();
            match columns {
                // One upon the other they have nothing in common.
                1 => named.chunks(1).map(|one| curves(one, 1)).collect(),
                _ => vec![curves(&named, columns)],
            }
        }
    }
    .into_iter()
    .map(Figure::from)
    .collect())
}

/// What stands in the place of a figure with too much in it.
fn too_large(found: usize, what: &str) -> Value {
    let said = format!("{found} {what} are too many for a page: albireo plot draws them.");
    json!({"kind": "note", "text": said})
}

/// Makes numbers those that a page shows: whole ones as they are, others with fewer digits.
fn shorten(values: &mut Value) {
    for value in values.as_array_mut().into_iter().flatten() {
        if let Some(number) = value.as_f64().filter(|number| number.fract() != 0.0) {
            *value = json!(float(number).parse().unwrap_or(f64::NAN));
        }
    }
}

/// Panels of curves, whose switches are common.
fn curves(panels: &[(&str, &Curves)], columns: usize) -> Value {
    let all = panels.iter().flat_map(|(_, curves)| &curves.series);
    let points = all.map(|one| one.x.len()).sum();
    if points > MOST {
        return too_large(points, "points");
    }
    let panel = |(name, curves): &(&str, &Curves)| {
        let mut panel = panel(name, curves);
        for curve in panel["curves"].as_array_mut().into_iter().flatten() {
            for values in ["x", "y", "error"] {
                shorten(&mut curve[values]);
            }
        }
        panel
    };
    let panels: Vec<Value> = panels.iter().map(panel).collect();
    json!({"kind": "curves", "columns": columns, "panels": panels})
}

/// A map with the colour of each cell, as its place in the ramp.
fn map(map: &Map) -> Value {
    if map.values.len() > MOST {
        return too_large(map.values.len(), "cells");
    }
    let shading = map.shading();
    let steps = shading.ramp.len() as f64;
    let step = |place: &Option<f64>| place.map(|place| (place * (steps - 1.0)).round() as u32);
    let mut shown = cells(map);
    shorten(&mut shown["values"]);
    shown["kind"] = json!("map");
    shown["equal"] = json!(map.equal);
    shown["steps"] = json!(shading.places.iter().map(step).collect::<Vec<_>>());
    shown["ramp"] = json!(shading.ramp.into_iter().map(hex).collect::<Vec<_>>());
    shown["labels"][2] = json!(shading.label);
    shown["bar"] = json!(shading.ticks);
    shown
}

/// Right ascensions and declinations, or x and y, of the rows of a table of regions, and whether they lie on the sky.
fn places(table: &Table) -> Result<([Vec<f64>; 2], bool), FigureError> {
    let [x, y, z] = ["x", "y", "z"].map(|name| required(table, name));
    let (x, y, z) = (x?, y?, z?);
    let first = table
        .meta
        .get("samples")
        .map(|samples| &samples[0]["coordinates"]);
    let on_sky = first.and_then(Value::as_str);
    if !on_sky.is_some_and(|kind| kind.starts_with("sky")) {
        return Ok(([x, y], false));
    }
    let across = x.iter().zip(&y);
    let dec = across.clone().zip(&z);
    let dec = dec.map(|((x, y), z)| z.atan2(x.hypot(*y)).to_degrees());
    let dec = dec.collect();
    let ra = across.map(|(x, y)| y.atan2(*x).to_degrees().rem_euclid(360.0));
    Ok(([ra.collect(), dec], true))
}

/// Points in the colours of their regions.
fn regions(table: &Table) -> Result<Figure, FigureError> {
    let ([first, second], on_sky) = places(table)?;
    let region = required(table, "region")?;
    let region: Vec<u32> = region.into_iter().map(|region| region as u32).collect();
    let unit = table.meta.get("unit").and_then(Value::as_str);
    let labels = ["x", "y"].map(|axis| labelled(axis, unit, 1.0));
    let places = if on_sky {
        let (ra, dec) = (&first, &second);
        Places::Sky { ra, dec }
    } else {
        let (x, y) = (&first, &second);
        let labels = [&labels[0][..], &labels[1]];
        Places::Plane { x, y, labels }
    };
    let map = RegionMap {
        places,
        region: &region,
    };
    let chart = Chart::of(&map)?;
    let face = Typeface::embedded()?;
    let layer = |draw: &dyn Fn(&mut Svg)| {
        let mut svg = Svg::new(chart.page());
        draw(&mut svg);
        // In the colours of the page, light on a dark ground.
        let drawn = svg.into_body();
        let drawn = drawn.replace(&hex(Colour::INK), "currentColor");
        drawn.replace(&hex(Colour::WHITE), "var(--paper)")
    };
    let below = layer(&|svg| chart.graticule(&face, svg));
    let above = layer(&|svg| chart.frame(&map, &face, svg));
    let [width, height] = chart.page();
    let drawing = format!(
        "<svg viewBox=\"0 0 {width} {height}\">{below}<g class=\"points\"></g>{above}</svg>"
    );
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    let point = |row: usize| {
        let [x, y] = chart.place_of(&map, row).map(tenth);
        json!([x, y, region[row], tenth(first[row]), tenth(second[row])])
    };
    let rows: Vec<usize> = map.rows(POINTS).collect();
    let weight = column(table, "weight").unwrap_or_default();
    let mut sums = vec![(0_u64, 0.0); region.iter().max().map_or(0, |last| *last as usize + 1)];
    for (row, &region) in region.iter().enumerate() {
        let sum = &mut sums[region as usize];
        *sum = (sum.0 + 1, sum.1 + weight.get(row).unwrap_or(&1.0));
    }
    let data = json!({
        "kind": "regions",
        "labels": if on_sky { ["RA", "Dec"] } else { ["x", "y"] },
        "rows": region.len(),
        "points": rows.iter().map(|&row| point(row)).collect::<Vec<_>>(),
        "colours": chart.colours(&map).into_iter().map(hex).collect::<Vec<_>>(),
        "sums": sums.iter().map(|(rows, weight)| json!([rows, float(*weight)])).collect::<Vec<_>>(),
        "numbers": chart.numbered(&map),
    });
    Ok(Figure { data, drawing })
}

#[cfg(test)]
mod tests {
    use albireo_catalogs::TableColumn;

    use super::*;

    /// Counts in two axes of bins, so many along each.
    fn counts(bins: u32) -> Table {
        let edges: Vec<u32> = (0..=bins).collect();
        let pairs = (0..u64::from(bins * bins)).map(|k| 1_234_567 + k).collect();
        let mut table = Table::default();
        table
            .columns
            .push(TableColumn::integers("npairs", "", pairs));
        let kind = ResultKind::Counts.name();
        table.meta.insert("result".to_owned(), kind.into());
        let edges = json!({"rp": edges, "pi": edges});
        table.meta.insert("edges".to_owned(), edges);
        table
    }

    fn figure(table: &Table) -> Figure {
        let found = figures(&[Named { name: "", table }]);
        found.unwrap().remove(0)
    }

    #[test]
    fn maps_have_whole_numbers_and_a_colour_for_each_cell() {
        let map = figure(&counts(3)).data;
        assert_eq!(map["values"][8], 1_234_575.0);
        assert_eq!(map["steps"][0], 0);
        assert_eq!(map["steps"][8], 127);
        assert_eq!(map["ramp"].as_array().map(Vec::len), Some(128));
        let mut values = json!([1.0 / 3.0, f64::MAX, null]);
        shorten(&mut values);
        assert_eq!(values, json!([0.333_333, f64::MAX, null]));
        let note = figure(&counts(300)).data;
        assert!(note["text"].as_str().unwrap().starts_with("90000 cells"));
    }

    #[test]
    fn regions_lie_where_their_points_do() {
        let column = |name: &str, values: [f64; 3]| TableColumn::floats(name, "", values.into());
        let axes = [
            ("x", [1.0, 0.9, 0.9]),
            ("y", [0.0, 0.1, -0.1]),
            ("z", [0.0, 0.2, 0.3]),
        ];
        let mut table = Table {
            columns: axes.map(|(name, values)| column(name, values)).into(),
            ..Table::default()
        };
        let region = TableColumn::integers("region", "", vec![0, 1, 1]);
        table.columns.push(region);
        let kind = ResultKind::Regions.name();
        table.meta.insert("result".to_owned(), kind.into());
        let plane = figure(&table);
        assert_eq!(plane.data["labels"], json!(["x", "y"]));
        assert_eq!(plane.data["sums"], json!([[1, "1"], [2, "2"]]));
        let samples = json!([{"coordinates": "sky and redshift"}]);
        table.meta.insert("samples".to_owned(), samples);
        let sky = figure(&table);
        assert_eq!(sky.data["points"][1][3], 6.3);
        assert_eq!(sky.data["points"][2][3], 353.7);
        // Right ascension increases to the left.
        let across = |row: usize| sky.data["points"][row][0].as_f64().unwrap();
        assert!(across(1) < across(0) && across(0) < across(2));
        assert!(sky.drawing.contains("Dec  [degrees]"));
    }
}
