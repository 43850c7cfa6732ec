//! What ranks of one node hold once: the samples that they have read, and what is sorted of them.
//!
//! Entry: [`Node::here`].

use std::rc::Rc;

use albireo::Column;
use albireo::engine::SharedMemory;
use albireo_samples::Samples;

use crate::world::{self, World, WorldError};

/// Several ranks of one node.
pub(crate) struct Node(Rc<dyn World>);

/// What is there; nothing where ranks cannot be reached, which the next thing that they do together tells.
fn or_nothing<T>(held: Result<Option<T>, WorldError>) -> Option<T> {
    held.unwrap_or_else(|error| {
        tracing::debug!("memory of the node: {error}");
        None
    })
}

impl Node {
    /// The ranks of the node that this process is one of, where there are several.
    pub(crate) fn here() -> Option<Self> {
        let world = world::current();
        let several = world.size() > 1 && world.on_node()[1] > 1;
        several.then_some(Self(world))
    }

    /// Samples that every rank has read, in memory that the node holds once. A rank that has read something else keeps that.
    pub(crate) fn hold(&self, samples: Samples) -> Samples {
        samples.in_buffers(&mut |column| {
            let own = column.contiguous();
            self.doubles(&[&own])
        })
    }
}

impl SharedMemory for Node {
    fn is_first(&self) -> bool {
        self.0.on_node()[0] == 0
    }

    fn doubles(&self, runs: &[&[f64]]) -> Option<Column> {
        or_nothing(self.0.hold_once(runs)).map(Column::shared)
    }

    fn singles(&self, runs: &[&[f32]]) -> Option<Column<f32>> {
        or_nothing(self.0.hold_singles_once(runs)).map(Column::shared)
    }
}
