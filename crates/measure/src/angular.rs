//! Angular upweights of saved counts in bins of theta, `--angular [COUNT=]PARENT,OBSERVED`, or as they stand in a file, `--angular [COUNT=]@FILE`.
//!
//! Entry: [`AngularFiles`], [`Upweights`]. What the factors are is the library's; here is which saved count they are made of.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use albireo::counts::PairKind;
use albireo::estimators::angular_upweights_at;
use albireo::tally::AngularWeight;
use albireo::{Counts, Edges, ThetaBins};
use albireo_catalogs::{ResultKind, Table, Values};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::angular_nodes;
use crate::held_columns::check_single;
use crate::results::Results;
use crate::saved::saved_count;
use crate::usage::usage;

/// Two results or a file of factors, and the count that they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AngularFiles {
    count: Option<String>,
    origin: Origin,
}

/// Where factors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// The counts of the parent sample over those of the observed one.
    Ratio([PathBuf; 2]),
    /// Rows `theta factor`.
    File(PathBuf),
}

impl FromStr for AngularFiles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_count = |name: &str| {
            let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
            (2..=4).contains(&name.len()) && name.chars().all(plain)
        };
        let named = text.split_once('=').filter(|(name, _)| is_count(name));
        let (count, files) = match named {
            Some((name, files)) => (Some(name.to_owned()), files),
            None => (None, text),
        };
        let file = files.strip_prefix('@').filter(|path| !path.is_empty());
        let origin = match (file, &files.split(',').collect::<Vec<_>>()[..]) {
            (Some(path), _) => Origin::File(path.into()),
            (None, &[parent, observed]) if !parent.is_empty() && !observed.is_empty() => {
                Origin::Ratio([parent.into(), observed.into()])
            }
            _ => return Err(
                "expected two results, PARENT,OBSERVED, or factors, @FILE, behind COUNT= where they are for one count such as DR"
                    .to_owned(),
            ),
        };
        Ok(Self { count, origin })
    }
}

impl AngularFiles {
    /// The files.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match &self.origin {
            Origin::Ratio(paths) => paths.iter().map(PathBuf::as_path).collect(),
            Origin::File(path) => vec![path],
        }
    }

    /// As it is typed.
    fn typed(&self) -> String {
        let count = self.count.as_ref().map(|name| format!("{name}="));
        let paths: Vec<String> = self
            .paths()
            .iter()
            .map(|p| p.display().to_string())
            .collect();
        let at = match self.origin {
            Origin::Ratio(_) => "",
            Origin::File(_) => "@",
        };
        let count = count.unwrap_or_default();
        format!("--angular {count}{at}{}", paths.join(","))
    }
}

/// A count that may take upweights.
#[derive(Debug, Clone)]
pub(crate) struct Asking<'a> {
    pub(crate) name: &'static str,
    /// Whether both points are of one sample.
    pub(crate) auto: bool,
    /// The weights that its bits make.
    pub(crate) bits: Option<&'a str>,
}

/// A result with counts in bins of theta.
struct Saved {
    path: PathBuf,
    table: Table,
    sha256: String,
    bins: ThetaBins,
}

impl Saved {
    fn read(path: &Path, results: &Results) -> Result<Self> {
        let table = results.read(path)?;
        let kind = table.kind()?;
        if !matches!(kind, ResultKind::Counts | ResultKind::Correlation) {
            bail!(
                "expected counts in bins of theta, by `albireo xi` or `albireo count`, found {}",
                kind.name()
            );
        }
        let statistic = table.meta.get("statistic").and_then(Value::as_str);
        if statistic != Some("theta") {
            bail!(
                "expected counts in bins of theta (--statistic theta), found bins of {}",
                statistic.unwrap_or("no statistic")
            );
        }
        check_single(&table)?;
        table.check_whole()?;
        if table.is_approximate() {
            bail!("expected exact counts, found approximate ones");
        }
        let axes = table.edges()?;
        let [(_, edges)] = &axes[..] else {
            bail!("expected one axis of bins, found {}", axes.len());
        };
        Ok(Self {
            bins: ThetaBins::new(Edges::new(edges.clone())?)?,
            sha256: results.sha256(path)?,
            path: path.to_owned(),
            table,
        })
    }

    fn counts(&self) -> Vec<&String> {
        let counts = self.table.meta.get("counts").and_then(Value::as_object);
        counts.map_or(vec![], |counts| counts.keys().collect())
    }

    /// The count that `name` means here: of this name, of the same pairs in the other order, or the only one where `any` will do.
    fn find(&self, name: &str, any: bool) -> Option<&str> {
        let counts = self.counts();
        let mirrored = match name {
            "RD" => "DR",
            "SD" => "DS",
            other => other,
        };
        let named = [name, mirrored].into_iter();
        let mut named = named.filter_map(|name| counts.iter().find(|count| count.as_str() == name));
        match (named.next(), &counts[..]) {
            (Some(count), _) => Some(count),
            (None, [only]) if any => Some(only),
            _ => None,
        }
    }

