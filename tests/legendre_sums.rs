//! Multipoles from Legendre sums against an independent loop, against bins in mu, and without a region; weighted mean separations.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{ExactSums, JobId, PairKind, PairTotal, count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::EstimatorError;
use albireo::estimators::{
    AnalyticRr, Estimation, Estimator, Jackknife, Multipoles, RegionTerms, Role, Term, TermCounts,
    legendre, legendre_degrees, multipoles,
};
use albireo::tally::{Legendre, LegendreDegrees};
use albireo::{
    Axis, CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs,
    Particles, PeriodicBox, Points, SMuBins, SignedEdges, random,
};

pub(crate) fn bins(mu: &[f64], los: LineOfSight) -> SMuBins {
    let s = Edges::new(vec![0.1, 0.25, 0.45]).unwrap();
    SMuBins::new(s, SignedEdges::new(mu.to_vec()).unwrap(), los).unwrap()
}

/// Points of a slab away from the observer, whose pairs are not isotropic, and weights.
pub(crate) fn survey(n: usize, seed: u64) -> (Vec<[f64; 3]>, Vec<f64>) {
    let points = random::in_box(n, seed, [1.0, 0.8, 0.3]).unwrap();
    let row = |k: usize| {
        let [x, y, z] = points.at(k);
        [x + 0.3, y - 0.2, z + 1.5]
    };
    let weight = |k: usize| 0.5 + points.at(k)[0];
    ((0..n).map(row).collect(), (0..n).map(weight).collect())
}

fn particles((rows, weights): &(Vec<[f64; 3]>, Vec<f64>)) -> Particles {
    Particles::weighted(Points::from_rows(rows).unwrap(), weights.clone()).unwrap()
}

fn of_pairs(bins: &SMuBins, pairs: Pairs<'_>, degrees: LegendreDegrees) -> CountSpec {
    CountSpec::for_pairs(bins, pairs).with_legendre(degrees)
}

pub(crate) fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= tolerance * e.abs().max(1.0),
            "{found:?} is not {expected:?}"
        );
    }
}

/// Sums of `w L_a L_b` over the pairs of a shell over all `w`, by a loop that knows no matrix; s and mu as the definition has them.
fn loop_over(
    one: &(Vec<[f64; 3]>, Vec<f64>),
    other: Option<&(Vec<[f64; 3]>, Vec<f64>)>,
    shell: [f64; 2],
    (a, b): (u32, u32),
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    let second = other.unwrap_or(one);
    for i in 0..one.0.len() {
        for j in 0..second.0.len() {
            if other.is_none() && j >= i {
                continue;
            }
            let (p, q) = (one.0[i], second.0[j]);
            let w = one.1[i] * second.1[j];
            total += w;
            let d: Vec<f64> = (0..3).map(|k| p[k] - q[k]).collect();
            let l: Vec<f64> = (0..3).map(|k| p[k] + q[k]).collect();
            let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let s = norm(&d);
            if s >= shell[0] && s < shell[1] {
                let mu = d.iter().zip(&l).map(|(d, l)| d * l).sum::<f64>() / (s * norm(&l));
                sum += w * legendre(a, mu) * legendre(b, mu);
            }
        }
    }
    sum / total
}

fn counted(
    data: &Particles,
    randoms: &Particles,
    engine: &dyn Engine,
    estimator: Estimator,
    ells: &[u32],
    bins: &SMuBins,
) -> TermCounts {
    let degrees = legendre_degrees(ells).unwrap();
    let sample = |role| match role {
        Role::Data => Some(data),
        Role::Randoms => Some(randoms),
        _ => None,
    };
    let estimation = Estimation::new(estimator, bins, &Domain::Open, sample).unwrap();
    let estimation = estimation.with_legendre(degrees).unwrap();
    let count = |_, pairs| {
        let job = PairJob::new(pairs, &Domain::Open)?;
        Ok::<_, albireo::Error>(count_pairs(
            engine,
            &job,
            of_pairs(bins, pairs, degrees),
            &Silent,
        )?)
    };
    estimation.counts(count).unwrap()
}

/// Solves a 2 x 2 system.
fn solve(m: [[f64; 2]; 2], n: [f64; 2]) -> [f64; 2] {
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    [
        (n[0] * m[1][1] - n[1] * m[0][1]) / det,
        (m[0][0] * n[1] - m[1][0] * n[0]) / det,
    ]
}

