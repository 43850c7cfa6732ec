//! Ctrl-C.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::folder::{Folder, scattered};

#[test]
fn ctrl_c_ends_a_count_with_code_130_and_no_file() {
    let folder = Folder::new().with("d.csv", &scattered(100_000, 10.0, 1));
    // Five thousand million pairs: minutes of work for the naive engine.
    let arguments = "count d.csv --bins lin:0:5:5 --engine naive -o dd.csv"
        .split(' ')
        .collect::<Vec<_>>();
    let mut child = folder
        .command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    assert_eq!(folder.names(), ["d.csv"]);
}
