//! Which engine samples, by the quads that it is expected to count.
//!
//! Entry: [`choose_engine`]. Clouds and kept pairs are found by the processor in any case.

use std::ops::Range;

use albireo::engine::{AnyEngine, Auto, Choice, Cpu, Progress, cpu_rate};

use super::{RoundSums, SampleJob, SamplerError, SamplingEngine};

/// Pairs to test for counts in a few bins that take a thread as long as a quad in bins of (s, mu), measured with AVX-512.
const COST: f64 = 5.0;

/// Quads that a device counts in a cycle for each float64 operation that it begins there: 3.1e11 a second of an H100, measured.
const QUADS_A_CYCLE: f64 = 0.022;

/// Cycles a second.
const CLOCK: f64 = 1.7e9;

/// The engine for some rounds of a job.
pub fn choose_engine(auto: &Auto, job: &SampleJob, rounds: u64) -> Choice {
    if !job.constants().shares.is_empty() {
        return Choice {
            engine: AnyEngine::Cpu(auto.cpu().clone()),
            reason: "cpu: GPUs make no sums by region".to_owned(),
        };
    }
    let quads = job.expected_quads() * rounds as f64;
    let cpu = quads / processor_rate(auto.cpu());
    auto.choose_by(cpu, |lanes| quads / (lanes * CLOCK * QUADS_A_CYCLE))
}

/// Quads that a processor counts in a second.
fn processor_rate(cpu: &Cpu) -> f64 {
    cpu_rate(cpu.isa()) / COST * cpu.threads().max(1) as f64
}

impl SamplingEngine for AnyEngine {
    fn rounds(
        &self,
        job: &SampleJob,
        rounds: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<RoundSums, SamplerError> {
        let engine: &dyn SamplingEngine = match self {
            Self::Naive(engine) => engine,
            Self::Cpu(engine) => engine,
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => engine,
            #[cfg(feature = "cuda")]
            Self::Together(engine) => engine,
        };
        engine.rounds(job, rounds, progress)
    }
}

#[cfg(test)]
mod tests {
    use albireo::{Domain, Edges, Particles, Points, RBins};

    use super::*;
    use crate::sampler::{Input, Settings, XiTable};

    #[test]
    fn few_quads_need_no_gpu() {
        let rows: Vec<[f64; 3]> = (0..40).map(|k| [f64::from(k), 0.0, 0.0]).collect();
        let settings = Settings {
            cloud: 2.0,
            ..Settings::default()
        };
        let job = SampleJob::new(Input {
            domain: Domain::Open,
            bins: RBins::new(Edges::linear(0.5, 4.5, 2).unwrap()).into(),
            line_of_sight: None,
            randoms: vec![Particles::new(Points::from_rows(&rows).unwrap())],
            xi: vec![XiTable::from_fn(0.5, 10.0, |_, _| 0.1).unwrap()],
            // Both orders of pairs that are 1 and 2, 3 and 4 apart.
            random_pairs: vec![vec![2.0 * 77.0, 2.0 * 73.0]],
            region_shares: None,
            settings,
        })
        .unwrap();
        assert!((job.expected_quads() - 4.0 * 150.0).abs() < 1e-9);
        let choice = choose_engine(&Auto::new(Cpu::new()), &job, 2);
        assert!(choice.reason.starts_with("cpu, "), "{}", choice.reason);
    }
}
