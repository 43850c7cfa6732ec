//! Files in the making whose bytes stay when their process ends, so that another goes on.
//!
//! Entry: [`KeptFile`]. Bytes go to `NAME.partial`; what has been kept of them, and for which job, stands in `NAME.partial.json`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::digest::sha256;
use crate::whole_file::WholeFile;

/// A file that appears under its name when it is finished, and whose bytes are kept until then.
#[derive(Debug)]
pub(crate) struct KeptFile {
    partial: BufWriter<File>,
    target: PathBuf,
    identity: String,
}

/// `NAME.partial` of a file.
fn partial_of(target: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial", target.display()))
}

/// `NAME.partial.json` of a file.
fn state_of(target: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial.json", target.display()))
}

impl KeptFile {
    /// Begins a file, or goes on with what was kept of it by a job of the same identity: then with the note of the last
    /// [`KeptFile::keep`].
    ///
    /// # Errors
    /// What was kept for another job, a file that another process is making, and what the system says.
    pub(crate) fn begin(target: &Path, identity: String) -> io::Result<(Self, Option<Value>)> {
        let (partial, state) = (partial_of(target), state_of(target));
        if !partial.exists() && is_finished(target, &state, &identity)? {
            fs::rename(target, &partial)?;
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(&partial)?;
        if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
            let told = format!("another process is making {}", partial.display());
            return Err(io::Error::other(told));
        }
        let kept = kept(&state, &identity, file.metadata()?.len())?;
        let (bytes, note) = kept.map_or((0, None), |(bytes, note)| (bytes, Some(note)));
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        let begun = Self {
            partial: BufWriter::new(file),
            target: target.to_owned(),
            identity,
        };
        Ok((begun, note))
    }

    /// Keeps all bytes written so far, with a note for who goes on.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn keep(&mut self, note: &Value) -> io::Result<()> {
        self.partial.flush()?;
        self.partial.get_ref().sync_data()?;
        let bytes = self.partial.stream_position()?;
        let mut state = WholeFile::create(&state_of(&self.target))?;
        let all = json!({ "job": self.identity, "bytes": bytes, "note": note });
        serde_json::to_writer(&mut state, &all)?;
        state.finish()
    }

    /// Puts the file in its place; a process that is killed before the end of this leaves what the next one finishes from.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.partial.flush()?;
        self.partial.get_ref().sync_all()?;
        let (partial, state) = (partial_of(&self.target), state_of(&self.target));
        let Some(mut found) = read(&state)? else {
            return fs::rename(partial, &self.target);
        };
        found["sha256"] = digest(&partial)?.into();
        let mut finished = WholeFile::create(&state)?;
        serde_json::to_writer(&mut finished, &found)?;
        finished.finish()?;
        fs::rename(partial, &self.target)?;
        fs::remove_file(state)
    }
}

fn digest(path: &Path) -> io::Result<String> {
    sha256(path).map_err(|error| io::Error::other(error.to_string()))
}

/// Whether the file has its name already, and only its state was not removed.
fn is_finished(target: &Path, state: &Path, identity: &str) -> io::Result<bool> {
    let found = read(state)?.filter(|found| found["job"] == identity);
    let expected = found.as_ref().and_then(|found| found["sha256"].as_str());
    match expected {
        Some(expected) if target.exists() => Ok(digest(target)? == expected),
        _ => Ok(false),
    }
}

/// What stands in a state, if there is one.
fn read(state: &Path) -> io::Result<Option<Value>> {
    let text = match fs::read_to_string(state) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match serde_json::from_str(&text) {
        Ok(found) => Ok(Some(found)),
        Err(_) => Err(refused(state, "it is damaged")),
    }
}

fn refused(state: &Path, what: &str) -> io::Error {
    let shown = state.display();
    io::Error::other(format!(
        "{shown}: {what}: run the command that began it, or remove it to begin anew"
    ))
}

/// How many bytes were kept for a job, and the note; nothing where there is no state.
fn kept(state: &Path, identity: &str, length: u64) -> io::Result<Option<(u64, Value)>> {
    let Some(found) = read(state)? else {
        return Ok(None);
    };
    if found["job"] != identity {
        return Err(refused(state, "it was kept for another job"));
    }
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
#[allow(clippy::unwrap_used, reason = "a failed step fails the test")]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_goes_on_and_what_was_not_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let begin = |job: &str| KeptFile::begin(&path, job.to_owned());
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
        let begin = |job: &str| KeptFile::begin(&path, job.to_owned());
        let (mut file, _) = begin("job").unwrap();
        file.write_all(b"abc").unwrap();
        file.keep(&json!(3)).unwrap();
        file.write_all(b"tail").unwrap();
        // As a process killed between the two names leaves it.
        let (partial, state) = (partial_of(&path), state_of(&path));
        file.flush().unwrap();
        let mut found = read(&state).unwrap().unwrap();
        found["sha256"] = digest(&partial).unwrap().into();
        fs::write(&state, found.to_string()).unwrap();
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
        fs::write(&state, found.to_string()).unwrap();
        let error = begin("job").unwrap_err().to_string();
        assert!(error.contains("lacks bytes"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"another");
    }

    #[test]
    fn files_of_which_nothing_was_kept_are_finished_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let (mut file, _) = KeptFile::begin(&path, "job".to_owned()).unwrap();
        file.write_all(b"abc").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let (mut file, _) = KeptFile::begin(&path, "job".to_owned()).unwrap();
        file.write_all(b"abc").unwrap();
        file.keep(&json!(3)).unwrap();
        drop(file);
        fs::write(partial_of(&path), "ab").unwrap();
        assert!(KeptFile::begin(&path, "job".to_owned()).is_err());
        fs::write(state_of(&path), "{").unwrap();
        assert!(KeptFile::begin(&path, "job".to_owned()).is_err());
    }
}