    fn record(&self, count: &str) -> &Value {
        &self.table.meta["counts"][count]
    }

    fn pair_counts(&self, count: &str) -> Result<Counts> {
        saved_count(&self.table, count, &self.bins.clone().into())
    }

    /// Where each bin of a count stands: at the mean angle of its pairs where that was summed, else at its centre.
    fn angles(&self, name: &str, counts: &Counts) -> Vec<f64> {
        let edges = self.bins.edges().values();
        let centres = edges.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
        let summed = counts.mean_separation();
        let summed = summed.or_else(|| counts.weighted_mean_separation());
        // Earlier results have the means of data pairs alone, without sums.
        let column = || {
            let of_data = ["DD", "D1D2"].contains(&name);
            let means = self.table.column("mean_theta").filter(|_| of_data)?;
            match &means.values {
                Values::Floats(means) => Some(means.clone()),
                Values::Integers(_) => None,
            }
        };
        let means = summed.or_else(column);
        let means = means.unwrap_or_else(|| vec![f64::NAN; edges.len() - 1]);
        let angle = |(centre, mean): (f64, f64)| if mean.is_nan() { centre } else { mean };
        centres.zip(means).map(angle).collect()
    }

    /// The digests of its data.
    fn data(&self) -> Vec<&Value> {
        let samples = self.table.meta.get("samples").and_then(Value::as_array);
        let samples = samples.into_iter().flatten();
        samples.flat_map(digests).collect()
    }
}

/// The digests of the files of a sample of data, as its record has them.
fn digests(sample: &Value) -> Vec<&Value> {
    if !["data", "cross"].contains(&sample["role"].as_str().unwrap_or_default()) {
        return vec![];
    }
    let files = sample["files"].as_array().into_iter().flatten();
    let all = std::iter::once(sample).chain(files);
    all.filter_map(|file| file.get("sha256")).collect()
}

/// Factors by the angle with the record of what they were made of.
pub(crate) type Made = (AngularWeight, Value);

/// What `--angular` names, read.
pub(crate) struct Upweights(Vec<(AngularFiles, Factors)>);

/// Where factors come from, read.
enum Factors {
    Ratio(Box<[Saved; 2]>),
    File(Made),
}

impl Factors {
    fn read(files: &AngularFiles, results: &Results) -> Result<Self> {
        let place = |path: &Path| format!("--angular: {}", path.display());
        let read = |path: &Path| Saved::read(path, results).with_context(|| place(path));
        Ok(match &files.origin {
            Origin::Ratio([parent, observed]) => {
                Self::Ratio(Box::new([read(parent)?, read(observed)?]))
            }
            Origin::File(path) => Self::File(angular_nodes::read(path).context("--angular")?),
        })
    }

    /// The factors of a count, if they are for it: of the counts that `name` means in saved results.
    fn of(&self, count: &Asking<'_>, name: &str, any: bool) -> Result<Option<Made>> {
        match self {
            Self::File(made) => Ok(any.then(|| made.clone())),
            Self::Ratio(saved) => match saved.each_ref().map(|saved| saved.find(name, any)) {
                [Some(parent), Some(observed)] => {
                    upweights(saved, [parent, observed], count).map(Some)
                }
                _ => Ok(None),
            },
        }
    }
}

impl Upweights {
    /// Reads all files.
    pub(crate) fn read(asked: &[AngularFiles], results: &Results) -> Result<Self> {
        let both = |files: &AngularFiles| Ok((files.clone(), Factors::read(files, results)?));
        Ok(Self(asked.iter().map(both).collect::<Result<_>>()?))
    }

