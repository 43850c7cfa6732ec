//! Many realisations of a sample from one traversal: against the double loop and against separate counts, by `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::processors;
use crate::random;

use albireo::counts::{count_prepared, count_realisations, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::{EngineError, JobError};
use albireo::particles::{Bits, Groups, Weights};
use albireo::tally::{
    Classes, CountSpec, Cut, InverseProbability, Legendre, PairNormalisation, Realisations,
    weight_exponents, weights_are_wide,
};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};
use processors::engines;
use random::Random;

const SIDE: f64 = 10.0;

/// How particles weigh.
#[derive(Debug, Clone, Copy)]
enum Weighing {
    Unit,
    Narrow,
    /// In two words.
    Wide,
}

/// Points, half of them on multiples of 0.1, in so many realisations: each holds about half of the points, the last but a few.
fn sample(n: usize, (number, weighing): (usize, Weighing), seed: u64) -> Particles {
    let mut random = Random(seed);
    let mut rows = random.points(n, SIDE);
    for row in rows.iter_mut().step_by(2) {
        *row = row.map(|x| (x * 10.0).floor() * 0.1);
    }
    let points = Points::from_rows(&rows).unwrap();
    let mut weights = |size: f64| -> Vec<f64> {
        let weight = |_| size.powf(random.unit()) * (3.0 * random.unit() - 0.7);
        (0..n).map(weight).collect()
    };
    let particles = match weighing {
        Weighing::Unit => Particles::new(points),
        Weighing::Narrow => Particles::weighted(points, weights(1.0)).unwrap(),
        Weighing::Wide => Particles::weighted(points, weights(1e-9)).unwrap(),
    };
    let words = number.div_ceil(64);
    let mut bits: Vec<u64> = (0..n * words).map(|_| random.next()).collect();
    let last = number - 1;
    for (row, word) in bits.iter_mut().skip(last / 64).step_by(words).enumerate() {
        let few = 1 << (last % 64);
        *word = if row % 9 == 0 {
            *word | few
        } else {
            *word & !few
        };
    }
    particles
        .with_bits(Bits::new(bits, words).unwrap())
        .unwrap()
}

/// The same without bits.
fn bare(sample: &Particles) -> Particles {
    let points = sample.points().clone();
    match sample.weights() {
        Weights::Unit => Particles::new(points),
        Weights::PerParticle(weights) => Particles::with_weights(points, weights.clone()).unwrap(),
    }
}

fn labelled(sample: Particles) -> Particles {
    let labels = (0..sample.len() as u32).map(|row| row / 5 % 3).collect();
    let groups = (0..sample.len() as u32).map(|row| row / 3).collect();
    let labelled = sample.labelled(Labels::new(labels, 3).unwrap()).unwrap();
    labelled.grouped(Groups::new(groups)).unwrap()
}

fn domains() -> [Domain; 2] {
    let cube = PeriodicBox::cubic(SIDE).unwrap();
    [Domain::Open, Domain::Periodic(cube)]
}

fn s_mu(los: LineOfSight, lo: f64) -> Bins {
    let mu = SignedEdges::linear(lo, 1.0, 8).unwrap();
    let bins = SMuBins::new(Edges::linear(0.0, 4.5, 9).unwrap(), mu, los);
    bins.unwrap().into()
}

/// Compares every engine with the double loop.
fn agree(pairs: Pairs<'_>, domain: &Domain, what: &CountSpec) {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = Naive.run(&job, what, &Silent).unwrap();
    assert!(expected.pairs().iter().any(|&n| n > 0));
    for engine in engines() {
        let found = engine.run(&job, what, &Silent).unwrap();
        assert!(
            found == expected,
            "{:?} {:?} {}",
            what.bins(),
            what.sums(),
            engine.description()
        );
    }
}

/// Compares the counts of every realisation with those of its rows alone.
fn are_separate_counts(pairs: Pairs<'_>, domain: &Domain, what: &CountSpec) {
    let engine = Cpu::new();
    let prepare = |sample: &Particles| engine.prepare(sample.clone(), domain, &Silent).unwrap();
    let exponents = weight_exponents(pairs);
    let (first, second) = pairs.samples();
    let ready = (prepare(first), second.map(prepare));
    let job = PreparedJob::new(&ready.0, ready.1.as_ref()).unwrap();
    let (all, _) = count_realisations(&engine, &job, what, &Silent).unwrap();
    assert_eq!(Some(all.len()), what.realisations());
    let alone = what.clone().of_one_realisation();
    let alone = alone
        .with_weight_exponents(exponents)
        .in_two_words(weights_are_wide(pairs, 0));
    for (k, found) in all.iter().enumerate() {
        let own = |sample: &Particles| prepare(&sample.of_realisation(k).unwrap());
        let ready = (own(first), second.map(own));
        let job = PreparedJob::new(&ready.0, ready.1.as_ref()).unwrap();
        let expected = if alone.classes() == Classes::Regions {
            count_regions(&engine, &job, &alone, &Silent)
        } else {
            count_prepared(&engine, &job, &alone, &Silent)
        };
        assert!(*found == expected.unwrap().0, "realisation {k}");
    }
}

