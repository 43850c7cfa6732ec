//! Realisations of the samples, all counted in one pass.
//!
//! Entry: [`draw`], which comes after everything else of a case.

use super::case::{Case, Space};
use super::draw::Draft;
use super::random::Random;

/// Work of the largest case: images looked at, and realisations that pairs are added to.
const MOST_WORK: f64 = 4e7;

/// Integers of its tally, which every thread of every engine has.
const MOST_INTEGERS: usize = 1 << 20;

/// Images of a pair that are looked at, at most. Without vectors a pair of realisations goes through the exact rule, which looks for its nearest
/// image once for each image that is visited: in a cell among 125.
fn looks(space: &Space) -> f64 {
    match space {
        Space::Open => 1.0,
        Space::Box(_) => 27.0,
        Space::Cell(_) => 27.0 * 125.0,
    }
}

/// Gives some cases bits that tell which realisations each point takes part in.
pub fn draw(draft: &mut Draft<'_>, case: &mut Case) {
    let words = draft.class(&[
        ("realisations none", 0),
        ("realisations none", 0),
        ("realisations none", 0),
        ("realisations none", 0),
        ("realisations none", 0),
        ("realisations", 1),
        ("realisations of two words", 2),
    ]);
    let rows = [case.first.len(), case.second.as_ref().map_or(0, Vec::len)];
    let other = usize::from(case.second.is_some());
    let pairs = (rows[0] * rows[other]) as f64;
    // Bits that weigh pairs are none of realisations.
    if words == 0 || case.besides.inverse.is_some() {
        return;
    }
    let random = &mut *draft.random;
    // Of many bins and sums there are fewer.
    let number = 64 * (words - 1) + 1 + random.below(64);
    let number = number.min(MOST_INTEGERS / integers(case).max(1)).max(1);
    if pairs * (looks(&case.space) + number as f64) > MOST_WORK {
        return;
    }
    let sides = match case.second {
        None => [true, false],
        Some(_) => random.pick(&[[true, true], [true, true], [true, false], [false, true]]),
    };
    let kind = random.below(4);
    case.besides.bits = [0, 1].map(|side| {
        let rows = if sides[side] { rows[side] } else { 0 };
        (0..rows).map(|_| row(random, kind, words)).collect()
    });
    case.besides.realisations = Some(number);
}

/// Integers of one realisation, about.
fn integers(case: &Case) -> usize {
    let mut bins = case.bins.clone();
    let edges = bins.edges().into_iter().flatten();
    let n_bins: usize = edges.map(|edges| edges.len() - 1).product();
    let sums = case.besides.sums(case.summed.sums(true, true));
    let program = case.besides.program.as_ref();
    n_bins * (1 + sums.len() + program.map_or(0, |program| 2 * program.sums().len()))
}

/// The words of a point: few bits, many, all or none, beyond the last realisation too.
fn row(random: &mut Random, kind: usize, words: usize) -> Vec<u64> {
    let mut word = |_| match (kind, random.below(6)) {
        (0, _) => random.next() & random.next() & random.next() & random.next(),
        (1, _) => random.next() | random.next() | random.next(),
        (_, 0) => 0,
        (_, 1) => u64::MAX,
        _ => random.next(),
    };
    (0..words).map(&mut word).collect()
}
