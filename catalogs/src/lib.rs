//! Reads particle and galaxy catalogues, and writes result tables.
//!
//! [`open`] recognises FITS, Parquet, HDF5, ASDF, ECSV and delimited text by content; the reader it returns describes the
//! file's tables or reads columns as float64. [`Table`] holds results and is written as CSV, ECSV, FITS, JSON or Parquet.
//! This crate knows no bins, no engines, and no meaning of a column.
//!
//! ```
//! use albireo_catalogs::{Filter, Request, open};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("galaxies.csv");
//! # std::fs::write(&path, "ra,dec,z\n10.5,-3.25,0.1\n11.5,4.0,0.3\n")?;
//! let mut request = Request::columns(["ra", "dec"]);
//! request.filter = Some(Filter::parse("z < 0.2")?);
//! let catalog = open(&path)?.read(&request)?;
//! assert_eq!(catalog.column("ra")?, [10.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Columns may be computed: `Request::columns(["WEIGHT*WEIGHT_FKP"])`, see [`Expression`].
//!
//! Values come back exactly as the file has them: floats and integers of any width become float64 if that is exact and
//! an error otherwise; missing values are errors; NaN stay NaN.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

#[cfg(feature = "hdf5")]
mod asdf;
mod block;
mod catalog;
mod collector;
mod digest;
mod error;
mod expression;
#[cfg(feature = "fits")]
mod fits;
mod format;
mod grid_head;
mod grids;
mod h5md_file;
#[cfg(feature = "hdf5")]
mod hdf5;
mod hdf5_head;
mod join;
mod kept_file;
mod kept_state;
mod made_here;
mod masks;
mod names;
mod npz;
mod numbers;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod pqr;
mod ranges;
mod reader;
mod records;
mod refused;
mod rows;
#[cfg(any(feature = "fits", feature = "hdf5"))]
mod scaling;
mod schema;
mod stop;
mod system;
mod table;
mod text;
mod texts;
mod trajectory;
mod value;
mod whole_file;
mod words;

pub use catalog::{Catalog, ColumnDescription, Description, Request, TableDescription};
pub use digest::{Hashing, sha256, sha256_of_bytes, sha256_until};
pub use error::{CatalogError, Result};
pub use expression::{
    Argument, Expression, ExpressionError, FileFunction, FileFunctions, Filter, trees,
};
pub use format::Format;
pub use grids::{GridFormat, GridGeometry, GridWriter, grid_record, read_dx_grid};
pub use h5md_file::{H5mdContents, H5mdFile};
pub use join::{AbsentKeys, Join, open_joined};
pub use kept_file::partial_of;
pub use kept_state::{KeptState, KeptStateError};
pub use made_here::is_result;
pub use names::{did_you_mean, near};
pub use npz::{NpzError, read_npz};
pub use numbers::{Values, in_short, whole_number, whole_of_text};
pub use open::{open, open_until};
#[cfg(feature = "parquet")]
pub use parquet::guard::quiet_decoder_panics;
pub use pqr::{Pqr, read_pqr, write_pqr};
pub use reader::CatalogReader;
pub use records::read_record;
pub use rows::{ParseRowsError, RowRange};
pub use stop::Stop;
pub use system::in_words;
pub use table::{ResultKind, Table, TableColumn, TableError, TableFormat, Tree};
pub use texts::Texts;
pub use trajectory::{
    Atoms, Attribute, Cell, FRAME_NAMES, Frame, MemoryColumn, MemoryComponents, MemoryTable,
    TIME_NAMES, Trajectory, TrajectoryDescription, TrajectoryFormat, TrajectoryRequest,
    are_times_of_frames, describe_trajectory, frames_of_table, is_structure_before, open_topology,
    open_trajectory, trajectory_format,
};
pub use value::{Attributes, Value};
pub use whole_file::WholeFile;
pub use words::Words;
