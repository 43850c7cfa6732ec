//! A job over all devices: cut into pieces that fit into their memory, units handed out as devices ask, sums merged.
//!
//! Entry: [`count`]. Whatever is cut or shared out, each pair is visited once: the sums are those of the whole job.

use super::CudaOptions;
use super::device::Device;
use super::error::CudaError;
use super::plan::{Carried, Plan};
use super::run::{CudaTimings, bytes_needed, run};
use super::sums::Sums;
use super::units::Queue;
use crate::binning::Formed;
use crate::engine::pieces::Piece;
use crate::engine::{PairJob, Progress};
use crate::error::EngineError;
use crate::ops::{BinSums, PairOp, Payload};
use crate::particles::Particles;

/// Devices that work at the same time.
pub(super) trait Devices {
    /// One of them.
    type Device: Device;

    /// All of them.
    fn all(&self) -> &[Self::Device];

    /// What `work` returns for each device, run on all at once.
    fn on_each<T: Send>(&self, work: impl Fn(&Self::Device) -> T + Sync) -> Vec<T>;
}

/// A job on its way through the devices.
struct Spread<'a, D> {
    devices: &'a D,
    options: &'a CudaOptions,
    job: &'a PairJob<'a>,
    binning: Formed<'a>,
    weights: Option<[&'a [f64]; 2]>,
    carried: Carried,
    progress: &'a dyn Progress,
    sums: Sums,
    timings: CudaTimings,
    description: String,
    pieces: usize,
}

/// Factors of the products to sum, if any.
type Factors<'a> = Option<[&'a [f64]; 2]>;

/// The weights that the kernels must carry, and the exponent of the coordinate that they must sum.
fn summed<O: PairOp>(op: &O) -> Result<(Factors<'_>, Option<i32>), CudaError> {
    let coordinate = op.coordinate_sums();
    let payload = coordinate.map_or_else(|| op.payload(), |sums| sums.beside);
    let weights = match payload {
        Payload::Count => None,
        Payload::Products(first, second) => Some([first, second]),
        Payload::Separation => return Err(CudaError::Unsupported),
    };
    Ok((weights, coordinate.map(|sums| sums.exponent)))
}

/// The name of the bins' type.
fn binning_name<O: PairOp>(_: &O) -> &'static str {
    std::any::type_name::<O::Binning>()
}

/// Runs `op` over every pair of `job`, and says where the time went and how it was planned.
///
/// # Errors
/// A job that `op` refuses, a device that fails, too little memory for even the smallest piece, or a stop asked for.
pub(super) fn count<D: Devices, O: PairOp>(
    devices: &D,
    options: &CudaOptions,
    job: &PairJob<'_>,
    op: &O,
    progress: &dyn Progress,
) -> Result<(O::Output, CudaTimings, String), EngineError> {
    op.admit(job)?;
    let binning = Formed::of(op.binning()).ok_or_else(|| CudaError::Binning(binning_name(op)))?;
    let (weights, coordinate) = summed(op)?;
    let mut output = op.empty();
    let (first, second) = job.pairs().both();
    progress.begin(job.n_pairs());
    if first.is_empty() || second.is_empty() || binning.n_bins == 0 {
        return Ok((
            output,
            CudaTimings::default(),
            "nothing to count".to_owned(),
        ));
    }
    let mut spread = Spread {
        devices,
        options,
        job,
        binning,
        weights,
        carried: Carried {
            weighted: weights.is_some(),
            coordinate,
        },
        progress,
        sums: Sums::default(),
        timings: CudaTimings::default(),
        description: String::new(),
        pieces: 0,
    };
    spread.add(&Piece::whole(job.pairs()))?;
    op.add_sums(
        &mut output,
        BinSums {
            npairs: &spread.sums.npairs,
            products: &spread.sums.products,
        },
    );
    if coordinate.is_some() {
        op.add_coordinates(&mut output, &spread.sums.coordinates);
    }
    let mut description = spread.description;
    if spread.pieces > 1 {
        description = format!("{description}, in {} pieces", spread.pieces);
    }
    Ok((output, spread.timings, description))
}

impl<D: Devices> Spread<'_, D> {
    /// Counts a piece, in smaller pieces if it does not fit.
    fn add(&mut self, piece: &Piece) -> Result<(), EngineError> {
        let runs = piece.runs();
        let weights = self
            .weights
            .map(|w| [&w[0][runs[0].clone()], &w[1][runs[1].clone()]]);
        match piece.with_job(self.job, |job| self.count(job, weights, piece.pairs())) {
            Err(EngineError::Cuda(error @ CudaError::Memory { .. })) => {
                let smaller = piece.cut(self.binning.order).ok_or(error)?;
                smaller.iter().try_for_each(|piece| self.add(piece))
            }
            other => other,
        }
    }

    /// Runs `job` on every device at once.
    fn count(
        &mut self,
        job: &PairJob<'_>,
        weights: Option<[&[f64]; 2]>,
        pairs: u64,
    ) -> Result<(), EngineError> {
        let devices = self.devices.all();
        let shared_limit = devices.iter().map(Device::shared_limit).min();
        let plan = Plan::new(
            job,
            &self.binning,
            self.carried,
            self.options,
            shared_limit.unwrap_or_default(),
        );
        let (first, second) = job.pairs().samples();
        let rows = [first.len(), second.map_or(0, Particles::len)].map(|n| n as u64);
        let needed = bytes_needed(&plan, rows, self.carried);
        // Looked at before any device begins: what one of them counted would be lost with the piece.
        for device in devices {
            device.make_room(needed)?;
        }
        let queue = Queue::default();
        let work = (&queue, devices.len());
        let summed = (weights, self.carried);
        let results = self.devices.on_each(|device| {
            let result = run(device, &plan, (job, pairs), summed, work, self.progress);
            if result.is_err() {
                queue.close();
            }
            result
        });
        let mut sums = Sums::default();
        let mut timings = CudaTimings::default();
        for result in results {
            let (part, times) = result?;
            sums.add(&part);
            timings.beside(times);
        }
        self.sums.add(&sums);
        self.timings.then(timings);
        self.description = plan.describe();
        self.pieces += 1;
        Ok(())
    }
}
