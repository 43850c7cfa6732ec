//! A drawing in its place on a page: scaled and moved.
//!
//! Entry: [`Placed`].

use crate::canvas::{Colour, Point, Step, Surface, Text, Typeface};

/// Draws on a surface with everything scaled, lines and letters too, and then moved.
pub(crate) struct Placed<'a> {
    pub(crate) surface: &'a mut dyn Surface,
    pub(crate) scale: f64,
    /// Where the origin comes to lie.
    pub(crate) at: Point,
}

impl Placed<'_> {
    fn place(&self, point: Point) -> Point {
        [0, 1].map(|i| self.at[i] + self.scale * point[i])
    }
}

impl Surface for Placed<'_> {
    fn fill(&mut self, outline: &[Step], colour: Colour) {
        let placed = |step: &Step| match *step {
            Step::Move(p) => Step::Move(self.place(p)),
            Step::Line(p) => Step::Line(self.place(p)),
            Step::Curve(c, p) => Step::Curve(self.place(c), self.place(p)),
        };
        let outline: Vec<Step> = outline.iter().map(placed).collect();
        self.surface.fill(&outline, colour);
    }

    fn stroke(&mut self, line: &[Point], width: f64, colour: Colour) {
        let line: Vec<Point> = line.iter().map(|&point| self.place(point)).collect();
        self.surface.stroke(&line, width * self.scale, colour);
    }

    fn rectangle(&mut self, corner: Point, opposite: Point, colour: Colour) {
        let [corner, opposite] = [corner, opposite].map(|point| self.place(point));
        self.surface.rectangle(corner, opposite, colour);
    }

    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        let centre = self.place(centre);
        self.surface.disc(centre, radius * self.scale, colour);
    }

    fn clip(&mut self, corners: Option<[Point; 2]>) {
        let corners = corners.map(|corners| corners.map(|point| self.place(point)));
        self.surface.clip(corners);
    }

    fn text(&mut self, text: &Text<'_>, face: &Typeface, colour: Colour) {
        let (at, size) = (self.place(text.at), text.size * self.scale);
        self.surface.text(&Text { at, size, ..*text }, face, colour);
    }
}
