//! Weights of pairs by common bits and by angles: engines against the double loop with `==`, and that against a loop written here.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::lin;
use crate::processors;
use crate::random;

use albireo::binning::{Binning, PairOrder};
use albireo::engine::{Cpu, Silent};
use albireo::error::{JobError, PairWeightError, ParticlesError};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, Classes, Cut, InverseProbability, Legendre, PairNormalisation, PairWeight,
    Realisations, Sum,
};
use albireo::{
    Axis, Bins, CountSpec, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, Outside,
    PairJob, Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
    ThetaBins,
};
use processors::engines;
use random::Random;

/// Rows of bits, some of them all zero, some all one.
fn bits(random: &mut Random, n: usize, per_row: usize) -> Bits {
    let mut words = Vec::with_capacity(n * per_row);
    for _ in 0..n {
        let kind = random.below(8);
        for _ in 0..per_row {
            words.push(match kind {
                0 => 0,
                1 => u64::MAX,
                2 => random.next() & random.next() & random.next(),
                _ => random.next(),
            });
        }
    }
    Bits::new(words, per_row).unwrap()
}

/// Points in a box of side 10, at a distance of `away` from the origin along x, with weights of either sign, bits and three labels.
fn sample(random: &mut Random, n: usize, per_row: usize, away: f64) -> Particles {
    let mut rows = random.points(n, 10.0);
    for row in &mut rows {
        // Ties and angles that are hit exactly.
        if random.below(3) == 0 {
            *row = row.map(f64::floor);
        }
        row[0] += away;
    }
    let weights = (0..n).map(|_| 3.0 * random.unit() - 1.0).collect();
    let labels = (0..n).map(|_| random.below(3) as u32).collect();
    Particles::weighted(Points::from_rows(&rows).unwrap(), weights)
        .unwrap()
        .labelled(Labels::new(labels, 3).unwrap())
        .unwrap()
        .with_bits(bits(random, n, per_row))
        .unwrap()
}

fn inverse(words: usize, normalisation: PairNormalisation) -> InverseProbability {
    InverseProbability::new(words, Realisations::of_words(words), normalisation).unwrap()
}

/// Inverse probabilities of all kinds for rows of so many words.
fn inverses(words: usize) -> Vec<InverseProbability> {
    let truncated = Realisations {
        default_value: -0.75,
        ..Realisations::zero_truncated(64 * words as u32)
    };
    let plain = PairNormalisation::BruteForce;
    let mut inverses = vec![
        inverse(words, PairNormalisation::JointOccurrence),
        InverseProbability::new(words, truncated, plain).unwrap(),
    ];
    // Thousands of bits have millions of combinations, which takes a while unoptimised.
    if words < 9 {
        inverses.push(inverse(words, PairNormalisation::Counter));
    }
    inverses
}

/// The largest angle, in degrees, whose squared chord is not above that of two positions; mostly it is that very square.
fn reached(x1: [f64; 3], x2: [f64; 3]) -> f64 {
    let reaches = |degrees: f64| {
        let step = AngularWeight::new(vec![degrees, 179.0], vec![2.0, 2.0]).unwrap();
        step.between(x1, x2) == 2.0
    };
    let (mut lo, mut hi) = (0.0, 90.0);
    while f64::midpoint(lo, hi) > lo && f64::midpoint(lo, hi) < hi {
        let middle = f64::midpoint(lo, hi);
        *(if reaches(middle) { &mut lo } else { &mut hi }) = middle;
    }
    lo
}

/// Factors at angles between pairs of a sample, which these pairs reach with nothing to spare, or miss by the smallest step.
fn angles(sample: &Particles) -> AngularWeight {
    let points = sample.points();
    let mut chosen = vec![0.0];
    for k in 1..40 {
        let degrees = reached(points.at(0), points.at(k));
        let degrees = if k % 3 == 0 {
            degrees.next_up()
        } else {
            degrees
        };
        if chosen.iter().all(|t: &f64| (t - degrees).abs() > 0.05) {
            chosen.push(degrees);
        }
    }
    chosen.sort_by(f64::total_cmp);
    chosen.truncate(12);
    let factors = (0..chosen.len()).map(|k| 1.5 - 0.4 * k as f64).collect();
    AngularWeight::new(chosen, factors).unwrap()
}

