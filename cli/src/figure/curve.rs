//! Curves with error bars.
//!
//! Entry: [`Curves`]. It is told what to draw; where the numbers come from is the affair of `reading`.

use super::axes::{Area, Axes, Axis, TICK_SIZE};
use super::canvas::{Anchor, Colour, Point, Step, Surface, Text, Typeface};
use super::colour::SERIES;
use super::ticks::Scale;

/// One curve.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Empty where there is but one.
    pub(super) label: String,
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// One standard deviation each; empty where there is none.
    pub(super) error: Vec<f64>,
}

/// Curves on common axes.
#[derive(Debug, Clone)]
pub(super) struct Curves {
    pub(super) series: Vec<Series>,
    pub(super) x_label: String,
    pub(super) y_label: String,
    /// Ends of the x axis.
    pub(super) x_range: [f64; 2],
    pub(super) log_x: bool,
    pub(super) log_y: bool,
    /// A horizontal line to compare with.
    pub(super) reference: Option<f64>,
}

/// A curve of more points than this has no markers.
const MAX_MARKERS: usize = 60;
const RADIUS: f64 = 2.6;
const WIDTH: f64 = 1.4;

impl Series {
    fn points(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let errors = self.error.iter().copied().chain(std::iter::repeat(0.0));
        let points = self
            .x
            .iter()
            .copied()
            .zip(self.y.iter().copied())
            .zip(errors);
        points.map(|((x, y), error)| (x, y, if error.is_finite() { error } else { 0.0 }))
    }
}

impl Curves {
    /// The y axis that holds every point; a logarithmic one shows absolute values.
    fn y_scale(&self) -> Scale {
        let points = || {
            self.series
                .iter()
                .flat_map(Series::points)
                .filter(|(_, y, _)| y.is_finite())
        };
        if self.log_y {
            let sizes = || points().map(|(_, y, _)| y.abs()).filter(|&y| y > 0.0);
            let (lo, hi) = (
                sizes().fold(f64::INFINITY, f64::min),
                sizes().fold(0.0, f64::max),
            );
            if lo < hi {
                let room = (hi / lo).powf(0.06).max(1.15);
                return Scale::Log {
                    lo: lo / room,
                    hi: hi * room,
                };
            }
        }
        let ends = points()
            .flat_map(|(_, y, e)| [y - e, y + e])
            .chain(self.reference);
        let (lo, hi) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), y| {
            (lo.min(y), hi.max(y))
        });
        if lo > hi {
            return Scale::Linear { lo: 0.0, hi: 1.0 };
        }
        let room = if lo == hi {
            lo.abs().max(1.0) * 0.5
        } else {
            0.07 * (hi - lo)
        };
        // Amounts that come down to zero stand on their axis.
        let amounts = points().all(|(_, y, _)| y >= 0.0) && lo > -0.02 * (hi - lo);
        let floor = if amounts && lo <= 0.0 { 0.0 } else { lo - room };
        Scale::Linear {
            lo: floor,
            hi: hi + room,
        }
    }

    fn axes(&self, page: Point, face: &Typeface) -> Axes {
        let [lo, hi] = self.x_range;
        let x_scale = if self.log_x {
            let room = (hi / lo).powf(0.03);
            Scale::Log {
                lo: lo / room,
                hi: hi * room,
            }
        } else {
            Scale::Linear { lo, hi }
        };
        let x = Axis {
            scale: x_scale,
            label: self.x_label.clone(),
        };
        let y = Axis {
            scale: self.y_scale(),
            label: self.y_label.clone(),
        };
        Axes::new(x, y, page, 0.0, face)
    }

    /// Draws the whole figure on a page.
    pub(super) fn draw(&self, page: Point, face: &Typeface, surface: &mut dyn Surface) {
        let axes = self.axes(page, face);
        if let Some(reference) = self.reference
            && axes.y.scale.holds(reference)
        {
            dashes(surface, axes.area, axes.up(reference));
        }
        let markers = self
            .series
            .iter()
            .all(|series| series.x.len() <= MAX_MARKERS);
        for (series, colour) in self.series.iter().zip(SERIES.into_iter().cycle()) {
            draw_series(series, &axes, markers, colour, surface);
        }
        axes.draw(face, surface);
        self.legend(&axes, face, surface);
    }

    /// Names the curves, and says what open markers are where there are any.
    fn legend(&self, axes: &Axes, face: &Typeface, surface: &mut dyn Surface) {
        let mut rows: Vec<(String, Colour, bool)> = Vec::new();
        if self.series.len() > 1 {
            let named = self.series.iter().zip(SERIES.into_iter().cycle());
            rows.extend(named.map(|(series, colour)| (series.label.clone(), colour, false)));
        }
        let logarithmic = matches!(axes.y.scale, Scale::Log { .. });
        if logarithmic
            && self
                .series
                .iter()
                .flat_map(Series::points)
                .any(|(_, y, _)| y < 0.0)
        {
            let colour = if self.series.len() > 1 {
                Colour::INK
            } else {
                SERIES[0]
            };
            rows.push(("negative, absolute value".to_owned(), colour, true));
        }
        if rows.is_empty() {
            return;
        }
        let row_height = TICK_SIZE * 1.55;
        let text = rows
            .iter()
            .map(|(label, ..)| face.width(label, TICK_SIZE))
            .fold(0.0, f64::max);
        let size = [text + 44.0, rows.len() as f64 * row_height + 12.0];
        let [left, top] = self.free_corner(axes, size);
        for (k, (label, colour, open)) in rows.iter().enumerate() {
            let y = top + 16.0 + k as f64 * row_height;
            marker(surface, [left + 19.0, y - 3.6], *colour, *open);
            if !*open {
                surface.stroke(
                    &[[left + 10.0, y - 3.6], [left + 28.0, y - 3.6]],
                    WIDTH,
                    *colour,
                );
            }
            Text::centred(label, [left + 34.0, y], TICK_SIZE)
                .anchored(Anchor::Start)
                .draw(face, surface, Colour::INK);
        }
    }

    /// The upper left point of a rectangle in that corner of the area which the curves disturb least.
    fn free_corner(&self, axes: &Axes, size: Point) -> Point {
        const STEPS: u32 = 8;
        let Area {
            left,
            top,
            right,
            bottom,
        } = axes.area;
        let (right, bottom) = (right - size[0], bottom - size[1]);
        let mut path = Vec::new();
        for series in &self.series {
            let shown = |y: f64| if self.log_y { y.abs() } else { y };
            let at = |(x, y, _): (f64, f64, f64)| [axes.across(x), axes.up(shown(y))];
            let points: Vec<Point> = series
                .points()
                .filter(|p| p.1.is_finite())
                .map(at)
                .collect();
            for pair in points.windows(2) {
                let between = |k: u32| {
                    let part = f64::from(k) / f64::from(STEPS);
                    [0, 1].map(|i| pair[0][i] + (pair[1][i] - pair[0][i]) * part)
                };
                path.extend((0..=STEPS).map(between));
            }
        }
        let covered = |corner: &Point| {
            let inside =
                |p: &&Point| (0..2).all(|i| p[i] > corner[i] && p[i] < corner[i] + size[i]);
            path.iter().filter(inside).count()
        };
        let corners = [[right, top], [left, top], [right, bottom], [left, bottom]];
        corners
            .into_iter()
            .min_by_key(covered)
            .unwrap_or([right, top])
    }
}

