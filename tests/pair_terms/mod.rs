//! Sums of terms against the double loop, by `==`: weights by bits and angles, coordinates, polynomials, many in one pass.
//!
//! Entry: [`weights_by_bits`], [`weights_by_angles`], [`sums_in_one_pass`], [`wide_weights`], [`sums_of_expressions`], [`realisations`]. Tests of kernels on the host and on devices share it; it knows no
//! engine.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a failed unwrap is a failed test; test binaries use it"
)]

mod expressions;
pub mod realised;

pub use expressions::sums_of_expressions;
pub use realised::realisations;

use albireo::engine::{Silent, Traversal};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, Classes, CountSpec, InverseProbability, Legendre, PairNormalisation, PairWeight,
    Realisations, Sum, WeightedSum,
};
use albireo::{
    Axis, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles, RBins,
    RpPiBins, SMuBins, SignedEdges, ThetaBins, Weights,
};

use super::pair_programs;
use super::suite::{Random, Scatter, domains, particles};

/// Compares one tally with that of the double loop.
fn check(engine: &dyn Engine, job: &PairJob<'_>, what: &CountSpec, told: &str) {
    let expected = Naive.run(job, what, &Silent).unwrap();
    let found = engine.run(job, what, &Silent).unwrap();
    assert!(expected.pairs().iter().any(|&n| n > 0), "{told}: no pairs");
    let pairs = expected.pairs() == found.pairs();
    assert!(expected == found, "{told}: pairs are equal: {pairs}");
}

/// Auto and cross counts by both traversals, one of them in classes too.
fn compare(
    engine: &dyn Engine,
    domain: &Domain,
    [a, b]: [&Particles; 2],
    what: &CountSpec,
    told: &str,
) {
    for traversal in [Traversal::AllPairs, Traversal::Cells] {
        for pairs in [Pairs::Auto(a), Pairs::Cross(a, b)] {
            let job = PairJob::new(pairs, domain).unwrap();
            check(engine, &job.with_traversal(traversal), what, told);
        }
    }
    let [a, b] = [a, b].map(|sample| {
        let labels = (0..sample.len()).map(|row| (row * row % 3) as u32);
        let labels = Labels::new(labels.collect(), 3).unwrap();
        sample.clone().labelled(labels).unwrap()
    });
    let what = what.clone().with_classes(Classes::Regions);
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let told = format!("{told}, regions");
        check(engine, &PairJob::new(pairs, domain).unwrap(), &what, &told);
    }
}

