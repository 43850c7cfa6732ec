//! `albireo result slice`: the bins of a saved result within a range.

use albireo::binning::RowMap;
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result};
use clap::Args;

use super::along::Along;
use super::saved::{NamedTable, made_of_one};
use crate::args::ScaledOutputFlags;
use crate::edges::ends;
use crate::group;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::session::Session;
use crate::usage::usage;

/// Arguments of `result slice`.
#[derive(Debug, Args)]
pub(crate) struct Slice {
    /// Result of count, xi, wp or rdf
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    #[command(flatten)]
    ranges: Ranges,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

/// Ends between which bins are kept, along the axes.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
struct Ranges {
    /// Keep the pairs of these two classes, of a result of --classes, e.g. LRG,ELG
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    classes: Vec<String>,
    /// Keep the bins in r, s, rp, rho or theta within these ends, e.g. 5:60
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Keep the bins in mu within these ends, e.g. 0:0.5
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    mu_range: Option<[f64; 2]>,
    /// Keep the bins in pi within these ends, e.g. 0:20
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    pi_range: Option<[f64; 2]>,
    /// Keep the bins in z, of g(rho, z), within these ends, e.g. 0:5
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    z_range: Option<[f64; 2]>,
}

impl Ranges {
    /// Whether no bin is left out.
    fn all_bins(&self) -> bool {
        let all = [self.range, self.mu_range, self.pi_range, self.z_range];
        all.iter().all(Option::is_none)
    }
}

/// The rows of a column that are kept.
fn kept(column: &TableColumn, map: &RowMap) -> TableColumn {
    fn of<T: Copy + Default>(values: &[T], map: &RowMap) -> Vec<T> {
        let mut kept = vec![T::default(); map.axes().n_bins()];
        map.put(values, &mut kept);
        kept
    }
    let values = match &column.values {
        Values::Integers(values) => Values::Integers(of(values, map)),
        Values::Floats(values) => Values::Floats(of(values, map)),
    };
    TableColumn {
        values,
        ..column.clone()
    }
}

/// The rows of `input` within these ranges.
fn sliced(input: &NamedTable, ranges: &Ranges, record: Record) -> Result<Table> {
    let of_classes;
    let input = match &ranges.classes[..] {
        [] => input,
        [first, second] => {
            of_classes = input.of_classes([first, second])?;
            &of_classes
        }
        names => {
            let found = names.len();
            return Err(usage(format!(
                "--classes: expected two names, A,B, found {found}"
            )));
        }
    };
    let kind = input.kind()?;
    let whole = input.axes()?;
    let along = Along {
        flag: "range",
        first: ranges.range,
        mu: ranges.mu_range,
        pi: ranges.pi_range,
        z: ranges.z_range,
    };
    let ends = if !ranges.classes.is_empty() && ranges.all_bins() {
        vec![None; whole.number()]
    } else {
        along.each(&whole)?
    };
    let map = whole.slice(&ends);
    let map = map.with_context(|| input.name.clone())?;
    let columns = input.table.columns.iter();
    let mut columns: Vec<_> = columns.map(|column| kept(column, &map)).collect();
    let is_n = |column: &&mut TableColumn| column.name == "n" || column.name.starts_with("n_");
    if kind == ResultKind::Rdf {
        // They go on counting from where they did.
        let from = format!("from {:?} up to hi", whole.edges(0)[0]);
        for n in columns.iter_mut().filter(is_n) {
            let told = n.description.replace(" from the first edge", "");
            n.description = told.replace("up to hi", &from);
        }
    }
    let meta = input.record_of_made(map.axes(), record)?.finish(kind);
    Ok(Table { columns, meta })
}

impl Slice {
    /// Reads, leaves bins out, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        made_of_one(
            &self.result,
            &self.output.output(),
            session,
            |input, record| sliced(input, &self.ranges, record),
        )
    }
}
