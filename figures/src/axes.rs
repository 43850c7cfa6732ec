//! A frame with ticks and labels around a rectangle of the page.
//!
//! Entry: [`Axes`]. It draws no data.

use crate::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use crate::ticks::{Scale, Ticks, power_of_ten};

/// Text sizes, points.
pub(crate) const TICK_SIZE: f64 = 10.0;
pub(crate) const LABEL_SIZE: f64 = 12.0;

const LINE: f64 = 0.8;
const MAJOR: f64 = 5.5;
const MINOR: f64 = 3.0;
const GAP: f64 = 5.0;

/// One axis: its scale and what it shows.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    pub(crate) label: String,
    /// Its ticks, where they are not those of the scale.
    pub(crate) ticks: Option<Ticks>,
}

/// A rectangle of the page: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Two scales over a rectangle of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    pub(crate) area: Area,
}

impl Plane {
    /// Where a value along x stands on the page, the nearer end of the axis for one beyond it.
    pub(crate) fn across(&self, value: f64) -> f64 {
        self.area.left + self.x.place(value) * self.area.width()
    }

    /// Where a value along y stands on the page, the nearer end of the axis for one beyond it.
    pub(crate) fn up(&self, value: f64) -> f64 {
        self.area.bottom - self.y.place(value) * self.area.height()
    }

    /// Where a pair of values stands, in the area or beyond it.
    pub(crate) fn point(&self, x: f64, y: f64) -> Point {
        [
            self.area.left + self.x.position(x) * self.area.width(),
            self.area.bottom - self.y.position(y) * self.area.height(),
        ]
    }

    /// Whether a pair of values stands in the area.
    pub(crate) fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }
}

/// What is to be shown along the sides.
#[derive(Debug, Clone)]
pub(crate) struct Sides {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
}

/// Axes and the area between them.
pub(crate) struct Axes {
    sides: Sides,
    x_ticks: Ticks,
    y_ticks: Ticks,
    pub(crate) area: Area,
}

/// Widest of the labels.
pub(crate) fn widest(ticks: &Ticks, face: &Typeface) -> f64 {
    ticks
        .major
        .iter()
        .map(|(_, label)| face.width(label, TICK_SIZE))
        .fold(0.0, f64::max)
}

/// A label with the power of ten that its ticks leave out, as part of the unit: the ticks times what stands in brackets are values.
pub(crate) fn with_exponent(label: &str, ticks: &Ticks) -> String {
    if ticks.exponent == 0 {
        return label.to_owned();
    }
    let power = power_of_ten(ticks.exponent);
    match label
        .strip_suffix(']')
        .and_then(|label| label.rsplit_once("  ["))
    {
        Some((name, unit)) => format!("{name}  [{power} {unit}]"),
        None => format!("{label}  [{power}]"),
    }
}

/// Room for labels around the area.
fn margins([x, y]: [&Ticks; 2], room: f64, face: &Typeface) -> Area {
    // The last label of the x axis may stand out over the end of its axis.
    let overhang = x
        .major
        .last()
        .map_or(0.0, |(_, label)| face.width(label, TICK_SIZE) / 2.0);
    Area {
        left: GAP + widest(y, face) + GAP + LABEL_SIZE + 10.0,
        top: 12.0,
        right: (12.0 + room).max(overhang + 6.0),
        bottom: GAP + TICK_SIZE + 8.0 + LABEL_SIZE + 8.0,
    }
}

impl Axes {
    fn with_ticks(sides: Sides, wanted: [usize; 2]) -> Self {
        let of = |axis: &Axis, wanted| {
            let given = axis.ticks.clone();
            given.unwrap_or_else(|| Ticks::on(axis.scale, wanted))
        };
        Self {
            x_ticks: of(&sides.x, wanted[0]),
            y_ticks: of(&sides.y, wanted[1]),
            area: Area {
                left: 0.0,
                top: 0.0,
                right: 0.0,
                bottom: 0.0,
            },
            sides,
        }
    }

    fn margins(&self, room: f64, face: &Typeface) -> Area {
        margins([&self.x_ticks, &self.y_ticks], room, face)
    }

