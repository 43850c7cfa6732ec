//! What a reader of samples says besides its result: what was chosen for the user, and what looks wrong but may be meant.
//!
//! Entry: [`Notice`]. What looks wrong is found in `suspicion`.

use std::fmt;
use std::path::Path;

/// Something worth saying that is no error. Its text is one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    text: String,
    is_warning: bool,
}

impl Notice {
    /// Word of what was done.
    pub fn note(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_warning: false,
        }
    }

    /// A suspicion.
    pub fn warning(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_warning: true,
        }
    }

    /// How many rows make a sample.
    pub(crate) fn rows(role: &str, kept: usize, read: u64, path: &Path) -> Self {
        Self::note(format!(
            "{role}: {kept} of {read} rows of {}",
            path.display()
        ))
    }

    /// Whether it is a suspicion, rather than word of what was done.
    pub fn is_warning(&self) -> bool {
        self.is_warning
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
