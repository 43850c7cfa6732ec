//! What is summed over the pairs in bins, as kernels know it.
//!
//! Entry: [`Sought::of`]. Which sums there are kernels for is decided here.

use albireo_gpu::{CudaError, Device, put};
use albireo_kernels::Summed;
use albireo_kernels::structs::SumTerms;

use super::carried::{Carried, Labels};
use crate::tally::{AngularWeight, CountSpec, InverseProbability, Sum, Terms};

/// The sums of a job, with the tables that the weights of its pairs are looked up in.
#[derive(Debug)]
pub(super) struct Sought<'a> {
    pub(super) carried: Carried,
    /// What kernels know of them, but for bins and addresses.
    terms: SumTerms,
    kinds: Vec<u32>,
    inverse: &'a [f64],
    counter: &'a [f64],
    angles: Vec<[f64; 3]>,
}

/// What is added to the number of a sum whose second word is meant: as in `kernels/ops/terms.cuh`.
const REST: u32 = 256;

/// A sum as kernels number it.
fn kind(sum: &Sum) -> Result<u32, CudaError> {
    let value = match sum {
        Sum::Rest(0, of) => return Ok(REST + kind(&Sum::OfSet(1, *of).of_set(0))?),
        Sum::Product => 0,
        Sum::Separation | Sum::WeightedSeparation => 1,
        Sum::Legendre(l) | Sum::WeightedLegendre(l) => 2 + l.degree(),
        Sum::OfSet(..) | Sum::Rest(..) => {
            return Err(CudaError::Unsupported("several sets of weights in a pass"));
        }
        Sum::Expression(_) | Sum::Unbounded(_) | Sum::Term(_) => {
            return Err(CudaError::Unsupported(sum.name()));
        }
    };
    Ok(2 * value + u32::from(sum.is_weighted()))
}

impl<'a> Sought<'a> {
    /// The sums of `what`, whose pairs add `terms`, in the classes of `labels`.
    ///
    /// # Errors
    /// Cuts, which are taken off by whoever asks, or terms of other crates.
    pub(super) fn of(
        what: &CountSpec,
        terms: &Terms<'a>,
        labels: Option<Labels>,
    ) -> Result<Self, CudaError> {
        if let [cut, ..] = what.cuts() {
            return Err(CudaError::Unsupported(cut.name()));
        }
        let sums = what.sums();
        let kinds = sums.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
        let factor = terms.pair_factor();
        let inverse = factor.and_then(|factor| Some(factor.inverse()?.0));
        let counter = inverse.and_then(|inverse| inverse.counter());
        let angular = factor.and_then(|factor| factor.angular());
        let angles = angular.map_or_else(Vec::new, AngularWeight::table);
        let coordinate = sums
            .iter()
            .any(|sum| matches!(sum, Sum::Separation | Sum::WeightedSeparation));
        let carried = Carried {
            summed: match sums {
                [] => Summed::Pairs,
                [Sum::Product] if factor.is_none() => Summed::Products,
                [Sum::Separation] => Summed::Separations,
                _ => Summed::Terms,
            },
            number: sums.len(),
            weighted: sums.iter().any(Sum::is_weighted),
            words: inverse.map_or(0, InverseProbability::words),
            directions: angular.is_some(),
            labels,
        };
        let terms = SumTerms {
            outside: angular.map_or(0.0, AngularWeight::outside),
            coordinate_scale: terms.coordinate_scale(),
            words: carried.words as u32,
            counter_low: counter.map_or(0, |counter| counter.lo),
            counter_width: counter.map_or(0, |counter| counter.width as u32),
            n_angles: angles.len() as u32,
            coordinate: if coordinate {
                1 + u32::from(what.bins().on_sphere())
            } else {
                0
            },
            legendre: u32::from(sums.iter().any(|sum| sum.legendre().is_some())),
            ..SumTerms::default()
        };
        Ok(Self {
            carried,
            terms,
            kinds,
            inverse: inverse.map_or(&[], |inverse| inverse.table()),
            counter: counter.map_or(&[], |counter| &counter.table),
            angles,
        })
    }

    /// Bytes of the tables.
    pub(super) fn bytes(&self) -> u64 {
        let numbers = self.inverse.len() + self.counter.len() + 3 * self.angles.len();
        (8 * numbers + 4 * self.kinds.len()) as u64
    }

    /// What kernels know, over the bins of `plan`, with the tables uploaded: they live as long as the memories.
    pub(super) fn uploaded<D: Device>(
        &self,
        device: &D,
        plan: &SumTerms,
    ) -> Result<(SumTerms, [D::Memory; 4]), CudaError> {
        let memory = [
            put(device, &self.kinds)?,
            put(device, self.inverse)?,
            put(device, self.counter)?,
            put(device, &self.angles)?,
        ];
        let [kinds, inverse, counter, angles] = memory.each_ref().map(|m| device.address(m));
        let terms = SumTerms {
            kinds: kinds.into(),
            inverse: inverse.into(),
            counter: counter.into(),
            angles: angles.into(),
            bins: plan.bins,
            all: plan.all,
            number: plan.number,
            flush_pairs: plan.flush_pairs,
            ..self.terms
        };
        Ok((terms, memory))
    }
}
