//! The keyword arguments of the Python package are the flags of the commands, with their types.
//!
//! `ALBIREO_UPDATE=1 cargo test -p albireo-measure --test python_keywords` writes the file anew, after a flag has changed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use albireo_measure::{Flag, Takes, Values, flags_of};

/// The keyword arguments of a function.
struct Options {
    class: &'static str,
    base: &'static str,
    about: &'static str,
    command: &'static str,
    /// The command whose flags it has as well: those of both are the base.
    relative: Option<&'static str>,
    /// What its function names itself.
    named: &'static [&'static str],
}

const SURVEY: [&str; 7] = [
    "bins",
    "mu-bins",
    "pi-bins",
    "statistic",
    "box",
    "cosmology",
    "estimator",
];

const ALL: [Options; 11] = [
    Options {
        class: "CountOptions",
        base: "SecondOptions",
        about: "Of :func:`albireo.count`.",
        command: "count",
        relative: None,
        named: &[
            "bins",
            "mu-bins",
            "pi-bins",
            "statistic",
            "box",
            "mean-separation",
        ],
    },
    Options {
        class: "EstimateOptions",
        base: "SurveyOptions",
        about: "Of all estimates: :func:`albireo.xi`, :func:`albireo.wp` and those that they make.",
        command: "xi",
        relative: Some("wp"),
        named: &[
            "randoms",
            "bins",
            "pi-bins",
            "box",
            "cosmology",
            "estimator",
            "regions",
        ],
    },
    Options {
        class: "XiOptions",
        base: "EstimateOptions",
        about: "Of :func:`albireo.xi`.",
        command: "xi",
        relative: Some("wp"),
        named: &SURVEY,
    },
    Options {
        class: "WpOptions",
        base: "EstimateOptions",
        about: "Of :func:`albireo.wp`.",
        command: "wp",
        relative: Some("xi"),
        named: &["bins", "pi-bins", "pi-max"],
    },
    Options {
        class: "RdfOptions",
        base: "SecondOptions",
        about: "Of :func:`albireo.rdf`.",
        command: "rdf",
        relative: None,
        named: &["r-max", "n-bins", "bins", "box", "volume"],
    },
    Options {
        class: "RandomsOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.randoms`.",
        command: "randoms",
        relative: None,
        named: &["number", "seed", "box", "shell", "sky-window", "like"],
    },
    Options {
        class: "NzOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.nz`.",
        command: "nz",
        relative: None,
        named: &[
            "randoms",
            "cosmology",
            "bins",
            "area",
            "nside",
            "fkp",
            "effective-redshift",
        ],
    },
    Options {
        class: "CovarianceOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.covariance_model`.",
        command: "covariance",
        relative: None,
        named: &[
            "randoms",
            "cross",
            "cross-randoms",
            "shifted-randoms",
            "multipoles",
            "wedges",
            "wp",
            "tune",
            "alpha",
            "noise",
            "rounds",
            "sums",
            "continue",
        ],
    },
    Options {
        class: "CompletenessOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.completeness`.",
        command: "completeness",
        relative: None,
        named: &["by", "assigned", "bits", "mean", "where"],
    },
    Options {
        class: "FieldOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.field`.",
        command: "field",
        relative: None,
        named: &[
            "kernel",
            "spacing",
            "origin",
            "size",
            "padding",
            "at",
            "cutoff",
            "box",
            // Planes are kept beside a map of a name.
            "checkpoint",
            "checkpoint-every",
        ],
    },
    Options {
        class: "MdOptions",
        base: "TypedDict",
        about: "Of :func:`albireo.md`.",
        command: "md",
        relative: None,
        named: &[
            "steps",
            "atoms",
            "density",
            "box",
            "temperature",
            "dt",
            "every",
            "trajectory",
            "rdf",
        ],
    },
];

