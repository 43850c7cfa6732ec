//! Files of parts: the integers of some units of each count of a command.
//!
//! Entry: [`PartFile`], read and written whole, and [`merged`], which puts the parts of one command together. A file is a
//! [`KeptState`]: the counts in JSON, and the tally of each.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use albireo::Tally;
use albireo::tally::Merge as _;
use albireo_catalogs::{KeptState, KeptStateError, sha256_of_bytes};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bin_text::BinText;

/// The kind of such a state.
const KIND: &str = "part of a count";
/// The block with the words of the command.
const COMMAND: &str = "command";
/// The block with all of its counts but their tallies.
const COUNTS: &str = "counts";

/// The program that counts, as records name it.
pub(crate) const PROGRAM: &str = concat!("albireo ", env!("CARGO_PKG_VERSION"));

/// What a count is the same by, whichever of its units are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Such as `DD`.
    pub(crate) name: String,
    /// The fingerprint of particles, weights, labels and domain.
    pub(crate) job: String,
    /// The bins in full.
    pub(crate) bins: BinText,
    /// SHA-256 of all that is counted: sums, classes, cuts, weights of pairs and their exponents.
    pub(crate) what: String,
    /// The exponents that scale the weights of both samples below 1.
    pub(crate) exponents: [i32; 2],
}

/// Some units of a count.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CountPart {
    pub(crate) of: Identity,
    /// Units that there are, their kind and the fingerprint of which they are.
    pub(crate) units: usize,
    pub(crate) plan: String,
    /// Runs of units that were counted: first ones and ends.
    pub(crate) covers: Vec<[usize; 2]>,
    pub(crate) engine: String,
    pub(crate) seconds: f64,
    /// In a block of its own.
    #[serde(skip)]
    pub(crate) tally: Tally,
}

/// A part of the counts of a command.
#[derive(Debug, Clone)]
pub(crate) struct PartFile {
    /// The command line without the name of the program, and without flags that change no count.
    pub(crate) words: Vec<String>,
    /// Which part: `0/16`.
    pub(crate) shard: String,
    pub(crate) counts: Vec<CountPart>,
}

impl CountPart {
    /// A part without units, `tally` being that of no pair.
    pub(crate) fn empty(of: Identity, plan: (usize, String), engine: String, tally: Tally) -> Self {
        Self {
            of,
            units: plan.0,
            plan: plan.1,
            covers: Vec::new(),
            engine,
            seconds: 0.0,
            tally,
        }
    }

    /// Adds a run of units that it does not hold yet, which took so many seconds.
    pub(crate) fn add(&mut self, run: &Range<usize>, tally: Tally, seconds: f64) {
        if !run.is_empty() {
            let at = self.covers.partition_point(|[start, _]| *start < run.start);
            self.covers.insert(at, [run.start, run.end]);
            // Neighbours become one.
            self.covers.dedup_by(|next, run| {
                let joined = run[1] == next[0];
                if joined {
                    run[1] = next[1];
                }
                joined
            });
        }
        self.tally.merge(tally);
        self.seconds += seconds;
    }

    /// Why this and another part cannot be of the same count, if they cannot.
    pub(crate) fn differs(&self, other: &Self) -> Option<String> {
        let name = &self.of.name;
        if *name != other.of.name {
            return Some(format!(
                "parts of other counts: {name} and {}",
                other.of.name
            ));
        }
        if self.of.job != other.of.job {
            let (a, b) = (&self.of.job, &other.of.job);
            return Some(format!(
                "parts of {name} of other particles, weights or boxes: their fingerprints are {a} and {b}"
            ));
        }
        if self.of.bins != other.of.bins {
            let difference = self.of.bins.difference(&other.of.bins);
            return Some(format!("parts of {name} in other bins: {difference}"));
        }
        if self.of != other.of {
            return Some(format!(
                "parts of {name} with other sums, cuts or weights of pairs"
            ));
        }
        if self.plan != other.plan || self.units != other.units {
            let (a, b) = (self.units, other.units);
            let (kind, of_other) = (self.kind(), other.kind());
            return Some(if kind == of_other {
                format!(
                    "parts of {name} by other plans of {a} and {b} {kind}: count all of them on GPUs of one kind"
                )
            } else {
                format!(
                    "parts of {name} in units of two kinds, {a} {kind} and {b} {of_other}: count all of them on processors, or all on GPUs"
                )
            });
        }
        None
    }

