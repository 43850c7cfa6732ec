//! Cuts: what is left is the double loop over the pairs that no cut holds, on every engine, and by the rule written out here once more.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::engine::{Cpu, Isa, Silent};
use albireo::error::{EngineError, JobError};
use albireo::particles::Groups;
use albireo::tally::{Classes, CountSpec, Cut, Sum, Tally};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use random::Random;

#[path = "cuts/excluded.rs"]
mod excluded;

/// Weighted, labelled and grouped particles in a unit cube at `corner`; a third of them on a lattice, some on one line of sight.
fn sample(n: usize, corner: f64, seed: u64) -> Particles {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|k| {
            let x = [0; 3].map(|_| random.unit());
            match k % 6 {
                0 | 1 => x.map(|x| corner + (x * 16.0).floor() / 16.0),
                // One line of sight.
                2 => [1.0, 1.25, 1.5].map(|c| (corner + 0.5 * x[0]) * c * 0.5),
                _ => x.map(|x| corner + x),
            }
        })
        .collect();
    let weights = (0..n).map(|_| 3.0 * random.unit() - 0.5).collect();
    let particles = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    let labels = (0..n).map(|_| (random.next() % 3) as u32).collect();
    let groups = (0..n).map(|_| (random.next() % 40) as u32 * 1000).collect();
    let particles = particles.labelled(Labels::new(labels, 3).unwrap()).unwrap();
    particles.grouped(Groups::new(groups)).unwrap()
}

/// Whether the first of two cuts holds a pair, written out from the contract.
fn is_cut(
    cut: &Cut,
    auto: bool,
    groups: [u32; 2],
    rows: [u32; 2],
    sep: &albireo::Separation,
) -> bool {
    match cut {
        Cut::Theta(bins) => {
            let unit = |x: [f64; 3]| {
                let norm = ((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]).sqrt();
                x.map(|x| x / norm)
            };
            let (a, b) = (unit(sep.x1), unit(sep.x2));
            let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            let chord2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            let [lo, hi] = [0, 1].map(|k| bins.edges().values()[k]);
            let chord = |t: f64| 2.0 * libm::sin((t / 2.0) * (std::f64::consts::PI / 180.0));
            chord(lo) * chord(lo) <= chord2 && (hi == 180.0 || chord2 < chord(hi) * chord(hi))
        }
        Cut::Rp { rp, los } => {
            let (x1, x2, d) = (sep.x1, sep.x2, sep.d);
            let l = match los {
                LineOfSight::Midpoint => [x1[0] + x2[0], x1[1] + x2[1], x1[2] + x2[2]],
                LineOfSight::First => x1,
                LineOfSight::End => x2,
                LineOfSight::Fixed(_) => [0.0; 3],
            };
            let dl = (d[0] * l[0] + d[1] * l[1]) + d[2] * l[2];
            let l2 = (l[0] * l[0] + l[1] * l[1]) + l[2] * l[2];
            let rp2 = match los {
                LineOfSight::Fixed(Axis::X) => d[1] * d[1] + d[2] * d[2],
                LineOfSight::Fixed(Axis::Y) => d[0] * d[0] + d[2] * d[2],
                LineOfSight::Fixed(Axis::Z) => d[0] * d[0] + d[1] * d[1],
                _ if sep.r2 == 0.0 || l2 == 0.0 => sep.r2,
                _ => (sep.r2 - (dl * dl) / l2).max(0.0),
            };
            let [lo, hi] = [0, 1].map(|k| rp.values()[k]);
            lo * lo <= rp2 && rp2 < hi * hi
        }
        Cut::SameGroup => groups[0] == groups[1],
        Cut::Listed(list) => list.contains(&rows) || auto && list.contains(&[rows[1], rows[0]]),
        _ => panic!("a new cut: write its rule"),
    }
}