fn lists(line_of_sight: bool, ordered: bool) -> Vec<Vec<Sum>> {
    let mut lists = vec![
        vec![Sum::Product],
        vec![Sum::Separation, Sum::Product, Sum::WeightedSeparation],
    ];
    if line_of_sight {
        let degrees = Legendre::ALL.into_iter();
        let usable = degrees.filter(|l| ordered || !l.is_odd());
        lists.push(usable.map(Sum::WeightedLegendre).collect());
    }
    lists
}

/// Compares every engine with the double loop, for every list of sums.
fn compare(job: &PairJob<'_>, bins: impl Into<Bins>, weight: &PairWeight, classes: Classes) {
    let bins = &bins.into();
    let cross = matches!(job.pairs(), Pairs::Cross(..));
    let ordered = cross || bins.order() == PairOrder::Ordered;
    for sums in lists(bins.line_of_sight().is_some(), ordered) {
        let mut what = CountSpec::new(bins.clone())
            .with_pair_weight(weight.clone())
            .with_classes(classes);
        for sum in sums {
            what = what.with_sum(sum);
        }
        let expected = Naive.run(job, &what, &Silent).unwrap();
        for engine in engines() {
            let found = engine.run(job, &what, &Silent).unwrap();
            let name = engine.description();
            assert!(
                found == expected,
                "{name}: {bins:?} {:?} {weight}",
                what.sums()
            );
        }
    }
}

fn compare_bins(job: &PairJob<'_>, los: &[LineOfSight], weight: &PairWeight, classes: Classes) {
    let uneven = Edges::new(vec![0.0, 1.0, 1.0f64.next_up(), 2.0, 4.0]).unwrap();
    compare(job, RBins::new(lin(0.0, 4.0, 9)), weight, classes);
    compare(job, RBins::new(lin(1.0, 4.0, 1500)), weight, classes);
    compare(job, RBins::new(uneven), weight, classes);
    for &los in los {
        let mu = SignedEdges::linear(-1.0, 1.0, 6).unwrap();
        let s_mu = SMuBins::new(lin(0.0, 4.0, 5), mu, los).unwrap();
        compare(job, &s_mu, weight, classes);
        let pi = SignedEdges::linear(0.0, 3.0, 4).unwrap();
        let rp_pi = RpPiBins::new(lin(0.0, 3.0, 5), pi, los).unwrap();
        compare(job, &rp_pi, weight, classes);
    }
}

#[test]
fn engines_agree_in_open_domains() {
    let seen = [LineOfSight::Midpoint, LineOfSight::First];
    for (words, seed) in [(1, 1), (2, 2), (5, 3), (32, 4)] {
        let mut random = Random(seed);
        let a = sample(&mut random, 110, words, 30.0);
        let b = sample(&mut random, 90, words, 30.0);
        let angles = angles(&a);
        for (k, inverse) in inverses(words).into_iter().enumerate() {
            let weight = PairWeight::from(inverse);
            let both = weight.clone().with_angular(angles.clone());
            let auto = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
            let cross = PairJob::new(Pairs::Cross(&a, &b), &Domain::Open).unwrap();
            compare_bins(&auto, &seen[..1], &both, Classes::One);
            compare_bins(&cross, &seen[k % 2..][..1], &both, Classes::One);
            compare_bins(&auto, &[], &weight, Classes::Species);
            compare_bins(&cross, &[], &both, Classes::Regions);
        }
        let auto = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
        compare_bins(&auto, &seen, &PairWeight::from(angles), Classes::One);
    }
}

