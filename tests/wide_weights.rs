//! Weights of wide range: two words a term, on every processor, within the bound that the result states of sums by exact arithmetic.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{
    ExactSums, JobId, PairKind, PairTotal, Part, count_pairs, count_part, count_weight_sets,
};
use albireo::engine::{Cpu, Silent};
use albireo::error::CountsError;
use albireo::estimators::{Estimator, Term, TermCounts};
use albireo::tally::weights_are_wide;
use albireo::{
    Axis, Bins, CountSpec, Counts, Domain, Edges, Engine, LineOfSight, Naive, PairJob, Pairs,
    Particles, Points, RBins, RpPiBins, SMuBins, SignedEdges, Weights,
};

use super::processors::engines;
use super::random::Random;

const N: usize = 400;

fn weighted(bins: impl Into<Bins>) -> CountSpec {
    CountSpec::new(bins).with_weights()
}

fn sample(rows: &[[f64; 3]], weights: &[f64]) -> Particles {
    Particles::weighted(Points::from_rows(rows).unwrap(), weights.to_vec()).unwrap()
}

fn r_bins() -> RBins {
    RBins::new(Edges::linear(0.0, 8.0, 5).unwrap())
}

/// Weights of whole numbers of at most 26 bits times powers of two, whose products are float64 numbers.
fn integers(random: &mut Random, kind: usize) -> Vec<f64> {
    let mut draw = |k: usize| {
        let one = 1.0 + random.below(1 << 20) as f64;
        match kind {
            // One outlier.
            0 if k == 7 => 2f64.powi(40),
            // Small ones, and an eighth of any size.
            1 if k.is_multiple_of(8) => one * 2f64.powi(random.below(16) as i32),
            0 | 1 => one * 2f64.powi(-20),
            // Sizes of both signs, of which many cancel.
            2 => {
                let few = if (k / 2).is_multiple_of(50) {
                    30
                } else {
                    k / 2 % 10
                };
                let size = 2f64.powi(few as i32);
                if k % 2 == 1 { -size } else { size }
            }
            // Ordinary ones.
            _ => 0.5 + one * 2f64.powi(-21),
        }
    };
    (0..N).map(&mut draw).collect()
}

/// Sums of the products in each bin in units of 2^-42, by integers.
fn exact(rows: &[[f64; 3]], weights: &[f64], edges: &[f64]) -> Vec<i128> {
    let whole = |w: f64| (w * 2f64.powi(21)) as i128;
    let mut sums = vec![0; edges.len() - 1];
    for (i, (a, wa)) in rows.iter().zip(weights).enumerate() {
        for (b, wb) in rows[..i].iter().zip(weights) {
            let d: [f64; 3] = std::array::from_fn(|k| a[k] - b[k]);
            let r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            let bin = edges.partition_point(|e| e * e <= r2);
            if bin > 0 && bin < edges.len() {
                sums[bin - 1] += whole(*wa) * whole(*wb);
            }
        }
    }
    sums
}

#[test]
fn sums_are_within_their_bound_of_exact_ones() {
    let mut random = Random(5);
    let rows = random.points(N, 10.0);
    let edges = r_bins();
    let values = [0.0, 1.6, 3.2, 4.8, 6.4, 8.0];
    for kind in 0..4 {
        let weights = integers(&mut random, kind);
        let expected = exact(&rows, &weights, &values);
        let sample = sample(&rows, &weights);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let counts = count_pairs(&Naive, &job, weighted(&edges), &Silent).unwrap();
        assert_eq!(counts.is_in_two_words(), kind < 3, "{kind}");
        let bound = counts.weight_bound().unwrap();
        let largest = weights
            .iter()
            .fold(0.0, |most: f64, w| w.abs().max(most))
            .powi(2);
        let unit = if kind < 3 {
            2f64.powi(-65)
        } else {
            2f64.powi(-37)
        };
        for (bin, found) in counts.weight().unwrap().into_iter().enumerate() {
            let n = counts.npairs()[bin] as f64;
            assert!(bound[bin] >= n * unit * largest && bound[bin] <= 4.0 * n * unit * largest);
            // To the float64 nearest to the sum.
            let exact = expected[bin] as f64 * 2f64.powi(-42);
            let last = found.abs() * f64::EPSILON;
            assert!(
                (found - exact).abs() <= bound[bin] + last,
                "{kind}, bin {bin}"
            );
        }
        // Beside 2^40 even two words leave ones few digits, which is said; ordinary weights have all that they need.
        let loose = counts.bins_of_little_weight();
        assert!(kind != 0 || loose == [0, 1, 2, 3, 4], "{loose:?}");
        assert!(kind != 3 || loose.is_empty(), "{loose:?}");
    }
}

