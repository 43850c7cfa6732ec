//! Many realisations of a sample, by bits of its rows: `--realisations COLUMN,..`.
//!
//! Entry: [`RealisationFlags`], [`Whole`], the samples that hold all realisations, and [`stacked`], one table of all results, which [`unstacked`]
//! takes apart.

use std::rc::Rc;

use albireo::estimators::Role;
use albireo::tally::{MAX_REALISATIONS, Sum, WeightedSum, weight_exponents, weights_are_wide};
use albireo::{Pairs, Particles};
use albireo_catalogs::{Table, TableColumn, Values};
use albireo_samples::{Samples, Selection, Source};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::group;
use crate::held_columns::{meta_of_all, meta_of_one, own_entries};
use crate::named_count::NamedCount;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::shard::PieceFlags;
use crate::tables::of_rest;
use crate::usage::usage;

/// The record's entry of a table of all realisations.
const ALL: &str = "stacked_realisations";
/// The record's entry of a result of one of them.
const ONE: &str = "realisation";
/// Entries of records that realisations have each for itself.
const OWN: [&str; 5] = ["samples", "errors", "engine", "counts", ONE];

/// Realisations that rows take part in.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::WEIGHTS)]
pub(crate) struct RealisationFlags {
    /// Count each of up to 128 realisations: columns whose bit k tells whether a row takes part in realisation k
    ///
    /// Columns of whole numbers, or one (N,k) column. Results have a row for each realisation and bin, or each realisation has its file where {}
    /// stands in the path. Bits weigh no pair: --bits does.
    #[arg(
        long,
        alias = "realizations",
        value_name = "COLUMN,..",
        value_delimiter = ',',
        conflicts_with_all = ["weight_set", "classes"]
    )]
    realisations: Option<Vec<String>>,
    /// The same of the second sample, or `none`: its rows take part in all [default: as the first sample]
    #[arg(long, alias = "cross-realizations", value_name = "COLUMN,..", value_delimiter = ',', requires = "realisations", help_heading = group::COPIES)]
    cross_realisations: Option<Vec<String>>,
    /// Also write the mean over the realisations, with the standard deviation of one of them
    #[arg(long, alias = "realization-mean", value_name = "FILE", requires = "realisations", help_heading = group::OUTPUT)]
    pub(crate) realisation_mean: Option<WrittenFile>,
}

impl RealisationFlags {
    /// Whether realisations are counted.
    pub(crate) fn given(&self) -> bool {
        self.realisations.is_some()
    }

    /// The file of the mean, by its flag.
    pub(crate) fn written(&self) -> Option<(&'static str, &std::path::Path)> {
        let path = self.realisation_mean.as_deref()?;
        Some(("--realisation-mean", path))
    }

    /// Refuses columns of a second sample without one, and parts of a command, which hold no realisations.
    pub(crate) fn check(&self, pieces: &PieceFlags, has_second: bool) -> Result<()> {
        if self.cross_realisations.is_some() && !has_second {
            return Err(usage(
                "--cross-realisations needs a second sample: --cross FILE",
            ));
        }
        if self.given() {
            pieces.refuse("--realisations, whose counts may be made one by one")?;
        }
        Ok(())
    }

    /// A catalogue of one or two with its columns; the second has those of the first, unless it has its own.
    pub(crate) fn of(&self, source: Source) -> Result<Source> {
        let own = self.cross_realisations.as_ref();
        let own = own.filter(|_| source.role == "second");
        let columns = own.or(self.realisations.as_ref());
        let selection = self.with(source.selection, columns)?.resolved();
        Ok(Source {
            selection,
            ..source
        })
    }

    /// The columns of the first sample with these.
    pub(crate) fn of_first(&self, first: Selection) -> Result<Selection> {
        self.with(first, self.realisations.as_ref())
    }

    /// The columns of the second sample with its own.
    pub(crate) fn of_second(&self, second: Selection) -> Result<Selection> {
        self.with(second, self.cross_realisations.as_ref())
    }

    /// A selection with columns of realisations; refuses those of weights beside them.
    fn with(&self, selection: Selection, columns: Option<&Vec<String>>) -> Result<Selection> {
        if self.given() && selection.bits.is_some() {
            return Err(usage(
                "--realisations and --bits: bits are realisations or weigh pairs, leave one of them out",
            ));
        }
        Ok(match columns {
            None => selection,
            Some(columns) => Selection {
                bits: Some(columns.clone()),
                realisations: true,
                ..selection
            },
        })
    }
}

/// Realisations of the samples of an estimate.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::COPIES)]
pub(crate) struct EstimateRealisationFlags {
    #[command(flatten)]
    pub(crate) all: RealisationFlags,
    /// The same of the randoms [default: none, they take part in all]
    #[arg(
        long,
        alias = "randoms-realizations",
        value_name = "COLUMN,..",
        value_delimiter = ',',
        requires = "realisations"
    )]
    randoms_realisations: Option<Vec<String>>,
}

