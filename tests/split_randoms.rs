//! Random pairs within subsets of the randoms: which pairs they are, on every engine and by region, and what estimators make of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::binning::Binning;
use albireo::counts::{Split, count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::{CountsError, EstimatorError, JobError};
use albireo::estimators::{
    Estimation, Estimator, Jackknife, RandomPairs, Role, SplitRandoms, Term, TermCount, TermCounts,
};
use albireo::particles::{Bits, Groups};
use albireo::{
    Bins, Correlation, CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive,
    PairJob, Pairs, Particles, Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};
use random::Random;

/// Labelled, grouped points with bits, a weight of one alone far above those of the others.
fn sample(n: usize, seed: u64) -> Particles {
    let mut random = Random(seed);
    let points = random
        .points(n, 1.0)
        .iter()
        .map(|x| x.map(|x| x + 0.5))
        .collect::<Vec<_>>();
    let mut weights: Vec<f64> = (0..n).map(|_| 0.5 + random.unit()).collect();
    weights[n / 2] = 9.0;
    let labels = points
        .iter()
        .map(|x| u32::from(x[0] > 1.0) + 2 * u32::from(x[1] > 1.0))
        .collect();
    let sample = Particles::weighted(Points::from_rows(&points).unwrap(), weights).unwrap();
    let sample = sample.labelled(Labels::new(labels, 4).unwrap()).unwrap();
    let sample = sample
        .grouped(Groups::new((0..n as u32).map(|k| k / 7).collect()))
        .unwrap();
    let bits = (0..2 * n).map(|_| random.next()).collect();
    sample.with_bits(Bits::new(bits, 2).unwrap()).unwrap()
}

fn weight(sample: &Particles, row: usize) -> f64 {
    match sample.weights() {
        albireo::Weights::Unit => 1.0,
        albireo::Weights::PerParticle(weights) => weights.at(row),
    }
}

fn count(pairs: Pairs<'_>, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    let found = count_pairs(
        &Cpu::new(),
        &job,
        CountSpec::for_pairs(bins, pairs),
        &Silent,
    )
    .unwrap();
    assert_eq!(
        found,
        count_pairs(&Naive, &job, CountSpec::for_pairs(bins, pairs), &Silent).unwrap()
    );
    found
}

fn within_subsets(split: Split, sample: &Particles, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let subsets = split.subsets_of(sample).unwrap();
    let mut counts = subsets
        .iter()
        .map(|subset| count(Pairs::Auto(subset), bins));
    let mut all = counts.next().unwrap();
    counts.for_each(|counts| all.merge(&counts).unwrap());
    all
}

fn landy_szalay(data: &Particles, randoms: &Particles, rr: impl Into<TermCount>) -> Correlation {
    let dd = count(Pairs::Auto(data), bins());
    let dr = count(Pairs::Cross(data, randoms), bins());
    let counts = [
        (Term::DD, dd.into()),
        (Term::DR, dr.into()),
        (Term::RR, rr.into()),
    ];
    Estimator::LandySzalay
        .estimate(&TermCounts::new::<TermCount>(counts, None))
        .unwrap()
}

fn bins() -> RBins {
    RBins::new(Edges::new(vec![0.0, 0.1, 0.2, 0.4, 0.7]).unwrap())
}

#[test]
fn subsets_hold_every_row_once_with_all_that_belongs_to_it() {
    let all = sample(101, 1);
    let subsets = Split::new(4, None).unwrap().subsets_of(&all).unwrap();
    assert_eq!(
        subsets.iter().map(Particles::len).collect::<Vec<_>>(),
        [26, 25, 25, 25]
    );
    for row in 0..all.len() {
        let (subset, at) = (&subsets[row % 4], row / 4);
        assert_eq!(subset.points().at(at), all.points().at(row));
        assert_eq!(weight(subset, at), weight(&all, row));
        assert_eq!(
            subset.labels().unwrap().values()[at],
            all.labels().unwrap().values()[row]
        );
        assert_eq!(
            subset.groups().unwrap().values()[at],
            all.groups().unwrap().values()[row]
        );
        assert_eq!(subset.bits().unwrap().row(at), all.bits().unwrap().row(row));
    }
    assert_eq!(subsets[3].labels().unwrap().number(), 4);
}

#[test]
fn counts_are_of_the_pairs_within_subsets() {
    let (all, bins) = (sample(120, 2), bins());
    let far = within_subsets(Split::new(3, None).unwrap(), &all, &bins);
    let (mut pairs, mut weights, mut total) = ([0u64; 4], [0.0; 4], 0.0);
    for i in 0..120 {
        for j in (i + 3..120).step_by(3) {
            let sep = Domain::Open.separation(all.points().at(i), all.points().at(j));
            let product = weight(&all, i) * weight(&all, j);
            total += product;
            if let Some(bin) = bins.bin(&sep) {
                pairs[bin] += 1;
                weights[bin] += product;
            }
        }
    }
    assert_eq!(far.npairs(), pairs);
    assert_eq!(far.total().pairs, 3 * (40 * 39 / 2));
    assert!((far.total().weight / total - 1.0).abs() < 1e-12);
    for (found, expected) in far.weight().unwrap().iter().zip(weights) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }
}

