//! A count whose units are handed out: to the ranks of a world, a few at a time, with checkpoints between.
//!
//! Entry: [`Shares::count`]. The thread that calls it is the one that speaks with other ranks, and does nothing else while another counts.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "units are counted in usize, whose number ranks pass on"
)]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use albireo::Tally;
use albireo::engine::{Progress, Units};
use albireo::error::EngineError;
use albireo::tally::Merge as _;
use anyhow::{Result, anyhow, bail};

use crate::checkpoint::Checkpoints;
use crate::every::{LONGEST_LOOK, Pace};
use crate::node::Node;
use crate::part_file::{CountPart, PartFile};
use crate::paths::WrittenFile;
use crate::session::Session;
use crate::shard::Shard;
use crate::watch::{Loss, Watch};
use crate::world::{World, sum};

/// How often rank 0, whom the others ask, sees to them.
const ATTENTION: Duration = Duration::from_millis(1);
/// What is said where a panic has ended a thread.
const ENDED: &str = "the thread that counts has ended";

/// The counts of a command, of which ranks or processes one after the other count shares.
pub(crate) struct Shares {
    world: Rc<dyn World>,
    watch: Arc<dyn Watch>,
    /// The part that is counted, and its file; the whole where there is none.
    pub(crate) part: Option<(Shard, WrittenFile)>,
    pub(crate) checkpoints: Option<Checkpoints>,
    words: Vec<String>,
    /// Finished counts of a part.
    counts: RefCell<Vec<CountPart>>,
}

/// A count to be made, `empty` being its part without units.
pub(crate) struct Share<'a> {
    pub(crate) units: &'a Units,
    pub(crate) empty: CountPart,
    /// Units that are counted at a time, at least.
    pub(crate) least: usize,
    /// Runs of units that are counted at the same time: with two, threads that are done with one go on with the other.
    pub(crate) abreast: usize,
}

/// What counts a run of units, from another thread.
pub(crate) type CountRun<'a> =
    dyn Fn(Range<usize>, &dyn Progress) -> Result<Tally, EngineError> + Sync + 'a;

/// The progress of one of several runs, which begin nothing.
struct OfRun<'a>(&'a dyn Progress);

impl Progress for OfRun<'_> {
    fn begin(&self, _: u64) {}

    fn advance(&self, pairs: u64) {
        self.0.advance(pairs);
    }

    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

/// The units that are still to be counted, one after the other.
struct Missing(Vec<Range<usize>>);

impl Missing {
    fn len(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// The runs of units at these places among the missing ones.
    fn at(&self, places: &Range<usize>) -> Vec<Range<usize>> {
        let (mut before, mut runs) = (0, Vec::new());
        for run in &self.0 {
            let start = places.start.max(before);
            let end = places.end.min(before + run.len());
            if start < end {
                runs.push(run.start + start - before..run.start + end - before);
            }
            before += run.len();
        }
        runs
    }

    fn to_bytes(&self) -> Vec<u8> {
        let ends = self.0.iter().flat_map(|run| [run.start, run.end]);
        ends.flat_map(|end| (end as u64).to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let ends = bytes.as_chunks::<8>().0.iter();
        let ends: Vec<usize> = ends.map(|end| u64::from_le_bytes(*end) as usize).collect();
        Self(
            ends.as_chunks::<2>()
                .0
                .iter()
                .map(|[a, b]| *a..*b)
                .collect(),
        )
    }
}

/// A run of units that was counted, in so many seconds.
type Made = (Range<usize>, f64, Result<Tally, EngineError>);

/// Where runs of units that were counted are reported; none when a thread that counts has ended before its time.
type Tell = mpsc::Sender<Option<Made>>;

/// Tells when its thread panics.
struct Fallen<'a>(&'a Tell);

impl Drop for Fallen<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Nobody listens any more where this is lost.
            let _ = self.0.send(None);
        }
    }
}

/// Counts runs of units as they are given, and tells what came of each.
fn count_given(
    given: &Mutex<mpsc::Receiver<Range<usize>>>,
    tell: &Tell,
    count: &CountRun<'_>,
    progress: &dyn Progress,
) {
    let _fallen = Fallen(tell);
    let next = || given.lock().ok()?.recv().ok();
    while let Some(run) = next() {
        let start = Instant::now();
        let made = count(run.clone(), &OfRun(progress));
        let seconds = start.elapsed().as_secs_f64();
        if tell.send(Some((run, seconds, made))).is_err() {
            return;
        }
    }
}

