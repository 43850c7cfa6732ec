//! The integers of a run, saved so that a process that is killed loses a few steps and no bit.
//!
//! Entry: [`Saved`]. A file begins with [`MAGIC`], the length of its head and the head in JSON; positions and momenta follow, and the SHA-256 of all
//! that. It is replaced whole.

use std::fs;
use std::io::Write;
use std::path::Path;

use albireo_catalogs::{WholeFile, sha256_of_bytes};
use albireo_dynamics::State;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

const MAGIC: &[u8; 8] = b"albmdck1";
/// Hexadecimal digits of a digest.
const DIGEST: usize = 64;

/// What a run has come to.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    /// Digest of what the run is the same by.
    pub(super) settings: String,
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
    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let head = json!({
            "settings": self.settings, "step": self.state.step, "atoms": self.state.positions.len(),
            "rows": self.rows, "trajectory": self.trajectory, "ended": self.ended, "npairs": self.npairs, "frames": self.frames,
        });
        let head = head.to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(bytes_of(&self.state));
        bytes.extend(sha256_of_bytes(&bytes).into_bytes());
        let write = || -> std::io::Result<()> {
            let mut file = WholeFile::create(path)?;
            file.write_all(&bytes)?;
            file.finish()
        };
        write().with_context(|| format!("--checkpoint: cannot write {}", path.display()))
    }

    /// Reads the file, if there is one; refuses one that is damaged or of a run with other settings.
    pub(super) fn read(path: &Path, settings: &str) -> Result<Option<Self>> {
        let named = || format!("--checkpoint {}", path.display());
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(named),
        };
        let damaged = || {
            format!(
                "{}: no checkpoint of `albireo md`, or a damaged one",
                named()
            )
        };
        let (held, digest) = bytes
            .split_at_checked(bytes.len().saturating_sub(DIGEST))
            .with_context(damaged)?;
        if digest != sha256_of_bytes(held).as_bytes() {
            bail!(damaged());
        }
        let rest = held.strip_prefix(MAGIC).with_context(damaged)?;
        let (length, rest) = rest.split_first_chunk::<8>().with_context(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).with_context(damaged)?;
        let (head, words) = rest.split_at_checked(length).with_context(damaged)?;
        let head: Value = serde_json::from_slice(head).with_context(damaged)?;
        let saved = Self::of_head(&head, words).with_context(damaged)?;
        if saved.settings != settings {
            bail!(
                "{}: it was made by a run with another start, other steps or outputs: remove it, or name another",
                named()
            );
        }
        Ok(Some(saved))
    }

    fn of_head(head: &Value, words: &[u8]) -> Option<Self> {
        let numbers = |value: &Value| -> Option<Vec<u64>> {
            value.as_array()?.iter().map(Value::as_u64).collect()
        };
        let atoms = usize::try_from(head["atoms"].as_u64()?).ok()?;
        let (words, rest) = words.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let fits = rest.is_empty() && Some(words.len()) == atoms.checked_mul(6);
        fits.then_some(())?;
        let (positions, momenta) = words.split_at(3 * atoms);
        let triples = |words: &[u64]| words.as_chunks::<3>().0.to_vec();
        let momenta = triples(momenta).into_iter();
        Some(Self {
            settings: head["settings"].as_str()?.to_owned(),
            state: State {
                step: head["step"].as_u64()?,
                positions: triples(positions),
                momenta: momenta.map(|p| p.map(u64::cast_signed)).collect(),
            },
            rows: head["rows"]
                .as_array()?
                .iter()
                .map(numbers)
                .collect::<Option<_>>()?,
            trajectory: head["trajectory"].as_u64()?,
            ended: head["ended"].as_str().map(str::to_owned),
            npairs: numbers(&head["npairs"])?,
            frames: head["frames"].as_u64()?,
        })
    }
}