#[test]
fn subsets_may_be_runs_of_rows_of_any_length() {
    let (all, bins, runs) = (sample(90, 8), bins(), [40, 15, 35]);
    let subsets = Split::new(3, None).unwrap().runs_of(&all, &runs).unwrap();
    let counts = subsets
        .iter()
        .map(|subset| count(Pairs::Auto(subset), &bins));
    let counts = counts.reduce(|mut all, one| {
        all.merge(&one).unwrap();
        all
    });
    let (mut pairs, mut weights, mut total) = ([0u64; 4], [0.0; 4], 0.0);
    let mut first = 0;
    for run in runs {
        for (i, j) in (first..first + run).flat_map(|i| (i + 1..first + run).map(move |j| (i, j))) {
            let sep = Domain::Open.separation(all.points().at(i), all.points().at(j));
            let product = weight(&all, i) * weight(&all, j);
            total += product;
            if let Some(bin) = bins.bin(&sep) {
                pairs[bin] += 1;
                weights[bin] += product;
            }
        }
        first += run;
    }
    let counts = counts.unwrap();
    assert_eq!(counts.npairs(), pairs);
    assert!((counts.total().weight / total - 1.0).abs() < 1e-12);
    for (found, expected) in counts.weight().unwrap().iter().zip(weights) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }
    let split = Split::new(3, None).unwrap();
    for (runs, found) in [(&[40, 50][..], 90), (&[40, 15, 30], 85)] {
        let expected = JobError::OtherRuns {
            subsets: 3,
            rows: 90,
            runs: runs.len(),
            found,
        };
        assert_eq!(split.runs_of(&all, runs).unwrap_err(), expected);
    }
    let (subset, rows) = (1, 1);
    let small = JobError::SmallSubset { subset, rows };
    assert_eq!(split.runs_of(&all, &[40, 1, 49]).unwrap_err(), small);
}

#[test]
fn all_pairs_are_kept_where_they_are_close_together() {
    let (data, randoms, bins) = (sample(60, 3), sample(150, 4), bins());
    let split = Split::new(5, Some(0.2)).unwrap();
    let near_bins = split.near_bins(&bins).unwrap().unwrap();
    assert_eq!(near_bins.as_r().unwrap().edges().values(), [0.0, 0.1, 0.2]);
    let (near, far) = (
        count(Pairs::Auto(&randoms), &near_bins),
        within_subsets(split, &randoms, &bins),
    );
    let rr = SplitRandoms::new(near.clone(), far.clone()).unwrap();
    let whole = count(Pairs::Auto(&randoms), &bins);
    assert_eq!(rr.npairs()[..2], whole.npairs()[..2]);
    assert_eq!(rr.npairs()[2..], far.npairs()[2..]);
    let fractions = rr.fractions("RR").unwrap();
    assert_eq!(fractions[..2], whole.normalised()[..2]);
    assert_eq!(fractions[2..], far.normalised()[2..]);
    let variance = rr.relative_variance();
    assert_eq!(variance[..2], whole.relative_variance()[..2]);
    assert_eq!(variance[2..], far.relative_variance()[2..]);
    // An estimate takes each bin from the part that it was counted in; its noise is that of fewer pairs.
    let split = landy_szalay(&data, &randoms, rr);
    let of_all = landy_szalay(&data, &randoms, whole);
    let of_subsets = landy_szalay(&data, &randoms, far.clone());
    assert_eq!(
        (&split.xi[..2], &split.error[..2]),
        (&of_all.xi[..2], &of_all.error[..2])
    );
    assert_eq!(
        (&split.xi[2..], &split.error[2..]),
        (&of_subsets.xi[2..], &of_subsets.error[2..])
    );
    assert!(split.error[3] > of_all.error[3]);
    assert!((split.xi[3] - of_all.xi[3]).abs() < 5.0 * split.error[3]);
    let wrong = SplitRandoms::new(far.clone(), far.clone()).unwrap_err();
    assert!(matches!(wrong, EstimatorError::Bins { .. }), "{wrong}");
    let cross = count(Pairs::Cross(&data, &randoms), &near_bins);
    assert!(SplitRandoms::new(cross, far).is_err());
}

fn by_region(pairs: Pairs<'_>, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let engine = Cpu::new();
    let prepare = |sample: &Particles| {
        engine
            .prepare(sample.clone(), &Domain::Open, &Silent)
            .unwrap()
    };
    let (first, second) = pairs.samples();
    let (first, second) = (prepare(first), second.map(prepare));
    let job = PreparedJob::new(&first, second.as_ref()).unwrap();
    count_regions(&engine, &job, CountSpec::for_pairs(bins, pairs), &Silent)
        .unwrap()
        .0
}

/// The rows of a sample that are not in a region.
fn without(sample: &Particles, region: u32) -> Particles {
    let labels = sample.labels().unwrap().values();
    let kept: Vec<usize> = (0..sample.len()).filter(|&k| labels[k] != region).collect();
    let rows: Vec<_> = kept.iter().map(|&k| sample.points().at(k)).collect();
    let weights = kept.iter().map(|&k| weight(sample, k)).collect();
    Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap()
}

