//! Marks that are shuffled among the objects: what M is where marks know nothing of positions.
//!
//! Entry: [`ShuffleFlags::begin`], then [`Shuffle::columns`]. Shuffles are counted many at a time, as sums of one traversal.

use std::sync::Arc;

use albireo::counts::count_prepared;
use albireo::engine::PreparedJob;
use albireo::exact_sum::ExactSum;
use albireo::particles::Column;
use albireo::random::permutation;
use albireo::tally::{
    End, Exchange, MAX_PAIR_SUMS, Operation, OperationList, PairProgram, PairSum,
};
use albireo::{CountSpec, Counts, Domain, PairJob, Pairs, Particles};
use albireo_catalogs::TableColumn;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use crate::args::SEED;
use crate::engine::Engines;
use crate::group;
use crate::pair_sums::{Mark, Summed, Valued};
use crate::usage::usage;

/// Shuffles of marks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::PAIR_SUMS)]
pub(crate) struct ShuffleFlags {
    /// Shuffle the marks of --pair-sum 'marked(m)' among the objects N times, and add the mean and the scatter of M
    ///
    /// Columns `M_shuffle_mean` and `M_shuffle_std`, of one sample: what M is where marks know nothing of positions.
    #[arg(
        long,
        value_name = "N",
        requires = "pair_sum",
        value_parser = clap::value_parser!(u32).range(2..),
        conflicts_with_all = ["second", "cross", "shells", "classes", "weight_set", "realisations"]
    )]
    shuffle_marks: Option<u32>,
    /// Seed of the shuffles [default: 1]
    #[arg(long, value_name = "N", requires = "shuffle_marks")]
    seed: Option<u64>,
}

/// Shuffles that were asked for.
#[derive(Debug)]
pub(crate) struct Shuffle {
    number: u32,
    seed: u64,
    mark: Mark,
}

/// Least bound of a sum.
const LEAST: f64 = f64::from_bits((1023 - 400) << 52);

impl ShuffleFlags {
    /// What is shuffled, if anything is.
    pub(crate) fn begin(&self, summed: Option<&Summed>) -> Result<Option<Shuffle>> {
        let (Some(number), Some(summed)) = (self.shuffle_marks, summed) else {
            return Ok(None);
        };
        let marks = summed.marks();
        let [mark] = &marks[..] else {
            return Err(usage(format!(
                "--shuffle-marks needs one mark that is a column of the objects, as in --pair-sum 'marked(m)', found {}",
                marks.len()
            )));
        };
        Ok(Some(Shuffle {
            number,
            seed: self.seed.unwrap_or(SEED.into()),
            mark: mark.clone(),
        }))
    }
}

/// The sums of the products of marks over pairs, each mark a column of the objects.
fn products(marks: usize, bound: f64) -> Result<PairProgram> {
    let mut operations = OperationList::default();
    let mut sums = Vec::with_capacity(marks);
    for k in 0..marks {
        let at = u8::try_from(k)?;
        let [i, j] =
            [End::First, End::Second].map(|end| operations.push(Operation::Column(end, at)));
        sums.push(PairSum {
            name: format!("m{k}"),
            value: operations.push(Operation::Multiply(i, j)),
            bound,
            proven: true,
            exchange: Exchange::Even,
        });
    }
    Ok(PairProgram::new(&operations, sums)?)
}

impl Shuffle {
    /// What a record says of it.
    pub(crate) fn record(&self) -> Value {
        json!({"number": self.number, "seed": self.seed, "mark": self.mark.column})
    }

    /// The mean and the standard deviation of M over the shuffles, in each bin of `counts`, which are of `what` in the sample of `valued`.
    pub(crate) fn columns(
        &self,
        (counts, valued): (&Counts, &Valued),
        (what, domain): (&CountSpec, &Domain),
        engines: &Engines,
    ) -> Result<Vec<TableColumn>> {
        let particles = &valued.particles;
        let marks: Vec<f64> = match valued.values(&self.mark.column) {
            Some(marks) => marks.iter().collect(),
            None => vec![],
        };
        let mean = marks.iter().copied().collect::<ExactSum>().value() / marks.len().max(1) as f64;
        let most = marks.iter().fold(0.0_f64, |most, m| most.max(m.abs()));
        let weights = counts.weight();
        let weights =
            weights.unwrap_or_else(|| counts.npairs().iter().map(|&n| n as f64).collect());
        let divisors: Vec<f64> = weights.iter().map(|w| w * (mean * mean)).collect();
        let plain = PairJob::new(Pairs::Auto(particles), domain)?;
        let engine = engines.for_jobs(&[(plain, what.clone())]);
        let bar = engines.watch().bar("shuffled marks");
        let mut made: Vec<Vec<f64>> = Vec::new();
        while made.len() < self.number as usize {
            let batch = (self.number as usize - made.len()).min(MAX_PAIR_SUMS);
            let first = made.len() as u64;
            let shuffled = |k| {
                let order = permutation(marks.len(), self.seed, first + k);
                Column::from(
                    order
                        .into_iter()
                        .map(|row| marks[row])
                        .collect::<Vec<f64>>(),
                )
            };
            let sample: Particles =
                (particles.clone()).with_columns((0..batch as u64).map(shuffled).collect())?;
            let sample = engine.prepare(sample, domain, &bar)?;
            let program = products(batch, (most * most).max(LEAST))?;
            let what = what.clone().with_program(Arc::new(program));
            let counts = count_prepared(&*engine, &PreparedJob::auto(&sample), what, &bar)?.0;
            for k in 0..batch {
                let sums = counts.pair_sum(&format!("m{k}"));
                let sums = sums.map(|sums| sums.values()).unwrap_or_default();
                let ratios = sums.iter().zip(&divisors).map(|(sum, by)| sum / by);
                made.push(ratios.collect());
            }
        }
        Ok(self.of_shuffles(&made))
    }

    fn of_shuffles(&self, made: &[Vec<f64>]) -> Vec<TableColumn> {
        let number = f64::from(self.number);
        let bins = made.first().map_or(0, Vec::len);
        let mean = |bin: usize| made.iter().map(|m| m[bin]).sum::<f64>() / number;
        let means: Vec<f64> = (0..bins).map(mean).collect();
        let deviation = |bin: usize| {
            let squares = made.iter().map(|m| (m[bin] - means[bin]).powi(2));
            (squares.sum::<f64>() / (number - 1.0)).sqrt()
        };
        let deviations = (0..bins).map(deviation).collect();
        let (name, n) = (&self.mark.derived, self.number);
        vec![
            TableColumn::floats(
                format!("{name}_shuffle_mean"),
                format!("mean of {name} over {n} shuffles of the marks"),
                means,
            ),
            TableColumn::floats(
                format!("{name}_shuffle_std"),
                format!("standard deviation of {name} over {n} shuffles of the marks"),
                deviations,
            ),
        ]
    }
}
