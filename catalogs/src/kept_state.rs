//! What a process has come to, in a file from which another one goes on.
//!
//! Entry: [`KeptState`]. A file begins with [`MAGIC`], the length of its head and the head in JSON: the kind of the state, what it is of, names and
//! lengths of its blocks. The blocks follow, and the SHA-256 of all that. It is replaced whole.

use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::digest::sha256_of_bytes;
use crate::whole_file::WholeFile;

/// What files of states begin with; the last digit counts the layouts that there have been.
const MAGIC: &[u8; 8] = b"albkept1";
/// Hexadecimal digits of a digest.
const DIGEST: usize = 64;
/// Letters of a setting that is kept as it is.
const LONGEST: usize = 200;
/// Letters of one that errors show.
const SHOWN: usize = 40;

/// Named blocks of bytes, and what they are of.
///
/// ```
/// use albireo_catalogs::KeptState;
/// use serde_json::json;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("saved");
/// let of = |seed: u64| KeptState::new("run", [("seed", json!(seed))]);
/// assert!(KeptState::read(&path, "run")?.is_none());
/// of(7).with("positions", vec![1, 2, 3]).write(&path)?;
/// let state = KeptState::read(&path, "run")?.ok_or("it is there")?;
/// assert_eq!(state.block("positions"), Some(&[1, 2, 3][..]));
/// assert_eq!(state.differs(&of(7)), None);
/// let difference = "seed is 7, expected 8";
/// assert_eq!(state.differs(&of(8)).as_deref(), Some(difference));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KeptState {
    kind: String,
    identity: Map<String, Value>,
    blocks: Vec<(String, Vec<u8>)>,
}

/// Why a file is no state to go on from.
#[derive(Debug, thiserror::Error)]
pub enum KeptStateError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("expected the {0} that albireo has saved, found another file")]
    Other(&'static str),
    /// It is of another layout.
    #[error("layout {0} is of another version, expected {expected}", expected = char::from(MAGIC[7]))]
    Layout(char),
    /// Some of its bytes have changed, or are missing.
    #[error("it is damaged")]
    Damaged,
}

impl KeptState {
    /// A state without blocks of this kind and identity, which are settings by name; of long ones their SHA-256 is kept.
    pub fn new<Name: Into<String>>(
        kind: &str,
        identity: impl IntoIterator<Item = (Name, Value)>,
    ) -> Self {
        let settings = identity.into_iter().map(|(name, value)| {
            let text = value.to_string();
            if text.len() <= LONGEST {
                return (name.into(), value);
            }
            (name.into(), sha256_of_bytes(text.as_bytes()).into())
        });
        Self {
            kind: kind.to_owned(),
            identity: settings.collect(),
            blocks: Vec::new(),
        }
    }

    /// What it is of in one setting, null where there is no such.
    pub fn setting(&self, name: &str) -> &Value {
        self.identity.get(name).unwrap_or(&Value::Null)
    }