fn both(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>, number: usize) {
    let what = CountSpec::for_pairs(bins, pairs).by_realisation(number);
    agree(pairs, domain, &what.clone().in_range_of(pairs));
    are_separate_counts(pairs, domain, &what);
}

#[test]
fn each_realisation_equals_its_separate_count() {
    for (number, weighing) in [
        (1, Weighing::Narrow),
        (64, Weighing::Unit),
        (65, Weighing::Wide),
        (127, Weighing::Narrow),
        (128, Weighing::Unit),
    ] {
        let of = (number, weighing);
        let (a, b) = (sample(180, of, 1), sample(150, of, 2));
        for domain in domains() {
            for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                let many = RBins::new(Edges::linear(0.0, 4.5, 100).unwrap());
                let many = CountSpec::for_pairs(many, pairs).by_realisation(number);
                agree(pairs, &domain, &many.in_range_of(pairs));
                let few = RBins::new(Edges::linear(0.0, 4.5, 5).unwrap());
                both(pairs, &domain, few, number);
            }
        }
    }
}

#[test]
fn in_two_coordinates_and_on_the_sphere() {
    let of = (64, Weighing::Narrow);
    let (a, b) = (sample(260, of, 3), sample(200, of, 4));
    let [open, cube] = domains();
    let rp = Edges::logarithmic(0.3, 3.0, 5).unwrap();
    let pi = SignedEdges::linear(-4.0, 4.0, 6).unwrap();
    let rp_pi = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap();
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        both(pairs, &cube, &rp_pi, 64);
        both(pairs, &open, s_mu(LineOfSight::Midpoint, 0.0), 64);
        both(pairs, &open, s_mu(LineOfSight::First, -1.0), 64);
    }
    let [a, b] = [a, b].map(|sample| sample.directions().unwrap());
    let theta = ThetaBins::new(Edges::linear(0.0, 20.0, 10).unwrap()).unwrap();
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        both(pairs, &Domain::Open, &theta, 64);
    }
}

#[test]
fn a_sample_without_bits_takes_part_in_all() {
    let of = (70, Weighing::Narrow);
    let (draws, all) = (sample(200, of, 5), sample(300, of, 6));
    let points = all.points().clone();
    let bins = RBins::new(Edges::linear(0.0, 4.0, 7).unwrap());
    for randoms in [
        Particles::new(points.clone()),
        Particles::with_weights(points, vec![0.7; 300].into()).unwrap(),
    ] {
        for pairs in [
            Pairs::Cross(&draws, &randoms),
            Pairs::Cross(&randoms, &draws),
        ] {
            both(pairs, &Domain::Open, &bins, 70);
        }
    }
}

/// More blocks than a group of them has, whose rows have histograms of their own, and bins too many for that.
#[test]
fn realisations_of_the_rows_alone_are_counted_row_by_row() {
    for (number, weighing) in [
        (64, Weighing::Unit),
        (65, Weighing::Narrow),
        (128, Weighing::Wide),
    ] {
        let (draws, all) = (
            sample(1400, (number, weighing), 7),
            sample(220, (number, weighing), 8),
        );
        let all = bare(&all);
        for domain in domains() {
            for n_bins in [6, 150] {
                let bins = RBins::new(Edges::linear(0.0, 3.0, n_bins).unwrap());
                let pairs = Pairs::Cross(&draws, &all);
                let what = CountSpec::for_pairs(bins, pairs).by_realisation(number);
                agree(pairs, &domain, &what.in_range_of(pairs));
            }
        }
    }
}

/// Each particle is in one realisation, so that most pairs are in none.
#[test]
fn pairs_without_a_realisation_in_common_are_left_out() {
    let of = (128, Weighing::Narrow);
    let alone = |seed: u64| {
        let whole = sample(300, of, seed);
        let bits = (0..300).flat_map(|row| match row % 7 {
            0..3 => [1 << (row % 64), 0],
            3..5 => [0, 1 << (row % 64)],
            5 => [0, 0],
            _ => [1 << 63, 1],
        });
        let bits = Bits::new(bits.collect(), 2).unwrap();
        bare(&whole).with_bits(bits).unwrap()
    };
    let (a, b) = (alone(13), alone(14));
    let bins = RBins::new(Edges::linear(0.0, 4.5, 5).unwrap());
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        both(pairs, &Domain::Open, &bins, 128);
    }
}

