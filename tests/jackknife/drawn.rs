//! Counts by region that are made elsewhere, and regions that are drawn again, against counts of each region alone and of all without it.

use albireo::counts::PairTotal;
use albireo::{Bins, Counts, Domain, Edges, Labels, PairJob, Pairs, Particles, RBins, random};

use super::{REGIONS, Samples, close};

/// Pairs, weights where there are any, and the total.
type Sums = (Vec<u64>, Option<Vec<f64>>, PairTotal);

/// That counts by region, drawn again, are what `count` makes of them.
pub(crate) fn check_drawn(counts: &Counts, samples: &Samples, count: impl Fn(&Samples) -> Sums) {
    for times in [[1; REGIONS as usize], [2, 0, 1, 3, 0]] {
        let drawn = counts.resampled(&times);
        let (npairs, values, total) = drawn_regions(samples, times, &count);
        assert_eq!(drawn.npairs(), npairs);
        close(&drawn.values(), &values, 1e-13);
        close(&[drawn.total().normalisation(true)], &[total], 1e-13);
    }
}

/// That counts by region come back from those of each region and the job.
pub(crate) fn check_restored(counts: &Counts, job: &PairJob<'_>, bins: &Bins) {
    let region = |k| [counts.within(k), counts.across(k)];
    let region = |k| region(k).map(|part| (part.npairs().to_vec(), part.weight_sums()));
    let regions = (0..REGIONS as usize).map(region).collect();
    let restored = Counts::of_job_by_region(job, bins.clone(), regions).unwrap();
    assert_eq!(restored.npairs(), counts.npairs());
    assert_eq!(restored.whole().weight_sums(), counts.whole().weight_sums());
    for k in 0..REGIONS as usize {
        let (found, expected) = (restored.without(k, 1.0), counts.without(k, 1.0));
        assert_eq!(found.npairs(), expected.npairs());
        assert_eq!(found.weight_sums(), expected.weight_sums());
        assert_eq!(found.total(), expected.total());
        let [found, expected] = [&restored, counts].map(|counts| counts.across(k).total());
        assert_eq!(found, expected);
    }
}

/// The pairs, the weights (of unweighted pairs: their number) and the total of regions that occur so many times, each pair half for the region
/// of either point: from counts of all, of each region alone and of all without it.
fn drawn_regions(
    samples: &Samples,
    times: [u32; REGIONS as usize],
    count: &impl Fn(&Samples) -> Sums,
) -> (Vec<u64>, Vec<f64>, f64) {
    let numbers = |samples: &Samples| {
        let (npairs, weights, total) = count(samples);
        let all = total.normalisation(weights.is_some());
        let values = weights.unwrap_or_else(|| npairs.iter().map(|&n| n as f64).collect());
        (npairs, values, all)
    };
    let all = numbers(samples);
    let mut twice = (vec![0; all.0.len()], vec![0.0; all.0.len()], 0.0);
    for (k, times) in (0..REGIONS).zip(times) {
        let (own, rest) = (numbers(&samples.within(k)), numbers(&samples.without(k)));
        for bin in 0..all.0.len() {
            twice.0[bin] += u64::from(times) * (own.0[bin] + all.0[bin] - rest.0[bin]);
            twice.1[bin] += f64::from(times) * (own.1[bin] + all.1[bin] - rest.1[bin]);
        }
        twice.2 += f64::from(times) * (own.2 + all.2 - rest.2);
    }
    let halves = twice.1.iter().map(|value| value / 2.0).collect();
    let pairs = twice.0.iter().map(|pairs: &u64| pairs.div_ceil(2));
    (pairs.collect(), halves, twice.2 / 2.0)
}

#[test]
fn regions_may_stand_one_after_another() {
    // Of rows so many each thread looks at a stretch, which holds one region.
    let n = 70_000;
    let labels = Labels::new((0..n).map(|row| row / (n / 2)).collect(), 2).unwrap();
    let sample = Particles::new(random::in_box(n as usize, 1, [1.0; 3]).unwrap());
    let sample = sample.labelled(labels).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.1, 2).unwrap());
    let none = || [(vec![0; 2], None), (vec![0; 2], None)];
    let counts = Counts::of_job_by_region(&job, bins, vec![none(), none()]).unwrap();
    let half = u64::from(n / 2);
    assert_eq!(counts.within(1).total().pairs, half * (half - 1) / 2);
    assert_eq!(counts.across(1).total().pairs, half * half);
}
