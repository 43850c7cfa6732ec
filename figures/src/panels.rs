//! Functions of fluids that do not share axes: g(r) and n(r), the definitions of S(q), and partials of many pairs of species.
//!
//! Entry: [`Panels::of`].

use albireo_catalogs::Table;

use crate::canvas::{Colour, Point, Surface, Text, Typeface};
use crate::curve::Curves;
use crate::fluids::{factors, lagged, partial_names};
use crate::placed::Placed;
use crate::series::Series;

/// The fewest pairs of species whose g(r) have a panel each: three share axes, legibly.
const FEWEST: usize = 4;
/// The fewest partial structure factors that have a panel each.
const FEWEST_FACTORS: usize = 7;
/// A coordination number that one reads; where n(r) goes on, its axis ends here.
const READ: f64 = 20.0;

/// Panels, row after row, each with axes of its own.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    /// Names above the panels, or nothing, with what they show.
    shown: Vec<(String, Curves)>,
    columns: usize,
    /// Width and height of a panel, and the size of everything in it.
    size: Point,
    scale: f64,
}

/// Height of a name above its panel.
const NAME: f64 = 14.0;
const NAME_SIZE: f64 = 11.0;

impl Panels {
    /// The panels of curves that do not share axes, or the curves themselves.
    pub(crate) fn of(tables: &[&Table], mut curves: Curves) -> Result<Self, Box<Curves>> {
        let coordination = std::mem::take(&mut curves.coordination);
        if let [table] = tables
            && !lagged(table)
        {
            let (g, s) = (partial_names(table, "g_"), partial_names(table, "S_"));
            let fewest = if g.is_empty() { FEWEST_FACTORS } else { FEWEST };
            let pairs = curves.series.len();
            if pairs >= fewest && (g.len() == pairs || s.len() >= pairs && g.is_empty()) {
                return Ok(Self::each(curves));
            }
            let definitions = factors(table, &curves);
            if definitions.len() > 1 {
                return Ok(Self::stacked(definitions, 1.0));
            }
        }
        if coordination.is_empty() {
            return Err(Box::new(curves));
        }
        let points = coordination.iter().flat_map(Series::points);
        let most = points.fold(0.0, |most: f64, (_, n, _)| most.max(n));
        let below = Curves {
            series: coordination,
            y_label: "n(r)".to_owned(),
            y_range: (most > 1.25 * READ).then_some([0.0, READ]),
            log_y: false,
            reference: None,
            remarks: Vec::new(),
            ..curves.clone()
        };
        Ok(Self::stacked(vec![curves, below], 1.0))
    }

    /// One upon the other, everything in them of a size.
    pub(crate) fn stacked(curves: Vec<Curves>, scale: f64) -> Self {
        Self {
            shown: curves.into_iter().map(|one| (String::new(), one)).collect(),
            columns: 1,
            size: [504.0, 260.0],
            scale,
        }
    }

    /// A panel for each curve, as many side by side as one upon the other.
    fn each(mut curves: Curves) -> Self {
        let series = std::mem::take(&mut curves.series);
        let columns = (series.len() as f64).sqrt().ceil() as usize;
        let panel = |mut one: Series| {
            let name = std::mem::take(&mut one.label);
            (one.look.colour, one.look.marker) = (0, 0);
            let alone = Curves {
                series: vec![one],
                remarks: Vec::new(),
                ..curves.clone()
            };
            (name, alone)
        };
        let mut panels: Vec<_> = series.into_iter().map(panel).collect();
        // What is said of the errors is said once.
        if let Some((_, first)) = panels.first_mut() {
            first.remarks = curves.remarks;
        }
        Self {
            shown: panels,
            columns,
            size: [182.0, 140.0],
            scale: 0.7,
        }
    }

    /// The curves.
    pub(crate) fn series(&self) -> impl Iterator<Item = &Series> {
        self.shown.iter().flat_map(|(_, curves)| &curves.series)
    }

    /// The panels with the names above them, if they have any.
    pub(crate) fn named(&self) -> impl Iterator<Item = &(String, Curves)> {
        self.shown.iter()
    }

    /// How many stand side by side.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The curves of the first panel, where all panels are not of a kind.
    pub(crate) fn first(&mut self) -> Option<&mut Curves> {
        let (name, curves) = self.shown.first_mut()?;
        name.is_empty().then_some(curves)
    }

    /// Says something beside the values of all panels.
    pub(crate) fn remark(&mut self, said: &str) {
        for (_, curves) in &mut self.shown {
            curves.y_label.push_str(said);
        }
    }

    fn rows(&self) -> usize {
        self.shown.len().div_ceil(self.columns)
    }

    /// Width and height.
    pub(crate) fn page(&self) -> Point {
        let [width, height] = self.size;
        [width * self.columns as f64, height * self.rows() as f64]
    }

    /// Draws all panels on a page.
    pub(crate) fn draw(&self, page: Point, face: &Typeface, surface: &mut dyn Surface) {
        let cell = [page[0] / self.columns as f64, page[1] / self.rows() as f64];
        let above = |name: &str| if name.is_empty() { 0.0 } else { NAME };
        let inside = |name: &str| {
            let [width, height] = cell.map(|length| length / self.scale);
            [width, height - above(name)]
        };
        // The axes of all panels begin at one distance, so that those of a column lie one upon the other.
        let left = self.shown.iter();
        let left = left.map(|(name, curves)| curves.left(inside(name), face));
        let left = left.fold(0.0, f64::max);
        for (k, (name, curves)) in self.shown.iter().enumerate() {
            let [row, column] = [k / self.columns, k % self.columns];
            let mut placed = Placed {
                surface: &mut *surface,
                scale: self.scale,
                at: [column as f64 * cell[0], row as f64 * cell[1]],
            };
            let page = inside(name);
            Text::centred(name, [page[0] / 2.0, NAME], NAME_SIZE)
                .literally()
                .draw(face, &mut placed, Colour::INK);
            placed.at[1] += above(name) * self.scale;
            curves.draw(page, left, face, &mut placed);
        }
    }
}
