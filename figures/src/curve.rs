//! Curves on common axes.
//!
//! Entry: [`Curves`]. It gets what to draw; where the numbers come from is decided in `reading`.

use crate::axes::{Area, Axes, Axis, Sides};
use crate::canvas::{Colour, Point, Surface, Typeface};
use crate::legend::{Legend, places_along};
use crate::series::Series;
use crate::ticks::Scale;

/// Curves on common axes.
#[derive(Debug, Clone)]
pub(crate) struct Curves {
    pub(crate) series: Vec<Series>,
    /// n(r) of the same pairs as g(r), which has a panel of its own.
    pub(crate) coordination: Vec<Series>,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    /// Ends of the x axis.
    pub(crate) x_range: [f64; 2],
    /// Ends of the y axis; where not given, it holds every point.
    pub(crate) y_range: Option<[f64; 2]>,
    pub(crate) log_x: bool,
    pub(crate) log_y: bool,
    /// A horizontal line to compare with.
    pub(crate) reference: Option<f64>,
    /// The power of the separation that values are multiplied by.
    pub(crate) power: f64,
    /// What the legend says beside the names of curves.
    pub(crate) remarks: Vec<String>,
}

/// A curve of more points than this has no markers.
pub(crate) const MAX_MARKERS: usize = 60;

/// The linear axis that holds `ends`, with some room; amounts that come down to zero stand on it.
fn linear(ends: impl Iterator<Item = f64>, amounts: bool) -> Scale {
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
    let stands = amounts && lo <= 0.0 && lo > -0.02 * (hi - lo);
    Scale::Linear {
        lo: if stands { 0.0 } else { lo - room },
        hi: hi + room,
    }
}

impl Curves {
    /// The points that the x axis holds and that have a value.
    fn points(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let [lo, hi] = self.x_range;
        let points = self.series.iter().flat_map(Series::points);
        points.filter(move |(x, y, _)| y.is_finite() && *x >= lo && *x <= hi)
    }

    /// The y axis that holds every point; a logarithmic one shows absolute values.
    fn y_scale(&self) -> Scale {
        if let Some([lo, hi]) = self.y_range {
            return if self.log_y {
                Scale::Log { lo, hi }
            } else {
                Scale::Linear { lo, hi }
            };
        }
        if self.log_y {
            let sizes = || self.points().map(|(_, y, _)| y.abs()).filter(|&y| y > 0.0);
            let (lo, hi) = (
                sizes().fold(f64::INFINITY, f64::min),
                sizes().fold(0.0, f64::max),
            );
            let room = (hi / lo).powf(0.06).max(1.15);
            return if lo <= hi {
                Scale::Log {
                    lo: lo / room,
                    hi: hi * room,
                }
            } else {
                Scale::Log { lo: 0.1, hi: 10.0 }
            };
        }
        let ends = self.points().flat_map(|(_, y, e)| [y - e, y + e]);
        let amounts = self.points().all(|(_, y, _)| y >= 0.0);
        linear(ends.chain(self.reference), amounts)
    }

    /// The axes of x and of y.
    pub(crate) fn scales(&self) -> [Scale; 2] {
        let [lo, hi] = self.x_range;
        let x = if self.log_x {
            Scale::Log { lo, hi }
        } else {
            Scale::Linear { lo, hi }
        };
        [x, self.y_scale()]
    }

    /// Whether points have markers and bars of errors; where they are many, errors are a band.
    pub(crate) fn has_markers(&self) -> bool {
        let few = |series: &Series| series.x.len() <= MAX_MARKERS;
        self.series.iter().all(few)
    }

    fn sides(&self) -> Sides {
        let [x, y] = self.scales();
        Sides {
            x: Axis {
                scale: x,
                label: self.x_label.clone(),
                ticks: None,
            },
            y: Axis {
                scale: y,
                label: self.y_label.clone(),
                ticks: None,
            },
        }
    }

    /// The axes on a page, at least `left` points from its edge, and the names of the curves with their place.
    fn laid_out(
        &self,
        page: Point,
        left: f64,
        face: &Typeface,
    ) -> (Axes, Option<(Legend<'_>, Point)>) {
        let all: Vec<&Series> = self.series.iter().collect();
        let solid = all.iter().copied().filter(|series| !series.look.dashed);
        let solid: Vec<&Series> = solid.collect();
        let mut sides = self.sides();
        let axes = Axes::on_page(sides.clone(), page, [left, 0.0], face);
        let plane = axes.plane();
        let open = self.points().any(|(_, y, _)| Series::is_open(&plane, y));
        let legend = Legend::of(&all, self.has_markers(), open, &self.remarks, face);
        let Some(mut legend) = legend else {
            return (axes, None);
        };
        let places = places_along(&solid, &axes);
        if let Some(corner) = legend.free_corner(axes.area, &places) {
            return (axes, Some((legend, corner)));
        }
        if self.y_range.is_some() {
            let (corner, _) = legend.corner(axes.area, &places);
            return (axes, Some((legend, corner)));
        }
        // Where no corner is free, the axes make room above the curves.
        let part = 1.0 - (legend.size[1] / axes.area.height()).min(0.6);
        sides.y.scale = sides.y.scale.with_headroom(part);
        let axes = Axes::on_page(sides, page, [left, 0.0], face);
        let (corner, _) = legend.corner(axes.area, &places_along(&solid, &axes));
        (axes, Some((legend, corner)))
    }

    /// How far from the edge of a page the axes are.
    pub(crate) fn left(&self, page: Point, face: &Typeface) -> f64 {
        self.laid_out(page, 0.0, face).0.area.left
    }

    /// Draws the whole figure on a page, with its axes at least `left` points from the edge.
    pub(crate) fn draw(&self, page: Point, left: f64, face: &Typeface, surface: &mut dyn Surface) {
        let (axes, legend) = self.laid_out(page, left, face);
        self.draw_curves(&axes, self.has_markers(), surface);
        axes.draw(face, surface);
        if let Some((legend, corner)) = legend {
            legend.draw(corner, face, surface);
        }
    }

    fn draw_curves(&self, axes: &Axes, markers: bool, surface: &mut dyn Surface) {
        let plane = axes.plane();
        if let Some(reference) = self.reference
            && plane.y.holds(reference)
        {
            dashes(surface, axes.area, plane.up(reference));
        }
        for series in &self.series {
            series.draw(&plane, markers, surface);
        }
    }
}

/// A dashed grey line across the area.
pub(crate) fn dashes(surface: &mut dyn Surface, area: Area, y: f64) {
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
