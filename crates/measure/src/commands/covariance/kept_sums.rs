//! Sums of rounds in files: a later run goes on from them, and `albireo merge` puts those of several together.
//!
//! Entry: [`KeptSums`]. A file is a [`KeptState`] with what the sums depend on, the matrices of rounds that are whole units, and the integers of others.

use std::ops::Range;
use std::path::Path;

use albireo::counts::JobId;
use albireo::{PairJob, Pairs};
use albireo_catalogs::{KeptState, KeptStateError};
use albireo_covariance::model::{Group, Groups, Matrix};
use albireo_covariance::sampler::{HASH, RoundSums};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::Covariance;
use super::sampling::{End, Sampled, Sampling};
use super::tracers::{Tracers, one_or_all};
use crate::commands::covariance_values::Values;
use crate::counted::fingerprint;
use crate::group;
use crate::part_file::PROGRAM;
use crate::paths::{KeptFile, ReadFile, WrittenFile};
use crate::session::{Session, Sink};
use crate::shard::Shard;
use crate::worker::common;

/// The kind of such a state.
pub(crate) const KIND: &str = "sums of rounds of a covariance";
/// The block with the words of the command, where it made a part.
const COMMAND: &str = "command";
/// The blocks with the first round and the number of rounds of each sum, and of each run of integers.
const GROUPS: &str = "groups";
const OPEN: &str = "open";
/// The block with the matrices of all groups.
const MATRICES: &str = "matrices";

/// The words of a command that made a part; none of another file.
pub(crate) fn words_of_part(path: &Path) -> Option<Vec<String>> {
    let state = KeptState::read(path, KIND).ok()??;
    state.json(COMMAND)
}

/// Sums of rounds in files.
#[derive(Debug, Args)]
#[command(next_help_heading = group::PARTS)]
pub(super) struct KeptFlags {
    /// Keep the sums of all rounds in this file, for --continue
    #[arg(long, value_name = "FILE")]
    sums: Option<KeptFile>,
    /// Go on from sums that --sums or --part kept, of the same command: to more --rounds or less --noise; several files by several flags
    #[arg(long = "continue", alias = "continue-from", value_name = "FILE")]
    continue_from: Vec<ReadFile>,
    /// Sample part I of N of --rounds only, I from 0 to N-1, and write its sums to the file of --part
    ///
    /// `albireo merge` makes the covariance of all parts.
    #[arg(long, value_name = "I/N", requires_all = ["part", "rounds"], conflicts_with_all = ["output", "sums"])]
    shard: Option<Shard>,
    /// File of the part
    #[arg(long, value_name = "FILE", requires = "shard")]
    part: Option<WrittenFile>,
    /// Files of parts that rounds are taken from
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "shard")]
    from_part: Vec<ReadFile>,
    /// Take them though rounds are missing
    #[arg(long, hide = true, requires = "from_part")]
    from_some_parts: bool,
}

impl KeptFlags {
    /// Whether a part is made.
    pub(super) fn is_part(&self) -> bool {
        self.shard.is_some()
    }

    /// Refuses to write over what is no result.
    pub(super) fn check(&self, sink: &Sink) -> Result<()> {
        let check =
            |flag, path: Option<&Path>| path.map_or(Ok(()), |path| sink.check_replaced(flag, path));
        check("--sums", self.sums.as_deref())?;
        check("--part", self.part.as_deref())
    }

