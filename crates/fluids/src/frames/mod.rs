//! How are the frames of a trajectory counted, many at a time and in bounded memory?
//!
//! Entry: [`count_frames`], given the workers ([`FrameWorkers`]), what ([`FrameBins`]) and where frames come from. One thread reads, each worker makes
//! particles of a frame and counts it alone; frames come back in the order in which they are done, as integers that do not depend on it.

#![allow(
    clippy::cast_possible_truncation,
    reason = "groups and particles are numbered in 32 bits; lengths are checked against the bytes that follow"
)]

mod blocks;
mod groups;
mod kept;
mod lagged;
mod merging;
mod passes;
mod workers;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use albireo::Particles;
use albireo::domain::Domain;
use albireo::engine::{AnyEngine, Progress};
use albireo::error::EngineError;
use albireo::exact_sum::ExactSum;
use albireo::tally::{Cut, PairProgram, Tally};
pub use blocks::{FrameBlocks, FrameFacts};
pub use groups::{FrameGroups, GroupCandidates, GroupPairs};
pub use lagged::{FramePair, LaggedBins, LaggedTally, count_lagged};
pub use passes::FrameBins;
pub use workers::FrameWorkers;

/// One frame, ready to be counted.
#[derive(Debug, Clone)]
pub struct FrameJob {
    /// Its number, which its counts carry.
    pub number: u64,
    /// Its particles, labelled by species and placed in `domain`.
    pub particles: Particles,
    /// The space of this frame: boxes may change.
    pub domain: Domain,
    /// The volume of its box, or of particles in a plane the area; `None` where space is open.
    pub volume: Option<f64>,
    /// Which pairs are left out: those within groups and listed rows of `particles`.
    pub cuts: Vec<Cut>,
    /// For each class of species, how many pairs the cuts leave out, where that is known already ([`excluded_by_species`](albireo::counts::excluded_by_species)).
    pub excluded: Option<Arc<[u64]>>,
    /// What the frame counts for among others; 1 unless a trajectory is reweighted.
    pub weight: f64,
    /// What is summed over its pairs, of the columns of `particles`: values that do not change when the two points are exchanged.
    pub program: Option<Arc<PairProgram>>,
}

/// A sum over the pairs of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameSum {
    /// By class and bin, as the pairs of a [`FrameTally`].
    pub values: Vec<ExactSum>,
    /// How far a pair may move it by the rounding of its value.
    pub rounding: f64,
}

/// The pairs of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameTally {
    /// The number of the frame.
    pub number: u64,
    /// Pairs by classes of species, in the order of [`Classes::Species`](albireo::tally::Classes::Species): (0,0), (0,1), .., (1,1), .. Those that were
    /// not asked for are 0.
    pub tally: Tally,
    /// Particles of each species.
    pub particles: Vec<u64>,
    /// For each class, pairs that the cuts leave out, however far apart.
    pub excluded: Vec<u64>,
    /// The volume of the frame's box, or its area; `None` where space is open.
    pub volume: Option<f64>,
    /// The frame's box, where it is kept ([`FrameBins::keeping_boxes`]).
    pub domain: Option<Arc<Domain>>,
    /// What the frame counts for among others.
    pub weight: f64,
    /// The sums of [`FrameJob::program`].
    pub sums: Vec<FrameSum>,
}

/// How far a run over frames came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FramesDone {
    /// Frames counted.
    pub frames: u64,
    /// Whether it was asked to stop before the last of them.
    pub interrupted: bool,
}

/// What all threads of a run see.
struct Run<'a, F> {
    /// Set where a frame was given up because of a request to stop.
    over: AtomicBool,
    /// The place of the first frame that failed, as they were handed out; `u64::MAX` if none has.
    failed: AtomicU64,
    error: Mutex<Option<F>>,
    progress: &'a dyn Progress,
}

impl<F> Run<'_, F> {
    /// Whether the frame at this place is not wanted any more. Those before one that failed are: they may fail as well, and then theirs is the error.
    fn is_over(&self, place: u64) -> bool {
        self.failed.load(Ordering::SeqCst) <= place || self.progress.stop_requested()
    }

    fn fail(&self, place: u64, error: F) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if place < self.failed.fetch_min(place, Ordering::SeqCst) {
            *first = Some(error);
        }
    }
}

/// What a worker hears while it counts: progress is reported a frame at a time.
struct InFrame<'a, F> {
    run: &'a Run<'a, F>,
    place: u64,
}

impl<F: Send> Progress for InFrame<'_, F> {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        self.run.is_over(self.place)
    }
}

