//! Correlation functions that lsstypes wrote, as tables.
//!
//! Entry: [`table`], of its tree. Counts are weights there: numbers of pairs, and what needs them, are not known.

use albireo::binning::{AxisUnit, BinAxis};
use albireo_catalogs::{ResultKind, Table, TableColumn, Tree};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use crate::tables::edge_columns;

/// The objects that are read, by their names.
const KNOWN: &str = "count2_correlation, count2_jackknife_correlation, count2_correlation_poles, .._pole, .._wedges, .._wedge and .._wp";

/// A group of the tree.
#[derive(Clone, Copy)]
struct Group<'t>(&'t [(String, Tree)]);

/// An axis: its name and the edges of its bins.
type Axis = (String, Vec<f64>);

impl<'t> Group<'t> {
    fn of(tree: &'t Tree) -> Result<Self> {
        match tree {
            Tree::Group(members) => Ok(Self(members)),
            _ => bail!("expected a group"),
        }
    }

    fn member(self, name: &str) -> Result<&'t Tree> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found
            .map(|(_, tree)| tree)
            .with_context(|| format!("there is no `{name}`"))
    }

    fn group(self, name: &str) -> Result<Self> {
        Self::of(self.member(name)?).with_context(|| format!("`{name}`"))
    }

    fn texts(self, name: &str) -> Result<&'t [String]> {
        match self.member(name)? {
            Tree::Texts(texts) if !texts.is_empty() => Ok(texts),
            _ => bail!("`{name}`: expected texts"),
        }
    }

    fn floats(self, name: &str) -> Result<&'t [f64]> {
        match self.member(name)? {
            Tree::Floats(_, values) => Ok(values),
            _ => bail!("`{name}`: expected real numbers"),
        }
    }

    /// Its axes, whose bins must adjoin.
    fn axes(self) -> Result<Vec<Axis>> {
        let axis = |name: &String| -> Result<Axis> {
            let ends = self.floats(&format!("{name}_edges"))?;
            let bins = ends.chunks(2);
            let adjoin =
                ends.len() >= 2 && bins.clone().zip(bins.skip(1)).all(|(a, b)| a[1] == b[0]);
            ensure!(adjoin, "`{name}_edges`: expected bins that adjoin");
            let upper = ends.chunks(2).map(|ends| ends[1]);
            Ok((
                name.clone(),
                std::iter::once(ends[0]).chain(upper).collect(),
            ))
        };
        self.texts("coords_names")?.iter().map(axis).collect()
    }

    /// Sums of weights and norms of a count, over its regions where it has them.
    fn pairs(self) -> Result<(Vec<Axis>, Vec<f64>, Vec<f64>)> {
        if self.texts("name")?[0] == "count2" {
            let norm = self.floats("norm")?.to_vec();
            let both = self.floats("normalized_counts")?.iter().zip(&norm);
            return Ok((
                self.axes()?,
                both.map(|(share, norm)| share * norm).collect(),
                norm,
            ));
        }
        let mut all: Option<(Vec<Axis>, Vec<f64>, Vec<f64>)> = None;
        // Pairs across a border stand in the regions of both points: those of the first are all of them.
        for label in self
            .texts("labels_values")?
            .iter()
            .filter(|label| !label.starts_with("ji"))
        {
            let one = self.group(label)?.pairs().with_context(|| label.clone())?;
            match &mut all {
                None => all = Some(one),
                Some((axes, weights, norms)) => {
                    ensure!(
                        *axes == one.0 && weights.len() == one.1.len(),
                        "{label} has other bins"
                    );
                    let add = |sums: &mut [f64], more: &[f64]| {
                        for (sum, more) in sums.iter_mut().zip(more) {
                            *sum += more;
                        }
                    };
                    add(weights, &one.1);
                    add(norms, &one.2);
                }
            }
        }
        all.context("it has no regions")
    }
}

/// A column of a value in every bin.
fn column(name: String, described: &str, values: &[f64]) -> TableColumn {
    TableColumn::floats(name, described, values.to_vec())
}

/// The result that a tree holds.
pub(super) fn table(tree: &Tree) -> Result<Table> {
    let root = Group::of(tree)?;
    let name = &root.texts("name")?[0];
    let mut meta = Map::new();
    meta.insert("program".to_owned(), json!("lsstypes"));
    meta.insert("separations".to_owned(), json!("x2 - x1"));
    let (kind, axes, columns) = match name.strip_prefix("count2_") {
        Some("correlation" | "jackknife_correlation") => correlation(root, &mut meta)?,
        Some(form @ ("correlation_poles" | "correlation_wedges")) => {
            let labels = root.texts("labels_values")?.iter();
            let leaves = labels
                .map(|label| root.group(label))
                .collect::<Result<Vec<_>>>()?;
            curves(&leaves, form.trim_end_matches('s'), &mut meta)?
        }
        Some(form @ ("correlation_pole" | "correlation_wedge" | "correlation_wp")) => {
            curves(&[root], form, &mut meta)?
        }
        _ => bail!("it is a {name} of lsstypes: expected {KNOWN}"),
    };
    let bins: usize = axes.iter().map(|(_, edges)| edges.len() - 1).product();
    for column in &columns {
        let found = column.values.len();
        ensure!(
            found == bins,
            "`{}`: expected {bins} values, found {found}",
            column.name
        );
    }
    let statistic = match axes[0].0.as_str() {
        "s" if axes.len() == 1 && kind == ResultKind::Correlation => "r",
        "s" => "s-mu",
        "rp" => "rp-pi",
        other => other,
    };
    meta.insert("statistic".to_owned(), json!(statistic));
    let edges = axes
        .iter()
        .map(|(name, edges)| (name.clone(), json!(edges)));
    meta.insert("edges".to_owned(), Value::Object(edges.collect()));
    meta.insert("result".to_owned(), json!(kind.name()));
    let named = axes.into_iter().map(|(name, edges)| {
        let (name, unit) = match name.as_str() {
            "s" => ("s", AxisUnit::Length),
            "mu" => ("mu", AxisUnit::Dimensionless),
            "rp" => ("rp", AxisUnit::Length),
            "pi" => ("pi", AxisUnit::Length),
            "theta" => ("theta", AxisUnit::Degrees),
            other => bail!("its axis {other} is not known: expected s, mu, rp, pi or theta"),
        };
        Ok(BinAxis { name, edges, unit })
    });
    let mut all = edge_columns(&named.collect::<Result<Vec<_>>>()?, None);
    all.extend(columns);
    Ok(Table { columns: all, meta })
}

