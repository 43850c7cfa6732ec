//! `albireo rdf` of trajectories: what is counted in which space, and what is refused before.

use std::path::PathBuf;

use albireo::{Bins, Edges, RBins};
use albireo_catalogs::Stop;
use albireo_catalogs::is_structure_before;
use albireo_fluids::frames::FrameJob;
use albireo_fluids::{FrameSpaces, Space};
use albireo_samples::{FrameChoice, FrameReading, FrameSource, Given, NumberedFrame, Selection};
use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value, json};

use super::frames::{self, note};
use super::provenance::{self, Digests};
use super::sums::{FrameSums, Ruled};
use super::walls::{Randoms, Suits, say_other_sizes};
use super::weights::FrameWeights;
use super::{Rdf, bins, flags, tables, van_hove};
use crate::engine::Engines;
use crate::inputs::say;
use crate::record::Record;
use crate::session::Session;
use crate::usage::{first_given, refuse_given, usage};

impl Rdf {
    /// Counts the frames of a trajectory, of files or in memory.
    pub(super) fn run_over_frames(
        self,
        session: &mut Session<'_>,
        selection: &Selection,
        given: Option<&Given>,
    ) -> Result<()> {
        self.frames.check()?;
        let mut record = Record::begin(session.arguments);
        let paths: &[PathBuf] = &self.data.paths;
        let (space, stop) = (&self.pairs.space, session.watch.stop());
        let reading = self.frames.reading(selection, space, &self.excluded, stop);
        let mut reading = reading?;
        // Of several tables without frame numbers nothing tells whether they are frames or parts of one.
        reading.request.undivided = paths.len() == 1;
        let sums = self.sums_of_frames()?;
        if let Some(sums) = &sums {
            reading.columns = sums.summed.texts_of_both();
            reading.identities = sums.summed.identities_of_both();
        }
        let checkpoint = self.frames.saved.path();
        let settings = checkpoint.map(|_| reading.settings()).transpose()?;
        if let Some(given) = given {
            self.frames.check_in_memory(given)?;
        }
        let in_memory = given.is_some();
        let again = reading.clone();
        let (mut source, choice) = match given {
            Some(given) => reading.open_given(given)?,
            None => reading.open(paths)?,
        };
        let first = source.peek()?.cloned();
        say_what_looks_wrong(&source, &choice, first.as_ref())?;
        if let Some((from, factor)) = source.converted() {
            record.set("unit_of_frames", json!({"stated": from, "factor": factor}));
        }
        let job = first.map(|frame| choice.job(frame)).transpose()?;
        if let Some(job) = &job {
            self.say_what_is_read(&mut source, &choice, job)?;
        }
        let bins = self.bins_of_frames(&again, source.unit(), given)?;
        let volume = self.volume_of_frames(job.as_ref())?;
        note(
            &mut record,
            (paths, self.frames.range()),
            (&source, &choice),
            self.frames.plane,
        );
        if let (Some(from), None) = (source.box_from(), self.pairs.space.space) {
            tracing::info!("box: from {from}; --box none for open space");
            record.set("box_from", from);
        }
        let unit = source.unit().map(str::to_owned);
        let from = match (&self.pairs.space.space, source.box_from()) {
            (Some(_), _) => "--box",
            (None, Some(from)) => from,
            (None, None) => "the first frame",
        };
        provenance::note(
            &mut record,
            (&self.frames, selection, &self.excluded),
            (job.as_ref().map(|job| &job.domain), from),
            unit.as_deref(),
        );
        let names = choice.groups().names().to_vec();
        self.check_structure(&choice, job.as_ref(), unit.as_deref())?;
        self.check_sums(sums.as_ref(), bins.edges())?;
        let settings = self.settings(settings, paths, bins.edges())?;
        let inputs = session.arguments.inputs().into_iter();
        let digests = Digests::begin(inputs.filter(|_| !in_memory), session);
        let open = Opened {
            source,
            choice,
            first: job,
            volume,
            settings,
            names,
            unit,
            digests,
            sums,
        };
        let lags = self.times.lags()?;
        match self.frames.cylinders(bins.edges())? {
            Some(_) if lags.is_some() => Err(usage("--lags is of bins in r alone")),
            Some(cylinders) => self.run_in(cylinders.into(), open, selection, (record, session)),
            None if lags.is_some() => {
                if self.beyond_half || self.walls.given() {
                    return Err(usage(
                        "--lags has no meaning with --beyond-half, --walls or --randoms",
                    ));
                }
                let (run, (names, unit), digests) =
                    self.prepared(bins.into(), open, selection, (&mut record, session))?;
                if session.world.size() > 1 {
                    // Each frame meets several others.
                    tracing::warn!("--lags shares nothing out: rank 0 carries it out alone");
                    if !session.is_first() {
                        return Ok(());
                    }
                }
                digests.note(&mut record)?;
                let written = (&self.structure, &self.pairs.output);
                let record = (record, &*session);
                van_hove::write(run, (&names, unit.as_deref()), written, record)
            }
            None => self.run_in(bins.into(), open, selection, (record, session)),
        }
    }

