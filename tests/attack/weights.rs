//! Weights of any kind and range.
//!
//! Entry: [`weights`].

use super::draw::Draft;
use super::random::Random;

/// Weights of so many points, of any kind; none for unit weights, and where they are not used.
pub fn weights(draft: &mut Draft<'_>, n: usize, unused: bool) -> Option<Vec<f64>> {
    type Draw = fn(&mut Random) -> f64;
    if unused {
        return None;
    }
    let none: Option<Draw> = None;
    let plain: Draw = |random| random.unit();
    let signed: Draw = |random| random.between(-1.0, 2.0);
    let zero: Draw = |random| random.pick(&[0.0, 1.0, -0.0]);
    let tiny: Draw = |random| random.pick(&[1e-300, 1.0, 5e-324]);
    let huge: Draw = |random| random.pick(&[1e300, 1.0, -1e300]);
    let halves: Draw = |random| f64::from(random.whole(-8, 8)) / 4.0;
    let outlier: Draw = |random| {
        if random.once_in(50) {
            random.pick(&[1e5, 1e6, 1e12, 1e150, -1e9])
        } else {
            1.0
        }
    };
    let masses: Draw = |random| libm::pow(10.0, random.between(10.0, 15.0));
    let any_size: Draw = |random| libm::pow(10.0, random.between(-300.0, 300.0));
    let cancelling: Draw = |random| {
        let size = libm::pow(10.0, random.between(0.0, 12.0));
        if random.once_in(2) { size } else { -size }
    };
    let draw = draft.class(&[
        ("weights none", none),
        ("weights none", none),
        ("weights positive", Some(plain)),
        ("weights negative", Some(signed)),
        ("weights zero", Some(zero)),
        ("weights 1e-300", Some(tiny)),
        ("weights 1e300", Some(huge)),
        ("weights dyadic", Some(halves)),
        ("weights outlier", Some(outlier)),
        ("weights halo masses", Some(masses)),
        ("weights any size", Some(any_size)),
        ("weights that cancel", Some(cancelling)),
    ])?;
    Some((0..n).map(|_| draw(draft.random)).collect())
}
