//! The files of a sample, as arguments name them.
//!
//! Entry: [`Files`]. A pattern stands for the files that it matches, sorted by name.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One file, or all that a pattern matches.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(crate) paths: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }
}

/// A file that is there is meant by its name, whatever signs that has. What matches nothing is left as it is, so that reading names it.
impl FromStr for Files {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let path = PathBuf::from(text);
        let is_pattern = text.contains(['*', '?', '[']) && !path.exists();
        let matches = is_pattern.then(|| glob::glob(text).ok()).flatten();
        // In the order of their names, so that the order of the rows depends on nothing else.
        let mut paths: Vec<PathBuf> = matches
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .collect();
        paths.sort();
        if paths.is_empty() {
            paths.push(path);
        }
        Ok(Self { paths })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_sorted_and_names_are_taken_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["g_2.csv", "g_10.csv", "g_1.csv", "h.csv", "a[1].csv"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let text = folder.path().join(pattern).display().to_string();
            let Ok(files) = text.parse::<Files>();
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            files.iter().map(name).collect()
        };
        assert_eq!(names("g_*.csv"), ["g_1.csv", "g_10.csv", "g_2.csv"]);
        assert_eq!(names("g_?.csv"), ["g_1.csv", "g_2.csv"]);
        assert_eq!(names("a[1].csv"), ["a[1].csv"]);
        assert_eq!(names("none_*.csv"), ["none_*.csv"]);
        assert_eq!(names("missing.csv"), ["missing.csv"]);
    }
}