/// A dashed grey line across the area.
fn dashes(surface: &mut dyn Surface, area: Area, y: f64) {
    let (dash, gap) = (5.0, 4.0);
    let mut x = area.left;
    while x < area.right {
        surface.rectangle(
            [x, y - 0.4],
            [(x + dash).min(area.right), y + 0.4],
            Colour::GREY,
        );
        x += dash + gap;
    }
}

fn marker(surface: &mut dyn Surface, at: Point, colour: Colour, open: bool) {
    surface.disc(at, RADIUS + if open { 0.2 } else { 0.0 }, colour);
    if open {
        surface.disc(at, RADIUS - 1.0, Colour::WHITE);
    }
}

fn draw_series(
    series: &Series,
    axes: &Axes,
    markers: bool,
    colour: Colour,
    surface: &mut dyn Surface,
) {
    let logarithmic = matches!(axes.y.scale, Scale::Log { .. });
    let mut runs: Vec<Vec<[f64; 3]>> = vec![Vec::new()];
    let mut discs = Vec::new();
    for (x, y, error) in series.points() {
        let drawn = y.is_finite() && axes.x.scale.holds(x) && !(logarithmic && y == 0.0);
        let open = logarithmic && y < 0.0;
        if drawn && (markers || open) {
            let shown = y.abs().copysign(if open { 1.0 } else { y });
            discs.push(([axes.across(x), axes.up(shown)], open));
            if error > 0.0 {
                error_bar(
                    axes,
                    axes.across(x),
                    [shown - error, shown + error],
                    colour,
                    surface,
                );
            }
        }
        match runs.last_mut() {
            Some(run) if drawn && !open => run.push([x, y, error]),
            _ => runs.push(Vec::new()),
        }
    }
    for run in runs.iter().filter(|run| run.len() > 1) {
        if !markers {
            band(axes, run, colour, surface);
        }
        let line: Vec<Point> = run
            .iter()
            .map(|[x, y, _]| [axes.across(*x), axes.up(*y)])
            .collect();
        surface.stroke(&line, WIDTH, colour);
    }
    for (at, open) in discs {
        marker(surface, at, colour, open);
    }
}

/// Errors of a curve of many points, as a pale band around it.
fn band(axes: &Axes, run: &[[f64; 3]], colour: Colour, surface: &mut dyn Surface) {
    let upper = run
        .iter()
        .map(|[x, y, e]| [axes.across(*x), axes.up(y + e)]);
    let lower = run
        .iter()
        .rev()
        .map(|[x, y, e]| [axes.across(*x), axes.up(y - e)]);
    let mut outline: Vec<Step> = upper.chain(lower).map(Step::Line).collect();
    if let Some(Step::Line(first)) = outline.first().copied() {
        outline[0] = Step::Move(first);
        surface.fill(&outline, colour.pale());
    }
}

/// A bar with caps; an end that lies beyond the axes has none.
fn error_bar(axes: &Axes, x: f64, ends: [f64; 2], colour: Colour, surface: &mut dyn Surface) {
    let [low, high] = ends.map(|end| axes.up(end));
    surface.rectangle([x - 0.4, high], [x + 0.4, low], colour);
    for (value, y) in ends.into_iter().zip([low, high]) {
        if axes.y.scale.holds(value) {
            surface.rectangle([x - 2.4, y - 0.4], [x + 2.4, y + 0.4], colour);
        }
    }
}
