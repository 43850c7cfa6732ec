//! Samples less a region: every realisation is a count of its own, and covariances are what double loops make of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "jackknife/drawn.rs"]
mod drawn;

use crate::made::cube;
use drawn::{check_drawn, check_restored};

use albireo::binning::{Binning, Bins};
use albireo::counts::{ExactSums, PairKind, PairTotal, count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::{EngineError, JobError};
use albireo::estimators::{
    Covariance, Estimation, Estimator, Jackknife, RegionTerms, Role, Term, TermCounts,
    bootstrap_draws, multipoles, projected,
};
use albireo::tally::CountSpec;
use albireo::{
    Axis, Correlation, Counts, Domain, Edges, Engine, Error, Labels, LineOfSight, Naive, PairJob,
    Pairs, Particles, Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins, Weights, random,
};

const REGIONS: u32 = 5;

const ROLES: [(Role, usize); 6] = [
    (Role::Data, 70),
    (Role::Randoms, 120),
    (Role::Shifted, 90),
    (Role::SecondData, 60),
    (Role::SecondRandoms, 110),
    (Role::SecondShifted, 80),
];

/// A sample for each role, its regions slices of x, with weights of both signs or without.
struct Samples(Vec<Particles>);

impl Samples {
    fn new(weighted: bool, place: impl Fn(Points) -> Points) -> Self {
        let sample = |(seed, (_, n)): (usize, (Role, usize))| {
            let points = random::in_box(n, seed as u64, [1.0; 3]).unwrap();
            let region = |row: usize| (points.at(row)[0] * f64::from(REGIONS)) as u32;
            let labels = Labels::new((0..n).map(region).collect(), REGIONS).unwrap();
            let points = place(points);
            let weight = |row: usize| (row % 7) as f64 * 0.31 - 0.25;
            let particles = if weighted {
                Particles::weighted(points, (0..n).map(weight).collect()).unwrap()
            } else {
                Particles::new(points)
            };
            particles.labelled(labels).unwrap()
        };
        Self(ROLES.into_iter().enumerate().map(sample).collect())
    }

    fn of(&self, role: Role) -> &Particles {
        let place = ROLES.iter().position(|(other, _)| *other == role);
        &self.0[place.unwrap()]
    }

    /// The same samples without the particles of a region, nor labels.
    fn without(&self, region: u32) -> Self {
        self.keep(|label| label != region)
    }

    /// The particles of a region alone, without labels.
    fn within(&self, region: u32) -> Self {
        self.keep(|label| label == region)
    }

    fn keep(&self, is_kept: impl Fn(u32) -> bool) -> Self {
        let samples = self.0.iter().map(|sample| of_regions(sample, &is_kept));
        Self(samples.collect())
    }
}

fn of_regions(sample: &Particles, is_kept: impl Fn(u32) -> bool) -> Particles {
    let labels = sample.labels().unwrap().values();
    let rows: Vec<usize> = (0..sample.len())
        .filter(|&row| is_kept(labels[row]))
        .collect();
    let points: Vec<[f64; 3]> = rows.iter().map(|&row| sample.points().at(row)).collect();
    let points = Points::from_rows(&points).unwrap();
    match sample.weights() {
        Weights::Unit => Particles::new(points),
        Weights::PerParticle(w) => {
            Particles::weighted(points, rows.iter().map(|&row| w.at(row)).collect()).unwrap()
        }
    }
}

fn by_region(
    engine: &dyn Engine,
    pairs: Pairs<'_>,
    domain: &Domain,
    bins: impl Into<Bins>,
) -> Result<Counts, EngineError> {
    let prepare = |sample: &Particles| engine.prepare(sample.clone(), domain, &Silent).unwrap();
    let (first, second) = pairs.samples();
    let (first, second) = (prepare(first), second.map(prepare));
    let job = PreparedJob::new(&first, second.as_ref()).unwrap();
    let what = CountSpec::for_pairs(bins, pairs).with_mean_separation();
    count_regions(engine, &job, what, &Silent).map(|(counts, _)| counts)
}

/// The integers and the total of `pairs` counted directly, with the weight exponents of `whole`.
fn direct(
    pairs: Pairs<'_>,
    whole: Pairs<'_>,
    domain: &Domain,
    bins: impl Into<Bins>,
) -> (Vec<u64>, Option<Vec<f64>>, PairTotal) {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let what = CountSpec::for_pairs(bins, whole);
    let exponents = what.weight_exponents(whole);
    let what = what.with_weight_exponents(exponents);
    let tally = Naive.run(&job, &what, &Silent).unwrap();
    let sum = what.sums().first();
    let weight = sum.map(|product| tally.real_sum(0, what.exponent(product, whole)));
    let total = PairTotal::of(pairs, PairKind::of(pairs, bins.order()));
    (tally.pairs().to_vec(), weight, total)
}

/// Compares the count without each region, of one sample and of two, with that of the samples without it.
fn realisations_are_counts(samples: &Samples, domain: &Domain, bins: impl Into<Bins>) {
    let bins = &bins.into();
    for (first, second) in [
        (Role::Data, Role::Data),
        (Role::Data, Role::Randoms),
        (Role::Data, Role::SecondData),
    ] {
        let whole = pairs(samples, first, second);
        let counts = by_region(&Naive, whole, domain, bins).unwrap();
        for threads in [1, 3] {
            let cpu = Cpu::new().with_threads(threads).unwrap();
            let found = by_region(&cpu, whole, domain, bins).unwrap();
            assert!(found == counts, "{}", cpu.description());
        }
        let job = PairJob::new(whole, domain).unwrap();
        let what = CountSpec::for_pairs(bins, whole).with_mean_separation();
        let all = count_pairs(&Naive, &job, what, &Silent).unwrap();
        assert!(
            counts.whole() == all,
            "the regions add up to the count of all"
        );
        for k in 0..REGIONS {
            let rest = samples.without(k);
            let left = counts.without(k as usize, 1.0);
            let found = (left.npairs().to_vec(), left.weight(), left.total());
            let expected = direct(pairs(&rest, first, second), whole, domain, bins);
            assert_eq!(found, expected, "{first:?} {second:?} without {k}");
        }
        check_restored(&counts, &job, bins);
        check_drawn(&counts, samples, |samples| {
            direct(pairs(samples, first, second), whole, domain, bins)
        });
        let once = counts.resampled(&[1; REGIONS as usize]);
        assert_eq!(once.npairs(), all.npairs());
        // Halves of pairs have no mean over pairs.
        assert!(all.mean_separation().is_some() && once.mean_separation().is_none());
        close(&once.values(), &all.values(), 1e-13);
    }
}

fn pairs(samples: &Samples, first: Role, second: Role) -> Pairs<'_> {
    if first == second {
        Pairs::Auto(samples.of(first))
    } else {
        Pairs::Cross(samples.of(first), samples.of(second))
    }
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = expected
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0, |most: f64, v| most.max(v.abs()));
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let same = found.is_nan() && expected.is_nan();
        assert!(
            same || (found - expected).abs() <= tolerance * scale,
            "{k}: {found} {expected}"
        );
    }
}

