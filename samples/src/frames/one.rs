//! One frame of a trajectory, as a table of its particles.
//!
//! Entry: [`FrameReading::one`].

use std::path::Path;

use albireo::{Domain, Outside, Particles, Points};
use albireo_catalogs::Request;

use super::suspicion::text;
use super::{FrameReading, FrameSource, NumberedFrame, at};
use crate::error::{Result, SampleError};
use crate::given::Given;
use crate::notice::Notice;
use crate::within::Within;

/// A frame with what the topology knows of its particles.
#[derive(Debug)]
pub struct OneFrame {
    reading: FrameReading,
    /// What it holds, and where it comes from.
    numbered: NumberedFrame,
    unit: Option<String>,
    notice: Option<Notice>,
}

/// Particles of one frame in its domain, with columns of numbers.
#[derive(Debug)]
pub struct FrameColumns {
    /// Their positions, wrapped into the box.
    pub points: Points,
    /// The space that they are in.
    pub domain: Domain,
    /// The columns asked for, in that order, a value a particle.
    pub columns: Vec<Vec<f64>>,
}

impl FrameReading {
    /// The first frame of the range of a file.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("ions.xyz");
    /// # std::fs::write(&path, "2\nions\nNa 0 0 0\nCl 0 0 2.8\n")?;
    /// use albireo_samples::FrameReading;
    /// let frame = FrameReading::default().one(&path)?;
    /// let ions = frame.columns(&["2*(name == 'Na') - 1".to_owned()])?;
    /// assert_eq!((ions.points.len(), &ions.columns[0][..]), (2, &[1.0, -1.0][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A file that cannot be read, one without such a frame, a topology of other particles, a unit that is not converted.
    pub fn one(self, path: &Path) -> Result<OneFrame> {
        let source = self.source(&[path.to_owned()])?;
        self.one_of(source, path)
    }

    /// As [`FrameReading::one`], of frames in memory that were read from a file.
    ///
    /// # Errors
    /// As [`FrameReading::one`].
    pub fn one_given(self, given: &Given, path: &Path) -> Result<OneFrame> {
        let source = self.source_given(given)?;
        self.one_of(source, path)
    }

    fn one_of(mut self, source: FrameSource, path: &Path) -> Result<OneFrame> {
        let mut source = source.in_unit(self.unit.as_deref())?;
        self = self.with_box_in(source.unit())?;
        let (unit, notice) = (source.unit().map(str::to_owned), source.notice());
        let next = source.next_frame()?;
        let mut numbered = next.ok_or_else(|| source.none_left(path))?;
        // Frames in memory know no file.
        path.clone_into(&mut numbered.path);
        let known = self.known(&numbered.frame);
        (numbered.frame.atoms, _) = known.within(|| at(&numbered))?;
        Ok(OneFrame {
            reading: self,
            numbered,
            unit,
            notice,
        })
    }
}

impl OneFrame {
    /// Whether its particles have this column.
    pub fn has(&self, column: &str) -> bool {
        self.numbered.frame.atoms.get(column).is_some()
    }

    /// The unit of length, where it is known.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Which frame of which file it is, and what is to be said of its unit and of its box.
    pub fn notices(&self) -> Vec<Notice> {
        let NumberedFrame { path, frame, .. } = &self.numbered;
        let read = Notice::note(format!(
            "{}: frame {}, the first being 0, of {} atoms",
            path.display(),
            frame.number,
            frame.len()
        ));
        let unit = self.notice.iter().cloned();
        std::iter::once(read).chain(unit).collect()
    }

    /// The box that the frame states, which is not the space that its particles are in; as `--box` takes it.
    pub fn unused_box(&self) -> Option<String> {
        let cell = self.numbered.frame.cell.as_ref()?;
        let is_open = matches!(self.reading.domain(Some(cell)), Ok(Domain::Open));
        (is_open && cell.periodic() != [false; 3]).then(|| text(&cell.vectors().map(Some)))
    }

    /// The particles that the condition keeps, with these columns or expressions over columns.
    ///
    /// # Errors
    /// Columns that are not there, a condition that keeps nothing, positions that are not finite, a box that is none.
    pub fn columns(&self, columns: &[String]) -> Result<FrameColumns> {
        let NumberedFrame { path, frame, .. } = &self.numbered;
        let place = || at(&self.numbered);
        let axes = ["x", "y", "z"].map(str::to_owned);
        let mut request = Request::columns(axes.iter().chain(columns).cloned());
        request.filter.clone_from(&self.reading.filter);
        let table = frame.columns(&request, path)?;
        if table.rows() == 0 {
            return Err(SampleError::empty(path, table.rows_read()));
        }
        let column = |name: &String| table.column(name).map(<[f64]>::to_vec);
        let [x, y, z] = axes.each_ref().map(column);
        let points = Points::new(x?, y?, z?).within(place)?;
        let domain = self.reading.domain(frame.cell.as_ref()).within(place)?;
        // Files of molecules have atoms outside their box: they are wrapped, as those of trajectories are.
        let placed = domain.place(Particles::new(points), Outside::Wrap);
        let points = placed.within(place)?.points().clone();
        let columns = columns.iter().map(column).collect::<Result<_, _>>()?;
        Ok(FrameColumns {
            points,
            domain,
            columns,
        })
    }
}
