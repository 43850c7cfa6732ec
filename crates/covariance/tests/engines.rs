//! The integers of every engine, instruction set and number of threads are those of the double loop, and those of parts add up.
//!
//! `ALBIREO_COVARIANCE_JOBS` asks for more jobs than the default, 300 for a full trial.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod drawn;

use albireo::engine::{Cpu, Isa, Naive, Progress, Silent};
use albireo::error::EngineError;
use albireo_covariance::sampler::{RoundSums, SampleJob, SamplerError, SamplingEngine};
use drawn::{Draw, Size};

/// A job of a seed and some of its rounds.
fn job(seed: u64, draw: &mut Draw) -> (SampleJob, std::ops::Range<u64>) {
    let most = [30, 200, 3000][draw.below(3)];
    let size = Size {
        points: 8 + draw.below(most),
        bins: if draw.chance(0.5) { 4 } else { 20 },
    };
    let first = draw.below(5) as u64;
    let rounds = 1 + draw.below(if most < 1000 { 6 } else { 2 }) as u64;
    (
        SampleJob::new(drawn::input(seed, &size)).unwrap(),
        first..first + rounds,
    )
}

#[test]
fn all_engines_find_the_integers_of_the_double_loop() {
    let jobs = std::env::var("ALBIREO_COVARIANCE_JOBS").map_or(12, |text| text.parse().unwrap());
    let (mut filled, mut negative, mut by_region) = (0, 0, 0);
    for seed in 0..jobs {
        let mut draw = Draw::new(seed);
        let (job, rounds) = job(seed, &mut draw);
        let expected = Naive.rounds(&job, rounds.clone(), &Silent).unwrap();
        filled += u64::from(expected.quads > 0);
        negative += u64::from(expected.c4.iter().flatten().any(|sum| *sum < 0));
        by_region += u64::from(expected.regions.is_some());
        for isa in Isa::available() {
            let threads = 1 + draw.below(3);
            let engine = Cpu::new()
                .with_isa(isa)
                .unwrap()
                .with_threads(threads)
                .unwrap();
            let found = engine.rounds(&job, rounds.clone(), &Silent).unwrap();
            assert!(
                found == expected,
                "seed {seed}, {isa:?}, {threads} threads: {:?}",
                first_difference(&found, &expected)
            );
        }
        let middle = rounds.start + draw.below((rounds.end - rounds.start) as usize + 1) as u64;
        let mut whole = RoundSums::none(job.constants());
        for part in [middle..rounds.end, rounds.start..middle] {
            whole
                .add(&Cpu::new().rounds(&job, part, &Silent).unwrap())
                .unwrap();
        }
        assert!(whole == expected, "seed {seed}: parts of rounds");
    }
    assert!(
        filled * 3 > jobs * 2 && negative * 4 > jobs && by_region * 8 > jobs,
        "{filled} {negative} {by_region} of {jobs}"
    );
}

fn first_difference(found: &RoundSums, expected: &RoundSums) -> Option<(usize, i64, i64)> {
    let all = |sums: &RoundSums| {
        let of_regions = sums.regions.iter().flatten();
        let of_regions =
            of_regions.flat_map(|sums| [sums.equal.clone(), sums.shares.clone()].concat());
        [sums.c4.concat(), sums.c3.concat(), of_regions.collect()].concat()
    };
    let pairs = all(found).into_iter().zip(all(expected)).enumerate();
    pairs
        .map(|(k, (a, b))| (k, a, b))
        .find(|(_, a, b)| a != b)
        .or(Some((0, found.quads as i64, expected.quads as i64)))
}

#[test]
fn sums_of_another_job_are_refused() {
    let job = |seed| {
        SampleJob::new(drawn::input(
            seed,
            &Size {
                points: 20,
                bins: 3,
            },
        ))
        .unwrap()
    };
    let mut sums = RoundSums::none(job(1).constants());
    let other = RoundSums::none(job(2).constants());
    assert!(matches!(sums.add(&other), Err(SamplerError::Apart { .. })));
}

#[test]
fn a_stop_ends_a_run() {
    struct Stop;
    impl Progress for Stop {
        fn begin(&self, _: u64) {}
        fn advance(&self, _: u64) {}
        fn stop_requested(&self) -> bool {
            true
        }
    }
    let job = SampleJob::new(drawn::input(
        1,
        &Size {
            points: 40,
            bins: 3,
        },
    ))
    .unwrap();
    let stopped = Err(SamplerError::Engine(EngineError::Interrupted));
    assert_eq!(Naive.rounds(&job, 0..9, &Stop), stopped);
    assert_eq!(Cpu::new().rounds(&job, 0..9, &Stop), stopped);
}
