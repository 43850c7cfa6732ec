//! Which curve is which: a list in the corner that the curves leave free, in columns side by side where one takes too much room.
//!
//! Entry: [`Legend`].

use std::borrow::Cow;

use crate::axes::{Area, Axes, TICK_SIZE};
use crate::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use crate::series::{Series, bar, open_marker};

const ROW: f64 = TICK_SIZE * 1.55;
/// Length of the piece of a curve before its name.
const SAMPLE: f64 = 22.0;
/// Between a piece and its name, between two names, and around it all.
const GAP: f64 = 6.0;
const AROUND: f64 = 10.0;

/// One line of a legend.
struct Row<'a> {
    sign: Sign<'a>,
    /// The file, spelled as it is unless that takes too long, and what the curve is.
    source: Cow<'a, str>,
    label: &'a str,
    /// Width of both.
    width: f64,
}

/// What stands before a name.
enum Sign<'a> {
    Curve(&'a Series),
    /// A marker of values below zero.
    Open,
    /// A bar of errors.
    Bar,
    Nothing,
}

/// Names of curves.
pub(crate) struct Legend<'a> {
    rows: Vec<Row<'a>>,
    markers: bool,
    /// Rows of a column.
    each: usize,
    /// Width and height.
    pub(crate) size: Point,
}

/// The remark on values below zero on a logarithmic axis.
const OPEN: &str = "negative, absolute value";

impl<'a> Legend<'a> {
    /// The names of `series`, a remark on open markers if `open`, and further ones; none where one curve speaks for itself.
    pub(crate) fn of(
        series: &[&'a Series],
        markers: bool,
        open: bool,
        remarks: &'a [String],
        face: &Typeface,
    ) -> Option<Self> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        if series.len() > 1 || series.iter().any(|one| !one.source.is_empty()) {
            rows.extend(series.iter().map(|&one| {
                let source = shortened(&one.source, face);
                Row::new(Sign::Curve(one), source, &one.label, face)
            }));
        }
        if open {
            rows.push(Row::new(Sign::Open, "".into(), OPEN, face));
        }
        rows.extend(remarks.iter().map(|remark| {
            let sign = if remark.starts_with("errors") {
                Sign::Bar
            } else {
                Sign::Nothing
            };
            Row::new(sign, "".into(), remark, face)
        }));
        let mut legend = Self {
            rows,
            markers,
            each: 0,
            size: [0.0; 2],
        };
        legend.set_columns(1);
        (!legend.rows.is_empty()).then_some(legend)
    }

    /// Spreads the rows over so many columns.
    fn set_columns(&mut self, columns: usize) {
        self.each = self.rows.len().div_ceil(columns).max(1);
        let widths = self.rows.chunks(self.each).map(width);
        let between = (widths.len() + 1) as f64 * AROUND;
        self.size = [
            widths.sum::<f64>() + between,
            self.each as f64 * ROW + AROUND,
        ];
    }

    /// The corner of `area` that no curve disturbs, with as few columns as that takes. Where there is none, the legend has as many columns as
    /// fit into the area.
    pub(crate) fn free_corner(&mut self, area: Area, places: &[Point]) -> Option<Point> {
        for columns in 1..=self.rows.len() {
            self.set_columns(columns);
            if columns > 1 && self.size[0] > area.width() {
                self.set_columns(columns - 1);
                return None;
            }
            let (corner, covered) = self.corner(area, places);
            if covered == 0 {
                return Some(corner);
            }
        }
        None
    }

    /// The corner of `area` that fewest of `places` disturb, and how many of them do.
    pub(crate) fn corner(&self, area: Area, places: &[Point]) -> (Point, usize) {
        let (right, bottom) = (area.right - self.size[0], area.bottom - self.size[1]);
        let covered = |corner: Point| {
            let inside =
                |p: &&Point| (0..2).all(|i| p[i] > corner[i] && p[i] < corner[i] + self.size[i]);
            places.iter().filter(inside).count()
        };
        let middle = f64::midpoint(area.left, right);
        let corners = [
            [right, area.top],
            [area.left, area.top],
            [right, bottom],
            [area.left, bottom],
            [middle, area.top],
            [middle, bottom],
        ];
        let counted = corners.map(|corner| (corner, covered(corner)));
        let best = counted.into_iter().min_by_key(|(_, covered)| *covered);
        best.unwrap_or(([right, area.top], 0))
    }

    /// Draws it with its upper left point in `corner`.
    pub(crate) fn draw(&self, [left, top]: Point, face: &Typeface, surface: &mut dyn Surface) {
        let mut x = left + AROUND;
        for (k, row) in self.rows.iter().enumerate() {
            if k > 0 && k % self.each == 0 {
                x += width(&self.rows[k - self.each..k]) + AROUND;
            }
            let line = top + AROUND + ((k % self.each) as f64 + 0.5) * ROW - 0.5 * AROUND;
            let middle = [x + SAMPLE / 2.0, line];
            match row.sign {
                Sign::Curve(series) => series.sample([x, line], SAMPLE, self.markers, surface),
                Sign::Open => open_marker(middle, self.first_look(), surface),
                Sign::Bar => bar(middle, 0.35 * ROW, Colour::INK, surface),
                Sign::Nothing => {}
            }
            let mut at = [x + SAMPLE + GAP, line + 0.36 * TICK_SIZE];
            let (source, label) = (&*row.source, row.label);
            let text = |wording, at| Text::centred(wording, at, TICK_SIZE).anchored(Anchor::Start);
            if !source.is_empty() {
                text(source, at)
                    .literally()
                    .draw(face, surface, Colour::INK);
                at[0] += face.literal_width(source, TICK_SIZE) + GAP;
            }
            if !label.is_empty() {
                text(label, at).draw(face, surface, Colour::INK);
            }
        }
    }

