//! Quads and triples of random points on emulated devices, against the double loop.

use albireo::Naive;
use albireo::engine::{Cpu, Silent};
use albireo_covariance::sampler::{SampleJob, SamplingEngine, devices};

use crate::drawn_samples::{Draw, Size, input};
use crate::emulator::{Emulator, Emulators};
use crate::trials::Test;

pub(crate) const TESTS: [Test; 2] = [
    (
        "tiles_of_clouds_are_those_of_the_double_loop",
        tiles_of_clouds_are_those_of_the_double_loop,
    ),
    (
        "sums_by_region_are_refused_by_devices",
        sums_by_region_are_refused_by_devices,
    ),
];

fn devices_of(number: usize) -> Emulators {
    let device = |_| Emulator::new(64 << 10, 1 << 30);
    Emulators((0..number).map(device).collect())
}

fn tiles_of_clouds_are_those_of_the_double_loop() {
    let cpu = Cpu::new().with_threads(1).unwrap();
    let (mut filled, mut tracers) = (0, 0);
    for seed in 0..30 {
        let mut draw = Draw::new(seed);
        let size = Size {
            points: 20 + draw.below(60),
            bins: 6,
        };
        let input = input(5000 + seed, &size);
        if input.region_shares.is_some() {
            continue;
        }
        let job = SampleJob::new(input).unwrap();
        let rounds = draw.below(3) as u64..4;
        let expected = Naive.rounds(&job, rounds.clone(), &Silent).unwrap();
        let devices = devices_of(1 + draw.below(3));
        let found = devices::rounds(&devices, &cpu, &job, rounds, &Silent).unwrap();
        assert!(found == expected, "seed {seed}");
        filled += u32::from(expected.c4.iter().flatten().any(|sum| *sum != 0));
        tracers += job.constants().tracers() - 1;
    }
    assert!(filled > 10 && tracers > 4, "{filled} {tracers}");
}

fn sums_by_region_are_refused_by_devices() {
    let jobs = (0..30).map(|seed| {
        input(
            seed,
            &Size {
                points: 20,
                bins: 3,
            },
        )
    });
    let input = jobs
        .into_iter()
        .find(|input| input.region_shares.is_some())
        .unwrap();
    let job = SampleJob::new(input).unwrap();
    let cpu = Cpu::new().with_threads(1).unwrap();
    let refused = devices::rounds(&devices_of(1), &cpu, &job, 0..1, &Silent);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("sums by region: use the cpu engine"),
        "{message}"
    );
}
