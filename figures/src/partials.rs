//! Partial functions of many pairs of species: a matrix with axes for each pair.
//!
//! Entry: [`Partials`]. The pairs of a species stand in its row and in its column, above the diagonal; rows are scaled each by themselves.

use albireo_catalogs::Table;

use crate::axes::{Area, LABEL_SIZE, Plane, frame, horizontal, vertical};
use crate::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use crate::curve::{Curves, dashes};
use crate::series::Series;
use crate::ticks::{Ticks, power_of_ten};

/// The fewest pairs that stand in a matrix: three share axes, legibly.
pub(crate) const FEWEST: usize = 4;

/// A matrix of curves.
#[derive(Debug, Clone)]
pub(crate) struct Partials {
    /// The curves with their rows and columns.
    panels: Vec<(Series, [usize; 2])>,
    /// Rows and columns.
    size: [usize; 2],
    /// What all have in common: the axis of x, and what there is to compare with.
    common: Curves,
    pub(crate) y_label: String,
}

/// Width and height of a panel, and what lies between two of them: the numbers of the y axis, and nothing but air.
const PANEL: Point = [104.0, 74.0];
const BETWEEN: Point = [30.0, 10.0];
/// Around all panels: left, top, right, bottom.
const AROUND: [f64; 4] = [52.0, 12.0, 14.0, 44.0];
const NUMBER_SIZE: f64 = 7.0;
const NAME_SIZE: f64 = 8.5;
const TICK: f64 = 3.0;

