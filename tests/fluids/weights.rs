//! Frames that count for more or less than others.

use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};

use super::{assert_close, counts, cube, gas, r_bins};

fn of(frames: &[(u64, f64)]) -> Partials {
    let bins = r_bins(0.0, 0.5, 6);
    let mut partials = Partials::new(&bins, Species::within(1)).unwrap();
    for &(seed, weight) in frames {
        // Numbers and volumes change from frame to frame.
        let (n, length) = (80 + 10 * seed, 1.0 + 0.05 * seed as f64);
        let rows = gas(n as usize, seed, [length; 3]);
        let space = Space::of_volume(length.powi(3)).unwrap();
        let frame = Frame {
            counts: &[counts(&rows, &cube(length), &bins)],
            particles: &[n],
            excluded: &[],
            space: &space,
            weight,
        };
        partials.add_frame(&frame).unwrap();
    }
    partials
}

#[test]
fn a_frame_of_weight_three_is_three_frames() {
    let weighted = of(&[(1, 3.0), (2, 1.0), (3, 2.0)]);
    let repeated = of(&[(1, 1.0), (1, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (3, 1.0)]);
    for norm in Normalisation::ALL {
        let g = |of: &Partials| of.g([0, 0], norm).unwrap();
        assert_close(&g(&weighted), &g(&repeated), 1e-14);
    }
    let n = |of: &Partials| of.coordination([0, 0]).unwrap();
    assert_close(&n(&weighted), &n(&repeated), 1e-14);
    assert_eq!(weighted.frames(), 3);
    assert!((weighted.effective_frames() - 36.0 / 14.0).abs() < 1e-14);
}

#[test]
fn a_common_factor_of_all_weights_changes_nothing_but_sums() {
    let (plain, tripled) = (of(&[(1, 1.0), (2, 1.0)]), of(&[(1, 3.0), (2, 3.0)]));
    let g = |of: &Partials| of.g([0, 0], Normalisation::Pairs).unwrap();
    let error = |of: &Partials| of.poisson_error([0, 0]).unwrap();
    assert_close(&g(&tripled), &g(&plain), 1e-14);
    // As many pairs, as many frames: the error is the same.
    for (a, b) in error(&tripled).iter().zip(error(&plain)) {
        assert!(a.is_nan() && b.is_nan() || (a - b).abs() < 1e-14 * b);
    }
    assert_eq!(
        tripled.npairs([0, 0]).unwrap(),
        plain.npairs([0, 0]).unwrap()
    );
}
