//! Points coloured by the region that they lie in: on the sky, in a projection of equal areas where they cover much of it, or in a plane.
//!
//! Entry: [`draw_regions`].

use std::f64::consts::PI;
use std::path::Path;

use crate::axes::{Area, TICK_SIZE};
use crate::canvas::{Colour, Point, Surface, Text, Typeface};
use crate::colour::region_colour;
use crate::error::FigureError;
use crate::{Format, rendered, save};

/// Where the points of a region map lie, in two columns.
#[derive(Debug, Clone, Copy)]
pub enum Places<'a> {
    /// Right ascensions and declinations, degrees.
    Sky {
        /// Right ascensions.
        ra: &'a [f64],
        /// Declinations.
        dec: &'a [f64],
    },
    /// Positions in a plane.
    Plane {
        /// Across.
        x: &'a [f64],
        /// Upwards.
        y: &'a [f64],
        /// What the axes are called.
        labels: [&'a str; 2],
    },
}

/// Points and the number of the region that each lies in.
#[derive(Debug, Clone, Copy)]
pub struct RegionMap<'a> {
    /// Where they lie.
    pub places: Places<'a>,
    /// Their regions, counting from 0.
    pub region: &'a [u32],
}

impl<'a> RegionMap<'a> {
    /// The two columns of places.
    fn columns(&self) -> [&'a [f64]; 2] {
        match self.places {
            Places::Sky { ra, dec } => [ra, dec],
            Places::Plane { x, y, .. } => [x, y],
        }
    }

    /// Rows that are drawn, `most` of them: of more, every so many-th.
    pub(crate) fn rows(&self, most: usize) -> impl Iterator<Item = usize> + use<> {
        let step = self.region.len().div_ceil(most).max(1);
        (0..self.region.len()).step_by(step)
    }
}

/// Most points that are drawn.
const MOST_POINTS: usize = 20_000;
/// Most regions whose numbers are written.
const MOST_NUMBERS: usize = 64;
/// Range of right ascensions from which on the whole sky is shown.
const WIDE: f64 = 150.0;
const RADIUS: f64 = 1.1;
const COLOURS: u32 = 12;
/// Largest sides of the map.
const LARGEST: Point = [430.0, 330.0];
const LEFT: f64 = 62.0;
const TOP: f64 = 16.0;
const MARGIN: f64 = 16.0;
const BELOW: f64 = 48.0;

/// Draws points in the colours of their regions, with the numbers of the regions where there are not too many, into a file by its
/// extension. The file is there whole or not at all.
///
/// On the sky right ascension increases to the left. Points that cover more than 150 degrees of it are shown in Mollweide's projection
/// of the whole sky, others in right ascension and declination, their scales in the ratio of lengths at the middle declination.
///
/// ```
/// use albireo_figures::{Places, RegionMap, draw_regions};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("regions.svg");
/// let (ra, dec) = ([10.0, 11.0, 14.0, 15.0], [-3.0, 2.0, -2.0, 3.0]);
/// let places = Places::Sky { ra: &ra, dec: &dec };
/// draw_regions(&RegionMap { places, region: &[0, 0, 1, 1] }, &path)?;
/// assert!(std::fs::read_to_string(&path)?.starts_with("<svg "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FigureError`]: no points, columns of unequal lengths, or a file that cannot be written.
pub fn draw_regions(map: &RegionMap<'_>, path: &Path) -> Result<(), FigureError> {
    let format = Format::of(path)?;
    let chart = Chart::of(map)?;
    let show = |face: &Typeface, surface: &mut dyn Surface| chart.draw(map, face, surface);
    save(&rendered(chart.page(), format, &show)?, path)
}

