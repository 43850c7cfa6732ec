//! Terms against their formulas.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;

#[test]
fn profiles_are_their_formulas() {
    let near = |found: f64, expected: f64| {
        assert!(
            (found - expected).abs() <= 1e-14 * expected.abs(),
            "{found} for {expected}"
        );
    };
    let smooth = Term::coulomb(Cutoff::Smooth(3.0), 0.5).unwrap();
    let sharp = Term::coulomb(Cutoff::Sharp(3.0), 0.5).unwrap();
    let bare = Term::coulomb(Cutoff::None, 0.5).unwrap();
    let spline = Term::spline(2.0).unwrap();
    for r in [0.5, 0.7, 1.0, 1.1, 1.9, 2.5] {
        near(bare.value(r), 1.0 / r);
        near(sharp.value(r), 1.0 / r);
        near(smooth.value(r), (1.0 - r * r / 9.0).powi(2) / r);
        let x = r / 2.0;
        let w = if x < 0.5 {
            1.0 - 6.0 * x * x + 6.0 * x.powi(3)
        } else {
            2.0 * (1.0f64 - x).max(0.0).powi(3)
        };
        let expected = w / std::f64::consts::PI;
        assert!((spline.value(r) - expected).abs() < 1e-15);
    }
    assert_eq!((sharp.value(3.0), bare.value(0.1)), (0.0, bare.value(0.5)));
    assert!(sharp.value(3.0f64.next_down()) > 0.3);
    let top_hat = Term::top_hat(2.0).unwrap();
    near(top_hat.value(1.99), 3.0 / (32.0 * std::f64::consts::PI));
    assert_eq!(top_hat.value(2.0), 0.0);
}

/// A density holds its source once.
#[test]
fn densities_are_normalised() {
    for term in [
        Term::top_hat(1.5).unwrap(),
        Term::spline(1.5).unwrap(),
        Term::gaussian(0.17, 1.5).unwrap(),
    ] {
        let n = 20_000;
        let h = 1.5 / f64::from(n);
        let shell = |k: u32| {
            let r = (f64::from(k) + 0.5) * h;
            4.0 * std::f64::consts::PI * r * r * h * term.value(r)
        };
        let mass: f64 = (0..n).map(shell).sum();
        assert!((mass - 1.0).abs() < 1e-8, "{mass}");
    }
}

#[test]
fn terms_without_meaning_are_refused() {
    for (cutoff, r_min) in [
        (Cutoff::None, 0.0),
        (Cutoff::None, f64::NAN),
        (Cutoff::Smooth(-1.0), 0.1),
        (Cutoff::Smooth(f64::INFINITY), 0.1),
        (Cutoff::Sharp(0.1), 0.1),
    ] {
        assert!(Term::coulomb(cutoff, r_min).is_err(), "{cutoff:?} {r_min}");
    }
    assert!(Term::top_hat(0.0).is_err());
    assert!(Term::spline(f64::NAN).is_err());
}

#[test]
fn further_profiles_are_their_formulas() {
    let near = |found: f64, expected: f64, bound: f64| {
        assert!((found - expected).abs() <= bound, "{found} for {expected}");
    };
    let ewald = Term::ewald(0.35, 9.0, 0.2).unwrap();
    let lj = Term::lennard_jones(9.0, 0.8).unwrap();
    let gaussian = Term::gaussian(1.3, 8.0).unwrap();
    for k in 1..900 {
        let r = f64::from(k) / 100.0;
        let held = r.max(0.2);
        near(
            ewald.value(r),
            libm::erfc(0.35 * held) / held,
            (ewald.roundings() * 2f64.powi(-53) + ewald.looked_up()) * ewald.largest(1.0, 0.0),
        );
        let t = r.max(0.8).powi(-6);
        near(lj.value(r), 4.0 * (t * t - t), 1e-13 * lj.largest(1.0, 0.0));
        let expected = if r < 8.0 {
            libm::exp(-r * r / (2.0 * 1.3 * 1.3)) / (2.0 * PI * 1.3 * 1.3).powf(1.5)
        } else {
            0.0
        };
        near(gaussian.value(r), expected, 1e-15);
    }
    assert_eq!(
        (ewald.value(9.0), lj.value(9.0), gaussian.value(8.0)),
        (0.0, 0.0, 0.0)
    );
    let cloud = Term::cloud_in_cell([2.0, 1.0, 4.0]).unwrap();
    let triangle = Term::triangular_cloud([2.0, 1.0, 4.0]).unwrap();
    near(cloud.value(0.5), 0.75 / 8.0, 1e-16);
    near(
        triangle.value(0.5),
        (0.75 - 0.0625) * 0.75 * 0.75 / 8.0,
        1e-16,
    );
    near(triangle.value(2.0), 0.125 * 0.75 * 0.75 / 8.0, 1e-16);
    assert_eq!((cloud.value(2.0), triangle.value(3.0)), (0.0, 0.0));
    assert!(cloud.is_product() && cloud.reach() == 4.0 && triangle.reach() == 6.0);
}

#[test]
fn tables_are_splines_that_end() {
    let r: Vec<f64> = (1..=80).map(|k| f64::from(k) * 0.1).collect();
    let values: Vec<f64> = r.iter().map(|r| libm::sin(*r)).collect();
    let term = Term::table(Table::new(&r, &values).unwrap());
    for k in 10..700 {
        let r = f64::from(k) / 100.0 + 0.003;
        // Half a step from nodes a cubic is off by 5/384 h^4; less at its ends, where the spline is straight.
        assert!((term.value(r) - libm::sin(r)).abs() < 2e-6 + if k < 40 { 1e-3 } else { 0.0 });
    }
    assert!(
        (term.value(0.01) - values[0]).abs() < 1e-14,
        "as at the first node"
    );
    assert_eq!((term.value(8.0), term.reach()), (0.0, 8.0));
    assert!((term.value(7.999_999) - values[79]).abs() < 1e-5);
}

#[test]
fn further_terms_without_meaning_are_refused() {
    assert!(Term::ewald(1.0, 7.0, 0.1).is_err(), "nothing is left at 7");
    assert!(Term::ewald(0.0, 7.0, 0.1).is_err());
    assert!(Term::ewald(0.3, 7.0, 7.0).is_err());
    assert!(Term::lennard_jones(1.0, 2.0).is_err());
    assert!(Term::gaussian(1.0, 9.5).is_err());
    assert!(Term::gaussian(f64::INFINITY, 9.0).is_err());
    assert!(Term::cloud_in_cell([1.0, 0.0, 1.0]).is_err());
    assert!(Term::triangular_cloud([f64::NAN; 3]).is_err());
}
