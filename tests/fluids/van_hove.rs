//! Pairs between frames, against the double loop.

use std::sync::Arc;

use albireo::engine::{AnyEngine, Cpu, Exactness, Silent};
use albireo::particles::Groups;
use albireo::tally::Cut;
use albireo::{Domain, Error, Labels, Naive, Outside, Particles, PeriodicBox, Points, RBins};
use albireo_fluids::frames::{
    FrameGroups, FrameJob, FramePair, FrameWorkers, LaggedBins, LaggedTally, count_lagged,
};
use albireo_fluids::{Normalisation, Partials, Space, Species, VanHove};

use super::{add, assert_close, gas, r_bins, species_counts};

const BINS: usize = 5;
const SPECIES: u32 = 3;

fn bins() -> RBins {
    r_bins(0.0, 0.4, BINS)
}

/// A frame whose box changes; particles come a little from where they were in the frame before.
fn frame(number: u64, n: usize, cuts: Vec<Cut>) -> Arc<FrameJob> {
    let length = 1.0 + 0.01 * number as f64;
    let domain = Domain::Periodic(PeriodicBox::cubic(length).unwrap());
    let (start, steps) = (gas(n, 7, [1.0; 3]), gas(n, 8, [0.2; 3]));
    let at = |(a, b): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|k| a[k] + number as f64 * b[k]);
    let rows: Vec<[f64; 3]> = start.iter().zip(&steps).map(at).collect();
    let labels = (0..n as u32).map(|k| (k * k + k / 4) % SPECIES).collect();
    let particles = Particles::new(Points::from_rows(&rows).unwrap())
        .labelled(Labels::new(labels, SPECIES).unwrap())
        .unwrap()
        .grouped(Groups::new((0..n as u32).map(|k| k / 3).collect()))
        .unwrap();
    Arc::new(FrameJob {
        number,
        particles: domain.place(particles, Outside::Wrap).unwrap(),
        volume: domain.volume(),
        domain,
        cuts,
        excluded: None,
        weight: 1.0,
        program: None,
    })
}

/// The pairs of frames a lag apart, for each of these lags.
fn pairs_of(frames: &[Arc<FrameJob>], lags: &[usize]) -> Vec<FramePair> {
    let mut pairs = Vec::new();
    for (lag, &by) in lags.iter().enumerate() {
        for first in 0..frames.len() - by {
            pairs.push(FramePair {
                lag,
                first: Arc::clone(&frames[first]),
                second: Arc::clone(&frames[first + by]),
            });
        }
    }
    pairs
}

fn counted(workers: &FrameWorkers, wanted: &[[u32; 2]], pairs: Vec<FramePair>) -> Vec<LaggedTally> {
    let what = LaggedBins::of_pairs(bins(), SPECIES, wanted);
    let (mut pairs, mut all) = (pairs.into_iter(), Vec::new());
    let done = |tally| {
        all.push(tally);
        Ok(())
    };
    let run = count_lagged::<Error>(workers, &what, || Ok(pairs.next()), done, &Silent);
    assert!(!run.unwrap().interrupted);
    all.sort_by_key(|tally| (tally.lag, tally.number));
    all
}

/// By the definition: pairs i, j of different particles, i at the first time and j at the second, in the bins of each pair of labels; and i = j by label.
fn by_hand(pair: &FramePair, left_out: impl Fn(u32, u32) -> bool) -> (Vec<u64>, Vec<u64>) {
    let (first, second) = (&pair.first, &pair.second);
    let own = first.domain.clone();
    let later = own.place(second.particles.clone(), Outside::Wrap).unwrap();
    let labels = first.particles.labels().unwrap().values();
    let n = labels.len();
    let mut distinct = vec![0; 9 * BINS];
    let mut own_part = vec![0; 3 * BINS];
    for i in 0..n {
        for j in 0..n {
            let [a, b] = [first.particles.points().at(i), later.points().at(j)];
            let r2 = own.separation(a, b).r2;
            let edge = |k: usize| 0.4 * k as f64 / BINS as f64;
            let bin = (0..BINS).find(|&k| edge(k).powi(2) <= r2 && r2 < edge(k + 1).powi(2));
            let Some(bin) = bin else { continue };
            if i == j {
                own_part[labels[i] as usize * BINS + bin] += 1;
            } else if !left_out(i as u32, j as u32) {
                distinct[(labels[i] * 3 + labels[j]) as usize * BINS + bin] += 1;
            }
        }
    }
    (distinct, own_part)
}

