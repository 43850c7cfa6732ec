//! Pairs of classes of objects, each pair of classes with a table of its own: `--classes`.
//!
//! Entry: [`ClassFlags`], [`ClassPairs`]; [`split`] and [`table_of`] of results that hold such tables.

use albireo::binning::PairOrder;
use albireo_catalogs::{Table, TableColumn, TableFormat, Values};
use albireo_samples::{ClassColumn, ClassCut, Samples, Selection, Source};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::group;
use crate::held_columns::{
    CLASS_TABLES, class_tables, meta_of_all, meta_of_one, of_rest, own_entries,
};
use crate::usage::usage;

/// Classes as the command line spells them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::CLASSES)]
pub(crate) struct ClassFlags {
    /// Hold the pairs of classes of objects apart: a column of whole numbers or texts, or numbers that are cut
    ///
    /// E.g. TRACER, or delta with --quantiles 5. All tables are made in one pass: two columns of the result say which pair of classes a row is of.
    /// At most 64 classes; expressions are those of --where.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["weight_set", "bits", "angular", "realisations"])]
    classes: Option<String>,
    /// Cut the numbers of --classes into so many classes of nearly equal numbers of objects, from 0
    #[arg(
        long,
        value_name = "N",
        requires = "classes",
        conflicts_with = "class_edges"
    )]
    quantiles: Option<u32>,
    /// Cut the numbers of --classes at these edges: a class is the number of edges at or below the value
    #[arg(
        long,
        value_name = "A,B,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "classes"
    )]
    class_edges: Vec<f64>,
    /// Classes of the second sample; `none`: all of it is one class [default: those of --classes, where it has that column]
    #[arg(long, value_name = "COLUMN", requires = "classes")]
    cross_classes: Option<String>,
}

/// Most classes that numbers are cut into.
const MOST: usize = 64;

/// A column, unless it is `none`.
fn column(text: &str, optional: bool) -> Option<ClassColumn> {
    let text = text.trim().to_owned();
    (text != "none").then_some(ClassColumn { text, optional })
}

impl ClassFlags {
    /// How values become classes, where classes are held apart.
    pub(crate) fn cut(&self) -> Result<Option<ClassCut>> {
        let Some(classes) = &self.classes else {
            return Ok(None);
        };
        if column(classes, false).is_none() && self.of(true).is_none() {
            return Err(usage(
                "--classes none holds nothing apart: name a column, or leave it out",
            ));
        }
        if let Some(number) = self.quantiles {
            let fits = (2..=MOST).contains(&(number as usize));
            if !fits {
                return Err(usage(format!(
                    "--quantiles: expected 2 to {MOST} classes, found {number}"
                )));
            }
            return Ok(Some(ClassCut::Quantiles(number)));
        }
        let edges = &self.class_edges;
        if edges.is_empty() {
            return Ok(Some(ClassCut::Values));
        }
        let rising = edges.windows(2).all(|pair| pair[0] < pair[1]);
        if !rising || !edges.iter().all(|edge| edge.is_finite()) || edges.len() >= MOST {
            let found: Vec<String> = edges.iter().map(f64::to_string).collect();
            return Err(usage(format!(
                "--class-edges: expected rising numbers, {} at most, found {}",
                MOST - 1,
                found.join(",")
            )));
        }
        Ok(Some(ClassCut::Edges(edges.clone())))
    }

    /// Refuses a file of another package, which has no form of them.
    pub(crate) fn check_file(&self, is_foreign: bool) -> Result<()> {
        if self.any() && is_foreign {
            let read = TableFormat::endings_to_read();
            return Err(usage(format!(
                "--classes: .npy and .txt have no form of pairs by classes: take {read}"
            )));
        }
        Ok(())
    }

    /// Whether classes are held apart.
    pub(crate) fn any(&self) -> bool {
        self.classes.is_some()
    }

    /// The column of the first sample, or of the second one.
    fn of(&self, second: bool) -> Option<ClassColumn> {
        let own = self.cross_classes.as_deref().filter(|_| second);
        match own {
            Some(own) => column(own, false),
            None => column(self.classes.as_deref()?, second),
        }
    }

    /// The source of the first sample, or of the second one, with its classes.
    pub(crate) fn selected(&self, source: Source, second: bool) -> Source {
        with_classes(source, self.of(second))
    }

    /// The source of randoms of the first sample, or of the second one, which may have classes of their `own`.
    pub(crate) fn of_randoms(&self, source: Source, second: bool, own: Option<&str>) -> Source {
        let of_data = self.of(second);
        let classes = of_data.and_then(|of_data| match own {
            Some(own) => column(own, false),
            None => column(&of_data.text, true),
        });
        with_classes(source, classes)
    }
}

