//! What neutrons and X-rays see of partial functions, by the names of Keen (2001), DOI 10.1107/S0021889800019993.
//!
//! Entry: [`StructureFactors::neutron`], [`StructureFactors::xray`], [`Partials::neutron`].

use super::{FormFactor, Normalisation, Partials, StructureFactors};
use crate::Result;

/// Total structure factors of neutrons, per particle; lengths in fm make F in fm^2 (100 fm^2 = 1 barn).
#[derive(Debug, Clone, PartialEq)]
pub struct NeutronFactors {
    /// `F(Q) = sum c_i c_j b_i b_j (A_ij(Q) - 1)`, the total-scattering structure factor.
    pub f: Vec<f64>,
    /// `S(Q) = 1 + F(Q) / (sum c_i b_i)^2`.
    pub s: Vec<f64>,
    /// `sum c_i b_i^2`, the self-scattering that F is without: F and this make up the differential cross section per particle.
    pub own: f64,
}

/// Total structure factors of X-rays, per particle, in the unit of the form factors squared.
#[derive(Debug, Clone, PartialEq)]
pub struct XrayFactors {
    /// `F(Q) = sum c_i c_j f_i f_j (A_ij(Q) - 1)`.
    pub f: Vec<f64>,
    /// `S(Q) = 1 + F(Q) / (sum c_i f_i)^2`, sharpened by the square of the mean.
    pub s: Vec<f64>,
    /// `1 + F(Q) / sum c_i f_i^2`: the intensity over the self-scattering.
    pub s_of_mean_square: Vec<f64>,
    /// `sum c_i f_i(Q)^2`, the self-scattering.
    pub own: Vec<f64>,
}

/// Total pair distribution functions of neutrons at the middles r of the bins; lengths in fm make G in fm^2, D and T in fm^2 over the unit
/// of length squared.
#[derive(Debug, Clone, PartialEq)]
pub struct NeutronFunctions {
    /// The middles of the bins.
    pub r: Vec<f64>,
    /// `G(r) = sum c_i c_j b_i b_j (g_ij(r) - 1)`.
    pub g: Vec<f64>,
    /// `D(r) = 4 pi r rho G(r)`, the differential correlation function.
    pub d: Vec<f64>,
    /// `T(r) = D(r) + 4 pi r rho (sum c_i b_i)^2`, the total correlation function.
    pub t: Vec<f64>,
}

/// `sum c_a c_b w_a w_b (value_ab - 1)` over both orders of all pairs.
fn over_pairs(pairs: &[[usize; 2]], amounts: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    let terms = pairs.iter().enumerate().map(|(class, &[a, b])| {
        let both = if a == b { 1.0 } else { 2.0 };
        let share = both * amounts[a] * amounts[b];
        // What does not scatter does not matter, even if nothing else is known of it.
        if share == 0.0 {
            0.0
        } else {
            share * (value(class) - 1.0)
        }
    });
    terms.sum()
}

/// The products of fractions and lengths.
fn amounts(fractions: &[f64], lengths: &[f64]) -> Vec<f64> {
    let species = fractions.iter().zip(lengths);
    species.map(|(c, b)| c * b).collect()
}

impl StructureFactors {
    /// Those that neutrons see, with a coherent scattering length of each species ([`super::neutron_scattering_length`]).
    ///
    /// ```
    /// use albireo_fluids::{Species, StructureFactors};
    /// let (q, partials) = ([1.0], vec![vec![0.5], vec![1.2], vec![1.0]]);
    /// let s = StructureFactors::from_partials(&Species::within(2), &[0.25, 0.75], &q, partials)?;
    /// let totals = s.neutron(&[2.0, 4.0])?;
    /// // c1 b1 = 0.5, c2 b2 = 3: F = 0.25 * -0.5 + 2 * 1.5 * 0.2.
    /// assert!((totals.f[0] - 0.475).abs() < 1e-15);
    /// assert!((totals.s[0] - (1.0 + 0.475 / 12.25)).abs() < 1e-15);
    /// assert_eq!(totals.own, 13.0);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number of lengths other than the number of species.
    pub fn neutron(&self, lengths: &[f64]) -> Result<NeutronFactors> {
        let constants: Vec<_> = lengths.iter().map(|&b| move |_: f64| b).collect();
        let factors: Vec<FormFactor<'_>> = constants.iter().map(|f| f as FormFactor<'_>).collect();
        let XrayFactors { f, s, .. } = self.xray(&factors)?;
        let species = self.fractions().iter().zip(lengths);
        let own = species.map(|(c, b)| c * b * b).sum();
        Ok(NeutronFactors { f, s, own })
    }

    /// Those that X-rays see, with a form factor of each species ([`super::Gaussians`] or any other function of q).
    ///
    /// # Errors
    /// A number of form factors other than the number of species.
    pub fn xray(&self, form_factors: &[FormFactor<'_>]) -> Result<XrayFactors> {
        let species = self.species();
        species.check_list("form factors or scattering lengths", form_factors.len())?;
        let partials: Result<Vec<&[f64]>, _> = (species.pairs().iter())
            .map(|&pair| self.faber_ziman(pair))
            .collect();
        let partials = partials?;
        let mut totals = XrayFactors {
            f: vec![],
            s: vec![],
            s_of_mean_square: vec![],
            own: vec![],
        };
        for (k, &q) in self.q().iter().enumerate() {
            let at: Vec<f64> = form_factors.iter().map(|f| f(q)).collect();
            let amounts = amounts(self.fractions(), &at);
            let mean: f64 = amounts.iter().sum();
            let own = amounts.iter().zip(&at).map(|(cf, f)| cf * f).sum();
            let f = over_pairs(species.pairs(), &amounts, |class| partials[class][k]);
            totals.f.push(f);
            totals.s.push(1.0 + f / (mean * mean));
            totals.s_of_mean_square.push(1.0 + f / own);
            totals.own.push(own);
        }
        Ok(totals)
    }
}

impl Partials {
    /// What neutrons see of g: G(r), D(r) and T(r), with a coherent scattering length of each species.
    ///
    /// # Errors
    /// A number of lengths other than the number of species, bins in a plane, normalisations that are no g, or species of two samples.
    pub fn neutron(
        &self,
        lengths: &[f64],
        normalisation: Normalisation,
    ) -> Result<NeutronFunctions> {
        let edges = self.shell_edges("G(r)")?;
        normalisation.check_is_g("G(r)")?;
        self.species
            .check_list("scattering lengths", lengths.len())?;
        let amounts = amounts(&self.fractions()?, lengths);
        let mean: f64 = amounts.iter().sum();
        let pairs = self.species.pairs();
        let partials: Result<Vec<Vec<f64>>, _> = pairs
            .iter()
            .map(|&pair| self.g(pair, normalisation))
            .collect();
        let partials = partials?;
        let density: f64 = self.densities_of_species().iter().sum();
        let edges = edges.values().windows(2);
        let r: Vec<f64> = edges.map(|e| f64::midpoint(e[0], e[1])).collect();
        let g = (0..r.len()).map(|k| over_pairs(pairs, &amounts, |class| partials[class][k]));
        let g: Vec<f64> = g.collect();
        let around = |r: &f64| 4.0 * std::f64::consts::PI * r * density;
        let d: Vec<f64> = r.iter().zip(&g).map(|(r, g)| around(r) * g).collect();
        let t = r.iter().zip(&d).map(|(r, d)| d + around(r) * mean * mean);
        Ok(NeutronFunctions {
            t: t.collect(),
            r,
            g,
            d,
        })
    }
}
