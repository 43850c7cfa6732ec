//! The library once more, as what `cargo test` builds for the programs that try it.

#[path = "../src/lib.rs"]
mod library;

pub use library::*;
