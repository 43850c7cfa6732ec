//! What becomes of xi over two axes, against sums by hand: wedges of xi(s, mu), wp over a part of the bins.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::estimators::assert_near;

use albireo::Correlation;
use albireo::binning::{AxisUnit, BinAxis};
use albireo::engine::Exactness;
use albireo::error::EstimatorError;
use albireo::estimators::{multipoles, projected, projected_to, wedges};

fn correlation(axes: [(&'static str, &[f64]); 2], xi: &[f64], error: &[f64]) -> Correlation {
    let axis = |(name, edges): (&'static str, &[f64])| BinAxis::new(name, edges, AxisUnit::Length);
    Correlation {
        estimator: "natural".into(),
        axes: axes.map(axis).to_vec(),
        xi: xi.to_vec(),
        error: error.to_vec(),
        variance: error
            .iter()
            .map(|e| if e.is_nan() { 0.0 } else { e * e })
            .collect(),
        counts: vec![],
        exactness: Exactness::Exact,
    }
}

fn over_mu(mu: &[f64], xi: &[f64], error: &[f64]) -> Correlation {
    correlation([("s", &[0.0, 1.0, 2.0]), ("mu", mu)], xi, error)
}

#[test]
fn wedges_are_means_over_their_part_of_mu() {
    let xi = over_mu(
        &[0.0, 0.2, 0.5, 1.0],
        &[1.0, 2.0, 4.0, -1.0, 0.5, f64::NAN],
        &[0.1, 0.2, 0.3, 0.1, f64::NAN, f64::NAN],
    );
    // On edges of bins: what the mean over the bins with their widths is.
    let found = wedges(&xi, &[0.0, 0.5, 1.0]).unwrap();
    let [low, high] = &found.wedges[..] else {
        panic!("two wedges")
    };
    assert_eq!(
        (low.mu, high.mu, found.axis.name),
        ([0.0, 0.5], [0.5, 1.0], "s")
    );
    assert_near(
        &low.xi,
        &[(0.2 + 2.0 * 0.3) / 0.5, (-0.2 + 0.5 * 0.3) / 0.5],
    );
    assert_near(&low.error, &[(0.0004f64 + 0.0036).sqrt() / 0.5, 0.02 / 0.5]);
    assert_near(&high.xi[..1], &[4.0]);
    assert!(high.xi[1].is_nan() && high.error[1].is_nan());
    assert_eq!(found.xi_array()[[1, 0]], 4.0);
    assert_near(&found.error_array().row(0).to_vec(), &low.error);
    // Within bins: each has the part of its width that lies in the wedge.
    let found = wedges(&xi, &[0.1, 0.3, 0.6]).unwrap();
    assert_near(&found.wedges[0].xi, &[1.5, -0.25]);
    assert_near(&found.wedges[1].xi[..1], &[(2.0 * 0.2 + 4.0 * 0.1) / 0.3]);
    assert!(found.wedges[1].xi[1].is_nan());
    // A bin beside the wedge takes no part, NaN or not.
    assert_near(&wedges(&xi, &[0.2, 0.5]).unwrap().wedges[0].xi, &[2.0, 0.5]);
    assert!(wedges(&xi, &[0.2, 0.5]).unwrap().wedges[0].error[1].is_nan());
    // All of mu is the monopole.
    let all = wedges(&xi, &[0.0, 1.0]).unwrap();
    let pole = multipoles(&xi, &[0]).unwrap();
    assert_near(&all.wedges[0].xi[..1], &pole.poles[0].xi[..1]);
    assert_near(&all.wedges[0].error[..1], &pole.poles[0].error[..1]);
}

#[test]
fn wedges_of_signed_bins_tell_the_sides_apart() {
    let xi = over_mu(&[-1.0, 0.0, 1.0], &[1.0, 2.0, 3.0, 5.0], &[0.1; 4]);
    let found = wedges(&xi, &[-1.0, -0.5, 0.5, 1.0]).unwrap();
    let of = |k: usize| found.wedges[k].xi.clone();
    assert_near(&of(0), &[1.0, 3.0]);
    assert_near(&of(1), &[1.5, 4.0]);
    assert_near(&of(2), &[2.0, 5.0]);
}

#[test]
fn wedges_that_cannot_be_had_are_refused() {
    let xi = over_mu(&[0.0, 0.5, 0.9], &[1.0; 4], &[0.1; 4]);
    for (edges, words) in [
        (&[0.0][..], "at least 2 edges in mu, found 1"),
        (&[], "found 0"),
        (&[0.0, 0.5, 0.5], "must rise, found 0.5 before 0.5"),
        (&[0.0, f64::NAN], "must rise, found 0 before NaN"),
        (
            &[0.0, 1.0],
            "from 0 to 1 in mu need bins there, found those from 0 to 0.9",
        ),
        (&[-0.1, 0.5], "from -0.1 to 0.5"),
    ] {
        let refusal = wedges(&xi, edges).unwrap_err();
        assert!(matches!(refusal, EstimatorError::Span(_)), "{refusal}");
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
    let wp = correlation([("rp", &[0.0, 1.0]), ("pi", &[0.0, 1.0])], &[1.0], &[0.1]);
    assert!(matches!(
        wedges(&wp, &[0.0, 1.0]),
        Err(EstimatorError::Needs(_))
    ));
}

#[test]
fn wp_sums_up_to_the_pi_that_is_asked_for() {
    let rp = ("rp", &[0.0, 1.0][..]);
    let xi = correlation(
        [rp, ("pi", &[0.0, 1.0, 4.0, 5.0])],
        &[2.0, 0.5, f64::NAN],
        &[0.3, 0.4, 0.1],
    );
    let wp = projected_to(&xi, Some(4.0)).unwrap();
    assert_near(&wp.wp, &[2.0 * (2.0 + 1.5)]);
    assert_near(&wp.error, &[2.0 * (0.09f64 + 1.44).sqrt()]);
    assert_eq!(wp.pi_max, 4.0);
    assert!(projected(&xi).unwrap().wp[0].is_nan());
    assert_eq!(
        projected_to(&xi, Some(5.0)).unwrap().pi_max,
        projected(&xi).unwrap().pi_max
    );
    let signed = correlation(
        [rp, ("pi", &[-4.0, -1.0, 0.0, 1.0, 4.0])],
        &[f64::NAN, 1.0, 3.0, 9.0],
        &[0.1; 4],
    );
    assert_near(&projected_to(&signed, Some(1.0)).unwrap().wp, &[4.0]);
    for (xi, pi_max) in [
        (&xi, 2.0),
        (&xi, 0.0),
        (&xi, f64::NAN),
        (&xi, 6.0),
        (&signed, -1.0),
    ] {
        let refusal = projected_to(xi, Some(pi_max)).unwrap_err();
        assert!(
            refusal
                .to_string()
                .contains("as an edge of the pi bins, found 1, 4"),
            "{refusal}"
        );
    }
    let lopsided = correlation(
        [rp, ("pi", &[-4.0, -2.0, 0.0, 1.0, 4.0])],
        &[1.0; 4],
        &[0.1; 4],
    );
    assert!(projected_to(&lopsided, Some(1.0)).is_err(), "-1 is no edge");
}
