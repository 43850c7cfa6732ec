//! A job over all devices: cut into pieces that fit into their memory, units handed out as devices ask, sums merged.
//!
//! Entry: [`count`]. Whatever is cut or shared out, each pair is visited once: the sums are those of the whole job.

use std::ops::Range;

use super::device::Device;
use super::error::CudaError;
use super::plan::Plan;
use super::run::{CudaTimings, bytes_needed, run};
use super::sums::Sums;
use super::units::Queue;
use super::{CudaOptions, weights_of};
use crate::binning::{Binning, PairOrder};
use crate::engine::{PairJob, Pairs, Progress};
use crate::error::EngineError;
use crate::ops::{BinSums, PairOp};
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

/// Runs of rows, of the first and of the second sample, that are paired with one another.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// The pairs within a run.
    Auto(Range<usize>),
    /// Every row of the first run with every one of the second.
    Cross(Range<usize>, Range<usize>),
}

/// Rows below which a run is not cut any further.
const SMALLEST: usize = 64;

fn halves(rows: &Range<usize>) -> [Range<usize>; 2] {
    let middle = rows.start + rows.len() / 2;
    [rows.start..middle, middle..rows.end]
}

impl Piece {
    fn whole(pairs: Pairs<'_>) -> Self {
        match pairs {
            Pairs::Auto(sample) => Self::Auto(0..sample.len()),
            Pairs::Cross(first, second) => Self::Cross(0..first.len(), 0..second.len()),
        }
    }

    /// Smaller pieces with the same pairs; `both_orders` where an auto count holds each pair in both.
    fn cut(&self, both_orders: bool) -> Option<Vec<Self>> {
        match self {
            Self::Auto(rows) if rows.len() > SMALLEST => {
                let [a, b] = halves(rows);
                let mut pieces = vec![
                    Self::Auto(a.clone()),
                    Self::Auto(b.clone()),
                    Self::Cross(a.clone(), b.clone()),
                ];
                if both_orders {
                    pieces.push(Self::Cross(b, a));
                }
                Some(pieces)
            }
            Self::Cross(a, b) if a.len().max(b.len()) > SMALLEST => {
                let pieces = if a.len() >= b.len() {
                    halves(a).map(|a| Self::Cross(a, b.clone()))
                } else {
                    halves(b).map(|b| Self::Cross(a.clone(), b))
                };
                Some(pieces.into())
            }
            _ => None,
        }
    }

    /// The number of pairs.
    fn pairs(&self) -> u64 {
        match self {
            Self::Auto(rows) => rows.len() as u64 * (rows.len() as u64).saturating_sub(1) / 2,
            Self::Cross(a, b) => a.len() as u64 * b.len() as u64,
        }
    }
}

