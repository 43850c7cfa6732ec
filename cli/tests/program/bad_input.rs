//! Bad input: a message that says what and where, the right exit code, and no file left behind.

use crate::folder::{Folder, Run};

/// Runs a command that must fail with `code` and say all of `parts`, leaving no file behind.
pub(crate) fn refused(folder: &Folder, arguments: &str, code: i32, parts: &[&str]) {
    let before = folder.names();
    let run = folder.run(arguments);
    assert_eq!(
        run.code, code,
        "albireo {arguments}\n{}{}",
        run.stdout, run.stderr
    );
    assert_eq!(run.stdout, "", "albireo {arguments}");
    let message = run
        .stderr
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_else(|| panic!("no error line: {}", run.stderr));
    for part in parts {
        assert!(
            message.contains(part),
            "albireo {arguments}\nexpected `{part}` in: {message}"
        );
    }
    assert_eq!(folder.names(), before, "albireo {arguments}");
}

/// Asserts that a run, named `call`, has failed with one line of error, which says `expected`.
pub(crate) fn says_one(run: &Run, call: &str, expected: &str) {
    assert!(
        run.code == 1 || run.code == 2,
        "{call}: {} {}",
        run.code,
        run.stderr
    );
    assert!(run.stderr.contains(expected), "{call}: {}", run.stderr);
    let errors = run.stderr.lines().filter(|line| line.starts_with("error:"));
    assert_eq!(errors.count(), 1, "{call}: {}", run.stderr);
}
