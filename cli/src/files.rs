//! Files that are there whole or not at all.
//!
//! Entry: [`write_whole`] and [`check_folder`].

use std::path::Path;

use anyhow::{Result, bail};

/// The folder a file lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Refuses a path in a folder that does not exist, before the work begins.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    if !folder(path).is_dir() {
        bail!(
            "{}: no such folder: {}",
            path.display(),
            folder(path).display()
        );
    }
    Ok(())
}

/// Writes `bytes` beside `path` and renames the file into place.
#[cfg(feature = "plot")]
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder(path).join(format!(".{name}.{}.part", std::process::id()));
    let written =
        std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}