/// Keyword arguments that several functions have.
struct Shared {
    class: &'static str,
    about: &'static str,
    /// The classes that have them all.
    of: &'static [&'static str],
}

/// Each flag is of the first of these whose classes all have it, with one type and meaning; in a signature the last come first.
const SHARED: [Shared; 5] = [
    Shared {
        class: "ReadOptions",
        about: "Which columns and rows of a file are read.",
        of: &[
            "CountOptions",
            "EstimateOptions",
            "RdfOptions",
            "RandomsOptions",
            "NzOptions",
            "CovarianceOptions",
            "FieldOptions",
        ],
    },
    Shared {
        class: "EngineOptions",
        about: "On which machine it is computed.",
        of: &[
            "CountOptions",
            "EstimateOptions",
            "RdfOptions",
            "NzOptions",
            "CovarianceOptions",
            "FieldOptions",
        ],
    },
    Shared {
        class: "TwoSamplesOptions",
        about: "Which columns and rows of a second sample are read, and what the space of both is.",
        of: &[
            "CountOptions",
            "EstimateOptions",
            "RdfOptions",
            "CovarianceOptions",
        ],
    },
    Shared {
        class: "RandomsReadOptions",
        about: "Which columns and rows of the randoms are read.",
        of: &["EstimateOptions", "NzOptions"],
    },
    Shared {
        class: "PairOptions",
        about: "Which pairs of a survey are counted, and what of them is summed.",
        of: &["CountOptions", "EstimateOptions"],
    },
];

/// Flags without a meaning where results are objects and samples are arguments.
const OF_FILES: [&str; 13] = [
    "output",
    "outputs",
    "format",
    "plot",
    "scale-by",
    "brief",
    "overwrite",
    "covariance",
    "region-counts",
    "counts",
    "resumable",
    "slice",
    "ions-output",
];

impl Options {
    fn flags(&self) -> Vec<Flag> {
        let relatives = self
            .relative
            .map(|name| flags_of(&[name]))
            .unwrap_or_default();
        let is_base = self.class == "EstimateOptions";
        let is_shared = |flag: &Flag| relatives.iter().any(|other| other.name == flag.name);
        let flags = flags_of(&[self.command]).into_iter();
        let flags = flags.filter(|flag| self.relative.is_none() || is_shared(flag) == is_base);
        let is_known = |flag: &Flag| [self.named, &OF_FILES].concat().contains(&&*flag.name);
        flags
            .filter(|flag| !flag.is_hidden && !is_known(flag))
            .collect()
    }

    /// A line for each flag.
    fn lines(&self) -> Vec<String> {
        let line = |flag: &Flag| {
            let name = flag.name.replace('-', "_");
            format!("    {name}: {}  # {}\n", typed(flag), meaning(flag))
        };
        self.flags().iter().map(line).collect()
    }
}

/// A class of keyword arguments.
fn class_of(class: &str, bases: &str, about: &str, lines: &[String]) -> String {
    let lines = lines.concat();
    format!("\n\nclass {class}({bases}, total=False):\n    \"\"\"{about}\"\"\"\n\n{lines}")
}

