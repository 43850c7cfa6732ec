//! Maps over two axes of bins, with a colour bar.
//!
//! Entry: [`Map`].

use super::axes::{
    Area, Axes, Axis, LABEL_SIZE, TICK_SIZE, frame, horizontal, widest, with_exponent,
};
use super::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use super::colour::Ramp;
use super::ticks::{Scale, Ticks, power_of_ten};

/// A value for each cell between two sets of edges.
#[derive(Debug, Clone)]
pub(super) struct Map {
    pub(super) x_edges: Vec<f64>,
    pub(super) y_edges: Vec<f64>,
    pub(super) log_x: bool,
    pub(super) log_y: bool,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) value_label: String,
    /// One a cell, y varying fastest; NaN where there is none.
    pub(super) values: Vec<f64>,
}

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shade {
    /// A ramp along a scale.
    Amount(Scale),
    /// Signed values: linear within the threshold, logarithmic beyond it on either side.
    Signed { threshold: f64, lo: f64, hi: f64 },
}

/// Cells without a value.
const NOTHING: Colour = Colour([226, 226, 230]);
/// Values spread over more than this are shown on a logarithmic scale.
const WIDE: f64 = 30.0;
const BAR_WIDTH: f64 = 13.0;
const BAR_GAP: f64 = 14.0;

impl Shade {
    fn of(values: &[f64]) -> Self {
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
        if hi / sizes[0] > WIDE {
            return Self::Amount(Scale::Log { lo: sizes[0], hi });
        }
        Self::Amount(Scale::Linear { lo, hi })
    }

    /// Where a value stands on the colour bar, 0 at its foot.
    fn place(&self, value: f64) -> f64 {
        match *self {
            Self::Amount(scale) => scale.place(value),
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
            Self::Signed { .. } => {
                let zero = self.place(0.0);
                Ramp::Diverging.at(0.5 + 0.5 * (place - zero) / zero.max(1.0 - zero))
            }
        }
    }

    fn colour(&self, value: f64) -> Colour {
        if !value.is_finite() || matches!(self, Self::Amount(Scale::Log { .. }) if value <= 0.0) {
            return NOTHING;
        }
        self.ramp_at(self.place(value))
    }

    fn ticks(&self) -> Ticks {
        let (threshold, lo, hi) = match *self {
            Self::Amount(scale) => return Ticks::on(scale, 6),
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

fn scale(edges: &[f64], log: bool) -> Scale {
    let (lo, hi) = (edges[0], edges[edges.len() - 1]);
    if log {
        Scale::Log { lo, hi }
    } else {
        Scale::Linear { lo, hi }
    }
}

impl Map {
    /// Draws the whole figure on a page.
    pub(super) fn draw(&self, page: Point, face: &Typeface, surface: &mut dyn Surface) {
        let shade = Shade::of(&self.values);
        let ticks = shade.ticks();
        let bar_room = BAR_GAP + BAR_WIDTH + 6.0 + widest(&ticks, face) + 8.0 + LABEL_SIZE;
        let x = Axis {
            scale: scale(&self.x_edges, self.log_x),
            label: self.x_label.clone(),
        };
        let y = Axis {
            scale: scale(&self.y_edges, self.log_y),
            label: self.y_label.clone(),
        };
        let axes = Axes::new(x, y, page, bar_room, face);
        let rows = self.y_edges.len() - 1;
        for (k, &value) in self.values.iter().enumerate() {
            let (i, j) = (k / rows, k % rows);
            let corner = [axes.across(self.x_edges[i]), axes.up(self.y_edges[j])];
            let opposite = [
                axes.across(self.x_edges[i + 1]),
                axes.up(self.y_edges[j + 1]),
            ];
            surface.rectangle(corner, opposite, shade.colour(value));
        }
        axes.draw(face, surface);
        self.bar(axes.area, &shade, &ticks, face, surface);
    }

    fn bar(
        &self,
        area: Area,
        shade: &Shade,
        ticks: &Ticks,
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