#[test]
fn a_survey_has_the_multipoles_of_an_independent_loop() {
    let (data, randoms) = (survey(120, 1), survey(260, 2));
    let bins = bins(&[0.0, 1.0], LineOfSight::Midpoint);
    let [d, r] = [&data, &randoms].map(particles);
    for estimator in [
        Estimator::LandySzalay,
        Estimator::Natural,
        Estimator::DavisPeebles,
    ] {
        let counts = counted(&d, &r, &Naive, estimator, &[0, 2], &bins);
        let fast = counted(&d, &r, &Cpu::new(), estimator, &[0, 2], &bins);
        let found = estimator.multipoles(&counts, &[0, 2]).unwrap();
        assert_eq!(estimator.multipoles(&fast, &[0, 2]).unwrap(), found);
        for (k, shell) in [[0.1, 0.25], [0.25, 0.45]].into_iter().enumerate() {
            let dd = |a, b| loop_over(&data, None, shell, (a, b));
            let dr = |a, b| loop_over(&data, Some(&randoms), shell, (a, b));
            let rr = |a, b| loop_over(&randoms, None, shell, (a, b));
            let of = |l: u32| match estimator {
                Estimator::LandySzalay => dd(l, 0) - 2.0 * dr(l, 0) + rr(l, 0),
                Estimator::Natural => dd(l, 0) - rr(l, 0),
                _ => dd(l, 0) - dr(l, 0),
            };
            let below = |a, b| {
                if estimator == Estimator::DavisPeebles {
                    dr(a, b)
                } else {
                    rr(a, b)
                }
            };
            let matrix = [[below(0, 0), below(0, 2)], [below(2, 0), below(2, 2)]];
            let mixed = matrix[0][1].abs() / matrix[0][0];
            assert!(
                k == 0 || mixed > 0.02,
                "the randoms should not be isotropic: {mixed}"
            );
            let expected = solve(matrix, [of(0), of(2)]);
            near(
                &[found.poles[0].xi[k], found.poles[1].xi[k]],
                &expected,
                1e-8,
            );
        }
    }
}

fn exact(sums: Vec<f64>) -> ExactSums {
    ExactSums::from_parts(&[sums]).unwrap()
}

/// Counts in fine bins of mu, as many pairs in each as `share` says, with the Legendre sums of those.
fn made(n_mu: usize, share: impl Fn(f64) -> f64) -> Counts {
    let mu: Vec<f64> = (0..=n_mu).map(|k| k as f64 / n_mu as f64).collect();
    let s = Edges::new(vec![1.0, 2.0]).unwrap();
    let bins = SMuBins::new(s, SignedEdges::new(mu).unwrap(), LineOfSight::Midpoint).unwrap();
    let centre = |k: usize| (k as f64 + 0.5) / n_mu as f64;
    let npairs: Vec<u64> = (0..n_mu)
        .map(|k| (1e9 * share(centre(k))).round() as u64)
        .collect();
    let sums = |l: Legendre| -> Vec<f64> {
        npairs
            .iter()
            .enumerate()
            .map(|(k, &n)| n as f64 * legendre(l.degree(), centre(k)))
            .collect()
    };
    let total = PairTotal::unweighted(PairKind::AutoUnordered, 1 << 50);
    let counts = Counts::from_parts(bins, npairs.clone(), None, total, JobId(1)).unwrap();
    let degrees = [Legendre::L2, Legendre::L4, Legendre::L6, Legendre::L8];
    degrees.into_iter().fold(counts, |counts, l| {
        counts.with_legendre_sums(l, exact(sums(l))).unwrap()
    })
}

