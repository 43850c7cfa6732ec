//! Debye's sum over the pairs in bins: what isolated particles scatter, and S(q) without g.
//!
//! Entry: [`Partials::debye`], [`DebyeSums`].

use albireo::error::EstimatorError;

use super::structure_factor::check_bins_from_zero;
use super::transform::{check_q, shell_means};
use super::{Normalisation, Partials, Species, StructureFactors};
use crate::Result;

/// How a particle of a species scatters at q: a form factor, in any unit that all of them share.
pub type FormFactor<'a> = &'a dyn Fn(f64) -> f64;

/// `D_ab(q) = sum_k p_k,ab <sin(qr)/(qr)>_k` of all pairs of species, per frame, <> the mean over the shell of the bin.
///
/// Debye (1915), DOI 10.1002/andp.19153510606. Of periodic boxes the uniform part of the same bins is taken off, without which the ends of
/// the bins would scatter.
#[derive(Debug, Clone, PartialEq)]
pub struct DebyeSums {
    q: Vec<f64>,
    species: Species,
    /// Mean number of particles of each species.
    particles: Vec<f64>,
    /// Class by class.
    sums: Vec<Vec<f64>>,
    in_vacuum: bool,
}

impl Partials {
    /// Debye's sums over the bins, as means over the frames.
    ///
    /// `uniform` tells what is taken off: nothing of particles in vacuum, all of whose pairs must then be in the bins; in a periodic box the
    /// ideal pairs of a normalisation.
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo_fluids::{Frame, Partials, Space, Species};
    /// use albireo::engine::Silent;
    /// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, Points, RBins};
    /// // Two particles 3 apart: I(q) = 2 f^2 (1 + sin(3q)/(3q)).
    /// let dimer = Particles::new(Points::from_rows(&[[0.0; 3], [1.0, 2.0, 2.0]])?);
    /// let bins = RBins::new(Edges::linear(0.0, 4.0, 4000)?);
    /// let job = PairJob::new(Pairs::Auto(&dimer), &Domain::Open)?;
    /// let counts = [count_pairs(&Naive, &job, &bins, &Silent)?];
    /// let mut partials = Partials::new(&bins, Species::within(1))?;
    /// let space = Space::of_volume(1.0)?;
    /// partials.add_frame(&Frame { counts: &counts, particles: &[2], excluded: &[], space: &space, weight: 1.0 })?;
    /// let intensity = partials.debye(&[0.7], None)?.intensity(&[&|_| 5.0])?;
    /// assert!((intensity[0] - 50.0 * (1.0 + 2.1f64.sin() / 2.1)).abs() < 0.01);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A first edge other than 0, a q that is not finite and above 0, bins in a plane, normalisations that are no g, species of two samples,
    /// or no frame.
    pub fn debye(&self, q: &[f64], uniform: Option<Normalisation>) -> Result<DebyeSums> {
        let edges = self.shell_edges("Debye's sum")?;
        check_bins_from_zero("Debye's sum", edges)?;
        check_q(q)?;
        self.fractions()?;
        if let Some(normalisation) = uniform {
            normalisation.check_is_g("Debye's sum")?;
        }
        let means = shell_means(edges, &self.volumes, q);
        let frames = self.weight();
        let sum = |class: usize| {
            let mut pairs = self.weighted_pairs(class);
            if let Some(normalisation) = uniform {
                let ideal = self.ideal_of_class(class, normalisation);
                pairs
                    .iter_mut()
                    .zip(ideal)
                    .for_each(|(p, ideal)| *p -= ideal);
            }
            let at = |row: &Vec<f64>| {
                let terms = row.iter().zip(&pairs).map(|(mean, p)| mean * p);
                terms.sum::<f64>() / frames
            };
            means.iter().map(at).collect()
        };
        Ok(DebyeSums {
            q: q.to_vec(),
            particles: self.mean_particles(),
            sums: (0..self.species.pairs().len()).map(sum).collect(),
            species: self.species.clone(),
            in_vacuum: uniform.is_none(),
        })
    }
}

