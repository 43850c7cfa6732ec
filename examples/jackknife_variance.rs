//! Variances from a jackknife over their true value: mean over seeded, clustered mocks of a survey, by separation, as CSV.
//!
//! `cargo run --release --example jackknife_variance [MOCKS]`; `notebooks/jackknife_variance.py` draws what it prints.
#![allow(clippy::print_stdout, reason = "an example prints")]

use albireo::counts::count_regions;
use albireo::engine::{Cpu, Prepared, PreparedJob, Silent};
use albireo::estimators::{Covariance, Estimation, Estimator, Jackknife, Role, Term};
use albireo::random::{Stream, in_box};
use albireo::{Counts, Domain, Edges, Engine, Error, Labels, Pairs, Particles, Points, RBins};

/// Regions along each axis of the unit cube.
const ACROSS: u32 = 3;

/// A Poisson number of clumps of 1 to 9 points, uniform in balls of radius 0.04; what lies outside the unit cube is not observed.
fn mock(seed: u64) -> Vec<[f64; 3]> {
    let stream = Stream::new(seed);
    let mut rows = Vec::new();
    let mut index = 0;
    let mut uniform = || {
        index += 1;
        stream.uniform(index)
    };
    // As many clumps as events of unit rate, in a volume that reaches a radius beyond the cube.
    let (side, mut time) = (1.08_f64, 0.0);
    loop {
        time -= (1.0 - uniform()).ln();
        if time > 300.0 * side.powi(3) {
            return rows;
        }
        let centre = [0; 3].map(|_| side * uniform() - 0.04);
        let members = 1 + (uniform() * 9.0) as usize;
        let mut inside = 0;
        while inside < members {
            let off = [0; 3].map(|_| 2.0 * uniform() - 1.0);
            if off.iter().map(|c| c * c).sum::<f64>() < 1.0 {
                inside += 1;
                let at: [f64; 3] = std::array::from_fn(|k| centre[k] + 0.04 * off[k]);
                if at.iter().all(|x| (0.0..1.0).contains(x)) {
                    rows.push(at);
                }
            }
        }
    }
}

/// The points with the cell that each lies in as its region.
fn labelled(points: Points) -> Result<Particles, Error> {
    let cell = |row: usize| {
        let [x, y, z] = points.at(row).map(|x| (x * f64::from(ACROSS)) as u32);
        (z * ACROSS + y) * ACROSS + x
    };
    let labels = Labels::new((0..points.len()).map(cell).collect(), ACROSS.pow(3))?;
    Ok(Particles::new(points).labelled(labels)?)
}

fn main() -> Result<(), Error> {
    let mocks = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let mocks: u64 = mocks.unwrap_or(200);
    let domain = Domain::Open;
    let bins = RBins::new(Edges::logarithmic(0.01, 0.12, 6)?);
    let engine = Cpu::new();
    let randoms = labelled(in_box(12_000, 99, [1.0; 3])?)?;
    let ready = engine.prepare(randoms.clone(), &domain, &Silent)?;
    let mut rr: Option<Counts> = None;
    let mut estimates = Vec::new();
    let mut variances = Jackknife::ALL.map(|_| Vec::new());
    for seed in 0..mocks {
        let data = labelled(Points::from_rows(&mock(seed))?)?;
        let prepared: Prepared = engine.prepare(data.clone(), &domain, &Silent)?;
        let sample = |role| match role {
            Role::Data => Some(&data),
            Role::Randoms => Some(&randoms),
            _ => None,
        };
        let estimation = Estimation::new(Estimator::LandySzalay, &bins, &domain, sample)?;
        let counts = estimation.run_by_region(None, |term: Term, pairs: Pairs<'_>| {
            if let (true, Some(counted)) = (term.is_random(), &rr) {
                return Ok::<_, Error>(counted.clone());
            }
            let job = match (term.is_random(), pairs) {
                (true, _) => PreparedJob::auto(&ready),
                (_, Pairs::Auto(_)) => PreparedJob::auto(&prepared),
                (_, Pairs::Cross(..)) => PreparedJob::cross(&prepared, &ready)?,
            };
            let counted = count_regions(&engine, &job, &bins, &Silent)?.0;
            if term.is_random() {
                rr = Some(counted.clone());
            }
            Ok(counted)
        })?;
        estimates.push(counts.estimate()?.xi);
        for (variances, kind) in variances.iter_mut().zip(Jackknife::ALL) {
            let rows = counts.jackknife(kind).map(|xi| xi.map(|xi| xi.xi));
            let covariance = Covariance::jackknife(&rows.collect::<Result<Vec<_>, _>>()?)?;
            variances.push(covariance.matrix().diag().to_vec());
        }
    }
    let scatter = Covariance::of_realisations(&estimates)?.errors();
    let means = variances
        .iter()
        .map(|rows| Covariance::of_realisations(rows));
    let means = means.collect::<Result<Vec<_>, _>>()?;
    println!(
        "r_lo,r_hi,xi,scatter,standard,mohammad_percival,mohammad_percival_pairs,error_of_ratio"
    );
    let xi = Covariance::of_realisations(&estimates)?;
    let edges = bins.edges().values();
    for (k, error) in scatter.iter().enumerate() {
        let ratio = |kind: usize| means[kind].mean()[k] / (error * error);
        let [standard, corrected, pairs] = [0, 1, 2].map(ratio);
        // The scatter itself is known to sqrt(2/n) of its square.
        let known = (2.0 / mocks as f64).sqrt();
        let (lo, hi, mean) = (edges[k], edges[k + 1], xi.mean()[k]);
        println!("{lo},{hi},{mean},{error},{standard},{corrected},{pairs},{known}");
    }
    Ok(())
}
