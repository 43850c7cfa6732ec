//! Parts of a job on the emulated device: runs of the lines that it sorts into, against the double loop.

use albireo::counts::{Part, count_pairs, count_part};
use albireo::engine::cuda::Precision;
use albireo::engine::{Cpu, PreparedJob, Silent, Traversal};
use albireo::error::{CountsError, EngineError, JobError};
use albireo::particles::Groups;
use albireo::tally::{Classes, CountSpec, Cut, Merge, Sum};
use albireo::{
    Axis, Domain, Edges, Engine, Labels, LineOfSight, Naive, Outside, PairJob, Pairs, Particles,
    Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

use super::emulator::Emulator;
use super::{Emulated, PLENTY, SHARED, small, suite, trials, uniform};

pub(crate) const TESTS: [trials::Test; 6] = [
    ("runs_of_lines_make_the_whole", runs_of_lines_make_the_whole),
    (
        "runs_of_lines_share_classes_of_pairs",
        runs_of_lines_share_classes_of_pairs,
    ),
    (
        "runs_of_lines_share_pairs_that_are_looked_at_one_by_one",
        runs_of_lines_share_pairs_that_are_looked_at_one_by_one,
    ),
    (
        "runs_of_lines_in_windows_make_the_whole",
        runs_of_lines_in_windows_make_the_whole,
    ),
    (
        "runs_of_lines_fit_into_little_memory",
        runs_of_lines_fit_into_little_memory,
    ),
    (
        "lines_and_groups_are_not_put_together",
        lines_and_groups_are_not_put_together,
    ),
];

/// Runs of the units of `job`, in another order and cut without regard to cost, are the whole. How many units there are.
fn runs_make_the_whole(
    engine: &Emulated,
    (job, names): (&PairJob<'_>, &str),
    what: &CountSpec,
) -> usize {
    let whole = Naive.run(job, what, &Silent).unwrap();
    let (first, second) = job.pairs().samples();
    let prepare = |sample: &Particles| {
        let prepared = engine.prepare(sample.clone(), job.domain(), &Silent);
        prepared.unwrap()
    };
    let (first, second) = (prepare(first), second.map(prepare));
    let prepared = PreparedJob::new(&first, second.as_ref()).unwrap();
    let prepared = prepared.with_traversal(job.traversal());
    let units = engine.units(&prepared, what, &Silent).unwrap();
    assert_eq!(units.kind(), "cells");
    let n = units.len();
    let by_cost = [2, 0, 1].map(|index| units.part(index, 3));
    let anyhow = [n / 7..n / 3, n / 3..n / 3, n / 3..n, 0..n / 7];
    for runs in [&by_cost[..], &anyhow] {
        let mut merged = what.zero(job.pairs()).unwrap();
        for run in runs {
            let part = (&units, run.clone());
            let (tally, _) = engine.tally_units(&prepared, what, part, &Silent).unwrap();
            if n > 8 && run.len() < n / 2 {
                assert!(tally != whole, "{names}: a part is not the whole");
            }
            merged.merge(tally);
        }
        assert!(merged == whole, "{names}, {n} units: {merged:?} {whole:?}");
    }
    let pairs = by_cost.map(|run| units.pairs(run)).iter().sum::<u64>();
    assert_eq!(pairs, job.n_pairs(), "{names}");
    n
}

fn runs_of_lines_make_the_whole() {
    let mut engine = Emulated::of(
        Precision::Exact,
        (0..2).map(|_| Emulator::new(SHARED, PLENTY)).collect(),
    );
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    engine.options.tuning.cell_particles = 1;
    for (name, domain) in suite::domains() {
        // The double loop looks at 125 images in a lattice.
        let few = matches!(domain, Domain::Triclinic(_));
        let n = if few { 200 } else { 500 };
        let [a, b] = [(n, 3), (n / 2, 4)]
            .map(|(n, seed)| suite::particles(&domain, n, suite::Scatter::Clustered, seed));
        let reach = domain.reach().min(0.3);
        let los = if domain.is_periodic() {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::First
        };
        let r = RBins::new(Edges::linear(0.0, reach, 6).unwrap());
        let s = Edges::linear(0.0, reach / 2.0, 5).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 5).unwrap();
        let s_mu = SMuBins::new(s, mu, los).unwrap();
        let mut most = 0;
        for traversal in [Traversal::Cells, Traversal::AllPairs] {
            for (kind, pairs) in [("auto", Pairs::Auto(&a)), ("cross", Pairs::Cross(&a, &b))] {
                let job = PairJob::new(pairs, &domain).unwrap();
                let job = job.with_traversal(traversal);
                let names = format!("{name}, {kind}, {traversal:?}");
                let what = CountSpec::new(r.clone()).with_sum(Sum::Product);
                most = most.max(runs_make_the_whole(&engine, (&job, &names), &what));
                let names = format!("{names}, both orders");
                runs_make_the_whole(&engine, (&job, &names), &CountSpec::new(s_mu.clone()));
            }
        }
        assert!(most > 5, "{name}: {most} lines");
    }
    let many = uniform(2500);
    let job = PairJob::new(Pairs::Auto(&many), &Domain::Open).unwrap();
    let job = job.with_traversal(Traversal::AllPairs);
    let bins = RBins::new(Edges::linear(0.0, 1.0, 6).unwrap());
    let what = CountSpec::new(bins);
    assert_eq!(runs_make_the_whole(&engine, (&job, "rows"), &what), 3);
}

/// Labels at random.
fn labelled(sample: &Particles, number: u32, seed: u64) -> Particles {
    let mut random = suite::Random::new(seed);
    let label = |_| (random.next() * f64::from(number)) as u32;
    let labels = Labels::new((0..sample.len()).map(label).collect(), number).unwrap();
    sample.clone().labelled(labels).unwrap()
}

fn runs_of_lines_share_classes_of_pairs() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    for (name, domain) in suite::domains() {
        if !["open", "cubic", "triclinic"].contains(&name) {
            continue;
        }
        let [a, b] = [(400, 3), (200, 4)].map(|(n, seed)| {
            let sample = suite::particles(&domain, n, suite::Scatter::Uniform, seed);
            labelled(&sample, 5, seed)
        });
        let reach = domain.reach().min(0.25);
        let edges = Edges::linear(0.0, reach, 6).unwrap();
        let what = CountSpec::new(RBins::new(edges)).with_sum(Sum::Product);
        for classes in [Classes::Species, Classes::Regions] {
            let what = what.clone().with_classes(classes);
            for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                let job = PairJob::new(pairs, &domain).unwrap();
                let names = format!("{name}, {classes:?}");
                runs_make_the_whole(&engine, (&job, &names), &what);
            }
        }
    }
}

