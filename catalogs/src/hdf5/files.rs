//! Files as they are opened: with the filters of chunks, the files that links name, and virtual data sets.
//!
//! Entry: [`opened`].

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hdf5_reader::error::{Error, Result};
use hdf5_reader::group::Group;
use hdf5_reader::{ExternalLinkResolver, Hdf5File, OpenOptions, Storage};

use super::failure::failure;
use super::filters;
use super::virtual_sets::{Overlay, beside};
use crate::error::CatalogError;

/// Files refer to files that refer to files at most this often.
const DEEPEST: usize = 4;
/// Virtual data sets are looked for in at most this many groups.
const MOST_GROUPS: usize = 4096;

/// Opens a file and says how many bytes it has, with those that it refers to.
pub(crate) fn opened(
    path: &Path,
    cache: (usize, usize),
) -> std::result::Result<(Hdf5File, u64), CatalogError> {
    // What the system says of the file comes first.
    std::fs::metadata(path).map_err(|error| CatalogError::io(path, error))?;
    open(path, cache, 0).map_err(|error| failure(path, &error))
}

fn open(path: &Path, cache: (usize, usize), depth: usize) -> Result<(Hdf5File, u64)> {
    if depth > DEEPEST {
        let what = "a file that refers to itself by way of others".to_owned();
        return Err(Error::UnsupportedEncoding(what));
    }
    let links = Arc::new(Links {
        path: path.to_owned(),
        cache,
        depth,
        found: Mutex::default(),
        missing: Mutex::default(),
    });
    let source = {
        let path = path.to_owned();
        move |name: &str| source(&path, name, cache, depth)
    };
    let overlay = Arc::new(Overlay::open(path, Box::new(source))?);
    let options = OpenOptions {
        chunk_cache_bytes: cache.0,
        chunk_cache_slots: cache.1,
        filter_registry: Some(filters::registry()),
        external_link_resolver: Some(Arc::clone(&links) as Arc<dyn ExternalLinkResolver>),
        ..OpenOptions::default()
    };
    let file = Hdf5File::from_storage_with_options(Arc::clone(&overlay) as _, options)?;
    let sources = learn(path, &file, &overlay);
    let bytes = overlay
        .len()
        .saturating_add(sources)
        .saturating_add(links.bytes());
    links.tell();
    Ok((file, bytes))
}

/// The source of a virtual data set.
fn source(path: &Path, name: &str, cache: (usize, usize), depth: usize) -> Result<Hdf5File> {
    let found = if name == "." {
        Some(path.to_owned())
    } else {
        beside(path, name)
    };
    let missing = || {
        let what = format!("virtual data set: its source {name} is not there");
        Error::Io(std::io::Error::new(std::io::ErrorKind::NotFound, what))
    };
    Ok(open(&found.ok_or_else(missing)?, cache, depth + 1)?.0)
}

/// Learns of all virtual data sets, and says how many bytes the files of their sources have.
fn learn(path: &Path, file: &Hdf5File, overlay: &Overlay) -> u64 {
    let block = file.superblock();
    let mut sources = BTreeSet::new();
    if (block.offset_size, block.length_size, block.base_address) != (8, 8, 0) {
        return 0;
    }
    let mut groups: Vec<Group> = file.root_group().into_iter().collect();
    let mut seen = HashSet::new();
    while let Some(group) = groups.pop() {
        if !seen.insert(group.address()) || seen.len() > MOST_GROUPS {
            continue;
        }
        let members = loop {
            match group.member_names() {
                Ok((groups, _)) => break groups,
                Err(error) => match virtual_address(&error).and_then(|at| overlay.learn(at)) {
                    Some(files) => sources.extend(files),
                    None => break Vec::new(),
                },
            }
        };
        groups.extend(members.iter().filter_map(|name| group.group(name).ok()));
    }
    let bytes = |name: &String| beside(path, name)?.metadata().ok().map(|it| it.len());
    sources
        .iter()
        .filter_map(bytes)
        .fold(0, u64::saturating_add)
}

/// Where the header of the member stands that has an unknown layout, that of virtual data sets: the decoder's error ends with it.
fn virtual_address(error: &Error) -> Option<u64> {
    let (mut cause, mut place) = (error, None);
    while let Error::Context { path, source } = cause {
        place = path
            .rsplit_once(" at 0x")
            .map(|(_, digits)| digits)
            .or(place);
        cause = source;
    }
    let virtual_one = matches!(cause, Error::UnsupportedLayoutClass(3));
    u64::from_str_radix(place.filter(|_| virtual_one)?, 16).ok()
}

/// The files that the links of a file name, as far as they are there.
struct Links {
    path: PathBuf,
    cache: (usize, usize),
    depth: usize,
    found: Mutex<BTreeMap<String, (Hdf5File, u64)>>,
    missing: Mutex<BTreeSet<String>>,
}

impl ExternalLinkResolver for Links {
    fn resolve_external_link(&self, filename: &str) -> Result<Option<Hdf5File>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((file, _)) = found.get(filename) {
            return Ok(Some(file.clone()));
        }
        if self.depth >= DEEPEST {
            return Ok(None);
        }
        let Some(path) = beside(&self.path, filename) else {
            let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
            missing.insert(filename.to_owned());
            return Ok(None);
        };
        let opened = open(&path, self.cache, self.depth + 1);
        let (file, bytes) =
            opened.map_err(|error| error.with_context(format!("link to {filename}")))?;
        found.insert(filename.to_owned(), (file.clone(), bytes));
        Ok(Some(file))
    }
}

impl Links {
    fn bytes(&self) -> u64 {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found
            .values()
            .map(|(_, bytes)| *bytes)
            .fold(0, u64::saturating_add)
    }

    /// Links to files that are not there lead nowhere: their names are not listed.
    fn tell(&self) {
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if !missing.is_empty() {
            let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
            let missing = missing.join(", ");
            tracing::warn!(path = %self.path.display(), missing, "links to files that are not there are left out");
        }
    }
}
