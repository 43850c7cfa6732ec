//! Shapes in points (1/72 inch), x to the right and y down, and the text that is made of them.
//!
//! Entry: [`Surface`], which PNG, SVG and PDF implement, and [`Text`]. Text is drawn as outlines of the embedded font, so a figure looks
//! the same everywhere. Nothing here knows axes.

use std::fmt::Write;

use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve};

use crate::error::FigureError;

/// A point on the page.
pub(crate) type Point = [f64; 2];

/// Red, green and blue, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

impl Colour {
    pub(crate) const WHITE: Self = Self([255; 3]);
    pub(crate) const INK: Self = Self([30, 30, 34]);
    pub(crate) const GREY: Self = Self([150, 150, 156]);

    /// The same hue, nearly white.
    pub(crate) fn pale(self) -> Self {
        Self(self.0.map(|channel| 255 - (255 - channel) / 4))
    }
}

/// A step of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Move(Point),
    Line(Point),
    /// Control point and end of a quadratic curve.
    Curve(Point, Point),
}

/// Closed outlines to be filled.
pub(crate) type Outline = Vec<Step>;

/// What can be drawn on.
pub(crate) trait Surface {
    /// Fills closed outlines.
    fn fill(&mut self, outline: &[Step], colour: Colour);

    /// Draws connected lines of a width, with round joints.
    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour);

    /// Fills the rectangle between two corners with sharp edges.
    fn rectangle(&mut self, corner: Point, opposite: Point, colour: Colour);

    /// A disc.
    fn disc(&mut self, centre: Point, radius: f64, colour: Colour);

    /// Draws the next shapes only inside the rectangle between two corners, or everywhere again.
    fn clip(&mut self, corners: Option<[Point; 2]>);

    /// Writes text: its outlines, where the surface knows no fonts.
    fn text(&mut self, text: &Text<'_>, face: &Typeface, colour: Colour) {
        self.fill(&text.outline(face), colour);
    }
}

/// The embedded font: the characters that figures need.
pub(crate) static FONT: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

/// The embedded font.
pub(crate) struct Typeface(FontRef<'static>);

/// Size of a subscript, and how far it lies below the baseline, in units of the text size.
const SUBSCRIPT: (f64, f64) = (0.72, 0.22);
const SUPERSCRIPT: (f64, f64) = (0.72, -0.38);

/// The characters of a text with their size and depth relative to the text size; `_` makes the next one a subscript and `^` a number
/// a superscript, unless the text is to be taken literally.
fn characters(text: &str, literal: bool) -> impl Iterator<Item = (char, f64, f64)> + '_ {
    let (mut lowered, mut raised) = (false, false);
    text.chars().filter_map(move |c| {
        if c == '^' && !literal {
            raised = true;
            return None;
        }
        raised &= c.is_ascii_digit() || matches!(c, '.' | '−');
        if c == '_' && !literal {
            lowered = true;
            return None;
        }
        let (size, depth) = if std::mem::take(&mut lowered) {
            SUBSCRIPT
        } else if raised {
            SUPERSCRIPT
        } else {
            (1.0, 0.0)
        };
        Some((c, size, depth))
    })
}

impl Typeface {
    /// The embedded font, ready to use.
    pub(crate) fn embedded() -> Result<Self, FigureError> {
        let font = FontRef::try_from_slice(FONT);
        font.map(Self)
            .map_err(|_| FigureError::Input("the embedded font cannot be read".to_owned()))
    }

    fn scale(&self, size: f64) -> f64 {
        size / self.units_per_em()
    }

    /// The units that an em has.
    pub(crate) fn units_per_em(&self) -> f64 {
        f64::from(self.0.units_per_em().unwrap_or(2048.0))
    }

    /// The glyph of a character; a question mark for one that the font lacks.
    fn glyph(&self, c: char) -> GlyphId {
        match self.0.glyph_id(c) {
            GlyphId(0) => self.0.glyph_id('?'),
            found => found,
        }
    }

