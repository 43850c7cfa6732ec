//! Window multipoles against a plain loop, and integral constraints against sums by hand.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::error::EstimatorError;
use albireo::estimators::{
    IntegralConstraint, PowerLaw, legendre, legendre_degrees, window_multipoles,
};
use albireo::tally::LegendreDegrees;
use albireo::{
    Axis, CountSpec, Counts, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, RBins,
    SMuBins, SignedEdges, random,
};

fn slab() -> Particles {
    Particles::new(random::in_box(300, 4, [1.0, 1.0, 0.3]).unwrap())
}

fn counted(mu: usize, degrees: LegendreDegrees) -> Counts {
    let (s, mu) = (
        Edges::linear(0.0, 0.4, 2).unwrap(),
        SignedEdges::linear(0.0, 1.0, mu).unwrap(),
    );
    let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap();
    let randoms = slab();
    let job = PairJob::new(Pairs::Auto(&randoms), &Domain::Open).unwrap();
    let what = CountSpec::new(bins).with_legendre(degrees);
    count_pairs(&Cpu::new(), &job, what, &Silent).unwrap()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

/// `(sum (2l+1) L_l, sum ((2l+1) L_l)^2)` over the pairs of a shell.
fn sums(ell: u32, shell: [f64; 2]) -> [f64; 2] {
    let randoms = slab();
    let mut sums = [0.0; 2];
    for i in 0..300 {
        for j in 0..i {
            let (p, q) = (randoms.points().at(i), randoms.points().at(j));
            let s = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
            if s >= shell[0] && s < shell[1] {
                let term = f64::from(2 * ell + 1) * legendre(ell, (p[2] - q[2]) / s);
                sums[0] += term;
                sums[1] += term * term;
            }
        }
    }
    sums
}

#[test]
fn windows_are_those_of_a_loop() {
    let degrees = legendre_degrees(&[0, 2, 4]).unwrap();
    let exact = counted(1, degrees);
    let (fine, volume) = (counted(4000, LegendreDegrees::default()), 0.3);
    let window = window_multipoles(&exact, Some(volume), &[0, 2, 4]).unwrap();
    let bins = window_multipoles(&fine, Some(volume), &[0, 2, 4]).unwrap();
    let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
    for (k, shell) in [[0.0, 0.2], [0.2, 0.4]].into_iter().enumerate() {
        let scale = volume / (ball(shell[1]) - ball(shell[0])) / (300.0 * 299.0 / 2.0);
        for (pole, coarse) in window.poles.iter().zip(&bins.poles) {
            let [sum, square] = sums(pole.ell, shell);
            near(pole.q[k], sum * scale, 1e-8);
            near(pole.error[k], square.sqrt() * scale, 1e-8);
            near(coarse.q[k], pole.q[k], 1e-3);
            near(coarse.error[k], pole.error[k], 1e-3);
        }
    }
    assert!(window.poles[1].q[1] < -0.1 && (0.2..1.0).contains(&window.poles[0].q[0]));
    // Without a volume the innermost bin has 1, and all else the same ratio.
    let unit = window_multipoles(&exact, None, &[2, 0]).unwrap();
    assert_eq!((unit.poles[0].ell, unit.poles[1].q[0]), (2, 1.0));
    near(
        unit.poles[0].q[1],
        window.poles[1].q[1] / window.poles[0].q[0],
        1e-13,
    );
    near(unit.volume, volume / window.poles[0].q[0], 1e-13);
    // Degrees beyond the sums for their errors are known, and their errors are not.
    let few = counted(1, legendre_degrees(&[2]).unwrap());
    let pole = window_multipoles(&few, None, &[4]).unwrap().poles.remove(0);
    assert!(pole.q[0].is_finite() && pole.error[0].is_nan());
}

#[test]
fn windows_that_cannot_be_had_are_refused() {
    let plain = counted(1, LegendreDegrees::default());
    let refused = |volume, ells: &[u32]| {
        window_multipoles(&plain, volume, ells)
            .unwrap_err()
            .to_string()
    };
    for (found, words) in [
        (
            refused(None, &[2]),
            "degree 2 needs bins in mu, or the Legendre sums",
        ),
        (
            refused(Some(-1.0), &[0]),
            "volume of a window is above 0, found -1",
        ),
        (refused(None, &[20_000]), "at most 10000, found 20000"),
        (
            window_multipoles(&counted(4, LegendreDegrees::default()), None, &[1])
                .unwrap_err()
                .to_string(),
            "odd degree 1 needs signed mu bins",
        ),
    ] {
        assert!(found.contains(words), "{found}");
    }
    let randoms = slab();
    let job = PairJob::new(Pairs::Auto(&randoms), &Domain::Open).unwrap();
    let r = RBins::new(Edges::linear(0.0, 0.4, 2).unwrap());
    let rr = count_pairs(&Naive, &job, &r, &Silent).unwrap();
    assert!(matches!(
        window_multipoles(&rr, None, &[0]),
        Err(EstimatorError::Needs(_))
    ));
}

#[test]
fn integral_constraints_by_hand() {
    let ic = IntegralConstraint::new(&[0.2, 0.0, 0.3], &[4.0, f64::NAN, -1.0]).unwrap();
    near(ic.value, (0.8 - 0.3) / 0.5, 1e-15);
    near(ic.covered, 0.5, 1e-15);
    for (rr, model) in [
        (&[0.2][..], &[1.0, 2.0][..]),
        (&[0.2, 0.1], &[1.0, f64::INFINITY]),
        (&[0.0, 0.0], &[1.0, 1.0]),
        (&[], &[]),
    ] {
        assert!(matches!(
            IntegralConstraint::new(rr, model),
            Err(EstimatorError::Needs(_))
        ));
    }
    // Two bins fitted with different errors: A = sum y g/v / sum g^2/v with g = x^-2 - C, C = (0.5*1 + 0.25*0.25 + 0.25*0.0625)/1.
    let (rr, x) = ([0.5, 0.25, 0.25], [1.0, 2.0, 4.0]);
    let c = 0.5 + 0.0625 + 0.015_625;
    let g = [1.0 - c, 0.25 - c, 0.0625 - c];
    let (xi, error) = ([2.0, -0.5, f64::NAN], [0.1, 0.2, 0.1]);
    let fit = PowerLaw::fit(&rr, &x, 2.0, &xi, &error, |_| true).unwrap();
    let squares = g[0] * g[0] / 0.01 + g[1] * g[1] / 0.04;
    let a = (2.0 * g[0] / 0.01 - 0.5 * g[1] / 0.04) / squares;
    near(fit.amplitude, a, 1e-14);
    near(fit.amplitude_error, 1.0 / squares.sqrt(), 1e-14);
    near(
        fit.chi2,
        (2.0 - a * g[0]).powi(2) / 0.01 + (-0.5 - a * g[1]).powi(2) / 0.04,
        1e-12,
    );
    near(fit.constraint.value, a * c, 1e-14);
    assert_eq!((fit.bins, fit.slope), (2, 2.0));
    let one = PowerLaw::fit(&rr, &x, 2.0, &xi, &error, |k| k == 0).unwrap();
    near(one.amplitude, 2.0 / g[0], 1e-14);
    assert!(PowerLaw::fit(&rr, &x, 2.0, &xi, &error, |k| k == 2).is_err());
}
