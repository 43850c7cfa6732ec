//! One curve: its points, markers, error bars and line.
//!
//! Entry: [`Series`]. It is drawn on a plane; which curves share one is decided in `curve`.

use crate::axes::Plane;
use crate::canvas::{Colour, Point, Step, Surface};
use crate::colour::SERIES;
use crate::ticks::Scale;

/// One curve.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series {
    /// What it is, `ℓ = 2` say; `_` makes the next character a subscript. Empty where there is but one of a result.
    pub(crate) label: String,
    /// The file it comes from; empty where there is but one.
    pub(crate) source: String,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    /// One standard deviation each; empty where there is none.
    pub(crate) error: Vec<f64>,
    pub(crate) look: Look,
}

/// How a curve differs from the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Which of the colours, from the first again behind the last.
    pub(crate) colour: usize,
    /// Which of the markers, likewise.
    pub(crate) marker: usize,
    /// A dashed line without markers.
    pub(crate) dashed: bool,
}

const RADIUS: f64 = 2.6;
const WIDTH: f64 = 1.4;
/// Dash and gap of dashed lines.
const DASHES: [f64; 2] = [6.0, 3.5];

impl Look {
    /// Of the k-th curve.
    pub(crate) fn of(k: usize) -> Self {
        Self {
            colour: k,
            marker: k,
            dashed: false,
        }
    }

    pub(crate) fn colour(self) -> Colour {
        SERIES[self.colour % SERIES.len()]
    }
}

/// Corners of the markers behind the disc, in radii, clockwise from the top.
pub(crate) const MARKERS: [&[Point]; 5] = [
    &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    &[[0.0, -1.3], [1.2, 0.8], [-1.2, 0.8]],
    &[[0.0, -1.35], [1.15, 0.0], [0.0, 1.35], [-1.15, 0.0]],
    &[[0.0, 1.3], [1.2, -0.8], [-1.2, -0.8]],
    &[
        [-0.4, -1.2],
        [0.4, -1.2],
        [0.4, -0.4],
        [1.2, -0.4],
        [1.2, 0.4],
        [0.4, 0.4],
        [0.4, 1.2],
        [-0.4, 1.2],
        [-0.4, 0.4],
        [-1.2, 0.4],
        [-1.2, -0.4],
        [-0.4, -0.4],
    ],
];

/// A marker; an open one has a white middle.
fn marker(surface: &mut dyn Surface, at: Point, look: Look, open: bool) {
    let mut shape = |radius: f64, colour: Colour| match look.marker % (MARKERS.len() + 1) {
        0 => surface.disc(at, radius, colour),
        k => {
            let corner = |c: &Point| [at[0] + c[0] * radius, at[1] + c[1] * radius];
            let mut outline: Vec<Step> = MARKERS[k - 1]
                .iter()
                .map(|c| Step::Line(corner(c)))
                .collect();
            if let Some(Step::Line(first)) = outline.first().copied() {
                outline[0] = Step::Move(first);
            }
            surface.fill(&outline, colour);
        }
    };
    shape(RADIUS + if open { 0.2 } else { 0.0 }, look.colour());
    if open {
        shape(RADIUS - 1.1, Colour::WHITE);
    }
}

/// The pieces of a line that its dashes cover.
fn dashed(line: &[Point], [dash, gap]: [f64; 2]) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    let (mut drawn, mut left) = (true, dash);
    let mut piece: Vec<Point> = line.first().copied().into_iter().collect();
    for pair in line.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to[0] - from[0]).hypot(to[1] - from[1]);
            if length <= left {
                left -= length;
                piece.push(to);
                break;
            }
            let turn = [0, 1].map(|i| from[i] + (to[i] - from[i]) * left / length);
            piece.push(turn);
            let finished = std::mem::replace(&mut piece, vec![turn]);
            if drawn {
                pieces.push(finished);
            }
            drawn = !drawn;
            left = if drawn { dash } else { gap };
            from = turn;
        }
    }
    if drawn && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

