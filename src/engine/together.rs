//! CPU and GPUs on one job, each with as much of it as it does in the same time.
//!
//! Entry: [`Together`]. It is worth it where the GPU is not much faster than the processor: what is shared out is sorted more than once.

use std::sync::{Mutex, PoisonError};

use super::auto::relative_rates;
use super::cuda::{Cuda, CudaError};
use super::held::without_held;
use super::mirrored::in_one_order;
use super::pieces::Piece;
use super::{Cpu, Engine, Exactness, PairJob, Pairs, PreparedJob, Progress, Report, Sorted};
use crate::binning::PairOrder;
use crate::domain::Domain;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::progress::OfPiece;
use crate::tally::{Classes, CountSpec, Merge, Tally};

/// The CPU and the GPUs at the same time.
#[derive(Debug, Clone)]
pub struct Together {
    cpu: Cpu,
    cuda: Cuda,
}

/// What is shared out is sorted piece by piece.
struct ByPieces;

/// Runs that the CPU's share of each sample is cut into: the last piece then keeps nobody waiting for long.
const RUNS: usize = 4;
/// Rows below which a run is not worth sorting.
const FEWEST: usize = 256;

/// The pieces of a job: one lot for the fast engine, and small ones, worth about `share` of the whole, for whoever is free.
fn deal(pairs: Pairs<'_>, order: PairOrder, share: f64) -> [Vec<Piece>; 2] {
    let head = |n: usize| {
        let rows = (n as f64 * share.sqrt()) as usize;
        if rows < RUNS * FEWEST { 0 } else { rows }
    };
    let runs = |m: usize| -> Vec<_> {
        (0..RUNS)
            .map(|k| m * k / RUNS..m * (k + 1) / RUNS)
            .filter(|run| !run.is_empty())
            .collect()
    };
    let mut small = Vec::new();
    let large = match pairs {
        Pairs::Auto(sample) => {
            let (n, m) = (sample.len(), head(sample.len()));
            let runs = runs(m);
            for (k, a) in runs.iter().enumerate() {
                small.push(Piece::Auto(a.clone()));
                for b in &runs[k + 1..] {
                    small.extend(Piece::between(a, b, order));
                }
            }
            let mut large = vec![Piece::Auto(m..n)];
            large.extend(Piece::between(&(0..m), &(m..n), order));
            large
        }
        Pairs::Cross(first, second) => {
            let (n1, n2) = (first.len(), second.len());
            let (m1, m2) = match (head(n1), head(n2)) {
                (0, _) | (_, 0) => (0, 0),
                heads => heads,
            };
            for a in runs(m1) {
                small.extend(runs(m2).into_iter().map(|b| Piece::Cross(a.clone(), b)));
            }
            vec![Piece::Cross(m1..n1, 0..n2), Piece::Cross(0..m1, m2..n2)]
        }
    };
    let some = |pieces: Vec<Piece>| pieces.into_iter().filter(|p| p.pairs() > 0).collect();
    [some(large), some(small)]
}

/// Counts `what` over the pieces of `job`: the large ones on `fast`, the small ones on both.
fn share_out(
    (fast, slow): (&(dyn Engine + Sync), &dyn Engine),
    [large, small]: [Vec<Piece>; 2],
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    let small = Mutex::new(small);
    let next = || small.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let (fast, slow) = std::thread::scope(|scope| {
        let fast = scope.spawn(|| {
            let pieces = large.into_iter().chain(std::iter::from_fn(next));
            count_pieces(fast, pieces, job, what, progress)
        });
        let slow = count_pieces(slow, std::iter::from_fn(next), job, what, progress);
        let fast = fast.join();
        (
            fast.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            slow,
        )
    });
    let mut tally = fast?;
    tally.merge(slow?);
    Ok(tally)
}

fn count_pieces(
    engine: &dyn Engine,
    pieces: impl Iterator<Item = Piece>,
    job: &PairJob<'_>,
    what: &CountSpec,
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    let what = what
        .clone()
        .with_weight_exponents(what.weight_exponents(job.pairs()));
    let mut tally = what.zero(job.pairs())?;
    for piece in pieces {
        let part = piece.with_job(job, |job| engine.run(job, &what, &OfPiece(progress)));
        tally.merge(part?);
    }
    Ok(tally)
}

impl Together {
    /// The two of them.
    pub fn parts(&self) -> (&Cpu, &Cuda) {
        (&self.cpu, &self.cuda)
    }

