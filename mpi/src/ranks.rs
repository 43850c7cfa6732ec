//! The ranks of an MPI job as a world.
//!
//! Entry: [`Ranks`]. Units are handed out by messages to rank 0, whose main thread looks for them all the time: a counter in one-sided memory
//! may need its owner inside MPI too, and this works with every MPI alike.

#[cfg(target_os = "linux")]
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use albireo_measure::NodeMemory;
use albireo_measure::{Guided, World, WorldError};
use ferrompi::{Communicator, Mpi, ReduceOp, Source, Tag, ThreadLevel};

#[cfg(target_os = "linux")]
use crate::node_memory::{Address, Mapped, MemoryFile};

/// Asks rank 0 for units: the most that are wanted, 0 to stop all ranks.
const ASK: i32 = 1;
/// Answers with the first unit and the end; both alike where there are no more.
const GIVE: i32 = 2;
/// Says that a rank tells why all of them end.
const TELL: i32 = 3;
/// Says where the first rank of a node keeps what it gives; on its node alone.
#[cfg(target_os = "linux")]
const PLACE: i32 = 4;
/// Instead of a place: the first rank gives nothing more.
#[cfg(target_os = "linux")]
const LEFT: Address = [u64::MAX; 5];
/// Between two looks at whether something has come, at first and after a while: nobody waits in a loop that keeps a core busy.
const PAUSES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(2)];
/// Numbers that are added up at a time.
const CHUNK: usize = 1 << 22;

/// What rank 0 knows of all ranks.
#[derive(Debug, Default)]
struct Desk {
    guided: Guided,
    /// Ranks that will ask no more.
    ended: usize,
    /// What each rank is at.
    at: Vec<Range<usize>>,
    /// What others have done since that was asked for.
    done: Vec<Range<usize>>,
}

/// The ranks of an MPI job.
pub(crate) struct Ranks {
    world: Communicator,
    node: Communicator,
    desk: RefCell<Option<Desk>>,
    /// Dropped last: it finalises MPI.
    _mpi: Mpi,
}

impl Ranks {
    /// Begins MPI.
    pub(crate) fn begin() -> Result<Self, ferrompi::Error> {
        let mpi = Mpi::init_thread(ThreadLevel::Funneled)?;
        let world = mpi.world();
        let node = world.split_shared()?;
        Ok(Self {
            world,
            node,
            desk: RefCell::default(),
            _mpi: mpi,
        })
    }

    fn told<T>(&self, made: ferrompi::Result<T>) -> Result<T, WorldError> {
        made.map_err(|error| WorldError {
            rank: self.rank(),
            what: error.to_string(),
        })
    }

    /// Waits for a message of this kind from a rank.
    fn wait_for(&self, source: i32, tag: i32) -> ferrompi::Result<()> {
        wait_until(|| {
            let (source, tag) = (Source::Rank(source), Tag::Value(tag));
            Ok(self.world.iprobe::<u64>(source, tag)?.is_some())
        })
    }

    /// Asks rank 0 for units.
    fn ask(&self, most: usize) -> ferrompi::Result<Option<Range<usize>>> {
        self.world.send(&[most as u64], 0, ASK)?;
        if most == 0 {
            return Ok(None);
        }
        self.wait_for(0, GIVE)?;
        let mut run = [0u64; 2];
        self.world.recv(&mut run, 0, GIVE)?;
        let [start, end] = run.map(|unit| unit as usize);
        Ok((start < end).then_some(start..end))
    }

    /// Answers all ranks that ask for units.
    fn answer(&self, desk: &mut Desk) -> ferrompi::Result<()> {
        while let Some(status) = self.world.iprobe::<u64>(Source::Any, Tag::Value(ASK))? {
            let mut most = [0u64];
            let Source::Rank(rank) = status.source else {
                break;
            };
            self.world.recv(&mut most, rank, ASK)?;
            let at = &mut desk.at[rank as usize];
            let before = std::mem::replace(at, 0..0);
            if most[0] == 0 {
                desk.guided.stop();
                desk.ended += 1;
                continue;
            }
            if !before.is_empty() {
                desk.done.push(before);
            }
            let run = desk.guided.next(most[0] as usize);
            if run.is_none() {
                desk.ended += 1;
            }
            let run = run.unwrap_or_default();
            desk.at[rank as usize] = run.clone();
            let run = [run.start as u64, run.end as u64];
            self.world.send(&run, rank, GIVE)?;
        }
        Ok(())
    }

