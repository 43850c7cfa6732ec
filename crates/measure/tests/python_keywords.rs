//! The keyword arguments of the Python package are the flags of the commands, with their types.
//!
//! `ALBIREO_UPDATE=1 cargo test -p albireo-measure --test python_keywords` writes the file anew, after a flag has changed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
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
    for options in &ALL {
        let (class, base) = (options.class, options.base);
        let _ = write!(
            text,
            "\n\nclass {class}({base}, total=False):\n    \"\"\"{}\"\"\"\n\n",
            options.about
        );
        for flag in options.flags() {
            let name = flag.name.replace('-', "_");
            let _ = writeln!(text, "    {name}: {}  # {}", typed(&flag), meaning(&flag));
        }
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
