//! Sums of expressions in counts: parts, regions, weight sets and both orders of a pair, refusals, and formulas over them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;

use albireo::counts::{
    Part, count_pairs, count_part, count_prepared, count_regions, count_weight_sets,
};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::JobError;
use albireo::estimators::{Estimation, Formula, Role};
use albireo::particles::Column;
use albireo::random::{self, Stream};
use albireo::tally::{
    CountSpec, End, Exchange, Legendre, Operation, OperationList, PairProgram, PairSum, Value,
};
use albireo::{
    Axis, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, SMuBins, SignedEdges, Weights,
};

/// `n` points in a unit box with weights and two columns, in four regions.
fn sample(n: usize, seed: u64) -> Particles {
    let stream = Stream::new(seed);
    let column = |k: u64, scale: f64| -> Vec<f64> {
        (0..n as u64)
            .map(|row| scale * (stream.uniform(4 * row + k) - 0.3))
            .collect()
    };
    let weights = column(0, 1.0).into_iter().map(|w| w + 0.5).collect();
    let points = random::in_box(n, seed, [1.0; 3]).unwrap();
    let labels = (0..n as u32).map(|row| row % 4).collect();
    Particles::weighted(points, weights)
        .unwrap()
        .labelled(Labels::new(labels, 4).unwrap())
        .unwrap()
        .with_columns(vec![
            Column::from(column(1, 3.0)),
            Column::from(column(2, 1e3)),
        ])
        .unwrap()
}

fn cube() -> Domain {
    Domain::Periodic(PeriodicBox::cubic(1.0).unwrap())
}

fn bins() -> RBins {
    RBins::new(Edges::linear(0.02, 0.4, 5).unwrap())
}

/// `i.a*j.a`, and `i.a + 2*j.b` beside it if it is asked for.
fn program(ordered: bool, bound: f64) -> Arc<PairProgram> {
    let mut of = OperationList::default();
    let column = |of: &mut OperationList, end, at| of.push(Operation::Column(end, at));
    let [i, j] = [End::First, End::Second].map(|end| column(&mut of, end, 0));
    let b = column(&mut of, End::Second, 1);
    let two = of.constant(2.0);
    let product = of.push(Operation::Multiply(i, j));
    let twice = of.push(Operation::Multiply(two, b));
    let other = of.push(Operation::Add(i, twice));
    let sum = |name: &str, value: Value, exchange| PairSum {
        name: name.to_owned(),
        value,
        bound,
        proven: false,
        exchange,
    };
    let mut sums = vec![sum("m", product, Exchange::Even)];
    if ordered {
        sums.push(sum("n", other, Exchange::Neither));
    }
    Arc::new(PairProgram::new(&of, sums).unwrap())
}

/// Sums over unordered or ordered pairs by a plain loop.
fn looped(sample: &Particles, value: impl Fn(usize, usize) -> f64, ordered: bool) -> Vec<f64> {
    let domain = cube();
    let weight = |row| match sample.weights() {
        Weights::PerParticle(weights) => weights.at(row),
        Weights::Unit => 1.0,
    };
    let mut sums = vec![0.0; 5];
    for i in 0..sample.len() {
        for j in 0..if ordered { sample.len() } else { i } {
            let sep = domain.separation(sample.points().at(i), sample.points().at(j));
            let bin = ((sep.r2.sqrt() - 0.02) / 0.076).floor();
            if i != j && (0.0..5.0).contains(&bin) {
                sums[bin as usize] += weight(i) * weight(j) * value(i, j);
            }
        }
    }
    sums
}

fn close(counts: &Counts, name: &str, expected: &[f64]) {
    let found = counts.pair_sum(name).unwrap().values();
    let bounds = counts.pair_sum_bound(name).unwrap();
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(
            off <= 1e-10 * expected.abs() + bounds[k],
            "{name} {k}: {found} {expected}"
        );
    }
}

