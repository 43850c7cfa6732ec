//! Scalable figures.
//!
//! Entry: [`Svg`]. Coordinates are points; text is text, of which each run of letters is as wide as the
//! embedded font makes it, with its wording in `aria-label`.

use std::fmt::Write;

use crate::canvas::{Colour, Point, Step, Surface, Text, Typeface, path_data};

/// An SVG document in the making.
pub(crate) struct Svg {
    size: Point,
    body: String,
    /// Clip paths defined so far.
    clips: usize,
    clipped: bool,
}

/// The embedded font, and what is as wide where it is not installed.
const FONTS: &str = "DejaVu Sans, Bitstream Vera Sans, Verdana, sans-serif";

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

impl Svg {
    /// A white page.
    pub(crate) fn new(size: Point) -> Self {
        Self {
            size,
            body: String::new(),
            clips: 0,
            clipped: false,
        }
    }

    /// What was drawn, without the document around it.
    pub(crate) fn into_body(self) -> String {
        self.body
    }

    /// The document.
    pub(crate) fn finish(self) -> Vec<u8> {
        let [width, height] = self.size;
        // A point is 4/3 of the 96ths of an inch that SVG measures in.
        let [across, down] = self.size.map(|length| length * 4.0 / 3.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}\" height=\"{down}\" viewBox=\"0 0 {width} {height}\">\n\
             <metadata>albireo {}</metadata>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{}</svg>\n",
            env!("CARGO_PKG_VERSION"),
            self.body
        )
        .into_bytes()
    }
}

pub(crate) fn hex(Colour([r, g, b]): Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

impl Surface for Svg {
    fn fill(&mut self, outline: &[Step], colour: Colour) {
        let (colour, data) = (hex(colour), path_data(outline));
        let _ = writeln!(self.body, "<path fill=\"{colour}\" d=\"{data}\"/>");
    }

    fn text(&mut self, text: &Text<'_>, face: &Typeface, colour: Colour) {
        let (label, colour) = (escaped(text.wording), hex(colour));
        let [x, y] = text.at;
        let turned = if text.upwards {
            format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"")
        } else {
            String::new()
        };
        let _ = write!(
            self.body,
            "<text aria-label=\"{label}\" fill=\"{colour}\" font-family=\"{FONTS}\" xml:space=\"preserve\"{turned}>"
        );
        let glyphs = text.glyphs(face);
        for run in glyphs.chunk_by(|a, b| a.size == b.size && a.depth == b.depth) {
            let (first, last) = (run[0], run[run.len() - 1]);
            let width = last.x - first.x + face.width_at(last);
            let letters: String = run.iter().map(|glyph| glyph.character).collect();
            let _ = write!(
                self.body,
                "<tspan x=\"{:.2}\" y=\"{:.2}\" font-size=\"{:.2}\" textLength=\"{width:.2}\" lengthAdjust=\"spacingAndGlyphs\">{}</tspan>",
                x + first.x,
                y + first.depth,
                first.size,
                escaped(&letters)
            );
        }
        self.body.push_str("</text>\n");
    }

    fn clip(&mut self, corners: Option<[Point; 2]>) {
        if std::mem::take(&mut self.clipped) {
            self.body.push_str("</g>\n");
        }
        let Some([[x0, y0], [x1, y1]]) = corners else {
            return;
        };
        self.clips += 1;
        self.clipped = true;
        let (x, y, width, height) = (x0.min(x1), y0.min(y1), (x1 - x0).abs(), (y1 - y0).abs());
        let id = self.clips;
        let _ = writeln!(
            self.body,
            "<clipPath id=\"clip{id}\"><rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"/></clipPath>\n\
             <g clip-path=\"url(#clip{id})\">"
        );
    }

    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour) {
        let points: Vec<String> = line.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
        let _ = writeln!(
            self.body,
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" points=\"{}\"/>",
            hex(colour),
            points.join(" ")
        );
    }

    fn rectangle(&mut self, [x0, y0]: Point, [x1, y1]: Point, colour: Colour) {
        let (x, y) = (x0.min(x1), y0.min(y1));
        let (width, height) = ((x1 - x0).abs(), (y1 - y0).abs());
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            hex(colour)
        );
    }

    fn disc(&mut self, [x, y]: Point, radius: f64, colour: Colour) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>",
            hex(colour)
        );
    }
}
