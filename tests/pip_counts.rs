//! Counts with inverse probabilities and what they are normalised by, against golden values of exact fractions
//! (`tests/data/make_golden_pip.py`), by parts, by classes and where one sample has no bits.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{Part, count_pairs, count_part, count_prepared};
use albireo::engine::{AnyEngine, Cpu, PreparedJob, Silent};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, Classes, InverseProbability, PairNormalisation, PairWeight, Realisations, Sum,
};
use albireo::{
    Bins, CountSpec, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    Points, RBins, SMuBins, SignedEdges, Weights,
};

const SETTINGS: [(&str, Realisations); 2] = [
    (
        "efficient",
        Realisations {
            number: 129,
            offset: 1,
            always: 0,
            default_value: 0.0,
        },
    ),
    (
        "truncated",
        Realisations {
            number: 128,
            offset: 0,
            always: 1,
            default_value: 0.0,
        },
    ),
];

const NORMALISATIONS: [PairNormalisation; 3] = [
    PairNormalisation::JointOccurrence,
    PairNormalisation::BruteForce,
    PairNormalisation::Counter,
];

fn galaxies() -> Particles {
    let text = include_str!("data/golden_pip_points.csv");
    let rows: Vec<Vec<&str>> = (text.lines().skip(1))
        .map(|line| line.split(',').collect())
        .collect();
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().unwrap();
    let points: Vec<[f64; 3]> = (rows.iter())
        .map(|row| [0, 1, 2].map(|k| number(row, k)))
        .collect();
    let weights = rows.iter().map(|row| number(row, 3)).collect();
    let words = rows
        .iter()
        .flat_map(|row| [4, 5].map(|k| row[k].parse::<u64>().unwrap()));
    Particles::weighted(Points::from_rows(&points).unwrap(), weights)
        .unwrap()
        .with_bits(Bits::new(words.collect(), 2).unwrap())
        .unwrap()
}

fn golden(setting: &str, name: &str) -> Vec<f64> {
    let text = include_str!("data/golden_pip.csv");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{setting},{name},")));
    let words = line.unwrap().split(',');
    words.map(|word| word.parse().unwrap()).collect()
}

fn bins() -> RBins {
    RBins::new(Edges::new(vec![0.0, 3.0, 6.0, 12.0, 24.0]).unwrap())
}

fn pip(realisations: Realisations, normalisation: PairNormalisation) -> PairWeight {
    let inverse = InverseProbability::new(2, realisations, normalisation).unwrap();
    PairWeight::from(inverse)
}

fn weighted(bins: impl Into<Bins>, weight: PairWeight) -> CountSpec {
    CountSpec::new(bins).weighted_by(weight)
}

fn assert_close(found: &[f64], expected: &[f64], room: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= room,
            "{found} {expected} {room}"
        );
    }
}

/// By how much the weight of a pair may be off in a sum: half of 2^-36 of what factors are scaled by, and some of its last digits.
fn rounding(job: &PairJob<'_>, weight: &PairWeight) -> f64 {
    let what = weighted(bins(), weight.clone());
    let scale = 2f64.powi(what.exponent(&Sum::Product, job.pairs()));
    scale * (0.5f64.powi(37) + 0.5f64.powi(49))
}

#[test]
fn counts_and_totals_are_those_of_fractions() {
    let galaxies = galaxies();
    let job = PairJob::new(Pairs::Auto(&galaxies), &Domain::Open).unwrap();
    let angular =
        || AngularWeight::new(vec![0.0, 1.0, 2.5, 6.0], vec![2.5, 1.25, 0.75, 1.0]).unwrap();
    for (setting, realisations) in SETTINGS {
        for (normalisation, name) in NORMALISATIONS
            .into_iter()
            .zip(["joint", "brute", "counter"])
        {
            let weight = pip(realisations, normalisation);
            let kind = if normalisation == PairNormalisation::Counter {
                "counter"
            } else {
                "pip"
            };
            for engine in [AnyEngine::Naive(Naive), AnyEngine::Cpu(Cpu::new())] {
                let counts =
                    count_pairs(&*engine, &job, weighted(bins(), weight.clone()), &Silent).unwrap();
                let rounding = rounding(&job, &weight);
                for (bin, expected) in golden(setting, kind).into_iter().enumerate() {
                    let room = counts.npairs()[bin] as f64 * rounding;
                    assert_close(&[counts.weight().unwrap()[bin]], &[expected], room);
                }
                let total = golden(setting, &format!("total {name}"));
                let room = if name == "brute" {
                    7140.0 * rounding
                } else {
                    1e-12 * total[0]
                };
                assert_close(&[counts.total().weight], &total, room);
                assert_eq!(counts.pair_weight(), Some(&weight));
            }
        }
        let weight = pip(realisations, PairNormalisation::JointOccurrence).with_angular(angular());
        let counts = count_pairs(&Cpu::new(), &job, weighted(bins(), weight), &Silent).unwrap();
        let rounding = rounding(&job, counts.pair_weight().unwrap());
        for (bin, expected) in golden(setting, "angular").into_iter().enumerate() {
            let room = counts.npairs()[bin] as f64 * (rounding + 1e-11);
            assert_close(&[counts.weight().unwrap()[bin]], &[expected], room);
        }
        assert_close(
            &[counts.total().weight],
            &golden(setting, "total joint"),
            1e-8,
        );
    }
}