    /// The kind of its units.
    fn kind(&self) -> &str {
        self.plan.split(' ').next().unwrap_or_default()
    }

    /// A digest of the count and its units, equal on all ranks that make the same.
    pub(crate) fn digest(&self) -> String {
        let same = json!([self.of, self.units, self.plan]);
        sha256_of_bytes(same.to_string().as_bytes())
    }

    /// Whether its runs can be some of its units.
    fn is_sound(&self) -> bool {
        let sound = |[start, end]: &[usize; 2]| start < end && *end <= self.units;
        self.covers.iter().all(sound)
    }
}

impl PartFile {
    /// Writes the part, whole or not at all.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let of = [("program", json!(PROGRAM)), ("shard", json!(self.shard))];
        let mut state = KeptState::new(KIND, of)
            .with_json(COMMAND, &json!(self.words))
            .with_json(COUNTS, &json!(self.counts));
        for (at, count) in self.counts.iter().enumerate() {
            state = state.with(tally_block(at), count.tally.to_bytes());
        }
        let written = state.write(path);
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads a part; refuses what is damaged, no part or of another version.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let named = path.display();
        let damaged = || format!("{named}: this part is damaged: count it again");
        let unread = |error| Err(error).with_context(|| format!("cannot read {named}"));
        let state = match KeptState::read(path, KIND) {
            Ok(Some(state)) => state,
            Ok(None) => return unread(io::Error::from(io::ErrorKind::NotFound)),
            Err(KeptStateError::Io(error)) => return unread(error),
            Err(KeptStateError::Other(_)) => {
                bail!("{named}: no part of a count, as --part writes them")
            }
            Err(KeptStateError::Layout(_)) => {
                bail!("{named}: this part was counted by another version: count it again")
            }
            Err(KeptStateError::Damaged) => bail!(damaged()),
        };
        let program = state.setting("program").as_str().with_context(damaged)?;
        if program != PROGRAM {
            bail!(
                "{named}: counted by {program}, this is {PROGRAM}: merge parts by the version that counted them"
            );
        }
        Self::of_state(&state).with_context(damaged)
    }

    fn of_state(state: &KeptState) -> Option<Self> {
        let mut counts: Vec<CountPart> = state.json(COUNTS)?;
        for (at, count) in counts.iter_mut().enumerate() {
            count.tally = Tally::from_bytes(state.block(&tally_block(at))?).ok()?;
        }
        counts.iter().all(CountPart::is_sound).then_some(Self {
            words: state.json(COMMAND)?,
            shard: state.setting("shard").as_str()?.to_owned(),
            counts,
        })
    }
}

/// The block of the tally of a count.
fn tally_block(at: usize) -> String {
    format!("tally {at}")
}

/// A count of all parts together.
#[derive(Debug, Clone)]
pub(crate) struct MergedCount {
    pub(crate) of: Identity,
    pub(crate) tally: Tally,
    /// Units that there are, and units counted.
    pub(crate) units: [usize; 2],
    /// Who counted, each once.
    pub(crate) engines: String,
    pub(crate) seconds: f64,
}

/// `unit 3`, `units 3 to 5`.
fn named_units([start, end]: [usize; 2]) -> String {
    if end - start == 1 {
        format!("unit {start}")
    } else {
        format!("units {start} to {}", end - 1)
    }
}

/// Refuses a part that does not belong to the first one.
fn check_same(first: (&Path, &PartFile), other: (&Path, &PartFile)) -> Result<()> {
    let names = format!("{} and {}", first.0.display(), other.0.display());
    let (first, other) = (first.1, other.1);
    let mut both = first.counts.iter().zip(&other.counts);
    if let Some(difference) = both.find_map(|(a, b)| a.differs(b)) {
        bail!("{names}: {difference}");
    }
    if first.words != other.words || first.counts.len() != other.counts.len() {
        let [a, b] = [first, other].map(|part| part.words.join(" "));
        bail!("{names}: parts of other commands: `{a}` and `{b}`");
    }
    Ok(())
}

