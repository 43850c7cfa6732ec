//! Partial structure factors S(q) of all pairs of species, in the three ways they are written.
//!
//! Entry: [`Partials::structure_factors`] by Fourier, [`StructureFactors::from_g`] of any g; by Debye's sum see
//! [`super::DebyeSums::structure_factors`].

use albireo::binning::Edges;
use albireo::error::EstimatorError;
use albireo::estimators::shells;

use super::transform::{bin_integrals, check_q};
use super::{Normalisation, Partials, Species, Window};
use crate::Result;

/// Partial structure factors at some q (2 pi over the unit of length), held as those of Faber & Ziman (1965), DOI 10.1080/14786436508211931.
///
/// `A_ab(q) = 1 + 4 pi rho int r^2 (g_ab - 1) w(r) sin(qr)/(qr) dr`, rho the number density of all particles: 1 without structure.
#[derive(Debug, Clone, PartialEq)]
pub struct StructureFactors {
    q: Vec<f64>,
    species: Species,
    fractions: Vec<f64>,
    /// Class by class.
    partials: Vec<Vec<f64>>,
}

/// Structure factors of two species as densities and compositions see them (Bhatia & Thornton 1970, DOI 10.1103/PhysRevB.2.3004).
#[derive(Debug, Clone, PartialEq)]
pub struct BhatiaThornton {
    /// Of the number density: `c1^2 A11 + c2^2 A22 + 2 c1 c2 A12`, 1 without structure.
    pub nn: Vec<f64>,
    /// Of density and composition: `c1 c2 (c1 (A11 - A12) - c2 (A22 - A12))`, 0 without structure.
    pub nc: Vec<f64>,
    /// Of the composition: `c1 c2 (1 + c1 c2 (A11 + A22 - 2 A12))`, c1 c2 without structure.
    pub cc: Vec<f64>,
}

impl StructureFactors {
    /// Those of `g_ab` in bins from 0, class by class, at a number density of all particles and fractions of the species; bins are integrated
    /// exactly, g being constant in each.
    ///
    /// ```
    /// use albireo_fluids::{Species, StructureFactors, Window};
    /// use albireo::Edges;
    /// // Particles that keep 1 apart, without any other structure: S(q) = 1 - rho 4 pi (sin q - q cos q)/q^3.
    /// let (edges, g) = (Edges::new(vec![0.0, 1.0, 5.0])?, vec![0.0, 1.0]);
    /// let s = StructureFactors::from_g(&edges, &Species::within(1), &[g], 0.1, &[1.0], &[2.0], Window::None)?;
    /// let hole = 4.0 * std::f64::consts::PI * (2f64.sin() - 2.0 * 2f64.cos()) / 8.0;
    /// assert!((s.faber_ziman([0, 0])?[0] - (1.0 - 0.1 * hole)).abs() < 1e-14);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A first edge other than 0, a q that is not finite and above 0, species of two samples, one g for each class and one fraction for each
    /// species missing, other numbers of bins, fractions that do not add up to 1, or a density that is not positive and finite.
    pub fn from_g(
        edges: &Edges,
        species: &Species,
        g: &[Vec<f64>],
        density: f64,
        fractions: &[f64],
        q: &[f64],
        window: Window,
    ) -> Result<Self> {
        check_bins_from_zero("S(q)", edges)?;
        check_fractions(species, fractions)?;
        check_q(q)?;
        let bins = edges.n_bins();
        if g.len() != species.pairs().len() || g.iter().any(|g| g.len() != bins) {
            return Err(EstimatorError::Needs(format!(
                "S(q) needs g of {} pairs of species in {bins} bins each",
                species.pairs().len()
            )));
        }
        if !(density > 0.0 && density.is_finite()) {
            return Err(EstimatorError::Needs(format!(
                "S(q) needs a positive, finite number density, found {density}"
            )));
        }
        let integrals = bin_integrals(edges, q, window);
        let partial = |g: &Vec<f64>| {
            let at = |row: &Vec<f64>| {
                let terms = row.iter().zip(g).map(|(integral, g)| integral * (g - 1.0));
                1.0 + density * terms.sum::<f64>()
            };
            integrals.iter().map(at).collect()
        };
        Self::from_partials(species, fractions, q, g.iter().map(partial).collect())
    }

    /// Those that are known already, as Faber & Ziman write them, class by class.
    ///
    /// # Errors
    /// Species of two samples, other numbers of them, of fractions or of q, or fractions that do not add up to 1.
    pub fn from_partials(
        species: &Species,
        fractions: &[f64],
        q: &[f64],
        partials: Vec<Vec<f64>>,
    ) -> Result<Self> {
        check_fractions(species, fractions)?;
        check_q(q)?;
        let fit = partials.iter().all(|partial| partial.len() == q.len());
        if partials.len() != species.pairs().len() || !fit {
            return Err(EstimatorError::Needs(format!(
                "structure factors of {} pairs of species at {} values of q are needed",
                species.pairs().len(),
                q.len()
            )));
        }
        Ok(Self {
            q: q.to_vec(),
            species: species.clone(),
            fractions: fractions.to_vec(),
            partials,
        })
    }

