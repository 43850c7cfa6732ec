//! Sums in k: what the pairs of each bin are in the multipoles of a power spectrum.
//!
//! Entry: [`ModeFlags`], read into [`Modes`]. Each value of k and l is a sum of an expression over pairs; a few are made with one count, as many as a
//! program of expressions holds.

use std::str::FromStr;

use albireo::binning::BinAxis;
use albireo::tally::{End, MAX_PAIR_SUMS};
use albireo::{Bins, CountSpec, Counts, Particles};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_pair_sums::{Geometry, PairSumSpec};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::bins::Statistic;
use crate::counting::Counter;
use crate::edges::EdgeSpec;
use crate::group;
use crate::named_count::NamedCount;
use crate::pair_sums::{Summed, Valued};
use crate::record::Record;
use crate::row_sums::RowSums;
use crate::shard::PieceFlags;
use crate::tables::{count_columns, edge_columns};
use crate::usage::usage;

/// What Bessel functions take at most.
const FARTHEST: f64 = 1_048_576.0;
/// Most values of k.
const MOST: usize = 10_000;
/// Values of k whose sums one count makes: the operations of three poles of each fit a program.
const AT_ONCE: usize = 2;

/// Values of k.
#[derive(Debug, Clone)]
enum Wanted {
    /// The middles of steps.
    Steps(EdgeSpec),
    Values(Vec<f64>),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(list) = text.strip_prefix("values:") else {
            return match text.parse() {
                Ok(steps @ (EdgeSpec::Linear(..) | EdgeSpec::Logarithmic(..))) => {
                    Ok(Self::Steps(steps))
                }
                Err(reason) if text.starts_with("lin:") || text.starts_with("log:") => Err(reason),
                _ => Err(format!(
                    "expected lin:LO:HI:N, log:LO:HI:N or values:A,B,.., found `{text}`"
                )),
            };
        };
        let number = |text: &str| {
            let value = text.trim().parse().ok();
            let value = value.filter(|k: &f64| k.is_finite() && *k >= 0.0);
            value.ok_or_else(|| format!("expected values of k from 0 up, found `{}`", text.trim()))
        };
        Ok(Self::Values(
            list.split(',').map(number).collect::<Result<_, _>>()?,
        ))
    }
}

/// A multipole by its degree.
fn pole(text: &str) -> Result<u32, String> {
    let degree = text.trim().parse().ok();
    let found = degree.filter(|l| matches!(l, 0 | 2 | 4));
    found.ok_or_else(|| format!("expected one of 0, 2 and 4, found `{text}`"))
}

/// Sums in k.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::PAIR_SUMS)]
pub(crate) struct ModeFlags {
    /// Sum what the pairs in each bin add to the multipoles of a power spectrum, for these k: lin:LO:HI:N, log:LO:HI:N or values:A,B,..
    ///
    /// The middles of the N steps, in the inverse unit of the positions. A pair adds i^l (2l+1) j(kr) L(mu) by its weight, j the spherical Bessel
    /// function and L the Legendre polynomial of degree l. Within a cut such sums correct power spectra for the pairs that a survey loses.
    #[arg(
        long,
        value_name = "SPEC",
        requires = "los",
        conflicts_with_all = ["pair_sum", "classes", "shells", "realisations", "weight_set", "mean_separation", "legendre"]
    )]
    modes: Option<Wanted>,
    /// The multipoles of --modes [default: 0,2,4]
    #[arg(long, value_name = "L,..", value_delimiter = ',', value_parser = pole, requires = "modes")]
    poles: Vec<u32>,
}

/// The values of k and the multipoles of a command.
#[derive(Debug)]
pub(crate) struct Modes {
    values: Vec<f64>,
    poles: Vec<u32>,
}

impl ModeFlags {
    /// Whether sums in k are asked for.
    pub(crate) fn any(&self) -> bool {
        self.modes.is_some()
    }

    /// What is asked for, if anything is; angles alone have no separation, and parts of a command hold no sums in k.
    pub(crate) fn read(&self, statistic: Statistic, pieces: &PieceFlags) -> Result<Option<Modes>> {
        let Some(wanted) = &self.modes else {
            return Ok(None);
        };
        if statistic == Statistic::Theta {
            return Err(usage(
                "--modes takes the separation r, which --statistic theta does not have: for pairs within an angle count with --statistic r, once with and once without --theta-cut, and subtract",
            ));
        }
        pieces.refuse("--modes, whose sums are made by several counts")?;
        let values = match wanted {
            Wanted::Values(values) => values.clone(),
            Wanted::Steps(steps) => middles(steps)?,
        };
        let found = values.len();
        if found > MOST {
            return Err(usage(format!(
                "--modes: at most {MOST} values of k, found {found}"
            )));
        }
        let mut poles = self.poles.clone();
        if poles.is_empty() {
            poles = vec![0, 2, 4];
        }
        let mut rising = poles.clone();
        rising.sort_unstable();
        rising.dedup();
        if rising.len() < poles.len() {
            return Err(usage("--poles: a multipole is given twice"));
        }
        Ok(Some(Modes { values, poles }))
    }
}

/// The middles of steps, in the measure in which these are equal.
fn middles(steps: &EdgeSpec) -> Result<Vec<f64>> {
    let edges = steps.edges().context("--modes")?;
    let middle = |pair: &[f64]| match steps {
        EdgeSpec::Logarithmic(..) => (pair[0] * pair[1]).sqrt(),
        _ => 0.5 * (pair[0] + pair[1]),
    };
    Ok(edges.values().windows(2).map(middle).collect())
}

