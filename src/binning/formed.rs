//! Bins that have a form, with what else engines ask of them.
//!
//! Entry: [`Formed::of`].

use super::{Bins, Form, LineOfSight, PairOrder, Reach};

/// Bins that have a form, with what else an engine asks of them; the order is that of a count where sums ask for another.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "cuda"),
    expect(
        dead_code,
        reason = "the plan of a kernel is what asks for more than the form"
    )
)]
pub(crate) struct Formed<'a> {
    pub(crate) form: Form<'a>,
    pub(crate) reach: Reach,
    pub(crate) order: PairOrder,
    pub(crate) line_of_sight: Option<LineOfSight>,
    pub(crate) n_bins: usize,
    pub(crate) on_sphere: bool,
}

impl<'a> Formed<'a> {
    /// The form of `binning`; none unless it is one of the library's own.
    pub(crate) fn of(binning: &'a Bins) -> Option<Self> {
        Some(Self {
            form: binning.form()?,
            reach: binning.reach(),
            order: binning.order(),
            line_of_sight: binning.line_of_sight(),
            n_bins: binning.n_bins(),
            on_sphere: binning.on_sphere(),
        })
    }
}
