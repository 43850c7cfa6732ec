//! Counts without the pairs that cuts hold: whole, in parts and by region, on every engine, merged, and what estimators make of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::counts::{Part, count_pairs, count_part, count_regions, excluded_pairs};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::{CountsError, EstimatorError};
use albireo::estimators::{AnalyticRr, Estimator, Term, TermCounts};
use albireo::particles::Groups;
use albireo::tally::Cut;
use albireo::{
    Axis, Bins, CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};
use random::Random;

fn sample(n: usize, seed: u64) -> Particles {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = random
        .points(n, 1.0)
        .iter()
        .map(|x| x.map(|x| x + 0.5))
        .collect();
    let weights = (0..n).map(|_| 0.5 + random.unit()).collect();
    let labels = (0..n).map(|k| (k % 3) as u32).collect();
    let groups = (0..n).map(|_| random.below(12) as u32).collect();
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    let sample = sample.labelled(Labels::new(labels, 3).unwrap()).unwrap();
    sample.grouped(Groups::new(groups)).unwrap()
}

/// Every kind of cut, alone and together; pairs are listed in both orders and twice.
fn cuts(los: LineOfSight) -> Vec<Vec<Cut>> {
    let list = (0..60u32).map(|k| [k % 37, (k * 7) % 41]);
    let list = Cut::listed(list.chain([[5, 3], [3, 5], [3, 5], [40, 0]]));
    let one = vec![
        Cut::theta(0.0, 9.0).unwrap(),
        Cut::rp(0.05, 0.2, los).unwrap(),
        Cut::SameGroup,
        list,
    ];
    let mut all: Vec<Vec<Cut>> = one.iter().map(|cut| vec![cut.clone()]).collect();
    all.push(one);
    all
}

fn what(bins: impl Into<Bins>, cuts: &[Cut]) -> CountSpec {
    let all = CountSpec::new(bins).with_weights().with_mean_separation();
    cuts.iter().cloned().fold(all, CountSpec::with_cut)
}

fn parts_make_the_whole(bins: impl Into<Bins>, los: LineOfSight) {
    let bins = &bins.into();
    let (first, second) = (sample(90, 1), sample(70, 2));
    for pairs in [Pairs::Auto(&first), Pairs::Cross(&first, &second)] {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let all = count_pairs(&Naive, &job, what(bins, &[]), &Silent).unwrap();
        for cuts in cuts(los) {
            let whole = count_pairs(&Naive, &job, what(bins, &cuts), &Silent).unwrap();
            assert_eq!(
                whole.total(),
                all.total(),
                "totals keep the pairs that cuts hold"
            );
            let left: u64 = whole.npairs().iter().sum();
            assert!(left > 0 && left < all.npairs().iter().sum(), "{cuts:?}");
            let vectors = Cpu::new().with_threads(2).unwrap();
            let found = count_pairs(&vectors, &job, what(bins, &cuts), &Silent).unwrap();
            assert_eq!(found, whole, "{cuts:?}");
            let part = |index| {
                let part = Part { index, of: 4 };
                count_part(&vectors, &job, part, what(bins, &cuts), &Silent).unwrap()
            };
            let mut merged = part(2);
            for index in [0, 3, 1] {
                merged.merge(&part(index)).unwrap();
            }
            assert_eq!(merged.npairs(), whole.npairs(), "{cuts:?}");
            assert_eq!(merged.weight(), whole.weight());
            assert_eq!(
                (merged.total(), merged.cuts()),
                (whole.total(), whole.cuts())
            );
        }
    }
}

#[test]
fn parts_of_counts_with_cuts_make_the_whole() {
    let r = Edges::linear(0.0, 0.6, 5).unwrap();
    parts_make_the_whole(RBins::new(r.clone()), LineOfSight::Midpoint);
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let bins = SMuBins::new(r.clone(), mu, LineOfSight::First).unwrap();
    parts_make_the_whole(&bins, LineOfSight::First);
    let pi = SignedEdges::linear(0.0, 0.6, 3).unwrap();
    let bins = RpPiBins::new(r, pi, LineOfSight::Midpoint).unwrap();
    parts_make_the_whole(&bins, LineOfSight::Fixed(Axis::X));
}

