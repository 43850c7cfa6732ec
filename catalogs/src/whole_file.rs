//! Files that are there whole or not at all.
//!
//! Entry: [`WholeFile`]. Bytes go to a temporary file in the folder of the one to be made, which is renamed at the end; a process
//! holds a lock on its temporary files, so that the next one can tell which were abandoned.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Names of temporary files: this, letters and digits, [`SUFFIX`].
const PREFIX: &str = ".albireo-";
const SUFFIX: &str = ".tmp";
/// Letters and digits between the two.
const LETTERS: usize = 10;
/// Longest chain of symbolic links that is followed, as Linux does.
const MAX_LINKS: usize = 40;

/// A file in the making, which appears under its name when it is finished and not at all when it is dropped.
///
/// An older file of that name stays until then. Where the name is a symbolic link, the file behind it is replaced and the link
/// stays. Temporary files that a killed process left in the folder are removed; those of living processes are not.
///
/// ```
/// use std::io::Write;
/// use albireo_catalogs::WholeFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = WholeFile::create(&path)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    temporary: BufWriter<NamedTempFile>,
    target: PathBuf,
}

impl WholeFile {
    /// Begins the file that `path` will name.
    ///
    /// # Errors
    /// The system's, where the folder does not exist or takes no files; that `path` names something that is no ordinary file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = behind_links(path)?;
        match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                return Err(io::Error::other("it exists and is no ordinary file"));
            }
            _ => {}
        }
        let temporary = locked_in(folder(&target))?;
        remove_abandoned(folder(&target));
        Ok(Self {
            temporary: BufWriter::new(temporary),
            target,
        })
    }

    /// The file that will be made or replaced, behind all symbolic links.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where the bytes are until the file is finished; those still in memory are written first.
    ///
    /// # Errors
    /// The system's.
    pub fn unfinished(&mut self) -> io::Result<&Path> {
        self.temporary.flush()?;
        Ok(self.temporary.get_ref().path())
    }

    /// Brings all bytes to the disk and puts the file in its place, for good where folders can be brought to the disk too.
    ///
    /// # Errors
    /// The system's; the older file, if any, is untouched then.
    pub fn finish(self) -> io::Result<()> {
        let temporary = self
            .temporary
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        temporary.as_file().sync_all()?;
        temporary.persist(&self.target)?;
        // A system that refuses this has no more to offer, and the file is there.
        #[cfg(unix)]
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// The folder a file lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What `path` names when all symbolic links in its last part are followed; the end need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A temporary file that this process has locked; it is still there afterwards, so nobody took it for an abandoned one before.
fn locked_in(folder: &Path) -> io::Result<NamedTempFile> {
    const ATTEMPTS: usize = 100;
    if !folder.is_dir() {
        let missing = format!("no such folder: {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    for _ in 0..ATTEMPTS {
        let file = temporary_in(folder).map_err(|error| {
            let refused = format!(
                "no file can be made in {}: {}",
                folder.display(),
                error.kind()
            );
            io::Error::new(error.kind(), refused)
        })?;
        match file.as_file().try_lock() {
            // Where there are no locks, nobody can take the file for an abandoned one either.
            Err(fs::TryLockError::Error(_)) => return Ok(file),
            Ok(()) if file.path().exists() => return Ok(file),
            // Another process takes it for an abandoned one at this moment, or has removed it.
            Err(fs::TryLockError::WouldBlock) | Ok(()) => {}
        }
    }
    Err(io::Error::other(
        "its temporary files are removed again and again",
    ))
}

/// Temporary files are private by default; a result is an ordinary file, whose rights the process mask decides.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(LETTERS);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Whether a file of that name may be one of ours.
fn is_temporary(name: &str) -> bool {
    let letters = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    letters.is_some_and(|letters| {
        letters.len() == LETTERS && letters.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Removes temporary files that no process holds. What cannot be removed stays: it is in nobody's way.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let ordinary = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !ordinary || !entry.file_name().to_str().is_some_and(is_temporary) {
            continue;
        }
        let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else {
            continue;
        };
        // The lock is held until the file is gone: who has just made it and cannot lock it knows why, and makes another.
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_dropped_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        fs::write(&path, "old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(names(folder.path()), ["r.csv"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn abandoned_files_go_and_those_in_use_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [abandoned, foreign] = [".albireo-Ab3dEf7h1j.tmp", ".albireo-settings"];
        for name in [abandoned, foreign] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut first = WholeFile::create(&folder.path().join("a")).unwrap();
        first.write_all(b"first").unwrap();
        let in_use = first.unfinished().unwrap().to_owned();
        WholeFile::create(&folder.path().join("b"))
            .unwrap()
            .finish()
            .unwrap();
        assert!(in_use.exists());
        assert!(!folder.path().join(abandoned).exists());
        first.finish().unwrap();
        assert_eq!(names(folder.path()), [foreign, "a", "b"]);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"first");
    }

    #[test]
    fn files_made_side_by_side_do_not_take_each_other_for_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let made = |thread: usize| {
            for turn in 0..400 {
                let path = folder.path().join(format!("{thread}_{turn}"));
                let mut file = WholeFile::create(&path).unwrap();
                file.write_all(b"whole").unwrap();
                file.finish().unwrap();
                fs::remove_file(path).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || made(thread));
            }
        });
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("store")).unwrap();
        fs::write(at("store/old.csv"), "old").unwrap();
        std::os::unix::fs::symlink("store/old.csv", at("old.csv")).unwrap();
        std::os::unix::fs::symlink("store/new.csv", at("new.csv")).unwrap();
        std::os::unix::fs::symlink("new.csv", at("newer.csv")).unwrap();
        for name in ["old.csv", "newer.csv"] {
            let mut file = WholeFile::create(&at(name)).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            file.finish().unwrap();
            assert!(at(name).is_symlink());
        }
        assert_eq!(fs::read(at("store/old.csv")).unwrap(), b"old.csv");
        assert_eq!(fs::read(at("store/new.csv")).unwrap(), b"newer.csv");
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        let error = WholeFile::create(&at("loop")).unwrap_err();
        assert_eq!(error.to_string(), "too many symbolic links");
    }

    #[test]
    fn only_ordinary_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let error = WholeFile::create(folder.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }
}
