//! The water of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277), which maps are timed on: 0.0966 atoms a cubic Angstrom, points every half
//! Angstrom.

use albireo::Points;
use albireo::random::{self, Stream};
use albireo_fields::{Grid, Targets};

/// What fails.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Atoms a cubic Angstrom.
#[allow(
    dead_code,
    reason = "shared by examples and benches, each of which uses a part"
)]
pub(crate) const DENSITY: f64 = 0.0966;

/// Water in a cube: oxygens at random, two hydrogens each in random directions.
pub(crate) fn water(side: f64) -> Result<(Points, Vec<f64>), Failure> {
    let molecules = (DENSITY / 3.0 * side * side * side) as usize;
    let oxygens = random::in_box(molecules, 1, [side; 3])?;
    let stream = Stream::new(2);
    let (mut rows, mut charges) = (vec![], vec![]);
    for k in 0..molecules {
        let x = oxygens.at(k);
        rows.push(x);
        charges.push(-0.834);
        for hydrogen in 0..2 {
            let at = (4 * k + 2 * hydrogen) as u64;
            let z = 2.0 * stream.uniform(at) - 1.0;
            let phi = std::f64::consts::TAU * stream.uniform(at + 1);
            let across = (1.0 - z * z).sqrt();
            let direction = [across * phi.cos(), across * phi.sin(), z];
            rows.push([0, 1, 2].map(|axis| x[axis] + 0.9572 * direction[axis]));
            charges.push(0.417);
        }
    }
    Ok((Points::from_rows(&rows)?, charges))
}

/// The points of that cube.
pub(crate) fn points(side: f64) -> Result<Targets, Failure> {
    let n = (2.0 * side) as usize;
    Ok(Targets::Grid(Grid::orthogonal(
        [0.25; 3], [0.5; 3], [n; 3],
    )?))
}