fn with_classes(source: Source, classes: Option<ClassColumn>) -> Source {
    Source {
        selection: Selection {
            classes,
            ..source.selection
        },
        ..source
    }
}

/// The pairs of classes that tables are made of, in the order of the tables.
#[derive(Debug)]
pub(crate) struct ClassPairs {
    /// Of the first and of the second point.
    names: [Vec<String>; 2],
    /// Whether both points are of one sample.
    pub(crate) is_one: bool,
    /// Each by the numbers of its classes.
    pub(crate) each: Vec<[usize; 2]>,
}

impl ClassPairs {
    /// Those of samples whose classes are held apart, in bins of this order.
    pub(crate) fn of(samples: &Samples, order: PairOrder) -> Option<Self> {
        let mut names = samples.class_names()?.into_iter();
        let first = names.next()?;
        let second = names.next();
        let is_one = second.is_none();
        let once = is_one && order == PairOrder::Unordered;
        let names = [first.clone(), second.unwrap_or(first)];
        let [n1, n2] = [names[0].len(), names[1].len()];
        let from = |a: usize| if once { a } else { 0 };
        let each = (0..n1).flat_map(|a| (from(a)..n2).map(move |b| [a, b]));
        Some(Self {
            each: each.collect(),
            names,
            is_one,
        })
    }

    /// One table of the tables of all pairs, one behind the other.
    pub(crate) fn joined(&self, tables: Vec<Table>) -> Result<Table> {
        let in_common = |name: &str| {
            if self.is_one {
                of_one_sample(name)
            } else {
                name.to_owned()
            }
        };
        let widest = tables.iter().max_by_key(|table| table.columns.len());
        let widest: Vec<TableColumn> = widest
            .map(|table| table.columns.clone())
            .unwrap_or_default();
        ensure!(
            tables.len() == self.each.len(),
            "expected tables of {} pairs of classes, found {}",
            self.each.len(),
            tables.len()
        );
        let bins = tables.first().map_or(0, Table::rows);
        let mut columns = vec![self.column(0, bins), self.column(1, bins)];
        for column in widest {
            let name = in_common(&column.name);
            let parts = tables.iter().map(|table| rows_of(table, &name));
            let values = parts.collect::<Option<Vec<_>>>().and_then(concatenated);
            let values = values.with_context(|| format!("a pair of classes has no `{name}`"))?;
            let own = tables.first().and_then(|table| table.column(&name));
            let description = own.map_or(column.description, |own| own.description.clone());
            columns.push(TableColumn {
                description,
                name,
                values,
                ..column
            });
        }
        let entries = self.each.iter().zip(&tables).map(|([a, b], table)| {
            let names = table.columns.iter().map(|column| &column.name);
            let mut entry = json!({
                "class_1": self.names[0][*a],
                "class_2": self.names[1][*b],
                "columns": names.collect::<Vec<_>>(),
            });
            for (key, value) in own_entries(table, &OWN) {
                entry[key] = value;
            }
            entry
        });
        let entries = entries.collect();
        let first = tables.into_iter().next().unwrap_or_default();
        let meta = meta_of_all(first.meta, &OWN, (CLASS_TABLES, entries));
        Ok(Table { columns, meta })
    }

    /// The column of the class of the first or of the second point.
    fn column(&self, point: usize, bins: usize) -> TableColumn {
        let names = &self.names[point];
        let name = format!("class_{}", point + 1);
        let which = ["first", "second"][point];
        let each = self
            .each
            .iter()
            .flat_map(|pair| std::iter::repeat_n(pair[point], bins));
        let whole = |name: &String| name.parse::<i64>().ok().filter(|n| n.to_string() == *name);
        let Some(values) = names.iter().map(whole).collect::<Option<Vec<i64>>>() else {
            let described = format!(
                "class of the {which} point, by its number from 0: {}",
                names.join(", ")
            );
            return TableColumn::integers(name, described, each.map(|k| k as u64).collect());
        };
        let described = format!("class of the {which} point");
        let natural = values.iter().map(|&value| u64::try_from(value).ok());
        match natural.collect::<Option<Vec<u64>>>() {
            Some(values) => {
                TableColumn::integers(name, described, each.map(|k| values[k]).collect())
            }
            None => TableColumn::floats(name, described, each.map(|k| values[k] as f64).collect()),
        }
    }
}

/// That of one pair alone.
const OF_CLASSES: &str = "of_classes";
/// Entries of records that pairs of classes have each for itself.
const OWN: [&str; 2] = ["counts", "estimator"];

/// Counts between two classes of one sample, and those within a class whose columns they share.
const TWINS: [[&str; 2]; 7] = [
    ["D1D2", "DD"],
    ["D1R2", "DR"],
    ["R1D2", "RD"],
    ["R1R2", "RR"],
    ["D1S2", "DS"],
    ["S1D2", "SD"],
    ["S1S2", "SS"],
];

