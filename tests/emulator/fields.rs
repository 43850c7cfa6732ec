//! Sums per target and random numbers on emulated devices, against the double loop and the serial sequence.

use std::ops::Range;

use albireo::engine::cuda::{CudaError, fill};
use albireo::engine::{Cpu, Progress, Silent};
use albireo::error::EngineError;
use albireo::random::{Leap, Rand48};
use albireo::{Domain, Naive, Points};
use albireo_fields::devices::{field, field_by_variant};
use albireo_fields::{
    FieldEngine, FieldError, FieldJob, FieldSums, FieldVariant, Grid, Targets, Term,
    field_by_variant as on_cpu,
};
use albireo_kernels::Rand48Function;

use crate::attack::fields::{attack, made_by};
use crate::emulator::{Emulator, Emulators};
use crate::field_cases;
use crate::trials::Test;

pub(crate) const TESTS: [Test; 7] = [
    (
        "products_over_the_axes_are_those_of_the_double_loop",
        products_over_the_axes_are_those_of_the_double_loop,
    ),
    (
        "sums_per_target_are_those_of_the_double_loop",
        sums_per_target_are_those_of_the_double_loop,
    ),
    (
        "several_devices_share_out_the_targets",
        several_devices_share_out_the_targets,
    ),
    (
        "too_little_memory_for_a_plane_of_tiles_is_told",
        too_little_memory_for_a_plane_of_tiles_is_told,
    ),
    (
        "variants_make_the_sums_and_the_tests_of_the_processor",
        variants_make_the_sums_and_the_tests_of_the_processor,
    ),
    (
        "drawn_sums_per_target_are_those_of_the_double_loop",
        drawn_sums_per_target_are_those_of_the_double_loop,
    ),
    (
        "random_numbers_are_the_serial_sequence",
        random_numbers_are_the_serial_sequence,
    ),
];

const SHARED: usize = 48 << 10;

fn devices(number: usize) -> Emulators {
    Emulators(
        (0..number)
            .map(|_| Emulator::new(SHARED, 1 << 30))
            .collect(),
    )
}

fn naive(job: &FieldJob, planes: Range<usize>) -> FieldSums {
    Naive.field(job, planes, &Silent).unwrap()
}

fn sums_per_target_are_those_of_the_double_loop() {
    let one = devices(1);
    let on_one = |job: &FieldJob, planes| field(&one, job, planes, &Silent).unwrap().0;
    field_cases::every_case(&on_one, &naive, 90);
    field_cases::sizes(&on_one, &naive, 90);
    field_cases::hard_cases(&on_one, &naive);
}

fn several_devices_share_out_the_targets() {
    let three = devices(3);
    let on_three = |job: &FieldJob, planes| field(&three, job, planes, &Silent).unwrap().0;
    field_cases::hard_cases(&on_three, &naive);
}

fn products_over_the_axes_are_those_of_the_double_loop() {
    let one = devices(1);
    let on_one = |job: &FieldJob, planes| field(&one, job, planes, &Silent).unwrap().0;
    field_cases::products(&on_one, &naive, 90);
}

fn too_little_memory_for_a_plane_of_tiles_is_told() {
    let points = Points::from_rows(&[[0.5; 3]]).unwrap();
    let grid = Grid::orthogonal([0.0; 3], [0.1; 3], [9, 40, 40]).unwrap();
    let term = Term::top_hat(1.0).unwrap();
    let targets = Targets::Grid(grid);
    let job = FieldJob::new(&points, &[1.0], &Domain::Open, term, targets).unwrap();
    let small = Emulators(vec![Emulator::new(SHARED, 1000)]);
    let error = field(&small, &job, 0..9, &Silent).unwrap_err();
    assert!(
        matches!(
            error,
            FieldError::Engine(EngineError::Cuda(CudaError::Memory { free: 1000, .. }))
        ),
        "{error}"
    );
}

/// The ways of Rodrigues et al. 2008, on one device and on two; sources that find no room in small bins are the processor's.
fn variants_make_the_sums_and_the_tests_of_the_processor() {
    let cpu = Cpu::new().with_threads(2).unwrap();
    let by_all = |job: &FieldJob, planes: Range<usize>| {
        let expected = naive(job, planes.clone());
        for (k, variant) in field_cases::every_variant(job).into_iter().enumerate() {
            let devices = (&devices(1 + k % 2), &cpu);
            let found = field_by_variant(devices, variant, job, planes.clone(), &Silent);
            if variant == FieldVariant::Cylinder {
                let told = found.unwrap_err().to_string();
                assert!(told.contains("need the cpu engine"), "{told}");
                continue;
            }
            let (sums, tests, _) = found.unwrap();
            assert!(sums == expected, "{variant:?} {}", job.term().describe());
            let of_cpu = on_cpu(&cpu, variant, job, planes.clone(), &Silent);
            assert_eq!(tests, of_cpu.unwrap().1, "{variant:?}");
        }
        expected
    };
    field_cases::hard_cases(&by_all, &naive);
}

/// The cases of the standing attack: see `tests/attack.rs`.
fn drawn_sums_per_target_are_those_of_the_double_loop() {
    struct Emulated(Emulators);
    impl FieldEngine for Emulated {
        fn field(
            &self,
            job: &FieldJob,
            planes: Range<usize>,
            progress: &dyn Progress,
        ) -> Result<FieldSums, FieldError> {
            field(&self.0, job, planes, progress).map(|(sums, _)| sums)
        }
    }
    let emulated = Emulated(devices(1));
    let makers = [made_by("emulated cuda".to_owned(), &emulated)];
    match attack(&makers, 120, 3.0) {
        Ok(report) => eprintln!("{report}"),
        Err(told) => panic!("{told}"),
    }
}

/// Any number of streams and devices gives the numbers of the generator, wherever it stands.
fn random_numbers_are_the_serial_sequence() {
    for (streams, n) in [(1, 40), (3, 100), (32, 1000), (6144, 20_000), (6144, 6144)] {
        for number in [1, 2] {
            let devices = devices(number);
            let mut generator = Rand48::new(1);
            generator.jump(Leap::of(12_345));
            let (first, mut serial) = (generator, generator);
            let mut integers = vec![0u32; n];
            let function = Rand48Function::Lrand48;
            fill(&devices, function, streams, &mut generator, &mut integers).unwrap();
            assert!(integers.iter().all(|&k| k == serial.lrand48()), "{streams}");
            assert_eq!(generator, serial);
            let (mut generator, mut serial) = (first, first);
            let mut signed = vec![0i32; n];
            let function = Rand48Function::Mrand48;
            fill(&devices, function, streams, &mut generator, &mut signed).unwrap();
            assert!(signed.iter().all(|&k| k == serial.mrand48()), "{streams}");
            let (mut generator, mut serial) = (first, first);
            let mut uniform = vec![0f64; n];
            let function = Rand48Function::Drand48;
            fill(&devices, function, streams, &mut generator, &mut uniform).unwrap();
            assert!(uniform.iter().all(|&u| u == serial.drand48()), "{streams}");
        }
    }
    let mut none: [u32; 0] = [];
    let mut generator = Rand48::new(1);
    let function = Rand48Function::Lrand48;
    fill(&devices(1), function, 6144, &mut generator, &mut none).unwrap();
    assert_eq!(generator, Rand48::new(1));
}
