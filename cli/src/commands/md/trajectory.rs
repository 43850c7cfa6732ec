//! Frames of a run as extended XYZ (<https://github.com/libAtoms/extxyz>), in a file that a killed process leaves unfinished and the next one
//! goes on with.
//!
//! Entry: [`TrajectoryFile`]. Until it is finished it is called NAME.partial.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use albireo::dynamics::Simulation;
use anyhow::{Context, Result, bail};

/// A trajectory in the making.
pub(super) struct TrajectoryFile {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    length: u64,
    velocities: bool,
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

impl TrajectoryFile {
    /// Begins a file, or goes on behind the first `length` bytes of an unfinished one.
    pub(super) fn open(path: &Path, length: u64, velocities: bool) -> Result<Self> {
        let partial = partial(path);
        let refused = || format!("--trajectory: cannot write {}", partial.display());
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create(length == 0)
            .truncate(length == 0);
        let mut file = options.open(&partial).with_context(refused)?;
        if file.metadata().with_context(refused)?.len() < length {
            bail!(
                "--trajectory: {} is shorter than the checkpoint says ({length} bytes): remove the checkpoint to begin again",
                partial.display()
            );
        }
        file.set_len(length).with_context(refused)?;
        file.seek(SeekFrom::Start(length)).with_context(refused)?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
            partial,
            length,
            velocities,
        })
    }

    /// Adds a frame.
    pub(super) fn add(
        &mut self,
        fluid: &Simulation,
        (lengths, dt): ([f64; 3], f64),
        names: &[&str],
    ) -> Result<()> {
        let points = fluid.positions();
        let velocities = if self.velocities {
            fluid.velocities()
        } else {
            vec![]
        };
        let [x, y, z] = lengths;
        let columns = if self.velocities {
            ":vx:R:1:vy:R:1:vz:R:1"
        } else {
            ""
        };
        let step = fluid.step();
        let time = step as f64 * dt;
        let mut text = format!(
            "{}\nLattice=\"{x} 0 0 0 {y} 0 0 0 {z}\" Properties=species:S:1:pos:R:3{columns} pbc=\"T T T\" step={step} time={time}\n",
            points.len()
        );
        for (row, name) in names.iter().enumerate() {
            let [x, y, z] = points.at(row);
            let _ = write!(text, "{name} {x} {y} {z}");
            if let Some([x, y, z]) = velocities.get(row) {
                let _ = write!(text, " {x} {y} {z}");
            }
            text.push('\n');
        }
        let refused = || format!("--trajectory: cannot write {}", self.partial.display());
        self.file.write_all(text.as_bytes()).with_context(refused)?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// Brings all bytes to the disk; how many they are.
    pub(super) fn kept(&mut self) -> Result<u64> {
        let refused = || format!("--trajectory: cannot write {}", self.partial.display());
        self.file.flush().with_context(refused)?;
        self.file.get_ref().sync_all().with_context(refused)?;
        Ok(self.length)
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