/// The type of a keyword argument.
fn typed(flag: &Flag) -> String {
    let one = match flag.takes {
        Takes::Nothing => "bool".to_owned(),
        Takes::Integer => "int".to_owned(),
        Takes::Number => "SupportsFloat".to_owned(),
        Takes::Choice => format!(
            "Literal[{}]",
            flag.choices
                .iter()
                .map(|c| format!("{c:?}"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Takes::Edges => return "Edges".to_owned(),
        Takes::Shells => return "Edges | int".to_owned(),
        Takes::Box => return "Box".to_owned(),
        Takes::Samples | Takes::Read | Takes::Angular => "Any".to_owned(),
        // Tables that functions hand back, where they are asked for by True.
        Takes::Written | Takes::Forms => return "File | bool".to_owned(),
        Takes::Kept | Takes::KeptFolder => return "File".to_owned(),
        Takes::Text if flag.name == "cosmology" => return "Any".to_owned(),
        Takes::Rows | Takes::Joined | Takes::Text => return "Value".to_owned(),
    };
    match flag.values {
        Values::One => one,
        Values::AtMostOne => format!("{one} | bool"),
        Values::List | Values::Repeated if one == "Any" => one,
        Values::List | Values::Repeated => format!("{one} | Sequence[{one}]"),
    }
}

/// The first words of what a flag means.
fn meaning(flag: &Flag) -> String {
    let ends = [", e.g.", " (", " [", "; ", ". ", ": "];
    let end = ends.iter().filter_map(|end| flag.help.find(end)).min();
    flag.help[..end.unwrap_or(flag.help.len())].replace('\n', " ")
}

fn written() -> String {
    let mut text = String::from(
        r#""""The keyword arguments of measurements: the flags of the commands with their types, made from these (crates/measure/tests/python_keywords.rs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, SupportsFloat, TypeAlias, TypedDict

    import numpy.typing as npt

    File: TypeAlias = str | os.PathLike[str]
    Edges: TypeAlias = File | npt.ArrayLike
    Box: TypeAlias = str | npt.ArrayLike | Sequence[float | None]
    Value: TypeAlias = npt.ArrayLike | Mapping[str, float]
else:

    class TypedDict:
        """Annotations alone: who checks types has the real one."""

        def __init_subclass__(cls, total: bool = True) -> None:
            """Whether all keys must be there is asked by nobody."""


class SecondOptions(TypedDict, total=False):
    """Arrays beside a second sample."""

    group: npt.ArrayLike
    cross_group: npt.ArrayLike
    cross_region: npt.ArrayLike
    columns: Mapping[str, npt.ArrayLike]
    cross_columns: Mapping[str, npt.ArrayLike]


class SurveyOptions(TypedDict, total=False):
    """Arrays beside the samples of a survey."""

    region: npt.ArrayLike
    randoms_region: npt.ArrayLike
    randoms_group: npt.ArrayLike
    cross_weights: npt.ArrayLike
    cross_region: npt.ArrayLike
    cross_group: npt.ArrayLike
    columns: Mapping[str, npt.ArrayLike]
    randoms_columns: Mapping[str, npt.ArrayLike]
    cross_columns: Mapping[str, npt.ArrayLike]
"#,
    );
    let mut own: Vec<Vec<String>> = ALL.iter().map(Options::lines).collect();
    let mut shared = vec![];
    for Shared { class, about, of } in SHARED {
        let has = |k: usize| of.contains(&ALL[k].class);
        let has: Vec<usize> = (0..ALL.len()).filter(|&k| has(k)).collect();
        let all = |line: &String| has.iter().all(|&k| own[k].contains(line));
        let lines: Vec<String> = own[has[0]].iter().filter(|l| all(l)).cloned().collect();
        for k in has {
            own[k].retain(|line| !lines.contains(line));
        }
        text.push_str(&class_of(class, "TypedDict", about, &lines));
        shared.insert(0, (class, of));
    }
    for (options, lines) in ALL.iter().zip(&own) {
        let shared = shared.iter().filter(|(_, of)| of.contains(&options.class));
        let mut bases: Vec<&str> = shared.map(|(class, _)| *class).collect();
        if options.base != "TypedDict" || bases.is_empty() {
            bases.push(options.base);
        }
        text.push_str(&class_of(
            options.class,
            &bases.join(", "),
            options.about,
            lines,
        ));
    }
    text
}

#[test]
fn keyword_arguments_are_the_flags() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/albireo/keywords.py");
    let made = written();
    if std::env::var_os("ALBIREO_UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let differs = made
        .lines()
        .zip(kept.lines())
        .find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "python/albireo/keywords.py is not what the flags are, by ALBIREO_UPDATE=1 it becomes so: {differs:?}"
    );
}
