//! Every counting kernel that the engine can ask for.
//!
//! Entry: [`every_variant`].

use crate::{
    Across, Arithmetic, Bins, Doubt, Histogram, Shape, Sight, Space, Summed, Traversal, Variant,
};

/// Each of `variants` with each of `choices`.
fn each<T: Copy, const N: usize>(
    variants: Vec<Variant>,
    choices: [T; N],
    choose: fn(&mut Variant, T),
) -> Vec<Variant> {
    let with = |mut variant: Variant, choice| {
        choose(&mut variant, choice);
        variant
    };
    variants
        .into_iter()
        .flat_map(|variant| choices.map(|choice| with(variant, choice)))
        .collect()
}

/// Every kernel that the engine can ask for, in one shape.
pub fn every_variant() -> Vec<Variant> {
    use {Arithmetic as A, Traversal as T};
    let mut all = vec![Variant {
        traversal: T::Simple,
        space: Space::Open,
        bins: Bins::R,
        sight: Sight::Fixed,
        signed: false,
        summed: Summed::Pairs,
        arithmetic: A::Float64,
        across: Across::Reaching,
        doubt: Doubt::AtOnce,
        realised_rows: false,
        classes: false,
        histogram: Histogram::Shared,
        shape: Shape {
            threads: 128,
            points: 1,
            tile: 64,
        },
        sums: "",
        columns: [0; 2],
    }];
    let traversals = [T::Simple, T::Constant, T::AllPairs, T::Cells];
    all = each(all, traversals, |v, choice| v.traversal = choice);
    let spaces = [Space::Open, Space::Periodic, Space::Triclinic];
    all = each(all, spaces, |v, choice| v.space = choice);
    let bins = [Bins::R, Bins::SMu, Bins::RpPi];
    all = each(all, bins, |v, choice| v.bins = choice);
    let sights = [Sight::Fixed, Sight::Observer];
    all = each(all, sights, |v, choice| v.sight = choice);
    all = each(all, [false, true], |v, choice| v.signed = choice);
    let summed = [
        Summed::Pairs,
        Summed::Products,
        Summed::Terms,
        Summed::Separations,
        Summed::Realisations,
    ];
    all = each(all, summed, |v, choice| v.summed = choice);
    all = each(all, [false, true], |v, choice| v.realised_rows = choice);
    let arithmetics = [A::Float64, A::Filtered, A::Float32, A::Tensor];
    all = each(all, arithmetics, |v, choice| v.arithmetic = choice);
    let across = [Across::Reaching, Across::Clamped, Across::Table];
    all = each(all, across, |v, choice| v.across = choice);
    let doubts = [Doubt::AtOnce, Doubt::BySweep, Doubt::ByPair];
    all = each(all, doubts, |v, choice| v.doubt = choice);
    let histograms = [Histogram::Shared, Histogram::Global, Histogram::Lanes];
    all = each(all, histograms, |v, choice| v.histogram = choice);
    all = each(all, [false, true], |v, choice| v.classes = choice);
    all.retain(Variant::exists);
    all
}