/// Pairs that cuts hold, and pairs without a sign of bins that mirror, are of the run that takes them.
fn runs_of_lines_share_pairs_that_are_looked_at_one_by_one() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.cell_particles = 2;
    let edges = Edges::linear(0.0, 0.24, 6).unwrap();
    let listed = (0..130u32).map(|k| [k, (k * 7919 + 13) % 130]);
    let listed = Cut::listed(listed.chain((0..100).map(|k| [k, k + 4])));
    let groups = |n: usize| Groups::new((0..n as u32).map(|row| row % 40).collect());
    let z = LineOfSight::Fixed(Axis::Z);
    for (name, domain) in suite::domains() {
        let few = matches!(domain, Domain::Triclinic(_));
        let sample = |n: usize, seed: u64| {
            // Many positions share a coordinate, and lie at the ends of cells and of the box.
            let rows = suite::unit_cube(n, suite::Scatter::Lattice, seed);
            let points = Points::from_rows(&rows).unwrap();
            let placed = domain.place(Particles::new(points), Outside::Wrap).unwrap();
            labelled(&placed, 3, seed).grouped(groups(n)).unwrap()
        };
        let n = if few { 150 } else { 420 };
        let (a, b) = (sample(n, 3), sample(n - 20, 4));
        let all = CountSpec::new(RBins::new(edges.clone()));
        let mut cuts = vec![Cut::SameGroup, listed.clone()];
        if !matches!(domain, Domain::Triclinic(_)) {
            cuts.push(Cut::rp(0.0, 0.07, z).unwrap());
        }
        let cut = cuts.into_iter().fold(all, CountSpec::with_cut);
        let pi = SignedEdges::linear(-0.2, 0.2, 4).unwrap();
        let halves = RpPiBins::new(edges.clone(), pi, z).unwrap();
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &domain).unwrap();
            let job = job.with_traversal(Traversal::Cells);
            runs_make_the_whole(&engine, (&job, name), &cut);
            let by_class = cut.clone().with_classes(Classes::Species);
            runs_make_the_whole(&engine, (&job, name), &by_class);
            runs_make_the_whole(&engine, (&job, name), &CountSpec::new(halves.clone()));
            let job = job.with_traversal(Traversal::AllPairs);
            runs_make_the_whole(&engine, (&job, name), &cut);
        }
    }
}

