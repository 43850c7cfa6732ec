//! `albireo completeness`: what the fibres of a survey missed, by class of its objects.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values were checked to be whole and in range"
)]

use std::collections::BTreeMap;
use std::path::Path;

use albireo_catalogs::{
    Catalog, Filter, Hashing, Request, ResultKind, Table, TableColumn, open_until,
};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::args::{FormatName, OutputFlags};
use crate::catalogs::Files;
use crate::group;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::session::Session;
use crate::usage::usage;
use crate::watch::Loss;

pub(crate) const EXAMPLES: &str = "An assigned object stands for IIP = (n + 1)/(c + 1) objects, c of n realizations of the fibres having observed it; the \
missing power of a class is 1 - (sum of IIP over its assigned objects)/(its objects).

Example: weights of pairs by bits, with the power that they miss taken from the randoms
  albireo completeness LRG_full_HPmapcut.dat.fits --by NTILE --bits BITWEIGHTS -o f.csv
  albireo xi LRG_NGC_clustering.dat.fits --randoms 'LRG_NGC_*_clustering.ran.fits' --bits BITWEIGHTS \\
      --randoms-weight 'WEIGHT*lookup(\"f.csv\", \"1 - missing\", NTILE)'";

/// What `--assigned` takes for all objects.
const ALL: &str = "all";

/// Arguments of `completeness`.
#[allow(clippy::doc_markdown, reason = "the help of flags")]
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Completeness {
    /// Full catalogue, with objects without a fibre; several files, or a quoted pattern
    #[arg(required = true)]
    full: Vec<Files>,
    /// Classes: a column of whole numbers from 0, or an expression, such as NTILE
    ///
    /// NTILE is the number of tiles that cover an object.
    #[arg(long, value_name = "COLUMN")]
    by: String,
    /// Objects with a fibre: a column of 0 and 1, a condition, or `all`
    #[arg(long, value_name = "CONDITION", default_value = "LOCATION_ASSIGNED")]
    assigned: String,
    /// Bit columns: in which realisations each object was observed [default: none, use --probability]
    ///
    /// Whole numbers, or one (N,k) column.
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    bits: Option<Vec<String>>,
    /// Probability to be observed, where there are no --bits [default: PROB_OBS]
    ///
    /// The fraction of realisations, a column or an expression.
    #[arg(long, value_name = "COLUMN", conflicts_with = "bits")]
    probability: Option<String>,
    /// Number of realisations of the probability [default: 128]
    #[arg(long, value_name = "N", conflicts_with = "bits")]
    realizations: Option<u32>,
    /// Also the mean over the objects of each class, e.g. frac=FRACZ_TILELOCID*FRAC_TLOBS_TILES
    ///
    /// In a column of this name [default: mean, mean_2, ..].
    #[arg(long, value_name = "[NAME=]EXPR")]
    mean: Vec<String>,
    /// Rows to keep, e.g. 'Z > 0.4 and not BAD'
    #[arg(long, value_name = "CONDITION")]
    r#where: Option<String>,
    /// Table: FITS extension (number, the primary being 0, or name), HDF5 group or compound data set
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    /// Write the table, a row a class: .csv .parquet .fits .h5 .ecsv .json; `-` prints it
    ///
    /// The record of .csv is in FILE.json. `-` prints it, and nothing else, on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = group::OUTPUT)]
    output: WrittenFile,
    /// Format of `-o -` [default: csv]
    #[arg(long, help_heading = group::OUTPUT)]
    format: Option<FormatName>,
}

/// Sums over the objects of a class.
#[derive(Debug, Clone, Default)]
struct Class {
    objects: u64,
    assigned: u64,
    /// Of IIP over the assigned.
    iip: f64,
    /// Objects in no realisation, nor assigned.
    never: u64,
    means: Vec<f64>,
}

/// The name and the expression of a mean, the k-th.
fn named((k, text): (usize, &String)) -> (String, String) {
    if let Some((name, rest)) = text.split_once('=') {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && !rest.starts_with('=') {
            return (name.to_owned(), rest.to_owned());
        }
    }
    let name = match k {
        0 => "mean".to_owned(),
        k => format!("mean_{}", k + 1),
    };
    (name, text.clone())
}

