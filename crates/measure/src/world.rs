//! The processes that carry out one command together.
//!
//! Entry: [`World`], which a program that starts several processes implements: all processes work out the same result, and the first one
//! writes it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsString;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use albireo::Tally;
use thiserror::Error;

use crate::usage::usage;

/// Processes that cannot reach one another.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("rank {rank}: {what}")]
pub struct WorldError {
    /// Where.
    pub rank: usize,
    /// What went wrong.
    pub what: String,
}

/// Numbers that the ranks of a node read, and nobody writes any more.
pub type NodeMemory<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// The processes, called ranks, of one job, and what goes between them. All ranks call its functions in the same order; those marked so may
/// be called by one alone.
pub trait World {
    /// The number of this rank, counting from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// The number of this rank among those of its node, and their number: for sharing out the GPUs of the node.
    fn on_node(&self) -> [usize; 2];

    /// Adds up numbers over all ranks, each in its place.
    ///
    /// # Errors
    /// Ranks that cannot be reached; so in all that follows.
    fn sum(&self, numbers: &mut [u64]) -> Result<(), WorldError>;

    /// The largest of each number over all ranks.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn max(&self, numbers: &mut [u64]) -> Result<(), WorldError>;

    /// What every rank gives, in their order, on every rank.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, WorldError>;

    /// Begins to hand out the numbers from 0 to below `n`, at least so many at a time.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn begin(&self, n: usize, least: usize) -> Result<(), WorldError>;

    /// The next numbers, `most` or fewer, which no other rank gets; none once all are handed out or a rank has stopped. By one rank alone.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn next(&self, most: usize) -> Result<Option<Range<usize>>, WorldError>;

    /// Hands out nothing more to anyone. By one rank alone.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn stop(&self) -> Result<(), WorldError>;

    /// Sees to what other ranks ask for, and tells which numbers they have done since: many times a second while this rank counts on
    /// other threads. By one rank alone.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn attend(&self) -> Result<Vec<Range<usize>>, WorldError>;

    /// Waits until every rank has come so far, without keeping a core busy.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn wait(&self) -> Result<(), WorldError>;

    /// Whether the ranks of a node can hold memory in common ([`World::hold_once`]).
    fn has_node_memory(&self) -> bool {
        false
    }

    /// The numbers that the first rank of each node gives, run after run, in memory of which a node holds one copy; none where that
    /// cannot be, which is so for all ranks of a node. By the ranks of a node. Vectors that are given away are freed piece by piece.
    ///
    /// # Errors
    /// As [`World::sum`], and a first rank that has left ([`World::leave_node`]).
    fn hold_once(&self, _: Vec<Cow<'_, [f64]>>) -> Result<Option<NodeMemory<f64>>, WorldError> {
        Ok(None)
    }

    /// As [`World::hold_once`], in single precision.
    ///
    /// # Errors
    /// As [`World::hold_once`].
    fn hold_singles_once(
        &self,
        _: Vec<Cow<'_, [f32]>>,
    ) -> Result<Option<NodeMemory<f32>>, WorldError> {
        Ok(None)
    }

    /// Whether all ranks of the node say yes. By the ranks of a node.
    ///
    /// # Errors
    /// As [`World::sum`].
    fn all_of_node(&self, yes: bool) -> Result<bool, WorldError> {
        Ok(yes)
    }

    /// Tells the other ranks of the node that this one, where it is the first, gives nothing more: who waits for it waits no longer. By
    /// one rank alone.
    fn leave_node(&self) {}

    /// Waits so long for another rank to claim that it tells why all of them end; where none has, claims it for this one and says true.
    /// By one rank alone.
    fn claim(&self, patience: Duration) -> bool;

    /// Ends all ranks with this exit code. By one rank alone.
    fn abort(&self, code: u8) -> !;
}

/// Numbers that are handed out, many at first and fewer towards the end: a share of 1 in 4 of what is left, evenly over all ranks, so that
/// they are done at about the same time though nobody knows what each number costs (guided self-scheduling, Polychronopoulos and Kuck
/// 1987, doi:10.1109/TC.1987.5009495, with a quarter of its shares).
///
/// ```
/// let mut guided = albireo_measure::Guided::new(100, 2, 1);
/// assert_eq!(guided.next(usize::MAX), Some(0..12));
/// assert_eq!(guided.next(5), Some(12..17));
/// guided.stop();
/// assert_eq!(guided.next(5), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Guided {
    next: usize,
    n: usize,
    ranks: usize,
    least: usize,
}

impl Guided {
    /// The numbers below `n` for so many ranks, at least `least` at a time but for the last.
    pub fn new(n: usize, ranks: usize, least: usize) -> Self {
        Self {
            next: 0,
            n,
            ranks: ranks.max(1),
            least: least.max(1),
        }
    }

    /// The next numbers, `most` or fewer.
    pub fn next(&mut self, most: usize) -> Option<Range<usize>> {
        let rest = self.n - self.next;
        let share = (rest / (4 * self.ranks)).max(self.least);
        let taken = share.min(most.max(1)).min(rest);
        let start = self.next;
        self.next += taken;
        (taken > 0).then_some(start..self.next)
    }

