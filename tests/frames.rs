//! Frames counted many at a time are what each of them is alone; `fluids/` holds what is made of their counts to definitions and known answers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod fluids;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use albireo::counts::excluded_pairs;
use albireo::engine::{AnyEngine, Cpu, Progress, Silent};

use albireo::error::{CountsError, EngineError};
use albireo::particles::Groups;
use albireo::tally::{Classes, CountSpec, Cut};
use albireo::{
    Domain, Edges, Engine, Error, Labels, Lattice, Naive, Outside, PairJob, Pairs, Particles,
    PeriodicBox, RBins, random as points,
};
use albireo_fluids::frames::{
    FrameBins, FrameGroups, FrameJob, FrameTally, FrameWorkers, FramesDone, count_frames,
};

const SPECIES: u32 = 3;

/// A frame of which number, size and box change, with molecules of three and some bonds between them.
fn frame(number: u64) -> Result<FrameJob, Error> {
    let n = [0, 1, 2, 63, 64, 65, 200, 330][number as usize % 8] + number as usize / 8;
    let length = 1.0 + 0.01 * number as f64;
    let domain = match number % 3 {
        0 => Domain::Open,
        1 => Domain::Periodic(PeriodicBox::cubic(length)?),
        _ => Domain::Triclinic(Lattice::new([
            [length, 0.0, 0.0],
            [0.3, length, 0.0],
            [0.2, -0.4, length],
        ])?),
    };
    let labels = (0..n as u32).map(|k| (k * k + number as u32) % SPECIES);
    let atoms = Particles::new(points::in_box(n, number, [length; 3])?)
        .labelled(Labels::new(labels.collect(), SPECIES)?)?
        .grouped(Groups::new((0..n as u32).map(|k| k / 3).collect()))?;
    Ok(FrameJob {
        number,
        particles: domain.place(atoms, Outside::Wrap)?,
        volume: domain.volume(),
        domain,
        cuts: vec![],
        excluded: None,
        weight: 1.0,
        program: None,
    })
}

fn bins() -> RBins {
    RBins::new(Edges::linear(0.0, 0.4, 8).expect("edges"))
}

/// The frame alone, by the reference.
fn alone(job: &FrameJob) -> Vec<u64> {
    let mut what = CountSpec::new(bins()).with_classes(Classes::Species);
    for cut in &job.cuts {
        what = what.with_cut(cut.clone());
    }
    let pairs = PairJob::new(Pairs::Auto(&job.particles), &job.domain).expect("placed");
    let tally = Naive.run(&pairs, &what, &Silent).expect("a count");
    tally.pairs().to_vec()
}

fn counted(
    workers: &FrameWorkers,
    what: &FrameBins,
    frames: u64,
    ready: impl Fn(u64) -> Result<FrameJob, Error> + Sync,
) -> BTreeMap<u64, FrameTally> {
    let mut numbers = 0..frames;
    let mut all = BTreeMap::new();
    let done = count_frames::<_, Error>(
        workers,
        what,
        || Ok(numbers.next()),
        ready,
        |tally| {
            assert!(all.insert(tally.number, tally).is_none());
            Ok(())
        },
        &Silent,
    );
    let expected = FramesDone {
        frames,
        interrupted: false,
    };
    assert_eq!(done.expect("a run"), expected);
    all
}

fn all_workers() -> Vec<FrameWorkers> {
    let cpu = |threads| AnyEngine::Cpu(Cpu::new().with_threads(threads).expect("threads"));
    vec![
        FrameWorkers::each_alone(&AnyEngine::Naive(Naive)).expect("one"),
        FrameWorkers::each_alone(&cpu(1)).expect("one"),
        FrameWorkers::each_alone(&cpu(3)).expect("three"),
        FrameWorkers::all_on_each(&cpu(2)),
    ]
}

