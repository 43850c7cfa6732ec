//! Errors of the HDF5 decoder as errors of catalogues.
//!
//! Entry: [`failure`].

use std::path::Path;

use super::{filters, virtual_sets};
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
    let unsupported = |what: String, advice: &str| CatalogError::unsupported(path, what, advice);
    let mut cause = error;
    while let Error::Context { source, .. } = cause {
        cause = source;
    }
    match cause {
        Error::UnsupportedFilter(filter) => unsupported(
            filter_name(filter),
            "re-save the data set with gzip, lzf or no compression (h5repack -f GZIP=4, or h5py compression=\"gzip\")",
        ),
        Error::UnsupportedEncoding(what) if what.starts_with(virtual_sets::REFUSED) => {
            unsupported(what.clone(), "name the files that it stands for instead")
        }
        Error::UnsupportedLayoutClass(3) => unsupported(
            format!("a virtual data set ({error})"),
            "name the files that it stands for instead",
        ),
        Error::UnsupportedEncoding(what) => {
            unsupported(what.clone(), "re-save it with h5repack or h5py")
        }
        Error::ResourceLimit(what) => {
            unsupported(what.clone(), "re-save it with smaller chunks (h5repack -l)")
        }
        // The file itself is there: one that it refers to is not.
        Error::Io(source) if source.kind() == std::io::ErrorKind::NotFound => CatalogError::Io {
            path: path.to_owned(),
            reason: std::io::Error::new(source.kind(), source.to_string()),
        },
        Error::Io(source) => {
            CatalogError::io(path, std::io::Error::new(source.kind(), source.to_string()))
        }
        _ => CatalogError::corrupt(path, error.to_string()),
    }
}

/// The decoder's `filter id 32013`, by name.
fn filter_name(filter: &str) -> String {
    let number = filter.rsplit(' ').next().and_then(|id| id.parse().ok());
    match number.and_then(|number: u16| Some((number, filters::name(number)?))) {
        Some((number, name)) => format!("HDF5 filter {name} ({number})"),
        None => format!("HDF5 filter `{filter}`"),
    }
}