#[test]
fn sums_are_those_of_a_loop_in_parts_and_by_region() {
    let (domain, data) = (cube(), sample(150, 3));
    let [a, b] = [0, 1].map(|at| data.columns()[at].iter().collect::<Vec<f64>>());
    let job = PairJob::new(Pairs::Auto(&data), &domain).unwrap();
    for ordered in [false, true] {
        let what = CountSpec::for_pairs(bins(), job.pairs()).with_program(program(ordered, 1e5));
        let counts = count_pairs(&Naive, &job, &what, &Silent).unwrap();
        close(&counts, "m", &looped(&data, |i, j| a[i] * a[j], ordered));
        if ordered {
            close(&counts, "n", &looped(&data, |i, j| a[i] + 2.0 * b[j], true));
        }
        let cpu = Cpu::new();
        assert_eq!(count_pairs(&cpu, &job, &what, &Silent).unwrap(), counts);
        let part = |index| {
            let part = Part { index, of: 3 };
            count_part(&cpu, &job, part, &what, &Silent).unwrap()
        };
        let mut merged = part(2);
        merged.merge(&part(0)).unwrap();
        merged.merge(&part(1)).unwrap();
        assert_eq!(merged.npairs(), counts.npairs());
        assert_eq!(merged.pair_sum("m"), counts.pair_sum("m"));
        // Rows that are brought together for an engine without units of its own bring their columns.
        let mut merged =
            count_part(&Naive, &job, Part { index: 1, of: 3 }, &what, &Silent).unwrap();
        merged.merge(&part(0)).unwrap();
        merged.merge(&part(2)).unwrap();
        assert_eq!(merged.pair_sum("m"), counts.pair_sum("m"));
        let prepared = cpu.prepare(data.clone(), &domain, &Silent).unwrap();
        let (regions, _) =
            count_regions(&cpu, &PreparedJob::auto(&prepared), &what, &Silent).unwrap();
        assert_eq!(regions.whole().pair_sum("m"), counts.pair_sum("m"));
        // Without a region: the loop over the others.
        let others: Vec<usize> = (0..data.len()).filter(|row| row % 4 != 1).collect();
        let rest = data_of(&data, &others);
        let job = PairJob::new(Pairs::Auto(&rest), &domain).unwrap();
        let exponents = what.weight_exponents(Pairs::Auto(&data));
        let what = what.clone().with_weight_exponents(exponents);
        let alone = count_pairs(&Naive, &job, &what, &Silent).unwrap();
        let without = regions.without(1, 1.0);
        assert_eq!(without.pair_sum("m"), alone.pair_sum("m"));
    }
}

/// Some rows of a sample.
fn data_of(all: &Particles, rows: &[usize]) -> Particles {
    let points: Vec<[f64; 3]> = rows.iter().map(|&row| all.points().at(row)).collect();
    let some = |column: &Column| rows.iter().map(|&row| column.at(row)).collect::<Vec<f64>>();
    let Weights::PerParticle(weights) = all.weights() else {
        unreachable!()
    };
    let points = albireo::Points::from_rows(&points).unwrap();
    let columns = all.columns().iter().map(|column| some(column).into());
    Particles::weighted(points, some(weights))
        .unwrap()
        .with_columns(columns.collect())
        .unwrap()
}

#[test]
fn parts_with_other_columns_are_of_another_job() {
    let (domain, data) = (cube(), sample(80, 13));
    let [a, b] = [0, 1].map(|at| data.columns()[at].clone());
    let exchanged = data.clone().with_columns(vec![b, a]).unwrap();
    let what = CountSpec::for_pairs(bins(), Pairs::Auto(&data)).with_program(program(false, 1e6));
    let part = |sample: &Particles, what: &CountSpec, index| {
        let job = PairJob::new(Pairs::Auto(sample), &domain).unwrap();
        let part = Part { index, of: 2 };
        count_part(&Cpu::new(), &job, part, what, &Silent).unwrap()
    };
    let mut first = part(&data, &what, 0);
    assert!(first.merge(&part(&data, &what, 1)).is_ok());
    let (one, other) = (part(&data, &what, 0), part(&exchanged, &what, 1));
    assert_ne!(one.job_id(), other.job_id());
    // Columns that nothing takes tell no jobs apart.
    let plain = CountSpec::for_pairs(bins(), Pairs::Auto(&data));
    let (one, other) = (part(&data, &plain, 0), part(&exchanged, &plain, 1));
    assert_eq!(one.job_id(), other.job_id());
}