    /// Answers until every other rank knows that there is no more.
    fn close(&self) -> ferrompi::Result<()> {
        let Some(mut desk) = self.desk.take() else {
            return Ok(());
        };
        wait_until(|| {
            self.answer(&mut desk)?;
            Ok(desk.ended + 1 >= self.size())
        })
    }

    fn barrier(&self) -> ferrompi::Result<()> {
        wait_all(&self.world)
    }

    /// Tells the other ranks of the node a place.
    #[cfg(target_os = "linux")]
    fn tell_place(&self, place: &Address) -> ferrompi::Result<()> {
        (1..self.node.size()).try_for_each(|rank| self.node.send(place, rank, PLACE))
    }

    /// Waits for the place that the first rank of the node tells.
    #[cfg(target_os = "linux")]
    fn told_place(&self) -> ferrompi::Result<Address> {
        wait_until(|| {
            let (first, tag) = (Source::Rank(0), Tag::Value(PLACE));
            Ok(self.node.iprobe::<u64>(first, tag)?.is_some())
        })?;
        let mut place = Address::default();
        self.node.recv(&mut place, 0, PLACE)?;
        Ok(place)
    }

    /// What the first rank of this node gives, mapped by all of its ranks; none where one of them cannot.
    #[cfg(target_os = "linux")]
    fn map_once<T: bytemuck::NoUninit>(
        &self,
        runs: Vec<Cow<'_, [T]>>,
    ) -> Result<Option<Mapped>, WorldError> {
        let file = if self.node.rank() == 0 {
            let file = MemoryFile::of(runs).ok();
            let place = file.as_ref().and_then(|file| file.address().ok());
            // No process has the number 0.
            self.told(self.tell_place(&place.unwrap_or_default()))?;
            file.filter(|_| place.is_some())
        } else {
            let place = self.told(self.told_place())?;
            if place == LEFT {
                return Err(WorldError {
                    rank: self.rank(),
                    what: "the first rank of this node has ended".to_owned(),
                });
            }
            MemoryFile::at(place).ok()
        };
        let mapped = file.as_ref().and_then(|file| Mapped::of(file).ok());
        // Until all have mapped it the first one keeps the file.
        let all = self.all_of_node(mapped.is_some())?;
        Ok(mapped.filter(|_| all))
    }

    fn reduce(&self, numbers: &mut [u64], how: ReduceOp) -> Result<(), WorldError> {
        for chunk in numbers.chunks_mut(CHUNK) {
            self.told(self.world.allreduce_inplace(chunk, how))?;
        }
        Ok(())
    }
}

/// Looks again and again whether something has come, the less often the longer it has not.
fn wait_until(mut come: impl FnMut() -> ferrompi::Result<bool>) -> ferrompi::Result<()> {
    let [mut pause, longest] = PAUSES;
    while !come()? {
        std::thread::sleep(pause);
        pause = (pause + pause / 4).min(longest);
    }
    Ok(())
}

/// Waits for all ranks without keeping a core busy.
fn wait_all(ranks: &Communicator) -> ferrompi::Result<()> {
    ferrompi::scope(|scope| {
        let mut all = ranks.ibarrier(scope)?;
        wait_until(|| Ok(all.test()?.is_some()))
    })
}

impl World for Ranks {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn on_node(&self) -> [usize; 2] {
        [self.node.rank(), self.node.size()].map(|n| n as usize)
    }

    #[cfg(target_os = "linux")]
    fn has_node_memory(&self) -> bool {
        true
    }

    #[cfg(target_os = "linux")]
    fn hold_once(&self, runs: Vec<Cow<'_, [f64]>>) -> Result<Option<NodeMemory<f64>>, WorldError> {
        let mapped = self.map_once(runs)?;
        Ok(mapped.map(|mapped| Arc::new(mapped) as NodeMemory<f64>))
    }

    #[cfg(target_os = "linux")]
    fn hold_singles_once(
        &self,
        runs: Vec<Cow<'_, [f32]>>,
    ) -> Result<Option<NodeMemory<f32>>, WorldError> {
        let mapped = self.map_once(runs)?;
        // What kernels go through.
        if let (Some(mapped), 0) = (&mapped, self.node.rank()) {
            mapped.move_into_large_pages();
        }
        Ok(mapped.map(|mapped| Arc::new(mapped) as NodeMemory<f32>))
    }

