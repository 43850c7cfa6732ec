//! Frames that lie in memory, as a trajectory.
//!
//! Entry: [`GivenFrames`].

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use albireo::particles::Column;
use albireo_catalogs::{Atoms, Attribute, CatalogError, Cell, Frame, Trajectory, TrajectoryFormat};

use crate::error::{Result, SampleError};

/// Positions of all frames one after the other, in buffers that may belong to somebody else, with what is known of frames and particles.
///
/// ```
/// use albireo::particles::Column;
/// use albireo_catalogs::{Attribute, Cell};
/// use albireo_samples::{FrameReading, Given, GivenFrames};
/// let column = |values: [f64; 4]| Column::from(values.to_vec());
/// let frames = GivenFrames::new([column([0.0; 4]), column([0.0; 4]), column([0.0, 1.0, 0.0, 2.0])], vec![2, 2])?
///     .with_cells(vec![Cell::orthorhombic([4.0; 3])?, Cell::orthorhombic([5.0; 3])?])?
///     .with_column("species", Attribute::of_texts(["O", "H"]))?;
/// let (mut source, choice) = FrameReading::default().open_given(&Given::of_frames(frames))?;
/// assert_eq!(choice.groups().names(), ["H", "O"]);
/// while let Some(frame) = source.next_frame()? {
///     assert_eq!(choice.job(frame)?.particles.len(), 2);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct GivenFrames {
    positions: [Column; 3],
    /// Particles of each frame.
    particles: Vec<usize>,
    /// One a frame; none at all where space is open or the box is named elsewhere.
    cells: Vec<Cell>,
    /// Values of the particles of all frames one after the other.
    columns: Vec<(String, Attribute)>,
    /// What is known of particles that are the same in all frames.
    shared: Option<Arc<Atoms>>,
    unit: Option<String>,
}

impl GivenFrames {
    /// x, y and z of all particles, frame after frame, and how many of them each frame has.
    ///
    /// # Errors
    /// [`SampleError::Input`] of lengths that do not fit.
    pub fn new(positions: [Column; 3], particles: Vec<usize>) -> Result<Self> {
        let all: usize = particles.iter().sum();
        for (name, column) in ["x", "y", "z"].into_iter().zip(&positions) {
            check(("particles of all frames", all), (name, column.len()))?;
        }
        let first = particles.first().copied().unwrap_or_default();
        let same = particles.iter().all(|&n| n == first);
        Ok(Self {
            positions,
            shared: same.then(|| Arc::new(Atoms::new(first))),
            particles,
            ..Self::default()
        })
    }

    /// The same with the box of each frame.
    ///
    /// # Errors
    /// [`SampleError::Input`] unless there is one a frame.
    pub fn with_cells(self, cells: Vec<Cell>) -> Result<Self> {
        check(("frames", self.particles.len()), ("boxes", cells.len()))?;
        Ok(Self { cells, ..self })
    }

    /// The same with a value of each particle, such as its `species`, `mass` or `molecule`: those of one frame, where they hold for all of
    /// them, or those of all frames one after the other.
    ///
    /// # Errors
    /// [`SampleError::Input`] of another length, of one name.
    pub fn with_column(mut self, name: &str, values: Attribute) -> Result<Self> {
        if let Some(shared) = self
            .shared
            .as_mut()
            .filter(|atoms| atoms.len() == values.len())
        {
            if shared.get(name).is_some() {
                return Err(SampleError::same_name(name));
            }
            *shared = Arc::new(Atoms::clone(shared).with(name, values));
            return Ok(self);
        }
        if self.columns.iter().any(|(known, _)| known == name) {
            return Err(SampleError::same_name(name));
        }
        check(
            ("particles of all frames", self.positions[0].len()),
            (name, values.len()),
        )?;
        self.columns.push((name.to_owned(), values));
        Ok(self)
    }

    /// The same with bonds between particles that are the same in all frames, by their rows from 0.
    ///
    /// # Errors
    /// [`SampleError::Input`] of a row that is not there, [`SampleError::Input`] of frames that differ in number.
    pub fn bonded(mut self, bonds: Vec<[u32; 2]>) -> Result<Self> {
        let first = self.particles.first().copied().unwrap_or_default();
        let other = self.particles.iter().find(|&&n| n != first);
        check(
            ("the first frame", first),
            ("another one", other.copied().unwrap_or(first)),
        )?;
        let beyond = |pair: &&[u32; 2]| pair.iter().any(|&row| row as usize >= first);
        if let Some(pair) = bonds.iter().find(beyond) {
            return Err(SampleError::pair_beyond(*pair, first));
        }
        let atoms = self.shared.take().map(|atoms| Atoms::clone(&atoms));
        self.shared = atoms.map(|atoms| Arc::new(atoms.bonded(bonds)));
        Ok(self)
    }

