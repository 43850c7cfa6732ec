//! Jackknife variances against the scatter of an ensemble of clustered mocks, from which they are independent.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::count_regions;
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::estimators::{Covariance, Estimation, Estimator, Jackknife, Role};
use albireo::random::Stream;
use albireo::regions::{Cells, Regions};
use albireo::{Domain, Edges, Engine, Error, Outside, Particles, PeriodicBox, Points, RBins};

const MOCKS: u64 = 300;

/// A Poisson number of clumps of 1 to 9 points in the periodic unit cube: a Neyman-Scott process with uniform balls of radius 0.04.
fn mock(seed: u64, domain: &Domain) -> Particles {
    let stream = Stream::new(seed);
    let mut rows = Vec::new();
    let mut index = 0;
    let mut uniform = || {
        index += 1;
        stream.uniform(index)
    };
    // As many clumps as events of unit rate in a time of 300.
    let mut time = 0.0;
    loop {
        time -= (1.0 - uniform()).ln();
        if time > 300.0 {
            break;
        }
        let centre = [0; 3].map(|_| uniform());
        let members = 1 + (uniform() * 9.0) as usize;
        let mut inside = 0;
        while inside < members {
            let off = [0; 3].map(|_| 2.0 * uniform() - 1.0);
            if off.iter().map(|c| c * c).sum::<f64>() < 1.0 {
                rows.push(std::array::from_fn(|k| centre[k] + 0.04 * off[k]));
                inside += 1;
            }
        }
    }
    let points = Points::from_rows(&rows).unwrap();
    domain.place(Particles::new(points), Outside::Wrap).unwrap()
}

#[test]
fn jackknife_variances_are_those_of_mocks() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let cells = Cells::new(&domain, [3; 3]).unwrap();
    let bins = RBins::new(Edges::logarithmic(0.005, 0.08, 4).unwrap());
    let engine = Cpu::new().with_threads(1).unwrap();
    let mut estimates = Vec::new();
    let mut variances = Vec::new();
    for seed in 0..MOCKS {
        let data = cells.label(mock(seed, &domain)).unwrap();
        let prepared = engine.prepare(data.clone(), &domain, &Silent).unwrap();
        let sample = |role| (role == Role::Data).then_some(&data);
        let estimation = Estimation::new(Estimator::Natural, &bins, &domain, sample).unwrap();
        let counts = estimation.run_by_region(Some(&cells), |_, _| {
            let job = PreparedJob::auto(&prepared);
            let counted = count_regions(&engine, &job, &bins, &Silent);
            Ok::<_, Error>(counted?.0)
        });
        let counts = counts.unwrap();
        estimates.push(counts.estimate().unwrap().xi);
        let realisations = counts.jackknife(Jackknife::Standard);
        let rows: Vec<Vec<f64>> = realisations.map(|xi| xi.unwrap().xi).collect();
        let covariance = Covariance::jackknife(&rows).unwrap();
        variances.push(covariance.matrix().diag().to_vec());
    }
    let scatter = Covariance::of_realisations(&estimates).unwrap();
    let mean = Covariance::of_realisations(&variances).unwrap();
    let ratios = mean.mean().iter().zip(scatter.errors());
    let ratios: Vec<f64> = ratios
        .map(|(variance, error)| variance / (error * error))
        .collect();
    let all = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!((all - 1.0).abs() < 0.2, "{ratios:?}");
}