    /// Takes rounds that are kept, samples others, and keeps all; whether they are a part, of which nothing is made.
    pub(super) fn sample(
        &self,
        kept: &KeptSums<'_>,
        sampled: &mut Sampled,
        end: End,
        session: &Session<'_>,
    ) -> Result<bool> {
        for path in self.continue_from.iter().chain(&self.from_part) {
            kept.add(path, sampled)?;
        }
        let mut end = end;
        if let End::Rounds(rounds) = end {
            if let Some(last) = sampled.held().last().filter(|last| last.end > rounds) {
                bail!(
                    "--rounds {rounds}: {} kept: take {} or more",
                    shown(last),
                    last.end
                );
            }
            if let (Some(shard), Some(path)) = (self.shard, &self.part) {
                let at = |index: u32| rounds * u64::from(index) / u64::from(shard.of);
                kept.sampling
                    .fill(sampled, at(shard.index)..at(shard.index + 1))?;
                kept.write(path, sampled, Some(&common(session.arguments)))?;
                return Ok(true);
            }
            if let Some(missing) = sampled
                .missing(0..rounds)
                .filter(|_| !self.from_part.is_empty())
            {
                if !self.from_some_parts {
                    bail!(
                        "{} missing, {rounds} are needed: give their parts too, or --partial for what is there",
                        shown(&missing)
                    );
                }
                end = End::Held;
            }
        }
        let made = kept.sampling.run(sampled, end);
        if let Some(path) = &self.sums {
            // Those of a run that was stopped are kept too.
            kept.write(path, sampled, None)?;
        }
        made.map(|()| false)
    }
}

/// Groups with those of regions, and integers by their first round.
type Kept = (Vec<Vec<Group>>, Vec<(u64, RoundSums)>);

/// What sums of rounds are of.
pub(super) struct KeptSums<'a> {
    empty: KeptState,
    sampling: &'a Sampling<'a>,
}

impl<'a> KeptSums<'a> {
    /// Of the job of a command.
    pub(super) fn new(
        command: &Covariance,
        values: &Values,
        tracers: &Tracers,
        sampling: &'a Sampling<'a>,
    ) -> Result<Self> {
        let points = tracers.randoms.iter().map(|randoms| {
            let pairs = PairJob::new(Pairs::Auto(&randoms.points), tracers.samples.domain())?;
            Ok(fingerprint(JobId::in_full(&pairs)))
        });
        let xi = sampling.job.xi_nodes();
        let noise = sampling.cross.map(|cross| {
            cross
                .noise
                .map(|noise| [noise.alpha, noise.beta, noise.subsets])
        });
        let [_, f] = tracers.numbers();
        let settings = [
            ("the version", json!(PROGRAM)),
            ("--seed", json!(command.seed)),
            ("--points", json!(command.points)),
            ("--cloud", json!(command.cloud)),
            ("the hash", json!(HASH)),
            ("the form of the values", json!(values.name)),
            ("the bins", json!(tracers.measured[0].table.edges()?)),
            ("what is made of the bins", json!(values.map.rows())),
            (
                "the fingerprint of the random points",
                one_or_all(points.collect::<Result<Vec<_>>>()?.into_iter()),
            ),
            ("the table of xi", json!(xi)),
            ("RR", json!(sampling.rr)),
            ("the pairs of the random points", json!(tracers.own)),
            ("data over random points", f),
            ("the noise of two tracers", json!(noise)),
            (
                "what the regions share",
                json!(sampling.job.constants().shares),
            ),
        ];
        Ok(Self {
            empty: KeptState::new(KIND, settings),
            sampling,
        })
    }

    /// Adds what is kept in a file; refuses sums of another job, and rounds that are there already.
    pub(super) fn add(&self, path: &Path, sampled: &mut Sampled) -> Result<()> {
        let named = path.display();
        let state = match KeptState::read(path, KIND) {
            Ok(Some(state)) => state,
            Ok(None) => bail!("{named}: there is no such file"),
            Err(KeptStateError::Damaged) => {
                bail!("{named}: these sums are damaged: sample them again")
            }
            Err(error) => return Err(error).with_context(|| named.to_string()),
        };
        if let Some(difference) = state.differs(&self.empty) {
            bail!("{named}: the sums of another command: {difference}");
        }
        let kept = self.read(&state, sampled.of_regions.is_some());
        let (groups, open) =
            kept.with_context(|| format!("{named}: these sums are damaged: sample them again"))?;
        let groups_of = groups
            .iter()
            .filter_map(|of| Some(of.first()?.begin..of.first()?.end()));
        let open_of = open.iter().map(|(begin, sums)| *begin..begin + sums.rounds);
        for rounds in groups_of.chain(open_of) {
            let held = sampled.held().into_iter();
            let held = held.filter(|held| held.start < rounds.end && rounds.start < held.end);
            if let Some(held) = held.min_by_key(|held| held.start) {
                let both = rounds.start.max(held.start)..rounds.end.min(held.end);
                bail!("{named}: {} held by another file too", shown(&both));
            }
        }
        for group in groups {
            let mut of = group.into_iter();
            if let Some(whole) = of.next() {
                sampled.groups.add(whole);
            }
            if let (Some(part), Some(to)) = (of.next(), &mut sampled.of_regions) {
                to.add(part);
            }
        }
        for (begin, sums) in open {
            self.sampling.put(sampled, begin, sums)?;
        }
        Ok(())
    }

