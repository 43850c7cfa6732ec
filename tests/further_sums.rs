//! Sums beside the weights: weighted mean separations against a loop, moments of known random pairs against fine bins.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::legendre_sums::{bins, near, survey};

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::estimators::{AnalyticRr, CellRr, legendre};
use albireo::regions::Cells;
use albireo::tally::{Legendre, LegendreDegrees};
use albireo::{
    Axis, CountSpec, Domain, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, Points,
};

fn particles((rows, weights): &(Vec<[f64; 3]>, Vec<f64>)) -> Particles {
    Particles::weighted(Points::from_rows(rows).unwrap(), weights.clone()).unwrap()
}

#[test]
fn cells_of_a_box_have_the_moments_of_fine_bins() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.2), Some(0.9)]).unwrap());
    let cells = Cells::new(&domain, [2, 3, 3]).unwrap();
    let los = LineOfSight::Fixed(Axis::Z);
    let degrees: LegendreDegrees = [Legendre::L2, Legendre::L4].into_iter().collect();
    let one = AnalyticRr::new(bins(&[0.0, 1.0], los), &domain).unwrap();
    let one = CellRr::new(one.with_legendre(degrees).unwrap(), Some(&cells)).unwrap();
    let edges: Vec<f64> = (0..=60).map(|k| f64::from(k) / 60.0).collect();
    let fine = AnalyticRr::new(bins(&edges, los), &domain).unwrap();
    let fine = CellRr::new(fine, Some(&cells)).unwrap();
    for alpha in [1.0, 0.3] {
        use albireo::estimators::RandomPairs;
        let (one, fine) = (one.without(alpha), fine.without(alpha));
        for l in [Legendre::L0, Legendre::L2, Legendre::L4] {
            let found = one.legendre_fractions(l, "RR").unwrap();
            for (k, row) in fine.fractions().chunks(60).enumerate() {
                let centre = |j: usize| (j as f64 + 0.5) / 60.0;
                let sum: f64 = (0..60)
                    .map(|j| row[j] * legendre(l.degree(), centre(j)))
                    .sum();
                let scale = one.fractions()[k];
                // The polynomial at the centre of a bin is off by 1/24 of its curvature there.
                assert!(
                    (found[k] - sum).abs() < 1e-3 * scale,
                    "{alpha} {l:?}: {} {sum}",
                    found[k]
                );
                assert!(l == Legendre::L0 || alpha != 1.0 || found[k].abs() > 1e-5 * scale);
            }
        }
    }
}

#[test]
fn weighted_means_are_those_of_a_loop() {
    let (one, other) = (survey(80, 7), survey(60, 8));
    let [a, b] = [&one, &other].map(particles);
    let bins = bins(&[0.0, 1.0], LineOfSight::Midpoint);
    for (pairs, second) in [
        (Pairs::Auto(&a), None),
        (Pairs::Cross(&a, &b), Some(&other)),
    ] {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let what = &CountSpec::for_pairs(&bins, pairs)
            .with_mean_separation()
            .with_weighted_separation();
        let counts = count_pairs(&Naive, &job, what, &Silent).unwrap();
        assert!(count_pairs(&Cpu::new(), &job, what, &Silent).unwrap() == counts);
        let (mut moments, mut weights) = ([0.0; 2], [0.0; 2]);
        let q = second.unwrap_or(&one);
        for i in 0..one.0.len() {
            for j in 0..if second.is_some() { q.0.len() } else { i } {
                let s = (0..3)
                    .map(|k| (one.0[i][k] - q.0[j][k]).powi(2))
                    .sum::<f64>()
                    .sqrt();
                let bin = match s {
                    s if (0.1..0.25).contains(&s) => 0,
                    s if (0.25..0.45).contains(&s) => 1,
                    _ => continue,
                };
                moments[bin] += one.1[i] * q.1[j] * s;
                weights[bin] += one.1[i] * q.1[j];
            }
        }
        let expected = [moments[0] / weights[0], moments[1] / weights[1]];
        near(&counts.weighted_mean_separation().unwrap(), &expected, 1e-9);
        assert_ne!(counts.mean_separation(), counts.weighted_mean_separation());
        // Halves of a job add up to the whole.
        let half = |index| {
            albireo::counts::count_part(
                &Cpu::new(),
                &job,
                albireo::counts::Part { index, of: 2 },
                what,
                &Silent,
            )
        };
        let mut whole = half(0).unwrap();
        whole.merge(&half(1).unwrap()).unwrap();
        assert_eq!(
            whole.weighted_mean_separation(),
            counts.weighted_mean_separation()
        );
    }
    let unweighted = Particles::new(a.points().clone());
    let job = PairJob::new(Pairs::Auto(&unweighted), &Domain::Open).unwrap();
    let what = CountSpec::new(bins).with_weighted_separation();
    let counts = count_pairs(&Naive, &job, what, &Silent).unwrap();
    assert!(
        counts.weighted_mean_separation().is_none(),
        "there are no weights"
    );
}
