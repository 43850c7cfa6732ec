//! Names the commit that is built, where the sources lie in their git folder.

use std::path::Path;
use std::process::Command;

/// What git says, in the folder of the sources.
fn git(arguments: &[&str]) -> Option<String> {
    let said = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A folder further up would be that of another project.
    if !Path::new("../.git").exists() {
        return;
    }
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    let names = ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref());
    for path in names.filter_map(|name| git(&["rev-parse", "--git-path", name])) {
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) {
        println!("cargo:rustc-env=ALBIREO_COMMIT={commit}");
    }
}