/// Counts frame after frame: `next` hands them out, one at a time and on a thread of its own; `ready` makes a job of one, on the thread of the worker that counts
/// it; `done` takes the counts, on the thread of the caller, as they come.
///
/// Never are there more frames in memory than twice the workers and a few. `progress` advances by one for each frame. A request to stop ends the run after
/// the frames that are done: what `done` has taken stays valid.
///
/// ```
/// use albireo_fluids::frames::{FrameBins, FrameJob, FrameWorkers, count_frames};
/// use albireo::engine::{AnyEngine, Cpu};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Labels, Particles, PeriodicBox, RBins, random};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let mut frames = 0..20u64;
/// let what = FrameBins::all(RBins::new(Edges::linear(0.0, 0.5, 5)?), 2);
/// let mut pairs = [0u64; 3];
/// let ready = |seed: u64| {
///     let atoms = Particles::new(random::in_box(300, seed, [1.0; 3])?);
///     let labels = Labels::new((0..300).map(|k| u32::from(k % 3 != 0)).collect(), 2)?;
///     Ok(FrameJob { number: seed, particles: atoms.labelled(labels)?, domain: domain.clone(), volume: domain.volume(), cuts: vec![], excluded: None, weight: 1.0, program: None })
/// };
/// let workers = FrameWorkers::each_alone(&AnyEngine::Cpu(Cpu::new()))?;
/// let done = count_frames::<_, albireo::Error>(&workers, &what, || Ok(frames.next()), ready, |frame| {
///     for (table, sum) in pairs.iter_mut().enumerate() {
///         *sum += frame.tally.table(table).pairs().iter().sum::<u64>();
///     }
///     Ok(())
/// }, &Silent)?;
/// assert_eq!(done.frames, 20);
/// assert!(pairs[0] < pairs[2] && pairs[2] < pairs[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// What `done` has; else, of the frames in the order of `next`, the first that it, `ready` or an engine refuses, however many workers there are.
pub fn count_frames<R, F>(
    workers: &FrameWorkers,
    what: &FrameBins,
    next: impl FnMut() -> Result<Option<R>, F> + Send,
    ready: impl Fn(R) -> Result<FrameJob, F> + Sync,
    done: impl FnMut(FrameTally) -> Result<(), F>,
    progress: &dyn Progress,
) -> Result<FramesDone, F>
where
    R: Send,
    F: From<EngineError> + Send,
{
    let count = |engine: &AnyEngine, frame: R, progress: &dyn Progress| -> Result<_, F> {
        Ok(what.count(engine, ready(frame)?, progress)?)
    };
    each_counted(workers, next, count, done, progress)
}

/// Counts what `next` hands out, as [`count_frames`] does.
fn each_counted<R, T, F>(
    workers: &FrameWorkers,
    next: impl FnMut() -> Result<Option<R>, F> + Send,
    count: impl Fn(&AnyEngine, R, &dyn Progress) -> Result<T, F> + Sync,
    mut done: impl FnMut(T) -> Result<(), F>,
    progress: &dyn Progress,
) -> Result<FramesDone, F>
where
    R: Send,
    T: Send,
    F: Send,
{
    let run = Run {
        over: AtomicBool::new(false),
        failed: AtomicU64::new(u64::MAX),
        error: Mutex::new(None),
        progress,
    };
    let (out, raw) = sync_channel(workers.engines().len() + 1);
    let (counted, tallies) = sync_channel(workers.engines().len() + 1);
    let raw = Mutex::new(raw);
    let frames = std::thread::scope(|scope| {
        let (run, raw, count) = (&run, &raw, &count);
        scope.spawn(move || read(run, next, &out));
        for engine in workers.engines() {
            let counted = counted.clone();
            scope.spawn(move || work(run, engine, raw, count, &counted));
        }
        drop(counted);
        let mut frames = 0;
        // Workers that fail hang up; those that are full go on until nobody waits for them.
        for tally in tallies {
            if run.error_is_set() {
                continue;
            }
            match done(tally) {
                Ok(()) => {
                    frames += 1;
                    progress.advance(1);
                }
                Err(error) => run.fail(0, error),
            }
        }
        frames
    });
    let error = run
        .error
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match error {
        Some(error) => Err(error),
        None => Ok(FramesDone {
            frames,
            interrupted: run.over.load(Ordering::Relaxed) || progress.stop_requested(),
        }),
    }
}

impl<F> Run<'_, F> {
    fn error_is_set(&self) -> bool {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.is_some()
    }
}

/// Hands frames out until there are no more, or nobody wants them.
fn read<R, F>(
    run: &Run<'_, F>,
    mut next: impl FnMut() -> Result<Option<R>, F>,
    out: &SyncSender<(u64, R)>,
) {
    for place in 0.. {
        if run.is_over(place) {
            return;
        }
        match next() {
            Ok(Some(frame)) => {
                if out.send((place, frame)).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => return run.fail(place, error),
        }
    }
}

/// Counts frames until there are no more.
fn work<R, T, F: Send>(
    run: &Run<'_, F>,
    engine: &AnyEngine,
    raw: &Mutex<Receiver<(u64, R)>>,
    count: impl Fn(&AnyEngine, R, &dyn Progress) -> Result<T, F>,
    counted: &SyncSender<T>,
) {
    loop {
        let frame = raw.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((place, frame)) = frame else { return };
        if run.is_over(place) {
            // The reader must not wait for room.
            continue;
        }
        match count(engine, frame, &InFrame { run, place }) {
            Ok(tally) => {
                if counted.send(tally).is_err() {
                    return;
                }
            }
            // A frame that was given up is not one that failed.
            Err(_) if run.progress.stop_requested() => run.over.store(true, Ordering::SeqCst),
            Err(error) => run.fail(place, error),
        }
    }
}