impl Series {
    /// Place, value and error of each point; errors that are not finite are none.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let errors = self.error.iter().copied().chain(std::iter::repeat(0.0));
        let points = self
            .x
            .iter()
            .copied()
            .zip(self.y.iter().copied())
            .zip(errors);
        points.map(|((x, y), error)| (x, y, if error.is_finite() { error } else { 0.0 }))
    }

    /// Whether a point can be placed at all: a logarithmic axis has no place for what is not above zero.
    fn is_drawn(plane: &Plane, x: f64, y: f64) -> bool {
        let log = |scale: &Scale| matches!(scale, Scale::Log { .. });
        y.is_finite() && !(log(&plane.x) && x <= 0.0) && !(log(&plane.y) && y == 0.0)
    }

    /// Whether the plane shows a value by its absolute value, with an open marker.
    pub(crate) fn is_open(plane: &Plane, y: f64) -> bool {
        matches!(plane.y, Scale::Log { .. }) && y < 0.0
    }

    /// The points that stand in the plane's area, on the page.
    pub(crate) fn places<'a>(&'a self, plane: &'a Plane) -> impl Iterator<Item = Point> + 'a {
        self.points().filter_map(move |(x, y, _)| {
            let shown = if Self::is_open(plane, y) { -y } else { y };
            let inside = Self::is_drawn(plane, x, y) && plane.holds(x, shown);
            inside.then(|| plane.point(x, shown))
        })
    }

    /// Draws the curve on a plane, which it does not leave.
    pub(crate) fn draw(&self, plane: &Plane, markers: bool, surface: &mut dyn Surface) {
        let markers = markers && !self.look.dashed;
        let mut runs: Vec<Vec<[f64; 3]>> = vec![Vec::new()];
        let mut shown = Vec::new();
        for (x, y, error) in self.points() {
            let (drawn, open) = (Self::is_drawn(plane, x, y), Self::is_open(plane, y));
            let y = if open { -y } else { y };
            if drawn && (markers || open) && plane.x.holds(x) {
                error_bar(
                    plane,
                    x,
                    [y - error, y + error],
                    self.look.colour(),
                    surface,
                );
                if plane.y.holds(y) {
                    shown.push((plane.point(x, y), open));
                }
            }
            match runs.last_mut() {
                Some(run) if drawn && !open => run.push([x, y, error]),
                _ => runs.push(Vec::new()),
            }
        }
        let area = plane.area;
        surface.clip(Some([[area.left, area.top], [area.right, area.bottom]]));
        for run in runs.iter().filter(|run| run.len() > 1) {
            if !markers && !self.error.is_empty() {
                band(plane, run, self.look.colour(), surface);
            }
            let line: Vec<Point> = run.iter().map(|[x, y, _]| plane.point(*x, *y)).collect();
            self.line(&line, surface);
        }
        surface.clip(None);
        for (at, open) in shown {
            marker(surface, at, self.look, open);
        }
    }

    fn line(&self, line: &[Point], surface: &mut dyn Surface) {
        if self.look.dashed {
            for piece in dashed(line, DASHES) {
                surface.stroke(&piece, WIDTH, self.look.colour());
            }
        } else {
            surface.stroke(line, WIDTH, self.look.colour());
        }
    }

    /// A short piece of the curve, `width` points long, for a legend.
    pub(crate) fn sample(&self, left: Point, width: f64, markers: bool, surface: &mut dyn Surface) {
        self.line(&[left, [left[0] + width, left[1]]], surface);
        if markers && !self.look.dashed {
            marker(surface, [left[0] + width / 2.0, left[1]], self.look, false);
        }
    }
}

/// A bar of errors with its caps, which reaches so far up and down.
pub(crate) fn bar([x, y]: Point, reach: f64, colour: Colour, surface: &mut dyn Surface) {
    surface.rectangle([x - 0.4, y - reach], [x + 0.4, y + reach], colour);
    for end in [y - reach, y + reach] {
        surface.rectangle([x - 2.4, end - 0.4], [x + 2.4, end + 0.4], colour);
    }
}

/// The marker of values below zero on a logarithmic axis.
pub(crate) fn open_marker(at: Point, look: Look, surface: &mut dyn Surface) {
    marker(surface, at, look, true);
}

/// Errors of a curve of many points, as a pale band around it.
fn band(plane: &Plane, run: &[[f64; 3]], colour: Colour, surface: &mut dyn Surface) {
    let inside = || run.iter().filter(|[x, ..]| plane.x.holds(*x));
    let upper = inside().map(|[x, y, e]| [plane.across(*x), plane.up(y + e)]);
    let lower = inside()
        .rev()
        .map(|[x, y, e]| [plane.across(*x), plane.up(y - e)]);
    let mut outline: Vec<Step> = upper.chain(lower).map(Step::Line).collect();
    if let Some(Step::Line(first)) = outline.first().copied() {
        outline[0] = Step::Move(first);
        surface.fill(&outline, colour.pale());
    }
}

/// A bar with caps; an end that lies beyond the axes has none.
fn error_bar(plane: &Plane, x: f64, ends: [f64; 2], colour: Colour, surface: &mut dyn Surface) {
    let beyond = |value: f64| plane.y.position(value);
    if ends[0] >= ends[1] || beyond(ends[1]) < 0.0 || beyond(ends[0]) > 1.0 {
        return;
    }
    let x = plane.across(x);
    let [low, high] = ends.map(|end| plane.up(end));
    surface.rectangle([x - 0.4, high], [x + 0.4, low], colour);
    for (value, y) in ends.into_iter().zip([low, high]) {
        if plane.y.holds(value) {
            surface.rectangle([x - 2.4, y - 0.4], [x + 2.4, y + 0.4], colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_a_line_around_its_corners() {
        let line = [[0.0, 0.0], [4.0, 0.0], [4.0, 6.0]];
        let pieces = dashed(&line, [5.0, 2.0]);
        assert_eq!(
            pieces,
            [
                vec![[0.0, 0.0], [4.0, 0.0], [4.0, 1.0]],
                vec![[4.0, 3.0], [4.0, 6.0]]
            ]
        );
    }
}
