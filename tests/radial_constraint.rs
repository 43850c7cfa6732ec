//! The radial integral constraint against the expectation of fields that have no fluctuation in any shell.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::binning::Binning;
use albireo::counts::count_prepared;
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::estimators::{IntegralConstraint, RadialConstraint, ShellPairs};
use albireo::tally::Classes;
use albireo::{CountSpec, Counts, Domain, Edges, Engine, Labels, Particles, Points, RBins};
use random::Random;

/// Points on a part of the sky between the distances 2 and 3, with weights and shells.
fn randoms(n: usize, shells: u32) -> Particles {
    let mut random = Random(5);
    let (mut rows, mut labels) = (vec![], vec![]);
    while rows.len() < n {
        let x = [(); 3].map(|()| 3.0 * random.unit());
        let r = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (2.0..3.0).contains(&r) {
            rows.push(x);
            labels.push(((r - 2.0) * f64::from(shells)) as u32);
        }
    }
    let weights = (0..n).map(|_| 0.5 + random.unit()).collect();
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    sample
        .labelled(Labels::new(labels, shells).unwrap())
        .unwrap()
}

fn bins() -> RBins {
    RBins::new(Edges::linear(0.0, 5.0, 25).unwrap())
}

fn by_shell(sample: &Particles) -> Counts {
    let engine = Cpu::new();
    let ready = engine
        .prepare(sample.clone(), &Domain::Open, &Silent)
        .unwrap();
    let what = CountSpec::new(bins()).with_weights();
    let what = what.with_classes(Classes::Species);
    let job = PreparedJob::auto(&ready);
    let counts = count_prepared(&engine, &job, what, &Silent);
    counts.unwrap().0
}

fn model() -> Vec<f64> {
    (0..25)
        .map(|k| (-(f64::from(k) + 0.5) / 1.5).exp())
        .collect()
}

#[test]
fn one_shell_has_the_global_constraint() {
    let rr = by_shell(&randoms(300, 1));
    let radial = RadialConstraint::new(&rr, &model()).unwrap();
    let global = IntegralConstraint::new(&rr.normalised(), &model()).unwrap();
    assert!((radial.covered - 1.0).abs() < 1e-12 && radial.shells == 1);
    let occupied = radial.values.iter().filter(|value| !value.is_nan());
    assert!(occupied.clone().count() > 10);
    occupied.for_each(|value| assert!((value - global.value).abs() < 1e-12));
}

/// `<(delta_a - mean_i)(delta_b - mean_j)>` over the pairs of each bin, for a field with the model's correlations: every sum by itself.
fn expected(sample: &Particles) -> Vec<f64> {
    let (n, bins, model) = (sample.len(), bins(), model());
    let labels = sample.labels().unwrap();
    let albireo::Weights::PerParticle(weights) = sample.weights() else {
        panic!("weights were given")
    };
    let shell = |row: usize| labels.values()[row] as usize;
    let bin = |a: usize, b: usize| {
        let sep = Domain::Open.separation(sample.points().at(a), sample.points().at(b));
        bins.bin(&sep)
    };
    let xi = |a: usize, b: usize| {
        if a == b {
            0.0
        } else {
            bin(a, b).map_or(0.0, |k| model[k])
        }
    };
    let number = labels.number() as usize;
    let mut of_shell = vec![0.0; number];
    (0..n).for_each(|row| of_shell[shell(row)] += weights.at(row));
    // <delta_a mean_j> and <mean_i mean_j>.
    let mut mixed = vec![vec![0.0; number]; n];
    let mut means = vec![vec![0.0; number]; number];
    for a in 0..n {
        for c in 0..n {
            mixed[a][shell(c)] += weights.at(c) * xi(a, c) / of_shell[shell(c)];
        }
        for j in 0..number {
            means[shell(a)][j] += weights.at(a) * mixed[a][j] / of_shell[shell(a)];
        }
    }
    let (mut sums, mut pairs) = (vec![0.0; 25], vec![0.0; 25]);
    for a in 0..n {
        for b in 0..a {
            let Some(k) = bin(a, b) else { continue };
            let w = weights.at(a) * weights.at(b);
            let (i, j) = (shell(a), shell(b));
            pairs[k] += w;
            sums[k] += w * (xi(a, b) - mixed[a][j] - mixed[b][i] + means[i][j]);
        }
    }
    sums.iter().zip(pairs).map(|(sum, w)| sum / w).collect()
}

#[test]
fn an_estimate_lacks_what_the_constraint_says() {
    let sample = randoms(700, 5);
    let radial = RadialConstraint::new(&by_shell(&sample), &model()).unwrap();
    let global = RadialConstraint::new(&by_shell(&randoms(700, 1)), &model()).unwrap();
    let (mut off, mut lacking, mut off_global) = (0.0, 0.0, 0.0);
    for (k, found) in expected(&sample).into_iter().enumerate() {
        let lacks = model()[k] - found;
        // Where there are pairs enough to average over.
        if k < 14 {
            off += (radial.values[k] - lacks).powi(2);
            off_global += (global.values[k] - lacks).powi(2);
            lacking += lacks * lacks;
        }
    }
    assert!(lacking > 0.0);
    // The approximation of the mixed terms; without shells it is farther off.
    assert!(off < 0.05 * lacking, "{off} of {lacking}");
    assert!(off_global > 2.0 * off, "{off_global} {off}");
}

#[test]
fn what_makes_no_constraint_is_refused() {
    let rr = by_shell(&randoms(200, 3));
    let refused =
        |rr: &Counts, model: &[f64]| RadialConstraint::new(rr, model).unwrap_err().to_string();
    let five = rr.by_class()[..5].iter().map(Counts::values).collect();
    let few = ShellPairs::new(five, 1.0).unwrap_err().to_string();
    assert!(few.contains("all pairs of shells, found 5 counts"));
    assert!(refused(&rr.whole(), &model()).contains("found 0 counts"));
    assert!(refused(&rr, &model()[..24]).contains("each of 25 bins, found 24"));
    let mut bad = model();
    bad[2] = f64::NAN;
    assert!(refused(&rr, &bad).contains("is NaN in bin 2"));
}