impl Shares {
    pub(crate) fn new(
        session: &Session<'_>,
        part: Option<(Shard, WrittenFile)>,
        checkpoints: Option<Checkpoints>,
        words: Vec<String>,
    ) -> Self {
        Self {
            world: Rc::clone(&session.world),
            watch: Arc::clone(&session.watch),
            part,
            checkpoints,
            words,
            counts: RefCell::default(),
        }
    }

    /// The ranks of this node, where there are several.
    pub(crate) fn node(&self) -> Option<Node> {
        Node::of(&self.world)
    }

    /// Number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.world.size()
    }

    /// Makes a count, or the part of it that is asked for: its tally, on every rank.
    pub(crate) fn count(
        &self,
        share: &Share<'_>,
        count: &CountRun<'_>,
        progress: &dyn Progress,
    ) -> Result<Tally> {
        let is_kept = self.checkpoints.is_some();
        let _keeping = is_kept.then(|| self.watch.during(Loss::Counts));
        let (world, units) = (&*self.world, share.units);
        self.check_same(&share.empty)?;
        let all = match &self.part {
            None => 0..units.len(),
            Some((shard, _)) => units.part(shard.index, shard.of),
        };
        let name = share.empty.of.name.clone();
        let mut mine = share.empty.clone();
        let mut missing = Missing(if all.is_empty() {
            vec![]
        } else {
            vec![all.clone()]
        });
        if let Some(checkpoints) = &self.checkpoints {
            let held = checkpoints.begin(share.empty.clone())?;
            missing = Missing(held.missing(all.clone()));
            if held.units() > 0 {
                let (held, all) = (held.units(), all.len());
                tracing::info!("{name}: {held} of {all} units were counted before");
            }
            mine.tally.merge(held.tally);
        }
        // The first rank has read the files.
        let known = world.gather(&missing.to_bytes())?;
        let missing = Missing::from_bytes(known.first().map_or(&[], Vec::as_slice));
        let pairs = missing.0.iter().map(|run| units.pairs(run.clone()));
        progress.begin(pairs.sum());
        let least = match (world.size(), &self.checkpoints) {
            // Nobody else wants any of them.
            (1, None) => missing.len(),
            _ => share.least,
        };
        world.begin(missing.len(), least)?;
        let tally = self.count_missing(&missing, share, count, progress)?;
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.save()?;
        }
        world.wait()?;
        self.check_stopped(&name)?;
        mine.tally.merge(tally.tally);
        mine.seconds += tally.seconds;
        mine.tally = sum(world, mine.tally)?;
        if self.part.is_some() && !all.is_empty() {
            mine.covers = vec![[all.start, all.end]];
        }
        let total = mine.tally.clone();
        self.counts.borrow_mut().push(mine);
        Ok(total)
    }

    /// Counts what this rank is handed of the units that are missing.
    fn count_missing(
        &self,
        missing: &Missing,
        share: &Share<'_>,
        count: &CountRun<'_>,
        progress: &dyn Progress,
    ) -> Result<Counted> {
        std::thread::scope(|scope| {
            let (give, given) = mpsc::channel();
            let (tell, told) = mpsc::channel();
            let given = Arc::new(Mutex::new(given));
            for _ in 0..share.abreast {
                let (given, tell) = (Arc::clone(&given), tell.clone());
                scope.spawn(move || count_given(&given, &tell, count, progress));
            }
            let mut counted = Counted::default();
            let mut pace = Pace::new(self.checkpoints.as_ref().map(Checkpoints::pause));
            let (mut waiting, mut at_work, mut more) = (VecDeque::new(), 0, true);
            loop {
                while more && at_work < share.abreast {
                    if waiting.is_empty() {
                        let places = self.next(&pace)?;
                        more = places.is_some();
                        waiting.extend(missing.at(&places.unwrap_or_default()));
                    }
                    if let Some(run) = waiting.pop_front() {
                        give.send(run).map_err(|_| anyhow!(ENDED))?;
                        at_work += 1;
                    }
                }
                if at_work == 0 {
                    return Ok(counted);
                }
                let (run, seconds, made) = self.attend(&told, (missing, share.units), progress)?;
                at_work -= 1;
                let made = match made {
                    Err(EngineError::Interrupted) if self.watch.stop_requested() => {
                        // Who knows that there is no more has nothing to say.
                        if std::mem::take(&mut more) {
                            self.world.stop()?;
                        }
                        continue;
                    }
                    made => made?,
                };
                pace.learn(run.len(), seconds);
                counted.seconds += seconds;
                counted.tally.merge(made.clone());
                if let Some(checkpoints) = &self.checkpoints {
                    checkpoints.add(&run, made, seconds)?;
                }
            }
        })
    }

    /// The places of the next units, unless a stop is asked for.
    fn next(&self, pace: &Pace) -> Result<Option<Range<usize>>> {
        if self.watch.stop_requested() {
            self.world.stop()?;
            return Ok(None);
        }
        Ok(self.world.next(pace.most)?)
    }

    /// Sees to other ranks until the thread that counts reports something.
    fn attend(
        &self,
        told: &mpsc::Receiver<Option<Made>>,
        (missing, units): (&Missing, &Units),
        progress: &dyn Progress,
    ) -> Result<Made> {
        let is_asked = self.world.rank() == 0 && self.world.size() > 1;
        let pause = if is_asked { ATTENTION } else { LONGEST_LOOK };
        loop {
            match told.recv_timeout(pause) {
                Ok(Some(made)) => return Ok(made),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => bail!(ENDED),
                Err(RecvTimeoutError::Timeout) => {
                    let elsewhere = self.world.attend()?;
                    let runs = elsewhere.iter().flat_map(|places| missing.at(places));
                    let pairs: u64 = runs.map(|run| units.pairs(run)).sum();
                    if pairs > 0 {
                        progress.advance(pairs);
                    }
                }
            }
        }
    }

    /// Refuses ranks that have not read the same, or count something else.
    fn check_same(&self, empty: &CountPart) -> Result<()> {
        let known = self.world.gather(empty.digest().as_bytes())?;
        let differs = known.iter().position(|other| *other != known[0]);
        match differs {
            None => Ok(()),
            Some(rank) => Err(anyhow!(
                "{}: rank {rank} has read other particles, weights or settings than rank 0, or counts by another engine: do all nodes see the same files, and do all or none have GPUs?",
                empty.of.name
            )),
        }
    }

    /// Ends all ranks together where one of them was asked to stop.
    fn check_stopped(&self, name: &str) -> Result<()> {
        let mut code =
            [u64::from(self.watch.stop_requested())
                + u64::from(self.watch.exit_code().unwrap_or(0))];
        self.world.max(&mut code)?;
        match (&self.checkpoints, code) {
            (_, [0]) => Ok(()),
            (None, _) => Err(EngineError::Interrupted.into()),
            (Some(checkpoints), _) => Err(anyhow!(
                "stopped while counting {name}: the same command goes on from {}",
                checkpoints.folder().display()
            )),
        }
    }

    /// Writes the file of the part, where one is asked for.
    pub(crate) fn write_part(&self) -> Result<()> {
        let Some((Shard { index, of }, path)) = &self.part else {
            return Ok(());
        };
        let counts = self.counts.take();
        for count in &counts {
            let covers = count.covers.iter().map(|[start, end]| end - start);
            let (name, covers, units) = (&count.of.name, covers.sum::<usize>(), count.units);
            tracing::info!("{name}: part {index} of {of} has {covers} of {units} units");
        }
        let part = PartFile {
            words: self.words.clone(),
            shard: format!("{index}/{of}"),
            counts,
        };
        if self.world.rank() == 0 {
            part.write(path)?;
            tracing::info!("part written to {}", path.display());
        }
        Ok(())
    }
}

/// What a rank has counted.
#[derive(Default)]
struct Counted {
    tally: Tally,
    seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_among_missing_units_are_units() {
        let missing = Missing(vec![3..5, 9..10, 20..24]);
        assert_eq!(missing.len(), 7);
        assert_eq!(missing.at(&(0..7)), missing.0);
        assert_eq!(missing.at(&(1..4)), [4..5, 9..10, 20..21]);
        assert!(missing.at(&(3..3)).is_empty());
        let again = Missing::from_bytes(&missing.to_bytes());
        assert_eq!(again.0, missing.0);
    }
}
