//! The van Hove function of a trajectory: pairs between frames.
//!
//! Entry: [`write`].

#![allow(clippy::cast_possible_truncation, reason = "frames that are in memory")]

use std::collections::VecDeque;
use std::sync::Arc;

use albireo_catalogs::{ResultKind, TableColumn};
use albireo_fluids::frames::{FrameJob, FramePair, LaggedBins, LaggedTally, count_lagged};
use albireo_fluids::{Normalisation, Species, VanHove};
use albireo_samples::{FrameSource, SameRows};
use anyhow::{Result, bail};
use serde_json::json;

use super::bins;
use super::frames::{Run, ready, wanted};
use super::structure::StructureFlags;
use crate::args::OutputFlags;
use crate::inputs::say;
use crate::record::Record;
use crate::session::Session;
use crate::tables::edge_columns;
use crate::usage::refuse_given;

/// Particles of all frames that are in memory at the same time.
const AT_ONCE: u64 = 1 << 27;

/// Hands out pairs of frames: every frame with the origins that lie one of the lags before it.
struct Window<'a> {
    lags: &'a [u64],
    origins: u64,
    /// Origins that later frames may ask for, by their places.
    kept: VecDeque<(u64, Arc<FrameJob>)>,
    /// Pairs that were found and are not handed out yet.
    pending: VecDeque<FramePair>,
    place: u64,
}

impl Window<'_> {
    /// Takes the next frame.
    fn push(&mut self, job: FrameJob) -> Result<()> {
        let (place, job) = (self.place, Arc::new(job));
        self.place += 1;
        if place.is_multiple_of(self.origins) {
            self.kept.push_back((place, Arc::clone(&job)));
        }
        let longest = self.lags.last().copied().unwrap_or(0);
        while self
            .kept
            .front()
            .is_some_and(|(first, _)| first + longest < place)
        {
            self.kept.pop_front();
        }
        let particles = self.kept.len() as u64 * job.particles.len() as u64;
        if particles > AT_ONCE {
            bail!(
                "--lags: the longest, {longest} frames, needs {} frames of {} particles in memory and more: take shorter ones, or --origins N",
                self.kept.len(),
                job.particles.len()
            );
        }
        for (lag, &by) in self.lags.iter().enumerate() {
            let Some(wanted) = place.checked_sub(by) else {
                continue;
            };
            let found = self.kept.binary_search_by_key(&wanted, |(first, _)| *first);
            if let Ok(found) = found {
                self.pending.push_back(FramePair {
                    lag,
                    first: Arc::clone(&self.kept[found].1),
                    second: Arc::clone(&job),
                });
            }
        }
        Ok(())
    }
}

/// The times between the frames of each lag, where the trajectory tells them.
struct Times {
    known: Vec<Option<f64>>,
    lags: Vec<Option<f64>>,
}

impl Times {
    fn push(&mut self, time: Option<f64>, lags: &[u64]) {
        // The first pair of each lag tells; then nothing need be kept.
        if self.lags.iter().all(Option::is_some) {
            return;
        }
        self.known.push(time);
        for (lag, &by) in self.lags.iter_mut().zip(lags) {
            let now = self.known.len() - 1;
            let before = now.checked_sub(by as usize).filter(|first| *first == 0);
            if let (None, Some(first), Some(time)) = (&lag, before, time) {
                *lag = self.known[first].map(|first| time - first);
            }
        }
    }
}

/// Refuses what has no meaning beside lags.
fn refuse(run: &Run<'_>, structure: &StructureFlags) -> Result<()> {
    let flags = run.flags;
    let given = [
        (structure.structure.is_some(), "--structure"),
        (structure.p_of_r.is_some(), "--p-of-r"),
        (structure.total_g.is_some(), "--total-g"),
        (flags.kirkwood_buff.is_some(), "--kirkwood-buff"),
        (flags.pmf, "--pmf"),
        (flags.block_counts.is_some(), "--block-counts"),
        (flags.errors_asked(), "--blocks and --block-error"),
        (flags.saved.path().is_some(), "--checkpoint"),
        (flags.update, "--update"),
    ];
    refuse_given(&given, |flag| format!("{flag} has no meaning with --lags"))
}

