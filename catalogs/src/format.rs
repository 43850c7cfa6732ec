//! The formats of catalogues.
//!
//! Entry: [`Format`]. A file's own is recognised by `open`.

use std::fmt;

/// A catalogue file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// FITS tables.
    Fits,
    /// Apache Parquet.
    Parquet,
    /// HDF5 data sets, H5MD trajectories among them.
    Hdf5,
    /// Delimited text.
    Text,
    /// Enhanced CSV, the text format of astropy.
    Ecsv,
    /// ASDF, of Abacus.
    Asdf,
    /// A frame of a trajectory.
    Frame,
    /// Columns in memory, which come from no file.
    Memory,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fits => "FITS",
            Self::Parquet => "Parquet",
            Self::Hdf5 => "HDF5",
            Self::Text => "text",
            Self::Ecsv => "ECSV",
            Self::Asdf => "ASDF",
            Self::Frame => "frame",
            Self::Memory => "memory",
        })
    }
}

impl Format {
    /// The cargo feature that reads it.
    pub(crate) fn feature(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Parquet => "parquet",
            // Its blocks are packed as chunks of HDF5 are.
            Self::Hdf5 | Self::Asdf => "hdf5",
            Self::Text | Self::Ecsv | Self::Frame | Self::Memory => "default",
        }
    }
}
