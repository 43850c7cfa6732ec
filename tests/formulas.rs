//! Estimators written as formulas: the same bits as those with a name, their errors, and what they take of samples.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::binning::PairOrder;
use albireo::counts::{count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::estimators::{
    AnyEstimator, Estimation, Estimator, Formula, Jackknife, Role, Term, multipoles, projected,
};
use albireo::{
    Bins, Correlation, CountSpec, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob,
    Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use random::Random;

fn sample(n: usize, seed: u64) -> Particles {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = random
        .points(n, 1.0)
        .iter()
        .map(|x| x.map(|x| x + 0.5))
        .collect();
    let weights = (0..n).map(|_| 0.5 + random.unit()).collect();
    let labels = rows
        .iter()
        .map(|x| u32::from(x[0] > 1.0) + 2 * u32::from(x[1] > 1.0))
        .collect();
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    sample.labelled(Labels::new(labels, 4).unwrap()).unwrap()
}

/// Samples of all roles.
struct Samples([Particles; 6]);

impl Samples {
    fn new() -> Self {
        let sizes = [(60, 1), (150, 2), (140, 3), (70, 4), (130, 5), (120, 6)];
        Self(sizes.map(|(n, seed)| sample(n, seed)))
    }

    fn of(&self, role: Role) -> Option<&Particles> {
        let at = Role::ALL.iter().position(|other| *other == role)?;
        Some(&self.0[at])
    }

    fn estimate(&self, estimator: impl Into<AnyEstimator>, bins: impl Into<Bins>) -> Correlation {
        let bins = &bins.into();
        let estimation =
            Estimation::new(estimator, bins, &Domain::Open, |role| self.of(role)).unwrap();
        let mut count = |_, pairs| {
            let job = PairJob::new(pairs, &Domain::Open)?;
            let counts = count_pairs(&Naive, &job, CountSpec::for_pairs(bins, pairs), &Silent)?;
            Ok::<_, albireo::Error>(counts)
        };
        estimation.run(&mut count).unwrap()
    }
}

fn formula(text: &str) -> Formula {
    text.parse().unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn same_bits(found: &Correlation, expected: &Correlation) {
    assert_eq!(bits(&found.xi), bits(&expected.xi), "{}", found.estimator);
    assert_eq!(
        bits(&found.error),
        bits(&expected.error),
        "{}",
        found.estimator
    );
    assert_eq!(
        bits(&found.variance),
        bits(&expected.variance),
        "{}",
        found.estimator
    );
}

#[test]
fn formulas_have_the_bits_of_the_estimators_with_a_name() {
    let samples = Samples::new();
    // The first bin holds no pair of data, the last none at all.
    let bins = RBins::new(Edges::new(vec![0.0, 0.002, 0.1, 0.3, 0.6, 2.0, 3.0]).unwrap());
    for (estimator, text) in [
        (Estimator::LandySzalay, "(DD - 2*DR + RR)/RR"),
        (Estimator::LandySzalayCross, "(D1D2-D1R2-R1D2+R1R2)/R1R2"),
        (
            Estimator::ShiftedRandomsCross,
            "(D1D2 - D1S2 - S1D2 + S1S2)/R1R2",
        ),
        (Estimator::Natural, "DD/RR - 1"),
        (Estimator::NaturalCross, "D1D2/R1R2 - 1"),
        (Estimator::DavisPeebles, "DD / DR - 1"),
        (Estimator::DavisPeeblesCross, "D1D2/D1R2-1.0"),
        (Estimator::Hamilton, "DD*RR/(DR*DR) - 1"),
        (Estimator::Hamilton, "((DD)*RR)/DR**2 - 1e0"),
    ] {
        let (found, expected) = (
            samples.estimate(formula(text), &bins),
            samples.estimate(estimator, &bins),
        );
        same_bits(&found, &expected);
        assert_eq!(found.estimator, text);
        assert!(expected.xi[5].is_nan() && expected.error[0].is_nan());
    }
    // Each pair of data and shifted randoms is counted once, whichever way round it is named.
    let expected = samples.estimate(Estimator::ShiftedRandoms, &bins);
    let found = samples.estimate(formula("(DD - DS - SD + SS)/RR"), &bins);
    assert_eq!(found.counts.len(), 4);
    assert_eq!(bits(&found.xi), bits(&expected.xi));
    for (found, expected) in found.error.iter().zip(&expected.error).skip(1).take(4) {
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
    }
    // Both orders apart: the randoms come first and second.
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let signed = SMuBins::new(
        Edges::linear(0.0, 0.6, 3).unwrap(),
        mu,
        LineOfSight::Midpoint,
    )
    .unwrap();
    let both = formula("(DD - DR - RD + RR)/RR");
    assert_eq!(
        both.terms(PairOrder::Ordered),
        [Term::DD, Term::DR, Term::RD, Term::RR]
    );
    assert_eq!(
        both.terms(PairOrder::Unordered),
        [Term::DD, Term::DR, Term::RR]
    );
    same_bits(
        &samples.estimate(both, &signed),
        &samples.estimate(Estimator::LandySzalay, &signed),
    );
    let shifted = formula("(DD - DS - SD + SS)/RR");
    same_bits(
        &samples.estimate(shifted, &signed),
        &samples.estimate(Estimator::ShiftedRandoms, &signed),
    );
}

#[test]
fn errors_are_propagated_through_the_derivatives() {
    let samples = Samples::new();
    let bins = RBins::new(Edges::linear(0.1, 0.6, 3).unwrap());
    let ls = samples.estimate(Estimator::LandySzalay, &bins);
    let counts = |name| ls.normalised(name).unwrap();
    let hamilton = samples.estimate(Estimator::Hamilton, &bins);
    // Of sqrt(DD RR)/DR half the relative error of DD RR/DR^2.
    let root = samples.estimate(formula("(DD*RR)^0.5/DR"), &bins);
    for k in 0..3 {
        let [dd, dr, rr] = ["DD", "DR", "RR"].map(|name| counts(name)[k]);
        assert!((root.xi[k] - (dd * rr).sqrt() / dr).abs() < 1e-14);
        let expected = 0.5 * hamilton.error[k] / (1.0 + hamilton.xi[k]);
        assert!((root.error[k] / root.xi[k] / expected - 1.0).abs() < 1e-12);
    }
    // A count that cancels has no error.
    let cancelled = samples.estimate(formula("DD/RR + 5*DR - DR - 4*DR - 1"), &bins);
    let natural = samples.estimate(Estimator::Natural, &bins);
    for k in 0..3 {
        assert!((cancelled.error[k] / natural.error[k] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn wp_and_multipoles_are_made_of_formulas() {
    let samples = Samples::new();
    let pi = SignedEdges::linear(0.0, 0.6, 4).unwrap();
    let cylinders = RpPiBins::new(
        Edges::linear(0.1, 0.5, 3).unwrap(),
        pi,
        LineOfSight::Midpoint,
    )
    .unwrap();
    let text = "(DD - 2*DR + RR)/RR";
    let [found, expected] = [
        samples.estimate(formula(text), &cylinders),
        samples.estimate(Estimator::LandySzalay, &cylinders),
    ];
    assert_eq!(projected(&found).unwrap(), projected(&expected).unwrap());
    let mu = SignedEdges::linear(0.0, 1.0, 5).unwrap();
    let wedges = SMuBins::new(
        Edges::linear(0.1, 0.5, 3).unwrap(),
        mu,
        LineOfSight::Midpoint,
    )
    .unwrap();
    let [found, expected] = [
        samples.estimate(formula(text), &wedges),
        samples.estimate(Estimator::LandySzalay, &wedges),
    ];
    assert_eq!(
        multipoles(&found, &[0, 2]).unwrap(),
        multipoles(&expected, &[0, 2]).unwrap()
    );
}

fn jackknifed(samples: &Samples, estimator: AnyEstimator, bins: &RBins) -> Vec<Vec<f64>> {
    let engine = Cpu::new();
    let estimation =
        Estimation::new(estimator, bins, &Domain::Open, |role| samples.of(role)).unwrap();
    let counts = estimation.run_by_region(None, |_, pairs| {
        let prepare = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
        let (first, second) = pairs.samples();
        let (first, second) = (prepare(first)?, second.map(prepare).transpose()?);
        let job = PreparedJob::new(&first, second.as_ref())?;
        let (counts, _) = count_regions(&engine, &job, CountSpec::for_pairs(bins, pairs), &Silent)?;
        Ok::<_, albireo::Error>(counts)
    });
    let counts = counts.unwrap();
    let realisations = counts.jackknife(Jackknife::MohammadPercival);
    realisations.map(|xi| xi.unwrap().xi).collect()
}

#[test]
fn regions_are_left_out_of_formulas() {
    let samples = Samples::new();
    let bins = RBins::new(Edges::linear(0.1, 0.6, 3).unwrap());
    for (estimator, text) in [
        (Estimator::LandySzalay, "(DD - 2*DR + RR)/RR"),
        (Estimator::LandySzalayCross, "(D1D2-D1R2-R1D2+R1R2)/R1R2"),
        (Estimator::ShiftedRandoms, "(DD-DS-SD+SS)/RR"),
    ] {
        let expected = jackknifed(&samples, estimator.into(), &bins);
        assert_eq!(jackknifed(&samples, formula(text).into(), &bins), expected);
    }
}

#[test]
fn random_pairs_of_a_box_are_known() {
    let domain = Domain::Periodic(PeriodicBox::cubic(2.0).unwrap());
    let samples = Samples::new();
    let bins = RBins::new(Edges::linear(0.1, 0.6, 3).unwrap());
    let estimate = |estimator: AnyEstimator| {
        let only_data = |role| samples.of(role).filter(|_| role == Role::Data);
        let estimation = Estimation::new(estimator, &bins, &domain, only_data)?;
        estimation.run(|_, pairs| {
            let job = PairJob::new(pairs, &domain)?;
            Ok::<_, albireo::Error>(count_pairs(
                &Naive,
                &job,
                CountSpec::for_pairs(&bins, pairs),
                &Silent,
            )?)
        })
    };
    let expected = estimate(Estimator::Natural.into()).unwrap();
    same_bits(&estimate(formula("DD/RR - 1").into()).unwrap(), &expected);
    // Without RR there is nothing to be known.
    let dd = estimate(formula("DD").into()).unwrap();
    assert_eq!(dd.xi, dd.counts[0].values);
    let none = estimate(formula("1/RR").into()).unwrap_err().to_string();
    assert_eq!(none, "the estimator 1/RR names no pairs that were counted");
    let missing = estimate(formula("DD/DR").into()).unwrap_err().to_string();
    assert_eq!(missing, "this needs the sample `randoms`");
}

#[test]
fn what_is_divided_by_zero_is_no_number() {
    let samples = Samples::new();
    let bins = RBins::new(Edges::new(vec![0.1, 0.6, 5.0, 6.0]).unwrap());
    for text in ["DD/(RR - RR)", "DD^-1/0", "DD/RR", "(DD/RR)^-1"] {
        let xi = samples.estimate(formula(text), &bins);
        assert!(xi.xi[2].is_nan() && xi.error[2].is_nan(), "{text}");
    }
    assert!(formula(" DD / RR ").to_string() == "DD / RR");
    for text in ["1 + 2", "", "DD RR", "XX"] {
        assert!(text.parse::<Formula>().is_err(), "{text}");
    }
}