    /// The factors of each count; refuses files that none of them takes.
    pub(crate) fn of(&self, counts: &[Asking<'_>]) -> Result<Vec<Option<Made>>> {
        let only = counts.len() == 1;
        let mut made: Vec<Option<Made>> = counts.iter().map(|_| None).collect();
        for (files, factors) in &self.0 {
            let mut used = false;
            for (count, made) in counts.iter().zip(&mut made) {
                let given = files.count.as_deref();
                if !only && given.is_some_and(|name| name != count.name) {
                    continue;
                }
                let any = only || given.is_some();
                let name = given.unwrap_or(count.name);
                let own = factors.of(count, name, any);
                let Some(own) = own.with_context(|| files.typed())? else {
                    continue;
                };
                if made.is_some() {
                    return Err(usage(format!(
                        "{}: {} has upweights already",
                        files.typed(),
                        count.name
                    )));
                }
                *made = Some(own);
                used = true;
            }
            if !used {
                return Err(unused(files, factors, counts));
            }
        }
        for (count, _) in counts.iter().zip(&made).filter(|(_, made)| made.is_none()) {
            if !self.0.is_empty() {
                tracing::warn!(
                    "{} takes no angular upweights: the files of --angular hold none for it",
                    count.name
                );
            }
        }
        Ok(made)
    }

    /// Warns where the observed counts are of other files than the data at hand, whose record this is.
    pub(crate) fn check_data(&self, samples: Option<&Value>) {
        let samples = samples.and_then(Value::as_array).into_iter().flatten();
        let own: Vec<&Value> = samples.flat_map(digests).collect();
        let ratios = self.0.iter().filter_map(|(_, factors)| match factors {
            Factors::Ratio(saved) => Some(&saved[1]),
            Factors::File(_) => None,
        });
        for observed in ratios {
            let theirs = observed.data();
            if !theirs.iter().any(|digest| own.contains(digest)) {
                tracing::warn!(
                    "--angular: {} was counted from other files than the data here: its selection should be theirs",
                    observed.path.display()
                );
            }
        }
    }
}

/// The error of files that no count takes.
fn unused(files: &AngularFiles, factors: &Factors, counts: &[Asking<'_>]) -> anyhow::Error {
    let wanted: Vec<&str> = counts.iter().map(|count| count.name).collect();
    let held = match factors {
        Factors::File(_) => String::new(),
        Factors::Ratio(saved) => {
            let [parent, observed] = saved.each_ref().map(|saved| {
                let names: Vec<&str> = saved.counts().into_iter().map(String::as_str).collect();
                names.join(", ")
            });
            format!("the parent result holds {parent}, the observed one {observed}, and ")
        }
    };
    let named = AngularFiles {
        count: Some((*wanted.first().unwrap_or(&"DD")).to_owned()),
        ..files.clone()
    };
    usage(format!(
        "{}: {held}what takes upweights here is {}: name the count that they are for, e.g. {}",
        files.typed(),
        wanted.join(", "),
        named.typed()
    ))
}

/// The factors of `count`: the counts of the parent sample over those of the observed one, by their names.
fn upweights(
    [parent, observed]: &[Saved; 2],
    [of_parent, of_observed]: [&str; 2],
    count: &Asking<'_>,
) -> Result<Made> {
    if parent.sha256 == observed.sha256 {
        bail!(
            "both are the same result: one must be of the parent sample, the other of the observed one"
        );
    }
    let made_of =
        |saved: &Saved, name: &str, key: &str| saved.record(name)["pair_weight"].get(key).cloned();
    for (saved, name) in [(parent, of_parent), (observed, of_observed)] {
        if made_of(saved, name, "angular").is_some() {
            bail!("{}: it has angular upweights already", saved.path.display());
        }
    }
    let theirs = made_of(observed, of_observed, "bits");
    let theirs = theirs.as_ref().and_then(|bits| bits["weight"].as_str());
    if theirs != count.bits {
        let text = |weights: Option<&str>| weights.unwrap_or("no weights of bits").to_owned();
        bail!(
            "{} must be counted with the weights that {} takes here: expected {}, found {}",
            observed.path.display(),
            count.name,
            text(count.bits),
            text(theirs)
        );
    }
    let wanted = parent.pair_counts(of_parent);
    let wanted = wanted.with_context(|| parent.path.display().to_string())?;
    let found = observed.pair_counts(of_observed);
    let found = found.with_context(|| observed.path.display().to_string())?;
    for (saved, counts) in [(parent, &wanted), (observed, &found)] {
        if (counts.kind() == PairKind::Cross) == count.auto {
            let expected = if count.auto {
                "within one sample"
            } else {
                "between two samples"
            };
            bail!(
                "{}: {} is of pairs {expected}, found {} pairs",
                saved.path.display(),
                count.name,
                counts.kind()
            );
        }
    }
    let [of_all, of_some] = [&wanted, &found].map(|counts| counts.total().pairs);
    if count.auto && of_all < of_some {
        bail!(
            "the parent sample has {of_all} pairs in all, fewer than the {of_some} of the observed one: are they exchanged?"
        );
    }
    let factors = angular_upweights_at(&wanted, &found, parent.angles(of_parent, &wanted))?;
    let record = json!({
        "parent": parent.path,
        "parent_sha256": parent.sha256,
        "parent_count": of_parent,
        "observed": observed.path,
        "observed_sha256": observed.sha256,
        "observed_count": of_observed,
        "theta": factors.degrees(),
        "factors": factors.factors(),
    });
    Ok((factors, record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_two_and_may_be_named() {
        let read = |text: &str| text.parse::<AngularFiles>();
        let files = read("DR=a.csv,b/c.csv").unwrap();
        assert_eq!(files.count.as_deref(), Some("DR"));
        assert_eq!(files.typed(), "--angular DR=a.csv,b/c.csv");
        let factors = read("DD=@a,b.txt").unwrap();
        assert_eq!(factors.typed(), "--angular DD=@a,b.txt");
        assert_eq!(factors.paths(), [Path::new("a,b.txt")]);
        let files = read("x=1.csv,b.csv").unwrap();
        assert_eq!(
            (files.count.clone(), files.paths()[0]),
            (None, Path::new("x=1.csv"))
        );
        for wrong in ["a.csv", "a.csv,", ",b.csv", "a,b,c", "DD=", "@", ""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
