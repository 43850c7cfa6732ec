//! Poisson errors against numerical derivatives and against drawn counts.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{ExactSums, JobId, PairKind, PairTotal};
use albireo::estimators::{AnalyticRr, Term, TermCounts, multipoles, projected};
use albireo::random::Stream;
use albireo::{
    Axis, Bins, Correlation, Counts, Domain, Edges, Estimator, LineOfSight, PeriodicBox, RBins,
    RpPiBins, SMuBins, SignedEdges,
};

/// A count of pairs with their weights.
#[derive(Debug, Clone)]
struct Drawn {
    kind: PairKind,
    npairs: Vec<u64>,
    weight: Vec<f64>,
    total: f64,
    design_effect: f64,
}

impl Drawn {
    fn counts(&self, binning: impl Into<Bins>) -> Counts {
        let binning = &binning.into();
        let total = PairTotal {
            kind: self.kind,
            pairs: 10_000_000,
            weight: self.total,
            design_effect: self.design_effect,
        };
        let weight = Some(ExactSums::from_parts(std::slice::from_ref(&self.weight)).unwrap());
        Counts::from_parts(
            binning.clone(),
            self.npairs.clone(),
            weight,
            total,
            JobId(0),
        )
        .unwrap()
    }
}

const ESTIMATORS: [Estimator; 6] = [
    Estimator::Natural,
    Estimator::LandySzalay,
    Estimator::DavisPeebles,
    Estimator::Hamilton,
    Estimator::LandySzalayCross,
    Estimator::ShiftedRandoms,
];

/// The estimate from up to five counts: DD, DR, RD, RR and the unshifted RR.
fn estimate(estimator: Estimator, binning: impl Into<Bins>, drawn: &[Drawn; 5]) -> Correlation {
    let binning = &binning.into();
    let counts = drawn.each_ref().map(|drawn| drawn.counts(binning));
    let [dd, dr, rd, rr, unshifted] = &counts;
    let counts = match estimator {
        Estimator::LandySzalayCross => vec![
            (Term::D1D2, dd),
            (Term::D1R2, dr),
            (Term::R1D2, rd),
            (Term::R1R2, rr),
        ],
        Estimator::ShiftedRandoms => vec![
            (Term::DD, dd),
            (Term::DS, dr),
            (Term::SD, rd),
            (Term::SS, rr),
            (Term::RR, unshifted),
        ],
        _ => vec![(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)],
    };
    estimator.estimate(&TermCounts::new(counts, None)).unwrap()
}

#[test]
fn errors_are_those_of_numerical_derivatives() {
    let binning = RBins::new(Edges::linear(0.0, 3.0, 3).unwrap());
    let drawn = |npairs: [u64; 3], weight: [f64; 3], total, design_effect| Drawn {
        kind: PairKind::Cross,
        npairs: npairs.to_vec(),
        weight: weight.to_vec(),
        total,
        design_effect,
    };
    let counts = [
        drawn([7, 400, 90], [9.5, 310.0, 101.0], 5.1e3, 1.3),
        drawn([31, 250, 8], [20.0, 333.0, 7.7], 6.0e3, 1.9),
        drawn([12, 290, 11], [33.0, 301.0, 13.9], 7.0e3, 1.0),
        drawn([12, 5000, 13], [44.0, 515.0, 22.0], 9.0e3, 2.5),
        drawn([19, 4000, 13], [35.0, 405.0, 21.0], 8.0e3, 1.1),
    ];
    for estimator in ESTIMATORS {
        let xi = estimate(estimator, &binning, &counts);
        for k in 0..3 {
            let mut variance = 0.0;
            for (which, count) in counts.iter().enumerate() {
                let moved = |by: f64| {
                    let mut counts = counts.clone();
                    counts[which].weight[k] *= 1.0 + by;
                    estimate(estimator, &binning, &counts).xi[k]
                };
                let h = 1e-5;
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                variance += slope * slope * count.design_effect / count.npairs[k] as f64;
            }
            let error = variance.sqrt();
            assert!(
                (xi.error[k] / error - 1.0).abs() < 1e-7,
                "{estimator:?}, bin {k}: {} is not {error}",
                xi.error[k]
            );
        }
    }
}

