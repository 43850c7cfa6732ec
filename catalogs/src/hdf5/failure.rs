//! Errors of the HDF5 decoder as errors of catalogs.
//!
//! Entry: [`failure`].

use std::path::Path;

use crate::error::CatalogError;

pub(super) fn no_table(path: &Path) -> CatalogError {
    let detail =
        "it has no group with one- or two-dimensional data sets and no compound one".to_owned();
    CatalogError::NoTable {
        path: path.to_owned(),
        detail,
    }
}

/// The decoder's error as one of ours.
pub(crate) fn failure(path: &Path, error: &hdf5_reader::error::Error) -> CatalogError {
    use hdf5_reader::error::Error;
    let unsupported = |what: String, advice: &str| CatalogError::Unsupported {
        path: path.to_owned(),
        what,
        advice: advice.to_owned(),
    };
    let mut cause = error;
    while let Error::Context { source, .. } = cause {
        cause = source;
    }
    match cause {
        Error::UnsupportedFilter(filter) => unsupported(
            filter_name(filter),
            "re-save the data set with gzip, lzf or no compression (h5repack -f GZIP=4, or h5py compression=\"gzip\")",
        ),
        Error::UnsupportedEncoding(what) => {
            unsupported(what.clone(), "re-save it with h5repack or h5py")
        }
        Error::ResourceLimit(what) => {
            unsupported(what.clone(), "re-save it with smaller chunks (h5repack -l)")
        }
        Error::Io(source) => {
            CatalogError::io(path, std::io::Error::new(source.kind(), source.to_string()))
        }
        _ => CatalogError::corrupt(path, error.to_string()),
    }
}

/// Registered filters by name: <https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md>.
fn filter_name(filter: &str) -> String {
    let id = filter.rsplit(' ').next().unwrap_or_default();
    let name = match id {
        "307" => "bzip2",
        "32001" => "blosc",
        "32008" => "bitshuffle",
        "32013" => "zfp",
        "32015" => "zstd",
        "32026" => "blosc2",
        _ => return format!("HDF5 filter `{filter}`"),
    };
    format!("HDF5 filter {name} ({id})")
}
