//! What lanes know of the bins: axes of cells, made once a job.

use albireo_simd::fixed_point::power_of_two;

use super::cells::{Axis, Steps};
use super::even::Even;
use super::measure::Sought;
use super::sums::Shape;
use crate::binning::{Edges, Form, LineOfSight, SignedEdges};

/// The library's own bins as lanes see them.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) form: Form<'a>,
    pub(super) los: Option<LineOfSight>,
    pub(super) across: Axis,
    pub(super) along: Option<Along>,
    /// Bins in the separation alone, at equal distances.
    pub(super) even: Option<Even>,
    pub(super) shape: Shape,
    /// What the slots of a bin across are multiples of, where there are bins along the line of sight.
    n_along: usize,
}

/// Bins along the line of sight.
#[derive(Debug)]
pub(super) struct Along {
    pub(super) axis: Axis,
    pub(super) sought: Sought,
    /// Whether cosines are binned, and edges multiplied by a scale.
    pub(super) is_cosine: bool,
    pub(super) signed: bool,
}

/// Products below this may have lost digits.
const NEARLY_SUBNORMAL: f64 = power_of_two(-1000);

impl<'a> Plan<'a> {
    pub(super) fn new(form: Form<'a>, shape: Shape) -> Self {
        let n_along = form.along().map_or(1, SignedEdges::n_bins);
        let across_slot =
            |bin: Option<usize>| bin.map_or(shape.slot(None), |k| shape.slot(Some(k * n_along)));
        let along_slot = |below: usize| shape.slot(form.along_bin(below));
        let (across, los) = match form {
            Form::Radial { r } => (r, None),
            Form::SMu { s, los, .. } => (s, Some(los)),
            Form::RpPi { rp, los, .. } => (rp, Some(los)),
        };
        let is_cosine = matches!(form, Form::SMu { .. });
        let along = form.along().map(|edges| {
            let (positive, negative) = steps_along(edges, along_slot);
            let least = (edges.squares().iter())
                .filter(|&&square| square > 0.0)
                .fold(1.0, |least: f64, &square| least.min(square));
            let axis = Axis::along(&positive, negative.as_ref(), is_cosine);
            Along {
                sought: Sought {
                    range: axis.range(),
                    asks: axis.asks(),
                    least_scale: NEARLY_SUBNORMAL / least,
                },
                axis,
                is_cosine,
                signed: edges.signed(),
            }
        });
        Self {
            form,
            los,
            across: Axis::across(&steps_across(across, across_slot)),
            even: matches!(form, Form::Radial { .. })
                .then(|| Even::new(across, &shape))
                .flatten(),
            along,
            shape,
            n_along,
        }
    }

    /// The slot of a square across, by the rule.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_across(&self, square: f64) -> i64 {
        let (Form::Radial { r: edges } | Form::SMu { s: edges, .. } | Form::RpPi { rp: edges, .. }) =
            self.form;
        let bin = edges.locate(square);
        self.shape.slot(bin.map(|bin| bin * self.n_along))
    }

    /// The slot of a square along the line of sight, by the rule.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_along(&self, negative: bool, square: f64, scale: f64) -> i64 {
        let below = self
            .form
            .along()
            .map_or(0, |edges| edges.edges_below(negative, square, scale));
        self.shape.slot(self.form.along_bin(below))
    }
}

/// Edges above zero and the slots between them; `slot` tells that of a bin.
fn steps_across(edges: &Edges, slot: impl Fn(Option<usize>) -> i64) -> Steps {
    let n = edges.n_bins();
    let from_zero = usize::from(edges.first() == 0.0);
    let above = |k: usize| slot((k < n).then_some(k));
    let first = if from_zero == 1 { above(0) } else { slot(None) };
    let others = (from_zero..=n).map(above);
    Steps {
        squares: edges.squares()[from_zero..].to_vec(),
        slots: (std::iter::once(first).chain(others))
            .map(|slot| slot as u32)
            .collect(),
    }
}

/// Edges above zero, and those below it where there are any; `slot` tells that above so many edges.
fn steps_along(edges: &SignedEdges, slot: impl Fn(usize) -> i64) -> (Steps, Option<Steps>) {
    let (values, squares) = (edges.values(), edges.squares());
    let n_negative = values.partition_point(|&edge| edge < 0.0);
    let n_below = values.partition_point(|&edge| edge <= 0.0);
    let positive = Steps {
        squares: squares[n_below..].to_vec(),
        slots: (n_below..=values.len())
            .map(&slot)
            .map(|slot| slot as u32)
            .collect(),
    };
    let negative = edges.signed().then(|| Steps {
        squares: squares[..n_negative].iter().rev().copied().collect(),
        slots: (0..=n_negative)
            .rev()
            .map(&slot)
            .map(|slot| slot as u32)
            .collect(),
    });
    (positive, negative)
}
