//! The integers of a run, saved so that a process that is killed loses a few steps and no bit.
//!
//! Entries: [`Saved`], and [`Saving`], when that is. Its file is a [`KeptState`]: what was seen so far in JSON, positions and momenta as words.

use std::path::Path;
use std::time::Duration;

use albireo_catalogs::KeptState;
use albireo_dynamics::State;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::every::{Clock, Every, SavedAt};
use crate::usage::usage;

/// The kind of such a state.
const KIND: &str = "run of `albireo md`";
/// The block with what was seen so far.
const SEEN: &str = "seen";
/// The block with positions and momenta.
const WORDS: &str = "state";

/// What a run has come to.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    pub(super) state: State,
    /// Rows of the table, as bits.
    pub(super) rows: Vec<Vec<u64>>,
    /// Bytes of the trajectory so far, frames of one in H5MD.
    pub(super) trajectory: u64,
    /// Where all steps are made: the SHA-256 of the trajectory, empty without one.
    pub(super) ended: Option<String>,
    /// Counts of g(r), and how many positions they are of.
    pub(super) npairs: Vec<u64>,
    pub(super) frames: u64,
}

/// When a run is saved.
pub(super) enum Saving {
    Never,
    /// At every so many steps.
    Steps(u64),
    /// So long after the last time.
    Time(Clock),
}

impl Saving {
    /// As the flags say.
    pub(super) fn new(flags: &SavedAt) -> Result<Self> {
        let mut every = flags.checkpoint_every;
        if let Some(Every::Number(number)) = every {
            tracing::info!(
                "--checkpoint-every {number} means {number} steps: write {number}steps, or a time such as 30s"
            );
            every = Some(format!("{number}steps").parse().map_err(usage)?);
        }
        Ok(match every {
            _ if flags.path().is_none() => Self::Never,
            Some(Every::Steps(steps)) => Self::Steps(steps),
            every => Self::Time(Clock::new(Every::time(every)?)),
        })
    }

    /// Steps from one save to the next, if steps decide.
    pub(super) fn steps(&self) -> Option<u64> {
        match self {
            Self::Steps(steps) => Some(*steps),
            Self::Never | Self::Time(..) => None,
        }
    }

    /// Time from one save to the next, if the clock decides.
    pub(super) fn pause(&self) -> Option<Duration> {
        match self {
            Self::Time(clock) => Some(clock.pause()),
            Self::Never | Self::Steps(_) => None,
        }
    }

    /// Whether the run is saved after this step.
    pub(super) fn is_due(&self, step: u64) -> bool {
        match self {
            Self::Never => false,
            Self::Steps(steps) => step > 0 && step.is_multiple_of(*steps),
            Self::Time(clock) => clock.is_due(),
        }
    }

    /// Counts the next pause from now on.
    pub(super) fn restart(&mut self) {
        if let Self::Time(clock) = self {
            clock.restart();
        }
    }
}

/// The words of a state as bytes.
pub(super) fn bytes_of(state: &State) -> Vec<u8> {
    let positions = state.positions.as_flattened().iter().copied();
    let momenta = state
        .momenta
        .as_flattened()
        .iter()
        .map(|p| p.cast_unsigned());
    positions
        .chain(momenta)
        .flat_map(u64::to_le_bytes)
        .collect()
}

impl Saved {
    /// Writes the file, whole or not at all; `empty` says what run it is of.
    pub(super) fn write(&self, path: &Path, empty: &KeptState) -> Result<()> {
        let seen = json!({
            "step": self.state.step, "rows": self.rows, "trajectory": self.trajectory, "ended": self.ended,
            "npairs": self.npairs, "frames": self.frames,
        });
        let state = empty
            .clone()
            .with_json(SEEN, &seen)
            .with(WORDS, bytes_of(&self.state));
        let written = state.write(path);
        written.with_context(|| format!("--checkpoint: cannot write {}", path.display()))
    }

    /// Reads the file, if there is one; refuses one that is damaged or of a run with other settings.
    pub(super) fn read(path: &Path, empty: &KeptState) -> Result<Option<Self>> {
        let named = || format!("--checkpoint {}", path.display());
        let Some(state) = KeptState::read(path, KIND).with_context(named)? else {
            return Ok(None);
        };
        if let Some(difference) = state.differs(empty) {
            bail!(
                "{}: it was made by a run with another start, other steps or outputs ({difference}): remove it, or name another",
                named()
            );
        }
        let saved = Self::of_state(&state);
        let saved = saved.with_context(|| format!("{}: it is damaged", named()))?;
        Ok(Some(saved))
    }

    fn of_state(state: &KeptState) -> Option<Self> {
        let seen: Value = state.json(SEEN)?;
        let numbers = |value: &Value| -> Option<Vec<u64>> {
            value.as_array()?.iter().map(Value::as_u64).collect()
        };
        let (words, rest) = state.block(WORDS)?.as_chunks::<8>();
        (rest.is_empty() && words.len().is_multiple_of(6)).then_some(())?;
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (positions, momenta) = words.split_at(words.len() / 2);
        let triples = |words: &[u64]| words.as_chunks::<3>().0.to_vec();
        let momenta = triples(momenta).into_iter();
        Some(Self {
            state: State {
                step: seen["step"].as_u64()?,
                positions: triples(positions),
                momenta: momenta.map(|p| p.map(u64::cast_signed)).collect(),
            },
            rows: seen["rows"]
                .as_array()?
                .iter()
                .map(numbers)
                .collect::<Option<_>>()?,
            trajectory: seen["trajectory"].as_u64()?,
            ended: seen["ended"].as_str().map(str::to_owned),
            npairs: numbers(&seen["npairs"])?,
            frames: seen["frames"].as_u64()?,
        })
    }
}

/// The state without integers of a run with these settings.
pub(super) fn empty(settings: Vec<(&'static str, Value)>) -> KeptState {
    KeptState::new(KIND, settings)
}
