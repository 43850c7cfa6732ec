//! The algebra of counts: what is put together, left out, folded, continued or multiplied is what would be counted so, by `==`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{PairKind, Part, count_pairs, count_part};
use albireo::engine::{Cpu, Silent};
use albireo::error::CountsError;
use albireo::tally::{Classes, Legendre, LegendreDegrees};
use albireo::{
    Axis, Bins, CountSpec, Counts, Domain, Edges, Labels, LineOfSight, PairJob, Pairs, Particles,
    Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

use super::random::Random;

#[path = "counts_algebra/refused.rs"]
mod refused;

const SIGHTS: [LineOfSight; 4] = [
    LineOfSight::Midpoint,
    LineOfSight::Fixed(Axis::Z),
    LineOfSight::First,
    LineOfSight::End,
];

/// How particles weigh: not, in one word, in two.
#[derive(Debug, Clone, Copy)]
enum Weighing {
    Unit,
    Alike,
    Wide,
}

/// Labels of the particles, for classes of pairs.
const LABELS: u32 = 3;

const CLASSES: [Classes; 3] = [Classes::One, Classes::Species, Classes::Regions];

const WEIGHINGS: [Weighing; 3] = [Weighing::Unit, Weighing::Alike, Weighing::Wide];

/// Edges from `lo` up, of any widths that add up to about 1 a bin.
fn edges(random: &mut Random, lo: f64, bins: usize, unit: f64) -> Vec<f64> {
    let mut edges = vec![lo];
    for k in 0..bins {
        edges.push(edges[k] + unit * (0.5 + random.unit()));
    }
    edges
}

/// The same on both sides of 0, which is an edge or lies in a bin.
fn mirrored(above: &[f64], zero: bool) -> Vec<f64> {
    let below = above.iter().rev().map(|edge| -edge);
    let zero = zero.then_some(0.0);
    below.chain(zero).chain(above.iter().copied()).collect()
}

/// The edges of |mu| or |pi|: from 0 up.
fn unsigned(above: &[f64]) -> Vec<f64> {
    std::iter::once(0.0).chain(above.iter().copied()).collect()
}

fn r(edges: Vec<f64>) -> Bins {
    RBins::new(Edges::new(edges).unwrap()).into()
}

fn theta(edges: Vec<f64>) -> Bins {
    ThetaBins::new(Edges::new(edges).unwrap()).unwrap().into()
}

fn s_mu(s: Vec<f64>, mu: Vec<f64>, los: LineOfSight) -> Bins {
    let (s, mu) = (Edges::new(s).unwrap(), SignedEdges::new(mu).unwrap());
    SMuBins::new(s, mu, los).unwrap().into()
}

fn rp_pi(rp: Vec<f64>, pi: Vec<f64>, los: LineOfSight) -> Bins {
    let (rp, pi) = (Edges::new(rp).unwrap(), SignedEdges::new(pi).unwrap());
    RpPiBins::new(rp, pi, los).unwrap().into()
}

/// Bins of every kind; the numbers of bins along the axes have many divisors.
fn all_bins(random: &mut Random) -> Vec<Bins> {
    let mut all = vec![
        r(edges(random, 0.0, 12, 0.5)),
        r(edges(random, 0.3, 8, 0.4)),
        theta(edges(random, 0.0, 12, 8.0)),
    ];
    for los in SIGHTS {
        let across = edges(random, 0.0, 4, 1.0);
        let mu = [0.2 + 0.1 * random.unit(), 0.5, 0.9, 1.0];
        let pi = edges(random, 0.5, 3, 1.0);
        for zero in [true, false] {
            all.push(s_mu(
                across.clone(),
                mirrored(&mu[usize::from(!zero)..], zero),
                los,
            ));
            all.push(rp_pi(
                across.clone(),
                mirrored(&pi[usize::from(!zero)..], zero),
                los,
            ));
        }
        all.push(s_mu(across.clone(), unsigned(&mu), los));
        all.push(rp_pi(across, unsigned(&pi), los));
    }
    all
}

/// Particles on the unit sphere for bins in theta, else in space, pairs without a sign among them.
fn sample(random: &mut Random, n: usize, bins: &Bins, weighing: Weighing) -> Particles {
    let mut rows = random.points(n, 4.0);
    for k in (0..n).step_by(7) {
        rows[k] = rows[k].map(f64::round);
    }
    if bins.on_sphere() {
        for x in &mut rows {
            let norm = x.iter().map(|x| (x + 1.0) * (x + 1.0)).sum::<f64>().sqrt();
            *x = x.map(|x| (x + 1.0) / norm);
        }
    }
    let points = Points::from_rows(&rows).unwrap();
    let mut weight = |k: usize| match weighing {
        Weighing::Wide if k.is_multiple_of(9) => random.unit() * 2f64.powi(40),
        _ => 0.5 + random.unit(),
    };
    let sample = match weighing {
        Weighing::Unit => Particles::new(points),
        _ => Particles::weighted(points, (0..n).map(&mut weight).collect()).unwrap(),
    };
    let labels = (0..n).map(|k| (k * k % 7 % LABELS as usize) as u32);
    let labels = Labels::new(labels.collect(), LABELS).unwrap();
    sample.labelled(labels).unwrap()
}

/// All that can be summed in these bins, by these classes.
fn spec(bins: &Bins, classes: Classes, pairs: Pairs<'_>) -> CountSpec {
    let what = CountSpec::for_pairs(bins, pairs)
        .with_mean_separation()
        .with_weighted_separation()
        .with_classes(classes);
    let degrees: LegendreDegrees = [Legendre::L2, Legendre::L4].into_iter().collect();
    match bins.line_of_sight() {
        Some(_) => what.with_legendre(degrees),
        None => what,
    }
}

fn counted(pairs: Pairs<'_>, bins: &Bins) -> Counts {
    counted_by(Classes::One, pairs, bins)
}

fn counted_by(classes: Classes, pairs: Pairs<'_>, bins: &Bins) -> Counts {
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    count_pairs(&Cpu::new(), &job, spec(bins, classes, pairs), &Silent).unwrap()
}

/// Auto and cross counts of every kind of weights in these bins, of all pairs or by classes in turn, with the same in other bins at hand.
fn for_all_counts(seed: u64, mut check: impl FnMut(&Counts, &dyn Fn(&Bins) -> Counts)) {
    let mut random = Random(seed);
    let mut classes = CLASSES.into_iter().cycle();
    for bins in all_bins(&mut random) {
        for weighing in WEIGHINGS {
            let first = sample(&mut random, 60, &bins, weighing);
            let second = sample(&mut random, 40, &bins, Weighing::Unit);
            for (pairs, classes) in [Pairs::Auto(&first), Pairs::Cross(&first, &second)]
                .into_iter()
                .zip(&mut classes)
            {
                let counted = |bins: &Bins| counted_by(classes, pairs, bins);
                let counts = counted(&bins);
                assert!(counts.npairs().iter().sum::<u64>() > 50, "{bins:?}");
                check(&counts, &counted);
            }
        }
    }
}

/// To the bit; empty bins have no mean.
fn bits(means: Option<Vec<f64>>) -> Option<Vec<u64>> {
    means.map(|means| means.into_iter().map(f64::to_bits).collect())
}

/// The divisors of the number of bins along each axis.
fn divisors(counts: &Counts) -> Vec<Vec<usize>> {
    let shape = counts.binning().shape().into_iter();
    let of = |bins: usize| (1..=bins).filter(|by| bins.is_multiple_of(*by)).collect();
    shape.map(of).collect()
}

#[test]
fn rebinned_counts_are_those_of_the_coarser_bins() {
    let mut random = Random(3);
    for_all_counts(1, |counts, count| {
        let divisors = divisors(counts);
        for _ in 0..3 {
            let by: Vec<usize> = (divisors.iter())
                .map(|all| all[random.below(all.len())])
                .collect();
            let coarse = counts.rebin(&by).unwrap();
            assert_eq!(coarse, count(&counts.binning().rebin(&by).unwrap()));
        }
        let one: Vec<usize> = counts.binning().shape().iter().map(|_| 1).collect();
        assert_eq!(counts.rebin(&one).unwrap(), *counts);
    });
}

#[test]
fn rebinning_twice_is_rebinning_by_the_product() {
    for_all_counts(5, |counts, _| {
        let all: Vec<usize> = counts.binning().shape();
        let ones = vec![1; all.len()];
        for (axis, &bins) in all.iter().enumerate() {
            for first in (1..=bins).filter(|by| bins.is_multiple_of(*by)) {
                let rest = bins / first;
                for second in (1..=rest).filter(|by| rest.is_multiple_of(*by)) {
                    let by = |n: usize| {
                        let mut by = ones.clone();
                        by[axis] = n;
                        by
                    };
                    let twice = counts.rebin(&by(first)).unwrap();
                    let twice = twice.rebin(&by(second)).unwrap();
                    assert_eq!(twice, counts.rebin(&by(first * second)).unwrap());
                }
            }
        }
    });
}

#[test]
fn wrapped_counts_are_those_of_unsigned_bins() {
    let mut wrapped = 0;
    for_all_counts(7, |counts, count| {
        let Ok(bins) = counts.binning().wrap() else {
            assert!(counts.wrap().is_err());
            return;
        };
        wrapped += 1;
        let through_an_end = bins.line_of_sight().unwrap().depends_on_order();
        let once = counts.kind() == PairKind::AutoOrdered && !through_an_end;
        if once && counts.classes() != Classes::One {
            let refusal = counts.wrap().unwrap_err().to_string();
            assert!(refusal.contains("the two orders of a pair are kept apart by"));
            assert_eq!(counts.whole().wrap().unwrap(), count(&bins).whole());
            return;
        }
        let folded = counts.wrap().unwrap();
        assert_eq!(folded, count(&bins));
        assert_eq!(folded.kind() == PairKind::AutoUnordered, once);
    });
    assert_eq!(wrapped, 4 * 4 * 3 * 2, "signed bins of all kinds");
}

#[test]
fn slices_concatenate_to_the_whole() {
    for_all_counts(9, |counts, _| {
        let axes = counts.binning().axes();
        for (k, axis) in axes.iter().enumerate() {
            let (first, last) = (axis.edges[0], axis.edges[axis.n_bins()]);
            for &cut in &axis.edges[1..axis.n_bins()] {
                let range = |ends: [f64; 2]| {
                    let mut ranges = vec![None; axes.len()];
                    ranges[k] = Some(ends);
                    counts.slice(&ranges)
                };
                let near = range([first, cut]).unwrap();
                match range([cut, last]) {
                    Ok(far) => assert_eq!(near.concatenate(&far).unwrap(), *counts),
                    // Nothing below 0 is left, so that the bins would be those of both signs.
                    Err(error) => {
                        assert!(first < 0.0 && cut >= 0.0, "{error}");
                        assert!(error.to_string().contains("take both signs together"));
                    }
                }
            }
        }
        // Slices hold the bins as they are.
        let all = vec![Some([f64::NEG_INFINITY, f64::INFINITY]); axes.len()];
        assert_eq!(counts.slice(&all).unwrap(), *counts);
    });
}

/// What makes other counts of counts.
type Change<'a> = &'a dyn Fn(&Counts) -> Result<Counts, CountsError>;

/// Counts of several realisations.
fn realisations(seed: u64) -> Vec<Vec<Counts>> {
    let mut random = Random(seed);
    let mut all = vec![];
    for bins in all_bins(&mut random) {
        for (weighing, classes) in WEIGHINGS.into_iter().zip(CLASSES) {
            let one = |random: &mut Random| {
                let sample = sample(random, 50, &bins, weighing);
                counted_by(classes, Pairs::Auto(&sample), &bins)
            };
            all.push((0..3).map(|_| one(&mut random)).collect());
        }
    }
    all
}

fn sum<'a>(all: impl IntoIterator<Item = &'a Counts>) -> Counts {
    let mut all = all.into_iter();
    let first = all.next().unwrap().clone();
    all.fold(first, |mut sum, next| {
        sum.merge(next).unwrap();
        sum
    })
}