#[test]
fn one_large_weight_leaves_the_others_their_digits() {
    let mut random = Random(6);
    let rows = random.points(N, 10.0);
    let mut weights = vec![1.0; N];
    weights[11] = 1e6;
    let of = |weights: &[f64]| {
        let sample = sample(&rows, weights);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        count_pairs(&Cpu::new(), &job, weighted(r_bins()), &Silent).unwrap()
    };
    let counts = of(&weights);
    // Whole numbers below 2^53: the sums themselves.
    let edges = [0.0, 1.6, 3.2, 4.8, 6.4, 8.0];
    let expected = exact(&rows, &weights, &edges);
    let expected: Vec<f64> = expected
        .iter()
        .map(|&s| s as f64 * 2f64.powi(-42))
        .collect();
    for (found, expected) in counts.weight().unwrap().into_iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-12 * expected);
    }
    assert!(counts.bins_of_little_weight().is_empty());
}

#[test]
fn an_auto_count_is_a_cross_count_without_self_pairs() {
    let mut random = Random(8);
    let rows = random.points(N, 10.0);
    let masses: Vec<f64> = (0..N)
        .map(|_| 10f64.powf(10.0 + 5.0 * random.unit()))
        .collect();
    let halos = sample(&rows, &masses);
    let count = |pairs| {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        count_pairs(&Cpu::new(), &job, weighted(r_bins()), &Silent).unwrap()
    };
    let (auto, cross) = (
        count(Pairs::Auto(&halos)),
        count(Pairs::Cross(&halos, &halos)),
    );
    let selves: f64 = masses.iter().map(|m| m * m).sum();
    let bounds = auto.weight_bound().unwrap();
    for (bin, bound) in bounds.into_iter().enumerate() {
        let twice = 2.0 * auto.weight().unwrap()[bin];
        let all = cross.weight().unwrap()[bin] - if bin == 0 { selves } else { 0.0 };
        assert!((twice - all).abs() <= 1e-13 * all + 4.0 * bound, "{bin}");
    }
}

/// Weights whose range no float64 product can hold twice.
fn any_size(random: &mut Random) -> Vec<f64> {
    let mut draw = || {
        let size = 10f64.powf(200.0 * random.unit() - 100.0);
        if random.below(2) == 0 { size } else { -size }
    };
    (0..N).map(|_| draw()).collect()
}

fn all_engines_agree(what: CountSpec, pairs: Pairs<'_>, domain: &Domain) {
    let job = PairJob::new(pairs, domain).unwrap();
    let what = what.in_range_of(pairs);
    assert!(what.sums().iter().any(albireo::tally::Sum::is_rest));
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    for engine in engines() {
        let found = engine.run(&job, &what, &Silent).unwrap();
        assert!(found == expected, "{}", engine.description());
    }
}

#[test]
fn every_processor_has_both_words() {
    let mut random = Random(9);
    let rows = random.points(N, 10.0);
    let (w, v) = (any_size(&mut random), integers(&mut random, 0));
    let one = sample(&rows, &w);
    let further = Weights::PerParticle(v.clone().into());
    let both = one.clone().with_weight_sets(vec![further]).unwrap();
    let other = sample(&random.points(300, 10.0), &v[..300]);
    let los = LineOfSight::Fixed(Axis::Z);
    let s = Edges::linear(0.0, 8.0, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 10).unwrap();
    let s_mu = SMuBins::new(s.clone(), mu.clone(), los).unwrap();
    let rp_pi = RpPiBins::new(s.clone(), SignedEdges::linear(-8.0, 8.0, 8).unwrap(), los).unwrap();
    let open = Domain::Open;
    let all: [Bins; 4] = [
        r_bins().into(),
        RBins::new(s).into(),
        (&s_mu).into(),
        rp_pi.into(),
    ];
    for pairs in [Pairs::Auto(&one), Pairs::Cross(&one, &other)] {
        for bins in &all {
            let what = weighted(bins.clone());
            all_engines_agree(what.clone(), pairs, &open);
            let means = what.with_mean_separation().with_weighted_separation();
            all_engines_agree(means, pairs, &open);
        }
    }
    // Several sets of weights, of which each is decided by itself.
    let engine = Cpu::new();
    let prepared = engine.prepare(both.clone(), &open, &Silent).unwrap();
    let job = albireo::engine::PreparedJob::auto(&prepared);
    let (sets, _) = count_weight_sets(&engine, &job, weighted(&s_mu), &Silent).unwrap();
    for (set, weights) in sets.iter().zip([&w, &v]) {
        let alone = sample(&rows, weights);
        let job = PairJob::new(Pairs::Auto(&alone), &open).unwrap();
        let alone = count_pairs(&Naive, &job, weighted(&s_mu), &Silent).unwrap();
        assert_eq!(set.weight(), alone.weight());
        assert_eq!(set.weight_bound(), alone.weight_bound());
        assert!(set.is_in_two_words());
    }
}