    /// The look of the first curve.
    fn first_look(&self) -> crate::series::Look {
        let first = self.rows.iter().find_map(|row| match row.sign {
            Sign::Curve(series) => Some(series),
            _ => None,
        });
        first.map(|series| series.look).unwrap_or_default()
    }
}

impl<'a> Row<'a> {
    fn new(sign: Sign<'a>, source: Cow<'a, str>, label: &'a str, face: &Typeface) -> Self {
        let gap = if source.is_empty() || label.is_empty() {
            0.0
        } else {
            GAP
        };
        let width = face.literal_width(&source, TICK_SIZE) + gap + face.width(label, TICK_SIZE);
        Self {
            sign,
            source,
            label,
            width,
        }
    }
}

/// The width of rows one upon the other.
fn width(column: &[Row<'_>]) -> f64 {
    let widest = column.iter().map(|row| row.width).fold(0.0, f64::max);
    SAMPLE + GAP + widest
}

/// The end of a name, where all of it would take too long.
fn shortened<'a>(name: &'a str, face: &Typeface) -> Cow<'a, str> {
    const LONGEST: f64 = 200.0;
    if face.literal_width(name, TICK_SIZE) <= LONGEST {
        return name.into();
    }
    let ends = name
        .char_indices()
        .skip(1)
        .map(|(k, _)| format!("…{}", &name[k..]));
    let mut fitting = ends.skip_while(|end| face.literal_width(end, TICK_SIZE) > LONGEST);
    fitting.next().unwrap_or_default().into()
}

/// Points along curves, close enough to tell what a legend would cover.
pub(crate) fn places_along(series: &[&Series], axes: &Axes) -> Vec<Point> {
    const STEPS: u32 = 8;
    let plane = axes.plane();
    let mut path = Vec::new();
    for one in series {
        let points: Vec<Point> = one.places(&plane).collect();
        for pair in points.windows(2) {
            let between = |k: u32| {
                let part = f64::from(k) / f64::from(STEPS);
                [0, 1].map(|i| pair[0][i] + (pair[1][i] - pair[0][i]) * part)
            };
            path.extend((0..=STEPS).map(between));
        }
        path.extend(points);
        // Error bars.
        for (x, y, error) in one
            .points()
            .filter(|(x, y, _)| y.is_finite() && plane.x.holds(*x))
        {
            let y = if Series::is_open(&plane, y) { -y } else { y };
            let [low, high] = [y - error, y + error].map(|end| plane.up(end));
            let part = |k: u32| f64::from(k) / f64::from(STEPS);
            path.extend((0..=STEPS).map(|k| [plane.across(x), low + (high - low) * part(k)]));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_side_by_side_where_curves_leave_no_corner() {
        let face = Typeface::embedded().unwrap();
        let remarks = ["errors: Poisson", "window: none", "seen"].map(str::to_owned);
        let mut legend = Legend::of(&[], false, true, &remarks, &face).unwrap();
        let area = Area {
            left: 0.0,
            top: 0.0,
            right: 430.0,
            bottom: 200.0,
        };
        let tall = legend.size;
        assert_eq!(legend.free_corner(area, &[]), Some([430.0 - tall[0], 0.0]));
        assert_eq!(legend.size, tall);
        // Two rows of two fit below a curve, four rows do not.
        let line = |y: f64| (0..430).map(move |x| [f64::from(x), y]);
        let places: Vec<Point> = line(45.0).chain(line(150.0)).collect();
        let corner = legend.free_corner(area, &places).unwrap();
        assert_eq!((legend.each, corner[1]), (2, 0.0));
        assert!(legend.size[0] > 1.5 * tall[0] && legend.size[1] < 45.0);
        // Curves everywhere: as low as the width of the area allows.
        let places: Vec<Point> = (0..20).flat_map(|k| line(f64::from(10 * k))).collect();
        assert_eq!(legend.free_corner(area, &places), None);
        assert!(legend.each < 4 && legend.size[0] <= 430.0);
    }

    #[test]
    fn long_names_keep_their_end() {
        let face = Typeface::embedded().unwrap();
        assert_eq!(shortened("xi_north.csv", &face), "xi_north.csv");
        let long = format!("{}/xi.csv", "folder".repeat(20));
        let short = shortened(&long, &face);
        assert!(
            short.starts_with('…') && short.ends_with("/xi.csv"),
            "{short}"
        );
        assert!(face.literal_width(&short, TICK_SIZE) <= 200.0);
    }
}