#[test]
fn the_matrix_undoes_what_randoms_mix() {
    let poles = [0.5, -0.8, 0.3];
    let xi = |mu: f64| {
        (0..3)
            .map(|k| poles[k as usize] * legendre(2 * k, mu))
            .sum::<f64>()
    };
    let window =
        |mu: f64| 1.0 + 0.6 * legendre(2, mu) - 0.2 * legendre(4, mu) + 0.1 * legendre(8, mu);
    let rr = made(2000, window);
    let dd = made(2000, |mu| window(mu) * (1.0 + xi(mu)));
    let counts = TermCounts::new(vec![(Term::DD, dd), (Term::RR, rr.clone())], None);
    let found = Estimator::Natural.multipoles(&counts, &[0, 2, 4]).unwrap();
    let fine = multipoles(&Estimator::Natural.estimate(&counts).unwrap(), &[0, 2, 4]).unwrap();
    for (k, pole) in found.poles.iter().enumerate() {
        // The sums are those of bin centres, at 2000 bins.
        near(&pole.xi, &[poles[k]], 1e-6);
        near(&fine.poles[k].xi, &pole.xi, 1e-6);
    }
    // Where randoms are isotropic both are the same estimator, and have the same errors.
    let (dd, even) = (made(2000, |mu| 1.0 + xi(mu)), made(2000, |_| 1.0));
    let both = TermCounts::new(vec![(Term::DD, dd), (Term::RR, even)], None);
    let found = Estimator::Natural.multipoles(&both, &[0, 2, 4]).unwrap();
    let fine = multipoles(&Estimator::Natural.estimate(&both).unwrap(), &[0, 2, 4]).unwrap();
    for (pole, fine) in found.poles.iter().zip(&fine.poles) {
        near(&[pole.error[0] / fine.error[0]], &[1.0], 1e-4);
    }
    // Without the matrix they are off by what randoms mix in.
    let share = |l| {
        counts
            .get(Term::DD)
            .unwrap()
            .legendre_sums(l)
            .unwrap()
            .iter()
            .sum::<f64>()
    };
    let plain = 5.0 * share(Legendre::L2) / rr.npairs().iter().sum::<u64>() as f64;
    assert!((plain - poles[1]).abs() > 0.3, "{plain}");
}

/// Points of a periodic box of which a half has a neighbour along z.
fn boxed(n: usize) -> Particles {
    let points = random::in_box(n, 5, [1.0; 3]).unwrap();
    let row = |k: usize| {
        let [x, y, z] = points.at(k - k % 2);
        if k.is_multiple_of(2) {
            [x, y, z]
        } else {
            [x, y, (z + 0.2) % 1.0]
        }
    };
    let rows: Vec<_> = (0..n).map(row).collect();
    Particles::new(Points::from_rows(&rows).unwrap())
}

fn in_box(data: &Particles, bins: &SMuBins, ells: Option<&[u32]>) -> (TermCounts, Multipoles) {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let degrees = legendre_degrees(ells.unwrap_or(&[0])).unwrap();
    let degrees = ells.map(|_| degrees).unwrap_or_default();
    let sample = |role| (role == Role::Data).then_some(data);
    let estimation = Estimation::new(Estimator::Natural, bins, &domain, sample).unwrap();
    let estimation = estimation.with_legendre(degrees).unwrap();
    let count = |_, pairs| {
        let job = PairJob::new(pairs, &domain)?;
        Ok::<_, albireo::Error>(count_pairs(
            &Cpu::new(),
            &job,
            of_pairs(bins, pairs, degrees),
            &Silent,
        )?)
    };
    let counts = estimation.counts(count).unwrap();
    let poles = match ells {
        Some(ells) => Estimator::Natural.multipoles(&counts, ells),
        None => multipoles(&Estimator::Natural.estimate(&counts).unwrap(), &[0, 2, 4]),
    };
    (counts, poles.unwrap())
}

#[test]
fn a_box_has_the_limit_of_fine_bins_in_mu() {
    let data = boxed(400);
    let los = LineOfSight::Fixed(Axis::Z);
    let (counts, found) = in_box(&data, &bins(&[0.0, 1.0], los), Some(&[0, 2, 4]));
    let fine: Vec<f64> = (0..=8000).map(|k| f64::from(k) / 8000.0).collect();
    let (_, limit) = in_box(&data, &bins(&fine, los), None);
    let dd = counts.get(Term::DD).unwrap();
    let shell = |k: usize| {
        let e = [0.1f64, 0.25, 0.45];
        4.0 / 3.0 * std::f64::consts::PI * (e[k + 1].powi(3) - e[k].powi(3))
    };
    for (p, pole) in found.poles.iter().enumerate() {
        near(&pole.xi, &limit.poles[p].xi, 2e-3);
        near(&pole.error, &limit.poles[p].error, 2e-3);
        let sums = dd
            .legendre_sums(Legendre::of_degree(pole.ell).unwrap())
            .unwrap();
        let less = if pole.ell == 0 { 1.0 } else { 0.0 };
        let plain = |k: usize| {
            f64::from(2 * pole.ell + 1) * sums[k] / (400.0 * 399.0 / 2.0) / shell(k) - less
        };
        near(&pole.xi, &[plain(0), plain(1)], 1e-12);
    }
    assert!(found.poles[1].xi[0] > 0.1, "pairs along z should be seen");
    // The monopole and its error are those of the estimate over s.
    let xi = Estimator::Natural.estimate(&counts).unwrap();
    near(&found.poles[0].xi, &xi.xi, 1e-13);
    near(&found.poles[0].error, &xi.error, 1e-12);
}

