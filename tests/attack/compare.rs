//! Whether an engine gives the integers of the double loop.
//!
//! Entry: [`Expected`], made once a case, and [`Expected::differs`], asked for every engine.

use albireo::binning::PairOrder;
use albireo::engine::Silent;
use albireo::tally::{CountSpec, Exchange, PairSum, Tally};
use albireo::{Bins, Engine, Naive, PairJob, Pairs};

use super::case::{Built, Case, text};

/// What an engine makes of a case: integers, or a refusal.
pub type Outcome = Result<Tally, String>;

/// A case with the outcome of the double loop.
pub struct Expected<'a> {
    case: &'a Case,
    built: Result<Built, String>,
    /// The outcome of the double loop.
    pub outcome: Outcome,
}

fn run_bins(
    engine: &dyn Engine,
    job: &PairJob<'_>,
    bins: &Bins,
    case: &Case,
) -> Result<Tally, String> {
    let cross = matches!(job.pairs(), Pairs::Cross(..));
    let program = case.besides.program.clone();
    let neither = |sum: &PairSum| sum.exchange == Exchange::Neither;
    let both = program
        .iter()
        .any(|program| program.sums().iter().any(neither));
    let ordered = cross || both || bins.order() == PairOrder::Ordered;
    let sums = case.summed.sums(bins.line_of_sight().is_some(), ordered);
    let sums = case.besides.sums(sums);
    let what = (sums.into_iter()).fold(CountSpec::new(bins.clone()), CountSpec::with_sum);
    let mut what = (case.besides.cuts()?.into_iter()).fold(what, CountSpec::with_cut);
    if let Some(weight) = case.besides.pair_weight()? {
        what = what.with_pair_weight(weight);
    }
    if let Some(program) = program {
        what = what.with_program(program);
    }
    if let Some(number) = case.besides.realisations {
        what = what.by_realisation(number);
    }
    if case.beyond_half {
        what = what.beyond_half();
    }
    // As counts ask for them: with second words where weights are of wide range.
    let what = what.in_range_of(job.pairs());
    engine.run(job, &what, &Silent).map_err(text)
}

/// The outcome of `engine`.
pub fn outcome(engine: &dyn Engine, case: &Case, built: &Built) -> Outcome {
    let pairs = match &built.second {
        None => Pairs::Auto(&built.first),
        Some(second) => Pairs::Cross(&built.first, second),
    };
    let job = PairJob::new(pairs, &built.domain).map_err(text)?;
    let job = job.with_traversal(case.traversal);
    run_bins(engine, &job, &built.bins, case)
}

impl<'a> Expected<'a> {
    /// Runs the double loop.
    pub fn of(case: &'a Case) -> Self {
        let built = case.built();
        let outcome = match &built {
            Ok(built) => outcome(&Naive, case, built),
            Err(refusal) => Err(refusal.clone()),
        };
        Self {
            case,
            built,
            outcome,
        }
    }

    /// The case as the library takes it, where it does.
    pub fn built(&self) -> Option<&Built> {
        self.built.as_ref().ok()
    }

    /// What is wrong with the double loop itself: it must refuse lengths for which the rule is not defined.
    pub fn counts_beyond_the_range(&self) -> Option<String> {
        let built = self.built()?;
        (self.outcome.is_ok() && self.case.out_of_range(built)).then(|| {
            "naive: counts lengths outside the range of the rule instead of refusing them"
                .to_owned()
        })
    }

    /// How `engine` differs from the double loop, if it does.
    pub fn differs(&self, engine: &dyn Engine) -> Option<String> {
        let found = outcome(engine, self.case, self.built()?);
        self.difference(&found)
            .map(|what| format!("{}: {what}", engine.description()))
    }

    /// How `engine` differs from the double loop, where it counts the case at all.
    pub fn differs_where_counted(&self, engine: &dyn Engine) -> Option<String> {
        let found = outcome(engine, self.case, self.built()?);
        let counted = found.is_ok() || self.outcome.is_err();
        let difference = counted.then(|| self.difference(&found)).flatten();
        difference.map(|what| format!("{}: {what}", engine.description()))
    }

    /// What is wrong with `engine`, where it must refuse the bins because they are not the library's.
    pub fn counts_unsupported(&self, engine: &dyn Engine) -> Option<String> {
        let found = outcome(engine, self.case, self.built()?);
        found.is_ok().then(|| {
            let name = engine.description();
            format!("{name}: counts bins that it has no kernel for instead of refusing them")
        })
    }

    /// How `found` differs from the outcome of the double loop, if it does.
    pub fn difference(&self, found: &Outcome) -> Option<String> {
        if *found == self.outcome {
            return None;
        }
        Some(match (&self.outcome, found) {
            (Ok(expected), Ok(found)) => which_bins(expected, found),
            (Ok(_), Err(refusal)) => format!("refuses what naive counts: {refusal}"),
            (Err(refusal), Ok(_)) => format!("counts what naive refuses: {refusal}"),
            (Err(expected), Err(found)) => {
                format!("refuses otherwise than naive: {found} instead of {expected}")
            }
        })
    }
}

/// The first bins that differ, in words.
fn which_bins(expected: &Tally, found: &Tally) -> String {
    let show = |name: &str, pairs: Vec<(usize, i128, i128)>| {
        let wrong: Vec<_> = pairs.into_iter().filter(|(_, a, b)| a != b).collect();
        let listed: Vec<_> = wrong
            .iter()
            .take(3)
            .map(|(bin, a, b)| format!("bin {bin}: naive {a}, found {b}"))
            .collect();
        (!wrong.is_empty()).then(|| {
            format!(
                "{name} differ in {} bins ({})",
                wrong.len(),
                listed.join("; ")
            )
        })
    };
    let counts = |tally: &Tally| tally.pairs().iter().map(|&n| i128::from(n)).collect();
    let sums = |tally: &Tally, at: usize| {
        if at < tally.n_sums() {
            tally.sum(at).to_vec()
        } else {
            vec![]
        }
    };
    let beside = |a: Vec<i128>, b: Vec<i128>| {
        let pairs = a.into_iter().zip(b).enumerate();
        pairs.map(|(bin, (a, b))| (bin, a, b)).collect()
    };
    let pairs = show("pairs", beside(counts(expected), counts(found)));
    let others = (0..expected.n_sums()).map(|at| {
        let name = format!("sums {at}");
        show(&name, beside(sums(expected, at), sums(found, at)))
    });
    std::iter::once(pairs)
        .chain(others)
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}
