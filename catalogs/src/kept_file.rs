//! Files in the making whose bytes stay when their process ends, so that another goes on.
//!
//! Entry: [`KeptFile`]. Bytes go to `NAME.partial`; how many of them are kept, and for which job, says a [`KeptState`] in a file beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::digest::sha256;
use crate::kept_state::KeptState;

/// The kind of the state of such a file.
const KIND: &str = "map in the making";
/// Its block: bytes kept, the note, and at the end the digest of the file.
const PROGRESS: &str = "progress";

/// A file that appears under its name when it is finished, and whose bytes are kept until then.
#[derive(Debug)]
pub(crate) struct KeptFile {
    partial: BufWriter<File>,
    target: PathBuf,
    state: PathBuf,
    job: Value,
}

/// Where the bytes of a file are kept while it is made: `NAME.partial`.
pub fn partial_of(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

impl KeptFile {
    /// Begins a file, or goes on with what the file `state` says is kept of it by the same job: then with the note of the last
    /// [`KeptFile::keep`].
    ///
    /// # Errors
    /// What was kept for another job, a file that another process is making, and what the system says.
    pub(crate) fn begin(
        (target, state): (&Path, &Path),
        job: Value,
    ) -> io::Result<(Self, Option<Value>)> {
        let partial = partial_of(target);
        if !partial.exists() && is_finished(target, state, &job)? {
            fs::rename(target, &partial)?;
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(&partial)?;
        if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
            let shown = partial.display();
            return Err(io::Error::other(format!(
                "another process is making {shown}"
            )));
        }
        let kept = kept(state, &job, file.metadata()?.len())?;
        let (bytes, note) = kept.map_or((0, None), |(bytes, note)| (bytes, Some(note)));
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        let begun = Self {
            partial: BufWriter::new(file),
            target: target.to_owned(),
            state: state.to_owned(),
            job,
        };
        Ok((begun, note))
    }

    /// Keeps all bytes written so far, with a note for the process that goes on.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn keep(&mut self, note: &Value) -> io::Result<()> {
        self.partial.flush()?;
        self.partial.get_ref().sync_data()?;
        let bytes = self.partial.stream_position()?;
        self.save(&json!({ "bytes": bytes, "note": note }))
    }

    fn save(&self, progress: &Value) -> io::Result<()> {
        let state = empty(&self.job).with(PROGRESS, progress.to_string().into_bytes());
        state.write(&self.state)
    }

    /// Puts the file in its place; a process that is killed before the end of this leaves what the next one finishes from.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.partial.flush()?;
        self.partial.get_ref().sync_all()?;
        let partial = partial_of(&self.target);
        let Some(mut progress) = progress(&self.state, None)? else {
            return fs::rename(partial, &self.target);
        };
        progress["sha256"] = digest(&partial)?.into();
        self.save(&progress)?;
        fs::rename(partial, &self.target)?;
        fs::remove_file(&self.state)
    }
}

fn digest(path: &Path) -> io::Result<String> {
    sha256(path).map_err(|error| io::Error::other(error.to_string()))
}

/// A state of a job without its progress.
fn empty(job: &Value) -> KeptState {
    KeptState::new(KIND, [("job", job.clone())])
}

/// Whether the file has its name already, and only its state was not removed.
fn is_finished(target: &Path, state: &Path, job: &Value) -> io::Result<bool> {
    let Ok(Some(found)) = KeptState::read(state, KIND) else {
        return Ok(false);
    };
    let progress: Option<Value> = found
        .json(PROGRESS)
        .filter(|_| found.differs(&empty(job)).is_none());
    let expected = progress.as_ref().and_then(|found| found["sha256"].as_str());
    match expected {
        Some(expected) if target.exists() => Ok(digest(target)? == expected),
        _ => Ok(false),
    }
}

