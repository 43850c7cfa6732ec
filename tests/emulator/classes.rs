//! Classes of pairs on the emulated device, against the double loop.

use albireo::engine::cuda::{CudaError, KernelChoice, Precision, count};
use albireo::engine::{PreparedJob, Silent};
use albireo::error::EngineError;
use albireo::tally::{Classes, CountSpec, Sum};
use albireo::{
    Axis, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles, Points,
    RBins, SMuBins, SignedEdges,
};

use super::emulator::{Emulator, Emulators};
use super::{Emulated, PLENTY, SHARED, small, suite, uniform};

/// The same particles with labels below `number`: at random, or by place along x.
fn labelled(sample: &Particles, number: u32, by_place: bool, seed: u64) -> Particles {
    let mut random = suite::Random::new(seed);
    let label = |row: usize| {
        let at = if by_place {
            sample.points().at(row)[0].rem_euclid(1.0)
        } else {
            random.next()
        };
        (at * f64::from(number)) as u32
    };
    let labels = Labels::new((0..sample.len()).map(label).collect(), number).unwrap();
    sample.clone().labelled(labels).unwrap()
}

pub(crate) fn classes_are_those_of_the_double_loop() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    let several = Emulated {
        options: engine.options.clone(),
        devices: Emulators((0..3).map(|_| Emulator::new(SHARED, PLENTY)).collect()),
    };
    for (turn, (name, domain)) in suite::domains().into_iter().enumerate() {
        let reach = domain.reach().min(0.35);
        let los = if domain.is_periodic() {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::First
        };
        let edges = Edges::linear(0.0, reach, 6).unwrap();
        let r = CountSpec::new(RBins::new(edges.clone()));
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        let s_mu = CountSpec::new(SMuBins::new(edges, mu, los).unwrap());
        // Many labels, of which each has launches of its own: 70 in every third domain, 20 in the others; by place in every other.
        let many = (if turn % 3 == 0 { 70 } else { 20 }, turn % 2 == 0);
        for (number, by_place) in [(1, false), (3, true), (5, false), many] {
            let [a, b] = [
                (130, 3, suite::Scatter::Uniform),
                (90, 4, suite::Scatter::Clustered),
            ]
            .map(|(n, seed, scatter)| {
                let sample = suite::particles(&domain, n, scatter, seed);
                engine
                    .prepare(labelled(&sample, number, by_place, seed), &domain, &Silent)
                    .unwrap()
            });
            for classes in [Classes::Species, Classes::Regions] {
                let what = r.clone().with_classes(classes).with_sum(Sum::Product);
                let ordered = s_mu.clone().with_classes(classes);
                let cross = PreparedJob::cross(&a, &b).unwrap();
                for job in [PreparedJob::auto(&a), cross] {
                    let told = format!("{name}, {number} labels, {classes:?}");
                    let plain = job.job();
                    let expected = Naive.run(plain, &what, &Silent).unwrap();
                    assert!(expected.pairs().iter().sum::<u64>() > 0, "{told}");
                    assert!(
                        engine.tally(&job, &what, &Silent).unwrap().0 == expected,
                        "{told}"
                    );
                    assert!(
                        several.run(plain, &what, &Silent).unwrap() == expected,
                        "{told}"
                    );
                    let expected = Naive.run(plain, &ordered, &Silent).unwrap();
                    let found = engine.tally(&job, &ordered, &Silent).unwrap().0;
                    assert!(found == expected, "{told}, both orders");
                }
            }
        }
    }
}

pub(crate) fn classes_are_done_in_windows_where_bins_do_not_fit() {
    let engine = small(Precision::Exact);
    for (name, domain) in suite::domains() {
        // Windows need many cells. The double loop looks at 125 images in a lattice: fewer points there.
        let (n, surely) = match (name, &domain) {
            ("open", _) => (1300, true),
            ("cubic", _) => (3500, true),
            (_, Domain::Triclinic(_)) => (200, false),
            _ => (300, false),
        };
        let reach = domain.reach().min(1.0);
        let los = if domain.is_periodic() {
            LineOfSight::Fixed(Axis::X)
        } else {
            LineOfSight::Midpoint
        };
        let r = RBins::new(Edges::linear(0.0, reach, 20_000).unwrap());
        let s = Edges::linear(0.1 * reach, reach, 70).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 110).unwrap();
        let s_mu = SMuBins::new(s, mu, los).unwrap();
        for (number, by_place) in [(4, true), (2, false)] {
            let [a, b] = [(n, 5), (n / 2, 6)].map(|(n, seed)| {
                let sample = suite::particles(&domain, n, suite::Scatter::Clustered, seed);
                labelled(&sample, number, by_place, seed)
            });
            let told = format!("{name}, {number} labels");
            for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                let job = PairJob::new(pairs, &domain).unwrap();
                let what = CountSpec::new(r.clone()).with_classes(Classes::Species);
                in_windows(&engine, &job, &what, (&told, surely));
                let what = CountSpec::new(s_mu.clone()).with_classes(Classes::Regions);
                in_windows(
                    &engine,
                    &job,
                    &what.with_sum(Sum::Product),
                    (&told, name == "open"),
                );
            }
        }
    }
}

