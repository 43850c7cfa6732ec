//! Terms against their formulas.

use super::*;
use albireo_simd::Scalar32;

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
            (ewald.roundings(2f64.powi(-53)) * 2f64.powi(-53) + ewald.looked_up())
                * ewald.largest(1.0, 0.0),
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

/// Natural splines in the textbook's form: bends by elimination, the value by the two nodes around.
fn spline(nodes: &[f64], values: &[f64], r: f64) -> f64 {
    let n = nodes.len();
    let h = (nodes[n - 1] - nodes[0]) / (n - 1) as f64;
    let (mut share, mut bend) = (vec![0.0; n], vec![0.0; n]);
    for k in 1..n - 1 {
        let pivot = share[k - 1] / 2.0 + 2.0;
        share[k] = -0.5 / pivot;
        let second = (values[k + 1] - 2.0 * values[k] + values[k - 1]) / (h * h);
        bend[k] = (3.0 * second - bend[k - 1] / 2.0) / pivot;
    }
    for k in (1..n - 1).rev() {
        bend[k] += share[k] * bend[k + 1];
    }
    let r = r.max(nodes[0]);
    let k = ((0..n - 2).rfind(|&k| nodes[k] <= r))
        .map_or(0, |k| if r < nodes[n - 2] { k } else { n - 2 });
    let b = (r - nodes[k]) / h;
    let a = 1.0 - b;
    let cubic = (a * a * a - a) * bend[k] + (b * b * b - b) * bend[k + 1];
    a * values[k] + b * values[k + 1] + cubic * h * h / 6.0
}

/// Tables of any first node and step: at and below the first node, at each node and beside it, and between.
#[test]
fn random_tables_are_their_splines_from_the_first_node_to_the_last() {
    let stream = albireo::random::Stream::new(11);
    let mut number = 0;
    let mut drawn = || {
        number += 1;
        stream.uniform(number)
    };
    for table in 0..6000 {
        let n = 3 + (drawn() * 30.0) as usize;
        let first = 10f64.powf(4.0 * drawn() - 2.0);
        let step = 10f64.powf(4.0 * drawn() - 2.0);
        let nodes: Vec<f64> = (0..n).map(|k| first + step * k as f64).collect();
        let values: Vec<f64> = (0..n).map(|_| 2.0 * drawn() - 1.0).collect();
        let term = Term::table(Table::new(&nodes, &values).unwrap());
        let bound = 2f64.powi(-53) * term.roundings(2f64.powi(-53)) * term.largest(1.0, 1e-9);
        let last = nodes[n - 1];
        let between = (0..n).map(|_| first + drawn() * (last - first));
        let beside = nodes.iter().flat_map(|r| [r.next_down(), *r, r.next_up()]);
        for r in beside.chain(between).chain([0.0, first / 2.0]) {
            let expected = if r < last {
                spline(&nodes, &values, r)
            } else {
                0.0
            };
            let found = term.value(r);
            assert!(
                (found - expected).abs() <= bound + 1e-14,
                "table {table} of {n} nodes from {first} by {step} at {r}: {found} for {expected}"
            );
        }
    }
    let nodes: Vec<f64> = (0..20).map(|k| 0.08 + 0.13 * f64::from(k)).collect();
    let values: Vec<f64> = nodes.iter().map(|r| 1.0 / r).collect();
    let term = Term::table(Table::new(&nodes, &values).unwrap());
    assert!(
        (term.value(0.05) - 12.5).abs() < 1e-12,
        "{}",
        term.value(0.05)
    );
}

/// A bracket that is nearly nothing at `r_min` is mostly roundings, beside the largest term too.
#[test]
fn smooth_ends_near_the_least_distance_are_within_their_bound() {
    let stream = albireo::random::Stream::new(12);
    let unit = [2f64.powi(-53), 2f64.powi(-24)];
    for (k, share) in [0.01, 0.5, 11.5 / 12.0, 0.999, 0.999_99, 1.0 - 1e-12]
        .into_iter()
        .enumerate()
    {
        let (rc, r_min) = (12.0, 12.0 * share);
        let term = Term::coulomb(Cutoff::Smooth(rc), r_min).unwrap();
        for draw in 0..20_000 {
            let r = r_min + (rc - r_min) * stream.child(k as u64).uniform(draw);
            // In long form: (rc - r)(rc + r) has no roundings to speak of.
            let exact = ((rc - r) * (rc + r) / (rc * rc)).powi(2) / r;
            let bound = term.roundings(unit[0]) * unit[0] * term.largest(1.0, 1e-9);
            let found = term.value(r);
            assert!(
                (found - exact).abs() <= bound,
                "{share} {r}: {found} for {exact}"
            );
            assert!(found <= term.largest(1.0, 1e-9), "{share} {r}");
            let single = f64::from(of_single(&term, r));
            let bound = term.roundings(unit[1]) * unit[1] * term.largest(1.0, 1e-4);
            assert!(
                (single - exact).abs() <= bound,
                "{share} {r}: {single} for {exact}"
            );
            assert!(single <= term.largest(1.0, 1e-4), "{share} {r}");
        }
    }
}

/// A term in float32.
fn of_single(term: &Term, r: f64) -> f32 {
    struct At(f64, f64);
    impl ForProfile for At {
        type Output = f32;
        fn with<P: Profile>(self, profile: P) -> f32 {
            let r2 = (self.0 * self.0) as f32;
            profile.of(Scalar32, Scalar32.max(r2, (self.1 * self.1) as f32))
        }
    }
    term.clone().with_profile(At(r, term.r_min()))
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
