//! What can go wrong with a figure.
//!
//! Entry: [`FigureError`]. Options are named as the command line spells them.

use std::io;
use std::path::PathBuf;

use albireo_catalogs::{TableError, in_short};
use thiserror::Error;

/// Why a figure could not be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The options ask for something that has no meaning for any files.
    #[error("{0}")]
    Call(String),
    /// These results make no such figure.
    #[error("{0}")]
    Input(String),
    /// A kind of result that no figure shows.
    #[error("there is no figure of {0}")]
    NoFigure(&'static str),
    /// A table that is no result.
    #[error("cannot draw this table")]
    NoResult(#[source] TableError),
    /// The metadata do not say what a figure must know.
    #[error(transparent)]
    Table(#[from] TableError),
    /// One of several results, by its name.
    #[error("{name}")]
    OneOf {
        /// What the figure calls it.
        name: String,
        /// What is wrong with it.
        source: Box<FigureError>,
    },
    /// Nothing was given.
    #[error("no results to draw")]
    Nothing,
    /// The page could not be packed.
    #[error("the page cannot be packed")]
    Packing(#[source] io::Error),
    /// The operating system refused.
    #[error("cannot write the figure {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl FigureError {
    /// A result that has no powers of the separation to be scaled by.
    pub(crate) fn not_scaled() -> Self {
        Self::Call("--scale-by scales xi(r), wp(rp) and multipoles only".to_owned())
    }

    /// More axes of bins than a page has, or none.
    pub(crate) fn axes(found: usize) -> Self {
        Self::Input(format!(
            "a figure shows one or two axes of bins; this result has {found}"
        ))
    }

    /// Rows and edges that do not belong together.
    pub(crate) fn rows(found: usize, expected: usize) -> Self {
        Self::Input(format!(
            "the result has {found} rows, but its edges make {expected} bins"
        ))
    }

    /// That nothing of `data`, from its least to its largest value, lies in a range.
    pub(crate) fn empty_range(axis: &str, range: [f64; 2], what: &str, data: [f64; 2]) -> Self {
        let [least, most] = data.map(in_short);
        let range = range.map(in_short).join(":");
        Self::Input(format!(
            "--{axis}-range {range}: there is nothing to show, the {what} reach from {least} to {most}"
        ))
    }

    /// Whether the options asked for something that has no meaning for any files.
    pub fn is_wrong_call(&self) -> bool {
        match self {
            Self::OneOf { source, .. } => source.is_wrong_call(),
            other => matches!(other, Self::Call(_)),
        }
    }
}