    /// What is summed over the pairs of frames; refuses what has no sums.
    fn sums_of_frames(&self) -> Result<Option<FrameSums>> {
        // Components of vectors are columns of their own in frames.
        let Some(sums) = self.sums.read(&|_| 1)? else {
            return Ok(None);
        };
        let given = [
            (self.beyond_half, "--beyond-half"),
            (self.times.lags()?.is_some(), "--lags"),
            (self.frames.centres().is_some(), "--centres"),
        ];
        refuse_given(&given, |flag| {
            format!(
                "--pair-sum has no meaning with {flag}: it is of the columns of particles, of pairs in one frame up to half the box"
            )
        })?;
        Ok(Some(sums))
    }

    /// Refuses sums that these bins do not have.
    pub(super) fn check_sums(&self, sums: Option<&FrameSums>, edges: &Edges) -> Result<()> {
        let Some(sums) = sums else {
            return Ok(());
        };
        let given = [
            (self.beyond_half, "--beyond-half"),
            (self.frames.plane.is_some(), "--plane"),
            (self.frames.is_cylinder(), "--cylinder"),
            (self.walls.given(), "--walls or --randoms"),
        ];
        sums.check_bins(&Ruled {
            flag: first_given(&given),
            first: edges.values()[0],
        })
    }

    /// The bins; where they reach as far as the smallest box allows, all frames are looked at.
    fn bins_of_frames(
        &self,
        reading: &FrameReading,
        unit: Option<&str>,
        given: Option<&Given>,
    ) -> Result<RBins> {
        self.bins(unit, || match given {
            Some(given) => Ok(reading.reach_given(given)?),
            None => Ok(reading.reach(&self.data.paths)?),
        })
    }

    /// Takes a structure that stands before a trajectory as its topology, as other programs do.
    pub(super) fn take_structure(&mut self, stop: &Stop) -> Result<()> {
        let ([structure], Some(second)) = (&self.data.paths[..], &self.second) else {
            return Ok(());
        };
        let is_free = self.frames.topology.is_none() && !self.pairs.has_second();
        let Some(trajectory) = second.paths.first().filter(|_| is_free) else {
            return Ok(());
        };
        let is_before = is_structure_before(structure, trajectory, stop);
        // What is wrong with a second file that is none of frames is said where samples are read.
        if !is_before.unwrap_or(false) {
            if is_structure_before(trajectory, structure, stop).unwrap_or(false) {
                let (structure, trajectory) = (trajectory.display(), structure.display());
                return Err(usage(format!(
                    "{trajectory} and {structure}: a structure stands before its trajectory: albireo rdf {structure} {trajectory}"
                )));
            }
            return Ok(());
        }
        let (structure, shown) = (structure.clone(), trajectory.display());
        tracing::info!("{} is the topology of {shown}", structure.display());
        self.frames.topology = Some(structure.into());
        if let Some(second) = self.second.take() {
            self.data = second;
        }
        Ok(())
    }

