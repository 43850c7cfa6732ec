//! Estimators on samples whose correlation function is known.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{JobId, PairKind, PairTotal, count_pairs};
use albireo::engine::Silent;
use albireo::error::EstimatorError;
use albireo::estimators::{AnalyticRr, Term, TermCounts, multipoles, projected};
use albireo::random::{Stream, in_box, in_domain, in_shell};
use albireo::{
    Axis, Bins, Correlation, CountSpec, Counts, Domain, Edges, Estimator, Lattice, LineOfSight,
    Naive, PairJob, Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species, error_of_frames};

fn count(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    count_pairs(&Naive, &job, CountSpec::for_pairs(bins, pairs), &Silent).unwrap()
}

/// The natural estimator of a count in a box.
fn natural(dd: &Counts, domain: &Domain) -> Correlation {
    let rr = AnalyticRr::new(dd.binning(), domain).unwrap();
    let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
    Estimator::Natural.estimate(&counts).unwrap()
}

fn r_bins(lo: f64, hi: f64, n: usize) -> RBins {
    RBins::new(Edges::linear(lo, hi, n).unwrap())
}

fn cube(length: f64) -> Domain {
    Domain::Periodic(PeriodicBox::cubic(length).unwrap())
}

fn assert_within(values: &[f64], errors: &[f64], expected: f64) {
    for (k, (v, e)) in values.iter().zip(errors).enumerate() {
        assert!(
            (v - expected).abs() < 4.5 * e,
            "bin {k}: {v} +- {e}, expected {expected}"
        );
    }
}

#[test]
fn uniform_points_in_a_shell_are_uncorrelated() {
    let data = Particles::new(in_shell(1500, 1, 0.5, 1.0).unwrap());
    let randoms = Particles::new(in_shell(4000, 2, 0.5, 1.0).unwrap());
    let bins = r_bins(0.1, 0.6, 5);
    let count = |pairs| count(pairs, &Domain::Open, &bins);
    let counts = [
        (Term::DD, count(Pairs::Auto(&data))),
        (Term::DR, count(Pairs::Cross(&data, &randoms))),
        (Term::RR, count(Pairs::Auto(&randoms))),
    ];
    let counts = TermCounts::new(counts, None);
    let landy_szalay = Estimator::LandySzalay.estimate(&counts).unwrap();
    assert_within(&landy_szalay.xi, &landy_szalay.error, 0.0);
    let hamilton = Estimator::Hamilton.estimate(&counts).unwrap();
    let davis_peebles = Estimator::DavisPeebles.estimate(&counts).unwrap();
    for other in [&hamilton, &davis_peebles] {
        for (a, b) in other.xi.iter().zip(&landy_szalay.xi) {
            assert!((a - b).abs() < 0.05, "estimators agree on a large sample");
        }
    }
    let other_randoms = Particles::new(in_shell(3000, 4, 0.5, 1.0).unwrap());
    let counts = [
        (Term::D1D2, count(Pairs::Cross(&data, &other_randoms))),
        (Term::D1R2, count(Pairs::Cross(&data, &randoms))),
        (Term::R1D2, count(Pairs::Cross(&randoms, &other_randoms))),
        (Term::R1R2, count(Pairs::Auto(&randoms))),
    ];
    let cross = Estimator::LandySzalayCross.estimate(&TermCounts::new(counts, None));
    let cross = cross.unwrap();
    assert_within(&cross.xi, &cross.error, 0.0);
}

/// Randoms counted in a box against the volumes of the bins.
fn assert_analytic(domain: &Domain, bins: impl Into<Bins>) {
    let bins = &bins.into();
    let randoms = Particles::new(in_domain(1000, 7, domain).unwrap());
    let rr = count(Pairs::Auto(&randoms), domain, bins);
    let analytic = AnalyticRr::new(bins, domain).unwrap();
    let expected = analytic.expected(&rr.total(), false);
    let mut chi2 = 0.0;
    for (&n, expected) in rr.npairs().iter().zip(&expected) {
        assert!(*expected > 50.0, "the bins are wide enough to tell");
        chi2 += (n as f64 - expected).powi(2) / expected;
    }
    let bins = expected.len() as f64;
    // Both orders in a count double its variance at most.
    assert!(
        chi2 < 2.0 * bins + 12.0 * bins.sqrt(),
        "chi2 = {chi2} for {bins} bins"
    );
}

