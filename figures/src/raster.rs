//! Pixel figures, anti-aliased by exact area coverage.
//!
//! Entry: [`Raster`]. Coordinates are points; the scale says how many pixels a point has.

use std::ops::Range;

use ab_glyph_rasterizer::{Rasterizer, point};

use crate::canvas::{Colour, Point, Step, Surface};
use crate::error::FigureError;

/// Pixels per point: 160 dots per inch and more.
const SCALE: f64 = 2.5;

/// A picture in the making, eight bits a channel.
pub(crate) struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
    /// The columns and rows that may be drawn on.
    open: [Range<usize>; 2],
}

impl Raster {
    /// A white page of `size` points.
    pub(crate) fn new(size: Point) -> Self {
        let [width, height] = size.map(|length| (length * SCALE).round() as usize);
        Self {
            width,
            height,
            pixels: vec![255; width * height * 3],
            open: [0..width, 0..height],
        }
    }

    /// The picture as a PNG file.
    pub(crate) fn finish(self) -> Result<Vec<u8>, FigureError> {
        self.packed()
            .map_err(|error| FigureError::Packing(error.into()))
    }

    fn packed(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Best);
        let per_metre = (SCALE * 72.0 / 0.0254).round() as u32;
        encoder.set_pixel_dims(Some(png::PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: png::Unit::Meter,
        }));
        let program = concat!("albireo ", env!("CARGO_PKG_VERSION"));
        encoder.add_text_chunk("Software".to_owned(), program.to_owned())?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file)
    }

    fn blend(&mut self, x: usize, y: usize, coverage: f32, Colour(colour): Colour) {
        if !(self.open[0].contains(&x) && self.open[1].contains(&y)) {
            return;
        }
        let start = (y * self.width + x) * 3;
        for (channel, &ink) in self.pixels[start..start + 3].iter_mut().zip(&colour) {
            let below = f32::from(*channel);
            *channel = (below + (f32::from(ink) - below) * coverage.min(1.0)).round() as u8;
        }
    }

    /// Fills contours given in pixels; parts beyond the page are left out.
    fn fill_pixels(&mut self, steps: &[Step], colour: Colour) {
        let ends = steps.iter().flat_map(|step| match *step {
            Step::Move(p) | Step::Line(p) => [p, p],
            Step::Curve(c, p) => [c, p],
        });
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in ends {
            for axis in 0..2 {
                low[axis] = low[axis].min(p[axis]);
                high[axis] = high[axis].max(p[axis]);
            }
        }
        let limits = [self.width as f64, self.height as f64];
        let inside = (0..2)
            .all(|axis| low[axis] >= 0.0 && high[axis] <= limits[axis] && low[axis] <= high[axis]);
        if !inside {
            return;
        }
        let origin = low.map(f64::floor);
        let size = [0, 1].map(|axis| (high[axis] - origin[axis]).ceil() as usize + 1);
        let mut area = Rasterizer::new(size[0], size[1]);
        trace(&mut area, steps, origin);
        let [left, top] = origin.map(|v| v as usize);
        let (width, height) = (self.width, self.height);
        let mut covered = Vec::new();
        area.for_each_pixel_2d(|x, y, coverage| {
            let (x, y) = (left + x as usize, top + y as usize);
            if coverage > 0.0 && x < width && y < height {
                covered.push((x, y, coverage));
            }
        });
        for (x, y, coverage) in covered {
            self.blend(x, y, coverage, colour);
        }
    }
}

/// The pixels from `low` to `high` that lie on a page of `limit` pixels.
fn pixels(low: f64, high: f64, limit: usize) -> Range<usize> {
    let end = (high.max(0.0).ceil() as usize).min(limit);
    (low.max(0.0) as usize).min(end)..end
}

/// Draws contours into an area whose corner is `origin`, closing each of them.
fn trace(area: &mut Rasterizer, steps: &[Step], origin: Point) {
    let pixel = |p: Point| point((p[0] - origin[0]) as f32, (p[1] - origin[1]) as f32);
    let (mut start, mut pen) = (origin, origin);
    for step in steps {
        match *step {
            Step::Move(p) => {
                area.draw_line(pixel(pen), pixel(start));
                (start, pen) = (p, p);
            }
            Step::Line(p) => {
                area.draw_line(pixel(pen), pixel(p));
                pen = p;
            }
            Step::Curve(c, p) => {
                area.draw_quad(pixel(pen), pixel(c), pixel(p));
                pen = p;
            }
        }
    }
    area.draw_line(pixel(pen), pixel(start));
}

fn scaled(p: Point) -> Point {
    p.map(|v| v * SCALE)
}

/// Distance of `p` from the segment between `a` and `b`.
fn distance(p: Point, [a, b]: [Point; 2]) -> f64 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length2 = along[0] * along[0] + along[1] * along[1];
    let part = if length2 > 0.0 {
        ((to[0] * along[0] + to[1] * along[1]) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (to[0] - part * along[0]).hypot(to[1] - part * along[1])
}

impl Surface for Raster {
    fn fill(&mut self, outline: &[Step], colour: Colour) {
        let pixels: Vec<Step> = outline
            .iter()
            .map(|step| match *step {
                Step::Move(p) => Step::Move(scaled(p)),
                Step::Line(p) => Step::Line(scaled(p)),
                Step::Curve(c, p) => Step::Curve(scaled(c), scaled(p)),
            })
            .collect();
        self.fill_pixels(&pixels, colour);
    }

    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour) {
        let half = width * SCALE / 2.0;
        let points: Vec<Point> = line.iter().copied().map(scaled).collect();
        let mut nearest = std::collections::BTreeMap::new();
        for pair in points.windows(2) {
            let reach = half + 1.0;
            let side = |axis: usize| {
                let (a, b) = (pair[0][axis], pair[1][axis]);
                let open = &self.open[axis];
                let touched = pixels(a.min(b) - reach, a.max(b) + reach, open.end);
                touched.start.max(open.start)..touched.end
            };
            let columns = side(0);
            for y in side(1) {
                for x in columns.clone() {
                    let d = distance([x as f64 + 0.5, y as f64 + 0.5], [pair[0], pair[1]]);
                    if d < half + 0.5 {
                        let least: &mut f64 = nearest.entry((y, x)).or_insert(d);
                        *least = least.min(d);
                    }
                }
            }
        }
        for ((y, x), d) in nearest {
            self.blend(x, y, (half + 0.5 - d).clamp(0.0, 1.0) as f32, colour);
        }
    }

    fn rectangle(&mut self, corner: Point, opposite: Point, colour: Colour) {
        let (a, b) = (scaled(corner), scaled(opposite));
        let side = |axis: usize, limit: usize| {
            let low = (a[axis].min(b[axis]).round() as usize).min(limit);
            let high = (a[axis].max(b[axis]).round() as usize).max(low + 1);
            low..high.min(limit)
        };
        let columns = side(0, self.width);
        for y in side(1, self.height) {
            for x in columns.clone() {
                self.blend(x, y, 1.0, colour);
            }
        }
    }

    fn clip(&mut self, corners: Option<[Point; 2]>) {
        let limits = [self.width, self.height];
        self.open = [0, 1].map(|axis| match corners {
            None => 0..limits[axis],
            Some(corners) => {
                let [a, b] = corners.map(|p| p[axis] * SCALE);
                pixels(a.min(b).round(), a.max(b).round(), limits[axis])
            }
        });
    }

    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.stroke(&[centre, centre], 2.0 * radius, colour);
    }
}
