//! The forms that fast engines know: the library's own bins as plain numbers.
//!
//! Entry: [`Formed::of`]. The module is private, so that no binning of another crate can claim a form: it could differ from its rule.

use super::{Binning, Edges, LineOfSight, PairOrder, Reach, SignedEdges};

/// Shows that the library itself asks.
#[derive(Debug, Clone, Copy)]
pub struct Sealed(());

/// What a fast engine builds its filter from.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// Bins in the separation alone.
    Radial {
        /// Separation edges.
        r: &'a Edges,
    },
    /// Bins in separation and in the cosine to the line of sight, the latter varying fastest.
    SMu {
        /// Separation edges.
        s: &'a Edges,
        /// Cosine edges.
        mu: &'a SignedEdges,
        /// Line of sight.
        los: LineOfSight,
    },
    /// Bins across and along the line of sight, the latter varying fastest.
    RpPi {
        /// Edges across.
        rp: &'a Edges,
        /// Edges along.
        pi: &'a SignedEdges,
        /// Line of sight.
        los: LineOfSight,
    },
}

impl Form<'_> {
    /// The edges along the line of sight.
    pub(crate) fn along(&self) -> Option<&SignedEdges> {
        match self {
            Self::Radial { .. } => None,
            Self::SMu { mu, .. } => Some(mu),
            Self::RpPi { pi, .. } => Some(pi),
        }
    }

    /// The bin along the line of sight above edge number `below`, counted from 1.
    pub(crate) fn along_bin(&self, below: usize) -> Option<usize> {
        match self {
            Self::Radial { .. } => Some(0),
            Self::SMu { mu, .. } => mu.cosine_bin_above(below),
            Self::RpPi { pi, .. } => pi.bin_above(below),
        }
    }
}

/// Bins that have a form, with what else an engine asks of them.
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
    pub(crate) fn of<B: Binning>(binning: &'a B) -> Option<Self> {
        Some(Self {
            form: binning.form(Sealed(()))?,
            reach: binning.reach(),
            order: binning.order(),
            line_of_sight: binning.line_of_sight(),
            n_bins: binning.n_bins(),
            on_sphere: binning.on_sphere(),
        })
    }
}

/// Bins that mirror at 0 along the line of sight, without a sign there.
pub(crate) fn folded<B: Binning>(binning: &B) -> Option<B> {
    binning.folded(Sealed(()))
}

/// The bin of a pair by the exact rule, where a filter has `guess`ed it.
#[inline]
pub(crate) fn bin_near<B: Binning>(
    binning: &B,
    sep: &crate::separation::Separation,
    guess: usize,
) -> Option<usize> {
    binning.bin_near(sep, guess, Sealed(()))
}
