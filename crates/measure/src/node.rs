//! What ranks of one node hold once: samples, which the first of them reads, and what is sorted of them.
//!
//! Entry: [`Node::of`], and [`Node::read`] for samples.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use albireo::engine::SharedMemory;
use albireo::error::EngineError;
use albireo::particles::Column;
use albireo_samples::Samples;
use anyhow::{Result, bail};

use crate::world::{World, WorldError};

/// Several ranks of one node.
pub(crate) struct Node(Rc<dyn World>);

impl From<WorldError> for EngineError {
    fn from(error: WorldError) -> Self {
        Self::Outside(error.to_string())
    }
}

/// By what a file is known to be the same for all ranks of a node, though nobody reads it: where it lies, how long it is and when it was
/// written. A file that is not there is known by that.
fn seen(path: &Path) -> [u64; 5] {
    let Ok(about) = path.metadata() else {
        return [0; 5];
    };
    #[cfg(unix)]
    let (place, time) = {
        use std::os::unix::fs::MetadataExt as _;
        let time = [
            about.mtime().cast_unsigned(),
            about.mtime_nsec().cast_unsigned(),
        ];
        ([about.dev(), about.ino()], time)
    };
    #[cfg(not(unix))]
    // Nothing that another rank sees.
    let (place, time) = ([u64::from(std::process::id()), 0], [0; 2]);
    [place[0], place[1], about.len(), time[0], time[1]]
}

/// Whole numbers as the bits of others, as which memory holds them.
fn in_bits(words: impl IntoIterator<Item = u64>) -> Vec<f64> {
    words.into_iter().map(f64::from_bits).collect()
}

/// A text as whole numbers, its length first.
fn words_of(text: &str) -> Vec<u64> {
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let eights = eights.iter().chain([&last]);
    let words = eights.map(|bytes| u64::from_le_bytes(*bytes));
    std::iter::once(text.len() as u64).chain(words).collect()
}

/// The text that whole numbers are.
fn text_of(words: impl IntoIterator<Item = u64>) -> Option<String> {
    let mut words = words.into_iter();
    let length = usize::try_from(words.next()?).ok()?;
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    (length <= bytes.len()).then(|| bytes.truncate(length))?;
    String::from_utf8(bytes).ok()
}

impl Node {
    /// The ranks of the node that this process is one of, where there are several with memory in common.
    pub(crate) fn of(world: &Rc<dyn World>) -> Option<Self> {
        let several = world.size() > 1 && world.on_node()[1] > 1 && world.has_node_memory();
        several.then(|| Self(Rc::clone(world)))
    }

    /// The samples in these files, which the first rank of the node reads, in memory that the node holds once. Where a rank does not see
    /// the very files that the first one sees, all read them, and what they have read is compared by whoever counts.
    pub(crate) fn read(
        &self,
        files: impl IntoIterator<Item = PathBuf>,
        read: impl Fn() -> Result<Samples>,
    ) -> Result<Samples> {
        if !self.sees_the_same(files)? {
            tracing::debug!("ranks of one node see other files: each of them reads");
            return Ok(self.held(read()?)?);
        }
        if self.is_first() {
            return Ok(self.pass_on(read()?)?);
        }
        match self.taken_over()? {
            Some(samples) => Ok(samples),
            None => read(),
        }
    }

    /// Whether every rank of the node sees the files that the first one sees.
    fn sees_the_same(&self, files: impl IntoIterator<Item = PathBuf>) -> Result<bool, EngineError> {
        let own: Vec<u64> = files.into_iter().flat_map(|path| seen(&path)).collect();
        let first = self.doubles(vec![Cow::Owned(in_bits(own.iter().copied()))])?;
        let same = first.is_some_and(|first| first.iter().map(f64::to_bits).eq(own));
        Ok(self.0.all_of_node(same)?)
    }

    /// Samples that every rank has read. A rank that has read something else keeps that.
    fn held(&self, samples: Samples) -> Result<Samples, EngineError> {
        self.giving(|give| samples.pass_on(give))
    }

    /// Samples that this rank has read for all.
    fn pass_on(&self, samples: Samples) -> Result<Samples, EngineError> {
        let head = in_bits(words_of(&samples.head()));
        match self.doubles(vec![Cow::Owned(head)])? {
            Some(_) => self.giving(|give| samples.pass_on(give)),
            None => Ok(samples),
        }
    }

    /// Has `work` give columns, and hands back those that the node holds.
    fn giving<T>(
        &self,
        work: impl FnOnce(&mut dyn FnMut(&Column) -> Option<Column>) -> T,
    ) -> Result<T, EngineError> {
        let mut failure = None;
        let made = work(&mut |column| {
            if failure.is_some() {
                return None;
            }
            let held = self.doubles(vec![column.contiguous()]);
            held.unwrap_or_else(|error| {
                failure = Some(error);
                None
            })
        });
        failure.map_or(Ok(made), Err)
    }

    /// The samples that the first rank has read; none where they cannot be shared.
    fn taken_over(&self) -> Result<Option<Samples>> {
        let Some(head) = self.doubles(vec![])? else {
            return Ok(None);
        };
        let Some(head) = text_of(head.iter().map(f64::to_bits)) else {
            bail!("the first rank of this node gives no head of samples");
        };
        let (mut failure, mut all_here) = (None, true);
        let samples = Samples::taken_over(&head, &mut || {
            if failure.is_some() {
                return None;
            }
            let given = self.doubles(vec![]).unwrap_or_else(|error| {
                failure = Some(error);
                None
            });
            all_here &= given.is_some();
            given
        });
        match (failure, samples) {
            (Some(failure), _) => Err(failure.into()),
            (None, None) if all_here => {
                bail!("the first rank of this node gives columns that are no samples")
            }
            (None, samples) => Ok(samples),
        }
    }
}

impl SharedMemory for Node {
    fn is_first(&self) -> bool {
        self.0.on_node()[0] == 0
    }

    fn doubles(&self, runs: Vec<Cow<'_, [f64]>>) -> Result<Option<Column>, EngineError> {
        Ok(self.0.hold_once(runs)?.map(Column::shared))
    }

    fn singles(&self, runs: Vec<Cow<'_, [f32]>>) -> Result<Option<Column<f32>>, EngineError> {
        Ok(self.0.hold_singles_once(runs)?.map(Column::shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_as_numbers() {
        for text in ["", "a", "eight ch", "nine char", "\u{e9}\u{1F4D0} { }"] {
            let numbers = in_bits(words_of(text));
            let words = numbers.iter().map(|number| number.to_bits());
            assert_eq!(text_of(words.clone()).as_deref(), Some(text));
            assert_eq!(text_of(words.take(1)).is_some(), text.is_empty());
        }
        assert_eq!(text_of([]), None);
        assert_eq!(text_of([2, 0xffff]), None);
    }
}