/// Counts that hold the pairs of others the other way round: those within a class are not there twice.
const MIRRORED: [[&str; 2]; 2] = [["RD", "DR"], ["SD", "DS"]];

/// The name of a column of `first` as that of `second`, where it is about one of these counts.
fn renamed(name: &str, counts: &[[&str; 2]], [from, to]: [usize; 2]) -> Option<String> {
    let (count, rest) = name.split_once('_')?;
    let pair = counts.iter().find(|pair| pair[from] == count)?;
    Some(format!("{}_{rest}", pair[to]))
}

/// The name of the column that holds a count between two classes beside those within a class.
fn of_one_sample(name: &str) -> String {
    renamed(name, &TWINS, [0, 1]).unwrap_or_else(|| name.to_owned())
}

/// The values of a column of one pair of classes.
fn rows_of(table: &Table, name: &str) -> Option<Values> {
    let values = |name: String| Some(table.column(&name)?.values.clone());
    let twin = || values(renamed(name, &TWINS, [1, 0])?);
    let mirrored = || values(renamed(name, &MIRRORED, [0, 1])?);
    let rest = || of_rest(name).map(|_| Values::Floats(vec![0.0; table.rows()]));
    let own = values(name.to_owned());
    own.or_else(twin).or_else(mirrored).or_else(rest)
}

/// The values of all tables.
fn concatenated(parts: Vec<Values>) -> Option<Values> {
    let mut parts = parts.into_iter();
    let mut all = parts.next()?;
    for part in parts {
        match (&mut all, part) {
            (Values::Integers(all), Values::Integers(part)) => all.extend(part),
            (Values::Floats(all), Values::Floats(part)) => all.extend(part),
            _ => return None,
        }
    }
    Some(all)
}

/// The table of entry `k` alone.
fn part(table: &Table, entries: &[Value], k: usize) -> Table {
    let rows = table.rows() / entries.len().max(1);
    let rows = k * rows..(k + 1) * rows;
    let column = |name: &Value| {
        let name = name.as_str()?;
        let common = of_one_sample(name);
        let own = table.column(name).or_else(|| table.column(&common))?;
        Some(TableColumn {
            name: name.to_owned(),
            ..own.of_rows(rows.clone())
        })
    };
    let columns = entries[k]["columns"].as_array().into_iter().flatten();
    let columns = columns.filter_map(column).collect();
    let mut meta = meta_of_one(table, &OWN, (CLASS_TABLES, &entries[k]));
    let names = json!([entries[k]["class_1"], entries[k]["class_2"]]);
    meta.insert(OF_CLASSES.to_owned(), names);
    Table { columns, meta }
}

/// The results of the pairs of classes that a table holds, by their names; none of another table.
pub(crate) fn split(table: &Table) -> Option<Vec<(String, Table)>> {
    let entries = class_tables(table)?;
    let name = |entry: &Value| {
        let name = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        format!("{} x {}", name("class_1"), name("class_2"))
    };
    let all = entries.iter().enumerate();
    Some(
        all.map(|(k, entry)| (name(entry), part(table, entries, k)))
            .collect(),
    )
}

/// The result of the pairs of two classes, in the order of the table or, where there is none of that order, the other way round.
pub(crate) fn table_of(table: &Table, classes: [&str; 2]) -> Result<Table> {
    let Some(entries) = class_tables(table) else {
        bail!("it holds no classes: `--classes` of count, xi and wp makes tables of them");
    };
    let place = |[a, b]: [&str; 2]| {
        let mut entries = entries.iter();
        entries.position(|entry| entry["class_1"] == a && entry["class_2"] == b)
    };
    // Each pair of classes of one sample is there once, where bins tell no order.
    let is_first = |name: &str| entries.iter().any(|entry| entry["class_1"] == name);
    let of_one = classes.iter().all(|name| is_first(name));
    let mirrored = || place([classes[1], classes[0]]).filter(|_| of_one);
    let found = place(classes).or_else(mirrored);
    if let Some(k) = found {
        return Ok(part(table, entries, k));
    }
    let mut known: Vec<&str> = Vec::new();
    for entry in entries {
        for key in ["class_1", "class_2"] {
            let name = entry[key].as_str().unwrap_or_default();
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    bail!(
        "it holds no pairs of the classes {} and {}: its classes are {}",
        classes[0],
        classes[1],
        known.join(", ")
    )
}

/// Whether a result was taken out of one with tables of several pairs of classes.
pub(crate) fn is_of_classes(table: &Table) -> bool {
    table.meta.contains_key(OF_CLASSES)
}
