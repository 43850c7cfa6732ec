//! A frame with ticks and labels around a rectangle of the page.
//!
//! Entry: [`Axes`]. It draws no data.

use super::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use super::ticks::{Scale, Ticks, power_of_ten};

/// Text sizes, points.
pub(super) const TICK_SIZE: f64 = 10.0;
pub(super) const LABEL_SIZE: f64 = 12.0;

const LINE: f64 = 0.8;
const MAJOR: f64 = 5.5;
const MINOR: f64 = 3.0;
const GAP: f64 = 5.0;

/// One axis: its scale and what it shows.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) label: String,
}

/// A rectangle of the page: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// Two axes and the area between them.
pub(super) struct Axes {
    pub(super) x: Axis,
    pub(super) y: Axis,
    x_ticks: Ticks,
    y_ticks: Ticks,
    pub(super) area: Area,
}

/// Widest of the labels.
pub(super) fn widest(ticks: &Ticks, face: &Typeface) -> f64 {
    ticks
        .major
        .iter()
        .map(|(_, label)| face.width(label, TICK_SIZE))
        .fold(0.0, f64::max)
}

/// A label with the power of ten that its ticks leave out.
pub(super) fn with_exponent(label: &str, ticks: &Ticks) -> String {
    if ticks.exponent == 0 {
        return label.to_owned();
    }
    format!("{label}  × {}", power_of_ten(ticks.exponent))
}

impl Axes {
    /// Axes on a page, leaving room for the labels and `right` points at the right.
    pub(super) fn new(x: Axis, y: Axis, page: Point, right: f64, face: &Typeface) -> Self {
        let (x_ticks, y_ticks) = (Ticks::on(x.scale, 7), Ticks::on(y.scale, 6));
        // The last label of the x axis may stand out over the end of its axis.
        let overhang = x_ticks
            .major
            .last()
            .map_or(0.0, |(_, label)| face.width(label, TICK_SIZE) / 2.0);
        let area = Area {
            left: 10.0 + LABEL_SIZE + GAP + widest(&y_ticks, face) + GAP,
            top: 12.0,
            right: page[0] - (12.0 + right).max(overhang + 6.0),
            bottom: page[1] - (GAP + TICK_SIZE + 8.0 + LABEL_SIZE + 8.0),
        };
        Self {
            x,
            y,
            x_ticks,
            y_ticks,
            area,
        }
    }

    /// Where a value along x stands on the page.
    pub(super) fn across(&self, value: f64) -> f64 {
        self.area.left + self.x.scale.place(value) * (self.area.right - self.area.left)
    }

    /// Where a value along y stands on the page.
    pub(super) fn up(&self, value: f64) -> f64 {
        self.area.bottom - self.y.scale.place(value) * (self.area.bottom - self.area.top)
    }

    /// Draws frame, ticks and labels.
    pub(super) fn draw(&self, face: &Typeface, surface: &mut dyn Surface) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        for (value, length) in marks(&self.x_ticks) {
            let x = self.across(value);
            vertical(surface, x, bottom, bottom - length);
            vertical(surface, x, top, top + length);
        }
        for (value, length) in marks(&self.y_ticks) {
            let y = self.up(value);
            horizontal(surface, y, left, left + length);
            horizontal(surface, y, right, right - length);
        }
        frame(surface, self.area);
        for (value, label) in &self.x_ticks.major {
            let at = [self.across(*value), bottom + GAP + TICK_SIZE];
            Text::centred(label, at, TICK_SIZE).draw(face, surface, Colour::INK);
        }
        for (value, label) in &self.y_ticks.major {
            let at = [left - GAP, self.up(*value) + 0.36 * TICK_SIZE];
            Text::centred(label, at, TICK_SIZE)
                .anchored(Anchor::End)
                .draw(face, surface, Colour::INK);
        }
        let x_label = with_exponent(&self.x.label, &self.x_ticks);
        let at = [
            f64::midpoint(left, right),
            bottom + GAP + TICK_SIZE + 8.0 + LABEL_SIZE,
        ];
        Text::centred(&x_label, at, LABEL_SIZE).draw(face, surface, Colour::INK);
        let y_label = with_exponent(&self.y.label, &self.y_ticks);
        let at = [10.0 + 0.75 * LABEL_SIZE, f64::midpoint(top, bottom)];
        Text::centred(&y_label, at, LABEL_SIZE)
            .upwards()
            .draw(face, surface, Colour::INK);
    }
}

/// Ticks with their lengths.
fn marks(ticks: &Ticks) -> impl Iterator<Item = (f64, f64)> + '_ {
    let major = ticks.major.iter().map(|(value, _)| (*value, MAJOR));
    major.chain(ticks.minor.iter().map(|&value| (value, MINOR)))
}

/// A sharp vertical line.
pub(super) fn vertical(surface: &mut dyn Surface, x: f64, from: f64, to: f64) {
    surface.rectangle([x - LINE / 2.0, from], [x + LINE / 2.0, to], Colour::INK);
}

/// A sharp horizontal line.
pub(super) fn horizontal(surface: &mut dyn Surface, y: f64, from: f64, to: f64) {
    surface.rectangle([from, y - LINE / 2.0], [to, y + LINE / 2.0], Colour::INK);
}

/// The outline of an area.
pub(super) fn frame(surface: &mut dyn Surface, area: Area) {
    let Area {
        left,
        top,
        right,
        bottom,
    } = area;
    for y in [top, bottom] {
        horizontal(surface, y, left - LINE / 2.0, right + LINE / 2.0);
    }
    for x in [left, right] {
        vertical(surface, x, top, bottom);
    }
}
