//! Counts made elsewhere, merged, and cut into parts: what is refused, and what totals say.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::HashSet;
use std::sync::Arc;

use albireo::counts::{ExactSums, JobId, PairKind, PairTotal, Part, count_pairs, count_part};
use albireo::engine::{Cpu, Exactness, Silent};
use albireo::error::{CountsError, EngineError, EstimatorError, JobError};
use albireo::estimators::{Term, TermCounts};
use albireo::particles::Column;
use albireo::random::{Stream, in_box};
use albireo::tally::{Cut, Legendre};
use albireo::{
    Axis, Bins, CountSpec, Counts, Domain, Edges, Estimator, LineOfSight, Naive, PairJob, Pairs,
    Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

#[path = "counts/elsewhere.rs"]
mod elsewhere;
#[path = "counts/merging.rs"]
mod merging;

fn bins() -> RBins {
    RBins::new(Edges::linear(0.0, 3.0, 3).unwrap())
}

fn total(pairs: u64) -> PairTotal {
    PairTotal::unweighted(PairKind::AutoUnordered, pairs)
}

fn restored(
    npairs: &[u64],
    weight: Option<&[f64]>,
    total: PairTotal,
) -> Result<Counts, CountsError> {
    let weight = weight.map(|weight| ExactSums::from_parts(&[weight.to_vec()]));
    let weight = weight.transpose()?;
    Counts::from_parts(bins(), npairs.to_vec(), weight, total, JobId(1))
}

#[test]
fn positions_in_single_precision_count_as_the_numbers_that_they_are() {
    let wide = in_box(3000, 5, [10.0; 3]).unwrap();
    let rows: Vec<f32> = (0..3000)
        .rev()
        .flat_map(|row| wide.at(row))
        .map(|x| x as f32)
        .collect();
    let widened: Vec<[f64; 3]> = (0..3000)
        .map(|row| [0, 1, 2].map(|axis| f64::from(rows[3 * (2999 - row) + axis])))
        .collect();
    let rows = Arc::new(rows);
    let column = |axis: usize| Column::of_singles(rows.clone(), 3 * 2999 + axis, -3, 3000).unwrap();
    let singly = Points::from_columns([0, 1, 2].map(column)).unwrap();
    let widened = Points::from_rows(&widened).unwrap();
    assert_eq!(singly, widened);
    let [singly, widened] = [singly, widened].map(Particles::new);
    let domains = [
        Domain::Open,
        Domain::Periodic(PeriodicBox::cubic(10.0).unwrap()),
    ];
    for domain in &domains {
        let jobs =
            [&singly, &widened].map(|sample| PairJob::new(Pairs::Auto(sample), domain).unwrap());
        let [found, known] = jobs.map(|job| {
            let naive = count_pairs(&Naive, &job, bins(), &Silent).unwrap();
            let fast = count_pairs(&Cpu::new(), &job, bins(), &Silent).unwrap();
            assert_eq!(naive, fast);
            assert!(naive.npairs()[2] > 1000);
            naive
        });
        assert_eq!(found, known);
    }
}

#[test]
fn numbers_that_are_no_counts_are_refused() {
    assert!(restored(&[1, 2, 3], Some(&[1.0, -2.0, 0.5]), total(6)).is_ok());
    let number = |column, found| CountsError::Bins {
        column,
        expected: 3,
        found,
    };
    let refused = |npairs: &[u64], weight: Option<&[f64]>, total| {
        restored(npairs, weight, total).unwrap_err()
    };
    assert_eq!(
        refused(&[1, 2], None, total(6)),
        number("number of pairs", 2)
    );
    assert_eq!(
        refused(&[1; 3], Some(&[1.0; 4]), total(6)),
        number("weight", 4)
    );
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = refused(&[1, 2, 3], Some(&[1.0, bad, 1.0]), total(6));
        assert_eq!(error.bin(), Some(1));
        let text = format!("the weight in bin 1 must be finite, found {bad}");
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(
        refused(&[1, 0, 3], Some(&[1.0, 1e-9, 1.0]), total(6)).bin(),
        Some(1)
    );
    let counted = 3 * u128::from(u64::MAX);
    assert_eq!(
        refused(&[u64::MAX; 3], None, total(u64::MAX)),
        CountsError::TooManyPairs {
            total: u64::MAX,
            counted
        }
    );
    assert_eq!(
        refused(&[1, 2, 4], None, total(6)).to_string(),
        "there are 6 pairs in all, but the bins hold 7"
    );
    for (weight, design_effect) in [
        (f64::NAN, 1.0),
        (f64::INFINITY, 1.0),
        (6.0, f64::NAN),
        (6.0, 0.5),
    ] {
        let damaged = PairTotal {
            weight,
            design_effect,
            ..total(6)
        };
        let error = refused(&[1, 2, 3], None, damaged);
        assert!(matches!(error, CountsError::Total { .. }), "{error}");
    }
}

#[test]
fn counts_come_back_from_all_that_they_hold() {
    let (s, mu) = (
        Edges::linear(0.0, 0.9, 3).unwrap(),
        SignedEdges::linear(0.0, 1.0, 2).unwrap(),
    );
    let bins = SMuBins::new(s, mu, LineOfSight::Midpoint).unwrap();
    let count = |seed, heavy: f64| {
        let points = in_box(70, seed, [1.0; 3]).unwrap();
        let mut weights = weights(1, 70, Stream::new(seed));
        weights[..2].iter_mut().for_each(|w| *w *= heavy);
        let sample = Particles::weighted(points, weights).unwrap();
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let what = CountSpec::for_pairs(&bins, job.pairs())
            .with_mean_separation()
            .with_weighted_separation()
            .with_legendre([Legendre::L4, Legendre::L2].into_iter().collect());
        count_pairs(&Naive, &job, what, &Silent).unwrap()
    };
    let mut both = count(1, 1.0);
    both.merge(&count(2, 1.0)).unwrap();
    let parts = |sums: Option<ExactSums>| sums.unwrap().parts();
    let mut most = 0;
    for counts in [count(1, 1.0), both, count(3, 3e4)] {
        let mut exact = |sums| {
            let parts = parts(sums);
            most = most.max(parts.len());
            ExactSums::from_parts(&parts).unwrap()
        };
        let jobs: Vec<_> = counts.jobs().collect();
        let (npairs, weight) = (counts.npairs().to_vec(), exact(counts.weight_sums()));
        let mut back =
            Counts::from_parts(bins.clone(), npairs, Some(weight), counts.total(), JobId(1))
                .and_then(|back| back.with_jobs(&jobs))
                .and_then(|back| back.with_separation_sums(exact(counts.separation_sums())))
                .unwrap();
        for l in [Legendre::L2, Legendre::L4] {
            back = back
                .with_legendre_sums(l, exact(counts.exact_legendre_sums(l)))
                .unwrap();
        }
        back = back
            .with_weighted_separation_sums(exact(counts.weighted_separation_sums()))
            .unwrap();
        assert_ne!(back, counts, "the bound of a pair is not known yet");
        let bound = counts.weight_bound_of_pair().unwrap();
        let back = back.with_weight_bound(bound, counts.is_in_two_words());
        assert_eq!(back, counts);
        let few = [(JobId(1), total(1)), (JobId(2), total(3))];
        let refused = back.clone().with_jobs(&few).unwrap_err();
        assert!(matches!(
            refused,
            CountsError::TooManyPairs { total: 4, .. }
        ));
        let twice = [1, 1].map(|job| (JobId(job), total(1 << 40)));
        let refused = back.clone().with_jobs(&twice).unwrap_err();
        assert_eq!(refused, CountsError::Overlap { part: 0, of: 1 });
        let many = [1, 2].map(|job| (JobId(job), total(1 << 63)));
        let refused = back.with_jobs(&many).unwrap_err();
        assert!(matches!(refused, CountsError::Overflow(_)), "{refused}");
    }
    assert!(most > 1, "some sums are no float64");
    let empty = restored(&[1, 0, 3], None, total(6)).unwrap();
    let sums = |bin: f64| ExactSums::from_parts(&[vec![0.5, bin, 2.0]]).unwrap();
    let refused = empty.clone().with_separation_sums(sums(1.5)).unwrap_err();
    assert_eq!(refused.bin(), Some(1));
    let mean = empty.with_separation_sums(sums(0.0)).unwrap();
    assert_eq!(mean.mean_separation().unwrap()[2], 2.0 / 3.0);
}

#[test]
fn what_is_known_of_counts_stays_with_them() {
    let counts = restored(&[1, 0, 3], None, total(6)).unwrap();
    assert_eq!(counts.exactness(), Exactness::Exact);
    assert!(counts.is_numbered() && counts.cuts().is_empty());
    let moved = counts.clone().with_exactness(Exactness::Approximate);
    assert_eq!(moved.exactness(), Exactness::Approximate);
    let lacking = moved.with_cuts(vec![Cut::SameGroup]);
    assert_eq!(lacking.cuts(), [Cut::SameGroup]);
    assert_eq!(lacking.exactness(), Exactness::Approximate);
    let weight = ExactSums::from_parts(&[vec![2.0, 0.0, 3.0]]).unwrap();
    let known = (PairKind::Cross, 9.0);
    let of_weights = Counts::of_weights(bins(), weight, known, JobId(1)).unwrap();
    assert!(!of_weights.is_numbered());
    assert_eq!(of_weights.exactness(), Exactness::Approximate);
    assert!(of_weights.relative_variance().iter().all(|v| v.is_nan()));
    // So is a sum of which they are a part, in whichever place.
    let weight = ExactSums::from_parts(&[vec![1.0, 0.0, 1.0]]).unwrap();
    let counted = Counts::from_parts(
        bins(),
        vec![1, 0, 3],
        Some(weight),
        PairTotal::unweighted(PairKind::Cross, 6),
        JobId(2),
    );
    let sums = ExactSums::from_parts(&[vec![0.5, 0.0, 7.0]]).unwrap();
    let counted = counted.unwrap().with_separation_sums(sums).unwrap();
    for [first, second] in [[&counted, &of_weights], [&of_weights, &counted]] {
        let sum = Counts::rescaled_sum((2.0, first), &[(1.0, second)]).unwrap();
        assert!(!sum.is_numbered() && sum.npairs() == [0; 3]);
        assert_eq!(sum.exactness(), Exactness::Approximate);
    }
    let twice = Counts::rescaled_sum((1.0, &counted), &[(2.0, &counted)]).unwrap();
    assert!(twice.is_numbered() && twice.npairs() == [2, 0, 6]);
    assert_eq!(twice.values(), [3.0, 0.0, 3.0]);
    // Of pairs that count otherwise the means are others.
    assert!(counted.mean_separation().is_some() && twice.mean_separation().is_none());
}

#[test]
fn rounded_sums_leave_nothing_where_no_pair_is() {
    // As numbers of a file are: 0.4 is not 0.3 and 0.1.
    let of = |pairs: u64, weight: f64, all: u64| {
        let weight = [weight, 0.0, 0.0];
        restored(&[pairs, 0, 0], Some(&weight), total(all)).unwrap()
    };
    let across = || of(1, 0.1, 4);
    let regions = [[of(2, 0.3, 2), across()], [of(0, 0.0, 3), across()]];
    let counts = of(3, 0.4, 9).with_regions(&regions).unwrap();
    let rest = counts.without(0, 1.0);
    assert_eq!((rest.npairs(), rest.values()), (&[0; 3][..], vec![0.0; 3]));
    let other = counts.without(1, 1.0);
    assert_eq!(other.npairs(), [2, 0, 0]);
    assert!((other.values()[0] - 0.3).abs() < 1e-15);
}

#[test]
fn every_bit_of_a_position_makes_another_job() {
    let points = in_box(40, 4, [1.0; 3]).unwrap();
    let job = |flipped: Option<(usize, u32)>| {
        let column = |axis: usize| -> Vec<f64> {
            let value = |row: usize| match flipped {
                Some((at, bit)) if (at, 1) == (row, axis) => {
                    f64::from_bits(points.at(row)[axis].to_bits() ^ 1 << bit)
                }
                _ => points.at(row)[axis],
            };
            (0..40).map(value).collect()
        };
        let moved = Points::new(column(0), column(1), column(2)).unwrap();
        JobId::of(&PairJob::new(Pairs::Auto(&Particles::new(moved)), &Domain::Open).unwrap())
    };
    let flipped = [0, 9, 23, 39].map(|row| (0..60).map(move |bit| job(Some((row, bit)))));
    let jobs: HashSet<JobId> = flipped.into_iter().flatten().collect();
    assert_eq!(jobs.len(), 4 * 60);
    assert!(!jobs.contains(&job(None)));
}

/// Weights of many kinds.
fn weights(kind: usize, n: usize, stream: Stream) -> Vec<f64> {
    let weight = |k: usize| {
        let u = stream.uniform(k as u64);
        match kind {
            0 => 1.0,
            1 => 0.1 + u,
            2 => u - 0.5,
            3 => -3.0 * u - 0.2,
            4 => (30.0 * (u - 0.5)).exp(),
            5 if k.is_multiple_of(7) => 1e12,
            6 => 1e-120 * u,
            7 => 1e120 * (u - 0.7),
            _ => f64::from(u32::from(u < 0.5)),
        }
    };
    (0..n).map(weight).collect()
}

/// Counts of the naive engine are taken back; each of them with any damage is not.
fn check_restored(pairs: Pairs<'_>, binning: impl Into<Bins>, what: &str) {
    let binning = &binning.into();
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    let weights = CountSpec::new(binning).with_weights();
    let counts = count_pairs(&Naive, &job, weights, &Silent).unwrap();
    let (npairs, weight) = (counts.npairs().to_vec(), counts.weight().unwrap());
    let of_job = |npairs: &[u64], weight: &[f64]| {
        let weight = ExactSums::from_parts(&[weight.to_vec()])?;
        Counts::of_job(&job, binning.clone(), npairs.to_vec(), Some(weight))
    };
    let back = of_job(&npairs, &weight).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(back.weight(), counts.weight(), "{what}");
    assert_eq!(back.npairs(), counts.npairs(), "{what}");
    assert_eq!(
        (back.total(), back.job_id()),
        (counts.total(), counts.job_id())
    );
    let reach: f64 = weight.iter().map(|w| w.abs()).sum::<f64>() + counts.total().weight.abs();
    for bin in 0..npairs.len() {
        let beyond = if reach == 0.0 { 1.0 } else { 1e9 * reach };
        for bad in [f64::NAN, f64::INFINITY, beyond, -beyond] {
            let mut damaged = weight.clone();
            damaged[bin] = bad;
            assert!(of_job(&npairs, &damaged).is_err(), "{what}: {bad} in {bin}");
        }
        let mut damaged = npairs.clone();
        damaged[bin] += counts.total().pairs + 1;
        assert!(of_job(&damaged, &weight).is_err(), "{what}: pairs in {bin}");
    }
}

#[test]
fn what_was_counted_is_taken_back_and_what_was_damaged_is_not() {
    let (edges, mu) = (vec![0.0, 0.2, 0.5, 2.0], vec![-1.0, 0.0, 1.0]);
    let r = RBins::new(Edges::new(edges.clone()).unwrap());
    let some = RBins::new(Edges::new(vec![0.1, 0.3]).unwrap());
    let mu = SignedEdges::new(mu).unwrap();
    let s_mu = SMuBins::new(Edges::new(edges).unwrap(), mu, LineOfSight::First).unwrap();
    for kind in 0..9 {
        for n in [2, 3, 40, 120] {
            let sample = |seed| {
                let points = in_box(n, seed, [1.0; 3]).unwrap();
                Particles::weighted(points, weights(kind, n, Stream::new(seed))).unwrap()
            };
            let (first, second) = (sample(5), sample(6));
            let unit = Particles::new(in_box(n, 8, [1.0; 3]).unwrap());
            for pairs in [
                Pairs::Auto(&first),
                Pairs::Cross(&first, &second),
                Pairs::Cross(&first, &unit),
            ] {
                let what = format!("weights {kind}, {n} particles");
                check_restored(pairs, &r, &what);
                check_restored(pairs, &some, &what);
                check_restored(pairs, &s_mu, &what);
            }
        }
    }
}

#[test]
fn positive_weights_cannot_exceed_the_total() {
    let points = in_box(20, 3, [1.0; 3]).unwrap();
    let weights = (0..20).map(|k| f64::from(k % 4) + 0.5).collect();
    let sample = Particles::weighted(points, weights).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let all = RBins::new(Edges::linear(0.0, 2.0, 2).unwrap());
    let what = CountSpec::for_pairs(&all, job.pairs());
    let counts = count_pairs(&Naive, &job, what, &Silent).unwrap();
    let (npairs, weight) = (counts.npairs(), counts.weight().unwrap());
    let of_job = |weight: Vec<f64>| {
        let weight = ExactSums::from_parts(&[weight])?;
        Counts::of_job(&job, &all, npairs.to_vec(), Some(weight))
    };
    assert!(of_job(weight.clone()).is_ok());
    // Every pair lies in the bins, so that nothing may be left, nor missing.
    for by in [1.0 + 1e-6, 1.0 - 1e-6] {
        let error = of_job(vec![weight[0] * by, weight[1]]).unwrap_err();
        assert!(matches!(error, CountsError::Rest { .. }), "{error}");
    }
    let error = of_job(vec![weight[0] / 100.0, weight[1]]).unwrap_err();
    assert!(
        matches!(error, CountsError::Weight { bin: 0, .. }),
        "{error}"
    );
}

#[test]
fn counts_have_the_shape_of_their_bins() {
    let sample = Particles::new(in_box(30, 1, [1.0; 3]).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let (rp, pi) = (
        Edges::linear(0.0, 1.0, 3).unwrap(),
        SignedEdges::linear(0.0, 1.0, 5).unwrap(),
    );
    let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap();
    let weights = CountSpec::new(bins).with_weights();
    let counts = count_pairs(&Naive, &job, weights, &Silent).unwrap();
    let array = counts.npairs_array();
    assert_eq!(array.shape(), [3, 5]);
    for i in 0..3 {
        for j in 0..5 {
            assert_eq!(array[[i, j]], counts.npairs()[i * 5 + j]);
        }
    }
    assert!(array.iter().filter(|&&n| n > 0).count() > 8);
    let weight = counts.weight_array().unwrap();
    assert_eq!(weight, array.mapv(|n| n as f64));
}

#[test]
fn parts_that_do_not_exist_are_refused() {
    let sample = Particles::new(in_box(10, 1, [1.0; 3]).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    for (index, of) in [(0, 0), (3, 3), (7, 3), (u32::MAX, u32::MAX)] {
        let part = Part { index, of };
        assert_eq!(
            count_part(&Naive, &job, part, bins(), &Silent).unwrap_err(),
            EngineError::Job(JobError::Part { index, of })
        );
    }
    // More parts than particles are empty parts.
    let of = 25;
    let parts = (0..of).map(|index| Part { index, of });
    let mut counts = parts.map(|part| count_part(&Naive, &job, part, bins(), &Silent).unwrap());
    let mut all = counts.next().unwrap();
    counts.for_each(|part| all.merge(&part).unwrap());
    let whole = count_pairs(&Naive, &job, bins(), &Silent).unwrap();
    assert_eq!((all.npairs(), all.total()), (whole.npairs(), whole.total()));
}

#[test]
fn merged_totals_carry_the_spread_of_the_weights() {
    let sample = |weights: Vec<f64>, seed| {
        let points = in_box(weights.len(), seed, [1.0; 3]).unwrap();
        Particles::weighted(points, weights).unwrap()
    };
    let (a, b) = (sample(vec![1.0, 1.0, 4.0], 1), sample(vec![2.0; 5], 2));
    let count = |pairs, part| {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let what = CountSpec::for_pairs(bins(), pairs);
        count_part(&Naive, &job, part, what, &Silent).unwrap()
    };
    // f = 3 * 18 / 36 and 1.
    let whole = count(Pairs::Auto(&a), Part::WHOLE);
    assert_eq!(whole.total().design_effect, 1.5 * 1.5);
    let variance = 2.25 / whole.npairs()[0] as f64;
    assert_eq!(whole.relative_variance()[0], variance);
    let halves = [0, 1].map(|index| count(Pairs::Auto(&a), Part { index, of: 2 }));
    let [mut merged, second] = halves;
    merged.merge(&second).unwrap();
    assert_eq!(merged.total(), whole.total(), "parts keep the job's total");
    let other = count(Pairs::Auto(&b), Part::WHOLE);
    let mut frames = whole.clone();
    frames.merge(&other).unwrap();
    let mut reversed = other.clone();
    reversed.merge(&whole).unwrap();
    assert_eq!(frames, reversed);
    // W = 9 of 3 pairs, 40 of 10 pairs.
    let expected = 13.0 * (9.0 * 9.0 * 2.25 / 3.0 + 40.0 * 40.0 / 10.0) / (49.0 * 49.0);
    assert!((frames.total().design_effect / expected - 1.0).abs() < 1e-14);
}

#[test]
fn one_job_has_one_total() {
    let part = |total: PairTotal| restored(&[1, 0, 0], None, total).unwrap();
    let mut counts = part(total(6));
    assert!(matches!(
        counts.merge(&part(total(7))),
        Err(CountsError::Setting {
            setting: "the total of the job",
            ..
        })
    ));
    assert_eq!(counts.total(), total(6));
}

#[test]
fn weights_beyond_the_range_of_floats_are_not_normalised() {
    for scale in [1e200, 1e-170, 3e-162] {
        let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]).unwrap();
        let sample = Particles::weighted(points, vec![scale; 3]).unwrap();
        let pairs = Pairs::Auto(&sample);
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let dd = count_pairs(&Naive, &job, CountSpec::for_pairs(bins(), pairs), &Silent).unwrap();
        let counts = TermCounts::new([(Term::DD, &dd), (Term::RR, &dd)], None);
        let refusal = Estimator::Natural.estimate(&counts).unwrap_err();
        assert!(
            matches!(
                refusal,
                EstimatorError::OutOfRange { count: "DD", .. } | EstimatorError::EmptyTotal("DD")
            ),
            "{scale}: {refusal}"
        );
    }
}