/// A job on its way through the devices.
struct Spread<'a, D, B> {
    devices: &'a D,
    options: &'a CudaOptions,
    job: &'a PairJob<'a>,
    binning: &'a B,
    weights: Option<[&'a [f64]; 2]>,
    progress: &'a dyn Progress,
    sums: Sums,
    timings: CudaTimings,
    description: String,
    pieces: usize,
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
    let weights = weights_of(op.payload())?;
    options.kernel.check()?;
    let mut output = op.empty();
    let (first, second) = job.pairs().both();
    progress.begin(job.n_pairs());
    if first.is_empty() || second.is_empty() || op.binning().n_bins() == 0 {
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
        binning: op.binning(),
        weights,
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
    let mut description = spread.description;
    if spread.pieces > 1 {
        description = format!("{description}, in {} pieces", spread.pieces);
    }
    Ok((output, spread.timings, description))
}

impl<D: Devices, B: Binning> Spread<'_, D, B> {
    /// Counts a piece, in smaller pieces if it does not fit.
    fn add(&mut self, piece: &Piece) -> Result<(), EngineError> {
        let counted = match piece {
            _ if *piece == Piece::whole(self.job.pairs()) => {
                self.count(self.job, self.weights, piece.pairs())
            }
            Piece::Auto(rows) => {
                let sample = self.job.pairs().both().0.rows(rows.clone());
                let weights = self.weights.map(|w| w.map(|w| &w[rows.clone()]));
                self.count_part(Pairs::Auto(&sample), weights, piece)
            }
            Piece::Cross(a, b) => {
                let (first, second) = self.job.pairs().both();
                let (first, second) = (first.rows(a.clone()), second.rows(b.clone()));
                let weights = self.weights.map(|w| [&w[0][a.clone()], &w[1][b.clone()]]);
                self.count_part(Pairs::Cross(&first, &second), weights, piece)
            }
        };
        match counted {
            Err(EngineError::Cuda(CudaError::Memory {
                device,
                needed,
                free,
            })) => {
                let both_orders = self.binning.order() == PairOrder::Ordered;
                let smaller = piece.cut(both_orders).ok_or(CudaError::Memory {
                    device,
                    needed,
                    free,
                })?;
                smaller.iter().try_for_each(|piece| self.add(piece))
            }
            other => other,
        }
    }

    fn count_part(
        &mut self,
        pairs: Pairs<'_>,
        weights: Option<[&[f64]; 2]>,
        piece: &Piece,
    ) -> Result<(), EngineError> {
        let job = PairJob::new(pairs, self.job.domain())?.with_traversal(self.job.traversal());
        self.count(&job, weights, piece.pairs())
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
            self.binning,
            weights.is_some(),
            self.options,
            shared_limit.unwrap_or_default(),
        );
        let (first, second) = job.pairs().samples();
        let rows = [first.len(), second.map_or(0, Particles::len)].map(|n| n as u64);
        let needed = bytes_needed(&plan, rows, weights.is_some());
        // Looked at before any device begins: what one of them counted would be lost with the piece.
        for device in devices {
            device.make_room(needed)?;
        }
        let queue = Queue::default();
        let work = (&queue, devices.len());
        let results = self.devices.on_each(|device| {
            let result = run(device, &plan, (job, pairs), weights, work, self.progress);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each ordered pair of rows is in the pieces.
    fn visits(n: [usize; 2], whole: Piece, both_orders: bool, depth: usize) -> Vec<u32> {
        let mut pieces = vec![whole];
        for _ in 0..depth {
            pieces = pieces
                .iter()
                .flat_map(|piece| {
                    piece
                        .cut(both_orders)
                        .unwrap_or_else(|| vec![piece.clone()])
                })
                .collect();
        }
        let mut seen = vec![0; n[0] * n[1]];
        for piece in pieces {
            match piece {
                Piece::Auto(rows) => {
                    for i in rows.clone() {
                        for j in rows.clone().filter(|&j| j > i || (both_orders && j != i)) {
                            seen[i * n[1] + j] += 1;
                        }
                    }
                }
                Piece::Cross(a, b) => {
                    for i in a {
                        b.clone().for_each(|j| seen[i * n[1] + j] += 1);
                    }
                }
            }
        }
        seen
    }

    #[test]
    fn pieces_hold_each_pair_as_often_as_the_whole() {
        for depth in 0..4 {
            let n = 3 * SMALLEST + 1;
            for (both_orders, times) in [(false, 1), (true, 2)] {
                let seen = visits([n, n], Piece::Auto(0..n), both_orders, depth);
                for i in 0..n {
                    assert_eq!(seen[i * n + i], 0);
                    for j in 0..i {
                        assert_eq!(seen[i * n + j] + seen[j * n + i], times, "{i} {j}");
                    }
                }
            }
            let m = SMALLEST / 2;
            let seen = visits([n, m], Piece::Cross(0..n, 0..m), false, depth);
            assert!(seen.iter().all(|&times| times == 1));
        }
        assert_eq!(Piece::Auto(0..SMALLEST).cut(true), None);
    }
}