/// Pairs in bins that no cut holds, by a double loop of its own.
fn left(job: &PairJob<'_>, bins: impl Into<Bins>, cuts: &[Cut]) -> Vec<u64> {
    let bins = &bins.into();
    let (first, second) = job.pairs().both();
    let auto = matches!(job.pairs(), Pairs::Auto(_));
    let ordered = bins.order() == albireo::binning::PairOrder::Ordered;
    let mut counts = vec![0; bins.n_bins()];
    for i in 0..first.len() {
        for j in 0..second.len() {
            if auto && (i == j || j < i && !ordered) {
                continue;
            }
            let sep = job
                .domain()
                .separation(first.points().at(i), second.points().at(j));
            let groups = [
                first.groups().unwrap().values()[i],
                second.groups().unwrap().values()[j],
            ];
            let cut = |cut: &Cut| is_cut(cut, auto, groups, [i as u32, j as u32], &sep);
            if let Some(bin) = bins.bin(&sep)
                && !cuts.iter().any(cut)
            {
                counts[bin] += 1;
            }
        }
    }
    counts
}

fn engines() -> Vec<Cpu> {
    let of = |isa: Isa| Cpu::new().with_threads(2).unwrap().with_isa(isa).unwrap();
    Isa::available().into_iter().map(of).collect()
}

/// Compares every engine with the double loop and that with the rule; returns how many pairs the cuts hold.
fn check(domain: &Domain, pairs: Pairs<'_>, bins: impl Into<Bins>, cuts: &[Cut]) -> u64 {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let with = |what: CountSpec| cuts.iter().cloned().fold(what, CountSpec::with_cut);
    let what = with(CountSpec::new(bins.clone()));
    let naive = Naive.run(&job, &what, &Silent).unwrap();
    assert_eq!(naive.pairs(), left(&job, bins, cuts), "{cuts:?} {bins:?}");
    let weighted = with(CountSpec::new(bins.clone()).with_sum(Sum::Product));
    let classes = weighted.clone().with_classes(Classes::Regions);
    let means = weighted.clone().with_sum(Sum::Separation);
    for what in [&what, &weighted, &classes, &means] {
        let expected = Naive.run(&job, what, &Silent).unwrap();
        for engine in engines() {
            let found: Tally = engine.run(&job, what, &Silent).unwrap();
            assert!(found == expected, "{} {what:?}", engine.description());
        }
    }
    let all = Naive
        .run(&job, &CountSpec::new(bins.clone()), &Silent)
        .unwrap();
    let sum = |tally: &Tally| tally.pairs().iter().sum::<u64>();
    sum(&all) - sum(&naive)
}

/// Row pairs, some in both orders, some twice, some of a row with itself.
fn listed() -> Cut {
    Cut::listed((0..60).flat_map(|k| [[k, k * 7 % 60], [k * 7 % 60, k], [k, k], [k, (k + 1) % 60]]))
}

#[test]
fn surveys_are_cut_by_angle_by_rp_by_group_and_by_list() {
    for corner in [2.0, -0.4] {
        let (a, b) = (sample(150, corner, 1), sample(90, corner, 2));
        let s = Edges::linear(0.0, 0.75, 6).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        let s_mu = SMuBins::new(s.clone(), mu, LineOfSight::First).unwrap();
        let pi = SignedEdges::linear(0.0, 0.75, 3).unwrap();
        let rp_pi = RpPiBins::new(s.clone(), pi, LineOfSight::Midpoint).unwrap();
        let rp = |hi, los| Cut::rp(0.0, hi, los).unwrap();
        let cuts = [
            vec![Cut::theta(0.0, 2.0).unwrap()],
            vec![Cut::theta(1.0, 180.0).unwrap()],
            vec![rp(0.125, LineOfSight::Midpoint)],
            vec![Cut::rp(0.05, 0.25, LineOfSight::First).unwrap()],
            vec![rp(0.125, LineOfSight::End)],
            vec![rp(0.0625, LineOfSight::Fixed(Axis::Z))],
            vec![Cut::SameGroup],
            vec![listed()],
            vec![
                listed(),
                Cut::theta(0.0, 3.0).unwrap(),
                rp(0.2, LineOfSight::Midpoint),
                Cut::SameGroup,
            ],
        ];
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            for cuts in &cuts {
                let r = RBins::new(s.clone());
                let ordered =
                    |cut: &Cut| matches!(cut, Cut::Rp { los, .. } if los.depends_on_order());
                let mut held = 0;
                if matches!(pairs, Pairs::Cross(..)) || !cuts.iter().any(ordered) {
                    held += check(&Domain::Open, pairs, &r, cuts);
                    held += check(&Domain::Open, pairs, &rp_pi, cuts);
                } else {
                    let job = PairJob::new(pairs, &Domain::Open).unwrap();
                    let what = CountSpec::new(r).with_cut(cuts[0].clone());
                    let refusal = Cpu::new().run(&job, &what, &Silent).unwrap_err();
                    assert!(matches!(refusal, EngineError::Job(JobError::CutOrder(_))));
                }
                held += check(&Domain::Open, pairs, &s_mu, cuts);
                assert!(held > 0, "{cuts:?}");
            }
        }
    }
}

