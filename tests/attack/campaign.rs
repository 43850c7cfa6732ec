//! Many cases against one opponent, until a difference, a number of cases or a time is reached.
//!
//! Entry: [`Campaign`]. Environment variables choose others than the fixed ones of CI: `ALBIREO_ATTACK_SEED`, `ALBIREO_ATTACK_CASES`,
//! `ALBIREO_ATTACK_SECONDS`, `ALBIREO_ATTACK_CASE` (that number alone), `ALBIREO_ATTACK_SKIP` (words; cases of classes that hold one are left
//! out) and `ALBIREO_ATTACK_SHRINK` (seconds, 0 for none).

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use albireo::tally::Tally;

use super::case::Case;
use super::compare::Expected;
use super::digest::Digest;
use super::draw::{Limits, draw};
use super::shrink::shrunk;
use super::variable::variable;

/// The seed of CI.
pub const SEED: u64 = 20_261_122;

/// What to draw, and for how long.
#[derive(Debug, Clone)]
pub struct Campaign {
    seed: u64,
    cases: u64,
    time: Duration,
    only: Option<u64>,
    skip: Vec<String>,
    shrink: Duration,
    limits: Limits,
    threads: usize,
}

/// How often each class occurred.
pub type Census = BTreeMap<&'static str, u64>;

/// What a campaign did.
pub struct Report {
    /// Cases that were compared.
    pub cases: u64,
    /// Those that the library refuses.
    pub refused: u64,
    /// Those with a pair in a bin.
    pub filled: u64,
    /// By class.
    pub census: Census,
    /// Of all counts.
    pub digest: Digest,
    /// Whether any class was left out.
    pub partial: bool,
}

/// What the opponent makes of a case.
pub enum Verdict {
    /// The same integers.
    Same(Tally),
    /// The same refusal.
    Refused,
    /// Something else, in words.
    Different(String),
}