/// Compares a tally that is made in windows, `surely`, with that of the double loop.
fn in_windows(
    engine: &Emulated,
    job: &PairJob<'_>,
    what: &CountSpec,
    (told, surely): (&str, bool),
) {
    let given = (&engine.devices, &engine.options);
    let (found, _, how) = count(given.0, given.1, (job, None, None), what, &Silent).unwrap();
    let windows = how.contains("windows of the bins");
    assert!(windows || !surely, "{told}: {how}");
    let expected = Naive.run(job, what, &Silent).unwrap();
    assert!(expected.pairs().iter().sum::<u64>() > 0, "{told}");
    assert!(found == expected, "{told}");
}

/// Cells around the points of each label, on cases that are drawn: labels along any axis or at random, some without points, samples of very
/// different extents, far from the origin, at extreme scales, bins far above zero.
pub(crate) fn drawn_classes_are_those_of_the_double_loop() {
    let domains = suite::domains();
    let mut filled = 0;
    for seed in 0..60 {
        let mut random = suite::Random::new(0xc1a5 + seed);
        let mut below = |n: usize| (random.next() * n as f64) as usize;
        let (_, domain) = &domains[below(domains.len())];
        let open = matches!(domain, Domain::Open);
        let scale = [1.0, 2f64.powi(-120), 2f64.powi(90)][if open { below(3) } else { 0 }];
        let offset = [0.0, 3.0, 1e7][if open { below(3) } else { 0 }];
        let scatter = [
            suite::Scatter::Uniform,
            suite::Scatter::Lattice,
            suite::Scatter::Clustered,
        ][below(3)];
        let (number, axis) = ([2, 7, 33][below(3)], below(4));
        let sizes = [1 + below(160), 1 + below(110)];
        let shrunk = [1.0, 0.05][below(2)];
        let samples = [0, 1].map(|k| {
            let sample = suite::particles(domain, sizes[k], scatter, 2 * seed + k as u64);
            drawn_labels(
                &sample,
                number,
                axis,
                if open && k == 1 { shrunk } else { 1.0 },
            )
            .scaled(scale, offset)
        });
        let reach = domain.reach().min([0.3, 0.9][below(2)]);
        let lowest = [0.0, 0.2, 0.999][below(3)];
        let edges = Edges::linear(lowest * reach * scale, reach * scale, [1, 9, 700][below(3)]);
        let los = if open {
            LineOfSight::Fixed(Axis::Y)
        } else {
            LineOfSight::Fixed(Axis::Z)
        };
        let mu = SignedEdges::linear(-1.0, 1.0, [2, 30][below(2)]).unwrap();
        let r = RBins::new(edges.clone().unwrap());
        let s_mu = SMuBins::new(edges.unwrap(), mu, los).unwrap();
        let [a, b] = samples;
        let engine = small(Precision::Exact);
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b), Pairs::Cross(&b, &a)] {
            let job = PairJob::new(pairs, domain).unwrap();
            let what = CountSpec::new(r.clone()).with_classes(Classes::Regions);
            let found = engine.run(&job, &what.clone().with_sum(Sum::Product), &Silent);
            let expected = Naive.run(&job, &what.with_sum(Sum::Product), &Silent);
            assert!(found.unwrap() == expected.unwrap(), "case {seed}, r");
            let what = CountSpec::new(s_mu.clone()).with_classes(Classes::Regions);
            let found = engine.run(&job, &what, &Silent).unwrap();
            let expected = Naive.run(&job, &what, &Silent).unwrap();
            assert!(found == expected, "case {seed}, (s, mu)");
            filled += u32::from(expected.pairs().iter().any(|&n| n > 0));
        }
    }
    assert!(filled > 60, "pairs in bins in {filled} of 180 counts");
}

/// Rows with their labels, on their way to particles.
struct Drawn {
    rows: Vec<[f64; 3]>,
    weights: Vec<f64>,
    labels: Labels,
}

/// Labels below `number` along an axis, or at random for the fourth, the second never; rows drawn together by a factor.
fn drawn_labels(sample: &Particles, number: u32, axis: usize, factor: f64) -> Drawn {
    let mut random = suite::Random::new(axis as u64);
    let label = |row: usize| {
        let at = match sample.points().at(row).get(axis) {
            Some(x) => x.rem_euclid(1.0),
            None => random.next(),
        };
        match (at * f64::from(number)) as u32 {
            1 => 0,
            label => label,
        }
    };
    let n = sample.len();
    Drawn {
        labels: Labels::new((0..n).map(label).collect(), number).unwrap(),
        rows: (0..n)
            .map(|row| sample.points().at(row).map(|x| x * factor))
            .collect(),
        weights: (0..n).map(|row| 1.5 - (row % 7) as f64).collect(),
    }
}

