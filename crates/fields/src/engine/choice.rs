//! Which engine for sums per target, by the pairs of a source and a target within reach.
//!
//! Entry: [`choose_engine`].

#[cfg(feature = "cuda")]
use albireo::engine::cuda::Cuda;
use albireo::engine::{Auto, Choice, Cpu, cpu_rate};

use crate::FieldJob;

/// Pairs to test for counts in a few bins that take a thread as long as a pair of a source and a target within reach: 1.1e9 of these a
/// second, smooth Coulomb potentials with AVX-512, measured.
const COST: f64 = 2.5;

/// Cells that bound the sources in reach have so many times the volume of what is: 27 over 4/3 pi.
const BOUND: f64 = 6.4;

/// Pairs within reach that a device sums in a cycle for each float64 operation that it begins there: 24 operations a pair, six pairs in ten
/// of those that are met. Calculated.
const PAIRS_A_CYCLE: f64 = 0.6 / 24.0;

/// Cycles a second.
const CLOCK: f64 = 1.7e9;

/// Pairs within reach that a processor sums in a second.
fn processor_rate(cpu: &Cpu) -> f64 {
    cpu_rate(cpu.isa()) / COST * cpu.threads().max(1) as f64
}

/// Pairs within reach that devices sum in a second, of which so many float64 operations begin in a cycle.
fn device_rate(float64_lanes: f64) -> f64 {
    float64_lanes * CLOCK * PAIRS_A_CYCLE
}

/// Pairs a second of the two.
#[cfg(feature = "cuda")]
pub(super) fn field_rates(cpu: &Cpu, cuda: &Cuda) -> [f64; 2] {
    let lanes = f64::from(cuda.float64_lanes());
    [processor_rate(cpu), device_rate(lanes)]
}

/// The engine for the sums of a job.
pub fn choose_engine(auto: &Auto, job: &FieldJob) -> Choice {
    let bound = if job.term().reach().is_finite() {
        BOUND
    } else {
        1.0
    };
    let pairs = job.targets().len() as f64 * job.scale().most_terms as f64 / bound;
    let cpu = pairs / processor_rate(auto.cpu());
    auto.choose_by(cpu, |float64_lanes| pairs / device_rate(float64_lanes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Targets, Term};
    use albireo::Points;
    use albireo::domain::Domain;

    #[test]
    fn a_sum_that_is_soon_made_needs_no_gpu() {
        let points = Points::from_rows(&[[0.5; 3]]).unwrap();
        let grid = Grid::orthogonal([0.0; 3], [0.1; 3], [50, 50, 50]).unwrap();
        let term = Term::top_hat(0.2).unwrap();
        let targets = Targets::Grid(grid);
        let job = FieldJob::new(&points, &[1.0], &Domain::Open, term, targets).unwrap();
        let choice = choose_engine(&Auto::new(Cpu::new()), &job);
        assert!(choice.reason.starts_with("cpu, "), "{}", choice.reason);
    }
}
