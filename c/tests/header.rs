//! `c/include/albireo.h` is what cbindgen makes of the sources. `UPDATE_HEADER=1` writes it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

#[test]
fn the_header_is_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    let sources = std::fs::read_dir(folder.join("src")).unwrap();
    let mut sources: Vec<_> = sources.map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    for source in sources {
        builder = builder.with_src(source);
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let header = folder.join("include/albireo.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&header).unwrap();
    assert!(
        kept.as_bytes() == made,
        "c/include/albireo.h is not what c/src says: UPDATE_HEADER=1 cargo test -p albireo-c --test header"
    );
}
