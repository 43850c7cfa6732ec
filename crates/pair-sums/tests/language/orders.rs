//! For drawn trees and pairs: both orders agree as the program says, and no value exceeds its bound.

use albireo::tally::{End, Exchange, PairProgram};
use albireo::{Bins, Domain, Edges, Particles, Points, RBins};
use albireo_pair_sums::{Geometry, Objects, PairSumSpec, PairSums};

use crate::draw::{Draw, Text, words};
use crate::{filled, width};

/// Programs that were bound, by what exchanging the points makes of them, and those with proved bounds.
#[derive(Debug, Default)]
struct Found {
    even: usize,
    odd: usize,
    neither: usize,
    proven: usize,
    pairs: usize,
}

/// A program of a drawn text over particles with drawn columns: a bound is given where none can be proved.
pub(crate) fn drawn(
    draw: &mut Draw,
    sums: &PairSums,
    particles: &Particles,
    geometry: &Geometry,
) -> Option<(Particles, PairProgram)> {
    let columns = sums.columns_of_both();
    let rows = particles.len();
    let particles = filled(particles, &columns, |text| draw.column(text, rows));
    let objects = Objects {
        particles: &particles,
        columns: &columns,
    };
    let bounded = sums.clone().with_bound("s", 3.0).unwrap();
    let program = sums
        .bind(&objects, &objects, geometry)
        .or_else(|_| bounded.bind(&objects, &objects, geometry));
    // Of too many columns or operations there is no program, and means of what is infinite are refused.
    let program = program.ok()?;
    Some((particles, program))
}

pub(crate) fn spec(text: &str) -> PairSumSpec {
    PairSumSpec {
        name: Some("s".to_owned()),
        text: text.to_owned(),
        bound: None,
    }
}

fn check(
    text: &str,
    bins: &Bins,
    domain: &Domain,
    particles: &Particles,
    program: &PairProgram,
    found: &mut Found,
) {
    let sum = &program.sums()[0];
    let rows = particles.len();
    let value = |i: usize, j: usize| {
        let points = particles.points();
        let sep = domain.separation(points.at(i), points.at(j));
        let column =
            |end: End, k: usize| particles.columns()[k].at(if end == End::First { i } else { j });
        bins.bin(&sep).map(|_| program.value(0, &sep, column))
    };
    let within = |value: f64| Some(value).filter(|value| value.abs() <= sum.bound);
    for (i, j) in (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j))) {
        let Some(one) = value(i, j).filter(|_| i != j) else {
            continue;
        };
        found.pairs += 1;
        assert!(
            !sum.proven || within(one).is_some(),
            "{text}: {one} above {}",
            sum.bound
        );
        let Some(other) = value(j, i) else {
            continue;
        };
        let same = match sum.exchange {
            Exchange::Even => within(one) == within(other),
            Exchange::Odd => within(one) == within(other).map(|value| -value),
            Exchange::Neither => true,
        };
        assert!(
            same,
            "{text}: {one} and {other} should be {:?}",
            sum.exchange
        );
    }
}

#[test]
fn signs_of_zeros_and_infinities_are_seen_where_they_show() {
    // Two at equal x, two of equal m, and zeros of both signs.
    let rows = [[0.0; 3], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0], [1.5, 0.5, 0.0]];
    let (m, t) = ([-0.0, 0.0, 5.0, 5.0], [1.0, -2.0, 3.0, 3.0]);
    let particles = Particles::new(Points::from_rows(&rows).unwrap());
    let bins = Bins::from(RBins::new(Edges::linear(0.0, 9.0, 1).unwrap()));
    let geometry = Geometry::of(&bins, &Domain::Open);
    let mut found = Found::default();
    // Of equal m it is a zero, whose sign d[0] turns.
    let zero = "((i.m - j.m)*d[0])";
    for text in [
        "(1/d[0] > 0) - (1/d[0] < 0)",
        "(1/(i.m - j.m) > 0) - (1/(i.m - j.m) < 0)",
        "1/ZERO > 0",
        "1/(ZERO/2) > 0",
        "(1/ZERO)/2 > 0",
        "(1/ZERO)*2 > 0",
        "1/(1/(1/ZERO)) > 0",
        "1/sqrt(ZERO) > 0",
        "sqrt(1/ZERO) > 0",
        "1/(ZERO + 2*ZERO) > 0",
        "1/(i.m*r + 0) + 1/(j.m*r) > 0",
        "1/max(i.m, j.m) > 0",
        "max(min(1/(i.m + 0*r) + 1/(j.m*(r > 0)), 1), 0 - 1)",
        "1/where(r > 0.01, ZERO, 1) > 0",
        "where(1/ZERO, 1, 2)",
        "max(min(1/ZERO, 1), 0 - 1)",
        "i.T*r + -1*(j.T*r)",
        "where(i.T < j.T, 0, 0 - 1)*d[0]",
    ] {
        let text = text.replace("ZERO", zero);
        let sums = PairSums::parse(&[spec(&text)], &[], &width).unwrap();
        let sums = sums.with_bound("s", 9.0).unwrap();
        let columns = sums.columns_of_both();
        let read = |column: &str| if column == "m" { m } else { t }.to_vec();
        let particles = filled(&particles, &columns, read);
        let objects = Objects {
            particles: &particles,
            columns: &columns,
        };
        let program = sums.bind(&objects, &objects, &geometry).unwrap();
        check(
            &text,
            &bins,
            &Domain::Open,
            &particles,
            &program,
            &mut found,
        );
    }
    assert_eq!(found.pairs, 18 * 12);
}

#[test]
fn both_orders_agree_and_no_value_exceeds_its_bound() {
    // More of them by hand.
    let trees = std::env::var("ALBIREO_DRAWN_TREES")
        .ok()
        .and_then(|trees| trees.parse().ok());
    let trees = trees.unwrap_or(if cfg!(debug_assertions) { 2000 } else { 20_000 });
    let mut draw = Draw(1);
    let mut found = Found::default();
    for tree in 0..trees {
        let domain = draw.domain();
        let bins = draw.bins(&domain);
        let particles = draw.particles(6, &domain);
        let left = 1 + draw.below(40);
        let words = words(&bins, &domain);
        let text = Text {
            draw: &mut draw,
            left: if tree % 3 == 0 { left / 8 } else { left / 2 },
            words: &words,
        }
        .whole();
        let Ok(sums) = PairSums::parse(&[spec(&text)], &[], &width) else {
            continue;
        };
        let geometry = Geometry::of(&bins, &domain);
        let Some((particles, program)) = drawn(&mut draw, &sums, &particles, &geometry) else {
            continue;
        };
        let sum = &program.sums()[0];
        match sum.exchange {
            Exchange::Even => found.even += 1,
            Exchange::Odd => found.odd += 1,
            Exchange::Neither => found.neither += 1,
        }
        found.proven += usize::from(sum.proven);
        check(&text, &bins, &domain, &particles, &program, &mut found);
    }
    let made = found.even + found.odd + found.neither;
    assert!(made * 10 > trees * 9, "{found:?}");
    let least = trees / 20;
    assert!(
        found.even > least
            && found.odd > least / 2
            && found.proven > least
            && found.neither > least,
        "{found:?}"
    );
    assert!(found.pairs > trees * 3, "{found:?}");
}
