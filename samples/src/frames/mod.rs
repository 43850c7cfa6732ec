//! Frames of trajectories as particles in a domain, one after the other.
//!
//! Entry: [`FrameReading::open`] gives a [`FrameSource`], which reads, and a [`FrameChoice`], which makes jobs of what is read, on any thread; [`FrameReading::one`] gives one frame as a table.

mod centres;
mod changing;
mod chosen;
mod columns;
mod counted;
mod held;
mod lengths;
mod masses;
mod molecules;
mod moments;
mod one;
mod range;
mod rows;
mod source;
mod spaces;
mod spelling;
mod suspicion;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use albireo::{Axis, Outside, Particles, Points};
use albireo_catalogs::{Atoms, Expression, Filter, Frame, Stop, TrajectoryRequest};
use albireo_fluids::frames::{FrameGroups, FrameJob};
use serde::Serialize;
use serde_json::Value;

pub use held::{Held, held, held_given};
pub use one::{FrameColumns, OneFrame};
pub use range::{FrameRange, ParseFramesError};
pub use rows::SameRows;
pub use source::{FrameSource, NumberedFrame};

use crate::error::{Result, SampleError};
use crate::given::Given;
use crate::given_box::GivenBox;
use crate::notice::Notice;
use crate::space::described;
use crate::within::Within;
use centres::{Molecules, centres};
use changing::ChangingBox;
use chosen::Chosen;
use columns::MOVING;
use masses::Guess;
use molecules::Numbering;
use rows::{AskedAgain, alike, same};
use suspicion::rows;

/// What particles are distinguished by.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub enum Species {
    /// The first of the columns `species`, `element`, `type` and `name` that there is with at most 64 values; all particles alike where there is none.
    #[default]
    Usual,
    /// All particles alike.
    Alike,
    /// The values of a column.
    Column(String),
    /// Named conditions; particles may satisfy several.
    Conditions(Vec<(String, Filter)>),
}

/// Pairs that are no candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Exclusion {
    /// Pairs with the same value of a column, such as `molecule` or `resid`.
    Within(String),
    /// Pairs with up to so many bonds between them: 1 for those bonded, 2 for 1-3 pairs too.
    Bonded(u32),
    /// These, by the rows of their particles, from 0.
    Listed(Vec<[u32; 2]>),
}

/// How frames become particles.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FrameReading {
    /// Where files leave it open: tables and columns.
    pub request: TrajectoryRequest,
    /// Which frames.
    #[serde(rename = "frames")]
    pub range: FrameRange,
    /// Names, types, residues and bonds, where they stand in a file of their own.
    pub topology: Option<Arc<Atoms>>,
    /// What particles are distinguished by.
    pub species: Species,
    /// Values of the column of species that the first frame may lack.
    pub more_species: Vec<String>,
    /// Which particles are counted at all.
    #[serde(rename = "where")]
    pub filter: Option<Filter>,
    /// Columns or expressions that the particles of jobs have, in this order, or that [`OneFrame::columns`] will be asked for: velocities and forces are
    /// read where one of these or a condition names them.
    #[serde(skip)]
    pub columns: Vec<String>,
    /// Columns that particles of jobs have behind these as numbers that are equal where the values are: above 0 of numbers, below 0 of texts.
    #[serde(skip)]
    pub identities: Vec<String>,
    /// Whether conditions are asked again in every frame.
    pub update: bool,
    /// Molecules that are counted as their centres of mass: the column that numbers them.
    pub centres: Option<String>,
    /// Pairs that are left out.
    pub excluded: Vec<Exclusion>,
    /// The box in place of the one that frames state.
    #[serde(rename = "box")]
    pub space: Option<GivenBox>,
    /// The unit of length of frames: those that state another one are converted, boxes included. [`FrameReading::space`] is in it, unless it
    /// has one of its own.
    pub unit: Option<String>,
    /// The axis that is left out, where particles are projected on a plane: their coordinate along it is 0 and it is open.
    #[serde(rename = "plane")]
    pub flat: Option<Axis>,
    /// Asked again and again while files are read.
    #[serde(skip)]
    pub stop: Stop,
}