/// The progress in a state, if there is one; refuses that of another job than the one expected.
fn progress(state: &Path, job: Option<&Value>) -> io::Result<Option<Value>> {
    let found = KeptState::read(state, KIND).map_err(|error| refused(state, &error.to_string()))?;
    let Some(found) = found else {
        return Ok(None);
    };
    if job.is_some_and(|job| found.differs(&empty(job)).is_some()) {
        return Err(refused(state, "it was kept for another job"));
    }
    match found.json(PROGRESS) {
        None => Err(refused(state, "it is damaged")),
        progress => Ok(progress),
    }
}

fn refused(state: &Path, what: &str) -> io::Error {
    let shown = state.display();
    io::Error::other(format!(
        "{shown}: {what}: run the command that began it, or remove it to begin anew"
    ))
}

/// How many bytes were kept for a job, and the note; nothing where there is no state.
fn kept(state: &Path, job: &Value, length: u64) -> io::Result<Option<(u64, Value)>> {
    let Some(found) = progress(state, Some(job))? else {
        return Ok(None);
    };
    match found["bytes"].as_u64() {
        Some(bytes) if bytes <= length => Ok(Some((bytes, found["note"].clone()))),
        _ => Err(refused(state, "the file beside it lacks bytes")),
    }
}

impl Write for KeptFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.partial.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_goes_on_and_what_was_not_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let state = folder.path().join("a.kept");
        let begin = |job: &str| KeptFile::begin((&path, &state), json!(job));
        let (mut file, note) = begin("job").unwrap();
        assert_eq!(note, None);
        file.write_all(b"abc").unwrap();
        file.keep(&json!(3)).unwrap();
        file.write_all(b"lost").unwrap();
        assert!(begin("job").is_err(), "it is in the making");
        drop(file);
        let other = begin("other").unwrap_err().to_string();
        assert!(other.contains("for another job"), "{other}");
        let (mut file, note) = begin("job").unwrap();
        assert_eq!(note, Some(json!(3)));
        file.write_all(b"def").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdef");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_with_its_name_and_its_state_is_finished_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let state = folder.path().join("a.kept");
        let begin = |job: &str| KeptFile::begin((&path, &state), json!(job));
        let (mut file, _) = begin("job").unwrap();
        file.write_all(b"abc").unwrap();
        file.keep(&json!(3)).unwrap();
        file.write_all(b"tail").unwrap();
        // As a process killed between the two names leaves it.
        let partial = partial_of(&path);
        file.flush().unwrap();
        let mut found = progress(&state, None).unwrap().unwrap();
        found["sha256"] = digest(&partial).unwrap().into();
        file.save(&found).unwrap();
        let saved = fs::read(&state).unwrap();
        drop(file);
        fs::rename(&partial, &path).unwrap();
        let (mut file, note) = begin("job").unwrap();
        assert_eq!(note, Some(json!(3)));
        file.write_all(b"tail").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abctail");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // Another file of that name is not taken for it, and stays.
        fs::write(&path, "another").unwrap();
        fs::write(&state, saved).unwrap();
        let error = begin("job").unwrap_err().to_string();
        assert!(error.contains("lacks bytes"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"another");
    }

    #[test]
    fn files_of_which_nothing_was_kept_are_finished_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let (mut file, _) =
            KeptFile::begin((&path, &folder.path().join("a.kept")), json!("job")).unwrap();
        file.write_all(b"abc").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let (mut file, _) =
            KeptFile::begin((&path, &folder.path().join("a.kept")), json!("job")).unwrap();
        file.write_all(b"abc").unwrap();
        file.keep(&json!(3)).unwrap();
        drop(file);
        fs::write(partial_of(&path), "ab").unwrap();
        assert!(KeptFile::begin((&path, &folder.path().join("a.kept")), json!("job")).is_err());
        fs::write(folder.path().join("a.kept"), "{").unwrap();
        assert!(KeptFile::begin((&path, &folder.path().join("a.kept")), json!("job")).is_err());
    }
}