#[test]
fn frames_at_the_same_time_are_frames_alone() {
    let what = FrameBins::all(bins(), SPECIES);
    for workers in all_workers() {
        for (number, tally) in counted(&workers, &what, 40, frame) {
            let job = frame(number).expect("a frame");
            assert_eq!(tally.tally.pairs(), alone(&job), "frame {number}");
            assert_eq!(
                tally.particles.iter().sum::<u64>(),
                job.particles.len() as u64
            );
            assert_eq!(tally.volume, job.domain.volume());
            assert_eq!(tally.excluded, [0; 6]);
        }
    }
}

#[test]
fn some_pairs_of_species_are_those_of_all() {
    let lists: [&[[u32; 2]]; 5] = [
        &[[0, 0]],
        &[[2, 1]],
        &[[0, 1], [1, 1]],
        &[[0, 2], [0, 1]],
        &[],
    ];
    let workers = &all_workers()[2];
    for list in lists {
        let what = FrameBins::of_pairs(bins(), SPECIES, list);
        for (number, tally) in counted(workers, &what, 24, frame) {
            let all = alone(&frame(number).expect("a frame"));
            for &pair in list {
                let class = what.class(pair);
                assert_eq!(tally.tally.table(class).pairs(), &all[class * 8..][..8]);
            }
        }
    }
}

#[test]
fn excluded_pairs_are_neither_counted_nor_candidates() {
    let with_cuts = |number| {
        let job = frame(number)?;
        let bonds = (0..job.particles.len() as u32 / 4).map(|k| [k, 3 * k + 1]);
        let cuts = vec![Cut::SameGroup, Cut::listed(bonds)];
        Ok(FrameJob { cuts, ..job })
    };
    let what = FrameBins::all(bins(), SPECIES);
    for workers in all_workers() {
        for (number, tally) in counted(&workers, &what, 24, with_cuts) {
            let job = with_cuts(number).expect("a frame");
            assert_eq!(tally.tally.pairs(), alone(&job), "frame {number}");
            let excluded = excluded_pairs(Pairs::Auto(&job.particles), &job.cuts);
            assert_eq!(tally.excluded.iter().sum::<u64>(), excluded);
        }
    }
}

#[test]
fn the_first_error_ends_the_run() {
    let what = FrameBins::all(bins(), SPECIES);
    for workers in all_workers() {
        let mut handed_out = 0;
        let next = || {
            handed_out += 1;
            Ok(Some(handed_out))
        };
        // Endless, but for the frame that is wrong.
        let ready = |number| match number {
            17 => Err(EngineError::Interrupted.into()),
            _ => frame(number),
        };
        let done = count_frames::<_, Error>(&workers, &what, next, ready, |_| Ok(()), &Silent);
        assert!(done.is_err());
        let mut frames = 0..100;
        let next = || match frames.next() {
            Some(9) => Err(EngineError::Interrupted.into()),
            other => Ok(other),
        };
        assert!(
            count_frames::<_, Error>(&workers, &what, next, frame, |_| Ok(()), &Silent).is_err()
        );
        let mut frames = 0..100;
        let done = |tally: FrameTally| match tally.number {
            5 => Err(EngineError::Interrupted.into()),
            _ => Ok(()),
        };
        assert!(
            count_frames::<_, Error>(&workers, &what, || Ok(frames.next()), frame, done, &Silent)
                .is_err()
        );
    }
}

