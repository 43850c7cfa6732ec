//! Clumps of galaxies whose correlation function is a power law, with velocities.

use albireo::random::Stream;

use crate::draws::Draws;

/// A galaxy of a clump.
pub(crate) struct Member {
    /// From the centre of the clump, Mpc/h.
    pub(crate) offset: [f64; 3],
    /// Peculiar velocity, km/s.
    pub(crate) velocity: [f64; 3],
}

/// Radius of a clump, Mpc/h.
const RADIUS: f64 = 12.0;

/// Each ball holds two balls smaller by this factor: the slope of xi is -(3 - ln 2 / ln SHRINK) = -1.8.
const SHRINK: f64 = 1.78;

const LEVELS: i32 = 9;

/// Mean number of galaxies in a clump.
pub(crate) const RICHNESS: f64 = 16.0;

/// Random velocities along each axis, km/s: they stretch clumps along the line of sight.
const DISPERSION: f64 = 300.0;

/// Infall towards the centre as a fraction of the Hubble flow: it squashes clumps along the line of sight.
const INFALL: f64 = 0.4;

/// The nested balls of Soneira & Peebles (1978, DOI 10.1086/112254), thinned to [`RICHNESS`] galaxies on average.
pub(crate) fn clump(stream: Stream) -> Vec<Member> {
    let mut draws = Draws::new(stream);
    let mut centres = vec![[0.0; 3]];
    let mut radius = RADIUS;
    for _ in 0..LEVELS {
        let mut smaller = Vec::with_capacity(2 * centres.len());
        for centre in centres {
            for _ in 0..2 {
                let step = draws.in_ball();
                smaller.push(std::array::from_fn(|k| centre[k] + radius * step[k]));
            }
        }
        centres = smaller;
        radius /= SHRINK;
    }
    let keep = RICHNESS / f64::from(1 << LEVELS);
    centres.retain(|_| draws.uniform() < keep);
    let member = |offset: [f64; 3]| {
        let random = draws.normals();
        let velocity = |k: usize| DISPERSION * random[k] - INFALL * 100.0 * offset[k];
        Member {
            offset,
            velocity: std::array::from_fn(velocity),
        }
    };
    centres.into_iter().map(member).collect()
}