#[test]
fn analytic_random_pairs_match_counted_ones() {
    let slab = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.2), Some(0.8)]).unwrap());
    let sheared = [[1.0, 0.0, 0.0], [0.4, 0.9, 0.0], [-0.3, 0.2, 1.1]];
    let sheared = Domain::Triclinic(Lattice::new(sheared).unwrap());
    for domain in [&slab, &sheared] {
        let reach = domain.reach();
        assert_analytic(domain, r_bins(0.1, reach, 6));
        for axis in Axis::ALL {
            let los = LineOfSight::Fixed(axis);
            for mu in [[0.0, 0.3, 1.0], [-1.0, -0.2, 1.0]] {
                let s = Edges::linear(0.1, reach, 3).unwrap();
                let mu = SignedEdges::new(mu.to_vec()).unwrap();
                assert_analytic(domain, SMuBins::new(s, mu, los).unwrap());
            }
            for pi in [[0.0, 0.1, 0.25], [-0.2, 0.1, 0.25]] {
                let rp = Edges::linear(0.05, 0.3, 3).unwrap();
                let pi = SignedEdges::new(pi.to_vec()).unwrap();
                assert_analytic(domain, RpPiBins::new(rp, pi, los).unwrap());
            }
        }
    }
}

/// Pairs of points a given vector apart, at random places.
fn planted(n: usize, apart: [f64; 3], length: f64) -> Particles {
    let seeds = in_box(n, 3, [length; 3]).unwrap();
    let rows: Vec<[f64; 3]> = (0..n)
        .flat_map(|row| {
            let x = seeds.at(row);
            let partner = std::array::from_fn(|k| (x[k] + apart[k]).rem_euclid(length));
            [x, partner]
        })
        .collect();
    Particles::new(Points::from_rows(&rows).unwrap())
}

#[test]
fn planted_pairs_are_found_where_they_are() {
    let (domain, n) = (cube(1.0), 800);
    let sample = planted(n, [0.0, 0.0, 0.15], 1.0);
    let bins = RBins::new(Edges::new(vec![0.0, 0.145, 0.155, 0.3, 0.4, 0.5]).unwrap());
    let dd = count(Pairs::Auto(&sample), &domain, &bins);
    let xi = natural(&dd, &domain);
    let rr = AnalyticRr::new(&bins, &domain).unwrap();
    let ideal = rr.expected(&dd.total(), false);
    let excess = n as f64 / ideal[1];
    assert!((xi.xi[1] - excess).abs() < 4.5 * xi.error[1]);
    assert!(
        xi.xi[1] > 8.0 * xi.error[1],
        "the signal is well above the noise"
    );
    assert_within(&xi.xi[2..], &xi.error[2..], 0.0);

    // All of the excess lies along z: mu = 1, so its multipoles are (2l+1) times the monopole.
    let s = Edges::linear(0.145, 0.155, 1).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 50).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap();
    let dd = count(Pairs::Auto(&sample), &domain, &bins);
    let poles = multipoles(&natural(&dd, &domain), &[0, 2, 4]).unwrap();
    for (pole, times) in poles.poles.iter().zip([1.0, 5.0, 9.0]) {
        let missed = (pole.xi[0] - times * excess).abs();
        assert!(
            missed < 4.5 * pole.error[0] + 0.1 * times * excess,
            "l = {}",
            pole.ell
        );
    }

    // And in (rp, pi) it has rp = 0.
    let rp = Edges::linear(0.0, 0.4, 4).unwrap();
    let pi = SignedEdges::linear(0.0, 0.4, 4).unwrap();
    let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap();
    let dd = count(Pairs::Auto(&sample), &domain, &bins);
    let wp = projected(&natural(&dd, &domain)).unwrap();
    let total = dd.total().pairs as f64;
    let planted_wp = 2.0 * n as f64 / total / (std::f64::consts::PI * 0.01 * 2.0);
    assert!((wp.wp[0] - planted_wp).abs() < 4.5 * wp.error[0]);
    assert_within(&wp.wp[1..], &wp.error[1..], 0.0);
}

/// The pairs of one sample.
const LIKE: [usize; 2] = [0, 0];
/// The pairs of two samples.
const UNLIKE: [usize; 2] = [0, 1];

fn of_like(bins: &RBins) -> Partials {
    Partials::new(bins, Species::within(1)).unwrap()
}

fn of_unlike(bins: &RBins) -> Partials {
    Partials::new(bins, Species::between(1, 1)).unwrap()
}

/// Adds a frame of so many particles of each sample.
fn add(
    partials: &mut Partials,
    counts: &Counts,
    volume: f64,
    particles: &[u64],
) -> Result<(), EstimatorError> {
    partials.add_frame(&Frame {
        counts: std::slice::from_ref(counts),
        particles,
        excluded: &[],
        space: &Space::of_volume(volume)?,
        weight: 1.0,
    })
}

fn g(partials: &Partials, pair: [usize; 2]) -> Vec<f64> {
    partials.g(pair, Normalisation::Pairs).unwrap()
}

