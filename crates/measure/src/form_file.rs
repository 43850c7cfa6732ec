//! The forms that an estimate is written in, and files by their forms: `multipoles=FILE`.
//!
//! Entry: [`FormFile`].

use std::path::PathBuf;
use std::str::FromStr;

use crate::paths::WrittenFile;

/// A form of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Xi,
    Multipoles,
    Wedges,
    Wp,
}

impl Form {
    /// All of them by their names.
    pub(crate) const NAMES: [(Self, &'static str); 4] = [
        (Self::Xi, "xi"),
        (Self::Multipoles, "multipoles"),
        (Self::Wedges, "wedges"),
        (Self::Wp, "wp"),
    ];

    /// The form of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        Some(all.find(|(_, own)| *own == name)?.0)
    }

    /// As files and covariances name it.
    pub(crate) fn name(self) -> &'static str {
        let mut all = Self::NAMES.into_iter();
        all.find(|(form, _)| *form == self)
            .map_or("xi", |(_, name)| name)
    }

    /// What asks for it.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Xi => "xi",
            Self::Multipoles => "--multipoles",
            Self::Wedges => "--wedges or --wedge-edges",
            Self::Wp => "--wp",
        }
    }
}

/// A form of an estimate with the file that it goes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormFile {
    pub(crate) form: Form,
    pub(crate) path: WrittenFile,
}

impl FormFile {
    /// The path of a text that names a form and a file.
    pub(crate) fn path_in(text: &str) -> Option<&str> {
        Some(text.split_once('=')?.1)
    }
}

impl FromStr for FormFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').filter(|(_, path)| !path.is_empty());
        let form = parts.and_then(|(name, path)| Some((Form::named(name)?, path)));
        let (form, path) = form.ok_or_else(|| {
            format!(
                "expected FORM=FILE, the form one of {}, found `{text}`",
                Form::NAMES.map(|(_, name)| name).join(", ")
            )
        })?;
        let path = PathBuf::from(path).into();
        Ok(Self { form, path })
    }
}
