//! Tests of the library that need no process of their own, in one program: each of them alone would be linked with all engines anew.
//!
//! `cargo test --test library -- mocks::` runs those of a file.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod made;
mod processors;
mod random;

#[path = "analytic_cuts.rs"]
mod analytic_cuts;
#[path = "beyond_half.rs"]
mod beyond_half;
#[path = "classes.rs"]
mod classes;
#[path = "combined.rs"]
mod combined;
#[path = "cosmology.rs"]
mod cosmology;
#[path = "counts.rs"]
mod counts;
#[path = "counts_algebra.rs"]
mod counts_algebra;
#[path = "cuts.rs"]
mod cuts;
#[path = "dropped_pairs.rs"]
mod dropped_pairs;
#[path = "estimation.rs"]
mod estimation;
#[path = "estimators.rs"]
mod estimators;
#[path = "formulas.rs"]
mod formulas;
#[path = "frames.rs"]
mod frames;
#[path = "further_sums.rs"]
mod further_sums;
#[path = "golden.rs"]
mod golden;
#[path = "hard_cases.rs"]
mod hard_cases;
#[path = "held_once.rs"]
mod held_once;
#[path = "jackknife.rs"]
mod jackknife;
#[path = "lanes.rs"]
mod lanes;
#[path = "legendre_sums.rs"]
mod legendre_sums;
#[path = "mirrored.rs"]
mod mirrored;
#[path = "mocks.rs"]
mod mocks;
#[path = "pair_sums.rs"]
mod pair_sums;
#[path = "pair_weights.rs"]
mod pair_weights;
#[path = "physics.rs"]
mod physics;
#[path = "pip_counts.rs"]
mod pip_counts;
#[path = "poisson.rs"]
mod poisson;
#[path = "projections.rs"]
mod projections;
#[path = "radial_constraint.rs"]
mod radial_constraint;
#[path = "rand48.rs"]
mod rand48;
#[path = "reach.rs"]
mod reach;
#[path = "realisations.rs"]
mod realisations;
#[path = "regions.rs"]
mod regions;
#[path = "scales.rs"]
mod scales;
#[path = "split_randoms.rs"]
mod split_randoms;
#[path = "units.rs"]
mod units;
#[path = "weight_sets.rs"]
mod weight_sets;
#[path = "wide_weights.rs"]
mod wide_weights;
#[path = "window.rs"]
mod window;