/// Makes jobs of frames; shared by all threads.
pub struct FrameChoice {
    reading: FrameReading,
    groups: FrameGroups,
    column: Option<String>,
    /// How molecules are numbered that are counted as their centres.
    numbering: Numbering,
    /// Columns of the first frame that are made of names.
    guesses: Vec<Guess>,
    changing: ChangingBox,
    asked_again: AskedAgain,
    /// What was chosen last, for the particles that it was chosen of.
    last: Mutex<Option<(Arc<Atoms>, Arc<Chosen>)>>,
    /// The particles of a frame, and the same with what the topology knows of them.
    merged: Mutex<Option<(Arc<Atoms>, Arc<Atoms>)>>,
}

impl FrameReading {
    /// Opens a trajectory of one file or several, and chooses particles by its first frame.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("two.csv");
    /// # std::fs::write(&path, "frame,species,x,y,z\n0,O,0,0,0\n0,H,1,0,0\n1,O,0,0,0\n1,H,2,0,0\n")?;
    /// use albireo_samples::FrameReading;
    /// # if false {
    /// let (mut source, choice) = FrameReading::default().open(&[path])?;
    /// assert_eq!(choice.groups().names(), ["H", "O"]);
    /// while let Some(frame) = source.next_frame()? {
    ///     let job = choice.job(frame)?;
    ///     assert_eq!(job.particles.len(), 2);
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Files that cannot be read, a range without a frame, columns or species that are not there.
    pub fn open(self, paths: &[PathBuf]) -> Result<(FrameSource, FrameChoice)> {
        let source = self.source(paths)?;
        self.of_source(source)
    }

    /// The frames of files.
    fn source(&self, paths: &[PathBuf]) -> Result<FrameSource> {
        let mut request = self.request.clone();
        request.lacking = self.flat.map(Axis::index);
        let expressions = self.columns.iter().flat_map(|text| Expression::parse(text));
        let expressions: Vec<Expression> = expressions.collect();
        request.velocities |= MOVING.iter().any(|column| {
            let named = |expression: &Expression| expression.columns().contains(column);
            self.asks_for(column) || expressions.iter().any(named)
        });
        FrameSource::open(paths, request, self.range, self.stop.clone())
    }

    /// As [`FrameReading::open`], of frames or a table of particles in memory.
    ///
    /// # Errors
    /// As [`FrameReading::open`].
    pub fn open_given(self, given: &Given) -> Result<(FrameSource, FrameChoice)> {
        let source = self.source_given(given)?;
        self.of_source(source)
    }

    /// The frames of what lies in memory.
    fn source_given(&self, given: &Given) -> Result<FrameSource> {
        let open = given.opened(&self.request, self.stop.clone())?;
        FrameSource::given(open, self.range, self.stop.clone())
    }

    fn of_source(mut self, source: FrameSource) -> Result<(FrameSource, FrameChoice)> {
        let mut source = source.in_unit(self.unit.as_deref())?;
        self = self.with_box_in(source.unit())?;
        let first = source
            .peek()?
            .cloned()
            .ok_or_else(|| source.none_left(source.first()))?;
        let place = || at(&first);
        let known = self.known(&first.frame);
        let (merged, guesses) = known.within(place)?;
        let numbering = self.numbering(&first.frame, &merged).within(place)?;
        let whole = self
            .whole(first.frame.clone(), merged.clone(), &numbering)
            .within(place)?;
        let (groups, column) = chosen::groups(&self, (&whole, &first.path)).within(place)?;
        let choice = FrameChoice {
            reading: self,
            groups,
            column,
            numbering,
            guesses,
            changing: ChangingBox::new(first.frame.cell),
            asked_again: AskedAgain::default(),
            last: Mutex::new(None),
            merged: Mutex::new(Some((Arc::clone(&first.frame.atoms), merged))),
        };
        let chosen = choice.chosen(&whole, &first.path).within(place)?;
        choice.remember(&whole.atoms, &chosen);
        Ok((source, choice))
    }

