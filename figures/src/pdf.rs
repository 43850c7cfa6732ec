//! PDF figures (ISO 32000-1): one page of vector shapes, and text in the embedded font, which can be selected and searched.
//!
//! Entry: [`Pdf`]. Coordinates are points from the upper left, as everywhere here; the page is turned over once at its beginning.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use ab_glyph::GlyphId;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::canvas::{Colour, FONT, Point, Step, Surface, Text, Typeface};
use crate::error::FigureError;

/// A document of one page in the making.
pub(crate) struct Pdf {
    size: Point,
    /// Operators of the page.
    content: String,
    /// Glyphs used so far with the characters they stand for.
    glyphs: BTreeMap<u16, char>,
    clipped: bool,
}

/// The objects of the file, by their numbers.
const CATALOG: usize = 1;
const PAGES: usize = 2;
const PAGE: usize = 3;
const CONTENT: usize = 4;
const TYPE0: usize = 5;
const CID_FONT: usize = 6;
const DESCRIPTOR: usize = 7;
const FONT_FILE: usize = 8;
const TO_UNICODE: usize = 9;
const FACTS: usize = 10;

/// Where a circle of radius 1 has the control points of its quarters.
const QUARTER: f64 = 0.552_284_75;

/// A compressed stream with further entries of its dictionary.
fn stream(bytes: &[u8], entries: &str) -> Result<Vec<u8>, FigureError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let packed = packed.map_err(FigureError::Packing)?;
    let length = packed.len();
    let mut object =
        format!("<< /Length {length} /Filter /FlateDecode{entries} >>\nstream\n").into_bytes();
    object.extend(packed);
    object.extend(b"\nendstream");
    Ok(object)
}

/// Numbers of 16 bits, four digits each.
fn hexadecimal(numbers: impl Iterator<Item = u16>) -> String {
    numbers.fold(String::new(), |mut text, number| {
        let _ = write!(text, "{number:04X}");
        text
    })
}

/// The characters of glyphs, for readers that copy or search text.
fn to_unicode(glyphs: &BTreeMap<u16, char>) -> String {
    let mut text = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    let pairs: Vec<(&u16, &char)> = glyphs.iter().collect();
    // No more than a hundred stand in one list.
    for some in pairs.chunks(100) {
        let _ = writeln!(text, "{} beginbfchar", some.len());
        for (glyph, character) in some {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units);
            let code = hexadecimal(units.iter().copied());
            let _ = writeln!(text, "<{glyph:04X}> <{code}>");
        }
        text.push_str("endbfchar\n");
    }
    text.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    text
}

impl Pdf {
    /// A white page.
    pub(crate) fn new(size: Point) -> Self {
        Self {
            size,
            content: format!("1 0 0 -1 0 {:.2} cm\n1 j\n", size[1]),
            glyphs: BTreeMap::new(),
            clipped: false,
        }
    }

    /// The document.
    pub(crate) fn finish(self, face: &Typeface) -> Result<Vec<u8>, FigureError> {
        let em = face.units_per_em() / 1000.0;
        let mut widths = String::new();
        for &glyph in self.glyphs.keys() {
            let width = face.advance(GlyphId(glyph)) / em;
            let _ = write!(widths, "{glyph} [{width:.1}] ");
        }
        let [width, height] = self.size;
        let name = "DejaVuSans";
        let font_length = format!(" /Length1 {}", FONT.len());
        let objects: [(usize, Vec<u8>); 10] = [
            (CATALOG, format!("<< /Type /Catalog /Pages {PAGES} 0 R >>").into()),
            (PAGES, format!("<< /Type /Pages /Kids [{PAGE} 0 R] /Count 1 >>").into()),
            (
                PAGE,
                format!(
                    "<< /Type /Page /Parent {PAGES} 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents {CONTENT} 0 R \
                     /Resources << /Font << /F {TYPE0} 0 R >> >> >>"
                )
                .into(),
            ),
            (CONTENT, stream(self.content.as_bytes(), "")?),
            (
                TYPE0,
                format!(
                    "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H \
                     /DescendantFonts [{CID_FONT} 0 R] /ToUnicode {TO_UNICODE} 0 R >>"
                )
                .into(),
            ),
            (
                CID_FONT,
                format!(
                    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDToGIDMap /Identity /DW 600 /W [{widths}] \
                     /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> \
                     /FontDescriptor {DESCRIPTOR} 0 R >>"
                )
                .into(),
            ),
            (
                DESCRIPTOR,
                format!(
                    "<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [-1021 -463 1793 1232] /ItalicAngle 0 \
                     /Ascent 928 /Descent -236 /CapHeight 729 /StemV 80 /FontFile2 {FONT_FILE} 0 R >>"
                )
                .into(),
            ),
            (FONT_FILE, stream(FONT, &font_length)?),
            (TO_UNICODE, stream(to_unicode(&self.glyphs).as_bytes(), "")?),
            (
                FACTS,
                concat!("<< /Producer (albireo ", env!("CARGO_PKG_VERSION"), ") >>").into(),
            ),
        ];
        Ok(assembled(&objects))
    }