    /// The same with the unit of length.
    #[must_use]
    pub fn in_unit(self, unit: Option<String>) -> Self {
        Self { unit, ..self }
    }

    /// As what trajectories of files are.
    pub(crate) fn opened(self: Arc<Self>) -> Box<dyn Trajectory> {
        let mut from = 0;
        let rows = self.particles.iter().map(|&n| {
            from += n;
            from - n..from
        });
        Box::new(InMemory {
            left: rows.collect::<VecDeque<_>>(),
            passed: 0,
            path: PathBuf::from("frames in memory"),
            frames: self,
        })
    }

    fn atoms(&self, rows: &Range<usize>) -> Arc<Atoms> {
        match &self.shared {
            Some(shared) if self.columns.is_empty() => Arc::clone(shared),
            shared => {
                let known = shared.as_deref().cloned();
                let atoms = known.unwrap_or_else(|| Atoms::new(rows.len()));
                let columns = self.columns.iter();
                let with = |atoms: Atoms, (name, values): &(String, Attribute)| {
                    atoms.with(name, values.rows(rows.clone()))
                };
                Arc::new(columns.fold(atoms, with))
            }
        }
    }
}

fn check(first: (&str, usize), second: (&str, usize)) -> Result<()> {
    if first.1 == second.1 {
        return Ok(());
    }
    Err(SampleError::unequal(first, second))
}

/// Frames on their way out.
struct InMemory {
    frames: Arc<GivenFrames>,
    left: VecDeque<Range<usize>>,
    passed: usize,
    path: PathBuf,
}

impl Trajectory for InMemory {
    fn format(&self) -> TrajectoryFormat {
        TrajectoryFormat::Memory
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn unit(&self) -> Option<&str> {
        self.frames.unit.as_deref()
    }

    fn frames(&self) -> Option<u64> {
        Some(self.frames.particles.len() as u64)
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, CatalogError> {
        let Some(rows) = self.left.pop_front() else {
            return Ok(None);
        };
        let number = self.passed;
        self.passed += 1;
        let of_frame = |column: &Column| column.rows(rows.clone()).iter().collect();
        Ok(Some(Frame {
            number: number as u64,
            step: None,
            time: None,
            cell: self.frames.cells.get(number).copied(),
            positions: self.frames.positions.each_ref().map(of_frame),
            atoms: self.frames.atoms(&rows),
        }))
    }

    fn skip(&mut self, frames: u64) -> Result<u64, CatalogError> {
        let all = self.left.len();
        let passed = usize::try_from(frames).unwrap_or(all).min(all);
        self.left.drain(..passed);
        self.passed += passed;
        Ok(passed as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(n: usize) -> Column {
        Column::from((0..n).map(|k| k as f64).collect::<Vec<_>>())
    }

    #[test]
    fn frames_of_different_sizes_have_their_own_rows() {
        let frames = GivenFrames::new([column(6), column(6), column(6)], vec![1, 0, 3, 2]).unwrap();
        let kinds = Attribute::Integers((10..16).collect());
        let mut open = Arc::new(frames.with_column("type", kinds).unwrap()).opened();
        assert_eq!(open.frames(), Some(4));
        let first = open.next_frame().unwrap().unwrap();
        assert_eq!((first.number, first.positions[2].clone()), (0, vec![0.0]));
        assert_eq!(open.skip(1).unwrap(), 1);
        let third = open.next_frame().unwrap().unwrap();
        assert_eq!(
            (third.number, third.positions[0].clone()),
            (2, vec![1.0, 2.0, 3.0])
        );
        assert_eq!(
            third.atoms.get("type"),
            Some(&Attribute::Integers(vec![11, 12, 13]))
        );
        assert_eq!(open.skip(9).unwrap(), 1);
        assert!(open.next_frame().unwrap().is_none());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let two = || GivenFrames::new([column(4), column(4), column(4)], vec![2, 2]).unwrap();
        let told = |found: Result<GivenFrames>| found.unwrap_err().to_string();
        let short = GivenFrames::new([column(4), column(3), column(4)], vec![2, 2]);
        assert!(told(short).contains("`y` has 3"));
        let mass = |n: usize| two().with_column("mass", Attribute::Numbers(vec![1.0; n]));
        assert!(told(mass(3)).contains("`particles of all frames` has 4 rows, `mass` has 3"));
        assert!(mass(2).is_ok() && mass(4).is_ok());
        assert!(told(two().with_cells(vec![])).contains("`frames` has 2 rows"));
        assert!(told(two().bonded(vec![[0, 2]])).contains('2'));
        let uneven = GivenFrames::new([column(3), column(3), column(3)], vec![1, 2]).unwrap();
        assert!(told(uneven.bonded(vec![])).contains("another one"));
    }
}
