//! Sums of values over the pairs of counts, as exact sums that add up over frames.
//!
//! Entry: [`values_of`].

use albireo::counts::Counts;
use albireo::exact_sum::ExactSum;

/// The sum of this name in each bin.
pub(crate) fn values_of(counts: &Counts, name: &str) -> Vec<ExactSum> {
    let parts = counts.pair_sum(name).map(|sums| sums.parts());
    let parts = parts.unwrap_or_default();
    let bins = 0..counts.npairs().len();
    bins.map(|bin| parts.iter().map(|part| part[bin]).collect())
        .collect()
}

/// `factor * sum`, exactly.
pub(crate) fn times(factor: f64, sum: &ExactSum) -> ExactSum {
    let mut product = ExactSum::default();
    for digit in sum.digits() {
        product.add_product(factor, digit);
    }
    product
}