#[test]
fn boxes_are_cut_by_rp_by_group_and_by_list() {
    let lattice =
        albireo::Lattice::new([[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.25, 1.0]]).unwrap();
    let lengths = [Some(1.0), None, Some(1.0)];
    for domain in [
        Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
        Domain::Periodic(PeriodicBox::new(lengths).unwrap()),
        Domain::Triclinic(lattice),
    ] {
        let place = |sample| domain.place(sample, albireo::Outside::Wrap).unwrap();
        let (a, b) = (place(sample(150, 0.0, 3)), place(sample(90, 0.0, 4)));
        let r = RBins::new(Edges::linear(0.0, 0.375, 6).unwrap());
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            for cut in [
                Cut::rp(0.0, 0.125, LineOfSight::Fixed(Axis::Z)).unwrap(),
                Cut::rp(0.0625, 0.5, LineOfSight::Fixed(Axis::X)).unwrap(),
                Cut::rp(0.0, 0.125, LineOfSight::Fixed(Axis::Y)).unwrap(),
                Cut::SameGroup,
                listed(),
            ] {
                assert!(check(&domain, pairs, &r, &[cut]) > 0);
            }
        }
    }
}

#[test]
fn cuts_without_a_meaning_are_refused() {
    let r = RBins::new(Edges::linear(0.0, 0.25, 2).unwrap());
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let a = Particles::new(Points::from_rows(&[[0.0; 3], [0.5; 3]]).unwrap());
    let refused = |domain: &Domain, cut: Cut| {
        let job = PairJob::new(Pairs::Auto(&a), domain).unwrap();
        let what = CountSpec::new(r.clone()).with_cut(cut);
        let error = Naive.run(&job, &what, &Silent).unwrap_err();
        assert_eq!(Cpu::new().run(&job, &what, &Silent).unwrap_err(), error);
        error
    };
    let theta = || Cut::theta(0.0, 1.0).unwrap();
    assert_eq!(refused(&cubic, theta()), JobError::AngleInBox.into());
    assert_eq!(
        refused(&Domain::Open, theta()),
        JobError::NoDirection { row: 0 }.into()
    );
    let rp = Cut::rp(0.0, 0.1, LineOfSight::Midpoint).unwrap();
    assert_eq!(
        refused(&cubic, rp),
        JobError::LineOfSight("midpoint").into()
    );
    assert_eq!(refused(&cubic, Cut::SameGroup), JobError::NoGroups.into());
    let beyond = JobError::ListedRow {
        pair: [1, 2],
        rows: [2, 2],
    };
    assert_eq!(
        refused(&cubic, Cut::listed([[0, 1], [1, 2]])),
        beyond.into()
    );
    assert!(Cut::theta(0.0, 181.0).is_err() && Cut::rp(1.0, 1.0, LineOfSight::Midpoint).is_err());
}

/// A drawn job: a domain, two samples that lie in it, bins, and a cut, often at the distance of one of its own pairs.
struct Drawn {
    domain: Domain,
    samples: [Particles; 2],
    bins: RBins,
    cut: Cut,
}

/// How far behind a face point number `k` of a clump is, in gaps.
fn behind(random: &mut Random, k: usize) -> f64 {
    0.5 * random.unit()
        + if k == 0 {
            0.0
        } else {
            0.5 + 20.0 * random.unit()
        }
}

