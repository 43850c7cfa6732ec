//! `albireo result concatenate`: results of the same particles in bins that adjoin, as one.

use albireo::binning::{Axes, RowMap};
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::saved::NamedTable;
use super::settings::difference;
use crate::args::ScaledOutputFlags;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::session::Session;
use crate::tables::{of_rest, shown_names};
use crate::usage::usage;

/// Arguments of `result concatenate`.
#[derive(Debug, Args)]
pub(crate) struct Concatenate {
    /// Results of count, xi or wp of the same particles, in the order of their bins, which must adjoin
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<ReadFile>,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

/// The settings of a result without its bins.
fn settings(table: &Table) -> Table {
    let mut settings = Table {
        meta: table.meta.clone(),
        ..Table::default()
    };
    settings.meta.remove("edges");
    settings
}

/// The totals and the particles of the counts, without the parts that belong to one run.
fn particles(table: &Table) -> Value {
    let mut counts = table.meta.get("counts").cloned().unwrap_or_default();
    for count in counts
        .as_object_mut()
        .into_iter()
        .flat_map(|counts| counts.values_mut())
    {
        for of_a_run in ["engine", "seconds", "read_from"] {
            count.as_object_mut().map(|count| count.remove(of_a_run));
        }
    }
    counts
}

/// The rows of both columns in their new places.
fn joined((a, b): (&TableColumn, &TableColumn), [of_a, of_b]: &[RowMap; 2]) -> Result<TableColumn> {
    fn put<T: Copy + Default>([a, b]: [&[T]; 2], [of_a, of_b]: [&RowMap; 2]) -> Vec<T> {
        let mut all = vec![T::default(); of_a.axes().n_bins()];
        of_a.put(a, &mut all);
        of_b.put(b, &mut all);
        all
    }
    let maps = [of_a, of_b];
    let values = match (&a.values, &b.values) {
        (Values::Integers(a), Values::Integers(b)) => Values::Integers(put([a, b], maps)),
        (Values::Floats(a), Values::Floats(b)) => Values::Floats(put([a, b], maps)),
        _ => bail!("its column `{}` is of another type", b.name),
    };
    Ok(TableColumn {
        values,
        ..a.clone()
    })
}

/// The columns that both tables have, which are all that are shown; what sums leave may be in one of them alone, and is 0 in the rows of the other.
fn all_joined(first: &Table, second: &Table, maps: &[RowMap; 2]) -> Result<Vec<TableColumn>> {
    let rests = |table: &Table, base: &str| -> Vec<TableColumn> {
        let columns = table.columns.iter();
        let own = columns.filter(|column| of_rest(&column.name) == Some(base));
        own.cloned().collect()
    };
    let mut all = vec![];
    for a in &first.columns {
        if of_rest(&a.name).is_some() {
            continue;
        }
        let Some(b) = second.column(&a.name) else {
            // Sums that results of older versions do not hold.
            continue;
        };
        all.push(joined((a, b), maps)?);
        let [of_a, of_b] = [first, second].map(|table| rests(table, &a.name));
        let longer = if of_a.len() < of_b.len() {
            &of_b
        } else {
            &of_a
        };
        for rest in longer {
            let of = |own: &[TableColumn], rows: usize| {
                let found = own.iter().find(|column| column.name == rest.name);
                found.cloned().unwrap_or_else(|| TableColumn {
                    values: Values::Floats(vec![0.0; rows]),
                    ..rest.clone()
                })
            };
            let both = (of(&of_a, first.rows()), of(&of_b, second.rows()));
            all.push(joined((&both.0, &both.1), maps)?);
        }
    }
    Ok(all)
}

/// Refuses a result that is of something else than the first.
fn check_alike(first: &Table, table: &Table) -> Result<()> {
    if let Some(difference) = difference(&settings(first), &settings(table)) {
        bail!("{difference}");
    }
    let [expected, found] = [first, table].map(|table| shown_names(table).join(", "));
    if found != expected {
        bail!("its columns: {found}, not {expected}");
    }
    if particles(table) != particles(first) {
        bail!("it was counted from other particles, or has other totals");
    }
    Ok(())
}

/// The rows of all inputs, in the order of their bins.
fn concatenated(inputs: &[NamedTable], record: Record) -> Result<Table> {
    let [first, others @ ..] = inputs else {
        return Err(too_few(0));
    };
    if others.is_empty() {
        return Err(too_few(1));
    }
    let kind = first.kind()?;
    if matches!(
        kind,
        ResultKind::Rdf | ResultKind::Randoms | ResultKind::Field | ResultKind::Thermodynamics
    ) {
        bail!(
            "{}: a {} is not put together of bins that adjoin",
            first.name,
            kind.name()
        );
    }
    let (mut whole, mut axes): (Table, Axes) = (first.table.clone(), first.axes()?);
    for next in others {
        next.kind()?;
        let place = || format!("{} does not go on where {} ends", next.name, first.name);
        check_alike(&whole, &next.table).with_context(place)?;
        let maps = axes.concatenate(&next.axes()?).with_context(place)?;
        whole.columns = all_joined(&whole, &next.table, &maps).with_context(place)?;
        axes = maps[0].axes().clone();
    }
    let mut record = first.record_of_made(&axes, record)?;
    let made_from = inputs.iter().map(NamedTable::described);
    let made_from = made_from.collect::<Result<Vec<_>>>()?;
    record.set("made_from", made_from);
    Ok(record.table(kind, whole.columns))
}

fn too_few(found: usize) -> anyhow::Error {
    usage(format!("at least 2 results are needed, found {found}"))
}

impl Concatenate {
    /// Reads, checks, joins, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs: Vec<_> = self.results.iter().map(ReadFile::as_path).collect();
        session
            .sink
            .check_counts(&self.output.output(), &[], &inputs)?;
        if inputs.len() < 2 {
            return Err(too_few(inputs.len()));
        }
        let record = Record::begin(session.arguments);
        let read = |path| NamedTable::read(path, &session.kept.results);
        let inputs = inputs.into_iter().map(read);
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        session
            .sink
            .deliver(&concatenated(&inputs, record)?, &self.output.output())
    }
}
