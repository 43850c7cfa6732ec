//! The readable reference: one thread, scalar, every pair.

use super::{Engine, Pairs, PreparedJob, Progress, Report, Sorted};
use crate::binning::PairOrder;
use crate::domain::Domain;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::tally::{CountSpec, Tally, Terms};

/// The plain double loop of the contract.
#[derive(Debug, Clone, Copy, Default)]
pub struct Naive;

/// The reference sorts nothing.
struct NotSorted;

/// Partners of a row between two looks at whether to stop.
const STRIDE: usize = 1 << 14;

impl Engine for Naive {
    fn sort(&self, _: &Particles, _: &Domain, _: &dyn Progress) -> Result<Sorted, EngineError> {
        Ok(Sorted::new(NotSorted))
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        job.sorted::<NotSorted>("naive")?;
        let job = job.job();
        what.admit(job)?;
        let terms = Terms::new(what, job.pairs())?;
        let mut tally = terms.empty();
        let (first, second) = job.pairs().both();
        let auto = matches!(job.pairs(), Pairs::Auto(_));
        let both_orders = auto && what.order() == PairOrder::Ordered;
        let (points, others) = (first.points().view(), second.points().view());
        let mut visit = |i: usize, j: usize| {
            let sep = job.domain().separation(points.at(i), others.at(j));
            terms.add(&mut tally, [i, j], &sep);
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
        Ok((tally, Report::default()))
    }

    fn description(&self) -> String {
        "naive (scalar float64, 1 thread)".to_owned()
    }
}
