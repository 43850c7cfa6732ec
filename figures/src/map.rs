//! Maps over two axes of bins, with a colour bar.
//!
//! Entry: [`Map`].

use crate::PAGE;
use crate::axes::{
    Area, Axes, Axis, LABEL_SIZE, Plane, Sides, TICK_SIZE, frame, horizontal, widest, with_exponent,
};
use crate::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use crate::colour::Ramp;
use crate::contour::Grid;
use crate::ticks::{Scale, Ticks, power_of_ten};

/// What values of a map are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Amounts, or signed values.
    Any,
    /// From -1 to 1.
    Correlations,
    /// About one: some that are much smaller are no reason for a logarithmic scale.
    AboutOne,
}

/// A value for each cell between two sets of edges.
#[derive(Debug, Clone)]
pub(crate) struct Map {
    pub(crate) x_edges: Vec<f64>,
    pub(crate) y_edges: Vec<f64>,
    pub(crate) x_scale: Scale,
    pub(crate) y_scale: Scale,
    /// A length is as long along x as along y.
    pub(crate) equal: bool,
    /// Lines of equal value are drawn.
    pub(crate) contours: bool,
    pub(crate) meaning: Meaning,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) value_label: String,
    /// One a cell, y varying fastest; NaN where there is none.
    pub(crate) values: Vec<f64>,
    /// What both axes are divided into, if into anything.
    pub(crate) blocks: Option<Blocks>,
}

/// Parts of both axes of a matrix: multipoles or wedges, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    /// Names with the places where the blocks begin and end.
    pub(crate) names: Vec<(String, [f64; 2])>,
    /// Separations within the blocks.
    pub(crate) ticks: Ticks,
}

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shade {
    /// A ramp along a scale.
    Amount(Scale),
    /// Signed values: linear within the threshold, logarithmic beyond it on either side.
    Signed { threshold: f64, lo: f64, hi: f64 },
    /// From -1 to 1.
    Correlation,
}

/// How the values of a map become colours, for those who draw it themselves.
pub(crate) struct Shading {
    /// Colours from the foot of the colour bar to its top.
    pub(crate) ramp: Vec<Colour>,
    /// Where the value of each cell stands on the bar, from 0 to 1; none without a colour.
    pub(crate) places: Vec<Option<f64>>,
    /// What is written at the bar, and where.
    pub(crate) ticks: Vec<(f64, String)>,
    /// What the values are called.
    pub(crate) label: String,
}

/// Cells without a value.
const NOTHING: Colour = Colour([226, 226, 230]);
/// Values spread over more than this are shown on a logarithmic scale.
const WIDE: f64 = 30.0;
const BAR_WIDTH: f64 = 13.0;
const BAR_GAP: f64 = 14.0;
/// Width of contours.
const CONTOUR: f64 = 0.9;

