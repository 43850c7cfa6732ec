//! What bins that space cuts change of the sums over frames.
//!
//! Entry: [`Cut`], [`kept_sums`].

use albireo::exact_sum::ExactSum;

/// Of the pairs that may be in a bin, and of the products of particle numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted<T> {
    pub(super) candidates: T,
    pub(super) products: T,
}

/// Sums of `kept x - x` of what bins add to sums of x.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    /// Of `w P / V`, class by class, bin by bin.
    pub(super) density: Counted<Vec<ExactSum>>,
    /// Of `w V`, bin by bin.
    pub(super) volume: Vec<ExactSum>,
}

pub(super) fn zeros(n: usize) -> Vec<ExactSum> {
    vec![ExactSum::default(); n]
}

pub(super) fn merge_all(ours: &mut [ExactSum], theirs: &[ExactSum]) {
    let both = ours.iter_mut().zip(theirs);
    both.for_each(|(sum, other)| sum.merge(other));
}

impl Cut {
    pub(super) fn new(classes: usize, bins: usize) -> Self {
        let density = Counted {
            candidates: zeros(classes * bins),
            products: zeros(classes * bins),
        };
        Self {
            density,
            volume: zeros(bins),
        }
    }
}

/// Adds `kept x` instead of x: exactly nothing where all is kept.
pub(super) fn keep(sum: &mut ExactSum, kept: f64, x: f64) {
    if kept != 1.0 {
        sum.add(kept * x);
        sum.add(-x);
    }
}

/// Which pairs the density is of.
#[derive(Debug, Clone, Copy)]
pub(super) enum PairsOf {
    Candidates,
    Products,
}

impl PairsOf {
    pub(super) fn pick<T>(self, of: &Counted<T>) -> &T {
        match self {
            Self::Candidates => &of.candidates,
            Self::Products => &of.products,
        }
    }
}

/// A sum with what each bin changes of it.
pub(super) fn kept_sums(whole: &ExactSum, cut: Option<&[ExactSum]>, bins: usize) -> Vec<f64> {
    let Some(cut) = cut else {
        return vec![whole.value(); bins];
    };
    let kept = |cut: &ExactSum| {
        let mut sum = whole.clone();
        sum.merge(cut);
        sum.value()
    };
    cut.iter().map(kept).collect()
}
