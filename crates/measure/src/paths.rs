//! Paths as flags take them, each by what a command does there.
//!
//! Entries: [`ReadFile`], [`WrittenFile`], [`KeptFile`], [`KeptFolder`]; [`WeightSpec`], a file or something else. The type of a flag is all that
//! says so: `job` finds the files of a command line by it. Samples are [`Files`](crate::catalogs::Files).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};

/// A path with its purpose.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PathTo<Purpose> {
    path: PathBuf,
    purpose: PhantomData<Purpose>,
}

/// Reading a file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Reading {}
/// Writing a file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Writing {}
/// Keeping in a file what a command has come to.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Keeping {}
/// Keeping that in a folder, beside what others keep.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum KeepingBeside {}

/// A file that a command reads.
pub(crate) type ReadFile = PathTo<Reading>;
/// A file that a command writes; `-` is standard output.
pub(crate) type WrittenFile = PathTo<Writing>;
/// A file of what a command has come to, for the next time: neither a result nor an input.
pub(crate) type KeptFile = PathTo<Keeping>;
/// A folder of that, which commands share.
pub(crate) type KeptFolder = PathTo<KeepingBeside>;

impl<Purpose> From<PathBuf> for PathTo<Purpose> {
    fn from(path: PathBuf) -> Self {
        Self {
            path,
            purpose: PhantomData,
        }
    }
}

impl<Purpose> From<PathTo<Purpose>> for PathBuf {
    fn from(path: PathTo<Purpose>) -> Self {
        path.path
    }
}

impl<Purpose> PathTo<Purpose> {
    pub(crate) fn as_path(&self) -> &Path {
        &self.path
    }
}

impl<Purpose> Deref for PathTo<Purpose> {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl<Purpose> AsRef<Path> for PathTo<Purpose> {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl<Purpose> fmt::Debug for PathTo<Purpose> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

/// As a path without a purpose is taken: any but an empty one.
impl<Purpose: Clone + Send + Sync + 'static> ValueParserFactory for PathTo<Purpose> {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self::from)
    }
}

/// Where the weights of frames come from.
#[derive(Debug, Clone)]
pub(crate) enum WeightSpec {
    /// A column of the particles, with one value in each frame.
    Column(String),
    /// A table with a row a frame.
    File(PathBuf),
}

impl FromStr for WeightSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            _ if text.trim_start_matches('@').trim().is_empty() => {
                Err("expected @FILE with a row a frame, or a column of the particles".to_owned())
            }
            Some(path) => Ok(Self::File(PathBuf::from(path))),
            None => Ok(Self::Column(text.to_owned())),
        }
    }
}
