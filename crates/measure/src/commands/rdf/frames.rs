//! g(r) over the frames of a trajectory.
//!
//! Entry: [`Run`]. Frames are counted in the library, many at a time.

use std::path::{Path, PathBuf};

use albireo::engine::AnyEngine;
use albireo::{Bins, CountSpec, PairJob, Pairs};
use albireo_catalogs::did_you_mean;
use albireo_fluids::frames::{
    FrameBins, FrameBlocks, FrameGroups, FrameJob, FrameWorkers, FramesDone, count_frames,
};
use albireo_fluids::{BlockPartials, FrameSpaces, Partials, Species};
use albireo_samples::{FrameChoice, FrameRange, FrameSource, NumberedFrame};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use super::bins;
use super::checkpoint::Checkpoint;
use super::flags::{FrameFlags, Plane};
use super::sums::FrameSums;
use super::times::TimeFlags;
use super::walls::Suits;
use super::weights::FrameWeights;
use crate::engine::Engines;
use crate::inputs::say;
use crate::record::Record;
use crate::usage::{is_wrong_call, usage};
use crate::world::World;

/// The most blocks that errors are estimated from, and the least where their counts are large.
const BLOCKS: [usize; 2] = [128, 16];
/// Bytes that the blocks may take.
const ROOM: usize = 256 << 20;
/// Particles in all frames that are in memory at the same time.
const AT_ONCE: usize = 1 << 26;

/// A run over frames.
pub(super) struct Run<'a> {
    pub(super) flags: &'a FrameFlags,
    pub(super) times: &'a TimeFlags,
    pub(super) weights: FrameWeights,
    pub(super) bins: Bins,
    pub(super) volume: Option<f64>,
    pub(super) engines: Engines,
    /// What all frames must suit.
    pub(super) suits: Suits,
    /// What part of the bins the frames hold.
    pub(super) spaces: FrameSpaces,
    /// Whether all pairs are counted, whichever are shown.
    pub(super) all_pairs: bool,
    /// What is summed over them.
    pub(super) sums: Option<FrameSums>,
    pub(super) source: FrameSource,
    pub(super) choice: FrameChoice,
    /// The first frame, by which the engine is chosen.
    pub(super) first: Option<FrameJob>,
}

/// What a run leaves.
pub(super) struct Counted {
    pub(super) blocks: FrameBlocks,
    /// Blocks of the length asked for, where they are.
    pub(super) told: Option<FrameBlocks>,
    /// The pairs of species that are shown.
    pub(super) pairs: Vec<[usize; 2]>,
    /// Of each of these the pairs that no bin holds, of all frames, where any are excluded.
    pub(super) excluded: Option<Vec<u64>>,
    pub(super) partials: Partials,
    pub(super) each: Vec<Partials>,
    pub(super) each_told: Vec<Partials>,
    pub(super) interrupted: bool,
    pub(super) sums: Option<FrameSums>,
    range: FrameRange,
}

impl Counted {
    /// The number of the frame at this place.
    pub(super) fn frame_number(&self, place: u64) -> u64 {
        self.range.start + place * self.range.step
    }
}