    /// What decides which particles and pairs are counted, by name.
    ///
    /// # Errors
    /// A path that is no text.
    pub fn settings(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    /// What is known of the particles of a frame: by the frame, by the topology, and by their names.
    fn known(&self, frame: &Frame) -> Result<(Arc<Atoms>, Vec<Guess>)> {
        let atoms = self.with_topology(frame)?;
        self.guessed(atoms)
    }

    /// The frame with what the topology knows of its particles.
    fn with_topology(&self, frame: &Frame) -> Result<Arc<Atoms>> {
        let Some(topology) = &self.topology else {
            return Ok(Arc::clone(&frame.atoms));
        };
        if topology.len() != frame.len() {
            return Err(SampleError::Input(format!(
                "the topology has {} particles, the frame has {}",
                topology.len(),
                frame.len()
            )));
        }
        if frame.atoms.names().next().is_none() {
            return Ok(Arc::clone(topology));
        }
        let mut atoms = Atoms::clone(topology);
        for name in frame.atoms.names() {
            if let Some(attribute) = frame.atoms.get(name) {
                atoms = atoms.with(name, attribute.clone());
            }
        }
        Ok(Arc::new(atoms))
    }

    /// How the first frame numbers its molecules, where these are asked for.
    fn numbering(&self, frame: &Frame, atoms: &Atoms) -> Result<Numbering> {
        let Some(column) = &self.centres else {
            return Ok(Numbering::Unique);
        };
        let domain = self.domain(frame.cell.as_ref())?;
        Ok(Molecules::of(&frame.positions, atoms, column, &domain)?.numbering())
    }

    /// The frame with all that is known of its particles, its molecules as centres where these are asked for.
    fn whole(&self, mut frame: Frame, atoms: Arc<Atoms>, numbering: &Numbering) -> Result<Frame> {
        frame.atoms = atoms;
        if let Some(column) = &self.centres {
            let domain = self.domain(frame.cell.as_ref())?;
            let molecules = Molecules::of(&frame.positions, &frame.atoms, column, &domain)?;
            let (positions, atoms) = centres(&molecules, &frame.atoms, numbering)?;
            frame.positions = positions;
            frame.atoms = Arc::new(atoms);
        }
        Ok(frame)
    }
}

/// A frame's place, for messages.
fn at(frame: &NumberedFrame) -> String {
    format!("{}: frame {}", frame.path.display(), frame.frame.number)
}

impl FrameChoice {
    /// The groups that particles are counted in.
    pub fn groups(&self) -> &FrameGroups {
        &self.groups
    }

    /// Whether a condition leaves particles out.
    pub fn is_filtered(&self) -> bool {
        self.reading.filter.is_some()
    }

    /// The column that the groups are species of, where they are.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// What is read, as the first frame and its particles show, in this unit of length if not that of the frames; `None` of no frame.
    ///
    /// # Errors
    /// As [`FrameSource::peek`].
    pub fn notice(
        &self,
        source: &mut FrameSource,
        job: &FrameJob,
        unit: Option<&str>,
        topology: Option<&Path>,
    ) -> Result<Option<Notice>> {
        let Some(first) = source.peek()? else {
            return Ok(None);
        };
        let (path, all, counted) = (first.path.clone(), first.frame.len(), job.particles.len());
        let frames = match source.frames() {
            Some(1) => "1 frame".to_owned(),
            Some(frames) => format!("{frames} frames"),
            None => "frames".to_owned(),
        };
        let counted = (counted != all).then(|| format!(" ({counted} counted)"));
        let column = self.column().map(|column| format!(" by column `{column}`"));
        let topology = topology.map(|file| format!("; topology {}", file.display()));
        Ok(Some(Notice::note(format!(
            "{}: {}, {frames} of {all} atoms{}; species {}{}; {}; {}{}",
            path.display(),
            source.format(),
            counted.unwrap_or_default(),
            self.groups.names().join(", "),
            column.unwrap_or_default(),
            described(&job.domain),
            unit.or(source.unit()).unwrap_or("no unit"),
            topology.unwrap_or_default()
        ))))
    }

    /// The particles of a frame, in its box.
    ///
    /// # Errors
    /// Positions that are not finite, a box that is none, particles that are of no known species: each with file and frame.
    pub fn job(&self, frame: NumberedFrame) -> Result<FrameJob> {
        let place = at(&frame);
        if let Some(given) = self.reading.space.and_then(|space| rows(space.spec)) {
            self.changing.look(&given, &frame);
        }
        self.job_of(frame).within(|| place)
    }

    /// What is to be said of the frames that jobs were made of: that their boxes change where one is given for all of them, and that conditions
    /// were not asked in the first frame alone.
    pub fn of_frames(&self) -> impl Iterator<Item = &Notice> {
        self.changing
            .notice()
            .into_iter()
            .chain(self.asked_again.notice())
    }