    /// Groups with those of regions, and integers by their first round.
    fn read(&self, state: &KeptState, by_region: bool) -> Option<Kept> {
        let runs = |block: &str| -> Option<Vec<[u64; 2]>> { state.json(block) };
        let n = self.sampling.map.values();
        let (words, rest) = state.block(MATRICES)?.as_chunks::<8>();
        rest.is_empty().then_some(())?;
        let numbers: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        let mut matrices = numbers
            .chunks_exact(n * n)
            .map(|rows| Matrix::from_row_slice(n, n, rows));
        let mut groups = Vec::new();
        for [begin, rounds] in runs(GROUPS)? {
            let unit = rounds > 0 && begin.is_multiple_of(rounds);
            unit.then_some(())?;
            let mut group = || {
                let [c4, c3] = [matrices.next()?, matrices.next()?];
                Some(Group {
                    begin,
                    rounds,
                    c4,
                    c3,
                })
            };
            let all = (0..=usize::from(by_region)).map(|_| group());
            groups.push(all.collect::<Option<Vec<_>>>()?);
        }
        let mut open = Vec::new();
        for (k, [begin, rounds]) in runs(OPEN)?.into_iter().enumerate() {
            let sums =
                RoundSums::from_bytes(self.sampling.job.constants(), state.block(&integers(k))?)?;
            (sums.rounds == rounds && begin + rounds <= Groups::unit(begin).end).then_some(())?;
            open.push((begin, sums));
        }
        matrices.next().is_none().then_some((groups, open))
    }

    /// Writes the sums, whole or not at all, and the words of the command where they are a part.
    pub(super) fn write(
        &self,
        path: &Path,
        sampled: &Sampled,
        words: Option<&[String]>,
    ) -> Result<()> {
        let groups: Value = sampled
            .groups
            .held()
            .iter()
            .map(|group| json!([group.begin, group.rounds]))
            .collect();
        let open: Value = sampled
            .open
            .iter()
            .map(|(begin, sums)| json!([begin, sums.rounds]))
            .collect();
        let mut bytes = Vec::new();
        for (k, group) in sampled.groups.held().iter().enumerate() {
            let of_regions = sampled.of_regions.as_ref().map(|groups| &groups.held()[k]);
            for group in [Some(group), of_regions].into_iter().flatten() {
                for matrix in [&group.c4, &group.c3] {
                    bytes.extend(matrix.transpose().iter().flat_map(|x| x.to_le_bytes()));
                }
            }
        }
        let mut state = self
            .empty
            .clone()
            .with_json(GROUPS, &groups)
            .with_json(OPEN, &open)
            .with(MATRICES, bytes);
        for (k, sums) in sampled.open.values().enumerate() {
            state = state.with(integers(k), sums.to_bytes());
        }
        if let Some(words) = words {
            state = state.with_json(COMMAND, &json!(words));
        }
        let written = state.write(path);
        written.with_context(|| format!("cannot write {}", path.display()))?;
        tracing::info!("sums of rounds written to {}", path.display());
        Ok(())
    }
}

fn integers(k: usize) -> String {
    format!("integers {k}")
}

/// `round 3 is`, `rounds 3 to 5 are`.
pub(super) fn shown(rounds: &Range<u64>) -> String {
    match rounds.end - rounds.start {
        1 => format!("round {} is", rounds.start),
        _ => format!("rounds {} to {} are", rounds.start, rounds.end - 1),
    }
}
