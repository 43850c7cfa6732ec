//! Threads of one process as the ranks of a job, some on one node with others: what MPI does, without MPI.
//!
//! Entry: [`run`].

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use albireo_cli::main_of_rank;
use albireo_measure::{Guided, NodeMemory, World, WorldError};

/// Set where a rank that fails leaves it to the others to end too.
pub(crate) const EACH_BY_ITSELF: &str = "ALBIREO_EACH_BY_ITSELF";

/// Where ranks meet: each gives something, and all get what all gave.
struct Meeting<T> {
    size: usize,
    state: Mutex<Met<T>>,
    changed: Condvar,
}

struct Met<T> {
    given: Vec<Option<T>>,
    /// What was given at the last meeting, and how many have taken it.
    all: Option<(Arc<Vec<T>>, usize)>,
}

impl<T> Meeting<T> {
    fn of(size: usize) -> Self {
        let given = (0..size).map(|_| None).collect();
        Self {
            size,
            state: Mutex::new(Met { given, all: None }),
            changed: Condvar::new(),
        }
    }

    fn meet(&self, rank: usize, own: T) -> Arc<Vec<T>> {
        let state = self.state.lock().unwrap();
        // The last meeting has to be over.
        let mut state = self.changed.wait_while(state, |s| s.all.is_some()).unwrap();
        state.given[rank] = Some(own);
        if state.given.iter().all(Option::is_some) {
            let all = state.given.iter_mut().filter_map(Option::take).collect();
            state.all = Some((Arc::new(all), 0));
            self.changed.notify_all();
        }
        let mut state = self.changed.wait_while(state, |s| s.all.is_none()).unwrap();
        let (all, taken) = state.all.as_mut().unwrap();
        *taken += 1;
        let (all, last) = (Arc::clone(all), *taken == self.size);
        if last {
            state.all = None;
            self.changed.notify_all();
        }
        all
    }
}

/// What the first rank of a node gives.
#[derive(Clone)]
enum Given {
    Doubles(Arc<Vec<f64>>),
    Singles(Arc<Vec<f32>>),
    Nothing,
    /// It gives nothing more.
    Left,
}

struct Node {
    meeting: Meeting<bool>,
    /// How often something was given, and the last of it.
    given: Mutex<(usize, Given)>,
    changed: Condvar,
}

#[derive(Default)]
struct Desk {
    guided: Guided,
    /// How often it was begun.
    begun: usize,
}

struct Job {
    size: usize,
    /// The node of each rank.
    nodes: Vec<usize>,
    of_nodes: Vec<Node>,
    /// Whether nodes have memory in common.
    memory: bool,
    meeting: Meeting<Vec<u8>>,
    numbers: Meeting<Vec<u64>>,
    desk: Mutex<Desk>,
    changed: Condvar,
    claimed: Mutex<bool>,
}

/// One of the ranks.
struct Rank {
    number: usize,
    job: Arc<Job>,
    begun: Cell<usize>,
    taken: Cell<usize>,
}

impl Rank {
    fn node(&self) -> &Node {
        &self.job.of_nodes[self.job.nodes[self.number]]
    }

    fn reduce(&self, numbers: &mut [u64], join: fn(u64, u64) -> u64) {
        let all = self.job.numbers.meet(self.number, numbers.to_vec());
        for (k, number) in numbers.iter_mut().enumerate() {
            let each = all.iter().map(|own| own[k]);
            *number = each.reduce(join).unwrap();
        }
    }

    /// Gives, or takes what the first rank of the node gives.
    fn exchange(&self, own: impl FnOnce() -> Given) -> Result<Given, WorldError> {
        let node = self.node();
        let turn = self.taken.replace(self.taken.get() + 1) + 1;
        let given = if self.on_node()[0] == 0 {
            let own = own();
            *node.given.lock().unwrap() = (turn, own.clone());
            node.changed.notify_all();
            own
        } else {
            let state = node.given.lock().unwrap();
            let early =
                |state: &mut (usize, Given)| state.0 < turn && !matches!(state.1, Given::Left);
            node.changed.wait_while(state, early).unwrap().1.clone()
        };
        if matches!(given, Given::Left) {
            return Err(WorldError {
                rank: self.number,
                what: "the first rank of this node has ended".to_owned(),
            });
        }
        self.all_of_node(true)?;
        Ok(given)
    }
}

impl World for Rank {
    fn rank(&self) -> usize {
        self.number
    }

    fn size(&self) -> usize {
        self.job.size
    }

    fn on_node(&self) -> [usize; 2] {
        let here = self.job.nodes[self.number];
        let of = |ranks: &[usize]| ranks.iter().filter(|node| **node == here).count();
        [of(&self.job.nodes[..self.number]), of(&self.job.nodes)]
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), WorldError> {
        self.reduce(numbers, u64::wrapping_add);
        Ok(())
    }

