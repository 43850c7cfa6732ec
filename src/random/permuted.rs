//! Orders of rows at random.
//!
//! Entry: [`permutation`].

#![allow(
    clippy::cast_possible_truncation,
    reason = "a place lies below the number of rows"
)]

use super::Stream;

/// Order number `k` of `n` rows: every order is as likely, and depends on (n, seed, k) alone (Durstenfeld 1964, DOI 10.1145/364520.364540).
///
/// ```
/// use albireo::random::permutation;
/// let mut rows = permutation(5, 1, 0);
/// assert_ne!(rows, permutation(5, 1, 1));
/// rows.sort();
/// assert_eq!(rows, [0, 1, 2, 3, 4]);
/// ```
pub fn permutation(n: usize, seed: u64, k: u64) -> Vec<usize> {
    let stream = Stream::new(seed).child(k);
    let mut rows: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        let below = (u128::from(stream.bits(last as u64)) * (last as u128 + 1)) >> 64;
        rows.swap(last, below as usize);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::permutation;

    #[test]
    fn every_order_is_as_likely() {
        let mut found = std::collections::BTreeMap::new();
        let draws = 24_000;
        for k in 0..draws {
            *found.entry(permutation(4, 9, k)).or_insert(0u64) += 1;
        }
        assert_eq!(found.len(), 24);
        // 5 standard deviations of 1000.
        assert!(found.values().all(|&times| times.abs_diff(1000) < 155));
    }
}