fn octants(sample: &Particles) -> Labels {
    let label =
        |[x, y, z]: [f64; 3]| 4 * u32::from(x > 0.8) + 2 * u32::from(y > 0.2) + u32::from(z > 1.65);
    let labels = (0..sample.len()).map(|row| label(sample.points().at(row)));
    Labels::new(labels.collect(), 8).unwrap()
}

/// A pair with one point in the region keeps a share of its weight, in every sum alike.
fn check_shares(terms: &RegionTerms) {
    let alpha = Jackknife::MohammadPercival.alpha(8);
    for (k, counts) in terms
        .jackknife_counts(Jackknife::MohammadPercival)
        .enumerate()
    {
        let (term, regions) = &terms.counted()[0];
        let regions = regions.of_all_pairs().unwrap();
        let left = counts.get(*term).unwrap();
        let by_hand = |of: &dyn Fn(&Counts) -> Vec<f64>| -> Vec<f64> {
            let [t, a, c] = [
                of(&regions.whole()),
                of(&regions.within(k)),
                of(&regions.across(k)),
            ];
            (0..t.len()).map(|i| t[i] - a[i] - alpha * c[i]).collect()
        };
        let l2 = by_hand(&|counts| counts.legendre_sums(Legendre::L2).unwrap());
        near(&left.legendre_sums(Legendre::L2).unwrap(), &l2, 1e-12);
        let moments = by_hand(&|counts| {
            let mean = counts.weighted_mean_separation().unwrap();
            let zero = |x: f64| if x.is_nan() { 0.0 } else { x };
            mean.iter()
                .zip(counts.values())
                .map(|(m, w)| zero(m * w))
                .collect()
        });
        let means: Vec<f64> = moments
            .iter()
            .zip(left.values())
            .map(|(m, w)| m / w)
            .collect();
        near(&left.weighted_mean_separation().unwrap(), &means, 1e-12);
    }
}

#[test]
fn regions_leave_out_what_their_particles_bring() {
    let ells = [0, 1, 2];
    let bins = bins(&[-1.0, 1.0], LineOfSight::First);
    let [d, r] = [survey(150, 3), survey(300, 4)].map(|sample| {
        let sample = particles(&sample);
        let labels = octants(&sample);
        sample.labelled(labels).unwrap()
    });
    let degrees = legendre_degrees(&ells).unwrap();
    let sample = |role| match role {
        Role::Data => Some(&d),
        Role::Randoms => Some(&r),
        _ => None,
    };
    let engine = Cpu::new();
    let estimator = Estimator::LandySzalay;
    let estimation = Estimation::new(estimator, &bins, &Domain::Open, sample).unwrap();
    let terms = estimation.run_by_region(None, |_, pairs| {
        let prepare = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
        let (first, second) = pairs.samples();
        let (first, second) = (prepare(first)?, second.map(prepare).transpose()?);
        let job = PreparedJob::new(&first, second.as_ref())?;
        let what = of_pairs(&bins, pairs, degrees).with_weighted_separation();
        Ok::<_, albireo::Error>(count_regions(&engine, &job, what, &Silent)?.0)
    });
    let terms = terms.unwrap();
    let whole = estimator.multipoles(&terms.counts(), &ells).unwrap();
    assert_eq!(
        whole,
        estimator
            .multipoles(&counted(&d, &r, &Naive, estimator, &ells, &bins), &ells)
            .unwrap()
    );
    let without = |sample: &Particles, k: u32| {
        let (rows, weights): (Vec<_>, Vec<_>) = (0..sample.len())
            .filter(|&row| sample.labels().unwrap().values()[row] != k)
            .map(|row| {
                (
                    sample.points().at(row),
                    0.5 + sample.points().at(row)[0] - 0.3,
                )
            })
            .unzip();
        particles(&(rows, weights))
    };
    for (k, counts) in terms.jackknife_counts(Jackknife::Standard).enumerate() {
        let found = estimator.multipoles(&counts, &ells).unwrap();
        let [d, r] = [&d, &r].map(|sample| without(sample, k as u32));
        let alone = counted(&d, &r, &Naive, estimator, &ells, &bins);
        let expected = estimator.multipoles(&alone, &ells).unwrap();
        for (found, expected) in found.poles.iter().zip(&expected.poles) {
            near(&found.xi, &expected.xi, 1e-6);
            near(&found.error, &expected.error, 1e-6);
        }
    }
    check_shares(&terms);
    // Each region drawn once is all pairs.
    let expected = terms.counted()[0].1.of_all_pairs().unwrap();
    let drawn = expected.resampled(&[1; 8]);
    near(
        &drawn.legendre_sums(Legendre::L1).unwrap(),
        &expected.legendre_sums(Legendre::L1).unwrap(),
        1e-12,
    );
    near(
        &drawn.weighted_mean_separation().unwrap(),
        &expected.weighted_mean_separation().unwrap(),
        1e-12,
    );
}

