//! The weight of all pairs of a job, every one of which is looked at.
//!
//! Entry: [`weights_of_all`].

use std::sync::atomic::{AtomicBool, Ordering};

use albireo_simd::fixed_point::{REST_BITS, in_two_words, quantise, real, rest};
use rayon::prelude::*;

use super::PairKind;
use crate::error::EngineError;
use crate::pairs::Pairs;
use crate::pool;
use crate::progress::Progress;
use crate::tally::{CountSpec, InverseProbability, Sum, Terms};

/// The sums of `(w1*w2)*p` over the pairs of each class, in fixed point of as many words as the sums in bins; angular factors are left out.
///
/// # Errors
/// A stop asked for through `progress`.
pub(super) fn weights_of_all(
    pairs: Pairs<'_>,
    what: &CountSpec,
    inverse: &InverseProbability,
    progress: &dyn Progress,
) -> Result<Vec<f64>, EngineError> {
    let terms = Terms::new(what, pairs)?;
    let (first, second) = pairs.both();
    let kind = PairKind::of(pairs, what.order());
    let auto = kind != PairKind::Cross;
    let (tables, labels) = (*terms.tables(), terms.tables().labels(pairs));
    let factors = terms.factors();
    let none = || vec![0_i128; tables.number()];
    let Some(factor) = terms.pair_factor() else {
        return Ok(vec![]);
    };
    let wide = what.sums().iter().any(Sum::is_rest);
    let term = |weight: f64| {
        let first = i128::from(quantise(weight));
        if wide {
            in_two_words(first, rest(weight).into())
        } else {
            first
        }
    };
    let add = |sums: &mut [i128], [i, j]: [usize; 2]| {
        let weight = factor.weigh_by_bits(factors[0][i] * factors[1][j], [i, j]);
        let of = match labels {
            None => [Some(0), None],
            Some([first, second]) => tables.of(first[i], second[j]),
        };
        for table in of.into_iter().flatten() {
            sums[table] += term(weight);
        }
    };
    let stopped = AtomicBool::new(false);
    let row = |mut sums: Vec<i128>, i: usize| {
        if progress.stop_requested() {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) {
            return sums;
        }
        for j in if auto { i + 1 } else { 0 }..second.len() {
            add(&mut sums, [i, j]);
            if kind == PairKind::AutoOrdered {
                add(&mut sums, [j, i]);
            }
        }
        sums
    };
    let join = |mut sums: Vec<i128>, others: Vec<i128>| {
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum += other;
        }
        sums
    };
    let rows = 0..first.len();
    let parallel = || {
        let sums = rows.clone().into_par_iter().fold(none, row);
        sums.reduce(none, join)
    };
    let sums = pool::run(parallel, || rows.clone().fold(none(), row));
    if stopped.into_inner() {
        return Err(EngineError::Interrupted);
    }
    let exponent = what.weight_exponents(pairs).iter().sum::<i32>() + inverse.exponent();
    let exponent = exponent - if wide { REST_BITS } else { 0 };
    Ok(sums.into_iter().map(|sum| real(sum, exponent)).collect())
}