/// What a sum is called.
fn name(k: usize, l: u32) -> String {
    format!("k{k}l{l}")
}

/// `i^l (2l+1) j_l(k r) L_l(mu)`.
fn expression(k: f64, l: u32) -> String {
    match l {
        0 => format!("j0({k:?}*r)"),
        2 => format!("-5*j2({k:?}*r)*L2(mu)"),
        _ => format!("9*j{l}({k:?}*r)*L{l}(mu)"),
    }
}

impl Modes {
    /// The sums of the values of k from number `from` on.
    fn sums(&self, from: usize, values: &[f64]) -> Result<Summed> {
        let sums = values.iter().enumerate().flat_map(|(at, &k)| {
            let sum = move |&l: &u32| PairSumSpec {
                name: Some(name(from + at, l)),
                text: expression(k, l),
                bound: None,
            };
            self.poles.iter().map(sum)
        });
        Summed::of(&sums.collect::<Vec<_>>(), "--modes")
    }

    /// How many values of k one count sums.
    fn at_once(&self) -> usize {
        (MAX_PAIR_SUMS / self.poles.len()).min(AT_ONCE * 3 / self.poles.len())
    }

    /// A sample with what follows from its positions, at these ends of pairs.
    pub(crate) fn valued(&self, particles: &Particles, ends: &[End]) -> Result<Valued> {
        self.sums(0, &self.values[..1])?.valued(particles, ends)
    }

    /// Refuses values of k whose product with a separation the Bessel functions do not take.
    fn check_reach(&self, bins: &Bins) -> Result<()> {
        let farthest = bins.reach().radius();
        let most = FARTHEST / farthest;
        match self.values.iter().find(|k| **k > most) {
            None => Ok(()),
            Some(k) => Err(usage(format!(
                "--modes: expected values of k up to {most}, whose product with the largest separation in the bins, {farthest}, is 2^20, found {k}"
            ))),
        }
    }

    /// The counts of `asked`, each with the sums of some values of k; objects bring what follows from their positions alone.
    fn counts<'a>(
        &self,
        asked: &NamedCount<'a>,
        [first, second]: [&Valued; 2],
        geometry: &Geometry,
        counter: &mut Counter<'a>,
    ) -> Result<Vec<Counts>> {
        self.check_reach(asked.what.bins())?;
        let mut all = vec![];
        for (chunk, values) in self.values.chunks(self.at_once()).enumerate() {
            let sums = self.sums(chunk * self.at_once(), values)?;
            let program = sums.program(first, second, geometry)?;
            let what: CountSpec = asked.what.clone().with_program(program);
            all.push(NamedCount {
                what,
                ..asked.clone()
            });
        }
        counter.decide(&all)?;
        let mut counts = vec![];
        for (at, asked) in all.iter().enumerate() {
            if at == 0 {
                counts.push(counter.count(asked)?);
            } else {
                // Of the same pairs: the record says it once.
                let (made, _) = counter.together(|counter| counter.count(asked))?;
                counts.push(made);
            }
        }
        Ok(counts)
    }

    /// The table of the sums, a row for each bin, k and l, the last of them varying fastest.
    pub(crate) fn table<'a>(
        &self,
        (asked, counter): (&NamedCount<'a>, &mut Counter<'a>),
        objects: [&Valued; 2],
        geometry: &Geometry,
        (axes, unit): (&[BinAxis], Option<&str>),
        mut record: Record,
    ) -> Result<Table> {
        let counts = self.counts(asked, objects, geometry, counter)?;
        counter.note(&mut record);
        let of_bin = self.values.len() * self.poles.len();
        let mut columns = edge_columns(axes, unit);
        let plain = RowSums {
            named: vec![],
            ..RowSums::of(&counts[0])
        };
        columns.extend(count_columns(&plain, "", (axes, unit)));
        let mut columns: Vec<TableColumn> = (columns.iter())
            .map(|column| column.each_repeated(of_bin))
            .collect();
        let inverse = unit.map_or(String::new(), |unit| format!(", in 1/({unit})"));
        let n_bins = axes.iter().map(BinAxis::n_bins).product::<usize>();
        let k = self.values.iter().flat_map(|&k| vec![k; self.poles.len()]);
        let k: Vec<f64> = k.collect();
        let l: Vec<u64> = self.poles.iter().map(|&l| u64::from(l)).collect();
        columns.push(TableColumn::floats(
            "k",
            format!("wave number{inverse}"),
            k.repeat(n_bins),
        ));
        columns.push(TableColumn::integers(
            "ell",
            "degree of the multipole",
            l.repeat(n_bins * self.values.len()),
        ));
        columns.push(TableColumn::floats(
            "sum",
            "i^l (2l+1) j_l(k r) L_l(mu) summed over the pairs by their weights",
            self.rows(&counts, n_bins)?,
        ));
        record.set("modes", json!({ "k": self.values, "poles": self.poles }));
        Ok(record.table(ResultKind::Modes, columns))
    }

    fn rows(&self, counts: &[Counts], n_bins: usize) -> Result<Vec<f64>> {
        let mut sums: Vec<Vec<f64>> = vec![];
        for k in 0..self.values.len() {
            for &l in &self.poles {
                let name = name(k, l);
                let of = counts[k / self.at_once()].pair_sum(&name);
                let of = of.with_context(|| format!("--modes: no sum {name} was made"))?;
                sums.push(of.values());
            }
        }
        let row = |bin: usize| sums.iter().map(move |sum| sum[bin]);
        Ok((0..n_bins).flat_map(row).collect())
    }
}