#[test]
fn engines_agree_in_boxes() {
    let mut random = Random(11);
    let (a, b) = (
        sample(&mut random, 120, 2, 0.0),
        sample(&mut random, 80, 2, 0.0),
    );
    let weight = PairWeight::from(inverse(2, PairNormalisation::Counter));
    let skew = Lattice::new([[11.0, 0.0, 0.0], [3.0, 11.0, 0.0], [-2.0, 4.0, 10.5]]).unwrap();
    let domains = [
        Domain::Periodic(PeriodicBox::cubic(10.0).unwrap()),
        Domain::Triclinic(skew),
    ];
    for domain in &domains {
        let place = |sample: &Particles| domain.place(sample.clone(), Outside::Wrap).unwrap();
        let (a, b) = (place(&a), place(&b));
        let los = [LineOfSight::Fixed(Axis::Z)];
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, domain).unwrap();
            compare_bins(&job, &los, &weight, Classes::One);
        }
    }
}

#[test]
fn engines_agree_on_the_sphere() {
    let mut random = Random(21);
    let a = sample(&mut random, 300, 3, 20.0).directions().unwrap();
    let b = sample(&mut random, 200, 3, 20.0).directions().unwrap();
    let theta = ThetaBins::new(Edges::new(vec![0.0, 0.4, 1.0, 5.0, 20.0]).unwrap()).unwrap();
    let weight = PairWeight::from(inverse(3, PairNormalisation::JointOccurrence));
    let both = weight.with_angular(angles(&a));
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        compare(&job, &theta, &both, Classes::One);
        compare(&job, &theta, &both, Classes::Species);
    }
}

#[test]
fn cuts_drop_pairs_with_their_weights() {
    let mut random = Random(31);
    let a = sample(&mut random, 300, 2, 25.0);
    let job = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
    let weight = PairWeight::from(inverse(2, PairNormalisation::JointOccurrence));
    let what = CountSpec::new(RBins::new(lin(0.0, 5.0, 6)))
        .with_pair_weight(weight.with_angular(angles(&a)))
        .with_sum(Sum::Product)
        .with_cut(Cut::theta(0.0, 3.0).unwrap());
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    let uncut = Naive.run(&job, &what.clone().without_cuts(), &Silent);
    assert_ne!(uncut.unwrap(), expected, "the cut holds something");
    for engine in engines() {
        assert_eq!(engine.run(&job, &what, &Silent).unwrap(), expected);
    }
}

/// The weight of a pair as a plain program would have it.
fn plain_weight(pairs: Pairs<'_>, [i, j]: [usize; 2], weight: &PairWeight) -> f64 {
    let (first, second) = pairs.both();
    let of = |sample: &Particles, row: usize| match sample.weights() {
        albireo::Weights::Unit => 1.0,
        albireo::Weights::PerParticle(w) => w.at(row),
    };
    let mut w = of(first, i) * of(second, j);
    if let Some(inverse) = weight.inverse() {
        let (a, b) = (first.bits().unwrap().row(i), second.bits().unwrap().row(j));
        let mut common = 0;
        for word in 0..a.len() {
            for bit in 0..64 {
                common += (a[word] >> bit) & (b[word] >> bit) & 1;
            }
        }
        let stated = inverse.realisations();
        w *= match u64::from(stated.offset) + common {
            0 => stated.default_value,
            held => f64::from(stated.number) / held as f64,
        };
    }
    if let Some(angular) = weight.angular() {
        let (a, b) = (first.points().at(i), second.points().at(j));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let cosine = dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
        let (angles, factors) = (angular.degrees(), angular.factors());
        let cosines: Vec<f64> = angles.iter().map(|t| t.to_radians().cos()).collect();
        let found = (1..cosines.len()).find(|&k| cosine > cosines[k] && cosine <= cosines[k - 1]);
        if let Some(k) = found {
            let share = (cosine - cosines[k]) / (cosines[k - 1] - cosines[k]);
            w *= factors[k] + share * (factors[k - 1] - factors[k]);
        }
    }
    w
}

