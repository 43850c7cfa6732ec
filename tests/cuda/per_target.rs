//! Sums per target, particles that move and random numbers on real devices.

use crate::lennard_jones::{argon, mixture};
use crate::{engine, field_cases, size, trials};

use albireo::engine::cuda::Precision;
use albireo::engine::{Cpu, Silent, Together};
use albireo::random::{self, Leapfrog, Rand48};
use albireo::{Domain, Naive};
use albireo_dynamics::{
    ForceEngine, Precision as MovingPrecision, Simulation, Start, Thermostat, Truncation,
};
use albireo_fields::{
    Cutoff, FieldEngine, FieldJob, FieldVariant, Grid, Precision as FieldPrecision, Targets, Term,
    field_by_variant,
};

pub(crate) const TESTS: [trials::Test; 7] = [
    (
        "sums_per_target_are_those_of_the_double_loop",
        sums_per_target_are_those_of_the_double_loop,
    ),
    (
        "a_map_of_many_atoms_is_that_of_the_processor",
        a_map_of_many_atoms_is_that_of_the_processor,
    ),
    (
        "variants_make_the_sums_and_the_tests_of_the_processor",
        variants_make_the_sums_and_the_tests_of_the_processor,
    ),
    (
        "processor_and_devices_share_a_map",
        processor_and_devices_share_a_map,
    ),
    (
        "random_numbers_are_the_serial_sequence",
        random_numbers_are_the_serial_sequence,
    ),
    (
        "trajectories_are_those_of_the_processor",
        trajectories_are_those_of_the_processor,
    ),
    (
        "steps_that_are_refused_are_told_as_the_processor_tells_them",
        steps_that_are_refused_are_told_as_the_processor_tells_them,
    ),
];

fn sums_per_target_are_those_of_the_double_loop() {
    let engine = engine(Precision::Exact);
    let on_device = |job: &FieldJob, planes| engine.field(job, planes, &Silent).unwrap();
    let naive = |job: &FieldJob, planes| Naive.field(job, planes, &Silent).unwrap();
    field_cases::every_case(&on_device, &naive, size(300));
    field_cases::sizes(&on_device, &naive, size(300));
    field_cases::products(&on_device, &naive, size(300));
    field_cases::hard_cases(&on_device, &naive);
}

/// Sources at a tenth of an atom a cubic length, and a grid of half lengths.
fn map_of_atoms(side: f64, shape: [usize; 3], precision: FieldPrecision) -> FieldJob {
    let n = (0.0966 * side.powi(3)) as usize;
    let points = random::in_box(n, 8, [side; 3]).unwrap();
    let charges: Vec<f64> = (0..n).map(|k| [-0.834, 0.417, 0.417][k % 3]).collect();
    let grid = Grid::orthogonal([0.0; 3], [0.5; 3], shape).unwrap();
    let term = Term::coulomb(Cutoff::Smooth(12.0), 0.1).unwrap();
    let targets = Targets::Grid(grid);
    let job = FieldJob::new(&points, &charges, &Domain::Open, term, targets).unwrap();
    job.with_precision(precision).unwrap()
}

fn a_map_of_many_atoms_is_that_of_the_processor() {
    for precision in [FieldPrecision::Double, FieldPrecision::Single] {
        let job = map_of_atoms(60.0, [121, 118, 123], precision);
        let planes = 40..57;
        let expected = Cpu::new().field(&job, planes.clone(), &Silent).unwrap();
        let all = engine(Precision::Exact)
            .field(&job, 0..121, &Silent)
            .unwrap();
        let plane = 118 * 123;
        assert!(all.sums()[40 * plane..57 * plane] == *expected.sums());
        let part = engine(Precision::Exact).field(&job, planes, &Silent);
        assert!(part.unwrap() == expected);
    }
}

/// The ways of Rodrigues et al. 2008 but for cylinders.
fn variants_make_the_sums_and_the_tests_of_the_processor() {
    let (engine, cpu) = (engine(Precision::Exact), Cpu::new());
    let same = |job: &FieldJob, planes: std::ops::Range<usize>| {
        for variant in field_cases::every_variant(job) {
            if variant == FieldVariant::Cylinder {
                continue;
            }
            let found = engine.field_by_variant(variant, job, planes.clone(), &Silent);
            let of_cpu = field_by_variant(&cpu, variant, job, planes.clone(), &Silent);
            assert!(found.unwrap() == of_cpu.unwrap(), "{variant:?}");
        }
        cpu.field(job, planes, &Silent).unwrap()
    };
    let naive = |job: &FieldJob, planes| Naive.field(job, planes, &Silent).unwrap();
    field_cases::hard_cases(&same, &naive);
    for precision in [FieldPrecision::Double, FieldPrecision::Single] {
        let job = map_of_atoms(40.0, [70, 61, 83], precision);
        same(&job, 0..70);
        same(&job, 13..31);
    }
}

