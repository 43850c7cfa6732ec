//! The forms that fast engines know: the library's own bins as plain numbers.
//!
//! Entry: [`Form`]. A rule of another crate has no form: it could differ from the rule.

use super::{Edges, LineOfSight, SignedEdges};

/// What a fast engine builds its filter from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<'a> {
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