#[test]
fn regions_without_the_pairs_of_cuts() {
    let (data, other) = (sample(80, 3), sample(60, 4));
    let bins = RBins::new(Edges::linear(0.0, 0.6, 4).unwrap());
    let engine = Cpu::new();
    let prepare = |sample: &Particles| {
        engine
            .prepare(sample.clone(), &Domain::Open, &Silent)
            .unwrap()
    };
    let (first, second) = (prepare(&data), prepare(&other));
    // Rows that are left keep no numbers, so that lists are left out.
    for cuts in cuts(LineOfSight::Midpoint).into_iter().take(3) {
        for auto in [true, false] {
            let job = PreparedJob::new(&first, (!auto).then_some(&second)).unwrap();
            let (regions, _) = count_regions(&engine, &job, what(&bins, &cuts), &Silent).unwrap();
            let whole = count_pairs(&Naive, job.job(), what(&bins, &cuts), &Silent).unwrap();
            assert_eq!(regions.whole(), whole);
            for region in 0..3 {
                let rest = |sample: &Particles| without(sample, region);
                let (a, b) = (rest(&data), rest(&other));
                let pairs = if auto {
                    Pairs::Auto(&a)
                } else {
                    Pairs::Cross(&a, &b)
                };
                let job = PairJob::new(pairs, &Domain::Open).unwrap();
                let expected = count_pairs(&Naive, &job, what(&bins, &cuts), &Silent).unwrap();
                let found = regions.without(region as usize, 1.0);
                assert_eq!(found.npairs(), expected.npairs());
                assert_eq!(found.total().pairs, expected.total().pairs);
                assert_eq!(found.cuts(), cuts);
            }
        }
    }
}

/// The rows of a sample that are not in a region.
fn without(sample: &Particles, region: u32) -> Particles {
    let labels = sample.labels().unwrap().values();
    let kept: Vec<usize> = (0..sample.len()).filter(|&k| labels[k] != region).collect();
    let rows: Vec<_> = kept.iter().map(|&k| sample.points().at(k)).collect();
    let groups = sample.groups().unwrap().values();
    let groups = kept.iter().map(|&k| groups[k]).collect();
    let albireo::Weights::PerParticle(w) = sample.weights() else {
        panic!("weighted")
    };
    let weights = kept.iter().map(|&k| w.at(k)).collect();
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    sample.grouped(Groups::new(groups)).unwrap()
}

fn count(pairs: Pairs<'_>, bins: &RBins, cuts: &[Cut]) -> Counts {
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    count_pairs(&Cpu::new(), &job, what(bins, cuts), &Silent).unwrap()
}

