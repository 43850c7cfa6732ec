//! What is summed over the pairs in bins, as kernels know it.
//!
//! Entry: [`Sought::of`]. What is added to each sum is text that kernels are compiled with.

use albireo_gpu::{CudaError, Device, put};
use albireo_kernels::structs::SumTerms;
use albireo_kernels::{Summed, kept};

use super::carried::{Carried, Labels};
use super::written::Written;
use crate::pairs::Pairs;
use crate::tally::{
    AngularWeight, CountSpec, End, InverseProbability, Operation, PairProgram, Sum, Terms,
};

/// The sums of a job, with the tables that the weights of its pairs are looked up in.
#[derive(Debug)]
pub(super) struct Sought<'a> {
    pub(super) carried: Carried,
    /// What kernels know of them, but for bins and addresses.
    terms: SumTerms,
    /// Of expressions.
    constants: Vec<f64>,
    inverse: &'a [f64],
    counter: &'a [f64],
    angles: Vec<[f64; 3]>,
}

/// The statements that kernels sum the terms of `what` by.
///
/// # Errors
/// Sums that there is no kernel for.
pub fn statements(what: &CountSpec) -> Result<&'static str, CudaError> {
    Written::of(what).map(|written| kept(written.statements))
}

/// Columns that a program takes of the first and of the second sample, which may be one.
fn columns(program: &PairProgram, pairs: Pairs<'_>) -> [usize; 2] {
    let [first, second] = [End::First, End::Second].map(|end| program.n_columns(end));
    match pairs {
        Pairs::Auto(_) => [first.max(second); 2],
        Pairs::Cross(..) => [first, second],
    }
}

impl<'a> Sought<'a> {
    /// The sums of `what` over `pairs`, which add `terms`, in the classes of `labels`.
    ///
    /// # Errors
    /// Cuts, which are taken off by whoever asks, or terms of other crates.
    pub(super) fn of(
        (what, pairs): (&CountSpec, Pairs<'_>),
        terms: &Terms<'a>,
        labels: Option<Labels>,
    ) -> Result<Self, CudaError> {
        if let [cut, ..] = what.cuts() {
            return Err(CudaError::Unsupported(cut.name()));
        }
        let sums = what.sums();
        let Written {
            statements,
            constants,
        } = Written::of(what)?;
        let program = what.program();
        let takes = |operation: &Operation| matches!(operation, Operation::Difference(_));
        let differences = program.is_some_and(|program| program.operations().iter().any(takes));
        let factor = terms.pair_factor();
        let inverse = factor.and_then(|factor| Some(factor.inverse()?.0));
        let counter = inverse.and_then(|inverse| inverse.counter());
        let angular = factor.and_then(|factor| factor.angular());
        let angles = angular.map_or_else(Vec::new, AngularWeight::table);
        let coordinate = sums
            .iter()
            .any(|sum| matches!(sum, Sum::Separation | Sum::WeightedSeparation));
        let realised = terms.realised();
        let realisations = realised.map_or(0, |of| of.number);
        // Of one sample alone, and numbers of pairs or one set of their weights.
        let realised_rows = realised.is_some_and(|of| of.second_is_in_all())
            && factor.is_none()
            && matches!(sums, [] | [Sum::Product]);
        let weighed = inverse.map_or(0, InverseProbability::words);
        let words = realised.map_or(weighed, |of| of.words());
        let carried = Carried {
            realisations,
            realised_rows,
            summed: match sums {
                _ if realisations > 0 && !realised_rows => Summed::Realisations,
                [] => Summed::Pairs,
                [Sum::Product] if factor.is_none() => Summed::Products,
                [Sum::Separation] => Summed::Separations,
                _ => Summed::Terms,
            },
            number: sums.len(),
            weighted: sums.iter().any(Sum::is_weighted),
            words,
            directions: angular.is_some(),
            columns: program.map_or([0; 2], |program| columns(program, pairs)),
            sums: kept(statements),
            labels,
        };
        let terms = SumTerms {
            outside: angular.map_or(0.0, AngularWeight::outside),
            coordinate_scale: terms.coordinate_scale(),
            words: weighed as u32,
            counter_low: counter.map_or(0, |counter| counter.lo),
            counter_width: counter.map_or(0, |counter| counter.width as u32),
            n_angles: angles.len() as u32,
            coordinate: if coordinate {
                1 + u32::from(what.bins().on_sphere())
            } else {
                0
            },
            measures: u32::from(sums.iter().any(|sum| sum.legendre().is_some()))
                + 2 * u32::from(differences),
            ..SumTerms::default()
        };
        Ok(Self {
            carried,
            terms,
            constants,
            inverse: inverse.map_or(&[], |inverse| inverse.table()),
            counter: counter.map_or(&[], |counter| &counter.table),
            angles,
        })
    }

    /// Bytes of the tables.
    pub(super) fn bytes(&self) -> u64 {
        let numbers = self.inverse.len() + self.counter.len() + 3 * self.angles.len();
        let numbers = numbers + self.constants.len();
        8 * numbers as u64
    }

    /// What kernels know, over the bins of `plan`, with the tables uploaded: they live as long as the memories.
    pub(super) fn uploaded<D: Device>(
        &self,
        device: &D,
        plan: &SumTerms,
    ) -> Result<(SumTerms, [D::Memory; 4]), CudaError> {
        let memory = [
            put(device, self.inverse)?,
            put(device, self.counter)?,
            put(device, &self.angles)?,
            put(device, &self.constants)?,
        ];
        let [inverse, counter, angles, constants] = memory.each_ref().map(|m| device.address(m));
        let terms = SumTerms {
            inverse: inverse.into(),
            counter: counter.into(),
            angles: angles.into(),
            constants: constants.into(),
            bins: plan.bins,
            all: plan.all,
            number: plan.number,
            flush_pairs: plan.flush_pairs,
            ..self.terms
        };
        Ok((terms, memory))
    }
}