/// The pairs of groups that are counted.
pub(super) fn wanted(groups: &FrameGroups, names: &[[String; 2]]) -> Result<Vec<[usize; 2]>> {
    let number = groups.names().len();
    if names.is_empty() {
        return Ok(Species::within(number).pairs().to_vec());
    }
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for [a, b] in names {
        let place = |name: &String| {
            let found = groups.names().iter().position(|other| other == name);
            found.ok_or_else(|| {
                let how = if groups.names() == ["all"] {
                    ": no names of particles are known, --topology FILE has them"
                } else {
                    ""
                };
                usage(format!(
                    "--pairs: there is no species `{name}`{}; the species are: {}{how}",
                    did_you_mean(name, groups.names()),
                    groups.names().join(", ")
                ))
            })
        };
        let pair = [place(a)?, place(b)?];
        if pairs.contains(&pair) || pairs.contains(&[pair[1], pair[0]]) {
            return Err(usage(format!("--pairs: {a}-{b} is there twice")));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Refuses pairs of a species of which no frame has a particle, such as one misspelt.
fn check_there(
    groups: &FrameGroups,
    pairs: &[[usize; 2]],
    blocks: &FrameBlocks,
    filtered: bool,
) -> Result<()> {
    let is_there = |group: usize| -> Result<bool> {
        for (_, facts) in blocks.frames() {
            let lists = (&facts.particles[..], &facts.excluded[..]);
            if groups.candidates(lists, [group; 2])?.particles[0] > 0 {
                return Ok(true);
            }
        }
        Ok(blocks.is_empty())
    };
    let mut there = Vec::new();
    for (group, name) in groups.names().iter().enumerate() {
        if is_there(group)? {
            there.push(name.clone());
        }
    }
    let absent = |group: &&usize| !there.contains(&groups.names()[**group]);
    if let Some(&group) = pairs.iter().flatten().find(absent) {
        let name = &groups.names()[group];
        let of_what = if filtered {
            ", of those that --where keeps"
        } else {
            ""
        };
        let are = match &there[..] {
            [] => "there is no particle at all".to_owned(),
            names => format!("the species are: {}", names.join(", ")),
        };
        bail!(
            "no particle is of species `{name}` in any of {} frames{of_what}{}; {are}",
            blocks.len(),
            did_you_mean(name, &there)
        );
    }
    Ok(())
}

/// The pairs of each of these that are excluded, over all frames; none where nothing is.
fn left_out(
    groups: &FrameGroups,
    pairs: &[[usize; 2]],
    blocks: &FrameBlocks,
) -> Result<Option<Vec<u64>>> {
    let mut sums = vec![0; pairs.len()];
    for (_, facts) in blocks.frames() {
        let lists = (&facts.particles[..], &facts.excluded[..]);
        for (sum, &pair) in sums.iter_mut().zip(pairs) {
            *sum += groups.candidates(lists, pair)?.excluded;
        }
    }
    Ok(sums.iter().any(|sum| *sum > 0).then_some(sums))
}

impl Run<'_> {
    /// Counts all frames.
    pub(super) fn count(
        mut self,
        record: &mut Record,
        settings: &Map<String, Value>,
    ) -> Result<Counted> {
        let groups = self.choice.groups().clone();
        let pairs = wanted(&groups, &self.flags.pair_names()?)?;
        let all = Species::within(groups.names().len());
        let counted = if self.all_pairs { all.pairs() } else { &pairs };
        let labels: Vec<[u32; 2]> = counted
            .iter()
            .flat_map(|&p| groups.label_pairs(p))
            .collect();
        let mut what = FrameBins::of_pairs(self.bins.clone(), groups.labels(), &labels);
        if self.suits.beyond_half {
            record.set("beyond_half", true);
            what = what.beyond_half();
        }
        if self.suits.walls.is_some() {
            what = what.keeping_boxes();
        }
        let (workers, engine) = self.workers()?;
        let species = Species::of_pairs(groups.names().len(), counted)?;
        let empty = bins::empty(&self.bins, species, self.flags.plane)?;
        let n_classes = groups.labels() as usize * (groups.labels() as usize + 1) / 2;
        let bytes = 8 * self.bins.n_bins() * n_classes;
        let most = (ROOM / bytes.max(1)).clamp(BLOCKS[1], BLOCKS[0]);
        // Where frames do not fill them, there are half as many.
        let most = most.max(2 * self.flags.blocks());
        let pause = self.flags.saved.pause()?;
        let path = self.flags.saved.path();
        let world = std::rc::Rc::clone(self.engines.world());
        if path.is_some() && world.size() > 1 {
            return Err(usage(
                "--checkpoint of a trajectory is for one process: ranks leave it out",
            ));
        }
        let mut checkpoint = Checkpoint::open(path, settings, pause)?;
        let mut blocks = match checkpoint.take() {
            Some(blocks) => blocks,
            None => FrameBlocks::new(most),
        };
        let length = self.flags.block.map_or(1, std::num::NonZeroU64::get);
        let mut told = self
            .flags
            .block_counts
            .as_ref()
            .map(|_| FrameBlocks::of_length(length));
        (self.source).share(world.rank() as u64, world.size() as u64);
        let mut done = self.run(&workers, &what, &mut blocks, told.as_mut(), &mut checkpoint)?;
        together(&*world, &mut done, &mut blocks)?;
        if let Some(told) = told.as_mut() {
            together(&*world, &mut done, told)?;
        }
        if done.frames > 0 {
            checkpoint.save(&blocks)?;
        }
        record.set(
            "engine",
            match world.size() {
                1 => engine,
                ranks => format!("{engine} on each of {ranks} ranks"),
            },
        );
        self.weights.sum_over(&*world)?;
        self.weights.note(record)?;
        let of = BlockPartials {
            empty,
            groups: &groups,
            volume: self.volume,
            spaces: self.spaces.clone(),
            exactness: workers.exactness(),
        };
        self.choice.of_frames().for_each(say);
        self.source.order(false).for_each(say);
        check_there(&groups, &pairs, &blocks, self.choice.is_filtered())?;
        let each = of.of_each(&blocks)?;
        let partials = of.merged(&each)?;
        Ok(Counted {
            each,
            each_told: told.as_ref().map_or(Ok(vec![]), |told| of.of_each(told))?,
            excluded: left_out(&groups, &pairs, &blocks)?,
            pairs,
            partials,
            blocks,
            told,
            interrupted: done.interrupted,
            sums: self.sums,
            range: self.flags.range(),
        })
    }

    /// The workers that count: each thread a frame, unless frames are few or do not fit into memory that often.
    pub(super) fn workers(&mut self) -> Result<(FrameWorkers, String)> {
        let frames = self.source.frames();
        let first = self.first.take();
        let particles = first.as_ref().map_or(0, |job| job.particles.len());
        let engine = match &first {
            None => self.engines.for_jobs(&[]),
            Some(job) => {
                let pairs = PairJob::new(Pairs::Auto(&job.particles), &job.domain)?;
                let mut what = CountSpec::new(&self.bins);
                if self.suits.beyond_half {
                    what = what.beyond_half();
                }
                self.engines.for_jobs(&[(pairs, what)])
            }
        };
        let on_a_device = match self.flags.frames_per_device {
            Some(frames) => usize::from(frames.get()),
            None => FrameWorkers::worth_sharing(particles),
        };
        let each = FrameWorkers::sharing_devices(&engine, on_a_device)?;
        let many = each.frames_at_once();
        let on_cpu = matches!(engine, AnyEngine::Cpu(_));
        let few = on_cpu && frames.is_some_and(|frames| 2 * frames < 3 * many as u64);
        let workers = if few || many * particles > AT_ONCE {
            FrameWorkers::all_on_each(&engine)
        } else {
            each
        };
        let described = workers.description();
        tracing::debug!("engine: {described}");
        Ok((workers, described))
    }

    fn run(
        &mut self,
        workers: &FrameWorkers,
        what: &FrameBins,
        blocks: &mut FrameBlocks,
        mut told: Option<&mut FrameBlocks>,
        checkpoint: &mut Checkpoint,
    ) -> Result<FramesDone> {
        let range = self.flags.range();
        let place = |number: u64| (number - range.start) / range.step;
        let known: Vec<u64> = blocks.frames().map(|(place, _)| place).collect();
        let watch = self.engines.watch();
        let left = |n: u64| n.saturating_sub(known.len() as u64);
        let bar = watch.bar_of_frames(self.source.frames().map(left));
        let (source, choice) = (&mut self.source, &self.choice);
        let bins = (&self.bins, &self.suits);
        let weights = &self.weights;
        let next = || -> Result<_> {
            while let Some(frame) = source.next_frame()? {
                if known.binary_search(&place(frame.number)).is_ok() {
                    continue;
                }
                if let Some(weight) = weights.of(&frame)? {
                    return Ok(Some((frame, weight)));
                }
            }
            Ok(None)
        };
        let sums = &self.sums;
        let ready = |(frame, weight): (NumberedFrame, f64)| {
            let (path, number) = (frame.path.clone(), frame.frame.number);
            let job = ready(choice, bins, frame, weight)?;
            let Some(sums) = sums else { return Ok(job) };
            let summed = sums.summed.of_frame(job, bins.0);
            summed.map_err(|error| in_frame(error, &path, number))
        };
        let done = |frame: albireo_fluids::frames::FrameTally| -> Result<()> {
            let place = place(frame.number);
            if let Some(told) = told.as_mut() {
                told.add(place, frame.clone())?;
            }
            blocks.add(place, frame)?;
            checkpoint.save_at_times(blocks)
        };
        let done = count_frames(workers, what, next, ready, done, &bar);
        drop(bar);
        match done {
            // A reader that was asked to stop in the midst of a frame says so as an error.
            Err(_) if self.engines.watch().stop_requested() => Ok(FramesDone {
                frames: blocks.len() as u64,
                interrupted: true,
            }),
            done => done,
        }
    }
}

/// Puts the frames of all ranks together, on every rank.
fn together(world: &dyn World, done: &mut FramesDone, blocks: &mut FrameBlocks) -> Result<()> {
    if world.size() == 1 {
        return Ok(());
    }
    let own = blocks.to_bytes();
    for rank in 0..world.size() {
        // One at a time: those of all ranks may be too much for one.
        let own = if rank == world.rank() { &own[..] } else { &[] };
        let all = world.gather(own)?;
        if rank != world.rank() {
            blocks.merge(FrameBlocks::from_bytes(&all[rank])?)?;
        }
    }
    let mut interrupted = [u64::from(done.interrupted)];
    world.max(&mut interrupted)?;
    *done = FramesDone {
        frames: blocks.len() as u64,
        interrupted: interrupted == [1],
    };
    Ok(())
}

/// An error with the frame that it arose in; what is wrong with the command line is no frame's.
fn in_frame(error: anyhow::Error, path: &Path, number: u64) -> anyhow::Error {
    if is_wrong_call(&error) {
        return error;
    }
    error.context(format!("{}: frame {number}", path.display()))
}

/// The particles of a frame, whose box the bins must suit.
pub(super) fn ready(
    choice: &FrameChoice,
    (bins, suits): (&Bins, &Suits),
    frame: NumberedFrame,
    weight: f64,
) -> Result<FrameJob> {
    let (path, number) = (frame.path.clone(), frame.frame.number);
    let mut job = choice.job(frame)?;
    job.weight = weight;
    suits
        .check(bins, &job)
        .with_context(|| format!("{}: frame {number}", path.display()))?;
    Ok(job)
}

/// What is written of how frames were read.
pub(super) fn note(
    record: &mut Record,
    (paths, range): (&[PathBuf], FrameRange),
    (source, choice): (&FrameSource, &FrameChoice),
    plane: Option<Plane>,
) {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    record.set(
        "trajectory",
        json!({"files": names, "format": source.format()}),
    );
    record.set(
        "frame_range",
        json!({"start": range.start, "stop": range.stop, "step": range.step}),
    );
    if let Some(column) = choice.column() {
        record.set("species_column", column);
    }
    record.set("species", json!(choice.groups().names()));
    if let Some(plane) = plane {
        record.set("plane_normal", plane.normal().name());
    }
}
