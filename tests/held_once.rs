//! Samples of which several processes hold one copy: for any sample, the counts are those of the double loop.
//!
//! Processes are threads here, and their memory a list of what the first of them gives.

use crate::made::cube;

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex};

use albireo::engine::{AnyEngine, Cpu, PreparedJob, Progress, SharedMemory, Silent};
use albireo::error::EngineError;
use albireo::particles::Column;
use albireo::{
    CountSpec, Edges, Engine, Labels, Naive, PairJob, Pairs, Particles, RBins, Tally, Weights,
    random,
};

/// Numbers that were given; none where they cannot be shared.
type Numbers = Option<Arc<Vec<f64>>>;

/// What has been given, one after the other, and whether the first process has ended.
#[derive(Default)]
struct Given {
    numbers: Mutex<(Vec<Numbers>, bool)>,
    changed: Condvar,
}

/// What becomes of numbers between processes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Passing {
    Same,
    /// They cannot be shared.
    Never,
    /// One of them is another one.
    Changed(usize),
}

struct Memory<'a> {
    given: &'a Given,
    is_first: bool,
    passing: Passing,
    turn: Cell<usize>,
}

impl Memory<'_> {
    fn pass(&self, runs: Vec<f64>) -> Result<Option<Vec<f64>>, EngineError> {
        let turn = self.turn.replace(self.turn.get() + 1);
        let mut state = self.given.numbers.lock().unwrap();
        if self.is_first {
            let shared = (self.passing != Passing::Never).then(|| Arc::new(runs));
            state.0.push(shared);
            self.given.changed.notify_all();
        }
        let state =
            (self.given.changed).wait_while(state, |(all, left)| all.len() <= turn && !*left);
        let Some(numbers) = state.unwrap().0.get(turn).cloned() else {
            return Err(EngineError::Outside("the first one has ended".to_owned()));
        };
        Ok(numbers.map(|numbers| {
            let mut numbers = numbers.to_vec();
            if let (Passing::Changed(at), false) = (self.passing, numbers.is_empty()) {
                let at = at % numbers.len();
                numbers[at] = f64::from_bits(numbers[at].to_bits() ^ 1);
            }
            numbers
        }))
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        if self.is_first {
            self.given.numbers.lock().unwrap().1 = true;
            self.given.changed.notify_all();
        }
    }
}

impl SharedMemory for Memory<'_> {
    fn is_first(&self) -> bool {
        self.is_first
    }

    fn doubles(&self, runs: Vec<Cow<'_, [f64]>>) -> Result<Option<Column>, EngineError> {
        Ok(self.pass(runs.concat())?.map(Column::from))
    }

    fn singles(&self, runs: Vec<Cow<'_, [f32]>>) -> Result<Option<Column<f32>>, EngineError> {
        let numbers = runs.concat().into_iter().map(f64::from).collect();
        let single = |numbers: Vec<f64>| numbers.into_iter().map(|x| x as f32).collect::<Vec<_>>();
        Ok(self.pass(numbers)?.map(single).map(Column::from))
    }
}

/// Weighted twice, with labels.
fn sample(n: usize, seed: u64) -> Particles {
    let points = random::in_box(n, seed, [1.0; 3]).unwrap();
    let stream = random::Stream::new(seed + 1);
    let weights = |from: u64| (from..from + n as u64).map(|row| stream.uniform(row) - 0.25);
    let sample = Particles::weighted(points, weights(0).collect()).unwrap();
    let further: Vec<f64> = weights(n as u64).map(|w| 40.0 * w).collect();
    let sample = sample
        .with_weight_sets(vec![Weights::PerParticle(further.into())])
        .unwrap();
    let labels = (0..n as u32).map(|row| row % 3).collect();
    sample.labelled(Labels::new(labels, 3).unwrap()).unwrap()
}

fn what() -> CountSpec {
    let bins = RBins::new(Edges::linear(0.0, 0.2, 3).unwrap());
    let what = CountSpec::new(bins).with_weights();
    let further = what.sums()[0].clone().of_set(1);
    what.with_sum(further)
}

/// One process counts what several have prepared.
fn count(
    samples: &[Particles],
    memory: &Memory<'_>,
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    let engine = AnyEngine::Cpu(Cpu::new().with_threads(2)?);
    let prepared = samples
        .iter()
        .map(|sample| engine.prepare_once(sample.clone(), &cube(), memory, progress))
        .collect::<Result<Vec<_>, _>>()?;
    let job = PreparedJob::new(&prepared[0], prepared.get(1))?;
    let what = what();
    engine.lay_out_once(&job, &what, memory, progress)?;
    Ok(engine.tally(&job, &what, &Silent)?.0)
}

/// What each of several processes counts.
fn counts(
    samples: &[Particles],
    passing: Passing,
    progress: &(dyn Progress + Sync),
) -> Vec<Result<Tally, EngineError>> {
    let given = Given::default();
    let process = |rank: usize| {
        let memory = Memory {
            given: &given,
            is_first: rank == 0,
            passing,
            turn: Cell::new(0),
        };
        let progress: &dyn Progress = if rank == 0 { progress } else { &Silent };
        count(samples, &memory, progress)
    };
    std::thread::scope(|scope| {
        let process = &process;
        let all: Vec<_> = (0..3)
            .map(|rank| scope.spawn(move || process(rank)))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

#[test]
fn processes_that_share_count_what_the_double_loop_counts() {
    let samples = [sample(1500, 1), sample(900, 5)];
    for samples in [&samples[..1], &samples] {
        let pairs = match samples {
            [one] => Pairs::Auto(one),
            two => Pairs::Cross(&two[0], &two[1]),
        };
        let domain = cube();
        let job = PairJob::new(pairs, &domain).unwrap();
        let known = Naive.run(&job, &what(), &Silent).unwrap();
        assert!(known.sum(1).iter().any(|&sum| sum != 0));
        let changed = [0, 1, 77, 1003, 20_001, usize::MAX].map(Passing::Changed);
        for passing in [Passing::Same, Passing::Never].into_iter().chain(changed) {
            for found in counts(samples, passing, &Silent) {
                assert!(found.unwrap() == known, "{passing:?}");
            }
        }
    }
}

/// Asks for a stop from the beginning.
struct Stop;

impl Progress for Stop {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        true
    }
}

#[test]
fn who_waits_for_a_process_that_has_ended_hears_of_it() {
    let mut found = counts(&[sample(1500, 1)], Passing::Same, &Stop);
    assert_eq!(found.remove(0), Err(EngineError::Interrupted));
    for other in found {
        assert!(matches!(other, Err(EngineError::Outside(_))), "{other:?}");
    }
}