#[test]
fn sums_commute_and_associate() {
    for counts in realisations(11) {
        let [a, b, c] = &counts[..] else { panic!() };
        let expected = sum([a, b, c]);
        for order in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            assert_eq!(sum(order), expected);
        }
        assert_eq!(sum([a, &sum([b, c])]), expected);
        assert_eq!(sum([&sum([a, c]), b]), expected);
    }
}

#[test]
fn sums_of_changed_counts_are_changed_sums() {
    for counts in realisations(13) {
        let axis = &counts[0].binning().axes()[0];
        let mut ranges = vec![None; counts[0].binning().shape().len()];
        ranges[0] = Some([axis.edges[1], axis.edges[axis.n_bins() - 1]]);
        let mut by = vec![1; ranges.len()];
        by[0] = 2;
        let changes: [Change<'_>; 4] = [
            &|counts| counts.slice(&ranges),
            &|counts| counts.rebin(&by),
            &|counts| counts.scale(0.25),
            &|counts| counts.wrap(),
        ];
        for (k, change) in changes.iter().enumerate() {
            if k == 3 && counts[0].wrap().is_err() {
                continue;
            }
            let changed: Vec<Counts> = counts.iter().map(|one| change(one).unwrap()).collect();
            assert_eq!(sum(&changed), change(&sum(&counts)).unwrap(), "{k}");
        }
    }
}