const ALL: [[u32; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

fn workers() -> Vec<FrameWorkers> {
    let cpu = |threads| AnyEngine::Cpu(Cpu::new().with_threads(threads).unwrap());
    vec![
        FrameWorkers::each_alone(&AnyEngine::Naive(Naive)).unwrap(),
        FrameWorkers::each_alone(&cpu(2)).unwrap(),
        FrameWorkers::all_on_each(&cpu(2)),
    ]
}

/// Whether a pair of rows is left out.
type LeftOut = fn(u32, u32) -> bool;

#[test]
fn pairs_between_frames_are_those_of_the_double_loop() {
    let bonds = [[0, 1], [5, 2], [7, 40]];
    let cases: [(Vec<Cut>, LeftOut); 3] = [
        (vec![], |_, _| false),
        (vec![Cut::SameGroup], |i, j| i / 3 == j / 3),
        (vec![Cut::listed(bonds)], |i, j| {
            [[0, 1], [5, 2], [7, 40]].contains(&[i, j])
                || [[0, 1], [5, 2], [7, 40]].contains(&[j, i])
        }),
    ];
    for workers in workers() {
        for (cuts, left_out) in &cases {
            let frames: Vec<_> = (0..4).map(|k| frame(k, 90, cuts.clone())).collect();
            let pairs = pairs_of(&frames, &[0, 1, 3]);
            let found = counted(&workers, &ALL, pairs.clone());
            assert_eq!(found.len(), pairs.len());
            for (tally, pair) in found.iter().zip(&pairs) {
                assert_eq!((tally.lag, tally.number), (pair.lag, pair.first.number));
                let (distinct, own) = by_hand(pair, left_out);
                assert_eq!(tally.distinct.pairs(), distinct);
                assert_eq!(tally.own, own);
            }
        }
    }
}

#[test]
fn some_pairs_of_labels_are_those_of_all() {
    let frames: Vec<_> = (0..3).map(|k| frame(k, 120, vec![])).collect();
    let pairs = pairs_of(&frames, &[2]);
    for wanted in [&[[2, 1]][..], &[[0, 0]], &[[0, 1], [1, 1]], &[]] {
        let found = counted(&workers()[1], wanted, pairs.clone());
        let (all, _) = by_hand(&pairs[0], |_, _| false);
        for a in 0..3 {
            for b in 0..3 {
                let table = (a * 3 + b) as usize;
                let is_wanted = wanted.contains(&[a, b]) || wanted.contains(&[b, a]);
                let expected = if is_wanted {
                    all[table * BINS..][..BINS].to_vec()
                } else {
                    vec![0; BINS]
                };
                assert_eq!(found[0].distinct.table(table).pairs(), expected);
            }
        }
    }
}

#[test]
fn without_a_lag_it_is_g_and_the_own_part_lies_at_zero() {
    let frames: Vec<_> = (0..3).map(|k| frame(k, 120, vec![])).collect();
    let empty = Partials::new(bins(), Species::within(3)).unwrap();
    let groups = FrameGroups::apart(["a", "b", "c"]);
    let mut hove = VanHove::new(&empty, &groups, 2, None, Exactness::Exact).unwrap();
    for tally in counted(&workers()[1], &ALL, pairs_of(&frames, &[0, 1])) {
        hove.add(&tally).unwrap();
    }
    assert_eq!((hove.origins(0), hove.origins(1)), (3, 2));
    let mut g = empty.clone();
    for job in &frames {
        // In the order of labels, as the counts of species are made.
        let labels = job.particles.labels().unwrap().values();
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| labels[row]);
        let rows: Vec<[f64; 3]> = order
            .iter()
            .map(|&k| job.particles.points().at(k))
            .collect();
        let numbers: Vec<u64> = (0..3)
            .map(|a| labels.iter().filter(|&&l| l == a).count() as u64)
            .collect();
        let counts = species_counts(&rows, &numbers, &job.domain, bins());
        let space = Space::of_volume(job.volume.unwrap()).unwrap();
        add(&mut g, &counts, &numbers, &space);
    }
    for pair in ALL.map(|pair| pair.map(|k| k as usize)) {
        let twice: Vec<u64> = g.npairs(pair).unwrap().iter().map(|p| 2 * p).collect();
        assert_eq!(hove.npairs(0, pair).unwrap(), twice);
        for norm in Normalisation::ALL {
            let mut expected = g.g(pair, norm).unwrap();
            if norm == Normalisation::None {
                for p in &mut expected {
                    *p *= 2.0;
                }
            }
            assert_close(&hove.g(0, pair, norm).unwrap(), &expected, 1e-13);
        }
    }
    let own: u64 = (0..3).map(|a| hove.own(0, a).unwrap()[0]).sum();
    assert_eq!(own, 3 * 120);
    assert!(hove.own(0, 1).unwrap()[1..].iter().all(|&n| n == 0));
    // Every particle is somewhere: the own part is a density of one.
    let shell = |k: usize| {
        let edge = |k: usize| (0.4 * k as f64 / BINS as f64).powi(3);
        4.0 / 3.0 * std::f64::consts::PI * (edge(k + 1) - edge(k))
    };
    for group in 0..3 {
        let density = hove.own_density(1, group).unwrap();
        let found: f64 = density.iter().enumerate().map(|(k, d)| d * shell(k)).sum();
        let inside: u64 = hove.own(1, group).unwrap().iter().sum();
        let labels = frames[0].particles.labels().unwrap().values();
        let all = labels.iter().filter(|&&l| l as usize == group).count() * 2;
        assert!((found - inside as f64 / all as f64).abs() < 1e-12);
    }
}

#[test]
fn groups_may_share_particles() {
    let groups = FrameGroups::overlapping(["first", "all"]).unwrap();
    let labels: Vec<u32> = (0..60)
        .map(|k| groups.label_of(if k < 20 { 3 } else { 2 }).unwrap())
        .collect();
    let relabelled = |k| {
        let job = FrameJob::clone(&frame(k, 60, vec![]));
        let labels = Labels::new(labels.clone(), groups.labels()).unwrap();
        Arc::new(FrameJob {
            particles: job.particles.labelled(labels).unwrap(),
            ..job
        })
    };
    let frames: Vec<_> = (0..2).map(relabelled).collect();
    let species = Species::of_pairs(2, &[[0, 1], [1, 1]]).unwrap();
    let empty = Partials::new(bins(), species).unwrap();
    let mut hove = VanHove::new(&empty, &groups, 1, None, Exactness::Exact).unwrap();
    let pairs = pairs_of(&frames, &[1]);
    for tally in counted(&workers()[1], &ALL, pairs.clone()) {
        hove.add(&tally).unwrap();
    }
    let (mut of_first, mut of_all) = (vec![0; BINS], vec![0; BINS]);
    let first = &pairs[0].first;
    let later = first
        .domain
        .place(pairs[0].second.particles.clone(), Outside::Wrap)
        .unwrap();
    for i in 0..60 {
        for j in (0..60).filter(|&j| j != i) {
            let r2 = first
                .domain
                .separation(first.particles.points().at(i), later.points().at(j))
                .r2;
            let edge = |k: usize| 0.4 * k as f64 / BINS as f64;
            let bin = (0..BINS).find(|&k| edge(k).powi(2) <= r2 && r2 < edge(k + 1).powi(2));
            if let Some(bin) = bin {
                of_first[bin] += u64::from(i < 20) + u64::from(j < 20);
                of_all[bin] += 1;
            }
        }
    }
    assert_eq!(hove.npairs(0, [0, 1]).unwrap(), of_first);
    assert_eq!(hove.npairs(0, [1, 1]).unwrap(), of_all);
    // 20 * 60 ordered pairs of the first with all, less 20 particles with themselves, in both orders.
    let volume = first.volume.unwrap();
    let edge: f64 = 0.4 / BINS as f64;
    let shell = 4.0 / 3.0 * std::f64::consts::PI * edge.powi(3);
    let expected = of_first[0] as f64 / (2.0 * (20.0 * 59.0) * shell / volume);
    let found = hove.g(0, [0, 1], Normalisation::Pairs).unwrap()[0];
    assert!((found - expected).abs() <= 1e-12 * expected.max(1.0));
}

#[test]
fn other_particles_at_the_later_time_are_refused() {
    let pair = FramePair {
        lag: 0,
        first: frame(0, 30, vec![]),
        second: frame(4, 31, vec![]),
    };
    let what = LaggedBins::of_pairs(bins(), SPECIES, &ALL);
    let mut once = Some(pair);
    let run = count_lagged::<Error>(
        &workers()[0],
        &what,
        || Ok(once.take()),
        |_| Ok(()),
        &Silent,
    );
    let told = run.unwrap_err().to_string();
    assert!(
        told.contains("frame 4 has 31 of them, frame 0 30"),
        "{told}"
    );
}
