//! Which engine for sums per target, by the pairs of a source and a target within reach.

use super::{Auto, Choice, Cpu, cpu_rate};
#[cfg(feature = "cuda")]
use super::{Cuda, gpu};
use crate::field::FieldJob;

/// Pairs to test for counts in a few bins that take a thread as long as a pair of a source and a target within reach: 1.1e9 of these a
/// second, smooth Coulomb potentials with AVX-512, measured.
const COST: f64 = 2.5;

/// Cells that bound the sources in reach have so many times the volume of what is: 27 over 4/3 pi.
const BOUND: f64 = 6.4;

/// Pairs within reach that a device sums in a cycle for each float64 operation that it begins there: 24 operations a pair, six pairs in ten
/// of those that are met. Calculated.
#[cfg(feature = "cuda")]
const PAIRS_A_CYCLE: f64 = 0.6 / 24.0;

/// Cycles a second.
#[cfg(feature = "cuda")]
const CLOCK: f64 = 1.7e9;

/// Pairs within reach that a processor sums in a second.
fn processor_rate(cpu: &Cpu) -> f64 {
    cpu_rate(cpu.isa()) / COST * cpu.threads().max(1) as f64
}

/// Pairs within reach that devices sum in a second.
#[cfg(feature = "cuda")]
fn device_rate(cuda: &Cuda) -> f64 {
    f64::from(cuda.float64_lanes()) * CLOCK * PAIRS_A_CYCLE
}

/// Pairs a second of the two.
#[cfg(feature = "cuda")]
pub(in super::super) fn field_rates(cpu: &Cpu, cuda: &Cuda) -> [f64; 2] {
    [processor_rate(cpu), device_rate(cuda)]
}

impl Auto {
    /// The engine for the sums of a job.
    pub fn choose_field(&self, job: &FieldJob) -> Choice {
        let bound = if job.term().reach().is_finite() {
            BOUND
        } else {
            1.0
        };
        let pairs = job.targets().len() as f64 * job.scale().most_terms as f64 / bound;
        let cpu = pairs / processor_rate(&self.cpu);
        #[cfg(not(feature = "cuda"))]
        return self.stay(cpu, "");
        #[cfg(feature = "cuda")]
        self.weigh_field(pairs, cpu)
    }

    /// Looks for GPUs, if it takes less time to find them than to do without.
    #[cfg(feature = "cuda")]
    fn weigh_field(&self, pairs: f64, cpu: f64) -> Choice {
        if self.cuda.get().is_none() && cpu <= gpu::START {
            return self.stay(cpu, "");
        }
        self.against(cpu, |cuda| gpu::RUN + pairs / device_rate(cuda))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::field::{Grid, Targets, Term};
    use crate::particles::Points;

    #[test]
    fn a_sum_that_is_soon_made_needs_no_gpu() {
        let points = Points::from_rows(&[[0.5; 3]]).unwrap();
        let grid = Grid::orthogonal([0.0; 3], [0.1; 3], [50, 50, 50]).unwrap();
        let term = Term::top_hat(0.2).unwrap();
        let targets = Targets::Grid(grid);
        let job = FieldJob::new(&points, &[1.0], &Domain::Open, term, targets).unwrap();
        let choice = Auto::new(Cpu::new()).choose_field(&job);
        assert!(choice.reason.starts_with("cpu, "), "{}", choice.reason);
    }
}