#[test]
fn parts_decide_by_the_whole_job() {
    let mut random = Random(10);
    let rows = random.points(2000, 10.0);
    let mut weights = vec![1.0; 2000];
    weights[3] = 1e9;
    let sample = sample(&rows, &weights);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let bins = r_bins();
    let whole = count_pairs(&Naive, &job, weighted(&bins), &Silent).unwrap();
    let part = |index| {
        let part = Part { index, of: 3 };
        count_part(&Cpu::new(), &job, part, weighted(&bins), &Silent).unwrap()
    };
    let mut merged = part(2);
    merged.merge(&part(0)).unwrap();
    merged.merge(&part(1)).unwrap();
    assert_eq!(merged.npairs(), whole.npairs());
    assert_eq!(merged.weight(), whole.weight());
    assert_eq!(merged.weight_bound(), whole.weight_bound());
}

#[test]
fn jobs_of_other_words_do_not_merge() {
    let rows = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let rows: Vec<[f64; 3]> = (0..N).map(|k| rows[k % 3].map(|x| x + k as f64)).collect();
    let count = |weights: &[f64]| -> Counts {
        let sample = sample(&rows, weights);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        count_pairs(&Naive, &job, weighted(r_bins()), &Silent).unwrap()
    };
    let ordinary = vec![1.5; N];
    let mut wide = ordinary.clone();
    wide[0] = 1e7;
    let mut sum = count(&ordinary);
    let refusal = sum.merge(&count(&wide)).unwrap_err();
    let CountsError::Setting {
        setting,
        left,
        right,
    } = refusal
    else {
        panic!("{refusal}");
    };
    assert_eq!(
        [setting, &left, &right],
        ["the range of weights", "one word", "two words"]
    );
}

#[test]
fn sums_that_cancel_are_told() {
    let rows = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0, 9.0, 9.0]];
    let weights = [1.0 / 3.0, 1.0, -1.0 + 1e-9, 1.0];
    let sample = sample(&rows, &weights);
    let pairs = Pairs::Auto(&sample);
    assert!(!weights_are_wide(pairs, 0));
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    // The first bin is empty, and nothing of it is in doubt.
    let bins = RBins::new(Edges::new(vec![0.25, 0.5, 1.2, 20.0]).unwrap());
    let counts = count_pairs(&Naive, &job, weighted(&bins), &Silent).unwrap();
    assert_eq!(counts.bins_of_little_weight(), [1]);
    let loose = counts.loose_weights().unwrap();
    let text = loose.to_string();
    assert!(text.contains("1 of 3 bins"), "{text}");
    let share = counts.weight_bound().unwrap()[1] / counts.weight().unwrap()[1].abs();
    assert_eq!(loose.worst, share);
    assert!(1e-9 < share && share < 1.0, "{share}");
}

#[test]
fn weights_made_elsewhere_merge_with_those_of_any_range() {
    let bins = r_bins();
    let rows: Vec<[f64; 3]> = Random(2).points(80, 3.0);
    let mut weights = vec![1.0; 80];
    weights[0] = 1e9;
    let sample = sample(&rows, &weights);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let counts = count_pairs(&Naive, &job, weighted(&bins), &Silent).unwrap();
    assert!(counts.is_in_two_words());
    let weight = ExactSums::from_parts(&[counts.weight().unwrap()]).unwrap();
    let npairs = counts.npairs().to_vec();
    let read = Counts::from_parts(bins, npairs, Some(weight), counts.total(), JobId(1));
    let mut both = counts.clone();
    both.merge(&read.unwrap()).unwrap();
    let twice: Vec<u64> = counts.npairs().iter().map(|n| 2 * n).collect();
    assert_eq!(both.npairs(), twice);
    assert_eq!(both.weight_bound(), None);
}

#[test]
fn parts_whose_weights_add_up_to_no_number_merge() {
    let bins = r_bins();
    let rows: Vec<[f64; 3]> = Random(1).points(50, 3.0);
    let weights = vec![1e300; 50];
    let sample = sample(&rows, &weights);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let part = |index| {
        let part = Part { index, of: 2 };
        count_part(&Cpu::new(), &job, part, weighted(&bins), &Silent).unwrap()
    };
    let mut merged = part(0);
    assert!(merged.total().weight.is_nan(), "{:?}", merged.total());
    merged.merge(&part(1)).unwrap();
    assert_eq!(merged.npairs().iter().sum::<u64>(), 50 * 49 / 2);
}

#[test]
fn hamilton_without_random_pairs_has_no_value() {
    let bins = RBins::new(Edges::linear(0.0, 2.0, 2).unwrap());
    let counts = |kind, npairs: Vec<u64>| {
        let total = PairTotal::unweighted(kind, 100);
        Counts::from_parts(bins.clone(), npairs, None, total, JobId(1)).unwrap()
    };
    let dd = counts(PairKind::AutoUnordered, vec![3, 4]);
    let dr = counts(PairKind::Cross, vec![5, 6]);
    let rr = counts(PairKind::AutoUnordered, vec![0, 7]);
    let counts = TermCounts::new([(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)], None);
    let xi = Estimator::Hamilton.estimate(&counts).unwrap();
    assert!(xi.xi[0].is_nan() && xi.error[0].is_nan());
    assert!((xi.xi[1] - (4.0 * 7.0 / 36.0 - 1.0)).abs() < 1e-12 && xi.error[1] > 0.0);
}