/// Text on a white ground.
pub(crate) fn labelled(wording: &str, [x, y]: Point, face: &Typeface, surface: &mut dyn Surface) {
    let at = [x, y + 0.36 * TICK_SIZE];
    let width = face.width(wording, TICK_SIZE) / 2.0 + 2.0;
    let (top, bottom) = (at[1] - 0.9 * TICK_SIZE, at[1] + 0.2 * TICK_SIZE);
    surface.rectangle([x - width, top], [x + width, bottom], Colour::WHITE);
    Text::centred(wording, at, TICK_SIZE).draw(face, surface, Colour::INK);
}

/// How places become points of the page.
#[derive(Debug, Clone)]
pub(crate) enum Projection {
    /// Mollweide around a right ascension.
    Whole {
        centre: f64,
    },
    /// Right ascensions from the first end to the second, increasing to the left, and declinations.
    Part {
        ra: [f64; 2],
        dec: [f64; 2],
    },
    Plane {
        x: [f64; 2],
        y: [f64; 2],
    },
}

/// A map on its page.
pub(crate) struct Chart {
    pub(crate) projection: Projection,
    pub(crate) area: Area,
}

fn ends(values: &[f64]) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let ends = |[lo, hi]: [f64; 2], v: &f64| [lo.min(*v), hi.max(*v)];
    values.iter().fold(none, ends)
}

/// Ends a little further apart.
fn widened([lo, hi]: [f64; 2]) -> [f64; 2] {
    let room = (0.03 * (hi - lo)).max(1e-6 * hi.abs()).max(1e-9);
    [lo - room, hi + room]
}

/// The shortest arc that holds all right ascensions: where it begins and how long it is, degrees.
fn arc(ra: &[f64]) -> [f64; 2] {
    let mut sorted: Vec<f64> = ra.iter().map(|ra| ra.rem_euclid(360.0)).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let gap = |k: usize| {
        let next = sorted[(k + 1) % n] + if k + 1 == n { 360.0 } else { 0.0 };
        next - sorted[k]
    };
    let widest = (0..n).max_by(|&a, &b| gap(a).total_cmp(&gap(b)));
    let widest = widest.unwrap_or(0);
    [sorted[(widest + 1) % n], 360.0 - gap(widest)]
}