impl Drawn {
    fn scaled(self, scale: f64, offset: f64) -> Particles {
        let rows = self.rows.iter();
        let rows: Vec<[f64; 3]> = rows.map(|at| at.map(|x| (x + offset) * scale)).collect();
        let points = Points::from_rows(&rows).unwrap();
        let particles = Particles::weighted(points, self.weights).unwrap();
        particles.labelled(self.labels).unwrap()
    }
}

/// Bins of a drawn case that reach nearly all pairs within `extent`, or all: equal, logarithmic or through separations of pairs.
fn drawn_edges(random: &mut suite::Random, sample: &Particles, extent: f64) -> Edges {
    let mut below = |n: usize| (random.next() * n as f64) as usize;
    let last = extent * [0.97, 1.3, 4.0][below(3)];
    let first = last * [0.0, 0.2, 0.999][below(3)];
    match below(3) {
        0 => {
            let points = sample.points();
            let mut separation = || {
                let [a, b] = [0, 1].map(|_| points.at(below(sample.len())));
                let d: [f64; 3] = std::array::from_fn(|k| a[k] - b[k]);
                albireo::separation::norm2(d).sqrt()
            };
            let mut edges: Vec<f64> = (0..7).map(|_| separation()).collect();
            edges.retain(|&edge| edge > 1e-9 * last && edge < last);
            edges.extend([0.0, last]);
            edges.sort_by(f64::total_cmp);
            edges.dedup();
            Edges::new(edges).unwrap()
        }
        1 => Edges::logarithmic(last * 1e-3, last, [3, 200][below(2)]).unwrap(),
        _ => Edges::linear(first, last, [1, 9, 700, 5000][below(4)]).unwrap(),
    }
}

/// Labels in open space whose bins reach nearly everything lie in one cell, where samples are not small: on cases that are drawn, flat
/// and thin samples, lattices, duplicates, edges through pairs, extreme scales, far from the origin.
pub(crate) fn drawn_classes_in_one_cell_are_those_of_the_double_loop() {
    let (mut in_one_cell, mut filled) = (0, 0);
    for seed in 0..45 {
        let mut random = suite::Random::new(0x0ce1 + seed);
        let mut below = |n: usize| (random.next() * n as f64) as usize;
        let scale = [1.0, 2f64.powi(-120), 2f64.powi(90)][below(3)];
        let offset = [0.0, 3.0, 1e5][below(3)];
        let shape = [
            [1.0; 3],
            [1.0, 0.4, 0.3],
            [1.0, 1e-3, 0.7],
            [1e-6, 1e-6, 1.0],
        ][below(4)];
        let scatter = [
            suite::Scatter::Uniform,
            suite::Scatter::Lattice,
            suite::Scatter::Clustered,
        ][below(3)];
        let (number, axis) = ([2, 7, 33][below(3)], below(4));
        let auto = seed % 9 == 0;
        let sizes = [if auto { 4100 } else { 2050 } + below(150), 1 + below(150)];
        let [a, b] = [0, 1].map(|k| {
            let sample = suite::particles(&Domain::Open, sizes[k], scatter, 2 * seed + k as u64);
            let mut drawn = drawn_labels(&sample, number, axis, 1.0);
            for row in &mut drawn.rows {
                *row = std::array::from_fn(|k| row[k] * shape[k]);
            }
            drawn.scaled(scale, offset)
        });
        let extent = scale * albireo::separation::norm2(shape).sqrt();
        let edges = drawn_edges(&mut random, &a, extent);
        let what = CountSpec::new(RBins::new(edges)).with_classes(Classes::Species);
        let what = if seed % 3 == 0 {
            what.with_sum(Sum::Product)
        } else {
            what
        };
        let pairs = if auto {
            Pairs::Auto(&a)
        } else {
            Pairs::Cross(&a, &b)
        };
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let engine = small(Precision::Exact);
        let given = (&engine.devices, &engine.options);
        let (found, _, how) = count(given.0, given.1, (&job, None, None), &what, &Silent).unwrap();
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        assert!(found == expected, "case {seed}, {how}");
        in_one_cell += u32::from(how.contains("1x1x1 cells"));
        filled += u32::from(expected.pairs().iter().any(|&n| n > 0));
    }
    assert!(in_one_cell > 25, "{in_one_cell} of 45 in one cell");
    assert!(filled > 30, "pairs in bins in {filled} of 45 counts");
}

pub(crate) fn classes_without_a_kernel_are_refused() {
    let sample = labelled(&uniform(60), 3, false, 1);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 4).unwrap()));
    let what = what.with_classes(Classes::Regions);
    for kernel in [
        KernelChoice::Simple,
        KernelChoice::Constant,
        KernelChoice::Shared,
    ] {
        let mut engine = Emulated::new(Precision::Exact);
        engine.options.kernel = kernel;
        let error = engine.run(&job, &what, &Silent).unwrap_err();
        assert!(
            matches!(error, EngineError::Cuda(CudaError::Unsupported(_))),
            "{error}"
        );
    }
}