fn r_bins() -> RBins {
    RBins::new(Edges::linear(0.0, 0.45, 6).unwrap())
}

fn s_mu_bins(los: LineOfSight, lo: f64) -> SMuBins {
    let s = Edges::linear(0.0, 0.45, 3).unwrap();
    SMuBins::new(s, SignedEdges::linear(lo, 1.0, 4).unwrap(), los).unwrap()
}

fn rp_pi_bins(los: LineOfSight) -> RpPiBins {
    let rp = Edges::linear(0.0, 0.3, 3).unwrap();
    RpPiBins::new(rp, SignedEdges::linear(0.0, 0.4, 4).unwrap(), los).unwrap()
}

#[test]
fn without_a_region_is_a_count_of_its_own() {
    let z = LineOfSight::Fixed(Axis::Z);
    for weighted in [false, true] {
        let samples = Samples::new(weighted, |points| points);
        realisations_are_counts(&samples, &cube(), r_bins());
        realisations_are_counts(&samples, &cube(), s_mu_bins(z, 0.0));
        realisations_are_counts(&samples, &cube(), rp_pi_bins(z));
        realisations_are_counts(&samples, &Domain::Open, r_bins());
        realisations_are_counts(&samples, &Domain::Open, rp_pi_bins(LineOfSight::Midpoint));
        for los in [LineOfSight::First, LineOfSight::Midpoint] {
            realisations_are_counts(&samples, &Domain::Open, s_mu_bins(los, -1.0));
        }
        let sky = Samples::new(weighted, |points| points.directions().unwrap());
        let theta = ThetaBins::new(Edges::linear(0.0, 60.0, 6).unwrap()).unwrap();
        realisations_are_counts(&sky, &Domain::Open, &theta);
    }
}

