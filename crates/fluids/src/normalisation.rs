//! What pair counts of frames are divided by: g, densities, partners around a particle, totals of all species.
//!
//! Entry: [`Normalisation`], [`Partials::g`], [`Partials::coordination`].

use albireo::error::EstimatorError;
use albireo::estimators::ratio;
use albireo::exact_sum::ExactSum;

use super::Partials;
use super::cut::PairsOf;
use crate::Result;

/// What pairs in a bin are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalisation {
    /// `pairs`: the pairs that could be counted, N(N-1)/2 or Na Nb, less excluded ones: g of an ideal gas is 1.
    #[default]
    Pairs,
    /// `n2`: N^2/2 or Na Nb, with excluded pairs too, as GROMACS, `MDAnalysis` and freud's `exact` have it: g of an ideal gas is (N-1)/N.
    Squares,
    /// `gc`, for numbers that change as in open systems: `V_f^2 rho_a rho_b`, half of it for like species, with the densities
    /// rho = sum N / sum V of all frames.
    GrandCanonical,
    /// `density`: the density of b around a, `rho_b` times g of `pairs`, `rho_b = sum N_b / sum V`.
    Density,
    /// `none`: the pairs themselves, summed over the frames by their weights.
    None,
}

impl Normalisation {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Pairs,
        Self::Squares,
        Self::GrandCanonical,
        Self::Density,
        Self::None,
    ];

    /// `pairs`, `n2`, `gc`, `density` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Squares => "n2",
            Self::GrandCanonical => "gc",
            Self::Density => "density",
            Self::None => "none",
        }
    }

    /// The one of this name.
    ///
    /// ```
    /// use albireo_fluids::Normalisation;
    /// assert_eq!(Normalisation::named("n2")?, Normalisation::Squares);
    /// assert!(Normalisation::named("rdf").is_err());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name that there is not.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| {
            EstimatorError::Needs(format!(
                "a normalisation is pairs, n2, gc, density or none, found {name}"
            ))
        })
    }
}

/// The mean number of partners from the first edge to each upper edge: pairs by the particles at whose ends they are counted.
fn partners(pairs: impl Iterator<Item = f64>, ends: f64, references: f64) -> Vec<f64> {
    let mut within = ExactSum::default();
    let cumulative = pairs.map(|p| {
        within.add(p);
        ratio(ends * within.value(), references)
    });
    cumulative.collect()
}

/// The ends of a pair at which a particle of the first species stands.
fn ends([a, b]: [usize; 2]) -> f64 {
    if a == b { 2.0 } else { 1.0 }
}

impl Partials {
    /// The pairs that there would be without any structure, bin by bin, of a class.
    pub(super) fn ideal_of_class(&self, class: usize, normalisation: Normalisation) -> Vec<f64> {
        let [a, b] = self.species.pairs()[class];
        let density = match normalisation {
            Normalisation::Pairs | Normalisation::Density => {
                self.pair_density(class, PairsOf::Candidates)
            }
            Normalisation::Squares => self.pair_density(class, PairsOf::Products),
            Normalisation::GrandCanonical => {
                let rho = self.densities_of_species();
                let pairs = rho[a] * rho[b] / ends([a, b]);
                self.kept_volume().iter().map(|v| pairs * v).collect()
            }
            Normalisation::None => return vec![1.0; self.volumes.len()],
        };
        let bins = self.volumes.iter().zip(density);
        bins.map(|(volume, density)| volume * density).collect()
    }

