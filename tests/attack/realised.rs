//! Realisations of the samples, all counted in one pass.
//!
//! Entry: [`draw`], which comes after everything else of a case.

use super::case::Case;
use super::draw::Draft;
use super::random::Random;

/// Pairs of the largest case.
const MOST_PAIRS: usize = 300_000;

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
    let pairs = rows[0] * rows[other];
    // Bits that weigh pairs are none of realisations; the double loop adds a pair to each of these.
    if words == 0 || case.besides.inverse.is_some() || pairs > MOST_PAIRS {
        return;
    }
    let random = &mut *draft.random;
    let number = 64 * (words - 1) + 1 + random.below(64);
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