fn terms(
    estimator: Estimator,
    samples: &Samples,
    domain: &Domain,
    bins: impl Into<Bins>,
) -> RegionTerms {
    let bins = &bins.into();
    let sample = |role| Some(samples.of(role));
    let estimation = Estimation::new(estimator, bins, domain, sample).unwrap();
    let counted = estimation.run_by_region(None, |_, pairs| {
        by_region(&Cpu::new(), pairs, domain, bins).map_err(Error::from)
    });
    counted.unwrap()
}

fn estimate(
    estimator: Estimator,
    samples: &Samples,
    domain: &Domain,
    bins: impl Into<Bins>,
    count: impl Fn(Pairs<'_>, Pairs<'_>) -> Counts,
    whole: &Samples,
) -> Correlation {
    let bins = &bins.into();
    let sample = |role| Some(samples.of(role));
    let estimation = Estimation::new(estimator, bins, domain, sample).unwrap();
    let terms = estimation.terms().iter();
    let counted = terms.map(|&(t, own)| (t, count(own, pairs(whole, t.first, t.second))));
    estimator.estimate(&TermCounts::new(counted, None)).unwrap()
}

/// Every estimator without each region is the estimator of the samples without it.
fn estimates_are_of_the_rest(
    samples: &Samples,
    domain: &Domain,
    bins: impl Into<Bins>,
    derived: impl Fn(&Correlation) -> Vec<f64>,
) {
    let bins = &bins.into();
    let mut sorts = 0;
    for &estimator in Estimator::ALL {
        let counts = terms(estimator, samples, domain, bins);
        assert_eq!(counts.number(), REGIONS as usize);
        let realisations = counts.jackknife(Jackknife::Standard);
        for (k, found) in realisations.enumerate() {
            let rest = samples.without(k as u32);
            let count = |own: Pairs<'_>, whole: Pairs<'_>| {
                let (npairs, weight, total) = direct(own, whole, domain, bins);
                let id = albireo::counts::JobId(7);
                let weight = weight.map(|weight| ExactSums::from_parts(&[weight]).unwrap());
                Counts::from_parts(bins.clone(), npairs, weight, total, id).unwrap()
            };
            let expected = estimate(estimator, &rest, domain, bins, count, samples);
            close(&derived(&found.unwrap()), &derived(&expected), 1e-12);
        }
        sorts += 1;
    }
    assert_eq!(sorts, Estimator::ALL.len());
}

#[test]
fn every_estimator_leaves_regions_out() {
    let z = LineOfSight::Fixed(Axis::Z);
    for weighted in [false, true] {
        let samples = Samples::new(weighted, |points| points);
        estimates_are_of_the_rest(&samples, &Domain::Open, r_bins(), |xi| xi.xi.clone());
        let wp = |xi: &Correlation| projected(xi).unwrap().wp;
        estimates_are_of_the_rest(
            &samples,
            &Domain::Open,
            rp_pi_bins(LineOfSight::Midpoint),
            wp,
        );
        let poles = |xi: &Correlation| {
            let poles = multipoles(xi, &[0, 2]).unwrap().poles;
            poles.into_iter().flat_map(|pole| pole.xi).collect()
        };
        estimates_are_of_the_rest(&samples, &cube(), s_mu_bins(z, 0.0), poles);
        estimates_are_of_the_rest(
            &samples,
            &Domain::Open,
            s_mu_bins(LineOfSight::First, -1.0),
            poles,
        );
    }
}

/// What pairs of a job weigh, each times a factor made of the regions of its points, over the sum of all factors.
fn weighed(pairs: Pairs<'_>, bins: &RBins, factor: impl Fn(u32, u32) -> f64) -> Vec<f64> {
    let (sums, total) = sums(pairs, bins, factor);
    sums.iter().map(|sum| sum / total).collect()
}