    /// Says what frames, particles and species are read.
    fn say_what_is_read(
        &self,
        source: &mut FrameSource,
        choice: &FrameChoice,
        job: &FrameJob,
    ) -> Result<()> {
        let topology = self.frames.topology.as_deref();
        let unit = self.pairs.space.unit.as_deref();
        let notice = choice.notice(source, job, unit, topology)?;
        notice.iter().for_each(say);
        let bare = matches!(
            self.frames.norm,
            Some(flags::NormName::Counts | flags::NormName::Neighbours)
        );
        if let Some(first) = source.peek()? {
            let found = choice.doubts(first, job, !bare && !self.walls.given());
            found.iter().for_each(say);
            let volume = self.volume.filter(|_| job.volume.is_none());
            let sizes = (self.walls.walls.as_ref(), volume);
            let of_frame = format!(
                "the particles of the first frame of {}",
                first.path.display()
            );
            say_other_sizes(&of_frame, job.particles.points(), sizes);
        }
        Ok(())
    }

    /// Counts frames in these bins, and writes what comes of them.
    fn run_in(
        &self,
        bins: Bins,
        open: Opened,
        selection: &Selection,
        (mut record, session): (Record, &Session<'_>),
    ) -> Result<()> {
        let settings = open.settings.clone();
        let (run, (names, unit), digests) =
            self.prepared(bins, open, selection, (&mut record, session))?;
        let counted = run.count(&mut record, &settings)?;
        digests.note(&mut record)?;
        tables::write(
            &counted,
            &names,
            unit.as_deref(),
            (
                &self.frames,
                &self.times,
                &self.structure,
                &self.pairs.output,
            ),
            (record, session),
        )
    }

    /// A run over frames, with the names of species, the unit of length and what the files are known by.
    fn prepared(
        &self,
        bins: Bins,
        open: Opened,
        selection: &Selection,
        (record, session): (&mut Record, &Session<'_>),
    ) -> Result<(frames::Run<'_>, NamesAndUnit, Digests)> {
        self.pairs
            .run
            .pieces
            .refuse("trajectories: frames are shared out by --frames")?;
        let engines = self.engines(session)?;
        let first = open.first.as_ref();
        let mut suits = Suits {
            beyond_half: self.beyond_half,
            walls: None,
            domain: None,
        };
        let plane = self.frames.plane.map(flags::Plane::normal);
        let spaces = match (&self.walls.walls, &self.walls.randoms, first) {
            (Some(spec), ..) => {
                record.set("walls", spec.text.as_str());
                suits.walls = Some(spec.walls.clone());
                if let Some(job) = first {
                    // What is wrong with them is said before anything is counted.
                    bins::space_between_walls(&bins, &spec.walls, &job.domain, plane)
                        .context("--walls")?;
                }
                let walls = spec.walls.clone();
                FrameSpaces::Walls { walls, plane }
            }
            (None, Some(path), Some(job)) => {
                suits.domain = Some(job.domain.clone());
                let randoms = self.randoms_in(path, selection, &job.domain, open.unit.as_deref());
                FrameSpaces::Same(randoms_space(&randoms, &bins, &engines, record)?)
            }
            _ if self.beyond_half => FrameSpaces::NearestImages { plane },
            _ => FrameSpaces::Whole,
        };
        let run = frames::Run {
            flags: &self.frames,
            times: &self.times,
            weights: FrameWeights::read(self.times.frame_weights.as_ref(), session.watch.stop())?,
            bins,
            volume: open.volume,
            engines,
            suits,
            spaces,
            all_pairs: self.structure.given().is_some(),
            sums: open.sums,
            source: open.source,
            choice: open.choice,
            first: open.first,
        };
        Ok((run, (open.names, open.unit), open.digests))
    }

    /// Refuses S(q) and P(r) of what has none, before anything is counted.
    fn check_structure(
        &self,
        choice: &FrameChoice,
        first: Option<&FrameJob>,
        unit: Option<&str>,
    ) -> Result<()> {
        let groups = choice.groups();
        let bare = self.frames.norm == Some(flags::NormName::Counts);
        let in_vacuum = bare && first.is_some_and(|job| job.volume.is_none());
        let excluded = self.excluded.given().or(self.frames.bonded());
        self.structure
            .check((groups.names(), unit), (excluded, in_vacuum))?;
        let labels = first.and_then(|job| job.particles.labels());
        let shared = labels.is_some_and(|all| all.values().iter().any(|&l| groups.is_shared(l)));
        match self.structure.given().filter(|_| shared) {
            Some(flag) => Err(usage(format!(
                "{flag} is of species, but conditions of --select share particles"
            ))),
            None => Ok(()),
        }
    }

    /// The volume of frames that state none; refuses what has no volume and needs one.
    fn volume_of_frames(&self, first: Option<&FrameJob>) -> Result<Option<f64>> {
        let boxed = first.is_some_and(|job| job.volume.is_some());
        let walled = self.walls.given();
        if self.structure.p_of_r.is_some() && first.is_some_and(|job| job.domain.is_periodic()) {
            return Err(usage(
                "--p-of-r is of bodies in open space: --box none, if they are whole",
            ));
        }
        if let (Some(flag), true) = (
            self.frames.needs_density(),
            self.walls.randoms.is_some() && self.volume.is_none(),
        ) {
            return Err(usage(format!(
                "{flag} needs the volume that --randoms fill: --volume V"
            )));
        }
        let of_liquids = [
            (self.structure.structure.is_some(), "--structure"),
            (self.structure.total_g.is_some(), "--total-g"),
        ];
        if let (Some(flag), true) = (first_given(&of_liquids), walled) {
            return Err(usage(format!("{flag} is of a liquid without walls")));
        }
        if boxed && self.volume.is_some() && !walled {
            return Err(usage("--volume is for open space: here the box has one"));
        }
        let bare = self.frames.norm == Some(flags::NormName::Counts)
            || (self.structure.p_of_r.is_some() && self.frames.norm.is_none());
        match self.volume {
            None if !boxed && (bare || walled) => Ok(Some(1.0)),
            None if !boxed => Err(anyhow!(
                "g(r) needs a volume, and space is open: --volume V, --box, --walls, --randoms, or --norm none for the pairs alone"
            )),
            given => Ok(given),
        }
    }
}

/// Says what is taken for something else than usual, and what looks wrong about the first frame.
fn say_what_looks_wrong(
    source: &FrameSource,
    choice: &FrameChoice,
    first: Option<&NumberedFrame>,
) -> Result<()> {
    source.notice().iter().for_each(say);
    if let Some(first) = first {
        let found = choice.suspicions(first, source.unit());
        found.iter().for_each(say);
        choice.misspelt(first)?.iter().for_each(say);
    }
    Ok(())
}

/// A trajectory that was opened, and its first frame.
struct Opened {
    source: FrameSource,
    choice: FrameChoice,
    first: Option<FrameJob>,
    volume: Option<f64>,
    settings: Map<String, Value>,
    names: Vec<String>,
    unit: Option<String>,
    digests: Digests,
    sums: Option<FrameSums>,
}

/// The names of species, and the unit of length.
type NamesAndUnit = (Vec<String>, Option<String>);

/// The space that random points fill, noted in the record.
pub(super) fn randoms_space(
    randoms: &Randoms<'_>,
    bins: &Bins,
    engines: &Engines,
    record: &mut Record,
) -> Result<Space> {
    let (space, points) = randoms.space(bins, engines)?;
    record.set(
        "randoms",
        json!({"file": randoms.path.display().to_string(), "points": points}),
    );
    Ok(space)
}
