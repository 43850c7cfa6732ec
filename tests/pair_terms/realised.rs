//! Realisations of the samples, all from one pass.

use albireo::engine::{PreparedJob, Silent};
use albireo::particles::Bits;
use albireo::tally::{AngularWeight, Classes, CountSpec, Legendre, Sum};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

use super::{check, pair_programs};
use crate::suite::{Random, Scatter, domains, particles};

/// So many realisations: of none of them, all, few or half; what lies beyond the last is to be left out.
pub fn with_realisations(sample: &Particles, number: usize, seed: u64) -> Particles {
    let mut random = Random::new(seed);
    let mut word =
        move || ((random.next() * 2f64.powi(53)) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = number.div_ceil(64);
    let mut of_row = |row: usize| match row % 7 {
        0 => 0,
        1 => u64::MAX,
        2 => word() & word() & word() & word(),
        _ => word(),
    };
    let all = (0..sample.len() * words).map(|at| of_row(at / words));
    let bits = Bits::new(all.collect(), words).unwrap();
    sample.clone().with_bits(bits).unwrap()
}

fn s_mu(lo: f64, los: LineOfSight) -> Bins {
    let mu = SignedEdges::linear(lo, 1.0, 5).unwrap();
    let bins = SMuBins::new(Edges::linear(0.0, 0.4, 6).unwrap(), mu, los);
    bins.unwrap().into()
}

fn binnings(domain: &Domain) -> Vec<Bins> {
    let log = Edges::logarithmic(0.01, 0.4, 6).unwrap();
    let far = Edges::linear(0.38, 0.4, 2).unwrap();
    let los = if domain.is_periodic() {
        LineOfSight::Fixed(Axis::Z)
    } else {
        LineOfSight::Midpoint
    };
    let pi = SignedEdges::linear(-0.3, 0.3, 6).unwrap();
    let rp_pi = RpPiBins::new(Edges::linear(0.0, 0.25, 4).unwrap(), pi, los).unwrap();
    vec![
        RBins::new(Edges::linear(0.0, 0.4, 7).unwrap()).into(),
        RBins::new(log).into(),
        RBins::new(far).into(),
        RBins::new(Edges::linear(0.0, 0.4, 300).unwrap()).into(),
        s_mu(0.0, los),
        s_mu(-1.0, los),
        rp_pi.into(),
    ]
}

/// Auto and cross counts with bits on both sides, and on either one alone.
fn each_side(samples: [&Particles; 2], number: usize, mut with: impl FnMut(Pairs<'_>, &str)) {
    let [a, b] = samples;
    let (of_a, of_b) = (
        with_realisations(a, number, 31),
        with_realisations(b, number, 32),
    );
    with(Pairs::Auto(&of_a), "auto");
    with(Pairs::Cross(&of_a, &of_b), "both");
    with(Pairs::Cross(&of_a, b), "the first");
    with(Pairs::Cross(a, &of_b), "the second");
}

/// Numbers of pairs and weights of each realisation, in every kind of bins.
pub fn realisations(engine: &dyn Engine, n: usize, most: usize) {
    let all = domains();
    let all = all.into_iter();
    let some = all.filter(|(name, _)| ["open", "slab", "face-centred"].contains(name));
    for (at, (name, domain)) in some.enumerate() {
        let a = particles(&domain, n, Scatter::Clustered, 41);
        let b = particles(&domain, n * 2 / 3 + 1, Scatter::Lattice, 42);
        for (k, bins) in binnings(&domain).into_iter().enumerate().take(most) {
            let number = [1, 33, 64, 65, 128][(at + k) % 5];
            each_side([&a, &b], number, |pairs, side| {
                let what = CountSpec::new(bins.clone()).by_realisation(number);
                let job = PairJob::new(pairs, &domain).unwrap();
                for traversal in [super::Traversal::AllPairs, super::Traversal::Cells] {
                    let job = job.with_traversal(traversal);
                    let told = format!("{name}, {number} of {side}, {traversal:?}, {bins:?}");
                    check(engine, &job, &what, &told);
                    check(engine, &job, &what.clone().with_sum(Sum::Product), &told);
                }
            });
        }
    }
    further(engine, n);
    of_prepared_samples(engine, n);
}

/// Classes, further sums, expressions and weights of pairs beside realisations, in open space and on the sphere.
fn further(engine: &dyn Engine, n: usize) {
    let a = particles(&Domain::Open, n, Scatter::Clustered, 43);
    let b = particles(&Domain::Open, n, Scatter::Uniform, 44);
    let [a, b] = [a, b].map(|sample| {
        let labels = (0..sample.len()).map(|row| (row * row % 3) as u32);
        let labels = Labels::new(labels.collect(), 3).unwrap();
        pair_programs::with_columns(&sample.labelled(labels).unwrap(), 45)
    });
    let number = 70;
    let bins = s_mu(0.0, LineOfSight::Midpoint);
    let plain = || CountSpec::new(bins.clone()).by_realisation(number);
    let angular = AngularWeight::new(vec![1.0, 20.0, 50.0], vec![3.0, -1.0, 1.0]).unwrap();
    let all = [
        plain().with_classes(Classes::Regions),
        plain().with_weights().with_classes(Classes::Species),
        plain()
            .with_weights()
            .with_sum(Sum::Rest(0, albireo::tally::WeightedSum::Product)),
        plain()
            .with_sum(Sum::Separation)
            .with_sum(Sum::WeightedLegendre(Legendre::L2)),
        plain().with_weights().with_pair_weight(angular.into()),
        plain()
            .with_weights()
            .with_program(pair_programs::every_operation()),
    ];
    for (k, what) in all.iter().enumerate() {
        each_side([&a, &b], number, |pairs, side| {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            check(engine, &job, what, &format!("further {k} of {side}"));
        });
    }
    let [a, b] = [a, b].map(|sample| sample.directions().unwrap());
    let theta = ThetaBins::new(Edges::linear(0.0, 20.0, 10).unwrap()).unwrap();
    each_side([&a, &b], 12, |pairs, side| {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let what = CountSpec::new(&theta).with_weights().by_realisation(12);
        check(engine, &job, &what, &format!("theta of {side}"));
    });
}

/// One sample for counts of all particles, of one realisation's weights and of all realisations.
fn of_prepared_samples(engine: &dyn Engine, n: usize) {
    let sample = particles(&Domain::Open, n, Scatter::Clustered, 46);
    let sample = with_realisations(&sample, 50, 47);
    let prepared = engine.prepare(sample, &Domain::Open, &Silent).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.3, 5).unwrap());
    let plain = CountSpec::new(bins);
    let weighted = plain.clone().with_weights();
    for what in [
        plain.clone(),
        plain.clone().by_realisation(50),
        weighted.clone().by_realisation(3),
        weighted,
        plain.by_realisation(50),
    ] {
        let job = PreparedJob::auto(&prepared);
        let (tally, _) = engine.tally(&job, &what, &Silent).unwrap();
        assert!(tally == Naive.run(job.job(), &what, &Silent).unwrap());
    }
}
