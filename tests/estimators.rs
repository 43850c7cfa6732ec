//! Estimators against numbers worked out by hand.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::binning::{AxisUnit, BinAxis};
use albireo::counts::{JobId, PairKind, PairTotal, Part, count_pairs, count_part};
use albireo::engine::{Exactness, Silent};
use albireo::error::EstimatorError;
use albireo::estimators::{AnalyticRr, Term, TermCounts, legendre, multipoles, projected};
use albireo::{
    Axis, Bins, Correlation, CountSpec, Counts, Domain, Edges, Estimator, Lattice, LineOfSight,
    Naive, PairJob, Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
    ThetaBins, random,
};
use albireo_fluids::{Frame, Partials, Space, Species};

fn r_bins(edges: &[f64]) -> RBins {
    RBins::new(Edges::new(edges.to_vec()).unwrap())
}

fn counted(binning: impl Into<Bins>, npairs: &[u64], kind: PairKind, pairs: u64) -> Counts {
    let binning = &binning.into();
    let total = PairTotal::unweighted(kind, pairs);
    Counts::from_parts(binning.clone(), npairs.to_vec(), None, total, JobId(pairs)).unwrap()
}

/// Ten data points, twenty randoms.
fn small() -> [Counts; 3] {
    let bins = r_bins(&[0.0, 1.0, 2.0]);
    [
        counted(&bins, &[6, 10], PairKind::AutoUnordered, 45),
        counted(&bins, &[8, 30], PairKind::Cross, 200),
        counted(&bins, &[10, 40], PairKind::AutoUnordered, 190),
    ]
}

fn natural(dd: &Counts, rr: &Counts) -> Result<Correlation, EstimatorError> {
    Estimator::Natural.estimate(&TermCounts::new([(Term::DD, dd), (Term::RR, rr)], None))
}

fn landy_szalay([dd, dr, rr]: [&Counts; 3]) -> Result<Correlation, EstimatorError> {
    let counts = [(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)];
    Estimator::LandySzalay.estimate(&TermCounts::new(counts, None))
}

pub(crate) fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= 1e-14 * e.abs().max(1.0),
            "{found:?} is not {expected:?}"
        );
    }
}

#[test]
fn every_formula_by_hand() {
    let [dd, dr, rr] = small();
    let counts = TermCounts::new([(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)], None);
    // DD = 6/45, 10/45; DR = 0.04, 0.15; RR = 1/19, 4/19.
    let xi = Estimator::LandySzalay.estimate(&counts).unwrap();
    assert_near(&xi.xi, &[2.0 + 1.0 / 75.0, 1.0 - 4.75 * 7.0 / 90.0]);
    // Errors: sqrt of (DD/RR)^2/6 + (2 DR/RR)^2/8 + ((DD - 2 DR)/RR)^2/10 and the like, in Python with exact fractions.
    assert_near(
        &xi.error,
        &[1.208_765_516_580_479_8, 0.427_222_989_812_921_2],
    );
    assert_eq!(xi.estimator, "landy-szalay");
    let names: Vec<_> = xi.counts.iter().map(|column| column.name).collect();
    assert_eq!(names, ["DD", "DR", "RR"]);
    assert_eq!(xi.normalised("DR").unwrap(), [0.04, 0.15]);
    assert_eq!(xi.shape(), [2]);

    let natural = Estimator::Natural.estimate(&counts).unwrap();
    assert_near(&natural.xi, &[19.0 * 6.0 / 45.0 - 1.0, 19.0 / 18.0 - 1.0]);
    assert_near(
        &natural.error,
        &[1.308_207_708_052_283_1, 0.373_195_245_626_233_4],
    );
    let davis = Estimator::DavisPeebles.estimate(&counts).unwrap();
    assert_near(&davis.xi, &[10.0 / 3.0 - 1.0, 40.0 / 27.0 - 1.0]);
    assert_near(
        &davis.error,
        &[1.800_205_749_557_739, 0.540_960_550_622_386_3],
    );
    let hamilton = Estimator::Hamilton.estimate(&counts).unwrap();
    assert_near(
        &hamilton.error,
        &[3.840_329_104_258_391, 1.056_821_359_807_799_3],
    );
    assert_near(
        &hamilton.xi,
        &[250.0 / 57.0 - 1.0, (8.0 / 171.0) / 0.0225 - 1.0],
    );
}