    /// Axes on a page, leaving room for the labels, at least `left` points at the left and `room` points at the right.
    pub(crate) fn on_page(
        sides: Sides,
        page: Point,
        [left, room]: [f64; 2],
        face: &Typeface,
    ) -> Self {
        let ticks = |length: f64, most: usize| ((length / 62.0) as usize).clamp(2, most);
        let axes = Self::with_ticks(sides, [ticks(page[0], 7), ticks(page[1], 6)]);
        let around = axes.margins(room, face);
        let area = Area {
            left: around.left.max(left),
            top: around.top,
            right: page[0] - around.right,
            bottom: page[1] - around.bottom,
        };
        Self { area, ..axes }
    }

    /// Axes around an area of a size, and the page that holds them.
    pub(crate) fn around(
        sides: Sides,
        [width, height]: Point,
        room: f64,
        face: &Typeface,
    ) -> (Self, Point) {
        // A label of two digits with its sign and the blank beside it takes about 38 points; one upon the other, 25.
        let ticks = |length: f64, each: f64| ((length / each) as usize).clamp(2, 8);
        let axes = Self::with_ticks(sides, [ticks(width, 38.0), ticks(height, 40.0)]);
        let around = axes.margins(room, face);
        let area = Area {
            left: around.left,
            top: around.top,
            right: around.left + width,
            bottom: around.top + height,
        };
        let page = [area.right + around.right, area.bottom + around.bottom];
        (Self { area, ..axes }, page)
    }

    /// The plane of x and the y axis at the left.
    pub(crate) fn plane(&self) -> Plane {
        Plane {
            x: self.sides.x.scale,
            y: self.sides.y.scale,
            area: self.area,
        }
    }

    /// Draws frame, ticks and labels.
    pub(crate) fn draw(&self, face: &Typeface, surface: &mut dyn Surface) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let plane = self.plane();
        for (value, length) in marks(&self.x_ticks) {
            let x = plane.across(value);
            vertical(surface, x, bottom, bottom - length);
            vertical(surface, x, top, top + length);
        }
        for (value, length) in marks(&self.y_ticks) {
            let y = plane.up(value);
            horizontal(surface, y, left, left + length);
            horizontal(surface, y, right, right - length);
        }
        frame(surface, self.area);
        for (value, label) in &self.x_ticks.major {
            let at = [plane.across(*value), bottom + GAP + TICK_SIZE];
            Text::centred(label, at, TICK_SIZE).draw(face, surface, Colour::INK);
        }
        for (value, label) in &self.y_ticks.major {
            let at = [left - GAP, plane.up(*value) + 0.36 * TICK_SIZE];
            Text::centred(label, at, TICK_SIZE)
                .anchored(Anchor::End)
                .draw(face, surface, Colour::INK);
        }
        let x_label = with_exponent(&self.sides.x.label, &self.x_ticks);
        let at = [
            f64::midpoint(left, right),
            bottom + GAP + TICK_SIZE + 8.0 + LABEL_SIZE,
        ];
        Text::centred(&x_label, at, LABEL_SIZE).draw(face, surface, Colour::INK);
        let y_label = with_exponent(&self.sides.y.label, &self.y_ticks);
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
pub(crate) fn vertical(surface: &mut dyn Surface, x: f64, from: f64, to: f64) {
    surface.rectangle([x - LINE / 2.0, from], [x + LINE / 2.0, to], Colour::INK);
}

/// A sharp horizontal line.
pub(crate) fn horizontal(surface: &mut dyn Surface, y: f64, from: f64, to: f64) {
    surface.rectangle([from, y - LINE / 2.0], [to, y + LINE / 2.0], Colour::INK);
}

/// The outline of an area.
pub(crate) fn frame(surface: &mut dyn Surface, area: Area) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticks::Scale;

    #[test]
    fn the_power_of_ten_is_one_of_the_unit() {
        let scale = Scale::Linear {
            lo: 0.0,
            hi: 1.2e-4,
        };
        let ticks = Ticks::on(scale, 5);
        let unit = "n(z)  [(h⁻¹ Mpc)⁻³]";
        assert_eq!(with_exponent(unit, &ticks), "n(z)  [10⁻⁴ (h⁻¹ Mpc)⁻³]");
        for (value, label) in &ticks.major {
            // A reader multiplies the number at the tick with what stands in brackets.
            let number: f64 = label.parse().unwrap();
            assert!((number * 1e-4 - value).abs() < 1e-12, "{label}: {value}");
        }
        assert_eq!(with_exponent("pairs", &ticks), "pairs  [10⁻⁴]");
        let plain = Ticks::on(Scale::Linear { lo: 0.0, hi: 2.0 }, 5);
        assert_eq!(with_exponent(unit, &plain), unit);
    }
}
