//! Frames of a run as extended XYZ (<https://github.com/libAtoms/extxyz>) or H5MD, in a file that a killed process leaves unfinished and the next one
//! goes on with.
//!
//! Entry: [`TrajectoryFile`]. Until it is finished it is called NAME.partial.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use albireo_catalogs::{H5mdContents, H5mdFile, partial_of, sha256};
use albireo_dynamics::Simulation;
use anyhow::{Context, Result, bail};

use super::flags::Md;

/// What the numbers of a frame are counted in.
const UNITS: [(&str, &str); 4] = [
    ("length", "sigma"),
    ("energy", "epsilon"),
    ("mass", "m"),
    ("time", "sigma sqrt(m/epsilon)"),
];

/// What never changes of the atoms.
pub(super) struct Atoms {
    /// Lengths of the box.
    pub(super) lengths: [f64; 3],
    /// The species of each atom.
    pub(super) species: Vec<u32>,
    /// The names and masses of these.
    pub(super) names: Vec<String>,
    pub(super) masses: Vec<f64>,
}

/// A trajectory in the making.
pub(super) struct TrajectoryFile {
    path: PathBuf,
    partial: PathBuf,
    frames: Frames,
    velocities: bool,
    forces: bool,
}

/// Where frames go, and how much there is: bytes of text, or numbers of frames.
enum Frames {
    Xyz(BufWriter<File>, u64),
    H5md(H5mdFile, u64),
}

impl TrajectoryFile {
    /// Begins a file, or goes on behind the first bytes or frames of an unfinished one.
    pub(super) fn open(path: &Path, kept: u64, (md, atoms): (&Md, &Atoms)) -> Result<Self> {
        let partial = partial_of(path);
        if kept > 0 && !partial.exists() {
            bail!(
                "--trajectory: the checkpoint goes on with {}, which is not there: put it back, or remove the checkpoint to begin again",
                partial.display()
            );
        }
        let refused = || format!("--trajectory: cannot write {}", partial.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        options.create(kept == 0).truncate(kept == 0);
        let file = options.open(&partial).with_context(refused)?;
        let frames = if md.written.h5md() {
            let begun = h5md(file, kept, (md, atoms));
            if kept == 0 && begun.is_err() {
                let _ = fs::remove_file(&partial);
            }
            Frames::H5md(begun.with_context(refused)?, kept)
        } else {
            if file.metadata().with_context(refused)?.len() < kept {
                bail!(
                    "--trajectory: {} is shorter than the checkpoint says ({kept} bytes): remove the checkpoint to begin again",
                    partial.display()
                );
            }
            Frames::Xyz(behind(file, kept).with_context(refused)?, kept)
        };
        Ok(Self {
            path: path.to_owned(),
            partial,
            frames,
            velocities: md.written.velocities,
            forces: md.written.forces,
        })
    }

    /// Whether a file has its name already, by the digest that the checkpoint of the end has of it.
    pub(super) fn is_finished(path: &Path, digest: &str) -> Result<bool> {
        if partial_of(path).exists() || !path.exists() {
            return Ok(false);
        }
        Ok(sha256(path).context("--trajectory")? == digest)
    }

    /// The SHA-256 of all frames.
    pub(super) fn digest(&mut self) -> Result<String> {
        self.kept()?;
        sha256(&self.partial).context("--trajectory")
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, fluid: &Simulation, atoms: &Atoms, dt: f64) -> Result<()> {
        let (mut velocities, mut forces) = (vec![], vec![]);
        if self.velocities {
            velocities = fluid.velocities();
        }
        if self.forces {
            forces = fluid.forces()?;
        }
        let refused = || format!("--trajectory: cannot write {}", self.partial.display());
        match &mut self.frames {
            Frames::Xyz(file, length) => {
                let text = xyz(fluid, atoms, dt, [&velocities, &forces]);
                file.write_all(text.as_bytes()).with_context(refused)?;
                *length += text.len() as u64;
            }
            Frames::H5md(file, frames) => {
                let points = fluid.positions();
                let rows: Vec<[f64; 3]> = (0..points.len()).map(|row| points.at(row)).collect();
                let written = file.write(*frames, &rows, [&velocities, &forces]);
                written.with_context(refused)?;
                *frames += 1;
            }
        }
        Ok(())
    }

    /// Brings all bytes to the disk; how many they are, or how many frames.
    pub(super) fn kept(&mut self) -> Result<u64> {
        let refused = || format!("--trajectory: cannot write {}", self.partial.display());
        match &mut self.frames {
            Frames::Xyz(file, length) => {
                file.flush().with_context(refused)?;
                file.get_ref().sync_all().with_context(refused)?;
                Ok(*length)
            }
            Frames::H5md(file, frames) => {
                file.sync().with_context(refused)?;
                Ok(*frames)
            }
        }
    }

    /// Gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        self.kept()?;
        let refused = || format!("--trajectory: cannot write {}", self.path.display());
        fs::rename(&self.partial, &self.path).with_context(refused)?;
        tracing::info!("trajectory written to {}", self.path.display());
        Ok(())
    }

    /// Removes the unfinished file.
    pub(super) fn give_up(self) {
        let _ = fs::remove_file(&self.partial);
    }
}

/// A file whose next byte is behind the first `length`, which are all that stay.
fn behind(mut file: File, length: u64) -> io::Result<BufWriter<File>> {
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    Ok(BufWriter::new(file))
}

/// A file with room for all frames of a run, new or with some of them.
fn h5md(file: File, kept: u64, (md, atoms): (&Md, &Atoms)) -> io::Result<H5mdFile> {
    let written = &md.written;
    let contents = H5mdContents {
        author: written.author.as_deref().unwrap_or("unknown"),
        creator: ["albireo", env!("CARGO_PKG_VERSION")],
        units: &UNITS,
        lengths: atoms.lengths,
        names: &atoms.names,
        species: &atoms.species,
        masses: &atoms.masses,
        frames: (md.end() / written.trajectory_every).saturating_add(1),
        every: written.trajectory_every,
        dt: md.steps.dt,
        velocities: written.velocities,
        forces: written.forces,
    };
    if kept == 0 {
        return H5mdFile::begin(file, &contents);
    }
    H5mdFile::resume(file, &contents)
}

/// A frame as text.
fn xyz(fluid: &Simulation, atoms: &Atoms, dt: f64, moving: [&[[f64; 3]]; 2]) -> String {
    let points = fluid.positions();
    let [x, y, z] = atoms.lengths;
    let [velocities, forces] = [(moving[0], 'v'), (moving[1], 'f')].map(|(rows, letter)| {
        if rows.is_empty() {
            return String::new();
        }
        format!(":{letter}x:R:1:{letter}y:R:1:{letter}z:R:1")
    });
    let step = fluid.step();
    let time = step as f64 * dt;
    let mut text = format!(
        "{}\nLattice=\"{x} 0 0 0 {y} 0 0 0 {z}\" Properties=species:S:1:pos:R:3{velocities}{forces} pbc=\"T T T\" step={step} time={time} Unit={} program=\"albireo {}\"\n",
        points.len(),
        UNITS[0].1,
        env!("CARGO_PKG_VERSION")
    );
    for (row, &kind) in atoms.species.iter().enumerate() {
        let [x, y, z] = points.at(row);
        let name = &atoms.names[kind as usize];
        let _ = write!(text, "{name} {x} {y} {z}");
        for [x, y, z] in moving.iter().filter_map(|rows| rows.get(row)) {
            let _ = write!(text, " {x} {y} {z}");
        }
        text.push('\n');
    }
    text
}
