//! What g(r) says of energies and of fluctuations: potentials of mean force and Kirkwood-Buff integrals.
//!
//! Entry: [`potential_of_mean_force`], [`kirkwood_buff`], [`Partials::kirkwood_buff`].

use std::f64::consts::PI;

use albireo::binning::Edges;
use albireo::error::EstimatorError;
use albireo::quadrature::GaussLegendre;

use super::structure_factor::check_bins_from_zero;
use super::{Normalisation, Partials};
use crate::Result;

/// `-ln g` in units of kT: infinite where g is 0, NaN where there is no g. Kirkwood (1935), DOI 10.1063/1.1749657.
///
/// ```
/// use albireo_fluids::potential_of_mean_force;
/// assert_eq!(potential_of_mean_force(&[0.0, 1.0]), [f64::INFINITY, 0.0]);
/// ```
pub fn potential_of_mean_force(g: &[f64]) -> Vec<f64> {
    let potential = |&g: &f64| if g == 1.0 { 0.0 } else { -libm::log(g) };
    g.iter().map(potential).collect()
}

/// How g that was counted in a box of N particles is brought to what it would be in an endless one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BoxCorrection {
    /// As it is.
    #[default]
    None,
    /// The particles b missing or left over around a particle a within r are taken from the rest of the box:
    /// `g N_b (1 - V(r)/V) / (N_b (1 - V(r)/V) - dN_ab(r) - delta_ab)` with `dN_ab` the excess within r, both at the radius that halves the
    /// volume of the bin. Ganguly & van der Vegt (2013), DOI 10.1021/ct301017q.
    GangulyVanDerVegt,
}

/// Kirkwood-Buff integrals of a finite volume, one for each upper edge L:
/// `G(L) = 4 pi int_0^L r^2 (g - 1) u(r/L) dr`, `u(x) = 1 - 23 x^3/8 + 3 x^4/4 + 9 x^5/8`, in the unit of length cubed.
///
/// The weight u makes of the integral of a sphere of diameter L that of an endless fluid, up to terms of the square of 1/L. Krüger & Vlugt
/// (2018), DOI 10.1103/PhysRevE.97.051301. Bins are integrated exactly, g being constant in each. Without a meaning once g is NaN.
///
/// ```
/// use albireo_fluids::kirkwood_buff;
/// use albireo::Edges;
/// // Particles of a radius 1 that nothing else enters: of an endless fluid -4 pi/3.
/// let edges = Edges::linear(0.0, 60.0, 60)?;
/// let g: Vec<f64> = (0..60).map(|bin| if bin < 1 { 0.0 } else { 1.0 }).collect();
/// let integrals = kirkwood_buff(&edges, &g)?;
/// assert!((integrals[59] + 4.0 * std::f64::consts::PI / 3.0).abs() < 1e-4);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A first edge other than 0, or another number of bins.
pub fn kirkwood_buff(edges: &Edges, g: &[f64]) -> Result<Vec<f64>> {
    check(edges, g)?;
    let rule = GaussLegendre::default();
    // Sums of (g - 1) r^k over the bins so far, for the powers of r in r^2 u.
    let mut moments = [0.0; 4];
    let bins = edges.values().windows(2).zip(g);
    let integral = |(e, g): (&[f64], &f64)| {
        for (moment, power) in moments.iter_mut().zip([2, 5, 6, 7]) {
            *moment += (g - 1.0) * rule.integrate(e[0], e[1], |r| r.powi(power));
        }
        let reach = e[1];
        let reach3 = reach * reach * reach;
        let [second, fifth, sixth, seventh] = moments;
        let rest = -23.0 / 8.0 * fifth + (3.0 / 4.0 * sixth + 9.0 / 8.0 * seventh / reach) / reach;
        4.0 * PI * (second + rest / reach3)
    };
    Ok(bins.map(integral).collect())
}

fn check(edges: &Edges, g: &[f64]) -> Result<()> {
    check_bins_from_zero("a Kirkwood-Buff integral", edges)?;
    if g.len() == edges.n_bins() {
        return Ok(());
    }
    Err(EstimatorError::Needs(format!(
        "a Kirkwood-Buff integral needs g in {} bins, found {}",
        edges.n_bins(),
        g.len()
    )))
}

/// g brought to an endless box, as [`BoxCorrection::GangulyVanDerVegt`] says, of `n2` counts of particles b around a.
///
/// `particles` is the number of b in the box, `like` whether a and b are of one species.
///
/// # Errors
/// A first edge other than 0, another number of bins, or a volume or number that is not positive and finite.
pub fn corrected_for_box(
    edges: &Edges,
    g: &[f64],
    particles: f64,
    volume: f64,
    like: bool,
) -> Result<Vec<f64>> {
    check(edges, g)?;
    for (what, found) in [("number of particles", particles), ("volume", volume)] {
        if !(found > 0.0 && found.is_finite()) {
            return Err(EstimatorError::Needs(format!(
                "a box needs a positive, finite {what}, found {found}"
            )));
        }
    }
    let own = if like { 1.0 } else { 0.0 };
    let ball = |r: f64| 4.0 / 3.0 * PI * (r * r * r);
    let mut excess = 0.0;
    let bins = edges.values().windows(2).zip(g);
    let corrected = bins.map(|(e, &g)| {
        let (inner, outer) = (ball(e[0]), ball(e[1]));
        let half = particles / volume * (g - 1.0) * (outer - inner) / 2.0;
        excess += half;
        let rest = particles * (1.0 - f64::midpoint(inner, outer) / volume);
        let value = g * rest / (rest - excess - own);
        excess += half;
        value
    });
    Ok(corrected.collect())
}

impl Partials {
    /// Kirkwood-Buff integrals `G_ab(L)` for each upper edge L, of g normalised by `n2`, corrected for the box on request.
    ///
    /// # Errors
    /// Species whose pairs were not counted, bins in a plane or that do not begin at 0, or no frame.
    pub fn kirkwood_buff(
        &self,
        species: [usize; 2],
        correction: BoxCorrection,
    ) -> Result<Vec<f64>> {
        let edges = self.shell_edges("a Kirkwood-Buff integral")?;
        let g = self.g(species, Normalisation::Squares)?;
        match correction {
            BoxCorrection::None => kirkwood_buff(edges, &g),
            BoxCorrection::GangulyVanDerVegt => {
                let [a, b] = species;
                let (particles, volume) = (self.mean_particles()[b], self.mean_volume());
                let g = corrected_for_box(edges, &g, particles, volume, a == b)?;
                kirkwood_buff(edges, &g)
            }
        }
    }
}
