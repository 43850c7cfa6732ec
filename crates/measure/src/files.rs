//! Which files a command reads and writes, distinguished before the work.
//!
//! Entry: [`Written`] and [`Sink::keep_apart`]. Of a file that is there it asks whether albireo wrote it.

use std::path::{Path, PathBuf};

use albireo_catalogs::{WholeFile, is_result, partial_of};
use anyhow::{Context, Result};

use crate::session::Sink;
use crate::usage::usage;

/// A file that a command is to write.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    /// What it is to the command: `--output`, `--plot`...
    what: String,
    path: &'a Path,
    identity: Identity,
}

/// A file under any spelling: links, `..` and hard links lead to the same one.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Device and number of a file that exists.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The real folder with the name in it.
    Place(PathBuf),
}

/// The identity of a file that exists.
fn existing(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = path.metadata().ok()?;
        Some(Identity::Inode(found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        path.canonicalize().ok().map(Identity::Place)
    }
}

impl<'a> Written<'a> {
    /// Finds out whether `path` can be written, by beginning a file and dropping it.
    pub(crate) fn probe(what: impl Into<String>, path: &'a Path) -> Result<Self> {
        let what = what.into();
        let refused = || format!("{what}: cannot write {}", path.display());
        let file = WholeFile::create(path).with_context(refused)?;
        Ok(Self {
            identity: identity(file.target()).with_context(refused)?,
            what,
            path,
        })
    }
}

impl Written<'_> {
    /// Refuses the place where the file `of` is kept while it is made.
    pub(crate) fn keep_off_partial(self, of: &Path) -> Result<Self> {
        if identity(&partial_of(of)).is_ok_and(|partial| partial == self.identity) {
            let (what, path, of) = (&self.what, self.path.display(), of.display());
            return Err(usage(format!(
                "{what} {path}: {of} is kept there while it is made: name another file"
            )));
        }
        Ok(self)
    }
}

/// The identity of a file that exists or will.
fn identity(path: &Path) -> std::io::Result<Identity> {
    if let Some(found) = existing(path) {
        return Ok(found);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default();
    Ok(Identity::Place(folder.canonicalize()?.join(name)))
}

impl Sink {
    /// Refuses to write over a file that albireo has not written.
    ///
    /// # Errors
    /// A wrong call where `path` holds something else and `--overwrite` is not given, and what the system says.
    pub(crate) fn check_replaced(&self, what: &str, path: &Path) -> Result<()> {
        let held = |file: &std::fs::Metadata| file.is_file() && file.len() > 0;
        if self.overwrite || !path.metadata().is_ok_and(|file| held(&file)) {
            return Ok(());
        }
        let shown = path.display();
        if is_result(path).with_context(|| format!("{what}: cannot read {shown}"))? {
            return Ok(());
        }
        Err(usage(format!(
            "{what} {shown}: that file is there and is no result of albireo: name another file, or give --overwrite to replace it"
        )))
    }

    /// Refuses outputs that are inputs too, two outputs in one file, and those that would replace what is no result.
    pub(crate) fn keep_apart(&self, written: &[Written<'_>], inputs: &[&Path]) -> Result<()> {
        for (k, output) in written.iter().enumerate() {
            let (what, path) = (&output.what, output.path.display());
            for input in inputs {
                if existing(input).is_some_and(|input| input == output.identity) {
                    return Err(usage(format!(
                        "{what} {path} would replace the input {}: name another file",
                        input.display()
                    )));
                }
            }
            if let Some(other) = written[..k]
                .iter()
                .find(|other| other.identity == output.identity)
            {
                return Err(usage(format!(
                    "{} {} and {what} {path} name the same file",
                    other.what,
                    other.path.display()
                )));
            }
        }
        written
            .iter()
            .try_for_each(|output| self.check_replaced(&output.what, output.path))
    }
}