impl Shade {
    fn of(values: &[f64], about_one: bool) -> Self {
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let (lo, hi) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
        let mut sizes: Vec<f64> = finite().map(f64::abs).filter(|&v| v > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        if lo >= hi || sizes.is_empty() {
            let centre = if lo.is_finite() { lo } else { 0.5 };
            return Self::Amount(Scale::Linear {
                lo: centre - 0.5,
                hi: centre + 0.5,
            });
        }
        if lo < 0.0 {
            let largest = lo.abs().max(hi.abs());
            // Up to the median size the map is linear, so that noise around zero stays pale.
            let median = sizes[sizes.len() / 2];
            let decade = 10f64.powf(median.min(largest / 10.0).log10().floor());
            return Self::Signed {
                threshold: decade,
                lo,
                hi: hi.max(0.0),
            };
        }
        let usual = if about_one { sizes.len() / 2 } else { 0 };
        if hi / sizes[usual] > WIDE {
            return Self::Amount(Scale::Log { lo: sizes[0], hi });
        }
        Self::Amount(Scale::Linear { lo, hi })
    }

    /// Where a value stands on the colour bar, 0 at its foot.
    fn place(&self, value: f64) -> f64 {
        match *self {
            Self::Amount(scale) => scale.place(value),
            Self::Correlation => f64::midpoint(value, 1.0).clamp(0.0, 1.0),
            Self::Signed { threshold, lo, hi } => {
                let [value, lo, hi] = [value, lo, hi].map(|v| (v / threshold).asinh());
                ((value - lo) / (hi - lo)).clamp(0.0, 1.0)
            }
        }
    }

    /// The colour at a height of the colour bar; equal sizes of either sign have equal strength.
    fn ramp_at(&self, place: f64) -> Colour {
        match self {
            Self::Amount(_) => Ramp::Sequential.at(place),
            Self::Correlation => Ramp::Diverging.at(place),
            Self::Signed { .. } => {
                let zero = self.place(0.0);
                Ramp::Diverging.at(0.5 + 0.5 * (place - zero) / zero.max(1.0 - zero))
            }
        }
    }

    /// Whether a value has a colour.
    fn holds(&self, value: f64) -> bool {
        let above = !matches!(self, Self::Amount(Scale::Log { .. })) || value > 0.0;
        value.is_finite() && above
    }

    fn colour(&self, value: f64) -> Colour {
        if self.holds(value) {
            self.ramp_at(self.place(value))
        } else {
            NOTHING
        }
    }

    fn ticks(&self) -> Ticks {
        let (threshold, lo, hi) = match *self {
            Self::Amount(scale) => return Ticks::on(scale, 6),
            Self::Correlation => return Ticks::on(Scale::Linear { lo: -1.0, hi: 1.0 }, 6),
            Self::Signed { threshold, lo, hi } => (threshold, lo, hi),
        };
        let (first, last) = (
            threshold.log10().round() as i32,
            hi.max(-lo).log10().floor() as i32,
        );
        let mut major = vec![(0.0, "0".to_owned())];
        for k in first..=last {
            let size = 10f64.powi(k);
            major.push((size, power_of_ten(k)));
            major.push((-size, format!("−{}", power_of_ten(k))));
        }
        major.retain(|(value, _)| (lo..=hi).contains(value));
        Ticks {
            major,
            ..Ticks::default()
        }
    }
}

/// Levels of contours: 1 and 3 times powers of ten, from above the `noise` to the largest value.
fn levels(shade: &Shade, noise: f64) -> Vec<f64> {
    let (lo, hi) = match *shade {
        Shade::Amount(Scale::Linear { lo, hi } | Scale::Log { lo, hi }) => (lo.max(hi / 1e3), hi),
        Shade::Signed { threshold, hi, .. } => (threshold, hi),
        Shade::Correlation => (0.0, 1.0),
    };
    let lo = lo.max(noise);
    let decades = lo.log10().floor() as i32..=hi.log10().ceil() as i32;
    let levels = decades.flat_map(|k| [1.0, 3.0].map(|m| m * 10f64.powi(k)));
    levels.filter(|&level| level >= lo && level < hi).collect()
}

/// Both ends of `edges` and the middles of the bins between them.
fn ends_and_middles(edges: &[f64]) -> Vec<f64> {
    let middles = edges.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    let ends = (edges[0], edges[edges.len() - 1]);
    std::iter::once(ends.0)
        .chain(middles)
        .chain([ends.1])
        .collect()
}

/// Largest sides of a map of equal lengths, and the ratios of its sides beyond which it is none.
const LARGEST: Point = [380.0, 420.0];
/// About what labels and the colour bar take of a page.
const LABELS: Point = [130.0, 58.0];
const RATIOS: std::ops::RangeInclusive<f64> = 0.2..=5.0;

impl Map {
    fn sides(&self) -> Sides {
        Sides {
            x: Axis {
                scale: self.x_scale,
                label: self.x_label.clone(),
                ticks: self.blocks.as_ref().map(|blocks| blocks.ticks.clone()),
            },
            y: Axis {
                scale: self.y_scale,
                label: self.y_label.clone(),
                ticks: self.blocks.as_ref().map(|blocks| blocks.ticks.clone()),
            },
        }
    }

    pub(crate) fn shade(&self) -> Shade {
        if self.meaning == Meaning::Correlations {
            Shade::Correlation
        } else {
            Shade::of(&self.values, self.meaning == Meaning::AboutOne)
        }
    }