/// Points of a drawn sample around `at`: two clumps, a `gap` apart along `axis` and across the face of the box, among points on a
/// lattice and anywhere near, or only one of these.
fn clumps(
    random: &mut Random,
    n: usize,
    at: [f64; 3],
    (axis, gap): (usize, f64),
    only: Option<usize>,
) -> Vec<[f64; 3]> {
    let size = gap * 10f64.powf(-8.0 * random.unit());
    (0..n)
        .map(|k| {
            let mut x = at.map(|x| (x + size * (random.unit() - 0.5)).rem_euclid(1.0));
            match only.unwrap_or(k % 4) {
                // The first point is the nearest to the face, and gives the clump's box its side there.
                0 => x[axis] = (1.0 - gap * behind(random, k)).rem_euclid(1.0),
                1 => x[axis] = gap * behind(random, k),
                2 => x = [(); 3].map(|()| (random.unit() * 8.0).floor() / 8.0),
                _ => {}
            }
            x
        })
        .collect()
}

fn drawn(random: &mut Random) -> Drawn {
    let unit = 2f64.powi(random.below(401) as i32 - 200);
    let gap = 10f64.powf(-12.0 * random.unit()) * 0.3;
    let axes = [Axis::X, Axis::Y, Axis::Z];
    let (along, across) = (random.below(3), random.below(3));
    let cubic = Domain::Periodic(PeriodicBox::cubic(unit).unwrap());
    let lengths = [0, 1, 2].map(|k| (k != random.below(3)).then_some(unit));
    let slab = Domain::Periodic(PeriodicBox::new(lengths).unwrap());
    let domain = [Domain::Open, Domain::Open, cubic, slab][random.below(4)].clone();
    // From the observer, and so far away that float64 has few digits left for separations.
    let corner = match domain {
        Domain::Open => [0.0, -0.5, 1.5, 40.0, 1e6, 1e11][random.below(6)],
        _ => 0.0,
    };
    let few = random.below(2) == 0;
    let numbers = if few { [3, 3] } else { [40, 100] }.map(|most| 1 + random.below(most));
    let at = [(); 3].map(|()| random.unit());
    let apart = random.below(2) == 0;
    let samples = [0, 1].map(|k| {
        let (n, only) = (numbers[k], apart.then_some(k));
        let rows: Vec<[f64; 3]> = clumps(random, n, at, (across, gap), only)
            .into_iter()
            .map(|x| x.map(|x| (x + corner) * unit))
            .collect();
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let labels = (0..n).map(|_| random.below(3) as u32).collect();
        let sample = sample.labelled(Labels::new(labels, 3).unwrap()).unwrap();
        domain.place(sample, albireo::Outside::Wrap).unwrap()
    });
    let reach = unit * [0.5, 0.3, gap.max(1e-9)][random.below(3)];
    let bins = RBins::new(Edges::linear(0.0, reach, 1 + random.below(6)).unwrap());
    let rows = if apart {
        [0, 0]
    } else {
        [0, 1].map(|k| random.below(numbers[k]))
    };
    let hi = own_separation(rows, &domain, &samples, along).unwrap_or(gap * unit);
    let hi = [hi, hi.next_up(), hi.next_down(), 2.0 * hi, gap * unit][random.below(5)];
    let los = match domain {
        Domain::Open if random.below(2) == 0 => LineOfSight::Midpoint,
        _ => LineOfSight::Fixed(axes[along]),
    };
    let lo = hi * [0.0, 0.5][random.below(2)];
    let cut = match domain {
        Domain::Open if random.below(3) == 0 => Cut::theta(0.0, (hi / unit * 60.0).min(180.0)),
        _ => Cut::rp(lo, hi, los),
    };
    Drawn {
        domain,
        samples,
        bins,
        cut: cut.unwrap(),
    }
}

/// How far apart two points of the samples are across an axis, if they are at all.
fn own_separation(
    [i, j]: [usize; 2],
    domain: &Domain,
    [a, b]: &[Particles; 2],
    along: usize,
) -> Option<f64> {
    let d = domain.separation(a.points().at(i), b.points().at(j)).d;
    let across: f64 = (0..3).filter(|&k| k != along).map(|k| d[k] * d[k]).sum();
    (across.sqrt() > 1e-300).then_some(across.sqrt())
}