    fn set_colour(&mut self, Colour(channels): Colour, operator: &str) {
        let [r, g, b] = channels.map(|channel| f64::from(channel) / 255.0);
        let _ = writeln!(self.content, "{r:.4} {g:.4} {b:.4} {operator}");
    }

    fn trace(&mut self, outline: &[Step]) {
        let mut pen = [0.0; 2];
        for step in outline {
            let _ = match *step {
                Step::Move([x, y]) => writeln!(self.content, "{x:.3} {y:.3} m"),
                Step::Line([x, y]) => writeln!(self.content, "{x:.3} {y:.3} l"),
                // A quadratic curve as the cubic one that it is.
                Step::Curve(c, p) => {
                    let third =
                        |from: Point| [0, 1].map(|i| from[i] + (c[i] - from[i]) * 2.0 / 3.0);
                    let ([ax, ay], [bx, by], [x, y]) = (third(pen), third(p), p);
                    writeln!(
                        self.content,
                        "{ax:.3} {ay:.3} {bx:.3} {by:.3} {x:.3} {y:.3} c"
                    )
                }
            };
            let (Step::Move(end) | Step::Line(end) | Step::Curve(_, end)) = *step;
            pen = end;
        }
    }
}

/// Objects with the table of their positions behind them.
fn assembled(objects: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut positions = Vec::new();
    for (number, object) in objects {
        positions.push(file.len());
        file.extend(format!("{number} 0 obj\n").into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let count = objects.len() + 1;
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n").into_bytes());
    for position in positions {
        file.extend(format!("{position:010} 00000 n \n").into_bytes());
    }
    let end = format!(
        "trailer\n<< /Size {count} /Root {CATALOG} 0 R /Info {FACTS} 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.extend(end.into_bytes());
    file
}

impl Surface for Pdf {
    fn fill(&mut self, outline: &[Step], colour: Colour) {
        self.set_colour(colour, "rg");
        self.trace(outline);
        self.content.push_str("f\n");
    }

    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour) {
        self.set_colour(colour, "RG");
        let _ = writeln!(self.content, "{width:.2} w");
        let mut steps: Vec<Step> = line.iter().copied().map(Step::Line).collect();
        if let Some(first) = line.first() {
            steps[0] = Step::Move(*first);
        }
        self.trace(&steps);
        self.content.push_str("S\n");
    }

    fn rectangle(&mut self, [x0, y0]: Point, [x1, y1]: Point, colour: Colour) {
        self.set_colour(colour, "rg");
        let (x, y, width, height) = (x0.min(x1), y0.min(y1), (x1 - x0).abs(), (y1 - y0).abs());
        let _ = writeln!(self.content, "{x:.3} {y:.3} {width:.3} {height:.3} re f");
    }

    fn disc(&mut self, [x, y]: Point, r: f64, colour: Colour) {
        self.set_colour(colour, "rg");
        let k = QUARTER * r;
        let at = |dx: f64, dy: f64| format!("{:.3} {:.3}", x + dx, y + dy);
        let quarter = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            format!("{} {} {} c", at(a[0], a[1]), at(b[0], b[1]), at(c[0], c[1]))
        };
        let _ = writeln!(
            self.content,
            "{} m\n{}\n{}\n{}\n{}\nf",
            at(r, 0.0),
            quarter([r, k], [k, r], [0.0, r]),
            quarter([-k, r], [-r, k], [-r, 0.0]),
            quarter([-r, -k], [-k, -r], [0.0, -r]),
            quarter([k, -r], [r, -k], [r, 0.0])
        );
    }

    fn clip(&mut self, corners: Option<[Point; 2]>) {
        if std::mem::take(&mut self.clipped) {
            self.content.push_str("Q\n");
        }
        if let Some([[x0, y0], [x1, y1]]) = corners {
            self.clipped = true;
            let (x, y, width, height) = (x0.min(x1), y0.min(y1), (x1 - x0).abs(), (y1 - y0).abs());
            let _ = writeln!(
                self.content,
                "q {x:.3} {y:.3} {width:.3} {height:.3} re W n"
            );
        }
    }

    fn text(&mut self, text: &Text<'_>, face: &Typeface, colour: Colour) {
        self.set_colour(colour, "rg");
        self.content.push_str("BT\n");
        let glyphs = text.glyphs(face);
        for run in glyphs.chunk_by(|a, b| a.size == b.size && a.depth == b.depth) {
            let [x, y] = text.place(run[0].x, run[0].depth);
            let size = run[0].size;
            // Letters stand upright on a page that is turned over.
            let turned = if text.upwards {
                "0 -1 -1 0"
            } else {
                "1 0 0 -1"
            };
            let codes = hexadecimal(run.iter().map(|glyph| glyph.id.0));
            let _ = writeln!(
                self.content,
                "/F {size:.3} Tf {turned} {x:.3} {y:.3} Tm <{codes}> Tj"
            );
        }
        self.content.push_str("ET\n");
        self.glyphs
            .extend(glyphs.iter().map(|glyph| (glyph.id.0, glyph.character)));
    }
}