    /// The number of pairs that would be in each bin without any structure, summed over the frames by their weights; 1 for `none`.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn ideal_pairs(
        &self,
        species: [usize; 2],
        normalisation: Normalisation,
    ) -> Result<Vec<f64>> {
        let class = self.species.class(species)?;
        Ok(self.ideal_of_class(class, normalisation))
    }

    /// `g_ab` in each bin, or what else the normalisation makes of the pairs; NaN where no pair could be.
    ///
    /// The order of the species matters for `density` alone: that of the second around the first.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn g(&self, species: [usize; 2], normalisation: Normalisation) -> Result<Vec<f64>> {
        let class = self.species.class(species)?;
        let ideal = self.ideal_of_class(class, normalisation);
        let factor = match normalisation {
            Normalisation::Density => self.densities_of_species()[species[1]],
            _ => 1.0,
        };
        let bins = self.weighted_pairs(class).into_iter().zip(ideal);
        Ok(bins.map(|(p, ideal)| factor * ratio(p, ideal)).collect())
    }

    /// g of all particles of any species: all pairs over all ideal ones.
    pub fn total(&self, normalisation: Normalisation) -> Vec<f64> {
        let classes = 0..self.species.pairs().len();
        let mut sums = vec![[0.0; 2]; self.volumes.len()];
        for class in classes {
            let pairs = self.weighted_pairs(class).into_iter();
            let bins = pairs.zip(self.ideal_of_class(class, normalisation));
            for (sum, (p, ideal)) in sums.iter_mut().zip(bins) {
                *sum = [sum[0] + p, sum[1] + ideal];
            }
        }
        let factor = match normalisation {
            Normalisation::Density => self.densities_of_species().iter().sum(),
            _ => 1.0,
        };
        let value = |&[p, ideal]: &[f64; 2]| match normalisation {
            Normalisation::None => p,
            _ => factor * ratio(p, ideal),
        };
        sums.iter().map(value).collect()
    }

    /// g weighted by a length b of each species, such as a scattering length: `sum c_a c_b b_a b_b g_ab / (sum c_a b_a)^2` over both orders
    /// of all pairs, c the fractions of all particles.
    ///
    /// # Errors
    /// Species of two samples, a number of lengths other than the number of species, or lengths whose mean is 0.
    pub fn weighted_total(
        &self,
        lengths: &[f64],
        normalisation: Normalisation,
    ) -> Result<Vec<f64>> {
        self.species.check_list("lengths", lengths.len())?;
        let c = self.fractions()?;
        let mean: f64 = c.iter().zip(lengths).map(|(c, b)| c * b).sum();
        if mean == 0.0 || !mean.is_finite() {
            return Err(EstimatorError::Needs(format!(
                "lengths that weigh g need a finite mean other than 0, found {mean}"
            )));
        }
        let mut total = vec![0.0; self.volumes.len()];
        for &[a, b] in self.species.pairs() {
            let both = if a == b { 1.0 } else { 2.0 };
            let share = both * (c[a] * lengths[a] / mean) * (c[b] * lengths[b] / mean);
            // A species that does not scatter does not matter, even if nothing else is known of it.
            if share != 0.0 {
                let g = self.g([a, b], normalisation)?;
                total
                    .iter_mut()
                    .zip(g)
                    .for_each(|(sum, g)| *sum += share * g);
            }
        }
        Ok(total)
    }

    /// Whether frames count for different amounts.
    fn is_reweighted(&self) -> bool {
        self.effective_frames() < self.frames() as f64 * (1.0 - f64::EPSILON)
    }

    /// The fraction of all particles that each species makes up, `sum w N_a / sum w N`.
    ///
    /// # Errors
    /// Species of two samples, which may overlap, or no frame.
    pub fn fractions(&self) -> Result<Vec<f64>> {
        if !self.species.complete() {
            return Err(EstimatorError::Needs(
                "fractions of species need all pairs of one sample's species".to_owned(),
            ));
        }
        let numbers: Vec<f64> = (0..self.species.number())
            .map(|a| self.weighted_particles(a))
            .collect();
        let all: f64 = numbers.iter().sum();
        if all == 0.0 {
            return Err(EstimatorError::EmptyTotal("the trajectory"));
        }
        Ok(numbers.iter().map(|n| n / all).collect())
    }

    /// The Poisson error of g of `pairs`: `g / sqrt(p)`, NaN in a bin without a pair; of reweighted frames `sqrt(F / F_eff)` times that, F their number
    /// and `F_eff` [`Partials::effective_frames`].
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn poisson_error(&self, species: [usize; 2]) -> Result<Vec<f64>> {
        self.poisson_error_of(species, Normalisation::Pairs)
    }

    /// The same of what else a normalisation makes of the pairs, in its unit.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn poisson_error_of(
        &self,
        species: [usize; 2],
        normalisation: Normalisation,
    ) -> Result<Vec<f64>> {
        let pairs = self.npairs(species)?.iter();
        let g = self.g(species, normalisation)?.into_iter();
        let spread = if self.is_reweighted() {
            (self.frames() as f64 / self.effective_frames()).sqrt()
        } else {
            1.0
        };
        let error = |(g, &p): (f64, &u64)| match normalisation {
            // A density may be tiny beside 1.
            Normalisation::Density | Normalisation::None if p > 0 => spread * g / (p as f64).sqrt(),
            _ => spread * albireo::estimators::poisson_error(g - 1.0, p as f64),
        };
        Ok(g.zip(pairs).map(error).collect())
    }

    /// `n_ab(r)` at the upper edge of each bin: mean number of particles b between the first edge and r of a particle a; excluded pairs are
    /// not in it. Bins of two axes add up in their order, the last axis varying fastest.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn coordination(&self, species: [usize; 2]) -> Result<Vec<f64>> {
        let class = self.species.class(species)?;
        let pairs = self.weighted_pairs(class).into_iter();
        let references = self.weighted_particles(species[0]);
        Ok(partners(pairs, ends(species), references))
    }
}