/// The bytes of a bin take 255 pairs; few bins have four copies of them, which pairs take in turn.
#[test]
fn bytes_are_emptied_before_they_are_full() {
    let copies = [(3, 4, 1), (70, 1, 1), (70, 1, 2)];
    for (n_bins, copies, words) in copies {
        for more in [-2, -1, 0, 1, 2, 255] {
            let n = (255 * copies + more) as usize;
            let around = |k: usize| [1.0 + 1e-5 * (k % 97) as f64, 1e-3 * (k / 97) as f64, 0.0];
            let points: Vec<_> = (0..n).map(around).collect();
            let bits = |n: usize, k: u64| {
                let sets =
                    (0..(n * words) as u64).map(|row| u64::MAX << (row % 2 * k) >> (row % 3));
                Bits::new(sets.collect(), words).unwrap()
            };
            let ring = Particles::new(Points::from_rows(&points).unwrap());
            let ring = ring.with_bits(bits(n, 2)).unwrap();
            let centre = Particles::new(Points::from_rows(&[[0.0; 3]]).unwrap());
            let all = Bits::new(vec![u64::MAX; words], words).unwrap();
            let centre = centre.with_bits(all).unwrap();
            let edges = (0..=n_bins).map(|k| [0.5, 1.5, 2.5][k.min(2)] + 0.01 * k as f64);
            let bins = RBins::new(Edges::new(edges.collect::<Vec<_>>()).unwrap());
            for pairs in [Pairs::Cross(&centre, &ring), Pairs::Cross(&ring, &centre)] {
                let what = CountSpec::for_pairs(&bins, pairs).by_realisation(64 * words);
                agree(pairs, &Domain::Open, &what);
            }
        }
    }
}

#[test]
fn regions_cuts_and_further_sums_are_those_of_separate_counts() {
    let of = (9, Weighing::Narrow);
    let samples = [sample(160, of, 9), sample(140, of, 10)].map(labelled);
    let [a, b] = &samples;
    let further: [fn(CountSpec) -> CountSpec; 4] = [
        |what| {
            what.with_mean_separation()
                .with_weighted_separation()
                .with_legendre([Legendre::L2].into_iter().collect())
        },
        |what| what.with_cut(Cut::SameGroup),
        |what| what.with_classes(Classes::Regions),
        |what| what.with_classes(Classes::Species),
    ];
    for with in further {
        for pairs in [Pairs::Auto(a), Pairs::Cross(a, b)] {
            for lo in [0.0, -1.0] {
                let bins = s_mu(LineOfSight::Fixed(Axis::X), lo);
                let what = with(CountSpec::for_pairs(&bins, pairs)).by_realisation(9);
                for domain in domains() {
                    agree(pairs, &domain, &what.clone().in_range_of(pairs));
                    are_separate_counts(pairs, &domain, &what);
                }
            }
        }
    }
    // Bins beyond half of the box, and bins too fine for a filter.
    let [_, cube] = domains();
    let far = RBins::new(Edges::linear(0.0, 8.0, 7).unwrap());
    let what = CountSpec::for_pairs(far, Pairs::Auto(a)).by_realisation(9);
    agree(Pairs::Auto(a), &cube, &what.beyond_half());
    let fine = Edges::linear(1.0, 1.0 + 1e-9, 3).unwrap();
    let fine = [fine.values(), &[4.0]].concat();
    both(
        Pairs::Cross(a, b),
        &cube,
        RBins::new(Edges::new(fine).unwrap()),
        9,
    );
}

#[test]
fn what_bits_do_not_tell_is_refused() {
    let draws = sample(20, (64, Weighing::Unit), 11);
    let wide = sample(20, (65, Weighing::Unit), 12);
    let bare = Particles::new(draws.points().clone());
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2).unwrap()));
    let refused = |pairs: Pairs<'_>, what: &CountSpec| {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let [naive, cpu] = [
            Naive.run(&job, what, &Silent),
            Cpu::new().run(&job, what, &Silent),
        ];
        assert_eq!(naive, cpu);
        match naive.unwrap_err() {
            EngineError::Job(error) => error,
            error => panic!("{error}"),
        }
    };
    let of = |number: usize| what.clone().by_realisation(number);
    assert_eq!(
        refused(Pairs::Auto(&bare), &of(1)),
        JobError::NoRealisations
    );
    for number in [0, 65] {
        assert_eq!(
            refused(Pairs::Auto(&draws), &of(number)),
            JobError::Realisations { number, held: 64 }
        );
    }
    assert_eq!(
        refused(Pairs::Cross(&draws, &wide), &of(64)).to_string(),
        "the realisations of both samples are the same: expected bits of as many words, found 1 and 2"
    );
    let inverse = InverseProbability::new(
        1,
        Realisations::zero_truncated(64),
        PairNormalisation::JointOccurrence,
    );
    let weighed = of(64).weighted_by(inverse.unwrap().into());
    assert_eq!(
        refused(Pairs::Auto(&draws), &weighed),
        JobError::RealisationsOfInverse
    );
}