#[test]
fn one_sided_bits_are_individual_weights() {
    let galaxies = galaxies();
    let moved: Vec<[f64; 3]> = (0..galaxies.len())
        .map(|k| galaxies.points().at(k).map(|x| x + 0.5))
        .collect();
    let randoms = Particles::new(Points::from_rows(&moved).unwrap());
    for (setting, realisations) in SETTINGS {
        let weight = pip(realisations, PairNormalisation::JointOccurrence);
        let individual = weight.inverse().unwrap().individual(&galaxies).unwrap();
        let [sum, squares] = golden(setting, "individual")[..] else {
            panic!("two sums");
        };
        assert_close(&[individual.weight_sum()], &[sum], 1e-10);
        assert_close(&[individual.weight_square_sum()], &[squares], 1e-9);
        let count = |pairs: Pairs<'_>, what: &CountSpec| {
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            count_pairs(&Cpu::new(), &job, what, &Silent).unwrap()
        };
        let product = &CountSpec::new(bins()).with_weights();
        let by_bits = &weighted(bins(), weight.clone());
        let expected = count(Pairs::Cross(&individual, &randoms), product);
        let found = count(Pairs::Cross(&galaxies, &randoms), by_bits);
        assert_eq!(found, expected);
        let expected = count(Pairs::Cross(&randoms, &individual), product);
        let found = count(Pairs::Cross(&randoms, &galaxies), by_bits);
        assert_eq!(found, expected);
        assert_eq!(found.total().weight, individual.weight_sum() * 120.0);
        // Samples that are sorted are not weighted anew.
        let engine = Cpu::new();
        let prepare = |sample: &Particles| {
            let sample = engine.prepare(sample.clone(), &Domain::Open, &Silent);
            sample.unwrap()
        };
        let (data, others) = (prepare(&galaxies), prepare(&randoms));
        let job = PreparedJob::cross(&data, &others).unwrap();
        let what = weighted(bins(), weight);
        let error = engine.tally(&job, &what, &Silent).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the first sample has bits and the second sample has none")
        );
    }
}