/// The units of one count that several parts hold, put together.
#[derive(Debug, Default)]
pub(crate) struct Held<'a> {
    /// By first unit and end.
    runs: BTreeMap<[usize; 2], &'a Path>,
    pub(crate) tally: Tally,
    /// Who counted, each once.
    engines: Vec<&'a str>,
    seconds: f64,
}

impl<'a> Held<'a> {
    /// Adds what a part holds; refuses units that another one holds too.
    pub(crate) fn add(&mut self, path: &'a Path, part: &'a CountPart) -> Result<()> {
        for &run in &part.covers {
            // Runs are apart, so that of those which begin before this one ends the last reaches farthest.
            let before = self.runs.range(..[run[1], 0]).next_back();
            if let Some((other, before)) = before.filter(|(other, _)| run[0] < other[1]) {
                bail!(
                    "{} of {} held twice: by {} and {}",
                    named_units([run[0].max(other[0]), run[1].min(other[1])]),
                    part.of.name,
                    before.display(),
                    path.display()
                );
            }
            self.runs.insert(run, path);
        }
        if !part.covers.is_empty() && !self.engines.contains(&part.engine.as_str()) {
            self.engines.push(&part.engine);
        }
        self.seconds += part.seconds;
        self.tally.merge(part.tally.clone());
        Ok(())
    }

    /// The units of `all` that no part holds, run by run.
    pub(crate) fn missing(&self, all: Range<usize>) -> Vec<Range<usize>> {
        let (mut next, mut missing) = (all.start, Vec::new());
        for &[start, end] in self.runs.keys().chain([&[all.end, all.end]]) {
            if start > next {
                missing.push(next..start);
            }
            next = next.max(end);
        }
        missing
    }

    /// How many units the parts hold.
    pub(crate) fn units(&self) -> usize {
        self.runs.keys().map(|[start, end]| end - start).sum()
    }
}

/// Puts the parts of a command together, count by count; units may be missing if it is `partial`.
///
/// Refuses parts that do not belong together, units that two of them hold, and missing ones.
pub(crate) fn merged(parts: &[(PathBuf, PartFile)], partial: bool) -> Result<Vec<MergedCount>> {
    let Some((first, others)) = parts.split_first() else {
        bail!("there are no parts to merge");
    };
    for other in others {
        check_same((&first.0, &first.1), (&other.0, &other.1))?;
    }
    let mut all = Vec::new();
    for (k, count) in first.1.counts.iter().enumerate() {
        let mut held = Held::default();
        for (path, part) in parts {
            held.add(path, &part.counts[k])?;
        }
        let missing = held.missing(0..count.units);
        if !missing.is_empty() && !partial {
            let missing = missing.iter().map(|run| named_units([run.start, run.end]));
            bail!(
                "{} of {} of {} missing: give their parts too, or --partial for what is there",
                missing.collect::<Vec<_>>().join(", "),
                count.units,
                count.of.name
            );
        }
        all.push(MergedCount {
            of: count.of.clone(),
            units: [count.units, held.units()],
            engines: held.engines.join("; "),
            seconds: held.seconds,
            tally: held.tally,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use albireo::{Bins, Edges, RBins};

    fn part(units: usize, plan: &str) -> CountPart {
        let bins = Bins::from(RBins::new(Edges::linear(0.0, 1.0, 2).unwrap()));
        let of = Identity {
            name: "DD".to_owned(),
            job: String::new(),
            bins: BinText::of(&bins),
            what: String::new(),
            exponents: [0; 2],
        };
        let plan = (units, plan.to_owned());
        CountPart::empty(of, plan, String::new(), Tally::default())
    }

    #[test]
    fn parts_in_other_units_are_refused() {
        let groups = part(40, "groups 1f");
        assert_eq!(groups.differs(&part(40, "groups 1f")), None);
        let told = groups.differs(&part(90, "cells 1f")).unwrap();
        let both = "40 groups and 90 cells: count all of them on processors, or all on GPUs";
        assert!(told.ends_with(both), "{told}");
        let told = part(90, "cells 1f").differs(&part(90, "cells 2e")).unwrap();
        assert!(
            told.ends_with("count all of them on GPUs of one kind"),
            "{told}"
        );
    }
}