#[test]
fn realisations_leave_a_region_out_of_every_subset() {
    let (data, randoms, bins) = (sample(80, 5), sample(200, 6), bins());
    let split = Split::new(4, Some(0.2)).unwrap();
    assert_eq!((split.subsets(), split.above()), (4, Some(0.2)));
    let near_bins = split.near_bins(&bins).unwrap().unwrap();
    let subsets = split.subsets_of(&randoms).unwrap();
    let mut far = by_region(Pairs::Auto(&subsets[0]), &bins);
    for subset in &subsets[1..] {
        far.merge(&by_region(Pairs::Auto(subset), &bins)).unwrap();
    }
    assert_eq!(
        far.whole().npairs(),
        within_subsets(split, &randoms, &bins).npairs()
    );
    let sample = |role| match role {
        Role::Data => Some(&data),
        Role::Randoms => Some(&randoms),
        _ => None,
    };
    let estimation = Estimation::new(Estimator::LandySzalay, &bins, &Domain::Open, sample).unwrap();
    let near = by_region(Pairs::Auto(&randoms), &near_bins);
    let terms = estimation.run_by_region(None, |term, pairs| {
        Ok::<TermCount, EstimatorError>(if term.is_random() {
            SplitRandoms::new(near.clone(), far.clone())?.into()
        } else {
            by_region(pairs, &bins).into()
        })
    });
    let terms = terms.unwrap();
    for (region, found) in terms.jackknife(Jackknife::Standard).enumerate() {
        let found = found.unwrap();
        let rest = |sample: &Particles| without(sample, region as u32);
        let mut parts = subsets
            .iter()
            .map(|subset| count(Pairs::Auto(&rest(subset)), &bins));
        let mut far = parts.next().unwrap();
        parts.for_each(|part| far.merge(&part).unwrap());
        let (data, randoms) = (rest(&data), rest(&randoms));
        let rr = SplitRandoms::new(count(Pairs::Auto(&randoms), &near_bins), far).unwrap();
        let expected = landy_szalay(&data, &randoms, rr);
        for (found, expected) in found.xi.iter().zip(&expected.xi) {
            assert!(
                (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
    }
    assert!(
        SplitRandoms::new(far.clone(), far.clone()).is_err(),
        "not the bins that are near"
    );
    let refusal = far
        .merge(&by_region(Pairs::Auto(&randoms), &near_bins))
        .unwrap_err();
    assert!(matches!(refusal, CountsError::Setting { .. }));
    let again = far
        .merge(&by_region(Pairs::Auto(&subsets[1]), &bins))
        .unwrap_err();
    assert!(
        matches!(again, CountsError::Overlap { .. }),
        "a subset counts once"
    );
}

#[test]
fn splits_that_mean_nothing_are_refused() {
    assert_eq!(Split::new(1, None).unwrap_err(), JobError::FewSubsets(1));
    let few = sample(9, 1);
    let small = JobError::SmallSubsets {
        rows: 9,
        subsets: 5,
    };
    assert_eq!(
        Split::new(5, None).unwrap().subsets_of(&few).unwrap_err(),
        small
    );
    let pairs = Split::new(5, None).unwrap().subsets_of(&sample(10, 1));
    assert!(pairs.unwrap().iter().all(|subset| subset.len() == 2));
    let near = |above| Split::new(2, Some(above)).unwrap().near_bins(bins());
    assert_eq!(near(0.0), Ok(None));
    for (above, nearest) in [
        (0.22, 0.2),
        (0.35, 0.4),
        (0.7, 0.4),
        (5.0, 0.4),
        (f64::NAN, 0.0),
        (-1.0, 0.0),
    ] {
        let error = near(above).unwrap_err().to_string();
        assert!(
            error.ends_with(&format!("the nearest is {nearest}")),
            "{error}"
        );
    }
}

#[test]
fn bins_are_cut_short_along_their_first_axis() {
    let first = Edges::linear(0.0, 10.0, 5).unwrap();
    let short = Edges::new(first.values()[..3].to_vec()).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let los = LineOfSight::Midpoint;
    let r = |edges: &Edges| Bins::from(RBins::new(edges.clone()));
    let s_mu = |edges: &Edges| Bins::from(SMuBins::new(edges.clone(), mu.clone(), los).unwrap());
    let rp_pi = |edges: &Edges| Bins::from(RpPiBins::new(edges.clone(), mu.clone(), los).unwrap());
    let theta = |edges: &Edges| Bins::from(ThetaBins::new(edges.clone()).unwrap());
    assert_eq!(r(&first).below(2), Some(r(&short)));
    assert_eq!(s_mu(&first).below(2), Some(s_mu(&short)));
    assert_eq!(rp_pi(&first).below(2), Some(rp_pi(&short)));
    assert_eq!(theta(&first).below(2), Some(theta(&short)));
    assert_eq!(theta(&first).below(5), Some(theta(&first)));
    assert_eq!(
        (s_mu(&first).below(6), rp_pi(&first).below(0)),
        (None, None)
    );
}