    /// Width and height of the area, if a length is to be as long along x as along y.
    pub(crate) fn equal_sides(&self, asked: Option<Point>) -> Option<Point> {
        let largest = asked.map_or(LARGEST, |[x, y]| [x - LABELS[0], y - LABELS[1]]);
        let largest = largest.map(|length| length.max(LABELS[1]));
        if self.meaning == Meaning::Correlations {
            let side = largest[0].min(largest[1]);
            return (self.x_scale == self.y_scale).then_some([side; 2]);
        }
        let (Scale::Linear { lo: x0, hi: x1 }, Scale::Linear { lo: y0, hi: y1 }) =
            (self.x_scale, self.y_scale)
        else {
            return None;
        };
        let ratio = (x1 - x0) / (y1 - y0);
        let width = largest[0].min(largest[1] * ratio);
        (self.equal && RATIOS.contains(&ratio)).then_some([width, width / ratio])
    }

    /// The axes and the page they need, with `room` points at the right.
    fn axes(&self, asked: Option<Point>, room: f64, face: &Typeface) -> (Axes, Point) {
        let page = asked.unwrap_or(PAGE);
        match self.equal_sides(asked) {
            Some(size) => Axes::around(self.sides(), size, room, face),
            None => (Axes::on_page(self.sides(), page, [0.0, room], face), page),
        }
    }

    /// Room for the colour bar.
    fn bar_room(ticks: &Ticks, face: &Typeface) -> f64 {
        BAR_GAP + BAR_WIDTH + 6.0 + widest(ticks, face) + 8.0 + LABEL_SIZE
    }

    /// The page of the figure, which is the one asked for unless lengths are to be equal.
    pub(crate) fn page(&self, asked: Option<Point>, face: &Typeface) -> Point {
        let ticks = self.shade().ticks();
        self.axes(asked, Self::bar_room(&ticks, face), face).1
    }

    /// Draws the whole figure on the page that [`Map::page`] says.
    pub(crate) fn draw(&self, asked: Option<Point>, face: &Typeface, surface: &mut dyn Surface) {
        let shade = self.shade();
        let ticks = shade.ticks();
        let axes = self.axes(asked, Self::bar_room(&ticks, face), face).0;
        let (plane, area) = (axes.plane(), axes.area);
        surface.clip(Some([[area.left, area.top], [area.right, area.bottom]]));
        self.cells(&plane, &shade, surface);
        let contours = self.contours(&shade);
        for line in contours.iter().flat_map(|(_, lines)| lines) {
            let line: Vec<Point> = line.iter().map(|&[x, y]| plane.point(x, y)).collect();
            surface.stroke(&line, CONTOUR, Colour::INK);
        }
        let levels: Vec<f64> = contours.iter().map(|(level, _)| *level).collect();
        surface.clip(None);
        self.draw_blocks(&plane, face, surface);
        axes.draw(face, surface);
        self.bar(area, &shade, &ticks, &levels, face, surface);
    }

    fn cells(&self, plane: &Plane, shade: &Shade, surface: &mut dyn Surface) {
        let rows = self.y_edges.len() - 1;
        let is_outside = |scale: &Scale, ends: [f64; 2]| {
            let [a, b] = ends.map(|end| scale.position(end));
            b <= 0.0 || a >= 1.0
        };
        for (k, &value) in self.values.iter().enumerate() {
            let (i, j) = (k / rows, k % rows);
            let x = [self.x_edges[i], self.x_edges[i + 1]];
            let y = [self.y_edges[j], self.y_edges[j + 1]];
            if is_outside(&plane.x, x) || is_outside(&plane.y, y) {
                continue;
            }
            let corner = [plane.across(x[0]), plane.up(y[0])];
            let opposite = [plane.across(x[1]), plane.up(y[1])];
            surface.rectangle(corner, opposite, shade.colour(value));
        }
    }

    /// Draws lines between blocks and their names above them.
    fn draw_blocks(&self, plane: &Plane, face: &Typeface, surface: &mut dyn Surface) {
        let area = plane.area;
        for (name, [from, to]) in self.blocks.iter().flat_map(|blocks| &blocks.names) {
            let middle = [
                f64::midpoint(plane.across(*from), plane.across(*to)),
                area.top - 4.0,
            ];
            if plane.x.position(*to) <= 0.0 || plane.x.position(*from) >= 1.0 {
                continue;
            }
            Text::centred(name, middle, TICK_SIZE).draw(face, surface, Colour::INK);
            let (x, y) = (plane.across(*from), plane.up(*from));
            surface.stroke(&[[x, area.top], [x, area.bottom]], CONTOUR, Colour::INK);
            surface.stroke(&[[area.left, y], [area.right, y]], CONTOUR, Colour::INK);
        }
    }