fn n(partials: &Partials, pair: [usize; 2]) -> Vec<f64> {
    partials.coordination(pair).unwrap()
}

fn scatter(frames: &[Partials], pair: [usize; 2]) -> Option<Vec<f64>> {
    error_of_frames(frames, pair, Normalisation::Pairs).unwrap()
}

#[test]
fn an_ideal_gas_has_g_of_one_in_any_volume() {
    let bins = r_bins(0.0, 0.4, 8);
    let (mut like, mut unlike) = (of_like(&bins), of_unlike(&bins));
    let (mut like_frames, mut unlike_frames) = (vec![], vec![]);
    for frame in 0..20u64 {
        // Numbers of particles and volumes that change from frame to frame.
        let length = 0.8 + 0.05 * frame as f64;
        let (na, nb) = (150 + 10 * frame, 300);
        let a = Particles::new(in_box(na as usize, 2 * frame, [length; 3]).unwrap());
        let b = Particles::new(in_box(nb as usize, 2 * frame + 1, [length; 3]).unwrap());
        let (domain, volume) = (cube(length), length * length * length);
        let auto = count(Pairs::Auto(&a), &domain, &bins);
        let mut alone = of_like(&bins);
        add(&mut alone, &auto, volume, &[na]).unwrap();
        like.merge(&alone).unwrap();
        like_frames.push(alone);
        let cross = count(Pairs::Cross(&a, &b), &domain, &bins);
        let mut alone = of_unlike(&bins);
        add(&mut alone, &cross, volume, &[na, nb]).unwrap();
        unlike.merge(&alone).unwrap();
        unlike_frames.push(alone);
    }
    for (partials, frames, pair) in [(&like, like_frames, LIKE), (&unlike, unlike_frames, UNLIKE)] {
        let poisson = partials.poisson_error(pair).unwrap();
        assert_within(&g(partials, pair), &poisson, 1.0);
        let spread = scatter(&frames, pair).unwrap();
        for (a, b) in spread.iter().zip(poisson).skip(2) {
            assert!(
                a / b > 0.5 && a / b < 2.0,
                "frames scatter as Poisson says: {a} {b}"
            );
        }
    }
}

fn cubic_lattice(n: u32) -> Particles {
    let rows = (0..n * n * n).map(|k| [k % n, k / n % n, k / (n * n)].map(f64::from));
    Particles::new(Points::from_rows(&rows.collect::<Vec<_>>()).unwrap())
}

#[test]
fn a_lattice_has_its_neighbours() {
    let lattice = cubic_lattice(6);
    let bins = RBins::new(Edges::new(vec![0.5, 1.1, 1.5, 1.8]).unwrap());
    let domain = cube(6.0);
    let mut like = of_like(&bins);
    let auto = count(Pairs::Auto(&lattice), &domain, &bins);
    add(&mut like, &auto, 216.0, &[216]).unwrap();
    assert_eq!(n(&like, LIKE), [6.0, 18.0, 26.0]);
    // 6 neighbours in a shell where (N-1)/V * shell would be expected.
    let shell = 4.0 / 3.0 * std::f64::consts::PI * (1.1f64.powi(3) - 0.5f64.powi(3));
    assert!((g(&like, LIKE)[0] - 6.0 / (215.0 / 216.0 * shell)).abs() < 1e-12);
    let mut unlike = of_unlike(&bins);
    let one = Particles::new(Points::from_rows(&[[0.5; 3]]).unwrap());
    let around = count(Pairs::Cross(&one, &lattice), &domain, &bins);
    add(&mut unlike, &around, 216.0, &[1, 216]).unwrap();
    assert_eq!(
        n(&unlike, UNLIKE),
        [8.0, 8.0, 32.0],
        "corners of the cell, then the next 24"
    );
}

#[test]
fn frames_are_pooled_not_averaged() {
    let bins = r_bins(0.0, 1.0, 1);
    let frames = [(10u64, 8.0), (40, 27.0), (20, 64.0)];
    let mut partials = of_like(&bins);
    let (mut pairs_in, mut ideal, mut mean) = (0.0, 0.0, 0.0);
    for (seed, (n, volume)) in frames.into_iter().enumerate() {
        let length = f64::cbrt(volume);
        let gas = Particles::new(in_box(n as usize, seed as u64, [length; 3]).unwrap());
        let auto = count(Pairs::Auto(&gas), &cube(length), &bins);
        add(&mut partials, &auto, volume, &[n]).unwrap();
        let shell = 4.0 / 3.0 * std::f64::consts::PI;
        let expected = (n * (n - 1) / 2) as f64 / volume * shell;
        pairs_in += auto.npairs()[0] as f64;
        ideal += expected;
        mean += auto.npairs()[0] as f64 / expected / 3.0;
    }
    assert!((g(&partials, LIKE)[0] - pairs_in / ideal).abs() < 1e-14);
    assert!(
        (g(&partials, LIKE)[0] - mean).abs() > 1e-3,
        "the mean of the frames' g is another number"
    );
    assert_eq!(n(&partials, LIKE), [2.0 * pairs_in / 70.0]);
}

