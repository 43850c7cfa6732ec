//! Where the time of a run goes.

/// Where the time of a run went, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CudaTimings {
    /// Copying positions and weights to the device.
    pub upload: f64,
    /// Sorting them into cells, and cutting tiles.
    pub sort: f64,
    /// Counting kernels, by the device's own clock.
    pub kernels: f64,
}

impl CudaTimings {
    /// Takes the longer of each: devices work at the same time.
    pub fn beside(&mut self, other: Self) {
        self.upload = self.upload.max(other.upload);
        self.sort = self.sort.max(other.sort);
        self.kernels = self.kernels.max(other.kernels);
    }

    /// Adds: pieces of a job come one after the other.
    pub fn then(&mut self, other: Self) {
        self.upload += other.upload;
        self.sort += other.sort;
        self.kernels += other.kernels;
    }
}