    /// Levels with their lines of equal value, of values smoothed over three bins either way; none where none are to be drawn.
    pub(crate) fn contours(&self, shade: &Shade) -> Vec<(f64, Vec<Vec<Point>>)> {
        if !self.contours {
            return Vec::new();
        }
        let grid = Grid::new(&self.values, self.y_edges.len() - 1).smoothed();
        let levels = levels(shade, grid.depth());
        let grid = grid.extended();
        let [x, y] = [&self.x_edges, &self.y_edges].map(|edges| ends_and_middles(edges));
        // A fractional place in the grid to a value.
        let value = |places: &[f64], place: f64| {
            let k = (place as usize).min(places.len() - 2);
            places[k] + (place - k as f64) * (places[k + 1] - places[k])
        };
        let at = |&[i, j]: &Point| [value(&x, i), value(&y, j)];
        let line = |line: Vec<Point>| line.iter().map(at).collect();
        let lines = |level| (level, grid.lines(level).into_iter().map(line).collect());
        levels.into_iter().map(lines).collect()
    }

    /// How values become colours.
    pub(crate) fn shading(&self) -> Shading {
        const STEPS: u32 = 128;
        let shade = self.shade();
        let ticks = shade.ticks();
        let place = |&value: &f64| shade.holds(value).then(|| shade.place(value));
        let step = |k: u32| shade.ramp_at(f64::from(k) / f64::from(STEPS - 1));
        Shading {
            ramp: (0..STEPS).map(step).collect(),
            places: self.values.iter().map(place).collect(),
            label: with_exponent(&self.value_label, &ticks),
            ticks: ticks
                .major
                .into_iter()
                .map(|(value, label)| (shade.place(value), label))
                .collect(),
        }
    }

    fn bar(
        &self,
        area: Area,
        shade: &Shade,
        ticks: &Ticks,
        levels: &[f64],
        face: &Typeface,
        surface: &mut dyn Surface,
    ) {
        const STEPS: u32 = 256;
        let bar = Area {
            left: area.right + BAR_GAP,
            right: area.right + BAR_GAP + BAR_WIDTH,
            ..area
        };
        let height = bar.bottom - bar.top;
        for k in 0..STEPS {
            let at = |k: u32| bar.bottom - height * f64::from(k) / f64::from(STEPS);
            let colour = shade.ramp_at((f64::from(k) + 0.5) / f64::from(STEPS));
            // Each step runs to the top, so that no seam shows between two.
            surface.rectangle([bar.left, at(k)], [bar.right, bar.top], colour);
        }
        let mut last = f64::INFINITY;
        let mut marks: Vec<(f64, &str)> = ticks
            .major
            .iter()
            .map(|(value, label)| (bar.bottom - height * shade.place(*value), label.as_str()))
            .collect();
        marks.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (y, label) in marks {
            horizontal(surface, y, bar.right - 3.0, bar.right);
            if last - y >= TICK_SIZE {
                let at = [bar.right + 6.0, y + 0.36 * TICK_SIZE];
                Text::centred(label, at, TICK_SIZE)
                    .anchored(Anchor::Start)
                    .draw(face, surface, Colour::INK);
                last = y;
            }
        }
        for value in &ticks.minor {
            horizontal(
                surface,
                bar.bottom - height * shade.place(*value),
                bar.right - 1.8,
                bar.right,
            );
        }
        for &level in levels {
            let y = bar.bottom - height * shade.place(level);
            surface.stroke(&[[bar.left, y], [bar.right, y]], CONTOUR, Colour::INK);
        }
        frame(surface, bar);
        let label = with_exponent(&self.value_label, ticks);
        let at = [
            bar.right + 6.0 + widest(ticks, face) + 8.0 + 0.75 * LABEL_SIZE,
            f64::midpoint(bar.top, bar.bottom),
        ];
        Text::centred(&label, at, LABEL_SIZE)
            .upwards()
            .draw(face, surface, Colour::INK);
    }
}