/// Poisson numbers and random weights.
struct Draws {
    stream: Stream,
    next: u64,
}

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.next += 1;
        self.stream.uniform(self.next)
    }

    /// Events of a process of rate 1 in `mean` units of time.
    fn poisson(&mut self, mean: f64) -> u64 {
        let (mut time, mut events) = (0.0, 0);
        loop {
            time -= (1.0 - self.uniform()).ln();
            if time > mean {
                return events;
            }
            events += 1;
        }
    }

    /// A weight of 1 or 3, of mean 2 and mean square 5: f = 5/4.
    fn weight(&mut self) -> f64 {
        if self.uniform() < 0.5 { 1.0 } else { 3.0 }
    }

    /// A count with `means` pairs of independent weights.
    fn count(&mut self, kind: PairKind, means: &[f64]) -> Drawn {
        let npairs: Vec<u64> = means.iter().map(|&mean| self.poisson(mean)).collect();
        let mut pairs = |n: u64| (0..n).map(|_| self.weight() * self.weight()).sum();
        Drawn {
            kind,
            weight: npairs.iter().map(|&n| pairs(n)).collect(),
            npairs,
            total: 4e4,
            design_effect: 25.0 / 16.0,
        }
    }
}

/// The scatter of values and the root mean square of their errors.
#[derive(Default)]
struct Scatter {
    n: f64,
    sum: f64,
    squares: f64,
    variance: f64,
}

impl Scatter {
    fn add(&mut self, value: f64, error: f64) {
        self.n += 1.0;
        self.sum += value;
        self.squares += value * value;
        self.variance += error * error;
    }

    fn check(&self, what: &str) {
        let scatter = (self.squares / self.n - (self.sum / self.n).powi(2)).sqrt();
        let error = (self.variance / self.n).sqrt();
        assert!(
            (error / scatter - 1.0).abs() < 0.06,
            "{what}: error {error}, scatter {scatter}"
        );
    }
}

const TRIALS: usize = 3000;

#[test]
fn errors_are_the_scatter_of_drawn_counts() {
    let binning = RBins::new(Edges::linear(0.0, 1.0, 1).unwrap());
    let mut draws = Draws {
        stream: Stream::new(11),
        next: 0,
    };
    let mut scatters = ESTIMATORS.map(|_| Scatter::default());
    for _ in 0..TRIALS {
        let counts = [1500.0, 700.0, 900.0, 600.0, 800.0];
        let counts = counts.map(|mean| draws.count(PairKind::Cross, &[mean]));
        for (estimator, scatter) in ESTIMATORS.into_iter().zip(&mut scatters) {
            let xi = estimate(estimator, &binning, &counts);
            scatter.add(xi.xi[0], xi.error[0]);
        }
    }
    for (estimator, scatter) in ESTIMATORS.into_iter().zip(&scatters) {
        scatter.check(&format!("{estimator:?}"));
    }
}

#[test]
fn errors_of_wp_and_multipoles_are_the_scatter_of_drawn_counts() {
    let fixed = LineOfSight::Fixed(Axis::Z);
    let radii = || Edges::linear(0.0, 1.0, 1).unwrap();
    let mu = SignedEdges::new(vec![0.0, 0.3, 0.6, 1.0]).unwrap();
    let s_mu = SMuBins::new(radii(), mu, fixed).unwrap();
    let pi = SignedEdges::new(vec![0.0, 1.0, 3.0, 4.0]).unwrap();
    let rp_pi = RpPiBins::new(radii(), pi, fixed).unwrap();
    let mut draws = Draws {
        stream: Stream::new(12),
        next: 0,
    };
    let mut scatters = ["wp", "monopole", "quadrupole"].map(|_| Scatter::default());
    for _ in 0..TRIALS {
        // One bin has no data at times; its randoms are as noisy as others'.
        let counts = [[600.0, 1.0, 400.0], [400.0, 300.0, 350.0], [400.0; 3]];
        let [dd, dr, rr] = counts.map(|means| draws.count(PairKind::Cross, &means));
        let counts = [dd, dr.clone(), dr, rr.clone(), rr];
        let wp = projected(&estimate(Estimator::LandySzalay, &rp_pi, &counts)).unwrap();
        scatters[0].add(wp.wp[0], wp.error[0]);
        let poles = multipoles(&estimate(Estimator::LandySzalay, &s_mu, &counts), &[0, 2]).unwrap();
        for (pole, scatter) in poles.poles.iter().zip(&mut scatters[1..]) {
            scatter.add(pole.xi[0], pole.error[0]);
        }
    }
    for (what, scatter) in ["wp", "monopole", "quadrupole"].iter().zip(&scatters) {
        scatter.check(what);
    }
}