impl DebyeSums {
    /// The values of q.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// `D_ab(q)`.
    ///
    /// # Errors
    /// A species that there is not.
    pub fn sum(&self, species: [usize; 2]) -> Result<&[f64]> {
        Ok(&self.sums[self.species.class(species)?])
    }

    /// `I(q) = sum_i f_i^2 + 2 sum_(a<=b) f_a f_b D_ab`, per frame; f of each species.
    ///
    /// Without a uniform part taken off this is what the particles scatter in vacuum ([`DebyeSums::in_vacuum`]); for a solution, f of
    /// [`displacing`] takes off the solvent that they displace.
    ///
    /// # Errors
    /// A number of form factors other than the number of species.
    pub fn intensity(&self, form_factors: &[FormFactor<'_>]) -> Result<Vec<f64>> {
        self.species
            .check_list("form factors", form_factors.len())?;
        let at = |(k, &q): (usize, &f64)| {
            let f: Vec<f64> = form_factors.iter().map(|f| f(q)).collect();
            let own = self.particles.iter().zip(&f).map(|(n, f)| n * f * f);
            let pairs = self.species.pairs().iter().zip(&self.sums);
            let pairs = pairs.map(|(&[a, b], sum)| f[a] * f[b] * sum[k]);
            own.sum::<f64>() + 2.0 * pairs.sum::<f64>()
        };
        Ok(self.q.iter().enumerate().map(at).collect())
    }

    /// Whether nothing was taken off, so that [`DebyeSums::intensity`] is that of the particles alone in vacuum.
    pub fn in_vacuum(&self) -> bool {
        self.in_vacuum
    }

    /// Partial structure factors: `A_aa = 1 + 2 N D_aa / N_a^2`, `A_ab = 1 + N D_ab / (N_a N_b)`, N of all particles.
    ///
    /// Of a periodic box these are those of Fourier's integral over the same bins, g and uniform part being of the same normalisation `n2`.
    ///
    /// # Errors
    /// A species without particles.
    pub fn structure_factors(&self) -> Result<StructureFactors> {
        let all: f64 = self.particles.iter().sum();
        if let Some(empty) = self.particles.iter().position(|n| *n == 0.0) {
            return Err(EstimatorError::Needs(format!(
                "structure factors need particles of every species, found none of species {empty} (counting from 0)"
            )));
        }
        let fractions: Vec<f64> = self.particles.iter().map(|n| n / all).collect();
        let classes = self.species.pairs().iter().zip(&self.sums);
        let partial = |(&[a, b], sums): (&[usize; 2], &Vec<f64>)| {
            let ends = if a == b { 2.0 } else { 1.0 };
            let factor = ends * all / (self.particles[a] * self.particles[b]);
            sums.iter().map(|sum| 1.0 + factor * sum).collect()
        };
        let partials = classes.map(partial).collect();
        StructureFactors::from_partials(&self.species, &fractions, &self.q, partials)
    }
}

/// The form factor of a particle in a solvent: its own less that of the solvent it displaces, `f(q) - rho v exp(-q^2 v^(2/3) / (4 pi))`,
/// v the volume of a particle and rho the scattering density of the solvent, such as 0.334 electrons per cubic Angstrom of water. Fraser,
/// `MacRae` & Suzuki (1978), DOI 10.1107/S0021889878014296.
///
/// ```
/// use albireo_fluids::displacing;
/// let carbon = displacing(|_| 6.0, 16.44, 0.334);
/// assert!((carbon(0.0) - (6.0 - 16.44 * 0.334)).abs() < 1e-12);
/// ```
pub fn displacing(
    form_factor: impl Fn(f64) -> f64,
    volume: f64,
    density: f64,
) -> impl Fn(f64) -> f64 {
    let width = volume.cbrt() * volume.cbrt() / (4.0 * std::f64::consts::PI);
    move |q| form_factor(q) - density * volume * libm::exp(-q * q * width)
}
