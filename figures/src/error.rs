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
    /// The file name's extension names no format of figures.
    #[error("{}: a figure's extension should be .png, .svg or .pdf", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The file name's extension is not that of a page.
    #[error("{}: a report's extension should be .html", path.display())]
    PageExtension {
        /// The file.
        path: PathBuf,
    },
    /// A logarithmic axis was asked to begin where it cannot.
    #[error(
        "--{axis}-range: a logarithmic axis begins above 0, not at {}; --{axis}-scale linear would show it", in_short(*lo)
    )]
    RangeFromZero {
        /// `x` or `y`.
        axis: &'static str,
        /// Where it was asked to begin.
        lo: f64,
    },
    /// Ends of an axis between which there is nothing to show.
    #[error(
        "--{axis}-range {range}: there is nothing to show, the {what} reach from {least} to {most}"
    )]
    EmptyRange {
        /// `x` or `y`.
        axis: &'static str,
        /// The ends asked for, `LO:HI`.
        range: String,
        /// `points`, `values` or `bins`.
        what: &'static str,
        /// The least of them.
        least: String,
        /// The largest.
        most: String,
    },
    /// The bins of a map begin where a logarithmic axis cannot.
    #[error(
        "--{axis}-scale log: the bins in {name} begin at {}; --{axis}-range LO:HI with LO above 0 would show the others", in_short(*lo)
    )]
    BinsFromZero {
        /// `x` or `y`.
        axis: &'static str,
        /// What the bins are in.
        name: String,
        /// The first edge.
        lo: f64,
    },
    /// A logarithmic axis would show no bin.
    #[error("--x-scale log: no bin in {0} lies above 0")]
    NoBinAboveZero(String),
    /// A result that has no powers of the separation to be scaled by.
    #[error("--scale-by scales xi(r), wp(rp) and multipoles only")]
    NotScaled,
    /// A kind of result that no figure shows.
    #[error("there is no figure of {0}")]
    NoFigure(&'static str),
    /// A table that is no result.
    #[error("cannot draw this table")]
    NoResult(#[source] TableError),
    /// The metadata do not say what a figure must know.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A column that its kind of result has is missing.
    #[error("the result has no column `{0}`")]
    MissingColumn(String),
    /// Rows and edges do not belong together.
    #[error("the result has {found} rows, but its edges make {expected} bins")]
    Rows {
        /// Rows.
        found: usize,
        /// Bins.
        expected: usize,
    },
    /// More axes of bins than a page has, or none.
    #[error("a figure shows one or two axes of bins; this result has {0}")]
    Axes(usize),
    /// One of several results, by its name.
    #[error("{name}")]
    OneOf {
        /// What the figure calls it.
        name: String,
        /// What is wrong with it.
        source: Box<FigureError>,
    },
    /// A map among several results.
    #[error("{0}: maps over two axes are drawn one at a time")]
    MapAmongOthers(String),
    /// Results of different axes.
    #[error("{name} shows {shows}, {first} shows {first_shows}: they have no axes in common")]
    DifferentAxes {
        /// A result.
        name: String,
        /// Its axes.
        shows: String,
        /// The first result.
        first: String,
        /// Its axes.
        first_shows: String,
    },
    /// More curves than the legend has room for.
    #[error("{found} curves are too many for one figure: it takes {most}")]
    TooManyCurves {
        /// Curves.
        found: usize,
        /// The most there may be.
        most: usize,
    },
    /// A model where there are no axes for it.
    #[error(
        "--model {0}: this figure has no axes of one function; a model is drawn with curves, not with maps or a panel for each pair"
    )]
    NoModel(String),
    /// Nothing was given.
    #[error("no results to draw")]
    Nothing,
    /// The embedded font cannot be used.
    #[error("the embedded font cannot be read")]
    Typeface,
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
    /// That nothing of `data`, from its least to its largest value, lies in a range.
    pub(crate) fn empty_range(
        axis: &'static str,
        range: [f64; 2],
        what: &'static str,
        data: [f64; 2],
    ) -> Self {
        let [least, most] = data.map(in_short);
        Self::EmptyRange {
            axis,
            range: range.map(in_short).join(":"),
            what,
            least,
            most,
        }
    }

    /// Whether the options asked for something that has no meaning for any files.
    pub fn is_wrong_call(&self) -> bool {
        match self {
            Self::RangeFromZero { .. }
            | Self::BinsFromZero { .. }
            | Self::NoBinAboveZero(_)
            | Self::NotScaled => true,
            Self::OneOf { source, .. } => source.is_wrong_call(),
            _ => false,
        }
    }
}