    fn max(&self, numbers: &mut [u64]) -> Result<(), WorldError> {
        self.reduce(numbers, u64::max);
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, WorldError> {
        Ok(self.job.meeting.meet(self.number, bytes.to_vec()).to_vec())
    }

    fn begin(&self, n: usize, least: usize) -> Result<(), WorldError> {
        self.begun.set(self.begun.get() + 1);
        if self.number == 0 {
            let mut desk = self.job.desk.lock().unwrap();
            desk.guided = Guided::new(n, self.job.size, least);
            desk.begun += 1;
            self.job.changed.notify_all();
        }
        Ok(())
    }

    fn next(&self, most: usize) -> Result<Option<Range<usize>>, WorldError> {
        let desk = self.job.desk.lock().unwrap();
        let early = |desk: &mut Desk| desk.begun < self.begun.get();
        let mut desk = self.job.changed.wait_while(desk, early).unwrap();
        Ok(desk.guided.next(most))
    }

    fn stop(&self) -> Result<(), WorldError> {
        self.job.desk.lock().unwrap().guided.stop();
        Ok(())
    }

    fn attend(&self) -> Result<Vec<Range<usize>>, WorldError> {
        Ok(Vec::new())
    }

    fn wait(&self) -> Result<(), WorldError> {
        self.job.meeting.meet(self.number, Vec::new());
        Ok(())
    }

    fn has_node_memory(&self) -> bool {
        self.job.memory
    }

    fn hold_once(&self, runs: Vec<Cow<'_, [f64]>>) -> Result<Option<NodeMemory<f64>>, WorldError> {
        let given = self.exchange(|| Given::Doubles(Arc::new(runs.concat())))?;
        Ok(match given {
            Given::Doubles(numbers) => Some(numbers),
            _ => None,
        })
    }

    fn hold_singles_once(
        &self,
        runs: Vec<Cow<'_, [f32]>>,
    ) -> Result<Option<NodeMemory<f32>>, WorldError> {
        let given = self.exchange(|| Given::Singles(Arc::new(runs.concat())))?;
        Ok(match given {
            Given::Singles(numbers) => Some(numbers),
            _ => None,
        })
    }

    fn all_of_node(&self, yes: bool) -> Result<bool, WorldError> {
        let all = self.node().meeting.meet(self.on_node()[0], yes);
        Ok(all.iter().all(|yes| *yes))
    }

    fn leave_node(&self) {
        if self.on_node()[0] == 0 {
            self.node().given.lock().unwrap().1 = Given::Left;
            self.node().changed.notify_all();
        }
    }

    fn claim(&self, patience: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < patience && !*self.job.claimed.lock().unwrap() {
            std::thread::sleep(Duration::from_millis(1));
        }
        !std::mem::replace(&mut *self.job.claimed.lock().unwrap(), true)
    }

    #[allow(clippy::exit, reason = "what a world is asked for here")]
    fn abort(&self, code: u8) -> ! {
        if std::env::var_os(EACH_BY_ITSELF).is_some() {
            eprintln!("rank {} has ended", self.number);
            loop {
                std::thread::park();
            }
        }
        std::process::exit(i32::from(code))
    }
}

/// Carries out a command line by ranks on nodes of these numbers, each in a thread; `memory` says whether nodes have any in common.
pub(crate) fn run(nodes: Vec<usize>, memory: bool, line: &[String]) -> ExitCode {
    let size = nodes.len();
    let on = |node: usize| nodes.iter().filter(|&&of| of == node).count();
    let node = |number: usize| Node {
        meeting: Meeting::of(on(number)),
        given: Mutex::new((0, Given::Nothing)),
        changed: Condvar::new(),
    };
    let job = Arc::new(Job {
        size,
        of_nodes: (0..=*nodes.iter().max().unwrap_or(&0)).map(node).collect(),
        nodes,
        memory,
        meeting: Meeting::of(size),
        numbers: Meeting::of(size),
        desk: Mutex::default(),
        changed: Condvar::new(),
        claimed: Mutex::default(),
    });
    let words = |line: &[String]| {
        let words = std::iter::once("albireo").chain(line.iter().map(String::as_str));
        words.map(Into::into).collect::<Vec<_>>()
    };
    let of_rank = |number: usize| {
        let world: Rc<dyn World> = Rc::new(Rank {
            number,
            job: Arc::clone(&job),
            begun: Cell::new(0),
            taken: Cell::new(0),
        });
        main_of_rank(words(line), &world)
    };
    std::thread::scope(|scope| {
        let of_rank = &of_rank;
        let ranks: Vec<_> = (0..size)
            .map(|rank| scope.spawn(move || of_rank(rank)))
            .collect();
        let codes: Vec<_> = ranks.into_iter().map(|rank| rank.join().unwrap()).collect();
        // A failure of several ranks has ended the process.
        codes[0]
    })
}