fn runs_of_lines_in_windows_make_the_whole() {
    let engine = small(Precision::Exact);
    let sample = suite::particles(&Domain::Open, 1300, suite::Scatter::Uniform, 5);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 20_000).unwrap()));
    let (_, how) = engine_told(&engine, &job, &what);
    assert!(how.contains("windows"), "{how}");
    runs_make_the_whole(&engine, (&job, "windows"), &what);
}

fn engine_told(engine: &Emulated, job: &PairJob<'_>, what: &CountSpec) -> (usize, String) {
    let (devices, options) = (&engine.devices, &engine.options);
    let asked = (job, None, None);
    let (tally, _, how) =
        albireo::engine::cuda::count(devices, options, asked, what, &Silent).unwrap();
    (tally.n_bins(), how)
}

/// Runs bring the rows that they meet alone where not all of them fit.
fn runs_of_lines_fit_into_little_memory() {
    let (a, b) = (uniform(1500), {
        suite::particles(&Domain::Open, 1200, suite::Scatter::Uniform, 7)
    });
    let r = RBins::new(Edges::linear(0.0, 0.08, 5).unwrap());
    let s = Edges::linear(0.0, 0.08, 3).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 3).unwrap();
    let s_mu = SMuBins::new(s, mu, LineOfSight::First).unwrap();
    for (traversal, memory) in [
        (Traversal::Cells, 100 << 10),
        (Traversal::AllPairs, 40 << 10),
    ] {
        let engine = Emulated::of(Precision::Exact, vec![Emulator::new(SHARED, memory)]);
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let job = job.with_traversal(traversal);
            let names = format!("{traversal:?} in {memory} bytes");
            let what = CountSpec::new(r.clone()).with_sum(Sum::Product);
            let (_, how) = engine_told(&engine, &job, &what);
            assert!(how.contains("pieces"), "{how}");
            runs_make_the_whole(&engine, (&job, &names), &what);
            runs_make_the_whole(&engine, (&job, &names), &CountSpec::new(s_mu.clone()));
        }
    }
}

/// Parts of two kinds of units, and units of GPUs on another engine, are refused.
fn lines_and_groups_are_not_put_together() {
    let engine = Emulated::new(Precision::Exact);
    let sample = uniform(3000);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.2, 5).unwrap());
    let part = |engine: &dyn Engine, index| {
        let part = Part { index, of: 2 };
        count_part(engine, &job, part, &bins, &Silent).unwrap()
    };
    let whole = count_pairs(&Naive, &job, &bins, &Silent).unwrap();
    let mut merged = part(&engine, 0);
    merged.merge(&part(&engine, 1)).unwrap();
    assert_eq!(merged.npairs(), whole.npairs());
    let refused = part(&engine, 0).merge(&part(&Naive, 1)).unwrap_err();
    assert!(
        matches!(refused, CountsError::Setting { .. })
            && refused
                .to_string()
                .contains("how the job was cut into parts"),
        "{refused}"
    );
    let what = CountSpec::new(bins.clone());
    let prepared = engine
        .prepare(sample.clone(), &Domain::Open, &Silent)
        .unwrap();
    let units = engine.units(&PreparedJob::auto(&prepared), &what, &Silent);
    let units = units.unwrap();
    for other in [&Cpu::new() as &dyn Engine, &Naive] {
        let prepared = other
            .prepare(sample.clone(), &Domain::Open, &Silent)
            .unwrap();
        let job = PreparedJob::auto(&prepared);
        let refused = other.tally_units(&job, &what, (&units, 0..1), &Silent);
        assert!(matches!(
            refused,
            Err(EngineError::Job(JobError::UnitsOfGpus))
        ));
    }
}