impl EstimateRealisationFlags {
    /// Refuses what has no realisations: parts of a command, and randoms that are split.
    pub(crate) fn check(&self, pieces: &PieceFlags, split: bool) -> Result<()> {
        // A second sample that is missing is refused with all of its flags.
        self.all.check(pieces, true)?;
        if split && self.all.given() {
            return Err(usage(
                "--split-randoms is not for --realisations: leave it out",
            ));
        }
        Ok(())
    }

    /// The columns of randoms with their own.
    pub(crate) fn of_randoms(&self, randoms: Selection) -> Result<Selection> {
        self.all.with(randoms, self.randoms_realisations.as_ref())
    }
}

/// The samples that hold all realisations.
#[derive(Debug, Clone)]
pub(crate) struct Whole {
    pub(crate) samples: Rc<Samples>,
    /// Realisations up to the last that any row takes part in.
    pub(crate) number: usize,
}

impl Whole {
    /// Of samples whose bits are realisations.
    pub(crate) fn of(samples: &Rc<Samples>) -> Result<Self> {
        let roles = Role::ALL.map(Role::name).into_iter().chain(["second"]);
        let particles = roles.filter_map(|role| Some((role, samples.find(role)?)));
        let bits = particles.filter_map(|(role, sample)| Some((role, sample.bits()?)));
        let bits: Vec<_> = bits.collect();
        let first = bits.first().map(|(role, bits)| (*role, bits.per_row()));
        let (first, words) = first.unwrap_or_default();
        let held = 64 * words;
        // Rows of all samples together that take part in each.
        let mut rows = vec![0; held];
        for (role, bits) in &bits {
            if bits.per_row() != words {
                return Err(usage(format!(
                    "--realisations: the samples take part in the same realisations: expected columns of as many words of 64 bits, found {words} of {first} and {} of {role}",
                    bits.per_row()
                )));
            }
            let sums = rows.iter_mut().zip(bits.members());
            sums.for_each(|(sum, members)| *sum += members);
        }
        let number = rows.iter().rposition(|&rows| rows > 0);
        let number = number.map_or(0, |last| last + 1);
        if number == 0 {
            bail!(
                "--realisations: no row has a bit set: expected one for each realisation that it takes part in"
            );
        }
        if number > MAX_REALISATIONS {
            bail!(
                "--realisations: expected at most {MAX_REALISATIONS} realisations, found a row with bit {} set (counting from 0): name fewer columns",
                number - 1
            );
        }
        if let Some(k) = rows[..number].iter().position(|&rows| rows == 0) {
            bail!(
                "--realisations: no row takes part in realisation {k} (counting from 0), but in {}: expected rows in each; all bits that the type of a column holds are realisations, 64 in \
                 text, so that bits of several such columns belong into one",
                number - 1
            );
        }
        if number < held {
            tracing::debug!(
                "--realisations: {number} of {held} bits are used, up to the last that any row has set"
            );
        }
        Ok(Self {
            samples: Rc::clone(samples),
            number,
        })
    }

    /// The samples of realisation `k`, and what the record says of them.
    pub(crate) fn one(&self, k: usize, record: &mut Record) -> Result<Rc<Samples>> {
        let own = self.samples.of_realisation(k)?;
        for (key, value) in own.record() {
            record.set(key, value.clone());
        }
        record.set(ONE, json!({ "index": k, "of": self.number }));
        Ok(Rc::new(own))
    }

    /// The same count between all particles in these roles, if they are there.
    pub(crate) fn count<'a>(
        &'a self,
        [first, second]: [&str; 2],
        one: &NamedCount<'a>,
    ) -> Option<NamedCount<'a>> {
        let first = self.samples.find(first)?;
        let pairs = match one.pairs {
            Pairs::Auto(_) => Pairs::Auto(first),
            Pairs::Cross(..) => Pairs::Cross(first, self.samples.find(second)?),
        };
        Some(NamedCount {
            pairs,
            ..one.clone()
        })
    }

    /// A count of one realisation with weights scaled as those of all particles in these roles are.
    pub(crate) fn scaled<'a>(&'a self, roles: [&str; 2], one: NamedCount<'a>) -> NamedCount<'a> {
        let Some(all) = self.count(roles, &one).filter(|one| one.what.has_weights()) else {
            return one;
        };
        let what = one.what.with_weight_exponents(weight_exponents(all.pairs));
        let what = what.in_two_words(weights_are_wide(all.pairs, 0));
        NamedCount { what, ..one }
    }
}

/// What all realisations ask for: counts between all particles, by the names of those of one realisation.
pub(crate) struct AtOnce<'a> {
    pub(crate) counts: Vec<NamedCount<'a>>,
    pub(crate) number: usize,
}

/// How many counts of all pairs a pass over up to 64 realisations costs, by what is summed: where both points have bits, and where the second
/// point takes part in all.
struct Cost {
    pairs: [f64; 2],
    weights: [f64; 2],
}

/// Between those to 60 and to 120 at a density of 1e-3, in 30 bins.
const ON_CPU: Cost = Cost {
    pairs: [5.6, 2.8],
    weights: [6.1, 1.7],
};

