//! Tests of the walk: every pair once, and how evenly units share them.

use std::sync::Arc;

use super::*;
use crate::domain::PeriodicBox;
use crate::particles::{Labels, Points};
use crate::random::in_box;
use crate::traversal::Sorted;

fn layout(points: &Points, labels: Option<&Labels>) -> Layout {
    let sorted = Sorted::new(points, labels, &|| false).unwrap();
    Layout::new(&Arc::new(sorted), 1.0, &|| false).unwrap()
}

fn walk<'a>(sample: &'a Layout, domain: &Domain, radius: f64) -> Walk<'a> {
    let region = Region::new(Reach::Sphere(radius), 1e-12);
    Walk::new(sample, None, true, domain, region)
}

fn labels(n: usize, number: u32) -> Labels {
    let label = |row: usize| (row * 7919 % 101) as u32 % number;
    Labels::new((0..n).map(label).collect(), number).unwrap()
}

#[test]
fn units_of_the_largest_sample_add_up_to_all_pairs() {
    // As units of the parity see it: 1024 points each, but the last.
    let (n, unit) = (crate::particles::MAX_PARTICLES as u64, 1024);
    let numbers = n.div_ceil(unit);
    let own = |u: u64| unit.min(n - u * unit);
    let evens = |below: u64| below.div_ceil(2) * unit;
    let pairs = (0..numbers).map(|u| {
        let last = numbers - 1;
        let all_even = evens(numbers)
            - if last.is_multiple_of(2) {
                unit - own(last)
            } else {
                0
            };
        let even_to = evens(u + 1).min(all_even);
        let others = if u.is_multiple_of(2) {
            evens(u) + (n - all_even) - (u * unit + own(u) - even_to)
        } else {
            u * unit - evens(u) + all_even - even_to
        };
        pairs_within(own(u)) + own(u) * others
    });
    assert_eq!(pairs.sum::<u64>(), pairs_within(n));
}

#[test]
fn each_pair_of_groups_is_taken_once() {
    for taking in [Taking::Later, Taking::Parity] {
        for u in 0..40 {
            for v in (0..40).filter(|&v| v != u) {
                assert_ne!(taking.takes(u, v), taking.takes(v, u), "{u} {v}");
            }
        }
    }
    let shares = (0..40).map(|u| {
        (0..40)
            .filter(|&v| v != u && Taking::Parity.takes(u, v))
            .count()
    });
    let shares: Vec<usize> = shares.collect();
    assert!(
        shares.iter().all(|share| (19..=20).contains(share)),
        "{shares:?}"
    );
}

#[test]
fn units_take_as_many_pairs_as_they_say() {
    let points = in_box(20_000, 5, [1.0; 3]).unwrap();
    let labels = labels(points.len(), 3);
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    for labels in [None, Some(&labels)] {
        let sample = layout(&points, labels);
        let walk = walk(&sample, &domain, 0.2);
        let expected = if labels.is_none() {
            Taking::Parity
        } else {
            Taking::Later
        };
        assert_eq!(walk.taking(), expected);
        let n = sample.groups.len();
        let points_of = |group: usize| sample.points_of(&sample.groups[group]);
        for u in walk.units() {
            let taken = (0..n)
                .filter(|&v| v != u && expected.takes(u, v))
                .map(points_of);
            let others: u64 = taken.sum();
            let own = points_of(u);
            assert_eq!(
                walk.n_pairs(u),
                pairs_within(own) + own * others,
                "{u} of {n}"
            );
        }
        let all: u64 = walk.units().map(|unit| walk.n_pairs(unit)).sum();
        assert_eq!(all, pairs_within(points.len() as u64));
    }
}

#[test]
fn a_walk_meets_each_pair_of_blocks_once() {
    // More groups than a cluster holds, and more clusters than one.
    let points = in_box(40_000, 6, [1.0, 1.0, 3.0]).unwrap();
    let sample = layout(&points, None);
    assert!(sample.clusters.len() > 1 && sample.groups.len() >= 64);
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), None, Some(3.0)]).unwrap());
    let walk = walk(&sample, &domain, 0.3);
    let mut met = std::collections::HashMap::new();
    for unit in walk.units() {
        walk.visit(unit, &mut |pair| {
            let image = pair.translation.image;
            let mirrored = image.map(|n| -n);
            let key = if pair.first <= pair.second {
                (pair.first, pair.second, image)
            } else {
                (pair.second, pair.first, mirrored)
            };
            let key = if pair.first == pair.second && mirrored > image {
                (key.0, key.1, mirrored)
            } else {
                key
            };
            *met.entry(key).or_insert(0) += 1;
        });
    }
    assert!(met.values().all(|&times| times == 1));
    let near = |first: usize, second: usize, translation: &Translation| {
        let [a, b] = [first, second].map(|block| &sample.blocks[block].bounds);
        walk.region.reaches(a.gaps(b, translation.vector))
    };
    let mut expected = 0;
    for first in 0..sample.blocks.len() {
        for second in first..sample.blocks.len() {
            let of_one = |t: &&Translation| first != second || t.is_identity() || t.is_positive();
            let translations = walk.translations.iter().filter(of_one);
            expected += translations.filter(|t| near(first, second, t)).count();
        }
    }
    assert_eq!(met.len(), expected);
}

/// Mean over largest sum of `costs` in `pieces` runs of as many units each.
fn evenness(costs: &[u64], pieces: usize) -> f64 {
    let start = |piece: usize| costs.len() * piece / pieces;
    let sum = |piece: usize| costs[start(piece)..start(piece + 1)].iter().sum::<u64>();
    let largest = (0..pieces).map(sum).max().unwrap();
    costs.iter().sum::<u64>() as f64 / (pieces as f64 * largest as f64)
}

/// A model over the logged numbers of pairs near each unit: how evenly runs of units share the work.
#[test]
fn runs_of_units_are_even_by_parity() {
    let points = in_box(1 << 19, 7, [1.0; 3]).unwrap();
    let sample = layout(&points, None);
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let costs = |taking: Taking| {
        let mut walk = walk(&sample, &domain, 0.12);
        walk.taking = taking;
        walk.units()
            .map(|unit| walk.n_near(unit))
            .collect::<Vec<u64>>()
    };
    let (later, parity) = (costs(Taking::Later), costs(Taking::Parity));
    assert_eq!(later.iter().sum::<u64>(), parity.iter().sum::<u64>());
    for (pieces, least) in [(16, 0.8), (256, 0.7), (1024, 0.65)] {
        let [before, after] = [&later, &parity].map(|costs| evenness(costs, pieces));
        assert!(
            after > least && after > before + 0.1,
            "{pieces}: {before} {after}"
        );
    }
}