    /// Both engines.
    pub fn new(cpu: Cpu, cuda: Cuda) -> Self {
        Self { cpu, cuda }
    }
}

impl Engine for Together {
    fn sort(&self, _: &Particles, _: &Domain, _: &dyn Progress) -> Result<Sorted, EngineError> {
        Ok(Sorted::new(ByPieces))
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        job.sorted::<ByPieces>("cuda+cpu")?;
        let job = job.job();
        what.admit(job)?;
        if what.reaches_beyond(job.domain()) {
            let tally = self.cpu.run(job, what, progress)?;
            return Ok((tally, Report::by_processor(&self.cpu.description())));
        }
        // Pieces of an auto count are cross counts, whose tables are others.
        if what.classes() != Classes::One {
            let shared = "classes of pairs shared out with the processor";
            return Err(CudaError::Unsupported(shared).into());
        }
        progress.begin(job.n_pairs());
        let [cpu, cuda] = relative_rates(&self.cpu, &self.cuda);
        let rate = cpu / (cpu + cuda);
        let count = |all: &CountSpec| {
            let deal = || deal(job.pairs(), all.bins().order(), rate);
            all.pass_by_pass(|one| share_out((&self.cuda, &self.cpu), deal(), job, one, progress))
        };
        in_one_order(job, what, self.exactness(), |once| {
            match without_held(job, once, None, progress, count)? {
                Some(tally) => Ok((tally, Report::default())),
                None => Err(CudaError::Unsupported("these cuts").into()),
            }
        })
    }

    fn description(&self) -> String {
        format!("{} and {}", self.cuda.description(), self.cpu.description())
    }

    fn exactness(&self) -> Exactness {
        self.cuda.exactness()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::{Edges, LineOfSight, RBins, SMuBins, SignedEdges};
    use crate::engine::pieces::tests::{assert_auto, visits};
    use crate::engine::{Naive, Silent};
    use crate::particles::Points;
    use crate::tally::Sum;

    fn sample(n: usize, seed: usize) -> Particles {
        let column = |k: usize| -> Vec<f64> {
            (0..n)
                .map(|i| ((i * k + seed) % 9973) as f64 / 9973.0)
                .collect()
        };
        let points = Points::new(column(17), column(391), column(4801)).unwrap();
        Particles::weighted(points, column(77).iter().map(|w| w - 0.25).collect()).unwrap()
    }

    #[test]
    fn every_pair_is_dealt_once() {
        let (a, b) = (sample(1500, 1), sample(1200, 2));
        for share in [0.0, 0.3, 0.9, 1.0] {
            for order in [PairOrder::Unordered, PairOrder::Ordered] {
                let pieces = deal(Pairs::Auto(&a), order, share).concat();
                assert_auto(1500, &pieces, order);
                let pieces = deal(Pairs::Cross(&a, &b), order, share).concat();
                let seen = visits([1500, 1200], &pieces, order);
                assert!(seen.iter().all(|&times| times == 1));
            }
        }
        let [large, small] = deal(Pairs::Auto(&a), PairOrder::Unordered, 0.9);
        assert!(large.len() == 2 && small.len() == 10, "{large:?} {small:?}");
        let [_, small] = deal(Pairs::Auto(&a), PairOrder::Unordered, 0.01);
        assert!(small.is_empty(), "too few to be worth sorting");
    }

    fn agrees(job: &PairJob<'_>, what: &CountSpec) {
        let pieces = deal(job.pairs(), what.bins().order(), 0.8);
        assert!(pieces.iter().all(|lot| !lot.is_empty()));
        // Not the CPU's: all its kernels would be compiled for this alone, and tests of engines count with them.
        let shared = share_out((&Naive, &Naive), pieces, job, what, &Silent).unwrap();
        assert!(shared == Naive.run(job, what, &Silent).unwrap());
    }

    #[test]
    fn shared_out_counts_are_those_of_the_whole() {
        let (a, b) = (sample(1300, 3), sample(1200, 4));
        let s = Edges::linear(0.0, 0.6, 12).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let bins = SMuBins::new(s.clone(), mu.clone(), LineOfSight::First).unwrap();
            agrees(&job, &CountSpec::new(bins).with_sum(Sum::Product));
            let what = CountSpec::new(RBins::new(s.clone())).with_sum(Sum::Product);
            agrees(&job, &what.with_sum(Sum::Separation));
        }
    }
}
