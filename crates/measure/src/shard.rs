//! Which part of its counts a command makes, by flags.
//!
//! Entry: [`PieceFlags`]. What becomes of a part is decided in `worker`.

use std::num::NonZeroU32;
use std::str::FromStr;

use anyhow::Result;
use clap::Args;

use crate::group;
use crate::paths::{ReadFile, WrittenFile};
use crate::usage::refuse_given;

/// One of several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) index: u32,
    pub(crate) of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if index < of => Ok(Self { index, of }),
            Some((_, of)) if of > 0 => Err(format!(
                "parts count from 0: the last of {of} is {}/{of}, found `{text}`",
                of - 1
            )),
            _ => Err(format!(
                "expected I/N with I from 0 to N-1, such as 0/16, found `{text}`"
            )),
        }
    }
}

/// Which part of its counts a command makes.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = group::PARTS)]
pub(crate) struct PieceFlags {
    /// Count part I of N only, I from 0 to N-1, and write it to the file of --part
    ///
    /// `albireo merge` makes the result of all parts.
    #[arg(long, value_name = "I/N", requires = "part", conflicts_with = "output")]
    pub(crate) shard: Option<Shard>,
    /// File of the part
    #[arg(long, value_name = "FILE", requires = "shard")]
    pub(crate) part: Option<WrittenFile>,
    /// Count nothing: print the work, memory and time that the counts would take
    ///
    /// The units of each count, the memory that a process needs, and the seconds that reading and counting take on this machine, or on N like it,
    /// from counting for two seconds at most.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with_all = ["shard", "output"])]
    pub(crate) plan: Option<NonZeroU32>,
    /// Files of parts that counts are taken from
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "shard")]
    pub(crate) from_part: Vec<ReadFile>,
    /// Accept an incomplete set of part files
    #[arg(long, hide = true, requires = "from_part")]
    pub(crate) from_some_parts: bool,
}

impl PieceFlags {
    /// Refuses parts where a command has none.
    pub(crate) fn refuse(&self, of: &str) -> Result<()> {
        let given = [
            (
                self.shard.is_some() || !self.from_part.is_empty(),
                "--shard",
            ),
            (self.plan.is_some(), "--plan"),
        ];
        refuse_given(&given, |flag| format!("{flag} is not for {of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_count_from_0() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        let refused = |text: &str| text.parse::<Shard>().err();
        let last = "parts count from 0: the last of 3 is 2/3, found `3/3`";
        assert_eq!(refused("3/3").as_deref(), Some(last));
        for text in ["0/0", "1", "-1/3", "1/3/4", "a/b", "", "1/"] {
            let expected =
                format!("expected I/N with I from 0 to N-1, such as 0/16, found `{text}`");
            assert_eq!(refused(text), Some(expected));
        }
    }
}
