//! Pieces of a job: runs of rows of both samples, so that every pair is in one piece.
//!
//! Entry: [`Piece`]. The engine decides what counts them. What a run of units takes is a few of them too, in the order that
//! [`Units`](super::Units) bring rows into.

use std::ops::Range;

use super::{PairJob, Pairs};
#[cfg(any(feature = "cuda", test))]
use crate::binning::PairOrder;
use crate::particles::{Particles, pairs_within};

/// Runs of rows, of the first and of the second sample, that are paired with one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The pairs within a run.
    Auto(Range<usize>),
    /// Every row of the first run with every one of the second.
    Cross(Range<usize>, Range<usize>),
}

/// Rows below which a run is not cut any further.
#[cfg(any(feature = "cuda", test))]
const SMALLEST: usize = 64;

#[cfg(any(feature = "cuda", test))]
fn halves(rows: &Range<usize>) -> [Range<usize>; 2] {
    let middle = rows.start + rows.len() / 2;
    [rows.start..middle, middle..rows.end]
}

impl Piece {
    /// All of a job.
    pub(super) fn whole(pairs: Pairs<'_>) -> Self {
        match pairs {
            Pairs::Auto(sample) => Self::Auto(0..sample.len()),
            Pairs::Cross(first, second) => Self::Cross(0..first.len(), 0..second.len()),
        }
    }

    /// The pieces between two runs of an auto count.
    #[cfg(any(feature = "cuda", test))]
    pub(super) fn between(a: &Range<usize>, b: &Range<usize>, order: PairOrder) -> Vec<Self> {
        let mut pieces = vec![Self::Cross(a.clone(), b.clone())];
        if order == PairOrder::Ordered {
            pieces.push(Self::Cross(b.clone(), a.clone()));
        }
        pieces
    }

    /// Smaller pieces with the same pairs, unless it is too small to be cut.
    #[cfg(any(feature = "cuda", test))]
    pub(super) fn cut(&self, order: PairOrder) -> Option<Vec<Self>> {
        match self {
            Self::Auto(rows) if rows.len() > SMALLEST => {
                let [a, b] = halves(rows);
                let mut pieces = Self::between(&a, &b, order);
                pieces.extend([Self::Auto(a), Self::Auto(b)]);
                Some(pieces)
            }
            Self::Cross(a, b) if a.len().max(b.len()) > SMALLEST => {
                let pieces = if a.len() >= b.len() {
                    halves(a).map(|a| Self::Cross(a, b.clone()))
                } else {
                    halves(b).map(|b| Self::Cross(a.clone(), b))
                };
                Some(pieces.into())
            }
            _ => None,
        }
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> u64 {
        match self {
            Self::Auto(rows) => pairs_within(rows.len() as u64),
            Self::Cross(a, b) => a.len() as u64 * b.len() as u64,
        }
    }

    /// The runs of first and second rows.
    pub(super) fn runs(&self) -> [Range<usize>; 2] {
        match self {
            Self::Auto(rows) => [rows.clone(), rows.clone()],
            Self::Cross(a, b) => [a.clone(), b.clone()],
        }
    }

    /// What `visit` makes of the job of this piece of `job`.
    pub(super) fn with_job<T>(
        &self,
        job: &PairJob<'_>,
        visit: impl FnOnce(&PairJob<'_>) -> T,
    ) -> T {
        if *self == Self::whole(job.pairs()) {
            return visit(job);
        }
        let (first, second) = job.pairs().both();
        let [a, b] = self.runs();
        let first = first.rows(a);
        let second = match self {
            Self::Auto(_) => Particles::default(),
            Self::Cross(..) => second.rows(b),
        };
        let pairs = match self {
            Self::Auto(_) => Pairs::Auto(&first),
            Self::Cross(..) => Pairs::Cross(&first, &second),
        };
        visit(&PairJob::of_placed(pairs, job.domain()).with_traversal(job.traversal()))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// How often each ordered pair of rows is in the pieces.
    pub(in super::super) fn visits(n: [usize; 2], pieces: &[Piece], order: PairOrder) -> Vec<u32> {
        let both_orders = order == PairOrder::Ordered;
        let mut seen = vec![0; n[0] * n[1]];
        for piece in pieces {
            match piece.clone() {
                Piece::Auto(rows) => {
                    for i in rows.clone() {
                        for j in rows.clone().filter(|&j| j > i || (both_orders && j != i)) {
                            seen[i * n[1] + j] += 1;
                        }
                    }
                }
                Piece::Cross(a, b) => {
                    for i in a {
                        b.clone().for_each(|j| seen[i * n[1] + j] += 1);
                    }
                }
            }
        }
        seen
    }

    /// Asserts that the pieces of an auto count hold each pair as often as the whole.
    pub(in super::super) fn assert_auto(n: usize, pieces: &[Piece], order: PairOrder) {
        let times = if order == PairOrder::Ordered { 2 } else { 1 };
        let seen = visits([n, n], pieces, order);
        for i in 0..n {
            assert_eq!(seen[i * n + i], 0);
            for j in 0..i {
                assert_eq!(seen[i * n + j] + seen[j * n + i], times, "{i} {j}");
            }
        }
    }

    fn cut(whole: Piece, order: PairOrder, depth: usize) -> Vec<Piece> {
        let mut pieces = vec![whole];
        for _ in 0..depth {
            pieces = pieces
                .iter()
                .flat_map(|piece| piece.cut(order).unwrap_or_else(|| vec![piece.clone()]))
                .collect();
        }
        pieces
    }

    #[test]
    fn pieces_of_the_largest_samples_add_up() {
        let n = crate::particles::MAX_PARTICLES;
        for whole in [Piece::Auto(0..n), Piece::Cross(0..n, 0..n)] {
            let pieces = cut(whole.clone(), PairOrder::Unordered, 8);
            assert_eq!(pieces.iter().map(Piece::pairs).sum::<u64>(), whole.pairs());
        }
    }

    #[test]
    fn pieces_hold_each_pair_as_often_as_the_whole() {
        let (n, m) = (3 * SMALLEST + 1, SMALLEST / 2);
        for depth in 0..4 {
            for order in [PairOrder::Unordered, PairOrder::Ordered] {
                assert_auto(n, &cut(Piece::Auto(0..n), order, depth), order);
                let pieces = cut(Piece::Cross(0..n, 0..m), order, depth);
                let seen = visits([n, m], &pieces, order);
                assert!(seen.iter().all(|&times| times == 1));
            }
        }
        assert_eq!(Piece::Auto(0..SMALLEST).cut(PairOrder::Ordered), None);
    }
}
