//! What each frame of a trajectory counts for.
//!
//! Entry: [`FrameWeights`], of what the command line spells as a [`WeightSpec`].

use albireo_catalogs::Stop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use albireo_catalogs::{Attribute, Request, open_until, sha256};
use albireo_samples::NumberedFrame;
use anyhow::{Context, Result, bail};

use crate::paths::WeightSpec;
use crate::record::Record;
use crate::world::World;

impl WeightSpec {
    /// The file that is read.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Column(_) => None,
        }
    }

    /// What a checkpoint must agree in.
    pub(super) fn fingerprint(&self) -> Result<String> {
        Ok(match self {
            Self::Column(name) => format!("column {name}"),
            Self::File(path) => sha256(path)?,
        })
    }
}

/// The weights of frames, by their numbers over all files.
pub(super) struct FrameWeights {
    from: From,
    /// Frames of weight 0, which are not counted.
    left_out: AtomicU64,
}

enum From {
    Nowhere,
    Column(String),
    Rows {
        path: PathBuf,
        weights: Vec<f64>,
        /// The frame of each weight, where the table tells it.
        frames: Option<Vec<f64>>,
    },
}

impl FrameWeights {
    /// The weights that were asked for; without any, every frame counts 1.
    pub(super) fn read(spec: Option<&WeightSpec>, stop: Stop) -> Result<Self> {
        let from = match spec {
            None => From::Nowhere,
            Some(WeightSpec::Column(name)) => From::Column(name.clone()),
            Some(WeightSpec::File(path)) => rows(path, stop).context("--frame-weights")?,
        };
        Ok(Self {
            from,
            left_out: AtomicU64::new(0),
        })
    }

    /// What a frame counts for; `None` for one of weight 0, which is passed over.
    pub(super) fn of(&self, frame: &NumberedFrame) -> Result<Option<f64>> {
        let weight = match &self.from {
            From::Nowhere => return Ok(Some(1.0)),
            From::Column(name) => of_column(frame, name)?,
            From::Rows {
                path,
                weights,
                frames,
            } => {
                let wanted = frame.number;
                let row = match frames {
                    None => usize::try_from(wanted).ok(),
                    Some(frames) => frames.iter().position(|&number| number == wanted as f64),
                };
                let found = row.and_then(|row| weights.get(row).copied());
                found.with_context(|| {
                    format!(
                        "--frame-weights: {} has {} rows, and none for frame {wanted} (frames count from 0 over all files)",
                        path.display(),
                        weights.len()
                    )
                })?
            }
        };
        if !(weight >= 0.0 && weight.is_finite()) {
            bail!(
                "--frame-weights: the weight of a frame is a finite number, not below 0: frame {} has {weight}",
                frame.number
            );
        }
        if weight == 0.0 {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        Ok(Some(weight))
    }

    /// Adds up over all ranks how many frames were not counted.
    pub(super) fn sum_over(&self, world: &dyn World) -> Result<()> {
        let mut left_out = [self.left_out.load(Ordering::Relaxed)];
        world.sum(&mut left_out)?;
        self.left_out.store(left_out[0], Ordering::Relaxed);
        Ok(())
    }

    /// Writes down where they came from.
    pub(super) fn note(&self, record: &mut Record) -> Result<()> {
        let from = match &self.from {
            From::Nowhere => return Ok(()),
            From::Column(name) => serde_json::json!({"column": name}),
            From::Rows { path, .. } => serde_json::json!({"file": path, "sha256": sha256(path)?}),
        };
        record.set("frame_weights", from);
        record.set("frames_of_weight_0", self.left_out.load(Ordering::Relaxed));
        Ok(())
    }
}

/// A table with a row a frame: its column `weight`, else its last, and its column `frame` where it has one.
fn rows(path: &Path, stop: Stop) -> Result<From> {
    let mut reader = open_until(path, stop)?;
    let outline = reader.outline(None)?;
    let names: Vec<&str> = outline.columns.iter().map(|c| c.name.as_str()).collect();
    let name = match (names.contains(&"weight"), names.last()) {
        (true, _) => "weight",
        (false, Some(last)) if *last != "frame" => last,
        (false, _) => bail!("{}: there is no column of weights", path.display()),
    };
    let has_frames = names.contains(&"frame");
    let frame = has_frames.then_some("frame");
    let asked = std::iter::once(name).chain(frame);
    let mut table = reader.read(&Request::columns(asked))?;
    let frames = frame.map(|frame| table.take(frame)).transpose()?;
    let weights = table.take(name)?;
    if let Some(frames) = &frames {
        let mut sorted = frames.clone();
        sorted.sort_by(f64::total_cmp);
        if let Some([frame, _]) = sorted.windows(2).find(|two| two[0] == two[1]) {
            bail!("{}: frame {frame} has two weights", path.display());
        }
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        bail!(
            "{}: column `{name}` has no weight above 0 in {} rows",
            path.display(),
            weights.len()
        );
    }
    Ok(From::Rows {
        path: path.to_owned(),
        weights,
        frames,
    })
}

/// The one value that all particles of a frame have in a column.
fn of_column(frame: &NumberedFrame, name: &str) -> Result<f64> {
    let atoms = &frame.frame.atoms;
    let place = || {
        format!(
            "--frame-weights: {}: frame {}",
            frame.path.display(),
            frame.number
        )
    };
    let (first, other) = match atoms.get(name) {
        Some(Attribute::Numbers(values)) => {
            let first = values.first().copied();
            let other = values.iter().copied().find(|v| Some(*v) != first);
            (first, other)
        }
        Some(Attribute::Integers(values)) => {
            let first = values.first().copied();
            let other = values.iter().copied().find(|v| Some(*v) != first);
            (first.map(|v| v as f64), other.map(|v| v as f64))
        }
        Some(_) => bail!("{}: column `{name}` holds texts, not weights", place()),
        None => {
            let known: Vec<&str> = atoms.names().collect();
            bail!(
                "{}: expected a column `{name}` with the weight of the frame, or @FILE; the columns are: {}",
                place(),
                known.join(", ")
            );
        }
    };
    match (first, other) {
        (Some(first), None) => Ok(first),
        (Some(first), Some(other)) => bail!(
            "{}: column `{name}`: expected one weight for all particles of the frame, found {first} and {other}",
            place()
        ),
        (None, _) => bail!("{}: it has no particle to tell its weight", place()),
    }
}