#[test]
fn cross_and_shifted_by_hand() {
    let bins = r_bins(&[0.0, 1.0]);
    let cross = |n, pairs| counted(&bins, &[n], PairKind::Cross, pairs);
    let counts = [
        (Term::D1D2, cross(30, 100)),
        (Term::D1R2, cross(40, 200)),
        (Term::R1D2, cross(30, 300)),
        (Term::R1R2, cross(90, 600)),
    ];
    let xi = Estimator::LandySzalayCross.estimate(&TermCounts::new(counts, None));
    // (0.3 - 0.2 - 0.1 + 0.15) / 0.15
    assert_near(&xi.as_ref().unwrap().xi, &[1.0]);
    assert_near(&xi.unwrap().error, &[0.438_853_725_736_255_53]);
    let counts = [
        (Term::DD, cross(30, 100)),
        (Term::DS, cross(40, 200)),
        (Term::SD, cross(30, 300)),
        (Term::SS, cross(90, 600)),
        (Term::RR, cross(100, 400)),
    ];
    let xi = Estimator::ShiftedRandoms.estimate(&TermCounts::new(counts, None));
    assert_near(&xi.as_ref().unwrap().xi, &[0.15 / 0.25]);
    assert_near(&xi.unwrap().error, &[0.277_368_587_502_863]);
}

#[test]
fn empty_bins_give_nan_never_a_number() {
    let bins = r_bins(&[0.0, 1.0, 2.0]);
    let dd = counted(&bins, &[3, 0], PairKind::AutoUnordered, 45);
    let dr = counted(&bins, &[0, 5], PairKind::Cross, 200);
    let rr = counted(&bins, &[0, 5], PairKind::AutoUnordered, 190);
    let counts = TermCounts::new([(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)], None);
    for estimator in [
        Estimator::LandySzalay,
        Estimator::Natural,
        Estimator::DavisPeebles,
        Estimator::Hamilton,
    ] {
        let xi = estimator.estimate(&counts).unwrap();
        assert!(xi.xi[0].is_nan() && xi.error[0].is_nan());
        assert!(
            xi.xi[1].is_finite() && xi.error[1].is_nan(),
            "no data pair, no error"
        );
    }
}

#[test]
fn refusals() {
    let [dd, dr, rr] = small();
    let other = counted(
        r_bins(&[0.0, 1.0, 3.0]),
        &[1, 1],
        PairKind::AutoUnordered,
        45,
    );
    assert_eq!(
        landy_szalay([&dd, &dr, &other]),
        Err(EstimatorError::Bins {
            left: "DD",
            right: "RR"
        })
    );
    let empty = counted(
        r_bins(&[0.0, 1.0, 2.0]),
        &[0, 0],
        PairKind::AutoUnordered,
        0,
    );
    assert_eq!(
        landy_szalay([&empty, &dr, &rr]),
        Err(EstimatorError::EmptyTotal("DD"))
    );
    let sample = Particles::new(albireo::random::in_box(20, 1, [1.0; 3]).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let part = Part { index: 0, of: 3 };
    let part = count_part(&Naive, &job, part, dd.binning(), &Silent).unwrap();
    assert_eq!(
        natural(&dd, &part),
        Err(EstimatorError::Incomplete {
            count: "RR",
            have: 1,
            of: 3
        })
    );
}

#[test]
fn weights_are_normalised_without_self_pairs() {
    let bins = r_bins(&[0.0, 2.0]);
    let count = |weights: Vec<f64>| {
        let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0]]).unwrap();
        let sample = Particles::weighted(points, weights).unwrap();
        let pairs = Pairs::Auto(&sample);
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        count_pairs(&Naive, &job, CountSpec::for_pairs(&bins, pairs), &Silent).unwrap()
    };
    let (dd, rr) = (count(vec![1.0, 3.0]), count(vec![1.0, 1.0]));
    let xi = natural(&dd, &rr).unwrap();
    // One pair is all pairs. W^2/2 would give 3/8, the mean-weight rule (W^2 - W^2/N)/2 gives 3/4.
    assert_eq!(xi.normalised("DD").unwrap(), [1.0]);
    assert_eq!(xi.xi, [0.0]);
    let zero = count(vec![0.0, 3.0]);
    assert_eq!(natural(&zero, &rr), Err(EstimatorError::EmptyTotal("DD")));
}