#[test]
fn parts_merge_to_the_whole_in_any_order() {
    let mut random = Random(17);
    for bins in all_bins(&mut random) {
        for (weighing, classes) in WEIGHINGS.into_iter().zip(CLASSES) {
            let sample = sample(&mut random, 80, &bins, weighing);
            let pairs = Pairs::Auto(&sample);
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let engine = Cpu::new();
            let part = |index| {
                let part = Part { index, of: 4 };
                count_part(&engine, &job, part, spec(&bins, classes, pairs), &Silent).unwrap()
            };
            let parts: Vec<Counts> = (0..4).map(part).collect();
            let expected = sum(&parts);
            for _ in 0..4 {
                let mut order = [0, 1, 2, 3];
                for k in 1..4 {
                    order.swap(k, random.below(k + 1));
                }
                assert_eq!(sum(order.map(|k| &parts[k])), expected);
            }
            let whole = counted_by(classes, pairs, &bins);
            let both = expected.by_class().into_iter().zip(whole.by_class());
            for (found, expected) in both.chain([(expected.clone(), whole.clone())]) {
                assert_eq!(found.npairs(), expected.npairs());
                assert_eq!(found.weight(), expected.weight());
                assert_eq!(found.total(), expected.total());
            }
            let means = [&expected, &whole].map(|counts| bits(counts.mean_separation()));
            assert_eq!(means[0], means[1]);
        }
    }
}

