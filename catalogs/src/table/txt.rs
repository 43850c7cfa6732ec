//! Columns of numbers below `# ` lines: what pycorr writes as text, and covariances.
//!
//! Entry: [`FORMAT`]. Which lines these are is up to who makes the result; the record beside it holds the result.

use super::tree::Tree;
use super::{Failure, Recorded, Row, beside};

pub(super) const FORMAT: Row = Row {
    name: "txt",
    endings: &["txt"],
    about: "Pair counts and estimates as pycorr writes them, covariances as a matrix",
    printed: false,
    recorded: Recorded::Whole,
    write: |_, tree, writer| match tree {
        Some(Tree::Text(text)) => Ok(writer.write_all(text.as_bytes())?),
        _ => Err(Failure::NoForm(".txt")),
    },
    read: beside::read_whole,
};
