//! From samples to correlation functions: each estimator by its terms gives what its formula gives on counts that were named by hand.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::cube;

use albireo::binning::PairOrder;
use albireo::counts::count_pairs;
use albireo::engine::Silent;
use albireo::error::EstimatorError;
use albireo::estimators::{AnalyticRr, Covariance, Estimation, Estimator, Role, Term, TermCounts};
use albireo::regions::{Cells, Centres, Regions};
use albireo::tally::Cut;
use albireo::{
    Axis, Bins, Correlation, CountSpec, Counts, Domain, Edges, Error, LineOfSight, Naive, PairJob,
    Pairs, Particles, Points, RBins, SMuBins, SignedEdges, Xi, random,
};

/// A sample for each role, all different.
struct Samples([Particles; 6]);

impl Samples {
    fn new() -> Self {
        let sample = |n: usize, seed| {
            let weights = (0..n).map(|k| 0.5 + (k % 7) as f64).collect();
            let points = random::in_box(n, seed, [1.0; 3]).unwrap();
            Particles::weighted(points, weights).unwrap()
        };
        let sizes = [(40, 1), (90, 2), (70, 3), (50, 4), (80, 5), (60, 6)];
        Self(sizes.map(|(n, seed)| sample(n, seed)))
    }

    fn of(&self, role: Role) -> &Particles {
        let place = Role::ALL.iter().position(|other| *other == role).unwrap();
        &self.0[place]
    }

    fn count(&self, first: Role, second: Role, bins: impl Into<Bins>) -> Counts {
        let bins = &bins.into();
        if first == second {
            return count(Pairs::Auto(self.of(first)), bins);
        }
        count(Pairs::Cross(self.of(first), self.of(second)), bins)
    }
}

fn count(pairs: Pairs<'_>, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let domain = cube();
    let job = PairJob::new(pairs, &domain).unwrap();
    count_pairs(&Naive, &job, CountSpec::for_pairs(bins, pairs), &Silent).unwrap()
}

/// What the formulas make of counts that are put in by hand.
fn by_hand(estimator: Estimator, samples: &Samples, bins: impl Into<Bins>) -> Correlation {
    use Role::SecondShifted as S2;
    use Role::{Data as D, Randoms as R, SecondData as D2, SecondRandoms as R2, Shifted as S};
    let bins = &bins.into();
    let of = |first, second| samples.count(first, second, bins);
    let ordered = bins.order() == PairOrder::Ordered;
    let (formula, counts) = match estimator {
        Estimator::NaturalCross => (
            Estimator::Natural,
            vec![(Term::DD, of(D, D2)), (Term::RR, of(R, R2))],
        ),
        Estimator::DavisPeeblesCross => (
            Estimator::DavisPeebles,
            vec![(Term::DD, of(D, D2)), (Term::DR, of(D, R2))],
        ),
        Estimator::LandySzalay if ordered => (
            Estimator::LandySzalayCross,
            vec![
                (Term::D1D2, of(D, D)),
                (Term::D1R2, of(D, R)),
                (Term::R1D2, of(R, D)),
                (Term::R1R2, of(R, R)),
            ],
        ),
        Estimator::LandySzalayCross => (
            estimator,
            vec![
                (Term::D1D2, of(D, D2)),
                (Term::D1R2, of(D, R2)),
                (Term::R1D2, of(R, D2)),
                (Term::R1R2, of(R, R2)),
            ],
        ),
        Estimator::ShiftedRandomsCross => (
            Estimator::ShiftedRandoms,
            vec![
                (Term::DD, of(D, D2)),
                (Term::DS, of(D, S2)),
                (Term::SD, of(S, D2)),
                (Term::SS, of(S, S2)),
                (Term::RR, of(R, R2)),
            ],
        ),
        Estimator::ShiftedRandoms => (
            estimator,
            vec![
                (Term::DD, of(D, D)),
                (Term::DS, of(D, S)),
                (Term::SD, if ordered { of(S, D) } else { of(D, S) }),
                (Term::SS, of(S, S)),
                (Term::RR, of(R, R)),
            ],
        ),
        Estimator::Natural
        | Estimator::DavisPeebles
        | Estimator::Hamilton
        | Estimator::LandySzalay => (
            estimator,
            vec![
                (Term::DD, of(D, D)),
                (Term::DR, of(D, R)),
                (Term::RR, of(R, R)),
            ],
        ),
        other => panic!("{other:?} has no counterpart here"),
    };
    formula.estimate(&TermCounts::new(counts, None)).unwrap()
}

fn agrees(bins: impl Into<Bins>) {
    let bins = &bins.into();
    let samples = Samples::new();
    for &estimator in Estimator::ALL {
        let all = |role| Some(samples.of(role));
        let estimation = Estimation::new(estimator, bins, &cube(), all).unwrap();
        let listed: Vec<Term> = estimation.terms().iter().map(|(term, _)| *term).collect();
        assert_eq!(listed, estimator.terms(bins.order()), "{estimator:?}");
        let mut made = vec![];
        let xi = estimation.run(|term, pairs| {
            made.push(term);
            Ok::<_, EstimatorError>(count(pairs, bins))
        });
        assert_eq!(made, listed, "each term is counted once, in order");
        let expected = by_hand(estimator, &samples, bins);
        assert_eq!(xi.unwrap(), expected, "{estimator:?}");
        let measured = Xi::new(bins).within(&cube()).by(estimator).on(&Naive);
        assert_eq!(measured.of_samples(all).unwrap().xi, expected);
    }
}

#[test]
fn estimators_take_the_counts_of_their_formulas() {
    agrees(RBins::new(Edges::linear(0.0, 0.4, 4).unwrap()));
}

#[test]
fn where_the_orders_of_a_pair_differ_both_are_counted() {
    let s = Edges::linear(0.0, 0.4, 2).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    agrees(SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap());
}