#[test]
fn scaled_counts_keep_their_pairs_and_their_ratios() {
    for_all_counts(19, |counts, _| {
        let once = counts.scale(1.0).unwrap();
        assert_eq!(
            (once.npairs(), once.values()),
            (counts.npairs(), counts.values())
        );
        if counts.is_weighted() {
            assert_eq!(once, *counts);
        }
        let scaled = counts.scale(-0.5).unwrap();
        assert_eq!(scaled.npairs(), counts.npairs());
        assert_eq!(scaled.total().pairs, counts.total().pairs);
        assert_eq!(scaled.total().weight, -0.5 * once.total().weight);
        assert_eq!(scaled.normalised(), once.normalised());
        for mean in [Counts::mean_separation, Counts::weighted_mean_separation] {
            assert_eq!(bits(mean(&scaled)), bits(mean(counts)));
        }
        // Three times an integer is one.
        assert_eq!(
            once.scale(-3.0).unwrap().scale(-2.0).unwrap(),
            once.scale(6.0).unwrap()
        );
        let total = counts.renormalise(10.0).unwrap();
        assert_eq!(total.total().weight, 10.0);
        assert_eq!(total.total().pairs, counts.total().pairs);
        let both = total.normalised().into_iter().zip(counts.normalised());
        for (found, expected) in both {
            assert!((found - expected).abs() <= 1e-15 * expected.abs());
        }
        let l2 = [counts, &counts.scale(0.125).unwrap()].map(|c| c.legendre_sums(Legendre::L2));
        if let [Some(before), Some(after)] = l2 {
            let eighths: Vec<f64> = before.iter().map(|sum| sum / 8.0).collect();
            assert_eq!(after, eighths);
        }
    });
}