/// Counts the pairs between frames and writes the distinct and own parts.
pub(super) fn write(
    mut run: Run<'_>,
    (names, unit): (&[String], Option<&str>),
    (structure, output): (&StructureFlags, &OutputFlags),
    (mut record, session): (Record, &Session<'_>),
) -> Result<()> {
    refuse(&run, structure)?;
    let lags = run.times.lags()?.unwrap_or_default();
    let groups = run.choice.groups().clone();
    let pairs = wanted(&groups, &run.flags.pair_names()?)?;
    let format = run.source.format().to_owned();
    let doubt = run
        .source
        .peek()?
        .and_then(|first| SameRows::doubt(&format, first));
    doubt.iter().for_each(say);
    let (workers, engine) = run.workers()?;
    let species = Species::of_pairs(names.len(), &pairs)?;
    let empty = bins::empty(&run.bins, species, run.flags.plane)?;
    let labels: Vec<[u32; 2]> = pairs.iter().flat_map(|&p| groups.label_pairs(p)).collect();
    let what = LaggedBins::of_pairs(run.bins.clone(), groups.labels(), &labels);
    let exactness = workers.exactness();
    let mut hove = VanHove::new(&empty, &groups, lags.len(), run.volume, exactness)?;
    let mut times = Times {
        known: vec![],
        lags: vec![None; lags.len()],
    };
    let mut window = Window {
        lags: &lags,
        origins: run.times.origins(),
        kept: VecDeque::new(),
        pending: VecDeque::new(),
        place: 0,
    };
    let bar = run.engines.watch().bar_of_frames(None);
    let (source, choice) = (&mut run.source, &run.choice);
    let bins = (&run.bins, &run.suits);
    let mut rows = SameRows::default();
    let next = || {
        next_pair(&mut window, source, |frame| {
            rows.check(&frame)?;
            times.push(frame.frame.time, &lags);
            ready(choice, bins, frame, 1.0)
        })
    };
    let done = |tally: LaggedTally| Ok(hove.add(&tally)?);
    let done = count_lagged(&workers, &what, next, done, &bar);
    drop(bar);
    let interrupted = match done {
        Err(_) if session.watch.stop_requested() => true,
        done => done?.interrupted,
    };
    let frames = window.place;
    run.choice.of_frames().for_each(say);
    run.source.order(true).for_each(say);
    check_lags(&hove, &lags, frames, interrupted)?;
    record.set("engine", engine);
    record.set("frames", frames);
    record.set("interrupted", interrupted);
    record.set("lags", json!(lags));
    record.set("lag_times", json!(times.lags));
    let origins: Vec<u64> = (0..lags.len()).map(|lag| hove.origins(lag)).collect();
    record.set("origins", json!(origins));
    let norm = run.flags.norm.map_or(Normalisation::Pairs, Into::into);
    record.set("normalisation", norm.name());
    let named = |&[a, b]: &[usize; 2]| format!("{}-{}", names[a], names[b]);
    record.set("pairs", json!(pairs.iter().map(named).collect::<Vec<_>>()));
    let axes = run.bins.axes();
    record.set_axes("r", &axes);
    let mut columns = edge_columns(&axes, unit);
    columns.extend(columns_of(&hove, &lags, (&pairs, names), norm)?);
    let table = record.table(ResultKind::Rdf, columns);
    session.sink.deliver(&table, output)?;
    if interrupted || session.watch.stop_requested() {
        bail!(
            "stopped by a signal: the result holds the pairs of {frames} frames that were counted"
        );
    }
    Ok(())
}

fn next_pair(
    window: &mut Window<'_>,
    source: &mut FrameSource,
    mut ready: impl FnMut(albireo_samples::NumberedFrame) -> Result<FrameJob>,
) -> Result<Option<FramePair>> {
    loop {
        if let Some(pair) = window.pending.pop_front() {
            return Ok(Some(pair));
        }
        let Some(frame) = source.next_frame()? else {
            return Ok(None);
        };
        window.push(ready(frame)?)?;
    }
}

/// Refuses lags that the trajectory is too short for.
fn check_lags(hove: &VanHove, lags: &[u64], frames: u64, interrupted: bool) -> Result<()> {
    let none = (0..lags.len()).find(|&lag| hove.origins(lag) == 0);
    match none {
        Some(lag) if interrupted => bail!(
            "stopped before the first pair of frames {} apart was counted: nothing is written",
            lags[lag]
        ),
        Some(lag) => bail!(
            "--lags: there are no two frames {} apart among {frames}",
            lags[lag]
        ),
        None => Ok(()),
    }
}

/// The columns of each lag: distinct parts of all pairs, own parts of all species in them.
fn columns_of(
    hove: &VanHove,
    lags: &[u64],
    (pairs, names): (&[[usize; 2]], &[String]),
    norm: Normalisation,
) -> Result<Vec<TableColumn>> {
    let mut columns = Vec::new();
    for (place, lag) in lags.iter().enumerate() {
        for &pair in pairs {
            let of = format!("{}-{}", names[pair[0]], names[pair[1]]);
            columns.push(TableColumn::floats(
                format!("g_{of}_t{lag}"),
                format!(
                    "distinct part of the van Hove function of {of}, {lag} frames apart, normalisation {}",
                    norm.name()
                ),
                hove.g(place, pair, norm)?,
            ));
            columns.push(TableColumn::integers(
                format!("npairs_{of}_t{lag}"),
                format!("number of ordered pairs of {of}, {lag} frames apart"),
                hove.npairs(place, pair)?,
            ));
        }
        let mut groups: Vec<usize> = pairs.iter().flatten().copied().collect();
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            let of = &names[group];
            columns.push(TableColumn::floats(
                format!("gs_{of}_t{lag}"),
                format!(
                    "own part of the van Hove function of {of}, {lag} frames apart: density over the number of particles, by nearest images"
                ),
                hove.own_density(place, group)?,
            ));
            columns.push(TableColumn::integers(
                format!("nself_{of}_t{lag}"),
                format!("number of {of} by the distance from where they were {lag} frames before"),
                hove.own(place, group)?.to_vec(),
            ));
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_from_the_first_frame() {
        let mut times = Times {
            known: vec![],
            lags: vec![None; 3],
        };
        for time in [Some(5.0), Some(7.0), None, Some(11.0)] {
            times.push(time, &[0, 1, 3]);
        }
        assert_eq!(times.lags, [Some(0.0), Some(2.0), Some(6.0)]);
    }
}
