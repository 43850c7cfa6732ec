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
    /// What is said of names that a set in the pattern lists and that are not there, where others are.
    pub(crate) absent: Option<String>,
}

/// The names that a pattern with a set of characters stands for, such as `[0-4]`; none of other patterns.
fn listed(pattern: &str) -> Option<Vec<String>> {
    let (before, rest) = pattern.split_once('[')?;
    let (set, behind) = rest.split_once(']')?;
    let signs: Vec<char> = set.chars().collect();
    let characters = match signs[..] {
        [] | ['!', ..] => return None,
        [lo, '-', hi] => (lo..=hi).collect(),
        _ if signs.contains(&'-') => return None,
        _ => signs,
    };
    let named = characters
        .into_iter()
        .map(|c| format!("{before}{c}{behind}"));
    Some(named.collect())
}

/// The names of a pattern's set that are not there, where others are.
fn absent(pattern: &str) -> Option<String> {
    let names = listed(pattern)?;
    let is_there = |name: &&String| {
        let Ok(files) = name.parse::<Files>();
        files.iter().all(Path::exists)
    };
    let (there, absent): (Vec<&String>, Vec<&String>) = names.iter().partition(is_there);
    (!there.is_empty() && !absent.is_empty()).then(|| {
        let absent: Vec<&str> = absent.into_iter().map(String::as_str).collect();
        let (found, all) = (there.len(), names.len());
        format!(
            "{pattern}: {found} of {all} files are there, not {}",
            absent.join(", ")
        )
    })
}

impl Files {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }
}

/// A file that exists is meant by its name, even if that has signs of a pattern. What matches nothing is left as it is, so that reading names it.
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
        let absent = is_pattern.then(|| absent(text)).flatten();
        Ok(Self { paths, absent })
    }
}

#[cfg(test)]
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
        let absent = |pattern: &str| {
            let text = folder.path().join(pattern).display().to_string();
            let Ok(files) = text.parse::<Files>();
            let absent = files.absent?;
            Some(absent.replace(&format!("{}/", folder.path().display()), ""))
        };
        let said = |said: &str| Some(said.to_owned());
        assert_eq!(
            absent("g_[0-3].csv"),
            said("g_[0-3].csv: 2 of 4 files are there, not g_0.csv, g_3.csv")
        );
        assert_eq!(
            absent("[gk]_[12].csv"),
            said("[gk]_[12].csv: 1 of 2 files are there, not k_[12].csv")
        );
        for pattern in [
            "g_[12].csv",
            "g_?.csv",
            "g_[!0].csv",
            "x_[0-4].csv",
            "a[1].csv",
        ] {
            assert_eq!(absent(pattern), None, "{pattern}");
        }
        assert_eq!(names("none_*.csv"), ["none_*.csv"]);
        assert_eq!(names("missing.csv"), ["missing.csv"]);
    }
}
