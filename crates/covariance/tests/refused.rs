//! What nothing can be sampled from is refused, with what was expected and what was found.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::{
    Axis, Bins, Domain, Edges, LineOfSight, Particles, PeriodicBox, Points, RBins, SMuBins,
    SignedEdges,
};
use albireo_covariance::sampler::{Input, SampleJob, Settings, XiTable};

fn points(n: usize, side: f64) -> Points {
    albireo::random::in_box(n, 3, [side; 3]).unwrap()
}

fn input() -> Input {
    Input {
        domain: Domain::Open,
        bins: RBins::new(Edges::linear(1.0, 4.0, 3).unwrap()).into(),
        line_of_sight: None,
        randoms: vec![Particles::new(points(50, 10.0))],
        xi: vec![XiTable::from_fn(0.5, 9.0, |s, _| 1.0 / (1.0 + s)).unwrap()],
        random_pairs: vec![vec![10.0, 30.0, 80.0]],
        region_shares: None,
        settings: Settings::default(),
    }
}

fn s_mu(mu: [f64; 2], sight: LineOfSight) -> Bins {
    let s = Edges::linear(1.0, 4.0, 3).unwrap();
    let mu = SignedEdges::linear(mu[0], mu[1], 1).unwrap();
    SMuBins::new(s, mu, sight).unwrap().into()
}

fn refused(change: impl FnOnce(&mut Input)) -> String {
    let mut input = input();
    change(&mut input);
    SampleJob::new(input).unwrap_err().to_string()
}

fn weighted(weights: Vec<f64>) -> Vec<Particles> {
    vec![Particles::weighted(points(5, 10.0), weights).unwrap()]
}

fn peaked() -> Vec<XiTable> {
    let xi = |s: f64, _: f64| if s > 0.0 { 1e-9 } else { 1.0 };
    vec![XiTable::from_fn(0.5, 9.0, xi).unwrap()]
}

#[test]
fn what_cannot_be_sampled_is_refused_in_words() {
    // 10 weights of pairs in both orders, each pair kept at a rate of 1.
    assert_eq!(SampleJob::new(input()).unwrap().fewest_pairs(), (0, 5.0));
    let cell = |side| Domain::Periodic(PeriodicBox::cubic(side).unwrap());
    for (found, expected) in [
        (refused(|i| i.randoms.clear()), "one tracer or two, found 0"),
        (
            refused(|i| i.xi.clear()),
            "1 tracers need 1 tables of xi (11, or 11, 12 and 22), found 0",
        ),
        (
            refused(|i| i.bins = s_mu([-1.0, 1.0], LineOfSight::Midpoint)),
            "found a coordinate with a sign",
        ),
        (
            refused(|i| i.bins = s_mu([0.0, 1.0], LineOfSight::First)),
            "the middle of the pair or an axis, found first",
        ),
        (
            refused(|i| (i.domain, i.bins) = (cell(10.0), s_mu([0.0, 1.0], LineOfSight::Midpoint))),
            "an axis of the box, found midpoint",
        ),
        (refused(|i| i.domain = cell(9.0)), "row"),
        (
            refused(|i| {
                i.domain = cell(6.0);
                i.randoms = vec![Particles::new(points(50, 6.0))];
            }),
            "half the shortest side of the box, 3, found 4",
        ),
        (
            refused(|i| i.random_pairs[0].truncate(2)),
            "RR of pair 11 must be 3 finite numbers of 0 or more, one for each bin, found 2 numbers",
        ),
        (refused(|i| i.random_pairs[0][1] = f64::NAN), "found NaN"),
        (
            refused(|i| i.randoms = weighted(vec![1.0, 1.0, -2.0, 1.0, 1.0])),
            "found -2 in row 2 (counting from 0) of tracer 1",
        ),
        (
            refused(|i| i.randoms = weighted(vec![0.0, 1.0, 0.0, 1.0, 1.0])),
            "at least 4 random points with a weight above 0, found 3",
        ),
        (
            refused(|i| i.settings.cloud = 0.0),
            "members of a cloud must be above 0 and at most 1024, found 0",
        ),
        (
            refused(|i| i.settings.points = 3),
            "points of a round must be 4 to 16777216, found 3",
        ),
        (
            refused(|i| i.region_shares = Some(vec![vec![0.5; 3]; 2])),
            "a region of each random point, found none",
        ),
        (
            refused(|i| i.xi = peaked()),
            "times that a cloud may hold one point, must be at most 65536",
        ),
        (
            refused(|i| {
                let edges = Edges::linear(1.0, 4.0, 9000).unwrap();
                i.bins = RBins::new(edges).into();
            }),
            "at most 8192 bins, found 9000",
        ),
    ] {
        assert!(found.contains(expected), "{found}\n{expected}");
    }
    let sight = s_mu([0.0, 1.0], LineOfSight::Fixed(Axis::Z));
    let fixed = Input {
        domain: cell(10.0),
        bins: sight,
        ..input()
    };
    assert!(SampleJob::new(fixed).is_ok());
}
