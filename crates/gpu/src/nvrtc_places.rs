//! Where NVRTC may lie on this machine.
//!
//! Entry: [`candidates`]. It opens nothing.

use std::path::{Path, PathBuf};

/// Endings of the library's name, best first.
const SUFFIXES: [&str; 7] = ["13", "12", "11.8", "11.7", "11.6", "11.5", "11.2"];

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The folders in `folder`, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    entries
}

/// Whether a file is called so.
pub(crate) fn name_starts(path: &Path, start: &str) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(start))
}

/// `lib` folders of the CUDA wheels of every Python under `lib`.
fn wheels(lib: &Path) -> Vec<PathBuf> {
    entries(lib)
        .into_iter()
        .filter(|path| name_starts(path, "python3"))
        .flat_map(|python| {
            [
                python.join("site-packages/nvidia"),
                python.join("dist-packages/nvidia"),
            ]
        })
        .flat_map(|nvidia| entries(&nvidia))
        .map(|package| package.join("lib"))
        .collect()
}

/// Folders that may hold NVRTC, best first.
pub(crate) fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for name in ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"] {
        if let Some(root) = variable(name) {
            folders.extend(["lib64", "lib"].map(|lib| root.join(lib)));
        }
    }
    let toolkits = entries(Path::new("/usr/local"))
        .into_iter()
        .filter(|path| name_starts(path, "cuda"));
    folders.extend(toolkits.map(|toolkit| toolkit.join("lib64")));
    folders
        .extend(["/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"].map(PathBuf::from));
    let mut roots: Vec<PathBuf> = [
        variable("VIRTUAL_ENV"),
        variable("CONDA_PREFIX"),
        variable("HOME").map(|home| home.join(".local")),
    ]
    .into_iter()
    .flatten()
    .collect();
    // The Pythons on the path, through their links.
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        let python = folder.join("python3");
        let real = python.canonicalize().ok();
        for python in [python.exists().then_some(python), real]
            .into_iter()
            .flatten()
        {
            roots.extend(
                python
                    .parent()
                    .and_then(Path::parent)
                    .map(Path::to_path_buf),
            );
        }
    }
    roots.extend(["/usr", "/usr/local"].map(PathBuf::from));
    let mut seen = Vec::new();
    for root in roots {
        if !seen.contains(&root) {
            folders.extend(wheels(&root.join("lib")));
            seen.push(root);
        }
    }
    folders
}

/// Files and names to try, best first.
pub(crate) fn candidates() -> Vec<PathBuf> {
    let names = || {
        SUFFIXES
            .iter()
            .map(|suffix| format!("libnvrtc.so.{suffix}"))
            .chain(["libnvrtc.so".to_owned()])
    };
    let mut candidates = Vec::new();
    if let Some(given) = variable("ALBIREO_NVRTC") {
        if given.is_dir() {
            candidates.extend(names().map(|name| given.join(name)));
        } else {
            candidates.push(given);
        }
    }
    // By bare name the loader looks in LD_LIBRARY_PATH and the system's folders.
    candidates.extend(names().map(PathBuf::from));
    for folder in folders() {
        candidates.extend(
            names()
                .map(|name| folder.join(name))
                .filter(|path| path.exists()),
        );
    }
    candidates
}

/// Where the loader found a library that was opened by its bare name.
pub(crate) fn loaded_from(name: &Path) -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut paths = maps.lines().filter_map(|line| {
        let path = Path::new(line.get(line.find('/')?..)?);
        name_starts(path, "libnvrtc.so").then(|| path.to_path_buf())
    });
    paths.next().unwrap_or_else(|| name.to_path_buf())
}