#[test]
fn counts_of_other_pairs_do_not_merge_and_make_no_estimate() {
    let (data, randoms) = (sample(80, 5), sample(120, 6));
    let bins = RBins::new(Edges::linear(0.0, 0.6, 4).unwrap());
    let near = Cut::theta(0.0, 3.0).unwrap();
    let across = Cut::rp(0.0, 0.1, LineOfSight::Midpoint).unwrap();
    let both = [near.clone(), across.clone()];
    let swapped = [across.clone(), near.clone()];
    let mut dd = count(Pairs::Auto(&data), &bins, &both);
    let refusal = dd.merge(&count(
        Pairs::Auto(&randoms),
        &bins,
        std::slice::from_ref(&near),
    ));
    let CountsError::Setting {
        setting,
        left,
        right,
    } = refusal.unwrap_err()
    else {
        panic!("another refusal")
    };
    assert_eq!(setting, "the pairs that are dropped");
    assert_eq!(
        (left.as_str(), right.as_str()),
        (
            "cut theta 0 to 3 degrees and rp 0 to 0.1 across the line of sight midpoint",
            "cut theta 0 to 3 degrees"
        )
    );
    assert!(
        dd.clone()
            .merge(&count(Pairs::Auto(&randoms), &bins, &swapped))
            .is_ok()
    );
    let dr = count(Pairs::Cross(&data, &randoms), &bins, &swapped);
    let rr = count(Pairs::Auto(&randoms), &bins, &both);
    let estimate = |dd: &Counts, rr: &Counts| {
        let counts = [(Term::DD, dd), (Term::DR, &dr), (Term::RR, rr)];
        Estimator::LandySzalay.estimate(&TermCounts::new(counts, None))
    };
    assert!(estimate(&dd, &rr).is_ok());
    let other = count(Pairs::Auto(&randoms), &bins, &[across]);
    let error = estimate(&dd, &other).unwrap_err();
    assert!(matches!(error, EstimatorError::Cuts { .. }));
    assert_eq!(
        error.to_string(),
        "DD and RR must be made with the same cuts: DD: cut theta 0 to 3 degrees and rp 0 to 0.1 across the line of sight midpoint, RR: cut rp 0 to 0.1 across the line of sight midpoint"
    );
    // The data alone say who belongs to whom.
    let grouped = [&both[..], &[Cut::SameGroup]].concat();
    assert!(estimate(&count(Pairs::Auto(&data), &bins, &grouped), &rr).is_ok());
    dd = dd.with_cuts(vec![]);
    assert!(estimate(&dd, &rr).is_err());
}

#[test]
fn the_two_halo_term_is_over_all_random_pairs() {
    let domain = Domain::Periodic(PeriodicBox::cubic(2.0).unwrap());
    let data = sample(80, 7);
    let bins = RBins::new(Edges::linear(0.0, 0.6, 4).unwrap());
    let rr = AnalyticRr::with_cuts(&bins, &domain, &[Cut::SameGroup]).unwrap();
    assert_eq!(rr, AnalyticRr::new(&bins, &domain).unwrap());
    let job = PairJob::new(Pairs::Auto(&data), &domain).unwrap();
    let dd = count_pairs(&Naive, &job, what(&bins, &[Cut::SameGroup]), &Silent).unwrap();
    let expected = dd.normalised()[2] / rr.fractions()[2] - 1.0;
    let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
    let xi = Estimator::Natural.estimate(&counts).unwrap();
    assert_eq!(xi.xi[2], expected);
}

