//! g of open volumes, whose random pairs stand for the walls.

use albireo::estimators::fluid::{Normalisation, Partials, Space, Species};
use albireo::{AnalyticRr, Domain};

use crate::fluids::{add, assert_close, counts, cube, gas, r_bins};

#[test]
fn randoms_stand_for_walls() {
    let bins = r_bins(0.0, 0.5, 5);
    let rr = AnalyticRr::new(&bins, &cube(1.0)).unwrap();
    let space = Space::of_randoms(&bins, &rr, 1.0).unwrap();
    let kept = space.kept().unwrap();
    assert_close(kept, &[1.0; 5], 1e-14);
    // A gas in an open square: rings are cut by its walls, for randoms as for the gas.
    let wide = r_bins(0.0, 1.2, 6);
    let flat = |n: usize, seed: u64| {
        let rows = gas(n, seed, [1.0, 1.0, 0.0]);
        counts(&rows, &Domain::Open, &wide)
    };
    let randoms = flat(2500, 1);
    let space = Space::of_randoms_in_plane(&wide, &randoms, 1.0).unwrap();
    assert!(space.kept().unwrap()[4] < 0.5, "far pairs are rare");
    let mut g = Partials::in_plane(&wide, Species::within(1));
    (0..10).for_each(|seed| add(&mut g, &[flat(200, 10 + seed)], &[200], &space));
    let values = g.g([0, 0], Normalisation::Pairs).unwrap();
    // Far pairs share the few particles in corners, whose number is what is uncertain.
    for (g, off) in values.iter().zip([0.02, 0.02, 0.02, 0.02, 0.05, 0.15]) {
        assert!((g - 1.0).abs() < off, "{values:?}");
    }
    // Another area changes densities alone.
    let other = Space::of_randoms_in_plane(&wide, &randoms, 7.0).unwrap();
    let mut scaled = g.emptied();
    (0..10).for_each(|seed| add(&mut scaled, &[flat(200, 10 + seed)], &[200], &other));
    assert_close(
        &scaled.g([0, 0], Normalisation::Pairs).unwrap(),
        &values,
        1e-13,
    );
    let densities = [&g, &scaled].map(|g| g.densities_of_species()[0]);
    assert!((densities[0] / densities[1] - 7.0).abs() < 1e-12);
    assert!(Space::of_randoms(&wide, &rr, 1.0).is_err(), "other bins");
    assert!(Space::of_randoms(&bins, &rr, f64::NAN).is_err());
}