    /// How far a glyph moves the pen, in the font's units.
    pub(crate) fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.0.h_advance_unscaled(glyph))
    }

    /// How wide a glyph is.
    pub(crate) fn width_at(&self, glyph: Glyph) -> f64 {
        self.advance(glyph.id) * self.scale(glyph.size)
    }

    /// How wide `text` is at `size` points, with subscripts.
    pub(crate) fn width(&self, text: &str, size: f64) -> f64 {
        self.width_of(text, size, false)
    }

    /// How wide `text` is at `size` points, every character as it is.
    pub(crate) fn literal_width(&self, text: &str, size: f64) -> f64 {
        self.width_of(text, size, true)
    }

    fn width_of(&self, text: &str, size: f64, literal: bool) -> f64 {
        characters(text, literal)
            .map(|(c, relative, _)| self.advance(self.glyph(c)) * relative)
            .sum::<f64>()
            * self.scale(size)
    }
}

/// A glyph in its place: `x` along the line of the text and `depth` below it, both from the text's position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Glyph {
    pub(crate) id: GlyphId,
    pub(crate) character: char,
    pub(crate) x: f64,
    pub(crate) depth: f64,
    pub(crate) size: f64,
}

/// Which point of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Text to be drawn: `at` lies on the baseline, `_` makes the next character a subscript.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) wording: &'a str,
    pub(crate) at: Point,
    pub(crate) size: f64,
    pub(crate) anchor: Anchor,
    /// Reading upwards instead of to the right.
    pub(crate) upwards: bool,
    /// `_` is an underscore.
    pub(crate) literal: bool,
}

impl<'a> Text<'a> {
    /// Text to the right, in the middle of `at`.
    pub(crate) fn centred(wording: &'a str, at: Point, size: f64) -> Self {
        Self {
            wording,
            at,
            size,
            anchor: Anchor::Middle,
            upwards: false,
            literal: false,
        }
    }

    /// The same text with every character as it is.
    pub(crate) fn literally(self) -> Self {
        Self {
            literal: true,
            ..self
        }
    }

    /// The same text, anchored otherwise.
    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same text, turned by a quarter.
    pub(crate) fn upwards(self) -> Self {
        Self {
            upwards: true,
            ..self
        }
    }

    /// Its glyphs, each in its place.
    pub(crate) fn glyphs(&self, face: &Typeface) -> Vec<Glyph> {
        let shift = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        let mut pen = -shift * face.width_of(self.wording, self.size, self.literal);
        let place = |(character, relative, depth): (char, f64, f64)| {
            let (id, size, x) = (face.glyph(character), self.size * relative, pen);
            pen += face.advance(id) * face.scale(size);
            Glyph {
                id,
                character,
                x,
                depth: depth * self.size,
                size,
            }
        };
        characters(self.wording, self.literal).map(place).collect()
    }

    /// Where a point stands on the page that is `x` along the line and `depth` below it.
    pub(crate) fn place(&self, x: f64, depth: f64) -> Point {
        if self.upwards {
            [self.at[0] + depth, self.at[1] - x]
        } else {
            [self.at[0] + x, self.at[1] + depth]
        }
    }

    pub(crate) fn outline(&self, face: &Typeface) -> Outline {
        let mut outline = Outline::new();
        for glyph in self.glyphs(face) {
            let scale = face.scale(glyph.size);
            let place = |p: ab_glyph::Point| {
                let (x, y) = (f64::from(p.x) * scale, f64::from(p.y) * scale);
                self.place(glyph.x + x, glyph.depth - y)
            };
            let found = face.0.outline(glyph.id);
            append(
                &mut outline,
                &found.map(|o| o.curves).unwrap_or_default(),
                place,
            );
        }
        outline
    }

    /// Draws it.
    pub(crate) fn draw(&self, face: &Typeface, surface: &mut dyn Surface, colour: Colour) {
        if !self.wording.is_empty() {
            surface.text(self, face, colour);
        }
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
pub(crate) fn path_data(outline: &[Step]) -> String {
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