#[test]
fn an_ideal_gas_keeps_its_g_with_exclusions() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let bins = RBins::new(Edges::linear(0.0, 0.5, 4).unwrap());
    let space = Space::of_volume(1.0).unwrap();
    let gas = |n, seed| {
        let points = albireo::random::in_box(n, seed, [1.0; 3]).unwrap();
        Particles::new(points)
            .grouped(Groups::new((0..n as u32).map(|k| k / 150).collect()))
            .unwrap()
    };
    let (one, two) = (gas(600, 1), gas(450, 2));
    let bonds = Cut::listed((0..100u32).flat_map(|k| [[k, 599 - k], [599 - k, k], [k, k]]));
    let across_groups = Cut::listed((0..400u32).map(|k| [k, k]));
    let cases = [
        (Pairs::Auto(&one), vec![Cut::SameGroup], 4 * (150 * 149 / 2)),
        (Pairs::Auto(&one), vec![bonds.clone()], 100),
        (
            Pairs::Auto(&one),
            vec![bonds, Cut::SameGroup],
            4 * (150 * 149 / 2) + 100,
        ),
        (
            Pairs::Cross(&one, &two),
            vec![Cut::SameGroup],
            3 * 150 * 150,
        ),
        (Pairs::Cross(&one, &two), vec![across_groups], 400),
    ];
    for (pairs, cuts, excluded) in cases {
        assert_eq!(excluded_pairs(pairs, &cuts), excluded);
        let job = PairJob::new(pairs, &domain).unwrap();
        let what = cuts
            .iter()
            .cloned()
            .fold(CountSpec::new(&bins), CountSpec::with_cut);
        let counts = count_pairs(&Cpu::new(), &job, what, &Silent).unwrap();
        let (species, pair, particles) = match pairs {
            Pairs::Auto(_) => (Species::within(1), [0, 0], &[600][..]),
            Pairs::Cross(..) => (Species::between(1, 1), [0, 1], &[600, 450][..]),
        };
        let frame = Frame {
            counts: &[counts],
            particles,
            excluded: &[excluded],
            space: &space,
            weight: 1.0,
        };
        let mut partials = Partials::new(&bins, species).unwrap();
        let plain = Frame {
            excluded: &[],
            ..frame
        };
        let plain = partials.add_frame(&plain).unwrap_err().to_string();
        assert!(
            plain.contains("needs the number of pairs that it excludes"),
            "{plain}"
        );
        frame.check_candidates().unwrap();
        partials.add_frame(&frame).unwrap();
        let ideal = partials.ideal_pairs(pair, Normalisation::Pairs).unwrap();
        let shells: f64 = ideal.iter().sum();
        let share = 4.0 / 3.0 * std::f64::consts::PI / 8.0;
        assert!((shells / share - (job_pairs(pairs) - excluded) as f64).abs() < 1e-6);
        let g = partials.g(pair, Normalisation::Pairs).unwrap();
        for (g, error) in g.iter().zip(partials.poisson_error(pair).unwrap()) {
            assert!((g - 1.0).abs() < 5.0 * error, "{g} {error}");
        }
    }
}

#[test]
fn frames_without_a_candidate_are_refused() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let bins = RBins::new(Edges::linear(0.0, 0.5, 4).unwrap());
    let space = Space::of_volume(1.0).unwrap();
    let one = Particles::new(albireo::random::in_box(600, 1, [1.0; 3]).unwrap());
    let counted = |sample: &Particles, cuts: &[Cut]| {
        let job = PairJob::new(Pairs::Auto(sample), &domain).unwrap();
        count_pairs(&Cpu::new(), &job, what(&bins, cuts), &Silent).unwrap()
    };
    let all = [Cut::SameGroup];
    let one_group = one.clone().grouped(Groups::new(vec![1; 600])).unwrap();
    let excluded = excluded_pairs(Pairs::Auto(&one_group), &all);
    let frame = Frame {
        counts: &[counted(&one_group, &all)],
        particles: &[600],
        excluded: &[excluded],
        space: &space,
        weight: 1.0,
    };
    assert_eq!(
        frame.check_candidates().unwrap_err().to_string(),
        "g(r) needs pairs that are not excluded: all 179700 of the frame are"
    );
    let lone = Particles::new(albireo::random::in_box(1, 1, [1.0; 3]).unwrap());
    let none = Frame {
        counts: &[counted(&lone, &[])],
        particles: &[1],
        excluded: &[],
        ..frame
    };
    assert_eq!(
        none.check_candidates(),
        Err(EstimatorError::EmptyTotal("the frame"))
    );
    let cut = Cut::rp(0.0, 0.1, LineOfSight::Fixed(Axis::Z)).unwrap();
    let cut = Frame {
        counts: &[counted(&one_group, &[cut])],
        excluded: &[0],
        ..frame
    };
    let mut partials = Partials::new(&bins, Species::within(1)).unwrap();
    assert_eq!(
        partials.add_frame(&cut).unwrap_err().to_string(),
        "g(r) has no meaning with a cut in rp"
    );
}

fn job_pairs(pairs: Pairs<'_>) -> u64 {
    match pairs {
        Pairs::Auto(sample) => (sample.len() * (sample.len() - 1) / 2) as u64,
        Pairs::Cross(a, b) => (a.len() * b.len()) as u64,
    }
}
