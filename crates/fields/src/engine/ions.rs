//! Ions at the extrema of a potential, one after the other.
//!
//! Entry: [`place_ions`]. It adds the potential of each ion to the map before it looks for the next.

use albireo::engine::Progress;

use super::FieldEngine;
use crate::error::{FieldError, Result};
use crate::{FieldJob, FieldSums};

/// How far ions stay from others, at least, in the unit of the positions; 0 keeps no distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IonDistances {
    /// From the sources of the potential.
    pub to_sources: f64,
    /// From ions that were placed before.
    pub to_ions: f64,
}

/// An ion and where it was placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedIon {
    /// The number of its target.
    pub target: usize,
    /// Where that lies.
    pub position: [f64; 3],
    /// Its charge.
    pub charge: f64,
    /// The potential there before it came, in the unit of strength over length.
    pub potential: f64,
}

/// The potential of a job with ions of these charges, in their order, each at the target with the least potential for it (the greatest for
/// a negative ion; of equal ones the first) that keeps the distances, and where they are.
///
/// The sums are those of a job whose sources are joined by the ions.
///
/// ```
/// use albireo::engine::Cpu;
/// use albireo_fields::{IonDistances, place_ions};
/// use albireo_fields::{Cutoff, FieldJob, Grid, Targets, Term};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Points};
///
/// let anion = Points::from_rows(&[[0.0; 3]])?;
/// let grid = Targets::Grid(Grid::orthogonal([0.0; 3], [1.0; 3], [9, 1, 1])?);
/// let term = Term::coulomb(Cutoff::None, 0.1)?;
/// let job = FieldJob::new(&anion, &[-1.0], &Domain::Open, term, grid)?;
/// let distances = IonDistances { to_sources: 2.5, to_ions: 2.0 };
/// let (_, ions) = place_ions(&Cpu::new(), job, &[1.0, -1.0], distances, &Silent)?;
/// assert!(ions[0].position[0] == 3.0 && (ions[0].potential + 1.0 / 3.0).abs() < 1e-13);
/// assert_eq!(ions[1].position[0], 5.0, "the greatest potential left, that of the cation");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A Lennard-Jones job, charges that are not finite, distances beyond half of a periodic domain, ions that find no place, and what
/// [`FieldEngine::field`] says.
pub fn place_ions(
    engine: &impl FieldEngine,
    job: FieldJob,
    charges: &[f64],
    distances: IonDistances,
    progress: &dyn Progress,
) -> Result<(FieldSums, Vec<PlacedIon>)> {
    if let Some(row) = charges.iter().position(|q| !q.is_finite()) {
        let value = charges[row];
        return Err(FieldError::NotFinite { row, value });
    }
    let strongest = charges.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let job = job.with_room(charges.len() as u64, strongest)?;
    let planes = job.targets().planes();
    let mut sums = engine.field(&job, planes.clone(), progress)?;
    let mut taken = vec![false; sums.sums().len()];
    let take = |near: Option<FieldJob>, taken: &mut [bool]| -> Result<()> {
        if let Some(near) = near {
            let counts = engine.field(&near, planes.clone(), progress)?;
            for (taken, &count) in taken.iter_mut().zip(counts.sums()) {
                *taken |= count != 0;
            }
        }
        Ok(())
    };
    take(job.within(distances.to_sources)?, &mut taken)?;
    let near_ions = job.within(distances.to_ions)?;
    let mut ions = Vec::with_capacity(charges.len());
    for &charge in charges {
        let target = extremum(sums.sums(), &taken, charge < 0.0);
        let target = target.ok_or_else(|| FieldError::Crowded {
            placed: ions.len(),
            wanted: charges.len(),
            distance: format!("{} and {}", distances.to_sources, distances.to_ions),
        })?;
        ions.push(PlacedIon {
            target,
            position: job.targets().at(target),
            charge,
            potential: libm::scalbn(sums.sums()[target] as f64, job.scale().exponent),
        });
        // Two ions on one point would be one.
        taken[target] = true;
        sums.add(&engine.field(&job.of_one(target, charge)?, planes.clone(), progress)?);
        let near = near_ions.as_ref().map(|near| near.of_one(target, 1.0));
        take(near.transpose()?, &mut taken)?;
    }
    Ok((sums, ions))
}

/// The first target with the least sum, or with the greatest, that is not taken.
fn extremum(sums: &[i64], taken: &[bool], greatest: bool) -> Option<usize> {
    let free = sums.iter().zip(taken).enumerate();
    let free = free.filter(|(_, (_, taken))| !**taken);
    let key = |sum: i64| if greatest { -sum } else { sum };
    free.min_by_key(|(number, (sum, _))| (key(**sum), *number))
        .map(|(number, _)| number)
}
