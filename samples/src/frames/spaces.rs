//! The space of frames: their boxes, or the one in place of these, and the plane that particles are projected on.
//!
//! Entry: [`FrameReading::reach`], and the space of one frame.

use std::path::PathBuf;

use albireo::{Domain, Lattice, PeriodicBox};
use albireo_catalogs::Cell;

use super::{FrameReading, FrameSource, at};
use crate::error::{Result, SampleError};
use crate::given::Given;
use crate::space::{BoxSpec, domain_of};
use crate::within::Within;

impl FrameReading {
    /// The largest separation that the boxes of all frames in the range allow, half the shortest length of the smallest: infinite where all are
    /// open. All frames are read where boxes may change.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("shrinking.csv");
    /// # std::fs::write(&path, "frame,x,y,z,lx,ly,lz\n0,1,1,1,8,8,8\n1,1,1,1,8,6,8\n")?;
    /// let reach = albireo_samples::FrameReading::default().reach(&[path])?;
    /// assert_eq!(reach, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Files that cannot be read, and boxes that are none.
    pub fn reach(&self, paths: &[PathBuf]) -> Result<f64> {
        self.reach_of(self.source(paths)?)
    }

    /// As [`FrameReading::reach`], of frames or a table of particles in memory.
    ///
    /// # Errors
    /// As [`FrameReading::reach`].
    pub fn reach_given(&self, given: &Given) -> Result<f64> {
        self.reach_of(self.source_given(given)?)
    }

    /// The same with its box in the unit of the frames.
    pub(super) fn with_box_in(mut self, unit: Option<&str>) -> Result<Self> {
        if let Some(space) = self.space {
            self.space = Some(space.in_unit(unit, None)?.into());
        }
        Ok(self)
    }

    fn reach_of(&self, source: FrameSource) -> Result<f64> {
        let mut source = source.in_unit(self.unit.as_deref())?;
        let reading = self.clone().with_box_in(source.unit())?;
        // A box in place of those of the frames is the same in all of them.
        let is_fixed = self.space.is_some_and(|space| space.spec != BoxSpec::File);
        let mut reach = f64::INFINITY;
        while let Some(numbered) = source.next_frame()? {
            let space = reading.space_of(numbered.frame.cell.as_ref());
            let (domain, _) = space.within(|| at(&numbered))?;
            reach = reach.min(domain.reach());
            if is_fixed {
                break;
            }
        }
        Ok(reach)
    }

    /// The space of a frame with this box.
    pub(super) fn domain(&self, cell: Option<&Cell>) -> Result<Domain> {
        match (self.space.map(|space| space.spec), cell) {
            (None | Some(BoxSpec::File), Some(cell)) => domain_of_cell(cell),
            (Some(BoxSpec::File), None) => Err(SampleError::no_stated_box()),
            (None, None) => Ok(Domain::Open),
            (Some(spec), _) => domain_of(spec),
        }
    }

    /// The space of a frame, its plane where there is one, and the volume or area of it.
    pub(super) fn space_of(&self, cell: Option<&Cell>) -> Result<(Domain, Option<f64>)> {
        let domain = self.domain(cell)?;
        let Some(normal) = self.flat else {
            let volume = domain.volume();
            return Ok((domain, volume));
        };
        match domain {
            Domain::Periodic(of) => {
                let mut lengths = of.lengths();
                lengths[normal.index()] = None;
                let sides = lengths.iter().flatten();
                let area = (sides.clone().count() == 2).then(|| sides.product());
                Ok((domain_of(BoxSpec::Lengths(lengths))?, area))
            }
            Domain::Triclinic(lattice) => {
                // The third vector must stand on the other two, along the axis.
                let vectors = lattice.vectors();
                let k = normal.index();
                let along = |v: &[f64; 3]| (0..3).all(|axis| axis == k || v[axis] == 0.0);
                let flat = vectors.iter().filter(|v| v[k] == 0.0).count() == 2;
                let height = vectors.iter().find(|v| along(v)).map(|v| v[k].abs());
                match height.filter(|_| flat) {
                    None => Err(SampleError::Input(format!(
                        "a plane normal to {} needs a box with two vectors in it and the third normal to it",
                        normal.name()
                    ))),
                    Some(height) => {
                        let area = lattice.volume() / height;
                        Ok((Domain::Triclinic(lattice), Some(area)))
                    }
                }
            }
            Domain::Open => Ok((Domain::Open, None)),
        }
    }
}

fn domain_of_cell(cell: &Cell) -> Result<Domain> {
    let periodic = cell.periodic();
    if periodic == [false; 3] {
        return Ok(Domain::Open);
    }
    match cell.lengths() {
        Some(lengths) => {
            let lengths = [0, 1, 2].map(|k| periodic[k].then_some(lengths[k]));
            Ok(Domain::Periodic(PeriodicBox::new(lengths)?))
        }
        None if periodic == [true; 3] => Ok(Domain::Triclinic(Lattice::new(cell.vectors())?)),
        None => Err(SampleError::Input(
            "the box is not rectangular, and open along some of its vectors: such boxes are not counted in; name another one by --box".to_owned()
        )),
    }
}