    fn all_of_node(&self, yes: bool) -> Result<bool, WorldError> {
        // Ranks that come late are waited for here, not in a loop inside MPI.
        self.told(wait_all(&self.node))?;
        let mut all = [u64::from(yes)];
        self.told(self.node.allreduce_inplace(&mut all, ReduceOp::Min))?;
        Ok(all == [1])
    }

    #[cfg(target_os = "linux")]
    fn leave_node(&self) {
        if self.node.rank() == 0 {
            // Who cannot be reached is ended with the job.
            let _ = self.tell_place(&LEFT);
        }
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), WorldError> {
        self.reduce(numbers, ReduceOp::Sum)
    }

    fn max(&self, numbers: &mut [u64]) -> Result<(), WorldError> {
        self.reduce(numbers, ReduceOp::Max)
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, WorldError> {
        let mut all = vec![0u64; self.size()];
        // Ranks that come late are waited for here, not in a loop inside MPI.
        self.told(self.barrier())?;
        self.told(self.world.allgather(&[bytes.len() as u64], &mut all))?;
        // Places among all bytes are numbered in 32 bits.
        if all.iter().sum::<u64>() > i32::MAX as u64 {
            return Err(WorldError {
                rank: self.rank(),
                what: "more bytes at a time than MPI can number".to_owned(),
            });
        }
        let lengths: Vec<i32> = all.iter().map(|&n| n as i32).collect();
        let starts: Vec<i32> = lengths
            .iter()
            .scan(0, |end, length| {
                *end += length;
                Some(*end - length)
            })
            .collect();
        let mut all = vec![0u8; lengths.iter().map(|&n| n as usize).sum()];
        self.told(self.world.allgatherv(bytes, &mut all, &lengths, &starts))?;
        let each = starts.iter().zip(&lengths);
        Ok(each
            .map(|(&start, &n)| all[start as usize..(start + n) as usize].to_vec())
            .collect())
    }

    fn begin(&self, n: usize, least: usize) -> Result<(), WorldError> {
        if self.rank() == 0 {
            *self.desk.borrow_mut() = Some(Desk {
                guided: Guided::new(n, self.size(), least),
                at: vec![0..0; self.size()],
                ..Desk::default()
            });
        }
        Ok(())
    }

    fn next(&self, most: usize) -> Result<Option<Range<usize>>, WorldError> {
        if self.rank() > 0 {
            return self.told(self.ask(most.max(1)));
        }
        let mut desk = self.desk.borrow_mut();
        let Some(desk) = desk.as_mut() else {
            return Ok(None);
        };
        self.told(self.answer(desk))?;
        Ok(desk.guided.next(most))
    }

    fn stop(&self) -> Result<(), WorldError> {
        if self.rank() > 0 {
            return self.told(self.ask(0)).map(|_| ());
        }
        if let Some(desk) = self.desk.borrow_mut().as_mut() {
            desk.guided.stop();
        }
        Ok(())
    }

    fn attend(&self) -> Result<Vec<Range<usize>>, WorldError> {
        let mut desk = self.desk.borrow_mut();
        let Some(desk) = desk.as_mut() else {
            return Ok(Vec::new());
        };
        self.told(self.answer(desk))?;
        Ok(std::mem::take(&mut desk.done))
    }

    fn wait(&self) -> Result<(), WorldError> {
        self.told(self.close())?;
        self.told(self.barrier())
    }

    fn claim(&self, patience: Duration) -> bool {
        let begun = Instant::now();
        loop {
            // What cannot be found out any more is reported rather twice than never.
            if let Ok(Some(_)) = self.world.iprobe::<u64>(Source::Any, Tag::Value(TELL)) {
                return false;
            }
            if begun.elapsed() >= patience {
                break;
            }
            std::thread::sleep(PAUSES[1]);
        }
        for rank in (0..self.world.size()).filter(|&rank| rank != self.world.rank()) {
            let _ = self.world.send(&[0u64], rank, TELL);
        }
        true
    }

    fn abort(&self, code: u8) -> ! {
        self.world.abort(i32::from(code))
    }
}