/// What an opponent makes of a case: `differs` says how it differs from the double loop, if it does.
pub fn verdict(case: &Case, differs: impl FnOnce(&Expected<'_>) -> Option<String>) -> Verdict {
    let expected = Expected::of(case);
    let difference = expected
        .counts_beyond_the_range()
        .or_else(|| differs(&expected));
    match (difference, expected.outcome) {
        (Some(what), _) => Verdict::Different(what),
        (None, Ok(tally)) => Verdict::Same(tally),
        (None, Err(_)) => Verdict::Refused,
    }
}

impl Campaign {
    /// At most `cases` cases in at most `seconds`, unless the environment asks for others.
    pub fn new(limits: Limits, cases: u64, seconds: f64) -> Self {
        let asked = variable("ALBIREO_ATTACK_CASES");
        let time = variable("ALBIREO_ATTACK_SECONDS");
        // Who asks for a number of cases waits for them, and who asks for a time gets as many as there are.
        let seconds = time.unwrap_or(if asked.is_some() { 1e9 } else { seconds });
        let cases = asked.unwrap_or(if time.is_some() { u64::MAX } else { cases });
        Self {
            seed: variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED),
            cases,
            time: Duration::from_secs_f64(seconds),
            only: variable("ALBIREO_ATTACK_CASE"),
            skip: std::env::var("ALBIREO_ATTACK_SKIP")
                .map(|words| words.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
            shrink: Duration::from_secs_f64(variable("ALBIREO_ATTACK_SHRINK").unwrap_or(30.0)),
            limits,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// The same campaign on one thread.
    #[must_use]
    pub fn on_one_thread(self) -> Self {
        Self { threads: 1, ..self }
    }

    /// Case `number`, where it is not to be left out.
    fn case(&self, number: u64) -> Option<Case> {
        let case = draw(self.seed, number, self.limits);
        let skipped = |class: &&str| self.skip.iter().any(|word| class.contains(word.as_str()));
        (!case.classes.iter().any(skipped)).then_some(case)
    }

    /// Asks `judge` for each case; the first that differs is shrunk and reported.
    ///
    /// # Errors
    /// The first difference, with the small case that shows it as a Rust test and how to run it alone.
    pub fn run(&self, judge: &(dyn Fn(&Case) -> Verdict + Sync)) -> Result<Report, String> {
        let begin = Instant::now();
        let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        let report = Mutex::new(Report {
            cases: 0,
            refused: 0,
            filled: 0,
            census: Census::new(),
            digest: Digest::default(),
            partial: !self.skip.is_empty(),
        });
        let difference: Mutex<Option<(u64, Case, String)>> = Mutex::new(None);
        let work = || {
            while !failed.load(Ordering::Relaxed) && begin.elapsed() < self.time {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let number = self.only.unwrap_or(turn);
                if turn >= if self.only.is_some() { 1 } else { self.cases } {
                    break;
                }
                let Some(case) = self.case(number) else {
                    continue;
                };
                let verdict = judge(&case);
                let mut report = report.lock().expect("no panic");
                report.cases += 1;
                for &class in &case.offered {
                    report.census.entry(class).or_default();
                }
                for &class in &case.classes {
                    *report.census.entry(class).or_default() += 1;
                }
                match verdict {
                    Verdict::Same(tally) => {
                        report.filled += u64::from(tally.pairs().iter().any(|&pairs| pairs > 0));
                        report.digest.add_tally(number, &tally);
                    }
                    Verdict::Refused => report.refused += 1,
                    Verdict::Different(what) => {
                        failed.store(true, Ordering::Relaxed);
                        difference
                            .lock()
                            .expect("no panic")
                            .get_or_insert((number, case, what));
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(work);
            }
            work();
        });
        match difference.into_inner().expect("no panic") {
            None => Ok(report.into_inner().expect("no panic")),
            Some((number, case, what)) => Err(self.told(number, &case, &what, judge)),
        }
    }

    /// A difference in words, with the shrunk case.
    fn told(
        &self,
        number: u64,
        case: &Case,
        what: &str,
        judge: &(dyn Fn(&Case) -> Verdict + Sync),
    ) -> String {
        // Whose difference it is stands before the colon; another's is another defect.
        let who = |what: &str| what.split(':').next().map(str::to_owned);
        let fails = |case: &Case| match judge(case) {
            Verdict::Different(other) => who(&other) == who(what),
            Verdict::Same(_) | Verdict::Refused => false,
        };
        let small = if self.shrink.is_zero() {
            case.clone()
        } else {
            shrunk(case, self.shrink, &fails)
        };
        let still = match judge(&small) {
            Verdict::Different(what) => what,
            Verdict::Same(_) | Verdict::Refused => "no difference when run again".to_owned(),
        };
        let seed = self.seed;
        let command = small.as_command().unwrap_or_default();
        format!(
            "case {number} of seed {seed} ({}): {what}\n\
             again: ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number}\n\
             shrunk to {} points: {still}\n\n{}\n{command}\n",
            case.classes.join(", "),
            small.n_points(),
            small.as_test(),
        )
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} cases without a difference, {} of them with pairs in bins, {} refused by all alike; {}; by class:",
            self.cases, self.filled, self.refused, self.digest
        )?;
        let words: Vec<_> = self
            .census
            .iter()
            .map(|(class, n)| format!("{class} {n}"))
            .collect();
        write!(f, "{}", words.join(", "))
    }
}

impl Report {
    /// Checks that the cases were worth running: every class occurred, few were refused, many had pairs in bins.
    ///
    /// # Errors
    /// What is missing.
    pub fn check(&self) -> Result<(), String> {
        if self.cases < 1000 || self.partial {
            return Ok(());
        }
        let missing: Vec<_> = self.census.iter().filter(|(_, n)| **n == 0).collect();
        if !missing.is_empty() {
            return Err(format!("classes that did not occur: {missing:?}"));
        }
        if self.refused * 4 > self.cases || self.filled * 3 < self.cases {
            return Err(format!("too few cases that count anything: {self}"));
        }
        Ok(())
    }
}
