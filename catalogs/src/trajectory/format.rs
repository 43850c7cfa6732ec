//! The formats of trajectories, and what a request says where a file leaves it open.
//!
//! Entry: [`TrajectoryFormat`], [`TrajectoryRequest`]. Formats know this file, not the list of them in `open.rs`.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
/// A format of trajectories or of single frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrajectoryFormat {
    /// GROMACS, compressed; nm, ps.
    Xtc,
    /// GROMACS, full precision; nm, ps. Frames without positions are passed over and not numbered.
    Trr,
    /// CHARMM, NAMD, LAMMPS, X-PLOR; Angstrom, and times in the unit of the header's time step (CHARMM and NAMD: AKMA, 48.8882 fs).
    /// The box as cosines, angles or CHARMM's symmetric matrix.
    Dcd,
    /// AMBER, `NetCDF`-3 and -4, restart files too; the unit of length that the file names, Angstrom if it names none; ps.
    AmberNetCdf,
    /// HOOMD-blue, schema 1 and 2; no unit. The origin is the middle of the box, which in two dimensions is 1 high and periodic along x and y.
    Gsd,
    /// HDF5 by the H5MD 1.1 convention.
    H5md,
    /// HDF5 as CADISHI lays it out.
    Cadishi,
    /// HDF5 as `MDTraj` lays it out; nm, ps.
    MdTraj,
    /// Text dumps of LAMMPS.
    LammpsDump,
    /// XYZ, extended or plain.
    Xyz,
    /// GROMACS structure.
    Gro,
    /// Protein Data Bank.
    Pdb,
    /// A table with a column of frame numbers, or of one frame: Parquet, FITS, HDF5 or delimited text.
    Table,
    /// Arrays in memory.
    Memory,
}

impl TrajectoryFormat {
    /// Whether its files are tables too, which catalogues are read from.
    pub fn is_catalogue(self) -> bool {
        matches!(self, Self::H5md | Self::Cadishi | Self::Table)
    }
}

impl fmt::Display for TrajectoryFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xtc => "XTC",
            Self::Trr => "TRR",
            Self::Dcd => "DCD",
            Self::AmberNetCdf => "AMBER NetCDF",
            Self::Gsd => "GSD",
            Self::H5md => "H5MD",
            Self::Cadishi => "CADISHI HDF5",
            Self::MdTraj => "MDTraj HDF5",
            Self::LammpsDump => "LAMMPS dump",
            Self::Xyz => "XYZ",
            Self::Gro => "GRO",
            Self::Pdb => "PDB",
            Self::Table => "table of frames",
            Self::Memory => "arrays",
        })
    }
}

/// What to read where a file leaves it open.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TrajectoryRequest {
    /// Tables: FITS HDU, HDF5 group or data set. H5MD: the name of the particles' group.
    pub table: Option<String>,
    /// Tables: the column of frame numbers; `frame` if `None`.
    pub frame: Option<String>,
    /// Tables: the columns of x, y and z; `x`, `y`, `z` or one vector column `position` if `None`.
    pub positions: Option<[String; 3]>,
    /// Tables: a second table with the box of each frame, columns `frame, ax, ay, az, bx, .., cz` or `frame, lx, ly, lz`. `None`: the file of the same name
    /// that ends in `.box.parquet` or `.box.csv` in place of its own ending, if it is there.
    pub boxes: Option<PathBuf>,
    /// H5MD, `MDTraj` HDF5, TRR, AMBER `NetCDF`, GSD, LAMMPS dumps, XYZ and GRO: whether velocities and forces are read too, where frames have them, as `vx`, `vy`,
    /// `vz`, `fx`, `fy` and `fz` of each particle. Those of AMBER are in Angstrom/ps and kcal/mol/Angstrom: other units that a file states are converted or, where
    /// they are not known, refused; numbers in units of `lj` stay as they are.
    pub velocities: bool,
    /// Tables: whether one without the column `frame` is one frame. By default it is refused, unless `frame` names another column.
    pub undivided: bool,
    /// LAMMPS dumps: the axis, from 0, whose column may be missing, as of particles in a plane: positions along it are 0 then.
    pub lacking: Option<usize>,
}