/// The weights of pairs in bins and of all pairs, each times a factor made of the regions of its points: a double loop.
fn sums(pairs: Pairs<'_>, bins: &RBins, factor: impl Fn(u32, u32) -> f64) -> (Vec<f64>, f64) {
    let (first, second) = pairs.both();
    let auto = matches!(pairs, Pairs::Auto(_));
    let weight = |sample: &Particles, row: usize| match sample.weights() {
        Weights::Unit => 1.0,
        Weights::PerParticle(w) => w.at(row),
    };
    let (mut sums, mut total) = (vec![0.0; bins.n_bins()], 0.0);
    for i in 0..first.len() {
        for j in if auto { i + 1 } else { 0 }..second.len() {
            let labels = [
                first.labels().unwrap().values()[i],
                second.labels().unwrap().values()[j],
            ];
            let w = weight(first, i) * weight(second, j) * factor(labels[0], labels[1]);
            let sep = Domain::Open.separation(first.points().at(i), second.points().at(j));
            if let Some(bin) = bins.bin(&sep) {
                sums[bin] += w;
            }
            total += w;
        }
    }
    (sums, total)
}

#[test]
fn pairs_across_regions_keep_the_weight_of_mohammad_and_percival() {
    let n = f64::from(REGIONS);
    let alpha = n / (2.0 + 2f64.sqrt() * (n - 1.0));
    assert!((Jackknife::MohammadPercival.alpha(REGIONS as usize) - alpha).abs() < 1e-15);
    let bins = r_bins();
    let kinds = [
        (Jackknife::MohammadPercival, alpha),
        (Jackknife::MohammadPercivalPairs, 1.0),
    ];
    let both = [false, true].into_iter();
    for (weighted, (kind, of_totals)) in both.flat_map(|w| kinds.map(|k| (w, k))) {
        let samples = Samples::new(weighted, |points| points);
        let [dd, dr, rr] =
            [Term::DD, Term::DR, Term::RR].map(|t| pairs(&samples, t.first, t.second));
        let counts = terms(Estimator::LandySzalay, &samples, &Domain::Open, &bins);
        for (k, found) in counts.jackknife(kind).enumerate() {
            let factor = |share: f64| {
                move |a: u32, b: u32| {
                    let inside = [a, b].map(|label| usize::from(label == k as u32));
                    [1.0, share, 0.0][inside[0] + inside[1]]
                }
            };
            let [dd, dr, rr] = [dd, dr, rr].map(|pairs| {
                let (in_bins, _) = sums(pairs, &bins, factor(1.0 - alpha));
                let (_, total) = sums(pairs, &bins, factor(1.0 - of_totals));
                let normalised = in_bins.into_iter().map(|sum| sum / total);
                normalised.collect::<Vec<f64>>()
            });
            let expected = (0..bins.n_bins()).map(|b| (dd[b] - 2.0 * dr[b] + rr[b]) / rr[b]);
            close(&found.unwrap().xi, &expected.collect::<Vec<_>>(), 1e-9);
        }
    }
}

#[test]
fn a_bootstrap_counts_each_point_as_often_as_its_region_is_drawn() {
    let bins = r_bins();
    let samples = Samples::new(true, |points| points);
    let counts = terms(Estimator::DavisPeebles, &samples, &Domain::Open, &bins);
    let draws: Vec<Vec<u32>> = bootstrap_draws(REGIONS as usize, 40, 3).unwrap().collect();
    let found: Vec<_> = counts
        .bootstrap(40, 3)
        .unwrap()
        .map(|xi| xi.unwrap().xi)
        .collect();
    let [dd, dr] = [Term::DD, Term::DR].map(|t| pairs(&samples, t.first, t.second));
    for (times, found) in draws.iter().zip(&found) {
        let m = |label: u32| f64::from(times[label as usize]);
        let [dd, dr] =
            [dd, dr].map(|pairs| weighed(pairs, &bins, |a, b| f64::midpoint(m(a), m(b))));
        let expected: Vec<f64> = dd.iter().zip(&dr).map(|(dd, dr)| dd / dr - 1.0).collect();
        close(found, &expected, 1e-9);
    }
    let again: Vec<_> = counts
        .bootstrap(40, 3)
        .unwrap()
        .map(|xi| xi.unwrap().xi)
        .collect();
    assert_eq!(found, again);
    assert_ne!(
        found[0],
        counts.bootstrap(40, 4).unwrap().next().unwrap().unwrap().xi
    );
    assert_eq!(
        bootstrap_draws(REGIONS as usize, 2, 3)
            .unwrap()
            .nth(1)
            .unwrap(),
        draws[1]
    );
    let drawn: u32 = draws.iter().flatten().sum();
    assert_eq!(drawn, 40 * REGIONS);
}