#[test]
fn frames_merge_in_any_order_to_the_same_bits() {
    let bins = r_bins(0.0, 0.5, 10);
    let one = |frame: u64| {
        let length = 1.0 + Stream::new(5).uniform(frame);
        let gas = Particles::new(in_box(60, frame, [length; 3]).unwrap());
        let auto = count(Pairs::Auto(&gas), &cube(length), &bins);
        let mut alone = of_like(&bins);
        add(&mut alone, &auto, length * length * length, &[60]).unwrap();
        alone
    };
    let frames: Vec<Partials> = (0..12).map(one).collect();
    let pool = |order: &[usize]| {
        let mut all = of_like(&bins);
        for &k in order {
            all.merge(&frames[k]).unwrap();
        }
        all
    };
    let forward = pool(&(0..12).collect::<Vec<_>>());
    let backward = pool(&(0..12).rev().collect::<Vec<_>>());
    let mut halves = pool(&[3, 7, 1, 0]);
    halves.merge(&pool(&[2, 4, 5, 6, 8, 9, 10, 11])).unwrap();
    for other in [&backward, &halves] {
        assert_eq!(g(&forward, LIKE), g(other, LIKE));
        assert_eq!(forward.npairs(LIKE), other.npairs(LIKE));
        assert_eq!(n(&forward, LIKE), n(other, LIKE));
        assert_eq!(other.frames(), 12);
    }
    let mut turned = frames.clone();
    turned.reverse();
    turned.swap(3, 8);
    assert_eq!(scatter(&frames, LIKE), scatter(&turned, LIKE));
}

#[test]
fn the_scatter_of_frames_is_its_formula() {
    // g of 4, 8 and 9 times the same: mean 7, spread 9 + 1 + 4 over 3 * 2.
    let bins = r_bins(0.0, 0.5, 1);
    let frames = [4u64, 8, 9].map(|pairs| {
        let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
        let counts = Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(pairs));
        let mut alone = of_like(&bins);
        add(&mut alone, &counts.unwrap(), 1.0, &[10]).unwrap();
        alone
    });
    let unit = g(&frames[0], LIKE)[0] / 4.0;
    let error = scatter(&frames, LIKE).unwrap();
    assert!((error[0] / unit - f64::sqrt(14.0 / 6.0)).abs() < 1e-14);
    let alike = [&frames[0], &frames[0], &frames[0], &frames[0]].map(Clone::clone);
    assert!(scatter(&alike, LIKE).unwrap()[0] <= 1e-7 * unit);
    assert!(scatter(&frames[..1], LIKE).is_none());
    assert!(error_of_frames(&frames, UNLIKE, Normalisation::Pairs).is_err());
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let bins = r_bins(0.0, 0.5, 2);
    let gas = Particles::new(in_box(10, 1, [1.0; 3]).unwrap());
    let auto = count(Pairs::Auto(&gas), &cube(1.0), &bins);
    let mut like = of_like(&bins);
    assert!(g(&like, LIKE)[0].is_nan());
    for (volume, particles) in [
        (0.0, 10),
        (-1.0, 10),
        (f64::NAN, 10),
        (f64::INFINITY, 10),
        (1.0, 9),
    ] {
        assert!(add(&mut like, &auto, volume, &[particles]).is_err());
    }
    assert_eq!((like.frames(), like.npairs(LIKE)), (0, Ok(&[0, 0][..])));
    add(&mut like, &auto, 1.0, &[10]).unwrap();
    let cross = count(Pairs::Cross(&gas, &gas), &cube(1.0), &bins);
    assert!(
        add(&mut like, &cross, 1.0, &[10]).is_err(),
        "like after unlike species"
    );
    let twice = PairTotal::unweighted(PairKind::AutoOrdered, 90);
    let twice = Counts::from_parts(bins.clone(), vec![2, 4], None, twice, JobId(1)).unwrap();
    assert!(
        add(&mut like, &twice, 1.0, &[10]).is_err(),
        "both orders of pairs"
    );
    let mut unlike = of_unlike(&bins);
    assert!(add(&mut unlike, &cross, 1.0, &[7, 10]).is_err());
    add(&mut unlike, &cross, 1.0, &[10, 10]).unwrap();
    assert!(like.merge(&unlike).is_err());
    assert!(like.merge(&of_like(&r_bins(0.0, 0.4, 2))).is_err());
    assert_eq!(like.frames(), 1);
}
