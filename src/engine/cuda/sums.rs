//! Integers per bin, on their way from devices to an operation.
//!
//! Entry: [`Totals`] on a device, [`Sums`] off it. Sums of devices and of pieces of a job add in any order.

use albireo_gpu::{CudaError, Device};
use albireo_kernels::structs::SumTerms;

use super::carried::Carried;

/// Integers per bin: how many pairs, and the sums one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub(super) npairs: Vec<u64>,
    pub(super) sums: Vec<i128>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        if self.npairs.is_empty() {
            self.clone_from(other);
            return;
        }
        let counts = self.npairs.iter_mut().zip(&other.npairs);
        counts.for_each(|(a, b)| *a += b);
        let sums = self.sums.iter_mut().zip(&other.sums);
        sums.for_each(|(a, b)| *a += b);
    }
}

/// Sums in device memory: counts, and 128 bits a bin for each sum.
pub(super) struct Totals<M> {
    counts: M,
    sums: M,
    bins: usize,
    number: usize,
}

impl<M> Totals<M> {
    /// Zeros.
    pub(super) fn clear<D: Device<Memory = M>>(
        device: &D,
        bins: usize,
        carried: Carried,
    ) -> Result<Self, CudaError> {
        let bins = bins * carried.tables();
        let zeros = |bytes: usize| {
            let mut memory = device.allocate(bytes)?;
            device.clear(&mut memory)?;
            Ok(memory)
        };
        Ok(Self {
            counts: zeros(8 * bins)?,
            sums: zeros(16 * bins * carried.number)?,
            bins,
            number: carried.number,
        })
    }

    /// The terms of a job with their addresses.
    pub(super) fn addressed<D: Device<Memory = M>>(&self, device: &D, sums: SumTerms) -> SumTerms {
        SumTerms {
            counts: device.address(&self.counts).into(),
            sums: device.address(&self.sums).into(),
            ..sums
        }
    }

    /// Downloads what kernels made of them.
    pub(super) fn read<D: Device<Memory = M>>(&self, device: &D) -> Result<Sums, CudaError> {
        let mut npairs = vec![0u64; self.bins];
        device.download(&self.counts, &mut npairs)?;
        let mut words = vec![[0u32; 4]; self.bins * self.number];
        device.download(&self.sums, &mut words)?;
        let join = |w: &[u32; 4]| {
            w.iter()
                .rev()
                .fold(0u128, |sum, &word| sum << 32 | u128::from(word)) as i128
        };
        Ok(Sums {
            npairs,
            sums: words.iter().map(join).collect(),
        })
    }
}
