//! The readable reference: one thread, scalar, every pair.

use super::{Engine, PairJob, Pairs, Progress};
use crate::binning::{Binning, PairOrder};
use crate::error::EngineError;
use crate::ops::PairOp;

/// The plain double loop of the contract.
#[derive(Debug, Clone, Copy, Default)]
pub struct Naive;

/// Partners of a row between two looks at whether to stop.
const STRIDE: usize = 1 << 14;

impl Engine for Naive {
    fn run<O: PairOp>(
        &self,
        job: &PairJob<'_>,
        op: &O,
        progress: &dyn Progress,
    ) -> Result<O::Output, EngineError> {
        op.admit(job)?;
        let mut output = op.empty();
        let (first, second) = job.pairs().both();
        let auto = matches!(job.pairs(), Pairs::Auto(_));
        let both_orders = auto && op.binning().order() == PairOrder::Ordered;
        let (points, others) = (first.points().view(), second.points().view());
        let mut visit = |i: usize, j: usize| {
            let (x1, x2) = (points.at(i), others.at(j));
            let sep = job.domain().separation(x1, x2);
            if let Some(bin) = op.binning().bin(&sep) {
                op.add(&mut output, bin, [i, j], &sep);
            }
        };
        progress.begin(job.n_pairs());
        for i in 0..first.len() {
            let partners = if auto {
                i + 1..first.len()
            } else {
                0..second.len()
            };
            for start in partners.clone().step_by(STRIDE) {
                let some = start..partners.end.min(start + STRIDE);
                for j in some.clone() {
                    visit(i, j);
                    if both_orders {
                        visit(j, i);
                    }
                }
                progress.advance(some.len() as u64);
                if progress.stop_requested() {
                    return Err(EngineError::Interrupted);
                }
            }
        }
        Ok(output)
    }

    fn description(&self) -> String {
        "naive (scalar float64, 1 thread)".to_owned()
    }
}
