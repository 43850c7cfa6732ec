//! The members of a tree of lsstypes.
//!
//! Entry: [`Group`], and [`described`] for the metadata of what is over its axes.

use albireo::binning::{AxisUnit, BinAxis};
use albireo_catalogs::{ResultKind, Tree};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

/// A group of the tree.
#[derive(Clone, Copy)]
pub(super) struct Group<'t>(&'t [(String, Tree)]);

/// An axis: its name and the edges of its bins.
pub(super) type Axis = (String, Vec<f64>);

impl<'t> Group<'t> {
    pub(super) fn of(tree: &'t Tree) -> Result<Self> {
        match tree {
            Tree::Group(members) => Ok(Self(members)),
            _ => bail!("expected a group"),
        }
    }

    pub(super) fn member(self, name: &str) -> Result<&'t Tree> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found
            .map(|(_, tree)| tree)
            .with_context(|| format!("there is no `{name}`"))
    }

    pub(super) fn group(self, name: &str) -> Result<Self> {
        Self::of(self.member(name)?).with_context(|| format!("`{name}`"))
    }

    pub(super) fn texts(self, name: &str) -> Result<&'t [String]> {
        match self.member(name)? {
            Tree::Texts(texts) if !texts.is_empty() => Ok(texts),
            _ => bail!("`{name}`: expected texts"),
        }
    }

    pub(super) fn floats(self, name: &str) -> Result<&'t [f64]> {
        match self.member(name)? {
            Tree::Floats(_, values) => Ok(values),
            _ => bail!("`{name}`: expected real numbers"),
        }
    }

    /// What kind of object it is.
    pub(super) fn name(self) -> Result<&'t str> {
        Ok(&self.texts("name")?[0])
    }

    /// Its axes, whose bins must adjoin.
    pub(super) fn axes(self) -> Result<Vec<Axis>> {
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
}

/// The metadata of a result of this kind over these axes, and the axes by our names: those of counts are the separation of points where they are s
/// alone.
pub(super) fn described(
    axes: &[Axis],
    kind: ResultKind,
) -> Result<(Map<String, Value>, Vec<BinAxis>)> {
    let of_counts = matches!(kind, ResultKind::Counts | ResultKind::Correlation);
    let names: Vec<&str> = axes.iter().map(|(name, _)| name.as_str()).collect();
    let statistic = match names[..] {
        ["s"] if of_counts => "r",
        ["s"] | ["s", "mu"] => "s-mu",
        ["rp"] | ["rp", "pi"] => "rp-pi",
        ["theta"] => "theta",
        _ => bail!(
            "its axes are {}: expected s, mu or rp, pi or theta",
            names.join(", ")
        ),
    };
    let named = axes.iter().map(|(name, edges)| {
        let (name, unit) = match name.as_str() {
            "s" if statistic == "r" => ("r", AxisUnit::Length),
            "s" => ("s", AxisUnit::Length),
            "mu" => ("mu", AxisUnit::Dimensionless),
            "rp" => ("rp", AxisUnit::Length),
            "pi" => ("pi", AxisUnit::Length),
            _ => ("theta", AxisUnit::Degrees),
        };
        BinAxis {
            name,
            edges: edges.clone(),
            unit,
        }
    });
    let named: Vec<BinAxis> = named.collect();
    let edges = named
        .iter()
        .map(|axis| (axis.name.to_owned(), json!(axis.edges)));
    let mut meta = Map::new();
    meta.insert("program".to_owned(), json!("lsstypes"));
    meta.insert("result".to_owned(), json!(kind.name()));
    meta.insert("statistic".to_owned(), json!(statistic));
    meta.insert("edges".to_owned(), Value::Object(edges.collect()));
    if named.len() == 2 {
        meta.insert("line_of_sight".to_owned(), json!("midpoint"));
    }
    Ok((meta, named))
}