fn processor_and_devices_share_a_map() {
    let job = map_of_atoms(40.0, [90, 81, 81], FieldPrecision::Double);
    let both = Together::new(Cpu::new(), engine(Precision::Exact));
    let expected = Cpu::new().field(&job, 0..90, &Silent).unwrap();
    assert!(both.field(&job, 0..90, &Silent).unwrap() == expected);
}

/// The streams of van Meel et al., fewer and more, over more numbers than are made at a time.
fn random_numbers_are_the_serial_sequence() {
    let engine = engine(Precision::Exact);
    for (streams, n) in [(6144, (1 << 26) + 12_345), (1, 100_000), (1 << 20, 3 << 20)] {
        let leapfrog = Leapfrog::default().with_streams(streams).unwrap();
        let (mut generator, mut serial) = (Rand48::new(1), Rand48::new(1));
        let (mut found, mut expected) = (vec![0; n], vec![0; n]);
        engine
            .lrand48(leapfrog, &mut generator, &mut found)
            .unwrap();
        Leapfrog::default()
            .lrand48(&mut serial, &mut expected)
            .unwrap();
        assert!(found == expected && generator == serial, "{streams}");
        assert_eq!(found[..3], [89_400_484, 976_015_093, 1_792_756_325]);
        let (mut found, mut expected) = (vec![0.0; n], vec![0.0; n]);
        engine
            .drand48(leapfrog, &mut generator, &mut found)
            .unwrap();
        Leapfrog::default()
            .drand48(&mut serial, &mut expected)
            .unwrap();
        assert!(found == expected && generator == serial, "{streams}");
        let (mut found, mut expected) = (vec![0; 999], vec![0; 999]);
        engine
            .mrand48(leapfrog, &mut generator, &mut found)
            .unwrap();
        Leapfrog::default()
            .mrand48(&mut serial, &mut expected)
            .unwrap();
        assert!(found == expected && generator == serial, "{streams}");
    }
}

/// Liquids of many cells, a mixture and a droplet in a wide box, in both precisions: every word and all that is observed.
fn trajectories_are_those_of_the_processor() {
    let shifted = Truncation::ForceShifted(2.5);
    let liquid = Start::fcc(size(20_000), 0.8442).unwrap();
    let mixed = Start::fcc(size(4000), 1.1).unwrap();
    let numbers = [mixed.len() / 4, mixed.len() - mixed.len() / 4];
    let mixed = mixed.with_shuffled_species(&numbers, 3).unwrap();
    let droplet = Start::new(
        [40.0; 3],
        Start::fcc(500, 0.9).unwrap().positions().to_vec(),
    );
    let cases = [
        (argon(Truncation::Cut(2.5)), liquid),
        (mixture(shifted), mixed),
        (argon(Truncation::Wca), Start::fcc(3000, 0.9).unwrap()),
        (argon(Truncation::Shifted(2.5)), droplet.unwrap()),
    ];
    let on_device = ForceEngine::cuda(&engine(Precision::Exact)).unwrap();
    for (potential, start) in &cases {
        let start = start.clone().with_temperature(1.44, 1, potential).unwrap();
        for precision in [MovingPrecision::Double, MovingPrecision::Single] {
            let rescale = Thermostat::Rescale {
                temperature: 1.2,
                every: 90,
            };
            let langevin = Thermostat::Langevin {
                temperature: 1.2,
                friction: 1.0,
                seed: 5,
            };
            let run = |engine: &ForceEngine, thermostat| {
                let steps = (0.005, 0.3);
                let fluid = Simulation::with_precision(precision, potential, &start, steps, engine);
                let mut fluid = fluid.unwrap().with_thermostat(thermostat).unwrap();
                let before = fluid.observe();
                fluid.advance(200, &Silent).unwrap();
                (before, fluid.observe(), fluid.state())
            };
            let cells = ForceEngine::Cells(Cpu::new());
            for thermostat in [rescale, langevin] {
                assert!(
                    run(&on_device, thermostat) == run(&cells, thermostat),
                    "{precision:?} {potential:?} {thermostat:?}"
                );
            }
        }
    }
}

fn steps_that_are_refused_are_told_as_the_processor_tells_them() {
    let argon = argon(Truncation::Cut(2.5));
    let start = Start::fcc(4000, 0.8442).unwrap();
    let hot = start.with_temperature(40.0, 3, &argon).unwrap();
    let refused = |engine: &ForceEngine| {
        let mut fluid = Simulation::new(&argon, &hot, 0.02, 0.6, engine).unwrap();
        let error = fluid.advance(200, &Silent).unwrap_err().to_string();
        (error, fluid.step())
    };
    let on_device = ForceEngine::cuda(&engine(Precision::Exact)).unwrap();
    assert_eq!(
        refused(&on_device),
        refused(&ForceEngine::Cells(Cpu::new()))
    );
}