#[test]
fn covariances_are_those_of_a_double_loop() {
    let samples = Samples::new(false, |points| points);
    let counts = terms(Estimator::LandySzalay, &samples, &Domain::Open, r_bins());
    let rows: Vec<Vec<f64>> = counts
        .jackknife(Jackknife::Standard)
        .map(|xi| xi.unwrap().xi)
        .collect();
    let n = rows.len() as f64;
    let bins = rows[0].len();
    let mean = |b: usize| rows.iter().map(|row| row[b]).sum::<f64>() / n;
    for (found, factor) in [
        (Covariance::jackknife(&rows).unwrap(), (n - 1.0) / n),
        (Covariance::of_realisations(&rows).unwrap(), 1.0 / (n - 1.0)),
    ] {
        assert_eq!((found.realisations(), found.bins()), (rows.len(), bins));
        let cell = |i: usize, j: usize| {
            let off = rows
                .iter()
                .map(|row| (row[i] - mean(i)) * (row[j] - mean(j)));
            factor * off.sum::<f64>()
        };
        let correlation = found.correlation();
        for i in 0..bins {
            assert!((found.mean()[i] - mean(i)).abs() < 1e-14);
            assert!((found.errors()[i] - cell(i, i).sqrt()).abs() <= 1e-12 * cell(i, i).sqrt());
            assert_eq!(correlation[[i, i]], 1.0);
            for j in 0..bins {
                let scale = (cell(i, i) * cell(j, j)).sqrt();
                assert!((found.matrix()[[i, j]] - cell(i, j)).abs() <= 1e-12 * scale);
                assert!((correlation[[i, j]] - cell(i, j) / scale).abs() <= 1e-12);
                assert_eq!(found.matrix()[[i, j]], found.matrix()[[j, i]]);
            }
        }
    }
    let gap =
        Covariance::jackknife(&[vec![1.0, f64::NAN], vec![2.0, 1.0], vec![3.0, 2.0]]).unwrap();
    assert_eq!(gap.matrix()[[0, 0]], 2.0 / 3.0 * 2.0);
    assert!(gap.matrix()[[0, 1]].is_nan() && gap.matrix()[[1, 1]].is_nan());
    assert!(gap.correlation()[[1, 1]].is_nan());
}

#[test]
fn what_has_no_jackknife_is_refused() {
    let domain = Domain::Open;
    let points = |n| random::in_box(n, 1, [1.0; 3]).unwrap();
    let labelled = |labels: Vec<u32>, number| {
        let particles = Particles::new(points(labels.len()));
        particles
            .labelled(Labels::new(labels, number).unwrap())
            .unwrap()
    };
    let full = labelled(vec![0, 1, 2, 0], 3);
    let (gap, one) = (labelled(vec![0, 2, 2, 0], 3), labelled(vec![0; 4], 1));
    let bare = Particles::new(points(4));
    let error = |pairs| by_region(&Cpu::new(), pairs, &domain, r_bins()).unwrap_err();
    assert_eq!(error(Pairs::Auto(&bare)), JobError::NoLabels.into());
    assert_eq!(error(Pairs::Auto(&one)), JobError::FewRegions(1).into());
    let empty = |sample| JobError::EmptyRegion { region: 1, sample }.into();
    assert_eq!(error(Pairs::Auto(&gap)), empty("first"));
    assert_eq!(error(Pairs::Cross(&full, &gap)), empty("second"));
    assert!(Covariance::jackknife(&[vec![1.0]]).is_err());
    let uneven = Covariance::of_realisations(&[vec![1.0, 2.0], vec![1.0]]).unwrap_err();
    assert_eq!(
        uneven.to_string(),
        "a covariance needs realisations of equal length: realisation 0 has 2 bins, realisation 1 has 1"
    );
    assert!(bootstrap_draws(1, 10, 1).is_err() && bootstrap_draws(10, 1, 1).is_err());
    let counts = by_region(&Cpu::new(), Pairs::Auto(&full), &domain, r_bins()).unwrap();
    assert!(RegionTerms::new(Estimator::Natural, Vec::<(Term, Counts)>::new(), None).is_err());
    let two = labelled(vec![0, 1, 1, 0], 2);
    let other = by_region(&Cpu::new(), Pairs::Auto(&two), &domain, r_bins()).unwrap();
    let mixed = vec![(Term::DD, counts), (Term::RR, other)];
    let error = RegionTerms::new(Estimator::Natural, mixed, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "all counts must be kept apart by the same regions: DD by 3, RR by 2"
    );
}