/// Where each pair stands: by its species, if all are known, else one after the other.
fn places(table: &Table, pairs: &[String]) -> (Vec<[usize; 2]>, [usize; 2]) {
    let species = table.meta.get("species").and_then(|names| names.as_array());
    let names: Vec<&str> = (species.into_iter().flatten())
        .filter_map(|name| name.as_str())
        .collect();
    let place = |pair: &String| {
        let n = names.len();
        let mut all = (0..n).flat_map(|a| (0..n).map(move |b| [a, b]));
        let of = |[a, b]: &[usize; 2]| format!("{}-{}", names[*a], names[*b]) == *pair;
        all.find(of).map(|[a, b]| [a.min(b), a.max(b)])
    };
    let found: Option<Vec<[usize; 2]>> = pairs.iter().map(place).collect();
    let Some(found) = found else {
        let columns = (pairs.len() as f64).sqrt().ceil() as usize;
        let all = (0..pairs.len()).map(|k| [k / columns, k % columns]);
        return (all.collect(), [pairs.len().div_ceil(columns), columns]);
    };
    // Species of which no pair was counted have no row and no column.
    let dense = |at: usize| {
        let mut used: Vec<usize> = found.iter().map(|place| place[at]).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let used = [dense(0), dense(1)];
    let rank = |at: usize, place: usize| used[at].partition_point(|&other| other < place);
    let size = [used[0].len(), used[1].len()];
    let ranked = found.iter().map(|&[a, b]| [rank(0, a), rank(1, b)]);
    (ranked.collect(), size)
}

/// The place of a panel on the page.
fn area([row, column]: [usize; 2]) -> Area {
    let left = AROUND[0] + column as f64 * (PANEL[0] + BETWEEN[0]);
    let top = AROUND[1] + row as f64 * (PANEL[1] + BETWEEN[1]);
    Area {
        left,
        top,
        right: left + PANEL[0],
        bottom: top + PANEL[1],
    }
}

impl Partials {
    /// The curves of a table, one a pair of species, each in axes of its own.
    pub(crate) fn of(table: &Table, pairs: &[String], mut curves: Curves) -> Self {
        let (places, size) = places(table, pairs);
        let series = std::mem::take(&mut curves.series).into_iter();
        let one_colour = series.map(|mut one| {
            one.look.colour = 0;
            one
        });
        curves.right.clear();
        Self {
            panels: one_colour.zip(places).collect(),
            size,
            y_label: std::mem::take(&mut curves.y_label),
            common: curves,
        }
    }

    /// The curves.
    pub(crate) fn series(&self) -> impl Iterator<Item = &Series> {
        self.panels.iter().map(|(series, _)| series)
    }

    /// Width and height.
    pub(crate) fn page(&self) -> Point {
        let [rows, columns] = self.size.map(|n| n as f64);
        [
            AROUND[0] + columns * PANEL[0] + (columns - 1.0) * BETWEEN[0] + AROUND[2],
            AROUND[1] + rows * PANEL[1] + (rows - 1.0) * BETWEEN[1] + AROUND[3],
        ]
    }

    /// Draws all panels.
    pub(crate) fn draw(&self, face: &Typeface, surface: &mut dyn Surface) {
        for (series, place) in &self.panels {
            let curves = Curves {
                series: vec![series.clone()],
                ..self.common.clone()
            };
            let last = self.panels.iter().filter(|(_, other)| other[1] == place[1]);
            let lowest = last.map(|(_, other)| other[0]).max() == Some(place[0]);
            panel(&curves, area(*place), lowest, (face, &mut *surface));
        }
        // Below and left of the diagonal there is nothing: labels stand at the first row and the last column.
        let (first, last) = (area([0, 0]), area([0, self.size[1] - 1]));
        let across = f64::midpoint(last.left, last.right);
        let up = f64::midpoint(first.top, first.bottom);
        let bottom = [across, self.page()[1] - 10.0];
        Text::centred(&self.common.x_label, bottom, LABEL_SIZE).draw(face, surface, Colour::INK);
        Text::centred(&self.y_label, [8.0 + LABEL_SIZE, up], LABEL_SIZE)
            .upwards()
            .draw(face, surface, Colour::INK);
    }
}

/// One curve in its axes; the x axis has numbers where no other panel stands below.
fn panel(
    curves: &Curves,
    area: Area,
    numbered: bool,
    (face, surface): (&Typeface, &mut dyn Surface),
) {
    // The name stands above the curve.
    let [x, y] = curves.scales();
    let y = y.with_headroom(0.8);
    let plane = Plane { x, y, area };
    if let Some(reference) = curves.reference
        && plane.y.holds(reference)
    {
        dashes(surface, area, plane.up(reference));
    }
    for series in &curves.series {
        series.draw(&plane, false, surface);
        Text::centred(
            &series.label,
            [area.right - 5.0, area.top + NAME_SIZE + 3.0],
            NAME_SIZE,
        )
        .literally()
        .anchored(Anchor::End)
        .draw(face, surface, Colour::INK);
    }
    frame(surface, area);
    let number = |value: &str, at: Point, anchor: Anchor, surface: &mut dyn Surface| {
        Text::centred(value, at, NUMBER_SIZE)
            .anchored(anchor)
            .draw(face, surface, Colour::INK);
    };
    let (across, up) = (Ticks::on(x, 3), Ticks::on(y, 3));
    for (value, label) in &across.major {
        let at = plane.across(*value);
        vertical(surface, at, area.bottom, area.bottom - TICK);
        if numbered {
            number(label, [at, area.bottom + 9.0], Anchor::Middle, surface);
        }
    }
    for (value, label) in &up.major {
        let at = plane.up(*value);
        horizontal(surface, at, area.left, area.left + TICK);
        let left = [area.left - 3.0, at + 0.36 * NUMBER_SIZE];
        number(label, left, Anchor::End, surface);
    }
    if up.exponent != 0 {
        let power = format!("× {}", power_of_ten(up.exponent));
        let corner = [area.left + 5.0, area.top + NUMBER_SIZE + 4.0];
        number(&power, corner, Anchor::Start, surface);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(species: &[&str], pairs: &[&str]) -> (Vec<[usize; 2]>, [usize; 2]) {
        let mut table = Table::default();
        table
            .meta
            .insert("species".to_owned(), serde_json::json!(species));
        let pairs: Vec<String> = pairs.iter().map(|&pair| pair.to_owned()).collect();
        places(&table, &pairs)
    }

    #[test]
    fn pairs_stand_in_the_row_and_the_column_of_their_species() {
        let (places, size) = at(&["Cl-1", "H", "O"], &["Cl-1-Cl-1", "O-Cl-1", "H-O", "O-O"]);
        assert_eq!(places, [[0, 0], [0, 1], [1, 1], [2, 1]]);
        assert_eq!(size, [3, 2]);
        let (places, size) = at(&["H"], &["a-b", "a-c", "b-c", "c-c", "d-d"]);
        assert_eq!(places[4], [1, 1]);
        assert_eq!(size, [2, 3]);
    }
}