    /// The values of q.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// The species and their pairs.
    pub fn species(&self) -> &Species {
        &self.species
    }

    /// The fractions of all particles that the species make up.
    pub fn fractions(&self) -> &[f64] {
        &self.fractions
    }

    /// `A_ab` of Faber & Ziman.
    ///
    /// # Errors
    /// A species that there is not.
    pub fn faber_ziman(&self, species: [usize; 2]) -> Result<&[f64]> {
        Ok(&self.partials[self.species.class(species)?])
    }

    /// `S_ab = delta_ab + sqrt(c_a c_b) (A_ab - 1)` of Ashcroft & Langreth (1967), DOI 10.1103/PhysRev.156.685.
    ///
    /// # Errors
    /// A species that there is not.
    pub fn ashcroft_langreth(&self, [a, b]: [usize; 2]) -> Result<Vec<f64>> {
        let own = if a == b { 1.0 } else { 0.0 };
        let faber_ziman = self.faber_ziman([a, b])?.iter();
        let share = (self.fractions[a] * self.fractions[b]).sqrt();
        Ok(faber_ziman.map(|s| own + share * (s - 1.0)).collect())
    }

    /// Those of the number density and of the composition of two species.
    ///
    /// # Errors
    /// More or fewer species than two.
    pub fn bhatia_thornton(&self) -> Result<BhatiaThornton> {
        let ([c1, c2], [aa, ab, bb]) = (self.fractions.as_slice(), self.partials.as_slice()) else {
            return Err(EstimatorError::Needs(format!(
                "Bhatia-Thornton structure factors are those of 2 species, found {}",
                self.species.number()
            )));
        };
        let of = |value: &dyn Fn(f64, f64, f64) -> f64| {
            let q = aa.iter().zip(ab).zip(bb);
            q.map(|((aa, ab), bb)| value(*aa, *ab, *bb)).collect()
        };
        let both = c1 * c2;
        Ok(BhatiaThornton {
            nn: of(&|aa, ab, bb| c1 * c1 * aa + c2 * c2 * bb + 2.0 * both * ab),
            nc: of(&|aa, ab, bb| both * (c1 * (aa - ab) - c2 * (bb - ab))),
            cc: of(&|aa, ab, bb| both * (1.0 + both * (aa + bb - 2.0 * ab))),
        })
    }
}

/// Refuses bins that leave out pairs at small r.
pub(super) fn check_bins_from_zero(what: &str, edges: &Edges) -> Result<()> {
    match edges.values()[0] {
        0.0 => Ok(()),
        first => Err(EstimatorError::Needs(format!(
            "{what} needs bins from r = 0, found a first edge of {first}"
        ))),
    }
}

fn check_fractions(species: &Species, fractions: &[f64]) -> Result<()> {
    if !species.complete() {
        return Err(EstimatorError::Needs(
            "structure factors need all pairs of one sample's species".to_owned(),
        ));
    }
    species.check_list("fractions", fractions.len())?;
    let sum: f64 = fractions.iter().sum();
    if fractions.iter().all(|c| *c >= 0.0) && (sum - 1.0).abs() < 1e-9 {
        return Ok(());
    }
    Err(EstimatorError::Needs(format!(
        "fractions of species must be at least 0 and add up to 1, found {fractions:?}"
    )))
}

impl Partials {
    /// Partial structure factors by Fourier's integral over g, up to the last edge; the density is that of all particles, sum N / sum V.
    ///
    /// With `n2`, S(q) holds what a count of N particles holds; with `pairs`, g - 1 ends at 0 in a gas of any N.
    ///
    /// # Errors
    /// As [`StructureFactors::from_g`]; bins in a plane, normalisations that are no g, or a species without particles.
    pub fn structure_factors(
        &self,
        q: &[f64],
        window: Window,
        normalisation: Normalisation,
    ) -> Result<StructureFactors> {
        let edges = self.shell_edges("S(q)")?;
        normalisation.check_is_g("S(q)")?;
        let fractions = self.fractions()?;
        let classes = self.species.pairs().iter();
        let g: Result<Vec<_>, _> = classes.map(|&pair| self.g(pair, normalisation)).collect();
        let density = self.densities_of_species().iter().sum();
        StructureFactors::from_g(edges, &self.species, &g?, density, &fractions, q, window)
    }

    /// The edges of shells in space; `what` is refused in other bins.
    pub(super) fn shell_edges(&self, what: &str) -> Result<&Edges> {
        let found = match self.binning.as_r() {
            Some(bins) if self.volumes == shells(bins.edges()) => return Ok(bins.edges()),
            Some(_) => "rings in a plane".to_owned(),
            None => format!("bins {}", self.binning.name()),
        };
        Err(EstimatorError::Needs(format!(
            "{what} needs bins that are shells in space, found {found}"
        )))
    }
}

impl Normalisation {
    /// Refuses what does not end at 1.
    pub(super) fn check_is_g(self, what: &str) -> Result<()> {
        match self {
            Self::Pairs | Self::Squares | Self::GrandCanonical => Ok(()),
            Self::Density | Self::None => Err(EstimatorError::Needs(format!(
                "{what} needs g normalised by pairs, n2 or gc, found {}",
                self.name()
            ))),
        }
    }
}