    fn job_of(&self, numbered: NumberedFrame) -> Result<FrameJob> {
        let NumberedFrame {
            number,
            path,
            frame,
        } = numbered;
        let (domain, volume) = self.reading.space_of(frame.cell.as_ref())?;
        let atoms = self.merged(&frame)?;
        let frame = self.reading.whole(frame, atoms, &self.numbering)?;
        let chosen = self.chosen_or_last(&frame, &path)?;
        let values = columns::values(&self.reading, (&frame, &path), chosen.rows.as_deref())?;
        let columns = match &chosen.rows {
            None => frame.positions,
            Some(rows) => {
                let pick =
                    |column: &Vec<f64>| rows.iter().map(|&row| column[row as usize]).collect();
                frame.positions.each_ref().map(pick)
            }
        };
        let mut columns = columns;
        if let Some(normal) = self.reading.flat {
            columns[normal.index()].fill(0.0);
        }
        let [x, y, z] = columns;
        let mut particles =
            Particles::new(Points::new(x, y, z)?).labelled(chosen.labels.clone())?;
        if !values.is_empty() {
            particles = particles.with_columns(values)?;
        }
        if let Some(molecules) = &chosen.molecules {
            particles = particles.grouped(molecules.clone())?;
        }
        let excluded = chosen.left_out(&particles)?;
        Ok(FrameJob {
            number,
            particles: domain.place(particles, Outside::Wrap)?,
            domain,
            volume,
            excluded: Some(excluded),
            cuts: chosen.cuts.clone(),
            weight: 1.0,
            program: None,
        })
    }

    fn chosen(&self, frame: &Frame, path: &Path) -> Result<Arc<Chosen>> {
        let groups = (&self.groups, self.column.as_deref());
        Chosen::of(&self.reading, (frame, path), groups).map(Arc::new)
    }

    /// What is chosen of a frame: what was chosen last, if its particles are the same ones.
    fn chosen_or_last(&self, frame: &Frame, path: &Path) -> Result<Arc<Chosen>> {
        // The lock is given back at once: what follows asks for it again.
        let last = self
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match last {
            Some((atoms, chosen)) if !self.reading.update && alike(&atoms, &frame.atoms) => {
                Ok(chosen)
            }
            _ => {
                self.asked_again.pass(&self.reading, frame, path);
                let chosen = self.chosen(frame, path)?;
                self.remember(&frame.atoms, &chosen);
                Ok(chosen)
            }
        }
    }

    /// What is known of a frame's particles, by the topology too, which is looked up once for all frames that share theirs.
    fn merged(&self, frame: &Frame) -> Result<Arc<Atoms>> {
        let lock = || self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is given back at once.
        let last = lock().clone();
        if let Some((of, merged)) = last
            && same(&of, &frame.atoms)
        {
            return Ok(merged);
        }
        let (merged, _) = self.reading.known(frame)?;
        *lock() = Some((Arc::clone(&frame.atoms), Arc::clone(&merged)));
        Ok(merged)
    }

    fn remember(&self, atoms: &Arc<Atoms>, chosen: &Arc<Chosen>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Arc::clone(atoms), Arc::clone(chosen)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use albireo_catalogs::Attribute;

    #[test]
    fn topologies_are_looked_up_once_for_frames_of_the_same_particles() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let rows = "0,0,1,0,0,0\n0,1,1,1,0,0\n1,0,1,0,1,0\n1,1,1,1,1,0\n2,0,2,0,0,0\n2,1,2,1,0,0\n";
        std::fs::write(&path, format!("frame,id,kind,x,y,z\n{rows}")).unwrap();
        let topology = Atoms::new(2)
            .with("species", Attribute::of_texts(["O", "H"]))
            .with("kind", Attribute::Integers(vec![7, 8]));
        let reading = FrameReading {
            topology: Some(Arc::new(topology)),
            ..FrameReading::default()
        };
        let (mut source, choice) = reading.open(&[path]).unwrap();
        assert_eq!(choice.groups().names(), ["H", "O"]);
        let mut next = || {
            choice
                .merged(&source.next_frame().unwrap().unwrap().frame)
                .unwrap()
        };
        let [first, second, third] = [next(), next(), next()];
        assert!(Arc::ptr_eq(&first, &second));
        // What the frame says goes before what the topology says.
        assert_eq!(first.get("kind"), Some(&Attribute::Numbers(vec![1.0; 2])));
        assert_eq!(third.get("kind"), Some(&Attribute::Numbers(vec![2.0; 2])));
        assert_eq!(third.get("species"), first.get("species"));
    }
}