#[test]
fn each_set_of_weights_has_its_sums() {
    let (domain, data) = (cube(), sample(120, 5));
    let further = Column::from(
        (0..120)
            .map(|k| 1.0 / f64::from(k + 1))
            .collect::<Vec<f64>>(),
    );
    let further = Weights::PerParticle(further);
    let both = data.clone().with_weight_sets(vec![further]).unwrap();
    let cpu = Cpu::new();
    let prepared = cpu.prepare(both.clone(), &domain, &Silent).unwrap();
    let what = CountSpec::new(bins())
        .with_weights()
        .with_program(program(false, 1e5));
    let job = PreparedJob::auto(&prepared);
    let (sets, _) = count_weight_sets(&cpu, &job, &what, &Silent).unwrap();
    for (set, counts) in sets.iter().enumerate() {
        let alone = cpu
            .prepare(both.of_weight_set(set), &domain, &Silent)
            .unwrap();
        let (alone, _) = count_prepared(&cpu, &PreparedJob::auto(&alone), &what, &Silent).unwrap();
        assert_eq!(counts.pair_sum("m"), alone.pair_sum("m"), "set {set}");
        assert!(counts.pair_sum("m").unwrap().values()[4] != 0.0);
    }
}

#[test]
fn sums_of_all_kinds_stand_beside_each_other() {
    let (domain, data) = (cube(), sample(40, 13));
    let job = PairJob::new(Pairs::Auto(&data), &domain).unwrap();
    let (s, mu) = (Edges::linear(0.0, 0.4, 3), SignedEdges::new(vec![0.0, 1.0]));
    let los = LineOfSight::Fixed(Axis::Z);
    let bins = SMuBins::new(s.unwrap(), mu.unwrap(), los).unwrap();
    let plain = CountSpec::for_pairs(&bins, job.pairs());
    let count = |what: &CountSpec| count_pairs(&Naive, &job, what, &Silent).unwrap();
    // Two sums, the second the larger one.
    let mut of = OperationList::default();
    let [i, j] = [End::First, End::Second].map(|end| of.push(Operation::Column(end, 0)));
    let values = [Operation::Multiply(i, j), Operation::Add(i, j)].map(|value| of.push(value));
    let sums = ["m", "n"]
        .into_iter()
        .zip(values)
        .map(|(name, value)| PairSum {
            name: name.to_owned(),
            value,
            bound: 1e3,
            proven: false,
            exchange: Exchange::Even,
        });
    let program = Arc::new(PairProgram::new(&of, sums.collect()).unwrap());
    let of_program = count(&plain.clone().with_program(Arc::clone(&program)));
    let even = Legendre::ALL.into_iter().filter(|l| l.degree() % 2 == 0);
    let even: Vec<Legendre> = even.filter(|l| *l != Legendre::L0).collect();
    let all = plain
        .clone()
        .with_mean_separation()
        .with_weighted_separation()
        .with_legendre(even.iter().copied().collect())
        .with_program(program);
    let all = count(&all);
    for name in ["m", "n"] {
        assert_eq!(all.pair_sum(name), of_program.pair_sum(name), "{name}");
    }
    assert_ne!(all.pair_sum("m"), all.pair_sum("n"));
    // What a pair adds to the bound is that of a bin of one pair.
    let of_pair = all.pair_sum_bound_of_pair("n").unwrap();
    let bounds = all.pair_sum_bound("n").unwrap();
    for (bound, &pairs) in bounds.iter().zip(all.npairs()) {
        assert!(of_pair > 0.0 && *bound >= of_pair * pairs as f64 * (1.0 - 1e-12));
    }
    assert_eq!(all.pair_sum_bound_of_pair("q"), None);
    for l in even {
        let alone = count(&plain.clone().with_legendre([l].into_iter().collect()));
        let found = all.exact_legendre_sums(l);
        assert!(
            found.is_some() && found == alone.exact_legendre_sums(l),
            "{l:?}"
        );
    }
    let means = count(&plain.with_mean_separation().with_weighted_separation());
    assert_eq!(all.separation_sums(), means.separation_sums());
    assert_eq!(
        all.weighted_separation_sums(),
        means.weighted_separation_sums()
    );
}