    /// Hands out nothing more.
    pub fn stop(&mut self) {
        self.n = self.next;
    }
}

/// One process by itself.
#[derive(Debug)]
pub(crate) struct Alone {
    guided: RefCell<Guided>,
    on_node: [usize; 2],
}

impl Default for Alone {
    fn default() -> Self {
        Self {
            guided: RefCell::default(),
            on_node: [0, 1],
        }
    }
}

impl Alone {
    /// A rank that does something by itself, on its own GPUs.
    pub(crate) fn of_rank(world: &dyn World) -> Rc<dyn World> {
        Rc::new(Self {
            on_node: world.on_node(),
            ..Self::default()
        })
    }
}

impl World for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn on_node(&self) -> [usize; 2] {
        self.on_node
    }

    fn sum(&self, _: &mut [u64]) -> Result<(), WorldError> {
        Ok(())
    }

    fn max(&self, _: &mut [u64]) -> Result<(), WorldError> {
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, WorldError> {
        Ok(vec![bytes.to_vec()])
    }

    fn begin(&self, n: usize, least: usize) -> Result<(), WorldError> {
        *self.guided.borrow_mut() = Guided::new(n, 1, least);
        Ok(())
    }

    fn next(&self, most: usize) -> Result<Option<Range<usize>>, WorldError> {
        Ok(self.guided.borrow_mut().next(most))
    }

    fn stop(&self) -> Result<(), WorldError> {
        self.guided.borrow_mut().stop();
        Ok(())
    }

    fn attend(&self) -> Result<Vec<Range<usize>>, WorldError> {
        Ok(Vec::new())
    }

    fn wait(&self) -> Result<(), WorldError> {
        Ok(())
    }

    fn claim(&self, _: Duration) -> bool {
        true
    }

    fn abort(&self, code: u8) -> ! {
        #[allow(clippy::exit, reason = "what a world is asked for here")]
        std::process::exit(i32::from(code))
    }
}

/// Where a rank runs: how many cores it may use of how many, and which.
fn place() -> [String; 3] {
    let usable = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let status = read("/proc/self/status");
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let all = read("/proc/cpuinfo")
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let mask = mask.unwrap_or_default().trim().to_owned();
    [usable.to_string(), all.max(usable).to_string(), mask]
}

/// Makes sure that all ranks were called alike, and tells where they run.
pub(crate) fn begin(world: &dyn World, words: &[OsString]) -> anyhow::Result<()> {
    let [usable, all, mask] = place();
    let words: Vec<_> = words.iter().skip(1).map(|w| w.to_string_lossy()).collect();
    let own = [usable, all, mask, words.join(" ")].join("\n");
    let known = world.gather(own.as_bytes())?;
    let known: Vec<String> = known
        .iter()
        .map(|bytes| String::from_utf8_lossy(bytes).into())
        .collect();
    let known: Vec<Vec<&str>> = known
        .iter()
        .map(|own| own.splitn(4, '\n').collect())
        .collect();
    if let Some(rank) = known.iter().position(|own| own[3] != known[0][3]) {
        return Err(usage(format!(
            "rank {rank} was called with other options than rank 0: `{}` and `{}`",
            known[rank][3], known[0][3]
        )));
    }
    let mut bound = 0;
    for (rank, own) in known.iter().enumerate().filter(|_| known.len() > 1) {
        tracing::debug!(
            "rank {rank} may use {} of {} cores: {}",
            own[0],
            own[1],
            own[2]
        );
        bound += usize::from(own[0] == "1" && own[1] != "1");
    }
    if bound > 0 {
        tracing::warn!(
            "{bound} of {} ranks may use one core only: start one rank a node and leave its threads all cores, e.g. mpirun --map-by ppr:1:node --bind-to none",
            known.len()
        );
    }
    Ok(())
}

/// The tally of all ranks together, on every rank.
pub(crate) fn sum(world: &dyn World, tally: Tally) -> Result<Tally, WorldError> {
    if world.size() == 1 {
        return Ok(tally);
    }
    let mut words = tally.to_addends();
    world.sum(&mut words)?;
    let lost = || WorldError {
        rank: world.rank(),
        what: "the sums of all ranks are not as many as those of one".to_owned(),
    };
    tally.of_addends(&words).ok_or_else(lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_handed_out_once() {
        for (n, ranks, least) in [(0, 1, 1), (1, 3, 1), (1000, 1, 1), (1000, 7, 10), (5, 2, 9)] {
            let mut guided = Guided::new(n, ranks, least);
            let (mut next, mut before) = (0, usize::MAX);
            while let Some(run) = guided.next(usize::MAX) {
                assert_eq!(run.start, next);
                assert!(run.len() <= before && !run.is_empty());
                assert!(run.len() >= least || run.end == n);
                (next, before) = (run.end, run.len().max(least));
            }
            assert_eq!(next, n);
            assert_eq!(guided.next(1), None);
        }
        // No more than was asked for, and something in any case.
        let mut guided = Guided::new(100, 1, 20);
        assert_eq!(guided.next(3), Some(0..3));
        assert_eq!(guided.next(0), Some(3..4));
    }
}