    /// The same with another block.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, block: Vec<u8>) -> Self {
        self.blocks.push((name.into(), block));
        self
    }

    /// The bytes of a block.
    pub fn block(&self, name: &str) -> Option<&[u8]> {
        let mut blocks = self.blocks.iter();
        blocks.find_map(|(own, block)| (own == name).then_some(&block[..]))
    }

    /// The state with a further block that is JSON.
    #[must_use]
    pub fn with_json(self, name: impl Into<String>, value: &Value) -> Self {
        self.with(name, value.to_string().into_bytes())
    }

    /// What a block that is JSON holds.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(self.block(name)?).ok()
    }

    /// What differs between the identity of this state and the one `expected`, if anything does.
    pub fn differs(&self, expected: &Self) -> Option<String> {
        let names = self.identity.keys().chain(expected.identity.keys());
        let [found, expected] = [&self.identity, &expected.identity];
        let mut names = names.filter(|name| found.get(*name) != expected.get(*name));
        let name = names.next()?;
        Some(
            match [found, expected].map(|of| of.get(name).and_then(shown)) {
                [Some(a), Some(b)] => format!("{name} is {a}, expected {b}"),
                _ => format!("{name} is another"),
            },
        )
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let blocks = self.blocks.iter();
        let blocks: Vec<Value> = blocks
            .map(|(name, block)| json!([name, block.len()]))
            .collect();
        let head = json!({"kind": self.kind, "of": self.identity, "blocks": blocks}).to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend(head.as_bytes());
        for (_, block) in &self.blocks {
            bytes.extend(block);
        }
        bytes.extend(sha256_of_bytes(&bytes).into_bytes());
        let mut file = WholeFile::create(path)?;
        file.write_all(&bytes)?;
        file.finish()
    }

    /// Reads a state of this kind; none where there is no file.
    ///
    /// # Errors
    /// What is no such state, or damaged, and the system's.
    pub fn read(path: &Path, kind: &'static str) -> Result<Option<Self>, KeptStateError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let other = || KeptStateError::Other(kind);
        let rest = bytes.strip_prefix(&MAGIC[..7]).ok_or_else(other)?;
        match rest.first() {
            Some(layout) if *layout == MAGIC[7] => {}
            Some(layout) => return Err(KeptStateError::Layout(char::from(*layout))),
            None => return Err(KeptStateError::Damaged),
        }
        let state = Self::of_bytes(&bytes).ok_or(KeptStateError::Damaged)?;
        if state.kind != kind {
            return Err(other());
        }
        Ok(Some(state))
    }

    /// The state that a file of this layout has; none where it is damaged.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (kept, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST)?)?;
        (digest == sha256_of_bytes(kept).as_bytes()).then_some(())?;
        let (length, rest) = kept.get(MAGIC.len()..)?.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, mut rest) = rest.split_at_checked(length)?;
        let head: Value = serde_json::from_slice(head).ok()?;
        let mut blocks = Vec::new();
        for named in head["blocks"].as_array()? {
            let length = usize::try_from(named[1].as_u64()?).ok()?;
            let (block, after) = rest.split_at_checked(length)?;
            rest = after;
            blocks.push((named[0].as_str()?.to_owned(), block.to_vec()));
        }
        rest.is_empty().then_some(())?;
        Some(Self {
            kind: head["kind"].as_str()?.to_owned(),
            identity: head["of"].as_object()?.clone(),
            blocks,
        })
    }
}

/// A setting in a few letters.
fn shown(setting: &Value) -> Option<String> {
    let text = match setting {
        Value::Null => "not given".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => setting.to_string(),
        Value::Array(_) | Value::Object(_) => return None,
    };
    (text.len() <= SHOWN).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_may_change_and_none_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let state = KeptState::new("run", [("dt", json!(0.001))])
            .with("first", vec![0, 255])
            .with("empty", vec![]);
        state.write(&path).unwrap();
        assert_eq!(KeptState::read(&path, "run").unwrap(), Some(state.clone()));
        let whole = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8], kind| {
            std::fs::write(&path, bytes).unwrap();
            KeptState::read(&path, kind).unwrap_err()
        };
        for at in MAGIC.len()..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(matches!(refused(&changed, "run"), KeptStateError::Damaged));
            assert!(matches!(
                refused(&whole[..at], "run"),
                KeptStateError::Damaged
            ));
        }
        for at in 0..MAGIC.len() - 1 {
            assert!(matches!(
                refused(&whole[..at], "run"),
                KeptStateError::Other("run")
            ));
        }
        assert!(matches!(
            refused(&whole, "part"),
            KeptStateError::Other("part")
        ));
        let mut other = whole;
        other[7] = b'0';
        assert!(matches!(
            refused(&other, "run"),
            KeptStateError::Layout('0')
        ));
    }

    #[test]
    fn the_first_difference_is_named() {
        let of = |settings: &[(&'static str, Value)]| KeptState::new("run", settings.to_vec());
        let one = of(&[("a", json!(1)), ("b", json!([2]))]);
        assert_eq!(
            one.differs(&of(&[("b", json!([2])), ("a", json!(1))])),
            None
        );
        assert_eq!(
            one.differs(&of(&[("a", json!(1)), ("b", json!([3]))]))
                .unwrap(),
            "b is another"
        );
        assert_eq!(
            one.differs(&of(&[("a", json!(1))])).unwrap(),
            "b is another"
        );
        let long = of(&[("a", json!(1)), ("b", json!("x".repeat(99)))]);
        assert_eq!(one.differs(&long).unwrap(), "b is another");
    }
}
