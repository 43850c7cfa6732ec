//! The weights in columns: those of a sample, and further sets of them.
//!
//! Entry: [`weights_of`], [`further_weights`] and [`with_further`]. What is counted by them is the caller's.

use albireo::{Particles, Weights};
use albireo_catalogs::Catalog;

use crate::error::Result;
use crate::source::{File, check_finite};
use crate::within::Within;

/// The weights in column `name`.
pub(crate) fn weights_of(catalog: &Catalog, source: &File, name: &str) -> Result<Vec<f64>> {
    let weights = catalog.column(name)?.to_vec();
    check_finite(source, name, &weights)?;
    Ok(weights)
}

/// The weights of the further sets.
pub(crate) fn further_weights(catalog: &Catalog, source: &File) -> Result<Vec<Weights>> {
    let sets = source.selection.further_weights.iter();
    let sets = sets.map(|name| match name {
        None => Ok(Weights::Unit),
        Some(name) => {
            let weights = weights_of(catalog, source, name)?;
            Ok(Weights::PerParticle(weights.into()))
        }
    });
    sets.collect()
}

/// The particles with further sets of weights, each of which can be normalised by.
pub(crate) fn with_further(
    particles: Particles,
    source: &File,
    further: Vec<Weights>,
) -> Result<Particles> {
    let particles = particles
        .with_weight_sets(further)
        .within(|| source.path.display().to_string())?;
    for (k, name) in source.selection.further_weights.iter().enumerate() {
        if let (Some(name), true) = (name, source.alone) {
            let of_set = particles.of_weight_set(k + 1);
            let in_column = || format!("{}: column `{name}`", source.path.display());
            of_set.check_weight_sums().within(in_column)?;
        }
    }
    Ok(particles)
}

/// What the weights of particles add up to: those of the first set, and of each further one.
pub(crate) fn weight_sums(particles: &Particles) -> (f64, Vec<f64>) {
    let further = 1..particles.weight_sets();
    let further = further.map(|set| particles.of_weight_set(set).weight_sum());
    (particles.weight_sum(), further.collect())
}
