//! The edges of one axis of bins as the command line spells them.
//!
//! Entry: [`EdgeSpec`], [`ends`]. It reads edge files but no catalogues, and knows no statistic.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use albireo::binning::MAX_BINS;
use albireo::{Edges, SignedEdges};
use albireo_catalogs::{in_short, read_npz, whole_of_text};
use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::text::words;

/// How edges are given: `lin:LO:HI:N`, `log:LO:HI:N`, `edges:a,b,c`, `@file` or `@file.npz:name`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) enum EdgeSpec {
    /// Equal widths.
    Linear(f64, f64, usize),
    /// Equal ratios.
    Logarithmic(f64, f64, usize),
    /// One by one.
    List(Vec<f64>),
    /// Rows `lo hi` of a text file, or edges, one a line.
    File(PathBuf),
    /// An array of a `.npz` file.
    Archive(PathBuf, String),
}

/// What may stand for bins, for messages.
const FORMS: &str = "lin:LO:HI:N, log:LO:HI:N, edges:A,B,C, @FILE or @FILE.npz:NAME";

fn is_archive(path: &str) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("npz"))
}

fn number(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("expected a number, found `{text}`"))
}

fn range(kind: &str, rest: &str) -> Result<(f64, f64, usize), String> {
    let parts: Vec<&str> = rest.split(':').collect();
    let [lo, hi, n] = parts[..] else {
        return Err(format!("expected {kind}:LO:HI:N, such as {kind}:0.1:25:20"));
    };
    let n = match whole_of_text(n).and_then(|n| usize::try_from(n).ok()) {
        Some(n) if (1..=MAX_BINS).contains(&n) => n,
        _ => {
            return Err(format!(
                "expected a number of bins from 1 to {MAX_BINS}, found `{n}`"
            ));
        }
    };
    let (lo, hi) = (number(lo)?, number(hi)?);
    if lo >= hi {
        return Err(format!(
            "expected {kind}:LO:HI:N with LO below HI, such as {kind}:0.1:25:20, found {kind}:{rest}"
        ));
    }
    if kind == "log" && lo <= 0.0 {
        return Err(format!(
            "logarithmic bins begin above 0: expected log:LO:HI:N, such as log:0.1:25:20, found log:{rest}"
        ));
    }
    Ok((lo, hi, n))
}

/// The form of bins that a text without its kind was meant to have, with a comma before it.
fn meant(text: &str) -> String {
    let is_all = |separator| text.split(separator).all(|part: &str| number(part).is_ok());
    match text.split(':').count() {
        1 if text.contains(',') && is_all(',') => format!(", such as edges:{text}"),
        2 if is_all(':') => format!(", such as lin:{text}:20"),
        3 if is_all(':') => format!(", such as lin:{text}"),
        _ => String::new(),
    }
}

impl FromStr for EdgeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            let of_archive = path.rsplit_once(':');
            let of_archive = of_archive.filter(|(path, _)| is_archive(path));
            return match of_archive {
                Some((path, name)) => Ok(Self::Archive(path.into(), name.to_owned())),
                None if is_archive(path) => {
                    Err(format!("an array of {path} is needed, such as @{path}:s"))
                }
                None => Ok(Self::File(path.into())),
            };
        }
        match text.split_once(':') {
            Some(("lin", rest)) => range("lin", rest).map(|(lo, hi, n)| Self::Linear(lo, hi, n)),
            Some(("log", rest)) => {
                range("log", rest).map(|(lo, hi, n)| Self::Logarithmic(lo, hi, n))
            }
            Some(("edges", rest)) => rest
                .split(',')
                .map(number)
                .collect::<Result<_, _>>()
                .map(Self::List),
            _ => Err(format!("bins are given as {FORMS}{}", meant(text))),
        }
    }
}

/// The ends of an axis as the command line spells them.
pub(crate) fn ends(text: &str) -> Result<[f64; 2], String> {
    let form = || {
        let below = text
            .trim()
            .parse()
            .is_ok_and(|end: f64| end > 0.0 && end.is_finite());
        let such = if below {
            format!("0:{0} for all below {0}", text.trim())
        } else {
            "0.1:100".to_owned()
        };
        format!("expected LO:HI with LO below HI, such as {such}, found `{text}`")
    };
    let (lo, hi) = text.split_once(':').ok_or_else(form)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| form());
    let ends = [number(lo)?, number(hi)?];
    if !(ends[0] < ends[1] && ends.iter().all(|end| end.is_finite())) {
        return Err(form());
    }
    Ok(ends)
}

