//! Lennard-Jones fluids that dynamics are tested on.

use albireo_dynamics::{LennardJones, PairParameters, Truncation};

pub(crate) fn argon(truncation: Truncation) -> LennardJones {
    LennardJones::new(truncation).unwrap()
}

/// Two species of other sizes, depths and masses.
pub(crate) fn mixture(truncation: Truncation) -> LennardJones {
    let pair = |epsilon, sigma| PairParameters { epsilon, sigma };
    let rows = [
        vec![pair(1.0, 1.0), pair(1.5, 0.8)],
        vec![pair(1.5, 0.8), pair(0.5, 0.88)],
    ];
    LennardJones::mixture(truncation, &[1.0, 2.5], &rows).unwrap()
}