/// The auxiliary angle of Mollweide's projection: `2t + sin 2t = pi sin(dec)` (Snyder 1987, USGS Professional Paper 1395, eq. 31-3).
fn auxiliary(dec: f64) -> f64 {
    let target = PI * dec.sin();
    let (mut lo, mut hi) = (-PI / 2.0, PI / 2.0);
    for _ in 0..60 {
        let middle = f64::midpoint(lo, hi);
        if 2.0 * middle + (2.0 * middle).sin() < target {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    f64::midpoint(lo, hi)
}

/// Width over height of the map, within what a page can show.
fn ratio(projection: &Projection) -> f64 {
    match projection {
        Projection::Whole { .. } => 2.0,
        Projection::Part { ra, dec } => {
            let middle = f64::midpoint(dec[0], dec[1]).to_radians();
            (ra[1] - ra[0]) * middle.cos() / (dec[1] - dec[0])
        }
        Projection::Plane { x, y } => (x[1] - x[0]) / (y[1] - y[0]),
    }
    .clamp(0.3, 4.0)
}

impl Chart {
    pub(crate) fn of(map: &RegionMap<'_>) -> Result<Self, FigureError> {
        let n = map.region.len();
        if n == 0 {
            return Err(FigureError::Nothing);
        }
        if let Some(found) = map
            .columns()
            .map(<[f64]>::len)
            .into_iter()
            .find(|len| *len != n)
        {
            return Err(FigureError::rows(found, n));
        }
        let projection = match map.places {
            Places::Plane { x, y, .. } => Projection::Plane {
                x: widened(ends(x)),
                y: widened(ends(y)),
            },
            Places::Sky { ra, dec } => {
                let [start, length] = arc(ra);
                if length > WIDE {
                    let centre = (start + length / 2.0).rem_euclid(360.0);
                    Projection::Whole { centre }
                } else {
                    let [lo, hi] = widened(ends(dec));
                    Projection::Part {
                        ra: widened([start, start + length]),
                        dec: [lo.max(-90.0), hi.min(90.0)],
                    }
                }
            }
        };
        let ratio = ratio(&projection);
        let width = LARGEST[0].min(LARGEST[1] * ratio);
        let area = Area {
            left: LEFT,
            top: TOP,
            right: LEFT + width,
            bottom: TOP + width / ratio,
        };
        Ok(Self { projection, area })
    }

    pub(crate) fn page(&self) -> Point {
        [self.area.right + MARGIN, self.area.bottom + BELOW]
    }

    /// The point of the page that a place becomes.
    pub(crate) fn point(&self, first: f64, second: f64) -> Point {
        let within = |value: f64, [lo, hi]: [f64; 2]| (value - lo) / (hi - lo);
        let (across, up) = match &self.projection {
            Projection::Whole { centre } => {
                let from_centre = (first - centre + 180.0).rem_euclid(360.0) - 180.0;
                let angle = auxiliary(second.to_radians());
                let x = -from_centre / 180.0 * angle.cos();
                (0.5 + 0.5 * x, 0.5 + 0.5 * angle.sin())
            }
            Projection::Part { ra, dec } => {
                let turned = (first - ra[0]).rem_euclid(360.0) + ra[0];
                (1.0 - within(turned, *ra), within(second, *dec))
            }
            Projection::Plane { x, y } => (within(first, *x), within(second, *y)),
        };
        let Area { left, bottom, .. } = self.area;
        [
            left + across * self.area.width(),
            bottom - up * self.area.height(),
        ]
    }

    fn draw(&self, map: &RegionMap<'_>, face: &Typeface, surface: &mut dyn Surface) {
        self.graticule(face, surface);
        let colours = self.colours(map);
        for row in map.rows(MOST_POINTS) {
            let at = self.place_of(map, row);
            surface.disc(at, RADIUS, colours[map.region[row] as usize]);
        }
        self.frame(map, face, surface);
        for (region, at) in self.numbered(map) {
            labelled(&region.to_string(), at, face, surface);
        }
    }

    /// The point of the page that a row becomes.
    pub(crate) fn place_of(&self, map: &RegionMap<'_>, row: usize) -> Point {
        let [first, second] = map.columns();
        self.point(first[row], second[row])
    }

    /// The middle of the points of each region on the page: on the sky that of their directions, so that none is torn at the edge.
    fn centres(&self, map: &RegionMap<'_>) -> Vec<Option<Point>> {
        let regions = map.region.iter().max().map_or(0, |last| *last as usize + 1);
        let mut sums = vec![[0.0; 4]; regions];
        let place = |row: usize| match map.places {
            Places::Plane { x, y, .. } => [x[row], y[row], 0.0],
            Places::Sky { ra, dec } => {
                let (ra, dec) = (ra[row].to_radians(), dec[row].to_radians());
                [dec.cos() * ra.cos(), dec.cos() * ra.sin(), dec.sin()]
            }
        };
        for (row, &region) in map.region.iter().enumerate() {
            let [x, y, z] = place(row);
            let sum = &mut sums[region as usize];
            *sum = [sum[0] + x, sum[1] + y, sum[2] + z, sum[3] + 1.0];
        }
        let centre = |[x, y, z, n]: [f64; 4]| {
            let at = match map.places {
                Places::Plane { .. } => self.point(x / n, y / n),
                Places::Sky { .. } => {
                    let (ra, dec) = (y.atan2(x), z.atan2(x.hypot(y)));
                    self.point(ra.to_degrees().rem_euclid(360.0), dec.to_degrees())
                }
            };
            (n > 0.0).then_some(at)
        };
        sums.into_iter().map(centre).collect()
    }

    /// A colour for each region: of all, the one whose regions so far are farthest away.
    pub(crate) fn colours(&self, map: &RegionMap<'_>) -> Vec<Colour> {
        let centres = self.centres(map);
        let mut chosen: Vec<u32> = Vec::with_capacity(centres.len());
        for (k, centre) in centres.iter().enumerate() {
            let far = |colour: u32| {
                let same = (0..k).filter(|&other| chosen[other] == colour);
                let distances = same.filter_map(|other| {
                    let ([x, y], [u, v]) = ((*centre)?, centres[other]?);
                    Some((x - u).hypot(y - v))
                });
                distances.fold(f64::INFINITY, f64::min)
            };
            // Of colours equally far the first.
            let best = (0..COLOURS)
                .rev()
                .max_by(|&a, &b| far(a).total_cmp(&far(b)));
            chosen.push(best.unwrap_or(0));
        }
        chosen.into_iter().map(region_colour).collect()
    }

    /// The regions whose numbers are written, at the middle of their points on the page.
    pub(crate) fn numbered(&self, map: &RegionMap<'_>) -> Vec<(usize, Point)> {
        let regions = map.region.iter().max().map_or(0, |last| *last as usize + 1);
        if regions > MOST_NUMBERS || !matches!(map.places, Places::Sky { .. }) {
            return Vec::new();
        }
        let centres = self.centres(map).into_iter().enumerate();
        centres.filter_map(|(k, at)| Some((k, at?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(ra: &[f64], dec: &[f64]) -> Chart {
        let places = Places::Sky { ra, dec };
        let region = vec![0; ra.len()];
        Chart::of(&RegionMap {
            places,
            region: &region,
        })
        .unwrap()
    }

    #[test]
    fn areas_are_equal_on_the_whole_sky() {
        let whole = chart(&[0.0, 120.0, 240.0], &[0.0, -50.0, 80.0]);
        assert!(matches!(whole.projection, Projection::Whole { .. }));
        let total = PI / 4.0 * whole.area.width() * whole.area.height();
        // Cells of one solid angle: steps in RA and sin(Dec).
        for (ra, z) in [(10.0, 0.0), (200.0, 0.7), (100.0, -0.9)] {
            let h = 1e-3;
            let corner = |dra: f64, dz: f64| whole.point(ra + dra, (z + dz).asin().to_degrees());
            let [a, b, c] = [corner(0.0, 0.0), corner(h, 0.0), corner(0.0, h)];
            let cross = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            let share = (h / 360.0) * (h / 2.0);
            assert!((cross.abs() / total / share - 1.0).abs() < 2e-3, "{ra} {z}");
        }
        // Flat at the pole: an angle is good to the cube root of a rounding there.
        assert!((auxiliary(PI / 2.0) - PI / 2.0).abs() < 2e-5 && auxiliary(0.0).abs() < 1e-15);
    }

    #[test]
    fn right_ascension_increases_to_the_left_across_zero() {
        let part = chart(&[350.0, 355.0, 5.0, 10.0], &[0.0, 1.0, 2.0, 3.0]);
        let x = |ra: f64| part.point(ra, 1.0)[0];
        assert!(x(350.0) > x(359.0) && x(359.0) > x(1.0) && x(1.0) > x(10.0));
        assert!(part.point(0.0, 2.0)[1] < part.point(0.0, 1.0)[1]);
        assert_eq!(arc(&[350.0, 10.0, 0.0]), [350.0, 20.0]);
        let south = chart(&[0.0, 10.0], &[50.0, 60.0]);
        let lengths = [south.area.width(), south.area.height()];
        assert!((lengths[0] / lengths[1] - 55.0_f64.to_radians().cos()).abs() < 0.01);
    }

    #[test]
    fn maps_of_nothing_are_refused() {
        let path = Path::new("never.png");
        let places = Places::Sky { ra: &[], dec: &[] };
        let region = &[];
        let refused = draw_regions(&RegionMap { places, region }, path);
        assert!(matches!(refused, Err(FigureError::Nothing)));
        let places = Places::Sky {
            ra: &[1.0],
            dec: &[1.0],
        };
        let region = &[0, 1];
        let refused = draw_regions(&RegionMap { places, region }, path);
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .starts_with("the result has ")
        );
    }
}