#[test]
fn multipoles_that_cannot_be_had_are_refused() {
    let data = boxed(40);
    let los = LineOfSight::Fixed(Axis::Z);
    let (counts, _) = in_box(&data, &bins(&[0.0, 1.0], los), Some(&[0, 2]));
    let refused = |estimator: Estimator, ells: &[u32]| {
        estimator.multipoles(&counts, ells).unwrap_err().to_string()
    };
    for (estimator, ells, words) in [
        (Estimator::Natural, &[6][..], "go up to degree 4, found 6"),
        (Estimator::Natural, &[], "need a degree"),
        (
            Estimator::Natural,
            &[1],
            "odd degree 1 needs pairs whose points have an order",
        ),
        (
            Estimator::Natural,
            &[4],
            "the Legendre sums of degree 6 of DD were not made",
        ),
        (
            Estimator::Hamilton,
            &[0],
            "hamilton is no sum of counts over one of them",
        ),
        (Estimator::LandySzalay, &[0], "DR were not counted"),
    ] {
        let refusal = refused(estimator, ells);
        assert!(refusal.contains(words), "{refusal}");
    }
    assert!(
        !Estimator::Hamilton.takes_legendre_sums() && Estimator::LandySzalay.takes_legendre_sums()
    );
    // Between two samples the pairs of D1R2 do not stand for those of R1D2.
    let dd = counts.get(Term::DD).unwrap();
    let cross = [Term::D1D2, Term::D1R2, Term::R1R2].map(|term| (term, dd.clone()));
    let refusal = Estimator::LandySzalayCross
        .multipoles(&TermCounts::new(cross.to_vec(), None), &[0])
        .unwrap_err();
    assert_eq!(refusal.to_string(), "the pairs R1D2 were not counted");
    let half = AnalyticRr::new(
        bins(&[0.0, 0.5, 1.0], los),
        &Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
    );
    let refusal = half.unwrap().with_legendre(legendre_degrees(&[2]).unwrap());
    assert!(matches!(refusal, Err(EstimatorError::AnalyticRr(_))));
    assert!(
        dd.clone()
            .with_legendre_sums(Legendre::L2, exact(vec![0.0]))
            .is_err()
    );
    let most = dd.npairs()[0] as f64;
    assert!(
        dd.clone()
            .with_legendre_sums(Legendre::L2, exact(vec![1.01 * most, 0.0]))
            .is_err()
    );
    let plain = Counts::from_parts(
        dd.binning().clone(),
        dd.npairs().to_vec(),
        None,
        dd.total(),
        JobId(9),
    )
    .unwrap();
    let refusal = plain.clone().merge(dd).unwrap_err();
    assert!(
        refusal.to_string().contains("the Legendre sums"),
        "{refusal}"
    );
}
