//! What is drawn next to the correlation matrix of a covariance without mocks: its errors, and how its noise falls.
//!
//! Entry: [`Beside`].

use albireo_catalogs::Table;

use crate::bins::{Axis, axes, centres, column, logarithmic, required};
use crate::canvas::{Surface, Typeface};
use crate::curve::Curves;
use crate::error::FigureError;
use crate::panels::Panels;
use crate::placed::Placed;
use crate::series::{Look, Series};
use crate::style::Named;

/// Width of the panels over the height of the page.
const WIDTH: f64 = 0.8;

/// Panels beside a matrix, one upon the other.
pub(crate) struct Beside(Panels);

/// Points in order of x.
struct Points {
    label: String,
    /// The covariance that they are of, where there is another one.
    source: String,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn series(points: Points, colour: usize, dashed: bool) -> Series {
    Series {
        label: points.label,
        source: points.source,
        x: points.x,
        y: points.y,
        look: Look {
            dashed,
            ..Look::of(colour)
        },
        ..Series::default()
    }
}

/// Curves over one axis, both axes logarithmic where their numbers allow for it.
fn curves(series: Vec<Series>, [x_label, y_label]: [String; 2], x: &[f64]) -> Curves {
    Curves {
        log_y: series.iter().flat_map(|one| &one.y).all(|y| *y > 0.0),
        series,
        coordination: Vec::new(),
        x_label,
        y_label,
        x_range: [x[0], x[x.len() - 1]],
        y_range: None,
        log_x: logarithmic(x),
        reference: None,
        power: 0.0,
        remarks: Vec::new(),
    }
}

/// The errors of one function after the other, over their common axis.
fn errors(like: &Table, axis: &Axis, values: &[f64], source: &str) -> Vec<Points> {
    let (n, bins) = (values.len(), axis.edges.len() - 1);
    if !n.is_multiple_of(bins) {
        return Vec::new();
    }
    let first = |name: &str| Some(column(like, name)?.get(..n)?.to_vec());
    let ell = first("column_ell");
    let wedges = first("column_wedge_lo").zip(first("column_wedge_hi"));
    let tracers = first("column_tracers");
    let name = |k: usize| {
        let tracers = tracers.as_ref().map(|tracers| tracers[k].to_string());
        let of = match (&ell, &wedges) {
            (Some(ell), _) => Some(format!("ℓ = {}", ell[k])),
            (None, Some((from, to))) => Some(format!("{:.2} < μ < {:.2}", from[k], to[k])),
            (None, None) => None,
        };
        let parts: Vec<String> = [tracers, of].into_iter().flatten().collect();
        parts.join(", ")
    };
    let points = (0..n).step_by(bins).map(|from| Points {
        label: name(from),
        source: source.to_owned(),
        x: centres(&axis.edges, axis.log),
        y: values[from..from + bins].to_vec(),
    });
    points.collect()
}

/// The square roots of the diagonal.
fn of_diagonal(table: &Table) -> Result<Vec<f64>, FigureError> {
    let values = required(table, "covariance")?;
    let n = values.len().isqrt();
    Ok(values.iter().step_by(n + 1).map(|x| x.sqrt()).collect())
}

/// Numbers in the record under `errors`.
fn recorded(table: &Table, path: &str) -> Option<Vec<f64>> {
    let numbers = table.meta.get("errors")?.pointer(path)?.as_array()?;
    numbers.iter().map(serde_json::Value::as_f64).collect()
}

/// The errors of a covariance beside those of a reference, which is given, or which its shot noise was fitted to.
fn of_errors(table: &Table, reference: Option<Named<'_>>) -> Result<Option<Curves>, FigureError> {
    let (axes, own) = (axes(table)?, of_diagonal(table)?);
    let [axis] = &axes[..] else {
        return Ok(None);
    };
    let other = match reference {
        Some(Named { name, table: other }) => {
            let (found, expected) = (other.rows(), table.rows());
            if found != expected {
                return Err(FigureError::rows(found, expected));
            }
            Some((name, of_diagonal(other)?))
        }
        None => recorded(table, "/tuned/errors").map(|values| ("reference", values)),
    };
    let of = |values: &[f64], source: &str, dashed: bool| {
        let points = errors(table, axis, values, source).into_iter();
        let points = points.enumerate();
        points.map(move |(k, points)| series(points, k, dashed))
    };
    let other = other.map(|(name, values)| of(&values, name, true));
    let all: Vec<Series> = other
        .into_iter()
        .flatten()
        .chain(of(&own, "", false))
        .collect();
    if all.is_empty() {
        return Ok(None);
    }
    let labels = [axis.label(), "error".to_owned()];
    Ok(Some(curves(all, labels, &axis.edges)))
}

/// The noise after more and more rounds, and how it would fall with their root.
fn of_noise(table: &Table) -> Option<Curves> {
    let (x, y) = (
        recorded(table, "/noise_after/rounds")?,
        recorded(table, "/noise_after/noise")?,
    );
    let (last, end) = (*x.last()?, *y.last()?);
    if x.len() < 2 || x.len() != y.len() {
        return None;
    }
    let falls = Points {
        label: "1/sqrt(rounds)".to_owned(),
        source: String::new(),
        y: x.iter().map(|x| end * (last / x).sqrt()).collect(),
        x: x.clone(),
    };
    let found = Points {
        label: "noise R".to_owned(),
        source: String::new(),
        x: x.clone(),
        y,
    };
    let room = (last / x[0]).powf(0.05);
    let ends = [x[0] / room, (x[0] * last).sqrt(), last * room];
    let both = vec![series(falls, 1, true), series(found, 0, false)];
    Some(curves(both, ["rounds", "R"].map(str::to_owned), &ends))
}

impl Beside {
    /// The panels of a covariance; none where there is nothing to show beside it.
    pub(crate) fn of(
        table: &Table,
        reference: Option<Named<'_>>,
    ) -> Result<Option<Self>, FigureError> {
        let noise = of_noise(table);
        if noise.is_none() && reference.is_none() {
            return Ok(None);
        }
        let panels: Vec<_> = of_errors(table, reference)?
            .into_iter()
            .chain(noise)
            .collect();
        let scale = if panels.len() > 1 { 0.8 } else { 1.0 };
        Ok((!panels.is_empty()).then(|| Self(Panels::stacked(panels, scale))))
    }

    /// Their width beside a page of this height.
    pub(crate) fn width(height: f64) -> f64 {
        WIDTH * height
    }

    /// Draws them from a place on, as high as the page.
    pub(crate) fn draw(&self, left: f64, height: f64, face: &Typeface, surface: &mut dyn Surface) {
        let mut placed = Placed {
            surface,
            scale: 1.0,
            at: [left, 0.0],
        };
        let page = [Self::width(height), height];
        self.0.draw(page, face, &mut placed);
    }
}
