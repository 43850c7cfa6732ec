//! What the operating system says, in words that say what to do.
//!
//! Entry: [`in_words`].

use std::io::{Error, ErrorKind};

/// Why the operating system refused a file, and what to do; a reason that has a text of its own keeps it.
///
/// ```
/// use albireo_catalogs::in_words;
/// let missing = std::fs::read("no/such/file").unwrap_err();
/// assert_eq!(in_words(&missing), "no such file: check its name and its folder");
/// ```
#[must_use]
pub fn in_words(reason: &Error) -> String {
    // Such a text was made by a library, and says what it found.
    if reason.get_ref().is_some() {
        return reason.to_string();
    }
    let words = match reason.kind() {
        ErrorKind::NotFound => "no such file: check its name and its folder",
        ErrorKind::PermissionDenied => "permission denied: check whose it is and its permissions",
        ErrorKind::IsADirectory => "expected a file, found a folder: name a file in it",
        ErrorKind::NotADirectory => {
            "expected a folder, found a file in its place: check the names of the folders"
        }
        ErrorKind::AlreadyExists => "it exists already: name another, or remove it",
        ErrorKind::InvalidData => {
            "expected text in UTF-8, found other bytes: save it as UTF-8, or name another file"
        }
        ErrorKind::StorageFull => "no space is left on its device: free some, or write elsewhere",
        ErrorKind::QuotaExceeded => {
            "the quota of its device is used up: free some, or write elsewhere"
        }
        ErrorKind::FileTooLarge => "larger than the system allows a file to be: write elsewhere",
        ErrorKind::ReadOnlyFilesystem => "its file system is read-only: write elsewhere",
        ErrorKind::InvalidFilename => "the system takes no such name: choose another",
        ErrorKind::UnexpectedEof => "the file ends too early: is it complete?",
        _ => return without_number(&reason.to_string()),
    };
    words.to_owned()
}

/// The system's own words without the number of its error.
fn without_number(text: &str) -> String {
    let words = text.split(" (os error ").next().unwrap_or(text);
    format!("the system says: {words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_say_what_to_do_and_have_no_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("latin1.txt");
        std::fs::write(&path, b"caf\xe9").unwrap();
        let text = std::fs::read_to_string(&path).unwrap_err();
        assert!(in_words(&text).starts_with("expected text in UTF-8, found other bytes: "));
        let inside = std::fs::read(path.join("inside")).unwrap_err();
        assert!(in_words(&inside).starts_with("expected a folder, found a file"));
        let folder = std::fs::read_to_string(folder.path()).unwrap_err();
        assert!(in_words(&folder).starts_with("expected a file, found a folder"));
        let other = Error::from(ErrorKind::ConnectionReset);
        assert_eq!(in_words(&other), "the system says: connection reset");
        assert_eq!(
            without_number("Connection reset by peer (os error 104)"),
            "the system says: Connection reset by peer"
        );
        assert_eq!(
            in_words(&Error::other("4 atoms, 5 names")),
            "4 atoms, 5 names"
        );
    }
}