#[test]
fn values_beyond_their_bound_and_columns_that_are_missing_are_refused() {
    let (domain, data) = (cube(), sample(60, 7));
    let job = PairJob::new(Pairs::Auto(&data), &domain).unwrap();
    let what = CountSpec::new(bins()).with_program(program(false, 0.5));
    let refused = |engine: &dyn Engine| count_pairs(engine, &job, &what, &Silent).unwrap_err();
    let [naive, cpu] = [refused(&Naive), refused(&Cpu::new())].map(|error| error.to_string());
    assert!(
        naive.starts_with("m has no value within 0.5 for "),
        "{naive}"
    );
    assert_eq!(naive, cpu);
    // The bin is that of the first such pair.
    let points = Points::from_rows(&[[0.1; 3], [0.2, 0.1, 0.1], [0.45, 0.1, 0.1]]).unwrap();
    let columns = [vec![0.1, 1.0, 0.9], vec![0.0; 3]].map(Column::from);
    let three = Particles::new(points).with_columns(columns.into());
    let three = three.unwrap();
    let one = PairJob::new(Pairs::Auto(&three), &domain).unwrap();
    let error = count_pairs(&Naive, &one, &what, &Silent).unwrap_err();
    let expected = JobError::NoValue {
        name: "m".to_owned(),
        bound: 0.5,
        pairs: 1,
        bin: 3,
    };
    assert_eq!(error.to_string(), expected.to_string());
    let bare = Particles::new(data.points().clone());
    let job = PairJob::new(Pairs::Auto(&bare), &domain).unwrap();
    let error = count_pairs(&Naive, &job, &what, &Silent).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("takes 1 of the columns of each particle, but it has 0"),
        "{error}"
    );
}

#[test]
fn formulas_take_sums_over_their_totals() {
    let (domain, data) = (cube(), sample(100, 11));
    let formula: Formula = "DD.m/DD".parse().unwrap();
    assert_eq!(formula.sums().len(), 1);
    let sample = |role| (role == Role::Data).then_some(&data);
    let estimation = Estimation::new(formula, bins(), &domain, sample).unwrap();
    let mut means = vec![];
    let xi = estimation.run(|_, pairs| {
        let job = PairJob::new(pairs, &domain)?;
        let what = CountSpec::for_pairs(bins(), pairs).with_program(program(false, 1e5));
        let counts = count_pairs(&Cpu::new(), &job, what, &Silent)?;
        let sums = counts.pair_sum("m").unwrap().values().into_iter();
        means = sums
            .zip(counts.weight().unwrap())
            .map(|(m, w)| m / w)
            .collect();
        Ok::<_, albireo::Error>(counts)
    });
    let xi = xi.unwrap();
    for (found, mean) in xi.xi.iter().zip(&means) {
        assert!((found / mean - 1.0).abs() < 1e-14, "{found} {mean}");
    }
    assert!(xi.error.iter().all(|error| error.is_nan()));
    let error = "DD./DD".parse::<Formula>().unwrap_err();
    assert_eq!(error.position, 3);
}