#[test]
fn orders_counted_twice_change_no_estimate_but_have_half_the_pairs() {
    let bins = r_bins(&[0.0, 1.0]);
    let once = counted(&bins, &[8], PairKind::AutoUnordered, 45);
    let twice = counted(&bins, &[16], PairKind::AutoOrdered, 90);
    let rr = counted(&bins, &[10], PairKind::AutoUnordered, 190);
    let a = natural(&once, &rr).unwrap();
    let b = natural(&twice, &rr).unwrap();
    assert_eq!((a.xi, a.error), (b.xi, b.error));
}

fn correlation(
    axes: [(&'static str, &[f64], AxisUnit); 2],
    xi: &[f64],
    error: &[f64],
) -> Correlation {
    let axis = |(name, edges, unit): (_, &[f64], _)| BinAxis {
        name,
        edges: edges.to_vec(),
        unit,
    };
    Correlation {
        estimator: "natural".into(),
        axes: axes.map(axis).to_vec(),
        xi: xi.to_vec(),
        error: error.to_vec(),
        // As of an estimate whose only noise is that of its data.
        variance: error
            .iter()
            .map(|e| if e.is_nan() { 0.0 } else { e * e })
            .collect(),
        counts: vec![],
        exactness: Exactness::Exact,
    }
}

fn over_mu(mu: &[f64], xi: &[f64], error: &[f64]) -> Correlation {
    let s = ("s", &[0.0, 1.0][..], AxisUnit::Length);
    correlation([s, ("mu", mu, AxisUnit::Dimensionless)], xi, error)
}

fn over_pi(pi: &[f64], xi: &[f64], error: &[f64]) -> Correlation {
    let rp = ("rp", &[0.0, 1.0, 2.0][..], AxisUnit::Length);
    correlation([rp, ("pi", pi, AxisUnit::Length)], xi, error)
}

#[test]
fn wp_sums_over_pi_with_its_widths() {
    let xi = over_pi(
        &[0.0, 1.0, 4.0],
        &[2.0, 0.5, 1.0, -0.25],
        &[0.3, 0.4, 0.1, f64::NAN],
    );
    let wp = projected(&xi).unwrap();
    assert_near(&wp.wp, &[2.0 * (2.0 + 1.5), 2.0 * (1.0 - 0.75)]);
    assert_near(&wp.error, &[2.0 * (0.09f64 + 1.44).sqrt(), 0.2]);
    assert_eq!((wp.axis.name, wp.pi_max), ("rp", 4.0));
    let signed = over_pi(
        &[-4.0, 0.0, 4.0],
        &[1.0, 2.0, f64::NAN, 2.0],
        &[f64::NAN; 4],
    );
    let wp = projected(&signed).unwrap();
    assert_eq!(wp.wp[0], 12.0, "no factor 2 where both signs are there");
    assert!(wp.wp[1].is_nan() && wp.error[0].is_nan());
    assert!(projected(&over_mu(&[0.0, 1.0], &[0.0], &[0.0])).is_err());
    // The integral from -1 to 4 is not the one that the projected correlation function is defined by.
    let lopsided = over_pi(&[-1.0, 0.0, 4.0], &[1.0; 4], &[0.1; 4]);
    assert!(matches!(projected(&lopsided), Err(EstimatorError::Span(_))));
}

#[test]
fn what_was_put_together_by_hand_is_refused_where_it_does_not_fit() {
    let fits = over_pi(&[0.0, 1.0, 4.0], &[1.0; 4], &[0.1; 4]);
    assert!(projected(&fits).is_ok());
    for damage in [
        |xi: &mut Correlation| xi.xi.truncate(3),
        |xi: &mut Correlation| xi.error.truncate(2),
        |xi: &mut Correlation| xi.variance.clear(),
        |xi: &mut Correlation| xi.axes[1].edges.truncate(1),
        |xi: &mut Correlation| xi.axes[0].edges.clear(),
    ] {
        let mut xi = fits.clone();
        damage(&mut xi);
        assert!(matches!(projected(&xi), Err(EstimatorError::Needs(_))));
        // Seen as an array it is flat, or what the axes say.
        assert_eq!(xi.xi_array().len(), xi.xi.len());
    }
    let step = over_mu(&[0.0, 0.5, 1.0], &[0.0, 1.0], &[0.3, 0.4]);
    assert!(multipoles(&step, &[u32::MAX]).is_err());
}

#[test]
fn legendre_polynomials() {
    let x: f64 = 0.3;
    assert_near(
        &[0, 1, 2, 3, 4].map(|ell| legendre(ell, x)),
        &[
            1.0,
            x,
            (3.0 * x * x - 1.0) / 2.0,
            (5.0 * x.powi(3) - 3.0 * x) / 2.0,
            (35.0 * x.powi(4) - 30.0 * x * x + 3.0) / 8.0,
        ],
    );
}

#[test]
fn multipoles_integrate_exactly() {
    // xi = 1 for mu >= 1/2: integrals of L_2 = (mu^3 - mu)/2 and L_4 = (7 mu^5 - 10 mu^3 + 3 mu)/8.
    let step = over_mu(&[0.0, 0.5, 1.0], &[0.0, 1.0], &[0.3, 0.4]);
    let poles = multipoles(&step, &[0, 2, 4]).unwrap().poles;
    let l4 = (7.0 / 32.0 - 10.0 / 8.0 + 1.5) / 8.0;
    assert_near(
        &poles.iter().map(|pole| pole.xi[0]).collect::<Vec<_>>(),
        &[0.5, 5.0 * 0.1875, -9.0 * l4],
    );
    assert_near(&poles[0].error, &[0.25]);
    // A constant has a monopole only; L_2 at the bin centres would give -5/32.
    let constant = over_mu(&[0.0, 0.5, 1.0], &[0.7, 0.7], &[0.1, 0.1]);
    let poles = multipoles(&constant, &[0, 2, 4]).unwrap().poles;
    for (pole, expected) in poles.iter().zip([0.7, 0.0, 0.0]) {
        assert!((pole.xi[0] - expected).abs() < 1e-15);
    }
}

#[test]
fn signed_multipoles() {
    let odd = over_mu(&[-1.0, 0.0, 1.0], &[-1.0, 1.0], &[0.1, 0.1]);
    let poles = multipoles(&odd, &[0, 1, 2, 3]).unwrap().poles;
    // The sign function: 3 * 1/2, and 7 times the integral of L_3 from 0 to 1, which is -1/8.
    let xi: Vec<f64> = poles.iter().map(|pole| pole.xi[0]).collect();
    assert_near(&xi, &[0.0, 1.5, 0.0, -7.0 / 8.0]);
}

#[test]
fn multipoles_need_all_of_mu() {
    for mu in [[0.0, 0.9], [0.1, 1.0], [-0.5, 1.0]] {
        let xi = over_mu(&mu, &[0.0], &[0.0]);
        assert!(matches!(
            multipoles(&xi, &[0]),
            Err(EstimatorError::Span(_))
        ));
    }
    let unsigned = over_mu(&[0.0, 1.0], &[0.0], &[0.0]);
    assert!(matches!(
        multipoles(&unsigned, &[1]),
        Err(EstimatorError::Span(_))
    ));
    assert!(multipoles(&over_pi(&[0.0, 1.0], &[0.0; 2], &[0.0; 2]), &[0]).is_err());
}

#[test]
fn analytic_volumes_by_hand() {
    let pi = std::f64::consts::PI;
    let domain = Domain::Periodic(PeriodicBox::new([Some(4.0), Some(5.0), Some(10.0)]).unwrap());
    let edges = |values: &[f64]| Edges::new(values.to_vec()).unwrap();
    let signed = |values: &[f64]| SignedEdges::new(values.to_vec()).unwrap();
    let z = LineOfSight::Fixed(Axis::Z);
    let rr = AnalyticRr::new(RBins::new(edges(&[1.0, 2.0])), &domain).unwrap();
    assert_near(rr.fractions(), &[4.0 / 3.0 * pi * 7.0 / 200.0]);
    let s_mu = |mu: &[f64]| {
        let bins = SMuBins::new(edges(&[1.0, 2.0]), signed(mu), z).unwrap();
        AnalyticRr::new(&bins, &domain)
            .unwrap()
            .fractions()
            .to_vec()
    };
    let shell = 4.0 / 3.0 * pi * 7.0 / 200.0;
    assert_near(&s_mu(&[0.0, 0.25, 1.0]), &[0.25 * shell, 0.75 * shell]);
    assert_near(&s_mu(&[-1.0, 0.5, 1.0]), &[0.75 * shell, 0.25 * shell]);
    let rp_pi = |edges_pi: &[f64]| {
        let bins = RpPiBins::new(edges(&[0.0, 1.0, 2.0]), signed(edges_pi), z).unwrap();
        AnalyticRr::new(&bins, &domain)
            .unwrap()
            .fractions()
            .to_vec()
    };
    assert_near(
        &rp_pi(&[0.0, 2.0, 5.0]),
        &[4.0, 6.0, 12.0, 18.0].map(|v| v * pi / 200.0),
    );
    assert_near(&rp_pi(&[-2.0, 5.0]), &[7.0, 21.0].map(|v| v * pi / 200.0));
}

#[test]
fn analytic_rr_is_refused_where_no_formula_holds() {
    let cube = Domain::Periodic(PeriodicBox::cubic(10.0).unwrap());
    let refused =
        |bins: &RBins, domain: &Domain| AnalyticRr::new(bins, domain).unwrap_err().to_string();
    let near = r_bins(&[0.0, 5.0]);
    assert!(AnalyticRr::new(&near, &cube).is_ok());
    assert!(refused(&r_bins(&[0.0, 5.1]), &cube).contains("half the box"));
    assert!(refused(&near, &Domain::Open).contains("periodic on all axes"));
    let slab = PeriodicBox::new([Some(10.0), None, Some(10.0)]).unwrap();
    assert!(refused(&near, &Domain::Periodic(slab)).contains("periodic on all axes"));
    let sheared = Lattice::new([[10.0, 0.0, 0.0], [5.0, 8.0, 0.0], [0.0, 0.0, 10.0]]).unwrap();
    let reach = sheared.reach();
    let sheared = Domain::Triclinic(sheared);
    assert!(AnalyticRr::new(r_bins(&[0.0, reach]), &sheared).is_ok());
    assert!(refused(&r_bins(&[0.0, reach + 0.1]), &sheared).contains("reach"));
    let mu = SignedEdges::linear(0.0, 1.0, 2).unwrap();
    let survey = SMuBins::new(
        Edges::linear(0.0, 1.0, 1).unwrap(),
        mu,
        LineOfSight::Midpoint,
    )
    .unwrap();
    assert!(AnalyticRr::new(&survey, &cube).is_err());
    let theta = ThetaBins::new(Edges::linear(0.0, 1.0, 1).unwrap()).unwrap();
    assert!(AnalyticRr::new(&theta, &cube).is_err());
}

#[test]
fn what_comes_from_approximate_counts_is_approximate() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let bins = RBins::new(Edges::linear(0.0, 0.5, 4).unwrap());
    let sample = Particles::new(random::in_domain(50, 3, &domain).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let exact = count_pairs(&Naive, &job, &bins, &Silent).unwrap();
    let approximate = exact.clone().with_exactness(Exactness::Approximate);
    let rr = AnalyticRr::new(&bins, &domain).unwrap();
    let xi = |dd: &Counts| {
        let counts = TermCounts::new([(Term::DD, dd)], Some(rr.clone()));
        Estimator::Natural.estimate(&counts).unwrap().exactness
    };
    assert_eq!(xi(&exact), Exactness::Exact);
    assert_eq!(xi(&approximate), Exactness::Approximate);
    let mixed = natural(&exact, &approximate).unwrap();
    assert_eq!(mixed.exactness, Exactness::Approximate);
    let space = Space::of_volume(1.0).unwrap();
    let add = |partials: &mut Partials, counts: &Counts| {
        partials.add_frame(&Frame {
            counts: std::slice::from_ref(counts),
            particles: &[50],
            excluded: &[],
            space: &space,
            weight: 1.0,
        })
    };
    let mut frames = Partials::new(&bins, Species::within(1)).unwrap();
    let mut others = frames.emptied();
    add(&mut frames, &exact).unwrap();
    let refusal = add(&mut frames, &approximate).unwrap_err();
    assert!(refusal.to_string().contains("all exact or all approximate"));
    add(&mut others, &approximate).unwrap();
    assert!(frames.merge(&others).is_err());
}