/// Frames that fail at once behind one that takes its time to fail: whoever counts them, the error is of the first.
#[test]
fn the_error_is_of_the_first_frame_that_fails() {
    let what = FrameBins::all(bins(), SPECIES);
    let wrong = |frame| Error::from(CountsError::FrameTwice(frame));
    for workers in all_workers() {
        for slow in [0, 1, 7, 20] {
            let mut frames = 0..40u64;
            let next = || match frames.next() {
                Some(frame) if frame == slow + 15 => Err(wrong(frame)),
                other => Ok(other),
            };
            let ready = |number| {
                if number == slow {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                if number >= slow {
                    return Err(wrong(number));
                }
                frame(number)
            };
            let done = |_| Ok(());
            let error = count_frames(&workers, &what, next, ready, done, &Silent).unwrap_err();
            assert_eq!(error.to_string(), wrong(slow).to_string());
        }
    }
}

/// Asks to stop once so many frames are done.
struct StopAfter(u64, AtomicU64);

impl Progress for StopAfter {
    fn begin(&self, _: u64) {}

    fn advance(&self, frames: u64) {
        self.1.fetch_add(frames, Ordering::SeqCst);
    }

    fn stop_requested(&self) -> bool {
        self.1.load(Ordering::SeqCst) >= self.0
    }
}

#[test]
fn what_was_done_before_a_stop_is_whole() {
    let what = FrameBins::all(bins(), SPECIES);
    for workers in all_workers() {
        let stop = StopAfter(7, AtomicU64::new(0));
        let mut numbers = 0..;
        let mut all = Vec::new();
        let done = count_frames::<_, Error>(
            &workers,
            &what,
            || Ok(numbers.next()),
            frame,
            |tally| {
                all.push(tally);
                Ok(())
            },
            &stop,
        );
        let done = done.expect("a run that was stopped");
        assert!(done.interrupted && done.frames >= 7 && done.frames == all.len() as u64);
        for tally in all {
            assert_eq!(
                tally.tally.pairs(),
                alone(&frame(tally.number).expect("a frame"))
            );
        }
    }
}

/// Pairs (i, j) with i in the first and j in the second group, each unordered pair of one group once, by their distance.
fn by_hand(job: &FrameJob, members: &[Vec<bool>], [a, b]: [usize; 2]) -> (Vec<u64>, u64, u64) {
    let points = job.particles.points();
    let group = job.particles.groups().expect("groups").values();
    let (mut bins, mut pairs, mut excluded) = (vec![0; 8], 0, 0);
    for i in 0..points.len() {
        for j in 0..points.len() {
            if !members[a][i] || !members[b][j] || (a == b && j <= i) {
                continue;
            }
            pairs += 1;
            if group[i] == group[j] {
                excluded += 1;
                continue;
            }
            let r2 = job.domain.separation(points.at(i), points.at(j)).r2;
            let edge = |k: usize| 0.4 * k as f64 / 8.0;
            if let Some(bin) = (0..8).find(|&k| edge(k).powi(2) <= r2 && r2 < edge(k + 1).powi(2)) {
                bins[bin] += 1;
            }
        }
    }
    (bins, pairs, excluded)
}

#[test]
fn groups_that_share_particles_are_counted_as_each_by_itself() {
    let groups = FrameGroups::overlapping(["third", "first half", "all"]).expect("three");
    let members = |n: usize| {
        let third: Vec<bool> = (0..n).map(|k| k % 3 == 0).collect();
        vec![third, (0..n).map(|k| 2 * k < n).collect(), vec![true; n]]
    };
    let relabelled = |number| {
        let job = frame(number)?;
        let of = members(job.particles.len());
        let mask = |k: usize| (0..3).map(|group| u64::from(of[group][k]) << group).sum();
        let labels = (0..job.particles.len()).filter_map(|k| groups.label_of(mask(k)));
        let labels = Labels::new(labels.collect(), groups.labels())?;
        let cuts = vec![Cut::SameGroup];
        Ok(FrameJob {
            particles: job.particles.labelled(labels)?,
            cuts,
            ..job
        })
    };
    let what = FrameBins::all(bins(), groups.labels());
    for (number, tally) in counted(&all_workers()[1], &what, 8, relabelled) {
        let job = relabelled(number).expect("a frame");
        let of = members(job.particles.len());
        for pair in [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [2, 2]] {
            let found = groups.pairs_of(&tally, pair).expect("pairs");
            let expected = by_hand(&job, &of, pair);
            assert_eq!(
                (
                    found.npairs,
                    found.candidates.pairs,
                    found.candidates.excluded
                ),
                expected,
                "{number} {pair:?}"
            );
            let sizes = pair.map(|k| of[k].iter().filter(|&&in_it| in_it).count() as u64);
            assert_eq!(found.candidates.particles, sizes);
        }
    }
}

#[test]
fn blocks_of_frames_give_the_g_of_their_frames() {
    blocks_are_their_frames(|_| 1.0);
}

#[test]
fn blocks_of_reweighted_frames_give_the_g_of_their_frames() {
    blocks_are_their_frames(|number| [1.0, 0.1, 7.3, 1e-9][number as usize % 4]);
}

fn blocks_are_their_frames(weight: fn(u64) -> f64) {
    use albireo::counts::count_prepared;
    use albireo::engine::{Exactness, PreparedJob};
    use albireo_fluids::frames::FrameBlocks;
    use albireo_fluids::{
        BlockPartials, Frame, FrameSpaces, Normalisation, Partials, Space, Species,
    };
    let what = FrameBins::all(bins(), SPECIES);
    let groups = FrameGroups::apart(["a", "b", "c"]);
    let empty = Partials::new(bins(), Species::within(SPECIES as usize)).expect("bins in r");
    let (mut blocks, mut by_frame) = (FrameBlocks::new(4), empty.clone());
    let weighed = |number| {
        let weight = weight(number);
        frame(number).map(|job| FrameJob { weight, ..job })
    };
    for (number, tally) in counted(&all_workers()[2], &what, 40, weighed) {
        let particles = tally.particles.clone();
        blocks.add(number, tally).expect("each once");
        let job = frame(number).expect("a frame");
        let engine = Cpu::new();
        let space = Space::of_volume(job.domain.volume().unwrap_or(2.5)).expect("a volume");
        let sample = engine
            .prepare(job.particles, &job.domain, &Silent)
            .expect("placed");
        let pairs = PreparedJob::auto(&sample);
        let what = CountSpec::new(bins()).with_classes(Classes::Species);
        let counts = count_prepared(&engine, &pairs, what, &Silent);
        let frame = Frame {
            counts: &counts.expect("counts").0.by_class(),
            particles: &particles,
            excluded: &[],
            space: &space,
            weight: weight(number),
        };
        by_frame.add_frame(&frame).expect("a frame");
    }
    let of_blocks = BlockPartials {
        empty,
        groups: &groups,
        volume: Some(2.5),
        spaces: FrameSpaces::Whole,
        exactness: Exactness::Exact,
    };
    let each = of_blocks.of_each(&blocks).expect("each block");
    let all = of_blocks.merged(&each).expect("like blocks");
    let mut merged = of_blocks.empty.clone();
    for block in each.iter().rev() {
        merged.merge(block).expect("like blocks");
    }
    assert_eq!((all.frames(), merged.frames()), (40, 40));
    for pair in [[0, 0], [0, 1], [1, 2], [2, 2]] {
        let g = |of: &Partials| of.g(pair, Normalisation::Pairs).expect("a pair");
        let n = |of: &Partials| of.coordination(pair).expect("a pair");
        assert_eq!(
            all.npairs(pair).expect("a pair"),
            by_frame.npairs(pair).expect("a pair")
        );
        assert_eq!((g(&all), n(&all)), (g(&by_frame), n(&by_frame)));
        assert_eq!((g(&all), n(&all)), (g(&merged), n(&merged)));
        let error = |of: &Partials| of.poisson_error(pair).expect("a pair");
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(error(&all)), bits(error(&by_frame)));
    }
    let sums = (0..40).map(|k| (weight(k), weight(k) * weight(k)));
    let (sum, squares) = sums.fold((0.0, 0.0), |(a, b), (w, w2)| (a + w, b + w2));
    let effective: f64 = sum * sum / squares;
    assert!((all.effective_frames() - effective).abs() < 1e-12 * effective);
}