type Read = (ResultKind, Vec<Axis>, Vec<TableColumn>);

/// xi over its bins, with its normalised counts.
fn correlation(root: Group<'_>, meta: &mut Map<String, Value>) -> Result<Read> {
    let labels = root.texts("labels_values")?;
    let mut counts = Vec::new();
    let mut axes: Option<Vec<Axis>> = None;
    for label in labels {
        let (own, weights, norms) = root
            .group(label)?
            .pairs()
            .with_context(|| format!("`{label}`"))?;
        ensure!(
            axes.get_or_insert_with(|| own.clone()) == &own,
            "`{label}`: it has other bins"
        );
        let shares = weights.iter().zip(norms);
        counts.push((
            label.as_str(),
            shares
                .map(|(weight, norm)| weight / norm)
                .collect::<Vec<f64>>(),
        ));
    }
    let axes = axes.context("it holds no counts")?;
    let of = |name: &str| {
        counts
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, values)| values)
    };
    let random = |other: &str| of(other).with_context(|| format!("it has no {other}"));
    let estimator = &root.group("meta")?.texts("estimator")?[0];
    let shifted = labels.iter().any(|label| label.contains('S'));
    let [dr, rd, rr] = if shifted {
        ["DS", "SD", "SS"]
    } else {
        ["DR", "RD", "RR"]
    };
    let (numerator, name): (Vec<f64>, _) = match estimator.as_str() {
        "landyszalay" => {
            let others = random(dr)?.iter().zip(random(rd)?).zip(random(rr)?);
            let all = random("DD")?.iter().zip(others);
            (
                all.map(|(dd, ((dr, rd), rr))| dd - dr - rd + rr).collect(),
                if shifted {
                    "shifted-randoms"
                } else {
                    "landy-szalay"
                },
            )
        }
        "natural" => {
            let both = random("DD")?.iter().zip(random(rr)?);
            (both.map(|(dd, rr)| dd - rr).collect(), "natural")
        }
        other => bail!("its estimator is {other}: expected landyszalay or natural"),
    };
    let over = random("RR")?.iter();
    let xi: Vec<f64> = numerator
        .iter()
        .zip(over)
        .map(|(sum, rr)| if *rr == 0.0 { f64::NAN } else { sum / rr })
        .collect();
    meta.insert("estimator".to_owned(), json!(name));
    let mut columns = vec![column("xi".to_owned(), "correlation function", &xi)];
    columns.extend(counts.iter().map(|(name, values)| {
        column(
            format!("{name}_normalised"),
            "counts over their total",
            values,
        )
    }));
    Ok((ResultKind::Correlation, axes, columns))
}

/// Multipoles, wedges or wp, one of each leaf.
fn curves(leaves: &[Group<'_>], form: &str, meta: &mut Map<String, Value>) -> Result<Read> {
    let first = leaves.first().context("it holds nothing")?;
    let axes = first.axes()?;
    let mut columns = Vec::new();
    let mut wedges: Vec<f64> = Vec::new();
    for (k, leaf) in leaves.iter().enumerate() {
        ensure!(leaf.axes()? == axes, "its parts have different bins");
        let own = leaf.group("meta");
        let (name, described) = match form {
            "correlation_pole" => match own?.member("ell")? {
                Tree::Integers(_, ell) if ell.len() == 1 => {
                    (format!("xi_{}", ell[0]), "multipole of xi(s, mu)")
                }
                _ => bail!("`meta/ell`: expected an integer"),
            },
            "correlation_wedge" => {
                let ends = own?.floats("mu_edges")?;
                ensure!(
                    ends.len() == 2 && wedges.last().is_none_or(|last| *last == ends[0]),
                    "its wedges do not adjoin"
                );
                wedges.extend(if k == 0 { ends } else { &ends[1..] });
                (format!("xi_wedge_{k}"), "mean of xi(s, mu) over mu")
            }
            _ => ("wp".to_owned(), "projected correlation function"),
        };
        columns.push(column(name, described, leaf.floats("value")?));
    }
    let kind = match form {
        "correlation_pole" => ResultKind::Multipoles,
        "correlation_wedge" => {
            meta.insert("wedges".to_owned(), json!(wedges));
            ResultKind::Wedges
        }
        _ => ResultKind::Projected,
    };
    Ok((kind, axes, columns))
}
