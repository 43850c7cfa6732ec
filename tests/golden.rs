//! Counts of two independent codes (see `tests/data/make_golden.py`) on our own seeded points.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{Part, count_pairs, count_part};
use albireo::engine::{AnyEngine, Cpu, Silent};
use albireo::{
    Axis, Bins, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, Points,
    RBins, RpPiBins, SMuBins, SignedEdges,
};

const R_EDGES: [f64; 8] = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 25.0];

fn points() -> Points {
    let text = include_str!("data/golden_points.csv");
    let rows: Vec<[f64; 3]> = text
        .lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    Points::from_rows(&rows).unwrap()
}

fn golden(name: &str) -> Vec<u64> {
    let text = include_str!("data/golden_counts.csv");
    let line = text
        .lines()
        .find(|line| line.split(',').next() == Some(name))
        .unwrap();
    line.split(',')
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect()
}

fn check(name: &str, bins: impl Into<Bins>) {
    let bins = &bins.into();
    let sample = Particles::new(points());
    let domain = Domain::Periodic(PeriodicBox::cubic(50.0).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    for engine in [AnyEngine::Naive(Naive), AnyEngine::Cpu(Cpu::new())] {
        let counts = count_pairs(&*engine, &job, bins, &Silent).unwrap();
        assert_eq!(counts.npairs(), golden(name), "{name}");
    }
    let mut merged: Option<albireo::Counts> = None;
    for index in [2, 0, 1] {
        let part = Part { index, of: 3 };
        let counts = count_part(&Cpu::new(), &job, part, bins, &Silent).unwrap();
        match &mut merged {
            None => merged = Some(counts),
            Some(merged) => merged.merge(&counts).unwrap(),
        }
    }
    let merged = merged.unwrap();
    assert_eq!(merged.npairs(), golden(name), "{name} in parts");
    assert_eq!(merged.total().pairs, 1500 * 1499 / 2);
    assert_eq!(merged.coverage(), (3, 3));
    let again = count_part(&Naive, &job, Part { index: 1, of: 3 }, bins, &Silent).unwrap();
    let refusal = merged.clone().merge(&again).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "counts overlap: part 1 of 3 of the same job is in both"
    );
}

#[test]
fn separations() {
    check("r", RBins::new(Edges::new(R_EDGES.to_vec()).unwrap()));
}

#[test]
fn separation_and_cosine() {
    let s = Edges::new(R_EDGES.to_vec()).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 5).unwrap();
    check(
        "s_mu",
        SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap(),
    );
}

#[test]
fn across_and_along() {
    let rp = Edges::new(vec![0.25, 1.0, 4.0, 12.0]).unwrap();
    let pi = SignedEdges::new(vec![0.0, 2.0, 7.0, 20.0]).unwrap();
    check(
        "rp_pi",
        RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap(),
    );
}
