//! Integers per bin, on their way from devices to an operation.
//!
//! Entry: [`Sums`]. Sums of devices and of pieces of a job add in any order.

use super::device::Device;
use super::error::CudaError;

/// Integers per bin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub(super) npairs: Vec<u64>,
    pub(super) products: Vec<i128>,
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
        self.products
            .iter_mut()
            .zip(&other.products)
            .for_each(|(a, b)| *a += b);
    }
}

/// Downloads the sums that kernels made.
pub(super) fn read_sums<D: Device>(
    device: &D,
    counts: &D::Memory,
    sums: &D::Memory,
    bins: usize,
    weighted: bool,
) -> Result<Sums, CudaError> {
    let mut npairs = vec![0u64; bins];
    device.download(counts, &mut npairs)?;
    let mut words = vec![[0u32; 4]; if weighted { bins } else { 0 }];
    device.download(sums, &mut words)?;
    let wide = |w: &[u32; 4]| {
        w.iter()
            .rev()
            .fold(0u128, |sum, &word| sum << 32 | u128::from(word)) as i128
    };
    Ok(Sums {
        npairs,
        products: words.iter().map(wide).collect(),
    })
}