#[test]
fn sums_are_those_of_a_plain_loop() {
    let mut random = Random(41);
    let (a, b) = (
        sample(&mut random, 200, 2, 40.0),
        sample(&mut random, 220, 2, 40.0),
    );
    // Angles of pairs move across a node by the rounding of cosines.
    let smooth = AngularWeight::new(vec![1.0, 2.5, 6.0, 9.0], vec![1.0, 2.5, -0.5, 1.0]).unwrap();
    for inverse in &inverses(2)[..2] {
        let weight = PairWeight::from(inverse.clone()).with_angular(smooth.clone());
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let bins = RBins::new(lin(0.0, 5.0, 4));
            let what = CountSpec::new(bins.clone())
                .with_pair_weight(weight.clone())
                .with_sum(Sum::Product);
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let tally = Naive.run(&job, &what, &Silent).unwrap();
            let exponent = what.exponent(&Sum::Product, pairs);
            let (first, second) = pairs.both();
            let (mut sums, mut largest) = ([0.0; 4], 0.0f64);
            for i in 0..first.len() {
                let from = if pairs.samples().1.is_none() {
                    i + 1
                } else {
                    0
                };
                for j in from..second.len() {
                    let (x1, x2) = (first.points().at(i), second.points().at(j));
                    let w = plain_weight(pairs, [i, j], &weight);
                    if let Some(bin) = bins.bin(&Domain::Open.separation(x1, x2)) {
                        sums[bin] += w;
                        largest = largest.max(w.abs());
                    }
                }
            }
            for (bin, found) in tally.real_sum(0, exponent).into_iter().enumerate() {
                let n = tally.pairs()[bin] as f64;
                // Each term is off by half of 2^-36 of the scale, and by some roundings and the cosine's.
                let room = n * (0.5f64.powi(37) * 2f64.powi(exponent) + 1e-9 * largest);
                assert!(
                    (found - sums[bin]).abs() <= room,
                    "{weight}: {found} {} {room}",
                    sums[bin]
                );
            }
        }
    }
}

#[test]
fn the_counter_divides_by_mean_weights() {
    let mut random = Random(51);
    let words = (0..120).map(|_| random.next()).collect();
    let points = Points::from_rows(&random.points(120, 10.0)).unwrap();
    let a = Particles::new(points)
        .with_bits(Bits::new(words, 1).unwrap())
        .unwrap();
    let job = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
    let total = |normalisation: PairNormalisation| {
        let what = CountSpec::new(RBins::new(lin(0.0, 20.0, 1)))
            .with_pair_weight(PairWeight::from(inverse(1, normalisation)))
            .with_sum(Sum::Product);
        let tally = Naive.run(&job, &what, &Silent).unwrap();
        tally.real_sum(0, what.exponent(&Sum::Product, job.pairs()))[0]
    };
    // Rows of random bits have about as many in common as chance gives: what is left is the product of individual weights.
    let individual = inverse(1, PairNormalisation::Counter)
        .individual(&a)
        .unwrap();
    let product = (individual.weight_sum().powi(2) - individual.weight_square_sum()) / 2.0;
    let counted = total(PairNormalisation::Counter);
    assert!(
        (counted / product - 1.0).abs() < 0.01,
        "{counted} {product}"
    );
    assert_ne!(total(PairNormalisation::JointOccurrence), counted);
}

