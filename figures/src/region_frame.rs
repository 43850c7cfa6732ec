//! What stands around the points of a region map: axes with ticks, or the grid of the whole sky.
//!
//! Entry: [`Chart::graticule`], below the points, and [`Chart::frame`], above them.

use crate::axes::{Area, LABEL_SIZE, TICK_SIZE, frame, horizontal, vertical};
use crate::canvas::{Anchor, Colour, Point, Surface, Text, Typeface};
use crate::region_map::{Chart, Places, Projection, RegionMap, labelled};
use crate::ticks::{Scale, Ticks};

impl Chart {
    /// The axes around the points, or the degrees along the equator of the whole sky.
    pub(crate) fn frame(&self, map: &RegionMap<'_>, face: &Typeface, surface: &mut dyn Surface) {
        match (&self.projection, map.places) {
            (Projection::Part { ra, dec }, _) => {
                let labels = ["RA  [degrees]", "Dec  [degrees]"];
                self.sides([*ra, *dec], labels, true, face, surface);
            }
            (Projection::Plane { x, y }, Places::Plane { labels, .. }) => {
                self.sides([*x, *y], labels, false, face, surface);
            }
            _ => self.hours(face, surface),
        }
    }

    /// Frame, ticks and labels of straight axes; the first runs to the left where it is mirrored.
    fn sides(
        &self,
        ends: [[f64; 2]; 2],
        labels: [&str; 2],
        mirrored: bool,
        face: &Typeface,
        surface: &mut dyn Surface,
    ) {
        let Area {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let scale = |[lo, hi]: [f64; 2]| Scale::Linear { lo, hi };
        let [x, y] = ends.map(scale);
        let wanted = |length: f64| ((length / 55.0) as usize).clamp(2, 7);
        for (value, label) in Ticks::on(x, wanted(self.area.width())).major {
            let along = x.position(value) * self.area.width();
            let at = if mirrored {
                right - along
            } else {
                left + along
            };
            vertical(surface, at, bottom, bottom - 5.0);
            vertical(surface, at, top, top + 5.0);
            let label = if mirrored && !(0.0..360.0).contains(&value) {
                format!("{}", (value.rem_euclid(360.0) * 1e6).round() / 1e6)
            } else {
                label
            };
            let place = [at, bottom + 5.0 + TICK_SIZE];
            Text::centred(&label, place, TICK_SIZE).draw(face, surface, Colour::INK);
        }
        for (value, label) in Ticks::on(y, wanted(self.area.height())).major {
            let at = bottom - y.position(value) * self.area.height();
            horizontal(surface, at, left, left + 5.0);
            horizontal(surface, at, right, right - 5.0);
            Text::centred(&label, [left - 5.0, at + 0.36 * TICK_SIZE], TICK_SIZE)
                .anchored(Anchor::End)
                .draw(face, surface, Colour::INK);
        }
        frame(surface, self.area);
        let below = [f64::midpoint(left, right), bottom + 22.0 + LABEL_SIZE];
        Text::centred(labels[0], below, LABEL_SIZE).draw(face, surface, Colour::INK);
        let beside = [10.0 + 0.75 * LABEL_SIZE, f64::midpoint(top, bottom)];
        Text::centred(labels[1], beside, LABEL_SIZE)
            .upwards()
            .draw(face, surface, Colour::INK);
    }

    /// Degrees along the equator.
    fn hours(&self, face: &Typeface, surface: &mut dyn Surface) {
        let Projection::Whole { centre } = self.projection else {
            return;
        };
        for ra in (0..360).step_by(60).map(f64::from) {
            let beside = (ra - centre + 180.0).rem_euclid(360.0);
            if (12.0..348.0).contains(&beside) {
                labelled(&format!("{ra}°"), self.point(ra, -2.0), face, surface);
            }
        }
    }

    /// The outline of the whole sky with lines of equal right ascension and declination, and their degrees.
    pub(crate) fn graticule(&self, face: &Typeface, surface: &mut dyn Surface) {
        let Projection::Whole { centre } = self.projection else {
            return;
        };
        let along = |points: &mut dyn Iterator<Item = [f64; 2]>| -> Vec<Point> {
            points.map(|[ra, dec]| self.point(ra, dec)).collect()
        };
        // Not quite half a turn from the centre, so that each side stays on its own.
        let edge = |side: f64| centre + side * (180.0 - 1e-9);
        for dec in (-60..=60).step_by(30).map(f64::from) {
            let ends = [edge(-1.0), edge(1.0)].map(|ra| self.point(ra, dec));
            surface.stroke(&ends, 0.5, Colour::GREY);
            let label = format!("{dec}°").replace('-', "−");
            let at = [
                ends[1][0].min(ends[0][0]) - 5.0,
                ends[0][1] + 0.36 * TICK_SIZE,
            ];
            Text::centred(&label, at, TICK_SIZE)
                .anchored(Anchor::End)
                .draw(face, surface, Colour::INK);
        }
        let meridian = |ra: f64| along(&mut (-90..=90).map(|dec| [ra, f64::from(dec)]));
        for ra in (0..360).step_by(60).map(f64::from) {
            surface.stroke(&meridian(ra), 0.5, Colour::GREY);
        }
        for side in [-1.0, 1.0] {
            surface.stroke(&meridian(edge(side)), 1.0, Colour::INK);
        }
        let below = f64::midpoint(self.area.left, self.area.right);
        let at = [below, self.area.bottom + 22.0];
        let wording = "RA increases to the left, Dec upwards";
        Text::centred(wording, at, LABEL_SIZE).draw(face, surface, Colour::INK);
    }
}