#[test]
fn parts_merge_to_the_whole() {
    let galaxies = galaxies();
    let job = PairJob::new(Pairs::Auto(&galaxies), &Domain::Open).unwrap();
    let angular = AngularWeight::new(vec![0.1, 5.0], vec![3.0, 1.0]).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let s_mu = SMuBins::new(Edges::linear(0.0, 20.0, 4).unwrap(), mu, LineOfSight::First).unwrap();
    for normalisation in NORMALISATIONS {
        let weight = pip(SETTINGS[1].1, normalisation).with_angular(angular.clone());
        let whole = count_pairs(&Naive, &job, weighted(&s_mu, weight.clone()), &Silent).unwrap();
        let part = |index: u32| {
            let part = Part { index, of: 3 };
            count_part(
                &Cpu::new(),
                &job,
                part,
                weighted(&s_mu, weight.clone()),
                &Silent,
            )
            .unwrap()
        };
        let mut merged = part(1);
        merged.merge(&part(2)).unwrap();
        merged.merge(&part(0)).unwrap();
        assert_eq!(merged.weight(), whole.weight());
        assert_eq!(merged.total(), whole.total());
        let error = merged.clone().merge(&{
            let other = pip(SETTINGS[0].1, normalisation);
            count_pairs(&Naive, &job, weighted(&s_mu, other), &Silent).unwrap()
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains("they differ in the weights of pairs (product of the weights, times inverse probabilities 128/(0 + common bits)"), "{error}");
    }
}

#[test]
fn other_bits_are_another_job() {
    let galaxies = galaxies();
    let words = galaxies.bits().unwrap().words().to_vec();
    let count = |words: Vec<u64>| {
        let sample = galaxies.clone().with_bits(Bits::new(words, 2).unwrap());
        let sample = sample.unwrap();
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let weight = pip(SETTINGS[0].1, PairNormalisation::JointOccurrence);
        count_pairs(&Naive, &job, weighted(bins(), weight), &Silent).unwrap()
    };
    let mut other = words.clone();
    other[7] ^= 1 << 60;
    let (a, b) = (count(words.clone()), count(other));
    assert_ne!(a.job_id(), b.job_id());
    let mut both = a.clone();
    both.merge(&b).unwrap();
    assert_eq!(both.total().pairs, 2 * a.total().pairs);
    assert!(both.merge(&count(words)).is_err(), "counted twice");
}

#[test]
fn brute_force_holds_weights_of_two_words() {
    let galaxies = galaxies();
    let Weights::PerParticle(weights) = galaxies.weights() else {
        panic!("galaxies have weights");
    };
    let mut weights: Vec<f64> = weights.iter().collect();
    weights[..2].iter_mut().for_each(|weight| *weight *= 1e7);
    let heavy = Particles::weighted(galaxies.points().clone(), weights).unwrap();
    let heavy = heavy.with_bits(galaxies.bits().unwrap().clone()).unwrap();
    let all = RBins::new(Edges::linear(0.0, 40.0, 1).unwrap());
    for (sample, two_words) in [(&galaxies, false), (&heavy, true)] {
        let job = PairJob::new(Pairs::Auto(sample), &Domain::Open).unwrap();
        let weight = pip(SETTINGS[0].1, PairNormalisation::BruteForce);
        let counts = count_pairs(&Naive, &job, weighted(&all, weight), &Silent).unwrap();
        assert_eq!(counts.is_in_two_words(), two_words);
        let (found, total) = (counts.weight().unwrap()[0], counts.total().weight);
        assert_close(&[found], &[total], 1e-14 * total);
    }
}

#[test]
fn totals_of_classes_add_up() {
    let galaxies = galaxies();
    let labels = (0..120).map(|k| k * k % 7 % 3).collect();
    let sample = galaxies.labelled(Labels::new(labels, 3).unwrap()).unwrap();
    let engine = Cpu::new();
    let data = engine.prepare(sample.clone(), &Domain::Open, &Silent);
    let data = data.unwrap();
    let job = PreparedJob::auto(&data);
    let mu = SignedEdges::linear(-1.0, 1.0, 2).unwrap();
    let s_mu = SMuBins::new(Edges::linear(0.0, 40.0, 1).unwrap(), mu, LineOfSight::First).unwrap();
    for normalisation in NORMALISATIONS {
        let weight = || pip(SETTINGS[0].1, normalisation);
        let by_class = |bins: Bins, classes| {
            let what = weighted(bins, weight()).with_classes(classes);
            count_prepared(&engine, &job, what, &Silent)
                .unwrap()
                .0
                .by_class()
        };
        let whole = |bins: &RBins| {
            count_pairs(&engine, job.job(), weighted(bins, weight()), &Silent)
                .unwrap()
                .total()
                .weight
        };
        let total = whole(&bins());
        let room = 1e-9 * total.abs();
        let species = by_class(bins().into(), Classes::Species);
        let found: f64 = species.iter().map(|counts| counts.total().weight).sum();
        assert_close(&[found], &[total], room);
        // Bins that hold all pairs hold what brute force says.
        if normalisation == PairNormalisation::BruteForce {
            let all = RBins::new(Edges::linear(0.0, 40.0, 1).unwrap());
            let species = by_class(all.into(), Classes::Species);
            for counts in &species {
                let all: f64 = counts.weight().unwrap().iter().sum();
                assert_close(&[all], &[counts.total().weight], 1e-9 * all.abs());
            }
            let ordered = by_class((&s_mu).into(), Classes::Regions);
            assert_eq!(ordered.len(), 9);
            for counts in &ordered {
                let all: f64 = counts.weight().unwrap().iter().sum();
                assert_close(&[all], &[counts.total().weight], 1e-9 * all.abs());
            }
        }
        let regions = by_class(bins().into(), Classes::Regions);
        let (own, shared) = regions.split_at(3);
        let sum = |counts: &[albireo::Counts]| -> f64 {
            counts.iter().map(|counts| counts.total().weight).sum()
        };
        assert_close(&[sum(own) + sum(shared) / 2.0], &[total], room);
        // Without a region: the total of the sample without it.
        let what = weighted(bins(), weight()).with_classes(Classes::Regions);
        let (regions, _) = count_prepared(&engine, &job, what, &Silent).unwrap();
        for (k, others) in [[1, 2], [0, 2], [0, 1]].iter().enumerate() {
            let rest = sample.of_labels(others).unwrap();
            let job = PairJob::new(Pairs::Auto(&rest), &Domain::Open).unwrap();
            let alone = count_pairs(&Naive, &job, weighted(bins(), weight()), &Silent).unwrap();
            let without = regions.without(k, 1.0);
            assert_eq!(without.npairs(), alone.npairs());
            assert_close(&[without.total().weight], &[alone.total().weight], room);
        }
    }
}