impl Completeness {
    /// Reads, sums and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let output = OutputFlags::table(&self.output, self.format);
        session
            .sink
            .check(&output, &[], &session.arguments.inputs())?;
        if self.realizations == Some(0) {
            return Err(usage("--realizations: at least 1, found 0"));
        }
        let means: Vec<(String, String)> = self.mean.iter().enumerate().map(named).collect();
        self.check_names(&means)?;
        let mut record = Record::begin(session.arguments);
        let mut classes = BTreeMap::new();
        let mut samples: Vec<Value> = Vec::new();
        {
            let _reading = session.watch.during(Loss::Nothing);
            for path in self.full.iter().flat_map(Files::iter) {
                let added = self.add(path, &means, &mut classes, session);
                let added = added.with_context(|| path.display().to_string())?;
                let of = |sample: &Value| sample["realizations"].clone();
                if let Some(first) = samples.first().filter(|first| of(first) != of(&added)) {
                    bail!(
                        "{}: bits of {} realisations, expected {} as in {}",
                        path.display(),
                        of(&added),
                        of(first),
                        first["path"].as_str().unwrap_or_default()
                    );
                }
                samples.push(added);
            }
        }
        if classes.is_empty() {
            bail!("the catalogue holds no object: no row was kept");
        }
        record.set("samples", samples);
        let meta = record.timeless(ResultKind::Completeness);
        let columns = self.columns(&classes, &means);
        session.sink.deliver(&Table { columns, meta }, &output)
    }

    /// Refuses columns of one name.
    fn check_names(&self, means: &[(String, String)]) -> Result<()> {
        let mut names = vec![self.by.as_str(), "N", "assigned", "iip", "missing"];
        names.push("zero_probability");
        for (name, _) in means {
            if names.contains(&name.as_str()) {
                return Err(usage(format!(
                    "--mean: the table has a column `{name}` already: NAME=EXPR gives it another name"
                )));
            }
            names.push(name);
        }
        Ok(())
    }

    /// The column of probabilities, where bits do not tell in how many realisations an object was observed.
    fn probability(&self) -> Option<&str> {
        match &self.bits {
            Some(_) => None,
            None => Some(self.probability.as_deref().unwrap_or("PROB_OBS")),
        }
    }

    /// The column of objects that a fibre was put on; none where all are.
    fn assigned(&self) -> Option<&str> {
        (self.assigned != ALL).then_some(self.assigned.as_str())
    }

    /// What is read of a file.
    fn request(&self, means: &[(String, String)]) -> Result<Request> {
        let columns = std::iter::once(self.by.as_str()).chain(self.assigned());
        let columns = columns.chain(self.probability());
        let of_means = means.iter().map(|(_, expression)| expression.as_str());
        let mut request = Request::columns(columns.chain(of_means));
        request.words = self.bits.clone().unwrap_or_default();
        let filter = self.r#where.as_deref().map(Filter::parse).transpose();
        request.filter = filter.context("--where")?;
        request.table.clone_from(&self.table);
        Ok(request)
    }

    /// In how many realisations each object was observed, and of how many.
    fn observed(&self, catalog: &mut Catalog) -> Result<(Vec<f64>, u32)> {
        let Some(names) = &self.bits else {
            let realizations = self.realizations.unwrap_or(128);
            let name = self.probability().unwrap_or_default();
            let observed = shares(name, catalog.column(name)?, realizations)?;
            return Ok((observed, realizations));
        };
        let mut words = Vec::new();
        for name in names {
            words.extend(catalog.take_words(name)?);
        }
        let count =
            |row: usize| -> u32 { words.iter().map(|one| one.values[row].count_ones()).sum() };
        let counts = (0..catalog.rows()).map(|row| f64::from(count(row)));
        Ok((counts.collect(), words.iter().map(|one| one.bits).sum()))
    }

    /// Adds the objects of a file; what the record says of it.
    fn add(
        &self,
        path: &Path,
        means: &[(String, String)],
        classes: &mut BTreeMap<u64, Class>,
        session: &Session<'_>,
    ) -> Result<Value> {
        let stop = session.watch.stop();
        let hashing = Hashing::begin(path, &stop);
        let request = self.request(means)?;
        let mut catalog = open_until(path, stop)?
            .read(&request)
            .context("--by, --assigned, --bits or --probability, and --mean name its columns")?;
        let (observed, realizations) = self.observed(&mut catalog)?;
        let by = catalog.column(&self.by)?;
        let is_assigned = self.assigned().map(|name| catalog.column(name));
        let is_assigned = is_assigned.transpose()?;
        if let Some(row) = is_assigned.and_then(|column| column.iter().position(|v| v.is_nan())) {
            bail!(
                "--assigned {}: expected 0 or 1, found NaN in row {row} (counting from 0 those that are kept)",
                self.assigned
            );
        }
        let of_means = means.iter().map(|(_, text)| catalog.column(text));
        let of_means = of_means.collect::<Result<Vec<&[f64]>, _>>()?;
        for (row, &class) in by.iter().enumerate() {
            if class.trunc() != class || !(0.0..9e15).contains(&class) {
                bail!(
                    "--by {}: expected whole numbers from 0, found {class} in row {row} (counting from 0 those that are kept)",
                    self.by
                );
            }
            let class = classes.entry(class as u64).or_default();
            let assigned = is_assigned.is_none_or(|column| column[row] != 0.0);
            class.add(assigned, observed[row], realizations);
            let values = of_means.iter().map(|column| column[row]);
            class.add_means(values);
        }
        Ok(json!({
            "path": path,
            "sha256": hashing.finish()?,
            "format": catalog.format().to_string(),
            "rows_read": catalog.rows_read(),
            "rows_used": catalog.rows(),
            "where": self.r#where,
            "realizations": realizations,
        }))
    }

    /// A row a class.
    fn columns(
        &self,
        classes: &BTreeMap<u64, Class>,
        means: &[(String, String)],
    ) -> Vec<TableColumn> {
        let integers = |name: &str, about: &str, of: &dyn Fn(&Class) -> u64| {
            TableColumn::integers(name, about, classes.values().map(of).collect())
        };
        let floats = |name: &str, about: &str, of: &dyn Fn(&Class) -> f64| {
            TableColumn::floats(name, about, classes.values().map(of).collect())
        };
        let keys = classes.keys().copied().collect();
        let share = |part: f64, class: &Class| part / class.objects as f64;
        let mut columns = vec![
            TableColumn::integers(self.by.as_str(), "class of objects", keys),
            integers("N", "objects", &|class| class.objects),
            integers("assigned", "objects that a fibre was put on", &|class| {
                class.assigned
            }),
            floats("iip", "sum of IIP weights of the assigned", &|class| {
                class.iip
            }),
            floats("missing", "missing power: 1 - iip/N", &|class| {
                1.0 - share(class.iip, class)
            }),
            floats(
                "zero_probability",
                "share of objects in no realisation and not assigned",
                &|class| share(class.never as f64, class),
            ),
        ];
        for (k, (name, expression)) in means.iter().enumerate() {
            let about = format!("mean of {expression}");
            columns.push(floats(name, &about, &|class| share(class.means[k], class)));
        }
        columns
    }
}

impl Class {
    /// Adds an object that was observed in so many of all realisations.
    fn add(&mut self, assigned: bool, observed: f64, realizations: u32) {
        self.objects += 1;
        if assigned {
            self.assigned += 1;
            self.iip += (f64::from(realizations) + 1.0) / (observed + 1.0);
        } else if observed == 0.0 {
            self.never += 1;
        }
    }

    /// Adds what means are of.
    fn add_means(&mut self, values: impl ExactSizeIterator<Item = f64>) {
        self.means.resize(values.len(), 0.0);
        let sums = self.means.iter_mut().zip(values);
        sums.for_each(|(sum, value)| *sum += value);
    }
}

/// In how many realisations objects of these probabilities were observed.
fn shares(name: &str, values: &[f64], realizations: u32) -> Result<Vec<f64>> {
    let share = |(row, &value): (usize, &f64)| {
        if (0.0..=1.0).contains(&value) {
            return Ok(value * f64::from(realizations));
        }
        bail!(
            "column `{name}`, row {row} (counting from 0 those that are kept): expected a probability from 0 to 1, found {value}"
        )
    };
    values.iter().enumerate().map(share).collect()
}
