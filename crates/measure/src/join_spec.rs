//! Columns of other files, as flags name them: `FILE:KEY=COLUMN,..`.
//!
//! Entry: [`JoinSpec`].

use std::path::Path;
use std::str::FromStr;

use albireo_samples::{AbsentKeys, Join};
use clap::ValueEnum;

use crate::catalogs::Files;

/// Files with columns and the keys by which they are joined.
#[derive(Debug, Clone)]
pub(crate) struct JoinSpec {
    /// As they are spelled.
    pub(crate) spelled: String,
    files: Files,
    keys: [String; 2],
    columns: Vec<String>,
}

/// What becomes of rows whose key is not there, by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AbsentName {
    /// They are refused, with their number.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
    /// They get 0.
    Zero,
}

impl FromStr for JoinSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected FILE:KEY=COLUMN,.., or FILE:KEY=KEY OF FILE=COLUMN,.. where the columns of keys have two names".to_owned()
        };
        let (spelled, rest) = text.rsplit_once(':').ok_or_else(wrong)?;
        let parts: Vec<&str> = rest.split('=').collect();
        let (keys, columns) = match parts[..] {
            [key, columns] => ([key, key], columns),
            [key, of_file, columns] => ([key, of_file], columns),
            _ => return Err(wrong()),
        };
        let columns: Vec<String> = columns.split(',').map(str::to_owned).collect();
        let names = keys
            .iter()
            .copied()
            .chain(columns.iter().map(String::as_str));
        if names.chain([spelled]).any(str::is_empty) {
            return Err(wrong());
        }
        let Ok(files) = spelled.parse();
        Ok(Self {
            spelled: spelled.to_owned(),
            files,
            keys: keys.map(str::to_owned),
            columns,
        })
    }
}

impl JoinSpec {
    /// Its files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter()
    }

    /// What it is to a selection.
    pub(crate) fn join(self, absent: AbsentName) -> Join {
        let [key, of_files] = self.keys;
        Join {
            files: self.files.paths,
            key,
            of_files,
            columns: self.columns,
            absent: match absent {
                AbsentName::Refuse => AbsentKeys::Refuse,
                AbsentName::Drop => AbsentKeys::Drop,
                AbsentName::Zero => AbsentKeys::Zero,
            },
        }
    }
}