/// Of kernels on an H200: 2e6 points, to 60 (`examples/cuda_realisations.rs`).
const ON_GPUS: Cost = Cost {
    pairs: [37.0, 1.2],
    weights: [39.0, 3.1],
};

/// How many times as much a pass over more than 64 costs.
const TWO_WORDS: f64 = 1.35;

/// Whether one pass over all realisations is made for `what`: where numbers of pairs and their weights are all that is asked for, and it costs
/// less than a count of each.
pub(crate) fn pays(all: &NamedCount<'_>, number: usize, on_gpus: bool) -> bool {
    let NamedCount { pairs, what, .. } = all;
    let (first, second) = pairs.both();
    if [first, second].iter().all(|sample| sample.bits().is_none()) {
        return false;
    }
    let product = |sum: &Sum| matches!(sum.weighted(), Some((0, WeightedSum::Product)));
    what.pair_weight().is_none() && what.sums().iter().all(product) && {
        let shares = [first, second].map(|sample| shares(sample, number));
        let both = shares[0].iter().zip(&shares[1]);
        let separate: f64 = both.map(|(a, b)| a * b).sum();
        let cost = if on_gpus { ON_GPUS } else { ON_CPU };
        let cost = if what.has_weights() {
            cost.weights
        } else {
            cost.pairs
        };
        let one_sided = second.bits().is_none();
        let words = if number > 64 { TWO_WORDS } else { 1.0 };
        separate > cost[usize::from(one_sided)] * words
    }
}

/// The share of a sample's particles that takes part in each realisation.
fn shares(sample: &Particles, number: usize) -> Vec<f64> {
    let Some(bits) = sample.bits() else {
        return vec![1.0; number];
    };
    let all = bits.len().max(1) as f64;
    let members = bits.members().into_iter().take(number);
    members.map(|n| n as f64 / all).collect()
}

/// How many realisations a result is one of, as its record tells.
pub(crate) fn number_of(table: &Table) -> usize {
    let number = table.meta.get(ONE).and_then(|one| one["of"].as_u64());
    number
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or(1)
}

/// One table of the results of all realisations: a row for each realisation and bin, bins varying fastest.
pub(crate) fn stacked(tables: &[Table]) -> Table {
    let Some(first) = tables.first() else {
        return Table::default();
    };
    let rows = first.rows();
    let numbers: Vec<u64> = (0..tables.len() as u64).collect();
    let number = TableColumn::integers(ONE, "realisation, counting from 0", numbers);
    let mut columns = vec![number.each_repeated(rows)];
    // What sums leave may be in the tables of some realisations alone, and is 0 in the others.
    let mut names: Vec<&TableColumn> = vec![];
    for column in tables.iter().flat_map(|table| &table.columns) {
        if !names.iter().any(|known| known.name == column.name) {
            let base = of_rest(&column.name);
            let behind = |known: &&TableColumn| {
                Some(known.name.as_str()) == base
                    || of_rest(&known.name).is_some_and(|of| Some(of) == base)
            };
            let place = names.iter().rposition(behind).map(|at| at + 1);
            names.insert(place.unwrap_or(names.len()), column);
        }
    }
    columns.extend(names.into_iter().map(|column| {
        let own = tables.iter().map(|table| table.column(&column.name));
        let own = own.map(|own| own.map(|own| &own.values));
        let values = match &column.values {
            Values::Integers(_) => Values::Integers(
                own.flat_map(|own| match own {
                    Some(Values::Integers(values)) => values.clone(),
                    _ => vec![0; rows],
                })
                .collect(),
            ),
            Values::Floats(_) => Values::Floats(
                own.flat_map(|own| match own {
                    Some(Values::Floats(values)) => values.clone(),
                    _ => vec![0.0; rows],
                })
                .collect(),
            ),
        };
        TableColumn {
            values,
            ..column.clone()
        }
    }));
    let all = tables.iter().map(|table| own_entries(table, &OWN).into());
    let meta = meta_of_all(first.meta.clone(), &OWN, (ALL, all.collect()));
    Table { columns, meta }
}

/// Refuses a table of several realisations, which is no result of one.
pub(crate) fn check_one(table: &Table) -> Result<()> {
    match unstacked(table) {
        None => Ok(()),
        Some(all) => bail!(
            "it holds {} realisations: write each to a file of its own, such as -o 'xi_{{}}.ecsv'",
            all.len()
        ),
    }
}

/// The results of all realisations that a table holds; none of a result of one.
pub(crate) fn unstacked(table: &Table) -> Option<Vec<Table>> {
    let all = table.meta.get(ALL)?.as_array()?;
    let rows = table.rows() / all.len().max(1);
    let one = |(k, own): (usize, &Value)| {
        let of = k * rows..(k + 1) * rows;
        let part = |column: &TableColumn| {
            (column.values.len() >= of.end).then(|| column.of_rows(of.clone()))
        };
        let columns = table.columns.iter().filter(|column| column.name != ONE);
        Some(Table {
            columns: columns.map(part).collect::<Option<_>>()?,
            meta: meta_of_one(table, &OWN, (ALL, own)),
        })
    };
    all.iter().enumerate().map(one).collect()
}