/// Signed bins hold both orders of a pair: DD and RR in bins that mirror each other, DR and RD each in one.
#[test]
fn pairs_in_both_orders_are_not_taken_for_two() {
    let mu = SignedEdges::linear(-1.0, 1.0, 2).unwrap();
    let radii = Edges::linear(0.0, 1.0, 1).unwrap();
    let s_mu = SMuBins::new(radii, mu, LineOfSight::Midpoint).unwrap();
    let mut draws = Draws {
        stream: Stream::new(13),
        next: 0,
    };
    let mut scatters = ["cross", "shifted"].map(|_| Scatter::default());
    for _ in 0..TRIALS {
        let mirrored = |mut half: Drawn| {
            half.npairs = vec![half.npairs[0]; 2];
            half.weight = vec![half.weight[0]; 2];
            half
        };
        let mut both = |mean| mirrored(draws.count(PairKind::AutoOrdered, &[mean]));
        let (dd, rr, unshifted) = (both(500.0), both(600.0), both(700.0));
        let dr = draws.count(PairKind::Cross, &[300.0, 400.0]);
        let mut rd = dr.clone();
        rd.npairs.reverse();
        rd.weight.reverse();
        let counts = [dd, dr, rd, rr, unshifted];
        for (estimator, scatter) in [Estimator::LandySzalayCross, Estimator::ShiftedRandoms]
            .into_iter()
            .zip(&mut scatters)
        {
            let xi = estimate(estimator, &s_mu, &counts);
            let poles = multipoles(&xi, &[0]).unwrap();
            scatter.add(poles.poles[0].xi[0], poles.poles[0].error[0]);
        }
    }
    for (what, scatter) in ["cross", "shifted"].iter().zip(&scatters) {
        scatter.check(what);
    }
}

/// Where DS and SD are one count given twice, its noise is that of 2 DS.
#[test]
fn a_count_given_twice_is_as_noisy_as_its_double() {
    let binning = RBins::new(Edges::linear(0.0, 1.0, 1).unwrap());
    let count = |kind, n: u64| Drawn {
        kind,
        npairs: vec![n],
        weight: vec![n as f64],
        total: 1e4,
        design_effect: 1.0,
    };
    let auto = |n| count(PairKind::AutoUnordered, n);
    let (dd, dr, rr) = (auto(60), count(PairKind::Cross, 80), auto(100));
    let counts = [dd, dr.clone(), dr, rr.clone(), rr];
    let once = estimate(Estimator::LandySzalay, &binning, &counts);
    let twice = estimate(Estimator::LandySzalayCross, &binning, &counts);
    assert!((once.error[0] - twice.error[0]).abs() < 1e-15);
    assert!((once.xi[0] - twice.xi[0]).abs() < 1e-15);
}

#[test]
fn known_random_pairs_have_no_noise_and_no_data_has_no_error() {
    let domain = Domain::Periodic(PeriodicBox::cubic(10.0).unwrap());
    let binning = RBins::new(Edges::linear(0.0, 3.0, 3).unwrap());
    let total = PairTotal::unweighted(PairKind::AutoUnordered, 1000);
    let npairs = vec![3, 0, 50];
    let dd = Counts::from_parts(binning.clone(), npairs, None, total, JobId(0)).unwrap();
    let rr = AnalyticRr::new(&binning, &domain).unwrap();
    let counts = TermCounts::new([(Term::DD, &dd)], Some(rr));
    let xi = Estimator::Natural.estimate(&counts).unwrap();
    for k in [0, 2] {
        let expected = (1.0 + xi.xi[k]) / (dd.npairs()[k] as f64).sqrt();
        assert!((xi.error[k] / expected - 1.0).abs() < 1e-14);
    }
    assert!(xi.xi[1] == -1.0 && xi.error[1].is_nan());
    assert_eq!(xi.variance[1], 0.0);
}