#[test]
fn what_has_no_weight_is_refused() {
    let points = |n: usize| Points::from_rows(&vec![[1.0, 2.0, 3.0]; n]).unwrap();
    let plain = Particles::new(points(2));
    let with = |words: Vec<u64>, per_row: usize| {
        let bits = Bits::new(words, per_row).unwrap();
        plain.clone().with_bits(bits).unwrap()
    };
    let (one, two) = (with(vec![1, 2], 1), with(vec![1, 2, 3, 4], 2));
    let refused = |pairs: Pairs<'_>, domain: &Domain, weight: PairWeight| {
        let job = PairJob::new(pairs, domain).unwrap();
        let what = CountSpec::new(RBins::new(lin(0.0, 4.0, 2)))
            .with_pair_weight(weight)
            .with_sum(Sum::Product);
        let error = Naive.run(&job, &what, &Silent).unwrap_err();
        assert_eq!(Cpu::new().run(&job, &what, &Silent).unwrap_err(), error);
        error.to_string()
    };
    let pip = || PairWeight::from(inverse(1, PairNormalisation::JointOccurrence));
    assert_eq!(
        refused(Pairs::Auto(&plain), &Domain::Open, pip()),
        "inverse probabilities of pairs are made of bits, but the sample has none"
    );
    assert_eq!(
        refused(Pairs::Cross(&plain, &plain), &Domain::Open, pip()),
        "inverse probabilities of pairs are made of bits, but the first sample has none"
    );
    assert_eq!(
        refused(Pairs::Cross(&plain, &one), &Domain::Open, pip()),
        "the second sample has bits and the first sample has none: give the second sample individual weights of its bits (InverseProbability::individual)"
    );
    assert_eq!(
        refused(Pairs::Cross(&one, &two), &Domain::Open, pip()),
        "inverse probabilities are made for 1 words of bits, the second sample has 2"
    );
    let truncated = Realisations::zero_truncated(64);
    let truncated = InverseProbability::new(1, truncated, PairNormalisation::default()).unwrap();
    let empty = with(vec![7, 0], 1);
    assert_eq!(
        refused(Pairs::Auto(&empty), &Domain::Open, truncated.into()),
        "of the bits of a row 1 to 64 can be set, as the realisations are stated, but 0 are in row 1 (counting from 0) of the sample"
    );
    let angular = || PairWeight::from(AngularWeight::new(vec![0.0, 1.0], vec![2.0, 1.0]).unwrap());
    let cubic = Domain::Periodic(PeriodicBox::cubic(10.0).unwrap());
    assert_eq!(
        refused(Pairs::Auto(&one), &cubic, angular()),
        JobError::AngleInBox.to_string()
    );
    let origin = Particles::new(Points::from_rows(&[[1.0; 3], [0.0; 3]]).unwrap());
    assert_eq!(
        refused(Pairs::Auto(&origin), &Domain::Open, angular()),
        JobError::NoDirection { row: 1 }.to_string()
    );
}

#[test]
fn bits_and_realisations_are_checked() {
    assert!(matches!(
        Bits::new(vec![0; 4], 0),
        Err(ParticlesError::BitWords { found: 0, .. })
    ));
    assert!(Bits::new(vec![0; 33], 33).is_err());
    let ragged = Bits::new(vec![0; 7], 2).unwrap_err();
    assert_eq!(
        ragged.to_string(),
        "every row of bits must have 2 words, found 1 in row 3 (counting from 0)"
    );
    let columns = Bits::from_columns(&[vec![1, 2], vec![3, 4]]).unwrap();
    assert_eq!(columns.row(1), [2, 4]);
    assert!(Bits::from_columns(&[vec![1, 2], vec![3]]).is_err());
    let points = Points::from_rows(&[[0.0; 3]; 3]).unwrap();
    let error = Particles::new(points).with_bits(columns).unwrap_err();
    assert_eq!(
        error.to_string(),
        "columns of one sample must be equally long: position has 3 rows, bits has 2"
    );
    let stated = |realisations: Realisations| {
        InverseProbability::new(1, realisations, PairNormalisation::Counter)
            .unwrap_err()
            .to_string()
    };
    let plain = Realisations::of_words(1);
    assert_eq!(
        stated(Realisations { number: 0, ..plain }),
        "there must be 1 to 1073741824 realisations, found 0"
    );
    assert_eq!(
        stated(Realisations {
            always: -2,
            ..plain
        }),
        "the offset and the bits that are always set must be 0 to 65 together, the number of realisations, found 1 + -2"
    );
    assert_eq!(
        stated(Realisations {
            default_value: f64::NAN,
            ..plain
        }),
        "the weight of pairs that no realisation holds must be finite, found NaN"
    );
    let none = InverseProbability::new(33, plain, PairNormalisation::Counter);
    assert!(matches!(
        none,
        Err(PairWeightError::Words { found: 33, .. })
    ));
}