/// Two points nearly on one line of sight, so that rp2 is what rounding leaves of r2, cut where it lies itself.
#[test]
fn cuts_of_radial_pairs_hold_what_the_rule_says() {
    let mut random = Random(0x4ad1);
    let (engine, mut held) = (Cpu::new().with_threads(1).unwrap(), 0);
    for number in 0..20_000 {
        let unit = 2f64.powi(random.below(401) as i32 - 200);
        let first = [(); 3].map(|()| (0.5 + random.unit()) * unit);
        let along = 10f64.powf(-0.5 - 3.0 * random.unit());
        let aside = 1e-8 * 10f64.powf(2.0 * random.unit()) * along;
        let second = first.map(|x| x * (1.0 + along) + aside * unit * (random.unit() - 0.5));
        let [a, b] = [first, second].map(|x| Particles::new(Points::from_rows(&[x]).unwrap()));
        let pairs = [Pairs::Cross(&a, &b), Pairs::Cross(&b, &a)][number % 2];
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let (one, other) = pairs.both();
        let sep = (Domain::Open).separation(one.points().at(0), other.points().at(0));
        let l: [f64; 3] = std::array::from_fn(|k| sep.x1[k] + sep.x2[k]);
        let [dl, l2] = [sep.d, l].map(|x| (x[0] * l[0] + x[1] * l[1]) + x[2] * l[2]);
        let rp = (sep.r2 - (dl * dl) / l2).max(0.0).sqrt();
        let hi = [rp, rp.next_up(), rp * (1.0 + 1e-15)][random.below(3)].max(1e-12 * unit);
        let cut = Cut::rp(0.0, hi, LineOfSight::Midpoint).unwrap();
        let r = Edges::linear(0.0, sep.r2.sqrt() * 1.5, 1).unwrap();
        let what = CountSpec::new(RBins::new(r)).with_cut(cut);
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        let found = engine.run(&job, &what, &Silent).unwrap();
        assert!(found == expected, "{number}: {sep:?} {what:?}");
        held += u32::from(expected.pairs() == [0]);
    }
    assert!(held > 5000, "{held} of 20000 are cut");
}

#[test]
fn drawn_cuts_hold_what_the_rule_says() {
    let mut random = Random(0x0c07);
    let engines = engines();
    let (mut held, mut refused) = (0, 0);
    for number in 0..4000 {
        let Drawn {
            domain,
            samples: [a, b],
            bins,
            cut,
        } = drawn(&mut random);
        let engine = &engines[number % engines.len()];
        let all = CountSpec::new(bins).with_classes([Classes::One, Classes::Regions][number % 2]);
        let what = all.clone().with_cut(cut);
        for pairs in [Pairs::Auto(&b), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &domain).unwrap();
            let expected = Naive.run(&job, &what, &Silent);
            let found = engine.run(&job, &what, &Silent);
            assert!(found == expected, "{number}: {domain:?} {what:?}");
            match expected {
                Ok(left) => {
                    let all = Naive.run(&job, &all, &Silent).unwrap();
                    held += u32::from(all != left);
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        held > 1000 && refused < 800,
        "{held} hold pairs, {refused} refused"
    );
}

#[test]
fn cuts_come_back_from_their_text() {
    for cut in [
        Cut::theta(0.0, 0.05).unwrap(),
        Cut::theta(1.0 / 3.0, 180.0).unwrap(),
        Cut::rp(0.1, 1e-7 + 1.0, LineOfSight::Fixed(Axis::Y)).unwrap(),
        Cut::rp(0.0, 1e60, LineOfSight::First).unwrap(),
        Cut::SameGroup,
    ] {
        assert_eq!(cut.to_string().parse(), Ok(cut));
    }
    for other in [
        "",
        "theta 0 to 1",
        "theta 1 to 0 degrees",
        "rp 0 to 1 across the line of sight w",
        "3 listed pairs",
    ] {
        let refused = other.parse::<Cut>().unwrap_err();
        assert_eq!(refused, JobError::CutText(other.to_owned()));
        assert!(refused.to_string().ends_with(&format!("found `{other}`")));
    }
}
