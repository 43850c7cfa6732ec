//! Shapes in points (1/72 inch), x to the right and y down, and the text that is made of them.
//!
//! Entry: [`Surface`], which PNG and SVG implement, and [`Text`]. Text is drawn as outlines of the embedded font, so a figure looks
//! the same everywhere. Nothing here knows axes.

use std::fmt::Write;

use ab_glyph::{Font, FontRef, OutlineCurve};

/// A point on the page.
pub(super) type Point = [f64; 2];

/// Red, green and blue, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) [u8; 3]);

impl Colour {
    pub(super) const WHITE: Self = Self([255; 3]);
    pub(super) const INK: Self = Self([30, 30, 34]);
    pub(super) const GREY: Self = Self([150, 150, 156]);

    /// The same hue, nearly white.
    pub(super) fn pale(self) -> Self {
        Self(self.0.map(|channel| 255 - (255 - channel) / 4))
    }
}

/// A step of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Move(Point),
    Line(Point),
    /// Control point and end of a quadratic curve.
    Curve(Point, Point),
}

/// Closed outlines to be filled.
pub(super) type Outline = Vec<Step>;

/// What can be drawn on.
pub(super) trait Surface {
    /// Fills closed outlines.
    fn fill(&mut self, outline: &[Step], colour: Colour);

    /// Draws connected lines of a width, with round joints.
    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour);

    /// Fills the rectangle between two corners with sharp edges.
    fn rectangle(&mut self, corner: Point, opposite: Point, colour: Colour);

    /// A disc.
    fn disc(&mut self, centre: Point, radius: f64, colour: Colour);

    /// Names what is drawn next, for readers of the file.
    fn label(&mut self, _: &str) {}
}

static FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

/// The embedded font.
pub(super) struct Typeface(FontRef<'static>);

/// Size of a subscript, and how far it lies below the baseline, in units of the text size.
const SUBSCRIPT: (f64, f64) = (0.72, 0.22);

/// The characters of a text with their size and depth relative to the text size; `_` makes the next one a subscript.
fn characters(text: &str) -> impl Iterator<Item = (char, f64, f64)> + '_ {
    let mut lowered = false;
    text.chars().filter_map(move |c| {
        if c == '_' {
            lowered = true;
            return None;
        }
        let (size, depth) = if std::mem::take(&mut lowered) {
            SUBSCRIPT
        } else {
            (1.0, 0.0)
        };
        Some((c, size, depth))
    })
}

impl Typeface {
    /// The embedded font, ready to use.
    pub(super) fn embedded() -> anyhow::Result<Self> {
        Ok(Self(FontRef::try_from_slice(FONT)?))
    }

    fn scale(&self, size: f64) -> f64 {
        size / f64::from(self.0.units_per_em().unwrap_or(2048.0))
    }

    /// How wide `text` is at `size` points.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let advance = |c| f64::from(self.0.h_advance_unscaled(self.0.glyph_id(c)));
        characters(text)
            .map(|(c, relative, _)| advance(c) * relative)
            .sum::<f64>()
            * self.scale(size)
    }
}

/// Which point of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Text to be drawn: `at` lies on the baseline, `_` makes the next character a subscript.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) wording: &'a str,
    pub(super) at: Point,
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    /// Reading upwards instead of to the right.
    pub(super) upwards: bool,
}

impl<'a> Text<'a> {
    /// Text to the right, in the middle of `at`.
    pub(super) fn centred(wording: &'a str, at: Point, size: f64) -> Self {
        Self {
            wording,
            at,
            size,
            anchor: Anchor::Middle,
            upwards: false,
        }
    }

    /// The same text, anchored otherwise.
    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same text, turned by a quarter.
    pub(super) fn upwards(self) -> Self {
        Self {
            upwards: true,
            ..self
        }
    }

    fn outline(&self, face: &Typeface) -> Outline {
        let shift = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        let mut pen = -shift * face.width(self.wording, self.size);
        let mut outline = Outline::new();
        for (c, relative, depth) in characters(self.wording) {
            let glyph = face.0.glyph_id(c);
            let scale = face.scale(self.size * relative);
            let place = |p: ab_glyph::Point| {
                let (x, y) = (
                    pen + f64::from(p.x) * scale,
                    depth * self.size - f64::from(p.y) * scale,
                );
                if self.upwards {
                    [self.at[0] + y, self.at[1] - x]
                } else {
                    [self.at[0] + x, self.at[1] + y]
                }
            };
            let curves = face.0.outline(glyph).map(|o| o.curves).unwrap_or_default();
            append(&mut outline, &curves, place);
            pen += f64::from(face.0.h_advance_unscaled(glyph)) * scale;
        }
        outline
    }

    /// Draws it.
    pub(super) fn draw(&self, face: &Typeface, surface: &mut dyn Surface, colour: Colour) {
        surface.label(self.wording);
        surface.fill(&self.outline(face), colour);
    }
}

/// Appends the contours of a glyph, each beginning with a move.
fn append(
    outline: &mut Outline,
    curves: &[OutlineCurve],
    place: impl Fn(ab_glyph::Point) -> Point,
) {
    let mut end = None;
    for curve in curves {
        let (from, step, to) = match *curve {
            OutlineCurve::Line(a, b) => (a, Step::Line(place(b)), b),
            OutlineCurve::Quad(a, b, c) => (a, Step::Curve(place(b), place(c)), c),
            // TrueType outlines have no cubic curves.
            OutlineCurve::Cubic(a, _, _, d) => (a, Step::Line(place(d)), d),
        };
        if end != Some(from) {
            outline.push(Step::Move(place(from)));
        }
        outline.push(step);
        end = Some(to);
    }
}

/// Path data as SVG writes it, to a hundredth of a point.
pub(super) fn path_data(outline: &[Step]) -> String {
    let mut text = String::new();
    for step in outline {
        let _ = match step {
            Step::Move([x, y]) => {
                let close = if text.is_empty() { "" } else { "Z" };
                write!(text, "{close}M{x:.2} {y:.2}")
            }
            Step::Line([x, y]) => write!(text, "L{x:.2} {y:.2}"),
            Step::Curve([cx, cy], [x, y]) => write!(text, "Q{cx:.2} {cy:.2} {x:.2} {y:.2}"),
        };
    }
    if !text.is_empty() {
        text.push('Z');
    }
    text
}