/// The edges of rows `lo hi`, each row beginning where the one before it ends, or of edges one a line.
fn edges_of_file(path: &Path) -> Result<Vec<f64>> {
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the bins {shown}"))?;
    let mut edges: Vec<f64> = Vec::new();
    let mut width = None;
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let place = format!("{shown}, line {}", index + 1);
        let row = words(content)
            .into_iter()
            .map(number)
            .collect::<Result<Vec<f64>, _>>()
            .map_err(|reason| anyhow::anyhow!("{place}: {reason}"))?;
        let width = *width.get_or_insert(row.len());
        let (lo, hi) = match row[..] {
            [lo, hi] if width == 2 => (lo, hi),
            [edge] if width == 1 => {
                edges.push(edge);
                continue;
            }
            _ => bail!(
                "{place}: expected {}, found {} numbers",
                if width == 1 {
                    "one edge a line"
                } else {
                    "two numbers, `lo hi`, or one edge a line"
                },
                row.len()
            ),
        };
        match edges.last() {
            None => edges.push(lo),
            Some(&last) if last == lo => {}
            Some(last) => bail!(
                "{place}: bins must follow each other: this one begins at {}, the one before it ends at {}",
                in_short(lo),
                in_short(*last)
            ),
        }
        edges.push(hi);
    }
    Ok(edges)
}

impl EdgeSpec {
    /// The file that the edges are read from, if any.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Archive(path, _) => Some(path),
            _ => None,
        }
    }

    /// The edges that the file holds.
    fn of_file(&self, path: &Path) -> Result<Vec<f64>> {
        let Self::Archive(_, name) = self else {
            return edges_of_file(path);
        };
        read_npz(path, name).with_context(|| format!("cannot read the bins {}", path.display()))
    }

    /// Edges of separations: none below zero.
    pub(crate) fn edges(&self) -> Result<Edges> {
        Ok(match self {
            Self::Linear(lo, hi, n) => Edges::linear(*lo, *hi, *n)?,
            Self::Logarithmic(lo, hi, n) => Edges::logarithmic(*lo, *hi, *n)?,
            Self::List(values) => Edges::new(values.clone())?,
            Self::File(path) | Self::Archive(path, _) => Edges::new(self.of_file(path)?)
                .with_context(|| format!("bins of {}", path.display()))?,
        })
    }

    /// Edges along the line of sight: they may be negative.
    pub(crate) fn signed(&self) -> Result<SignedEdges> {
        Ok(match self {
            Self::Linear(lo, hi, n) => SignedEdges::linear(*lo, *hi, *n)?,
            Self::List(values) => SignedEdges::new(values.clone())?,
            Self::File(path) | Self::Archive(path, _) => SignedEdges::new(self.of_file(path)?)
                .with_context(|| format!("bins of {}", path.display()))?,
            Self::Logarithmic(..) => SignedEdges::new(self.edges()?.values().to_vec())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_parsed_or_refused() {
        assert_eq!("lin:0:150:30".parse(), Ok(EdgeSpec::Linear(0.0, 150.0, 30)));
        assert_eq!(
            "log:0.1:25:20".parse(),
            Ok(EdgeSpec::Logarithmic(0.1, 25.0, 20))
        );
        assert_eq!(
            "edges:-1,0,2.5".parse(),
            Ok(EdgeSpec::List(vec![-1.0, 0.0, 2.5]))
        );
        assert_eq!("@bins.txt".parse(), Ok(EdgeSpec::File("bins.txt".into())));
        let archive = EdgeSpec::Archive("a:b.npz".into(), "mu".to_owned());
        assert_eq!("@a:b.npz:mu".parse(), Ok(archive));
        for bad in [
            "@edges.npz",
            "",
            "20",
            "lin:0:1",
            "lin:0:1:0",
            "lin:0:1:1.5",
            "log:a:1:3",
            "log:0:1:3",
            "lin:1:0:3",
            "edges:1,,2",
            "lin:0:1:2:3",
        ] {
            assert!(bad.parse::<EdgeSpec>().is_err(), "{bad}");
        }
    }

    #[test]
    fn edge_files_must_be_contiguous() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bins");
        std::fs::write(&path, "# lo hi\n0.1 0.2\n\n0.2, 0.5 # second\n").unwrap();
        assert_eq!(edges_of_file(&path).unwrap(), [0.1, 0.2, 0.5]);
        std::fs::write(&path, "0.1 0.2\n0.3 0.5\n").unwrap();
        let message = edges_of_file(&path).unwrap_err().to_string();
        assert!(
            message.contains("line 2") && message.contains("begins at 0.3"),
            "{message}"
        );
        for (text, expected) in [
            (
                "0.1 0.2 0.3\n",
                "line 1: expected two numbers, `lo hi`, or one edge a line, found 3 numbers",
            ),
            (
                "0.1 0.2\n0.2\n",
                "line 2: expected two numbers, `lo hi`, or one edge a line, found 1 numbers",
            ),
            (
                "0.1\n0.2 0.3\n",
                "line 2: expected one edge a line, found 2 numbers",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = edges_of_file(&path).unwrap_err().to_string();
            assert!(message.ends_with(expected), "{message}");
        }
        std::fs::write(&path, "# edges\n0.1\n 0.2 # second\n\n0.5\n").unwrap();
        assert_eq!(edges_of_file(&path).unwrap(), [0.1, 0.2, 0.5]);
    }
}