#[test]
fn without_randoms_their_pairs_are_those_of_the_box() {
    let samples = Samples::new();
    let bins = RBins::new(Edges::linear(0.0, 0.4, 4).unwrap());
    let data = |role| (role == Role::Data).then(|| samples.of(role));
    let estimation = Estimation::new(Estimator::Natural, &bins, &cube(), data).unwrap();
    assert_eq!(estimation.terms().len(), 1);
    let xi = estimation.run(|_, pairs| Ok::<_, EstimatorError>(count(pairs, &bins)));
    let dd = samples.count(Role::Data, Role::Data, &bins);
    let rr = AnalyticRr::new(&bins, &cube()).unwrap();
    let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
    assert_eq!(xi.unwrap(), Estimator::Natural.estimate(&counts).unwrap());
    let open = Estimation::new(Estimator::Natural, &bins, &Domain::Open, data);
    assert!(matches!(open, Err(EstimatorError::AnalyticRr(_))));
}

/// The jackknife of [`Xi`] is that of estimates of samples without the points of each region.
#[test]
fn regions_left_out_are_samples_without_their_points() {
    let bins = RBins::new(Edges::linear(0.0, 0.4, 4).unwrap());
    let sample = |n, seed| Particles::new(random::in_box(n, seed, [1.0; 3]).unwrap());
    let (data, randoms) = (sample(60, 1), sample(150, 2));
    let regions = Centres::in_space(randoms.points(), &Domain::Open, 5, 3).unwrap();
    let cut = || Cut::rp(0.0, 0.05, LineOfSight::Midpoint).unwrap();
    let xi = Xi::new(&bins).on(&Naive).with_cut(cut());
    let measured = xi.clone().jackknife(&regions).of(&data, Some(&randoms));
    let measured = measured.unwrap();
    let without = |sample: &Particles, k: u32| {
        let labels = regions.labels(sample.points()).unwrap();
        let kept = |row: &usize| labels.values()[*row] != k;
        let rows: Vec<usize> = (0..sample.len()).filter(kept).collect();
        let rows: Vec<[f64; 3]> = rows.iter().map(|&row| sample.points().at(row)).collect();
        Particles::new(Points::from_rows(&rows).unwrap())
    };
    let left = (0..5).map(|k| {
        let randoms = without(&randoms, k);
        let left = xi.of(&without(&data, k), Some(&randoms)).unwrap();
        assert!(left.covariance.is_none());
        left.xi.xi
    });
    let expected = Covariance::jackknife(&left.collect::<Vec<_>>()).unwrap();
    assert_eq!(measured.covariance.unwrap().matrix(), expected.matrix());
    let whole = xi.of(&data, Some(&randoms)).unwrap();
    assert_eq!(measured.xi, whole.xi);
    assert_eq!(whole.xi.estimator, "landy-szalay");
    let plain = Xi::new(&bins).on(&Naive).of(&data, Some(&randoms)).unwrap();
    assert_ne!(plain.xi.xi, whole.xi.xi, "the cut takes pairs away");
}

/// In a box random pairs are known, without a cell too.
#[test]
fn cells_of_a_box_need_no_randoms() {
    let bins = RBins::new(Edges::linear(0.0, 0.2, 4).unwrap());
    let data = Particles::new(random::in_box(200, 1, [1.0; 3]).unwrap());
    let cells = Cells::new(&cube(), [2, 2, 2]).unwrap();
    let xi = Xi::new(&bins).within(&cube());
    let measured = xi.clone().jackknife_in_cells([2, 2, 2]).of(&data, None);
    let measured = measured.unwrap();
    assert_eq!(measured.xi, xi.of(&data, None).unwrap().xi);
    assert_eq!(measured.xi.estimator, "natural");
    assert!(measured.covariance.unwrap().errors()[3] > 0.0);
    // What is set last holds: regions that are no cells of this box have no known random pairs.
    let other = xi.clone().jackknife_in_cells([2, 2, 2]).jackknife(&cells);
    let refused = other.of(&data, None).unwrap_err();
    assert!(refused.to_string().contains("sub-cubes"), "{refused}");
    let open = Xi::new(&bins).of(&data, None).unwrap_err();
    assert!(matches!(
        open,
        Error::Estimator(EstimatorError::AnalyticRr(_))
    ));
}

#[test]
fn what_is_missing_is_named() {
    let samples = Samples::new();
    let bins = RBins::new(Edges::linear(0.0, 0.4, 4).unwrap());
    let data = |role| (role == Role::Data).then(|| samples.of(role));
    let refused = Estimation::new(Estimator::Hamilton, &bins, &cube(), data).unwrap_err();
    assert_eq!(refused.to_string(), "this needs the sample `randoms`");
    // Randoms for one of two samples leave no count to divide by, and none that is known.
    let one = |role| (role != Role::SecondRandoms).then(|| samples.of(role));
    let refused = Estimation::new(Estimator::NaturalCross, &bins, &cube(), one).unwrap_err();
    assert_eq!(refused.to_string(), "this needs the sample `cross randoms`");
    let dd = samples.count(Role::Data, Role::Data, &bins);
    let counts = TermCounts::new(vec![(Term::DD, dd)], None);
    let refused = Estimator::LandySzalay.estimate(&counts).unwrap_err();
    assert_eq!(refused.to_string(), "the pairs DR were not counted");
    let none = TermCounts::new(Vec::<(Term, Counts)>::new(), None);
    for &estimator in Estimator::ALL {
        let refused = estimator.estimate(&none).unwrap_err().to_string();
        let data = if estimator.is_cross() { "D1D2" } else { "DD" };
        assert_eq!(refused, format!("the pairs {data} were not counted"));
    }
}
