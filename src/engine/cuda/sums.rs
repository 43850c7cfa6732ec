//! Integers per bin, on their way from devices to an operation.
//!
//! Entry: [`Totals`] on a device, [`Sums`] off it. Sums of devices and of pieces of a job add in any order.

use albireo_kernels::structs::SumTerms;

use super::carried::Carried;
use super::device::Device;
use crate::error::CudaError;

/// Integers per bin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub(super) npairs: Vec<u64>,
    pub(super) products: Vec<i128>,
    pub(super) coordinates: Vec<i128>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        if self.npairs.is_empty() {
            self.clone_from(other);
            return;
        }
        self.npairs
            .iter_mut()
            .zip(&other.npairs)
            .for_each(|(a, b)| *a += b);
        for (sums, others) in [
            (&mut self.products, &other.products),
            (&mut self.coordinates, &other.coordinates),
        ] {
            sums.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        }
    }
}

/// Sums in device memory: counts, and 128 bits a bin for each other sum that is carried.
pub(super) struct Totals<M> {
    counts: M,
    products: M,
    coordinates: M,
    bins: usize,
    carried: Carried,
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
            products: zeros(if carried.weighted { 16 * bins } else { 0 })?,
            coordinates: zeros(if carried.coordinate.is_some() {
                16 * bins
            } else {
                0
            })?,
            bins,
            carried,
        })
    }

    /// The terms of a job with their addresses.
    pub(super) fn addressed<D: Device<Memory = M>>(&self, device: &D, sums: SumTerms) -> SumTerms {
        SumTerms {
            counts: device.address(&self.counts).into(),
            products: device.address(&self.products).into(),
            coordinates: device.address(&self.coordinates).into(),
            ..sums
        }
    }

    /// Downloads what kernels made of them.
    pub(super) fn read<D: Device<Memory = M>>(&self, device: &D) -> Result<Sums, CudaError> {
        let mut npairs = vec![0u64; self.bins];
        device.download(&self.counts, &mut npairs)?;
        let wide = |memory: &M, asked: bool| {
            let mut words = vec![[0u32; 4]; if asked { self.bins } else { 0 }];
            device.download(memory, &mut words)?;
            let join = |w: &[u32; 4]| {
                w.iter()
                    .rev()
                    .fold(0u128, |sum, &word| sum << 32 | u128::from(word)) as i128
            };
            Ok(words.iter().map(join).collect())
        };
        Ok(Sums {
            npairs,
            products: wide(&self.products, self.carried.weighted)?,
            coordinates: wide(&self.coordinates, self.carried.coordinate.is_some())?,
        })
    }
}