/// Rows of bits: none, all, few or half of them, `least` always.
fn with_bits(sample: &Particles, words: usize, least: u64, seed: u64) -> Particles {
    let mut random = Random::new(seed);
    let mut word =
        move || ((random.next() * 2f64.powi(53)) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let row = |row: usize| {
        let mut row: Vec<u64> = (0..words)
            .map(|_| match row % 7 {
                0 => 0,
                1 => u64::MAX,
                2 => word() & word() & word(),
                _ => word(),
            })
            .collect();
        row[words - 1] |= least;
        row
    };
    let rows: Vec<Vec<u64>> = (0..sample.len()).map(row).collect();
    let bits = Bits::from_rows(&rows).unwrap();
    sample.clone().with_bits(bits).unwrap()
}

/// Ways to read bits of `words` words, with the bit that is always set.
fn readings(words: usize) -> Vec<(InverseProbability, u64)> {
    let of = |realisations, normalisation| {
        InverseProbability::new(words, realisations, normalisation).unwrap()
    };
    // Pairs without a common bit have a weight of their own.
    let with_default = Realisations {
        number: 64 * words as u32,
        offset: 0,
        always: 0,
        default_value: -0.8,
    };
    let truncated = Realisations::zero_truncated(64 * words as u32);
    let mut readings = vec![
        (of(with_default, PairNormalisation::BruteForce), 0),
        (of(truncated, PairNormalisation::JointOccurrence), 1 << 63),
    ];
    if words == 1 {
        let all = Realisations::of_words(1);
        readings.push((of(all, PairNormalisation::Counter), 0));
        readings.push((of(truncated, PairNormalisation::Counter), 1 << 63));
    }
    readings
}

/// The samples of a case, a multiple of no tile.
fn samples(domain: &Domain, n: usize, seed: u64) -> [Particles; 2] {
    [
        particles(domain, n, Scatter::Clustered, seed),
        particles(domain, n / 2 + 1, Scatter::Uniform, seed + 1),
    ]
}

fn sight(domain: &Domain) -> LineOfSight {
    if domain.is_periodic() {
        LineOfSight::Fixed(Axis::Y)
    } else {
        LineOfSight::First
    }
}

fn r_bins(domain: &Domain) -> RBins {
    let reach = domain.reach().min(0.5);
    RBins::new(Edges::linear(0.1 * reach, reach, 9).unwrap())
}

fn s_mu_bins(domain: &Domain, los: LineOfSight, lowest: f64) -> SMuBins {
    let reach = domain.reach().min(0.5);
    let s = Edges::logarithmic(reach / 100.0, reach, 7).unwrap();
    let mu = SignedEdges::linear(lowest, 1.0, 4).unwrap();
    SMuBins::new(s, mu, los).unwrap()
}

fn rp_pi_bins(domain: &Domain, los: LineOfSight, lowest: f64) -> RpPiBins {
    let reach = 0.6 * domain.reach().min(0.5);
    let rp = Edges::linear(0.0, reach, 5).unwrap();
    let pi = SignedEdges::linear(lowest * reach, reach, 4).unwrap();
    RpPiBins::new(rp, pi, los).unwrap()
}

/// Weights by common bits, of one word to the most, in every domain.
pub fn weights_by_bits(engine: &dyn Engine, n: usize) {
    let domains = domains();
    for (k, words) in [1, 2, 12, 13, 32].into_iter().enumerate() {
        for (at, (inverse, least)) in readings(words).into_iter().enumerate() {
            let (name, domain) = &domains[(k + 3 * at) % domains.len()];
            let seed = (7 * k + at) as u64;
            let [a, b] = samples(domain, n, seed).map(|s| with_bits(&s, words, least, seed));
            let told = format!("{name}, {inverse}");
            let sum = |bins| {
                let what = CountSpec::new(bins).with_sum(Sum::Product);
                what.with_pair_weight(inverse.clone().into())
            };
            compare(engine, domain, [&a, &b], &sum(r_bins(domain)), &told);
        }
    }
    let (name, domain) = &domains[1];
    let (inverse, least) = readings(2).swap_remove(0);
    let [a, b] = samples(domain, n, 91).map(|s| with_bits(&s, 2, least, 92));
    let bins = s_mu_bins(domain, LineOfSight::Fixed(Axis::X), 0.0);
    let what = CountSpec::new(bins).with_sum(Sum::Product);
    let what = what.with_pair_weight(inverse.into());
    compare(engine, domain, [&a, &b], &what, name);
}

/// Angles near those of the pairs, with factors of both signs.
fn upweights(degrees: &[f64]) -> AngularWeight {
    let factors = degrees.iter().enumerate();
    let factors = factors.map(|(k, _)| 2.5 - 1.3 * k as f64).collect();
    AngularWeight::new(degrees.to_vec(), factors).unwrap()
}

/// Weights by the angle between the points, alone and with bits.
pub fn weights_by_angles(engine: &dyn Engine, n: usize) {
    let domain = &Domain::Open;
    let (inverse, least) = readings(2).swap_remove(1);
    let [a, b] = samples(domain, n, 31).map(|s| with_bits(&s, 2, least, 32));
    for degrees in [&[0.0, 180.0][..], &[2.0, 3.0, 40.0, 41.0, 90.0]] {
        let angular = upweights(degrees);
        let both = PairWeight::from(inverse.clone()).with_angular(angular.clone());
        for weight in [PairWeight::from(angular), both] {
            let told = format!("{weight}");
            let what = CountSpec::new(rp_pi_bins(domain, LineOfSight::Midpoint, 0.0));
            let what = what.with_sum(Sum::Product).with_pair_weight(weight);
            compare(engine, domain, [&a, &b], &what, &told);
        }
    }
    let [a, b] = [a, b].map(|sample| sample.directions().unwrap());
    let theta = ThetaBins::new(Edges::linear(0.0, 180.0, 12).unwrap()).unwrap();
    let what = CountSpec::new(theta).with_sum(Sum::WeightedSeparation);
    let what = what.with_pair_weight(upweights(&[0.0, 1.0, 60.0]).into());
    compare(engine, domain, [&a, &b], &what, "angles");
}

/// Coordinates and polynomials with and without weights, all that there are in one pass.
pub fn sums_in_one_pass(engine: &dyn Engine, n: usize) {
    let ordered: Vec<Sum> = (Legendre::ALL.into_iter())
        .flat_map(|l| [Sum::WeightedLegendre(l), Sum::Legendre(l)])
        .chain([Sum::Separation, Sum::WeightedSeparation, Sum::Product])
        .collect();
    let unordered: Vec<Sum> = ordered
        .iter()
        .filter(|sum| sum.legendre().is_none_or(|l| !l.is_odd()))
        .cloned()
        .collect();
    for (name, domain) in &domains() {
        let (inverse, least) = readings(1).swap_remove(0);
        let [a, b] = samples(domain, n, 51).map(|s| with_bits(&s, 1, least, 52));
        let los = sight(domain);
        let signed = CountSpec::new(s_mu_bins(domain, los, -1.0));
        let signed = ordered.iter().cloned().fold(signed, CountSpec::with_sum);
        compare(engine, domain, [&a, &b], &signed, name);
        let rp_pi = CountSpec::new(rp_pi_bins(domain, LineOfSight::Fixed(Axis::Z), 0.0));
        let rp_pi = (unordered.iter().rev().cloned())
            .fold(rp_pi, CountSpec::with_sum)
            .with_pair_weight(inverse.into());
        compare(engine, domain, [&a, &b], &rp_pi, name);
    }
}

/// The sums of three sets of weights in one tally, in no order.
pub fn by_weight_sets(engine: &dyn Engine, n: usize) {
    for (name, domain) in &domains() {
        let sets = |sample: Particles, seed: u64| {
            let mut random = Random::new(seed);
            let mut weights = |size: f64| -> Weights {
                let rows = 0..sample.len();
                let weights: Vec<f64> = rows.map(|_| size * (random.next() - 0.3)).collect();
                Weights::PerParticle(weights.into())
            };
            let further = vec![weights(1e-5), Weights::Unit, weights(0.9)];
            sample.with_weight_sets(further).unwrap()
        };
        let [a, b] = samples(domain, n, 61);
        let (a, b) = (sets(a, 62), sets(b, 63));
        let bins = s_mu_bins(domain, sight(domain), 0.0);
        let what = CountSpec::new(bins).with_sum(Sum::OfSet(3, WeightedSum::Product));
        let what = what.with_sum(Sum::Separation).with_sum(Sum::Product);
        let what = what.with_sum(Sum::OfSet(1, WeightedSum::Separation));
        let what = what.with_sum(Sum::OfSet(2, WeightedSum::Legendre(Legendre::L2)));
        compare(engine, domain, [&a, &b], &what, name);
    }
}

/// A sample whose weights span 27 decades, both signs, with one more set that has an outlier.
fn of_wide_range(sample: &Particles, seed: u64) -> Particles {
    let mut random = Random::new(seed);
    let rows = 0..sample.len();
    let sizes = rows.clone().map(|row| {
        let size = libm::pow(10.0, 24.0 * random.next() - 12.0);
        // One larger than all others together makes the range wide.
        let size = if row == 5 { 1e15 } else { size };
        if random.next() < 0.3 { -size } else { size }
    });
    let sizes: Vec<f64> = sizes.collect();
    let outlier = rows.map(|row| if row == 3 { 1e6 } else { 1.0 });
    let set = |weights: Vec<f64>| Weights::PerParticle(weights.into());
    let sample = Particles::weighted(sample.points().clone(), sizes).unwrap();
    sample
        .with_weight_sets(vec![set(outlier.collect())])
        .unwrap()
}

/// Sums in two words: of products alone, of every kind, by bits, and of two sets of weights.
pub fn wide_weights(engine: &dyn Engine, n: usize) {
    for (at, (name, domain)) in domains().iter().enumerate() {
        let [a, b] = samples(domain, n, 71 + at as u64).map(|s| of_wide_range(&s, 72));
        let told = format!("{name}, two words");
        let ask = |what: CountSpec| {
            let what = what.in_range_of(Pairs::Auto(&a));
            assert!(what.sums().iter().any(Sum::is_rest));
            what
        };
        let bins = s_mu_bins(domain, LineOfSight::Fixed(Axis::Y), 0.0);
        let products = CountSpec::new(bins.clone()).with_sum(Sum::Product);
        compare(engine, domain, [&a, &b], &ask(products.clone()), &told);
        let every = [
            Sum::Separation,
            Sum::WeightedSeparation,
            Sum::WeightedLegendre(Legendre::L2),
        ];
        let every = (every.into_iter()).fold(products.clone(), CountSpec::with_sum);
        compare(engine, domain, [&a, &b], &ask(every), &told);
        let sets = products.with_sum(Sum::OfSet(1, WeightedSum::Product));
        compare(engine, domain, [&a, &b], &ask(sets), &told);
    }
    let domain = &Domain::Open;
    let (inverse, least) = readings(2).swap_remove(0);
    let [a, b] = samples(domain, n, 81).map(|s| with_bits(&of_wide_range(&s, 82), 2, least, 83));
    let what = CountSpec::new(r_bins(domain)).with_sum(Sum::Product);
    let what = what.with_pair_weight(inverse.into());
    let what = what.in_range_of(Pairs::Cross(&a, &b));
    compare(engine, domain, [&a, &b], &what, "two words, by bits");
}
